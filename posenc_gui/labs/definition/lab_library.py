"""The bundled labs, the index of questions that leads to them, and the lesson composed of their steps."""

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
from posenc_gui.foundation.wording import join_words
from posenc_gui.labs.definition import parse
from posenc_gui.labs.definition.lab import Lab

_STEM = 6  # letters by which a word is recognized, whatever its ending
_COMMON = frozenset(
    re.findall(
        r"\w+",
        "a an and are at be both can do does for how i if in is it not of on or the to what when where which who why with",
    )
)

LESSON = "lesson"  # the lesson's name among the labs
INDEX = "index"
_STORY = "story"  # the names of the bundled labs, in teaching order


class Way(Frozen):
    """A question of the index and its answer: a lab's step, or a plot of a session with an explanation, `say`."""

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
    """The questions of one section of the course."""

    title: str
    entries: tuple[Way, ...]


class LessonPart(Frozen):
    """Some steps of one lab, with the teacher's notes; a part without steps is a talk."""

    minutes: int
    lab: str = ""
    steps: tuple[str, ...] = ()
    prefix: str = ""  # of the steps' names in the lesson: two labs may share names, and records know the steps by them
    say: str


class Lesson(Frozen):
    """Steps of several labs for one lesson."""

    title: str
    summary: str
    parts: tuple[LessonPart, ...]


def names() -> list[str]:
    """Return the names of the bundled labs, in teaching order."""
    return TypeAdapter(list[str]).validate_json(file_of(_STORY).read_bytes())


@cache
def lab(name: str) -> Lab:
    """Return a bundled lab, or the lesson; of a former name, the lab that has taken over most of its steps. Raises ValueError
    for an unknown name."""
    if name == LESSON:
        return _lesson_lab()
    if name not in names():
        heirs = [one for one in map(lab, names()) if name in one.formerly]
        if heirs:
            return min(heirs, key=lambda one: one.formerly.index(name))
        raise ValueError(f"there is no lab {name!r}: there are {join_words(names())}")
    return replace(parse.load(file_of(name)), path=None)


def file_of(name: str) -> Path:
    """Return the path of a bundled lab's file, of the lesson's plan, of the index or of the teaching order, by name."""
    return folder() / "labs" / (f"{name}.json" if name in (LESSON, INDEX, _STORY) else f"{name}.md")


def labs() -> list[Lab]:
    """Return all bundled labs, with the lesson last."""
    return [lab(name) for name in (*names(), LESSON)]


@cache
def ways() -> tuple[WayGroup, ...]:
    """Return the index: sections of the course, and their questions."""
    return TypeAdapter(tuple[WayGroup, ...]).validate_json(file_of(INDEX).read_bytes())


def ways_matching(text: str) -> list[Way]:
    """Return the questions that share the most words with a text, counting their section's title; empty for none."""
    wanted = [stem for stem in _stems(text) if stem not in _COMMON] or _stems(text)
    scores: list[tuple[int, Way]] = []
    for group in ways():
        for way in group.entries:
            said = _stems(f"{group.title} {way.question}", whole=True)
            scores.append((sum(any(own.startswith(stem) for own in said) for stem in wanted), way))
    best = max((score for score, _ in scores), default=0)
    return [way for score, way in scores if best and score == best]


def _stems(text: str, *, whole: bool = False) -> list[str]:
    """Return a text's words in lower case, cut to a crude stem unless `whole`."""
    words = re.findall(r"\w+", text.casefold())
    return words if whole else [word[:_STEM] if len(word) > _STEM else word.removesuffix("s") or word for word in words]


@cache
def lesson() -> Lesson:
    """Return the lesson plan."""
    return Lesson.model_validate_json(file_of(LESSON).read_bytes())


def _lesson_lab() -> Lab:
    """Return the lesson's steps as one lab."""
    plan = lesson()
    steps = []
    for part in plan.parts:
        own = {step.name: step for step in lab(part.lab).steps} if part.steps else {}
        steps += [replace(own[name], name=f"{part.prefix}-{name}") for name in part.steps]
    return Lab(LESSON, plan.title, plan.summary, sum(part.minutes for part in plan.parts), tuple(steps))
