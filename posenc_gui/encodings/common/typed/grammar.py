"""One right side of a formula, from words to Python's own syntax tree, over an allow-list; Python itself reads and runs nothing.

Each node knows where it stands in the text: [col_offset, end_col_offset). `**` stands for ^, `%` for mod.
"""

from __future__ import annotations

import ast
import difflib
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from posenc_gui.encodings.common.typed.lexing import Word
from posenc_gui.encodings.common.typed.program import FUNCTIONS, INDEX_MEANINGS, Fault, height, instead
from posenc_gui.foundation.wording import inflect

MOST_LEVELS = 50
TOO_DEEP = f"A formula has at most {MOST_LEVELS} levels, one within another: give a part a name of its own."
_COMPARED, _PRODUCT, _SIGN, _POWER = 2, 4, 5, 6  # how tightly words bind what stands beside them
_COMPARISONS: Mapping[str, type[ast.cmpop]] = {
    "<": ast.Lt, "<=": ast.LtE, ">": ast.Gt, ">=": ast.GtE, "==": ast.Eq, "!=": ast.NotEq,
}  # fmt: skip
_OPERATORS: Mapping[str, type[ast.operator]] = {
    "+": ast.Add, "-": ast.Sub, "*": ast.Mult, "/": ast.Div, "//": ast.FloorDiv, "mod": ast.Mod, "^": ast.Pow,
}  # fmt: skip
_LEVELS = {
    "if": 1, **dict.fromkeys(_COMPARISONS, _COMPARED), "+": 3, "-": 3,
    **dict.fromkeys(("*", "/", "//", "mod"), _PRODUCT), "^": _POWER,
}  # fmt: skip


@dataclass(frozen=True)
class Known:
    """What may stand on a right side. left: its left side, [start, end) in the text. indices: those of the left side. names: all
    others, with the indices in their brackets. renamed: what indices are called in this formula, pos for m."""

    text: str
    start: int
    end: int
    indices: Sequence[str]
    names: Mapping[str, Sequence[str]]
    renamed: Mapping[str, str]

    @property
    def left(self) -> str:
        """The left side as it is written."""
        return self.text[self.start : self.end]


