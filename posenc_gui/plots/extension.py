"""Context extension: the effect of a RoPE scaling on each pair's frequency, on the angles reached, and on distant scores."""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

import numpy as np
import torch
from pydantic import Field
from torch import Tensor

from posenc_gui.attention.engine import Engine
from posenc_gui.attention.layer import context_of
from posenc_gui.attention.trained_model import TrainedModel
from posenc_gui.encodings.base import RotationEncoding
from posenc_gui.figure.axis import Axis
from posenc_gui.figure.caption_parts import compose_caption
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panels import Lines, Series, VerticalMark
from posenc_gui.figure.ranges import Values
from posenc_gui.figure.runs import Run, sentence
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.foundation.errors import Remedy, Undefined
from posenc_gui.foundation.wording import format_count, format_number, quote
from posenc_gui.plots.base import Plot, as_values, logarithmic_range, padded_range
from posenc_gui.plots.common.axes import OFFSET
from posenc_gui.scene.scene import Scene

_SCALED = Remedy("Choose RoPE with YaRN", {"encoding": {"name": "rope", "scaling": {"rope_type": "yarn"}}})
_TURN = 2 * math.pi
_STRETCHES = 256  # stretches of offsets; scores are averaged over each
_ALIKE = 1e-6  # relative difference up to which numbers count as equal
_LONGEST = 20_000_000  # positions


class ExtensionOptions(Frozen):
    """The length of the text, the scaling to compare with, and the panels to show."""

    length: int | None = Field(
        None,
        ge=2,
        le=_LONGEST,
        title="Text",
        description="How long the text is; automatic is the trained length times the scaling's factor.",
        json_schema_extra={"unit": "positions"},
    )
    against: Literal["before", "every"] = Field(
        "before",
        title="Against",
        description="RoPE as it was trained, or every scaling, each set for the same extension.",
        json_schema_extra={"names": {"before": "before the scaling", "every": "every scaling"}},
    )
    show: Literal["all", "slow-down", "slow-down and angle"] = Field(
        "all",
        title="Show",
        description="Each pair's slow-down, with the angle that it reaches, or these with its wavelength and the scores.",
    )


class _Lengths(NamedTuple):
    """How long texts were in training, before the scaling, and how long the text is; whether the first is assumed."""

    trained: int
    text: int
    assumed: bool

    @property
    def mark(self) -> str:
        """What labels add to the trained length."""
        return "?" if self.assumed else ""


def draw(scene: Scene, options: ExtensionOptions, _engine: Engine) -> Figure:
    """Draw each pair's wavelength, slow-down and angle at the text's end, and scores over the offset."""
    encoding, model = _scaled(scene), scene.model
    encoding.check_shape(model.d_model, model.n_heads, model.head_width)
    lengths = _lengths(scene, encoding, options.length)
    trained = _scaled(scene.at_full_strength).unextended
    before, plain, after = (_frequencies(one, scene, lengths.text) for one in (trained, encoding.unextended, encoding))
    others = {encoding.extended_by: encoding}
    if options.against == "every":
        others = encoding.extensions(encoding.extension, lengths.trained)
    found = {name: _frequencies(one, scene, lengths.text) for name, one in others.items()}
    squares = {name: one.attention_factor**2 for name, one in others.items()}
    turned = encoding.rotated(model.head_width) / model.head_width
    slowing, angles = _slowing(before, found), _angles(before, plain, after, lengths)
    panels: tuple[Lines, ...] = (slowing,) if options.show == "slow-down" else (slowing, angles)
    if options.show == "all":
        scores = _scores(before, found, squares, turned, lengths)
        panels = (_wavelengths(before, found, lengths), slowing, angles, scores)
    shares = _shares(before, after, encoding.extension)
    return Figure(
        panels=panels,
        across=2 if options.show == "all" else None,
        headline=_headline(before, plain, after, lengths, encoding),
        caption_parts=compose_caption(
            f"{encoding.extended_by}, trained on {format_count(lengths.trained, 'position')}"
            f"{' before the scaling (assumed)' if lengths.assumed else ''}, over {lengths.text:,}",
            shares,
            f"{'scores' if turned == 1 else 'what turned dimensions bring to scores'} times "
            f"{encoding.attention_factor**2:.4g}{_averaged(lengths.text)}",
        ),
        description=f"{encoding.extended_by}: {shares}.",
    )


