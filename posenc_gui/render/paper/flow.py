"""A flow: one query's way through attention, without the sum that the window writes below it."""

from __future__ import annotations

from posenc_gui.figure.panels import Flow
from posenc_gui.render.layout.drawing import Arc, Box, Cells, Dot, Part, Point, Stroke, Text
from posenc_gui.render.layout.flow.draw import draw_flow
from posenc_gui.render.layout.rect import Rect
from posenc_gui.render.paper.format import SMALL
from posenc_gui.render.paper.page import Page

_STEP = 1e-4  # between the layers of two parts; all lie below text


def draw(panel: Flow, page: Page, plot: Rect) -> None:
    """Draw a flow in its place on the page."""
    drawn = draw_flow(panel, plot.width, plot.height, page.style, page.roles, sums=False)
    for number, part in enumerate(drawn.parts):
        _draw_part(part, page, plot, 1 + number * _STEP)


def _draw_part(part: Part, page: Page, plot: Rect, layer: float) -> None:
    def at(point: Point) -> Point:
        return plot.left + point[0], plot.top - point[1]

    def placed(rect: Rect) -> Rect:
        return Rect(*at((rect.left, rect.top)), *at((rect.right, rect.bottom)))

    match part:
        case Box():
            page.rounded(placed(part.rect), part.corner, part.ground, part.frame, part.width, layer)
        case Cells():
            page.cells(placed(part.rect), part.colours, layer)
        case Text():
            size = page.title if part.size == "label" else SMALL
            x, y = at((part.x, part.y))
            page.text(x, y, part.text, size, part.colour, part.side, bold=part.bold, italic=part.italic)
        case Stroke() | Arc():
            page.stroke([[at(point) for point in step] for step in part.path], part.colour, part.width, layer)
        case Dot():
            page.circle(*at((part.x, part.y)), part.radius, part.ground, part.frame, part.width, layer)
