"""Heatmaps with labels, numbers in cells, and colour bars."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from posenc_gui.figure.axis import Axis
from posenc_gui.figure.panels import Heatmap
from posenc_gui.figure.ranges import shares
from posenc_gui.foundation.contrast import ink_on, parts_of
from posenc_gui.foundation.theme import Roles
from posenc_gui.foundation.wording import format_told
from posenc_gui.render.layout.beside_frames import beside_frames
from posenc_gui.render.layout.brackets import LEG, bracket_lines
from posenc_gui.render.layout.cell_labels import ABOVE, BESIDE, Labels
from posenc_gui.render.layout.colour_bars import TIP, BarLabel, level_labels, name_lines, upright_labels
from posenc_gui.render.layout.colour_scales import Colours, end_colours, label_colour, shades
from posenc_gui.render.layout.composition import PlacedBar, PlacedMap
from posenc_gui.render.layout.heatmap_cells import NumberStyle, cell_texts, numbers_that_fit
from posenc_gui.render.layout.rect import Rect
from posenc_gui.render.layout.type_sizes import Style
from posenc_gui.render.paper.fonts import measured
from posenc_gui.render.paper.format import LINE, MARK, SMALL, size_of
from posenc_gui.render.paper.page import Page

_MOST_CELLS = 1024  # along a side; more are averaged
_BRACKET = 1.0  # the breadth of a bracket's lines
_BOLD_BREADTH = 1.15  # as broad as plain type, at most
_EQUAL = 1.8  # the breadth of the bar at equal rows and columns


def number_style(placed: PlacedMap, maps: Sequence[PlacedMap], style: Style) -> NumberStyle | None:
    """The style of the numbers in the cells of a map, and of all maps of as many cells; None without room."""
    alike = [one.panel for one in maps if one.panel.values.shape == placed.panel.values.shape]
    return numbers_that_fit(alike, *placed.cell, (style.label, style.small))


def draw_map(page: Page, placed: PlacedMap, plot: Rect, numbers: NumberStyle | None) -> None:
    """Draw a map: its cells fill `plot`."""
    panel = placed.panel
    pooled = _pooled(panel)
    colours = _colours(panel, pooled, page.roles)
    page.cells(plot, colours)
    if pooled.shape != panel.values.shape:
        page.text(plot.left, plot.bottom - 4, "cells averaged to fit", SMALL, page.roles.muted, at="top")
    is_first = placed.rows is not None
    _draw_column_labels(page, panel.columns, placed.columns, plot, panel.values.shape[1], is_first=is_first)
    if placed.rows is not None:
        _draw_row_labels(page, panel.rows, placed.rows, plot, panel.values.shape[0])
    if numbers is not None:
        _draw_numbers(page, panel, colours, plot, numbers)
    _draw_equal(page, placed, plot)
    _draw_bracket(page, placed, plot)
    _draw_focus(page, panel, plot)
    _draw_marked(page, panel, plot, numbered=numbers is not None)


def _pooled(panel: Heatmap) -> npt.NDArray[np.float64]:
    """Return the values to draw, NaN where masked; for a map with too many cells, the means of blocks."""
    rows, columns = (np.arange(0, count, math.ceil(count / _MOST_CELLS)) for count in panel.values.shape)
    shown = np.ones(panel.values.shape) if panel.mask is None else (~panel.mask).astype(np.float64)
    counts = _block_sums(shown, rows, columns)
    sums = _block_sums(panel.values * shown, rows, columns)
    means: npt.NDArray[np.float64] = np.divide(sums, counts, out=np.full(sums.shape, np.nan), where=counts > 0)
    return means


def _block_sums(
    values: npt.NDArray[np.float64], rows: npt.NDArray[np.int64], columns: npt.NDArray[np.int64]
) -> npt.NDArray[np.float64]:
    sums: npt.NDArray[np.float64] = np.add.reduceat(np.add.reduceat(values, rows, axis=0), columns, axis=1)
    return sums


def _colours(panel: Heatmap, values: npt.NDArray[np.float64], roles: Roles) -> Colours:
    """Return the colours of a map's cells, (rows, columns, 3); NaN gets the colour of masked cells."""
    found = shares(values, panel.low, panel.high, panel.log)
    colours = shades(panel.scale, np.nan_to_num(found), roles)
    colours[np.isnan(found)] = parts_of(roles.sunk)
    return colours


