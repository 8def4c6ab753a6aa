"""Heatmaps on the screen: cells with their numbers, labels and frames."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QLineF, QMarginsF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPen

from posenc_gui.figure.axis import Axis, Pointer
from posenc_gui.figure.panels import Bracket, Heatmap, MapPart
from posenc_gui.figure.ranges import Mask
from posenc_gui.foundation.contrast import ink_on
from posenc_gui.foundation.theme import CAPTION, Roles
from posenc_gui.foundation.wording import format_told
from posenc_gui.render.drawings.motion import CellMotion, Moment, Standing
from posenc_gui.render.layout.brackets import LEG, bracket_lines
from posenc_gui.render.layout.colour_scales import Colours, colours_at, colours_of
from posenc_gui.render.layout.heatmap_cells import CellText, NumberStyle, cell_texts, numbers_that_fit
from posenc_gui.render.screen.axes import CellAxis
from posenc_gui.render.screen.fonts import caption, font_of, line_height, measured, screen_style
from posenc_gui.render.screen.panel_view import MARK, OverlayItem, PanelView, PointerMark, Spot, pen
from posenc_gui.render.screen.told_values import paint_values

_LEAST_APART, _FAR_APART = 14.0, 40.0  # cell sizes in pixels from which cells have a thin gap, and a wider one
_NEAR = 32  # tokens along a side when zoomed in on one
_LARGE = 8.0  # pixels of a row that has room for a bold frame beside it
_BAR, _BAR_AWAY = 2.0, 4.0  # pixels: the bar of equal rows and columns, and how far from the cells it begins
_BRACKET = 1.5  # pixels: the breadth of a bracket's lines
_AROUND = QMarginsF(4, 4, 4, 4)  # pixels around the map in which its frames are seen
_SHORTER = 0.14  # of a cell: how much it is shorter at each end
_LEFT = 0.6  # opacity of a bar where a token stood
_CORNER = 0.28  # of a cell: the side of the corner with its former colour
_LEAST_EDGED = 8.0  # pixels of a corner with an edge
_LEAST_CORNERED = 10.0  # pixels of a cell that has such a corner
_DIGIT = 0.75  # of a line of text: the height of a digit
_LEAST_FRAME, _LEAST_ROW = 7.0, 3.0  # least pixels inside the frame around a cell and around a row


class Numbers:
    """The numbers in the cells of maps of equally many: in one style, or none at all.

    Texts are made when first drawn: most maps that change during a drag have no room for them.
    """

    def __init__(self, panels: Sequence[Heatmap]) -> None:
        self._panels, self._type = panels, screen_style()
        self._texts: dict[Heatmap, list[list[CellText]]] = {}

    def of(self, panel: Heatmap) -> list[list[CellText]]:
        """The texts of a map's cells, row by row."""
        if panel not in self._texts:
            self._texts[panel] = cell_texts(panel)
        return self._texts[panel]

    def style(self, cell: QRectF) -> NumberStyle | None:
        """The style of numbers in cells of this size; None if the longest doesn't fit."""
        return numbers_that_fit(self._panels, cell.width(), cell.height(), (self._type.label, self._type.small))

    def font(self, style: NumberStyle) -> QFont:
        """The font of numbers in a style."""
        return QFont() if style.face is self._type.label else caption()


