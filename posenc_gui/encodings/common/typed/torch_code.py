"""A typed formula as PyTorch code, for what `code` of an encoding offers: lines as ruff formats them."""

from __future__ import annotations

import ast
import builtins
import keyword
import re
from collections.abc import Mapping, Sequence
from itertools import pairwise

from posenc_gui.encodings.common.rotary import PairingCode
from posenc_gui.encodings.common.typed.program import INDICES, Program

_ROOM = 62  # characters of an expression, beside what a line assigns it to: 88 in all
_LONGEST = 19  # characters of a name
_SHORT = 8  # characters of a name that needs no shorter one
_GAP, _KEPT = ast.Name("{}"), ast.Name("_")  # where an operand goes; brackets that stay, of a power after a sign
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
    given, result = _given(half), f"columns[:, :{width}].float()" if width % 2 else "columns.float()"
    if trees.keys() == {"i"}:
        code.assign("columns", trees["i"], as_tensor=True)
        given, result = _given(width), f"columns.float().expand(len(m), {width})"
    else:
        given["columns"] = f"m.new_zeros(len(m), {2 * half})"
        places = {"i": f":{half}", "2i": "0::2", "2i+1": "1::2", "i+d/2": f"{half}:"}
        for columns, tree in trees.items():
            code.assign(f"columns[:, {places[columns]}]", tree)
    says = f'def position_vectors(positions):\n    """Positions (n,) -> (n, {width})."""'
    return code.blocks(says, given, [f"return {share}{result}  # (n, {width})"])


def rotation_code(program: Program, sizes: Mapping[str, int], share_lines: Sequence[str]) -> tuple[str, str]:
    """Return a module's head, and `rotate`."""
    code, width, half = _TorchCode(program, sizes), sizes["d"], sizes["d"] // 2
    spelled = PairingCode.of(width, "interleaved" if program.lines[0].columns == "2i" else "half")
    code.assign("angles", program.lines[0].tree, as_tensor=True)
    says = (
        'def rotate(x, positions, side="query"):\n'
        f'    """x (..., n, {width}), positions (n,) -> alike, pairs {spelled.pairs} turned."""'
    )
    last = [*share_lines, "cos, sin = angles.cos().to(x), angles.sin().to(x)"]
    last += [f"a, b = {spelled.split}  # (..., n, {half}) each", f"turned = {spelled.turned}"]
    return code.blocks(says, _given(half), [*last, f"return turned  # (..., n, {width})"])


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


