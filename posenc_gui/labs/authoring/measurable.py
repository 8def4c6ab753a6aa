"""Values that a lab's author can use: each before and after the action, with conditions to choose from."""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from posenc_gui import measures, plots
from posenc_gui.attention.engine import Engine
from posenc_gui.encodings.base import Encoding
from posenc_gui.foundation.declared_fields import walk
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.foundation.errors import Undefined
from posenc_gui.foundation.unicode_text import shorten_middle
from posenc_gui.foundation.wording import inflect, inner_case, join_words
from posenc_gui.labs.definition.expression_grammar import LONGEST, fields_by_root
from posenc_gui.labs.definition.expressions import Expression, Value, condition, format_answer
from posenc_gui.labs.definition.lab import panel_of
from posenc_gui.measures.base import ROUNDING
from posenc_gui.scene import diff
from posenc_gui.scene.diff import Difference, Path
from posenc_gui.session.session import Session

_LONGEST = 40  # characters of a value used as a label
_MOST_KEYS = 16  # of the query in focus, whose weights are offered one by one
_LONGEST_TOKEN = 16  # characters of a token in a label
_MOST_TITLES = 3  # of fields that stayed the same, in words
_WORDS = ("reason", "verdict")  # fields that describe other fields in words
_OF_THE_SENTENCE = {("focus",): "focused", ("key",): "keyed"}  # tokens are asked for by their text, not their index
_ALONG = (("order",), ("focus",), ("key",))  # fields that a new text changes; a new order all but the first
_ACTS = {
    ("text",): "Type another sentence.",
    ("order",): "Change the order of the words.",
    ("focus",): "Choose another word.",
    ("key",): "Choose another key.",
    ("model", "vectors"): "Type token vectors of your own.",
    ("encoding", "formula"): "Change the formula.",
}
_MAP = "attention"
_CARDS = {"tokens": "Sentence", "encoding": "Encoding", "model": "Toy model"}
_OF_A_SENTENCE = ("text", "order", "tokenizer", "keep_case", "fill", "fill_to", "start")  # fields of the Sentence card
# Fields that each learner sets differently.
_ANOTHER = (("text",), ("order",), ("model", "vectors"), ("encoding", "formula"))


@dataclass(frozen=True)
class Condition:
    """A condition that a lab file can hold, its description, and whether it holds in the current session."""

    question: Expression
    words: str
    holds: bool


@dataclass(frozen=True)
class Measurable:
    """One value that a lab file can ask for: its description, its expression, and its value before and now.

    If it is not `compared`, no action has been recorded, and there is no value before.
    """

    question: Expression
    title: str
    reason: str
    before: Value
    now: Value
    compared: bool = True

    @property
    def words(self) -> str:
        """The title with the values before and now, or with the current one alone if both read the same."""
        now, before = self.question.told(self.now), self.question.told(self.before)
        return f"{self.title}: {now}" if now == before else f"{self.title}: {before} → {now}"

    @property
    def measure(self) -> str:
        """The name of its measure, which is also the name of the plot that shows it, if there is one."""
        return self.question.text.partition(".")[0]

    @property
    def heading(self) -> str:
        """The title of its measure."""
        return plots.plots()[_MAP].title if self.measure == _MAP else measures.measures()[self.measure].title

    @property
    def is_value(self) -> bool:
        """True if it is its measure's main number, the field `value`."""
        return self.question.text == f"{self.measure}.value"

    @property
    def number(self) -> float | None:
        """Its current value; None if that is not a number."""
        return _number(self.now)

    @property
    def changed(self) -> bool:
        """True if its current value differs from the one before by more than rounding."""
        now, before = _number(self.now), _number(self.before)
        return self.now != self.before if now is None or before is None else abs(now - before) > ROUNDING

    @property
    def outcomes(self) -> tuple[Condition, ...]:
        """Outcomes of which exactly one always holds.

        A number is compared with its value before, or with 0 if there is none; any other value is the current one
        or not.
        """
        asked, now, before = self.question.text, self.number, _number(self.before)
        if now is None:
            own, words = _literal(self.now), format_answer(self.now)
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
        """All conditions on the value: its outcomes and, for a number, comparisons with 0 and its current value."""
        asked, now = self.question.text, self.number
        if now is None:
            return self.outcomes
        return tuple(dict.fromkeys((*self.outcomes, *_beside_0(asked, now), *_as_it_is(asked, now))))


