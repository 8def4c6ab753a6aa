"""Whether the window's memory levels off: `python benchmarks/memory.py [EDITS] [LABS] [UPDATES]`, 2,000, 100 and 10,000
unless said.

Sentences of up to 512 tokens, encodings and models are changed at random, each shown and judged before the next one comes;
then labs are begun and stepped through, one after the other; then RoPE's base, its pairing, the focus and the model's seed are
changed at random over 64 tokens, as by a hand on a slider: each is shown before the next one comes, and judged if nothing
comes. What is meant to stay are results, projections and token vectors, in
caches that are bounded in bytes, and 500 steps of undo. Printed: the process's memory at ten points of each, what of it those
caches hold and may hold, and how much the second half of each added to the rest.
"""

from __future__ import annotations

import gc
import random
import sys
from collections.abc import Callable
from typing import Any

import psutil
from cachetools import LRUCache
from common import open_window
from PySide6.QtCore import QEventLoop, QTimer

from posenc_gui.app.state.worker import Worker
from posenc_gui.app.window.main_window import MainWindow

_MIB = 2**20


def main() -> None:
    """Open the window, edit, play, and print."""
    edits = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    labs = int(sys.argv[2]) if len(sys.argv) > 2 else 100
    updates = int(sys.argv[3]) if len(sys.argv) > 3 else 10_000
    with open_window() as window:
        settle(window)
        rng, kept = random.Random(0), caches()
        print(f"{memory():.0f} MiB at the start; caches hold at most {sum(one.maxsize for one in kept) / _MIB:.0f} MiB")
        go(window, kept, "edits", edits, lambda: edit(window, rng))
        go(window, kept, "labs", labs, lambda: play(window, rng))
        if window.labs and updates:
            window.labs.desk.roam()
            turn(window, rng, text=" ".join(f"word{number}" for number in range(64)))
            settle(window)
            go(window, kept, "updates", updates, lambda: turn(window, rng), shown)


def go(
    window: MainWindow,
    kept: list[LRUCache[Any, Any]],
    what: str,
    count: int,
    act: Callable[[], None],
    wait: Callable[[MainWindow], None] | None = None,
) -> None:
    """Act so many times, and say how the memory grows."""
    rest = []
    for number in range(1, count + 1):
        act()
        (wait or settle)(window)
        if number * 10 % count < 10:
            all_of_it, held = memory(), sum(one.currsize for one in kept) / _MIB
            rest.append(all_of_it - held)
            print(
                f"{number:,} {what}: {all_of_it:.0f} MiB, of which caches hold {held:.0f} and the rest is {rest[-1]:.0f}"
            )
    if rest:
        print(f"the second half added {rest[-1] - rest[len(rest) // 2 - 1]:.0f} MiB to the rest")


def caches() -> list[LRUCache[Any, Any]]:
    """All caches that are bounded in bytes."""
    gc.unfreeze()  # what the start has set aside isn't listed
    found = [one for one in gc.get_objects() if isinstance(one, LRUCache) and one.maxsize >= _MIB]
    gc.freeze()
    return found


def edit(window: MainWindow, rng: random.Random) -> None:
    """Change the sentence, the encoding or the model."""
    from posenc_gui import encodings
    from posenc_gui.attention.toy_model import ToyModel

    assert window.workbench
    change = rng.choice(("text", "encoding", "model", "focus"))
    value = {
        "text": lambda: " ".join(f"word{rng.randrange(90)}" for _ in range(rng.choice((1, 6, 64, 512)))),
        "encoding": lambda: rng.choice(encodings.names()),
        "model": lambda: ToyModel(
            d_model=rng.choice((16, 64, 256)), n_heads=rng.choice((1, 4)), seed=rng.randrange(99)
        ),
        "focus": lambda: rng.randrange(64),
    }[change]()
    window.workbench.store.propose(**{change: value})


def play(window: MainWindow, rng: random.Random) -> None:
    """Begin a lab at one of its steps."""
    from posenc_gui.labs.definition import lab_library

    assert window.labs
    lab = rng.choice(lab_library.labs())
    window.labs.desk.begin(lab, step=rng.choice(lab.steps).name)


def turn(window: MainWindow, rng: random.Random, **more: Any) -> None:
    """Change a parameter of RoPE, the focus or the model's seed."""
    import posenc_gui as pe

    assert window.workbench
    store = window.workbench.store
    rope = pe.encoding("rope", base=rng.uniform(10, 1e6), pairing=rng.choice(("half", "interleaved")))
    of_model = {"model": store.session.model.model_copy(update={"seed": rng.randrange(10_000)})}
    change = rng.choice(({"encoding": rope}, {"focus": rng.randrange(64)}, of_model))
    store.propose(**more, **change)


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
