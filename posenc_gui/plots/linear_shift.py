"""One linear map per offset: the fitted matrix, and how well such matrices predict."""

from __future__ import annotations

import numpy as np

from posenc_gui.attention.engine import Engine
from posenc_gui.figure.axis import Axis
from posenc_gui.figure.caption_parts import compose_caption
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panels import Heatmap, Lines, Series
from posenc_gui.figure.ranges import symmetric_range
from posenc_gui.figure.runs import Run, number_run, sentence
from posenc_gui.measures.base import is_rounding
from posenc_gui.measures.linear_shift import WIDEST_MAP, LinearShift, LinearShiftOptions, verdict_on
from posenc_gui.plots.base import Plot, as_values, logarithmic_range, measured
from posenc_gui.scene.scene import Scene

_SHOWN = 64  # dimensions of the matrix that are drawn
_LEAST = 1e-12  # the smallest error that is drawn: smaller ones are only rounding


def draw(scene: Scene, options: LinearShiftOptions, engine: Engine) -> Figure:
    """Draw M_k as a map, with dimensions of p_m as rows and of p_(m+k) as columns, and the errors for all offsets."""
    found: LinearShift = measured("linear_shift", scene, engine, offset=options.offset)
    panels: list[Heatmap | Lines] = []
    cut = ""
    if found.matrix is not None:
        matrix = as_values(found.matrix[:_SHOWN, :_SHOWN])
        rows, columns = (Axis("dimension", f"dimension at {of}") for of in ("m", "m + k"))
        title = f"M for k = {options.offset}"
        panels.append(Heatmap(title, "entry", matrix, rows, columns, *symmetric_range(matrix), "diverging"))
        cut = f"the first {_SHOWN} of {len(found.matrix)} dimensions" if len(found.matrix) > _SHOWN else ""
    else:
        cut = f"the map is shown up to {WIDEST_MAP} dimensions"
    curves = (("all", found.residuals), ("sines alone", found.sine_alone), ("cosines alone", found.cosine_alone))
    series = tuple(
        Series(label, as_values(found.offsets), np.maximum(as_values(errors), _LEAST))
        for label, errors in curves
        if errors is not None
    )
    offsets = Axis("offset", "offset k")
    panels.append(
        Lines("error of the prediction", "error", series, offsets, *logarithmic_range(series, 2, 1.0), log=True)
    )
    return Figure(
        panels=tuple(panels),
        headline=_headline(scene, found),
        caption_parts=compose_caption(
            "M takes the vector at m to that at m + k, by least squares",
            "errors at positions that the fit did not see, in standard deviations",
            cut,
        ),
        description=found.reason,
    )


def _headline(scene: Scene, found: LinearShift) -> tuple[Run, ...]:
    """“With RoPE, one matrix per offset predicts the cosines and sines at m + k: no error but rounding.”"""
    value = found.value or 0.0
    told = f"{verdict_on(scene.encoding, value)}: "
    if is_rounding(value):
        return sentence(told, number_run("no"), " error but rounding.")
    worst = f" standard deviations at k = {int(found.offsets[int(found.residuals.argmax())])}."
    return sentence(f"{told}the error is ", value, worst)


PLOT = Plot(
    "One map per offset",
    "Whether one matrix for each offset shifts every position.",
    "Is a step one matrix?",
    LinearShiftOptions,
    draw,
    "Near and far",
)
