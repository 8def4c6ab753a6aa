"""Closings: a window is closed at a random moment, idle or while it computes or asks, and keeps its session."""

from __future__ import annotations

import os
import random
import signal
from collections.abc import Iterator
from functools import partial
from math import inf
from pathlib import Path
from time import perf_counter

from PySide6.QtCore import QTimer
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QWidget

from posenc_gui.text.tokenization import MAX_TOKENS
from tools.attack.child import COLD, Child
from tools.attack.outcome import LOST, Outcome
from tools.attack.window import Player, play, starts_again

_SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")
WAYS = ("close", "quit", *_SIGNALS)

_LOOK = 0.02  # seconds between two checks whether the window computes
_LATEST = 3.0  # seconds after the window has come up
_MOST_TYPED = 6000  # tokens; more come at once, as from a file
_TOKENS = (0, 0, 20, 500, _MOST_TYPED, MAX_TOKENS)  # 0: the window is idle
_DIALOGS = (
    *("open", "open_text", "open_lab", "save_as", "save_cards", "export", "export_sight", "export_film", "go_to_token"),
    *("history", "bookmarks", "diagnostics", "plots", "labs", "reports", "write_step", "keys", "glossary", "measures"),
    *("about", "find", "menus", "present"),
)


def attack(rng: random.Random, folder: Path) -> Outcome:
    """Close a window once, and start it again."""
    outcome = Outcome()
    way, loaded = rng.choice(WAYS), rng.random() < 0.85
    tokens, dialog = rng.choice(_TOKENS), rng.choice(_DIALOGS) if loaded and rng.random() < 0.4 else ""
    if dialog:  # while it is open, Qt lets nobody close the window
        way = rng.choice(_SIGNALS)
    after = rng.uniform(0, _LATEST if loaded else 1.0)
    what = f"{way} {after:.2f} s after {'coming up' if loaded else 'beginning'}, {tokens or 'idle, 6'} tokens"
    what += f", with {dialog!r} open" if dialog else ""
    child = Child(
        folder / "first", close_from_within, way, str(after), str(tokens), dialog, str(int(loaded)), fresh=True
    )
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
    outcome.met = int(bool("yes" in ended.said("computing")[-1:] or ended.said("opened")))
    last = ended.said("edit")
    if text and last and last[-1] not in text:
        outcome.add(LOST, f"{what}: {last[-1]} is not in the next start's session")
    outcome.judge_strays(folder, what)
    return outcome


def close_from_within(way: str, after: str, tokens: str, dialog: str, loaded: str) -> int:
    """Run the window, edit it once and open a dialog if it has come up, and close it by `way`; a signal comes from outside.
    Runs in a child process."""
    edit = partial(_edit, way=way, after=float(after), tokens=int(tokens), dialog=dialog, loaded=loaded == "1")
    return play(edit)


def _edit(player: Player, way: str, after: float, tokens: int, dialog: str, loaded: bool) -> Iterator[float]:
    window = player.window
    print("begun")
    if loaded:
        yield from player.come_up()
        yield from player.rest(1.0)
        if tokens and window.isVisible():  # a signal may have closed it already
            assert window.workbench
            text = " ".join((f"edit{os.getpid()}", *(f"w{number % 900}" for number in range(tokens - 1))))
            if tokens > _MOST_TYPED:
                window.workbench.store.propose(text=text)
            else:
                window.workbench.tokens.text_edit.setPlainText(text)
            print(f"edit edit{os.getpid()}")
        if dialog and window.isVisible():
            player.answer = _leave_open
            print(f"opened {dialog}")
            QTimer.singleShot(0, window, partial(player.choose, dialog))  # later: it may hold up the script
    yield from _tell(player, after if way in ("close", "quit") else inf)
    if way == "close":
        window.close()
    else:
        yield from player.until(lambda: window.findChild(QAction, "quit"), COLD)
        player.choose("quit")
    while True:
        yield 1.0


def _leave_open(_modal: QWidget) -> None:
    """Answer nothing."""


def _tell(player: Player, most: float) -> Iterator[float]:
    """Let the window work for a while, and print when it begins to compute and when it is done."""
    until, told = perf_counter() + most, False
    while (rest := until - perf_counter()) > 0:
        if player.window.busy != told:
            told = not told
            print(f"computing {'yes' if told else 'no'}")
        yield min(_LOOK, rest)
