"""The speaker's window: what the audience sees, what the next press brings, what comes then, one's note, and the clock."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import monotonic

from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtGui import QCloseEvent, QKeyEvent, QResizeEvent, QScreen, QShowEvent
from PySide6.QtWidgets import QFrame, QLabel, QPlainTextEdit, QWidget

from posenc_gui.app.talk.presenter_page import FigureParts
from posenc_gui.app.widgets.controls import Part, elided_label, in_column, in_row, plain_label
from posenc_gui.app.widgets.theme import THEME
from posenc_gui.figure.figure import Figure
from posenc_gui.session.bookmarks import Bookmark

_WIDTH, _HEIGHT, _LEAST = 1280, 800, 0.75  # pixels of the screen that the sizes below are for, and their least share
_SIZES = {"number": 22, "count": 22, "clock": 30, "title": 14, "then": 14, "said": 12}
_NOTES = 24, 32, 42  # the sizes of a note, by N one after the other
_MARGIN, _GAP, _INSIDE, _CLOSE = 24, 16, 12, 6
_KEYS = "→ next · ← back · B black · G go to · N size of the note · S screens · Esc end"
_YOURS = "Your note, on this screen alone"
_BEAT = 1000  # milliseconds
_MOST_LISTED = 6  # bookmarks that come then


class SpeakerWindow(QWidget):
    """Shows the speaker what the audience's screen never does. Its keys are those of Present: `press` takes them."""

    def __init__(
        self, window: QWidget, press: Callable[[QKeyEvent], None], end: Callable[[], None], minutes: Callable[[], int]
    ) -> None:
        super().__init__(window)
        self._press, self._end, self._minutes = press, end, minutes
        self.setWindowFlag(Qt.WindowType.Window)
        self.setWindowTitle("Speaker")
        self.setAccessibleName("Speaker's window")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setObjectName("speaker")
        self.now, self.coming = FigureParts(THEME.roles), FigureParts(THEME.roles)
        for shown in (self.now, self.coming):
            shown.view.installEventFilter(self)
        self._number, self._count, self._title = _label("number"), _label("count"), elided_label("title")
        self._clock, self._plan = _label("clock"), _label("count")
        self._plan.setObjectName("title")
        self._seen, self._next, self._where = elided_label("said"), elided_label("said"), _label("said")
        self._then = [elided_label("then") for _ in range(_MOST_LISTED)]
        self._note = QPlainTextEdit(readOnly=True, placeholderText="No note for this one.")
        self._note.setObjectName("note")
        self._note.document().setDocumentMargin(0)
        self._note.setAccessibleName(_YOURS)
        self._note.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._size, self._share, self._began = 0, 1.0, monotonic()
        self._beat = QTimer(self, interval=_BEAT)
        self._beat.timeout.connect(self.show_time)
        self._lay_out()
        THEME.changed.connect(self._recolour)
        self.restyle()

    def _lay_out(self) -> None:
        head = in_row(self._number, self._count, self._title, self._clock, self._plan, gap=_GAP // 2, grows=self._title)
        after = in_column(_card(self._next, self.coming), _card(_label("said", "Then"), *self._then, None), gap=_GAP)
        pictures = in_row(_card(self._seen, self.now), after, gap=_GAP)
        keys = _label("said", _KEYS)
        foot = in_row(keys, self._where, grows=keys)
        whole = in_column(
            head, pictures, _card(_label("said", _YOURS), self._note), foot, of=self, gap=_GAP, around=_MARGIN
        )
        self._next.setAlignment(Qt.AlignmentFlag.AlignTop)
        for layout, shares in ((pictures, (13, 7)), (after, (5, 4)), (whole, (0, 9, 4))):
            for at, share in enumerate(shares):
                layout.setStretch(at, share)

    def restyle(self) -> None:
        """Follow the theme in words, the size of the screen, and that of the note."""
        theme, scale = THEME.roles, max(_LEAST, min(self.width() / _WIDTH, self.height() / _HEIGHT))
        sizes = {**_SIZES, "note": _NOTES[self._size]}
        muted = "".join(f"#{name} {{ color: {theme.muted}; }}" for name in ("count", "said"))
        own = "".join(f"#{name} {{ font-size: {round(scale * size)}px; }}" for name, size in sizes.items())
        bold = f"#number, #clock {{ font-weight: 600; }} #speaker {{ background: {theme.window}; }}"
        bare = "#note { background: transparent; border: none; padding: 0; }"
        self.setStyleSheet(f"{THEME.sheet}{muted}{own}{bold}{bare}")

    def _recolour(self) -> None:
        self.restyle()
        for shown in (self.now, self.coming):
            shown.set_colours(THEME.roles)

    def begin(self, elapsed: float) -> None:
        """Let the clock begin, this many seconds after the talk did."""
        self._began = monotonic() - elapsed
        self.show_time()

    @property
    def elapsed(self) -> float:
        """Seconds since the talk began."""
        return monotonic() - self._began

    def show_time(self) -> None:
        """Show the time, and how it stands to what was planned."""
        self._clock.setText(_clock(self.elapsed))
        self._plan.setText(told_of_plan(self.elapsed, self._minutes(), self._share))

    def show_place(self, at: int, bookmarks: Sequence[Bookmark], subject: str) -> None:
        """Show the bookmark at this index: its number, its name, or else the subject, and its note."""
        self._number.setText(f"{at + 1}")
        self._count.setText(f"/ {len(bookmarks)}")
        self._title.setText(bookmarks[at].name or subject)
        if bookmarks[at].note != self._note.toPlainText():  # else it would scroll back to its beginning
            self._note.setPlainText(bookmarks[at].note)
        self._share = (at + 1) / len(bookmarks)
        self.show_time()

    def show_now(self, figure: Figure | None, covered: str, screen: QScreen) -> None:
        """Show what the audience sees, or would see but for what covers it there."""
        self._seen.setText(f"On the screen: {covered}, over this" if covered else "On the screen")
        size = screen.size()
        self._where.setText(f"{screen.name()}: {size.width()} × {size.height()}")
        if figure is not None and figure is not self.now.figure:
            self.now.show_figure(figure, 0)

    def show_coming(self, words: str, figure: Figure | None, then: Sequence[str]) -> None:
        """Show what the next press brings, once it is drawn, and the names of what comes then."""
        self._next.setText(f"Next press: {words}" if words else "This is the last one")
        for at, label in enumerate(self._then):
            label.setText(then[at] if at < len(then) else "")
        self.coming.setVisible(figure is not None)
        if figure is not None and figure is not self.coming.figure:
            self.coming.show_figure(figure, 0)

    def turn_note(self) -> None:
        """Show the note in the next size."""
        self._size = (self._size + 1) % len(_NOTES)
        self.restyle()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Do what the key does in Present."""
        self._press(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Let keys step on after a press on a figure, too."""
        if is_key := isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            self._press(event)
        return is_key or super().eventFilter(watched, event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Let the type grow with the screen."""
        super().resizeEvent(event)
        self.restyle()

    def showEvent(self, event: QShowEvent) -> None:
        """Let the clock go."""
        super().showEvent(event)
        self._beat.start()

    def closeEvent(self, event: QCloseEvent) -> None:
        """End Present with it."""
        self._end()
        super().closeEvent(event)


def told_of_plan(elapsed: float, minutes: int, share: float) -> str:
    """Say how a talk stands to the minutes planned for it, in which this share of it should be over; empty without a plan."""
    if not minutes:
        return ""
    over, behind = int(elapsed / 60 - minutes), int(elapsed / 60 - share * minutes)
    state = f"{over} min over" if over > 0 else f"{behind} min behind" if behind > 0 else "on time"
    return f"of {minutes} · {state}"


def _clock(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02}:{rest:02}" if minutes >= 60 else f"{minutes}:{rest:02}"


def _label(name: str, words: str = "") -> QLabel:
    return plain_label(words, name, wraps=False)


def _card(*parts: Part) -> QFrame:
    card = QFrame()
    card.setObjectName("paper")
    in_column(*parts, of=card, gap=_CLOSE, around=_INSIDE, grows=None if None in parts else parts[-1])
    return card
