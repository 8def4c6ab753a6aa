"""The text field. A long paragraph is laid out in pieces, so that only its visible part takes time."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QMimeData, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QTextBlock, QTextCursor

from posenc_gui.app.widgets.controls import TextField, redoes
from posenc_gui.app.widgets.style_sheet import scaled
from posenc_gui.foundation.files import share_string
from posenc_gui.text.tokenization import replace_surrogates

MOST_EDITED = 200_000  # characters; with more, Qt is slow at each key press
_BEGINNING = 2000  # characters shown of a longer text, which is read-only
_LINES, _PER_LINE = range(2, 5), 200  # lines before it scrolls; window pixels per line
_PIECE = 1000  # characters of one block, which Qt lays out whole at each key press
_LINE_ENDS = "\r\n", "\r", "\u2029", "\ufdd0", "\ufdd1"  # what Qt starts a block at, besides \n
_ENDS, _GOES_ON = -1, 1  # a block's state: its paragraph ends with it, or goes on in the next block


class SentenceEdit(TextField):
    """A plain-text editor without undo of its own: the window's undo steps cover the whole session. A long paragraph fills
    several of Qt's blocks, but is read, copied and dragged as one."""

    shared = Signal(str)  # a share string that was pasted

    def __init__(self) -> None:
        super().__init__()
        self.setUndoRedoEnabled(False)
        self.setAccessibleName("Text")
        self.setPlaceholderText("Type or paste a sentence")
        self.setTabChangesFocus(True)
        self._most_lines = _LINES[-1]
        self.document().setDocumentMargin(5)
        self.document().documentLayout().documentSizeChanged.connect(self._fit)
        self._fit()  # Qt's own hint would make a small window grow

    def show_text(self, text: str) -> bool:
        """Show a session's text (only the beginning of a very long one). Return False if it is already shown."""
        is_whole = len(text) <= MOST_EDITED
        shown = text if is_whole else f"{text[:_BEGINNING]} …"
        self.setReadOnly(not is_whole)
        if replace_surrogates(self.toPlainText()) == shown:
            return False
        with QSignalBlocker(self):
            self.setPlainText(shown)
        self._fit()
        return True

    def give_room(self, height: int) -> None:
        """Set the number of lines to suit a window of this height, in pixels; a longer text scrolls."""
        self._most_lines = max(_LINES[0], min(height // scaled(_PER_LINE), _LINES[-1]))
        self._fit()

    def _fit(self) -> None:
        lines = min(max(1, round(self.document().size().height())), self._most_lines)
        margins = 2 * (round(self.document().documentMargin()) + self.frameWidth())
        self.setFixedHeight(self.fontMetrics().lineSpacing() * lines + margins)
        bar = Qt.ScrollBarPolicy
        self.setVerticalScrollBarPolicy(bar.ScrollBarAsNeeded if lines == self._most_lines else bar.ScrollBarAlwaysOff)

    def toPlainText(self) -> str:
        """Return the text as it was typed."""
        whole = QTextCursor(self.document())
        whole.select(QTextCursor.SelectionType.Document)
        return _text(whole)

    def setPlainText(self, text: str) -> None:
        """Show another text, scrolled to its beginning."""
        self.selectAll()
        self._insert(text)
        self.moveCursor(QTextCursor.MoveOperation.Start)

    def createMimeDataFromSelection(self) -> QMimeData:
        """Return the selected text, for copying, cutting and dragging."""
        data = QMimeData()
        data.setText(_text(self.textCursor()))
        return data

    def insertFromMimeData(self, source: QMimeData) -> None:
        """Insert pasted or dropped text; a share string alone opens its session instead."""
        if share_string.is_share_string(source.text()):
            self.shared.emit(source.text())
            return
        self._insert(source.text())
        self.ensureCursorVisible()

    def event(self, event: QEvent) -> bool:
        """Leave the undo and redo keys to the window."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.ShortcutOverride and _is_windows(event):
            event.ignore()
            return False
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Leave the sentence as it is on Enter, which has nothing to confirm, and begin a line on Shift+Enter; let Backspace
        and Delete work across two pieces of a paragraph."""
        if self.isReadOnly():
            super().keyPressEvent(event)
            return
        cursor = self.textCursor()
        if event.matches(QKeySequence.StandardKey.InsertParagraphSeparator):
            return
        if event.matches(QKeySequence.StandardKey.InsertLineSeparator):
            self._insert("\n")
            self.ensureCursorVisible()
            return
        if not cursor.hasSelection():
            block = cursor.block()
            if event.key() == Qt.Key.Key_Backspace and cursor.atBlockStart() and _goes_on(block.previous()):
                cursor.deletePreviousChar()
            elif event.key() == Qt.Key.Key_Delete and cursor.atBlockEnd() and _goes_on(block):
                cursor.deleteChar()
        super().keyPressEvent(event)

    def _insert(self, text: str) -> None:
        """Replace the selection with a text."""
        cursor = self.textCursor()
        cursor.beginEditBlock()
        cursor.removeSelectedText()
        pieces, block = _pieces(text), cursor.block()
        if block.length() + len(text) > 2 * _PIECE:  # existing text keeps its blocks
            if not cursor.atBlockStart():
                pieces = [("", _GOES_ON), *pieces]
            if not cursor.atBlockEnd():
                pieces = [*pieces[:-1], (pieces[-1][0], _GOES_ON), ("", _ENDS)]
        last = block.userState()
        cursor.insertText("\n".join(piece for piece, _ in pieces))
        for _, state in pieces[:-1]:
            block.setUserState(state)
            block = block.next()
        block.setUserState(last)
        cursor.endEditBlock()
        self.setTextCursor(cursor)


def _is_windows(event: QKeyEvent) -> bool:
    return event.matches(QKeySequence.StandardKey.Undo) or redoes(event)


def _pieces(text: str) -> list[tuple[str, int]]:
    """Cut a text into blocks, each with its state (_ENDS or _GOES_ON)."""
    for end in _LINE_ENDS:
        text = text.replace(end, "\n")
    found = []
    for line in text.split("\n"):
        *others, last = _cut(line)
        found += [*((piece, _GOES_ON) for piece in others), (last, _ENDS)]
    return found


def _cut(line: str) -> list[str]:
    """Cut a line into pieces, after spaces if possible."""
    pieces, start = [], 0
    while len(line) - start > _PIECE:
        end = line.rfind(" ", start, start + _PIECE) + 1 or start + _PIECE
        pieces.append(line[start:end])
        start = end
    return [*pieces, line[start:]]


def _text(selected: QTextCursor) -> str:
    """Return the text of a selection, with the pieces of each paragraph joined."""
    first, *others = selected.selectedText().split("\u2029")
    parts, block = [first], selected.document().findBlock(selected.selectionStart())
    for line in others:
        parts += [line] if _goes_on(block) else ["\n", line]
        block = block.next()
    return "".join(parts)


def _goes_on(block: QTextBlock) -> bool:
    return block.isValid() and block.userState() == _GOES_ON
