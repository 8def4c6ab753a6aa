"""Diagnostics: versions, hardware and the last errors, to be copied into a bug report."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from PySide6.QtCore import QLocale, qVersion
from PySide6.QtGui import QFontDatabase, QGuiApplication
from PySide6.QtWidgets import QCheckBox, QPlainTextEdit, QWidget

from posenc_gui import __version__
from posenc_gui.app.documents.file_dialogs import FileDialogs
from posenc_gui.app.state.log import last_errors
from posenc_gui.app.state.settings import Memory, Settings
from posenc_gui.app.widgets.controls import elided_label, push_button
from posenc_gui.app.widgets.dialogs import PassingDialog
from posenc_gui.foundation.errors import describe_file_error
from posenc_gui.foundation.files import atomic

_PACKAGES = ("PySide6-Essentials", "pyqtgraph", "torch", "numpy", "pydantic", "tokenizers", "matplotlib")
_MOST = 5  # errors
_SIZE = 720, 520  # pixels


def report(memory: Memory, settings: Settings, session: str | None) -> str:
    """Return a bug report as plain text; of the user's data it contains only the session, if one is given.

    session: its file's text; None leaves out the messages of errors, too, since they may quote it.
    """
    errors = last_errors(memory.folder_path, _MOST, with_words=session is not None)
    parts = ["\n".join(_surroundings(memory, settings)), "The last errors:" if errors else "No errors are in the log."]
    parts += errors
    if session is not None:
        parts.append(f"The session:\n{session}")
    return _without_home("\n\n".join(parts))


class DiagnosticsWindow(PassingDialog):
    """The report in a window of its own, to be copied or saved."""

    def __init__(
        self,
        memory: Memory,
        settings: Settings,
        dialogs: FileDialogs,
        session: Callable[[], str | None],
        parent: QWidget,
    ) -> None:
        super().__init__("Diagnostics", parent)
        self._memory, self._settings, self._dialogs, self._session = memory, settings, dialogs, session
        self._text = QPlainTextEdit(readOnly=True)
        self._text.setAccessibleName("Diagnostics")
        self._text.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self._text.setTabChangesFocus(True)
        self._with_session = QCheckBox("Include the sentence, the session and error messages, which may quote them")
        self._with_session.toggled.connect(self._show_report)
        self._told = elided_label("muted")
        save, close, copy = push_button("&Save …"), push_button("Close"), push_button("&Copy", accent=True)
        for button, run in ((copy, self._copy), (save, self._ask_and_save), (close, self.close)):
            button.clicked.connect(run)
        self.body.addWidget(self._text, 1)
        self.body.addWidget(self._with_session)
        self.add_foot((save, self._told), (close, copy))
        self.fit(*_SIZE)
        self._show_report()
        copy.setFocus()

    def _show_report(self) -> None:
        session = (self._session() or "No session is loaded.") if self._with_session.isChecked() else None
        self._text.setPlainText(report(self._memory, self._settings, session))
        self._told.setText("")

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self._text.toPlainText())
        self._told.setText("Copied.")

    def _ask_and_save(self) -> None:
        path = self._dialogs.to_save(self, "Save the diagnostics", "posenc-gui-diagnostics.txt", "Text (*.txt)")
        if path is None:
            return
        try:
            atomic.write(path, f"{self._text.toPlainText()}\n".encode())
            self._told.setText(f"Saved {path}.")
        except OSError as error:
            self._told.setText(f"Not saved: {describe_file_error(error)}")


def _surroundings(memory: Memory, settings: Settings) -> Iterator[str]:
    yield f"posenc-gui {__version__}, Python {platform.python_version()}, {platform.platform()}"
    yield f"Qt {qVersion()}, {', '.join(f'{name} {_version(name)}' for name in _PACKAGES)}"
    yield f"platform {QGuiApplication.platformName()}, language {QLocale().name()}, theme {settings.theme}"
    for number, screen in enumerate(QGuiApplication.screens(), 1):
        size, ratio = screen.size(), screen.devicePixelRatio()
        dpi = screen.logicalDotsPerInch()
        yield f"screen {number}: {size.width()} × {size.height()}, scaled by {ratio:g}, {dpi:.0f} dots per inch"
    yield f"device {settings.device}, {os.cpu_count()} processor cores"
    unkept = "" if os.access(memory.folder_path, os.W_OK) else ", not writable"
    yield f"settings in {memory.folder_path}{unkept}"


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def _without_home(text: str) -> str:
    """Replace the home folder by ~, since its name is usually the user's."""
    home = str(Path.home())
    for form in {home, os.path.realpath(home), Path(home).as_posix(), home.replace("\\", "\\\\")}:
        if len(form) > 1:
            text = text.replace(form, "~")
    return text
