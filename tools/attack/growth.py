"""Growth: a window that does the same again and again must come to hold no more memory than at first."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from pathlib import Path
from statistics import median

import psutil
from PySide6.QtWidgets import QApplication, QDialog, QWidget

import posenc_gui as pe
from tools.attack.child import COLD, Child
from tools.attack.outcome import GROWN, HANG, Outcome
from tools.attack.window import Player, play

ROUNDS = 60
_WARM = ROUNDS // 3  # rounds after which what is remembered is there
_MOST_GROWN = 25.0  # megabytes between the middle third and the last one


def attack(rng: random.Random, folder: Path) -> Outcome:
    """Do one thing again and again."""
    return repeat(rng.choice([*HABITS]), folder)


def repeat(habit: str, folder: Path) -> Outcome:
    """Do one thing again and again, and compare the memory held in the middle and at the end."""
    outcome = Outcome()
    child = Child(folder / "window", sit, habit, str(folder))
    if not child.waits_for("ready", COLD):
        outcome.add(HANG, f"{habit}: the window doesn't come up")
    while child.waits_for("held", COLD, outcome.met + 1):
        outcome.met += 1
    ended = child.end()
    outcome.judge(ended, habit)
    outcome.judge_silence(ended, habit)
    outcome.judge_pauses(ended, habit)
    outcome.judge_logs(folder, habit)
    held = [float(line) for line in ended.said("held")]
    if len(held) == ROUNDS:
        outcome.megabytes = max(held)
        grown = median(held[-_WARM:]) - median(held[_WARM:-_WARM])
        if grown > _MOST_GROWN:
            outcome.add(GROWN, f"{habit}: {grown:.0f} MB in {_WARM} rounds, from {held[0]:.0f} to {held[-1]:.0f} MB")
    return outcome


def sit(habit: str, folder: str) -> int:
    """Do one thing again and again in a window. Runs in a child process."""
    return play(partial(_sit, habit=HABITS[habit], folder=Path(folder)))


def _sit(player: Player, habit: Habit, folder: Path) -> Iterator[float]:
    yield from player.come_up()
    yield from player.rest(COLD)
    process = psutil.Process()
    for _ in islice(habit(player, folder), ROUNDS):
        yield 0.05
        yield from player.rest(COLD)
        print(f"held {process.memory_info().rss / 2**20:.1f}")
    player.say("closing")
    player.stop()
    player.window.close()


# --- Habits -----------------------------------------------------------------------------------------------------------

Habit = Callable[[Player, Path], Iterator[None]]  # one round for each value

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


def _windows(player: Player, _folder: Path) -> Iterator[None]:
    """Open each window and dialog, and close them."""
    while True:
        for name in _WINDOWS:
            player.choose(name)
        yield
        for window in _own_windows(player):
            window.close()


def _encodings(player: Player, _folder: Path) -> Iterator[None]:
    while True:
        for name in ("rope", "alibi", "t5", "sinusoidal"):
            player.window.workbench.store.propose(encoding=name)
            yield


def _words(player: Player, _folder: Path) -> Iterator[None]:
    number = 0
    while True:
        number += 1
        player.window.workbench.store.propose(text=f"the cat {number} sat " * 20)
        yield


def _files(player: Player, folder: Path) -> Iterator[None]:
    paths = [pe.Session(text=f"the cat sat {number}").save(folder / f"{number}.json") for number in range(3)]
    while True:
        for path in paths:
            player.window.dropped.emit(path, "")
            yield


def _cards(player: Player, _folder: Path) -> Iterator[None]:
    while True:
        for name in ("go.compare", "go.lab", "go.explore", "reset_arrangement"):
            player.choose(name)
            yield


def _themes(player: Player, _folder: Path) -> Iterator[None]:
    while True:
        for name in ("theme.dark", "larger", "theme.light", "smaller"):
            player.choose(name)
            yield


def _plots(player: Player, _folder: Path) -> Iterator[None]:
    """Open each plot's card, and close it."""
    plots = [card for name, card in player.window.cards.items() if name.startswith("plot.")]
    while True:
        for card in plots:
            card.bring()
            yield
            card.close()


HABITS: dict[str, Habit] = {
    "windows": _windows,
    "encodings": _encodings,
    "words": _words,
    "files": _files,
    "cards": _cards,
    "themes": _themes,
    "plots": _plots,
}
