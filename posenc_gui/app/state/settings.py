"""Settings that outlive the session: theme, device, recent files, and the docks' layout; and the user's current ones, applied.

They are read before the first paint, and so without pydantic, which would take a quarter of the time until then.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar, get_args

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QApplication, QStyle, QWidget

from posenc_gui.app.widgets import style_sheet as themes
from posenc_gui.app.widgets.style_sheet import Choice
from posenc_gui.foundation.files import atomic
from posenc_gui.foundation.former_names import PLOTS
from posenc_gui.foundation.theme import Roles
from posenc_gui.foundation.wording import join_words

if TYPE_CHECKING:  # heavy: imported only after the first paint
    from posenc_gui.app.state.window_slots import WindowSlot

ArrangementName = Literal["explore", "compare", "lab"]
Read = TypeVar("Read")

VERSION = (
    5  # of saved layouts; raise it when cards are renamed but by `former_names`, so that older layouts are ignored
)
MOST_CLOSED = 10  # closed windows whose sessions are kept
MOST_RECENT = 10  # files, and formulas
_LARGEST_FILE = 1_000_000  # bytes
_LONGEST_PATH, _LONGEST_TEXT = 4096, 1000  # characters
_HIGHEST_HEADLINE = 500  # pixels
_MOST_VALUES = 100  # of a list
_MOST_NAMED, _LONGEST_NAME = 10, 40  # unknown settings that are named, and characters of a name


@dataclass(frozen=True)
class Settings:
    """The window's settings; a value that can't be used is replaced by its default.

    scale: the text size, where 1 is normal. folder: the last folder of a file dialog. recent: files opened or saved, the newest
    first; formulas: those that were typed. menu_bar: True if it is always shown. reduce_motion: True if nothing is to move.
    moved_word: True once a word was moved to another place, so that nobody needs to be told that words can be moved. looks: the
    last export options, name and value. kind: the suffix of the last exported figure. minutes: what is planned for a talk, 0 if
    nothing is.
    """

    theme: Choice = "system"
    scale: float = 1.0
    device: str = "cpu"
    folder: str = ""
    recent: tuple[str, ...] = ()
    formulas: tuple[str, ...] = ()
    menu_bar: bool = False
    reduce_motion: bool = False
    moved_word: bool = False
    looks: tuple[tuple[str, object], ...] = ()
    kind: str = ".svg"
    minutes: int = 0

    @classmethod
    def read(cls, found: dict[str, Any]) -> Settings:
        """Return the settings that a file holds, without unknown and unusable ones."""
        usable = {name: found[name] for name in _ALLOWED.keys() & found.keys() - _unusable(found)}
        for name in ("recent", "formulas") & usable.keys():
            usable[name] = tuple(usable[name][:MOST_RECENT])
        if "looks" in usable:
            usable["looks"] = tuple((name, value) for name, value in usable["looks"])
        return cls(**usable)

    @property
    def folders(self) -> frozenset[Path]:
        """The folders of recent files, and that of the last dialog."""
        used = (self.folder, *(str(Path(path).parent) for path in self.recent if path))
        return frozenset(Path(folder) for folder in used if folder)


def _by_current_names(state: bytes) -> bytes:
    """Return a state of Qt's with the names that cards of plots have today."""
    for former, name in PLOTS.items():
        state = state.replace(_as_qt_writes(f"plot.{former}"), _as_qt_writes(f"plot.{name}"))
    return state


def _as_qt_writes(name: str) -> bytes:
    letters = name.encode("utf-16-be")
    return len(letters).to_bytes(4, "big") + letters


def _is_path(value: object) -> bool:
    try:
        return isinstance(value, str) and len(value) <= _LONGEST_PATH and b"\0" not in os.fsencode(value)
    except UnicodeEncodeError:
        return False


def _is_list(value: object, of: Callable[[Any], bool]) -> bool:
    return isinstance(value, list) and len(value) <= _MOST_VALUES and all(map(of, value))


def _is_look(value: object) -> bool:
    match value:
        case [str(), str(text)]:
            return len(text) <= _LONGEST_TEXT
        case [str(), bool() | int() | float() | None]:
            return True
    return False


def _matches(pattern: str) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, str) and bool(re.fullmatch(pattern, value))


_ALLOWED: dict[str, Callable[[Any], bool]] = {
    "theme": lambda value: value in ("system", "light", "dark"),
    "scale": lambda value: isinstance(value, int | float) and 0.75 <= value <= 2,
    "device": _matches(r"[a-z]{1,20}(:\d{1,3})?"),
    "folder": _is_path,
    "recent": lambda value: _is_list(value, _is_path),
    "formulas": lambda value: _is_list(value, _matches(r"(?s).{1,2000}")),
    "menu_bar": lambda value: isinstance(value, bool),
    "reduce_motion": lambda value: isinstance(value, bool),
    "moved_word": lambda value: isinstance(value, bool),
    "kind": _matches(r"\.\w{1,10}"),
    "minutes": lambda value: type(value) is int and 0 <= value <= 600,
    "looks": lambda value: _is_list(value, _is_look),
}

