"""From a session to what is asked of it: one plot, several for the window, or the numbers themselves."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TypeVar

from torch import Tensor

from posenc_gui import plots
from posenc_gui.attention.engine import Engine
from posenc_gui.errors import sentence
from posenc_gui.figure import Figure, Note
from posenc_gui.measures import measure
from posenc_gui.measures.base import Measurement
from posenc_gui.session import Session

Result = TypeVar("Result")

LARGEST_ATTENTION = 2**28  # scores over all heads that `attend` keeps: 1 GiB for each of its three arrays


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
class Evaluation:
    """What the window shows of a session: its figures by plot, how long they took, and where."""

    session: Session
    figures: dict[str, Figure]
    seconds: float
    device: str
    notice: str = ""


def attend(session: Session, engine: Engine | None = None) -> Attention:
    """The attention of the whole sentence. Raises ValueError where it isn't defined or too large to keep."""
    engine = engine or Engine()
    tokens, model = session.tokens, session.model
    if model.n_heads * len(tokens) ** 2 > LARGEST_ATTENTION:
        most = int((LARGEST_ATTENTION / model.n_heads) ** 0.5)
        raise ValueError(
            f"attend keeps whole maps: at most {most} tokens with {model.n_heads} heads, not {len(tokens)}."
        )
    layer = engine.layer(tokens, model, session.encoding)
    whole = range(len(tokens))
    maps = engine.maps(tokens, model, session.encoding, whole)
    without = session.without_position
    position = maps.scores - engine.maps(tokens, without.model, without.encoding, whole).scores
    return Attention(tokens, layer.queries, layer.keys, layer.values, maps.scores, position, maps.weights, maps.output)


def plot(name: str, session: Session, engine: Engine | None = None) -> Figure:
    """The figure of one plot, carrying its session. Raises ValueError for a name that is no plot."""
    plots.find(name)
    figure = plots.draw(name, session.scene, getattr(session.plots, name), engine or Engine())
    return replace(figure, session=session.to_json())


def evaluate(session: Session, wanted: Iterable[str], engine: Engine) -> Evaluation:
    """The wanted plots of a session, on the engine's device or, where that fails, on the CPU with a notice that says so."""
    began = time.perf_counter()
    figures, device, notice = on_any_device(
        lambda engine: {name: _shown(name, session, engine) for name in wanted}, engine
    )
    return Evaluation(session, figures, time.perf_counter() - began, device, notice)


def judge(session: Session, engine: Engine) -> Measurement:
    """The requirements of a session's encoding, on the engine's device or, where that fails, on the CPU."""
    found, _device, _notice = on_any_device(lambda engine: measure("requirements", session, engine), engine)
    assert isinstance(found, Measurement)
    return found


def _shown(name: str, session: Session, engine: Engine) -> Figure:
    """The plot, or a note in its place: one that fails must not take the others with it."""
    try:
        return plot(name, session, engine)
    except ValueError as error:
        if name not in plots.plots():
            raise
        title, why = plots.plots()[name].title, f"This can't be drawn: {sentence(error)}."
        return Figure(name, title, (Note(why),), description=why)


def on_any_device(work: Callable[[Engine], Result], engine: Engine) -> tuple[Result, str, str]:
    """What work gives on the engine's device or, where that fails, on the CPU; the device, and a notice that says so."""
    try:
        return work(engine), engine.device, ""
    except (RuntimeError, AssertionError) as failure:
        # torch's out of memory is a RuntimeError, a missing CUDA an assertion.
        if engine.device == "cpu":
            raise
        reason = "ran out of memory" if "out of memory" in str(failure) else "failed"
        notice = f"{engine.device} {reason}: computed on the CPU instead."
        return work(replace(engine, device="cpu")), "cpu", notice
