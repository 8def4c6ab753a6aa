"""The workbench: where a session goes round. Panels propose, the store replaces, the worker computes, panels show."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from time import monotonic

import torch
from PySide6.QtCore import QObject, QTimer, Signal

from posenc_gui import plots
from posenc_gui.app.card import Card
from posenc_gui.app.exporter import Exporter
from posenc_gui.app.panels.code import CodePanel
from posenc_gui.app.panels.encoding import EncodingPanel
from posenc_gui.app.panels.formula import typeset
from posenc_gui.app.panels.model import ModelPanel
from posenc_gui.app.panels.plot import PlotPanel
from posenc_gui.app.panels.tokens import TokensPanel
from posenc_gui.app.store import Store
from posenc_gui.app.theme import Theme
from posenc_gui.app.worker import Worker
from posenc_gui.attention.engine import Engine
from posenc_gui.errors import sentence
from posenc_gui.evaluate import Evaluation, evaluate, judge, on_any_device
from posenc_gui.figure import Pointer
from posenc_gui.labs.observe import Observation
from posenc_gui.measures.base import Measurement, counted
from posenc_gui.session import Session

Watch = Callable[[Session, Engine], Observation]

_LONGEST_UNSEEN = 1.0  # seconds of changes without a rest, as while a plot plays, after which a lab looks all the same
_AT_REST = 150  # milliseconds without a change until the encoding is judged: a drag needs the time for its pictures
_PATIENT_FOR = 250  # milliseconds of computing before pictures are marked as old


@dataclass(frozen=True)
class Seen:
    """What was observed, and by whom: one who looks no longer, since a step is over, must not be told."""

    watch: Watch
    observation: Observation


@dataclass(frozen=True)
class Finished:
    """What one job of the worker brings back."""

    evaluation: Evaluation
    formula: tuple[str, ...]
    seen: Seen | None


def work(
    session: Session, wanted: tuple[str, ...], watch: Watch | None, engine: Engine, check_stop: Callable[[], None]
) -> Finished:
    """The worker's job: everything the window shows of a session, and what a lab's step sees in it where that is due."""
    engine = replace(engine, check_stop=check_stop)
    evaluation = evaluate(session, wanted, engine)
    return Finished(evaluation, typeset(session.encoding.formula), _look(session, watch, engine))


@dataclass(frozen=True)
class Judged:
    """The requirements of a session's encoding, and what a lab's step sees in it."""

    session: Session
    requirements: Measurement
    seen: Seen | None


def work_at_rest(session: Session, watch: Watch | None, engine: Engine, check_stop: Callable[[], None]) -> Judged:
    """The worker's job once the pictures are there and nothing has changed for a moment."""
    engine = replace(engine, check_stop=check_stop)
    return Judged(session, judge(session, engine), _look(session, watch, engine))


def _look(session: Session, watch: Watch | None, engine: Engine) -> Seen | None:
    if watch is None:
        return None
    observation, _device, _notice = on_any_device(partial(watch, session), engine)
    return Seen(watch, observation)


