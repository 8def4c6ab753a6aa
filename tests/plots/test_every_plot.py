"""Every plot of every encoding: finite, in range, in words; and what each of the plots shows is what was computed."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sampled import some_pairs

import posenc_gui as pe
from posenc_gui.attention.layer import context_of
from posenc_gui.encodings.base import Context
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panels import Bars, Clocks, Flow, Hands, Heatmap, Lines, Note, Ranged, Series, Table
from posenc_gui.figure.ranges import end_before_largest
from posenc_gui.figure.runs import quote_runs
from posenc_gui.plots import plots
from posenc_gui.plots.base import WINDOW

every_plot = pytest.mark.parametrize("plot", pe.plots())
every_encoding = pytest.mark.parametrize("name", pe.encodings())
HAVING_CURVES = [
    name for name in pe.encodings() if pe.encoding(name).profile(torch.zeros(1).double(), 64, Context(1)) is not None
]
with_curves = pytest.mark.parametrize("name", HAVING_CURVES)


def plots_of_encodings(third: int) -> pytest.MarkDecorator:
    """A third of what the plots show of the encodings; of a plot that judges all encodings one is enough."""
    pairs = some_pairs(pe.plots(), pe.encodings(), third)
    of_all = [pair for pair in pairs if plots()[pair[0]].shows == "all"]
    return pytest.mark.parametrize(("plot", "name"), [pair for pair in pairs if pair not in of_all[1:]])


sentences = st.text(st.characters(), max_size=30) | st.lists(st.sampled_from(["the", "cat", "?"]), max_size=20).map(
    " ".join
)
spans = st.fixed_dictionaries({"first": st.integers(0, 1_000_000), "count": st.none() | st.integers(1, 100)})
options = st.fixed_dictionaries(
    {},
    optional={
        "attention": st.fixed_dictionaries(
            {
                "quantity": st.sampled_from(["probabilities", "scores", "position"]),
                "head": st.none() | st.integers(0, 5),
                "row": st.booleans(),
                "colours": st.sampled_from(["linear", "logarithmic"]),
            }
        ),
        "waves": spans,
        "angles": spans,
        "encoding": spans,
    },
)


def assert_plain(words: str) -> None:
    """One line without markup, which every renderer can set as it stands."""
    assert "\n" not in words
    assert not re.search(r"[\\$]|</?\w+>", words)


def assert_holds(low: float, values: np.ndarray, high: float) -> None:
    assert np.isfinite(values).all()
    slack = 1e-6 * (high - low)
    assert low - slack <= values.min() <= values.max() <= high + slack


def assert_presentable(figure: Figure) -> None:
    assert figure.title
    assert figure.description
    assert figure.panels
    assert_plain(figure.title)
    for panel in figure.panels:
        if isinstance(panel, Note):
            assert re.fullmatch(r"[A-Z“].*\.", panel.text)
            continue
        if isinstance(panel, Flow):
            for values, high in ((panel.numbers.products, panel.score_high), (panel.output, panel.vector_high)):
                assert_holds(-high, values, high)
            assert_holds(0, panel.numbers.weights, panel.weight_high)
            continue
        if isinstance(panel, Hands):
            assert_holds(-panel.high, np.array([key.parts for key in panel.shown]), panel.high)
            assert_holds(0, np.abs([panel.tips, *(key.tips for key in panel.keys)]), panel.longest)
            continue
        assert panel.title or isinstance(panel, Lines | Clocks)
        if not isinstance(panel, Table | Clocks):
            assert panel.quantity
        if isinstance(panel, Heatmap):
            seen = panel.values if panel.mask is None else panel.values[~panel.mask]
            if "its 1 is beyond the last colour" in figure.caption:
                seen = seen[seen < 1]
            if end_before_largest(panel.values.shape):
                seen = seen[np.abs(seen) <= panel.high]
            # A logarithmic scale ends four decades below its highest number: what is smaller has its last colour.
            assert_holds(0 if panel.log else panel.low, seen, panel.high)
            assert panel.scale == "sequential" or panel.low == -panel.high
            assert panel.mask is None or not panel.values[panel.mask].any()
            assert panel.rows.title
            assert panel.columns.title
        elif isinstance(panel, Clocks):
            assert all((*panel.labels, *panel.readings))
        elif isinstance(panel, Table):
            assert all(panel.header)
        elif isinstance(panel, Bars):
            for series in panel.series:
                assert_holds(panel.low, series.values, panel.high)
        elif isinstance(panel, Lines):
            assert panel.x.title
            for series in panel.in_sight().series:
                assert series.label or len(panel.series) == 1
                assert_holds(panel.low, series.y, panel.high)
                assert (np.diff(series.x) >= 0).all()
        elif isinstance(panel, Ranged):
            assert_holds(panel.low, panel.values, panel.high)


@pytest.mark.slow
@plots_of_encodings(0)
@settings(max_examples=5)
@given(text=sentences, chosen=options, causal=st.booleans(), focus=st.integers(0, 30))
def test_it_is_finite_in_range_and_described_for_any_session(
    plot: str, name: str, text: str, chosen: dict[str, Any], causal: bool, focus: int
) -> None:
    model = pe.ToyModel(d_model=24, causal=causal)
    session = pe.Session(text=text, encoding=pe.encoding(name), model=model, focus=focus, plots=chosen)
    figure = pe.plot(plot, session)
    assert figure.name == plot
    assert pe.Session.from_json(figure.session) == session
    assert_presentable(figure)


@plots_of_encodings(1)
def test_its_words_are_plain_for_the_default_sentence(plot: str, name: str) -> None:
    figure = pe.plot(plot, pe.Session(encoding=pe.encoding(name)))
    for words in (figure.title, quote_runs(figure.headline), figure.caption, figure.description):
        assert_plain(words)
    for panel in figure.panels:
        assert_plain(panel.title)


@every_plot
def test_it_declares_options_with_titles_and_descriptions(plot: str) -> None:
    declared = plots()[plot]
    assert declared.title
    assert re.fullmatch(r"[A-Z][^\n]*\.", declared.summary)
    assert re.fullmatch(r"[A-Z][^\n]{,39}\?", declared.question)
    for option in declared.options.model_fields.values():
        assert option.title
        assert option.description


@plots_of_encodings(2)
def test_an_empty_sentence_gives_a_figure(plot: str, name: str) -> None:
    assert_presentable(pe.plot(plot, pe.Session(text="", encoding=pe.encoding(name))))


# Attention


@pytest.mark.slow
@every_encoding
@settings(max_examples=6)
@given(head=st.none() | st.integers(0, 3), causal=st.booleans(), queries=st.sampled_from(["all", "one"]))
@pytest.mark.parametrize("quantity", ["probabilities", "scores", "position"])
def test_attention_maps_show_the_numbers_of_attend_on_one_scale(
    name: str, quantity: str, head: int | None, causal: bool, queries: str
) -> None:
    session = pe.Session(
        encoding=pe.encoding(name),
        model=pe.ToyModel(causal=causal),
        plots={"attention": {"quantity": quantity, "head": head, "queries": queries}},
    )
    figure = pe.plot("attention", session)
    plain = session.model.model_copy(update={"scale": session.encoding.scale(session.model.head_width)})
    compared = [session.changed(encoding="none", model=plain), session]
    if name == "none" or quantity == "position":
        compared = [session]
    assert len(figure.panels) == len(compared)
    assert len({(panel.low, panel.high, panel.scale) for panel in figure.panels}) == 1
    for panel, one in zip(figure.panels, compared, strict=True):
        heads = getattr(pe.attend(one), quantity)
        expected = heads.mean(0) if head is None else heads[head]
        if causal:
            expected = expected.tril()
        if queries == "one":
            expected = expected[session.focused : session.focused + 1]
        torch.testing.assert_close(torch.from_numpy(panel.values), expected)
        assert panel.title == one.encoding.title
        assert panel.rows.labels == (session.tokens if queries == "all" else ("sat",))
        assert panel.columns.labels == session.tokens
        assert panel.rows.focus == panel.columns.focus == session.focused
        assert panel.rows.first == (0 if queries == "all" else session.focused)
        assert panel.columns.twins == session.scene.sentence.twins
        assert panel.rows.twins == (
            session.scene.sentence.twins if queries == "all" else session.scene.sentence.twins & {session.focused}
        )
        assert (panel.mask is not None) == causal
    assert "toy model, seeded weights" in figure.caption


@settings(max_examples=6)
@given(length=st.integers(1, WINDOW + 200), focus=st.integers(0, WINDOW + 300))
@example(length=WINDOW, focus=100)
@example(length=WINDOW + 1, focus=WINDOW)
@example(length=WINDOW + 200, focus=0)
@example(length=WINDOW + 200, focus=WINDOW + 199)
def test_a_long_sentence_is_shown_whole_in_blocks_and_says_so(length: int, focus: int) -> None:
    text = " ".join(f"w{i % 50}" for i in range(length))
    session = pe.Session(text=text, focus=focus, model=pe.ToyModel(d_model=8, n_heads=2))
    figure = pe.plot("attention", session)
    shown = figure.panels[-1]
    each = -(-length // WINDOW)
    count = -(-length // each)
    assert shown.values.shape == (count, count)
    assert ("a block of" in figure.caption) == (length > WINDOW)
    whole = pe.attend(session).probabilities.mean(0)
    if each == 1:
        assert shown.rows.labels == shown.columns.labels == session.tokens
    else:
        whole = torch.nn.functional.avg_pool2d(whole[None, None], each, ceil_mode=True)[0, 0]
    torch.testing.assert_close(torch.from_numpy(shown.values), whole, atol=1e-6, rtol=1e-4)


@pytest.mark.parametrize(
    ("plot", "encoding", "chosen", "allowed"),
    [
        ("attention", "rope", {"head": 4}, "heads are 0 to 3"),
        ("waves", "sinusoidal", {"curves": (0, 64)}, "dimensions are 0 to 63"),
        ("waves", "rope", {"curves": (8,)}, "pairs are 0 to 7"),
        ("waves", "alibi", {"curves": (4,)}, "heads are 0 to 3"),
        ("angles", "rope", {"curves": (8,)}, "pairs are 0 to 7"),
        ("waves", "learned", {"first": 600}, "positions go from 0 to 511"),
        ("rulers", "rope", {}, "has no rulers"),
        ("offsets", "alibi", {}, "has no vectors of offsets"),
        ("angles", "alibi", {}, "has no angles"),
    ],
)
def test_what_does_not_exist_is_answered_with_a_sentence_where_the_picture_would_stand(
    plot: str, encoding: str, chosen: dict[str, Any], allowed: str
) -> None:
    figure = pe.plot(plot, pe.Session(encoding=encoding, plots={plot: chosen}))
    (note,) = figure.panels
    assert isinstance(note, Note)
    assert allowed in note.text
    assert note.text.endswith(".")
    assert note.text == figure.description


# Curves


def at_whole(series: Series) -> dict[int, float]:
    """A curve's values at whole coordinates."""
    return {int(x): float(y) for x, y in zip(series.x, series.y, strict=True) if x == int(x)}


