"""Pictures from SVG: the project's own icons, single strokes in the theme's text colour, and small pictures of figures."""

from __future__ import annotations

import re
from dataclasses import asdict
from functools import lru_cache

from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import QGuiApplication, QIcon, QImage, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from posenc_gui.app.widgets.style_sheet import scaled
from posenc_gui.foundation.contrast import mixed
from posenc_gui.foundation.resources import folder
from posenc_gui.foundation.theme import ICON, Roles

_LARGE = 64  # pixels; Qt scales it down for a screen that is attached later
_FADED = 0.5
_STEPS = 8  # from one end of a scale to the other, as `posenc_gui.render.thumbnail` draws
_ROLE = re.compile(r"@([a-z_]+)(\d?)")


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


class Thumbnail:
    """A small picture, from SVG whose colours are roles; nothing is painted if that is empty."""

    def __init__(self, picture: str, theme: Roles) -> None:
        self._renderer = QSvgRenderer()
        if picture:
            drawn = _ROLE.sub(lambda found: _colour(theme, found[1], found[2]), picture)
            self._renderer.load(QByteArray(drawn.encode()))

    def draw(self, painter: QPainter, box: QRectF) -> None:
        """Draw it in this box, which should have the picture's proportions."""
        if self._renderer.isValid():
            self._renderer.render(painter, box)


def _colour(theme: Roles, role: str, step: str) -> str:
    found = asdict(theme)[role]
    if role not in ("sequential", "diverging"):
        return str(found[int(step)] if step else found)
    place = int(step) / _STEPS * (len(found) - 1)
    before = min(int(place), len(found) - 2)
    return mixed(found[before + 1], found[before], place - before)
