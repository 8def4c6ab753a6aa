"""The base of every declared value: frozen, comparable, strict about unknown fields."""

from __future__ import annotations

import html
from collections.abc import Collection, Iterator, Mapping
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic.fields import FieldInfo

from posenc_gui.foundation import declared_fields
from posenc_gui.foundation.errors import Invalid
from posenc_gui.foundation.wording import format_number

_LONGEST_VALUE = 24  # characters


class Frozen(BaseModel):
    """A pydantic model that never changes, hashes by value, and refuses unknown fields, NaN and infinity. Its repr shows only
    the fields that differ from their defaults; a notebook shows all that have a title."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, validate_default=True)

    def __init__(self, /, **data: Any) -> None:
        """Raise `errors.Invalid`, a ValueError with one sentence; `model_validate` raises pydantic's own error."""
        __tracebackhide__ = True
        try:
            super().__init__(**data)
        except ValidationError as error:
            raise Invalid.of(error, type(self)) from None

    __init__.__pydantic_base_init__ = True  # type: ignore[attr-defined]  # so pydantic builds nested models without it

    def with_fields(self, **fields: Any) -> Self:
        """Return a copy with these fields changed, validated as a whole. Raises as making one does."""
        return type(self)(**{**dict(self), **fields})

    @property
    def also_declared(self) -> Mapping[str, tuple[FieldInfo, Any]]:
        """Fields that this value has besides its class's, with their values: the numbers that a typed formula names. Making
        one takes them by name, as it does any field."""
        return {}

    def told_apart_by(self, other: Frozen) -> Collection[str]:
        """The names of the fields that tell this value from another one of its kind; empty for one of another kind."""
        return type(self).model_fields if type(self) is type(other) else ()

    @property
    def called(self) -> str:
        """The value's name in sentences."""
        return declared_fields.title(type(self))

    def __repr_args__(self) -> Iterator[tuple[str | None, Any]]:
        """Yield the fields that aren't at their defaults."""
        declared = type(self).model_fields
        for name, value in super().__repr_args__():
            if name not in declared or value != declared[name].get_default(call_default_factory=True):
                yield name, value

    def __str__(self) -> str:
        return repr(self)

    def _repr_mimebundle_(self, **_asked: object) -> dict[str, str]:
        """Return the value for a notebook: its parameters, and itself as text."""
        return {"text/html": parameter_table(self), "text/plain": repr(self)}


def parameter_table(model: Frozen, side: str = "") -> str:
    """Return a table of a model's parameters in HTML: title, name in Python, value; bold, with the default, where it differs."""
    rows = []
    for place in declared_fields.walk(model, lambda place: not declared_fields.is_fact(place.declared)):
        declared, value = place.declared, place.value
        if not declared.title or not declared_fields.is_choice(declared):
            continue
        default = declared.get_default(call_default_factory=True)
        is_own = declared_fields.is_fact(declared) or declared.is_required() or value == default
        now, before = (html.escape(worded_value(declared, one)) for one in (value, value if is_own else default))
        cells = f"<td>{now}</td><td></td>" if is_own else f"<td><b>{now}</b></td><td>{before}</td>"
        rows.append(f"<tr><td>{html.escape(place.title)}</td><td><code>{place.name}</code></td>{cells}</tr>")
    head = "<tr><th>Parameter</th><th>Name</th><th>Value</th><th>Default, if another</th></tr>" if rows else ""
    return f"<table><caption>{side}{html.escape(model.called)}</caption>{head}{''.join(rows)}</table>"


def worded_value(declared: FieldInfo, value: Any) -> str:
    """Format a field's value for users: by its title in a sentence, “none” for no member of a group, else as `format_value`."""
    if value is None and declared_fields.kind(declared).members:
        return declared_fields.NONE
    return declared_fields.inner_option(declared, value) or format_value(value)


def format_value(value: Any) -> str:
    """Format a field's value for users: None and () as “automatic”, long texts and tuples cut to 24 characters."""
    if value is None or value == ():
        return "automatic"
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:,.0f}" if value == round(value) and abs(value) < 1e12 else format_number(value)
    if isinstance(value, Frozen):
        return value.called
    if isinstance(value, tuple):
        some = _beginning(value)
        value = ", ".join(format_value(one) if isinstance(one, float | Frozen) else str(one) for one in some)
    text = " ".join(str(value).split("\n"))
    return text if len(text) <= _LONGEST_VALUE else text[: _LONGEST_VALUE - 1] + "…"


def _beginning(values: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return as many values, and values within them, as can be displayed."""
    return tuple(_beginning(one) if isinstance(one, tuple) else one for one in values[:_LONGEST_VALUE])
