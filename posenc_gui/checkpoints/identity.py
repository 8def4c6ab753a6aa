"""Which model a folder holds: told by every file that it is read from, not by its weights alone."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from pydantic import Field

from posenc_gui.checkpoints.folder import SHA256, TOKENIZER, Folder, WeightFile
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.foundation.files import atomic
from posenc_gui.foundation.wording import join_words

_PIECE, _PIECES = 2**14, 1024  # bytes, and how many are read of large weights: training on changes all of a model


class FileMark(Frozen):
    """A file that a model is read from: its name, and the SHA-256 of its content; of weights over 16 MiB, of pieces of it."""

    name: str = Field(max_length=255)
    sha256: str = Field(pattern=f"^{SHA256}$")


@dataclass(frozen=True)
class Identity:
    """Which model it is, by its files. Sessions of older versions have no `files`: they know headers of its weights alone."""

    weights: tuple[WeightFile, ...]
    files: tuple[FileMark, ...] = ()

    @classmethod
    def of(cls, folder: Folder) -> Self:
        """Read what a folder's files hold, of large weights pieces. Raises OSError."""
        read = {**folder.sha256, TOKENIZER: _sha256(atomic.read_pieces(folder.tokenizer, _PIECES * _PIECE))}
        read |= {file.name: _sha256(_spread(folder.path, file)) for file in folder.weights}
        return cls(folder.weights, tuple(FileMark(name=name, sha256=said) for name, said in read.items()))

    def fits(self, expected: Identity) -> bool:
        """Return True if this is the model that is expected, as far as that is known."""
        return not self.others_than(expected)

    def others_than(self, expected: Identity) -> str:
        """Name what isn't as expected, “another config.json and other weights”; nothing if all of it is."""
        mine, theirs = ({mark.name: mark.sha256 for mark in one.files} for one in (self, expected))
        changed = [name for name in mine | theirs if mine.get(name) != theirs.get(name)] if theirs else []
        of_weights = {file.name for file in (*self.weights, *expected.weights)}
        others = [f"another {name}" for name in changed if name not in of_weights]
        if self.weights != expected.weights or of_weights.intersection(changed):
            others.append("other weights")
        return join_words(others)


def _sha256(pieces: Iterator[bytes]) -> str:
    digest = hashlib.sha256()
    for piece in pieces:
        digest.update(piece)
    return digest.hexdigest()


def _spread(path: Path, file: WeightFile) -> Iterator[bytes]:
    """Yield a file of weights, or pieces spread over a large one."""
    count = min(_PIECES, -(-file.size // _PIECE))
    last = max(0, file.size - _PIECE)
    return atomic.read_places(path / file.name, [last * at // max(1, count - 1) for at in range(count)], _PIECE)
