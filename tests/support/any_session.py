"""Any valid session, for Hypothesis: every field, encoding, parameter and option as it is declared, new ones, too."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any, get_args

from annotated_types import MultipleOf
from hypothesis import reject
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy
from pydantic.fields import FieldInfo

import posenc_gui as pe
from posenc_gui import encodings
from posenc_gui.encodings.base import Encoding
from posenc_gui.foundation import declared_fields
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.session.session import PlotOptions

_WORDS = st.lists(st.sampled_from(["the", "cat", "The", "sat", "狗", "🙂", "don't", "<b>"]), max_size=8).map(" ".join)
_sides = st.integers(1, 3)
_numbers = st.floats(-1e6, 1e6, width=32)


def of_field(field: FieldInfo) -> SearchStrategy[Any]:
    """What a field may hold."""
    held = declared_fields.kind(field)
    if held.type is Encoding:
        values: SearchStrategy[Any] = encodings_with_parameters
    elif held.members:
        values = st.one_of(*map(of_model, held.members))
    elif get_args(held.type)[1:] == (...,):
        values = st.lists(of_field(FieldInfo.from_annotation(get_args(held.type)[0])), max_size=4).map(tuple)
    else:
        limits = [limit for limit in field.metadata if not isinstance(limit, MultipleOf)]  # Hypothesis knows the others
        values = st.from_type(Annotated[(held.type, *limits)] if limits else held.type)
        for step in (limit.multiple_of for limit in field.metadata if isinstance(limit, MultipleOf)):
            values = values.map(partial(_rounded, step))
    return st.none() | values if held.optional else values


def _rounded(step: int, value: int) -> int:
    return value - value % step


@st.composite
def of_model(draw: st.DrawFn, model: type[Frozen]) -> Frozen:
    """Any valid model of this kind; some of its fields are at their defaults."""
    own = {name: field for name, field in model.model_fields.items() if name != "vectors"}
    needed = {name: of_field(field) for name, field in own.items() if field.is_required()}
    others = {name: of_field(field) for name, field in own.items() if not field.is_required()}
    try:
        return model(**draw(st.fixed_dictionaries(needed, optional=others)))
    except ValueError:
        reject()


encodings_with_parameters = st.one_of(*map(of_model, encodings.classes().values()))


@st.composite
def _models(draw: st.DrawFn) -> pe.ToyModel:
    n_heads, width = draw(st.integers(1, 8)), draw(st.integers(1, 64))
    d_model = 2 * n_heads * width
    vector = st.lists(_numbers, min_size=d_model, max_size=d_model)
    typed = draw(st.dictionaries(st.text(max_size=4), vector, max_size=2)) if d_model < 9 else {}
    return pe.ToyModel(
        d_model=d_model,
        n_heads=n_heads,
        causal=draw(st.booleans()),
        scale=draw(st.none() | st.floats(0, 100)),
        embedding_scale=draw(st.floats(0, 100)),
        projections=draw(st.sampled_from(["seeded", "identity"])),
        n_layers=draw(st.integers(1, 2)),
        vectors=tuple(typed.items()),
        seed=draw(st.integers(0, 2**31 - 1)),
    )


@st.composite
def _sessions(draw: st.DrawFn) -> pe.Session:
    text, index = draw(_WORDS | st.text()), st.integers(0, 10**6)
    tokenizer = draw(st.sampled_from(["words", "characters", "bytes", "nowhere/tokenizer.json"]))
    try:
        session = pe.Session(
            text=text,
            tokenizer=tokenizer,
            keep_case=draw(st.booleans()),
            fill=draw(st.sampled_from(["none", "none", "repeat", "random"])),
            fill_to=draw(st.integers(1, 12)),
            start=draw(st.just(0) | st.integers(0, 1000)),
            patches=draw(st.none() | st.builds(pe.Patches, rows=_sides, columns=_sides, before=st.integers(0, 20))),
            encoding=draw(encodings_with_parameters),
            other=draw(st.none() | encodings_with_parameters),
            model=draw(_models()),
            focus=draw(index),
            key=draw(st.none() | index),
            plots=draw(of_model(PlotOptions)),
        )
    except ValueError:
        reject()
    n_words = session.n_words(session.n_tokens)
    if n_words < 2 or draw(st.booleans()):
        return session
    return session.changed(order=tuple(draw(st.permutations(range(n_words)))))


sessions = _sessions()
