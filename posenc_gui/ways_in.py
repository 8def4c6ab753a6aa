"""Ways in: the course's sentences with what they mean, and the models that use each encoding."""

from __future__ import annotations

from functools import cache
from typing import Any

from pydantic import TypeAdapter

from posenc_gui import encodings
from posenc_gui.attention.toy import ToyModel
from posenc_gui.frozen import Frozen
from posenc_gui.resources import folder
from posenc_gui.session import AnyEncoding, Session

FIRST_SEED = 334


class Sentence(Frozen):
    """A sentence, what it shows, and the session's fields that go with it."""

    title: str
    note: str
    session: dict[str, Any]

    def chosen(self, session: Session) -> Session:
        """The session with this sentence in it; what the sentence says nothing about stays, but for typed vectors.

        Raises pydantic's ValidationError, a ValueError, where the session's encoding can't go with it.
        """
        if session.model.vectors:
            session = session.changed(model=first_session().model)
        return session.changed(**self.session)

    def is_shown_by(self, session: Session) -> bool:
        """Whether a session shows this sentence as it stands here."""
        if session.text != self.session["text"] or session.order:
            return False
        return self.chosen(session).model == session.model if "model" in self.session else not session.model.vectors


class SentenceGroup(Frozen):
    """Sentences that show the same thing."""

    title: str
    sentences: tuple[Sentence, ...]


class ModelWayIn(Frozen):
    """A published model: its encoding and its mask."""

    title: str
    year: int
    encoding: AnyEncoding
    causal: bool

    @property
    def description(self) -> str:
        """The model, its year, the kind of position it has and how."""
        kind = {"both": "absolute and relative"}.get(self.encoding.tag, self.encoding.tag)
        return f"{self.title} ({self.year}): {kind}, {encodings.classes()[self.encoding.name].title}"

    def chosen(self, session: Session) -> Session:
        """The session with this model's encoding and mask; its size stays."""
        return session.changed(encoding=self.encoding, model=session.model.model_copy(update={"causal": self.causal}))


@cache
def sentences() -> tuple[SentenceGroup, ...]:
    """The sentences in groups."""
    return TypeAdapter(tuple[SentenceGroup, ...]).validate_json((folder() / "sentences.json").read_bytes())


@cache
def models() -> tuple[ModelWayIn, ...]:
    """The models, as the course lists them."""
    return TypeAdapter(tuple[ModelWayIn, ...]).validate_json((folder() / "models.json").read_bytes())


def first_session() -> Session:
    """What a first start shows: a sentence with twins, one small head, and weights under which position tells them apart.

    The seed is chosen so that in the row of "sat" the two "the" differ by at least 0.10 once sinusoidal vectors are added.
    """
    return Session(model=ToyModel(d_model=16, n_heads=1, seed=FIRST_SEED))


def note_of(session: Session) -> str:
    """What the session's sentence shows, if it is one of these; empty otherwise."""
    every = (sentence for group in sentences() for sentence in group.sentences)
    # The last of those that fit is the most particular: the course's table is also "The cat sat".
    fitting = [sentence for sentence in every if sentence.is_shown_by(session)]
    return fitting[-1].note if fitting else ""
