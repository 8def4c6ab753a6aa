"""The session and its file: what was saved comes back, and whatever else is opened is refused in one line."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from any_session import sessions
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import posenc_gui as pe
from posenc_gui.attention.toy_model import MOST_LETTERS, MOST_TYPED
from posenc_gui.foundation.files import embedded_session, json_text
from posenc_gui.foundation.files.header import LARGEST_FILE
from posenc_gui.session import bookmarks
from posenc_gui.session.session import FILE
from posenc_gui.text import tokenization

one_folder = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


def file_of(content: object) -> str:
    return json.dumps({"format": FILE.format, "version": FILE.version, "session": content})


def refusal_of(data: str | bytes) -> ValueError | None:
    """The error with which a file's content is refused; None where it is a session."""
    try:
        session = pe.Session.read(data).content
    except ValueError as refusal:
        return refusal
    assert pe.Session.from_json(session.to_json()) == session
    return None


def assert_loads_or_refuses(data: str | bytes) -> None:
    refusal = refusal_of(data)
    if refusal is not None:
        assert type(refusal) is ValueError
        assert re.fullmatch(r".{10,1000}", str(refusal))


def assert_refused(data: str | bytes, *words: str) -> None:
    assert_loads_or_refuses(data)
    for word in ("this ", *words):
        assert word in str(refusal_of(data))


@pytest.mark.slow
@one_folder
@given(session=sessions)
def test_a_saved_session_comes_back_equal_and_with_the_same_hash(session: pe.Session, tmp_path: Path) -> None:
    path = tmp_path / "session.json"
    assert session.save(path) == path
    again = pe.Session.load(path)
    assert again == session
    assert hash(again) == hash(session)
    assert again.to_json() == session.to_json()
    assert again.n_tokens == session.n_tokens
    assert list(tmp_path.iterdir()) == [path]


@one_folder
@given(text=st.text(st.characters(codec=None), max_size=200))
def test_any_text_comes_back_from_its_file(text: str, tmp_path: Path) -> None:
    session = pe.Session(text=text)
    session.save(tmp_path / "session.json")
    assert pe.Session.load(tmp_path / "session.json").text == session.text


def test_a_text_that_looks_like_another_sessions_mark_comes_back_as_text(tmp_path: Path) -> None:
    session = pe.Session(text=f"see {embedded_session.session_marker(pe.Session(text='other').to_json())}")
    session.save(tmp_path / "session.json")
    assert pe.Session.load(tmp_path / "session.json") == session


@pytest.mark.slow
@given(sessions, sessions)
def test_sessions_are_equal_exactly_when_their_files_are(one: pe.Session, other: pe.Session) -> None:
    assert (one == other) == (one.to_json() == other.to_json())


def test_a_session_never_changes_and_a_change_is_a_new_one() -> None:
    session = pe.Session()
    with pytest.raises(ValueError, match="frozen"):
        session.text = "x"
    changed = session.changed(text="dog bites man")
    assert session.tokens[0] == "the"
    assert changed.tokens == ("dog", "bites", "man")
    assert changed.changed(text=session.text) == session


@given(st.integers(0, 10**9), st.integers(0, 6))
def test_the_focus_is_the_last_token_where_the_sentence_is_shorter(focus: int, length: int) -> None:
    session = pe.Session(text="a " * length, focus=focus)
    last = length - 1 if length else None
    assert session.focused == (min(focus, last) if length else None)
    assert session.keyed == session.focused
    assert session.changed(key=focus + 1).keyed == (min(focus + 1, last) if length else None)


@one_folder
@given(token=st.text(st.characters(codec=None), max_size=5))
@example(token="a\ud800")
def test_a_vector_typed_for_any_token_of_a_text_comes_back_from_the_file(token: str, tmp_path: Path) -> None:
    session = pe.Session(text=token, model=pe.ToyModel(d_model=2, n_heads=1, vectors=((token, (0.1, -2)),)))
    assert session.model.vectors[0][0] == session.text
    session.save(tmp_path / "session.json")
    assert pe.Session.load(tmp_path / "session.json") == session


