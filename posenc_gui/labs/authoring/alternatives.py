"""Other sessions that also reach a step's goal, besides the step's own solution."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

from posenc_gui import encodings
from posenc_gui.attention.engine import Engine
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.foundation.wording import inner_case, quote
from posenc_gui.labs.definition.lab import REVERSED, Step, arranged
from posenc_gui.scene import diff
from posenc_gui.session.session import Session
from posenc_gui.text.tokenization import twin_groups

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


def other_solutions(step: Step, solved: Session, engine: Engine, begun: Session) -> Iterator[Session]:
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


def describe_choice(solved: Session, other: Session) -> str:
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
    if "tokens" in step.controls:
        for text in (solved.text, *_SENTENCES):
            yield {"text": text}
            for order in _orders(arranged(solved, {"text": text}).scene.typed_tokens):
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
