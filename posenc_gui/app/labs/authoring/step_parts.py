"""The parts of a step that is being made: in what state it begins, its pages, and conditions to choose from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from PySide6.QtCore import QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QSizePolicy, QStackedWidget, QTabBar, QVBoxLayout, QWidget

from posenc_gui import plots
from posenc_gui.app.labs.authoring.prediction_form import headings_of, offer
from posenc_gui.app.state.small_pictures import Shown, SmallPictures
from posenc_gui.app.widgets.controls import (
    Choices,
    add_to,
    elided_label,
    escape_mnemonics,
    in_column,
    in_row,
    plain_label,
    scroll_into_view,
    scrolling_column,
    wrap_tooltip,
)
from posenc_gui.app.widgets.icons import Thumbnail, recorded_picture
from posenc_gui.app.widgets.style_sheet import scaled
from posenc_gui.app.widgets.theme import THEME
from posenc_gui.foundation.theme import GAP, TIGHT
from posenc_gui.foundation.wording import join_words, quote
from posenc_gui.labs.authoring.measurable import Condition
from posenc_gui.labs.definition.expressions import Expression
from posenc_gui.session.session import Session

_PICTURE = QSize(88, 48)  # pixels, in the proportions of small pictures
_AT_REST = 400  # milliseconds without a change
PAGES = ("Ask", "Do", "Tell")


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
        self._resting = QTimer(self, singleShot=True, interval=_AT_REST)
        self._resting.timeout.connect(self._draw)
        told = in_column(self._when, self._words, gap=scaled(TIGHT))
        in_row(self.picture, told, of=self, gap=scaled(GAP), grows=told)

    def show_session(self, session: Session, open_plots: Sequence[str], *, is_now: bool) -> None:
        """Show the session in which the step begins, with the plots that it opens: the window's own, or the one before the
        learner's action."""
        front = self._front()
        self._shown = Shown(session, front if front in open_plots or not open_plots else open_plots[0])
        self._when.setText("Begins as the window is now" if is_now else "Begins as the window was before")
        titles = join_words(plots.plots()[name].title for name in open_plots)
        self._words.setText(f"{session.encoding.called} · {titles}" if titles else session.encoding.called)
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
        self.drawn = ""  # as SVG whose colours are roles
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
        outer = in_column(self.tabs, of=self, gap=0)
        states = QHBoxLayout()
        states.setContentsMargins(0, scaled(TIGHT), 0, scaled(GAP))
        for label in self._states:
            label.setAlignment(Qt.AlignmentFlag.AlignHCenter)
            states.addWidget(label, 1)
        outer.addLayout(states)
        outer.addWidget(self._stack, 1)

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
            box.hide()
            box.deleteLater()
        self._boxes = []
        for condition in conditions:
            self._add(condition)

    def _add(self, condition: Condition) -> None:
        box = QCheckBox(escape_mnemonics(condition.words))
        box.setChecked(True)
        box.setToolTip(wrap_tooltip(f"{condition.words}\n{condition.question.text}"))
        box.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)  # no wider than the layout allows
        self._boxes.append((box, condition))
        self._column.insertWidget(self._column.count() - 1, box)

    def _on_more(self) -> None:
        if condition := self._offered.get(self.more.currentData()):
            there = next((box for box, one in self._boxes if one.question == condition.question), None)
            if there:
                there.setChecked(True)
            else:
                self._add(condition)
            self.more.setCurrentIndex(0)
