"""Sketches: what is drawn is what comes back, gaps are joined but not invented, and a distance is what the eye sees."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from posenc_gui.figure.axis import Axis
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panels import Lines, Note, Series
from posenc_gui.figure.runs import Run
from posenc_gui.labs.play.sketch import COLUMNS, ENOUGH, Drawing, describe_curve, distance, follows, with_sketch

AXIS = Axis("position", "position")
parts = st.floats(0, 1)
places = st.tuples(parts, parts)


def lines(*, log: bool = False, n: int = 33) -> Lines:
    """Two curves over positions 0 to n − 1."""
    x = np.arange(n, dtype=np.float32)
    rising = np.geomspace(1, 1000, n, dtype=np.float32)
    series = Series("", x, rising), Series("falling", x, rising[::-1])
    return Lines("curves", "value", series, AXIS, 0.5, 2000, log=log)


def drawn(*strokes: tuple[tuple[float, float], tuple[float, float]], log: bool = False) -> Drawing:
    drawing = Drawing(lines(log=log))
    for stroke in strokes:
        drawing.stroke(*stroke)
    return drawing


@given(start=places, end=places)
def test_a_stroke_draws_the_same_line_forth_and_back(start, end) -> None:
    forth, back = drawn((start, end)), drawn((end, start))
    assert forth.covered == back.covered
    if forth.covered > 1 / COLUMNS:  # a stroke within one column ends at its own height
        assert forth.heights() == back.heights()


@given(strokes=st.lists(st.tuples(places, places), max_size=6), log=st.booleans())
def test_what_is_drawn_stays_within_the_axes_and_is_whole_or_nothing(strokes, log) -> None:
    drawing = drawn(*strokes, log=log)
    points = drawing.points()
    assert len(points) == (COLUMNS if drawing.covered >= ENOUGH else 0)
    assert all(0 <= x <= 32 and 0.5 * 0.999 <= y <= 2000 * 1.001 for x, y in points)
    assert [x for x, _ in points] == sorted({x for x, _ in points})


@given(strokes=st.lists(st.tuples(places, places), max_size=4), log=st.booleans())
def test_a_sketch_that_is_shown_again_is_the_same(strokes, log) -> None:
    points = drawn(((0, 0.5), (1, 0.5)), *strokes, log=log).points()
    again = Drawing(lines(log=log))
    again.show(points)
    assert np.allclose(again.points(), points, rtol=1e-9)


def test_an_empty_sketch_that_is_shown_clears_the_pad() -> None:
    drawing = drawn(((0, 0), (1, 1)))
    drawing.show(())
    assert not drawing.covered


def test_narrow_gaps_are_joined_by_straight_lines_and_wide_ones_are_not() -> None:
    assert drawn(((0, 0.2), (0.3, 0.2)), ((0.7, 0.8), (1, 0.8))).points() == ()
    points = drawn(((0, 0.2), (0.45, 0.2)), ((0.55, 0.8), (1, 0.8))).points()
    heights = [Drawing(lines()).up(y) for _, y in points]
    assert heights[32] == pytest.approx(0.5, abs=0.01)
    assert heights == sorted(heights)


def test_drawing_again_replaces_only_that_part() -> None:
    drawing = drawn(((0, 0.2), (1, 0.2)), ((0.75, 0.9), (0.25, 0.9)))
    assert {round(up, 3) for across, up in drawing.heights() if 0.25 <= across <= 0.75} == {0.9}
    assert {round(up, 3) for across, up in drawing.heights() if not 0.25 <= across <= 0.75} == {0.2}


def test_beyond_the_axes_a_stroke_follows_their_edge() -> None:
    assert {up for _, up in drawn(((-1, 4), (3, 4))).heights()} == {1.0}


def test_a_pull_bends_the_lines_to_its_neighbours_and_leaves_what_is_drawn_beyond_them() -> None:
    drawing = Drawing(lines())
    for column in (0, 32, 64):
        drawing.pull(column, 0.0)
    drawing.pull(32, 0.4)
    heights = [up for _, up in drawing.heights()]
    assert (heights[0], heights[32], heights[64]) == (0.5, 0.9, 0.5)
    assert heights[16] == pytest.approx(0.7)
    drawing.stroke((0.6, 0.1), (1, 0.1))
    drawing.pull(32, -0.4)
    heights = [up for _, up in drawing.heights()]
    assert heights[32] == pytest.approx(0.5)
    assert heights[40:] == pytest.approx([0.1] * 25, abs=0.02)


def test_on_a_logarithmic_axis_the_middle_is_the_geometric_mean() -> None:
    assert drawn(((0, 0.5), (1, 0.5)), log=True).points()[0][1] == pytest.approx(math.sqrt(0.5 * 2000))
    drawing = Drawing(lines(log=True))
    assert drawing.value(drawing.up(20.0)) == pytest.approx(20.0)


def test_curves_of_a_single_place_have_room_too() -> None:
    drawing = Drawing(lines(n=1))
    assert (drawing.x(0), drawing.x(1)) == (-0.5, 0.5)


@given(curve=st.integers(0, 1), log=st.booleans())
def test_a_sketch_along_a_curve_is_no_distance_away(curve, log) -> None:
    panel = lines(log=log)
    series = panel.series[curve]
    points = tuple((float(x), float(y)) for x, y in zip(series.x, series.y, strict=True))
    assert distance(points, series, panel.low, panel.high, log) == 0
    assert distance(points, panel.series[1 - curve], panel.low, panel.high, log) > 0.1


@given(by=st.floats(-100, 100), stretch=st.floats(0.01, 100))
def test_a_distance_is_in_parts_of_the_axis(by, stretch) -> None:
    x = np.arange(9, dtype=np.float32)
    series = Series("", x, np.zeros(9, dtype=np.float32))
    points = tuple((float(at), by) for at in x)
    assert distance(points, series, -stretch, stretch) == pytest.approx(abs(by) / (2 * stretch))


def test_nothing_is_infinitely_far_away() -> None:
    assert distance((), lines().series[0], 0.5, 2000) == math.inf


def test_a_value_without_a_logarithm_is_far_away_but_no_error() -> None:
    assert distance(((0.0, 0.0), (32.0, -1.0)), lines().series[0], 0.5, 2000, log=True) > 1


def test_a_curve_is_described_by_its_ends_and_extremes() -> None:
    assert describe_curve(((0, 1.0), (5, -2.0), (9, 3.0))) == "from 1 at 0 to 3 at 9, highest 3 at 9, lowest −2 at 5"
    assert describe_curve(()) == "no curve"


def test_a_figure_with_a_sketch_shows_the_asked_curve_and_the_sketch() -> None:
    said = (Run("Of two curves the first is highest."),)
    figure = Figure("waves", "Waves", (Note("why"), lines()), description="Curves.", session="{}", headline=said)
    compared = with_sketch(figure, 1, ((0.0, -50.0), (32.0, 3000.0)), 1)
    assert not compared.headline  # the other curve isn't there
    (panel,) = compared.panels
    assert isinstance(panel, Lines)
    assert [series.label for series in panel.series] == ["falling", "yours"]
    assert (panel.low, panel.high) == (-50, 3000)  # both are in sight
    assert compared.session == "{}"
    assert compared.description.startswith("Curves. Your sketch: from −50 at 0")
    assert with_sketch(figure, 1, ((0.0, 1.0),), 0).panels[0].series[0].label == "measured"


@pytest.mark.parametrize(("panel", "points"), [(0, ((0.0, 1.0),)), (1, ())])
def test_there_is_no_comparison_without_curves_or_without_a_sketch(panel, points) -> None:
    with pytest.raises(ValueError, match=r"holds no curves|not enough"):
        with_sketch(Figure("waves", "Waves", (Note("why"), lines())), panel, points, 0)


def test_a_level_sketch_follows_a_curve_that_is_level_but_for_rounding() -> None:
    x = np.arange(9, dtype=np.float32)
    level = Series("", x, np.float32(0.5) + np.float32(1e-7) * (x % 2))
    sketch = tuple((float(at), 0.5) for at in x)
    assert follows(sketch, level)
    assert not follows(sketch, Series("", x, x))
