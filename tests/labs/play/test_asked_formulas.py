"""Steps that ask for a formula: what it still lacks is said, as measured; what was typed is kept."""

from __future__ import annotations

import pytest

import posenc_gui as pe
from posenc_gui.attention.engine import Engine
from posenc_gui.labs.authoring import measurable, write
from posenc_gui.labs.authoring.check import check
from posenc_gui.labs.definition import parse
from posenc_gui.labs.definition.lab import Lab
from posenc_gui.labs.definition.record import Record
from posenc_gui.labs.play.observe import Observation, look
from posenc_gui.labs.play.progress import Play
from posenc_gui.labs.reports import report
from posenc_gui.session.first_session import first_session

ENGINE = Engine()
STEP = """
# A formula

Which one?

```lab
format = 1
minutes = 3
```

## Bounded

What stays small?

```step
name = "bounded"
session.encoding = { name = "own", formula = "p[m, i] = m" }
show = ["requirements"]
claims = ["vectors[2][0] > 0.2"]

[goal]
"" = 'requirements.unique.verdict != "not" and requirements.bounded.verdict == "met"'
"position 1 has 0.5 or more: {{vectors[1][0]}}" = "vectors[1][0] >= 0.5"

[solve]
encoding = { name = "own", formula = "p[m, i] = sin(m * speed)\\nspeed = 1  # 0.6 to 1.5" }
```

### Act

Write it.

### Hint

A wave.

### Explain

{{requirements.bounded.reason}}
"""
LAB = parse.read(STEP, "formula")


def typed(text: str) -> pe.Session:
    return first_session().changed(encoding={"name": "own", "formula": text})


def seen(session: pe.Session, lab: Lab = LAB) -> Observation:
    play = Play.begin(lab)
    return look(play.step, play.done, session, ENGINE)


@pytest.mark.parametrize(
    ("formula", "told"),
    [
        (
            "p[m, i] = m",
            ("✓ Unique: met, no two alike", "○ Bounded: not met, 16 times as large by 2,047", "✓ position 1 has 0.5 or more: 1"),
        ),
        (
            "p[m, i] = sin(m / 100)",
            ("✓ Unique: partly, some alike in bfloat16", "✓ Bounded: met, within ±1 up to 2,047",
             "○ position 1 has 0.5 or more: 0.01"),
        ),
        (
            "bias[m, n, h] = m - n",
            ("✓ Unique: met, no two alike", "○ Bounded: not met, 16 times as large by 2,047",
             "○ position 1 has 0.5 or more: (no value: “Your formula” has no vectors.)"),
        ),
    ],
)  # fmt: skip
def test_what_a_formula_lacks_is_said_as_measured(formula: str, told: tuple[str, ...]) -> None:
    found = seen(typed(formula))
    assert found.told == told
    assert not found.reached


def test_any_formula_that_meets_the_goal_does_and_no_built_in_encoding() -> None:
    assert seen(typed("p[m, i] = tanh(m)\n")).reached is False  # all far positions are alike
    assert seen(typed("p[m, 2i] = sin(m)\np[m, 2i+1] = cos(m)")).reached
    other = seen(first_session().changed(encoding="sinusoidal"))
    assert not other.reached
    assert other.told[0] == "○ “Your formula” is chosen in the list of the Encoding card."


def test_the_last_formula_is_kept_with_what_was_said_and_stands_in_the_report_as_it_was_typed() -> None:
    play = Play.begin(LAB)
    for text in ("p[m, i] = m", "p[m, i] = sin(m) if m < 9 else cos(m)"):
        found = seen(typed(text))
        play = play.trying(found).observed(found)
    assert play.phase == "done"
    assert (play.done.formula, len(play.done.lacked)) == (text, 3)
    page = report.html(Record.model_validate_json(play.record.model_dump_json()), {})
    assert "<pre>p[m, i] = sin(m) if m &lt; 9 else cos(m)</pre>" in page
    assert "✓ Bounded: met, within ±1 up to 2,047" in page
    assert play.again().done.formula == ""
    assert play.trying(seen(first_session())) is play


def test_the_check_tries_both_ends_of_each_number_that_the_solution_names() -> None:
    (problem,) = check(LAB, ENGINE)
    assert problem.message.endswith("which reaches the goal too, the claim “vectors[2][0] > 0.2” is false")
    wrong = STEP.replace("sin(m * speed)", "m * speed")
    assert any("solve doesn't reach the goal" in one.message for one in check(parse.read(wrong, "x"), ENGINE))
    met = STEP.replace('"p[m, i] = m"', '"p[m, i] = sin(m)"')
    assert any("before the learner has done anything" in one.message for one in check(parse.read(met, "x"), ENGINE))


@pytest.mark.parametrize("after", ["p[m, i] = m / L\nk = 2", "p[m, i] = k * m\nk = 3"])
def test_a_change_of_a_formula_can_be_recorded_as_a_step(after: str) -> None:
    begun, done = typed("p[m, i] = k * m\nk = 2"), typed(after)
    conditions = measurable.change_conditions(begun, done)
    assert all(one.question.holds(done, ENGINE, begun) for one in conditions)
    assert not any(one.question.holds(begun, ENGINE, begun) for one in conditions)
    goal = tuple(one.question for one in conditions)
    draft = write.StepDraft(
        begun, ("waves",), title="T", text="What?", done=done, goal=goal, act="Do.", hint="H", explain="E"
    )
    assert write.faults(draft, ENGINE) == ()
    assert parse.read(write.with_step("", draft), "x").steps[0].asks_formula
