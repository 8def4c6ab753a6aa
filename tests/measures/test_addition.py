"""Adding against concatenating: counts, what comes back, and (x + p) W = x W + p W."""

from __future__ import annotations

import pytest
from drawn import ABSOLUTE, RELATIVE, sessions
from hypothesis import given, settings
from hypothesis import strategies as st

import posenc_gui as pe
from posenc_gui.measures.addition import VOCABULARY


@settings(max_examples=16)
@given(session=sessions(ABSOLUTE, most=12))
def test_counts_and_shares(session: pe.Session) -> None:
    found, model = pe.measure("addition", session), session.model
    columns = model.n_heads * model.head_width
    # W_q, W_k and W_v: (d, h · d_head) each for the sum, (2d, h · d_head) for [x; p]
    assert found.parameters == (3 * model.d_model * columns, 3 * 2 * model.d_model * columns)
    assert found.width == (model.d_model, 2 * model.d_model)
    assert found.n_tokens == VOCABULARY
    limit = session.encoding.length_limit(model.d_model)
    assert found.n_positions == min(128, limit or 128)
    # (x + p) W is x W + p W, to the rounding of float64
    assert found.linear <= 1e-12 * 128 * model.d_model
    for share in (found.tokens, found.positions, found.concatenated_tokens, found.concatenated_positions):
        assert 0 <= share <= 1
    assert found.value <= min(found.tokens, found.positions) + 1e-9
    assert found.value >= found.tokens + found.positions - 1 - 1e-9
    assert max(found.paired_tokens, found.paired_positions) >= found.paired
    if model.embedding_scale:
        assert found.concatenated_tokens == 1  # seeded vectors differ
    assert found.tokens <= found.concatenated_tokens
    assert found.positions <= found.concatenated_positions


@pytest.mark.parametrize("name", ABSOLUTE)
def test_concatenated_everything_comes_back(name: str) -> None:
    found = pe.measure("addition", pe.Session(encoding=name))
    assert found.concatenated_tokens == found.concatenated_positions == 1


@settings(max_examples=10)
@given(name=st.sampled_from(ABSOLUTE), n_heads=st.integers(1, 3), width=st.integers(2, 8))
def test_without_tokens_every_position_comes_back_and_one_token_of_all(name: str, n_heads: int, width: int) -> None:
    # x = 0: the sum is p, and all tokens are the same vector, of which the first is taken.
    model = pe.ToyModel(d_model=2 * n_heads * width, n_heads=n_heads, embedding_scale=0.0)
    found = pe.measure("addition", pe.Session(encoding=name, model=model))
    assert found.positions == 1
    assert found.tokens == found.concatenated_tokens == 1 / VOCABULARY
    assert found.value == pytest.approx(1 / VOCABULARY)


def test_directions_at_right_angles_are_both_read_back() -> None:
    # Tokens along the last dimensions, one-hot positions along the first: nothing of one falls on the other. The sum of
    # token i and position m is nearest to them, since |x_i + p_m − x_j − p̄|² = |x_i − x_j|² + |p_m − p̄|².
    words = [f"w{index}" for index in range(64)]
    wide = pe.ToyModel(d_model=192, n_heads=1)
    typed = tuple((word, tuple(4.0 * (at == 128 + index) for at in range(192))) for index, word in enumerate(words))
    model = wide.model_copy(update={"vectors": typed})
    found = pe.measure(
        "addition", pe.Session(text=" ".join(words), encoding="one_hot", model=pe.ToyModel(**dict(model)))
    )
    assert (found.tokens, found.positions, found.value) == (1, 1, 1)


def test_a_sum_of_few_numbers_is_one_pair_s_though_neither_part_is_read_from_it_alone() -> None:
    found = pe.measure("addition", pe.Session(encoding="sinusoidal", model=pe.ToyModel(d_model=8)))
    assert found.value < 0.2
    assert (found.paired_tokens, found.paired_positions, found.paired) == (1, 1, 1)


def test_tokens_drown_in_numbers_that_grow_and_stand_out_where_they_weigh_more() -> None:
    # |p| of integers is up to 127 √64 = 1,016, a token's is 8.
    assert pe.measure("addition", pe.Session(encoding="integer")).tokens < 0.2
    heavy = pe.Session(encoding="sinusoidal", model=pe.ToyModel(embedding_scale=100.0))
    assert pe.measure("addition", heavy).tokens == 1


@pytest.mark.parametrize("name", [*RELATIVE, "none"])
def test_what_adds_nothing_says_where_it_acts(name: str) -> None:
    found = pe.measure("addition", pe.Session(encoding=name))
    assert found.value is None
    door = pe.encoding(name).door
    assert ("nowhere" if door == "none" else f"the {door} door") in found.reason
