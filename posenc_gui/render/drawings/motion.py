"""What is drawn while a panel goes from its former state to the present one, and of its former state afterwards.

Panels move for 250 ms; a faint mark of the former state stays for 500 ms and fades within a second. A map's cells, slopes
and hands of clocks move; everything else switches at once.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from posenc_gui.figure.axis import TOKEN_ROLES, Axis, Pointer
from posenc_gui.figure.panels import Clocks, Hands, Heatmap, Panel, Slopes
from posenc_gui.figure.panels.clocks import Angles
from posenc_gui.figure.panels.hands import Tips
from posenc_gui.figure.ranges import Mask, shares, steps

MOVES, FULL, FADES = 0.25, 0.5, 1.0  # seconds: of the motion, from its beginning that of the full mark, of its fading
MOST_TOKENS = 64
_FRAME, _FADING = 0.016, 0.04  # seconds from frame to frame while something moves, and while marks fade
_CELL = 0.03  # share of the scale from which on a changed cell has a mark
_LINE = 0.005  # share of the scale from which on a slope's end has moved
_MOST_MOVING = 32  # rows or columns of a map that move to their places; of more, the cells alone change
_HAND = 0.01  # radians from which on a hand has moved

Shares = npt.NDArray[np.floating[Any]]
Steps = npt.NDArray[np.uint8]
Standing = tuple[float, ...]  # indices at which rows or columns stand, between two while they move


@dataclass(frozen=True)
class Change:
    """How a figure follows from the one before it: `places` holds the former index of the token at each place; it is empty if
    all stayed. `still`: nothing moves, only the marks are shown. `moved`: the former index of the token that was moved, if one
    was: two neighbours that changed places don't tell. `drag`: the number of the drag to which it belongs, if it does: marks
    are of the state in which that began, and stay until it ends."""

    places: tuple[int, ...] = ()
    still: bool = False
    moved: int | None = None
    drag: int | None = None

    def after(self, earlier: Change) -> Change:
        """Return this change and the one before it as one, which nothing moves for."""
        places, moved = self.places or earlier.places, self.moved if self.places else earlier.moved
        if self.places and earlier.places:
            places = tuple(earlier.places[place] for place in self.places)
            moved = None if moved is None else earlier.places[moved]
        return Change(places, still=True, moved=moved, drag=self.drag)


@dataclass(frozen=True)
class Moment:
    """A moment of a change: the share of the way that is done, and the opacity of the marks; both from 0 to 1."""

    share: float
    mark: float


REST = Moment(1.0, 0.0)


def moment(seconds: float, change: Change) -> Moment:
    """Return the moment at some time after a change: out-cubic, and marks that fade linearly, but for those of a drag."""
    share = 1.0 if change.still else 1 - (1 - min(1.0, seconds / MOVES)) ** 3
    return Moment(share, 1.0 if change.drag is not None else max(0.0, min(1.0, (FULL + FADES - seconds) / FADES)))


def until_next(seconds: float, change: Change) -> float | None:
    """Return the time in seconds until something else is drawn than some time after a change; None before a drag's end."""
    if not change.still and seconds < MOVES:
        return _FRAME
    return None if change.drag is not None else max(_FADING, FULL - seconds)


@dataclass(frozen=True, eq=False)
class CellMotion:
    """The cells of a map: their colour steps before and now, on the present scale, and those that have changed, which have a
    mark; each (rows, columns). `left`: the indices at which the token stood that moved, (rows, columns); `places`: the former
    index of each row and column that moves with it, empty if none does."""

    former: Steps
    now: Steps
    changed: Mask
    left: tuple[tuple[int, ...], tuple[int, ...]] = (), ()
    places: tuple[tuple[int, ...], tuple[int, ...]] = (), ()

    def stand(self, share: float) -> tuple[Standing, Standing] | None:
        """Where rows and columns stand after a share of the way, as indices; None if they stand in their places."""
        if share >= 1 or not any(self.places):
            return None
        rows, columns = (
            tuple(place + share * (at - place) for at, place in enumerate(places or range(count)))
            for places, count in zip(self.places, self.now.shape, strict=True)
        )
        return rows, columns

    @property
    def above(self) -> tuple[frozenset[int], frozenset[int]]:
        """The rows and columns of the token that moved, which pass above the others."""
        rows, columns = (
            frozenset(places.index(place) for place in left[:1] if places)
            for places, left in zip(self.places, self.left, strict=True)
        )
        return rows, columns

    def at(self, share: float) -> Steps:
        """The colour steps after a share of the way."""
        between: Steps = np.rint(self.former + share * (self.now.astype(np.float32) - self.former)).astype(np.uint8)
        return between


