"""Where labs begin: the labs that come with the explorer, those of a folder, and the index of sections and questions."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QGridLayout,
    QPushButton,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTabWidget,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from posenc_gui.app.widgets.controls import LineField, plain, push, scrolling
from posenc_gui.labs.definition import lab_library as shelf
from posenc_gui.labs.definition.lab import Lab
from posenc_gui.labs.definition.lab_library import Way
from posenc_gui.labs.definition.record import Record
from posenc_gui.labs.play.progress import Play
from posenc_gui.measures.base import counted

_INDENT, _AROUND = 16, 4  # pixels

_WAY = Qt.ItemDataRole.UserRole


class LabHome(QWidget):
    """The labs with how far they have come, and an index that leads to them and to pictures."""

    chosen = Signal(object)  # Lab
    asked = Signal(object)  # Way

    def __init__(self, record_of: Callable[[Lab], Record | None]) -> None:
        super().__init__()
        self._record_of = record_of
        self._others: tuple[Lab, ...] = ()
        self._folder: Path | None = None
        self._list = QVBoxLayout()
        self._list.setSpacing(6)
        self._buttons: dict[str, QPushButton] = {}
        self.filter = LineField(placeholderText="Find a question …", clearButtonEnabled=True)
        self.filter.setAccessibleName("Find a question")
        self.filter.textChanged.connect(self._on_filtered)
        self.index = _Index()
        self.index.setAccessibleName("Sections and questions")
        self.index.itemActivated.connect(self._on_activated)
        self._groups: list[tuple[QTreeWidgetItem, list[QTreeWidgetItem]]] = []
        self._fill_index()

        scroll, column = scrolling("Labs")
        column.setSpacing(8)
        intro = plain(
            "A lab asks, you predict, you try it in this window, and the numbers answer. A wrong guess costs nothing."
        )
        column.addWidget(intro)
        column.addLayout(self._list)
        column.addStretch(1)
        questions = QWidget()
        column = QVBoxLayout(questions)
        column.setContentsMargins(0, 6, 0, 0)
        column.addWidget(self.filter)
        self._nothing = plain(
            "No question holds these words. Try one of them alone, such as “RoPE” or “cosine”.", "muted"
        )
        self._nothing.hide()
        self._said = plain("", "boxed")
        self._said.hide()
        column.addWidget(self._nothing)
        column.addWidget(self.index, 1)
        column.addWidget(self._said)
        self.pages = QTabWidget(documentMode=True)
        self.pages.addTab(scroll, "Labs")
        self.pages.addTab(questions, "Questions")
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(self.pages)
        self.refresh()

    def show_folder(self, folder: Path, labs: tuple[Lab, ...]) -> None:
        """Show also the labs of a folder."""
        self._folder, self._others = folder, labs
        self.refresh()

    def refresh(self) -> None:
        """Show how far each lab has come."""
        while item := self._list.takeAt(0):
            if widget := item.widget():
                widget.hide()  # it goes only later
                widget.deleteLater()
        self._buttons = {}
        records = {lab.name: self._so_far(lab) for lab in shelf.labs()}
        next_one = next((name for name, record in records.items() if not record.finished), None)
        for lab in shelf.labs():
            self._add(lab, records[lab.name], accent=lab.name == next_one)
        if self._folder:
            self._list.addWidget(plain(f"In {self._folder.name}", "cardTitle"))
            for lab in self._others:
                self._add(lab, self._so_far(lab), accent=False)

    def ask(self) -> None:
        """Let a question be typed."""
        self.pages.setCurrentIndex(1)
        self.filter.setFocus()

    def say(self, words: str) -> None:
        """Say what the picture of a question shows."""
        self._said.setText(words)
        self._said.setVisible(bool(words))

    def button(self, lab: str) -> QPushButton:
        """The button that begins a lab."""
        return self._buttons[lab]

    def _so_far(self, lab: Lab) -> Record:
        """What was done of the lab as it is now; it may have had other steps when that was recorded."""
        return Play.begin(lab, self._record_of(lab)).record

    def _add(self, lab: Lab, record: Record, *, accent: bool) -> None:
        n_done, n_steps = record.n_done, record.n_steps
        verb = "Open" if record.finished else "Go on" if record.is_begun else "Begin"
        so_far = f"{n_done} of {n_steps} steps done" if record.is_begun else counted(n_steps, "step")
        button = push(verb, accent=accent)
        button.setAccessibleName(f"{verb}: {lab.title}")
        button.clicked.connect(lambda: self.chosen.emit(lab))
        self._buttons[lab.name] = button
        row = QWidget()
        line = QGridLayout(row)
        line.setContentsMargins(0, 4, 0, 4)
        line.setColumnStretch(0, 1)
        line.addWidget(plain(lab.title, "cardTitle"), 0, 0)
        line.addWidget(button, 0, 1, Qt.AlignmentFlag.AlignTop)
        line.addWidget(plain(lab.summary), 1, 0, 1, 2)
        line.addWidget(plain(f"{so_far} · {lab.minutes} minutes", "muted"), 2, 0, 1, 2)
        self._list.addWidget(row)

    def _fill_index(self) -> None:
        for group in shelf.ways():
            top = QTreeWidgetItem([group.title])
            top.setFlags(Qt.ItemFlag.ItemIsEnabled)
            entries = []
            for way in group.entries:
                entry = QTreeWidgetItem([way.question])
                entry.setData(0, _WAY, way)
                entry.setToolTip(0, "A step of a lab" if way.lab else "A picture")
                entries.append(entry)
            top.addChildren(entries)
            self.index.addTopLevelItem(top)
            self._groups.append((top, entries))

    def _on_filtered(self, text: str) -> None:
        looking = bool(text.strip())
        found = shelf.found(text)
        for group, entries in self._groups:
            shown = 0
            for entry in entries:
                entry.setHidden(looking and entry.data(0, _WAY) not in found)
                shown += not entry.isHidden()
            group.setHidden(not shown)
            group.setExpanded(looking and bool(shown))
        self._nothing.setVisible(looking and not found)

    def _on_activated(self, item: QTreeWidgetItem) -> None:
        way = item.data(0, _WAY)
        if isinstance(way, Way):
            self.asked.emit(way)
        else:
            item.setExpanded(not item.isExpanded())


class _Index(QTreeWidget):
    """A tree whose words go on in the next line where they are too long, and in which one click chooses."""

    def __init__(self) -> None:
        super().__init__()
        self.setHeaderHidden(True)
        self.setWordWrap(True)
        self.setIndentation(_INDENT)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setItemDelegate(_Wrapping(self))
        self.setStyleSheet("QTreeWidget { activate-on-singleclick: 1 }")  # on every desktop, as Return does
        self.setExpandsOnDoubleClick(False)  # the click did it

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Another width, other heights."""
        super().resizeEvent(event)
        self.scheduleDelayedItemsLayout()


class _Wrapping(QStyledItemDelegate):
    def __init__(self, tree: QTreeWidget) -> None:
        super().__init__(tree)
        self._tree = tree

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:  # noqa: N802
        """As high as the words are at the width that is left."""
        tree = self._tree
        depth = 2 if index.parent().isValid() else 1
        width = tree.viewport().width() - depth * _INDENT - 2 * _AROUND
        words = QRect(0, 0, max(80, width), 10_000)
        needed = tree.fontMetrics().boundingRect(words, Qt.TextFlag.TextWordWrap, index.data())
        return QSize(width, needed.height() + 2 * _AROUND)
