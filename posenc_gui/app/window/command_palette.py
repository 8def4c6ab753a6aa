"""Find anything: a search field for all actions, plots, encodings, labs, sentences, models and comparisons, and results."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QSize, Qt, Signal
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QFocusEvent,
    QFont,
    QIcon,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
)
from PySide6.QtWidgets import QApplication, QHeaderView, QSizePolicy, QTreeWidget, QTreeWidgetItem, QWidget

from posenc_gui.app.widgets.controls import LineField
from posenc_gui.app.widgets.icons import icon
from posenc_gui.app.widgets.style_sheet import scaled
from posenc_gui.app.widgets.theme import THEME
from posenc_gui.foundation.theme import CAPTION, GAP

if TYPE_CHECKING:
    from posenc_gui.app.state.fuzzy_search import SearchEntry

_KEYS = QKeySequence("Ctrl+K")
_PAGE = 10  # rows
_LEAST, _WIDTH = 100, 232  # pixels
_ROWS_LEAST, _ROWS_WIDTH = 320, 440  # pixels
_MOVES = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1, Qt.Key.Key_PageDown: _PAGE, Qt.Key.Key_PageUp: -_PAGE}


class CommandPalette(LineField):
    """The search field. Typing shows results, arrow keys choose one, Enter runs it, Escape returns the focus."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(placeholderText="Find anything", clearButtonEnabled=True)
        self._findables: Callable[[], Sequence[SearchEntry]] | None = None  # until they are loaded
        self._comparisons: Callable[[str], Sequence[SearchEntry]] = lambda _typed: ()
        self._all: Sequence[SearchEntry] = ()
        self._found: list[SearchEntry] = []
        self._before: QWidget | None = None
        self.setAccessibleName("Find anything")
        self.setToolTip(
            "Actions, plots, encodings, labs, sentences and models, or two to compare: rope vs alibi (Ctrl+K)"
        )
        self.setMinimumWidth(_LEAST)
        self.setMaximumWidth(_WIDTH)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self._window = window
        self.rows = _FoundRows(window)
        self.rows.entry_clicked.connect(self._do)
        self.textEdited.connect(self._find)
        self._icon = self.addAction(QIcon(), LineField.ActionPosition.LeadingPosition)
        THEME.changed.connect(self._draw_icon)
        self._draw_icon()

    def load(
        self, findables: Callable[[], Sequence[SearchEntry]], comparisons: Callable[[str], Sequence[SearchEntry]]
    ) -> None:
        """Find these from now on, and what is already typed: everything by name, and the comparisons that are typed."""
        self._findables, self._comparisons = findables, comparisons
        if self.hasFocus():
            self._all = findables()
            self._find(self.text())

    def begin(self) -> None:
        """Focus the field, and remember what had the focus."""
        self._before = QApplication.focusWidget()
        self.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.selectAll()

    def _draw_icon(self) -> None:
        self._icon.setIcon(icon("search", THEME.roles.muted))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the field, with the shortcut at the right while nothing is typed."""
        super().paintEvent(event)
        metrics, keys = self.fontMetrics(), _KEYS.toString(QKeySequence.SequenceFormat.NativeText).replace("+", " ")
        needed = 2 * self.height() + metrics.horizontalAdvance(self.placeholderText() + keys)
        if not self.text() and needed <= self.width():
            painter = QPainter(self)
            painter.setPen(self.palette().placeholderText().color())
            room = self.rect().adjusted(0, 0, -scaled(GAP), 0)
            painter.drawText(room, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, keys)

    def sizeHint(self) -> QSize:
        """Return the full width, which a narrow window reduces."""
        return QSize(_WIDTH, super().sizeHint().height())

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Collect everything that can be found now."""
        super().focusInEvent(event)
        if event.reason() != Qt.FocusReason.PopupFocusReason:
            self._all = self._findables() if self._findables else ()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Hide the results when the focus leaves."""
        super().focusOutEvent(event)
        self.rows.hide()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move through the results, run one, or return."""
        key = Qt.Key(event.key())
        if key in _MOVES and self.rows.isVisible():
            self._choose(self.rows.at + _MOVES[key])
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._do()
        elif key == Qt.Key.Key_Escape:
            self._end()
        else:
            super().keyPressEvent(event)

    def _find(self, typed: str) -> None:
        from posenc_gui.app.state.fuzzy_search import by_kind, search  # not needed for the first paint

        self._found = by_kind([*self._comparisons(typed)] or search(typed, self._all))
        if not typed.strip():
            self.rows.hide()
            return
        self.rows.show_rows(self._found, self._nothing)
        corner = self.mapTo(self._window, QPoint(self.width(), self.height() + 4))
        width = max(scaled(_ROWS_LEAST), min(scaled(_ROWS_WIDTH), corner.x() - GAP))
        self.rows.setFixedWidth(width)
        self.rows.move(max(0, corner.x() - width), corner.y())
        self.rows.show()
        self.rows.raise_()
        self._choose(0)

    def _choose(self, row: int) -> None:
        if not self._found:
            self._say(self._nothing)
            return
        row = max(0, min(row, len(self._found) - 1))
        self.rows.choose(row)
        one = self._found[row]
        beside = f"{one.beside}, " if one.beside else ""
        self._say(f"{one.words}, {one.kind}, {beside}{row + 1} of {len(self._found)}")

    @property
    def _nothing(self) -> str:
        return "Nothing found" if self._findables else "Loading torch …"

    def _say(self, words: str) -> None:
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, words))

    def _do(self) -> None:
        if self.rows.isVisible() and self._found:
            one = self._found[self.rows.at]
            self._end()
            one.run()

    def _end(self) -> None:
        self.clear()
        self.rows.hide()
        if self._before and self._before.isVisible():
            self._before.setFocus(Qt.FocusReason.OtherFocusReason)
        else:
            self.clearFocus()
        self._before = None


