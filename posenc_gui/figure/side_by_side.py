"""Figures of one plot laid beside each other, on one scale and one range of each axis.

Maps stand as first, second and second − first; curves as a broad one and a fine one; bars, dials and tables as they read
best. What is the same in both is shown once. Where no difference means anything, the caption says why.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from itertools import chain

import numpy as np

from posenc_gui.figure.figure import (
    Axis,
    Bars,
    BarSeries,
    Dials,
    Figure,
    Heatmap,
    Lines,
    Links,
    Mask,
    Panel,
    Run,
    Series,
    Slopes,
    Table,
    symmetric_range,
)

_IN_ONE_PANEL = 2  # curves of each side that are told apart in one panel
_LANES = 6  # of them that get a lane each, one below the other, if they are no more
_PLAIN = frozenset((int, float, str))  # what a tuple holds that is compared as it is
_CURVES_ACROSS = 2  # panels of curves side by side

Names = tuple[str, str]
Ranged = Heatmap | Lines | Bars | Links | Slopes
_Pair = tuple[Series | None, Series | None]


@dataclass(frozen=True)
class _Laid:
    """What panels of the same place become, and why there is no difference among it where one would stand."""

    panels: tuple[Panel, ...]
    why: str = ""


def beside(first: Figure, second: Figure, names: Names) -> Figure:
    """Two figures of one plot as one; where a name must be short, it is what stands before its colon: "A: base 10,000"."""
    signs = _signs(names)
    first, second = on_one_scale((first, second))
    if _equal(first.panels, second.panels):
        if first.is_note:
            return first
        return replace(first, caption=_joined(f"the same for {' and '.join(signs)}", *_captions(first, second, signs)))
    laid = _laid(first.panels, second.panels, names)
    panels = tuple(chain.from_iterable(one.panels for one in laid))
    broad = any(map(_has_broad, panels)) and not any(map(_has_broad, (*first.panels, *second.panels)))
    drawn = f"{signs[0]} broad, {signs[1]} fine" if broad else ""
    whys = (one.why for one in laid)
    return replace(
        first,
        panels=panels,
        across=_across((first, second), laid),
        headline=_headline(first, second, signs),
        caption=_joined(drawn, *_untold(names, panels), _scale(first, second), *whys, *_captions(first, second, signs)),
        description=f"{names[0]}. {first.description} {names[1]}. {second.description}",
    )


def before_and_now(first: Figure, second: Figure, names: Names = ("Before", "Now")) -> Figure:
    """A figure that was pinned and the one at hand as one, under these names.

    Maps that are read together keep their row, the pinned one's above that of now. Where one of them alone differs, all
    stand in one row. Differences and slopes would take the room that the maps need for their numbers.
    """
    n_maps = sum(isinstance(panel, Heatmap) for panel in first.panels)
    if n_maps < 2 or _kinds(first.panels) != _kinds(second.panels) or any(figure.across for figure in (first, second)):
        return beside(first, second, names)
    before, now = (
        [panel for panel in figure.panels if not isinstance(panel, Slopes)] for figure in on_one_scale((first, second))
    )
    same = [panel for one, panel in zip(before, now, strict=True) if _equal(one, panel)]
    if len(same) != len(now) - 1:
        same = []
    panels = same + [
        replace(panel, title=f"{sign}: {panel.title}")
        for sign, row in zip(_signs(names), (before, now), strict=True)
        for panel in row
        if not any(_equal(panel, one) for one in same)
    ]
    return replace(
        second,
        panels=tuple(panels),
        across=len(panels) if same else len(now),
        headline=_headline(first, second, _signs(names)),
        caption=_joined(
            *_untold(names, tuple(panels)), _scale(first, second), *_captions(first, second, _signs(names))
        ),
        description=f"{names[0]}. {first.description} {names[1]}. {second.description}",
    )


def maps(first: Heatmap, second: Heatmap, names: Names) -> tuple[Heatmap, Heatmap, Heatmap]:
    """Two maps of the same rows and columns on one scale already, under their names, and second − first."""
    return replace(first, title=names[0]), replace(second, title=names[1]), _difference(first, second, names)


def on_one_scale(figures: Sequence[Figure]) -> tuple[Figure, ...]:
    """The figures with one range for all panels of the same place, kind and quantity, so that they can be compared."""
    ranges: dict[object, tuple[float, float]] = {}
    for figure in figures:
        for index, panel in enumerate(figure.panels):
            if isinstance(panel, Ranged) and not _fits_any_range(panel):
                place, (low, high) = (index, _measured_in(panel)), _range(panel)
                least, most = ranges.get(place, (low, high))
                ranges[place] = min(low, least), max(high, most)

    def scaled(index: int, panel: Panel) -> Panel:
        if not isinstance(panel, Ranged) or (index, _measured_in(panel)) not in ranges:
            return panel
        low, high = ranges[index, _measured_in(panel)]
        return replace(panel, high=high) if isinstance(panel, Links) else replace(panel, low=low, high=high)

    return tuple(
        replace(figure, panels=tuple(scaled(index, panel) for index, panel in enumerate(figure.panels)))
        for figure in figures
    )


def multiples(figures: Sequence[Figure], names: Sequence[str]) -> Figure:
    """Figures of one plot as small multiples on one scale; what is the same in all of them stands once."""
    figures = on_one_scale([_without_tables(one) for one in figures])
    first = figures[0]
    alike = len({_kinds(one.panels) for one in figures}) == 1
    same = {
        index
        for index, panel in enumerate(first.panels)
        if alike and all(_equal(one.panels[index], panel) for one in figures)
    }
    panels = [first.panels[index] for index in sorted(same)]
    each = len(first.panels) - len(same)
    for name, figure in zip(names, figures, strict=True):
        own = [panel for index, panel in enumerate(figure.panels) if index not in same]
        panels += [replace(panel, title=name if len(own) == 1 else f"{name} · {panel.title}") for panel in own]
    captions = [one.caption.split(" · ") for one in figures]
    return replace(
        first,
        panels=tuple(panels),
        across=each if each > 1 else None,
        headline=(),
        caption=_joined(
            "one scale" if each else f"the same for all {len(figures)}",
            *(part for part in captions[0] if all(part in other for other in captions)),
        ),
        description=" ".join(f"{name}. {one.description}" for name, one in zip(names, figures, strict=True)),
    )


def _without_tables(figure: Figure) -> Figure:
    """What is drawn: tables of many pictures would be in the way, unless there is nothing else."""
    drawn = tuple(panel for panel in figure.panels if not isinstance(panel, Table))
    return replace(figure, panels=drawn or figure.panels)


# --- Panels of the same place ---------------------------------------------------------------------------------------


def _laid(first: tuple[Panel, ...], second: tuple[Panel, ...], names: Names) -> list[_Laid]:
    """What becomes of both figures' panels, pair by pair; whole side by side where they aren't of the same kinds."""
    shared = min(len(first), len(second))
    if _kinds(first[:shared]) != _kinds(second[:shared]) or Links in _kinds(first):
        return [
            _Laid(tuple(_titled(panel, name, sole=len(panels) == 1) for panel in panels))
            for panels, name in ((first, names[0]), (second, names[1]))
        ]
    sole = sum(not isinstance(panel, Table) for panel in first) == 1
    pairs = [
        _Laid((one,)) if _equal(one, other) else _pair(one, other, names, sole=sole)
        for one, other in zip(first, second, strict=False)
    ]
    alone = [(panel, name) for panels, name in zip((first, second), names, strict=True) for panel in panels[shared:]]
    return [*pairs, *(_Laid((_titled(panel, name, sole=False),)) for panel, name in alone)]


def _pair(one: Panel, other: Panel, names: Names, *, sole: bool) -> _Laid:
    if isinstance(one, Heatmap) and isinstance(other, Heatmap):
        return _maps(one, other, names, sole=sole)
    if isinstance(one, Lines) and isinstance(other, Lines):
        return _curves(one, other, names, sole=sole)
    if isinstance(one, Bars) and isinstance(other, Bars):
        return _bars(one, other, names, sole=sole)
    if isinstance(one, Table) and isinstance(other, Table):
        return _tables(one, other, names)
    return _side_by_side(one, other, names, sole=sole)


def _side_by_side(one: Panel, other: Panel, names: Names, *, sole: bool, why: str = "") -> _Laid:
    return _Laid((_titled(one, names[0], sole=sole), _titled(other, names[1], sole=sole)), why)


def _maps(one: Heatmap, other: Heatmap, names: Names, *, sole: bool) -> _Laid:
    why = _why_not_alike((one.rows, one.columns), (other.rows, other.columns), one.values.shape, other.values.shape)
    if _measured_in(one) != _measured_in(other):
        why = why or f"{one.quantity} against {other.quantity}"
    if why:
        return _side_by_side(one, other, names, sole=sole, why=_no_difference(names, why))
    if sole:
        return _Laid(maps(one, other, names))
    apart = _difference(one, other, names)
    apart = replace(apart, title=f"{one.title} · {apart.title}")
    return _Laid((*_side_by_side(one, other, names, sole=sole).panels, apart))


def _difference(first: Heatmap, second: Heatmap, names: Names) -> Heatmap:
    """Second − first on a scale centred on zero."""
    mask = _either(first.mask, second.mask)
    values = second.values - first.values if mask is None else (second.values - first.values) * ~mask
    title = " − ".join(reversed(_signs(names)))
    low, high = symmetric_range(values)
    rows, columns = first.rows, first.columns
    absent = first.absent if first.mask is not None else second.absent
    shown = Heatmap(title, title, values, rows, columns, low, high, "diverging", mask, absent=absent)
    return replace(shown, difference=True, part=first.part)


def _curves(one: Lines, other: Lines, names: Names, *, sole: bool) -> _Laid:
    if one.x.role != other.x.role or one.x.title != other.x.title:
        return _side_by_side(one, other, names, sole=sole, why=f"{_along(one.x)} against {_along(other.x)}")
    if _measured_in(one) != _measured_in(other):
        return _side_by_side(one, other, names, sole=sole, why=f"{one.quantity} against {other.quantity}")
    one = replace(
        one,
        x=max(one.x, other.x, key=lambda axis: len(axis.labels)),
        title=one.title if one.title == other.title else f"{one.title} · {other.title}",
        marks=tuple(dict.fromkeys((*one.marks, *other.marks))),
    )
    pairs, signs = _paired(one.series, other.series), _signs(names)
    same = tuple(pair for pair in pairs if _equal(*pair))
    apart = [pair for pair in pairs if pair not in same]
    if len(apart) <= _IN_ONE_PANEL:
        alone = len(pairs) == 1
        series = (_both(pair, names if alone else _signed(pair, names), _label(pair)) for pair in pairs)
        filled = alone and None not in pairs[0] and not one.log
        return _Laid((replace(one, series=tuple(chain.from_iterable(series)), filled=filled),))
    if len(pairs) <= _LANES:
        unmarked = replace(one, marks=tuple(replace(mark, label="") for mark in one.marks))
        first, *others = [group for group in (same, *((pair,) for pair in apart)) if group]
        lanes = [_lane(one, first, signs), *(_lane(unmarked, pairs, signs) for pairs in others)]
        return _Laid((*(replace(lane, shares_x=True) for lane in lanes[:-1]), lanes[-1]))
    return _side_by_side(one, other, names, sole=sole)


def _lane(whole: Lines, pairs: tuple[_Pair, ...], signs: Names) -> Lines:
    """Some pairs of curves in a panel of their own: those that are equal, or one that is not, filled between both."""
    series = (_both(pair, _signed(pair, signs), f"{_label(pair)}, {' = '.join(signs)}") for pair in pairs)
    filled = not whole.log and len(pairs) == 1 and None not in pairs[0] and not _equal(*pairs[0])
    title = " · ".join(map(_label, pairs))
    return replace(whole, title=title, series=tuple(chain.from_iterable(series)), filled=filled)


def _paired(first: tuple[Series, ...], second: tuple[Series, ...]) -> list[_Pair]:
    """Each curve with that of the same name; where only one is left on each side, these two."""
    named = {series.label: series for series in second}
    pairs: list[_Pair] = [(series, named.pop(series.label, None)) for series in first]
    alone = [index for index, (_, other) in enumerate(pairs) if other is None]
    if len(alone) == len(named) == 1:
        pairs[alone[0]] = pairs[alone[0]][0], named.popitem()[1]
    return [*pairs, *((None, series) for series in named.values())]


def _both(pair: _Pair, labels: Names, same: str) -> tuple[Series, ...]:
    """The curves of a pair, the first one broad; one where they are the same."""
    one, other = pair
    if one is not None and _equal(one, other):
        return (replace(one, label=same),)
    broad = () if one is None else (replace(one, label=labels[0], before=True),)
    return broad if other is None else (*broad, replace(other, label=labels[1]))


def _signed(pair: _Pair, names: Names) -> Names:
    """What each curve of a pair is called among others: by its own name, where it has one, and its side."""
    labels = ("" if series is None else series.label for series in pair)
    first, second = (", ".join(filter(None, told)) for told in zip(labels, _signs(names), strict=True))
    return first, second


def _label(pair: _Pair) -> str:
    return " · ".join(dict.fromkeys(series.label for series in pair if series is not None))


def _bars(one: Bars, other: Bars, names: Names, *, sole: bool) -> _Laid:
    categories = replace(one.categories, focus=other.categories.focus)
    if categories != other.categories or len(one.series) != len(other.series):
        return _side_by_side(one, other, names, sole=sole)
    if one.categories != other.categories:
        categories = replace(categories, focus=None)
    series: list[BarSeries] = []
    for first, second in zip(one.series, other.series, strict=True):
        labels = names if len(one.series) == 1 else [f"{bar.label}, {sign}" for bar, sign in
                                                     zip((first, second), _signs(names), strict=True)]  # fmt: skip
        both = (replace(bar, label=label) for bar, label in zip((first, second), labels, strict=True))
        series += (first,) if _equal(first, second) else both
    return _Laid((replace(one, categories=categories, series=tuple(series)),))


def _tables(one: Table, other: Table, names: Names) -> _Laid:
    """One table with columns for each, where their lines are of the same things; what is the same has one column."""
    if [row[0] for row in one.rows] != [row[0] for row in other.rows]:
        one, other = _of_the_same_things(one, other)
    if [row[0] for row in one.rows] != [row[0] for row in other.rows] or len(one.header) != len(other.header):
        return _side_by_side(one, other, names, sole=False)
    header: list[str] = []
    columns: list[tuple[str | float, ...]] = []
    signs = _signs(names)
    for heads, cells in zip(
        zip(one.header, other.header, strict=True),
        zip(zip(*one.rows, strict=True), zip(*other.rows, strict=True), strict=True),
        strict=True,
    ):
        once = heads[0] == heads[1] and cells[0] == cells[1]
        header += heads[:1] if once else [f"{sign}: {head}" for sign, head in zip(signs, heads, strict=True)]
        columns += cells[:1] if once else cells
    title = one.title if one.title == other.title else f"{one.title} · {other.title}"
    return _Laid((replace(one, title=title, header=tuple(header), rows=tuple(zip(*columns, strict=True))),))


def _of_the_same_things(one: Table, other: Table) -> tuple[Table, Table]:
    """Both tables with the lines of either, empty where one has no such line; as they are where few lines are in both."""
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


# --- Words ----------------------------------------------------------------------------------------------------------


def _headline(first: Figure, second: Figure, signs: Names) -> tuple[Run, ...]:
    if first.headline == second.headline:
        return first.headline
    both = zip(signs, (first.headline, second.headline), strict=True)
    told = [(Run(f"{sign}: "), *headline) for sign, headline in both if headline]
    return tuple(chain.from_iterable((Run(" "), *runs) if at else runs for at, runs in enumerate(told)))


def _captions(first: Figure, second: Figure, signs: Names) -> tuple[str, ...]:
    """What both captions say once; then what each says alone."""
    parts = [one.caption.split(" · ") for one in (first, second)]
    common = [part for part in parts[0] if part in parts[1]]
    own = (", ".join(part for part in side if part not in common) for side in parts)
    return (*common, *(f"{sign}: {words}" for sign, words in zip(signs, own, strict=True) if words))


def _joined(*captions: str) -> str:
    """One caption that says what these say, each part once."""
    parts = chain.from_iterable(caption.split(" · ") for caption in captions if caption)
    return " · ".join(dict.fromkeys(parts))


def _signs(names: Names) -> Names:
    """What stands for a name where there is little room."""
    return _sign(names[0]), _sign(names[1])


def _sign(name: str) -> str:
    return name.partition(":")[0]


def _titled(panel: Panel, name: str, *, sole: bool) -> Panel:
    """The panel under a name; behind its own title, where it isn't the only one, its sign is enough."""
    return replace(panel, title=name if sole or not panel.title else f"{panel.title} · {_sign(name)}")