def measurables(
    session: Session, before: Session | None, engine: Engine, shown: Collection[str] = ()
) -> tuple[Measurable, ...]:
    """Return all single values that can be measured in a session, with their values before.

    A measure's values stand together: measures of `shown` plots come first, and of these those of which a value changed. In
    each, changed values come first, and `value` before other fields. before: the session in which the learner begins; None if
    no action has been recorded.
    """
    found = [*_weights(session, before, engine)] if _MAP in shown else []
    for name in measures.names():
        for field in fields_by_root()[name]:
            if field not in _WORDS:
                found += _of_field(name, field, session, before, engine)
    changed = {one.measure for one in found if one.changed}
    named = list(fields_by_root())

    def place(one: Measurable) -> tuple[bool, bool, int, bool, bool]:
        own = one.measure
        return own not in shown, own not in changed, named.index(own), not one.changed, not one.is_value

    return tuple(sorted(found, key=place))


def change_conditions(before: Session, after: Session) -> tuple[Condition, ...]:
    """Describe the change between two sessions as conditions that hold only in the second."""
    found = []
    for one in _done(before, after):
        told = f"{one.title}: {'any other' if one.path in _ANOTHER else f'{one.before} → {one.after}'}"
        found.append(Condition(condition(_reached(one.path, after)), told, holds=True))
    return tuple(found)


def unchanged_conditions(before: Session, after: Session) -> tuple[Condition, ...]:
    """Describe what stayed the same on the changed cards as conditions, so that claims need to hold in fewer cases."""
    changed = [one.path for one in _done(before, after)]
    cards = {_card(path) for path in changed}
    left = [
        (path, title)
        for path, title in (
            *_leaves(after.encoding, ("encoding",)),
            *_leaves(after.model, ("model",)),
            *(((name,), inner_case(Session.model_fields[name].title or name)) for name in _OF_A_SENTENCE),
        )
        if _card(path) in cards and path not in changed
    ]
    if ("text",) in changed:  # each learner types another text
        left = [(path, title) for path, title in left if path not in (("text",), ("order",))]
    if "Encoding" in cards and ("encoding",) not in changed:
        left.insert(0, (("encoding", "name"), after.encoding.title))
    return tuple(_held(some) for some in _apart(left, after))


def instructions_between(before: Session, after: Session) -> tuple[str, str]:
    """Return instructions that lead from one session to another, and a hint that names the cards.

    Both are empty if nothing changed; the instructions also if one of them would be too long.
    """
    done = _done(before, after)
    acts = [_act(one, _value_at(after, one.path)) for one in done]
    places = dict.fromkeys(_place(one.path) for one in done)
    hint = f"{inflect(len(places), 'It stands', 'They stand')} {join_words(places)}." if places else ""
    return " ".join(acts) if all(acts) else "", hint


def _act(one: Difference, value: Any) -> str:
    """Return the instruction that sets a value; empty if it would be too long."""
    title = inner_case(one.title)
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


def _done(before: Session, after: Session) -> list[Difference]:
    """Return the changes but for those that a new text or order brings along."""
    along = _ALONG if before.text != after.text else _ALONG[1:] if before.order != after.order else ()
    return [one for one in diff.between(before, after) if one.path not in along]


def _place(path: Path) -> str:
    if path[0] == "plots":
        return f"behind the button with the sliders on the card {plots.find(path[1]).title}"
    return f"in the card {_card(path)}"


def _card(path: Path) -> str:
    """Return the title of the card on which a field is changed; empty for a plot's own options."""
    return "" if path[0] == "plots" else _CARDS[panel_of(path[0])]


def _leaves(value: Frozen, path: Path) -> Iterator[tuple[Path, str]]:
    """Yield the fields of a model, and of groups in it, with their titles."""
    for place in walk(value):
        if not isinstance(place.value, Frozen):
            yield (*path, *place.path), inner_case(place.declared.title or place.path[-1])


def _apart(left: Sequence[tuple[Path, str]], session: Session) -> Iterator[list[tuple[str, str, str]]]:
    """Yield groups of fields with their values, each group as large as one expression may be."""
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
    asked, own, titles = zip(*some, strict=True)
    left = len(titles) - _MOST_TITLES
    told = join_words((*titles[:_MOST_TITLES], f"{left} more") if left > 1 else titles)
    return Condition(Expression(f"[{', '.join(asked)}] == [{', '.join(own)}]"), f"As now: {told}", holds=True)


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
    words = f"is {'' if about == value else 'about '}{format_answer(about)}"
    return (_condition(f"abs({asked} - {about!r}) <= {off!r}", words, holds=True),)


