"""A model's config.json, in Hugging Face's field names, old and new: which encoding it is, with which parameters.

What the fields say counts; `model_type` tells what they leave out, such as which dimensions are paired. Nothing is
downloaded and nothing executed: a config is a file of numbers and names.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from pydantic_core import from_json

from posenc_gui.attention.toy_model import ToyModel
from posenc_gui.encodings.alibi import ALiBi
from posenc_gui.encodings.base import Encoding, RotationEncoding
from posenc_gui.encodings.deberta import DeBERTa
from posenc_gui.encodings.inkling import Inkling
from posenc_gui.encodings.learned import Learned
from posenc_gui.encodings.shaw import Shaw
from posenc_gui.encodings.sinusoidal import Sinusoidal
from posenc_gui.encodings.t5 import T5
from posenc_gui.encodings.transformer_xl import TransformerXL
from posenc_gui.figure.figure import number
from posenc_gui.foundation.errors import Undefined, sentence, short
from posenc_gui.foundation.files import atomic as files
from posenc_gui.models.config_fields import Level
from posenc_gui.models.model_facts import Published
from posenc_gui.models.rope_parameters import is_pairing_known, rotary, says_rotary, scale_of
from posenc_gui.session.session import Session

LARGEST = 5_000_000  # bytes; a config with LongRoPE's lists takes a hundredth of it
_KIND = "model's config.json"

_NESTED = ("text_config", "llm_config", "language_config", "text_model_config", "thinker_config", "decoder_config")
_DEEPEST = 4  # levels of such configs

_D_MODEL = ("hidden_size", "n_embd", "n_embed", "d_model", "dim")
_HEADS = ("num_attention_heads", "n_head", "n_heads", "num_heads", "encoder_attention_heads")
_D_HEAD = ("head_dim", "d_kv", "d_head", "kv_channels")
_LENGTH = (
    "max_position_embeddings", "n_positions", "max_seq_len", "max_source_positions", "n_ctx", "seq_length",
    "max_sequence_length", "max_target_positions",
)  # fmt: skip

# How many rows of a learned table come before the first position's, beside `pad_token_id`.
_PADDED = {
    "roberta", "roberta-prelayernorm", "camembert", "xlm-roberta", "xlm-roberta-xl", "ibert", "longformer", "data2vec-text",
}  # fmt: skip
_LEARNED = _PADDED | {
    "albert", "bart", "bert", "biogpt", "deberta", "deberta-v2", "distilbert", "electra", "flaubert", "gpt2",
    "gpt_bigcode", "gpt_neo", "imagegpt", "mbart", "megatron-bert", "mobilebert", "openai-gpt", "opt", "xlm",
}  # fmt: skip
_SINUSOIDAL = {
    "marian": ("concatenated", "paper"),
    "pegasus": ("concatenated", "paper"),
    "ctrl": ("concatenated", "paper"),
    "speech_to_text": ("concatenated", "tensor2tensor"),
    "fsmt": ("concatenated", "tensor2tensor"),
    "m2m_100": ("concatenated", "tensor2tensor"),
    "xglm": ("concatenated", "tensor2tensor"),
    "whisper": ("concatenated", "tensor2tensor"),
    "musicgen_decoder": ("cosine_first", "tensor2tensor"),
}
_T5 = {"t5", "mt5", "umt5", "longt5", "switch_transformers"}
_TRANSFORMER_XL = {"transfo-xl", "xlnet"}
_WITHOUT_MASK = {
    *_PADDED, "albert", "bart", "bert", "deberta", "deberta-v2", "distilbert", "electra", "esm", "eurobert", "flaubert",
    "fsmt", "m2m_100", "marian", "mbart", "megatron-bert", "mobilebert", "modernbert", "nomic_bert", "pegasus", "roformer",
    "speech_to_text", "whisper", "xlm", "xlnet", *_T5,
}  # fmt: skip
_OF_ENCODER = {"bart", "fsmt", "m2m_100", "marian", "mbart", "pegasus", "speech_to_text", "whisper", *_T5}
_NORMALISED = {
    "afmoe", "exaone4", "exaone_moe", "gemma3_text", "gemma4_text", "olmo2", "qwen3", "qwen3_moe", "qwen3_vl_text",
    "qwen3_vl_moe_text",
}  # fmt: skip
_TURNED_IF_LOCAL = {"afmoe", "cohere2", "exaone4", "exaone_moe"}  # of their layers only those with a sliding window
_TYPES = ("absolute", "alibi", "learned", "relative_key", "rope", "rotary", "sinusoidal")
_LOOKED_FOR = (
    "rope_parameters", "rope_theta", "rope_scaling", "rotary_pct", "position_embedding_type", "alibi", "relative_attention",
    "relative_attention_num_buckets",
)  # fmt: skip


def from_config(config: str | Path | Mapping[str, Any]) -> Session:
    """A session with the encoding, shape, mask and score scale that a model's config.json says, or that a mapping says.

    Raises ValueError, in one sentence that names the field, for what isn't understood; OSError, in one sentence that names
    the file, where it can't be read.
    """
    try:
        return understood(config).chosen(Session())
    except FileNotFoundError as error:
        raise FileNotFoundError(f"{sentence(error)}; a config.json is read from here, nothing is downloaded") from None
    except OSError as error:
        raise type(error)(sentence(error)) from None


def understood(config: str | Path | Mapping[str, Any]) -> Published:
    """What a config says. Raises ValueError as `from_config` does, and OSError as the system says it."""
    if isinstance(config, Mapping):
        return _understood(Level(config))
    if not isinstance(config, str | Path):
        raise ValueError(
            f"a {_KIND} is given by its path or as a mapping of its fields, not as {type(config).__name__}"
        )
    path = Path(config)
    try:
        return _understood(Level(_content(files.content(path, LARGEST, _KIND))))
    except ValueError as error:
        if isinstance(error, files.Oversized):
            raise
        raise ValueError(f"{path.name}: {error}") from None


def is_config(data: bytes) -> bool:
    """Whether these bytes look like a model's config rather than another file of the explorer."""
    try:
        found = _content(data)
    except ValueError:
        return False
    return "format" not in found and ("model_type" in found or "architectures" in found)


