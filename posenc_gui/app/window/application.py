"""Start the window, end the process with it, also on SIGTERM, SIGINT and similar signals, and collect its garbage meanwhile."""

from __future__ import annotations

import gc
import locale
import logging
import os
import signal
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import FrameType, TracebackType
from typing import NoReturn

import platformdirs
from PySide6.QtCore import QObject, QSocketNotifier, Qt, QThread, QTimer, Signal
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QApplication, QDialog

from posenc_gui.app.state.log import follow_crashes, open_log
from posenc_gui.app.state.settings import Memory
from posenc_gui.app.window.main_window import MainWindow
from posenc_gui.foundation import resources

_NAME = "posenc-gui"
_MOST_ASKED = 100  # questions that are closed, after which the window ends all the same
_PERIOD = 1000  # milliseconds
_LONGEST_END = 60  # seconds that closing may take after a signal
_YOUNG = 700  # objects, as many as Python's own default
# Seconds for which a thread computes in Python while another waits; a paint may wait so long at each of its many calls.
TURN = 5e-4
# Not every system has all of them.
_ENDING = [one for one in signal.Signals if one.name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK")]


def run(asked: Path | str | None = None, folder: Path | None = None) -> NoReturn:
    """Open the window, on a file or a share string if one is given, and end the process with it.

    `folder` is where the window keeps what it remembers; the user's own folder for settings if none is given.
    Raises OSError if none is given and the user has none.
    """
    sys.setswitchinterval(TURN)
    folder = folder or _own_folder()
    app = QApplication.instance() or QApplication(sys.argv[:1])
    assert isinstance(app, QApplication)
    _leave_locale()
    app.setApplicationName(_NAME)
    app.setApplicationDisplayName("Positional encodings")
    app.setStyle("Fusion")
    app.setWindowIcon(QIcon(str(resources.folder() / "icons" / "app.svg")))
    memory = Memory(folder)
    log = _log_in(memory.folder_path)
    window = MainWindow(memory, asked)
    _tell_surprises(log, window)
    window.ready.connect(GarbageTimer(window, lambda: window.busy).begin)
    signals = UnixSignals(window)
    signals.came.connect(lambda: _end(app, window))
    app.commitDataRequest.connect(lambda: _keep(window), Qt.ConnectionType.DirectConnection)
    window.show()
    status = app.exec()
    window.end()
    _leave(signals.status or status)


def _leave_locale() -> None:
    """Undo for C's functions what Qt took from the surroundings: where a capital i has a dot, PySide finds no property that
    begins with one, such as a timer's interval, and no window comes up.
    """
    for plain in ("C.UTF-8", "C"):  # not every system has the first
        with suppress(locale.Error):
            locale.setlocale(locale.LC_ALL, plain)
            return


def _own_folder() -> Path:
    """The user's own folder for settings. Raises OSError where there is none, or the surroundings name no whole path."""
    for name in ("HOME", "XDG_CONFIG_HOME") if os.name == "posix" else ():
        if (path := os.environ.get(name)) and not Path(path).is_absolute():
            from posenc_gui.foundation.wording import quote  # not needed for the first paint

            raise OSError(f"{name} must be an absolute path, not {quote(path)}.")
    try:
        Path.home()
    except RuntimeError:
        raise OSError("There is no home folder: HOME is not set, and the system knows none for this user.") from None
    return Path(platformdirs.user_config_dir(_NAME, appauthor=False))


def _keep(window: MainWindow) -> None:
    """Keep everything for the end of the desktop's session, which no open dialog may hold up."""
    _close_dialogs()
    window.keep()


def _end(app: QApplication, window: MainWindow, turns: int = _MOST_ASKED) -> None:
    """Close open dialogs, then the window, without a question."""
    nested = _close_dialogs() or QThread.currentThread().loopLevel() > 1
    if nested and turns:  # whoever asked goes on first
        QTimer.singleShot(0, window, lambda: _end(app, window, turns - 1))
        return
    window.end()
    app.exit()


def _close_dialogs() -> bool:
    """Close dialogs that wait for an answer, and menus, as Escape does; return whether there were any."""
    for closed in range(_MOST_ASKED):
        asking = QApplication.activePopupWidget() or QApplication.activeModalWidget()
        if asking is None:
            return closed > 0
        if isinstance(asking, QDialog):
            asking.reject()
        else:
            asking.close()
    return True


def _leave(status: int) -> NoReturn:
    """End the process at once; everything is saved by now.

    When Python shuts down by itself, PySide deletes the window while its parts can no longer answer, which crashes now and
    then; and a thread that doesn't stop would keep the process for ever.
    """
    logging.shutdown()
    for stream in (sys.stdout, sys.stderr):
        if stream:  # Windows may have none
            with suppress(OSError):  # the reader of a pipe may have gone
                stream.flush()
    os._exit(status)


def _log_in(folder: Path) -> logging.Logger:
    """Return the package's logger, with a file in this folder; silent if it can't be written."""
    try:
        log = open_log(folder)
        follow_crashes(folder)
    except OSError:
        log = logging.getLogger("posenc_gui")
        log.addHandler(logging.NullHandler())
    return log


def _tell_surprises(log: logging.Logger, window: MainWindow) -> None:
    """Log unexpected errors and show them to the user as one sentence; the window stays open."""

    def report(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        # With pydantic, which the first paint needn't wait for.
        from posenc_gui.foundation.errors import describe_internal_error

        log.error("unforeseen", exc_info=(kind, error, trace))
        window.say(f"Something went wrong; you can go on working: {describe_internal_error(error)}")

    sys.excepthook = report


class GarbageTimer(QTimer):
    """Collects garbage once a second, in place of Python, which from now on collects none.

    By itself Python collects on whichever thread makes an object: a collection of everything pauses a drag for 20 ms, and one
    on a worker's thread deletes widgets there: those of our classes at once, those of Qt's later, some twice, which crashes.
    """

    def __init__(self, parent: QObject, is_busy: Callable[[], bool]) -> None:
        super().__init__(parent, interval=_PERIOD)
        self._is_busy = is_busy
        self.timeout.connect(self._collect)
        gc.disable()

    def begin(self) -> None:
        """Collect from now on; what exists is taken to stay, and is never looked at again."""
        gc.freeze()
        self.start()

    def _collect(self) -> None:
        young, _middle, since_all = gc.get_count()
        if young > _YOUNG:
            gc.collect(1)
        elif since_all and not self._is_busy():
            gc.collect()


class UnixSignals(QObject):
    """Turns the system's signals into a Qt signal.

    Python may run a signal's handler in the middle of a paint, where nothing can be ended. So the handler does nothing;
    Python writes the signal's number to a socket, and the event loop reads it.
    """

    came = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._number = 0
        self._read, self._written = socket.socketpair()
        for end in (self._read, self._written):
            end.setblocking(False)
        self._notifier = QSocketNotifier(self._read.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._on_written)
        signal.set_wakeup_fd(self._written.fileno(), warn_on_full_buffer=False)
        for number in _ENDING:
            if signal.getsignal(number) is not signal.SIG_IGN:  # as nohup and a shell's & set it
                signal.signal(number, _heard)

    @property
    def status(self) -> int:
        """The exit status by shell convention: 128 plus the signal's number; 0 without a signal."""
        return 128 + self._number if self._number else 0

    def _on_written(self) -> None:
        self._number = self._read.recv(1)[0]
        self.came.emit()


def _heard(number: int, frame: FrameType | None) -> None:
    """Let the system end the process, and with it all its children, should closing hang; the number is already in the socket."""
    if sys.platform != "win32":
        signal.alarm(_LONGEST_END)
