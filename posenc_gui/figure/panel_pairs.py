"""Combine corresponding panels of two figures that are shown side by side.

Two maps become three: first, second, and second − first. Curves share a panel, one broad and one thin; bars and tables
are merged into one panel; other panels are placed side by side. If a difference would be meaningless, `Laid.why` says why.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, is_dataclass, replace
from itertools import chain

import numpy as np

from posenc_gui.figure.axis import BLOCK_ROLES, TOKEN_ROLES, Axis
from posenc_gui.figure.panels import Bars, BarSeries, Heatmap, Lines, Links, Panel, Series, Slopes, Table
from posenc_gui.figure.ranges import Mask, Values, end_of_colours, symmetric_range
from posenc_gui.foundation.wording import join_words

_IN_ONE_PANEL = 2  # curves per side that can be distinguished in one panel
_MOST_BARS = 3  # of a category: more shades can't be told apart
_LANES = 6  # up to this many pairs of curves get a lane each, one below the other
_PLAIN = frozenset((int, float, str))  # types of tuple items that are compared directly

Names = tuple[str, str]
Ranged = Heatmap | Lines | Bars | Links | Slopes
_Pair = tuple[Series | None, Series | None]


@dataclass(frozen=True)
class Laid:
    """The panels that replace one pair of panels; `why` says why they include no difference, if one would be expected."""

    panels: tuple[Panel, ...]
    why: str = ""


def lay_out(first: tuple[Panel, ...], second: tuple[Panel, ...], names: Names) -> list[Laid]:
    """Lay out both figures' panels pair by pair; whole figures side by side if kinds of panels differ, or if they have links."""
    shared = min(len(first), len(second))
    if kinds_of(first[:shared]) != kinds_of(second[:shared]) or Links in kinds_of(first):
        return [
            Laid(tuple(_titled(panel, name, sole=len(panels) == 1) for panel in panels))
            for panels, name in ((first, names[0]), (second, names[1]))
        ]
    sole = sum(not isinstance(panel, Table) for panel in first) == 1
    pairs = [
        Laid((one,)) if equal(one, other) else _pair(one, other, names, sole=sole)
        for one, other in zip(first, second, strict=False)
    ]
    alone = [(panel, name) for panels, name in zip((first, second), names, strict=True) for panel in panels[shared:]]
    return [*pairs, *(Laid((_titled(panel, name, sole=False),)) for panel, name in alone)]


def _pair(one: Panel, other: Panel, names: Names, *, sole: bool) -> Laid:
    if isinstance(one, Heatmap) and isinstance(other, Heatmap):
        return _maps(one, other, names, sole=sole)
    if isinstance(one, Lines) and isinstance(other, Lines):
        return _curves(one, other, names, sole=sole)
    if isinstance(one, Bars) and isinstance(other, Bars):
        return _bars(one, other, names, sole=sole)
    if isinstance(one, Table) and isinstance(other, Table):
        return _tables(one, other, names)
    return _side_by_side(one, other, names, sole=sole)


def _side_by_side(one: Panel, other: Panel, names: Names, *, sole: bool, why: str = "") -> Laid:
    return Laid((_titled(one, names[0], sole=sole), _titled(other, names[1], sole=sole)), why)


def maps_with_difference(first: Heatmap, second: Heatmap, names: Names) -> tuple[Heatmap, Heatmap, Heatmap]:
    """Return two maps, labelled with their names, and second − first; both need equal rows, columns and scale."""
    return replace(first, title=names[0]), replace(second, title=names[1]), _difference(first, second, names)


def _maps(one: Heatmap, other: Heatmap, names: Names, *, sole: bool) -> Laid:
    why = _why_not_alike((one.rows, one.columns), (other.rows, other.columns), one.values.shape, other.values.shape)
    if measured_in(one) != measured_in(other):
        why = why or f"{one.quantity} against {other.quantity}"
    if why:
        return _side_by_side(one, other, names, sole=sole, why=_no_difference(names, why))
    if sole:
        return Laid(maps_with_difference(one, other, names))
    apart = _difference(one, other, names)
    apart = replace(apart, title=f"{one.title} · {apart.title}")
    return Laid((*_side_by_side(one, other, names, sole=sole).panels, apart))


