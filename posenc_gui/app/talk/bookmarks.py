"""Bookmarks: the document's list, with an undo history of its own; undo that leads to another document brings that one's."""

from __future__ import annotations

from pydantic import ValidationError
from PySide6.QtCore import QObject, Signal

from posenc_gui import plots
from posenc_gui.app.state.sheet import Held, Marks
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.runs import quote_runs
from posenc_gui.foundation.errors import describe_error
from posenc_gui.foundation.unicode_text import shorten_middle
from posenc_gui.foundation.wording import format_count
from posenc_gui.plots.sweep import SweepOptions
from posenc_gui.scene.comparison import side_names
from posenc_gui.scene.permutations import move_token
from posenc_gui.scene.scene import Scene
from posenc_gui.session.bookmarks import Bookmark, refusal
from posenc_gui.session.session import Session

_MOST_UNDONE = 100  # changes
_MOST_NAMED = 4  # encodings
_LONGEST_PROPOSED = 48  # code points of a name that nobody typed: a line of the list


class Bookmarks(QObject):
    """The document's bookmarks, with an undo history of their own."""

    changed = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._of = Marks()
        self._edited: tuple[int, str] | None = None  # the bookmark and field in which typing is one undo step

    @property
    def all(self) -> Held:
        """The bookmarks in their order."""
        return self._of.all

    @property
    def can_undo(self) -> bool:
        """True if there is a change to undo."""
        return bool(self._of.before)

    def take_up(self, marks: Marks) -> None:
        """Go on with a document's bookmarks, and with what they were before."""
        if marks is not self._of:
            self._of, self._edited = marks, None
            self.changed.emit()

    def begin(self, bookmarks: Held) -> None:
        """Start with these bookmarks and an empty undo history."""
        self._of.all, self._of.before, self._edited = bookmarks, [], None
        self.changed.emit()

    def replace(self, bookmarks: Held, *, continuing: bool = False) -> str:
        """Replace all bookmarks; if `continuing`, as in a drag, it is one undo step with the change before. Return an empty
        text, or why a file can't hold them, in a sentence."""
        if bookmarks != self.all:
            if why := refusal(bookmarks):
                return why
            if not continuing:
                self._of.before = [*self._of.before[1 - _MOST_UNDONE :], self.all]
            self._of.all, self._edited = bookmarks, None
            self.changed.emit()
        return ""

    def insert(self, at: int, bookmark: Bookmark) -> str:
        """Insert a bookmark. Returns as `replace` does."""
        return self.replace((*self.all[:at], bookmark, *self.all[at:]))

    def edit(self, at: int, field: str, words: str) -> str:
        """Change a field; typing on in one field is one undo step. Returns as `replace` does."""
        try:
            bookmark = Bookmark.model_validate({**dict(self.all[at]), field: words})
        except ValidationError as error:
            return describe_error(error)
        why = self.replace((*self.all[:at], bookmark, *self.all[at + 1 :]), continuing=self._edited == (at, field))
        self._edited = (at, field)
        return why

    def update(self, at: int, shown: Bookmark, *, renamed: bool) -> str:
        """Let a bookmark show another's session and plot, and have its name if `renamed`. Returns as `replace` does."""
        kept = {"note"} if renamed else {"note", "name"}
        bookmark = shown.model_copy(update=self.all[at].model_dump(include=kept))
        return self.replace((*self.all[:at], bookmark, *self.all[at + 1 :]))

    def move(self, source: int, target: int, *, continuing: bool = False) -> None:
        """Move a bookmark. Takes `continuing` as `replace` does."""
        order = move_token(tuple(range(len(self.all))), source, target)
        self.replace(tuple(self.all[at] for at in order), continuing=continuing)

    def delete(self, at: int) -> None:
        """Delete a bookmark."""
        self.replace((*self.all[:at], *self.all[at + 1 :]))

    def undo(self) -> None:
        """Undo the last change."""
        if self._of.before:
            self._of.all, self._edited = self._of.before.pop(), None
            self.changed.emit()


def bookmark_of(session: Session, plot: str, figure: Figure | None) -> Bookmark:
    """Return a bookmark of a session, with the name that is proposed for it."""
    return Bookmark(name=proposed_name(session, plot, figure), plot=plot, session=session)


def proposed_name(session: Session, plot: str, figure: Figure | None) -> str:
    """Return the figure's headline; the subject if that is too long, there is none, or the figure shows another session."""
    drawn = figure is not None and figure.session and Session.from_json(figure.session) == session.for_others
    headline = quote_runs(figure.headline) if figure and drawn else ""
    fits = 0 < len(headline) <= _LONGEST_PROPOSED
    return headline if fits else shorten_middle(subject_of(session, plot), _LONGEST_PROPOSED)


def subject_of(session: Session, plot: str) -> str:
    """Return what a plot of a session shows: its title, and the encodings, unless it shows all that there are."""
    shown, options = plots.find(plot), session.options_of(plot)
    if isinstance(options, SweepOptions) and options.encodings:
        called = dict.fromkeys(one.called for one in options.encodings)
        told = ", ".join(called) if len(called) <= _MOST_NAMED else format_count(len(called), "encoding")
        return f"{plots.find(options.plot).title}: {told}"
    encodings = session.encoding.called if session.other is None else " and ".join(side_names(Scene(session)))
    return shown.title if shown.shows == "all" else f"{shown.title}: {encodings}"
