"""What a step leaves to the learner: the sessions that can stand where its goal is reached, other than its own solution."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

from posenc_gui import encodings
from posenc_gui.attention.engine import Engine
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.labs.definition.lab import REVERSED, Step, arranged
from posenc_gui.scene import diff as differences
from posenc_gui.session.session import Session
from posenc_gui.text.tokenization import twin_groups

# Sentences as learners type them: short, long, with a word twice, with one word alone that isn't repeated.
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


def choices(step: Step, solved: Session, engine: Engine, begun: Session) -> Iterator[Session]:
    """Other sessions that reach the step's goal: each encoding, each end of its parameters, sentences, orders, sizes.

    They differ from the solved one by what the step's panels let a learner change, one thing at a time.
    """
    seen = {solved}
    for changes in _changes(step, solved):
        with suppress(ValueError):  # what can't stand together can't be chosen either
            session = arranged(solved, changes)
            if session not in seen and all(condition.holds(session, engine, begun) for condition in step.goal):
                seen.add(session)
                yield session


def told(solved: Session, other: Session) -> str:
    """In which choice a session differs from the solved one, in words."""
    if other.encoding != solved.encoding:
        own = differences.between(type(other.encoding)(), other.encoding)
        with_own = ", ".join(f"{differences.in_a_sentence(one.title)} {one.after}" for one in own)
        return f"with {other.encoding.title}{f' ({with_own})' if own else ''}"
    if other.model != solved.model:
        before = solved.model.model_dump()
        changed = {name: value for name, value in other.model.model_dump().items() if value != before[name]}
        return f"with {', '.join(f'{name} = {value}' for name, value in changed.items())}"
    return f"with “{other.text}”{' in another order' if other.order else ''}"


def _changes(step: Step, solved: Session) -> Iterator[dict[str, Any]]:
    if "encoding" in step.controls:
        for name, kind in encodings.classes().items():
            yield {"encoding": name}
            for field, value in _values(kind):
                yield {"encoding": {"name": name, field: value}}
    if "tokens" in step.controls:
        for text in (solved.text, *_SENTENCES):
            yield {"text": text}
            for order in _orders(arranged(solved, {"text": text}).typed_tokens):
                yield {"text": text, "order": order}
    if "model" in step.controls:
        for name, values in _SIZES.items():
            for value in values:
                yield {"model": {name: value}}


def _orders(tokens: tuple[str, ...]) -> Iterator[Any]:
    """The last first, each one place further, and two equal ones in each other's place, which changes nothing to read."""
    yield REVERSED
    places = tuple(range(len(tokens)))
    yield (*places[1:], 0)
    if twins := twin_groups(tokens):
        one, other, *_ = twins[0]
        yield tuple({one: other, other: one}.get(place, place) for place in places)


def _values(kind: type[Frozen]) -> Iterator[tuple[str, Any]]:
    """Each parameter's own choices: all of a list's, the ends of a range, and each member of a group."""
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
