"""Choosing an encoding: a search over names, alternative names, models and years, grouped by door."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from PySide6.QtCore import QPoint, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QFont,
    QKeyEvent,
    QStandardItem,
    QStandardItemModel,
)
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QFrame,
    QHeaderView,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
)

from posenc_gui import encodings
from posenc_gui.app.state.fuzzy_search import MODEL, SearchEntry, holds_every_word, search
from posenc_gui.app.widgets.controls import Choices, LineField, plain_label
from posenc_gui.app.widgets.style_sheet import scaled
from posenc_gui.encodings.base import Encoding
from posenc_gui.foundation.theme import TIGHT
from posenc_gui.models.encoding_search import DOORS, Entry, entries, entry_of
from posenc_gui.models.presets import Preset, models

_NARROWEST = 12  # characters of an encoding's name
_WIDTH, _ROWS = 420, 16  # the list's width in pixels, and its visible rows
_MODELS, _NOT_HERE = "Models", "not with this model"
_MOVES = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1, Qt.Key.Key_PageDown: 10, Qt.Key.Key_PageUp: -10}


@dataclass(frozen=True)
class _Row:
    """A list entry: its group, a note beside it, and the reason if the current model can't use it."""

    found: SearchEntry
    group: str
    beside: str
    told: str
    why_not: str = ""

    def holds(self, typed: str) -> bool:
        """Return True if every typed word begins a word of the entry (the search becomes fuzzy when no entry has all)."""
        return holds_every_word(f"{self.found.words} {self.found.about} {self.group}", typed)


