"""One level of a config: its fields by name, each checked when it is read."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.foundation.errors import Invalid, shorten_value, unknown_name

F = TypeVar("F", bound=Frozen)

# The names of one field in different models' configs; the first that is present counts.
D_MODEL = ("hidden_size", "n_embd", "n_embed", "d_model", "dim")
HEADS = ("num_attention_heads", "n_head", "n_heads", "num_heads", "encoder_attention_heads")
D_HEAD = ("head_dim", "d_kv", "d_head", "kv_channels")
LENGTH = (
    "max_position_embeddings", "n_positions", "max_seq_len", "max_source_positions", "n_ctx", "seq_length",
    "max_sequence_length", "max_target_positions",
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Level:
    """Fields, and the prefix of their names in messages: "text_config." for a config in a config.

    A null field counts as absent. Of several names, the first that is present counts. A field that can't be used raises a
    ValueError that names it.
    """

    fields: Mapping[str, Any]
    where: str = ""

    def name(self, *names: str) -> str | None:
        """Return the first of these names that is present."""
        return next((name for name in names if self.fields.get(name) is not None), None)

    def whole(self, *names: str) -> int | None:
        """Return a field as a whole number of at least 1."""
        if (name := self.name(*names)) is None:
            return None
        value = self.fields[name]
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise self.wrong(name, "a whole number from 1 on")
        return value

    def number(self, *names: str) -> float | None:
        """Return a field as a finite number."""
        if (name := self.name(*names)) is None:
            return None
        value = self.fields[name]
        try:
            if not isinstance(value, bool) and isinstance(value, int | float) and math.isfinite(value):
                return float(value)
        except OverflowError:  # an integer too large for a float
            pass
        raise self.wrong(name, "a number")

    def flag(self, name: str) -> bool:
        """Return True if a field is present and true."""
        value = self.fields.get(name)
        if value is not None and not isinstance(value, bool):
            raise self.wrong(name, "true or false")
        return bool(value)

    def text(self, name: str) -> str:
        """Return a field as text; empty if it is absent."""
        value = self.fields.get(name)
        if value is not None and not isinstance(value, str):
            raise self.wrong(name, "text")
        return value or ""

    def group(self, *names: str) -> Level | None:
        """Return the fields nested in a field."""
        if (name := self.name(*names)) is None:
            return None
        if not isinstance(self.fields[name], Mapping):
            raise self.wrong(name, "a group of fields")
        return Level(self.fields[name], f"{self.where}{name}.")

    def wrong(self, name: str, should: str) -> ValueError:
        """Return an error that says what a field should be, and what it is."""
        return ValueError(f"{self.where}{name}: should be {should}, not {shorten_value(self.fields[name])!r}")

    def not_among(self, name: str, kind: str, allowed: Iterable[str]) -> ValueError:
        """Return an error that says which values a field may have."""
        return ValueError(f"{self.where}{name}: {unknown_name(kind, self.fields.get(name), sorted(allowed))}")

    def make(self, model: type[F], names: Mapping[str, str], /, **values: Any) -> F:
        """Build a model from these values; its error messages name the fields as the config does."""
        try:
            return model(**{name: value for name, value in values.items() if value is not None})
        except Invalid as error:
            told = []
            for place, sentence in error.mistakes:
                own = ".".join(str(part) for part in place)
                field = next((names[str(part)] for part in place if str(part) in names), own)
                told.append(f"{self.where}{field}: {sentence.removeprefix(f'{own}: ')}" if field else sentence)
            raise ValueError("; ".join(told)) from None
