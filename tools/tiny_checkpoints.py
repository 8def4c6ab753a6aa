"""Folders of tiny models that transformers makes, with random weights and a tokenizer of a few words."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace
from tokenizers.processors import TemplateProcessing

from posenc_gui.checkpoints import recording
from posenc_gui.checkpoints.checkpoint import Checkpoint
from posenc_gui.checkpoints.folder import CONFIG
from posenc_gui.checkpoints.loading import Source, load
from posenc_gui.checkpoints.watch import UNWATCHED
from tools.later import Later

transformers = Later("transformers")

WORDS = (
    "[PAD]",
    "[UNK]",
    "[CLS]",
    "[SEP]",
    "dog",
    "bites",
    "man",
    "the",
    "cat",
    "sat",
    "on",
    "mat",
    "stocks",
    "rose",
    "today",
    "[MASK]",
)
_SIZE: dict[str, Any] = {
    "vocab_size": 32,
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 64,
    "max_position_embeddings": 64,
}
_GPT: dict[str, Any] = {"vocab_size": 32, "n_embd": 32, "n_layer": 2, "n_head": 4, "n_positions": 64}
_YARN = {"rope_type": "yarn", "rope_theta": 1e4, "factor": 4.0, "original_max_position_embeddings": 16}
_LONGROPE = {
    "rope_type": "longrope", "rope_theta": 1e4, "factor": 4.0, "original_max_position_embeddings": 16,
    "short_factor": [1.0, 1.5, 2.0, 3.0], "long_factor": [1.0, 2.0, 4.0, 8.0],
}  # fmt: skip
_GROUPED: dict[str, Any] = {"num_key_value_heads": 2, "head_dim": 8}
_WITH_SPECIAL = ("bert", "roberta")

CONFIGS: dict[str, Callable[[], Any]] = {
    "bert": lambda: transformers.BertConfig(**_SIZE),
    "roberta": lambda: transformers.RobertaConfig(**_SIZE, pad_token_id=0),
    "gpt2": lambda: transformers.GPT2Config(**_GPT),
    "opt": lambda: transformers.OPTConfig(
        vocab_size=32, hidden_size=32, num_hidden_layers=2, num_attention_heads=4, ffn_dim=64, max_position_embeddings=64,
        word_embed_proj_dim=32, pad_token_id=0,
    ),
    "gpt_neox": lambda: transformers.GPTNeoXConfig(**_SIZE),
    "gptj": lambda: transformers.GPTJConfig(**_GPT, rotary_dim=4),
    "llama": lambda: transformers.LlamaConfig(**_SIZE, num_key_value_heads=2),
    "qwen3": lambda: transformers.Qwen3Config(**_SIZE, **_GROUPED),
    "gemma3": lambda: transformers.Gemma3TextConfig(
        **_SIZE, **_GROUPED, sliding_window=3, layer_types=["sliding_attention", "full_attention"], pad_token_id=0
    ),
    "glm": lambda: transformers.GlmConfig(**_SIZE, **_GROUPED, partial_rotary_factor=0.5, pad_token_id=0),
    "bloom": lambda: transformers.BloomConfig(vocab_size=32, hidden_size=32, n_layer=2, n_head=4),
    "mpt": lambda: transformers.MptConfig(vocab_size=32, d_model=32, n_layers=2, n_heads=4, max_seq_len=64),
    "t5": lambda: transformers.T5Config(vocab_size=32, d_model=32, d_kv=8, d_ff=64, num_layers=2, num_heads=4),
    "gpt_oss": lambda: transformers.GptOssConfig(
        **_SIZE, **_GROUPED, sliding_window=3, layer_types=["sliding_attention", "full_attention"], num_local_experts=4,
        num_experts_per_tok=2, pad_token_id=0,
    ),
    "gemma2": lambda: transformers.Gemma2Config(
        **_SIZE, **_GROUPED, sliding_window=3, layer_types=["sliding_attention", "full_attention"], pad_token_id=0,
        attn_logit_softcapping=2.0, query_pre_attn_scalar=8,
    ),
    "llama4": lambda: transformers.Llama4TextConfig(
        **_SIZE, **_GROUPED, intermediate_size_mlp=64, num_local_experts=2, no_rope_layers=[1, 0], moe_layers=[],
        pad_token_id=0,
    ),
    "falcon": lambda: transformers.FalconConfig(**_SIZE, alibi=False),
    "deberta": lambda: transformers.DebertaV2Config(
        **_SIZE, relative_attention=True, pos_att_type=["p2c", "c2p"], pad_token_id=0
    ),
    "mpnet": lambda: transformers.MPNetConfig(**_SIZE, pad_token_id=1),
    "roformer": lambda: transformers.RoFormerConfig(**_SIZE, pad_token_id=0),
    "xglm": lambda: transformers.XGLMConfig(
        vocab_size=32, d_model=32, num_layers=2, attention_heads=4, ffn_dim=64, max_position_embeddings=64
    ),
    "yarn": lambda: transformers.LlamaConfig(**_SIZE, rope_parameters=_YARN),
    "longrope": lambda: transformers.LlamaConfig(**_SIZE, rope_parameters=_LONGROPE),
    "lfm2": lambda: transformers.Lfm2Config(
        **_SIZE | {"num_hidden_layers": 3}, num_key_value_heads=2, pad_token_id=0,
        layer_types=["conv", "full_attention", "full_attention"],
    ),
    "codegen": lambda: transformers.CodeGenConfig(**_GPT, rotary_dim=4),
}  # fmt: skip
CLOSED = ("bloom", "mpt", "falcon", "deberta", "mpnet", "roformer", "xglm")  # their code tells its weights alone
OPEN_NOW = ("gptj", "codegen")  # theirs did before transformers 5.24


def write_checkpoint(name: str, folder: Path) -> Path:
    """Write a tiny model into a folder of its name, and return that."""
    transformers.utils.logging.disable_progress_bar()
    torch.manual_seed(0)
    config = CONFIGS[name]()
    model = transformers.AutoModel.from_config(config)
    with torch.no_grad():
        for weight in model.parameters():
            if weight.ndim > 1 and weight.requires_grad:
                weight.normal_(0, 0.3)  # weights as small as those of a new model hardly tell tokens apart
    path = folder / name
    model.save_pretrained(path)
    write_tokenizer(path, name in _WITH_SPECIAL)
    return path


def write_tokenizer(path: Path, has_special: bool = False) -> None:
    """Write the tokenizer of a few words into a model's folder."""
    _tokenizer(has_special).save(str(path / "tokenizer.json"))


@cache
def eager(path: Path) -> Any:
    """Return transformers' own model, eager; of an encoder and a decoder the encoder."""
    model = transformers.AutoModel.from_pretrained(
        path, attn_implementation="eager", local_files_only=True, dtype=torch.float32
    ).eval()
    return model.get_encoder() if model.config.is_encoder_decoder else model


def _tokenizer(has_special: bool) -> Tokenizer:
    numbers = {word: number for number, word in enumerate(WORDS)}
    tokenizer = Tokenizer(WordLevel(numbers, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    if has_special:
        special = [(word, numbers[word]) for word in ("[CLS]", "[SEP]")]
        tokenizer.post_processor = TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=special)
    return tokenizer


def in_memory(path: Path) -> Checkpoint:
    """Load a folder's model in this process, where its code can be looked into; the explorer has it in one of its own."""
    recording.register()
    return load(Source(str(path), path.name, json.loads((path / CONFIG).read_text())), UNWATCHED)
