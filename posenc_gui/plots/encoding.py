"""Encoding map: the encoding's values, positions or offsets by dimensions, pairs or heads."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from torch import Tensor

from posenc_gui.attention.engine import Engine
from posenc_gui.figure.axis import Axis
from posenc_gui.figure.caption_parts import compose_caption
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panels import Heatmap
from posenc_gui.figure.ranges import symmetric_range
from posenc_gui.figure.runs import Run
from posenc_gui.foundation.wording import format_count
from posenc_gui.plots.base import WINDOW, Plot, as_values, describe_range
from posenc_gui.plots.common.axes import along, encoding_axis, encoding_span, fully_labelled, place_told, sentence_at
from posenc_gui.plots.common.curves import PositionOptions, none_there, profile, samples, told_query
from posenc_gui.scene.scene import Scene


def draw(scene: Scene, options: PositionOptions, engine: Engine) -> Figure:
    """Draw one row per position or offset, and one column per dimension, per cosine or sine of a pair, or per head."""
    encoding = scene.encoding
    wanted = encoding_span(scene, options.span(scene))
    span = wanted[:WINDOW] if encoding.along == "position" else _middle(wanted)
    shown = profile(scene, samples(span, smooth=False), engine)
    values = as_values(shown.values)
    full = scene.at_full_strength  # whose colours stay, so that numbers are seen to shrink
    at_full = shown if full is scene else profile(full, samples(span, smooth=False), engine)
    low, high = symmetric_range(as_values(at_full.values))
    ended = options.past_the_end(scene, span)
    whole = range(span.start, span.stop + len(ended))
    rows = fully_labelled(encoding_axis(scene, whole), whole)
    drawn = np.pad(values, ((0, len(ended)), (0, 0)))
    mask = np.arange(len(whole))[:, None] >= np.full(drawn.shape, len(span)) if ended else None
    columns = Axis(encoding.across, encoding.across, labels=shown.labels if shown.each > 1 else ())
    title = f"{encoding.called}: {along(scene)} × {encoding.across}"
    cut = f"{len(span)} of {len(wanted)} {along(scene)}s" if len(span) < len(wanted) else ""
    across = format_count(values.shape[1], "column")
    return Figure(
        panels=(Heatmap(title, shown.quantity, drawn, rows, columns, low, high, "diverging", mask, absent="none"),),
        headline=_headline(scene, span, shown.labels, shown.values, ended),
        caption_parts=compose_caption(
            *((f"{format_count(len(span), along(scene))} × {across}", cut) if cut else ()), told_query(scene, span)
        ),
        description=f"{title}. {format_count(len(span), 'row')}, {across}, values {describe_range(values)}.",
    )


def _headline(scene: Scene, span: range, labels: Sequence[str], values: Tensor, ended: range) -> tuple[Run, ...]:
    """“At position 2, dim 1 is highest, 1, and dim 0 lowest, 0.909. Positions 8 to 11 have no vector.”"""
    at = place_told(scene, span)
    return (*sentence_at(scene, at, labels, values[at - span.start]), *none_there(ended))


def _middle(offsets: range) -> range:
    """Return at most `WINDOW` offsets around 0, or from 0 on if none are negative."""
    if offsets.start == 0:
        return offsets[:WINDOW]
    return range(max(offsets.start, 1 - WINDOW // 2), min(offsets.stop, WINDOW // 2))


PLOT = Plot(
    "Encoding map",
    "What the encoding gives: a row a position or an offset, a column a dimension, a pair's wave or a head.",
    "What is given to every position?",
    PositionOptions,
    draw,
    "Encoding",
)
