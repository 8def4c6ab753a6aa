"""Parts on paper."""

from __future__ import annotations

from collections.abc import Iterable

from posenc_gui.render.drawings.parts import Arc, Area, Box, Cells, Clipped, Curve, Dot, Part, Point, Stroke, Text
from posenc_gui.render.layout.rect import Rect
from posenc_gui.render.paper.format import size_of
from posenc_gui.render.paper.page import Page

_STEP = 1e-4  # between the layers of two parts; all lie below text


def draw_parts(parts: Iterable[Part], page: Page, plot: Rect) -> None:
    """Draw parts in their rectangle of the page."""
    for number, part in enumerate(parts):
        _draw_part(part, page, plot, 1 + number * _STEP)


def _draw_part(part: Part, page: Page, plot: Rect, layer: float) -> None:
    def at(point: Point) -> Point:
        return plot.left + point[0], plot.top - point[1]

    def placed(rect: Rect) -> Rect:
        return Rect(*at((rect.left, rect.top)), *at((rect.right, rect.bottom)))

    match part:
        case Box():
            page.box(placed(part.rect), part.corner, part.ground, part.frame, part.width, layer)
        case Cells():
            page.cells(placed(part.rect), part.colours, layer)
        case Text():
            (x, y), size = at((part.x, part.y)), size_of(page.style.face(part.size))
            if part.signed:
                page.signed_text(x, y, part.text, size, part.colour, bold=part.bold)
                return
            page.text(
                x, y, part.text, size, part.colour, part.side, bold=part.bold, angle=part.angle, italic=part.italic
            )
        case Stroke() | Arc():
            path = [[at(point) for point in step] for step in part.path]
            page.stroke(path, part.colour, part.width, layer, "-" if isinstance(part, Arc) else part.dash)
        case Curve():
            x, y = part.points.T
            page.line(plot.left + x, plot.top - y, part.colour, part.width, part.dash, layer=layer)
        case Area():
            page.polygon([at((x, y)) for x, y in part.corners.tolist()], part.ground, layer)
        case Clipped():
            with page.clipped(placed(part.rect)):
                for one in part.parts:
                    _draw_part(one, page, plot, layer)
        case Dot():
            page.circle(*at((part.x, part.y)), part.radius, part.ground, part.frame, part.width, layer)
