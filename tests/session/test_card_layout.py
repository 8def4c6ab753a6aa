"""The layout of cards in a session's file: saved beside the session, and never an obstacle to it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import posenc_gui as pe
from posenc_gui.foundation.files.header import Opened
from posenc_gui.session import json_schema
from posenc_gui.session.card_layout import PART, Area
from tests.session.test_session import anything

NAMES = ["tokens", "encoding", "plot.waves", "plot.none", "lab"]
areas = st.recursive(
    st.builds(Area, share=st.integers(1, 999), tabs=st.lists(st.sampled_from(NAMES), max_size=3).map(tuple)),
    lambda inner: st.builds(lambda across, parts: Area(**{across: parts}), st.sampled_from(["across", "down"]),
                            st.lists(inner, min_size=1, max_size=3).map(tuple)),
    max_leaves=8,
)  # fmt: skip


@pytest.mark.slow
@given(areas)
def test_it_comes_back_beside_its_session_which_is_the_same_without(area: Area) -> None:
    session = pe.Session(text="dog bites man")
    text = session.to_json(area.beside)
    opened = pe.Session.read(text)
    assert (opened.content, opened.remarks) == (session, ())
    assert Area.read(opened.beside[PART]) == area
    assert pe.Session.from_json(text) == session


def test_a_file_without_it_holds_nothing_beside(tmp_path: Path) -> None:
    path = pe.Session().save(tmp_path / "a.json")
    assert pe.Session.open(path) == Opened(pe.Session())
    assert PART not in path.read_text(encoding="utf-8")
    assert pe.Session.load(pe.Session(focus=1).save(path, Area(tabs=("tokens",)).beside)) == pe.Session(focus=1)


@pytest.mark.slow
@given(anything)
def test_whatever_stands_in_its_place_the_session_is_opened(content: object) -> None:
    held = json.loads(json.dumps(content), parse_constant=lambda _: None)  # JSON has no NaN and no infinity
    text = json.dumps({**json.loads(pe.Session(focus=1).to_json()), PART: held})
    assert pe.Session.from_json(text) == pe.Session(focus=1)


@given(areas)
def test_of_it_only_known_cards_are_left_each_once_and_nothing_empty(area: Area) -> None:
    known = [name for name in NAMES if name != "plot.none"]
    only = area.only(known)
    named = [name for tabs in only.places() for name in tabs]
    assert set(named) == {name for tabs in area.places() for name in tabs} & set(known)
    assert len(named) == len(set(named))
    assert all(any(part.places()) for part in only.parts)


@pytest.mark.parametrize("area", [{"tabs": ["a"], "down": [{}]}, {"share": 0}, {"tabs": "a"}, {"left": []}])
def test_what_is_none_is_refused(area: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"only one of|greater than|valid tuple|Unexpected keyword"):
        Area.read(area)


def test_one_larger_than_any_is_refused_before_it_is_checked() -> None:
    with pytest.raises(ValueError, match="larger than any"):
        Area.read({"down": [{"tabs": [1] * 100}] * 1000})


def test_the_schema_knows_it() -> None:
    described = json_schema.session_schema()["properties"][PART]
    assert described == {"$ref": "#/$defs/Area"}
