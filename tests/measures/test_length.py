"""The sentence placed further and further out."""

from __future__ import annotations

import pytest
import torch
from drawn import RELATIVE, sessions
from hypothesis import given, settings
from hypothesis import strategies as st

import posenc_gui as pe
from posenc_gui.measures.length import STARTS

# The one loses its digits far out, the other measures distance in parts of the query's place.
OF_PLACE_TOO = ("xpos", "fire")


@pytest.mark.slow
@settings(max_examples=16)
@given(session=sessions([*(name for name in RELATIVE if name not in OF_PLACE_TOO), "none"], least=1, most=12))
def test_far_out_relative_encodings_give_the_same(session: pe.Session) -> None:
    found = pe.measure("length", session)
    assert found.starts.tolist() == list(STARTS)
    assert found.starts[-1] == 131_072
    assert found.limit is None
    assert found.value < 1e-5
    assert float(found.changed.max()) < 1e-5
    assert float(found.moved.max()) < 1e-4
    assert "defined at every start" in found.reason


@settings(max_examples=16)
@given(count=st.integers(1, 20), limit=st.integers(1, 60), name=st.sampled_from(["one_hot", "learned"]))
def test_an_encoding_that_ends_is_followed_to_its_end(count: int, limit: int, name: str) -> None:
    if name == "one_hot":
        session = pe.Session(encoding="one_hot", model=pe.ToyModel(d_model=limit, n_heads=1))
    else:
        session = pe.Session(encoding=pe.encoding("learned", max_len=limit), model=pe.ToyModel(d_model=8))
    found = pe.measure("length", session.changed(text=" ".join(f"w{index}" for index in range(count))))
    if count > limit:
        assert found.value is None
        assert f"0 to {limit - 1}" in found.reason
        return
    assert found.limit == limit
    assert found.starts.tolist() == [start for start in STARTS if start + count <= limit]
    # The first start at which the last token has no position: limit − count + 1.
    assert f"from start {limit - count + 1:,} on" in found.reason


@pytest.mark.slow
@settings(max_examples=16)
@given(session=sessions(least=1, most=12))
def test_its_columns_fit_together(session: pe.Session) -> None:
    found = pe.measure("length", session)
    if found.value is None:
        assert session.n_tokens > session.encoding.length_limit(session.model.d_model)
        return
    columns = (found.starts, found.largest, found.changed, found.moved)
    assert len({column.shape for column in columns}) == 1
    assert found.starts[0] == found.changed[0] == found.moved[0] == 0
    assert all((column >= 0).all() for column in columns)
    assert float(found.moved.max()) <= 1 + 1e-5
    assert found.value == float(found.changed[-1])
    if session.model.n_layers == 1:
        assert float(found.largest[0]) == pytest.approx(float(pe.attend(session).scores.abs().max()), rel=1e-5)


def test_for_positions_alone_the_change_can_be_written_down() -> None:
    # p_m = m in 4 dimensions, no content, W = 1, scale 1: the score is 4mn, from start s on 4(m + s)(n + s).
    model = pe.ToyModel(d_model=4, n_heads=1, projections="identity", scale=1.0, embedding_scale=0.0)
    found = pe.measure("length", pe.Session(text="a b c", encoding="integer", model=model))
    m = torch.arange(3, dtype=torch.float64)
    at_zero = m[:, None] * m
    for start, largest, changed in zip(found.starts[:10], found.largest, found.changed, strict=False):
        moved = (m[:, None] + start) * (m + start)
        assert float(largest) == pytest.approx(4 * float(moved.max()))
        expected = ((moved - at_zero).pow(2).mean() / moved.pow(2).mean()).sqrt()
        assert float(changed) == pytest.approx(float(expected), rel=1e-5)


@pytest.mark.parametrize("name", ["integer", "sinusoidal", "normalized"])
def test_absolute_encodings_change_the_scores_though_they_are_defined_everywhere(name: str) -> None:
    found = pe.measure("length", pe.Session(encoding=name))
    assert found.starts[-1] == STARTS[-1]
    assert found.value > 0.1
    assert float(found.moved[-1]) > 0.01


def test_sizes_of_nothing_are_no_infinity() -> None:
    # Without content the only token's score at 0 is 0: what it becomes has no size to be compared with.
    model = pe.ToyModel(d_model=1, n_heads=1, embedding_scale=0.0)
    found = pe.measure("length", pe.Session(text="one", encoding="integer", model=model))
    assert found.value is None or found.value < 1e20
    assert "inf" not in found.reason
