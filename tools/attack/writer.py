"""A step of a lab that is being typed when the window is killed: the next start must have it."""

from __future__ import annotations

import random
import signal
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from tools.attack.child import Child
from tools.attack.kills import judge_loss
from tools.attack.outcome import HANG, Outcome
from tools.attack.window import Player, play

_LATEST = 4.0  # seconds after the first word


def attack(rng: random.Random, folder: Path) -> Outcome:
    """Kill a window while a step is typed, and start it again."""
    outcome, pace, after = Outcome(), rng.choice((0.02, 0.2, 0.9)), rng.uniform(0, _LATEST)
    what = f"killed {after:.2f} s after the first word of a step, a word each {pace:g} s"
    child = Child(folder / "first", write, str(pace))
    if not child.waits_for("edit"):
        outcome.add(HANG, f"{what}: no step can be written")
    child.spend(after)
    killed = time.time()
    child.kill_all()
    ended = child.end()
    outcome.judge(ended, what, [-signal.SIGKILL])
    edits = [tuple(map(float, line.split())) for line in ended.said("edit")]
    again = Child(folder / "again", read)
    read_again = again.end() if again.waits_for("text") else again.end(0)
    outcome.judge(read_again, f"{what}, the next start")
    text = next(iter(read_again.said("text")), "")
    outcome.met = int(len(edits) > 1)
    judge_loss(edits, killed, text, read_again.said("said"), outcome, what)
    outcome.judge_logs(folder, what)
    outcome.judge_strays(folder, what)
    return outcome


def write(pace: str) -> int:
    """Type a step without end. Runs in a child process."""
    return play(partial(_write, pace=float(pace)))


def _write(player: Player, pace: float) -> Iterator[float]:
    yield from player.come_up()
    labs = player.window.labs
    assert labs
    labs.ask_for_step()
    assert labs.writer
    number = 0
    while True:
        number += 1
        labs.writer.text.setPlainText(f"What is seen? {number}")
        print(f"edit {number} {time.time()}")
        yield pace


def read() -> int:
    """Open the window and the dialog, print what stands there, and close both. Runs in a child process."""
    return play(_read)


def _read(player: Player) -> Iterator[float]:
    yield from player.come_up()
    labs = player.window.labs
    assert labs
    labs.ask_for_step()
    assert labs.writer
    print(f"text {labs.writer.text.toPlainText()!r}")
    yield 0.5
    player.stop()
    labs.drop_step()  # else closing asks about it
    player.window.close()
