"""Observing a session for a step: is the goal reached, what was measured, and which feedback fits the prediction?"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import NamedTuple, ParamSpec, TypeVar

from posenc_gui import plots
from posenc_gui.attention.engine import Engine
from posenc_gui.figure.compare import compare
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panels import Lines, Series
from posenc_gui.figure.told_marks import Told, shows
from posenc_gui.foundation.errors import Undefined, describe_error
from posenc_gui.foundation.wording import format_count, format_percent, join_words, quote
from posenc_gui.labs.definition.expression_grammar import is_of_before, syntax_tree, without_before
from posenc_gui.labs.definition.expression_values import Evaluation, place_of
from posenc_gui.labs.definition.expressions import Expression, format_answer
from posenc_gui.labs.definition.lab import IS_OWN, Choice, Number, Order, Prediction, Sketch, Step, arranged
from posenc_gui.labs.definition.record import MET, OTHERWISE, Answer, Outcome, StepRecord, Transferred
from posenc_gui.labs.play.sketch import Points, distance, follows, with_sketch
from posenc_gui.labs.text.lab_markdown import placeholders, with_values
from posenc_gui.measures.base import Measurement
from posenc_gui.measures.requirements import WORDS, Requirement
from posenc_gui.session.evaluate import plot
from posenc_gui.session.session import Session

Given = ParamSpec("Given")
T = TypeVar("T")

_FARTHEST = 1e30  # largest coordinate of a sketch; larger ones, from a foreign file, can't be drawn


@dataclass(frozen=True)
class Marks:
    """What plots frame: what the step says, and the numbers that are told; of these also the expressions."""

    texts: frozenset[str] = frozenset()
    by_plot: Mapping[str, tuple[Told, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class Observation:
    """What a step observes in a session.

    reached: whether the goal holds and all that is to be visited was; False before the prediction. visited: the conditions
    to be visited that hold. outcome: what was measured, if there is a prediction. values: the values of the expressions in
    explanation and feedback, as text. doubts: the step's claims that don't hold in this session. curves: the panel on whose
    empty axes a sketch is drawn. compared: the sketch beside the measured curve. marks: what plots frame. earlier: the
    session in which the step began, or that of its result once the transfer question is answered. before: its pictures, by
    plot, for plots that keep them. transfer: the answered transfer question with its outcome. told: what is said of each of
    the goal's conditions, if the step asks for a formula.
    """

    session: Session
    reached: bool
    outcome: Outcome | None = None
    values: dict[str, str] = field(default_factory=dict)
    doubts: tuple[str, ...] = ()
    curves: Lines | None = None
    compared: Figure | None = None
    marks: Marks = field(default_factory=Marks)
    earlier: Session | None = None
    before: Mapping[str, Figure] = field(default_factory=dict)
    visited: tuple[str, ...] = ()
    transfer: Transferred | None = None
    told: tuple[str, ...] = ()


class _Asked(NamedTuple):
    """The sessions and the engine on which a prediction's expressions are evaluated."""

    session: Session
    engine: Engine
    before: Session | None


class _Found(NamedTuple):
    """The measured outcome as text, the fitting feedback, and whether the answer was right."""

    measured: Answer
    words: str
    feedback: str
    right: bool


def look(step: Step, done: StepRecord, session: Session, engine: Engine) -> Observation:
    """Observe a session for a step in its current phase: empty axes for a sketch, goal and outcome, or also the compared
    sketch: once a step is done, its numbers follow the session wherever that still reaches the goal."""
    if step.prediction and not done.committed:
        curves = _or_none(curves_of, step.prediction, session, engine) if isinstance(step.prediction, Sketch) else None
        return Observation(session, reached=False, curves=curves)
    begun = _begun_or_none(step, session)
    named = dict.fromkeys((*step.show, *step.reveal))
    earlier = _earlier_or_none(step, done, session)
    kept = _pictures([name for name in named if session_beside(name, step, done, session)], earlier, engine)
    told = tuple(_told(step.goal, session, engine, begun)) if step.asks_formula else ()
    seen = replace(observe(step, done.answer, session, engine, begun), earlier=earlier, before=kept, told=told)
    if done.done:
        if done.transfer and step.transfer:  # the plots show the case that it asks about
            marks = _marks(step, step.transfer.answer, seen, engine)
            return replace(seen, transfer=_transferred(step, done, engine), marks=marks)
        marks = _marks(step, step.explain, seen, engine)
        return replace(seen, compared=_or_none(compare_sketch, done, engine), marks=marks)
    visited = tuple(one.text for one in step.visit if one.holds(session, engine, begun))
    is_all = done.shown or {one.text for one in step.visit} <= {*done.visited, *visited}
    return replace(seen, reached=seen.reached and is_all, visited=visited)