class HeatmapView(PanelView):
    def __init__(self, colours: Roles) -> None:
        self.rows, self.columns = CellAxis("left", colours), CellAxis("top", colours)
        super().__init__(colours, {"left": self.rows, "top": self.columns})
        self.plot.vb.invertY(True)
        self.plot.vb.setDefaultPadding(0)
        self._image = pg.ImageItem(axisOrder="row-major")
        self.plot.vb.addItem(self._image)
        self._cells = _Cells(self.plot.vb, colours)
        self.crosshair = _CellFrame(self.plot.vb, colours)
        self._extent = QRectF()
        self._whole = QRectF()

    def show(self, panel: Heatmap) -> None:
        """Draw a map; if it is part of a larger map, `look_at` sets the visible part."""
        self.panel = panel
        rows, columns = panel.values.shape
        extent = QRectF(panel.columns.first - 0.5, panel.rows.first - 0.5, columns, rows)
        colours = colours_of(panel, self.colours)
        self._image.setImage(colours, levels=None, autoLevels=False)
        self._image.setRect(extent)
        self._cells.show_map(panel, colours, extent)
        self.crosshair.show_map(extent)
        self.rows.set_cells(panel.rows, rows)
        self.columns.set_cells(panel.columns, columns)
        self.title.show_text(panel.title)
        whole = extent if panel.part is None else extent.united(_in_cells(panel, _everything(panel.part)))
        if (extent, whole) != (self._extent, self._whole):
            self._extent, self._whole = extent, whole
            self.reset()

    def show_moment(self, motion: CellMotion, now: Moment) -> None:
        """Colour the cells on their way, and rows and columns too; cells that changed keep their former colour in a corner."""
        colours = colours_at(motion.at(now.share), self.panel, self.colours)
        self._image.setImage(colours, levels=None, autoLevels=False)
        former = colours_at(motion.former, self.panel, self.colours)
        standing = motion.stand(now.share)
        self._cells.show_moment(colours, former, motion, now.mark, standing)
        rows, columns = standing or (None, None)
        self.rows.stand(rows, motion.above[0])
        self.columns.stand(columns, motion.above[1])

    @property
    def closer(self) -> tuple[float, float]:
        """The zoom of a part, down and across: the size of cells relative to the whole map."""
        if self.panel.part is None:
            return 1.0, 1.0
        seen = self.plot.vb.viewRect()
        return self._whole.height() / seen.height(), self._whole.width() / seen.width()

    def seen(self) -> QRectF:
        """The visible rectangle, in rows and columns of the larger map: its first row spans 0 to 1."""
        return _in_items(self.panel, self.plot.vb.viewRect())

    def in_items(self, x: float, y: float) -> QPointF:
        """Convert this map's coordinates to rows and columns of the larger map."""
        return _in_items(self.panel, QRectF(x, y, 0, 0)).topLeft()

    def in_cells(self, items: QPointF) -> tuple[float, float]:
        """Convert a point of the larger map to this map's coordinates."""
        place = _in_cells(self.panel, QRectF(items, items)).topLeft()
        return place.x(), place.y()

    def place_of(self, token: int) -> tuple[float, float]:
        """Return the coordinates of the diagonal cell, in which a token is both query and key."""
        return (token, token) if self.panel.part is None else self.in_cells(QPointF(token + 0.5, token + 0.5))

    def look_at(self, items: QRectF) -> None:
        """Show this rectangle of the larger map, limited to the map."""
        self.plot.vb.setRange(_in_cells(self.panel, items) & self._whole, padding=0)

    def reaches(self, x: float, y: float) -> bool:
        """True if the map, or the larger one that it is a part of, has a cell there."""
        return self._whole.contains(x, y)

    def bring(self, x: float, y: float) -> None:
        """Scroll so that a point that isn't visible is in the centre."""
        seen = QRectF(self.plot.vb.viewRect())
        if not seen.contains(x, y):
            seen.moveCenter(QPointF(x, y))
            self._stay_inside(seen)

    def zoom(self, factor: float, around: tuple[float, float] | None) -> None:
        """Show `factor` times as much, around a visible point, or else around the middle."""
        seen = QRectF(self.plot.vb.viewRect())
        centre = QPointF(*around) if around and seen.contains(*around) else seen.center()
        self._stay_inside(QRectF(centre + (seen.topLeft() - centre) * factor, seen.size() * factor))

    def approach(self, x: float, y: float) -> None:
        """Zoom in around a point until single tokens are shown; at least one whole block stays visible."""
        part = self.panel.part
        height, width = (part.height, part.width) if part else (1, 1)
        near = QRectF(round(x) - 0.5, round(y) - 0.5, 1, 1)
        wider, higher = max(0, _NEAR - width) // 2 / width, max(0, _NEAR - height) // 2 / height
        self._stay_inside(near.adjusted(-wider, -higher, wider, higher))

    def pan(self, right: float, down: float) -> None:
        """Pan by fractions of the visible width and height."""
        seen = QRectF(self.plot.vb.viewRect())
        self._stay_inside(seen.translated(right * seen.width(), down * seen.height()))

    def _stay_inside(self, seen: QRectF) -> None:
        """Show this rectangle, shrunk and moved into the map."""
        whole = self._whole
        seen.setSize(seen.size().boundedTo(whole.size()))
        seen.moveLeft(min(max(seen.left(), whole.left()), whole.right() - seen.width()))
        seen.moveTop(min(max(seen.top(), whole.top()), whole.bottom() - seen.height()))
        self.plot.vb.setRange(seen, padding=0)

    def leave_room(self, before: float, after: float) -> None:
        """Leave these widths beside the cells: for row labels, and to the right, where the title may extend over it."""
        self.rows.take_width(before)
        self.plot.leave_after(after)

    def show_numbers(self, numbers: Numbers) -> None:
        """Show these numbers in the cells."""
        self._cells.show_numbers(numbers)

    def allow_bracket(self, has_room: bool) -> None:
        """Show the map's bracket if there is room for it below the map."""
        self._cells.allow_bracket(has_room)

    def show_pointer(self, pointer: Pointer) -> None:
        self.crosshair.mark(pointer.along(self.panel.columns.role), pointer.along(self.panel.rows.role))

    def reset(self) -> None:
        whole, part = self._whole, self.panel.part
        width, height = (2.0 / part.width, 2.0 / part.height) if part else (2.0, 2.0)
        self.plot.vb.setLimits(
            xMin=whole.left(), xMax=whole.right(), yMin=whole.top(), yMax=whole.bottom(),
            minXRange=min(width, whole.width()), minYRange=min(height, whole.height()),
        )  # fmt: skip
        self.plot.vb.setRange(whole, padding=0)

    def start(self) -> Spot:
        rows: Axis = self.panel.rows
        focus = rows.focus
        inside = focus is not None and 0 <= focus - rows.first < len(self.panel.values)
        return self.panel.columns.first, focus if focus is not None and inside else rows.first


