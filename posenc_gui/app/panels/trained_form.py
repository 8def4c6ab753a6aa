"""A model that has learned: what it is, the layer that is seen, and what is done to its positions."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QFormLayout, QHBoxLayout, QSpinBox, QVBoxLayout, QWidget

from posenc_gui.app.widgets.controls import Choices, elided_label, plain_label, tool_button
from posenc_gui.attention.trained_model import TrainedModel
from posenc_gui.encodings.base import Encoding
from posenc_gui.foundation.wording import format_bytes, format_count
from posenc_gui.measures.surgery import changes
from posenc_gui.session.session import Session

_BACK = "Back to the toy model"
_POSITIONS = "What is done to the model's positions, in all of its layers"


class TrainedForm(QWidget):
    """The form in the place of an encoding's choice, which a model that has learned doesn't leave."""

    left = Signal()  # the toy model is wanted again

    def __init__(self, propose: Callable[..., str]) -> None:
        super().__init__()
        self._propose = propose
        self._model: TrainedModel | None = None
        self._changes: dict[str, Encoding] = {}
        self._name, self._about = elided_label(), plain_label("", "muted")
        self._back = tool_button(
            _BACK, hint="The toy model and the encoding of a first start; Undo brings this model back"
        )
        self._back.clicked.connect(self.left)
        self._layer = QSpinBox()
        self._layer.setAccessibleName("Layer")
        self._layer.setKeyboardTracking(False)
        self._layer.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._layer.valueChanged.connect(self._on_layer)
        self._positions = Choices("Positions")
        self._positions.setAccessibleDescription(_POSITIONS)
        self._positions.activated.connect(self._on_positions)
        head = QHBoxLayout()
        head.addWidget(self._name, 1)
        head.addWidget(self._back)
        rows = QFormLayout()
        rows.setContentsMargins(0, 0, 0, 0)
        rows.addRow("Layer", self._layer)
        rows.addRow("Positions", self._positions)
        rows.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addLayout(head)
        column.addWidget(self._about)
        column.addLayout(rows)

    def show_session(self, model: TrainedModel, session: Session) -> None:
        """Show a session's model, and what of its positions it has."""
        self._model, self._changes = model, changes(model)
        size = format_bytes(sum(file.size for file in model.weights))
        heads = f"{format_count(model.layers, 'layer')} of {format_count(model.n_heads, 'head')}"
        self._name.setText(model.name)
        self._about.setText(f"{model.model_type}, trained: {size} of weights, {heads}. {_own(model)}.")
        with QSignalBlocker(self._layer), QSignalBlocker(self._positions):
            self._layer.setMaximum(model.layers - 1)
            self._layer.setValue(model.layer)
            now = _words_of(session.encoding, self._changes)
            self._positions.clear()
            self._positions.addItems(list(dict.fromkeys((*self._changes, now))))
            self._positions.setCurrentText(now)

    def layer(self) -> QSpinBox:
        """Return the field of the layer."""
        return self._layer

    def positions(self) -> Choices:
        """Return the list of what can be done to the positions."""
        return self._positions

    def _on_layer(self, layer: int) -> None:
        if self._model:
            self._propose(model=self._model.at_layer(layer))

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