def session_beside(plot: str, step: Step, done: StepRecord, session: Session) -> Session | None:
    """Return the earlier session, with which the current one is compared, if a plot also shows its picture; else None.

    Those plots do that the step names, and on its result all if anything but the tokens and their order has changed.
    """
    earlier = _earlier_or_none(step, done, session)
    if earlier is None or plot in step.before:
        return earlier
    same_tokens = (session.splitting, session.order) == (earlier.splitting, earlier.order)
    return earlier if done.done and same_tokens and session != earlier else None


def compare_sketch(done: StepRecord, engine: Engine) -> Figure:
    """Return a figure with the committed sketch beside the measured curve. Raises Undefined if that can't be drawn."""
    points = _points(done.answer)
    if done.outcome is None or not points:
        raise Undefined("Nothing was sketched and measured.")
    _require_near(points)
    try:
        plots.find(done.plot)
        session = Session.read(done.session).content
    except ValueError as error:  # the record may be another program's
        raise Undefined(f"The recorded sketch can't be drawn again: {describe_error(error)}") from None
    figure = plot(done.plot, session, engine)
    for place, panel in enumerate(figure.panels):
        if isinstance(panel, Lines) and done.curve < len(panel.series):
            return with_sketch(figure, place, points, done.curve)
    raise Undefined(f"The plot {done.plot} shows no such curve here.")


def observe(
    step: Step, answer: Answer | None, session: Session, engine: Engine, before: Session | None = None
) -> Observation:
    """Check whether a session reaches a step's goal and, if so, measure the outcome and all values in its texts.

    before: the session in which the step began, needed if the goal or the texts refer to it.
    """
    if not all(condition.holds(session, engine, before) for condition in step.goal):
        return Observation(session, reached=False)
    outcome = None
    if step.prediction and answer is not None:
        outcome = outcome_of(step.prediction, answer, session, engine, before)
    markdown = (step.explain, *step.feedback.values())
    asked = dict.fromkeys(text for words in markdown for text in placeholders(words))
    values = {text: _value(Expression(text), session, engine, before) for text in asked}
    doubts = tuple(claim.text for claim in step.claims if not claim.holds(session, engine, before))
    return Observation(session, True, outcome, values, doubts)


def _told(goal: Iterable[Expression], session: Session, engine: Engine, before: Session | None) -> Iterator[str]:
    """Say of each of a goal's conditions whether it holds, and what was found: “○ Bounded: not met, 16 times as large …”."""
    for one in (part for condition in goal for part in condition.parts):
        holds = one.holds(session, engine, before)
        if holds and one == IS_OWN:
            continue
        found = with_values(
            one.called, {text: _value(Expression(text), session, engine, before) for text in placeholders(one.called)}
        )
        yield f"{MET if holds else OTHERWISE} {found or _found_by_measure(one, session, engine) or one.text}"


def _found_by_measure(condition: Expression, session: Session, engine: Engine) -> str:
    """Return what the first measurement in a condition says; empty if there is none."""
    for node in ast.walk(syntax_tree(condition.text)):
        if isinstance(node, ast.Attribute):
            found = _or_none(Evaluation(session, engine, None).answer, node.value)
            if isinstance(found, Requirement):
                return f"{found.title}: {WORDS[found.verdict]}, {found.short}"
            if isinstance(found, Measurement):
                return found.reason
    return ""


