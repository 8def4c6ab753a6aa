"""A lab as data: steps with their texts, sessions, predictions and goals."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from posenc_gui.foundation.former_names import by_current_plots
from posenc_gui.foundation.wording import join_words
from posenc_gui.labs.definition.expressions import Expression
from posenc_gui.session.first_session import first_session
from posenc_gui.session.session import Session
from posenc_gui.text.tokenization import TOKENIZERS

PANELS = ("tokens", "encoding", "model", "code")  # cards other than plots
REVERSED = "reversed"  # an order for any number of tokens, unless a tokenizer file splits the text
MOST_WORDS = 60  # words of a step's text
# The first condition of each step that asks for a formula: a built-in encoding would meet the others, too.
IS_OWN = Expression('session.encoding.name == "own"', "“Your formula” is chosen in the list of the Encoding card.")
# Those of a session's fields; the other fields are the sentence's.
_PANEL_OF = {"encoding": "encoding", "other": "encoding", "model": "model", "trained_length": "model"}

Kind = Literal["choice", "number", "order", "sketch", "text"]


@dataclass(frozen=True)
class Choice:
    """A choice between several answers. `options` holds their texts by name, `when` the condition under which each
    is the outcome.

    An option without a condition is never the outcome; it represents a misconception.
    """

    options: Mapping[str, str]
    when: Mapping[str, Expression]
    kind: Kind = "choice"


@dataclass(frozen=True)
class Number:
    """A number, right within `tolerance` of `value`; `near` holds the values to which named misconceptions lead.

    within: the least and greatest possible value, if there are bounds.
    """

    value: Expression
    tolerance: float
    near: Mapping[str, Expression] = field(default_factory=dict)
    within: tuple[float, float] | None = None
    kind: Kind = "number"


@dataclass(frozen=True)
class Order:
    """Items to be put in order: their texts, and the values by which they are sorted in ascending order."""

    items: Mapping[str, str]
    values: Mapping[str, Expression]
    kind: Kind = "order"


@dataclass(frozen=True)
class Sketch:
    """A curve drawn on a plot's empty axes: the plot's curve number `curve`, in its first panel with curves.

    `tolerance` is the root mean square distance, in parts of the axis, up to which a sketch is right: drawing by hand is
    imprecise. `near` holds the numbers of the curves to which named misconceptions lead.
    """

    plot: str
    curve: int
    near: Mapping[str, int] = field(default_factory=dict)
    tolerance: float = 0.15
    kind: Kind = "sketch"


@dataclass(frozen=True)
class FreeText:
    """A free-text answer that is not judged; the explanation is shown beside it afterwards."""

    kind: Kind = "text"


@dataclass(frozen=True)
class Transfer:
    """A question after the explanation, answered with one click: the same in another case.

    changes: to the session in which the step was done; the case that is asked about. asks: the question. choice: its answers.
    answer: the sentence that is shown beside the outcome.
    """

    changes: Mapping[str, Any]
    asks: str
    choice: Choice
    answer: str = ""


Prediction = Choice | Number | Order | Sketch | FreeText


@dataclass(frozen=True)
class Step:
    """One step. Texts are Markdown with formulas in dollar signs; `{{question}}` in explanations is replaced by the
    expression's value.

    text: the driving question. start: changes to the session when the step begins; keep: fields of the learner's
    session that it keeps. show: plots that are open; reveal: plots covered until the prediction is committed; before:
    plots that also show their picture from the step's beginning. frame: what the result frames, coordinates by the roles of
    their axes. panels: visible cards of `PANELS`; lock: those that can't be changed. quiet: whether interpretations stay
    hidden when the step is done, since a later step asks for them. act: what to do after the prediction is committed. goal:
    the conditions under which the step is done. visit: conditions that must each have held once before that, in any order.
    solve: a change of the session that reaches the goal. claims: what the explanation states, as conditions. feedback: texts
    by the answer that they fit. transfer: the question after the explanation. lines: the line of the file on which the step,
    and each part by name, begins.
    """

    name: str
    title: str
    text: str
    start: Mapping[str, Any] = field(default_factory=dict)
    keep: tuple[str, ...] = ()
    show: tuple[str, ...] = ()
    reveal: tuple[str, ...] = ()
    before: tuple[str, ...] = ()
    frame: Mapping[str, int] = field(default_factory=dict)
    panels: tuple[str, ...] = ("tokens", "encoding")
    lock: tuple[str, ...] = ()
    quiet: bool = False
    act: str = ""
    asks: str = ""
    prediction: Prediction | None = None
    goal: tuple[Expression, ...] = ()
    visit: tuple[Expression, ...] = ()
    solve: Mapping[str, Any] = field(default_factory=dict)
    claims: tuple[Expression, ...] = ()
    hints: tuple[str, ...] = ()
    explain: str = ""
    feedback: Mapping[str, str] = field(default_factory=dict)
    transfer: Transfer | None = None
    lines: Mapping[str, int] = field(default_factory=dict)

    @property
    def question(self) -> str:
        """The last sentence of the text that ends with a question mark; the whole text if it has none."""
        sentences = re.split(r"(?<=[.?!])\s+", self.text.strip())
        return next((one for one in reversed(sentences) if one.endswith("?")), self.text)

    @property
    def needs(self) -> tuple[str, ...]:
        """The panels in which the goal is reached."""
        return tuple(dict.fromkeys(panel_of(name) for name in self.solve if name != "plots"))

    @property
    def played(self) -> tuple[str, ...]:
        """The plots whose options must be changed to reach the goal."""
        return tuple(self.solve.get("plots", ()))

    @property
    def sought(self) -> tuple[tuple[str, ...], ...]:
        """The paths of the fields that must be changed to reach the goal; all of an encoding's or a plot's."""
        whole = ((name,) for name in self.solve if name not in ("model", "plots"))
        of_model = (("model", name) for name in self.fields_of("model"))
        return (*whole, *of_model, *(("plots", name) for name in self.played))

    def fields_of(self, panel: str) -> tuple[str, ...]:
        """Return the names of a panel's form fields that must be changed to reach the goal, except the field that
        chooses an encoding."""
        change = self.solve.get(panel)
        return tuple(name for name in change if name != "name") if isinstance(change, Mapping) else ()

    def options_of(self, plot: str) -> tuple[str, ...]:
        """Return the names of a plot's options that must be changed to reach the goal."""
        return tuple(self.solve.get("plots", {}).get(plot, ()))

    @property
    def controls(self) -> tuple[str, ...]:
        """The panels in which something can be changed; those that `solve` changes to reach the goal come first."""
        free = [name for name in self.panels if name not in self.lock]
        return tuple(dict.fromkeys((*(name for name in self.needs if name in free), *free)))

    @property
    def asks_formula(self) -> bool:
        """True if the learner must type a formula: what its goal lacks is then said while they type."""
        return "formula" in self.fields_of("encoding")

    @property
    def whole(self) -> Step:
        """The step with the condition that each has that asks for a formula."""
        others = (one for one in self.goal if one.text != IS_OWN.text)
        return replace(self, goal=(IS_OWN, *others)) if self.asks_formula else self

    @property
    def orders(self) -> bool:
        """True if the learner must reorder the tokens; until then, plots of two orders use an order of their own."""
        return bool(self.goal) and "order" in self.solve

    def begun(self, before: Session) -> Session:
        """Return the session in which the step begins, after another one. Raises ValueError if it is invalid."""
        kept = {name: getattr(before, name) for name in self.keep}
        order = kept.pop("order", ())
        session = first_session().changed(**kept)
        with suppress(ValueError):  # the kept field belongs to another text
            session = session.changed(order=order)
        return arranged(session, self.start)

    def solved(self, session: Session) -> Session:
        """Return the session after the change that reaches the goal. Raises ValueError if that doesn't fit it."""
        return arranged(session, self.solve)


