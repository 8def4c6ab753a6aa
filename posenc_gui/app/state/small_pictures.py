"""Small pictures of plots of sessions, drawn on a thread of their own."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from PySide6.QtCore import QObject, Signal

from posenc_gui.app.state.worker import Worker
from posenc_gui.attention.engine import Engine
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.view import View
from posenc_gui.render.thumbnail import HEIGHT, WIDTH, draw_thumbnail
from posenc_gui.session.evaluate import evaluate
from posenc_gui.session.session import Session

_log = logging.getLogger(__name__)

_VIEW = View(pixels=(WIDTH, HEIGHT))


class Shown(NamedTuple):
    """What a small picture shows: a plot of a session."""

    session: Session
    plot: str


class SmallPicture(NamedTuple):
    """The picture, as SVG in the colours of both themes, and the figure that it was drawn from; both empty if that failed."""

    of: Shown
    picture: str
    figure: Figure | None


class SmallPictures(QObject):
    """Draws thumbnails one after the other, and keeps those that were asked for last."""

    changed = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._underway: list[Shown] = []
        self._drawn: dict[Shown, SmallPicture] = {}
        self._worker = Worker(self)
        self._worker.brought.connect(self._on_brought)

    def of(self, shown: Shown) -> SmallPicture | None:
        """Return a picture; None until it is drawn."""
        return self._drawn.get(shown)

    def keep(self, wanted: Iterable[Shown]) -> list[Shown]:
        """Forget all pictures but these, and return those that are missing."""
        every = dict.fromkeys(wanted)
        self._drawn = {shown: drawn for shown, drawn in self._drawn.items() if shown in every}
        return [shown for shown in every if shown not in self._drawn]

    def draw(self, wanted: Iterable[Shown]) -> None:
        """Draw what is missing of these, and forget all others."""
        missing = self.keep(wanted)
        if not set(missing) <= set(self._underway):
            self._underway = missing
            self._worker.submit(partial(_draw_all, missing))

    def stop(self) -> None:
        """Draw no more."""
        self._underway = []
        self._worker.stop()

    def _on_brought(self, drawn: SmallPicture) -> None:
        self._drawn[drawn.of] = drawn
        self.changed.emit()


def _draw_all(missing: Iterable[Shown], check_stop: Callable[[], None]) -> Iterator[SmallPicture]:
    """Yield a picture for each, of the first step of its figure. Runs on the worker's thread."""
    engine = replace(Engine(), check_stop=check_stop)
    for shown in missing:
        try:
            figure = next(evaluate(shown.session, (shown.plot,), engine, {shown.plot: _VIEW})).figure
            yield SmallPicture(shown, draw_thumbnail(figure), figure)
        except Exception:
            _log.exception("a small picture failed")
            yield SmallPicture(shown, "", None)
