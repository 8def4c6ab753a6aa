"""Ways in: the session of a first start, and the published models."""

from __future__ import annotations

from posenc_gui.models.presets import Preset, catalogue
from posenc_gui.scene.example_sentences import FIRST_MODEL
from posenc_gui.session.session import Session


def models() -> tuple[Preset, ...]:
    """The published models, the oldest first."""
    return tuple(catalogue().values())


def first_session() -> Session:
    """What a first start shows: a sentence with twins, a model in which position tells them apart, and that row beside it."""
    return Session(model=FIRST_MODEL, plots={"attention": {"row": True}})
