"""What some numbers are: the verdict, and what was nearest beside it."""

from __future__ import annotations

from dataclasses import dataclass, field

from torch import Tensor

from posenc_gui.encodings.base import Encoding
from posenc_gui.encodings.common.conventions import Kind
from posenc_gui.identify.numbers import Numbers


@dataclass(frozen=True, eq=False)
class Candidate:
    """An encoding in one convention, set against the numbers.

    words: what tells it from the verdict, such as "interleaved" or "from position 0". off_by: the largest difference of a
    number. unseen: the same divided by what the numbers' own precision explains; up to 1 they can't tell. numbers: its own,
    of the shape of the pasted ones.
    """

    encoding: Encoding
    convention: str
    start: int
    words: str
    off_by: float
    unseen: float
    numbers: Tensor = field(repr=False)
    source: str = ""


@dataclass(frozen=True, eq=False)
class Identified:
    """The verdict on some numbers; `sentence` says it.

    encoding: None if no known convention explains them. start: of the first row; None where the kind has no positions.
    off_by: of the nearest. others: the usual conventions beside it, nearest first. undecided: what these numbers can't tell,
    a sentence each, with the line of code that prints what would tell. explained: the mistake in code that explains numbers
    that are no convention; empty where none does. tried: how many conventions were compared. axes: what the axes were
    taken for, such as ("heads", "positions", "dimensions").
    """

    numbers: Numbers
    kind: Kind | None
    axes: tuple[str, ...]
    encoding: Encoding | None
    convention: str
    start: int | None
    off_by: float
    nearest: Candidate | None
    others: tuple[Candidate, ...]
    undecided: tuple[str, ...]
    explained: str
    tried: int
    sentence: str
