"""Figures as data: what they refuse, how they are read aloud, and what a pointer stands for."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from posenc_gui import render
from posenc_gui.figure.axis import NOWHERE, Axis, Pointer
from posenc_gui.figure.caption_parts import SEEDED, CaptionPart, fit_caption, join_caption
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panels import Heatmap, Lines, Note, Series, VerticalMark
from posenc_gui.figure.ranges import symmetric_range
from posenc_gui.foundation.wording import format_number

ROWS = Axis("query", "query", 10, ("the", "cat"), focus=11, twins=frozenset({10}))
COLUMNS = Axis("key", "key", 20, ("on", "the", "mat"))
VALUES = np.array([[0.1, 0.2, 0.3], [0.4, 0.5, 0.123456]], np.float32)
MASK = np.array([[False, False, True], [False, False, False]])
MAP = Heatmap("RoPE", "probability", VALUES, ROWS, COLUMNS, 0, 1, mask=MASK)
CURVE = Series("dim 0", np.array([5, 6, 7], np.float32), np.array([0, 1, -1], np.float32))
FLAT = Series("dim 1", np.array([5, 6, 7], np.float32), np.array([-0.5, -0.5, -0.5], np.float32))
LINES = Lines("Waves", "value", (CURVE, FLAT), Axis("position", "position", 5, ("cat",)), -1, 1)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_numbers_that_are_not_finite_are_refused(value: float) -> None:
    bad = np.array([[value]], np.float32)
    with pytest.raises(ValueError, match="not finite"):
        Heatmap("", "", bad, Axis("query", ""), Axis("key", ""), 0, 1)
    with pytest.raises(ValueError, match="not finite"):
        Lines("", "", (Series("a", bad[0], np.zeros(1, np.float32)),), Axis("position", ""), 0, 1)
    with pytest.raises(ValueError, match="not finite"):
        Lines("", "", (Series("a", np.zeros(1, np.float32), bad[0]),), Axis("position", ""), 0, 1)


@pytest.mark.parametrize("limits", [(1, 1), (2, 1), (math.nan, 1), (0, math.nan), (0, math.inf), (-math.inf, 0)])
def test_a_range_is_finite_and_not_empty(limits: tuple[float, float]) -> None:
    for panel in (MAP, LINES):
        with pytest.raises(ValueError, match="low < high"):
            dataclasses.replace(panel, low=limits[0], high=limits[1])


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (3,), (1, 1, 1)])
def test_a_map_has_rows_and_columns(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="at least one row and one column"):
        Heatmap("", "", np.zeros(shape, np.float32), Axis("query", ""), Axis("key", ""), 0, 1)


def test_masks_labels_and_curves_fit_what_they_belong_to() -> None:
    with pytest.raises(ValueError, match="the mask has shape"):
        dataclasses.replace(MAP, mask=MASK.T)
    with pytest.raises(ValueError, match="1 labels for 2 cells"):
        dataclasses.replace(MAP, rows=Axis("query", "", labels=("the",)))
    with pytest.raises(ValueError, match="at least one series"):
        dataclasses.replace(LINES, series=())
    for x, y in ((np.zeros(2), np.zeros(3)), (np.zeros(0), np.zeros(0)), (np.zeros((1, 1)), np.zeros((1, 1)))):
        with pytest.raises(ValueError, match="series 'a' has x"):
            dataclasses.replace(LINES, series=(Series("a", x.astype(np.float32), y.astype(np.float32)),))


@pytest.mark.parametrize(
    ("x", "y", "words"),
    [
        (20, 10, "query the (10) · key on (20) · probability 0.1"),
        (21.4, 11.4, "query cat (11) · key the (21) · probability 0.5"),
        (22, 11, "query cat (11) · key mat (22) · probability 0.1235"),
        (22, 10, "query the (10) · key mat (22) · masked"),
        (22.6, 10, ""),
        (19.4, 10, ""),
        (20, 9.4, ""),
        (20, 11.6, ""),
        (-1, -1, ""),
    ],
)
def test_a_cell_of_a_map_is_read_in_words(x: float, y: float, words: str) -> None:
    assert MAP.read(x, y) == words


@pytest.mark.parametrize(
    ("x", "y", "words"),
    [
        (5, 0.3, "position cat (5) · dim 0 · value 0"),
        (6.2, 0.8, "position 6 · dim 0 · value 1"),
        (6, -2, "position 6 · dim 1 · value −0.5"),
        (7.4, -1, "position 7 · dim 0 · value −1"),
        (4.4, 0, ""),
        (7.6, 0, ""),
    ],
)
def test_the_nearest_curve_is_read_in_words(x: float, y: float, words: str) -> None:
    assert LINES.read(x, y) == words


@given(st.integers(-5, 5), st.integers(-10, 10))
def test_axes_name_coordinates_by_token_label_or_number(first: int, coordinate: int) -> None:
    labels = ("a", "b")
    inside = 0 <= coordinate - first < 2
    label = labels[coordinate - first] if inside else ""
    tokens = Axis("key", "key", first, labels).name(coordinate)
    columns = Axis("pair", "", first, labels).name(coordinate)
    assert tokens == (f"key {label} ({coordinate})" if inside else f"key {coordinate}")
    assert columns == (label if inside else f"pair {coordinate}")
    assert Axis("offset", "").name(coordinate) == f"offset {coordinate}"


@given(st.integers(0, 99), st.integers(0, 99))
def test_a_point_says_what_it_can_about_other_axes(query: int, key: int) -> None:
    pointer = Heatmap("", "", np.zeros((1, 1), np.float32), Axis("query", ""), Axis("key", ""), 0, 1).pointer(
        key, query
    )
    assert (pointer.along("query"), pointer.along("key")) == (query, key)
    assert pointer.along("offset") == query - key
    assert pointer.along("position") == query
    assert pointer.along("dimension") is None
    at_position = LINES.pointer(query, 0.5)
    assert [at_position.along(role) for role in ("position", "query", "key")] == [query] * 3
    assert at_position.along("offset") is None
    assert Pointer((("dimension", 3),)).along("query") is None
    assert NOWHERE.along("position") is None


@given(st.floats(-1e30, 1e30, allow_subnormal=False))
def test_numbers_are_read_with_four_digits_and_a_real_minus(value: float) -> None:
    words = format_number(value)
    assert "-" not in words
    assert float(words.replace("−", "-").replace(",", "")) == pytest.approx(value, rel=1e-3)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (0.0, "0"),
        (-0.0, "0"),
        (1.0, "1"),
        (-0.25, "−0.25"),
        (1e-7, "1e−7"),
        (1234.5, "1,234"),
        (123456.0, "123,456"),
        (1.12e6, "1,120,000"),
        (1e9, "1,000,000,000"),
        (-1.5e12, "−1.5e12"),
    ],
)
def test_numbers_as_they_are_read(value: float, words: str) -> None:
    assert format_number(value) == words


@given(st.lists(st.lists(st.floats(-(2.0**100), 2.0**100, width=32), max_size=5), max_size=3))
def test_a_symmetric_range_is_centred_on_zero_holds_all_and_is_never_empty(values: list[list[float]]) -> None:
    low, high = symmetric_range(*(np.array(one, np.float32) for one in values))
    assert low == -high < high
    largest = max((abs(value) for one in values for value in one), default=0)
    assert high == (largest or 1)


FIGURE = Figure(
    "test", "Test", (MAP, dataclasses.replace(LINES, marks=(VerticalMark(6, "the", "focus"),)), Note("Why."))
)


@pytest.mark.parametrize("name", ["figure.bmp", "figure", "figure.", ".png", "figure.svg.exe"])
def test_a_suffix_that_nothing_writes_is_refused_with_those_that_are_written(tmp_path: Path, name: str) -> None:
    with pytest.raises(ValueError, match="allowed are") as refusal:
        FIGURE.save(tmp_path / name)
    assert name in str(refusal.value)
    assert all(suffix in str(refusal.value) for suffix in render.suffixes())
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
@pytest.mark.parametrize("suffix", render.suffixes())
@pytest.mark.parametrize("shout", [str.lower, str.upper], ids=["lower", "upper"])
def test_each_suffix_writes_one_file_which_is_the_same_in_capitals(
    tmp_path: Path, suffix: str, shout: Callable[[str], str]
) -> None:
    path = tmp_path / f"figure{shout(suffix)}"
    assert FIGURE.save(str(path)) == path
    assert list(tmp_path.iterdir()) == [path]
    assert path.read_bytes() == FIGURE.save(tmp_path / f"other{suffix}").read_bytes()


@pytest.mark.parametrize("suffix", render.suffixes())
def test_a_place_that_is_not_there_is_an_os_error(tmp_path: Path, suffix: str) -> None:
    with pytest.raises(FileNotFoundError):
        FIGURE.save(tmp_path / "nowhere" / f"figure{suffix}")
    assert not list(tmp_path.iterdir())


def test_a_caption_loses_whole_parts_from_its_end_and_the_toy_model_last() -> None:
    parts = (
        SEEDED,
        CaptionPart("rows: queries"),
        CaptionPart("one head"),
        CaptionPart("the same in both: sentence, order, toy model (seeded weights)", "held"),
    )
    whole, seeded = join_caption(parts), SEEDED.text
    assert fit_caption(parts, len(whole), len) == whole
    assert fit_caption(parts, len(whole) - 1, len) == f"rows: queries · one head · {seeded}"
    assert fit_caption(parts, len(f"rows: queries · {seeded}"), len) == f"rows: queries · {seeded}"
    assert fit_caption(parts, 1, len) == seeded
    assert fit_caption(parts[1:2], 1, len) == "rows: queries"
