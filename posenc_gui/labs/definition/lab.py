"""A lab as data: steps with their words, sessions, predictions and goals."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from posenc_gui.labs.definition.expressions import Question
from posenc_gui.session.first_session import first_session
from posenc_gui.session.session import Session
from posenc_gui.text.tokenization import TOKENIZERS

PANELS = ("tokens", "encoding", "model", "code")  # cards beside the plots
REVERSED = "reversed"  # an order that any sentence has in words, characters or bytes
MOST_WORDS = 60  # of a step's text
_PANEL_OF = {
    "encoding": "encoding",
    "other": "encoding",
    "model": "model",
    "trained_length": "model",
}  # others are the sentence's

Kind = Literal["choice", "number", "order", "sketch", "text"]


@dataclass(frozen=True)
class Choice:
    """One of several answers. `options` are the words by name; `when` the condition under which each is the outcome.

    An option without a condition is never the outcome: it is there for those who think so.
    """

    options: Mapping[str, str]
    when: Mapping[str, Question]
    kind: Kind = "choice"


@dataclass(frozen=True)
class Number:
    """A number, right within `tolerance` of `value`; `near` holds what other ways of thinking give, by name.

    within: the least and the most that it can be, where there are such.
    """

    value: Question
    tolerance: float
    near: Mapping[str, Question] = field(default_factory=dict)
    within: tuple[float, float] | None = None
    kind: Kind = "number"


@dataclass(frozen=True)
class Order:
    """Items to be put in order: their words and the values by which they are ordered, the smallest first."""

    items: Mapping[str, str]
    values: Mapping[str, Question]
    kind: Kind = "order"


@dataclass(frozen=True)
class Sketch:
    """A curve drawn over a plot's empty axes: the one at index `curve` of its first panel of curves.

    `near` holds the indices of curves that other ways of thinking give, by name.
    """

    plot: str
    curve: int
    near: Mapping[str, int] = field(default_factory=dict)
    kind: Kind = "sketch"


@dataclass(frozen=True)
class Text:
    """Words that nobody judges: the explanation stands beside them afterwards."""

    kind: Kind = "text"


Prediction = Choice | Number | Order | Sketch | Text


@dataclass(frozen=True)
class Step:
    """One step. Words are Markdown with formulas in dollar signs; `{{question}}` in explanations is filled in live.

    text: the driving question. start: what it sets in the session; keep: what it keeps of the learner's. show: plots
    that are open; reveal: plots covered until the prediction is committed. before: those of them that keep the picture with
    which the step began beside the new one. panels: cards of `PANELS` that are there;
    lock: those that can't be changed. quiet: whether the window goes on to say nothing of what is to be seen once the step
    is done, since a later one asks. act: what to do once the prediction is committed. goal: what must hold for the step to
    be done. solve: a change of the session that reaches it. claims: what its explanation says, as conditions. feedback:
    words by the answer that they fit. lines: the file's lines on which the step, and its parts by name, begin.
    """

    name: str
    title: str
    text: str
    start: Mapping[str, Any] = field(default_factory=dict)
    keep: tuple[str, ...] = ()
    show: tuple[str, ...] = ()
    reveal: tuple[str, ...] = ()
    before: tuple[str, ...] = ()
    panels: tuple[str, ...] = ("tokens", "encoding")
    lock: tuple[str, ...] = ()
    quiet: bool = False
    act: str = ""
    asks: str = ""
    prediction: Prediction | None = None
    goal: tuple[Question, ...] = ()
    solve: Mapping[str, Any] = field(default_factory=dict)
    claims: tuple[Question, ...] = ()
    hints: tuple[str, ...] = ()
    explain: str = ""
    feedback: Mapping[str, str] = field(default_factory=dict)
    lines: Mapping[str, int] = field(default_factory=dict)

    @property
    def needs(self) -> tuple[str, ...]:
        """The panels in which the goal is reached."""
        return tuple(dict.fromkeys(panel_of(name) for name in self.solve if name != "plots"))

    @property
    def played(self) -> tuple[str, ...]:
        """The plots in whose options the goal is reached."""
        return tuple(self.solve.get("plots", ()))

    @property
    def sought(self) -> tuple[tuple[str, ...], ...]:
        """The paths of the fields in which the goal is reached; of an encoding and of a plot all of them."""
        model = tuple(("model", name) for name in self.fields_of("model"))
        return (
            *((name,) for name in self.solve if name not in ("model", "plots")),
            *model,
            *(("plots", name) for name in self.played),
        )

    def fields_of(self, panel: str) -> tuple[str, ...]:
        """The fields of a panel's form, by their names there, in which the goal is reached; the first field, which chooses an
        encoding, is none of them."""
        change = self.solve.get(panel)
        return tuple(name for name in change if name != "name") if isinstance(change, Mapping) else ()

    @property
    def controls(self) -> tuple[str, ...]:
        """The panels in which something can be changed, first those by which the goal is reached, as `solve` names them."""
        free = [name for name in self.panels if name not in self.lock]
        return tuple(dict.fromkeys((*(name for name in self.needs if name in free), *free)))

    @property
    def orders(self) -> bool:
        """Whether the learner is to make another order, as which plots of two orders show one of their own until then."""
        return bool(self.goal) and "order" in self.solve

    def begun(self, before: Session) -> Session:
        """The session with which the step begins, after another one. Raises ValueError where that can't be."""
        kept = {name: getattr(before, name) for name in self.keep}
        order = kept.pop("order", ())
        session = first_session().changed(**kept)
        with suppress(ValueError):  # it is another text's
            session = session.changed(order=order)
        return arranged(session, self.start)

    def solved(self, session: Session) -> Session:
        """The session with the change that reaches the goal. Raises ValueError where it can't go with what is there."""
        return arranged(session, self.solve)


@dataclass(frozen=True)
class Lab:
    """A lab: its name (the file's), title, what it asks, how many minutes it takes, and its steps.

    takeaway: what is read at its end; `{{step: question}}` in it is what that step's explanation was filled with.
    """

    name: str
    title: str
    summary: str
    minutes: int
    steps: tuple[Step, ...]
    path: Path | None = None  # of a file that isn't the explorer's own
    takeaway: str = ""


def panel_of(field: str) -> str:
    """The panel on which a field of a session is changed, but for plots, which have their own."""
    return _PANEL_OF.get(field, "tokens")


def arranged(session: Session, changes: Mapping[str, Any]) -> Session:
    """A session with some fields changed, as lab files name them: of `model` and of each plot only those that are given.

    An order may be "reversed", however many words, characters or bytes there are. Raises ValueError.
    """
    fields = dict(changes)
    if fields.get("order") == REVERSED:
        del fields["order"]
        session = arranged(session, fields)
        if (split := session.split_at_once()) is None:
            raise ValueError(
                f'order can be "{REVERSED}" where the text is split into {" or ".join(TOKENIZERS)}, not by a file'
            )
        return session.reordered(session.order_of(len(split.tokens))[::-1])
    if isinstance(model := fields.get("model"), Mapping):
        fields["model"] = {**dict(session.model), **model}
    if isinstance(plots := fields.get("plots"), Mapping):
        own = dict(session.plots)
        known = {
            name: {**dict(own[name]), **some}
            for name, some in plots.items()
            if name in own and isinstance(some, Mapping)
        }
        fields["plots"] = {**own, **plots, **known}
    return session.changed(**fields)
