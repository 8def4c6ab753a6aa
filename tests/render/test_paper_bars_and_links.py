"""Bars, links between two orders, and curves on a logarithmic scale, on paper."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np
import pytest
from matplotlib.collections import PolyCollection
from matplotlib.colors import to_hex
from matplotlib.lines import Line2D
from matplotlib.text import Text

from posenc_gui.figure import Axis, Bars, BarSeries, Figure, Heatmap, Lines, Links, Note, Panel, Series, VerticalMark
from posenc_gui.render import paper
from posenc_gui.render.paper.layout import draw_figure, rows_of
from posenc_gui.render.paper.page import ACCENT, HEIGHT, MARGIN, TWIN, WIDTH, Page
from posenc_gui.render.paper.words import side_by_side, width_of

TOKENS = ("The", "cat", "sat", "on", "the", "mat")
HOSTILE = ("$x$", "$\\frac{", "<b>", "=HYPERLINK(1)", "السلام", "位置编码", "🙂👍🏽", "a" * 300, "\x00\x1b\n", "")


def bars(
    labels: tuple[str, ...] = TOKENS, count: int = 1, low: float = 0.0, names: str = "series", title: str = "Accuracy"
) -> Bars:
    series = tuple(
        BarSeries(f"{names} {index}", np.linspace(low, 1 - index / 8, len(labels), dtype=np.float32))
        for index in range(count)
    )
    return Bars(title, "share", Axis("encoding", "encoding", 0, labels), series, low, 1)


def links(labels: tuple[str, ...] = TOKENS, first: int = 0, title: str = "Moved") -> Links:
    """Each token goes to where the last was, the second to where the last but one was, and so on."""
    count = len(labels)
    ends = tuple((first + at, first + count - 1 - at) for at in range(count))
    values = np.array([abs(left - right) for left, right in ends], dtype=np.float32)
    left, right = Axis("other position", "typed", first, labels), Axis("position", "model", first, labels[::-1])
    return Links(title, "places moved", left, right, ends, values, max(1, count - 1))


def attention(labels: tuple[str, ...] = TOKENS, first: int = 0) -> Heatmap:
    values = np.zeros((len(labels), len(labels)), dtype=np.float32)
    return Heatmap("Map", "probability", values, Axis("query", "query", first, labels), Axis("key", ""), 0, 1)


def curves(low: float = 1e-6, high: float = 1.0, mark: str = "sentence ends") -> Lines:
    x = np.arange(20, dtype=np.float32)
    y = np.geomspace(high, low, 20).astype(np.float32)
    y = np.clip(y, np.float32(low), np.float32(high))
    marks = (VerticalMark(5.5, mark, "end"), VerticalMark(2, mark, "focus"))
    dots = ((0.0, high),)
    return Lines(
        "Distance", "distance", (Series("RoPE", x, y, dots),), Axis("position", "position"), low, high, marks, True
    )


def figure(*panels: Panel) -> Figure:
    return Figure("figure", "Title", panels, caption="caption")


def drawn(*panels: Panel) -> Page:
    page = Page(HEIGHT)
    draw_figure(page, figure(*panels), rows_of(panels))
    return page


def texts(page: Page, words: str) -> list[Text]:
    """All texts of these words, from left to right."""
    return sorted((text for text in page.paper.texts if text.get_text() == words), key=lambda text: text.get_position())


def height_of(page: Page, words: str) -> float:
    (text,) = texts(page, words)
    return float(text.get_position()[1])


def slanted(page: Page) -> list[Line2D]:
    """The lines of links, from the left column to the right."""
    lines = [line for line in page.paper.get_children() if isinstance(line, Line2D)]
    return [line for line in lines if len(set(line.get_ydata())) == 2 and len(set(line.get_xdata())) == 2]


def ticks(page: Page) -> dict[str, float]:
    """The words at the left of curves, from the lowest, with their heights."""
    labels = [text for text in page.paper.texts if text.get_ha() == "right" and text.get_rotation() == 0]
    found = {text.get_text(): float(text.get_position()[1]) for text in labels}
    return dict(sorted(found.items(), key=lambda one: one[1]))


PANELS: dict[str, tuple[Panel, ...]] = {
    **{
        f"{count} bars of {series}": (bars(tuple(f"name {number}" for number in range(count)), series, -0.5),)
        for count in (1, 6, 10, 64, 512)
        for series in (1, 3)
    },
    **{f"{count} links": (links(tuple(f"w{number}" for number in range(count))),) for count in (1, 6, 64, 512)},
    **{
        f"maps and {count} links": (attention(("w",) * count), links(("w",) * count), attention(("w",) * count))
        for count in (1, 6, 64, 512)
    },
    "log": (curves(),),
    "all kinds": (attention(), links(), bars(count=2), curves(), Note("Nothing"), links(("a", "b")), bars(), curves()),
    "hostile": (bars(HOSTILE, 3, title="$x$"), links(HOSTILE, title="$x$"), attention(HOSTILE)),
}


@pytest.mark.parametrize("suffix", paper.SUFFIXES)
@pytest.mark.parametrize("panels", PANELS.values(), ids=PANELS.keys())
def test_bars_and_links_become_files_that_are_always_the_same(
    panels: tuple[Panel, ...], suffix: str, tmp_path: Path
) -> None:
    first, second = tmp_path / f"first{suffix}", tmp_path / f"second{suffix}"
    paper.write(figure(*panels), first)
    paper.write(figure(*panels), second)
    assert first.read_bytes() == second.read_bytes()
    if suffix == ".svg":
        ElementTree.parse(first)


@pytest.mark.filterwarnings("ignore:Glyph")
@pytest.mark.parametrize("panels", PANELS.values(), ids=PANELS.keys())
def test_all_words_stand_on_the_slide(panels: tuple[Panel, ...]) -> None:
    for text in drawn(*panels).paper.texts:
        x, y = text.get_position()
        assert 0 <= y <= HEIGHT + 2 * len(panels) * MARGIN
        if text.get_rotation() == 0:
            width = width_of(text.get_text(), text.get_fontsize(), str(text.get_fontweight()))
            left = x - width * {"left": 0.0, "center": 0.5, "right": 1.0}[text.get_ha()]
            assert left >= 0
            assert left + width <= WIDTH


def test_words_on_bars_and_links_are_data(tmp_path: Path) -> None:
    for panel in (bars(HOSTILE, 2), links(HOSTILE)):
        paper.write(figure(panel), tmp_path / "figure.svg")
        ElementTree.parse(tmp_path / "figure.svg")
        written = (tmp_path / "figure.svg").read_text(encoding="utf-8")
        assert "<!-- $x$ -->" in written
        assert "<!-- &lt;b&gt; -->" in written


def test_categories_stand_from_top_to_bottom_and_the_quantity_below_them() -> None:
    page = drawn(bars())
    heights = [height_of(page, token) for token in TOKENS]
    assert heights == sorted(heights, reverse=True)
    assert height_of(page, "share") < heights[-1]


def test_every_bar_begins_at_zero_and_is_as_long_as_its_value() -> None:
    values = np.array([-0.5, 0.25, 1.0, 0.0], dtype=np.float32)
    axis = Axis("encoding", "", 0, ("a", "b", "c", "d"))
    page = drawn(Bars("", "share", axis, (BarSeries("", values),), -0.5, 1))
    (boxes,) = (artist for artist in page.paper.get_children() if isinstance(artist, PolyCollection))
    extents = [path.get_extents() for path in boxes.get_paths()]
    zero, unit = extents[2].x0, extents[2].width
    starts = [extent.x1 if value < 0 else extent.x0 for extent, value in zip(extents, values, strict=True)]
    assert starts == pytest.approx([zero] * 4)
    assert [extent.width / unit for extent in extents] == pytest.approx(np.abs(values).tolist())
    assert extents[0].x1 == pytest.approx(zero)


def test_numbers_stand_at_the_bars_ends_where_they_have_room() -> None:
    page = drawn(bars(("first", "last"), low=-0.5))
    assert height_of(page, "−0.5") < HEIGHT
    assert height_of(page, "first") == pytest.approx(height_of(page, "−0.5"), abs=1)
    numbers = {text.get_text() for text in drawn(bars(("w",) * 512)).paper.texts}
    assert "0.501" not in numbers


@pytest.mark.parametrize("largest", [1, 2, 3, 5, 9])
def test_bars_that_count_have_whole_numbers_below(largest: int) -> None:
    values = np.array([largest, 0, 1], dtype=np.float32)
    page = drawn(Bars("", "learners", Axis("stage", "", 0, ("a", "b", "c")), (BarSeries("", values),), 0, largest))
    below = [text.get_text() for text in page.paper.texts if text.get_va() == "top" and text.get_ha() == "center"]
    assert below[0] == "0"
    assert len(below) > 1
    assert all(text.isdigit() for text in below)


def test_the_longest_names_are_shortened_first() -> None:
    short, long = side_by_side(("without", "with a very long name " * 9), 200, 10)
    assert short == "without"
    assert "…" in long
    assert width_of(short, 10) + width_of(long, 10) <= 200


def test_several_series_are_named_once_each_and_one_is_not() -> None:
    page = drawn(bars(count=3))
    assert [len(texts(page, f"series {index}")) for index in range(3)] == [1, 1, 1]
    assert not texts(drawn(bars()), "series 0")


def test_a_category_in_focus_and_twins_are_marked_and_named_among_hundreds() -> None:
    labels = tuple(f"w{number}" for number in range(512))
    axis = Axis("position", "position", labels=labels, focus=137, twins=frozenset({400}))
    page = drawn(Bars("", "share", axis, (BarSeries("", np.ones(512, dtype=np.float32)),), 0, 1))
    assert texts(page, "w137")[0].get_color() == ACCENT
    assert texts(page, "w400")[0].get_color() == TWIN
    assert not texts(page, "w138")


def test_a_value_outside_the_range_is_drawn_to_its_edge_and_keeps_its_number() -> None:
    page = drawn(Bars("", "share", Axis("encoding", "", 0, ("a",)), (BarSeries("", np.float32([7.0])),), 0, 1))
    ((x, _),) = (text.get_position() for text in texts(page, "7"))
    assert x < WIDTH - MARGIN


@pytest.mark.parametrize("first", [0, 1000])
def test_tokens_of_links_stand_where_the_maps_rows_do(first: int) -> None:
    page = drawn(attention(first=first), links(first=first), attention(first=first))
    for token in TOKENS:
        first_row, left, _, last_row = (text.get_position()[1] for text in texts(page, token))
        assert left == pytest.approx(first_row)
        assert left == pytest.approx(last_row)


def test_links_join_their_tokens_and_the_largest_is_thick_and_last() -> None:
    page = drawn(links())
    lines = slanted(page)
    joined = {(line.get_ydata()[0], line.get_ydata()[1]) for line in lines}
    left = {token: texts(page, token)[0].get_position()[1] for token in TOKENS}
    right = {token: texts(page, token)[1].get_position()[1] for token in TOKENS}
    assert joined == {(left[token], right[token]) for token in TOKENS}
    widths = [line.get_linewidth() for line in lines]
    assert widths == sorted(widths)
    assert widths[-1] > 2 * widths[0]
    assert to_hex(lines[-1].get_color()) == ACCENT


def test_links_say_what_their_width_means() -> None:
    page = drawn(links())
    assert texts(page, "places moved")
    assert texts(page, "5")


def test_links_leave_most_of_the_room_to_the_maps() -> None:
    page = drawn(attention(), links(), attention())
    (left_map, right_map) = page.paper.axes[0], page.paper.axes[1]
    map_width = left_map.get_position().width * WIDTH
    xs = slanted(page)[0].get_xdata()
    assert xs[1] - xs[0] < 0.6 * map_width
    assert right_map.get_position().height == pytest.approx(left_map.get_position().height)


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (1e-6, 1.0, ["10⁻⁶", "10⁻⁵", "10⁻⁴", "10⁻³", "10⁻²", "10⁻¹", "10⁰"]),
        (0.01, 1000.0, ["0.01", "0.1", "1", "10", "100", "1000"]),
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
    curve = page.paper.axes[0].lines[0]
    assert np.diff(curve.get_ydata()) == pytest.approx(np.full(19, np.diff(curve.get_ydata())[0]), rel=1e-4)
    assert curve.get_ydata()[0] == pytest.approx(heights[-1])
    assert texts(page, "RoPE")


@pytest.mark.parametrize(("low", "high"), [(1e-45, 3e38), (1.1, 1.4), (1e6, np.nextafter(1e6, 2e6)), (5e-324, 1e308)])
def test_any_logarithmic_range_can_be_drawn(low: float, high: float, tmp_path: Path) -> None:
    y = np.array([1.0], dtype=np.float32)
    panel = Lines("", "value", (Series("one", y, y),), Axis("offset", "offset"), low, high, log=True)
    paper.write(figure(panel), tmp_path / "figure.svg")
    ElementTree.parse(tmp_path / "figure.svg")
