"""Attention maps of a view: blocks of a long text, coarse to whole, and each token of what is near."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import posenc_gui as pe
from posenc_gui import plots
from posenc_gui.attention.engine import Engine
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panels import Heatmap
from posenc_gui.plots.sweep import SweepOptions
from posenc_gui.session.evaluate import evaluate

QUANTITIES = ("probabilities", "scores", "position")
LONG = " ".join(f"w{index % 50}" for index in range(700))


def session(text: str = LONG, encoding: str = "rope", causal: bool = False, **options: object) -> pe.Session:
    model = pe.ToyModel(d_model=8, n_heads=2, causal=causal)
    return pe.Session(text=text, encoding=encoding, model=model, plots={"attention": options})


def panel_of(figure: Figure) -> Heatmap:
    panel = figure.panels[-1]
    assert isinstance(panel, Heatmap)
    return panel


@pytest.mark.parametrize("quantity", QUANTITIES)
@pytest.mark.parametrize("causal", [False, True], ids=["open", "causal"])
def test_a_long_text_is_seen_whole_in_blocks(quantity: str, causal: bool) -> None:
    asked = session(causal=causal, quantity=quantity, head=1)
    figure = pe.plot("attention", asked, view=pe.View(pixels=(70, 100)))
    panel = panel_of(figure)
    assert panel.values.shape == (100, 70)
    assert "each cell: the mean of a block of 7 × 10 words" in figure.caption
    assert "on its way" not in figure.caption
    assert panel.rows.labels[:2] == ("0–6", "7–13")
    assert panel.rows.marks[:2] == ("0", "7")  # along the axis there is no room for both ends
    assert panel.read(1, 99).startswith("queries 693–699 · keys 10–19 · mean ")
    whole = getattr(pe.attend(asked), quantity)[1]
    seen = torch.ones(700, 700).tril() if causal else torch.ones(700, 700)
    sums, counts = ((of * seen).view(100, 7, 70, 10).sum((1, 3)) for of in (whole, torch.ones(700, 700)))
    expected = torch.where(counts > 0, sums / counts, 0)
    np.testing.assert_allclose(panel.values, expected, atol=1e-5, rtol=1e-4)
    if causal:
        np.testing.assert_array_equal(panel.mask, counts == 0)


def test_means_of_blocks_that_are_nearly_one_number_have_all_colours_between_them() -> None:
    even = pe.Session(text="a b c", encoding=pe.encoding("rope"), fill="random", fill_to=2000)
    figure = pe.plot("attention", even, view=pe.View(pixels=(50, 50)))
    maps = figure.panels
    values = np.concatenate([panel.values.ravel() for panel in maps])
    ((low, high),) = {(panel.low, panel.high) for panel in maps}
    assert low == values.min()
    assert 0.004 <= (values > high).mean() <= 0.005
    steep = even.changed(encoding=pe.encoding("alibi"))
    assert {panel.low for panel in pe.plot("attention", steep, view=pe.View(pixels=(50, 50))).panels} == {0.0}


def test_the_largest_of_each_block_is_of_all_heads_and_says_so() -> None:
    figure = pe.plot("attention", session(block="maximum"), view=pe.View(pixels=(70, 70)))
    whole = pe.attend(session()).probabilities.view(2, 70, 10, 70, 10).amax((0, 2, 4))
    np.testing.assert_allclose(panel_of(figure).values, whole, rtol=1e-4)
    assert "the largest in a block of 10 × 10 words and of all heads" in figure.caption


@settings(max_examples=6)
@given(data=st.data(), quantity=st.sampled_from(QUANTITIES))
def test_what_is_near_is_exact_token_by_token(data: st.DataObject, quantity: str) -> None:
    asked = session(text=" ".join(LONG.split()[:60]), quantity=quantity)
    starts = [data.draw(st.integers(0, 50)) for _ in range(2)]
    rows, columns = (range(start, start + data.draw(st.integers(1, 20))) for start in starts)
    figure = pe.plot("attention", asked, view=pe.View(rows, columns, (40, 40)))
    panel = panel_of(figure)
    inside = slice(rows.start, min(60, rows.stop)), slice(columns.start, min(60, columns.stop))
    assert panel.rows.labels == asked.tokens[inside[0]]
    assert panel.columns.first == columns.start
    whole = getattr(pe.attend(asked), quantity).mean(0)[inside]
    np.testing.assert_allclose(panel.values, whole, atol=1e-5, rtol=1e-4)
    assert "each cell" not in figure.caption


@pytest.mark.parametrize("head", [None, 1])
def test_it_comes_coarse_first_then_from_the_top_and_is_exact_at_once_where_its_rows_are_known(
    head: int | None,
) -> None:
    engine, asked = Engine(pause=0), session(head=head)
    view = pe.View(pixels=(100, 100))
    steps = [drawn.figure for drawn in evaluate(asked, ["attention"], engine, {"attention": view})]
    assert len(steps) > 3
    assert len(list(asked.steps("attention", view, Engine(pause=math.inf)))) == 2
    assert "a sample, one cell of each block: the rest is on its way" in steps[0].caption
    assert "below row" in steps[-2].caption
    assert "on its way" not in steps[-1].caption
    near = pe.View(range(300, 340), range(300, 340), (100, 100))
    (drawn,) = evaluate(asked, ["attention"], engine, {"attention": near})
    whole = pe.attend(asked).probabilities[:, 300:340, 300:340]
    whole = whole.mean(0) if head is None else whole[head]
    np.testing.assert_allclose(panel_of(drawn.figure).values, whole, atol=1e-6, rtol=1e-4)


@pytest.mark.parametrize(("maps", "count"), [("all", 3), ("sides", 2), ("difference", 1)])
def test_compared_maps_are_in_the_same_blocks(maps: str, count: int) -> None:
    asked = session(maps=maps).changed(other="alibi")
    figure = pe.plot("attention", asked, view=pe.View(pixels=(50, 50)))
    assert [panel.values.shape for panel in figure.panels if isinstance(panel, Heatmap)] == [(50, 50)] * count


def test_what_must_be_known_of_the_encoding_is_said_of_a_view_as_well() -> None:
    figure = pe.plot("attention", session(encoding="t5"), view=pe.View(pixels=(50, 50)))
    assert "The table is untrained" in figure.caption


def test_what_has_nothing_to_show_says_why() -> None:
    figure = pe.plot("attention", session(causal=True), view=pe.View(range(900, 950)))
    assert figure.is_note
    assert figure.description == "There are the tokens 0 to 699, and none of them is in view."


@pytest.mark.parametrize("quantity", QUANTITIES)
@pytest.mark.parametrize("colours", ["linear", "logarithmic"])
def test_where_a_mask_hides_all_that_is_in_view_the_map_stays_and_says_so(quantity: str, colours: str) -> None:
    """From a sentence in its place nobody could pan back."""
    asked = session(causal=True, quantity=quantity, colours=colours)
    figure = pe.plot("attention", asked, view=pe.View(range(5), range(10, 15)))
    assert panel_of(figure).mask.all()
    assert "none of the queries in view may see any of the keys in view" in figure.caption
    assert "none of the queries in view may see any of the keys in view" in figure.description


def test_blocks_are_named_by_their_tokens_on_paper_as_well(tmp_path: Path) -> None:
    """Which block it is from the left says nothing, so no number stands behind the label."""
    path = pe.plot("attention", session(), view=pe.View(pixels=(20, 20))).save(tmp_path / "blocks.svg")
    assert "35–69" in path.read_text(encoding="utf-8")
    assert "35–69 (1)" not in path.read_text(encoding="utf-8")


@pytest.mark.parametrize("quantity", QUANTITIES)
def test_what_is_said_of_the_row_in_focus_is_of_all_keys_whatever_is_in_view(quantity: str) -> None:
    asked = session(causal=True, quantity=quantity, row=True).changed(focus=690)
    far = pe.plot("attention", asked, view=pe.View(range(600, 700), range(100), (50, 50)))
    whole = pe.plot("attention", asked)
    assert far.headline == whole.headline
    if quantity == "position":
        return
    slopes = far.panels[-1]
    row = getattr(pe.attend(asked), quantity).mean(0)[690]
    np.testing.assert_allclose(slopes.values[:, 1], row[list(slopes.lines)], atol=1e-6, rtol=1e-4)
    assert slopes.others + len(slopes.lines) == 691


def test_of_very_many_twins_the_sentence_tells_the_smallest_and_the_largest() -> None:
    asked = session(text="the dog", quantity="scores").changed(fill="repeat", fill_to=1300, focus=1)
    row = pe.attend(asked).scores.mean(0)[1, ::2]
    told = [run.text for run in pe.plot("attention", asked).headline if run.kind == "number"]
    for text, value in zip(told[-2:], (row.min(), row.max()), strict=True):
        assert float(text.replace("−", "-")) == pytest.approx(float(value), abs=0.02)


def test_in_blocks_the_caption_counts_what_lies_beyond_the_last_colour_too() -> None:
    figure = pe.plot("attention", session(quantity="scores", highest=0.01), view=pe.View(pixels=(50, 50)))
    beyond = sum(int((abs(panel.values) > 0.01).sum()) for panel in figure.panels)
    assert beyond
    assert f"{beyond:,} of the cells are beyond the last colour, 0.01" in figure.caption


def test_a_sweep_of_long_maps_is_coarse_first() -> None:
    asked = session(causal=True)
    steps = list(
        plots.draw("sweep", asked.scene, SweepOptions(values=(100, 1000, 10_000)), pe.View(pixels=(20, 20)), Engine())
    )
    assert [step.done for step in steps] == pytest.approx([0, 1 / 3, 2 / 3, 1])
    assert all("on its way" in part.caption for part in steps[:-1])
    assert "on its way" not in steps[-1].caption
    assert [panel.title for panel in steps[-1].panels] == [panel.title for panel in steps[0].panels]