class _FoundRows(QTreeWidget):
    """The results, over the window, under headings: title on the left, shortcut, menu or lab on the right."""

    entry_clicked = Signal()

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._entries: list[QTreeWidgetItem] = []
        self.setObjectName("found")
        self.setAccessibleName("Found")
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # the keyboard stays in the field
        self.setColumnCount(2)
        self.setHeaderHidden(True)
        self.setRootIsDecorated(False)
        self.setUniformRowHeights(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.header().setStretchLastSection(False)
        self.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.header().setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)
        self.itemClicked.connect(self._on_clicked)
        self.hide()

    @property
    def at(self) -> int:
        """The selected entry."""
        return next(at for at, item in enumerate(self._entries) if item is self.currentItem())

    def show_rows(self, found: Sequence[SearchEntry], nothing: str) -> None:
        """Show these results under their headings, or, if there are none, the words that say so."""
        self.clear()
        self._entries = []
        for kind, some in groupby(found, key=lambda one: one.kind):
            self._head(kind)
            for one in some:
                item = QTreeWidgetItem([one.words, one.beside])
                item.setTextAlignment(1, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
                item.setForeground(1, self.palette().placeholderText())
                item.setToolTip(0, one.about)
                self.addTopLevelItem(item)
                self._entries.append(item)
        if not found:
            self._head(nothing)
        self.setFixedHeight(self.sizeHintForRow(0) * self.topLevelItemCount() + 2 * self.frameWidth())

    def choose(self, row: int) -> None:
        """Select the entry that Enter runs."""
        self.setCurrentItem(self._entries[row])

    def _head(self, words: str) -> None:
        head = QTreeWidgetItem([words])
        font = self.font()
        font.setPixelSize(scaled(CAPTION.size))
        font.setWeight(QFont.Weight.DemiBold)
        head.setFont(0, font)
        head.setFlags(Qt.ItemFlag.NoItemFlags)
        self.addTopLevelItem(head)
        head.setFirstColumnSpanned(True)

    def _on_clicked(self, item: QTreeWidgetItem) -> None:
        if item in self._entries:
            self.entry_clicked.emit()
