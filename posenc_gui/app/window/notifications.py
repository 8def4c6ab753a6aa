"""Messages to the user at the bottom of the window: one in the row of the status bar, and the status bar."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt, QTimer, Signal, SignalInstance
from PySide6.QtGui import QEnterEvent, QHideEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QMainWindow, QStatusBar, QToolButton, QWidget

from posenc_gui.app.widgets.aloud import announce
from posenc_gui.app.widgets.controls import FileProgress, delayed, elided_label, explain, plain_label, tool_button

if TYPE_CHECKING:  # heavy: imported only after the first paint
    from posenc_gui.app.window.status_progress import Progress


Offer = tuple[str, Callable[[], object]]  # a button's text, and what it does

_NARROWEST, _ASIDE, _INSIDE, _APART = 200, 12, 3, 8  # pixels
_WIDEST = 0.8  # of the row
# Milliseconds for which a confirmation stands: to notice it, to read a letter of it, and to reach a button in it.
_TO_NOTICE, _TO_READ, _TO_REACH = 3000, 65, 4000
_NARROWEST_WINDOW = 480  # pixels: Qt can't place docks in a window that is much narrower
_PASSES_AFTER = 8000  # milliseconds until a temporary message disappears


class Messages(QFrame):
    """A line in the row of the status bar, which makes room for it: it covers nothing."""

    took = Signal(int)  # pixels of the status bar's row, from its left end

    def __init__(self, window: QMainWindow) -> None:
        super().__init__(window)
        self._window = window
        self.setObjectName("banner")
        self._text = plain_label()
        self._text.setMinimumWidth(0)  # so that its height follows from the actual width
        close = tool_button("Close", "Close this message")
        close.clicked.connect(self.hide)
        self._offers: list[QToolButton] = []
        self._line = QHBoxLayout(self)
        self._line.setContentsMargins(_ASIDE, 0, _INSIDE, 0)
        self._line.addWidget(self._text, 1)
        self._line.addWidget(close)
        self._sentence = ""
        self._folded = False  # to one line, once it has been read
        self._passing = QTimer(self, singleShot=True)
        self._passing.timeout.connect(self._pass)
        # False in the turn of the event loop in which it was shown: it is then about the same change.
        self._was_seen = False
        self._heard = delayed(self, self._announce)
        self._arrangement = ""
        self.hide()

    def say(self, sentence: str, *offers: Offer) -> None:
        """Tell the user what went wrong, and what can be done about it.

        The line stays until it is closed or replaced, or, if it offers nothing, until the user has gone on. Once it has been
        read, it is one line, which the pointer opens, so that it covers no plot for long.
        """
        self._show(sentence, "problem", offers)

    def add(self, sentence: str, *offers: Offer) -> None:
        """Report a problem, unless it is empty; append it to a message shown in the same turn of the event loop."""
        if not sentence:
            return
        before = f"{self._sentence} " if self.isVisible() and not self._was_seen else ""
        self.say(f"{before}{sentence}", *offers)

    def tell(self, sentence: str, *offers: Offer) -> None:
        """Confirm what was done; the line disappears by itself, later if it is long or offers something."""
        self._show(sentence, "done", offers)

    def go_on(self) -> None:
        """Hide a problem once the user has done something else, unless it offers something."""
        if self._was_seen and self.property("kind") == "problem" and not self._offers:
            self.hide()

    def move_on(self, arrangement: str) -> None:
        """Hide a confirmation once another arrangement is shown than that in which it was given; a lab whose step is done
        only changes its own cards."""
        if arrangement != self._arrangement:
            self.turn_over()
        self._arrangement = arrangement

    def turn_over(self) -> None:
        """Hide a confirmation once another document is shown than that in which it was given."""
        if self._was_seen and self.property("kind") == "done":
            self.hide()

    def enterEvent(self, event: QEnterEvent) -> None:
        """Stay, and show the whole sentence, while the pointer is on the line."""
        super().enterEvent(event)
        self._passing.stop()
        self._fold(False)

    def leaveEvent(self, event: QEvent) -> None:
        """Pass some time after the pointer has left."""
        super().leaveEvent(event)
        self._pass_soon()

    def _pass_soon(self) -> None:
        if self.isVisible() and not self.underMouse():
            self._passing.start()

    def _pass(self) -> None:
        if self.property("kind") == "done":
            self.hide()
        else:
            self._fold(True)

    def _fold(self, folded: bool) -> None:
        self._folded = folded
        self.place()

    def place(self) -> None:
        """Place the line in the row of the status bar, before what stands at its end; a longer one rises over the
        cards, so that nothing moves away from under the mouse."""
        foot = self._window.statusBar().geometry()
        self._text.ensurePolished()
        metrics, beside = self._text.fontMetrics(), self._line.minimumSize().width() + _ASIDE
        whole = beside + metrics.horizontalAdvance(self._sentence)
        width = max(_NARROWEST, min(int(_WIDEST * foot.width()), whole))
        cut = metrics.elidedText(self._sentence, Qt.TextElideMode.ElideRight, width - beside)
        self._text.setText(cut if self._folded and whole > width else self._sentence)
        self.setFixedSize(width, max(foot.height() - 2 * _INSIDE, self._line.totalHeightForWidth(width)))
        self.move(foot.left(), foot.bottom() + 1 - _INSIDE - self.height())
        self.raise_()
        if self.isVisible():
            self.took.emit(width + _APART)

    def hideEvent(self, event: QHideEvent) -> None:
        """Give the row back."""
        super().hideEvent(event)
        self.took.emit(0)

    def _show(self, sentence: str, kind: str, offers: tuple[Offer, ...]) -> None:
        self._sentence, self._folded = sentence, False
        self._text.setText(sentence)
        for button in self._offers:
            button.hide()
            button.deleteLater()
        self._offers = [self._button(offer) for offer in offers]
        self.setProperty("kind", kind)
        self.style().polish(self)
        self.show()
        self.place()
        self._was_seen = False
        self._heard.start()
        QTimer.singleShot(0, self, self._on_seen)
        self._passing.setInterval(_TO_NOTICE + _TO_READ * len(sentence) + (_TO_REACH if offers else 0))
        self._pass_soon()

    def _on_seen(self) -> None:
        self._was_seen = True

    def _announce(self) -> None:
        announce(self, " ".join((self._text.text(), *(f"Button: {button.text()}." for button in self._offers))))

    def _button(self, offer: Offer) -> QToolButton:
        text, run = offer
        button = tool_button(text, framed=True)
        button.clicked.connect(self.hide)
        button.clicked.connect(lambda: run())
        self._line.insertWidget(self._line.count() - 1, button)
        button.show()  # now, so that the line's height is known
        return button


class StatusBar:
    """Fills a window's status bar."""

    def __init__(self, bar: QStatusBar) -> None:
        self._bar = bar
        self._read, self._state = elided_label("muted"), plain_label("Loading torch …", "muted", wraps=False)
        self.writing = FileProgress("Stop writing the file", "stop-writing")
        self.reading = FileProgress("Stop reading the file", "stop-reading")
        self._unkept = tool_button(
            "Not saved", "The session can't be saved automatically: save it elsewhere", name="refusal"
        )
        self.save_wanted: SignalInstance = self._unkept.clicked  # after a warning that nothing is saved
        self._unkept.hide()
        self._taken = QWidget()  # by a message
        self.leave(0)
        bar.setMinimumWidth(_NARROWEST_WINDOW)
        bar.addWidget(self._taken)
        bar.addWidget(self._read, 1)
        bar.addPermanentWidget(self.reading)
        bar.addPermanentWidget(self.writing)
        bar.addPermanentWidget(self._state)
        bar.addPermanentWidget(self._unkept)

    def leave(self, width: int) -> None:
        """Leave so many pixels to a message."""
        self._taken.setFixedWidth(width)
        self._taken.setVisible(width > 0)

    @property
    def is_kept(self) -> bool:
        """True while the session is saved automatically."""
        return self._unkept.isHidden()

    def show_read(self, words: str) -> None:
        """Show the value under the pointer."""
        self._read.setText(words)

    def show_state(self, words: str) -> None:
        """Show the state: the device that computes, and how long it took."""
        self._state.setText(words)

    def add_progress(self, progress: Progress) -> None:
        """Show the running job in place of the state, which is that of what was shown before."""
        self._bar.insertPermanentWidget(2, progress)
        progress.shown.connect(self._state.setHidden)

    def tell(self, words: str) -> None:
        """Show a message for a few seconds."""
        self._bar.showMessage(words, _PASSES_AFTER)
        announce(self._bar, words)

    def take_back(self, words: str) -> None:
        """Hide a message that is no longer true, if it is still shown."""
        if self._bar.currentMessage() == words:
            self._bar.clearMessage()

    def say_unkept(self, told: str) -> None:
        """Show that nothing can be saved automatically, and why; an empty text ends that."""
        self._unkept.setVisible(bool(told))
        explain(self._unkept, told)
