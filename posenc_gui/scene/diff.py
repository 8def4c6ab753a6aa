"""Differences between two values of a declared model, field by field, as text."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from posenc_gui.foundation import declared_fields
from posenc_gui.foundation.declared_model import Frozen, worded_value

Path = tuple[str, ...]


@dataclass(frozen=True)
class Difference:
    """A field in which two models differ: path, title, both values as text; `chosen`: one member of a group replaces another."""

    path: Path
    title: str
    before: str
    after: str
    chosen: bool = False


def between(before: Frozen, after: Frozen) -> tuple[Difference, ...]:
    """List the fields in which two models of one class differ, in the order of declaration."""
    found: list[Difference] = []
    groups: dict[Path, Frozen] = {(): before}  # earlier values of the groups whose fields are compared
    telling: dict[Path, Collection[str]] = {(): after.told_apart_by(before) or type(after).model_fields}
    for place in declared_fields.walk(after, lambda place: place.path in groups):
        if place.path[-1] not in telling[place.path[:-1]]:
            continue
        old, new = declared_fields.value_at(groups[place.path[:-1]], place.path[-1]), place.value
        if old == new:
            continue
        if isinstance(new, Frozen) and type(old) is type(new):
            telling[place.path] = new.told_apart_by(old) or type(new).model_fields
            groups[place.path] = old  # both have the same member: compare its fields, not the group itself
            continue
        chosen = isinstance(old, Frozen) or isinstance(new, Frozen)
        was, now = (
            declared_fields.NONE if chosen and one is None else worded_value(place.declared, one) for one in (old, new)
        )
        title = place.path[-1].capitalize() if chosen and not place.declared.title else place.title
        found.append(Difference(place.path, title, was, now, chosen))
    return tuple(found)
