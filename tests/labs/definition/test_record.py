"""A learner's record: a file that comes back as it was, and one sentence for every file that is none."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from posenc_gui.foundation.files.header import LARGEST_FILE
from posenc_gui.labs.definition.record import (
    FILE,
    LONGEST_WORDS,
    MOST_NAMED,
    Outcome,
    Picture,
    Record,
    StepRecord,
    time_of,
)
from posenc_gui.session.first_session import first_session

one_folder = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
words = st.text(st.characters(codec=None), max_size=20)
names = st.sampled_from(["a", "step-1", "1-own", "x_y"])
floats = st.floats(allow_nan=False, allow_infinity=False)
points = st.tuples(floats, floats)
answers = words | floats | st.lists(names, max_size=4).map(tuple) | st.lists(points, min_size=1, max_size=4).map(tuple)
outcomes = st.builds(Outcome, answer=st.none() | answers, words=words, feedback=names, right=st.none() | st.booleans())
pictures = st.builds(Picture, plot=names, session=st.just(first_session().to_json()), note=words)
steps = st.builds(
    StepRecord,
    kind=st.sampled_from(["choice", "number", "order", "sketch", "text", ""]),
    plot=names,
    curve=st.integers(0, 3),
    answer=st.none() | answers,
    answer_words=words,
    reason=words,
    committed=st.sampled_from(["", "2026-01-01T00:00:00+00:00"]),
    outcome=st.none() | outcomes,
    values=st.dictionaries(names, st.sampled_from(["", "犬", "1e-5"])),
    hints=st.integers(0, 3),
    shown=st.booleans(),
    notes=words,
    pictures=st.lists(pictures, max_size=2).map(tuple),
)
records = st.builds(
    Record, lab=names, title=words, learner=words, at=names, steps=st.dictionaries(names, steps, max_size=3),
    titles=st.dictionaries(names, words), options=st.dictionaries(names, st.dictionaries(names, words, max_size=2)),
)  # fmt: skip


@settings(one_folder, max_examples=20)
@given(records)
def test_a_record_comes_back_from_its_file(tmp_path: Path, record: Record) -> None:
    path = tmp_path / "record.json"
    assert record.save(path) == path
    again = Record.load(path)
    assert again == record
    assert list(tmp_path.iterdir()) == [path]
    assert again.to_json() == record.to_json()


def test_the_kind_of_an_answer_comes_back_too(tmp_path: Path) -> None:
    for answer in ("4", 4.0, ("4", "5"), ((0.0, 1.0), (1.0, 2.0)), "犬\n\ud83d\ude00"):
        record = Record(lab="a", title="A").with_step("x", kind="text", answer=answer)
        again = Record.load(record.save(tmp_path / "record.json")).step("x").answer
        assert again == record.step("x").answer
        assert type(again) is type(answer)


def test_a_step_that_was_not_begun_is_empty() -> None:
    record = Record(lab="a", title="A")
    assert record.step("x") == StepRecord()
    changed = record.with_step("x", notes="n")
    assert changed.changed
    assert record.steps == {}
    assert changed.with_step("y", notes="m").step("x").notes == "n"


# --- How far ----------------------------------------------------------------------------------------------------------

DONE = StepRecord(done="2026-01-01T00:00:00+00:00")


@pytest.mark.parametrize(
    ("titles", "steps", "n_done", "n_steps"),
    [
        ((), {}, 0, 0),
        (("a", "b"), {}, 0, 2),
        (("a", "b"), {"a": DONE, "b": StepRecord(notes="n")}, 1, 2),
        (("a", "b"), {"a": DONE, "b": DONE}, 2, 2),
        (("a", "b"), {"a": DONE, "b": DONE, "gone": StepRecord(notes="n")}, 2, 2),
        (("a", "b"), {"gone": DONE}, 0, 2),
        ((), {"a": DONE}, 1, 1),
    ],
)
def test_a_record_says_how_far_it_is(titles: tuple, steps: dict[str, StepRecord], n_done: int, n_steps: int) -> None:
    record = Record(lab="a", title="A", titles=dict.fromkeys(titles, "T"), steps=steps)
    assert (record.n_done, record.n_steps) == (n_done, n_steps)
    assert record.finished == (0 < n_steps == n_done)


@pytest.mark.parametrize(("learner", "who"), [("", "unnamed"), (" \n", "unnamed"), (" Ada ", "Ada")])
def test_a_record_says_whose_it_is(learner: str, who: str) -> None:
    assert Record(lab="a", title="A", learner=learner).who == who


@pytest.mark.parametrize(("right", "sign"), [(True, "●"), (False, "○"), (None, "")])
def test_a_sign_says_what_came_of_a_prediction(right: bool | None, sign: str) -> None:
    assert StepRecord(outcome=Outcome(answer=None, words="", right=right)).sign == sign
    assert StepRecord().sign == ""


def test_the_lab_s_words_are_known_from_the_learner_s() -> None:
    kinds = ("choice", "number", "order", "sketch", "text", "")
    assert [kind for kind in kinds if StepRecord(kind=kind).by_lab] == ["choice", "order"]


@pytest.mark.parametrize("recorded", ["", "yesterday", "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00"])
def test_a_strange_time_is_none(recorded: str) -> None:
    assert time_of(recorded) is None


def test_times_of_two_places_can_be_compared() -> None:
    assert time_of("2026-01-01T12:00:00+02:00") == time_of("2026-01-01T10:00:00+00:00")


@pytest.mark.parametrize("change", [{"plot": "waves"}, {"curve": 1}, {"answer": "b"}, {"reason": "r"}])
def test_a_committed_prediction_stays(change: dict[str, object]) -> None:
    record = Record(lab="a", title="A").with_step("x", kind="text", answer="a", committed="2026-01-01")
    with pytest.raises(ValueError, match="stays as it is"):
        record.with_step("x", **change)


# --- Files ------------------------------------------------------------------------------------------------------------


def file_of(**content: object) -> str:
    return json.dumps({"format": FILE.format, "version": FILE.version, **content})


GOOD = {"lab": "a", "title": "A"}


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ("", "damaged, cut short, or another kind of file"),
        ("{", "its JSON is damaged or cut short at line 1 column 1"),
        ("[" * 100_000, "more than 50,000 lists"),
        ("\0", "damaged, cut short, or another kind of file"),
        ("[]", "not a lab report"),
        ("{}", "not a lab report"),
        (first_session().to_json(), "not a lab report"),
        (json.dumps({"format": [FILE.format]}), "not a lab report"),
        (file_of(record=None), "a group of fields"),
        (file_of(record={}), "lab: must be given"),
        (file_of(record={**GOOD, "more": 1}), "more: there is no such field"),
        (file_of(record={**GOOD, "steps": {"x": {"kind": "guess"}}}), "kind: should be 'choice'"),
        (file_of(record={**GOOD, "steps": {"x": {"answer": {"a": 1}}}}), "steps.x.answer"),
        (file_of(record={**GOOD, "at": "a" * (MOST_NAMED + 1)}), f"{MOST_NAMED:,} characters"),
        (file_of(record={**GOOD, "steps": {"x": {"pictures": [{"plot": "p", "session": 1}]}}}), "steps.x.pictures.0.session"),
        (file_of(record={**GOOD, "title": "a" * (LONGEST_WORDS + 1)}), f"{LONGEST_WORDS:,} characters"),
        (file_of(record={**GOOD, "steps": {"x": {"curve": -1}}}), "steps.x.curve"),
        (file_of(record={**GOOD, "steps": {"x": {"hints": 1e400}}}), "damaged"),
        (file_of(record=GOOD, version=3), "newer explorer (format 3; this one reads 2)"),
        (file_of(record=GOOD, version=0), "an unknown version: '0'"),
        (file_of(record=GOOD, version=True), "an unknown version: 'True'"),
        (file_of(record=GOOD, version=[1]), "an unknown version"),
    ],
)  # fmt: skip
def test_what_is_no_record_is_refused_in_one_sentence(tmp_path: Path, data: str, said: str) -> None:
    path = tmp_path / "holiday.json"
    path.write_text(data, encoding="utf-8")
    assert_refused(path, said)


def test_a_file_cut_short_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "holiday.json"
    data = Record(**GOOD).with_step("x", kind="choice", answer="same", notes="犬").to_json().rstrip().encode()
    for end in range(0, len(data), 7):
        path.write_bytes(data[:end])
        assert_refused(path, "")


def test_a_huge_file_is_refused_without_being_read_whole(tmp_path: Path) -> None:
    path = tmp_path / "holiday.json"
    with path.open("wb") as file:
        file.truncate(LARGEST_FILE + 1)
    assert_refused(path, "larger than")


def assert_refused(path: Path, said: str) -> None:
    with pytest.raises(ValueError, match=r"^holiday\.json") as refusal:
        Record.load(path)
    told = str(refusal.value)
    assert said in told
    assert "\n" not in told
    assert len(told) < 500


def test_what_cant_be_read_or_written_is_an_os_error(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="none"):
        Record.load(tmp_path / "none.json")
    with pytest.raises(OSError, match="nowhere"):
        Record(**GOOD).save(tmp_path / "nowhere" / "record.json")
    assert list(tmp_path.iterdir()) == []


def test_half_a_sign_is_no_obstacle(tmp_path: Path) -> None:
    record = Record(**GOOD, learner="Ada\ud800").with_step("x", kind="text", answer="\udfff", notes="\ud800")
    again = Record.load(record.save(tmp_path / "record.json"))
    assert (again.learner, again.step("x").answer, again.step("x").notes) == ("Ada\ufffd", "\ufffd", "\ufffd")


def test_a_lab_takes_over_the_steps_that_it_has_from_the_first_record_with_them() -> None:
    own, moved = StepRecord(notes="own"), StepRecord(notes="moved")
    former = (
        Record(lab="1-set", title="", steps={"mask": own}),
        Record(lab="4-waves", title="", steps={"twins": moved, "mask": moved}),
    )
    found = Record.taken_over(former, ["mask", "twins"])
    assert found is not None
    assert found.steps == {"mask": own, "twins": moved}
    assert Record.taken_over(former, ["clock"]) is None
