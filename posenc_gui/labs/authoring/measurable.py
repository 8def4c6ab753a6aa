"""What can be measured of a state, for who writes a lab: each with its value, before and now, and conditions to choose from."""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from posenc_gui import measures, plots
from posenc_gui.attention.engine import Engine
from posenc_gui.encodings.base import Encoding
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.foundation.errors import Undefined
from posenc_gui.labs.definition.expressions import LONGEST, Question, Value, condition, fields_by_root, in_words
from posenc_gui.labs.definition.lab import panel_of
from posenc_gui.measures.base import ROUNDING
from posenc_gui.scene import diff as differences
from posenc_gui.scene.diff import Difference, Path
from posenc_gui.session.session import Session

_LONGEST = 40  # characters of a value that is chosen by it
_WORDS = ("reason", "verdict")  # fields that say what others hold
_OF_THE_SENTENCE = {("focus",): "focused", ("key",): "keyed"}  # asked for as they are seen
_ALONG = (("order",), ("focus",), ("key",))  # with another text; with another order those after it
_ACTS = {
    ("text",): "Type another sentence.",
    ("order",): "Change the order of the words.",
    ("focus",): "Choose another word.",
    ("key",): "Choose another key.",
    ("model", "vectors"): "Type token vectors of your own.",
}
_CARDS = {"tokens": "Sentence", "encoding": "Encoding", "model": "Toy model"}
_OF_A_SENTENCE = ("text", "order", "tokenizer", "keep_case", "fill", "fill_to")  # what can be held of it
_ANOTHER = (("text",), ("order",), ("model", "vectors"))  # what a learner does in their own way


@dataclass(frozen=True)
class Condition:
    """A condition that a lab's file can hold, in words, and whether it holds of the state at hand."""

    question: Question
    words: str
    holds: bool


@dataclass(frozen=True)
class Measurable:
    """A single value that a lab's file can ask for: what it is in words, what its measure says, its value before and now.

    Where it isn't `compared`, nothing was done, and nothing can be said of before.
    """

    question: Question
    title: str
    reason: str
    before: Value
    now: Value
    compared: bool = True

    @property
    def words(self) -> str:
        """What it is, with its values, rounding left out as it is where they are compared."""
        now, before = _rounded(self.now), _rounded(self.before)
        return f"{self.title}: {now}" if now == before else f"{self.title}: {before} → {now}"

    @property
    def measure(self) -> str:
        """The name of its measure, which is also that of the plot that shows it, if there is one."""
        return self.question.text.partition(".")[0]

    @property
    def is_value(self) -> bool:
        """Whether it is the one number that its measure gives."""
        return self.question.text == f"{self.measure}.value"

    @property
    def number(self) -> float | None:
        """Its value now; None where that is no number."""
        return _number(self.now)

    @property
    def changed(self) -> bool:
        """Whether it is another value now than before, by more than rounding."""
        now, before = _number(self.now), _number(self.before)
        return self.now != self.before if now is None or before is None else abs(now - before) > ROUNDING

    @property
    def outcomes(self) -> tuple[Condition, ...]:
        """What can be said of it of which always one holds and no other.

        A number is told beside that of before, if it is compared, or else beside 0; of words is told which.
        """
        asked, now, before = self.question.text, self.number, _number(self.before)
        if now is None:
            own, words = _literal(self.now), in_words(self.now)
            return (
                _condition(f"{asked} == {own}", f"is {words}", holds=True),
                _condition(f"{asked} != {own}", f"is not {words}", holds=False),
            )
        if before is None or not self.compared:
            return _beside_0(asked, now)
        was, more = f"before.{asked}", now - before
        return (
            _condition(f"{asked} > {was} + {ROUNDING}", "is larger than before", holds=more > ROUNDING),
            _condition(f"{asked} < {was} - {ROUNDING}", "is smaller than before", holds=more < -ROUNDING),
            _condition(f"abs({asked} - {was}) <= {ROUNDING}", "is as before", holds=abs(more) <= ROUNDING),
        )

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """All that can be said of it: its outcomes, and a number also beside 0 and as it is."""
        asked, now = self.question.text, self.number
        if now is None:
            return self.outcomes
        return tuple(dict.fromkeys((*self.outcomes, *_beside_0(asked, now), *_as_it_is(asked, now))))


