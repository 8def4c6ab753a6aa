"""Pictures from SVG: the project's own icons, single strokes in the theme's text colour, and small pictures of figures."""

from __future__ import annotations

import re
from functools import lru_cache

from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import QGuiApplication, QIcon, QImage, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from posenc_gui.app.widgets.style_sheet import scaled
from posenc_gui.foundation.resources import folder
from posenc_gui.foundation.theme import ICON, THEMES, Roles

_LARGE = 64  # pixels; Qt scales it down for a screen that is attached later
_FADED = 0.5
_OF_THEMES = re.compile(r'"([^"<>]*\|[^"<>]*)"')  # an attribute, as `posenc_gui.render.thumbnail` writes it


def icon(name: str, ink: str) -> QIcon:
    """Return the named icon in the colour `ink` ("#rrggbb"), paler when disabled."""
    ratios = {screen.devicePixelRatio() for screen in QGuiApplication.screens()}
    found = QIcon()
    for pixels in sorted({round(scaled(ICON) * ratio) for ratio in ratios} | {_LARGE}):
        for image, mode in zip(_images(name, ink, pixels), (QIcon.Mode.Normal, QIcon.Mode.Disabled), strict=True):
            found.addPixmap(QPixmap.fromImage(image), mode)
    return found


@lru_cache(maxsize=256)  # every card has the same ones; images, unlike pixmaps, may outlive the application
def _images(name: str, ink: str, pixels: int) -> tuple[QImage, QImage]:
    """Return the icon's image, and a paler one for disabled buttons."""
    drawn = _drawn(name, ink, pixels)
    return drawn, _faded(drawn)


def _drawn(name: str, ink: str, pixels: int) -> QImage:
    svg = (folder() / "icons" / f"{name}.svg").read_text(encoding="utf-8").replace("currentColor", ink)
    image = QImage(pixels, pixels, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    QSvgRenderer(QByteArray(svg.encode())).render(painter)
    painter.end()
    return image


def _faded(drawn: QImage) -> QImage:
    image = QImage(drawn.size(), drawn.format())
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    painter.setOpacity(_FADED)
    painter.drawImage(0, 0, drawn)
    painter.end()
    return image


def recorded_picture(plot: str) -> str:
    """Return the small picture of a plot that `tools/thumbnails.py` recorded; empty if there is none."""
    path = folder() / "plots" / f"{plot}.svg"
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def in_theme(picture: str, theme: Roles) -> str:
    """Return a small picture, SVG in the colours of both themes, in those of one."""
    own = [*THEMES.values()].index(theme)
    return _OF_THEMES.sub(lambda found: f'"{found[1].split("|")[own]}"', picture)


class Thumbnail:
    """A small picture, from SVG in the colours of both themes; nothing is painted if that is empty."""

    def __init__(self, picture: str, theme: Roles) -> None:
        self._renderer = QSvgRenderer()
        if picture:
            self._renderer.load(QByteArray(in_theme(picture, theme).encode()))

    def draw(self, painter: QPainter, box: QRectF) -> None:
        """Draw it in this box, which should have the picture's proportions."""
        if self._renderer.isValid():
            self._renderer.render(painter, box)