class Workbench(QObject):
    """Fills the window's cards and keeps them showing the current session."""

    status = Signal(str)  # device, size and time of the last evaluation
    said = Signal(str)  # what went wrong, in a sentence
    done = Signal(str)  # what was done, in a sentence
    hovered = Signal(str)  # what is under the pointer
    observed = Signal(object)  # Observation, where something is watched

    def __init__(self, cards: dict[str, Card], session: Session, theme: Theme, worker: Worker, parent: QObject) -> None:
        super().__init__(parent)
        self.store = Store(session, self)
        self._theme = theme
        self._worker = worker
        self._engine = Engine()
        self._watch: Watch | None = None
        self._quiet = False
        self._seen_until = monotonic()  # nothing that changed before this goes unseen by a lab
        self.exporter = Exporter(self)
        propose = self.store.propose
        self.tokens = TokensPanel(cards["tokens"], propose, self.store.replace, theme)
        self.encoding = EncodingPanel(cards["encoding"], propose, self.store.replace, theme)
        self.model = ModelPanel(propose)
        self.code = CodePanel(cards["code"])
        self._cards = {name.removeprefix("plot."): card for name, card in cards.items() if name.startswith("plot.")}
        self.plots: dict[str, PlotPanel] = {}  # of closed cards only those that were open before
        for name, panel in self._panels().items():
            cards[name].fill(panel)
        for name, card in self._cards.items():
            card.set_card_title(plots.plots()[name].title)
            card.came_into_view.connect(partial(self._show_plot, name))
            if not card.isHidden():
                self._fill(name)
        self.encoding.verdicts.asked_for.connect(lambda name: self._cards[name].bring())
        self._overdue = QTimer(self, singleShot=True, interval=_PATIENT_FOR)
        self._overdue.timeout.connect(lambda: self._mark_old(True))
        self._resting = QTimer(self, singleShot=True, interval=_AT_REST)
        self._resting.timeout.connect(self._request_at_rest)
        worker.finished.connect(self._on_finished)
        worker.failed.connect(self._on_failed)
        worker.busy_changed.connect(self._on_busy)
        self.store.changed.connect(self._on_changed)
        self._on_changed(session)

    def set_theme(self, theme: Theme) -> None:
        """Draw everything in another theme."""
        self._theme = theme
        self.tokens.set_theme(theme)
        self.encoding.set_theme(theme)
        for panel in self.plots.values():
            panel.set_theme(theme)

    def set_device(self, device: str) -> None:
        """Compute on another device from now on."""
        self._engine = Engine(device)
        self._request()

    def watch(self, watch: Watch | None) -> None:
        """Let the worker also look at each session in this way, the one at hand first."""
        self._watch = watch
        self._resting.start()

    def quiet(self, quiet: bool) -> None:
        """Show pictures and numbers without a word of what they mean: a learner is asked just that. Or with them again."""
        self._quiet = quiet
        panels: tuple[TokensPanel | EncodingPanel | PlotPanel, ...] = (self.tokens, self.encoding, *self.plots.values())
        for panel in panels:
            panel.quiet(quiet)

    @staticmethod
    def devices() -> dict[str, str]:
        """The devices that are there, by torch's name, with a name for the menu."""
        found = {"cpu": "CPU"}
        if torch.cuda.is_available():
            found["cuda"] = f"CUDA ({torch.cuda.get_device_name()})"
        if torch.backends.mps.is_available():
            found["mps"] = "MPS (Apple GPU)"
        return found

    def _panels(self) -> dict[str, TokensPanel | EncodingPanel | ModelPanel | CodePanel]:
        return {"tokens": self.tokens, "encoding": self.encoding, "model": self.model, "code": self.code}

    def _fill(self, name: str) -> None:
        card = self._cards[name]
        panel = self.plots[name] = PlotPanel(name, card, self.store.propose, self.exporter, self._theme)
        panel.show_session(self.store.session)
        panel.quiet(self._quiet)
        panel.pointed.connect(self._on_pointed)
        panel.clicked.connect(self._on_clicked)
        panel.exported.connect(self.done)
        panel.failed.connect(self.said)
        card.fill(panel)

    def _show_plot(self, name: str) -> None:
        if name not in self.plots:
            self._fill(name)
        self._request()

    def _on_changed(self, session: Session) -> None:
        if not self._worker.busy and self.at_rest:
            self._seen_until = monotonic()  # a first change after a rest will be seen at the next one
        self._resting.stop()
        for panel in (*self._panels().values(), *self.plots.values()):
            panel.show_session(session)
        self._request()

    @property
    def at_rest(self) -> bool:
        """Whether the encoding's verdicts are there, or on their way, too."""
        return not self._resting.isActive()

    def _request_at_rest(self) -> None:
        if self._worker.busy:  # a request would take the place of the pictures that wait
            self._resting.start()
            return
        self._worker.submit(partial(work_at_rest, self.store.session, self._watch, self._engine))

    def _request(self) -> None:
        wanted = tuple(name for name, card in self._cards.items() if card.in_view)
        watch = self._watch if monotonic() - self._seen_until > _LONGEST_UNSEEN else None
        self._worker.submit(partial(work, self.store.session, wanted, watch, self._engine))

    def _on_finished(self, finished: object) -> None:
        if isinstance(finished, Judged):
            self.encoding.verdicts.show_requirements(finished.requirements)
            self._tell(finished.seen)
        elif isinstance(finished, Finished):
            self._show(finished)
            self._tell(finished.seen)
            if finished.evaluation.session is self.store.session:
                self._resting.start()

    def _tell(self, seen: Seen | None) -> None:
        if seen and seen.watch is self._watch:
            self._seen_until = monotonic()
            self.observed.emit(seen.observation)

    def _show(self, finished: Finished) -> None:
        evaluation = finished.evaluation
        session = evaluation.session
        self.tokens.show_tokens(session)
        if session.encoding.name == self.store.session.encoding.name:
            self.encoding.show_formula(session.encoding, finished.formula)
        for name, figure in evaluation.figures.items():
            self.plots[name].show_figure(figure)
        model = session.model
        self.status.emit(
            f"{counted(session.n_tokens, 'token')} · d_model {model.d_model} · {counted(model.n_heads, 'head')} of "
            f"{model.head_width} · "
            f"{evaluation.device} · {1000 * evaluation.seconds:.0f} ms"
        )
        if evaluation.notice:
            self.said.emit(evaluation.notice)

    def _on_failed(self, error: Exception) -> None:
        self._mark_old(False)
        self.said.emit(f"This could not be computed: {sentence(error)}")

    def _on_busy(self, busy: bool) -> None:
        if busy:
            self._overdue.start()
        else:
            self._overdue.stop()

    def _mark_old(self, old: bool) -> None:
        for panel in self.plots.values():
            panel.mark_old(old)

    def _on_pointed(self, pointer: Pointer, words: str) -> None:
        self.hovered.emit(words)
        for panel in self.plots.values():
            panel.show_pointer(pointer)

    def _on_clicked(self, pointer: Pointer) -> None:
        query, key, length = pointer.along("query"), pointer.along("key"), self.store.session.n_tokens
        chosen = {name: at for name, at in (("focus", query), ("key", key)) if at is not None and 0 <= at < length}
        if chosen:
            self.store.propose(**chosen)
        told = any(self._cards[name].in_view for name in ("why", "row"))
        if len(chosen) == 2 and not told and not self._cards["why"].isHidden():
            self._cards["why"].raise_()  # a cell of the map unfolds its computation
