"""Curves on the screen: how wide they are drawn, their names, marks and titles, and what is said beside the pointer."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pyqtgraph as pg
import pytest
from drawing import drawn
from eyes import at, graphics_of, picture, ratio_picture, room_of, side_of, writing
from hypothesis import example, given
from hypothesis import strategies as st
from panels import figure_of
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QColor, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from posenc_gui.figure.axis import Axis, Pointer
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panels import Bars, BarSeries, Heatmap, Lines, Series, VerticalMark
from posenc_gui.foundation.theme import DARK, LIGHT
from posenc_gui.render.drawings.lines import without_crowd
from posenc_gui.render.screen import FigureView
from posenc_gui.render.screen.fonts import caption, measured
from posenc_gui.render.screen.tooltip import Hint

X = np.linspace(0, 20, 401, dtype=np.float32)
SIZE = 700, 360
MARKS = (VerticalMark(2, "sat", "focus"), VerticalMark(5.5, "sentence ends", "end"), VerticalMark(4, "", "twin"))


def flat(label: str, height: float, *, before: bool = False) -> Series:
    return Series(label, X, np.full_like(X, height), before=before)


def lines(*series: Series, marks: tuple[VerticalMark, ...] = (), x: str = "position", y: str = "value") -> Lines:
    return Lines("", y, series, Axis("position", x), -1.1, 1.1, marks)


def is_near(one: QColor, other: str, distance: int) -> bool:
    return all(abs(a - b) <= distance for a, b in zip(one.getRgb(), QColor(other).getRgb(), strict=True))


def across(image: QImage, place: QPoint, reach: int = 12) -> np.ndarray:
    """The distance of the pixels above and below a place from the background, 0 to 1."""
    ratio = image.devicePixelRatio()
    x, middle = round(place.x() * ratio), round(place.y() * ratio)
    seen = [image.pixelColor(x, middle + dy) for dy in range(-round(reach * ratio), round(reach * ratio) + 1)]
    ground, strongest = seen[0].lightness(), min(one.lightness() for one in seen)
    return np.array([(ground - one.lightness()) / max(1, ground - strongest) for one in seen])


# --- Curves -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ratio", [1.0, 1.25, 1.5, 2.0, 3.0])
def test_a_curve_is_one_and_a_half_to_two_pixels_wide_at_every_pixel_ratio(show, ratio: float) -> None:
    view = show(lines(flat("", 0.313)))
    thick = across(ratio_picture(view, ratio), graphics_of(view).mapTo(view, at(view, 10.02, 0.313))).sum() / ratio
    assert 1.4 <= thick <= 2.3


def test_a_slanted_curve_has_soft_edges(show) -> None:
    view = show(lines(Series("", X, X / 20)))
    image = picture(view)
    shares = [across(image, at(view, x, x / 20)) for x in np.linspace(8, 12, 33)]  # some columns it fills to the pixel
    assert any(0.15 < share < 0.85 for share in np.concatenate(shares))


def test_the_curve_from_before_is_broad_and_lies_below(show) -> None:
    before, now = flat("before", 0.3, before=True), Series("now", X, X / 10 - 0.7)  # they meet at 10
    for order in ((before, now), (now, before)):
        view = show(lines(*order))
        image = picture(view)
        broad = across(image, at(view, 3, 0.3))
        assert 4 <= broad.sum() <= 6
        meeting = at(view, 10, 0.3)
        assert any(is_near(image.pixelColor(meeting + QPoint(0, down)), LIGHT.ink, 60) for down in (-1, 0, 1))
        assert is_near(image.pixelColor(at(view, 3, 0.3)), LIGHT.ref, 12)


@example([0.0] * 24 + [1.0, 0.0], 3)
@given(st.lists(st.floats(-1e6, 1e6, width=32), min_size=1, max_size=300), st.integers(1, 40))
def test_thinning_keeps_both_ends_and_everything_that_stands_out(values: list[float], columns: int) -> None:
    x, y = np.arange(len(values), dtype=np.float32), np.array(values, np.float32)
    kept_x, kept_y = without_crowd(x, y, columns)
    assert (kept_x[0], kept_x[-1]) == (x[0], x[-1])
    assert (kept_y.min(), kept_y.max()) == (y.min(), y.max())
    assert (np.diff(kept_x) > 0).all()
    assert len(kept_x) <= max(3 * columns, 2 * columns + 3 * columns)


def test_dots_are_rings_and_many_of_them_leave_their_curve_to_be_seen(show) -> None:
    few, many = (
        Series("", X, np.zeros_like(X), tuple((20 * n / count, 0.0) for n in range(count))) for count in (5, 400)
    )
    view = show(lines(few))
    image, place = picture(view), at(view, 4, 0)
    assert image.pixelColor(place).name() == LIGHT.card
    assert across(image, place).sum() > 3
    view.show_figure(figure_of(lines(many)))
    assert across(picture(view), at(view, 4, 0)).sum() < 3


def test_a_point_far_outside_does_no_harm(show) -> None:
    y = np.zeros_like(X)
    y[200] = 1e30
    view = show(lines(Series("far", X, y)))
    assert across(picture(view), at(view, 4, 0)).sum() > 1


# --- Names, marks and titles -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("width", [300, 700, 1200])
def test_curves_are_named_outside_the_data_and_lines_lead_to_the_names(show, width: int) -> None:
    series = [Series(f"dim {n}", X, np.sin(X / (n + 1)).astype(np.float32)) for n in range(4)]
    view = show(lines(*series, marks=MARKS), size=(width, 360))
    room = room_of(view)
    names = [one for one in writing(view) if one.text.startswith("d") and one.box.left() > room.right()]
    assert len(names) == 4
    boxes = sorted((one.box for one in names), key=lambda box: box.top())
    assert all(after.top() >= before.bottom() - 1 for before, after in itertools.pairwise(boxes))
    image = picture(view)
    for one in names:
        column = [image.pixelColor(round(one.box.left()) - 6, y).name() for y in range(image.height())]
        assert set(column) - {LIGHT.card}


@pytest.mark.parametrize("width", [240, 330, 700, 1200])
def test_words_of_marks_stand_above_the_curves_and_do_not_touch(show, width: int) -> None:
    view = show(lines(flat("a", 0), marks=MARKS, y="bias"), size=(width, 300))
    top = room_of(view).top()
    above = [one for one in writing(view) if one.text and one.box.center().y() < top and one.text != "1"]
    assert {"bias", "sat", "sentence ends"} == {one.text for one in above}
    for number, one in enumerate(above):
        assert one.box.bottom() <= room_of(view).top() + 1
        assert not any(one.box.adjusted(1, 1, -1, -1).intersects(other.box) for other in above[:number])


def test_no_axis_is_called_value(show) -> None:
    assert "value" not in {one.text for one in writing(show(lines(flat("a", 0))))}


@pytest.mark.parametrize("x", [1.0, 5.0, 19.5])
def test_a_mark_without_room_above_is_named_beside_its_line(show, x: float) -> None:
    marks = (VerticalMark(x - 0.1, "mat", "focus"), VerticalMark(x, "sentence ends", "end"))
    upper, lower = replace(lines(flat("a", 0), marks=marks), shares_x=True), lines(flat("b", 0))
    view = show(upper, lower)
    boxes = {one.text: one.box for one in writing(view) if one.text in ("mat", "sentence ends")}
    assert boxes.keys() == {"mat", "sentence ends"}
    inside = [box for box in boxes.values() if box.top() >= room_of(view).top() - 1]
    assert len(inside) == 1
    assert inside[0].left() >= room_of(view).left()
    assert inside[0].right() <= room_of(view).right()
    assert not inside[0].left() < at(view, x, 0).x() < inside[0].right()


def test_a_dot_at_the_edge_is_whole(show) -> None:
    dots = tuple((float(at), 1.1) for at in range(0, 20, 4))
    view = show(lines(Series("a", X, np.full_like(X, 1.1), dots)))
    image, top = picture(view), at(view, 4, 1.1)
    assert image.pixelColor(top - QPoint(0, 3)).name() != LIGHT.card
    assert image.pixelColor(top + QPoint(0, 3)).name() != LIGHT.card


def test_zooming_out_shows_the_curves_beyond_the_part_that_is_seen_first(show) -> None:
    view = show(replace(lines(flat("a", 0.5)), seen=(5.0, 10.0)))
    (panel,) = view.panel_views()
    (low, high), _ = panel.vb.viewRange()
    assert (low, high) == (pytest.approx(5, abs=0.2), pytest.approx(10, abs=0.2))
    assert high < 10.2
    for _ in range(30):
        QTest.keyClick(view, Qt.Key.Key_Minus)
    (low, high), _ = panel.vb.viewRange()
    assert low < 0
    assert high > 20
    view.viewport.reset()
    assert panel.vb.viewRange()[0] == [pytest.approx(5, abs=0.2), pytest.approx(10, abs=0.2)]
    paper = drawn(replace(lines(Series("a", X, np.sin(X))), seen=(5.0, 10.0))).curves[0]
    assert len(paper.xs) < len(drawn(lines(Series("a", X, np.sin(X)))).curves[0].xs) / 2


@pytest.mark.parametrize("mark", MARKS)
def test_a_mark_hides_no_curve(show, mark: VerticalMark) -> None:
    view = show(lines(flat("", 0.5), marks=(mark,)))
    image, place = picture(view), at(view, mark.x, 0.5)
    assert any(is_near(image.pixelColor(place - QPoint(0, up)), LIGHT.curves[1], 4) for up in (0, 1))


@pytest.mark.parametrize("title", ["position", "offset m − n, earlier at the right"])
def test_the_title_of_x_stands_at_its_end(show, title: str) -> None:
    view = show(lines(flat("dim 0", 0), x=title))
    (word,) = (one for one in writing(view) if one.text == title)
    assert word.box.right() >= room_of(view).right() - 1
    numbers = [one for one in writing(view, side_of(view, "bottom")) if one.text != title]
    assert not any(word.box.intersects(one.box) for one in numbers)


def test_values_of_bars_are_titled_at_the_end_of_their_axis(show) -> None:
    values = (BarSeries("", np.array([1.0, 0.5], np.float32)),)
    view = show(Bars("", "weight", Axis("query", "", labels=("a", "b")), values, 0.0, 1.0))
    (word,) = (one for one in writing(view) if one.text == "weight")
    assert word.box.right() == pytest.approx(room_of(view).right(), abs=2)
    assert word.box.top() >= room_of(view).bottom()


# --- Beside the pointer ----------------------------------------------------------------------------------------------------


def hint_of(view: FigureView) -> Hint:
    return view.findChild(Hint)


@pytest.fixture
def every_move():
    """Moves that come faster than a hand's count, too."""
    rate = pg.getConfigOption("mouseRateLimit")
    pg.setConfigOption("mouseRateLimit", -1)
    yield
    pg.setConfigOption("mouseRateLimit", rate)


