"""Parameters that are groups of fields: in Python, in files, on the command line, in the names of changes and in labs."""

from __future__ import annotations

import json
import tomllib
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from turning import Linear, Listed, Turning, Window, Yarn

import posenc_gui as pe
from posenc_gui import cli
from posenc_gui.attention.engine import Engine
from posenc_gui.foundation import declared_fields
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.labs.authoring.write import StepDraft, with_step
from posenc_gui.labs.definition import expressions
from posenc_gui.labs.definition.lab import arranged
from posenc_gui.session.change_names import between
from posenc_gui.session.first_session import first_session

pytestmark = pytest.mark.usefixtures("turning")
registered = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])

windows = st.builds(Window, first=st.integers(0, 64), share=st.none() | st.floats(0, 1, exclude_min=True))
turns = st.tuples(st.floats(-1e9, 1e9), st.floats(-1e9, 1e9)).map(lambda pair: tuple(sorted(pair, reverse=True)))
members = {
    "linear": st.builds(Linear, factor=st.floats(1, 64)),
    "yarn": st.builds(
        Yarn,
        factor=st.floats(1, 32),
        original=st.none() | st.integers(1, 4096),
        betas=turns,
        truncate=st.booleans(),
        mode=st.none() | st.sampled_from(["ramp", "two_steps"]),
    ),
    "listed": st.builds(Listed, factors=st.lists(st.floats(0, 64, exclude_min=True), max_size=8).map(tuple)),
}
scalings = st.none() | st.one_of(*members.values())
turnings = st.builds(Turning, base=st.floats(100, 1e9), scaling=scalings, window=windows, spare=st.none() | windows)


def with_encoding(encoding: Turning) -> pe.Session:
    return pe.Session(text="dog bites man", encoding=encoding)


# --- Python and files ------------------------------------------------------------------------------------------------


def test_an_encoding_takes_a_mapping_and_a_model_and_is_equal_by_value() -> None:
    by_mapping = pe.encoding("turning", scaling={"rope_type": "yarn", "factor": 8})
    by_model = pe.encoding("turning", scaling=Yarn(factor=8.0))
    assert by_mapping == by_model
    assert hash(by_mapping) == hash(by_model)
    assert by_mapping != pe.encoding("turning", scaling={"rope_type": "yarn"})
    assert with_encoding(by_mapping) == with_encoding(by_model)


@registered
@given(turnings)
@example(Turning(scaling=Yarn()))
def test_a_structured_encoding_comes_back_from_its_file(encoding: Turning) -> None:
    session = with_encoding(encoding)
    again = pe.Session.from_json(session.to_json())
    assert again == session
    assert hash(again) == hash(session)
    assert again.to_json() == session.to_json()


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"scaling": {}}, "scaling: rope_type must be given: allowed are linear, yarn and listed"),
        (
            {"scaling": {"rope_type": "yarm"}},
            "scaling: there is no rope_type 'yarm' (did you mean 'yarn'?): allowed are linear, yarn and listed",
        ),
        (
            {"scaling": {"rope_type": "linear", "factr": 2}},
            "scaling: there is no field 'factr' (did you mean 'factor'?): allowed are rope_type and factor",
        ),
        ({"scaling": {"rope_type": "yarn", "factor": 0}}, "scaling.factor: should be at least 1, not 0"),
        ({"scaling": {"rope_type": "yarn", "betas": [1]}}, "scaling.betas: should have 2 values, not 1"),
        ({"scaling": {"rope_type": "yarn", "betas": [3, 2, 1]}}, "scaling.betas: should have 2 values, not 3"),
        (
            {"scaling": {"rope_type": "yarn", "betas": [1, 2]}},
            "scaling: the fast pairs' turns can't be fewer than the slow ones', 2",
        ),
        ({"scaling": {"rope_type": "listed", "factors": [1, 0]}}, "scaling.factors.1: should be more than 0, not 0"),
        ({"scaling": {"rope_type": "listed", "factors": [1] * 9}}, "scaling.factors: should have at most 8 values, not 9"),
        (
            {"scaling": "yarn"},
            "scaling: should be none or a group of fields such as {\"rope_type\": \"yarn\"}, not 'yarn'",
        ),
        ({"scaling": Window()}, "scaling: should be none or a group of fields such as {\"rope_type\": \"linear\"}"),
        ({"window": None}, "window: should be a group of fields such as {\"first\": 0}, not None"),
        ({"window": {"last": 2}}, "window: there is no field 'last': allowed are first and share"),
        ({"spare": {"first": -1}}, "spare.first: should be at least 0, not -1"),
        ({"scaling": Listed(), "base": 2}, "factors can be listed from base 100 on, not for 2"),
    ],
)  # fmt: skip
def test_what_is_no_member_or_no_field_is_refused_by_name(parameters: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match="turning") as refusal:
        pe.encoding("turning", **parameters)
    assert str(refusal.value).startswith(f"turning: {said}")
    file = json.loads(with_encoding(Turning()).to_json())
    file["session"]["encoding"] = {"name": "turning", **_as_json(parameters)}
    with pytest.raises(ValueError, match="this session can't be used: encoding: turning: ") as of_a_file:
        pe.Session.from_json(json.dumps(file))
    assert _as_json(parameters) != parameters or said in str(of_a_file.value)


