"""A first start: one plot with three questions below it, and until a word was moved, Play beside the headline and a line
under the words."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from PySide6.QtCore import QObject, QTimer

from posenc_gui.app.docks.arranger import Arranger
from posenc_gui.app.docks.card import Card
from posenc_gui.app.panels.workbench import Workbench
from posenc_gui.app.state.demonstrator import Demonstrator
from posenc_gui.app.state.preferences import Preferences
from posenc_gui.app.state.small_pictures import Shown, SmallPictures
from posenc_gui.app.widgets.headline_label import Headline
from posenc_gui.app.widgets.questions import Question, Questions
from posenc_gui.app.window.labs_offer import LabsOffer
from posenc_gui.session.demonstration import Scene, demonstration

_QUESTIONS = (
    Question("flow", "How does it know?", "Where position comes in, and what comes in.", "dials"),
    Question("requirements", "Is it a good encoding?", "Six requirements, measured.", "requirements"),
    Question("compare", "Which is better?", "Two encodings on your own sentence.", "slopes"),
)


_AT_REST = 400  # milliseconds without a change


class FirstStart(QObject):
    """Shows the questions and the offers. A question that is chosen shows the plots that answer it, and the first word that is
    moved ends the offers for good."""

    def __init__(
        self,
        workbench: Workbench,
        headline: Headline,
        preferences: Preferences,
        arranger: Arranger,
        map_card: Card,
        answer: Callable[[str], object],
        labs: LabsOffer,
    ) -> None:
        super().__init__(workbench)
        self._workbench, self._headline, self._preferences = workbench, headline, preferences
        self._arranger, self._card, self._answer, self._labs = arranger, map_card, answer, labs
        self._questions = questions = Questions(_QUESTIONS)
        questions.chosen.connect(self._on_chosen)
        questions.seen.connect(self._draw_at_rest)
        self._pictures = SmallPictures(self)
        self._pictures.changed.connect(self._show_pictures)
        self._resting = QTimer(self, singleShot=True, interval=_AT_REST)
        self._resting.timeout.connect(self._draw)
        workbench.store.changed.connect(self._draw_at_rest)
        map_card.add_foot(questions)
        map_card.show_foot(False)
        arranger.moved.connect(lambda: map_card.show_foot(False))
        self._demonstrator = Demonstrator(workbench.store)
        headline.play.clicked.connect(self.play)
        workbench.tokens.moved.connect(self._end)
        workbench.store.changed.connect(self._offer)
        workbench.split_shown.connect(self._offer)
        workbench.tokens.offer_move(not preferences.settings.moved_word)
        self._offer()

    @property
    def can_begin(self) -> bool:
        """True in Explore, in a window with room for the questions."""
        return self._arranger.at == "explore" and self._arranger.has_room_below

    def begin(self) -> None:
        """Show one plot with the questions below it, and offer the labs."""
        self._labs.offer()
        if self.can_begin:
            self._arranger.show_one_plot()
            self._card.show_foot(True)

    def again(self) -> None:
        """Show the first start as it was, also its offers."""
        self._preferences.keep(moved_word=False, offered_labs=False)
        self._workbench.tokens.offer_move(True)
        self._offer()
        self.begin()

    def close_worker(self) -> None:
        """End the drawing of small pictures, before the window is closed."""
        self._pictures.close_worker()

    def _draw_at_rest(self) -> None:
        """Draw the questions' pictures of the session once it rests, so that no drag waits for them."""
        if self._questions.isVisible():
            self._resting.start()

    def _draw(self) -> None:
        if not self._questions.isVisible():
            return
        if self._workbench.at_rest:
            self._pictures.draw(self._shown.values())
            self._show_pictures()
        else:
            self._resting.start()

    @property
    def _shown(self) -> dict[str, Shown]:
        session = self._workbench.store.session
        return {question.name: Shown(session, question.plot) for question in _QUESTIONS}

    def _show_pictures(self) -> None:
        for name, shown in self._shown.items():
            if drawn := self._pictures.of(shown):
                self._questions.show_picture(name, drawn.picture)

    def _on_chosen(self, question: str) -> None:
        """Go back to the user's layout, and there to the answer."""
        self._arranger.go_back()
        self._arranger.when_there(partial(self._answer, question))

    @property
    def can_play(self) -> bool:
        """True if there is anything to be seen."""
        return next(self._scenes(), None) is not None

    def play(self) -> None:
        """Play what position does to the current sentence."""
        self._demonstrator.play(self._scenes())

    def _scenes(self) -> Iterator[Scene]:
        session = self._workbench.store.session
        tokens = self._workbench.standing_tokens
        return demonstration(session, tokens, still=self._preferences.reduces_motion)

    def _offer(self) -> None:
        is_first = not self._preferences.settings.moved_word
        self._headline.offer_play(is_first and (self._demonstrator.playing or self.can_play))

    def _end(self) -> None:
        if not self._preferences.settings.moved_word:
            self._preferences.keep(moved_word=True)
            self._workbench.tokens.offer_move(False)
            self._offer()