@pytest.mark.usefixtures("every_move")
def test_the_value_stands_beside_the_pointer_inside_the_view_and_never_under_it(show) -> None:
    view = show(lines(Series("<b>wave</b>", X, np.sin(X).astype(np.float32))), size=(420, 300))
    hint, viewport = hint_of(view), graphics_of(view).viewport()
    assert not hint.isVisible()
    for x in (0, 3, 10, 20):
        for y in (-1.0, 0.0, 1.0):
            place = at(view, x, y)
            QTest.mouseMove(viewport, place)
            pointer = viewport.mapTo(view, place)
            assert hint.isVisible()
            assert view.rect().contains(hint.geometry())
            assert not hint.geometry().adjusted(-4, -4, 4, 4).contains(pointer)
            assert hint.lines()[:2] == [f"position {x}", "<b>wave</b>"]
            assert hint.lines()[2].startswith("value ")
    wide = max(map(measured(caption()), hint.lines()))
    assert hint.width() >= wide + 8
    edge = hint.grab().toImage().copy(hint.width() - 5, 2, 4, hint.height() - 4)
    seen = {edge.pixelColor(x, y).name() for x in range(4) for y in range(edge.height())}
    assert seen == {LIGHT.card}, "nothing is cut"
    ground = hint.grab().toImage().pixelColor(3, 3)
    assert ground == QColor(LIGHT.card)
    view.set_colours(DARK)
    assert hint.grab().toImage().pixelColor(3, 3) == QColor(DARK.card)
    QApplication.sendEvent(viewport, QEvent(QEvent.Type.Leave))
    assert not hint.isVisible()


