"""What the window remembers beside the session: theme, device, files, and how the docks are arranged.

It is read before the first paint, so by hand: pydantic takes a fourth of the time until then.
"""

from __future__ import annotations

import base64
import hashlib
import json
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from posenc_gui.foundation.files import atomic as files

if TYPE_CHECKING:
    from posenc_gui.app.docks.layouts import Name
    from posenc_gui.app.state.window_slots import Place
    from posenc_gui.app.widgets.style_sheet import Choice

Read = TypeVar("Read")

VERSION = 5  # of arrangements, raised when cards are renamed, so that older ones are not applied
MOST_CLOSED = 10  # windows that were closed, whose sessions are kept
_LARGEST_FILE = 10_000_000  # bytes


@dataclass(frozen=True)
class Settings:
    """The window's settings; every field has a default, which also stands for what can't be used: these are only habits.

    scale: how large type is, 1 as it was made. folder: where a dialog ended last. recent: files that were opened or saved,
    the last one first. menu_bar: whether it is always there. looks: what was chosen of how figures look in their files.
    kind: of which kind the last one was, by its suffix.
    """

    theme: Choice = "system"
    scale: float = 1.0
    device: str = "cpu"
    folder: str = ""
    recent: tuple[str, ...] = ()
    menu_bar: bool = False
    looks: tuple[tuple[str, object], ...] = ()
    kind: str = ".svg"

    @classmethod
    def read(cls, found: dict[str, Any]) -> Settings:
        """The settings that a file holds; other explorers' are left out."""
        usable: dict[str, Any] = {
            name: found[name] for name, allows in _ALLOWED.items() if name in found and allows(found[name])
        }
        if "recent" in usable:
            usable["recent"] = tuple(usable["recent"])
        if "looks" in usable:
            usable["looks"] = tuple((name, value) for name, value in usable["looks"])
        return cls(**usable)

    @property
    def folders(self) -> frozenset[Path]:
        """Where the user's own files were last."""
        used = (self.folder, *(str(Path(path).parent) for path in self.recent if path))
        return frozenset(Path(folder) for folder in used if folder)


_ALLOWED: dict[str, Callable[[Any], bool]] = {
    "theme": lambda value: value in ("system", "light", "dark"),
    "scale": lambda value: isinstance(value, int | float) and 0.75 <= value <= 2,
    "device": lambda value: isinstance(value, str),
    "folder": lambda value: isinstance(value, str),
    "recent": lambda value: isinstance(value, list) and all(isinstance(path, str) for path in value),
    "menu_bar": lambda value: isinstance(value, bool),
    "kind": lambda value: isinstance(value, str),
    "looks": lambda value: isinstance(value, list) and all(isinstance(one, list) and len(one) == 2 for one in value),
}


@dataclass(frozen=True)
class Arrangement:
    """The docks' arrangements as Qt saved them, by name, and which one is there.

    Qt can crash on bytes that it didn't write, so they carry their hash.
    """

    version: int
    geometry: str
    at: Name
    states: tuple[tuple[Name, str], ...]
    sha256: str = ""

    @classmethod
    def read(cls, found: dict[str, Any]) -> Arrangement:
        """The arrangement that a file holds, to be used where it is intact. Raises ValueError or TypeError for what is none."""
        return cls(**{**found, "states": tuple((name, state) for name, state in found.get("states", ()))})

    @classmethod
    def of(cls, version: int, geometry: bytes, at: Name, states: dict[Name, bytes]) -> Arrangement:
        """Wrap what Qt gave."""
        wrapped = tuple((name, base64.b64encode(state).decode()) for name, state in states.items())
        own = cls(version, base64.b64encode(geometry).decode(), at, wrapped)
        return replace(own, sha256=own._digest())

    def intact(self, version: int) -> bool:
        """Whether this is, bit for bit, what this version of the window saved."""
        return self.version == version and self.sha256 == self._digest()

    @property
    def qt_geometry(self) -> bytes:
        """The window's geometry for Qt."""
        return base64.b64decode(self.geometry)

    @property
    def qt_states(self) -> dict[Name, bytes]:
        """The states for Qt."""
        return {name: base64.b64decode(state) for name, state in self.states}

    def _digest(self) -> str:
        return hashlib.sha256(json.dumps((self.version, self.geometry, self.at, self.states)).encode()).hexdigest()


class Memory:
    """The folder in which the window keeps what it remembers."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @property
    def folder_path(self) -> Path:
        """The folder, whether or not it is there."""
        return self._folder

    @property
    def labs(self) -> Path:
        """The folder in which labs' progress is kept."""
        return self._folder / "labs"

    def place(self, *, new: bool = False) -> Place:
        """Where a window that begins now keeps its session; a `new` one goes on with none."""
        from posenc_gui.app.state.window_slots import claim

        place = claim(self._folder / "windows", new=new)
        if place.found is None and not new:
            with suppress(OSError):  # an explorer before this one kept one session for all windows
                place.adopt(self._folder / "last-session.json")
        for folder in (self._folder, self.labs):
            files.sweep(folder)
        files.sweep(place.session.parent, older=0)  # nobody else writes there
        for folder in self.settings().folders:  # they may be far away: nobody waits for them
            threading.Thread(target=files.sweep, args=(folder,), daemon=True).start()
        return place

    def others(self) -> list[Place]:
        """What other windows left."""
        from posenc_gui.app.state.window_slots import others

        return others(self._folder / "windows")

    def settings(self, otherwise: Settings | None = None) -> Settings:
        """The settings; `otherwise`, or the defaults, where there are none or they can't be read."""
        return self._read("settings.json", Settings.read) or otherwise or Settings()

    def keep_settings(self, settings: Settings) -> None:
        """Remember these settings."""
        self._write("settings.json", settings)

    def take_arrangement(self, version: int = VERSION) -> Arrangement | None:
        """The arrangement, taken out of the folder: one that makes the window crash is not met again."""
        found = self._read("arrangement.json", Arrangement.read)
        try:
            (self._folder / "arrangement.json").unlink(missing_ok=True)
        except OSError:  # what can't be taken out is not tried
            return None
        return found if found and found.intact(version) else None

    def keep_arrangement(self, arrangement: Arrangement) -> None:
        """Remember this arrangement."""
        self._write("arrangement.json", arrangement)

    def folder(self) -> Path:
        """The folder, made if need be."""
        self._folder.mkdir(parents=True, exist_ok=True)
        return self._folder

    def _read(self, name: str, read: Callable[[dict[str, Any]], Read]) -> Read | None:
        try:
            found = json.loads(files.content(self._folder / name, _LARGEST_FILE, "file of settings"))
            return read(found) if isinstance(found, dict) else None
        except (OSError, ValueError, TypeError, RecursionError):
            return None

    def _write(self, name: str, value: Settings | Arrangement) -> None:
        with suppress(OSError):  # habits are not worth a message
            files.write(self.folder() / name, json.dumps(asdict(value), indent=2).encode())