def test_a_file_cut_short_anywhere_is_refused() -> None:
    data = pe.Session(text="狗 bites man").to_json().encode()
    for end in range(len(data)):
        assert_refused(data[:end], "damaged")


def test_a_slip_in_json_is_told_with_its_line_and_column() -> None:
    text = pe.Session(text="dog bites man", focus=1).to_json().replace('"focus": 1', '"focus": 1,,')
    line = text[: text.index(",,")].count("\n") + 1
    assert_refused(text, "its JSON is damaged or cut short at line ", f"line {line} column 16", "key must be a string")


@pytest.mark.parametrize("said", ['"focus": 1, "focus": 1', '"model": {"seed": 1, "seed": 2}'])
def test_what_is_said_twice_is_refused_by_its_name(said: str) -> None:
    name = "seed" if "seed" in said else "focus"
    assert_refused(file_of({}).replace("{}", f"{{{said}}}"), f"gives '{name}' twice in one object")


def test_the_same_name_in_two_places_is_said_once_in_each() -> None:
    session = pe.Session(plots={"row": {"head": 1}, "why": {"head": 1}}, model={"seed": 3})
    assert refusal_of(session.to_json()) is None


scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text()
anything = st.recursive(scalars, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=10)


@given(anything)
def test_foreign_json_is_refused(content: object) -> None:
    assert_refused(json.dumps(content))


@pytest.mark.parametrize("kind", [{}, {"format": None}, {"format": "posenc-gui lab"}, {"format": [FILE.format]}])
def test_another_kind_of_file_is_refused_however_alike(kind: dict[str, object]) -> None:
    assert_refused(json.dumps({**kind, "version": FILE.version, "session": {}}), "another kind of file")


@pytest.mark.slow
@given(st.dictionaries(st.sampled_from(list(pe.Session.model_fields)), anything, min_size=1))
def test_fields_of_any_value_give_a_session_or_one_line(content: dict[str, object]) -> None:
    assert_loads_or_refuses(file_of(content))


@given(st.binary())
def test_any_bytes_are_refused(data: bytes) -> None:
    assert_refused(data)


@pytest.mark.parametrize("version", [FILE.version + 1, FILE.version + 10**9])
def test_a_newer_file_says_that_it_is_newer(version: int) -> None:
    text = json.dumps({"format": FILE.format, "version": version, "session": {"new": 1}})
    assert_refused(text, "newer", str(version))


# --- What another version wrote -----------------------------------------------------------------------------------------


def written(session: dict[str, Any], by: str = "99.1.0", **parts: object) -> str:
    return json.dumps({**json.loads(pe.Session().to_json()), "written_by": by, "session": session, **parts})


UNKNOWN_PLOTS = {"spectrogram": {"window": 8}, "wheel": "slow", "attention": {"head": 1}}


def test_options_of_plots_that_are_not_known_are_left_out_and_named(tmp_path: Path) -> None:
    path = tmp_path / "newer.json"
    path.write_text(written({"focus": 1, "plots": UNKNOWN_PLOTS}), encoding="utf-8")
    opened = pe.Session.open(path)
    assert opened.content == pe.Session(focus=1, plots={"attention": {"head": 1}})
    assert opened.remarks == (
        "newer.json: left out the options of 'spectrogram' and 'wheel', since this explorer has no such plots.",
    )
    with pytest.warns(UserWarning, match=r"^newer.json: left out the options of 'spectrogram' and 'wheel', ") as warned:
        assert pe.Session.load(path) == opened.content
    with pytest.warns(UserWarning, match=r"^left out the options of 'wheel', since this explorer has no such plot\.$"):
        assert pe.Session.from_json(written({"plots": {"wheel": 1}})) == pe.Session()
    assert [warning.filename for warning in warned] == [__file__]


