"""Models that have learned are drawn as transformers' code acts; `python -m tools.trained_models` compares all families."""

from __future__ import annotations

import pytest

from tools import trained_models


@pytest.mark.slow
@pytest.mark.parametrize(
    ("family", "expected"),
    [
        *(
            (family, "right")
            for family in ("mpnet", "roformer", "xglm", "ctrl", "doge", "diffllama", "gemma", "granite_swa")
        ),
        *((family, "kept") for family in ("bamba", "inkling_text")),
        *((family, "closed") for family in ("cpmant", "mamba")),
    ],
)
def test_a_tiny_model_is_drawn_as_it_is_and_without_positions_has_no_order(family: str, expected: str) -> None:
    """Doge adds a bias of its keys to its mask, Gemma's rounding grows from layer to layer, Bamba and Inkling know order apart."""
    assert trained_models.verdict(family)[0] == expected


@pytest.mark.slow
def test_positions_that_stay_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """As before: MPNet's table zeroed, its bias not."""
    monkeypatch.setattr("posenc_gui.checkpoints.recording.BIASES", ())
    assert trained_models.verdict("mpnet")[0] == "kept"
    monkeypatch.setattr("posenc_gui.checkpoints.opening.loses_order", lambda *_given: True)
    assert "order tells" in trained_models.verdict("mpnet")[1]
