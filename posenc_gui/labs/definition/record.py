"""A learner's record of one lab: predictions, outcomes, notes and pictures, in a file that a teacher can open."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import BeforeValidator, Field

from posenc_gui import __version__
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.foundation.files import atomic
from posenc_gui.foundation.files.header import FileKind, Opened
from posenc_gui.session.released_defaults import DEFAULTS
from posenc_gui.text.tokenization import replace_surrogates

FILE = FileKind(name="lab report", format="posenc-gui lab report", version=2, part="record")
MOST_NAMED = 100  # characters of a name
LONGEST_WORDS = 10_000  # characters
UNNAMED = "unnamed"  # name of a learner who gave none
RIGHT, OTHERWISE = "●", "○"  # signs: the prediction matched the measurement, or not
MET = "✓"  # sign: a condition of the goal holds
_ROOT = "record."  # prefix of the paths of a record's fields
_LONGEST_SESSION = 20_000_000  # characters of its JSON
_COMMITTED = {"kind", "plot", "curve", "answer", "answer_words", "reason", "committed"}  # fields of a prediction

# Cleaned before validation: some input methods leave unpaired surrogates, which pydantic refuses in text.
Words = Annotated[
    str,
    Field(max_length=LONGEST_WORDS),
    BeforeValidator(lambda value: replace_surrogates(value) if isinstance(value, str) else value),
]
Name = Annotated[str, Field(max_length=MOST_NAMED)]
# A choice's name, a number, names in order, a curve as points (x, y), or free text, depending on the step's kind.
Answer = (
    Words
    | float
    | Annotated[tuple[Name, ...], Field(fail_fast=True)]
    | Annotated[tuple[tuple[float, float], ...], Field(fail_fast=True)]
)


class Picture(Frozen):
    """A picture that the learner saved: the plot and the whole session, from which it can be drawn again.

    before: the session whose picture stood beside it; empty if there was none.
    """

    plot: Name
    session: Annotated[str, Field(max_length=_LONGEST_SESSION)]  # JSON
    note: Words = ""
    before: Annotated[str, Field(max_length=_LONGEST_SESSION)] = ""  # JSON


class Outcome(Frozen):
    """The measurement when the goal was reached, in the session at that time.

    feedback names the text that fits the answer: an option, "right", "wrong" or a misconception; right is None if the
    prediction isn't judged. answer is the measured value, of the prediction's kind; None if there is
    none, and `words` may then say why.
    """

    answer: Answer | None
    words: Words
    feedback: Name = ""
    right: bool | None = None


class DraftAnswer(Frozen):
    """A prediction that isn't committed yet: the answer, a number as it is typed, and the reason."""

    answer: Answer | None = None
    reason: Words = ""


class Transferred(Frozen):
    """The answer to a step's transfer question. outcome: None until it is measured; values: of the answer's expressions."""

    asked: Words
    answer: Name
    answer_words: Words
    outcome: Outcome | None = None
    values: Mapping[str, str] = Field({})


class StepRecord(Frozen):
    """One step: the committed prediction with its reason, and its outcome. Times are ISO 8601, UTC.

    plot and curve: which curve of the plot's first panel with curves was sketched.
    """

    kind: Literal["choice", "number", "order", "sketch", "text", ""] = ""
    plot: Name = ""
    curve: Annotated[int, Field(ge=0)] = 0
    answer: Answer | None = None
    answer_words: Words = ""
    reason: Words = ""
    draft: DraftAnswer | None = None
    committed: str = ""
    outcome: Outcome | None = None
    doubts: Annotated[tuple[Words, ...], Field(fail_fast=True)] = ()  # claims that didn't hold in the learner's session
    visited: Annotated[tuple[Words, ...], Field(fail_fast=True)] = ()  # conditions to be visited that have held
    formula: Words = ""  # as it was last typed, where the step asks for one
    lacked: Annotated[tuple[Words, ...], Field(fail_fast=True)] = ()  # what was said of the goal's conditions with it
    values: Mapping[str, str] = Field({})  # values of the explanation's expressions, as text
    done: str = ""
    session: Annotated[str, Field(max_length=_LONGEST_SESSION)] = ""  # JSON, when the step was done
    hints: int = 0
    shown: bool = False  # by "Show me"
    explored: bool = False  # in free play, before predicting
    transfer: Transferred | None = None
    notes: Words = ""
    pictures: Annotated[tuple[Picture, ...], Field(fail_fast=True)] = ()

    @property
    def by_lab(self) -> bool:
        """True if answer and outcome are texts of the lab; otherwise they are the learner's text, or numbers."""
        return self.kind in ("choice", "order")

    @property
    def sign(self) -> str:
        """The sign for a right or wrong prediction; empty if it was not judged."""
        right = self.outcome.right if self.outcome else None
        return "" if right is None else RIGHT if right else OTHERWISE