def _difference(first: Heatmap, second: Heatmap, names: Names) -> Heatmap:
    """Return the map second − first on a scale centred on zero."""
    mask = _either(first.mask, second.mask)
    values = second.values - first.values if mask is None else (second.values - first.values) * ~mask
    title = difference_title(names)
    low, high = _range_of_difference(first, values, mask)
    more = "gives more" if first.quantity.endswith("weight") else "is larger"
    one, other = (f"{sign} {more}" for sign in signs_of(names))
    absent = first.absent if first.mask is not None else second.absent
    shown = Heatmap(title, title, values, first.rows, first.columns, low, high, "diverging", mask, absent=absent)
    return replace(shown, difference=True, ends=(one, other), part=first.part)


def _range_of_difference(first: Heatmap, values: Values, mask: Mask | None) -> tuple[float, float]:
    """Return a range centred on zero, on which a few large changes of a large map of tokens don't make all others pale."""
    if not {first.rows.role, first.columns.role} <= TOKEN_ROLES | BLOCK_ROLES:
        return symmetric_range(values)
    high = end_of_colours(values.shape, values if mask is None else values[~mask])
    return (-high, high) if high else (-1.0, 1.0)


def _curves(one: Lines, other: Lines, names: Names, *, sole: bool) -> Laid:
    if one.x.role != other.x.role or one.x.title != other.x.title:
        return _side_by_side(one, other, names, sole=sole, why=f"{_along(one.x)} against {_along(other.x)}")
    if measured_in(one) != measured_in(other):
        return _side_by_side(one, other, names, sole=sole, why=f"{one.quantity} against {other.quantity}")
    whole, one = (
        one,
        replace(
            one,
            x=max(one.x, other.x, key=lambda axis: len(axis.labels)),
            title=one.title if one.title == other.title else f"{one.title} · {other.title}",
            marks=tuple(dict.fromkeys((*one.marks, *other.marks))),
        ),
    )
    pairs, signs = _paired(_one_an_item(one.series), _one_an_item(other.series)), signs_of(names)
    same = tuple(pair for pair in pairs if equal(*pair))
    apart = [pair for pair in pairs if pair not in same]
    items = len(pairs) > 1 and any(series.item for series in one.series)
    if len(apart) <= _IN_ONE_PANEL and not items:
        alone = len(pairs) == 1
        series = (_both(pair, names if alone else _signed(pair, names), _of_both(pair, signs)) for pair in pairs)
        filled = alone and None not in pairs[0] and not one.log
        return Laid((replace(one, series=tuple(chain.from_iterable(series)), filled=filled),))
    if len(pairs) <= _LANES:
        unmarked = replace(one, marks=tuple(replace(mark, label="") for mark in one.marks))
        first, *others = [group for group in (same, *((pair,) for pair in apart)) if group]
        of = "" if sole else one.quantity
        lanes = [_lane(one, first, signs, of), *(_lane(unmarked, pairs, signs, of) for pairs in others)]
        stand_for = [series.label for series in whole.series if _is_first_of_its_item(series, whole.series)]
        why = f"shown: {join_words(stand_for)}" if len(pairs) < len(whole.series) else ""
        return Laid((*(replace(lane, shares_x=True) for lane in lanes[:-1]), lanes[-1]), why)
    return _side_by_side(one, other, names, sole=sole)


def _lane(whole: Lines, pairs: tuple[_Pair, ...], signs: Names, of: str) -> Lines:
    """Put pairs of curves in a separate panel: all equal pairs, or one unequal pair with the area between its curves filled.

    of: the quantity, which the title says where other panels have curves of the same names.
    """
    series = (_both(pair, _signed(pair, signs), _of_both(pair, signs)) for pair in pairs)
    filled = not whole.log and len(pairs) == 1 and None not in pairs[0] and not equal(*pairs[0])
    title = ": ".join(filter(None, (" · ".join(map(_label, pairs)), of)))
    return replace(whole, title=title, series=tuple(chain.from_iterable(series)), filled=filled)