@pytest.mark.usefixtures("every_move")
def test_the_value_beside_a_pointer_that_rests_follows_the_figure(show) -> None:
    def figure(value: float) -> Figure:
        rows, columns = (Axis(role, role) for role in ("query", "key"))
        return figure_of(Heatmap("", "weight", np.full((2, 2), value, np.float32), rows, columns, 0.0, 1.0))

    view = show(*figure(0.25).panels)
    QTest.mouseMove(graphics_of(view).viewport(), at(view, 1, 0))
    assert hint_of(view).lines() == ["query 0", "key 1", "weight 0.25"]
    view.show_figure(figure(0.5))
    picture(view)
    assert hint_of(view).lines() == ["query 0", "key 1", "weight 0.5"]
    QTest.mouseMove(graphics_of(view).viewport(), QPoint(2, 2))
    assert not hint_of(view).isVisible()


@pytest.mark.usefixtures("every_move")
def test_beside_curves_that_are_zoomed_what_is_out_of_sight_is_not_read(show) -> None:
    view = show(lines(flat("one", 0.5)))
    view.panel_views()[0].vb.scaleBy(x=0.2)
    for place, is_read in (
        (at(view, 10, 0.5), True),
        (QPoint(round(room_of(view).left()) - 8, at(view, 10, 0.5).y()), False),
    ):
        QTest.mouseMove(graphics_of(view).viewport(), place)
        assert hint_of(view).isVisible() == is_read