def is_config_at(path: Path) -> bool:
    """Whether there is a file that `is_config`; False where it can't be read."""
    try:
        return is_config(files.content(path, LARGEST, _KIND))
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
    """The shape of a model's heads, and the fields that say so."""

    d_model: int
    n_heads: int
    d_head: int
    names: dict[str, str]


def _understood(whole: Level) -> Published:
    level = _of_text(whole)
    family = level.text("model_type")
    shape = _shape(level)
    causal = level.flag("is_decoder") or family not in _WITHOUT_MASK
    encoding, other = _encodings(level, family, shape, causal)
    reach = level.whole(*_LENGTH)
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
        dict.fromkeys(("trained_length", "context"), level.name("original_max_position_embeddings", *_LENGTH) or ""),
        encoding=encoding,
        other=other,
        model=model,
        trained_length=trained,
        context=None if reach == trained else reach,
        unmodelled=_unmodelled(level, family, encoding, shape.d_head),
    )


def _of_text(level: Level) -> Level:
    """The config of the layers that read text, which models of text and pictures hold inside theirs."""
    for _ in range(_DEEPEST):
        if level.name(*_D_MODEL) or (inner := level.group(*_NESTED)) is None:
            break
        level = inner
    return level


def _shape(level: Level) -> _Shape:
    d_model, n_heads = level.whole(*_D_MODEL), level.whole(*_HEADS)
    for found, (first, *others) in ((d_model, _D_MODEL), (n_heads, _HEADS)):
        if found is None:
            raise ValueError(f"{level.where}{first} must be given, or under another name: {', '.join(others)}")
    assert d_model
    assert n_heads
    names = {
        "d_model": level.name(*_D_MODEL) or "",
        "n_heads": level.name(*_HEADS) or "",
        "d_head": level.name(*_D_HEAD) or "",
    }
    without, turned = level.whole("qk_nope_head_dim"), level.whole("qk_rope_head_dim")
    if without and turned:
        return _Shape(d_model, n_heads, without + turned, names | {"d_head": "qk_nope_head_dim"})
    d_head = level.whole(*_D_HEAD)
    if d_head is None and d_model % n_heads:
        raise ValueError(
            f"{level.where}{names['n_heads']}: {d_model:,} dimensions can't be shared among {n_heads:,} heads"
        )
    return _Shape(d_model, n_heads, d_head or d_model // n_heads, names)


def _encodings(level: Level, family: str, shape: _Shape, causal: bool) -> tuple[Encoding, Encoding | None]:
    """What the fields say, the plainest first, then what the family does without saying so."""
    said = level.text("position_embedding_type")
    attention = level.group("attn_config")  # MPT's
    if family == "bloom" or said == "alibi" or level.flag("alibi") or (attention and attention.flag("alibi")):
        held = attention or level
        return held.make(ALiBi, {"bias_max": "alibi_bias_max"}, bias_max=held.number("alibi_bias_max")), None
    if level.flag("relative_attention"):
        return _deberta(level), None
    if level.name("relative_attention_num_buckets") and (family in _T5 or level.name("d_kv")):
        return _t5(level, causal), None
    if family == "inkling_text":
        names = {"profiles": "d_rel", "extent": "rel_extent"}
        return level.make(Inkling, names, profiles=level.whole("d_rel"), extent=level.whole("rel_extent")), None
    if family in _TRANSFORMER_XL:
        return TransformerXL(), None
    if said in ("rotary", "rope") or (says_rotary(level, family) and not said):
        if picture := level.name("patch_size", "image_size"):
            raise ValueError(
                f"{level.where}{picture}: this is the encoder of pictures, whose positions aren't understood"
            )
        return rotary(level, family, shape.d_head)
    if said == "relative_key":
        span = level.whole(*_LENGTH)
        return level.make(
            Shaw, {"max_distance": level.name(*_LENGTH) or ""}, max_distance=(span or 2) - 1, value_term=False
        ), None
    if said and said not in ("absolute", "learned", "sinusoidal"):
        raise level.not_among("position_embedding_type", "position_embedding_type", _TYPES)
    return _input(level, family, said), None


def _input(level: Level, family: str, said: str) -> Encoding:
    """What is added to the tokens: waves, or a learned table."""
    if family in _SINUSOIDAL:
        layout, spacing = _SINUSOIDAL[family]
        return level.make(Sinusoidal, {}, layout=layout, spacing=spacing)
    if said == "sinusoidal" or any(level.flag(name) for name in ("sinusoidal_pos_embds", "sinusoidal_embeddings")):
        return Sinusoidal()
    if family not in _LEARNED and not said and not (family == "mpt" and level.flag("learned_pos_emb")):
        kind = f"model_type {short(family)!r}" if family else "a config without model_type"
        raise ValueError(
            f"{level.where}{kind} isn't known, and no field says how positions enter: looked for {', '.join(_LOOKED_FOR)}"
        )
    rows = level.whole(*_LENGTH)
    if rows is None:
        raise ValueError(f"{level.where}{_LENGTH[0]} must be given: how many rows the learned table has")
    padding = (1 if level.name("pad_token_id") is None else int(level.number("pad_token_id") or 0)) + 1
    return level.make(
        Learned, {"max_len": level.name(*_LENGTH) or ""}, max_len=rows - padding if family in _PADDED else rows
    )


def _t5(level: Level, causal: bool) -> Encoding:
    names = {"buckets": "relative_attention_num_buckets", "max_distance": "relative_attention_max_distance"}
    values = {own: level.whole(name) for own, name in names.items()}
    return level.make(T5, names, **values, bidirectional=not causal)


def _deberta(level: Level) -> Encoding:
    """`position_buckets` and `max_relative_positions` below 1 stand for none."""
    buckets, longest = (level.number(name) or 0 for name in ("position_buckets", "max_relative_positions"))
    reach = longest if longest > 0 else level.whole("max_position_embeddings")
    asked = level.fields.get("pos_att_type") or "p2c|c2p"
    kinds = asked.split("|") if isinstance(asked, str) else asked if isinstance(asked, list | tuple) else ()
    terms = {frozenset(("c2p", "p2c")): "both", frozenset(("c2p",)): "c2p", frozenset(("p2c",)): "p2c"}
    if (of := terms.get(frozenset(map(str, kinds)))) is None:
        raise ValueError(f"{level.where}pos_att_type: should be c2p, p2c or both, not {short(asked)!r}")
    names = {
        "span": "position_buckets" if buckets > 0 else "max_relative_positions",
        "max_position": "max_relative_positions",
    }
    span = buckets if buckets > 0 else reach
    return level.make(DeBERTa, names, span=span, max_position=reach, log_buckets=buckets > 0, terms=of)


def _known(encoding: Encoding) -> int | None:
    return encoding.trained_length if isinstance(encoding, RotationEncoding) else None


def _scale(level: Level, family: str, encoding: Encoding, d_head: int) -> float | None:
    """What q · k is multiplied by, where it isn't the encoding's own."""
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


def _unmodelled(level: Level, family: str, encoding: Encoding, d_head: int) -> tuple[str, ...]:
    """What the config says of attention, or the family's code does, that the toy model doesn't have."""
    found = []
    n_heads, groups = level.whole(*_HEADS), level.whole("num_key_value_heads", "num_kv_heads", "n_head_kv")
    if groups and n_heads and groups < n_heads:
        found.append(f"keys and values are shared by groups of {n_heads // groups} heads")
    elif level.flag("multi_query") and not level.flag("new_decoder_architecture"):
        found.append("keys and values are shared by all heads")
    if family == "falcon" and isinstance(encoding, ALiBi):
        found.append(
            f"Falcon's code divides ALiBi's bias by √d_head, too: it is {number(d_head**0.5)} times smaller there"
        )
    if level.name("kv_lora_rank"):
        found.append("keys and values are made from one short vector a token (multi-head latent attention)")
    if level.name("sliding_window") and level.fields.get("use_sliding_window") is not False:
        found.append("some or all layers see only the tokens near by (sliding window)")
        if family in _TURNED_IF_LOCAL:
            found.append("only these layers turn queries and keys: those that see all tokens have no encoding")
    if family == "llama4_text" and (reach := level.whole("attention_chunk_size")):
        found.append(f"in layers with RoPE tokens see only their own stretch of {reach:,}")
    if level.flag("attn_temperature_tuning"):
        found.append("scores far into a text are made larger (temperature tuning)")
    if family == "gpt_oss":
        found.append("each head may attend to nothing (a learned sink)")
    if level.name("attn_logit_softcapping"):
        found.append("scores are capped (soft cap)")
    if says_rotary(level, family) and not is_pairing_known(family):
        found.append("a config doesn't say which dimensions are paired: i with i + r/2, as in most models")
    if family in _NORMALISED or any(level.flag(name) for name in ("use_qk_norm", "qk_layernorm")):
        found.append("queries and keys are normalised")
    if level.name("no_rope_layers", "no_rope_layer_interval"):
        found.append("some layers have no encoding")
    if family in _OF_ENCODER and not level.flag("is_decoder"):
        found.append("this is the encoder; the decoder has a mask")
    if level.flag("scale_embedding"):
        found.append("token vectors are multiplied by √d_model; seeded ones are about that long already")
    if family in _PADDED:
        found.append("rows of the table are counted from behind the padding's")
    return tuple(found)
