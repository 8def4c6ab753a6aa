"""Choosing an encoding: a search over names, alternative names, models and years, grouped by door."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QApplication, QComboBox

from posenc_gui import encodings
from posenc_gui.app.panels.encoding_list import EncodingList, EncodingRow, Group
from posenc_gui.app.state.fuzzy_search import SearchEntry
from posenc_gui.app.widgets.controls import Choices
from posenc_gui.encodings.base import Door, Encoding
from posenc_gui.models.encoding_search import Entry, entries, entry_of
from posenc_gui.models.presets import models

_NARROWEST = 8  # characters of an encoding's name
_GROUPS: dict[Door, Group] = {
    "none": Group("Nowhere", "no position", 0),
    "input": Group("At the input", "added to the words", 0),
    "rotation": Group("By rotation", "of queries and keys", 1),
    "score": Group("At the score", "added to the scores", 2),
}
_OWN = Group("Your own", "typed as a formula", 0)
_MODELS = Group("Models", "newest first", 3)


class EncodingChoice(Choices):
    """The field with the current encoding. Arrow keys and letters step through those that fit the model; a press
    opens the search."""

    entry_chosen = Signal(object)  # the chosen list item: an Entry or a Preset
    compared = Signal(object)  # the Entry or Preset to compare with

    def __init__(self) -> None:
        super().__init__("Encoding")
        self._letters, self._typing = "", QTimer(self, singleShot=True)
        self._shown: Encoding | None = None
        self._why_not: Mapping[str, str] = {}
        for name, cls in encodings.listed().items():
            self._add(cls.title, name, cls.summary)
        self._last = self.count() - 1
        self.insertSeparator(self.count())
        self._add(_MODELS.title, None, "Published models: encoding, shape, mask and scale")
        self._item(self.count() - 1).setEnabled(False)
        for way in models():
            self._add(way.description, way, f"{way.summary}. {way.remark}".strip())
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(_NARROWEST)  # models' names are wider than a card
        self.list = EncodingList(self)

    def show_encoding(self, encoding: Encoding) -> None:
        """Show the current encoding by its name, with a variant such as a scaling."""
        self._shown = encoding
        for at, (name, cls) in enumerate(encodings.listed().items()):
            self.setItemText(at, encoding.titled if name == encoding.name and cls.built_in else cls.title)
        self.setCurrentIndex(self.findData(encoding.name))

    def refuse(self, why_not: Mapping[str, str]) -> None:
        """Set the encodings that the model can't use, with reasons. Arrow keys skip them, and the list shows the
        reason."""
        self._why_not = why_not
        for at, (name, cls) in enumerate(encodings.listed().items()):
            self._item(at).setEnabled(name not in why_not)
            self.setItemData(at, why_not.get(name, cls.summary), Qt.ItemDataRole.ToolTipRole)

    def showPopup(self) -> None:
        """Open the search, which lists all entries at first."""
        self.list_door(None)

    def list_door(self, door: Door | None) -> None:
        """Open the list with the first encoding of a door marked, or the one in use."""
        rows = [self._row(entry) for entry in entries()]
        for way in reversed(models()):
            findable = SearchEntry(way.title, "Models", partial(self.entry_chosen.emit, way), about=way.description)
            origin = f"{way.encoding.called}, {way.year}"
            compare = partial(self.compared.emit, way)
            rows.append(EncodingRow(findable, _MODELS, str(way.year), origin, way.summary, compare=compare))
        first = next((row.found.words for row in rows if door and row.group == _GROUPS[door]), "")
        self.list.show_rows(rows, entry_of(self._shown).title if self._shown else "", first)

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

    def _row(self, entry: Entry) -> EncodingRow:
        is_own, also = not entry.cls.built_in, () if entry.cls.built_in else entry.other_names
        year = "" if is_own else str(entry.source.year)
        origin = "p[m, i] = …, angle[m, i] = … or bias[m, n, h] = …" if is_own else f"{entry.source.authors}, {year}"
        if entry.used_by:
            origin += f" · in {', '.join(entry.used_by)}"
        return EncodingRow(
            SearchEntry(entry.title, "Encodings", partial(self.entry_chosen.emit, entry), about=entry.about, also=also),
            _OWN if is_own else _GROUPS[entry.cls.door],
            year,
            f"{entry.kind}, {origin}" if entry.field else origin,
            entry.summary,
            part=bool(entry.field),
            why_not=self._why_not.get(entry.cls.name, ""),
            compare=partial(self.compared.emit, entry),
        )

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
