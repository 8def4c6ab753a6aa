"""The session of a first start."""

from __future__ import annotations

from functools import cache

from posenc_gui.scene.example_sentences import FIRST_MODEL
from posenc_gui.session.session import Session


@cache
def first_session() -> Session:
    """Return a session that repeats a word, whose model and encoding tell both apart in the row shown beside the maps."""
    return Session(model=FIRST_MODEL, plots={"attention": {"row": True}})


def with_toy(session: Session) -> Session:
    """Return the same text with the toy model and the encoding of a first start."""
    first = first_session()
    headed = {name: options for name, options in session.plots if "head" in type(options).model_fields}
    heads = {name: options.model_copy(update={"head": type(options)().head}) for name, options in headed.items()}
    return session.changed(
        model=first.model,
        encoding=first.encoding,
        other=None,
        order=(),
        strength=1.0,
        plots=session.plots.model_copy(update=heads),  # the toy has fewer heads
    )
