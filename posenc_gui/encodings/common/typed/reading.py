"""From what people type, or copy from a paper, to a Program: every fault with its place and one sentence."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Literal, NamedTuple, cast

from posenc_gui.encodings.common.typed.grammar import MOST_LEVELS, TOO_DEEP, Known, RightSide
from posenc_gui.encodings.common.typed.lexing import KEYWORDS, NUMBER, Word, words_of
from posenc_gui.encodings.common.typed.program import (
    FUNCTIONS,
    INDEX_MEANINGS,
    INDICES,
    KNOWN,
    SESSION_FIELDS,
    Definition,
    Fault,
    Line,
    Number,
    Program,
    Side,
    height,
    instead,
)
from posenc_gui.foundation.wording import format_bound, join_words

LONGEST = 2_000  # characters
Columns = Literal["i", "2i", "2i+1", "i+d/2"]

_SIDES: Mapping[str, Side] = {"p": "p", "P": "p", "PE": "p", "angle": "angle", "bias": "bias"}
_COLUMNS: Mapping[str, Columns] = {
    "i": "i", "2i": "2i", "2i+1": "2i+1", "1+2i": "2i+1",
    **dict.fromkeys(("i+d/2", "d/2+i", "i+d_model/2", "d_model/2+i"), "i+d/2"),
}  # fmt: skip
_WRITTEN: Mapping[Side, str] = {
    "p": "p[m, i], p[m, 2i], p[m, 2i+1] or p[m, i + d/2]",
    "angle": "angle[m, i] or angle[m, 2i]",
    "bias": "bias[m, n, h] or bias[m, n]",
}
_CALLED = {
    "m": ("m", "pos", "t", "k", "i"),
    "n": ("n", "j"),
    "i": ("i", "j", "k"),
    "h": ("h",),
}  # what papers call indices
_TOGETHER = ({"2i", "2i+1"}, {"i", "i+d/2"})  # lines that fill different columns
_SIGNED = rf"[-−+]?(?:[0-9]{{1,3}}(?:,[0-9]{{3}})+(?:\.[0-9]+)?|{NUMBER})"
_NUMBER = re.compile(_SIGNED)
_RANGE = re.compile(rf"({_SIGNED})\s*to\s*({_SIGNED})")
_LINE = re.compile(r"([^\r\n#]*)(#[^\r\n]*)?(?:\r\n|\r|\n|$)")
_MOST_MENDED = 8  # faults that a reading may mend one after the other


class _Row(NamedTuple):
    """One line of the text: the words left of its equals sign, those from it on, and its comment."""

    left: Sequence[Word]
    right: Sequence[Word]
    comment: str

    @property
    def span(self) -> tuple[int, int]:
        return self.left[0].start, self.left[-1].end


def read(text: str) -> Program:
    """Read a formula. Raises Fault, whose readings can all be read."""
    if len(text) > LONGEST:
        raise Fault(f"A formula has at most {LONGEST:,} characters, not {len(text):,}.", LONGEST, len(text))
    found = _outcome(text)
    if isinstance(found, Program):
        return found
    raise Fault(found.sentence, found.start, found.end, found.readings)


@lru_cache(maxsize=64)
def _outcome(text: str) -> Program | Fault:
    try:
        return _Reading(text).program()
    except Fault as fault:
        mended = ((words, _mended(whole)) for words, whole in fault.readings)
        fault.readings = tuple((words, whole) for words, whole in mended if whole)
        return fault.with_traceback(None)


def _mended(text: str) -> str:
    """Return the text with what is still wrong in it mended by its first reading; empty if it still can't be read."""
    for _ in range(_MOST_MENDED):
        try:
            _Reading(text).program()
        except Fault as fault:
            if not fault.readings or len(text) > LONGEST:
                return ""
            text = fault.readings[0][1]
        else:
            return text if len(text) <= LONGEST else ""
    return ""


