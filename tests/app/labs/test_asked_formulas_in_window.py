"""A lab asks for a formula: its field is there with a text to begin with, what that lacks is said, and what is typed is kept."""

from __future__ import annotations

import pytest
from lab_hands import Learner

from posenc_gui.app.panels.formula_editor import FormulaField

LAB = "write-it-yourself"


def field(learner: Learner) -> FormulaField:
    (found,) = learner.window.cards["encoding"].findChildren(FormulaField)
    return found


@pytest.mark.slow
def test_a_formula_is_typed_judged_and_there_again(learner, settle) -> None:
    learner.at(LAB, "share")
    learner.answers("place")
    learner.commits()
    learner.finds(field(learner))
    assert field(learner).toPlainText() == "p[m, i] = m"
    learner.waits(lambda: "○ Bounded: not met, 16 times as large by 2,047" in learner.sees())
    field(learner).setPlainText("p[m, i] = m / 3")
    learner.waits(lambda: learner.play.done.formula == "p[m, i] = m / 3")
    field(learner).setPlainText("p[m, i] = m / ")  # can't be read: what was said stays
    assert "○ Bounded: not met, 16 times as large by 2,047" in learner.sees()
    learner.at(LAB, "sine")
    learner.at(LAB, "share")
    settle(learner.window)
    assert field(learner).toPlainText() == "p[m, i] = m / 3"
    learner.clicks("Reset this step")
    learner.waits(lambda: field(learner).toPlainText() == "p[m, i] = m")
    field(learner).setPlainText("p[m, 2i] = sin(m)\np[m, 2i+1] = cos(m)")
    learner.waits(lambda: learner.play.phase == "done")
    assert "p[m, 2i] = sin(m)" in learner.sees()
    assert "Deterministic: same every time" in learner.sees()
    learner.waits(lambda: "● as predicted" in learner.sees())
