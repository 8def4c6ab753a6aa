"""Reads the encoding and the shape of a model from its config.json, in Hugging Face's field names, old and new.

The fields decide; `model_type` supplies what they leave out, such as which dimensions are paired. Nothing is downloaded or
executed: a config is a file of numbers and names.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from pydantic_core import from_json

from posenc_gui.attention.toy_model import ToyModel
from posenc_gui.encodings.base import Encoding, RotationEncoding
from posenc_gui.foundation.errors import Undefined, describe_error
from posenc_gui.foundation.files import atomic
from posenc_gui.foundation.wording import format_count, join_words
from posenc_gui.models.config_encodings import PADDED, T5_FAMILIES, read_encodings
from posenc_gui.models.config_fields import D_HEAD, D_MODEL, HEADS, LENGTH, Level
from posenc_gui.models.model_facts import Published
from posenc_gui.models.rope_parameters import scale_of
from posenc_gui.models.unmodelled import unmodelled
from posenc_gui.session.session import Session

LARGEST = 5_000_000  # bytes; a config with LongRoPE's lists takes a hundredth of it
_KIND = "model's config.json"

_NESTED = ("text_config", "llm_config", "language_config", "text_model_config", "thinker_config", "decoder_config")
_DEEPEST = 4  # levels of such configs

_WITHOUT_MASK = {
    *PADDED, "albert", "bart", "bert", "deberta", "deberta-v2", "distilbert", "electra", "esm", "eurobert", "flaubert",
    "fsmt", "m2m_100", "marian", "mbart", "megatron-bert", "mobilebert", "modernbert", "nomic_bert", "pegasus", "roformer",
    "speech_to_text", "whisper", "xlm", "xlnet", *T5_FAMILIES,
}  # fmt: skip


def from_config(config: str | Path | Mapping[str, Any]) -> Session:
    """Return a session with the encoding, shape, mask and score scale of a model's config.json, or of a mapping
    with its fields.

    Raises ValueError, in one sentence that names the field, for what isn't understood; OSError, in one sentence that
    names the file, if it can't be read.
    """
    try:
        return understood(config).chosen(Session())
    except FileNotFoundError as error:
        raise FileNotFoundError(
            f"{describe_error(error)}; a config.json is read from here, nothing is downloaded"
        ) from None
    except OSError as error:
        raise type(error)(describe_error(error)) from None


def understood(config: str | Path | Mapping[str, Any]) -> Published:
    """Return the model that a config describes. Raises ValueError as `from_config` does, and the system's own
    OSError."""
    if isinstance(config, Mapping):
        return _understood(Level(config))
    if not isinstance(config, str | Path):
        raise ValueError(
            f"a {_KIND} is given by its path or as a mapping of its fields, not as {type(config).__name__}"
        )
    path = Path(config)
    try:
        return _understood(Level(_content(atomic.read_bytes(path, LARGEST, _KIND))))
    except ValueError as error:
        if isinstance(error, atomic.Oversized):
            raise
        raise ValueError(f"{path.name}: {error}") from None


def is_config(data: bytes) -> bool:
    """Return True if these bytes look like a model's config and not like another file of the explorer."""
    try:
        found = _content(data)
    except ValueError:
        return False
    return "format" not in found and ("model_type" in found or "architectures" in found)


def is_config_at(path: Path) -> bool:
    """Return True if `is_config` holds for a file's bytes; False if it can't be read."""
    try:
        return is_config(atomic.read_bytes(path, LARGEST, _KIND))
    except (OSError, ValueError):
        return False


def _content(data: bytes) -> Mapping[str, Any]:
    try:
        found = from_json(data, allow_inf_nan=False)
    except ValueError as error:
        raise ValueError(f"this is no {_KIND}: {error}") from None
    if not isinstance(found, dict):
        raise ValueError(f"this is no {_KIND}, which holds fields and their values")
    return found


class _Shape(NamedTuple):
    """The shape of a model's heads, and the config's name for each number."""

    d_model: int
    n_heads: int
    d_head: int
    names: dict[str, str]


def _understood(whole: Level) -> Published:
    level = _of_text(whole)
    family = level.text("model_type")
    shape = _shape(level)
    causal = level.flag("is_decoder") or family not in _WITHOUT_MASK
    encoding, other = read_encodings(level, family, shape.d_head, causal)
    reach = level.whole(*LENGTH)
    trained = level.whole("original_max_position_embeddings") or _known(encoding) or reach
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
    return level.make(
        Published,
        dict.fromkeys(("trained_length", "context"), level.name("original_max_position_embeddings", *LENGTH) or ""),
        encoding=encoding,
        other=other,
        model=model,
        trained_length=trained,
        context=None if reach == trained else reach,
        unmodelled=unmodelled(level, family, encoding, shape.d_head),
    )


def _of_text(level: Level) -> Level:
    """Return the config of the layers that read text, which models of text and images nest in their own."""
    for _ in range(_DEEPEST):
        if level.name(*D_MODEL) or (inner := level.group(*_NESTED)) is None:
            break
        level = inner
    return level


def _shape(level: Level) -> _Shape:
    d_model, n_heads = level.whole(*D_MODEL), level.whole(*HEADS)
    for found, (first, *others) in ((d_model, D_MODEL), (n_heads, HEADS)):
        if found is None:
            raise ValueError(f"{level.where}{first} must be given, or under another name: {join_words(others, 'or')}")
    assert d_model
    assert n_heads
    names = {
        "d_model": level.name(*D_MODEL) or "",
        "n_heads": level.name(*HEADS) or "",
        "d_head": level.name(*D_HEAD) or "",
    }
    without, turned = level.whole("qk_nope_head_dim"), level.whole("qk_rope_head_dim")
    if without and turned:
        return _Shape(d_model, n_heads, without + turned, names | {"d_head": "qk_nope_head_dim"})
    d_head = level.whole(*D_HEAD)
    if d_head is None and d_model % n_heads:
        raise ValueError(
            f"{level.where}{names['n_heads']}: {format_count(d_model, 'dimension')} can't be shared equally among "
            f"{format_count(n_heads, 'head')}"
        )
    return _Shape(d_model, n_heads, d_head or d_model // n_heads, names)


def _known(encoding: Encoding) -> int | None:
    return encoding.trained_length if isinstance(encoding, RotationEncoding) else None


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
    if family == "gpt_neo" or level.fields.get("scale_attn_weights") is False:
        return 1.0
    return scale_of(encoding, d_head) if family.startswith("deepseek") else None
