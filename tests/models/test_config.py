"""A model's config.json: understood under old and new field names, or refused with the field's name."""

from __future__ import annotations

import json
import math
import os
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from odd_files import ODD, odd_files

import posenc_gui as pe
from posenc_gui.checkpoints.config_json import CLASS_DEFAULTS_FILE, LARGEST, class_defaults_version
from posenc_gui.models.config import is_config, understood
from posenc_gui.models.rope_parameters import block_of
from tests.recorded import wording
from tools.later import Later

transformers = Later("transformers")
rope_utils = Later("transformers.modeling_rope_utils")

LLAMA = wording.LLAMA
RELATIVE = {"relative_attention": True, "pos_att_type": ["p2c", "c2p"]}


def llama(**fields: Any) -> pe.Session:
    return pe.from_config(LLAMA | fields)


def refusal(config: Any) -> str:
    with pytest.raises(ValueError, match=r".") as refused:
        pe.from_config(config)
    said = str(refused.value)
    assert "\n" not in said
    assert len(said) < 800
    return said


def defaults(name: str, **fields: Any) -> dict[str, Any]:
    """The JSON that transformers writes for a config of that class."""
    return json.loads(getattr(transformers, name)(**fields).to_json_string(use_diff=False))


# --- Where it comes from


def test_a_file_and_its_mapping_are_one_session(tmp_path) -> None:
    path = tmp_path / "config.json"
    path.write_text(json.dumps(LLAMA))
    assert pe.from_config(path) == pe.from_config(str(path)) == pe.from_config(LLAMA)
    session = pe.from_config(path)
    assert session.encoding == pe.encoding("rope")
    assert session.model == pe.ToyModel(d_model=512, n_heads=8, causal=True)
    assert (session.trained_length, session.options_of("frequencies").context) == (4096, 4096)


def test_a_file_that_is_no_config_is_refused_by_its_name(tmp_path) -> None:
    path = tmp_path / "it.json"
    for text in ('{"hidden_size": 5', "[1]", "", '{"text_config":' * 10_000 + "}" * 10_000):
        path.write_text(text)
        with pytest.raises(ValueError, match=r"^it.json: this is no model's config.json.*\Z"):
            pe.from_config(path)
    os.truncate(path, LARGEST + 1)
    with pytest.raises(ValueError, match=r"^it.json is larger than 10 MB: that is no model's config.json"):
        pe.from_config(path)
    with pytest.raises(FileNotFoundError, match=r"absent\.json: No such file or directory; .* nothing is downloaded$"):
        pe.from_config(tmp_path / "absent.json")
    with pytest.raises(IsADirectoryError, match=r": Is a directory"):
        pe.from_config(tmp_path)
    for odd in ([], 5, None):
        assert f"not as {type(odd).__name__}" in refusal(odd)


@pytest.mark.parametrize("kind", ODD)
def test_what_is_no_ordinary_file_is_refused_at_once(kind: str, tmp_path) -> None:
    with odd_files(tmp_path) as files, pytest.raises((OSError, ValueError)):
        pe.from_config(files[kind])


def test_a_mapping_nested_ten_thousand_deep_is_refused() -> None:
    deep: dict[str, Any] = {}
    for _ in range(10_000):
        deep = {"text_config": deep, "rope_scaling": deep}
    assert "hidden_size must be given" in refusal(deep)
    assert "rope_scaling" in refusal(LLAMA | {"rope_scaling": deep})


def test_a_session_s_file_is_no_config() -> None:
    assert is_config(json.dumps(LLAMA).encode())
    assert not is_config(pe.Session().to_json().encode())
    assert not is_config(b"\x89PNG")
    assert not is_config(b"[]")


# --- Families


@pytest.mark.parametrize(
    ("name", "fields", "encoding", "causal"),
    [
        ("GPT2Config", {}, pe.encoding("learned", max_len=1024), True),
        ("BertConfig", {}, pe.encoding("learned", max_len=512), False),
        ("RobertaConfig", {"max_position_embeddings": 514}, pe.encoding("learned", max_len=512), False),
        ("OPTConfig", {}, pe.encoding("learned", max_len=2048), True),
        ("MarianConfig", {}, pe.encoding("sinusoidal", layout="concatenated"), False),
        ("WhisperConfig", {}, pe.encoding("sinusoidal", layout="concatenated", spacing="tensor2tensor"), False),
        ("MusicgenDecoderConfig", {}, pe.encoding("sinusoidal", layout="cosine_first", spacing="tensor2tensor"), True),
        ("T5Config", {}, pe.encoding("t5", buckets=32, max_distance=128, bidirectional=True), False),
        ("T5Config", {"is_decoder": True}, pe.encoding("t5", bidirectional=False), True),
        ("BloomConfig", {}, pe.encoding("alibi"), True),
        ("MptConfig", {}, pe.encoding("alibi"), True),
        ("FalconConfig", {"alibi": True}, pe.encoding("alibi"), True),
        ("FalconConfig", {}, pe.encoding("rope"), True),
        ("GPTJConfig", {}, pe.encoding("rope", pairing="interleaved", fraction=0.25), True),
        ("GPTNeoXConfig", {}, pe.encoding("rope", fraction=0.25), True),
        ("PhiConfig", {}, pe.encoding("rope", fraction=0.5), True),
        ("StableLmConfig", {}, pe.encoding("rope", fraction=0.25), True),
        ("CohereConfig", {}, pe.encoding("rope", base=500_000.0, pairing="interleaved"), True),
        ("XLNetConfig", {}, pe.encoding("transformer_xl"), False),
        ("InklingTextConfig", {}, pe.encoding("inkling", profiles=16, extent=1024), True),
        ("DebertaV2Config", {}, pe.encoding("learned", max_len=512), False),
        (
            "DebertaV2Config",
            RELATIVE | {"position_buckets": 256},
            pe.encoding("deberta", span=256, max_position=512),
            False,
        ),
        ("DebertaConfig", RELATIVE, pe.encoding("deberta", span=512, max_position=512, log_buckets=False), False),
    ],
)
def test_every_family_as_transformers_writes_it(name: str, fields: dict[str, Any], encoding: Any, causal: bool) -> None:
    session = pe.from_config(defaults(name, **fields))
    assert session.encoding == encoding
    assert session.model.causal is causal


