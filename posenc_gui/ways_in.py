"""Ways in: the session of a first start, and the models that use each encoding."""

from __future__ import annotations

from functools import cache

from pydantic import TypeAdapter

from posenc_gui import encodings
from posenc_gui.frozen import Frozen
from posenc_gui.resources import folder
from posenc_gui.scene import AnyEncoding
from posenc_gui.sentences import FIRST_MODEL
from posenc_gui.session import Session


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
def models() -> tuple[ModelWayIn, ...]:
    """The models, as the course lists them."""
    return TypeAdapter(tuple[ModelWayIn, ...]).validate_json((folder() / "models.json").read_bytes())


def first_session() -> Session:
    """What a first start shows: a sentence with twins, a model in which position tells them apart, and that row beside it."""
    return Session(model=FIRST_MODEL, plots={"attention": {"row": True}})
