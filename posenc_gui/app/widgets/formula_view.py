"""Formulas: typeset once by ziamath, drawn in any theme's colours."""

from __future__ import annotations

import logging
from functools import lru_cache

from PySide6.QtCore import QByteArray, QRectF, QSize
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QSizePolicy, QWidget

from posenc_gui.app.widgets.style_sheet import scaled
from posenc_gui.app.widgets.theme import THEME
from posenc_gui.encodings.base import Formula
from posenc_gui.foundation.theme import LIGHT

_GAP = 6  # pixels between lines
_POINTS = 15.0
_FADED = 0.25  # opacity of a formula that is about to be replaced

_log = logging.getLogger(__name__)


@lru_cache(maxsize=64)
def typeset(formula: Formula) -> tuple[str, ...]:
    """Typeset each line of a formula as SVG in the light theme, in about 20 ms; what depends on position has the focus
    colour. Return no lines if it can't be typeset, as may happen with a user's own encoding; the log says why."""
    lines = (formula.query, formula.key, formula.value, *formula.where)
    try:
        return tuple(_svg(line.replace(r"\pos{", rf"\textcolor{{{LIGHT.focus}}}{{")) for line in lines)
    except Exception:  # the typesetter raises whatever its parser comes across
        _log.exception("a formula can't be typeset: %s", " ".join(lines))
        return ()


def _svg(latex: str) -> str:
    import ziamath  # after the first pictures

    ziamath.config.svg2 = False  # Qt draws no nested symbols
    drawing: str = ziamath.Latex(latex, size=_POINTS, color=LIGHT.ink).svg()
    return drawing


class FormulaView(QWidget):
    """A widget that shows typeset lines, scaled down if they don't fit."""

    def __init__(self) -> None:
        super().__init__()
        self._lines: tuple[str, ...] = ()
        self._drawings: list[QSvgRenderer] = []
        self._opacity = 1.0
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        THEME.changed.connect(self._colour)

    def show_lines(self, lines: tuple[str, ...], spoken: str) -> None:
        """Show these lines; `spoken` is read out by screen readers."""
        self.mark_old(False)
        self.setAccessibleName(spoken)
        if lines != self._lines:
            self._lines = lines
            self._colour()

    def mark_old(self, is_old: bool, *, for_long: bool = False) -> None:
        """Fade the formula while it is outdated; leave its place empty if it is so for long."""
        opacity = (0.0 if for_long else _FADED) if is_old else 1.0
        if opacity != self._opacity:
            self._opacity = opacity
            self.update()

    def _colour(self) -> None:
        """Use the theme's text colour, and its accent for what depends on position."""
        roles = THEME.roles
        coloured = (line.replace(LIGHT.ink, roles.ink).replace(LIGHT.focus, roles.focus) for line in self._lines)
        self._drawings = [QSvgRenderer(QByteArray(line.encode())) for line in coloured]
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        """Return the size of the lines at full scale, in pixels."""
        sizes = [_size(drawing) for drawing in self._drawings]
        width = max((size.width() for size in sizes), default=0)
        return QSize(width, sum(size.height() + scaled(_GAP) for size in sizes))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the lines below one another."""
        painter = QPainter(self)
        painter.setOpacity(self._opacity)
        top = scaled(_GAP) / 2
        for drawing in self._drawings:
            size = _size(drawing)
            scale = min(1.0, self.width() / max(1, size.width()))
            width, height = size.width() * scale, size.height() * scale
            drawing.render(painter, QRectF(0, top + (size.height() - height) / 2, width, height))
            top += size.height() + scaled(_GAP)
        painter.end()


def _size(drawing: QSvgRenderer) -> QSize:
    """The size of a line beside text of the current size, in pixels."""
    size = drawing.defaultSize()
    return QSize(scaled(size.width()), scaled(size.height()))
