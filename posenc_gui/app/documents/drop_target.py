"""Files dropped anywhere on the window."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QMainWindow

from posenc_gui.foundation.wording import quote

_OF_LABS = "Labs ▸ Folder of labs lists the labs in a folder."


class DropWindow(QMainWindow):
    """A window that signals a dropped file or folder, once it accepts drops, and what of the drop is not opened."""

    dropped = Signal(object, str)  # Path: the first of several; a sentence on the others, or nothing
    left_out = Signal(str)  # a sentence: there is no file

    def __init__(self) -> None:
        super().__init__()
        self.setAcceptDrops(False)  # Qt's main windows do from the start

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Accept anything with addresses: the drop says what can't be opened."""
        if self.acceptDrops() and event.mimeData().hasUrls():
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Emit the first file, or the first folder if all are, with a sentence on what is left out, or that sentence alone."""
        places = [Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()]
        found = [place for place in places if not place.is_dir()] or places
        if found:
            self.dropped.emit(found[0], _left_out(found))
        else:
            self.left_out.emit(
                "Not opened: this is not a file on this machine, and the explorer downloads nothing. Save it first."
            )


def _left_out(found: list[Path]) -> str:
    """Return a sentence on what is not opened; empty if all is."""
    if len(found) == 1:
        return "" if not found[0].is_dir() or (found[0] / "config.json").exists() else _OF_LABS
    from posenc_gui.foundation.unicode_text import shorten_middle  # not needed for the first paint

    of = "folders" if found[0].is_dir() else "files"
    return f"Of {len(found)} {of} only the first was taken, {quote(shorten_middle(found[0].name))}."
