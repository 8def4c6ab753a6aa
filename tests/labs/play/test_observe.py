"""What comes out of a step: measured when the goal is reached, and compared with what was predicted."""

from __future__ import annotations

from dataclasses import replace

import pytest
from example import LAB
from hypothesis import given
from hypothesis import strategies as st

import posenc_gui as pe
from posenc_gui.attention.engine import Engine
from posenc_gui.figure.panels import Lines
from posenc_gui.labs.definition import parse
from posenc_gui.labs.definition.expressions import Expression
from posenc_gui.labs.definition.lab import Choice, FreeText, Number, Order, Sketch, Step
from posenc_gui.labs.definition.record import Answer, Outcome, StepRecord
from posenc_gui.labs.play.observe import compare_sketch, curves_of, look, observe, outcome_of
from posenc_gui.labs.play.progress import Play
from posenc_gui.session.first_session import first_session

ENGINE = Engine()
FIRST = first_session()
EXAMPLE = parse.read(LAB, "example")
REORDER, COUNT, ORDER, SKETCH, WORDS = EXAMPLE.steps


def outcome(step: Step, answer: Answer, session: pe.Session | None = None) -> Outcome:
    assert step.prediction
    return outcome_of(step.prediction, answer, session or step.solved(step.begun(FIRST)), ENGINE)


def curve(index: int) -> tuple[tuple[float, float], ...]:
    series = lines_of(SKETCH).series[index]
    return tuple((float(x), float(y)) for x, y in zip(series.x, series.y, strict=True))


def lines_of(step: Step) -> Lines:
    assert isinstance(step.prediction, Sketch)
    return curves_of(step.prediction, step.begun(FIRST), ENGINE)


# --- Each kind of prediction ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("answer", "right"), [("same", True), ("not-same", False), ("swap", False), ("gone", False)])
def test_a_choice_is_compared_with_the_option_that_holds(answer: str, right: bool) -> None:
    found = outcome(REORDER, answer)
    assert found == Outcome(answer="same", words="It moves along, unchanged.", feedback=answer, right=right)


def test_in_another_session_another_option_holds() -> None:
    session = REORDER.solved(REORDER.begun(FIRST)).changed(encoding="sinusoidal")
    assert outcome(REORDER, "same", session).answer == "not-same"
    assert outcome(REORDER, "not-same", session).right


@pytest.mark.parametrize(
    ("when", "words"),
    [
        ({"a": "1 < 2", "b": "2 < 3"}, "In this session a and b fit at once what was measured."),
        ({"a": "2 < 1", "b": "3 < 2"}, "In this session none of the answers fits what was measured."),
        ({"a": "session.tokens[99] == 1"}, "In this session none of the answers fits what was measured."),
    ],
)
def test_where_not_one_option_holds_nobody_is_judged(when: dict[str, str], words: str) -> None:
    prediction = Choice({"a": "A", "b": "B"}, {name: Expression(text) for name, text in when.items()})
    assert outcome_of(prediction, "a", FIRST, ENGINE) == Outcome(answer=None, words=words)


@pytest.mark.parametrize(
    ("answer", "feedback"),
    [(4.0, "right"), (4, "right"), (4.5, "right"), (3.5, "right"), (7.0, "characters"), (6.6, "characters"),
     (0.2, "nothing"), (-0.5, "nothing"), (5.0, "wrong"), (-4.0, "wrong"), (1e300, "wrong")],
)  # fmt: skip
def test_a_number_is_right_within_its_tolerance_or_near_a_way_of_thinking(answer: float, feedback: str) -> None:
    found = outcome(COUNT, answer)
    assert (found.answer, found.words, found.feedback, found.right) == (4.0, "4", feedback, feedback == "right")


def test_of_two_ways_of_thinking_the_nearer_one_is_named() -> None:
    near = {"one": Expression("1"), "two": Expression("2"), "none": Expression("session.order[0]")}
    prediction = Number(Expression("9"), 2.0, near)
    for answer, feedback in ((0.0, "one"), (1.4, "one"), (1.6, "two"), (3.5, "two"), (6.0, "wrong"), (7.0, "right")):
        assert outcome_of(prediction, answer, FIRST, ENGINE).feedback == feedback


