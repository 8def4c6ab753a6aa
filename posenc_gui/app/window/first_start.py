"""A first start: the encoding in brief with questions at the foot of its column and, until a word was moved, a hint under the
words; in any layout but a lab's, Play beside the headline."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtWidgets import QWidget

from posenc_gui.app.docks.arranger import Arranger
from posenc_gui.app.docks.card import Card
from posenc_gui.app.labs.played_lab import COMES_BACK
from posenc_gui.app.panels.compare_panel import to_compare
from posenc_gui.app.panels.workbench import Workbench
from posenc_gui.app.state.playing import Demonstrator
from posenc_gui.app.state.settings import Preferences
from posenc_gui.app.widgets.headline_label import DEMONSTRATED, Headline
from posenc_gui.app.widgets.questions import Questions
from posenc_gui.app.window.navigation import Navigation
from posenc_gui.attention.trained_model import TrainedModel
from posenc_gui.foundation.wording import format_count
from posenc_gui.labs.definition import lab_library
from posenc_gui.session.demonstration import TimedSession, can_demonstrate, demonstration
from posenc_gui.session.session import Session

HESITATES = 6000  # milliseconds without a change, after which the hint is shown


class FirstStart(QObject):
    """Shows the questions and the offers. A question that is chosen shows what answers it, and the first word that is moved
    ends the offers for good."""

    def __init__(
        self,
        workbench: Workbench,
        headline: Headline,
        preferences: Preferences,
        arranger: Arranger,
        questions: Questions,
        navigation: Navigation,
        begin_lab: Callable[[], object],
        rows: QWidget,
    ) -> None:
        super().__init__(workbench)
        self._workbench, self._headline, self._preferences = workbench, headline, preferences
        self._arranger, self._navigation, self._begin_lab = arranger, navigation, begin_lab
        self._questions, self._rows = questions, rows
        self._answered = ""
        self._opened: Card | None = None  # by the answer
        questions.rows["flow"].say("the way, step by step")
        questions.rows["labs"].setToolTip(COMES_BACK)
        questions.rows["labs"].say(format_count(len(lab_library.names()), "lab"))
        verdicts = workbench.encoding.verdicts
        verdicts.judged.connect(lambda: questions.rows["requirements"].say(verdicts.answer))
        workbench.encoding.unfolded.connect(partial(self._simplify, False))
        arranger.leaving.connect(partial(self._simplify, False))  # so that cards are placed by the room that they need
        arranger.moved.connect(self._forget)
        arranger.opened.connect(self._forget)
        self._hesitating = QTimer(self, singleShot=True, interval=HESITATES)
        self._hesitating.timeout.connect(self._show_hint)
        self._demonstrator = Demonstrator(workbench.store)
        self._demonstrator.ended.connect(self._show_hint)
        workbench.tokens.moved.connect(self._end)
        workbench.store.changed.connect(self._on_changed)
        workbench.store.changed.connect(self._hesitating.start)
        workbench.begun.connect(self._tell_other)
        workbench.split_shown.connect(self._offer)
        self._is_simple = False

    @property
    def can_begin(self) -> bool:
        """True in Explore with an encoding, which the questions are about."""
        learned = isinstance(self._workbench.store.session.model, TrainedModel)
        return self._arranger.at == "explore" and not learned

    def begin(self) -> None:
        """Show the questions."""
        if self.can_begin:
            self._simplify(True)

    def _simplify(self, simple: bool) -> None:
        """Show the questions, of the encoding only its name and what it does, and a place for the hint; or the usual column."""
        self._is_simple = simple
        self._questions.setVisible(simple)
        self._workbench.tokens.offer_move(simple and not self._preferences.settings.moved_word)
        self._keep_room()
        self._hesitating.start()
        self._workbench.encoding.brief(simple)
        self._workbench.tokens.brief(simple)
        self._rows.setHidden(simple)

    def again(self) -> None:
        """Show the first start as it was, also its offers, in the usual layout."""
        self._preferences.keep(moved_word=False)
        self._navigation.arrange(self._arranger.reset)
        self._offer()
        self.begin()

    def choose(self, question: str) -> None:
        """Show what answers a question: a plot, Compare, or the first lab."""
        if question == "labs":
            self._begin_lab()
            return
        self._simplify(False)
        if question == "compare":
            self._navigation.go("compare")
        else:
            card = self._arranger.card_of(question)
            was_closed = card.isHidden()
            self._navigation.open_plot(question)
            self._opened = card if was_closed else None
        self._answered = question
        self._offer()

    def ask_again(self) -> bool:
        """Show the questions again, with the keyboard at the one that was answered; return False if none was."""
        question, opened = self._answered, self._opened
        if not question:
            return False
        if self._arranger.at != "explore":
            self._navigation.go("explore")
        elif opened:
            self._arranger.restore()
            opened.hide()
        self._arranger.when_there(partial(self._ask, question))
        return True

    def _ask(self, question: str) -> None:
        self._forget()
        self._simplify(True)
        self._questions.rows[question].setFocus(Qt.FocusReason.OtherFocusReason)

    def _forget(self) -> None:
        """Lead back to no question: the user does something else."""
        self._answered, self._opened = "", None
        self._offer()

    @property
    def can_play(self) -> bool:
        """True if there is anything to be seen."""
        return can_demonstrate(self._workbench.store.session, self._workbench.split)

    def play(self) -> None:
        """Play what position does to the current sentence."""
        scenes = [*self._scenes()]
        self._workbench.begin_move(lambda: self._demonstrator.playing, [scene.session for scene in scenes])
        self._demonstrator.play(scenes)

    def _scenes(self) -> Iterator[TimedSession]:
        session = self._workbench.store.session
        return demonstration(session, self._workbench.split, still=self._preferences.reduces_motion)

    def _offer(self) -> None:
        plays = self._demonstrator.playing or self.can_play
        self._headline.offer(self._headline.play, plays and self._arranger.at != "lab")
        self._headline.quiet_play(self._preferences.settings.moved_word)
        self._headline.offer(self._headline.questions, bool(self._answered))

    def _keep_room(self) -> None:
        """Keep room for a demonstration's sentences until a word was moved, and at a first start longer: nothing jumps."""
        offers = self._is_simple or not self._preferences.settings.moved_word
        self._headline.keep_lines(DEMONSTRATED if offers else 1)

    def _on_changed(self, session: Session) -> None:
        """Forget the question once a user works on. Give way to the plots of a model that has learned: the questions are about
        an encoding."""
        if self._is_simple and isinstance(session.model, TrainedModel):
            self._simplify(False)
        self._tell_other(session)
        if self._demonstrator.playing:  # which ends where it began
            self._offer()
        else:
            self._forget()

    def _tell_other(self, session: Session) -> None:
        self._questions.rows["compare"].say(f"beside {to_compare(session)['other'].called}")

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
