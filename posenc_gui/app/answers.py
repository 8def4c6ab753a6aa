"""Answers: the widgets in which a lab's predictions are given, one kind each, in a narrow dock."""

from __future__ import annotations

import math
import random
import re
from collections.abc import Callable, Mapping

from PySide6.QtCore import QModelIndex, QPoint, QPointF, QRectF, QSignalBlocker, QSize, QStringListModel, Qt, Signal
from PySide6.QtGui import (
    QAbstractTextDocumentLayout,
    QColor,
    QFont,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPalette,
    QPen,
    QTextDocument,
    QTextOption,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QButtonGroup,
    QCheckBox,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QListView,
    QPlainTextEdit,
    QRadioButton,
    QSizePolicy,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from posenc_gui.app.sketch import SketchPad
from posenc_gui.labs.lab import Choice, Number, Order, Prediction, Sketch
from posenc_gui.labs.record import Answer
from posenc_gui.labs.sketch import ENOUGH, described
from posenc_gui.order import moved

Words = Callable[[str], str]  # the safe HTML of Markdown, formulas as images

_FEWEST_LETTERS, _MOST_LETTERS = 3, 10_000  # of a text
_TEXT_LINES = 5
_GAP = 6  # pixels around words
_INDENT = 22  # pixels before an option's words
_RING = 5.5  # pixels, the radius of its button
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.IGNORECASE)
_NUMBERS = "Digits, such as 0.84, −2 or 4.3e-3."


class AnswerView(QWidget):
    """Takes one prediction."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(0, 0, 0, 0)
        self.column.setSpacing(4)

    def answer(self) -> Answer | None:
        """The prediction; None while it is incomplete."""
        raise NotImplementedError

    def in_words(self) -> str:
        """The prediction as it is read, in the lab file's own words; empty while it is incomplete."""
        raise NotImplementedError

    def missing(self) -> str:
        """What is still missing, in a sentence for the user; empty where nothing is."""
        raise NotImplementedError

    def show_answer(self, answer: Answer) -> None:
        """Show a prediction that was given before."""
        raise NotImplementedError

    def freeze(self) -> None:
        """Keep the prediction as it is, still to be read."""
        raise NotImplementedError

    def renew_words(self) -> None:
        """Ask for the words again: formulas are pictures, which another theme draws in another ink."""


class ChoiceView(AnswerView):
    """One of several answers, as radio buttons."""

    def __init__(self, prediction: Choice, words: Words) -> None:
        super().__init__()
        self._options, self._words = prediction.options, words
        self._group = QButtonGroup(self)
        self._group.buttonToggled.connect(self._on_toggled)
        self._buttons: dict[str, _Option] = {}
        for name, markdown in prediction.options.items():
            button = self._buttons[name] = _Option()
            button.setAccessibleName(markdown)
            self._group.addButton(button)
            self.column.addWidget(button)
        self.renew_words()

    def answer(self) -> str | None:
        """The chosen option's name."""
        return next((name for name, button in self._buttons.items() if button.isChecked()), None)

    def in_words(self) -> str:
        """The chosen option's words."""
        return self._options.get(self.answer() or "", "")

    def missing(self) -> str:
        """That one must be chosen."""
        return "" if self.answer() else "Choose one of the answers."

    def show_answer(self, answer: Answer) -> None:
        """Choose an option; a lab that has changed since may no longer have it."""
        if isinstance(answer, str) and answer in self._buttons:
            with QSignalBlocker(self._group):
                self._buttons[answer].setChecked(True)

    def freeze(self) -> None:
        """The chosen option stays as it is: it can't be taken back, and the others can't be chosen."""
        for button in self._buttons.values():
            button.setEnabled(button.isChecked())

    def renew_words(self) -> None:
        """Ask for the options' words again."""
        for name, button in self._buttons.items():
            button.show_words(self._words(self._options[name]))

    def _on_toggled(self, button: QRadioButton, chosen: bool) -> None:
        if chosen:  # the one that was chosen before says so too
            self.changed.emit()