def _transferred(step: Step, done: StepRecord, engine: Engine) -> Transferred | None:
    """Measure the transfer question's outcome, once it has been answered."""
    given = done.transfer
    if step.transfer is None or given is None or given.outcome:
        return given
    try:
        begun = Session.read(done.session).content
        session = arranged(begun, step.transfer.changes)
    except ValueError as error:  # the learner's session doesn't allow the change
        return given.with_fields(outcome=Outcome(answer=None, words=describe_error(error)))
    outcome = outcome_of(step.transfer.choice, given.answer, session, engine, begun)
    values = {text: _value(Expression(text), session, engine, begun) for text in placeholders(step.transfer.answer)}
    return given.with_fields(outcome=outcome, values=values)


def outcome_of(
    prediction: Prediction, answer: Answer, session: Session, engine: Engine, before: Session | None = None
) -> Outcome:
    """Measure a prediction's outcome and compare the answer with it; without a value, the outcome's text says why."""
    try:
        found = _found(prediction, answer, _Asked(session, engine, before))
    except Undefined as why:
        return Outcome(answer=None, words=str(why))
    if found is None:
        return Outcome(answer=None, words="")
    return Outcome(answer=found.measured, words=found.words, feedback=found.feedback, right=found.right)


def curves_of(prediction: Sketch, session: Session, engine: Engine) -> Lines:
    """Return the panel of curves on whose axes a sketch is drawn. Raises Undefined if the plot has none."""
    for panel in plot(prediction.plot, session, engine).panels:
        if isinstance(panel, Lines):
            return panel.in_sight()
    raise Undefined(f"The plot {prediction.plot} shows no curves here.")


def as_number(question: Expression, session: Session, engine: Engine, before: Session | None = None) -> float:
    """Return an expression's value as a number. Raises Undefined if it has none."""
    found = question.answer(session, engine, before)
    if isinstance(found, bool) or not isinstance(found, int | float):
        raise Undefined(f"{quote(question.text)} is not a number here: {format_answer(found)}.")
    return float(found)


def _found(prediction: Prediction, answer: Answer, asked: _Asked) -> _Found | None:
    match prediction:
        case Choice():
            outcome = _chosen(prediction, asked)
            return _Found(outcome, prediction.options[outcome], str(answer), answer == outcome)
        case Number():
            return _number(prediction, answer, asked)
        case Order():
            return _order(prediction, answer, asked)
        case Sketch():
            return _sketch(prediction, answer, asked)
        case _:
            return None


def _chosen(prediction: Choice, asked: _Asked) -> str:
    holding = [name for name, condition in prediction.when.items() if condition.holds(*asked)]
    if len(holding) != 1:
        fitting = "none of the answers fits" if not holding else f"{join_words(holding)} fit at once"
        raise Undefined(f"In this session {fitting} what was measured.")
    return holding[0]


def _number(prediction: Number, answer: Answer, asked: _Asked) -> _Found:
    if not isinstance(answer, float | int):
        raise Undefined("The prediction is not a number.")
    value = as_number(prediction.value, *asked)
    right = abs(answer - value) <= prediction.tolerance
    feedback = "right" if right else "wrong"
    if not right:
        others = {name: _or_none(as_number, question, *asked) for name, question in prediction.near.items()}
        away = {name: abs(answer - other) for name, other in others.items() if other is not None}
        near = [name for name in away if away[name] <= prediction.tolerance]
        feedback = min(near, key=lambda name: away[name], default=feedback)
    return _Found(value, format_answer(value), feedback, right)


def _order(prediction: Order, answer: Answer, asked: _Asked) -> _Found:
    values = {name: as_number(question, *asked) for name, question in prediction.values.items()}
    order = tuple(sorted(values, key=lambda name: values[name]))
    given = [values.get(str(name)) for name in answer] if isinstance(answer, tuple) else []
    right = given == sorted(values.values())  # items of equal value may be in either order
    backwards = given == sorted(values.values(), reverse=True)
    words = ", ".join(f"{prediction.items[name]} ({format_answer(values[name])})" for name in order)
    return _Found(order, words, "right" if right else "reversed" if backwards else "wrong", right)


