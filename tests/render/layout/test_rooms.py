"""Rules of layout that hold on every target, for cases drawn by a seed; `python -m tools.rooms --all` reads every case."""

from __future__ import annotations

import itertools

import pytest

from tools import rooms

# Comparisons of all encodings and curves over many texts take seconds to compute, whatever the layout.
SLOW_PLOTS = {"comparison", "kernel", "meaning", "length", "recurrence", "addition", "requirements"}
QUICK = (case for case in rooms.sampled(26, 400) if case.plot not in SLOW_PLOTS and case.tokens <= 20)
FEW = list(itertools.islice(QUICK, 24))
MANY = [case for case in rooms.sampled(62, 60) if case not in FEW]


def check(reading: rooms.Reading | None) -> None:
    """A figure fills its room, equal panels are equal, and nothing is said of layout.

    On slides words are whole and apart. Of a comparison or a sweep that has more panels than a slide has room for, titles may
    be cut.
    """
    if reading is None:
        pytest.skip("the plot has no picture of this case")
    assert max(reading.width, reading.height) >= rooms.FILLED
    assert not reading.unequal
    assert not reading.said
    if reading.case.target.startswith("slide"):
        assert reading.width * reading.height >= rooms.IN_BODY
        if reading.case.kind == "one":
            assert not reading.cut
            assert not reading.overlaps


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize("case", FEW, ids=lambda case: "-".join(map(str, case)))
def test_figures_fill_their_room_and_equal_panels_are_equal(case: rooms.Case) -> None:
    check(rooms.read(case))


@pytest.mark.slow
@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize("case", MANY, ids=lambda case: "-".join(map(str, case)))
def test_so_do_long_texts_and_slow_plots(case: rooms.Case) -> None:
    check(rooms.read(case))
