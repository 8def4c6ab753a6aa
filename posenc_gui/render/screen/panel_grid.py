"""The views of a figure's panels: built, linked, and put in the places that the composer gives them."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace

import pyqtgraph as pg
from PySide6.QtCore import QMarginsF, QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QPainter

from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panels import Dials, Heatmap, Links, Panel, Slopes
from posenc_gui.foundation.theme import BODY, Roles
from posenc_gui.render.composer import compose
from posenc_gui.render.drawings.drawing import Stage
from posenc_gui.render.drawings.kinds import stages
from posenc_gui.render.drawings.slopes import has_axis_beside
from posenc_gui.render.layout.composition import Composition, Placed, PlacedMap
from posenc_gui.render.layout.lanes import is_lane
from posenc_gui.render.layout.rect import Rect
from posenc_gui.render.layout.text_fit import elided, visible
from posenc_gui.render.screen.colour_bar import ColourBar
from posenc_gui.render.screen.drawn_item import EDGE
from posenc_gui.render.screen.fonts import font_of, measured, screen_style
from posenc_gui.render.screen.panel_view import MapView, PanelView
from posenc_gui.render.screen.safe_graphics_view import Graphics

AROUND = 8.0  # pixels around the panels, above them half of it
_ROUNDS = 2  # of drawing: a view that is put in its place moves what is in sight in views linked to it
_AFTER_SIGN = 10.0  # pixels between a band's name and what it was made with
_ROOMS = 2  # of which compositions are kept: with and without a scroll bar


class PanelGrid:
    """Panel views in rows, from top to bottom, and the colour bars of their maps."""

    _colours: Roles  # of the views that are built

    def __init__(self, graphics: Graphics) -> None:
        self._graphics = graphics
        self.shape: object = None  # the shape of the composition that the views were built for
        self.views: list[PanelView] = []
        self.bars: dict[MapView, ColourBar] = {}  # by the last map of each scale
        self._rows: list[list[PanelView]] = []
        self._bands: list[_BandItem] = []

    def drop_views(self) -> None:
        """Forget the views, so that a resize before the next ones are built arranges nothing."""
        self.views, self._rows, self.bars, self._bands, self.shape = [], [], {}, [], None

    def build(self, found: Composition, colours: Roles) -> None:
        """Replace all views by those that a composition needs."""
        self.shape, self._colours = shape_of(found), colours
        self._graphics.remove_all()
        panels = [placed.panel for placed in found.panels]
        self.views = [(MapView if isinstance(panel, Heatmap) else PanelView)(colours) for panel in panels]
        views = iter(self.views)
        self._rows = [list(itertools.islice(views, len(row))) for row in found.rows]
        shown = zip(panels, self.views, strict=True)
        self.bars = {
            view: ColourBar(colours) for panel, view in shown if isinstance(view, MapView) and panel in found.bars
        }
        self._bands = [_BandItem(colours, reference=band is not found.bands[-1]) for band in found.bands]
        for band in self._bands:
            self._graphics.place(band)
        for view in self.views:
            self._graphics.place(view.plot)
        for bar in self.bars.values():
            self._graphics.place(bar)
        self._link_maps(panels)
        self._link_lanes(found)

    @property
    def panels(self) -> list[Panel]:
        """The panels that the views show."""
        return [view.panel for view in self.views]

    def show_panels(self, found: Composition) -> None:
        """Show the panels of a composition of the shape that the views were built for."""
        for view, placed in zip(self.views, found.panels, strict=True):
            view.show(placed.panel)
        for view, bar in self.bars.items():
            bar.show_scale(view.panel.scale, found.bars[view.panel].bar)

    def prepare(self) -> None:
        """Draw what has changed since it was seen last: an error inside a paint would end the process."""
        for view in self.views * _ROUNDS:
            view.prepare()

    def columns(self) -> int:
        """The number of panels in the longest row."""
        return max(map(len, self._rows), default=1)

    def place(self, found: Composition) -> None:
        """Put all panels and colour bars in their places."""
        staged = stages(found, screen_style(), self._colours)
        for view, placed in zip(self.views, found.panels, strict=True):
            _place(view, placed, staged[placed.panel])
        for item, band in zip(self._bands, found.bands, strict=True):
            beyond = QMarginsF(AROUND, 0, AROUND, 0)
            item.place(band.name, _on_scene(band.ground) + beyond, _on_scene(band.head), band.start + AROUND)
        for view, bar in self.bars.items():
            placed_bar = found.bars[view.panel]
            bar.place(_on_scene(placed_bar.room), _on_scene(placed_bar.colours), upright=placed_bar.upright)

    def settle(self) -> None:
        """Lay out now what the next paints would."""
        for view in self.views:
            view.plot.settle()

    def closer(self) -> dict[Panel, tuple[float, float]]:
        """How many times as high and as broad the cells of zoomed maps are than those of the whole."""
        return {view.panel: view.closer for view in self._maps() if view.panel.part is not None}

    def _maps(self) -> list[MapView]:
        return [view for view in self.views if isinstance(view, MapView)]

    def _link_maps(self, panels: Sequence[Panel]) -> None:
        """Let maps of the same rows or columns, and links beside them, pan and zoom together."""
        along: dict[object, PanelView] = {}  # the first map of each extent along its columns
        down: dict[object, PanelView] = {}  # and along its rows
        for panel, view in zip(panels, self.views, strict=True):
            if isinstance(panel, Heatmap):
                columns, rows = _extents(panel)
                if (first := along.setdefault(columns, view)) is not view:
                    view.plot.vb.setXLink(first.plot.vb)
                if (first := down.setdefault(rows, view)) is not view:
                    view.plot.vb.setYLink(first.plot.vb)
        for panel, view in zip(panels, self.views, strict=True) if down else ():
            if isinstance(panel, Links):
                view.plot.vb.setYLink(next(iter(down.values())).plot.vb)

    def _link_lanes(self, found: Composition) -> None:
        """Let lanes pan and zoom together."""
        upper_and_lower = zip(itertools.pairwise(self._rows), found.rows, strict=False)
        for (upper_row, lower_row), placed in upper_and_lower:
            for upper, lower, one in zip(upper_row, lower_row, placed, strict=False):
                if is_lane(one.panel):
                    upper.plot.vb.setXLink(lower.plot.vb)


def _place(view: PanelView, placed: Placed, stage: Stage) -> None:
    room, plot = _on_scene(placed.room), _on_scene(placed.plot)
    title, head = round(placed.title), round(placed.head)
    above = plot.top() - room.top() - title - head
    height, start = plot.height(), 0.0
    if isinstance(placed, PlacedMap):  # labels and brackets are its drawing's, and its title begins where its cells do
        above, height, start = 0.0, room.height() - title - head, plot.left() - room.left()
        cells = plot.translated(-room.left(), -room.top() - title - head)
        assert stage.map_layout is not None
        map_layout = replace(stage.map_layout, cells=Rect(cells.left(), cells.top(), cells.right(), cells.bottom()))
        stage = replace(stage, map_layout=map_layout)
    view.title.make_room(title, head, start)
    view.place(stage, above)
    bottom = room.top() + title + head + above + height
    view.plot.setGeometry(QRectF(room.topLeft(), QPointF(room.right(), bottom)).adjusted(-EDGE, -EDGE, EDGE, EDGE))


def _on_scene(rect: Rect) -> QRectF:
    """A rectangle of the composition in the view, with its sides on whole pixels, so that lines are sharp."""
    left, top = round(rect.left + AROUND), round(rect.top + AROUND / 2)
    return QRectF(QPointF(left, top), QPointF(round(rect.right + AROUND), round(rect.bottom + AROUND / 2)))


def shape_of(found: Composition) -> object:
    """All that must be equal for views to be reused: the kinds and rows of panels, bands, colour bars, linked axes."""
    panels = [placed.panel for placed in found.panels]
    along, down = ([_extents(panel)[side] for panel in panels] for side in (0, 1))
    linked = [(along.index(one), down.index(other)) for one, other in zip(along, down, strict=True)]
    kinds = [(type(panel), panel in found.bars, is_lane(panel), has_axis_beside(panel, panels)) for panel in panels]
    return list(map(len, found.rows)), len(found.bands), kinds, linked


def _extents(panel: Panel) -> tuple[object, object]:
    """The extents of a map along its columns and rows: maps with equal extents pan and zoom together."""
    if not isinstance(panel, Heatmap):
        return (), ()
    n_rows, n_columns = panel.values.shape
    part = panel.part
    columns = (panel.columns.role, panel.columns.first, n_columns, part)
    return columns, (panel.rows.role, panel.rows.first, n_rows, part)


class _BandItem(pg.GraphicsWidget):
    """Draws a band behind its panels; the ground of a `reference` differs from the card's."""

    def __init__(self, colours: Roles, *, reference: bool) -> None:
        super().__init__()
        self.setZValue(-1)
        self.setAcceptedMouseButtons(Qt.MouseButton.NoButton)
        self._ink, self._ground = QColor(colours.ink), QColor(colours.window if reference else colours.card)
        self._name, self._head, self._start = "", QRectF(), 0.0

    def place(self, name: str, ground: QRectF, head: QRectF, start: float) -> None:
        """Take a place, all of it in pixels of the view."""
        self._name, self._start = name, start - ground.left()
        self._head = head.translated(-ground.topLeft())
        self.setGeometry(ground)
        self.update()

    def paint(self, painter: QPainter, *_: object) -> None:
        """Fill the ground and write the name, its part before the colon bold."""
        painter.fillRect(self.rect(), self._ground)
        painter.setPen(self._ink)
        left = self._head.left()
        sign, _colon, rest = self._name.partition(": ")
        for text, bold in ((sign, True), (rest, False)):
            font = font_of(BODY, bold=bold)
            painter.setFont(font)
            room = QRectF(self._head)
            room.setLeft(left)
            painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, elided(visible(text), room.width(), measured(font)))
            left = max(self._start, left + measured(font)(text) + _AFTER_SIGN)


