"""HTML pages as PDF, drawn by Qt; no browser is needed."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QMarginsF, QRectF, QSizeF, Qt
from PySide6.QtGui import (
    QAbstractTextDocumentLayout,
    QColor,
    QFont,
    QPageLayout,
    QPageSize,
    QPainter,
    QPalette,
    QPdfWriter,
    QTextDocument,
)

from posenc_gui.foundation.files import atomic
from posenc_gui.foundation.theme import LIGHT

_DPI = 150
_MARGIN = 15  # millimetres
_WIDTH = 760  # pixels of the page across the sheet, a little more than a report's pictures: 16 of them are 11 points
_FOOT = 24  # pixels for the page's number
_NUMBER = 12  # pixels: the size of its digits


def save_as_pdf(page: str, path: Path) -> Path:
    """Write a self-contained HTML page as A4 pages to a PDF, whole or not at all. Return the path. Raises OSError."""
    data = QByteArray()
    memory = QBuffer(data)  # Qt doesn't report a full disk
    memory.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QPdfWriter(memory)
    writer.setResolution(_DPI)
    writer.setPageSize(QPageSize(QPageSize.PageSizeId.A4))
    writer.setPageMargins(QMarginsF(_MARGIN, _MARGIN, _MARGIN, _MARGIN), QPageLayout.Unit.Millimeter)
    _draw(page, writer)
    atomic.write(path, bytes(data.data()))
    return path


def _draw(page: str, writer: QPdfWriter) -> None:
    """Draw a page on as many sheets as it needs.

    It is laid out in pixels and scaled as a whole: `QTextDocument.print_` scales pictures but not letters in pixels.
    """
    sheet = writer.pageLayout().paintRectPixels(_DPI)
    scale = sheet.width() / _WIDTH
    height = sheet.height() / scale - _FOOT
    document = QTextDocument()
    document.setDocumentMargin(0)
    document.setHtml(page)
    document.setPageSize(QSizeF(_WIDTH, height))
    digits, foot = QFont(), QRectF(0, height, _WIDTH, _FOOT)
    digits.setPixelSize(_NUMBER)
    on_paper = QAbstractTextDocumentLayout.PaintContext()
    on_paper.palette.setColor(QPalette.ColorRole.Text, QColor(LIGHT.ink))  # the window's may be white
    painter = QPainter(writer)
    painter.scale(scale, scale)
    painter.setFont(digits)
    for number in range(document.pageCount()):
        if number:
            writer.newPage()
        painter.drawText(foot, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignBottom, str(number + 1))
        painter.save()
        painter.translate(0, -number * height)
        on_paper.clip = QRectF(0, number * height, _WIDTH, height)
        painter.setClipRect(on_paper.clip)
        document.documentLayout().draw(painter, on_paper)
        painter.restore()
    painter.end()