def _as_json(parameters: dict[str, Any]) -> dict[str, Any]:
    return {name: value.model_dump() if isinstance(value, Frozen) else value for name, value in parameters.items()}


@pytest.mark.parametrize("name", [["rope"], None, 5, {}, ("rope",)])
def test_a_name_that_is_no_text_is_refused_in_a_sentence(name: object) -> None:
    with pytest.raises(ValueError, match=r"there is no encoding .* allowed are none, "):
        pe.encoding(name)


# --- Other values in fields, by their names ---------------------------------------------------------------------------


@registered
@given(turnings, st.data())
def test_values_reach_their_fields_in_any_order(encoding: Turning, data: st.DataObject) -> None:
    tag = data.draw(st.sampled_from(sorted(members)))
    member = data.draw(members[tag])
    values = {f"scaling.{name}": value for name, value in dict(member).items()}
    values |= {"base": 500.0, "window.first": 3, "spare.share": 0.5}
    names = data.draw(st.permutations(list(values)))
    changed = declared_fields.with_values(encoding, {name: values[name] for name in names})
    assert changed.scaling == member
    assert changed.base == 500.0
    assert changed.window == encoding.window.model_copy(update={"first": 3})
    assert changed.spare == (encoding.spare or Window()).model_copy(update={"share": 0.5})


@registered
@given(scalings, st.sampled_from([Linear, Yarn, Listed]))
def test_another_member_keeps_what_both_have_where_it_is_valid_and_is_else_at_its_defaults(scaling, member) -> None:
    changed = declared_fields.with_values(Turning(scaling=scaling), {"scaling": member}).scaling
    assert type(changed) is member
    if type(scaling) is member:
        assert changed == scaling
        return
    kept = {"factor": scaling.factor} if "factor" in member.model_fields and hasattr(scaling, "factor") else {}
    if kept and member is Yarn and kept["factor"] > 32:
        kept = {}
    assert changed == member(**kept)
    by_tag = declared_fields.with_values(Turning(scaling=scaling), {"scaling.rope_type": member().rope_type})
    assert by_tag.scaling == changed


def test_a_factor_that_another_member_does_not_allow_is_its_default() -> None:
    for factor, yarn in ((8.0, Yarn(factor=8.0)), (64.0, Yarn())):
        linear = Turning(scaling=Linear(factor=factor))
        assert declared_fields.with_values(linear, {"scaling": Yarn}).scaling == yarn


# --- The command line ------------------------------------------------------------------------------------------------


@pytest.fixture
def exported(tmp_path):
    """Export with these settings, after a session where one is given: the encoding that the file carries."""

    def run(*assignments: str, encoding: Turning | None = None, plot: str = "attention") -> pe.Session:
        with_encoding(encoding or Turning()).save(tmp_path / "session.json")
        out = str(tmp_path / "a.svg")
        settings = [f"--set={assignment}" for assignment in assignments]
        assert cli.main(["export", plot, "--session", str(tmp_path / "session.json"), "--out", out, *settings]) == 0
        return pe.Session.load(out)

    return run


