"""Folders are drawn as transformers acts and opened as their config.json says; `python -m tools.trained_models` compares all."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

import posenc_gui as pe
from tools import tiny_checkpoints, trained_models
from tools.later import Later
from tools.tiny_checkpoints import in_memory

transformers = Later("transformers")


@pytest.mark.slow
@pytest.mark.most(6)
@pytest.mark.parametrize(
    ("family", "expected"),
    [
        *(
            (family, "right")
            for family in (
                *(
                    "glm",
                    "glm4",
                    "t5gemma",
                    "helium",
                    "ernie4_5",
                    "gpt_oss",
                    "llama4_text",
                    "qwen2_vl_text",
                    "roformer",
                    "xglm",
                    "ctrl",
                ),
                *("doge", "marian", "m2m_100", "bigbird_pegasus", "diffllama", "beam", "dots3_note_text", "gemma"),
                *("gemma4_text", "granite_swa", "ibert", "layoutlm", "tapas", "tipsv2_text_model"),
                *("splinter", "markuplm", "lilt", "gemma3", "llama4", "clip", "smollm3", "exaone4"),
            )
        ),
        *((family, "kept") for family in ("bamba", "recurrent_gemma", "minimax", "xlnet", "mobilebert")),
        *((family, "closed") for family in ("cpmant", "mamba", "bros", "blip_text_model")),
        ("prophetnet", "closed"),  # its output_attentions are scores
        ("fsmt", "closed"),  # FSMTEncoder has no config
    ],
)
def test_a_tiny_model_is_opened_as_its_config_is_read(family: str, expected: str) -> None:
    """Doge adds a bias of its keys to its mask, Gemma's rounding grows by layer; Bamba knows order elsewhere too; Splinter
    gives no mask, and has none; XLNet's tokens stand before its texts; Gemma 3, Llama 4 and CLIP read images, too.
    """
    assert trained_models.verdict(family)[0] == expected


@pytest.mark.slow
def test_positions_that_stay_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """MPNet's table zeroed, its bias not."""
    assert trained_models.verdict("mpnet")[0] == "right"
    folder = trained_models.write_folder("mpnet", tmp_path)
    assert in_memory(folder).separable
    monkeypatch.setattr("posenc_gui.checkpoints.recording.BIASES", ())
    assert not in_memory(folder).separable


def test_falcon_with_alibi_is_no_rotation_though_its_code_computes_one(tmp_path: Path, monkeypatch) -> None:
    """FalconModel.forward gives cosines and sines to every layer, and FalconAttention leaves them where it has ALiBi."""
    config = transformers.FalconConfig(**tiny_checkpoints._SIZE, alibi=True)
    monkeypatch.setitem(tiny_checkpoints.CONFIGS, "falcon_alibi", lambda: config)
    path = tiny_checkpoints.write_checkpoint("falcon_alibi", tmp_path)
    assert pe.open_model(path).encoding == pe.from_config(path / "config.json").encoding == pe.encoding("alibi")


def test_a_table_that_a_formula_fills_is_no_learned_one(tmp_path: Path) -> None:
    """MarianSinusoidalPositionalEmbedding; where training has changed rows, as DistilBERT's may be, they are learned."""
    size = {"d_model": 32, "encoder_layers": 2, "decoder_layers": 1, "encoder_attention_heads": 4, "vocab_size": 32}
    beside = {"encoder_ffn_dim": 64, "decoder_ffn_dim": 64, "decoder_attention_heads": 4, "pad_token_id": 0}
    model = transformers.MarianModel(transformers.MarianConfig(**size, **beside, max_position_embeddings=64))
    rows = model.encoder.embed_positions.weight
    for change, name in ((0.0, "fixed_table"), (0.1, "trained_table")):
        with torch.no_grad():
            rows[5] += change
        path = tmp_path / name
        model.save_pretrained(path)
        tiny_checkpoints.write_tokenizer(path)
        assert (found := pe.open_model(path).encoding).name == name
        assert found.n_parameters(32, 4, 8) == (0 if name == "fixed_table" else 64 * 32)


