"""Growth: a window that does the same again and again must come to hold no more memory than at first."""

from __future__ import annotations

import gc
import random
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import psutil
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication, QDialog, QWidget

import posenc_gui as pe
from posenc_gui.app.docks.card import Card
from posenc_gui.app.window.main_window import MainWindow
from tools.attack.child import COLD, Child
from tools.attack.outcome import GROWN, HANG, Outcome
from tools.attack.window import Player, play

ROUNDS = 30
_WARM = ROUNDS // 3  # rounds after which all that is remembered with a bound is there
_MOST_GROWN = 25.0  # megabytes between the middle third and the last one
_MOST_MORE = 0.1  # share of objects, meanwhile: 500 steps of undo may not be there yet
_LONGEST = 300.0  # seconds of a round on a busy machine


def attack(rng: random.Random, folder: Path) -> Outcome:
    """Do one thing again and again."""
    return repeat(rng.choice([*HABITS]), folder)


def repeat(habit: str, folder: Path) -> Outcome:
    """Do one thing again and again, and compare the memory held in the middle and at the end."""
    outcome = Outcome()
    child = Child(folder / "window", sit, habit, str(folder))
    if not child.waits_for("ready", COLD):
        outcome.add(HANG, f"{habit}: the window doesn't come up")
    while child.waits_for("held", _LONGEST, outcome.met + 1):
        outcome.met += 1
    ended = child.end()
    outcome.judge(ended, habit)
    outcome.judge_silence(ended, habit)
    outcome.judge_pauses(ended, habit)
    outcome.judge_logs(folder, habit)
    held = [[float(number) for number in line.split()] for line in ended.said("held")]
    if len(held) == ROUNDS:
        megabytes, objects = zip(*held, strict=True)
        outcome.megabytes = max(megabytes)
        if _grown(megabytes) > _MOST_GROWN or _grown(objects) > _MOST_MORE * objects[_WARM]:
            outcome.add(
                GROWN, f"{habit}: {_grown(megabytes):.0f} MB and {_grown(objects):.0f} objects in {_WARM} rounds"
            )
    return outcome


def _grown(held: tuple[float, ...]) -> float:
    return median(held[-_WARM:]) - median(held[_WARM:-_WARM])


def sit(habit: str, folder: str) -> int:
    """Do one thing again and again in a window. Runs in a child process."""
    return play(partial(_sit, habit=HABITS[habit], folder=Path(folder)))


def _sit(player: Player, habit: Habit, folder: Path) -> Iterator[float]:
    yield from player.come_up()
    yield from player.rest(COLD)
    process = psutil.Process()
    for number in range(ROUNDS):
        player.say(f"round {number}")
        for _ in habit(player, folder, number):
            yield 0.05
            yield from player.rest(COLD)
        gc.collect()
        print(f"held {process.memory_info().rss / 2**20:.1f} {len(gc.get_objects())}")
    player.say("closing")
    player.stop()
    player.window.close()


# --- Habits -----------------------------------------------------------------------------------------------------------

Habit = Callable[[Player, Path, int], Iterator[None]]  # a round, step by step

_WINDOWS = (
    "history",
    "bookmarks",
    "diagnostics",
    "plots",
    "keys",
    "glossary",
    "measures",
    "about",
    "export",
    "reports",
)


def _own_windows(player: Player) -> list[QWidget]:
    shown = [one for one in QApplication.topLevelWidgets() if one.isVisible() and one is not player.window]
    return [one for one in shown if isinstance(one, QDialog) or one.isWindow()]


def _windows(player: Player, _folder: Path, _number: int) -> Iterator[None]:
    """Open each window and dialog, and close them."""
    for name in _WINDOWS:
        player.choose(name)
    yield
    for window in _own_windows(player):
        window.close()


def _edits(player: Player, _folder: Path, number: int) -> Iterator[None]:
    for own in range(3 * number, 3 * number + 3):
        yield from edits(player.window, own)


def edits(window: MainWindow, number: int) -> Iterator[None]:
    """Edit the session in all ways, with values of this number's own, change the look, and open every tenth plot's card."""
    assert window.workbench
    for change in _changes(number):
        assert not window.workbench.store.propose(**change)
        yield
    for name in ("undo", "redo", "go.compare", "theme.dark", "larger", "go.explore", "theme.light", "smaller"):
        window.findChild(QAction, name).trigger()
        yield
    for card in _plot_cards(window)[number % 10 :: 10]:
        card.bring()
        yield
        card.close()


def _changes(number: int) -> list[dict[str, Any]]:
    model = pe.ToyModel(seed=number)
    return [
        {"text": f"the cat {number} sat on the mat with {number + 1} dogs", "order": ()},
        *({"encoding": name} for name in ("alibi", "sinusoidal", "shaw", "fire", "t5")),
        *({"other": other} for other in (pe.encoding("kerple"), pe.encoding("learned"), None)),
        {"encoding": pe.encoding("rope", base=1000.0 + number)},
        {"model": model},
        {"model": model.model_copy(update={"n_layers": 2})},
        {"strength": 1 / (2 + number)},
        {"order": (3, 2, 1, 0, *range(4, 10))},
        {"focus": number % 10, "key": 1},
        {"tokenizer": "bytes", "order": ()},
        {"tokenizer": "words", "fill": "random", "fill_to": 40 + number},
        {"fill": "none", "strength": 1.0},
    ]


def _files(player: Player, folder: Path, _number: int) -> Iterator[None]:
    for name in ("a", "my", "the"):
        player.window.dropped.emit(pe.Session(text=f"{name} cat sat").save(folder / f"{name}.json"), "")
        yield


def _cards(player: Player, _folder: Path, _number: int) -> Iterator[None]:
    for name in ("go.compare", "go.lab", "go.explore", "reset_arrangement"):
        player.choose(name)
        yield


def _themes(player: Player, _folder: Path, _number: int) -> Iterator[None]:
    for name in ("theme.dark", "larger", "theme.light", "smaller"):
        player.choose(name)
        yield


def _plots(player: Player, _folder: Path, _number: int) -> Iterator[None]:
    """Open each plot's card, and close it."""
    for card in _plot_cards(player.window):
        card.bring()
        yield
        card.close()


def _plot_cards(window: MainWindow) -> list[Card]:
    return [card for name, card in window.cards.items() if name.startswith("plot.")]


HABITS: dict[str, Habit] = {
    "edits": _edits,
    "cards": _cards,
    "themes": _themes,
    "plots": _plots,
    "windows": _windows,
    "files": _files,
}