def _scaled(scene: Scene) -> RotationEncoding:
    """Return the scene's encoding if it has a scaling. Raises Undefined if it has none."""
    encoding, model = scene.encoding, scene.model
    if isinstance(encoding, RotationEncoding) and encoding.unextended is not encoding:
        return encoding
    if isinstance(encoding, RotationEncoding) and len(encoding.extensions(2.0, 2)) > 1:
        raise Undefined(
            f"{quote(encoding.titled)} is not scaled: choose one of its scalings to see how it reaches further.",
            _SCALED,
        )
    if isinstance(model, TrainedModel):
        raise Undefined(f"{encoding.titled} of {model.name} has no scaling that reaches further.")
    raise Undefined(
        f"{quote(encoding.titled)} has no scaling: choose RoPE and one of its scalings to see how it reaches further.",
        _SCALED,
    )


def _lengths(scene: Scene, encoding: RotationEncoding, text: int | None) -> _Lengths:
    """Return the lengths of training and of the text, which is by default the scaling's factor longer."""
    said = scene.setup.trained_length or encoding.trained_length
    trained = encoding.length_before(said or max(scene.n_tokens, 2))
    assumed = said is None or encoding.trained_length_may_be_after
    return _Lengths(trained, text or max(2, min(round(trained * encoding.extension), _LONGEST)), assumed)


def _averaged(length: int) -> str:
    """Return a caption text that says over how many offsets each score is averaged."""
    return f", means over {format_number(length / _STRETCHES)} offsets" if length > _STRETCHES else ""


def _shares(before: Tensor, after: Tensor, factor: float) -> str:
    """Count the pairs that rotate as before, somewhat slower, slower by the factor or more, or not at all."""
    kept, still = after >= before * (1 - _ALIKE), after == 0
    divided = ~kept & ~still & (after <= before / factor * (1 + _ALIKE))
    counts = {
        "kept": int(kept.sum()),
        "between": int((~kept & ~still & ~divided).sum()),
        f"turned {factor:g} times slower or more": int(divided.sum()),
        "not turned at all": int(still.sum()),
    }
    told = ", ".join(f"{count} {what}" for what, count in counts.items() if count)
    return f"of {format_count(len(before), 'pair')} {told}"


