"""Small pictures of plots, drawn in a theme's colours from what `tools/thumbnails.py` recorded."""

from __future__ import annotations

import re
from dataclasses import asdict

from PySide6.QtCore import QByteArray, QRectF
from PySide6.QtGui import QPainter
from PySide6.QtSvg import QSvgRenderer

from posenc_gui.foundation.contrast import mixed
from posenc_gui.foundation.resources import folder
from posenc_gui.foundation.theme import Roles

_STEPS = 8  # from one end of a scale to the other
_ROLE = re.compile(r"@([a-z_]+)(\d?)")


class Thumbnail:
    """The small picture of a plot; nothing is drawn for a plot without a recorded one."""

    def __init__(self, plot: str, theme: Roles) -> None:
        path = folder() / "plots" / f"{plot}.svg"
        recorded = path.read_text(encoding="utf-8") if path.is_file() else ""
        self._renderer = QSvgRenderer()
        if recorded:
            drawn = _ROLE.sub(lambda found: _colour(theme, found[1], found[2]), recorded)
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