def lines(plot: str, session: pe.Session) -> Lines:
    (panel,) = pe.plot(plot, session).panels
    assert isinstance(panel, Lines)
    return panel


def waves(session: pe.Session, **chosen: Any) -> Lines:
    return lines("waves", session.changed(plots={"waves": {"of_pair": "both", **chosen}}))


@with_curves
@settings(max_examples=6)
@given(first=st.integers(0, 300) | st.just(999_990), count=st.integers(2, 100), causal=st.booleans(), data=st.data())
def test_waves_are_the_encodings_numbers_at_the_positions_they_stand_at(
    name: str, first: int, count: int, causal: bool, data: st.DataObject
) -> None:
    session = pe.Session(encoding=pe.encoding(name), model=pe.ToyModel(causal=causal))
    chosen = tuple(data.draw(st.lists(st.integers(0, 3), min_size=1, max_size=4, unique=True)))
    factors_grow = name == "xpos"  # without bound
    limit = session.encoding.length_limit(64) or (2_000 if factors_grow else first + count)
    first = min(first, limit - 2)
    count = min(count, limit - first)
    panel = waves(session, first=first, count=count, curves=chosen)
    coordinates = torch.tensor(sorted(at_whole(panel.series[0])), dtype=torch.float64)
    profile = session.encoding.profile(coordinates, 64, context_of(6, session.model))
    columns = [item * profile.each + part for item in chosen for part in range(profile.each)]
    labels = [profile.labels[column] for column in columns]
    if session.encoding.across == "pair":
        labels = [f"pair {item} {wave}" for item in chosen for wave in ("cosine", "sine")]
    assert [series.label for series in panel.series] == labels
    for series, column in zip(panel.series, columns, strict=True):
        expected = profile.values[:, column].tolist()
        assert list(at_whole(series).values()) == pytest.approx(expected, rel=1e-6, abs=1e-5)
    if session.encoding.along == "position":
        assert list(coordinates) == list(range(first, first + count))


