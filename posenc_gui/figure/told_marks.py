"""What a text speaks of: the twins of a headline, and frames around a cell, a row, points or a name of a curve, a clock, or a
column of Flow.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, fields, replace
from typing import Any

from posenc_gui.figure.axis import Axis
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panels import Clocks, Hands, Heatmap, Lines, Panel, Series, Table
from posenc_gui.figure.panels.flow import COLUMNS, Flow
from posenc_gui.figure.runs import Run

_ROUNDING = 1e-4  # relative: cells and curves are float32
_FEW_TWINS = 8  # which are marked where no headline names any


@dataclass(frozen=True)
class Told:
    """What a text speaks of: coordinates by the roles of their axes, and the number there, if it names one.

    `before`: the number is of an earlier picture, and a point of the curve that shows this picture. Beside the axes' roles,
    "curve" is the number of a curve in its panel, "row" of a row of a table, and "stage" of a column of Flow.
    """

    place: Sequence[tuple[str, int]]
    number: float | None = None
    before: bool = False


def shows(figure: Figure, told: Told) -> bool:
    """True if a figure has what is told; where that is a single cell or point, it must show the number, or its negative."""
    return any(_has(panel, told) for panel in figure.panels)


def with_told_marked(figure: Figure, told: Iterable[Told]) -> Figure:
    """Return a figure with all that is told framed wherever it is, and no focus in maps. Curves, maps and clocks frame all of
    it, curves and maps numbers with values; Flow and tables only the first."""
    told = tuple(told)
    return replace(figure, panels=tuple(_all_marked(panel, told) for panel in figure.panels))


def twins_named(headline: Iterable[Run]) -> frozenset[str]:
    """Return the words of the twins that a headline names."""
    return frozenset(run.text.strip("\u2068\u2069") for run in headline if run.kind == "twin")


def told_twins(twins: frozenset[int], word: Callable[[int], str], named: AbstractSet[str]) -> frozenset[int]:
    """Return of these twins those that are named; where none is, all while they are few: colour on every word tells nothing."""
    if named:
        return frozenset(at for at in twins if word(at) in named)
    return twins if len(twins) <= _FEW_TWINS else frozenset()


def with_told_twins(figure: Figure) -> Figure:
    """Return a figure that marks those twins alone that its headline names."""
    named = twins_named(figure.headline)
    return replace(figure, panels=tuple(_with_told_twins(panel, named) for panel in figure.panels))


def _with_told_twins(panel: Panel, named: AbstractSet[str]) -> Panel:
    if isinstance(panel, Flow):
        return replace(panel, twins=told_twins(panel.twins, lambda row: panel.keys[row].label, named))
    axes = {one.name: getattr(panel, one.name) for one in fields(panel)}
    changed: dict[str, Any] = {
        name: replace(axis, twins=told)
        for name, axis in axes.items()
        if isinstance(axis, Axis) and (told := _told_on(axis, named)) != axis.twins
    }
    if isinstance(panel, Heatmap) and "columns" in changed:
        changed["equal"] = panel.equal & changed["columns"].twins
    return replace(panel, **changed) if changed else panel


def _told_on(axis: Axis, named: AbstractSet[str]) -> frozenset[int]:
    return told_twins(axis.twins, lambda at: axis.labels[at - axis.first], named)


def _all_marked(panel: Panel, told: tuple[Told, ...]) -> Panel:
    if isinstance(panel, Heatmap | Lines | Clocks | Hands):
        marked: Panel = panel
        for one in told:
            marked = _marked(marked, one)
        return marked
    return next((marked for one in told if (marked := _marked(panel, one)) is not panel), panel)


def _has(panel: Panel, told: Told) -> bool:
    marked = _marked(panel, told)
    if not isinstance(panel, Heatmap) or not isinstance(marked, Heatmap) or not marked.marked or told.number is None:
        return marked is not panel
    row, column = marked.marked[-1]
    if row is None or column is None:
        return True
    row, column = row - panel.rows.first, column - panel.columns.first
    return not panel.is_masked(row, column) and _is_same(float(panel.values[row, column]), told.number)


def _marked(panel: Panel, told: Told) -> Panel:
    """Return the panel with its part of what is told framed; itself if it has none."""
    place = dict(told.place)
    match panel:
        case Flow() if "stage" in place:
            return replace(panel, marked=COLUMNS[place["stage"]])
        case Heatmap() if not told.before:
            return _marked_map(panel, place)
        case Lines():
            series = tuple(_marked_curve(panel, at, told, place) for at in range(len(panel.series)))
            return panel if series == panel.series else replace(panel, series=series)
        case Clocks() | Hands() if place.get("pair") in panel.pairs:
            clock = panel.pairs.index(place["pair"])
            return panel if clock in panel.marked else replace(panel, marked=(*panel.marked, clock))
        case Table() if place.get("row", len(panel.rows)) < len(panel.rows):
            return replace(panel, focus=place["row"])
    return panel


def _marked_map(panel: Heatmap, place: dict[str, int]) -> Heatmap:
    axes = panel.rows, panel.columns
    row, column = (_along(axis, n, place) for axis, n in zip(axes, panel.values.shape, strict=True))
    is_cell = row is not None and column is not None
    is_line = row is not column and len({role.removeprefix("other ") for role in place}) == 1
    if panel.part is not None or not (is_cell or is_line) or (row, column) in panel.marked:
        return panel
    rows, columns = replace(panel.rows, focus=None), replace(panel.columns, focus=None)
    return replace(panel, rows=rows, columns=columns, marked=(*panel.marked, (row, column)))


def _marked_curve(panel: Lines, at: int, told: Told, place: dict[str, int]) -> Series:
    """Return a curve with its point framed that a place names, or its name if the place names a curve alone. Reference curves
    are not counted; their points are framed too where no number is told."""
    curve, x, number = panel.series[at], place.get(panel.x.role), told.number
    own = sum(not one.before for one in panel.series[:at])
    is_asked = curve.before == told.before or (number is None and x is not None and "curve" not in place)
    if curve.level or not is_asked or place.get("curve", own) != own:
        return curve
    if x is None:
        return replace(curve, is_marked=True) if "curve" in place and curve.label else curve
    if not float(curve.x.min()) <= x <= float(curve.x.max()):
        return curve
    y = panel.value(curve, x)
    point = float(x), y
    is_new = point not in curve.marked and (number is None or _is_same(y, number))
    return replace(curve, marked=(*curve.marked, point)) if is_new else curve


def _is_same(value: float, number: float) -> bool:
    return abs(abs(value) - abs(number)) <= _ROUNDING * abs(number)


def _along(axis: Axis, count: int, place: dict[str, int]) -> int | None:
    """Return a place's coordinate on an axis of `count` cells; None if it has none there."""
    at = place.get(axis.role)
    return at if at is not None and 0 <= at - axis.first < count else None