class ViewComposer:
    """Composes figures in one view, which `grows` where panels would be too low.

    While only numbers change, panels stay where they are.
    """

    def __init__(self, *, grows: bool) -> None:
        self._grows = grows
        self._kept: dict[object, tuple[Figure, Mapping[Panel, tuple[float, float]], Composition]] = {}

    def compose(
        self, figure: Figure, room: QSizeF, headed: Panel | None, closer: Mapping[Panel, tuple[float, float]]
    ) -> Composition | None:
        """The composition of a figure's panels; None if all are tables or notes."""
        panels = figure.pictures
        if figure.is_note or not panels:
            return None
        style, width, height = screen_style(), max(1.0, room.width()), max(1.0, room.height())
        layout = figure.across, figure.bands, tuple(map(_layout_of, panels))
        key = width, height, style.label.line, headed is None, layout
        known, seen, like = self._kept.get(key, (None, None, None))
        if like is not None and known is figure and seen == closer:
            return like
        if like is None and len(self._kept) == _ROOMS:
            self._kept.clear()
        found = compose(
            panels, figure.across, width, height, style, headed=headed, grows=self._grows, closer=closer, like=like,
            bands=figure.bands,
        )  # fmt: skip
        self._kept[key] = figure, closer, found
        return found


def _layout_of(panel: Panel) -> Sequence[object]:
    """What of a panel decides on the arrangement, without its numbers."""
    if isinstance(panel, Heatmap):
        axes = (panel.rows.labels, panel.columns.labels, panel.rows.role, panel.columns.role)
        return Heatmap, panel.title, panel.values.shape, panel.difference, panel.part and panel.part.every_row, *axes
    if isinstance(panel, Slopes):
        return Slopes, panel.title, panel.columns, panel.cells.labels
    parts = len(panel.dials) if isinstance(panel, Dials) else len(panel.ends) if isinstance(panel, Links) else 0
    return type(panel), panel.title, is_lane(panel), parts
