"""The project's own monochrome icons, drawn in a theme's ink."""

from __future__ import annotations

from PySide6.QtCore import QByteArray, Qt
from PySide6.QtGui import QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from posenc_gui.resources import folder

_PIXELS = 64  # drawn large, shown small: sharp on every screen


def icon(name: str, ink: str) -> QIcon:
    """The icon of that name in this colour ("#rrggbb")."""
    svg = (folder() / "icons" / f"{name}.svg").read_text(encoding="utf-8").replace("#000000", ink)
    pixmap = QPixmap(_PIXELS, _PIXELS)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    QSvgRenderer(QByteArray(svg.encode())).render(painter)
    painter.end()
    return QIcon(pixmap)
