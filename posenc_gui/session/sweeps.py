"""Sweeps: one plot with one field at several values, on one scale."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from posenc_gui import plots
from posenc_gui.attention.engine import Engine
from posenc_gui.figure.caption_parts import CaptionPart
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.side_by_side import multiples, on_one_scale
from posenc_gui.foundation.declared_model import format_value
from posenc_gui.foundation.wording import inner_case
from posenc_gui.scene.sweepable_fields import FEWEST, MOST
from posenc_gui.session import evaluate, settings_by_name
from posenc_gui.session.session import Session

_STEPS = 4  # from one position to the next
_FEWEST_POSITIONS, _MOST_STEPS = 8, 120  # in a film


def sweep(
    plot: str, session: Session, field: str, values: Iterable[Any], engine: Engine | None = None
) -> tuple[Figure, ...]:
    """Return one figure per value, all on one scale, each carrying its own session.

    field: as the command line's `--set` names it: "base", "other.base", "model.d_model", "plot.head", "focus". Raises
    ValueError, in one sentence, for an unknown plot or field, for no values, and for a value that is refused.
    """
    return on_one_scale([figure for _, figure in _swept(plot, session, field, values, engine or Engine())])


def small_multiples(
    plot: str, session: Session, field: str, values: Iterable[Any], engine: Engine | None = None
) -> Figure:
    """Return a sweep as one figure with `FEWEST` to `MOST` small multiples; it carries the given session.

    Each is titled by its value, the first by the field's name too.

    Raises ValueError as `sweep` does, and for fewer or more values.
    """
    values = list(values)
    if not FEWEST <= len(values) <= MOST:
        raise ValueError(f"{field}: small multiples show {FEWEST} to {MOST} values, not {len(values)}")
    swept = _swept(plot, session, field, values, engine or Engine())
    title = inner_case(settings_by_name.declared(session, plot, field)[0].title or field)
    first, *others = (format_value(value) for value, _ in swept)
    whole = multiples([figure for _, figure in swept], [f"{title} {first}", *others])
    if session.other is None and len({figure.subject for _, figure in swept}) > 1:  # the subject of one names its value
        whole = replace(whole, subject=session.encoding.called)
    return evaluate.with_session(whole.captioned(CaptionPart(f"differs: {title}", "differs")), session)


def moving_field(plot: str, session: Session) -> tuple[str, tuple[float, ...]]:
    """Return the field that changes when a plot is played, and its values, at most 120.

    That is an option of the plot, a position, in quarter steps to twice the sentence's length, or else the focus, token
    by token. Raises ValueError if there are no tokens.
    """
    count = session.n_tokens
    if not count:
        raise ValueError("nothing moves: there are no tokens")
    options = plots.find(plot).options.model_fields.items()
    declared = ((name, field.json_schema_extra) for name, field in options)
    played = [name for name, extra in declared if isinstance(extra, dict) and "plays" in extra]
    if played:
        steps = min(_MOST_STEPS, 2 * max(_FEWEST_POSITIONS, count) * _STEPS)
        return f"plot.{played[0]}", tuple(step / _STEPS for step in range(steps))
    return "focus", tuple(range(min(count, _MOST_STEPS)))


def _swept(plot: str, session: Session, field: str, values: Iterable[Any], engine: Engine) -> list[tuple[Any, Figure]]:
    """Return each value as the field accepted it, with its figure; all are checked before the first is drawn."""
    sessions = [session.changed(**settings_by_name.changed(session, plot, {field: value})) for value in values]
    if not sessions:
        raise ValueError(f"{field}: a sweep needs at least one value")
    return [(settings_by_name.value(one, plot, field), evaluate.plot(plot, one, engine)) for one in sessions]