def test_the_scale_of_scores_is_the_config_s() -> None:
    assert pe.from_config(defaults("Gemma2Config")).model.scale is None  # 1/√256 for heads of 256
    assert pe.from_config(defaults("Gemma2Config", query_pre_attn_scalar=144)).model.scale == pytest.approx(1 / 12)
    assert pe.from_config(defaults("GraniteConfig", attention_multiplier=0.0625)).model.scale == 0.0625
    assert pe.from_config(defaults("GPTNeoConfig")).model.scale == 1
    yarn = {"rope_type": "yarn", "factor": 40.0, "original_max_position_embeddings": 4096, "rope_theta": 1e4}
    yarn |= {"mscale": 1.0, "mscale_all_dim": 1.0}
    session, preset = pe.from_config(defaults("DeepseekV3Config") | {"rope_parameters": yarn}), pe.preset("deepseek-v3")
    assert (session.model, session.encoding) == (preset.model, preset.encoding)


def test_layers_with_two_bases_are_a_and_b() -> None:
    new = pe.from_config(defaults("Gemma3TextConfig"))
    assert (new.encoding.base, new.other.base) == (1e6, 1e4)
    gemma = {"model_type": "gemma3_text", "hidden_size": 512, "num_attention_heads": 4, "head_dim": 256}
    scaling = {"rope_type": "linear", "factor": 8.0}
    old = pe.from_config(gemma | {"rope_theta": 1e6, "rope_local_base_freq": 1e4, "rope_scaling": scaling})
    assert old.encoding == pe.encoding("rope", base=1e6, scaling=scaling)
    assert old.other == pe.encoding("rope")
    modern = llama(model_type="modernbert", global_rope_theta=160_000, local_rope_theta=10_000)
    assert (modern.encoding.base, modern.other.base, modern.model.causal) == (160_000, 10_000, False)
    four = pe.from_config(defaults("Gemma4TextConfig"))
    assert four.encoding.scaling.rope_type == "proportional"
    assert (four.other, four.model.head_width, four.model.scale) == (None, 512, 1)  # local layers' heads have 256
    layers = {"full_attention": {"rope_theta": 1e6}, "odd_attention": {"rope_theta": 1e4}}
    told = refusal(LLAMA | {"rope_parameters": layers})
    assert "rope_parameters: should be given for full_attention and sliding_attention" in told


def test_the_text_s_config_in_a_config_counts() -> None:
    inner = LLAMA | {"rope_theta": 5e6, "rope_scaling": {"type": "mrope", "mrope_section": [8, 12, 12]}}
    session = pe.from_config({"model_type": "qwen2_vl", "text_config": inner, "vision_config": {"hidden_size": 3}})
    assert session.encoding == pe.encoding("mrope", base=5e6, mrope_section=(8, 12, 12))
    assert "text_config.hidden_size: should be" in refusal({"text_config": LLAMA | {"hidden_size": "wide"}})
    assert "patch_size: this is an image encoder" in refusal(LLAMA | {"patch_size": 14})


def test_what_is_not_modelled_is_told() -> None:
    told = understood(defaults("MistralConfig")).remark
    assert "groups of 4 heads" in told
    assert "sliding window" in told
    assert "soft cap" in understood(defaults("Gemma2Config")).remark
    assert "clip_qkv" in understood(LLAMA | {"model_type": "olmo", "clip_qkv": 8.0}).remark  # allenai/OLMo-7B-hf
    layered = {"model_type": "gpt2", "n_embd": 64, "n_head": 2, "scale_attn_by_inverse_layer_idx": True}
    assert "divides its scores by its number" in understood(layered).remark  # GPT2Attention
    assert (
        "temperature tuning" in understood(LLAMA | {"attn_temperature_tuning": 4}).remark
    )  # meta-llama/Llama-4-Scout-17B-16E
    new = understood(LLAMA | {"model_type": "new", "rope_theta": 1e4})
    assert "doesn't say which dimensions are paired" in new.remark
    assert understood(LLAMA | {"rope_theta": 1e4}).remark == ""


