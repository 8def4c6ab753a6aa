"""Writing labs from the window: the current session, its question and the learner's action become a step."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, NamedTuple

from posenc_gui import plots
from posenc_gui.attention.engine import Engine
from posenc_gui.foundation.errors import describe_error
from posenc_gui.foundation.unicode_text import shorten_middle
from posenc_gui.foundation.wording import quote
from posenc_gui.labs.authoring import check
from posenc_gui.labs.authoring.duration import LONGEST, OFF, minutes
from posenc_gui.labs.definition import parse
from posenc_gui.labs.definition.expressions import Expression
from posenc_gui.labs.definition.lab import REVERSED, Choice, Lab, Number, Order, Prediction, Sketch, Step, arranged
from posenc_gui.labs.text.lab_markdown import in_line
from posenc_gui.session.first_session import first_session
from posenc_gui.session.session import Session

_HEAD = """\
# {title}

{summary}

```lab
format = 1
minutes = 10
```
"""
_TITLE, _SUMMARY = "A new lab", "What does it ask? Write one sentence here."

_STEP_NUMBER = re.compile(r"""^\s*name\s*=\s*["']step-([0-9]{1,9})["']""", re.MULTILINE)
_MINUTES = re.compile(r"^(minutes\s*=\s*)\d+", re.MULTILINE)
_PART = re.compile(r"^ {0,3}(#{1,6}(\s|$)|```|~~~).*", re.MULTILINE)
_PLOT = re.compile(r"(?<=[Tt]he plot )\w+")
_SENTENCE = re.compile(r"(?<=[.?!…])\s")
_LONGEST_TITLE = 60  # characters of a title made from a text
ASKS: Mapping[str, str] = {  # questions used when the author writes none
    "choice": "What do you expect?",
    "number": "Which number do you expect?",
    "order": "Put them in order, the smallest first.",
    "sketch": "Sketch what you expect.",
    "text": "Say it in your own words.",
}
_WHOLE = (("encoding",), ("other",))  # fields that are always replaced as a whole


@dataclass(frozen=True)
class StepDraft:
    """A step as its author has written it so far. What is empty is left out, so that no learner reads a placeholder.

    begun: the session in which the step begins; done: the one after the learner's action, if it was recorded. shown:
    the open plots; `covers` hides them until the prediction, and `keeps` shows their first picture beside the new one.
    goal: conditions that the action must meet. claims: conditions that the explanation states. feedback: texts by answer,
    under the names that the prediction's kind uses. Either title or text can stand for both.
    """

    begun: Session
    shown: tuple[str, ...]
    title: str = ""
    text: str = ""
    asks: str = ""
    prediction: Prediction | None = None
    covers: bool = False
    done: Session | None = None
    goal: tuple[Expression, ...] = ()
    act: str = ""
    hint: str = ""
    keeps: bool = False
    explain: str = ""
    claims: tuple[Expression, ...] = ()
    feedback: Mapping[str, str] = field(default_factory=dict)

    @property
    def step(self) -> Step:
        """The step, without a name."""
        covered = self.shown if self.covers and self.prediction else ()
        asked = Step(
            name="",
            title=self.title or _beginning(self.text) or "What do you see?",
            text=self.text or self.title or "What do you see?",
            start=_changes(first_session(), self.begun),
            show=() if covered else self.shown,
            reveal=covered,
            asks=(self.asks or ASKS[self.prediction.kind]) if self.prediction else "",
            prediction=self.prediction,
            claims=self.claims,
            explain=self.explain,
            feedback=self.feedback if self.prediction else {},
        )
        if self.done is None:
            return asked
        doing = replace(asked, solve=_solved(self.begun, self.done), goal=self.goal)
        return replace(
            doing,
            panels=doing.needs or Step.panels,
            lock=() if doing.needs else Step.panels,  # what was never changed has no part in the goal
            before=self.shown if self.keeps else (),
            act=self.act or "Do in the window what the question asks.",
            hints=(self.hint,) if self.hint else (),
        ).whole


class Fault(NamedTuple):
    """A part of a step, as `parse.part_at` names it, and what is wrong there, in a sentence."""

    part: str
    message: str


def with_step(
    content: str, draft: StepDraft, title: str = "", summary: str = "", lab: Lab | None = None, at: int | None = None
) -> str:
    """Return a lab file's text with one more step, under a new name; if the text is empty, begin a lab with this title.

    at: which step of `lab`, the file as it was read, the new one replaces; None if it goes to the end. Raises ValueError for
    a text that contains a heading or fence that would end its part of the file.
    """
    if misplaced := next(_written_elsewhere(draft), None):
        raise ValueError(misplaced.message)
    content = (
        content.rstrip("\n") + "\n"
        if content.strip()
        else _HEAD.format(title=title or _TITLE, summary=summary or _SUMMARY)
    )
    number = 1 + max(map(int, _STEP_NUMBER.findall(content)), default=0)
    # Under a name that none of its versions had, so that no answer to an old one is found.
    written = _written(replace(draft.step, name=f"step-{number}"))
    if lab is None or at is None:
        return f"{content}\n{written}"
    head, steps = _parts(content, lab)
    return "\n".join((head, *steps[:at], written, *steps[at + 1 :]))


def rearranged(content: str, lab: Lab, order: Sequence[int]) -> str:
    """Return a lab file's text with these of its steps alone, in this order. lab: the file as it was read."""
    head, steps = _parts(content, lab)
    return "\n".join((head, *(steps[at] for at in order)))


def _parts(content: str, lab: Lab) -> tuple[str, list[str]]:
    """Split a lab file's text before each step; each part ends with one line end."""
    lines = content.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    starts = [0, *(step.lines[""] - 1 for step in lab.steps), len(lines)]
    head, *steps = ("\n".join(lines[start:end]).rstrip("\n") + "\n" for start, end in pairwise(starts))
    return head, steps


def faults(draft: StepDraft, engine: Engine) -> tuple[Fault, ...]:
    """Return what `lab check` would refuse in a draft; empty if a lab file can hold it and it keeps its promises."""
    if misplaced := tuple(_written_elsewhere(draft)):
        return misplaced
    content = with_step("", draft)
    try:
        lab = parse.read(content, "draft")
        require_same(lab.steps[-1], draft)
    except parse.LabRefused as refused:
        problems: Sequence[parse.Problem] = refused.problems
    except ValueError as error:
        return (Fault("", describe_error(error)),)
    else:
        problems = check.check(lab, engine)
    return tuple(Fault(parse.part_at(content, one.line), _PLOT.sub(_titled, one.message)) for one in problems)


def _titled(found: re.Match[str]) -> str:
    """Replace a plot's name in a file's message by its title, as the window shows it."""
    return plots.plots()[found[0]].title if found[0] in plots.names() else found[0]


def _written_elsewhere(draft: StepDraft) -> Iterator[Fault]:
    """Yield the parts whose text would end them early, by a heading or a fence."""
    step = draft.step
    feedback = {f"feedback {name}": words for name, words in step.feedback.items()}
    parts = {
        "": step.text,
        "predict": step.asks,
        "act": step.act,
        "hint": "\n".join(step.hints),
        "explain": step.explain,
    }
    for part, words in (parts | feedback).items():
        if found := _PART.search(words):
            told = f"{quote(found[0].strip())}: a line that begins with # or ``` begins a part of the file."
            yield Fault(part, told)


def place_of(lab: Lab, written: Step) -> int | None:
    """Return which step of a lab is this one, nameless as a draft's, the last of equal ones; None if there is none any more."""
    return max((at for at, step in enumerate(lab.steps) if _nameless(step) == written), default=None)


def alone(step: Step) -> str:
    """Return the text of a lab with this step alone, which `read_alone` reads."""
    return f"{_HEAD.format(title=_TITLE, summary=_SUMMARY)}\n{_written(replace(step, name='step-1'))}"


def read_alone(content: str) -> Step:
    """Return the step of a lab that has only one, nameless as a draft's. Raises ValueError."""
    return _nameless(parse.read(content, "step").steps[-1])


def _nameless(step: Step) -> Step:
    return replace(step, name="", lines={})


def require_same(step: Step, draft: StepDraft) -> None:
    """Raise ValueError if the step, when read back, differs from the draft: its text may contain lab-file syntax."""
    if _nameless(step) != draft.step:
        raise ValueError("some of the words have another meaning in a lab's file, as a line that begins with “- a: ”.")
    begun = step.begun(first_session())
    if begun != draft.begun:
        raise ValueError("a lab file can't describe the current session.")
    if draft.done and step.solved(begun) != draft.done:
        raise ValueError("a lab file can't describe this change: a field was reset to automatic or removed.")


def with_minutes(content: str, lab: Lab) -> str:
    """Return a lab file's text with the estimated duration if that exceeds the stated one by more than the tolerance.

    Raises ValueError if the lab takes longer than any lab may.
    """
    takes = minutes(lab)
    if takes > LONGEST:
        raise ValueError(f"the lab would take about {takes} minutes, more than {LONGEST}: begin another lab.")
    return _MINUTES.sub(rf"\g<1>{takes}", content, count=1) if takes > lab.minutes + OFF else content


def _written(step: Step) -> str:
    """Return a step as lab-file text."""
    fields = "".join(f"{name} = {_toml(value)}\n" for name, value in _declared(step))
    parts = [f"## {step.title}\n\n{step.text}\n\n```step\n{fields}```\n"]
    if step.prediction:
        answers = "".join(f"- {name}: {words}\n" for name, words in _answers(step.prediction).items())
        parts.append(f"\n### Predict\n\n{step.asks}\n{answers and chr(10) + answers}")
    told = (
        ("Act", step.act),
        *(("Hint", hint) for hint in step.hints),
        ("Explain", step.explain),
        *((f"Feedback {name}", words) for name, words in step.feedback.items()),
    )
    return "".join((*parts, *(f"\n### {name}\n\n{words}\n" for name, words in told if words)))


def _declared(step: Step) -> Iterator[tuple[str, Any]]:
    """Yield the fields of a step's TOML block."""
    yield "name", step.name
    yield from _flat("session", step.start)
    for name in ("show", "reveal", "before"):
        if named := getattr(step, name):
            yield name, list(named)
    if step.panels != Step.panels:
        yield "panels", list(step.panels)
    if step.lock:
        yield "lock", list(step.lock)
    for name, conditions in (("goal", step.goal), ("claims", step.claims)):
        if conditions:
            yield name, [condition.text for condition in conditions]
    yield from _flat("solve", step.solve)
    if step.prediction:
        yield "prediction.kind", step.prediction.kind
    match step.prediction:
        case Choice(when=when):
            yield from _asked("prediction.when", when)
        case Number(value=value, tolerance=tolerance, near=near):
            yield "prediction.value", value.text
            yield "prediction.tolerance", tolerance
            yield from _asked("prediction.near", near)
        case Order(values=values):
            yield from _asked("prediction.items", values)
        case Sketch(plot=plot, curve=curve, tolerance=tolerance, near=others):
            yield "prediction.plot", plot
            yield "prediction.curve", curve
            yield "prediction.tolerance", tolerance
            yield from ((f"prediction.near.{name}", index) for name, index in others.items())


def _asked(name: str, questions: Mapping[str, Expression]) -> Iterator[tuple[str, Any]]:
    return ((f"{name}.{answer}", question.text) for answer, question in questions.items())


def _beginning(text: str) -> str:
    """Return a text's first sentence as a title, shortened if necessary."""
    return shorten_middle(_SENTENCE.split(in_line(text), maxsplit=1)[0].rstrip("."), _LONGEST_TITLE)


def _answers(prediction: Prediction) -> Mapping[str, str]:
    match prediction:
        case Choice(options=answers) | Order(items=answers):
            return answers
        case _:
            return {}


def _flat(root: str, value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
    """Yield the dotted names and values of a session's fields; encodings are not split, since they are replaced as a whole."""
    if isinstance(value, Mapping) and path not in _WHOLE:
        for name, own in value.items():
            yield from _flat(root, own, (*path, name))
    else:
        yield ".".join((root, *path)), value


def _solved(before: Session, after: Session) -> dict[str, Any]:
    """Return the fields that lead from one session to another; a reversal is "reversed", which fits any sentence."""
    found = _changes(before, after)
    if "order" in found:
        others = {name: value for name, value in found.items() if name not in ("order", "focus", "key")}
        with suppress(ValueError):
            if arranged(before, turned := {**others, "order": REVERSED}) == after:
                return turned
    return found


def _changes(before: Session, after: Session) -> dict[str, Any]:
    """Return the fields in which two sessions differ, as nested tables, omitting None, which TOML can't express.

    A lab is for others, so the path of a model's folder isn't among them.
    """
    found: dict[str, Any] = {}
    base, now = (one.for_others.model_dump(mode="json") for one in (before, after))
    for path, value in _differences(base, now, ()):
        inner = found
        for name in path[:-1]:
            inner = inner.setdefault(name, {})
        inner[path[-1]] = _without_none(value)
    return found


def _differences(base: Any, value: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield the paths and new values of the fields that differ; a changed encoding is given with all its parameters, since
    another encoding has others, and so is a model of another kind."""
    for name, own in value.items():
        before = base.get(name)
        if own == before or own is None:
            continue
        is_same_kind = isinstance(own, dict) and isinstance(before, dict) and own.get("kind") == before.get("kind")
        if is_same_kind and (*path, name) not in _WHOLE:
            yield from _differences(before, own, (*path, name))
        else:
            yield (*path, name), own


def _without_none(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without_none(own) for name, own in value.items() if own is not None}
    return value


def _toml(value: Any) -> str:
    if isinstance(value, Mapping):
        return f"{{ {', '.join(f'{name} = {_toml(own)}' for name, own in value.items())} }}"
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    if isinstance(value, str) and '"' in value and "'" not in value and value.isprintable():
        return f"'{value}'"
    # JSON texts, numbers and booleans are valid TOML too, except for one control character that TOML requires escaped.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007F")
