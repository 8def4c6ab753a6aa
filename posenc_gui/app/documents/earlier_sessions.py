"""Earlier sessions for the menu: those of closed windows, and those that were in no file when another replaced them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from posenc_gui.app.state.action import FILE, Action, file_actions
from posenc_gui.app.state.settings import MOST_CLOSED

if TYPE_CHECKING:  # heavy: imported only after the first paint
    from posenc_gui.app.state.window_slots import WindowSlot
    from posenc_gui.session.session import Session

_MENU = (FILE, "Ear&lier sessions")
_LONGEST_TEXT = 40  # characters


class EarlierSessions:
    """A list of sessions, the last one first; empty until it is filled."""

    def __init__(self) -> None:
        self._left: dict[Path, str] = {}  # the menu entry of each session's file

    def fill(self, places: list[WindowSlot]) -> None:
        """Append the sessions in these slots, except those that can't be read."""
        from posenc_gui.session.session import Session

        for place in places:
            try:
                session = Session.open(place.session).content
            except (OSError, ValueError):
                continue
            self._left[place.session] = self._name(place.time, session, place.found.file if place.found else "")

    def add(self, place: WindowSlot, session: Session) -> None:
        """Put a session first that was replaced just now."""
        self._left = {place.session: self._name("just now", session, ""), **self._left}

    def actions(self, open_one: Callable[[Path], object]) -> Iterator[Action]:
        """Yield an action for each session, and a disabled one shown while there is none."""
        paths, name = (lambda: tuple(self._left)), (lambda path: self._left[path])
        yield from file_actions("earlier", _MENU, MOST_CLOSED, paths, name, open_one)
        none = "No earlier sessions"
        yield Action("earlier.none", none, _MENU, lambda: None, enabled=lambda: False, shown=lambda: not self._left)

    @staticmethod
    def _name(time: str, session: Session, file: str) -> str:
        from posenc_gui.foundation.unicode_text import shorten_middle
        from posenc_gui.render.layout.text_fit import visible

        text = shorten_middle(visible(session.text), _LONGEST_TEXT) or "no text"
        named = [shorten_middle(visible(Path(file).name), _LONGEST_TEXT)] if file else []
        return "   ".join((time, *named, text, session.encoding.called))
