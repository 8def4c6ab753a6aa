"""Angles: how far each pair of dimensions is rotated at each position, in turns."""

from __future__ import annotations

import math

from posenc_gui.attention.engine import Engine
from posenc_gui.figure.caption_parts import compose_caption
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panels import Lines
from posenc_gui.foundation.wording import format_count, format_number
from posenc_gui.measures.base import in_chunks
from posenc_gui.plots.base import Plot, describe_selection, padded_range
from posenc_gui.plots.common.axes import along, encoding_axis, sentence_marks
from posenc_gui.plots.common.curves import CurveOptions, curves, require_items, samples
from posenc_gui.plots.common.speeds import phases_of, speeds_of, unturned
from posenc_gui.scene.scene import Scene

_CURVES = 4  # curves drawn by default


def draw(scene: Scene, options: CurveOptions, engine: Engine) -> Figure:
    """Draw the angle in turns over the position, one curve per pair, not reduced to a turn."""
    span = options.span(scene)
    x = samples(span, smooth=False)
    speeds = speeds_of(scene.at_full_strength)
    chosen = options.curves or speeds.seen_within(len(span), _CURVES)
    require_items(chosen, len(speeds), "pair")
    turns = in_chunks(x, len(speeds), engine, lambda part: phases_of(scene, part)[:, list(chosen)]) / math.tau
    axis = encoding_axis(scene, span)
    series = curves(scene, axis, span, x, turns, tuple(f"pair {pair}" for pair in chosen))
    low, high = padded_range(series)
    of = "how far queries and keys are turned" if scene.encoding.door == "rotation" else "how far each wave has turned"
    return Figure(
        panels=(Lines(of, "turns", series, axis, low, high, sentence_marks(scene, axis, span)),),
        headline=speeds_of(scene).sentence(((pair, f"pair {pair}") for pair in chosen), "turns once"),
        caption_parts=compose_caption(describe_selection(len(chosen), len(speeds), "pair"), unturned(scene)),
        description=f"Turns of {format_count(len(chosen), 'pair')} at {along(scene)}s {span.start} to {span.stop - 1}, up to "
        f"{format_number(high)}.",
    )


PLOT = Plot(
    "Angles",
    "How far each pair of dimensions has turned at each position.",
    "Which pairs turn fast, which slowly?",
    CurveOptions,
    draw,
    "Encoding",
)
