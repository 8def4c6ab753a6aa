"""A first start: one plot with three questions below it, the encoding in brief and, until a word was moved, a hint under the
words; in any layout but a lab's, Play beside the headline."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from PySide6.QtCore import QObject, QTimer
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from posenc_gui.app.docks.arranger import Arranger
from posenc_gui.app.panels.compare_panel import to_compare
from posenc_gui.app.panels.workbench import Workbench
from posenc_gui.app.state.playing import Demonstrator
from posenc_gui.app.state.settings import Preferences
from posenc_gui.app.state.small_pictures import Shown, SmallPictures
from posenc_gui.app.widgets.controls import in_row, plain_label, push_button, tool_button
from posenc_gui.app.widgets.headline_label import DEMONSTRATED, Headline
from posenc_gui.app.widgets.link_rows import LinkRow
from posenc_gui.app.widgets.questions import Questions
from posenc_gui.app.widgets.style_sheet import scaled
from posenc_gui.attention.trained_model import TrainedModel
from posenc_gui.figure.figure import Figure
from posenc_gui.foundation.theme import GAP
from posenc_gui.foundation.wording import format_count
from posenc_gui.labs.definition import lab_library
from posenc_gui.render.tile_picture import draw_tile_picture
from posenc_gui.session.demonstration import TimedSession, can_demonstrate, demonstration
from posenc_gui.session.session import Session

_PLOTS = {"flow": "flow", "requirements": "requirements", "compare": "slopes"}  # that picture and tell the answers
_AT_REST = 400  # milliseconds without a change
HESITATES = 6000  # milliseconds without a change, after which the hint is shown


class FirstStart(QObject):
    """Shows the questions and the offers. A question that is chosen shows the plots that answer it, and the first word that is
    moved ends the offers for good."""

    def __init__(
        self,
        workbench: Workbench,
        headline: Headline,
        preferences: Preferences,
        arranger: Arranger,
        questions: Questions,
        answer: Callable[[str], object],
        explore: Callable[[], object],
        labs: LabsOffer,
        rows: QWidget,
    ) -> None:
        super().__init__(workbench)
        self._workbench, self._headline, self._preferences = workbench, headline, preferences
        self._arranger, self._answer, self._explore = arranger, answer, explore
        self._labs, self._rows = labs, rows
        workbench.encoding.unfolded.connect(rows.show)
        self._questions, self._answered = questions, ""
        questions.seen.connect(self._draw_at_rest)
        self._pictures = SmallPictures(self, _draw_answer)
        self._pictures.changed.connect(self._show_pictures)
        self._resting = QTimer(self, singleShot=True, interval=_AT_REST)
        self._resting.timeout.connect(self._draw)
        workbench.store.changed.connect(self._draw_at_rest)
        arranger.leaving.connect(lambda: self._simplify(False))  # so that cards are placed by the room that they need
        arranger.moved.connect(self._forget)
        arranger.opened.connect(self._forget)
        arranger.fitted.connect(self._fit)
        self._hesitating = QTimer(self, singleShot=True, interval=HESITATES)
        self._hesitating.timeout.connect(self._show_hint)
        self._demonstrator = Demonstrator(workbench.store)
        self._demonstrator.ended.connect(self._show_hint)
        workbench.tokens.moved.connect(self._end)
        workbench.store.changed.connect(self._on_changed)
        workbench.store.changed.connect(self._hesitating.start)
        workbench.split_shown.connect(self._offer)
        self._is_simple = self._waits_for_room = False

    @property
    def can_begin(self) -> bool:
        """True in Explore with an encoding, which the questions are about, in a window with room for them."""
        learned = isinstance(self._workbench.store.session.model, TrainedModel)
        return self._arranger.at == "explore" and self._arranger.has_room_below and not learned

    def begin(self) -> None:
        """Show the questions and offer the labs."""
        self._labs.offer()
        self._show_questions()

    def _show_questions(self) -> None:
        """Show the questions below the one plot; without room for them the usual layout, until there is."""
        if self.can_begin:
            self._arranger.show_one_plot()
            self._simplify(True)
        else:
            self._arranger.go_back()
            self._waits_for_room = True

    def _simplify(self, simple: bool) -> None:
        """Show the questions, of the encoding only its name and what it does, and a place for the hint; or the usual cards."""
        self._is_simple = simple
        self._questions.setVisible(simple)
        self._draw_at_rest()
        self._workbench.tokens.offer_move(simple and not self._preferences.settings.moved_word)
        self._keep_room()
        self._hesitating.start()
        self._workbench.encoding.brief(simple)
        self._workbench.tokens.brief(simple)
        self._rows.setHidden(simple)

    def _fit(self) -> None:
        """Give way to the usual layout while the window has no room for the questions."""
        if self._waits_for_room or (self._is_simple and not self._arranger.has_room_below):
            self._show_questions()
        self._offer()

    def again(self) -> None:
        """Show the first start as it was, also its offers."""
        self._preferences.keep(moved_word=False, offered_labs=False)
        self._keep_room()
        self._offer()
        self.begin()

    def _draw_at_rest(self) -> None:
        """Draw the questions' pictures of the session once it rests, so that no drag waits for them; not of a
        demonstration. Until then those of another session are marked."""
        if self._questions.isVisible():
            self._resting.start()
            if not self._demonstrator.playing:  # which ends where it began
                self._show_pictures()

    def _draw(self) -> None:
        if not self._questions.isVisible():
            return
        if self._workbench.at_rest and not self._demonstrator.playing:
            self._pictures.draw(self._shown.values())
            self._show_pictures()
        else:
            self._resting.start()

    @property
    def _shown(self) -> dict[str, Shown]:
        session = self._workbench.store.session
        sessions = {"compare": _compared(session)}
        return {question: Shown(sessions.get(question, session), plot) for question, plot in _PLOTS.items()}

    def _show_pictures(self) -> None:
        for name, shown in self._shown.items():
            drawn = self._pictures.of(shown)
            self._questions.mark_old(name, drawn is None)
            if drawn:
                self._questions.show_answer(name, drawn.picture, drawn.figure.headline if drawn.figure else ())

    def choose(self, question: str) -> None:
        """Go back to the user's layout, and there to the answer."""
        self._arranger.go_back()
        self._arranger.when_there(partial(self._show_answer, question))

    def _show_answer(self, question: str) -> None:
        self._answer(question)
        self._answered = question
        self._offer()

    def ask_again(self) -> bool:
        """Show the questions again, with the keyboard at the one that was answered; return False if that can't be."""
        question = self._answered
        if not self._can_ask:
            return False
        if self._arranger.at != "explore":
            self._explore()
        self._arranger.when_there(partial(self._ask, question))
        return True

    def _ask(self, question: str) -> None:
        self._show_questions()
        self._questions.take_keyboard(question)

    @property
    def _can_ask(self) -> bool:
        """True while an answer is shown, in a window with room for the questions."""
        return bool(self._answered) and self._arranger.has_room_below

    def _forget(self) -> None:
        """Lead back to no question, and show none when there is room again: the user does something else."""
        self._answered, self._waits_for_room = "", False
        self._offer()

    @property
    def can_play(self) -> bool:
        """True if there is anything to be seen."""
        return can_demonstrate(self._workbench.store.session, self._workbench.split)

    def play(self) -> None:
        """Play what position does to the current sentence."""
        self._demonstrator.play(self._scenes())

    def _scenes(self) -> Iterator[TimedSession]:
        session = self._workbench.store.session
        return demonstration(session, self._workbench.split, still=self._preferences.reduces_motion)

    def _offer(self) -> None:
        plays = self._demonstrator.playing or self.can_play
        self._headline.offer(self._headline.play, plays and self._arranger.at != "lab")
        self._headline.quiet_play(self._preferences.settings.moved_word)
        self._headline.offer(self._headline.questions, self._can_ask)

    def _keep_room(self) -> None:
        """Keep room for a demonstration's sentences until a word was moved, and at a first start longer: nothing jumps."""
        offers = self._is_simple or not self._preferences.settings.moved_word
        self._headline.keep_lines(DEMONSTRATED if offers else 1)

    def _on_changed(self, session: Session) -> None:
        """Forget the question once a user works on. Give way to the plots of a model that has learned: the questions are about
        an encoding."""
        if self._is_simple and isinstance(session.model, TrainedModel):
            QTimer.singleShot(0, self, self._arranger.go_back)  # after what the model changes in the cards there are
        if self._demonstrator.playing:  # which ends where it began
            self._offer()
        else:
            self._forget()

    def _end(self) -> None:
        if not self._preferences.settings.moved_word:
            self._preferences.keep(moved_word=True)
            self._workbench.tokens.hint.show_hint(False)  # its room stays, so that nothing moves during the drag
            self._offer()

    def _show_hint(self) -> None:
        """Show that words can be dragged, once the demonstration has ended, or nothing was done for a while."""
        self._hesitating.stop()
        if self._is_simple and not self._preferences.settings.moved_word:
            self._workbench.tokens.hint.show_hint(True)