@pytest.mark.parametrize(
    ("name", "fields", "told"),
    [
        ("FalconConfig", {}, "all heads share"),
        ("FalconConfig", {"alibi": True}, "divides ALiBi's bias by √d_head, too: it is 8 times smaller there"),
        ("Cohere2Config", {}, "only these layers rotate queries and keys: those that see all tokens have no encoding"),
        ("GptOssConfig", {}, "a learned sink"),
        ("Llama4TextConfig", {}, "its own chunk of 8,192"),
    ],
)
def test_what_a_familys_code_does_beside_the_encoding_is_said(name: str, fields: dict[str, Any], told: str) -> None:
    assert told in understood(defaults(name, **fields)).remark


# --- Scalings


TRAINED, PARTLY = {"original_max_position_embeddings": 4096}, {"partial_rotary_factor": 0.5}
BANDS = {"factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0}
UNSAID = {"trained_length_is": "unsaid"}
FACTORS = {"short_factor": [1.0] * 32, "long_factor": [2.0] * 32}


def scaled(**scaling: Any) -> dict[str, Any]:
    return pe.encoding("rope", scaling=scaling).scaling.model_dump()


@pytest.mark.parametrize("key", ["rope_scaling", "rope_parameters"])
@pytest.mark.parametrize("tag", ["type", "rope_type"])
@pytest.mark.parametrize(
    ("block", "fields", "scaling"),
    [
        ({"linear": None, "factor": 4}, {}, {"rope_type": "linear", "factor": 4.0, **UNSAID}),
        ({"dynamic": None, "factor": 2.0}, {}, {"rope_type": "dynamic", "factor": 2.0, **TRAINED, **UNSAID}),
        ({"dynamic": None, "alpha": 1000.0}, {}, {"rope_type": "ntk", "factor": 1000.0}),
        ({"yarn": None, "factor": 4.0, **TRAINED}, {}, {"rope_type": "yarn", "factor": 4.0, **TRAINED}),
        (
            {"su": None, **FACTORS},
            {"max_position_embeddings": 131072, **TRAINED},
            {"rope_type": "longrope", "factor": 32.0, **TRAINED, **FACTORS},
        ),
        ({"llama3": None, **BANDS, "original_max_position_embeddings": 8192}, {}, {"rope_type": "llama3"}),
        ({"proportional": None, **PARTLY}, {}, {"rope_type": "proportional", **PARTLY}),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) and value else "",
)
def test_scalings_under_old_and_new_names(
    key: str, tag: str, block: dict[str, Any], fields: dict[str, Any], scaling: dict[str, Any]
) -> None:
    kind, *_ = block
    said = {tag: kind} | {name: value for name, value in block.items() if name != kind}
    encoding = llama(**fields, **{key: said}).encoding
    assert encoding.scaling.model_dump() == scaled(**scaling)


def test_a_default_scaling_is_none_and_bases_stand_in_or_beside_the_block() -> None:
    for block in ({"rope_type": "default"}, {"type": "default"}, {}):
        assert llama(rope_scaling=block, rope_theta=5e5).encoding == pe.encoding("rope", base=5e5)
    assert llama(rope_parameters={"rope_type": "default", "rope_theta": 5e5}, rope_theta=1e4).encoding.base == 5e5
    for name, base in {"rope_theta": 1e6, "rotary_emb_base": 2e4, "rope_base": 3e4}.items():
        assert llama(**{name: base}).encoding.base == base
    for name in ("rotary_pct", "partial_rotary_factor", "rope_pct"):
        assert llama(**{name: 0.25}).encoding.fraction == 0.25
    assert llama(rope_parameters={"rope_theta": 1e4, "partial_rotary_factor": 0.375}).encoding.fraction == 0.375


@pytest.mark.parametrize(
    "scaling",
    [
        None,
        {"rope_type": "linear", "factor": 4.0},
        {"rope_type": "ntk", "factor": 4.0},
        {"rope_type": "dynamic", "factor": 4.0, "original_max_position_embeddings": 4096},
        {"rope_type": "yarn", "factor": 40.0, "mscale": 1.0, "mscale_all_dim": 0.8, "truncate": False},
        {"rope_type": "llama3", "factor": 8.0},
        {"rope_type": "longrope", "factor": 32.0, "short_factor": [1.5] * 16, "long_factor": [3.0] * 16},
    ],
    ids=lambda scaling: scaling["rope_type"] if scaling else "none",
)
def test_the_block_that_goes_out_turns_alike_in_transformers(scaling: dict[str, Any] | None) -> None:
    encoding = pe.encoding("rope", base=5e5, fraction=0.5, scaling=scaling)
    block = block_of(encoding, 64)
    json.dumps(block)
    assert not {"ramp", "trained_length_is"} & set(block), "they are the explorer's own"
    shape = {"hidden_size": 512, "num_attention_heads": 8, "max_position_embeddings": 4096}
    config = transformers.LlamaConfig(**shape, rope_parameters=dict(block))
    config.rope_parameters["rope_type"] = block["rope_type"]
    length = 8192
    if block["rope_type"] == "default":
        theirs, factor = block["rope_theta"] ** -(torch.arange(0, 32, 2) / 32), 1.0
    else:
        theirs, factor = rope_utils.ROPE_INIT_FUNCTIONS[block["rope_type"]](config, device="cpu", seq_len=length)
    torch.testing.assert_close(encoding.frequencies(32, length).float(), theirs.float(), rtol=1e-5, atol=0)
    assert encoding.attention_factor == pytest.approx(factor, rel=1e-6)
    again = llama(rope_parameters=block).encoding
    assert again.frequencies(32, length).tolist() == pytest.approx(encoding.frequencies(32, length).tolist(), rel=1e-12)
    assert again.attention_factor == encoding.attention_factor


# --- Where files are looser than their classes


YARN = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 32768}
ALPHA = {
    "type": "dynamic",
    "alpha": 1e5,
    "factor": 1.0,
    "beta_fast": 32,
    "beta_slow": 1,
    "mscale": 1.0,
    "mscale_all_dim": 1.0,
}
BETA = YARN | {"llama_4_scaling_beta": 0.0, "rope_theta": 1e6}
XDROPE = {"type": "xdrope", "alpha": 1000.0, "xdrope_section": [8, 8, 8, 8]}


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        (  # deepseek-ai/DeepSeek-R1-0528-Qwen3-8B; vLLM's yarn_scaling_rope.py
            {"model_type": "qwen3", "rope_scaling": YARN | {"attn_factor": 0.8782488562869419}},
            "attn_factor: transformers leaves it out and multiplies cosines and sines by 1.13863, vLLM by 0.8782 times that, 1",
        ),
        (
            {"model_type": "hunyuan_v1_dense", "rope_scaling": ALPHA},
            "rope_scaling says of beta_fast, beta_slow, mscale and mscale_all_dim is left out",
        ),
        ({"rope_scaling": YARN | {"odd": 1}}, "rope_scaling says of odd is left out"),
        ({"rope_scaling": {"type": "default", "factor": 4.0}}, "rope_scaling says of factor is left out"),
        ({"rope_scaling": YARN | {"attn_factor": "little"}}, "rope_scaling says of attn_factor is left out"),
        ({"rope_scaling": YARN | {"attn_factor": math.inf}}, "rope_scaling says of attn_factor is left out"),
        (
            {"rope_scaling": YARN | {"attn_factor": 0.5, "attention_factor": 2.0}},
            "rope_scaling says of attn_factor is left",
        ),
        ({"rope_scaling": XDROPE}, "Positions in images have four axes"),
        (
            {"model_type": "minimax_text_01", "rope_theta": 1e7, "attn_type_list": [0, 0, 1]},
            "Some layers aren't attention",
        ),
        ({"model_type": "odd", "rope_theta": 1e4, "rope_3d": True}, "The config has rope_3d, which isn't known here"),
        (
            {"model_type": "odd", "rope_theta": 1e4, "attention_pattern": "LLG"},
            "has attention_pattern, which isn't known",
        ),
        (
            {"model_type": "laguna", "num_attention_heads_per_layer": [8, 4]},
            "differ in their heads (num_attention_heads_per_",
        ),
        (
            {"model_type": "mimo_v2_flash", "swa_num_key_value_heads": 2, "num_key_value_heads": 4},
            "differ in their heads (swa_",
        ),
        (
            {"model_type": "step3p5", "attention_other_setting": {"num_attention_heads": 96}},
            "in their heads (attention_other",
        ),
        (
            {"relative_attention": True, "max_relative_positions": 512, "position_biased_input": True},
            "A learned table of positions is added",
        ),
    ],
)
def test_what_a_file_has_beyond_its_reading_is_said(fields: dict[str, Any], told: str) -> None:
    assert told in " ".join(llama(**fields).unmodelled)


