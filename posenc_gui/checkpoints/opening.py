"""Opens a model's folder: the one model that is kept in memory, in a process of its own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from threading import Lock

from posenc_gui.checkpoints.folder import Folder, Stamps, read_folder, stamps_now
from posenc_gui.checkpoints.identity import Identity
from posenc_gui.checkpoints.model_process import LoadedModel, ModelProcess
from posenc_gui.checkpoints.watch import UNWATCHED, Watch
from posenc_gui.foundation.errors import Invalid, Undefined
from posenc_gui.foundation.stopped import CheckStop

INSTALL = "Models that have learned need transformers: pip install 'posenc-gui[models]'."

_GLANCE = 0.05  # seconds between two looks at who waits


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
    """The one model in memory and its process; which models stand in the folders that were seen; the SHA-256 of their weights."""

    def __init__(self) -> None:
        self.turn = Lock()
        self.process: ModelProcess | None = None
        self.opened: OpenedModel | None = None
        self.known: dict[Path, _Known] = {}
        self.sha256: dict[Identity, str] = {}


_kept = _Kept()


def open_folder(path: Path, expected: Identity | None = None, watch: Watch = UNWATCHED) -> OpenedModel:
    """Return a folder's model, from memory if it is the last one and none of its files was written since.

    Raises Invalid, in one sentence, for a folder that can't be opened, as Changed if its files aren't the expected
    ones, or change meanwhile; Undefined without transformers; TooLarge.
    """
    with _in_turn(watch.check_stop):
        opened = _kept.opened
        if opened is None or not opened.model.is_here or not opened.is_at(path):
            opened = _kept.opened = None
            process = _process()  # the old one's memory is needed
            folder = read_folder(path)
            identity = _identity(folder)
            _require(folder.name, identity, expected)
            model = process.load(folder, watch)
            if not folder.is_as_read:
                raise Changed(f"{folder.name} has changed while it was opened: open its folder again.")
            opened = _kept.opened = OpenedModel(path, folder, identity, model)
            _kept.sha256.pop(identity, None)  # the weights may have been written since
        _require(opened.folder.name, opened.identity, expected)
        return opened


@contextmanager
def _in_turn(check_stop: CheckStop) -> Iterator[None]:
    """Wait until no other model is being opened."""
    while not _kept.turn.acquire(timeout=_GLANCE):
        check_stop()
    try:
        yield
    finally:
        _kept.turn.release()


def _process() -> ModelProcess:
    """Return a process that holds no model and waits. One that is at work for the last model ends."""
    if find_spec("transformers") is None:
        raise Undefined(INSTALL)
    if _kept.process is None or not _kept.process.is_cleared():
        _kept.process = ModelProcess()
    return _kept.process


def require(path: Path, expected: Identity) -> None:
    """Raise Changed, in one sentence, unless a folder holds the expected model; Invalid if none; TooLarge.

    Nothing is read of a folder whose files are as they were when it was seen last.
    """
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
