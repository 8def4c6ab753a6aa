"""What the symbols of a typed formula mean, in a few words."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass

from posenc_gui.encodings.common.typed.program import FUNCTIONS, Program
from posenc_gui.foundation.wording import format_number

WORDS = {**FUNCTIONS, "mod": "what is left after dividing, with the divisor's sign"}


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
    shown = {"p": {"m", "i", "d"}, "angle": {"m", "i", "d"}, "bias": {"m", "n", "h", "H"}}[program.side]
    used = frozenset[str]().union(*(program.uses(line.tree) for line in program.lines))
    if used & {"d_model", "d_head"}:
        shown -= {"d"}  # one name for it is enough
    return tuple((name, told) for name, told in _given(program, sizes).items() if name in used | shown)


def meaning(program: Program, sizes: Sizes, word: str) -> str:
    """Return what a word of the text means, also θ or pos, for a hint at its place: "floor: the largest whole number at or
    below"; empty for one that isn't known."""
    same = re.compile(rf"{re.escape(word)}\b")
    name = next((one.id for one in _names(program) if same.match(program.text, one.col_offset)), word)
    if name in program.numbers:
        return f"{word} = {format_number(program.numbers[name].value)}, your number"
    if name in program.definitions:
        end = program.definitions[name].tree.end_col_offset
        return program.text[:end].rpartition("\n")[2].strip()
    told = WORDS.get(name) or _given(program, sizes).get(name, "")
    return f"{word} {told}" if told.startswith("=") else f"{word}: {told}" if told else ""


def explained(program: Program, sizes: Sizes) -> str:
    """Return what each name in the formula means, a line each, as it is written there."""
    words = {one.id: re.match(r"\\?\w+", program.text[one.col_offset :]) for one in _names(program)}
    found = (meaning(program, sizes, word[0]) for word in words.values() if word)
    return "\n".join(dict.fromkeys(filter(None, found)))


def _names(program: Program) -> Iterator[ast.Name]:
    """Yield names with where they stand in the text: not that of |…|, which stands nowhere."""
    trees = [line.tree for line in program.lines] + [one.tree for one in program.definitions.values()]
    names = (node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Name))
    return (name for name in names if hasattr(name, "col_offset"))


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
        "d": f"= {width:,}", "d_model": f"= {sizes.d_model:,}", "d_head": f"= {sizes.d_head:,}", "H": f"= {sizes.n_heads:,}",
        "L": f"= {sizes.length:,}, the length", "pi": f"= {math.pi:.4f}", "e": f"= {math.e:.4f}",
    }  # fmt: skip


def _range(low: int, high: int) -> str:
    return f"{low:,} to {high:,}" if high > low else f"{low:,}"
