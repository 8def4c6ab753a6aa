"""Bars, and curves on a logarithmic scale, on the screen: what is drawn where, pointed at and read with the keyboard."""

from __future__ import annotations

from itertools import cycle, islice, pairwise

import numpy as np
import pyqtgraph as pg
import pytest
from eyes import at, crosshair, graphics_of, picture, press, room_of, side_of, told, writing
from panels import HARD, figure_of
from PySide6.QtCore import QPoint, QPointF, QRectF, Qt
from PySide6.QtTest import QTest

from posenc_gui.figure.axis import NOWHERE, Axis, Pointer
from posenc_gui.figure.panels import Bars, BarSeries, Lines, Series
from posenc_gui.foundation.theme import DARK, LIGHT
from posenc_gui.foundation.wording import format_plain
from posenc_gui.render.screen import FigureView

THEMES = {"light": LIGHT, "dark": DARK}
LEFT = Qt.MouseButton.LeftButton


def bars(*values: list[float], labels: tuple[str, ...] = (), names: tuple[str, ...] = (), first: int = 0) -> Bars:
    series = tuple(
        BarSeries(name, np.array(one, dtype=np.float32))
        for name, one in zip(names or [f"series {n}" for n in range(len(values))], values, strict=True)
    )
    labels = labels or tuple(f"word{n}" for n in range(len(values[0])))
    low, high = min(map(min, values)), max(map(max, values))
    axis = Axis("query", "query", first, labels, focus=first + 1)
    return Bars("some bars", "distance", axis, series, min(low, 0.0), max(high, 0.5))


def powers(*bases: float, log: bool = True) -> Lines:
    x = np.arange(9, dtype=np.float32)
    series = tuple(Series(f"base {base:g}", x, (base**x).astype(np.float32)) for base in bases)
    return Lines("powers", "value", series, Axis("position", "position"), 1.0, 1e8, log=log)


def colour_at(view: FigureView, x: float, y: float) -> str:
    return picture(view).pixelColor(at(view, x, y)).name()


def values_drawn(view: FigureView) -> list[tuple[str, QRectF]]:
    """The numbers at the bars' ends."""
    room = room_of(view).adjusted(-2000, 0, 2000, 0)
    return [(one.text, one.box) for one in writing(view, room) if one.ink in (LIGHT.muted, DARK.muted)]


def words_along(view: FigureView, side: str) -> list[str]:
    return [one.text for one in writing(view, side_of(view, side))]


def categories_drawn(view: FigureView) -> list[str]:
    """The words of categories, not the numbers of negative bars."""
    return [one.text for one in writing(view, side_of(view, "left")) if one.ink not in (LIGHT.muted, DARK.muted)]


# --- Bars -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("theme", THEMES)
def test_bars_begin_at_zero_and_end_at_their_values(show, theme: str) -> None:
    view = show(bars([2.0, -1.0, 0.5]), colours=THEMES[theme])
    colours = THEMES[theme]
    for category, value in enumerate((2.0, -1.0, 0.5)):
        assert colour_at(view, value * 0.6, category - 0.05) == colours.curves[1]
        assert colour_at(view, -value * 0.1, category - 0.05) != colours.curves[1]
    image, zero = picture(view), at(view, 0, 1.5)
    line = {image.pixelColor(zero + QPoint(dx, 0)).name() for dx in (-1, 0, 1)}
    assert line == {colours.muted, colours.card}  # between the bars


def test_the_first_category_is_at_the_top_and_a_group_has_the_series_in_their_order(show) -> None:
    view = show(bars([1.0, 1.0], [1.0, 1.0], [1.0, 1.0]))
    assert at(view, 0, 0).y() < at(view, 0, 1).y()
    group = [colour_at(view, 0.3, 0 + shift) for shift in (-0.26, 0.0, 0.26)]
    assert group == list(THEMES["light"].curves[:3])


@pytest.mark.parametrize("count", [1, 6, 24])
def test_every_bar_of_a_few_has_its_value_in_the_plot(show, count: int) -> None:
    values = [n / 7 - 1 for n in range(count)]
    for size in ((900, 420), (520, 330)):
        view = show(bars(values), size=size)
        room = graphics_of(view).rect()
        drawn = values_drawn(view)
        assert [text for text, _ in drawn] == [format_plain(value) for value in values]
        assert all(room.left() <= box.left() and box.right() <= room.right() for _, box in drawn)


def numbers_below(view: FigureView) -> list[tuple[str, QRectF]]:
    """The numbers along the values of bars, from left to right."""
    below = [one for one in writing(view) if one.box.top() > room_of(view).bottom() - 1 and one.text != "distance"]
    return sorted(((one.text, one.box) for one in below), key=lambda one: one[1].left())


@pytest.mark.parametrize("width", [180, 260, 500, 900])
@pytest.mark.parametrize("largest", [1, 3, 5, 28])
def test_bars_that_count_have_whole_numbers_below(show, width: int, largest: int) -> None:
    drawn = numbers_below(show(bars([float(largest), 0.0, 1.0]), size=(width, 300)))
    assert drawn[0][0] == "0"
    assert len(drawn) > 1
    assert all(text.isdigit() for text, _ in drawn)


@pytest.mark.parametrize("width", [160, 200, 260, 400, 900])
@pytest.mark.parametrize("largest", [0.8, 0.00123, 7.5, 123_456.5])
def test_numbers_below_bars_never_touch(show, width: int, largest: float) -> None:
    drawn = numbers_below(show(bars([largest, largest / 3]), size=(width, 200)))
    assert all(a.right() + 4 < b.left() for (_, a), (_, b) in pairwise(drawn))


