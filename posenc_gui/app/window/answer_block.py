"""The answer to a question that was typed into Find: computed beside the window, and shown in the words of a headline."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QHideEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from posenc_gui.app.state.worker import Worker
from posenc_gui.app.widgets.controls import delayed, in_column, in_row, plain_label, push_button
from posenc_gui.app.widgets.headline_label import FittedSentence
from posenc_gui.app.widgets.style_sheet import scaled
from posenc_gui.app.window.found_rows import draw_wash
from posenc_gui.figure.runs import Run, quote_runs
from posenc_gui.foundation.theme import BODY, HEADLINE, PADDING, SMALL

if TYPE_CHECKING:  # heavy: imported only once something is asked
    from posenc_gui.app.state.fuzzy_search import SearchEntry
    from posenc_gui.attention.engine import Engine
    from posenc_gui.models.answer_topics import Answer
    from posenc_gui.session.session import Session

_PATIENT_FOR = 250  # milliseconds of computing before that is said
_SIZES = (2, HEADLINE), (4, BODY)  # lines of a long answer are of the smaller type

_log = logging.getLogger(__name__)


class AnswerBlock(QWidget):
    """Stands above the rows, hidden while there is no answer. It computes on a thread of its own, so that typing goes on; an
    answer to what was typed before is never shown.
    """

    changed = Signal()  # it came or went
    pressed = Signal()  # its button

    def __init__(self) -> None:
        super().__init__()
        self.others: Sequence[SearchEntry] = ()  # other ways to ask, as rows of their own
        self._typed = ""
        self._answer: Answer | None = None
        self._session: Callable[[], Session] | None = None  # until it is loaded
        self._engine: Engine | None = None  # while the panel is open
        self._sentence, self._basis = FittedSentence(_SIZES), plain_label("", "muted")
        self._button = push_button("Show", lambda: self.pressed.emit(), accent=True)
        self._button.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # the keyboard stays in the field
        below = in_row(self._basis, self._button, gap=PADDING, grows=self._basis)
        in_column(self._sentence, below, of=self, gap=scaled(SMALL), around=scaled(PADDING))
        self._worker = Worker(self)
        self._worker.brought.connect(self._on_brought)
        self._worker.failed.connect(self._on_failed)
        self._slow = delayed(self, partial(self._tell, (Run("Computing …"),)), _PATIENT_FOR)

    def load(
        self, session: Callable[[], Session], device: Callable[[], str], show: Callable[[Session, str], None]
    ) -> None:
        """Answer from now on, about this session and on this device; `show` brings a session and the plot that shows it."""
        self._session, self._device, self._show = session, device, show

    def ask(self, typed: str) -> None:
        """Answer what is typed, once that is computed, and hide the answer to anything else."""
        if typed == self._typed and not self.isHidden():
            return
        self._typed, self._answer, self.others = typed, None, ()
        self._slow.stop()
        self._worker.stop()
        self.hide()
        if typed.strip() and self._session:
            from posenc_gui.app.state.fuzzy_search import is_question

            self._worker.submit(partial(_work, typed, self._session(), self._ready_engine()))
            if is_question(typed):
                self._slow.start()

    @property
    def waits(self) -> bool:
        """True while a question is being answered."""
        return self._slow.isActive() or (self._answer is None and not self.isHidden())

    def _ready_engine(self) -> Engine:
        from posenc_gui.attention.engine import Engine
        from posenc_gui.foundation.threads import beside_a_window

        if self._engine is None or self._engine.device != self._device():
            self._engine = Engine(self._device(), threads=beside_a_window())
        return self._engine

    def mark(self, chosen: bool) -> None:
        """Show whether Enter shows it."""
        if self._answer:
            self._button.setText(f"{self._answer.show}{' ↵' * chosen}")

    def show_it(self) -> None:
        """Show in the window what the answer speaks of, as one step of undo."""
        if self._answer and self._answer.plot:
            self._show(self._answer.session, self._answer.plot)

    @property
    def spoken(self) -> str:
        """The answer as a screen reader says it, and what Enter does."""
        does = f"Enter: {self._button.text().removesuffix(' ↵')}" if not self._button.isHidden() else ""
        return " ".join(filter(None, (self._sentence.accessibleName(), self._basis.text(), does)))

    def _on_brought(self, brought: tuple[str, Answer | None]) -> None:
        typed, found = brought
        if typed != self._typed:
            return
        if found is None:  # all that there is has come
            waited = self.waits
            self._slow.stop()
            if waited:
                self.hide()
                self.changed.emit()
        elif found.question == typed:
            self._slow.stop()
            self._answer, self.others = found, ()
            self._tell(found.runs)
        else:
            from posenc_gui import plots
            from posenc_gui.app.state.fuzzy_search import SearchEntry

            title, told = plots.find(found.plot).title, quote_runs(found.runs)
            run = partial(self._show, found.session, found.plot)
            self.others = (*self.others, SearchEntry(found.question, "Ask in other ways", run, title, told))
            self.changed.emit()

    def _on_failed(self, error: Exception) -> None:
        _log.error("a question could not be answered", exc_info=error)
        self._on_brought((self._typed, None))

    def _tell(self, runs: tuple[Run, ...]) -> None:
        self._sentence.show_sentence(runs)
        self._basis.setText(self._answer.basis if self._answer else "")
        self._button.setVisible(bool(self._answer and self._answer.plot))
        self.show()
        self.changed.emit()

    def hideEvent(self, event: QHideEvent) -> None:
        """Compute no more when Find is closed."""
        super().hideEvent(event)
        if not self.isHidden():
            self._worker.stop()
            self._engine = None  # and what it remembers

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the ground, in a wash of the focus."""
        draw_wash(QPainter(self), self.rect())


def _work(
    typed: str, session: Session, engine: Engine, check_stop: Callable[[], None]
) -> Iterator[tuple[str, Answer | None]]:
    """Yield what is typed with its answer, then with those to other ways to ask, and at last with None."""
    from posenc_gui.models.answers import answers
    from posenc_gui.session.evaluate import on_any_device

    found = on_any_device(partial(answers, typed, session), replace(engine, check_stop=check_stop))
    yield from ((typed, one) for one, _engine, _notice in found)
    yield typed, None
