"""Encoding map: what the encoding gives, position or offset by dimension, pair or head."""

from __future__ import annotations

from posenc_gui.attention.engine import Engine
from posenc_gui.figure import Axis, Figure, Heatmap, number, symmetric_range
from posenc_gui.headline import sentence
from posenc_gui.plots.base import (
    WINDOW,
    Plot,
    PositionOptions,
    along,
    as_values,
    encoding_axis,
    encoding_span,
    fully_labelled,
    profile,
    samples,
    words_for_range,
)
from posenc_gui.scene import Scene
from posenc_gui.view import View


def draw(scene: Scene, options: PositionOptions, _view: View, engine: Engine) -> Figure:
    """One row a position or an offset, one column a dimension, a pair's cosine or sine, or a head."""
    encoding = scene.encoding
    wanted = encoding_span(scene, options.span(scene))
    span = wanted[:WINDOW] if encoding.along == "position" else _middle(wanted)
    shown = profile(scene, samples(span, smooth=False), engine)
    values = as_values(shown.values)
    low, high = symmetric_range(values)
    rows = fully_labelled(encoding_axis(scene, span), span)
    columns = Axis(encoding.across, encoding.across, labels=shown.labels if shown.each > 1 else ())
    title = f"{encoding.called}: {along(scene)} × {encoding.across}"
    cut = f" · {len(span)} of {len(wanted)} {along(scene)}s" if len(span) < len(wanted) else ""
    return Figure(
        name="encoding",
        title="Encoding map",
        panels=(Heatmap(title, shown.quantity, values, rows, columns, low, high, "diverging"),),
        headline=sentence(
            f"From {along(scene)} {number(span.start)} to {number(span.stop - 1)} the numbers go from ",
            float(values.min()),
            " to ",
            float(values.max()),
            ".",
        ),
        caption=f"{len(span)} {along(scene)}s × {values.shape[1]} columns{cut}" if cut else "",
        description=f"{title}. {len(span)} rows, {values.shape[1]} columns, values {words_for_range(values)}.",
    )


def _middle(offsets: range) -> range:
    """At most `WINDOW` offsets around 0, or from 0 on where there are no negative ones."""
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
