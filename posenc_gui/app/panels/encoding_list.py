"""The list of encodings and models: a search field above columns, one for each door, and what the marked entry is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPoint, QRect, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QKeyEvent, QPainter, QPen, QResizeEvent
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QListWidget,
    QListWidgetItem,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from posenc_gui.app.state.fuzzy_search import SearchEntry, search
from posenc_gui.app.widgets.aloud import announce
from posenc_gui.app.widgets.controls import LineField, in_column, in_row, plain_label
from posenc_gui.app.widgets.icons import icon
from posenc_gui.app.widgets.style_sheet import font_like, scaled
from posenc_gui.app.widgets.theme import THEME
from posenc_gui.foundation.theme import CAPTION, CORNER, GAP, ICON, QUIET, SMALL, TIGHT
from posenc_gui.foundation.word_match import holds_every_word

_WIDEST, _ALONE = 260, 420  # pixels: the largest breadth of a column beside others, and that of the only one
_NARROW = 1000  # pixels: in a window no wider than this there is one column
_ROWS_ALONE = 16  # rows of the only column that are seen at once
_LOW = 24  # pixels: the height of a row where the screen is low
_ROW = Qt.ItemDataRole.UserRole
_NOT_HERE = "not with this model"
_WALKS = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1, Qt.Key.Key_PageDown: 10, Qt.Key.Key_PageUp: -10}
_SIDEWAYS = {Qt.Key.Key_Right: 1, Qt.Key.Key_Left: -1}


@dataclass(frozen=True)
class Group:
    """The title above rows, a note beside it, and the column in which it stands."""

    title: str
    note: str
    column: int


@dataclass(frozen=True)
class EncodingRow:
    """An entry of the list: its group, a note at its right, and what is told of it when it is marked.

    `origin` says in one line who published it and who uses it, `told` what it does. `part`: a variant of the row above.
    `why_not`: the reason if the current model can't use it. `compare` is run by Shift+Enter, if it can be compared.
    """

    found: SearchEntry
    group: Group
    beside: str
    origin: str
    told: str
    part: bool = False
    why_not: str = ""
    compare: Callable[[], object] | None = None

    @property
    def keys(self) -> str:
        """What keys do with the entry, a line each; empty if the current model can't use it."""
        compares = "\nShift+Enter compares" if self.compare else ""
        return "" if self.why_not else f"Enter takes it{compares}"

    def holds(self, typed: str) -> bool:
        """Return True if every typed word begins a word of the entry (the search becomes fuzzy when no entry has all)."""
        return holds_every_word(f"{self.found.words} {self.found.about} {self.group.title} {self.group.note}", typed)


