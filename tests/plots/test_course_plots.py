"""One query's row, one weight, Clocks, Q K V and one query: each shows numbers that follow from each other and from `attend`."""

from __future__ import annotations

import itertools
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
from posenc_gui.figure.panels import Clocks, Note, Table, table_text
from posenc_gui.figure.runs import quote_runs
from posenc_gui.foundation.wording import subscript
from posenc_gui.render import csv_table
from posenc_gui.session.evaluate import evaluate

every_encoding = pytest.mark.parametrize("encoding", pe.encodings())
masked = pytest.mark.parametrize("causal", [False, True], ids=["open", "causal"])
layered = pytest.mark.parametrize("n_layers", [1, 2])
TURNED = [name for name in pe.encodings() if pe.encoding(name).door == "rotation"]


def session_of(encoding: Any = "sinusoidal", plots: dict[str, Any] | None = None, **model: Any) -> pe.Session:
    """A session with one head of six dimensions, which tables write out whole."""
    shape = {"d_model": 6, "n_heads": 1, **model}
    return pe.Session(encoding=encoding, model=pe.ToyModel(**shape), focus=2, key=4, plots=plots or {})


def table_of(plot: str, session: pe.Session) -> Table:
    """The table of all numbers of a plot that draws fewer at first."""
    whole = {"row": "numbers", "why": "steps"}
    plots = {plot: {**session.options_of(plot).model_dump(), "show": whole[plot]}} if plot in whole else {}
    (table,) = pe.plot(plot, session.changed(plots=plots)).panels
    assert isinstance(table, Table)
    return table


def as_number(words: str) -> float:
    return float(words.replace("−", "-").replace(",", "").replace("∞", "inf"))


# --- One query's row


def numbers_of(row: tuple[str | float, ...]) -> list[float]:
    return [float(cell) for cell in row[4:]]


@layered
@masked
@every_encoding
def test_a_row_adds_up_to_the_output_that_w_o_projects(encoding: str, causal: bool, n_layers: int) -> None:
    session = session_of(encoding, causal=causal, n_layers=n_layers)
    table = table_of("row", session)
    *lines, output = table.rows
    assert table.sums == {len(lines)}
    added = [numbers_of(line) for line in lines]
    assert numbers_of(output) == pytest.approx(np.sum(added, axis=0), abs=1e-5)
    projected = torch.tensor(numbers_of(output)) @ session.model.projection("output", n_layers - 1)
    torch.testing.assert_close(projected, pe.attend(session).output[2], rtol=1e-5, atol=1e-5)


@masked
@every_encoding
def test_a_row_s_weights_are_those_of_attend_and_sum_to_one(encoding: str, causal: bool) -> None:
    session = session_of(encoding, {"row": {"head": 1}}, causal=causal, d_model=12, n_heads=2)
    *lines, output = table_of("row", session).rows
    keys = [line for line in lines if line[0] != "added by position"]
    attention = pe.attend(session)
    same_scale = session.model.model_copy(update={"scale": session.encoding.scale(session.model.head_width)})
    without = pe.attend(session.changed(encoding="none", model=same_scale)).scores[1, 2]
    assert [line[0] for line in keys] == ["the (0)", "cat (1)", "sat (2)", "on (3)", "the (4)", "mat (5)"]
    assert [line[3] for line in keys] == pytest.approx(attention.probabilities[1, 2].tolist())
    assert output[3] == pytest.approx(1)
    for key, line in enumerate(keys):
        hidden = causal and key > 2
        assert line[2] == ("masked" if hidden else pytest.approx(float(attention.scores[1, 2, key]), abs=1e-6))
        assert line[1] == ("masked" if hidden else pytest.approx(float(without[key]), abs=1e-6))
        assert numbers_of(line) == pytest.approx((line[3] * attention.values[1, key]).tolist(), abs=1e-6)


def test_only_an_encoding_that_adds_to_values_has_a_line_for_it() -> None:
    def lines(encoding: pe.encoding) -> list[str]:
        return [row[0] for row in table_of("row", session_of(encoding)).rows]

    having = {name for name in pe.encodings() if "added by position" in lines(name)}
    assert having == {"shaw"}
    assert "added by position" not in lines(pe.encoding("shaw", value_term=False))


