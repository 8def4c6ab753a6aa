"""The workbench runs the session's cycle: panels propose a session, the store replaces the current one, the worker
computes, and panels show it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from functools import partial
from time import monotonic
from typing import NamedTuple

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QApplication, QDialog

from posenc_gui import plots
from posenc_gui.app.docks.card import Card
from posenc_gui.app.docks.layouts import MAP, OF_A_CELL
from posenc_gui.app.documents.file_dialogs import FileDialogs
from posenc_gui.app.export.exporter import Exporter
from posenc_gui.app.panels.compare_panel import ComparePanel
from posenc_gui.app.panels.encoding_panel import CodePanel, EncodingPanel
from posenc_gui.app.panels.jobs import (
    Ahead,
    Finished,
    Foreseen,
    Judging,
    Observer,
    PicturesBegun,
    Recognised,
    Seen,
    Typeset,
    Verdicts,
    work,
    work_beside,
)
from posenc_gui.app.panels.model_panel import ModelPanel
from posenc_gui.app.panels.plot_panel import PlotPanel
from posenc_gui.app.panels.token_panel import TokensPanel
from posenc_gui.app.panels.verdicts import AT_REST, VerdictSchedule
from posenc_gui.app.state.playing import Moves, at_token, change_between, whole_move
from posenc_gui.app.state.recent_formulas import RecentFormulas
from posenc_gui.app.state.store import Store, chosen, go_to_part
from posenc_gui.app.state.worker import Worker
from posenc_gui.app.widgets.controls import delayed
from posenc_gui.app.widgets.forms.form import ModelForm
from posenc_gui.app.widgets.theme import THEME
from posenc_gui.attention.engine import Engine
from posenc_gui.attention.trained_model import TrainedModel
from posenc_gui.encodings.base import Encoding
from posenc_gui.figure.axis import Pointer
from posenc_gui.figure.compared_headline import headline_since
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panels import Hands, Slopes
from posenc_gui.figure.runs import quote_runs
from posenc_gui.figure.told_marks import Told, twins_named
from posenc_gui.figure.view import EVERYTHING, View
from posenc_gui.foundation.errors import describe_internal_error
from posenc_gui.foundation.threads import beside_a_window
from posenc_gui.render.screen import MOST_TOKENS, Change
from posenc_gui.scene.splitting import Split, Splitting
from posenc_gui.session.evaluate import Drawn
from posenc_gui.session.session import Session
from posenc_gui.text.tokenization import TOKENIZERS

_Shown = TokensPanel | EncodingPanel | ComparePanel | ModelPanel | CodePanel | PlotPanel

_LONGEST_UNSEEN = 1.0  # seconds of continuous changes, as while a plot plays, after which a lab observes anyway
_PATIENT_FOR = 250  # milliseconds of computing before pictures are marked as out of date

_COMPUTING, _STOPPED, _OLD = "Computing …", "Stopped", "Stopped, out of date"

_log = logging.getLogger(__name__)


class Panels(NamedTuple):
    """The panels of the cards other than plots."""

    tokens: TokensPanel
    encoding: EncodingPanel
    compare: ComparePanel
    model: ModelPanel
    code: CodePanel


def make_panels(
    cards: dict[str, Card], store: Store, dialogs: FileDialogs, formulas: RecentFormulas
) -> Generator[None, None, Panels]:
    """Fill these cards one after the other; yield between two."""
    propose, replace = store.propose, store.replace
    tokens = TokensPanel(cards["tokens"], propose, replace, dialogs)
    cards["tokens"].fill(tokens)
    yield
    encoding = EncodingPanel(cards["encoding"], propose, replace, lambda: store.as_last_used, formulas)
    cards["encoding"].fill(encoding)
    yield
    compare = ComparePanel(cards["compare"], propose, replace, formulas)
    cards["compare"].fill(compare)
    yield
    model, code = ModelPanel(propose), CodePanel(cards["code"])
    cards["model"].fill(model)
    cards["code"].fill(code)
    yield
    return Panels(tokens, encoding, compare, model, code)


class Workbench(QObject):
    """Owner of the window's cards, which keeps them showing the current session."""

    begun = Signal(object)  # the first Session, for which the store sends no signal
    status = Signal(str)  # device and time of the last evaluation
    said = Signal(str)  # a sentence about what went wrong
    done = Signal(str)  # a sentence about what was done
    split_shown = Signal()  # the tokens are those of the current text
    drawn = Signal(str)  # the name of a plot that shows another picture
    hovered = Signal(str)  # the values under the pointer, or what the hands say
    clicked = Signal(str, object)  # the name of a plot, and the Pointer that was pressed in it, which `go_to` follows
    cell_pressed = Signal()  # while no plot that explains it stands anywhere
    row_pressed = Signal()  # the name of a row of the map, which has no room for that row's slopes
    door_pressed = Signal(str)  # the door whose encodings are asked for
    told = Signal(object, bool, object)  # the current plot's headline as runs, True if it is old, a shorter headline
    offered = Signal(object)  # Remedy: a change under which more is seen than that headline can say; or None
    held = Signal(object)  # the headlines to which a move leads, as far as they are known; None at its end
    silenced = Signal(bool)  # True while the headline is hidden
    observed = Signal(object)  # the observation that `watch` asked for
    commanded = Signal(str)  # the name of a command of the window
    gave_up = Signal(str)  # a sentence about why the observation failed

    def __init__(
        self, cards: dict[str, Card], store: Store, panels: Panels, worker: Worker, dialogs: FileDialogs,
        reduces_motion: Callable[[], bool], parent: QObject,
    ) -> None:  # fmt: skip
        super().__init__(parent)
        self.store, self._panels = store, panels
        self.tokens, self.encoding, self.compare, self.model, self.code = panels
        self._worker, self._reduces_motion = worker, reduces_motion
        self._engine = Engine(threads=beside_a_window())
        self._watch: Observer | None = None
        self._quiet = self._silent = False
        self._unpointed = ""  # what the status bar says while nothing is pointed at
        self._unseen = False  # whether a lab must still observe the current session once changes pause
        self.stopped = False
        self._changed_at: float | None = None  # time of the first change that no lab has observed
        # The current session's tokens; those of the previous session until its tokenizer has run.
        self.split = Split(Splitting("", "", False, False, "none", 0, None))
        self._last_focused = ""  # name of the plot that last had the focus
        self._why_old = ""  # why pictures are marked as out of date; empty if none is
        self._drawn: dict[str, Session] = {}  # the session that each picture shows
        self._to_draw: dict[str, Drawn] = {}  # new pictures, by plot
        self.moves = Moves(lambda: self._plays, lambda: not (self._worker.busy or self.drawing), self)
        self.moves.begun.connect(lambda: self.held.emit(()))
        self.moves.ended.connect(self._let_scales_go)
        self._ahead: tuple[Session, ...] = ()  # through which a move leads, as far as that is known
        self._foreseen: Mapping[str, tuple[Figure, ...]] = {}  # their pictures, by plot
        self._finished: Finished | None = None  # reported once all pictures are drawn
        self._timed: Session | None = None  # whose time the status tells
        self.exporter = Exporter(dialogs, self)
        self._cards = {name.removeprefix("plot."): card for name, card in cards.items() if name.startswith("plot.")}
        self.plots: dict[str, PlotPanel] = {}  # of closed cards, only those that were open before
        for name, card in self._cards.items():
            card.setWindowTitle(plots.plots()[name].title)
            card.came_into_view.connect(partial(self._show_plot, name))
        cards["encoding"].came_into_view.connect(self._show_map_of_heads)
        self._drawing = delayed(self, self._draw_next)
        self._overdue = delayed(self, partial(self._mark_old, _COMPUTING), _PATIENT_FOR)
        self._verdicts = VerdictSchedule((self.encoding.verdicts, self.compare.verdicts), self)
        self._verdicts.came_due.connect(self._work_beside)
        self._resting = delayed(self, self._work_beside, AT_REST)
        self._connect(worker)

    def _connect(self, worker: Worker) -> None:
        worker.brought.connect(self._on_brought)
        worker.failed.connect(self._on_failed)
        worker.busy_changed.connect(self._on_busy)
        self.store.changed.connect(self._on_changed)
        self.store.went.connect(self._take_back)
        self.encoding.trained.heads.chosen.connect(self._see_head)
        THEME.changed.connect(self._restyle)

    def begin(self, session: Session) -> None:
        """Show the first session. Called directly, so that errors propagate; in a slot they would only be logged."""
        self._session_before = session
        self.store.begin(session)
        self._on_changed(session)
        self.begun.emit(session)

    def _restyle(self) -> None:
        for name, panel in self.plots.items():
            if self._cards[name].in_view:  # hidden ones take the theme when they are shown
                panel.restyle()

    @property
    def refused(self) -> tuple[str, ...]:
        """The names of the fields that hold refused values, which no session contains."""
        typed = {"the text": self.tokens.refusal(), "the formula": self.encoding.formula.refusal()}
        return (
            *(name for name, why in typed.items() if why),
            *(name for form in self._forms for name in form.refused()),
        )

    @property
    def _forms(self) -> list[ModelForm | ComparePanel]:
        tokens = self.tokens.start_form, self.tokens.length_form, self.tokens.patches_form
        own = *tokens, self.encoding.form(), self.encoding.strength, self.model.form
        compared = self.compare.strength, self.compare
        forms = *own, *(panel.form for panel in self.plots.values()), *compared
        return [form for form in forms if form]

    def _take_back(self) -> None:
        """Discard the refused values in all fields when a step is undone."""
        self.tokens.take_back()
        self.encoding.formula.take_back()
        for form in self._forms:
            form.take_back()

    @property
    def has_split(self) -> bool:
        """True if the tokens are those of the current session."""
        return self.split.of == self.store.session.splitting

    def set_device(self, device: str) -> None:
        """Compute on another device from now on."""
        self._engine = Engine(device, threads=beside_a_window())
        self.compute()

    @property
    def device(self) -> str:
        """The device used for computing."""
        return self._engine.device

    @property
    def in_front(self) -> tuple[str, Figure | None]:
        """The plot that plays, or else has the focus, or else the largest visible one; and its figure if it is drawn. While
        the focus is in a window beside the main one, it counts as where it was before."""
        seen = [name for name, card in self._cards.items() if card.in_view] or ["attention"]
        held = next((name for name in self._in_hand() if name in seen), "")
        name = held or max(seen, key=lambda name: self._cards[name].width() * self._cards[name].height())
        return name, self.plots[name].view.figure() if name in self.plots else None

    def _in_hand(self) -> Iterator[str]:
        """Yield the plots that play, the one with the focus, and the one that had it before another window."""
        yield from (name for name, panel in self.plots.items() if any(player.playing for player in panel.players))
        keyboard = QApplication.focusWidget()
        if keyboard is None:
            return
        yield from (name for name, card in self._cards.items() if card.isAncestorOf(keyboard))
        if isinstance(keyboard.window(), QDialog):
            yield self._last_focused

    @property
    def in_sight(self) -> list[Figure]:
        """The figures of all visible plots except notes, from upper left to lower right."""
        cards = [(self._cards[name], panel) for name, panel in self.plots.items()]
        cards.sort(key=lambda one: (one[0].y(), one[0].x()))
        figures = (panel.view.figure() for card, panel in cards if card.in_view)
        return [figure for figure in figures if figure and not figure.is_note]

    def finished_figures(self) -> dict[str, Figure]:
        """The figures of all visible plots by name, the largest first, that are finished and follow from the session's own file:
        none of a model that has learned, or of a tokenizer's file."""
        session = self.store.session
        if isinstance(session.model, TrainedModel) or session.tokenizer not in TOKENIZERS:
            return {}
        seen = {name: card.width() * card.height() for name, card in self._cards.items() if card.in_view}
        found = {
            name: self.plots[name].whole_figure
            for name in sorted(seen, key=lambda name: -seen[name])
            if name in self.plots and self._drawn.get(name) == session
        }
        return {name: figure for name, figure in found.items() if figure and figure.done == 1}

    def stop(self) -> None:
        """Stop computing. Pictures stay, marked as out of date, until the next change."""
        self.stopped = True
        self._worker.stop()
        self._give_up("Computing was stopped.")

    def draw_again(self) -> None:
        """Draw what is seen again, unless computing was stopped: what is said of its model has changed."""
        if not self.stopped:
            self.compute()

    def watch(self, watch: Observer | None) -> None:
        """Have the worker also observe each session with `watch`, starting with the current one."""
        self._watch, self._changed_at = watch, None
        self.stopped = False
        self._look_at_rest()

    def quiet(self, quiet: bool) -> None:
        """Hide or show the texts that interpret pictures and numbers, since a lab asks the learner for just that."""
        self._quiet = quiet
        panels: tuple[TokensPanel | EncodingPanel | PlotPanel, ...] = (self.tokens, self.encoding, *self.plots.values())
        for panel in panels:
            panel.quiet(quiet)

    def silence(self, silent: bool) -> None:
        """Hide or show the headline."""
        self._silent = silent
        self.silenced.emit(silent)
        self._tell()

    def show_before(self, name: str, figure: Figure | None, encoding: Encoding | None) -> None:
        """Pin a picture in an open plot, with the encoding that it shows, or unpin it."""
        if name in self.plots:
            self.plots[name].show_before(figure, encoding)
            self._tell()

    def mark(self, name: str, told: tuple[Told, ...]) -> None:
        """Frame in an open plot what a text speaks of."""
        if name in self.plots:
            self.plots[name].mark(told)

    def rest(self) -> None:
        """Stop all play buttons."""
        for panel in self.plots.values():
            for player in panel.players:
                player.setChecked(False)

    def take_in_hand(self, name: str) -> None:
        """Make this the current plot: what it says is the headline while the map is out of sight, and else stands below."""
        self._last_focused = name
        self._tell()

    def fill_open(self) -> Iterator[None]:
        """Fill the cards of open plots one after the other, visible ones first; yield between two."""
        for name, card in sorted(self._cards.items(), key=lambda item: not item[1].in_view):
            if not card.isHidden() and name not in self.plots:
                self._fill(name)
                yield

    def _fill(self, name: str) -> None:
        card = self._cards[name]
        panel = self.plots[name] = PlotPanel(name, card, self.store.propose, self.exporter)
        panel.show_session(self.store.session)
        panel.show_split(self.split)
        panel.quiet(self._quiet)
        panel.view.pointed.connect(self._on_pointed)
        panel.view.clicked.connect(partial(self.clicked.emit, name))
        panel.view.door_pressed.connect(self.door_pressed)
        panel.view.rested.connect(self._tell)
        panel.asked.connect(self.compute)
        panel.exported.connect(self.done)
        panel.failed.connect(self.said)
        panel.commanded.connect(self.commanded)
        card.fill(panel)

    def _show_plot(self, name: str) -> None:
        if name in self.plots:
            self.plots[name].restyle()
        else:
            self._fill(name)
        self.compute()

    def _on_changed(self, session: Session) -> None:
        if self._changed_at is None:
            self._changed_at = monotonic()
        self._see_move(session)
        self._resting.stop()
        self._unseen = False
        if self._timed and self._timed.splitting != session.splitting:
            self.status.emit(self.device)  # the time was another text's
        panels: tuple[_Shown, ...] = (*self._panels, *self.plots.values())
        for panel in panels:
            panel.show_session(session)
        self._show_split(session.split_at_once or self.split)
        self.compute()

    def _see_move(self, session: Session) -> None:
        """See whether a change belongs to a move, and through which sessions that leads."""
        self.moves.follow()
        if self.moves.underway and not self._ahead and len(self.split.tokens) <= MOST_TOKENS:
            self._ahead = tuple(whole_move(self._session_before, session))
        self._session_before = session

    def begin_move(self, lasts: Callable[[], bool], ahead: Sequence[Session]) -> None:
        """Begin one that leads through these sessions, and goes on while this is true."""
        self.moves.begin(lasts)
        self._ahead, self._foreseen = tuple(ahead), {}

    def _let_scales_go(self) -> None:
        self._ahead, self._foreseen = (), {}
        self.held.emit(None)
        for panel in self.plots.values():
            panel.let_scale_go()

    def _show_split(self, split: Split) -> None:
        self.split = split
        panels: tuple[TokensPanel | EncodingPanel | ComparePanel | ModelPanel | PlotPanel, ...]
        panels = (self.tokens, self.encoding, self.compare, self.model, *self.plots.values())
        for panel in panels:
            panel.show_split(split)
        self._verdicts.follow(self.store.session, len(split.tokens))
        self.split_shown.emit()

    @property
    def at_rest(self) -> bool:
        """True if all pictures are drawn, and verdicts and observation are done or underway."""
        return not (self.drawing or self._resting.isActive() or self._verdicts.is_waiting)

    @property
    def drawing(self) -> bool:
        """True while computed pictures wait to be drawn."""
        return self._drawing.isActive()

    def _look_at_rest(self) -> None:
        self._unseen = True
        self._resting.start()

    def _work_beside(self) -> None:
        """Typeset, judge and observe what is due, unless pictures are underway; called again after the last one is
        drawn."""
        if self._worker.busy or self.drawing:  # a new request would cancel the waiting pictures
            return
        session = self.store.session
        formula = self.encoding.lacks_formula
        watch = self._watch if self._unseen and not (self.stopped or self._resting.isActive()) else None
        due = None if self.stopped else self._verdicts.due
        recognises = self.encoding.lacks_told and not (self.stopped or self._resting.isActive())
        if formula or recognises or watch is not None or due is not None:
            self._unseen = self._unseen and watch is None
            self._worker.submit(partial(work_beside, session, formula, recognises, due, watch, self._engine))

    def _show_map_of_heads(self) -> None:
        if self.encoding.wants_heads:
            self.compute()

    def compute(self) -> None:
        """Ask the worker for what is in sight, also after a stop."""
        wanted = tuple(name for name, card in self._cards.items() if card.in_view)
        if self.encoding.wants_heads and "heads" not in wanted:
            wanted = (*wanted, "heads")
        unseen = 0 if self._changed_at is None else monotonic() - self._changed_at
        watch = self._watch if unseen > _LONGEST_UNSEEN else None
        formula, due = self.encoding.lacks_formula, self._verdicts.due
        scaled = tuple(name for name in wanted if name in self.plots and self.plots[name].has_scale)
        ahead = Ahead() if self._foreseen else Ahead(self._ahead, scaled)
        job = partial(work, self.store.session, wanted, self._views(), formula, due, watch, ahead, self._engine)
        self.stopped = False
        self._worker.submit(job, patient=self._verdicts.have_given_way)
        if not self._overdue.isActive():  # as while another job goes on
            self._overdue.start()

    def _views(self) -> dict[str, View]:
        """Return the requested parts of those plots that are computed in part."""
        asked = {name: panel.asked_view for name, panel in self.plots.items()}
        return {name: view for name, view in asked.items() if view != EVERYTHING}

    def _on_brought(self, thing: object) -> None:
        match thing:
            case Typeset(encoding, lines) if encoding.own_equations == self.store.session.encoding.own_equations:
                self.encoding.show_formula(encoding, lines)
            case Recognised(session, told):
                self.encoding.show_told(session, told)
            case Foreseen(ahead, figures) if ahead.sessions == self._ahead:
                self._foreseen = figures
                teller = self._teller()
                self.held.emit([one.headline for one in figures.get(teller[0], ())] if teller else ())
            case PicturesBegun():
                self._verdicts.set_underway(None)
            case Split(of) if of == self.store.session.splitting and thing != self.split:
                before = self._views()
                self._show_split(thing)
                if self._views() != before:
                    self.compute()
            case Drawn(_, name, _, _, notice):
                if name == "heads":
                    self.encoding.trained.show_heads(thing.figure)
                self._to_draw[name] = thing
                self._drawing.start()
                if notice:
                    self.said.emit(notice)
            case Finished():
                self._finished = thing
                self._drawing.start()
            case Judging(basis):
                self._verdicts.set_underway(basis)
            case Verdicts():
                self._verdicts.show(thing)
            case Seen(watch, observation) if watch is self._watch:
                self._changed_at = None
                self.observed.emit(observation)

    def _draw_next(self) -> None:
        """Draw one plot per call, so that the window stays responsive. Hidden plots are drawn when they become
        visible."""
        seen = next((name for name in self._to_draw if self._cards[name].in_view), None)
        if seen is None:
            self._to_draw.clear()
            self._finish()
            return
        drawn = self._to_draw.pop(seen)
        self._drawing.start()
        ahead = self._foreseen.get(seen, ()) if self.moves.underway else None
        self.plots[seen].show_figure(drawn.figure, self._change_to(seen, drawn.session), ahead)
        self._drawn[seen] = drawn.session
        self.drawn.emit(seen)
        self._tell()

    def _change_to(self, name: str, session: Session) -> Change | None:
        """Return the change to this session from the one that a plot shows; None if it is to be shown at once."""
        former = self._drawn.get(name)
        if former is None or self._plays:
            return None
        still, moved, drag = self._reduces_motion(), self.tokens.last_moved, self.moves.drag
        return change_between(former, session, len(self.split.tokens), still=still, moved=moved, drag=drag)

    @property
    def _plays(self) -> bool:
        """True while a plot plays."""
        return any(player.playing for panel in self.plots.values() for player in panel.players)

    def finish_motion(self) -> None:
        """Show all pictures in their present state alone."""
        for panel in self.plots.values():
            panel.view.mover.finish()

    def _finish(self) -> None:
        finished, self._finished = self._finished, None
        if finished:
            self.status.emit(_status(finished))
            self._timed = finished.session
            if finished.session is self.store.session:
                self._look_at_rest()
        self._work_beside()

    def _on_failed(self, error: Exception) -> None:
        _log.error("a job of the worker failed", exc_info=error)
        for panel in self.plots.values():
            panel.mark_old("")
        told = f"This could not be computed: {describe_internal_error(error)}"
        self.said.emit(told)
        self._give_up(told)

    def _give_up(self, why: str) -> None:
        """Tell a waiting lab why there is no observation."""
        if self._watch is not None:
            self.gave_up.emit(why)

    def _on_busy(self, busy: bool) -> None:
        if busy:
            self._overdue.start()
        else:
            self._overdue.stop()
            self._verdicts.set_underway(None)
            self._mark_old(_OLD if self.stopped else "")
            self._work_beside()

    def _mark_old(self, why: str) -> None:
        """Mark visible pictures that don't yet show the current session, and cards that have none yet; hidden ones are drawn
        when they become visible."""
        now = self.store.session
        for name, panel in self.plots.items():
            is_old, is_empty = self._drawn.get(name, now) != now, panel.view.figure() is None
            told = _STOPPED if is_empty and why == _OLD else why
            panel.mark_old(told if self._cards[name].in_view and (is_old or is_empty) else "")
        self._why_old = why
        self.encoding.mark_overdue(bool(why))
        self._tell()

    @property
    def has_told(self) -> bool:
        """True if the headline is of the current session, or nothing is underway that could make it so."""
        teller = self._teller()
        is_now = teller is not None and self._drawn.get(teller[0]) == self.store.session
        return is_now or not (self._worker.busy or self.drawing)

    def take_remedy(self, words: str) -> None:
        """Take the remedy that the headline offers, if it offers the one with these words."""
        if teller := self._teller():
            name, figure = teller
            if figure.remedy and figure.remedy.words == words:
                self.plots[name].take(figure.remedy)

    def _tell(self) -> None:
        """Emit the headline of the plot that tells it, and the remedy that it offers."""
        teller = self._teller()
        self._say_parts(teller[0] if teller else "")
        if teller is None:
            self.told.emit((), False, ())
            self.offered.emit(None)
            return
        name, figure = teller
        is_old = bool(self._why_old) and self._drawn.get(name) != self.store.session
        former = self.plots[name].view.mover.former
        told = headline_since(former, figure) if former else figure.headline
        if self._silent:
            self.told.emit((), is_old, ())
        else:
            self.told.emit(told, is_old, self.plots[name].headline_of_now)
            self.tokens.name_twins(twins_named(figure.headline))
        self.offered.emit(None if is_old else figure.remedy)

    def _teller(self) -> tuple[str, Figure] | None:
        """The map, which answers for the sentence, or else the current plot, or else the first visible plot that has a
        headline, and its figure."""
        for name in sorted(self.plots, key=lambda name: (f"plot.{name}" != MAP, name != self._last_focused)):
            figure = self.plots[name].view.figure()
            if figure and figure.headline and self._cards[name].in_view and not self._cards[name].covered:
                return name, figure
        return None

    def _say_parts(self, told_by: str) -> None:
        """Emit what the current plot says, or else the hands, as values that nobody needs to point at, unless that is the
        headline or hidden."""
        others = (name for name in (self._last_focused, "hands") if name in self.plots and name != told_by)
        other = next((name for name in others if self._cards[name].in_view), "")
        figure = self.plots[other].view.figure() if other else None
        said = "" if figure is None or self._silent else quote_runs(figure.headline)
        if said != self._unpointed:
            self._unpointed = said
            self.hovered.emit(said)

    def _on_pointed(self, pointer: Pointer, words: str) -> None:
        self.hovered.emit(words or self._unpointed)
        for panel in self.plots.values():
            panel.view.show_pointer(pointer)

    def go_to(self, name: str, pointer: Pointer) -> None:
        """Let the session follow what was pressed in a plot."""
        if go_to_part(pointer, self.plots[name].view.figure(), self.store):
            return
        fields = chosen(pointer, len(self.split.tokens))
        if fields:
            self.store.propose(**at_token(self.store.session, fields))
        if name == "attention" and fields.keys() == {"focus"} and self._lacks_slopes:
            self.row_pressed.emit()
        tellers = [self._cards[name] for name in OF_A_CELL if name in self._cards]
        if len(fields) == 2 and tellers and not any(card.in_view for card in tellers):
            first = tellers[0]
            if first.isHidden() and not self._brings_out_hands(fields):
                self.cell_pressed.emit()
            elif not (first.isHidden() or first.stands_behind(self._cards[name])):  # never in front of the clicked map
                first.raise_()

    def _brings_out_hands(self, cell: dict[str, int | None]) -> bool:
        """True if the hands in view don't show this query and key yet, and will."""
        figure = self.plots["hands"].view.figure() if "hands" in self.plots and self._cards["hands"].in_view else None
        shown = [panel for panel in (figure.panels if figure else ()) if isinstance(panel, Hands)]
        return any((at.query, key.at) != (cell["focus"], cell["key"]) for at in shown for key in at.shown[:1])

    @property
    def _lacks_slopes(self) -> bool:
        """True if the map's card has no room for the slopes of the row in focus."""
        view = self.plots["attention"].view
        wanted, shown = (figure.panels if (figure := view.figure()) else ()), view.panel_views()
        return any(isinstance(panel, Slopes) for panel in wanted) and not any(
            isinstance(one.shown, Slopes) for one in shown
        )

    def _see_head(self, layer: int, head: int) -> None:
        self.store.replace(self.store.session.at_head(layer, head), continuing=True)


def _status(finished: Finished) -> str:
    return f"{finished.device} · {1000 * finished.seconds:.0f} ms"
