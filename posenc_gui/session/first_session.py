"""The session of a first start."""

from __future__ import annotations

from posenc_gui.scene.example_sentences import FIRST_MODEL
from posenc_gui.session.session import Session


def first_session() -> Session:
    """Return a session with a sentence that repeats a word (twins), and a model whose encoding tells the copies
    apart; the query's row is shown beside the maps."""
    return Session(model=FIRST_MODEL, plots={"attention": {"row": True}})
