"""The rows of Find: headings, and entries with their icon, the typed letters in bold, and at the right what Enter does."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPointF, QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QTextCharFormat, QTextLayout, QTextOption
from PySide6.QtWidgets import (
    QApplication,
    QListWidget,
    QListWidgetItem,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from posenc_gui.app.widgets.icons import icon
from posenc_gui.app.widgets.style_sheet import font_like, scaled
from posenc_gui.app.widgets.theme import THEME
from posenc_gui.foundation.theme import CAPTION, CORNER, GAP, ICON, PADDING, SMALL

if TYPE_CHECKING:
    from posenc_gui.app.state.fuzzy_search import Kind, SearchEntry

_ENTRY = Qt.ItemDataRole.UserRole
_HIGH, _HEAD = 36, 28  # pixels of an entry and of a heading
_MOST_TITLE = 0.6  # of the room, where a description follows
_ICONS: dict[Kind, str] = {
    "Ask in other ways": "chevron-right",
    "Compare": "swap",
    "Parameters": "options",
    "Heads": "pin",
    "Actions and settings": "play",
    "Plots": "plots",
    "Encodings": "wave",
    "Models": "open",
    "Exports": "export",
    "Sentences": "sentence",
    "Labs": "chevron-right",
}


class FoundRows(QListWidget):
    """The results under headings. The keyboard stays in the field, which says which entry is chosen."""

    entry_clicked = Signal(int)  # its place among the entries

    def __init__(self) -> None:
        super().__init__()
        self.found: list[SearchEntry] = []
        self._items: list[QListWidgetItem] = []
        self.setObjectName("column")
        self.setAccessibleName("Found")
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._painter = _RowPainter(self)
        self.setItemDelegate(self._painter)
        self.itemClicked.connect(self._on_clicked)

    @property
    def at(self) -> int:
        """The chosen entry's place; -1 if none is chosen."""
        return next((at for at, item in enumerate(self._items) if item is self.currentItem()), -1)

    @property
    def headings(self) -> list[str]:
        """The headings, from top to bottom."""
        return [item.text() for item in map(self.item, range(self.count())) if item not in self._items]

    @property
    def wanted_height(self) -> int:
        """The height of all rows, in pixels."""
        return sum(self.sizeHintForRow(row) for row in range(self.count()))

    def show_rows(self, found: Sequence[SearchEntry], typed: Sequence[str]) -> None:
        """Show these results, with letters bold that begin a word as typed."""
        self.clear()
        self.found, self._items, self._painter.typed = list(found), [], typed
        for heading, some in groupby(found, key=lambda one: one.heading):
            head = QListWidgetItem(heading, self)
            head.setFlags(Qt.ItemFlag.NoItemFlags)
            for one in some:
                item = QListWidgetItem(one.words, self)
                item.setData(_ENTRY, one)
                item.setData(Qt.ItemDataRole.AccessibleTextRole, f"{one.words}, {one.about}: {one.does}")
                item.setToolTip(one.about)
                self._items.append(item)

    def choose(self, row: int) -> None:
        """Mark the entry that Enter runs, and scroll to it; -1 marks none."""
        self.setCurrentRow(self.row(self._items[row]) if row >= 0 else -1)
        if row == 0:
            self.scrollToTop()

    def _on_clicked(self, item: QListWidgetItem) -> None:
        if item in self._items:
            self.entry_clicked.emit(self._items.index(item))


class _RowPainter(QStyledItemDelegate):
    """Draws a heading, or an entry: icon, title, description, and at the right what Enter does."""

    def __init__(self, rows: QWidget) -> None:
        super().__init__(rows)
        self.typed: Sequence[str] = ()

    def sizeHint(self, _option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        """Return the height of a row."""
        return QSize(0, scaled(_HIGH if index.data(_ENTRY) else _HEAD))

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Draw it."""
        one, box, theme = index.data(_ENTRY), QRect(option.rect), THEME.roles
        font, small = QApplication.font(), font_like(QApplication.font(), CAPTION)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        room = box.adjusted(scaled(GAP), 0, -scaled(GAP), 0)
        painter.setFont(small)
        painter.setPen(QColor(theme.muted))
        if one is None:
            painter.drawText(room.adjusted(0, 0, 0, -scaled(SMALL) // 2), Qt.AlignmentFlag.AlignBottom, index.data())
        else:
            chosen = bool(option.state & QStyle.StateFlag.State_Selected)
            if chosen:
                wash = QColor(theme.focus)
                wash.setAlphaF(0.1)
                painter.setBrush(wash)
                painter.setPen(Qt.PenStyle.NoPen)
                painter.drawRoundedRect(box, CORNER, CORNER)
                painter.setPen(QColor(theme.focus))
            does = f"{one.does} ↵" if chosen else one.does
            painter.drawText(room, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, does)
            room.setRight(room.right() - QFontMetrics(small).horizontalAdvance(does) - scaled(PADDING))
            sign = QRect(room.left(), box.center().y() - scaled(ICON) // 2, scaled(ICON), scaled(ICON))
            icon(one.icon or _ICONS[one.kind], theme.focus if chosen else theme.muted).paint(painter, sign)
            room.setLeft(sign.right() + scaled(GAP))
            most = room.width() * (_MOST_TITLE if one.about else 1)
            typed = () if one.kind == "Ask in other ways" else self.typed  # which has most words of the question
            wide = self._draw(painter, room, one.words, font, theme.ink, most, typed)
            room.setLeft(room.left() + wide + scaled(SMALL))
            self._draw(painter, room, one.about, small, theme.muted, room.width(), typed)
        painter.restore()

    def _draw(
        self, painter: QPainter, room: QRect, words: str, font: QFont, ink: str, most: float, typed: Sequence[str]
    ) -> int:
        """Draw words, cut to `most` pixels, with the typed letters bold; return their width."""
        bold = QFontMetrics(font_like(font, bold=True))
        words = words.replace("\n", " ")
        seen = bold.elidedText(words, Qt.TextElideMode.ElideRight, round(most)) if words else ""
        lines = QTextLayout(seen, font)
        option = QTextOption()
        option.setWrapMode(QTextOption.WrapMode.NoWrap)
        lines.setTextOption(option)
        lines.setFormats([_bold(*part) for part in _begun(seen, typed)])
        lines.beginLayout()
        line = lines.createLine()
        if line.isValid():
            line.setLineWidth(most)
        lines.endLayout()
        painter.setPen(QColor(ink))
        lines.draw(painter, QPointF(room.left(), room.center().y() - lines.boundingRect().height() / 2))
        return round(line.naturalTextWidth()) if line.isValid() else 0


def _begun(words: str, typed: Sequence[str]) -> list[tuple[int, int]]:
    """Return where a word begins with typed letters, and how many letters that are."""
    lower = words.lower()
    starts = (at for at in range(len(lower)) if lower[at].isalnum() and not (at and lower[at - 1].isalnum()))
    longest = ((at, max((len(word) for word in typed if lower.startswith(word, at)), default=0)) for at in starts)
    return [(at, length) for at, length in longest if length]


def _bold(start: int, length: int) -> QTextLayout.FormatRange:
    found, form = QTextLayout.FormatRange(), QTextCharFormat()
    form.setFontWeight(QFont.Weight.Bold)
    found.start, found.length, found.format = start, length, form
    return found
