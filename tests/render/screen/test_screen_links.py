"""Links on the screen: beside maps and alone, pointed at, followed with the keyboard."""

from __future__ import annotations

from itertools import cycle, islice

import numpy as np
import pytest
from eyes import Written, at, graphics_of, picture, press, room_of, side_of, told, writing
from panels import HARD, a_map, figure_of, links
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

import posenc_gui as pe
from posenc_gui.figure.axis import NOWHERE, Pointer
from posenc_gui.figure.panels import Heatmap
from posenc_gui.foundation.theme import DARK, LIGHT
from posenc_gui.render.screen import FigureView

THEMES = {"light": LIGHT, "dark": DARK}
LEFT = Qt.MouseButton.LeftButton
ABCD = tuple("abcd")
MODEL = pe.ToyModel(d_model=16)


def eye(labels: tuple[str, ...] = ABCD, **scale: float) -> Heatmap:
    return a_map(np.eye(len(labels)), labels, **scale)


def labels_drawn(view: FigureView, panel: int = 0) -> list[Written]:
    return writing(view, room_of(view, panel))


def heads(view: FigureView) -> list[str]:
    return [one.text for one in writing(view, side_of(view, "top"))]


def test_both_columns_name_their_tokens_at_their_heights(show) -> None:
    view = show(links(ABCD))
    drawn = labels_drawn(view)
    assert [one.text for one in drawn] == [*"abcd", *"dcba"]
    heights = [at(view, 0, row).y() for row in range(4)]
    assert [one.box.center().y() for one in drawn] == pytest.approx(heights * 2, abs=1)
    assert all(one.box.right() < 450 for one in drawn[:4])
    assert all(one.box.left() > 450 for one in drawn[4:])
    assert heads(view) == ["typed", "model"]


@pytest.mark.parametrize(("breadth", "expected"), [(900, ["position", "position"]), (420, [])])
def test_both_columns_are_named_whole_or_neither(show, breadth: int, expected: list[str]) -> None:
    figure = pe.plot("equivariance", pe.Session(text="the cat sat on the mat", model=MODEL))
    view = show(*figure.panels, size=(breadth, 300))
    above = [one.text for one in writing(view, side_of(view, "top", 1))]
    assert above == expected


def test_the_token_in_focus_and_twins_have_their_colours(show) -> None:
    colours = THEMES["light"]
    inks = {(one.text, one.ink) for one in labels_drawn(show(links(ABCD, focus=2)))}
    assert {("c", colours.focus), ("a", colours.twin), ("b", colours.ink)} <= inks


