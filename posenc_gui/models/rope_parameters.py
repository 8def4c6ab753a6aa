"""Rotary encodings in a config: read from `rope_parameters` and its older names, and written back as such a block."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from posenc_gui.checkpoints.config_fields import LENGTH, Level
from posenc_gui.checkpoints.config_json import ROTATIONS, lengths, meant_family
from posenc_gui.checkpoints.families import (
    INTERLEAVED,
    ROTARY_BY_CODE,
    ROTARY_IF_SAID,
    SECTIONS,
    UNGROWN,
    WHOLLY_TURNED,
)
from posenc_gui.encodings.base import Encoding
from posenc_gui.encodings.common.rope_scalings import NTK, Dynamic, LongRope, Proportional, Scaling, Yarn, ntk_base
from posenc_gui.encodings.mrope import MRoPE
from posenc_gui.encodings.rope import RoPE
from posenc_gui.foundation import declared_fields
from posenc_gui.foundation.errors import quote_value
from posenc_gui.foundation.wording import format_count, join_words, quote

_BASES = ("rope_theta", "rotary_emb_base", "global_rope_theta", "rope_base")
_LOCAL_BASES = ("rope_local_base_freq", "local_rope_theta", "swa_rope_theta")
_OWN_BASES = {"deepseek_v4": (("compress_rope_theta",), ("rope_theta",))}  # of full and of local layers
_FRACTIONS = ("partial_rotary_factor", "rotary_pct", "rope_pct", "rotary_emb_fraction")
OF_NOMIC = (
    "rotary_scaling_factor"  # of a dynamic NTK in the code that Nomic's models bring, beyond this many positions:
)
_TRAINED_BY_NOMIC = 2048
_FULL, _LOCAL = "full_attention", "sliding_attention"
_BY_CODE = 10_000.0  # the base of families without a field for it

_NAMES = {"default": None, "mrope": None, "su": "longrope", "deepseek_yarn": "yarn"}  # of scalings, beside their own
_HELD = {
    "rope_type",
    "type",
    "rope_theta",
    "max_position_embeddings",
    "original_max_position_embeddings",  # a length of training, whatever scales
    "mrope_section",
    "mrope_interleaved",
    "xdrope_section",
    "llama_4_scaling_beta",  # scales queries, not angles
    "finetuned",  # says how the model was trained
    *_FRACTIONS,
}  # in a block besides the scaling's own fields
READ = {
    OF_NOMIC,
    *ROTATIONS,
    *_BASES,
    *_LOCAL_BASES,
    *_FRACTIONS,
    *_HELD,
}  # of rotations, besides what a class fills in
_UNDER_OTHER_NAMES = {NTK: {"alpha"}, LongRope: {"short_mscale", "long_mscale"}}


class Layers(NamedTuple):
    """Blocks of layers that see all tokens and of local ones, completed by their class's; None for layers that aren't
    rotated."""

    full: Level | None
    local: Level | None
    by_layer: bool


def is_rotary(level: Level, family: str) -> bool:
    """Return True if a config, in fields that its class knows, or its family's code rotates queries and keys."""
    if asked := ROTARY_IF_SAID.get(family):
        return level.value(asked) in (True, "rope")
    if family in ROTARY_BY_CODE:
        return True
    said = (*ROTATIONS, *_BASES, *_FRACTIONS, "rotary_dim")
    reads = not level.defaults or any(name in level.defaults for name in said)
    return reads and level.name(*said) is not None


def rotary(level: Level, family: str, d_head: int) -> tuple[Encoding, Encoding | None]:
    """Return the encoding of layers that see all tokens, else of local ones, and that of local ones if it differs."""
    layers = layers_of(level)
    full_bases, local_bases = _OWN_BASES.get(family, (_BASES, _LOCAL_BASES))
    full = _rope(level, layers.full, family, d_head, full_bases) if layers.full else None
    local = _rope(level, layers.local, family, d_head, local_bases) if layers.local else None
    if layers.local:
        level.filled.update({f"{name} of local layers": value for name, value in layers.local.filled.items()})
    kinds = {"sliding" in str(kind) for kind in level.listed("layer_types")}
    if ratios := level.listed("compress_ratios"):  # DeepSeek-V4's: 0 for layers that see nearby tokens only
        kinds = {ratio == 0 for ratio in ratios[: level.whole("num_hidden_layers")]}
    if full is None or (local and kinds == {True}):
        full = local
    assert full is not None
    return full, local if local != full and kinds != {False} else None


