"""The views of a figure's panels: built, linked, and put in the places that the composer gives them."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from PySide6.QtCore import QPointF, QSizeF
from PySide6.QtGui import QFont, QFontInfo

from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panels import Heatmap, Links, Panel, Slopes
from posenc_gui.foundation.theme import BODY, Roles
from posenc_gui.render.composer import compose
from posenc_gui.render.drawings.around_panels import draw_band
from posenc_gui.render.drawings.drawing import Stage
from posenc_gui.render.drawings.kinds import drawing_of, stages
from posenc_gui.render.drawings.parts import Text
from posenc_gui.render.drawings.slopes import has_axis_beside, stands_beside_maps
from posenc_gui.render.layout.composition import Composition, Placed, PlacedMap, title_of
from posenc_gui.render.layout.lanes import is_lane
from posenc_gui.render.layout.rect import Rect
from posenc_gui.render.layout.type_sizes import Face
from posenc_gui.render.screen.fonts import screen_style
from posenc_gui.render.screen.panel_view import MapView, PanelView
from posenc_gui.render.screen.parts_item import ColourBar, PartsItem
from posenc_gui.render.screen.parts_painter import as_qt
from posenc_gui.render.screen.safe_graphics_view import Graphics

AROUND = 8.0  # pixels around the panels, above them half of it
_EDGE = 1.0  # pixels beyond its room that a panel's lines may reach
_NUMBERS = re.compile(r"[\d.,]+")
_ROUNDS = 2  # of drawing: a view that is put in its place moves what is in sight in views linked to it
_BESIDE_MAPS = 920.0  # pixels in normal text: narrower cards have no slopes beside maps, those of 960 have
_ROOMS = 2  # of which compositions are kept: with and without a scroll bar


class PanelGrid:
    """Panel views in rows, from top to bottom, and the colour bars of their maps."""

    _colours: Roles  # of the views that are built

    def __init__(self, graphics: Graphics) -> None:
        self._graphics = graphics
        self.shape: object = None  # the shape of the composition that the views were built for
        self.views: list[PanelView] = []
        self.bars: dict[MapView, ColourBar] = {}  # by the last map of each scale
        self.columns = 1  # in the longest row
        self._bands: list[PartsItem] = []

    def drop_views(self) -> None:
        """Forget the views, so that a resize before the next ones are built arranges nothing."""
        self.views, self.bars, self._bands, self.columns, self.shape = [], {}, [], 1, None

    def build(self, found: Composition, colours: Roles) -> None:
        """Replace all views by those that a composition needs."""
        self.shape, self._colours = shape_of(found), colours
        self._graphics.remove_all()
        panels = [placed.panel for placed in found.panels]
        self.views = [(MapView if isinstance(panel, Heatmap) else PanelView)(colours) for panel in panels]
        self.columns = max(map(len, found.rows))
        shown = zip(panels, self.views, strict=True)
        self.bars = {
            view: ColourBar(colours) for panel, view in shown if isinstance(view, MapView) and panel in found.bars
        }
        self._bands = [PartsItem() for _ in found.bands]
        for item in (*self._bands, *self.views, *self.bars.values()):
            self._graphics.place(item)
        self._link_maps(panels)
        self._link_lanes(found)

    @property
    def panels(self) -> list[Panel]:
        """The panels that the views show."""
        return [view.shown for view in self.views]

    def show_panels(self, found: Composition) -> None:
        """Show the panels of a composition of the shape that the views were built for."""
        for view, placed in zip(self.views, found.panels, strict=True):
            view.show_panel(placed.panel)

    def prepare(self) -> None:
        """Draw what has changed since it was seen last: an error inside a paint would end the process."""
        for view in self.views * _ROUNDS:
            view.prepare()

    def place(self, found: Composition) -> None:
        """Put all panels and colour bars in their places."""
        style = screen_style()
        staged = stages(found, style, self._colours)
        for view, placed in zip(self.views, found.panels, strict=True):
            _place(view, placed, staged[placed.panel], found.title)
        for item, band in zip(self._bands, found.bands, strict=True):
            ground, head = _on_scene(band.ground), _on_scene(band.head)
            ground = replace(ground, left=ground.left - AROUND, right=ground.right + AROUND)
            here = replace(band, ground=ground, head=head, start=band.start + AROUND)
            reference = band is not found.bands[-1]
            item.show_parts(draw_band(here, style, self._colours, reference=reference), ground)
        for view, bar in self.bars.items():
            placed_bar = found.bars[view.shown]
            room, colours = _on_scene(placed_bar.room), _on_scene(placed_bar.colours)
            bar.show_bar(view.shown.scale, replace(placed_bar, room=room, colours=colours))

    def closer(self) -> dict[Panel, tuple[float, float]]:
        """How many times as high and as broad the cells of zoomed maps are than those of the whole."""
        return {view.shown: view.closer for view in self._maps() if view.shown.part is not None}

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
                    view.vb.setXLink(first.vb)
                if (first := down.setdefault(rows, view)) is not view:
                    view.vb.setYLink(first.vb)
        for panel, view in zip(panels, self.views, strict=True) if down else ():
            if isinstance(panel, Links):
                view.vb.setYLink(next(iter(down.values())).vb)

    def _link_lanes(self, found: Composition) -> None:
        """Let lanes pan and zoom together."""
        views = iter(self.views)
        rows = [list(itertools.islice(views, len(row))) for row in found.rows]
        for (upper_row, lower_row), placed in zip(itertools.pairwise(rows), found.rows, strict=False):
            for upper, lower, one in zip(upper_row, lower_row, placed, strict=False):
                if is_lane(one.panel):
                    upper.vb.setXLink(lower.vb)


def _place(view: PanelView, placed: Placed, stage: Stage, face: Face) -> None:
    room, plot = _on_scene(placed.room), _on_scene(placed.plot)
    drawn = replace(room, top=plot.top, bottom=plot.bottom)
    if isinstance(placed, PlacedMap):  # labels and brackets are its drawing's
        drawn = replace(room, top=room.top + round(placed.title) + round(placed.head))
        assert stage.map_layout is not None
        map_layout = replace(stage.map_layout, cells=plot.shifted(-drawn.left, -drawn.top))
        stage = replace(stage, map_layout=map_layout)
    stage = replace(stage, width=max(1.0, drawn.width), height=max(1.0, drawn.height))
    whole = as_qt(replace(room, bottom=drawn.bottom)).adjusted(-_EDGE, -_EDGE, _EDGE, _EDGE)
    view.place(stage, QPointF(drawn.left, drawn.top), whole, _title(placed, room.top, face, stage.roles.ink))


def _title(placed: Placed, top: float, face: Face, ink: str) -> Iterator[Text]:
    """A panel's title, its lines in the middle of their room."""
    lines = title_of(placed, face)
    left = _on_scene(placed.plot if isinstance(placed, PlacedMap) else placed.room).left
    for number, line in enumerate(lines):
        y = top + round(placed.title) / 2 + (number - (len(lines) - 1) / 2) * face.line
        yield Text(left, y, line, ink, face, bold=True)