class NumberView(AnswerView):
    """A number, in digits."""

    def __init__(self) -> None:
        super().__init__()
        self._line = QLineEdit()
        self._line.setAccessibleName("Your number")
        self._line.setAccessibleDescription(_NUMBERS)
        self._line.setMaxLength(40)
        self._line.textEdited.connect(self._on_edited)
        self._line.editingFinished.connect(self._on_finished)
        self._hint = _label()
        self.column.addWidget(self._line)
        self.column.addWidget(self._hint)
        self._refuse(False)

    def answer(self) -> float | None:
        """The number that was written."""
        return number_in(self._line.text())

    def in_words(self) -> str:
        """The number, with a real minus sign."""
        answer = self.answer()
        return "" if answer is None else _written(answer)

    def missing(self) -> str:
        """That a number must be written, or that what was written is none."""
        if self.answer() is not None:
            return ""
        text = self._line.text().strip()
        return f"“{text}” can't be read as a number. {_NUMBERS}" if text else "Write a number, such as 0.84."

    def show_answer(self, answer: Answer) -> None:
        """Write a number."""
        if isinstance(answer, float | int):
            self._line.setText(_written(answer))

    def freeze(self) -> None:
        """The line can be read and copied."""
        self._line.setReadOnly(True)
        self._line.setFrame(False)
        self._hint.hide()

    def _on_edited(self) -> None:
        self._refuse(False)  # what is being written is not yet wrong
        self.changed.emit()

    def _on_finished(self) -> None:
        self._refuse(bool(self._line.text().strip()) and self.answer() is None)

    def _refuse(self, refused: bool) -> None:
        self._hint.setText(self.missing() if refused else _NUMBERS)
        self._hint.setObjectName("refusal" if refused else "muted")
        self._line.setProperty("refused", refused)
        for widget in (self._hint, self._line):
            widget.style().unpolish(widget)
            widget.style().polish(widget)


class OrderView(AnswerView):
    """Items in a column, which are dragged, or moved by keys and buttons, until they stand in the expected order."""

    def __init__(self, prediction: Order, words: Words) -> None:
        super().__init__()
        self._items, self._words = prediction.items, words
        self._rows = _Rows(prediction.items)
        self._rows.moved.connect(self._on_moved)
        self._rows.selectionModel().currentChanged.connect(self._enable)
        self._up, self._down = self._button("Up", -1), self._button("Down", 1)
        self._sure = QCheckBox("This order")
        self._sure.toggled.connect(self.changed)
        self._hint = _label("Drag the rows, or move them by Alt and arrow keys.")
        self._tools = QWidget()
        line = QHBoxLayout(self._tools)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(4)
        line.addWidget(self._up)
        line.addWidget(self._down)
        line.addStretch(1)
        line.addWidget(self._sure)
        self.renew_words()
        for widget in (self._rows, self._tools, self._hint):
            self.column.addWidget(widget)
        self._rows.setCurrentIndex(self._rows.model().index(0))

    def answer(self) -> tuple[str, ...] | None:
        """The items' names in their order, once someone has put them so."""
        return self._rows.names if self._sure.isChecked() else None

    def in_words(self) -> str:
        """The items' words in their order."""
        return ", ".join(self._items[name] for name in self.answer() or ())

    def missing(self) -> str:
        """That nobody has said yet that this is the order."""
        return "" if self.answer() else "Put the rows in order, or tick “This order”."

    def show_answer(self, answer: Answer) -> None:
        """Put the items in an order; a lab that has changed since may have others."""
        if isinstance(answer, tuple):
            self._rows.show_names(tuple(name for name in answer if name in self._items))
            with QSignalBlocker(self._sure):
                self._sure.setChecked(True)

    def freeze(self) -> None:
        """The rows stay where they are."""
        self._rows.frozen = True
        self._tools.hide()
        self._hint.hide()

    def renew_words(self) -> None:
        """Ask for the items' words again."""
        self._rows.show_words({name: self._words(markdown) for name, markdown in self._items.items()})

    def _button(self, text: str, step: int) -> QToolButton:
        button = QToolButton()
        button.setText(text)
        button.setProperty("framed", True)
        button.setAccessibleName(f"Move the chosen row {text.lower()}")
        button.setToolTip(f"Move the chosen row {text.lower()} (Alt+{text})")
        button.clicked.connect(lambda: self._rows.move_current(step))
        return button

    def _on_moved(self) -> None:
        with QSignalBlocker(self._sure):
            self._sure.setChecked(True)
        self._enable()
        self.changed.emit()

    def _enable(self) -> None:
        row, last = self._rows.currentIndex().row(), len(self._rows.names) - 1
        self._up.setEnabled(row > 0)
        self._down.setEnabled(0 <= row < last)


