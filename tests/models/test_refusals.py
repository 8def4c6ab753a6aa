"""What a config.json, or a folder, is refused for: in one plain sentence that names the field, as transformers refuses it."""

from __future__ import annotations

import json
import math
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

import posenc_gui as pe
from posenc_gui.models.config import is_config, understood
from tests.recorded.wording import LLAMA
from tools.later import Later

transformers = Later("transformers")

YARN = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 2048}
LONG = {"rope_type": "longrope", "factor": 4.0, "original_max_position_embeddings": 2048}
LISTS = {"short_factor": [1.0] * 32, "long_factor": [2.0] * 32}
MISTRAL = {"model_type": "mistral", "num_key_value_heads": 8}
TINY = {"vocab_size": 8, "num_hidden_layers": 1, "intermediate_size": 8}


def refusal(fields: dict[str, Any]) -> str:
    with pytest.raises(ValueError, match=r".") as refused:
        pe.from_config(LLAMA | fields)
    return str(refused.value)


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"rope_scaling": YARN | {"factor": "4.0"}}, "rope_scaling.factor: should be a number, not '4.0'"),
        ({"rope_scaling": {"type": "linear", "factor": "4.0"}}, "rope_scaling.factor: should be a number, not '4.0'"),
        ({"rope_scaling": YARN | {"beta_fast": "32"}}, "rope_scaling.beta_fast: should be a number, not '32'"),
        (
            {"rope_scaling": LONG | LISTS | {"short_factor": ["1.0"] * 32}},
            "rope_scaling.short_factor: should be a list of numbers, not ['1.0', '1.0', '1.0', '1.0', '1.0', '1.…",
        ),
        (
            {"rope_scaling": LONG | LISTS | {"long_factor": [2.0] * 31}},
            "rope_scaling.long_factor: should be a list of 32 numbers, one for each turned pair, not of 31",
        ),
        (
            {"rope_scaling": LONG},
            "rope_scaling.short_factor must be given for longrope: a list of 32 numbers, one for each turned pair",
        ),
        ({"num_key_value_heads": 3}, "num_key_value_heads: 8 heads can't share 3 heads of keys and values equally"),
        ({"num_key_value_heads": 16}, "num_key_value_heads: 8 heads can't share 16 heads of keys and values equally"),
        (MISTRAL | {"sliding_window": "4096"}, "sliding_window: should be a number of tokens, not '4096'"),
        (MISTRAL | {"sliding_window": -1}, "sliding_window: should be a number of tokens, not -1"),
        ({"rope_theta": None}, "rope_theta: should be a number, not null"),
        (
            {"model_type": "stablelm", "partial_rotary_factor": -0.5},
            "partial_rotary_factor: should be at least 0, not -0.5",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_transformers_cannot_run_is_refused_by_its_field(fields: dict[str, Any], said: str) -> None:
    assert refusal(fields) == said
    with pytest.raises(Exception, match=r"."):  # whichever line of it is the first to fail
        run_by_transformers(fields)


def run_by_transformers(fields: dict[str, Any]) -> None:
    config = transformers.AutoConfig.for_model(**json.loads(json.dumps(LLAMA | TINY | fields)))
    transformers.AutoModel.from_config(config)(torch.arange(4)[None])


def test_what_is_refused_here_and_run_there_is_run_without_its_fault() -> None:
    for fields in ({"rope_scaling": YARN}, {"rope_scaling": LONG | LISTS}, {"num_key_value_heads": 2}, MISTRAL):
        run_by_transformers(fields)
        pe.from_config(LLAMA | fields)


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"rope_theta": 10**400}, "rope_theta: should be no more than a float64 holds, not a number of 401 digits"),
        ({"rope_theta": math.inf}, "rope_theta: should be a finite number, not Infinity"),
        ({"rope_theta": -math.inf}, "rope_theta: should be a finite number, not -Infinity"),
        ({"rope_theta": -1}, "rope_theta: should be at least 1, not -1"),
        ({"rope_scaling": YARN | {"factor": math.nan}}, "rope_scaling.factor: should be a finite number, not NaN"),
        ({"rope_scaling": YARN | {"truncate": "false"}}, "rope_scaling.truncate: should be true or false, not 'false'"),
        (
            {"rope_scaling": LONG | LISTS | {"long_factor": [-1] * 32}},
            "rope_scaling.long_factor.0: should be at least 0.001, not -1 (the first of 32 wrong values)",
        ),
        (
            {"rope_scaling": LONG | LISTS | {"long_factor": [2.0, math.inf] * 16}},
            "rope_scaling.long_factor.1: should be a finite number, not Infinity (the first of 16 wrong values)",
        ),
        (
            {"rope_theta": None, "rope_scaling": {"type": "linear", "factor": 2.0}, "model_type": "lama"},
            "rope_theta must be given: no default is known for model_type “lama” (did you mean 'llama'?)",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_number_that_is_none_is_said_once_and_as_the_file_has_it(fields: dict[str, Any], said: str) -> None:
    assert refusal(fields) == said


@pytest.mark.parametrize(
    ("family", "meant"),
    [("lama", "llama"), ("Llama", "llama"), ("mistrl", "mistral"), ("nomic-bert", "nomic_bert"), ("gema2", "gemma2")]
    + [(other, "") for other in ("odd", "internlm2", "qwen9", "minimax_m3", "chatglm", "phi3small", "llama")],
)
def test_a_model_type_that_is_misspelt_is_a_question_and_another_model_s_name_is_none(family: str, meant: str) -> None:
    told = " ".join(pe.from_config(LLAMA | {"model_type": family, "rope_theta": 1e4}).unmodelled)
    assert (f"model_type “{family}” isn't known here (did you mean '{meant}'?)" in told) == bool(meant)
    assert ("did you mean" in told) == bool(meant)


@pytest.mark.parametrize(
    ("block", "scaling", "said"),
    [
        (
            {"rope_type": "yarn", "type": "linear"},
            "yarn",
            "has the rope_type “yarn” and the type “linear”: the first counts",
        ),
        (
            {"rope_type": "default", "type": "yarn"},
            None,
            "has the rope_type “default” and the type “yarn”: the first counts",
        ),
        ({"rope_type": "longrope", "type": "su"} | LISTS, "longrope", ""),
        ({"rope_type": "default", "type": "mrope"}, None, ""),  # as Qwen2.5-VL's
    ],
)
def test_of_two_types_the_newer_name_counts_and_is_said(block: dict[str, Any], scaling: str | None, said: str) -> None:
    """As RotaryEmbeddingConfigMixin.standardize_rope_params sets rope_type where there is none."""
    found = pe.from_config(LLAMA | {"rope_theta": 1e4, "rope_scaling": {"factor": 4.0} | block})
    assert (found.encoding.scaling and found.encoding.scaling.rope_type) == scaling
    told = " ".join(found.unmodelled)
    assert ("the first counts" in told, said in told) == (bool(said), True)


@pytest.mark.parametrize(("spelled", "said"), [("utf-8-sig", "begins with one"), ("utf-16", "is UTF-16")])
def test_a_byte_order_mark_is_named_and_transformers_refuses_it_as_well(
    spelled: str, said: str, tmp_path: Path
) -> None:
    path = tmp_path / "config.json"
    path.write_text(json.dumps(LLAMA), encoding=spelled)
    told = f"^config.json: this is no model's config.json, which is UTF-8 without a byte order mark: this one {said}$"
    with pytest.raises(ValueError, match=told):
        understood(path)
    with pytest.raises(OSError, match="not a valid JSON file"):
        transformers.AutoConfig.from_pretrained(tmp_path)
    assert is_config(path.read_bytes()), "a window then says that, and not that this is no session"


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"num_attention_heads": -3}, "config.json: num_attention_heads: should be a whole number from 1 on, not -3"),
        ({"num_attention_heads": "4"}, "config.json: num_attention_heads: should be a whole number from 1 on, not '4'"),
        (
            {"num_attention_heads": 8},
            "its “layers.0.self_attn.o_proj.weight” is 32 × 32, and of its config.json transformers makes one of",
        ),
        (
            {"num_key_value_heads": 3},
            "config.json: num_key_value_heads: 4 heads can't share 3 heads of keys and values",
        ),
        (
            {"rope_parameters": {"rope_theta": "1"}},
            "config.json: rope_parameters.rope_theta: should be a number, not '1'",
        ),
        (
            {"rope_parameters": {"rope_theta": None}},
            "config.json: rope_parameters.rope_theta: should be a number, not null",
        ),
        ({"rope_parameters": {"rope_theta": -5.0}}, "config.json: rope_theta: should be at least 1, not -5"),
        (
            {"rope_parameters": YARN | {"rope_type": "yran"}},
            "config.json: rope_parameters.rope_type: there is no rope_type",
        ),
        (
            {"rope_parameters": YARN | {"factor": "4.0"}},
            "config.json: rope_parameters.factor: should be a number, not '4.0'",
        ),
        ({"rope_parameters": {"rope_type": "yarn"}}, "config.json: rope_parameters.factor must be given for yarn"),
        ({"model_type": "lama"}, "doesn't know the model_type “lama” of its config.json (did you mean 'llama'?)"),
        ({"hidden_act": "sillu"}, 'its config.json says hidden_act "sillu", which transformers can\'t use'),
        ({"rms_norm_eps": None}, "its config.json says rms_norm_eps null, which transformers can't use"),
        (
            {"intermediate_size": -1},
            "transformers can't make a model of its config.json and weights (RuntimeError: Trying",
        ),
        (  # the first of two faults is the cause, and the other one isn't said in its place
            {"hidden_act": "sillu", "rope_parameters": YARN | {"beta_fast": 1, "beta_slow": 2}},
            'its config.json says hidden_act "sillu", which transformers can\'t use',
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_folder_that_cannot_be_loaded_says_why_in_plain_words(
    fields: dict[str, Any], said: str, checkpoint_folder: Callable[[str], Path], tmp_path: Path
) -> None:
    folder = shutil.copytree(checkpoint_folder("llama"), tmp_path / "it")
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | fields))
    with pytest.raises(ValueError, match=r"^it can't be loaded: ") as refused:
        pe.open_model(folder)
    assert said in str(refused.value)
    assert re.search(r"[^.]\.$", str(refused.value))


def test_the_scaling_of_the_code_that_nomic_s_models_bring_is_read() -> None:
    """Snowflake/snowflake-arctic-embed-m-long has 2: NomicBertDynamicNTKRotaryEmbedding grows its base beyond 2,048 tokens."""
    rows = json.loads(Path(__file__).with_name("lengths.json").read_text("utf-8"))
    config = next(row["config"] for row in rows if row["model"] == "Snowflake/snowflake-arctic-embed-m-long")
    found = understood(config)
    for length in (100, 2048, 8192):
        base = 1000 * max(1.0, 2 * length / 2048 - 1) ** (64 / 62)
        theirs = base ** -(torch.arange(0, 64, 2, dtype=torch.float64) / 64)
        torch.testing.assert_close(found.encoding.frequencies(64, length), theirs)
    assert "engines disagree on rotary_scaling_factor" in found.remark
    assert understood(config | {"rotary_scaling_factor": None}).encoding == pe.encoding("rope", base=1000)
    assert "rotary_scaling_factor: should be a number, not '2'" in refusal(config | {"rotary_scaling_factor": "2"})
