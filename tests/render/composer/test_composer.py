"""What users see of the composer: figures fill their room, equal panels are equal, and what gives way is the least."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from styles import CARD, SLIDE, face

import posenc_gui as pe
from posenc_gui.figure.compare import compare
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panels import Heatmap, Slopes, Table
from posenc_gui.render.composer import compose
from posenc_gui.render.composer.merit import have_numbers
from posenc_gui.render.drawings.slopes import has_axis_beside
from posenc_gui.render.layout.composition import Composition, PlacedMap, is_title_cut
from posenc_gui.render.layout.rect import Rect
from posenc_gui.render.layout.type_sizes import Style

TOY = pe.ToyModel(d_model=16, n_heads=1)
WORDS = ("the cat sat on the mat while a dog ran over old green hills and then slept " * 40).split()


def attention(length: int, *, compared: bool = False, row: bool = False, encoding: str = "rope") -> Figure:
    other = pe.encoding("rope", base=500_000.0) if compared else None
    session = pe.Session(
        text=" ".join(WORDS[:length]), focus=min(2, length - 1), encoding=pe.encoding(encoding), other=other, model=TOY
    )
    if row:
        session = session.model_copy(update={"plots": type(session.plots)(attention={"row": True})})
    figure: Figure = pe.plot("attention", session)
    return figure


def sweep(length: int, count: int = 6, plot: str = "attention") -> Figure:
    session = pe.Session(text=" ".join(WORDS[:length]), focus=2, encoding=pe.encoding("sinusoidal"), model=TOY)
    bases = [10.0 ** (1 + at) for at in range(count)]
    return compare(pe.sweep(plot, session, "base", bases), tuple(f"{base:,.0f}" for base in bases), called="base")


def composed(figure: Figure, width: float, height: float, style: Style = CARD) -> Composition:
    panels = [panel for panel in figure.panels if not isinstance(panel, Table)]
    return compose(panels, figure.across, width, height, style, bands=figure.bands)


def maps(found: Composition) -> list[PlacedMap]:
    return [one for one in found.panels if isinstance(one, PlacedMap)]


def cells(found: Composition) -> tuple[float, float]:
    return maps(found)[0].cell


def overlap(one: Rect, other: Rect) -> bool:
    slack = 0.5
    return (
        one.left < other.right - slack
        and other.left < one.right - slack
        and one.top < other.bottom - slack
        and other.top < one.bottom - slack
    )


@pytest.mark.parametrize(("width", "height", "style"), [(1000, 560, CARD), (888, 380, SLIDE)])
def test_bands_are_equal_and_named_once_above_their_panels(width: float, height: float, style: Style) -> None:
    before, now = (pe.plot("shift", pe.Session(encoding=name, model=TOY)) for name in ("rope", "sinusoidal"))
    found = composed(compare((before, now), ("Before: RoPE", "Now: Sinusoidal"), over_time=True), width, height, style)
    above, below = found.rows
    assert len({(round(placed.plot.width, 3), round(placed.plot.height, 3)) for placed in found.panels}) == 1
    assert [one.plot.left for one in above] == [one.plot.left for one in below]
    assert [placed.title > 0 for placed in found.panels] == [True] * 3 + [False] * 3
    assert len(found.bars) == 1
    for band, row in zip(found.bands, found.rows, strict=True):
        assert band.head.top == pytest.approx(row[0].room.top + row[0].title)
        assert all(band.head.bottom <= placed.plot.top and placed.plot.bottom <= band.ground.bottom for placed in row)
    assert found.bands[0].ground.bottom <= found.bands[1].ground.top


def test_a_sweep_of_six_stands_in_two_rows_of_three_on_a_slide_with_numbers_in_its_cells() -> None:
    found = composed(sweep(6), 888, 380, SLIDE)
    assert [len(row) for row in found.rows] == [3, 3]
    across, down = cells(found)
    assert across >= 30
    assert down >= 20
    assert all(one.rows for one in maps(found)), "in a grid each map has its row's words"
    (bar,) = found.bars.values()
    assert bar.colours.height == pytest.approx(found.panels[-1].plot.bottom - found.panels[0].plot.top)


def test_three_maps_compared_stand_in_one_row_with_their_bars_below_as_broad_as_they_are() -> None:
    found = composed(
        attention(6, compared=True), 1808, 700, replace(SLIDE, title=face(34), label=face(34), small=face(29))
    )
    assert [len(row) for row in found.rows] == [3]
    a, b, difference = found.panels
    weight, change = found.bars.values()
    assert not weight.upright
    assert (weight.colours.left, weight.colours.right) == pytest.approx((a.plot.left, b.plot.right))
    assert (change.colours.left, change.colours.right) == pytest.approx((difference.plot.left, difference.plot.right))
    assert [one.rows is not None for one in maps(found)] == [True, False, False], "one row has its words once"


@pytest.mark.parametrize("plot", ["similarity", "encoding"])
def test_maps_of_other_counts_are_equally_large(plot: str) -> None:
    session = pe.Session(encoding=pe.encoding("rope"), other=pe.encoding("alibi"), model=TOY)
    first, second = maps(composed(pe.plot(plot, session), 888, 380, SLIDE))
    assert first.panel.values.shape != second.panel.values.shape
    assert first.plot.width == pytest.approx(second.plot.width)
    assert first.plot.height == pytest.approx(second.plot.height)


def test_maps_that_would_leave_much_of_their_room_empty_are_oblong() -> None:
    for width, longest_side in ((500, 1.5), (1500, 2.0)):
        found = composed(attention(20), width, 300)
        across, down = cells(found)
        assert across / down <= longest_side + 0.2  # on whole pixels
        assert found.bounds.width >= 0.5 * width
    assert across > 1.7 * down


def test_four_maps_stand_in_two_rows_where_only_these_have_room_for_numbers() -> None:
    found = composed(sweep(6, count=4), 656, 320)
    assert [len(row) for row in found.rows] == [2, 2]
    assert have_numbers(found.maps, CARD)


def test_cells_that_have_numbers_only_when_they_are_oblong_are_oblong() -> None:
    session = pe.Session(encoding="rope", other=pe.encoding("rope", base=500_000.0), model=TOY)
    found = composed(pe.plot("equivariance", session), 888, 326, SLIDE)
    across, down = cells(found)
    assert 1.5 * down < across <= 2 * down + 1
    assert have_numbers(found.maps, SLIDE)


def test_a_long_title_takes_three_lines_before_it_is_cut_but_only_if_that_saves_it() -> None:
    figure = sweep(6, count=4, plot="shift")
    found = composed(figure, 480, 600, SLIDE)
    assert not any(is_title_cut(placed, found.title) for placed in found.panels)
    assert {placed.title for placed in found.panels} == {maps(found)[0].title}
    assert 3 * found.title.line <= maps(found)[0].title < 4 * found.title.line
    large_type = composed(figure, 480, 600, CARD)
    assert any(is_title_cut(placed, large_type.title) for placed in large_type.panels)
    assert maps(large_type)[0].title < 3 * large_type.title.line


def test_the_difference_gives_way_before_numbers_do() -> None:
    figure = attention(6, compared=True)
    (gone,) = composed(figure, 600, 300).left_out
    assert isinstance(gone, Heatmap)
    assert gone.difference
    assert not composed(figure, 1000, 300).left_out


def test_four_lanes_have_their_axis_in_sight_in_the_lower_card_of_a_small_window() -> None:
    session = pe.Session(encoding=pe.encoding("rope"), other=pe.encoding("rope", base=500_000.0), model=TOY)
    found = compose(pe.plot("waves", session).panels, 1, 614, 185, CARD, grows=True)
    assert found.height == 185
    assert len(found.panels) == 4


def test_slopes_give_way_before_a_map_does() -> None:
    figure = attention(6, row=True)
    assert not composed(figure, 888, 370, SLIDE).left_out
    (gone,) = composed(figure, 420, 240).left_out
    assert isinstance(gone, Slopes)


def test_slopes_take_what_cells_that_are_large_enough_leave_up_to_the_breadth_of_a_map() -> None:
    figure = attention(6, row=True)
    found = composed(figure, 2168, 600)  # in a window of 2560 × 1440
    (slopes,) = (one for one in found.panels if isinstance(one.panel, Slopes))
    assert found.bounds.width > 0.95 * 2168
    assert slopes.plot.width < 1.5 * maps(found)[0].plot.width


def test_slopes_have_no_axis_but_the_bar_however_close_their_labels_are() -> None:
    figure = attention(6, row=True)
    for height in (170, 900):
        found = composed(figure, 1800, height)
        shown = [one.panel for one in found.panels]
        assert has_axis_beside(shown[-1], shown)


def test_labels_stay_level_while_they_have_room_then_slant_then_stand_then_give_way_to_numbers() -> None:
    def angle(width: float, length: int = 20) -> str:
        labels = maps(composed(attention(length), width, 0.6 * width))[0].columns
        return labels.angle if len(labels.texts) == length else "numbers"

    assert [angle(width) for width in (2000, 1100, 850, 420)] == ["level", "slanted", "upright", "numbers"]


def test_a_label_of_one_grapheme_never_turns() -> None:
    flags = pe.Session(text="🇩🇪 🇧🇪 " * 10, encoding=pe.encoding("rope"), model=TOY)
    for width in range(300, 1500, 100):
        labels = maps(composed(pe.plot("attention", flags), width, 400))[0].columns
        assert labels.angle == "level"


@given(
    length=st.sampled_from([1, 2, 3, 6, 11, 20, 33, 64, 150]),
    kind=st.sampled_from(["one", "compared", "row", "sweep"]),
    width=st.floats(300, 2200),
    height=st.floats(200, 1200),
)
def test_figures_fill_their_room_without_overlap_and_equal_maps_are_equal(
    length: int, kind: str, width: float, height: float
) -> None:
    figure = (
        sweep(max(length, 3)) if kind == "sweep" else attention(length, compared=kind == "compared", row=kind == "row")
    )
    found = composed(figure, width, height)
    shown = [panel.title for panel in (*found.left_out, *(one.panel for one in found.panels))]
    assert sorted(shown) == sorted(panel.title for panel in figure.panels if not isinstance(panel, Table))
    rects = [one.room for one in found.panels] + [bar.room for bar in found.bars.values()]
    assert not any(overlap(one, other) for one, other in itertools.combinations(rects, 2))
    assert found.bounds.right <= width + 1
    assert found.bounds.bottom <= height + 1
    assert max(found.bounds.width / width, found.bounds.height / height) >= 0.85
    sizes = {(one.panel.values.shape, round(one.plot.width, 6), round(one.plot.height, 6)) for one in maps(found)}
    assert len(sizes) == len({shape for shape, _, _ in sizes})
    for row in found.rows:
        assert len({round(one.plot.top, 6) for one in row if isinstance(one.panel, Heatmap)}) <= 1
        for slopes in (one for one in row if isinstance(one.panel, Slopes)):  # beside the bar's colours, or the cells
            tops = [bar.colours.top for bar in found.bars.values() if bar.bar.high == slopes.panel.high]
            assert slopes.plot.top == pytest.approx((tops or [maps(found)[0].plot.top])[0])