class _Cells(OverlayItem):
    """The layer over the cells' colours: gaps, numbers, frames of rows and columns, and the bracket below."""

    beyond = 32.0  # pixels, for the bracket

    def __init__(self, box: pg.ViewBox, colours: Roles) -> None:
        super().__init__(box)
        self._colours = colours
        self._panel: Heatmap | None = None
        self._numbers = Numbers(())
        self._grounds: Colours = np.zeros((0, 0, 3), np.uint8)
        self._extent = QRectF()
        self._former: Colours = self._grounds
        self._changed: Mask = np.zeros((0, 0), np.bool_)
        self._left: tuple[tuple[int, ...], tuple[int, ...]] = (), ()
        self._mark = 0.0
        self._standing: tuple[Standing, Standing] | None = None  # while rows and columns move
        self._above: tuple[frozenset[int], frozenset[int]] = frozenset(), frozenset()
        self._has_bracket = False

    def show_map(self, panel: Heatmap, grounds: Colours, extent: QRectF) -> None:
        self._panel, self._grounds, self._extent = panel, grounds, extent
        self._mark, self._standing = 0.0, None
        self.update()

    def show_moment(
        self,
        grounds: Colours,
        former: Colours,
        motion: CellMotion,
        mark: float,
        standing: tuple[Standing, Standing] | None,
    ) -> None:
        """Show other colours, with rows and columns where they stand on their way, and in the opacity `mark` the former
        colours in a corner of the cells that changed, and bars where the token stood that moved."""
        self._grounds, self._former, self._mark = grounds, former, mark
        self._changed, self._left = motion.changed, motion.left
        self._standing, self._above = standing, motion.above
        self.update()

    def show_numbers(self, numbers: Numbers) -> None:
        self._numbers = numbers
        self.update()

    def allow_bracket(self, has_room: bool) -> None:
        self._has_bracket = has_room
        self.update()

    def paint(self, painter: QPainter, *_: object) -> None:
        """Draw gaps and numbers inside the map, frames around rows and columns."""
        if self._panel is None:
            return
        cell = self.on_pixels(QRectF(0, 0, 1, 1))
        painter.setClipRect(self.box.rect())
        style = self._numbers.style(cell)
        if self._standing is None:
            self._paint_gaps(painter, min(cell.width(), cell.height()))
        else:  # nothing stands where rows and columns come from
            painter.fillRect(self.on_pixels(self._extent), QColor(self._colours.window))
        for layer in self._layers(self._panel) if style is not None or self._mark else ():
            if self._standing is not None:
                self._paint_moving(painter, layer, cell)
            if self._mark and min(cell.width(), cell.height()) >= _LEAST_CORNERED:
                self._paint_corners(painter, self._panel, style, cell, layer)
            if style is not None:
                self._paint_numbers(painter, self._panel, style, layer)
        if self._standing is not None:
            self._paint_above(painter)
        painter.setClipRect(QRectF(self.box.rect()).marginsAdded(_AROUND))
        if self._mark:
            self._paint_left(painter, self._panel)
        self._paint_equal(painter, self._panel)
        self._paint_focus(painter, self._panel.rows, cell.height())
        for row, column in self._panel.marked:
            self._paint_marked(painter, self._framed(row, column))
        if self._panel.marked and style is None:
            self._paint_values(painter, self._panel)
        if self._panel.bracket and self._has_bracket:
            painter.setClipping(False)
            self._paint_bracket(painter, self._panel.bracket)

    def _in_sight(self) -> tuple[range, range]:
        """Return the coordinates of the visible rows and columns."""
        extent = self._extent
        seen = self.box.viewRect().intersected(extent)
        rows = range(math.floor(seen.top() + 0.5), math.ceil(seen.bottom() + 0.5))
        return rows, range(math.floor(seen.left() + 0.5), math.ceil(seen.right() + 0.5))

    def _layers(self, panel: Heatmap) -> Iterator[list[tuple[int, int]]]:
        """Yield the cells in sight by row and column: while they move first those below, then the column and the row that pass
        above them, and last where these cross."""
        rows, columns = self._in_sight()
        seen = [(row - panel.rows.first, column - panel.columns.first) for row in rows for column in columns]
        if self._standing is None:
            yield seen
            return
        for layer in ((False, False), (False, True), (True, False), (True, True)):
            yield [one for one in seen if (one[0] in self._above[0], one[1] in self._above[1]) == layer]

    def _box(self, row: int, column: int) -> QRectF:
        """Return where a cell stands, by row and column."""
        rows, columns = self._standing or (None, None)
        x, y = (columns[column] if columns else column), (rows[row] if rows else row)
        return self.on_pixels(QRectF(self._extent.left() + x, self._extent.top() + y, 1, 1))

    def _paint_moving(self, painter: QPainter, cells: list[tuple[int, int]], cell: QRectF) -> None:
        """Draw the colours of cells on their way."""
        gap = _gap(min(cell.width(), cell.height()))
        for row, column in cells:
            box = self._box(row, column)
            painter.fillRect(box, QColor(self._colours.card))
            painter.fillRect(
                box.adjusted(gap / 2, gap / 2, -gap / 2, -gap / 2), QColor(*self._grounds[row, column].tolist())
            )

    def _paint_above(self, painter: QPainter) -> None:
        """Frame the row and the column of the token that moved."""
        painter.setPen(pen(self._colours.ink, MARK))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        whole = self.on_pixels(self._extent)
        for row in self._above[0]:
            box = self._box(row, 0)
            painter.drawRect(QRectF(whole.left(), box.top(), whole.width(), box.height()))
        for column in self._above[1]:
            box = self._box(0, column)
            painter.drawRect(QRectF(box.left(), whole.top(), box.width(), whole.height()))

    def _paint_gaps(self, painter: QPainter, pitch: float) -> None:
        if pitch < _LEAST_APART:
            return
        painter.setPen(pen(self._colours.card, _gap(pitch)))
        whole, (rows, columns) = self.on_pixels(self._extent), self._in_sight()
        across = (self.on_pixels(QRectF(0, row - 0.5, 0, 0)).top() for row in rows[1:])
        down = (self.on_pixels(QRectF(column - 0.5, 0, 0, 0)).left() for column in columns[1:])
        painter.drawLines([QLineF(whole.left(), y, whole.right(), y) for y in across])
        painter.drawLines([QLineF(x, whole.top(), x, whole.bottom()) for x in down])

    def _paint_corners(
        self, painter: QPainter, panel: Heatmap, style: NumberStyle | None, cell: QRectF, cells: list[tuple[int, int]]
    ) -> None:
        """Draw former colours in the lower left corners, never through a number."""
        side = _CORNER * min(cell.width(), cell.height())
        if style is not None:
            longest = max((style.of(text) for row in self._numbers.of(panel) for text in row), key=len)
            beside, below = cell.width() - style.face.measure(longest), cell.height() - _DIGIT * style.face.line
            side = min(side, (beside + below) / 2)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setOpacity(self._mark)
        painter.setPen(pen(self._colours.card) if side >= _LEAST_EDGED else Qt.PenStyle.NoPen)
        for row, column in (one for one in cells if self._changed[one]):
            corner = self._box(row, column).bottomLeft()
            painter.setBrush(QColor(*self._former[row, column].tolist()))
            painter.drawConvexPolygon([corner, corner - QPointF(0, side), corner + QPointF(side, 0)])
        painter.restore()

    def _paint_numbers(
        self, painter: QPainter, panel: Heatmap, style: NumberStyle, cells: list[tuple[int, int]]
    ) -> None:
        painter.setFont(self._numbers.font(style))
        texts = self._numbers.of(panel)
        for row, column in cells:
            if not panel.is_masked(row, column):
                painter.setPen(QColor(ink_on(*self._grounds[row, column].tolist())))
                box = self._box(row, column)
                painter.drawText(box, Qt.AlignmentFlag.AlignCenter, style.of(texts[row][column]))

    def _paint_equal(self, painter: QPainter, panel: Heatmap) -> None:
        """Mark columns and rows that are equal to another by a bar between them and their name."""
        rows, columns = self._standing or (None, None)
        for at in sorted(panel.equal):
            column, row = _standing_at(at, panel.columns.first, columns), _standing_at(at, panel.rows.first, rows)
            painter.fillRect(self._bar_above(column), QColor(self._colours.twin))
            painter.fillRect(self._bar_beside(row), QColor(self._colours.twin))

    def _paint_left(self, painter: QPainter, panel: Heatmap) -> None:
        """Mark the row and the column where the token stood that moved."""
        colour = QColor(self._colours.muted)
        colour.setAlphaF(_LEFT * self._mark)
        for row in self._left[0]:
            painter.fillRect(self._bar_beside(row + panel.rows.first), colour)
        for column in self._left[1]:
            painter.fillRect(self._bar_above(column + panel.columns.first), colour)

    def _bar_above(self, column: float) -> QRectF:
        above = self.on_pixels(QRectF(column - 0.5, self._extent.top(), 1, 0))
        shorter = _SHORTER * above.width()
        return QRectF(above.left() + shorter, above.top() - _BAR_AWAY, above.width() - 2 * shorter, _BAR)

    def _bar_beside(self, row: float) -> QRectF:
        beside = self.on_pixels(QRectF(self._extent.left(), row - 0.5, 0, 1))
        shorter = _SHORTER * beside.height()
        return QRectF(beside.left() - _BAR_AWAY, beside.top() + shorter, _BAR, beside.height() - 2 * shorter)

    def _paint_focus(self, painter: QPainter, rows: Axis, pitch: float) -> None:
        """Frame the row in focus from outside; around thin rows the frame is translucent."""
        if rows.focus is None or not self._extent.top() < rows.focus < self._extent.bottom():
            return
        colour = QColor(self._colours.focus)
        if pitch < _LARGE:
            colour.setAlphaF(0.6)
        width = 2.0 if pitch >= _LARGE else 1.0
        at = _standing_at(rows.focus, rows.first, self._standing[0] if self._standing else None)
        row = self.on_pixels(QRectF(self._extent.left(), at - 0.5, self._extent.width(), 1))
        painter.setPen(pen(colour, width))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(_around(_grown(row, 0.0, _LEAST_ROW), width))

    def _framed(self, row: int | None, column: int | None) -> QRectF:
        """Return what the frame of a cell, a row or a column goes around."""
        return _grown(self.on_pixels(_line_or_cell(self._extent, row, column)), _LEAST_FRAME, _LEAST_FRAME)

    def _paint_values(self, painter: QPainter, panel: Heatmap) -> None:
        """Write the numbers of framed cells beside them, where cells have no room for theirs."""
        values = [
            (
                self._framed(row, column),
                format_told(float(panel.values[row - panel.rows.first, column - panel.columns.first])),
            )
            for row, column in panel.marked
            if row is not None and column is not None
        ]
        room = QRectF(self.box.rect()).marginsAdded(_AROUND)
        paint_values(painter, values, room, self._colours.card, self._colours.ink)

    def _paint_marked(self, painter: QPainter, cell: QRectF) -> None:
        """Frame a cell, a row or a column in ink, with an edge towards its neighbours."""
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for colour, width, edge in (
            (self._colours.card, 1.0, cell.adjusted(1, 1, -1, -1)),
            (self._colours.ink, MARK, cell),
        ):
            painter.setPen(pen(colour, width))
            painter.drawRect(_around(edge, width))

    def _paint_bracket(self, painter: QPainter, bracket: Bracket) -> None:
        """Draw below the map what the headline claims of some columns."""
        font = font_of(CAPTION, bold=True)
        whole = self.on_pixels(self._extent)
        centres = [self.on_pixels(QRectF(column, 0, 0, 0)).left() for column in bracket.columns]
        found = bracket_lines(bracket, centres, whole.left(), whole.right(), measured(font))
        if found is None:
            return
        line, colour = line_height(font=font), QColor(self._colours.twin)
        level = round(whole.bottom() + LEG * line) + 0.5
        painter.setPen(pen(colour, _BRACKET))
        painter.drawLines([QLineF(x, whole.bottom() + _BAR_AWAY / 2, x, level) for x in found.legs])
        painter.drawLines([QLineF(left, level, right, level) for left, right in found.level])
        painter.setFont(font)
        half, middle = whole.width(), level + found.below * line
        room = QRectF(found.middle - half, middle - line, 2 * half, 2 * line)
        painter.drawText(room, Qt.AlignmentFlag.AlignCenter, found.words)


