"""Brackets below maps: what a headline claims of some columns, drawn where it is true."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import posenc_gui as pe
from posenc_gui.figure.panels import Bracket
from posenc_gui.render.drawings.maps import bracket_lines


def claims(**fields: object) -> list[str]:
    panels = pe.plot("attention", pe.Session(**fields)).panels
    return [panel.bracket.words if panel.bracket else "" for panel in panels if hasattr(panel, "bracket")]


def test_it_claims_of_twins_what_the_numbers_say() -> None:
    assert claims(encoding="sinusoidal") == ["equal: the same word", "told apart by position"]
    # “sat” stands two places from either “the”, “mat” one and five.
    assert claims(encoding="alibi", focus=2) == ["equal: the same word", "still equal for “sat”"]
    assert claims(encoding="alibi", focus=5) == ["equal: the same word", "told apart by position"]
    # a slope of 1/256 moves no number that is seen
    assert claims(encoding="alibi", focus=5, model={"n_heads": 1})[0] == "equal: the same word"
    assert claims(encoding="none") == ["equal: the same word"]


@pytest.mark.parametrize(
    "fields", [{"text": "dog bites man"}, {"other": "rope"}, {"plots": {"attention": {"quantity": "position"}}}]
)
def test_it_claims_nothing_without_twins_of_a_comparison_or_of_what_is_added(fields) -> None:
    assert not any(claims(encoding="sinusoidal", **fields))


@given(
    st.lists(st.floats(0, 500), min_size=2, max_size=6, unique=True),
    st.integers(1, 40),
    st.floats(3, 9),
    st.floats(0, 99),
)
def test_words_stand_inside_the_map_and_meet_no_leg(centres, letters, breadth, beyond) -> None:
    bracket = Bracket(tuple(range(len(centres))), "x" * letters, "x")
    left, right = min(centres) - beyond, max(centres) + beyond
    found = bracket_lines(bracket, centres, left, right, lambda text: breadth * len(text))
    if found is None:
        return
    assert found.legs == tuple(sorted(centres))
    assert (found.level[0][0], found.level[-1][1]) == (found.legs[0], found.legs[-1])
    half = breadth * len(found.words) / 2
    begin, end = found.middle - half, found.middle + half
    assert left - 1e-6 <= begin
    assert end <= right + 1e-6
    if not found.below:
        assert not any(begin < leg < end for leg in found.legs)
        assert not any(start < end and begin < stop for start, stop in found.level)