def _frequencies(encoding: RotationEncoding, scene: Scene, length: int) -> Tensor:
    """Return the frequency of each rotated pair in a text of this length: (pairs,), radians per position."""
    d_head = scene.model.head_width
    at = torch.arange(2, dtype=torch.float64)
    angles = encoding.angles(at, d_head, context_of(length, scene.model))
    return (angles[1] - angles[0])[: encoding.rotated(d_head) // 2]


def _wavelengths(before: Tensor, found: dict[str, Tensor], lengths: _Lengths) -> Lines:
    series = [_by_pair("before", _TURN / before, was=len(found) == 1)]
    series += [_by_pair(name, _TURN / frequencies) for name, frequencies in found.items()]
    return _by_pairs(
        "wavelength of each pair",
        "wavelength in positions",
        (*series, _level(f"trained{lengths.mark}", lengths.trained, before), _level("text", lengths.text, before)),
    )


def _slowing(before: Tensor, found: dict[str, Tensor]) -> Lines:
    series = (_by_pair(name, before / frequencies) for name, frequencies in found.items())
    return _by_pairs("slow-down of each pair", "times slower", (*series, _level("before", 1, before)))


def _angles(before: Tensor, plain: Tensor, after: Tensor, lengths: _Lengths) -> Lines:
    series = (
        _by_pair(f"in training{lengths.mark}", before * lengths.trained, was=True),
        _by_pair("not scaled", plain * lengths.text),
        _by_pair("scaled", after * lengths.text),
        _level("one turn", _TURN, before),
    )
    return _by_pairs("angle at the end of the text", "angle in rad", series)


def _scores(
    before: Tensor, found: dict[str, Tensor], squares: dict[str, float], turned: float, lengths: _Lengths
) -> Lines:
    """Return the score with an equal key, the mean over pairs of cos(offset · θ), or over stretches; unturned ones are
    constant."""
    wide = lengths.text / _STRETCHES if lengths.text > _STRETCHES else 0.0
    each = torch.arange(min(lengths.text, _STRETCHES), dtype=torch.float64)
    offsets = (each + 0.5) * wide if wide else each
    x = as_values(offsets)

    def scores(frequencies: Tensor, square: float) -> Values:
        return as_values(turned * square * _mean_cosines(frequencies, offsets, wide) + (1 - turned))

    series = [Series("before", x, scores(before, 1), before=len(found) == 1)]
    series += [Series(name, x, scores(frequencies, squares[name])) for name, frequencies in found.items()]
    mark = VerticalMark(lengths.trained, f"trained{lengths.mark}", "end")
    return Lines(
        "score with an equal key",
        "score / |q|²",
        tuple(series),
        Axis("offset", OFFSET),
        *padded_range(tuple(series)),
        (mark,) if lengths.trained < lengths.text else (),
    )


def _mean_cosines(frequencies: Tensor, offsets: Tensor, wide: float) -> Tensor:
    """Return the exact mean of cos(x θ) over pairs and over a stretch of x around each offset, so fast pairs don't alias."""
    waves = (offsets[:, None] * frequencies).cos() * torch.sinc(wide * frequencies / _TURN)  # (n, pairs)
    return waves.mean(-1)


def _by_pair(label: str, values: Tensor, *, was: bool = False) -> Series:
    """Return a curve of one number per pair, without the pairs that have none."""
    pairs = (values.isfinite() & (values > 0)).nonzero().flatten()
    if not len(pairs):
        raise Undefined("No pair turns: there is nothing to extend.")
    return Series(label, as_values(pairs), as_values(values[pairs]), before=was)


def _level(label: str, height: float, before: Tensor) -> Series:
    ends = np.array([0, max(len(before) - 1, 1)], dtype=np.float32)
    return Series(label, ends, np.full(2, height, dtype=np.float32), level=True)


def _by_pairs(title: str, quantity: str, series: tuple[Series, ...]) -> Lines:
    return Lines(title, quantity, series, Axis("pair", "pair"), *logarithmic_range(series, 1.5), log=True)


def _unseen(frequencies: Tensor, before: Tensor, trained: int, length: int) -> int:
    """Count the pairs that reach angles unseen in training: they made no full turn there, and the text takes them further."""
    seen, reached = before * trained, frequencies * length
    return int(((seen < _TURN) & (reached > seen * (1 + _ALIKE))).sum())


def _headline(
    before: Tensor, plain: Tensor, after: Tensor, lengths: _Lengths, encoding: RotationEncoding
) -> tuple[Run, ...]:
    """“Over 65,536 positions 29 of 64 pairs would reach angles that training never showed; with YaRN it is 0.” Training is at
    full strength: what a lower one slows down is what a model learned whole."""
    unscaled, scaled = (_unseen(one, before, lengths.trained, lengths.text) for one in (plain, after))
    begun, training = f"Over {format_count(lengths.text, 'position')} ", "training"
    if lengths.assumed:
        trained = format_count(lengths.trained, "position")
        begun = f"If training had {trained} before the scaling, o{begun[1:]}"
    if encoding.strength != 1:
        begun = f"At strength {format_number(encoding.strength)}, {begun[:1].lower()}{begun[1:].rstrip()}, "
        training = "training at full strength"
    return sentence(
        begun,
        unscaled,
        f" of {format_count(len(before), 'pair')} would reach angles that {training} never showed; with "
        f"{encoding.extended_by} it is ",
        scaled,
        ".",
    )


PLOT = Plot(
    "Context extension",
    "What a scaling does to each pair's wavelength, to the angles at a text's end, and to scores far apart.",
    "How does a longer text fit in?",
    ExtensionOptions,
    draw,
    "Near and far",
)
