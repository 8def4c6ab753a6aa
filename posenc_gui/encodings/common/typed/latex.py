r"""A typed formula as LaTeX: what depends on a position inside \pos{…}."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate

from posenc_gui.encodings.common.typed.program import Program

# How tightly a part holds together: looser ones stand in brackets.
_CASES, _COMPARED, _SUM, _MOD, _SLASH, _PRODUCT, _POWER, _ATOM = range(8)
_NAMES = (
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau upsilon phi chi psi omega "
    "Gamma Delta Theta Lambda Xi Pi Sigma Phi Psi Omega"
)
_GREEK = {name.replace("amb", "am"): rf"\{name}" for name in re.findall(r"\w+", _NAMES)}  # lamda in Unicode
_SIGNS = {ast.Lt: "<", ast.LtE: r"\le", ast.Gt: ">", ast.GtE: r"\ge", ast.Eq: "=", ast.NotEq: r"\ne"}
# What stands between two parts, how tightly each must hold together, and how tightly they do then.
_OPERATIONS: Mapping[type[ast.operator], tuple[str, int, int, int]] = {
    ast.Add: (" + ", _SUM, _SLASH, _SUM), ast.Sub: (" - ", _SUM, _SLASH, _SUM),
    ast.Mod: (r" \bmod ", _SLASH, _POWER, _MOD), ast.Mult: ("", _PRODUCT, _POWER, _PRODUCT),
}  # fmt: skip
_FENCES = {"abs": ("|", "|"), "floor": (r"\lfloor", r"\rfloor"), "ceil": (r"\lceil", r"\rceil")}
_NAMED = {"log2": r"\log_2", "sign": r"\mathrm{sign}", "round": r"\mathrm{round}"}
_OPENS, _CLOSES = ("{", r"\left", r"\begin"), ("}", r"\right", r"\end")
_MOST = 1_000  # a third of a second
_LEFT = {"p": "p", "angle": r"\mathrm{angle}", "bias": "b"}


@lru_cache(maxsize=64)
def latex_lines(program: Program, coloured: bool = True) -> tuple[str, ...]:
    """Return the lines of a formula and then its definitions, numbers by their names: one that moves changes no line."""
    moving = {name for name, one in program.definitions.items() if {"m", "n"} & program.uses(one.tree)}
    writer = _Writer({"m", "n", *moving} if coloured else set())
    left, colour = _LEFT[program.side], r"\pos{{{}}}" if coloured else "{}"
    said = []
    for line in program.lines:
        indices = "m,n,h" if program.side == "bias" else f"m,{line.columns}"
        said.append(f"{colour.format(f'{left}_{{{indices}}}')} = {writer.side(line.tree)}")
    defined = (
        f"{writer.name(one.name, one.indices)} = {writer.side(one.tree)}" for one in program.definitions.values()
    )
    spaced = (re.sub(r"-(?! )", "{-}", line).replace(r" \bmod ", r"\;\mathrm{mod}\;") for line in (*said, *defined))
    return tuple(_affordable(spaced)) if coloured else (*said, *defined)


def as_latex(program: Program) -> str:
    """Return the formula, its definitions and numbers as a display that any document with amsmath takes, without colours."""
    numbers = (f"{symbol(one.name)} = {_number(one.value)}" for one in program.numbers.values())
    rows = " \\\\\n".join(line.replace(" = ", " &= ", 1) for line in (*latex_lines(program, coloured=False), *numbers))
    return f"\\[\n\\begin{{aligned}}\n{rows}\n\\end{{aligned}}\n\\]\n"


def symbol(name: str, indices: tuple[str, ...] = ()) -> str:
    """Return a name: Greek letters as such, words upright, what follows an underscore, digits and indices below."""
    head, below = re.fullmatch(r"(.[^\W\d_]*)_?(.*)", name, re.DOTALL).groups()  # type: ignore[union-attr]
    spelled = _GREEK.get(head, head if len(head) == 1 else rf"\mathrm{{{head}}}")
    words = below if len(below) < 2 or below.isdigit() else rf"\mathrm{{{below}}}".replace("_", r"\_")
    under = ",".join(filter(None, (words, *indices)))
    return f"{spelled}_{{{under}}}" if under else spelled


@dataclass(frozen=True)
class _Part:
    """A piece of LaTeX, and how tightly it holds together."""

    tex: str
    level: int = _ATOM

    def at_least(self, level: int, first: bool = False) -> str:
        """Return it in brackets if it is looser; also a minus sign that isn't the first of what is written."""
        if self.level >= level and (first or not self.tex.startswith("-")):
            return self.tex
        return _between_fences(self.tex, "(", ")")


