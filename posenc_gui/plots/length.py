"""Length: how the scores change as the sentence is moved to larger and larger positions."""

from __future__ import annotations

import numpy as np

from posenc_gui.attention.engine import Engine
from posenc_gui.attention.toy_model import ToyModel
from posenc_gui.figure.axis import Axis
from posenc_gui.figure.caption_parts import compose_caption
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panels import Lines, Series, VerticalMark
from posenc_gui.figure.runs import Run, number_run, sentence
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.foundation.wording import format_count, format_number, format_percent
from posenc_gui.measures.base import is_rounding, under
from posenc_gui.measures.length import STARTS, Length
from posenc_gui.plots.base import Plot, as_values, logarithmic_range, measured, toy_parts
from posenc_gui.scene.scene import Scene

_LEAST = 1e-7  # the smallest change that is drawn: smaller ones are float32 rounding error


def draw(scene: Scene, _options: Frozen, engine: Engine) -> Figure:
    """Draw curves over the sentence's start position, which doubles from point to point, up to the encoding's last position."""
    found: Length = measured("length", scene, engine)
    model = scene.model
    return Figure(
        panels=_panels(found),
        headline=_headline(scene, found),
        caption_parts=compose_caption(
            *toy_parts(scene),
            "first layer" if isinstance(model, ToyModel) else f"layer {model.layer} of {model.layers}",
            "defined far out doesn't mean that it works there: that takes training",
        ),
        description=". ".join(
            f"Start {start:,.0f}: scores changed by {format_number(0 if is_rounding(changed) else changed)}"
            for start, changed in zip(found.starts.tolist(), found.changed.tolist(), strict=True)
        ),
    )


def _panels(found: Length) -> tuple[Lines, Lines]:
    """Return curves over the start: the change of scores and attention relative to start 0, and the largest size of a score."""
    x = np.arange(len(found.starts), dtype=np.float32)
    starts = Axis("step", "start of the sentence", 0, tuple(f"{start:,}" for start in STARTS))
    words = "ends" if found.limit is None else f"ends: {format_count(found.limit, 'position')}"
    ends = () if len(x) == len(STARTS) else (VerticalMark(float(x[-1]), words, "end"),)
    # At start 0 the change is 0, which has no logarithm; but it may be the only start that the encoding allows.
    since = slice(1 if len(x) > 1 else 0, None)
    series = (
        Series("scores", x[since], np.maximum(as_values(found.changed[since]), _LEAST)),
        Series("attention moved", x[since], np.maximum(as_values(found.moved[since]), _LEAST)),
    )
    largest = (Series("", x, np.maximum(as_values(found.largest), _LEAST)),)
    low, high = logarithmic_range(series, 2, 1.0)
    seen = 0.0, float(x[-1])  # on the other's axis
    return (
        Lines("changed since start 0", "share", series, starts, low, high, ends, log=True, seen=seen),
        Lines("largest |score|", "|score|", largest, starts, *logarithmic_range(largest, 2), ends, log=True),
    )


def _headline(scene: Scene, found: Length) -> tuple[Run, ...]:
    """“With RoPE, at start 131,072 the scores differ by 3% of their size from those at 0, and 1% of the attention has moved.”"""
    if len(found.starts) == 1:
        return sentence(f"{under(scene.encoding)} the sentence can't begin further out: no position is left.")
    start = f"{int(found.starts[-1]):,}"
    if is_rounding(float(found.changed.max())):
        return sentence(f"{under(scene.encoding)} no score changes, even at start ", number_run(start), ".")
    changed, moved = (number_run(format_percent(float(shares[-1]))) for shares in (found.changed, found.moved))
    begun = f"{under(scene.encoding)} at start {start} the scores differ by "
    return sentence(begun, changed, " of their size from those at 0, and ", moved, " of the attention has moved.")


PLOT = Plot(
    "Length",
    "What happens to the scores far out, and where the encoding ends.",
    "What happens far out?",
    Frozen,
    draw,
    "Near and far",
)
