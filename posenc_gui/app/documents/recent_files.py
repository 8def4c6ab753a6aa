"""The files that were opened or saved last, as the menu offers them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from posenc_gui.app.state.action import FILE, Action, numbered
from posenc_gui.app.state.preferences import Habits
from posenc_gui.app.state.settings import Settings

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
        return _paths(self._habits.settings)

    def add(self, path: Path) -> None:
        """Put a file first."""
        self._keep(path.absolute(), *self._without(path.absolute()))

    def drop(self, path: Path) -> None:
        """Forget a file."""
        self._keep(*self._without(path))

    def clear(self) -> None:
        """Forget all."""
        self._keep()

    def actions(self, open_one: Callable[[Path], object], enabled: Callable[[], bool]) -> Iterator[Action]:
        """What opens each, and what forgets them."""
        yield from numbered("recent", _MENU, MOST, lambda: self.paths, _told, open_one, enabled)
        yield Action("recent.clear", "&Clear the list", _MENU, self.clear, enabled=lambda: bool(self.paths), apart=True)

    def _without(self, path: Path) -> Iterator[Path]:
        """All others, also those that other windows opened meanwhile."""
        return (other for other in _paths(self._habits.kept) if other != path)

    def _keep(self, *paths: Path) -> None:
        self._habits.keep(recent=tuple(map(str, paths[:MOST])))


def _paths(settings: Settings) -> tuple[Path, ...]:
    return tuple(Path(path) for path in settings.recent if path)


def _told(path: Path) -> str:
    """The file's name, then its folder: what tells two lessons apart stands first."""
    from posenc_gui.foundation.unicode_text import cut, tail  # not needed for the first paint
    from posenc_gui.render.layout.text_fit import visible

    name = cut(visible(path.name), _LONGEST_NAME)
    folder = visible(str(path.parent).replace(str(Path.home()), "~", 1))
    return f"{name}   {tail(folder, _LONGEST_FOLDER)}"
