"""Every sentence is a claim: it is true for long texts, equal words, one token, any mask, any number of heads, any side."""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np
import pytest
import torch

import posenc_gui as pe
from posenc_gui.encodings.base import Context
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panels import Lines, Table
from posenc_gui.figure.runs import quote_runs
from posenc_gui.foundation.errors import Undefined
from posenc_gui.foundation.glossary import GLOSSARY
from posenc_gui.foundation.wording import format_count, format_number, format_rough
from posenc_gui.labs.definition import lab_library
from posenc_gui.measures.base import ROUNDING, coordinates, n_judged
from posenc_gui.plots import plots

ONE_HEAD = pe.ToyModel(d_model=16, n_heads=1)
CAUSAL = pe.ToyModel(d_model=16, n_heads=1, causal=True)
TOLD_APART = ("attention", "slopes", "row", "why", "twins")
LONG = " ".join(f"x{index}" for index in range(1_500))


def table(figure: Figure) -> Table:
    (found,) = (panel for panel in figure.panels if isinstance(panel, Table))
    return found


# --- The sentence over attention ------------------------------------------------------------------------------------


@pytest.mark.parametrize("plot", ["attention", "slopes"])
def test_the_most_is_the_most_of_all_keys_also_of_those_that_are_not_drawn(plot: str) -> None:
    session = pe.Session(text=LONG, focus=2, encoding="sinusoidal", model=ONE_HEAD)
    weights = [pe.attend(one).probabilities[0, 2] for one in (session.changed(encoding=pe.encoding("none")), session)]
    told = quote_runs(pe.plot(plot, session).headline)
    for row in weights:
        assert f"“x{int(row.argmax())}”" in told, told
    assert max(int(row.argmax()) for row in weights) >= 512  # such a text it is


@pytest.mark.parametrize("quantity", ["probabilities", "scores", "position"])
@pytest.mark.parametrize("model", [ONE_HEAD, CAUSAL])
def test_where_there_is_nothing_but_itself_it_says_so(quantity: str, model: pe.ToyModel) -> None:
    text = "the cat sat" if model.causal else "the"
    shown = {"attention": {"quantity": quantity}}
    session = pe.Session(text=text, encoding="learned", focus=0, model=model, plots=shown)
    told = quote_runs(pe.plot("attention", session).headline)
    assert "most" not in told
    assert "highest" not in told


# --- Measures -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("encoding", ["learned", {"name": "learned", "max_len": 2_048}, "shaw", "t5", "rope"])
def test_the_far_range_holds_the_near_one(encoding: object) -> None:
    row = pe.measure("requirements", pe.Session(encoding=encoding))["bounded"]
    assert row.value is not None
    assert row.value >= 1
    sizes = [float(text) for text in re.findall(r"\d+\.\d+|(?<=is )\d+", row.reason)]
    assert sizes == sorted(sizes), row.reason


def test_the_largest_number_is_that_of_all_positions() -> None:
    encoding = pe.encoding("learned", max_len=2_048)
    row = pe.measure("requirements", pe.Session(encoding=encoding))["bounded"]
    vectors = encoding.vectors(torch.arange(2_048), 64).abs()
    assert row.value == pytest.approx(float(vectors.max() / vectors[:128].max()))
    assert f"{format_number(float(vectors.max()))} up to 2,047" in row.reason


def test_the_nearest_sentence_is_named_and_the_length_is_a_mean() -> None:
    found = pe.measure("meaning", pe.Session(text="Only I love you", encoding="rope"))
    assert len(found.comparisons) > 1
    nearest = min(found.comparisons, key=lambda one: float(one.distances["RoPE"].by_token.max()))
    first = found.reason.split(". ")[0]
    assert f"“{' '.join(nearest.tokens)}”" in first
    assert f"{format_number(found.value)} of a mean output's length" in first


