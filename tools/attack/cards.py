"""Cards: all plots' cards are opened one after the other, then the theme is changed, and the place; how long does the window
wait?"""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from tools.attack.child import COLD, Child
from tools.attack.outcome import HANG, Outcome
from tools.attack.window import Player, play

_THEN = ("theme.dark", "go.compare", "go.explore", "theme.light")


def attack(rng: random.Random, folder: Path) -> Outcome:
    """Open all cards in a random order."""
    outcome, child = Outcome(), Child(folder / "window", sit, str(rng.random()))
    if not child.waits_for("ready", COLD):
        outcome.add(HANG, "the window doesn't come up")
    while child.waits_for("step", COLD, outcome.met + 1):
        outcome.met += 1
    ended = child.end()
    outcome.judge(ended, "all cards")
    outcome.judge_silence(ended, "all cards")
    outcome.judge_pauses(ended, "all cards")
    outcome.judge_logs(folder, "all cards")
    return outcome


def sit(seed: str) -> int:
    """Open all cards in a window. Runs in a child process."""
    return play(partial(_sit, rng=random.Random(seed)))


def _sit(player: Player, rng: random.Random) -> Iterator[float]:
    yield from player.come_up()
    yield from player.rest(COLD)
    cards = player.window.cards
    names = [name for name in cards if name.startswith("plot.")]
    for count, name in enumerate(rng.sample(names, len(names)), 1):
        player.say(f"{count} {name}")
        cards[name].bring()
        yield 0.05
        yield from player.rest(COLD)
    for action in _THEN:
        player.say(f"{action} with all of them open")
        player.choose(action)
        yield 0.05
        yield from player.rest(COLD)
    player.say("closing")
    player.stop()
    player.window.close()
