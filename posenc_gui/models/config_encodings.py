"""The encoding that a model's config.json describes, with its parameters."""

from __future__ import annotations

from posenc_gui.checkpoints.config_fields import LENGTH, Level
from posenc_gui.checkpoints.config_json import meant_family, positions
from posenc_gui.checkpoints.families import PADDED, ROTARY_IF_SAID, T5_FAMILIES, WITHOUT_POSITIONS
from posenc_gui.encodings.alibi import ALiBi
from posenc_gui.encodings.base import Encoding
from posenc_gui.encodings.deberta import DeBERTa
from posenc_gui.encodings.inkling import Inkling
from posenc_gui.encodings.learned import Learned
from posenc_gui.encodings.none import NoEncoding
from posenc_gui.encodings.rope import RoPE
from posenc_gui.encodings.shaw import Shaw
from posenc_gui.encodings.sinusoidal import Sinusoidal
from posenc_gui.encodings.t5 import T5
from posenc_gui.encodings.transformer_xl import TransformerXL
from posenc_gui.foundation.errors import quote_value
from posenc_gui.foundation.wording import join_words
from posenc_gui.models.rope_parameters import is_rotary, rotary

_LEARNED = PADDED | {
    "aimv2_text_model", "albert", "align_text_model", "bart", "bert", "bert-generation", "big_bird", "bigbird_pegasus",
    "biogpt", "blenderbot", "blenderbot-small", "blip_text_model", "chinese_clip_text_model", "clip_text_model",
    "clipseg_text_model", "deberta", "deberta-v2", "distilbert", "dpr", "electra", "ernie", "flaubert", "flava_text_model",
    "gpt2", "gpt_bigcode", "gpt_neo", "groupvit_text_model", "imagegpt", "layoutlm", "mbart", "megatron-bert",
    "metaclip_2_text_model", "mobilebert", "mvp", "nystromformer", "openai-gpt", "opt", "owlv2_text_model",
    "owlvit_text_model", "plbart", "rembert", "roc_bert", "siglip2_text_model", "siglip_text_model", "splinter",
    "squeezebert", "tapas", "visual_bert", "xclip_text_model", "xlm",
}  # fmt: skip
_SINUSOIDAL = {
    "marian": ("concatenated", "paper"),
    "pegasus": ("concatenated", "paper"),
    "ctrl": ("concatenated", "paper"),
    "speech_to_text": ("concatenated", "tensor2tensor"),
    "fsmt": ("concatenated", "tensor2tensor"),
    "m2m_100": ("concatenated", "tensor2tensor"),
    "nllb-moe": ("concatenated", "tensor2tensor"),
    "xglm": ("concatenated", "tensor2tensor"),
    "whisper": ("concatenated", "tensor2tensor"),
    "tipsv2_text_model": ("concatenated", "tensor2tensor"),
    "musicgen_decoder": ("cosine_first", "tensor2tensor"),
}
_TRANSFORMER_XL = {"transfo-xl", "xlnet"}
_ROTARY = ("rotary", "rope")
_TYPES = ("absolute", "alibi", "learned", "relative_key", "rope", "rotary", "sinusoidal")
_LOOKED_FOR = (
    "rope_parameters", "rope_theta", "rope_scaling", "rotary_pct", "position_embedding_type", "alibi", "relative_attention",
    "relative_attention_num_buckets",
)  # fmt: skip


def read_encodings(level: Level, family: str, d_head: int, causal: bool) -> tuple[Encoding, Encoding | None]:
    """Return the encoding, and that of local layers if it differs: by the config's fields, else the family's code."""
    said = _said(level, family)
    attention = level.group("attn_config")  # MPT's
    if attention and attention.flag("rope"):
        return _rope_of_mpt(attention), None
    if family == "bloom" or said == "alibi" or level.flag("alibi") or (attention and attention.flag("alibi")):
        held = attention or level
        return held.make(ALiBi, {"bias_max": "alibi_bias_max"}, bias_max=held.number("alibi_bias_max")), None
    if level.flag("relative_attention"):
        return _deberta(level), None
    if family == "pix2struct_vision_model":
        raise _of_an_image(level, "patch_embed_hidden_size")
    if not level.own("vocab_size") and level.says("patch_size", "image_size"):
        raise _of_an_image(level, level.name("patch_size", "image_size") or "")
    if level.name("relative_attention_num_buckets") and (family in T5_FAMILIES or level.name("d_kv")):
        return _t5(level, causal), None
    if family == "inkling_text":
        names = {"profiles": "d_rel", "extent": "rel_extent"}
        return level.make(Inkling, names, profiles=level.whole("d_rel"), extent=level.whole("rel_extent")), None
    if family in _TRANSFORMER_XL:
        return TransformerXL(), None
    if family in WITHOUT_POSITIONS or (family in ROTARY_IF_SAID and not is_rotary(level, family)):
        return NoEncoding(), None
    if said in _ROTARY or (is_rotary(level, family) and not said):
        return rotary(level, family, d_head)
    if said == "relative_key":
        names, furthest = {"max_distance": level.name(*LENGTH) or ""}, (level.whole(*LENGTH) or 2) - 1
        return level.make(Shaw, names, max_distance=furthest, value_term=False), None
    if said and said not in ("absolute", "learned", "sinusoidal"):
        raise level.not_among("position_embedding_type", "position_embedding_type", _TYPES)
    return _input(level, family, said), None