def test_who_tells_sentences_apart_is_counted_without_those_that_were_left_out_and_without_the_mask() -> None:
    model = pe.ToyModel(d_model=2, n_heads=1, causal=True)
    found = pe.measure("meaning", pe.Session(text="dog bites man", encoding="rope", model=model))
    told = sum(not one.is_none for title, one in found.comparisons[0].distances.items() if title != "No encoding")
    assert "One-hot" in found.undefined
    assert "Every encoding" not in found.reason
    assert f"All {told} encodings that are defined here tell it from" in found.reason
    assert "so does the mask alone" in found.reason


@pytest.mark.parametrize("clip", [1, 2, 16])
@pytest.mark.parametrize("causal", [False, True])
def test_what_never_changes_is_not_predicted_in_standard_deviations(clip: int, causal: bool) -> None:
    session = pe.Session(encoding=pe.encoding("shaw", max_distance=clip), model=CAUSAL if causal else ONE_HEAD)
    found = pe.measure("linear_shift", session)
    if found.value is None:
        assert clip < 4
        assert "for all m that are judged" in found.reason
        return
    assert found.value < 1e3
    assert (found.offsets < clip).all()
    assert f"at k = {clip} and " in found.reason
    assert found.reason.endswith("is the same for all m that are judged.")


@pytest.mark.slow
@pytest.mark.most(2)
@pytest.mark.parametrize(
    ("name", "parameters", "count"),
    [("one_hot", {}, 16), ("learned", {"max_len": 10}, 10), ("alibi", {}, 255), ("t5", {}, 255), ("rope", {}, 128)],
)
def test_the_count_that_was_judged_is_said(name: str, parameters: dict[str, int], count: int) -> None:
    session = pe.Session(encoding=pe.encoding(name, **parameters), model=ONE_HEAD)
    assert len(coordinates(session.scene, n_judged(session.scene))) == count
    told = format_count(count, session.encoding.along)
    found = pe.measure("requirements", session)
    assert found.judged == count
    assert f"judged over {told}" in pe.plot("requirements", session).caption
    compared = pe.plot("comparison", session.changed(plots={"comparison": {"show": "numbers"}}))
    assert {row[0]: row[2] for row in table(compared).rows}[session.encoding.title] == told
    assert "judged over 128" not in compared.caption


@pytest.mark.slow
@pytest.mark.parametrize("causal", [False, True])
def test_where_the_mask_changes_a_verdict_both_are_judged_beside_each_other(causal: bool) -> None:
    session = pe.Session(encoding="alibi", model=ONE_HEAD.model_copy(update={"causal": causal}))
    compared = table(pe.plot("comparison", session.changed(plots={"comparison": {"show": "verdicts"}})))
    rows = {row[0]: row for row in compared.rows}
    assert compared.rows[compared.focus][0] == "ALiBi"
    other = rows[f"ALiBi, {'no mask' if causal else 'causal mask'}"]
    masked, bare = (rows["ALiBi"], other) if causal else (other, rows["ALiBi"])
    assert [row[4].verdict for row in (masked, bare)] == ["met", "not"]  # unique: without a mask −1 and 1 are alike
    assert not any(title.startswith("RoPE,") for title in rows)  # no verdict of positions depends on the mask


@pytest.mark.parametrize("name", ["rope", "sinusoidal"])
@pytest.mark.parametrize("count", [1, 7, 8, 40])
def test_a_turn_is_finished_where_the_last_token_has_turned_by_it(name: str, count: int) -> None:
    session = pe.Session(text=" ".join("abcdefgh"[index % 8] for index in range(count)), encoding=name, model=ONE_HEAD)
    found = pe.measure("frequencies", session)
    frequencies = found.frequencies
    finished = (frequencies * (count - 1) >= 2 * math.pi - 1e-9).sum()
    assert found.value == len(frequencies) - int(finished)
    figure = pe.plot("frequencies", session)
    assert sum(row[-1] >= 1 - 1e-9 for row in table(figure).rows) == int(finished)
    (lines,) = (panel for panel in figure.panels if isinstance(panel, Lines))
    waves, *ends = lines.series
    if ends:
        assert int((waves.y <= ends[0].y[0] + 1e-4).sum()) == int(finished)


