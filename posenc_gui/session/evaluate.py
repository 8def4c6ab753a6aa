"""From a session to what is asked of it: one plot, several for the window, or the numbers themselves."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from types import MappingProxyType
from typing import TypeVar

import torch
from torch import Tensor

from posenc_gui import plots
from posenc_gui.attention import memory_cost as costs
from posenc_gui.attention.engine import Engine
from posenc_gui.attention.forward import attend as bands
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.view import EVERYTHING, View
from posenc_gui.foundation.errors import TooLarge, is_of_memory, require, unforeseen
from posenc_gui.measures import taken
from posenc_gui.measures.base import Measurement
from posenc_gui.scene.caption import settings, subject
from posenc_gui.session.session import Session

Result = TypeVar("Result")

_log = logging.getLogger(__name__)


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


@dataclass(frozen=True, eq=False)
class Drawn:
    """A figure of one plot of a session, and the device that drew it; `notice` tells where that is not the one asked for."""

    session: Session
    name: str
    figure: Figure
    device: str
    notice: str = ""


def attend(session: Session, engine: Engine | None = None) -> Attention:
    """The attention of the whole sentence. Raises Undefined where it isn't defined, TooLarge for want of memory.

    Raises ValueError for what is no session.
    """
    require(session, Session)
    engine = engine or Engine()
    tokens, prompt, plain = session.tokens, session.prompt, session.without_position.prompt
    every = range(len(tokens))
    engine.require(costs.of_attend, len(tokens), session.model)
    found = engine.attended(prompt, every, every)
    position = torch.empty_like(found.scores)
    for band in bands(engine.layer(plain), every, every, engine.check_stop):
        rows = band.rows.cpu()
        position[:, rows] = found.scores[:, rows] - band.scores.cpu()
    layer = engine.layer(prompt)
    queries, keys, values = (vectors.cpu() for vectors in (layer.queries, layer.keys, layer.values))
    return Attention(tokens, queries, keys, values, found.scores, position, found.weights, found.output)


def plot(name: str, session: Session, engine: Engine | None = None, view: View | None = None) -> Figure:
    """The finished figure of one plot, carrying its session; of what a view asks for, or of everything.

    What takes more memory than is free is a note that says so. Raises ValueError for a name that is no plot, and for
    what is no session.
    """
    require(session, Session)
    try:
        (figure,) = deque(_steps(name, session, view or EVERYTHING, engine or Engine()), maxlen=1)
    except TooLarge as why:
        figure = plots.note(name, why)
    return signed(figure, session)


def signed(figure: Figure, session: Session) -> Figure:
    """The figure with what it is of: the session, and that in words."""
    figure = replace(figure, session=session.to_json())
    if figure.is_note or plots.find(figure.name).shows == "all":
        return figure
    return replace(figure, subject=subject(session.scene), settings=settings(session.scene))


def evaluate(
    session: Session, wanted: Iterable[str], engine: Engine, views: Mapping[str, View] = MappingProxyType({})
) -> Iterator[Drawn]:
    """The figures of the wanted plots of a session, one by one as they are drawn, each carrying the session.

    `views` says of which plots not everything is wanted, and what. These may come in many steps: they go on once every
    plot has come to its first.

    Where the engine's device fails, the plot it fails at and those after it are drawn on the CPU, with one notice. A plot
    that fails by an error of ours, or for want of memory, is a note that says so, and takes no other with it. Raises
    ValueError for a name that is no plot.
    """
    wanted = tuple(wanted)
    begun: list[Iterator[Drawn]] = []

    def drawn(name: str) -> Iterator[Drawn]:
        nonlocal engine
        draw = partial(_steps_or_note, name, session, views.get(name, EVERYTHING))
        for figure, used, notice in on_any_device(draw, engine):
            engine = used  # the next plot begins where this one ended
            yield Drawn(session, name, signed(figure, session), used.device, notice)

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
    """The requirements of a session's encoding, on the engine's device or, where that fails, on the CPU.

    An error of ours is a measurement without a value that says so.
    """

    def measured(engine: Engine) -> Iterator[Measurement]:
        try:
            yield taken("requirements", session, engine)
        except Exception as error:
            if _is_of_device(error, engine):
                raise
            yield Measurement(None, _told("The requirements", error))

    ((found, _engine, _notice),) = on_any_device(measured, engine)
    return found


def on_any_device(work: Callable[[Engine], Iterable[Result]], engine: Engine) -> Iterator[tuple[Result, Engine, str]]:
    """What work gives, one by one, with the engine that gave it: this one or, from where it fails on, one on the CPU.

    With the first of those on the CPU comes a notice that says so.
    """
    try:
        for result in work(engine):
            yield result, engine, ""
        return
    except Exception as failure:
        if not _is_of_device(failure, engine):
            raise
        reason = "ran out of memory" if is_of_memory(failure) else "failed"
        reason = "has too little memory" if isinstance(failure, TooLarge) else reason
    notice = f"{engine.device} {reason}: computed on the CPU instead."
    engine = replace(engine, device="cpu")
    for result in work(engine):
        yield result, engine, notice
        notice = ""


def _is_of_device(error: Exception, engine: Engine) -> bool:
    """Whether a device other than the CPU may be what failed: torch's out of memory is a RuntimeError, no CUDA an assertion."""
    return engine.device != "cpu" and isinstance(error, RuntimeError | AssertionError | TooLarge)


def _steps_or_note(name: str, session: Session, view: View, engine: Engine) -> Iterator[Figure]:
    try:
        yield from _steps(name, session, view, engine)
    except Exception as error:
        if _is_of_device(error, engine):
            raise
        yield plots.note(name, _told(f"“{plots.find(name).title}”", error))


def _steps(name: str, session: Session, view: View, engine: Engine) -> Iterator[Figure]:
    yield from plots.draw(name, session.scene, session.options_of(name), view, engine)


def _told(what: str, error: Exception) -> str:
    """The sentence for what failed: a refusal's own, or that of an error that nobody foresaw, whose details go to the log."""
    if isinstance(error, TooLarge):
        return str(error)
    _log.error("%s could not be computed", what, exc_info=error)
    return f"{what} could not be computed: {unforeseen(error)}"
