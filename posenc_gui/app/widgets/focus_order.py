"""How the keyboard goes round the window: by Tab from stop to stop, by F6 from part to part, in the order of reading.

Qt's own order is that in which widgets were made, but cards move, and what is in them comes and goes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar
from weakref import WeakKeyDictionary

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractItemView, QAbstractSpinBox, QComboBox, QWidget

from posenc_gui.app.widgets.controls import bring_into_sight

Part = tuple[QWidget, ...]  # of the window, from top to bottom; the last is what it is there for
_Thing = TypeVar("_Thing")
_WHOLE = (QAbstractSpinBox, QComboBox, QAbstractItemView)  # Qt made what is in them


def step(parts: Iterable[Part], now: QWidget | None, forward: bool) -> bool:
    """Bring the keyboard from where it is now to the next stop or the one before, round and round.

    False where it is at none of them: what is being hidden lets it go, too.
    """
    stops = [stop for part in parts for stop in _stops(part, now)]
    if not stops or (now and now not in stops):
        return False
    _go(_beside(stops, stops.index(now) if now else None, forward), forward)
    return True


class Rounds:
    """Goes from part to part, and remembers where in each it was."""

    def __init__(self, parts: Callable[[], Iterable[Part]]) -> None:
        self._parts = parts
        self._left: WeakKeyDictionary[QWidget, QWidget] = WeakKeyDictionary()  # by the last widget of the part

    def step_part(self, now: QWidget | None, forward: bool) -> None:
        """Into the next part, or the one before: to where the keyboard was left in it, or to what it is there for."""
        found = {part: stops for part in self._parts() if (stops := [*_stops(part, now)])}
        parts = [*found]
        here = next((at for at, stops in enumerate(found.values()) if now in stops), None)
        if here is not None and now is not None:
            self._left[parts[here][-1]] = now
        part = _beside(parts, here, forward)
        left, first = self._left.get(part[-1]), next(_stops(part[-1:], now), found[part][0])
        _go(left if left and left in found[part] else first, forward)


def _beside(things: Sequence[_Thing], at: int | None, forward: bool) -> _Thing:
    """The next one, or the one before; from nowhere the first or the last."""
    if at is None:
        return things[0 if forward else -1]
    return things[(at + (1 if forward else -1)) % len(things)]


def _stops(part: Part, now: QWidget | None) -> Iterator[QWidget]:
    """Where the keyboard is now in a part, or where Tab may lead it."""
    for place in part:
        if place.isVisible() and place.isEnabled():
            leads = place.focusPolicy() & Qt.FocusPolicy.TabFocus and not place.focusProxy()
            if leads or place is now:
                yield place
            if not isinstance(place, _WHOLE):
                yield from _as_read(place, now)


def _as_read(place: QWidget, now: QWidget | None) -> Iterator[QWidget]:
    """The stops inside of a place, line by line, and each line from left to right."""
    inside = [one for one in place.children() if isinstance(one, QWidget) and not one.isWindow()]
    stops = {one: found for one in sorted(inside, key=QWidget.y) if (found := [*_stops((one,), now)])}
    lines: list[list[QWidget]] = []
    for one in stops:
        if lines and one.geometry().center().y() <= lines[-1][0].geometry().bottom():
            lines[-1].append(one)
        else:
            lines.append([one])
    for line in lines:
        for one in sorted(line, key=lambda one: (one.x(), one.y())):
            yield from stops[one]


def _go(stop: QWidget, forward: bool) -> None:
    """Bring the keyboard there, and it into sight."""
    stop.setFocus(Qt.FocusReason.TabFocusReason if forward else Qt.FocusReason.BacktabFocusReason)
    bring_into_sight(stop)
