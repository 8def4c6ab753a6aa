"""Tiny models of transformers' families, with random weights, for the tools that compare our reading with their code."""

from __future__ import annotations

import gc
import importlib
import inspect
import json
import logging
import re
import signal
import warnings
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import Tensor

from posenc_gui.checkpoints.config_fields import D_HEAD, D_MODEL, GROUPS, HEADS, NESTED
from tools.later import Later

transformers = Later("transformers")

TOKENS = 23  # a number that is no width of a tiny model
HEADS_LEFT, LAYERS_LEFT = 4, 8
MOST_WEIGHTS = 4e8
SECONDS = 120  # for one model
SMALL = {  # fields that only make a model large
    **dict.fromkeys(("vocab_size", "vocab_size_per_layer_input"), 99),
    **dict.fromkeys(("num_hidden_layers", "n_layer", "num_layers", "n_layers"), LAYERS_LEFT),
    **dict.fromkeys(
        ("intermediate_size", "n_inner", "ffn_hidden_size", "moe_intermediate_size", "expert_ffn_hidden_size",
         "shared_expert_intermediate_size", "shared_intermediate_size", "mlp_hidden_size"), 32),
    **dict.fromkeys(("num_experts", "num_local_experts", "n_routed_experts", "moe_num_experts", "num_routed_experts"), 4),
    **dict.fromkeys(("num_experts_per_tok", "moe_topk", "num_experts_per_token", "moe_k", "top_k_experts"), 2),
    **dict.fromkeys(("n_group", "topk_group", "n_shared_experts"), 1),
}  # fmt: skip
_MOST = {r".*_layers": LAYERS_LEFT, r".*(?:ffn_dim|intermediate_size)": 64}  # of fields whose names match
GLM = {"rope_type": "default", "rope_theta": 1e4, "partial_rotary_factor": 0.5, "mrope_section": [8, 12, 12]}
BESIDE: dict[str, dict[str, Any]] = {  # what a class doesn't run without
    "dbrx": {"attn_config": {"kv_n_heads": 2, "rope_theta": 5e5, "clip_qkv": 8.0}},
    "cohere_compass_text": {"rope_parameters": {"full_attention": {"rope_type": "default", "rope_theta": 1e4}}},
    "deepseek_ocr2_text": {"mlp_layer_types": ["dense"] * 8, "num_experts_per_tok": 2},
    "bailing_hybrid": {"n_group": 1, "topk_group": 1, "num_experts_per_tok": 2},
    "dory": {"n_input_layers": 2, "n_recurrent_layers": 4, "n_output_layers": 2},
    "dots1": {"n_routed_experts": 4, "n_shared_experts": 1, "num_experts_per_tok": 2, "n_group": 1, "topk_group": 1},
    "kosmos_2_text_model": {"embed_dim": 256},
    "kosmos_2_5_text_model": {"embed_dim": 256},
    "layoutlmv3": {"coordinate_size": 44, "shape_size": 40},
    "lfm2_moe": {"layer_types": ["conv", "full_attention"] * 4},
    "lilt": {"hidden_size": 96},
    "mamba2": {"num_heads": 8},
    "moonshine_streaming": {"num_key_value_heads": 4},
    "pix2struct_text_model": {"initializer_range": 0.02},
    "qwen3_omni_moe_talker_text": {"shared_expert_intermediate_size": 32},
    "reformer": {"axial_pos_embds_dim": [42, 42]},
    "rwkv": {"attention_hidden_size": 64, "hidden_size": 64},
    "t5gemma2_decoder": {"dropout_rate": 0.0},
    "t5gemma2_text": {"dropout_rate": 0.0},
    "xlstm": {"hidden_size": 256},
    "glm4_moe": {"head_dim": 128},
    "glm4v_moe_text": {"head_dim": 128, "rope_parameters": GLM},
    "glm4v_text": {"rope_parameters": GLM},
    "glm_image_text": {"rope_parameters": GLM},
    "diffusion_gemma_text": {"num_experts": 4, "top_k_experts": 2, "moe_intermediate_size": 32},
    "gemma3n_text": {
        "intermediate_size": [32] * 8,
        "activation_sparsity_pattern": [0.0] * 8,
        "num_kv_shared_layers": 0,
        "layer_types": ["sliding_attention", "full_attention"] * 4,
    },
    "step3p5": {"sliding_window": 512},
    "inkling_text": {"swa_num_attention_heads": 4, "swa_num_key_value_heads": 2},
    "zaya": {"num_experts_per_tok": 1},
    "esm": {"vocab_size": 99, "position_embedding_type": "rotary", "pad_token_id": 1, "mask_token_id": 2},
    "granitemoehybrid": {"position_embedding_type": "rope", "layer_types": ["full_attention"] * 8},
    "bamba": {"attn_layer_indices": [1, 3]},
    "deepseek_v2": {"num_experts_per_tok": 2, "topk_method": "greedy"},
    "hunyuan_vl_text": {
        "head_dim": 128,
        "rope_parameters": {"rope_type": "default", "rope_theta": 1e4, "mrope_section": [16] * 4},
    },
    "gpt_neo": {"attention_types": [[["global", "local"], 4]]},
    "squeezebert": {"embedding_size": 256},
    "xmod": {"default_language": "en_XX"},
    "owlv2_text_model": {"max_position_embeddings": 64},
    "owlvit_text_model": {"max_position_embeddings": 64},
    "zamba2": {"use_mem_rope": True, "layers_block_type": ["linear_attention", "hybrid"] * 4},
}  # fmt: skip