_FORMER = ("offered_labs",)  # settings of earlier versions, which nothing asks for any more


def _unusable(found: dict[str, Any]) -> set[str]:
    """The settings whose values are none, or too long."""
    return {name for name, allows in _ALLOWED.items() if name in found and not allows(found[name])}


def _unknown(found: dict[str, Any]) -> dict[str, Any]:
    """The settings of another version, which this one doesn't know."""
    return {name: value for name, value in found.items() if name not in _ALLOWED and name not in _FORMER}


@dataclass(frozen=True)
class SavedLayouts:
    """The docks' arrangements as Qt saved them, by name; `at` is the current one, `before` that to which leaving a lab leads,
    `maximised` the card that has all the room there, `headline` the height in pixels that the headline had beside it.

    Qt can crash on bytes that it didn't write, so they carry their hash.
    """

    version: int
    geometry: str
    at: ArrangementName
    states: tuple[tuple[ArrangementName, str], ...]
    sha256: str = ""
    maximised: str = ""
    headline: int = 0
    before: ArrangementName = "lab"

    @classmethod
    def read(cls, found: dict[str, Any]) -> SavedLayouts:
        """Return the arrangement that a file holds, intact or not. Raises ValueError or TypeError if there is none in it."""
        states = tuple((name, state) for name, state in found.get("states", ()))
        height = found.get("headline")
        known = height if isinstance(height, int) and 0 <= height <= _HIGHEST_HEADLINE else 0
        before = found.get("before") if found.get("before") in get_args(ArrangementName) else "lab"
        return cls(**{**found, "states": states, "headline": known, "before": before})

    @classmethod
    def of(
        cls,
        version: int,
        geometry: bytes,
        at: ArrangementName,
        states: dict[ArrangementName, bytes],
        maximised: str = "",
        headline: int = 0,
        before: ArrangementName = "lab",
    ) -> SavedLayouts:
        """Wrap the window's geometry and states, as Qt saved them."""
        wrapped = tuple((name, base64.b64encode(state).decode()) for name, state in states.items())
        own = cls(version, base64.b64encode(geometry).decode(), at, wrapped, "", maximised, headline, before)
        return replace(own, sha256=own._digest())

    def intact(self, version: int) -> bool:
        """Return True if this is, bit for bit, what a window with this version of layouts saved."""
        return self.version == version and self.sha256 == self._digest()

    @property
    def qt_geometry(self) -> bytes:
        """The window's geometry for Qt."""
        return base64.b64decode(self.geometry)

    @property
    def qt_states(self) -> dict[ArrangementName, bytes]:
        """The states for Qt."""
        return {name: _by_current_names(base64.b64decode(state)) for name, state in self.states}

    def _digest(self) -> str:
        hashed = (self.version, self.geometry, self.at, self.states, self.maximised)
        return hashlib.sha256(json.dumps(hashed).encode()).hexdigest()


