"""Heatmaps with labels, numbers in cells, and colour bars."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from posenc_gui.figure.axis import Axis
from posenc_gui.figure.panels import Heatmap
from posenc_gui.figure.ranges import shares
from posenc_gui.foundation.contrast import ink_on, parts_of
from posenc_gui.foundation.theme import Roles
from posenc_gui.render.layout.colour_scales import Colours, label_colour, shades
from posenc_gui.render.layout.heatmap_cells import Bar, cell_texts, is_square
from posenc_gui.render.layout.text_fit import elided, longest
from posenc_gui.render.paper.fonts import measured
from posenc_gui.render.paper.labels import LabelStyle, labels_with_room, widest_label
from posenc_gui.render.paper.page import (
    AXIS_TITLE,
    LABEL_ROOM,
    LEAST,
    LINE,
    PANEL,
    SMALL,
    Box,
    Page,
    draw_panel_title,
)

_LARGEST_CELL, _SMALLEST_MAP = 160.0, 24.0
BARE = 100.0  # maps lower than this, in many rows, have no labels: they are compared as a whole
_BAR, _BAR_GAP = 13.0, 18.0
_MOST_CELLS = 1024  # along a side; more are averaged
_MOST_COLUMNS = 12  # of a map with numbers in its cells
_SIZES = 5  # number of type sizes tried if not all labels fit
_HALF = 0.5  # of the labels
_SHORT, _SHORT_NUMBERED = 5.0, 7.5  # in type sizes: the length of a shortened label, about eight letters


@dataclass(frozen=True)
class _Ticks:
    """The labels along one side of a map, as coordinates and texts; `level` is True if they are horizontal."""

    labels: tuple[tuple[int, str], ...]
    level: bool = True


@dataclass(frozen=True)
class Fit:
    """The size of a map that fits the available space, and the space for its labels at the left and above."""

    map_width: float
    map_height: float
    left: float
    above: float
    style: LabelStyle

    @property
    def width(self) -> float:
        return self.left + self.map_width

    @property
    def height(self) -> float:
        return self.above + self.map_height


def fit_maps(maps: list[Heatmap], width: float, height: float, least: float = LEAST) -> dict[Heatmap, Fit]:
    """Fit maps side by side, with aligned tops and one label style.

    If not all labels fit, they are shortened and made smaller, down to `least`. If that isn't enough, labels are left out:
    at least every second one stays at the reduced size, or else fewer at the usual size.
    """
    if not maps:
        return {}
    if height < BARE:
        bare = LabelStyle(LEAST, 0.0, numbered=False)
        return {panel: Fit(*_map_size(panel, width, height), 0.0, 0.0, bare) for panel in maps}
    style = _style(maps, width, height)
    first = _in_style(maps, width, height, style)
    if least == LEAST or share_named(first) == 1:
        return first
    for size in np.linspace(LEAST, least, _SIZES).tolist():
        for room in (style.room, min(style.room, _SHORT * size)):
            fits = _in_style(maps, width, height, LabelStyle(size, room, numbered=False))
            if share_named(fits) == 1:
                return fits
    room = min(style.room, _SHORT_NUMBERED * least)
    fits = _in_style(maps, width, height, LabelStyle(least, room, numbered=True))
    return fits if share_named(fits) >= _HALF else first


def _in_style(maps: list[Heatmap], width: float, height: float, style: LabelStyle) -> dict[Heatmap, Fit]:
    lefts = _room_of_row_labels(maps, style)
    width -= sum(lefts.values()) / len(maps)
    above = max(_room_above(panel, width, height, style) for panel in maps)
    return {panel: Fit(*_map_size(panel, width, height - above), lefts[panel], above, style) for panel in maps}


def _room_of_row_labels(maps: Sequence[Heatmap], style: LabelStyle) -> dict[Heatmap, float]:
    """The width of each map's row labels; 0 if the map before it has the same labels at the same heights."""
    return {
        panel: 0.0
        if before and _has_rows_of(panel, before)
        else AXIS_TITLE + widest_label(panel.rows, len(panel.values), style) + 8
        for before, panel in zip((None, *maps), maps, strict=False)
    }


def _has_rows_of(panel: Heatmap, before: Heatmap) -> bool:
    same_shape = panel.values.shape == before.values.shape and is_square(panel) == is_square(before)
    return same_shape and panel.rows == before.rows


def _style(maps: list[Heatmap], width: float, height: float) -> LabelStyle:
    """Return the largest label style that the cells allow; labels get position numbers if some labels are left out."""
    pitch = min(_pitch(panel, width * 0.85, height * 0.85) for panel in maps)
    style = LabelStyle(min(max(LEAST, pitch * 0.4), PANEL), min(LABEL_ROOM, width / 3, height / 2), numbered=False)
    return replace(style, numbered=any(_is_thinned(panel, width * 0.85, height * 0.85, style) for panel in maps))


