"""The workbench: where a session goes round. Panels propose, the store replaces, the worker computes, panels show."""

from __future__ import annotations

import logging
from collections.abc import Callable, Generator, Hashable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from time import monotonic, perf_counter
from typing import NamedTuple

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QApplication

from posenc_gui import plots
from posenc_gui.app.docks.card import Card
from posenc_gui.app.docks.layouts import MAP, OF_A_CELL
from posenc_gui.app.documents.file_dialogs import Dialogs
from posenc_gui.app.export.export_process import Exporter
from posenc_gui.app.panels.code_panel import CodePanel
from posenc_gui.app.panels.compare_panel import ComparePanel
from posenc_gui.app.panels.encoding_panel import EncodingPanel
from posenc_gui.app.panels.model_panel import ModelPanel
from posenc_gui.app.panels.plot_panel import PlotPanel
from posenc_gui.app.panels.token_panel import TokensPanel
from posenc_gui.app.state.click_target import chosen
from posenc_gui.app.state.store import Store
from posenc_gui.app.state.worker import Worker
from posenc_gui.app.widgets.forms.form import ModelForm
from posenc_gui.app.widgets.formula_view import typeset
from posenc_gui.attention import memory_cost as costs
from posenc_gui.attention.engine import Engine
from posenc_gui.encodings.base import Encoding
from posenc_gui.figure.figure import Figure, Pointer
from posenc_gui.figure.view import EVERYTHING, View
from posenc_gui.foundation.errors import unforeseen
from posenc_gui.foundation.theme import Roles
from posenc_gui.measures.base import Measurement, counted
from posenc_gui.measures.requirements import basis_of
from posenc_gui.plots.base import WINDOW
from posenc_gui.render.screen import prepare
from posenc_gui.scene.scene import Split
from posenc_gui.session.evaluate import Drawn, evaluate, judge, on_any_device
from posenc_gui.session.session import Session
from posenc_gui.text.tokenization import twins

Watch = Callable[[Session, Engine], object]
_Shown = TokensPanel | EncodingPanel | ComparePanel | ModelPanel | CodePanel | PlotPanel

_LONGEST_UNSEEN = 1.0  # seconds of changes without a rest, as while a plot plays, after which a lab looks all the same
_AT_REST = 150  # milliseconds without a change until the encoding is judged: a drag needs the time for its pictures
_PATIENT_FOR = 250  # milliseconds of computing before pictures are marked as old
_GIVES_WAY = 2  # times that verdicts give way to pictures, as while a plot plays; then pictures wait for them

_COMPUTING, _OLD = "Computing …", "Stopped, older"

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Typeset:
    """The formula of an encoding, and its lines as they are drawn."""

    encoding: Encoding
    lines: tuple[str, ...]


@dataclass(frozen=True)
class Underway:
    """How many pictures are to be drawn, and about how many bytes attention takes for them at its peak."""

    n_pictures: int
    memory: int


@dataclass(frozen=True)
class Finished:
    """All pictures of a session are there: where they were computed, and how long that took."""

    session: Session
    n_tokens: int
    device: str
    seconds: float


@dataclass(frozen=True)
class Judging:
    """Verdicts are on their way, of what they depend on."""

    basis: Hashable


@dataclass(frozen=True)
class Judged:
    """The requirements of the encoding, of the other one where there is one, and what they depend on."""

    basis: Hashable
    requirements: Measurement
    of_other: Measurement | None


@dataclass(frozen=True)
class Looking:
    """What a lab's step sees is on its way."""


@dataclass(frozen=True)
class Seen:
    """What was observed, and by whom: one who looks no longer, since a step is over, must not be told."""

    watch: Watch
    observation: object


def work(
    session: Session,
    wanted: tuple[str, ...],
    views: Mapping[str, View],
    due: Hashable | None,
    watch: Watch | None,
    engine: Engine,
    check_stop: Callable[[], None],
) -> Iterator[Split | Underway | Drawn | Finished | Judging | Judged | Looking | Seen]:
    """The worker's job: the pictures of a session, of some plots as much as is in view; then, where it is due, what is beside."""
    split = session.split(check_stop)
    twins(session.standing(split.tokens))  # of a long text the window would stand still while it looked
    yield split
    n_tokens = len(split.tokens)
    window = min(n_tokens, WINDOW)
    yield Underway(len(wanted), costs.of_attention(n_tokens, session.model, window, window))
    began, device = perf_counter(), engine.device
    for drawn in evaluate(session, wanted, replace(engine, check_stop=check_stop), views):
        device = drawn.device
        prepare(drawn.figure)
        yield drawn
    yield Finished(session, n_tokens, device, perf_counter() - began)
    yield from judge_and_look(session, due, watch, replace(engine, check_stop=check_stop))


