"""The course's sentences, their meanings, and which of them consist of the same words."""

from __future__ import annotations

from functools import cache
from typing import Any, TypeVar

from pydantic import TypeAdapter

from posenc_gui.attention.toy_model import ToyModel
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.foundation.resources import folder
from posenc_gui.scene.setup import Setup
from posenc_gui.text.tokenization import tokenize

S = TypeVar("S", bound=Setup)

_OF_TOYS = ("model", "encoding", "other", "patches", "fill", "fill_to")  # fields that a trained model has no use for

# One small head, and weights under which position tells twins apart: the seed is chosen so that in the row of "sat" the
# two "the" differ by at least 0.10 once sinusoidal vectors are added.
FIRST_MODEL = ToyModel(d_model=16, n_heads=1, seed=334)


class ExampleSentence(Frozen):
    """A sentence, a note on what it shows, and the session's fields that go with it."""

    title: str
    note: str
    session: dict[str, Any]

    def chosen(self, session: S) -> S:
        """Put this sentence into a session; fields that it doesn't set are kept. A model with typed vectors is replaced by
        `FIRST_MODEL`; one that has learned stays. Raises ValueError with one sentence if the result doesn't suit the
        session's encoding."""
        if not isinstance(session.model, ToyModel):  # which keeps its own positions
            return session.changed(**{name: value for name, value in self.session.items() if name not in _OF_TOYS})
        if session.model.vectors:
            session = session.changed(model=FIRST_MODEL)
        return session.changed(**self.session)

    def is_shown_by(self, session: Setup) -> bool:
        """Return True if a session of this text has it as typed, without filling or patches, and the model that it sets.
        Where it sets no model, any model without typed vectors will do."""
        if session.order or session.fill != "none" or session.patches:
            return False
        if "model" in self.session or not isinstance(session.model, ToyModel):
            return self.chosen(session).model == session.model
        return not session.model.vectors


class SentenceGroup(Frozen):
    """Sentences that show the same thing."""

    title: str
    sentences: tuple[ExampleSentence, ...]


@cache
def sentences() -> tuple[SentenceGroup, ...]:
    """Return all example sentences, in groups."""
    return TypeAdapter(tuple[SentenceGroup, ...]).validate_json((folder() / "sentences.json").read_bytes())


def sentence_note(session: Setup) -> str:
    """Return the note on the session's sentence if it is an example sentence; empty otherwise."""
    # The last match is the most specific: the course's table also uses "The cat sat".
    fitting = [one for one in _every() if one.session["text"] == session.text and one.is_shown_by(session)]
    return fitting[-1].note if fitting else ""


def meanings(words: tuple[str, ...]) -> dict[tuple[str, ...], str]:
    """Return the course's sentences of exactly these lower-case words in any order, as tokens, with their meanings."""
    return {tokens: note for tokens, note in _split().items() if sorted(tokens) == sorted(words)}


@cache
def _split() -> dict[tuple[str, ...], str]:
    found: dict[tuple[str, ...], str] = {}
    for sentence in _every():
        found.setdefault(tokenize(sentence.session["text"]), sentence.note)
    return found


def _every() -> list[ExampleSentence]:
    return [sentence for group in sentences() for sentence in group.sentences]
