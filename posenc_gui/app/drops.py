"""Files that are dropped on the window."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QMimeData, Signal
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QMainWindow


class DropWindow(QMainWindow):
    """A window that says which file was dropped on it, once it accepts drops."""

    dropped = Signal(object)  # Path: the first file of several

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:  # noqa: N802
        """Files can be dropped."""
        if self.acceptDrops() and _files(event.mimeData()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:  # noqa: N802
        """Say which file it was."""
        if files := _files(event.mimeData()):
            self.dropped.emit(files[0])


def _files(data: QMimeData) -> list[Path]:
    return [Path(url.toLocalFile()) for url in data.urls() if url.isLocalFile()]
