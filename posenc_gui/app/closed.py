"""The sessions of windows that were closed, as the menu offers them: of two windows only one is gone on with."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from posenc_gui.app.actions import FILE, Action, numbered
from posenc_gui.app.places import MOST_CLOSED, Place

_MENU = (FILE, "Sessions of c&losed windows")
_LONGEST_TEXT = 40  # characters


class Closed:
    """A list of sessions, the last one first; empty until it is filled."""

    def __init__(self) -> None:
        self._left: dict[Path, str] = {}  # what each is called

    def fill(self, places: list[Place]) -> None:
        """List what these places hold, but for what can't be read."""
        from posenc_gui.encodings import classes
        from posenc_gui.letters import cut
        from posenc_gui.render.words import visible
        from posenc_gui.session import Session

        for place in places[:MOST_CLOSED]:
            try:
                session = Session.open(place.session).content
            except (OSError, ValueError):
                continue
            text = cut(visible(session.text), _LONGEST_TEXT) or "no text"
            self._left[place.session] = f"{place.time}   {text}   {classes()[session.encoding.name].title}"

    def actions(self, open_one: Callable[[Path], object]) -> Iterator[Action]:
        """What opens each."""
        yield from numbered("closed", _MENU, MOST_CLOSED, lambda: tuple(self._left), self._left.__getitem__, open_one)
        none = "No other window was closed"
        yield Action("closed.none", none, _MENU, lambda: None, enabled=lambda: False, shown=lambda: not self._left)
