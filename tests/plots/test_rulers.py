"""The pictures of the score door and of tables: what a ruler, a vector's bar and a row show is what attention adds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import posenc_gui as pe
from posenc_gui.figure.panels import Bars, Heatmap, Lines
from posenc_gui.figure.runs import quote_runs
from posenc_gui.session.first_session import first_session

FIRST = first_session()
SENTENCES = st.lists(st.sampled_from(["the", "cat", "sat", "on"]), min_size=1, max_size=20).map(" ".join)


def ruler(session: pe.Session) -> Lines:
    (panel,) = pe.plot("rulers", session).panels
    assert isinstance(panel, Lines)
    return panel


def added(session: pe.Session) -> np.ndarray:
    """What position adds to the scores of the query in focus, of each head and key."""
    scores = [pe.attend(one).scores for one in (session, pe.Session(**dict(session.scene.without_position.setup)))]
    return np.asarray(scores[0] - scores[1])[:, session.scene.focused or 0]


@given(
    SENTENCES, st.sampled_from(["alibi", "t5", "kerple", "fire", "sandwich", "cope", "fox"]), st.booleans(), st.data()
)
def test_each_word_stands_at_its_distance_and_as_high_as_what_is_added_to_its_score(
    text, encoding, causal, data
) -> None:
    focus = data.draw(st.integers(0, len(text.split()) - 1))
    session = pe.Session(text=text, encoding=encoding, focus=focus, model={"n_heads": 2, "causal": causal})
    found = ruler(session)
    keys = range(focus + 1 if causal else session.scene.n_tokens)
    for head, series in enumerate(found.series):
        assert [dot[0] for dot in series.dots] == [key - focus for key in keys]
        np.testing.assert_allclose([dot[1] for dot in series.dots], added(session)[head, : len(keys)], atol=2e-5)


def test_one_head_of_alibi_stands_beside_the_published_eight_and_can_have_the_first_slope() -> None:
    session = FIRST.changed(encoding="alibi")
    figure = pe.plot("rulers", session)
    *published, own = ruler(session).series
    assert [one.y[one.x == -1][0] for one in published] == [-(2.0**-head) for head in range(1, 9)]  # BLOOM's and MPT's
    np.testing.assert_array_equal(own.y, published[-1].y)
    assert "99.6% of the weight of an equal one at its place, 3 steps away 98.8%" in quote_runs(figure.headline)
    steep = session.changed(**figure.remedy.fields)
    np.testing.assert_array_equal(ruler(steep).series[-1].y, published[0].y)
    assert steep.model == session.model
    figure = pe.plot("rulers", steep)
    assert figure.remedy is None
    assert "largest exponent 1 is not the default, 8" in figure.caption


def test_buckets_are_stairs_and_the_headline_says_from_where_distances_share_them() -> None:
    figure = pe.plot("rulers", FIRST.changed(encoding="t5", plots={"rulers": {"reach": 130}}))
    assert "From 8 steps on it no longer tells every distance apart, from 91 on none." in quote_runs(figure.headline)
    (panel,) = figure.panels
    past = panel.series[0].y[panel.series[0].x < -91]
    assert len(set(past.tolist())) == 1
    assert "bucket 15" in [mark.label for mark in panel.marks]


@pytest.mark.parametrize("start", [0, 100])
@pytest.mark.parametrize("encoding", ["shaw", pe.encoding("deberta", terms="c2p"), "inkling"])
def test_a_bar_is_what_the_query_makes_of_the_vector_at_each_word(encoding, start) -> None:
    session = FIRST.changed(encoding=encoding, start=start)
    vectors, bars = pe.plot("offsets", session).panels
    assert isinstance(vectors, Heatmap)
    assert isinstance(bars, Bars)
    np.testing.assert_allclose(bars.series[0].values, added(session)[0], atol=1e-5)
    assert vectors.rows.labels == session.tokens


def test_the_table_has_a_row_a_word_and_tells_how_far_equal_words_are_apart() -> None:
    figure = pe.plot("encoding", FIRST.changed(encoding="integer"))
    (table,) = figure.panels
    assert table.values.tolist() == [[float(at)] * 16 for at in range(6)]
    assert "The rows of the two “the” are 16 apart" in quote_runs(figure.headline)  # √(16 · 4²)
    assert table.rows.twins == {0, 4}


def test_a_headline_says_where_the_scale_is_another_and_where_nothing_is_seen_to_move() -> None:
    def said(**changed: Any) -> str:
        return quote_runs(pe.plot("attention", FIRST.changed(**changed)).headline)

    assert said(encoding="t5").endswith("q · k counts 4 times as much as usual: it isn’t divided by √16.")
    assert said(encoding="alibi").endswith("still 0.23 each. Both stand equally far from “sat”.")
    at_most = "Distance parts two scores of this sentence by at most 0.02."  # 5 / 256
    assert said(encoding="alibi", focus=1).endswith(at_most)
    assert "usual" not in said(encoding="rope")


def test_of_a_bias_with_a_sign_the_keys_before_the_query_are_told() -> None:
    signed = pe.Session(
        text="The cat sat on the mat",
        encoding=pe.encoding("own", formula="bias[m, n, h] = (n - m) * 0.3"),
        model=pe.ToyModel(n_heads=1),
    )
    assert quote_runs(pe.plot("rulers", signed).headline) == (
        "One step before “sat” a word has 74.1% of the weight of an equal one at its place, 2 steps before 54.9%."
    )
