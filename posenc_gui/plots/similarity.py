"""Similarity: how similar the encodings of any two positions are, and of each position to the one in focus."""

from __future__ import annotations

from typing import Literal

import torch
from pydantic import Field
from torch import Tensor

from posenc_gui.attention.engine import Engine
from posenc_gui.encodings.base import Encoding, RotationEncoding
from posenc_gui.figure.axis import Axis
from posenc_gui.figure.caption_parts import compose_caption
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panels import Heatmap, Lines
from posenc_gui.figure.ranges import symmetric_range
from posenc_gui.figure.runs import Run, number_run, quote_runs, sentence
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.foundation.errors import Undefined
from posenc_gui.foundation.wording import format_percent
from posenc_gui.measures.base import under
from posenc_gui.measures.similarity import Similarity, explained_by_offset, is_constant
from posenc_gui.plots.base import Plot, as_values, measured, padded_range
from posenc_gui.plots.common.axes import fully_labelled, position_axis
from posenc_gui.plots.common.curves import curves, told_query
from posenc_gui.plots.common.heads import head_alone, in_head, of_head, require_head
from posenc_gui.scene.remedies import SINUSOIDAL
from posenc_gui.scene.scene import Scene


class SimilarityOptions(Frozen):
    """The quantity compared, and the head."""

    show: Literal["dot product", "cosine", "projected"] = Field(
        "dot product",
        title="Show",
        description="Dot products of signatures, their cosines, or, at the input door, the dot products after projection: "
        "(W_q p_m) · (W_k p_n).",
    )
    head: int = Field(
        0,
        ge=0,
        le=127,
        title="Head",
        description="The head whose projections are shown.",
        json_schema_extra={"below": "n_heads"},
    )


def draw(scene: Scene, options: SimilarityOptions, engine: Engine) -> Figure:
    """Draw the map of all pairs of positions, and the row of the position in focus as a curve."""
    require_head(scene, options.head)
    found: Similarity = measured("similarity", scene, engine, head=head_alone(scene, options.head))
    values = as_values(_chosen(scene, found, options))
    span = range(int(found.coordinates[0]), int(found.coordinates[-1]) + 1)
    by_position = scene.encoding.along == "position"
    rows, columns, along = (
        (
            fully_labelled(position_axis(scene, "query", "position m", span), span),
            fully_labelled(position_axis(scene, "key", "position n", span), span),
            position_axis(scene, "position", "position n", span),
        )
        if by_position
        else (Axis("offset", title, span.start) for title in ("one offset", "other offset", "other offset"))
    )
    low, high = symmetric_range(values)
    focus = min(max(scene.focused or 0, span.start), span.stop - 1) if by_position else 0
    series = curves(scene, along, span, found.coordinates, torch.from_numpy(values[focus - span.start])[:, None], ("",))
    kind = f"{options.show}{f', head {options.head}' if options.show == 'projected' else ''}"
    headline = _headline(scene, found, options)
    return Figure(
        panels=(
            Heatmap(kind, kind, values, rows, columns, low, high, "diverging"),
            Lines(f"of {scene.encoding.along} {focus} with all", kind, series, along, *padded_range(series)),
        ),
        headline=headline,
        caption_parts=compose_caption(_compared(scene.encoding), told_query(scene, span)),
        description=found.reason if options.show == "dot product" else quote_runs(headline),
    )


def _headline(scene: Scene, found: Similarity, options: SimilarityOptions) -> tuple[Run, ...]:
    """“With RoPE, how far apart two positions are explains 100% of the variance of the dot products.”"""
    chosen = _chosen(scene, found, options)
    if is_constant(chosen):
        alike = (
            f"all {scene.encoding.along}s have the same signature"
            if is_constant(found.dots)
            else f"any two {scene.encoding.along}s have the same {options.show}"
        )
        return sentence(f"{under(scene.encoding)} {alike}.")
    share = number_run(format_percent(explained_by_offset(chosen)))
    told = (
        f"{under(scene.encoding)} how far apart two {scene.encoding.along}s are explains ",
        share,
        " of the variance of the ",
    )
    if options.show == "projected":
        where = in_head(scene, options.head).lower().rstrip(", ")
        return sentence(*told, f"projected dot products{f' {where}' if where else ''}.")
    if options.show == "cosine" or found.projected_value is None:
        return sentence(*told, f"{options.show}s.")
    projected = number_run(format_percent(found.projected_value))
    mean = ", on average over heads." if scene.model.n_heads > 1 else "."
    return sentence(*told, "dot products, and ", projected, f" after the projections{mean}")


def _chosen(scene: Scene, found: Similarity, options: SimilarityOptions) -> Tensor:
    if options.show != "projected":
        return found.dots if options.show == "dot product" else found.cosines
    if found.projected is None:
        raise Undefined(f"{scene.encoding.titled} adds nothing to the inputs: no projection acts on it.", SINUSOIDAL)
    return of_head(found.projected, options.head)


def _compared(encoding: Encoding) -> str:
    if isinstance(encoding, RotationEncoding):
        return f"compares {encoding.signature} at a position"
    return _SIGNATURES[encoding.door]


_SIGNATURES = {
    "none": "",
    "input": "compares the vectors added to words",
    "score": "compares what is added to the score at an offset, a number a head; for seeded tokens where they matter",
}


PLOT = Plot(
    "Similarity",
    "How alike the signatures of any two positions are.",
    "How alike are two positions?",
    SimilarityOptions,
    draw,
    "Near and far",
)
