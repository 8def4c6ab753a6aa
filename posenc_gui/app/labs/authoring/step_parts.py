"""The parts of a step that is being made: in what state it begins, its pages, and conditions to choose from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QListWidget,
    QListWidgetItem,
    QSizePolicy,
    QStackedWidget,
    QTabBar,
    QVBoxLayout,
    QWidget,
)

from posenc_gui import plots
from posenc_gui.app.labs.authoring.prediction_form import headings_of, offer
from posenc_gui.app.state.small_pictures import Shown, SmallPictures
from posenc_gui.app.widgets.controls import (
    Choices,
    add_to,
    delayed,
    discard,
    elided_label,
    escape_mnemonics,
    explain,
    in_column,
    in_row,
    plain_label,
    push_button,
    scroll_into_view,
    scrolling_column,
    shift_of,
    show_words,
)
from posenc_gui.app.widgets.dialogs import PassingDialog
from posenc_gui.app.widgets.icons import Thumbnail, recorded_picture
from posenc_gui.app.widgets.style_sheet import scaled
from posenc_gui.app.widgets.theme import THEME
from posenc_gui.foundation.theme import GAP, TIGHT
from posenc_gui.foundation.wording import join_words, quote
from posenc_gui.labs.authoring.measurable import Condition
from posenc_gui.labs.definition import expressions
from posenc_gui.labs.definition.expressions import Expression
from posenc_gui.labs.definition.lab import Lab
from posenc_gui.session.session import Session

_PICTURE = QSize(88, 48)  # pixels, in the proportions of small pictures
_AT_REST = 400  # milliseconds without a change
PAGES = ("Ask", "Do", "Tell")
_SIZE = 440, 420  # pixels
_HINT = (
    "Drag a step, or press Alt+Up or Alt+Down; Delete removes it. Nothing is written until you press “Write the lab”."
)


class Beginning(QWidget):
    """Shows a session; its picture is drawn once it rests."""

    def __init__(self, front: Callable[[], str]) -> None:
        super().__init__()
        self._front = front
        self._shown: Shown | None = None
        self.picture = _PictureOfPlot()
        self._when, self._words = plain_label("", wraps=False), elided_label("muted")
        self._pictures = SmallPictures(self)
        self._pictures.changed.connect(self._show_picture)
        self._resting = delayed(self, self._draw, _AT_REST)
        told = in_column(self._when, self._words, gap=scaled(TIGHT))
        in_row(self.picture, told, of=self, gap=scaled(GAP), grows=told)

    def show_session(self, session: Session, open_plots: Sequence[str], *, is_now: bool) -> None:
        """Show the session in which the step begins, with the plots that it opens: the window's own, or the one before the
        learner's action."""
        front = self._front()
        self._shown = Shown(session, front if front in open_plots or not open_plots else open_plots[0])
        self._when.setText("Begins as the window is now" if is_now else "Begins as the window was before")
        titles = join_words(plots.plots()[name].title for name in open_plots)
        self._words.setText(f"{session.encoding.titled} · {titles}" if titles else session.encoding.titled)
        self._show_picture()
        self._resting.start()

    def _draw(self) -> None:
        if self._shown and self.isVisible():
            self._pictures.draw((self._shown,))
            self._show_picture()

    def _show_picture(self) -> None:
        if self._shown:
            drawn = self._pictures.of(self._shown)
            self.picture.show_picture((drawn.picture if drawn else "") or recorded_picture(self._shown.plot))


class _PictureOfPlot(QWidget):
    def __init__(self) -> None:
        super().__init__()
        self.drawn = ""  # as SVG in the colours of both themes
        self.setFixedSize(scaled(_PICTURE.width()), scaled(_PICTURE.height()))
        THEME.changed.connect(self.update)

    def show_picture(self, picture: str) -> None:
        self.drawn = picture
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        Thumbnail(self.drawn, THEME.roles).draw(painter, QRectF(self.rect()))
        painter.end()


