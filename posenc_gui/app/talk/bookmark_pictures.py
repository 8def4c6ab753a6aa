"""Small pictures of bookmarks, drawn on a thread of their own and kept in memory as long as their bookmarks are there."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from PySide6.QtCore import QObject, Signal

from posenc_gui.app.state.worker import Worker
from posenc_gui.app.talk.bookmarks import Bookmarks, proposed_name
from posenc_gui.app.widgets.thumbnail import recorded_picture
from posenc_gui.attention.engine import Engine
from posenc_gui.figure.view import View
from posenc_gui.render.thumbnail import HEIGHT, WIDTH, draw_thumbnail
from posenc_gui.session.bookmarks import Bookmark
from posenc_gui.session.evaluate import evaluate
from posenc_gui.session.session import Session

_log = logging.getLogger(__name__)

_VIEW = View(pixels=(WIDTH, HEIGHT))


class _Shown(NamedTuple):
    """What a bookmark's picture shows: bookmarks that agree in it have the same."""

    session: Session
    plot: str


class _Drawn(NamedTuple):
    """The picture, as SVG whose colours are roles, and the name that its figure would propose."""

    of: _Shown
    picture: str
    name: str


class BookmarkPictures(QObject):
    """The pictures of a document's bookmarks; drawn while somebody looks at them, one after the other."""

    changed = Signal()

    def __init__(self, bookmarks: Bookmarks) -> None:
        super().__init__(bookmarks)
        self._bookmarks = bookmarks
        self._is_drawing = False
        self._underway: list[_Shown] = []
        self._drawn: dict[_Shown, _Drawn] = {}
        self._worker = Worker(self)
        self._worker.brought.connect(self._on_brought)
        bookmarks.changed.connect(self._request)

    def begin(self) -> None:
        """Draw what is missing, now and after every change."""
        self._is_drawing = True
        self._request()

    def stop(self) -> None:
        """Draw no more."""
        self._is_drawing, self._underway = False, []
        self._worker.stop()

    def of(self, bookmark: Bookmark) -> str:
        """A bookmark's picture, as SVG whose colours are roles; until it is drawn, that of its plot."""
        drawn = self._drawn.get(_shown_by(bookmark))
        return drawn.picture if drawn else recorded_picture(bookmark.plot)

    def proposed_names(self, bookmark: Bookmark) -> set[str]:
        """The names that a bookmark would have if nobody had named it."""
        if not bookmark.plot:
            return {""}
        drawn = self._drawn.get(_shown_by(bookmark))
        return {"", proposed_name(bookmark.session, bookmark.plot, None), drawn.name if drawn else ""}

    def close_worker(self) -> None:
        """End the worker, before the window is closed."""
        self._worker.close()

    def _request(self) -> None:
        every = dict.fromkeys(_shown_by(bookmark) for bookmark in self._bookmarks.all if bookmark.plot)
        self._drawn = {shown: drawn for shown, drawn in self._drawn.items() if shown in every}
        missing = [shown for shown in every if shown not in self._drawn]
        if self._is_drawing and not set(missing) <= set(self._underway):
            self._underway = missing
            self._worker.submit(partial(_draw, missing))

    def _on_brought(self, drawn: _Drawn) -> None:
        self._drawn[drawn.of] = drawn
        self.changed.emit()


def _shown_by(bookmark: Bookmark) -> _Shown:
    return _Shown(bookmark.session, bookmark.plot)


def _draw(missing: Iterable[_Shown], check_stop: Callable[[], None]) -> Iterator[_Drawn]:
    """Yield a picture for each, of the first step of its figure. Runs on the worker's thread."""
    engine = replace(Engine(), check_stop=check_stop)
    for shown in missing:
        try:
            figure = next(evaluate(shown.session, (shown.plot,), engine, {shown.plot: _VIEW})).figure
            yield _Drawn(shown, draw_thumbnail(figure), proposed_name(shown.session, shown.plot, figure))
        except Exception:
            _log.exception("the picture of a bookmark failed")
            yield _Drawn(shown, recorded_picture(shown.plot), "")