class _Writer:
    r"""Writes trees, names that are `blue` inside \pos{…}; `small` in fractions and exponents, where a fraction gets a slash."""

    def __init__(self, blue: set[str]) -> None:
        self._blue = blue

    def name(self, name: str, indices: tuple[str, ...] = ()) -> str:
        """Return a name with its indices."""
        return rf"\pos{{{symbol(name, indices)}}}" if name in self._blue else symbol(name, indices)

    def side(self, node: ast.expr) -> str:
        """Return the LaTeX of a right side: what it is in each case below one another, which can't stand within anything."""
        if not isinstance(node, ast.IfExp):
            return self.whole(node)
        rows = []
        while isinstance(node, ast.IfExp):
            rows.append(rf"{self.whole(node.body, True)} & \text{{if }} {self.whole(node.test, True)}")
            node = node.orelse
        rows.append(rf"{self.whole(node, True)} & \text{{otherwise}}")
        return r"\begin{cases} " + r" \\ ".join(rows) + r" \end{cases}"

    def whole(self, node: ast.expr, small: bool = False) -> str:
        """Return the LaTeX of a tree that needs no brackets where it stands."""
        return self._part(node, small).tex

    def _part(self, node: ast.expr, small: bool) -> _Part:
        match node:
            case ast.Constant(value=int() | float() as value):
                return _Part(tex := _number(value), _PRODUCT if "^" in tex else _ATOM)
            case ast.Name(id=name):
                return _Part(self.name(name))
            case ast.Subscript(value=ast.Name(id=name), slice=inner):
                held = inner.elts if isinstance(inner, ast.Tuple) else [inner]
                return _Part(self.name(name, tuple(one.id for one in held if isinstance(one, ast.Name))))
            case ast.UnaryOp(op=sign, operand=operand):
                part = self._part(operand, small)
                level = _SLASH if part.level == _SLASH else _PRODUCT
                return _Part(f"-{part.at_least(_SLASH)}", level) if isinstance(sign, ast.USub) else part
            case ast.BinOp():
                return self._operation(node, small)
            case ast.Compare(left=left, ops=ops, comparators=others):
                compared = self._part(left, small).at_least(_SUM, first=True)
                for op, other in zip(ops, others, strict=True):
                    compared += f" {_SIGNS[type(op)]} {self._part(other, small).at_least(_SUM, first=True)}"
                return _Part(compared, _COMPARED)
            case ast.IfExp(test=test, body=body, orelse=other):
                parts = (self.whole(one, True) for one in (body, test, other))
                return _Part(r"{} \text{{ if }} {} \text{{ else }} {}".format(*parts), _CASES)
            case ast.Call(func=ast.Name(id=name), args=given):
                return self._call(name, given, small)
        raise AssertionError(ast.dump(node))

    def _operation(self, node: ast.BinOp, small: bool) -> _Part:
        match node.op:
            case ast.Pow():
                base = self._part(node.left, small).at_least(_ATOM)
                return _Part(f"{base}^{{{self.whole(node.right, small=True)}}}", _POWER)
            case ast.FloorDiv():
                return _Part(_between_fences(self._quotient(node, small).tex, *_FENCES["floor"]))
            case ast.Div():
                return self._quotient(node, small)
        sign, left, right, level = _OPERATIONS[type(node.op)]
        one, other = (
            self._part(node.left, small).at_least(left, first=True),
            self._part(node.right, small).at_least(right),
        )
        return _Part(f"{one}{sign or _between(one, other)}{other}", level)

    def _quotient(self, node: ast.BinOp, small: bool) -> _Part:
        if small:
            above = self._part(node.left, small).at_least(_PRODUCT, first=True)
            return _Part(f"{above}/{self._part(node.right, small).at_least(_POWER)}", _SLASH)
        above, below = self.whole(node.left, small=True), self.whole(node.right, small=True)
        if above.startswith("-") and self._part(node.left, True).level >= _SLASH:
            return _Part(rf"-\frac{{{above[1:]}}}{{{below}}}", _PRODUCT)
        return _Part(rf"\frac{{{above}}}{{{below}}}", _POWER)

    def _call(self, name: str, given: list[ast.expr], small: bool) -> _Part:
        inner = ", ".join(self.whole(one, small) for one in given)
        if name == "sqrt":
            return _Part(rf"\sqrt{{{inner}}}")
        if name in _FENCES:
            return _Part(_between_fences(inner, *_FENCES[name]))
        return _Part(_NAMED.get(name, f"\\{name}") + _between_fences(inner, "(", ")"), _POWER)


def _between_fences(inner: str, opens: str, closes: str) -> str:
    """Return it between brackets or bars, which grow with what is tall; beside a command a space ends it."""
    if r"\frac" in inner:
        return rf"\left{opens} {inner} \right{closes}"
    apart = " " if opens.startswith("\\") else ""
    return f"{opens}{apart}{inner}{apart}{closes}"


def _affordable(lines: Iterable[str]) -> Iterator[str]:
    """Yield lines, "…" for those that would take long to typeset: each group in another doubles the time."""
    left = _MOST
    for line in lines:
        words = re.findall(r"\\[a-z]+|\S", line)
        cost = sum(2**depth for depth in accumulate((word in _OPENS) - (word in _CLOSES) for word in words))
        yield line if cost <= left else line.partition(" = ")[0] + r" = \ldots"
        left -= cost if cost <= left else 0


def _between(one: str, other: str) -> str:
    """Return what stands between two factors: nothing after a number, a point before one, and before a bracket that would read
    as a function's."""
    after_number = re.search(r"(^-?|[ ,])[\d.]+$", one)
    if re.match(r"\d", other) or (after_number and other.startswith(r"\frac")):
        return r" \cdot "
    if after_number:
        return r"\," if other.startswith(r"\mathrm") else ""
    is_called = re.match(r"(\\left)?[(\[]", other) and not one.endswith(")")
    return r" \cdot " if is_called else r"\,"


def _number(value: float) -> str:
    digits, _, power = repr(float(value)).removesuffix(".0").partition("e")
    return (rf"{digits} \cdot " * (digits != "1") + f"10^{{{int(power)}}}") if power else digits