class _Reading:
    """Reads one text: first all left sides, then what they are."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._renamed: dict[str, str] = {}
        self._lines: list[tuple[_Row, Columns, Sequence[str]]] = []
        self._definitions: dict[str, tuple[_Row, Sequence[str]]] = {}
        self._numbers: dict[str, Number] = {}
        self._side: Side | None = None

    def program(self) -> Program:
        """Return the whole. Raises Fault."""
        rows = list(self._rows())
        doors = [row for row in rows if row.left[0].meant in _SIDES]
        if not doors:
            raise Fault("Begin with p[m, i] =, angle[m, i] = or bias[m, n, h] =.", 0, len(self._text))
        for row in doors:
            self._read_door(row)
        for row in rows:
            if row not in doors:
                self._read_name(row)
        names: dict[str, Sequence[str]] = {**dict.fromkeys((*KNOWN, *self._numbers), ())}
        names |= {name: indices for name, (_, indices) in self._definitions.items()}
        lines = tuple(Line(columns, self._tree(row, indices, names)) for row, columns, indices in self._lines)
        definitions = {
            name: Definition(name, tuple(indices), self._tree(row, indices, names))
            for name, (row, indices) in self._definitions.items()
        }
        assert self._side
        return Program(self._text, self._side, lines, _in_order(definitions, lines), self._numbers)

    def _rows(self) -> Iterator[_Row]:
        for found in _LINE.finditer(self._text):
            words = words_of(self._text, *found.span(1))
            equals = next((at for at, word in enumerate(words) if word.meant == "="), None)
            if len(words) == 1:
                continue
            if equals:
                yield _Row(words[:equals], words[equals:], found[2] or "")
                continue
            start, end = words[0].start, words[-2].end
            name = "bias[m, n, h]" if any(word.meant == "n" for word in words) else "p[m, i]"
            whole = f"{self._text[:start]}{name} = {self._text[start:]}"
            raise Fault(f"Write what this is: begin with {name} =.", start, end, ((f"{name} = …", whole),))

    def _read_door(self, row: _Row) -> None:
        """Read the left side p[m, 2i], PE_{(pos,2i)}, angle[m, i], bias[m, n, h]."""
        side, place = _SIDES[row.left[0].meant], row.span
        inside = "".join(word.meant for word in row.left[1:] if word.meant not in "()*").split(",")
        columns: Columns | None = "i"
        if side != "bias" and len(inside) == 2:
            letter = next((one for one in "ijk" if one in inside[1]), "?")
            columns, inside[1] = _COLUMNS.get(inside[1].replace(letter, "i")), letter
        indices = INDICES[side][: len(inside)]
        named = list(zip(inside, indices, strict=False))
        fits = 2 <= len(inside) == len(indices) == len(set(inside)) and all(
            one in _CALLED[meant] for one, meant in named
        )
        if not fits or columns is None or (side == "angle" and columns not in ("i", "2i")):
            simplest = f"{side}[{', '.join(INDICES[side])}]"
            raise Fault(f"Write {_WRITTEN[side]} on the left.", *place, (instead(self._text, *place, simplest),))
        if self._side and side != self._side:
            raise Fault(f"One formula fills either {self._side} or {side}, not both.", *place)
        renamed = {one: meant for one, meant in named if one != meant}
        if self._lines and renamed != self._renamed:
            raise Fault("Name the indices as in the first line.", *place)
        for _, filled, _ in self._lines:
            if filled == columns:
                raise Fault(f"{self._text[slice(*place)]} is filled twice.", *place)
            if side == "angle" or {filled, columns} not in _TOGETHER:
                both = {"2i": "both fill column 0", "2i+1": "both fill column 1"}.get(
                    max(filled, columns, key="i2i+1".find)
                )
                raise Fault(f"[m, {filled}] and [m, {columns}] {both or 'fill some of the same columns'}.", *place)
        self._side, self._renamed = side, renamed
        self._lines.append((row, columns, indices))

    def _read_name(self, row: _Row) -> None:
        """Read growth = 2  # 1.1 to 4, or the left side of a definition: w[i], turn."""
        word, place = row.left[0], row.span
        inside = [one.meant for one in row.left[1:]]
        indices = [self._renamed.get(one, one) for one in inside[1:-1:2]]
        brackets = "".join(inside[:1] + inside[2:-1:2] + inside[-1:])  # "(,)"
        if not word.is_name or brackets != (f"({',' * (len(indices) - 1)})" if inside else ""):
            left = self._text[slice(*place)][:40]
            raise Fault(f"{left} is no left side: write p[m, i], angle[m, i], bias[m, n, h] or a name.", *place)
        name, at = word.meant, (word.start, word.end)
        if name in (*FUNCTIONS, *KNOWN, *INDEX_MEANINGS, *self._renamed, *KEYWORDS, "frac"):
            raise Fault(f"{name} has a meaning already: choose another name.", *at)
        if name in SESSION_FIELDS:
            other = re.sub(rf"\b{name}\b", f"my_{name}", self._text)
            raise Fault(f"{name} is a setting of its own already: choose another name.", *at, ((f"my_{name}", other),))
        if name in self._definitions or name in self._numbers:
            raise Fault(f"{name} is defined twice.", *at)
        assert self._side
        for one in indices:
            if one not in INDICES[self._side]:
                raise Fault(
                    f"{one} is no index here: in brackets stand {join_words(INDICES[self._side], 'or')}.", *place
                )
        if len(set(indices)) < len(indices):
            raise Fault(f"{self._text[slice(*place)]} has an index twice.", *place)
        said = self._text[row.right[0].end : row.right[-1].end]
        value = _NUMBER.fullmatch(said.strip())
        if value and not inside:
            self._numbers[name] = self._number(name, value[0], row.right[1].start, row.comment)
        else:
            self._definitions[name] = row, indices

    def _tree(self, row: _Row, indices: Sequence[str], names: Mapping[str, Sequence[str]]) -> ast.expr:
        return RightSide(row.right, Known(self._text, *row.span, indices, names, self._renamed)).tree()

    def _number(self, name: str, written: str, start: int, comment: str) -> Number:
        """Return a number with its range: the comment's, or the powers of ten about it."""
        value, end = _value(written), start + len(written)
        given = _RANGE.search(comment)
        if given:
            low, high = _value(given[1]), _value(given[2])
        else:
            power = 10.0 ** min(math.floor(math.log10(abs(value))), 300) if 0 < abs(value) < math.inf else 1.0
            low, high = (
                sorted((math.copysign(power / 10, value), math.copysign(power * 10, value))) if value else (-1, 1)
            )
        if not all(map(math.isfinite, (value, low, high))):
            raise Fault(f"{name} should be a smaller number.", start, end)
        said = f"{format_bound(low)} to {format_bound(high)}"
        if low >= high:
            raise Fault(f"The range of {name} should begin with its smaller end: {said}.", start, end)
        if not low <= value <= high:
            nearest = repr(low if value < low else high).removesuffix(".0")
            raise Fault(f"{name} is {format_bound(value)}, which is outside its range, {said}.", start, end, (
                instead(self._text, start, end, nearest),))  # fmt: skip
        return Number(name, value, low, high, start, end, not given)