class EncodingChoice(Choices):
    """The field with the current encoding. Arrow keys and letters step through those that fit the model; a press
    opens the search."""

    entry_chosen = Signal(object)  # the chosen list item: an Entry or a Preset

    def __init__(self) -> None:
        super().__init__("Encoding")
        self._letters, self._typing = "", QTimer(self, singleShot=True)
        self._shown: Encoding | None = None
        self._why_not: Mapping[str, str] = {}
        for name, cls in encodings.classes().items():
            self._add(cls.title, name, cls.summary)
        self._last = self.count() - 1
        self.insertSeparator(self.count())
        self._add(_MODELS, None, "Published models: encoding, shape, mask and scale")
        self._item(self.count() - 1).setEnabled(False)
        for way in models():
            self._add(way.description, way, f"{way.summary}. {way.remark}".strip())
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(_NARROWEST)  # models' names are wider than a card
        self._list = EncodingList(self)

    def show_encoding(self, encoding: Encoding) -> None:
        """Show the current encoding by its name, with a variant such as a scaling."""
        self._shown = encoding
        for at, (name, cls) in enumerate(encodings.classes().items()):
            self.setItemText(at, encoding.called if name == encoding.name else cls.title)
        self.setCurrentIndex(self.findData(encoding.name))

    def refuse(self, why_not: Mapping[str, str]) -> None:
        """Set the encodings that the model can't use, with reasons. Arrow keys skip them, and the list shows the
        reason."""
        self._why_not = why_not
        for at, (name, cls) in enumerate(encodings.classes().items()):
            self._item(at).setEnabled(name not in why_not)
            self.setItemData(at, why_not.get(name, cls.summary), Qt.ItemDataRole.ToolTipRole)

    def showPopup(self) -> None:
        """Open the search, which lists all entries at first."""
        rows = [self._row(entry) for entry in entries()]
        for way in models():
            findable = SearchEntry(way.title, MODEL, self._choosing(way), about=way.description)
            rows.append(_Row(findable, _MODELS, f"{way.encoding.called} · {way.year}", way.description))
        self._list.show_rows(rows, entry_of(self._shown).title if self._shown else "")

    def list(self) -> EncodingList:
        """Return the list that a press opens."""
        return self._list

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Step through the encodings with arrow keys and letters; models can be chosen only in the list."""
        at_end = self.currentIndex() == self._last and event.key() in (Qt.Key.Key_Down, Qt.Key.Key_PageDown)
        if at_end or event.key() == Qt.Key.Key_End:
            self.setCurrentIndex(self._last)
        elif event.text().isprintable() and event.text().strip():
            self._find(event.text())
        else:
            self._typing.stop()
            super().keyPressEvent(event)

    def _row(self, entry: Entry) -> _Row:
        beside = f"{entry.kind} · {entry.source.year}" if entry.field else str(entry.source.year)
        findable = SearchEntry(entry.title, entry.kind, self._choosing(entry), about=entry.about)
        return _Row(findable, DOORS[entry.cls.door], beside, entry.summary, self._why_not.get(entry.cls.name, ""))

    def _choosing(self, one: Entry | Preset) -> Callable[[], None]:
        return lambda: self.entry_chosen.emit(one)

    def _find(self, letter: str) -> None:
        """Select the encoding that begins with the typed letters; repeating one letter moves to the next match."""
        self._letters = self._letters + letter if self._typing.isActive() else letter
        self._typing.start(QApplication.keyboardInputInterval())
        is_same = len(set(self._letters.casefold())) == 1
        start = self.model().index(self.currentIndex() + is_same, 0)
        wanted, matches = letter if is_same else self._letters, Qt.MatchFlag.MatchStartsWith | Qt.MatchFlag.MatchWrap
        matching = self.model().match(start, Qt.ItemDataRole.DisplayRole, wanted, -1, matches)
        self.setCurrentIndex(next((at.row() for at in matching if at.row() <= self._last), self.currentIndex()))

    def _add(self, words: str, data: object, told: str) -> None:
        self.addItem(words, data)
        self.setItemData(self.count() - 1, told, Qt.ItemDataRole.ToolTipRole)

    def _item(self, at: int) -> QStandardItem:
        model = self.model()
        assert isinstance(model, QStandardItemModel)
        return model.item(at)


class EncodingList(QFrame):
    """A search field and its results, grouped by door. The focus stays in the field; Enter chooses the selected
    entry."""

    def __init__(self, choice: EncodingChoice) -> None:
        super().__init__(choice, Qt.WindowType.Popup)
        self.setObjectName("found")
        self._choice = choice
        self._rows: Sequence[_Row] = ()
        self._own = ""
        self._seen: list[_Row] = []
        self._at = 0
        self.field = _Field(self._took)
        self.field.textEdited.connect(self._find)
        self.tree = _Tree()
        self.tree.itemClicked.connect(lambda item: self._choose(self.tree.place_of(item)))
        column = QVBoxLayout(self)
        column.setContentsMargins(*[scaled(TIGHT)] * 4)
        column.setSpacing(scaled(TIGHT))
        self._told = plain_label("", "muted")
        self._told.setMinimumHeight(2 * self._told.fontMetrics().lineSpacing())
        for widget in (self.field, self.tree, self._told):
            column.addWidget(widget)

    @property
    def marked(self) -> str:
        """The selected entry, which Enter chooses; empty if the search found none."""
        return self._seen[self._at].found.words if self._seen else ""

    @property
    def told(self) -> str:
        """The text below the results: the selected entry's description, or why this model can't use it."""
        return self._told.text()

    def show_rows(self, rows: Sequence[_Row], own: str) -> None:
        """Open below the field with these entries, and select the current one."""
        self._rows, self._own = rows, own
        self.field.clear()
        self._find("")
        self.adjustSize()
        room, beside = self._choice.screen().availableGeometry(), self._choice.rect()
        corner = self._choice.mapToGlobal(beside.bottomLeft() + QPoint(0, 1))
        rest = room.bottomRight() - self.rect().bottomRight()
        self.move(max(room.left(), min(corner.x(), rest.x())), max(room.top(), min(corner.y(), rest.y())))
        self.show()
        self.field.setFocus(Qt.FocusReason.PopupFocusReason)

    def _find(self, typed: str) -> None:
        holding = [row for row in self._rows if row.holds(typed)]
        nearest = search(typed, [row.found for row in holding or self._rows], most=len(self._rows))
        self._see(
            holding or [row for row in self._rows if row.found in nearest], nearest[0].words if nearest else self._own
        )

    def _see(self, rows: Sequence[_Row], wanted: str) -> None:
        self._seen = list(rows)
        self.tree.show_rows(rows)
        self._go(next((at for at, row in enumerate(rows) if row.found.words == wanted), 0))

    def _go(self, at: int) -> None:
        if not self._seen:
            self._told.clear()
            self._say("Nothing found")
            return
        self._at = max(0, min(at, len(self._seen) - 1))
        self.tree.mark(self._at)
        row = self._seen[self._at]
        self._told.setText(row.why_not or row.told)
        self._say(f"{row.found.words}, {row.group}, {row.why_not or row.beside}, {self._at + 1} of {len(self._seen)}")

    def _took(self, key: Qt.Key) -> bool:
        """Handle the keys that move the selection, choose and close; return False for keys that belong to the field."""
        if key in _MOVES:
            self._go(self._at + _MOVES[key])
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._choose(self._at)
        elif key == Qt.Key.Key_Escape:
            self.close()
        else:
            return False
        return True

    def _choose(self, at: int | None) -> None:
        if at is not None and at < len(self._seen):
            self.close()
            self._seen[at].found.run()

    def _say(self, words: str) -> None:
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self.field, words))


class _Field(LineField):
    """The search field; keys other than text go to the list first."""

    def __init__(self, took: Callable[[Qt.Key], bool]) -> None:
        super().__init__(placeholderText="Name, model or year", clearButtonEnabled=True)
        self.setAccessibleName("Find an encoding")
        self._took = took

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Edit the search text, or move through the results."""
        if not self._took(Qt.Key(event.key())):
            super().keyPressEvent(event)


