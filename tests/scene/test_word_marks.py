"""What stands under each word: pair 0's hand at its place, or how much its distance from the focus counts."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import posenc_gui as pe
from posenc_gui.scene.word_marks import word_marks


@pytest.mark.parametrize("name", ["sinusoidal", "rope"])
@settings(max_examples=10)
@given(start=st.integers(0, 1000), count=st.integers(1, 12))
def test_a_clock_shows_pair_0_at_each_word_s_place(name: str, start: int, count: int) -> None:
    marks = word_marks(pe.Session(encoding=name, start=start), count, 0)
    assert marks.kind == "clock"
    assert marks.values == pytest.approx(range(start, start + count))  # a radian a position


def test_strength_is_a_hand_s_length_or_the_share_of_its_angle() -> None:
    added = word_marks(pe.Session(encoding="sinusoidal", strength=0.5), 6, 2)
    turned = word_marks(pe.Session(encoding="rope", strength=0.5), 6, 2)
    assert (added.length, added.values[4]) == (0.5, 4)
    assert (turned.length, turned.values[4]) == (1, 2)


def test_a_ruler_shows_the_bias_of_the_word_in_focus() -> None:
    marks = word_marks(pe.Session(encoding="alibi"), 6, 2)
    assert marks.kind == "ruler"
    assert marks.values == pytest.approx([-2 / 3, -1 / 3, 0, -1 / 3, -2 / 3, -1])


def test_long_texts_patches_and_encodings_of_another_kind_have_no_marks() -> None:
    for name in ("none", "learned", "integer", "shaw"):
        assert word_marks(pe.Session(encoding=name), 6, 2) is None
    assert word_marks(pe.Session(encoding="rope"), 13, 2) is None
    assert word_marks(pe.Session(encoding="rope"), 0, None) is None
    assert word_marks(pe.Session(encoding="mrope", patches={"rows": 1, "columns": 2}), 8, 2) is None
