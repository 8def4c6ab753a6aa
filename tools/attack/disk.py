"""Full disks: every writer, on a disk that is full after a random number of bytes. Old files must stay, bit for bit."""

from __future__ import annotations

import json
import os
import random
import re
import resource
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

import psutil
from PySide6.QtWidgets import QApplication

import posenc_gui as pe
from posenc_gui import render
from posenc_gui.app.export.export_process import request_figure
from posenc_gui.app.export.exporter import save_as_pdf
from posenc_gui.app.labs.authoring.step_writer import Written
from posenc_gui.foundation import errors
from posenc_gui.foundation.wording import format_count
from posenc_gui.labs.authoring.write import StepDraft
from posenc_gui.labs.definition.record import Record
from posenc_gui.labs.reports import report
from tools.attack.child import PATIENCE, Child, Ended
from tools.attack.outcome import LOST, UNSAID, Outcome
from tools.attack.window import Player, play

_LARGEST = 20_000  # bytes: the most for which there is room
_SMALL_DISK = "1m"
_FILLER, _OLD, _FULL = "filler", b"what stood there before", "full"
_KEPT = "saved automatically"  # part of the message that the session can't be kept
_REFUSES = re.compile(r"\bnot\b|n't|No ", re.IGNORECASE)  # in any sentence that says that something wasn't done
_EXPORTS = ("export", "report", "print report")
IN_THE_WINDOW = ("save", *_EXPORTS, "write step", "keep")
_RECORD = Record(lab="lab", title="A lab", learner="A. Learner", titles={"one": "First", "two": "Second"})
_LATER = _RECORD.with_step("one", notes="Some words. " * 200)


def attack(rng: random.Random, folder: Path) -> Outcome:
    """Try a random writer with a random amount of room."""
    room = rng.choice((0, 1, rng.randrange(_LARGEST), rng.randrange(_LARGEST)))
    return try_writer(rng.choice([*_writers(), *IN_THE_WINDOW]), room, folder, rng.random() < 0.5)


def try_writer(writer: str, room: int, folder: Path, disk_of_its_own: bool) -> Outcome:
    """Use a writer with plenty of room, then with `room` bytes: of a small disk if one may be mounted, else of each file.

    The old file must stay, and a message must say that nothing was written.
    """
    outcome = Outcome()
    with _small_disk(folder / "disk", disk_of_its_own) as mounted:
        what = f"{writer}, room for {room} bytes on a {'small disk' if mounted else 'limited file'}"
        work = use_window if writer in IN_THE_WINDOW else write
        child = Child(folder / "first", work, writer, str(folder), str(room), str(mounted))
        _judge(child.end(4 * PATIENCE), writer, outcome, what)
        outcome.judge_logs(folder, what)
        outcome.judge_strays(folder, what)
    return outcome


def _judge(ended: Ended, writer: str, outcome: Outcome, what: str) -> None:
    outcome.judge(ended, what)
    outcome.judge_silence(ended, what)
    _, _, after = ended.out.partition(_FULL)
    said = [line.removeprefix("said ") for line in after.splitlines() if line.startswith("said ")]
    for sentence in said:
        outcome.judge_sentence(sentence, what)
    for lost in ended.said("lost"):
        outcome.add(LOST, f"{what}: {lost}")
    outcome.met = int(bool(ended.said("unchanged")))
    own = [sentence for sentence in said if (_KEPT in sentence) == (writer == "keep")]  # autosave speaks, too
    if outcome.met and not any(_REFUSES.search(sentence) for sentence in own):
        outcome.add(UNSAID, f"{what}: it was not written, and what was said is {own}")


@contextmanager
def _small_disk(folder: Path, mounted: bool) -> Iterator[bool]:
    """Make a folder, and mount a small disk there if wanted and allowed; yield whether it is mounted."""
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={_SMALL_DISK}", "tmpfs", str(folder)]
    mounted = mounted and subprocess.run(mount, capture_output=True, check=False).returncode == 0
    try:
        yield mounted
    finally:
        if mounted:
            subprocess.run(["umount", "--lazy", str(folder)], check=True)


def _fill(disk: Path, room: int, mounted: bool) -> None:
    """Leave room for this many bytes: of the whole disk, or of each file."""
    if not mounted:
        window = psutil.Process()
        limit = (room, resource.RLIM_INFINITY)  # Python ignores SIGXFSZ, so that a write fails
        for process in (window, *window.children(recursive=True)):  # the window exports in a child process
            resource.prlimit(process.pid, resource.RLIMIT_FSIZE, limit)
        return
    with (disk / _FILLER).open("wb", buffering=0) as filler:
        state = os.statvfs(disk)
        filler.write(bytes(max(0, state.f_bavail * state.f_frsize - room)))


def _contents(folder: Path) -> dict[str, bytes]:
    found = {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}
    found.pop(_FILLER, None)
    return found


