"""Evaluate a session: one plot, several plots for the window, or the attention itself."""

from __future__ import annotations

import html
import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from types import MappingProxyType
from typing import Any, TypeVar

import torch
from torch import Tensor

from posenc_gui import plots
from posenc_gui.attention import memory_cost
from posenc_gui.attention.engine import Engine
from posenc_gui.attention.forward import attend as bands
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.view import EVERYTHING, View
from posenc_gui.foundation.errors import TooLarge, Undefined, describe_internal_error, is_out_of_memory, require_type
from posenc_gui.foundation.wording import format_count, quote
from posenc_gui.measures import taken
from posenc_gui.measures.base import Measurement, Unmeasured
from posenc_gui.session.session import Session
from posenc_gui.text.tokenization import format_token

Result = TypeVar("Result")

_log = logging.getLogger(__name__)

_TABLED = 16  # tokens that the table of a notebook shows


@dataclass(frozen=True, eq=False)
class Attention:
    """The attention of a session's last layer, float32; h heads, n tokens.

    queries, keys, values: (h, n, d_head), queries and keys before rotation. scores: (h, n, n) before the mask. position:
    (h, n, n), scores minus those without the encoding at the same scale. probabilities: (h, n, n). output: (n, d_model).
    """

    tokens: tuple[str, ...]
    queries: Tensor
    keys: Tensor
    values: Tensor
    scores: Tensor
    position: Tensor
    probabilities: Tensor
    output: Tensor

    def __repr__(self) -> str:
        named = ((name, value) for name, value in vars(self).items() if isinstance(value, Tensor))
        shapes = ", ".join(f"{name} {tuple(value.shape)}" for name, value in named)
        return f"<Attention of {format_count(len(self.tokens), 'token')}: {shapes}>"

    def _repr_mimebundle_(self, **_asked: object) -> dict[str, str]:
        """Return the attention for a notebook: the weights that each token gives each other, as the mean of the heads."""
        tokens = self.tokens[:_TABLED]
        names = [f"<th>{html.escape(format_token(token))}</th>" for token in tokens]
        weights = self.probabilities.mean(0)[: len(tokens), : len(tokens)].tolist()  # (n, n)
        rows = (
            f"<tr>{name}{''.join(f'<td>{weight:.2f}</td>' for weight in row)}</tr>"
            for name, row in zip(names, weights, strict=True)
        )
        which = "" if len(tokens) == len(self.tokens) else f" of the first {_TABLED} tokens"
        caption = f"<caption>Attention weights{which}, mean of the heads; rows: queries, columns: keys</caption>"
        table = f"<table>{caption}<tr><th></th>{''.join(names)}</tr>{''.join(rows)}</table>"
        return {"text/html": table, "text/plain": repr(self)}


@dataclass(frozen=True, eq=False)
class Drawn:
    """A figure of one plot of a session, and the device that computed it; `notice` says so if that is not the one asked for."""

    session: Session
    name: str
    figure: Figure
    device: str
    notice: str = ""


class PartlyKnown:
    """The attention of a layer whose model's code tells only a part of it: asking for the rest raises Undefined."""

    def __init__(self, known: Mapping[str, Any], why: Mapping[str, Undefined]) -> None:
        vars(self).update(known)
        self._why = why

    def __getattr__(self, name: str) -> Tensor:
        if name in vars(self).get("_why", {}):
            raise self._why[name]
        raise AttributeError(name)


def attend(session: Session, engine: Engine | None = None) -> Attention | PartlyKnown:
    """Return the attention of the whole sentence: the last layer's queries, keys and values, each (n_heads, n, d_head), scores
    and probabilities, each (n_heads, n, n), and output, (n, d_model).

    Raises Undefined if it isn't defined, TooLarge if it needs more memory than is free, ValueError for anything but a
    session.
    """
    require_type(session, Session)
    engine = engine or Engine()
    scene = session.scene
    prompt, every = scene.prompt, range(len(scene.tokens))
    engine.require(memory_cost.full_maps_bytes, len(every), session.model)
    found, layer = engine.attended(prompt, every, every), engine.layer(prompt)

    def position() -> Tensor:
        scores = found.scores
        added = torch.empty_like(scores)
        without = engine.layer(scene.without_position.prompt)
        with closing(bands(without, every, every, engine.check_stop, engine.threads)) as found_without:
            for band in found_without:
                rows = band.rows.cpu()
                added[:, rows] = scores[:, rows] - band.scores.cpu()
        return added

    def vectors(name: str) -> Tensor:
        layer.require_vectors()
        found: Tensor = getattr(layer, name)
        return found.cpu()

    parts: dict[str, Callable[[], Tensor]] = {
        **{name: partial(vectors, name) for name in ("queries", "keys", "values")},
        "scores": lambda: found.scores,
        "position": position,
        "probabilities": lambda: found.weights,
        "output": lambda: found.output,
    }
    known: dict[str, Any] = {"tokens": scene.tokens}
    why = {}
    for name, part in parts.items():
        try:
            known[name] = part()
        except Undefined as undefined:
            why[name] = undefined
    return PartlyKnown(known, why) if why else Attention(**known)