class SketchView(AnswerView):
    """What there is to do on the sketching pad, which stands where the plot will be."""

    def __init__(self) -> None:
        super().__init__()
        self._pad: SketchPad | None = None
        self._points: tuple[tuple[float, float], ...] = ()
        self._covered = 0.0
        self._frozen = False
        self._hint = _label("Draw the curve over the plot's empty axes: with the mouse, or there with the arrow keys.")
        self._clear = QToolButton()
        self._clear.setText("Clear")
        self._clear.setProperty("framed", True)
        self._clear.setAccessibleName("Clear the sketch")
        self.column.addWidget(self._hint)
        self.column.addWidget(self._clear, 0, Qt.AlignmentFlag.AlignLeft)
        self._show_state()

    def take(self, pad: SketchPad) -> None:
        """Take the sketch from this pad; one that was drawn before is shown on it."""
        self._pad = pad
        if self._points:
            pad.show_points(self._points)
        if self._frozen:
            pad.freeze()
        pad.changed.connect(self._on_drawn)
        self._clear.clicked.connect(pad.clear)

    def answer(self) -> tuple[tuple[float, float], ...] | None:
        """The curve's points."""
        return self._points or None

    def in_words(self) -> str:
        """Where the curve goes."""
        return described(self._points) if self._points else ""

    def missing(self) -> str:
        """How much of the axis must still be drawn on."""
        if self._points:
            return ""
        if not self._covered:
            return "Draw the curve in the plot, from its left edge to its right."
        return f"Draw more of the curve: it covers {self._covered:.0%} of the axis and needs {ENOUGH:.0%}."

    def show_answer(self, answer: Answer) -> None:
        """Show a curve, on the pad too."""
        if isinstance(answer, tuple):
            self._points = tuple(point for point in answer if isinstance(point, tuple))
            self._covered = 1.0
            if self._pad:
                self._pad.show_points(self._points)
            self._show_state()

    def freeze(self) -> None:
        """Nothing more is drawn or cleared."""
        self._frozen = True
        if self._pad:
            self._pad.freeze()
        self._clear.hide()
        self._hint.setText(f"Your sketch goes {described(self._points)}.")

    def _on_drawn(self) -> None:
        self._points, self._covered = self._pad.points(), self._pad.covered
        self._show_state()
        self.changed.emit()

    def _show_state(self) -> None:
        self._clear.setEnabled(self._covered > 0)


class TextView(AnswerView):
    """Words of one's own."""

    def __init__(self) -> None:
        super().__init__()
        self._edit = QPlainTextEdit()
        self._edit.setAccessibleName("Your answer")
        self._edit.setPlaceholderText("In your own words")
        self._edit.setTabChangesFocus(True)
        self._edit.setFixedHeight(_TEXT_LINES * self._edit.fontMetrics().lineSpacing() + 12)
        self._edit.textChanged.connect(self.changed)
        self.column.addWidget(self._edit)

    def answer(self) -> str | None:
        """The words."""
        return None if self.missing() else self._text()

    def in_words(self) -> str:
        """The words themselves."""
        return self.answer() or ""

    def missing(self) -> str:
        """That there are too few words, or too many to keep."""
        text = self._text()
        if len(text) > _MOST_LETTERS:
            return f"Shorten your answer to {_MOST_LETTERS:,} characters: it has {len(text):,}."
        return "" if len("".join(text.split())) >= _FEWEST_LETTERS else "Write a few words."

    def show_answer(self, answer: Answer) -> None:
        """Show words that were written before."""
        with QSignalBlocker(self._edit):
            self._edit.setPlainText(str(answer))

    def freeze(self) -> None:
        """The words can be read and copied."""
        self._edit.setReadOnly(True)

    def _text(self) -> str:
        return self._edit.toPlainText().strip()


def view_for(prediction: Prediction, words: Words) -> AnswerView:
    """The widget for a prediction; `words` makes the safe HTML of its options."""
    match prediction:
        case Choice():
            return ChoiceView(prediction, words)
        case Number():
            return NumberView()
        case Order():
            return OrderView(prediction, words)
        case Sketch():
            return SketchView()
        case _:
            return TextView()


def number_in(text: str) -> float | None:
    """The number that a text is, as people write it; None where it is none, or too large to count with."""
    plain = text.strip().replace("−", "-").replace(",", ".")
    if not _NUMBER.fullmatch(plain):
        return None
    value = float(plain)
    return value if math.isfinite(value) else None


def shuffled_names(names: tuple[str, ...]) -> tuple[str, ...]:
    """An order that tells nothing: neither the lab file's nor its reverse, and the same each time."""
    generator = random.Random("\0".join(names))
    telling = (names, names[::-1]) if len(names) > 2 else ()
    order = list(names)
    generator.shuffle(order)
    while tuple(order) in telling:
        generator.shuffle(order)
    return tuple(order)


