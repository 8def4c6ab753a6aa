"""The values of a typed formula: its trees walked over whole tensors in float64; nothing is run as code."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Mapping, Set
from functools import partial, reduce
from itertools import pairwise

import torch
from torch import Tensor

from posenc_gui.encodings.common.typed import program as said
from posenc_gui.encodings.common.typed.program import Program
from posenc_gui.foundation.errors import Undefined
from posenc_gui.foundation.wording import format_bound, format_told

Names = Mapping[str, Tensor | float]

FUNCTIONS: Mapping[str, Callable[..., Tensor]] = {
    name: getattr(torch, {"min": "minimum", "max": "maximum"}.get(name, name)) for name in said.FUNCTIONS
}
OPERATORS: Mapping[type[ast.operator], Callable[..., Tensor]] = {
    ast.Add: torch.add, ast.Sub: torch.sub, ast.Mult: torch.mul, ast.Div: torch.div, ast.Pow: torch.pow,
    ast.Mod: torch.remainder, ast.FloorDiv: torch.floor_divide,
}  # fmt: skip
COMPARISONS: Mapping[type[ast.cmpop], Callable[..., Tensor]] = {
    ast.Lt: torch.lt, ast.LtE: torch.le, ast.Gt: torch.gt, ast.GtE: torch.ge, ast.Eq: torch.eq, ast.NotEq: torch.ne,
}  # fmt: skip
LARGEST = 1e12  # in size: so products of what several layers add up stay within float32
_SAID = {ast.Add: "plus", ast.Sub: "minus", ast.Mult: "times", ast.Pow: "to the power"}


def evaluate(program: Program, tree: ast.expr, names: Names) -> Tensor:
    """Return the values of one of the program's trees where these names have these values, which broadcast; float64.

    As in IEEE arithmetic, 1/exp(1000) is 0, and the branch that isn't chosen may be anything. Raises Undefined, naming the
    position, where a value isn't finite: "not defined at m = 0: log of 0"; or so large that scores would overflow.
    """
    found = _Values(program, names).of(tree)
    if not found.numel() or all(abs(end) <= LARGEST for end in map(float, torch.aminmax(found))):
        return found
    indices = {name: value for name, value in names.items() if isinstance(value, Tensor)}
    wide, *others = torch.broadcast_tensors(found, *indices.values())  # type: ignore[no-untyped-call]
    if not wide.numel():  # of no positions
        return found
    first = torch.unravel_index((~(wide.abs() <= LARGEST)).byte().argmax(), wide.shape)
    there = {**names, **{name: one[first] for name, one in zip(indices, others, strict=True)}}
    value = float(wide[first])
    if not math.isfinite(value):
        raise Undefined(_reason(program, tree, there))
    at, most = _place(program.uses(tree), there), _written(LARGEST)
    raise Undefined(f"Your formula is too large for attention{at}: {_written(value)}, beyond ±{most}.")


class _Values:
    """Walks trees, each definition once."""

    def __init__(self, program: Program, names: Names) -> None:
        device = next((value.device for value in names.values() if isinstance(value, Tensor)), "cpu")
        self._number = partial(torch.as_tensor, dtype=torch.float64, device=device)
        self._program, self._names = program, names
        self._known: dict[str, Tensor] = {}

    def of(self, node: ast.expr) -> Tensor:
        """Return a node's values; those of a comparison are 0 and 1."""
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
                pairs = zip(ops, pairwise(map(self.of, (left, *others))), strict=True)
                return reduce(torch.logical_and, (COMPARISONS[type(op)](*two) for op, two in pairs)).double()
            case ast.IfExp(test=test, body=one, orelse=other):
                return torch.where(self.of(test) != 0, self.of(one), self.of(other))
            case ast.Call(func=ast.Name(id=name), args=[only]):
                return FUNCTIONS[name](self.of(only))
            case ast.Call(func=ast.Name(id=name), args=several):
                return reduce(FUNCTIONS[name], map(self.of, several))
        raise AssertionError(ast.dump(node))

    def _named(self, name: str) -> Tensor:
        if name in self._program.definitions:
            return self.of(self._program.definitions[name].tree)
        return self._number(self._program.numbers[name].value if name in self._program.numbers else self._names[name])


def _reason(program: Program, tree: ast.expr, there: Names) -> str:
    """Say where a tree isn't defined, and why: by its innermost operation without a finite value."""
    values = _Values(program, there)
    chosen_by = set[str]()
    while True:
        match tree:
            case ast.IfExp(test=test, body=one, orelse=other):
                chosen_by |= program.uses(test)
                inner = [one if values.of(test) else other]
            case ast.Name(id=name) | ast.Subscript(value=ast.Name(id=name)) if name in program.definitions:
                inner = [program.definitions[name].tree]
            case ast.Call(args=inner):
                pass
            case _:
                inner = [one for one in ast.iter_child_nodes(tree) if isinstance(one, ast.expr)]
        worse = [one for one in inner if not values.of(one).isfinite()]
        if not worse:
            break
        tree = worse[0]
    failure, cause = _failure(tree, [float(values.of(one)) for one in inner])
    return f"Your formula is not defined{_place(chosen_by | program.uses(cause), there)}: {failure}."


def _place(names: Set[str], there: Names) -> str:
    """Return these indices' values, after a space: “ at m = 0, i = 3”; empty if there are none."""
    at = ", ".join(
        f"{name} = {_written(float(there[name]))}" for name in said.INDEX_MEANINGS if name in names & there.keys()
    )
    return at and f" at {at}"


def _failure(node: ast.expr, given: list[float]) -> tuple[str, ast.expr]:
    """Say what has no finite value, log of 0, division by 0, too large: exp of 800; and what that depends on."""
    match node:
        case ast.BinOp(op=ast.Div() | ast.FloorDiv() | ast.Mod(), right=right):
            return ("division by 0", right) if given[1] == 0 else ("too large: a quotient", node)
        case ast.BinOp(op=op):
            one, other = map(_written, given)
            is_undefined = isinstance(op, ast.Pow) and (given[0] == 0 or (given[0] < 0 and not given[1].is_integer()))
            return f"{'' if is_undefined else 'too large: '}{one} {_SAID[type(op)]} {other}", node
        case ast.Call(func=ast.Name(id=name)):
            return f"{'too large: ' if name in ('exp', 'tan') else ''}{name} of {_written(given[0])}", node
    return "a value that is not finite", node


def _written(value: float) -> str:
    return format_bound(value) if value.is_integer() else format_told(value)
