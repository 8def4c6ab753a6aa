"""Maps on the screen: square cells of one size, numbers, labels, frames and bars of colours, at every pixel ratio."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from eyes import graphics_of, picture, ratio_picture, room_of, side_of, writing
from panels import a_map, figure_of
from PySide6.QtCore import QRect
from PySide6.QtGui import QColor, QFontMetricsF, QImage, QPainter
from PySide6.QtWidgets import QGraphicsScene

import posenc_gui as pe
from posenc_gui.figure.axis import Axis, Pointer
from posenc_gui.figure.panels import Heatmap
from posenc_gui.foundation.theme import BODY, CAPTION, DARK, LIGHT
from posenc_gui.render.layout.colour_bars import Bar
from posenc_gui.render.layout.composition import PlacedBar
from posenc_gui.render.layout.rect import Rect
from posenc_gui.render.screen import FigureView
from posenc_gui.render.screen.fonts import font_of
from posenc_gui.render.screen.parts_item import ColourBar

SIZES = ((900, 420), (500, 600), (1280, 300), (330, 250))
HARD = {
    "words": ("the", "cat", "sat", "on", "the", "mat"),
    "Chinese": tuple("我爱北京天安门上太阳升"),
    "emoji": ("👩‍👩‍👧", "🎉", "🐱", "🚀", "🌍", "🎈"),
    "Arabic": ("القطة", "جلست", "على", "السجادة"),
    "long": ("Donaudampfschifffahrtsgesellschaftskapitän", "a", "b", "c", "d", "e"),
}


def square(
    labels: tuple[str, ...] = (), *, count: int = 0, focus: int | None = None, seed: int = 0, title: str = "a map"
) -> Heatmap:
    """A map of queries and keys."""
    count = count or len(labels)
    values = np.random.default_rng(seed).random((count, count), dtype=np.float32)
    return a_map(values, labels, focus=focus, title=title, quantity="weight")


def by_dimension(rows: int, columns: int, title: str = "") -> Heatmap:
    values = np.zeros((rows, columns), np.float32)
    return Heatmap(title, "value", values, Axis("position", ""), Axis("dimension", ""), -1.0, 1.0, "diverging")


def cells(view: FigureView) -> list[tuple[float, float]]:
    """The width and the height of a cell of each map."""
    sizes = []
    for number, one in enumerate(view.panel_views()):
        rows, columns = one.shown.values.shape
        room = room_of(view, number)
        sizes.append((room.width() / columns, room.height() / rows))
    return sizes


# --- Cells --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("count", [1, 6, 64])
def test_cells_are_of_one_size_at_most_twice_as_broad_as_high_and_as_large_as_the_card_allows(
    show, count: int, size: tuple[int, int]
) -> None:
    names = tuple(f"w{n}" for n in range(count))
    view = show(square(names), square(names, seed=1), size=size)
    sizes = cells(view)
    for width, height in sizes:
        assert 0.98 / 1.5 <= width / height <= 2 * 1.02
        assert (width, height) == pytest.approx(sizes[0], abs=0.1)
    room, side = room_of(view, 1), sizes[0][0]
    lacks_height = room.bottom() + count >= size[1] - 12 or room.bottom() + 0.04 * size[1] > size[1]
    lacks_width = view.colour_bars()[0].sceneBoundingRect().right() + 2 * count >= size[0] - 16
    assert lacks_height or lacks_width or side >= 80


def test_maps_of_other_sides_use_the_whole_height(show) -> None:
    view = show(by_dimension(6, 64), by_dimension(6, 64))
    assert room_of(view, 1).bottom() > 400
    assert len({round(width, 1) for width, _ in cells(view)}) == 1


def test_equal_columns_and_rows_have_a_bar_under_their_names(show) -> None:
    view = show(replace(square(HARD["words"]), equal=frozenset({0, 4})))
    room, image = room_of(view), picture(view)
    across, down = room.width() / 6, room.height() / 6
    above = [
        image.pixelColor(round(room.left() + (at + 0.5) * across), round(room.top() - 3)).name() for at in range(6)
    ]
    beside = [image.pixelColor(round(room.left() - 3), round(room.top() + (at + 0.5) * down)).name() for at in range(6)]
    for side in (above, beside):
        assert [colour == LIGHT.twin for colour in side] == [True, False, False, False, True, False]


def test_cells_that_are_large_stand_apart(show) -> None:
    view = show(square(HARD["words"]))
    room, image = room_of(view), picture(view)
    side = room.width() / 6
    seen = {
        image.pixelColor(round(room.left() + side + dx), round(room.center().y() + side / 2)).name() for dx in (-1, 0)
    }
    assert LIGHT.card in seen


@pytest.mark.parametrize("size", SIZES)
def test_the_bar_of_colours_is_as_high_or_as_broad_as_all_cells_and_named(show, size: tuple[int, int]) -> None:
    view = show(square(HARD["words"]), square(HARD["words"]), size=size)
    (bar,) = view.colour_bars()
    picture(view)
    place, first, last = bar.placed.colours, room_of(view, 0), room_of(view, 1)
    if place.height > place.width:
        assert (place.top, place.bottom) == pytest.approx((first.top(), last.bottom()), abs=1)
    else:
        assert (place.left, place.right) == pytest.approx((first.left(), last.right()), abs=1)
    beside = {one.text for one in writing(view, bar.sceneBoundingRect())}
    assert "weight" in beside
    assert {"0", "1"} <= beside


@pytest.mark.parametrize("upright", [True, False])
def test_a_bar_repaints_every_word_that_it_paints_also_where_it_has_little_room(qtbot, upright: bool) -> None:
    scene = QGraphicsScene(-200, -200, 600, 600)
    bar = ColourBar(LIGHT)
    scene.addItem(bar)
    room = Rect(0, 0, 12, 120) if upright else Rect(0, 0, 120, 12)
    shown = Bar("score", -0.5, 0.5, log=False, below=-12.75, above=12.75)
    bar.show_bar("diverging", PlacedBar(shown, room, room, upright=upright))
    image = QImage(600, 600, QImage.Format.Format_RGB32)
    image.fill(QColor(LIGHT.card))
    painter = QPainter(image)
    scene.render(painter)
    painter.fillRect(bar.sceneBoundingRect().translated(200, 200).toAlignedRect(), QColor(LIGHT.card))
    painter.end()
    assert ink(image, image.rect()) == 0


# --- Numbers ------------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_numbers_are_of_body_size_where_the_longest_of_all_maps_leaves_4_at_each_side_else_small_else_none(
    show,
) -> None:
    short, long = square(HARD["words"]), square(HARD["words"], seed=1)
    long.values[2, 3] = -1.5  # one number of all that is longer
    view, seen = show(short, long), set()
    airs = (BODY, 8), (CAPTION, 8), (CAPTION, 5)  # the last one is for what is written briefly, as "−1.50" is anyway
    for width in range(270, 900, 15):
        view.resize(width, 500)
        picture(view)
        numbers = writing(view, room_of(view, 0)) + writing(view, room_of(view, 1))
        cell = cells(view)[0][0]
        wide = [(QFontMetricsF(font_of(size)).horizontalAdvance("−1.50"), air) for size, air in airs]
        fitting = [width for width, air in wide if width + air <= cell]
        assert len(numbers) == (72 if fitting else 0)
        for one in numbers:
            if one.text == "−1.50":
                assert one.box.width() == pytest.approx(fitting[0], abs=1.5)
        seen.add(len(fitting))
    assert seen == {0, 1, 2, 3}


def test_the_name_of_a_bar_is_broken_only_where_that_leaves_more_room(show) -> None:
    maps = [replace(square(HARD["words"]), quantity=quantity) for quantity in ("B − A", "very long quantity")]
    seen = [
        {one.text for one in writing(view, view.colour_bars()[0].sceneBoundingRect())}
        for view in (show(one) for one in maps)
    ]
    assert "B − A" in seen[0]
    assert {"very long", "quantity"} <= seen[1] or {"very", "long quantity"} <= seen[1]


def ink(image: QImage, place: QRect) -> float:
    """The share of a place that is not its ground."""
    ratio = image.devicePixelRatio()
    rect = QRect(*(round(side * ratio) for side in (place.x(), place.y(), place.width(), place.height())))
    seen = image.copy(rect).convertToFormat(QImage.Format.Format_Grayscale8)
    grey = np.frombuffer(seen.constBits(), np.uint8).reshape(seen.height(), -1)[:, : seen.width()].astype(float)
    values, counts = np.unique(grey, return_counts=True)
    ground = values[counts.argmax()]
    return float(np.abs(grey - ground).mean())


@pytest.mark.parametrize("ratio", [1.25, 1.5, 1.75, 2.0])
def test_numbers_and_frames_look_the_same_at_every_pixel_ratio(show, ratio: float) -> None:
    view = show(square(HARD["words"], focus=2))
    corner = graphics_of(view).mapTo(view, room_of(view).toAlignedRect().topLeft())
    side = room_of(view).width() / 6
    inside = QRect(round(corner.x() + 4), round(corner.y() + 4), round(side - 8), round(side - 8))
    once = ink(ratio_picture(view, 1.0), inside)
    assert once > 3
    assert ink(ratio_picture(view, ratio), inside) == pytest.approx(once, rel=0.2)


# --- Frames -------------------------------------------------------------------------------------------------------------


def test_the_hovered_cell_is_framed_and_nothing_in_it_changes(show) -> None:
    view = show(square(HARD["words"]))
    room, before = room_of(view), picture(view)
    side = room.width() / 6
    cell = QRect(round(room.left() + side) + 2, round(room.top() + 3 * side) + 2, int(side) - 4, int(side) - 4)
    view.show_pointer(Pointer((("query", 3), ("key", 1))))
    after = picture(view)
    assert after != before
    assert after.copy(cell) == before.copy(cell)
    row = QRect(round(room.left()), cell.center().y(), int(side) - 4, 1)  # no line through the row's other numbers
    assert after.copy(row) == before.copy(row)


@pytest.mark.parametrize("count", [6, 95, 512])
def test_the_frame_of_the_row_in_focus_hides_nothing_of_it(show, count: int) -> None:
    focus = count // 3
    plain, framed = (picture(show(square(count=count, focus=at))) for at in (None, focus))
    view = show(square(count=count, focus=focus))
    assert plain != framed
    room = room_of(view)
    pitch = room.height() / count
    top, bottom = room.top() + focus * pitch, room.top() + (focus + 1) * pitch
    row = QRect(round(room.left()), int(np.ceil(top)), int(room.width()) - 1, max(1, int(bottom) - int(np.ceil(top))))
    assert plain.copy(row) == framed.copy(row)


# --- Labels and titles --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", HARD)
@pytest.mark.parametrize("size", [(900, 420), (640, 420)])
def test_every_column_is_named_where_it_has_room(show, kind: str, size: tuple[int, int]) -> None:
    labels = HARD[kind]
    view = show(square(labels, focus=1), square(labels, focus=1), size=size)
    assert cells(view)[0][0] >= 16
    picture(view)
    top = max(side_of(view, "top", panel).bottom() for panel in range(2))
    assert len([one for one in writing(view) if one.box.center().y() < top and one.text != "a map"]) >= 2 * len(labels)


# Beside the end of many columns there is less room than half a wide label takes, and how wide it is depends on the font.
@pytest.mark.slow
@pytest.mark.parametrize(("count", "edge"), [(64, 0), (512, 16)])
def test_the_column_in_focus_has_its_number_among_many(show, count: int, edge: int) -> None:
    labels = tuple(f"{'我爱北京'[n % 4]}{n}" for n in range(count))
    for focus in (edge, count // 2 + 1, count - 1 - edge):
        view = show(square(labels, focus=focus), square(labels, focus=focus), size=(760, 380))
        for panel in range(2):
            named = {one.text: one.ink for one in writing(view, side_of(view, "top", panel))}
            assert named[str(focus)] == LIGHT.focus


@pytest.mark.slow
@pytest.mark.parametrize("columns", [10, 16, 64, 128, 1000])
def test_numbers_of_neighbouring_maps_can_not_be_read_as_one(show, columns: int) -> None:
    for width in (420, 700, 1100):
        view = show(*(by_dimension(6, columns) for _ in range(3)), size=(width, 300))
        tops = [sorted(writing(view, side_of(view, "top", one)), key=lambda word: word.box.left()) for one in range(3)]
        for before, after in itertools.pairwise(itertools.chain(*tops)):
            is_below = after.box.top() > before.box.bottom()
            assert is_below or after.box.left() - before.box.right() >= 3


def test_titles_begin_at_their_maps_after_other_texts_and_another_theme(show) -> None:
    view = show(square(HARD["words"], title="one"), square(HARD["words"], title="two"))

    def check() -> None:
        for panel, title in enumerate(("one", "two")):
            (word,) = (one for one in writing(view) if one.text == title)
            assert word.box.left() == pytest.approx(room_of(view, panel).left(), abs=1)

    check()
    for labels in (HARD["long"], tuple(f"word{n}" for n in range(64)), HARD["words"]):
        view.show_figure(figure_of(square(labels, title="one"), square(labels, title="two")))
        check()
    view.set_colours(DARK)
    check()
    assert picture(view).pixelColor(2, 2) == QColor(DARK.card)


def test_rows_are_named_once_where_maps_share_them_and_again_where_they_differ(show) -> None:
    words, turned = HARD["words"], HARD["words"][::-1]
    same, other = show(square(words), square(words)), show(square(words), square(turned))
    for view, named in ((same, 0), (other, 6)):
        assert len(writing(view, side_of(view, "left", 0))) == 6
        assert len(writing(view, side_of(view, "left", 1))) == named
    same.show_figure(figure_of(square(words), square(turned)))
    picture(same)
    assert len(writing(same, side_of(same, "left", 1))) == 6


def test_every_plot_of_maps_stays_inside_its_card(show) -> None:
    session = pe.Session(text="The " + "antidisestablishmentarianism" * 3 + " sat on the mat")
    for plot in ("attention", "shift", "equivariance", "meaning"):
        view = show(*pe.plot(plot, session).panels, size=(620, 360))
        right = max(one.box.right() for one in writing(view))
        assert right <= 621, plot