class _CellFrame(PointerMark):
    """A frame around the pointer's cell, or around a whole row or column if the pointer names only that."""

    def __init__(self, box: pg.ViewBox, colours: Roles) -> None:
        super().__init__(box)
        self._pens: tuple[tuple[QPen, float], ...] = (pen(colours.card, 1.0), 3.0), (pen(colours.ink, 2.0), 2.0)
        self._extent = QRectF()

    def show_map(self, extent: QRectF) -> None:
        self._extent = extent
        self.update()

    def paint(self, painter: QPainter, *_: object) -> None:
        """Draw the frame around the cell, without covering its number."""
        x, y = self.at
        if x is None and y is None:
            return
        place = _line_or_cell(self._extent, y, x)
        if not self._extent.contains(place):
            return
        place = _grown(self.on_pixels(place), _LEAST_FRAME, _LEAST_FRAME)
        painter.setClipRect(self.boundingRect())
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for one_pen, out in self._pens:
            painter.setPen(one_pen)
            painter.drawRect(_around(place, 2 * out - one_pen.widthF()))


def _everything(part: MapPart) -> QRectF:
    rows, columns = part.every_row, part.every_column
    return QRectF(columns.start, rows.start, len(columns), len(rows))


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


def _standing_at(coordinate: int, first: int, standing: Standing | None) -> float:
    """Return the coordinate at which a row or a column stands."""
    return coordinate if standing is None else first + standing[coordinate - first]


def _gap(pitch: float) -> float:
    return 1.0 if pitch < _FAR_APART else 1.5


def _line_or_cell(whole: QRectF, row: int | None, column: int | None) -> QRectF:
    """A cell of a map, or the whole row or column if the other coordinate is missing."""
    one = _cell(column or 0, row or 0)
    left, width = (whole.left(), whole.width()) if column is None else (one.left(), 1.0)
    top, height = (whole.top(), whole.height()) if row is None else (one.top(), 1.0)
    return QRectF(left, top, width, height)


def _cell(x: float, y: float) -> QRectF:
    return QRectF(x - 0.5, y - 0.5, 1, 1)


def _grown(rect: QRectF, width: float, height: float) -> QRectF:
    """The rectangle, grown around its middle to at least this size."""
    wider, higher = max(0.0, width - rect.width()) / 2, max(0.0, height - rect.height()) / 2
    return rect.adjusted(-wider, -higher, wider, higher)


def _around(rect: QRectF, width: float) -> QRectF:
    """Return the path along which a pen of this width outlines a rectangle from outside."""
    return rect.adjusted(-width / 2, -width / 2, width / 2, width / 2)