def work_beside(
    session: Session,
    formula: bool,
    due: Hashable | None,
    watch: Watch | None,
    engine: Engine,
    check_stop: Callable[[], None],
) -> Iterator[Typeset | Judging | Judged | Looking | Seen]:
    """The worker's job beside pictures: the formula, for the first of which all that typesets is imported, and the rest."""
    if formula:
        yield Typeset(session.encoding, typeset(session.encoding.own_formula))
    yield from judge_and_look(session, due, watch, replace(engine, check_stop=check_stop))


def judge_and_look(
    session: Session, due: Hashable | None, watch: Watch | None, engine: Engine
) -> Iterator[Judging | Judged | Looking | Seen]:
    """The verdicts, which depend on what is `due`, and what a lab's step sees."""
    if due is not None:
        yield Judging(due)
        of_other = None if session.other is None else judge(session.swapped(), engine)
        yield Judged(due, judge(session, engine), of_other)
    if watch is not None:
        yield Looking()
        for observation, _device, _notice in on_any_device(lambda engine: (watch(session, engine),), engine):
            yield Seen(watch, observation)


class Panels(NamedTuple):
    """What the cards beside the plots hold."""

    tokens: TokensPanel
    encoding: EncodingPanel
    compare: ComparePanel
    model: ModelPanel
    code: CodePanel


def make_panels(cards: dict[str, Card], store: Store, dialogs: Dialogs, theme: Roles) -> Generator[None, None, Panels]:
    """Fill these cards, one after the other."""
    propose, replace = store.propose, store.replace
    tokens = TokensPanel(cards["tokens"], propose, replace, dialogs, theme)
    cards["tokens"].fill(tokens)
    yield
    encoding = EncodingPanel(cards["encoding"], propose, replace, theme)
    cards["encoding"].fill(encoding)
    yield
    compare = ComparePanel(cards["compare"], propose, replace)
    cards["compare"].fill(compare)
    yield
    model, code = ModelPanel(propose), CodePanel(cards["code"])
    cards["model"].fill(model)
    cards["code"].fill(code)
    yield
    return Panels(tokens, encoding, compare, model, code)