def _draw_answer(shown: Shown, figure: Figure) -> str:
    """Draw the picture of an answer. Runs on the worker's thread."""
    session = shown.session
    return draw_tile_picture(figure, (session.encoding.called, session.other.called) if session.other else ())


def _compared(session: Session) -> Session:
    """The session as Compare would begin with it; itself where that is refused."""
    try:
        return session.changed(**to_compare(session))
    except ValueError:
        return session


class LabsOffer(QWidget):
    """Says what a lab is and begins the first; the usual row of the labs stands in its place otherwise."""

    def __init__(self, row: LinkRow, preferences: Preferences, begin: Callable[[], object]) -> None:
        super().__init__()
        self.setObjectName("labsOffer")
        self._row, self._preferences, self._begin = row, preferences, begin
        take, close = push_button("Begin with the first"), tool_button("Not now", "Not now: no lab")
        take.clicked.connect(self._on_taken)
        close.clicked.connect(self.end)
        buttons = in_row(take, close, None)
        labs = format_count(len(lab_library.names()), "lab")
        column = QVBoxLayout(self)
        column.setContentsMargins(0, scaled(GAP), 0, 0)
        column.addWidget(plain_label("Would you rather guess first?", "cardTitle"))
        column.addWidget(
            plain_label(
                f"In a lab you predict, try it here, and see what was right. {labs}, at most 20 minutes each.", "muted"
            )
        )
        column.addLayout(buttons)
        self.hide()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw a hairline above it."""
        painter = QPainter(self)
        painter.setPen(self.palette().mid().color())
        painter.drawLine(0, 0, self.width(), 0)

    def offer(self) -> None:
        """Show the offer, unless it was taken or closed before."""
        self._show(not self._preferences.settings.offered_labs)

    def end(self) -> None:
        """Close the offer for good."""
        if not self.isHidden():
            self._preferences.keep(offered_labs=True)
            self._show(False)

    def _show(self, shown: bool) -> None:
        self.setVisible(shown)
        self._row.setHidden(shown)

    def _on_taken(self) -> None:
        self.end()
        self._begin()
