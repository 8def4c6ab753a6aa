"""A model that has learned: what it is, the layer that is seen, the map of its heads, and what is done to its positions."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPoint, QRect, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetrics,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QFormLayout, QSizePolicy, QToolTip, QWidget

from posenc_gui.app.widgets.controls import Choices, add_to, elided_label, explain, in_column, in_row, plain_label
from posenc_gui.app.widgets.style_sheet import font_like, scaled
from posenc_gui.app.widgets.theme import THEME
from posenc_gui.attention.trained_model import DOORS, TrainedModel
from posenc_gui.encodings.base import Encoding, RotationEncoding
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panels import Heatmap, Table
from posenc_gui.foundation.theme import CAPTION, SMALL
from posenc_gui.foundation.wording import format_bytes, format_count, join_words
from posenc_gui.measures.surgery import changes
from posenc_gui.render.layout.colour_scales import colours_of
from posenc_gui.scene import surgeries
from posenc_gui.scene.scene import Scene
from posenc_gui.session.session import Session

_POSITIONS = "What is done to the model's positions, in all of its layers"
_STEPS = {Qt.Key.Key_Left: (0, -1), Qt.Key.Key_Right: (0, 1), Qt.Key.Key_Up: (-1, 0), Qt.Key.Key_Down: (1, 0)}
_ROW, _LOWEST_ROW = 18, 5  # pixels of a layer
_HIGHEST = 216  # pixels of all layers
_GAP_FROM = 8  # pixels of a cell from which cells stand apart


class TrainedForm(QWidget):
    """The form in the place of an encoding's choice, which a model that has learned doesn't leave."""

    def __init__(self, propose: Callable[..., str]) -> None:
        super().__init__()
        self._propose = propose
        self._model: TrainedModel | None = None
        self._seen: tuple[object, ...] | None = None  # what the map of heads is of
        self._changes: dict[str, Encoding] = {}
        self._told = ""
        self._name, self._about = elided_label(), plain_label("", "muted")
        self.heads = HeadMap()
        self.named: Table | None = None  # the heads by what they look at
        self._place = plain_label("", "muted", wraps=False)
        self._meaning = plain_label("", "muted")
        self.positions = Choices("Positions")
        self.positions.setAccessibleDescription(_POSITIONS)
        self.positions.activated.connect(self._on_positions)
        rows = QFormLayout()
        rows.setContentsMargins(0, 0, 0, 0)
        rows.addRow("Positions", self.positions)
        rows.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        column = in_column(self._name, self._about, of=self)
        title = plain_label("Layer and head", "strong", wraps=False)
        self._of_heads = QWidget()
        in_row(title, self._place, grows=title, of=self._of_heads)
        add_to(column, self._of_heads, self.heads, self._meaning, rows)

    def show_session(self, model: TrainedModel, session: Session) -> None:
        """Show a session's model, and what of its positions it has."""
        seen = model.at_layer(0), Scene(session).surgery, session.splitting, session.order
        if seen != self._seen:  # what the map of heads shows is of these
            self.heads.show_moved(None)
            self.named = None
        self._seen = seen
        self._model, self._changes = model, changes(model)
        size = format_bytes(sum(file.size for file in model.weights))
        heads = f"{format_count(model.layers, 'layer')} of {format_count(model.n_heads, 'head')}"
        self._name.setText(model.name)
        explain(self._about, model.path)
        self._told = f"{model.model_type}, trained: {size} of weights, {heads}. {_own(model)}.{_here(model)}"
        self._about.setText(self._told)
        head = session.options_of("attention").head
        self.heads.show_place(model.layers, model.n_heads, model.layer, head)
        self._place.setText(f"layer {model.layer}, {'mean of all' if head is None else f'head {head}'}")
        self._meaning.setText(
            f"Stronger colour: more of a head's attention moves {surgeries.phrase(model, Scene(session).surgery)}."
        )
        with QSignalBlocker(self.positions):
            now = _words_of(session.encoding, self._changes)
            self.positions.clear()
            self.positions.addItems(list(dict.fromkeys((*self._changes, now))))
            self.positions.setCurrentText(now)

    def show_why_not(self, why: str) -> None:
        """Say in the place of what was told of the model why it can't be seen; its layers aren't shown then."""
        self._about.setText(why or self._told)
        for told in (self._of_heads, self.heads, self._meaning):
            told.setHidden(bool(why))

    def show_heads(self, figure: Figure) -> None:
        """Show how far the attention of each head moves, and keep the heads that have a name; nothing if the figure has none."""
        self.heads.show_moved(next((panel for panel in figure.panels if isinstance(panel, Heatmap)), None))
        self.named = next((panel for panel in figure.panels if isinstance(panel, Table)), None)

    def _on_positions(self) -> None:
        chosen = self._changes.get(self.positions.currentText())
        if chosen is not None:
            self._propose(encoding=chosen)


