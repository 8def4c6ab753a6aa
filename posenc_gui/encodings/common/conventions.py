"""How public code holds the numbers of encodings: what each encoding's file says of its own, for whoever wonders whose some
numbers are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from torch import Tensor

if TYPE_CHECKING:
    from posenc_gui.encodings.base import Encoding

Kind = Literal["table", "cosines", "sines", "waves", "angles", "frequencies", "rotated", "bias", "slopes", "buckets"]


@dataclass(frozen=True, eq=False)
class Seen:
    """What some numbers look like, as far as an encoding needs it to say how its own would look.

    shape: of one array without batches, positions first: (n, columns), (columns,), (heads, n_q, n_k), (heads,), (n_q, n_k).
    rates: each column's or pair's estimated angle a position, radians, NaN where the numbers don't tell it; those of a
    score door: each head's estimated slope. before: the queries (n, d_head) that were rotated, of that kind alone.
    """

    kind: Kind
    shape: tuple[int, ...]
    rates: Tensor
    before: Tensor | None = None


@dataclass(frozen=True, eq=False)
class Convention:
    """One way in which an encoding's numbers are met: `words` tell it from the encoding's other ways, such as half-split.

    numbers: of an encoding of this class, whose parameters may be others, at positions (n,): float64, of the seen shape.
    free: fields whose values may be fitted to the numbers, such as base. source: public code that holds them so.
    """

    kind: Kind
    encoding: Encoding
    words: str
    numbers: Callable[[Encoding, Tensor], Tensor]
    free: tuple[str, ...] = ()
    source: str = ""
