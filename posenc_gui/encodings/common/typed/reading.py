"""From what people type, or copy from a paper, to a Program: every fault with its place and one sentence."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from keyword import iskeyword
from typing import NamedTuple

from posenc_gui.encodings.common.typed import program as said
from posenc_gui.encodings.common.typed.grammar import MOST_LEVELS, TOO_DEEP, Known, RightSide
from posenc_gui.encodings.common.typed.lexing import NUMBER, Word, words_of
from posenc_gui.encodings.common.typed.program import Columns, Definition, Fault, Line, Number, Program, Side, fault
from posenc_gui.foundation.errors import shorten_value
from posenc_gui.foundation.wording import format_bound, join_words

LONGEST = 2_000  # characters
_LARGEST = 1e300  # of numbers with a range
_SIDES: Mapping[str, Side] = {"p": "p", "P": "p", "PE": "p", "angle": "angle", "bias": "bias"}
_FILLED: Mapping[Side, Mapping[str, Columns]] = {  # by what is in the brackets on the left
    "p": {"m,i": "i", "m,2i": "2i", "m,2i+1": "2i+1", "m,i+d/2": "i+d/2", "m,i+d_model/2": "i+d/2"},
    "angle": {"m,i": "i", "m,2i": "2i"},
    "bias": {"m,n,h": "i", "m,n": "i"},
}
_TOGETHER = ({"2i", "2i+1"}, {"i", "i+d/2"})  # lines that fill different columns
_TAKEN = {*said.FUNCTIONS, *said.KNOWN, *said.INDEX_MEANINGS, *said.SESSION_FIELDS, "frac"}
_LINE = re.compile(r"([^\r\n#]*)(#[^\r\n]*)?(?:\r\n|\r|\n|$)")
_SIGNED = rf"[-−+]?(?:[0-9]{{1,3}}(?:,[0-9]{{3}})+(?:\.[0-9]+)?|{NUMBER})"
_NUMBER, _RANGE = re.compile(_SIGNED), re.compile(rf"({_SIGNED})\s*to\s*({_SIGNED})")


class _Row(NamedTuple):
    """One line of the text: what stands left of its equals sign, [start, end), as a name and what is in its brackets; the
    words from the equals sign on; the comment."""

    place: tuple[int, int]
    name: Word
    inside: Sequence[str]
    right: Sequence[Word]
    comment: str


@lru_cache(maxsize=64)
def read(text: str) -> Program:
    """Read a formula. Raises Fault."""
    if len(text) > LONGEST:
        raise Fault(f"A formula has at most {LONGEST:,} characters, not {len(text):,}.", LONGEST, len(text))
    return _Reading(text).program()


class _Reading:
    """Reads one text: first all left sides, then what they are."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._lines: list[tuple[_Row, Columns]] = []
        self._definitions: dict[str, _Row] = {}
        self._numbers: dict[str, Number] = {}
        self._side: Side | None = None

    def program(self) -> Program:
        """Return the whole. Raises Fault."""
        rows = list(self._rows())
        for row in rows:
            if row.name.meant in _SIDES:
                self._read_door(row, _SIDES[row.name.meant])
        if not self._side:
            raise Fault("Begin with p[m, i] =, angle[m, i] = or bias[m, n, h] =.", len(self._text), len(self._text))
        for row in rows:
            if row.name.meant not in _SIDES:
                self._read_name(row, said.INDICES[self._side])
        names: dict[str, Sequence[str]] = dict.fromkeys((*said.KNOWN, *self._numbers), ())
        names |= {name: row.inside for name, row in self._definitions.items()}

        def tree(row: _Row, indices: Sequence[str]) -> ast.expr:
            return RightSide(row.right, Known(self._text, row.place, indices, names)).tree()

        lines = tuple(
            Line(columns, tree(row, said.INDICES[self._side][: len(row.inside)])) for row, columns in self._lines
        )
        definitions = {
            name: Definition(name, tuple(row.inside), tree(row, row.inside)) for name, row in self._definitions.items()
        }
        return Program(self._text, self._side, lines, _in_order(definitions, lines), self._numbers)

    def _rows(self) -> Iterator[_Row]:
        for found in _LINE.finditer(self._text):
            words = words_of(self._text, *found.span(1))
            if len(words) == 1:
                continue
            start, end = words[0].start, words[-2].end
            equals = next((at for at, word in enumerate(words) if word.meant == "="), 0)
            if not equals:
                left = "bias[m, n, h] =" if any(word.meant == "n" for word in words) else "p[m, i] ="
                readings = fault(self._text, (start, start), "", f"{left} ").readings
                raise Fault(f"An equals sign is missing: begin with {left}.", start, end, readings)
            inside = "".join(word.meant for word in words[1:equals] if word.meant not in "()*").split(",")
            place = start, words[equals - 1].end
            yield _Row(place, words[0], inside if equals > 1 else (), words[equals:], found[2] or "")

    def _read_door(self, row: _Row, side: Side) -> None:
        """Read the left side p[m, 2i], PE_{(pos,2i)}, angle[m, i], bias[m, n, h]."""
        columns = _FILLED[side].get(",".join(row.inside))
        if not columns:
            written = [f"{side}[{inside.replace(',', ', ')}]" for inside in _FILLED[side]]
            raise fault(self._text, row.place, f"Write {join_words(written, 'or')} on the left.", written[0])
        if self._side and side != self._side:
            raise fault(self._text, row.place, f"One formula fills either {self._side} or {side}, not both.")
        if any({filled, columns} not in _TOGETHER for _, filled in self._lines):
            raise fault(self._text, row.place, f"{self._left(row)} is filled already, by a line above.")
        self._side = side
        self._lines.append((row, columns))

    def _read_name(self, row: _Row, allowed: Sequence[str]) -> None:
        """Read growth = 2  # 1.1 to 4, or the left side of a definition: w[i], turn."""
        name, indices, left = row.name.meant, row.inside, self._left(row)
        if not row.name.is_name:
            sentence = f"{left} is no left side: write p[m, i], angle[m, i], bias[m, n, h] or a name."
            raise fault(self._text, row.place, sentence)
        if name in _TAKEN or iskeyword(name):
            raise fault(self._text, row.place, f"{name} has a meaning already: choose another name.")
        if name in self._definitions or name in self._numbers:
            raise fault(self._text, row.place, f"{name} is defined twice.")
        if len(set(indices)) < len(indices) or not set(indices) <= set(allowed):
            sentence = f"In brackets on the left stand {join_words(allowed, 'or')}, each once: not in {left}."
            raise fault(self._text, row.place, sentence)
        value = _NUMBER.fullmatch(self._text[row.right[0].end : row.right[-1].end].strip())
        if value and not indices:
            self._numbers[name] = self._number(name, value[0], row)
        else:
            self._definitions[name] = row

    def _left(self, row: _Row) -> str:
        return shorten_value(self._text[slice(*row.place)])

    def _number(self, name: str, written: str, row: _Row) -> Number:
        """Return a number with its range: the comment's, or two powers of ten in which it is."""
        start = row.right[1].start
        place, value = (start, start + len(written)), _value(written)
        low, high = -1.0, 1.0
        if given := _RANGE.search(row.comment):
            low, high = _value(given[1]), _value(given[2])
        elif 0 < abs(value) < _LARGEST:  # ranges that don't overlap: one stays while its slider is moved
            middle = math.copysign(10.0 ** (2 * math.ceil((math.log10(abs(value)) - 1) / 2)), value)
            low, _, high = sorted((middle / 10, value, middle * 10))
        if max(map(abs, (value, low, high))) > _LARGEST:
            raise Fault(f"{name} should be a smaller number.", *place)
        ends = f"{format_bound(low)} to {format_bound(high)}"
        if not low <= value <= high:
            nearest = repr(low if value < low else high).removesuffix(".0")
            sentence = f"{name} is {format_bound(value)}, which is outside its range, {ends}."
            raise fault(self._text, place, sentence, nearest)
        return Number(name, value, low, high, *place, not given)