@dataclass(frozen=True, eq=False)
class SlopeMotion:
    """The heights of the ends of slopes, (lines, 2), before and now; a line that wasn't there stands still. `changed` holds
    the indices of lines of which an end moved."""

    former: Shares
    now: Shares
    changed: tuple[int, ...]

    def at(self, share: float) -> Shares:
        """The heights after a share of the way."""
        return self.former + share * (self.now - self.former)


@dataclass(frozen=True, eq=False)
class ClockMotion:
    """The angles of hands, (clocks, hands), before and now; `changed` holds the indices of clocks on which one moved."""

    former: Angles
    now: Angles
    changed: tuple[int, ...]

    def at(self, share: float) -> Angles:
        """The angles after a share of the way: hands take the shorter way round."""
        return self.now - (1 - share) * _turns(self.former, self.now)


@dataclass(frozen=True, eq=False)
class HandsMotion:
    """Two hands before and now, on the same clocks."""

    former: Hands
    now: Hands

    def at(self, share: float) -> Hands:
        """The hands after a share of the way: each takes the shorter way round."""
        pairs = zip(self.former.keys, self.now.keys, strict=True)
        keys = tuple(replace(now, tips=_turned(before.tips, now.tips, share)) for before, now in pairs)
        return replace(self.now, tips=_turned(self.former.tips, self.now.tips, share), keys=keys)


Motion = CellMotion | SlopeMotion | ClockMotion | HandsMotion


def motions(former: Sequence[Panel], now: Sequence[Panel], change: Change) -> list[Motion | None]:
    """Return how each panel moves from its former state, None where it doesn't; all None if the panels' axes differ."""
    if len(former) != len(now) or not all(map(lambda one, other: _alike(one, other, change.places), former, now)):
        return [None for _ in now]
    return list(map(lambda one, other: _motion(one, other, change), former, now))


def _motion(former: Panel, now: Panel, change: Change) -> Motion | None:
    match former, now:
        case Heatmap(), Heatmap():
            return _of_cells(former, now, change)
        case Slopes(), Slopes():
            return _of_slopes(former, now, change.places)
        case Clocks(), Clocks():
            return _of_clocks(former, now, change.places)
        case Hands(), Hands():
            return _of_hands(former, now)
    return None


def _alike(former: Panel, now: Panel, places: tuple[int, ...]) -> bool:
    """True if two panels have equal axes, but for the order of tokens, and few cells."""
    match former, now:
        case Heatmap(), Heatmap():
            axes = (former.rows, now.rows), (former.columns, now.columns)
            fits = former.part is None and now.part is None and max(now.values.shape) <= MOST_TOKENS
            same = former.values.shape == now.values.shape and former.quantity == now.quantity
            return fits and same and all(_same_axis(*pair, places) for pair in axes)
        case Slopes(), Slopes():
            return former.quantity == now.quantity and _same_axis(former.cells, now.cells, places)
        case Clocks(), Clocks():
            same = (former.labels, former.pairs) == (now.labels, now.pairs)
            return same and sorted(hand.at for hand in former.hands) == sorted(_stood(now, places))
        case Hands(), Hands():
            alike = (former.query, former.columns, former.rows) == (now.query, now.columns, now.rows)
            return alike and [key.at for key in former.keys] == [key.at for key in now.keys]
    return type(former) is type(now)


def _same_axis(former: Axis, now: Axis, places: tuple[int, ...]) -> bool:
    if (former.role, former.first, len(former.labels)) != (now.role, now.first, len(now.labels)):
        return False
    if not places or now.role not in TOKEN_ROLES:
        return former.labels == now.labels
    return len(places) == len(now.labels) and tuple(former.labels[place] for place in places) == now.labels


