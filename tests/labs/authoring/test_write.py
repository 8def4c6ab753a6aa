"""A session written as a step of a lab: read again and begun, it is the same session."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from example import LAB
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

import posenc_gui as pe
from posenc_gui import plots
from posenc_gui.foundation.errors import Invalid
from posenc_gui.labs.authoring import check, write
from posenc_gui.labs.authoring.duration import OFF, minutes
from posenc_gui.labs.authoring.write import StepDraft
from posenc_gui.labs.definition import parse
from posenc_gui.labs.definition.expressions import Expression
from posenc_gui.labs.definition.lab import Choice, FreeText, Number, Order, Prediction, Sketch, arranged
from posenc_gui.session.first_session import first_session

FIRST = first_session()
TEXTS = (
    "", "a b c", "Dog bites dog, twice.", 'a "quoted" \\ back\nslash\t', "```\n# no heading", "犬 👋🏽 e\u0301",
    "\x00\x1b\x7f\x85\u2028\ufeff", "'''", '"""', "{{session.text}}", "# a\n## b", "x" * 500,
)  # fmt: skip


@st.composite
def sessions(draw: st.DrawFn) -> pe.Session:
    """Any small session with the options of some plots."""
    fields: dict[str, object] = {
        "text": draw(st.sampled_from(TEXTS) | st.text(st.characters(codec=None), max_size=30)),
        "tokenizer": draw(st.sampled_from(["words", "characters", "bytes"])),
        "keep_case": draw(st.booleans()),
        "focus": draw(st.integers(0, 2**31 - 1)),
        "key": draw(st.none() | st.integers(0, 9)),
        "encoding": draw(st.sampled_from(pe.encodings())),
        "model": {
            "d_model": draw(st.sampled_from([2, 16, 48])),
            "n_heads": draw(st.sampled_from([1, 2])),
            "d_head": draw(st.none() | st.sampled_from([4, 8])),
            "causal": draw(st.booleans()),
            "scale": draw(st.none() | st.floats(0, 1e6)),
            "embedding_scale": draw(st.floats(0, 100)),
            "n_layers": draw(st.integers(1, 2)),
            "seed": draw(st.integers(0, 2**31 - 1)),
        },
        "plots": {
            "waves": {"curves": draw(st.lists(st.integers(0, 40), max_size=3, unique=True))},
            "attention": {"head": draw(st.none() | st.integers(0, 3))},
            "equivariance": {"show": draw(st.sampled_from(["maps", "outputs"]))},
        },
    }
    try:
        session = pe.Session(**fields)  # type: ignore[arg-type]
    except Invalid:
        assume(False)
    if session.n_tokens > 1 and draw(st.booleans()):
        session = session.changed(order=tuple(draw(st.permutations(range(session.n_tokens)))))
    return session


@settings(max_examples=32)
@given(sessions())
@example(FIRST)
@example(FIRST.changed(encoding=pe.encoding("rope", base=123.5, pairing="interleaved", fraction=0.5)))
@example(FIRST.changed(model=pe.ToyModel(d_model=2, n_heads=1, vectors=(("cat", (0.1, -2)), ('"狗\\', (1e-9, 1e6))))))
@example(FIRST.changed(text="a \x00\x7f\r\n\u2028 b"))
def test_a_written_session_begins_the_step(session: pe.Session) -> None:
    content = write.with_step("", StepDraft(session, ("attention",)))
    step = parse.read(content, "mine").steps[-1]
    assert step.begun(FIRST) == session
    assert step.begun(FIRST.changed(text="the learner's own", encoding="alibi")) == session


@pytest.mark.parametrize("name", pe.encodings())
def test_any_encoding_is_written_with_its_parameters(name: str) -> None:
    session = pe.Session(encoding=name, model=pe.ToyModel(d_model=64, n_heads=4))
    assert parse.read(write.with_step("", StepDraft(session, ("attention",))), "mine").steps[0].begun(FIRST) == session


def test_a_step_with_a_model_that_has_learned_says_no_path_of_it(checkpoint_folder: Callable[[str], Path]) -> None:
    session = pe.Session(text="dog bites man", model=pe.open_model(checkpoint_folder("bert"), layer=1))
    content = write.with_step("", StepDraft(session, ("attention",)))
    assert session.model.path not in content
    assert parse.read(content, "mine").steps[0].begun(FIRST) == session.for_others


def test_only_what_differs_is_written() -> None:
    assert "session." not in write.with_step("", StepDraft(FIRST, ("attention",), explain="Why."))
    content = write.with_step("", StepDraft(FIRST.changed(text="a b", focus=1), ("attention",)))
    assert 'session.text = "a b"\nsession.focus = 1\nshow = ["attention"]\n' in content


def test_a_new_lab_can_be_used_as_it_is() -> None:
    for content in ("", "  \n"):
        draft = StepDraft(FIRST.changed(encoding="rope"), ("attention", "waves"))
        lab = parse.read(write.with_step(content, draft), "mine")
        assert [problem for problem in check.check(lab) if "explains" not in problem.message] == []
        assert lab.steps[0].show == ("attention", "waves")
        assert lab.steps[0].name == "step-1"