def test_the_mask_alone_tells_order_in_generation_too() -> None:
    model = CAUSAL.model_copy(update={"n_layers": 2})
    found = pe.measure("generation", pe.Session(text="a b c", encoding="none", model=model))
    assert "changes with the order" in found.reason
    assert "the mask alone reveals the order" in found.reason
    alone = pe.measure("generation", pe.Session(text="a b c", encoding="rope", model=model))
    assert "mask alone" not in alone.reason


def test_rounding_is_called_rounding() -> None:
    found = pe.measure("twins", pe.Session(text="a b b a", encoding="alibi", model=ONE_HEAD))
    assert found.value is not None
    assert found.value <= ROUNDING
    assert found.first is not None
    assert re.search(r"\d+\.\d+e", found.reason) is None
    assert "rounding" in found.reason


@pytest.mark.parametrize("name", ["rope", "t5", "alibi"])
def test_what_has_no_p_is_not_said_to_have_one(name: str) -> None:
    assert "p · p" not in pe.measure("similarity", pe.Session(encoding=name)).reason
    assert "p · p" in pe.measure("similarity", pe.Session(encoding="sinusoidal")).reason


# --- Plots ---------------------------------------------------------------------------------------------------------------


def test_scores_are_not_called_products_that_they_are_not() -> None:
    header = table(pe.plot("row", pe.Session(plots={"row": {"show": "numbers"}}))).header
    assert header[1] == "score without position"


def test_shaw_s_curves_say_that_they_are_added_to_keys() -> None:
    for plot in ("waves", "encoding"):
        (panel,) = pe.plot(plot, pe.Session(encoding="shaw")).panels
        assert panel.quantity == "added to a key"


def test_scale_means_one_thing_in_a_caption() -> None:
    caption = pe.plot("attention", pe.Session(encoding="t5", model=ONE_HEAD)).caption
    assert "one scale" not in caption
    assert "one colour scale" in caption
    scaled = pe.plot("attention", pe.Session(encoding="t5", model=ONE_HEAD.model_copy(update={"scale": 0.25}))).caption
    assert "are not divided" not in scaled


@pytest.mark.parametrize("plot", sorted(set(plots()) - {"sweep"}))
@pytest.mark.parametrize("name", ["sinusoidal", "alibi", "none"])
def test_each_plot_has_a_sentence_that_can_be_taken_in(plot: str, name: str) -> None:
    figure = pe.plot(plot, pe.Session(encoding=pe.encoding(name), model=ONE_HEAD))
    if figure.is_note:
        return
    told = quote_runs(figure.headline)
    assert told.endswith(".")
    assert len(told) <= 170, told  # two lines of a window 1,280 pixels wide
    names_verdicts = plot in ("requirements", "comparison")
    assert names_verdicts or any(run.kind == "number" for run in figure.headline), told
    for run in figure.headline:
        if plot in TOLD_APART or "%" in run.text:  # numbers that are not equal never read so
            continue
        digits = re.sub(r"e[-−]?\d+|[^0-9.]", "", run.text).lstrip("0.").replace(".", "")
        if run.kind == "number" and "," not in run.text:
            assert len(digits) <= 3, told


# --- Words ---------------------------------------------------------------------------------------------------------------


def test_what_holds_without_a_mask_alone_says_so() -> None:
    for word in ("Positional encoding", "Twins", "Equivariance"):
        assert "mask" in GLOSSARY[word]
    assert "mask" in pe.encoding("none").summary
    assert "No encoding" in GLOSSARY["Door"]


@pytest.mark.parametrize("n_heads", [1, 2, 3, 6, 12])
def test_the_largest_exponent_is_that_of_the_flattest_slope(n_heads: int) -> None:
    alibi = pe.encoding("alibi", bias_max=5.0)
    assert float(alibi.slopes(n_heads).min()) == pytest.approx(2**-5.0)
    assert "flattest" in (type(alibi).model_fields["bias_max"].description or "")


