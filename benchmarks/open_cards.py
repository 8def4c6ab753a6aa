"""The longest pauses while every plot's card is opened, one after another: `python benchmarks/open_cards.py [TIMES]`.

Milliseconds that the window's thread computes between two beats of a 5 ms timer, whatever else the machine does. Printed: the
longest of all cards, and how many times those of the first ten the last ten take; then the medians of switching the theme and
the arrangement with all open, and how many times those with few open they take.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from common import longest_pause, open_window, spend
from ui_pauses import ARRANGEMENT, THEME, happen, moments

from posenc_gui.app.window.main_window import MainWindow

FEW = 10  # cards


def main() -> None:
    """Open all cards, and print."""
    times = int(sys.argv[1]) if len(sys.argv) > 1 else 2
    with open_window(1440, 900) as window:
        spend(2)
        before = switched(window, times)
        cards = {name: card for name, card in window.cards.items() if name.startswith("plot.")}
        taken = {name: longest_computed(window, card.bring) for name, card in cards.items()}
        longest, pauses = max(taken, key=lambda name: taken[name]), [*taken.values()]
        ratio = statistics.median(pauses[-FEW:]) / statistics.median(pauses[:FEW])
        print(f"{len(taken)} cards opened: longest {taken[longest]:.0f} ms, {longest}; the last {FEW} × {ratio:.1f}")
        for what, milliseconds in switched(window, times).items():
            print(f"{what}, all open: {milliseconds:.0f} ms, × {milliseconds / before[what]:.1f}")


def switched(window: MainWindow, times: int) -> dict[str, float]:
    """The longest pause while the theme is switched, and the arrangement: medians of so many times to and fro."""
    acts = moments(window, Path())
    return {
        what: statistics.median(longest_computed(window, acts[what]) for _ in range(2 * times))
        for what in (THEME, ARRANGEMENT)
    }


def longest_computed(window: MainWindow, act: Callable[[], object]) -> float:
    """The longest pause while something happens, in milliseconds."""
    return 1000 * longest_pause(partial(happen, window, act), time.thread_time)


if __name__ == "__main__":
    main()
