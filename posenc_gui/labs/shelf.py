"""The labs that come with the explorer, the ways that lead to them, and the lesson that is made of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, Self

from pydantic import Field, TypeAdapter, model_validator

from posenc_gui.frozen import Frozen
from posenc_gui.labs import read
from posenc_gui.labs.lab import Lab
from posenc_gui.resources import folder

LESSON = "lesson"  # the lesson's name among the labs


class Way(Frozen):
    """A question and where it is answered: at a lab's step, or by a plot of a session."""

    question: str
    lab: str = ""
    step: str = ""
    plot: str = ""
    session: Mapping[str, Any] = Field(default_factory=dict)

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
    return sorted(path.stem for path in _shelf().glob("*.md"))


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
