"""The figures in sight when a window ended, kept beside its session, so that the next start can show them before torch."""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import posenc_gui
from posenc_gui.app.state.window_slots import WindowSlot
from posenc_gui.app.widgets.headline_label import ShownHeadline
from posenc_gui.figure.caption_parts import CaptionPart
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.kept import from_bytes, to_bytes
from posenc_gui.foundation import resources
from posenc_gui.foundation.files import atomic

_LARGEST, _MOST = 8 * 2**20, 16 * 2**20  # bytes of a window's figures, and of all windows'
_LARGEST_SESSION = 2**20  # bytes: of longer texts no figures are kept
_SEAL = 64  # letters
FIRST = resources.folder() / "first_pictures.kept"
"""What a window without a session shows; `python -m tools.first_pictures` makes it."""


@dataclass(frozen=True)
class KeptPlot:
    """A plot in its card: the figure, without its session, and the card's title and caption."""

    figure: Figure
    title: str
    caption: tuple[CaptionPart, ...]


@dataclass(frozen=True)
class KeptSight:
    """What was in sight: the plots, the headline, and the session that all figures carry."""

    plots: tuple[KeptPlot, ...]
    headline: ShownHeadline
    session: str


class KeptFigures:
    """The file of figures in a window's slot; make it when the window starts.

    The file begins with a seal over itself, the session's file and the program's files: figures of another session or another
    version, and damaged ones, are none.
    """

    def __init__(self, place: WindowSlot) -> None:
        self._place, self._program = place, _digest_of_program()
        self.taken = b""  # the file's bytes, if they are whole, and of this session and this program

    def take(self) -> KeptSight | None:
        """Read the file, and delete it, so that figures which make the window crash are shown only once.

        A window without a session gets those of the first session.
        """
        with suppress(OSError, ValueError):
            if self._place.found is None:
                return from_bytes(KeptSight, atomic.read_bytes(FIRST, _LARGEST, "file of figures"))
            content = atomic.read_bytes(self._place.figures, _LARGEST, "file of figures")
            self._place.figures.unlink()
            if content[:_SEAL] == self._seal(content[_SEAL:]):
                sight = from_bytes(KeptSight, content[_SEAL:])
                self.taken = content
                return sight
        return None

    def content_of(self, sight: KeptSight) -> bytes:
        """Return the file's bytes, empty for what can't be kept, and delete the oldest of other windows' if need be.

        Call it when the session is written.
        """
        with suppress(OSError, TypeError, ValueError):
            content = to_bytes(sight)
            if len(content) <= _LARGEST:
                self._make_room(len(content))
                return self._seal(content) + content
        return b""

    def _seal(self, content: bytes) -> bytes:
        session = atomic.read_bytes(self._place.session, _LARGEST_SESSION, "session")
        return hashlib.sha256(b"".join((self._program, session, content))).hexdigest().encode()

    def _make_room(self, needed: int) -> None:
        found = []
        for path in self._place.figures.parent.parent.glob(f"*/{self._place.figures.name}"):
            with suppress(OSError):
                found.append((path.stat().st_mtime, path.stat().st_size, path))
        for _, size, path in sorted(found, reverse=True):
            needed += size
            if needed > _MOST and path != self._place.figures:
                path.unlink(missing_ok=True)


def _digest_of_program() -> bytes:
    """The digest of what figures follow from besides their session, told by path, size and time of each file of it."""
    stamps = "\n".join(f"{path} {status.st_size} {status.st_mtime_ns}" for path, status in sorted(_files()))
    return hashlib.sha256(f"{sys.version}\n{stamps}".encode("utf-8", "surrogateescape")).digest()


def _files() -> Iterator[tuple[str, os.stat_result]]:
    for library in ("torch", "numpy"):
        spec = find_spec(library)
        if spec and spec.origin:
            yield spec.origin, Path(spec.origin).with_name("version.py").stat()
    for folder, below, _files in os.walk(Path(posenc_gui.__file__).parent):
        below[:] = [name for name in below if name != "__pycache__"]
        with os.scandir(folder) as entries:
            yield from ((one.path, one.stat()) for one in entries if one.is_file())
