"""Waves: the encoding's values over positions or offsets, one curve per dimension, per wave of a pair, or per head."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Literal

import numpy as np
import torch
from pydantic import Field
from torch import Tensor

from posenc_gui.attention.engine import Engine
from posenc_gui.figure.caption_parts import compose_caption
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panels import Lines, Series
from posenc_gui.figure.runs import Run, sentence
from posenc_gui.foundation.errors import Undefined
from posenc_gui.foundation.wording import format_brief
from posenc_gui.plots import rulers
from posenc_gui.plots.base import Plot, as_values, describe_range, describe_selection, padded_range
from posenc_gui.plots.common.axes import along, encoding_axis, encoding_span, sentence_marks, told_range
from posenc_gui.plots.common.curves import (
    CurveOptions,
    curves,
    n_items,
    none_there,
    profile,
    samples,
    some_of,
    spread,
    told_query,
)
from posenc_gui.plots.common.own_picture import own_picture
from posenc_gui.plots.common.speeds import Speeds, phases_of, speeds_of, unturned
from posenc_gui.scene.scene import Scene

_CURVES = 4  # curves drawn by default
_SEEN = 32  # positions shown at first
_PARTS = {"sine": slice(1, None, 2), "cosine": slice(0, None, 2), "both": slice(None)}  # of cosine and sine by turns
_WHOLE_FROM = 64  # tokens: beyond, a strip shows which part of the text is in sight


class WavesOptions(CurveOptions):
    """The positions and the curves that are shown."""

    of_pair: Literal["sine", "cosine", "both"] = Field(
        "sine",
        title="Of a pair",
        description="The sine of its angle, the cosine, or both: of turned pairs, and of waves in vectors unless dimensions are "
        "chosen.",
        json_schema_extra={"names": {"sine": "Sine", "cosine": "Cosine", "both": "Cosine and sine"}},
    )

    def seen(self, scene: Scene, span: range) -> range:
        """Return the part of a range of positions that is shown at first."""
        if self.count is not None:
            return span
        first = self.first or scene.start + (scene.focused or 0) - _SEEN // 2
        start = max(span.start, min(first, span.stop - _SEEN))
        return range(start, min(start + _SEEN, span.stop))


def draw(scene: Scene, options: WavesOptions, engine: Engine) -> Figure:
    """Draw the chosen dimensions of an added vector, cosines and sines of a rotation, or a bias per head over the offset."""
    encoding = scene.encoding
    if encoding.door == "score" and not encoding.content_free and own_picture(scene) == "rulers":
        return rulers.draw(scene, rulers.RulerOptions(), engine)  # what it adds follows from the words
    positions = options.span(scene)
    span, seen = (encoding_span(scene, part) for part in (positions, options.seen(scene, positions)))
    count, waves = n_items(scene), _waves(scene)
    pairs: tuple[int, ...] = ()
    if waves and not options.curves:
        pairs = waves.seen_within(len(seen), 2 if options.of_pair == "both" else _CURVES)
        if encoding.across != "pair" and options.of_pair != "sine":
            pairs = tuple(pair for pair in pairs if pair < count // 2)  # an odd width ends with a sine alone
    some = spread if encoding.across == "head" else some_of  # heads from the steepest to the gentlest
    chosen = options.curves or (_drawn_of(scene, options, pairs) if pairs else some(count, _CURVES))
    x = samples(span, encoding.fractional)
    shown = profile(scene, x, engine, chosen)
    part = _PARTS[options.of_pair if encoding.across == "pair" else "both"]
    values = shown.values[:, part]
    labels = _labels(scene, options, chosen, pairs) or shown.labels
    axis = encoding_axis(scene, span)
    series = curves(scene, axis, span, x, values, labels)
    whole = scene.at_full_strength  # whose axis stays, so that curves are seen to shrink
    at_full = values if whole is scene else profile(whole, x, engine, chosen).values[:, part]
    turning = chosen if encoding.across == "pair" else pairs
    if turning:
        series = _with_turns(scene, series, turning, seen.stop - 1)
    if encoding.across == "pair":
        series = _with_jumps(scene, series, chosen, span)
    ends = float(seen.start), float(seen.stop - 1)
    full = curves(whole, axis, span, x, at_full, labels)
    low, high = padded_range(tuple(one.between(*ends) for one in (*series, *full)))
    in_sight = values[(x >= ends[0]) & (x <= ends[1])]
    ended = options.past_the_end(scene, positions)
    text = scene.positions
    is_part = axis.role == "position" and len(text) > len(seen) and seen.start < text.stop
    panel = Lines(
        "added to scores" if encoding.across == "head" else "",
        shown.quantity,
        series,
        axis,
        low,
        high,
        sentence_marks(scene, axis, span),
        seen=None if seen == span else ends,
        whole=(float(text.start), float(text.stop - 1)) if is_part and len(text) > _WHOLE_FROM else None,
    )
    told = _of_waves(scene, chosen, labels) if waves else told_range(scene, seen, in_sight, labels)
    return Figure(
        panels=(panel,),
        headline=(*told, *none_there(ended)),
        caption_parts=compose_caption(
            _what(scene, options, len(pairs or chosen), len(waves) if waves and pairs else count, bool(pairs)),
            f"{along(scene)}s {seen.start:,} to {seen.stop - 1:,} of {text.stop - text.start:,}" if is_part else "",
            told_query(scene, span),
            unturned(scene) if waves else "",
        ),
        description=f"{encoding.titled}. {axis.title} {seen.start} to {seen.stop - 1}; values "
        f"{describe_range(as_values(in_sight))}.",
    )  # fmt: skip


def _waves(scene: Scene) -> Speeds | None:
    """Return how fast the encoding's waves are, at full strength, at which they are chosen; None if it has none."""
    try:
        return speeds_of(scene.at_full_strength)
    except Undefined:
        return None


