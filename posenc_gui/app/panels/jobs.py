"""The worker's job for the cards, and the messages that it sends while it runs."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from time import perf_counter

from posenc_gui.app.state.worker import ToDraw
from posenc_gui.app.widgets.formula_view import typeset
from posenc_gui.attention import memory_cost
from posenc_gui.attention.engine import Engine
from posenc_gui.encodings.base import Encoding
from posenc_gui.encodings.common.typed.program import Fault
from posenc_gui.encodings.common.typed.values import NotDefined
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.view import View
from posenc_gui.foundation import memory
from posenc_gui.foundation.errors import Undefined
from posenc_gui.identify.recognised import recognise
from posenc_gui.measures.base import Measurement
from posenc_gui.plots.base import WINDOW
from posenc_gui.plots.common.curves import profile, samples
from posenc_gui.render.screen import prepare
from posenc_gui.scene.splitting import Split
from posenc_gui.session.evaluate import evaluate, judge, on_any_device
from posenc_gui.session.session import Session

_LONG = 0.1  # seconds of pictures after which a formula doesn't wait for the others

Observer = Callable[[Session, Engine], object]  # sees for a lab what a session comes to


@dataclass(frozen=True)
class Typeset:
    """An encoding and its typeset formula, line by line."""

    encoding: Encoding
    lines: tuple[str, ...]


@dataclass(frozen=True)
class Recognised:
    """What is told of the user's own formula in a session: which known encoding it is, or where it has no values."""

    session: Session
    told: str | Fault


@dataclass(frozen=True)
class Ahead:
    """The sessions through which a move leads, and the plots whose scales must hold all of them."""

    sessions: tuple[Session, ...] = ()
    plots: tuple[str, ...] = ()


@dataclass(frozen=True)
class Foreseen:
    """The pictures of what is ahead, by plot."""

    ahead: Ahead
    figures: Mapping[str, tuple[Figure, ...]]


@dataclass(frozen=True)
class PicturesBegun:
    """The number of pictures to be drawn, and attention's estimated peak memory for them, in bytes."""

    n_pictures: int
    memory: int


@dataclass(frozen=True)
class Finished:
    """All pictures of a session are done: the device and the time they took."""

    session: Session
    device: str
    seconds: float


@dataclass(frozen=True)
class Judging:
    """The verdicts with this basis (the values they depend on) are being computed."""

    basis: Hashable


@dataclass(frozen=True)
class Verdicts:
    """Verdicts on the encoding and, if there is one, on the other; with their basis, the values they depend on."""

    basis: Hashable
    requirements: Measurement
    of_other: Measurement | None


@dataclass(frozen=True)
class Looking:
    """An observation for a lab is being computed."""


@dataclass(frozen=True)
class Seen:
    """An observation and the watch that asked for it, so that a watch which has been replaced gets no answer."""

    watch: Observer
    observation: object


def work(
    session: Session,
    wanted: tuple[str, ...],
    views: Mapping[str, View],
    formula: bool,
    due: Hashable | None,
    watch: Observer | None,
    ahead: Ahead,
    engine: Engine,
    check_stop: Callable[[], None],
) -> Iterator[Split | Foreseen | PicturesBegun | ToDraw | Typeset | Finished | Judging | Verdicts | Looking | Seen]:
    """Compute a session's pictures (of some plots only the visible part), then judge the requirements and observe
    for a lab if asked to. The formula, if asked for, is typeset between two pictures that take long."""
    scene = session.scene
    split = scene.sentence.split(check_stop)
    with suppress(Undefined):
        _ = scene.sentence.twins  # here: on a long text, the search would block the window
    yield split
    if ahead.sessions:
        of_each = [evaluate(one, ahead.plots, replace(engine, check_stop=check_stop)) for one in ahead.sessions]
        found = {same[0].name: tuple(one.figure for one in same) for same in zip(*of_each, strict=True)}
        yield Foreseen(ahead, found)
    n_tokens = len(split.tokens)
    window = min(n_tokens, WINDOW)
    yield PicturesBegun(len(wanted), memory_cost.attention_bytes(n_tokens, session.model, window, window))
    began, device = perf_counter(), engine.device
    for drawn in evaluate(session, wanted, replace(engine, check_stop=check_stop), views):
        device = drawn.device
        prepare(drawn.figure)
        yield ToDraw(drawn)
        if formula and perf_counter() - began > _LONG:
            yield Typeset(session.encoding, typeset(session.encoding.own_equations))
            formula = False
    yield Finished(session, device, perf_counter() - began)
    yield from judge_and_look(session, due, watch, replace(engine, check_stop=check_stop))


def work_beside(
    session: Session,
    formula: bool,
    recognises: bool,
    due: Hashable | None,
    watch: Observer | None,
    engine: Engine,
    check_stop: Callable[[], None],
) -> Iterator[Typeset | Recognised | Judging | Verdicts | Looking | Seen]:
    """Do the work other than pictures: typeset the formula (the first call imports the typesetter), recognise it, judge and
    observe."""
    if formula:
        yield Typeset(session.encoding, typeset(session.encoding.own_equations))
    engine = replace(engine, check_stop=check_stop)
    if recognises:
        yield Recognised(session, _what_it_is(session, engine))
    yield from judge_and_look(session, due, watch, engine)


def _what_it_is(session: Session, engine: Engine) -> str | Fault:
    try:
        _require_values(session, engine)
    except NotDefined as why:
        for _, text in why.readings:
            with suppress(ValueError):  # not defined either
                _require_values(session.changed(encoding=session.encoding.with_fields(formula=text)), engine)
                return why
        return Fault(why.sentence, why.start, why.end)
    except Undefined as why:
        return str(why)
    return recognise(session.scene.encoding, session.model, engine.check_stop)


def _require_values(session: Session, engine: Engine) -> None:
    scene = session.scene
    encoding, at = scene.encoding, samples(scene.positions[:WINDOW] or range(1), smooth=False)
    profile(scene, at if encoding.along == "position" else at - scene.start, engine)
    encoding.bias(at, at[:1], scene.model.n_heads, scene.context)


def judge_and_look(
    session: Session, due: Hashable | None, watch: Observer | None, engine: Engine
) -> Iterator[Judging | Verdicts | Looking | Seen]:
    """Compute the verdicts with the basis `due`, and the observation for a lab step."""
    if due is not None:
        yield Judging(due)
        of_other = None if session.other is None else judge(session.swapped(), engine)
        yield Verdicts(due, judge(session, engine), of_other)
        memory.give_back_holes()  # here, since verdicts come at rest: it would slow a drag
    if watch is not None:
        yield Looking()
        for observation, _device, _notice in on_any_device(lambda engine: (watch(session, engine),), engine):
            yield Seen(watch, observation)
