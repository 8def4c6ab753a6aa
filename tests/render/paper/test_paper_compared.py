"""Two encodings beside each other on a slide: everything is said, nothing overlaps, and pictures have room."""

from __future__ import annotations

import itertools
import re
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from drawing import Drawing, Text, drawing, drawn

import posenc_gui as pe
from posenc_gui import encodings
from posenc_gui.figure.axis import Axis
from posenc_gui.figure.compare import compare
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panels import Heatmap, Lines, Series, Table
from posenc_gui.render.export_options import ExportOptions
from posenc_gui.render.paper.format import Format
from posenc_gui.render.paper.heading import height_of
from posenc_gui.render.paper.layout import plan_slides
from posenc_gui.session.sweeps import small_multiples

SESSION = pe.Session(encoding="rope", other="alibi", plots={"why": {"show": "steps"}})
CROWDED = ("equivariance", "shift", "projections", "similarity", "linear_shift", "kernel", "sweep", "recurrence")


@cache
def figure_of(plot: str) -> Figure:
    return pe.plot(plot, SESSION)


def on_slide(figure: Figure, folder: Path, preset: str = "slide") -> Drawing:
    return drawing(figure.save(folder / "figure.svg", preset=preset))


def overlap(one: Text, other: Text) -> bool:
    """True if two level texts overlap."""
    aside = min(one.right, other.right) - max(one.left, other.left)
    above = min(one.y + 0.7 * one.size, other.y + 0.7 * other.size) - max(one.y, other.y)
    return aside > 6 and above > 1  # a sentence's runs end with a space


@pytest.mark.slow
@pytest.mark.most(4)
@pytest.mark.parametrize("plot", CROWDED)
def test_no_words_stand_on_others_and_all_are_on_the_slide(plot: str, tmp_path: Path) -> None:
    page = on_slide(figure_of(plot), tmp_path)
    level = [text for text in page.texts if not text.upright]
    assert not [(one.words, other.words) for one, other in itertools.combinations(level, 2) if overlap(one, other)]
    assert all(text.left >= 0 and text.right <= page.width and text.y >= 0 for text in level)


@pytest.mark.slow
@pytest.mark.parametrize("plot", ["equivariance", "shift", "projections", "sweep"])
def test_the_titles_of_maps_are_told_whole(plot: str, tmp_path: Path) -> None:
    page = on_slide(figure_of(plot), tmp_path)
    maps = [panel for panel in figure_of(plot).panels if isinstance(panel, Heatmap)]
    titles = [panel.title.removesuffix(" · A").removesuffix(" · B") for panel in maps if not panel.difference]
    assert all(map(page.named, titles))


@pytest.mark.parametrize("plot", ["equivariance", "kernel", "linear_shift", "twins", "why"])
def test_a_headline_says_what_it_says_of_both(plot: str, tmp_path: Path) -> None:
    written = "".join(text.words for text in on_slide(figure_of(plot), tmp_path).texts)
    told = "".join(run.text for run in figure_of(plot).headline).replace("A: ", "A").replace("B: ", "B")  # badges
    named = re.sub(r"(?<=\bB)ALiBi: ", "", written)  # unless the sentence says it
    assert told.replace(" ", "") in named.replace(" ", "")


@pytest.mark.parametrize("plot", ["waves", "frequencies", "attention", "twins", "kernel", "requirements"])
def test_a_slide_names_what_is_compared(plot: str, tmp_path: Path) -> None:
    bases = pe.Session(encoding=pe.encoding("rope", base=500_000.0), other=pe.encoding("rope"))
    for session, names in ((bases, ("RoPE", "base 500,000", "base 10,000")), (SESSION, ("RoPE", "ALiBi"))):
        page = on_slide(pe.plot(plot, session), tmp_path)
        above = "\n".join(text.words for text in page.texts if text.size > 12.5)
        assert all(name in above for name in names)


def test_waves_compared_have_a_lane_a_pair_named_with_its_turns(tmp_path: Path) -> None:
    session = pe.Session(encoding=pe.encoding("rope", base=500_000.0), other=pe.encoding("rope"))
    page = on_slide(pe.plot("waves", session), tmp_path)
    words = [text.words for text in page.texts]
    assert [word for word in words if word.startswith("pair ")] == ["pair 0", "pair 1", "pair 2", "pair 3"]
    assert sum(word.endswith("turns") for word in words) == 7  # pair 0 is equal in both and named once
    assert words.count("=") == 1
    assert {word for word in words if word in ("1", "−1", "0.5", "0")} == {"1", "−1", "0"}  # 0 is a position


def test_ends_of_curves_leave_out_what_their_lane_s_title_says(tmp_path: Path) -> None:
    bases = pe.Session(encoding=pe.encoding("rope", base=500_000.0), other=pe.encoding("rope"))
    words = [text.words.strip() for text in on_slide(pe.plot("precision", bases), tmp_path).texts]
    assert {"fp16: error in rad", "fp16: score / |q|²"} < set(words)
    assert not {"fp16", "bf16"} & set(words)


@pytest.mark.slow
def test_lanes_stand_above_other_pictures_and_are_high_enough_to_be_read(tmp_path: Path) -> None:
    page = on_slide(figure_of("kernel"), tmp_path)
    (title,) = (text for text in page.texts if text.words.startswith("RoFormer"))
    lanes = [axis for axis in page.curves if min(axis.ys) > title.y]
    assert len(lanes) >= 4
    assert title.left < page.width / 4


