"""Bars, links between two orders, and curves on a logarithmic scale, on paper."""

from __future__ import annotations

import numpy as np
import pytest
from drawing import Drawing, Shape, drawn
from panels import HOSTILE, TOKENS, attention, bars, links

from posenc_gui.figure.axis import Axis
from posenc_gui.figure.panels import Bars, BarSeries, Lines, Note, Panel, Series, VerticalMark
from posenc_gui.foundation.theme import LIGHT

SERIES = ("series 0", "series 1", "series 2")


def curves(low: float = 1e-6, high: float = 1.0, mark: str = "sentence ends") -> Lines:
    x = np.arange(20, dtype=np.float32)
    y = np.geomspace(high, low, 20).astype(np.float32)
    y = np.clip(y, np.float32(low), np.float32(high))
    marks = (VerticalMark(5.5, mark, "end"), VerticalMark(2, mark, "focus"))
    dots = ((0.0, high),)
    return Lines(
        "Distance", "distance", (Series("RoPE", x, y, dots),), Axis("position", "position"), low, high, marks, True
    )


def height_of(page: Drawing, words: str) -> float:
    (text,) = page.named(words)
    return text.y


def slanted(page: Drawing) -> list[Shape]:
    """The lines of links, from the left column to the right."""
    return [path for path in page.paths if path.fill == "none" and len(path.points) == 4]


def ticks(page: Drawing) -> dict[str, float]:
    """The numbers at the left of curves, from the lowest, with their heights."""
    grid = [line for line in page.lines if len(set(line.ys)) == 1]
    found = {
        text.words: line.ys[0]
        for text in page.texts
        for line in grid
        if not text.upright and 0 < line.xs[0] - text.right < 16 and abs(line.ys[0] - text.y) < 5
    }
    return dict(sorted(found.items(), key=lambda one: one[1]))


PANELS: dict[str, tuple[Panel, ...]] = {
    **{
        f"{count} bars of {series}": (bars([f"name {number}" for number in range(count)], SERIES[:series], -0.5),)
        for count in (1, 6, 10, 64, 512)
        for series in (1, 3)
    },
    **{f"{count} links": (links(tuple(f"w{number}" for number in range(count))),) for count in (1, 6, 64, 512)},
    **{
        f"maps and {count} links": (attention(("w",) * count), links(("w",) * count), attention(("w",) * count))
        for count in (1, 6, 64, 512)
    },
    "log": (curves(),),
    "all kinds": (
        attention(),
        links(),
        bars(names=SERIES[:2]),
        curves(),
        Note("Nothing"),
        links(("a", "b")),
        bars(),
        curves(),
    ),
    "hostile": (bars(HOSTILE, SERIES, title="$x$"), links(HOSTILE, title="$x$"), attention(HOSTILE)),
}


@pytest.mark.slow
@pytest.mark.parametrize("panels", PANELS.values(), ids=PANELS.keys())
def test_all_words_stand_on_the_slide(panels: tuple[Panel, ...]) -> None:
    page = drawn(*panels)
    for text in page.texts:
        assert 0 <= text.y <= page.height
        assert 0 <= text.left <= page.width
        assert text.upright or text.right <= page.width


def test_categories_stand_from_top_to_bottom_and_the_quantity_below_them() -> None:
    page = drawn(bars())
    heights = [height_of(page, token) for token in TOKENS]
    assert heights == sorted(heights, reverse=True)
    assert height_of(page, "share") < heights[-1]


def test_every_bar_begins_at_zero_and_is_as_long_as_its_value() -> None:
    values = np.array([-0.5, 0.25, 1.0, 0.0], dtype=np.float32)
    axis = Axis("encoding", "", 0, ("a", "b", "c", "d"))
    page = drawn(Bars("", "share", axis, (BarSeries("", values),), -0.5, 1))
    bars = [path for path in page.paths if path.fill == LIGHT.curves[1]]
    zero, unit = min(bars[2].xs), max(bars[2].xs) - min(bars[2].xs)
    starts = [max(bar.xs) if value < 0 else min(bar.xs) for bar, value in zip(bars, values, strict=True)]
    assert starts == pytest.approx([zero] * 4)
    assert [(max(bar.xs) - min(bar.xs)) / unit for bar in bars] == pytest.approx(np.abs(values).tolist(), abs=1e-6)


def test_a_category_in_focus_and_twins_are_marked_and_named_among_hundreds() -> None:
    labels = tuple(f"w{number}" for number in range(512))
    axis = Axis("position", "position", labels=labels, focus=137, twins=frozenset({400}))
    page = drawn(Bars("", "share", axis, (BarSeries("", np.ones(512, dtype=np.float32)),), 0, 1))
    assert page.named("137")[0].colour == LIGHT.focus
    assert page.named("400")[0].colour == LIGHT.twin
    assert not page.named("138")


def test_a_value_outside_the_range_is_drawn_to_its_edge_and_keeps_its_number() -> None:
    page = drawn(Bars("", "share", Axis("encoding", "", 0, ("a",)), (BarSeries("", np.float32([7.0])),), 0, 1))
    (text,) = page.named("7")
    assert text.right <= page.width - 22


def test_links_join_their_tokens_and_the_largest_is_thick_and_last() -> None:
    page = drawn(links())
    lines = slanted(page)
    for begins, *_, ends in (line.ys for line in lines):
        (left,) = (token for token in TOKENS if abs(page.named(token)[0].y - begins) < 8)
        (right,) = (token for token in TOKENS if abs(page.named(token)[1].y - ends) < 8)
        assert left == right
    assert len(lines) == len(TOKENS)
    widths = [line.width for line in lines]
    assert widths == sorted(widths)
    assert widths[-1] > 2 * widths[0]
    assert lines[-1].stroke == LIGHT.sequential[-1] != lines[0].stroke


def test_links_say_what_their_width_means() -> None:
    page = drawn(links())
    assert page.named("5 places moved")


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (1e-6, 1.0, ["10⁻⁶", "10⁻⁵", "10⁻⁴", "10⁻³", "10⁻²", "10⁻¹", "10⁰"]),
        (0.01, 1000.0, ["0.01", "0.1", "1", "10", "100", "1,000"]),
        (0.3, 40.0, ["0.5", "1", "2", "5", "10", "20"]),
        (2e-7, 1.5e-6, ["2·10⁻⁷", "5·10⁻⁷", "10⁻⁶"]),
        (1e-30, 1e20, ["10⁻³⁰", "10⁻²⁰", "10⁻¹⁰", "10⁰", "10¹⁰", "10²⁰"]),
    ],
)
def test_a_logarithmic_scale_has_ticks_at_powers_of_ten(low: float, high: float, expected: list[str]) -> None:
    assert list(ticks(drawn(curves(low, high)))) == expected


def test_powers_of_ten_are_equally_far_apart_and_curves_on_them_straight() -> None:
    page = drawn(curves(0.01, 100.0))
    heights = list(ticks(page).values())
    assert np.diff(heights) == pytest.approx([heights[1] - heights[0]] * 4)
    (curve,) = page.curves
    assert np.polyfit(curve.xs, curve.ys, 2)[0] == pytest.approx(0, abs=1e-4)  # straight
    assert curve.ys[0] == pytest.approx(heights[-1])
    assert page.named("RoPE")
