"""A file in a window's slot that holds what the next start can show before torch: used only if nothing has changed since."""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

import posenc_gui
from posenc_gui.app.state.window_slots import WindowSlot
from posenc_gui.foundation import resources
from posenc_gui.foundation.files import atomic

LARGEST, _MOST = 8 * 2**20, 16 * 2**20  # bytes of a file, and of all files of this kind in all slots
_LARGEST_SESSION = 2**20  # bytes: of longer texts nothing is kept
_SEAL = 64  # letters


class SealedFile:
    """A file that begins with a seal over itself, the session's file and the program: what belongs to another session or
    another version, and what is damaged, is none. program: its digest when the window starts; nothing is kept without one."""

    def __init__(self, place: WindowSlot, path: Path, program: bytes) -> None:
        self.path, self.program = path, program
        self._place = place
        self.taken = b""  # the file's bytes, if they are whole, and of this session and this program

    def take(self) -> bytes:
        """Read the content, empty if there is none, and delete the file, so that what makes the window crash is shown only
        once."""
        with suppress(OSError, ValueError):
            try:
                content = atomic.read_bytes(self.path, LARGEST + _SEAL, "file of what was in sight")
            finally:  # also a pipe or a link, which nothing would replace
                self.path.unlink(missing_ok=True)
            if self.program and content[:_SEAL] == self._seal(content[_SEAL:]):
                self.taken = content
                return content[_SEAL:]
        return b""

    def sealed(self, content: bytes) -> bytes:
        """Return the file's bytes, empty for what can't be kept, and delete the oldest of other windows' if need be. Call it
        when the session is written."""
        with suppress(OSError, ValueError):
            if self.program and content and len(content) <= LARGEST:
                self._make_room(len(content))
                return self._seal(content) + content
        return b""

    def _seal(self, content: bytes) -> bytes:
        session = atomic.read_bytes(self._place.session, _LARGEST_SESSION, "session")
        return hashlib.sha256(b"".join((self.program, session, content))).hexdigest().encode()

    def _make_room(self, needed: int) -> None:
        found = []
        for path in self.path.parent.parent.glob(f"*/{self.path.name}"):
            with suppress(OSError):
                found.append((path.stat().st_mtime, path.stat().st_size, path))
        for _, size, path in sorted(found, reverse=True):
            needed += size
            if needed > _MOST and path != self.path:
                path.unlink(missing_ok=True)


def digest_of_program() -> bytes:
    """The digest of what pictures follow from besides their session, told by path, size and time of each file of it; empty if
    a file can't be looked at."""
    try:
        stamps = "\n".join(f"{path} {status.st_size} {status.st_mtime_ns}" for path, status in sorted(_files()))
    except OSError:
        return b""
    return hashlib.sha256(f"{sys.version}\n{stamps}".encode("utf-8", "surrogateescape")).digest()


def _files() -> Iterator[tuple[str, os.stat_result]]:
    for library in ("torch", "numpy"):
        spec = find_spec(library)
        if spec and spec.origin:
            yield spec.origin, Path(spec.origin).with_name("version.py").stat()
    folders = [str(Path(posenc_gui.__file__).parent), str(resources.folder())]
    while folders:
        with os.scandir(folders.pop()) as entries:
            for one in entries:
                if one.is_file():
                    yield one.path, one.stat()
                elif one.name != "__pycache__":
                    folders.append(one.path)
