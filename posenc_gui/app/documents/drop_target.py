"""Files that are dropped on the window, wherever in it."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QMainWindow


class DropWindow(QMainWindow):
    """A window that says which file was dropped on it, once it accepts drops, and what can't be opened of the rest."""

    dropped = Signal(object)  # Path: the first file of several
    left_out = Signal(str)  # a sentence

    def __init__(self) -> None:
        super().__init__()
        self.setAcceptDrops(False)  # Qt's main windows do from the start

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Files can be dropped, and what looks like one is told about."""
        if self.acceptDrops() and event.mimeData().hasUrls():
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Emit the dropped file."""
        places = [Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()]
        files = [place for place in places if not place.is_dir()]
        if files:
            self.dropped.emit(files[0])
        if why := _left_out(places, files):
            self.left_out.emit(why)


def _left_out(places: list[Path], files: list[Path]) -> str:
    """Why not all of it is opened; empty where it is."""
    if not places:
        return "Not opened: that is no file on this machine, and the explorer fetches nothing: save it first."
    if not files:
        return f"Not opened: {places[0]} is a folder; Labs ▸ Folder of labs lists the labs in one."
    if len(files) > 1:
        from posenc_gui.foundation.unicode_text import shorten_middle  # what is heavy comes after the first paint

        return f"Of {len(files)} files only the first was taken, {shorten_middle(files[0].name)}."
    return ""
