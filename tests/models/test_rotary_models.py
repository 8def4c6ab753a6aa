"""Rotary configs are read as transformers' code acts; `python -m tools.rotary_models` compares all of them."""

from __future__ import annotations

import pytest

from tools import rotary_models


@pytest.mark.slow
@pytest.mark.most(6)
@pytest.mark.parametrize(
    ("family", "expected"),
    [
        *((family, "right") for family in ("llama", "axk2", "openai_privacy_filter", "modernbert", "pe_audio_encoder")),
        *((family, "said") for family in ("gemma4_text", "cohere2", "deepseek_v4")),
    ],
)
def test_a_tiny_model_turns_as_its_config_is_read(family: str, expected: str) -> None:
    assert rotary_models.verdict(family)[0] == expected


@pytest.mark.slow
def test_a_reading_that_is_wrong_is_found(monkeypatch) -> None:
    monkeypatch.setattr("posenc_gui.models.rope_parameters.INTERLEAVED", set())
    assert rotary_models.verdict("cohere") == ("wrong", "8 of 8 turns are others")
    assert rotary_models.verdict("blt_patcher") == ("wrong", "by its function")