def _sketch(prediction: Sketch, answer: Answer, asked: _Asked) -> _Found:
    lines = curves_of(prediction, asked.session, asked.engine)
    if not _points(answer):
        raise Undefined("Nothing was drawn.")
    _require_near(_points(answer))
    if max(prediction.curve, *prediction.near.values(), 0) >= len(lines.series):
        raise Undefined(f"The plot {prediction.plot} shows only {format_count(len(lines.series), 'curve')}.")

    def away(series: Series) -> float:
        return distance(_points(answer), series, lines.low, lines.high, lines.log)

    wanted = lines.series[prediction.curve]
    candidates = {name: away(lines.series[index]) for name, index in prediction.near.items()}
    error = away(wanted)
    nearest = min(candidates, key=lambda name: candidates[name], default="")
    is_another = bool(nearest) and candidates[nearest] < error
    resembles = is_another and candidates[nearest] <= 2 * prediction.tolerance  # else it shows no misconception
    right = error <= prediction.tolerance and not is_another and follows(_points(answer), wanted, lines.log)
    feedback = "right" if right else nearest if resembles else "wrong"
    curve = tuple((float(x), float(y)) for x, y in zip(wanted.x, wanted.y, strict=True))
    apart = f"about {format_percent(error)} of the plot's height apart"
    words = f"Your curve and {quote(wanted.label or lines.quantity)} are {apart}."
    return _Found(curve, words, feedback, right)


def _require_near(points: Points) -> None:
    if max(abs(part) for point in points for part in point) > _FARTHEST:
        raise Undefined("The sketch leaves the plot.")


def _points(answer: Answer | None) -> Points:
    return tuple(point for point in answer if isinstance(point, tuple)) if isinstance(answer, tuple) else ()


def _or_none(find: Callable[Given, T], *given: Given.args, **named: Given.kwargs) -> T | None:
    """Return what a function finds; None where that is undefined."""
    with suppress(Undefined):
        return find(*given, **named)
    return None


def _begun_or_none(step: Step, session: Session) -> Session | None:
    try:
        return step.begun(session)
    except ValueError:  # the learner's own sentence doesn't fit the step's settings
        return None


def _earlier_or_none(step: Step, done: StepRecord, session: Session) -> Session | None:
    """Return the session in which the step began or, once the transfer question is answered, that of its result."""
    if done.transfer is None:
        return _begun_or_none(step, session)
    try:
        return Session.read(done.session).content
    except ValueError:  # the record may be another program's
        return None


def _marks(step: Step, told_in: str, seen: Observation, engine: Engine) -> Marks:
    """Return what the step frames, and the numbers of a text that a plot shows, now or in its picture from before."""
    figures = {name: plot(name, seen.session, engine) for name in dict.fromkeys((*step.show, *step.reveal))}
    drawn = figures | {
        name: compare((before, figures[name]), ("Before", "Now"), over_time=True)
        for name, before in seen.before.items()
    }
    spoken_of = [("", Told(tuple(step.frame.items())))] if step.frame else []
    for text in placeholders(told_in):
        tree = syntax_tree(text)
        is_earlier = is_of_before(tree)
        now, session = (ast.unparse(without_before(tree)), seen.earlier) if is_earlier else (text, seen.session)
        if session is None:
            continue
        number = _or_none(as_number, Expression(now), session, engine)
        if number is not None and (place := place_of(now, session, engine)):
            spoken_of.append((text, Told(place, number, before=is_earlier)))
    found: dict[str, tuple[Told, ...]] = {}
    texts = set()
    for text, told in spoken_of:
        for name in seen.before if told.before else drawn:
            if shows(drawn[name], told):
                found[name] = (*found.get(name, ()), told)
                texts.add(text)
    return Marks(frozenset(texts), found)


def _pictures(names: Iterable[str], session: Session | None, engine: Engine) -> dict[str, Figure]:
    """Return a session's pictures by plot, without those that show nothing."""
    found = {name: plot(name, session, engine) for name in names} if session else {}
    return {name: figure for name, figure in found.items() if not figure.is_note}


def _value(question: Expression, session: Session, engine: Engine, before: Session | None) -> str:
    try:
        return question.told(question.answer(session, engine, before))
    except Undefined as why:
        return f"(no value: {why})"
