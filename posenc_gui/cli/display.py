"""A check that Qt can open a window: without a display or its X11 libraries, Qt aborts the process."""

from __future__ import annotations

import ctypes
import os
import sys

from posenc_gui.cli.console import PROGRAM

# Libraries that Qt loads for X11 and that many systems lack, each with its Debian package.
_X11_LIBRARIES = {
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
}


def require_display() -> None:
    """On Linux, raise OSError with a one-sentence message if Qt would abort because a display or a library is missing."""
    if sys.platform != "linux":
        return
    platform, x11, wayland = (os.environ.get(name) for name in ("QT_QPA_PLATFORM", "DISPLAY", "WAYLAND_DISPLAY"))
    if not (platform or x11 or wayland):
        raise OSError(f"No display: DISPLAY and WAYLAND_DISPLAY are not set. `{PROGRAM} export` works without one.")
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
