"""The view of a figure: panels side by side, tables below, and what the pointer does."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QEvent, QMarginsF, QObject, QPoint, QPointF, QRectF, QSizeF, Qt, QTimer, Signal
from PySide6.QtGui import (
    QKeyEvent,
    QMouseEvent,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import (
    QAbstractSlider,
    QApplication,
    QBoxLayout,
    QFrame,
    QLabel,
    QScrollArea,
    QStackedLayout,
    QVBoxLayout,
    QWidget,
)

from posenc_gui.figure.figure import (
    NOWHERE,
    Bars,
    Dials,
    Figure,
    Heatmap,
    Lines,
    Links,
    Note,
    Panel,
    Pointer,
    Slopes,
)
from posenc_gui.figure.view import View
from posenc_gui.foundation.theme import Roles
from posenc_gui.foundation.unicode_text import cut
from posenc_gui.render.layout.heatmap_cells import is_square
from posenc_gui.render.layout.lanes import is_lane
from posenc_gui.render.layout.slope_labels import has_axis_beside
from posenc_gui.render.screen.bars import BarsView
from posenc_gui.render.screen.colour_bar import ColourBar
from posenc_gui.render.screen.dials import DialsView
from posenc_gui.render.screen.fonts import line_height
from posenc_gui.render.screen.heatmaps import HeatmapView, Numbers
from posenc_gui.render.screen.lines import LinesView
from posenc_gui.render.screen.links import LinksView
from posenc_gui.render.screen.notes import NoteView
from posenc_gui.render.screen.panel_plan import Plan, extents, plan
from posenc_gui.render.screen.panel_view import PanelView
from posenc_gui.render.screen.row_layout import BEFORE_BAR, GAP, share
from posenc_gui.render.screen.safe_graphics_view import Graphics
from posenc_gui.render.screen.slopes import SlopesView
from posenc_gui.render.screen.tables import TableView, paint_ground
from posenc_gui.render.screen.tooltip import Hint

_VIEWS: dict[type, Callable[[Roles], PanelView]] = {
    Heatmap: HeatmapView, Lines: LinesView, Bars: BarsView, Links: LinksView, Slopes: SlopesView,
    Dials: DialsView, Note: NoteView,
}  # fmt: skip
_WIDE = 1.8  # width over height from which on tables stand beside the graphics
_LONGEST_READ = 2000  # code points of a sentence, or of what is said to those who can't see
_LEAST_BESIDE = 220  # pixels that the graphics get there
_AROUND = 8.0  # pixels around the panels, above them half of it
_PIXELS, _MOST_PIXELS = 64, 1024  # that are asked for: a step, and at most
_SHARE_OF_MAP = 0.85  # of a view's room, about; labels have the rest
_PANNED = 0.25  # of what is seen, by a key
_SLIVER = 1e-3  # of a row or column, by which it counts as not seen
_LEAST_LINES: dict[type, float] = {
    Heatmap: 9, Lines: 6, Bars: 8, Links: 9, Slopes: 8, Dials: 5, Note: 3,
}  # of text, that panels are high; in less room they are scrolled  # fmt: skip
_LEAST_LINES_OF_LANE = 1.4
_SCROLLED = {
    Qt.Key.Key_PageUp: QAbstractSlider.SliderAction.SliderPageStepSub,
    Qt.Key.Key_PageDown: QAbstractSlider.SliderAction.SliderPageStepAdd,
}
_LANE_GAP = 8.0  # pixels between curves below each other that share their axis
_LEAST_WITH_TABLES = 18  # lines of text that graphics and tables below them are high; in less room the graphics get all


class FigureView(QWidget):
    """Shows a figure; says where the pointer is and what was clicked, in the figure's own coordinates.

    Arrow keys move the pointer from cell to cell, Enter clicks, Escape takes it away. + and − zoom maps, with Shift arrow keys
    move them; 0 and a double click show everything. In less room than its panels can be read in, it scrolls. Where a map is
    a part of a larger one, it says what of that is looked at; what was drawn before stays, moved and scaled, until another
    figure comes. Where it is `headed`, what stands above it says the title of a panel that is alone.
    """

    pointed = Signal(object, str)  # Pointer, what is there in words
    clicked = Signal(object)  # Pointer
    looked_at = Signal(object)  # View: what of a larger map is in sight

    def __init__(self, colours: Roles, parent: QWidget | None = None, *, headed: bool = False) -> None:
        super().__init__(parent)
        self._colours, self._headed = colours, headed
        self._figure: Figure | None = None
        self._plan = Plan((), (), {})
        self._built: object = None  # the shape of what the items are for
        self._panels: list[PanelView] = []
        self._rows: list[list[PanelView]] = []  # the same as they stand
        self._tables: list[TableView] = []
        self._bars: dict[PanelView, ColourBar] = {}  # by the map at whose right each stands
        self._cursor: tuple[int, int, float] | None = None  # panel, x, y of the keyboard's pointer
        self._fitting = QTimer(self, singleShot=True, interval=0)
        self._fitting.timeout.connect(self._fit)
        self._hint = Hint(self, colours)
        self._mouse: QPointF | None = None  # where it is on the scene
        self._settled = QTimer(self, singleShot=True, interval=0)
        self._settled.timeout.connect(self._look_again)
        self._moving = QTimer(self, singleShot=True, interval=0)
        self._moving.timeout.connect(self._ask)
        self._graphics = Graphics()
        self._graphics.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._graphics.viewport().installEventFilter(self)
        self._graphics.scene().sigMouseMoved.connect(self._on_moved)
        self._graphics.scene().sigMouseClicked.connect(self._on_clicked)
        self._graphics.ci.setSpacing(GAP)
        self._note = QLabel(alignment=Qt.AlignmentFlag.AlignCenter, wordWrap=True)
        self._note.setTextFormat(Qt.TextFormat.PlainText)
        self._note.setMargin(24)
        self._note.setMinimumWidth(1)  # whatever the longest word is
        self._pictures = QWidget()
        self._shares = QVBoxLayout(self._pictures)
        self._shares.setContentsMargins(0, 0, 0, 0)
        self._shares.setSpacing(0)
        self._scroll = QScrollArea(widgetResizable=True)  # where there is less room than panels can be read in
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._scroll.setWidget(self._graphics)
        self._shares.addWidget(self._scroll, 2)
        self._stack = QStackedLayout(self)
        self._stack.addWidget(self._pictures)
        self._stack.addWidget(self._note)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.set_colours(colours)

    def set_colours(self, colours: Roles) -> None:
        """Draw in the colours of another theme."""
        self._colours = colours
        self._graphics.setBackground(colours.card)
        self._hint.set_colours(colours)
        paint_ground(self._pictures, colours.card)
        self._draw_anew()

    def _draw_anew(self) -> None:
        figure, self._figure = self._figure, None
        if figure is not None:
            self.show_figure(figure)

    def show_figure(self, figure: Figure) -> None:
        """Draw a figure; where it has the shape of the last one, the same items take the new numbers."""
        if self._figure is not None and figure.panels is self._figure.panels:
            self._figure = figure  # the same picture, of a session that differs elsewhere
            return
        before = self._larger()
        seen = before and (_whole(before), before.seen())
        cursor = self._cursor and before and before.in_items(*self._cursor[1:])
        self._plan = plan(figure, QSizeF(self.size()))
        known = self._figure is not None and self._built == self._plan.shape
        if not known:
            self._panels = []  # a change of size meanwhile finds nothing to arrange, rather than old items by a new plan
        self._figure = figure
        self.setAccessibleName(figure.title)
        self.setAccessibleDescription(cut(figure.description, _LONGEST_READ))
        notes = [panel.text for panel in figure.panels if isinstance(panel, Note)]
        self._note.setText(cut("\n\n".join(notes), _LONGEST_READ))
        self._stack.setCurrentIndex(1 if figure.is_note else 0)
        if not known:
            self._build()
        for view, panel in zip(self._panels, self._plan.panels, strict=True):
            view.show(panel)
        now = self._larger()
        if now and seen and _whole(now) == seen[0]:
            for map_view in self._maps():
                if map_view.panel.part == now.panel.part:
                    map_view.look_at(seen[1])
            if self._cursor and cursor:
                x, y = now.in_cells(cursor)
                self._cursor = self._cursor[0], round(x), round(y)
        for table, cells in zip(self._tables, self._plan.tables, strict=True):
            table.show_table(cells, titled=self._says_title(cells))
        for view, bar in self._bars.items():
            bar.show_scale(view.panel.scale, self._plan.bars[view.panel])
        numbers = Numbers([view.panel for view in self._maps()])
        for map_view in self._maps():
            map_view.show_numbers(numbers)
        self._align_lanes()
        self._name_rows()
        self._share_room()
        self._arrange()
        self._settled.start()

    def _maps(self) -> list[HeatmapView]:
        return [view for view in self._panels if isinstance(view, HeatmapView)]

    def _larger(self) -> HeatmapView | None:
        """The map that is a part of a larger one; the last of several, since what is pinned stands before what is now."""
        return next((view for view in reversed(self._maps()) if view.panel.part), None)

    def _on_moved_by_hand(self, *_: object) -> None:
        self._moving.start()

    def _ask(self) -> None:
        """Say what of a larger map is looked at."""
        larger = self._larger()
        if larger:
            seen, whole = larger.seen(), _whole(larger)
            rows = _between(seen.top(), seen.bottom(), whole[0])
            columns = _between(seen.left(), seen.right(), whole[1])
            self.looked_at.emit(View(rows, columns, self._pixels()))

    def _pixels(self) -> tuple[int, int]:
        """About as many as a map has, in steps: neither a label that is longer nor a card a little smaller asks for others."""
        across = max(map(len, self._rows))
        side = _SHARE_OF_MAP * min(self._graphics.width() / across, self._graphics.height())
        pixels = min(_MOST_PIXELS, max(_PIXELS, int(side) // _PIXELS * _PIXELS))
        return pixels, pixels

    def _look_again(self) -> None:
        """Say what is now under the pointer, once what is drawn stands where it will."""
        self._ask()
        if self._cursor:
            index, x, y = self._cursor
            there = index < len(self._panels) and bool(self._panels[index].panel.read(x, y))
            if not there:
                self._cursor = None  # what it stood on is gone
            if self.hasFocus():
                self._point(*self._cursor) if self._cursor else self.pointed.emit(NOWHERE, "")
        elif self._mouse is not None:
            self._on_moved(self._mouse)

    def show_pointer(self, pointer: Pointer) -> None:
        """Draw the crosshair of a pointer that may stand in another plot."""
        for view in self._panels:
            view.show_pointer(pointer)

    def _says_title(self, panel: Panel) -> bool:
        """Whether a panel says its title, which may stand above the view."""
        return not (self._headed and self._figure is not None and self._figure.alone is panel)

    def figure(self) -> Figure | None:
        """The figure that is shown."""
        return self._figure

    def panel_views(self) -> list[PanelView]:
        """The drawn panels from left to right."""
        return list(self._panels)

    def colour_bars(self) -> list[ColourBar]:
        """The bars of colours from left to right, each at the right of the last map that it stands for."""
        return list(self._bars.values())

    def reset_view(self) -> None:
        """Show everything again after zooming."""
        for view in self._panels:
            view.reset()
        self._moving.start()

    @property
    def can_approach(self) -> bool:
        """Whether there is a map of tokens to zoom to one in."""
        return any(is_square(view.panel) for view in self._maps())

    def approach(self, token: int) -> None:
        """Zoom to where a token meets itself."""
        for view in self._maps():
            if is_square(view.panel):
                view.approach(*view.place_of(token))
        self._moving.start()

    def bring(self, token: int) -> None:
        """Have a token's row in sight where only a part of a larger map is."""
        larger = self._larger()
        if larger:
            seen = larger.seen()
            if token in _whole(larger)[0] and not seen.top() <= token < seen.bottom():
                larger.bring(*larger.place_of(token))
                self._moving.start()

    def _build(self) -> None:
        self._built = self._plan.shape
        self._build_tables()
        self._graphics.clear()
        panels = self._plan.panels
        self._panels = [_VIEWS[type(panel)](self._colours) for panel in panels]
        for map_view in self._maps():
            map_view.plot.vb.sigRangeChangedManually.connect(self._on_moved_by_hand)
        views = iter(self._panels)
        self._rows = [list(itertools.islice(views, len(row))) for row in self._plan.rows]
        self._bars = {
            view: ColourBar(self._colours)
            for panel, view in zip(panels, self._panels, strict=True)
            if panel in self._plan.bars
        }
        self._place()
        self._link()
        for panel, view in zip(panels, self._panels, strict=True):
            if isinstance(view, SlopesView) and self._maps():
                view.stand_beside_maps(has_axis_beside(panel, panels))

    def _place(self) -> None:
        """Put panels and bars of colours in rows; one that is alone below others is as wide as all of them."""
        columns = itertools.count()
        alone = [
            len(row) == 1 < max(map(len, self._rows)) and not isinstance(row[0], HeatmapView) for row in self._rows
        ]
        if len(self._rows) > 1 and len(self._rows[-1]) == 1 and not isinstance(self._rows[-1][0], HeatmapView):
            alone[-1] = True
        beside_others = [[] if one else row for row, one in zip(self._rows, alone, strict=True)]
        for place in itertools.zip_longest(*beside_others):
            column = next(columns)
            beside = next(columns) if any(view in self._bars for view in place) else column
            self._graphics.ci.layout.setColumnSpacing(column, BEFORE_BAR if beside > column else GAP)
            for row, view in enumerate(place):
                if view is not None:
                    self._stand(row, column, view.plot, view.width)
                if view in self._bars:
                    self._stand(row, beside, self._bars[view], 0)
        width = max(1, next(columns))
        for row, (views, is_alone) in enumerate(zip(self._rows, alone, strict=True)):
            if is_alone:
                self._graphics.addItem(views[0].plot, row, 0, 1, width)

    def _link(self) -> None:
        """Let panels of the same cells or positions move together; of lanes the last names the positions."""
        along: dict[object, PanelView] = {}  # the first map of each extent along its columns
        down: dict[object, PanelView] = {}  # and along its rows
        for panel, view in zip(self._plan.panels, self._panels, strict=True):
            if isinstance(panel, Heatmap):
                columns, rows = extents(panel)
                if (first := along.setdefault(columns, view)) is not view:
                    view.plot.vb.setXLink(first.plot.vb)
                if (first := down.setdefault(rows, view)) is not view:
                    view.plot.vb.setYLink(first.plot.vb)
        for view in self._panels if down else ():
            if isinstance(view, LinksView):
                view.plot.vb.setYLink(next(iter(down.values())).plot.vb)
        panel_of = dict(zip(self._panels, self._plan.panels, strict=True))
        for upper_row, lower_row in itertools.pairwise(self._rows):
            for upper, lower in zip(upper_row, lower_row, strict=False):
                if isinstance(lower, LinesView) and is_lane(panel_of[upper]):
                    lower.among_others = True
                    upper.plot.getAxis("bottom").hide()
                    upper.plot.vb.setXLink(lower.plot.vb)

    def _align_lanes(self) -> None:
        """Let curves that share their axis end at one place, whatever their names are."""
        lanes = [view for views in self._rows for view in views if isinstance(view, LinesView)]
        if any(view.panel.shares_x for view in lanes):
            widest = max(view.room_after for view in lanes)
            for view in lanes:
                view.leave_after(widest)

    def _name_rows(self) -> None:
        """Name the rows of a map unless what stands before it does, or the links after it."""
        for views in self._rows:
            named: tuple[str, ...] | None = None
            for view, after in itertools.zip_longest(views, views[1:]):
                if isinstance(view, HeatmapView):
                    rows = view.panel.rows.labels
                    is_named = rows != named and not isinstance(after, LinksView)
                    if (
                        view.rows.isVisibleTo(view.plot) != is_named
                    ):  # an axis takes its room thereby, and is drawn anew
                        take = view.rows.show if is_named else view.rows.hide
                        take()
                    named = rows
                elif isinstance(view, LinksView):
                    named = view.panel.right.labels

    def _stand(self, row: int, column: int, item: pg.GraphicsWidget, width: int) -> None:
        """Put an item in a column, which prefers this width and gets that share of the room, whatever its labels need."""
        layout = self._graphics.ci.layout
        self._graphics.addItem(item, row, column)
        layout.setAlignment(item, Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        layout.setColumnStretchFactor(column, width)
        layout.setColumnPreferredWidth(column, width or -1)

    def _build_tables(self) -> None:
        """Tables stand beside or below the graphics, or alone; one that is alone takes the keyboard from the view."""
        self.setFocusProxy(None)  # type: ignore[arg-type]  # which its stub doesn't know, Qt does
        for view in self._tables:
            view.hide()
            view.deleteLater()
        alone = not self._plan.rows
        self._tables = [TableView(self._colours) for _ in self._plan.tables]
        for view in self._tables:
            self._shares.addWidget(view, 1)
            view.show()
        for view in reversed(self._tables):
            self.setTabOrder(self, view.view)  # Qt puts new widgets behind all that the window has
        self._scroll.setVisible(not (alone and self._tables))
        if alone and len(self._tables) == 1:  # from the last of several, Tab would lead back to the first
            self.setFocusProxy(self._tables[0].view)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Tables stand beside the graphics where all their columns fit and there is more room than below.

        In a view that is too low for both the graphics have all the room.
        """
        super().resizeEvent(event)
        self._share_room()
        self._fitting.start()  # cards that are put in place pass through several sizes

    def _fit(self) -> None:
        if self._figure is not None and self._built != plan(self._figure, QSizeF(self.size())).shape:
            self._draw_anew()
        self._moving.start()

    def _share_room(self) -> None:
        alone = self._scroll.isHidden()
        room = self.width() - (0 if alone else _LEAST_BESIDE)
        fits = sum(view.least_width(self.height()) for view in self._tables) <= room
        beside = fits and self.width() > _WIDE * self.height()
        self._shares.setDirection(QBoxLayout.Direction.LeftToRight if beside else QBoxLayout.Direction.TopToBottom)
        is_low = not alone and not beside and self.height() < _LEAST_WITH_TABLES * line_height()
        for view in self._tables:
            view.setVisible(not is_low)
            if beside and not alone:
                view.stand_beside_graphics(self.height())
            else:
                view.stand_below_graphics(not alone)

    def _arrange(self) -> None:
        """Share the graphics' room among the panels, each row by what it needs; where they need more, the view scrolls."""
        if not self._panels:
            return
        lanes = self._plan.lanes
        around = QMarginsF(_AROUND, _AROUND / 2, _AROUND, _AROUND)
        gaps = [_LANE_GAP if row.axis_below else GAP for row in lanes[:-1]]
        axes = [_axes_height(views) if row.is_lane else 0.0 for views, row in zip(self._rows, lanes, strict=True)]
        needed = [
            line_height()
            * (_LEAST_LINES_OF_LANE if row.is_lane else max(_LEAST_LINES[type(panel)] for panel in panels))
            for row, panels in zip(lanes, self._plan.rows, strict=True)
        ]
        fixed = sum(gaps) + sum(axes)
        least = math.ceil(fixed + sum(needed) + around.top() + around.bottom())
        if least != self._graphics.minimumHeight():
            self._graphics.setMinimumHeight(least)
            QApplication.sendEvent(self._scroll, QEvent(QEvent.Type.LayoutRequest))  # now, not with the next turn
        room = QRectF(QPointF(), QSizeF(self._graphics.viewport().size())).marginsRemoved(around).size()
        share_of_height = (room.height() - fixed) / sum(needed)
        bars = [{view: self._bars[view] for view in views if view in self._bars} for views in self._rows]
        taken = [
            [BEFORE_BAR + own[view].wanted_width() if view in own else 0.0 for view in views]
            for views, own in zip(self._rows, bars, strict=True)
        ]
        of_columns = sum(map(max, itertools.zip_longest(*taken, fillvalue=0.0)))
        rest, widest = math.inf, max(map(len, self._rows))
        for row, (views, own) in enumerate(zip(self._rows, bars, strict=True)):
            # Every row keeps the room of the others' bars and panels, so that cells below each other are of one size.
            width = (room.width() - of_columns) * len(views) / widest + sum(taken[row])
            height = needed[row] * share_of_height
            left = share(
                views,
                own,
                QSizeF(width, height),
                titled=not lanes[row].is_lane and all(self._says_title(view.panel) for view in views),
            )
            rest = min(rest, left) if len(views) == widest else rest
            self._graphics.ci.layout.setRowFixedHeight(row, max(1.0, height + axes[row]))
        for row, gap in enumerate(gaps):
            self._graphics.ci.layout.setRowSpacing(row, gap)
        self._graphics.ci.setContentsMargins(around.left(), around.top(), around.right() + rest, around.bottom())

    def _at(self, scene_position: QPointF) -> tuple[int, float, float] | None:
        for index, view in enumerate(self._panels):
            if view.plot.vb.sceneBoundingRect().contains(scene_position):
                return index, *view.at(scene_position)
        return None

    def _point(self, index: int, x: float, y: float) -> None:
        panel = self._panels[index].panel
        words = panel.read(x, y)
        self.pointed.emit(panel.pointer(x, y) if words else NOWHERE, words)

    def _on_moved(self, position: QPointF) -> None:
        self._cursor, self._mouse = None, position
        found = self._at(position)
        if found:
            self._point(*found)
        else:
            self.pointed.emit(NOWHERE, "")
        self._say()

    def _on_left(self) -> None:
        self._mouse = None
        self.pointed.emit(NOWHERE, "")
        self._say()

    def _say(self) -> None:
        """Say beside the mouse what is under it."""
        found = self._at(self._mouse) if self._mouse is not None else None
        words, place = "", QPoint()
        if found and self._mouse is not None:
            index, x, y = found
            words = self._told(index, x, y)
            place = self._graphics.mapTo(self, self._graphics.mapFromScene(self._mouse))
        self._hint.say(words, place, self.rect())

    def _told(self, index: int, x: float, y: float) -> str:
        """What is at a place of a panel, and of the maps that have the same cells."""
        panel = self._panels[index].panel
        words: str = panel.read(x, y)
        if not words or not isinstance(panel, Heatmap):
            return words
        maps = [view.panel for view in self._panels if isinstance(view, HeatmapView)]
        alike = [one for one in maps if (one.rows, one.columns) == (panel.rows, panel.columns)]
        if len(alike) == 1:
            return words
        return " · ".join((panel.place(x, y), *(f"{one.value(x, y)} {one.title}" for one in alike)))

    def _on_clicked(self, event: Any) -> None:
        if event.button() != Qt.MouseButton.LeftButton:
            return
        if event.double():
            self.reset_view()
            return
        found = self._at(event.scenePos())
        if found:
            index, x, y = found
            self._click(index, x, y)

    def _click(self, index: int, x: float, y: float) -> None:
        """Tell of a cell; a block is opened."""
        view = self._panels[index]
        if not view.panel.read(x, y):
            return
        if isinstance(view, HeatmapView) and _is_of_blocks(view):
            view.approach(x, y)
            self._moving.start()
        else:
            self.clicked.emit(view.panel.pointer(x, y))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        """Follow the graphics' size; take the crosshair away when the mouse leaves, and the keyboard's focus when it clicks."""
        if event.type() == QEvent.Type.Leave:
            self._on_left()
        elif event.type() == QEvent.Type.Resize:
            self._arrange()
        elif event.type() == QEvent.Type.Wheel and isinstance(event, QWheelEvent) and self._scrolls(event):
            return QApplication.sendEvent(self._scroll.verticalScrollBar(), event)
        elif event.type() == QEvent.Type.MouseButtonPress and isinstance(event, QMouseEvent):
            self.setFocus(Qt.FocusReason.MouseFocusReason)
        return super().eventFilter(watched, event)

    def _scrolls(self, event: QWheelEvent) -> bool:
        """Whether the wheel scrolls, since panels are out of sight; with Ctrl it zooms there too."""
        held = event.modifiers() & Qt.KeyboardModifier.ControlModifier
        return bool(self._scroll.verticalScrollBar().maximum()) and not held

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Arrows move the pointer, Enter clicks, Escape takes the pointer away; + and − zoom, 0 shows everything."""
        steps = {
            Qt.Key.Key_Left: (-1, 0),
            Qt.Key.Key_Right: (1, 0),
            Qt.Key.Key_Up: (0, -1),
            Qt.Key.Key_Down: (0, 1),
        }
        zooms = {Qt.Key.Key_Plus: 0.5, Qt.Key.Key_Equal: 0.5, Qt.Key.Key_Minus: 2.0}
        key, held = Qt.Key(event.key()), event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        plain = held in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier)
        if plain and self._maps() and key in zooms:
            self._zoom(zooms[key])
        elif plain and self._maps() and key == Qt.Key.Key_0:
            self.reset_view()
        elif held == Qt.KeyboardModifier.ShiftModifier and self._maps() and key in steps:
            self._map_at_hand().pan(*(_PANNED * step for step in steps[key]))
            self._moving.start()
        elif key in _SCROLLED and self._scroll.verticalScrollBar().maximum():
            self._scroll.verticalScrollBar().triggerAction(_SCROLLED[key])
        elif not self._panels or (
            key not in steps and key not in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Escape)
        ):
            super().keyPressEvent(event)
        elif key in steps:
            index, x, y = self._cursor or (0, *self._panels[0].start())
            if self._cursor:
                index, x, y = self._stepped(index, x, y, *steps[key])
            self._cursor = (index, x, y)
            view = self._panels[index]
            self._bring_in_sight(view)
            if isinstance(view, HeatmapView):
                view.bring(x, y)
                self._moving.start()
            self._point(index, x, y)
        elif key == Qt.Key.Key_Escape:
            self._cursor = None
            self.pointed.emit(NOWHERE, "")
        elif self._cursor:
            self._click(*self._cursor)

    def _bring_in_sight(self, view: PanelView) -> None:
        """Scroll to a panel: all of it where it has room, or else its beginning."""
        place = view.plot.sceneBoundingRect().adjusted(0, -_AROUND, 0, _AROUND)
        seen = self._scroll.viewport().height()
        bar = self._scroll.verticalScrollBar()
        bar.setValue(int(min(place.top(), max(bar.value(), min(place.bottom() - seen, place.top())))))

    def _map_at_hand(self) -> HeatmapView:
        """The map in which the keyboard's pointer stands, or else the one that is a part, or the first."""
        view = self._panels[self._cursor[0]] if self._cursor else None
        return view if isinstance(view, HeatmapView) else self._larger() or self._maps()[0]

    def _zoom(self, factor: float) -> None:
        """Zoom a map around the keyboard's pointer, or around the token in focus, or the middle."""
        view = self._map_at_hand()
        focus = view.panel.rows.focus if is_square(view.panel) else None
        around = None if focus is None else (focus, focus)
        if self._cursor and self._panels[self._cursor[0]] is view:
            around = self._cursor[1:]
        view.zoom(factor, around)
        self._moving.start()

    def _stepped(self, index: int, x: int, y: float, dx: int, dy: int) -> tuple[int, int, float]:
        """Where a step leads: in the same panel, or over its left or right edge into the next; nowhere at the end."""
        panel = self._panels[index]
        moved = panel.step(x, y, dx, dy)
        if panel.panel.read(*moved) or (isinstance(panel, HeatmapView) and panel.reaches(*moved)):
            return index, *moved
        beside = index + dx
        if dx and 0 <= beside < len(self._panels):
            return beside, *self._panels[beside].start()
        return index, x, y


def _whole(view: HeatmapView) -> tuple[range, range]:
    """The rows and columns of the larger map, of which this shows a part."""
    part = view.panel.part
    return (range(0), range(0)) if part is None else (part.every_row, part.every_column)


def _is_of_blocks(view: HeatmapView) -> bool:
    part = view.panel.part
    return part is not None and max(part.height, part.width) > 1


def _between(low: float, high: float, whole: range) -> range | None:
    """Those of which something is seen; None where these are all."""
    start, stop = max(whole.start, math.floor(low + _SLIVER)), min(whole.stop, math.ceil(high - _SLIVER))
    return None if (start, stop) == (whole.start, whole.stop) else range(start, max(start + 1, stop))


def _axes_height(views: Sequence[PanelView]) -> float:
    return max((view.axes_height for view in views if isinstance(view, LinesView)), default=0.0)
