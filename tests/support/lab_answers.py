"""What there is to answer in a lab's step: what will be measured, and every other way of thinking that it has words for."""

from __future__ import annotations

import numpy as np

import posenc_gui as pe
from posenc_gui.attention.engine import Engine
from posenc_gui.figure.panels import Lines
from posenc_gui.labs.definition.expressions import Expression
from posenc_gui.labs.definition.lab import Choice, Number, Order, Sketch, Step
from posenc_gui.labs.definition.record import Answer
from posenc_gui.labs.play.observe import curves_of, outcome_of
from posenc_gui.session.session import Session

ENGINE = Engine()  # what one test has evaluated, the next one in this process needn't


def right_answer(step: Step, begun: Session) -> Answer:
    """What will be measured once the step's own solution is done."""
    prediction, solved = step.prediction, step.solved(begun)
    if isinstance(prediction, Sketch):
        return points(curves_of(prediction, solved, ENGINE), prediction.curve)
    if isinstance(prediction, Choice | Number | Order):
        return outcome_of(prediction, 0.0 if isinstance(prediction, Number) else (), solved, ENGINE, begun).answer
    return "Weights are all it has."


def wrong_answers(step: Step, begun: Session) -> dict[str, Answer]:
    """Every other answer that the lab has words for, by the feedback that fits; and one that is nothing of the kind."""
    prediction, solved, right = step.prediction, step.solved(begun), right_answer(step, begun)
    match prediction:
        case Choice():
            return {name: name for name in prediction.options if name != right}
        case Number():
            near = {name: float(question.answer(solved, ENGINE, begun)) for name, question in prediction.near.items()}
            wrong = 3 * max(abs(right), prediction.tolerance, *map(abs, near.values())) + 1
            if prediction.within:
                taken = (right, *near.values())
                places = np.linspace(*prediction.within, 41).tolist()
                wrong = next(one for one in places if min(abs(one - it) for it in taken) > prediction.tolerance)
            return {**near, "wrong": wrong}
        case Order():
            first, second, *rest = right
            return {"reversed": right[::-1], "wrong": (second, first, *rest)}
        case Sketch():
            lines = curves_of(prediction, solved, ENGINE)
            near = {name: points(lines, index) for name, index in prediction.near.items()}
            lift = 0.3 * (lines.high - lines.low)
            lifted = [(x, min(y + lift, lines.high)) for x, y in points(lines, prediction.curve)]
            return {**near, "wrong": tuple(lifted)}
        case _:
            return {}


def points(lines: Lines, index: int) -> tuple[tuple[float, float], ...]:
    """Some points of a curve."""
    series = lines.series[index]
    x = np.linspace(series.x[0], series.x[-1], 60)
    return tuple(zip(x.tolist(), np.interp(x, series.x, series.y).tolist(), strict=True))


def visited(condition: Expression, session: Session) -> Session:
    """The session with the first encoding under which a condition holds."""
    sessions = (session.changed(encoding=one) for one in pe.encodings())
    return next(session for session in sessions if condition.holds(session, ENGINE))