def test_heads_that_do_not_fit_are_told_what_else_would_do() -> None:
    with pytest.raises(ValueError, match=r"Heads.*d_head") as refusal:
        pe.ToyModel(d_model=16, n_heads=3)
    assert "1, 2, 4, 8, 16" in str(refusal.value)
    assert "n_heads may be" not in str(refusal.value)
    pe.ToyModel(d_model=16, n_heads=3, d_head=4)


@pytest.mark.parametrize(
    ("shape", "said"),
    [((15, 1, 15), "15: d_model 15 / 1 head"), ((16, 16, 1), "1: d_model 16 / 16 heads"), ((16, 2, 5), r"5\.$")],
)
def test_an_odd_width_is_told_where_it_comes_from(shape: tuple[int, int, int], said: str) -> None:
    with pytest.raises(Undefined, match=f"d_head must be even, not {said}"):
        pe.encoding("rope").check_shape(*shape)


def test_the_readme_promises_what_is_there() -> None:
    readme = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    table = readme.partition("| lab | asks |")[2].partition("\n\n")[0]
    titles = [lab_library.lab(name).title for name in lab_library.names()]
    assert [row.split(" | ")[0] for row in table.split("\n| ")[2:]] == titles


def test_slopes_drawn_are_those_of_the_keys_shown_beside_it() -> None:
    figure = pe.plot("slopes", pe.Session(text=LONG, focus=2, encoding="sinusoidal", model=ONE_HEAD))
    (panel,) = figure.panels
    assert max(panel.lines) < 512
    assert np.isfinite(panel.values).all()


# --- The fastest and the slowest, and where there is no further ---


def test_the_fastest_pair_is_the_fastest_whichever_way_it_turns() -> None:
    session = pe.Session(encoding="fourier", focus=3)
    figure = pe.plot("angles", session)
    told, (panel,) = quote_runs(figure.headline), figure.panels
    pairs = [int(one.label.removeprefix("pair ")) for one in panel.series]
    speeds = session.encoding.phases(torch.tensor([1.0]), 64, Context(6)).abs()[0]  # radians a word
    for pair in (max(pairs, key=speeds.__getitem__), min(pairs, key=speeds.__getitem__)):
        assert re.search(f"(?i)pair {pair} .*every {format_rough(math.tau / float(speeds[pair]))}", told), told
    assert "−" not in told
    assert pe.plot("clocks", session).panels[0].pairs[0] == speeds.argmax()


def test_twins_without_an_encoding_have_one_bar_a_stage() -> None:
    bars, _ = pe.plot("twins", pe.Session(encoding="none")).panels
    assert [series.label for series in bars.series] == ["without"]


# --- What a scaled rotation is called -------------------------------------------------------------------------------

SCALED = pe.Session(model=ONE_HEAD, encoding=pe.encoding("rope", scaling={"rope_type": "yarn", "factor": 8.0}))
UNNAMED = re.compile(r"(?<!Axial )(?<!M-)RoPE(?! \(YaRN\))")


@pytest.mark.parametrize("plot", sorted(plots().keys() - {"sweep"}))
def test_a_scaled_rotation_is_told_from_plain_one_in_every_picture(plot: str) -> None:
    figure = pe.plot(plot, SCALED)
    told = [quote_runs(figure.headline), figure.caption, figure.description, *(panel.title for panel in figure.panels)]
    assert not any(UNNAMED.search(one) for one in told), told
    assert not figure.subject or "YaRN" in figure.subject  # those of all encodings are of none


def test_a_scaled_rotation_is_told_from_plain_one_in_every_measure_and_beside_another() -> None:
    assert not any(UNNAMED.search(pe.measure(name, SCALED).reason) for name in pe.measures())
    beside = pe.plot("attention", SCALED.changed(other=pe.encoding("alibi")))
    assert [panel.title for panel in beside.panels][:2] == ["A: RoPE (YaRN)", "B: ALiBi"]
    assert quote_runs(beside.headline).startswith("With RoPE (YaRN), ")
