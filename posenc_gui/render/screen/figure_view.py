"""The widget that shows a figure: panels in rows, tables beside or below them, or a note alone."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence

from PySide6.QtCore import QEvent, QMarginsF, QObject, QSizeF, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import (
    QAbstractSlider,
    QApplication,
    QBoxLayout,
    QFrame,
    QScrollArea,
    QStackedLayout,
    QVBoxLayout,
    QWidget,
)

from posenc_gui.figure.axis import Pointer
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panels import Flow, Note, Panel, Table
from posenc_gui.foundation.theme import Roles
from posenc_gui.foundation.unicode_text import shorten_middle
from posenc_gui.render.drawings.motion import Change
from posenc_gui.render.layout.composition import Composition, PlacedMap
from posenc_gui.render.screen.fonts import line_height
from posenc_gui.render.screen.mover import Mover
from posenc_gui.render.screen.notes import NotesPage, Paint
from posenc_gui.render.screen.panel_grid import AROUND, PanelGrid, ViewComposer, shape_of
from posenc_gui.render.screen.panel_view import PanelView
from posenc_gui.render.screen.parts_item import ColourBar
from posenc_gui.render.screen.pointer import PanelPointer
from posenc_gui.render.screen.safe_graphics_view import Graphics
from posenc_gui.render.screen.tables import TableView, paint_ground
from posenc_gui.render.screen.tooltip import Hint
from posenc_gui.render.screen.viewport import Viewport

_WIDE = 1.8  # width over height from which on tables stand beside the graphics
_LONGEST_READ = 2000  # code points of a description for screen readers
_AROUND = QMarginsF(AROUND, AROUND / 2, AROUND, AROUND)
_SLACK = 0.5  # pixels of rounding
_LEAST_BESIDE = 220  # pixels that the graphics keep beside tables
_WHOLE_TABLES = 0.55  # of the height: tables below the graphics that need no more are shown whole
_LEAST_WITH_TABLES = 18  # lines of text: the height of graphics and tables below them; in less the graphics get all
_LEAST_OF_TABLE = 3  # lines of a table that scrolls below graphics; of less nothing can be learned
_OF_GRAPHICS = 2  # the share of the height, that of a table below being 1
_SCROLLED = {
    Qt.Key.Key_PageUp: QAbstractSlider.SliderAction.SliderPageStepSub,
    Qt.Key.Key_PageDown: QAbstractSlider.SliderAction.SliderPageStepAdd,
}


class FigureView(QWidget):
    """Shows a figure; emits where the pointer is and what was clicked, in the figure's own coordinates.

    Arrow keys move the pointer from cell to cell, Enter clicks, Escape removes it. + and − zoom maps and curves, Shift with
    arrow keys pans maps; 0 and a double click show everything. Where the room is too small for its panels, the view scrolls.
    Where a map is a part of a larger one, the view emits which part is in sight, and moves and scales the old picture until
    another figure comes. `viewport` zooms and pans, `mover` shows a change as motion. `headed`: what stands above the view shows
    the title of a panel that is alone.
    Without `scrolls`, panels get lower instead. `hint_for`: milliseconds for which the hint stays; 0: as long as the pointer.
    """

    pointed = Signal(object, str)  # Pointer, description of what is under it
    stepped = Signal(str)  # description of what is under the pointer, where a key has moved it
    clicked = Signal(object)  # Pointer
    door_pressed = Signal(str)  # the door whose encodings are asked for
    rested = Signal()  # the motion is over and its marks are gone
    looked_at = Signal(object)  # View: the part of a larger map that is in sight
    remedied = Signal(object)  # Remedy: the change that a note in place of the picture offers, or a table's heading

    def __init__(
        self,
        colours: Roles,
        parent: QWidget | None = None,
        *,
        headed: bool = False,
        scrolls: bool = True,
        hint_for: int = 0,
    ) -> None:
        super().__init__(parent)
        self._colours, self._headed = colours, headed
        self._figure: Figure | None = None
        self._tables: list[TableView] = []
        self._fitting = QTimer(self, singleShot=True, interval=0)
        self._fitting.timeout.connect(self._fit)
        self._settled = QTimer(self, singleShot=True, interval=0)
        self._settled.timeout.connect(self._settle)
        self._graphics = Graphics()
        self._graphics.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._graphics.viewport().installEventFilter(self)
        self._graphics.scene().sigPrepareForPaint.connect(self._prepare)
        self._grid, self._arranger = PanelGrid(self._graphics), ViewComposer(grows=scrolls)
        self._hint = Hint(self, colours, hint_for)
        self.mover = Mover(self)
        self.mover.rested.connect(self.rested)
        self.viewport = Viewport(self._graphics, self._grid, self)
        self.viewport.looked_at.connect(self.looked_at)
        self._pointer = PanelPointer(self._graphics, self._grid, self.viewport, self._hint, self)
        self._pointer.pointed.connect(self.pointed)
        self._pointer.stepped.connect(self.stepped)
        self._pointer.stepped.connect(self.setAccessibleDescription)  # until another figure is shown
        self._pointer.clicked.connect(self.clicked)
        self._pointer.door_pressed.connect(self.door_pressed)
        self._pointer.entered.connect(self._scroll_to)
        self._notes = NotesPage()
        self._notes.remedied.connect(self.remedied)
        self._pictures = QWidget()
        self._shares = QVBoxLayout(self._pictures)
        self._shares.setContentsMargins(0, 0, 0, 0)
        self._shares.setSpacing(0)
        self._scroll = QScrollArea(widgetResizable=True)
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._scroll.setWidget(self._graphics)
        self._shares.addWidget(self._scroll, _OF_GRAPHICS)
        self._stack = QStackedLayout(self)
        self._stack.addWidget(self._pictures)
        self._stack.addWidget(self._notes)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.set_colours(colours)

    def show_example(self, paint: Paint) -> None:
        """Show what `paint` draws in a box, pale, above a figure of notes: what will be there."""
        self._notes.example = paint

    def set_colours(self, colours: Roles) -> None:
        """Draw in another theme's colours."""
        self._colours = colours
        self._graphics.setBackground(colours.card)
        self._hint.set_colours(colours)
        paint_ground(self._pictures, colours.card)
        self._redraw()

    def _redraw(self) -> None:
        figure, self._figure = self._figure, None
        if figure is not None:
            self.show_figure(figure)

    def show_figure(self, figure: Figure, change: Change | None = None, *, lets_go: bool = False) -> None:
        """Draw a figure; if its layout equals the previous one's, reuse the graphics items with the new numbers. The very panels
        that are shown already aren't drawn again.

        With a change, what differs moves to its new state, and a mark of the former one stays for a while. lets_go: nothing but
        scales has changed, since a drag has ended.
        """
        if self._figure is not None and figure.panels is self._figure.panels:
            self._figure = figure  # the same picture, of a session that differs elsewhere
            if lets_go:
                self.mover.let_go(self._grid.views)
            return
        sight, cursor = self.viewport.sight(), self._pointer.cursor_in(self.viewport.larger_map())
        tables = [panel for panel in figure.panels if isinstance(panel, Table)]
        if self._figure is None:  # all is drawn anew
            self._build_tables(0, alone=False)
            self._grid.drop_views()
        former, self._figure = self._figure, figure
        self._say_figure(figure)
        self._show_tables(tables, alone=len(tables) == len(figure.panels))
        found = self._composed()
        shape = found and shape_of(found)
        before = list(self._grid.panels)
        if self._grid.shape != shape:
            self._grid.drop_views()  # a resize meanwhile must not arrange old items in new places
            if found:
                self._grid.build(found, self._colours)
            self.viewport.follow()
        if found:
            self._grid.show_panels(found)
        now = self.viewport.sight()
        if sight and now and now.whole == sight.whole:
            self.viewport.look_at(sight.seen)
            self._pointer.move_cursor(self.viewport.larger_map(), cursor)
        self._arrange()
        if change and former and before:
            self.mover.begin(self._grid.views, former, before, change)
        elif lets_go:
            self.mover.let_go(self._grid.views)
        else:
            self.mover.forget()
        self._prepare()
        self._settled.start()

    def _say_figure(self, figure: Figure) -> None:
        """Give screen readers the figure's name and description; show a figure of notes as text."""
        self.setAccessibleName(figure.title)
        self.setAccessibleDescription(shorten_middle(figure.description, _LONGEST_READ))
        self._notes.show_notes([panel for panel in figure.panels if isinstance(panel, Note)])
        self._stack.setCurrentIndex(1 if figure.is_note else 0)

    def _prepare(self) -> None:
        """Draw what the next paint shows; an error goes to `sys.excepthook`, since a pending one would end the process."""
        try:
            self._grid.prepare()
        except Exception:
            sys.excepthook(*sys.exc_info())

    def _settle(self) -> None:
        """Request the visible part, and report what is under the pointer, after the panels have been laid out."""
        self.viewport.request_view()
        self._pointer.settle(has_focus=self.hasFocus())

    def show_pointer(self, pointer: Pointer) -> None:
        """Draw the crosshair of a pointer that may be in another plot."""
        self._pointer.show(pointer)

    def figure(self) -> Figure | None:
        """The figure that is shown."""
        return self._figure

    def panel_views(self) -> list[PanelView]:
        """The drawn panels from left to right."""
        return list(self._grid.views)

    def colour_bars(self) -> list[ColourBar]:
        """The colour bars from left to right, each at the right of the last map that it stands for."""
        return list(self._grid.bars.values())

    @property
    def smallest_cell(self) -> float:
        """The smallest side of a cell in any map of the figure, all of which is shown, in pixels; infinite without a map, and
        0 with a flow, whose nine columns need all the room there is, or with a table of which rows are out of sight."""
        has_flow = self._figure is not None and any(isinstance(panel, Flow) for panel in self._figure.panels)
        if has_flow or any(table.is_cut for table in self._tables):
            return 0.0
        found = self._composed()
        maps = [placed for placed in found.panels if isinstance(placed, PlacedMap)] if found else []
        return min((min(placed.cell) for placed in maps), default=math.inf)

    def _show_tables(self, tables: Sequence[Table], *, alone: bool) -> None:
        """Show tables beside or below the graphics; one that is alone takes the keyboard from the view."""
        if len(tables) != len(self._tables) or alone != self._scroll.isHidden():
            self._build_tables(len(tables), alone=alone and bool(tables))
        for view, table in zip(self._tables, tables, strict=True):
            view.show_table(table, titled=not (self._headed and alone and len(tables) == 1))
        self._share_room()
        self._stack.activate()  # now, since panels are composed for the room that tables leave
        self._shares.activate()
        for view in self._tables:
            view.settle()

    def _build_tables(self, count: int, *, alone: bool) -> None:
        self.setFocusProxy(None)  # type: ignore[arg-type]  # Qt accepts None, its stub doesn't
        for view in self._tables:
            view.hide()
            view.deleteLater()
        self._tables = [TableView(self._colours) for _ in range(count)]
        for view in self._tables:
            view.view.pressed.connect(self.clicked)
            view.view.pointed.connect(self.pointed)
            view.view.sorted.connect(self.remedied)
            self._shares.addWidget(view, 1)
            view.show()
        for view in reversed(self._tables):
            self.setTabOrder(self, view.view)  # Qt puts new widgets behind all that the window has
        self._scroll.setVisible(not alone)
        if alone and count == 1:  # from the last of several, Tab would lead back to the first
            self.setFocusProxy(self._tables[0].view)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put tables beside the graphics where all their columns fit and the view is wide, else below. In a view that is too
        low for both, the graphics get all the room."""
        super().resizeEvent(event)
        self._share_room()
        self._fitting.start()  # cards have several temporary sizes during layout

    def _fit(self) -> None:
        found = self._composed()
        if found and self._grid.shape != shape_of(found):
            self._redraw()
        self.viewport.request_view_soon()

    def left_out(self, figure: Figure) -> tuple[Panel, ...]:
        """The panels of a figure for which there would be too little room."""
        found = self._arrangement_of(figure)
        return found.left_out if found else ()

    def _composed(self) -> Composition | None:
        """The composition of the figure that is shown; None without a figure of panels."""
        return None if self._figure is None else self._arrangement_of(self._figure)

    def _arrangement_of(self, figure: Figure) -> Composition | None:
        """The composition of a figure in the room that is visible; None for one without panels."""
        headed = figure.alone if self._headed else None
        seen = QSizeF(self._scroll.contentsRect().size())
        found = self._arranger.compose(figure, seen.shrunkBy(_AROUND), headed, self._grid.closer())
        if found and found.height > seen.height() - _AROUND.top() - _AROUND.bottom() + _SLACK:
            seen.setWidth(seen.width() - self._scroll.verticalScrollBar().sizeHint().width())
            found = self._arranger.compose(figure, seen.shrunkBy(_AROUND), headed, self._grid.closer())
        return found

    def _share_room(self) -> None:
        alone = self._scroll.isHidden()
        room = self.width() - (0 if alone else _LEAST_BESIDE)
        fits = sum(view.least_width(self.height()) for view in self._tables) <= room
        beside = fits and self.width() > _WIDE * self.height()
        self._shares.setDirection(QBoxLayout.Direction.LeftToRight if beside else QBoxLayout.Direction.TopToBottom)
        is_low = not alone and not beside and self._is_low_for_tables
        for view in self._tables:
            view.setVisible(not is_low)
            if alone:
                view.take_height(None)
            elif beside:
                view.stand_beside_graphics(self.height())
            else:
                view.take_height(self._room_for_whole_tables)
            self._shares.setStretchFactor(view, 0 if view.is_whole else 1)

    @property
    def _is_low_for_tables(self) -> bool:
        """True if graphics and tables below them would both have too little height."""
        room, share = self._room_for_whole_tables, self.height() // (_OF_GRAPHICS + len(self._tables))
        cut = [view for view in self._tables if not view.fits(room)]
        return self.height() < _LEAST_WITH_TABLES * line_height() or any(
            view.lines_in(share) < _LEAST_OF_TABLE for view in cut
        )

    @property
    def _room_for_whole_tables(self) -> int:
        """The height that a table may have below the graphics without scrolling."""
        return int(_WHOLE_TABLES * self.height() / max(1, len(self._tables)))

    def _arrange(self) -> None:
        """Put the panels in their places; where they need more than the visible room, the view scrolls."""
        found = self._composed()
        if not found or self._grid.shape != shape_of(found) or not self._grid.views:
            return  # `_fit` builds other views
        height = math.ceil(found.height - _SLACK + _AROUND.top() + _AROUND.bottom())
        least = height if height > self._scroll.contentsRect().height() else 0
        if least != self._graphics.minimumHeight():
            self._graphics.setMinimumHeight(least)
            QApplication.sendEvent(self._scroll, QEvent(QEvent.Type.LayoutRequest))  # now, not in the next turn
        self._grid.place(found)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow the graphics' size; remove the crosshair when the mouse leaves; scroll by its wheel; take focus on a click."""
        if event.type() == QEvent.Type.Leave:
            self._pointer.leave()
        elif event.type() == QEvent.Type.Resize:
            self._arrange()
        elif event.type() == QEvent.Type.Wheel and isinstance(event, QWheelEvent) and self._scrolls(event):
            return QApplication.sendEvent(self._scroll.verticalScrollBar(), event)
        elif event.type() == QEvent.Type.MouseButtonPress and isinstance(event, QMouseEvent):
            self.setFocus(Qt.FocusReason.MouseFocusReason)
        return super().eventFilter(watched, event)

    def _scrolls(self, event: QWheelEvent) -> bool:
        """Return True if the wheel scrolls, because not all panels are visible; with Ctrl the wheel zooms instead."""
        held = event.modifiers() & Qt.KeyboardModifier.ControlModifier
        return bool(self._scroll.verticalScrollBar().maximum()) and not held

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Pan and zoom, scroll, or move the pointer: the first of these that handles the key."""
        key, held = Qt.Key(event.key()), event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        taken = (
            self.viewport.press_key(key, held, self._pointer.cursor())
            or self._scroll_by(key)
            or self._pointer.press_key(key)
        )
        if not taken:
            super().keyPressEvent(event)

    def _scroll_by(self, key: Qt.Key) -> bool:
        """Scroll by a page if not all panels are visible; return True if the key scrolled."""
        bar = self._scroll.verticalScrollBar()
        if key not in _SCROLLED or not bar.maximum():
            return False
        bar.triggerAction(_SCROLLED[key])
        return True

    def _scroll_to(self, view: PanelView) -> None:
        """Scroll to a panel: to all of it where it has room, else to its beginning."""
        place = view.sceneBoundingRect().adjusted(0, -AROUND, 0, AROUND)
        seen = self._scroll.viewport().height()
        bar = self._scroll.verticalScrollBar()
        bar.setValue(int(min(place.top(), max(bar.value(), min(place.bottom() - seen, place.top())))))
