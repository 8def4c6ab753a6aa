"""Heatmaps with labels, numbers in cells, and colour bars."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from posenc_gui.figure.axis import Axis
from posenc_gui.figure.panels import Heatmap
from posenc_gui.figure.ranges import shares
from posenc_gui.foundation.contrast import ink_on, parts_of
from posenc_gui.foundation.theme import Roles
from posenc_gui.render.layout.cell_labels import Labels
from posenc_gui.render.layout.colour_scales import Colours, label_colour, shades
from posenc_gui.render.layout.composer import PlacedBar, PlacedMap
from posenc_gui.render.layout.heatmap_cells import MOST_NUMBERS, NUMBER_AIR, NUMBER_LINES, cell_texts
from posenc_gui.render.layout.text_fit import longest, side_by_side
from posenc_gui.render.paper.fonts import measured
from posenc_gui.render.paper.format import LINE, SMALL, size_of
from posenc_gui.render.paper.page import Box, Page

_MOST_CELLS = 1024  # along a side; more are averaged
_ABOVE, _BESIDE = 4.0, 7.0  # from a map to its labels
_EQUAL = 1.8  # the breadth of the bar at equal rows and columns
_TICKS_APART = 20.0, 46.0  # ticks of a colour bar: one above the other, side by side


@dataclass(frozen=True)
class NumberType:
    """The type of the numbers in cells: its size, and whether they are in the short form."""

    size: float
    brief: bool


def number_type(maps: Sequence[PlacedMap], sizes: Sequence[float]) -> NumberType | None:
    """The largest type for which all cells of all maps have room; None without room."""
    if not maps or any(placed.panel.values.size > MOST_NUMBERS for placed in maps):
        return None
    tried = [NumberType(size, brief) for size in sizes for brief in (False, True)]
    tried = sorted(tried, key=lambda one: one.brief)  # digits are dropped last
    return next((one for one in tried if all(_has_room(placed, one) for placed in maps)), None)


def _has_room(placed: PlacedMap, kind: NumberType) -> bool:
    rows, columns = placed.panel.values.shape
    across, down = placed.plot.width / columns, placed.plot.height / rows
    texts = (text.brief if kind.brief else text.whole for line in cell_texts(placed.panel) for text in line)
    return bool(
        NUMBER_LINES * LINE * kind.size <= down
        and longest(sorted(set(texts), key=len)[-3:], measured(kind.size)) + 2 * NUMBER_AIR <= across
    )


def draw_map(page: Page, placed: PlacedMap, plot: Box, numbers: NumberType | None) -> None:
    """Draw a map: its cells fill `plot`."""
    panel = placed.panel
    pooled = _pooled(panel)
    colours = _colours(panel, pooled, page.roles)
    page.cells(plot, colours)
    if pooled.shape != panel.values.shape:
        page.text(plot.left, plot.bottom - 4, "cells averaged to fit", SMALL, page.roles.muted, at="top")
    _draw_column_labels(page, panel.columns, placed.columns, plot, panel.values.shape[1])
    if placed.rows is not None:
        _draw_row_labels(page, panel.rows, placed.rows, plot, panel.values.shape[0])
    if numbers is not None:
        _draw_numbers(page, panel, colours, plot, numbers)
    _draw_equal(page, placed, plot)
    _draw_focus(page, panel, plot)


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


def _draw_column_labels(page: Page, axis: Axis, labels: Labels, plot: Box, count: int) -> None:
    across, size = plot.width / count, size_of(labels.face)
    for coordinate, label in labels.texts:
        x = plot.left + (coordinate - axis.first + 0.5) * across
        colour, bold = label_colour(axis, coordinate, page.roles), coordinate == axis.focus
        if labels.angle == "level":
            page.text(x, plot.top + _ABOVE, label, size, colour, "center", "bottom", bold=bold)
        elif labels.angle == "slanted":
            page.text(x - size / 4, plot.top + _ABOVE, label, size, colour, at="bottom", angle=45, bold=bold)
        else:
            page.text(x, plot.top + _ABOVE, label, size, colour, angle=90, bold=bold)
    if labels.name:
        y = plot.top + labels.room - SMALL * LINE / 2
        page.text(plot.left + plot.width / 2, y, labels.name, SMALL, page.roles.muted, "center")


def _draw_row_labels(page: Page, axis: Axis, labels: Labels, plot: Box, count: int) -> None:
    down, size = plot.height / count, size_of(labels.face)
    for coordinate, label in labels.texts:
        y = plot.top - (coordinate - axis.first + 0.5) * down
        colour, bold = label_colour(axis, coordinate, page.roles), coordinate == axis.focus
        page.text(plot.left - _BESIDE, y, label, size, colour, "right", bold=bold)
    if labels.name:
        x, y = plot.left - labels.room + SMALL * LINE / 2, plot.bottom + plot.height / 2
        page.text(x, y, labels.name, SMALL, page.roles.muted, "center", angle=90)


def _draw_numbers(page: Page, panel: Heatmap, colours: Colours, plot: Box, kind: NumberType) -> None:
    rows, columns = panel.values.shape
    across, down = plot.width / columns, plot.height / rows
    texts = cell_texts(panel)
    for row, column in np.ndindex(rows, columns):
        if not panel.is_masked(row, column):
            x, y = plot.left + (column + 0.5) * across, plot.top - (row + 0.5) * down
            text = texts[row][column].brief if kind.brief else texts[row][column].whole
            page.text(x, y, text, kind.size, ink_on(*colours[row, column].tolist()), "center")


def _draw_equal(page: Page, placed: PlacedMap, plot: Box) -> None:
    """Mark rows and columns that are equal to another: a bar between their labels and their cells."""
    panel = placed.panel
    rows, columns = panel.values.shape
    across, down = plot.width / columns, plot.height / rows
    bars = []
    for at in sorted(panel.equal):
        row, column = at - panel.rows.first, at - panel.columns.first
        bars.append(Box(plot.left + (column + 0.15) * across, plot.top + 1.2, 0.7 * across, _EQUAL))
        if placed.rows is not None:
            middle = plot.top - (row + 0.5) * down
            bars.append(Box(plot.left - 1.5 - _EQUAL, middle - 0.35 * down, _EQUAL, 0.7 * down))
    if bars:
        page.boxes(bars, page.roles.twin)


def _draw_focus(page: Page, panel: Heatmap, plot: Box) -> None:
    """Outline the row in focus from outside, so that a thin row stays visible."""
    rows = panel.values.shape[0]
    row = -1 if panel.rows.focus is None else panel.rows.focus - panel.rows.first
    if not 0 <= row < rows:
        return
    pitch = plot.height / rows
    width = min(max(0.75, pitch / 12), 2.25)
    half = width / 2
    around = Box(plot.left - half, plot.top - (row + 1) * pitch - half, plot.width + width, pitch + width)
    page.outline(around, page.roles.focus, width)


def draw_bar(page: Page, panel: Heatmap, placed: PlacedBar, colours: Box) -> None:
    """Draw the colour bar of a map's scale with its name."""
    draw = _draw_upright if placed.upright else _draw_level
    draw(page, panel, placed, colours)


