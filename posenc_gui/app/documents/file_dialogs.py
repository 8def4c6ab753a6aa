"""Qt's dialogs for files: they begin where the last one ended, at the next start, too."""

from __future__ import annotations

import os
from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QWidget

from posenc_gui import render
from posenc_gui.app.state.settings import Preferences
from posenc_gui.app.widgets.dialogs import QuestionDialog
from posenc_gui.foundation.wording import quote

ExportFields = dict[str, object]  # fields of `render.export_options.ExportOptions`
_REPLACE = "Replace it"


class FileDialogs:
    """Asks for files and folders, and remembers the last choices. Each question returns None if the user cancels."""

    def __init__(self, preferences: Preferences) -> None:
        self._preferences = preferences

    @property
    def folder(self) -> Path:
        """The folder in which a dialog opens: the last file's, or the home folder if that one is gone."""
        last = Path(self._preferences.settings.folder)
        return last if self._preferences.settings.folder and last.is_dir() else Path.home()

    @property
    def looks(self) -> ExportFields:
        """The last export options; the defaults if those are no longer valid."""
        kept = dict(self._preferences.settings.looks)
        try:
            render.make_options(kept)
        except ValueError:
            return {}
        return kept

    @property
    def kind(self) -> str:
        """The suffix chosen last for a single figure."""
        return self._preferences.settings.kind

    def keep_looks(self, looks: ExportFields, kind: str) -> None:
        """Save export options and file type for the next export."""
        self._preferences.keep(looks=tuple(looks.items()), kind=kind)

    def to_open(self, parent: QWidget, title: str, kinds: str) -> Path | None:
        """Ask for a file to open; `kinds` as Qt has them, as “Text (*.txt)”."""
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
        """Ask for a file to save to; a name without a suffix, as llama-3.1, gets the first one of its kind.

        proposed: its name, or its whole path. kinds: “SVG (*.svg);;PDF (*.pdf)”; `kind` is selected at first. is_extended: an
        existing file is added to, so the dialog doesn't ask whether to replace it.
        """
        options = (QFileDialog.Option.DontConfirmOverwrite,) if is_extended else ()
        chosen, kind = QFileDialog.getSaveFileName(parent, title, str(self.folder / proposed), kinds, kind, *options)
        path = self._kept(chosen)
        if path is None or path.suffix[1:2].isalpha():
            return path
        path = path.with_name(path.name + _suffix(kind or kinds))
        if is_extended or not os.path.exists(path) or _may_go(path, parent, title):  # noqa: PTH110 (as elsewhere)
            return path
        return self.to_save(parent, title, path, kinds, kind)

    def folder_of(self, parent: QWidget, title: str) -> Path | None:
        """Ask for a folder."""
        chosen = QFileDialog.getExistingDirectory(parent, title, str(self.folder))
        if chosen:
            self._preferences.keep(folder=chosen)
        return Path(chosen) if chosen else None

    def _kept(self, chosen: str) -> Path | None:
        if not chosen:
            return None
        path = Path(chosen)
        self._preferences.keep(folder=str(path.absolute().parent))
        return path


def _may_go(path: Path, parent: QWidget, title: str) -> bool:
    """Ask whether to replace a file: Qt asked only about the name as typed, without the suffix."""
    asked = QuestionDialog(title, f"{quote(path.name)} already exists. Replace it?", ("Keep it", _REPLACE), parent)
    return asked.ask() == _REPLACE


def _suffix(kinds: str) -> str:
    return "." + kinds.partition("*.")[2].partition(")")[0].split()[0]
