"""One right side of a formula, from words to Python's own syntax tree, of which only these nodes occur; Python runs nothing.

Each node knows where it stands in the text: [col_offset, end_col_offset). `**` stands for ^, `%` for mod.
"""

from __future__ import annotations

import ast
import difflib
import math
from collections.abc import Mapping, Sequence
from keyword import iskeyword
from typing import NamedTuple

from posenc_gui.encodings.common.typed.lexing import Word
from posenc_gui.encodings.common.typed.program import FUNCTIONS, INDEX_MEANINGS, OF_SEVERAL, Fault, fault
from posenc_gui.foundation.errors import shorten_value
from posenc_gui.foundation.wording import quote

MOST_LEVELS = 50
TOO_DEEP = f"A formula has at most {MOST_LEVELS} levels, one within another: give a part a name of its own."
_IF, _COMPARED, _SUM, _PRODUCT, _SIGN, _POWER = range(1, 7)  # how tightly words bind what stands beside them
_COMPARISONS: Mapping[str, type[ast.cmpop]] = {
    "<": ast.Lt, "<=": ast.LtE, ">": ast.Gt, ">=": ast.GtE, "==": ast.Eq, "!=": ast.NotEq,
}  # fmt: skip
_OPERATORS: Mapping[str, type[ast.operator]] = {
    "+": ast.Add, "-": ast.Sub, "*": ast.Mult, "/": ast.Div, "//": ast.FloorDiv, "mod": ast.Mod, "^": ast.Pow,
}  # fmt: skip
_LEVELS = {
    "if": _IF, **dict.fromkeys(_COMPARISONS, _COMPARED), "+": _SUM, "-": _SUM,
    **dict.fromkeys(("*", "/", "//", "mod"), _PRODUCT), "^": _POWER,
}  # fmt: skip
_ALIKE = 0.7  # the share of letters in common of a name and that which may be meant