@pytest.mark.parametrize(
    ("before", "assignments", "after"),
    [
        (None, ["scaling.rope_type=yarn", "scaling.factor=8"], Yarn(factor=8)),
        (None, ["scaling.factor=8", "scaling.rope_type=yarn"], Yarn(factor=8)),
        (Linear(factor=3), ["scaling.factor=8"], Linear(factor=8)),
        (Linear(factor=3), ["scaling.rope_type=yarn"], Yarn(factor=3)),
        (Linear(factor=3), ["scaling.betas=9, 2", "scaling.rope_type=yarn"], Yarn(factor=3, betas=(9, 2))),
        (Linear(factor=3), ['scaling={"rope_type":"yarn","factor":8,"truncate":false,"mode":"ramp"}'],
         Yarn(factor=8, truncate=False, mode="ramp")),
        (None, ["scaling.factor=9", 'scaling={"rope_type":"yarn","factor":8}'], Yarn(factor=9)),
        (Yarn(original=7), ["scaling.original=none"], Yarn()),
        (Yarn(original=7), ['scaling={"rope_type":"yarn","original":null}'], Yarn()),
        (Yarn(mode="ramp"), ["scaling.mode=null"], Yarn()),
        (Yarn(), ["scaling.truncate=false", "scaling.mode=two_steps"], Yarn(truncate=False, mode="two_steps")),
        (Yarn(), ["scaling.betas=[9, 2.5]"], Yarn(betas=(9, 2.5))),
        (Yarn(), ["scaling.rope_type=listed", "scaling.factors=1, 2"], Listed(factors=(1, 2))),
        (Listed(factors=(1,)), ["scaling.factors="], Listed()),
        (Listed(factors=(1,)), ["scaling.factors=[]"], Listed()),
        (Yarn(), ["scaling=none"], None),
        (Yarn(), ["scaling=null"], None),
    ],
)  # fmt: skip
def test_settings_reach_into_a_group(exported, before, assignments, after) -> None:
    assert exported(*assignments, encoding=Turning(scaling=before)).encoding == Turning(scaling=after)


def test_settings_reach_groups_that_are_always_there_and_those_that_may_not_be(exported) -> None:
    session = exported("window.first=3", "spare.share=0.5", "model.n_heads=2", "plot.head=1")
    assert session.encoding == Turning(window=Window(first=3), spare=Window(share=0.5))
    assert (session.model.n_heads, session.plots.attention.head) == (2, 1)
    assert exported("spare={}", "window={}").encoding == Turning(spare=Window())
    assert exported("spare=none", encoding=Turning(spare=Window())).encoding == Turning()


@pytest.mark.parametrize(("value", "curves"), [("[0, 2]", (0, 2)), ("[]", ()), ("0,2", (0, 2))])
def test_lists_may_be_json_everywhere(exported, value: str, curves: tuple[int, ...]) -> None:
    assert exported(f"plot.curves={value}", plot="waves").plots.waves.curves == curves


@pytest.mark.parametrize(
    ("assignments", "said"),
    [
        (["scaling.factor=8"], "--set scaling: rope_type must be given: allowed are linear, yarn and listed"),
        (["scaling.rope_type=yarm"], "--set scaling: there is no rope_type 'yarm' (did you mean 'yarn'?): allowed are"),
        (["scaling.rope_type=yarn", "scaling.factor=x"], "--set scaling.factor: should be a number"),
        (["scaling.rope_type=yarn", "scaling.factor=99"], "--set scaling.factor: should be at most 32"),
        (["scaling.rope_type=yarn", "scaling.factor=nan"], "--set scaling.factor: should be a finite number"),
        (["scaling.rope_type=yarn", "scaling.betas=1"], "--set scaling.betas: should have 2 values, not 1"),
        (["scaling.rope_type=linear", "scaling.truncate=true"],
         "--set scaling: there is no field 'truncate': allowed are rope_type and factor"),
        (["scaling.fctor=8"], "--set: there is no setting 'scaling.fctor' (did you mean 'scaling.factor'?): allowed are"),
        (["scaling=yarn"], "--set scaling: should be none or a group of fields such as {\"rope_type\": \"yarn\"}"),
        (["scaling={"], "--set scaling: '{' is not valid JSON: "),
        (["scaling=" + "[" * 100_000], "is not valid JSON: "),
        (['scaling={"rope_type":"yarn","factor":NaN}'], "is not valid JSON: "),
        (['scaling={"rope_type":"yarn","x":1}'], "--set scaling: there is no field 'x': allowed are rope_type, factor"),
        (["window=none"], "--set window: should be a group of fields such as {\"first\": 0}, not 'none'"),
        (["window.first=none"], "--set window.first: should be a whole number"),
        (['base={"a":1}'], "--set base: should be a number"),
        (["tokenizer={a}"], "there is no tokenizer '{a}'"),  # words are no JSON
        (["model.seed.x=1"], "there is no setting 'model.seed.x'"),
    ],
    ids=lambda value: str(value)[:40],
)  # fmt: skip
def test_settings_that_are_refused_are_told_in_one_line(capsys, tmp_path, assignments, said) -> None:
    out = tmp_path / "a.svg"
    settings = [f"--set={assignment}" for assignment in assignments]
    assert cli.main(["export", "attention", "--encoding", "turning", "--out", str(out), *settings]) == 2
    output, line = capsys.readouterr()
    assert output == ""
    assert line.startswith("posenc-gui: ")
    assert line.count("\n") == 1
    assert said in line
    assert not out.exists()