class StepPages(QWidget):
    """A tab for each page, with how far it is written; each page scrolls by itself."""

    turned = Signal()  # to another page

    def __init__(self) -> None:
        super().__init__()
        self.tabs, self._stack = QTabBar(drawBase=False, expanding=True), QStackedWidget()
        self.tabs.setAccessibleName("Pages of the step")
        self._states = [plain_label("", "muted", wraps=False) for _ in PAGES]
        self._areas: list[QWidget] = []
        self._columns: list[QVBoxLayout] = []
        for number, name in enumerate(PAGES, 1):
            area, column = scrolling_column(name)
            column.setSpacing(scaled(GAP))
            self._areas.append(area)
            self._columns.append(column)
            self._stack.addWidget(area)
            self.tabs.addTab(f"{number} {name}")
        self.tabs.currentChanged.connect(self._on_turned)
        states = in_row(around=(0, scaled(TIGHT), 0, scaled(GAP)))
        for label in self._states:
            label.setAlignment(Qt.AlignmentFlag.AlignHCenter)
            states.addWidget(label, 1)
        in_column(self.tabs, states, self._stack, of=self, gap=0, grows=self._stack)

    @property
    def at(self) -> int:
        """The page that is shown."""
        return self.tabs.currentIndex()

    def fill(self, page: int, parts: Sequence[QWidget]) -> None:
        """Put widgets on a page, from top to bottom."""
        add_to(self._columns[page], *parts, None)

    def go(self, page: int) -> None:
        """Show a page."""
        self.tabs.setCurrentIndex(page)

    def page_of(self, field: QWidget) -> int:
        """Return the page on which a field stands."""
        return next(page for page, area in enumerate(self._areas) if area.isAncestorOf(field))

    def bring(self, field: QWidget) -> None:
        """Show a field, on its page, and give it the keyboard."""
        self.go(self.page_of(field))
        scroll_into_view(field)
        field.setFocus()

    def tell(self, states: Sequence[str]) -> None:
        """Say below the name of each page how far it is written."""
        for page, state in enumerate(states):
            self._states[page].setText(state)
            self.tabs.setTabToolTip(page, state)  # heard with the tab

    def _on_turned(self, page: int) -> None:
        self._stack.setCurrentIndex(page)
        self.turned.emit()


class Conditions(QWidget):
    """A check box for each condition, and below them a drop-down list from which more are added."""

    changed = Signal()

    def __init__(self, says: str, invites: str) -> None:
        super().__init__()
        self.more, self._invites = Choices(says), invites
        self.more.activated.connect(self._on_more)
        self._boxes: list[tuple[QCheckBox, Condition]] = []
        self._offered: dict[str, Condition] = {}
        self._column = in_column(self.more, of=self)
        self.offer(())

    @property
    def chosen(self) -> tuple[Expression, ...]:
        """The ticked conditions."""
        return tuple(condition.question for box, condition in self._boxes if box.isChecked())

    @property
    def ticks(self) -> tuple[tuple[str, str, bool], ...]:
        """All conditions with their words, and whether they are ticked."""
        return tuple((one.question.text, one.words, box.isChecked()) for box, one in self._boxes)

    def show_ticks(self, ticks: Iterable[tuple[str, str, bool]]) -> None:
        """Replace all conditions by these, ticked or not. Raises ValueError for what is none."""
        kept = [(Condition(expressions.condition(text), words, holds=True), ticked) for text, words, ticked in ticks]
        self.show_all(condition for condition, _ in kept)
        for (box, _), (_, ticked) in zip(self._boxes, kept, strict=True):
            box.setChecked(ticked)

    def in_words(self, message: str) -> tuple[str, QCheckBox | None]:
        """Return a message about a ticked condition with the words of its box in place of the expression, and the box;
        the message as it is, and None, if it is about none."""
        for box, condition in self._boxes:
            if box.isChecked() and (asked := quote(condition.question.text)) in message:
                return message.replace(asked, quote(condition.words)), box
        return message, None

    def offer(self, conditions: Iterable[tuple[str, Condition]]) -> None:
        """Set the conditions that the drop-down list offers, each with the heading below which it stands."""
        headed = list(conditions)
        self._offered = {one.question.text: one for _, one in headed}
        told = {text: one.words for text, one in self._offered.items()}
        headings = headings_of((one.question.text, heading) for heading, one in headed)
        offer(self.more, {"": self._invites} | told, headings)

    def show_all(self, conditions: Iterable[Condition]) -> None:
        """Replace all conditions by these, all ticked."""
        for box, _ in self._boxes:
            discard(box)
        self._boxes = []
        for condition in conditions:
            self._add(condition)

    def _add(self, condition: Condition) -> None:
        box = QCheckBox(escape_mnemonics(condition.words))
        box.setChecked(True)
        box.toggled.connect(self.changed)
        explain(box, f"{condition.words}\n{condition.question.text}")
        box.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)  # no wider than the layout allows
        self._boxes.append((box, condition))
        self._column.insertWidget(self._column.count() - 1, box)
        self.changed.emit()

    def _on_more(self) -> None:
        if condition := self._offered.get(self.more.currentData()):
            there = next((box for box, one in self._boxes if one.question == condition.question), None)
            if there:
                there.setChecked(True)
            else:
                self._add(condition)
            self.more.setCurrentIndex(0)