@pytest.mark.parametrize(
    "fields",
    [
        {"model_type": "ministral3", "rope_parameters": BETA},  # mistralai/Ministral-3-8B: the beta of its drafts is 0
        {"model_type": "mistral", "sliding_window": 4096},  # as long as the context
        {"model_type": "mistral", "sliding_window": 0},
        {
            "model_type": "qwen2",
            "use_sliding_window": True,
            "sliding_window": 64,
            "layer_types": ["full_attention"] * 2,
        },
        {"attn_logit_softcapping": 0.0, "cross_attention_layers": [], "block_configs": [], "index_n_heads": 0},
        {"no_rope_layer_interval": 0, "rope_3d": False, "num_heads_per_layer": [8, 8], "attn_type_list": [1, 1]},
        {"rope_scaling": YARN | {"attn_factor": None}},
        {"model_type": "smollm3", "no_rope_layers": [1] * 4, "no_rope_layer_interval": 4},  # which then isn't read
        {"lm_heads": ["a", "b"]},
    ],
    ids=", ".join,
)
def test_a_field_that_says_nothing_is_not_said(fields: dict[str, Any]) -> None:
    assert understood(LLAMA | {"num_key_value_heads": 8, "sliding_window": None} | fields).unmodelled == ()


def test_of_two_blocks_that_of_the_older_name_counts_as_in_transformers() -> None:
    """PreTrainedConfig.convert_rope_params_to_dict; a YaRN block is added by hand to configs that transformers 5 wrote."""
    both = {"rope_scaling": YARN, "rope_parameters": {"rope_type": "default", "rope_theta": 5e5}}
    found = understood(LLAMA | both)
    assert found.encoding == llama(rope_scaling=YARN).encoding
    assert "both rope_scaling and rope_parameters" in " ".join(found.unmodelled)