class Known(NamedTuple):
    """What may stand on a right side: the indices of its left side, which stands in a place of the text, and names with the
    indices in their brackets."""

    text: str
    place: tuple[int, int]
    indices: Sequence[str]
    names: Mapping[str, Sequence[str]]


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
        self._require("", f"{self._shown(self._now)} has no place here.")
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
                self._require_product(operand, depth)
                if joined in ("/", "//", "mod", "^"):
                    raise self._two_readings(start, operand, joined, depth)
                sign, level = "", _PRODUCT
            if level <= tight:
                return left
            self._at += bool(sign)
            operand, joined = self._now.start, sign
            if level == _IF:
                test = self._expression(_IF, depth + 1)
                self._require("else", "Write what it is otherwise, too: a if c else b.")
                left = ast.IfExp(test, left, self._expression(0, depth + 1))
            elif level == _COMPARED:
                ops, others = [_COMPARISONS[sign]()], [self._expression(_COMPARED, depth)]
                while self._now.meant in _COMPARISONS:
                    ops.append(_COMPARISONS[self._take().meant]())
                    others.append(self._expression(_COMPARED, depth))
                left = ast.Compare(left, ops, others)
            else:
                right = self._expression(*((_SIGN, depth + 1) if sign == "^" else (level, depth)))
                left = ast.BinOp(left, _OPERATORS[sign or "*"](), right)
            self._place(left, start)

    def _operand(self, depth: int) -> ast.expr:
        """Read a number, a name, or what stands in brackets; a sign before them."""
        word = self._take()
        if depth > MOST_LEVELS:
            raise fault(self._text, word[1:], TOO_DEEP)
        if word.meant in ("-", "+"):
            sign = ast.USub() if word.meant == "-" else ast.UAdd()
            return self._place(ast.UnaryOp(sign, self._expression(_SIGN, depth + 1)), word.start)
        found: ast.expr
        ended = ""
        if word.is_number:
            if (value := float(word.meant)) == math.inf:
                raise fault(self._text, word[1:], f"{shorten_value(word.meant)} is too large a number.")
            whole = word.meant.isdigit() and value < 2**53
            found, ended = ast.Constant(int(value) if whole else value), "number"
        elif word.meant == "(":
            self._at -= 1
            found, ended = self._arguments(depth, "A bracket")[0], "bracket"
        elif word.meant == "|":
            self._bars += 1
            inner, ended = self._expression(0, depth + 1), "bracket"
            self._require("|", "This | is not closed.", word)
            self._bars -= 1
            found = self._call("abs", [inner], word)
        elif word.is_name:
            found = self._named(word, depth)
        else:
            near, beside = (word, "before") if word.meant else (self._words[self._at - 2], "after")
            raise fault(self._text, near[1:], f"A value is missing {beside} {self._shown(near)}.")
        self._ended = ended
        return self._place(found, word.start)

    def _named(self, word: Word, depth: int) -> ast.expr:
        """Read a function's call, a definition with its indices, or a name alone."""
        name, in_brackets = word.meant, self._now.meant == "("
        if name == "frac" and in_brackets:
            over, under = (self._arguments(depth, "A fraction")[0] for _ in range(2))
            return ast.BinOp(over, ast.Div(), under)
        if name in FUNCTIONS:
            if not in_brackets and not self._begins_operand():
                raise fault(self._text, word[1:], f"Write brackets after {name}.")
            given = self._arguments(depth, name) if in_brackets else [self._expression(_SIGN, depth + 1)]
            if not in_brackets and self._text[word.start] != "√":
                whole = f"{name}({self._text[given[0].col_offset : self._before.end]})"
                raise fault(self._text, (word.start, self._before.end), f"Write brackets after {name}.", whole)
            return self._call(name, given, word)
        if name in self._known.indices:
            return ast.Name(name, ast.Load())
        if name not in self._known.names:
            raise self._unknown(name, word)
        indices = self._known.names[name]
        if not indices:
            return ast.Name(name, ast.Load())
        given = self._arguments(depth) if in_brackets else []
        if [one.id if isinstance(one, ast.Name) else "" for one in given] != list(indices):
            asked = f"{name}[{', '.join(indices)}]"
            place = word.start, self._before.end
            raise fault(self._text, place, f"{name} is defined as {asked}: use it so.", asked)
        below = given[0] if len(given) == 1 else ast.Tuple(given, ast.Load())
        return ast.Subscript(self._place(ast.Name(name, ast.Load()), word.start), below, ast.Load())

    def _arguments(self, depth: int, of: str = "") -> list[ast.expr]:
        """Read values in brackets, between commas: as many as `of` takes, any number if that is empty."""
        self._require("(", f"{of} needs brackets.")
        opening, bars, self._bars = self._before, self._bars, 0
        given = [self._expression(0, depth + 1)]
        while self._now.meant == ",":
            self._take()
            given.append(self._expression(0, depth + 1))
        self._require(")", f"This {self._shown(opening)} is not closed.", opening)
        self._bars = bars
        if of and (of in OF_SEVERAL) != (len(given) > 1):
            takes = "two values or more" if of in OF_SEVERAL else "one value"
            raise fault(self._text, (opening.start, self._before.end), f"{of} takes {takes}, not {len(given)}.")
        return given

    def _begins_operand(self) -> bool:
        now = self._now
        return now.is_name or now.is_number or now.meant == "(" or (now.meant == "|" and not self._bars)

    def _require_product(self, operand: int, depth: int) -> None:
        """Raise Fault unless a number stands before a name or bracket, or a bracket before a bracket: a product."""
        end, second = self._before.end, self._now
        if (self._ended == "number" and not second.is_number) or (self._ended == "bracket" and second.meant in "(|"):
            return
        if turn := self._turn(self._at - 1):
            raise turn
        one, other = self._text[operand:end], self._shown(second)
        self._operand(depth + 1)
        said = f"A sign is missing between {quote(shorten_value(one))} and {quote(other)}."
        place = operand, self._before.end
        raise fault(self._text, place, said, f"{one} * {self._text[second.start : place[1]]}")

    def _two_readings(self, start: int, operand: int, joined: str, depth: int) -> Fault:
        """1/2i, 10000^2i/d: whether the product or the sign before it comes first."""
        text, ended, follows = self._text, self._before.end, self._now.start
        self._expression(_SIGN, depth + 1)
        while joined == "^" and self._now.meant == "/":
            self._take()
            self._expression(_SIGN, depth + 1)
        end = self._before.end
        apart = text[start:ended] if joined == "^" else f"({text[start:ended]})"
        readings = f"{text[start:operand]}({text[operand:end]})", f"{apart} * {text[follows:end]}"
        return fault(text, (start, end), f"{shorten_value(text[start:end])} can be read in two ways.", *readings)

    def _unknown(self, name: str, word: Word) -> Fault:
        """A name that means nothing here: an index that the left side hasn't, one mistyped, or one to be defined."""
        text, left_place, indices, names = self._known
        place, shown, left = word[1:], self._shown(word), text[slice(*left_place)]
        if turn := self._turn(self._at - 1):
            return turn
        if name in INDEX_MEANINGS:
            head = left.split("[")[0].split("(")[0].strip()
            more = f"{head}[{', '.join((*indices, name))}]"
            if head in names or (head, name) == ("bias", "h"):
                extended = fault(text, left_place, "", more).readings
                return Fault(f"{left} has no {name}: write {more}.", *place, extended)
            return Fault(f"{left} has no {name}, which is {INDEX_MEANINGS[name]}.", *place)
        allowed = {one.casefold(): one for one in (*FUNCTIONS, *names, *indices)}
        if close := difflib.get_close_matches(name.casefold(), allowed, 1, _ALIKE):
            meant = allowed[close[0]]
            return fault(text, place, f"{shown} is not known here. Did you mean {meant}?", meant)
        line, is_called = f"{name} = 1", self._now.meant == "("
        if is_called and "i" in indices and self._words[self._at + 1].meant == "i":
            line, is_called = f"{name}[i] = 10000^(-2i/d)", False
        if is_called or iskeyword(name):
            return Fault(f"{shown} is not known here.", *place)
        said = f"{shown} is not known here: define it on a line of its own, {line}."
        return Fault(said, *place, ((line, f"{text}\n{line}"),))

    def _turn(self, at: int) -> Fault | None:
        """e^(i m θ), a turn in complex numbers: i counts pairs here, and the angle alone is written."""
        words, text = self._words, self._text
        before = [one.meant for one in words[max(at - 3, 0) : at]]
        begin = at - 3 if before == ["e", "^", "("] else at - 2 if before[1:] == ["exp", "("] else -1
        if begin < 0 or words[at].meant[0] not in "ij":
            return None
        depth, end = 1, at
        while words[end].meant and depth:
            end += 1
            depth += {"(": 1, ")": -1}.get(words[end].meant, 0)
        line = f"angle[m, i] = {text[words[at].start + 1 : words[end].start].strip(' *·')}"
        whole = text[: self._known.place[0]] + line + text[words[-1].end :]
        said = "i counts pairs here: a turn is written by its angle, angle[m, i]."
        return Fault(said, words[begin].start, words[end].end, ((line, whole),))

    def _require(self, meant: str, sentence: str, place: Word | None = None) -> None:
        """Take this word. Raises Fault, at `place` or where it should be."""
        if self._now.meant == "=":
            raise fault(self._text, self._now[1:], "Write == to compare two values.", "==")
        if self._now.meant != meant:
            end, at = self._words[-1].end, place or (self._now if self._now.meant else self._before)
            closed = fault(self._text, (end, end), "", meant).readings if place else ()
            raise Fault(sentence, at.start, at.end, closed)
        self._at += bool(meant)

    def _shown(self, word: Word) -> str:
        return self._text[word.start : word.end]

    def _call(self, name: str, given: list[ast.expr], word: Word) -> ast.expr:
        return ast.Call(self._place(ast.Name(name, ast.Load()), word.start), given, [])

    def _place(self, node: ast.expr, start: int) -> ast.expr:
        node.lineno = node.end_lineno = 1
        node.col_offset, node.end_col_offset = start, self._before.end
        return node
