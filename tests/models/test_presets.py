"""Published models by name: complete, cited, and as transformers' own defaults have them."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

import posenc_gui as pe
from posenc_gui import cli
from posenc_gui.models.config import understood
from posenc_gui.models.presets import Preset, catalogue, presets_shown_by
from tests.models.test_published import file_of
from tools.later import Later

transformers = Later("transformers")

COURSE = ("transformer-base", "bert-base", "t5-small", "gpt-3", "llama-7b", "bloom-176b")
# Where a model is what its config class begins with: that class.
DEFAULTS = {
    "bert-base": "BertConfig", "gpt-2": "GPT2Config", "opt-125m": "OPTConfig",
    "llama-7b": "LlamaConfig", "gpt-j-6b": "GPTJConfig", "gpt-neox-20b": "GPTNeoXConfig", "gemma-7b": "GemmaConfig",
    "gemma-2-2b": "Gemma2Config", "gemma-4": "Gemma4TextConfig", "modernbert-base": "ModernBertConfig",
    "gpt-oss-20b": "GptOssConfig", "whisper-tiny": "WhisperConfig",
    "t5-small": "T5Config", "mistral-7b": "MistralConfig",
    "xlnet-large": "XLNetConfig", "jamba-v0.1": "JambaConfig", "nomic-embed-v1.5": "NomicBertConfig",
    "ministral-3-8b": "Ministral3Config", "mistral-small-4": "Mistral4Config", "embedding-gemma-2": "EmbeddingGemma2TextConfig",
    "inkling": "InklingTextConfig",
}  # fmt: skip

PUBLISHED = {  # models of published.json
    "modernbert-base": "answerdotai/ModernBERT-base", "phi-2": "microsoft/phi-2", "smollm3": "HuggingFaceTB/SmolLM3-3B",
    "command-a": "CohereLabs/c4ai-command-a-03-2025", "gemma-3-12b": "google/gemma-3-12b-it",
    "granite-4.0-h-tiny": "ibm-granite/granite-4.0-h-tiny", "falcon-h1-0.5b": "tiiuae/Falcon-H1-0.5B-Base",
    "olmo-3-7b": "allenai/Olmo-3-1025-7B", "deberta-v3-base": "microsoft/deberta-v3-base",
    "whisper-tiny": "openai/whisper-tiny", "mistral-7b": "mistralai/Mistral-7B-v0.1", "gemma-7b": "google/gemma-7b",
    "gemma-2-2b": "google/gemma-2-2b", "llama-3.2-1b": "meta-llama/Llama-3.2-1B",
    "phi-3-mini-4k": "microsoft/Phi-3-mini-4k-instruct", "llama-4-scout": "meta-llama/Llama-4-Scout-17B-16E-Instruct",
    "kimi-k2": "moonshotai/Kimi-K2-Instruct", "deepseek-v3.2": "deepseek-ai/DeepSeek-V3.2",
    "minimax-m2": "MiniMaxAI/MiniMax-M2.5",
}  # fmt: skip
NO_CONFIG = {
    "there is none": {"transformer-base", "shaw-base", "gpt-3", "eva-02-base", "flux.1-dev"},
    "image encoders are refused": {"vit-base", "qwen2-vl-vision", "pixtral-vision", "dinov3-vits16"},
    "none was found whole": {
        "transformer-xl", "marian", "bloom-176b", "mpt-7b", "mistral-small-3.1", "glm-4.5", "qwen3-next-80b",
    },
}  # fmt: skip

every_preset = pytest.mark.parametrize("preset", catalogue().values(), ids=lambda preset: preset.name)


def numbers_of(value: object, path: str = "") -> list[str]:
    """The paths of all numbers in what a preset says."""
    if isinstance(value, dict):
        return [found for name, inner in value.items() for found in numbers_of(inner, f"{path}.{name}".lstrip("."))]
    if isinstance(value, list | tuple):
        return [path] if value else []
    return [path] if isinstance(value, int | float) and not isinstance(value, bool) else []


def test_every_model_of_the_course_has_a_preset_and_the_oldest_is_first() -> None:
    """`tests/recorded/wording.md` has the names of all."""
    assert set(COURSE) <= set(pe.presets())
    years = [catalogue()[name].year for name in pe.presets()]
    assert years == sorted(years)


@every_preset
def test_every_number_of_a_preset_has_a_source(preset: Preset) -> None:
    said = preset.model_dump(exclude={"sources", "unmodelled", "name", "title", "year"}, exclude_unset=True)
    cited = {part for source in preset.sources for part in source.of}
    for number in numbers_of(said):
        parts = number.split(".")
        assert cited & {".".join(parts[: count + 1]) for count in range(len(parts))}, f"{preset.name}: {number}"


@every_preset
def test_a_preset_is_a_session_that_is_found_again_by_what_it_shows(preset: Preset) -> None:
    session = pe.preset(preset.name)
    assert preset in presets_shown_by(session)
    assert pe.Session.from_json(session.to_json()) == session
    changed = session.changed(model=session.model.model_copy(update={"seed": 5}), text="dog bites man")
    assert preset in presets_shown_by(changed), "the seed and the sentence are nobody's"
    assert not presets_shown_by(session.changed(encoding="binary", other=None))


@pytest.mark.parametrize(("name", "config"), DEFAULTS.items())
def test_a_preset_is_what_the_public_config_class_says(name: str, config: str) -> None:
    preset, session = catalogue()[name], pe.from_config(getattr(transformers, config)().to_dict())
    assert (session.encoding, session.other) == (preset.encoding, preset.other)
    assert session.model == preset.model
    if name not in ("mistral-7b", "t5-small", "xlnet-large"):  # trained on less at first, or the class doesn't say
        assert session.trained_length == preset.trained_length


def test_every_preset_is_what_its_published_config_says_and_the_others_are_named() -> None:
    """`of_presets.json` has whole files; a length that a file lacks is its class's, and nothing of the model's."""
    files: list[dict[str, Any]] = json.loads(Path(__file__).with_name("of_presets.json").read_text("utf-8"))
    configs = {file["preset"]: file["config"] for file in files} | {to: file_of(of) for to, of in PUBLISHED.items()}
    assert set(catalogue()) - set(configs) - set(DEFAULTS) == set().union(*NO_CONFIG.values())
    for name, config in configs.items():
        preset, found = catalogue()[name], understood(config)
        assert (found.encoding, found.other, found.model) == (preset.encoding, preset.other, preset.model), name
        if not any("max_position_embeddings" in told for told in found.filled) or name == "gemma-3-12b":
            assert (found.trained_length, found.context) == (preset.trained_length, preset.context), name


def test_dinov3_is_what_its_config_class_says() -> None:
    config, dino = transformers.DINOv3ViTConfig(), pe.preset("dinov3-vits16")
    assert (dino.model.d_model, dino.model.n_heads) == (config.hidden_size, config.num_attention_heads)
    assert dino.encoding.base == config.rope_theta


def test_known_numbers() -> None:
    llama = pe.preset("llama-3.1-8b")
    assert llama.encoding.base == 500_000
    assert (llama.trained_length, llama.options_of("frequencies").context) == (8192, 131_072)
    assert llama.model == pe.ToyModel(d_model=4096, n_heads=32, causal=True)
    deepseek = pe.preset("deepseek-v3")
    assert deepseek.encoding.rotated(192) == 64
    assert deepseek.encoding.attention_factor == 1
    assert deepseek.model.scale == pytest.approx((0.1 * math.log(40) + 1) ** 2 / math.sqrt(192), rel=1e-9)
    neox = pe.preset("gpt-neox-20b")
    assert neox.encoding.rotated(neox.model.head_width) == 24
    gemma = pe.preset("gemma-3-12b")
    assert (gemma.encoding.base, gemma.encoding.scaling.factor, gemma.other.base) == (1e6, 8.0, 1e4)


def test_a_model_leaves_the_sentence_and_the_seed_and_takes_typed_vectors_back() -> None:
    typed = pe.ToyModel(d_model=2, n_heads=1, vectors=(("dog", (1.0, 2.0)),), seed=7)
    before = pe.Session(text="dog bites man", model=typed, focus=1)
    after = catalogue()["bert-base"].chosen(before)
    assert (after.text, after.focus, after.model.seed) == ("dog bites man", 1, 7)
    assert after.model.vectors == ()


def test_a_session_is_printed_by_what_differs_from_the_defaults() -> None:
    said = str(pe.preset("llama-3.1-8b"))
    assert said.startswith("Session(encoding=RoPE(base=500000.0, scaling=Llama3()), model=ToyModel(d_model=4096, ")
    assert "trained_length=8192" in said
    assert said.endswith(")  # Groups of 4 heads share keys and values.")
    assert len(said) < 300
    assert str(pe.Session()) == repr(pe.Session()) == "Session()"
    assert str(pe.encoding("rope", base=500.0)) == "RoPE(base=500.0)"


def test_a_session_of_a_model_says_what_is_not_modelled_and_is_else_any_session() -> None:
    llama = pe.preset("llama-3.1-8b")
    plain = pe.Session(**dict(llama))
    assert "4 heads" in llama.unmodelled[0]
    assert llama == plain
    assert plain == llama
    assert hash(llama) == hash(plain)
    assert llama.to_json() == plain.to_json()
    assert llama.changed(focus=1).unmodelled == ()
    assert llama != pe.preset("llama-3-8b")


def test_an_unknown_model_is_told_what_there_is() -> None:
    with pytest.raises(ValueError, match=r"no preset 'llama3' .did you mean 'llama-3-8b'.*gpt-2"):
        pe.preset("llama3")


def test_the_command_line_lists_them(capsys) -> None:
    assert cli.main(["list", "presets"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == pe.presets()
    assert cli.main(["list", "presets", "--json"]) == 0
    listed = {entry["name"]: entry for entry in json.loads(capsys.readouterr().out)}
    assert list(listed) == pe.presets()
    llama = listed["llama-3.1-8b"]
    assert llama["encoding"]["scaling"]["rope_type"] == "llama3"
    assert llama["unmodelled"] == ["groups of 4 heads share keys and values"]
    assert llama["sources"][0]["of"] == ["encoding", "model", "trained_length", "context"]
