"""Bookmarks: the document's list, and the window in which they are named, reordered and deleted."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from pydantic import ValidationError
from PySide6.QtCore import QEvent, QObject, QPoint, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QMouseEvent, QShowEvent
from PySide6.QtWidgets import (
    QApplication,
    QDialog,
    QFrame,
    QHBoxLayout,
    QListWidget,
    QVBoxLayout,
    QWidget,
)

from posenc_gui import plots
from posenc_gui.app.state.store import Store
from posenc_gui.app.widgets.controls import LineField, TextField, plain_label, push_button, tool_button
from posenc_gui.app.widgets.focus_order import step_focus
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.runs import quote_runs
from posenc_gui.foundation.errors import describe_error
from posenc_gui.foundation.unicode_text import shorten_middle
from posenc_gui.scene.comparison import side_names
from posenc_gui.scene.permutations import move_token
from posenc_gui.session.bookmarks import LONGEST_NAME, Bookmark, refusal
from posenc_gui.session.session import Session

_SIZE = 360, 480  # pixels
_FROM_THE_CORNER = QPoint(24, 64)  # pixels from the window's upper right corner
_NOTE = 96  # pixels of height
_ADDED = 460  # pixels of width
_MOST_UNDONE = 100  # changes
_LONGEST_PROPOSED = 48  # code points of a name that nobody typed: a line of the list

Held = tuple[Bookmark, ...]


class Bookmarks(QObject):
    """The document's bookmarks, with an undo history of their own."""

    changed = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._all: Held = ()
        self._before: list[Held] = []
        self._edited: tuple[int, str] | None = None  # the bookmark and field in which typing is one undo step

    @property
    def all(self) -> Held:
        """The bookmarks in order."""
        return self._all

    @property
    def can_undo(self) -> bool:
        """True if there is a change to undo."""
        return bool(self._before)

    def begin(self, bookmarks: Held) -> None:
        """Start with these bookmarks and an empty undo history."""
        self._all, self._before, self._edited = bookmarks, [], None
        self.changed.emit()

    def replace(self, bookmarks: Held) -> str:
        """Replace all bookmarks. Return an empty text, or why a file can't hold them, in a sentence."""
        return self._replace(bookmarks)

    def insert(self, at: int, bookmark: Bookmark) -> str:
        """Insert a bookmark. Returns as `replace` does."""
        return self.replace((*self._all[:at], bookmark, *self._all[at:]))

    def edit(self, at: int, field: str, words: str) -> str:
        """Change a field; typing on in one field is one undo step. Returns as `replace` does."""
        try:
            bookmark = Bookmark.model_validate({**dict(self._all[at]), field: words})
        except ValidationError as error:
            return describe_error(error)
        why = self._replace((*self._all[:at], bookmark, *self._all[at + 1 :]), continuing=self._edited == (at, field))
        self._edited = (at, field)
        return why

    def move(self, source: int, target: int, *, continuing: bool = False) -> None:
        """Move a bookmark; if `continuing`, as in a drag, it is one undo step with the change before."""
        order = move_token(tuple(range(len(self._all))), source, target)
        self._replace(tuple(self._all[at] for at in order), continuing=continuing)

    def delete(self, at: int) -> None:
        """Delete a bookmark."""
        self.replace((*self._all[:at], *self._all[at + 1 :]))

    def undo(self) -> None:
        """Undo the last change."""
        if self._before:
            self._all, self._edited = self._before.pop(), None
            self.changed.emit()

    def _replace(self, bookmarks: Held, *, continuing: bool = False) -> str:
        if bookmarks != self._all:
            if why := refusal(bookmarks):
                return why
            if not continuing:
                self._before = [*self._before[1 - _MOST_UNDONE :], self._all]
            self._all, self._edited = bookmarks, None
            self.changed.emit()
        return ""


