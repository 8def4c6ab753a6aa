"""What one learner did in one lab: predictions, outcomes, notes and pictures, as a file that a teacher can open."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import BeforeValidator, Field

from posenc_gui import __version__
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.foundation.files import atomic as files
from posenc_gui.foundation.files.header import Kind, Opened
from posenc_gui.session.released_defaults import DEFAULTS
from posenc_gui.text.tokenization import clean

FILE = Kind(name="lab report", format="posenc-gui lab report", version=2, part="record")
MOST_NAMED = 100  # characters of a name
LONGEST_WORDS = 10_000  # characters
UNNAMED = "unnamed"  # who gave no name
RIGHT, OTHERWISE = "●", "○"  # signs: as measured, or something else
_ROOT = "record."  # what the paths of its fields begin with
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
    values: Mapping[str, str] = Field({})  # what the explanation's questions gave, in words
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
    explorer: Name = Field(default_factory=lambda: __version__)  # which the record was begun with
    at: Name = ""  # the step at which the learner is
    steps: Mapping[Name, StepRecord] = Field({})
    titles: Mapping[Name, Words] = Field({})  # of all the lab's steps, in order
    asked: Mapping[Name, Words] = Field({})  # what each step said and asked to predict
    takeaway: Words = ""  # what is read at the lab's end
    options: Mapping[Name, Mapping[Name, Words]] = Field({})  # the words of choices and items

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
    def is_begun(self) -> bool:
        """Whether something of it was predicted or done."""
        return any(step.committed or step.done for step in self.steps.values())

    @property
    def finished(self) -> bool:
        """Whether all steps are done."""
        return 0 < self.n_steps == self.n_done

    @property
    def _names(self) -> Collection[str]:
        # Without titles nobody knows more steps; with them, what an earlier version of the lab had doesn't count.
        return self.titles or self.steps

    @property
    def own_numbers(self) -> dict[str, str]:
        """What the steps' explanations were filled with, as a takeaway names it: "step: question"."""
        return {f"{name}: {asked}": told for name, step in self.steps.items() for asked, told in step.values.items()}

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
        return FILE.text(DEFAULTS.shortened(self, _ROOT)) + "\n"

    def save(self, path: Path) -> Path:
        """Write the record to a file, whole or not at all. Raises OSError."""
        files.write(path, self.to_json().encode())
        return path

    @classmethod
    def open(cls, path: Path) -> Opened[Self]:
        """Read a record's file, with a sentence for what had to be left out.

        Raises ValueError in one sentence; OSError where it can't be read.
        """
        return FILE.opened_at(path, cls._read)

    @classmethod
    def load(cls, path: Path) -> Self:
        """The record in a file, as `open` reads it."""
        return cls.open(path).content

    @classmethod
    def _read(cls, data: bytes) -> Opened[Self]:
        letter = FILE.opened(data)
        return Opened(letter.made(cls, DEFAULTS.completed(cls, letter.content, _ROOT)), letter.remarks)


def now() -> str:
    """The time, as it is recorded."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def time_of(recorded: str) -> datetime | None:
    """A recorded time by the clock of this place; None where there is none."""
    try:
        return datetime.fromisoformat(recorded).astimezone()
    except (ValueError, OverflowError, OSError):  # the last two for years that no clock shows
        return None
