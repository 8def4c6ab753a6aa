"""The command line: `posenc-gui`, with `open`, `export`, `identify`, `list`, `schema` and `lab check`.

Any failure is one line on standard error and exit status 2. A command's module is imported when the command runs, so that
`--help` and `--version` are quick, and only `open` loads Qt.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from posenc_gui.cli import console
from posenc_gui.cli.parser import build_parser
from posenc_gui.foundation.importing import importing

_FAILED, _INTERRUPTED = 2, 130
# Libraries that Qt loads for X11 and that many systems lack, each with its Debian package.
_X11_LIBRARIES = {
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status: 0, 1 for numbers that nobody knows, 2 after a failure, 130 when interrupted."""
    console.prepare()
    try:
        options = build_parser().parse_args(arguments)
        try:
            Path.cwd()
        except FileNotFoundError:  # there torch ends the process, and pydantic may not be imported
            console.say("The working directory was deleted: start from one that exists.")
            return _FAILED
        return _run(options)
    except KeyboardInterrupt:
        return _INTERRUPTED
    except Exception as error:  # every failure is one line, expected or not
        console.say(_reason(error))
        return _FAILED


def _run(options: argparse.Namespace) -> int:
    if options.command == "open":
        return _open_window(options.file)
    run: Callable[[argparse.Namespace], int | None]
    with importing():
        match options.command:
            case "export":
                from posenc_gui.cli.export import export as run
            case "list":
                from posenc_gui.cli.listing import print_list as run
            case "schema":
                from posenc_gui.cli.listing import print_schema as run
            case "identify":
                from posenc_gui.cli.identify import identify as run
            case "lab check":
                from posenc_gui.cli.lab import check_lab as run
    return run(options) or 0


def _open_window(path: Path | None) -> int:
    from posenc_gui.foundation.files import atomic, share_string

    is_share = path is not None and share_string.is_share_string(str(path))
    if path is not None and path.is_dir():
        from posenc_gui.checkpoints.folder import read_folder

        read_folder(path)  # fail here instead of opening an empty window
    elif path is not None and not is_share:
        atomic.check_readable(path)
    require_display()
    from posenc_gui.app.window.application import run

    return run(str(path) if is_share else path)


def _reason(error: Exception) -> str:
    from posenc_gui.foundation.errors import describe_error, is_out_of_memory

    if isinstance(error, (ValueError, OSError, ImportError)):
        return describe_error(error)
    if is_out_of_memory(error):
        return "there is not enough memory for this."
    return f"{type(error).__name__}: {describe_error(error)}"


def require_display() -> None:
    """On Linux, raise OSError with a one-sentence message if Qt would abort because a display or a library is missing."""
    if sys.platform != "linux":
        return
    platform, x11, wayland = (os.environ.get(name) for name in ("QT_QPA_PLATFORM", "DISPLAY", "WAYLAND_DISPLAY"))
    if not (platform or x11 or wayland):
        raise OSError(
            f"No display: DISPLAY and WAYLAND_DISPLAY are not set. `{console.PROGRAM} export` works without one."
        )
    # With a Wayland display, Qt may not need X11 at all.
    if platform == "xcb" or not (platform or wayland):
        missing = [package for library, package in _X11_LIBRARIES.items() if not _can_load(library)]
        if missing:
            raise OSError(f"Qt lacks libraries for this display: apt install {' '.join(missing)}")


def _can_load(library: str) -> bool:
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True
