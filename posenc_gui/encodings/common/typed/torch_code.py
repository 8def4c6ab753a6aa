"""A typed formula as PyTorch code, for what `code` of an encoding offers: lines as ruff formats them."""

from __future__ import annotations

import ast
import builtins
import keyword
import re
from collections.abc import Callable, Mapping
from typing import Any

from posenc_gui.encodings.common.typed.program import INDICES, Program

_ROOM = 62  # characters of an expression, beside what a line assigns it to: 88 in all
_TAKEN = {  # by the code around a formula, by Python, or hard to read
    "torch", "math", "position_vectors", "positions", "length", "columns", "rotate", "x", "side", "angles", "cos", "sin", "a", "b",
    "turned", "scores", "q", "k", "q_positions", "k_positions", "bias", "m", "n", "i", "h", "l", "O", "I",
    *dir(builtins), *keyword.kwlist,
}  # fmt: skip


class TorchCode:
    """Lines of code for a formula's trees: what depends on an index is a tensor in float64, all else one of Python's numbers.

    sizes: d, d_model, d_head and H. An expression that is too long for a line gets lines for its parts before it.
    """

    def __init__(self, program: Program, sizes: Mapping[str, int]) -> None:
        self.lines: list[str] = []
        self._program, self._indices = program, frozenset(INDICES[program.side])
        self._names = {name: name for name in self._indices} | {name: f"{size}" for name, size in sizes.items()}
        self._names |= {"pi": "math.pi", "e": "math.e", "L": "length"}
        for name in (*program.numbers, *program.definitions):
            self._names[name] = self._fresh(name)
        self.used = frozenset[str]().union(*(program.uses(line.tree) for line in program.lines))
        for one in program.definitions.values():  # those that others use come first
            if one.name in self.used:
                self.assign(self._names[one.name], one.tree)

    @property
    def constants(self) -> str:
        """The numbers that the formula names, a line each."""
        named = (one for one in self._program.numbers.values() if one.name in self.used)
        return "\n".join(f"{self._names[one.name]} = {_literal(one.value)}" for one in named)

    def assign(self, left: str, tree: ast.expr, always_tensor: bool = False) -> None:
        """Append the line that gives a target a tree's values."""
        code = self._tensor(tree) if always_tensor else self._value(tree)
        self.lines.append(f"{left} = {_text(code)}")

    def is_tensor(self, tree: ast.expr) -> bool:
        """Return True if a tree depends on an index."""
        return bool(self._program.uses(tree) & self._indices)

    def _fresh(self, wanted: str) -> str:
        """Return a name that nothing else has: with an underscore after one that is taken."""
        while wanted in _TAKEN or wanted in self._names.values():
            wanted += "_"
        return wanted

    def _value(self, tree: ast.expr) -> ast.expr:
        """Return the code of a tree's value: 1 and 0 for True and False."""
        code = self._translated(tree)
        return _call(ast.Attribute(code, "double")) if isinstance(tree, ast.Compare) and self.is_tensor(tree) else code

    def _tensor(self, tree: ast.expr) -> ast.expr:
        """Return the same, also of a number alone as a tensor."""
        return self._value(tree) if self.is_tensor(tree) else _call("torch.full_like", ast.Name("m"), self._value(tree))

    def _translated(self, tree: ast.expr) -> ast.expr:
        match tree:
            case ast.Constant(value=value):
                return ast.Name(f"{value:_}" if isinstance(value, int) else _literal(value))  # type: ignore[arg-type]
            case ast.Name(id=name) | ast.Subscript(value=ast.Name(id=name)):
                return ast.Name(self._names[name])
            case ast.UnaryOp(op=op, operand=operand):
                return self._joined(lambda inner: ast.UnaryOp(op, inner), self._value(operand))
            case ast.BinOp(left=left, op=op, right=right):
                base = (
                    ast.Name(_literal(left.value))
                    if isinstance(left, ast.Constant) and isinstance(op, ast.Pow)
                    else None
                )
                return self._joined(
                    lambda one, other: ast.BinOp(one, op, other), base or self._value(left), self._value(right)
                )
            case ast.Compare(left=left, ops=ops, comparators=others):
                terms, found = [left, *others], ast.expr()
                for number, op in enumerate(ops):
                    pair = self._joined(
                        lambda one, other: ast.Compare(one, [op], [other]),
                        *map(self._value, terms[number : number + 2]),
                    )
                    found = (
                        self._joined(lambda one, other: ast.BinOp(one, ast.BitAnd(), other), found, pair)
                        if number
                        else pair
                    )
                return found
            case ast.IfExp(test=test, body=body, orelse=other):
                condition = self._translated(test)
                if not isinstance(test, ast.Compare):
                    condition = ast.Compare(condition, [ast.NotEq()], [ast.Name("0")])
                if self.is_tensor(test):
                    return self._joined(_caller("torch.where"), condition, self._tensor(body), self._value(other))
                return self._joined(lambda *of: ast.IfExp(*of), condition, self._value(body), self._value(other))
            case ast.Call(func=ast.Name(id=name), args=given):
                return self._called(name, given)
        raise AssertionError(ast.dump(tree))

    def _called(self, name: str, given: list[ast.expr]) -> ast.expr:
        if not any(map(self.is_tensor, given)):
            inner = [self._value(one) for one in given]
            if name == "sign":
                return self._joined(
                    lambda one: ast.parse(f"({_text(one)} > 0) - ({_text(one)} < 0)", mode="eval").body, *inner
                )
            return self._joined(_caller(name if name in dir(builtins) else f"math.{name}"), *inner)
        found, *rest = map(self._tensor, given)
        for one in rest:
            found = self._joined(_caller(f"torch.{name}imum"), found, one)
        return found if rest else self._joined(_caller(f"torch.{name}"), found)

    def _joined(self, build: Callable[..., ast.expr], *operands: ast.expr) -> ast.expr:
        """Return what is built of the operands; where that is too long, the longest get lines and names of their own."""
        held = [*operands]
        while len(_text(build(*held))) > _ROOM:
            longest = max(range(len(held)), key=lambda at: len(_text(held[at])))
            line = _text(held[longest])
            name = next((name for name, _, same in (one.partition(" = ") for one in self.lines) if same == line), "")
            if not name:
                name = self._names["part"] = self._fresh(f"part_{len(self.lines) + 1}")
                self.lines.append(f"{name} = {line}")
            held[longest] = ast.Name(name)
        return build(*held)


def _literal(number: Any) -> str:
    return f"{float(number):_}"


def _caller(function: str) -> Callable[..., ast.expr]:
    return lambda *given: _call(function, *given)


def _call(function: str | ast.expr, *given: ast.expr) -> ast.expr:
    return ast.Call(ast.Name(function) if isinstance(function, str) else function, [*given], [])


def _text(code: ast.expr) -> str:
    """Return code as ruff formats it: no spaces around a power of names and numbers."""
    return re.sub(r"([\w.]+) \*\* (-?[\w.]+)(?![\w.(\[]| \*\*)", r"\1**\2", ast.unparse(code))
