"""The values of a typed formula: its trees walked over whole tensors in float64; nothing is run as code."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Mapping
from functools import reduce

import torch
from torch import Tensor

from posenc_gui.encodings.common.typed.program import FUNCTIONS as NAMED
from posenc_gui.encodings.common.typed.program import INDEX_MEANINGS, Program, children
from posenc_gui.foundation.errors import Undefined
from posenc_gui.foundation.wording import format_bound

_OF_SEVERAL = {"min": torch.minimum, "max": torch.maximum}
FUNCTIONS: Mapping[str, Callable[..., Tensor]] = {
    name: (lambda *given, _of=_OF_SEVERAL[name]: reduce(_of, given)) if name in _OF_SEVERAL else getattr(torch, name)
    for name in NAMED
}
OPERATORS: Mapping[type[ast.operator], Callable[..., Tensor]] = {
    ast.Add: torch.add, ast.Sub: torch.sub, ast.Mult: torch.mul, ast.Div: torch.div, ast.Pow: torch.pow,
    ast.Mod: torch.remainder, ast.FloorDiv: torch.floor_divide,
}  # fmt: skip
COMPARISONS: Mapping[type[ast.cmpop], Callable[..., Tensor]] = {
    ast.Lt: torch.lt, ast.LtE: torch.le, ast.Gt: torch.gt, ast.GtE: torch.ge, ast.Eq: torch.eq, ast.NotEq: torch.ne,
}  # fmt: skip
LARGEST = 1e12  # in size: so the products of sums of several layers stay within float32
_SAID: Mapping[type[ast.operator], str] = {
    ast.Add: "plus", ast.Sub: "minus", ast.Mult: "times", ast.Div: "divided by", ast.FloorDiv: "divided by",
    ast.Mod: "mod", ast.Pow: "to the power",
}  # fmt: skip


def evaluate(program: Program, tree: ast.expr, names: Mapping[str, Tensor | float]) -> Tensor:
    """Return the values of one of the program's trees where these names have these values, which broadcast; float64.

    As in IEEE arithmetic, 1/exp(1000) is 0 and a branch that isn't chosen may be anything. Raises Undefined, naming the
    position, where a value isn't finite: "not defined at m = 0: log of 0"; or so large that scores would overflow.
    """
    found = _Values(program, names).of(tree)
    fits = found.abs() <= LARGEST
    if bool(fits.all()):
        return found
    place = (~fits).nonzero()[0].tolist()
    there, value = {name: _at(value, place) for name, value in names.items()}, found[tuple(place)]
    if not bool(value.isfinite()):
        raise Undefined(_reason(program, tree, there))
    at = _place(program.uses(tree), there)
    raise Undefined(f"Your formula gives {_said(value)}{at}, but attention computes with {_said(LARGEST)} at most.")


class _Values:
    """Walks trees, each definition once. keeps: also each node's value, to find where something went wrong."""

    def __init__(self, program: Program, names: Mapping[str, Tensor | float], keeps: bool = False) -> None:
        self._device = next(
            (value.device for value in names.values() if isinstance(value, Tensor)), torch.device("cpu")
        )
        self._program, self._names, self._keeps = program, names, keeps
        self._known: dict[ast.expr | str, Tensor] = {}

    def of(self, node: ast.expr) -> Tensor:
        """Return a node's values."""
        if self._keeps and node in self._known:
            return self._known[node]
        found = self._walk(node)
        if self._keeps:
            self._known[node] = found
        return found

    def _walk(self, node: ast.expr) -> Tensor:
        match node:
            case ast.Constant(value=float() | int() as value):
                return self._number(value)
            case ast.Name(id=name) | ast.Subscript(value=ast.Name(id=name)):
                if name not in self._known:
                    self._known[name] = self._named(name)
                return self._known[name]
            case ast.UnaryOp(op=sign, operand=inner):
                return -self.of(inner) if isinstance(sign, ast.USub) else self.of(inner)
            case ast.BinOp(left=left, op=op, right=right):
                return OPERATORS[type(op)](self.of(left), self.of(right))
            case ast.Compare(left=left, ops=ops, comparators=others):
                values = [self.of(one) for one in (left, *others)]
                pairs = zip(ops, values, values[1:], strict=False)
                return reduce(torch.logical_and, (COMPARISONS[type(op)](*two) for op, *two in pairs)).double()
            case ast.IfExp(test=test, body=one, orelse=other):
                return torch.where(self.of(test) != 0, self.of(one), self.of(other))
            case ast.Call(func=ast.Name(id=name), args=given):
                return FUNCTIONS[name](*map(self.of, given))
        raise AssertionError(ast.dump(node))

    def _number(self, value: Tensor | float) -> Tensor:
        return torch.as_tensor(value, dtype=torch.float64, device=self._device)

    def _named(self, name: str) -> Tensor:
        if name in self._program.definitions:
            return self.of(self._program.definitions[name].tree)
        return self._number(self._program.numbers[name].value if name in self._program.numbers else self._names[name])


def _at(value: Tensor | float, place: list[int]) -> Tensor | float:
    """Return the one value that a name has at a place of the result, with which it broadcasts."""
    if not isinstance(value, Tensor):
        return value
    aligned = ([0] * value.ndim + place)[len(place) :] if value.ndim else []
    return value[tuple(min(at, size - 1) for at, size in zip(aligned, value.shape, strict=True))]


def _reason(program: Program, tree: ast.expr, there: Mapping[str, Tensor | float]) -> str:
    """Say where a tree isn't defined, and why: its innermost operation without a finite value."""
    values = _Values(program, there, keeps=True)
    values.of(tree)
    node, names = tree, set[str]()
    while True:
        if isinstance(node, ast.IfExp):
            names |= program.uses(node.test)
            inner = [node.body if values.of(node.test) else node.orelse]
        elif isinstance(node, ast.Name | ast.Subscript):
            name = node.id if isinstance(node, ast.Name) else node.value.id  # type: ignore[attr-defined]
            inner = [program.definitions[name].tree] if name in program.definitions else []
        else:
            inner = list(children(node))
        worse = [one for one in inner if not values.of(one).isfinite()]
        if not worse:
            break
        node = worse[0]
    names |= program.uses(node)
    return f"Your formula is not defined{_place(names, there)}: {_failure(node, [_said(values.of(one)) for one in inner])}."


def _place(names: Collection[str], there: Mapping[str, Tensor | float]) -> str:
    """Return the indices that count, after a space: “ at m = 0, i = 3”; empty if none does."""
    at = ", ".join(f"{name} = {_said(there[name])}" for name in INDEX_MEANINGS if name in names and name in there)
    return at and f" at {at}"


def _failure(node: ast.expr, given: list[str]) -> str:
    """Say what has no finite value: log of 0, division by 0, too large: exp of 800."""
    match node:
        case ast.BinOp(op=ast.Div() | ast.FloorDiv() | ast.Mod()) if given[1] == "0":
            return "division by 0"
        case ast.BinOp(op=op):
            said = f"{given[0]} {_SAID[type(op)]} {given[1]}"
            undefined = isinstance(op, ast.Pow) and (given[0] == "0" or (given[0][0] == "−" and "." in given[1]))
            return said if undefined else f"too large: {said}"
        case ast.Call(func=ast.Name(id=name)):
            return f"too large: {name} of {given[0]}" if name in ("exp", "tan") else f"{name} of {given[0]}"
    return "a value that is not finite"


def _said(value: Tensor | float) -> str:
    return format_bound(float(value))
