"""Numbers whose encoding is asked for, with what they are exact to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # a process that reads a file needs no torch
    from torch import Tensor

    from posenc_gui.encodings.base import Precision


class NotNumbers(ValueError):
    """What can't be read as numbers: the message says in a sentence why, and what to do. names: if one of a file's many arrays
    must be named, those that may be meant."""

    def __init__(self, sentence: str, names: tuple[str, ...] = ()) -> None:
        super().__init__(sentence)
        self.names = names


@dataclass(frozen=True, eq=False)
class Numbers:
    """One array of numbers. values: float64, 1 to 4 axes, finite; complex ones as (…, 2), real and imaginary.

    precision: the coarsest type that holds all of them exactly, of printed ones the type that is printed so. decimals: the
    digits after the point to which they were printed, by scientific notation those of the largest; None for whole values.
    name: in the file or text that they are from. rounding: half a unit of each one's last printed digit, in the shape of the
    values; None if they weren't printed. left_out: which rows alone are compared, where there are too many.
    """

    values: Tensor
    precision: Precision
    decimals: int | None = None
    complex: bool = False
    name: str = ""
    rounding: Tensor | None = None
    left_out: str = ""