def _compare(before: dict[str, bytes], after: dict[str, bytes], whole: Callable[[str, bytes], bool]) -> None:
    """Print each file that is gone, left over, or neither the old nor a new one; or that nothing was changed."""
    if not before:
        print("lost all: nothing was written while there was room")
    for name, data in before.items():
        if name not in after:
            print(f"lost {name} is gone")
        elif after[name] != data and not whole(name, after[name]):
            print(f"lost {name}: {format_count(len(after[name]), 'byte')} instead of {len(data)}, neither old nor new")
    for name in sorted(after.keys() - before.keys()):
        print(f"lost {name}: {format_count(len(after[name]), 'byte')} left over")
    if before == after:
        print("unchanged")


# --- Writers without a window -----------------------------------------------------------------------------------------


def _writers() -> dict[str, Callable[[Path], object]]:
    """Return functions that write the files of one export into a folder, by name."""
    figure = pe.plot("attention", pe.Session(text="a full disk"))
    figures = {f"figure{suffix}": partial(_save, figure, suffix) for suffix in render.suffixes()}
    return {
        **figures,
        "session": lambda folder: pe.Session(text="word " * 2000).save(folder / "it.json"),
        "record": lambda folder: _RECORD.save(folder / "it.json"),
        "report": lambda folder: report.save(_RECORD, folder, {}),
        "report.pdf": lambda folder: save_as_pdf(report.html(_RECORD, {}), folder / "it.pdf"),
    }


def _save(figure: pe.Figure, suffix: str, folder: Path) -> None:
    figure.save(folder / f"it{suffix}")


def write(writer: str, folder: str, room: str, mounted: str) -> int:
    """Write with room, fill the disk, and write again over old files. Runs in a child process."""
    app = QApplication([])
    disk, work = Path(folder) / "disk", _writers()[writer]
    work(disk)
    before = _contents(disk)
    for path in disk.iterdir():
        path.write_bytes(_OLD)
    _fill(disk, int(room), mounted == "True")
    print(_FULL)
    try:
        work(disk)
    except (OSError, ValueError) as error:
        print(f"said Not written: {errors.describe_error(error)}")
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    _compare(dict.fromkeys(before, _OLD), _contents(disk), lambda name, data: len(data) > len(before[name]) // 2)
    del app
    return 0


# --- Writers in the window --------------------------------------------------------------------------------------------


def use_window(writer: str, folder: str, room: str, mounted: str) -> int:
    """Do the same as `write`, as a user does it in the window. Runs in a child process."""
    os.environ["XDG_CONFIG_HOME"] = f"{folder}/disk/config"
    return play(partial(_use_window, writer=writer, folder=Path(folder), room=int(room), mounted=mounted == "True"))


def _use_window(player: Player, writer: str, folder: Path, room: int, mounted: bool) -> Iterator[float]:
    disk, said = folder / "disk", list[str]()

    def say(sentence: str) -> None:
        said.append(sentence)
        print(f"said {sentence}")

    yield from player.come_up()
    yield from player.rest(PATIENCE)
    yield from _by_hand(player, writer, disk, _RECORD, say)
    while len(said) < (writer in _EXPORTS):
        yield 0.05
    before = _contents(disk)
    _fill(disk, room, mounted)
    player.window.messages.hide()
    yield 0.2
    print(_FULL)
    player.window.workbench.store.propose(text="word " * 2000)  # more than before is to be written
    yield from player.rest(PATIENCE)
    yield from _by_hand(player, writer, disk, _LATER, say)
    while len(said) < 2 * (writer in _EXPORTS):
        yield 0.05
    yield 1.5  # automatic saving is done by now
    _compare(*(_only(writer, contents) for contents in (before, _contents(disk))), _is_whole)
    player.stop()
    player.window.close()


def _only(writer: str, contents: dict[str, bytes]) -> dict[str, bytes]:
    """Return what the window keeps by itself, if `writer` is “keep”, or else what the user had it write."""
    names = [name for name in contents if name.startswith("config") == (writer == "keep")]
    return {name: contents[name] for name in names if not name.endswith(".txt")}


def _is_whole(name: str, data: bytes) -> bool:
    match Path(name).suffix:
        case ".json":
            with suppress(ValueError):
                return bool(json.loads(data))
            return False
        case ".svg" | ".html":
            return data.rstrip().endswith((b"</svg>", b"</html>"))
        case ".pdf":
            return data.rstrip().endswith(b"%%EOF")
        case _:
            return True


def _by_hand(player: Player, writer: str, disk: Path, record: Record, say: Callable[[str], None]) -> Iterator[float]:
    """Act as the user who has something written; `say` gets the exporter's messages."""
    window = player.window
    assert window.workbench
    assert window.labs
    assert window.documents
    figure, exporter = window.workbench.plots["attention"].view.figure(), window.workbench.exporter
    assert figure
    match writer:
        case "save":
            player.choose("save" if window.documents.file.path else "save_as", str(disk / "it.json"))
        case "export":
            exporter.save([request_figure(figure)], disk / "it.svg", exporter.dialogs.looks, say, say)
        case "report":
            exporter.report(record, disk, say, say)
        case "print report":
            exporter.print_report(record, disk / "it.pdf", say, say)
        case "write step":
            window.labs.write_step(disk / "it.md", Written(StepDraft(window.workbench.store.session, ("attention",))))
        case "keep":
            window.workbench.store.propose(text="kept by itself")
            yield 1.5
    yield 0.5
