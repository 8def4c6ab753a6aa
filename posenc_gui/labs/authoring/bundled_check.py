"""Checks of the bundled labs as a set: titles, durations, index and lesson."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from posenc_gui.attention.engine import Engine
from posenc_gui.foundation.wording import format_count, join_words, quote
from posenc_gui.labs.authoring.check import check, check_file
from posenc_gui.labs.authoring.duration import minutes
from posenc_gui.labs.authoring.giveaways import RightAnswers, giveaways, outcomes_of
from posenc_gui.labs.definition import lab_library
from posenc_gui.labs.definition.lab import Lab, arranged
from posenc_gui.labs.definition.lab_library import Lesson, WayGroup
from posenc_gui.session.evaluate import plot
from posenc_gui.session.first_session import first_session

LESSON_MINUTES = 45
_OFF = 1  # tolerance in minutes


class Checked(NamedTuple):
    """A checked file: its lab, None if it holds no usable one, and every problem with its place."""

    path: Path
    lab: Lab | None
    problems: list[str]


def check_bundled(engine: Engine) -> Iterator[Checked]:
    """Check every bundled lab by its file, then the index and the lesson, if all labs that they refer to are usable."""
    labs = dict[str, Lab]()
    for name in lab_library.names():
        path = lab_library.file_of(name)
        lab, problems = check_file(path, engine)
        told = [f"{path}:{problem.line}: {problem.message}" for problem in problems]
        if lab:
            labs[name] = lab
            told += [f"{path}: {problem}" for problem in of_minutes(lab)]
        yield Checked(path, lab, told)
    if len(labs) < len(lab_library.names()):
        return
    path = lab_library.file_of(lab_library.INDEX)
    problems_of_all = [
        *of_titles(labs.values()),
        *of_guesses(labs.values(), engine),
        *of_index(lab_library.ways(), labs, engine),
    ]
    yield Checked(path, None, [f"{path}: {problem}" for problem in problems_of_all])
    path = lab_library.file_of(lab_library.LESSON)
    if missing := [f"{path}: {problem}" for problem in of_lesson(lab_library.lesson(), labs)]:
        yield Checked(path, None, missing)
        return
    lesson = lab_library.lab(lab_library.LESSON)
    told = [f"{path}: {_named(lesson, problem.line)}: {problem.message}" for problem in check(lesson, engine)]
    yield Checked(path, lesson, told)


def _named(lesson: Lab, line: int) -> str:
    """Return the names of the lesson's steps of which a part begins on this line of their own lab file."""
    return join_words((step.name for step in lesson.steps if line in step.lines.values()), "or")


def of_titles(labs: Collection[Lab]) -> Iterator[str]:
    """Yield titles that two labs share: labs are told apart by their titles."""
    for title, count in Counter(lab.title for lab in labs).items():
        if count > 1:
            yield f"{count} labs have the title {quote(title)}"


def of_guesses(labs: Collection[Lab], engine: Engine) -> Iterator[str]:
    """Yield what gives right answers away over all labs, where each alone has too few to show it."""
    found = [outcomes_of(lab, engine) for lab in labs]
    for asked in RightAnswers._fields:
        outcomes = [outcome for one in found for outcome in getattr(one, asked)]
        yield from (f"in the {asked} of all labs, {told}" for told in giveaways(outcomes))


def of_minutes(lab: Lab) -> Iterator[str]:
    """Yield a problem if a bundled lab's stated duration is off: classes are planned with it, so it must be closer
    than other labs'."""
    if abs(lab.minutes - (takes := minutes(lab))) > _OFF:
        yield f"the lab says {format_count(lab.minutes, 'minute')}; read and done, it takes about {takes}"


def of_index(index: Sequence[WayGroup], labs: Mapping[str, Lab], engine: Engine) -> Iterator[str]:
    """Yield questions that are repeated in a section or lead nowhere, and labs to which no question leads."""
    for group in index:
        for question, count in Counter(way.question for way in group.entries).items():
            if count > 1:
                yield f"{quote(group.title)} asks {quote(question)} {count} times"
    ways = [way for group in index for way in group.entries]
    for way in ways:
        if way.plot:
            figure = plot(way.plot, arranged(first_session(), way.session), engine)
            if figure.is_note:
                yield f"{quote(way.question)} leads to the plot {quote(way.plot)}, which is empty: {figure.description}"
        elif way.lab not in labs:
            yield f"{quote(way.question)} leads to the lab {quote(way.lab)}, which is not there"
        elif way.step and way.step not in _steps(labs[way.lab]):
            yield f"{quote(way.question)} leads to the step {quote(way.step)}, which {quote(way.lab)} doesn't have"
    for name in labs.keys() - {way.lab for way in ways}:
        yield f"no question leads to {quote(name)}"


def of_lesson(plan: Lesson, labs: Mapping[str, Lab]) -> Iterator[str]:
    """Yield problems of the lesson plan: each part needs the teacher's notes, its steps must exist, and the parts must
    fill the lesson's time."""
    if (takes := sum(part.minutes for part in plan.parts)) != LESSON_MINUTES:
        yield f"the lesson's parts take {takes} minutes, not {LESSON_MINUTES}"
    for part in plan.parts:
        if not part.say:
            yield f"the lesson has a part of {format_count(part.minutes, 'minute')} in which nothing is said"
        for step in part.steps:
            if part.lab not in labs or step not in _steps(labs[part.lab]):
                yield f"the lesson takes the step {quote(step)} from {quote(part.lab)}, which doesn't have it"


def _steps(lab: Lab) -> list[str]:
    return [step.name for step in lab.steps]