class _Option(QRadioButton):
    """A radio button whose words are HTML and go on in the next line where they are too long."""

    def __init__(self) -> None:
        super().__init__()
        self._page = QTextDocument()
        _follow_width(self)

    def show_words(self, html: str) -> None:
        self._page = _page(html, self.font())
        self.updateGeometry()
        self.update()

    def hitButton(self, place: QPoint) -> bool:  # noqa: N802
        """A click on the words chooses too."""
        return self.rect().contains(place)

    def heightForWidth(self, width: int) -> int:  # noqa: N802
        """As high as the words are at this width."""
        return math.ceil(self._laid_out(width).size().height()) + _GAP

    def sizeHint(self) -> QSize:  # noqa: N802
        """Wide enough for most words."""
        return QSize(240, self.heightForWidth(240))

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """As narrow as the dock; the height follows from the width."""
        return QSize(80, self.fontMetrics().height())

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        """The button beside the first line, and the words."""
        palette, line = self.palette(), self.fontMetrics().height()
        accent = palette.color(QPalette.ColorRole.Highlight)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        ink = palette.color(QPalette.ColorRole.WindowText)
        _paint_page(painter, self._laid_out(self.width()), QPointF(_INDENT, _GAP / 2), ink)
        if self.hasFocus():
            painter.setPen(QPen(accent, 1))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 3, 3)
        # Fusion's own ring can hardly be seen in the dark.
        centre = QPointF(_INDENT / 2, (_GAP + line) / 2)
        painter.setPen(QPen(accent if self.isChecked() else palette.color(QPalette.ColorRole.PlaceholderText), 1.2))
        painter.drawEllipse(centre, _RING, _RING)
        if self.isChecked():
            painter.setBrush(accent)
            painter.drawEllipse(centre, _RING / 2, _RING / 2)
        painter.end()

    def _laid_out(self, width: int) -> QTextDocument:
        self._page.setTextWidth(width - _INDENT - _GAP)
        return self._page


