"""Which weights a model has: their SHA-256, remembered while their files stay as they are, and whether a session means them."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple

from pydantic import Field, TypeAdapter, ValidationError

from posenc_gui.checkpoints.folder import MOST_SHARDS, SHA256, Absent, Folder, WeightFile, read_folder
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.foundation.errors import Invalid, TooLarge, describe_error
from posenc_gui.foundation.files import atomic
from posenc_gui.foundation.files.header import FileKind
from posenc_gui.foundation.wording import format_bytes
from posenc_gui.text.tokenization import LONGEST_PATH, format_path, replace_surrogates

FILE = "weights.json"

_KIND = FileKind("list of weights", "posenc-gui weights", 1, "weights", largest=1_000_000)
_MOST = 1000  # files that are remembered
_AT_ONCE = 16 * 2**20  # bytes between two calls of check_stop: some hundredths of a second


class _Hashed(Frozen):
    """A file of weights that was read: where it stood, its size and time, and its SHA-256."""

    path: str
    size: int
    time: int
    sha256: str = Field(pattern=f"^{SHA256}$")


_ENTRIES = TypeAdapter(tuple[_Hashed, ...])


@dataclass(frozen=True)
class Fingerprints:
    """The SHA-256 of models' weights, remembered in a file in this folder by path, size and time of each file of weights."""

    folder: Path

    def known(self, model: Folder) -> str:
        """Return the SHA-256 of a model's weights without reading them; empty if its files aren't remembered as they are."""
        remembered = self._remembered()
        found = [remembered.get(_place(model, file), "") for file in model.weights]
        return "" if "" in found else _together(model, found)

    def compute(
        self,
        model: Folder,
        check_stop: Callable[[], None] = lambda: None,
        progress: Callable[[int, int], None] = lambda _done, _all: None,
    ) -> str:
        """Return the SHA-256 of a model's weights, reading the files that aren't remembered.

        In between, `check_stop` is called and may raise, and `progress` is told how many of how many bytes are done. Raises
        Invalid, in one sentence, if a file can't be read or changes meanwhile.
        """
        remembered = self._remembered()
        found, done, whole = [], 0, sum(file.size for file in model.weights)
        for file in model.weights:
            place = _place(model, file)
            if place not in remembered:
                digest, read = hashlib.sha256(), 0
                for piece in _pieces(model, file):
                    check_stop()
                    digest.update(piece)
                    read += len(piece)
                    progress(done + min(read, file.size), whole)
                if read != file.size or _place(model, file) != place:
                    raise Invalid(f"{format_path(file.name)} has changed while it was read.")
                remembered[place] = digest.hexdigest()
                self._remember(place, remembered[place])
            found.append(remembered[place])
            done += file.size
            progress(done, whole)
        return _together(model, found)

    def _remembered(self) -> dict[_Place, str]:
        """Return what the file holds; nothing if it is damaged or gone."""
        with suppress(OSError, ValueError, ValidationError):
            content = _KIND.opened(atomic.read_bytes(self.folder / FILE, _KIND.largest, _KIND.name)).content
            return {_Place(one.path, one.size, one.time): one.sha256 for one in _ENTRIES.validate_python(content)}
        return {}

    def _remember(self, place: _Place, sha256: str) -> None:
        """Write a file's SHA-256 behind the others, in place of any that its path had; if it can't be written, it isn't."""
        others = {one: said for one, said in self._remembered().items() if one.path != place.path}
        kept = list({**others, place: sha256}.items())[-_MOST:]
        entries = [{"path": one.path, "size": one.size, "time": one.time, "sha256": said} for one, said in kept]
        with suppress(OSError):
            self.folder.mkdir(parents=True, exist_ok=True)
            atomic.write(self.folder / FILE, _KIND.text(entries).encode("utf-8"))


class _Place(NamedTuple):
    path: str
    size: int
    time: int


def _place(model: Folder, file: WeightFile) -> _Place:
    real = os.path.realpath(model.path / file.name)
    time, size, _ = atomic.stamp(Path(real)) or (0, -1, 0)
    return _Place(real.encode("ascii", "backslashreplace").decode("ascii"), size, time)


def _pieces(model: Folder, file: WeightFile) -> Iterator[bytes]:
    try:
        yield from atomic.read_pieces(model.path / file.name, _AT_ONCE)
    except OSError as error:
        raise Invalid(f"{format_path(file.name)} can't be read: {error.strerror}.") from None


def _together(model: Folder, found: list[str]) -> str:
    """Return the SHA-256 of a single file, else that of the lines which `sha256sum` prints of all of them."""
    if len(found) == 1:
        return found[0]
    lines = "".join(f"{sha256}  {file.name}\n" for file, sha256 in zip(model.weights, found, strict=True))
    return hashlib.sha256(lines.encode("utf-8", "surrogateescape")).hexdigest()


# --- What a session says ----------------------------------------------------------------------------------------------


class Mark(Frozen):
    """What a session says of a model's weights: where they stood, their files, and their SHA-256 once it was computed."""

    path: str = Field(min_length=1, max_length=LONGEST_PATH)
    name: str = Field(max_length=255)
    weights: tuple[WeightFile, ...] = Field(min_length=1, max_length=MOST_SHARDS)
    sha256: str = Field("", pattern=f"^({SHA256})?$")

    @classmethod
    def of(cls, model: Folder, sha256: str = "") -> Mark:
        """Return what is to be said of a model as it is now."""
        return cls(path=replace_surrogates(str(model.path)), name=model.name, weights=model.weights, sha256=sha256)


class Verdict(NamedTuple):
    """Whether a session's model is still there, and one sentence that says so."""

    state: Literal["same", "missing", "changed"]
    sentence: str


def judge(mark: Mark, fingerprints: Fingerprints) -> Verdict:
    """Compare what a session says of a model with its folder now; no weight is read."""
    name = format_path(mark.name)
    try:
        model = read_folder(mark.path)
    except Absent:
        return Verdict("missing", f"{name} is not at {format_path(mark.path)} any more: open it where it stands now.")
    except TooLarge as why:
        return Verdict("missing", describe_error(why))
    except Invalid as why:
        return Verdict("changed", f"{name} can't be opened any more: {describe_error(why)}")
    known = fingerprints.known(model)
    if difference := _difference(mark, model, known):
        return Verdict("changed", f"{name} has other weights than this session was saved with: {difference}.")
    if mark.sha256 and known:
        return Verdict("same", f"{name} has the weights that this session was saved with.")
    return Verdict("same", f"{name} has weights of the sizes and shapes that this session was saved with.")


def _difference(mark: Mark, model: Folder, known: str) -> str:
    """Return the first difference between what is said and what is there; empty if there is none."""
    before, now = ({file.name: file for file in files} for files in (mark.weights, model.weights))
    if gone := next((name for name in before if name not in now), ""):
        return f"{format_path(gone)} is no longer one of its files"
    if new := next((name for name in now if name not in before), ""):
        return f"{format_path(new)} is new"
    for name, file in now.items():
        if file.size != before[name].size:
            return f"{format_path(name)} has {format_bytes(file.size)}, not {format_bytes(before[name].size)}"
        if file.header_sha256 != before[name].header_sha256:
            return f"the header of {format_path(name)} is another"
    return "their SHA-256 is another" if mark.sha256 and known and mark.sha256 != known else ""