def test_where_layers_turn_heads_of_several_widths_a_rotation_replaces_that_of_its_own(tmp_path: Path) -> None:
    path = trained_models.write_folder("gemma4_text", tmp_path / "gemma4_text")
    local, full = (pe.open_model(path, layer=layer) for layer in (6, 5))
    assert (local.encoding.base, local.d_head) == (1e4, 256)
    assert (full.encoding.scaling.rope_type, full.d_head) == ("proportional", 512)
    session = pe.Session(text=trained_models.TEXT, model=local, encoding=pe.encoding("rope", base=500.0))
    own = transformers.AutoModel.from_pretrained(path, attn_implementation="eager").eval()
    own.rotary_emb.sliding_attention_inv_freq.copy_(500.0 ** (-torch.arange(0, 256, 2) / 256))
    ids = torch.tensor([[tiny_checkpoints.WORDS.index(token) for token in session.tokens]])
    with torch.no_grad():
        expected = own(input_ids=ids, output_attentions=True).attentions[6][0]
    assert torch.allclose(pe.attend(session).probabilities, expected, atol=trained_models.CLOSE)


@pytest.mark.slow
@pytest.mark.most(4)
@pytest.mark.parametrize(
    ("family", "said"),
    [
        # Configs' no_rope_layers and layer_types, of which transformers' code turns some layers only; then their numbers.
        ("smollm3", {3: "has no encoding", 7: "has no encoding"}),
        ("llama4_text", {3: "has no encoding", 7: "has no encoding"}),
        ("exaone4", {3: "has no encoding", 7: "has no encoding"}),
        ("minimax", {1: "the model's layer 2", 2: "the model's layer 4", 3: "the model's layer 6"}),
        (
            "gemma3_text",
            dict.fromkeys(range(8), "has RoPE, base 10,000, as 7 of 8 layers do")
            | {5: "has RoPE, base 1,000,000, as 1 of 8 layers do"},
        ),
    ],
)
def test_a_layer_is_seen_with_what_it_does_itself(tmp_path: Path, family: str, said: dict[int, str]) -> None:
    """SmolLM3Attention.use_rope, Llama4TextAttention.use_rope, Exaone4Attention.is_sliding; MiniMax has linear attention."""
    path = trained_models.write_folder(family, tmp_path / family)
    model = pe.open_model(path)
    session = pe.Session(text=trained_models.TEXT, model=model)
    for layer in range(model.layers):
        seen = model.at_layer(layer)
        assert seen == pe.open_model(path, layer=layer)
        assert said.get(layer, "") in seen.of_layer
        assert bool(seen.of_layer) == (layer in said)
        there = session.changed(model=seen)
        assert there.encoding == seen.encoding  # as trained, also where that is another one
        assert seen.of_layer in pe.plot("attention", there).caption
        assert ("brings in nothing in this layer" in pe.plot("flow", there).description) == (not seen.is_turned)
        changed = session.changed(encoding=pe.encoding("rope", base=500.0)) if family == "gemma3_text" else session
        assert changed.changed(model=seen).encoding == (changed if changed != session else there).encoding


@pytest.mark.slow
def test_each_layer_has_its_own_number_of_heads(tmp_path: Path) -> None:
    """dots3_note_text: `num_attention_heads` in `per_layer_config`, 128 and 64 as published."""
    model = pe.open_model(trained_models.write_folder("dots3_note_text", tmp_path / "dots3_note_text"))
    session = pe.Session(text=trained_models.TEXT, model=model)
    for layer, heads in ((0, 4), (2, 64)):
        there = session.changed(model=model.at_layer(layer))
        assert there.model.heads == len(pe.attend(there).probabilities) == heads
    assert "different numbers of heads" in pe.plot("heads", session).description
