"""Horizontal bars in groups, with their categories at the left and their numbers where they end."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from posenc_gui.figure import Bars, number
from posenc_gui.render.base import counts
from posenc_gui.render.paper.page import (
    AXIS_TITLE,
    CURVES,
    LEAST,
    LINE,
    MUTED,
    PANEL,
    RULE,
    SMALL,
    UPRIGHT,
    Box,
    Page,
    draw_panel_title,
)
from posenc_gui.render.paper.ticks import LabelStyle, label_colour, round_ticks, thinned, tick_texts, widest_label
from posenc_gui.render.paper.words import elided, longest, side_by_side, width_of

_LABEL_ROOM = 220.0  # the longest a category's label gets: level beside its bars, it has more room than elsewhere
_THICKEST = 34.0
_GROUP = 0.78  # of a group's height is bars, the rest keeps it from the next
_TOUCHING = 3.0  # groups no higher than this touch: gaps between them would only flicker
_LEGEND, _SWATCH = SMALL * 2, 9.0
_MOST_TICKS = 8


@dataclass(frozen=True)
class _Plot:
    """Where bars are drawn: the box on the page that `low` to `high` spans, and how the words around it are written.

    Labels end at `labels`, `numbers` is the size of the numbers at the bars' ends, None where they have no room.
    """

    box: Box
    low: float
    high: float
    pitch: float
    labels: float
    style: LabelStyle
    numbers: float | None

    def x(self, value: float) -> float:
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return self.box.left + share * self.box.width


def draw(panel: Bars, page: Page, box: Box, titles: float) -> None:
    """Draw the bars over their grid, first category and first series at the top."""
    legend = _LEGEND if len(panel.series) > 1 else 0.0
    plot = _plot(panel, box, titles + legend)
    draw_panel_title(page, panel.title, box.left, box.top, box.width)
    if legend:
        _draw_legend(page, panel, box, box.top - titles - SMALL / 2)
    _draw_grid(page, panel, plot)
    _draw_categories(page, panel, plot, box)
    _draw_bars(page, panel, plot)


def _plot(panel: Bars, box: Box, above: float) -> _Plot:
    count = len(panel.categories.labels)
    room = box.height - above - SMALL * LINE - 7 - AXIS_TITLE
    pitch = min(room / count, _THICKEST * len(panel.series) / _GROUP)
    thickness = pitch * _GROUP / len(panel.series)
    numbers = min(SMALL, thickness * 0.9) if thickness * 0.9 >= LEAST else None
    size = min(max(LEAST, pitch * 0.45), PANEL)
    style = LabelStyle(size, min(_LABEL_ROOM, box.width / 3), numbered=False)
    # Of some labels out of many, those that occur more than once don't say where they are.
    words = panel.categories.labels
    style = replace(style, numbered=pitch < style.pitch and len(set(words)) < len(words))

    values = [float(value) for series in panel.series for value in series.values]
    ends = {
        side: longest((number(value) for value in values if (value < 0) == side), numbers) + 6 if numbers else 0.0
        for side in (True, False)
    }
    tick = longest((text for _, text in _ticks(panel, box.width)), SMALL) / 2
    before = ends[True] if min(values) < 0 else 0.0
    labels = box.left + (AXIS_TITLE if panel.categories.title else 0.0) + widest_label(panel.categories, count, style)
    left, right = labels + 8 + before, box.right - max(ends[False], tick)
    place = Box(left, box.top - above - pitch * count, right - left, pitch * count)
    return _Plot(place, panel.low, panel.high, pitch, labels, style, numbers)


def _draw_grid(page: Page, panel: Bars, plot: _Plot) -> None:
    room = plot.box
    for tick, text in _ticks(panel, room.width):
        x = plot.x(tick)
        page.line((x, x), (room.bottom, room.top), color=RULE, linewidth=0.8, zorder=-1)
        page.text(x, room.bottom - 7, text, SMALL, color=MUTED, ha="center", va="top")
    page.line((plot.x(0), plot.x(0)), (room.bottom, room.top), color=MUTED, linewidth=1.0, zorder=2)
    name = elided(panel.quantity, room.width, SMALL)
    y = room.bottom - 7 - SMALL * LINE - AXIS_TITLE / 2
    page.text(room.left + room.width / 2, y, name, SMALL, color=MUTED, ha="center")


def _ticks(panel: Bars, width: float) -> list[tuple[float, str]]:
    """As many round numbers as have room side by side."""
    for most in range(_MOST_TICKS, 0, -1):
        ticks = round_ticks(panel.low, panel.high, most, whole=counts(panel))
        texts = tick_texts(ticks)
        if most == 1 or (longest(texts, SMALL) + 14) * (len(ticks) - 1) <= width:
            break
    return list(zip(ticks, texts, strict=True))


def _draw_categories(page: Page, panel: Bars, plot: _Plot, box: Box) -> None:
    axis, room = panel.categories, plot.box
    for coordinate, label in thinned(axis, len(axis.labels), plot.pitch, plot.style, plot.style.pitch):
        y = room.top - (coordinate - axis.first + 0.5) * plot.pitch
        page.text(plot.labels, y, label, plot.style.size, color=label_colour(axis, coordinate), ha="right")
    title: dict[str, Any] = {**UPRIGHT, "color": MUTED, "ha": "center"}
    name = elided(axis.title, room.height, SMALL)
    page.text(box.left + SMALL / 2, room.bottom + room.height / 2, name, SMALL, **title)


def _draw_bars(page: Page, panel: Bars, plot: _Plot) -> None:
    group = plot.pitch * (_GROUP if plot.pitch > _TOUCHING else 1)
    thickness = group / len(panel.series)
    for index, series in enumerate(panel.series):
        boxes = []
        for row, value in enumerate(series.values.tolist()):
            top = plot.box.top - row * plot.pitch - (plot.pitch - group) / 2 - index * thickness
            start, end = sorted((plot.x(0), plot.x(value)))
            boxes.append(Box(start, top - thickness, end - start, thickness))
            if plot.numbers is not None:
                x, side = (start - 4, "right") if value < 0 else (end + 4, "left")
                page.text(x, top - thickness / 2, number(value), plot.numbers, color=MUTED, ha=side)
        page.boxes(boxes, _colour(index))


def _colour(index: int) -> str:
    return CURVES[index % len(CURVES)]


def _draw_legend(page: Page, panel: Bars, box: Box, y: float) -> None:
    x, between = box.left, _SWATCH + 22
    names = (series.label for series in panel.series)
    for index, name in enumerate(side_by_side(names, box.width - between * len(panel.series), SMALL)):
        page.boxes([Box(x, y - _SWATCH / 2, _SWATCH, _SWATCH)], _colour(index))
        page.text(x + _SWATCH + 5, y, name, SMALL)
        x += width_of(name, SMALL) + between