def _in_order(definitions: Mapping[str, Definition], lines: Sequence[Line]) -> Mapping[str, Definition]:
    """Return the definitions, those that others use first. Raises Fault for circles and too many levels."""
    levels: dict[str, int] = {}

    def measure(tree: ast.expr, through: tuple[str, ...] = ()) -> int:
        inner = 0
        for node in ast.walk(tree):
            if not isinstance(node, ast.Name) or node.id not in definitions:
                continue
            name, place = node.id, (node.col_offset, cast(int, node.end_col_offset))
            if name in through:
                circle = through[through.index(name) :]
                said = (
                    f"{join_words(circle)} are defined by one another" if circle[1:] else f"{name} is defined by itself"
                )
                raise Fault(f"{said}.", *place)
            if len(through) >= MOST_LEVELS:
                raise Fault(TOO_DEEP, *place)
            if name not in levels:
                levels[name] = measure(definitions[name].tree, (*through, name))
            inner = max(inner, levels[name])
        if height(tree) + inner > MOST_LEVELS:
            raise Fault(TOO_DEEP, tree.col_offset, cast(int, tree.end_col_offset))
        return height(tree) + inner

    for line in lines:
        measure(line.tree)
    for name in definitions.keys() - levels.keys():
        if name not in levels:
            levels[name] = measure(definitions[name].tree, (name,))
    return {name: definitions[name] for name in levels}


def _value(written: str) -> float:
    return float(written.replace(",", "").replace("−", "-"))
