"""How public code holds the numbers of rotations: cosines, sines and angles in three layouts, caches, and turned vectors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Literal

import torch
from torch import Tensor

from posenc_gui.encodings.common.conventions import Convention, Kind, Seen
from posenc_gui.encodings.common.ladders import folded

if TYPE_CHECKING:
    from posenc_gui.encodings.base import RotationEncoding

Layout = Literal["", "half", "interleaved"]  # of columns: one a pair, or a pair's two i and i + r/2, or 2i and 2i + 1
Held = Callable[..., Tensor]  # from the angles, cosines and sines of pairs, (n, pairs) each

_PARTS: tuple[Kind, ...] = ("angles", "cosines", "sines")
_TABLES: dict[Layout, tuple[str, Callable[[Tensor], Tensor], str]] = {
    "half": ("half-split", lambda one: torch.cat((one, one), -1), "transformers' Llama"),
    "interleaved": ("interleaved", lambda one: one.repeat_interleave(2, -1), "x-transformers; transformers' Cohere"),
    "": ("one column a pair", lambda one: one, "transformers' gpt-oss"),
}
_CACHES: tuple[tuple[str, Layout, Held, str], ...] = (
    ("cosines, then sines", "half", lambda _, cos, sin: torch.cat((cos, sin), -1), "vLLM's cos_sin_cache"),
    ("sines, then cosines", "half", lambda _, cos, sin: torch.cat((sin, cos), -1), "transformers' GPT-J"),
    ("cosine and sine by turns", "interleaved", lambda _, cos, sin: torch.stack((cos, sin), -1).flatten(-2), ""),
)
_TURNED = {
    "half": "transformers' apply_rotary_pos_emb",
    "interleaved": "rotary-embedding-torch's rotate_queries_or_keys",
}


def conventions(cls: type[RotationEncoding], seen: Seen, also: str = "") -> Iterator[Convention]:
    """Yield how the seen numbers of this class of encodings are held; `also`: see Convention."""
    pairing = "pairing" in cls.model_fields
    if seen.kind == "rotated":
        yield from _turned(cls, seen, also, pairing)
    elif pairing and len(cls.sides) == 1:  # xPos has the angles of RoPE
        for words, layout, held, source, pairs in _ways(seen):
            hidden = ("pairing",) if seen.kind == "waves" or not layout else ()
            # Where a single 1 goes shows which two dimensions are a pair.
            tell = f"print(rotate(torch.eye({max(2 * pairs, 4)})[:1], 1))  # your own function, at position 1"
            numbers = partial(_numbers, held, pairs, seen.kind == "frequencies")
            for encoding in cls.proposed(seen, layout if not hidden else "", folded(seen.rates, pairs, layout)):
                known = Convention(seen.kind, encoding, words, numbers, _free(encoding), source, also=also)
                yield replace(known, hidden=hidden, tell=tell) if hidden else known


def _ways(seen: Seen) -> Iterator[tuple[str, Layout, Held, str, int]]:
    """Yield each way in words, its layout, how pairs are held, public code, and the number of pairs."""
    match seen.kind, seen.shape:
        case "frequencies", (pairs,):
            yield "one for each pair", "", lambda angles, *_: angles[0], "transformers' inv_freq", pairs
        case (("angles" | "cosines" | "sines"), (_, columns)):
            part = _PARTS.index(seen.kind)
            for layout, (words, spread, source) in _TABLES.items():
                if not (layout and columns % 2):
                    held = lambda *parts, spread=spread: spread(parts[part])  # noqa: E731
                    yield words, layout, held, source, columns // 2 if layout else columns
        case "waves", (_, pairs, 2):
            words, source = "complex numbers, one a pair", "Meta's freqs_cis; transformers' DeepSeek-V2"
            yield words, "", lambda _, cos, sin: torch.stack((cos, sin), -1), source, pairs
        case "waves", (_, columns) if columns % 2 == 0:
            yield from ((*way, columns // 2) for way in _CACHES)


def _free(encoding: RotationEncoding) -> tuple[str, ...]:
    return ("base", "scaling.factor") if encoding.extension != 1 else ("base",)


def _numbers(held: Held, pairs: int, at_one: bool, encoding: RotationEncoding, positions: Tensor) -> Tensor:
    angles = encoding.angles(torch.ones(1) if at_one else positions, 2 * pairs)
    return held(angles, *(wave * encoding.attention_factor for wave in encoding.waves(angles)))


def _turned(cls: type[RotationEncoding], seen: Seen, also: str, pairing: bool) -> Iterator[Convention]:
    """Yield how the vectors before were turned, where the class makes vectors of the seen width of them."""
    before = seen.before
    if before is None or before.shape[-1] % 2:
        return
    before = before.double()
    if cls().rotate(before, torch.zeros(1)).shape != seen.shape:
        return
    layouts: tuple[Layout, ...] = ("half", "interleaved") if pairing else ("",)
    for which, layout in enumerate(layouts):
        rates = seen.rates[which] if seen.rates.ndim == 2 else seen.rates
        for encoding in cls.proposed(seen, layout, rates):
            for side in cls.sides:
                words = ", ".join(filter(None, (_TABLES[layout][0] if layout else "", side * (len(cls.sides) > 1))))
                numbers = lambda one, positions, side=side: one.rotate(before, positions, side)  # noqa: E731
                yield Convention(
                    "rotated", encoding, words, numbers, _free(encoding), _TURNED.get(layout, ""), also=also
                )
