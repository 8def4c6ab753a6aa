"""Layout shared by all outputs: ticks, text in little room, label placement, colours."""

from __future__ import annotations

import math
import unicodedata
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from posenc_gui.figure.axis import Axis
from posenc_gui.figure.panels import Heatmap
from posenc_gui.figure.runs import Run
from posenc_gui.foundation.contrast import mixed
from posenc_gui.foundation.unicode_text import split_graphemes
from posenc_gui.foundation.wording import quote
from posenc_gui.render.layout.colour_bars import colour_bars, level_labels, tips, upright_labels
from posenc_gui.render.layout.label_placement import (
    apart,
    every,
    levels,
    log_ticks,
    round_ticks,
    thinned,
    ticks,
    ticks_that_fit,
)
from posenc_gui.render.layout.text_fit import (
    elided,
    elided_before_number,
    from_where_they_differ,
    shared_widths,
    visible,
    wrapped,
    wrapped_runs,
)
from posenc_gui.render.layout.type_sizes import Face

WORDS = st.text(st.sampled_from("ab ñ位置🙂👩‍👧ل\n\t"), max_size=40)
RANGES = st.tuples(st.floats(-1e6, 1e6), st.floats(1e-3, 1e6)).map(lambda one: (one[0], one[0] + one[1]))


def measure(text: str) -> float:
    """Ten a letter."""
    return 10.0 * len(text)


# --- Ticks ----------------------------------------------------------------------------------------------------------


@given(RANGES, st.integers(1, 20), st.booleans())
def test_ticks_are_few_round_and_within_the_axis(ends: tuple[float, float], most: int, whole: bool) -> None:
    low, high = ends
    found = round_ticks(low, high, most, whole)
    slack = 1e-6 * (high - low)
    assert len(found) <= most + 1 or len(found) <= 4  # two at least, which a smaller step may make four
    assert len(found) >= min(2, most)
    assert all(low - slack <= tick <= high + slack for tick in found)
    steps = [after - at for at, after in pairwise(found)]
    assert steps == pytest.approx([steps[0]] * len(steps), rel=1e-3)
    digits = steps[0] / 10.0 ** math.floor(math.log10(steps[0]) + 1e-9)
    assert min(abs(digits - round_) for round_ in (1, 2, 2.5, 5, 10)) < 1e-2
    if whole and math.floor(high) > math.ceil(low):
        assert all(tick == round(tick) for tick in found)


@given(st.floats(1e-6, 1e3), st.floats(1.5, 1e9), st.integers(2, 12))
def test_powers_of_ten_are_few_and_within_the_axis(low: float, factor: float, most: int) -> None:
    found = log_ticks(low, low * factor, most)
    assert len(found) <= most + 3
    assert all(low * (1 - 1e-6) <= tick <= low * factor * (1 + 1e-6) for tick in found)
    if factor > 10.0**most:
        assert all(math.log10(tick) == pytest.approx(round(math.log10(tick))) for tick in found)


@given(RANGES, st.integers(1, 8))
def test_a_tick_says_where_it_stands(ends: tuple[float, float], most: int) -> None:
    low, high = ends
    found = ticks(low, high, most)
    for tick, text in found:
        assert float(text.replace("−", "-").replace(",", "")) == pytest.approx(tick, abs=1e-2 * (high - low) / most)
    assert len({text for _, text in found}) == len(found)


def test_a_tick_between_two_hundredths_is_not_rounded() -> None:
    assert [text for _, text in ticks(1.02, 1.1, 4)] == ["1.02", "1.04", "1.06", "1.08", "1.1"]
    assert [text for _, text in ticks(1.0, 1.1, 4)] == ["1", "1.025", "1.05", "1.075", "1.1"]


def test_ticks_are_written_as_numbers_are() -> None:
    assert [text for _, text in ticks(-2.5e-7, 2.5e-7, 2)] == ["−2.5e−7", "0", "2.5e−7"]
    assert [text for _, text in ticks(1e7, 2e7, 1)] == ["1e7", "2e7"]


def test_many_powers_of_ten_stand_alone() -> None:
    assert log_ticks(1, 1e6, 40) == [10.0**power for power in range(7)]
    assert log_ticks(1, 100, 10) == [1, 2, 5, 10, 20, 50, 100]


