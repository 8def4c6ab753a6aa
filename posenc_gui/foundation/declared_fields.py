"""Introspection of declared fields: one value, several values, or a group of fields.

A group is a frozen model within another: required (`part: Part`), optional (`part: Part | None`), or one of several
members that a literal tells apart (`scaling: Linear | Yarn | None = Field(None, discriminator="rope_type")`). Fields of a
group are named with dots: "scaling.factor".
"""

from __future__ import annotations

import math
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, TypeVar, Union, cast, get_args, get_origin

from annotated_types import Ge, Gt, Le, Lt
from pydantic import BaseModel
from pydantic.config import JsonDict
from pydantic.fields import FieldInfo

from posenc_gui.foundation.wording import inner_case

FrozenModel = TypeVar("FrozenModel", bound=BaseModel)

FACT: JsonDict = {"fact": True}  # json_schema_extra of a field that says how something is, and that nobody sets

NONE = "none"  # represents the absence of a member in an optional group


@dataclass(frozen=True)
class Kind:
    """The kind of value that a field can hold. A group has members, and a tag field if there are several."""

    type: Any
    optional: bool = False
    members: tuple[type[BaseModel], ...] = ()
    tag: str = ""

    def tags(self) -> dict[str, type[BaseModel]]:
        """Return the members by tag; empty if the group has no tag field."""
        if not self.tag:
            return {}
        return {tag: member for member in self.members for tag in get_args(member.model_fields[self.tag].annotation)}

    def member(self, tag: object) -> type[BaseModel] | None:
        """Return the member with this tag, or the only member; None if there is no such member."""
        return self.tags().get(str(tag)) if self.tag else self.members[0]

    def begun(self, member: type[BaseModel]) -> BaseModel:
        """Create a member with its default values. Raises ValueError if a field has no default."""
        tag = member.model_fields.get(self.tag)
        begun: BaseModel = member(**{self.tag: get_args(tag.annotation)[0]} if tag and tag.is_required() else {})
        return begun

    def switched(self, value: BaseModel | None, member: type[BaseModel]) -> BaseModel:
        """Replace a group's value by another member: fields that both have keep their values if valid, others get defaults,
        so that two members are compared at the same factor without entering it twice."""
        fresh = self.begun(member)
        shared = [name for name in type(value).model_fields if name in member.model_fields] if value is not None else []
        for name in shared:
            if name != self.tag:
                fresh = _tried(fresh, name, getattr(value, name))
        return fresh


@dataclass(frozen=True)
class DeclaredField:
    """A field of a model, or of one of its groups. path: the field names that lead to it. title: its title outside its group,
    "Scaling factor". value: its value; None if the model is a class."""

    path: tuple[str, ...]
    declared: FieldInfo
    title: str
    value: Any = field(default=None, compare=False)

    @property
    def name(self) -> str:
        """Dotted name: "scaling.factor"."""
        return ".".join(self.path)


def walk(
    whole: BaseModel | type[BaseModel],
    enter: Callable[[DeclaredField], bool] | None = None,
    path: tuple[str, ...] = (),
    group: str = "",
) -> Iterator[DeclaredField]:
    """Yield each field of a model; each group is followed by its own fields, or for a class by those of every member. enter:
    called with each group after it was yielded; returns True if its fields are to be yielded. By default all are. path,
    group: where the model itself is a group, the path to it and its title."""
    for name, declared in fields_of(whole).items():
        value = None if isinstance(whole, type) else value_at(whole, name)
        place = DeclaredField((*path, name), declared, inner_title(group, declared.title or name), value)
        yield place
        if isinstance(whole, type):
            inside: Sequence[BaseModel | type[BaseModel]] = kind(declared).members
        else:
            inside = (value,) if isinstance(value, BaseModel) else ()
        if inside and (enter is None or enter(place)):
            for one in inside:
                yield from walk(one, enter, place.path, place.title if declared.title else "")


def kind(field: FieldInfo) -> Kind:
    """Read a field's kind from its declaration."""
    is_union = get_origin(field.annotation) in (Union, types.UnionType)
    arms = get_args(field.annotation) if is_union else (field.annotation,)
    held = [arm for arm in arms if arm is not type(None)]
    tag = field.discriminator if isinstance(field.discriminator, str) else ""
    are_models = all(isinstance(arm, type) and issubclass(arm, BaseModel) for arm in held)
    return Kind(
        type=held[0] if len(held) == 1 else field.annotation,
        optional=len(held) < len(arms),
        members=tuple(held) if are_models and (len(held) == 1 or tag) else (),
        tag=tag,
    )


def value_types(held: Kind) -> list[Any]:
    """Return the distinct types of a tuple's values; empty for any other field."""
    types_ = [arm for arm in get_args(held.type) if arm is not Ellipsis] if get_origin(held.type) is tuple else []
    return list(dict.fromkeys(get_args(arm)[0] if get_origin(arm) is Annotated else arm for arm in types_))


def count(held: Kind) -> int | None:
    """Return the declared number of values, as in `tuple[float, float]`; None for a single value, or any number."""
    values = get_args(held.type) if get_origin(held.type) is tuple else ()
    return len(values) if values and values[-1] is not Ellipsis else None


