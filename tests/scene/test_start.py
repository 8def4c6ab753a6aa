"""A sentence that starts at a later position: what follows it, what stays as judged from 0, and what is said of it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import posenc_gui as pe
from posenc_gui.attention.engine import Engine
from posenc_gui.attention.layer import Prompt
from posenc_gui.figure.axis import Axis, Pointer
from posenc_gui.figure.panels import Lines, Note
from posenc_gui.figure.runs import quote_runs
from posenc_gui.session import change_names

SMALL = pe.ToyModel(d_model=16, n_heads=1, seed=334)
KEPT, MOVED = ("rope", "alibi", "t5", "xpos", "shaw"), ("sinusoidal", "normalized", "learned")


def scores(encoding: object, start: int, text: str = "The cat sat on the mat") -> torch.Tensor:
    """Return what attention gives, (h, n, n), without asking the scene what depends on the start."""
    scene = pe.Session(text=text, encoding=encoding, start=start).scene
    positions = range(start, start + scene.n_tokens)
    prompt = Prompt(scene.tokens, scene.model, scene.encoding, positions)
    return Engine().maps(prompt, range(scene.n_tokens)).scores


def told(plot: str = "attention", **fields: object) -> str:
    return quote_runs(pe.plot(plot, pe.Session(**{"model": SMALL, "start": 100} | fields)).headline)


@settings(max_examples=20)
@given(name=st.sampled_from((*KEPT, *MOVED)), start=st.integers(1, 400), words=st.integers(2, 12))
def test_scores_follow_offsets_alone_or_the_start(name: str, start: int, words: int) -> None:
    text = " ".join(f"w{at % 5}" for at in range(words))
    here, from_zero = (scores(name, one, text) for one in (start, 0))
    apart = float((here - from_zero).abs().max()) / max(1.0, float(here.abs().max()))
    assert apart <= 1e-5 if name in KEPT else apart > 1e-5
    if name in KEPT:
        assert torch.allclose(pe.attend(pe.Session(text=text, encoding=name, start=start)).scores, here, atol=1e-4)


def test_rescaled_rotations_do_depend_on_it() -> None:
    dynamic = pe.encoding("rope", scaling={"rope_type": "dynamic", "factor": 4, "original_max_position_embeddings": 64})
    assert float((scores(dynamic, 500) - scores(dynamic, 0)).abs().max()) > 1e-3


@pytest.mark.parametrize("encoding", ["sinusoidal", "mrope"])
def test_positions_and_their_number_count_from_it(encoding: str) -> None:
    scene = pe.Session(encoding=encoding, start=100).scene
    assert scene.positions == range(100, 106)
    assert scene.context.length == 106
    assert scene.at(torch.tensor([100.0, 105.0])).tolist() == [100.0, 105.0]
    patched = scene.changed(patches={"rows": 2, "columns": 3, "before": 1})
    places = patched.at(torch.tensor([100.0, 101.0, 106.0, 107.0], dtype=torch.float64)).tolist()
    if encoding == "mrope":  # the text goes on one past the largest coordinate of the grid
        assert places == [[100] * 3, [101] * 3, [101, 102, 103], [104] * 3]
        assert patched.context.length == 109
    assert (patched.focused, patched.keyed, scene.sentence.twins) == (2, 2, {0, 4})


def test_what_judges_the_encoding_counts_from_zero() -> None:
    here, from_zero = (pe.Session(encoding="normalized", start=start) for start in (100, 0))
    for name in ("requirements", "kernel", "length", "shift", "similarity"):
        assert pe.measure(name, here).reason == pe.measure(name, from_zero).reason
    assert pe.plot("similarity", here).caption == pe.plot("similarity", from_zero).caption


def test_files_undo_and_sweeps_know_it(tmp_path: Path) -> None:
    session = pe.Session(start=100)
    assert pe.Session.load(session.save(tmp_path / "a.json")) == session == pe.Session.from_share(session.share())
    assert '"start"' not in pe.Session().to_json()
    assert change_names.between(pe.Session(), session).name == "Starts at 0 → 100"
    assert change_names.between(session, session.changed(focus=4)).name == "Focus on “the” at 104"
    swept = pe.sweep("attention", session, "start", [0, 10, 100])
    assert ["from position" in one.caption for one in swept] == [False, True, True]
    with pytest.raises(ValueError, match="at most 1,000"):
        session.changed(start=1001)


@pytest.mark.slow
def test_a_model_that_has_learned_refuses_it(checkpoint_folder: Callable[[str], Path]) -> None:
    model = pe.open_model(checkpoint_folder("bert"))
    with pytest.raises(ValueError, match=r"^bert has learned to start at 0: leave the start there$"):
        pe.Session(model=model, start=1)
    assert pe.Session(start=100).with_trained(model).start == 0


def test_axes_of_positions_run_in_positions_and_pointers_name_tokens() -> None:
    waves = pe.plot("waves", pe.Session(start=100)).panels[0]
    assert isinstance(waves, Lines)
    assert (waves.x.first, waves.x.focus, waves.x.twins, waves.x.labels[:2]) == (100, 102, {100, 104}, ("the", "cat"))
    assert waves.series[0].dots[0][0] == 100
    queries = pe.plot("attention", pe.Session(start=100)).panels[0].rows
    assert (queries.first, queries.name(4), waves.x.name(104)) == (0, "query the (104)", "position the (104)")
    assert Axis("offset", "offset", start=100).pointed(-3) == ("offset", -3)


@given(start=st.integers(0, 1000), token=st.integers(0, 9))
def test_a_pointer_is_at_the_same_token_on_every_axis(start: int, token: int) -> None:
    query, position = (Axis(role, role, start=start) for role in ("query", "position"))
    there = Pointer((position.pointed(start + token),))
    assert (query.shown(there), position.shown(there)) == (token, start + token)
    assert position.shown(Pointer((query.pointed(token),))) == start + token


@pytest.mark.parametrize(
    ("sentence", "says"),
    [
        (partial(told, encoding="rope"), "between two changes. Just as from 0, “sat” gives the two “the” 0.27 and 0.17."),
        (partial(told, "slopes", encoding="rope"), "“sat” gives both “the” 0.23. With RoPE, counted from 100, 0.27 and 0.17."),
        (partial(told, encoding="t5"), "Counted from 100, no distance between words changes. Just as from 0, “sat” "),
        (partial(told, encoding="rope", strength=0.0), "100, no score changes. Just as from 0, “sat” gives both “the” 0.23."),
        (partial(told), "vectors are added: “sat” gives the two “the” 0.27 and 0.13 instead of 0.43 and 0.17."),
        (partial(told, text="dog bites man"), "“man” attends most to “bites”: 0.60. From 0, most to itself"),
        (partial(told, text="dog bites man", encoding="rope"), "changes. Just as from 0, “man” attends most to “dog”: 0.44."),
        (partial(told, text="hello"), "“hello” sees itself alone: its weight is 1, counted from 100 and from 0."),
        (partial(told, encoding="rope", other="sinusoidal"), "Counted from 100, with RoPE, “sat” gives the two “the” "),
        (partial(told, encoding="none"), "Without position, “sat” gives both “the” 0.23."),
        (partial(told, encoding="rope", model=pe.ToyModel(), plots={"attention": {"head": 1}}), "In head 1, counted from 100, "),
    ],
)  # fmt: skip
def test_the_headline_says_what_becomes_of_the_numbers(sentence: Callable[[], str], says: str) -> None:
    assert says in sentence()


def test_a_table_that_ends_draws_what_it_has_and_offers_to_start_at_zero() -> None:
    session = pe.Session(encoding=pe.encoding("learned", max_len=64), start=62)
    for plot in ("waves", "encoding"):
        assert quote_runs(pe.plot(plot, session).headline).endswith("Positions 64 to 67 have no vector.")
    (note,) = pe.plot("attention", session).panels
    assert isinstance(note, Note)
    assert note.remedy is not None
    assert dict(note.remedy.fields) == {"start": 0}
    assert not pe.plot("attention", session.changed(**note.remedy.fields)).is_note