def test_a_row_marks_the_key_that_is_looked_at_and_follows_the_order() -> None:
    session = session_of()
    assert table_of("row", session).focus == 4
    reversed_ = session.reordered((5, 4, 3, 2, 1, 0))
    table = table_of("row", reversed_)
    assert [row[0] for row in table.rows[:2]] == ["mat (0)", "the (1)"]
    assert table.title.startswith("sat (3)")
    assert table.focus == 1


# --- One weight


def steps_of(session: pe.Session) -> dict[str, tuple[str, str]]:
    return {step: (how, value) for step, value, how in table_of("why", session).rows}


@pytest.mark.slow
@layered
@masked
@every_encoding
@pytest.mark.parametrize(("query", "key"), [(4, 2), (2, 2), (5, 0)])
def test_why_s_steps_give_the_score_and_the_weight_of_the_map(
    encoding: str, causal: bool, n_layers: int, query: int, key: int
) -> None:
    of_head = {"why": {"head": 1}, "attention": {"head": 1}}
    session = session_of(encoding, of_head, causal=causal, n_layers=n_layers, d_model=12, n_heads=2)
    session = session.changed(focus=query, key=key)
    steps = steps_of(session)
    dot, scale, score, weight = (as_number(steps[step][1]) for step in ("dot product", "scale", "score", "weight"))
    content, extra, bias = (
        as_number(steps[step][1]) if step in steps else 0.0 for step in ("content", "extra", "bias")
    )
    rounding = 1e-3 * (abs(dot) + abs(content)) * scale + 1e-3 * (abs(extra) + abs(bias)) + 1e-4
    assert (dot + content) * scale + extra + bias == pytest.approx(score, abs=rounding)
    assert score == pytest.approx(float(pe.attend(session).scores[1, query, key]), rel=1e-3, abs=1e-5)
    panel = pe.plot("attention", session).panels[-1]
    assert weight == pytest.approx(float(panel.values[query, key]), rel=1e-3, abs=1e-6)
    over, total = re.match(r"exp\((.*?)\) / (.*?), summed", steps["weight"][0]).groups()
    assert math.exp(as_number(over)) / as_number(total) == pytest.approx(weight, rel=2e-2)


@every_encoding
def test_why_says_that_a_key_after_the_query_is_masked(encoding: str) -> None:
    steps = steps_of(session_of(encoding, causal=True))
    assert steps["mask"] == ("the key stands after the query", "−∞")
    assert steps["weight"][1] == "0"
    assert "mask" not in steps_of(session_of(encoding, causal=False))


def test_why_shows_each_door_s_own_step() -> None:
    def found(encoding: str) -> set[str]:
        return set(steps_of(session_of(encoding)))

    assert {"p_m", "p_n", "x_m", "x_n"} <= found("sinusoidal")
    assert {"q turned", "k turned"} <= found("rope")
    assert "bias" in found("alibi")
    assert "content" in found("shaw")
    assert not {"p_m", "q turned", "bias", "content"} & found("none")


def test_why_adds_token_and_position_to_what_enters() -> None:
    steps = steps_of(session_of("sinusoidal", d_model=4, embedding_scale=2.0))
    for name in ("m", "n"):
        x, p, total = (
            [as_number(cell) for cell in steps[f"{part}_{name}"][1].strip("[]").split(", ")]
            for part in ("x", "p", "input")
        )
        assert np.add(x, p).tolist() == pytest.approx(total, abs=2e-3)
    token = 2 * pe.ToyModel(d_model=4, n_heads=1).embed(("sat",))[0]
    x_m = [as_number(cell) for cell in steps["x_m"][1].strip("[]").split(", ")]
    assert x_m == pytest.approx(token.tolist(), rel=1e-3)


