"""Angles: how far each pair of dimensions is rotated at each position."""

from __future__ import annotations

import torch
from torch import Tensor

from posenc_gui.attention.engine import Engine
from posenc_gui.figure.caption_parts import compose_caption
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panels import Lines
from posenc_gui.foundation.errors import Undefined
from posenc_gui.foundation.wording import format_count, format_number, quote
from posenc_gui.measures.base import in_chunks
from posenc_gui.plots.base import Plot, describe_selection, padded_range
from posenc_gui.plots.common.axes import along, encoding_axis, sentence_marks, turned_at
from posenc_gui.plots.common.curves import CurveOptions, curves, require_items, samples, some_of
from posenc_gui.scene.remedies import ROPE
from posenc_gui.scene.scene import Scene

_CURVES = 4  # curves drawn by default


def draw(scene: Scene, options: CurveOptions, engine: Engine) -> Figure:
    """Draw the angle in radians over the position, one curve per pair, not reduced modulo 2π."""
    encoding = scene.encoding
    span = options.span(scene)
    x = samples(span, smooth=False)
    pairs = _phases(scene, x[-1:]).shape[1]
    chosen = options.curves or some_of(pairs, _CURVES)
    require_items(chosen, pairs, "pair")
    phases = in_chunks(x, pairs, engine, lambda part: _phases(scene, part)[:, list(chosen)])
    axis = encoding_axis(scene, span)
    labels = tuple(f"pair {pair}" for pair in chosen)
    series = curves(scene, axis, span, x, phases, labels)
    low, high = padded_range(series)
    turning = "turned in queries and keys" if encoding.door == "rotation" else "the argument of each sine and cosine"
    return Figure(
        panels=(Lines(turning, "angle in rad", series, axis, low, high,
                      sentence_marks(scene, axis, span)),),
        headline=turned_at(scene, span.stop - 1, chosen, phases[-1].abs() / (2 * torch.pi), " times"),
        caption_parts=compose_caption(describe_selection(len(chosen), pairs, "pair")),
        description=f"Angles of {format_count(len(chosen), 'pair')} at {along(scene)}s {span.start} to {span.stop - 1}, up to "
        f"{format_number(high)} radians.",
    )  # fmt: skip


def _phases(scene: Scene, positions: Tensor) -> Tensor:
    encoding = scene.encoding
    phases = encoding.phases(scene.at(positions), scene.model.d_model, scene.context)
    if phases is None:
        raise Undefined(
            f"{quote(encoding.called)} has no angles: it turns no pairs of dimensions and adds no waves.", ROPE
        )
    return phases


PLOT = Plot(
    "Angles",
    "How far each pair of dimensions has turned at each position.",
    "Which pairs turn fast, which slowly?",
    CurveOptions,
    draw,
    "Encoding",
)
