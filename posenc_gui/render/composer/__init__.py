"""The composer: how the panels of a figure share a rectangle, for every output.

`arrangements` are the ways in which the panels may stand, `placement` gives each panel its place in one of them, and `merit`
says which is best. Lengths are in the target's unit; y runs downwards from the rectangle's upper left corner.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from posenc_gui.figure.panels import Panel
from posenc_gui.render.composer.arrangements import Arrangement, arrangements
from posenc_gui.render.composer.merit import have_numbers, merit
from posenc_gui.render.composer.parts import Target
from posenc_gui.render.composer.placement import place
from posenc_gui.render.layout import lanes
from posenc_gui.render.layout.cell_labels import CellLabels, NumberStyle, is_square, numbers_fit
from posenc_gui.render.layout.composition import Composition
from posenc_gui.render.layout.rect import Rect
from posenc_gui.render.layout.type_sizes import Style

_FILLED = 0.7  # of the area: maps that fill less have oblong cells
_OBLONG = 2.0  # the longer side of such a cell, relative to the other
_LEAST_BREADTH = 8.0  # lines of labels: of a panel in a row that a figure asks for


def compose(
    panels: Sequence[Panel],
    across: int | None,
    width: float,
    height: float,
    style: Style,
    *,
    headed: Panel | None = None,
    grows: bool = False,
    closer: Mapping[Panel, tuple[float, float]] = MappingProxyType({}),
    like: Composition | None = None,
    bands: Sequence[str] = (),
) -> Composition:
    """Arrange panels, `across` in a row or as many as are best, in a rectangle of this size.

    There is at least one panel, and no table. Panels that repeat what others show may be left out: slopes, then differences.
    headed: the panel whose title stands elsewhere. grows: the rectangle gets higher where panels would be too low to be read.
    closer: how many times as high and as broad cells of a zoomed map are than those of the whole. like: a composition of as
    many panels of the same kinds and sizes in this rectangle, whose arrangement stays. bands: the names of the rows, if each is
    a band of its own; all their panels are shown.
    """
    target = Target(Rect(0.0, 0.0, width, height), style, CellLabels(style), headed, grows, closer, tuple(bands))
    room = target.room
    if like is not None:
        target = replace(target, below_maps=max((one.room.bottom - one.plot.bottom for one in like.maps), default=0.0))
        kept = [tuple(panels[at] for at in row) for row in like.order]
        tried: Iterable[Arrangement] = [Arrangement(kept, asked=across is not None, below=like.below)]
    elif target.bands:
        tried = [Arrangement(lanes.split_into_rows(panels, len(panels) // len(target.bands)))]
    else:
        tried = arrangements(panels, across, int(room.width / (_LEAST_BREADTH * style.label.line)))
    placed = [(arrangement, _numbered(arrangement, target, panels)) for arrangement in tried]
    best, found = max(placed, key=lambda one: merit(one[1], room.width, room.height, style))
    return _filling(best, found, target, panels)


def _numbered(arrangement: Arrangement, target: Target, panels: Sequence[Panel]) -> Composition:
    """The composition of an arrangement, with oblong cells where these have room for numbers and square ones don't."""
    found = place(arrangement, target, panels)
    if not _may_be_oblong(arrangement) or not _would_have_numbers(found, target.style):
        return found
    oblong = place(arrangement, replace(target, longest_side=_OBLONG), panels)
    return oblong if have_numbers(oblong.maps, target.style) else found


def _filling(arrangement: Arrangement, found: Composition, target: Target, panels: Sequence[Panel]) -> Composition:
    """The composition of an arrangement, with oblong cells where maps would leave much of their room empty."""
    share = found.bounds.width * found.bounds.height / (target.room.width * found.height)
    if not _may_be_oblong(arrangement) or share >= _FILLED:
        return found
    return place(arrangement, replace(target, longest_side=_OBLONG), panels)


def _may_be_oblong(arrangement: Arrangement) -> bool:
    return bool(arrangement.maps) and all(map(is_square, arrangement.maps))


def _would_have_numbers(found: Composition, style: Style) -> bool:
    """True if numbers have no room in the cells as they are, but would in oblong ones."""
    smallest = NumberStyle(style.small, brief=True)
    return not have_numbers(found.maps, style) and all(
        numbers_fit([one.panel], _OBLONG * min(one.cell), min(one.cell), smallest) for one in found.maps
    )
