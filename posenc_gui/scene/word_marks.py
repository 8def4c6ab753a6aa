"""What stands under each word of a short sentence: a small clock, or a ruler to the word in focus."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import Literal

import torch

from posenc_gui.attention.layer import context_of
from posenc_gui.attention.toy_model import ToyModel
from posenc_gui.foundation.errors import Undefined
from posenc_gui.scene.setup import Setup

_MOST = 12  # words: more take a second row, and marks would take one more


@dataclass(frozen=True)
class WordMarks:
    """A number for each word: the angle of its hand, in radians, counter-clockwise from three o'clock, or what distance from the
    focus adds to a score, as a share of the most in the sentence, from −1 to 1. `length`: that of all hands, up to 1."""

    kind: Literal["clock", "ruler"]
    values: tuple[float, ...]
    length: float = 1.0


def word_marks(setup: Setup, n_tokens: int, focus: int | None) -> WordMarks | None:
    """Return pair 0 at each of the tokens' positions, or the first head's bias for the focus; None for long texts, for patches,
    for a model that has learned (its numbers are read in another process), and where the encoding has neither."""
    if not 0 < n_tokens <= _MOST or focus is None or setup.patches or not isinstance(setup.model, ToyModel):
        return None
    encoding, model, end = setup.at_its_strength(setup.encoding), setup.model, setup.start + n_tokens
    positions, context = torch.arange(setup.start, end, dtype=torch.float64), context_of(end, model)
    with suppress(Undefined):
        if (phases := encoding.phases(positions, model.d_model, context)) is not None:
            length = encoding.strength if encoding.door == "input" else 1.0
            return WordMarks("clock", tuple(phases[:, 0].tolist()), length)
        if encoding.door == "score" and encoding.content_free:
            bias = encoding.bias(positions[focus : focus + 1], positions, model.n_heads, context)[0, 0]  # (n,)
            return WordMarks("ruler", tuple((bias / bias.abs().max().clamp(min=1e-12)).tolist()))
    return None