@with_curves
@pytest.mark.parametrize(("first", "count", "shown"), [(0, 20, 20), (3, 20, 20), (0, WINDOW + 9, WINDOW)])
def test_the_map_of_an_encoding_is_its_profile(name: str, first: int, count: int, shown: int) -> None:
    model = pe.ToyModel(d_model=600, causal=True)
    encoding = pe.encoding(name, **({"max_len": 600} if name == "learned" else {}))
    session = pe.Session(encoding=encoding, model=model, plots={"encoding": {"first": first, "count": count}})
    figure = pe.plot("encoding", session)
    (panel,) = figure.panels
    start = first if encoding.along == "position" else 0  # offsets begin at 0 under a causal mask
    assert (panel.rows.first, len(panel.values)) == (start, shown)
    coordinates = torch.arange(start, start + shown, dtype=torch.float64)
    profile = encoding.profile(coordinates, 600, context_of(6, model))
    torch.testing.assert_close(torch.from_numpy(panel.values), profile.values.float())
    assert (f"{shown} of {count}" in figure.caption) == (shown < count)


@with_curves
@settings(max_examples=6)
@given(length=st.integers(0, 32), first=st.integers(0, 40), count=st.integers(1, 100))
def test_every_token_in_sight_has_its_dot_on_each_curve(name: str, length: int, first: int, count: int) -> None:
    session = pe.Session(text="a " * length, encoding=pe.encoding(name))
    count = min(count, (session.encoding.length_limit(64) or 1000) - first)
    panel = waves(session, first=first, count=count)
    if panel.x.role != "position":
        return
    for series in panel.series:
        assert [x for x, _ in series.dots] == [float(x) for x in range(first, min(first + count, length))]
        for x, y in series.dots:
            assert y == at_whole(series)[int(x)]