_UNTOUCHED = StepRecord()


class Record(Frozen):
    """A learner's progress through a lab: the record of each step, by the step's name."""

    lab: Name
    title: Words
    learner: Words = ""
    started: str = Field(default_factory=lambda: now())
    changed: str = ""
    explorer: Name = Field(default_factory=lambda: __version__)  # the program's version when the record was begun
    at: Name = ""  # the step at which the learner is
    steps: Mapping[Name, StepRecord] = Field({})
    titles: Mapping[Name, Words] = Field({})  # of all the lab's steps, in order
    asked: Mapping[Name, Words] = Field({})  # each step's text and question
    takeaway: Words = ""  # the text at the lab's end
    options: Mapping[Name, Mapping[Name, Words]] = Field({})  # the texts of choices and items

    @property
    def who(self) -> str:
        """The learner's name, or “unnamed”."""
        return self.learner.strip() or UNNAMED

    @property
    def n_steps(self) -> int:
        """Number of the lab's steps."""
        return len(self._names)

    @property
    def n_done(self) -> int:
        """Number of the lab's steps that are done."""
        return sum(bool(self.step(name).done) for name in self._names)

    @property
    def is_begun(self) -> bool:
        """True if any step has a prediction or is done."""
        return any(step.committed or step.done for step in self.steps.values())

    @property
    def finished(self) -> bool:
        """True if all steps are done."""
        return 0 < self.n_steps == self.n_done

    @property
    def _names(self) -> Collection[str]:
        # Records without titles know only the steps recorded; with titles, steps of an earlier version don't count.
        return self.titles or self.steps

    @property
    def own_numbers(self) -> dict[str, str]:
        """The numbers filled into the steps' explanations, by the names a takeaway uses: "step: question"."""
        return {f"{name}: {asked}": told for name, step in self.steps.items() for asked, told in step.values.items()}

    @classmethod
    def taken_over(cls, former: Sequence[Self], names: Collection[str]) -> Self | None:
        """Return one record of these steps, each from the first of several records that has it; None if none has."""
        steps = {name: step for one in reversed(former) for name, step in one.steps.items() if name in names}
        return former[0].with_fields(steps=steps) if steps else None

    def step(self, name: str) -> StepRecord:
        """Return the record of a step; an empty one if the step was not begun."""
        return self.steps.get(name, _UNTOUCHED)

    def with_step(self, name: str, **changes: object) -> Self:
        """Return the record with this step changed. Raises ValueError if that would change a committed prediction."""
        before = self.step(name)
        if before.committed and changes.keys() & _COMMITTED:
            raise ValueError("A prediction that was committed stays as it is.")
        return self.with_fields(steps={**self.steps, name: before.with_fields(**changes)}, changed=now())

    def to_json(self) -> str:
        """Return the record as the text of its file."""
        return FILE.text(DEFAULTS.shortened(self, _ROOT)) + "\n"

    def save(self, path: Path) -> Path:
        """Write the record to a file, whole or not at all. Raises OSError."""
        atomic.write(path, self.to_json().encode())
        return path

    @classmethod
    def open(cls, path: Path) -> Opened[Self]:
        """Read a record's file, with a sentence for each part that had to be left out.

        Raises ValueError with a one-sentence message; OSError if the file can't be read.
        """
        return FILE.opened_at(path, cls._read)

    @classmethod
    def load(cls, path: Path) -> Self:
        """Return the record in a file, without the remarks of `open`. Raises the same errors."""
        return cls.open(path).content

    @classmethod
    def _read(cls, data: bytes) -> Opened[Self]:
        letter = FILE.opened(data)
        return Opened(letter.made(cls, DEFAULTS.completed(cls, letter.content, _ROOT)), letter.remarks)


def now() -> str:
    """Return the current time, in the format of records."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def time_of(recorded: str) -> datetime | None:
    """Return a recorded time in the local time zone; None if it is empty or not a valid time."""
    try:
        return datetime.fromisoformat(recorded).astimezone()
    except (ValueError, OverflowError, OSError):  # the last two for years that the clock can't represent
        return None
