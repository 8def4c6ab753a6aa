"""Rules of layout that hold on every target, for figures drawn by a seed; `python -m tools.rooms --all` reads every case."""

from __future__ import annotations

import itertools
import random

import pytest

import posenc_gui as pe
from tools import rooms

Drawn = tuple[str, int, str]  # a plot, the number of tokens, and whether it is alone, compared or swept

# Comparisons of all encodings and curves over many texts take seconds to compute, whatever the layout.
SLOW_PLOTS = {"comparison", "kernel", "meaning", "length", "recurrence", "addition", "requirements"}
ALL: list[Drawn] = [*itertools.product(pe.plots(), rooms.TOKENS, rooms.KINDS)]
QUICK = [(plot, tokens, kind) for plot, tokens, kind in ALL if plot not in SLOW_PLOTS and tokens <= 20]
FEW = random.Random(26).sample(QUICK, 5)
MANY = random.Random(26).sample([one for one in ALL if one not in QUICK], 8)


def check(reading: rooms.Reading) -> None:
    """A figure fills its room, equal panels are equal, and nothing is said of layout.

    On slides words are whole and apart. Of a comparison or a sweep that has more panels than a slide has room for, titles may
    be cut.
    """
    assert max(reading.width, reading.height) >= rooms.FILLED, reading
    assert not reading.unequal, reading
    assert not reading.said, reading
    if reading.case.target.startswith("slide"):
        assert reading.width * reading.height >= rooms.IN_BODY, reading
        if reading.case.kind == "one":
            assert not reading.cut, reading
            assert not reading.overlaps, reading


def check_everywhere(drawn: Drawn) -> None:
    """Read a figure, which takes long to compute and little to lay out, on all targets."""
    readings = [rooms.read(rooms.Case(target, *drawn)) for target in rooms.TARGETS]
    found = [reading for reading in readings if reading is not None]
    for reading in found:
        check(reading)
    if not found:
        pytest.skip("the plot has no picture of this case")


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize("drawn", FEW, ids=lambda drawn: "-".join(map(str, drawn)))
def test_figures_fill_their_room_and_equal_panels_are_equal(drawn: Drawn) -> None:
    check_everywhere(drawn)


@pytest.mark.slow
@pytest.mark.usefixtures("qapp")
@pytest.mark.most(5)
@pytest.mark.parametrize("drawn", MANY, ids=lambda drawn: "-".join(map(str, drawn)))
def test_so_do_long_texts_and_slow_plots(drawn: Drawn) -> None:
    check_everywhere(drawn)
