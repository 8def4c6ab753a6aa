"""The view of a map: what of it, or of the larger map that it is a part of, is in sight."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF

from posenc_gui.figure.panels import Heatmap
from posenc_gui.render.screen.panel_view import PanelView

_NEAR = 32  # tokens along a side when zoomed in on one


class MapView(PanelView):
    """A map that can be zoomed and panned; of a larger one it may show a part."""

    @property
    def _whole(self) -> QRectF:
        """All that can be in sight."""
        assert self._zoom_range is not None
        whole = self._zoom_range.shown
        return QRectF(whole.left, whole.top, whole.width, whole.height)

    @property
    def closer(self) -> tuple[float, float]:
        """The zoom of a part, down and across: the size of cells relative to the whole map."""
        if self.shown.part is None:
            return 1.0, 1.0
        seen = self.vb.viewRect()
        return self._whole.height() / seen.height(), self._whole.width() / seen.width()

    def seen(self) -> QRectF:
        """The visible rectangle, in rows and columns of the larger map: its first row spans 0 to 1."""
        return _in_items(self.shown, self.vb.viewRect())

    def in_items(self, x: float, y: float) -> QPointF:
        """Convert this map's coordinates to rows and columns of the larger map."""
        return _in_items(self.shown, QRectF(x, y, 0, 0)).topLeft()

    def in_cells(self, items: QPointF) -> tuple[float, float]:
        """Convert a point of the larger map to this map's coordinates."""
        place = _in_cells(self.shown, QRectF(items, items)).topLeft()
        return place.x(), place.y()

    def place_of(self, token: int) -> tuple[float, float]:
        """Return the coordinates of the diagonal cell, in which a token is both query and key."""
        return (token, token) if self.shown.part is None else self.in_cells(QPointF(token + 0.5, token + 0.5))

    def look_at(self, items: QRectF) -> None:
        """Show this rectangle of the larger map, limited to the map."""
        self.vb.setRange(_in_cells(self.shown, items) & self._whole, padding=0)

    def reaches(self, x: float, y: float) -> bool:
        """True if the map, or the larger one that it is a part of, has a cell there."""
        return self._whole.contains(x, y)

    def bring(self, x: float, y: float) -> None:
        """Scroll so that a point that isn't visible is in the centre."""
        seen = QRectF(self.vb.viewRect())
        if not seen.contains(x, y):
            seen.moveCenter(QPointF(x, y))
            self._stay_inside(seen)

    def zoom(self, factor: float, around: tuple[float, float] | None) -> None:
        """Show `factor` times as much, around a visible point, or else around the middle."""
        seen = QRectF(self.vb.viewRect())
        centre = QPointF(*around) if around and seen.contains(*around) else seen.center()
        self._stay_inside(QRectF(centre + (seen.topLeft() - centre) * factor, seen.size() * factor))

    def approach(self, x: float, y: float) -> None:
        """Zoom in around a point until single tokens are shown; at least one whole block stays visible."""
        part = self.shown.part
        height, width = (part.height, part.width) if part else (1, 1)
        near = QRectF(round(x) - 0.5, round(y) - 0.5, 1, 1)
        wider, higher = max(0, _NEAR - width) // 2 / width, max(0, _NEAR - height) // 2 / height
        self._stay_inside(near.adjusted(-wider, -higher, wider, higher))

    def pan(self, right: float, down: float) -> None:
        """Pan by fractions of the visible width and height."""
        seen = QRectF(self.vb.viewRect())
        self._stay_inside(seen.translated(right * seen.width(), down * seen.height()))

    def _stay_inside(self, seen: QRectF) -> None:
        """Show this rectangle, shrunk and moved into the map."""
        whole = self._whole
        seen.setSize(seen.size().boundedTo(whole.size()))
        seen.moveLeft(min(max(seen.left(), whole.left()), whole.right() - seen.width()))
        seen.moveTop(min(max(seen.top(), whole.top()), whole.bottom() - seen.height()))
        self.vb.setRange(seen, padding=0)


def _in_cells(panel: Heatmap, items: QRectF) -> QRectF:
    """Convert a rectangle from the larger map's rows and columns to this part's coordinates."""
    part = panel.part
    if part is None:
        return items
    left, top = panel.columns.first - 0.5, panel.rows.first - 0.5
    x, y = (items.left() - part.columns.start) / part.width, (items.top() - part.rows.start) / part.height
    return QRectF(left + x, top + y, items.width() / part.width, items.height() / part.height)


def _in_items(panel: Heatmap, cells: QRectF) -> QRectF:
    """Convert a rectangle from this part's coordinates to rows and columns of the larger map."""
    part = panel.part
    if part is None:
        return cells
    x, y = cells.left() - panel.columns.first + 0.5, cells.top() - panel.rows.first + 0.5
    return QRectF(
        part.columns.start + x * part.width,
        part.rows.start + y * part.height,
        cells.width() * part.width,
        cells.height() * part.height,
    )
