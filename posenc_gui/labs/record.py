"""What one learner did in one lab: predictions, outcomes, notes and pictures, as a file that a teacher can open."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import BeforeValidator, Field, ValidationError
from pydantic_core import from_json

from posenc_gui import __version__
from posenc_gui.errors import sentence
from posenc_gui.files import replacing
from posenc_gui.frozen import Frozen
from posenc_gui.text import clean

FORMAT = "posenc-gui lab report"
VERSION = 1
LARGEST_FILE = 50_000_000  # bytes that are read before a file is refused
MOST_NAMED = 100  # characters of a name
LONGEST_WORDS = 10_000  # characters
UNNAMED = "unnamed"  # who gave no name
RIGHT, OTHERWISE = "●", "○"  # signs: as measured, or something else
_LONGEST_SESSION = 20_000_000  # characters of its JSON
_COMMITTED = {"kind", "plot", "curve", "answer", "answer_words", "reason", "committed"}  # fields of a prediction

# Cleaned before pydantic sees them: half a sign, as some input methods leave it, would be no text to it.
Words = Annotated[
    str,
    Field(max_length=LONGEST_WORDS),
    BeforeValidator(lambda value: clean(value) if isinstance(value, str) else value),
]
Name = Annotated[str, Field(max_length=MOST_NAMED)]
# A choice's name, a number, names in order, a curve as points (x, y), or free words: which one, the step's kind says.
Answer = Words | float | tuple[Name, ...] | tuple[tuple[float, float], ...]


class Picture(Frozen):
    """A picture that the learner took: the plot and the whole session, from which it is drawn again."""

    plot: Name
    session: Annotated[str, Field(max_length=_LONGEST_SESSION)]  # JSON
    note: Words = ""


class Outcome(Frozen):
    """What the explorer measured when the goal was reached, in the session at that time.

    feedback names the words that fit the answer: an option, "right", "wrong" or a way of thinking; right is None where
    nobody judges. answer is what was measured, of the prediction's kind.
    """

    answer: Answer | None
    words: Words
    feedback: Name = ""
    right: bool | None = None


class StepRecord(Frozen):
    """One step: the committed prediction with its reason, and what came of it. Times are ISO 8601, UTC.

    plot and curve: which curve of the plot's first panel of curves was sketched.
    """

    kind: Literal["choice", "number", "order", "sketch", "text", ""] = ""
    plot: Name = ""
    curve: Annotated[int, Field(ge=0)] = 0
    answer: Answer | None = None
    answer_words: Words = ""
    reason: Words = ""
    committed: str = ""
    outcome: Outcome | None = None
    doubts: tuple[Words, ...] = ()  # claims that didn't hold in the learner's session
    values: Mapping[str, str] = Field(default_factory=dict)  # what the explanation's questions gave, in words
    done: str = ""
    session: Annotated[str, Field(max_length=_LONGEST_SESSION)] = ""  # JSON, when the step was done
    hints: int = 0
    shown: bool = False  # by "Show me"
    explored: bool = False  # in free play, before predicting
    notes: Words = ""
    pictures: tuple[Picture, ...] = ()

    @property
    def by_lab(self) -> bool:
        """Whether the lab wrote the words of the answer and of what was measured; else the learner did, or they are numbers."""
        return self.kind in ("choice", "order")

    @property
    def sign(self) -> str:
        """The sign that says whether the prediction came true; empty where nobody judged it."""
        right = self.outcome.right if self.outcome else None
        return "" if right is None else RIGHT if right else OTHERWISE


_UNTOUCHED = StepRecord()


class Record(Frozen):
    """A learner's way through a lab, step by step by the steps' names."""

    lab: Name
    title: Words
    learner: Words = ""
    started: str = Field(default_factory=lambda: now())
    changed: str = ""
    explorer: Name = __version__
    at: Name = ""  # the step at which the learner is
    steps: Mapping[Name, StepRecord] = Field(default_factory=dict)
    titles: Mapping[Name, Words] = Field(default_factory=dict)  # of all the lab's steps, in order
    asked: Mapping[Name, Words] = Field(default_factory=dict)  # what each step asked to predict
    options: Mapping[Name, Mapping[Name, Words]] = Field(default_factory=dict)  # the words of choices and items

    @property
    def who(self) -> str:
        """The learner's name."""
        return self.learner.strip() or UNNAMED

    @property
    def n_steps(self) -> int:
        """How many steps the lab has."""
        return len(self._names)

    @property
    def n_done(self) -> int:
        """How many of the lab's steps are done."""
        return sum(bool(self.step(name).done) for name in self._names)

    @property
    def finished(self) -> bool:
        """Whether all steps are done."""
        return 0 < self.n_steps == self.n_done

    @property
    def _names(self) -> Collection[str]:
        # Without titles nobody knows more steps; with them, what an earlier version of the lab had doesn't count.
        return self.titles or self.steps

    def step(self, name: str) -> StepRecord:
        """What was done in a step; an empty record where nothing was."""
        return self.steps.get(name, _UNTOUCHED)

    def with_step(self, name: str, **changes: object) -> Self:
        """The record with this step changed. Raises ValueError for a prediction that was committed before."""
        before = self.step(name)
        if before.committed and changes.keys() & _COMMITTED:
            raise ValueError("A prediction that was committed stays as it is.")
        after = StepRecord(**{**dict(before), **changes})
        return type(self)(**{**dict(self), "steps": {**self.steps, name: after}, "changed": now()})

    def to_json(self) -> str:
        """The record as the text of its file."""
        return f'{{"format": "{FORMAT}", "version": {VERSION}, "record": {self.model_dump_json(indent=1)}}}\n'

    def save(self, path: Path) -> Path:
        """Write the record to a file, whole or not at all. Raises OSError."""
        with replacing(path) as unfinished:
            unfinished.write_text(self.to_json(), encoding="utf-8")
        return path

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read a record's file. Raises ValueError in one sentence; OSError where it can't be read."""
        with path.open("rb") as file:
            data = file.read(LARGEST_FILE + 1)
        if len(data) > LARGEST_FILE:
            raise ValueError(f"{path.name} is larger than {LARGEST_FILE // 10**6} MB: that is no lab report.")
        try:
            content = from_json(data, allow_inf_nan=False)
        except ValueError:
            raise ValueError(f"{path.name} is damaged or no lab report.") from None
        if not isinstance(content, dict) or content.get("format") != FORMAT:
            raise ValueError(f"{path.name} is no lab report.")
        version = content.get("version")
        if type(version) is not int or version < 1:
            raise ValueError(f"{path.name} has no version that is known: {str(version)[:40]!r}.")
        if version > VERSION:
            raise ValueError(f"{path.name} was saved by a newer explorer (format {version}; this one reads {VERSION}).")
        try:
            return cls.model_validate(content.get("record"))
        except ValidationError as error:
            raise ValueError(f"{path.name}: {sentence(error)}") from None


def now() -> str:
    """The time, as it is recorded."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def time_of(recorded: str) -> datetime | None:
    """A recorded time by the clock of this place; None where there is none."""
    try:
        return datetime.fromisoformat(recorded).astimezone()
    except (ValueError, OverflowError, OSError):  # the last two for years that no clock shows
        return None