def _is_thinned(panel: Heatmap, width: float, height: float, style: LabelStyle) -> bool:
    """Return True if some labels along a map of this size must be left out."""
    lengths = zip(_map_size(panel, width, height), panel.values.shape[::-1], (panel.columns, panel.rows), strict=True)
    return any(axis.labels and length / count < style.pitch for length, count, axis in lengths)


def _pitch(panel: Heatmap, width: float, height: float) -> float:
    map_width, map_height = _map_size(panel, width, height)
    rows, columns = panel.values.shape
    return float(min(map_width / columns, map_height / rows))


def _map_size(panel: Heatmap, width: float, height: float) -> tuple[float, float]:
    """Return a map's size: square cells if they have a meaning and the map stays readable, else all of the space."""
    rows, columns = panel.values.shape
    ratio = min(max(columns / rows if is_square(panel) else width / max(height, 1.0), 0.75), 2.2)
    width = max(_SMALLEST_MAP, min(width, height * ratio, columns * _LARGEST_CELL))
    return width, min(width / ratio, rows * _LARGEST_CELL)


def _room_above(panel: Heatmap, width: float, height: float, style: LabelStyle) -> float:
    columns = panel.values.shape[1]
    level = AXIS_TITLE + style.size * LINE + 4
    pitch = _map_size(panel, width, height - level)[0] / columns
    if _column_ticks(panel.columns, columns, pitch, style).level:
        return level
    return AXIS_TITLE + widest_label(panel.columns, columns, style) + 8


def _column_ticks(axis: Axis, count: int, pitch: float, style: LabelStyle) -> _Ticks:
    """Return horizontal column labels if they fit, else upright ones; numbers are thinned out instead of rotated."""
    level = labels_with_room(axis, count, pitch, style, widest_label(axis, count, style) + style.size * 0.6)
    if not axis.labels or len(level) == count:
        return _Ticks(level)
    return _Ticks(labels_with_room(axis, count, pitch, style, style.pitch), level=False)


def _row_ticks(axis: Axis, count: int, pitch: float, style: LabelStyle) -> _Ticks:
    need = style.pitch if axis.labels else 2 * style.pitch
    return _Ticks(labels_with_room(axis, count, pitch, style, need))


def share_named(fits: dict[Heatmap, Fit]) -> float:
    """Return the share of labels along these maps that fit; 1 for maps without labels."""
    return min(_share_named(panel, fit) for panel, fit in fits.items())


def _share_named(panel: Heatmap, fit: Fit) -> float:
    if not fit.above:
        return 1.0
    rows, columns = panel.values.shape
    down = _row_ticks(panel.rows, rows, fit.map_height / rows, fit.style)
    across = _column_ticks(panel.columns, columns, fit.map_width / columns, fit.style)
    sides = ((panel.rows, rows, down), (panel.columns, columns, across))
    return min((len(ticks.labels) / count for axis, count, ticks in sides if axis.labels), default=1.0)


def draw_map(
    page: Page, panel: Heatmap, fit: Fit, box: Box, titles: float, bar: Bar | None, brief: bool, wide: float
) -> None:
    """Draw a map in its box. wide: the width available for its title, from the box's left edge."""
    top = box.top - titles - fit.above
    place = Box(box.left + fit.left, top - fit.map_height, fit.map_width, fit.map_height)
    draw_panel_title(page, panel.title, place.left, box.top, wide - fit.left, fit.left)
    pooled = _pooled(panel)
    colours = _colours(panel, pooled, page.roles)
    page.cells(place, colours)
    if pooled.shape != panel.values.shape:
        page.text(place.left, place.bottom - 4, "cells averaged to fit", LEAST, page.roles.muted, at="top")
    if fit.above:
        _draw_column_labels(page, panel, fit, place)
    if fit.left:
        _draw_row_labels(page, panel, fit, place)
    _draw_values(page, panel, colours, place, brief)
    _draw_equal(page, panel, place)
    _draw_focus(page, panel, place)
    if bar is not None:
        _draw_bar(page, panel, place, bar)


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


def _draw_column_labels(page: Page, panel: Heatmap, fit: Fit, place: Box) -> None:
    columns = panel.values.shape[1]
    across = place.width / columns
    labels = _column_ticks(panel.columns, columns, across, fit.style)
    for coordinate, label in labels.labels:
        x, colour = (
            place.left + (coordinate - panel.columns.first + 0.5) * across,
            label_colour(panel.columns, coordinate, page.roles),
        )
        if labels.level:
            page.text(x, place.top + 5, label, fit.style.size, colour, "center", "bottom")
        else:
            page.text(x, place.top + 5, label, fit.style.size, colour, upright=True)
    name = elided(panel.columns.title, place.width, measured(SMALL))
    y = place.top + fit.above - SMALL / 2
    page.text(place.left + place.width / 2, y, name, SMALL, page.roles.muted, "center")


