"""The window in which bookmarks are named, reordered and deleted, and what confirms a new one."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QFrame, QHBoxLayout, QPushButton, QWidget

from posenc_gui.app.state.store import Store
from posenc_gui.app.talk.bookmark_rows import BookmarkPictures, BookmarkRows
from posenc_gui.app.talk.bookmarks import Bookmarks, bookmark_of
from posenc_gui.app.widgets.aloud import announce
from posenc_gui.app.widgets.controls import (
    Choices,
    add_to,
    in_row,
    line_field,
    plain_label,
    push_button,
    show_words,
    text_field,
    tool_button,
)
from posenc_gui.app.widgets.dialogs import SideDialog
from posenc_gui.app.widgets.focus_order import step_focus
from posenc_gui.figure.figure import Figure
from posenc_gui.session.bookmarks import LONGEST_NAME, Bookmark

_SIZE = 380, 600  # pixels
_NOTE = 96  # pixels of height
_NARROWEST, _WIDEST, _AROUND_NAME = 150, 400, 24  # pixels of a new bookmark's name, and around its letters
_PLANS = range(5, 121, 5)  # minutes
_HINT = "Ctrl+D adds a bookmark. Drag to reorder, or press Alt+Up or Alt+Down."


class BookmarksWindow(SideDialog):
    """The list of bookmarks in a small window; name and note of the chosen one are edited below it."""

    wanted = Signal(object)  # Bookmark to go to
    presented = Signal(int)  # Present is wanted, from this bookmark on
    update_wanted = Signal(int)  # the bookmark at this index shall show what the window shows

    def __init__(self, bookmarks: Bookmarks, pictures: BookmarkPictures, window: QWidget) -> None:
        super().__init__("Bookmarks", window)
        self._bookmarks = bookmarks
        self._rows = BookmarkRows(bookmarks, pictures)
        self._rows.currentRowChanged.connect(self._show_chosen)
        self._rows.itemActivated.connect(self._go)
        self._make_fields()
        self._refusal = plain_label("", "refusal")
        self._hint = plain_label(_HINT, "muted")
        self._make_buttons()
        add_to(self.body, self._rows, self._hint, self._name, self._note, self._refusal, grows=self._rows)
        for button in (self._go_there, self._update):
            button.setAutoDefault(False)
        self.body.addLayout(in_row(self._go_there, self._update))
        self._minutes = Choices("Minutes planned for the talk")
        self._minutes.setToolTip("The speaker's window shows the time against it")
        self.add_foot((self._delete, self._undo, self._minutes), (self._present,))
        self.fit(*_SIZE)
        bookmarks.changed.connect(self._on_changed)
        self._on_changed()

    def _make_fields(self) -> None:
        self._name = line_field("Name of the bookmark", "Name", most=LONGEST_NAME)
        self._name.textEdited.connect(partial(self._edit, "name"))
        self._note = text_field("Note of the bookmark", "Note: what to say or ask", height=_NOTE)
        self._note.textChanged.connect(lambda: self._edit("note", self._note.toPlainText()))

    def _make_buttons(self) -> None:
        """Make the buttons; those that are about the chosen bookmark are its context menu, too."""
        self._go_there, self._update = push_button("Go to"), push_button("Update from what is shown")
        self._delete, self._present = push_button("Delete"), push_button("Present", accent=True)
        undoes = "Undo the last change to the bookmarks (Ctrl+Z in the list)"
        self._undo = push_button("Undo", self._bookmarks.undo, hint=undoes)
        self._update.setToolTip(
            "Let it show the session and the plot at hand; its name and note stay. Undo takes that back."
        )
        of_one: dict[QPushButton, Callable[[], object]] = {
            self._go_there: self._go,
            self._update: lambda: self.update_wanted.emit(self._rows.currentRow()),
            self._delete: self._rows.delete_chosen,
            self._present: lambda: self.presented.emit(self._rows.currentRow()),
        }
        for button, run in of_one.items():
            button.clicked.connect(lambda _=False, run=run: run())
            self._rows.addAction(button.text(), run)
        self._rows.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)

    def plan(self, minutes: int, keep: Callable[[int], None]) -> None:
        """Show how many minutes are planned for the talk, 0 if none are; `keep` is called with what is chosen."""
        for choice in sorted({0, minutes, *_PLANS}):
            self._minutes.addItem(f"{choice} minutes planned" if choice else "No time planned", choice)
        self._minutes.setCurrentIndex(self._minutes.findData(minutes))
        self._minutes.currentIndexChanged.connect(lambda _: keep(self._minutes.currentData()))

    def bring(self, at: int | None = None) -> None:
        """Show the window in front, with the focus in the list; `at` is the bookmark to choose there."""
        if at is not None:
            self._rows.setCurrentRow(at)
        self.bring_to(self._rows)

    def tell(self, words: str) -> None:
        """Say what was done, until the next change."""
        self._hint.setText(words)
        announce(self, words)

    def _on_changed(self) -> None:
        self._hint.setText(_HINT)
        self._rows.show_bookmarks()
        self._undo.setEnabled(self._bookmarks.can_undo)
        self._show_chosen(self._rows.currentRow())

    def _show_chosen(self, row: int) -> None:
        there = 0 <= row < len(self._bookmarks.all)
        for widget in (self._name, self._note, self._go_there, self._update, self._delete, self._present):
            widget.setEnabled(there)
        for action in self._rows.actions():
            action.setEnabled(there)
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
        show_words(self._refusal, f"Not kept: {why}" if why else "")

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
        self._name = line_field("Name of the new bookmark", most=LONGEST_NAME)
        self._name.textEdited.connect(lambda words: self._bookmarks.edit(self._at, "name", words))
        more = tool_button("Note and order …", "Note and order of bookmarks", framed=True, does=self._on_more)
        line = QHBoxLayout(self)
        add_to(line, plain_label("Bookmark added:", wraps=False), self._name, more, grows=self._name)
        focus_changed = QApplication.instance().focusChanged  # type: ignore[union-attr]  # of QApplication
        focus_changed.connect(self._on_focus)
        self.hide()

    def show_added(self, at: int) -> None:
        """Show that the bookmark at this index was added, with its name selected."""
        self._back = self._back if self.isVisible() else QApplication.focusWidget()
        self._at, self._shown = at, self._bookmarks.all[at]
        self._name.setText(self._shown.name)
        letters = self._name.fontMetrics().horizontalAdvance(self._shown.name)
        self._name.setFixedWidth(max(_NARROWEST, min(letters + _AROUND_NAME, _WIDEST)))
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
    """Adds bookmarks of the current session, updates them from it, and goes to them."""

    said = Signal(str)  # what went wrong, in a sentence

    def __init__(
        self, bookmarks: Bookmarks, store: Store, front: Callable[[], tuple[str, Figure | None]],
        bring: Callable[[str], None], window: QWidget, top: Callable[[], int],
    ) -> None:  # fmt: skip
        super().__init__(window)
        self._bookmarks, self._store, self._front, self._bring = bookmarks, store, front, bring
        self._pictures = BookmarkPictures(bookmarks)
        self.list = BookmarksWindow(bookmarks, self._pictures, window)
        self.list.wanted.connect(self.go)
        self.list.update_wanted.connect(self.update_from_shown)
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

    def update_from_shown(self, at: int) -> None:
        """Let a bookmark show the current session and plot; a name that nobody gave it changes with that."""
        before, shown = self._bookmarks.all[at], bookmark_of(self._store.session, *self._front())
        renamed = before.name in self._pictures.proposed_names(before)
        if why := self._bookmarks.update(at, shown, renamed=renamed):
            self.list.tell(f"Not updated: {why}")
        elif self._bookmarks.all[at] == before:
            self.list.tell("It shows this already.")
        else:
            self.list.tell("Updated. Undo brings back what it showed.")

    def go(self, bookmark: Bookmark) -> None:
        """Show a bookmark's session and plot; undo returns from it."""
        if bookmark.plot:
            self._bring(bookmark.plot)
        self._store.replace(bookmark.session, named=f"Bookmark {bookmark.name}")