def _said(level: Level, family: str) -> str:
    """Return `position_embedding_type`, unless it is left over: a known class without the field ignores it."""
    reads = family in _LEARNED or "position_embedding_type" in level.defaults
    return level.text("position_embedding_type") if reads or not level.defaults else ""


def _rope_of_mpt(attention: Level) -> Encoding:
    """Return MPT's rotation, i with i + r/2, by the block that `rope_impl` chooses (llm-foundry's MPTConfig). Raises
    ValueError."""
    is_hf = attention.text("rope_impl") == "hf"
    name, plain = ("rope_hf_config", "no_scaling") if is_hf else ("rope_dail_config", "original")
    block = attention.group(name)
    if block and (kind := block.text("type")) not in ("", plain):
        raise ValueError(f"{block.where}type: of MPT's rotations only {plain} can be read, not {quote_value(kind)}")
    return attention.make(RoPE, {"base": "rope_theta"}, base=attention.number("rope_theta"))


def _of_an_image(level: Level, field: str) -> ValueError:
    return ValueError(f"{level.where}{field}: this is an image encoder; the positions of its patches can't be read")


def _input(level: Level, family: str, said: str) -> Encoding:
    """Return an encoding added to the tokens: sinusoidal, or a learned table."""
    if family in _SINUSOIDAL:
        layout, spacing = _SINUSOIDAL[family]
        return level.make(Sinusoidal, {}, layout=layout, spacing=spacing)
    if said == "sinusoidal" or any(level.flag(name) for name in ("sinusoidal_pos_embds", "sinusoidal_embeddings")):
        return Sinusoidal()
    is_known = family in _LEARNED or (family == "mpt" and level.flag("learned_pos_emb"))
    if not is_known and (level.defaults or not said):
        kind = f"model_type {quote_value(family)}{meant_family(family)}" if family else "a config without model_type"
        if said_so := level.own(*_LOOKED_FOR):
            raise ValueError(f"{level.where}{kind} isn't known, and {said_so} alone doesn't say how positions enter")
        raise ValueError(
            f"{level.where}{kind} isn't known, and no field says how positions enter: looked for {join_words(_LOOKED_FOR)}"
        )
    if (rows := positions(level, family)) is None:
        raise ValueError(f"{level.where}{LENGTH[0]} must be given: how many rows the learned table has")
    return level.make(Learned, {"max_len": level.name(*LENGTH) or ""}, max_len=rows)


def _t5(level: Level, causal: bool) -> Encoding:
    names = {"buckets": "relative_attention_num_buckets", "max_distance": "relative_attention_max_distance"}
    values = {own: level.whole(name) for own, name in names.items()}
    return level.make(T5, names, **values, bidirectional=not causal)


def _deberta(level: Level) -> Encoding:
    """Return DeBERTa's encoding; `position_buckets` and `max_relative_positions` below 1 mean none."""
    buckets, longest = (level.number(name) or 0 for name in ("position_buckets", "max_relative_positions"))
    reach = longest if longest > 0 else level.whole("max_position_embeddings")
    asked = level.value("pos_att_type") or "p2c|c2p"
    kinds = asked.split("|") if isinstance(asked, str) else asked if isinstance(asked, list | tuple) else ()
    terms = {frozenset(("c2p", "p2c")): "both", frozenset(("c2p",)): "c2p", frozenset(("p2c",)): "p2c"}
    if (of := terms.get(frozenset(map(str, kinds)))) is None:
        raise ValueError(f"{level.where}pos_att_type: should be c2p, p2c or both, not {quote_value(asked)}")
    names = {
        "span": "position_buckets" if buckets > 0 else "max_relative_positions",
        "max_position": "max_relative_positions",
    }
    span = buckets if buckets > 0 else reach
    return level.make(DeBERTa, names, span=span, max_position=reach, log_buckets=buckets > 0, terms=of)
