"""The command `posenc-gui`, also as `python -m posenc_gui`: a process that Ctrl+C ends without a word at any moment."""

from __future__ import annotations

import os
import signal
import sys
from types import FrameType

_INTERRUPTED = 130  # as a shell says it
_IMPORTING = "<frozen importlib._bootstrap>"  # the file of the frames in which a module is imported


def main() -> int:
    """Run the command line, and return the exit status."""
    heeds = signal.getsignal(signal.SIGINT) is signal.default_int_handler  # a job in the background doesn't
    if heeds:
        signal.signal(signal.SIGINT, _interrupt)
    from posenc_gui import cli

    status = cli.main()
    if heeds:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # while Python ends
    return status


def _interrupt(_number: int, frame: FrameType | None) -> None:
    """Raise KeyboardInterrupt, or end the process while it imports: Qt's modules abort over that, or hide it."""
    while frame is not None:
        if frame.f_code.co_filename == _IMPORTING:
            os._exit(_INTERRUPTED)
        frame = frame.f_back
    raise KeyboardInterrupt


if __name__ == "__main__":
    sys.exit(main())
