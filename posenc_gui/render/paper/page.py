"""The slide, its sizes and its colours."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import PolyCollection
from matplotlib.figure import Figure as Paper
from matplotlib.lines import Line2D
from matplotlib.patches import Circle, Rectangle
from matplotlib.transforms import Affine2D

from posenc_gui.render.paper.words import elided, visible

WIDTH, HEIGHT, MORE_HEIGHT, MARGIN = 960.0, 540.0, 215.0, 36.0
_DOTS_PER_INCH = 200
INK, MUTED, RULE = "#1b1d21", "#5b616b", "#dfe2e7"
ACCENT, TWIN = "#1f5fdb", "#b26a00"

# Okabe and Ito's colours without yellow; the names of the light ones are darker, to be read on white.
CURVES = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000000")
CURVE_NAMES = ("#0072b2", "#b34f00", "#007a59", "#a34b7c", "#2a7aa8", "#8f6300", "#000000")

TITLE, CAPTION, PANEL, SENTENCE, SMALL, LEAST = 22.0, 13.0, 14.0, 16.0, 11.0, 9.0
LINE = 1.35  # from one line of text to the next, in sizes
GAP = 28.0  # between panels
AXIS_TITLE = 20.0  # what an axis title takes
LABEL_ROOM = 110.0  # the longest a label gets
_CRISP = 512  # pixels a side that a small map is spread over, since many viewers smooth what they enlarge

# Read from below, beginning at its place.
UPRIGHT: dict[str, Any] = {"rotation": 90, "rotation_mode": "anchor"}

Colours = npt.NDArray[np.uint8]
Points = Sequence[float] | npt.NDArray[np.float64]


@dataclass(frozen=True)
class Box:
    """A rectangle on the page, in points."""

    left: float
    bottom: float
    width: float
    height: float

    @property
    def right(self) -> float:
        return self.left + self.width

    @property
    def top(self) -> float:
        return self.bottom + self.height


class Page:
    """A slide that takes texts, lines and axes at places in points."""

    def __init__(self, height: float) -> None:
        self.height = height
        self.paper = Paper(figsize=(WIDTH / 72, height / 72), dpi=_DOTS_PER_INCH)
        FigureCanvasAgg(self.paper)
        self._points = Affine2D().scale(1 / 72) + self.paper.dpi_scale_trans

    def text(self, x: float, y: float, text: str, size: float, **style: Any) -> None:
        style = {"color": INK, "va": "center_baseline", **style}
        self.paper.text(x, y, visible(text), size=size, transform=self._points, parse_math=False, **style)

    def line(self, xs: Points, ys: Points, **style: Any) -> None:
        self.paper.add_artist(Line2D(xs, ys, transform=self._points, **style))

    def outline(self, box: Box, colour: str, width: float, dash: str = "-") -> None:
        style: dict[str, Any] = {"fill": False, "edgecolor": colour, "linewidth": width, "linestyle": dash}
        style["joinstyle"] = "miter"
        corner = (box.left, box.bottom)
        self.paper.add_artist(Rectangle(corner, box.width, box.height, transform=self._points, **style))

    def circle(self, x: float, y: float, radius: float, **style: Any) -> None:
        self.paper.add_artist(Circle((x, y), radius, transform=self._points, **style))

    def arc(self, x: float, y: float, radius: float, angle: float, **style: Any) -> None:
        """A part of a circle, from three o'clock as far as the angle in radians, clockwise where it is negative."""
        turns = np.linspace(0, angle, max(2, math.ceil(abs(angle) * 30)))
        self.line(x + radius * np.cos(turns), y + radius * np.sin(turns), **style)

    def band(self, box: Box, colour: str) -> None:
        """A light ground behind a row, with its edge in the full colour."""
        style: dict[str, Any] = {"facecolor": colour, "linewidth": 0, "transform": self._points, "zorder": -2}
        self.paper.add_artist(Rectangle((box.left, box.bottom), box.width, box.height, alpha=0.1, **style))
        self.paper.add_artist(Rectangle((box.left, box.bottom), 2.5, box.height, **style))

    def boxes(self, boxes: Sequence[Box], colour: str) -> None:
        corners = [
            ((box.left, box.bottom), (box.right, box.bottom), (box.right, box.top), (box.left, box.top))
            for box in boxes
        ]
        self.paper.add_artist(PolyCollection(corners, facecolors=colour, linewidths=0, transform=self._points))

    def axes(self, box: Box) -> Axes:
        place = (box.left / WIDTH, box.bottom / self.height, box.width / WIDTH, box.height / self.height)
        axes = self.paper.add_axes(place)
        axes.set(xticks=[], yticks=[])
        axes.spines[:].set_visible(False)
        return axes

    def image(self, box: Box, colours: Colours) -> None:
        axes = self.axes(box)
        rows, columns = colours.shape[:2]
        larger = colours.repeat(max(1, _CRISP // rows), axis=0).repeat(max(1, _CRISP // columns), axis=1)
        axes.imshow(larger, interpolation="none", aspect="auto")


def draw_panel_title(page: Page, title: str, left: float, top: float, room: float) -> None:
    page.text(left, top, elided(title, room, PANEL, "bold"), PANEL, weight="bold", va="top")
