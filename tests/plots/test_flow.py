"""Flow: every number on one query's way is attention's own, and amber marks exactly what differs."""

from __future__ import annotations

import csv
import io
import math
import re
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import posenc_gui as pe
from posenc_gui.attention.engine import Engine
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panels import Flow
from posenc_gui.figure.panels.flow import COLUMNS
from posenc_gui.figure.runs import quote_runs
from posenc_gui.render import csv_table, npz_arrays

SENTENCE = "The cat sat on the mat"
ENCODINGS = tuple(name for name in pe.encodings() if name != "mrope")  # which needs wider heads


def session_of(encoding: Any = "rope", text: str = SENTENCE, **fields: Any) -> pe.Session:
    model = fields.pop("model", pe.ToyModel(d_model=16, n_heads=1))
    return pe.Session(**{"text": text, "encoding": encoding, "model": model, **fields})


def figure_of(session: pe.Session) -> Figure:
    return pe.plot("flow", session)


def flow_of(session: pe.Session) -> Flow:
    (panel,) = figure_of(session).panels
    assert isinstance(panel, Flow)
    return panel


def said(figure: Figure) -> str:
    return quote_runs(figure.headline)


@settings(max_examples=12, deadline=None)
@given(
    encoding=st.sampled_from(ENCODINGS),
    n_heads=st.sampled_from((1, 2)),
    causal=st.booleans(),
    n_layers=st.sampled_from((1, 2)),
    text=st.lists(st.sampled_from(["the", "cat", "sat", "on", "a", "mat"]), min_size=1, max_size=12).map(" ".join),
    focus=st.integers(0, 11),
    key=st.none() | st.integers(0, 11),
)
def test_each_number_is_that_of_attend(
    encoding: str, n_heads: int, causal: bool, n_layers: int, text: str, focus: int, key: int | None
) -> None:
    model = pe.ToyModel(d_model=16 * n_heads, n_heads=n_heads, causal=causal, n_layers=n_layers)
    head = n_heads - 1
    session = session_of(encoding, text, model=model, focus=focus, key=key, plots={"flow": {"head": head}})
    panel, query, keys = flow_of(session), session.focused or 0, [one.at for one in flow_of(session).keys]
    result = pe.attend(session)
    assert panel.query.at == query
    scores, weights = result.scores[head, query].numpy(), result.probabilities[head, query].numpy()
    # CoPE interpolates at a sum of sigmoids, which amplifies rounding: one row and all rows differ in the sixth digit.
    large = max(1.0, float(np.abs(scores).max())) * (10 if encoding == "cope" else 1)
    assert panel.numbers.scores == pytest.approx(scores[keys], abs=1e-6 * large)
    assert panel.numbers.weights == pytest.approx(weights[keys], abs=1e-6)
    assert panel.numbers.products + panel.numbers.added == pytest.approx(scores[keys], abs=1e-5 * large)
    if panel.plain is None:
        assert encoding == "none"
    else:
        without = scores - result.position[head, query].numpy()
        assert panel.plain.scores == pytest.approx(without[keys], abs=1e-5 * large)
    assert panel.numbers.dots == pytest.approx(
        (result.keys[head, keys] @ result.queries[head, query]).numpy(), abs=1e-5 * large
    )
    for row, strand in enumerate((panel.query, *panel.keys)):
        of = (result.queries,) if row == 0 else (result.keys, result.values)
        for (_, vector), whole in zip(strand.projected, of, strict=True):
            assert vector == pytest.approx(whole[head, strand.at, : len(vector)].numpy(), abs=1e-6)
    attended = Engine().attended(session.scene.prompt, range(query, query + 1))
    assert panel.output == pytest.approx(attended.heads[head, 0, :16].numpy(), abs=1e-6)
    shared = panel.numbers.weights[panel.visible].sum() + (panel.rest.weight if panel.rest else 0)
    assert shared == pytest.approx(1, abs=1e-5)


@settings(max_examples=8, deadline=None)
@given(encoding=st.sampled_from(ENCODINGS), causal=st.booleans(), focus=st.integers(0, 5))
def test_amber_marks_exactly_what_differs_between_equal_tokens(encoding: str, causal: bool, focus: int) -> None:
    session = session_of(encoding, model=pe.ToyModel(d_model=16, n_heads=1, causal=causal), focus=focus)
    panel, result = flow_of(session), pe.attend(session)
    one, other = panel.keys[0], panel.keys[4]
    assert one.label == other.label == "the"
    assert one.parted == other.parted
    for name, column in (("keys", "projections"), ("values", "projections")):
        vectors = getattr(result, name)[0]
        differs = not torch.allclose(vectors[0], vectors[4], atol=1e-4)
        assert (column in (one.parted if name == "keys" else one.value_parted)) == differs
    scores = result.scores[0, focus]
    assert ("score" in one.parted) == (abs(float(scores[0] - scores[4])) > 1e-4)
    weights = result.probabilities[0, focus]
    both = panel.visible[[0, 4]].all()
    assert ("weight" in one.parted) == (bool(both) and abs(float(weights[0] - weights[4])) > 1e-5)
    assert all(not panel.keys[row].parted for row in (1, 2, 3, 5))


