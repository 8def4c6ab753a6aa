"""Search entries for encodings: by name, other names, models and years; named scalings have entries of their own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType

from posenc_gui import encodings
from posenc_gui.attention.layer import AttentionModel
from posenc_gui.attention.toy_model import ToyModel
from posenc_gui.attention.trained_model import TrainedModel
from posenc_gui.encodings.base import Encoding, Source
from posenc_gui.encodings.common.rope_scalings.base import Named
from posenc_gui.foundation.declared_fields import kind
from posenc_gui.foundation.errors import Undefined


@dataclass(frozen=True)
class Entry:
    """An encoding, or an encoding with a named parameter: RoPE with YaRN is found as YaRN. `also` are other names and
    `used_by` models that use it. `field` and `value` are the named parameter; empty and None for the encoding itself."""

    title: str
    kind: str
    cls: type[Encoding]
    summary: str
    source: Source
    also: tuple[str, ...] = ()
    used_by: tuple[str, ...] = ()
    field: str = ""
    value: Named | None = None

    @property
    def other_names(self) -> tuple[str, ...]:
        """What it is called besides its title; the encoding's own name is the one without a named parameter."""
        return self.also if self.field else (self.cls.name, *self.also)

    @property
    def about(self) -> str:
        """The text, besides its title, by which the search finds the entry."""
        names = (self.cls.name, *self.also, *self.used_by)
        return " ".join((*names, str(self.source.year), self.source.authors, self.summary))

    def is_of(self, encoding: Encoding) -> bool:
        """Return True if this entry names the encoding, with its named parameter."""
        named = {type(value) for _, value in encoding if isinstance(value, Named)}
        return encoding.name == self.cls.name and named == ({type(self.value)} if self.field else set())

    def chosen(self, own: Encoding | None) -> Encoding:
        """Return what the entry names: at its defaults, or with the parameters of `own` if that is the same encoding. Of
        named parameters only the entry's own is kept: RoPE is RoPE without a scaling, whatever it had before. Raises
        ValueError if the others conflict with it."""
        if own is None or own.name != self.cls.name:
            return encodings.encoding(self.cls.name, **self._named)
        if self.is_of(own):
            return own
        kept = {name: value for name, value in own if not isinstance(value, Named)}
        return encodings.encoding(self.cls.name, **{**kept, **self._named})

    @property
    def _named(self) -> dict[str, Named | None]:
        return {self.field: self.value} if self.field else {}


@lru_cache(maxsize=8)  # asked with each change of a session, whose shape stays
def refusals(d_model: int, n_heads: int, d_head: int) -> Mapping[str, str]:
    """Return the encodings that can't act on a model of this shape, by name, each with the reason."""
    found = {}
    for name, cls in encodings.listed().items():
        try:
            cls().check_shape(d_model, n_heads, d_head)
        except Undefined as why:
            found[name] = str(why)
    return MappingProxyType(found)


@lru_cache(maxsize=8)
def fitting(model: AttentionModel) -> Mapping[str, Encoding]:
    """Return the encodings that can be tried on a model, by name: all for a toy, which refuses some by its shape; for a model
    that has learned its own as trained, and those that can take its place."""
    listed = {name: cls() for name, cls in encodings.listed().items()}
    if isinstance(model, ToyModel):
        return MappingProxyType(listed)
    at_door = {name: one.at_door(model.encoding.door) for name, one in listed.items()}
    others = {name: one for name, one in at_door.items() if not _refusal(one, model)}
    return MappingProxyType({model.encoding.name: model.encoding} | others)


def _refusal(encoding: Encoding, model: TrainedModel) -> str:
    try:
        encoding.check_shape(model.d_model, model.n_heads, model.head_width)
    except Undefined as why:
        return str(why)
    return model.refusal(encoding)


def entries() -> tuple[Entry, ...]:
    """Return every encoding in the order of `encodings.listed`, each followed by its named parameters."""
    return tuple(entry for cls in encodings.listed().values() for entry in _of(cls))


def entry(name: str) -> Entry:
    """Return the entry of the encoding of this name."""
    return next(_of(encodings.listed()[name]))


def entry_of(encoding: Encoding) -> Entry:
    """Return the entry that names the encoding and its named parameter, or else the encoding."""
    found = [entry for entry in _of(encodings.listed().get(encoding.name, type(encoding))) if entry.is_of(encoding)]
    return found[0] if found else entry(encoding.name)


def is_as_chosen(encoding: Encoding) -> bool:
    """Return True if all of the encoding is at the defaults with which its entry is chosen."""
    return encoding.name in encodings.listed() and entry_of(encoding).chosen(None) == encoding


def _of(cls: type[Encoding]) -> Iterator[Entry]:
    yield Entry(cls.title, "Encoding", cls, cls.summary, cls.source, cls.also, cls.models)
    for name in cls.__annotations__.keys() & cls.model_fields:  # inherited fields are their own class's
        field = cls.model_fields[name]
        held = kind(field)
        for member in held.members:
            value = held.begun(member)
            if isinstance(value, Named):
                said = f"{cls.title} {(field.title or name).lower()}"
                title = member.model_config.get("title") or member.__name__
                yield Entry(title, said, cls, value.summary, value.source, value.also, value.models, name, value)