def test_a_context_is_longer_than_the_training() -> None:
    for named in ("original_max_position_embeddings", "max_trained_positions"):
        found = understood(LLAMA | {"max_position_embeddings": 4096, named: 8192})
        assert (found.trained_length, found.context) == (8192, None)


def test_alpha_is_the_factor_of_hunyuan_s_base_and_named_where_it_is_wrong() -> None:
    """As compute_ntk_alpha_rope_parameters has it in transformers; tencent/Hunyuan-4B-Instruct has 100,000."""
    for block in (ALPHA, ALPHA | XDROPE, {"type": "xdrope", "alpha": 1e5, "mrope_section": [8, 8, 8, 8]}):
        encoding = llama(model_type="hunyuan_v1_dense", rope_scaling=block, rope_theta=1e4).encoding
        larger = 1e4 * block["alpha"] ** (64 / 62)
        assert encoding.frequencies(64, 1)[-1] == pytest.approx(larger ** (-62 / 64), rel=1e-9)
    assert "rope_scaling.alpha: should be at most 1,000,000" in refusal(
        LLAMA | {"rope_scaling": ALPHA | {"alpha": 1e9}}
    )
    assert "rope_scaling.alpha: should be a number" in refusal(LLAMA | {"rope_scaling": ALPHA | {"alpha": "many"}})


def test_numbers_that_json_has_no_name_for_stand_where_they_are_not_used(tmp_path) -> None:
    """nvidia/Nemotron-H-56B-Base-8K has time_step_limit: [0.0, Infinity]; transformers 5 writes a tag in its place."""
    path = tmp_path / "config.json"
    for odd in ("Infinity", "-Infinity", "NaN", '{"__float__": "Infinity"}'):
        path.write_text(json.dumps(LLAMA)[:-1] + f', "time_step_limit": [0.0, {odd}]}}')
        assert pe.from_config(path) == pe.from_config(LLAMA)
        for name in ("rope_theta", "head_dim", "max_position_embeddings"):
            path.write_text(json.dumps(LLAMA)[:-1] + f', "{name}": {odd}}}')
            assert f"config.json: {name}: should be a" in refusal(path)


def test_what_is_not_looked_at_is_not_counted(tmp_path) -> None:
    """nvidia/MiniMax-M3-NVFP4 names the precision of each of its experts: 66,827 names."""
    path = tmp_path / "config.json"
    layers = {f"model.layers.{number}": {"quant_algo": "NVFP4", "group_size": 16} for number in range(30_000)}
    path.write_text(json.dumps(LLAMA | {"quantization_config": {"quantized_layers": layers}}))
    assert pe.from_config(path) == pe.from_config(LLAMA)


def test_a_family_s_own_name_for_the_text_inside_it_may_be_new() -> None:
    """LGAI-EXAONE/EXAONE-4.5-33B: its exaone4_5_text is exaone4, whose full layers aren't rotated."""
    window = {"sliding_window": 1024, "layer_types": ["sliding_attention", "full_attention"]}
    told = pe.from_config({"model_type": "exaone4_5", "text_config": LLAMA | window | {"model_type": "exaone4_5_text"}})
    assert told == pe.from_config(LLAMA | window | {"model_type": "exaone4"})
    assert "Only these layers rotate queries and keys: those that see all tokens have no encoding." in told.unmodelled
    assert "isn't known" in refusal({"model_type": "llava", "text_config": LLAMA | {"model_type": "phi3small"}})


def test_deepseek_without_latent_attention_has_ordinary_heads() -> None:
    """deepseek-ai/deepseek-vl2-tiny: vLLM's DeepseekAttention then pairs i with i + d/2."""
    none = {
        "model_type": "deepseek_v2",
        "qk_nope_head_dim": 0,
        "qk_rope_head_dim": 0,
        "kv_lora_rank": None,
        "v_head_dim": 0,
    }
    assert (llama(**none).encoding, llama(**none).model) == (pe.encoding("rope"), llama().model)


def test_hints_are_names_of_the_same_method_and_numbers_have_no_quotes() -> None:
    assert (
        "mean"
        not in refusal(LLAMA | {"rope_scaling": {"type": "xdrope", "factor": 2.0}}).partition(":")[2].partition(":")[0]
    )
    assert "did you mean 'yarn'" in refusal(LLAMA | {"rope_scaling": {"type": "yarm", "factor": 2.0}})
    assert refusal(LLAMA | {"hidden_size": 0}) == "hidden_size: should be a whole number from 1 on, not 0"
    assert refusal(LLAMA | {"hidden_size": "0"}) == "hidden_size: should be a whole number from 1 on, not '0'"