class EncodingList(QFrame):
    """A search field and its results in columns. The focus stays in the field; only Enter and a press change anything."""

    def __init__(self, owner: QWidget) -> None:
        super().__init__(owner, Qt.WindowType.Popup)
        self.setObjectName("found")
        self._owner = owner
        self._rows: Sequence[EncodingRow] = ()
        self._own = ""
        self._seen: list[EncodingRow] = []
        self._at = 0
        self.field = _Field(self._took)
        self.field.textEdited.connect(self._find)
        self._columns: list[_DoorColumn] = []
        self._beside = in_row(gap=scaled(TIGHT))
        self._origin, self._told = plain_label("", "muted"), plain_label("")
        self._keys = plain_label("", "muted", wraps=False)
        for label in (self._origin, self._told):
            label.setMinimumHeight(label.fontMetrics().lineSpacing())
        words = in_column(self._origin, self._told, gap=0)
        foot = in_row(words, self._keys, gap=scaled(GAP), around=scaled(SMALL), grows=words)
        line = QFrame()
        line.setObjectName("hairline")
        line.setFixedHeight(1)
        in_column(self.field, self._beside, line, foot, of=self, gap=scaled(SMALL), around=scaled(GAP))

    @property
    def marked(self) -> str:
        """The marked entry, which Enter chooses; empty if the search found none."""
        return self._seen[self._at].found.words if self._seen else ""

    @property
    def told(self) -> str:
        """The text below the columns: what the marked entry does, or why this model can't use it."""
        return self._told.text()

    def seen(self) -> list[str]:
        """Return the titles and entries that are listed, column by column."""
        return [column.item(at).text() for column in self._columns for at in range(column.count())]

    def place_of(self, words: str) -> tuple[QListWidget, QRect]:
        """Return the column in which an entry is listed, and its rectangle there."""
        for column in self._columns:
            for item in column.findItems(words, Qt.MatchFlag.MatchExactly):
                if isinstance(item.data(_ROW), EncodingRow):
                    return column, column.visualItemRect(item)
        raise KeyError(words)

    def show_rows(self, rows: Sequence[EncodingRow], own: str, first: str = "") -> None:
        """Open below the owner with these entries, and mark `first` or else the current one, `own`."""
        if self.parent() is not self._owner.window():  # below a combo box, rules for what a combo box holds would apply
            self.setParent(self._owner.window(), Qt.WindowType.Popup)
        self._rows, self._own = rows, own
        self.field.clear()
        self.field.tell(_counted(rows))
        columns = {row.group.column for row in rows}
        self._place_columns(len(columns) if self._owner.window().width() > scaled(_NARROW) else 1)
        self._find("")
        if first:
            self._mark(first)
        self._fit()
        self.show()
        self.field.setFocus(Qt.FocusReason.PopupFocusReason)

    def _place_columns(self, count: int) -> None:
        for column in self._columns:
            self._beside.removeWidget(column)
            column.deleteLater()
        self._columns = [_DoorColumn() for _ in range(count)]
        for column in self._columns:
            column.itemEntered.connect(self._on_item)
            column.itemClicked.connect(self._on_clicked)
            self._beside.addWidget(column)

    def _fit(self) -> None:
        """Give all columns the height of the longest door's, in low rows if the screen is low, and stand on the screen."""
        for widget in (self, *self.findChildren(QWidget)):
            widget.ensurePolished()  # so that heights are those of the style sheet
        room = self._owner.screen().availableGeometry()
        *doors, models = self._columns
        rows = max((column.count() for column in doors), default=min(models.count(), _ROWS_ALONE))
        around = self.minimumSizeHint().height() - max(column.minimumHeight() for column in self._columns)
        high = scaled(QUIET) if around + rows * scaled(QUIET) <= room.height() else scaled(_LOW)
        rows = min(rows, (room.height() - around) // high)
        for column in self._columns:
            column.fix(min(column.breadth(), scaled(_WIDEST)) if doors else scaled(_ALONE), rows, high)
        self.adjustSize()
        corner = self._owner.mapToGlobal(self._owner.rect().bottomLeft() + QPoint(0, TIGHT))
        rest = room.bottomRight() - self.rect().bottomRight()
        self.move(max(room.left(), min(corner.x(), rest.x())), max(room.top(), min(corner.y(), rest.y())))

    def _find(self, typed: str) -> None:
        holding = [row for row in self._rows if row.holds(typed)]
        nearest = search(typed, [row.found for row in holding or self._rows], most=len(self._rows))
        self._see(holding or [row for row in self._rows if row.found in nearest])
        self._mark(nearest[0].words if nearest else self._own)

    def _see(self, rows: Sequence[EncodingRow]) -> None:
        self._seen = list(rows)
        for place, column in enumerate(self._columns):
            alone = len(self._columns) == 1
            column.show_rows([row for row in rows if alone or row.group.column == place], self._own)
        if not rows:
            self._columns[0].say("Nothing found")

    def _mark(self, words: str) -> None:
        self._go(next((at for at, row in enumerate(self._seen) if row.found.words == words), 0))

    def _go(self, at: int) -> None:
        if not self._seen:
            for label in (self._origin, self._told, self._keys):
                label.clear()
            announce(self.field, "Nothing found")
            return
        self._at = max(0, min(at, len(self._seen) - 1))
        row = self._seen[self._at]
        for column in self._columns:
            column.mark(row)
        self._origin.setText(f"{row.found.words}: {row.origin}" if row.origin else row.found.words)
        self._told.setText(row.why_not or row.told)
        self._keys.setText(row.keys)
        about = row.why_not or row.beside
        announce(self.field, f"{row.found.words}, {row.group.title}, {about}, {self._at + 1} of {len(self._seen)}")

    def _step_aside(self, by: int) -> None:
        """Mark the row at the same height in the next column that lists any."""
        here = next(at for at, column in enumerate(self._columns) if column.marked is not None)
        there = here + by
        while 0 <= there < len(self._columns) and not self._columns[there].rows():
            there += by
        if 0 <= there < len(self._columns):
            wanted = self._columns[here].currentRow()
            row = min(self._columns[there].rows(), key=lambda found: abs(found[0] - wanted))[1]
            self._go(self._seen.index(row))

    def _took(self, event: QKeyEvent) -> bool:
        """Handle the keys that move the mark, choose and close; return False for keys that belong to the field."""
        key = Qt.Key(event.key())
        if key in _WALKS:
            self._go(self._at + _WALKS[key])
        elif key in _SIDEWAYS and self._seen and not self.field.text():
            self._step_aside(_SIDEWAYS[key])
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._choose(compares=bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier))
        elif key == Qt.Key.Key_Escape:
            self.close()
        else:
            return False
        return True

    def _on_item(self, item: QListWidgetItem) -> None:
        row = item.data(_ROW)
        if isinstance(row, EncodingRow):
            self._go(self._seen.index(row))

    def _on_clicked(self, item: QListWidgetItem) -> None:
        if isinstance(item.data(_ROW), EncodingRow):
            self._on_item(item)
            self._choose()

    def _choose(self, *, compares: bool = False) -> None:
        if not self._seen:
            return
        row = self._seen[self._at]
        self.close()
        (row.compare if compares and row.compare else row.found.run)()


