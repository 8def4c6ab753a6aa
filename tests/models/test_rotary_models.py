"""Rotary configs are read as transformers' code acts; `python -m tools.rotary_models` compares all of them."""

from __future__ import annotations

import pytest

from tools import rotary_models


@pytest.mark.slow
@pytest.mark.parametrize(
    ("family", "expected"),
    [
        ("llama", "right"),
        ("deepseek_v3", "right"),
        ("openai_privacy_filter", "right"),
        ("modernbert", "right"),
        ("zaya", "right"),
        ("gemma4_text", "said"),
        ("cohere2", "said"),
        ("nanochat", "said"),
    ],
)
def test_a_tiny_model_turns_as_its_config_is_read(family: str, expected: str) -> None:
    assert rotary_models.verdict(family)[0] == expected


@pytest.mark.slow
def test_a_reading_that_is_wrong_is_found(monkeypatch) -> None:
    monkeypatch.setattr("posenc_gui.models.rope_parameters.INTERLEAVED", set())
    assert rotary_models.verdict("cohere") == ("wrong", "8 of 8 turns are others")