class Late(BaseException):
    """A model takes too long; no Exception, so that what a model may raise isn't mistaken for it."""


def some_text() -> Tensor:
    """Return TOKENS tokens: (1, TOKENS)."""
    return torch.randint(3, 90, (1, TOKENS), generator=torch.Generator().manual_seed(1))


def is_causal(model: torch.nn.Module) -> bool:
    """Return True if the first token's output stays when the last token changes."""
    text = some_text()
    first = run(model, text)
    text[0, -1] = (text[0, -1] + 7) % 90
    moved = (run(model, text)[:, 0] - first[:, 0]).abs().max() / first.abs().max()
    return float(moved) < 1e-4


def run(model: torch.nn.Module, text: Tensor) -> Tensor:
    """Return a model's output for a text."""
    accepted = inspect.signature(model.forward).parameters
    beside = {"use_cache": False} if "use_cache" in accepted else {}
    with torch.no_grad():
        out = model(input_ids=text, **beside)
    found: Tensor = next(value for value in out.values() if isinstance(value, Tensor))
    return found


def written(config: Any) -> dict[str, Any]:
    """Return the fields that transformers writes of a config."""
    fields: dict[str, Any] = json.loads(config.to_json_string(use_diff=False))
    return fields


def tiny_config(family: str) -> Any:
    """Return a family's config with few heads, of the width that they have by default, and few and small layers."""
    own = written(transformers.AutoConfig.for_model(family))
    whole = {name: held for name, held in own.items() if isinstance(held, int) and not isinstance(held, bool)}
    few = {
        name: min(held, most)
        for name, held in whole.items()
        for kind, most in _MOST.items()
        if re.fullmatch(kind, name)
    }
    few |= {name: small for name, small in SMALL.items() if isinstance(own.get(name), int)}
    heads, width = (next((name for name in names if isinstance(own.get(name), int)), "") for names in (HEADS, D_MODEL))
    if heads and width:
        d_head = next((own[name] for name in D_HEAD if isinstance(own.get(name), int)), own[width] // own[heads])
        few |= {heads: HEADS_LEFT, width: HEADS_LEFT * d_head}
        few |= {name: min(own[name] or 2, 2) for name in GROUPS if name in own and own[name] != own[heads]}
        few |= {name: HEADS_LEFT for name in GROUPS if own.get(name) == own[heads]}
        few |= {"head_dim": d_head} if "head_dim" in own and own["head_dim"] is None else {}
    few |= {name: HEADS_LEFT for name in ("decoder_attention_heads",) if name in own}
    few |= {name: written(tiny_config(inner)) for name, inner in _held(own).items()}
    few |= {name: at for at, name in enumerate(("pad_token_id", "bos_token_id")) if (own.get(name) or 0) > 98}
    config = transformers.AutoConfig.for_model(family, **few | BESIDE.get(family, {}))
    config._attn_implementation = "eager"
    return config


def _held(own: dict[str, Any]) -> dict[str, str]:
    """Return the model_types of configs in a config, by the names of their fields."""
    kinds = transformers.models.auto.configuration_auto.CONFIG_MAPPING_NAMES
    inner = {name: held.get("model_type") for name, held in own.items() if isinstance(held, dict)}
    return {name: kind for name, kind in inner.items() if kind in kinds}


def tiny_model(config: Any) -> torch.nn.Module:
    """Return a model with random weights; of an encoder and a decoder, the encoder. Raises as `whole_model`."""
    model = whole_model(config)
    return model.get_encoder() if config.is_encoder_decoder and hasattr(model, "get_encoder") else model


def whole_model(config: Any) -> Any:
    """Return a model with random weights.

    Raises MemoryError for one that isn't tiny, LookupError where transformers has no model of that config.
    """
    mapping = transformers.models.auto.modeling_auto.MODEL_MAPPING
    cls = mapping[type(config)] if type(config) in mapping else _only_class(config)
    cls = cls[0] if isinstance(cls, tuple) else cls
    with torch.device("meta"):
        if sum(weight.numel() for weight in cls(config).parameters()) > MOST_WEIGHTS:
            raise MemoryError(f"more than {MOST_WEIGHTS:g} weights")
    torch.manual_seed(0)
    model = cls(config).float().eval()
    part = model.get_encoder() if config.is_encoder_decoder and hasattr(model, "get_encoder") else model
    with torch.no_grad():
        for name, weight in part.named_parameters():
            if weight.dim() > 1 and weight.requires_grad:  # a fixed table of sines stays
                weight.normal_(0, 0.05)
            elif not weight.any() and not name.endswith("bias"):  # a gain of 0 would hide everything
                weight.normal_(1, 0.05)
    return model


def _only_class(config: Any) -> Any:
    named = type(config).__module__.replace("configuration", "modeling")
    for cls in vars(importlib.import_module(named)).values():
        if (
            inspect.isclass(cls)
            and getattr(cls, "config_class", None) is type(config)
            and "PreTrained" not in cls.__name__
        ):
            return cls
    raise LookupError("no model class")


def alone() -> list[str]:
    """Return every model_type whose config holds no other's: those that do are read as the one inside."""
    names = transformers.models.auto.configuration_auto.CONFIG_MAPPING_NAMES
    kinds = {kind: getattr(transformers, name) for kind, name in names.items()}
    return [kind for kind, made in kinds.items() if not set(NESTED) & set(made.sub_configs)]


def counted(verdict: Callable[[str], tuple[str, str]], families: Iterable[str]) -> int:
    """Print a verdict on each family, and how many there are of each kind; return 1 if one is wrong, else 0."""
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    counts: Counter[str] = Counter()

    def late(*_of_signal: Any) -> None:
        raise Late(f"more than {SECONDS} s")

    signal.signal(signal.SIGALRM, late)
    for family in families:
        signal.alarm(SECONDS)
        try:
            said, why = verdict(family)
        except Late as late_one:
            said, why = "not run", str(late_one)
        signal.alarm(0)
        counts[said] += 1
        print(f"{family:36} {said:8} {why}", flush=True)
        gc.collect()
    print(", ".join(f"{count} {said}" for said, count in counts.most_common()))
    return int(bool(counts["wrong"]))
