"""Small pictures of bookmarks, kept in memory as long as their bookmarks are there."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from posenc_gui.app.state.small_pictures import Shown, SmallPictures
from posenc_gui.app.talk.bookmarks import Bookmarks, proposed_name
from posenc_gui.app.widgets.thumbnail import recorded_picture
from posenc_gui.session.bookmarks import Bookmark


class BookmarkPictures(QObject):
    """The pictures of a document's bookmarks; drawn while somebody looks at them, one after the other."""

    changed = Signal()

    def __init__(self, bookmarks: Bookmarks) -> None:
        super().__init__(bookmarks)
        self._bookmarks = bookmarks
        self._is_drawing = False
        self._pictures = SmallPictures(self)
        self._pictures.changed.connect(self.changed)
        bookmarks.changed.connect(self._request)

    def begin(self) -> None:
        """Draw what is missing, now and after every change."""
        self._is_drawing = True
        self._request()

    def stop(self) -> None:
        """Draw no more."""
        self._is_drawing = False
        self._pictures.stop()

    def of(self, bookmark: Bookmark) -> str:
        """A bookmark's picture, as SVG whose colours are roles; until it is drawn, that of its plot."""
        drawn = self._pictures.of(_shown_by(bookmark))
        return (drawn.picture if drawn else "") or recorded_picture(bookmark.plot)

    def proposed_names(self, bookmark: Bookmark) -> set[str]:
        """The names that a bookmark would have if nobody had named it."""
        if not bookmark.plot:
            return {""}
        drawn = self._pictures.of(_shown_by(bookmark))
        of_figure = {proposed_name(*drawn.of, drawn.figure)} if drawn and drawn.figure else set()
        return {"", proposed_name(bookmark.session, bookmark.plot, None), *of_figure}

    def close_worker(self) -> None:
        """End the worker, before the window is closed."""
        self._pictures.close_worker()

    def _request(self) -> None:
        wanted = [_shown_by(bookmark) for bookmark in self._bookmarks.all if bookmark.plot]
        if self._is_drawing:
            self._pictures.draw(wanted)
        else:
            self._pictures.keep(wanted)


def _shown_by(bookmark: Bookmark) -> Shown:
    return Shown(bookmark.session, bookmark.plot)
