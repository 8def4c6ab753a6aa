"""The integer encoding: the number itself, without bound."""

from __future__ import annotations

import torch
from hypothesis import given
from hypothesis import strategies as st

import posenc_gui as pe

INTEGER = pe.encoding("integer")


@given(st.lists(st.integers(0, 10**9) | st.floats(0, 1e9), min_size=1), st.integers(1, 16))
def test_every_dimension_holds_the_position(positions: list[float], d_model: int) -> None:
    vectors = INTEGER.vectors(torch.tensor(positions, dtype=torch.float64), d_model)
    assert vectors.tolist() == [[position] * d_model for position in positions]


def test_far_into_a_text_it_drowns_the_token() -> None:
    token = pe.ToyModel().embed(("cat",))[0]
    near, far = (INTEGER.vectors(torch.tensor([position]), 64)[0].float() for position in (1, 1000))
    assert float(near.norm()) < 2 * float(token.norm())
    assert float(far.norm()) > 500 * float(token.norm())
