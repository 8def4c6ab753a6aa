"""Features of a published model's attention that the toy model leaves out."""

from __future__ import annotations

from posenc_gui.encodings.alibi import ALiBi
from posenc_gui.encodings.base import Encoding
from posenc_gui.foundation.wording import format_count, format_number
from posenc_gui.models.config_encodings import PADDED, T5_FAMILIES
from posenc_gui.models.config_fields import HEADS, Level
from posenc_gui.models.rope_parameters import is_pairing_known, is_rotary

_OF_ENCODER = {"bart", "fsmt", "m2m_100", "marian", "mbart", "pegasus", "speech_to_text", "whisper", *T5_FAMILIES}
_NORMALISED = {
    "afmoe", "exaone4", "exaone_moe", "gemma3_text", "gemma4_text", "olmo2", "qwen3", "qwen3_moe", "qwen3_vl_text",
    "qwen3_vl_moe_text",
}  # fmt: skip
_TURNED_IF_LOCAL = {"afmoe", "cohere2", "exaone4", "exaone_moe"}  # only in sliding windows


def unmodelled(level: Level, family: str, encoding: Encoding, d_head: int) -> tuple[str, ...]:
    """Return features of attention in the config, or in the family's code, that the toy model lacks; one phrase
    each."""
    found = []
    n_heads, groups = level.whole(*HEADS), level.whole("num_key_value_heads", "num_kv_heads", "n_head_kv")
    if groups and n_heads and groups < n_heads:
        found.append(f"groups of {format_count(n_heads // groups, 'head')} share keys and values")
    elif level.flag("multi_query") and not level.flag("new_decoder_architecture"):
        found.append("all heads share keys and values")
    if family == "falcon" and isinstance(encoding, ALiBi):
        found.append(
            f"Falcon's code divides ALiBi's bias by √d_head, too: it is {format_number(d_head**0.5)} times smaller there"
        )
    if level.name("kv_lora_rank"):
        found.append("keys and values come from one short vector per token (multi-head latent attention)")
    if level.name("sliding_window") and level.fields.get("use_sliding_window") is not False:
        found.append("some or all layers see only nearby tokens (sliding window)")
        if family in _TURNED_IF_LOCAL:
            found.append("only these layers rotate queries and keys: those that see all tokens have no encoding")
    if family == "llama4_text" and (reach := level.whole("attention_chunk_size")):
        found.append(f"in layers with RoPE, a token sees only its own chunk of {reach:,}")
    if level.flag("attn_temperature_tuning"):
        found.append("scores far into a text are scaled up (temperature tuning)")
    if family == "gpt_oss":
        found.append("each head may attend to nothing (a learned sink)")
    if level.name("attn_logit_softcapping"):
        found.append("scores are capped (soft cap)")
    if is_rotary(level, family) and not is_pairing_known(family):
        found.append("the config doesn't say which dimensions are paired: i with i + r/2 is assumed, as in most models")
    if family in _NORMALISED or any(level.flag(name) for name in ("use_qk_norm", "qk_layernorm")):
        found.append("queries and keys are normalised")
    if level.name("no_rope_layers", "no_rope_layer_interval"):
        found.append("some layers have no encoding")
    if family in _OF_ENCODER and not level.flag("is_decoder"):
        found.append("this is the encoder; the decoder has a causal mask")
    if level.flag("scale_embedding"):
        found.append("token vectors are multiplied by √d_model; seeded ones are about that long already")
    if family in PADDED:
        found.append("positions count from after the rows that the table keeps for padding")
    return tuple(found)
