"""Waves: the encoding's values over positions or offsets, one curve per dimension, per wave of a pair, or per head."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Literal

import torch
from pydantic import Field

from posenc_gui.attention.engine import Engine
from posenc_gui.figure.caption_parts import compose_caption
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panels import Lines
from posenc_gui.figure.runs import Run, sentence
from posenc_gui.foundation.wording import format_brief, format_number
from posenc_gui.plots import rulers
from posenc_gui.plots.base import Plot, as_values, describe_range, describe_selection, padded_range
from posenc_gui.plots.common.axes import along, encoding_axis, encoding_span, place_told, sentence_at, sentence_marks
from posenc_gui.plots.common.curves import (
    CurveOptions,
    curves,
    n_items,
    none_there,
    profile,
    samples,
    some_of,
    told_query,
)
from posenc_gui.plots.common.own_picture import own_picture
from posenc_gui.scene.scene import Scene

_CURVES = 4  # curves drawn by default
_SEEN = 32  # positions shown at first

_WHAT = {"dimension": "one curve a dimension", "head": "added to each head's scores"}
_OF_PAIR = {"cosine": "cosine of each pair's angle", "both": "cosine and sine of each pair's angle"}


class WavesOptions(CurveOptions):
    """The positions and the curves that are shown."""

    count: int | None = Field(
        None,
        ge=1,
        le=131_072,
        title="Positions",
        description="How many positions are shown; automatic is 32 around the query in focus, as far as there are any, and "
        "zooming out shows more of a longer text.",
    )
    of_pair: Literal["cosine", "both"] = Field(
        "cosine",
        title="Of a pair",
        description="Of a pair that is rotated: the cosine of its angle, or its cosine and its sine.",
        json_schema_extra={"names": {"cosine": "Cosine", "both": "Cosine and sine"}},
    )

    def seen(self, scene: Scene, span: range) -> range:
        """Return the part of a range of positions that is shown at first."""
        if self.count is not None:
            return span
        first = self.first or scene.start + (scene.focused or 0) - _SEEN // 2
        start = max(span.start, min(first, span.stop - _SEEN))
        return range(start, min(start + _SEEN, span.stop))

    def span(self, scene: Scene) -> range:
        """Return the range of positions for which curves are computed; of a long text, those around the focus."""
        span = super().span(scene)
        focus = scene.start + (scene.focused or 0)
        if self.count is not None or self.first or focus in span or self.past_the_end(scene, span):
            return span
        past = max(0, min(focus + len(span) // 2, scene.positions.stop) - span.stop)
        return range(span.start + past, span.stop + past)


def draw(scene: Scene, options: WavesOptions, engine: Engine) -> Figure:
    """Draw the chosen dimensions of an added vector, cosines and sines of a rotation, or a bias per head over the offset."""
    encoding = scene.encoding
    if encoding.door == "score" and not encoding.content_free and own_picture(scene) == "rulers":
        return rulers.draw(scene, rulers.RulerOptions(), engine)  # what it adds follows from the words
    positions = options.span(scene)
    span, seen = (encoding_span(scene, part) for part in (positions, options.seen(scene, positions)))
    count = n_items(scene)
    chosen = options.curves or _some(scene, options, count)
    x = samples(span, encoding.fractional)
    shown = profile(scene, x, engine, chosen)
    each = shown.each if options.of_pair == "cosine" else 1
    values, labels = shown.values[:, ::each], shown.labels[::each]
    axis = encoding_axis(scene, span)
    series = curves(scene, axis, span, x, values, labels)
    whole = scene.at_full_strength  # whose axis stays, so that curves are seen to shrink
    at_full = (
        ()
        if whole is scene
        else curves(whole, axis, span, x, profile(whole, x, engine, chosen).values[:, ::each], labels)
    )
    turns = _turns(scene, chosen, seen.stop - 1) if encoding.across == "pair" else []
    if turns:
        per_item = len(labels) // len(chosen)
        series = tuple(
            replace(one, item=f"pair {chosen[at // per_item]}", told=f"{format_brief(turns[at // per_item])} turns")
            for at, one in enumerate(series)
        )
    ends = float(seen.start), float(seen.stop - 1)
    low, high = padded_range(tuple(one.between(*ends) for one in (*series, *at_full)))
    in_sight = values[(x >= ends[0]) & (x <= ends[1])]
    at, ended = place_told(scene, seen), options.past_the_end(scene, positions)
    title = _OF_PAIR[options.of_pair] if encoding.across == "pair" else _WHAT[encoding.across]
    among = "" if len(labels) in (1, each * count) else f"of {len(labels)} curves"
    panel = Lines(title, shown.quantity, series, axis, low, high, sentence_marks(scene, axis, span))
    return Figure(
        panels=(replace(panel, seen=None if seen == span else ends),),
        headline=_of_turns(scene, chosen, turns, seen)
        if turns
        else (*sentence_at(scene, at, labels, values[(x - at).abs().argmin()], among), *none_there(ended)),
        caption_parts=compose_caption(
            f"{'cosine of ' if each > 1 else ''}{describe_selection(len(chosen), count, encoding.across)}",
            told_query(scene, span),
        ),
        description=f"{encoding.called}: {title}. {axis.title} {seen.start} to {seen.stop - 1}; values "
        f"{describe_range(as_values(in_sight))}.",
    )


def _turns(scene: Scene, pairs: tuple[int, ...], position: int) -> list[float]:
    """The turns that each pair has made at a position; none where positions have several axes, or pairs no angles."""
    phases = scene.encoding.phases(scene.at(samples(range(position, position + 1), smooth=False)), scene.model.d_model,
                                   scene.context)  # fmt: skip
    return [] if phases is None else [abs(float(phases[0, pair])) / (2 * math.pi) for pair in pairs]


def _of_turns(scene: Scene, pairs: tuple[int, ...], turns: list[float], span: range) -> tuple[Run, ...]:
    """“By position 31, pair 1 has turned 1.56 times, pair 2 0.49.”"""
    shown = dict.fromkeys((min(1, len(pairs) - 1), len(pairs) - 1))
    (pair, turned), *last = ((pairs[at], turns[at]) for at in shown)
    more = (f", pair {last[0][0]} ", last[0][1]) if last else ()
    return sentence(
        f"By {along(scene)} {format_number(span.stop - 1)}, pair {pair} has turned ", turned, " times", *more, "."
    )


def _some(scene: Scene, options: WavesOptions, count: int) -> tuple[int, ...]:
    """Return the dimensions, pairs or heads shown by default: of waves in a vector, every second dimension counts."""
    encoding = scene.encoding
    if encoding.across == "pair" and options.of_pair == "both":
        return some_of(count, _CURVES // 2)
    if encoding.across == "dimension" and count > _CURVES and _is_of_waves(scene):
        return tuple(2 * pair for pair in some_of(count // 2, _CURVES))
    return some_of(count, _CURVES)


def _is_of_waves(scene: Scene) -> bool:
    first = scene.at(torch.full((1,), scene.start, dtype=torch.float64))
    return scene.encoding.phases(first, scene.model.d_model, scene.context) is not None


PLOT = Plot(
    "Waves",
    "What the encoding gives along positions or offsets, one curve a dimension, a pair's wave or a head.",
    "What does each dimension do?",
    WavesOptions,
    draw,
    "Encoding",
)
