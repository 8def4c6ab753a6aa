"""Two figures beside each other: one scale, one difference, and what is the same once."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from panels import clocks

import posenc_gui as pe
from posenc_gui.figure.axis import Axis
from posenc_gui.figure.caption_parts import compose_caption
from posenc_gui.figure.compare import compare, on_one_scale
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panels import Bars, BarSeries, Heatmap, Lines, Links, Note, Series, Table
from posenc_gui.figure.runs import quote_runs

NAMES = ("A: base 1", "B: base 2")
QUERIES, KEYS = Axis("query", "query"), Axis("key", "key")
numbers = arrays(np.float32, (2, 3), elements=st.floats(-100, 100, width=32))


def figure(*panels, caption: tuple[str, ...] = ()) -> Figure:
    return Figure("some", "Some", panels, caption_parts=compose_caption(*caption), description="What it shows.")


def heatmap(values, title="map", **other) -> Heatmap:
    values = np.asarray(values, np.float32)
    high = float(np.abs(values).max()) or 1.0
    return Heatmap(title, "score", values, QUERIES, KEYS, -high, high, "diverging", **other)


def curve(label, *ys) -> Series:
    return Series(label, np.arange(len(ys), dtype=np.float32), np.array(ys, np.float32))


def lines(*series, title="curves", role="position", quantity="value") -> Lines:
    low = min(float(one.y.min()) for one in series)
    high = max(float(one.y.max()) for one in series)
    return Lines(title, quantity, series, Axis(role, role), low - 1, high + 1)


@given(numbers, numbers)
def test_maps_stand_on_one_scale_and_their_difference_is_centred_on_zero(first, second) -> None:
    found = compare((figure(heatmap(first)), figure(heatmap(second))), NAMES)
    if np.array_equal(first, second):
        assert len(found.panels) == 1
        assert found.caption == "the same for A and B"
        return
    one, other, apart = found.panels
    assert (one.low, one.high) == (other.low, other.high)
    assert one.high == pytest.approx(max(np.abs(first).max(), np.abs(second).max()) or 1.0)
    assert (apart.values == second - first).all()
    assert (apart.scale, apart.low) == ("diverging", -apart.high)
    assert [panel.title for panel in found.panels] == ["A: base 1", "B: base 2", "B − A"]
    assert found.caption == "one scale · in B − A, teal: B is larger, rust: A is larger"


def test_what_either_masks_has_no_difference() -> None:
    masks = [np.array([[False, True, False], [False, False, False]]), np.zeros((2, 3), bool)]
    first, second = (heatmap(np.ones((2, 3)) * (2 - index) * ~mask, mask=mask) for index, mask in enumerate(masks))
    apart = compare((figure(first), figure(second)), NAMES).panels[2]
    assert apart.is_masked(0, 1)
    assert not apart.is_masked(1, 1)
    assert apart.values.tolist() == [[-1, 0, -1], [-1, -1, -1]]


@pytest.mark.parametrize(
    ("other", "why"),
    [
        (heatmap(np.ones((2, 4))), "no B − A: 3 against 4 cells along key"),
        (
            replace(heatmap(np.ones((2, 3))), rows=Axis("offset", "offset")),
            "no B − A: query by key against offset by key",
        ),
        (replace(heatmap(np.ones((2, 3))), quantity="bias"), "no B − A: score against bias"),
        (replace(heatmap(np.ones((2, 3))), rows=Axis("query", "query", 5)), "no B − A: other cells along query"),
    ],
)
def test_maps_of_other_things_have_no_difference_and_the_caption_says_why(other: Heatmap, why: str) -> None:
    found = compare((figure(heatmap(np.zeros((2, 3)))), figure(other)), NAMES)
    assert [panel.title for panel in found.panels] == list(NAMES)
    assert why in found.caption


def test_a_panel_that_is_the_same_in_both_stands_once() -> None:
    same = heatmap(np.ones((2, 3)), "tokens")
    both = [figure(same, heatmap(np.full((2, 3), value), "sums")) for value in (1.0, 2.0)]
    titles = [panel.title for panel in compare(both, NAMES).panels]
    assert titles == ["tokens", "sums · A", "sums · B", "sums · B − A"]


def test_a_few_curves_stand_in_one_panel_the_first_broad() -> None:
    limit = curve("limit", 3, 3)
    found = compare((figure(lines(curve("wave", 0, 1), limit)), figure(lines(curve("wave", 0, 9), limit))), NAMES)
    (panel,) = found.panels
    assert [(one.label, one.before) for one in panel.series] == [
        ("wave, A", True),
        ("wave, B", False),
        ("limit, A = B", False),
    ]
    assert (panel.low, panel.high) == (-1, 10)


def test_more_curves_have_a_lane_each_on_one_axis_and_equal_ones_share_the_first() -> None:
    first = [curve(f"pair {pair}", 0, pair) for pair in range(4)]
    second = [curve(f"pair {pair}", 0, 2 * pair) for pair in range(4)]
    found = compare((figure(lines(*first)), figure(lines(*second))), NAMES)
    labels = [[one.label for one in panel.series] for panel in found.panels]
    assert labels == [["pair 0, A = B"], *([f"pair {pair}, A", f"pair {pair}, B"] for pair in (1, 2, 3))]
    assert [panel.filled for panel in found.panels] == [False, True, True, True]
    assert [panel.shares_x for panel in found.panels] == [True, True, True, False]
    assert len({(panel.low, panel.high) for panel in found.panels}) == 1
    assert found.across == 1
    assert "A broad, B fine" in found.caption


def test_curves_too_many_for_panels_stand_side_by_side_on_one_axis() -> None:
    first, second = (lines(*(curve(f"pair {pair}", 0, pair * k) for pair in range(20))) for k in (1, 2))
    one, other = compare((figure(first), figure(second)), NAMES).panels
    assert (one.title, other.title) == NAMES
    assert (one.low, one.high) == (other.low, other.high)


def test_curves_along_other_axes_stand_side_by_side_and_the_caption_says_so() -> None:
    found = compare((figure(lines(curve("a", 0, 1))), figure(lines(curve("a", 0, 2), role="offset"))), NAMES)
    assert [panel.title for panel in found.panels] == list(NAMES)
    assert "curves along position against curves along offset" in found.caption


def test_bars_stand_in_one_panel_on_one_scale() -> None:
    stages = Axis("stage", "stage", 0, ("in", "out"))
    both = [
        figure(Bars("apart", "distance", stages, (BarSeries("with", np.array([0, k], np.float32)),), 0, k))
        for k in (1, 2)
    ]
    (panel,) = compare(both, NAMES).panels
    assert [one.label for one in panel.series] == list(NAMES)
    assert (panel.low, panel.high) == (0, 2)


def test_clocks_stand_a_row_each() -> None:
    both = [figure(clocks(1, position)) for position in (1.0, 2.0)]
    found = compare(both, NAMES)
    assert ([panel.title for panel in found.panels], found.across) == (list(NAMES), 1)


def test_tables_of_the_same_lines_are_one_with_columns_for_each() -> None:
    both = [figure(Table("row", ("key", "weight"), (("the", k), ("cat", 0.5)))) for k in (0.1, 0.2)]
    (table,) = compare(both, NAMES).panels
    assert table.header == ("key", "A: weight", "B: weight")
    assert table.rows == (("the", 0.1, 0.2), ("cat", 0.5, 0.5))


def test_tables_of_other_lines_are_two() -> None:
    both = [figure(Table("steps", ("step", "value"), ((step, 1.0),))) for step in ("turn", "add")]
    assert [panel.title for panel in compare(both, NAMES).panels] == ["steps · A", "steps · B"]


@pytest.mark.parametrize("sign", ["A", "B"])
def test_a_panel_that_only_one_has_is_named_by_whose_it_is(sign: str) -> None:
    both = heatmap([[1]]), Note("There is more.", "more")
    figures = [figure(*(both if name.startswith(sign) else both[:1])) for name in NAMES]
    assert [panel.title for panel in compare(figures, NAMES).panels] == ["map", f"more · {sign}"]


def test_links_stand_in_their_figures_row_on_one_scale() -> None:
    left, right = Axis("position", "position", 0, ("a", "b")), Axis("other position", "position", 0, ("b", "a"))
    both = [
        figure(
            heatmap(np.full((2, 3), k)), Links("which", "change", left, right, ((0, 1),), np.array([k], np.float32), k)
        )
        for k in (1.0, 2.0)
    ]
    found = compare(both, NAMES)
    assert found.across == 2
    assert [type(panel) for panel in found.panels] == [Heatmap, Links, Heatmap, Links]
    assert found.panels[1].high == found.panels[3].high == 2


def test_a_side_that_is_not_defined_says_so_where_its_panel_would_stand() -> None:
    found = compare((figure(Note("There is nothing to draw.")), figure(heatmap(np.ones((2, 3))))), NAMES)
    note, panel = found.panels
    assert (note.title, note.text) == ("A: base 1", "There is nothing to draw.")
    assert panel.title == "B: base 2"
    assert "one scale" not in found.caption


def test_two_sides_that_are_not_defined_alike_say_so_once() -> None:
    note = figure(Note("There is nothing to draw."))
    assert compare((note, note), NAMES).panels == note.panels


def test_what_is_measured_in_two_ways_is_not_said_to_be_on_one_scale() -> None:
    both = [figure(lines(curve("", 0, k), quantity=of)) for k, of in ((1, "value"), (9, "bias"))]
    assert "one scale" not in compare(both, NAMES).caption
    assert [(panel.low, panel.high) for panel in compare(both, NAMES).panels] == [(-1, 2), (-1, 10)]


def test_what_is_broad_without_another_side_is_not_called_the_first_one_s() -> None:
    own = replace(curve("before", 0, 1), before=True)
    found = compare((figure(Note("There is nothing to draw.")), figure(lines(own, curve("after", 0, 2)))), NAMES)
    assert "broad" not in found.caption


def test_words_that_both_say_stand_once() -> None:
    both = [
        figure(heatmap(np.full((2, 3), k)), caption=("toy model", f"{k} pairs")) for k in (1, 2)
    ]  # fmt: skip
    assert (
        compare(both, NAMES).caption
        == "one scale · toy model · A: 1 pairs · B: 2 pairs · in B − A, teal: B is larger, rust: A is larger"
    )


def test_figures_on_one_scale_share_each_range_by_place_and_quantity() -> None:
    figures = [figure(heatmap(np.full((2, 3), k)), lines(curve("", 0, k))) for k in (1, 3)]
    for one in on_one_scale(figures):
        assert (one.panels[0].low, one.panels[0].high) == (-3, 3)
        assert (one.panels[1].low, one.panels[1].high) == (-1, 4)


def test_small_multiples_are_named_and_leave_out_what_they_share() -> None:
    plain = heatmap(np.ones((2, 3)), "No encoding")
    figures = [figure(plain, heatmap(np.full((2, 3), k), "RoPE")) for k in (2, 3, 4)]
    found = compare(figures, ("2", "3", "4"), called="base")
    assert [panel.title for panel in found.panels] == ["base 2", "3", "4"]
    assert len({panel.high for panel in found.panels}) == 1


@pytest.mark.parametrize(
    ("panels", "said"),
    [
        ([heatmap(np.full((2, 3), k)) for k in (1, 2, 3)], "one colour scale"),
        ([Note("There is nothing to draw."), heatmap([[1]]), heatmap([[2]])], "one colour scale"),
        ([lines(curve("", 0, k)) for k in (1, 2, 3)], "one scale"),
        ([lines(curve("", 0, k), quantity=f"in {k}") for k in (1, 2, 3)], ""),
        ([Table("row", ("key", "weight"), (("the", k),)) for k in (0.1, 0.2, 0.3)], ""),
        ([clocks(1, k) for k in (1.0, 2.0, 3.0)], ""),
        ([heatmap([[1]])] * 3, "the same for all 3"),
    ],
)
def test_small_multiples_are_said_to_be_on_one_scale_where_they_have_one(panels: list, said: str) -> None:
    assert compare([figure(panel) for panel in panels], ("2", "3", "4"), called="base").caption == said


def test_a_description_that_figures_share_is_given_once_with_their_names() -> None:
    figures = [replace(figure(heatmap([[k]])), description=f"It is {k > 2}.") for k in (1, 2, 3)]
    told = compare(figures, ("10", "100", "1,000"), called="base").description
    assert told == "base 10 and 100. It is False. 1,000. It is True."
    assert compare(figures[:2], NAMES).description == "A: base 1 and B: base 2. It is False."


def test_a_second_headline_that_says_the_same_is_its_numbers() -> None:
    session = pe.Session(encoding=pe.encoding("rope", base=500_000.0), other=pe.encoding("rope"))
    told = "".join(run.text for run in pe.plot("waves", session).headline)
    first, second = told.removeprefix("A: ").split(" B: ")
    assert first == "Pair 0 repeats every 6.3 words, pair 3 every 860."
    assert second == "6.3 words and 200."


def test_a_second_headline_leaves_out_the_clauses_that_the_first_has_said() -> None:
    session = pe.Session(encoding="rope", other="alibi")
    told = quote_runs(pe.plot("twins", session).headline)
    assert told.count("Without an encoding, the outputs of") == 1
    assert re.search(r" B: with ALiBi [\d.]+, from the scores on\.$", told)
    row = quote_runs(pe.plot("row", session).headline)
    assert re.search(r"^A: In head 0, with RoPE, .* B: “sat” gives both “the” [\d.]+\.$", row)
    other = "".join(run.text for run in pe.plot("shift", session).headline)
    assert other.endswith(" B: with ALiBi no score of head 0 changes.")  # “no” alone would be no sentence


def test_bars_of_more_shades_than_can_be_told_apart_stand_apart() -> None:
    figures = [pe.plot("generation", pe.Session(encoding=name, other="none")) for name in ("rope", "alibi")]
    for found in figures:
        bars = [panel for panel in found.panels if isinstance(panel, Bars)]
        assert [len(panel.series) for panel in bars] == [2, 2]
        assert (bars[0].low, bars[0].high) == (bars[1].low, bars[1].high)


@pytest.mark.parametrize(
    ("plot", "other"),
    [("frequencies", pe.encoding("alibi")), ("attention", pe.encoding("rope", scaling={"rope_type": "longrope"}))],
)
def test_the_step_that_a_note_of_b_offers_changes_b(plot: str, other: pe.Encoding) -> None:
    session = pe.Session(encoding="sinusoidal", other=other)
    (remedy,) = (panel.remedy for panel in pe.plot(plot, session).panels if isinstance(panel, Note) and panel.remedy)
    mended = session.changed(**remedy.fields)
    assert mended.encoding == session.encoding
    assert not any(isinstance(panel, Note) for panel in pe.plot(plot, mended).panels)