@given(RANGES, st.integers(1, 8), st.floats(1, 500))
def test_ticks_side_by_side_never_touch(ends: tuple[float, float], most: int, room: float) -> None:
    low, high = ends
    found = ticks_that_fit(low, high, most, room, 5, measure)
    assert found
    for (at, text), (after, other) in pairwise(found):
        assert (after - at) / (high - low) * room >= (measure(text) + measure(other)) / 2 + 5 - 1e-6


# --- Words ----------------------------------------------------------------------------------------------------------


@given(WORDS, st.floats(10, 400))
def test_a_word_is_whole_or_loses_its_middle(text: str, room: float) -> None:
    shown = elided(text, room, measure)
    if measure(text) <= room:
        assert shown == text
    else:
        first, _, last = shown.partition("…")
        assert text.startswith(first)
        assert text.endswith(last)
        assert measure(shown) <= room or len(split_graphemes(first)) == 1


def test_no_letter_is_cut_in_two() -> None:
    family, flag = "👩‍👩‍👧", "🇨🇭"
    shown = elided(f"{family}{flag}" * 20, 200, measure)
    first, _, last = shown.partition("…")
    assert (first.replace(family, "").replace(flag, ""), last.replace(family, "").replace(flag, "")) == ("", "")


@given(WORDS, st.floats(20, 400), st.integers(1, 6))
def test_lines_hold_the_words_in_order(text: str, room: float, most: int) -> None:
    lines = wrapped(text, room, most, measure)
    assert len(lines) <= most
    kept, whole = "".join("".join(lines).split()), "".join(text.split())
    assert kept == whole or (kept.endswith("…") and whole.startswith(kept[:-1]))
    assert all("\n" not in line for line in lines)


@given(st.lists(st.floats(1, 300), min_size=1, max_size=8), st.floats(10, 500))
def test_columns_fill_their_room_and_none_is_wider_than_it_wants(wanted: list[float], room: float) -> None:
    shares = shared_widths(wanted, room, least=0)
    assert all(share <= want + 1e-6 for share, want in zip(shares, wanted, strict=True))
    assert sum(shares) == pytest.approx(min(room, sum(wanted)))