def plot(name: str, session: Session, engine: Engine | None = None, view: View | None = None) -> Figure:
    """Return the finished figure of one plot, carrying its session: the part that a view asks for, or everything.

    If it needs more memory than is free, the figure is a note that says so. Raises ValueError for an unknown plot, and
    for anything but a session.
    """
    require_type(session, Session)
    require_type(view := view or EVERYTHING, View)
    return session.picture(name, engine or Engine(), view)


def evaluate(
    session: Session, wanted: Iterable[str], engine: Engine, views: Mapping[str, View] = MappingProxyType({})
) -> Iterator[Drawn]:
    """Draw plots of a session one by one; each figure carries the session.

    `views` gives the part that is wanted of some plots. These may come in many steps, coarse to whole: the first step of
    each is drawn with the other plots, the rest after all of them.

    Where the engine's device fails, that plot and those after it are drawn on the CPU, with one notice. A plot that fails
    by an error of ours, or for lack of memory, becomes a note that says so; the others are still drawn. Raises ValueError
    for an unknown plot.
    """
    wanted = tuple(wanted)
    begun: list[Iterator[Drawn]] = []

    def drawn(name: str) -> Iterator[Drawn]:
        nonlocal engine
        draw = partial(_steps_or_note, name, session, views.get(name, EVERYTHING))
        for figure, used, notice in on_any_device(draw, engine):
            engine = used  # later plots stay on the CPU once the device has failed
            yield Drawn(session, name, session.carried_by(figure), used.device, notice)

    for name in wanted:
        plots.find(name)
    for name in wanted:
        engine.check_stop()
        steps = drawn(name)
        if name in views:
            yield next(steps)
            begun.append(steps)
        else:
            yield from steps
    for steps in begun:
        yield from steps


def judge(session: Session, engine: Engine) -> Measurement:
    """Measure a session's requirements, on the CPU if the device fails; without a value, and why, if the program does."""

    def measured(engine: Engine) -> Iterator[Measurement]:
        try:
            yield taken("requirements", session.scene, engine)
        except Exception as error:
            if _is_of_device(error, engine):
                raise
            yield Unmeasured(None, _describe_failure("The requirements", error))

    ((found, _engine, _notice),) = on_any_device(measured, engine)
    return found


def on_any_device(work: Callable[[Engine], Iterable[Result]], engine: Engine) -> Iterator[tuple[Result, Engine, str]]:
    """Yield results of work with their engine; if its device fails, all again from the CPU, the first with a notice."""
    try:
        for result in work(engine):
            yield result, engine, ""
        return
    except Exception as failure:
        if not _is_of_device(failure, engine):
            raise
        reason = "ran out of memory" if is_out_of_memory(failure) else "failed"
        reason = "has too little memory" if isinstance(failure, TooLarge) else reason
    notice = f"{engine.device} {reason}: computed on the CPU instead."
    engine = replace(engine, device="cpu")
    for result in work(engine):
        yield result, engine, notice
        notice = ""


def _is_of_device(error: Exception, engine: Engine) -> bool:
    """True if the engine's device may have failed: torch raises RuntimeError out of memory, AssertionError without CUDA."""
    return engine.device != "cpu" and isinstance(error, RuntimeError | AssertionError | TooLarge)


def _steps_or_note(name: str, session: Session, view: View, engine: Engine) -> Iterator[Figure]:
    try:
        yield from session.steps(name, view, engine)
    except Exception as error:
        if _is_of_device(error, engine):
            raise
        yield plots.note(name, _describe_failure(quote(plots.find(name).title), error))


def _describe_failure(what: str, error: Exception) -> str:
    """Describe a failure: the error's own message if memory was short, else a general one, with the details in the log."""
    if isinstance(error, TooLarge):
        return str(error)
    _log.error("%s could not be computed", what, exc_info=error)
    return f"{what} could not be computed: {describe_internal_error(error)}"
