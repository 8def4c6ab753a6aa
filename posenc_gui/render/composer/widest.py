"""The widest reading of several figures of one kind, such as a film's frames: what one layout for all of them must hold."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from posenc_gui.figure.axis import Axis
from posenc_gui.figure.panels import (
    Bars,
    BarSeries,
    Dials,
    Flow,
    Heatmap,
    Lines,
    Links,
    Note,
    Panel,
    Slopes,
    Table,
    table_text,
)
from posenc_gui.foundation.wording import format_number
from posenc_gui.render.drawings.slopes import labels
from posenc_gui.render.layout.heatmap_cells import longest_number
from posenc_gui.render.layout.text_fit import Measure, longest


def are_alike(frames: Sequence[Sequence[Panel]]) -> bool:
    """True if frames differ only in texts and numbers: not in the kinds of their panels, nor in the number of parts."""
    return len({tuple(map(_parts, panels)) for panels in frames}) == 1


def widest_panels(frames: Sequence[Sequence[Panel]], measure: Measure) -> list[Panel]:
    """For each place in frames that are alike, a panel whose texts need as much room as those of any frame's panel."""
    return [same[0] if len(same) == 1 else _widest(same, measure) for same in zip(*frames, strict=True)]


def _parts(panel: Panel) -> tuple[object, ...]:
    """The kind of a panel, and the number of parts that have a place of their own."""
    match panel:
        case Heatmap():
            return Heatmap, panel.values.shape
        case Lines():
            return Lines, len(panel.series), panel.shares_x
        case Bars():
            return Bars, len(panel.categories.labels), len(panel.series)
        case Dials():
            return Dials, len(panel.dials)
        case Links():
            return Links, len(panel.left.labels), len(panel.right.labels)
        case Flow():
            return Flow, len(panel.keys)
        case Table():
            return Table, len(panel.header), len(panel.rows)
        case _:
            return (type(panel),)


def _widest(panels: Sequence[Panel], measure: Measure) -> Panel:
    return replace(_widest_inside(panels, measure), title=_longest((panel.title for panel in panels), measure))


def _widest_inside(panels: Sequence[Panel], measure: Measure) -> Panel:
    """A panel as wide as any of these, which are of one kind, but for its title."""
    if isinstance(panels[0], Flow):  # its columns never move
        return panels[0]
    return _WIDEST[type(panels[0])](panels, measure)


def _longest(texts: Iterable[str], measure: Measure) -> str:
    return max(texts, key=measure)


def _map(maps: Sequence[Heatmap], measure: Measure) -> Heatmap:
    """The map with the longest number, with all maps' longest labels."""
    rows, columns = _axis([one.rows for one in maps], measure), _axis([one.columns for one in maps], measure)
    quantity = _longest((one.quantity for one in maps), measure)
    found = max(maps, key=lambda one: longest_number(one, measure))
    return replace(found, quantity=quantity, rows=rows, columns=columns)


def _axis(axes: Sequence[Axis], measure: Measure) -> Axis:
    labels = zip(*(axis.labels for axis in axes), strict=False)
    return replace(axes[0], labels=tuple(_longest(same, measure) for same in labels))


def _curves(panels: Sequence[Lines], measure: Measure) -> Lines:
    """Curves with the longest labels, and with the marks of all panels."""
    series = tuple(
        replace(same[0], label=_longest((one.label for one in same), measure))
        for same in zip(*(panel.series for panel in panels), strict=True)
    )
    marks = {(mark.x, mark.label): mark for panel in panels for mark in panel.marks}
    return replace(panels[0], series=series, marks=tuple(marks.values()))


def _bars(panels: Sequence[Bars], measure: Measure) -> Bars:
    """Bars with the longest numbers and labels."""
    series = tuple(_bar_series(same, measure) for same in zip(*(panel.series for panel in panels), strict=True))
    return replace(panels[0], categories=_axis([panel.categories for panel in panels], measure), series=series)


def _bar_series(same: Sequence[BarSeries], measure: Measure) -> BarSeries:
    values = [
        max(numbers, key=lambda number: measure(format_number(number)))
        for numbers in zip(*(one.values.tolist() for one in same), strict=True)
    ]
    return BarSeries(_longest((one.label for one in same), measure), np.array(values, same[0].values.dtype))


def _dials(panels: Sequence[Dials], measure: Measure) -> Dials:
    dials = tuple(
        replace(
            same[0],
            label=_longest((dial.label for dial in same), measure),
            reading=_longest((dial.reading for dial in same), measure),
        )
        for same in zip(*(panel.dials for panel in panels), strict=True)
    )
    return replace(panels[0], dials=dials)


def _links(panels: Sequence[Links], measure: Measure) -> Links:
    left, right = _axis([one.left for one in panels], measure), _axis([one.right for one in panels], measure)
    return replace(panels[0], left=left, right=right)


def _slopes(panels: Sequence[Slopes], measure: Measure) -> Slopes:
    """The slopes with the longest label."""
    return max(
        panels, key=lambda panel: longest((f"{one.value} {one.name}{one.place}" for one in labels(panel)), measure)
    )


def _table(panels: Sequence[Table], measure: Measure) -> Table:
    """A table whose every cell is the longest of those in its place."""
    header = tuple(_longest(same, measure) for same in zip(*(panel.header for panel in panels), strict=True))
    rows = tuple(
        tuple(max(same, key=lambda cell: measure(table_text(cell))) for same in zip(*row, strict=True))
        for row in zip(*(panel.rows for panel in panels), strict=True)
    )
    return replace(panels[0], header=header, rows=rows)


def _note(notes: Sequence[Note], measure: Measure) -> Note:
    return max(notes, key=lambda note: measure(note.text))


_WIDEST: dict[type[Panel], Callable[[Any, Measure], Panel]] = {
    Heatmap: _map, Lines: _curves, Bars: _bars, Dials: _dials, Links: _links, Slopes: _slopes, Table: _table, Note: _note
}  # fmt: skip
