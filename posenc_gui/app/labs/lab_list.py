"""The list of labs: bundled ones, those in a folder, and an index of questions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTabWidget,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from posenc_gui.app.labs.lab_row import LabRow
from posenc_gui.app.labs.lab_widgets import ProgressStrokes
from posenc_gui.app.widgets.controls import (
    LineField,
    add_to,
    in_column,
    in_row,
    plain_label,
    scrolling_column,
    show_words,
)
from posenc_gui.app.widgets.link_rows import LinkRows
from posenc_gui.app.widgets.style_sheet import scaled
from posenc_gui.foundation.theme import GAP, PADDING, SECTION, SMALL
from posenc_gui.foundation.wording import format_count
from posenc_gui.labs.definition import lab_library
from posenc_gui.labs.definition.lab import Lab
from posenc_gui.labs.definition.lab_library import Way
from posenc_gui.labs.definition.record import Record
from posenc_gui.labs.play.progress import Play

_INDENT, _AROUND = 16, 4  # pixels: an entry's indent, and the padding around it
_BESIDE, _WIDE = 304, 1060  # pixels: the column beside the list, and the width from which on it stands there
_ROW = 640  # pixels: the width from which on a lab's progress stands in columns

_WAY = Qt.ItemDataRole.UserRole


class LabList(QWidget):
    """The labs with the learner's progress, and an index of questions that leads to labs and plots.

    Where there is room, a column beside the list says what a lab is and leads a teacher on; else it stands above and below.
    """

    chosen = Signal(object)  # Lab
    asked = Signal(object)  # Way
    plan_wanted = Signal()
    reports_wanted = Signal()
    step_wanted = Signal()

    def __init__(self, record_of: Callable[[Lab], Record | None]) -> None:
        super().__init__()
        self._record_of = record_of
        self._others: tuple[Lab, ...] = ()
        self._own: dict[Path, Lab] = {}  # labs that were opened or written here, by file
        self._folder: Path | None = None
        self._is_wide = False
        self._rows: dict[str, LabRow] = {}
        self.filter = LineField(placeholderText="Find a question …", clearButtonEnabled=True)
        self.filter.setAccessibleName("Find a question")
        self.filter.textChanged.connect(self._on_filtered)
        self.index = _Index()
        self.index.setAccessibleName("Sections and questions")
        self.index.itemActivated.connect(self._on_activated)
        self._groups: list[tuple[QTreeWidgetItem, list[QTreeWidgetItem]]] = []
        self._fill_index()

        self._about, self._ways = self._make_about(), self._make_ways()
        self._beside = QWidget()
        self._beside.setFixedWidth(scaled(_BESIDE))
        scroll, self._column = scrolling_column("Labs")
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(0)
        self._list = QVBoxLayout()
        self._list.setSpacing(0)
        self._column.addLayout(self._list)
        self._column.addStretch(1)
        self.pages = QTabWidget(documentMode=True)
        self.pages.addTab(scroll, "Labs")
        n_questions = sum(len(group.entries) for group in lab_library.ways())
        self.pages.addTab(self._questions_page(), f"Questions {n_questions}")
        self._in_all = plain_label(_in_all([*map(lab_library.lab, lab_library.names())]), "muted", wraps=False)
        self._in_all.setContentsMargins(0, 0, scaled(PADDING), scaled(GAP))
        self._hint = plain_label("Enter goes on · arrows choose · answers stay on this computer", "muted", wraps=False)
        self._hint.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.pages.setCornerWidget(self._in_all)
        self._side = in_column(None, of=self._beside)
        outer, box = QHBoxLayout(self), QVBoxLayout()
        outer.setContentsMargins(0, 0, 0, 0)
        outer.setSpacing(scaled(SECTION))
        paper = QWidget()
        paper.setObjectName("paper")
        paper.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        inside = QVBoxLayout(paper)
        inside.setContentsMargins(1, 1, 1, 1)
        inside.addWidget(self.pages)
        box.addWidget(paper, 1)
        box.addWidget(self._hint)
        outer.addWidget(self._beside)
        outer.addLayout(box, 1)
        self.refresh()
        self._stand(wide=False)

    def _make_about(self) -> QWidget:
        """What a lab is, and how far the learner has come."""
        about = QWidget()
        column = in_column(of=about, gap=scaled(SMALL))
        intro = plain_label(
            "A lab asks, you predict, you try it in this window, and the numbers answer. A wrong guess costs nothing."
        )
        self._n_done, self._under_way = plain_label("", "cardTitle", wraps=False), plain_label("", "muted", wraps=False)
        told = in_row(self._n_done, None, self._under_way)
        self._strokes = ProgressStrokes()
        column.addWidget(intro)
        column.addSpacing(scaled(SMALL))
        column.addLayout(told)
        column.addWidget(self._strokes)
        return about

    def _make_ways(self) -> LinkRows:
        """What a teacher does with labs."""
        ways = LinkRows()
        for title, words, wanted in (
            ("A lesson for a class", f"{lab_library.lab(lab_library.LESSON).minutes} minutes, plan", self.plan_wanted),
            ("A class's reports", "open a folder", self.reports_wanted),
            ("Labs of my own", "make a step", self.step_wanted),
        ):
            ways.add(title, wanted.emit).say(words)
        return ways

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put the column beside the list where there is room."""
        super().resizeEvent(event)
        if (wide := self.width() >= scaled(_WIDE)) != self._is_wide:
            self._stand(wide=wide)
        for row in self._rows.values():
            row.fit(wide=self._has_columns)

    @property
    def _has_columns(self) -> bool:
        return self.width() >= scaled(_ROW)

    def _stand(self, *, wide: bool) -> None:
        self._is_wide = wide
        for part in (self._beside, self._in_all, self._hint):
            part.setHidden(not wide)
        room = 0 if wide else scaled(PADDING)
        self._about.setContentsMargins(room, room, room, room)
        self._ways.setContentsMargins(room, 0, room, room)
        if wide:
            self._side.insertWidget(0, self._about)
            self._side.addWidget(self._ways)
        else:
            self._column.insertWidget(0, self._about)
            self._column.addWidget(self._ways)

    def _questions_page(self) -> QWidget:
        page = QWidget()
        column = QVBoxLayout(page)
        room = scaled(SMALL)
        column.setContentsMargins(room, room, room, room)
        column.addWidget(self.filter)
        self._nothing = plain_label(
            "No question contains these words. Try one of them alone, such as “RoPE” or “cosine”.", "muted"
        )
        self._nothing.hide()
        self._said = plain_label("", "boxed")
        self._said.hide()
        add_to(column, self._nothing, self.index, self._said, grows=self.index)
        return page

    def show_folder(self, folder: Path, labs: tuple[Lab, ...]) -> None:
        """List also the labs in a folder."""
        self._folder, self._others = folder, labs
        self.refresh()

    def show_own(self, lab: Lab) -> None:
        """List also a lab that was opened or written here, in its file."""
        if lab.path and self._own.get(lab.path) != lab:
            self._own[lab.path] = lab
            self.refresh()

    def refresh(self) -> None:
        """Show the current progress through each lab."""
        while item := self._list.takeAt(0):
            if widget := item.widget():
                widget.hide()  # deleteLater removes it only later
                widget.deleteLater()
        self._rows = {}
        records = {name: self._so_far(lab_library.lab(name)) for name in lab_library.names()}
        next_one = next((name for name, record in records.items() if not record.finished), None)
        for number, name in enumerate(lab_library.names(), 1):
            lab = lab_library.lab(name)
            self._add(LabRow(number, lab, records[name], is_next=name == next_one), lab)
        lesson = lab_library.lab(lab_library.LESSON)
        self._add(LabRow(None, lesson, self._so_far(lesson), is_next=False), lesson)
        in_folder = {lab.path for lab in self._others}
        self._add_others("Opened or written here", [lab for path, lab in self._own.items() if path not in in_folder])
        if self._folder:
            self._add_others(f"In {self._folder.name}", self._others)
        n_done, n_begun = (sum(getattr(one, name) for one in records.values()) for name in ("finished", "is_begun"))
        self._n_done.setText(f"{n_done} of {len(records)} done")
        self._under_way.setText(f"{n_begun - n_done} under way" if n_begun > n_done else "")
        self._strokes.show_labs([*records.values()])

    def take_keyboard(self) -> None:
        """Give the keyboard to the lab with which to go on, or else to the first; among questions to their filter."""
        self.say("")
        if self.pages.currentIndex() == 1:
            self.filter.setFocus()
            return
        rows = [*self._rows.values()]
        next((row for row in rows if row.property("accent")), rows[0]).setFocus(Qt.FocusReason.OtherFocusReason)

    def ask(self) -> None:
        """Put the focus into the question field."""
        self.say("")
        self.pages.setCurrentIndex(1)
        self.filter.setFocus()

    def say(self, words: str) -> None:
        """Say what the plot opened by a question shows."""
        show_words(self._said, words)

    def button(self, lab: str) -> LabRow:
        """Return the row that begins a lab."""
        return self._rows[lab]

    def _so_far(self, lab: Lab) -> Record:
        """Return the learner's record, adapted to the lab's current steps, which may have changed since it was
        recorded."""
        return Play.begin(lab, self._record_of(lab)).record

    def _add_others(self, title: str, labs: Sequence[Lab]) -> None:
        """Add labs that are not part of the program, if there are any, under a heading."""
        if labs:
            heading = plain_label(title, "cardTitle")
            heading.setContentsMargins(scaled(PADDING), scaled(PADDING), scaled(PADDING), scaled(SMALL))
            self._list.addWidget(heading)
        for lab in labs:
            self._add(LabRow(None, lab, self._so_far(lab), is_next=False), lab)

    def _add(self, row: LabRow, lab: Lab) -> None:
        row.clicked.connect(lambda: self.chosen.emit(lab))
        row.fit(wide=self._has_columns)
        self._rows[lab.name] = row
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


def _in_all(labs: Sequence[Lab]) -> str:
    hours, minutes = divmod(sum(lab.minutes for lab in labs), 60)
    return f"{format_count(len(labs), 'lab')}, {format_count(hours, 'hour')} {format_count(minutes, 'minute')} in all"


class _Index(QTreeWidget):
    """A tree that wraps long lines and opens an entry on one click."""

    def __init__(self) -> None:
        super().__init__()
        self.setHeaderHidden(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
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
