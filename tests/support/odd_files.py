"""What may stand where a file is looked for, and a disk that is full."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

ODD = ("directory", "pipe", "socket", "device")


@contextmanager
def odd_files(folder: Path, suffix: str = "") -> Iterator[dict[str, Path]]:
    """A directory, a pipe that nobody writes to, a socket and a device (a terminal's), each by its kind."""
    with ExitStack() as stack:
        paths = {kind: folder / f"{kind}{suffix}" for kind in ODD}
        paths["directory"].mkdir()
        os.mkfifo(paths["pipe"])
        listening = stack.enter_context(socket.socket(socket.AF_UNIX))
        here = os.open(".", os.O_RDONLY)  # a socket's path may have a hundred bytes
        stack.callback(os.close, here)
        os.chdir(folder)
        listening.bind(paths["socket"].name)
        os.fchdir(here)
        for terminal in os.openpty():
            stack.callback(os.close, terminal)
        paths["device"].symlink_to(os.ttyname(terminal))
        yield paths


@contextmanager
def full_disk(room: int = 10) -> Iterator[None]:
    """Files take no more than these bytes: "File too large" stands for "No space left on device", as the system tells both."""
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