class _Rows(QListView):
    """The items of an order. What is dragged, or moved with Alt, gives way at once."""

    moved = Signal()

    def __init__(self, items: Mapping[str, str]) -> None:
        super().__init__()
        self._items = items
        self.names = shuffled_names(tuple(items))
        self.frozen = False
        self._dragged: int | None = None
        self._pressed = QPoint()
        self._pages: dict[str, QTextDocument] = {}
        self.setAccessibleName("Rows to be put in order")
        self.setAccessibleDescription("Arrow keys choose a row, Alt and arrow keys move it.")
        self.setModel(QStringListModel(self))
        self.setItemDelegate(_RowDelegate(self))
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setResizeMode(QListView.ResizeMode.Adjust)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        _follow_width(self)
        self.show_names(self.names)

    def show_names(self, names: tuple[str, ...]) -> None:
        self.names = names
        self.model().setStringList([self._items[name] for name in names])

    def show_words(self, html: dict[str, str]) -> None:
        self._pages = {name: _page(one, self.font()) for name, one in html.items()}
        self.scheduleDelayedItemsLayout()
        self.updateGeometry()

    def page(self, row: int, width: int) -> QTextDocument:
        """The words of a row that is so wide, laid out."""
        page = self._pages[self.names[row]]
        page.setTextWidth(width - self.indent() - _GAP)
        return page

    def height_of(self, row: int, width: int) -> int:
        """The height of a row that is so wide."""
        return math.ceil(self.page(row, width).size().height()) + 2 * _GAP

    def indent(self) -> int:
        """The room for the rows' numbers."""
        return self.fontMetrics().horizontalAdvance("00") + 2 * _GAP

    def move_current(self, step: int) -> None:
        source = self.currentIndex().row()
        if source >= 0 and 0 <= source + step < len(self.names):
            self._move(source, source + step)

    def heightForWidth(self, width: int) -> int:  # noqa: N802
        """All rows are in sight."""
        inside = width - 2 * self.frameWidth()
        return sum(self.height_of(row, inside) for row in range(len(self.names))) + 2 * self.frameWidth()

    def sizeHint(self) -> QSize:  # noqa: N802
        """Wide enough for most words."""
        return QSize(240, self.heightForWidth(240))

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """As narrow as the dock; the height follows from the width."""
        return QSize(80, self.fontMetrics().height())

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Alt with an arrow key moves the current row."""
        step = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}.get(event.key())
        if step is None or not event.modifiers() & Qt.KeyboardModifier.AltModifier:
            super().keyPressEvent(event)
        elif not self.frozen:
            self.move_current(step)

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """A press chooses a row, and may begin to drag it."""
        super().mousePressEvent(event)
        self._pressed = event.position().toPoint()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """A drag moves the row to where it lies under the pointer."""
        if self.frozen or not event.buttons() & Qt.MouseButton.LeftButton:
            return
        at = event.position().toPoint()
        if self._dragged is None:
            index = self.indexAt(self._pressed)
            if not index.isValid() or (at - self._pressed).manhattanLength() < QApplication.startDragDistance():
                return
            self._dragged = index.row()
            self.setCursor(Qt.CursorShape.ClosedHandCursor)
        target = self._target(at.y())
        if target != self._dragged:
            source, self._dragged = self._dragged, target
            self._move(source, target)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """The drag ends where the row is."""
        self._dragged = None
        self.unsetCursor()
        super().mouseReleaseEvent(event)

    def _target(self, y: int) -> int:
        """The place where the dragged row would lie under the pointer, be it higher or lower than its neighbours."""
        boxes = [self.visualRect(self.model().index(row)) for row in range(len(self.names))]
        height = boxes[self._dragged].height()
        passed = [
            row
            for row, box in enumerate(boxes)
            if (row < self._dragged and y < min(box.bottom(), box.top() + height))
            or (row > self._dragged and y > max(box.top(), box.bottom() - height))
        ]
        above = [row for row in passed if row < self._dragged]
        return min(above, default=max(passed, default=self._dragged))

    def _move(self, source: int, target: int) -> None:
        self.show_names(tuple(self.names[at] for at in moved(tuple(range(len(self.names))), source, target)))
        self.setCurrentIndex(self.model().index(target))
        self.moved.emit()


class _RowDelegate(QStyledItemDelegate):
    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex) -> QSize:  # noqa: N802
        """As high as its words."""
        rows: _Rows = self.parent()
        width = rows.viewport().width()
        return QSize(width, rows.height_of(index.row(), width))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex) -> None:
        """Its place in the order, and its words; a frame around the chosen one."""
        rows: _Rows = self.parent()
        palette, box = option.palette, QRectF(option.rect).adjusted(1.5, 1.5, -1.5, -1.5)
        chosen = bool(option.state & QStyle.StateFlag.State_Selected) and not rows.frozen
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(palette.color(QPalette.ColorRole.Highlight if chosen else QPalette.ColorRole.Mid), 1))
        painter.drawRoundedRect(box, 4, 4)
        painter.setPen(palette.color(QPalette.ColorRole.PlaceholderText))
        number = QRectF(box.left(), box.top() + _GAP - 1.5, rows.indent() - _GAP, rows.fontMetrics().height())
        painter.drawText(number, Qt.AlignmentFlag.AlignRight, str(index.row() + 1))
        words = QPointF(option.rect.left() + rows.indent(), option.rect.top() + _GAP)
        _paint_page(painter, rows.page(index.row(), option.rect.width()), words, palette.color(QPalette.ColorRole.Text))
        painter.restore()


def _follow_width(widget: QWidget) -> None:
    """Let a widget take the width that there is, and the height that its words then need."""
    policy = QSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
    policy.setHeightForWidth(True)
    widget.setSizePolicy(policy)


def _page(html: str, font: QFont) -> QTextDocument:
    """Words to be painted. Lines break inside of words that are wider than a line, which labels can't do."""
    page = QTextDocument()
    page.setDocumentMargin(0)
    page.setDefaultFont(font)
    page.setDefaultStyleSheet("p { margin: 0; }")
    page.setHtml(html)
    lines = QTextOption()
    lines.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
    page.setDefaultTextOption(lines)
    return page


def _paint_page(painter: QPainter, page: QTextDocument, place: QPointF, ink: QColor) -> None:
    context = QAbstractTextDocumentLayout.PaintContext()
    context.palette.setColor(QPalette.ColorRole.Text, ink)
    painter.save()
    painter.translate(place)
    page.documentLayout().draw(painter, context)
    painter.restore()


def _written(value: float) -> str:
    return f"{value:.12g}".replace("-", "−")


def _label(text: str = "") -> QLabel:
    label = QLabel(text, wordWrap=True)
    label.setObjectName("muted")
    label.setTextFormat(Qt.TextFormat.PlainText)
    return label