def _about(value: float) -> tuple[float, float]:
    """Round a value to three digits, as a text states it; return it with the size of one unit in the last digit."""
    places = 2 - math.floor(math.log10(abs(value)))
    return float(f"{value:.3g}"), float(f"{10.0**-places:.0e}")


def _of_field(name: str, field: str, session: Session, before: Session | None, engine: Engine) -> Iterator[Measurable]:
    """Yield the values in a field: the field itself, the first and last of several values, or a verdict's word."""
    asked, measure = f"{name}.{field}", measures.measures()[name]
    over = measure.over_heads.get(field) if session.model.n_heads > 1 else None
    title = f"{measure.title} ({over})" if over else measure.title
    words = "" if field == "value" else f", {field.replace('_', ' ')}"
    for text, which in ((asked, ""), (f"{asked}.verdict", ""), (f"{asked}[0]", ", first"), (f"{asked}[-1]", ", last")):
        question = Expression(text)
        try:
            now = question.answer(session, engine)
        except Undefined:
            continue
        if isinstance(now, str) and len(now) > _LONGEST:
            return  # its first letter is no value
        if now is None or isinstance(now, tuple) or len(format_answer(now)) > _LONGEST:
            continue
        try:
            was = question.answer(before, engine) if before else now
        except Undefined:
            was = None
        reason = str(Expression(f"{name}.reason").answer(session, engine))
        yield Measurable(question, f"{title}{words}{which}", reason, was, now, compared=before is not None)
        if not which:
            return


def _weights(session: Session, before: Session | None, engine: Engine) -> Iterator[Measurable]:
    """Yield the weights of the query in focus, as the map shows them; none if the action moved a token, since another weight
    stands in its cell then."""
    head = 0 if session.model.n_heads == 1 else session.options_of(_MAP).head
    try:
        tokens, query = session.tokens, session.focused
        moved = before is not None and before.tokens != tokens
    except Undefined:
        return
    if moved or query is None or not isinstance(head, int) or len(tokens) > _MOST_KEYS:
        return
    for key in range(len(tokens)):
        question = Expression(f"{_MAP}.probabilities[{head}][{query}][{key}]")
        title = f"Weight of {_at(tokens, query)} on {_at(tokens, key)}"
        with suppress(Undefined):
            now = question.answer(session, engine)
            was = question.answer(before, engine) if before else now
            yield Measurable(question, title, "", was, now, compared=before is not None)


def _at(tokens: Sequence[str], index: int) -> str:
    """Name a token; one of several equal ones with its position."""
    token = shorten_middle(tokens[index], _LONGEST_TOKEN)
    return f"{token} {index}" if tokens.count(tokens[index]) > 1 else token


def _reached(path: Path, after: Session) -> str:
    """Return the condition that a field has its new value or, if that is too long or a learner's own, changed."""
    asked, value = _asked(path), _value_at(after, path)
    if path in _OF_THE_SENTENCE:
        asked = f"session.{_OF_THE_SENTENCE[path]}"
        return f"{asked} == {_literal(getattr(after, _OF_THE_SENTENCE[path]))}"
    if path in _ANOTHER:
        return f"{asked} != before.{asked}"
    if isinstance(value, Encoding):
        return f"{asked}.name == {_literal(value.name)}"
    if isinstance(value, Frozen):  # a member of a group is recognized by its first field
        name = next(iter(type(value).model_fields))
        return f"{asked}.{name} == {_literal(getattr(value, name))}"
    text = f"{asked} == {_literal(value)}"
    return text if len(text) <= LONGEST else f"{asked} != before.{asked}"


def _asked(path: Path) -> str:
    return f"session.{'.'.join(path)}"


def _value_at(session: Session, path: Path) -> Any:
    value: Any = session
    for name in path:
        own = value.also_declared  # the numbers that a formula names
        value = own[name][1] if name in own else getattr(value, name)
    return value


def _literal(value: Any) -> str:
    """Write a value as a Python literal; a text in double quotes, which TOML's single-quoted strings can hold."""
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else repr(value)


def _number(value: Value) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
