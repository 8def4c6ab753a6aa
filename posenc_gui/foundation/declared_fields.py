"""What a field may hold, read from its declaration: one value, several values, or a group of fields.

A group is a frozen model within another: always there (`part: Part`), there or not (`part: Part | None`), or one of several
members that a literal tells apart (`scaling: Linear | Yarn | None = Field(None, discriminator="rope_type")`). What stands in
a group is named with dots: "scaling.factor".
"""

from __future__ import annotations

import math
import types
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeVar, Union, cast, get_args, get_origin

from annotated_types import Ge, Gt, Le, Lt
from pydantic import BaseModel
from pydantic.fields import FieldInfo

FrozenModel = TypeVar("FrozenModel", bound=BaseModel)

NONE = "none"  # what stands for no member of a group


@dataclass(frozen=True)
class Kind:
    """What a field may hold, and whether it may be None. A group has members, and a tag where there are several."""

    type: Any
    optional: bool = False
    members: tuple[type[BaseModel], ...] = ()
    tag: str = ""

    def tags(self) -> dict[str, type[BaseModel]]:
        """Each member by what the tag may be for it; empty where no tag is needed."""
        if not self.tag:
            return {}
        return {tag: member for member in self.members for tag in get_args(member.model_fields[self.tag].annotation)}

    def member(self, tag: object) -> type[BaseModel] | None:
        """The member of this tag; the only one, where there is one; None where there is no such member."""
        return self.tags().get(str(tag)) if self.tag else self.members[0]

    def begun(self, member: type[BaseModel]) -> BaseModel:
        """A member at its defaults. Raises ValueError where a field has none."""
        tag = member.model_fields.get(self.tag)
        begun: BaseModel = member(**{self.tag: get_args(tag.annotation)[0]} if tag and tag.is_required() else {})
        return begun

    def switched(self, value: BaseModel | None, member: type[BaseModel]) -> BaseModel:
        """Another member instead of a value: what both have stays where it is valid, all else is at its defaults.

        So two members can be compared at the same factor, and none is entered twice.
        """
        fresh = self.begun(member)
        shared = [name for name in type(value).model_fields if name in member.model_fields] if value is not None else []
        for name in shared:
            if name != self.tag:
                fresh = _tried(fresh, name, getattr(value, name))
        return fresh


def kind(field: FieldInfo) -> Kind:
    """What a field may hold."""
    is_union = get_origin(field.annotation) in (Union, types.UnionType)
    arms = get_args(field.annotation) if is_union else (field.annotation,)
    held = [arm for arm in arms if arm is not type(None)]
    tag = field.discriminator if isinstance(field.discriminator, str) else ""
    is_group = all(isinstance(arm, type) and issubclass(arm, BaseModel) for arm in held) and (
        len(held) == 1 or bool(tag)
    )
    return Kind(
        type=held[0] if len(held) == 1 else field.annotation,
        optional=len(held) < len(arms),
        members=tuple(held) if is_group else (),
        tag=tag,
    )


def values_of(held: Kind) -> list[Any]:
    """The types of the values of a tuple, each once; empty for what is no tuple."""
    types_ = [arm for arm in get_args(held.type) if arm is not Ellipsis] if get_origin(held.type) is tuple else []
    return list(dict.fromkeys(get_args(arm)[0] if get_origin(arm) is Annotated else arm for arm in types_))


def count(held: Kind) -> int | None:
    """How many values a field holds where that is declared: `tuple[float, float]`; None for one, and for any number."""
    values = get_args(held.type) if get_origin(held.type) is tuple else ()
    return len(values) if values and values[-1] is not Ellipsis else None


def title(model: type[BaseModel]) -> str:
    """What a member of a group is called: `class Yarn(Frozen, title="YaRN")`."""
    return model.model_config.get("title") or model.__name__


def bounds(field: FieldInfo) -> tuple[float, float]:
    """The ends of a number's range, whether or not they belong to it; infinite where there are none."""
    low, high = -math.inf, math.inf
    for rule in field.metadata:
        match rule:
            case Ge():
                low = cast(float, rule.ge)
            case Gt():
                low = cast(float, rule.gt)
            case Le():
                high = cast(float, rule.le)
            case Lt():
                high = cast(float, rule.lt)
    return low, high


