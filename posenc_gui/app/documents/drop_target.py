"""Files dropped anywhere on the window."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QMainWindow

from posenc_gui.foundation.wording import quote


class DropWindow(QMainWindow):
    """A window that signals a dropped file, once it accepts drops, and what of the drop is not opened."""

    dropped = Signal(object, str)  # Path: the first file of several; a sentence on the others, or nothing
    left_out = Signal(str)  # a sentence: there is no file

    def __init__(self) -> None:
        super().__init__()
        self.setAcceptDrops(False)  # Qt's main windows do from the start

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Accept anything with addresses: the drop says what can't be opened."""
        if self.acceptDrops() and event.mimeData().hasUrls():
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Emit the first file with a sentence on what is left out, or that sentence alone."""
        places = [Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()]
        files = [place for place in places if not place.is_dir()]
        if files:
            self.dropped.emit(files[0], _left_out(places, files))
        else:
            self.left_out.emit(_left_out(places, files))


def _left_out(places: list[Path], files: list[Path]) -> str:
    """Return a sentence on what is not opened, and why; empty if all is."""
    if not places:
        return "Not opened: this is not a file on this machine, and the explorer downloads nothing. Save it first."
    if not files:
        return f"Not opened: {places[0]} is a folder; Labs ▸ Folder of labs lists the labs in one."
    if len(files) > 1:
        from posenc_gui.foundation.unicode_text import shorten_middle  # not needed for the first paint

        return f"Of {len(files)} files only the first was taken, {quote(shorten_middle(files[0].name))}."
    return ""
