"""Verdicts on numbers of known encodings, as the matcher returns them."""

from __future__ import annotations

import torch
from torch import Tensor

from posenc_gui.encodings import encoding
from posenc_gui.encodings.base import Encoding
from posenc_gui.encodings.common.conventions import Kind
from posenc_gui.identify.numbers import Numbers
from posenc_gui.identify.verdict import Candidate, Identified

HALF = encoding("rope", base=500_000.0)
INTERLEAVED = encoding("rope", base=500_000.0, pairing="interleaved")
EXACT = 4e-7  # what float32 can't tell of cosines


def cosines(rope: Encoding, start: int, rows: int = 6, width: int = 16) -> Tensor:
    """The cosines of the first positions as code with this pairing holds them, (rows, width)."""
    angles = rope.angles(torch.arange(start, start + rows, dtype=torch.float64), width)
    twice = angles.repeat_interleave(2, -1) if rope.pairing == "interleaved" else torch.cat((angles, angles), -1)
    return twice.cos()


def candidate(
    one: Encoding, start: int, words: str, numbers: Tensor, pasted: Tensor, convention: str = ""
) -> Candidate:
    """A candidate beside pasted numbers."""
    off = float((numbers - pasted).abs().max())
    return Candidate(one, convention or words, start, words, off, off / EXACT, lambda: numbers, "transformers' Llama")


def identified(pasted: Tensor, kind: Kind, nearest: Candidate, *others: Candidate, is_known: bool = True) -> Identified:
    """A verdict on these numbers."""
    return Identified(
        numbers=Numbers(pasted, "float32"),
        kind=kind,
        axes=("batch", "heads", "positions", "dimensions")[-pasted.ndim :],
        encoding=nearest.encoding if is_known else None,
        convention=nearest.convention,
        start=nearest.start,
        off_by=nearest.off_by,
        nearest=nearest,
        others=others,
        undecided=("M-RoPE has the same numbers for text.",),
        explained="",
        tried=404,
        sentence=f"This is {nearest.words}.",
    )


def of_rope(rows: int = 6, width: int = 16) -> Identified:
    """Half-split cosines from position 1 in float32, beside a larger base, another start and the other pairing."""
    pasted = cosines(HALF, 1, rows, width).float().double()
    larger = HALF.model_copy(update={"base": 1e6})
    others = ((larger, 1, "base 1,000,000"), (HALF, 0, "from position 0"), (INTERLEAVED, 1, "interleaved"))
    beside = (candidate(one, at, words, cosines(one, at, rows, width), pasted) for one, at, words in others)
    nearest = candidate(HALF, 1, "RoPE, half-split", cosines(HALF, 1, rows, width), pasted, "half-split")
    return identified(pasted, "cosines", nearest, *beside)
