"""One level of a config: its fields by name, each judged when it is asked for."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.foundation.errors import Invalid, short, unknown

F = TypeVar("F", bound=Frozen)


@dataclass(frozen=True, eq=False)
class Level:
    """Fields, and what stands before their names in sentences: "text_config." of a config in a config.

    A field that is null counts as absent. Of several names the first that is there counts. Whatever is wrong with a field
    is a ValueError that names it.
    """

    fields: Mapping[str, Any]
    where: str = ""

    def name(self, *names: str) -> str | None:
        """The first of these names that is there."""
        return next((name for name in names if self.fields.get(name) is not None), None)

    def whole(self, *names: str) -> int | None:
        """A whole number from 1 on."""
        if (name := self.name(*names)) is None:
            return None
        value = self.fields[name]
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise self.wrong(name, "a whole number from 1 on")
        return value

    def number(self, *names: str) -> float | None:
        """A finite number."""
        if (name := self.name(*names)) is None:
            return None
        value = self.fields[name]
        try:
            if not isinstance(value, bool) and isinstance(value, int | float) and math.isfinite(value):
                return float(value)
        except OverflowError:  # a whole number that no float holds
            pass
        raise self.wrong(name, "a number")

    def flag(self, name: str) -> bool:
        """Whether a field is there and true."""
        value = self.fields.get(name)
        if value is not None and not isinstance(value, bool):
            raise self.wrong(name, "true or false")
        return bool(value)

    def text(self, name: str) -> str:
        """A text; empty where there is none."""
        value = self.fields.get(name)
        if value is not None and not isinstance(value, str):
            raise self.wrong(name, "text")
        return value or ""

    def group(self, *names: str) -> Level | None:
        """The fields in a field."""
        if (name := self.name(*names)) is None:
            return None
        if not isinstance(self.fields[name], Mapping):
            raise self.wrong(name, "a group of fields")
        return Level(self.fields[name], f"{self.where}{name}.")

    def wrong(self, name: str, should: str) -> ValueError:
        """What a field should be, and what it is."""
        return ValueError(f"{self.where}{name}: should be {should}, not {short(self.fields[name])!r}")

    def not_among(self, name: str, kind: str, allowed: Iterable[str]) -> ValueError:
        """A field names what isn't known."""
        return ValueError(f"{self.where}{name}: {unknown(kind, self.fields.get(name), sorted(allowed))}")

    def make(self, model: type[F], names: Mapping[str, str], /, **values: Any) -> F:
        """A model of these values; what it refuses is told by the names that its fields have in the config."""
        try:
            return model(**{name: value for name, value in values.items() if value is not None})
        except Invalid as error:
            told = []
            for place, sentence in error.mistakes:
                own = ".".join(str(part) for part in place)
                field = next((names[str(part)] for part in place if str(part) in names), own)
                told.append(f"{self.where}{field}: {sentence.removeprefix(f'{own}: ')}" if field else sentence)
            raise ValueError("; ".join(told)) from None