def title(model: type[BaseModel]) -> str:
    """Return the title of a group's member, as in `class Yarn(Frozen, title="YaRN")`."""
    return model.model_config.get("title") or model.__name__


def bounds(field: FieldInfo) -> tuple[float, float]:
    """Return the bounds of a number's range, inclusive or not; infinite if there are none."""
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
    """Return the title of one of a literal's values: from the field's `names`, or the value itself."""
    return _named(field, option) or str(option).replace("_", " ")


def inner_option(field: FieldInfo, option: object) -> str:
    """Return the title of a literal's value from the field's `names` as it is written in a sentence; empty without one."""
    return inner_case(_named(field, option))


def _named(field: FieldInfo, option: object) -> str:
    extra = field.json_schema_extra
    names = extra.get("names") if isinstance(extra, dict) else None
    return str(names.get(str(option), "")) if isinstance(names, dict) else ""


def inner_title(group: str, inner: str) -> str:
    """Return the title of a group's field outside its group: Scaling and Factor give Scaling factor; YaRN stays YaRN."""
    return f"{group} {inner_case(inner)}" if group else inner


def is_choice(field: FieldInfo) -> bool:
    """Return True if a field has more than one possible value; a member's tag often has only one."""
    return not (get_origin(field.annotation) is Literal and len(get_args(field.annotation)) == 1)


def is_fact(field: FieldInfo) -> bool:
    """Return True for a field that says how something is, so that it can't be set."""
    return isinstance(field.json_schema_extra, dict) and field.json_schema_extra.get("fact") is True


def at_defaults(model: FrozenModel) -> FrozenModel:
    """Return a model with the same facts, and what has no default, and the defaults of all else that can be set."""
    fields = type(model).model_fields.items()
    return type(model)(
        **{name: getattr(model, name) for name, field in fields if is_fact(field) or field.is_required()}
    )


def fields_of(whole: BaseModel | type[BaseModel]) -> dict[str, FieldInfo]:
    """Return the fields of a class by name; of a value, those that it declares itself come last."""
    if isinstance(whole, type):
        return whole.model_fields
    return {**type(whole).model_fields, **{name: declared for name, (declared, _) in _also(whole).items()}}


def field_names(whole: BaseModel | type[BaseModel]) -> list[str]:
    """List the names of all fields that can be set, each group followed by its members' fields: scaling, scaling.factor."""
    places = walk(whole if isinstance(whole, type) else type(whole), lambda place: not is_fact(place.declared))
    declared = (place.name for place in places if not is_fact(place.declared))
    return list(dict.fromkeys((*declared, *_also(whole))))


def fields_named(whole: BaseModel | type[BaseModel], name: str) -> list[FieldInfo]:
    """Return the fields with this dotted name: more than one if several members of a group have it."""
    head, _, inner = name.partition(".")
    field = fields_of(whole).get(head)
    if field is None or not inner:
        return [field] if field else []
    return [found for member in kind(field).members for found in fields_named(member, inner)]


def value_at(whole: BaseModel | None, name: str) -> Any:
    """Return the value of the field with this dotted name; None if its group has no such field."""
    head, _, inner = name.partition(".")
    if whole is None:
        return None
    value = vars(whole)[head] if head in vars(whole) else _also(whole).get(head, (None, None))[1]
    return value_at(value, inner) if inner else value


def with_values(whole: FrozenModel, values: Mapping[str, Any]) -> FrozenModel:
    """Return a copy of the model with new values by dotted field name, in any order. A whole group is set before the fields
    in it. A new tag, or a member's class as the group's value, switches the member: see `Kind.switched`. Raises ValueError
    with a message of one sentence."""
    return type(whole)(**_merged(type(whole), dict(whole), values))


def locate_field(model: type[BaseModel], place: Sequence[int | str]) -> tuple[type[BaseModel], tuple[int | str, ...]]:
    """Resolve pydantic's location of an error to the model that owns the field, and the path without the groups' tags."""
    field = model.model_fields.get(str(place[0])) if len(place) > 1 else None
    group = kind(field) if field else Kind(None)
    member = group.member(place[1]) if group.members else None
    if member is None:
        return model, tuple(place)
    inner = place[2:] if group.tag else place[1:]
    owner, within = locate_field(member, inner) if inner else (model, ())
    return owner, (place[0], *within)


def _also(whole: BaseModel | type[BaseModel]) -> Mapping[str, tuple[FieldInfo, Any]]:
    return {} if isinstance(whole, type) else getattr(whole, "also_declared", {})


def _tried(model: BaseModel, name: str, value: Any) -> BaseModel:
    try:
        return type(model)(**{**dict(model), name: value})
    except ValueError:
        return model


def _merged(model: type[BaseModel], own: dict[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """Merge new values into a model's own; dotted names go to the fields of its groups."""
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
        return values  # validation will refuse it
    tag = values.get(group.tag)
    if isinstance(value, BaseModel):
        member = group.member(tag)
        if member and member is not type(value):
            value = group.switched(value, member)
        return _merged(type(value), dict(value), values)
    given = {} if value is None else value
    if not isinstance(given, Mapping):
        return given  # validation will refuse it
    member = group.member(given.get(group.tag) if tag is None else tag)
    return _merged(member, dict(given), values) if member else {**given, **values}