def _draw_upright(page: Page, panel: Heatmap, placed: PlacedBar, colours: Box) -> None:
    bar, muted, tick = placed.bar, page.roles.muted, page.style.tick
    page.image(colours, shades(panel.scale, np.linspace(1, 0, 256)[:, np.newaxis], page.roles))
    for at, text in bar.ticks(min(5, max(1, int(colours.height / _TICKS_APART[0])))):
        y = colours.bottom + float(shares(at, panel.low, panel.high, panel.log)) * colours.height
        page.line((colours.right, colours.right + tick / 2), (y, y), muted, 0.8)
        page.text(colours.right + tick, y, text, SMALL, muted)
    for line, word in enumerate(reversed(bar.name.split())):
        page.text(colours.left, colours.top + _ABOVE + line * SMALL * LINE, word, SMALL, muted, at="bottom")


def _draw_level(page: Page, panel: Heatmap, placed: PlacedBar, colours: Box) -> None:
    bar, muted, tick = placed.bar, page.roles.muted, page.style.tick
    page.image(colours, shades(panel.scale, np.linspace(0, 1, 256)[np.newaxis], page.roles))
    measure = measured(SMALL)
    (name,) = side_by_side((bar.name,), colours.width, measure)
    middle = colours.left + colours.width / 2
    name_ends = middle - measure(name) / 2 - _ABOVE, middle + measure(name) / 2 + _ABOVE
    page.text(middle, colours.bottom - tick, name, SMALL, muted, "center", "top")
    for at, text in bar.ticks(min(5, max(1, int(colours.width / _TICKS_APART[1])))):
        x = colours.left + float(shares(at, panel.low, panel.high, panel.log)) * colours.width
        half = measure(text) / 2
        x = min(max(x, colours.left + half), colours.right - half)
        if x + half <= name_ends[0] or x - half >= name_ends[1]:
            page.line((x, x), (colours.bottom, colours.bottom - tick / 2), muted, 0.8)
            page.text(x, colours.bottom - tick, text, SMALL, muted, "center", "top")
