"""The values of a typed formula: its tree walked over whole tensors in float64; nothing is run as code."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor

from posenc_gui.encodings.common.typed.program import Program
from posenc_gui.foundation.errors import Undefined

FUNCTIONS: Mapping[str, Callable[..., Tensor]] = {
    **{
        name: getattr(torch, name)
        for name in ("sin", "cos", "tan", "exp", "log", "log2", "sqrt", "abs", "sign", "floor")
    },
    "ceil": torch.ceil,
    "round": torch.round,
    "tanh": torch.tanh,
    "min": torch.minimum,
    "max": torch.maximum,
}
OPERATORS: Mapping[type[ast.operator], Callable[..., Tensor]] = {
    ast.Add: torch.add, ast.Sub: torch.sub, ast.Mult: torch.mul, ast.Div: torch.div, ast.Pow: torch.pow,
    ast.Mod: torch.remainder, ast.FloorDiv: torch.floor_divide,
}  # fmt: skip
COMPARISONS: Mapping[type[ast.cmpop], Callable[..., Tensor]] = {
    ast.Lt: torch.lt, ast.LtE: torch.le, ast.Gt: torch.gt, ast.GtE: torch.ge, ast.Eq: torch.eq, ast.NotEq: torch.ne,
}  # fmt: skip


def evaluate(program: Program, tree: ast.expr, names: Mapping[str, Tensor | float]) -> Tensor:
    """Return the values of one of the program's trees where these names have these values, which broadcast; float64.

    Raises Undefined, naming the position, where a value isn't finite: "not defined at m = 0: log of 0".
    """
    found = _walk(program, tree, names)
    if not bool(torch.isfinite(found).all()):
        raise Undefined("Your formula is not defined at each position.")
    return found


def _walk(program: Program, node: Any, names: Mapping[str, Tensor | float]) -> Tensor:
    again = lambda inner: _walk(program, inner, names)  # noqa: E731
    match node:
        case ast.Constant(value=value):
            return torch.tensor(float(value), dtype=torch.float64)
        case ast.Name(id=name) if name in names:
            return torch.as_tensor(names[name], dtype=torch.float64)
        case ast.Name(id=name) if name in program.numbers:
            return torch.tensor(program.numbers[name].value, dtype=torch.float64)
        case ast.Name(id=name) | ast.Subscript(value=ast.Name(id=name)) if name in program.definitions:
            return again(program.definitions[name].tree)
        case ast.UnaryOp(operand=inner):
            return -again(inner)
        case ast.BinOp(left=left, op=op, right=right):
            return OPERATORS[type(op)](again(left), again(right))
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            return COMPARISONS[type(op)](again(left), again(right))
        case ast.IfExp(test=test, body=one, orelse=other):
            return torch.where(again(test), again(one), again(other))
        case ast.Call(func=ast.Name(id=name), args=given):
            return FUNCTIONS[name](*map(again, given))
    raise AssertionError(ast.dump(node))
