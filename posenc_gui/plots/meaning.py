"""Same words, other meaning: how different the outputs of reordered sentences are, per encoding, per token and pooled."""

from __future__ import annotations

import numpy as np

from posenc_gui.attention.engine import Engine
from posenc_gui.figure.axis import Axis
from posenc_gui.figure.caption_parts import CaptionPart, compose_caption
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panels import Bars, BarSeries, Heatmap
from posenc_gui.figure.runs import Run, number_run, sentence
from posenc_gui.foundation.wording import format_number, quote
from posenc_gui.measures.base import is_rounding
from posenc_gui.measures.meaning import Comparison, Distance, Meaning, MeaningOptions
from posenc_gui.plots.base import Plot, as_values, describe_first_tokens, measured, toy_parts, up_from_zero
from posenc_gui.plots.common.axes import token_axis
from posenc_gui.scene.comparison import every_encoding, in_a_sentence
from posenc_gui.scene.scene import Scene
from posenc_gui.text.tokenization import format_first_tokens

_WORDS, _FIRST = 6, 3  # words of a sentence that is named by all of them, and of a longer one that are its name


def draw(scene: Scene, options: MeaningOptions, engine: Engine) -> Figure:
    """Draw one map per other sentence, with a row per encoding and a column per token of the scene; bars for the means."""
    found: Meaning = measured("meaning", scene, engine, other=options.other)
    titles = tuple(found.comparisons[0].distances)
    own = next(title for title, encoding in every_encoding(scene).items() if encoding == scene.encoding)
    encodings = Axis("encoding", "encoding", 0, titles, titles.index(own))
    tokens = token_axis(scene, "position", "token", range(len(found.tokens)))
    maps = [
        np.stack([as_values(distance.by_token) for distance in one.distances.values()]) for one in found.comparisons
    ]
    high = max(float(values.max()) for values in maps) or 1.0
    heatmaps = (
        Heatmap(f"from {_named(one)}", "distance", values, encodings, tokens, 0.0, high)
        for one, values in zip(found.comparisons, maps, strict=True)
    )
    series = tuple(
        BarSeries(_named(one), np.array([_pooled(distance) for distance in one.distances.values()], dtype=np.float32))
        for one in found.comparisons
    )
    pooled = Bars(
        "distance of the means", "distance", encodings, series, *up_from_zero(*(one.values for one in series))
    )
    return Figure(
        panels=(*heatmaps, pooled),
        headline=_headline(scene, found, own),
        caption_parts=_caption(scene, found),
        description=". ".join(
            f"{title}: "
            + ", ".join(
                f"{format_number(_pooled(one.distances[title]))} from {_named(one)}" for one in found.comparisons
            )
            for title in titles
        ),
    )


def _headline(scene: Scene, found: Meaning, own: str) -> tuple[Run, ...]:
    """“With RoPE, a word's output differs by up to 0.28 of a mean output's length from that in “man bites dog”.”"""
    under, value = (
        "Without an encoding, " if scene.encoding.door == "none" else f"With {in_a_sentence(scene, own)}, ",
        found.value or 0.0,
    )
    nearest = min(found.comparisons, key=lambda one: float(one.distances[own].by_token.max()))
    if is_rounding(value):
        return sentence(under, number_run("no"), f" output tells the sentence from {_named(nearest)}.")
    begun = f"{under}a {scene.unit}'s output differs by up to "
    return sentence(begun, value, f" of a mean output's length from that in {_named(nearest)}.")


def _pooled(distance: Distance) -> float:
    return 0.0 if is_rounding(distance.pooled) else distance.pooled


def _named(one: Comparison) -> str:
    return quote(format_first_tokens(one.tokens, _WORDS if len(one.tokens) <= _WORDS else _FIRST))


def _caption(scene: Scene, found: Meaning) -> tuple[CaptionPart, ...]:
    meanings = (f"{_named(one)}: {one.meaning}" for one in found.comparisons if one.meaning)
    return compose_caption(
        *toy_parts(scene),
        "distances of outputs in the mean length of both sentences' outputs",
        describe_first_tokens(len(found.tokens), scene),
        *(f"here: {found.meaning}".rstrip(".") if found.meaning else "", *(one.rstrip(".") for one in meanings)),
        *(f"missing: {title}, {why}".rstrip(".") for title, why in found.undefined.items()),
    )


PLOT = Plot(
    "Same words",
    "How far each encoding sets sentences of the same words apart.",
    "Which encoding tells who bit whom?",
    MeaningOptions,
    draw,
    "Order lost and found",
    shows="all",
)
