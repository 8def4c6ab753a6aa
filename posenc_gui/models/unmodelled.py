"""What a config says of a published model, or its family's code does, that a session can't hold."""

from __future__ import annotations

import math
from collections.abc import Iterator

from posenc_gui.checkpoints.config_fields import D_HEAD, GROUPS, HEADS, LENGTH, WINDOWS, Level, Shape
from posenc_gui.checkpoints.config_json import class_defaults_version, lengths, meant_family
from posenc_gui.checkpoints.families import (
    BACKWARDS,
    DOUBLED,
    FROM_TWO,
    NORMALISED,
    OF_ENCODER,
    PADDED,
    RECURRENT,
    SINKS,
    TURNED_IF_LOCAL,
)
from posenc_gui.encodings.alibi import ALiBi
from posenc_gui.encodings.base import Encoding
from posenc_gui.encodings.mrope import MRoPE
from posenc_gui.encodings.none import NoEncoding
from posenc_gui.foundation.wording import format_count, format_number, join_words, quote
from posenc_gui.models.rope_parameters import is_rotary, layers_of
from posenc_gui.models.unread import unread

_WITHOUT_WINDOW = {"attention", "conv", "full_attention", "linear_attention", "mamba", "mlp"}  # kinds of layers
_BOTH_WAYS = ("attention_window", "local_attention")  # half of it on each side
_NO_ATTENTION = ("linear", "mamba", "recurrent", "conv")  # in names of kinds of layers


def unmodelled(level: Level, family: str, encoding: Encoding, shape: Shape) -> tuple[str, ...]:
    """Return features of attention in the config or the family's code that the toy model lacks; one phrase each."""
    rotates = is_rotary(level, family) and not isinstance(encoding, NoEncoding)
    return (
        *_of_keys_and_values(level, family, encoding, shape, rotates),
        *_of_what_is_seen(level, family),
        *(_of_layers(level, family, shape) if rotates else ()),
        *_of_scores(level, family),
        *_assumed(level, family, rotates),
        *unread(level, family, encoding, rotates),
        *_of_code(level, family, encoding),
    )


def _of_keys_and_values(level: Level, family: str, encoding: Encoding, shape: Shape, rotates: bool) -> Iterator[str]:
    """What keys and values are made of."""
    n_heads, groups = level.whole(*HEADS), level.whole(*GROUPS)
    if shape.local_d_head != shape.d_head:  # those of layers that see all tokens count
        groups = level.whole("num_global_key_value_heads") or level.of_some_layers("num_key_value_heads") or groups
    if groups and n_heads and groups < n_heads:
        yield f"groups of {format_count(n_heads // groups, 'head')} share keys and values"
    elif level.flag("multi_query") and not level.flag("new_decoder_architecture"):
        yield "all heads share keys and values"
    if family == "falcon" and isinstance(encoding, ALiBi):
        smaller = format_number(shape.d_head**0.5)
        yield f"Falcon's code divides ALiBi's bias by √d_head, too: it is {smaller} times smaller there"
    if level.says("kv_lora_rank"):
        yield "keys and values come from one short vector per token (multi-head latent attention)"
    if rotates and level.says("qk_rope_head_dim"):
        yield f"the turned dimensions are a head's last {level.whole('qk_rope_head_dim')}, not its first"
    if level.says("cross_attention_layers"):
        yield "some layers attend to an image instead of the text"
    if level.says("index_n_heads", "sparse_attention_config"):
        yield "a query attends only to tokens that an indexer picks"
    if family == "deepseek_v4":
        yield "keys are the values, too: what attention returns is turned back"
    if level.says("compress_rope_theta"):
        yield "in some layers keys and values stand for several tokens (compression)"


def _of_what_is_seen(level: Level, family: str) -> Iterator[str]:
    """What layers read besides attention, or see instead of all tokens."""
    kinds = [
        *map(str, level.listed("layer_types")),
        *("linear" for kind in level.listed("attn_type_list") if kind == 0),
    ]
    if family in RECURRENT or any(part in kind for kind in kinds for part in _NO_ATTENTION):
        yield "some layers aren't attention: they read the text in order (recurrence or convolution)"
    if family == "falcon_h1":
        yield "beside its attention, each layer reads the text in order (recurrence)"
    if (by := level.number(level.own("key_multiplier") or "")) not in (None, 1):
        yield f"keys are multiplied by {format_number(by)}"
    if family == "inkling_text":
        yield "keys and values are mixed with those of the tokens just before (short convolution)"
        yield "layers with a sliding window have an extent of their own: the window"
    if family == "big_bird" and level.value("attention_type") != "original_full":
        yield "in long texts a token sees only some others (block-sparse attention)"
    if _has_window(level):
        yield "some or all layers see only nearby tokens (sliding window)"
    if level.says("block_configs"):
        yield "layers differ: some have other groups of heads, or no attention (block_configs)"


def _has_window(level: Level) -> bool:
    """Return True if some layers see fewer tokens than the model has positions."""
    name, reach = level.name(*WINDOWS) or "", level.whole(*LENGTH) or math.inf
    held = level.value(name)
    widths = (one for one in (held if isinstance(held, list) else [held]) if isinstance(one, int | float))
    is_narrow = any(0 < width < (2 * reach if name in _BOTH_WAYS else reach) for width in widths)
    kinds = level.listed("layer_types") if level.fields.get("layer_types") and "layer_types" in level.defaults else ()
    is_used = not kinds or not set(map(str, kinds)) <= _WITHOUT_WINDOW
    return is_narrow and is_used and level.value("use_sliding_window") is not False


