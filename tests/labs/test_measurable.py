"""What a lab's writer can choose from: every condition that is offered can stand in a file, and is as true as is told."""

from __future__ import annotations

import pytest

from posenc_gui.attention.engine import Engine
from posenc_gui.labs import questions
from posenc_gui.labs.lab import arranged
from posenc_gui.labs.measurable import conditions_of, measurables
from posenc_gui.ways_in import first_session

FIRST = first_session()
ENGINE = Engine()
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
    "a plot's options": {"plots": {"waves": {"curves": (0, 2)}, "dials": {"position": 3.0}}},
}


@pytest.mark.parametrize("change", DONE.values(), ids=DONE)
def test_what_was_done_is_told_by_conditions_that_did_not_hold_before(change: dict[str, object]) -> None:
    after = arranged(FIRST, change)
    found = conditions_of(FIRST, after)
    assert found
    for one in found:
        assert questions.condition(one.question.text)
        assert one.question.holds(after, ENGINE, FIRST)
        assert not one.question.holds(FIRST, ENGINE, FIRST)


@pytest.mark.parametrize("change", [{}, {"encoding": "rope"}, {"encoding": "none", "text": "a b"}])
def test_what_is_measured_is_told_with_conditions_that_hold_as_is_told(change: dict[str, object]) -> None:
    session = arranged(FIRST, change)
    found = measurables(session, FIRST, ENGINE)
    assert len(found) > 20
    assert [one.changed for one in found] == sorted((one.changed for one in found), reverse=True)
    assert any(one.changed for one in found) == bool(change)
    for one in found:
        assert one.question.answer(session, ENGINE, FIRST) == one.now
        for offered in one.conditions:
            assert questions.condition(offered.question.text).holds(session, ENGINE, FIRST) == offered.holds
