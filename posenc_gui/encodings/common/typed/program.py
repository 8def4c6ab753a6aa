"""A typed formula as data: its door, what it says of each column, definitions, and the numbers that it names.

text ─lexing─▶ words ─grammar─▶ trees ─reading─▶ Program ─values─▶ tensors      also: latex, torch_code
"""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from posenc_gui.foundation.errors import quote_value, shorten_value
from posenc_gui.foundation.wording import format_bound

Side = Literal["p", "angle", "bias"]  # the left side's name: input, rotation, score
Columns = Literal["i", "2i", "2i+1", "i+d/2"]  # that a line fills: of p, or pairs of angle; "i" alone for bias
INDICES: Mapping[Side, tuple[str, ...]] = {"p": ("m", "i"), "angle": ("m", "i"), "bias": ("m", "n", "h")}
INDEX_MEANINGS: Mapping[str, str] = {
    "m": "the position", "n": "the key's position in bias[m, n, h]",
    "i": "the column in p[m, i] and the pair in angle[m, i]", "h": "the head in bias[m, n, h]",
}  # fmt: skip
KNOWN = ("d", "d_model", "d_head", "H", "L", "pi", "e")  # what an encoding gives values to
FUNCTIONS: Mapping[str, str] = {  # with what they mean
    "sin": "the sine of an angle in radians", "cos": "the cosine of an angle in radians",
    "tan": "the tangent of an angle in radians", "exp": "e to this power", "sqrt": "the square root",
    "log": "the natural logarithm", "log2": "the logarithm to base 2",
    "abs": "the size without the sign", "sign": "1, 0 or −1, as the number is above, at or below 0",
    "floor": "the largest whole number at or below", "ceil": "the smallest whole number at or above",
    "round": "the nearest whole number", "min": "the smaller one", "max": "the larger one",
    "tanh": "the hyperbolic tangent, between −1 and 1",
}  # fmt: skip
OF_SEVERAL = ("min", "max")
# Fields of a session, which `--set` and labs set by their names alone; a test compares them.
SESSION_FIELDS = frozenset((
    "text", "tokenizer", "keep_case", "fill", "fill_to", "patches", "order", "start", "encoding", "other", "strength", "model",
    "trained_length", "focus", "key", "plots", "formula",
))  # fmt: skip


class Fault(ValueError):
    """Why a text is no formula: one sentence, the place in the text, [start, end), and whole texts in which this is mended, each
    with what its button says."""

    def __init__(self, sentence: str, start: int, end: int, readings: tuple[tuple[str, str], ...] = ()) -> None:
        super().__init__(sentence)
        self.sentence, self.start, self.end, self.readings = sentence, start, end, readings


def fault(text: str, place: tuple[int, int], sentence: str, *instead: str) -> Fault:
    """Return a fault at a place, [start, end), of a text with what may stand there instead."""
    start, end = place
    return Fault(sentence, start, end, tuple((shorten_value(one), text[:start] + one + text[end:]) for one in instead))


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
    """What one line fills, and its value there."""

    columns: Columns
    tree: ast.expr


@dataclass(frozen=True, eq=False)
class Program:
    """A formula that can be evaluated. Trees are Python's own, with `**` for powers and `%` for mod, and hold only what
    `grammar` allows; each node stands in the text at [col_offset, end_col_offset). Definitions: those that others use first."""

    text: str
    side: Side
    lines: tuple[Line, ...]
    definitions: Mapping[str, Definition]
    numbers: Mapping[str, Number]

    @property
    def of_offset(self) -> bool:
        """True for a bias in which positions occur as m − n or n − m alone, or compared, also through definitions."""
        return self.side == "bias" and not any({"m", "n"} & self.uses(line.tree, True) for line in self.lines)

    def uses(self, tree: ast.expr, beside_offsets: bool = False) -> frozenset[str]:
        """Return all names that a tree depends on, also through definitions; beside_offsets: apart from m − n."""
        found, todo = set[str](), list[ast.AST]([tree])
        while todo:
            match todo.pop():
                case ast.BinOp(ast.Name(one), ast.Sub(), ast.Name(other)) | ast.Compare(
                    ast.Name(one), _, [ast.Name(other)]
                ) if beside_offsets and {one, other} == {"m", "n"}:
                    continue
                case ast.Name(name) | ast.Subscript(ast.Name(name)):
                    todo += [self.definitions[name].tree] if name in self.definitions.keys() - found else []
                    found.add(name)
                case node:
                    todo += ast.iter_child_nodes(node)
        return frozenset(found)

    @property
    def without_numbers(self) -> str:
        """The text without the digits of the numbers that it names."""
        text = self.text
        for number in sorted(self.numbers.values(), key=lambda one: -one.start):
            text = text[: number.start] + text[number.end :]
        return text

    def with_number(self, name: str, value: float) -> str:
        """Return the text with another value of a number that it names, as short as it can be written. Raises ValueError."""
        number = self.numbers[name]
        try:
            new = float(value)
        except (TypeError, ValueError, OverflowError):
            new = math.nan
        if not math.isfinite(new):
            raise ValueError(f"{name}: should be a number, not {quote_value(value)}")
        if not number.proposed and not number.low <= new <= number.high:
            between = f"between {format_bound(number.low)} and {format_bound(number.high)}"
            raise ValueError(f"{name}: should be {between}, not {quote_value(value)}")
        return self.text[: number.start] + _written(new) + self.text[number.end :]


def number_line(name: str, value: float, low: float, high: float) -> str:
    """Return the line of a formula that names a number, with its range: from low to high, or as far as the number itself."""
    return f"{name} = {_written(value)}  # {_written(min(low, value))} to {_written(max(high, value))}"


def _written(value: float) -> str:
    return repr(float(value)).removesuffix(".0")