REPORTS: list[dict[str, Any]] = json.loads(Path(__file__).with_name("reports.json").read_text("utf-8"))


@pytest.mark.parametrize("report", REPORTS, ids=lambda report: report["source"])
def test_what_public_reports_found_wrong_elsewhere_is_right(report: dict[str, Any]) -> None:
    """`reports.json`: of each the fields that it speaks of, and what was right."""
    found = understood({"hidden_size": 4096, "num_attention_heads": 32} | report["config"])
    encoding = found.encoding
    assert [encoding.base, encoding.fraction, encoding.pairing] == report["turns"]
    assert (encoding.scaling and encoding.scaling.rope_type) == report["scaling"]
    assert [found.trained_length, found.context] == report["lengths"]
    assert report["said"] in found.remark


# --- What isn't understood


@pytest.mark.parametrize("fields", wording.REFUSED_CONFIGS, ids=", ".join)
def test_what_is_not_understood_is_named(fields: dict[str, Any]) -> None:
    assert any(name in refusal(LLAMA | fields) for name in fields)


def test_what_must_be_given_is_named() -> None:
    assert "hidden_size must be given" in refusal({})
    assert "num_attention_heads must be given" in refusal({"hidden_size": 64})


FIELDS = [
    *LLAMA, "rope_theta", "rope_scaling", "rope_parameters", "head_dim", "rotary_pct", "rotary_dim", "alibi", "attn_config",
    "relative_attention", "pos_att_type", "position_buckets", "position_embedding_type", "text_config", "d_kv", "is_decoder",
    "relative_attention_num_buckets", "qk_nope_head_dim", "qk_rope_head_dim", "rope_local_base_freq", "mrope_section",
]  # fmt: skip
scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
names = st.sampled_from([*FIELDS, "type", "factor"])
VALUES = st.recursive(
    scalars | st.sampled_from(["yarn", "linear", "su", "bert"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(names, inner, max_size=4),
    max_leaves=8,
)


@settings(max_examples=40, deadline=None)
@given(st.dictionaries(st.sampled_from(FIELDS), VALUES, max_size=6))
def test_any_config_is_a_session_or_one_sentence(fields: dict[str, Any]) -> None:
    try:
        session = pe.from_config(LLAMA | fields)
    except ValueError as error:
        said = str(error)
    else:
        assert pe.Session.from_json(session.to_json()) == session
        said = understood(LLAMA | fields).remark
    assert "\n" not in said


# --- What a config leaves out


@pytest.mark.parametrize(
    ("family", "base", "scaling"),
    [
        ("ministral3", 1e6, "yarn"),
        ("mistral4", 1e4, "yarn"),
        ("mistral_large4_text", 1e4, "yarn"),
        ("deepseek_v4", 160_000.0, None),
    ],
)
def test_what_was_refused_though_it_is_real_is_read(family: str, base: float, scaling: str | None) -> None:
    encoding = pe.from_config({"model_type": family}).encoding
    assert encoding.base == base
    assert (encoding.scaling and encoding.scaling.rope_type) == scaling


def test_what_a_config_lacks_is_its_class_s_and_said() -> None:
    session = pe.from_config({"model_type": "gemma3_text", "hidden_size": 2560})
    assert (session.model.n_heads, session.model.head_width) == (8, 256)
    said = session.unmodelled[-1]
    for number in (
        "num_attention_heads 8",
        "head_dim 256",
        "rope_theta 1,000,000",
        "rope_theta of local layers 10,000",
    ):
        assert f" {number}" in said
    assert said.endswith(f" (all of transformers {class_defaults_version()}, gemma3_text).")
    assert " ".join(session.unmodelled).count("transformers") == 1
    assert session.unmodelled[0].startswith(
        "Layers take turns, A in those that see all tokens and B in those that see only"
    )
    listed = {"layer_types": (["sliding_attention"] * 5 + ["full_attention"]) * 8}
    for told, field in (("8 of 48", listed), ("one in 6", {"sliding_window_pattern": 6})):
        assert f"all tokens ({told}) and B in" in pe.from_config({"model_type": "gemma3_text", **field}).unmodelled[0]
    odd = LLAMA | {"model_type": "odd", "rope_scaling": {"type": "linear", "factor": 2}}
    assert "rope_theta must be given: no default is known for model_type “odd”" in refusal(odd)


@pytest.mark.parametrize(
    ("family", "told"),
    [
        ("cohere2_moe", "those that see all tokens have no encoding"),
        ("kolibri1", "those that see all tokens have no encoding"),
        ("flint", "those that see all tokens have no encoding"),
        ("lara_mini", "those that see all tokens have no encoding"),
        ("dory", "Queries and keys are normalised."),
        ("hy_v4_vl_text", "Each head may attend to nothing (a learned sink)."),
        ("mistral_large4_text", "Each frequency is multiplied by a number that training sets (LeRoPE)."),
        ("muse_glimmer_text", "Some layers have no encoding."),
        ("muse_spark_text", "Some layers have no encoding."),
        ("nanochat", "turns queries and keys the other way"),
        ("fsmt", "Positions count from 2."),
        ("m2m_100", "Positions count from 2."),
        ("speech_to_text", "Positions count from 2."),
        ("gemma4_text", "Layers with a sliding window have heads of 256 and a RoPE of their own."),
        ("ministral3", "temperature tuning"),
        ("jamba", "Some layers aren't attention"),
        ("falcon_h1", "Beside its attention, each layer reads the text in order (recurrence)."),
        ("minimax_m2", "Queries and keys are normalised."),
        ("inkling_text", "Keys and values are mixed with those of the tokens just before (short convolution)."),
        ("inkling_text", "Layers with a sliding window have an extent of their own"),
        ("embedding_gemma2_text", "Groups of 4 heads share keys and values."),
        ("mimo_v2_flash", "Each head may attend to nothing (a learned sink)."),
        ("recurrent_gemma", "Some or all layers see only nearby tokens (sliding window)."),
        ("longformer", "Some or all layers see only nearby tokens (sliding window)."),
    ],
)
def test_what_a_family_does_otherwise_is_said(family: str, told: str) -> None:
    assert told in " ".join(pe.from_config({"model_type": family}).unmodelled)


@pytest.mark.parametrize(
    "family",
    [
        "gte", "jina_embeddings_v3", "esmc", "ultrabert", "openai_privacy_filter", "sew-d", "udop", "dia_encoder",
        "blt_patcher", "big_bird", "xmod", "siglip_text_model", "neomme", "bigbird_pegasus",
    ],
)  # fmt: skip
def test_encoders_have_no_mask(family: str) -> None:
    for said in ({}, {"position_embedding_type": "absolute"}):
        assert not pe.from_config({"model_type": family, **said}).model.causal


def test_a_field_that_the_class_ignores_says_nothing() -> None:
    """Published files of encoders keep `position_embedding_type`, whose class may do otherwise."""
    absolute = {"position_embedding_type": "absolute"}
    told = "model_type 'convbert' isn't known, and position_embedding_type alone doesn't say how positions enter"
    assert refusal({"model_type": "convbert", **absolute}) == told
    assert pe.from_config({"model_type": "gptj", **absolute}) == pe.from_config({"model_type": "gptj"})
    assert pe.from_config({"model_type": "bert", "rope_theta": 1e4}) == pe.from_config({"model_type": "bert"})
    rotary = {"position_embedding_type": "rotary", "rotary_emb_base": 2e4}  # jina-embeddings-v3
    assert pe.from_config({"model_type": "xlm-roberta", **rotary}).encoding == pe.encoding("rope", base=2e4)
    assert "model_type 'detr' isn't known" in refusal({"model_type": "detr", "position_embedding_type": "learned"})


def test_a_mask_that_nothing_tells_is_assumed_aloud() -> None:
    odd = LLAMA | {"model_type": "odd", "rope_theta": 1e4}
    assert "a causal mask is assumed" in understood(odd).remark
    for told in ({"is_decoder": True}, {"is_causal": False}, {"use_bidirectional_attention": True}):
        assert "mask" not in understood(odd | told).remark
    assert not llama(rope_theta=1e4, is_causal=False).model.causal, "as transformers' create_causal_mask reads it"
    assert pe.from_config({"model_type": "xlnet", "attn_type": "uni"}).model.causal


def test_padded_tables_begin_after_their_padding() -> None:
    assert pe.from_config({"model_type": "esm", "pad_token_id": 1}).encoding == pe.encoding("learned", max_len=1024)
    assert pe.from_config({"model_type": "clap_text_model"}).encoding == pe.encoding("learned", max_len=512)


@pytest.mark.parametrize(
    ("family", "scale"),
    [
        ("gemma4_text", 1),
        ("gemma3n_text", 1),
        ("dia_decoder", 1),
        ("diffusion_gemma_text", 1),
        ("inkling_text", 1 / 128),
    ],
)
def test_scales_that_no_field_holds(family: str, scale: float) -> None:
    assert pe.from_config({"model_type": family}).model.scale == scale


def test_mpt_may_rotate() -> None:
    """As llm-foundry's MPTConfig has it."""
    mpt = {"model_type": "mpt", "d_model": 512, "n_heads": 8, "max_seq_len": 2048}
    rope = {"alibi": False, "rope": True, "rope_theta": 5e5}
    plain = {**rope, "rope_impl": "dail", "rope_dail_config": {"type": "original"}}
    assert pe.from_config(mpt | {"attn_config": plain}).encoding == pe.encoding("rope", base=5e5)
    told = refusal(
        mpt | {"attn_config": {**rope, "rope_impl": "hf", "rope_hf_config": {"type": "linear", "factor": 2.0}}}
    )
    assert "attn_config.rope_hf_config.type: of MPT's rotations only no_scaling" in told


def test_yarn_of_deepseek_v4_has_no_attention_factor() -> None:
    yarn = {"type": "yarn", "factor": 16.0, "original_max_position_embeddings": 65536}
    layers = {"num_hidden_layers": 3, "compress_ratios": [128, 4, 128, 0]}  # the last predicts further tokens
    session = pe.from_config({"model_type": "deepseek_v4", "rope_scaling": yarn, **layers})
    assert (session.encoding.attention_factor, session.other) == (1, None)
    local = pe.from_config({"model_type": "deepseek_v4", "rope_scaling": yarn, "compress_ratios": [0, 4]}).other
    assert (local.base, local.scaling) == (10_000, None)


def test_phimoe_names_its_attention_factor_twice() -> None:
    block = {"type": "longrope", "short_factor": [1.0] * 64, "long_factor": [2.0] * 64, "short_mscale": 1.25}
    lengths = {"max_position_embeddings": 131072, "original_max_position_embeddings": 4096}
    config = {"model_type": "phimoe", "hidden_size": 4096, "num_attention_heads": 32, **lengths}
    assert pe.from_config(config | {"rope_scaling": block | {"long_mscale": 1.25}}).encoding.attention_factor == 1.25
    told = refusal(config | {"rope_scaling": block | {"long_mscale": 1.5}})
    assert "rope_scaling.short_mscale: should be long_mscale, 1.5" in told


@pytest.mark.slow
def test_a_config_of_nothing_but_its_type_is_its_class() -> None:
    checked = 0
    for family in json.loads(CLASS_DEFAULTS_FILE.read_bytes())["classes"]:
        try:
            config = transformers.AutoConfig.for_model(family)
            whole = pe.from_config(json.loads(config.to_json_string(use_diff=False)))
            bare = pe.from_config({"model_type": family})
        except ValueError:  # not a text's, a config that others stand in, or newer
            continue
        assert bare == whole, family
        checked += 1
    assert checked > 200


# --- Null, and fields in odd places


def test_a_field_that_is_null_means_none_and_not_the_class_s_default() -> None:
    windowless = {"model_type": "mistral", "hidden_size": 512, "num_attention_heads": 8, "sliding_window": None}
    assert "sliding window" not in " ".join(pe.from_config(windowless).unmodelled)
    del windowless["sliding_window"]
    assert "sliding window" in " ".join(pe.from_config(windowless).unmodelled)
    uncapped = {"model_type": "gemma2", "hidden_size": 512, "num_attention_heads": 8, "attn_logit_softcapping": None}
    assert "capped" not in " ".join(pe.from_config(uncapped).unmodelled)


def test_dbrx_has_its_base_and_groups_in_attn_config() -> None:
    """As databricks/dbrx-base publishes it."""
    attention = {"kv_n_heads": 8, "rope_theta": 500_000}
    dbrx = {"model_type": "dbrx", "d_model": 6144, "n_heads": 48, "max_seq_len": 32768, "attn_config": attention}
    session = pe.from_config(dbrx)
    assert session.encoding.base == 500_000
    assert session.unmodelled == ("Groups of 6 heads share keys and values.",)


def test_a_text_model_that_also_sees_images_is_no_image_encoder() -> None:
    """Fuyu's text fields stand beside those of its patches."""
    fuyu = {"model_type": "fuyu", "hidden_size": 4096, "num_attention_heads": 64, "vocab_size": 262_144}
    assert pe.from_config(fuyu | {"patch_size": 30}).encoding.name == "rope"


@pytest.mark.parametrize(
    "family",
    [  # apply_rotary_pos_emb_interleave, or rotate_half of x[..., 0::2], in modeling_FAMILY.py
        *("axk2", "bailing_hybrid", "blt_patcher", "deepseek_v32", "hy_v4_vl_text", "moonshine_streaming"),
        *("pe_audio_encoder", "pe_video_encoder", "sarvam_mla"),
    ],
)
def test_a_family_turns_neighbouring_dimensions(family: str) -> None:
    assert pe.from_config({"model_type": family}).encoding.pairing == "interleaved"


def test_a_family_s_code_decides_whether_axes_take_turns() -> None:
    """Qwen3VLTextRotaryEmbedding and HYV4VLRotaryEmbedding give each axis every third pair, Qwen2-VL's a row of them."""
    block = {"rope_type": "default", "rope_theta": 5e6, "mrope_section": [24, 20, 20]}
    shape = {"hidden_size": 4096, "num_attention_heads": 32, "rope_parameters": block}
    for family, in_turns in (("qwen3_vl_text", True), ("qwen2_vl_text", False)):
        assert pe.from_config({"model_type": family, **shape}).encoding.mrope_interleaved == in_turns
    assert pe.from_config({"model_type": "hy_v4_vl_text"}).encoding.mrope_interleaved


def test_yarn_is_read_under_the_name_that_sarvam_published_it_with() -> None:
    """sarvamai/sarvam-105b; SarvamMLAConfig takes it for YaRN."""
    block = {"type": "deepseek_yarn", "factor": 40, "original_max_position_embeddings": 4096, "mscale_all_dim": 1.0}
    found = pe.from_config({"model_type": "sarvam_mla", "rope_scaling": block})
    assert found.encoding.scaling.rope_type == "yarn"
    assert found.model.scale == pytest.approx((0.1 * math.log(40) + 1) ** 2 / math.sqrt(192))


def test_a_refusal_names_the_class_s_default_where_the_config_has_none() -> None:
    assert "'sine'" in refusal({"model_type": "detr", "hidden_size": 256, "num_attention_heads": 8})
