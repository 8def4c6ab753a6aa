"""What words of any length cost: `python benchmarks/long_words.py [CHARACTERS] [NAME …]`.

Printed, for each kind of text: the longest pause of the UI thread (between two beats of a 5 ms timer) while it is opened
beside the plots that are there at first, typed at, selected and taken back, then while each plot's card is brought, and
which of them that was.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import partial

from common import longest_pause, open_window, spend
from PySide6.QtGui import QAction, QTextCursor
from PySide6.QtWidgets import QPlainTextEdit

from posenc_gui.app.panels.text_edit import MOST_EDITED
from posenc_gui.app.window.main_window import MainWindow

_AT_MOST = 120.0  # seconds that a step is waited for


def texts(most: int) -> dict[str, tuple[str, str]]:
    """Texts of `most` characters, and how they are split, by what is hard about them."""
    half = "x" * (most // 2 - 1)
    return {
        "letters": ("abcdefghij" * (most // 10), "words"),
        "digits": ("a1b2c3" * (most // 6), "words"),
        "marks": ("e" + "\u0301" * (most - 1), "words"),
        "emoji": ("\U0001f469\u200d" * (most // 2), "words"),
        "overrides": ("\u202e" * most, "words"),
        "hundred": (" ".join("word" * (most // 400) for _ in range(100))[:most], "words"),
        "Arabic": ("\u0633\u0644\u0627\u0645" * (most // 4), "words"),
        "Chinese": ("\u4f60\u597d" * (most // 2), "words"),
        "many": (" ".join("abcdefghijklmnopqrstuvwxyz"[at % 26] for at in range(16_384))[:most], "words"),
        "twins": (f"{half} {half}", "words"),
        "controls": ("a\x00b\x1b\x07" + "\u202e" + "c" * (most - 6), "words"),
        "lines": ("line\n" * (most // 5), "words"),
        "as characters": ("abcdefghij" * (most // 10), "characters"),
        "as bytes": ("\u00e9" * most, "bytes"),
    }


def main() -> None:
    """Open the window, show each text, and print."""
    arguments = sys.argv[1:]
    most = int(arguments.pop(0)) if arguments else MOST_EDITED - 2  # two letters are typed
    with open_window() as window:
        assert window.workbench
        store = window.workbench.store
        start = store.session
        for name, (text, tokenizer) in texts(most).items():
            if arguments and name not in arguments:
                continue
            began = time.perf_counter()
            session = start.changed(text=text, tokenizer=tokenizer)
            pauses = {step: pause(window, act) for step, act in steps(window, partial(store.replace, session)).items()}
            worst = sorted(pauses, key=pauses.__getitem__, reverse=True)[:5]
            told = ", ".join(f"{step} {1000 * pauses[step]:.0f}" for step in worst)
            assert store.session == session
            print(f"{name:>14}: {told} ms; all {time.perf_counter() - began:.0f} s", flush=True)
            store.replace(start)
            for card in window.cards.values():
                card.close()
            window.findChild(QAction, "reset_arrangement").trigger()
            pause(window, lambda: None)


def steps(window: MainWindow, show: Callable[[], object]) -> dict[str, Callable[[], object]]:
    """What is done with a text, by name, the cards last."""
    assert window.workbench
    edit = window.workbench.tokens.text_edit
    return {
        "open": show,
        "type": partial(type_at, edit, QTextCursor.MoveOperation.Start),
        "type at the end": partial(type_at, edit, QTextCursor.MoveOperation.End),
        "select": edit.selectAll,
        "undo": window.workbench.store.undo,
        "open again": show,
        **{card: window.cards[card].bring for card in window.cards},
    }


def type_at(edit: QPlainTextEdit, place: QTextCursor.MoveOperation) -> None:
    """Type a letter."""
    edit.moveCursor(place)
    edit.insertPlainText("z")


def pause(window: MainWindow, act: Callable[[], object]) -> float:
    """Act and wait for all that comes of it: the longest pause of the window in seconds."""

    def settle() -> None:
        act()
        spend(0.3)
        end = time.perf_counter() + _AT_MOST
        while window.busy and time.perf_counter() < end:
            spend(0.1)
        spend(0.1)

    return longest_pause(settle)


if __name__ == "__main__":
    main()