def test_a_figure_s_session_with_options_of_an_unknown_plot_is_opened(tmp_path: Path) -> None:
    figure = replace(pe.plot("waves", pe.Session()), session=written({"plots": UNKNOWN_PLOTS}))
    opened = pe.Session.open(figure.save(tmp_path / "newer.npz"))
    assert opened.content == pe.Session(plots={"attention": {"head": 1}})
    assert len(opened.remarks) == 1


def test_parts_beside_the_session_that_are_not_known_are_left_out_and_named() -> None:
    opened = pe.Session.read(written({"focus": 1}, voices=[1], zoom={"a": 2}))
    assert opened.content == pe.Session(focus=1)
    assert opened.remarks == ("left out 'voices' and 'zoom', which this explorer doesn't know in a session.",)


def test_a_thousand_unknown_names_are_told_in_a_line() -> None:
    many = {f"plot-{number} {'x' * 100}": {} for number in range(1000)}
    opened = pe.Session.read(written({"plots": many}, **many))
    assert opened.content == pe.Session()
    assert len(opened.remarks) == 2
    assert all("and 990 more" in remark and len(remark) < 1000 for remark in opened.remarks)


@pytest.mark.parametrize(
    ("session", "name"),
    [
        ({"mood": "glad"}, "mood: there is no such field"),
        ({"plots": {"attention": {"depth": 1}}}, "plots.attention.depth: there is no such field"),
        ({"encoding": {"name": "laplace"}}, "there is no encoding 'laplace'"),
        ({"encoding": {"name": "rope", "stretch": None}}, "there is no parameter 'stretch'"),
        ({"model": {"norm": "rms"}}, "model.norm: there is no such field"),
        ({"model": {"projections": "orthogonal"}}, "model.projections"),
        ([], "a group of fields"),
        ({"plots": [1]}, "plots"),
    ],
)
@pytest.mark.parametrize(("by", "is_newer"), [("99.1.0", True), (pe.__version__, False), ("?", False)])
def test_whatever_else_is_not_known_is_refused_by_its_name(session: object, name: str, by: str, is_newer: bool) -> None:
    text = written(session, by)
    assert_refused(text, name)
    assert str(refusal_of(text)).endswith("; a newer explorer wrote it, posenc-gui 99.1.0") == is_newer


def test_only_what_differs_is_written_and_who_wrote_it() -> None:
    session = pe.Session(focus=1, encoding="rope", plots={"waves": {"curves": (2,)}})
    assert json.loads(session.to_json()) == {
        "format": "posenc-gui session",
        "version": 2,
        "written_by": pe.__version__,
        "session": {"focus": 1, "encoding": {"name": "rope"}, "plots": {"waves": {"curves": [2]}}},
    }
    assert json.loads(pe.Session().to_json())["session"] == {}


@pytest.mark.parametrize("version", ["0", "-1", "1.5", "true", "null", '"1"', "[1]", "1" + "0" * 5000])
def test_a_version_that_is_none_is_refused(version: str) -> None:
    assert_refused(f'{{"format": "{FILE.format}", "version": {version}, "session": {{}}}}')


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999", "-1e999", "1" + "0" * 5000])
@pytest.mark.parametrize("field", ['"focus"', '"encoding": {"name": "rope", "base"', '"model": {"scale"'])
def test_numbers_that_are_none_are_refused(field: str, number: str) -> None:
    closing = "}" * field.count("{")
    assert_refused(f'{{"format": "{FILE.format}", "version": 1, "session": {{{field}: {number}{closing}}}}}')


@pytest.mark.parametrize("opening", ["[", '{"a":', '{"format": "posenc-gui session", "version": 1, "session": ['])
def test_deep_nesting_is_refused(opening: str) -> None:
    assert_refused(opening * 100_000)
    closing = "".join({"{": "}", "[": "]"}[bracket] for bracket in reversed(opening) if bracket in "{[")
    assert_refused(opening * 100_000 + "1" + closing * 100_000)