def layers_of(level: Level) -> Layers:
    """Return a config's blocks, completed from its class's. Raises ValueError for more than two kinds of layers."""
    name = next((name for name in ROTATIONS if level.fields.get(name)), None)
    own = level.group(name) if name else None
    default = level.defaults.get("rope_parameters") or {}
    if own and _sides(own.fields):
        full, local = _two(own.fields, own.where, default)
        return Layers(_completed(level, own, full, default), _completed(level, own, local, default), by_layer=True)
    if not _sides(default):
        apart = Level({}, level.where) if level.own(*_LOCAL_BASES) else None
        block = replace(own or Level({}, level.where), defaults=default, filled=level.filled)
        return Layers(block, apart, by_layer=False)
    full, local = _two(default, level.where, default)
    older = level.defaults.get("rope_scaling") or {}  # which layers the class scales where one block is for all
    for_local = own if "factor" in (older.get(local) or ()) else None
    beside = Level({}, level.where)
    return Layers(
        replace(own or beside, defaults=default[full] or {}, filled=level.filled) if default.get(full) or own else None,
        replace(for_local or beside, defaults=default[local] or {}, filled={}) if local else None,
        by_layer=True,
    )


def _sides(block: Mapping[str, Any]) -> list[str]:
    """Return the kinds of layers for which a block has blocks of its own."""
    has = any(isinstance(held, Mapping) for held in block.values())
    return [name for name, held in block.items() if has and (held is None or isinstance(held, Mapping))]


def _two(block: Mapping[str, Any], where: str, default: Mapping[str, Any]) -> tuple[str, str]:
    """Return a block's names of layers that see all tokens and of local ones; empty for a name that it lacks."""
    sides = _sides(block)
    local = [name for name in sides if "sliding" in name or name == "main"]
    full = [name for name in sides if name not in local]
    if len(local) > 1 or len(full) > 1 or set(sides) - set(_sides(default) or (_FULL, _LOCAL)):
        allowed = " and ".join(_sides(default) or (_FULL, _LOCAL))
        raise ValueError(f"{where.rstrip('.')}: should be given for {allowed}, not for {join_words(sides)}")
    return "".join(full), "".join(local)


def _completed(level: Level, block: Level, name: str, default: Mapping[str, Any]) -> Level | None:
    """Return the block of some layers; numbers that it lacks are its class's."""
    if (own := block.group(name)) is None:
        return None
    is_local = "sliding" in name or name == "main"
    return replace(own, defaults=default.get(name) or {}, filled={} if is_local else level.filled)


