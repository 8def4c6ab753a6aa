"""Find anything: a field in a panel over the window, rows, the answer to a question; and the button that opens it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFocusEvent, QIcon, QKeyEvent, QKeySequence, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QApplication, QFrame, QPushButton, QSizePolicy, QWidget

from posenc_gui.app.widgets.aloud import announce
from posenc_gui.app.widgets.controls import LineField, in_column, layout_height, plain_label
from posenc_gui.app.widgets.icons import icon
from posenc_gui.app.widgets.style_sheet import scaled
from posenc_gui.app.widgets.theme import THEME
from posenc_gui.app.window.answer_block import AnswerBlock
from posenc_gui.app.window.found_rows import FoundRows
from posenc_gui.foundation.theme import BAR, BLACK, GAP, PADDING, SMALL

if TYPE_CHECKING:
    from posenc_gui.app.state.fuzzy_search import SearchEntry

_KEYS = QKeySequence("Ctrl+K")
_PAGE = 10  # rows
_LEAST, _WIDTH = 100, 232  # pixels of the button
_PANEL, _LEAST_ROWS = 640, 120  # pixels: the panel's width, and the least height of rows below an answer
_SHADE = 0.3  # how dark the window is below the panel
_LONGEST = 300  # characters that can be typed
_MOVES = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1, Qt.Key.Key_PageDown: _PAGE, Qt.Key.Key_PageUp: -_PAGE}
_WHAT = (
    "parameters and their values, actions, settings, plots, encodings, models, exports, sentences and labs; two to compare, as "
    "“rope vs alibi”; or ask: does RoPE tell the two “the” apart?"
)
_ANSWER = -1  # the place of the answer, above the first row


class CommandPalette(LineField):
    """The search field. Typing shows results, arrow keys choose one, Enter runs it, Escape returns the focus."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(placeholderText="Find anything, or ask", maxLength=_LONGEST)
        self._findables: Callable[[], Sequence[SearchEntry]] | None = None  # until they are loaded
        self._comparisons: Callable[[str], Sequence[SearchEntry]] = lambda _typed: ()
        self.all: Sequence[SearchEntry] = ()  # what could be found when it was opened
        self._found: Sequence[SearchEntry] = ()
        self.at: int | None = None  # the chosen row, or the answer; None while nothing is chosen
        self._said = ""
        self._has_moved = False  # whether another one than the first was chosen
        self._before: QWidget | None = None
        self.setAccessibleName("Find anything")
        self.answer = AnswerBlock()
        self.answer.changed.connect(self._show)
        self.answer.pressed.connect(lambda: self._on_clicked(_ANSWER))
        self.rows = FoundRows()
        self.rows.itemClicked.connect(lambda item: self._on_clicked(self.rows.place_of(item)))
        self.told = plain_label("", "muted")
        self.told.setContentsMargins(scaled(SMALL), scaled(SMALL), scaled(SMALL), scaled(SMALL))
        self.over = _Over(window, self)
        self.button = FindButton()
        self.button.clicked.connect(self.begin)
        self.over.pressed_beside.connect(self._end)
        self.textEdited.connect(self._find)
        self._icon = self.addAction(QIcon(), LineField.ActionPosition.LeadingPosition)
        THEME.changed.connect(self._draw_icon)
        self._draw_icon()

    def load(
        self, findables: Callable[[], Sequence[SearchEntry]], comparisons: Callable[[str], Sequence[SearchEntry]]
    ) -> None:
        """Find these from now on, and what is already typed: everything by name, and the comparisons that are typed."""
        self._findables, self._comparisons = findables, comparisons
        if self.over.isVisible():
            self.all = findables()
            self._find(self.text())

    def begin(self) -> None:
        """Open the panel, and remember what had the focus."""
        if not self.over.isVisible():
            self._before = QApplication.focusWidget()
            self.all = self._findables() if self._findables else ()
            self.clear()
            self.over.show()
            self._find("")
        self.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.selectAll()

    def _draw_icon(self) -> None:
        self._icon.setIcon(icon("search", THEME.roles.ink))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the field, with the key that closes it at the right."""
        super().paintEvent(event)
        _write_at_right(self, "Esc")

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Close the panel when the focus leaves for another part of the window."""
        super().focusOutEvent(event)
        if event.reason() not in (Qt.FocusReason.PopupFocusReason, Qt.FocusReason.ActiveWindowFocusReason):
            self.over.hide()

    def focusNextPrevChild(self, forward: bool) -> bool:
        """Let Tab move through the results, too."""
        self._move(1 if forward else -1)
        return True

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move through the results, run one, or return."""
        key = Qt.Key(event.key())
        if key in _MOVES:
            self._move(_MOVES[key])
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._do()
        elif key == Qt.Key.Key_Escape:
            self._end()
        else:
            super().keyPressEvent(event)

    def _find(self, typed: str) -> None:
        from posenc_gui.app.state.fuzzy_search import search_by_heading  # not needed for the first paint

        self._found = [*self._comparisons(typed)] or search_by_heading(typed, self.all)
        self._has_moved = False
        self.answer.ask(typed)
        self._show()

    def _show(self) -> None:
        """Show what was found, below the answer if there is one; the first is chosen unless another one was, but nothing while a
        question waits for its answer."""
        from posenc_gui.app.state.fuzzy_search import asked_words, is_question

        answered, typed = not self.answer.isHidden(), self.text()
        found = [*(self.answer.others if answered else ()), *self._found]
        chosen = self.rows.found[self.at] if self._has_moved and self.at is not None and self.at >= 0 else None
        self.rows.show_rows(found, asked_words(typed))
        self.told.setText("" if found or answered else self._nothing(typed))
        self.told.setHidden(bool(found) or answered)
        self.over.fit()
        begins_lab = bool(found) and found[0].kind == "Labs" and is_question(typed)
        nothing = self.answer.waits or (not answered and (begins_lab or not found))
        first = None if nothing else _ANSWER if answered else 0
        self._choose(found.index(chosen) if chosen in found else first)

    def _nothing(self, typed: str) -> str:
        if self._findables is None:
            return "Loading torch …"
        return f"Nothing found. There are {_WHAT}" if typed.strip() else f"{_WHAT[0].upper()}{_WHAT[1:]}"

    def _move(self, by: int) -> None:
        first = 0 if self.answer.isHidden() else _ANSWER
        if self.rows.found or first == _ANSWER:
            self._has_moved = True
            at = first + min(by, 1) - 1 if self.at is None else self.at + by
            self._choose(max(first, min(at, len(self.rows.found) - 1)))

    def _choose(self, at: int | None) -> None:
        self.at = at
        self.answer.mark(at == _ANSWER)
        self.rows.choose(-1 if at is None else at)
        words = self.told.text() if at is None else self.answer.spoken if at == _ANSWER else self.rows.told(at)
        if words != self._said:  # other ways to ask come one by one
            announce(self, words)
        self._said = words

    def _on_clicked(self, at: int | None) -> None:
        if at is not None:
            self.at = at
            self._do()

    def _do(self) -> None:
        at = self.at
        if self.over.isVisible() and at is not None:
            run = self.answer.show_it if at == _ANSWER else self.rows.found[at].run
            self._end()
            run()

    def _end(self) -> None:
        before, self._before = self._before, None
        if before and before.isVisible():
            before.setFocus(Qt.FocusReason.OtherFocusReason)
        else:
            self.clearFocus()
        self.over.hide()


class _Over(QWidget):
    """Darkens the window, with the panel in its upper middle; hidden until it is wanted."""

    pressed_beside = Signal()

    def __init__(self, window: QWidget, field: CommandPalette) -> None:
        super().__init__(window)
        self._window, self._rows = window, field.rows
        self.panel = QFrame(self)
        self.panel.setObjectName("found")
        field.answer.hide()
        around = scaled(SMALL)
        self._column = in_column(field, field.answer, field.told, field.rows, of=self.panel, gap=around, around=around)
        window.installEventFilter(self)
        self.hide()

    def fit(self) -> None:
        """Cover the window, and give the panel the height of what it shows, as far as there is room."""
        self.setGeometry(self._window.rect())
        self.raise_()
        width = min(scaled(_PANEL), self.width() - 2 * GAP)
        top, rows = scaled(BAR) + scaled(GAP), self._rows
        rows.setVisible(rows.count() > 0)
        rows.setFixedHeight(0)
        others = layout_height(self._column, width)
        rows.setFixedHeight(min(rows.wanted_height, max(scaled(_LEAST_ROWS), self.height() - top - PADDING - others)))
        self.panel.setGeometry((self.width() - width) // 2, top, width, layout_height(self._column, width))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow the window's size."""
        if event.type() == QEvent.Type.Resize and self.isVisible():
            self.fit()
        return super().eventFilter(watched, event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Darken the window."""
        shade = QColor(BLACK)
        shade.setAlphaF(_SHADE)
        QPainter(self).fillRect(self.rect(), shade)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """A press beside the panel closes it."""
        if not self.panel.geometry().contains(event.position().toPoint()):
            self.pressed_beside.emit()


class FindButton(QPushButton):
    """Looks like a field, with the shortcut at its right, and opens Find."""

    def __init__(self) -> None:
        super().__init__("Find anything")
        self.setObjectName("find")
        self.setToolTip(f"Find {_WHAT} (Ctrl+K)")
        self.setMinimumWidth(_LEAST)
        self.setMaximumWidth(_WIDTH)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        THEME.changed.connect(self._draw_icon)
        self._draw_icon()

    def _draw_icon(self) -> None:
        self.setIcon(icon("search", THEME.roles.muted))

    def sizeHint(self) -> QSize:
        """Return the full width, which a narrow window reduces."""
        return QSize(_WIDTH, super().sizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the button, with the shortcut where there is room."""
        super().paintEvent(event)
        _write_at_right(self, _KEYS.toString(QKeySequence.SequenceFormat.NativeText).replace("+", " "))


def _write_at_right(field: QWidget, words: str) -> None:
    """Write muted words at the right of a field, if there is room beside what it is for."""
    metrics = field.fontMetrics()
    if 2 * field.height() + metrics.horizontalAdvance(f"Find anything {words}") <= field.width():
        painter = QPainter(field)
        painter.setPen(field.palette().placeholderText().color())
        room = field.rect().adjusted(0, 0, -scaled(GAP), 0)
        painter.drawText(room, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, words)