class RightSide:
    """Reads the words of one right side, of which the first is its equals sign."""

    def __init__(self, words: Sequence[Word], known: Known) -> None:
        self._words, self._known, self._text = words, known, known.text
        self._at = 1
        self._bars = 0  # how many | are open
        self._ended = ""  # what the last operand was: "number", "bracket", or else

    def tree(self) -> ast.expr:
        """Return the whole side. Raises Fault."""
        found = self._expression()
        self._refuse_equals()
        if self._now.meant:
            raise self._fault(f"{self._now.meant} closes nothing here" if self._now.meant in ")|" else
                              f"{self._now.meant} has no place here", self._now, ("without it", ""))  # fmt: skip
        if height(found) > MOST_LEVELS:
            raise Fault(TOO_DEEP, self._words[1].start, self._words[-1].end)
        return found

    @property
    def _now(self) -> Word:
        return self._words[self._at]

    @property
    def _before(self) -> Word:
        return self._words[self._at - 1]

    def _take(self) -> Word:
        self._at += 1
        return self._before

    def _expression(self, tight: int = 0, depth: int = 1) -> ast.expr:
        """Read operands as long as what joins them binds more than `tight`."""
        start = operand = self._now.start
        left = self._operand(depth)
        joined = ""  # by what the last operand is joined to those before
        while True:
            sign, level = self._now.meant, _LEVELS.get(self._now.meant, 0)
            if self._begins_operand():
                self._require_product(left, start)
                if joined in ("/", "//", "mod", "^"):
                    raise self._two_readings(start, operand, joined, depth)
                sign, level = "", _PRODUCT
            if level <= tight:
                return left
            if sign:
                self._take()
            operand = self._now.start
            if sign == "if":
                test = self._expression(1, depth + 1)
                self._require("else", "Write what it is otherwise: a if c else b")
                left = self._placed(ast.IfExp(test, left, self._expression(0, depth + 1)), start)
            elif level == _COMPARED:
                compared = [(_COMPARISONS[sign](), self._expression(_COMPARED, depth))]
                while self._now.meant in _COMPARISONS:
                    compared.append((_COMPARISONS[self._take().meant](), self._expression(_COMPARED, depth)))
                left = self._placed(ast.Compare(left, *map(list, zip(*compared, strict=True))), start)
            else:
                right = self._expression(*((_SIGN, depth + 1) if sign == "^" else (level, depth)))
                left = self._placed(ast.BinOp(left, _OPERATORS[sign or "*"](), right), start)
            joined = sign

    def _operand(self, depth: int) -> ast.expr:
        """Read a number, a name, or what stands in brackets; a sign before them."""
        word = self._take()
        found: ast.expr
        if depth > MOST_LEVELS:
            raise Fault(TOO_DEEP, word.start, word.end)
        if word.meant in ("-", "+") and word.meant:
            sign = ast.USub() if word.meant == "-" else ast.UAdd()
            return self._placed(ast.UnaryOp(sign, self._expression(_SIGN, depth + 1)), word.start)
        ended = ""
        if word.is_number:
            found, ended = ast.Constant(_number(word)), "number"
        elif word.meant == "(":
            self._at -= 1
            (found,), ended = self._arguments(depth, 1, 1, "A bracket"), "bracket"
        elif word.meant == "|":
            self._bars += 1
            inner = self._expression(0, depth + 1)
            self._require("|", "The first | is not closed", word)
            self._bars -= 1
            found, ended = ast.Call(ast.Name("abs", ast.Load()), [inner], []), "bracket"
        elif word.is_name:
            found = self._named(word, depth)
        else:
            self._at -= 1
            beside = (
                f"after {self._text[self._before.start : self._before.end]}"
                if not word.meant
                else f"before {word.meant}"
            )
            raise self._fault(f"A value is missing {beside}", word if word.meant else self._before)
        self._ended = ended
        return self._placed(found, word.start)

    def _named(self, word: Word, depth: int) -> ast.expr:
        """Read a function's call, a definition with its indices, or a name alone."""
        name = self._known.renamed.get(word.meant, word.meant)
        if name == "frac" and self._now.meant == "(":
            (over,), (under,) = (self._arguments(depth, 1, 1, "A fraction") for _ in range(2))
            return ast.BinOp(over, ast.Div(), under)
        if name in FUNCTIONS:
            least, most = FUNCTIONS[name]
            if self._now.meant == "(":
                given = self._arguments(depth, least, most, name)
            elif self._begins_operand():
                given = [self._expression(_SIGN, depth + 1)]
                argument = self._text[given[0].col_offset : self._before.end]
                if self._text[word.start] != "√":
                    raise Fault(f"Write brackets after {name}.", word.start, self._before.end, (
                        instead(self._text, word.start, self._before.end, f"{name}({argument})"),))  # fmt: skip
            else:
                raise self._fault(f"Write brackets after {name}, {name}(m)", word)
            return ast.Call(ast.Name(name, ast.Load()), given, [])
        if name in self._known.indices:
            return ast.Name(name, ast.Load())
        if name not in self._known.names:
            raise self._unknown(name, word)
        indices = self._known.names[name]
        if not indices:
            return ast.Name(name, ast.Load())
        given = self._arguments(depth, 0, 9, name) if self._now.meant == "(" else []
        if [one.id if isinstance(one, ast.Name) else "" for one in given] != list(indices):
            asked = f"{name}[{', '.join(indices)}]"
            raise Fault(f"{name} is defined for {asked}: use it as that.", word.start, self._before.end, (
                instead(self._text, word.start, self._before.end, asked),))  # fmt: skip
        inner = given[0] if len(given) == 1 else ast.Tuple(given, ast.Load())
        return ast.Subscript(self._placed(ast.Name(name, ast.Load()), word.start), inner, ast.Load())

    def _arguments(self, depth: int, least: int, most: int, of: str) -> list[ast.expr]:
        """Read values in brackets, between commas."""
        self._require("(", f"{of} needs brackets")
        opening, bars, self._bars = self._before, self._bars, 0
        given = [self._expression(0, depth + 1)]
        while self._now.meant == ",":
            self._take()
            given.append(self._expression(0, depth + 1))
        self._require(")", f"{self._text[opening.end - 1]} is not closed", opening)
        self._bars = bars
        if not least <= len(given) <= most:
            values = f"{least} {inflect(least, 'value')}" if least == most else f"{least} values or more"
            raise Fault(f"{of} takes {values}, not {len(given)}.", opening.start, self._before.end)
        return given

    def _begins_operand(self) -> bool:
        now = self._now
        return now.is_name or now.is_number or now.meant == "(" or (now.meant == "|" and not self._bars)

    def _require_product(self, left: ast.expr, start: int) -> None:
        """Raise Fault unless a number stands before a name or bracket, or a bracket before a bracket: a product."""
        first, second = self._before, self._now
        if (self._ended == "number" and not second.is_number) or (self._ended == "bracket" and second.meant in "(|"):
            return
        raise self._turn(self._at - 1) or Fault(
            f"A sign is missing between {self._shown(first)} and {self._shown(second)}.", first.start, second.end, (
                (f"{self._shown(first)} * {self._shown(second)}",
                 f"{self._text[: first.end]} * {self._text[second.start :]}"),))  # fmt: skip

    def _shown(self, word: Word) -> str:
        return self._text[word.start : word.end]

    def _two_readings(self, start: int, operand: int, joined: str, depth: int) -> Fault:
        """1/2i, 10000^2i/d: whether the product or the sign before it comes first."""
        ended, follows = self._before.end, self._now.start
        self._expression(_SIGN, depth + 1)
        while joined == "^" and self._now.meant == "/":
            self._take()
            self._expression(_SIGN, depth + 1)
        end, text = self._before.end, self._text
        first = f"{text[start:operand]}({text[operand:end]})"
        second = f"{text[start:ended]}" if joined == "^" else f"({text[start:ended]})"
        return Fault(f"{text[start:end]} can be read in two ways.", start, end, (
            instead(text, start, end, first), instead(text, start, end, f"{second} * {text[follows:end]}")))  # fmt: skip

    def _unknown(self, name: str, word: Word) -> Fault:
        """A name that means nothing here: an index that the left side hasn't, one mistyped, or one to be defined."""
        known, text, place = self._known, self._text, (word.start, word.end)
        if turn := self._turn(self._at - 1):
            return turn
        if name in INDEX_MEANINGS:
            more = ", ".join((*known.indices, name))
            head = known.left.split("[")[0].split("(")[0].strip()
            written = f"{head}[{more}]"
            if (head == "bias" and name == "h") or head in known.names:
                return Fault(f"{known.left} has no {name}: write {written}.", *place, (
                    instead(text, known.start, known.end, written),))  # fmt: skip
            return Fault(f"{known.left} has no {name}, which is {INDEX_MEANINGS[name]}.", *place)
        allowed = {one.casefold(): one for one in (*FUNCTIONS, *known.names, *known.indices)}
        close = difflib.get_close_matches(name[:40].casefold(), allowed, 1)
        shown = self._shown(word)[:40]
        if close:
            meant = allowed[close[0]]
            return Fault(f"{shown} is not known here. Did you mean {meant}?", *place, (instead(text, *place, meant),))
        index = self._now.meant == "(" and "i" in known.indices and self._words[self._at + 1].meant == "i"
        line = f"{name}[i] = 10000^(-2i/d)" if index else f"{name} = 1"
        return Fault(f"{shown} is not known here: define it on a line of its own, {line}.", *place, (
            (line, f"{text}\n{line}"),))  # fmt: skip

    def _turn(self, at: int) -> Fault | None:
        """e^(i m θ), a turn in complex numbers: i counts pairs here, and the angle alone is written."""
        words, text = self._words, self._text
        before = [one.meant for one in words[max(at - 3, 0) : at]]
        if not (before == ["e", "^", "("] or before[1:] == ["exp", "("]) or words[at].meant[0] not in "ij":
            return None
        depth, end = 1, at
        while words[end].meant and depth:
            end += 1
            depth += {"(": 1, ")": -1}.get(words[end].meant, 0)
        angle = text[words[at].start + 1 : words[end].start].strip(" *·")
        line = f"angle[m, i] = {angle}"
        whole = f"{text[: self._known.start]}{line}{text[words[-1].end :]}"
        return Fault("i counts pairs here: a turn is written by its angle, angle[m, i].", words[at - 3].start,
                     words[end].end, ((line, whole),))  # fmt: skip

    def _require(self, meant: str, sentence: str, place: Word | None = None) -> None:
        if self._now.meant != meant:
            self._refuse_equals()
            end = self._words[-1].end
            readings = ((meant, f"{self._text[:end].rstrip()}{meant}{self._text[end:]}"),) if meant in ")|" else ()
            at = place or (self._now if self._now.meant else self._before)
            raise Fault(f"{sentence}.", at.start, at.end, readings)
        self._take()

    def _refuse_equals(self) -> None:
        if self._now.meant == "=":
            raise self._fault("Write == to compare two values", self._now, ("==", "=="))

    def _fault(self, sentence: str, word: Word, *new: tuple[str, str]) -> Fault:
        readings = tuple((words, instead(self._text, word.start, word.end, text)[1]) for words, text in new)
        return Fault(f"{sentence}.", word.start, word.end, readings)

    def _placed(self, node: ast.expr, start: int) -> ast.expr:
        node.lineno = node.end_lineno = 1
        node.col_offset, node.end_col_offset = start, self._before.end
        return node


def _number(word: Word) -> int | float:
    value = float(word.meant)
    if value > sys.float_info.max:
        raise Fault(f"{word.meant[:20]} is too large a number.", word.start, word.end)
    return int(value) if word.meant.isdigit() and value < 2**53 else value