def test_a_bias_has_no_values_between_offsets() -> None:
    panel = waves(pe.Session(encoding="alibi"), count=10)
    assert panel.series[0].x.tolist() == list(range(-9, 10))
    assert waves(pe.Session(encoding="alibi", model={"causal": True}), count=10).series[0].x[0] == 0


@pytest.mark.slow
@pytest.mark.parametrize("name", ["sinusoidal", "rope", "alibi"])
def test_131072_positions_are_thinned_to_their_envelope(name: str) -> None:
    session = pe.Session(encoding=pe.encoding(name), model=pe.ToyModel(causal=True))
    count = 131_072
    panel = waves(session, count=count, curves=(0,))
    coordinates = torch.arange(count, dtype=torch.float64)
    profile = session.encoding.profile(coordinates, 64, context_of(6, session.model))
    for column, series in enumerate(panel.series):
        exact = profile.values[:, column]
        assert 1000 < len(series.x) <= 8192
        assert (series.y == exact.float().numpy()[series.x.astype(int)]).all()
        assert float(series.y.max()) == pytest.approx(float(exact.max()), abs=1e-5)
        assert float(series.y.min()) == pytest.approx(float(exact.min()), rel=1e-5)


@pytest.mark.parametrize("name", ["sinusoidal", "integer"])
@settings(max_examples=6)
@given(first=st.integers(0, 1_000_000), count=st.integers(8193, 30_000))
@example(first=0, count=10_001)
def test_a_thinned_curve_begins_and_ends_where_the_whole_one_does(name: str, first: int, count: int) -> None:
    session = pe.Session(encoding=name)
    (series,) = waves(session, first=first, count=count, curves=(0,)).series
    ends = torch.tensor([first, first + count - 1], dtype=torch.float64)
    profile = session.encoding.profile(ends, 64, context_of(6, session.model))
    assert len(series.x) <= 8192
    assert [series.x[0], series.x[-1]] == ends.tolist()
    assert [series.y[0], series.y[-1]] == pytest.approx(profile.values[:, 0].tolist(), abs=3e-7)


