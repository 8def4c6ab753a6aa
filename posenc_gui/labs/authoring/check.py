"""`lab check`: plays a lab step by step and tests what it promises."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from posenc_gui import encodings
from posenc_gui.attention.engine import Engine
from posenc_gui.foundation import declared_fields
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.foundation.errors import Undefined, describe_error
from posenc_gui.foundation.wording import format_count, format_number, inner_case, join_words, quote
from posenc_gui.labs.authoring.duration import LONGEST, OFF, minutes
from posenc_gui.labs.authoring.giveaways import giveaways, outcomes_of
from posenc_gui.labs.definition import parse
from posenc_gui.labs.definition.expressions import Expression
from posenc_gui.labs.definition.lab import MOST_WORDS, REVERSED, Choice, Lab, Number, Order, Sketch, Step, arranged
from posenc_gui.labs.definition.lab_library import LESSON
from posenc_gui.labs.definition.parse import Problem, feedback_names
from posenc_gui.labs.play.observe import as_number, curves_of
from posenc_gui.labs.text.lab_markdown import n_words, placeholders, unread_formulas
from posenc_gui.scene import diff
from posenc_gui.session.evaluate import plot
from posenc_gui.session.first_session import first_session
from posenc_gui.session.session import Session
from posenc_gui.text.tokenization import twin_groups

_CARD = re.compile(r"\b(?:[Cc]ard (Sentence|Encoding|Toy model)|[Tt]he (Sentence|Encoding|Toy model) card)\b")
_ROUNDED = 0.05  # of a value: by so much at most is it rounded to one digit that a person would say
_CARDS = {"Sentence": "tokens", "Encoding": "encoding", "Toy model": "model"}
_PLACE = re.compile(r"\b(?:(?:top|bottom) (?:left|right)|tab)\b")
# Sentences as learners type them: short and long, with and without a repeated word.
_SENTENCES = (
    "She told only him",
    "A small bird sings in the old tree",
    "To be or not to be, that is the question",
    "The cat sat on the mat and the dog sat beside it",
)
_SIZES: Mapping[str, tuple[Any, ...]] = {
    "causal": (False, True),
    "n_heads": (1, 2, 4),
    "n_layers": (1, 2),
    "seed": (0, 7),
}


Ask = Callable[[Expression, Session, Engine, Session], object]  # raises Undefined where there is no answer


def check_file(path: Path, engine: Engine | None = None) -> tuple[Lab | None, list[Problem]]:
    """Return the lab in a file, if it is usable at all, and every problem. Raises OSError if the file can't be read."""
    try:
        lab = parse.load(path)
    except parse.LabRefused as refused:
        return None, list(refused.problems)
    return lab, check(lab, engine)


def check(lab: Lab, engine: Engine | None = None) -> list[Problem]:
    """Play a lab by its own solutions and report each broken promise."""
    engine = engine or Engine()
    problems = list(_of_minutes(lab))
    session = first_session()
    for step in lab.steps:
        problems += _of_words(step)
        problems += _of_formulas(step)
        problems += _of_places(step)
        line = step.lines["session"]
        try:
            begun = step.begun(session)
            line = step.lines["solve"]
            session = step.solved(begun)
        except ValueError as error:
            problems.append(Problem(line, describe_error(error)))
            continue
        problems += _of_window(step, begun, session, engine)
        problems += _of_goal(step, begun, session, engine)
        problems += _of_claims(step, session, engine, begun)
        problems += _of_prediction(step, session, engine, begun)
        problems += _of_number(step, session, engine, begun)
        problems += _of_feedback(step)
        problems += _of_transfer(step, session, engine)
        problems += _of_axes(step, begun, engine)
        problems += _of_choices(step, session, engine, begun)
    outcomes = outcomes_of(lab, engine)
    told = giveaways((*outcomes.predictions, *outcomes.transfers))
    problems += (Problem(lab.steps[0].lines[""], one) for one in told)
    return sorted(problems)