@pytest.mark.slow
@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("count", [1, 6, 64, 512])
def test_any_words_and_number_of_tokens_are_drawn_as_plain_text_without_overlap(show, count: int, theme: str) -> None:
    labels = tuple(islice(cycle(HARD), count))
    for panels in ((links(labels),), (eye(labels), links(labels), eye(labels))):
        view = show(*panels, colours=THEMES[theme], size=(520, 300))
        drawn = labels_drawn(view, len(panels) // 2)
        assert drawn
        assert not any("\n" in one.text or "\t" in one.text for one in drawn)
        boxes = [one.box.adjusted(0.1, 0.1, -0.1, -0.1) for one in drawn]
        assert not any(a.intersects(b) for n, a in enumerate(boxes) for b in boxes[:n])
    if count == 6:
        assert "<b>bold</b>" in [one.text for one in labels_drawn(show(links(labels)))]


def test_letters_of_another_font_may_be_higher_and_still_no_label_overlaps(show) -> None:
    """Chinese or Thai comes from a font with higher lines than the application's, as on most desktops."""
    view = show(links(("位置编码", "ไทย") * 6))
    for height in range(220, 300, 2):
        view.resize(520, height)
        boxes = [one.box.adjusted(0.1, 0.1, -0.1, -0.1) for one in labels_drawn(view)]
        assert boxes
        assert not any(one.intersects(other) for n, one in enumerate(boxes) for other in boxes[:n])


def test_the_token_in_focus_is_named_among_hundreds(show) -> None:
    labels = tuple(f"word{n}" for n in range(512))
    drawn = labels_drawn(show(links(labels, focus=0)))
    assert "word0" in [one.text for one in drawn]
    assert len(drawn) < 80


@pytest.mark.parametrize("count", [2, 6, 64])
def test_rows_of_maps_and_tokens_between_them_stand_at_the_same_heights(show, count: int) -> None:
    labels = tuple(f"word{n}" for n in range(count))
    view = show(eye(labels), links(labels), eye(labels))
    view.panel_views()[0].vb.scaleBy((0.7, 0.7))
    picture(view)
    for row in (count // 3, count - 1 - count // 3):
        heights = [at(view, 0, row, panel).y() for panel in range(3)]
        assert max(heights) - min(heights) <= 1


def test_short_words_are_whole_between_maps_in_a_small_window(show) -> None:
    session = pe.Session(text="John loves Mary", plots={"equivariance": {"show": "outputs"}}, model=MODEL)
    view = show(*pe.plot("equivariance", session).panels, size=(552, 330))
    assert {one.text for one in labels_drawn(view, 1)} == {"john", "loves", "mary"}


def test_links_are_narrower_than_maps_which_are_equal_and_share_a_bar_of_colours(show) -> None:
    view = show(eye(high=3.0), links(ABCD), eye(high=3.0))
    first, between, last = (panel.vb.width() for panel in view.panel_views())
    assert first == pytest.approx(last, abs=2)
    assert between < first
    (bar,) = view.colour_bars()
    assert (bar.placed.bar.low, bar.placed.bar.high) == pytest.approx((0.0, 3.0))


def test_maps_of_different_ranges_have_a_bar_of_colours_each_and_share_one_when_they_agree_again(show) -> None:
    view = show(eye(high=3.0), eye(low=-1.0, high=1.0))
    first, second = view.colour_bars()
    assert (first.placed.bar.low, first.placed.bar.high) == pytest.approx((0.0, 3.0))
    assert (second.placed.bar.low, second.placed.bar.high) == pytest.approx((-1.0, 1.0))
    left, right = (panel.sceneBoundingRect() for panel in view.panel_views())
    assert left.right() <= first.sceneBoundingRect().left() < right.left()
    assert right.right() <= second.sceneBoundingRect().left()
    view.show_figure(figure_of(eye(), eye()))
    picture(view)
    (bar,) = view.colour_bars()
    assert bar.sceneBoundingRect().left() >= view.panel_views()[1].sceneBoundingRect().right()


def test_the_mouse_reads_a_line_at_both_of_its_ends_and_clicks_it(show) -> None:
    view = show(links(ABCD, first=10))
    words, clicked = told(view), []
    view.clicked.connect(clicked.append)
    for x, y in ((0.1, 10), (0.9, 13)):
        QTest.mouseMove(graphics_of(view).viewport(), at(view, x, y))
        QTest.mouseClick(graphics_of(view).viewport(), LEFT, pos=at(view, x, y))
    assert words[0] == words[-1]
    assert words[0] == "other position a (10) → position a (13) · places moved 3"
    assert clicked == [Pointer((("other position", 10), ("position", 13)))] * 2


def test_the_pointer_brings_out_its_line(show) -> None:
    view = show(links(ABCD))
    before = picture(view)
    for pointer in (Pointer((("other position", 1),)), Pointer((("position", 2),)), Pointer((("query", 2),))):
        view.show_pointer(pointer)
        marked = picture(view)
        place = at(view, 0.1, 1)
        assert THEMES["light"].ink in [marked.pixelColor(place + QPoint(0, dy)).name() for dy in range(-3, 4)]
        assert marked != before
        view.show_pointer(NOWHERE)
        assert picture(view) == before
    view.show_pointer(Pointer((("other position", 99),)))
    assert picture(view) == before


def test_arrow_keys_go_along_a_column_and_follow_a_line_into_the_next_panel(show) -> None:
    view = show(links(ABCD), eye())
    words = told(view)
    press(view, "Down Down Right Down Right")
    begun = [text.split(" → ")[0] for text in words]
    assert begun[:4] == ["other position a (0)", "other position b (1)", "other position b (1)", "other position a (0)"]
    assert words[4] == "query a (0) · key a (0) · probability 1"


def test_no_key_leads_out_of_the_columns(show) -> None:
    view = show(links(ABCD))
    words = told(view)
    press(view, "Up Up Left")
    assert words == ["other position a (0) → position a (3) · places moved 3"] * 3
