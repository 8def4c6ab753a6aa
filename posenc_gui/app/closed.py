"""The sessions of windows that were closed, as the menu offers them: of two windows only one is gone on with."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from posenc_gui.app.actions import FILE, Action
from posenc_gui.app.places import MOST_CLOSED, Place

_MENU = (FILE, "Sessions of c&losed windows")
_LONGEST_TEXT = 40  # characters


class Closed:
    """A list of sessions, the last one first; empty until it is filled."""

    def __init__(self) -> None:
        self._left: list[tuple[str, Path]] = []

    def fill(self, places: list[Place]) -> None:
        """List what these places hold, but for what can't be read."""
        from posenc_gui.encodings import classes
        from posenc_gui.render.words import elided, visible
        from posenc_gui.session import Session

        for place in places[:MOST_CLOSED]:
            try:
                session = Session.open(place.session).content
            except (OSError, ValueError):
                continue
            text = elided(visible(session.text), _LONGEST_TEXT, len) or "no text"
            self._left.append((f"{place.time}   {text}   {classes()[session.encoding.name].title}", place.session))

    def actions(self, open_one: Callable[[Path], object]) -> Iterator[Action]:
        """What opens each."""
        for number in range(MOST_CLOSED):
            run, told, there = partial(self._open, number, open_one), partial(self._told, number), self._is_there
            yield Action(f"closed.{number}", f"{number + 1}", _MENU, run, step=told, shown=partial(there, number))
        none = "No other window was closed"
        yield Action("closed.none", none, _MENU, lambda: None, enabled=lambda: False, shown=lambda: not self._left)

    def _is_there(self, number: int) -> bool:
        return number < len(self._left)

    def _told(self, number: int) -> str:
        return self._left[number][0] if self._is_there(number) else ""

    def _open(self, number: int, open_one: Callable[[Path], object]) -> None:
        open_one(self._left[number][1])
