"""Bookmarks in a session's file: kept beside the session, never in its way, and what is damaged is told."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from any_session import sessions
from hypothesis import given
from hypothesis import strategies as st

import posenc_gui as pe
from posenc_gui.scene.setup import Setup
from posenc_gui.session import bookmarks
from posenc_gui.session.bookmarks import Bookmark, Document
from posenc_gui.session.card_layout import PART, Area
from tests.session.test_json_schema import takes
from tests.session.test_session import anything

ROPE = pe.Session(text="dog bites man", encoding="rope")
names = st.text(max_size=40)
documents = st.builds(
    lambda session, marks: Document(session, tuple(marks)),
    sessions,
    st.lists(
        st.builds(Bookmark, name=names, note=names, plot=st.sampled_from(["", *pe.plots()]), session=sessions),
        max_size=3,
    ),
)


def opened(**parts: object) -> pe.bookmarks.Opened[Document]:
    """Open a file with these parts."""
    return Document.of(pe.Session.read(json.dumps({**json.loads(pe.Session(focus=1).to_json()), **parts})))


def held(**fields: object) -> dict[str, Any]:
    """A bookmark as a file holds it."""
    return {"session": {"text": "dog bites man"}, **fields}


@pytest.mark.slow
@given(documents)
def test_they_come_back_beside_their_session_which_is_the_same_without(document: Document) -> None:
    text = document.to_json(Area(tabs=("tokens",)))
    read = pe.Session.read(text)
    assert (read.content, read.remarks) == (document.session, ())
    found = Document.of(read)
    assert (found.content, found.remarks) == (document, ())
    assert PART in found.beside
    assert takes(text)


@pytest.mark.slow
@given(documents)
def test_a_share_string_carries_them_where_it_stays_short(document: Document) -> None:
    shared = document.share()
    assert len(shared) <= max(2000, len(document.session.share()))
    found = Document.of(pe.Session.read_share(shared)).content
    assert found in (document, Document(document.session))


def test_six_of_a_talk_are_short_enough_to_be_shared_and_a_long_text_is_not() -> None:
    names = ("none", "sinusoidal", "rope", "alibi", "t5", "shaw")
    talk = Document(ROPE, tuple(Bookmark(name=name, session=ROPE.changed(encoding=name)) for name in names))
    assert Document.of(pe.Session.read_share(talk.share())).content == talk
    noise = Bookmark(session=pe.Session(text=" ".join(str(number**5) for number in range(600))))
    assert Document.of(pe.Session.read_share(Document(ROPE, (noise,)).share())).content == Document(ROPE)


def test_a_file_without_any_holds_nothing_beside_and_only_what_differs_is_written(tmp_path: Path) -> None:
    assert Document(ROPE).to_json() == ROPE.to_json()
    path = pe.Document(ROPE, (pe.Bookmark(name="RoPE", session=ROPE),)).save(tmp_path / "talk.json")
    assert json.loads(path.read_text(encoding="utf-8"))["bookmarks"] == [
        {"name": "RoPE", "session": {"text": "dog bites man", "encoding": {"name": "rope"}}}
    ]
    assert pe.Document.load(path).bookmarks[0].session == ROPE == pe.Session.load(path)


@pytest.mark.slow
@given(anything)
def test_whatever_stands_in_their_place_the_session_is_opened_and_it_is_told(content: object) -> None:
    given_ = json.loads(json.dumps(content), parse_constant=lambda _: None)  # JSON has no NaN and no infinity
    found = opened(bookmarks=given_)
    assert found.content == Document(pe.Session(focus=1))
    assert bool(found.remarks) == (given_ != [])


def test_damaged_ones_are_left_out_with_a_sentence_and_the_others_stay(tmp_path: Path) -> None:
    damaged = [{}, held(session={"mood": "glad"}), 7, held(name=3), held(mood="glad"), held(note="x" * 3000)]
    found = opened(bookmarks=[held(name="first"), *damaged, held(name="last")])
    assert [one.name for one in found.content.bookmarks] == ["first", "last"]
    (remark,) = found.remarks
    assert remark.startswith("left out 6 bookmarks that can't be used: 2 (a bookmark is an object with a session); 3 (")
    assert "mood: there is no such field" in remark
    assert remark.endswith("; and 3 more.")
    path = tmp_path / "damaged.json"
    path.write_text(json.dumps({**json.loads(ROPE.to_json()), "bookmarks": [held(), {}]}), encoding="utf-8")
    with pytest.warns(UserWarning, match=r"^damaged.json: left out a bookmark that can't be used: 2 \(") as warned:
        assert pe.Document.load(path) == Document(ROPE, (Bookmark(session=pe.Session(text="dog bites man")),))
    assert warned[0].filename == __file__


def test_of_thousands_the_first_stay() -> None:
    found = opened(bookmarks=[held(name=str(number)) for number in range(5000)])
    assert [one.name for one in found.content.bookmarks] == [str(number) for number in range(bookmarks.MOST)]
    assert found.remarks == ("left out 4,900 bookmarks, since a file holds at most 100.",)


def test_what_a_newer_explorer_has_is_left_out_by_its_name() -> None:
    found = opened(bookmarks=[held(plot="wheel", session={"focus": 1, "plots": {"wheel": {"turns": 3}}})] * 2)
    assert found.content.bookmarks == (Bookmark(session=pe.Session(focus=1)),) * 2
    assert found.remarks == (
        "left out the options of 'wheel', since this explorer has no such plot.",
        "left out the plot 'wheel' of a bookmark, since this explorer has no such plot.",
    )


def test_together_they_never_take_more_than_leaves_room_for_any_session(tmp_path: Path) -> None:
    most = Setup.model_fields["text"].metadata[0].max_length
    long = Bookmark(session=pe.Session(text="a" * most, order=()))
    fitting = 0
    while not bookmarks.refusal([long] * (fitting + 1)):
        fitting += 1
    assert 0 < fitting < bookmarks.MOST
    assert "3 MB" in bookmarks.refusal([long] * (fitting + 1))
    path = Document(pe.Session(text="狗" * most), (long,) * fitting).save(tmp_path / "large.json")
    assert len(Document.load(path).bookmarks) == fitting
    found = opened(bookmarks=[{"session": {"text": "a" * most}}] * (fitting + 1))
    assert (len(found.content.bookmarks), len(found.remarks)) == (fitting, 1)
    assert "100" in bookmarks.refusal([Bookmark(session=ROPE)] * 101)


@pytest.mark.parametrize("fields", [{"name": "x" * 201}, {"note": "x" * 2001}, {"plot": "wheel"}])
def test_what_is_none_is_refused(fields: dict[str, str]) -> None:
    with pytest.raises(ValueError, match=r"at most 200 |at most 2,000 |no plot 'wheel'"):
        Bookmark(session=ROPE, **fields)


def test_a_name_is_one_line() -> None:
    assert Bookmark(name=" two\nlines ", session=ROPE).name == "two lines"
