"""Playing a lab: where the learner stands, as one frozen value; each thing that happens gives the next."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal, Self

from posenc_gui.labs.definition.lab import Choice, Lab, Order, Sketch, Step
from posenc_gui.labs.definition.record import LONGEST_WORDS, MOST_NAMED, Answer, Picture, Record, StepRecord, now
from posenc_gui.labs.play.observe import Observation
from posenc_gui.session.change_names import between
from posenc_gui.session.session import Session
from posenc_gui.text.tokenization import clean

Phase = Literal["predict", "act", "done"]


@dataclass(frozen=True)
class Play:
    """A lab, the learner's record of it, the step at hand, and the session to come back to from free play."""

    lab: Lab
    record: Record
    index: int = 0
    left: Session | None = None

    @classmethod
    def begin(cls, lab: Lab, record: Record | None = None, learner: str = "") -> Self:
        """A lab from its beginning, or from where a record of it stands."""
        steps = lab.steps
        name = clean(lab.name)[:MOST_NAMED]  # a file's, whatever that is
        fresh = record or Record(lab=name, title=lab.title, learner=learner)
        words = {
            step.name: step.prediction.options if isinstance(step.prediction, Choice) else step.prediction.items
            for step in steps
            if isinstance(step.prediction, Choice | Order)
        }
        known = Record(
            **{
                **dict(fresh),
                "titles": {step.name: step.title for step in steps},
                "asked": {step.name: _whole(step) for step in steps if step.asks},
                "takeaway": lab.takeaway,
                "options": words,
            }
        )
        return cls(lab, known).at(next((place for place, step in enumerate(steps) if step.name == known.at), 0))

    @property
    def step(self) -> Step:
        """The step at hand."""
        return self.lab.steps[self.index]

    @property
    def done(self) -> StepRecord:
        """What was done in the step at hand."""
        return self.record.step(self.step.name)

    @property
    def phase(self) -> Phase:
        """What comes next in the step: a prediction, the learner's own doing, or nothing any more."""
        if self.done.done:
            return "done"
        return "predict" if self.step.prediction and not self.done.committed else "act"

    @property
    def free(self) -> bool:
        """Whether the learner has left the lab for a while."""
        return self.left is not None

    def covers(self, plot: str) -> bool:
        """Whether a plot is covered: until there is a prediction, only what the step shows is to be seen.

        Plots of two orders would show the outcome before the learner has made the second one.
        """
        if self.free or self.phase == "done":
            return False
        return plot not in self.step.show if self.phase == "predict" else self.step.orders and plot in self.step.reveal

    @property
    def panels(self) -> tuple[str, ...]:
        """The panels that are there: none that can only be read, but for the code."""
        if self.phase == "predict":
            return tuple(name for name in self.step.panels if name == "code")
        return self.step.controls

    @property
    def did(self) -> str:
        """What the learner has changed in the step, in words; empty where nothing, or where that can't be told any more."""
        try:
            session = Session.read(self.done.session).content
            return between(self.step.begun(session), session, self.step.sought).name
        except ValueError:
            return ""

    @property
    def quiet(self) -> bool:
        """Whether the window says nothing of what is to be seen: it would answer for the learner."""
        return not self.free and (self.phase != "done" or self.step.quiet)

    def locks(self, panel: str) -> bool:
        """Whether a panel can only be read: before the prediction all of them, then those that the step locks."""
        return not self.free and (self.phase == "predict" or panel in self.step.lock)

    def at(self, index: int) -> Self:
        """At another step."""
        place = min(max(index, 0), len(self.lab.steps) - 1)
        record = Record(**{**dict(self.record), "at": self.lab.steps[place].name})
        return replace(self, index=place, record=record)

    def committed(self, answer: Answer, words: str, reason: str) -> Self:
        """With a prediction, which stays as it is. Raises ValueError where there was one before."""
        prediction = self.step.prediction
        assert prediction
        of = {"plot": prediction.plot, "curve": prediction.curve} if isinstance(prediction, Sketch) else {}
        return self.noted(**of, kind=prediction.kind, answer=answer, answer_words=words, reason=reason, committed=now())

    def observed(self, seen: Observation) -> Self:
        """With what a session showed, if that is what the step waits for."""
        if self.free or self.phase != "act" or not seen.reached:
            return self
        found = {"outcome": seen.outcome, "values": seen.values, "doubts": seen.doubts}
        return self.noted(**found, done=now(), session=seen.session.to_json())

    def again(self) -> Self:
        """With what comes of the step to be measured once more; the prediction stays."""
        return self.noted(outcome=None, values={}, doubts=(), done="", session="")

    def with_picture(self, picture: Picture) -> Self:
        """With one more picture in the step."""
        return self.noted(pictures=(*self.done.pictures, picture))

    def hinted(self) -> Self:
        """With one more stage of hints."""
        return self.noted(hints=min(self.done.hints + 1, len(self.step.hints)))

    def out(self, session: Session) -> Self:
        """In free play, to come back to this session."""
        peeking = {"explored": True} if self.phase == "predict" else {}
        return replace(self.noted(**peeking), left=session)

    def back(self) -> Self:
        """Back from free play."""
        return replace(self, left=None)

    def noted(self, **changes: Any) -> Self:
        """With these fields of the step's record changed. Raises ValueError for a committed prediction's."""
        return replace(self, record=self.record.with_step(self.step.name, **changes))


def _whole(step: Step) -> str:
    """What a step asks, with what leads to it; as much of it as a record holds."""
    return f"{step.text}\n\n{step.asks}"[:LONGEST_WORDS]