@given(st.text())
def test_what_is_visible_is_one_line_of_characters_that_a_file_may_hold(text: str) -> None:
    shown = visible(text)
    assert len(shown) == len(text)
    assert len(shown.splitlines()) <= 1
    shown.encode("utf-8")
    assert not {unicodedata.bidirectional(sign) for sign in shown} & {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI"}


def test_what_is_isolated_stays_so_and_a_name_turns_no_line_around() -> None:
    assert visible(quote("سلام")) == quote("سلام")
    assert visible("gpj.\u202eexe\u200f\x1b") == "gpj.\ufffdexe\ufffd␛"


# --- Labels ---------------------------------------------------------------------------------------------------------


@given(st.integers(-50, 2000), st.integers(1, 600), st.floats(0.01, 50), st.floats(1, 40), st.data())
def test_labels_have_the_room_they_need_and_those_that_must_come_first(
    first: int, count: int, pitch: float, need: float, data: st.DataObject
) -> None:
    coordinates = range(first, first + count)
    must = data.draw(st.sampled_from(coordinates))
    top, bottom = (first - 0.5) * pitch + need / 2, (first + count) * pitch - need / 2
    assume(top < bottom)
    for place in (None, lambda at: min(max(at * pitch, top), bottom)):
        shown = thinned(coordinates, pitch, need, (must, 99_999), place)
        assert must in shown
        assert set(shown) <= set(coordinates)
        places = [at * pitch if place is None else place(at) for at in shown]
        assert all(after - at >= need * (1 - 1e-5) - 1e-9 for at, after in pairwise(places))
    if pitch >= need:
        assert thinned(coordinates, pitch, need, (must,)) == list(coordinates)


@given(st.lists(st.floats(0, 100), max_size=12), st.floats(1, 20))
def test_places_keep_apart_in_their_order_and_inside_where_they_can(wanted: list[float], pitch: float) -> None:
    places = apart(wanted, pitch, 0, 100)
    order = sorted(range(len(wanted)), key=wanted.__getitem__)
    assert all(places[b] - places[a] >= pitch - 1e-6 for a, b in pairwise(order))
    if (len(wanted) - 1) * pitch <= 100:
        assert all(-1e-6 <= place <= 100 + 1e-6 for place in places)
    if all(wanted[b] - wanted[a] >= pitch for a, b in pairwise(order)):
        assert places == pytest.approx(wanted)


@given(st.lists(st.tuples(st.floats(0, 100), st.floats(0, 40)), max_size=10), st.integers(1, 4))
def test_spans_on_one_level_never_touch(spans: list[tuple[float, float]], most: int) -> None:
    ends = sorted((start, start + width) for start, width in spans)
    found = levels(ends, most, gap=2)
    for level in range(most):
        shown = [span for span, on in zip(ends, found, strict=True) if on == level]
        assert all(after[0] >= span[1] + 2 for span, after in pairwise(shown))
    assert not ends or found[0] == 0


@given(st.integers(0, 500), st.floats(1, 30), st.floats(1, 600))
def test_of_many_names_as_many_are_shown_as_have_lines(count: int, pitch: float, room: float) -> None:
    shown = every(count, pitch, room)
    assert len(shown) <= max(1, int(room / pitch))
    assert len(shown) == count or len(shown) < room / pitch + 1
    assert set(shown) <= set(range(count))


# --- Colours --------------------------------------------------------------------------------------------------------


def test_mixing_goes_from_the_ground_to_the_colour() -> None:
    assert [mixed("#ff8000", "#001020", share) for share in (0, 0.5, 1)] == ["#001020", "#804810", "#ff8000"]


def test_maps_share_a_bar_of_colours_where_scale_and_range_are_equal() -> None:
    axis, values = Axis("query", ""), np.zeros((1, 1), dtype=np.float32)
    one, same, wider = (Heatmap("", "probability", values, axis, axis, 0, high) for high in (1, 1, 2))
    signed = Heatmap("", "score", values, axis, axis, 0, 1, "diverging")
    names = {panel: bar.name for panel, bar in colour_bars((one, wider, same, signed)).items()}
    assert names == {same: "probability", wider: "probability", signed: "score"}


@pytest.mark.parametrize(
    ("values", "low", "high", "beyond", "ends"),
    [
        ((0.0, 0.1), 0.0, 0.1, ("", ""), {"0", "0.1"}),
        ((0.0, 0.5), 0.0, 0.1, ("", "to 0.5"), {"0", "0.1"}),
        ((0.0, 0.1304), 0.0, 0.13, ("", "to 0.1304"), {"0", "0.13"}),
        ((-3.0, 0.5), -1.0, 1.0, ("to −3", ""), {"−1", "0", "1"}),
    ],
)
def test_a_bar_of_colours_ends_in_a_tip_with_the_number_that_lies_farthest_beyond(
    values, low, high, beyond, ends
) -> None:
    axis, numbers = Axis("query", ""), np.array([values], dtype=np.float32)
    masked = replace(Heatmap("", "score", numbers, axis, axis, low, high), mask=np.ones((1, 2), dtype=bool))
    first, last = replace(masked, mask=None), Heatmap("", "score", 0 * numbers, axis, axis, low, high)
    bar = colour_bars((first, last))[last]
    assert bar.beyond == beyond
    assert ends <= {text for _, text in bar.ticks(5)}
    assert colour_bars((masked,))[masked].beyond == ("", "")


@pytest.mark.parametrize("values", [(-1.0, 1.0), (-3.0, 7.0)])
@pytest.mark.parametrize("length", [30.0, 100.0, 200.0, 600.0])
def test_a_bar_names_its_ends_where_words_have_room_and_no_label_covers_another(values, length) -> None:
    axis, numbers = Axis("query", ""), np.array([values], dtype=np.float32)
    face = Face(10.0, lambda text: 6.0 * len(text))
    ends = ("A gives more", "B gives more")
    panel = Heatmap("B − A", "B − A", numbers, axis, axis, -1.0, 1.0, "diverging", ends=ends)
    bar = colour_bars((panel,))[panel]
    below, above = tips(bar, length, 10.0, face, upright=True)
    upright = upright_labels(bar, length - below - above, face)
    assert {label.text for label in upright if label.kind == "high"} == (
        {"B gives", "more"} if length >= 100 else set()
    )
    heights = sorted(label.at for label in upright)
    assert all(after - at >= face.line - 1e-6 for at, after in pairwise(heights))
    room = tips(bar, length, 10.0, face, upright=False)
    level = level_labels(bar, length - sum(room), room, face)
    assert {label.text for label in level if label.kind in ("low", "high")} == ({*ends} if length >= 200 else set())
    spans = sorted((label.at - 3 * len(label.text), label.at + 3 * len(label.text)) for label in level)
    assert all(after >= end for (_, end), (after, _) in pairwise(spans))


def test_a_bar_of_logarithms_says_so() -> None:
    axis, values = Axis("query", ""), np.full((1, 1), 0.1, dtype=np.float32)
    (bar,) = colour_bars((Heatmap("", "probability", values, axis, axis, 1e-4, 1.0, log=True),)).values()
    assert bar.name == "probability, log"


@pytest.mark.parametrize("word", ["x" * 150, "x" * 3000, "猫" * 900, "e\u0301" * 500])
def test_a_long_word_is_measured_a_few_times_a_line(word: str) -> None:
    measured: list[str] = []

    def measure(text: str) -> float:
        measured.append(text)
        return len(text)

    lines = wrapped(word, 100, 50, measure)
    assert "".join(lines) == word
    assert all(len(line) <= 100 for line in lines)
    assert len(measured) <= 16 * len(lines)


# --- Sentences of runs ----------------------------------------------------------------------------------------------


@given(st.lists(st.builds(Run, WORDS, st.sampled_from(["plain", "focus", "twin"])), max_size=6), RANGES)
def test_each_letter_of_a_broken_sentence_keeps_its_kind(runs: list[Run], room: tuple[float, float]) -> None:
    lines = wrapped_runs(runs, room[1], 100, measure)
    assert ["".join(run.text for run in line) for line in lines] == wrapped(
        "".join(run.text for run in runs), room[1], 100, measure
    )

    def kinds(pieces: list[Run]) -> list[tuple[str, str]]:
        return [(letter, run.kind) for run in pieces for letter in run.text if not letter.isspace()]

    assert [kind for line in lines for kind in kinds(line)] == kinds(runs)
    assert all(one.kind != after.kind for line in lines for one, after in pairwise(line))


def test_a_number_stands_on_the_line_of_the_word_before_it() -> None:
    told = [Run("gives both "), Run("the", "twin"), Run(" "), Run("0.09", "number"), Run(" and "), Run("0.1", "number")]
    lines = wrapped_runs(told, 15 * 10, 4, measure)
    assert ["".join(run.text for run in line) for line in lines] == ["gives both", "the 0.09", "and 0.1"]
    assert lines[1][-1] == Run("0.09", "number")


def test_what_a_cut_sentence_ends_in_is_plain() -> None:
    (line,) = wrapped_runs([Run("one two"), Run(" three", "number")], 70, 1, measure)
    assert line == [Run("one two…")] or line == [Run("one two"), Run("…", "number")]


@pytest.mark.parametrize(
    ("texts", "told"),
    [
        (["the cat sat, A", "the cat sat, B", "the mat sat, A"], ["… cat sat, A", "… cat sat, B", "… mat sat, A"]),
        (["cat", "mat"], ["cat", "mat"]),
        (["the cat", "the"], ["the cat", "the"]),
    ],
)
def test_texts_that_begin_alike_are_cut_where_they_differ(texts: list[str], told: list[str]) -> None:
    assert from_where_they_differ(texts) == told


@pytest.mark.parametrize(
    ("room", "shown"), [(14, "base 1,000,000"), (12, "b… 1,000,000"), (9, "1,000,000"), (8, "base…000")]
)
def test_a_number_at_the_end_is_kept_whole_as_long_as_it_has_room(room: int, shown: str) -> None:
    assert elided_before_number("base 1,000,000", room, len) == shown
