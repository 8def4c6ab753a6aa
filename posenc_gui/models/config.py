"""Reads the encoding and the shape of a model from its config.json, in Hugging Face's field names, old and new.

The fields decide; `model_type` supplies what they leave out, such as which dimensions are paired. Nothing is downloaded or
executed: a config is a file of numbers and names.
"""

from __future__ import annotations

import codecs
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from posenc_gui.attention.toy_model import ToyModel
from posenc_gui.checkpoints import config_json
from posenc_gui.checkpoints.config_fields import D_HEAD, D_MODEL, GROUPS, HEADS, LENGTH, WINDOWS, Level, Shape
from posenc_gui.checkpoints.families import DOUBLED, SCALED_BY_YARN, WIDER_IF_FULL, WITHOUT_MASK, scale_by_code
from posenc_gui.encodings.base import Encoding
from posenc_gui.foundation.errors import Undefined, describe_error, quote_value
from posenc_gui.foundation.files import atomic
from posenc_gui.foundation.wording import format_count, join_words
from posenc_gui.models.config_encodings import read_encodings
from posenc_gui.models.model_facts import ModelSession, Published
from posenc_gui.models.rope_parameters import has_ordinary_heads, scale_of
from posenc_gui.models.unmodelled import filled, unmodelled


def from_config(config: str | Path | Mapping[str, Any]) -> ModelSession:
    """Return a session with the encoding, shape, mask and score scale of a model's config.json, or of a mapping
    with its fields. Its `unmodelled` says what else the model has, in sentences.

    Raises ValueError, in one sentence that names the field, for what isn't understood; OSError, in one sentence that
    names the file, if it can't be read.
    """
    try:
        return understood(config).session()
    except FileNotFoundError as error:
        raise FileNotFoundError(
            f"{describe_error(error)}; a config.json is read from here, nothing is downloaded"
        ) from None
    except OSError as error:
        raise type(error)(describe_error(error)) from None


def understood(config: str | Path | Mapping[str, Any]) -> Published:
    """Return the model that a config describes. Raises ValueError as `from_config` does, and the system's OSError."""
    if isinstance(config, Mapping):
        return _understood(Level(config))
    if not isinstance(config, str | Path):
        raise ValueError(
            f"a {config_json.KIND} is given by its path or as a mapping of its fields, not as {type(config).__name__}"
        )
    path = Path(config)
    try:
        return _understood(Level(config_json.parse(atomic.read_bytes(path, config_json.LARGEST, config_json.KIND))))
    except ValueError as error:
        if isinstance(error, atomic.Oversized):
            raise
        raise ValueError(f"{path.name}: {error}") from None


def encodings_of(config: Mapping[str, Any]) -> tuple[Encoding, ...]:
    """Return the encodings of a model's layers, those of heads of another width, too. Raises ValueError as `from_config`
    does."""
    level, family = config_json.of_text(Level(config))
    shape, causal = _shape(level, family), _is_causal(level, family)
    full, _ = read_encodings(level, family, shape.d_head, causal)
    local = read_encodings(level, family, shape.local_d_head, causal)
    return tuple(one for one in (full, *local) if one is not None)


def is_config(data: bytes) -> bool:
    """Return True if these bytes look like a model's config and not like another file of the explorer."""
    is_utf_16 = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    try:
        found = config_json.parse(data.decode("utf-16").encode() if is_utf_16 else data.removeprefix(codecs.BOM_UTF8))
    except ValueError:
        return False
    return "format" not in found and ("model_type" in found or "architectures" in found)


def is_config_at(path: Path) -> bool:
    """Return True if `is_config` holds for a file's bytes; False if it can't be read."""
    try:
        return is_config(atomic.read_bytes(path, config_json.LARGEST, config_json.KIND))
    except (OSError, ValueError):
        return False


def _understood(whole: Level) -> Published:
    level, family = config_json.of_text(whole)
    shape = _shape(level, family)
    causal = _is_causal(level, family)
    encoding, other = read_encodings(level, family, shape.d_head, causal)
    if shape.local_d_head != shape.d_head:
        other = None
    lengths = config_json.lengths(level, family)
    model = level.make(
        ToyModel,
        shape.names,
        d_model=shape.d_model,
        n_heads=shape.n_heads,
        d_head=None if shape.d_head * shape.n_heads == shape.d_model else shape.d_head,
        causal=causal,
        scale=_scale(level, family, encoding, shape.d_head),
    )
    for one in filter(None, (encoding, other)):
        try:
            one.check_shape(model.d_model, model.n_heads, model.head_width)
        except Undefined as why:
            raise ValueError(f"{level.where}{shape.names['d_head'] or shape.names['d_model']}: {why}") from None
    _check_groups(level, shape.n_heads)
    _check_window(level)
    return level.make(
        Published,
        dict.fromkeys(("trained_length", "context"), level.own("original_max_position_embeddings", *LENGTH) or ""),
        encoding=encoding,
        other=other,
        full_layers=_full_layers(level),
        model=model,
        trained_length=lengths.trained,
        context=lengths.context,
        unmodelled=unmodelled(level, family, encoding, shape),
        filled=filled(level, family),
    )


