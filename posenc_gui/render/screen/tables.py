"""Tables on the screen: read-only rows of text and numbers."""

from __future__ import annotations

import html
import itertools
import math
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from typing import Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QEvent,
    QModelIndex,
    QPersistentModelIndex,
    QRectF,
    QSize,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetricsF,
    QGuiApplication,
    QHelpEvent,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPalette,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QLabel,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QToolTip,
    QVBoxLayout,
    QWidget,
)

from posenc_gui.figure.axis import NOWHERE
from posenc_gui.figure.panels import Dotted, OnScale, Table
from posenc_gui.foundation.contrast import mixed
from posenc_gui.foundation.errors import Remedy
from posenc_gui.foundation.theme import BODY, Roles
from posenc_gui.foundation.unicode_text import shorten_middle
from posenc_gui.render.csv_table import delimited
from posenc_gui.render.drawings.tables import BAND, dot, ink_of, scale
from posenc_gui.render.layout.rect import Rect
from posenc_gui.render.layout.set_table import TypedTable, broken, lines_in
from posenc_gui.render.layout.text_fit import elided, longest, shared_widths, visible, wrapped
from posenc_gui.render.layout.type_sizes import TableType
from posenc_gui.render.screen.fonts import ScreenFace, font_of, line_height, measured, screen_style
from posenc_gui.render.screen.parts_painter import PartsPainter

_WIDEST_COLUMN = 340  # pixels; wider columns wrap their sentences if space is short
_READABLE_COLUMN = 120  # pixels: the minimum width of a column of sentences
_NARROW_COLUMN = 72  # pixels: the minimum width of a column beside names
_NAMES = 150  # pixels: the maximum width of a column of names, so that the other columns stay visible
_CELL_AIR, _LINE_AIR = 6, 4  # pixels at the sides of a cell, and above and below its text
_QWIDGETSIZE_MAX = 2**24 - 1  # Qt's limit, which PySide doesn't export
_FEW_LINES = 2
_HEADING_LINES, _NUDGE = 4, 4  # at most, of columns beside names; pixels between widths that are tried for them
_MOST_LINES = 20  # lines per cell
Place = QModelIndex | QPersistentModelIndex
_EMPTY = Table("", (), ((),))  # before anything is shown
_LONGEST_LINE = 1000  # characters of a cell on one line
_SELECTED, _EDGE = 0.35, 3  # of the focus's colour behind selected cells; pixels of the edge of the row in focus