@pytest.mark.usefixtures("every_move")
def test_what_is_pointed_at_is_told_anew_where_cells_move_under_a_pointer_that_rests(show) -> None:
    def tokens(count: int) -> Heatmap:
        rows, columns = (Axis(role, role) for role in ("query", "key"))
        return Heatmap("", "weight", np.zeros((count, count), np.float32), rows, columns, 0.0, 1.0)

    view = show(tokens(2), size=(300, 300))
    place = at(view, 1, 1)
    QTest.mouseMove(graphics_of(view).viewport(), place)
    told: list[Pointer] = []
    view.pointed.connect(lambda pointer, _words: told.append(pointer))
    view.show_figure(figure_of(tokens(9)))
    picture(view)
    seen = view.panel_views()[0].at(graphics_of(view).mapToScene(place))
    column, row = map(round, seen)
    assert row > 2
    assert hint_of(view).lines() == [f"query {row}", f"key {column}", "weight 0"]
    assert told[-1] == Pointer((("query", row), ("key", column)))


def test_names_at_the_top_leave_a_long_quantity_alone(show) -> None:
    curves = lines(flat("attention alone", 9), flat("with RoPE", 9), y="share of its first influence")
    boxes = [one.box.adjusted(0, 2, 0, -2) for one in writing(show(curves, size=(190, 220)))]
    assert not any(one.intersects(other) for n, one in enumerate(boxes) for other in boxes[:n])