def _draw_column_labels(page: Page, axis: Axis, labels: Labels, plot: Rect, count: int, *, is_first: bool) -> None:
    across, size = plot.width / count, size_of(labels.face)
    for coordinate, label in labels.texts:
        x = plot.left + (coordinate - axis.first + 0.5) * across
        colour, bold = label_colour(axis, coordinate, page.roles), coordinate == axis.focus
        if labels.angle == "level":
            page.text(x, plot.top + ABOVE, label, size, colour, "center", "bottom", bold=bold)
        elif labels.angle == "slanted":
            page.text(x - size / 4, plot.top + ABOVE, label, size, colour, at="bottom", angle=45, bold=bold)
        else:
            page.text(x, plot.top + ABOVE, label, size, colour, angle=90, bold=bold)
    y = plot.top + labels.room - SMALL * LINE / 2
    if labels.name and measured(SMALL)(labels.name) <= plot.width:
        page.text(plot.left + plot.width / 2, y, labels.name, SMALL, page.roles.muted, "center")
    elif labels.name and is_first:  # narrow maps have it once, since it would meet that of the next
        page.text(plot.left, y, labels.name, SMALL, page.roles.muted)


def _draw_row_labels(page: Page, axis: Axis, labels: Labels, plot: Rect, count: int) -> None:
    down, size = plot.height / count, size_of(labels.face)
    for coordinate, label in labels.texts:
        y = plot.top - (coordinate - axis.first + 0.5) * down
        colour, bold = label_colour(axis, coordinate, page.roles), coordinate == axis.focus
        page.text(plot.left - BESIDE / 2, y, label, size, colour, "right", bold=bold)
    if labels.name:
        half = max(plot.height, measured(SMALL)(labels.name)) / 2
        x, y = plot.left - labels.room + SMALL * LINE / 2, plot.top - half
        page.text(x, y, labels.name, SMALL, page.roles.muted, "center", angle=90)


def _draw_numbers(page: Page, panel: Heatmap, colours: Colours, plot: Rect, style: NumberStyle) -> None:
    rows, columns = panel.values.shape
    across, down = plot.width / columns, plot.height / rows
    texts = cell_texts(panel)
    for row, column in np.ndindex(rows, columns):
        if not panel.is_masked(row, column):
            x, y = plot.left + (column + 0.5) * across, plot.top - (row + 0.5) * down
            text = style.of(texts[row][column])
            page.text(x, y, text, size_of(style.face), ink_on(*colours[row, column].tolist()), "center")


def _draw_marked(page: Page, panel: Heatmap, plot: Rect, *, numbered: bool) -> None:
    """Frame the cells, rows or columns that a text speaks of; beside cells their numbers, unless all cells have theirs."""
    rows, columns = panel.values.shape
    across, down = plot.width / columns, plot.height / rows
    values = []
    for row, column in panel.marked:
        at_row, at_column = (row or 0) - panel.rows.first, (column or 0) - panel.columns.first
        left, width = (plot.left, plot.width) if column is None else (plot.left + at_column * across, across)
        top, height = (plot.top, plot.height) if row is None else (plot.top - at_row * down, down)
        frame = Rect.up_from(left, top - height, width, height)
        page.outline(frame, page.roles.ink, MARK)
        if not (numbered or row is None or column is None):
            values.append((frame, format_told(float(panel.values[at_row, at_column]))))
    _draw_values(page, values, plot)


def _draw_equal(page: Page, placed: PlacedMap, plot: Rect) -> None:
    """Mark rows and columns that are equal to another: a bar between their labels and their cells."""
    panel = placed.panel
    rows, columns = panel.values.shape
    across, down = plot.width / columns, plot.height / rows
    bars = []
    for at in sorted(panel.equal):
        row, column = at - panel.rows.first, at - panel.columns.first
        bars.append(Rect.up_from(plot.left + (column + 0.15) * across, plot.top + 1.2, 0.7 * across, _EQUAL))
        if placed.rows is not None:
            middle = plot.top - (row + 0.5) * down
            bars.append(Rect.up_from(plot.left - 1.5 - _EQUAL, middle - 0.35 * down, _EQUAL, 0.7 * down))
    if bars:
        page.boxes(bars, page.roles.twin)