def _of_minutes(lab: Lab) -> Iterator[Problem]:
    """Check that a lab takes hardly longer than it states, and no longer than the limit. The lesson is exempt: its minutes
    include talks."""
    takes = minutes(lab)
    line = lab.steps[0].lines[""]
    if lab.name == LESSON:
        return
    if takes > LONGEST:
        yield Problem(line, f"read and done, the lab takes about {takes} minutes: cut it, or split it, to {LONGEST}")
    elif takes > lab.minutes + OFF:
        says = f"the lab says {format_count(lab.minutes, 'minute')}"
        yield Problem(line, f"{says}; read and done, it takes about {takes}")


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
        yield Problem(step.lines["block"], f"nothing uncovers {join_words(step.reveal)}: the step has no prediction")
    if len(step.show) + len(step.reveal) == 0:
        yield Problem(step.lines["block"], 'the step shows no plot: add show = ["attention"] or another')


def _of_formulas(step: Step) -> Iterator[Problem]:
    """Check that formulas can be written as plain text, for screen readers."""
    for name, markdown in _parts(step):
        line = step.lines.get(name, step.lines[""])
        for latex in unread_formulas(markdown):
            yield Problem(line, f"the formula ${latex}$ can't be read: write it otherwise")


def _of_places(step: Step) -> Iterator[Problem]:
    """Check that instructions name cards that are visible and editable, and no place: cards can be moved."""
    for name, words in _parts(step):
        if name not in ("act", "hint"):
            continue
        line = step.lines.get(name, step.lines[""])
        for card in dict.fromkeys("".join(found) for found in _CARD.findall(words)):
            if _CARDS[card] not in step.controls:
                yield Problem(line, f"the words name the card {card}, but the step doesn't show it or locks it")
        for place in dict.fromkeys(_PLACE.findall(words)):
            yield Problem(line, f"the words name a place, {quote(place)}, but cards can be moved: name the card")


def _parts(step: Step) -> Iterator[tuple[str, str]]:
    """Yield a step's texts, each with the name of the part that contains it."""
    yield from (("", step.text), ("predict", step.asks), ("act", step.act), ("explain", step.explain))
    yield from (("hint", hint) for hint in step.hints)
    yield from ((f"feedback {name}", words) for name, words in step.feedback.items())
    if step.transfer:
        yield from (("transfer", step.transfer.asks), ("answer", step.transfer.answer))


def _of_window(step: Step, begun: Session, solved: Session, engine: Engine) -> Iterator[Problem]:
    """Check that the learner can do and see in the window what the step asks."""
    # If solving makes the text longer, the focus may lie past the shorter text from the beginning.
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
            why = f"the plot {name} is empty once the goal is reached: {figure.description}"
            yield Problem(step.lines["block"], why)


def _of_choices(step: Step, solved: Session, engine: Engine, begun: Session) -> Iterator[Problem]:
    """Check claims and predictions in other sessions that reach the goal, too; report each fault once, with a case."""
    faults: dict[tuple[int, str], str] = {}
    for session in _other_solutions(step, solved, engine, begun) if step.goal else ():
        for problem in (
            *_of_claims(step, session, engine, begun),
            *_of_prediction(step, session, engine, begun),
            *_of_transfer(step, session, engine),
        ):
            faults.setdefault((problem.line, problem.message), _describe_choice(solved, session))
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
                yield Problem(line, f"solve doesn't reach the goal: {quote(condition.text)} is false")
        except Undefined as why:
            yield Problem(line, f"solve doesn't reach the goal: {quote(condition.text)}: {why}")


def _of_claims(step: Step, solved: Session, engine: Engine, begun: Session) -> Iterator[Problem]:
    for claim in step.claims:
        try:
            if claim.answer(solved, engine, begun) is not True:
                yield Problem(step.lines["claims"], f"the claim {quote(claim.text)} is false")
        except Undefined as why:
            yield Problem(step.lines["claims"], f"the claim {quote(claim.text)} can't be measured: {why}")
    for name, markdown in {"explain": step.explain, **{f"feedback {k}": v for k, v in step.feedback.items()}}.items():
        line = step.lines.get(name, step.lines[""])
        yield from _unanswered(map(Expression, placeholders(markdown)), line, (solved, engine, begun))