ENDINGS = {
    "as typed": LAB,
    "no last line": LAB.rstrip("\n"),
    "empty lines": f"{LAB}\n\n\n",
    "CRLF": LAB.replace("\n", "\r\n"),
}


@pytest.mark.slow
@pytest.mark.parametrize("content", ENDINGS.values(), ids=ENDINGS)
def test_a_step_is_added_at_the_end_and_what_was_there_stays(content: str) -> None:
    before = parse.read(content, "mine")
    for count in range(1, 4):
        content = write.with_step(content, StepDraft(FIRST.changed(focus=count), ("attention",)))
        lab = parse.read(content, "mine")
        assert lab.steps[:5] == before.steps
        assert [step.name for step in lab.steps[5:]] == [f"step-{number}" for number in range(1, count + 1)]
        assert lab.steps[-1].begun(FIRST).focus == count
        assert check.check(lab) == []


@pytest.mark.parametrize("old", ['name = "step-1"', "name = 'step-1'", 'name="step-1"', '  name  =  "step-1"'])
def test_a_step_is_named_like_no_other(old: str) -> None:
    content = write.with_step(LAB.replace('name = "count"', old), StepDraft(FIRST, ("attention",)))
    assert parse.read(content, "mine").steps[-1].name == "step-2"


@pytest.mark.parametrize("name", plots.names())
def test_any_plot_can_be_shown(name: str) -> None:
    assert parse.read(write.with_step("", StepDraft(FIRST, (name,))), "mine").steps[0].show == (name,)


def test_a_session_with_a_tokenizer_of_a_file_makes_no_lab() -> None:
    content = write.with_step("", StepDraft(FIRST.changed(tokenizer="/own/tokenizer.json"), ("attention",)))
    with pytest.raises(parse.LabRefused, match="a lab reads no other file"):
        parse.read(content, "mine")


LONGEST = Expression("frequencies.wavelengths[-1]")
KINDS = {
    "nothing": None,
    "choice": Choice({"a": "Grow.", "b": "'Shrink' \"so\"."}, {"a": Expression("twins.value > before.twins.value")}),
    "number": Number(LONGEST, 0.5),
    "number with others": Number(LONGEST, 0.5, {"the-first": Expression("frequencies.wavelengths[0]")}),
    "order": Order({"a": "one", "b": "two"}, {"a": Expression("shift.value"), "b": Expression("twins.value")}),
    "sketch": Sketch("waves", 2),
    "sketch with others": Sketch("waves", 2, {"the-first": 0, "the-last": 3}),
    "text": FreeText(),
}


@pytest.mark.parametrize("prediction", KINDS.values(), ids=KINDS)
@pytest.mark.parametrize("done", [None, {"encoding": "rope"}, {"encoding": "none", "model": {"causal": True}}])
def test_a_draft_is_read_again_as_it_was_meant(prediction: Prediction | None, done: dict[str, object] | None) -> None:
    draft = StepDraft(
        FIRST, ("attention", "waves"), "Title", "Text\n\nin two parts", "What …", prediction, covers=True,
        done=done and arranged(FIRST, done), goal=(Expression('session.encoding.name in ["rope", "none"]'),) if done else (),
        act="Do it.", hint="There.", keeps=True, explain="{{session.n_tokens}} tokens.",
        claims=(Expression("abs(twins.value - 0.5) <= 0.1"),),
        feedback={name: f"Said to {name}: {{{{twins.value}}}}." for name in parse.feedback_names(prediction)},
    )  # fmt: skip
    step = parse.read(write.with_step("", draft), "mine").steps[-1]
    write.require_same(step, draft)
    assert step.reveal == (("attention", "waves") if prediction else ())
    assert tuple(step.feedback) == parse.feedback_names(prediction)
    assert step.claims == draft.claims


def test_what_is_changed_on_a_plot_alone_leaves_every_card_as_it_is() -> None:
    draft = StepDraft(
        FIRST, ("clocks",), "Turn", done=arranged(FIRST, {"plots": {"clocks": {"position": 1.0}}}), hint="There.",
        goal=(Expression("session.plots.clocks.position == 1"),), explain="So.",
        claims=(Expression('session.encoding.name == "sinusoidal"'),),
    )  # fmt: skip
    lab = parse.read(write.with_step("", draft), "mine")
    assert lab.steps[0].controls == ()
    assert not [one for one in check.check(lab) if "reaches the goal too" in one.message]


def titled(*titles: str) -> Iterator[StepDraft]:
    return (StepDraft(FIRST, ("attention",), title, explain="So.") for title in titles)


def titles_of(content: str) -> list[str]:
    lab = parse.read(content, "mine")
    assert len({step.name for step in lab.steps}) == len(lab.steps)
    return [step.title for step in lab.steps]