@pytest.mark.parametrize(
    ("answer", "feedback"),
    [
        (("none", "tokens", "half", "text"), "right"),
        (("none", "half", "tokens", "text"), "right"),
        (("text", "half", "tokens", "none"), "reversed"),
        (("text", "tokens", "half", "none"), "reversed"),
        (("tokens", "none", "half", "text"), "wrong"),
        (("none", "tokens", "text"), "wrong"),
        (("none", "tokens", "half", "gone"), "wrong"),
        ((), "wrong"),
        ("none", "wrong"),
    ],
)
def test_items_of_one_value_may_stand_either_way(answer: Answer, feedback: str) -> None:
    found = outcome(ORDER, answer)
    assert isinstance(found.answer, tuple)
    assert (found.answer[0], found.answer[-1]) == ("none", "text")
    assert (found.feedback, found.right) == (feedback, feedback == "right")
    assert found.words.startswith("nothing (0), ")
    assert found.words.endswith("characters (5)")


@given(st.lists(st.integers(-3, 3), min_size=2, max_size=6), st.data())
def test_an_order_is_right_where_values_never_fall(values: list[int], data: st.DataObject) -> None:
    names = [f"i{index}" for index in range(len(values))]
    worth = dict(zip(names, values, strict=True))
    answer = tuple(data.draw(st.permutations(names)))
    prediction = Order(dict.fromkeys(names, "x"), {name: Expression(str(value)) for name, value in worth.items()})
    given_values = [worth[name] for name in answer]
    found = outcome_of(prediction, answer, FIRST, ENGINE)
    assert found.right == (given_values == sorted(values))
    assert [worth[str(name)] for name in found.answer] == sorted(values)  # type: ignore[union-attr]
    if found.feedback == "reversed":
        assert given_values == sorted(values, reverse=True)


def test_a_sketch_is_compared_with_the_curve() -> None:
    right = outcome(SKETCH, curve(0))
    assert (right.feedback, right.right, right.answer) == ("right", True, curve(0))
    assert "0% of the plot's height apart" in right.words
    lines = lines_of(SKETCH)
    height = lines.high - lines.low
    assert outcome(SKETCH, tuple((x, y + 0.1 * height) for x, y in curve(0))).right
    nearly = outcome(SKETCH, tuple((x, y + 0.002 * height) for x, y in curve(0)))
    assert "are about 0.2% of the plot's height apart" in nearly.words  # 0% would be all of it
    assert outcome(SKETCH, curve(1)).feedback == "slow"
    assert not outcome(SKETCH, curve(1)).right
    assert outcome(SKETCH, tuple((x, y - 0.9 * height) for x, y in curve(0))).feedback == "wrong"


@pytest.mark.parametrize("answer", [(), "words", 3.0, ("a", "b")])
def test_what_is_no_sketch_is_not_judged(answer: Answer) -> None:
    assert outcome(SKETCH, answer) == Outcome(answer=None, words="Nothing was drawn.")


def test_where_a_plot_has_too_few_curves_the_outcome_says_so() -> None:
    one = SKETCH.begun(FIRST).changed(plots={"waves": {"curves": (0,)}})
    assert outcome(SKETCH, curve(0), one) == Outcome(answer=None, words="The plot waves shows only 1 curve.")
    none = SKETCH.begun(FIRST).changed(plots={"waves": {"curves": (99,)}})
    assert "no curves" in outcome(SKETCH, curve(0), none).words


def test_nobody_judges_words() -> None:
    assert outcome_of(FreeText(), "I don't know", FIRST, ENGINE) == Outcome(answer=None, words="")


@pytest.mark.parametrize("answer", ["six", ("a",), ()])
def test_what_is_no_number_is_not_judged(answer: Answer) -> None:
    assert outcome(COUNT, answer) == Outcome(answer=None, words="The prediction is not a number.")


def test_what_can_t_be_measured_says_why() -> None:
    found = outcome_of(Number(Expression("session.order[0]"), 1.0), 1.0, FIRST, ENGINE)
    assert found == Outcome(answer=None, words="“session.order” has 0 items, not one at 0.")


# --- A session seen by a step ---------------------------------------------------------------------------------------


def test_nothing_is_measured_before_the_goal_is_reached() -> None:
    begun = REORDER.begun(FIRST)
    seen = observe(REORDER, "same", begun, ENGINE)
    assert (seen.session, seen.reached, seen.outcome, seen.values) == (begun, False, None, {})
    one_of_two = replace(REORDER, goal=(Expression("session.n_tokens == 6"), *REORDER.goal))
    assert not observe(one_of_two, "same", begun, ENGINE).reached


