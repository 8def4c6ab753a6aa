"""Facts about families of models that are in their code and not in their config.

A family is a `model_type` of transformers 5.24; its code, models/<family>/modeling_<family>.py, is the source of each fact.
`python -m tools.rotary_models` compares what follows from them with what that code does.
"""

from __future__ import annotations

import math

# Published under a name of their own, with another family's code.
SAME_CODE = {"kimi_k2": "deepseek_v3"}  # its config.json: "architectures": ["DeepseekV3ForCausalLM"]

# Families whose learned table has rows for padding before the first position: `pad_token_id` + 1 of them.
PADDED = {
    "altclip_text_model", "bridgetower_text_model", "camembert", "clap_text_model", "data2vec-text", "esm", "ibert",
    "layoutlmv3", "lilt", "longformer", "luke", "markuplm", "mpnet", "roberta", "roberta-prelayernorm", "xlm-roberta",
    "xlm-roberta-xl", "xmod",
}  # fmt: skip
FROM_TWO = {  # its first position is 2, and its table has two rows more than the config says
    "bart", "biogpt", "fsmt", "m2m_100", "mbart", "mvp", "nllb-moe", "nystromformer", "opt", "plbart", "speech_to_text", "xglm",
}  # fmt: skip

# Positions that a family, or a class that a config names, was trained on before it was extended; its config has only those
# after that.
TRAINED = {
    "gemma3_text": 32_768,  # Gemma Team 2025, "Gemma 3 Technical Report", section 5.3
    "JinaBertForMaskedLM": 512,  # the cards of jinaai/jina-embeddings-v2-*
}

T5_FAMILIES = {"t5", "mt5", "umt5", "longt5", "switch_transformers"}
OF_ENCODER = {  # read as their encoder; their decoder has a mask
    "bart", "bigbird_pegasus", "blenderbot", "blenderbot-small", "dia", "fsmt", "m2m_100", "marian", "mbart", "moonshine",
    "mvp", "nllb-moe", "pegasus", "plbart", "pop2piano", "speech_to_text", "t5_gemma_module", "udop", "whisper",
    *T5_FAMILIES,
}  # fmt: skip
WITHOUT_MASK = {
    *PADDED, *OF_ENCODER, "aimv2_text_model", "albert", "align_text_model", "bert", "bert-generation", "big_bird",
    "blip_text_model", "blt_patcher", "chinese_clip_text_model", "deberta", "deberta-v2", "dia_encoder", "distilbert", "dpr",
    "electra", "embedding_gemma2_text", "ernie", "esmc", "eurobert", "flaubert", "flava_text_model", "gte",
    "jina_embeddings_v3", "layoutlm", "megatron-bert", "mobilebert", "modernbert", "neomme", "nomic_bert", "nystromformer",
    "openai_privacy_filter", "pe_audio_encoder", "pe_audio_video_encoder", "pe_video_encoder", "rembert", "roc_bert",
    "roformer", "sew-d", "siglip2_text_model", "siglip_text_model", "splinter", "squeezebert", "t5gemma2_encoder",
    "t5gemma2_text", "tapas", "tipsv2_text_model", "ultrabert", "visual_bert", "xlm", "xlnet",
}  # fmt: skip

# Rotary, with a base of 10,000 that no field of their config holds.
ROTARY_BY_CODE = {"codegen", "gptj", "roformer"}
WITHOUT_POSITIONS = {"jamba", "kimi_linear", "nemotron_h", "zamba"}  # their attention; layers between know the order
RECURRENT = {  # some layers read the text in order, whatever the config's name for them
    "bamba", "jamba", "kimi_linear", "lfm2", "lfm2_moe", "nemotron_h", "recurrent_gemma", "zamba", "zamba2",
}  # fmt: skip
# Rotary only where `use_mem_rope` or `position_embedding_type` says so.
ROTARY_IF_SAID = {"zamba2": "use_mem_rope", "granitemoehybrid": "position_embedding_type"}

