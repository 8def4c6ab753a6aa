"""The formula of one's own encoding: the field in which it is typed, what is wrong with it and where, and what it starts from."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from html import escape
from typing import Any, cast

from PySide6.QtCore import QEvent, QMimeData, QPointF, QSignalBlocker, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontDatabase,
    QGuiApplication,
    QHelpEvent,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QPen,
    QSyntaxHighlighter,
    QTextCharFormat,
    QTextCursor,
    QWheelEvent,
)
from PySide6.QtWidgets import QMenu, QToolButton, QToolTip, QWidget
from superqt import QFlowLayout

from posenc_gui import encodings
from posenc_gui.app.state.recent_formulas import RecentFormulas
from posenc_gui.app.widgets.aloud import Announcer
from posenc_gui.app.widgets.controls import (
    TextField,
    delayed,
    discard,
    escape_mnemonics,
    explain,
    in_column,
    in_row,
    plain_label,
    redoes,
    rich_label,
    show_words,
    tool_button,
    wrap_tooltip,
)
from posenc_gui.app.widgets.icons import icon
from posenc_gui.app.widgets.menu_button import MenuButton
from posenc_gui.app.widgets.style_sheet import font_like, scaled
from posenc_gui.app.widgets.theme import THEME
from posenc_gui.encodings.base import Door, Encoding
from posenc_gui.encodings.common.typed.latex import as_latex
from posenc_gui.encodings.common.typed.program import Fault, Program
from posenc_gui.encodings.common.typed.reading import LONGEST, read
from posenc_gui.encodings.common.typed.symbols import WORDS, Sizes, explained, meaning, symbols
from posenc_gui.foundation.errors import Undefined, describe_error
from posenc_gui.foundation.theme import CAPTION, TIGHT
from posenc_gui.foundation.unicode_text import shorten_middle
from posenc_gui.scene.caption import changed_words
from posenc_gui.session.session import Session

_FEWEST, _MOST = 2, 6  # lines of the field, as wrapped, before it scrolls
_MOST_HELD = 2 * LONGEST  # characters; more are refused before they are in the field, which they would slow down
_PAUSE = 400  # milliseconds without a key press, after which is said what is wrong
_WAVE = 2  # pixels of half a wave under a fault
_LONGEST_NAME = 40  # characters of a formula in a menu
_STILL = "Until this can be read, the formula before stays."
_OPERATORS = "+ − · / ^ mod, sin cos exp log sqrt abs floor …"
_COLOURED = re.compile(r"#.*|\b(?:m|n|pos)\b")
_DOORS: dict[Door, str] = {"input": "At the input", "rotation": "By rotation", "score": "At the score"}


class FormulaEditor(QWidget):
    """What one's own encoding is typed in. Each text that can be read is proposed; of any other it is said what is wrong."""

    told = Signal(str)  # what is wrong; empty if nothing is

    def __init__(self, propose: Callable[[Encoding], str], formulas: RecentFormulas, of: str = "") -> None:
        super().__init__()
        self._propose, self._formulas = propose, formulas
        self._shown = self._typed = ""  # the session's formula, and what the field holds
        self._fault: Fault | None = None
        self._undefined: Fault | None = None  # of the session's formula
        self._refused = ""
        self._as_used: dict[str, Encoding] = {}  # built-in encodings as they stood last
        self._program: Program | None = None
        self._own: Encoding | None = None
        self._sizes = Sizes(1, 1, 1, 1)
        title = f"Formula{of}"
        self.field = FormulaField(title, self._meaning, self._tell)
        self.field.textChanged.connect(self._on_text)
        self.start_from = MenuButton("Start from", hint="Write an encoding as a formula, and change it from there")
        self.start_from.menu().aboutToShow.connect(self._fill_menu)
        self._refusal = plain_label(name="refusal")
        self._readings, self._buttons = QWidget(), list[QToolButton]()
        self._choices = QFlowLayout(self._readings)
        self._choices.setContentsMargins(0, 0, 0, 0)
        self._aloud = Announcer(self.field)
        self._pause = delayed(self, lambda: self._tell(self._fault), _PAUSE)
        self.copy = tool_button("", "Copy as LaTeX", hint="Copy the formula as LaTeX", does=self._copy)
        self.symbols, operators = rich_label("muted"), plain_label(_OPERATORS, "muted")
        explain(operators, "\n".join(f"{name}: {told}" for name, told in WORDS.items()))
        self.hints = QWidget()
        in_column(self.symbols, operators, of=self.hints, gap=0)
        head = in_row(plain_label(title, "cardTitle", wraps=False), None, self.start_from)
        in_column(head, self.field, self._refusal, self._readings, of=self, gap=TIGHT)
        self._restyle()
        THEME.changed.connect(self._restyle)

    def show_encoding(self, encoding: Encoding, session: Session, n_tokens: int) -> None:
        """Show a session's formula, unless it was typed here. A text that can't be read stays until there is another formula."""
        if encoding.built_in:
            self._as_used[encoding.name] = encoding
            if self._fault:
                self.take_back()
            return
        text: str = getattr(encoding, "formula")  # noqa: B009  # one of three classes
        is_other, self._shown = text != self._shown, text
        if is_other:
            self._undefined = None
        model, length = session.model, session.start + n_tokens
        self._sizes = Sizes(length, model.d_model, model.n_heads, model.head_width, session.start)
        self._program, self._own = read(text), encoding
        self._show_symbols()
        if is_other and text != self._typed:
            self.take_back()

    def take_back(self) -> None:
        """Replace what can't be read by the session's formula."""
        if self._typed != self._shown:
            self._typed = self._shown
            at = self.field.textCursor().position()
            with QSignalBlocker(self.field):
                self.field.setPlainText(self._shown)
            cursor = self.field.textCursor()
            cursor.setPosition(min(at, self.field.document().characterCount() - 1))
            self.field.setTextCursor(cursor)
        self._pause.stop()
        self._fault = None
        self._tell(None)

    def put(self, text: str) -> None:
        """Replace the whole text, as if it were typed."""
        self.field.setFocus()
        cursor = self.field.textCursor()
        cursor.select(QTextCursor.SelectionType.Document)
        cursor.insertText(text)
        self.field.setTextCursor(cursor)
        self._pause.stop()
        self._tell(self._fault)

    def refusal(self) -> str:
        """Return why the text can't be read; empty if it can."""
        return self._refused

    def show_undefined(self, why: Fault | None) -> None:
        """Show where the session's formula has no values, while the text is this formula."""
        if why != self._undefined:
            self._undefined = why
            self._tell(self._fault)

    def _on_text(self) -> None:
        text = self.field.toPlainText()
        if text == self._typed:  # its colours alone have changed
            return
        self._typed, self._fault = text, None
        try:
            read(text)
            if why := self._propose(cast(Any, type(self._own))(formula=text)):
                self._fault = Fault(why, -1, -1)
        except ValueError as error:
            self._fault = error if isinstance(error, Fault) else Fault(describe_error(error), -1, -1)
        if self._fault:
            self._pause.start()  # who types on sees none of the faults on the way
        else:
            self._pause.stop()
            self._tell(None)

    def _tell(self, fault: Fault | None) -> None:
        """Say what is wrong and mark where, or that nothing is."""
        still = f" {_STILL}" if self._fault else ""  # what wasn't let in isn't there to be read
        self._refused = f"{fault.sentence}{still}" if fault else ""
        fault = fault or self._undefined
        told = self._refused or (fault.sentence if fault else "")
        show_words(self._refusal, told)
        self.field.mark(fault)
        self.field.setAccessibleDescription(told)
        self._aloud.say(told)
        for button in self._buttons:
            self._choices.removeWidget(button)
            discard(button)
        readings = fault.readings if fault else ()
        self._buttons = [tool_button(words, framed=True, does=partial(self.put, text)) for words, text in readings]
        for button in self._buttons:
            self._choices.addWidget(button)
        self._readings.setVisible(bool(readings))
        self.told.emit(self._refused)

    def _meaning(self, name: str) -> str:
        return meaning(self._program, self._sizes, name) if self._program else ""

    @property
    def explained(self) -> str:
        """What each name in the formula means, a line each."""
        return explained(self._program, self._sizes) if self._program else ""

    def _show_symbols(self) -> None:
        if self._program:
            known = symbols(self._program, self._sizes)
            at, blue = {"m", "n"}, f'<b style="color: {THEME.roles.focus}">%s</b>'
            words = (f"{blue % name if name in at else name} {escape(told)}" for name, told in known)
            self.symbols.setText(" &nbsp; ".join(f"<nobr>{one}</nobr>" for one in words))

    def _copy(self) -> None:
        if self._program:
            QGuiApplication.clipboard().setText(as_latex(self._program))

    def _restyle(self) -> None:
        self.copy.setIcon(icon("copy", THEME.roles.muted))
        self._show_symbols()
        self._tell(self._fault)

    def _fill_menu(self) -> None:
        menu = self.start_from.menu()
        for former in menu.findChildren(QMenu):
            former.deleteLater()
        menu.clear()
        for door, title in _DOORS.items():
            self._fill(menu.addMenu(title), door)
        recent = menu.addMenu("Recent formulas")
        recent.setEnabled(bool(self._formulas.texts))
        recent.setToolTipsVisible(True)
        for text in self._formulas.texts:
            first = shorten_middle(text.strip().partition("\n")[0], _LONGEST_NAME)
            action = recent.addAction(escape_mnemonics(first), partial(self.put, text))
            action.setToolTip(wrap_tooltip(text))

    def _fill(self, menu: QMenu, door: Door) -> None:
        """List the encodings that come in at a door; those that no formula says can't be chosen, and tell why."""
        menu.setToolTipsVisible(True)
        for name, cls in encodings.classes().items():
            if cls.door == door:
                one = self._as_used.get(name) or cls()
                action = menu.addAction(escape_mnemonics(", ".join((cls.title, *changed_words(one)))))
                try:
                    text = one.typed()
                except Undefined as why:
                    action.setEnabled(False)
                    action.setToolTip(wrap_tooltip(str(why)))
                else:
                    action.setToolTip(wrap_tooltip(text))
                    action.triggered.connect(partial(self.put, text))