def _has_broad(panel: Panel) -> bool:
    return isinstance(panel, Lines) and any(series.before for series in panel.series)


def _untold(names: Names, panels: tuple[Panel, ...]) -> Names | tuple[()]:
    """The names, where no panel and no curve of it says them in full."""
    told = [panel.title for panel in panels]
    told += [one.label for panel in panels if isinstance(panel, Lines | Bars) for one in panel.series]
    return () if all(name in told for name in names) else names


def _scale(first: Figure, second: Figure) -> str:
    """That sizes can be compared, where all that stands in the same place is measured alike."""
    panels = zip(first.panels, second.panels, strict=False)
    ranged = [(one, other) for one, other in panels if isinstance(one, Ranged) and isinstance(other, Ranged)]
    return "one scale" if ranged and all(_measured_in(one) == _measured_in(other) for one, other in ranged) else ""


def _no_difference(names: Names, why: str) -> str:
    return f"no {' − '.join(reversed(_signs(names)))}: {why}"


def _why_not_alike(
    first: tuple[Axis, Axis], second: tuple[Axis, Axis], shape: tuple[int, ...], other_shape: tuple[int, ...]
) -> str:
    """Why the cells of two maps are not of the same things; empty where they are."""
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


# --- Ranges and rows ------------------------------------------------------------------------------------------------


