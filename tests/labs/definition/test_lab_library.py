"""The explorer's labs, the index and the lesson lead only to what is there."""

from __future__ import annotations

import re

import pytest

from posenc_gui.attention.engine import Engine
from posenc_gui.figure.figure import Note
from posenc_gui.foundation.errors import Invalid
from posenc_gui.labs.authoring.duration import LONGEST, minutes
from posenc_gui.labs.definition import lab_library as shelf
from posenc_gui.labs.definition.lab import arranged
from posenc_gui.labs.definition.lab_library import Way
from posenc_gui.session import evaluate
from posenc_gui.session.first_session import first_session

ENGINE = Engine()
WAYS = [way for group in shelf.ways() for way in group.entries]
OF_PLOTS = [way for way in WAYS if way.plot]


def test_labs_are_there_in_order_with_unlike_names() -> None:
    assert shelf.names() == sorted(shelf.names(), key=lambda name: int(name.split("-")[0]))
    labs = [shelf.lab(name) for name in shelf.names()]
    assert [lab.name for lab in labs] == shelf.names()
    assert len({lab.title for lab in labs}) == len(labs) >= 5
    assert all(lab.path is None for lab in labs)
    assert shelf.LESSON not in shelf.names()


@pytest.mark.parametrize("name", ["", "0-none", "../labs/4-waves", "/etc/passwd", "index", "4-waves.md"])
def test_a_name_that_is_none_is_refused_with_those_there_are(name: str) -> None:
    with pytest.raises(ValueError, match="4-waves"):
        shelf.lab(name)


@pytest.mark.parametrize("name", shelf.names())
def test_a_lab_says_how_long_it_takes(name: str) -> None:
    lab = shelf.lab(name)
    assert lab.minutes <= LONGEST
    assert abs(lab.minutes - minutes(lab)) <= 1


def test_every_way_to_a_step_leads_there() -> None:
    for way in WAYS:
        if way.lab:
            names = [step.name for step in shelf.lab(way.lab).steps]
            assert not way.step or way.step in names, way.question


@pytest.mark.parametrize("way", OF_PLOTS, ids=lambda way: f"{way.plot}: {way.question[:40]}")
def test_every_way_to_a_plot_shows_it(way: Way) -> None:
    figure = evaluate.plot(way.plot, arranged(first_session(), way.session), ENGINE)
    assert not all(isinstance(panel, Note) for panel in figure.panels), figure.description


def test_questions_are_asked_once_in_each_section() -> None:
    for group in shelf.ways():
        questions = [way.question for way in group.entries]
        assert len(set(questions)) == len(questions) > 0
        assert group.title


def test_every_lab_is_led_to() -> None:
    assert {way.lab for way in WAYS if way.lab} == set(shelf.names())


@pytest.mark.parametrize("fields", [{}, {"lab": "4-waves", "plot": "waves"}])
def test_a_way_leads_to_one_thing(fields: dict[str, str]) -> None:
    with pytest.raises(Invalid, match="leads to a lab or to a plot"):
        Way(question="Where?", **fields)  # type: ignore[arg-type]


def test_the_lesson_takes_45_minutes() -> None:
    plan = shelf.lesson()
    assert sum(part.minutes for part in plan.parts) == 45 == shelf.lab(shelf.LESSON).minutes
    assert all(part.say for part in plan.parts)


def test_the_lesson_is_made_of_steps_that_are_there() -> None:
    wanted = [(part.lab, name) for part in shelf.lesson().parts for name in part.steps]
    steps = {(lab, step.name): step for lab in shelf.names() for step in shelf.lab(lab).steps}
    lesson = shelf.lab(shelf.LESSON)
    assert [step.title for step in lesson.steps] == [steps[place].title for place in wanted]
    assert len({step.name for step in lesson.steps}) == len(lesson.steps) >= 5


@pytest.mark.parametrize("name", shelf.names())
def test_a_step_sends_its_learner_only_to_cards_that_are_there_and_to_no_place(name: str) -> None:
    for step in shelf.lab(name).steps:
        for words in (step.act, *step.hints):
            named = re.findall(r"(?:card|tab) (Sentence|Encoding|Toy model)|the (\w+) card", words)
            cards = {_CARDS.get("".join(one), "") for one in named} - {""}
            assert cards <= set(step.controls), words
            assert not re.search(r"(top|bottom) (left|right)|\btab\b", words), words


_CARDS = {"Sentence": "tokens", "Encoding": "encoding", "Toy model": "model"}
