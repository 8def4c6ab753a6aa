"""Formulas say what an encoding does with its parameters as they are."""

from __future__ import annotations

from typing import Any

import pytest

import posenc_gui as pe


@pytest.mark.parametrize(
    ("name", "choice"),
    [
        ("sinusoidal", {"layout": "concatenated"}),
        ("sinusoidal", {"layout": "cosine_first"}),
        ("sinusoidal", {"spacing": "tensor2tensor"}),
        ("binary", {"order": "slow_first"}),
        ("binary", {"digits": "signs"}),
        ("normalized", {"divisor": "last"}),
        ("fourier", {"layout": "sine_first"}),
        ("fourier", {"layout": "interleaved"}),
        ("shaw", {"value_term": False}),
        ("deberta", {"terms": "c2p"}),
        ("deberta", {"log_buckets": False}),
        ("kerple", {"kernel": "power"}),
    ],
)
def test_its_formula_follows_a_choice_that_changes_its_numbers(name: str, choice: dict[str, Any]) -> None:
    assert pe.encoding(name, **choice).own_formula != pe.encoding(name).own_formula
