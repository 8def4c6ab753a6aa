"""Lab progress on disk: the lab that is being played, and the record of each."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from posenc_gui.app.state.window_slots import Holder, Lock, StoredPath
from posenc_gui.app.state.worker import BackgroundWriter
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.foundation.files import atomic
from posenc_gui.foundation.files.header import LARGEST_FILE, Opened
from posenc_gui.labs.definition.record import Record


class Underway(Frozen):
    """The lab that is being played; each field may be empty.

    lab: its name. path: its file, if it is not bundled. left: in free play, the session to come back to, as JSON. before:
    the session that the lab replaced, as JSON. learner: the name under which reports are saved.
    """

    lab: str = ""
    path: StoredPath = ""
    left: str = ""
    before: str = ""
    learner: str = ""


class LabMemory:
    """Keeps labs' progress: `underway` is this window's file, the folder is that of all windows' records."""

    def __init__(self, folder: Path, underway: Path, writer: BackgroundWriter) -> None:
        self._folder, self._underway, self._writer = folder, underway, writer
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

    def take(self, lab: str) -> bool:
        """Lock a lab against other windows, since its record has room for one player. Return False if one of them plays it.

        Labs that were taken before stay so until `hold_only`.
        """
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
        self._writer.finish()
        self._records.pop(lab, None)
        file = self._file(lab)
        with suppress(OSError):
            return file.replace(file.with_suffix(f".{file.stat().st_mtime_ns}.json"))
        return None

    def _file(self, lab: str) -> Path:
        return self._folder / f"{lab}.json"