def _draw_row_labels(page: Page, panel: Heatmap, fit: Fit, place: Box) -> None:
    rows = len(panel.values)
    down = place.height / rows
    for coordinate, label in _row_ticks(panel.rows, rows, down, fit.style).labels:
        y = place.top - (coordinate - panel.rows.first + 0.5) * down
        page.text(place.left - 6, y, label, fit.style.size, label_colour(panel.rows, coordinate, page.roles), "right")
    name, x = elided(panel.rows.title, place.height, measured(SMALL)), place.left - fit.left + SMALL / 2
    page.text(x, place.top - place.height / 2, name, SMALL, page.roles.muted, "center", upright=True)


def fits_briefly(panel: Heatmap, fit: Fit) -> bool:
    """True if the numbers fit their cells only in their short form."""
    room = fit.map_width, fit.map_height
    return _size_of_numbers(panel, *room, brief=False) < LEAST <= _size_of_numbers(panel, *room, brief=True)


def _size_of_numbers(panel: Heatmap, width: float, height: float, *, brief: bool) -> float:
    """Return the type size at which the longest number of a small map fits its cell; 0 for a large map without numbers."""
    rows, columns = panel.values.shape
    across, down = width / columns, height / rows
    if columns > _MOST_COLUMNS or down < LEAST * 1.4:
        return 0.0
    texts = [text.brief if brief else text.whole for line in cell_texts(panel) for text in line]
    return float(min(PANEL, down / 1.4, LEAST * (across - 4) / longest(texts, measured(LEAST))))


def _draw_values(page: Page, panel: Heatmap, colours: Colours, place: Box, brief: bool) -> None:
    """Print the numbers in the cells of a small map if they can be read there."""
    size = _size_of_numbers(panel, place.width, place.height, brief=brief)
    if size < LEAST:
        return
    rows, columns = panel.values.shape
    across, down = place.width / columns, place.height / rows
    texts = cell_texts(panel)
    for row, column in np.ndindex(rows, columns):
        if not panel.is_masked(row, column):
            x, y = place.left + (column + 0.5) * across, place.top - (row + 0.5) * down
            text = texts[row][column].brief if brief else texts[row][column].whole
            page.text(x, y, text, size, ink_on(*colours[row, column].tolist()), "center")


def _draw_equal(page: Page, panel: Heatmap, place: Box) -> None:
    """Outline rows and columns that are equal to another."""
    rows, columns = panel.values.shape
    across, down = place.width / columns, place.height / rows
    for at in sorted(panel.equal):
        row, column = at - panel.rows.first, at - panel.columns.first
        page.outline(Box(place.left, place.top - (row + 1) * down, place.width, down), page.roles.twin, 0.8, ":")
        page.outline(Box(place.left + column * across, place.bottom, across, place.height), page.roles.twin, 0.8, ":")


def _draw_focus(page: Page, panel: Heatmap, place: Box) -> None:
    """Outline the row in focus from outside, so that a thin row stays visible."""
    rows = panel.values.shape[0]
    row = -1 if panel.rows.focus is None else panel.rows.focus - panel.rows.first
    if not 0 <= row < rows:
        return
    pitch = place.height / rows
    width = min(max(0.75, pitch / 12), 2.25)
    half = width / 2
    around = Box(place.left - half, place.top - (row + 1) * pitch - half, place.width + width, pitch + width)
    page.outline(around, page.roles.focus, width)


def room_of_bar(bar: Bar) -> float:
    numbers = longest((text for _, text in bar.ticks(5)), measured(SMALL))
    return _BAR_GAP + _BAR + 8 + numbers + AXIS_TITLE


def _draw_bar(page: Page, panel: Heatmap, place: Box, known: Bar) -> None:
    bar = Box(place.right + _BAR_GAP, place.bottom, _BAR, place.height)
    page.image(bar, shades(panel.scale, np.linspace(1, 0, 256)[:, np.newaxis], page.roles))
    numbers = known.ticks(min(5, max(1, int(bar.height / 20))))
    for tick, text in numbers:
        y = bar.bottom + float(shares(tick, panel.low, panel.high, panel.log)) * bar.height
        page.line((bar.right, bar.right + 3), (y, y), page.roles.muted, 0.8)
        page.text(bar.right + 6, y, text, SMALL, page.roles.muted)
    x = bar.right + 8 + longest((text for _, text in numbers), measured(SMALL)) + AXIS_TITLE - SMALL / 2
    name = elided(known.name, bar.height, measured(SMALL))
    page.text(x, bar.bottom + bar.height / 2, name, SMALL, page.roles.muted, "center", upright=True)
