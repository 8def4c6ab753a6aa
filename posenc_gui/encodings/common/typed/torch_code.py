"""A typed formula as PyTorch code, for what `code` of an encoding offers: lines as ruff formats them."""

from __future__ import annotations

import ast
import builtins
import keyword
import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial, reduce
from typing import Any

from posenc_gui.encodings.common.rotary import PairingCode
from posenc_gui.encodings.common.typed.program import INDICES, Program

_ROOM = 62  # characters of an expression, beside what a line assigns it to: 88 in all
_AROUND = (  # a formula: names of the code there, and those that are hard to read
    "torch math position_vectors positions length columns rotate x side angles a b turned scores q k q_positions "
    "k_positions bias m n i h l O I"
)
_TAKEN = {*re.findall(r"\w+", _AROUND), *dir(builtins), *keyword.kwlist}


def vectors_code(program: Program, sizes: Mapping[str, int], share: str) -> tuple[str, str]:
    """Return a module's head, and `position_vectors`; `share` is a factor, "0.5 * ". sizes: d, d_model, d_head and H."""
    code, width = _TorchCode(program, sizes), sizes["d"]
    trees = {line.columns: line.tree for line in program.lines}
    half = (width + 1) // 2  # of an odd width the last column is cut off
    count, filled = (width, width) if trees.keys() == {"i"} else (half, 2 * half)
    places = {"i": f":{half}" if filled > count else ":", "2i": "0::2", "2i+1": "1::2", "i+d/2": f"{half}:"}
    given = {
        "length": "int(positions.max()) + 1",
        "m": "positions[:, None].to(torch.float64)  # (n, 1)",
        "i": f"torch.arange({count}, dtype=torch.float64, device=positions.device)",
        "columns": f"m.new_zeros(len(m), {filled})",
    }
    for columns in sorted(trees):
        code.assign(f"columns[:, {places[columns]}]", trees[columns])
    if trees.keys() == {"i"} and {"m", "i"} <= program.uses(trees["i"]):
        code.lines[-1] = code.lines[-1].replace("columns[:, :]", "columns", 1)
        del given["columns"]
    cut = f"[:, :{width}]" if filled > width else ""
    says = f'def position_vectors(positions):\n    """Positions (n,) -> (n, {width})."""'
    return code.blocks(says, given, [f"return {share}columns{cut}.float()  # (n, {width})"])


def rotation_code(program: Program, sizes: Mapping[str, int], share_lines: Sequence[str]) -> tuple[str, str]:
    """Return a module's head, and `rotate`."""
    code, width, half = _TorchCode(program, sizes), sizes["d"], sizes["d"] // 2
    spelled = PairingCode.of(width, "interleaved" if program.lines[0].columns == "2i" else "half")
    code.assign("angles", program.lines[0].tree, as_tensor=True)
    given = {
        "length": "int(positions.max()) + 1",
        "m": "positions[:, None].to(torch.float64)  # (n, 1)",
        "i": f"torch.arange({half}, dtype=torch.float64, device=positions.device)",
    }
    last = [
        *share_lines,
        "cos, sin = angles.cos().to(x), angles.sin().to(x)",
        f"a, b = {spelled.split}  # (..., n, {half}) each",
        f"turned = {spelled.turned}",
        f"return turned  # (..., n, {width})",
    ]
    says = (
        'def rotate(x, positions, side="query"):\n'
        f'    """x (..., n, {width}), positions (n,) -> alike, pairs {spelled.pairs} turned."""'
    )
    return code.blocks(says, given, last)


def scores_code(program: Program, sizes: Mapping[str, int], share: str) -> tuple[str, str]:
    """Return a module's head, and `scores`."""
    code, heads, width = _TorchCode(program, sizes), sizes["H"], sizes["d_head"]
    code.assign("bias", program.lines[0].tree, as_tensor=True)
    given = {
        "length": "int(k_positions.max()) + 1",
        "m": "q_positions[:, None].double()  # (n_q, 1)",
        "n": "k_positions.double()  # (n_k,)",
        "h": f"torch.arange({heads}, dtype=torch.float64, device=q.device)[:, None, None]",
    }
    says = (
        "def scores(q, k, q_positions, k_positions):\n"
        f'    """q ({heads}, n_q, {width}), k ({heads}, n_k, {width}) -> ({heads}, n_q, n_k), before the mask."""'
    )
    return code.blocks(says, given, [f"return q @ k.mT / math.sqrt({width}) + {share}bias.to(q)"])


