"""What stands around panels as parts: colour bars with their tips and labels, and bands."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from posenc_gui.figure.panels import Scale
from posenc_gui.foundation.contrast import colour_of
from posenc_gui.foundation.theme import Roles
from posenc_gui.render.drawings.parts import Area, Box, Cells, Part, Stroke, Text, straight
from posenc_gui.render.layout.cell_labels import ABOVE
from posenc_gui.render.layout.colour_bars import TIP, BarLabel, level_labels, name_lines, upright_labels
from posenc_gui.render.layout.colour_scales import end_colours, lookup_table
from posenc_gui.render.layout.composition import PlacedBand, PlacedBar
from posenc_gui.render.layout.text_fit import elided, visible
from posenc_gui.render.layout.type_sizes import Style

_BELOW_NAME = 0.2  # lines from a bar's top to its topmost number's middle


def draw_colour_bar(placed: PlacedBar, scale: Scale, style: Style, roles: Roles) -> Iterator[Part]:
    """Draw a bar in its place, its name above or among its numbers."""
    bar, colours, small, table = placed.bar, placed.colours, style.small, lookup_table(scale, roles)
    yield Cells(colours, table[::-1, None, :] if placed.upright else table[None])
    yield from _tips(placed, scale, roles)
    low, high = end_colours(scale, roles)
    inks = {"low": low, "high": high}
    if placed.upright:
        names = name_lines(bar, style)
        for number, words in enumerate(names):
            y = placed.room.top - ABOVE - (len(names) - number - 0.5) * small.line
            yield Text(placed.room.left, y, words, roles.muted, "small")
        for label in upright_labels(bar, colours.height, small):
            y = colours.bottom - label.at
            if names:  # which the topmost number mustn't touch
                y = max(y, placed.room.top + _BELOW_NAME * small.line)
            if label.tick is not None:
                tick = colours.bottom - label.tick
                yield Stroke(straight((colours.right, tick), (colours.right + style.tick / 2, tick)), roles.muted, 0.8)
            yield Text(colours.right + style.tick, y, _words(label), inks.get(label.kind, roles.muted), "small")
        return
    free = colours.left - placed.room.left, placed.room.right - colours.right
    for label in level_labels(bar, colours.width, free, small):
        if label.tick is not None:
            tick = colours.left + label.tick
            yield Stroke(straight((tick, colours.bottom), (tick, colours.bottom + style.tick / 2)), roles.muted, 0.8)
        x, y = colours.left + label.at, colours.bottom + style.tick + small.line / 2
        yield Text(x, y, _words(label), inks.get(label.kind, roles.muted), "small", "center")


def _words(label: BarLabel) -> str:
    return visible(label.text)


def _tips(placed: PlacedBar, scale: Scale, roles: Roles) -> Iterator[Part]:
    """Draw a triangle, in the colour of the end, where maps hold numbers beyond it."""
    place, ends = placed.colours, lookup_table(scale, roles)[[0, -1]]
    x, y = (place.left + place.right) / 2, (place.top + place.bottom) / 2
    for text, colour, forth in zip(placed.bar.beyond, ends.tolist(), (-1, 1), strict=True):
        if not text:
            continue
        if placed.upright:
            end = place.top if forth > 0 else place.bottom
            corners = (place.left, end), (place.right, end), (x, end - forth * TIP * place.width)
        else:
            end = place.right if forth > 0 else place.left
            corners = (end, place.top), (end, place.bottom), (end + forth * TIP * place.height, y)
        yield Area(np.array(corners), colour_of(colour))


def draw_band(band: PlacedBand, style: Style, roles: Roles, *, reference: bool) -> Iterator[Part]:
    """Draw a band's name at its head, the part before the colon bold, and the ground of a reference."""
    if reference:
        yield Box(band.ground, roles.window)
    (left, y), (sign, _, rest) = (band.head.left, band.head.middle[1]), band.name.partition(": ")
    yield Text(left, y, sign, roles.ink, style.title, bold=True)
    left = max(band.start, left + style.title.measure(sign) + style.across / 2)
    yield Text(left, y, elided(visible(rest), band.head.right - left, style.label.measure), roles.ink, style.label)
