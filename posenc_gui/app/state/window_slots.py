"""Where windows keep their sessions for the next start: a folder each, which no other window takes as long as it lives."""

from __future__ import annotations

import shutil
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from uuid import uuid4

from posenc_gui.app.state.file_lock import Holder, Lock
from posenc_gui.app.state.settings import MOST_CLOSED
from posenc_gui.app.state.stored_path import Remembered
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.foundation.files import atomic as files
from posenc_gui.foundation.files.atomic import Stamp

_LARGEST_STATE = 100_000  # bytes
_TRIES = 10  # at a place that no other start takes away before it is locked


class State(Frozen):
    """How a window stands.

    kept: the stamp of the session that was kept with it. file: the session's own file, where it has one, with its stamp.
    closed: whether the window ended as it should. starts: how often it began with its session without coming up.
    """

    kept: Stamp | None = None
    file: Remembered = ""
    stamp: Stamp | None = None
    closed: bool = False
    starts: int = 0


class Place:
    """One window's folder, with what was found there when it was taken."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.lock = Lock(folder / "lock")
        self.found: State | None = None  # None without a session

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

    def take(self) -> Holder:
        """Keep other windows away, if none has it, and look what is there: who has it now. Raises
        OSError where that can't be read.
        """
        holder = self.lock.take()
        if holder is Holder.MINE:
            self.found = self._state()
        return holder

    def beside(self) -> Place:
        """Another place, of no window."""
        return Place(self._folder.parent / uuid4().hex[:8])

    def adopt(self, session: Path) -> None:
        """Take over a session that was closed elsewhere. Raises OSError."""
        session.replace(self.session)
        self.found = State(kept=files.stamp(self.session), closed=True)

    def note(self, state: State) -> None:
        """Write how the window stands, now."""
        with suppress(OSError):  # that nothing is kept is said by who keeps the rest
            files.write(self.state, state.model_dump_json().encode())

    def put_aside(self) -> Path:
        """Move what was found out of the way of the next start: where the session is now. Raises OSError."""
        aside = self._folder.parent / f"put-aside-{uuid4().hex[:8]}.json"
        self.session.replace(aside)
        with suppress(OSError):
            self.underway.replace(aside.with_suffix(".underway.json"))
        return aside

    def remove(self) -> None:
        """Forget what is kept here."""
        shutil.rmtree(self._folder, ignore_errors=True)

    def _state(self) -> State | None:
        """The state, an untold one where it was not written with the session that is here. Raises OSError."""
        with suppress(FileNotFoundError, NotADirectoryError):
            self.session.stat()
            with suppress(OSError, ValueError):
                state = State.model_validate_json(files.content(self.state, _LARGEST_STATE, "state of a window"))
                if state.kept == files.stamp(self.session):
                    return state
            return State()
        return None


def claim(root: Path, *, new: bool = False) -> Place:
    """The place of a window that begins.

    It is the newest of those whose window did not end as it should have; else, where no other window lives, the newest;
    else, and where it is to be `new`, one of which nothing is known. Of windows that were closed the last ten are kept.
    """
    found = _taken(root)
    free = [place for place, holder in found if holder is Holder.MINE]
    alone = all(holder is not Holder.HERE for _, holder in found)
    lost = [place for place in free if place.found and not place.found.closed]
    ended = [place for place in free if place.found and place.found.closed]
    chosen = next(iter(() if new else (*lost, *(ended if alone else ()))), None)
    for place in (*ended[MOST_CLOSED:], *(one for one in free if not one.found)):
        place.remove()
    for place in free:
        if place is not chosen:
            place.lock.release()
    return chosen or _new(root)


def others(root: Path) -> list[Place]:
    """The places with a session that no window has, the last one first."""
    free = [place for place, holder in _taken(root) if holder is Holder.MINE]
    for place in free:
        place.lock.release()
    return [place for place in free if place.found]


def _new(root: Path) -> Place:
    for _ in range(_TRIES):
        place = Place(root / uuid4().hex[:8])
        with suppress(OSError):
            if place.take() is Holder.MINE and place.lock.holds:
                break
    return place


def _taken(root: Path) -> list[tuple[Place, Holder]]:
    """All places that can be read, the one whose session was kept last first, taken where nobody has them."""
    found = []
    with suppress(OSError):
        folders = [folder for folder in root.iterdir() if folder.is_dir() and not folder.is_symlink()]
        for place in sorted(map(Place, folders), key=lambda one: one.at, reverse=True):
            with suppress(OSError):
                found.append((place, place.take()))
    return found
