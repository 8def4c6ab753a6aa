"""Length: what happens to the scores as the sentence stands further and further out."""

from __future__ import annotations

import numpy as np

from posenc_gui.attention.engine import Engine
from posenc_gui.figure.figure import Axis, Figure, Lines, Run, Series, VerticalMark, number
from posenc_gui.figure.headline import figures, sentence
from posenc_gui.figure.view import View
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.measures.base import percent, under
from posenc_gui.measures.length import STARTS, Length
from posenc_gui.plots.base import Plot, as_values, measured, toy_words
from posenc_gui.scene.scene import Scene

_LEAST = 1e-7  # a size that is still drawn: smaller changes are float32's rounding


def draw(scene: Scene, _options: Frozen, _view: View, engine: Engine) -> Figure:
    """Starts are doubled from point to point. Curves end where the encoding does."""
    found: Length = measured("length", scene, engine)
    x = np.arange(len(found.starts), dtype=np.float32)
    starts = Axis("step", "start of the sentence", 0, tuple(f"{start:,}" for start in STARTS))
    words = "ends" if found.limit is None else f"ends: {found.limit:,} positions"
    ends = () if len(x) == len(STARTS) else (VerticalMark(float(x[-1]), words, "end"),)
    # At start 0 nothing has changed, which has no logarithm; where the encoding ends at once it is all there is.
    since = slice(1 if len(x) > 1 else 0, None)
    series = (
        Series("scores", x[since], np.maximum(as_values(found.changed[since]), _LEAST)),
        Series("attention moved", x[since], np.maximum(as_values(found.moved[since]), _LEAST)),
    )
    largest = np.maximum(as_values(found.largest), _LEAST)
    low, high = min(float(one.y.min()) for one in series), max(float(one.y.max()) for one in series)
    panels = (
        Lines("changed since start 0", "share", series, starts, low / 2, max(high, 1.0) * 2, ends, log=True),
        Lines(
            "largest score",
            "score",
            (Series("", x, largest),),
            starts,
            float(largest.min()) / 2,
            float(largest.max()) * 2,
            ends,
            log=True,
        ),
    )
    return Figure(
        name="length",
        title="Length",
        panels=panels,
        headline=_headline(scene, found),
        caption=f"{toy_words(scene)}, first layer · to be defined far out doesn't mean to work there: a model must have "
        "been trained for it",
        description=". ".join(
            f"Start {start:,.0f}: scores changed by {number(changed)}"
            for start, changed in zip(found.starts.tolist(), found.changed.tolist(), strict=True)
        ),
    )


def _headline(scene: Scene, found: Length) -> tuple[Run, ...]:
    """“With RoPE, at start 131,072 the scores differ by 3% of their size from those at 0, and 1% of attention has moved.”"""
    if len(found.starts) == 1:
        return sentence(f"{under(scene.encoding)} the sentence can't begin further out: no position is left.")
    changed, moved = (figures(percent(float(shares[-1]))) for shares in (found.changed, found.moved))
    begun = f"{under(scene.encoding)} at start {int(found.starts[-1]):,} the scores differ by "
    return sentence(begun, changed, " of their size from those at 0, and ", moved, " of the attention has moved.")


PLOT = Plot(
    "Length",
    "What happens to the scores far out, and where the encoding ends.",
    "What happens far out?",
    Frozen,
    draw,
    "Near and far",
)
