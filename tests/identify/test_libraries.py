"""What installed libraries compute, each named right: which encoding, in which convention, with which parameters."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

import posenc_gui as pe
from tools.later import Later

transformers = Later("transformers")
ropes = Later("transformers.modeling_rope_utils")
llama = Later("transformers.models.llama.modeling_llama")
gemma3 = Later("transformers.models.gemma3.modeling_gemma3")
cohere = Later("transformers.models.cohere.modeling_cohere")
gptj = Later("transformers.models.gptj.modeling_gptj")
neox = Later("transformers.models.gpt_neox.modeling_gpt_neox")
marian = Later("transformers.models.marian.modeling_marian")
roformer = Later("transformers.models.roformer.modeling_roformer")
whisper = Later("transformers.models.whisper.modeling_whisper")
speech = Later("transformers.models.speech_to_text.modeling_speech_to_text")
musicgen = Later("transformers.models.musicgen.modeling_musicgen")
xlm = Later("transformers.models.xlm.modeling_xlm")
bloom = Later("transformers.models.bloom.modeling_bloom")
falcon = Later("transformers.models.falcon.modeling_falcon")
mpt = Later("transformers.models.mpt.modeling_mpt")
t5 = Later("transformers.models.t5.modeling_t5")
deberta = Later("transformers.models.deberta_v2.modeling_deberta_v2")
xt = Later("x_transformers.x_transformers")
ret = Later("rotary_embedding_torch")

QWEN = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 32_768}
GPT_OSS = {"rope_type": "yarn", "factor": 32.0, "original_max_position_embeddings": 4096, "truncate": False}
DEEPSEEK = {
    "rope_type": "yarn",
    "factor": 40.0,
    "original_max_position_embeddings": 4096,
    "mscale": 1.0,
    "mscale_all_dim": 1.0,
}
LLAMA3 = {
    "rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
    "original_max_position_embeddings": 8192,
}  # fmt: skip
PHI3 = {
    "rope_type": "longrope", "original_max_position_embeddings": 4096, "factor": 32.0,
    "short_factor": [1.0 + 0.05 * i for i in range(48)], "long_factor": [1.0 + 1.3 * i for i in range(48)],
}  # fmt: skip


def config(d_head: int = 128, base: float = 10_000.0, **scaling: Any) -> Any:
    scaling = {"rope_type": "default", **scaling}
    return transformers.LlamaConfig(
        hidden_size=d_head, num_attention_heads=1, head_dim=d_head, max_position_embeddings=131_072,
        rope_parameters={"rope_theta": base, **scaling},
    )  # fmt: skip


def cosines(n: int = 32, start: int = 0, dtype: torch.dtype = torch.float32, **given: Any) -> Tensor:
    """Cosines as a model of Llama's kind computes them, (1, n, d_head)."""
    places = torch.arange(start, start + n)[None]
    return llama.LlamaRotaryEmbedding(config(**given))(torch.zeros(1, dtype=dtype), places)[0]


def turned(by: Callable[[Tensor], Tensor]) -> tuple[Tensor, Tensor]:
    """Queries turned by a function, and the same before."""
    before = torch.randn(1, 2, 12, 32, generator=torch.Generator().manual_seed(0))
    return by(before), before


def turned_by_cohere(q: Tensor) -> Tensor:
    rotary = cohere.CohereRotaryEmbedding(transformers.CohereConfig(hidden_size=32, num_attention_heads=1))
    return cohere.apply_rotary_pos_emb(q, q, *rotary(q, torch.arange(12)[None]))[0]


def turned_by_neox(q: Tensor) -> Tensor:
    made = transformers.GPTNeoXConfig(hidden_size=32, num_attention_heads=1)
    rotary = neox.GPTNeoXRotaryEmbedding(made)  # a quarter of each head
    return neox.apply_rotary_pos_emb(q, q, *rotary(q, torch.arange(12)[None]))[0]


def turned_by_gptj(q: Tensor) -> Tensor:
    sines, cosines = gptj.create_sinusoidal_positions(12, 32).chunk(2, dim=-1)
    return gptj.apply_rotary_pos_emb(q.transpose(1, 2), sines[None], cosines[None]).transpose(1, 2)


def buckets(bidirectional: bool) -> Tensor:
    offsets = torch.arange(160)[None] - torch.arange(160)[:, None]
    return t5.T5Attention._relative_position_bucket(offsets, bidirectional=bidirectional)


