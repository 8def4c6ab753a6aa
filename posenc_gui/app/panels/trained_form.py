"""A model that has learned: what it is, the layer that is seen, and what is done to its positions."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QSignalBlocker
from PySide6.QtWidgets import QFormLayout, QHBoxLayout, QVBoxLayout, QWidget

from posenc_gui.app.panels.head_map import HeadMap
from posenc_gui.app.widgets.controls import Choices, elided_label, plain_label, wrap_tooltip
from posenc_gui.attention.trained_model import TrainedModel
from posenc_gui.encodings.base import Encoding
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panels import Heatmap, Table
from posenc_gui.foundation.wording import format_bytes, format_count
from posenc_gui.measures.surgery import changes
from posenc_gui.scene import surgeries
from posenc_gui.session.session import Session

_POSITIONS = "What is done to the model's positions, in all of its layers"


class TrainedForm(QWidget):
    """The form in the place of an encoding's choice, which a model that has learned doesn't leave."""

    def __init__(self, propose: Callable[..., str]) -> None:
        super().__init__()
        self._propose = propose
        self._model: TrainedModel | None = None
        self._seen: tuple[object, ...] | None = None  # what the map of heads is of
        self._changes: dict[str, Encoding] = {}
        self._name, self._about = elided_label(), plain_label("", "muted")
        self.heads = HeadMap()
        self.named: Table | None = None  # the heads by what they look at
        self._place = plain_label("", "muted", wraps=False)
        self._meaning = plain_label("", "muted")
        self._positions = Choices("Positions")
        self._positions.setAccessibleDescription(_POSITIONS)
        self._positions.activated.connect(self._on_positions)
        rows = QFormLayout()
        rows.setContentsMargins(0, 0, 0, 0)
        rows.addRow("Positions", self._positions)
        rows.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._name)
        column.addWidget(self._about)
        of_heads = QHBoxLayout()
        of_heads.addWidget(plain_label("Layer and head", "strong", wraps=False), 1)
        of_heads.addWidget(self._place)
        column.addLayout(of_heads)
        column.addWidget(self.heads)
        column.addWidget(self._meaning)
        column.addLayout(rows)

    def show_session(self, model: TrainedModel, session: Session) -> None:
        """Show a session's model, and what of its positions it has."""
        seen = model.at_layer(0), session.scene.surgery, session.splitting, session.order
        if seen != self._seen:  # what the map of heads shows is of these
            self.heads.show_moved(None)
            self.named = None
        self._seen = seen
        self._model, self._changes = model, changes(model)
        size = format_bytes(sum(file.size for file in model.weights))
        heads = f"{format_count(model.layers, 'layer')} of {format_count(model.n_heads, 'head')}"
        self._name.setText(model.name)
        self._about.setToolTip(wrap_tooltip(model.path))
        self._about.setText(f"{model.model_type}, trained: {size} of weights, {heads}. {_own(model)}.")
        head = session.options_of("attention").head
        self.heads.show_place(model.layers, model.n_heads, model.layer, head)
        self._place.setText(f"layer {model.layer}, {'mean of all' if head is None else f'head {head}'}")
        self._meaning.setText(
            f"Stronger colour: more of a head's attention moves {surgeries.phrase(model, session.scene.surgery)}."
        )
        with QSignalBlocker(self._positions):
            now = _words_of(session.encoding, self._changes)
            self._positions.clear()
            self._positions.addItems(list(dict.fromkeys((*self._changes, now))))
            self._positions.setCurrentText(now)

    def show_heads(self, figure: Figure) -> None:
        """Show how far the attention of each head moves, and keep the heads that have a name; nothing if the figure has none."""
        self.heads.show_moved(next((panel for panel in figure.panels if isinstance(panel, Heatmap)), None))
        self.named = next((panel for panel in figure.panels if isinstance(panel, Table)), None)

    def positions(self) -> Choices:
        """Return the list of what can be done to the positions."""
        return self._positions

    def _on_positions(self) -> None:
        chosen = self._changes.get(self._positions.currentText())
        if chosen is not None:
            self._propose(encoding=chosen)


def _own(model: TrainedModel) -> str:
    own = "No positions of its own" if model.encoding.door == "none" else model.encoding.title
    return f"{own}, up to {format_count(model.max_length, 'position')}" if model.max_length else own


def _words_of(encoding: Encoding, known: dict[str, Encoding]) -> str:
    """Return the words for an encoding; no positions are a table of zeros."""
    found = next((words for words, one in known.items() if one == encoding), "")
    return found or ("zeroed" if encoding.door == "none" and "zeroed" in known else encoding.called)