class Memory:
    """The folder in which windows keep what they remember."""

    def __init__(self, folder: Path) -> None:
        self.folder_path = folder  # whether or not it exists
        self.labs = folder / "labs"  # labs' progress

    def claim_slot(self, settings: Settings, *, new: bool = False) -> WindowSlot:
        """Claim the slot of a starting window; a `new` window restores no session. Delete what killed windows left
        unfinished, also in the folders of the settings."""
        from posenc_gui.app.state.window_slots import claim_slot

        place = claim_slot(self.folder_path / "windows", MOST_CLOSED, new=new)
        if place.found is None and not new:
            with suppress(OSError):  # earlier versions kept one session for all windows
                place.adopt(self.folder_path / "last-session.json")
        for folder in (self.folder_path, self.labs):
            atomic.delete_unfinished(folder)
        atomic.delete_unfinished(place.session.parent, older=0)  # nobody else writes there
        for folder in settings.folders:  # on threads, since they may be on a slow network
            threading.Thread(target=atomic.delete_unfinished, args=(folder,), daemon=True).start()
        return place

    @property
    def has_sessions(self) -> bool:
        """True if a window, open or closed, has kept a session."""
        with suppress(OSError):  # pathlib raises where a folder may not be read
            kept = (self.folder_path / "windows").glob("*/session.json")
            return any(kept) or (self.folder_path / "last-session.json").exists()
        return False

    def others(self) -> list[WindowSlot]:
        """Return the slots with a session that no window holds, newest first."""
        from posenc_gui.app.state.window_slots import free_slots

        return free_slots(self.folder_path / "windows")

    def settings(self, otherwise: Settings | None = None) -> Settings:
        """Return the saved settings; if there are none or they can't be read, `otherwise` or the defaults."""
        return self._read("settings.json", Settings.read) or otherwise or Settings()

    def settings_and_faults(self) -> tuple[Settings, str]:
        """Return the saved settings, and sentences on what of their file can't be used or isn't known, or an empty text."""
        try:
            found = json.loads(self._content("settings.json"))
        except (FileNotFoundError, NotADirectoryError):
            return Settings(), ""
        except (OSError, ValueError, RecursionError):
            found = None
        if not isinstance(found, dict):
            return Settings(), "The settings could not be read, and begin anew."
        told = []
        if names := sorted(_unusable(found)):
            told.append(f"Settings that can't be used begin anew: {', '.join(names)}.")
        if names := sorted(_unknown(found)):
            listed = [repr(name[:_LONGEST_NAME]) for name in names[:_MOST_NAMED]]
            more = [f"{len(names) - _MOST_NAMED} more"] if len(names) > _MOST_NAMED else []
            told.append(f"Settings that this version doesn't know stay as they are: {join_words([*listed, *more])}.")
        return Settings.read(found), " ".join(told)

    def keep_settings(self, settings: Settings) -> None:
        """Save these settings, beside those in the file that this version doesn't know."""
        self._write("settings.json", (self._read("settings.json", _unknown) or {}) | asdict(settings))

    def take_arrangement(self, version: int = VERSION) -> SavedLayouts | None:
        """Return the arrangement and delete its file, so that one that makes the window crash is used only once. None if
        there is none, if it is not intact, or if the file can't be deleted."""
        found = self._read("arrangement.json", SavedLayouts.read)
        try:
            (self.folder_path / "arrangement.json").unlink(missing_ok=True)
        except OSError:  # what can't be deleted is not tried
            return None
        return found if found and found.intact(version) else None

    def keep_arrangement(self, arrangement: SavedLayouts) -> None:
        """Save this arrangement."""
        self._write("arrangement.json", asdict(arrangement))

    def _read(self, name: str, read: Callable[[dict[str, Any]], Read]) -> Read | None:
        try:
            found = json.loads(self._content(name))
            return read(found) if isinstance(found, dict) else None
        except (OSError, ValueError, TypeError, RecursionError):
            return None

    def _content(self, name: str) -> bytes:
        return atomic.read_bytes(self.folder_path / name, _LARGEST_FILE, "file of settings")

    def _write(self, name: str, values: dict[str, Any]) -> None:
        with suppress(OSError, RecursionError):  # settings are not worth a message
            self.folder_path.mkdir(parents=True, exist_ok=True)
            atomic.write(self.folder_path / name, json.dumps(values, indent=2).encode())


class Preferences(QObject):
    """Holds the settings, and applies the theme to the window."""

    restyled = Signal()  # after everything took on another theme or size of text

    def __init__(self, memory: Memory, app: QApplication, window: QWidget) -> None:
        super().__init__(window)
        self._memory, self._app, self._window = memory, app, window
        # The current settings; and what of the kept ones can't be used or isn't known, in words, or "".
        self.settings, self.left_aside = memory.settings_and_faults()
        themes.apply(self.theme, window, self.settings.scale)
        app.styleHints().colorSchemeChanged.connect(self._on_scheme)

    @property
    def kept(self) -> Settings:
        """The settings as they were last saved, by whichever window; the current ones if they can't be read."""
        return self._memory.settings(self.settings)

    @property
    def theme(self) -> Roles:
        """The colours of the chosen theme, or of the desktop's."""
        return themes.theme_for(self.settings.theme, self._app)

    @property
    def reduces_motion(self) -> bool:
        """True if nothing is to move, by the user's choice or the desktop's."""
        return self.settings.reduce_motion or not self._app.style().styleHint(QStyle.StyleHint.SH_Widget_Animate)

    def device_of(self, devices: Iterable[str]) -> str:
        """The selected device, or the CPU if that one is unavailable."""
        return self.settings.device if self.settings.device in devices else "cpu"

    def keep(self, **changes: Any) -> None:
        """Change these settings, now and for the next start, and leave the others as other windows kept them."""
        kept = replace(self.kept, **changes)
        self.settings = replace(self.settings, **changes)
        self._memory.keep_settings(kept)

    def choose_theme(self, choice: Choice) -> None:
        """Draw everything in this theme."""
        self.keep(theme=choice)
        self._apply_theme()

    def choose_scale(self, scale: float) -> None:
        """Scale all text by this factor."""
        self.keep(scale=scale)
        self._apply_theme()

    def _on_scheme(self) -> None:
        if self.settings.theme == "system":
            self._apply_theme()

    def _apply_theme(self) -> None:
        themes.apply(self.theme, self._window, self.settings.scale)
        self.restyled.emit()
