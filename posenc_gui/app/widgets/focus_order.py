"""Focus order: Tab moves between controls and F6 between panes, in reading order.

Qt's own tab order is the order of creation, which is wrong once cards are moved or their contents change.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar
from weakref import WeakKeyDictionary

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QAbstractSpinBox, QApplication, QComboBox, QMenu, QWidget

from posenc_gui.app.widgets.controls import scroll_into_view

Pane = tuple[QWidget, ...]  # a pane's widgets from top to bottom; the last is its main one
ONE_STOP = "oneStop"  # property of what holds buttons, among which arrow keys go on
_ARROWS = (Qt.Key.Key_Left, Qt.Key.Key_Right)
_Thing = TypeVar("_Thing")
_WHOLE = (QAbstractSpinBox, QComboBox, QAbstractItemView)  # one control each, although Qt puts widgets into them


def step_focus(parts: Iterable[Pane], now: QWidget | None, forward: bool) -> bool:
    """Move the focus to the next or previous control, cyclically. Without a focused widget it begins at the first or the last
    one. Return False if there is no control, or if the focused widget is none of them, as while it is being hidden."""
    stops = [stop for part in parts for stop in _stops(part, now)]
    if not stops or (now and now not in stops):
        return False
    _go(_beside(stops, stops.index(now) if now else None, forward), forward)
    return True


class PaneCycle:
    """Moves the focus between panes, and remembers the last control in each."""

    def __init__(self, parts: Callable[[], Iterable[Pane]]) -> None:
        self._parts = parts
        self._left: WeakKeyDictionary[QWidget, QWidget] = WeakKeyDictionary()  # by the pane's main widget

    def step_part(self, now: QWidget | None, forward: bool) -> None:
        """Focus the next or previous pane: the control last used in it, or else its main one."""
        found = {part: stops for part in self._parts() if (stops := [*_stops(part, now)])}
        parts = [*found]
        here = next((at for at, stops in enumerate(found.values()) if now in stops), None)
        if here is not None and now is not None:
            self._left[parts[here][-1]] = now
        part = _beside(parts, here, forward)
        left, first = self._left.get(part[-1]), next(_stops(part[-1:], now), found[part][0])
        _go(left if left and left in found[part] else first, forward)


def _beside(things: Sequence[_Thing], at: int | None, forward: bool) -> _Thing:
    """Return the next or previous item, cyclically; if `at` is None, the first or the last."""
    if at is None:
        return things[0 if forward else -1]
    return things[(at + (1 if forward else -1)) % len(things)]


def _stops(part: Pane, now: QWidget | None) -> Iterator[QWidget]:
    """Yield the controls of a pane that have the focus or accept it by Tab."""
    for place in part:
        if place.isVisible() and place.isEnabled():
            leads = place.focusPolicy() & Qt.FocusPolicy.TabFocus and not place.focusProxy()
            if leads or place is now:
                yield place
            if not isinstance(place, _WHOLE):
                inside = [*_as_read(place, now)]
                is_one = place.property(ONE_STOP)
                yield from (inside if not is_one else [now] if now is not None and now in inside else inside[:1])


def _as_read(place: QWidget, now: QWidget | None) -> Iterator[QWidget]:
    """Yield the controls inside a widget in reading order: line by line, each from left to right."""
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


def step_by_arrow(event: QEvent, watched: QObject, beside: Sequence[QWidget]) -> bool:
    """Move the focus from one to the next of these by the left and right arrow keys, cyclically; False for other events."""
    if not isinstance(event, QKeyEvent) or event.type() != QEvent.Type.KeyPress or event.key() not in _ARROWS:
        return False
    at = next((index for index, one in enumerate(beside) if one is watched), None)
    _beside(beside, at, event.key() == Qt.Key.Key_Right).setFocus(Qt.FocusReason.TabFocusReason)
    return True


def _go(stop: QWidget, forward: bool) -> None:
    """Focus a control, and scroll it into view."""
    stop.setFocus(Qt.FocusReason.TabFocusReason if forward else Qt.FocusReason.BacktabFocusReason)
    scroll_into_view(stop)


def keyboard_of(window: QWidget) -> QWidget | None:
    """What has the keyboard in a window or in a card that floats over it, also while a menu is open or closes, or no window
    is active."""
    taker = QApplication.focusWidget()
    return (
        window.focusWidget() if taker is None or isinstance(taker, QMenu) or not taker.window().isVisible() else taker
    )


def holds_keyboard(widget: QWidget) -> bool:
    """True if what has the keyboard in a widget's window is inside the widget."""
    keyboard = keyboard_of(widget.window())
    return keyboard is not None and widget.isAncestorOf(keyboard)
