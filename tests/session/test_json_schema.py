"""The schema of session files: what it takes is opened, what is written it takes, and what it refuses is refused."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import jsonschema
import pytest
from any_session import sessions
from hypothesis import given
from hypothesis import strategies as st

import posenc_gui as pe
from posenc_gui import cli, encodings
from posenc_gui.encodings.common.trained import KINDS
from posenc_gui.foundation.resources import folder
from posenc_gui.session import json_schema
from tests.session.test_session import UNKNOWN_PLOTS, anything, file_of, refusal_of, written
from tests.whole.test_recorded import FORMATS, RECORDED, SESSIONS

SCHEMA = json_schema.session_schema()
FILE_NAME = "session.schema.json"
JUDGE = jsonschema.Draft202012Validator(SCHEMA)

# What the explorer says of how fields go together, which a schema can't.
_BEYOND = ("order must hold", "n_heads", "d_head", "d_model", "vector", "tokenizer", "needs", "divide")


def takes(text: str) -> bool:
    return bool(JUDGE.is_valid(json.loads(text)))


def test_it_is_a_schema_and_the_published_one_is_what_the_code_says(capsys) -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    published = (folder() / FILE_NAME).read_text(encoding="ascii")
    assert json.loads(published) == SCHEMA, f"run: posenc-gui schema > resources/{FILE_NAME}"
    assert cli.main(["schema"]) == 0
    assert capsys.readouterr().out == published


@pytest.mark.parametrize("format_", FORMATS)
def test_every_recorded_session_is_taken(format_: str) -> None:
    for name in SESSIONS:
        assert takes((RECORDED / format_ / f"{name}.json").read_text(encoding="utf-8")), name


@pytest.mark.slow
@given(sessions)
def test_whatever_is_written_is_taken(session: pe.Session) -> None:
    assert takes(session.to_json())


@pytest.mark.slow
@given(st.dictionaries(st.sampled_from([*pe.Session.model_fields, "mood"]), anything, min_size=1))
def test_what_is_taken_is_opened(content: dict[str, object]) -> None:
    text = file_of(content)
    if takes(text):
        refusal = refusal_of(text)
        assert refusal is None or any(word in str(refusal) for word in _BEYOND), refusal


def places(part: dict[str, Any], at: tuple[str, ...] = (), tag: str = "") -> Iterator[tuple[tuple[str, ...], str, Any]]:
    """Each field that the schema describes: its place, the encoding in which it stands, and what it may be."""
    part = {**SCHEMA["$defs"].get(part.get("$ref", "").removeprefix("#/$defs/"), {}), **part}
    for name, inner in part.get("properties", {}).items():
        yield (*at, name), tag, inner
        yield from places(inner, (*at, name), tag)
    toy = part.get("anyOf", ())[:1] if at == ("model",) else ()
    for chosen in (*part.get("oneOf", ()), *toy):
        found = SCHEMA["$defs"].get(chosen.get("$ref", "").removeprefix("#/$defs/"), {})
        yield from places(found, at, found.get("properties", {}).get("name", {}).get("const", ""))


def with_value(at: tuple[str, ...], tag: str, value: object) -> str:
    """A file in which this alone is said, and the name of the encoding where that is needed."""
    content: dict[str, Any] = {}
    inner = content
    for name in at[:-1]:
        inner = inner.setdefault(name, {"name": tag} if tag and name == "encoding" else {})
    inner[at[-1]] = value
    return file_of(content)


# Own encodings of trained models are refused without their model: tests/session/test_trained_session.py.
FIELDS = [place for place in places(SCHEMA["$defs"]["Session"]) if place[1] not in KINDS]


def test_every_field_of_a_session_is_described() -> None:
    named = {at for at, _, _ in FIELDS}
    assert {(name,) for name in pe.Session.model_fields} <= named
    assert {("model", name) for name in pe.ToyModel.model_fields} <= named
    for name, kind in encodings.classes().items():
        assert {at[1] for at, tag, _ in FIELDS if tag == name} == {"name", *kind.model_fields}
    assert {("plots", name) for name in pe.plots()} <= named


@pytest.mark.parametrize("field", FIELDS, ids=lambda field: ".".join((*field[1:2], *field[0])))
def test_a_field_s_default_is_what_its_absence_means_and_what_is_none_is_refused_by_both(field: Any) -> None:
    at, tag, kind = field
    if "default" in kind:
        said = pe.Session.read(with_value(at, tag, kind["default"])).content
        unsaid = file_of({"encoding": {"name": tag}} if tag else {})
        assert said == pe.Session.read(unsaid).content
        assert takes(with_value(at, tag, kind["default"]))
    for wrong in ({"surely": "not"}, [None], "\u0000 no value", -1e9, 1e300):
        text = with_value(at, tag, wrong)
        refusal = refusal_of(text)
        if refusal is not None and not re.search("tokenizer|order must", str(refusal)):
            assert not takes(text), wrong


@pytest.mark.parametrize(
    "content",
    [
        {"mood": "glad"}, {"encoding": {"name": "laplace"}}, {"encoding": {"base": 2.0}}, {"model": {"norm": "rms"}},
        {"encoding": {"name": "rope", "buckets": 32}}, {"plots": {"attention": {"depth": 1}}}, None, [],
    ],
)  # fmt: skip
def test_what_is_refused_is_not_taken(content: Any) -> None:
    assert refusal_of(file_of(content)) is not None
    assert not takes(file_of(content))


def test_what_is_merely_left_out_and_an_encoding_s_name_alone_are_taken() -> None:
    for text in (written({"plots": UNKNOWN_PLOTS}, voices=[1]), file_of({"encoding": "rope"}), file_of({})):
        assert refusal_of(text) is None
        assert takes(text)


@pytest.mark.parametrize("change", [{"version": 0}, {"version": 99}, {"format": "posenc-gui lab"}, {"version": None}])
def test_another_kind_of_file_is_not_taken(change: dict[str, Any]) -> None:
    text = json.dumps({**json.loads(file_of({})), **change})
    assert refusal_of(text) is not None
    assert not takes(text)


@pytest.mark.parametrize(
    ("scaling", "is_taken"),
    [
        (None, True),
        ({"rope_type": "yarn", "betas": [8, 2], "mode": "ramp"}, True),
        ({"factors": [1, 2]}, False),
        ({"rope_type": "linear", "factors": [1]}, False),
        ({"rope_type": "cubic"}, False),
        (4, False),
    ],
)
@pytest.mark.usefixtures("turning")
def test_a_group_s_members_are_told_apart_by_their_tag(scaling: object, is_taken: bool) -> None:
    text = file_of({"encoding": {"name": "turning", "scaling": scaling}})
    assert (refusal_of(text) is None) == is_taken
    assert jsonschema.Draft202012Validator(json_schema.session_schema()).is_valid(json.loads(text)) == is_taken