# Dimensions 2i and 2i + 1 are paired; where the config has `rope_interleave`, that decides.
INTERLEAVED = {
    "axk2", "bailing_hybrid", "blt", "blt_global_transformer", "blt_local_decoder", "blt_local_encoder", "blt_patcher",
    "codegen", "cohere", "cohere2", "cohere2_moe", "deepseek_v2", "deepseek_v32", "deepseek_v4", "dots3_note_text",
    "ernie4_5", "ernie4_5_moe", "ernie4_5_vl_moe_text", "glm", "glm4", "glm4v_text", "glm_moe_dsa", "glm_ocr_text",
    "gptj", "helium", "hy_v4_vl_text", "llama4_text", "longcat_flash", "mistral_large4_text", "moonshine",
    "moonshine_streaming", "openai_privacy_filter", "pe_audio_encoder", "pe_audio_video_encoder", "pe_video_encoder",
    "roformer",
}  # fmt: skip
WHOLLY_TURNED = {"minimax_m3_vl_text"}  # its code doesn't read `rotary_dim`
BACKWARDS = {"nanochat"}  # rotate_half has the other sign
# How many pairs turn by time, row and column where the config doesn't say; the second, taken in turns.
_GLM, _QWEN_2, _QWEN_3, _QWEN_3_5 = (
    ((8, 12, 12), False),
    ((16, 24, 24), False),
    ((24, 20, 20), True),
    ((11, 11, 10), True),
)
SECTIONS = {
    **dict.fromkeys(("glm4v_moe_text", "glm4v_text", "glm_image_text", "glm_ocr_text"), _GLM),
    **dict.fromkeys(("paddleocr_vl_text", "qwen2_5_omni_text", "qwen2_5_vl_text", "qwen2_vl_text"), _QWEN_2),
    **dict.fromkeys(("cosmos3_edge_text", "qwen3_omni_moe_text", "qwen3_vl_moe_text", "qwen3_vl_text"), _QWEN_3),
    "hy_v4_vl_text": ((12, 10, 10), True),
    **dict.fromkeys(("qwen3_5_moe_text", "qwen3_5_text", "qwen4_exp_text"), _QWEN_3_5),
}
UNGROWN = {"deepseek_v4"}  # YaRN without its attention factor

# The factor of q · k where it isn't 1/√d_head and no field holds it.
_SCALES = {
    "diffusion_gemma_text": 0, "embedding_gemma2_text": 0, "gemma3n_text": 0, "gemma4_text": 0, "gemma4_unified_text": 0,
    "dia": 0, "dia_decoder": 0, "dia_encoder": 0, "gpt_neo": 0, "inkling_text": -1,
}  # fmt: skip  # powers of d_head
SCALED_BY_YARN = {  # yarn_apply_mscale
    "axk1", "axk2", "bailing_hybrid", "deepseek_v2", "deepseek_v3", "deepseek_v32", "glm4_moe_lite", "glm_moe_dsa",
    "hy_v4", "hy_v4_vl_text", "longcat_flash", "minicpm3", "mistral4", "mistral_large4_text", "sarvam_mla", "youtu",
}  # fmt: skip
# Attention reads the token twice, so a head has 2 · d_model / heads dimensions, and the scale is √2 larger.
DOUBLED = {"zamba", "zamba2"}

# Of their layers only those with a sliding window are rotated.
TURNED_IF_LOCAL = {"afmoe", "cohere2", "cohere2_moe", "exaone4", "exaone_moe", "flint", "kolibri1", "lara_mini"}
# Layers of these hold `head_dim` in `per_layer_config` because they see all tokens.
WIDER_IF_FULL = {"diffusion_gemma_text", "embedding_gemma2_text", "gemma4_text", "gemma4_unified_text"}

NORMALISED = {  # queries and keys, whatever the config says
    "afmoe", "apertus", "apertus1p5_text", "beam", "chameleon", "diffusion_gemma_text", "doge", "dory", "dots1",
    "dots3_note_text", "embedding_gemma2_text", "esmc", "exaone4", "exaone_moe", "flex_olmo", "flint", "gemma3_text",
    "gemma3n_text", "gemma4_text", "gemma4_unified_text", "glm_ocr_text", "hunyuan_v1_dense", "hunyuan_v1_moe",
    "hunyuan_vl_text", "hy_v3", "inkling_text", "kolibri1", "laguna", "lara_mini", "lfm2", "lfm2_moe", "lfm3", "mellum",
    "minimax_m2", "minimax_m3_vl_text", "molmo2_text", "muse_glimmer_text", "muse_spark_text", "nanochat", "neomme",
    "olmo2", "olmo3", "olmo_hybrid", "olmoe", "qwen3", "qwen3_5_moe_text", "qwen3_5_text", "qwen3_moe", "qwen3_next",
    "qwen3_omni_moe_talker_code_predictor", "qwen3_omni_moe_talker_text", "qwen3_omni_moe_text", "qwen3_vl_moe_text",
    "qwen3_vl_text", "qwen4_exp_text", "step3p5", "t5gemma2_decoder", "t5gemma2_text", "timesfm2_5", "zaya",
}  # fmt: skip
# A score beside the tokens' takes a part of the weights.
SINKS = {
    "deepseek_v4", "flint", "gpt_oss", "granite_swa", "granitemoe_swa", "hy_v4", "hy_v4_vl_text", "mimo_v2_flash",
    "openai_privacy_filter",
}  # fmt: skip


def scale_by_code(family: str, d_head: int) -> float | None:
    """Return the factor of q · k that a family's code has; None for 1/√d_head."""
    if family in DOUBLED:
        return math.sqrt(2 / d_head)
    return float(d_head) ** _SCALES[family] if family in _SCALES else None
