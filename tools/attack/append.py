"""Appends: several processes add slides to one deck at once, one may be killed meanwhile; none that landed may be lost."""

from __future__ import annotations

import os
import random
import signal
from pathlib import Path
from time import time

from pptx import Presentation

import posenc_gui as pe
from tools.attack.child import COLD, Child
from tools.attack.outcome import LOST, Outcome, strays

_MOST_WAITING = 90.0  # seconds: each waits for those before
_LATEST = 4.0  # seconds after which one is killed


def attack(rng: random.Random, folder: Path) -> Outcome:
    """Let some processes append to a new deck, or to one that is there, and look at what stands in it at the end."""
    outcome, deck = Outcome(), folder / "deck.pptx"
    count, killed = rng.randint(2, 4), rng.random() < 0.5
    what = f"{count} processes append at once{', one of them is killed' if killed else ''}"
    first = rng.randrange(2)
    if first:
        pe.plot("waves", pe.Session(text="the first")).save(deck)
    children = [Child(folder / f"{number}", append, str(deck), f"word {number}") for number in range(count)]
    if killed:
        children[0].waits_for("appending", COLD)
        children[0].spend(rng.uniform(0, _LATEST))
        children[0].send(signal.SIGKILL)
    landed, spans = set[str](), list[tuple[float, float]]()
    for number, child in enumerate(children):
        ended = child.end(_MOST_WAITING)
        outcome.judge(ended, what, [0, *([-signal.SIGKILL] if killed and not number else [])])
        for failure in ended.said("failed"):
            outcome.add(LOST, f"{what}: {failure}")
        landed |= set(ended.said("landed"))
        begun, done = map(float, (ended.said("appending") or [0])), map(float, ended.said("until"))
        spans += zip(begun, done, strict=False)
    outcome.met = int(any(a is not b and a[0] < b[1] and b[0] < a[1] for a in spans for b in spans))
    slides = Presentation(str(deck)).slides if deck.exists() else ()
    notes = {slide.notes_slide.notes_text_frame.text for slide in slides}
    lost = [word for word in sorted(landed) if not any(word in note for note in notes)]
    if lost or not len(landed) + first <= len(slides) <= len(landed) + first + killed:
        outcome.add(LOST, f"{what}: {len(slides)} slides, {first} was there and {len(landed)} landed; lost are {lost}")
    for path in strays(folder):
        os.utime(path, (0, 0))  # a kill may leave them; the next export sweeps them
    if killed:
        pe.plot("waves", pe.Session()).save(deck, append=True)
    outcome.judge_strays(folder, what)
    return outcome


def append(deck: str, word: str) -> int:
    """Append a slide whose notes have this word. Runs in a child process."""
    figure = pe.plot("waves", pe.Session(text=word))
    print(f"appending {time()}")
    try:
        figure.save(deck, append=True)
    except (OSError, ValueError) as error:
        print(f"failed {error}")
        return 0
    print(f"landed {word}")
    print(f"until {time()}")
    return 0