class Workbench(QObject):
    """Fills the window's cards and keeps them showing the current session."""

    begun = Signal(object)  # the first Session, of which the store tells nobody
    status = Signal(str)  # device, size and time of the last evaluation
    said = Signal(str)  # what went wrong, in a sentence
    done = Signal(str)  # what was done, in a sentence
    hovered = Signal(str)  # what is under the pointer
    told = Signal(
        object, bool
    )  # the headline of the plot at hand, as runs, and whether it is of something else than the session
    quieted = Signal(bool)  # whether nothing is said of what is to be seen
    observed = Signal(object)  # what was found, where something is watched
    gave_up = Signal(str)  # why what is watched could not be looked at, in a sentence

    def __init__(
        self, cards: dict[str, Card], store: Store, panels: Panels, theme: Roles, worker: Worker, dialogs: Dialogs,
        parent: QObject,
    ) -> None:  # fmt: skip
        super().__init__(parent)
        self.store, self._panels = store, panels
        self.tokens, self.encoding, self.compare, self.model, self.code = panels
        self._theme = theme
        self._worker = worker
        self._engine = Engine()
        self._watch: Watch | None = None
        self._quiet = False
        self._unseen = False  # whether a lab will look at the session at hand once it rests
        self._basis: Hashable | None = None  # what verdicts of the session at hand depend on
        self._judged: Hashable | None = None  # what those that are shown depend on
        self._judging: Hashable | None = None  # what those depend on that are on their way
        self._attempts = 0  # at judging the session at hand
        self._stopped = False
        self._changed_at: float | None = None  # when the first of the changes came that no lab has seen
        # The tokens of the session at hand; those of the one before it until its tokenizer's file has been asked.
        self._split = Split(("", "", False, "none", 0, None))
        self._at_hand = ""  # the plot that the keyboard was in last
        self._why_old = ""  # why pictures of another session than that at hand are marked; empty where none is
        self._drawn: dict[str, Session] = {}  # which session each picture shows
        self._to_draw: dict[
            str, Drawn | None
        ] = {}  # plots that are to be drawn, with what came of them, if something did
        self._finished: Finished | None = None  # what is said once these are drawn
        self.exporter = Exporter(dialogs, self)
        self._cards = {name.removeprefix("plot."): card for name, card in cards.items() if name.startswith("plot.")}
        self.plots: dict[str, PlotPanel] = {}  # of closed cards only those that were open before
        for name, card in self._cards.items():
            card.set_card_title(plots.plots()[name].title)
            card.came_into_view.connect(partial(self._show_plot, name))
        self.encoding.verdicts.asked_for.connect(lambda name: self._cards[name].bring())
        self._drawing = QTimer(self, singleShot=True, interval=0)
        self._drawing.timeout.connect(self._draw_next)
        self._overdue = QTimer(self, singleShot=True, interval=_PATIENT_FOR)
        self._overdue.timeout.connect(partial(self._mark_old, _COMPUTING))
        self._unjudged = QTimer(self, singleShot=True, interval=_AT_REST)
        self._unjudged.timeout.connect(self._work_beside)
        self._resting = QTimer(self, singleShot=True, interval=_AT_REST)
        self._resting.timeout.connect(self._work_beside)
        worker.brought.connect(self._on_brought)
        worker.failed.connect(self._on_failed)
        worker.busy_changed.connect(self._on_busy)
        self.store.changed.connect(self._on_changed)
        self.store.went.connect(self._take_back)

    def begin(self, session: Session) -> None:
        """Show the first session. What fails by it is raised: by a signal it would only be reported."""
        self.store.begin(session)
        self._on_changed(session)
        self.begun.emit(session)

    def set_theme(self, theme: Roles) -> None:
        """Draw everything in another theme."""
        self._theme = theme
        self.tokens.set_theme(theme)
        self.encoding.set_theme(theme)
        for name in self.plots:
            self._draw(name)

    @property
    def refused(self) -> tuple[str, ...]:
        """What stands in fields and was refused, so that no session has it: the names of the fields."""
        text = ("the text",) if self.tokens.refusal() else ()
        return (*text, *(name for form in self._forms for name in form.refused()))

    @property
    def _forms(self) -> list[ModelForm | ComparePanel]:
        own = self.tokens.patches_form(), self.encoding.form(), self.model.form()
        forms = *own, *(panel.form() for panel in self.plots.values()), self.compare
        return [form for form in forms if form]

    def _take_back(self) -> None:
        """What stands in fields and was refused goes with the step that is taken back."""
        self.tokens.take_back()
        for form in self._forms:
            form.take_back()

    def set_device(self, device: str) -> None:
        """Compute on another device from now on."""
        self._engine = Engine(device)
        self._request()

    @property
    def device(self) -> str:
        """Where it computes."""
        return self._engine.device

    @property
    def in_front(self) -> tuple[str, Figure | None]:
        """The plot that has the keyboard, or else the largest in sight, and its figure, where it has one by now."""
        seen = {name: card for name, card in self._cards.items() if card.in_view} or {
            "attention": self._cards["attention"]
        }
        keyboard = QApplication.focusWidget()
        used = [name for name, card in seen.items() if keyboard and card.isAncestorOf(keyboard)]
        name = used[0] if used else max(seen, key=lambda name: seen[name].width() * seen[name].height())
        return name, self.plots[name].view().figure() if name in self.plots else None

    @property
    def in_sight(self) -> list[Figure]:
        """The figures of all plots in sight, notes left out, from upper left to lower right."""
        cards = [(self._cards[name], panel) for name, panel in self.plots.items()]
        seen = [(card, figure) for card, panel in cards if card.in_view and (figure := panel.view().figure())]
        seen.sort(key=lambda one: (one[0].y(), one[0].x()))
        return [figure for _, figure in seen if not figure.is_note]

    @property
    def stopped(self) -> bool:
        """Whether computing was stopped, and nothing was asked for since."""
        return self._stopped

    def stop(self) -> None:
        """End what is being computed. Pictures stay as they were, marked as old, until something changes."""
        self._stopped = True
        self._worker.stop()
        self._give_up("Computing was stopped.")

    def compute_again(self) -> None:
        """Compute what was stopped."""
        self._request()

    def watch(self, watch: Watch | None) -> None:
        """Let the worker also look at each session in this way, the one at hand first."""
        self._watch, self._changed_at = watch, None
        self._stopped = False
        self._look_at_rest()

    def quiet(self, quiet: bool) -> None:
        """Show pictures and numbers without a word of what they mean: a learner is asked just that. Or with them again."""
        self._quiet = quiet
        panels: tuple[TokensPanel | EncodingPanel | PlotPanel, ...] = (self.tokens, self.encoding, *self.plots.values())
        for panel in panels:
            panel.quiet(quiet)
        self.quieted.emit(quiet)
        self._tell()

    def show_before(self, name: str, figure: Figure | None) -> None:
        """Pin a picture beside those of a plot that is open, or let go of what is pinned there."""
        if name in self.plots:
            self.plots[name].show_before(figure)

    def rest(self) -> None:
        """Let nothing play any more."""
        for panel in self.plots.values():
            for player in panel.players():
                player.setChecked(False)

    def take_in_hand(self, name: str) -> None:
        """Let this plot give the window its headline."""
        self._at_hand = name
        self._tell()

    def fill_open(self) -> Iterator[None]:
        """Fill the cards of plots that are open, one after the other, those in view first."""
        for name, card in sorted(self._cards.items(), key=lambda item: not item[1].in_view):
            if not card.isHidden() and name not in self.plots:
                self._fill(name)
                yield

    def _fill(self, name: str) -> None:
        card = self._cards[name]
        panel = self.plots[name] = PlotPanel(name, card, self.store.propose, self.exporter, self._theme)
        panel.show_session(self.store.session)
        panel.show_split(self._split)
        panel.quiet(self._quiet)
        panel.pointed.connect(self._on_pointed)
        panel.clicked.connect(self._on_clicked)
        panel.asked.connect(self._request)
        panel.exported.connect(self.done)
        panel.failed.connect(self.said)
        card.fill(panel)

    def _show_plot(self, name: str) -> None:
        if name in self.plots:
            self.plots[name].set_theme(self._theme)
        else:
            self._fill(name)
        self._request()

    def _on_changed(self, session: Session) -> None:
        if self._changed_at is None:
            self._changed_at = monotonic()
        self._resting.stop()
        self._unseen = False
        panels: tuple[_Shown, ...] = (*self._panels, *self.plots.values())
        for panel in panels:
            panel.show_session(session)
        self._show_split(session.split_at_once() or self._split)
        self._request()

    def _show_split(self, split: Split) -> None:
        self._split = split
        panels: tuple[TokensPanel | EncodingPanel | ModelPanel | PlotPanel, ...]
        panels = (self.tokens, self.encoding, self.model, *self.plots.values())
        for panel in panels:
            panel.show_split(split)
        self._follow_verdicts()

    @property
    def at_rest(self) -> bool:
        """Whether all pictures are drawn, and the encoding's verdicts, and what a lab sees, there, or on their way, too."""
        return not (self.drawing or self._resting.isActive() or self._unjudged.isActive())

    @property
    def drawing(self) -> bool:
        """Whether pictures are there that are not drawn yet."""
        return self._drawing.isActive()

    def _follow_verdicts(self) -> None:
        """Mark verdicts of something else as old; they are due a moment after what they depend on has last changed."""
        session = self.store.session
        of_one = partial(basis_of, model=session.model, n_tokens=len(self._split.tokens))
        before, self._basis = self._basis, (of_one(session.encoding), session.other and of_one(session.other))
        for verdicts in (self.encoding.verdicts, self.compare.verdicts):
            verdicts.mark_old(self._basis != self._judged)
        if self._basis == self._judged:
            self._unjudged.stop()
        elif self._basis != before:
            self._attempts = 0
            self._unjudged.start()

    @property
    def _due(self) -> Hashable | None:
        """What is to be judged now; None where nothing is, or not yet."""
        return None if self._basis == self._judged or self._unjudged.isActive() else self._basis

    def _look_at_rest(self) -> None:
        self._unseen = True
        self._resting.start()

    def _work_beside(self) -> None:
        """Typeset, judge and look, where that is due and no picture is on its way; called again once the last is drawn."""
        if self._worker.busy or self.drawing:  # a request would take the place of the pictures that wait
            return
        session = self.store.session
        formula = session.encoding.own_formula != self.encoding.typeset
        watch = self._watch if self._unseen and not (self._stopped or self._resting.isActive()) else None
        due = None if self._stopped else self._due
        if formula or watch is not None or due is not None:
            if watch is not None:
                self._unseen = False
            self._worker.submit(partial(work_beside, session, formula, due, watch, self._engine))

    def _request(self) -> None:
        wanted = tuple(name for name, card in self._cards.items() if card.in_view)
        unseen = 0 if self._changed_at is None else monotonic() - self._changed_at
        watch = self._watch if unseen > _LONGEST_UNSEEN else None
        starved = self._judging is not None and self._judging == self._basis and self._attempts > _GIVES_WAY
        job = partial(work, self.store.session, wanted, self._views(), self._due, watch, self._engine)
        self._stopped = False
        self._worker.submit(job, patient=starved)

    def _views(self) -> dict[str, View]:
        """Of which plots not everything is wanted, and what."""
        asked = {name: panel.asked_view for name, panel in self.plots.items()}
        return {name: view for name, view in asked.items() if view != EVERYTHING}

    def _on_brought(self, thing: object) -> None:
        match thing:
            case Typeset(encoding, lines) if encoding.own_formula == self.store.session.encoding.own_formula:
                self.encoding.show_formula(encoding, lines)
            case Underway():
                self._judging = None
            case Split(of) if of == self.store.session.splitting and thing != self._split:
                before = self._views()
                self._show_split(thing)
                if self._views() != before:
                    self._request()
            case Drawn(_, name, _, _, notice):
                self._draw(name, thing)
                if notice:
                    self.said.emit(notice)
            case Finished():
                self._finished = thing
                self._drawing.start()
            case Judging(of):
                self._judging = of
                self._attempts += 1
            case Judged(of, requirements, of_other) if of == self._basis:
                self._judged = of
                self.encoding.verdicts.show_requirements(requirements)
                self.compare.verdicts.show_requirements(requirements, of_other)
            case Seen(watch, observation) if watch is self._watch:
                self._changed_at = None
                self.observed.emit(observation)

    def _draw(self, name: str, drawn: Drawn | None = None) -> None:
        """Draw a plot in one of the next turns of the event loop: a new picture, or the one that it has in the present theme."""
        self._to_draw[name] = drawn or self._to_draw.get(name)
        self._drawing.start()

    def _draw_next(self) -> None:
        """Draw one plot: between two of them the window answers. Those out of view are drawn when they come into it."""
        seen = next((name for name in self._to_draw if self._cards[name].in_view), None)
        if seen is None:
            self._to_draw.clear()
            self._finish()
            return
        drawn = self._to_draw.pop(seen)
        self._drawing.start()
        self.plots[seen].set_theme(self._theme)
        if drawn:
            self.plots[seen].show_figure(drawn.figure)
            self._drawn[seen] = drawn.session
            self._tell()

    def _finish(self) -> None:
        finished, self._finished = self._finished, None
        if finished:
            self.status.emit(_status(finished))
            if finished.session is self.store.session:
                self._look_at_rest()
        self._work_beside()

    def _on_failed(self, error: Exception) -> None:
        _log.error("a job of the worker failed", exc_info=error)
        for panel in self.plots.values():
            panel.mark_old("")
        told = f"This could not be computed: {unforeseen(error)}"
        self.said.emit(told)
        self._give_up(told)

    def _give_up(self, why: str) -> None:
        """Say why nothing is found, to whom waits for it."""
        if self._watch is not None:
            self.gave_up.emit(why)

    def _on_busy(self, busy: bool) -> None:
        if busy:
            self._overdue.start()
        else:
            self._overdue.stop()
            self._judging = None
            self._mark_old(_OLD if self._stopped else "")
            self._work_beside()

    def _mark_old(self, why: str) -> None:
        """Mark the pictures that are seen and don't show the session at hand yet; others are drawn when they are seen."""
        now = self.store.session
        for name, panel in self.plots.items():
            panel.mark_old(why if self._cards[name].in_view and self._drawn.get(name, now) != now else "")
        self._why_old = why
        self._tell()

    def _tell(self) -> None:
        """Say the headline of the plot at hand, or else of the map, or else of the first in view that has one."""
        for name in sorted(self.plots, key=lambda name: (name != self._at_hand, f"plot.{name}" != MAP)):
            figure = self.plots[name].view().figure()
            if figure and figure.headline and self._cards[name].in_view and not self._cards[name].covered:
                is_old = bool(self._why_old) and self._drawn.get(name) != self.store.session
                self.told.emit(() if self._quiet else figure.headline, is_old)
                return
        self.told.emit((), False)

    def _on_pointed(self, pointer: Pointer, words: str) -> None:
        self.hovered.emit(words)
        for panel in self.plots.values():
            panel.show_pointer(pointer)

    def _on_clicked(self, pointer: Pointer) -> None:
        fields = chosen(pointer, len(self._split.tokens))
        if fields:
            self.store.propose(**fields)
        tellers = [self._cards[name] for name in OF_A_CELL if name in self._cards]
        if len(fields) == 2 and tellers and not any(card.in_view for card in tellers) and not tellers[0].isHidden():
            tellers[0].raise_()  # a cell of the map unfolds its computation


def _status(finished: Finished) -> str:
    model = finished.session.model
    return (
        f"{counted(finished.n_tokens, 'token')} · d_model {model.d_model} · {counted(model.n_heads, 'head')} · d_head "
        f"{model.head_width} · {finished.device} · {1000 * finished.seconds:.0f} ms"
    )