def test_equal_words_part_where_position_comes_in_and_the_sentence_says_so() -> None:
    sinusoidal, rope, alibi = (flow_of(session_of(name)) for name in ("sinusoidal", "rope", "alibi"))
    assert "input" in sinusoidal.keys[0].parted
    assert "projections" in sinusoidal.keys[0].value_parted
    assert "projections" not in rope.keys[0].parted
    assert "rotation" in rope.keys[0].parted
    assert not rope.keys[0].value_parted
    assert not any(key.parted or key.value_parted for key in alibi.keys)
    for name, flow in (("rope", rope), ("alibi", alibi)):
        first, other = (f"{flow.numbers.weights[row]:.2f}" for row in (0, 4))
        told = said(figure_of(session_of(name)))
        assert (f"{first} and {other}." if name == "rope" else f"{first} each.") in told


@pytest.mark.parametrize(("encoding", "told"), [("rope", "0.16 to 0.18"), ("alibi", "0.168 to 0.170")])
def test_many_equal_words_read_alike_in_cells_and_sentence(encoding: str, told: str) -> None:
    figure = figure_of(session_of(encoding, "a b a a a a", focus=1))
    ends = told.split(" to ")
    assert said(figure).endswith(f" gives them {told}.")
    assert set(ends) <= set(flow_of(session_of(encoding, "a b a a a a", focus=1)).weight_texts)


@settings(max_examples=25, deadline=None)
@given(
    encoding=st.sampled_from(ENCODINGS),
    seed=st.integers(0, 999),
    causal=st.booleans(),
    heads=st.sampled_from((1, 2, 4)),
)
def test_who_computes_with_the_written_numbers_finds_the_written_weight(
    encoding: str, seed: int, causal: bool, heads: int
) -> None:
    model = pe.ToyModel(d_model=32, n_heads=heads, causal=causal, seed=seed)
    panel = flow_of(session_of(encoding, model=model))
    for row in np.flatnonzero(panel.visible):
        text = next(one.text for one in panel.sums(row) if one.column == "weight").replace("−", "-")
        score, less, total, weight = re.fullmatch(r"e\^{(\S+?)( . \S+)?} ÷ (\S+) = (\S+)", text).groups()
        less = float((less or "0").replace(" ", ""))
        decimals = len(weight.partition(".")[2])
        # four decimals are the most: where a weight stands next to a rounding boundary, its last digit may be off by one
        assert abs(math.exp(float(score) + less) / float(total) - float(weight)) <= 0.51 * 10**-decimals


def test_the_weights_of_equal_tokens_have_the_headline_s_digits() -> None:
    figure = figure_of(session_of("sinusoidal", model=pe.ToyModel()))
    panel = figure.panels[0]
    assert isinstance(panel, Flow)
    assert [panel.weight_texts[row] for row in (0, 4)] == ["0.136", "0.142"]
    assert "0.136 and 0.142" in said(figure)


@pytest.mark.parametrize(("name", "dials"), [("rope", 8), ("pope", 16)])
def test_the_caption_counts_the_dials_of_the_encoding(name: str, dials: int) -> None:
    assert f"4 of {dials} pairs, the fastest" in figure_of(session_of(name)).caption


def test_headings_say_what_the_model_does() -> None:
    products = COLUMNS.index("products")
    assert flow_of(session_of("rope")).headings[products].name == "q · k / √d"
    assert flow_of(session_of("t5")).headings[products].name == "q · k"
    causal = flow_of(session_of("rope", model=pe.ToyModel(d_model=16, n_heads=1, causal=True)))
    assert causal.headings[COLUMNS.index("weight")].note == "mask, softmax"
    assert flow_of(session_of("shaw")).output_added is not None
    two = session_of("sinusoidal", model=pe.ToyModel(d_model=16, n_heads=1, n_layers=2))
    assert flow_of(two).headings[1].note == "layer 1’s input"
    assert flow_of(two).query.position is None
    assert "before this layer" in said(figure_of(two))