def _one_an_item(series: tuple[Series, ...]) -> tuple[Series, ...]:
    """Return the first curve of each item, called by it, and every curve of no item."""
    return tuple(
        replace(one, label=one.item or one.label)
        for one in series
        if not one.item or _is_first_of_its_item(one, series)
    )


def _is_first_of_its_item(one: Series, series: tuple[Series, ...]) -> bool:
    return bool(one.item) and one is next(other for other in series if other.item == one.item)


def _paired(first: tuple[Series, ...], second: tuple[Series, ...]) -> list[_Pair]:
    """Pair curves with equal labels; if one curve then remains on each side, pair these two."""
    named = {series.label: series for series in second}
    pairs: list[_Pair] = [(series, named.pop(series.label, None)) for series in first]
    alone = [index for index, (_, other) in enumerate(pairs) if other is None]
    if len(alone) == len(named) == 1:
        pairs[alone[0]] = pairs[alone[0]][0], named.popitem()[1]
    return [*pairs, *((None, series) for series in named.values())]


def _both(pair: _Pair, labels: Names, same: str) -> tuple[Series, ...]:
    """Return both curves of a pair, the first one broad; only one if they are equal."""
    one, other = pair
    if one is not None and equal(one, other):
        return (replace(one, label=same),)
    broad = () if one is None else (replace(one, label=labels[0], before=True),)
    return broad if other is None else (*broad, replace(other, label=labels[1]))


def _signed(pair: _Pair, names: Names) -> Names:
    """Return the labels of a pair's curves: each curve's own label, if it has one, and the short name of its figure."""
    labels = ("" if series is None else series.label for series in pair)
    first, second = (", ".join(filter(None, told)) for told in zip(labels, signs_of(names), strict=True))
    return first, second


def _label(pair: _Pair) -> str:
    return " · ".join(dict.fromkeys(series.label for series in pair if series is not None))


def _of_both(pair: _Pair, signs: Names) -> str:
    """Name a curve that is the same in both figures: “wavelength, A = B”; a level goes by its own name."""
    is_level = any(series is not None and series.level for series in pair)
    return ", ".join(filter(None, (_label(pair), "" if is_level else " = ".join(signs))))


def _bars(one: Bars, other: Bars, names: Names, *, sole: bool) -> Laid:
    categories = replace(one.categories, focus=other.categories.focus)
    if categories != other.categories or len(one.series) != len(other.series):
        return _side_by_side(one, other, names, sole=sole)
    if one.categories != other.categories:
        categories = replace(categories, focus=None)
    series: list[BarSeries] = []
    for first, second in zip(one.series, other.series, strict=True):
        labels = names if len(one.series) == 1 else [f"{bar.label}, {sign}" for bar, sign in
                                                     zip((first, second), signs_of(names), strict=True)]  # fmt: skip
        both = (replace(bar, label=label) for bar, label in zip((first, second), labels, strict=True))
        series += (first,) if equal(first, second) else both
    if len(series) > _MOST_BARS:
        return _side_by_side(one, other, names, sole=sole)
    return Laid((replace(one, categories=categories, series=tuple(series)),))


def _tables(one: Table, other: Table, names: Names) -> Laid:
    """Merge two tables whose rows describe the same items: columns that differ appear for each figure, equal ones once."""
    if [row[0] for row in one.rows] != [row[0] for row in other.rows]:
        one, other = _of_the_same_things(one, other)
    if [row[0] for row in one.rows] != [row[0] for row in other.rows] or len(one.header) != len(other.header):
        return _side_by_side(one, other, names, sole=False)
    header: list[str] = []
    columns: list[tuple[str | float, ...]] = []
    signs = signs_of(names)
    for heads, cells in zip(
        zip(one.header, other.header, strict=True),
        zip(zip(*one.rows, strict=True), zip(*other.rows, strict=True), strict=True),
        strict=True,
    ):
        once = heads[0] == heads[1] and cells[0] == cells[1]
        header += heads[:1] if once else [f"{sign}: {head}" for sign, head in zip(signs, heads, strict=True)]
        columns += cells[:1] if once else cells
    title = one.title if one.title == other.title else f"{one.title} · {other.title}"
    return Laid((replace(one, title=title, header=tuple(header), rows=tuple(zip(*columns, strict=True))),))