def _of_cells(former: Heatmap, now: Heatmap, change: Change) -> CellMotion | None:
    values, hidden, places = former.values, _mask_of(former), change.places
    if places and now.rows.role in TOKEN_ROLES:
        values, hidden = values[list(places)], hidden[list(places)]
    if places and now.columns.role in TOKEN_ROLES:
        values, hidden = values[:, list(places)], hidden[:, list(places)]
    before, after = (shares(one, now.low, now.high, now.log) for one in (values, now.values))
    seen = ~(hidden | _mask_of(now))
    gone = left_by_one(change)
    left = tuple(gone if axis.role in TOKEN_ROLES else () for axis in (now.rows, now.columns))
    if not (np.abs(after - before)[seen] > 0).any() and not any(left):
        return None
    changed = seen & (np.abs(after - before) >= _CELL)
    moves = places if gone and max(now.values.shape) <= _MOST_MOVING else ()
    rows, columns = (moves if axis.role in TOKEN_ROLES else () for axis in (now.rows, now.columns))
    return CellMotion(steps(np.where(seen, before, after)), now.steps, changed, (left[0], left[1]), (rows, columns))


def left_by_one(change: Change) -> tuple[int, ...]:
    """Return where the one token stood that moved past others; of two neighbours that changed places, both, unless one is
    known to have been moved, and none where several moved."""
    places = change.places
    if places == tuple(sorted(places)):
        return ()
    rests = ((place, [other for other in places if other != place]) for place in places)
    found = tuple(place for place, rest in rests if rest == sorted(rest))
    return (change.moved,) if change.moved in found else found


def _mask_of(panel: Heatmap) -> Mask:
    return np.zeros(panel.values.shape, np.bool_) if panel.mask is None else panel.mask


def _of_slopes(former: Slopes, now: Slopes, places: tuple[int, ...]) -> SlopeMotion | None:
    if former.of != _before(now.of, places):
        return None
    ends = now.height_of(former.values)
    before = now.heights().copy()
    for index, line in enumerate(now.lines):
        of = places[line - now.cells.first] + now.cells.first if places else line
        if of in former.lines:
            before[index] = ends[former.lines.index(of)]
    changed = np.flatnonzero(np.abs(now.heights() - before).max(axis=1) >= _LINE)
    return SlopeMotion(before, now.heights(), tuple(changed.tolist())) if changed.size else None


def _before(pointer: Pointer, places: tuple[int, ...]) -> Pointer:
    """Return where what a pointer names was before tokens moved."""
    return Pointer(tuple((role, places[at] if places and role in TOKEN_ROLES else at) for role, at in pointer.at))


def _of_clocks(former: Clocks, now: Clocks, places: tuple[int, ...]) -> ClockMotion | None:
    own = {hand.at: at for at, hand in enumerate(former.hands)}
    before = former.angles[:, [own[at] for at in _stood(now, places)]]
    changed = np.flatnonzero((np.abs(_turns(before, now.angles)) >= _HAND).any(axis=1))
    return ClockMotion(before, now.angles, tuple(changed.tolist())) if changed.size else None


def _stood(clocks: Clocks, places: tuple[int, ...]) -> list[int]:
    """The former indices of the tokens whose hands are shown."""
    return [places[hand.at] if places else hand.at for hand in clocks.hands]


def _turns(start: Angles, end: Angles) -> Angles:
    """The shorter ways round from some angles to others, from −π to π."""
    apart: Angles = (end - start + np.pi) % math.tau - np.pi
    return apart


def _of_hands(former: Hands, now: Hands) -> HandsMotion | None:
    """Return how hands move, of those that are shown; None if none does, by more than a little of the longest."""
    before, after = ([panel.tips, *(key.tips for key in panel.shown)] for panel in (former, now))
    moved = float(np.abs(np.subtract(after, before)).max())
    return HandsMotion(former, now) if moved >= _HAND * now.longest else None


def _turned(former: Tips, now: Tips, share: float) -> Tips:
    """Return the tips of hands after a share of the way from the former ones, the shorter way round the middle."""
    lengths = np.abs(former) + share * (np.abs(now) - np.abs(former))
    turned: Tips = lengths * np.exp(1j * (np.angle(now) - (1 - share) * np.angle(now * former.conj())))
    return turned
