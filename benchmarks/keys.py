"""How the window keeps up with typing: `python benchmarks/keys.py [TOKENS] [SECONDS]`.

Sixty characters a second are typed into the sentence, and then into the formula of one's own encoding, forth and back, so that
most texts on the way can't be read. Printed of each: the longest pause of the UI thread (between two beats of a 5 ms timer), the
same of what that thread computes alone, and the pause at rest.
"""

from __future__ import annotations

import itertools
import sys
import time
from functools import partial

from common import longest_pause, open_window, spend
from PySide6.QtCore import Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPlainTextEdit

import posenc_gui as pe
from posenc_gui.app.window.main_window import MainWindow

LINE = " + sin(m / growth^i) * 0.25 + abs(i - 3) / (d + 1)"
WORDS = " and the dog ran to the end of the very long street"


def main() -> None:
    """Open the window, type, and print."""
    tokens = int(sys.argv[1]) if len(sys.argv) > 1 else 6
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 4.0
    with open_window() as window:
        workbench = window.workbench
        assert workbench
        workbench.store.propose(text=" ".join(f"word{i % 50}" for i in range(tokens)), encoding=pe.encoding("own"))
        spend(2.0)
        print(f"{tokens} tokens: at rest {1000 * longest_pause(partial(spend, 2)):.0f} ms")
        fields = {
            "the sentence": (workbench.tokens.text_edit, WORDS),
            "the formula": (workbench.encoding.formula.field, LINE),
        }
        for what, (field, typed) in fields.items():
            pause = longest_pause(partial(type_into, window, field, typed, seconds))
            own = longest_pause(partial(type_into, window, field, typed, seconds), time.thread_time)
            print(f"{what}: longest pause {1000 * pause:.0f} ms, computing alone {1000 * own:.0f} ms")


def type_into(window: MainWindow, field: QPlainTextEdit, typed: str, seconds: float) -> None:
    """Type at the end of the first line for so many seconds, and take it back, again and again."""
    window.activateWindow()
    field.setFocus()
    cursor = field.textCursor()
    cursor.movePosition(cursor.MoveOperation.Start)
    cursor.movePosition(cursor.MoveOperation.EndOfBlock)
    field.setTextCursor(cursor)
    keys = itertools.cycle([*typed, *([Qt.Key.Key_Backspace] * len(typed))])
    timer = QTimer(interval=1000 // 60, timerType=Qt.TimerType.PreciseTimer)

    def press() -> None:
        key = next(keys)
        QTest.keyClicks(field, key) if isinstance(key, str) else QTest.keyClick(field, key)

    timer.timeout.connect(press)
    timer.start()
    spend(seconds)
    timer.stop()
    spend(1)


if __name__ == "__main__":
    main()