@pytest.mark.parametrize("scale", [None, 30.0])
def test_the_sum_for_a_key_comes_out(scale: float | None) -> None:
    """e^{a} ÷ b is the weight that stands behind it, and large scores are less their largest before e."""
    panel = flow_of(session_of("rope", model=pe.ToyModel(d_model=16, n_heads=1, scale=scale)))
    for row in range(len(panel.keys)):
        (told,) = (part.text for part in panel.sums(row) if part.column == "weight")
        power, total, weight = re.fullmatch(r"e\^\{(.+)\} ÷ (.+) = (.+)", told).groups()  # type: ignore[union-attr]
        exponent = sum(float(part) for part in power.replace("− ", "−").replace("+ ", "").replace("−", "-").split())
        assert (" " in power) == (scale is not None)
        found = math.exp(exponent) / float(total.replace(",", ""))
        assert found == pytest.approx(float(weight), rel=0.03, abs=0.006)


def test_a_pinned_key_is_the_chosen_one_or_that_with_the_largest_weight() -> None:
    assert flow_of(session_of("rope", key=3)).pinned == 3
    panel = flow_of(session_of("rope"))
    assert panel.pinned == int(panel.numbers.weights.argmax())


def test_of_a_longer_text_eight_keys_are_shown_and_the_others_are_one() -> None:
    text = " ".join(f"w{index % 50}" for index in range(300))
    figure = figure_of(session_of("rope", text, focus=120, key=7))
    panel = flow_of(session_of("rope", text, focus=120, key=7))
    shown = [key.at for key in panel.keys]
    assert len(shown) == 8
    assert shown == sorted(shown)
    assert {120, 7} < set(shown)
    assert panel.rest is not None
    assert panel.rest.count == 292
    assert panel.keys[panel.pinned].at == 7
    weights = pe.attend(session_of("rope", text, focus=120, key=7)).probabilities[0, 120]
    assert panel.rest.weight == pytest.approx(1 - float(weights[shown].double().sum()), abs=1e-6)
    assert int(weights.argmax()) in shown
    assert "a few of 300 keys, the others as one" in figure.caption


def test_a_masked_key_has_no_weight_in_the_table_and_its_sum_says_so() -> None:
    session = session_of("rope", model=pe.ToyModel(d_model=16, n_heads=1, causal=True))
    panel, figure = flow_of(session), figure_of(session)
    assert panel.visible.tolist() == [True, True, True, False, False, False]
    assert panel.sums(5)[-1].text == "masked: 0"
    cells = list(csv.DictReader(io.StringIO(csv_table.text(figure, ","))))
    weights = [one["value"] for one in cells if one["quantity"] == "weight"]
    assert weights[3:] == ["", "", ""]
    assert [np.float32(one) for one in weights[:3]] == panel.numbers.weights[:3].tolist()


def test_two_encodings_are_drawn_on_one_scale_with_the_same_keys() -> None:
    figure = figure_of(session_of("rope", other="alibi"))
    first, second = figure.panels
    assert isinstance(first, Flow)
    assert isinstance(second, Flow)
    assert (first.title, second.title) == ("A: RoPE", "B: ALiBi")
    assert (first.vector_high, first.score_high) == (second.vector_high, second.score_high)
    assert [key.at for key in first.keys] == [key.at for key in second.keys]
    assert "RoPE comes in at the rotation" in said(figure)
    assert "ALiBi comes in at the score" in said(figure)
    assert npz_arrays.arrays(figure)["panel1_keys"].tolist() == [0, 1, 2, 3, 4, 5]


def test_a_step_ends_the_way_and_changes_no_number() -> None:
    whole, part = flow_of(session_of()), flow_of(session_of(plots={"flow": {"step": 5}}))
    assert part.reached == "rotation"
    assert part.shows("projections")
    assert not part.shows("weight")
    assert np.array_equal(whole.numbers.weights, part.numbers.weights)


def test_what_stands_at_a_point_can_be_read() -> None:
    panel = flow_of(session_of("alibi"))
    assert panel.read(COLUMNS.index("weight"), 0).startswith("key the (0) · weight 0.")
    assert panel.read(COLUMNS.index("input"), 0) == "key the (0) · input: closed"
    assert panel.read(COLUMNS.index("score"), 1).startswith("key cat (1) · −")
    assert panel.read(0, 6) == ""
    assert panel.pointer(0, 6).at == ()
    assert panel.pointer(3, 1).at == (("query", 2), ("key", 1))
    assert panel.pointer(3, -1).at == (("query", 2),)
