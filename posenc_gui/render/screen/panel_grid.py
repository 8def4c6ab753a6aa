"""The views of a figure's panels in rows: built, linked, and given their share of the room."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence

import pyqtgraph as pg
from PySide6.QtCore import QMarginsF, QPointF, QRectF, QSizeF, Qt

from posenc_gui.figure.panels import Bars, Dials, Heatmap, Lines, Links, Note, Panel, Slopes
from posenc_gui.foundation.theme import Roles
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
from posenc_gui.render.screen.panel_plan import Plan, extents
from posenc_gui.render.screen.panel_view import PanelView
from posenc_gui.render.screen.row_layout import BEFORE_BAR, GAP, share
from posenc_gui.render.screen.safe_graphics_view import Graphics
from posenc_gui.render.screen.slopes import SlopesView

AROUND = 8.0  # pixels around the panels, above them half of it
_MARGINS = QMarginsF(AROUND, AROUND / 2, AROUND, AROUND)
_VIEWS: dict[type, Callable[[Roles], PanelView]] = {
    Heatmap: HeatmapView, Lines: LinesView, Bars: BarsView, Links: LinksView, Slopes: SlopesView,
    Dials: DialsView, Note: NoteView,
}  # fmt: skip
_LEAST_LINES: dict[type, float] = {
    Heatmap: 9, Lines: 6, Bars: 8, Links: 9, Slopes: 8, Dials: 5, Note: 3,
}  # minimum panel heights, in lines of text; with less space the view scrolls  # fmt: skip
_LEAST_LINES_OF_LANE = 1.4
_LANE_GAP = 8.0  # pixels between lanes: curves below each other that share their x axis


class PanelGrid:
    """Panel views in rows, from top to bottom, with colour bars at the right of the maps that they belong to."""

    def __init__(self, graphics: Graphics) -> None:
        self._graphics = graphics
        graphics.ci.setSpacing(GAP)
        self._plan = Plan((), (), {})
        self.shape: object = None  # the shape of the plan that the views were built for
        self.views: list[PanelView] = []
        self.bars: dict[PanelView, ColourBar] = {}  # keyed by the map to the left of each bar
        self._rows: list[list[PanelView]] = []

    def drop_views(self) -> None:
        """Forget the views, so that a resize before the next ones are built arranges nothing."""
        self.views, self._rows = [], []

    def build(self, plan: Plan, colours: Roles) -> None:
        """Replace all views by those that a plan needs."""
        self._plan, self.shape = plan, plan.shape
        self._graphics.clear()
        panels = plan.panels
        self.views = [_VIEWS[type(panel)](colours) for panel in panels]
        views = iter(self.views)
        self._rows = [list(itertools.islice(views, len(row))) for row in plan.rows]
        self.bars = {
            view: ColourBar(colours) for panel, view in zip(panels, self.views, strict=True) if panel in plan.bars
        }
        self._place()
        self._link_maps()
        self._link_lanes()
        for panel, view in zip(panels, self.views, strict=True):
            if isinstance(view, SlopesView) and self._maps():
                view.stand_beside_maps(has_axis_beside(panel, panels))

    def show_panels(self, plan: Plan) -> None:
        """Show the panels of a plan of the shape that the views were built for."""
        self._plan = plan
        for view, panel in zip(self.views, plan.panels, strict=True):
            view.show(panel)

    def show_scales(self) -> None:
        """Show what panels have in common: colour scales, the style of numbers in cells, axes and row labels."""
        for view, bar in self.bars.items():
            bar.show_scale(view.panel.scale, self._plan.bars[view.panel])
        numbers = Numbers([view.panel for view in self._maps()])
        for map_view in self._maps():
            map_view.show_numbers(numbers)
        self._align_lanes()
        self._label_rows()

    def columns(self) -> int:
        """The number of panels in the longest row."""
        return max(map(len, self._rows), default=1)

    def least_height(self) -> int:
        """The height in pixels below which panels can't be read."""
        return math.ceil(self._fixed_height() + sum(self._least_heights()) + _MARGINS.top() + _MARGINS.bottom())

    def arrange(self, says_title: Callable[[Panel], bool]) -> None:
        """Divide the available space among the panels according to the needs of each row."""
        layout = self._graphics.ci.layout
        room = QRectF(QPointF(), QSizeF(self._graphics.viewport().size())).marginsRemoved(_MARGINS).size()
        least, axes = self._least_heights(), self._axes_heights()
        share_of_height = (room.height() - self._fixed_height()) / sum(least)
        bars = [{view: self.bars[view] for view in views if view in self.bars} for views in self._rows]
        taken = [
            [BEFORE_BAR + own[view].wanted_width() if view in own else 0.0 for view in views]
            for views, own in zip(self._rows, bars, strict=True)
        ]
        of_columns = sum(map(max, itertools.zip_longest(*taken, fillvalue=0.0)))
        rest, widest = math.inf, self.columns()
        for row, (views, own) in enumerate(zip(self._rows, bars, strict=True)):
            # Every row reserves space for other rows' colour bars and panels, so that cells have one size in all rows.
            width = (room.width() - of_columns) * len(views) / widest + sum(taken[row])
            height = least[row] * share_of_height
            titled = not self._plan.lanes[row].is_lane and all(says_title(view.panel) for view in views)
            left = share(views, own, QSizeF(width, height), titled=titled)
            rest = min(rest, left) if len(views) == widest else rest
            layout.setRowFixedHeight(row, max(1.0, height + axes[row]))
        for row, gap in enumerate(self._gaps()):
            layout.setRowSpacing(row, gap)
        self._graphics.ci.setContentsMargins(
            _MARGINS.left(), _MARGINS.top(), _MARGINS.right() + rest, _MARGINS.bottom()
        )

    def _gaps(self) -> list[float]:
        return [_LANE_GAP if row.axis_below else GAP for row in self._plan.lanes[:-1]]

    def _axes_heights(self) -> list[float]:
        return [
            _axes_height(views) if row.is_lane else 0.0 for views, row in zip(self._rows, self._plan.lanes, strict=True)
        ]

    def _fixed_height(self) -> float:
        """The height that gaps and the axes of lanes take, whatever the room is."""
        return sum(self._gaps()) + sum(self._axes_heights())

    def _least_heights(self) -> list[float]:
        return [
            line_height()
            * (_LEAST_LINES_OF_LANE if row.is_lane else max(_LEAST_LINES[type(panel)] for panel in panels))
            for row, panels in zip(self._plan.lanes, self._plan.rows, strict=True)
        ]

    def _maps(self) -> list[HeatmapView]:
        return [view for view in self.views if isinstance(view, HeatmapView)]

    def _place(self) -> None:
        """Put panels and colour bars in rows; a panel that is alone below others is as wide as all of them."""
        columns = itertools.count()
        alone = [len(row) == 1 < self.columns() and not isinstance(row[0], HeatmapView) for row in self._rows]
        if len(self._rows) > 1 and len(self._rows[-1]) == 1 and not isinstance(self._rows[-1][0], HeatmapView):
            alone[-1] = True
        beside_others = [[] if one else row for row, one in zip(self._rows, alone, strict=True)]
        for place in itertools.zip_longest(*beside_others):
            column = next(columns)
            beside = next(columns) if any(view in self.bars for view in place) else column
            self._graphics.ci.layout.setColumnSpacing(column, BEFORE_BAR if beside > column else GAP)
            for row, view in enumerate(place):
                if view is not None:
                    self._put(row, column, view.plot, view.width)
                if view in self.bars:
                    self._put(row, beside, self.bars[view], 0)
        width = max(1, next(columns))
        for row, (views, is_alone) in enumerate(zip(self._rows, alone, strict=True)):
            if is_alone:
                self._graphics.addItem(views[0].plot, row, 0, 1, width)

    def _put(self, row: int, column: int, item: pg.GraphicsWidget, width: int) -> None:
        """Put an item in a column, which prefers this width and gets that share of the room, whatever its labels need."""
        layout = self._graphics.ci.layout
        self._graphics.addItem(item, row, column)
        layout.setAlignment(item, Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        layout.setColumnStretchFactor(column, width)
        layout.setColumnPreferredWidth(column, width or -1)

    def _link_maps(self) -> None:
        """Let maps of the same rows or columns, and links beside them, pan and zoom together."""
        along: dict[object, PanelView] = {}  # the first map of each extent along its columns
        down: dict[object, PanelView] = {}  # and along its rows
        for panel, view in zip(self._plan.panels, self.views, strict=True):
            if isinstance(panel, Heatmap):
                columns, rows = extents(panel)
                if (first := along.setdefault(columns, view)) is not view:
                    view.plot.vb.setXLink(first.plot.vb)
                if (first := down.setdefault(rows, view)) is not view:
                    view.plot.vb.setYLink(first.plot.vb)
        for view in self.views if down else ():
            if isinstance(view, LinksView):
                view.plot.vb.setYLink(next(iter(down.values())).plot.vb)

    def _link_lanes(self) -> None:
        """Let lanes pan and zoom together; the last one labels their x axis."""
        panel_of = dict(zip(self.views, self._plan.panels, strict=True))
        for upper_row, lower_row in itertools.pairwise(self._rows):
            for upper, lower in zip(upper_row, lower_row, strict=False):
                if isinstance(lower, LinesView) and is_lane(panel_of[upper]):
                    lower.among_others = True
                    upper.plot.getAxis("bottom").hide()
                    upper.plot.vb.setXLink(lower.plot.vb)

    def _align_lanes(self) -> None:
        """Let lanes end at the same x, however long the labels of their curves are."""
        lanes = [view for views in self._rows for view in views if isinstance(view, LinesView)]
        if any(view.panel.shares_x for view in lanes):
            widest = max(view.room_after for view in lanes)
            for view in lanes:
                view.leave_after(widest)

    def _label_rows(self) -> None:
        """Label the rows of a map unless the panel before it or the links after it do."""
        for views in self._rows:
            labelled: tuple[str, ...] | None = None
            for view, after in itertools.zip_longest(views, views[1:]):
                if isinstance(view, HeatmapView):
                    rows = view.panel.rows.labels
                    is_labelled = rows != labelled and not isinstance(after, LinksView)
                    if view.rows.isVisibleTo(view.plot) != is_labelled:  # to show or hide an axis costs a new layout
                        change = view.rows.show if is_labelled else view.rows.hide
                        change()
                    labelled = rows
                elif isinstance(view, LinksView):
                    labelled = view.panel.right.labels


def _axes_height(views: Sequence[PanelView]) -> float:
    return max((view.axes_height for view in views if isinstance(view, LinesView)), default=0.0)
