"""Checking a lab: what it promises is tried, step by step, before a learner does."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from posenc_gui.attention.engine import Engine
from posenc_gui.foundation.errors import Undefined, sentence
from posenc_gui.labs.authoring.alternatives import choices, told
from posenc_gui.labs.authoring.duration import LONGEST, OFF, minutes
from posenc_gui.labs.definition import parse as read
from posenc_gui.labs.definition.expressions import Question
from posenc_gui.labs.definition.lab import MOST_WORDS, Choice, Lab, Number, Order, Sketch, Step
from posenc_gui.labs.definition.lab_library import LESSON
from posenc_gui.labs.definition.parse import Problem
from posenc_gui.labs.play.observe import as_number, curves_of
from posenc_gui.labs.text.lab_markdown import n_words, placeholders
from posenc_gui.session.evaluate import plot
from posenc_gui.session.first_session import first_session
from posenc_gui.session.session import Session


def check_file(path: Path) -> tuple[Lab | None, list[Problem]]:
    """The lab in a file, if it can be used at all, and every problem. Raises OSError where it can't be read."""
    try:
        lab = read.load(path)
    except read.Refused as refused:
        return None, list(refused.problems)
    return lab, check(lab)


def check(lab: Lab, engine: Engine | None = None) -> list[Problem]:
    """Play a lab by its own solutions and say where it doesn't do as it promises."""
    engine = engine or Engine()
    problems = list(_of_minutes(lab))
    session = first_session()
    for step in lab.steps:
        problems += _of_words(step)
        line = step.lines["session"]
        try:
            begun = step.begun(session)
            line = step.lines["solve"]
            session = step.solved(begun)
        except ValueError as error:
            problems.append(Problem(line, sentence(error)))
            continue
        problems += _of_window(step, begun, session, engine)
        problems += _of_goal(step, begun, session, engine)
        problems += _of_claims(step, session, engine, begun)
        problems += _of_prediction(step, session, engine, begun)
        problems += _of_axes(step, begun, engine)
        problems += _of_choices(step, session, engine, begun)
    return sorted(problems)


def _of_minutes(lab: Lab) -> Iterator[Problem]:
    """A lab takes no longer than it says, and no longer than one sits still; a lesson is planned with its talks."""
    takes = minutes(lab)
    line = lab.steps[0].lines[""]
    if lab.name == LESSON:
        return
    if takes > LONGEST:
        yield Problem(line, f"read and done, the lab takes about {takes} minutes: cut it, or split it, to {LONGEST}")
    elif takes > lab.minutes + OFF:
        yield Problem(line, f"the lab says {lab.minutes} minutes; read and done, it takes about {takes}")


def _of_words(step: Step) -> Iterator[Problem]:
    if (count := n_words(step.text)) > MOST_WORDS:
        yield Problem(step.lines[""], f"the step's text has {count} words; more than {MOST_WORDS} are not read")
    if step.goal and not step.act:
        yield Problem(step.lines[""], "a step with a goal says what to do: add ### Act")
    if step.goal and not step.hints:
        yield Problem(step.lines[""], "a step with a goal needs a hint: ### Hint")
    if (step.goal or step.prediction) and not step.explain:
        yield Problem(step.lines[""], "the step explains nothing: add ### Explain")
    if step.reveal and step.prediction is None:
        yield Problem(step.lines["block"], f"nothing uncovers {', '.join(step.reveal)}: the step has no prediction")
    if len(step.show) + len(step.reveal) == 0:
        yield Problem(step.lines["block"], 'the step shows no plot: add show = ["attention"] or another')


def _of_window(step: Step, begun: Session, solved: Session, engine: Engine) -> Iterator[Problem]:
    """What a learner could not do, or would not see, in the window."""
    # A text that becomes longer may have its last word in focus all along.
    longest = max(begun.n_tokens, solved.n_tokens)
    for name, session in (("focus", begun), ("solve", solved)):
        if session.focus >= longest > 0:
            yield Problem(
                step.lines[name],
                f"the focus {session.focus} lies past the sentence, whose positions are 0 to {longest - 1}",
            )
    for panel in step.needs:
        if panel not in step.controls:
            why = "locks it" if panel in step.lock else "doesn't show it"
            yield Problem(step.lines["solve"], f"the goal needs the panel {panel}, but the step {why}")
    for name in step.played:
        if name not in (*step.show, *step.reveal):
            yield Problem(step.lines["solve"], f"the goal needs the plot {name}, but the step doesn't show it")
    for name in (*step.show, *step.reveal):
        if (figure := plot(name, solved, engine)).is_note:
            yield Problem(
                step.lines["block"], f"the plot {name} is empty once the goal is reached: {figure.description}"
            )


