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

_SPREAD: dict[Layout, Callable[[Tensor], Tensor]] = {
    "half": lambda one: torch.cat((one, one), -1), "interleaved": lambda one: one.repeat_interleave(2, -1), "": lambda one: one,
}  # fmt: skip
# How angles, cosines, sines or both are held, by the kind and the axes of numbers.
_HELD: dict[tuple[str, int], tuple[tuple[str, Layout, Callable[..., Tensor], str], ...]] = {
    **dict.fromkeys((("angles", 2), ("cosines", 2), ("sines", 2)), (
        ("half-split", "half", _SPREAD["half"], "transformers' Llama"),
        ("interleaved", "interleaved", _SPREAD["interleaved"], "x-transformers; transformers' Cohere"),
        ("one column a pair", "", _SPREAD[""], "transformers' gpt-oss"),
    )),
    ("frequencies", 1): (("one for each pair", "", lambda angles: angles[0], "transformers' inv_freq"),),
    ("waves", 2): (
        ("cosines, then sines", "half", lambda cos, sin: torch.cat((cos, sin), -1), "vLLM's cos_sin_cache"),
        ("sines, then cosines", "half", lambda cos, sin: torch.cat((sin, cos), -1), "transformers' GPT-J"),
        ("cosine and sine by turns", "interleaved", lambda cos, sin: torch.stack((cos, sin), -1).flatten(-2), ""),
    ),
    ("waves", 3): (
        ("complex numbers, one a pair", "", lambda *both: torch.stack(both, -1), "transformers' DeepSeek-V2 and Llama 4"),
    ),
}  # fmt: skip
_TURNED: dict[Layout, tuple[str, str]] = {
    "half": ("half-split", "transformers' Llama"), "interleaved": ("interleaved", "rotary-embedding-torch"),
}  # fmt: skip


def conventions(cls: type[RotationEncoding], seen: Seen, also: str = "") -> Iterator[Convention]:
    """Yield how the seen numbers of this class of encodings are held, if its dimensions are paired; `also`: see Convention."""
    ways = _turned(cls, seen) if seen.kind == "rotated" else _tables(cls, seen)
    for words, layout, numbers, source, pairs in ways if "pairing" in cls.model_fields else ():
        hidden = ("pairing",) if seen.kind == "waves" or not layout else ()
        # Where a single 1 goes shows which two dimensions are a pair.
        half = max(pairs, 2)
        shows = f"not 0 at 0 and {half}: half-split; at 0 and 1: interleaved"
        tell = f"print(rotate(torch.eye({2 * half})[:1], 1))  # yours, at position 1; {shows}" * len(hidden)
        rates = seen.rates[int(layout == "interleaved")] if seen.rates.ndim == 2 else folded(seen.rates, pairs, layout)
        for encoding in cls.proposed(seen, {} if hidden else {"pairing": layout}, rates):
            free = ("base", "scaling.factor") if encoding.extension != 1 else ("base",)
            yield Convention(encoding, words, numbers, free, source, hidden, tell, also)


def _tables(cls: type[RotationEncoding], seen: Seen) -> Iterator[Way]:
    """Yield how tables are held: none of xPos, whose angles are RoPE's."""
    parts = {"cosines": slice(1), "sines": slice(1, 2)}.get(seen.kind, slice(2))
    for words, layout, held, source in _HELD.get((seen.kind, len(seen.shape)), ()) if len(cls.sides) == 1 else ():
        pairs, left = divmod(seen.shape[:2][-1], 2 if layout else 1)

        def numbers(
            encoding: RotationEncoding, m: Tensor, pairs: int = pairs, held: Callable[..., Tensor] = held
        ) -> Tensor:
            angles = encoding.angles(torch.ones(1) if seen.kind == "frequencies" else m, 2 * pairs)
            if seen.kind in ("angles", "frequencies"):
                return held(angles)
            return held(*(wave * encoding.attention_factor for wave in encoding.waves(angles)[parts]))

        if not left:
            yield words, layout, numbers, source, pairs


def _turned(cls: type[RotationEncoding], seen: Seen) -> Iterator[Way]:
    """Yield how the vectors before were turned, where the class makes vectors of the seen width of them."""
    before = torch.ones(1, 1) if seen.before is None else seen.before.double()
    if before.shape[-1] % 2 or cls().rotate(before, torch.zeros(1)).shape != seen.shape:
        return
    for (layout, (words, source)), side in product(_TURNED.items(), cls.sides):
        told = f"{words}, {side}" if len(cls.sides) > 1 else words
        numbers = lambda one, m, side=side: one.rotate(before, m, side)  # noqa: E731
        yield told, layout, numbers, source, before.shape[-1] // 2


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
        cos, sin = (_SPREAD[other](wave) for wave in encoding.waves(encoding.angles(positions, width)))
        return x * cos + quarter * sin

    yield f"cosines and sines laid out {_TURNED[other][0]}", mixed
    if pairing == "half":
        apart = torch.cat((x[:, ::2], x[:, 1::2]), -1)
        yield "dimensions reordered from interleaved to half-split", lambda positions: encoding.rotate(apart, positions)
