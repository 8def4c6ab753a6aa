"""Tables on the screen: read-only rows of text and numbers."""

from __future__ import annotations

import html
import itertools
import math
from bisect import bisect_left
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

from posenc_gui.figure.axis import Pointer
from posenc_gui.figure.panels import Judged, Table, table_text
from posenc_gui.foundation.contrast import mixed
from posenc_gui.foundation.theme import Roles
from posenc_gui.foundation.unicode_text import shorten_middle
from posenc_gui.render.csv_table import delimited
from posenc_gui.render.layout.text_fit import elided, longest, shared_widths, visible, wrapped
from posenc_gui.render.screen.fonts import line_height, measured

_WIDEST_COLUMN = 340  # pixels; wider columns wrap their sentences if space is short
_READABLE_COLUMN = 120  # pixels: the minimum width of a column of sentences
_NARROW_COLUMN = 72  # pixels: the minimum width of a column beside names
_NAMES = 150  # pixels: the maximum width of a column of names, so that the other columns stay visible
_CELL_AIR, _LINE_AIR = 6, 4  # pixels at the sides of a cell, and above and below its text
_QWIDGETSIZE_MAX = 2**24 - 1  # Qt's limit, which PySide doesn't export
_FEW_LINES = 2
_HEADING_LINES = 2, 3, 4  # of columns beside names: as few as bring all columns into sight
_NUDGE = 4  # pixels between widths that are tried for a heading
_MOST_LINES = 20  # lines per cell
Place = QModelIndex | QPersistentModelIndex
_EMPTY = Table("", (), ((),))  # before anything is shown
_LONGEST_LINE = 1000  # characters of a cell on one line


