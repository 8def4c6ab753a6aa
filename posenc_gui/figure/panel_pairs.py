"""Combine corresponding panels of two figures that are shown side by side.

Two maps become three: first, second, and second − first. Curves share a panel, one broad and one thin; bars and tables
are merged into one panel; other panels are placed side by side. If a difference would be meaningless, `Laid.why` says why.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any, TypeVar

import numpy as np

from posenc_gui.figure.axis import BLOCK_ROLES, TOKEN_ROLES
from posenc_gui.figure.panels import (
    Bars,
    BarSeries,
    Flow,
    Hands,
    Heatmap,
    Lines,
    Links,
    Panel,
    Ranged,
    Series,
    Slopes,
    Table,
)
from posenc_gui.figure.ranges import Mask, Values, end_of_colours, symmetric_range
from posenc_gui.foundation.wording import join_words

_IN_ONE_PANEL = 2  # curves per side that can be distinguished in one panel
_MOST_BARS = 3  # of a category: more shades can't be told apart
_LANES = 6  # up to this many pairs of curves get a lane each, one below the other
_PLAIN = frozenset((int, float, str))  # types of tuple items that are compared directly

Names = tuple[str, ...]
_Pair = tuple[Series | None, Series | None]
_Labelled = TypeVar("_Labelled", Series, BarSeries)


@dataclass(frozen=True)
class Laid:
    """The panels that replace one pair of panels; `why` says why they include no difference, if one would be expected."""

    panels: tuple[Panel, ...] = ()
    why: str = ""


def lay_out(first: Sequence[Panel], second: Sequence[Panel], names: Names) -> list[Laid]:
    """Lay out both figures' panels pair by pair; whole figures side by side if kinds of panels differ, or if they have links."""
    shared = min(len(first), len(second))
    kinds, others = ([*map(type, panels[:shared])] for panels in (first, second))
    if kinds != others or Links in kinds:
        return [
            Laid(tuple(_titled(panel, name, sole=len(panels) == 1) for panel in panels))
            for panels, name in ((first, names[0]), (second, names[1]))
        ]
    sole = sum(not isinstance(panel, Table) for panel in first) == 1
    pairs = [_pair(one, other, names, sole) for one, other in zip(first, second, strict=False)]
    alone = [(panel, name) for panels, name in zip((first, second), names, strict=True) for panel in panels[shared:]]
    return [*pairs, *(Laid((_titled(panel, name, sole=False),)) for panel, name in alone)]


def _pair(one: Panel, other: Panel, names: Names, sole: bool) -> Laid:
    """Combine two panels of one kind; they stand side by side if they can't be merged."""
    if equal(one, other):
        named = isinstance(one, Lines) and _in_one_panel(one, [(same, same) for same in one.series], names, alone=False)
        return Laid((named or one,))
    merged = _MERGED[type(one)](one, other, names, sole) if type(one) in _MERGED else Laid()
    return merged if merged.panels else Laid(_side_by_side(one, other, names, sole), merged.why)


def _side_by_side(one: Panel, other: Panel, names: Names, sole: bool) -> tuple[Panel, ...]:
    return _titled(one, names[0], sole=sole), _titled(other, names[1], sole=sole)


def _maps(one: Heatmap, other: Heatmap, names: Names, sole: bool) -> Laid:
    if why := _why_not_alike(one, other):
        return Laid(why=f"no {difference_title(names)}: {why}")
    apart = difference(one, other, names)
    apart = apart if sole else replace(apart, title=f"{one.title} · {apart.title}")
    return Laid((*_side_by_side(one, other, names, sole), apart))


def difference(first: Heatmap, second: Heatmap, names: Names) -> Heatmap:
    """Return the map second − first on a scale centred on zero; both need equal rows, columns and scale."""
    masks = [one.mask for one in (first, second) if one.mask is not None]
    mask: Mask | None = np.logical_or.reduce(masks) if masks else None
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