@given(seed=st.integers(0, 200))
def test_why_s_sum_is_a_number_also_where_its_terms_are_too_large_for_one(seed: int) -> None:
    session = session_of("none", d_model=64, scale=100.0, seed=seed)
    steps = steps_of(session)
    words = steps["weight"][0]
    assert "inf" not in words
    assert "/ 0," not in words
    if "logarithm" in words:
        score, logarithm = re.match(r"exp\((.*) − \((.*)\)\)", words).groups()
        weight = as_number(steps["weight"][1])
        off = as_number(score) - as_number(logarithm)
        assert off == pytest.approx(math.log(weight) if weight else off, abs=2 + 1e-3 * abs(as_number(score)))


# --- Encoding map


@pytest.mark.parametrize(
    ("n_tokens", "told"), [(8, "."), (9, " Position 8 has no vector."), (12, " Positions 8 to 11 have no vector.")]
)
def test_tokens_past_a_table_s_last_row_have_rows_without_numbers(n_tokens: int, told: str) -> None:
    session = pe.Session(text=" ".join("abcdefghijkl"[:n_tokens]), encoding=pe.encoding("learned", max_len=8))
    figure = pe.plot("encoding", session)
    (panel,) = figure.panels
    assert panel.values.shape[0] == n_tokens
    assert [panel.is_masked(row, 0) for row in range(n_tokens)] == [row >= 8 for row in range(n_tokens)]
    assert figure.headline[-1].text == told
    assert pe.plot("encoding", session.changed(plots={"encoding": {"count": 4}})).panels[0].values.shape[0] == 4


# --- Clocks


def clocks_of(session: pe.Session) -> Clocks:
    (panel,) = pe.plot("clocks", session).panels
    assert isinstance(panel, Clocks), panel
    return panel


@pytest.mark.parametrize("encoding", ["sinusoidal", *TURNED])
@settings(max_examples=8)
@given(position=st.none() | st.floats(0, 1_000_000), start=st.integers(0, 1000))
def test_hands_stand_at_the_encoding_s_angles(encoding: str, position: float | None, start: int) -> None:
    session = session_of(encoding, {"clocks": {"position": position}}, d_model=16).changed(start=start)
    panel = clocks_of(session)
    focus = start + 2.0 if position is None else position
    assert [hand.position for hand in panel.hands if hand.of == "focus"] == [focus]
    at = torch.tensor([hand.position for hand in panel.hands], dtype=torch.float64)
    angles = session.encoding.phases(at, 16, session.scene.context)[:, list(panel.pairs)]
    assert panel.angles == pytest.approx(angles.T.numpy(), rel=1e-12)
    assert [hand.position - focus for hand in panel.hands] == pytest.approx(
        [hand.at - 2 for hand in panel.hands], abs=1e-9
    )
    assert all(hand.position >= 0 for hand in panel.hands)
    twins = [hand for hand in panel.hands if hand.of == "twin"]
    assert all(hand.name == f"the{subscript(math.floor(hand.position))}" for hand in twins)


def test_a_trail_ends_at_the_hand_in_focus_and_is_there_where_a_position_is_chosen() -> None:
    session = session_of("rope", {"clocks": {"position": 5.0, "trail": 2.0, "pairs": (1,)}}, d_model=16)
    panel = clocks_of(session)
    (focus,) = (at for at, hand in enumerate(panel.hands) if hand.of == "focus")
    assert (panel.trail[0] / panel.angles[0, focus])[[0, -1]] == pytest.approx([3 / 5, 1], abs=0.03)
    assert clocks_of(session_of("rope")).trail is None


def test_a_clock_says_how_many_words_a_turn_takes_and_few_of_many_are_spread_by_wavelength() -> None:
    panel = clocks_of(session_of("sinusoidal", d_model=16))
    words = ("6.3", "19.9", "62.8", "200", "630", "2,000", "6,300", "19,900")
    assert panel.readings == tuple(f"{count} words a turn" for count in words)
    figure = pe.plot("clocks", session_of("sinusoidal", d_model=512))
    pairs = figure.panels[0].pairs
    assert (pairs[0], pairs[-1], len(pairs)) == (0, 255, 8)
    assert {after - before for before, after in itertools.pairwise(pairs)} == {36, 37}
    assert "8 of 256 pairs, fastest to slowest" in figure.caption


