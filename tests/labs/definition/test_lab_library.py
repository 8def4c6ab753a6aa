"""The explorer's labs, the index and the lesson lead only to what is there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from posenc_gui.attention.engine import Engine
from posenc_gui.foundation.errors import Invalid
from posenc_gui.labs.authoring import bundled_check
from posenc_gui.labs.definition import lab_library
from posenc_gui.labs.definition.lab_library import Way, WayGroup
from posenc_gui.session.first_session import first_session

ENGINE = Engine()
LABS = {name: lab_library.lab(name) for name in lab_library.names()}
WAYS = [way for group in lab_library.ways() for way in group.entries]
FIRST = next(way for way in WAYS if way.lab)


def test_labs_are_there_in_order_with_unlike_names() -> None:
    files = lab_library.file_of(lab_library.names()[0]).parent.glob("*.md")
    assert sorted(lab_library.names()) == sorted(path.stem for path in files)
    labs = [lab_library.lab(name) for name in lab_library.names()]
    assert [lab.name for lab in labs] == lab_library.names()
    assert all(lab.path is None for lab in labs)
    assert lab_library.LESSON not in lab_library.names()


@pytest.mark.parametrize("name", ["", "0-none", "../labs/waves", "/etc/passwd", "index", "waves.md"])
def test_a_name_that_is_none_is_refused_with_those_there_are(name: str) -> None:
    with pytest.raises(ValueError, match="waves"):
        lab_library.lab(name)


def test_a_former_name_leads_to_the_lab_that_has_its_steps() -> None:
    former = {
        "1-attention-reads-a-set": "attention-reads-a-bag",
        "4-waves": "waves",
        "9-where-it-ends": "past-the-training",
    }
    assert {name: lab_library.lab(name).name for name in former} == former


@pytest.mark.parametrize("name", lab_library.names())
def test_a_lab_says_how_long_it_takes(name: str) -> None:
    lab = lab_library.lab(name)
    assert [*bundled_check.of_minutes(lab)] == []
    assert "says 99 minutes" in told(bundled_check.of_minutes(replace(lab, minutes=99)))


def test_titles_are_unlike() -> None:
    assert [*bundled_check.of_titles(LABS.values())] == []
    assert "2 labs have the title" in told(bundled_check.of_titles([lab_library.lab("waves")] * 2))


# Their pictures would hold the answer before anything has changed.
TELLING = {("waves", "distance"), ("rope-turn-dont-add", "angle")}


@pytest.mark.slow
@pytest.mark.parametrize("name", lab_library.names())
def test_what_must_change_first_is_seen_before_the_prediction(name: str) -> None:
    session = first_session()
    for step in LABS[name].steps:
        begun = step.begun(session)
        session = step.solved(begun)
        if step.goal and not step.orders and (name, step.name) not in TELLING:
            covered = [plot for plot in step.reveal if not begun.picture(plot, ENGINE).is_note]
            assert not covered, f"{step.name} covers {covered}"


MISLEADING = {
    "a lab that is none": (Way(question="Where?", lab="0-none"), "“Where?” leads to the lab “0-none”"),
    "a step that is none": (Way(question="Where?", lab="waves", step="none"), "the step “none”, which “waves” doesn't have"),
    "a plot that is empty": (Way(question="Where?", plot="clocks", session={"encoding": "none"}), "“clocks”, which is empty"),
    "a question asked before": (FIRST, "2 times"),
}  # fmt: skip


@pytest.mark.parametrize("case", MISLEADING)
def test_a_question_that_misleads_is_told(case: str) -> None:
    way, words = MISLEADING[case]
    assert words in told(bundled_check.of_index([WayGroup(title="Where", entries=(FIRST, way))], LABS, ENGINE))


def test_a_lab_that_no_question_leads_to_is_told() -> None:
    index = [WayGroup(title="To labs", entries=tuple(way for way in WAYS if way.lab))]
    told = bundled_check.of_index(index, {**LABS, "11-new": LABS["waves"]}, ENGINE)
    assert [*told] == ["no question leads to “11-new”"]


@pytest.mark.parametrize("fields", [{}, {"lab": "waves", "plot": "waves"}])
def test_a_way_leads_to_one_thing(fields: dict[str, str]) -> None:
    with pytest.raises(Invalid, match="leads to a lab or to a plot"):
        Way(question="Where?", **fields)  # type: ignore[arg-type]


def test_the_lesson_fills_its_time_with_what_is_there() -> None:
    plan = lab_library.lesson()
    assert [*bundled_check.of_lesson(plan, LABS)] == []
    assert lab_library.lab(lab_library.LESSON).minutes == bundled_check.LESSON_MINUTES
    first, *others = plan.parts
    for part, words in (
        (first.model_copy(update={"minutes": 99}), "minutes, not 45"),
        (first.model_copy(update={"say": ""}), "nothing is said"),
        (first.model_copy(update={"lab": "waves", "steps": ("none",)}), "takes the step “none” from “waves”"),
    ):
        assert words in told(bundled_check.of_lesson(plan.model_copy(update={"parts": (part, *others)}), LABS))


def test_the_lesson_is_made_of_steps_that_are_there() -> None:
    wanted = [(part.lab, name) for part in lab_library.lesson().parts for name in part.steps]
    steps = {(lab, step.name): step for lab in lab_library.names() for step in lab_library.lab(lab).steps}
    lesson = lab_library.lab(lab_library.LESSON)
    assert [step.title for step in lesson.steps] == [steps[place].title for place in wanted]
    assert len({step.name for step in lesson.steps}) == len(lesson.steps) >= 5


def told(problems: Iterator[str]) -> str:
    return "\n".join(problems)
