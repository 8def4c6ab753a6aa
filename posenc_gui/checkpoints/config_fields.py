"""One level of a config: its fields by name, each checked when it is read."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

from posenc_gui.foundation import declared_fields
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.foundation.errors import Invalid, once_a_list, quote_value, unknown_name

_LARGEST = 2**53
_PYTHON_S = {"inf": "Infinity", "nan": "NaN", "None": "null"}
_ODD_VALUE = re.compile(rf"(?<=not )(-?)({'|'.join(_PYTHON_S)})\b")
F = TypeVar("F", bound=Frozen)

# The names of one field in different models' configs; the first that is present counts.
D_MODEL = ("hidden_size", "n_embd", "n_embed", "d_model", "dim", "emb_dim")
HEADS = (
    "num_attention_heads", "n_head", "n_heads", "num_heads", "encoder_attention_heads", "attention_heads",
    "encoder_num_attention_heads",
)  # fmt: skip
D_HEAD = ("head_dim", "attention_head_dim", "d_kv", "d_head", "kv_channels")
LENGTH = (
    "max_position_embeddings", "n_positions", "max_seq_len", "max_source_positions", "n_ctx", "seq_length",
    "max_sequence_length", "max_target_positions",
)  # fmt: skip
GROUPS = ("num_key_value_heads", "num_kv_heads", "n_head_kv")
WINDOWS = (  # how many tokens those layers see that don't see all
    "sliding_window", "sliding_window_size", "attention_window_size", "attention_window", "local_attention", "window_size",
    "local_radius",
)  # fmt: skip
OF_ATTENTION = ("alibi", "alibi_bias_max", "softmax_scale", "kv_n_heads", "rope_theta", "qk_ln")  # in `attn_config`
NESTED = (
    "text_config",
    "llm_config",
    "language_config",
    "text_model_config",
    "thinker_config",
    "decoder_config",
    "encoder",
)

# Of these a recorded class default takes the place of a field that is absent.
FILLED = (
    *D_MODEL, *HEADS, *D_HEAD, *LENGTH, *GROUPS, "original_max_position_embeddings", "qk_nope_head_dim", "qk_rope_head_dim",
    "kv_lora_rank", "index_n_heads", "true_hidden_size", "rotary_dim", "rope_parameters", "rope_interleave", "use_mem_rope",
    "query_pre_attn_scalar", "attention_multiplier", "position_embedding_type", "alibi", "multi_query",
    "new_decoder_architecture", "is_decoder", "use_bidirectional_attention", *WINDOWS, "use_sliding_window",
    "attention_chunk_size", "attn_temperature_tuning", "attn_logit_softcapping", "use_qk_norm", "qk_layernorm",
    "scale_embedding", "learned_pos_emb", "layer_types", "no_rope_layers", "layer_rope_theta", "per_layer_config", "attn_config",
    "rope_theta", "compress_rope_theta", "log_scaling_n_floor",
    "relative_attention", "relative_attention_num_buckets", "relative_attention_max_distance", "position_buckets",
    "max_relative_positions", "pos_att_type", "pad_token_id", "d_rel", "rel_extent", "sinusoidal_pos_embds",
    "sinusoidal_embeddings",
)  # fmt: skip


class NoSwitch(ValueError):
    """A field of a config that should be true or false is neither."""


@dataclass(frozen=True, eq=False)
class Level:
    """Fields, and the prefix of their names in messages: "text_config." for a config in a config.

    A null field counts as absent. Of several names, the first that is present counts; where none is, `defaults` count,
    and numbers from there are noted in `filled`. A field that can't be used raises a ValueError that names it.
    """

    fields: Mapping[str, Any]
    where: str = ""
    defaults: Mapping[str, Any] = field(default_factory=dict)
    filled: dict[str, Any] = field(default_factory=dict)

    def own(self, *names: str) -> str | None:
        """Return the first of these names that the config itself has."""
        return next((name for name in names if self.fields.get(name) is not None), None)

    def name(self, *names: str) -> str | None:
        """Return the first of these names that is present, or has a default."""
        return self.own(*names) or next((name for name in names if name in self.defaults and self._lacks(name)), None)

    def _lacks(self, name: str) -> bool:
        """Return True unless the config says null, which means none; a block that is null is its class's."""
        return name not in self.fields or name == "rope_parameters"

    def says(self, *names: str) -> bool:
        """Return True if one of these fields is present, or has a default, that is neither false, zero nor empty."""
        present = (name for name in names if self.name(name))
        return any(self.value(name) not in (False, 0, "", [], {}, ()) for name in present)

    def value(self, name: str) -> Any:
        """Return a field as it stands, else its default; None if there is neither."""
        value = self.fields.get(name)
        return self.defaults.get(name) if value is None else value

    def whole(self, *names: str) -> int | None:
        """Return a field as a whole number of at least 1."""
        if (name := self.name(*names)) is None:
            return None
        value = self._number(name)
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise self.wrong(name, "a whole number from 1 on")
        if value > _LARGEST:
            raise self.wrong(name, "no more than a float64 holds exactly")
        return value

    def number(self, *names: str) -> float | None:
        """Return a field as a finite number."""
        if (name := self.name(*names)) is None:
            return None
        value = self._number(name)
        try:
            if not isinstance(value, bool) and isinstance(value, int | float) and math.isfinite(value):
                return float(value)
        except OverflowError:
            raise self.wrong(name, "no more than a float64 holds") from None
        raise self.wrong(name, "a finite number" if isinstance(value, float) else "a number")

    def flag(self, name: str) -> bool:
        """Return True if a field is present and true, or a number above 0, as Llama 4's attn_temperature_tuning 4."""
        value = self.value(name)
        if value is not None and not (isinstance(value, int) and value >= 0):
            raise NoSwitch(str(self.wrong(name, "true or false")))
        return bool(value)

    def text(self, name: str) -> str:
        """Return a field as text; empty if it is absent."""
        value = self.value(name)
        if value is not None and not isinstance(value, str):
            raise self.wrong(name, "text")
        return value or ""

    def group(self, *names: str) -> Level | None:
        """Return the fields nested in a field."""
        if (name := self.name(*names)) is None:
            return None
        if not isinstance(self.value(name), Mapping):
            raise self.wrong(name, "a group of fields")
        return Level(self.value(name), f"{self.where}{name}.")

    def listed(self, name: str) -> list[Any]:
        """Return what a field, or its default, says of layers, in a list or by the layer's number; empty if neither does."""
        held = self.value(name) or self.defaults.get(name)
        if isinstance(held, Mapping):
            return list(held.values())
        return list(held) if isinstance(held, list | tuple) else []

    def of_some_layers(self, name: str) -> int | None:
        """Return a whole number from 1 on that some layers have and the rest don't; None if none do, or not all the same."""
        layers = [one for one in self.listed("per_layer_config") if isinstance(one, Mapping)]
        found = {Level(one, f"{self.where}per_layer_config.").whole(name) for one in layers} - {None}
        return found.pop() if len(found) == 1 else None

    def _number(self, name: str) -> Any:
        if self.own(name) is None:
            self.filled[name] = self.defaults[name]
        return self.value(name)

    def wrong(self, name: str, should: str) -> ValueError:
        """Return an error that says what a field should be, and what it is."""
        given = self.fields[name] if name in self.fields else self.value(name)
        return ValueError(_as_json(f"{self.where}{name}: should be {should}, not {quote_value(given)}"))

    def not_among(self, name: str, kind: str, allowed: Iterable[str]) -> ValueError:
        """Return an error that says which values a field may have; names that are merely alike are other methods."""
        return ValueError(f"{self.where}{name}: {unknown_name(kind, self.value(name), sorted(allowed), alike=0.75)}")

    def make(self, model: type[F], names: Mapping[str, str], /, **values: Any) -> F:
        """Build a model from these values; errors name fields as the config does. A number in quotes is none, as in
        transformers."""
        given = {name: value for name, value in values.items() if value is not None}
        for name in given.keys() & model.model_fields.keys():
            if should := _should_be(declared_fields.kind(model.model_fields[name]), given[name]):
                raise self.wrong(names.get(name, name), should)
        try:
            return model(**given)
        except Invalid as error:
            told = []
            for place, sentence in once_a_list(error.mistakes):
                own = ".".join(str(part) for part in place)
                called = next((names[str(part)] for part in place if str(part) in names), own)
                told.append(f"{self.where}{called}: {sentence.removeprefix(f'{own}: ')}" if called else sentence)
            raise ValueError(_as_json("; ".join(told))) from None


def _as_json(said: str) -> str:
    """Return a message with what Python calls inf, nan and None as a config has it."""
    return _ODD_VALUE.sub(lambda found: f"{found[1]}{_PYTHON_S[found[2]]}", said)


def _should_be(held: declared_fields.Kind, value: object) -> str:
    """Say what a field holds if this is a text, or a truth value, in its place; else nothing."""
    types = declared_fields.value_types(held) or [held.type]
    values = value if isinstance(value, list | tuple) else [value]
    if types == [bool]:
        return "true or false" if isinstance(value, str) else ""
    if not set(types) <= {int, float} or not any(isinstance(one, str | bool) for one in values):
        return ""
    return "a number" if types == [held.type] else "a list of numbers"


class Shape(NamedTuple):
    """The shape of a model's heads, those of local layers too, and the config's name for each number."""

    d_model: int
    n_heads: int
    d_head: int
    local_d_head: int
    names: dict[str, str]