def _of_layers(level: Level, family: str, shape: Shape) -> Iterator[str]:
    """How a rotation differs among layers, beyond what two encodings hold."""
    layers, bases = layers_of(level), set(level.listed("layer_rope_theta"))
    if layers.by_layer and layers.full is None and layers.local:
        yield "only layers with a sliding window rotate queries and keys: those that see all tokens have no encoding"
    elif family in TURNED_IF_LOCAL and level.says("sliding_window"):
        yield "only these layers rotate queries and keys: those that see all tokens have no encoding"
    turns = level.listed("no_rope_layers")  # 1 where a layer turns; without it the interval counts
    if not all(turns) or (not turns and level.says("no_rope_layer_interval")) or not all(bases):
        yield "some layers have no encoding"
    if len(turned := {base for base in bases if base}) > 1:
        yield f"layers have bases of their own: {', '.join(sorted(map(format_number, turned)))}"
    if shape.local_d_head != shape.d_head:
        yield f"layers with a sliding window have heads of {shape.local_d_head} and a RoPE of their own"


def _of_scores(level: Level, family: str) -> Iterator[str]:
    """What is done to scores, or keeps some from being computed."""
    if family == "llama4_text" and (reach := level.whole("attention_chunk_size")):
        yield f"in layers with RoPE, a token sees only its own chunk of {reach:,}"
    is_tuned, full = any(map(level.flag, ("attn_temperature_tuning", "use_logn_attn"))), layers_of(level).full
    if is_tuned or (full and full.says("llama_4_scaling_beta")) or level.says("log_scaling_n_floor"):
        yield "scores far into a text are scaled up (temperature tuning)"
    if family in ("layoutlmv3", "mpnet"):
        yield "a learned bias for each distance is added to the scores, beside the table"
    if family in SINKS:
        yield "each head may attend to nothing (a learned sink)"
    if level.says("attn_logit_softcapping"):
        yield "scores are capped (soft cap)"
    if any(group is not None and group.says("clip_qkv") for group in (level, level.group("attn_config"))):
        yield "queries, keys and values are cut off at a bound (clip_qkv)"
    if level.flag("scale_attn_by_inverse_layer_idx"):
        yield "each layer divides its scores by its number, counted from 1; the first one's are drawn"


def _assumed(level: Level, family: str, rotates: bool) -> Iterator[str]:
    """What is taken to be as in most models, since neither the config nor its class says it."""
    if level.defaults:
        return
    if hint := meant_family(family):
        yield f"the config's model_type {quote(family)} isn't known here{hint}"
    if level.own("is_decoder", "is_causal", "use_bidirectional_attention") is None:
        yield "the config doesn't say whether tokens see later ones: a causal mask is assumed, as in most models"
    if rotates:
        yield "the config doesn't say which dimensions are paired: i with i + r/2 is assumed, as in most models"
        if level.own(*D_HEAD, "qk_nope_head_dim") is None:
            yield "the config doesn't say how wide heads are: d_model / heads is assumed, as in most models"


def _of_code(level: Level, family: str, encoding: Encoding) -> Iterator[str]:
    """What the family's code does with positions, queries, keys and token vectors."""
    if level.flag("use_dynamic_ntk"):
        yield "beyond the length of training the base grows with the text (dynamic NTK)"
    if family in BACKWARDS:
        yield "the code turns queries and keys the other way: by minus these angles"
    if family == "mistral_large4_text":
        yield "each frequency is multiplied by a number that training sets (LeRoPE)"
    if family == "ernie4_5_vl_moe_text" and isinstance(encoding, MRoPE):
        yield "its code gives the axes of images to pairs in another order"
    if family in DOUBLED:
        yield "attention reads each token beside the text's first vectors, twice d_model in all"
    attention = level.group("attn_config")  # MPT's
    is_flagged = any(map(level.flag, ("use_qk_norm", "qk_layernorm"))) or (attention and attention.flag("qk_ln"))
    if family in NORMALISED or is_flagged:
        yield "queries and keys are normalised"
    if family in OF_ENCODER and not level.flag("is_decoder"):
        yield "this is the encoder; the decoder has a causal mask"
    if level.fields.get("position_biased_input") and level.says("relative_attention"):
        yield "a learned table of positions is added to the tokens, too"
    if level.flag("scale_embedding"):
        yield "token vectors are multiplied by √d_model; seeded ones are about that long already"
    if family in PADDED:
        yield "positions count from after the rows that the table keeps for padding"
    if family in FROM_TWO:
        yield "positions count from 2"


def filled(level: Level, family: str) -> tuple[str, ...]:
    """Return the numbers that the config lacks and its class fills in, and how its length is understood, a phrase each."""
    told = {name: value if isinstance(value, str) else format_number(value) for name, value in level.filled.items()}
    said = [f"{name} {value}" for name, value in told.items() if (name, value) != ("partial_rotary_factor", "1")]
    of = f"({'all of ' if said[1:] else ''}transformers {class_defaults_version()}, {family})"
    numbers = (f"{join_words(said)} {of}",) if said else ()
    if not (found := lengths(level, family)).may_be_after:
        return numbers
    which = f"{level.name(*LENGTH)} {found.trained:,} is the length before the scaling, not the one after it"
    return *numbers, f"{which} (the scaling's trained_length_is, “Trained length is” in its form, turns this)"