def _of_prediction(step: Step, solved: Session, engine: Engine, begun: Session) -> Iterator[Problem]:
    line = step.lines["prediction"]
    match step.prediction:
        case Choice(when=when):
            holding = [name for name, condition in when.items() if condition.holds(solved, engine, begun)]
            if len(holding) != 1:
                yield Problem(line, f"one option must be the outcome once the goal is reached, not {len(holding)}")
        case Number(value=value, near=near):
            yield from _unanswered((value, *near.values()), line, (solved, engine, begun), as_number)
        case Order(values=values):
            yield from _unanswered(values.values(), line, (solved, engine, begun), as_number)
        case Sketch(curve=curve, near=near) as sketch:
            try:
                count = len(curves_of(sketch, solved, engine).series)
            except Undefined as why:
                yield Problem(line, str(why))
                return
            shown = f"the plot {sketch.plot} shows {format_count(count, 'curve')}: 0 to {count - 1}"
            for index in (curve, *near.values()):
                if index >= count:
                    yield Problem(line, f"{shown}, not {index}")


def _of_number(step: Step, solved: Session, engine: Engine, begun: Session) -> Iterator[Problem]:
    """Check that a number that no person would compute to its last digit is right when rounded, as 60 is for 62.83, and that
    results of other ways of thinking aren't right themselves: their feedback would never be read."""
    asked, line = step.prediction, step.lines["prediction"]
    if not isinstance(asked, Number):
        return
    with suppress(Undefined):  # `_of_prediction` reports it
        value = as_number(asked.value, solved, engine, begun)
        is_short = float(f"{value:.2g}") == value or value.is_integer()
        if not is_short and asked.tolerance < _ROUNDED * abs(value):
            narrow = f"the right answer is {format_number(value)}, and {format_number(asked.tolerance)} is a narrow tolerance"
            least = format_number(_ROUNDED * abs(value))
            yield Problem(line, f"{narrow}: accept what a person would round to, at least {least}")
        for name, other in asked.near.items():
            if abs(as_number(other, solved, engine, begun) - value) <= asked.tolerance:
                within = f"near.{name} lies within the tolerance of the right answer"
                yield Problem(line, f"{within}, so that its feedback is never read")


def _of_feedback(step: Step) -> Iterator[Problem]:
    """Check that who is told to be right would also be told to be wrong."""
    if "right" in step.feedback and "wrong" in set(feedback_names(step.prediction)) - set(step.feedback):
        yield Problem(step.lines["feedback right"], "a wrong answer gets no feedback: add ### Feedback wrong")


def _of_transfer(step: Step, solved: Session, engine: Engine) -> Iterator[Problem]:
    """Check that the transfer question has one right answer, and that the plots show the case that it asks about."""
    if (transfer := step.transfer) is None:
        return
    line = step.lines["transfer"]
    try:
        session = arranged(solved, transfer.changes)
    except ValueError as error:
        yield Problem(line, describe_error(error))
        return
    holding = [name for name, condition in transfer.choice.when.items() if condition.holds(session, engine, solved)]
    if len(holding) != 1:
        yield Problem(line, f"one answer to the transfer question must be the outcome, not {len(holding)}")
    asked = map(Expression, placeholders(transfer.answer))
    yield from _unanswered(asked, step.lines.get("answer", line), (session, engine, solved))
    for name in (*step.show, *step.reveal):
        if (figure := plot(name, session, engine)).is_note:
            yield Problem(line, f"the plot {name} is empty in the transfer question's case: {figure.description}")


def _of_axes(step: Step, begun: Session, engine: Engine) -> Iterator[Problem]:
    """Check that the plot of a sketch has axes when the step begins."""
    if isinstance(step.prediction, Sketch):
        try:
            curves_of(step.prediction, begun, engine)
        except Undefined:
            none = f"the plot {step.prediction.plot} shows no curves when the step begins"
            yield Problem(step.lines["prediction"], f"{none}: there are no axes to sketch over")


