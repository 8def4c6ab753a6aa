"""A draft tried before it is written: what the checker would refuse of the file, by the part in which it stands."""

from __future__ import annotations

from dataclasses import replace

import pytest

from posenc_gui import plots
from posenc_gui.attention.engine import Engine
from posenc_gui.labs.authoring.write import StepDraft, faults
from posenc_gui.labs.definition.expressions import Expression
from posenc_gui.labs.definition.lab import Choice, Number, Sketch, arranged
from posenc_gui.session.first_session import first_session

NONE = arranged(first_session(), {"encoding": "none"})
WAVES = arranged(first_session(), {"encoding": "sinusoidal"})
NARROW = WAVES.changed(plots={"waves": {"curves": (20,)}})  # of 16 dimensions
WIDE = NARROW.changed(model=NARROW.model.model_copy(update={"d_model": 32}))
SURE = (Expression('session.encoding.name == "sinusoidal"'),)
ANSWERS = {"a": "one", "b": "two"}
SHOWN = ("attention",)
TWINS = Choice(ANSWERS, {"a": Expression("twins.value > 0")})
SKETCHED = StepDraft(NONE, ("waves",), prediction=Sketch("waves", 0), covers=True)

DRAFTS = {
    "whole": (StepDraft(NONE, SHOWN, done=WAVES, goal=SURE), None),
    "heading": (StepDraft(NONE, SHOWN, explain="# a"), "explain"),
    "question": (StepDraft(NONE, SHOWN, explain="{{twins.valu}}"), "explain"),
    "long": (StepDraft(NONE, SHOWN, text="word " * 61), ""),
    "empty plot": (StepDraft(NONE, ("attention", "hands")), "name"),
    "goal": (StepDraft(NONE, SHOWN, done=WAVES, goal=(Expression("session.n_tokens == 6"),)), "goal"),
    "claim": (StepDraft(NONE, SHOWN, done=WAVES, goal=SURE, claims=(Expression("twins.value > 9"),)), "claims"),
    "outcome": (StepDraft(NONE, SHOWN, prediction=Choice(ANSWERS, {"a": Expression("twins.value > 9")})), "prediction"),
    "number": (StepDraft(NONE, SHOWN, prediction=Number(Expression("frequencies.wavelengths[0]"), 1.0)), "prediction"),
    "axes": (
        replace(SKETCHED, begun=NARROW, done=WIDE, goal=(Expression("session.model.d_model == 32"),)),
        "prediction",
    ),
    "feedback": (StepDraft(WAVES, SHOWN, prediction=TWINS, feedback={"b": "{{twins.valu}}"}), "feedback b"),
    "tokenizer": (StepDraft(NONE.changed(tokenizer="/own/tokenizer.json"), SHOWN), "session"),
}


@pytest.mark.parametrize(("draft", "part"), DRAFTS.values(), ids=DRAFTS)
def test_what_is_wrong_is_told_where_it_stands(draft: StepDraft, part: str | None) -> None:
    said = replace(draft, explain=draft.explain or "Why.", hint="Look there." if draft.done else "")
    found = faults(said, Engine())
    assert {one.part for one in found} == ({part} if part is not None else set())
    assert all(one.message for one in found)


def test_plots_are_called_by_their_titles_as_in_the_window() -> None:
    """A file's writer knows their names; who writes beside the window has never seen them."""
    (empty,) = faults(StepDraft(NONE, ("attention", "linear_shift")), Engine())
    title = plots.plots()["linear_shift"].title
    assert f"the plot {title} is empty" in empty.message