def _of_the_same_things(one: Table, other: Table) -> tuple[Table, Table]:
    """Add to each table empty rows for the other's additional items; leave both unchanged if they share few rows."""
    sides = [{row[0]: row for row in table.rows} for table in (one, other)]
    repeats = any(len(side) < len(table.rows) for side, table in zip(sides, (one, other), strict=True))
    common = sides[0].keys() & sides[1].keys()
    if repeats or one.header != other.header or 2 * len(common) < max(map(len, sides)):
        return one, other
    things = list(sides[0])
    at = 0
    for thing in sides[1]:
        at = things.index(thing) if thing in things else at
        if thing not in things:
            things.insert(at, thing)
        at += 1

    def filled(table: Table, side: dict[str | float, tuple[str | float, ...]]) -> Table:
        rows = tuple(side.get(thing, (thing, *[""] * (len(table.header) - 1))) for thing in things)
        places = {row: things.index(cells[0]) for row, cells in enumerate(table.rows)}
        focus = None if table.focus is None else places[table.focus]
        return replace(table, rows=rows, sums=frozenset(places[row] for row in table.sums), focus=focus)

    return filled(one, sides[0]), filled(other, sides[1])


def signs_of(names: Names) -> Names:
    """Return the short form of each name: the text before its colon."""
    return _sign(names[0]), _sign(names[1])


def difference_title(names: Names) -> str:
    """Return the title of the second minus the first."""
    return " − ".join(reversed(signs_of(names)))


def _sign(name: str) -> str:
    return name.partition(":")[0]


def _titled(panel: Panel, name: str, *, sole: bool) -> Panel:
    """Add the figure's name to a panel's title; if the figure has other panels, the short name follows the panel's own title."""
    return replace(panel, title=name if sole or not panel.title else f"{panel.title} · {_sign(name)}")


def _no_difference(names: Names, why: str) -> str:
    return f"no {difference_title(names)}: {why}"


def _why_not_alike(
    first: tuple[Axis, Axis], second: tuple[Axis, Axis], shape: tuple[int, ...], other_shape: tuple[int, ...]
) -> str:
    """Say why the cells of two maps don't correspond; empty if they do."""
    if [axis.role for axis in first] != [axis.role for axis in second]:
        return " against ".join(" by ".join(axis.role for axis in axes) for axes in (first, second))
    for axis, other, count, other_count in zip(first, second, shape, other_shape, strict=True):
        if count != other_count:
            return f"{count:,} against {other_count:,} cells along {axis.title}"
        if axis.first != other.first or axis.labels != other.labels:
            return f"other cells along {axis.title}"
    return ""


def _along(axis: Axis) -> str:
    return f"curves along {axis.title}"


def measured_in(panel: Ranged) -> tuple[object, ...]:
    """Return the properties that two panels must share to get a common range: maps also what their axes count, since pairs of
    offsets can't be compared with pairs of positions."""
    match panel:
        case Heatmap():
            return Heatmap, panel.quantity, panel.scale, panel.log, panel.rows.role, panel.columns.role
        case Lines() | Slopes():
            return type(panel), panel.quantity, panel.log
        case _:
            return type(panel), panel.quantity


def _either(mask: Mask | None, other: Mask | None) -> Mask | None:
    if mask is None or other is None:
        return other if mask is None else mask
    return mask | other


def kinds_of(panels: tuple[Panel, ...]) -> tuple[type, ...]:
    return tuple(type(panel) for panel in panels)


def equal(one: object, other: object) -> bool:
    """Return True if two parts of figures are equal; arrays are compared element by element."""
    if one is other:
        return True
    if type(one) is not type(other):
        return False
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        return np.array_equal(one, other)
    if isinstance(one, tuple) and isinstance(other, tuple):
        if _PLAIN.issuperset(map(type, one)):
            return one == other
        return len(one) == len(other) and all(map(equal, one, other))
    if is_dataclass(one) and is_dataclass(other):
        return all(equal(getattr(one, part.name), getattr(other, part.name)) for part in fields(one))
    return bool(one == other)