def measurables(
    session: Session, before: Session | None, engine: Engine, shown: Collection[str] = ()
) -> tuple[Measurable, ...]:
    """All single values that can be measured of a session, with what they were before.

    What is seen in the plots that are `shown` comes first, and of that what has changed; what a measure calls its value comes
    before its other fields. before: the session with which the learner begins; None where nothing is done.
    """
    found: list[Measurable] = []
    for name, fields in fields_by_root().items():
        if name not in measures.names():
            continue
        for field in fields:
            if field not in _WORDS:
                found += _of_field(name, field, session, before, engine)
    return tuple(sorted(found, key=lambda one: (one.measure not in shown, not one.changed, not one.is_value)))


def conditions_of(before: Session, after: Session) -> tuple[Condition, ...]:
    """What was done between two sessions, as conditions that hold only of the second, each in words."""
    found = []
    follows = _followed(before, after)
    for one in differences.between(before, after):
        if one.path in follows:
            continue
        told = f"{one.title}: {one.before} → {one.after}"
        found.append(Condition(condition(_reached(one.path, after)), told, holds=True))
    return tuple(found)


def unchanged_of(before: Session, after: Session) -> tuple[Condition, ...]:
    """What stayed on the cards on which something was done, as conditions: what is promised need not hold for more."""
    changed = [one.path for one in differences.between(before, after) if one.path not in _followed(before, after)]
    cards = {_card(path) for path in changed}
    left = [
        (path, title)
        for path, title in (
            *_leaves(after.encoding, ("encoding",)),
            *_leaves(after.model, ("model",)),
            *_titled(Session, _OF_A_SENTENCE),
        )
        if _card(path) in cards and path not in changed
    ]
    if ("text",) in changed:  # each learner types another
        left = [(path, title) for path, title in left if path not in (("text",), ("order",))]
    if "Encoding" in cards and ("encoding",) not in changed:
        left.insert(0, (("encoding", "name"), after.encoding.title))
    return tuple(_held(some) for some in _apart(left, after))


def doing(before: Session, after: Session) -> tuple[str, str]:
    """What a learner is told to do between two sessions, and where that is done; both empty where nothing was."""
    follows = _followed(before, after)
    done = [one for one in differences.between(before, after) if one.path not in follows]
    acts = [_act(one, _value_at(after, one.path)) for one in done]
    return " ".join(acts) if all(acts) else "", _stands(dict.fromkeys(_place(one.path) for one in done))


def _act(one: Difference, value: Any) -> str:
    """What leads to a value; empty where it is too long to be told."""
    title = differences.in_a_sentence(one.title)
    match one.path:
        case ("encoding",):
            return f"Choose {one.after}."
        case ("other",):
            return f"Compare it with {one.after if value else 'nothing any more'}."
        case path if path in _ACTS:
            return _ACTS[path]
        case _ if value in (None, ()) and not one.chosen:
            return f"Clear {title}."
        case _:
            return "" if one.after.endswith("…") else f"Set {title} to {one.after}."


def _stands(places: Collection[str]) -> str:
    return f"{'They stand' if len(places) > 1 else 'It stands'} {' and '.join(places)}." if places else ""


def _followed(before: Session, after: Session) -> tuple[Path, ...]:
    """The fields that go along with another text, or with another order."""
    return _ALONG if before.text != after.text else _ALONG[1:] if before.order != after.order else ()


def _place(path: Path) -> str:
    if path[0] == "plots":
        return f"behind the button with the sliders on the card {plots.plots()[path[1]].title}"
    return f"in the card {_card(path)}"


def _card(path: Path) -> str:
    """The title of the card on which a field is changed; empty for what a plot's own options are."""
    return "" if path[0] == "plots" else _CARDS[panel_of(path[0])]


def _leaves(value: Frozen, path: Path) -> Iterator[tuple[Path, str]]:
    """The fields of a model, and of groups in it, with their titles."""
    for name in type(value).model_fields:
        own = getattr(value, name)
        if isinstance(own, Frozen):
            yield from _leaves(own, (*path, name))
        else:
            yield from _titled(type(value), (name,), path)


def _titled(model: type[Frozen], names: Sequence[str], path: Path = ()) -> Iterator[tuple[Path, str]]:
    """Fields of a model with their titles."""
    for name in names:
        yield (*path, name), differences.in_a_sentence(model.model_fields[name].title or name)