def test_a_step_written_again_takes_its_own_place_as_long_as_it_is_as_it_was_written() -> None:
    content, names = "", set()
    first, last, *versions = titled("First", "Last", "Better", "Best")
    for draft in (first, last):
        content = write.with_step(content, draft)
    for at, written in ((0, first), (1, last)):
        for version in versions:
            lab = parse.read(content, "mine")
            assert write.place_of(lab, written.step) == at
            content, before, written = write.with_step(content, version, lab=lab, at=at), titles_of(content), version
            assert titles_of(content) == [*before[:at], version.title, *before[at + 1 :]]
            names.add(parse.read(content, "mine").steps[at].name)
    assert len(names) == 4  # none is found again under an old name
    assert write.place_of(parse.read(content, "mine"), first.step) is None


@pytest.mark.parametrize("content", ENDINGS.values(), ids=ENDINGS)
def test_steps_are_reordered_and_removed_as_they_stand(content: str) -> None:
    before = parse.read(content, "mine")
    content = write.rearranged(content, before, (2, 0, 3))
    after = parse.read(content, "mine")
    kept = [replace(before.steps[at], lines={}) for at in (2, 0, 3)]
    assert [replace(step, lines={}) for step in after.steps] == kept
    assert (after.title, after.summary, after.minutes) == (before.title, before.summary, before.minutes)
    assert write.rearranged(content, after, range(3)) == content


def test_title_and_text_stand_for_each_other() -> None:
    step = StepDraft(FIRST, ("attention",), text="What of $q_m \\cdot k_n$? And why?").step
    assert (step.title, step.text) == ("What of q_m · k_n?", "What of $q_m \\cdot k_n$? And why?")
    step = StepDraft(FIRST, ("attention",), title="Twins").step
    assert (step.title, step.text) == ("Twins", "Twins")


def test_each_line_belongs_to_a_part() -> None:
    prediction = KINDS["choice"]
    draft = StepDraft(
        FIRST, ("attention",), text="base = 5 it is", prediction=prediction, done=FIRST.changed(encoding="rope"),
        goal=(Expression('session.encoding.name == "rope"'),), claims=(Expression("twins.value > 0"),), feedback={"b": "No."},
        explain="a = b",
    )  # fmt: skip
    content = write.with_step("", draft)
    lines = content.split("\n")

    def part(words: str) -> str:
        return parse.part_at(content, next(at for at, line in enumerate(lines, 1) if line.startswith(words)))

    assert [part(words) for words in ("base = 5", "goal", "claims", "prediction.when", "solve", "a = b", "No.")] == [
        "", "goal", "claims", "prediction", "solve", "explain", "feedback b"
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["reversed", "rotated"])
def test_what_was_done_with_the_words_is_done_again(name: str) -> None:
    begun = FIRST.changed(encoding="none")
    order = (5, 4, 3, 2, 1, 0) if name == "reversed" else (1, 2, 3, 4, 5, 0)
    draft = StepDraft(begun, ("attention",), done=begun.reordered(order).changed(encoding="rope"))
    step = parse.read(write.with_step("", draft), "mine").steps[-1]
    write.require_same(step, draft)
    assert (step.solve["order"] == "reversed") == (name == "reversed")


@pytest.mark.parametrize("words", ["## a step", "a\n\n### Hint\n\nb", "```lab\n```"])
def test_words_that_are_parts_of_a_file_are_refused(words: str) -> None:
    draft = StepDraft(FIRST, ("attention",), text=words)
    with pytest.raises(ValueError, match="begins a part of the file"):
        write.with_step("", draft)


@pytest.mark.parametrize("words", [{"asks": "# a"}, {"hint": "# a"}, {"feedback": {"a": "# a"}}])
def test_one_line_can_be_a_heading_too(words: dict[str, object]) -> None:
    draft = StepDraft(FIRST, ("attention",), prediction=KINDS["choice"], done=FIRST.changed(encoding="rope"), **words)
    with pytest.raises(ValueError, match="begins a part of the file"):
        write.with_step("", draft)


def test_what_a_file_can_not_tell_is_refused() -> None:
    begun = FIRST.changed(key=1)
    draft = StepDraft(begun, ("attention",), done=begun.changed(key=None))
    with pytest.raises(ValueError, match="reset to automatic"):
        write.require_same(parse.read(write.with_step("", draft), "mine").steps[0], draft)


def test_minutes_grow_with_the_steps() -> None:
    content = ""
    for _ in range(12):
        content = write.with_step(content, StepDraft(FIRST, ("attention",), text="word " * 60, explain="word " * 100))
        content = write.with_minutes(content, parse.read(content, "mine"))
    lab = parse.read(content, "mine")
    assert 10 < lab.minutes <= minutes(lab) <= lab.minutes + OFF


def test_a_lab_that_takes_too_long_is_refused() -> None:
    content = ""
    for _ in range(20):
        content = write.with_step(content, StepDraft(FIRST, ("attention",), text="word " * 60, explain="word " * 100))
    lab = parse.read(content, "mine")
    with pytest.raises(ValueError, match="more than 20: begin another lab"):
        write.with_minutes(content, lab)
