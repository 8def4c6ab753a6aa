"""Right answers that can be guessed from their places or lengths are counted, and said where they beat chance."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from posenc_gui.attention.engine import Engine
from posenc_gui.labs.authoring.bundled_check import of_guesses
from posenc_gui.labs.authoring.giveaways import RightAnswer, giveaways, outcome_of, outcomes_of
from posenc_gui.labs.definition import lab_library
from posenc_gui.labs.definition.expressions import Expression
from posenc_gui.labs.definition.lab import Choice
from posenc_gui.session.first_session import first_session


def test_the_place_and_the_length_of_the_one_right_answer_are_taken() -> None:
    options = {"a": "short", "b": "no longer", "c": "the longest of all"}
    when = {"a": Expression("session.n_tokens == 0"), "c": Expression("session.n_tokens > 0")}
    session = first_session()
    found = list(outcome_of(Choice(options, when), session, Engine(), session))
    assert found == [RightAnswer(n=3, place=2, is_longest=True, is_shortest=False)]
    both = {name: Expression("session.n_tokens > 0") for name in options}
    assert not list(outcome_of(Choice(options, both), session, Engine(), session))


def test_a_guess_that_beats_chance_is_said_with_both_numbers() -> None:
    first = [RightAnswer(3, 0, at % 2 == 0, at % 2 == 1) for at in range(6)]
    assert list(giveaways(first)) == [
        "of 6 choices the right answer is 6 times number 1 as written, by chance it would be about 2 times: it can be guessed"
    ]
    longest = [RightAnswer(3, at % 3, True, False) for at in range(6)]
    assert "6 times the longest" in " ".join(giveaways(longest))
    mixed = [RightAnswer(3, at % 3, at == 0, at == 1) for at in range(6)]
    assert not list(giveaways(mixed))
    assert not list(giveaways(first[:3])), "three show no habit"


def test_a_habit_that_no_lab_shows_alone_is_found_over_all() -> None:
    lab = lab_library.lab("waves")
    alone = replace(lab, steps=tuple(step for step in lab.steps if step.name == "both"))
    assert len(outcomes_of(alone, Engine()).predictions) == 1
    assert not list(of_guesses([alone], Engine()))
    (told, *_) = of_guesses([alone] * 6, Engine())
    assert told.startswith("in the predictions of all labs, of 6 choices the right answer is 6 times number 1")


@pytest.mark.slow
def test_the_places_of_right_answers_in_the_bundled_labs_are_those_of_chance() -> None:
    chi_square, freedom = 0.0, 0
    labs = map(lab_library.lab, lab_library.names())
    found = [one for lab in labs for kind in outcomes_of(lab, Engine()) for one in kind]
    for n in {one.n for one in found}:
        places = Counter(one.place for one in found if one.n == n)
        expected = places.total() / n
        chi_square += sum((places[place] - expected) ** 2 / expected for place in range(n))
        freedom += n - 1
    assert freedom == 6
    assert chi_square < 12.6  # which chance exceeds once in twenty times