def _drawn_of(scene: Scene, options: WavesOptions, pairs: tuple[int, ...]) -> tuple[int, ...]:
    """Return for these pairs what is drawn of each: of waves in a vector the dimension with its sine, of rotations the pair."""
    encoding = scene.at_full_strength.encoding
    if encoding.across == "pair":
        return pairs
    waves = _apart(scene, slice(None), list(pairs)).argmin(1).flip(0)  # (cosine and sine, pairs)
    return tuple(waves.T[:, _PARTS[options.of_pair]].flatten().tolist())


def _pairs_of(scene: Scene, chosen: tuple[int, ...]) -> list[int]:
    """Return for each curve its pair, of which a dimension is the sine or the cosine."""
    return [*chosen] if scene.encoding.across == "pair" else _apart(scene, list(chosen)).amin(0).argmin(1).tolist()


def _apart(scene: Scene, dimensions: list[int] | slice, pairs: list[int] | slice = slice(None)) -> Tensor:
    """Return how far dimensions of the vectors are from the sines and the cosines of pairs: (2, dimensions, pairs)."""
    encoding, at = scene.at_full_strength.encoding, torch.linspace(0.25, 40, 64, dtype=torch.float64)
    vectors = encoding.vectors(at, scene.model.d_model, scene.context)[:, dimensions].T
    phases = encoding.phases(at, scene.model.d_model, scene.context)
    assert phases is not None  # it has waves
    return torch.stack([torch.cdist(vectors, wave(phases[:, pairs].T)) for wave in (torch.sin, torch.cos)])


def _labels(scene: Scene, options: WavesOptions, chosen: tuple[int, ...], pairs: tuple[int, ...]) -> tuple[str, ...]:
    """Return the curves' names by their pairs; empty where dimensions or heads were chosen, or are all that there is."""
    shown = chosen if scene.encoding.across == "pair" else pairs
    if options.of_pair == "both":
        return tuple(f"pair {pair} {wave}" for pair in shown for wave in ("cosine", "sine"))
    return tuple(f"pair {pair}" for pair in shown)


def _what(scene: Scene, options: WavesOptions, shown: int, count: int, are_pairs: bool) -> str:
    """Say what is drawn: “sines of 4 of 8 pairs”, “4 of 16 dimensions”."""
    if not are_pairs and scene.encoding.across != "pair":
        return describe_selection(shown, count, scene.encoding.across)
    waves = "cosines and sines" if options.of_pair == "both" else f"{options.of_pair}s"
    return f"{waves} of {describe_selection(shown, count, 'pair')}"


def _with_turns(scene: Scene, series: tuple[Series, ...], pairs: tuple[int, ...], position: int) -> tuple[Series, ...]:
    """Name each curve's pair, and the turns that it has made at a position, or that it isn't turned."""
    turns = phases_of(scene, torch.tensor([float(position)], dtype=torch.float64))[0].abs() / (2 * math.pi)
    per_pair, speeds = len(series) // len(pairs), speeds_of(scene.at_full_strength).radians
    named = zip(series, (pair for pair in pairs for _ in range(per_pair)), strict=True)
    return tuple(
        replace(one, item=f"pair {pair}", told=f"{format_brief(float(turns[pair]))} turns")
        if speeds[pair]
        else replace(one, item=f"pair {pair}", told="not turned", label=f"{one.label}, not turned")
        for one, pair in named
    )


def _with_jumps(scene: Scene, series: tuple[Series, ...], pairs: tuple[int, ...], span: range) -> tuple[Series, ...]:
    """Break curves where a pair's position jumps between two tokens, as from an image's last patch to the text after it."""
    if scene.places is None:
        return series
    tokens = torch.arange(span.start, span.stop, dtype=torch.float64)
    steps = phases_of(scene, tokens).diff(dim=0)[:, list(pairs)]  # (n − 1, chosen)
    radians = torch.tensor(speeds_of(scene).radians)[list(pairs)]
    jumps = ((steps < -1e-9) | (steps > 1.5 * radians)).T.tolist()
    per_pair, found = len(series) // len(pairs), []
    for at, one in enumerate(series):
        ends = [float(span.start + token) for token, jumped in enumerate(jumps[at // per_pair]) if jumped]
        kept = np.logical_and.reduce([(one.x <= end) | (one.x >= end + 1) for end in ends]) if ends else slice(None)
        found.append(replace(one, x=one.x[kept], y=one.y[kept], breaks=tuple(ends)))
    return tuple(found)


def _of_waves(scene: Scene, chosen: tuple[int, ...], labels: tuple[str, ...]) -> tuple[Run, ...]:
    """“Pair 0 repeats every 6.3 words, pair 3 every 200.”"""
    if not scene.encoding.strength:
        return sentence("At strength 0 nothing turns and nothing is added: all curves lie flat.")
    names = (label.removesuffix(" cosine").removesuffix(" sine") for label in labels[:: len(labels) // len(chosen)])
    return speeds_of(scene).sentence(zip(_pairs_of(scene, chosen), names, strict=True), "repeats")


PLOT = Plot(
    "Waves",
    "What the encoding gives along positions or offsets, one curve a dimension, a pair's wave or a head.",
    "What does each dimension do?",
    WavesOptions,
    draw,
    "Encoding",
)
