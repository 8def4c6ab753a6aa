"""Your formula: an encoding that someone types, p[m, i] = …; its left side says the door."""

from __future__ import annotations

import ast
import math
from collections.abc import Collection, Mapping
from dataclasses import replace
from itertools import chain
from typing import Annotated, Any, ClassVar, Self, cast

import torch
from pydantic import Field, field_validator, model_validator
from pydantic.config import JsonDict
from pydantic.fields import FieldInfo
from torch import Tensor

from posenc_gui.encodings.base import (
    Context,
    Door,
    Encoding,
    Formula,
    InputEncoding,
    RotationEncoding,
    ScoreEncoding,
    Source,
    as_positions,
)
from posenc_gui.encodings.common.distances import mirror_remark
from posenc_gui.encodings.common.rotary import pair_indices
from posenc_gui.encodings.common.typed.latex import latex_lines
from posenc_gui.encodings.common.typed.program import Fault, Number, Program
from posenc_gui.encodings.common.typed.reading import read
from posenc_gui.encodings.common.typed.torch_code import rotation_code, scores_code, vectors_code
from posenc_gui.encodings.common.typed.values import evaluate
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.foundation.errors import unknown_name

FIRST = "p[m, i] = abs(m / growth^i mod 2 - 1)\ngrowth = 2  # 1.1 to 4"
_BROAD = 50  # times its lowest value: from here on a number's slider is logarithmic
_TRIED = 65  # offsets at which a bias is compared with its mirror image


class _Typed(Encoding):
    """What formulas of all doors share: the text is the whole state; the numbers that it names are fields, too."""

    name: ClassVar[str] = "own"
    title: ClassVar[str] = "Your formula"
    source: ClassVar[Source] = Source("you", 2026, "your own formula")
    also: ClassVar[tuple[str, ...]] = ("own", "custom", "type", "write", "invent", "formula", "expression")
    built_in: ClassVar[bool] = False
    first: ClassVar[str] = FIRST  # the formula of one that is given none

    formula: str = Field(
        title="Formula",
        description="What is brought in: p[m, i] = m, angle[m, i] = m or bias[m, n, h] = m - n, for example.",
        json_schema_extra={"editor": "its own"},
    )

    def __new__(cls, /, **data: Any) -> Self:
        """Return one of three classes, by the left side of the formula; without one, as copying does, one of this class."""
        kind = _DOORS[read(data["formula"]).side] if _is_readable(data.get("formula")) else cls
        made = super().__new__(cls if issubclass(cls, kind) else kind)
        if not isinstance(made, cls):
            cast(Any, made).__init__(**data)  # Python itself initializes instances of `cls` alone
        return made  # type: ignore[return-value]

    @model_validator(mode="before")
    @classmethod
    def _write_numbers(cls, given: Any) -> Any:
        """Write the numbers that are given by name into the text, which by default is its door's example."""
        text = given.get("formula", cls.first) if isinstance(given, Mapping) else None
        if not isinstance(text, str) or not _is_readable(text):
            return given
        for name, value in given.items():
            if name != "formula" and name not in read(text).numbers:
                raise ValueError(unknown_name("parameter", name, ["formula", *read(text).numbers]))
            text = text if name == "formula" else read(text).with_number(name, value)
        return {"formula": text}

    @field_validator("formula")
    @classmethod
    def _require_readable(cls, text: str) -> str:
        read(text)
        return text

    @property
    def program(self) -> Program:
        """The formula as it was read."""
        return read(self.formula)

    @property
    def also_declared(self) -> Mapping[str, tuple[FieldInfo, Any]]:
        """The numbers that the formula names, with their ranges."""
        return {name: (_declared(number), number.value) for name, number in self.program.numbers.items()}

    @property
    def own_equations(self) -> Formula:
        """The door's formulas, and the typed one."""
        return self.equations.defining(*self.equations.where, *latex_lines(self.program))

    @property
    def called(self) -> str:
        """Its name in sentences."""
        return "your formula"

    @property
    def titled(self) -> str:
        """Its name where a sentence begins."""
        return f"{self.called[0].upper()}{self.called[1:]}"

    @property
    def written(self) -> str:
        """The formula on one line."""
        lines = (line.partition("#")[0].strip() for line in self.formula.splitlines())
        return "; ".join(filter(None, lines))

    def told_apart_by(self, other: Frozen) -> Collection[str]:
        """The numbers where all else of the text is the same, or else nothing short: the text holds them."""
        same = isinstance(other, _Typed) and self.program.without_numbers == other.program.without_numbers
        return list(self.program.numbers) if same else ()

    def at_door(self, door: Door) -> Encoding:
        """The example of this door, if the formula is of another one."""
        kind = {one.door: one for one in _DOORS.values()}.get(door, type(self))
        return self if kind.door == self.door else kind(formula=kind.first)

    def remark(self, context: Context) -> str:
        """Return the caveat that values depend on where the text ends."""
        return self._of_length * (
            f"L is how many positions there are, here {context.length:,}: in a text of another length values are others."
        )

    @property
    def fractional(self) -> bool:  # type: ignore[override]  # of a formula, not of all
        """False for a formula of steps, as floor(m / 2) or (-1)^m: between whole positions it has other values, or none."""
        trees = (one.tree for some in (self.program.lines, self.program.definitions.values()) for one in some)
        return not any(map(_makes_steps, chain.from_iterable(map(ast.walk, trees))))

    @property
    def _of_length(self) -> bool:
        """True if the formula names L."""
        return any("L" in self.program.uses(line.tree) for line in self.program.lines)

    def typed(self) -> str:
        """The formula itself."""
        return self.formula

    def __repr_name__(self) -> str:
        return "Own"

    def _names(self, context: Context, d: int, d_model: int) -> dict[str, Tensor | float]:
        constants = {"pi": math.pi, "e": math.e, "d": d, "d_model": d_model, "d_head": context.d_head}
        return {**constants, "H": context.n_heads, "L": context.length}