@pytest.mark.parametrize(("height", "every"), [(170, False), (225, True), (420, True)])
def test_every_category_is_named_where_it_has_fourteen_pixels(show, height: int, every: bool) -> None:
    view = show(bars([n / 12 for n in range(10)], names=("",)), size=(240, height))
    pixels = room_of(view).height() / 10
    assert (pixels >= 14) == every
    assert (len(categories_drawn(view)) == 10) == every


def test_hundreds_of_bars_have_no_values_and_few_names(show) -> None:
    view = show(bars(list(np.linspace(-1, 1, 512))))
    assert values_drawn(view) == []
    assert 5 < len(categories_drawn(view)) < 40


def test_series_are_named_where_there_is_more_than_one(show) -> None:
    assert words_along(show(bars([1.0], [2.0], names=("<b>typed</b>", "other"))), "top") == ["<b>typed</b>", "other"]
    assert words_along(show(bars([1.0], names=("typed",))), "top") == []


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("count", [1, 6, 64, 512])
def test_any_words_and_number_of_bars_are_drawn(show, count: int, theme: str) -> None:
    labels = tuple(islice(cycle(HARD), count))
    ones = [(-1.0) ** n for n in range(count)]
    view = show(bars(ones, ones, ones, labels=labels, names=HARD[:3]), colours=THEMES[theme], size=(520, 300))
    drawn = categories_drawn(view)
    assert drawn
    assert not any("\n" in text or "\t" in text for text in drawn)
    if count <= 6:
        assert drawn[0] == "<b>bold</b>"  # as plain text
    else:
        assert all(text.isdecimal() for text in drawn)  # no stray words among so many


def test_the_mouse_reads_all_bars_of_a_category_and_clicks_it(show) -> None:
    view = show(bars([1.0, -2.0, 3.0], [0.5, 0.25, 0.125], first=10))
    words, clicked = told(view), []
    view.clicked.connect(clicked.append)
    QTest.mouseMove(graphics_of(view).viewport(), at(view, 1.0, 11))
    assert words[-1] == "query word1 (11) · distance: series 0 −2, series 1 0.25"
    QTest.mouseClick(graphics_of(view).viewport(), LEFT, pos=at(view, 0.1, 12))
    assert clicked == [Pointer((("query", 12),))]


def test_the_pointer_marks_its_category(show) -> None:
    view = show(bars([1.0, 2.0, 3.0]))
    before = picture(view)
    assert crosshair(view, Pointer((("query", 2), ("key", 1)))) == (None, 2)
    view.show_pointer(NOWHERE)
    assert picture(view) == before


def test_arrow_keys_go_from_category_to_category_and_into_the_next_panel(show) -> None:
    view = show(bars([1.0, 2.0, 3.0]), bars([4.0, 5.0, 6.0]))
    words = told(view)
    press(view, "Down Down Down Up Right Left")
    read = [text.split("series 0 ")[1] for text in words]
    assert read == ["2", "3", "3", "2", "5", "2"]  # from the token in focus; nothing lies below the last


# --- Curves on a logarithmic scale ----------------------------------------------------------------------------------------


def test_the_mouse_reads_values_not_their_logarithms(show) -> None:
    pg.setConfigOption("mouseRateLimit", -1)  # pyqtgraph drops moves that come faster than a hand's
    view = show(powers(10.0))
    words = told(view)
    for position in (2, 6):
        QTest.mouseMove(graphics_of(view).viewport(), at(view, position, 10.0**position))
    assert words == ["position 2 · base 10 · value 100", "position 6 · base 10 · value 1,000,000"]
    assert view.panel_views()[0].at(view.panel_views()[0].vb.mapViewToScene(QPointF(1, 3)))[1] == pytest.approx(1e3)


def test_arrow_keys_read_values_and_go_from_curve_to_curve(show) -> None:
    view = show(powers(2.0, 10.0))
    words = told(view)
    press(view, "Right Right Right Up Down")
    assert [text.split("value ")[1] for text in words] == ["1", "2", "4", "100", "4"]


def test_a_curve_is_drawn_at_the_height_of_its_number_and_named_there(show) -> None:
    view = show(powers(10.0))
    (name,) = (one for one in writing(view) if one.text == "base 10")
    height = room_of(view).top() + view.panel_views()[0].vb.mapFromView(QPointF(8, 8)).y()
    assert name.box.center().y() == pytest.approx(height, abs=12)
    image, place = picture(view), at(view, 4, 1e4)
    assert min(image.pixelColor(place + QPoint(0, dy)).lightness() for dy in range(-3, 4)) < 150


def test_a_view_changes_between_both_scales(show) -> None:
    view = show(powers(10.0))
    logarithmic = words_along(view, "left")
    view.show_figure(figure_of(powers(10.0, log=False)))
    picture(view)
    assert words_along(view, "left") != logarithmic
    assert view.panel_views()[0].vb.viewRect().bottom() == pytest.approx(1e8, rel=0.05)
    view.show_figure(figure_of(powers(10.0)))
    picture(view)
    assert words_along(view, "left") == logarithmic
    assert (
        len({b - a for a, b in pairwise(at(view, 0, 10.0**power).y() for power in range(8))}) <= 2
    )  # but for rounding
