"""How public code holds the numbers of rotations: cosines, sines and angles in three layouts, caches, and turned vectors."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from posenc_gui.encodings.common.conventions import Convention, Seen
from posenc_gui.encodings.common.ladders import folded

if TYPE_CHECKING:
    from posenc_gui.encodings.base import RotationEncoding

Proposals = Callable[[str, Tensor], Sequence["RotationEncoding"]]  # of a pairing and the rates of its pairs

# Of a table's columns: the layout in words, how the columns of pairs become it, and public code.
_SPREAD = {
    "": ("one column a pair", lambda of_pairs: of_pairs, "GPT-NeoX's and Meta's code before they are spread"),
    "half": ("half-split", lambda of_pairs: torch.cat((of_pairs, of_pairs), -1), "transformers' Llama"),
    "interleaved": (
        "interleaved",
        lambda of_pairs: of_pairs.repeat_interleave(2, -1),
        "rotary-embedding-torch; transformers' Cohere",
    ),
}
_CACHES = {
    "cosines, then sines": (lambda cos, sin: torch.cat((cos, sin), -1), "vLLM's cos_sin_cache"),
    "sines, then cosines": (lambda cos, sin: torch.cat((sin, cos), -1), "transformers' GPT-J"),
    "cosine and sine by turns": (lambda cos, sin: torch.stack((cos, sin), -1).flatten(-2), "torchtune's cache"),
}
_COMPLEX = "complex numbers, one a pair", "Meta's freqs_cis"


def tables(seen: Seen, proposals: Proposals, also: str = "") -> Iterator[Convention]:
    """Yield how cosines, sines, angles, frequencies and caches of these encodings are held, in the seen shape."""
    if seen.kind in ("cosines", "sines", "angles") and len(seen.shape) == 2:
        for layout, (words, spread, source) in _SPREAD.items():
            if pairs := _pairs(seen.shape[1], layout):
                rates = folded(seen.rates, pairs, layout)
                for encoding in proposals(layout, rates):
                    yield _table(seen, encoding, words, _of_pairs(seen.kind, pairs, spread), source, not layout, also)
    elif seen.kind == "frequencies" and len(seen.shape) == 1:
        for encoding in proposals("", seen.rates):
            read = _of_pairs("angles", seen.shape[0], lambda angles: angles)
            words = "one for each pair"
            yield _table(seen, encoding, words, lambda one, _m, read=read: read(one, torch.ones(1))[0], "", True, also)
    elif seen.kind == "waves":
        yield from _caches(seen, proposals, also)


def turned(seen: Seen, proposals: Proposals, also: str = "", wider: int = 1) -> Iterator[Convention]:
    """Yield how these encodings turn the vectors before, (n, d_head), into the seen ones, `wider` times as wide."""
    before = seen.before
    if seen.kind != "rotated" or before is None or (len(before), wider * before.shape[-1]) != seen.shape:
        return
    before = before.double()
    for which, layout in enumerate(("half", "interleaved")):
        rates = seen.rates[which] if seen.rates.ndim == 2 else seen.rates
        for encoding in proposals(layout, rates):
            yield Convention(
                "rotated",
                encoding,
                _SPREAD[layout][0],
                lambda one, positions: one.rotate(before, positions),
                free=("base",),
                source="transformers' apply_rotary_pos_emb" if layout == "half" else "rotary-embedding-torch",
                also=also,
            )


def _caches(seen: Seen, proposals: Proposals, also: str) -> Iterator[Convention]:
    if len(seen.shape) == 3 and seen.shape[2] == 2:
        for encoding in proposals("", seen.rates):
            words, source = _COMPLEX
            read = _waves(seen.shape[1], lambda cos, sin: torch.stack((cos, sin), -1))
            yield _table(seen, encoding, words, read, source, True, also)
    elif len(seen.shape) == 2 and (pairs := _pairs(seen.shape[1], "half")):
        for words, (join, source) in _CACHES.items():
            rates = folded(seen.rates, pairs, "interleaved" if "turns" in words else "half")
            for encoding in proposals("", rates):
                yield _table(seen, encoding, words, _waves(pairs, join), source, True, also)


def _table(
    seen: Seen,
    encoding: RotationEncoding,
    words: str,
    numbers: Callable[..., Tensor],
    source: str,
    hides_pairing: bool,
    also: str,
) -> Convention:
    width = 2 * (seen.shape[1] // 2 if len(seen.shape) == 2 else seen.shape[-1])
    hides = hides_pairing and "pairing" in type(encoding).model_fields
    # A vector of a single 1 shows by where the turned one isn't 0 which two dimensions are a pair.
    tell = (
        f"print(rotate(torch.eye({max(width, 4)})[:1], 1))  # your own rotate, of a query at position 1"
        if hides
        else ""
    )
    hidden = ("pairing",) if hides else ()
    return Convention(seen.kind, encoding, words, numbers, ("base",), source, hidden, tell, also)


def _pairs(columns: int, layout: str) -> int:
    """Return how many pairs so many columns hold; 0 if they can't."""
    return columns if not layout else 0 if columns % 2 else columns // 2


def _of_pairs(kind: str, pairs: int, spread: Callable[[Tensor], Tensor]) -> Callable[..., Tensor]:
    """Return a function from an encoding and positions to its angles, cosines or sines, as `spread` lays them out."""

    def numbers(encoding: RotationEncoding, positions: Tensor) -> Tensor:
        angles = encoding.angles(positions, 2 * pairs)
        if kind == "angles":
            return spread(angles)
        return spread(encoding.waves(angles)[kind == "sines"] * encoding.attention_factor)

    return numbers


def _waves(pairs: int, join: Callable[[Tensor, Tensor], Tensor]) -> Callable[..., Tensor]:
    """Return a function from an encoding and positions to its cosines and sines, as `join` lays them out."""

    def numbers(encoding: RotationEncoding, positions: Tensor) -> Tensor:
        cos, sin = encoding.waves(encoding.angles(positions, 2 * pairs))
        return join(cos, sin) * encoding.attention_factor

    return numbers
