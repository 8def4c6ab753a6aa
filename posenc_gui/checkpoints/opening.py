"""Opens a model's folder: the one model that is kept in memory, in a process of its own."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from threading import Lock, Thread
from time import sleep
from typing import TypeVar

from posenc_gui.checkpoints.folder import Folder, Stamps, read_folder, stamps_now
from posenc_gui.checkpoints.identity import Identity
from posenc_gui.checkpoints.model_process import LoadedModel, ModelProcess, Replaced
from posenc_gui.checkpoints.watch import UNWATCHED, Watch
from posenc_gui.foundation.errors import Invalid, Undefined
from posenc_gui.foundation.stopped import CheckStop, Stopped, in_turn

INSTALL = "Models that have learned need transformers: pip install 'posenc-gui[models]'."

_GLANCE = 0.02  # seconds between two looks at whether the process is free


Result = TypeVar("Result")


class Changed(Invalid):
    """The folder's files aren't those that are expected."""


@dataclass(frozen=True, eq=False)
class OpenedModel:
    """A folder and its model; `given` is the path that was asked for."""

    given: Path
    folder: Folder
    identity: Identity
    model: LoadedModel

    def is_at(self, path: Path) -> bool:
        """Return True if it is the model of this path, of which no file was written since."""
        return path in (self.given, self.folder.path) and self.folder.is_as_read


@dataclass(frozen=True)
class _Known:
    """Which model a folder held when its files had these stamps, and what it is called."""

    name: str
    identity: Identity
    stamps: Stamps


class _Kept:
    """The one model in memory and its process; which models stand in the folders that were seen; the SHA-256 of their weights.

    turn: held while the process works. opening: held while a folder is opened, and by who waits for the turn to do so.
    """

    def __init__(self) -> None:
        self.turn, self.opening = Lock(), Lock()
        self.process: ModelProcess | None = None
        self.opened: OpenedModel | None = None
        self.known: dict[Path, _Known] = {}
        self.sha256: dict[Identity, str] = {}


_kept = _Kept()


def open_folder(path: Path, watch: Watch = UNWATCHED) -> OpenedModel:
    """Return a folder's model, from memory if it is the last one and none of its files was written since. It waits for no
    pass of another model, which ends. Raises Invalid, in one sentence, for a folder that can't be opened, as Changed if its
    files change meanwhile; Undefined without transformers; TooLarge."""
    with in_turn(_kept.opening, watch.check_stop):
        while not _kept.turn.acquire(timeout=_GLANCE):
            watch.check_stop()
            if opened := _in_memory(path):
                return opened
            if _kept.process:
                _kept.process.end()
        try:
            return _opened(path, None, watch)
        finally:
            _kept.turn.release()


def ask(path: Path, expected: Identity, question: Callable[[LoadedModel], Result], check_stop: CheckStop) -> Result:
    """Return what is asked of the model of a folder, loading it if it isn't there; no pass of another one ends it meanwhile.
    If another folder is opened meanwhile it is asked again. Raises as `open_folder` does, Changed if the folder's files
    aren't the expected ones, and what the question raises."""
    while True:
        with in_turn(_kept.turn, check_stop), suppress(Replaced):
            if not _kept.opening.locked():
                return question(_opened(path, expected, Watch(check_stop)).model)
        check_stop()
        sleep(_GLANCE)


def _opened(path: Path, expected: Identity | None, watch: Watch) -> OpenedModel:
    """Return a folder's model, loading it if it isn't the last one, or was written since."""
    opened = _in_memory(path)
    if opened is None:
        folder = read_folder(path)
        identity = _identity(folder)
        _require(folder.name, identity, expected)
        process = _process()
        _kept.opened = None  # its memory is needed
        try:
            model = process.load(folder, watch)
        except Stopped:
            _process()  # for the next model
            raise
        if not folder.is_as_read:
            raise Changed(f"{folder.name} has changed while it was opened: open its folder again.")
        opened = _kept.opened = OpenedModel(path, folder, identity, model)
        _kept.sha256.pop(identity, None)  # the weights may have been written since
    _require(opened.folder.name, opened.identity, expected)
    return opened


def prepare() -> None:
    """Have a process ready for a model that is opened soon, since what it imports takes seconds; waits for nobody."""

    def start() -> None:
        with suppress(Undefined), _kept.opening:  # who opens a model is told
            if _kept.turn.acquire(blocking=False):  # else there is one, at work
                try:
                    _process()
                finally:
                    _kept.turn.release()

    Thread(target=start, daemon=True).start()


def _in_memory(path: Path) -> OpenedModel | None:
    """Return a folder's model if it is the last one and none of its files was written since."""
    opened = _kept.opened
    return opened if opened and opened.model.is_here and opened.is_at(path) else None


def _process() -> ModelProcess:
    """Return a process that can be asked. Raises Undefined if none can be started, or without transformers."""
    if find_spec("transformers") is None:
        raise Undefined(INSTALL)
    if _kept.process is None or not _kept.process.is_alive:
        _kept.process = ModelProcess()
    return _kept.process


def require(path: Path, expected: Identity) -> None:
    """Raise Changed unless a folder holds the expected model; Invalid; TooLarge. Unchanged files aren't read again."""
    known = _kept.known.get(path)
    if known is None or stamps_now(path, known.stamps) != known.stamps:
        folder = read_folder(path)
        _require(folder.name, _identity(folder), expected)
    else:
        _require(known.name, known.identity, expected)


def opened_path(expected: Identity) -> Path | None:
    """Return the folder in which this model was seen before; None if it wasn't."""
    found = _seen(expected)
    return found and found[0]


def known_sha256(expected: Identity) -> str:
    """Return the SHA-256 of this model's weights, if it was told; else nothing."""
    found = _seen(expected)
    return _kept.sha256.get(found[1].identity, "") if found else ""


def tell_sha256(expected: Identity, sha256: str) -> None:
    """Remember what was computed of this model's weights, as long as they are those that were opened."""
    if found := _seen(expected):
        _kept.sha256[found[1].identity] = sha256


def _seen(expected: Identity) -> tuple[Path, _Known] | None:
    """Return the folder that was seen last to hold this model."""
    seen = ((path, one) for path, one in reversed(tuple(_kept.known.items())) if one.identity.fits(expected))
    return next(seen, None)


def _identity(folder: Folder) -> Identity:
    """Return which model a folder holds, reading what isn't known of its files."""
    known = _kept.known.get(folder.path)
    if known is None or known.stamps != folder.stamps:
        known = _Known(folder.name, _read(folder), folder.stamps)
    _kept.known.pop(folder.path, None)  # who was seen last stands last
    _kept.known[folder.path] = known
    return known.identity


def _read(folder: Folder) -> Identity:
    try:
        return Identity.of(folder)
    except OSError as error:
        raise Invalid(f"{folder.name} can't be read: {error.strerror}.") from None


def _require(name: str, found: Identity, expected: Identity | None) -> None:
    if expected is not None and (others := found.others_than(expected)):
        raise Changed(changed(name, others))


def changed(name: str, others: str) -> str:
    """Say what of a model isn't as a session knows it: “another config.json”."""
    return f"{name} has {others} than this session was made with: open its folder again."
