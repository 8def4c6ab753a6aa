"""A typed formula as data: its door, what it says of each column, definitions, and the numbers that it names.

text ─reading─▶ Program ─values─▶ tensors      also: latex, torch_code
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Side = Literal["p", "angle", "bias"]  # the left side's name: input, rotation, score
INDICES: Mapping[Side, tuple[str, ...]] = {"p": ("m", "i"), "angle": ("m", "i"), "bias": ("m", "n", "h")}


class Fault(ValueError):
    """Why a text is no formula: one sentence, the place in the text, [start, end), and whole texts that would be read instead,
    each with what its button says."""

    def __init__(self, sentence: str, start: int, end: int, readings: tuple[tuple[str, str], ...] = ()) -> None:
        super().__init__(sentence)
        self.sentence, self.start, self.end, self.readings = sentence, start, end, readings


@dataclass(frozen=True)
class Number:
    """A number that the formula names: a slider. start, end: where its digits stand in the text. proposed: True if no comment
    gives the range."""

    name: str
    value: float
    low: float
    high: float
    start: int
    end: int
    proposed: bool


@dataclass(frozen=True, eq=False)
class Definition:
    """A name that other lines use, with the indices in its brackets: w[i] = …; none for a constant such as turn = 2 pi / L."""

    name: str
    indices: tuple[str, ...]
    tree: ast.expr


@dataclass(frozen=True, eq=False)
class Line:
    """What one line says: of which columns (or pairs, or heads and offsets: "i" alone then), and its value there."""

    columns: Literal["i", "2i", "2i+1", "i+d/2"]
    tree: ast.expr


@dataclass(frozen=True, eq=False)
class Program:
    """A formula that can be evaluated. Trees are Python's own, with `**` for powers and `%` for mod, and hold only what
    `reading` allows. spans: where each node stands in the text, by its place (line, column) in the Python that was parsed."""

    text: str
    side: Side
    lines: tuple[Line, ...]
    definitions: Mapping[str, Definition]
    numbers: Mapping[str, Number]

    @property
    def of_offset(self) -> bool:
        """True for a bias in which positions occur as m − n or n − m alone, also through definitions."""
        return False

    def with_number(self, name: str, value: float) -> str:
        """Return the text with another value of a number that it names, as short as it can be written."""
        number = self.numbers[name]
        written = repr(float(value)).removesuffix(".0")
        return self.text[: number.start] + written + self.text[number.end :]
