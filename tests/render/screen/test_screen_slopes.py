"""Slopes on the screen: beside maps and alone, labelled without touching, pointed at, left out where it is narrow."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from eyes import at, graphics_of, picture, press, room_of, side_of, told, writing
from PySide6.QtCore import QPointF, Qt
from PySide6.QtTest import QTest

from posenc_gui.figure.axis import Axis, Pointer
from posenc_gui.figure.panels import Heatmap, Panel, Slopes
from posenc_gui.foundation.theme import DARK, LIGHT, Roles
from posenc_gui.render.screen import FigureView

TOKENS = ("the", "cat", "sat", "on", "the", "mat")
KEYS = Axis("key", "key", 0, TOKENS, 2, frozenset({0, 4}))
ENDS = np.array([[0.23, 0.43], [0.36, 0.30], [0.01, 0.01], [0.07, 0.05], [0.23, 0.17], [0.10, 0.045]], dtype=np.float32)
ROW = Pointer((("query", 2),))
SIZE = 1000, 360


def slopes(high: float = 0.5, log: bool = False, tokens: tuple[str, ...] = TOKENS) -> Slopes:
    cells = Axis("key", "key", 0, tokens, 2, frozenset({0, 4}))
    low = 0.005 if log else 0.0
    return Slopes("The row of sat", "weight", ("without", "with"), cells, tuple(range(6)), ENDS, low, high, log, ROW)


def many(height: float = 0.5, length: int = 64) -> Slopes:
    """Eight lines of a longer row."""
    tokens = tuple(f"word{number}" for number in range(length))
    ends = np.linspace(0.01, height, 16, dtype=np.float32).reshape(8, 2)
    cells = Axis("key", "key", 0, tokens, 2)
    return Slopes(
        "The row", "weight", ("without", "with"), cells, tuple(range(0, 16, 2)), ends, 0.0, 0.5, False, ROW, length - 8
    )


def heatmap(high: float = 0.5, log: bool = False) -> Heatmap:
    values = np.tile(ENDS[:, 1], (6, 1))
    rows = Axis("query", "query", 0, TOKENS, 2, frozenset({0, 4}))
    return Heatmap("RoPE", "weight", values, rows, KEYS, 0.005 if log else 0.0, high, log=log)


def labels(view: FigureView) -> list[str]:
    panel = len(view.panel_views()) - 1
    return [one.text for one in writing(view, side_of(view, "right", panel).adjusted(0, -30, 30, 30))]


def numbers_before(view: FigureView, panel: int = 0) -> list[str]:
    """The numbers at the left of the columns, from the lowest."""
    before = writing(view, side_of(view, "left", panel).adjusted(0, -9, 0, 9))
    return [one.text for one in before if one.text[-1].isdigit()]


@pytest.mark.parametrize("roles", [LIGHT, DARK], ids=["light", "dark"])
def test_every_line_is_labelled_with_its_number_and_token_and_twins_with_their_place(show, roles: Roles) -> None:
    view = show(slopes(), colours=roles)
    words = labels(view)
    assert {"0.43", "0.30", "0.17", "0.05", "0.01", "cat", "sat", "on", "mat"} <= set(words)
    assert {"the0", "the4"} <= set(words) or {"the", "0", "4"} <= set(words)
    inks = {one.text: one.ink for one in writing(view)}
    assert (inks["0.43"], inks["0.01"], inks["0.30"]) == (roles.twin, roles.focus, roles.ink)


@pytest.mark.parametrize("height", [200, 360])
def test_labels_that_crowd_are_moved_apart_and_stay_in_the_view(show, height: int) -> None:
    view = show(slopes(high=5.0), size=(600, height))
    numbers = [one.box for one in writing(view) if one.text in ("0.43", "0.30", "0.17", "0.05", "0.01")]
    assert len(numbers) >= 4
    tops = sorted(box.center().y() for box in numbers)
    assert all(lower - upper >= 12 for upper, lower in pairwise(tops))
    assert all(graphics_of(view).rect().toRectF().contains(box) for box in numbers)


@pytest.mark.slow
@pytest.mark.parametrize("panels", [(), (heatmap(),), (heatmap(), heatmap())], ids=["alone", "one map", "two maps"])
def test_both_columns_are_named_and_what_has_no_line_is_counted_below(show, panels: tuple[Panel, ...]) -> None:
    view = show(*panels, many(), size=(960, 300))
    words = {one.text: one.box for one in writing(view) if one.text in ("without", "with", "… 56 others")}
    assert set(words) == {"without", "with", "… 56 others"}
    assert words["without"].right() < words["with"].left()
    values = [one.box for one in writing(view) if one.text in labels(view) and one.text.startswith("0.")]
    assert all(box.center().y() < words["… 56 others"].center().y() for box in values)


def test_labels_of_lines_that_end_beyond_the_scale_keep_their_order(show) -> None:
    view = show(slopes(high=0.1))
    numbers = {one.text: one.box.center().y() for one in writing(view) if one.text in ("0.43", "0.30", "0.17")}
    assert numbers["0.43"] < numbers["0.30"] < numbers["0.17"]


def test_small_numbers_keep_two_digits(show) -> None:
    view = show(many(height=0.0126, length=512))
    numbers = {text for text in labels(view) if text.startswith("0.")}
    assert "0.013" in numbers
    assert all(len(text) == 5 for text in numbers)


def test_lines_without_room_for_a_label_are_counted_too(show) -> None:
    view = show(many(), size=(600, 120))
    named = [text for text in labels(view) if text.startswith("0.")]
    assert 0 < len(named) < 8
    assert f"… {64 - len(named)} others" in labels(view)


@pytest.mark.parametrize("log", [False, True])
def test_beside_a_map_a_value_stands_where_the_colour_bar_has_it(show, log: bool) -> None:
    view = show(heatmap(log=log), slopes(log=log))
    (bar,) = view.colour_bars()
    chart, colours = view.panel_views()[1], bar.placed.colours
    assert numbers_before(view, 1) == []
    low, high = (chart.at(QPointF(room_of(view, 1).left(), y))[1] for y in (colours.bottom, colours.top))
    assert (low, high) == pytest.approx((chart.shown.low, chart.shown.high), rel=0.03, abs=0.005)
    assert (bar.placed.bar.low, bar.placed.bar.high) == pytest.approx((chart.shown.low, chart.shown.high))


def test_alone_they_have_an_axis_of_their_own(show) -> None:
    view = show(slopes())
    assert numbers_before(view) == ["0", "0.1", "0.2", "0.3", "0.4", "0.5"]
    assert "weight" in [one.text for one in writing(view)]


def test_in_a_narrow_view_the_maps_have_all_the_room_until_it_grows(show) -> None:
    view = show(heatmap(), slopes(), size=(330, 300))
    assert len(view.panel_views()) == 1
    view.resize(1000, 360)
    picture(view)
    assert len(view.panel_views()) == 2
    view.resize(330, 300)
    picture(view)
    assert len(view.panel_views()) == 1
    view = show(slopes(), size=(330, 300))
    assert len(view.panel_views()) == 1


def test_the_nearest_line_is_read_and_pointed_at(show, qtbot) -> None:
    view = show(slopes())
    with qtbot.waitSignal(view.pointed) as told:
        QTest.mouseMove(graphics_of(view).viewport(), at(view, 0.2, 0.35))
    assert told.args == [
        Pointer((("query", 2), ("key", 1))), "key cat (1) · weight without 0.36, with 0.3",
    ]  # fmt: skip
    with qtbot.waitSignal(view.clicked) as clicked:
        QTest.mouseClick(graphics_of(view).viewport(), Qt.MouseButton.LeftButton, pos=at(view, 0.98, 0.42))
    assert clicked.args == [Pointer((("query", 2), ("key", 0)))]


def test_arrows_go_from_line_to_line_and_from_end_to_end(show) -> None:
    view = show(slopes())
    words = told(view)
    press(view, "Right Right Up Down Down Right")
    read = [one.partition(" · ")[0] for one in words]
    assert read == ["key cat (1)", "key cat (1)", "key the (0)", "key cat (1)", "key the (4)", "key the (4)"]


def test_a_pointer_in_the_row_brings_out_its_line_and_one_in_another_row_none(show) -> None:
    view = show(heatmap(), slopes())
    chart = view.panel_views()[1].sceneBoundingRect().toAlignedRect()

    def seen(pointer: Pointer) -> object:
        view.show_pointer(pointer)
        return graphics_of(view).grab(chart).toImage()

    nothing = seen(Pointer())
    assert seen(Pointer((("query", 1), ("key", 3)))) == nothing
    assert seen(Pointer((("query", 2), ("key", 3)))) != nothing


def test_hard_tokens_stay_in_the_view(show) -> None:
    view = show(slopes(tokens=("<b>b</b>", "السلام", "位置编码", "👩‍👩‍👧", "a" * 3000, "tab\there")))
    assert all(one.box.right() <= 1001 for one in writing(view))
    assert "<b>b</b>" in " ".join(labels(view))
