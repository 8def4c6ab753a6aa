"""How public code holds the numbers of rotations: cosines, sines and angles in three layouts, caches, and turned vectors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from typing import TYPE_CHECKING, Any, Literal

import torch
from torch import Tensor

from posenc_gui.encodings.common.conventions import Convention, Seen
from posenc_gui.encodings.common.rotary import folded

if TYPE_CHECKING:
    from posenc_gui.encodings.base import RotationEncoding

Layout = Literal["", "half", "interleaved"]  # of columns: one a pair, or a pair's two i and i + r/2, or 2i and 2i + 1
Numbers = Callable[[Any, Tensor], Tensor]  # from an encoding and positions
Way = tuple[str, Layout, Numbers, str, int]  # in words, the layout, numbers, public code, and the number of pairs

_TABLES: dict[Layout, tuple[str, Callable[[Tensor], Tensor], str]] = {
    "half": ("half-split", lambda one: torch.cat((one, one), -1), "transformers' Llama"),
    "interleaved": ("interleaved", lambda one: one.repeat_interleave(2, -1), "x-transformers; transformers' Cohere"),
    "": ("one column a pair", lambda one: one, "transformers' gpt-oss"),
}
_CACHES: tuple[tuple[str, Layout, Callable[..., Tensor], str], ...] = (
    ("cosines, then sines", "half", lambda _, cos, sin: torch.cat((cos, sin), -1), "vLLM's cos_sin_cache"),
    ("sines, then cosines", "half", lambda _, cos, sin: torch.cat((sin, cos), -1), "transformers' GPT-J"),
    ("cosine and sine by turns", "interleaved", lambda _, cos, sin: torch.stack((cos, sin), -1).flatten(-2), ""),
)
_COMPLEX: tuple[str, Callable[..., Tensor], str] = (
    "complex numbers, one a pair", lambda _, cos, sin: torch.stack((cos, sin), -1), "transformers' DeepSeek-V2 and Llama 4",
)  # fmt: skip
_TURNED = {"half": "transformers' Llama", "interleaved": "rotary-embedding-torch", "": ""}


def conventions(cls: type[RotationEncoding], seen: Seen, also: str = "") -> Iterator[Convention]:
    """Yield how the seen numbers of this class of encodings are held; `also`: see Convention."""
    for words, layout, numbers, source, pairs in _turned(cls, seen) if seen.kind == "rotated" else _tables(cls, seen):
        hidden = ("pairing",) if seen.kind == "waves" or not layout else ()
        # Where a single 1 goes shows which two dimensions are a pair.
        half = max(pairs, 2)
        shows = f"not 0 at 0 and {half}: half-split; at 0 and 1: interleaved"
        tell = f"print(rotate(torch.eye({2 * half})[:1], 1))  # yours, at position 1; {shows}" * len(hidden)
        rates = seen.rates[int(layout == "interleaved")] if seen.rates.ndim == 2 else folded(seen.rates, pairs, layout)
        for encoding in cls.proposed(seen, "" if hidden else layout, rates):
            free = ("base", "scaling.factor") if encoding.extension != 1 else ("base",)
            yield Convention(seen.kind, encoding, words, numbers, free, source, hidden, tell, also)


def _tables(cls: type[RotationEncoding], seen: Seen) -> Iterator[Way]:
    """Yield how tables are held: none of a class whose dimensions aren't paired, and none of xPos, whose angles are RoPE's."""
    if "pairing" not in cls.model_fields or len(cls.sides) > 1:
        return

    def numbers(pairs: int, held: Callable[..., Tensor]) -> Numbers:
        def of(encoding: RotationEncoding, positions: Tensor) -> Tensor:
            angles = encoding.angles(torch.ones(1) if seen.kind == "frequencies" else positions, 2 * pairs)
            waves = () if seen.kind in ("angles", "frequencies") else encoding.waves(angles)
            return held(angles, *(wave * encoding.attention_factor for wave in waves))

        return of

    match seen.kind, seen.shape:
        case "frequencies", (pairs,):
            yield "one for each pair", "", numbers(pairs, lambda angles, *_: angles[0]), "transformers' inv_freq", pairs
        case (("angles" | "cosines" | "sines"), (_, columns)):
            part = ("angles", "cosines", "sines").index(seen.kind)
            for layout, (words, spread, source) in _TABLES.items():
                if not (layout and columns % 2):
                    pairs = columns // 2 if layout else columns
                    one = lambda *parts, spread=spread: spread(parts[part])  # noqa: E731
                    yield words, layout, numbers(pairs, one), source, pairs
        case "waves", (_, pairs, 2):
            words, joined, source = _COMPLEX
            yield words, "", numbers(pairs, joined), source, pairs
        case "waves", (_, columns) if columns % 2 == 0:
            for words, layout, joined, source in _CACHES:
                yield words, layout, numbers(columns // 2, joined), source, columns // 2


def _turned(cls: type[RotationEncoding], seen: Seen) -> Iterator[Way]:
    """Yield how the vectors before were turned, where the class makes vectors of the seen width of them."""
    before = torch.ones(1, 1) if seen.before is None else seen.before.double()
    if before.shape[-1] % 2 or cls().rotate(before, torch.zeros(1)).shape != seen.shape:
        return
    layouts: tuple[Layout, ...] = ("half", "interleaved") if "pairing" in cls.model_fields else ("half",)
    for layout, side in product(layouts, cls.sides):
        words = ", ".join((_TABLES[layout][0],) * (len(layouts) > 1) + (side,) * (len(cls.sides) > 1))
        numbers = lambda one, positions, side=side: one.rotate(before, positions, side)  # noqa: E731
        yield words, layout, numbers, _TURNED[layout], before.shape[-1] // 2


def mistakes(
    encoding: RotationEncoding, pairing: Layout, seen: Seen
) -> Iterator[tuple[str, Callable[[Tensor], Tensor]]]:
    """Yield how vectors are turned where code mixes both pairings up, in words, and as a function of positions."""
    width = seen.shape[-1]
    if seen.before is None or seen.before.shape != seen.shape or encoding.rotated(width) != width:
        return
    x, (first, second) = seen.before.double(), encoding.pairs(width)
    other: Layout = "half" if pairing == "interleaved" else "interleaved"
    quarter = torch.empty_like(x)  # a quarter of a turn
    quarter[:, first], quarter[:, second] = -x[:, second], x[:, first]

    def mixed(positions: Tensor) -> Tensor:
        cos, sin = (_TABLES[other][1](wave) for wave in encoding.waves(encoding.angles(positions, width)))
        return x * cos + quarter * sin

    yield f"cosines and sines laid out {_TABLES[other][0]}", mixed
    if pairing == "half":
        apart = torch.cat((x[:, ::2], x[:, 1::2]), -1)
        yield "dimensions reordered from interleaved to half-split", lambda positions: encoding.rotate(apart, positions)