def test_all_encodings_are_named_beside_their_rows_and_bars(tmp_path: Path) -> None:
    page = on_slide(pe.plot("meaning", pe.Session(encoding="rope")), tmp_path)
    names = [cls.title for cls in encodings.classes().values()]
    written = [text.words for text in page.texts]
    assert all(written.count(name) == 2 for name in names)


def test_bars_have_the_height_for_their_names_and_a_table_below_them_gives_way() -> None:
    slide = Format.of(ExportOptions(preset="slide").sheet)
    bars, table = plan_slides(figure_of("twins"), slide)
    (chart,) = bars.panels
    assert bars.free > 15 * len(chart.categories.labels) * 1.5
    assert [type(panel) for panel in table.panels] == [Table]


def test_a_table_that_nobody_would_read_to_the_end_takes_one_slide() -> None:
    session = pe.Session(text="a b c d " * 16, encoding="rope")
    _, table = plan_slides(pe.plot("twins", session), Format.of(ExportOptions(preset="slide").sheet))
    ((grid, _box),) = table.tables
    assert grid.note == f"the first {len(grid.rows)} of {len(grid.panel.rows):,} rows"
    assert grid.rows == tuple(range(len(grid.rows)))


def test_steps_of_one_weight_stand_in_one_table_to_the_last(tmp_path: Path) -> None:
    (table,) = figure_of("why").panels
    assert isinstance(table, Table)
    assert {"q turned", "bias"} & {row[0] for row in table.rows} == {"q turned"}  # no bias at offset 0
    assert on_slide(figure_of("why"), tmp_path).named("weight")


def test_tables_of_nearly_the_same_lines_become_one_with_the_lines_of_both() -> None:
    tables = [
        Table("", ("step", "value"), tuple((step, step * 2) for step in steps), focus=len(steps) - 1)
        for steps in (("x", "q", "turned", "score"), ("x", "q", "bias", "score"))
    ]
    figures = [Figure("table", "Table", (table,)) for table in tables]
    (found,) = compare(figures, ("A: one", "B: other")).panels
    assert isinstance(found, Table)
    assert [row[0] for row in found.rows] == ["x", "q", "bias", "turned", "score"]
    assert found.rows[2:4] == (("bias", "", "biasbias"), ("turned", "turnedturned", ""))
    assert found.focus == 4


def test_the_last_step_of_one_weight_is_on_the_slide_alone_too(tmp_path: Path) -> None:
    assert on_slide(pe.plot("why", pe.Session()), tmp_path).named("weight")


def test_curves_beside_maps_have_room_for_their_names(tmp_path: Path) -> None:
    page = on_slide(pe.plot("recurrence", pe.Session(encoding="rope")), tmp_path)
    assert page.named("recurrent")
    assert page.named("with RoPE")


def test_numbers_along_an_axis_keep_apart() -> None:
    x = np.linspace(0, 131_072, 9, dtype=np.float32)
    lines = Lines("", "y", (Series("a long name", x, x),), Axis("offset", "position"), 0, 131_072)
    page = drawn(lines, lines, lines)
    level = [text for text in page.texts if not text.upright]
    assert not [(one.words, other.words) for one, other in itertools.combinations(level, 2) if overlap(one, other)]


def test_rows_without_room_for_all_names_have_some_and_say_of_what() -> None:
    values = np.zeros((60, 3), dtype=np.float32)
    names = Axis("encoding", "encoding", labels=tuple(f"name{at}" for at in range(60)))
    page = drawn(Heatmap("", "value", values, names, Axis("dimension", "dimension"), 0, 1))
    assert page.named("name0")
    assert not page.named("name1")
    assert page.named("encoding")


def test_each_slide_of_a_deck_names_what_is_compared() -> None:
    """Of Generation, tables go to slides of their own, without the maps whose titles name the sides."""
    session = SESSION.model_copy(update={"other": pe.encoding("rope", base=100.0)})
    slides = plan_slides(pe.plot("generation", session).pictured, Format.of(ExportOptions().sheet))
    assert len(slides) > 1
    for slide in slides:
        told = [run.text for line in slide.heading for run in line.runs] + [panel.title for panel in slide.panels]
        assert {"base 10,000", "base 100"} <= set(re.findall(r"base [\d,]*\d", " ".join(told)))


@pytest.mark.parametrize(
    ("field", "values", "changed"),
    [("base", [50, 200, 800], ["scaling YaRN"]), ("encoding", ["sinusoidal", "rope(base=500)", "alibi"], [])],
)
def test_the_slide_of_a_sweep_marks_what_all_have_changed_not_the_names_of_encodings(field, values, changed) -> None:
    session = pe.Session(encoding=pe.encoding("rope", scaling={"rope_type": "yarn"}))
    (slide,) = plan_slides(small_multiples("waves", session, field, values), Format.of(ExportOptions().sheet))
    assert [run.text.strip() for line in slide.caption for run in line.runs if run.kind == "number"] == changed


def test_tables_of_two_bands_have_their_names_and_their_own_room() -> None:
    both = (("the cat sat on the mat", "rope"), ("the mat sat on the cat", "alibi"))
    rows = [
        pe.plot("row", pe.Session(text=text, encoding=encoding, focus=2, plots={"row": {"show": "numbers"}}))
        for text, encoding in both
    ]
    form = Format.of(ExportOptions().sheet)
    (plan,) = plan_slides(compare(rows, ("Before", "Now"), over_time=True).pictured, form)
    now, before = plan.tables
    assert [grid.panel.title for grid, _ in (before, now)] == ["Before · sat (2), head 0", "Now · sat (2), head 0"]
    assert now[1].top < before[1].bottom
    assert before[1].top <= plan.height - form.margin - height_of(plan.heading)
