"""Whether the right answers of a lab's choices can be guessed from their places in the file or from their lengths."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import NamedTuple

from posenc_gui.attention.engine import Engine
from posenc_gui.foundation.wording import format_number
from posenc_gui.labs.definition.lab import Choice, Lab, arranged
from posenc_gui.labs.text.lab_markdown import in_line
from posenc_gui.session.first_session import first_session
from posenc_gui.session.session import Session

_FEWEST = 4  # choices; fewer don't show a habit
_BEYOND = 2.0  # standard deviations over what chance gives


@dataclass(frozen=True)
class RightAnswer:
    """The right answer of one choice among `n`: its place in the file, from 0, and whether it is the only longest or the
    only shortest."""

    n: int
    place: int
    is_longest: bool
    is_shortest: bool


class RightAnswers(NamedTuple):
    """The right answers of a lab's predictions by choice, and of its questions about another case."""

    predictions: tuple[RightAnswer, ...]
    transfers: tuple[RightAnswer, ...]


def outcomes_of(lab: Lab, engine: Engine) -> RightAnswers:
    """Play a lab by its own solutions and return its right answers; steps that can't be played have none."""
    predictions, transfers, session = list[RightAnswer](), list[RightAnswer](), first_session()
    for step in lab.steps:
        with suppress(ValueError):
            begun = step.begun(session)
            session = step.solved(begun)
            if isinstance(step.prediction, Choice):
                predictions += outcome_of(step.prediction, session, engine, begun)
            if step.transfer:
                other = arranged(session, step.transfer.changes)
                transfers += outcome_of(step.transfer.choice, other, engine, session)
    return RightAnswers(tuple(predictions), tuple(transfers))


def outcome_of(prediction: Choice, solved: Session, engine: Engine, begun: Session) -> Iterator[RightAnswer]:
    """Yield the right answer of a choice once its goal is reached; nothing if there isn't just one."""
    right = [name for name, condition in prediction.when.items() if condition.holds(solved, engine, begun)]
    if len(right) != 1:
        return
    lengths = {name: len(in_line(words)) for name, words in prediction.options.items()}
    others = [length for name, length in lengths.items() if name != right[0]]
    own = lengths[right[0]]
    yield RightAnswer(len(lengths), list(lengths).index(right[0]), own > max(others), own < min(others))


def giveaways(outcomes: Sequence[RightAnswer]) -> Iterator[str]:
    """Yield what gives right answers away: a guess that earns clearly more than chance."""
    places = Counter(one.place for one in outcomes)
    guesses = {
        **{f"number {place + 1} as written": places[place] for place in sorted(places)},
        "the longest": sum(one.is_longest for one in outcomes),
        "the shortest": sum(one.is_shortest for one in outcomes),
    }
    if len(outcomes) < _FEWEST:
        return
    chances = [1 / one.n for one in outcomes]
    most = sum(chances) + _BEYOND * math.sqrt(sum(chance * (1 - chance) for chance in chances))
    for guess, met in guesses.items():
        if met > most:
            yield (
                f"of {len(outcomes)} choices the right answer is {met} times {guess}, by chance it would be about "
                f"{format_number(round(sum(chances), 1))} times: it can be guessed"
            )
