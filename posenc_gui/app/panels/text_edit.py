"""Where the sentence is typed. A long paragraph is laid out in pieces, of which only those that are seen cost anything."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QMimeData, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QTextBlock, QTextCursor

from posenc_gui.app.widgets.controls import TextField
from posenc_gui.foundation.files import share_string as share

_PIECE = 1000  # characters: Qt lays out a block whole, and again at each key
_LINE_ENDS = "\r\n", "\r", "\u2029", "\ufdd0", "\ufdd1"  # what Qt begins a block at, beside \n
_ENDS, _GOES_ON = -1, 1  # a block's state: whether its paragraph ends there or goes on in the next block


class SentenceEdit(TextField):
    """Plain text, whose undo and redo are the window's: its steps are whole sessions.

    A long paragraph stands in several of Qt's blocks; as it is read, copied or dragged, it is one.
    """

    shared = Signal(str)  # a share string, which was pasted

    def __init__(self) -> None:
        super().__init__()
        self.setUndoRedoEnabled(False)

    def toPlainText(self) -> str:  # noqa: N802
        """The text as it was typed."""
        whole = QTextCursor(self.document())
        whole.select(QTextCursor.SelectionType.Document)
        return _text(whole)

    def setPlainText(self, text: str) -> None:  # noqa: N802
        """Show another text, from its beginning."""
        self.selectAll()
        self._insert(text)
        self.moveCursor(QTextCursor.MoveOperation.Start)

    def createMimeDataFromSelection(self) -> QMimeData:  # noqa: N802
        """What is copied, cut or dragged."""
        data = QMimeData()
        data.setText(_text(self.textCursor()))
        return data

    def insertFromMimeData(self, source: QMimeData) -> None:  # noqa: N802
        """What is pasted or dropped; a share string alone is no sentence: it is the session that it stands for."""
        if share.is_one(source.text()):
            self.shared.emit(source.text())
            return
        self._insert(source.text())
        self.ensureCursorVisible()

    def event(self, event: QEvent) -> bool:
        """Leave undo and redo to the window."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.ShortcutOverride:
            standard = QKeySequence.StandardKey
            if event.matches(standard.Undo) or event.matches(standard.Redo):
                event.ignore()
                return False
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Enter ends the paragraph; between two pieces of one, Backspace and Delete take a letter, as anywhere."""
        if self.isReadOnly():
            super().keyPressEvent(event)
            return
        cursor = self.textCursor()
        if event.matches(QKeySequence.StandardKey.InsertParagraphSeparator):
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
        """Put a text in the place of what is selected."""
        cursor = self.textCursor()
        cursor.beginEditBlock()
        cursor.removeSelectedText()
        pieces, block = _pieces(text), cursor.block()
        if block.length() + len(text) > 2 * _PIECE:  # what stands there already stays in blocks of its own
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


def _pieces(text: str) -> list[tuple[str, int]]:
    """A text in blocks, each with its state."""
    for end in _LINE_ENDS:
        text = text.replace(end, "\n")
    found = []
    for line in text.split("\n"):
        *others, last = _cut(line)
        found += [*((piece, _GOES_ON) for piece in others), (last, _ENDS)]
    return found


def _cut(line: str) -> list[str]:
    """A line in pieces, each cut behind a space where there is one."""
    pieces, start = [], 0
    while len(line) - start > _PIECE:
        end = line.rfind(" ", start, start + _PIECE) + 1 or start + _PIECE
        pieces.append(line[start:end])
        start = end
    return [*pieces, line[start:]]


def _text(selected: QTextCursor) -> str:
    """The text of a selection, its paragraphs whole."""
    first, *others = selected.selectedText().split("\u2029")
    parts, block = [first], selected.document().findBlock(selected.selectionStart())
    for line in others:
        parts += [line] if _goes_on(block) else ["\n", line]
        block = block.next()
    return "".join(parts)


def _goes_on(block: QTextBlock) -> bool:
    return block.isValid() and block.userState() == _GOES_ON
