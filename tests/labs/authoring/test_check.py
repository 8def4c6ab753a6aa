"""Labs keep their promises: those that come with the explorer, and a broken promise is found on its line."""

from __future__ import annotations

import re
from pathlib import Path

from broken_labs import BROKEN, changed
from example import LAB

from posenc_gui.attention.engine import Engine
from posenc_gui.labs.authoring import check
from posenc_gui.labs.definition import parse
from tools import lab_reference

ENGINE = Engine()
GUIDE = (Path(__file__).parents[3] / "docs" / "writing-labs.md").read_text(encoding="utf-8")


def found(content: str) -> list[str]:
    """What a check says."""
    problems = check.check(parse.read(content, "lab"), ENGINE)
    assert problems == sorted(problems)
    assert all(problem.message.isprintable() for problem in problems)
    return [problem.message for problem in problems]


def test_the_example_does_as_it_promises() -> None:
    assert found(LAB) == []


def test_a_broken_promise_is_told() -> None:
    for old, new in BROKEN:
        assert found(changed(old, new)), new


def test_a_claim_that_another_choice_breaks_is_told_with_that_choice() -> None:
    told = found(changed('lock = ["encoding", "model"]', 'lock = ["model"]'))
    assert any("which reaches the goal too, the claim “equivariance.value < 1e-4" in one for one in told), told


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
    assert check.check_file(path) == (parse.load(path), [])
    path.write_text(LAB.replace("curve = 0", "curve = 9"), encoding="utf-8")
    lab, problems = check.check_file(path)
    assert (lab, len(problems)) == (parse.load(path), 1)
    path.write_text(LAB.replace("curve = 0", "curv = 9"), encoding="utf-8")
    lab, problems = check.check_file(path)
    assert lab is None
    assert "curve" in problems[0].message


def test_the_example_of_the_guide_does_as_it_promises() -> None:
    (example,) = re.findall(r"^````markdown\n(.*?)^````$", GUIDE, re.DOTALL | re.MULTILINE)
    assert found(example) == []


def test_the_guide_names_the_fields_that_are_declared() -> None:
    assert lab_reference.table() in GUIDE, "put what `python -m tools.lab_reference` prints into docs/writing-labs.md"
