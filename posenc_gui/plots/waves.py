"""Waves: the encoding's values over positions or offsets, one curve per dimension, per wave of a pair, or per head."""

from __future__ import annotations

from posenc_gui.attention.engine import Engine
from posenc_gui.figure.caption_parts import compose_caption
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panels import Lines
from posenc_gui.figure.runs import sentence
from posenc_gui.figure.view import View
from posenc_gui.foundation.wording import format_number
from posenc_gui.plots.base import (
    CurveOptions,
    Plot,
    along,
    as_values,
    curves,
    describe_range,
    describe_selection,
    encoding_axis,
    encoding_span,
    n_items,
    padded_range,
    profile,
    samples,
    sentence_marks,
    some_of,
)
from posenc_gui.scene.scene import Scene

_CURVES = 6  # curves drawn by default

_WHAT = {
    "dimension": "one curve a dimension",
    "pair": "cosine and sine of each pair's angle",
    "head": "added to each head's scores",
}


def draw(scene: Scene, options: CurveOptions, _view: View, engine: Engine) -> Figure:
    """Draw the chosen dimensions of an added vector, cosines and sines of a rotation, or a bias per head over the offset."""
    encoding = scene.encoding
    span = encoding_span(scene, options.span(scene))
    per_item = 2 if encoding.across == "pair" else 1
    count = n_items(scene)
    chosen = options.curves or some_of(count, _CURVES // per_item)
    x = samples(span, encoding.fractional)
    shown = profile(scene, x, engine, chosen)
    axis = encoding_axis(scene, span)
    series = curves(scene, axis, span, x, shown.values, shown.labels)
    low, high = padded_range(series)
    title = _WHAT[encoding.across]
    return Figure(
        name="waves",
        title="Waves",
        panels=(Lines(title, shown.quantity, series, axis, low, high, sentence_marks(scene, axis, span)),),
        headline=sentence(
            f"From {along(scene)} {format_number(span.start)} to {format_number(span.stop - 1)} the "
            f"{'curve lies' if len(shown.labels) == 1 else f'{len(shown.labels)} curves lie'} between ",
            float(shown.values.min()),
            " and ",
            float(shown.values.max()),
            ".",
        ),
        caption_parts=compose_caption(describe_selection(len(chosen), count, encoding.across)),
        description=f"{encoding.called}: {title}. {axis.title} {span.start} to {span.stop - 1}; values "
        f"{describe_range(as_values(shown.values))}.",
    )


PLOT = Plot(
    "Waves",
    "What the encoding gives along positions or offsets, one curve a dimension, a pair's wave or a head.",
    "What does each dimension do?",
    CurveOptions,
    draw,
    "Encoding",
)