def option_title(field: FieldInfo, option: object) -> str:
    """What one of a literal's values is called: as the field's `names` say, or by the value itself."""
    extra = field.json_schema_extra
    names = extra.get("names") if isinstance(extra, dict) else None
    return str(names[str(option)]) if isinstance(names, dict) else str(option).replace("_", " ")


def inner_title(group: str, inner: str) -> str:
    """What a field of a group is called outside of it: Scaling and Factor give Scaling factor; YaRN stays YaRN."""
    return f"{group} {inner if inner[1:2].isupper() else inner[:1].lower() + inner[1:]}" if group else inner


def is_choice(field: FieldInfo) -> bool:
    """Whether a field can be more than one thing; the literal that tells a member apart often can't."""
    return not (get_origin(field.annotation) is Literal and len(get_args(field.annotation)) == 1)


def names(model: type[BaseModel]) -> list[str]:
    """The names of all fields, those of every group's members behind it: scaling, scaling.factor."""
    found: dict[str, None] = {}
    for name, field in model.model_fields.items():
        found[name] = None
        for member in kind(field).members:
            found |= dict.fromkeys(f"{name}.{inner}" for inner in names(member))
    return list(found)


def named(model: type[BaseModel], name: str) -> list[FieldInfo]:
    """The fields of this name: more than one where several members of a group have it."""
    head, _, inner = name.partition(".")
    field = model.model_fields.get(head)
    if field is None or not inner:
        return [field] if field else []
    return [found for member in kind(field).members for found in named(member, inner)]


def value_at(whole: BaseModel | None, name: str) -> Any:
    """What stands in the field of this name; None where its group has no such field."""
    head, _, inner = name.partition(".")
    value = dict(whole).get(head) if whole else None
    return value_at(value, inner) if inner else value


def changed(whole: FrozenModel, values: Mapping[str, Any]) -> FrozenModel:
    """The same model with other values in the fields of these names, in whatever order they come.

    A whole group is set before what stands in it. A group's tag may make it another member, and so does the member's class
    in place of its value: see `Kind.switched`. Raises ValueError in one sentence.
    """
    return type(whole)(**_merged(type(whole), dict(whole), values))


def located(model: type[BaseModel], place: Sequence[int | str]) -> tuple[type[BaseModel], tuple[int | str, ...]]:
    """The model in which a place lies that pydantic found, and the place without the tags that it puts after groups."""
    field = model.model_fields.get(str(place[0])) if len(place) > 1 else None
    group = kind(field) if field else Kind(None)
    member = group.member(place[1]) if group.members else None
    if member is None:
        return model, tuple(place)
    inner = place[2:] if group.tag else place[1:]
    owner, within = located(member, inner) if inner else (model, ())
    return owner, (place[0], *within)


def _tried(model: BaseModel, name: str, value: Any) -> BaseModel:
    try:
        return type(model)(**{**dict(model), name: value})
    except ValueError:
        return model


def _merged(model: type[BaseModel], own: dict[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """A model's own values with others, some of which are meant for what stands in its groups."""
    inside: dict[str, dict[str, Any]] = {}
    for name, value in values.items():
        head, _, inner = name.partition(".")
        if inner:
            inside.setdefault(head, {})[inner] = value
        elif isinstance(value, type):
            own = {**own, head: kind(model.model_fields[head]).switched(own[head], value)}
        else:
            own = {**own, head: value}
    for head, inner_values in inside.items():
        field = model.model_fields.get(head)
        own[head] = _within(kind(field), own.get(head), inner_values) if field else inner_values
    return own


def _within(group: Kind, value: Any, values: Mapping[str, Any]) -> Any:
    if not group.members:
        return values  # what it may be is told when it is validated
    tag = values.get(group.tag)
    if isinstance(value, BaseModel):
        member = group.member(tag)
        if member and member is not type(value):
            value = group.switched(value, member)
        return _merged(type(value), dict(value), values)
    given = {} if value is None else value
    if not isinstance(given, Mapping):
        return given  # likewise
    member = group.member(given.get(group.tag) if tag is None else tag)
    return _merged(member, dict(given), values) if member else {**given, **values}
