"""Settings that outlive the session: theme, device, recent files, and the docks' layout.

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
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from posenc_gui.foundation.files import atomic

if TYPE_CHECKING:
    from posenc_gui.app.state.window_slots import WindowSlot
    from posenc_gui.app.widgets.style_sheet import Choice

ArrangementName = Literal["explore", "compare", "lab"]  # of an arrangement
Read = TypeVar("Read")

VERSION = 5  # of saved layouts; raise it when cards are renamed, so that older layouts are ignored
MOST_CLOSED = 10  # closed windows whose sessions are kept
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
        """The folders of the user's recent files."""
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
    at: ArrangementName
    states: tuple[tuple[ArrangementName, str], ...]
    sha256: str = ""

    @classmethod
    def read(cls, found: dict[str, Any]) -> Arrangement:
        """The arrangement that a file holds, to be used where it is intact. Raises ValueError or TypeError for what is none."""
        return cls(**{**found, "states": tuple((name, state) for name, state in found.get("states", ()))})

    @classmethod
    def of(
        cls, version: int, geometry: bytes, at: ArrangementName, states: dict[ArrangementName, bytes]
    ) -> Arrangement:
        """Wrap what Qt gave."""
        wrapped = tuple((name, base64.b64encode(state).decode()) for name, state in states.items())
        own = cls(version, base64.b64encode(geometry).decode(), at, wrapped)
        return replace(own, sha256=own._digest())

    def intact(self, version: int) -> bool:
        """True if this is, bit for bit, what this version saved."""
        return self.version == version and self.sha256 == self._digest()

    @property
    def qt_geometry(self) -> bytes:
        """The window's geometry for Qt."""
        return base64.b64decode(self.geometry)

    @property
    def qt_states(self) -> dict[ArrangementName, bytes]:
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
        """The folder, whether or not it exists."""
        return self._folder

    @property
    def labs(self) -> Path:
        """The folder in which labs' progress is kept."""
        return self._folder / "labs"

    def place(self, *, new: bool = False) -> WindowSlot:
        """Claim the folder in which a starting window keeps its session; a `new` window restores none."""
        from posenc_gui.app.state.window_slots import claim_slot

        place = claim_slot(self._folder / "windows", MOST_CLOSED, new=new)
        if place.found is None and not new:
            with suppress(OSError):  # earlier versions kept one session for all windows
                place.adopt(self._folder / "last-session.json")
        for folder in (self._folder, self.labs):
            atomic.delete_unfinished(folder)
        atomic.delete_unfinished(place.session.parent, older=0)  # nobody else writes there
        for folder in self.settings().folders:  # they may be far away: nobody waits for them
            threading.Thread(target=atomic.delete_unfinished, args=(folder,), daemon=True).start()
        return place

    def others(self) -> list[WindowSlot]:
        """The slots that other windows left."""
        from posenc_gui.app.state.window_slots import free_slots

        return free_slots(self._folder / "windows")

    def settings(self, otherwise: Settings | None = None) -> Settings:
        """The settings; `otherwise`, or the defaults, where there are none or they can't be read."""
        return self._read("settings.json", Settings.read) or otherwise or Settings()

    def keep_settings(self, settings: Settings) -> None:
        """Save these settings."""
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
        """Save this arrangement."""
        self._write("arrangement.json", arrangement)

    def folder(self) -> Path:
        """The folder, created if needed."""
        self._folder.mkdir(parents=True, exist_ok=True)
        return self._folder

    def _read(self, name: str, read: Callable[[dict[str, Any]], Read]) -> Read | None:
        try:
            found = json.loads(atomic.read_bytes(self._folder / name, _LARGEST_FILE, "file of settings"))
            return read(found) if isinstance(found, dict) else None
        except (OSError, ValueError, TypeError, RecursionError):
            return None

    def _write(self, name: str, value: Settings | Arrangement) -> None:
        with suppress(OSError):  # settings are not worth a message
            atomic.write(self.folder() / name, json.dumps(asdict(value), indent=2).encode())
