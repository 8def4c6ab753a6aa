"""The project's own monochrome icons, drawn in a theme's ink."""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtCore import QByteArray, Qt
from PySide6.QtGui import QIcon, QImage, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from posenc_gui.resources import folder

_PIXELS = 64  # drawn large, shown small: sharp on every screen


def icon(name: str, ink: str) -> QIcon:
    """The icon of that name in this colour ("#rrggbb")."""
    return QIcon(QPixmap.fromImage(_drawn(name, ink)))


@lru_cache(maxsize=32)  # every card has the same ones; images, unlike pixmaps, may outlive the application
def _drawn(name: str, ink: str) -> QImage:
    svg = (
        (folder() / "icons" / f"{name}.svg")
        .read_text(encoding="utf-8")
        .replace("#000000", ink)
        .replace("currentColor", ink)
    )
    image = QImage(_PIXELS, _PIXELS, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    QSvgRenderer(QByteArray(svg.encode())).render(painter)
    painter.end()
    return image
