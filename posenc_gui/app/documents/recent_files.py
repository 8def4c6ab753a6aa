"""Recent files in the menu."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from posenc_gui.app.state.action import FILE, Action, file_actions
from posenc_gui.app.state.preferences import Preferences
from posenc_gui.app.state.settings import MOST_RECENT, Settings

_MENU = (FILE, "Open &recent")
_LONGEST_NAME, _LONGEST_FOLDER = 48, 40  # characters


class RecentFiles:
    """The last ten files, newest first, saved in the settings."""

    def __init__(self, preferences: Preferences) -> None:
        self._preferences = preferences

    @property
    def paths(self) -> tuple[Path, ...]:
        """The files, newest first, whether or not they still exist."""
        return _paths(self._preferences.settings)

    def add(self, path: Path) -> None:
        """Put a file first."""
        self._keep(path.absolute(), *self._without(path.absolute()))

    def drop(self, path: Path) -> None:
        """Remove a file from the list."""
        self._keep(*self._without(path))

    def clear(self) -> None:
        """Remove all files from the list."""
        self._keep()

    def actions(self, open_one: Callable[[Path], object], enabled: Callable[[], bool]) -> Iterator[Action]:
        """Yield an action for each file, and one that clears the list."""
        yield from file_actions("recent", _MENU, MOST_RECENT, lambda: self.paths, _told, open_one, enabled)
        yield Action("recent.clear", "&Clear the list", _MENU, self.clear, enabled=lambda: bool(self.paths), apart=True)

    def _without(self, path: Path) -> Iterator[Path]:
        """Yield all other files, including those that other windows opened meanwhile."""
        return (other for other in _paths(self._preferences.kept) if other != path)

    def _keep(self, *paths: Path) -> None:
        self._preferences.keep(recent=tuple(map(str, paths[:MOST_RECENT])))


def _paths(settings: Settings) -> tuple[Path, ...]:
    return tuple(Path(path) for path in settings.recent if path)


def _told(path: Path) -> str:
    """Return the file's name, then its folder, each shortened: names are what tells files apart."""
    from posenc_gui.foundation.unicode_text import shorten_middle, shorten_start  # not needed for the first paint
    from posenc_gui.render.layout.text_fit import visible

    name = shorten_middle(visible(path.name), _LONGEST_NAME)
    home, folder = Path.home(), path.parent
    folder = Path("~", folder.relative_to(home)) if folder.is_relative_to(home) else folder
    return f"{name}   {shorten_start(visible(str(folder)), _LONGEST_FOLDER)}"
