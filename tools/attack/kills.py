"""Kills: a window that is edited, saves and exports is killed at a random moment, and must have kept its work."""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import posenc_gui as pe
from posenc_gui.app.export.export_process import request_figure
from tools.attack.child import COLD, Child
from tools.attack.outcome import HANG, LOST, STRAY, UNSAID, Outcome, strays
from tools.attack.window import Player, play, starts_again

_LATEST = 5.0  # seconds after the window has come up, or has begun its first export
_SHORT = 0.6  # seconds after it has begun a later one
_LONG_AGO = 7 * 24 * 3600  # seconds: the age given to temporary files, so that the next start deletes them as abandoned
_MOST_LOST = 1.5  # seconds of edits that may be lost: one until they are saved, and time to save them on a busy machine
_EXPORTED = ("map.svg", "map.csv", "map.png", "map.pdf", "map.npz", "map.gif", "map.pptx")
_MOST_EXPORTS = 4  # begun before the kill


def attack(rng: random.Random, folder: Path) -> Outcome:
    """Kill a window once, and start it again."""
    outcome = Outcome()
    pace, alone = rng.choice((0.02, 0.2, 0.9, 2.5)), rng.random() < 0.5
    begun = rng.randint(
        0, _MOST_EXPORTS
    )  # the first export starts a process; later ones are done in less than a second
    at_once = begun > 0 and rng.random() < 0.5  # surely while it exports, however quick the machine
    after = 0.0 if at_once else rng.uniform(0, _SHORT if begun > 1 else _LATEST)
    how, since = "alone" if alone else "with all it began", f"export {begun}" if begun else "coming up"
    what = f"killed {how} {after:.2f} s after {since}, an edit each {pace:g} s"
    child = Child(folder / "first", edit, str(folder), str(pace), str(rng.random()))
    if not child.waits_for("ready"):
        outcome.add(HANG, f"{what}: it doesn't come up")
    elif not child.waits_for("exporting", COLD, begun):
        outcome.add(HANG, f"{what}: it doesn't export")
    child.spend(after)
    killed = time.time()
    if alone:
        child.send(signal.SIGKILL)
        if not child.leaves_no_process():
            outcome.add(STRAY, f"{what}: a process that it began is still there")
    else:
        child.kill_all()
    ended = child.end()
    outcome.judge(ended, what, [-signal.SIGKILL])
    for failure in ended.said("failed"):
        outcome.add(LOST, f"{what}: an export that nothing stood in the way of: {failure}")
    outcome.met = int(len(ended.said("exporting")) > len(ended.said("exported")))
    _judge_files(folder, outcome, what)
    for path in strays(folder):
        os.utime(path, (killed - _LONG_AGO, killed - _LONG_AGO))
    text, said = starts_again(folder, outcome, what)
    edits = [tuple(map(float, line.split())) for line in ended.said("edit")]
    if edits and text:
        judge_loss(edits, killed, text, said, outcome, what)
    outcome.judge_logs(folder, what)
    outcome.judge_strays(folder, what)
    return outcome


def judge_loss(
    edits: list[tuple[float, ...]], killed: float, text: str, said: list[str], outcome: Outcome, what: str
) -> None:
    """Note if too many edits are lost, or if the next start doesn't say what it restored.

    edits: the number and time of each; `text`, the restored one, ends with the number of the last that was kept.
    """
    _, _, kept = text.strip("'").rpartition(" ")
    lost = [at for number, at in edits if number > (int(kept) if kept.isdigit() else 0)]
    outcome.loss = killed - lost[0] if lost else 0.0
    if outcome.loss > _MOST_LOST:
        outcome.add(LOST, f"{what}: the last {outcome.loss:.1f} s, {len(lost)} of {len(edits)} edits")
    if kept.isdigit() and not said:  # killed before the first save, it has nothing to say
        outcome.add(UNSAID, f"{what}: the next start doesn't say what it has")


def _judge_files(folder: Path, outcome: Outcome, what: str) -> None:
    """Note saved and exported files that are not whole."""
    for path in (folder / "saved.json", *(folder / name for name in _EXPORTED)):
        if path.exists():
            try:
                if path.suffix == ".csv":
                    assert path.read_text(encoding="utf-8").endswith("\n"), "cut short"
                else:
                    pe.Session.load(path)
            except (ValueError, OSError, AssertionError) as error:
                outcome.add(LOST, f"{what}: {path.name} is neither old nor new: {error}")


def edit(folder: str, pace: str, seed: str) -> int:
    """Edit a window without end, and now and then save or export. Runs in a child process."""
    return play(partial(_edit, folder=Path(folder), pace=float(pace), rng=random.Random(seed)))


def _edit(player: Player, folder: Path, pace: float, rng: random.Random) -> Iterator[float]:
    yield from player.come_up()
    assert player.window.workbench
    store, exporter = player.window.workbench.store, player.window.workbench.exporter
    told: list[str] = []
    number = exports = 0

    def tell(word: str, sentence: str) -> None:
        print(f"{word} {sentence}")
        told.append(word)

    while True:
        number += 1
        store.propose(text=f"the cat sat {number}")
        print(f"edit {number} {time.time()}")
        figure = player.window.workbench.plots["attention"].view.figure()
        if rng.random() < 0.2:
            player.choose("save" if player.window.documents.file.path else "save_as", str(folder / "saved.json"))
        if figure and len(told) == exports:
            exports += 1
            path = folder / rng.choice(_EXPORTED)
            print(f"exporting {path.name}")
            exporter.save(
                [request_figure(figure)], path, {"append": True}, partial(tell, "exported"), partial(tell, "failed")
            )
        yield pace * rng.uniform(0.5, 1.5)
