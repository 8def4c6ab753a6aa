"""What the window remembers of labs: the one that is being played, and what was done of each."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from posenc_gui import files
from posenc_gui.envelope import LARGEST_FILE, Opened
from posenc_gui.frozen import Frozen
from posenc_gui.labs.record import Record


class Underway(Frozen):
    """The lab that is being played: its name, its file where it has its own, and, in free play, the session to come back to.

    learner: under which name reports are saved.
    """

    lab: str = ""
    path: str = ""
    left: str = ""
    learner: str = ""


class LabMemory:
    """The folder in which labs' progress is kept. A full disk costs the next start its progress, not this one."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def underway(self) -> Underway:
        """The lab that is being played; an empty one where there is none or it can't be read."""
        with suppress(OSError, ValueError):
            return Underway.model_validate_json(
                files.content(self._folder / "underway.json", LARGEST_FILE, "lab underway")
            )
        return Underway()

    def keep_underway(self, underway: Underway) -> None:
        """Remember which lab is being played."""
        with suppress(OSError):
            files.write(self._file("underway"), underway.model_dump_json(indent=1).encode())

    def record(self, lab: str) -> Opened[Record] | None:
        """What was done of a lab; None where nothing was. Raises OSError or ValueError where it can't be read."""
        with suppress(FileNotFoundError, NotADirectoryError):
            return Record.open(self._folder / f"{lab}.json")
        return None

    def keep_record(self, lab: str, record: Record) -> None:
        """Remember what was done of a lab."""
        with suppress(OSError):
            record.save(self._file(lab))

    def put_aside_record(self, lab: str) -> None:
        """Keep what was done of a lab beside what will be done of it next."""
        file = self._folder / f"{lab}.json"
        with suppress(OSError):
            file.replace(file.with_suffix(f".{file.stat().st_mtime_ns}.json"))

    def _file(self, name: str) -> Path:
        self._folder.mkdir(parents=True, exist_ok=True)
        return self._folder / f"{name}.json"