@pytest.mark.parametrize("name", ["sinusoidal", "rope"])
@settings(max_examples=8)
@given(first=st.integers(0, 1_000_000), count=st.integers(1, 200))
def test_angles_grow_in_proportion_to_position(name: str, first: int, count: int) -> None:
    session = pe.Session(encoding=pe.encoding(name), plots={"angles": {"first": first, "count": count}})
    panel = lines("angles", session)
    width = 64 if name == "sinusoidal" else 16
    for series in panel.series:
        pair = int(series.label.removeprefix("pair "))
        assert series.x.tolist() == list(range(first, first + count))
        assert series.y == pytest.approx(series.x * 10_000 ** (-2 * pair / width) / (2 * math.pi), rel=1e-6)


def test_curves_mark_the_focus_and_the_end_of_the_sentence() -> None:
    session = pe.Session(focus=4)
    marks = {mark.kind: mark for mark in waves(session).marks}
    assert (marks["focus"].x, marks["focus"].label) == (4, "the")
    assert marks["end"].x == 5.5
    assert not waves(session, first=100).marks
    assert waves(session).x.labels == session.tokens


@pytest.mark.parametrize(
    ("length", "focus", "seen", "whole"),
    [(0, 0, (0, 31), (0, 31)), (6, 2, (0, 31), (0, 31)), (17, 16, (0, 31), (0, 33)), (100, 50, (34, 65), (0, 199)),
     (200, 199, (183, 214), (0, 255)), (600, 599, (568, 599), (344, 599))],
)  # fmt: skip
def test_automatic_are_32_positions_around_the_focus_of_those_to_which_one_zooms_out(
    length: int, focus: int, seen: tuple[int, int], whole: tuple[int, int]
) -> None:
    panel = waves(pe.Session(text="a " * length, focus=focus))
    assert panel.reach == whole
    shown = panel.in_sight()
    assert shown.reach == seen
    assert shown.seen is None
    for series, part in zip(panel.series, shown.series, strict=True):
        positions = range(seen[0], seen[1] + 1)
        assert at_whole(part) == {at: value for at, value in at_whole(series).items() if at in positions}
    asked = waves(pe.Session(text="a " * length, focus=focus), count=100)
    assert (asked.seen, asked.reach) == (None, (0, 99))


@pytest.mark.parametrize("name", ["sinusoidal", "rope", "alibi", "binary", "shaw"])
def test_without_asking_there_are_at_most_four_curves_of_a_pair_its_sine(name: str) -> None:
    session = pe.Session(encoding=pe.encoding(name), model=pe.ToyModel(n_heads=8))
    labels = [series.label for series in lines("waves", session).series]
    assert labels == {
        "sinusoidal": ["pair 0", "pair 4", "pair 8", "pair 12"],
        "rope": ["pair 0", "pair 1", "pair 2", "pair 3"],
        "alibi": ["head 0", "head 2", "head 5", "head 7"],
    }.get(name, ["dim 0", "dim 1", "dim 2", "dim 4"])


