"""A published model: its encoding and shape, and what the toy model leaves out."""

from __future__ import annotations

import html
from collections.abc import Hashable
from typing import Annotated

from pydantic import Field, PrivateAttr

from posenc_gui.attention.toy_model import ToyModel
from posenc_gui.encodings.base import RotationEncoding
from posenc_gui.encodings.common.any_encoding import AnyEncoding
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.foundation.wording import format_count
from posenc_gui.session.session import Session

_Length = Annotated[int, Field(ge=1, le=20_000_000)]  # positions, as a session takes them


class ModelSession(Session):
    """A session as a published model has it, and what of the model it leaves out. It is equal to the same session without
    that. `changed` gives a session that is nobody's model, and leaves nothing to say."""

    _unmodelled: tuple[str, ...] = PrivateAttr(())

    @property
    def unmodelled(self) -> tuple[str, ...]:
        """What the toy model leaves out, and numbers that the model's config lacks; a sentence each."""
        return self._unmodelled

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Session) and dict(self) == dict(other)

    def __repr_name__(self) -> str:
        return Session.__name__

    def __str__(self) -> str:
        return f"{self!r}  # {' '.join(self.unmodelled)}" if self.unmodelled else repr(self)

    def _repr_mimebundle_(self, **asked: object) -> dict[str, str]:
        """Return the session for a notebook, with what isn't modelled."""
        shown = super()._repr_mimebundle_(**asked)
        told = "".join(f"<li>{html.escape(sentence)}</li>" for sentence in self.unmodelled)
        return {**shown, "text/html": f"{shown['text/html']}\n<ul>{told}</ul>" if told else shown["text/html"]}


class Published(Frozen):
    """A model's encoding, shape, mask and scale of scores.

    Where layers have two encodings, `encoding` is that of layers that see all tokens, which `full_layers` counts, `other` that
    of the local ones.
    `trained_length` is how many positions it was trained on before it was extended to `context`. `unmodelled` lists what
    the toy model leaves out, beside the weights, which stay seeded; `filled` lists numbers that the model's config lacks.
    """

    encoding: AnyEncoding
    other: AnyEncoding | None = None
    full_layers: str = ""
    model: ToyModel
    trained_length: _Length | None = None
    context: _Length | None = None
    unmodelled: tuple[str, ...] = ()
    filled: tuple[str, ...] = ()

    @property
    def summary(self) -> str:
        """Encoding, shape, trained length and context, in one line."""
        other = f" and {self.other.called}" if self.other and self.other.called != self.encoding.called else ""
        shape = (
            f"{format_count(self.model.d_model, 'dimension')}, "
            f"{format_count(self.model.n_heads, 'head')} of {self.model.head_width}"
        )
        return f"{self.encoding.called}{other}, {shape}{self._lengths}"

    @property
    def _lengths(self) -> str:
        """Trained length and context, as the line ends."""
        trained = format_count(self.trained_length or 0, "position")
        if isinstance(self.encoding, RotationEncoding) and self.encoding.trained_length_may_be_after:
            return f", {trained} before or after the scaling"
        extended = f"extended to {self.context:,}" if self.context and self.context != self.trained_length else ""
        if not self.trained_length:
            return extended and f", {extended}"
        return f", trained on {trained}" + (extended and f" before it was {extended}")

    @property
    def turns(self) -> tuple[str, ...]:
        """How the layers share two encodings, in a phrase."""
        full = f" ({self.full_layers})" if self.full_layers else ""
        shared = f"layers take turns, A in those that see all tokens{full} and B in those that see only nearby ones"
        return (shared,) if self.other else ()

    @property
    def remark(self) -> str:
        """What isn't modelled, and what the config lacks, a sentence each; empty if there is neither."""
        said = {"Not modelled": (*self.turns, *self.unmodelled), "Not in the config, so assumed": self.filled}
        return " ".join(f"{what}: {'; '.join(phrases)}." for what, phrases in said.items() if phrases)

    def session(self) -> ModelSession:
        """Return a session with this model, which says what isn't modelled."""
        found = ModelSession(**dict(self.chosen(Session())))
        phrases = (
            *self.turns,
            *self.unmodelled,
            *(f"not in the config, so assumed: {phrase}" for phrase in self.filled),
        )
        found._unmodelled = tuple(f"{phrase[0].upper()}{phrase[1:]}." for phrase in phrases)
        return found

    def chosen(self, session: Session) -> Session:
        """Return the session with this model, its lengths for frequencies and extension; sentence, seed and focus are kept."""
        reach = self.context or self.trained_length
        frequencies = session.options_of("frequencies").model_copy(update={"context": reach})
        extension = session.options_of("extension").model_copy(update={"length": self.context})
        return session.changed(
            encoding=self.encoding,
            other=self.other,
            model=self.model.model_copy(update={"seed": session.model.seed}),
            trained_length=self.trained_length,
            plots=session.plots.model_copy(update={"frequencies": frequencies, "extension": extension}),
        )


def identity(of: Published | Session) -> Hashable:
    """Return what a published model and a session that shows it have in common: all but the seed and the sentence."""
    model = of.model.model_copy(update={"seed": 0}) if isinstance(of.model, ToyModel) else of.model
    return of.encoding, of.other, of.trained_length, model
