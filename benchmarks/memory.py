"""Whether the window's memory levels off: `python benchmarks/memory.py --edits 2000 --files 200 --dialogs 200`; see `--help`.

edits: sentences of up to 512 tokens, encodings, models and the focus are changed at random.
files: sessions are opened, one after the other.
dialogs: dialogs are opened and closed.
labs: labs are begun at one of their steps.
updates: RoPE's base, its pairing, the focus and the model's seed are changed at random over 64 tokens, as by a hand on a
slider.

Each is shown before the next one comes, and every tenth is judged, too. What is meant to stay are results, projections and
token vectors, in caches that are bounded in bytes, and 500 steps of undo. Printed at ten points of each: the process's memory,
what of it those caches say they hold, the rest, and how many tensors, widgets and objects of Qt are alive; then how much the
second half of each added to the rest.
"""

from __future__ import annotations

import argparse
import gc
import random
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil
from cachetools import LRUCache
from common import open_window
from PySide6.QtCore import QEventLoop, QObject, QTimer
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication, QWidget

from posenc_gui.app.state.worker import Worker
from posenc_gui.app.window.main_window import MainWindow

if TYPE_CHECKING:
    from posenc_gui.session.session import Session

_MIB = 2**20
_JUDGED = 10  # every so many changes are waited for until they are judged
_DIALOGS = (
    *("keys", "glossary", "measures", "diagnostics", "about", "plan", "history", "bookmarks"),
    *("export", "export_sight", "export_film", "write_step"),
)


def main() -> None:
    """Open the window, use it, and print."""
    kinds = {"edits": edit, "files": open_file, "dialogs": open_dialog, "labs": play, "updates": turn}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for kind in kinds:
        parser.add_argument(f"--{kind}", type=int, default=0, metavar="N")
    counts = vars(parser.parse_args())
    with open_window() as window:
        settle(window)
        rng, kept = random.Random(0), caches()
        print(f"caches hold at most {sum(one.maxsize for one in kept) / _MIB:.0f} MiB; at the start: {state(kept)[1]}")
        for kind, act in kinds.items():
            if counts[kind]:
                go(window, kept, kind, counts[kind], partial(act, window, rng))


def go(window: MainWindow, kept: list[LRUCache[Any, Any]], what: str, count: int, act: Callable[[], None]) -> None:
    """Act so many times, and say how the memory grows."""
    rest = []
    for number in range(1, count + 1):
        act()
        shown(window) if number % _JUDGED else settle(window)
        if number * 10 % count < 10:
            settle(window)
            beyond, told = state(kept)
            rest.append(beyond)
            print(f"{number:,} {what}: {told}", flush=True)
    print(f"the second half added {rest[-1] - rest[len(rest) // 2 - 1]:.0f} MiB to the rest")


def caches() -> list[LRUCache[Any, Any]]:
    """All caches that are bounded in bytes."""
    gc.unfreeze()  # what the start has set aside isn't listed
    found = [one for one in gc.get_objects() if isinstance(one, LRUCache) and one.maxsize >= _MIB]
    gc.freeze()
    return found


def state(kept: list[LRUCache[Any, Any]]) -> tuple[float, str]:
    """What the process holds beyond its caches, in MiB, and all that is printed of it."""
    import torch

    gc.collect()
    whole, held = memory(), sum(one.currsize for one in kept) / _MIB
    tensors = sum(issubclass(type(one), torch.Tensor) for one in gc.get_objects())
    objects = sum(len(one.findChildren(QObject)) for one in QApplication.topLevelWidgets())
    told = f"{whole:.0f} MiB, of which caches hold {held:.0f} and the rest is {whole - held:.0f}; "
    return whole - held, f"{told}{tensors:,} tensors, {len(QApplication.allWidgets()):,} widgets, {objects:,} objects"


def edit(window: MainWindow, rng: random.Random) -> None:
    """Change the sentence, the encoding, the model or the focus."""
    from posenc_gui import encodings
    from posenc_gui.attention.toy_model import ToyModel

    assert window.workbench
    change = rng.choice(("text", "encoding", "model", "focus"))
    value = {
        "text": lambda: _text(rng),
        "encoding": lambda: rng.choice(encodings.names()),
        "model": lambda: ToyModel(
            d_model=rng.choice((16, 64, 256)), n_heads=rng.choice((1, 4)), seed=rng.randrange(99)
        ),
        "focus": lambda: rng.randrange(64),
    }[change]()
    window.workbench.store.propose(**{change: value})


def open_file(window: MainWindow, rng: random.Random) -> None:
    """Open a session's file."""
    assert window.documents
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "session.json"
        _session(rng).save(path)
        window.documents.open(path)


def open_dialog(window: MainWindow, rng: random.Random) -> None:
    """Open a dialog and close it; an export's once it has its preview."""
    from posenc_gui.app.export.export_dialog import ExportDialog

    before = _windows()
    window.findChild(QAction, rng.choice(_DIALOGS)).trigger()
    opened = _windows() - before
    _wait_until(lambda: not any(isinstance(one, ExportDialog) and one.preview.isNull() for one in opened))
    for one in opened:
        one.close()


def _windows() -> set[QWidget]:
    return {one for one in QApplication.topLevelWidgets() if one.isVisible()}


def play(window: MainWindow, rng: random.Random) -> None:
    """Begin a lab at one of its steps."""
    from posenc_gui.labs.definition import lab_library

    assert window.labs
    lab = rng.choice(lab_library.labs())
    window.labs.desk.begin(lab, step=rng.choice(lab.steps).name)


def turn(window: MainWindow, rng: random.Random) -> None:
    """Change a parameter of RoPE, the focus or the model's seed."""
    import posenc_gui as pe

    assert window.workbench
    store = window.workbench.store
    rope = pe.encoding("rope", base=rng.uniform(10, 1e6), pairing=rng.choice(("half", "interleaved")))
    of_model = {"model": store.session.model.model_copy(update={"seed": rng.randrange(10_000)})}
    change = rng.choice(({"encoding": rope}, {"focus": rng.randrange(64)}, of_model))
    store.propose(text=" ".join(f"word{number}" for number in range(64)), **change)


def _session(rng: random.Random) -> Session:
    import posenc_gui as pe

    return pe.Session(text=_text(rng), encoding=rng.choice(pe.encodings()))


def _text(rng: random.Random) -> str:
    return " ".join(f"word{rng.randrange(90)}" for _ in range(rng.choice((1, 6, 64, 512))))


def memory() -> float:
    """The process's own memory, in MiB."""
    return psutil.Process().memory_info().rss / _MIB


def settle(window: MainWindow) -> None:
    """Run the event loop until everything is loaded, shown and judged."""
    _wait_until(lambda: window.workbench is not None and not window.busy)


def shown(window: MainWindow) -> None:
    """Run the event loop until everything is shown."""
    bench, worker = window.workbench, window.findChild(Worker)
    assert bench
    _wait_until(lambda: not (worker.busy or bench.drawing))


def _wait_until(so: Callable[[], bool]) -> None:
    loop = QEventLoop()
    look = QTimer(interval=1)
    look.timeout.connect(lambda: loop.quit() if so() else None)
    look.start()
    loop.exec()


if __name__ == "__main__":
    main()
