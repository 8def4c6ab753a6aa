"""Which weights a model has: their SHA-256, remembered while their files stay as they are."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from pydantic import Field, TypeAdapter, ValidationError

from posenc_gui.checkpoints.folder import SHA256, WeightFile
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.foundation.errors import Invalid
from posenc_gui.foundation.files import atomic
from posenc_gui.foundation.files.header import FileKind
from posenc_gui.foundation.stopped import CheckStop, go_on
from posenc_gui.text.tokenization import format_path

FILE = "weights.json"

Weights = tuple[WeightFile, ...]

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

    def compute(self, path: Path, weights: Weights, check_stop: CheckStop = go_on) -> str:
        """Return the SHA-256 of the weights in a folder, reading files that aren't remembered; `check_stop` may raise
        meanwhile. Raises Invalid if a file can't be read or changes."""
        remembered, found = self._remembered(), []
        for file in weights:
            place = _place(path, file)
            if place not in remembered:
                digest, read = hashlib.sha256(), 0
                for piece in _pieces(path, file):
                    check_stop()
                    digest.update(piece)
                    read += len(piece)
                if read != file.size or _place(path, file) != place:
                    raise Invalid(f"{format_path(file.name)} has changed while it was read.")
                remembered[place] = digest.hexdigest()
                self._remember(place, remembered[place])
            found.append(remembered[place])
        return _together(weights, found)

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


def _place(path: Path, file: WeightFile) -> _Place:
    real = os.path.realpath(path / file.name)
    written, size, *_, changed = atomic.strict_stamp(Path(real)) or (0, -1, 0)
    return _Place(real.encode("ascii", "backslashreplace").decode("ascii"), size, max(written, changed))


def _pieces(path: Path, file: WeightFile) -> Iterator[bytes]:
    try:
        yield from atomic.read_pieces(path / file.name, _AT_ONCE)
    except OSError as error:
        raise Invalid(f"{format_path(file.name)} can't be read: {error.strerror}.") from None


def _together(weights: Weights, found: list[str]) -> str:
    """Return the SHA-256 of a single file, else that of the lines which `sha256sum` prints of all of them."""
    if len(found) == 1:
        return found[0]
    lines = "".join(f"{sha256}  {file.name}\n" for file, sha256 in zip(weights, found, strict=True))
    return hashlib.sha256(lines.encode("utf-8", "surrogateescape")).hexdigest()
