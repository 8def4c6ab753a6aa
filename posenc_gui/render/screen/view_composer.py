"""The composer's arrangement of a figure in a view, which stays while only numbers change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QSizeF

from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panels import Heatmap, Panel, Slopes, Table
from posenc_gui.render.composer import compose
from posenc_gui.render.drawings.kinds import places
from posenc_gui.render.layout import lanes
from posenc_gui.render.layout.composition import Composition
from posenc_gui.render.screen.fonts import screen_style

_ROOMS = 2  # of which compositions are kept: with and without a scroll bar


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
        panels = [panel for panel in figure.panels if not isinstance(panel, Table)]
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
    return type(panel), panel.title, lanes.is_lane(panel), places(panel)