def _own(model: TrainedModel) -> str:
    own = "No positions of its own" if model.encoding.door == "none" else model.encoding.title
    if model.beside:
        own = f"{own} beside {join_words(DOORS[door] for door in model.beside)}"
    goes = "up to" if model.encoding.door == "input" else "trained on"  # a table has no more rows, all else goes on
    if not model.max_length:
        return own
    length, encoding = format_count(model.max_length, "position"), model.encoding
    if isinstance(encoding, RotationEncoding) and encoding.trained_length_may_be_after:
        return f"{own}, {length} before or after the scaling"
    return f"{own}, {goes} {length}"


def _here(model: TrainedModel) -> str:
    told = model.of_layer
    return f" {told[0].upper()}{told[1:]}." if told else ""


def _words_of(encoding: Encoding, known: dict[str, Encoding]) -> str:
    """Return the words for an encoding; no positions are a table of zeros."""
    found = next((words for words, one in known.items() if one == encoding), "")
    return found or ("zeroed" if encoding.door == "none" and "zeroed" in known else encoding.called)


class HeadMap(QWidget):
    """A map with a row for each layer and a column for each head; the head in focus has a frame. Until the numbers are known
    the cells are empty, and can be pressed all the same."""

    chosen = Signal(int, int)  # layer and head

    def __init__(self) -> None:
        super().__init__()
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self._layers = self._heads = 1
        self._layer, self._head = 0, -1
        self.moved: Heatmap | None = None
        self._say()

    def show_place(self, layers: int, heads: int, layer: int, head: int | None) -> None:
        """Show which layer is seen, and which head, if it is one."""
        if (layers, heads) != (self._layers, self._heads):
            self._layers, self._heads, self.moved = layers, heads, None
            self.updateGeometry()
        self._layer, self._head = layer, -1 if head is None else head
        self._say()

    def show_moved(self, moved: Heatmap | None) -> None:
        """Show how far each head's attention moves, (layers, heads); None while that isn't known."""
        fits = moved is not None and moved.values.shape == (self._layers, self._heads)
        self.moved = moved if fits else None
        self._say()

    def cell(self, layer: int, head: int) -> QRect:
        """Return where a head is drawn."""
        left, top = self._margins
        width, height = self.width() - left, self._row
        x, end = (left + width * at // self._heads for at in (head, head + 1))
        return QRect(x, top + layer * height, max(1, end - x), height)

    def sizeHint(self) -> QSize:
        """Return the height of all layers below the numbers of the heads."""
        return QSize(0, self._margins[1] + self._layers * self._row + 1)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose the head under the mouse."""
        found = self._at(event.position().toPoint())
        if found and event.button() == Qt.MouseButton.LeftButton:
            self.setFocus(Qt.FocusReason.MouseFocusReason)
            self.chosen.emit(*found)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Walk to the head beside."""
        step = _STEPS.get(Qt.Key(event.key()))
        if step is None:
            super().keyPressEvent(event)
            return
        down, right = step if self._head >= 0 else (0, 1)
        layer, head = self._layer + down, self._head + right
        if 0 <= layer < self._layers and 0 <= head < self._heads:
            self.chosen.emit(layer, head)

    def event(self, event: object) -> bool:
        """Tell the number of the head under the mouse."""
        if isinstance(event, QHelpEvent):
            found = self._at(event.pos())
            QToolTip.showText(event.globalPos(), self._told(*found) if found else "", self)
            return True
        return super().event(event)  # type: ignore[arg-type]

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Draw the cells at their new widths."""
        super().resizeEvent(event)
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the cells, the numbers beside them, and a frame around the head in focus."""
        painter, theme = QPainter(self), THEME.roles
        painter.setFont(self._small)
        colours = None if self.moved is None else colours_of(self.moved, theme)
        for layer in range(self._layers):
            for head in range(self._heads):
                place = self.cell(layer, head)
                apart = 1 if min(place.width(), place.height()) >= _GAP_FROM else 0
                ground = QColor(theme.sunk) if colours is None else QColor(*map(int, colours[layer, head]))
                painter.fillRect(place.adjusted(0, 0, -apart, -apart), ground)
        left, top = self._margins
        metrics = QFontMetrics(painter.font())
        for layer in self._numbered(self._layers, self._row, metrics.height(), self._layer):
            place = QRect(0, top + layer * self._row, left - scaled(SMALL), self._row)
            self._write(painter, place, layer, layer == self._layer, Qt.AlignmentFlag.AlignRight)
        width = (self.width() - left) / self._heads
        for head in self._numbered(self._heads, width, metrics.horizontalAdvance("000"), self._head):
            middle = self.cell(0, head).center().x()
            self._write(
                painter, QRect(middle - 20, 0, 40, top), head, head == self._head, Qt.AlignmentFlag.AlignHCenter
            )
        painter.setPen(QPen(QColor(theme.focus), 2))
        if self._head >= 0:
            painter.drawRect(self.cell(self._layer, self._head).adjusted(0, 0, -1, -1))
        elif self.hasFocus():
            painter.drawRect(self.cell(self._layer, 0).united(self.cell(self._layer, self._heads - 1)))
        painter.end()

    @staticmethod
    def _write(painter: QPainter, place: QRect, number: int, in_focus: bool, side: Qt.AlignmentFlag) -> None:
        painter.setPen(QColor(THEME.roles.focus if in_focus else THEME.roles.muted))
        painter.drawText(place, side | Qt.AlignmentFlag.AlignVCenter, str(number))

    @staticmethod
    def _numbered(count: int, size: float, needed: float, focus: int) -> list[int]:
        """Return the rows or columns whose number has room: every so many, and that in focus in place of those beside it."""
        every = max(1, -int(-needed // size))
        among = [at for at in range(0, count, every) if focus < 0 or abs(at - focus) >= every]
        return [*among, focus] if focus >= 0 else among

    @property
    def _row(self) -> int:
        return max(_LOWEST_ROW, min(scaled(_ROW), scaled(_HIGHEST) // self._layers))

    @property
    def _margins(self) -> tuple[int, int]:
        metrics = QFontMetrics(self._small)
        return metrics.horizontalAdvance(str(self._layers - 1)) + scaled(2 * SMALL), metrics.height()

    @property
    def _small(self) -> QFont:
        return font_like(self.font(), CAPTION)

    def _at(self, point: QPoint) -> tuple[int, int] | None:
        _, top = self._margins
        layer = (point.y() - top) // self._row
        heads = (
            head for head in range(self._heads) if self.cell(0, head).left() <= point.x() <= self.cell(0, head).right()
        )
        head = next(heads, None)
        return None if head is None or not 0 <= layer < self._layers else (layer, head)

    def _told(self, layer: int, head: int) -> str:
        where = f"Layer {layer}, head {head}"
        return where if self.moved is None else f"{where}: {self.moved.values[layer, head]:.2f} of its attention moves"

    def _say(self) -> None:
        at = f"layer {self._layer}, mean of all heads" if self._head < 0 else self._told(self._layer, self._head)
        self.setAccessibleName(f"Layer and head: {at}")
        self.update()
