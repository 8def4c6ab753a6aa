"""How public code holds the numbers of encodings: what each encoding's file says of its own, for whoever wonders whose some
numbers are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from torch import Tensor

if TYPE_CHECKING:
    from posenc_gui.encodings.base import Encoding

Kind = Literal["table", "cosines", "sines", "waves", "angles", "frequencies", "rotated", "bias", "slopes", "buckets"]

KIND_NAMES: dict[Kind, str] = {
    "table": "position vectors",
    "cosines": "cosines",
    "sines": "sines",
    "waves": "cosines and sines",
    "angles": "angles",
    "frequencies": "inverse frequencies (inv_freq)",
    "rotated": "rotated queries or keys",
    "bias": "a bias of scores",
    "slopes": "slopes",
    "buckets": "buckets",
}


@dataclass(frozen=True, eq=False)
class Seen:
    """What some numbers look like, as far as an encoding needs it to say how its own would look.

    shape: of one array without batches, positions first: (n, columns), of complex numbers (n, columns, 2), (columns,),
    (heads, n_q, n_k), (heads, n_k), (heads,), (n_q, n_k) or (offsets,) of buckets. rates: each column's estimated angle a
    position, radians, NaN where the numbers don't tell it; of rotated queries (2, columns / 2), those of dimensions paired
    half-split and interleaved; those of a score door: each head's estimated slope. before: the queries (n, d_head) that were
    rotated, of that kind alone. values: the numbers, of this shape. rows: of all the numbers, of which these may be some.
    """

    kind: Kind
    shape: tuple[int, ...]
    rates: Tensor
    before: Tensor | None = None
    values: Tensor | None = None
    rows: int = 0


@dataclass(frozen=True, eq=False)
class Convention:
    """One way in which an encoding's numbers are met: `words` tell it from the encoding's other ways, such as half-split.

    numbers: of an encoding of this class, whose parameters may be others, at positions (n,): float64, of the seen shape.
    Positions are the rows', in a bias or its buckets the keys', whose last ones are the queries'; without them, as with
    slopes, any will do. free: fields whose values may be fitted to the numbers, such as base. source: public code that holds
    them so. hidden: fields of which these numbers show nothing, such as pairing; tell: a line of code that prints what would.
    also: a sentence on other encodings that have the same numbers.
    """

    encoding: Encoding
    words: str
    numbers: Callable[[Any, Tensor], Tensor]
    free: tuple[str, ...] = ()
    source: str = ""
    hidden: tuple[str, ...] = ()
    tell: str = ""
    also: str = ""