def test_list_tells_a_script_all_that_can_be_set(capsys) -> None:
    assert cli.main(["list", "encodings", "--json"]) == 0
    (turning,) = (one for one in json.loads(capsys.readouterr().out) if one["name"] == "turning")
    parameters = {parameter["name"]: parameter for parameter in turning["parameters"]}
    assert list(parameters) == ["base", "scaling", "window", "spare"]
    scaling = parameters["scaling"]
    assert (scaling["title"], scaling["default"], scaling["optional"]) == ("Scaling", None, True)
    assert scaling["description"] == "How a longer text is made to fit."
    assert scaling["tag"] == "rope_type"
    assert [member["title"] for member in scaling["members"]] == ["Linear", "YaRN", "Listed"]
    own = {inner["name"]: inner for inner in scaling["members"][1]["parameters"]}
    assert own["rope_type"]["const"] == "yarn"
    assert (own["factor"]["type"], own["factor"]["default"], own["factor"]["minimum"]) == ("number", 4.0, 1)
    assert (own["factor"]["maximum"], own["factor"]["title"]) == (32, "Factor")
    assert own["betas"]["minItems"] == own["betas"]["maxItems"] == 2
    window = parameters["window"]
    assert (window["optional"], window["tag"], window["default"]) == (False, None, {"first": 0, "share": None})
    assert [inner["name"] for inner in window["members"][0]["parameters"]] == ["first", "share"]
    assert "$ref" not in json.dumps(turning)


# --- Changes and labs ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "after", "name"),
    [
        (Turning(), Turning(scaling=Yarn()), "Scaling: none → YaRN"),
        (Turning(scaling=Yarn()), Turning(scaling=Linear()), "Scaling: YaRN → Linear"),
        (Turning(scaling=Linear()), Turning(), "Scaling: Linear → none"),
        (Turning(scaling=Yarn()), Turning(scaling=Yarn(factor=8)), "Scaling factor 4 → 8"),
        (Turning(scaling=Yarn()), Turning(scaling=Yarn(betas=(32, 1.5))), "Scaling turns 32, 1 → 32, 1.5"),
        (Turning(scaling=Yarn()), Turning(scaling=Yarn(mode="ramp")), "Scaling passage automatic → ramp"),
        (Turning(), Turning(window=Window(first=2)), "Window first pair 0 → 2"),
        (Turning(), pe.encoding("rope"), "Encoding Turning → RoPE"),
    ],
)
def test_a_change_is_named_by_the_group_and_what_changed_in_it(before, after, name: str) -> None:
    assert between(with_encoding(before), with_encoding(after)).name == name


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("session.encoding.scaling.factor", 8.0),
        ("session.encoding.scaling.rope_type", "yarn"),
        ("session.encoding.scaling.betas[1]", 1.0),
        ("session.encoding.scaling.factor >= 2 * session.encoding.window.first", True),
        ("session.encoding.scaling.rope_type in ('yarn', 'linear')", True),
    ],
)
def test_a_labs_question_reaches_into_a_group(asked: str, answer: object) -> None:
    session = with_encoding(Turning(scaling=Yarn(factor=8)))
    assert expressions.parse(asked).answer(session, Engine()) == answer


def test_a_labs_condition_on_a_group_that_is_not_there_does_not_hold() -> None:
    asked = expressions.condition("session.encoding.scaling.factor > 1")
    assert asked.holds(with_encoding(Turning(scaling=Linear())), Engine())
    assert not asked.holds(with_encoding(Turning()), Engine())
    with pytest.raises(ValueError, match="there is no field 'factr'"):
        expressions.parse("session.encoding.scaling.factr").answer(with_encoding(Turning(scaling=Linear())), Engine())


@registered
@given(turnings)
def test_a_step_that_was_written_from_the_window_begins_with_the_same_structure(encoding: Turning) -> None:
    session = first_session().changed(encoding=encoding)
    _, _, written = with_step("", StepDraft(session, ("attention",))).partition("```step")
    step, _, _ = written.partition("```")
    assert arranged(first_session(), tomllib.loads(step)["session"]) == session