def _draw_bracket(page: Page, placed: PlacedMap, plot: Rect) -> None:
    """Draw what the headline claims of some columns below the map."""
    panel = placed.panel
    if panel.bracket is None or not placed.below:
        return
    across = plot.width / panel.values.shape[1]
    centres = [plot.left + (column - panel.columns.first + 0.5) * across for column in panel.bracket.columns]
    found = bracket_lines(panel.bracket, centres, plot.left, plot.right, measured(SMALL, bold=True))
    if found is None:
        return
    line = SMALL * LINE
    colour, top, level = page.roles.twin, plot.bottom - ABOVE / 2, plot.bottom - LEG * line
    for x in found.legs:
        page.line((x, x), (top, level), colour, _BRACKET)
    for ends in found.level:
        page.line(ends, (level, level), colour, _BRACKET)
    page.text(found.middle, level - found.below * line, found.words, SMALL, colour, "center", bold=True)


def _draw_focus(page: Page, panel: Heatmap, plot: Rect) -> None:
    """Outline the row in focus from outside, so that a thin row stays visible."""
    rows = panel.values.shape[0]
    row = -1 if panel.rows.focus is None else panel.rows.focus - panel.rows.first
    if not 0 <= row < rows:
        return
    pitch = plot.height / rows
    width = min(max(0.75, pitch / 12), 2.25)
    half = width / 2
    around = Rect.up_from(plot.left - half, plot.top - (row + 1) * pitch - half, plot.width + width, pitch + width)
    page.outline(around, page.roles.focus, width)


def draw_bar(page: Page, panel: Heatmap, placed: PlacedBar, room: Rect, colours: Rect) -> None:
    """Draw the colour bar of a map's scale: its colours with their tips, and the labels beside or below them."""
    bar, tick, face = placed.bar, page.style.tick, page.style.small
    down = np.linspace(1, 0, 256)[:, np.newaxis]
    page.image(colours, shades(panel.scale, down if placed.upright else 1 - down.T, page.roles))
    _draw_tips(page, panel, placed, colours)
    if placed.upright:
        for number, words in enumerate(reversed(name_lines(bar, page.style))):
            page.text(room.left, room.top + ABOVE + number * face.line, words, SMALL, page.roles.muted, at="bottom")
        for label in upright_labels(bar, colours.height, face):
            if label.tick is not None:
                y = colours.bottom + label.tick
                page.line((colours.right, colours.right + tick / 2), (y, y), page.roles.muted, 0.8)
            ink = _ink_of(label, panel, page.roles)
            page.text(colours.right + tick, colours.bottom + label.at, label.text, SMALL, ink)
        return
    free = colours.left - room.left, room.right - colours.right
    for label in level_labels(bar, colours.width, free, face):
        if label.tick is not None:
            x = colours.left + label.tick
            page.line((x, x), (colours.bottom, colours.bottom - tick / 2), page.roles.muted, 0.8)
        ink = _ink_of(label, panel, page.roles)
        page.text(colours.left + label.at, colours.bottom - tick, label.text, SMALL, ink, "center", "top")


def _ink_of(label: BarLabel, panel: Heatmap, roles: Roles) -> str:
    """The colour of a label: words about an end have the end's."""
    low, high = end_colours(panel.scale, roles)
    return {"low": low, "high": high}.get(label.kind, roles.muted)


def _draw_tips(page: Page, panel: Heatmap, placed: PlacedBar, colours: Rect) -> None:
    """Draw a triangle, in the colour of the end, where maps hold numbers beyond it."""
    ends = shades(panel.scale, np.array([0.0, 1.0]), page.roles)
    out = TIP * (colours.width if placed.upright else colours.height)
    x, y = colours.left + colours.width / 2, colours.bottom + colours.height / 2
    for text, colour, forth in zip(placed.bar.beyond, ends.tolist(), (-1, 1), strict=True):
        if not text:
            continue
        if placed.upright:
            end = colours.top if forth > 0 else colours.bottom
            corners = ((colours.left, end), (colours.right, end), (x, end + forth * out))
        else:
            end = colours.right if forth > 0 else colours.left
            corners = ((end, colours.top), (end, colours.bottom), (end + forth * out, y))
        page.polygon(corners, "#" + bytes(colour).hex())


def _draw_values(page: Page, values: Sequence[tuple[Rect, str]], room: Rect) -> None:
    """Write each value near its frame, where there is room."""
    measure = measured(SMALL)
    for place, text in beside_frames(values, lambda text: (_BOLD_BREADTH * measure(text), LINE * SMALL), room):
        page.text(place.left, (place.top + place.bottom) / 2, text, SMALL, bold=True)
