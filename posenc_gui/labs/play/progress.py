"""Progress through a lab as one immutable value; each event returns its successor."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from typing import Any, Literal, Self

from posenc_gui.labs.definition.lab import Choice, Lab, Order, Sketch, Step
from posenc_gui.labs.definition.record import (
    LONGEST_WORDS,
    MOST_NAMED,
    Answer,
    Picture,
    Record,
    StepRecord,
    Transferred,
    now,
)
from posenc_gui.labs.play.observe import Observation
from posenc_gui.session.change_names import between
from posenc_gui.session.session import Session
from posenc_gui.text.tokenization import replace_surrogates

Phase = Literal["predict", "act", "done"]


@dataclass(frozen=True)
class Play:
    """The state of a played lab: the lab, its record, the current step, and the session to restore after free play."""

    lab: Lab
    record: Record
    index: int = 0
    left: Session | None = None

    @classmethod
    def begin(cls, lab: Lab, record: Record | None = None, learner: str = "") -> Self:
        """Start a lab from its beginning, or from the step at which a record left it."""
        steps = lab.steps
        name = replace_surrogates(lab.name)[:MOST_NAMED]  # a file's name may hold anything
        fresh = record or Record(lab=name, title=lab.title, learner=learner)
        words = {
            step.name: step.prediction.options if isinstance(step.prediction, Choice) else step.prediction.items
            for step in steps
            if isinstance(step.prediction, Choice | Order)
        }
        known = fresh.with_fields(
            lab=name,
            title=lab.title,
            titles={step.name: step.title for step in steps},
            asked={step.name: _whole(step) for step in steps if step.asks},
            takeaway=lab.takeaway,
            options=words,
        )
        return cls(lab, known).at(next((place for place, step in enumerate(steps) if step.name == known.at), 0))

    @property
    def step(self) -> Step:
        """The current step."""
        return self.lab.steps[self.index]

    @property
    def done(self) -> StepRecord:
        """The record of the current step."""
        return self.record.step(self.step.name)

    @property
    def phase(self) -> Phase:
        """The phase of the step: predict, act or done."""
        if self.done.done:
            return "done"
        return "predict" if self.step.prediction and not self.done.committed else "act"

    @property
    def options(self) -> tuple[str, ...]:
        """The names of the current step's options, in an order of this learner's own that stays the same; empty if the
        step asks for no choice. Records and reports keep the options' texts, so classes compare."""
        if not isinstance(self.step.prediction, Choice):
            return ()
        return self._shuffled(self.step.prediction)

    @property
    def transfer_options(self) -> tuple[str, ...]:
        """The names of the transfer question's answers, in an order of this learner's own; empty if none is asked."""
        return self._shuffled(self.step.transfer.choice) if self.step.transfer else ()

    def _shuffled(self, choice: Choice) -> tuple[str, ...]:
        names = list(choice.options)
        seed = (self.record.started, self.record.lab, self.step.name)
        random.Random("\0".join(seed)).shuffle(names)
        return tuple(names)

    @property
    def free(self) -> bool:
        """True in free play."""
        return self.left is not None

    def covers(self, plot: str) -> bool:
        """Return True if a plot is covered: before the prediction, only those in the step's `show` are visible.

        If the learner must reorder the tokens, the plots in `reveal` stay covered until that is done: with an order of
        their own they would show the outcome.
        """
        if self.free or self.phase == "done":
            return False
        return plot not in self.step.show if self.phase == "predict" else self.step.orders and plot in self.step.reveal

    @property
    def panels(self) -> tuple[str, ...]:
        """The visible panels of `PANELS`: before the prediction only the code, then those that aren't locked."""
        if self.phase == "predict":
            return tuple(name for name in self.step.panels if name == "code")
        return self.step.controls

    @property
    def did(self) -> str:
        """The learner's changes in the step, as text; empty if there are none or they are unknown."""
        try:
            return self.did_until(Session.read(self.done.session).content)
        except ValueError:
            return ""

    def did_until(self, session: Session) -> str:
        """The learner's changes from the step's first session to this one, as text; empty if none are known."""
        try:
            return between(self.step.begun(session), session, self.step.sought).name
        except ValueError:
            return ""

    @property
    def quiet(self) -> bool:
        """True if interpretations are hidden because they would give away the answer to this step or, if the step says so,
        to a later one."""
        return not self.free and (self.phase != "done" or self.step.quiet)

    @property
    def silent(self) -> bool:
        """True if headlines are hidden, which would say what the step asks for; its result is said in any case."""
        return not self.free and self.phase != "done"

    def locks(self, panel: str) -> bool:
        """Return True if a panel is read-only: all before the prediction, later those that the step locks; none in free
        play."""
        return not self.free and (self.phase == "predict" or panel in self.step.lock)

    def at(self, index: int) -> Self:
        """Return this play at another step: the one at this index, or the nearest."""
        place = min(max(index, 0), len(self.lab.steps) - 1)
        record = self.record.with_fields(at=self.lab.steps[place].name)
        return replace(self, index=place, record=record)

    def committed(self, answer: Answer, words: str, reason: str) -> Self:
        """Return this play with a committed prediction, which can't be changed. Raises ValueError if there is one."""
        prediction = self.step.prediction
        assert prediction
        of = {"plot": prediction.plot, "curve": prediction.curve} if isinstance(prediction, Sketch) else {}
        return self.noted(
            **of, kind=prediction.kind, answer=answer, answer_words=words, reason=reason, draft=None, committed=now()
        )

    def observed(self, seen: Observation) -> Self:
        """Return this play with an observation's result, if the step is waiting for one or its numbers follow."""
        if self.free or self.phase == "predict" or not seen.reached or self.done.transfer:
            return self
        session = seen.session.for_others.to_json()
        found = {"outcome": seen.outcome, "values": seen.values, "doubts": seen.doubts, "session": session}
        if self.phase == "done" and all(getattr(self.done, name) == value for name, value in found.items()):
            return self
        return self.noted(**found, done=self.done.done or now())

    def transferred(self, answer: str) -> Self:
        """Return this play with the transfer question answered, which can't be changed; its outcome is still to be measured."""
        transfer = self.step.transfer
        assert transfer
        if self.done.transfer:
            return self
        words = transfer.choice.options[answer]
        return self.noted(transfer=Transferred(asked=transfer.asks, answer=answer, answer_words=words))

    def judged(self, seen: Observation) -> Self:
        """Return this play with the measured outcome of the transfer question; itself if there is nothing new."""
        if self.done.transfer is None or seen.transfer in (None, self.done.transfer):
            return self
        return self.noted(transfer=seen.transfer)

    def trying(self, seen: Observation) -> Self:
        """Return this play with the formula that an observation found, and what was said of it; itself if it isn't asked for."""
        encoding = seen.session.encoding
        kept = self.free or self.phase == "predict" or (self.phase == "done" and not seen.reached)
        if kept or self.done.transfer or not self.step.asks_formula or encoding.name != "own":
            return self
        tried = self.noted(formula=encoding.typed(), lacked=seen.told)
        return self if tried == self else tried

    def visiting(self, seen: Observation) -> Self:
        """Return this play with what an observation has visited on the way to the goal; itself if that is nothing new."""
        if self.free or self.phase != "act" or set(seen.visited) <= set(self.done.visited):
            return self
        return self.noted(visited=tuple(dict.fromkeys((*self.done.visited, *seen.visited))))

    def again(self) -> Self:
        """Return this play with the step's outcome cleared, to be measured again; the prediction is kept."""
        return self.noted(
            outcome=None, values={}, doubts=(), visited=(), transfer=None, formula="", lacked=(), done="", session=""
        )

    def with_picture(self, picture: Picture) -> Self:
        """Return this play with one more picture in the step."""
        return self.noted(pictures=(*self.done.pictures, picture))

    def hinted(self) -> Self:
        """Return this play with one more hint, if there is another."""
        return self.noted(hints=min(self.done.hints + 1, len(self.step.hints)))

    def out(self, session: Session) -> Self:
        """Return this play in free play, with the session to restore; free play before the prediction is recorded."""
        peeking = {"explored": True} if self.phase == "predict" else {}
        return replace(self.noted(**peeking), left=session)

    def back(self) -> Self:
        """Return this play after free play."""
        return replace(self, left=None)

    def noted(self, **changes: Any) -> Self:
        """Return this play with fields of the step's record changed. Raises ValueError for a committed prediction's."""
        return replace(self, record=self.record.with_step(self.step.name, **changes))


def _whole(step: Step) -> str:
    """Return a step's text and question, cut to the length that a record holds."""
    return f"{step.text}\n\n{step.asks}"[:LONGEST_WORDS]
