"""What a demonstration shows, and that it ends where it began."""

from __future__ import annotations

import pytest

import posenc_gui as pe
from posenc_gui.session.demonstration import MOST_TOKENS, can_demonstrate, demonstration


def scenes(session: pe.Session, *, still: bool = False):
    return list(demonstration(session, session.scene.sentence.split(), still=still))


def test_two_words_change_places_and_position_comes_in_by_degrees():
    session = pe.Session(text="the cat sat on the mat", encoding="sinusoidal", focus=2)
    first, back, *degrees, last = scenes(session)
    assert first.session.tokens == ("the", "on", "sat", "cat", "the", "mat")  # neither the focus nor a twin
    assert back.session == last.session == session
    strengths = [scene.session.strength for scene in degrees]
    assert strengths[0] == 0
    assert strengths == sorted(strengths)
    assert 3 < sum(scene.seconds for scene in (first, back, *degrees)) < 5


def test_without_motion_position_comes_in_at_once():
    strengths = [scene.session.strength for scene in scenes(pe.Session(text="dog bites man"), still=True)]
    assert strengths == [1, 1, 0, 1]


@pytest.mark.parametrize("encoding", pe.encodings())
def test_every_encoding_is_shown_as_far_as_it_can_be(encoding):
    session = pe.Session(text="dog bites man", encoding=encoding)
    shown = scenes(session)
    assert shown[-1].session == session
    assert {scene.session.strength for scene in shown} > {1.0} or not session.has_degrees
    assert any(scene.session.order for scene in shown)
    assert can_demonstrate(session, session.scene.sentence.split())


@pytest.mark.parametrize(
    "session",
    [
        pe.Session(text=""),
        pe.Session(text="no no no", encoding="none"),
        pe.Session(text="a b", fill="repeat", fill_to=65),
    ],
)
def test_where_there_is_nothing_to_be_seen_nothing_is_shown(session):
    assert len(session.tokens) > MOST_TOKENS or len(set(session.tokens)) < 2
    assert scenes(session) == []
    assert not can_demonstrate(session, session.scene.sentence.split())
