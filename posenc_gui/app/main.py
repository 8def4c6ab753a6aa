"""Starting the window."""

from __future__ import annotations

import logging
import os
import sys
from logging.handlers import RotatingFileHandler
from pathlib import Path
from types import TracebackType

import platformdirs
from PySide6.QtCore import Qt
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QApplication

from posenc_gui import resources
from posenc_gui.app.settings import Memory
from posenc_gui.app.signals import Signals
from posenc_gui.app.window import MainWindow

_NAME = "posenc-gui"


def run(path: Path | None = None, folder: Path | None = None) -> int:
    """Open the window, on a file if one is given, and return the exit status once it is closed.

    `folder` is where the window keeps what it remembers; the user's own folder for settings if none is given.
    """
    app = QApplication.instance() or QApplication(sys.argv[:1])
    assert isinstance(app, QApplication)
    app.setApplicationName(_NAME)
    app.setApplicationDisplayName("Positional encodings")
    app.setStyle("Fusion")
    app.setWindowIcon(QIcon(str(resources.folder() / "icons" / "app.svg")))
    memory = Memory(folder or Path(platformdirs.user_config_dir(_NAME, appauthor=False)))
    window = MainWindow(memory, path)
    _log_surprises(memory, window)
    signals = Signals(window)
    signals.came.connect(window.close)
    app.commitDataRequest.connect(window.keep, Qt.ConnectionType.DirectConnection)
    window.show()
    status = app.exec()
    if not window.end():  # what doesn't stop would keep the process for ever
        logging.shutdown()
        os._exit(signals.status or 1)
    return signals.status or status


def _log_surprises(memory: Memory, window: MainWindow) -> None:
    """An error that nobody foresaw goes to a log file, and to the user as one sentence; the window goes on."""
    log = logging.getLogger("posenc_gui")  # above the loggers of all modules
    log.propagate = False
    try:
        log.addHandler(RotatingFileHandler(memory.folder() / "log.txt", maxBytes=500_000, backupCount=1, delay=True))
    except OSError:
        log.addHandler(logging.NullHandler())

    def report(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        log.error("unforeseen", exc_info=(kind, error, trace))
        window.messages.say(
            f"Something went wrong ({kind.__name__}: {error}). The window goes on; details are in the log file."
        )

    sys.excepthook = report