class FormulaField(TextField):
    """A field in monospaced type, which grows with its lines; it tells of what is too long to be held."""

    def __init__(self, says: str, meaning: Callable[[str], str], refuse: Callable[[Fault], None]) -> None:
        super().__init__(placeholderText="p[m, i] = …", tabChangesFocus=True)
        self._meaning, self._refuse = meaning, refuse
        self.setAccessibleName(says)
        self.document().setDocumentMargin(5)
        self._colours, self._marked = _Colours(self.document()), QTextCursor(self.document())
        self._restyle()
        self.document().documentLayout().documentSizeChanged.connect(self._fit)
        THEME.changed.connect(self._restyle)

    def mark(self, fault: Fault | None) -> None:
        """Underline where a fault is."""
        text = self.toPlainText()
        self._marked = QTextCursor(self.document())
        if fault is not None and fault.start >= 0 and text:
            start, end = min(fault.start, len(text) - 1), max(fault.end, fault.start + 1)
            while start and not text[start:end].strip():  # what is missing is missed behind a word
                start -= 1
            self._marked.setPosition(_units(text[:start]))
            self._marked.setPosition(_units(text[:end]), QTextCursor.MoveMode.KeepAnchor)
        self.viewport().update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the text, and a wave under what is marked: Qt's own has no room below a line."""
        super().paintEvent(event)
        painter, at = QPainter(self.viewport()), QTextCursor(self.document())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(THEME.roles.bad), scaled(_WAVE) / 2))
        lines: dict[int, list[int]] = {}
        for place in range(self._marked.selectionStart(), self._marked.selectionEnd() + self._marked.hasSelection()):
            at.setPosition(place)
            lines.setdefault(self.cursorRect(at).bottom(), []).append(self.cursorRect(at).left())
        for bottom, lefts in lines.items():
            steps = enumerate(range(min(lefts), max(lefts) + 1, scaled(_WAVE)))
            painter.drawPolyline([QPointF(x, bottom - 0.5 + scaled(_WAVE) / 2 * (-1) ** step) for step, x in steps])
        painter.end()

    def insertFromMimeData(self, source: QMimeData) -> None:
        """Insert pasted or dropped text without its looks; refuse what is far too long."""
        try:
            if len(source.text()) > _MOST_HELD:
                read(source.text())
            self.insertPlainText(source.text())
            self.ensureCursorVisible()
        except Fault as fault:
            self._refuse(Fault(fault.sentence, -1, -1))

    def event(self, event: QEvent) -> bool:
        """Undo what was typed here first; then leave the undo and redo keys to the window."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.ShortcutOverride:
            undoes = event.matches(QKeySequence.StandardKey.Undo) and not self.document().isUndoAvailable()
            if undoes or (redoes(event) and not self.document().isRedoAvailable()):
                event.ignore()
                return False
        return super().event(event)

    def viewportEvent(self, event: QEvent) -> bool:
        """Explain the symbol under the pointer."""
        if not isinstance(event, QHelpEvent):
            return super().viewportEvent(event)
        cursor = self.cursorForPosition(event.pos())
        away = abs(self.cursorRect(cursor).center().x() - event.pos().x())
        is_near = away < 2 * self.fontMetrics().averageCharWidth()
        cursor.select(QTextCursor.SelectionType.WordUnderCursor)
        words = self._meaning(cursor.selectedText().lstrip("0123456789.")) if is_near else ""
        QToolTip.showText(event.globalPos(), wrap_tooltip(words), self.viewport())
        return True

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scroll only with the focus: else the card is being scrolled."""
        if self.hasFocus() and self.verticalScrollBar().maximum():
            super().wheelEvent(event)
        else:
            event.ignore()

    def _fit(self) -> None:
        first = map(self.document().findBlockByNumber, range(_MOST))
        wrapped = sum(bool(self.blockBoundingRect(one).height()) and one.layout().lineCount() for one in first)
        lines = min(max(_FEWEST, wrapped), _MOST)
        margins = 2 * (round(self.document().documentMargin()) + self.frameWidth())
        self.setFixedHeight(self.fontMetrics().lineSpacing() * lines + margins)
        bar = Qt.ScrollBarPolicy
        self.setVerticalScrollBarPolicy(bar.ScrollBarAsNeeded if lines == _MOST else bar.ScrollBarAlwaysOff)

    def _restyle(self) -> None:
        font = font_like(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont), CAPTION)
        font.setStyleHint(QFont.StyleHint.Monospace)
        self.setFont(font)
        self._colours.rehighlight()
        self._fit()


class _Colours(QSyntaxHighlighter):
    """Positions in the focus colour, comments muted."""

    def highlightBlock(self, text: str) -> None:
        """Colour a line."""
        for found in _COLOURED.finditer(text[:LONGEST]):
            looks, is_comment = QTextCharFormat(), found[0].startswith("#")
            looks.setForeground(QColor(THEME.roles.muted if is_comment else THEME.roles.focus))
            if not is_comment:
                looks.setFontWeight(QFont.Weight.Bold)
            start = _units(text[: found.start()])
            self.setFormat(start, _units(text[: found.end()]) - start, looks)


def _units(text: str) -> int:
    """Return a text's length as Qt counts."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
