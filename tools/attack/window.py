"""The real window, used by a script: dialogs are answered, pauses measured, and messages printed."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from time import perf_counter, thread_time

from PySide6.QtCore import QEvent, Qt, QTimer
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QFileDialog, QLabel, QLineEdit, QPushButton, QWidget

from posenc_gui import cli
from posenc_gui.app.widgets.dialogs import QuestionDialog
from posenc_gui.app.window.main_window import MainWindow
from tools.attack.child import PATIENCE, Child, delays, most_delayed
from tools.attack.outcome import HANG, Outcome

_BEAT = 5  # milliseconds
_LOOK = 50  # milliseconds between two checks for dialogs and messages
_WORTH_TELLING = 0.1  # seconds from which a pause is printed
_SCRIPT_FAILED = 3
_AGREEING = "Replace it", "Close without saving"


class Player:
    """Plays a script in the window: a generator that acts and yields the seconds until it goes on.

    It prints lines for the parent process: `ready`, `step WHAT`, `said SENTENCE`, `pause SECONDS …`. Time for which any
    thread waited for a processor is printed, but doesn't count as a pause: the window's thread may have waited for that one.
    """

    def __init__(self, script: Callable[[Player], Iterator[float]]) -> None:
        self.window = MainWindow.__new__(MainWindow)  # until there is one
        self.doing = "starting"
        self.answer: Callable[[QWidget], None] = accept
        self.path = ""  # for the next file dialog; if empty, `answer` answers it
        self._script, self._playing = script, iter(())
        self._begun, self.told = False, ""  # what the window tells now
        self._beat = _Beat()
        self._next = QTimer(singleShot=True)
        self._next.timeout.connect(self._go_on)
        self._look = QTimer()
        self._look.timeout.connect(self._look_around)
        self._heart = QTimer(timerType=Qt.TimerType.PreciseTimer)
        self._heart.timeout.connect(self._on_beat)
        self._next.start(_BEAT)

    def come_up(self) -> Iterator[float]:
        """Wait until the window has come up, and begin to measure pauses."""
        while self.window.workbench is None:
            yield 0.01
        yield 0.01  # so that what is shown in the same turn of the event loop is shown
        print("ready")
        self._beat = _Beat()
        self._heart.start(_BEAT)

    def rest(self, most: float) -> Iterator[float]:
        """Wait until nothing is computed, at most so many seconds."""
        yield from self.until(lambda: not self.window.busy, most)

    def until(self, done: Callable[[], object], most: float) -> Iterator[float]:
        """Wait until something is so, at most so many seconds."""
        until = perf_counter() + most
        while not done() and perf_counter() < until:
            yield 0.02

    def time(self, script: Iterator[float], most: float) -> Iterator[float]:
        """Play a part of the script and wait until nothing is computed, at most so many seconds; print how long it took."""
        begun = perf_counter()
        yield from script
        yield 0.1  # what was given is computed soon
        yield from self.rest(most)
        print(f"took {perf_counter() - begun:.2f}")

    def choose(self, action: str, path: str = "") -> None:
        """Trigger an action by its name; `path` goes into the file dialog that it opens."""
        self.path = path
        self.window.findChild(QAction, action).trigger()

    def say(self, what: str) -> None:
        """Print the next step, and remember it for reports of pauses."""
        self.doing = what
        print(f"step {what}")

    def stop(self) -> None:
        """Stop measuring pauses."""
        self._heart.stop()
        self._look_around()

    def _go_on(self) -> None:
        if not self._begun:
            windows = [one for one in QApplication.topLevelWidgets() if isinstance(one, MainWindow)]
            if not windows:
                self._next.start(_BEAT)
                return
            self.window, self._begun = windows[0], True
            self._playing = self._script(self)
            self._look.start(_LOOK)
        try:
            self._next.start(int(1000 * next(self._playing)))
        except StopIteration:
            return
        except Exception:
            traceback.print_exc()
            os._exit(_SCRIPT_FAILED)

    def _on_beat(self) -> None:
        before, now = self._beat, _Beat()
        self._beat = now
        elapsed, computing = now.at - before.at, now.used - before.used
        starved = most_delayed(before.delays, now.delays)
        pause = max(computing, elapsed - starved)
        if pause > _WORTH_TELLING:
            told = f"{computing:.1f} s of them computing, {starved:.1f} s more without a processor"
            print(f"pause {pause:.3f} s, {told}, while {self.doing}")

    def _look_around(self) -> None:
        label = self.window.messages.findChild(QLabel) if self.window.workbench else None
        told = label.text() if label and self.window.messages.isVisible() else ""
        if told != self.told:
            self.told = told
            if told:
                print(f"said {told!r}")
        if _modal():  # later: a dialog that the answer opens would block this timer
            QTimer.singleShot(0, self._answer)

    def _answer(self) -> None:
        if modal := _modal():
            if isinstance(modal, QFileDialog) and self.path:
                give(modal, self.path)
                self.path = ""
            else:
                if isinstance(modal, QuestionDialog):
                    print(f"said {modal.findChild(QLabel).text()!r}")
                self.answer(modal)


class _Beat:
    """A moment of the window's thread: the time, what it has computed, and for how long each thread was ready to run but got
    no processor."""

    def __init__(self) -> None:
        self.at, self.used = perf_counter(), thread_time()
        self.delays = delays("self")


def _modal() -> QWidget | None:
    """Return the open popup, such as a menu, or modal dialog; None if there is none."""
    return QApplication.activePopupWidget() or QApplication.activeModalWidget()


def play(script: Callable[[Player], Iterator[float]], *arguments: str) -> int:
    """Open the window as the command line does, play a script in it, and return the exit status."""
    app = QApplication(sys.argv[:1])
    player = Player(script)
    status = cli.main(arguments)
    del player, app  # kept alive until here
    return status


def give(dialog: QFileDialog, path: str) -> None:
    """Type a path into a file dialog and press Return."""
    line = dialog.findChild(QLineEdit)
    line.setText(path)
    QTest.keyClick(line, Qt.Key.Key_Return)
    if dialog.isVisible() and dialog.fileMode() == QFileDialog.FileMode.Directory:
        QTest.keyClick(line, Qt.Key.Key_Return)  # the first one closes the list of completions


def accept(modal: QWidget) -> None:
    """Replace a file, or close without saving, if a question offers it; cancel any other dialog, and close a popup."""
    found = modal.findChildren(QPushButton) if isinstance(modal, QuestionDialog) else []
    if agreeing := [button for button in found if button.text() in _AGREEING]:
        agreeing[0].click()
    elif isinstance(modal, QDialog):
        modal.reject()
    else:
        QApplication.sendEvent(modal, QEvent(QEvent.Type.Close))


# --- Starting again ---------------------------------------------------------------------------------------------------


def come_up_and_close(*arguments: str) -> int:
    """Open the window, print its session's text, and close it. Runs in a child process."""
    return play(_come_up_and_close, *arguments)


def _come_up_and_close(player: Player) -> Iterator[float]:
    yield from player.come_up()
    assert player.window.workbench
    print(f"text {player.window.workbench.store.session.text!r}")
    yield from player.rest(PATIENCE / 2)
    player.stop()
    player.window.close()


def starts_again(home: Path, outcome: Outcome, what: str) -> tuple[str, list[str]]:
    """Start a window with this home, close it, and note its faults; return its session's text and its messages as `repr`."""
    child = Child(home / "again", come_up_and_close)
    came = child.waits_for("ready")
    ended = child.end() if came else child.end(0)
    if not came and ended.hung:
        outcome.add(HANG, f"{what}: the next start doesn't come up: {' '.join(ended.said('said'))}")
    else:
        outcome.judge(ended, f"{what}, the next start")
        outcome.judge_silence(ended, f"{what}, the next start")
    return next(iter(ended.said("text")), ""), ended.said("said")
