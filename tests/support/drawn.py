"""Sessions and models as Hypothesis draws them for the measures: small, so that many fit into a second."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

import posenc_gui as pe
from posenc_gui.foundation.errors import Invalid

WORDS = ("the", "cat", "sat", "on", "mat", "?", "naïve", "<b>", "猫")
NAMES = pe.encodings()
ABSOLUTE = [name for name in NAMES if pe.encoding(name).door == "input"]
RELATIVE = [name for name in NAMES if pe.encoding(name).door in ("rotation", "score")]


@st.composite
def models(draw: st.DrawFn, **fixed: Any) -> pe.ToyModel:
    """Any small model; what is in `fixed` is as it is there."""
    n_heads, width = draw(st.integers(1, 4)), draw(st.integers(1, 8))
    drawn: dict[str, Any] = {
        "d_model": n_heads * width,
        "n_heads": n_heads,
        "causal": draw(st.booleans()),
        "n_layers": draw(st.integers(1, 2)),
        "embedding_scale": draw(st.sampled_from([0.0, 1.0, 8.0])),
        "projections": draw(st.sampled_from(["seeded", "identity"])),
        "scale": draw(st.sampled_from([None, None, 0.0, 2.0])),
        "seed": draw(st.integers(0, 2**31 - 1)),
    }
    return pe.ToyModel(**{**drawn, **fixed})


def fitting(name: str, model: pe.ToyModel, **fields: Any) -> pe.Session | None:
    """A session with this encoding; None where the encoding can't act on a model of this shape."""
    try:
        return pe.Session(encoding=pe.encoding(name), model=model, **fields)
    except Invalid:
        return None


@st.composite
def sessions(
    draw: st.DrawFn,
    names: list[str] | None = None,
    least: int = 0,
    most: int = 40,
    words: tuple[str, ...] = WORDS,
    unique: bool = False,
    **fixed: Any,
) -> pe.Session:
    """Any session of these encodings with `least` to `most` tokens, in any order; `fixed` are fields of its model."""
    name = draw(st.sampled_from(names or NAMES))
    model = draw(models(**fixed).filter(lambda model: fitting(name, model) is not None))
    if unique:
        tokens = [f"w{index}" for index in range(draw(st.integers(least, most)))]
    else:
        tokens = draw(st.lists(st.sampled_from(words), min_size=least, max_size=most))
    session = fitting(name, model, text=" ".join(tokens))
    assert session is not None
    count = session.n_tokens
    if count > 1 and draw(st.booleans()):
        session = session.changed(order=tuple(draw(st.permutations(range(count)))))
    if count and draw(st.booleans()):
        session = session.changed(focus=draw(st.integers(0, count + 2)), key=draw(st.integers(0, count + 2)))
    return session
