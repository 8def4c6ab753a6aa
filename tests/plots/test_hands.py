"""Two hands: what each pair adds to a score, under every rotation, and which keys, pairs and words are shown."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import posenc_gui as pe
from posenc_gui import encodings
from posenc_gui.encodings.base import RotationEncoding
from posenc_gui.figure.axis import Pointer
from posenc_gui.figure.panels import Hands
from posenc_gui.figure.panels.hands import HIDDEN, as_summed
from posenc_gui.figure.runs import quote_runs
from posenc_gui.session.first_session import first_session

ROTATIONS = [name for name, kind in encodings.classes().items() if issubclass(kind, RotationEncoding)]
SCALED = (
    {"rope_type": "yarn", "factor": 4.0},
    {"rope_type": "linear", "factor": 2.0},
    {"rope_type": "dynamic", "factor": 3.0},
)


def hands(session: pe.Session, **options: object) -> Hands:
    (panel,) = pe.plot("hands", session.changed(plots={"hands": options})).panels
    assert isinstance(panel, Hands)
    return panel


@st.composite
def turned(draw: st.DrawFn) -> pe.Encoding:
    """A rotation with its pairing, its share of turned dimensions and its scaling, as far as it has them."""
    name = draw(st.sampled_from(ROTATIONS))
    has = type(pe.encoding(name)).model_fields
    fields: dict[str, object] = {}
    if "pairing" in has:
        fields["pairing"] = draw(st.sampled_from(["half", "interleaved"]))
    if "fraction" in has:
        fields["fraction"] = draw(st.sampled_from([0.25, 0.5, 1.0]))
    if name == "rope" and draw(st.booleans()):
        fields["scaling"] = draw(st.sampled_from(SCALED))
    return pe.encoding(name, **fields)


@settings(max_examples=60)
@given(
    encoding=turned(),
    d_head=st.sampled_from([8, 16, 40]),
    seed=st.integers(0, 99),
    focus=st.integers(0, 5),
    start=st.sampled_from([0, 7, 1000]),
    strength=st.sampled_from([0.0, 0.4, 1.0]),
    head=st.integers(0, 1),
)
def test_the_parts_of_all_pairs_are_the_score_before_mask_and_cap(
    encoding: pe.Encoding, d_head: int, seed: int, focus: int, start: int, strength: float, head: int
) -> None:
    model = pe.ToyModel(d_model=2 * d_head, n_heads=2, seed=seed)
    session = pe.Session(encoding=encoding, model=model, focus=focus, start=start, strength=strength)
    panel, found = hands(session, head=head), pe.attend(session)
    positions = session.scene.at(torch.arange(start, start + 6, dtype=torch.float64))
    rotated = [
        session.scene.prompt.encoding.rotate(of[head].double(), positions, side, session.scene.context)
        for side, of in (("query", found.queries), ("key", found.keys))
    ]
    for key in panel.keys:
        exact = float(rotated[0][focus] @ rotated[1][key.at]) * encoding.scale(d_head)
        largest = max(abs(part) for part in key.parts)
        assert sum(key.parts) == pytest.approx(exact, abs=1e-6 * max(largest, 1))
        assert key.score == pytest.approx(float(found.scores[head, focus, key.at]), abs=1e-5 * max(largest, 1))
        of_clocks = (panel.tips * key.tips.conj()).real * encoding.scale(d_head)
        np.testing.assert_allclose(of_clocks, key.parts[: len(panel.pairs)], rtol=1e-9, atol=1e-9)


def test_the_first_session_under_rope_has_the_numbers_of_its_drawing():
    figure = pe.plot("hands", first_session().changed(encoding="rope"))
    (panel,) = figure.panels
    first, second = panel.shown
    assert as_summed(first.parts) == ["0.44", "2.04", "−0.79", "−0.17", "−0.25", "−0.45", "−0.20", "0.16"]
    assert (round(first.score, 2), panel.weights([first, second])) == (0.78, ["0.27", "0.17"])
    assert (as_summed(second.parts)[0], round(second.score, 2)) == ("−0.28", 0.32)
    told = "The two “the” part most in pair 0: 0.44 against −0.28; pair 1 counts most in both."
    assert quote_runs(figure.headline) == told


def test_from_another_start_hands_turn_and_no_wedge_does():
    session = first_session().changed(encoding="rope")
    before, after = hands(session), hands(session, start=33.25)
    assert np.abs(after.tips - before.tips).max() > 0.5
    for one, other in zip(before.keys, after.keys, strict=True):
        np.testing.assert_allclose(other.parts, one.parts, atol=1e-5)
        assert other.weight == pytest.approx(one.weight, abs=1e-5)
    np.testing.assert_allclose(hands(session.changed(start=7)).tips, hands(session, start=7).tips, atol=1e-5)


def test_at_strength_0_no_hand_is_turned_and_a_hidden_key_has_hands():
    session = first_session().changed(encoding="rope", strength=0.0)
    panel = hands(session.changed(model=session.model.model_copy(update={"causal": True})))
    first, second = panel.shown
    np.testing.assert_array_equal(first.tips, second.tips)
    assert (second.weight, panel.weights([second])) == (None, [HIDDEN])
    assert HIDDEN in panel.read(len(panel.columns), panel.keys.index(second))


def test_wide_heads_show_the_fastest_the_slowest_and_the_pairs_that_matter():
    session = pe.Session(encoding="rope", model=pe.ToyModel(d_model=128, n_heads=1))
    panel = hands(session)
    every = hands(session, pairs=tuple(range(64)))
    parts = np.array([key.parts for key in every.shown])
    assert {0, 63, int(np.abs(parts).max(axis=0).argmax()), int(np.ptp(parts, axis=0).argmax())} <= {*panel.pairs}
    assert panel.columns[-1] == "56 more"
    assert [key.score for key in panel.shown] == pytest.approx([key.score for key in every.shown], abs=1e-6)


def test_the_selected_key_has_the_first_row_and_axes_are_named():
    session = first_session().changed(encoding="mrope", key=1)
    panel = hands(session)
    assert panel.shown[0].at == 1
    assert panel.columns[0] == "pair 0 · time"
    assert panel.pointer(0, 1) == Pointer((("query", 2), ("key", 1), ("pair", 0)))


@pytest.mark.parametrize("name", ["sinusoidal", "alibi", "none"])
def test_an_encoding_that_turns_nothing_is_refused(name):
    figure = pe.plot("hands", pe.Session(encoding=name))
    (note,) = figure.panels
    assert "turns no queries and keys" in note.text


@given(st.lists(st.floats(-1e4, 1e4), min_size=1, max_size=12))
def test_written_parts_add_up_to_the_written_sum(parts: list[float]) -> None:
    written = [round(100 * float(text.replace("−", "-"))) for text in as_summed(parts)]
    assert sum(written) == round(100 * sum(parts)) or abs(100 * sum(parts) % 1 - 0.5) < 1e-6
    assert all(abs(one - 100 * part) < 1 + 1e-6 for one, part in zip(written, parts, strict=True))


def test_with_fewer_clocks_the_score_stays_and_the_pairs_that_are_told_are_kept():
    panel = hands(first_session().changed(encoding=pe.encoding("rope", fraction=0.5)))
    few = panel.fitting(2)
    assert (few.columns[-2:], few.more, len(few.pairs)) == (("2 more", "unturned"), 2, 2)
    assert {panel.pairs[at] for at in panel.told} == {few.pairs[at] for at in few.told}
    assert [key.score for key in few.keys] == pytest.approx([key.score for key in panel.keys])


def test_pairs_that_a_rotation_leaves_are_named_in_all_plots_of_pairs():
    session = pe.Session(encoding=pe.encoding("rope", fraction=0.5), model={"d_model": 32, "n_heads": 1})
    for plot in ("angles", "clocks", "frequencies", "hands", "waves"):
        assert "pairs 8 to 15 aren’t turned" in pe.plot(plot, session).caption
        assert "aren’t turned" not in pe.plot(plot, session.changed(encoding="rope")).caption
    chosen = session.changed(plots={"waves": {"curves": (0, 8)}})
    labels = [series.label for series in pe.plot("waves", chosen).panels[0].series]
    assert labels == ["pair 0", "pair 8, not turned"]