@pytest.mark.parametrize(
    ("encoding", "length", "words"), [("sinusoidal", 0.5, "6.3 words"), ("rope", 1.0, "12.6 words")]
)
def test_strength_shortens_what_is_added_and_slows_what_is_turned(encoding: str, length: float, words: str) -> None:
    figure = pe.plot("clocks", session_of(encoding, d_model=16).changed(strength=0.5))
    assert figure.panels[0].length == length
    assert words in quote_runs(figure.headline)
    stopped = clocks_of(session_of(encoding, d_model=16).changed(strength=0.0))
    assert stopped.length == 0 or (set(stopped.readings) == {"stands still"} and not stopped.angles.any())


def test_a_long_text_has_hands_for_the_focus_its_twins_and_some_between() -> None:
    session = pe.Session(encoding="rope", fill="repeat", fill_to=131_072, focus=70_000)
    panel = clocks_of(session)
    assert len(panel.hands) == 12
    twins = [hand.at for hand in panel.hands if hand.of == "twin"]
    assert twins
    assert all(session.tokens[at] == session.tokens[70_000] for at in twins)


def test_what_has_no_hands_and_which_pair_there_is_not_is_said_in_a_sentence() -> None:
    (note,) = pe.plot("clocks", session_of("alibi")).panels
    assert isinstance(note, Note)
    assert "no hands" in note.text
    (note,) = pe.plot("clocks", session_of("rope", {"clocks": {"pairs": (3,)}})).panels
    assert note.text == "There is no pair 3: pairs are 0 to 2."


def test_patches_are_on_a_clock_an_axis() -> None:
    session = pe.Session(encoding="mrope", patches={"rows": 3, "columns": 4})
    panel = clocks_of(session)
    assert {label.partition(" · ")[2] for label in panel.labels} == {"time step", "row", "column"}
    assert all(
        f" {label.partition(' · ')[2]}s a turn" in one for label, one in zip(panel.labels, panel.readings, strict=True)
    )


def test_a_former_name_means_the_plot_of_today() -> None:
    session = pe.Session(plots={"dials": {"position": 5.0}})
    assert session.plots.clocks.position == session.plots.dials.position == session.options_of("dials").position == 5
    assert pe.plot("dials", session).panels[0].hands == pe.plot("clocks", session).panels[0].hands
    assert pe.Session.from_json(session.to_json().replace('"clocks"', '"dials"')) == session
    assert "dials" not in pe.plots()
    assert [figure.name for figure in pe.sweep("dials", session, "plot.position", [1.0, 2.0])] == ["clocks", "clocks"]


# --- Q, K, V


@layered
@every_encoding
@pytest.mark.parametrize("head", [0, 1])
def test_projections_are_the_queries_keys_and_values_of_attend(encoding: str, n_layers: int, head: int) -> None:
    options = {"projections": {"head": head, "turned": False}}
    session = session_of(encoding, options, d_model=12, n_heads=2, n_layers=n_layers)
    attention = pe.attend(session)
    panels = pe.plot("projections", session).panels
    assert [panel.title for panel in panels] == ["queries", "keys", "values"]
    for panel, expected in zip(panels, (attention.queries, attention.keys, attention.values), strict=True):
        np.testing.assert_array_equal(panel.values, expected[head].numpy())
        assert panel.rows.labels == session.tokens
    assert len({(panel.low, panel.high) for panel in panels}) == 1


@pytest.mark.parametrize("encoding", ["none", "sinusoidal", *TURNED])
def test_queries_and_keys_as_they_meet_give_the_scores(encoding: str) -> None:
    session = session_of(encoding)
    queries, keys, _ = (panel.values for panel in pe.plot("projections", session).panels)
    scores = pe.attend(session).scores[0].numpy()
    np.testing.assert_allclose(queries @ keys.T / math.sqrt(6), scores, rtol=0, atol=1e-5)
    before = session.changed(plots={"projections": {"turned": False}})
    changed = not np.array_equal(pe.plot("projections", before).panels[0].values, queries)
    assert changed == (encoding in TURNED)