class Own(_Typed, InputEncoding):
    """Adds the vectors that a typed formula gives: p[m, i] = …, the columns 2i and 2i + 1, or i and i + d/2."""

    summary: ClassVar[str] = "Adds what your formula says."

    def vectors(self, positions: Tensor, d_model: int, context: Context | None = None) -> Tensor:
        """The formula's values, (n, d_model), float64; 0 in columns of which it says nothing."""
        positions = as_positions(positions)
        context = context or replace(Context.of(positions), d_head=d_model)
        names = self._names(context, d_model, d_model) | {"m": positions[:, None]}
        found = positions.new_zeros(len(positions), d_model)
        has_halves = any(line.columns == "i+d/2" for line in self.program.lines)
        half = (d_model + 1) // 2 if has_halves else d_model  # of an odd width the first kind has one more, as with 2i
        of = {"i": slice(half), "2i": slice(0, None, 2), "2i+1": slice(1, None, 2), "i+d/2": slice(half, None)}
        for line in self.program.lines:
            filled = found[:, of[line.columns]]
            names["i"] = torch.arange(filled.shape[1]).to(positions)
            filled[:] = evaluate(self.program, line.tree, names)
        return found

    def phases(self, positions: Tensor, d_model: int, context: Context) -> Tensor | None:
        """The angle whose sine and cosine are two columns, (n, d_model // 2); None where columns aren't filled like that."""
        match [line.tree for line in self.program.lines]:
            case [ast.Call(ast.Name(one), [angle]), ast.Call(ast.Name(other), [same])]:
                if {one, other} == {"sin", "cos"} and ast.dump(angle) == ast.dump(same) and d_model > 1:
                    m, i = as_positions(positions)[:, None], torch.arange(d_model // 2).to(positions)
                    found = evaluate(self.program, angle, self._names(context, d_model, d_model) | {"m": m, "i": i})
                    return found.expand(len(m), len(i))
        return None

    def code(self, d_model: int, n_heads: int, d_head: int, causal: bool = False) -> str:
        """Return PyTorch code: the columns, line by line of the formula."""
        self.check_shape(d_model, n_heads, d_head)
        sizes = {"d": d_model, "d_model": d_model, "d_head": d_head, "H": n_heads}
        return self.snippet(*vectors_code(self.program, sizes, self.share))


class _OwnRotation(_Typed, RotationEncoding):
    """Turns pairs by the angles that a typed formula gives: angle[m, i] = …, in radians."""

    summary: ClassVar[str] = "Turns queries and keys by the angles of your formula."
    first: ClassVar[str] = "angle[m, i] = m / base^(2i/d)\nbase = 10000  # 100 to 1000000"

    def pairs(self, d_head: int) -> tuple[Tensor, Tensor]:
        """The two dimensions of each pair: 2i and 2i + 1 for angle[m, 2i], i and i + d/2 for angle[m, i]."""
        return pair_indices(d_head, "interleaved" if self.program.lines[0].columns == "2i" else "half")

    def angles(self, positions: Tensor, d_head: int, context: Context | None = None) -> Tensor:
        """The formula's angle of each pair, (n, pairs), float64."""
        positions = as_positions(positions)
        context = context or replace(Context.of(positions), d_head=d_head)
        i = torch.arange(d_head // 2).to(positions)
        names = self._names(context, d_head, d_head * context.n_heads) | {"m": positions[:, None], "i": i}
        return evaluate(self.program, self.program.lines[0].tree, names).expand(len(positions), len(i))

    def code(self, d_model: int, n_heads: int, d_head: int, causal: bool = False) -> str:
        """Return PyTorch code: the angles, and the pairs turned."""
        self.check_shape(d_model, n_heads, d_head)
        sizes = {"d": d_head, "d_model": d_head * n_heads, "d_head": d_head, "H": n_heads}
        return self.snippet(*rotation_code(self.program, sizes, self.share_lines))


class _OwnScore(_Typed, ScoreEncoding):
    """Adds the bias that a typed formula gives to each score: bias[m, n, h] = …"""

    summary: ClassVar[str] = "Adds what your formula says to each score."
    equations: ClassVar[Formula] = Formula(
        where=(r"\mathrm{score}_{m,n} = \frac{q_m \cdot k_n}{\sqrt{d_\mathrm{head}}} + \pos{b_{m,n,h}}",)
    )
    first: ClassVar[str] = "bias[m, n, h] = -2^(-8(h+1)/H) * abs(m - n)"
    fractional: ClassVar[bool] = False

    @property
    def of_offset(self) -> bool:  # type: ignore[override]  # of a formula, not of all
        """True if the formula has positions as m − n or n − m alone."""
        return self.program.of_offset and not self._of_length

    def remark(self, context: Context) -> str:
        """Return the caveats: on L, or that it can't tell left from right."""
        if not self.of_offset or context.causal:
            return super().remark(context)
        ahead, behind = (
            self.profile(side * torch.arange(1, _TRIED), 0, context).values  # type: ignore[union-attr]  # a bias has one
            for side in (1, -1)
        )
        return mirror_remark(context) if torch.equal(ahead, behind) else ""

    def bias(self, q_positions: Tensor, k_positions: Tensor, n_heads: int, context: Context | None = None) -> Tensor:
        """The formula's value for each head, query and key, (n_heads, n_q, n_k), float64."""
        m, n = as_positions(q_positions)[:, None], as_positions(k_positions)
        context = context or Context.of(torch.cat((m[:, 0], n)))
        h = torch.arange(n_heads).to(m)[:, None, None]
        names = self._names(context, context.d_head, context.d_head * n_heads) | {"m": m, "n": n, "h": h, "H": n_heads}
        return evaluate(self.program, self.program.lines[0].tree, names).expand(n_heads, len(m), len(n))

    def code(self, d_model: int, n_heads: int, d_head: int, causal: bool = False) -> str:
        """Return PyTorch code: the bias, added to the scores."""
        sizes = {"d": d_head, "d_model": d_head * n_heads, "d_head": d_head, "H": n_heads}
        return self.snippet(*scores_code(self.program, sizes, self.share), self.use_of_scores(causal))


_DOORS: Mapping[str, type[_Typed]] = {"p": Own, "angle": _OwnRotation, "bias": _OwnScore}


def _declared(number: Number) -> FieldInfo:
    """Return a number's field, with a slider; without a default, which is nobody's but the text's."""
    is_broad = number.low > 0 and number.high / number.low >= _BROAD
    extra: JsonDict = {"scale": "log" if is_broad else "linear"}
    field = Field(ge=number.low, le=number.high, title=number.name, json_schema_extra=extra)
    return FieldInfo.from_annotation(cast(type, Annotated[float, field]))


def _makes_steps(node: ast.AST) -> bool:
    match node:
        case ast.Mod() | ast.FloorDiv() | ast.Compare() | ast.IfExp():
            return True
        case ast.Name(id="floor" | "ceil" | "round" | "sign") | ast.BinOp(left=ast.UnaryOp(), op=ast.Pow()):
            return True
    return False


def _is_readable(text: object) -> bool:
    try:
        return isinstance(text, str) and bool(read(text))
    except Fault:
        return False