def _counted(rows: Sequence[EncodingRow]) -> str:
    """Return “24 encodings, 7 variants, 37 models”: what has no year is the user's own."""
    models = max((row.group.column for row in rows), default=0)
    counts = {
        "encodings": sum(not row.part and row.group.column < models and bool(row.beside) for row in rows),
        "variants": sum(row.part for row in rows),
        "models": sum(row.group.column == models for row in rows),
    }
    return ", ".join(f"{count} {what}" for what, count in counts.items() if count)


class _Field(LineField):
    """The search field, with a note at its right while nothing is typed; keys other than text go to the list first."""

    def __init__(self, took: Callable[[QKeyEvent], bool]) -> None:
        super().__init__(placeholderText="Name, model or year", clearButtonEnabled=True)
        self.setAccessibleName("Find an encoding")
        self._took = took
        self._note = plain_label("", "muted", wraps=False)
        self._note.setParent(self)
        self._note.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.textChanged.connect(lambda typed: self._note.setVisible(not typed))

    def tell(self, words: str) -> None:
        """Show a note at the right."""
        self._note.setText(words)
        self._stand()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the note at the right."""
        super().resizeEvent(event)
        self._stand()

    def _stand(self) -> None:
        self._note.adjustSize()
        right, middle = self.width() - self._note.width() - scaled(SMALL), self.height() - self._note.height()
        self._note.move(right, middle // 2)
        self._note.setVisible(not self.text() and right > self.width() // 2)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Edit the search text, or move through the results."""
        if not self._took(event):
            super().keyPressEvent(event)