def _curves(one: Lines, other: Lines, names: Names, sole: bool) -> Laid:
    if one.x.role != other.x.role or one.x.title != other.x.title:
        return Laid(why=f"curves along {one.x.title} against curves along {other.x.title}")
    if measured_in(one) != measured_in(other):
        return Laid(why=f"{one.quantity} against {other.quantity}")
    x = max(one.x, other.x, key=lambda axis: len(axis.labels))
    whole = replace(one, x=x, title=_of_either(one, other), marks=tuple(dict.fromkeys((*one.marks, *other.marks))))
    pairs = _paired(one, other)
    same = [pair for pair in pairs if equal(*pair)]
    apart = [pair for pair in pairs if pair not in same]
    items = [series.label for series in _firsts(one) if series.item]
    if len(apart) <= _IN_ONE_PANEL and not (items and len(pairs) > 1):
        return Laid((_in_one_panel(whole, pairs, names, alone=len(pairs) == 1),))
    if len(pairs) > _LANES:
        return Laid()
    first, *others = [group for group in (same, *([pair] for pair in apart)) if group]
    unmarked = replace(whole, marks=tuple(replace(mark, label="") for mark in whole.marks))
    of = "" if sole else one.quantity
    lanes = [_lane(whole, first, names, of), *(_lane(unmarked, group, names, of) for group in others)]
    why = f"shown: {join_words(items)}" if len(pairs) < len(one.series) else ""
    return Laid((*(replace(lane, shares_x=True) for lane in lanes[:-1]), lanes[-1]), why)


def _lane(whole: Lines, pairs: Sequence[_Pair], names: Names, of: str) -> Lines:
    """Put equal pairs of curves, or one unequal pair, in a panel; `of`: the quantity, told where other panels have the same
    names."""
    shown = " · ".join(dict.fromkeys(series.label for pair in pairs for series in pair if series is not None))
    lane = _in_one_panel(whole, pairs, names, alone=False)
    return replace(lane, title=": ".join(filter(None, (shown, of))))


def _in_one_panel(whole: Lines, pairs: Sequence[_Pair], names: Names, *, alone: bool) -> Lines:
    """Show pairs of curves in one panel, the first of each broad; the area between a pair that differs alone is filled. Equal
    curves are one: “wavelength, A = B”; a level goes by its own name."""
    series = list[Series]()
    for one, other in pairs:
        if one is not None and equal(one, other):
            of_both = "" if one.level else " = ".join(signs_of(names))
            series.append(replace(one, label=", ".join(filter(None, (one.label, of_both)))))
        else:
            series += _labelled((one and replace(one, before=True), other), names, alone=alone)
    filled = len(pairs) == 1 and len(series) == 2 and not whole.log
    return replace(whole, series=tuple(series), filled=filled)


def _labelled(pair: Sequence[_Labelled | None], names: Names, *, alone: bool) -> list[_Labelled]:
    """Name curves or bars after their figures, alone by the whole name, else by their own label, if any, and the short name."""
    signed = (
        ", ".join(filter(None, (one.label, sign))) if one else ""
        for one, sign in zip(pair, signs_of(names), strict=True)
    )
    labels = names if alone else signed
    return [replace(one, label=label) for one, label in zip(pair, labels, strict=True) if one is not None]


def _firsts(lines: Lines) -> list[Series]:
    """Return the first curve of each item, and every curve of no item."""
    found = dict[str | int, Series]()
    for at, one in enumerate(lines.series):
        found.setdefault(one.item or at, one)
    return list(found.values())


def _paired(first: Lines, second: Lines) -> list[_Pair]:
    """Pair curves of equal items or labels; if one curve then remains on each side, pair these two."""
    sides = ([replace(one, label=one.item or one.label) for one in _firsts(lines)] for lines in (first, second))
    ours, named = next(sides), {series.label: series for series in next(sides)}
    pairs: list[_Pair] = [(series, named.pop(series.label, None)) for series in ours]
    alone = [index for index, (_, other) in enumerate(pairs) if other is None]
    if len(alone) == len(named) == 1:
        pairs[alone[0]] = pairs[alone[0]][0], named.popitem()[1]
    return [*pairs, *((None, series) for series in named.values())]


def _bars(one: Bars, other: Bars, names: Names, _sole: bool) -> Laid:
    series = list[BarSeries]()
    if equal(one.categories, other.categories, "focus") and len(one.series) == len(other.series):
        for pair in zip(one.series, other.series, strict=True):
            series += pair[:1] if equal(*pair) else _labelled(pair, names, alone=len(one.series) == 1)
    if not 0 < len(series) <= _MOST_BARS:
        return Laid()
    focus = one.categories.focus if one.categories == other.categories else None
    return Laid((replace(one, categories=replace(one.categories, focus=focus), series=tuple(series)),))


def _tables(one: Table, other: Table, names: Names, _sole: bool) -> Laid:
    """Merge two tables whose rows describe the same items: columns that differ appear for each figure, equal ones once."""
    if _items(one) != _items(other):
        one, other = _of_the_same_items(one, other)
    if _items(one) != _items(other) or len(one.header) != len(other.header):
        return Laid(tuple(_titled(table, name, sole=False) for table, name in zip((one, other), names, strict=True)))
    header, columns, signs = list[str](), list[tuple[str | float, ...]](), signs_of(names)
    sides = (zip(table.header, zip(*table.rows, strict=True), strict=True) for table in (one, other))
    for pair in zip(*sides, strict=True):
        once = pair[0] == pair[1]
        header += [pair[0][0]] if once else [f"{sign}: {head}" for sign, (head, _) in zip(signs, pair, strict=True)]
        columns += [cells for _, cells in (pair[:1] if once else pair)]
    rows = tuple(zip(*columns, strict=True))
    return Laid((replace(one, title=_of_either(one, other), header=tuple(header), rows=rows),))


