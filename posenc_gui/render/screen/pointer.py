"""The pointer over a figure's panels: moved by the mouse or by the keyboard, with the hint beside it."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QObject, QPoint, QPointF, Qt, Signal

from posenc_gui.figure.axis import NOWHERE, Pointer
from posenc_gui.render.drawings.regions import describe
from posenc_gui.render.screen.panel_grid import PanelGrid
from posenc_gui.render.screen.panel_view import MapView
from posenc_gui.render.screen.safe_graphics_view import Graphics
from posenc_gui.render.screen.tooltip import Hint
from posenc_gui.render.screen.viewport import STEPS, Place, Viewport


class PanelPointer(QObject):
    """Says where the pointer is and what was clicked, in the figure's own coordinates."""

    pointed = Signal(object, str)  # Pointer, description of what is under it
    clicked = Signal(object)  # Pointer
    door_pressed = Signal(str)
    entered = Signal(object)  # PanelView that holds the keyboard's pointer
    stepped = Signal(str)  # description of what is under the keyboard's pointer, where a key has moved it

    def __init__(self, graphics: Graphics, grid: PanelGrid, viewport: Viewport, hint: Hint, parent: QObject) -> None:
        super().__init__(parent)
        self._graphics, self._grid, self._viewport, self._hint = graphics, grid, viewport, hint
        # The keyboard's pointer: panel, x, y, in which `settle` may find nothing where other panels have come.
        self._cursor: tuple[int, int, float] | None = None
        self._pressed: tuple[int, int, float] | None = None  # from which the keyboard's pointer goes on
        self._mouse: QPointF | None = None  # in scene coordinates
        graphics.scene().sigMouseMoved.connect(self._on_moved)
        graphics.scene().sigMouseClicked.connect(self._on_clicked)

    def cursor(self) -> Place | None:
        """The place of the keyboard's pointer."""
        if self._cursor is None or self._cursor[0] >= len(self._grid.views):
            return None
        index, x, y = self._cursor
        return self._grid.views[index], x, y

    def cursor_in(self, larger: MapView | None) -> QPointF | None:
        """The place of the keyboard's pointer in the rows and columns of a larger map."""
        return larger.in_items(*self._cursor[1:]) if self._cursor and larger else None

    def move_cursor(self, larger: MapView | None, items: QPointF | None) -> None:
        """Move the keyboard's pointer to the current coordinates of a point of a larger map."""
        if self._cursor and larger and items is not None:
            x, y = larger.in_cells(items)
            self._cursor = self._cursor[0], round(x), round(y)

    def show(self, pointer: Pointer) -> None:
        """Draw the crosshair of a pointer that may be in another plot."""
        for view in self._grid.views:
            view.show_pointer(pointer)

    def settle(self, *, has_focus: bool) -> None:
        """Report what is under the pointer after new panels have been laid out."""
        if not (has_focus and self._pressed and self._reads(*self._pressed)):
            self._pressed = None
        if self._cursor:
            if not self._reads(*self._cursor):
                self._cursor = None
            if has_focus:
                self._point(*self._cursor) if self._cursor else self.pointed.emit(NOWHERE, "")
        elif self._mouse is not None:
            self._on_moved(self._mouse)

    def leave(self) -> None:
        """Hide the crosshair and the hint, after the mouse has left the panels."""
        self._mouse = None
        self.pointed.emit(NOWHERE, "")
        self._show_hint()

    def press_key(self, key: Qt.Key) -> bool:
        """Move the pointer (arrow keys), click (Enter) or hide it (Escape, if shown); return True if a key did so."""
        if not self._grid.views:
            return False
        if key in STEPS:
            self._step(*STEPS[key])
        elif key == Qt.Key.Key_Escape and self._cursor:
            self._cursor = None
            self.pointed.emit(NOWHERE, "")
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            if self._cursor:
                self._click(*self._cursor)
        else:
            return False
        return True

    def _step(self, dx: int, dy: int) -> None:
        begun = self._cursor or self._pressed
        index, x, y = self._stepped(*begun, dx, dy) if begun else (0, *self._grid.views[0].drawing().start())
        self._cursor, self._pressed = (index, x, y), None
        view = self._grid.views[index]
        self.entered.emit(view)
        if isinstance(view, MapView):
            view.bring(x, y)
            self._viewport.request_view_soon()
        self._point(index, x, y)
        self.stepped.emit(self._told(index, x, y))

    def _stepped(self, index: int, x: int, y: float, dx: int, dy: int) -> tuple[int, int, float]:
        """Return the next cell: in the same panel, or over its left or right edge in the one beside; unchanged without one."""
        view = self._grid.views[index]
        moved = view.drawing().step(x, y, dx, dy)
        if view.shown.read(*moved) or (isinstance(view, MapView) and view.reaches(*moved)):
            return index, *moved
        beside = index + dx
        if dx and 0 <= beside < len(self._grid.views):
            return beside, *self._grid.views[beside].drawing().start()
        return index, x, y

    def _on_moved(self, position: QPointF) -> None:
        self._cursor, self._mouse = None, position
        found = self._at(position)
        if found:
            self._point(*found)
        else:
            self.pointed.emit(NOWHERE, "")
        self._show_hint()

    def _on_clicked(self, event: Any) -> None:
        if event.button() != Qt.MouseButton.LeftButton:
            return
        if event.double():
            self._viewport.reset()
            return
        found = self._at(event.scenePos())
        if found:
            index, x, y = found
            self._pressed = (index, round(x), y) if self._reads(index, round(x), y) else None
            self._click(*found)

    def _at(self, scene_position: QPointF) -> tuple[int, float, float] | None:
        for index, view in enumerate(self._grid.views):
            if view.holds(scene_position):
                return index, *view.at(scene_position)
        return None

    def _reads(self, index: int, x: float, y: float) -> bool:
        return index < len(self._grid.views) and bool(self._grid.views[index].shown.read(x, y))

    def _point(self, index: int, x: float, y: float) -> None:
        words = self._told(index, x, y)
        self.pointed.emit(self._grid.views[index].shown.pointer(x, y) if words else NOWHERE, words)

    def _told(self, index: int, x: float, y: float) -> str:
        """What is read at a point, in all maps that the crosshair frames, and what else than selecting it a press does there."""
        view = self._grid.views[index]
        told = describe(view.shown, [view.shown for view in self._grid.views], x, y)
        return " · ".join(filter(None, (told, view.drawing().offer(x, y)))) if told else ""

    def _click(self, index: int, x: float, y: float) -> None:
        """Zoom in on a clicked block, or report which door, cell, bar or curve was clicked."""
        view = self._grid.views[index]
        if not view.shown.read(x, y):
            return
        if isinstance(view, MapView) and _is_of_blocks(view):
            view.approach(x, y)
            self._viewport.request_view_soon()
        elif door := view.drawing().door(x, y):
            self.door_pressed.emit(door)
        else:
            self.clicked.emit(view.drawing().pressed(x, y))

    def _show_hint(self) -> None:
        found = self._at(self._mouse) if self._mouse is not None else None
        words, place = "", QPoint()
        if found and self._mouse is not None:
            words = self._told(*found)
            place = self._graphics.mapTo(self._hint.parentWidget(), self._graphics.mapFromScene(self._mouse))
        self._hint.say(words, place)


def _is_of_blocks(view: MapView) -> bool:
    part = view.shown.part
    return part is not None and max(part.height, part.width) > 1
