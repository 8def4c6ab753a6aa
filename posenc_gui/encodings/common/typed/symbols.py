"""What the symbols of a typed formula mean, in a few words."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from posenc_gui.encodings.common.typed.program import Program
from posenc_gui.foundation.wording import format_number

FUNCTIONS = {
    "sin": "the sine of an angle in radians",
    "cos": "the cosine of an angle in radians",
    "tan": "the tangent of an angle in radians",
    "exp": "e to this power",
    "log": "the natural logarithm",
    "log2": "the logarithm to base 2",
    "sqrt": "the square root",
    "abs": "the size without the sign",
    "sign": "1, 0 or −1, as the number is above, at or below 0",
    "floor": "the largest whole number at or below",
    "ceil": "the smallest whole number at or above",
    "round": "the nearest whole number",
    "min": "the smaller one",
    "max": "the larger one",
    "tanh": "the hyperbolic tangent, between −1 and 1",
    "mod": "what is left after dividing, with the divisor's sign",
}


@dataclass(frozen=True)
class Sizes:
    """The shape that the symbols stand for here: positions from `first` to `length` − 1, and the model's."""

    length: int
    d_model: int
    n_heads: int
    d_head: int
    first: int = 0


def symbols(program: Program, sizes: Sizes) -> tuple[tuple[str, str], ...]:
    """Return what the door's symbols mean, those that the formula may use and those that it does, for a hint line: ("m",
    "position, 0 to 5"), ("d", "= 16")."""
    shown = {"p": ("m", "i", "d"), "angle": ("m", "i", "d"), "bias": ("m", "n", "h", "H")}[program.side]
    used = frozenset[str]().union(*(program.uses(line.tree) for line in program.lines))
    return tuple((name, told) for name, told in _given(program, sizes).items() if name in used or name in shown)


def meaning(program: Program, sizes: Sizes, name: str) -> str:
    """Return what a name in the formula means, for a hint at the place: "floor: the largest whole number at or below"; empty for
    one that isn't known."""
    if name in FUNCTIONS:
        return f"{name}: {FUNCTIONS[name]}"
    if name in program.numbers:
        number = program.numbers[name]
        return f"{name} = {format_number(number.value)}, your number"
    if name in program.definitions:
        line = re.search(rf"^\s*({re.escape(name)}\b[^#\n]*)", program.text, re.MULTILINE)
        return line[1].strip() if line else f"{name}: your definition"
    told = _given(program, sizes).get(name, "")
    return f"{name} {told}" if told.startswith("=") else f"{name}: {told}" if told else ""


def _given(program: Program, sizes: Sizes) -> dict[str, str]:
    """Return what the door's own names mean."""
    positions = _range(sizes.first, sizes.length - 1)
    width = sizes.d_model if program.side == "p" else sizes.d_head
    in_pairs = program.side == "angle" or any(line.columns != "i" for line in program.lines)
    column = f"pair, {_range(0, (width + 1) // 2 - 1)}" if in_pairs else f"dimension, {_range(0, width - 1)}"
    of_door = {"m": f"position, {positions}", "i": column}
    if program.side == "bias":
        of_door = {"m": f"query, {positions}", "n": f"key, {positions}", "h": f"head, {_range(0, sizes.n_heads - 1)}"}
    return of_door | {
        "d": f"= {width:,}",
        "d_model": f"= {sizes.d_model:,}",
        "d_head": f"= {sizes.d_head:,}",
        "H": f"= {sizes.n_heads:,}",
        "L": f"= {sizes.length:,}, the length",
        "pi": f"= {math.pi:.4f}",
        "e": f"= {math.e:.4f}",
    }


def _range(low: int, high: int) -> str:
    return f"{low:,} to {high:,}" if high > low else f"{low:,}"
