"""The base of every declared value: frozen, comparable, strict about unknown fields."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from posenc_gui.foundation.errors import Invalid


class Frozen(BaseModel):
    """A pydantic model that never changes, hashes by value, and refuses unknown fields, NaN and infinity.

    Its repr shows only the fields that differ from their defaults.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, validate_default=True)

    def __init__(self, /, **data: Any) -> None:
        """Raise `errors.Invalid`, a ValueError with a message of one sentence; `model_validate` raises pydantic's own
        error.
        """
        __tracebackhide__ = True
        try:
            super().__init__(**data)
        except ValidationError as error:
            raise Invalid.of(error, type(self)) from None

    __init__.__pydantic_base_init__ = True  # type: ignore[attr-defined]  # so pydantic builds nested models without it

    def __repr_args__(self) -> Iterator[tuple[str | None, Any]]:
        """Yield the fields that aren't at their defaults."""
        declared = type(self).model_fields
        for name, value in super().__repr_args__():
            if name not in declared or value != declared[name].get_default(call_default_factory=True):
                yield name, value

    def __str__(self) -> str:
        return repr(self)
