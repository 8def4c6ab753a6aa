"""What a step's session shows: whether the goal is reached, what came out, and which words fit the prediction."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from posenc_gui import plots
from posenc_gui.attention.engine import Engine
from posenc_gui.figure.figure import Figure, Lines, Series
from posenc_gui.foundation.errors import Undefined, sentence
from posenc_gui.labs.definition.expressions import Question, in_words
from posenc_gui.labs.definition.lab import Choice, Number, Order, Prediction, Sketch, Step
from posenc_gui.labs.definition.record import Answer, Outcome, StepRecord
from posenc_gui.labs.play.sketch import Points, distance, with_sketch
from posenc_gui.labs.text.lab_markdown import placeholders
from posenc_gui.measures.base import percent
from posenc_gui.session.evaluate import plot
from posenc_gui.session.session import Session

# A sketch is right within this root mean square distance, in parts of the axis: a hand, not a ruler, drew it.
SKETCH_TOLERANCE = 0.15
_FARTHEST = 1e30  # that a sketch goes: what is farther, from a strange file, can't be drawn


@dataclass(frozen=True)
class Observation:
    """A session seen by a step.

    reached: whether the goal holds. outcome: what was measured, where there is a prediction. values: what the questions
    in the explanation and the feedback gave, in words. doubts: the step's claims that don't hold in this session.
    curves: the panel over whose empty axes a sketch is drawn. compared: the sketch beside what was measured. before: the
    pictures with which the step began, by plot, of those that keep them.
    """

    session: Session
    reached: bool
    outcome: Outcome | None = None
    values: dict[str, str] = field(default_factory=dict)
    doubts: tuple[str, ...] = ()
    curves: Lines | None = None
    compared: Figure | None = None
    before: Mapping[str, Figure] = field(default_factory=dict)


class _Asked(NamedTuple):
    """Of what a prediction's questions are asked."""

    session: Session
    engine: Engine
    before: Session | None


class _Found(NamedTuple):
    """What was measured, in words, the feedback that fits the learner's answer, and whether that was right."""

    measured: Answer
    words: str
    feedback: str
    right: bool


def look(step: Step, done: StepRecord, session: Session, engine: Engine) -> Observation:
    """What there is to see for a step as far as it has come: empty axes, the goal and the outcome, or what was drawn."""
    if step.prediction and not done.committed:
        curves = _curves_or_none(step.prediction, session, engine) if isinstance(step.prediction, Sketch) else None
        return Observation(session, reached=False, curves=curves)
    before = _begun_or_none(step, session)
    kept = _pictures(step.before, before, engine)
    if done.done:
        return Observation(session, reached=False, compared=_compared_or_none(done, engine), before=kept)
    return replace(observe(step, done.answer, session, engine, before), before=kept)


def compared(done: StepRecord, engine: Engine) -> Figure:
    """The sketch that was committed beside the curve that was measured. Raises Undefined where that can't be drawn."""
    points = _points(done.answer)
    if done.outcome is None or not points:
        raise Undefined("Nothing was sketched and measured.")
    if max(abs(part) for point in points for part in point) > _FARTHEST:
        raise Undefined("The sketch leaves the plot.")
    try:
        plots.find(done.plot)
        session = Session.read(done.session).content
    except ValueError as error:  # a record may come from elsewhere
        raise Undefined(f"What was recorded can't be drawn again: {sentence(error)}") from None
    figure = plot(done.plot, session, engine)
    for place, panel in enumerate(figure.panels):
        if isinstance(panel, Lines) and done.curve < len(panel.series):
            return with_sketch(figure, place, points, done.curve)
    raise Undefined(f"The plot {done.plot} shows no such curve here.")


def observe(
    step: Step, answer: Answer | None, session: Session, engine: Engine, before: Session | None = None
) -> Observation:
    """See whether a session reaches a step's goal and, if so, measure the outcome and all that its words name.

    before: the session with which the step began, where the goal or the words ask for it.
    """
    if not all(condition.holds(session, engine, before) for condition in step.goal):
        return Observation(session, reached=False)
    outcome = None
    if step.prediction and answer is not None:
        outcome = outcome_of(step.prediction, answer, session, engine, before)
    markdown = (step.explain, *step.feedback.values())
    asked = dict.fromkeys(text for words in markdown for text in placeholders(words))
    values = {text: _value(Question(text), session, engine, before) for text in asked}
    doubts = tuple(claim.text for claim in step.claims if not claim.holds(session, engine, before))
    return Observation(session, True, outcome, values, doubts)


def outcome_of(
    prediction: Prediction, answer: Answer, session: Session, engine: Engine, before: Session | None = None
) -> Outcome:
    """What is measured for a prediction, and how the answer compares with it; where nothing is, the words say why."""
    try:
        found = _found(prediction, answer, _Asked(session, engine, before))
    except Undefined as why:
        return Outcome(answer=None, words=str(why))
    if found is None:
        return Outcome(answer=None, words="")
    return Outcome(answer=found.measured, words=found.words, feedback=found.feedback, right=found.right)


