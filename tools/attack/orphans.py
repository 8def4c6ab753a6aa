"""Orphans: a window is killed while its processes work; nothing of it may be there two seconds later."""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import psutil

from posenc_gui.app.export.export_process import request_figure
from tools.attack.child import COLD, Child
from tools.attack.models import sound
from tools.attack.outcome import HANG, STRAY, Outcome
from tools.attack.window import Player, play

_LATEST = 6.0  # seconds after the first process has begun
_GONE = 2.0  # seconds in which all must have ended
_FINISHING = 62.0  # seconds in which a running export must have, too
_TEXT = "dog bites man " * 15  # as long as the model knows positions
_LARGE = '{"a": [' + "[]," * 10_000_000 + "1]}"  # a file that is read in a process of its own, for seconds


def attack(rng: random.Random, folder: Path) -> Outcome:
    """Kill a window once, and look what is left of it."""
    outcome = Outcome()
    how, held, exports = rng.choice((signal.SIGKILL, signal.SIGTERM)), rng.random() < 0.5, rng.random() < 0.5
    after = rng.uniform(0, _LATEST)
    what = f"{how.name} {after:.2f} s after beginning{', exporting' * exports}{', its pipes held by another' * held}"
    child = Child(folder / "first", begin, str(sound(folder)), str(folder), str(int(held)), str(int(exports)))
    if not child.waits_for("begun", COLD):
        outcome.add(HANG, f"{what}: it doesn't come up")
    child.spend(after)
    outcome.met = len(psutil.Process(child.pid).children(recursive=True))
    child.send(how)
    child.spend(COLD)  # asked to end, it ends when it can
    if not child.leaves_no_process(_FINISHING if exports else _GONE):
        outcome.add(STRAY, f"{what}: a process of it is still there")
    outcome.judge(child.end(), what, [-how, 128 + how])
    return outcome


def begin(model: str, folder: str, held: str, exports: str) -> int:
    """Let a window begin what runs in processes of their own. Runs in a child process."""
    return play(partial(_begin, model=Path(model), folder=Path(folder), held=held == "1", exports=exports == "1"))


def _begin(player: Player, model: Path, folder: Path, held: bool, exports: bool) -> Iterator[float]:
    yield from player.come_up()
    yield from player.rest(COLD)
    window = player.window
    exporter, plot = window.workbench.exporter, window.workbench.plots["attention"]
    figures = [request_figure(plot.view.figure())] * (40 if exports else 1)
    exporter.save(figures, folder / "deck.pptx", {}, print, print)
    window.dropped.emit(model, "")
    yield from player.until(lambda: len(psutil.Process().children()) > 2, COLD)
    if held and os.fork() == 0:
        os.setsid()  # not one of the window's
        time.sleep(_LATEST + _FINISHING)
        os._exit(0)
    print("begun")
    yield from player.rest(COLD)
    window.workbench.store.propose(text=_TEXT)
    large = folder / "large.json"
    large.write_text(_LARGE, encoding="utf-8")
    window.dropped.emit(large, "")
    while True:
        yield 1.0