class TableView(QWidget):
    """A table to read and copy, with its title above it."""

    def __init__(self, colours: Roles) -> None:
        super().__init__()
        self._room: int | None = None  # pixels of height that it may take below graphics, if that shows it whole
        self._title = QLabel()
        self._title.setTextFormat(Qt.TextFormat.PlainText)
        self._title.setIndent(0)
        self._title.setMinimumWidth(1)  # it is shortened, however long it is
        self._whole_title = ""
        self._title.setStyleSheet(f"color: {colours.ink}; font-weight: 600; padding: 2px {_CELL_AIR}px;")
        self.view = _GridView(colours)
        self.view.rows_fitted.connect(self._limit_height)
        self._column = column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        column.addWidget(self._title)
        column.addWidget(self.view, 1)
        paint_ground(self, colours.card)

    def show_table(self, panel: Table, *, titled: bool = True) -> None:
        self._whole_title = visible(panel.title) if titled else ""
        self._title.setVisible(bool(self._whole_title))
        self._fit_title()
        self.view.show_table(panel)
        self._limit_height()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show as much of the title as has room."""
        super().resizeEvent(event)
        self._fit_title()
        self._show_whole_rows()

    def settle(self) -> None:
        """Lay out now what the next paint would."""
        self._column.activate()
        self.view.updateGeometries()
        self._limit_height()
        self._column.activate()

    def _show_whole_rows(self) -> None:
        """End at the lower edge of a row if the table scrolls."""
        self.view.setMaximumHeight(self.view.height_of_rows(self.height() - self._title_height()))

    def _fit_title(self) -> None:
        room = self.width() - 2 * _CELL_AIR
        self._title.ensurePolished()
        self._title.setText(elided(self._whole_title, room, measured(self._title.font())))

    def take_height(self, room: int | None) -> None:
        """Take all the height; below graphics only what is needed, all of it where that is at most `room`, else a share."""
        self._room = room
        self.setMinimumWidth(0)
        self.setMaximumWidth(_QWIDGETSIZE_MAX)
        self._limit_height()

    def stand_beside_graphics(self, height: int) -> None:
        """Take the width that all columns need, and leave the rest to the graphics."""
        self.take_height(None)
        self.setMinimumWidth(self.least_width(height))
        self.setMaximumWidth(max(self.least_width(height), self.view.whole_width()))

    @property
    def is_cut(self) -> bool:
        """True if rows are out of sight."""
        return self.view.verticalScrollBar().maximum() > 0

    def least_width(self, height: int) -> int:
        """The least width that shows all columns at this height."""
        return self.view.least_width() + self.view.verticalScrollBar().sizeHint().width() * (
            height < self._whole_height()
        )

    def _limit_height(self) -> None:
        self.setMaximumHeight(_QWIDGETSIZE_MAX if self._room is None else self._whole_height())
        self._show_whole_rows()
        self.updateGeometry()

    @property
    def is_whole(self) -> bool:
        """True below graphics that leave it all the height that it needs."""
        return self._room is not None and self.fits(self._room)

    def fits(self, room: int) -> bool:
        """Return True if no row is out of sight at this height."""
        return self._whole_height() <= room

    def lines_in(self, room: int) -> int:
        """The lines of its rows that are in sight at this height."""
        return self.view.lines_in(room - self._title_height())

    def sizeHint(self) -> QSize:
        """Return the size that shows all rows: no minimum, which would keep a card from becoming lower."""
        return QSize(super().sizeHint().width(), self._whole_height())

    def _whole_height(self) -> int:
        return self.view.whole_height() + self._title_height()

    def _title_height(self) -> int:
        return self._title.sizeHint().height() + 2 if self._whole_title else 0


class _GridView(QTableView):
    """The table's grid: text left-aligned, numbers right-aligned, a line above sums, the row in focus marked."""

    rows_fitted = Signal()
    pressed = Signal(object)  # Pointer of the row
    pointed = Signal(object, str)  # Pointer of the row, and what is under the pointer
    sorted = Signal(object)  # Remedy: the order that a press on a heading asks for

    def __init__(self, colours: Roles) -> None:
        super().__init__()
        self.clicked.connect(self._press)
        self.horizontalHeader().sectionClicked.connect(self._sort)
        self.entered.connect(self._point)
        self.setMouseTracking(True)
        self._model = _CellsModel(self)
        self.setModel(self._model)
        self.setItemDelegate(_CellPainter(colours, self._model, self))
        self._wanted: list[int] = []  # the widths at which every cell takes one line
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setTabKeyNavigation(False)  # so that Tab leaves the table
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setCornerButtonEnabled(False)
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(_row_height(1))
        self.verticalHeader().setMinimumSectionSize(0)
        self.horizontalHeader().setMinimumSectionSize(24)
        self.horizontalHeader().setHighlightSections(False)
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        self._unfitted = QTimer(self, singleShot=True, interval=0)  # once for all columns, which are resized one by one
        self._unfitted.timeout.connect(self._fit_rows)
        self.horizontalHeader().sectionResized.connect(lambda *_: self._unfitted.start())
        self.setFrameShape(QFrame.Shape.NoFrame)
        paint_ground(self, colours.card)
        self.horizontalHeader().setStyleSheet(
            f"QHeaderView {{ background: {colours.card}; border: none; }}"
            f"QHeaderView::section {{ background: {colours.card}; color: {colours.muted}; border: none;"
            f" border-bottom: 1px solid {colours.line}; padding: 3px {_CELL_AIR}px; }}"
        )

    def show_table(self, panel: Table) -> None:
        self.setAccessibleName(panel.title or "Table")
        wanted, self._wanted = self._wanted, []  # Qt lays out new columns before their widths are known
        if not self._model.show_table(panel):
            self._wanted = wanted
        else:
            rows = range(len(panel.rows))
            self._wanted = [self._model.width(column, rows) for column, _ in enumerate(panel.header)]
            if panel.named:
                self._wanted[0] = min(self._wanted[0], _NAMES)
            self._model.break_headings(self._wanted, _FEW_LINES)
            for column, width in enumerate(self._wanted):
                self.showColumn(column)
                self.setColumnWidth(column, width)
        self._share_room()
        self._fit_rows()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Share the new width."""
        super().resizeEvent(event)
        self._share_room()
        if self._unfitted.isActive() or event.oldSize().height() != event.size().height():
            self._fit_rows()

    @property
    def _is_low(self) -> bool:
        """True if the view is too low for two lines in each row: then rows get more lines only while there is room."""
        return self._model.rowCount() * _row_height(_FEW_LINES) > self.viewport().height()

    def _sentences(self) -> list[int]:
        """The columns that are wrapped or cut; narrow ones only if that brings all columns into sight, or beside names."""
        if self._model.table.panel.named:
            return [column for column, width in enumerate(self._wanted) if column and width > _NARROW_COLUMN]
        least = sum(min(width, _READABLE_COLUMN) for width in self._wanted)
        fits = least <= self.viewport().width() and not self._is_low
        limit = _READABLE_COLUMN if fits else _WIDEST_COLUMN
        return [column for column, width in enumerate(self._wanted) if width > limit]

    def _share_room(self) -> None:
        sentences = self._sentences()
        others = sum(self.columnWidth(column) for column in range(len(self._wanted)) if column not in sentences)
        room = self.viewport().width() - others
        panel = self._model.table.panel
        if panel.named and self._wanted:
            self._share_beside_names(sentences, room)
            return
        if panel.spare and self._wanted:
            self._leave_out_spare(panel)
            return
        wanted = [self._wanted[column] for column in sentences]
        shares = shared_widths(wanted, room, _WIDEST_COLUMN if self._is_low else _READABLE_COLUMN)
        for column, width in zip(sentences, shares, strict=True):
            self.setColumnWidth(column, int(width))

    def _leave_out_spare(self, panel: Table) -> None:
        """Hide as many spare columns as the others need; if that isn't enough, cut the first one."""
        room = self.width() - self._bar_height()  # the viewport's depends on what is hidden
        fitting = (one for one in panel.without_spare() if sum(self._wanted[at] for at in one) <= room)
        shown = next(fitting, [at for at, _ in enumerate(self._wanted) if at not in panel.spare])
        for column, width in enumerate(self._wanted):
            self.setColumnHidden(column, column not in shown)
            if column in shown:
                self.setColumnWidth(column, width)
        names, over = self._wanted[shown[0]], sum(self._wanted[at] for at in shown) - room
        self.setColumnWidth(shown[0], min(names, max(_NAMES, names - over)))

    def _share_beside_names(self, columns: list[int], room: float) -> None:
        """Give columns what their headings need, then as much of the rest as their texts fill."""
        least = [self._model.heading_width(column) for column in columns]
        more = [max(0.0, self._wanted[column] - width) for column, width in zip(columns, least, strict=True)]
        rest = shared_widths(more, max(0.0, room - sum(least)), 0.0) if any(more) else more
        for column, width, extra in zip(columns, least, rest, strict=True):
            self.setColumnWidth(column, int(width + extra))
        self._model.break_headings(map(self.columnWidth, range(len(self._wanted))), _HEADING_LINES)

    def _fit_rows(self) -> None:
        self._unfitted.stop()
        widths = enumerate(map(self.columnWidth, range(len(self._wanted))))
        sentences = [(column, width) for column, width in widths if 0 < width < self._wanted[column]]
        if self._is_low:  # spare lines are for the columns in sight
            before = itertools.accumulate(map(self.columnWidth, range(len(self._wanted))))
            seen = [end <= self.viewport().width() for end in before]
            sentences = [(column, width) for column, width in sentences if seen[column]]
        heights = [_row_height(lines) for lines in range(_MOST_LINES + 1)]
        rows, line = self._model.rowCount(), heights[2] - heights[1]
        if self._model.table.panel.grouped:  # lower rows, rather than some out of sight
            heights[1] = max(int(line), min(heights[1], self.viewport().height() // rows))
        spare = (self.viewport().height() - rows * heights[1]) // line if self._is_low else rows * _MOST_LINES
        for row in range(rows):
            most, lines = 1 + max(0, min(spare, _MOST_LINES - 1)), 1
            if most > 1:
                lines = lines_in([self._model.lines(row, *cell, most) for cell in sentences])
            spare -= lines - 1
            if heights[lines] != self.rowHeight(row):
                self.setRowHeight(row, heights[lines])
        self.rows_fitted.emit()

    def whole_width(self) -> int:
        """The width at which every cell takes one line."""
        return sum(self._wanted)

    def least_width(self) -> int:
        """The least width that shows all columns, with sentences wrapped."""
        return sum(min(width, _WIDEST_COLUMN) for width in self._wanted)

    def whole_height(self) -> int:
        """The height at which no row scrolls."""
        return self._beside_rows + self.verticalHeader().length() + 4

    def lines_in(self, room: int) -> int:
        """The lines of rows that are in sight at this height."""
        return max(0, room - self._beside_rows) // _row_height(1)

    @property
    def _beside_rows(self) -> int:
        """The height of the header, and of the scroll bar below columns that don't all fit."""
        is_broad = self.horizontalHeader().length() > self.viewport().width()
        return self.horizontalHeader().sizeHint().height() + is_broad * self._bar_height()

    def height_of_rows(self, room: int) -> int:
        """Return the largest height up to `room` that cuts no row of one line. Unlimited if nothing would scroll, if rows may
        have several lines, or if there is no room for a single row."""
        rows = room - self.horizontalHeader().height() - self.horizontalScrollBar().isVisible() * self._bar_height()
        if not self._is_low or rows < _row_height(1) or self.whole_height() <= room:
            return _QWIDGETSIZE_MAX
        return room - rows % _row_height(1)

    def _bar_height(self) -> int:
        return self.horizontalScrollBar().sizeHint().height()

    def event(self, event: QEvent) -> bool:
        """Keep the key that copies from a shortcut of the card around the table."""
        if (
            isinstance(event, QKeyEvent)
            and event.type() == QEvent.Type.ShortcutOverride
            and event.matches(QKeySequence.StandardKey.Copy)
        ):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Copy the selection, or the whole table without one; numbers keep all their digits. Enter presses a row."""
        if self._model.table.panel.pressed and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._press(self.currentIndex())
            return
        if not event.matches(QKeySequence.StandardKey.Copy):
            super().keyPressEvent(event)
            return
        chosen = {(index.row(), index.column()) for index in self.selectedIndexes()}
        QGuiApplication.clipboard().setText(delimited(self._model.chosen(chosen), "\t"))

    def leaveEvent(self, event: QEvent) -> None:
        """Say that the pointer is nowhere."""
        super().leaveEvent(event)
        self.pointed.emit(NOWHERE, "")

    def _point(self, index: QModelIndex) -> None:
        panel, at = self._model.table.panel, (index.column(), index.row())
        self.pointed.emit(panel.pointer(*at) if panel.pressed else NOWHERE, panel.read(*at))

    def _press(self, index: QModelIndex) -> None:
        panel = self._model.table.panel
        if panel.pressed and index.isValid():
            self.pressed.emit(panel.pointer(index.column(), index.row()))

    def _sort(self, column: int) -> None:
        if sort := self._model.sort_of(column):
            self.clearSelection()
            self.sorted.emit(sort)


class _CellsModel(QAbstractTableModel):
    """The item model of a table's cells."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.table = _set_in_type(_EMPTY)
        self._headings = self.table.header

    def show_table(self, panel: Table) -> bool:
        """Take a table's cells; return True if its columns need new widths."""
        old, table = self.table, _set_in_type(panel)
        if (len(old.texts), old.header) != (len(table.texts), table.header):
            self.beginResetModel()
            self.table, self._headings = table, table.header
            self.endResetModel()
            return True
        self.table = table
        self.dataChanged.emit(self.index(0, 0), self.index(len(panel.rows) - 1, len(panel.header) - 1))
        cells, known = map(itertools.chain.from_iterable, (table.texts, old.texts))
        return any(len(text) > len(before) for text, before in zip(cells, known, strict=True))

    def break_headings(self, widths: Iterable[int], lines: int) -> None:
        """Break headings in columns of these widths into so many lines."""
        rooms, measure = (width - 2 * _CELL_AIR for width in widths), self.table.measure(None)
        broken_names = (broken(*one, lines, measure) for one in zip(self.table.header, rooms, strict=True))
        self._headings = ["\n".join(name) for name in broken_names]
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(self._headings) - 1)

    def heading_width(self, column: int) -> int:
        """The least width of a column beside names whose heading is whole, broken between words, up to the widest."""
        text, measure = self.table.header[column], self.table.measure(None)
        longest_word = math.ceil(longest(text.split(), measure))
        rooms = range(max(longest_word, _NARROW_COLUMN - 2 * _CELL_AIR), _WIDEST_COLUMN, _NUDGE)
        lines = _HEADING_LINES
        at = bisect_left(rooms, True, key=lambda room: len(wrapped(text, room, lines + 1, measure)) <= lines)
        return (rooms[at] if at < len(rooms) else _WIDEST_COLUMN) + 2 * _CELL_AIR

    def width(self, column: int, rows: Sequence[int]) -> int:
        """The width at which the heading and these rows' cells are whole, each on one line; a single word up to the widest."""
        return math.ceil(self.table.wanted(column, rows)) + 2 * _CELL_AIR

    def lines(self, row: int, column: int, width: float, most: int) -> list[str]:
        """A cell's text, wrapped in a column of this width."""
        text, room = self.table.texts[row][column], width - 2 * _CELL_AIR + 1
        if most == 1:
            return [QFontMetricsF(self.font(row)).elidedText(text[:_LONGEST_LINE], Qt.TextElideMode.ElideRight, room)]
        return wrapped(text, room, most, self.table.measure(row))

    def chosen(self, places: set[tuple[int, int]]) -> list[list[str | float]]:
        """The cells at these places, in rows with gaps left empty; without places, all cells and the header."""
        panel = self.table.panel
        if not places:
            return [list(panel.header), *map(list, panel.rows)]
        columns = sorted({column for _, column in places})
        return [
            [panel.rows[row][column] if (row, column) in places else "" for column in columns]
            for row in sorted({row for row, _ in places})
        ]

    def font(self, row: int) -> QFont:
        """The font of a row; sums are bold."""
        return font_of(BODY, bold=row in self.table.panel.sums)

    def side(self, column: int) -> Qt.AlignmentFlag:
        """The side at which a column's texts stand."""
        panel, sides = self.table.panel, Qt.AlignmentFlag
        if panel.is_dotted(column):
            return sides.AlignHCenter
        return sides.AlignRight if panel.is_numeric(column) else sides.AlignLeft

    def sort_of(self, column: int) -> Remedy | None:
        """The order that a press on a heading asks for, if any."""
        sorts = self.table.panel.sorts
        return sorts[column] if sorts else None

    def rowCount(self, parent: Place | None = None) -> int:
        """Rows of the table."""
        return 0 if parent is not None and parent.isValid() else len(self.table.texts)

    def columnCount(self, parent: Place | None = None) -> int:
        """Columns of the table."""
        return 0 if parent is not None and parent.isValid() else len(self.table.header)

    def data(self, index: Place, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """A cell's text and side, and what a screen reader says of it."""
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return self.table.texts[index.row()][index.column()]
            case Qt.ItemDataRole.TextAlignmentRole:
                return self.side(index.column())
            case Qt.ItemDataRole.AccessibleTextRole:
                return visible(self.table.panel.read(index.column(), index.row()))
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """A column's heading."""
        if orientation != Qt.Orientation.Horizontal:
            return None
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return self._headings[section]
            case Qt.ItemDataRole.AccessibleTextRole:
                return self.table.header[section]
            case Qt.ItemDataRole.ToolTipRole if sort := self.sort_of(section):
                return sort.words
            case Qt.ItemDataRole.TextAlignmentRole:
                return self.side(section) | Qt.AlignmentFlag.AlignVCenter
        return None


class _CellPainter(QStyledItemDelegate):
    """Plain text; a line above each sum, and a bar before the row in focus."""

    def __init__(self, colours: Roles, cells: _CellsModel, parent: QTableView) -> None:
        super().__init__(parent)
        self._colours, self._cells, self._view, self._parts = colours, cells, parent, PartsPainter()

    def sizeHint(self, _option: QStyleOptionViewItem, index: Place) -> QSize:
        """The size of the text on one line."""
        return QSize(self._cells.width(index.column(), [index.row()]), _row_height(1))

    def helpEvent(self, event: QHelpEvent, view: QAbstractItemView, option: QStyleOptionViewItem, index: Place) -> bool:
        """Show the whole text of a cell that is cut."""
        if event.type() != QEvent.Type.ToolTip or not index.isValid() or not (told := self._told(option, index)):
            return super().helpEvent(event, view, option, index)
        # Qt wraps only rich text.
        QToolTip.showText(event.globalPos(), f"<qt>{html.escape(shorten_middle(told, _LONGEST_LINE))}</qt>", view)
        return True

    def _told(self, option: QStyleOptionViewItem, index: Place) -> str:
        """What a tooltip says: the words of a dot, or the whole text of a cell that is cut."""
        panel = self._cells.table.panel
        if isinstance(panel.rows[index.row()][index.column()], Dotted):
            return panel.read(index.column(), index.row())
        is_whole = "".join(self._seen(option, index)).replace(" ", "") == index.data().replace(" ", "")
        return "" if is_whole else index.data()

    def _seen(self, option: QStyleOptionViewItem, index: Place) -> list[str]:
        most = max(1, int((option.rect.height() - 2 * _LINE_AIR) / line_height()))
        return self._cells.lines(index.row(), index.column(), option.rect.width(), most)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Place) -> None:
        """Draw the cell's background, text and marks."""
        panel, box, colours = self._cells.table.panel, QRectF(option.rect), self._colours
        row, column = index.row(), index.column()
        marked, selected = row == panel.focus, bool(option.state & QStyle.StateFlag.State_Selected)
        if selected or marked:
            painter.fillRect(box, QColor(mixed(colours.focus, colours.card, _SELECTED if selected else BAND)))
        if marked and all(map(self._view.isColumnHidden, range(column))):
            painter.fillRect(QRectF(box.left(), box.top(), _EDGE, box.height()), QColor(colours.focus))
        if row in panel.sums or panel.begins_group(row):
            line = colours.ink if row in panel.sums else colours.line
            painter.fillRect(QRectF(box.left(), box.top(), box.width(), 1), QColor(line))
        if isinstance(cell := panel.rows[row][column], Dotted):
            ink, (x, y) = ink_of(cell, colours, marked=False), box.center().toTuple()
            parts = dot(cell, x, y, line_height(), ink)
            if isinstance(cell, OnScale):
                parts = scale(
                    cell, Rect(box.left(), box.top(), box.right(), box.bottom()), line_height(), colours, marked=marked
                )
            self._parts.paint(painter, parts)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.setFont(self._cells.font(row))
        painter.setPen(QColor(colours.ink if selected else ink_of(panel.rows[row][column], colours, marked=False)))
        side = self._cells.side(column) | Qt.AlignmentFlag.AlignTop
        air = min(_LINE_AIR, (box.height() - line_height()) / 2)
        room = box.adjusted(_CELL_AIR, air, -_CELL_AIR, 0)
        for line in [] if isinstance(cell, Dotted) else self._seen(option, index):
            painter.drawText(room, side, line)
            room.translate(0, line_height())
        if option.state & QStyle.StateFlag.State_HasFocus:
            painter.setPen(QColor(colours.focus))
            painter.drawRect(box.adjusted(0.5, 0.5, -0.5, -0.5))


def _set_in_type(panel: Table) -> TypedTable:
    """A table in the application's font."""
    bold, lengths = ScreenFace.of(BODY, bold=True), (2 * _LINE_AIR, 2 * _CELL_AIR, _WIDEST_COLUMN, _READABLE_COLUMN)
    return TypedTable(panel, TableType(screen_style().label, bold, *lengths), bold, range(len(panel.rows)))


def _row_height(lines: int) -> int:
    return math.ceil(lines * line_height()) + 2 * _LINE_AIR


def paint_ground(widget: QWidget, colour: str) -> None:
    palette = widget.palette()
    for role in (QPalette.ColorRole.Window, QPalette.ColorRole.Base):
        palette.setColor(role, QColor(colour))
    widget.setPalette(palette)
    widget.setAutoFillBackground(True)
