"""What a lab's writer can choose from: every condition that is offered can stand in a file, and is as true as is told."""

from __future__ import annotations

from itertools import groupby

import pytest

import posenc_gui as pe
from posenc_gui.attention.engine import Engine
from posenc_gui.labs.authoring.measurable import (
    change_conditions,
    instructions_between,
    measurables,
    unchanged_conditions,
)
from posenc_gui.labs.definition import expressions
from posenc_gui.labs.definition.lab import arranged
from posenc_gui.session.first_session import first_session

FIRST = first_session()
ENGINE = Engine()
MASKED, CURVES = {"model": {"causal": True}, "encoding": "alibi"}, {"plots": {"waves": {"curves": (0, 2)}}}
DONE = {
    "encoding": {"encoding": "rope"},
    "a parameter": {"encoding": {"name": "sinusoidal", "base": 100.0}},
    "a group": {"encoding": {"name": "rope", "scaling": {"rope_type": "linear", "factor": 8.0}}},
    "another": {"other": "alibi"},
    "text": {"text": "one two three four five six seven"},
    "order": {"order": "reversed"},
    "focus": {"focus": 4},
    "key": {"key": 1},
    "model": {"model": {"causal": True, "n_heads": 2}},
    "a plot's options": {"plots": {"waves": {"curves": (0, 2)}, "clocks": {"position": 3.0}}},
}


@pytest.mark.parametrize("change", DONE.values(), ids=DONE)
def test_what_was_done_is_told_by_conditions_that_did_not_hold_before(change: dict[str, object]) -> None:
    after = arranged(FIRST, change)
    found = change_conditions(FIRST, after)
    assert found
    for one in found:
        assert expressions.condition(one.question.text)
        assert one.question.holds(after, ENGINE, FIRST)
        assert not one.question.holds(FIRST, ENGINE, FIRST)


@pytest.mark.parametrize("change", DONE.values(), ids=DONE)
def test_what_stayed_on_the_same_card_can_be_held_too(change: dict[str, object]) -> None:
    after = arranged(FIRST, change)
    for one in unchanged_conditions(FIRST, after):
        assert expressions.condition(one.question.text)
        assert one.question.holds(after, ENGINE, FIRST)


def test_what_else_a_card_holds_is_part_of_the_goal() -> None:
    slower = arranged(FIRST, {"encoding": {"name": "sinusoidal", "base": 100.0}})
    (held,) = unchanged_conditions(FIRST, slower)
    assert held.words == "As now: Sinusoidal, layout and spacing"
    for other in ({"name": "sinusoidal", "base": 100.0, "layout": "concatenated"}, {"name": "rope", "base": 100.0}):
        assert not held.question.holds(arranged(FIRST, {"encoding": other}), ENGINE, FIRST)
    assert held.question.holds(arranged(slower, {"text": "another sentence", "model": {"causal": True}}), ENGINE, FIRST)


def test_of_much_that_stayed_the_first_is_named() -> None:
    (held,) = unchanged_conditions(FIRST, arranged(FIRST, {"order": "reversed"}))
    assert held.words == "As now: text, split into, keep case and 3 more"


def test_what_is_held_is_told_in_questions_that_a_file_can_hold() -> None:
    long = arranged(FIRST, {"text": "word " * 200})
    held = unchanged_conditions(long, long.reordered(tuple(range(200))[::-1]))
    assert any("before.session.text" in one.question.text for one in held)
    assert all(expressions.condition(one.question.text) for one in held)


@pytest.mark.slow
@pytest.mark.parametrize("change", [{}, {"encoding": "rope"}, {"encoding": "none", "text": "a b"}])
def test_what_is_measured_is_told_with_conditions_that_hold_as_is_told(change: dict[str, object]) -> None:
    session = arranged(FIRST, change)
    found = measurables(session, FIRST, ENGINE)
    assert len(found) > 20
    assert any(one.changed for one in found) == bool(change)
    for one in found:
        assert one.question.answer(session, ENGINE, FIRST) == one.now
        for offered in one.conditions:
            assert expressions.condition(offered.question.text).holds(session, ENGINE, FIRST) == offered.holds


def test_of_what_is_offered_as_outcomes_one_holds_alone() -> None:
    for before in (None, FIRST):
        for one in measurables(arranged(FIRST, {"encoding": "rope"}), before, ENGINE):
            assert [outcome.holds for outcome in one.outcomes].count(True) == 1


def test_a_number_that_a_text_states_is_a_condition_of_three_digits() -> None:
    (twins,) = (one for one in measurables(FIRST, None, ENGINE) if one.question.text == "twins.value")
    stated = twins.conditions[-1]
    shown = f"{twins.now:.3g}"
    assert (stated.words, stated.holds) == (f"is about {shown}", True)
    assert stated.question.text.startswith(f"abs(twins.value - {shown}) <= ")


