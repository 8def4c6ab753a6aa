"""The longest pauses while something larger happens: `python benchmarks/ui_pauses.py [TIMES]`.

A card is opened, brought to the front by its tab, floated, docked, maximised; the theme is switched, the arrangement changed,
a lab opened, a folder with a thousand reports shown. Printed of each: the median and the largest of the longest times between
two beats of a 5 ms timer, and the longest such time at rest.
"""

from __future__ import annotations

import itertools
import statistics
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

from common import longest_pause, open_window, spend
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QToolButton

from posenc_gui.app.docks.arranger import Arranger
from posenc_gui.app.window.main_window import MainWindow

REPORTS = 1000
THEME, ARRANGEMENT = "the theme is switched", "Compare and Explore"


def main() -> None:
    """Do each so many times, and print."""
    times = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    with open_window(1280, 800) as window, tempfile.TemporaryDirectory() as folder:
        write_reports(Path(folder))
        spend(2)
        print(f"at rest {1000 * longest_pause(partial(spend, 2)):.0f} ms")
        for what, act in moments(window, Path(folder)).items():
            pauses = [1000 * longest_pause(partial(happen, window, act)) for _ in range(times)]
            print(f"{what}: median {statistics.median(pauses):.0f} ms, largest {max(pauses):.0f}")


def happen(window: MainWindow, act: Callable[[], object]) -> None:
    """Act, and wait until all of it is shown."""
    act()
    spend(1)
    while window.busy:
        spend(0.1)


def moments(window: MainWindow, folder: Path) -> dict[str, Callable[[], object]]:
    """What happens, by its name."""
    from posenc_gui.labs.definition import lab_library

    assert window.labs
    entries = {action.objectName(): action for action in window.findChildren(QAction) if action.objectName()}
    cards, arranger = window.cards, window.findChild(Arranger)
    closed = (name for name, card in cards.items() if name.startswith("plot.") and card.isHidden())
    tabs = itertools.cycle(("plot.attention", "plot.addition"))
    themes = itertools.cycle(("theme.dark", "theme.light"))
    arrangements = itertools.cycle(("go.compare", "go.explore"))
    own = itertools.cycle(lab_library.labs())
    return {
        "a plot is opened for the first time": lambda: arranger.open(next(closed)),
        "a tab is chosen": lambda: arranger.open(next(tabs)),
        "a card is floated, or docked again": cards["plot.waves"].findChild(QToolButton, "float").click,
        "a card is maximised, or docked again": lambda: arranger.maximise_or_restore(cards["plot.attention"]),
        THEME: lambda: entries[next(themes)].trigger(),
        ARRANGEMENT: lambda: entries[next(arrangements)].trigger(),
        "a lab is opened": lambda: window.labs.desk.begin(next(own)),
        f"{REPORTS:,} reports are shown": lambda: window.labs.show_reports_in(folder),
    }


def write_reports(folder: Path) -> None:
    """A thousand reports of one lab, each by another learner with another answer."""
    from posenc_gui.labs.definition.record import Outcome, Record, StepRecord

    steps = [f"step {number}" for number in range(8)]
    options = {"same": "It moves along.", "differ": "It changes.", "swap": "They swap."}
    measured = Outcome(answer="same", words=options["same"], right=False)
    for number, answer in zip(range(REPORTS), itertools.cycle(options), strict=False):
        said = StepRecord(
            kind="choice",
            answer=answer,
            answer_words=options[answer],
            committed="2026-11-21T10:02:00+00:00",
            outcome=measured,
        )
        record = Record(
            lab="1-set",
            title="Attention reads a set",
            learner=f"Learner {number}",
            steps=dict.fromkeys(steps, said),
            titles={name: name.capitalize() for name in steps},
            options=dict.fromkeys(steps, options),
        )
        record.save(folder / f"{number}.json")


if __name__ == "__main__":
    main()
