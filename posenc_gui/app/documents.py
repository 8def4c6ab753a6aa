"""Session files from the window: open and save."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QFileDialog, QWidget

from posenc_gui.app.store import Store
from posenc_gui.errors import sentence
from posenc_gui.labs.read import SUFFIXES
from posenc_gui.render import session_suffixes
from posenc_gui.session import Session
from posenc_gui.ways_in import first_session

_SESSION_FILES = "Session (*.json)"


class Documents(QObject):
    """Knows which file the session belongs to."""

    said = Signal(str)  # what went wrong, in a sentence
    done = Signal(str)  # what was done, in a sentence
    titled = Signal(str)  # the window's title
    lab_opened = Signal(object)  # Path of a lab, which others play

    def __init__(self, store: Store, window: QWidget) -> None:
        super().__init__(window)
        self._store, self._window = store, window
        self._path: Path | None = None
        self._saved: Session | None = store.session
        store.changed.connect(self.say_title)

    @property
    def path(self) -> Path | None:
        """The session's file; None where it has none yet."""
        return self._path

    def begin(self, path: Path | None) -> None:
        """Take the session at hand for one of this file, or of none."""
        self._path, self._saved = path, self._store.session if path is None else _session_in(path)
        self.say_title()

    def open(self, path: Path) -> None:
        """Go on with the session in a file; where that can't be, with the one at hand. A lab's file goes to the lab."""
        if path.suffix.lower() in SUFFIXES:
            self.lab_opened.emit(path)
            return
        try:
            opened = Session.open(path)
        except (OSError, ValueError) as error:
            self.said.emit(f"Not opened: {explain(error)}")
            return
        self._path = path if path.suffix == ".json" else None
        self._saved = opened.content
        self._store.replace(opened.content)
        self.say_title()
        if opened.remarks:
            self.said.emit(" ".join(opened.remarks))

    def ask_and_open(self) -> None:
        """Ask for a file and open it."""
        opened = " ".join(f"*{suffix}" for suffix in (".json", *session_suffixes(), *SUFFIXES))
        kinds = f"Sessions, exported figures and labs ({opened});;All files (*)"
        chosen, _ = QFileDialog.getOpenFileName(self._window, "Open a session or a lab", self._start(), kinds)
        if chosen:
            self.open(Path(chosen))

    def save(self) -> None:
        """Save to the session's file; ask for one where there is none."""
        if self._path is None:
            self.ask_and_save()
        else:
            self.save_to(self._path)

    def ask_and_save(self) -> None:
        """Ask for a file and save to it."""
        chosen, _ = QFileDialog.getSaveFileName(self._window, "Save the session", self._start(), _SESSION_FILES)
        if chosen:
            path = Path(chosen)
            self.save_to(path if path.suffix else path.with_suffix(".json"))

    def save_to(self, path: Path) -> None:
        """Save to a file, whole or not at all."""
        try:
            self._store.session.save(path)
        except OSError as error:
            self.said.emit(f"Not saved: {explain(error)}")
            return
        self._path, self._saved = path, self._store.session
        self.done.emit(f"Saved {path}.")
        self.say_title()

    def new(self) -> None:
        """Go on with the session that a first start shows."""
        self._path, self._saved = None, first_session()
        self._store.replace(self._saved)
        self.say_title()

    def revert(self) -> None:
        """Go back to the session as it was opened or last saved; undo goes forth again."""
        if self._saved is None:
            self.said.emit(f"Not gone back: {self._path} could not be read at the start.")
        else:
            self._store.replace(self._saved)

    def say_title(self) -> None:
        """Say the window's title: the file's name, and a star where the session differs from what it holds."""
        changed = "*" if self._store.session != self._saved else ""
        name = self._path.name if self._path else "Untitled"
        self.titled.emit(f"{name}{changed} — Positional encodings")

    def _start(self) -> str:
        return str(self._path or Path.home() / "session.json")


def _session_in(path: Path) -> Session | None:
    with suppress(OSError, ValueError):
        return Session.open(path).content
    return None


def explain(error: Exception) -> str:
    """An error of a file in one sentence that names the file."""
    return f"{sentence(error)}." if isinstance(error, OSError) else sentence(error)