class TableView(QWidget):
    """A table to read and copy, with its title above it."""

    def __init__(self, colours: Roles) -> None:
        super().__init__()
        self._below_graphics = False
        self._room = 0  # pixels of height that it may take below graphics, if that shows it whole
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

    def stand_alone(self) -> None:
        """Take all the height."""
        self._take_height(below_graphics=False, room=0)

    def stand_below_graphics(self, room: int) -> None:
        """Take only the height that is needed: all of it where that is at most `room`, else a share."""
        self._take_height(below_graphics=True, room=room)

    def _take_height(self, *, below_graphics: bool, room: int) -> None:
        self._below_graphics, self._room = below_graphics, room
        self.setMinimumWidth(0)
        self.setMaximumWidth(_QWIDGETSIZE_MAX)
        self._limit_height()

    def stand_beside_graphics(self, height: int) -> None:
        """Take the width that all columns need, and leave the rest to the graphics."""
        self.stand_alone()
        self.setMinimumWidth(self.least_width(height))
        self.setMaximumWidth(max(self.least_width(height), self.view.whole_width()))

    @property
    def is_cut(self) -> bool:
        """True if rows are out of sight."""
        return self.view.verticalScrollBar().maximum() > 0

    def least_width(self, height: int) -> int:
        """The least width that shows all columns at this height."""
        return self.view.least_width() + (self.view.scroll_bar_width() if height < self._whole_height() else 0)

    def _limit_height(self) -> None:
        whole = self._whole_height()
        self.setMaximumHeight(whole if self._below_graphics else _QWIDGETSIZE_MAX)
        self._show_whole_rows()
        self.updateGeometry()

    @property
    def is_whole(self) -> bool:
        """True below graphics that leave it all the height that it needs."""
        return self._below_graphics and self.fits(self._room)

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
    """The table's grid: text left-aligned, numbers right-aligned, a line above sums, the row in focus marked.

    Columns of sentences share the width that the others leave; rows are as high as their sentences need.
    """

    rows_fitted = Signal()
    pressed = Signal(object)  # Pointer of the row

    def __init__(self, colours: Roles) -> None:
        super().__init__()
        self._pointers: tuple[Pointer, ...] = ()
        self.clicked.connect(self._press)
        self._model = _CellsModel(self)
        self.setModel(self._model)
        self._painter = _CellPainter(colours, self._model, self)
        self.setItemDelegate(self._painter)
        self._wanted: list[int] = []  # the widths at which every cell takes one line
        self._named = False  # whether all columns share the room beside the first, which holds names
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
        self._pointers = panel.pressed
        self._named = panel.named
        wanted, self._wanted = self._wanted, []  # Qt lays out new columns before their widths are known
        if not self._model.show_table(panel):
            self._wanted = wanted
        else:
            cells = [self._width_of(column) for column in range(len(panel.header))]
            self._model.break_headings(cells)
            headings = map(self.horizontalHeader().sectionSizeHint, range(len(cells)))
            self._wanted = [
                max(cell, min(heading, _WIDEST_COLUMN)) for cell, heading in zip(cells, headings, strict=True)
            ]
            if panel.named:
                self._wanted[0] = min(self._wanted[0], _NAMES)
            for column, width in enumerate(self._wanted):
                self.setColumnWidth(column, width)
        self._share_room()
        self._fit_rows()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Share the new width."""
        super().resizeEvent(event)
        self._share_room()
        if self._unfitted.isActive() or event.oldSize().height() != event.size().height():
            self._fit_rows()

    def _width_of(self, column: int) -> int:
        """The width of a column's widest cell. Qt's own resizing makes seven calls for each cell."""
        fonts = {False: self.font(), True: _bold()}
        metrics = {of_sum: QFontMetricsF(font) for of_sum, font in fonts.items()}
        return max((_width(text, metrics[of_sum]) for text, of_sum in self._model.column(column)), default=0)

    @property
    def _is_low(self) -> bool:
        """True if the view is too low for two lines in each row: then rows get more lines only while there is room."""
        return self._model.rowCount() * _row_height(_FEW_LINES) > self.viewport().height()

    def _sentences(self) -> list[int]:
        """The columns that are wrapped or cut; narrow ones only if that brings all columns into sight, or beside names."""
        if self._named:
            return [column for column, width in enumerate(self._wanted) if column and width > _NARROW_COLUMN]
        least = sum(min(width, _READABLE_COLUMN) for width in self._wanted)
        fits = least <= self.viewport().width() and not self._is_low
        limit = _READABLE_COLUMN if fits else _WIDEST_COLUMN
        return [column for column, width in enumerate(self._wanted) if width > limit]

    def _share_room(self) -> None:
        sentences = self._sentences()
        others = sum(self.columnWidth(column) for column in range(len(self._wanted)) if column not in sentences)
        room = self.viewport().width() - others
        if self._named and self._wanted:
            self._share_beside_names(sentences, room)
            return
        wanted = [self._wanted[column] for column in sentences]
        shares = shared_widths(wanted, room, _WIDEST_COLUMN if self._is_low else _READABLE_COLUMN)
        for column, width in zip(sentences, shares, strict=True):
            self.setColumnWidth(column, int(width))

    def _share_beside_names(self, columns: list[int], room: float) -> None:
        """Give columns what headings need on as few lines as fit, then as much of the rest as their cells fill."""
        for lines in _HEADING_LINES:
            least = [self._model.heading_width(column, lines) for column in columns]
            if sum(least) <= room:
                break
        more = [max(0.0, self._wanted[column] - width) for column, width in zip(columns, least, strict=True)]
        rest = shared_widths(more, max(0.0, room - sum(least)), 0.0) if any(more) else more
        for column, width, extra in zip(columns, least, rest, strict=True):
            self.setColumnWidth(column, int(width + extra))
        self._model.wrap_headings([self.columnWidth(column) for column in range(len(self._wanted))], lines)

    def _narrowed(self) -> list[int]:
        """The columns that are narrower than their longest cell."""
        return [column for column, width in enumerate(self._wanted) if self.columnWidth(column) < width]

    def _fit_rows(self) -> None:
        self._unfitted.stop()
        sentences = [(column, self.columnWidth(column)) for column in self._narrowed()]
        if self._is_low:  # spare lines are for the columns in sight
            before = itertools.accumulate(map(self.columnWidth, range(len(self._wanted))))
            seen = [end <= self.viewport().width() for end in before]
            sentences = [(column, width) for column, width in sentences if seen[column]]
        heights = [_row_height(lines) for lines in range(_MOST_LINES + 1)]
        rows, line = self._model.rowCount(), heights[2] - heights[1]
        spare = (self.viewport().height() - rows * heights[1]) // line if self._is_low else rows * _MOST_LINES
        for row in range(rows):
            most, lines = 1 + max(0, min(spare, _MOST_LINES - 1)), 1
            if most > 1:
                cells = ((self._model.index(row, column), width) for column, width in sentences)
                lines = max((len(self._painter.lines(cell, width, most)) for cell, width in cells), default=1)
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

    def scroll_bar_width(self) -> int:
        return self.verticalScrollBar().sizeHint().width()

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
        """Return the largest height up to `room` that cuts no row of one line.

        Unlimited if nothing would scroll, if rows may have several lines, or if there is no room for a single row.
        """
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
        if self._pointers and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._press(self.currentIndex())
            return
        if not event.matches(QKeySequence.StandardKey.Copy):
            super().keyPressEvent(event)
            return
        chosen = {(index.row(), index.column()) for index in self.selectedIndexes()}
        QGuiApplication.clipboard().setText(delimited(self._model.chosen(chosen), "\t"))

    def _press(self, index: QModelIndex) -> None:
        if 0 <= index.row() < len(self._pointers):
            self.pressed.emit(self._pointers[index.row()])


class _CellsModel(QAbstractTableModel):
    """The item model of a table's cells."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._panel = _EMPTY
        self._texts: list[list[str]] = [[]]
        self._numeric: list[bool] = []
        self._headings: list[str] = []
        self._heading_widths: dict[tuple[int, int], float] = {}  # by column and lines

    def show_table(self, panel: Table) -> bool:
        """Take a table's cells; return True if its columns need new widths."""
        texts = [[visible(table_text(cell)) for cell in row] for row in panel.rows]
        old, shape = self._panel, (len(panel.rows), panel.header)
        same = (len(old.rows), old.header) == shape
        grown = not same or any(
            len(text) > len(before)
            for row, known in zip(texts, self._texts, strict=True)
            for text, before in zip(row, known, strict=True)
        )
        numeric = [*map(panel.is_numeric, range(len(panel.header)))]
        if same:
            self._panel, self._texts, self._numeric = panel, texts, numeric
            self.dataChanged.emit(self.index(0, 0), self.index(len(panel.rows) - 1, len(panel.header) - 1))
        else:
            self.beginResetModel()
            self._panel, self._texts, self._numeric = panel, texts, numeric
            self._headings, self._heading_widths = [visible(name) for name in panel.header], {}
            self.endResetModel()
        return grown

    def break_headings(self, widths: list[int]) -> None:
        """Break headings wider than their column's cells into two lines."""
        self._headings = [
            _in_two(visible(name), width - 2 * _CELL_AIR)
            for name, width in zip(self._panel.header, widths, strict=True)
        ]
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(widths) - 1)

    def heading_width(self, column: int, lines: int) -> float:
        """The least width of a column whose heading is whole on so many lines, broken between words."""
        if (column, lines) not in self._heading_widths:
            self._heading_widths[column, lines] = self._measure_heading(column, lines)
        return self._heading_widths[column, lines]

    def _measure_heading(self, column: int, lines: int) -> float:
        text, measure = visible(self._panel.header[column]), measured()
        longest_word = longest(text.split(), measure)
        rooms = range(math.ceil(max(longest_word, _NARROW_COLUMN - 2 * _CELL_AIR)), _WIDEST_COLUMN, _NUDGE)
        at = bisect_left(rooms, True, key=lambda room: not wrapped(text, room, lines, measure)[-1].endswith("…"))
        return (rooms[at] if at < len(rooms) else _WIDEST_COLUMN) + 2 * _CELL_AIR

    def wrap_headings(self, widths: list[int], lines: int) -> None:
        """Wrap headings in columns of these widths into so many lines; a longer one is shortened in its middle."""
        self._headings = [
            _in_lines(visible(name), width - 2 * _CELL_AIR, lines)
            for name, width in zip(self._panel.header, widths, strict=True)
        ]
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(widths) - 1)

    def chosen(self, places: set[tuple[int, int]]) -> list[list[str | float]]:
        """The cells at these places, in rows with gaps left empty; without places, all cells and the header."""
        if not places:
            return [list(self._panel.header), *map(list, self._panel.rows)]
        columns = sorted({column for _, column in places})
        return [
            [self._panel.rows[row][column] if (row, column) in places else "" for column in columns]
            for row in sorted({row for row, _ in places})
        ]

    def column(self, column: int) -> set[tuple[str, bool]]:
        """The distinct texts of a column, each with True if it is a sum."""
        return {(texts[column], self.is_sum(row)) for row, texts in enumerate(self._texts)}

    def cell(self, index: Place) -> str | float:
        """A cell's value."""
        return self._panel.rows[index.row()][index.column()]

    def is_sum(self, row: int) -> bool:
        return row in self._panel.sums

    def is_marked(self, row: int) -> bool:
        return row == self._panel.focus

    def rowCount(self, parent: Place | None = None) -> int:
        """Rows of the table."""
        return 0 if parent is not None and parent.isValid() else len(self._texts)

    def columnCount(self, parent: Place | None = None) -> int:
        """Columns of the table."""
        return 0 if parent is not None and parent.isValid() else len(self._panel.header)

    def data(self, index: Place, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """A cell's text, alignment, font and accessible text."""
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return self._texts[index.row()][index.column()]
            case Qt.ItemDataRole.TextAlignmentRole:
                return self._side(index.column())
            case Qt.ItemDataRole.FontRole if self.is_sum(index.row()):
                return _bold()
            case Qt.ItemDataRole.AccessibleTextRole:
                return f"{visible(self._panel.header[index.column()])}: {self._texts[index.row()][index.column()]}"
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """A column's heading."""
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self._headings[section]
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return visible(self._panel.header[section])
        return self._side(section) if role == Qt.ItemDataRole.TextAlignmentRole else None

    def _side(self, column: int) -> Qt.AlignmentFlag:
        side = Qt.AlignmentFlag.AlignRight if self._numeric[column] else Qt.AlignmentFlag.AlignLeft
        return side | Qt.AlignmentFlag.AlignVCenter


class _CellPainter(QStyledItemDelegate):
    """Plain text; a line above each sum, and a bar before the row in focus."""

    def __init__(self, colours: Roles, cells: _CellsModel, parent: QTableView) -> None:
        super().__init__(parent)
        self._colours, self._cells = colours, cells

    def lines(self, cell: Place, width: float, most: int) -> list[str]:
        """A cell's text, wrapped in a column of this width."""
        font = cell.data(Qt.ItemDataRole.FontRole) or QFont()
        room, text = width - 2 * _CELL_AIR + 1, cell.data()
        if most == 1:
            return [QFontMetricsF(font).elidedText(text[:_LONGEST_LINE], Qt.TextElideMode.ElideRight, room)]
        return wrapped(text, room, most, measured(font))

    def sizeHint(self, option: QStyleOptionViewItem, index: Place) -> QSize:
        """The size of the text on one line."""
        self.initStyleOption(option, index)
        return QSize(_width(option.text, QFontMetricsF(option.font)), _row_height(1))

    def helpEvent(self, event: QHelpEvent, view: QAbstractItemView, option: QStyleOptionViewItem, index: Place) -> bool:
        """Show the whole text of a cell that is cut."""
        if (
            event.type() != QEvent.Type.ToolTip
            or not index.isValid()
            or "".join(self._seen(option, index)).replace(" ", "") == index.data().replace(" ", "")
        ):
            return super().helpEvent(event, view, option, index)
        # Qt wraps only rich text.
        QToolTip.showText(
            event.globalPos(), f"<qt>{html.escape(shorten_middle(index.data(), _LONGEST_LINE))}</qt>", view
        )
        return True

    def _seen(self, option: QStyleOptionViewItem, index: Place) -> list[str]:
        line = line_height()
        return self.lines(index, option.rect.width(), max(1, int((option.rect.height() - 2 * _LINE_AIR) / line)))

    def _ink_of(self, cell: str | float) -> str:
        return self._colours.of_verdict(cell.verdict) if isinstance(cell, Judged) else self._colours.ink

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Place) -> None:
        """Draw the cell's background, text and marks."""
        self.initStyleOption(option, index)
        cells, box, colours = self._cells, QRectF(option.rect), self._colours
        marked = cells.is_marked(index.row())
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(box, QColor(mixed(colours.focus, colours.card, 0.35)))
        elif marked:
            painter.fillRect(box, QColor(mixed(colours.focus, colours.card, 0.14)))
        if marked and index.column() == 0:
            painter.fillRect(QRectF(box.left(), box.top(), 3, box.height()), QColor(colours.focus))
        if cells.is_sum(index.row()):
            painter.fillRect(QRectF(box.left(), box.top(), box.width(), 1), QColor(colours.ink))
        painter.setFont(option.font)
        selected = bool(option.state & QStyle.StateFlag.State_Selected)
        painter.setPen(QColor(colours.ink if selected else self._ink_of(cells.cell(index))))
        side = option.displayAlignment & Qt.AlignmentFlag.AlignHorizontal_Mask
        room = box.adjusted(_CELL_AIR, _LINE_AIR, -_CELL_AIR, 0)
        for line in self._seen(option, index):
            painter.drawText(room, side | Qt.AlignmentFlag.AlignTop, line)
            room.translate(0, line_height())
        if option.state & QStyle.StateFlag.State_HasFocus:
            painter.setPen(QColor(colours.focus))
            painter.drawRect(box.adjusted(0.5, 0.5, -0.5, -0.5))


