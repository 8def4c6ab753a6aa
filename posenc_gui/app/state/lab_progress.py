"""Lab progress on disk: the lab that is being played, the record of each, and the step that is being written."""

from __future__ import annotations

from contextlib import suppress
from functools import cached_property
from pathlib import Path

from pydantic import ConfigDict, Field

from posenc_gui.app.state.window_slots import Holder, Lock, StoredPath, WindowSlot
from posenc_gui.app.state.worker import BackgroundWriter
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.foundation.files import atomic
from posenc_gui.foundation.files.header import LARGEST_FILE, Opened
from posenc_gui.labs.definition.record import Record


class Underway(Frozen):
    """The lab that is being played; each field may be empty.

    lab: its name. path: its file, if it is not bundled. left: in free play, the session to come back to, as JSON. before:
    the session that the lab took the place of, as JSON; file, stamp, title: what a `WindowState` says of it. learner: the name
    under which reports are saved.
    """

    lab: str = ""
    path: StoredPath = ""
    left: str = ""
    before: str = ""
    file: StoredPath = ""
    stamp: atomic.Stamp | None = None
    title: str = ""
    learner: str = ""


class HalfWritten(Frozen):
    """A step of a lab as far as it is written; each field may be empty.

    file: the lab's file. fields: what is typed, by the name of the field. choices: of each drop-down list its data and words,
    in the order in which they are to be chosen. ticks: of each box of its own. goals, claims: conditions with their words,
    and whether they are ticked. begun, done: the sessions before and after the learner's action, as JSON. records: True while
    that is being recorded. written: the step as it was written before, if it can be changed, as a lab of its own. What a
    newer version has beside these is read, too, to be named.
    """

    model_config = ConfigDict(extra="allow")

    file: StoredPath = ""
    fields: dict[str, str] = Field(default_factory=dict)
    choices: tuple[tuple[str | int | None, str], ...] = ()
    ticks: tuple[bool, ...] = ()
    goals: tuple[tuple[str, str, bool], ...] = ()
    claims: tuple[tuple[str, str, bool], ...] = ()
    begun: str = ""
    done: str = ""
    records: bool = False
    written: str = ""


class LabMemory:
    """Keeps labs' progress in this window's slot; the folder is that of all windows' records."""

    def __init__(self, folder: Path, place: WindowSlot, writer: BackgroundWriter) -> None:
        self._folder, self._underway, self._step, self._writer = folder, place.underway, place.step, writer
        self._locks: dict[str, Lock] = {}  # of the lab that is being played, and the one that is about to be
        self._records: dict[str, Record] = {}  # of the same, as they will be on the disk

    def underway(self) -> Underway:
        """Return the lab that was being played; an empty one if there is none or it can't be read."""
        with suppress(OSError, ValueError):
            return Underway.model_validate_json(atomic.read_bytes(self._underway, LARGEST_FILE, "lab underway"))
        return Underway()

    def keep_underway(self, underway: Underway) -> None:
        """Remember which lab is being played."""
        self._writer.write(self._underway, underway.model_dump_json)

    @cached_property
    def half_written(self) -> HalfWritten:
        """The step that is being written; an empty one if there is none. Raises OSError or ValueError if it can't be read."""
        with suppress(FileNotFoundError, NotADirectoryError):
            return HalfWritten.model_validate_json(atomic.read_bytes(self._step, LARGEST_FILE, "step of a lab"))
        return HalfWritten()

    def keep_half_written(self, step: HalfWritten) -> None:
        """Remember how far a step is written."""
        if step != self.half_written:
            self.half_written = step
            self._writer.write(self._step, step.model_dump_json)

    def put_aside_half_written(self) -> Path | None:
        """Rename the file of the step that is being written, so that it isn't replaced; return its path as of a record."""
        self.half_written = HalfWritten()
        return self._put_aside(self._step)

    def take(self, lab: str) -> bool:
        """Lock a lab against other windows, since its record has room for one player. Return False if one of them plays it.
        Labs that were taken before stay so until `hold_only`."""
        if lab in self._locks:
            return True
        lock = Lock(self._folder / f"{lab}.lock")
        if lock.take() is Holder.HERE:
            return False
        self._locks[lab] = lock
        return True

    def hold_only(self, lab: str) -> None:
        """Release the locks of all labs but one."""
        for other in [taken for taken in self._locks if taken != lab]:
            self._writer.finish()
            self._records.pop(other, None)
            self._locks.pop(other).release()

    def release(self) -> None:
        """Release the locks of all labs."""
        self.hold_only("")

    def record(self, lab: str) -> Opened[Record] | None:
        """Return the record of a lab; None if there is none. Raises OSError or ValueError if it can't be read."""
        if lab in self._records:
            return Opened(self._records[lab])
        with suppress(FileNotFoundError, NotADirectoryError):
            return Record.open(self._file(lab))
        return None

    def keep_record(self, lab: str, record: Record) -> None:
        """Save the record of a lab that this window has taken."""
        self._records[lab] = record
        self._writer.write(self._file(lab), record.to_json)

    def put_aside_record(self, lab: str) -> Path | None:
        """Rename a lab's record, so that the next one doesn't replace it; return its new path, None if nothing was renamed."""
        self._records.pop(lab, None)
        return self._put_aside(self._file(lab))

    def _put_aside(self, file: Path) -> Path | None:
        self._writer.finish()
        with suppress(OSError):
            return file.replace(file.with_suffix(f".{file.stat().st_mtime_ns}.json"))
        return None

    def _file(self, lab: str) -> Path:
        return self._folder / f"{lab}.json"
