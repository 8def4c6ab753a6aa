"""Masks and learned tables are read as transformers' code has them; `python -m tools.unrotated_models` compares all."""

from __future__ import annotations

import pytest

from tools import unrotated_models


@pytest.mark.slow
def test_a_tiny_model_has_the_mask_and_the_table_that_are_read(monkeypatch) -> None:
    assert unrotated_models.verdict("xmod") == ("right", "learned")
    monkeypatch.setattr("posenc_gui.models.config.WITHOUT_MASK", set())
    assert unrotated_models.verdict("bert") == ("wrong", "its mask is none")
    monkeypatch.setattr("posenc_gui.checkpoints.config_json.PADDED", set())
    told = "its tables (first row, rows) are [(2, 510)], not 512 rows"
    assert unrotated_models.verdict("roberta")[1].startswith(told)