def _apart(left: Sequence[tuple[Path, str]], session: Session) -> Iterator[list[tuple[str, str, str]]]:
    """Fields with what they hold, as many together as one question takes."""
    some: list[tuple[str, str, str]] = []
    for path, title in left:
        asked, own = _asked(path), _literal(_value_at(session, path))
        one = asked, own if len(own) <= _LONGEST else f"before.{asked}", title
        if some and len(_held([*some, one]).question.text) > LONGEST:
            yield some
            some = []
        some.append(one)
    if some:
        yield some


def _held(some: Sequence[tuple[str, str, str]]) -> Condition:
    asked, own, titles = (", ".join(column) for column in zip(*some, strict=True))
    return Condition(Question(f"[{asked}] == [{own}]"), f"As now: {titles}", holds=True)


def _condition(text: str, words: str, *, holds: bool) -> Condition:
    return Condition(condition(text), words, holds)


def _beside_0(asked: str, value: float) -> tuple[Condition, ...]:
    is_0 = abs(value) <= ROUNDING
    return (
        _condition(f"abs({asked}) <= {ROUNDING}", "is 0, but for rounding", holds=is_0),
        _condition(f"abs({asked}) > {ROUNDING}", "is not 0", holds=not is_0),
    )


def _as_it_is(asked: str, value: float) -> tuple[Condition, ...]:
    if abs(value) <= ROUNDING:
        return ()
    about, off = _about(value)
    words = f"is {'' if about == value else 'about '}{in_words(about)}"
    return (_condition(f"abs({asked} - {about!r}) <= {off!r}", words, holds=True),)


def _about(value: float) -> tuple[float, float]:
    """A value of three digits, as a text states it, and one of its last place."""
    places = 2 - math.floor(math.log10(abs(value)))
    return float(f"{value:.3g}"), float(f"{10.0**-places:.0e}")


def _of_field(name: str, field: str, session: Session, before: Session | None, engine: Engine) -> Iterator[Measurable]:
    """A field's value; of several values the first and the last; of a verdict its word."""
    asked, title = f"{name}.{field}", measures.measures()[name].title
    words = "" if field == "value" else f", {field.replace('_', ' ')}"
    for text, which in (
        (asked, ""),
        (f"{asked}.verdict", ""),
        (f"{asked}[0]", ", first"),
        (f"{asked}[-1]", ", last"),
    ):
        question = Question(text)
        try:
            now = question.answer(session, engine)
        except Undefined:
            continue
        if now is None or isinstance(now, tuple) or len(in_words(now)) > _LONGEST:
            continue
        try:
            was = question.answer(before, engine) if before else now
        except Undefined:
            was = None
        reason = str(Question(f"{name}.reason").answer(session, engine))
        yield Measurable(question, f"{title}{words}{which}", reason, was, now, compared=before is not None)
        if not which:
            return


def _reached(path: Path, after: Session) -> str:
    """A condition for what a field was changed to."""
    asked, value = _asked(path), _value_at(after, path)
    if path in _OF_THE_SENTENCE:
        asked = f"session.{_OF_THE_SENTENCE[path]}"
        return f"{asked} == {_literal(getattr(after, _OF_THE_SENTENCE[path]))}"
    if path in _ANOTHER:
        return f"{asked} != before.{asked}"
    if isinstance(value, Encoding):
        return f"{asked}.name == {_literal(value.name)}"
    if isinstance(value, Frozen):  # one of a group's members: its first field tells which
        name = next(iter(type(value).model_fields))
        return f"{asked}.{name} == {_literal(getattr(value, name))}"
    text = f"{asked} == {_literal(value)}"
    return text if len(text) <= LONGEST else f"{asked} != before.{asked}"


def _rounded(value: Value) -> str:
    found = _number(value)
    return in_words(value if found is None or abs(found) > ROUNDING else 0)


def _asked(path: Path) -> str:
    return f"session.{'.'.join(path)}"


def _value_at(session: Session, path: Path) -> Any:
    value: Any = session
    for name in path:
        value = getattr(value, name)
    return value


def _literal(value: Any) -> str:
    """A value as a question holds it: Python's own, with quotes that TOML's strings keep as they are."""
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else repr(value)


def _number(value: Value) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
