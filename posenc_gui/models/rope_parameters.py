"""Rotary encodings in a config: read from `rope_parameters` and its older names, and written back as such a block."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from posenc_gui.encodings.base import Encoding
from posenc_gui.encodings.common.rope_scalings import NTK, LongRope, Proportional, Scaling, Yarn, ntk_base
from posenc_gui.encodings.mrope import MRoPE
from posenc_gui.encodings.rope import RoPE
from posenc_gui.foundation import declared_fields
from posenc_gui.foundation.wording import join_words
from posenc_gui.models.config_fields import Level

BLOCKS = ("rope_parameters", "rope_scaling")
_BASES = ("rope_theta", "rotary_emb_base", "global_rope_theta", "rope_base")
_LOCAL_BASES = ("rope_local_base_freq", "local_rope_theta")
_FRACTIONS = ("partial_rotary_factor", "rotary_pct", "rope_pct", "rotary_emb_fraction")
_FULL, _LOCAL = "full_attention", "sliding_attention"

# Which dimensions are paired, and which fraction of them is rotated, is fixed in a family's code; configs may omit it.
_INTERLEAVED = {
    "codegen", "cohere", "cohere2", "deepseek_v2", "ernie4_5", "ernie4_5_moe", "glm", "glm4", "gptj", "helium",
    "llama4_text", "roformer",
}  # fmt: skip
_FRACTION = {"gpt_neox": 0.25, "phi": 0.5, "stablelm": 0.25, "persimmon": 0.5, "glm": 0.5, "glm4": 0.5}
_FAMILIES = {
    *_INTERLEAVED, *_FRACTION, "deepseek_v3", "falcon", "gemma", "gemma2", "llama", "mistral", "olmo", "phi3",
}  # fmt: skip
_HALF = {
    *_FAMILIES, "gemma3_text", "gemma3n_text", "gemma4_text", "gpt_oss", "granite", "mixtral", "modernbert", "olmo2", "qwen2",
    "qwen2_moe", "qwen2_vl", "qwen2_vl_text", "qwen2_5_vl", "qwen2_5_vl_text", "qwen3", "qwen3_moe", "qwen3_vl_text",
    "qwen3_vl_moe_text", "smollm3", "starcoder2",
}  # fmt: skip

_NAMES = {"default": None, "mrope": None, "su": "longrope"}  # of scalings, beside their own
_HELD = {
    "rope_type",
    "type",
    "rope_theta",
    "max_position_embeddings",
    "mrope_section",
    "mrope_interleaved",
    *_FRACTIONS,
}  # in a block besides the scaling's own fields


def is_rotary(level: Level, family: str) -> bool:
    """Return True if a config declares a rotation of queries and keys, or its family's code has one."""
    said = (*BLOCKS, *_BASES, *_FRACTIONS, "rotary_dim")
    return level.name(*said) is not None or family in _FAMILIES


def is_pairing_known(family: str) -> bool:
    """Return True if it is known which dimensions a family's code pairs."""
    return family in _HALF


def rotary(level: Level, family: str, d_head: int) -> tuple[Encoding, Encoding | None]:
    """Return the encoding of layers that see all tokens, and that of local layers if it differs."""
    block = level.group(*BLOCKS)
    if block and (by_layer := [name for name in block.fields if isinstance(block.fields[name], Mapping)]):
        full, local = (block.group(name) for name in (_FULL, _LOCAL))
        if full is None or set(by_layer) - {_FULL, _LOCAL}:
            raise ValueError(
                f"{block.where.rstrip('.')}: should be given for {_FULL} and {_LOCAL}, not for {join_words(by_layer)}"
            )
        sides = [_rope(level, one, family, d_head, *_BASES) for one in (full, local) if one]
        return sides[0], sides[1] if len(sides) > 1 and sides[1] != sides[0] else None
    encoding = _rope(level, block, family, d_head, *_BASES)
    if level.name(*_LOCAL_BASES) is None:
        return encoding, None
    return encoding, _rope(level, None, family, d_head, *_LOCAL_BASES)