def _width(text: str, metrics: QFontMetricsF) -> int:
    """The width of a text on one line with padding; a single word up to the widest column."""
    line = shorten_middle(text, _LONGEST_LINE)
    width = math.ceil(metrics.horizontalAdvance(line)) + 2 * _CELL_AIR
    return width if " " in line else min(width, _WIDEST_COLUMN)


def _bold() -> QFont:
    font = QFont()
    font.setBold(True)
    return font


def _row_height(lines: int) -> int:
    return math.ceil(lines * line_height()) + 2 * _LINE_AIR


def _in_two(text: str, room: float) -> str:
    """The text if it has room, else on two lines that are as short as possible, up to the widest column."""
    measure, words = measured(), shorten_middle(text, _LONGEST_LINE).split(" ")
    lines: tuple[str, ...] = (text,)
    if len(words) > 1 and measure(text) > room:
        broken = [(" ".join(words[:at]), " ".join(words[at:])) for at in range(1, len(words))]
        lines = min(broken, key=lambda lines: longest(lines, measure))
    return "\n".join(elided(line, _WIDEST_COLUMN - 2 * _CELL_AIR, measure) for line in lines)


def _in_lines(text: str, room: float, most_lines: int) -> str:
    """The text, or as much of its beginning and its end as has room on so many lines."""
    measure = measured()
    for most in range(min(len(text), _LONGEST_LINE), 0, -1):
        shown = shorten_middle(text, most)
        lines = wrapped(shown, room, most_lines, measure)
        if "".join("".join(lines).split()) == "".join(shown.split()):
            break
    return "\n".join(lines)


def paint_ground(widget: QWidget, colour: str) -> None:
    palette = widget.palette()
    for role in (QPalette.ColorRole.Window, QPalette.ColorRole.Base):
        palette.setColor(role, QColor(colour))
    widget.setPalette(palette)
    widget.setAutoFillBackground(True)
