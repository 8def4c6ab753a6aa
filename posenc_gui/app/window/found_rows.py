"""The rows of Find: headings, and entries with their icon, the typed letters in bold, and at the right what Enter does."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter
from PySide6.QtWidgets import (
    QApplication,
    QListWidget,
    QListWidgetItem,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
)

from posenc_gui.app.widgets.icons import icon
from posenc_gui.app.widgets.style_sheet import font_like, scaled
from posenc_gui.app.widgets.theme import THEME
from posenc_gui.foundation.theme import CAPTION, CORNER, GAP, ICON, PADDING, SMALL, TIGHT

if TYPE_CHECKING:
    from posenc_gui.app.state.fuzzy_search import Kind, SearchEntry

_ENTRY = Qt.ItemDataRole.UserRole
_HIGH, _HEAD = 36, 28  # pixels of an entry and of a heading
_WASH = 0.1
_LEFT, _RIGHT, _MIDDLE = Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignRight, Qt.AlignmentFlag.AlignVCenter
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

    def __init__(self) -> None:
        super().__init__()
        self.found: list[SearchEntry] = []
        self.setObjectName("column")
        self.setAccessibleName("Found")
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._painter = _RowPainter(self)
        self.setItemDelegate(self._painter)

    @property
    def wanted_height(self) -> int:
        """The height of all rows, in pixels."""
        return sum(self.sizeHintForRow(row) for row in range(self.count()))

    def show_rows(self, found: Sequence[SearchEntry], typed: Sequence[str]) -> None:
        """Show these results, with letters bold that begin a word as typed."""
        self.clear()
        self.found, self._painter.typed = list(found), "|".join(map(re.escape, typed))
        for heading, some in groupby(found, key=lambda one: one.heading):
            QListWidgetItem(heading, self).setFlags(Qt.ItemFlag.NoItemFlags)
            for one in some:
                item = QListWidgetItem(one.words, self)
                item.setData(_ENTRY, one)
                item.setData(Qt.ItemDataRole.AccessibleTextRole, f"{one.words}, {one.about}: {one.does}")
                item.setToolTip(one.about)

    def place_of(self, item: QListWidgetItem) -> int | None:
        """Return an entry's place; None for a heading."""
        return self.found.index(one) if (one := item.data(_ENTRY)) else None

    def told(self, place: int) -> str:
        """Return what a screen reader says of an entry."""
        one = self.found[place]
        told = (one.words, one.about, one.heading, one.does, f"{place + 1} of {len(self.found)}")
        return ", ".join(filter(None, told))

    def choose(self, place: int) -> None:
        """Mark the entry at this place, which Enter runs, and scroll to it; -1 marks none."""
        rows = [row for row in range(self.count()) if self.item(row).data(_ENTRY)]
        self.setCurrentRow(rows[place] if place >= 0 else -1)
        if place == 0:
            self.scrollToTop()


class _RowPainter(QStyledItemDelegate):
    """Draws a heading, or an entry: icon, title, description, and at the right what Enter does."""

    typed = ""  # what begins words that are bold, as a pattern

    def sizeHint(self, _option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        """Return the height of a row."""
        return QSize(0, scaled(_HIGH if index.data(_ENTRY) else _HEAD))

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Draw it."""
        one, box, theme = index.data(_ENTRY), QRect(option.rect), THEME.roles
        small, room = font_like(QApplication.font(), CAPTION), box.adjusted(scaled(GAP), 0, -scaled(GAP), 0)
        painter.save()
        painter.setFont(small)
        painter.setPen(QColor(theme.muted))
        if one is None:
            painter.drawText(room.adjusted(0, 0, 0, -scaled(TIGHT)), Qt.AlignmentFlag.AlignBottom, index.data())
        else:
            chosen = bool(option.state & QStyle.StateFlag.State_Selected)
            if chosen:
                draw_wash(painter, box)
                painter.setPen(QColor(theme.focus))
            does = f"{one.does} ↵" if chosen else one.does
            painter.drawText(room, _RIGHT | _MIDDLE, does)
            room.setRight(room.right() - QFontMetrics(small).horizontalAdvance(does) - scaled(PADDING))
            sign = QRect(room.left(), box.center().y() - scaled(ICON) // 2, scaled(ICON), scaled(ICON))
            icon(one.icon or _ICONS[one.kind], theme.focus if chosen else theme.muted).paint(painter, sign)
            room.setLeft(sign.right() + scaled(GAP))
            painter.setPen(QColor(theme.ink))
            typed = "" if one.kind == "Ask in other ways" else self.typed  # most of its words are the question's
            room.setLeft(self._write(painter, room, one.words, QApplication.font(), typed) + scaled(SMALL))
            painter.setPen(QColor(theme.muted))
            self._write(painter, room, one.about, small, typed)
        painter.restore()

    def _write(self, painter: QPainter, room: QRect, words: str, font: QFont, typed: str) -> int:
        """Write words, as many as there is room for, with the typed letters bold, and return where they end."""
        room, bold = QRect(room), font_like(font, bold=True)
        elided = QFontMetrics(bold).elidedText(words.replace("\n", " "), Qt.TextElideMode.ElideRight, room.width())
        parts = re.split(rf"(?i)(?<!\w)({typed})", elided) if typed else [elided]
        for at, part in enumerate(parts):
            painter.setFont(bold if at % 2 else font)
            painter.drawText(room, _LEFT | _MIDDLE, part)
            room.setLeft(room.left() + painter.fontMetrics().horizontalAdvance(part))
        return room.left()


def draw_wash(painter: QPainter, box: QRect) -> None:
    """Draw the ground of what Enter runs."""
    wash = QColor(THEME.roles.focus)
    wash.setAlphaF(_WASH)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(wash)
    painter.drawRoundedRect(box, CORNER, CORNER)
