"""Where windows keep their sessions for the next start: a folder each, which no other window takes as long as it lives."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from uuid import uuid4

from PySide6.QtCore import QLockFile

from posenc_gui import files
from posenc_gui.files import Stamp
from posenc_gui.frozen import Frozen

MOST_CLOSED = 10  # places of windows that were closed
_LARGEST_STATE = 100_000  # bytes
_HELD = QLockFile.LockError.LockFailedError  # by a window that lives


class State(Frozen):
    """How a window stands.

    file: its session's own file, where it has one, with its stamp. closed: whether it ended as it should. starts: how often
    it began with its session without coming up.
    """

    file: str = ""
    stamp: Stamp | None = None
    closed: bool = False
    starts: int = 0


class Place:
    """One window's folder, with what was found there."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = QLockFile(str(folder / "lock"))
        self._lock.setStaleLockTime(0)  # a window may stand open for days
        self.found = self._state()

    @property
    def session(self) -> Path:
        """The file of the session."""
        return self._folder / "session.json"

    @property
    def state(self) -> Path:
        """The file of the state."""
        return self._folder / "window.json"

    @property
    def underway(self) -> Path:
        """The file of the lab that is being played."""
        return self._folder / "underway.json"

    @property
    def at(self) -> float:
        """When the session was kept, in seconds; 0 where there is none."""
        with suppress(OSError):
            return self.session.stat().st_mtime
        return 0.0

    @property
    def time(self) -> str:
        """The same as a clock shows it, with the day where that isn't today."""
        then = datetime.fromtimestamp(self.at)
        return f"{then:%H:%M:%S}" if then.date() == datetime.now().date() else f"{then:%Y-%m-%d, %H:%M:%S}"

    def take(self) -> bool:
        """Keep other windows away. False where one that lives has it; where nothing can be written, nobody is kept away."""
        with suppress(OSError):
            self._folder.mkdir(parents=True, exist_ok=True)
        return self._lock.tryLock(0) or self._lock.error() != _HELD

    def release(self) -> None:
        """Let other windows take it."""
        self._lock.unlock()

    def note(self, state: State) -> None:
        """Write how the window stands, now."""
        with suppress(OSError):  # that nothing is kept is said by who keeps the rest
            files.write(self.state, state.model_dump_json().encode())

    def put_aside(self) -> Path:
        """Move the session out of the way of the next start: where it is now. Raises OSError."""
        self.underway.unlink(missing_ok=True)
        return self.session.replace(self._folder.parent / f"put-aside-{uuid4().hex[:8]}.json")

    def remove(self) -> None:
        """Forget what is kept here."""
        shutil.rmtree(self._folder, ignore_errors=True)

    def _state(self) -> State | None:
        if not self.session.exists():
            return None
        try:
            return State.model_validate_json(files.content(self.state, _LARGEST_STATE, "state of a window"))
        except (OSError, ValueError):
            return State()


def claim(root: Path) -> Place:
    """The place of a window that begins.

    It is the newest of those whose window did not end as it should have; else, where no other window lives, the newest;
    else a new one. Of windows that were closed the last ten are kept.
    """
    free, alone = [], True
    for place in sorted(_places(root), key=lambda one: one.at, reverse=True):
        if place.take():
            free.append(place)
        else:
            alone = False
    lost = [place for place in free if place.found and not place.found.closed]
    ended = [place for place in free if place.found and place.found.closed]
    chosen = next(iter((*lost, *(ended if alone else ()))), None)
    for place in (*ended[MOST_CLOSED:], *(one for one in free if not one.found)):
        place.remove()
    for place in free:
        if place is not chosen:
            place.release()
    if chosen is None:
        chosen = Place(root / uuid4().hex[:8])
        chosen.take()
    return chosen


def closed(root: Path) -> list[Place]:
    """The places of windows that were closed, the last one first, but for those that a window has."""
    found = sorted(_places(root), key=lambda one: one.at, reverse=True)
    return [place for place in found if place.found and place.found.closed]


def _places(root: Path) -> Iterator[Place]:
    with suppress(OSError):
        for folder in root.iterdir():
            if folder.is_dir() and not folder.is_symlink():
                yield Place(folder)
