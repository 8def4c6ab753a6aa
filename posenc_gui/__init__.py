"""The explorer of Transformer positional encodings, from Python.

    import posenc_gui as pe
    session = pe.Session(text="dog bites man", encoding=pe.encoding("rope", base=10_000.0))
    pe.plot("attention", session).save("attention.svg")
    pe.measure("requirements", session)["bounded"].verdict
    pe.attend(session).probabilities

Names are imported when they are first used, so that the window can paint before torch is there.
"""

from __future__ import annotations

import importlib
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from posenc_gui import foundation

__version__ = "0.1.0"

_HOMES = {
    "Bookmark": "posenc_gui.session.bookmarks",
    "Document": "posenc_gui.session.bookmarks",
    "Patches": "posenc_gui.scene.image_patches",
    "Session": "posenc_gui.session.session",
    "ToyModel": "posenc_gui.attention.toy_model",
    "View": "posenc_gui.figure.view",
    "attend": "posenc_gui.session.evaluate",
    "encoding": "posenc_gui.encodings",
    "from_config": "posenc_gui.models",
    "measure": "posenc_gui.measures",
    "open_model": "posenc_gui.models.opening",
    "plot": "posenc_gui.session.evaluate",
    "preset": "posenc_gui.models",
    "presets": "posenc_gui.models",
    "sweep": "posenc_gui.session.sweeps",
}
_CALLABLE = ("encodings", "identify", "measures", "plots")  # packages that may be called
foundation.outputs = lambda: importlib.import_module(f"{__name__}.render")

__all__ = [
    "NTK", "Bookmark", "Document", "Dynamic", "Linear", "Llama3", "LongRope", "Patches", "Proportional", "Session", "ToyModel",
    "View", "Yarn", "attend", "encoding", "encodings", "from_config", "identify", "measure", "measures", "open_model", "plot",
    "plots", "preset", "presets", "sweep",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    with _imported_whole():
        if name in _CALLABLE:
            return importlib.import_module(f"{__name__}.{name}")
        if name in _HOMES or name[:1].isupper():
            importlib.import_module(_HOMES.get(name, f"{__name__}.encodings"))
            globals().update(_loaded())
    if name in globals():
        return globals()[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _loaded() -> dict[str, Any]:
    """Return what has been imported by its public name, and the classes of encodings and scalings, as what is printed calls
    them: `eval(repr(pe.encoding("rope")), vars(pe))`."""
    public = {name: getattr(sys.modules[home], name) for name, home in _HOMES.items() if home in sys.modules}
    return {cls.__name__: cls for cls in importlib.import_module(f"{__name__}.encodings").printed()} | public


@contextmanager
def _imported_whole() -> Iterator[None]:
    """Heed Ctrl+C afterwards: half imported, torch crashes, or can't be imported again."""
    before = signal.getsignal(signal.SIGINT)
    if before is not signal.default_int_handler or threading.current_thread() is not threading.main_thread():
        yield
        return
    pressed: list[int] = []
    signal.signal(signal.SIGINT, lambda number, _frame: pressed.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if pressed:
        raise KeyboardInterrupt


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