def curves_of(prediction: Sketch, session: Session, engine: Engine) -> Lines:
    """The panel of curves over which a sketch is drawn. Raises Undefined where the plot has none."""
    for panel in plot(prediction.plot, session, engine).panels:
        if isinstance(panel, Lines):
            return panel
    raise Undefined(f"The plot {prediction.plot} shows no curves here.")


def as_number(question: Question, session: Session, engine: Engine, before: Session | None = None) -> float:
    """The number that a question has as its answer. Raises Undefined where it has none."""
    found = question.answer(session, engine, before)
    if isinstance(found, bool) or not isinstance(found, int | float):
        raise Undefined(f"“{question.text}” is no number here: {in_words(found)}.")
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
        fitting = "none of the answers fits" if not holding else f"{' and '.join(holding)} fit at once"
        raise Undefined(f"In this session {fitting} what was measured.")
    return holding[0]


def _number(prediction: Number, answer: Answer, asked: _Asked) -> _Found:
    if not isinstance(answer, float | int):
        raise Undefined("The prediction is no number.")
    value = as_number(prediction.value, *asked)
    right = abs(answer - value) <= prediction.tolerance
    feedback = "right" if right else "wrong"
    if not right:
        others = {name: _number_or_none(question, asked) for name, question in prediction.near.items()}
        away = {name: abs(answer - other) for name, other in others.items() if other is not None}
        near = [name for name in away if away[name] <= prediction.tolerance]
        feedback = min(near, key=lambda name: away[name], default=feedback)
    return _Found(value, in_words(value), feedback, right)


def _order(prediction: Order, answer: Answer, asked: _Asked) -> _Found:
    values = {name: as_number(question, *asked) for name, question in prediction.values.items()}
    order = tuple(sorted(values, key=lambda name: values[name]))
    given = [values.get(str(name)) for name in answer] if isinstance(answer, tuple) else []
    right = given == sorted(values.values())  # items of one value may stand either way
    backwards = given == sorted(values.values(), reverse=True)
    words = ", ".join(f"{prediction.items[name]} ({in_words(values[name])})" for name in order)
    return _Found(order, words, "right" if right else "reversed" if backwards else "wrong", right)


def _sketch(prediction: Sketch, answer: Answer, asked: _Asked) -> _Found:
    lines = curves_of(prediction, asked.session, asked.engine)
    if not _points(answer):
        raise Undefined("Nothing was drawn.")
    if max(prediction.curve, *prediction.near.values(), 0) >= len(lines.series):
        raise Undefined(f"The plot {prediction.plot} shows only {len(lines.series)} curves.")

    def away(series: Series) -> float:
        return distance(_points(answer), series, lines.low, lines.high, lines.log)

    wanted = lines.series[prediction.curve]
    candidates = {name: away(lines.series[index]) for name, index in prediction.near.items()}
    error = away(wanted)
    nearest = min(candidates, key=lambda name: candidates[name], default="")
    is_another = bool(nearest) and candidates[nearest] < error
    resembles = is_another and candidates[nearest] <= 2 * SKETCH_TOLERANCE  # what is like nothing is no way of thinking
    right = error <= SKETCH_TOLERANCE and not is_another
    feedback = "right" if right else nearest if resembles else "wrong"
    curve = tuple((float(x), float(y)) for x, y in zip(wanted.x, wanted.y, strict=True))
    words = f"{wanted.label or lines.quantity}; your curve is {percent(error)} of the axis away from it on average"
    return _Found(curve, words, feedback, right)


def _points(answer: Answer | None) -> Points:
    return tuple(point for point in answer if isinstance(point, tuple)) if isinstance(answer, tuple) else ()


def _compared_or_none(done: StepRecord, engine: Engine) -> Figure | None:
    try:
        return compared(done, engine)
    except Undefined:
        return None


def _curves_or_none(prediction: Sketch, session: Session, engine: Engine) -> Lines | None:
    try:
        return curves_of(prediction, session, engine)
    except Undefined:
        return None


def _number_or_none(question: Question, asked: _Asked) -> float | None:
    try:
        return as_number(question, *asked)
    except Undefined:
        return None


def _begun_or_none(step: Step, session: Session) -> Session | None:
    try:
        return step.begun(session)
    except ValueError:  # the learner's own sentence can't go with what the step sets
        return None


def _pictures(names: tuple[str, ...], session: Session | None, engine: Engine) -> dict[str, Figure]:
    """The pictures of a session by plot; without those that show nothing."""
    found = {name: plot(name, session, engine) for name in names} if session else {}
    return {name: figure for name, figure in found.items() if not figure.is_note}


def _value(question: Question, session: Session, engine: Engine, before: Session | None) -> str:
    try:
        return in_words(question.answer(session, engine, before))
    except Undefined as why:
        return f"(no value: {why})"