# --- Played


@pytest.mark.slow
def test_a_change_of_the_dials_position_leaves_the_other_figures_as_they_are() -> None:
    engine, names = Engine(), pe.plots()
    first = session_of("rope", {"clocks": {"position": 1.0}})
    second = first.changed(plots={"clocks": {"position": 1.5}})
    before, after = ({one.name: one.figure for one in evaluate(session, names, engine)} for session in (first, second))
    same = {name for name in names if after[name].panels is before[name].panels}
    assert same == set(names) - {"clocks"}
    assert all(pe.Session.from_json(figure.session) == second for figure in after.values())


def test_two_orders_of_states_say_how_far_apart_the_last_are() -> None:
    session = pe.Session(order=(1, 0, 2, 3, 4, 5), plots={"recurrence": {"show": "distance"}})
    apart = pe.measure("recurrence", session).order_difference
    told = quote_runs(pe.plot("recurrence", session).headline)
    assert told == f"After 6 steps, both last states are {apart:.3g} of a state's length apart."
    (lines,) = pe.plot("recurrence", session).panels
    assert (lines.series[0].x[-1], float(lines.series[0].y[-1])) == (6, pytest.approx(apart))


def test_a_distance_begins_where_both_orders_part() -> None:
    session = pe.Session(order=(0, 1, 2, 3, 5, 4), plots={"recurrence": {"show": "distance"}})
    (lines,) = pe.plot("recurrence", session).panels
    (curve,) = lines.series
    apart = pe.measure("recurrence", session).order_difference
    assert (curve.x.tolist(), float(curve.y[-1])) == ([5, 6], pytest.approx(apart))


def test_influences_are_drawn_as_the_shares_that_the_headline_tells() -> None:
    session = pe.Session(plots={"recurrence": {"show": "influence"}})
    figure = pe.plot("recurrence", session)
    recurrent = figure.panels[0].series[0]
    assert (recurrent.label, float(recurrent.y[0])) == ("recurrent", 1.0)
    assert f"{float(recurrent.y[-1]):.3g} is left" in quote_runs(figure.headline)


def test_what_is_only_rounding_reads_as_0_and_is_exported_as_it_is() -> None:
    figure = pe.plot("requirements", pe.Session(encoding="integer"))
    (table,) = figure.panels
    (row,) = [row for row in table.rows if row[0] == "Relative-aware"]
    assert 0 < row[3] < 1e-9
    assert table_text(row[3]) == "0"
    assert "no error but rounding" in row[2]
    assert f",{float(row[3])!r}," in csv_table.text(figure, ",")


# --- What is drawn at first


@pytest.mark.parametrize("encoding", ["sinusoidal", "rope", "alibi", "t5"])
def test_a_chain_adds_up_as_it_is_read_and_ends_in_the_weight(encoding: str) -> None:
    session = pe.Session(encoding=encoding, model=pe.ToyModel(d_model=16, n_heads=1), focus=2, key=0)
    (chain,) = pe.plot("why", session).panels
    assert [row[0] for row in chain.rows] == ["the (0)", "the (4)"]
    attention = pe.attend(session)
    for key, row in zip((0, 4), chain.rows, strict=True):
        without, added, score = (as_number(table_text(cell).strip("+= ").replace("− ", "−")) for cell in row[1:4])
        assert round(without + added, 2) == score
        assert row[1] + row[2] == pytest.approx(float(attention.scores[0, 2, key]), abs=1e-5)
        assert row[-1] == pytest.approx(float(attention.probabilities[0, 2, key]))


def test_a_row_is_drawn_as_bars_with_numbers_at_the_focus_and_the_twins() -> None:
    session = pe.Session(text="the cat sat on the mat and slept there", encoding="rope", focus=2)
    (bars,) = pe.plot("row", session).panels
    without, with_ = (series.values for series in bars.series)
    assert with_ == pytest.approx(pe.attend(session).probabilities[0, 2].numpy())
    assert without[0] == pytest.approx(without[4])
    assert bars.told == {0, 2, 4}
