"""Numbers whose encoding is asked for, with what they are exact to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # a process that reads a file needs no torch
    from torch import Tensor

    from posenc_gui.encodings.base import Precision


@dataclass(frozen=True, eq=False)
class Numbers:
    """One array of numbers. values: float64, 1 to 4 axes, finite; complex ones as (…, 2), real and imaginary.

    precision: the coarsest type that holds all of them exactly, of printed ones the type that is printed so. decimals: the
    digits after the point to which they were printed, by scientific notation those of the largest; None for whole values.
    name: in the file that they are from. rounding: by how much printing may have changed each value, in its shape; None if
    they weren't printed. left_out: says in a sentence which rows are compared, where there are too many.
    """

    values: Tensor
    precision: Precision
    decimals: int | None = None
    complex: bool = False
    name: str = ""
    rounding: Tensor | None = None
    left_out: str = ""