def bookmark_of(session: Session, plot: str, figure: Figure | None) -> Bookmark:
    """Return a bookmark of a session, named after the figure's headline; after plot and encodings if that is too long, there
    is none, or the figure shows another session."""
    drawn = figure is not None and figure.session and Session.from_json(figure.session) == session
    headline = quote_runs(figure.headline) if figure and drawn else ""
    fits = 0 < len(headline) <= _LONGEST_PROPOSED
    encodings = session.encoding.called if session.other is None else " and ".join(side_names(session))
    name = headline if fits else f"{plots.plots()[plot].title}: {encodings}"
    return Bookmark(name=shorten_middle(name, _LONGEST_PROPOSED), plot=plot, session=session)


class BookmarksWindow(QDialog):
    """The list of bookmarks in a small window; name and note of the chosen one are edited below it."""

    wanted = Signal(object)  # Bookmark to go to
    presented = Signal(int)  # Present is wanted, from this bookmark on

    def __init__(self, bookmarks: Bookmarks, window: QWidget) -> None:
        super().__init__(window, Qt.WindowType.Tool)  # the window's keys work in it, too
        self._bookmarks, self._window = bookmarks, window
        self.setWindowTitle("Bookmarks")
        self.resize(*_SIZE)
        self._rows = _Rows(bookmarks)
        self._rows.currentRowChanged.connect(self._show_chosen)
        self._rows.itemActivated.connect(self._go)
        self._name = LineField()
        self._name.setAccessibleName("Name of the bookmark")
        self._name.setPlaceholderText("Name")
        self._name.setMaxLength(LONGEST_NAME)
        self._name.textEdited.connect(partial(self._edit, "name"))
        self._note = TextField()
        self._note.setAccessibleName("Note of the bookmark")
        self._note.setPlaceholderText("Note: what to say or ask")
        self._note.setTabChangesFocus(True)
        self._note.setFixedHeight(_NOTE)
        self._note.textChanged.connect(lambda: self._edit("note", self._note.toPlainText()))
        self._refusal = plain_label("", "refusal")
        self._refusal.hide()
        self._go_there, self._delete = push_button("Go to"), push_button("Delete")
        self._undo, self._present = push_button("Undo"), push_button("Present", accent=True)
        self._undo.setToolTip("Undo the last change to the bookmarks (Ctrl+Z in the list)")
        self._go_there.clicked.connect(self._go)
        self._delete.clicked.connect(self._rows.delete_chosen)
        self._undo.clicked.connect(bookmarks.undo)
        self._present.clicked.connect(lambda: self.presented.emit(self._rows.currentRow()))
        buttons = QHBoxLayout()
        for button in (self._go_there, self._delete, self._undo, self._present):
            button.setAutoDefault(False)
            buttons.addWidget(button)
        column = QVBoxLayout(self)
        column.addWidget(self._rows, 1)
        column.addWidget(plain_label("Ctrl+D adds a bookmark. Drag to reorder, or press Alt+Up or Alt+Down.", "muted"))
        column.addWidget(self._name)
        column.addWidget(self._note)
        column.addWidget(self._refusal)
        column.addLayout(buttons)
        bookmarks.changed.connect(self._on_changed)
        self._on_changed()

    def bring(self, at: int | None = None) -> None:
        """Show the window in front, with the focus in the list; `at` is the bookmark to choose there."""
        self.show()
        self.raise_()
        self.activateWindow()
        if at is not None:
            self._rows.setCurrentRow(at)
        self._rows.setFocus()

    def showEvent(self, event: QShowEvent) -> None:
        """Move to the main window's right side."""
        super().showEvent(event)
        corner = self._window.mapToGlobal(QPoint(self._window.width() - self.width(), 0))
        self.move(corner.x() - _FROM_THE_CORNER.x(), corner.y() + _FROM_THE_CORNER.y())

    def _on_changed(self) -> None:
        self._rows.show_bookmarks()
        self._undo.setEnabled(self._bookmarks.can_undo)
        self._show_chosen(self._rows.currentRow())

    def _show_chosen(self, row: int) -> None:
        there = 0 <= row < len(self._bookmarks.all)
        for widget in (self._name, self._note, self._go_there, self._delete, self._present):
            widget.setEnabled(there)
        chosen = self._bookmarks.all[row] if there else None
        name, note = (chosen.name, chosen.note) if chosen else ("", "")
        if " ".join(self._name.text().split()) != name:
            self._name.setText(name)
        if self._note.toPlainText() != note:
            with QSignalBlocker(self._note):
                self._note.setPlainText(note)
        self._refuse("")

    def _edit(self, field: str, words: str) -> None:
        row = self._rows.currentRow()
        if 0 <= row < len(self._bookmarks.all):
            self._refuse(self._bookmarks.edit(row, field, words))

    def _refuse(self, why: str) -> None:
        self._refusal.setText(f"Not kept: {why}" if why else "")
        self._refusal.setVisible(bool(why))

    def _go(self, *_: object) -> None:
        row = self._rows.currentRow()
        if 0 <= row < len(self._bookmarks.all):
            self.wanted.emit(self._bookmarks.all[row])