def _unanswered(
    asked: Iterable[Expression], line: int, given: tuple[Session, Engine, Session], ask: Ask = Expression.answer
) -> Iterator[Problem]:
    for question in asked:
        try:
            ask(question, *given)
        except Undefined as why:
            yield Problem(line, f"{quote(question.text)} has no value once the goal is reached: {why}")


# --- Other sessions that also reach a goal ----------------------------------------------------------------------------


def _other_solutions(step: Step, solved: Session, engine: Engine, begun: Session) -> Iterator[Session]:
    """Yield other sessions that reach the step's goal: other encodings, extreme parameters, sentences, orders,
    sizes.

    Each differs from the solved session by one choice on a panel that the step shows and doesn't lock.
    """
    seen = {solved}
    for changes in _changes(step, solved):
        with suppress(ValueError):  # an invalid combination can't be chosen in the window either
            session = arranged(solved, changes)
            if session not in seen and all(condition.holds(session, engine, begun) for condition in step.goal):
                seen.add(session)
                yield session


def _describe_choice(solved: Session, other: Session) -> str:
    """Describe the choice by which a session differs from the solved one."""
    if other.encoding != solved.encoding:
        own = diff.between(type(other.encoding)(), other.encoding)
        with_own = ", ".join(f"{inner_case(one.title)} {one.after}" for one in own)
        return f"with {other.encoding.title}{f' ({with_own})' if own else ''}"
    if other.model != solved.model:
        before = solved.model.model_dump()
        changed = {name: value for name, value in other.model.model_dump().items() if value != before[name]}
        return f"with {', '.join(f'{name} = {value}' for name, value in changed.items())}"
    return f"with {quote(other.text)}{' in another order' if other.order else ''}"


def _changes(step: Step, solved: Session) -> Iterator[dict[str, Any]]:
    if "encoding" in step.controls:
        for name, kind in encodings.classes().items():
            yield {"encoding": name}
            for field, value in _values(kind):
                yield {"encoding": {"name": name, field: value}}
        for number, (declared, _) in solved.encoding.also_declared.items():  # that a formula names
            for end in declared_fields.bounds(declared):
                yield {"encoding": solved.encoding.with_fields(**{number: end})}
    if "tokens" in step.controls:
        for text in (solved.text, *_SENTENCES):
            yield {"text": text}
            for order in _orders(arranged(solved, {"text": text}).scene.sentence.typed):
                yield {"text": text, "order": order}
    if "model" in step.controls:
        for name, values in _SIZES.items():
            for value in values:
                yield {"model": {name: value}}


def _orders(tokens: tuple[str, ...]) -> Iterator[Any]:
    """Yield orders of the tokens: reversed, rotated by one, and with two equal tokens swapped, which reads the same."""
    yield REVERSED
    places = tuple(range(len(tokens)))
    yield (*places[1:], 0)
    if twins := twin_groups(tokens):
        one, other, *_ = twins[0]
        yield tuple({one: other, other: one}.get(place, place) for place in places)


def _values(kind: type[Frozen]) -> Iterator[tuple[str, Any]]:
    """Yield values to try for each parameter: all of a list, both ends of a range, and each member of a group."""
    schema = kind.model_json_schema()
    for name, declared in schema.get("properties", {}).items():
        if name != "name":
            for value in _of(declared, schema.get("$defs", {})):
                yield name, value


def _of(declared: Mapping[str, Any], groups: Mapping[str, Any]) -> Iterator[Any]:
    for one in (*declared.get("anyOf", ()), *declared.get("oneOf", ())):
        yield from _of(one, groups)
    if "$ref" in declared:
        own = groups[declared["$ref"].rpartition("/")[2]].get("properties", {})
        yield {name: field["default"] for name, field in own.items() if "default" in field}
    match declared.get("type"):
        case "boolean":
            yield from (False, True)
        case "null":
            yield None
        case "integer" | "number":
            yield from (declared[end] for end in ("minimum", "maximum") if end in declared)
    yield from declared.get("enum", ())