def _of_choices(step: Step, solved: Session, engine: Engine, begun: Session) -> Iterator[Problem]:
    """What the words promise must hold for whatever else reaches the goal: each fault is told once, with its first case."""
    faults: dict[tuple[int, str], str] = {}
    for session in choices(step, solved, engine, begun) if step.goal else ():
        for problem in (*_of_claims(step, session, engine, begun), *_of_prediction(step, session, engine, begun)):
            faults.setdefault((problem.line, problem.message), told(solved, session))
    for (line, message), case in faults.items():
        yield Problem(line, f"{case}, which reaches the goal too, {message}")


def _of_goal(step: Step, begun: Session, solved: Session, engine: Engine) -> Iterator[Problem]:
    if not step.goal:
        return
    line = step.lines["goal"]
    if all(condition.holds(begun, engine, begun) for condition in step.goal):
        yield Problem(line, "the goal is reached before the learner has done anything")
    for condition in step.goal:
        try:
            if condition.answer(solved, engine, begun) is not True:
                yield Problem(line, f"solve doesn't reach the goal: {condition.text} is false")
        except Undefined as why:
            yield Problem(line, f"solve doesn't reach the goal: {condition.text}: {why}")


def _of_claims(step: Step, solved: Session, engine: Engine, begun: Session) -> Iterator[Problem]:
    for claim in step.claims:
        try:
            if claim.answer(solved, engine, begun) is not True:
                yield Problem(step.lines["claims"], f"the claim {claim.text} is false")
        except Undefined as why:
            yield Problem(step.lines["claims"], f"the claim {claim.text} can't be measured: {why}")
    for name, markdown in {"explain": step.explain, **{f"feedback {k}": v for k, v in step.feedback.items()}}.items():
        for asked in placeholders(markdown):
            yield from _unanswered(Question(asked), step.lines.get(name, step.lines[""]), solved, engine, begun)


def _of_prediction(step: Step, solved: Session, engine: Engine, begun: Session) -> Iterator[Problem]:
    line = step.lines["prediction"]
    match step.prediction:
        case Choice(when=when):
            holding = [name for name, condition in when.items() if condition.holds(solved, engine, begun)]
            if len(holding) != 1:
                yield Problem(line, f"one option must be the outcome once the goal is reached, not {len(holding)}")
        case Number(value=value, near=near):
            yield from _no_numbers((value, *near.values()), line, solved, engine, begun)
        case Order(values=values):
            yield from _no_numbers(values.values(), line, solved, engine, begun)
        case Sketch(curve=curve, near=near) as sketch:
            try:
                count = len(curves_of(sketch, solved, engine).series)
            except Undefined as why:
                yield Problem(line, str(why))
                return
            for index in (curve, *near.values()):
                if index >= count:
                    yield Problem(line, f"the plot {sketch.plot} shows {count} curves: 0 to {count - 1}, not {index}")


def _of_axes(step: Step, begun: Session, engine: Engine) -> Iterator[Problem]:
    """A sketch is drawn over the plot's axes as the step begins."""
    if isinstance(step.prediction, Sketch):
        try:
            curves_of(step.prediction, begun, engine)
        except Undefined:
            yield Problem(
                step.lines["prediction"],
                f"the plot {step.prediction.plot} shows no curves when the step begins: there are no axes to sketch over",
            )


def _no_numbers(
    asked: Iterable[Question], line: int, session: Session, engine: Engine, begun: Session
) -> Iterator[Problem]:
    for question in asked:
        try:
            as_number(question, session, engine, begun)
        except Undefined as why:
            yield Problem(line, f"{question.text} has no value once the goal is reached: {why}")


def _unanswered(question: Question, line: int, session: Session, engine: Engine, begun: Session) -> Iterator[Problem]:
    try:
        question.answer(session, engine, begun)
    except Undefined as why:
        yield Problem(line, f"{question.text} has no value once the goal is reached: {why}")
