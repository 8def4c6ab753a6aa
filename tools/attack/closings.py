"""Closings: a window is closed at a random moment, idle or while it computes, and keeps its session."""

from __future__ import annotations

import os
import random
import signal
from collections.abc import Iterator
from functools import partial
from math import inf
from pathlib import Path
from time import perf_counter

from tools.attack.child import COLD, Child
from tools.attack.outcome import LOST, Outcome
from tools.attack.window import Player, play, starts_again

WAYS = ("close", "quit", "SIGINT", "SIGTERM", "SIGHUP")

_LOOK = 0.02  # seconds between two checks whether the window computes
_LATEST = 3.0  # seconds after the window has come up
_MOST_TOKENS = 6000


def attack(rng: random.Random, folder: Path) -> Outcome:
    """Close a window once, and start it again."""
    outcome = Outcome()
    way, loaded = rng.choice(WAYS), rng.random() < 0.85
    tokens = rng.choice((0, 0, 20, 500, _MOST_TOKENS))  # 0: the window is idle
    after = rng.uniform(0, _LATEST if loaded else 1.0)
    what = f"{way} {after:.2f} s after {'coming up' if loaded else 'beginning'}, {tokens or 'idle, 6'} tokens"
    child = Child(folder / "first", close_from_within, way, str(after), str(tokens), str(int(loaded)), fresh=True)
    child.waits_for("ready" if loaded else "begun", COLD)
    statuses = [0]
    if way.startswith("SIG"):
        which = signal.Signals[way]
        statuses = [128 + which, -which]
        child.spend(after)
        child.send(which)
    ended = child.end(_LATEST + (10.0 if loaded else COLD))
    if outcome.judge(ended, what, statuses) and ended.err.strip():
        outcome.judge_silence(ended, what)
    outcome.judge_logs(folder, what)
    text, _ = starts_again(folder, outcome, what)
    outcome.met = int("yes" in ended.said("computing")[-1:])
    last = ended.said("edit")
    if text and last and last[-1] not in text:
        outcome.add(LOST, f"{what}: {last[-1]} is not in the next start's session")
    outcome.judge_strays(folder, what)
    return outcome


def close_from_within(way: str, after: str, tokens: str, loaded: str) -> int:
    """Run the window, edit it once if it has come up, and close it by `way`; a signal comes from outside. Runs in a child
    process."""
    return play(partial(_edit, way=way, after=float(after), tokens=int(tokens), loaded=loaded == "1"))


def _edit(player: Player, way: str, after: float, tokens: int, loaded: bool) -> Iterator[float]:
    window = player.window
    print("begun")
    if loaded:
        yield from player.come_up()
        yield from player.rest(1.0)
        if tokens and window.isVisible():  # a signal may have closed it already
            assert window.workbench
            rest = " ".join(f"word{number % 900}" for number in range(tokens))
            window.workbench.tokens.text_edit().setPlainText(f"edit{os.getpid()} {rest}")
            print(f"edit edit{os.getpid()}")
    yield from _tell(player, after if way in ("close", "quit") else inf)
    if way == "close":
        window.close()
    else:
        player.choose("quit")
    while True:
        yield 1.0


def _tell(player: Player, most: float) -> Iterator[float]:
    """Let the window work for a while, and print when it begins to compute and when it is done."""
    until, told = perf_counter() + most, False
    while (rest := until - perf_counter()) > 0:
        if player.window.busy != told:
            told = not told
            print(f"computing {'yes' if told else 'no'}")
        yield min(_LOOK, rest)
