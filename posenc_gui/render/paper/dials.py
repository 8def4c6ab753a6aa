"""Dials: clocks side by side."""

from __future__ import annotations

import math

from posenc_gui.figure.panels import Dial, Dials
from posenc_gui.render.layout.colour_scales import coordinate_colours
from posenc_gui.render.layout.dial_grid import arc_of, dial_grid, hand_colours, legend_colours, trail_of
from posenc_gui.render.layout.rect import Rect
from posenc_gui.render.layout.text_fit import elided
from posenc_gui.render.paper.fonts import measured
from posenc_gui.render.paper.format import LINE, MARK, SMALL
from posenc_gui.render.paper.page import OVER, TOP, Page

_AROUND = 3.0  # from a dial to the frame around it


def draw(panel: Dials, page: Page, box: Rect, titles: float, widest: Dials) -> None:
    """Draw the dials in as many rows as make them largest, with room for the texts of `widest`."""
    top = box.top - titles
    grid = dial_grid(widest, box.width, box.height - titles, SMALL * LINE, measured(SMALL))
    if panel.legend and grid.legend:
        place = Rect.up_from(box.left, top - grid.legend, box.width, grid.legend)
        _draw_legend(page, panel.legend, legend_colours(panel, page.roles), place)
    for index, dial in enumerate(panel.dials):
        x, y = grid.centre(index)
        x, y, radius = box.left + x, top - y, grid.diameter / 2
        _draw_dial(page, dial, x, y, radius, grid.legs)
        for number, text in enumerate(grid.lines(index, dial)):
            below = y - radius - SMALL * (number + 0.9)
            room = grid.across * grid.every - 4
            shown = elided(text, room, measured(SMALL))
            page.text(x, below - number * SMALL * (LINE - 1), shown, SMALL, page.roles.muted, "center")
        if index in panel.marked:
            half = radius + _AROUND
            page.outline(Rect.up_from(x - half, y - half, 2 * half, 2 * half), page.roles.ink, MARK)


def _draw_dial(page: Page, dial: Dial, x: float, y: float, radius: float, legs: bool) -> None:
    thin = min(1.2, radius / 12)
    page.ring(x, y, radius, page.roles.line, thin)
    tip_x, tip_y = x + radius * math.cos(dial.angle), y + radius * math.sin(dial.angle)
    if legs:
        page.line((x - radius, x + radius), (y, y), page.roles.line, thin)
        page.line((x, x), (y - radius, y + radius), page.roles.line, thin)
    start, span = arc_of(dial)
    page.arc(x, y, radius, span, page.roles.curves[1], min(2.2, radius / 8), start)
    for angle, left in trail_of(dial):
        dot_x, dot_y = x + radius * math.cos(angle), y + radius * math.sin(angle)
        page.dot(dot_x, dot_y, min(2.0, radius / 18), page.roles.ink, 0.6 * left)
    if legs:
        across, up = coordinate_colours(page.roles)
        page.line((x, tip_x), (tip_y, tip_y), across, 1.5 * thin)
        page.line((tip_x, tip_x), (y, tip_y), up, 1.5 * thin)
    hand = page.roles.ink
    if dial.key is not None:
        hand, of_key = hand_colours(page.roles)
        key_x, key_y = x + radius * math.cos(dial.key), y + radius * math.sin(dial.key)
        page.line((x, key_x), (y, key_y), of_key, min(1.6, radius / 10), rounded=True, layer=OVER)
    page.line((x, tip_x), (y, tip_y), hand, min(1.6, radius / 10), rounded=True, layer=OVER)
    page.dot(tip_x, tip_y, min(4.5, max(1.5, radius / 12)), page.roles.focus, layer=TOP)


def _draw_legend(page: Page, names: tuple[str, str], colours: tuple[str, str], box: Rect) -> None:
    """Label the two lines of every dial, at the right above them."""
    y, x = box.bottom + box.height / 2, box.right
    for name, colour in zip(reversed(names), reversed(colours), strict=True):
        text = elided(name, box.width / 4, measured(SMALL))
        x -= measured(SMALL)(text)
        page.text(x, y, text, SMALL)
        page.line((x - 20, x - 6), (y, y), colour, 1.6)
        x -= 40