def _on_scene(rect: Rect) -> Rect:
    """A rectangle of the composition in the view, with its sides on whole pixels, so that lines are sharp."""
    left, top = round(rect.left + AROUND), round(rect.top + AROUND / 2)
    return Rect(left, top, round(rect.right + AROUND), round(rect.bottom + AROUND / 2))


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


class ViewComposer:
    """Composes figures in one view, which `grows` where panels would be too low."""

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
        if self._grows and width < _BESIDE_MAPS * QFontInfo(QFont()).pixelSize() / BODY.size:
            panels = tuple(panel for panel in panels if not stands_beside_maps(panel, panels))
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
    """What of a panel decides on the arrangement, without its numbers, and whatever the order of its tokens."""
    title = _NUMBERS.sub("0", panel.title)
    if isinstance(panel, Heatmap):
        labels = (tuple(sorted(axis.labels)) for axis in (panel.rows, panel.columns))
        axes = (*labels, panel.rows.role, panel.columns.role)
        return Heatmap, title, panel.values.shape, panel.difference, panel.part and panel.part.every_row, *axes
    if isinstance(panel, Slopes):
        return Slopes, title, panel.columns, tuple(sorted(panel.cells.labels))
    return type(panel), title, is_lane(panel), drawing_of(panel).places(panel)