def _measured_in(panel: Ranged) -> tuple[object, ...]:
    """What must be the same for two panels to have one range."""
    match panel:
        case Heatmap():
            return Heatmap, panel.quantity, panel.scale, panel.log
        case Lines() | Slopes():
            return type(panel), panel.quantity, panel.log
        case _:
            return type(panel), panel.quantity


def _range(panel: Ranged) -> tuple[float, float]:
    return (0.0, panel.high) if isinstance(panel, Links) else (panel.low, panel.high)


def _fits_any_range(panel: Ranged) -> bool:
    """Whether a map has no range of its own: no number in it differs from zero."""
    return isinstance(panel, Heatmap) and panel.scale == "diverging" and not panel.values.any()


def _across(figures: tuple[Figure, Figure], laid: Sequence[_Laid]) -> int | None:
    """How many panels stand side by side: of links one figure's, of dials and lanes one, of curves two, of maps three, or
    two where there is no difference."""
    panels = tuple(chain.from_iterable(one.panels for one in laid))
    drawn = [panel for panel in panels if not isinstance(panel, Table)]
    if any(isinstance(panel, Lines) and panel.shares_x for panel in panels):
        return 1
    if any(isinstance(panel, Links) for panel in panels):
        return max(len(figure.panels) for figure in figures)
    if drawn and all(isinstance(panel, Dials) for panel in drawn):
        return 1
    if len(drawn) > 1 and all(isinstance(panel, Lines) for panel in drawn):
        return _CURVES_ACROSS
    return max(len(one.panels) for one in laid) if len(drawn) > 3 else None


def _either(mask: Mask | None, other: Mask | None) -> Mask | None:
    if mask is None or other is None:
        return other if mask is None else mask
    return mask | other


def _kinds(panels: tuple[Panel, ...]) -> tuple[type, ...]:
    return tuple(type(panel) for panel in panels)


def _equal(one: object, other: object) -> bool:
    """Whether two parts of figures show the same, arrays compared number by number."""
    if one is other:
        return True
    if type(one) is not type(other):
        return False
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        return np.array_equal(one, other)
    if isinstance(one, tuple) and isinstance(other, tuple):
        if _PLAIN.issuperset(map(type, one)):
            return one == other
        return len(one) == len(other) and all(map(_equal, one, other))
    if is_dataclass(one) and is_dataclass(other):
        return all(_equal(getattr(one, part.name), getattr(other, part.name)) for part in fields(one))
    return bool(one == other)