def gemma_cosines(layers: str) -> Tensor:
    rotary = gemma3.Gemma3RotaryEmbedding(transformers.Gemma3TextConfig(head_dim=64))
    return rotary(torch.zeros(1), torch.arange(16)[None], layers)[0]


def scaling(rope_type: str, **more: Any) -> dict[str, Any]:
    return {"scaling.rope_type": rope_type, **{f"scaling.{name}": value for name, value in more.items()}}


PAPER, T2T = {"base": 10_000.0, "spacing": "paper"}, {"base": 10_000.0, "spacing": "tensor2tensor"}
HALF, TURNS = {"pairing": "half"}, {"pairing": "interleaved"}
ROPE = {"base": 10_000.0, "scaling": None}
# Numbers, the kind that is told, the encoding with fields, start, and what must be said of what they can't tell.
THEIRS: dict[str, tuple[Callable[[], Any], str | None, str, dict[str, Any], int | None, str]] = {
    "XLM": (lambda: xlm.create_sinusoidal_embeddings(20, 32, torch.empty(20, 32)), None, "sinusoidal",
            {"layout": "interleaved"} | PAPER, 0, ""),
    "Marian": (lambda: marian.MarianSinusoidalPositionalEmbedding(20, 32).create_weight(), "table", "sinusoidal",
               {"layout": "concatenated"} | PAPER, 0, ""),
    "RoFormer": (lambda: roformer.RoFormerSinusoidalPositionalEmbedding(20, 31).create_weight(), None, "sinusoidal",
                 {"layout": "concatenated"} | PAPER, 0, ""),
    "Whisper": (lambda: whisper.sinusoids(30, 64), None, "sinusoidal", {"layout": "concatenated"} | T2T, 0, ""),
    "Speech2Text from its first row": (lambda: speech.Speech2TextSinusoidalPositionalEmbedding.get_embedding(30, 64)[2:],
                                       None, "sinusoidal", {"layout": "concatenated"} | T2T, 2, ""),
    "MusicGen": (lambda: musicgen.MusicgenSinusoidalPositionalEmbedding.get_embedding(30, 64), None, "sinusoidal",
                 {"layout": "cosine_first"} | T2T, 0, ""),
    "GPT-J's sines and cosines": (lambda: gptj.create_sinusoidal_positions(20, 32), "waves", "rope", ROPE, 0, "pair"),
    "GPT-J's, of unknown kind": (lambda: gptj.create_sinusoidal_positions(20, 32), None, "", {}, 0, "RoPE|Sinusoidal"),
    "Llama": (cosines, None, "rope", ROPE | HALF, 0, ""),
    "Llama in bf16 from 100": (lambda: cosines(start=100, dtype=torch.bfloat16), None, "rope", ROPE | HALF, 100, ""),
    "Llama 3 from 1": (lambda: cosines(6, 1, d_head=16, base=500_000.0), None, "rope", {"base": 500_000.0} | HALF, 1, ""),
    "Llama 3.1": (lambda: cosines(512, base=500_000.0, **LLAMA3), None, "rope",
                  {"base": 500_000.0} | HALF | scaling("llama3", factor=8.0), 0, ""),
    "Qwen2": (lambda: cosines(base=1_000_000.0), None, "rope", {"base": 1e6, "scaling": None} | HALF, 0, ""),
    "Qwen2.5 with YaRN": (lambda: cosines(64, base=1_000_000.0, **QWEN), None, "rope",
                          {"base": 1e6} | HALF | scaling("yarn", factor=4.0), 0, ""),
    "gpt-oss": (lambda: cosines(64, d_head=64, base=150_000.0, **GPT_OSS), None, "rope",
                {"base": 150_000.0} | HALF | scaling("yarn", factor=32.0), 0, ""),
    "DeepSeek-V3": (lambda: cosines(256, d_head=64, **DEEPSEEK), None, "rope",
                    {"base": 10_000.0} | HALF | scaling("yarn", factor=40.0), 0, ""),
    "Gemma 3, local": (lambda: gemma_cosines("sliding_attention"), None, "rope", ROPE | HALF, 0, ""),
    "Gemma 3, global": (lambda: gemma_cosines("full_attention"), None, "rope", {"base": 1e6} | HALF, 0, ""),
    "Cohere's cosines": (lambda: cohere.CohereRotaryEmbedding(transformers.CohereConfig(hidden_size=32, num_attention_heads=1))(
        torch.zeros(1), torch.arange(12)[None])[0], None, "rope", {"base": 500_000.0} | TURNS, 0, ""),
    "Cohere's queries": (lambda: turned(turned_by_cohere), None, "rope", {"base": 500_000.0} | TURNS, 0, ""),
    "GPT-NeoX's queries": (lambda: turned(turned_by_neox), None, "rope", ROPE | HALF | {"fraction": 0.25}, 0, ""),
    "GPT-J's queries": (lambda: turned(turned_by_gptj), None, "rope", ROPE | TURNS, 0, ""),
    "Llama's inv_freq": (lambda: llama.LlamaRotaryEmbedding(config()).inv_freq, None, "rope", ROPE, None, "pair"),
    "Llama 3.1's inv_freq": (lambda: llama.LlamaRotaryEmbedding(config(base=500_000.0, **LLAMA3)).inv_freq, None, "rope",
                             {"base": 500_000.0} | scaling("llama3", factor=8.0), None, "pair"),
    "Llama 3.1's printed": (lambda: str(llama.LlamaRotaryEmbedding(config(base=500_000.0, **LLAMA3)).inv_freq), None, "rope",
                            {"base": 500_000.0}, None, "pair"),
    "rotary-embedding-torch's angles": (lambda: ret.RotaryEmbedding(32)(torch.arange(12.0)).detach(), None, "rope",
                                        ROPE | TURNS, 0, ""),
    "rotary-embedding-torch's queries": (lambda: turned(lambda q: ret.RotaryEmbedding(32).rotate_queries_or_keys(q).detach()),
                                         None, "rope", ROPE | TURNS, 0, ""),
    "x-transformers' angles": (lambda: xt.RotaryEmbedding(32)(torch.arange(12))[0], None, "rope", ROPE | TURNS, 0, ""),
    "BLOOM": (lambda: bloom.build_alibi_tensor(torch.ones(1, 20), 16, torch.float32), None, "alibi", {"bias_max": 8.0}, None, ""),
    "BLOOM in bf16, 12 heads": (lambda: bloom.build_alibi_tensor(torch.ones(1, 20), 12, torch.bfloat16), None, "alibi",
                                {}, None, ""),
    "Falcon": (lambda: falcon.build_alibi_tensor(torch.ones(1, 20), 71, torch.float32), None, "", {}, None,
               "ALiBi.*slopes rounded to bf16"),
    "MPT": (lambda: mpt.build_mpt_alibi_tensor(32, 20), None, "alibi", {"bias_max": 8.0}, None, ""),
    "x-transformers' ALiBi": (lambda: xt.AlibiPositionalBias(12)(10, 10), None, "alibi", {}, None, ""),
    "T5's encoder": (lambda: buckets(True), None, "t5", {"buckets": 32, "max_distance": 128, "bidirectional": True}, None, ""),
    "T5's decoder": (lambda: buckets(False), None, "t5", {"buckets": 32, "max_distance": 128, "bidirectional": False}, None, ""),
    "DeBERTa's rows": (lambda: deberta.build_relative_position(torch.zeros(1, 300, 1), torch.zeros(1, 300, 1),
                       bucket_size=256, max_position=512)[0] + 256, None, "deberta", {"span": 256}, None, ""),
}  # fmt: skip


def field_of(encoding: Any, path: str) -> Any:
    for name in path.split("."):
        encoding = getattr(encoding, name)
    return encoding


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
@pytest.mark.most(40)
@pytest.mark.parametrize("who", THEIRS)
def test_libraries_are_named_right(who: str) -> None:
    make, kind, name, fields, start, untold = THEIRS[who]
    numbers, before = made if isinstance(made := make(), tuple) else (made, None)
    found = pe.identify(numbers, kind, before)
    if name or kind:
        assert (found.encoding.name if found.encoding else "") == name, found.sentence
    for path, value in fields.items():
        assert field_of(found.encoding, path) == value, (path, found.sentence)
    assert found.start == start
    assert re.search(untold, " ".join((found.sentence, *found.undecided))), found.undecided
    assert not set("{}") & set(found.sentence)