class AddedBanner(QFrame):
    """Confirms a new bookmark over the window, with its name to edit; Enter or Escape closes it."""

    all_wanted = Signal(int)  # the list, at this bookmark

    def __init__(self, bookmarks: Bookmarks, window: QWidget, top: Callable[[], int]) -> None:
        super().__init__(window)
        self._bookmarks, self._window, self._top = bookmarks, window, top
        self._at = 0
        self._shown: Bookmark | None = None
        self._back: QWidget | None = None  # had the focus before
        bookmarks.changed.connect(self._on_changed)
        self.setObjectName("banner")
        self.setFixedWidth(_ADDED)
        self._name = LineField()
        self._name.setAccessibleName("Name of the new bookmark")
        self._name.setMaxLength(LONGEST_NAME)
        self._name.textEdited.connect(lambda words: self._bookmarks.edit(self._at, "name", words))
        more = tool_button("Note and order …", "Note and order of bookmarks", framed=True)
        more.clicked.connect(self._on_more)
        line = QHBoxLayout(self)
        line.addWidget(plain_label("Bookmark added:", wraps=False))
        line.addWidget(self._name, 1)
        line.addWidget(more)
        focus_changed = QApplication.instance().focusChanged  # type: ignore[union-attr]  # of QApplication
        focus_changed.connect(self._on_focus)
        self.hide()

    def show_added(self, at: int) -> None:
        """Show that the bookmark at this index was added, with its name selected."""
        self._back = self._back if self.isVisible() else QApplication.focusWidget()
        self._at, self._shown = at, self._bookmarks.all[at]
        self._name.setText(self._shown.name)
        self.adjustSize()
        self.move((self._window.width() - self.width()) // 2, self._top() + 6)
        self.show()
        self.raise_()
        self._name.setFocus()
        self._name.end(False)
        self._name.home(True)  # selects all, showing the beginning

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Close on Enter and Escape, and give the focus back."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Escape):
            back = self._back
            self.hide()
            if back:
                back.setFocus()
        else:
            super().keyPressEvent(event)

    def focusNextPrevChild(self, forward: bool) -> bool:
        """Keep Tab within the banner."""
        return step_focus([(self,)], self.focusWidget(), forward)

    def _on_changed(self) -> None:
        """Hide if the added bookmark is no longer at its index, after an undo, a move or another file, or if its note has
        changed."""
        here = next(iter(self._bookmarks.all[self._at :]), None)
        if not (here and self._shown) or here != self._shown.model_copy(update={"name": here.name}):
            self.hide()

    def _on_more(self) -> None:
        self.hide()
        self.all_wanted.emit(self._at)

    def _on_focus(self, _before: QWidget | None, now: QWidget | None) -> None:
        if now is not None and not self.isAncestorOf(now):
            self.hide()


class BookmarkCommands(QObject):
    """Adds bookmarks of the current session, and goes to them."""

    said = Signal(str)  # what went wrong, in a sentence

    def __init__(
        self, bookmarks: Bookmarks, store: Store, front: Callable[[], tuple[str, Figure | None]],
        bring: Callable[[str], None], window: QWidget, top: Callable[[], int],
    ) -> None:  # fmt: skip
        super().__init__(window)
        self._bookmarks, self._store, self._front, self._bring = bookmarks, store, front, bring
        self.list = BookmarksWindow(bookmarks, window)
        self.list.wanted.connect(self.go)
        self._added = AddedBanner(bookmarks, window, top)
        self._added.all_wanted.connect(self.list.bring)

    def add(self) -> None:
        """Append a bookmark of the current session, and offer to name it."""
        at, (plot, figure) = len(self._bookmarks.all), self._front()
        why = self._bookmarks.insert(at, bookmark_of(self._store.session, plot, figure))
        if why:
            self.said.emit(f"No bookmark added: {why}")
        else:
            self._added.show_added(at)

    def go(self, bookmark: Bookmark) -> None:
        """Show a bookmark's session and plot; undo returns from it."""
        if bookmark.plot:
            self._bring(bookmark.plot)
        self._store.replace(bookmark.session, named=f"Bookmark {bookmark.name}")


class _Rows(QListWidget):
    """The list of bookmarks, reordered by dragging or by Alt and arrow keys; Delete deletes, Ctrl+Z undoes."""

    def __init__(self, bookmarks: Bookmarks) -> None:
        super().__init__()
        self._bookmarks = bookmarks
        self._dragged: int | None = None
        self._has_moved = False  # in this drag
        self.setAccessibleName("Bookmarks in order")
        self.setAccessibleDescription("Enter goes to it, Alt with arrow keys moves it, Delete deletes it.")
        self.setUniformItemSizes(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    def show_bookmarks(self) -> None:
        """Show the bookmarks' names, and keep the chosen row or, if it is gone, choose the last one."""
        names, row = [one.name or "(no name)" for one in self._bookmarks.all], self.currentRow()
        with QSignalBlocker(self):
            while self.count() > len(names):
                self.takeItem(self.count() - 1)
            self.addItems(names[self.count() :])
            for at, name in enumerate(names):
                self.item(at).setText(name)
            self.setCurrentRow(min(max(row, 0), len(names) - 1))

    def delete_chosen(self) -> None:
        """Delete the chosen bookmark."""
        if self.currentRow() >= 0:
            self._bookmarks.delete(self.currentRow())

    def event(self, event: QEvent) -> bool:
        """Claim Ctrl+Z for the bookmarks' undo, before the window takes it for the session's."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.ShortcutOverride and _undoes(event):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move the chosen bookmark on Alt and an arrow key, delete it on Delete or Backspace, and undo on Ctrl+Z."""
        step = {int(Qt.Key.Key_Up): -1, int(Qt.Key.Key_Down): 1}.get(event.key())
        if _undoes(event):
            self._bookmarks.undo()
        elif event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self.delete_chosen()
        elif step and event.modifiers() & Qt.KeyboardModifier.AltModifier:
            self._move(self.currentRow(), self.currentRow() + step)
        else:
            super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose the pressed bookmark, and prepare to drag it."""
        super().mousePressEvent(event)
        row = self.indexAt(event.position().toPoint()).row()
        self._dragged, self._has_moved = row if row >= 0 else None, False

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Move the dragged bookmark to the row under the pointer; a whole drag is one undo step."""
        target = self.indexAt(event.position().toPoint()).row()
        if self._dragged is not None and target not in (-1, self._dragged):
            source, self._dragged = self._dragged, target
            self._move(source, target, continuing=self._has_moved)
            self._has_moved = True

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """End the drag."""
        self._dragged = None
        super().mouseReleaseEvent(event)

    def _move(self, source: int, target: int, *, continuing: bool = False) -> None:
        if 0 <= target < self.count() and source >= 0:
            self._bookmarks.move(source, target, continuing=continuing)
            self.setCurrentRow(target)


def _undoes(event: QKeyEvent) -> bool:
    return bool(event.matches(QKeySequence.StandardKey.Undo))
