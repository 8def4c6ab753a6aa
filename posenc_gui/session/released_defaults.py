"""The defaults that a file leaves out.

A file holds what differs from the defaults with which its fields were first released. Those never change, whatever a new
session begins with later, so a file means the same to the explorer that wrote it, to a newer one and to an older one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, get_args, get_origin

from pydantic.fields import FieldInfo
from pydantic_core import to_jsonable_python

from posenc_gui import encodings
from posenc_gui.attention.toy_model import ToyModel
from posenc_gui.attention.trained_model import TrainedModel
from posenc_gui.encodings.base import Encoding
from posenc_gui.foundation import declared_fields
from posenc_gui.foundation.declared_model import Frozen

Content = dict[str, Any]  # an object of a file
Step = Callable[[type[Frozen], Content, str, str], Content]


class Defaults:
    """The values of fields that are absent from a file.

    first: the first default of each field whose default is another one now, as it stands in a file, by the field's path:
    "model.n_heads", "plots.attention.head", "encoding[rope].base" wherever the encoding stands,
    "encoding[rope].scaling[yarn].factor" in a member of a group, "record.steps.*.hints" in a lab's record.
    """

    def __init__(self, first: Mapping[str, Any]) -> None:
        self._first = first
        self._known: dict[tuple[type[Frozen], str], Content] = {}
        self._whole: dict[tuple[type[Frozen], str], Content] = {}

    def shortened(self, value: Frozen, root: str = "") -> Content:
        """A value as a file holds it: fields other than their first default, and tags. root: the prefix of its fields' paths."""
        return self._shortened(type(value), value.model_dump(mode="json"), root, "")

    def completed(self, model: type[Frozen], content: object, root: str = "") -> object:
        """A file's content with the fields that it leaves out; whether it fits the model, the model judges."""
        return self._completed(model, content, root, "") if isinstance(content, dict) else content

    def listed(self, model: type[Frozen], root: str = "") -> Content:
        """The default of each field by its path, with those of every encoding and group that may be chosen."""
        found = {root + name: value for name, value in self._usual(model, root).items()}
        for name, group in _groups(model).items():
            at = f"{root}{name}.*" if group.several else root + name
            for tag, member in group.members.items():
                found |= self.listed(member, group.path(at, tag))
        return found

    def _shortened(self, model: type[Frozen], content: Content, path: str, tag: str) -> Content:
        usual, groups, found = self._usual(model, path), _groups(model), {}
        left_out = self._left_out(model, path)
        for name, own in content.items():
            if name in left_out and name != tag and own == left_out[name]:
                continue  # most fields, which need no walk then
            short = groups[name].taken(self._shortened, own, path + name) if name in groups else own
            if name == tag or name not in usual or short != usual[name]:
                found[name] = short
        return found

    def _completed(self, model: type[Frozen], content: Content, path: str, _tag: str) -> Content:
        groups, found = _groups(model), self._usual(model, path) | content
        for name in groups.keys() & found.keys():
            found[name] = groups[name].taken(self._completed, found[name], path + name)
        return found

    def _left_out(self, model: type[Frozen], path: str) -> Content:
        """A model's fields that hold models, as they are written in full where a file leaves them out."""
        if (model, path) not in self._whole:
            usual, found = self._usual(model, path), {}
            for name, group in _groups(model).items():
                if name in usual:
                    whole = to_jsonable_python(model.model_fields[name].get_default(call_default_factory=True))
                    if group.taken(self._shortened, whole, path + name) == usual[name]:
                        found[name] = whole
            self._whole[model, path] = found
        return self._whole[model, path]

    def _usual(self, model: type[Frozen], path: str) -> Content:
        """What a model's absent fields mean: their first defaults; nothing where `_defaults` has none."""
        if (model, path) not in self._known:
            found = _defaults(model)
            first = {name: self._first[path + name] for name in model.model_fields if path + name in self._first}
            self._known[model, path] = found | first
        return self._known[model, path]


DEFAULTS = Defaults({})
"""Add a field here when its default changes, with the default before; never change or remove an entry. Also add a new field
whose default is not what explorers without it did."""


@dataclass(frozen=True)
class _Group:
    """The models that a field may hold, by their tags, and the tag's name, "" without one; `several`: any number of them."""

    members: Mapping[str, type[Frozen]]
    tag: str
    several: bool

    def taken(self, step: Step, content: Any, at: str) -> Any:
        """A field's content with a step taken in each model in it; anything else stays."""
        if self.several and isinstance(content, list):
            return [self._taken(step, one, f"{at}.*") for one in content]
        if self.several and isinstance(content, dict):
            return {name: self._taken(step, one, f"{at}.*") for name, one in content.items()}
        return self._taken(step, content, at)

    def path(self, at: str, tag: str) -> str:
        """The prefix of the paths of a member's fields."""
        if issubclass(self.members[tag], Encoding):
            return f"encoding[{tag}]."
        return f"{at}[{tag}]." if tag else f"{at}."

    def _taken(self, step: Step, content: Any, at: str) -> Any:
        if isinstance(content, str) and issubclass(self.members.get(content, Frozen), Encoding):
            content = {self.tag: content}  # an encoding's name alone stands for one at its defaults
        tag = content.get(self.tag, "") if isinstance(content, dict) else None
        if not isinstance(tag, str) or tag not in self.members:
            return content
        return step(self.members[tag], content, self.path(at, tag), self.tag)


@cache
def _groups(model: type[Frozen]) -> dict[str, _Group]:
    """The fields of a model that hold models."""
    return {name: group for name, field in model.model_fields.items() if (group := _group(field))}


def _group(field: FieldInfo) -> _Group | None:
    models, held = list(_models(field.annotation)), declared_fields.kind(field)
    several = get_origin(field.annotation) in (tuple, Mapping)
    if models == [Encoding]:
        return _Group(encodings.listed(), "name", several)
    if models == [ToyModel]:
        return _Group({"": ToyModel, "trained": TrainedModel}, "kind", several)  # a file names no kind of toy models
    if held.tag:
        return _Group(held.tags(), held.tag, several)
    return _Group({"": models[0]}, "", several) if len(models) == 1 else None


def _models(kind: Any) -> Iterator[type[Frozen]]:
    if isinstance(kind, type) and issubclass(kind, Frozen):
        yield kind
    for part in get_args(kind):
        yield from _models(part)


def _defaults(model: type[Frozen]) -> Content:
    """A model's defaults as a file holds them, without required fields and default factories that make no group."""
    groups, found = _groups(model), {}
    for name, field in model.model_fields.items():
        default = None if field.is_required() else field.get_default(call_default_factory=True)
        if isinstance(default, Frozen) and name in groups:
            # Fields that the declaration of the default doesn't set have their own defaults.
            given = default.model_dump(mode="json", exclude_unset=True)
            tag = default.name if isinstance(default, Encoding) else getattr(default, groups[name].tag, None)
            found[name] = given if tag is None else {groups[name].tag: tag, **given}
        elif not field.is_required() and field.default_factory is None:
            found[name] = to_jsonable_python(default)
    return found