def test_a_huge_file_is_refused_without_being_read_whole(tmp_path: Path) -> None:
    path = tmp_path / "huge.json"
    with path.open("wb") as file:
        file.truncate(LARGEST_FILE + 1)
    with pytest.raises(ValueError, match=r"huge.json is larger than 50 MB"):
        pe.Session.load(path)


LARGEST = pe.Session(
    text="\x01" * tokenization.MAX_CHARACTERS,
    tokenizer="characters",
    order=tuple(reversed(range(tokenization.MAX_TOKENS))),
)


def test_a_session_larger_than_any_is_refused_before_it_is_parsed_and_the_largest_is_not(tmp_path: Path) -> None:
    assert 3 * len(LARGEST.save(tmp_path / "largest.json").read_bytes()) < FILE.largest
    assert pe.Session.load(tmp_path / "largest.json") == LARGEST
    larger = f'{{"format": "{FILE.format}", "padding": "{"x" * FILE.largest}", '  # and cut short, which nobody looks at
    for refused in (larger, larger.encode()):
        with pytest.raises(ValueError, match=r"^this session is larger than the limit of 25 MB\.$"):
            pe.Session.from_json(refused)


@pytest.mark.slow
def test_as_much_as_can_be_typed_is_saved_and_opened_again(tmp_path: Path) -> None:
    letters, row = "\x01" * (MOST_LETTERS // 200 - 3), (-1.2345678901234567e-100,) * (MOST_TYPED // 200)
    vectors = tuple((f"{number:03}{letters}", row) for number in range(200))
    session = LARGEST.changed(model=pe.ToyModel(d_model=len(row), n_heads=1, vectors=vectors))
    path = session.save(tmp_path / "most.json")
    assert path.stat().st_size + bookmarks.LARGEST < FILE.largest
    assert pe.Session.load(path) == session


def test_more_than_a_file_can_hold_can_not_be_typed() -> None:
    vectors = tuple((str(token), (0.0,) * 16_384) for token in range(25))
    with pytest.raises(ValueError, match=r"typed vectors have at most 250,000 numbers together, not 409,600"):
        pe.ToyModel(d_model=16_384, vectors=vectors)
    with pytest.raises(ValueError, match=r"tokens with typed vectors have at most 200,000 characters, not 200,001"):
        pe.ToyModel(d_model=1, n_heads=1, vectors=(("x" * 200_001, (0.0,)),))


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ('"order": [' + "[]," * json_text.MOST_VALUES + "[]]", r"holds more than 1,700,000 values"),
        (",".join(f'"k{n}": 1' for n in range(json_text.MOST_NAMES)), r"holds more than 25,000 names of fields"),
        ('"order": [' + "[]," * json_text.MOST_LISTS + "[]]", r"holds more than 50,000 lists"),
    ],
)
def test_more_values_lists_or_names_than_any_session_has_are_never_parsed(content: str, why: str) -> None:
    with pytest.raises(ValueError, match=rf"^this session {why}, more than any has\.$"):
        pe.Session.from_json(f'{{"format": "{FILE.format}", "version": 2, "session": {{{content}}}}}')
    assert refusal_of(file_of({"text": "[{,:" * 250_000})) is None


@pytest.mark.parametrize("content", [{"order": ["x"] * 9}, {"model": {"vectors": [["a", ["x"] * 9]]}}])
def test_of_a_long_list_only_the_first_mistake_is_looked_for(content: dict[str, Any]) -> None:
    assert_refused(file_of(content), "0: should be a")
    assert ";" not in str(refusal_of(file_of(content)))


@pytest.mark.parametrize("content", [b"", b"\x89PNG\r\n\x1a\n", b"[]", "\ufeff{}".encode("utf-16")])
def test_what_is_no_session_is_refused_with_the_files_name(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "holiday.json"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"^holiday.json: .*another kind of file\.$"):
        pe.Session.load(path)