def _items(table: Table) -> list[str | float]:
    return [row[0] for row in table.rows]


def _of_either(one: Panel, other: Panel) -> str:
    """The title of both panels in one."""
    return " · ".join(dict.fromkeys((one.title, other.title)))


def _of_the_same_items(one: Table, other: Table) -> tuple[Table, Table]:
    """Add to each table empty rows for the other's additional items; leave both unchanged if they share few rows."""
    sides = [{row[0]: row for row in table.rows} for table in (one, other)]
    repeats = sum(map(len, sides)) < len(one.rows) + len(other.rows)
    if repeats or one.header != other.header or 2 * len(sides[0].keys() & sides[1].keys()) < max(map(len, sides)):
        return one, other
    items = list(sides[0])
    for above, item in zip((None, *sides[1]), sides[1], strict=False):
        if item not in items:
            items.insert(0 if above is None else items.index(above) + 1, item)

    def filled(table: Table, side: dict[str | float, tuple[str | float, ...]]) -> Table:
        rows = tuple(side.get(item, (item, *[""] * (len(table.header) - 1))) for item in items)
        places = {row: items.index(cells[0]) for row, cells in enumerate(table.rows)}
        focus = None if table.focus is None else places[table.focus]
        return replace(table, rows=rows, sums=frozenset(places[row] for row in table.sums), focus=focus)

    return filled(one, sides[0]), filled(other, sides[1])


def signs_of(names: Names) -> Names:
    """Return the short form of each name: the text before its colon."""
    return tuple(name.partition(":")[0] for name in names)


def difference_title(names: Names) -> str:
    """Return the title of the second minus the first."""
    return " − ".join(reversed(signs_of(names)))


def _titled(panel: Panel, name: str, *, sole: bool) -> Panel:
    """Add the figure's name to a panel's title; if the figure has other panels, the short name follows the panel's own title."""
    return replace(panel, title=name if sole or not panel.title else f"{panel.title} · {signs_of((name,))[0]}")


def _why_not_alike(one: Heatmap, other: Heatmap) -> str:
    """Say why the cells of two maps don't correspond; empty if they do."""
    first, second = (one.rows, one.columns), (other.rows, other.columns)
    if [axis.role for axis in first] != [axis.role for axis in second]:
        return " against ".join(" by ".join(axis.role for axis in axes) for axes in (first, second))
    for axis, along, count, counted in zip(first, second, one.values.shape, other.values.shape, strict=True):
        if count != counted:
            return f"{count:,} against {counted:,} cells along {axis.title}"
        if axis.first != along.first or axis.labels != along.labels:
            return f"other cells along {axis.title}"
    return f"{one.quantity} against {other.quantity}" if measured_in(one) != measured_in(other) else ""


def measured_in(panel: Ranged | Flow | Hands) -> tuple[object, ...]:
    """Return the properties that two panels must share to get a common range: maps also what their axes count, since pairs of
    offsets can't be compared with pairs of positions."""
    match panel:
        case Heatmap():
            return Heatmap, panel.quantity, panel.scale, panel.log, panel.rows.role, panel.columns.role
        case Lines() | Slopes():
            return type(panel), panel.quantity, panel.log
        case Flow() | Hands():
            return (type(panel),)
        case _:
            return type(panel), panel.quantity


def equal(one: Any, other: Any, but: str = "") -> bool:
    """Return True if two parts of figures are equal, but for fields of this name; arrays are compared element by element."""
    if one is other:
        return True
    if type(one) is not type(other):
        return False
    if isinstance(one, np.ndarray):
        return np.array_equal(one, other)
    if isinstance(one, tuple) and not _PLAIN.issuperset(map(type, one)):
        return len(one) == len(other) and all(equal(*pair, but) for pair in zip(one, other, strict=True))
    if is_dataclass(one):
        names = (part.name for part in fields(one) if part.name != but)
        return all(equal(getattr(one, name), getattr(other, name), but) for name in names)
    return bool(one == other)


_MERGED: dict[type, Callable[..., Laid]] = {Heatmap: _maps, Lines: _curves, Bars: _bars, Table: _tables}
