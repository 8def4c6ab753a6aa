"""Small pictures of figures, painted in a theme's colours."""

from __future__ import annotations

import re
from dataclasses import asdict

from PySide6.QtCore import QByteArray, QRectF
from PySide6.QtGui import QPainter
from PySide6.QtSvg import QSvgRenderer

from posenc_gui.foundation.contrast import mixed
from posenc_gui.foundation.resources import folder
from posenc_gui.foundation.theme import Roles

_STEPS = 8  # from one end of a scale to the other, as `posenc_gui.render.thumbnail` draws
_ROLE = re.compile(r"@([a-z_]+)(\d?)")


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