class _DoorColumn(QListWidget):
    """Rows under the titles of their groups."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("column")
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setUniformItemSizes(True)
        self.setMouseTracking(True)
        self._painter = _RowPainter(self)
        self.setItemDelegate(self._painter)

    @property
    def marked(self) -> EncodingRow | None:
        """The marked row, if it is in this column."""
        item = self.currentItem()
        return item.data(_ROW) if item else None

    def breadth(self) -> int:
        """The breadth in which no row is cut, with room for a scroll bar."""
        widest = max((self._painter.breadth(self.item(at)) for at in range(self.count())), default=0)
        return widest + self.verticalScrollBar().sizeHint().width()

    def fix(self, broad: int, rows: int, high: int) -> None:
        """Set the size: so many rows of this height."""
        self._painter.high = high
        self.setFixedSize(broad, rows * high)
        self.scheduleDelayedItemsLayout()

    def rows(self) -> list[tuple[int, EncodingRow]]:
        """Return the rows with their places, without the titles."""
        found = ((at, self.item(at).data(_ROW)) for at in range(self.count()))
        return [(at, row) for at, row in found if isinstance(row, EncodingRow)]

    def show_rows(self, rows: Sequence[EncodingRow], own: str) -> None:
        """Show these rows under the titles of their groups; `own` is the entry in use."""
        self.clear()
        self._painter.own = own
        for group, some in groupby(rows, key=lambda row: row.group):
            self._add(group.title, group)
            for row in some:
                self._add(row.found.words, row)

    def say(self, words: str) -> None:
        """Show a sentence in place of rows."""
        self._add(words, None)

    def mark(self, row: EncodingRow) -> None:
        """Mark this row, if it is here, and scroll to it; with the first row, to its title too."""
        for at, one in self.rows():
            if one is row:
                self.setCurrentRow(at)
                self.scrollToItem(self.item(0 if at == 1 else at))
                return
        self.setCurrentRow(-1)

    def _add(self, words: str, data: EncodingRow | Group | None) -> None:
        item = QListWidgetItem(words)
        item.setData(_ROW, data)
        if not isinstance(data, EncodingRow):
            item.setFlags(Qt.ItemFlag.NoItemFlags)
        self.addItem(item)


class _RowPainter(QStyledItemDelegate):
    """Draws a title with its note, or a row: a tick at the entry in use, its name, and its year at the right."""

    def __init__(self, column: QWidget) -> None:
        super().__init__(column)
        self.high, self.own = scaled(QUIET), ""

    def sizeHint(self, _option: QStyleOptionViewItem, _index: QModelIndex | QPersistentModelIndex) -> QSize:
        """Return the height of a row."""
        return QSize(0, self.high)

    def breadth(self, item: QListWidgetItem) -> int:
        """The breadth that a title or a row needs, as if it were the entry in use."""
        data = item.data(_ROW)
        font = QApplication.font()
        bold, small = QFontMetrics(font_like(font, bold=True)), QFontMetrics(font_like(font, CAPTION))
        inside = scaled(GAP) if isinstance(data, EncodingRow) and data.part else 0
        around = scaled(2 * SMALL + ICON + GAP)
        return around + inside + bold.horizontalAdvance(item.text()) + small.horizontalAdvance(self._beside(data))

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Draw a title or a row."""
        data, words, theme = index.data(_ROW), index.data(), THEME.roles
        box: QRect = option.rect
        own = isinstance(data, EncodingRow) and data.found.words == self.own
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if option.state & QStyle.StateFlag.State_Selected:
            wash = QColor(theme.focus)
            wash.setAlphaF(0.1)
            painter.setPen(QPen(QColor(theme.focus), 2))
            painter.setBrush(wash)
            painter.drawRoundedRect(box.adjusted(1, 1, -1, -1), CORNER, CORNER)
        if own:
            tick = QRect(0, 0, scaled(ICON), scaled(ICON))
            tick.moveCenter(QPoint(box.left() + scaled(SMALL + ICON) // 2, box.center().y()))
            icon("check", theme.focus).paint(painter, tick)
        inside = scaled(GAP) if isinstance(data, EncodingRow) and data.part else 0
        room = box.adjusted(scaled(SMALL + ICON) + inside, 0, -scaled(SMALL), 0)
        painter.setPen(QColor(theme.muted if isinstance(data, EncodingRow) and data.why_not else theme.ink))
        painter.setFont(font_like(QApplication.font(), bold=own or isinstance(data, Group)))
        metrics = painter.fontMetrics()
        seen = metrics.elidedText(words, Qt.TextElideMode.ElideRight, room.width())
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, seen)
        room.setLeft(room.left() + metrics.horizontalAdvance(words) + scaled(SMALL))
        painter.setPen(QColor(theme.muted))
        painter.setFont(font_like(QApplication.font(), CAPTION))
        beside = self._beside(data)
        side = Qt.AlignmentFlag.AlignLeft if isinstance(data, Group) else Qt.AlignmentFlag.AlignRight
        if painter.fontMetrics().horizontalAdvance(beside) <= room.width():
            painter.drawText(room, side | Qt.AlignmentFlag.AlignVCenter, beside)
        painter.restore()

    def _beside(self, data: EncodingRow | Group | None) -> str:
        """Return what stands beside a title or at the right of a row."""
        if isinstance(data, Group):
            return data.note
        return "" if data is None else _NOT_HERE if data.why_not else data.beside