@pytest.mark.parametrize(("name", "parameters", "last"), [("learned", {"max_len": 8}, 7), ("one_hot", {}, 15)])
def test_automatic_ends_where_the_encoding_ends(name: str, parameters: dict[str, int], last: int) -> None:
    session = pe.Session(encoding=pe.encoding(name, **parameters), model=pe.ToyModel(d_model=16))
    assert max(at_whole(waves(session).series[0])) == last


@pytest.mark.parametrize("name", ["angles", "clocks"])
@pytest.mark.parametrize("layout", ["interleaved", "concatenated", "cosine_first"])
def test_one_dimension_makes_no_pair_and_says_so(name: str, layout: str) -> None:
    sinusoidal = pe.encoding("sinusoidal", spacing="tensor2tensor", layout=layout)
    figure = pe.plot(name, pe.Session(encoding=sinusoidal, model=pe.ToyModel(d_model=1, n_heads=1)))
    (note,) = figure.panels
    assert isinstance(note, Note)
    assert "pairs of dimensions" in note.text


@pytest.mark.parametrize("name", pe.plots())
@pytest.mark.parametrize("encoding", ["none", "alibi", "cope", "learned", "sinusoidal"])
def test_what_is_offered_in_place_of_a_picture_gives_one(name, encoding) -> None:
    for text in ("The cat sat on the mat", ""):
        session = pe.Session(text=text, encoding=encoding, plots={"sweep": {"number": "bass"}})
        (note,) = pe.plot(name, session).panels[:1]
        if isinstance(note, Note) and (remedy := note.remedy) and not remedy.command:
            options = session.options_of(name).model_copy(update=dict(remedy.options))
            helped = session.changed(**remedy.fields, plots=session.plots.model_copy(update={name: options}))
            panels = pe.plot(name, helped).panels
            assert note.text not in [panel.text for panel in panels if isinstance(panel, Note)]


def test_waves_of_a_real_shape_go_from_fast_to_slow_and_bases_show_the_same_pairs() -> None:
    wide = pe.ToyModel(d_model=512)
    for base in (100.0, 10_000.0, 500_000.0):
        session = pe.Session(encoding=pe.encoding("sinusoidal", base=base), model=wide)
        assert [one.label for one in lines("waves", session).series] == ["pair 0", "pair 34", "pair 69", "pair 103"]
    assert quote_runs(pe.plot("waves", session).headline) == "Pair 0 repeats every 6.3 words, pair 103 every 1,200."
    for layout in ("interleaved", "concatenated", "cosine_first"):  # whichever dimension has a pair's sine
        session = pe.Session(encoding=pe.encoding("sinusoidal", layout=layout), model=wide)
        first, *_ = lines("waves", session).series
        assert first.y == pytest.approx(np.sin(first.x), abs=1e-5)
        for wave in ("sine", "cosine", "both"):  # of turned pairs and of waves in vectors the same
            turned = session.changed(
                encoding="rope", model=pe.ToyModel(d_model=512, n_heads=1), plots={"waves": {"of_pair": wave}}
            )
            added = turned.changed(encoding=session.encoding)
            for one, other in zip(lines("waves", turned).series, lines("waves", added).series, strict=True):
                assert (one.label, one.y) == (other.label, pytest.approx(other.y, abs=1e-5))


def test_a_long_text_has_a_strip_of_which_a_part_is_in_sight_and_patches_break_curves_where_positions_jump() -> None:
    assert lines("waves", pe.Session(text="a " * 64)).whole is None
    panel = lines("waves", pe.Session(text="a " * 512, focus=300))
    assert (panel.whole, panel.seen) == ((0, 511), (284, 315))
    session = pe.Session(encoding="mrope", patches={"rows": 3, "columns": 4})
    time, *_ = lines("waves", session).series
    assert time.breaks == (14.0,)  # the last patch: words go on after the image
    assert not ((time.x > 14) & (time.x < 15)).any()