class _Tree(QTreeWidget):
    """The results: rows under group titles, each with a name and, at the right, its year or why it can't be used."""

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName("Encodings found")
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setColumnCount(2)
        self.setHeaderHidden(True)
        self.setRootIsDecorated(False)
        self.setIndentation(0)
        self.setUniformRowHeights(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.header().setStretchLastSection(True)
        self.header().setSectionResizeMode(0, QHeaderView.ResizeMode.ResizeToContents)
        self._items: list[QTreeWidgetItem] = []

    def sizeHint(self) -> QSize:
        """Return a size for the first rows; the others scroll."""
        return QSize(scaled(_WIDTH), _ROWS * max(self.sizeHintForRow(0), self.fontMetrics().height()))

    def minimumSizeHint(self) -> QSize:
        """Return the same size, so that the list keeps its height during a search."""
        return self.sizeHint()

    def show_rows(self, rows: Sequence[_Row]) -> None:
        """Show these rows; if there are none, say so."""
        self.clear()
        self._items = []
        muted, bold = self.palette().placeholderText(), QFont(self.font())
        bold.setWeight(QFont.Weight.DemiBold)
        for group, some in groupby(rows, key=lambda row: row.group):
            title = self._add(group)
            title.setFont(0, bold)
            title.setFirstColumnSpanned(True)
            title.setFlags(Qt.ItemFlag.NoItemFlags)
            title.setForeground(0, self.palette().text())
            for row in some:
                item = self._add(f"  {row.found.words}", _NOT_HERE if row.why_not else row.beside)
                item.setTextAlignment(1, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
                for column in (0, 1) if row.why_not else (1,):
                    item.setForeground(column, muted)
                for column in (0, 1):
                    item.setToolTip(column, row.why_not or row.told)
                self._items.append(item)
        if not rows:
            self._add("Nothing found").setDisabled(True)

    def mark(self, at: int) -> None:
        """Select the row that Enter would choose and scroll to it; for the first row, show its group title too."""
        self.setCurrentItem(self._items[at])
        if at == 0:
            self.scrollToTop()

    def place_of(self, item: QTreeWidgetItem) -> int | None:
        """Return a row's index; None for a group title."""
        return self._items.index(item) if item in self._items else None

    def _add(self, *words: str) -> QTreeWidgetItem:
        item = QTreeWidgetItem(list(words))
        self.addTopLevelItem(item)
        return item
