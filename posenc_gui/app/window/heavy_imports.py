"""The worker's first job: import torch and what needs it while the window is already open; and what must come before it."""

from __future__ import annotations

import ctypes
import gc
import importlib
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

from PySide6 import QtCore, QtGui, QtWidgets

from posenc_gui.foundation import memory

_AT_ONCE = 20  # types of Qt made in one step


def make_types() -> Iterator[None]:
    """Make all types of Qt on the window's thread, some in each step.

    PySide makes a type when it is first used, and crashes if two threads do so at once; importing pyqtgraph uses all.
    """
    for module in (QtCore, QtGui, QtWidgets):
        for count, name in enumerate(dir(module), 1):
            getattr(module, name)
            if count % _AT_ONCE == 0:
                yield
    yield


def load(check_stop: Callable[[], None]) -> Iterator[object]:
    """Import everything heavy, and leave one core to the window when torch computes. Yields nothing."""
    gc.disable()  # collections during the import would pause the window
    try:
        memory.give_back_large_blocks()
        _open_libraries()
        modules = (
            "torch",
            "numpy",
            "pyqtgraph",
            "posenc_gui.session.evaluate",
            "posenc_gui.app.panels.workbench",
            "posenc_gui.app.labs.controller",
        )
        for module in modules:
            check_stop()
            importlib.import_module(module)
        sys.modules["posenc_gui.labs.definition.lab_library"].labs()  # read once, here
        sys.modules["posenc_gui.foundation.devices"].devices()  # found once, likewise: a driver takes its time
        sys.modules["torch"].set_num_threads(max(1, (os.cpu_count() or 2) - 1))
    finally:
        gc.freeze()  # what is loaded stays; collections need not look at it again
        gc.enable()
    yield from ()


def _open_libraries() -> None:
    """Open torch's largest library without holding Python's lock; importing it would freeze the window for 0.2 s."""
    if os.name != "posix":
        return
    spec = find_spec("torch")
    folders = spec.submodule_search_locations if spec else None
    for folder in folders or ():
        for library in (Path(folder) / "lib").glob("libtorch_cpu.*"):
            with suppress(AttributeError, OSError):
                opened = ctypes.CDLL(None).dlopen
                opened.restype = ctypes.c_void_p
                opened(os.fsencode(library), ctypes.c_int(os.RTLD_NOW | os.RTLD_GLOBAL))
