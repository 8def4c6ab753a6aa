"""Labs keep their promises: those that come with the explorer, and a broken promise is found on its line."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from example import LAB

from posenc_gui.attention.engine import Engine
from posenc_gui.foundation.resources import folder
from posenc_gui.labs.authoring import check
from posenc_gui.labs.definition import lab_library, parse
from tools import lab_reference

ENGINE = Engine()


def found(content: str) -> list[str]:
    """What a check says, with the text of the line that it names."""
    lines = content.split("\n")
    problems = check.check(parse.read(content, "lab"), ENGINE)
    assert problems == sorted(problems)
    assert all(problem.message.isprintable() for problem in problems)
    return [f"{lines[problem.line - 1]} -> {problem.message}" for problem in problems]


def test_the_example_does_as_it_promises() -> None:
    assert found(LAB) == []


# What is changed, into what, the line that is told, and words of the message.
BROKEN = {
    "a false claim": (
        'claims = ["equivariance.value < 1e-4"]', 'claims = ["equivariance.value > 1e-4"]',
        "claims =", "the claim “equivariance.value > 1e-4” is false",
    ),
    "a claim that is false beside a true one": (
        'claims = ["equiv', 'claims = ["session.n_tokens == 7", "equiv', "claims =", "“session.n_tokens == 7” is false",
    ),
    "a claim without value": (
        'claims = ["equiv', 'claims = ["session.tokens[99] == 1", "equiv', "claims =", "can't be measured: “session.tokens” has",
    ),
    "a goal that is reached before": (
        'goal = ["session.order != []"]', 'goal = ["session.n_tokens == 6"]', "goal =", "before the learner has done anything",
    ),
    "a solution that does not reach": (
        "order = [1, 2, 0, 3, 4, 5]", "focus = 3", "goal =", "solve doesn't reach the goal: “session.order != []” is false",
    ),
    "one goal of two that is not reached": (
        'goal = ["session.order != []"]', 'goal = ["session.order != []", "session.focus == 9"]', "goal =", "session.focus == 9",
    ),
    "a goal without value": (
        'goal = ["session.order != []"]', 'goal = ["session.order[9] == 1"]', "goal =", "“session.order[9] == 1”: “session.order",
    ),
    "a solution that can't be": ("order = [1, 2, 0, 3, 4, 5]", "order = [1, 0]", "[solve]", "0 to 5 once"),
    "two outcomes": ('not-same = "equivariance.value >= 1e-4"', 'not-same = "1 < 2"', "[prediction]", "not 2"),
    "no outcome": ('\nsame = "equivariance.value < 1e-4"', '\nsame = "2 < 1"', "[prediction]", "not 0"),
    "an outcome without value": ('\nsame = "equivariance.value', '\nsame = "session.tokens[9]', "[prediction]", "not 0"),
    "too many words": ("Count them.", "Count " * 61, "## How many", "61 words"),
    "nothing to do": ("### Act\n\nReverse them.\n", "", "## Does", "add ### Act"),
    "no hint": (
        "### Hint\n\nThe tokens can be moved.\n\n### Hint\n\nPress Reverse.\n", "", "## Does", "a step with a goal needs a hint",
    ),
    "no explanation": ("### Explain\n\nThank you.\n", "", "## Your words", "add ### Explain"),
    "nothing uncovers": (
        'show = ["attention"]\npanels = []\n\n[prediction]\nkind = "text"\n```\n\n### Predict\n\nWrite a sentence.\n',
        'reveal = ["waves"]\n```\n', 'name = "words"', "nothing uncovers waves",
    ),
    "no plot": ('show = ["attention"]\npanels = []', "panels = []", 'name = "words"', "shows no plot"),
    "an explanation without value": (
        "than {{equivariance.value}}", "than {{session.tokens[99]}}", "### Explain", "“session.tokens[99]” has no value",
    ),
    "a feedback without value": (
        "{{len(session.text)}} characters", "{{vectors}} {{vectors[0][99]}}".replace("{{vectors}} ", ""),
        "### Feedback characters", "“vectors[0][99]” has no value",
    ),
    "a formula that can't be read": (
        r"$\sum_n w_{mn} v_n$", r"$\summ_n w_{mn} v_n$", "## Does", r"the formula $\summ_n w_{mn} v_n$ can't be read",
    ),
    "a card that is locked": ("Reverse them.", "Open the Encoding card.", "### Act", "the card Encoding, but the step doesn't"),
    "a place that is none": ("Press Reverse.", "Press it, top left.", "### Hint", "name a place, “top left”, but cards can be"),
    "a focus past the sentence": (
        'session.text = "a b c d"', 'session.text = "a b c d"\nsession.focus = 4', "session.focus",
        "past the sentence, whose positions are 0 to 3",
    ),
    "a goal behind a lock": (
        'lock = ["encoding", "model"]', 'lock = ["tokens", "encoding", "model"]', "[solve]",
        "needs the panel tokens, but the step locks it",
    ),
    "a goal without its panel": (
        'panels = ["tokens", "encoding", "model"]', 'panels = ["encoding", "model"]', "[solve]",
        "tokens, but the step doesn't show it",
    ),
    "a plot that shows nothing": (
        'reveal = ["equivariance"]', 'reveal = ["equivariance", "dials"]', 'name = "reorder"',
        "the plot dials is empty once the goal",
    ),
    "a claim that equal words in each other's place break": (
        'claims = ["equiv', 'claims = ["session.tokens != before.session.tokens", "equiv', "claims =",
        "with “The cat sat on the mat” in another order, which reaches the goal too, the claim “session.tokens != before",
    ),
    "a claim that another choice breaks": (
        'lock = ["encoding", "model"]', 'lock = ["model"]', "claims =",
        "which reaches the goal too, the claim “equivariance.value < 1e-4",
    ),
    "a value that another sentence lacks": (
        'claims = ["equiv', 'claims = ["session.tokens[5] != 1", "equiv', "claims =", "with “She told only him”",
    ),
    "a claim about the session before": (
        'claims = ["equiv', 'claims = ["session.order == before.session.order", "equiv', "claims =",
        "== before.session.order” is false",
    ),
    "a number that is none": ('value = "session.n_tokens"', 'value = "session.text"', "[prediction]", "is not a number here"),
    "a number without value": ('value = "session.n_tokens"', 'value = "angles[0][0]"', "[prediction]", "has no angles"),
    "a way of thinking without value": ("nothing = 0", 'nothing = "session.order[0]"', "[prediction]", "session.order[0]"),
    "an item that is no number": ('half = "session.n_tokens / 1"', 'half = "session.tokens[0]"', "[prediction]", "not a number"),
    "a curve that is not there": ("curve = 0", "curve = 2", "[prediction]", "the plot waves shows 2 curves: 0 to 1, not 2"),
    "a way of thinking that is right": (
        "nothing = 0", 'nothing = "session.n_tokens"', "[prediction]", "near.nothing lies within the tolerance",
    ),
    "a feedback that is missing": ("### Feedback wrong", "### Hint", "### Feedback right", "add ### Feedback wrong"),
    "a way of thinking that draws no curve": ("near = { slow = 1 }", "near = { slow = 9 }", "[prediction]", "0 to 1, not 9"),
}  # fmt: skip


@pytest.mark.parametrize("promise", BROKEN)
def test_a_broken_promise_is_told_on_its_line(promise: str) -> None:
    old, new, line, words = BROKEN[promise]
    assert old in LAB
    told = found(LAB.replace(old, new, 1))
    assert any(one.startswith(line) and words in one.partition(" -> ")[2] for one in told), told


def test_formulas_count_as_no_words() -> None:
    assert found(LAB.replace("Count them.", "Count " * 60 + "$a + b = c$", 1)) == []


def test_a_step_is_tried_after_those_before_it() -> None:
    # The second step keeps the order that the first one's solution gave, and what needs it can be measured.
    kept = LAB.replace('session.text = "a b c d"', 'keep = ["text", "order"]\nclaims = ["session.order[0] == 1"]', 1)
    assert found(kept) == []
    assert any("0 items" in one for one in found(kept.replace('"text", "order"', '"text"')))


def test_a_file_is_checked_as_far_as_it_can_be_used(tmp_path: Path) -> None:
    path = tmp_path / "mine.md"
    path.write_text(LAB, encoding="utf-8")
    lab, problems = check.check_file(path)
    assert lab is not None
    assert problems == []
    path.write_text(LAB.replace("curve = 0", "curve = 9"), encoding="utf-8")
    lab, problems = check.check_file(path)
    assert lab is not None
    assert len(problems) == 1
    path.write_text(LAB.replace("curve = 0", "curv = 9"), encoding="utf-8")
    lab, problems = check.check_file(path)
    assert lab is None
    assert "curve" in problems[0].message


def test_the_library_names_the_files_of_its_folder() -> None:
    assert {path.stem for path in (folder() / "labs").glob("*.md")} == set(lab_library.names())


def test_the_example_of_the_guide_does_as_it_promises() -> None:
    guide = (Path(__file__).parents[3] / "docs" / "writing-labs.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"^````markdown\n(.*?)^````$", guide, re.DOTALL | re.MULTILINE)
    assert found(example) == []


def test_the_guide_names_the_fields_that_are_declared() -> None:
    guide = (Path(__file__).parents[3] / "docs" / "writing-labs.md").read_text(encoding="utf-8")
    assert lab_reference.table() in guide, "put what `python -m tools.lab_reference` prints into docs/writing-labs.md"
