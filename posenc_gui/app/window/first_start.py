"""What a first start offers until a word was moved: Play beside the headline, and a line under the words."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QObject

from posenc_gui.app.panels.workbench import Workbench
from posenc_gui.app.state.demonstrator import Demonstrator
from posenc_gui.app.state.preferences import Preferences
from posenc_gui.app.widgets.headline_label import Headline
from posenc_gui.session.demonstration import Scene, demonstration


class FirstStart(QObject):
    """Shows the offers, and ends them for good with the first word that is moved."""

    def __init__(self, workbench: Workbench, headline: Headline, preferences: Preferences) -> None:
        super().__init__(workbench)
        self._workbench, self._headline, self._preferences = workbench, headline, preferences
        self._demonstrator = Demonstrator(workbench.store)
        headline.play.clicked.connect(self.play)
        workbench.tokens.moved.connect(self._end)
        workbench.store.changed.connect(self._offer)
        workbench.split_shown.connect(self._offer)
        workbench.tokens.offer_move(not preferences.settings.moved_word)
        self._offer()

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
