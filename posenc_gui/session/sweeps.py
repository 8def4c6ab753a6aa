"""Sweeps: one plot with one field at several values, on one scale."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from pydantic.fields import FieldInfo

from posenc_gui import plots, render
from posenc_gui.attention.engine import Engine
from posenc_gui.figure.caption_parts import CaptionPart
from posenc_gui.figure.compare import compare, on_one_scale
from posenc_gui.figure.figure import Figure
from posenc_gui.foundation import declared_fields
from posenc_gui.foundation.declared_model import format_value
from posenc_gui.foundation.errors import path_of, quote_value, require_type
from posenc_gui.foundation.wording import inner_case
from posenc_gui.plots.sweep import multiples_of_encodings, name_of
from posenc_gui.scene.sweepable_fields import FEWEST, FEWEST_ENCODINGS, MOST
from posenc_gui.session import evaluate, settings_by_name
from posenc_gui.session.session import Session

_STEPS = 4  # from one position to the next
_FEWEST_POSITIONS, _MOST_STEPS = 8, 120  # in a film
_FOCUS, _ENCODING = "focus", "encoding"


class Sweep(tuple[Figure, ...]):
    """The figures of a sweep, one for each value, on one scale."""

    multiples: Callable[[], Figure]

    def save(self, path: str | Path, **choices: object) -> Path:
        """Write a slide for each value (.pptx), a film or a page of all (.gif, .mp4, .html), or small multiples (any other
        suffix). Takes choices and raises as `Figure.save` does, and as `small_multiples`."""
        path = path_of(path)
        figures = self if path.suffix.lower() in (render.DECK, *render.FILMS) else (self.multiples(),)
        return render.save_all(figures, path, render.make_options(choices))

    def _repr_mimebundle_(self, **asked: object) -> dict[str, str]:
        """Return the figures for a notebook, one below the other."""
        bundles = [figure._repr_mimebundle_(**asked) for figure in self]
        return {kind: "\n".join(bundle[kind] for bundle in bundles) for kind in ("text/html", "text/plain")}


def sweep(plot: str, session: Session, field: str, values: Iterable[Any], engine: Engine | None = None) -> Sweep:
    """Return one figure per value, all on one scale, each carrying its own session, and its value where the figure itself
    doesn't tell it.

    field: as the command line's `--set` names it: "base", "other.base", "model.d_model", "plot.head", "focus"; or "encoding",
    whose values are names, encodings with parameters, mappings, or texts such as "rope(base=500)", each shown without B.
    Raises ValueError, in one sentence, for an unknown plot or field, for no values, and for a value that is refused.
    """
    require_type(session, Session)
    require_type(field, str, "field's name")
    values = values if isinstance(values, str) else list(values)
    called = "" if field in (_ENCODING, _moving_name(plot)) else f"{_named(plot, session, field)} "
    figures = [
        replace(figure, value=name_of(one.scene) if field == _ENCODING else called and f"{called}{format_value(value)}")
        for value, one, figure in _swept(plot, session, field, values, engine or Engine())
    ]
    swept = Sweep(on_one_scale(figures))
    swept.multiples = partial(small_multiples, plot, session, field, values, engine)
    return swept


def film(plot: str, session: Session) -> tuple[Figure, ...]:
    """Return a film's frames, one for each value of a sweep, or of `moving_field`. Raises ValueError where nothing moves."""
    if plot == "sweep":
        swept = evaluate.plot(plot, session)
        return swept.frames or (swept,)
    return sweep(plot, session, *moving_field(plot, session))


def small_multiples(
    plot: str, session: Session, field: str, values: Iterable[Any], engine: Engine | None = None
) -> Figure:
    """Return a sweep as one figure with `FEWEST` to `MOST` small multiples; it carries the given session.

    Each is titled by its value, the first by the field's name too; of encodings there may be `FEWEST_ENCODINGS`.

    Raises ValueError as `sweep` does, and for fewer or more values.
    """
    swept = _swept(plot, session, field, values, engine := engine or Engine(), as_multiples=True)
    figures = [figure for _, _, figure in swept]
    if field == _ENCODING:
        return session.carried_by(multiples_of_encodings(plot, [one.scene for _, one, _ in swept], figures, engine))
    title = _named(plot, session, field)
    whole = compare(figures, tuple(format_value(value) for value, _, _ in swept), called=title)
    return session.carried_by(whole.captioned(CaptionPart(f"differs: {title}", "differs")))


def moving_field(plot: str, session: Session) -> tuple[str, tuple[float, ...]]:
    """Return the field that changes when a plot is played, and its values, at most 120. That is an option of the plot: its
    steps one by one, or a position in quarter steps to twice the sentence's length; or else the focus, token by token. Raises
    ValueError if there are no tokens."""
    count = session.n_tokens
    if not count:
        raise ValueError("nothing moves: there are no tokens")
    name = _moving_name(plot)
    if name == _FOCUS:
        return name, tuple(range(min(count, _MOST_STEPS)))
    (field,) = settings_by_name.declared(session, plot, name)
    if _plays(field) == "steps":
        first, last = map(round, declared_fields.bounds(field))
        return name, tuple(range(first, last + 1))
    steps = min(_MOST_STEPS, 2 * max(_FEWEST_POSITIONS, count) * _STEPS)
    return name, tuple(step / _STEPS for step in range(steps))


def _moving_name(plot: str) -> str:
    """Return the name of the field that changes when a plot is played: an option of its own, or the focus."""
    options = plots.find(plot).options.model_fields.items()
    return next((f"plot.{name}" for name, field in options if _plays(field)), _FOCUS)


def _plays(field: FieldInfo) -> Any:
    """Return what a field declares of being played; None if it isn't."""
    return field.json_schema_extra.get("plays") if isinstance(field.json_schema_extra, dict) else None


def _named(plot: str, session: Session, field: str) -> str:
    """Return what a field is called: "base", or in a comparison "A's base"."""
    title = settings_by_name.declared(session, plot, field, (_ENCODING,))[0].title or field
    side = settings_by_name.side(session, plot, field)
    return f"{side}'s " * bool(side) + inner_case(title)


def _swept(
    plot: str, session: Session, field: str, values: Iterable[Any], engine: Engine, *, as_multiples: bool = False
) -> list[tuple[Any, Session, Figure]]:
    """Return each value as the field accepted it, its session and its figure; all are checked before the first is drawn."""
    if isinstance(values, str):
        raise ValueError(f"{field}: a sweep takes a list of values, such as [{values!r}, …], not {quote_value(values)}")
    if field == _ENCODING:
        sessions = [session.changed(encoding=value, other=None) for value in values]
    else:
        sessions = [session.changed(**settings_by_name.changed(session, plot, {field: value})) for value in values]
    if not sessions:
        raise ValueError(f"{field}: a sweep needs at least one value")
    taken = [one.encoding if field == _ENCODING else settings_by_name.value(one, plot, field) for one in sessions]
    fewest = FEWEST_ENCODINGS if field == _ENCODING else FEWEST
    if field == _ENCODING and len(set(taken)) < fewest:
        raise ValueError(f"{field}: a sweep needs at least two different encodings, such as rope and alibi")
    if as_multiples and not fewest <= len(taken) <= MOST:
        raise ValueError(f"{field}: small multiples show {fewest} to {MOST} values, not {len(taken)}")
    return [(value, one, evaluate.plot(plot, one, engine)) for value, one in zip(taken, sessions, strict=True)]
