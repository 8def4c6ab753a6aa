"""Slopes: the row of the query in focus from without to with, alone and beside attention maps."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import posenc_gui as pe
from posenc_gui.figure.axis import Pointer
from posenc_gui.figure.panels import Heatmap, Note, Slopes


def session_of(text: str = "The cat sat on the mat", **fields: Any) -> pe.Session:
    return pe.Session(**{"text": text, "encoding": "rope", "model": pe.ToyModel(d_model=16, n_heads=2), **fields})


def slopes_of(session: pe.Session) -> Slopes:
    (panel,) = pe.plot("slopes", session).panels
    assert isinstance(panel, Slopes)
    return panel


@settings(max_examples=6, deadline=None)
@given(focus=st.integers(0, 5), head=st.none() | st.integers(0, 1), causal=st.booleans())
def test_each_line_goes_from_the_weight_without_position_to_that_with_it(
    focus: int, head: int | None, causal: bool
) -> None:
    model = pe.ToyModel(d_model=16, n_heads=2, causal=causal)
    session = session_of(focus=focus, model=model, plots={"slopes": {"head": head}})
    panel = slopes_of(session)
    for side, one in enumerate((session.changed(encoding="none"), session)):
        weights = pe.attend(one).probabilities[:, focus]
        expected = weights.mean(0) if head is None else weights[head]
        assert panel.values[:, side] == pytest.approx(expected[list(panel.lines)].numpy(), abs=1e-6)
    assert panel.lines == tuple(range(focus + 1 if causal else 6))
    assert (panel.columns, panel.of) == (("without", "with"), Pointer((("query", focus),)))


def test_of_many_keys_those_that_change_most_and_the_largest_have_a_line_and_the_caption_says_so() -> None:
    session = session_of(" ".join(f"w{i % 50}" for i in range(64)), focus=40)
    figure = pe.plot("slopes", session)
    panel = slopes_of(session)
    with_position = pe.attend(session).probabilities[:, 40].mean(0).numpy()
    without = pe.attend(session.changed(encoding="none")).probabilities[:, 40].mean(0).numpy()
    by_change = np.argsort(-np.abs(with_position - without))[:4].tolist()
    left = np.setdiff1d(np.arange(64), by_change)
    by_number = left[np.argsort(-np.maximum(with_position, without)[left])][:4].tolist()
    assert sorted([*by_change, *by_number]) == list(panel.lines)
    assert "8 of 64 keys" in figure.caption


def test_without_an_encoding_there_is_nothing_to_compare() -> None:
    (note,) = pe.plot("slopes", session_of(encoding="none")).panels
    assert isinstance(note, Note)
    assert "No encoding is chosen" in note.text


def test_two_encodings_go_from_a_to_b() -> None:
    session = session_of(other=pe.encoding("alibi"))
    panel = slopes_of(session)
    assert panel.columns == ("A", "B")
    for side, one in enumerate((session, session.swapped())):
        weights = pe.attend(one.changed(other=None)).probabilities[:, 2].mean(0)
        assert panel.values[:, side] == pytest.approx(weights.numpy(), abs=1e-6)


@pytest.mark.parametrize("n_tokens", [64, 300])
def test_a_row_is_on_the_scale_of_its_map_and_larger_numbers_end_in_the_tip_in_their_order(n_tokens: int) -> None:
    text = " ".join(f"w{at % 23}" for at in range(n_tokens))
    session = session_of(text=text, focus=20, plots={"attention": {"row": True}})
    for focus in (20, 40):
        *maps, row = pe.plot("attention", session.changed(focus=focus)).panels
        assert isinstance(row, Slopes)
        assert (row.low, row.high) == (maps[0].low, maps[0].high)
        order = row.values.ravel().argsort(kind="stable")
        heights = row.heights().ravel()[order]
        assert (np.diff(heights) >= 0).all()
        assert ((heights > 1) == (row.values.ravel()[order] > row.high)).all()
        assert [row.number_at(height) for height in heights] == pytest.approx(
            row.values.ravel()[order].tolist(), rel=1e-4
        )


def attention(**options: Any) -> pe.Session:
    return session_of(plots={"attention": options})


@pytest.mark.parametrize("quantity", ["probabilities", "scores"])
@pytest.mark.parametrize("queries", ["all", "one"])
def test_beside_the_maps_they_have_the_axis_of_the_colour_bar(quantity: str, queries: str) -> None:
    plain, encoded, slopes = pe.plot("attention", attention(row=True, quantity=quantity, queries=queries)).panels
    assert isinstance(slopes, Slopes)
    assert (slopes.low, slopes.high, slopes.quantity) == (plain.low, plain.high, plain.quantity)
    row = 2 if queries == "all" else 0
    assert slopes.values.T.tolist() == [plain.values[row].tolist(), encoded.values[row].tolist()]


@pytest.mark.parametrize(
    "session",
    [attention(), attention(row=True, quantity="position"), attention(row=True).changed(encoding="none"),
     attention(row=True).changed(other=pe.encoding("alibi"))],
)  # fmt: skip
def test_where_they_are_not_asked_for_or_have_no_two_ends_there_are_maps_alone(session: pe.Session) -> None:
    assert all(isinstance(panel, Heatmap) for panel in pe.plot("attention", session).panels)


# --- Colours of the maps


def test_colours_may_end_at_a_number_and_the_caption_counts_what_lies_beyond() -> None:
    figure = pe.plot("attention", attention(highest=0.2))
    beyond = sum(int((panel.values > 0.2).sum()) for panel in figure.panels)
    assert {(panel.low, panel.high) for panel in figure.panels} == {(0, 0.2)}
    assert f"{beyond} of the cells are beyond the last colour, 0.2" in figure.caption
    scores = pe.plot("attention", attention(highest=0.2, quantity="scores")).panels
    assert {(panel.low, panel.high) for panel in scores} == {(-0.2, 0.2)}


def test_under_a_mask_the_first_query_s_1_leaves_no_other_weight_pale() -> None:
    masked = attention(row=True).changed(model=pe.ToyModel(d_model=16, n_heads=2, causal=True), focus=2)
    figure = pe.plot("attention", masked)
    maps = [panel for panel in figure.panels if isinstance(panel, Heatmap)]
    assert {panel.high for panel in maps} == {max(float(panel.values[1:].max()) for panel in maps)}
    assert all(panel.values[0, 0] == 1 > panel.high for panel in maps)
    assert "the first query sees itself alone: its 1 is beyond the last colour" in figure.caption
    first = pe.plot("attention", masked.changed(focus=0))  # its slopes stand on the scale of the colours
    assert {panel.high for panel in first.panels} == {1.0}
    assert "beyond" not in first.caption
    blocks = pe.plot("attention", masked, view=pe.View(pixels=(64, 64))).panels[0]
    assert blocks.high == maps[0].high


def test_colours_may_go_by_logarithm_for_weights_alone() -> None:
    figure = pe.plot("attention", attention(colours="logarithmic"))
    assert all(panel.log and 0 < panel.low <= panel.values.min() for panel in figure.panels)
    assert "colours by logarithm" in figure.caption
    assert not any(
        panel.log for panel in pe.plot("attention", attention(colours="logarithmic", quantity="scores")).panels
    )


@pytest.mark.parametrize("encoding", ["alibi", "rope"])
def test_two_maps_that_look_alike_say_by_how_much_they_differ(encoding: str) -> None:
    model = pe.ToyModel(d_model=16, n_heads=1)
    figure = pe.plot("attention", session_of(encoding=encoding, model=model))
    found = re.search(r"both look alike: the largest change is ([\d.]+)", figure.caption)
    assert bool(found) == (encoding == "alibi")
    if found:
        plain, encoded = (panel.values for panel in figure.panels)
        assert float(found.group(1)) == pytest.approx(float(np.abs(plain - encoded).max()), rel=1e-3)
        assert "even from end to end of this sentence a score loses at most 0.02" in figure.caption


def test_a_flat_slope_is_no_remark_where_the_sentence_is_long() -> None:
    model = pe.ToyModel(d_model=16, n_heads=1)
    assert "slope" not in pe.plot("attention", session_of("a b " * 100, encoding="alibi", model=model)).caption