def test_what_the_words_ask_for_is_measured_where_the_goal_is_reached() -> None:
    solved = REORDER.solved(REORDER.begun(FIRST))
    seen = observe(REORDER, "same", solved, ENGINE)
    assert seen.reached
    assert seen.doubts == ()
    assert seen.outcome == outcome(REORDER, "same")
    assert seen.values.keys() == {"equivariance.value", "session.n_tokens"}
    assert seen.values["session.n_tokens"] == "6"
    counted = observe(COUNT, 7.0, COUNT.begun(FIRST), ENGINE)
    assert counted.values == {"session.n_tokens": "4", "len(session.text)": "7"}


def test_what_has_no_value_is_told_in_its_place() -> None:
    step = replace(WORDS, explain="{{session.order[0]}}")
    seen = observe(step, "x", FIRST, ENGINE)
    assert seen.values == {"session.order[0]": "(no value: “session.order” has 0 items, not one at 0.)"}


def test_claims_that_do_not_hold_here_are_doubts() -> None:
    step = replace(REORDER, claims=(*REORDER.claims, Expression("session.order[9] == 1")))
    reached = REORDER.solved(REORDER.begun(FIRST)).changed(encoding="sinusoidal")
    assert observe(step, "same", reached, ENGINE).doubts == ("equivariance.value < 1e-4", "session.order[9] == 1")


def test_before_a_prediction_only_empty_axes_are_seen() -> None:
    begun = SKETCH.begun(FIRST)
    seen = look(SKETCH, StepRecord(), begun, ENGINE)
    assert isinstance(seen.curves, Lines)
    assert (seen.reached, seen.outcome, seen.values) == (False, None, {})
    assert look(SKETCH, StepRecord(), begun.changed(plots={"waves": {"curves": (99,)}}), ENGINE).curves is None
    assert look(COUNT, StepRecord(), COUNT.begun(FIRST), ENGINE).curves is None
    solved = REORDER.solved(REORDER.begun(FIRST))
    assert not look(REORDER, StepRecord(), solved, ENGINE).reached


def test_a_number_is_framed_in_the_text_if_it_is_framed_in_a_plot() -> None:
    now, before = "attention.probabilities[0][-1][1]", "frequencies.wavelengths[-1]"
    told = f"{{{{{now}}}}} {{{{before.{now}}}}} {{{{before.{before}}}}}"
    begun = {"encoding": "rope", "model": {"d_model": 16, "n_heads": 1}}
    step = Step("one", "One", "One.", start=begun, show=("attention", "frequencies"), explain=told)
    slower = step.begun(FIRST).changed(encoding=pe.encoding("rope", base=100.0))
    seen = look(step, StepRecord(done="2020-01-01"), slower, ENGINE)
    assert seen.marks.texts == {now, f"before.{before}"}  # maps frame no number of before, curves do


# --- A sketch beside what was measured ------------------------------------------------------------------------------


def sketched() -> StepRecord:
    play = Play.begin(EXAMPLE).at(3).committed(curve(1), "a curve", "why")
    play = play.observed(look(SKETCH, play.done, SKETCH.begun(FIRST), ENGINE))
    assert play.done.done
    return play.done


def test_a_sketch_is_shown_beside_the_measured_curve() -> None:
    figure = compare_sketch(sketched(), ENGINE)
    panel = next(panel for panel in figure.panels if isinstance(panel, Lines))
    measured, drawn = panel.series
    assert measured.y.tolist() == pytest.approx([y for _, y in curve(0)])
    assert drawn.y.tolist() == pytest.approx([y for _, y in curve(1)])
    seen = look(SKETCH, sketched(), FIRST, ENGINE)
    assert seen.compared is not None


@pytest.mark.parametrize(
    "changes",
    [{"answer": "same"}, {"answer": 3.0}, {"answer": ("a", "b")}, {"answer": ()}, {"outcome": None}, {"session": ""},
     {"session": "{}"}, {"session": FIRST.changed(plots={"waves": {"curves": (99,)}}).to_json()}, {"plot": ""}, {"curve": 60},
     {"answer": ((0.0, 1e308), (1.0, -1e308))}],
)  # fmt: skip
def test_a_sketch_that_cant_be_drawn_is_not_shown(changes: dict[str, object]) -> None:
    done = StepRecord(**{**dict(sketched()), **changes})  # type: ignore[arg-type]
    assert look(SKETCH, done, FIRST, ENGINE).compared is None
    with pytest.raises(ValueError, match=r"."):
        compare_sketch(done, ENGINE)
