"""The whole sentence moved: scores of a relative encoding stay, to rounding."""

from __future__ import annotations

import pytest
import torch
from drawn import ABSOLUTE, RELATIVE, sessions
from hypothesis import given, settings
from hypothesis import strategies as st

import posenc_gui as pe

# Far out FIRE's bias is stretched with the query's position.
OF_DISTANCE = [name for name in RELATIVE if name != "fire"]


@settings(max_examples=24)
@given(session=sessions([*OF_DISTANCE, "none"], least=1, most=12), offset=st.integers(1, 1_000_000))
def test_relative_encodings_and_none_change_no_score_at_any_offset(session: pe.Session, offset: int) -> None:
    # Su et al. 2021, equation 16: q_m · k_n = x_m W_q R_(n−m) W_k x_n
    if session.encoding.name == "xpos":  # keys grow: beyond, its numbers are too large to compute with
        offset = min(offset, 10_000)
    found = pe.measure("shift", session, offset=offset)
    assert found.changed == 0
    assert found.relative < 1e-5
    assert "changes no score" in found.reason
    assert found.offset == offset


@pytest.mark.parametrize(("offset", "changes"), [(500, False), (1000, True)])
def test_fire_knows_distances_up_to_its_threshold_and_places_beyond(offset: int, changes: bool) -> None:
    found = pe.measure("shift", pe.Session(encoding="fire"), offset=offset)  # Li et al. 2023, equation 4, L = 512
    assert (found.changed > 0) is changes


@settings(max_examples=24)
@given(data=st.data())
def test_input_encodings_change_them(data: st.DataObject) -> None:
    shape = {"d_model": 32, "n_heads": 2, "n_layers": 1, "embedding_scale": 1.0, "scale": None}
    session = data.draw(sessions(ABSOLUTE, least=2, most=12, **shape))
    found = pe.measure("shift", session)
    assert found.changed > 0
    assert found.value > 1e-3
    assert "not offsets alone" in found.reason


@settings(max_examples=16)
@given(session=sessions(least=1, most=12))
def test_its_numbers_are_those_of_the_two_tables(session: pe.Session) -> None:
    found = pe.measure("shift", session)
    if found.value is None:
        assert session.encoding.length_limit(session.model.d_model) is not None
        return
    assert found.before.shape == found.after.shape == (session.model.n_heads, *[session.n_tokens] * 2)
    attended = pe.attend(session).scores
    torch.testing.assert_close(found.before, attended)
    assert found.value == float((found.after - found.before).abs().max())
    assert 0 <= found.changed <= 1
    assert 0 <= found.relative <= 2
    limit = session.encoding.length_limit(session.model.d_model)
    assert found.offset == (100 if limit is None else min(100, limit - session.n_tokens))


@pytest.mark.parametrize("k", [1, 7, 1000])
def test_for_positions_alone_the_change_is_k_times_m_plus_n_plus_k(k: int) -> None:
    # p_m = m in 4 dimensions, no content, W = 1, scale 1: the score is 4mn, moved 4(m + k)(n + k).
    model = pe.ToyModel(d_model=4, n_heads=1, projections="identity", scale=1.0, embedding_scale=0.0)
    found = pe.measure("shift", pe.Session(text="a b c", encoding="integer", model=model), offset=k)
    m = torch.arange(3.0)
    torch.testing.assert_close(found.before[0], 4 * m[:, None] * m)
    torch.testing.assert_close(found.after[0], 4 * (m[:, None] + k) * (m + k))
    assert found.value == pytest.approx(4 * k * (2 + 2 + k))
    assert found.changed == 1
    assert found.relative == pytest.approx(k * (4 + k) / (2 + k) ** 2)


def test_a_sentence_that_fills_every_position_cant_be_moved() -> None:
    for text, limit in (("a b c", 3), ("a b", 2)):
        found = pe.measure("shift", pe.Session(text=text, encoding=pe.encoding("learned", max_len=limit)))
        assert found.value is None
        assert "can't be moved" in found.reason


def test_moving_past_a_tables_end_names_the_positions_there_are() -> None:
    found = pe.measure("shift", pe.Session(encoding="one_hot"), offset=59)
    assert found.value is None
    assert "0 to 63" in found.reason
    assert pe.measure("shift", pe.Session(encoding="one_hot"), offset=58).value > 0


@pytest.mark.parametrize(("limit", "offset"), [(7, 1), (64, 58), (105, 99), (106, 100), (512, 100)])
def test_it_is_moved_by_100_or_to_the_last_position(limit: int, offset: int) -> None:
    session = pe.Session(encoding=pe.encoding("learned", max_len=limit))  # 6 tokens
    assert pe.measure("shift", session).offset == offset


def test_a_score_whose_products_cancel_is_changed_by_rounding_alone() -> None:
    """A score of −0.0108, of products as large as 7.4, rounds by 1e−7: more than a hundred-thousandth of it."""
    session = pe.Session(text="in", encoding="axial", strength=0.5, model={"d_model": 32, "n_heads": 1, "causal": True})
    assert pe.measure("shift", session).reason.endswith("changes no score, but for rounding.")