def _in_order(definitions: Mapping[str, Definition], lines: Sequence[Line]) -> Mapping[str, Definition]:
    """Return the definitions, those that others use first. Raises Fault for circles and too many levels."""
    deepest: dict[str, int] = {}
    ordered: dict[str, Definition] = {}

    def visit(node: ast.expr, depth: int, through: tuple[str, ...]) -> None:
        place = node.col_offset, node.end_col_offset or 0
        if depth > MOST_LEVELS:
            raise Fault(TOO_DEEP, *place)
        name = getattr(node.value if isinstance(node, ast.Subscript) else node, "id", "")
        if name in through:
            circle = through[through.index(name) :]
            by = "are defined by one another" if circle[1:] else "is defined by itself"
            raise Fault(f"{join_words(circle)} {by}.", *place)
        if name in definitions and deepest.get(name, 0) < depth:
            deepest[name] = depth
            visit(definitions[name].tree, depth + 1, (*through, name))
            ordered[name] = definitions[name]
        for inner in ast.iter_child_nodes(node):
            if isinstance(inner, ast.expr) and not name:
                visit(inner, depth + 1, through)

    for line in lines:
        visit(line.tree, 1, ())
    for one in definitions.values():
        visit(one.tree, 1, (one.name,))
        ordered[one.name] = one
    return ordered


def _value(written: str) -> float:
    return float(written.replace(",", "").replace("−", "-"))