def _rope(level: Level, block: Level, family: str, d_head: int, bases: tuple[str, ...]) -> Encoding:
    """Return RoPE or M-RoPE with the base, fraction and scaling of a block, or of the level around it."""
    scaling = _scaling(level, block, family)
    fraction = 1.0 if isinstance(scaling, Proportional) else _fraction(block, level, family, d_head)
    turned = int(d_head * fraction + 1e-9)
    if turned % 2 and 0 < turned < d_head:
        raise ValueError(
            f"{level.where}{_fraction_s_name(block, level)}: {turned} of a head's {d_head} dimensions would turn, "
            "which are no pairs"
        )
    asked = level.value("rope_interleave")
    is_interleaved = family in INTERLEAVED if asked is None else level.flag("rope_interleave")
    if has_ordinary_heads(level):
        is_interleaved = False
    if isinstance(scaling, LongRope):
        _require_lists(block, scaling, turned // 2)
    around = block if block.own("rope_theta") else level
    values = {
        "base": _base(level, block, family, bases),
        "fraction": fraction,
        "pairing": "interleaved" if is_interleaved else "half",
        "scaling": scaling,
    }
    names = {
        "base": around.own(*bases) or bases[0],
        "fraction": _fraction_s_name(block, level),
        "mrope_section": "mrope_section",
    }
    held = block if block.name("mrope_section") else level
    sections, in_turns = held.value("mrope_section"), held.flag("mrope_interleaved")
    if has_four_axes(block):
        return level.make(RoPE, names, **values)
    if family in SECTIONS:  # its code takes turns or doesn't, whatever its config says
        own, in_turns = SECTIONS[family]
        if sections is None and 2 * sum(own) == turned:
            sections = own
            level.filled["mrope_section"] = ", ".join(map(str, sections))
    if sections is None:
        return level.make(RoPE, names, **values)
    return held.make(MRoPE, names, **values, mrope_section=sections, mrope_interleaved=in_turns)


def has_ordinary_heads(level: Level) -> bool:
    """Return True for a DeepSeek model without latent attention: its code then has Llama's heads, turned as a whole."""
    return level.fields.get("qk_rope_head_dim") == 0


def has_four_axes(block: Level) -> bool:
    """Return True for HunYuan's XD-RoPE, whose axes in images are four. In a text all are the token's position."""
    sections = block.value("xdrope_section") or block.value("mrope_section")
    return isinstance(sections, list | tuple) and len(sections) == 4


def _base(level: Level, block: Level, family: str, bases: tuple[str, ...]) -> float:
    """Return the base in the config, in its family's code, or its class's default. Raises ValueError if none is known."""
    if (own := level.number(level.own(*bases) or "")) is not None and not block.own("rope_theta"):
        return own
    if family in ROTARY_BY_CODE:
        return _BY_CODE
    null = next((one for one in (block, level) if one.fields.get("rope_theta", "") is None), None)
    if null and level.defaults and not block.own("rope_theta"):  # which is none, and not its class's, in transformers
        raise null.wrong("rope_theta", "a number")
    if (base := block.number("rope_theta")) is None and (base := level.number("rope_theta")) is None:
        of = f"model_type {quote(family)}{meant_family(family)}" if family else "a config without model_type"
        raise ValueError(f"{level.where}{bases[0]} must be given: no default is known for {of}")
    return base


def _fraction(block: Level, level: Level, family: str, d_head: int) -> float:
    """Return the fraction of a head's dimensions that is rotated."""
    if level.says("qk_rope_head_dim"):
        return (level.whole("qk_rope_head_dim") or 0) / d_head
    if level.own(*_FRACTIONS) and not block.own(*_FRACTIONS):
        return level.number(*_FRACTIONS) or 0
    if not level.own("rotary_dim") and (fraction := block.number(*_FRACTIONS)) is not None:
        return fraction
    turned = None if family in WHOLLY_TURNED else level.whole("rotary_dim")
    if turned and turned > d_head:
        raise level.wrong("rotary_dim", f"at most the {d_head} dimensions of a head")
    return (turned or d_head) / d_head


def _fraction_s_name(block: Level, level: Level) -> str:
    """Return the config's name for the fraction, within the level."""
    if level.says("qk_rope_head_dim"):
        return "qk_rope_head_dim"
    if name := block.own(*_FRACTIONS):
        return f"{block.where.removeprefix(level.where)}{name}"
    return level.own(*_FRACTIONS, "rotary_dim") or _FRACTIONS[0]


def _scaling(level: Level, block: Level, family: str) -> Scaling | None:
    """Return the scaling that a block declares."""
    if (model := _method(block)) is None:
        return _of_nomic(level)
    given = block.fields or block.defaults
    values = {name: given[name] for name in given if name in _fields(model) - {"rope_type"}}
    if not block.fields:
        block.filled["rope_type"] = model.model_fields["rope_type"].default
    names = {}
    if model is NTK and "alpha" in values:
        values["factor"] = values.pop("alpha")
        names["factor"] = "alpha"
    trained = level.whole("original_max_position_embeddings")
    reach = level.whole(*LENGTH)
    if "original_max_position_embeddings" in model.model_fields:
        values.setdefault("original_max_position_embeddings", trained or reach)
    if "trained_length_is" in model.model_fields and lengths(level, family).may_be_after:
        values["trained_length_is"] = "unsaid"
    if model is Yarn and family in UNGROWN:
        values["attention_factor"] = 1.0
    if model is LongRope:
        _take_one_growth(values, block)
    is_quotient = model is LongRope or (model is Yarn and "factor" in given)
    if is_quotient and values.get("factor") is None and reach:
        values["factor"] = reach / (values["original_max_position_embeddings"] or reach)
    if model is not Proportional and values.get("factor") is None:
        raise ValueError(f"{block.where}factor must be given for {model.model_fields['rope_type'].default}")
    return block.make(model, names, **values)


def _of_nomic(level: Level) -> Scaling | None:
    """Return NomicBertDynamicNTKRotaryEmbedding's scaling (nomic-ai/contrastors, modeling_hf_nomic_bert.py), if it is asked
    for."""
    if not level.says(OF_NOMIC):
        return None
    trained = level.whole("max_trained_positions") or _TRAINED_BY_NOMIC
    names = {"factor": OF_NOMIC, "original_max_position_embeddings": "max_trained_positions"}
    return level.make(Dynamic, names, factor=level.number(OF_NOMIC), original_max_position_embeddings=trained)


def _method(block: Level) -> type[Scaling] | None:
    """Return the scaling that a block names; None if it scales nothing. Raises ValueError for one that isn't known."""
    given = block.fields or block.defaults
    named = Level(given).own("rope_type", "type")
    if named is None:
        if extra := sorted(set(map(str, given)) - _HELD):
            raise ValueError(f"{block.where}rope_type must be given beside {join_words(extra)}")
        return None
    said = block.text(named)
    tags: dict[str, type[Scaling]] = declared_fields.kind(RoPE.model_fields["scaling"]).tags()
    said = "ntk" if said in ("dynamic", "xdrope") and block.says("alpha") else said
    tag = _NAMES.get(said, said)
    if tag is not None and tag not in tags:
        raise block.not_among(named, named, {*tags, *_NAMES})
    return None if tag is None else tags[tag]


def _fields(model: type[Scaling]) -> set[str]:
    """Return the names under which a block holds a scaling's fields."""
    return set(model.model_fields) | _UNDER_OTHER_NAMES.get(model, set())


def other_type(block: Level) -> str:
    """Return a block's `type` where its `rope_type`, which counts, is another scaling; else nothing."""
    counts, other = (str(block.fields.get(name) or "") for name in ("rope_type", "type"))
    return other if counts and other and _NAMES.get(counts, counts) != _NAMES.get(other, other) else ""


def left_over(block: Level) -> list[str]:
    """Return the fields of a block that say something and that its scaling doesn't have: no code reads them."""
    model = _method(block)
    read = _HELD | (_fields(model) if model else set())
    said = (name for name in block.fields if name not in read and block.says(name))
    return [str(name) for name in said if (name, block.value(name)) not in (("factor", 1), ("attn_factor", 1))]


def _require_lists(block: Level, scaling: LongRope, pairs: int) -> None:
    """Raise ValueError unless LongRoPE has a factor for each pair in both of its lists: transformers then refuses, too."""
    for name, held in (("short_factor", scaling.short_factor), ("long_factor", scaling.long_factor)):
        if len(held) != pairs:
            needed = f"a list of {format_count(pairs, 'number')}, one for each turned pair"
            raise ValueError(
                f"{block.where}{name}: should be {needed}, not of {len(held)}"
                if block.own(name)
                else f"{block.where}{name} must be given for longrope: {needed}"
            )


def _take_one_growth(values: dict[Any, Any], block: Level) -> None:
    """Put PhiMoE's attention factor in the place of its own names. Raises ValueError if short and long texts' differ."""
    short, long = (values.pop(name, None) for name in ("short_mscale", "long_mscale"))
    if short != long:
        raise ValueError(
            f"{block.where}short_mscale: should be long_mscale, {quote_value(long)}: one factor for all texts can be read"
        )
    if short is not None:
        values["attention_factor"] = short


def scale_of(encoding: Encoding, d_head: int) -> float | None:
    """Return the scale of scores that DeepSeek's code takes from YaRN's `mscale_all_dim`; None for the encoding's own."""
    scaling = encoding.scaling if isinstance(encoding, RoPE) else None
    if not isinstance(scaling, Yarn) or not scaling.mscale_all_dim:
        return None
    return scaling.recommended(scaling.mscale_all_dim) ** 2 / math.sqrt(d_head)


def block_of(encoding: RoPE, d_head: int) -> dict[str, Any]:
    """Return the encoding as a config's `rope_parameters`. NTK-aware scaling has no name there; it is written as the larger
    base that results. The pairing has no name either: it is in the model's code."""
    scaling = encoding.scaling
    block: dict[str, Any] = {"rope_type": "default", "rope_theta": encoding.base}
    if isinstance(scaling, NTK):
        block["rope_theta"] = ntk_base(encoding.base, encoding.rotated(d_head), scaling.factor)
    elif scaling is not None:
        own = scaling.model_dump(mode="json")
        for unnamed in ("ramp", "trained_length_is"):
            own.pop(unnamed, None)
        block |= {name: value for name, value in own.items() if value is not None}
    if encoding.fraction != 1:
        block["partial_rotary_factor"] = encoding.fraction
    if isinstance(encoding, MRoPE):
        block |= {"mrope_section": list(encoding.mrope_section), "mrope_interleaved": encoding.mrope_interleaved}
    return block