def _given(count: int) -> dict[str, str]:
    """Return what a function makes of positions, if the formula uses it: with so many columns, or pairs."""
    return {
        "length": "int(positions.max()) + 1",
        "m": "positions[:, None].to(torch.float64)  # (n, 1)",
        "i": f"torch.arange({count}, dtype=torch.float64, device=positions.device)",
    }


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
            self._names[name] = self._fresh(name[:_LONGEST])
        self._used = frozenset[str]().union(*(program.uses(line.tree) for line in program.lines))
        for one in program.definitions.values():  # those that others use come first
            if one.name in self._used:
                self.assign(self._names[one.name], one.tree)

    def blocks(self, says: str, given: Mapping[str, str], last: Sequence[str]) -> tuple[str, str]:
        """Return imports and the formula's numbers, and a function: what it says, those given names that are used, the lines."""
        body = [line.replace("-_(", "-(") for line in self.lines] + [*last]
        for name, value in reversed([*given.items()]):
            if re.search(rf"\b{name}\b", "\n".join(body)):
                body.insert(0, f"{name} = {value}")
        function = "\n".join((says, *(f"    {line}" for line in body)))
        imports = [f"import {name}" for name in ("math", "torch") if f"{name}." in function]
        named = (one for one in self._program.numbers.values() if one.name in self._used)
        constants = [f"{self._names[one.name]} = {one.value:_}" for one in named]
        return "\n\n".join(filter(None, ("\n\n".join(imports), "\n".join(constants)))), function

    def assign(self, left: str, tree: ast.expr, as_tensor: bool = False) -> None:
        """Append the line that gives a target a tree's values."""
        code = self._tensor(tree) if as_tensor else self._value(tree)
        self.lines.append(f"{left} = {code}")

    def _is_tensor(self, tree: ast.expr) -> bool:
        return bool(self._program.uses(tree) & self._indices)

    def _fresh(self, wanted: str) -> str:
        """Return a name that nothing else has: with an underscore after one that is taken."""
        while wanted in _TAKEN or wanted in self._names.values():
            wanted += "_"
        return wanted

    def _tensor(self, tree: ast.expr) -> str:
        """Return the code of a tree's value as a tensor, also of a number alone."""
        return self._value(tree) if self._is_tensor(tree) else self._joined("torch.full_like(m, {})", self._value(tree))

    def _value(self, tree: ast.expr) -> str:
        """Return the code of a tree's value: 1 and 0 for True and False."""
        if not isinstance(tree, ast.Compare):
            return self._translated(tree)
        return self._joined("{}.double()" if self._is_tensor(tree) else "float{}", self._translated(tree))

    def _translated(self, tree: ast.expr) -> str:
        match tree:
            case ast.Constant(value=value):
                return _tidy(repr(value))
            case ast.Name(id=name) | ast.Subscript(value=ast.Name(id=name)):
                return self._names[name]
            case ast.UnaryOp(op=sign, operand=inner):
                is_power = isinstance(inner, ast.BinOp) and isinstance(inner.op, ast.Pow)
                gap = ast.Call(_KEPT, [_GAP], []) if is_power else _GAP
                return self._joined(ast.unparse(ast.UnaryOp(sign, gap)), self._value(inner))
            case ast.BinOp(left=ast.Constant(value=int(base)), op=ast.Pow(), right=right):
                return self._joined("{} ** {}", _tidy(f"{base}.0"), self._value(right))
            case ast.BinOp(left=left, op=op, right=right):
                return self._joined(ast.unparse(ast.BinOp(_GAP, op, _GAP)), self._value(left), self._value(right))
            case ast.Compare(left=left, ops=ops, comparators=others):
                terms = [self._value(one) for one in (left, *others)]
                pairs = " & ".join(f"({ast.unparse(ast.Compare(_GAP, [op], [_GAP]))})" for op in ops)
                return self._joined(pairs, *(term for two in pairwise(terms) for term in two))
            case ast.IfExp(test=test, body=body, orelse=other) if self._is_tensor(tree):
                compared = isinstance(test, ast.Compare) and self._is_tensor(test)
                condition = self._translated(test) if compared else self._joined("{} != 0", self._tensor(test))
                # Of two numbers it would be float32.
                one = self._value(body) if self._is_tensor(other) else self._tensor(body)
                return self._joined("torch.where({}, {}, {})", condition, one, self._value(other))
            case ast.IfExp(test=test, body=body, orelse=other):
                return self._joined("{1} if {0} else {2}", *map(self._value, (test, body, other)))
            case ast.Call(func=ast.Name(id=name), args=given) if any(map(self._is_tensor, given)):
                found, *rest = map(self._tensor, given)
                for one in rest:
                    found = self._joined(f"torch.{name}imum({{}}, {{}})", found, one)
                return found if rest else self._joined(f"torch.{name}{{}}", found)
            case ast.Call(func=ast.Name(id="sign"), args=[one]):
                return self._joined("({0} > 0) - ({0} < 0)", self._value(one))
            case ast.Call(func=ast.Name(id=name), args=given):
                called = name if name in dir(builtins) else f"math.{name}"
                return self._joined(f"{called}({', '.join(['{}'] * len(given))})", *map(self._value, given))
        raise AssertionError(ast.dump(tree))

    def _joined(self, template: str, *operands: str) -> str:
        """Return the template with operands; where that is too long, the longest get lines and names of their own."""
        held = [*operands]
        while len(text := _tidy(template.format(*(f"({one})" for one in held)))) > _ROOM:
            longest = max(held, key=len)
            if len(longest) <= _SHORT:
                break
            if longest not in self._parts:
                self._parts[longest] = self._fresh(f"part_{len(self._parts) + 1}")
                self.lines.append(f"{self._parts[longest]} = {longest}")
            held = [self._parts[longest] if one == longest else one for one in held]
        return text


def _tidy(code: str) -> str:
    """Return code as ruff formats it, without needless brackets, and with underscores in long numbers."""
    text = ast.unparse(ast.parse(code, mode="eval"))
    powers = r"[\w.]+( \*\* -?[\w.]+)+(?![\w.(\[]| \*\*)"  # of names and numbers alone
    text = re.sub(powers, lambda found: found[0].replace(" ", ""), text)
    return re.sub(r"(?<![\w.])\d{5,}", lambda digits: f"{int(digits[0]):_}", text)
