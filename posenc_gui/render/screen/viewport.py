"""Pan and zoom: the visible rows and columns of the maps, and the `View` requested from a plot."""

from __future__ import annotations

import math
from typing import NamedTuple

from PySide6.QtCore import QObject, QRectF, Qt, QTimer, Signal

from posenc_gui.figure.view import View
from posenc_gui.render.layout.cell_labels import is_square
from posenc_gui.render.screen.panel_grid import PanelGrid
from posenc_gui.render.screen.panel_view import MapView, PanelView
from posenc_gui.render.screen.safe_graphics_view import Graphics

_PIXELS, _MOST_PIXELS = 64, 1024  # pixels requested along a side: the step of rounding, and the maximum
_SHARE_OF_MAP = 0.85  # approximate share of a view that its map fills; labels have the rest
_PANNED = 0.25  # share of the visible part that one key press pans by
_SLIVER = 1e-3  # of a row or column; less of it counts as out of sight
STEPS = {  # columns and rows, by arrow key
    Qt.Key.Key_Left: (-1, 0),
    Qt.Key.Key_Right: (1, 0),
    Qt.Key.Key_Up: (0, -1),
    Qt.Key.Key_Down: (0, 1),
}
_ZOOMS = {Qt.Key.Key_Plus: 0.5, Qt.Key.Key_Equal: 0.5, Qt.Key.Key_Minus: 2.0}

Place = tuple[PanelView, float, float]  # a panel, and x and y in its coordinates


class Sight(NamedTuple):
    """The visible part of a larger map: all its rows and columns, and the visible rectangle in them."""

    whole: tuple[range, range]
    seen: QRectF


class Viewport(QObject):
    """Controller that pans and zooms panels, and requests other parts of a partly drawn map."""

    looked_at = Signal(object)  # View

    def __init__(self, graphics: Graphics, grid: PanelGrid, parent: QObject) -> None:
        super().__init__(parent)
        self._graphics, self._grid = graphics, grid
        self._moving = QTimer(self, singleShot=True, interval=0)
        self._moving.timeout.connect(self.request_view)

    def follow(self) -> None:
        """Hear of what the mouse moves in views that have just been built."""
        for map_view in self.maps():
            map_view.vb.sigRangeChangedManually.connect(self.request_view_soon)

    def maps(self) -> list[MapView]:
        return [view for view in self._grid.views if isinstance(view, MapView)]

    def larger_map(self) -> MapView | None:
        """The map that is a part of a larger one; the last of several, since a pinned map comes before the current one."""
        return next((view for view in reversed(self.maps()) if view.shown.part), None)

    def sight(self) -> Sight | None:
        """The part of the larger map in sight; None if every map is shown whole."""
        larger = self.larger_map()
        return Sight(_whole(larger), larger.seen()) if larger else None

    def look_at(self, seen: QRectF) -> None:
        """Bring a rectangle of the larger map into sight, in all maps of the same part."""
        larger = self.larger_map()
        for map_view in self.maps():
            if larger and map_view.shown.part == larger.shown.part:
                map_view.look_at(seen)

    def request_view_soon(self, *_: object) -> None:
        """Request the view in the next turn of the event loop: once for all that moves in this one."""
        self._moving.start()

    def whole(self) -> View:
        """The `View` of everything, at the resolution that there is room for."""
        return View(pixels=self._pixels())

    def request_view(self) -> None:
        """Emit the `View` of the larger map's visible part, if there is a larger map."""
        sight = self.sight()
        if sight:
            rows = _between(sight.seen.top(), sight.seen.bottom(), sight.whole[0])
            columns = _between(sight.seen.left(), sight.seen.right(), sight.whole[1])
            self.looked_at.emit(View(rows, columns, self._pixels()))

    def _pixels(self) -> tuple[int, int]:
        """Return a map's approximate size in pixels, rounded so that slight changes of the layout request no new figure."""
        side = _SHARE_OF_MAP * min(self._graphics.width() / self._grid.columns, self._graphics.height())
        pixels = min(_MOST_PIXELS, max(_PIXELS, int(side) // _PIXELS * _PIXELS))
        return pixels, pixels

    def reset(self) -> None:
        """Show every panel whole."""
        for view in self._grid.views:
            view.show_all()
        self.request_view_soon()

    @property
    def can_approach(self) -> bool:
        """True if there is a map of tokens by tokens, in which to zoom in on one."""
        return any(is_square(view.shown) for view in self.maps())

    def approach_token(self, token: int) -> None:
        """Zoom in on the cell where a token is both query and key."""
        for view in self.maps():
            if is_square(view.shown):
                view.approach(*view.place_of(token))
        self.request_view_soon()

    def bring_token(self, token: int) -> None:
        """Bring a token's row into sight where only a part of a larger map is shown."""
        larger = self.larger_map()
        if larger:
            seen = larger.seen()
            if token in _whole(larger)[0] and not seen.top() <= token < seen.bottom():
                larger.bring(*larger.place_of(token))
                self.request_view_soon()

    def press_key(self, key: Qt.Key, held: Qt.KeyboardModifier, cursor: Place | None) -> bool:
        """Zoom by + and −, pan by Shift and arrows, show everything by 0; return True if the key was one of these."""
        plain = held in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier)
        if not self.maps():
            return plain and self._zoom_curves(key)
        if plain and key in _ZOOMS:
            self._zoom(_ZOOMS[key], cursor)
        elif plain and key == Qt.Key.Key_0:
            self.reset()
        elif held == Qt.KeyboardModifier.ShiftModifier and key in STEPS:
            self._map_at(cursor).pan(*(_PANNED * step for step in STEPS[key]))
            self.request_view_soon()
        else:
            return False
        return True

    def _zoom_curves(self, key: Qt.Key) -> bool:
        """Zoom curves along x, of lanes that move together one, or show them whole again; return True if the key does so."""
        curves = [view for view in self._grid.views if view.zooms_curves]
        if not curves or key not in (*_ZOOMS, Qt.Key.Key_0):
            return False
        if key == Qt.Key.Key_0:
            self.reset()
            return True
        for view, (along, _) in [(view, view.vb.viewRange()) for view in curves]:
            if view.vb.viewRange()[0] == along:
                view.vb.scaleBy(x=_ZOOMS[key])
        return True

    def _map_at(self, cursor: Place | None) -> MapView:
        """The map in which the cursor stands, else the one that is a part, else the first."""
        view = cursor[0] if cursor else None
        return view if isinstance(view, MapView) else self.larger_map() or self.maps()[0]

    def _zoom(self, factor: float, cursor: Place | None) -> None:
        """Zoom a map around the cursor, else around the token in focus, else around the middle."""
        view = self._map_at(cursor)
        focus = view.shown.rows.focus if is_square(view.shown) else None
        around: tuple[float, float] | None = None if focus is None else (focus, focus)
        if cursor and cursor[0] is view:
            around = cursor[1:]
        view.zoom(factor, around)
        self.request_view_soon()


def _whole(view: MapView) -> tuple[range, range]:
    """All rows and columns of the larger map, of which this shows a part."""
    part = view.shown.part
    return (range(0), range(0)) if part is None else (part.every_row, part.every_column)


def _between(low: float, high: float, whole: range) -> range | None:
    """Return the at least partly visible rows or columns; None if all are visible."""
    start, stop = max(whole.start, math.floor(low + _SLIVER)), min(whole.stop, math.ceil(high - _SLIVER))
    return None if (start, stop) == (whole.start, whole.stop) else range(start, max(start + 1, stop))
