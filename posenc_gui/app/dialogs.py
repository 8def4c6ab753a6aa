"""Qt's dialogs for files: they begin where the last one ended, at the next start, too."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QWidget

from posenc_gui.app.habits import Habits


class Dialogs:
    """Asks for files and folders; None where the user cancels."""

    def __init__(self, habits: Habits) -> None:
        self._habits = habits

    @property
    def folder(self) -> Path:
        """Where a dialog begins: the folder of the last file, or the user's own where that one is gone."""
        last = Path(self._habits.settings.folder)
        return last if self._habits.settings.folder and last.is_dir() else Path.home()

    def to_open(self, parent: QWidget, title: str, kinds: str) -> Path | None:
        """A file to be opened."""
        chosen, _ = QFileDialog.getOpenFileName(parent, title, str(self.folder), kinds)
        return self._kept(chosen)

    def to_save(
        self,
        parent: QWidget,
        title: str,
        proposed: Path | str,
        kinds: str,
        kind: str = "",
        *,
        is_extended: bool = False,
    ) -> Path | None:
        """A file to be saved, with the first suffix of its kind where it was given none.

        proposed: its name, or its whole path. kind: which of the kinds ("SVG (*.svg);;PDF (*.pdf)") is chosen at first.
        is_extended: a file that is there is added to, so nobody is asked whether it may go.
        """
        options = (QFileDialog.Option.DontConfirmOverwrite,) if is_extended else ()
        chosen, kind = QFileDialog.getSaveFileName(parent, title, str(self.folder / proposed), kinds, kind, *options)
        path = self._kept(chosen)
        return path.with_suffix(_suffix(kind or kinds)) if path and not path.suffix else path

    def folder_of(self, parent: QWidget, title: str) -> Path | None:
        """A folder."""
        chosen = QFileDialog.getExistingDirectory(parent, title, str(self.folder))
        if chosen:
            self._habits.keep(folder=chosen)
        return Path(chosen) if chosen else None

    def _kept(self, chosen: str) -> Path | None:
        if not chosen:
            return None
        path = Path(chosen)
        self._habits.keep(folder=str(path.absolute().parent))
        return path


def _suffix(kinds: str) -> str:
    return "." + kinds.partition("*.")[2].partition(")")[0].split()[0]
