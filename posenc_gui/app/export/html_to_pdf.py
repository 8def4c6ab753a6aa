"""HTML pages as PDF, printed by Qt; no browser is needed."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QMarginsF
from PySide6.QtGui import QPageLayout, QPageSize, QPdfWriter, QTextDocument

from posenc_gui.foundation.files import atomic

_DPI = 150
_MARGIN = 15  # millimetres


def save_as_pdf(page: str, path: Path) -> Path:
    """Write a self-contained HTML page as A4 pages to a PDF, whole or not at all. Return the path. Raises OSError."""
    document = QTextDocument()
    document.setHtml(page)
    data = QByteArray()
    memory = QBuffer(data)  # Qt doesn't report a full disk
    memory.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QPdfWriter(memory)
    writer.setResolution(_DPI)
    writer.setPageSize(QPageSize(QPageSize.PageSizeId.A4))
    writer.setPageMargins(QMarginsF(_MARGIN, _MARGIN, _MARGIN, _MARGIN), QPageLayout.Unit.Millimeter)
    document.print_(writer)
    atomic.write(path, bytes(data.data()))
    return path
