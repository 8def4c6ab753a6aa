"""The list of labs: bundled ones, those in a folder, and an index of questions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFocusEvent, QKeyEvent, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QFrame,
    QSizePolicy,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTabWidget,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from posenc_gui.app.labs.lab_widgets import ProgressStrokes
from posenc_gui.app.labs.played_lab import COMES_BACK
from posenc_gui.app.widgets.controls import (
    add_to,
    discard,
    in_column,
    in_row,
    line_field,
    plain_label,
    push_button,
    scroll_into_view_soon,
    scrolling_column,
    show_words,
)
from posenc_gui.app.widgets.icons import Thumbnail, recorded_picture
from posenc_gui.app.widgets.link_rows import LinkRows
from posenc_gui.app.widgets.style_sheet import scaled
from posenc_gui.app.widgets.theme import THEME
from posenc_gui.foundation.contrast import mixed
from posenc_gui.foundation.theme import CAPTION, GAP, PADDING, SECTION, SMALL, TIGHT
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
_NUMBER, _STEPS, _MINUTES, _BUTTON = 28, 128, 60, 92  # pixels: widths of what stands in columns
_STEPS_TO = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}
_PICTURE = 80, 44  # pixels
_TINT = 0.1  # share of the focus colour in the ground of the next one


class LabList(QWidget):
    """The labs with the learner's progress, and an index of questions that leads to labs and plots."""

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
        self.rows: dict[str, LabRow] = {}
        self.filter = line_field("Find a question", "Find a question …", clears=True)
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
        self._list = in_column(gap=0)
        add_to(self._column, self._list, None)
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
        paper = QWidget()
        paper.setObjectName("paper")
        paper.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        in_column(self.pages, of=paper, around=1)
        box = in_column(paper, self._hint, grows=paper)
        in_row(self._beside, box, of=self, gap=scaled(SECTION), grows=box)
        self.refresh()
        self._stand(wide=False)

    def _make_about(self) -> QWidget:
        """What a lab is, and how far the learner has come."""
        about, self._strokes = QWidget(), ProgressStrokes()
        intro = plain_label(
            "A lab asks, you predict, you try it in this window, and the numbers answer. A wrong guess costs nothing. "
            + COMES_BACK
        )
        self._n_done, self._under_way = plain_label("", "cardTitle", wraps=False), plain_label("", "muted", wraps=False)
        column = in_column(intro, of=about, gap=scaled(SMALL))
        column.addSpacing(scaled(SMALL))
        add_to(column, in_row(self._n_done, None, self._under_way), self._strokes)
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
        for row in self.rows.values():
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
        self._nothing = plain_label(
            "No question contains these words. Try one of them alone, such as “RoPE” or “cosine”.", "muted"
        )
        self._said = plain_label("", "boxed")
        parts = self.filter, self._nothing, self.index, self._said
        in_column(*parts, of=page, around=scaled(SMALL), grows=self.index)
        for part in (self._nothing, self._said):
            part.hide()
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
                discard(widget)
        self.rows = {}
        records = {name: self._so_far(lab_library.lab(name)) for name in lab_library.names()}
        next_one = next((name for name, record in records.items() if not record.finished), None)
        for number, name in enumerate(lab_library.names(), 1):
            self._add(lab_library.lab(name), records[name], number, is_next=name == next_one)
        lesson = lab_library.lab(lab_library.LESSON)
        self._add(lesson, self._so_far(lesson))
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
        rows = [*self.rows.values()]
        next((row for row in rows if row.property("accent")), rows[0]).setFocus(Qt.FocusReason.OtherFocusReason)

    def ask(self) -> None:
        """Put the focus into the question field."""
        self.say("")
        self.pages.setCurrentIndex(1)
        self.filter.setFocus()

    def say(self, words: str) -> None:
        """Say what the plot opened by a question shows."""
        show_words(self._said, words)

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
            self._add(lab, self._so_far(lab))

    def _add(self, lab: Lab, record: Record, number: int | None = None, *, is_next: bool = False) -> None:
        row = LabRow(number, lab, record, is_next=is_next)
        row.clicked.connect(lambda: self.chosen.emit(lab))
        row.fit(wide=self._has_columns)
        self.rows[lab.name] = row
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