def _rope(level: Level, block: Level | None, family: str, d_head: int, *bases: str) -> Encoding:
    """Return RoPE or M-RoPE with the base, fraction and scaling of a block, or of the level around it."""
    block = block or Level({}, level.where)
    around = block if block.name("rope_theta") else level
    scaling = _scaling(level, block)
    fraction = 1.0 if isinstance(scaling, Proportional) else _fraction(block, level, family, d_head)
    is_interleaved = family in _INTERLEAVED or (
        family.startswith("deepseek_v3") and level.fields.get("rope_interleave", True)
    )
    values = {
        "base": around.number(*bases),
        "fraction": fraction,
        "pairing": "interleaved" if is_interleaved else "half",
        "scaling": scaling,
    }
    names = {"base": around.name(*bases) or bases[0], "fraction": _FRACTIONS[0], "mrope_section": "mrope_section"}
    held = block if block.name("mrope_section") else level
    if held.name("mrope_section") is None:
        return level.make(RoPE, names, **values)
    sections, in_turns = held.fields["mrope_section"], held.flag("mrope_interleaved")
    return held.make(MRoPE, names, **values, mrope_section=sections, mrope_interleaved=in_turns)


def _fraction(block: Level, level: Level, family: str, d_head: int) -> float:
    """Return the fraction of a head's dimensions that is rotated."""
    if level.name("qk_rope_head_dim"):
        return (level.whole("qk_rope_head_dim") or 0) / d_head
    if level.name("rotary_dim"):
        turned = level.whole("rotary_dim") or 0
        if turned > d_head:
            raise level.wrong("rotary_dim", f"at most the {d_head} dimensions of a head")
        return turned / d_head
    for one in (block, level):
        if (fraction := one.number(*_FRACTIONS)) is not None:
            return fraction
    return _FRACTION.get(family, 1.0)


def _scaling(level: Level, block: Level) -> Scaling | None:
    """Return the scaling that a block declares."""
    named = block.name("rope_type", "type")
    if named is None:
        if extra := sorted(set(block.fields) - _HELD):
            raise ValueError(f"{block.where}rope_type must be given beside {join_words(map(str, extra))}")
        return None
    said = block.text(named)
    tags = declared_fields.kind(RoPE.model_fields["scaling"]).tags()
    said = "ntk" if said == "dynamic" and block.name("alpha") else said
    tag = _NAMES.get(said, said)
    if tag is None:
        return None
    if tag not in tags:
        raise block.not_among(named, named, {*tags, *_NAMES})
    model = tags[tag]
    values = {name: value for name, value in block.fields.items() if name not in _HELD - set(model.model_fields)}
    values.pop("type", None)
    for name, field in model.model_fields.items():
        if isinstance(values.get(name), bool) and field.annotation is not bool:
            raise block.wrong(name, "a number")
    values["rope_type"] = tag
    if model is NTK and "alpha" in values:
        values["factor"] = values.pop("alpha")
    trained = level.whole("original_max_position_embeddings")
    reach = level.whole("max_position_embeddings", "n_positions")
    if "original_max_position_embeddings" in model.model_fields:
        values.setdefault("original_max_position_embeddings", trained or reach)
    if model is LongRope and values.get("factor") is None and reach:
        values["factor"] = reach / (values["original_max_position_embeddings"] or reach)
    if model is not Proportional and values.get("factor") is None:
        raise ValueError(f"{block.where}factor must be given for {said}")
    made: Scaling = block.make(model, {}, **{str(name): value for name, value in values.items()})
    return made


def scale_of(encoding: Encoding, d_head: int) -> float | None:
    """Return DeepSeek's scale of scores, from YaRN's `mscale_all_dim`; None for the encoding's own."""
    scaling = encoding.scaling if isinstance(encoding, RoPE) else None
    if not isinstance(scaling, Yarn) or not scaling.mscale_all_dim:
        return None
    return scaling.recommended(scaling.mscale_all_dim) ** 2 / math.sqrt(d_head)


def block_of(encoding: RoPE, d_head: int) -> dict[str, Any]:
    """Return the encoding as a config's `rope_parameters`.

    NTK-aware scaling has no name there; it is written as the larger base that results. The pairing has no name either:
    it is in the model's code.
    """
    scaling = encoding.scaling
    block: dict[str, Any] = {"rope_type": "default", "rope_theta": encoding.base}
    if isinstance(scaling, NTK):
        block["rope_theta"] = ntk_base(encoding.base, encoding.rotated(d_head), scaling.factor)
    elif scaling is not None:
        own = scaling.model_dump(mode="json")
        own.pop("ramp", None)
        block |= {name: value for name, value in own.items() if value is not None}
    if encoding.fraction != 1:
        block["partial_rotary_factor"] = encoding.fraction
    if isinstance(encoding, MRoPE):
        block |= {"mrope_section": list(encoding.mrope_section), "mrope_interleaved": encoding.mrope_interleaved}
    return block