def _full_layers(level: Level) -> str:
    """Return how many layers see all tokens: “8 of 48”, “one in 6”; empty if the config doesn't say it."""
    kinds = [*map(str, level.listed("layer_types"))]
    if level.fields.get("layer_types"):  # a class's default is for as many layers as it has
        return f"{sum('sliding' not in kind for kind in kinds)} of {len(kinds)}"
    every = level.whole(level.own("sliding_window_pattern", "global_attn_every_n_layers") or "")
    return f"one in {every}" if every else ""


def _is_causal(level: Level, family: str) -> bool:
    """Return True if a token sees no later ones; `is_causal` counts as in transformers' create_causal_mask."""
    if any(level.flag(name) for name in ("is_decoder", "causal")) or level.value("attn_type") == "uni":
        return True
    told = level.value("use_bidirectional_attention") is True or level.value("is_causal") is False
    return not told and family not in WITHOUT_MASK


def _shape(level: Level, family: str) -> Shape:
    d_model, n_heads = level.whole(*D_MODEL), level.whole(*HEADS)
    for found, (first, *others) in ((d_model, D_MODEL), (n_heads, HEADS)):
        if found is None:
            is_unknown = family and not level.defaults
            kind = f"model_type {quote_value(family)}{config_json.meant_family(family)} isn't known, so " * bool(
                is_unknown
            )
            raise ValueError(
                f"{level.where}{kind}{first} must be given, or under another name: {join_words(others, 'or')}"
            )
    assert d_model
    assert n_heads
    names = {
        "d_model": level.name(*D_MODEL) or "",
        "n_heads": level.name(*HEADS) or "",
        "d_head": level.own(*D_HEAD) or "",
    }
    without, turned = (
        level.whole(name) if level.says(name) else None for name in ("qk_nope_head_dim", "qk_rope_head_dim")
    )
    if without and turned:
        local = level.of_some_layers("qk_nope_head_dim") or without
        return Shape(d_model, n_heads, without + turned, local + turned, names | {"d_head": "qk_nope_head_dim"})
    d_head = level.whole(level.own(*D_HEAD) or "") if has_ordinary_heads(level) else level.whole(*D_HEAD)
    shared = (level.whole("true_hidden_size") or d_model) * (2 if family in DOUBLED else 1)
    if d_head is None and shared % n_heads and not _rounds(level):
        raise ValueError(
            f"{level.where}{names['n_heads']}: {format_count(d_model, 'dimension')} can't be shared equally among "
            f"{format_count(n_heads, 'head')}"
        )
    local = d_head or shared // n_heads
    return Shape(d_model, n_heads, _of_full(level, family) or local, local, names)


def _check_groups(level: Level, n_heads: int) -> None:
    """Raise ValueError unless heads share keys and values in equal groups, as `repeat_kv` needs them."""
    name = level.own(*GROUPS)
    is_left_over = level.says("kv_lora_rank") or (
        level.says("multi_query") and not level.says("new_decoder_architecture")
    )
    if name is None or is_left_over:
        return
    if n_heads % (groups := level.whole(name) or 1):
        shared = f"{format_count(groups, 'head')} of keys and values"
        raise ValueError(f"{level.where}{name}: {format_count(n_heads, 'head')} can't share {shared} equally")


def _check_window(level: Level) -> None:
    """Raise ValueError for a window that counts no tokens; 0 stands for none."""
    name = level.name(*WINDOWS) or ""
    held = level.value(name)
    for one in held if isinstance(held, list) else [held]:
        if isinstance(one, str | bool) or (isinstance(one, int | float) and one < 0):
            raise level.wrong(name, "a number of tokens")


def _rounds(level: Level) -> bool:
    """Return True if a class begins with heads that don't divide its width: it rounds down."""
    held = ((level.defaults[name] for name in names if name in level.defaults) for names in (D_MODEL, HEADS))
    width, heads = (next(found, 1) for found in held)
    return bool(width % heads)


def _of_full(level: Level, family: str) -> int | None:
    """Return the width of heads in layers that see all tokens, where it is another."""
    if family not in WIDER_IF_FULL:
        return None
    return level.whole("global_head_dim") if level.own("global_head_dim") else level.of_some_layers("head_dim")


def _scale(level: Level, family: str, encoding: Encoding, d_head: int) -> float | None:
    """Return the scale by which q · k is multiplied; None for the encoding's own."""
    if (asked := level.number("query_pre_attn_scalar")) is not None:
        if asked <= 0:
            raise level.wrong("query_pre_attn_scalar", "more than 0")
        return None if asked == d_head else asked**-0.5
    attention = level.group("attn_config")
    if attention and (given := attention.number("softmax_scale")) is not None:
        return given
    if (given := level.number("attention_multiplier")) is not None:  # Granite
        return given
    if level.fields.get("scale_attn_weights") is False:
        return 1.0
    return scale_of(encoding, d_head) if family in SCALED_BY_YARN else scale_by_code(family, d_head)
