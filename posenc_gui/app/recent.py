"""The files that were opened or saved last, as the menu offers them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from posenc_gui.app.actions import FILE, Action
from posenc_gui.app.habits import Habits

MOST = 10

_MENU = (FILE, "Open &recent")
_LONGEST_NAME, _LONGEST_FOLDER = 48, 40  # characters


class Recent:
    """A list of at most ten files, the last one first, kept from start to start."""

    def __init__(self, habits: Habits) -> None:
        self._habits = habits

    @property
    def paths(self) -> tuple[Path, ...]:
        """The files."""
        return tuple(Path(path) for path in self._habits.settings.recent)

    def add(self, path: Path) -> None:
        """Put a file first."""
        self._keep(path.absolute(), *(other for other in self.paths if other != path.absolute()))

    def drop(self, path: Path) -> None:
        """Forget a file."""
        self._keep(*(other for other in self.paths if other != path))

    def clear(self) -> None:
        """Forget all."""
        self._keep()

    def actions(self, open_one: Callable[[Path], object], enabled: Callable[[], bool]) -> Iterator[Action]:
        """What opens each, and what forgets them."""
        for place in range(MOST):
            yield Action(
                f"recent.{place}",
                f"&{place + 1}" if place < 9 else "1&0",
                _MENU,
                partial(self._open, place, open_one),
                enabled=enabled,
                step=partial(self._told, place),
                shown=partial(self._is_there, place),
            )
        yield Action("recent.clear", "&Clear the list", _MENU, self.clear, enabled=lambda: bool(self.paths), apart=True)

    def _is_there(self, place: int) -> bool:
        return place < len(self.paths)

    def _told(self, place: int) -> str:
        """The file's name, then its folder: what tells two lessons apart stands first."""
        if not self._is_there(place):
            return ""
        from posenc_gui.render.words import elided, visible  # not needed for the first paint

        path = self.paths[place]
        name = elided(visible(path.name), _LONGEST_NAME, len)
        folder = visible(str(path.parent).replace(str(Path.home()), "~", 1))
        return f"{name}   {folder if len(folder) <= _LONGEST_FOLDER else f'…{folder[-_LONGEST_FOLDER:]}'}"

    def _open(self, place: int, open_one: Callable[[Path], object]) -> None:
        open_one(self.paths[place])

    def _keep(self, *paths: Path) -> None:
        self._habits.keep(recent=tuple(map(str, paths[:MOST])))