def test_a_measure_s_values_stand_together_those_of_open_plots_first_and_in_each_what_changed() -> None:
    shown = "twins", "generation"
    found = measurables(arranged(FIRST, {"encoding": "rope"}), FIRST, ENGINE, shown)
    groups = [list(group) for _, group in groupby(found, key=lambda one: one.heading)]
    assert len(groups) == len({one.heading for one in found})
    ranks = [(group[0].measure not in shown, not any(one.changed for one in group)) for group in groups]
    assert ranks == sorted(ranks)
    for group in groups:
        within = [(not one.changed, not one.is_value) for one in group]
        assert within == sorted(within)


def test_of_an_open_map_the_weights_of_the_query_in_focus_are_offered_first_unless_a_token_was_moved() -> None:
    rope = arranged(FIRST, {"encoding": "rope"})
    first, *others = measurables(rope, FIRST, ENGINE, ["attention"])
    query = FIRST.focused
    assert first.question.text == f"attention.probabilities[0][{query}][0]"
    assert first.title == f"Weight of {FIRST.tokens[query]} on the 0"
    weights = pe.attend(rope).probabilities[0, query]
    found = [one.now for one in (first, *others) if one.measure == "attention"]
    assert found == pytest.approx(weights.tolist())
    assert first.changed
    for moved in ({"order": "reversed"}, {"text": "another sentence"}):
        found = measurables(arranged(FIRST, moved), FIRST, ENGINE, ["attention"])
        assert "attention" not in {one.measure for one in found}


def test_letters_of_a_long_text_are_no_values() -> None:
    found = {one.question.text for one in measurables(arranged(FIRST, {"text": "dog bites man"}), None, ENGINE)}
    assert "meaning.value" in found
    assert not {text for text in found if text.startswith("meaning.meaning")}


def test_a_number_over_heads_says_so_and_a_difference_that_is_rounding_reads_as_a_learner_reads_it() -> None:
    four = arranged(FIRST, {"encoding": "rope", "model": {"n_heads": 4}})
    found = {one.question.text: one for one in measurables(four, None, ENGINE)}
    assert found["kernel.at_zero"].words.startswith("Distance kernel (mean over heads), at zero: ")
    assert found["kernel.farthest_offset"].title == "Distance kernel, farthest offset"
    assert found["kernel.bound[0]"].title == "Distance kernel, bound, first"
    assert found["generation.value"].title == "Generation (largest over heads)"
    assert found["generation.changes"].title == "Generation, changes"
    shift = found["shift.value"]
    assert 0 < shift.now < 1e-5
    assert shift.words.endswith(": 0")
    assert shift.question.told(shift.now) == "0"
    slow = found["frequencies.frequencies[-1]"].question
    assert slow.told(2e-7) == "2e−7"  # no difference: it is as small as that


@pytest.mark.parametrize(
    ("change", "act", "place"),
    [
        ({"encoding": "rope"}, "Choose RoPE.", "It stands in the card Encoding."),
        ({"encoding": {"name": "sinusoidal", "base": 100.0}}, "Set base to 100.", "It stands in the card Encoding."),
        ({"order": "reversed"}, "Change the order of the words.", "It stands in the card Sentence."),
        ({"text": "one two three"}, "Type another sentence.", "It stands in the card Sentence."),
        ({"trained_length": 128}, "Set trained length to 128.", "It stands in the card Toy model."),
        (MASKED, "Choose ALiBi. Set causal mask to on.", "They stand in the card Encoding and in the card Toy model."),
        (CURVES, "Set curves to 0, 2.", "It stands behind the button with the sliders on the card Waves."),
        ({"other": "alibi"}, "Compare it with ALiBi.", "It stands in the card Encoding."),
        (  # too long to be told whole
            {"encoding": "rope", "plots": {"waves": {"curves": tuple(range(0, 24, 2))}}},
            "",
            "They stand in the card Encoding and behind the button with the sliders on the card Waves.",
        ),
        ({}, "", ""),
    ],
)
def test_what_was_done_is_told_as_what_to_do_and_where(change: dict[str, object], act: str, place: str) -> None:
    assert instructions_between(FIRST, arranged(FIRST, change)) == (act, place)


@pytest.mark.parametrize(
    ("change", "act"),
    [
        ({"other": "alibi"}, "Compare it with nothing any more."),
        ({"trained_length": 128}, "Clear trained length."),
        (CURVES, "Clear curves."),
        ({"order": "reversed"}, "Change the order of the words."),
    ],
)
def test_what_was_taken_back_is_told_as_what_to_do(change: dict[str, object], act: str) -> None:
    assert instructions_between(arranged(FIRST, change), FIRST)[0] == act