class LabRow(QAbstractButton):
    """A lab's number, question and progress; a click anywhere plays it, and so does Enter; arrow keys go to the others."""

    def __init__(self, number: int | None, lab: Lab, record: Record, *, is_next: bool) -> None:
        super().__init__()
        verb = "Open" if record.finished else "Continue" if record.is_begun else "Begin"
        self.setText(verb)
        self.setProperty("accent", is_next)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        steps = format_count(record.n_steps, "step")
        so_far = f"{record.n_done} of {steps} done" if record.is_begun and not record.finished else steps
        told = (so_far, *(["done"] if record.finished else []), *(["advanced"] if lab.advanced else []))
        self.setAccessibleName(f"{verb}: {lab.title}")
        self.setAccessibleDescription(f"{lab.summary} {', '.join(told)}, {lab.minutes} minutes")

        self._number = plain_label("" if number is None else str(number), "labNumber", wraps=False)
        self._number.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._number.setFixedWidth(scaled(_NUMBER))
        self._under = plain_label(f"{' · '.join(told)} · {lab.minutes} min", "muted")
        self._progress = _column(_Dots(record), plain_label(" · ".join(told), "muted", wraps=False))
        self._progress.setFixedWidth(scaled(_STEPS))
        self._minutes = plain_label(f"{lab.minutes} min", wraps=False)
        self._minutes.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._minutes.setFixedWidth(scaled(_MINUTES))
        words = _column(plain_label(lab.title, "cardTitle"), plain_label(lab.summary, "summary"), self._under)
        self._picture = _Picture(next((plot for step in lab.steps for plot in (*step.show, *step.reveal)), ""))
        for part in (self._number, self._picture, words, self._progress, self._minutes):
            part.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        go = push_button(verb, self.click, accent=True)
        go.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # the row has it
        self._button_place = _column(go)
        go.setHidden(not is_next)  # now that it has a parent: else it would be a window
        self._button_place.setFixedWidth(scaled(_BUTTON))
        parts = self._number, self._picture, words, self._progress, self._button_place, self._minutes
        around = scaled(PADDING), scaled(SMALL), scaled(PADDING), scaled(SMALL)
        self._line = in_row(*parts, of=self, gap=scaled(GAP), around=around, grows=words)
        self._is_next = is_next
        self.fit(wide=True)

    def fit(self, *, wide: bool) -> None:
        """Show progress and minutes in columns, or, in a narrow list, in a line under the question."""
        self._under.setHidden(wide)
        for part in (self._number, self._picture, self._progress, self._minutes):
            part.setHidden(not wide)
        self._button_place.setHidden(not wide and not self._is_next)

    def sizeHint(self) -> QSize:
        """Return the size of what stands in the row."""
        return self._line.sizeHint()

    def minimumSizeHint(self) -> QSize:
        """Return the height of one line: how many there are depends on the width, which the list asks for."""
        return QSize(0, self.fontMetrics().height())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Play the lab with Enter, too; go to the row above or below with arrow keys."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.click()
        elif event.key() in _STEPS_TO and (around := self.parentWidget()):
            rows = [row for row in around.findChildren(LabRow) if row.isVisible()]
            at = rows.index(self) + _STEPS_TO[Qt.Key(event.key())]
            rows[min(max(at, 0), len(rows) - 1)].setFocus(Qt.FocusReason.TabFocusReason)
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Come into sight."""
        super().focusInEvent(event)
        if event.reason() != Qt.FocusReason.MouseFocusReason:
            scroll_into_view_soon(self)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the ground, a hairline above, and a frame with the keyboard focus."""
        painter, theme = QPainter(self), THEME.roles
        if self.underMouse():
            painter.fillRect(self.rect(), QColor(theme.hover))
        elif self._is_next:
            painter.fillRect(self.rect(), QColor(mixed(theme.focus, theme.card, _TINT)))
        painter.setPen(QColor(theme.line))
        painter.drawLine(0, 0, self.width(), 0)
        if self.hasFocus():
            painter.setPen(QPen(QColor(theme.focus), 2))
            painter.drawRect(self.rect().adjusted(1, 1, -1, -1))


class _Picture(QWidget):
    """The small picture of the plot with which a lab begins."""

    def __init__(self, plot: str) -> None:
        super().__init__()
        self._plot = plot
        self.setFixedSize(scaled(_PICTURE[0]), scaled(_PICTURE[1]))

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw it on a card's ground."""
        painter, theme = QPainter(self), THEME.roles
        painter.fillRect(self.rect(), QColor(theme.card))
        Thumbnail(recorded_picture(self._plot), theme).draw(painter, QRectF(self.rect()).adjusted(3, 3, -3, -3))


class _Dots(QWidget):
    """A dot for each step: filled for those done."""

    def __init__(self, record: Record) -> None:
        super().__init__()
        self._n_done, self._n_steps, self._finished = record.n_done, record.n_steps, record.finished
        self.setFixedHeight(scaled(CAPTION.size))

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the dots: those of a finished lab in the text colour, of another in that of the focus."""
        painter, theme = QPainter(self), THEME.roles
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        colour = QColor(theme.ink if self._finished else theme.focus)
        apart = min(scaled(GAP), self.width() / max(1, self._n_steps))
        size = apart - scaled(TIGHT) + 1
        for step in range(self._n_steps):
            done = step < self._n_done
            painter.setPen(QPen(colour if done else QColor(theme.edge), 1.2))
            painter.setBrush(colour if done else Qt.BrushStyle.NoBrush)
            middle = QPointF(1 + step * apart + size / 2, self.height() / 2)
            painter.drawEllipse(QRectF(middle.x() - size / 2, middle.y() - size / 2, size, size))


def _column(*parts: QWidget) -> QWidget:
    box = QWidget()
    in_column(None, *parts, None, of=box, gap=0)
    return box
