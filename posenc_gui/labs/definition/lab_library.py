"""The labs that come with the explorer, the ways that lead to them, and the lesson that is made of them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, Self

from pydantic import Field, TypeAdapter, model_validator

from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.foundation.resources import folder
from posenc_gui.labs.definition import parse as read
from posenc_gui.labs.definition.lab import Lab

_STEM = 6  # letters by which a word is known, whatever its ending
_COMMON = frozenset(
    re.findall(
        r"\w+",
        "a an and are at be both can do does for how i if in is it not of on or the to what when where which who why with",
    )
)

LESSON = "lesson"  # the lesson's name among the labs


class Way(Frozen):
    """A question and where it is answered: at a lab's step, or by a plot of a session with what it `say`s."""

    question: str
    lab: str = ""
    step: str = ""
    plot: str = ""
    session: Mapping[str, Any] = Field(default_factory=dict)
    say: str = ""

    @model_validator(mode="after")
    def _must_lead_somewhere(self) -> Self:
        if bool(self.lab) == bool(self.plot):
            raise ValueError("a way leads to a lab or to a plot")
        return self


class WayGroup(Frozen):
    """The ways of one section of the course."""

    title: str
    entries: tuple[Way, ...]


class LessonPart(Frozen):
    """Some steps of one lab, with what a teacher says; without steps, a talk."""

    minutes: int
    lab: str = ""
    steps: tuple[str, ...] = ()
    say: str


class Lesson(Frozen):
    """Steps of several labs for one lesson."""

    title: str
    summary: str
    parts: tuple[LessonPart, ...]


def names() -> list[str]:
    """The names of the labs, in the order in which they are meant."""
    return sorted((path.stem for path in _shelf().glob("*.md")), key=lambda name: int(name.partition("-")[0]))


@cache
def lab(name: str) -> Lab:
    """A lab of the explorer's own, or the lesson. Raises ValueError for a name that is none."""
    if name == LESSON:
        return _lesson_lab()
    if name not in names():
        raise ValueError(f"there is no lab {name!r}: there are {', '.join(names())}")
    return replace(read.load(_shelf() / f"{name}.md"), path=None)


def labs() -> list[Lab]:
    """All of them, the lesson last."""
    return [lab(name) for name in (*names(), LESSON)]


@cache
def ways() -> tuple[WayGroup, ...]:
    """The index: sections of the course, and questions."""
    return TypeAdapter(tuple[WayGroup, ...]).validate_json((_shelf() / "index.json").read_bytes())


def found(text: str) -> list[Way]:
    """The ways whose question, or whose section's title, holds the most of these words; none for words that none holds."""
    wanted = [stem for stem in _stems(text) if stem not in _COMMON] or _stems(text)
    scores = {
        (place, number): sum(any(own.startswith(stem) for own in said) for stem in wanted)
        for place, group in enumerate(ways())
        for number, way in enumerate(group.entries)
        for said in [_stems(f"{group.title} {way.question}", whole=True)]
    }
    best = max(scores.values(), default=0)
    return [ways()[place].entries[number] for (place, number), score in scores.items() if best and score == best]


def _stems(text: str, *, whole: bool = False) -> list[str]:
    """Lower-case words without their endings, as far as their first letters tell them."""
    words = re.findall(r"\w+", text.casefold())
    return words if whole else [word[:_STEM] if len(word) > _STEM else word.removesuffix("s") or word for word in words]


@cache
def lesson() -> Lesson:
    """The plan of a lesson."""
    return Lesson.model_validate_json((_shelf() / "lesson.json").read_bytes())


def _lesson_lab() -> Lab:
    """The lesson's steps as one lab; names that two labs share are told apart by their lab's."""
    plan = lesson()
    steps = []
    for part in plan.parts:
        own = {step.name: step for step in lab(part.lab).steps} if part.steps else {}
        steps += [replace(own[name], name=f"{part.lab[:1]}-{name}") for name in part.steps]
    return Lab(LESSON, plan.title, plan.summary, sum(part.minutes for part in plan.parts), tuple(steps))


def _shelf() -> Path:
    return folder() / "labs"