class _TorchCode:
    """Lines of code for a formula's trees: what depends on an index is a tensor in float64, all else one of Python's numbers.

    An expression that is too long for a line gets lines for its parts before it.
    """

    def __init__(self, program: Program, sizes: Mapping[str, int]) -> None:
        self.lines: list[str] = []
        self._parts: dict[str, str] = {}
        self._program, self._indices = program, frozenset(INDICES[program.side])
        self._names = {name: name for name in self._indices} | {name: f"{size}" for name, size in sizes.items()}
        self._names |= {"pi": "math.pi", "e": "math.e", "L": "length"}
        for name in (*program.numbers, *program.definitions):
            self._names[name] = self._fresh(name)
        self._used = frozenset[str]().union(*(program.uses(line.tree) for line in program.lines))
        for one in program.definitions.values():  # those that others use come first
            if one.name in self._used:
                self.assign(self._names[one.name], one.tree)

    def blocks(self, says: str, given: Mapping[str, str], last: Sequence[str]) -> tuple[str, str]:
        """Return imports and the formula's numbers, and a function: what it says, those given names that are used, the lines."""
        body = [*self.lines, *last]
        for name, value in reversed([*given.items()]):
            if re.search(rf"\b{name}\b", "\n".join(body)):
                body.insert(0, f"{name} = {value}")
        function = "\n".join((says, *(f"    {line}" for line in body)))
        imports = [f"import {name}" for name in ("math", "torch") if f"{name}." in function]
        named = (one for one in self._program.numbers.values() if one.name in self._used)
        constants = [f"{self._names[one.name]} = {_literal(one.value)}" for one in named]
        return "\n\n".join(filter(None, ("\n\n".join(imports), "\n".join(constants)))), function

    def assign(self, left: str, tree: ast.expr, as_tensor: bool = False) -> None:
        """Append the line that gives a target a tree's values."""
        code = self._tensor(tree) if as_tensor else self._value(tree)
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
        if not isinstance(tree, ast.Compare):
            return code
        return _call(ast.Attribute(code, "double")) if self.is_tensor(tree) else _call("float", code)

    def _tensor(self, tree: ast.expr) -> ast.expr:
        """Return the same, also of a number alone as a tensor."""
        return self._value(tree) if self.is_tensor(tree) else _call("torch.full_like", ast.Name("m"), self._value(tree))

    def _translated(self, tree: ast.expr) -> ast.expr:
        match tree:
            case ast.Constant(value=value):
                return ast.Name(f"{value:_}" if isinstance(value, int) else _literal(value))
            case ast.Name(id=name) | ast.Subscript(value=ast.Name(id=name)):
                return ast.Name(self._names[name])
            case ast.UnaryOp(op=sign, operand=operand):
                return self._joined(lambda inner: ast.UnaryOp(sign, _apart(inner)), self._value(operand))
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
                terms = [self._value(one) for one in (left, *others)]
                pairs = zip(ops, terms, terms[1:], strict=False)
                return reduce(partial(self._joined, _both), (self._joined(_comparing(op), *two) for op, *two in pairs))
            case ast.IfExp(test=test, body=body, orelse=other):
                condition = self._translated(test)
                if not isinstance(test, ast.Compare):
                    condition = ast.Compare(condition, [ast.NotEq()], [ast.Name("0")])
                if self.is_tensor(test):
                    return self._joined(_caller("torch.where"), condition, self._tensor(body), self._value(other))
                write = self._tensor if self.is_tensor(tree) else self._value
                return self._joined(ast.IfExp, condition, write(body), write(other))
            case ast.Call(func=ast.Name(id=name), args=given):
                return self._called(name, given)
        raise AssertionError(ast.dump(tree))

    def _called(self, name: str, given: list[ast.expr]) -> ast.expr:
        if not any(map(self.is_tensor, given)):
            inner = [self._value(one) for one in given]
            if name == "sign":
                zero = ast.Name("0")
                return ast.BinOp(_comparing(ast.Gt())(*inner, zero), ast.Sub(), _comparing(ast.Lt())(*inner, zero))
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
            part = _text(held[longest])
            if part not in self._parts:
                self._parts[part] = self._fresh(f"part_{len(self._parts) + 1}")
                self.lines.append(f"{self._parts[part]} = {part}")
            held[longest] = ast.Name(self._parts[part])
        return build(*held)


def _literal(number: Any) -> str:
    return f"{float(number):_}"


def _caller(function: str) -> Callable[..., ast.expr]:
    return lambda *given: _call(function, *given)


def _apart(inner: ast.expr) -> ast.expr:
    """Return a power in brackets, as ruff has it after a sign; anything else as it is."""
    is_power = isinstance(inner, ast.BinOp) and isinstance(inner.op, ast.Pow)
    return ast.Name(f"({_text(inner)})") if is_power else inner


def _comparing(op: ast.cmpop) -> Callable[..., ast.expr]:
    return lambda one, other: ast.Compare(one, [op], [other])


def _both(one: ast.expr, other: ast.expr) -> ast.expr:
    return ast.BinOp(one, ast.BitAnd(), other)


def _call(function: str | ast.expr, *given: ast.expr) -> ast.expr:
    return ast.Call(ast.Name(function) if isinstance(function, str) else function, [*given], [])


def _text(code: ast.expr) -> str:
    """Return code as ruff formats it: no spaces around a power of names and numbers."""
    return re.sub(r"([\w.]+) \*\* (-?[\w.]+)(?![\w.(\[]| \*\*)", r"\1**\2", ast.unparse(code))
