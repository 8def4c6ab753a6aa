"""Sweeps: one plot with one field at several values, on one scale."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from posenc_gui import evaluate, parts
from posenc_gui.attention.engine import Engine
from posenc_gui.beside import multiples, on_one_scale
from posenc_gui.differences import in_a_sentence, worded
from posenc_gui.errors import sentence
from posenc_gui.figure import Figure
from posenc_gui.session import Session
from posenc_gui.sweepable import FEWEST, MOST


def sweep(
    plot: str, session: Session, field: str, values: Iterable[Any], engine: Engine | None = None
) -> tuple[Figure, ...]:
    """One figure a value, all on one scale, each carrying its own session.

    field: as the command line's `--set` names it: "base", "other.base", "model.d_model", "plot.head", "focus".
    Raises ValueError, in one sentence, for a name that is no plot or no field, for no values, and for a value that is refused.
    """
    return on_one_scale([figure for _, figure in _swept(plot, session, field, values, engine or Engine())])


def small_multiples(
    plot: str, session: Session, field: str, values: Iterable[Any], engine: Engine | None = None
) -> Figure:
    """A sweep as one figure, `FEWEST` to `MOST` small multiples; it carries the session that was given.

    Raises ValueError as `sweep` does, and for fewer or more values.
    """
    values = list(values)
    if not FEWEST <= len(values) <= MOST:
        raise ValueError(f"{field}: small multiples show {FEWEST} to {MOST} values, not {len(values)}")
    swept = _swept(plot, session, field, values, engine or Engine())
    title = in_a_sentence(parts.declared(session, plot, field)[0].title or field)
    whole = multiples([figure for _, figure in swept], [f"{title} {worded(value)}" for value, _ in swept])
    caption = " · ".join(filter(None, (f"differs: {title}", whole.caption)))
    return replace(whole, caption=caption, session=session.to_json())


def _swept(plot: str, session: Session, field: str, values: Iterable[Any], engine: Engine) -> list[tuple[Any, Figure]]:
    """Each value as it was understood, and its figure. All are understood before the first is drawn."""
    sessions = [_with(plot, session, field, value) for value in values]
    if not sessions:
        raise ValueError(f"{field}: a sweep needs at least one value")
    return [(parts.value(one, plot, field), evaluate.plot(plot, one, engine)) for one in sessions]


def _with(plot: str, session: Session, field: str, value: Any) -> Session:
    try:
        return session.changed(**parts.changed(session, plot, {field: value}))
    except ValueError as error:
        raise ValueError(sentence(error)) from None