@dataclass(frozen=True)
class Lab:
    """A lab: its name (the file's), title, question, duration in minutes, and steps.

    takeaway: the text at its end; `{{step: question}}` in it repeats the value shown in that step's explanation.
    advanced: whether it asks for more than the course. formerly: the names of labs whose steps it has taken over; learners'
    records of them are found there.
    """

    name: str
    title: str
    summary: str
    minutes: int
    steps: tuple[Step, ...]
    path: Path | None = None  # of a file that is not bundled
    takeaway: str = ""
    advanced: bool = False
    formerly: tuple[str, ...] = ()


def panel_of(field: str) -> str:
    """Return the panel on which a session field other than `plots` is changed."""
    return _PANEL_OF.get(field, "tokens")


def arranged(session: Session, changes: Mapping[str, Any]) -> Session:
    """Return a session with some fields changed, named as in lab files: of `model`, unless its kind is given, and of each
    plot, only the given fields.

    An order may be "reversed", for any number of tokens. Raises ValueError for invalid changes, and for "reversed" if a
    tokenizer file splits the text.
    """
    fields = dict(changes)
    if fields.get("order") == REVERSED:
        del fields["order"]
        session = arranged(session, fields)
        if (split := session.split_at_once) is None:
            raise ValueError(
                f'order can be "{REVERSED}" where the text is split into {join_words(TOKENIZERS, "or")}, not by a file'
            )
        return session.reordered(session.order_of(len(split.tokens))[::-1])
    if isinstance(model := fields.get("model"), Mapping) and "kind" not in model:
        fields["model"] = {**dict(session.model), **model}
    if isinstance(given := fields.get("plots"), Mapping):
        plots = by_current_plots(given)
        own = dict(session.plots)
        changed = {name: some for name, some in plots.items() if name in own and isinstance(some, Mapping)}
        known = {name: {**dict(own[name]), **some} for name, some in changed.items()}
        fields["plots"] = {**own, **plots, **known}
    return session.changed(**fields)
