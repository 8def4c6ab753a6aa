"""The list of labs: bundled ones, those in a folder, and an index of questions."""

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

from posenc_gui.app.widgets.controls import LineField, plain_label, push_button, scrolling_column, show_words
from posenc_gui.foundation.wording import format_count
from posenc_gui.labs.definition import lab_library
from posenc_gui.labs.definition.lab import Lab
from posenc_gui.labs.definition.lab_library import Way
from posenc_gui.labs.definition.record import Record
from posenc_gui.labs.play.progress import Play

_INDENT, _AROUND = 16, 4  # pixels: an entry's indent, and the padding around it

_WAY = Qt.ItemDataRole.UserRole


class LabList(QWidget):
    """The labs with the learner's progress, and an index of questions that leads to labs and plots."""

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

        scroll, column = scrolling_column("Labs")
        column.setSpacing(8)
        intro = plain_label(
            "A lab asks, you predict, you try it in this window, and the numbers answer. A wrong guess costs nothing."
        )
        column.addWidget(intro)
        column.addLayout(self._list)
        column.addStretch(1)
        self.pages = QTabWidget(documentMode=True)
        self.pages.addTab(scroll, "Labs")
        self.pages.addTab(self._questions_page(), "Questions")
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(self.pages)
        self.refresh()

    def _questions_page(self) -> QWidget:
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 6, 0, 0)
        column.addWidget(self.filter)
        self._nothing = plain_label(
            "No question contains these words. Try one of them alone, such as “RoPE” or “cosine”.", "muted"
        )
        self._nothing.hide()
        self._said = plain_label("", "boxed")
        self._said.hide()
        column.addWidget(self._nothing)
        column.addWidget(self.index, 1)
        column.addWidget(self._said)
        return page

    def show_folder(self, folder: Path, labs: tuple[Lab, ...]) -> None:
        """List also the labs in a folder."""
        self._folder, self._others = folder, labs
        self.refresh()

    def refresh(self) -> None:
        """Show the current progress through each lab."""
        while item := self._list.takeAt(0):
            if widget := item.widget():
                widget.hide()  # deleteLater removes it only later
                widget.deleteLater()
        self._buttons = {}
        records = {lab.name: self._so_far(lab) for lab in lab_library.labs()}
        next_one = next((name for name, record in records.items() if not record.finished), None)
        for lab in lab_library.labs():
            self._add(lab, records[lab.name], accent=lab.name == next_one)
        if self._folder:
            self._list.addWidget(plain_label(f"In {self._folder.name}", "cardTitle"))
            for lab in self._others:
                self._add(lab, self._so_far(lab), accent=False)

    def ask(self) -> None:
        """Put the focus into the question field."""
        self.pages.setCurrentIndex(1)
        self.filter.setFocus()

    def say(self, words: str) -> None:
        """Say what the plot opened by a question shows."""
        show_words(self._said, words)

    def button(self, lab: str) -> QPushButton:
        """Return the button that begins a lab."""
        return self._buttons[lab]

    def _so_far(self, lab: Lab) -> Record:
        """Return the learner's record, adapted to the lab's current steps, which may have changed since it was
        recorded."""
        return Play.begin(lab, self._record_of(lab)).record

    def _add(self, lab: Lab, record: Record, *, accent: bool) -> None:
        n_done, steps = record.n_done, format_count(record.n_steps, "step")
        verb = "Open" if record.finished else "Go on" if record.is_begun else "Begin"
        so_far = f"{n_done} of {steps} done" if record.is_begun else steps
        button = push_button(verb, accent=accent)
        button.setAccessibleName(f"{verb}: {lab.title}")
        button.clicked.connect(lambda: self.chosen.emit(lab))
        self._buttons[lab.name] = button
        row = QWidget()
        line = QGridLayout(row)
        line.setContentsMargins(0, 4, 0, 4)
        line.setColumnStretch(0, 1)
        line.addWidget(plain_label(lab.title, "cardTitle"), 0, 0)
        line.addWidget(button, 0, 1, Qt.AlignmentFlag.AlignTop)
        line.addWidget(plain_label(lab.summary), 1, 0, 1, 2)
        told = (so_far, f"{lab.minutes} minutes", *(["advanced"] if lab.advanced else []))
        line.addWidget(plain_label(" · ".join(told), "muted"), 2, 0, 1, 2)
        self._list.addWidget(row)

    def _fill_index(self) -> None:
        for group in lab_library.ways():
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
        found = lab_library.ways_matching(text)
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
    """A tree that wraps long lines and opens an entry on one click."""

    def __init__(self) -> None:
        super().__init__()
        self.setHeaderHidden(True)
        self.setWordWrap(True)
        self.setIndentation(_INDENT)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setItemDelegate(_Wrapping(self))
        self.setStyleSheet("QTreeWidget { activate-on-singleclick: 1 }")  # one click opens, on every desktop
        self.setExpandsOnDoubleClick(False)  # the first click has already opened the entry

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Recompute the row heights for the new width."""
        super().resizeEvent(event)
        self.scheduleDelayedItemsLayout()


class _Wrapping(QStyledItemDelegate):
    def __init__(self, tree: QTreeWidget) -> None:
        super().__init__(tree)
        self._tree = tree

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        """Return the height of the wrapped text at the available width."""
        tree = self._tree
        depth = 2 if index.parent().isValid() else 1
        width = tree.viewport().width() - depth * _INDENT - 2 * _AROUND
        words = QRect(0, 0, max(80, width), 10_000)
        needed = tree.fontMetrics().boundingRect(words, Qt.TextFlag.TextWordWrap, index.data())
        return QSize(width, needed.height() + 2 * _AROUND)