class StepList(PassingDialog):
    """The titles of a lab's steps in a list; what becomes of it is written only once that is wanted."""

    wanted = Signal(object)  # tuple[int, ...]: which of the lab's steps stay, in their new order

    def __init__(self, lab: Lab, parent: QWidget) -> None:
        super().__init__(f"Steps of {quote(lab.title)}", parent)
        self.lab = lab
        self.rows = _StepTitles([step.title for step in lab.steps])
        self.up = push_button("Up", lambda: self.rows.shift(-1))
        self.down = push_button("Down", lambda: self.rows.shift(1))
        self.remove = push_button("Remove", self.rows.remove)
        self.write = push_button("Write the lab", lambda: self.wanted.emit(self.rows.order), accent=True)
        self._refusal = plain_label("", "refusal")
        self.rows.changed.connect(self._show_possible)
        self.rows.currentRowChanged.connect(self._show_possible)
        add_to(self.body, plain_label(_HINT, "muted"), self.rows, self._refusal)
        self.add_foot((self.up, self.down, self.remove), (self.write,))
        self.fit(*_SIZE)
        self.say("")
        self._show_possible()

    def say(self, why: str) -> None:
        """Report why the lab was not written; an empty text clears the report."""
        show_words(self._refusal, why)

    def _show_possible(self) -> None:
        row, count = self.rows.currentRow(), self.rows.count()
        self.up.setEnabled(row > 0)
        self.down.setEnabled(row < count - 1)
        self.remove.setEnabled(count > 1)  # a lab has at least one
        self.write.setEnabled(self.rows.order != tuple(range(len(self.lab.steps))))


class _StepTitles(QListWidget):
    """Titles that are moved by dragging or by Alt and arrow keys, and removed by Delete."""

    changed = Signal()

    def __init__(self, titles: list[str]) -> None:
        super().__init__()
        self.setAccessibleName("Steps in order")
        self.setAccessibleDescription("Alt with arrow keys moves a step, Delete removes it.")
        self.setDragDropMode(QListWidget.DragDropMode.InternalMove)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSpacing(scaled(TIGHT) // 2)
        for at, title in enumerate(titles):
            row = QListWidgetItem(title)
            row.setData(Qt.ItemDataRole.UserRole, at)
            row.setFlags(row.flags() & ~Qt.ItemFlag.ItemIsDropEnabled)  # else a step dropped on another one replaces it
            self.addItem(row)
        self.setCurrentRow(0)
        for signal in (self.model().rowsMoved, self.model().rowsInserted, self.model().rowsRemoved):
            signal.connect(self.changed)

    @property
    def order(self) -> tuple[int, ...]:
        """Which titles stay, by their numbers at first."""
        return tuple(self.item(row).data(Qt.ItemDataRole.UserRole) for row in range(self.count()))

    def shift(self, by: int) -> None:
        """Move the chosen title, if there is a place."""
        row = self.currentRow()
        if 0 <= row + by < self.count():
            self.insertItem(row + by, self.takeItem(row))
            self.setCurrentRow(row + by)

    def remove(self) -> None:
        """Remove the chosen title, unless it is the only one."""
        if self.count() > 1:
            self.takeItem(self.currentRow())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move the chosen title on Alt and an arrow key, and remove it on Delete or Backspace."""
        if by := shift_of(event):
            self.shift(by)
        elif event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self.remove()
        else:
            super().keyPressEvent(event)
