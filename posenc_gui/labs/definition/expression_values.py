"""Values of a lab's expressions: a checked syntax tree is evaluated node by node on a session; and where plots show them."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Literal

import torch
from torch import Tensor

from posenc_gui import measures
from posenc_gui.attention.engine import Engine
from posenc_gui.attention.forward import Attended
from posenc_gui.encodings.base import InputEncoding, RotationEncoding
from posenc_gui.foundation import declared_fields
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.foundation.errors import TooLarge, Undefined, unknown_name
from posenc_gui.foundation.former_names import current_plot
from posenc_gui.foundation.wording import format_count, quote
from posenc_gui.labs.definition.expression_grammar import (
    COMPARISONS,
    FUNCTIONS,
    OF_SESSION,
    OPERATIONS,
    is_of_before,
    syntax_tree,
    without_before,
)
from posenc_gui.measures.base import Measurement, Place
from posenc_gui.scene.scene import Scene
from posenc_gui.session.session import Session

_SMALL = 2**20  # scores over all heads up to which a map is computed as a whole
_FURTHEST = 1_000_000  # the last position that can be asked for
_OF_A_SCORE = ("head", "query", "key")
_ROLES: dict[str, tuple[str, ...]] = {  # the axes that subscripts stand for
    "vectors": ("position", "dimension"),
    "angles": ("position", "pair"),
    "frequencies": ("pair",),
    "wavelengths": ("pair",),
    "scores": _OF_A_SCORE,
    "position": _OF_A_SCORE,
    "probabilities": _OF_A_SCORE,
}


@dataclass(frozen=True)
class _LazyRows:
    """A part of a session's attention; in a long text, only the rows that are read are computed.

    Scores, position and probabilities have the shape (h, n, n), with the head first; the output is (n, d_model).
    """

    part: Literal["scores", "position", "probabilities", "output"]
    session: Session
    engine: Engine
    head: int | None = None

    def __len__(self) -> int:
        return self.session.model.n_heads if self._of_heads else len(self.session.tokens)

    def __getitem__(self, at: int) -> _LazyRows | Tensor:
        at = range(len(self))[at]
        return replace(self, head=at) if self._of_heads else self._row(at)

    @property
    def _of_heads(self) -> bool:
        return self.head is None and self.part != "output"

    def _row(self, query: int) -> Tensor:
        found, row = self._attended(self.session.scene, query)
        match self.part:
            case "output":
                return found.output[row]
            case "scores":
                return found.scores[self.head, row]
            case "probabilities":
                return found.weights[self.head, row]
            case "position":
                plain, _ = self._attended(self.session.scene.without_position, query)
                return found.scores[self.head, row] - plain.scores[self.head, row]

    def _attended(self, scene: Scene, query: int) -> tuple[Attended, int]:
        """Return attention that has a query, and the query's row in it: the map that plots share, or one row alone."""
        engine, prompt = self.engine, scene.prompt
        one, every = range(query, query + 1), range(len(prompt.tokens))
        if prompt.model.n_heads * len(every) ** 2 <= _SMALL:
            return engine.maps(prompt, every), query
        return engine.remembered(("row", prompt, query), lambda: engine.attended(prompt, one, every)), 0


@dataclass
class Evaluation:
    """An evaluator of expressions on one session, and on the one before it."""

    session: Session
    engine: Engine
    before: Session | None

    def answer(self, node: ast.AST) -> Any:
        """Return the value of a node. Raises Undefined if it has none."""
        if is_of_before(node):
            if self.before is None:
                raise Undefined("There is no session before this one.")
            return Evaluation(self.before, self.engine, None).answer(without_before(node))
        match node:
            case ast.Compare(left=left, ops=[op], comparators=[right]):
                return self._compared(op, self._single(left), self._single(right))
            case ast.BoolOp(values=parts):
                return all(self.answer(part) for part in parts)
            case ast.BinOp(left=left, op=op, right=right):
                return self._computed(OPERATIONS[type(op)], self._number(left), self._number(right))
            case ast.UnaryOp(operand=operand):
                return -self._number(operand)
            case ast.Constant(value=value):
                return value
            case ast.Tuple(elts=elements) | ast.List(elts=elements):
                return tuple(self._single(element) for element in elements)
            case ast.Subscript(value=value, slice=at):
                return self._item(value, self._single(at))
            case ast.Attribute(value=ast.Name(id="attention"), attr=part):
                return self._of_attention(part)
            case ast.Attribute(value=value, attr=name):
                return _field(self.answer(value), name, ast.unparse(value))
            case ast.Name(id="session"):
                return self.session
            case ast.Name(id="attention"):
                raise Undefined("“attention” is not a single value: name one of its fields.")
            case ast.Name(id=name):
                return self._measured(name, {})
            case ast.Call(func=ast.Name(id=name), args=[argument]):
                found = self.answer(argument) if name == "len" else self._number(argument)
                try:
                    return FUNCTIONS[name](found)
                except TypeError:
                    raise Undefined(f"{ast.unparse(argument)} has no length.") from None
            case ast.Call(func=ast.Name(id=name), keywords=keywords):
                options = {str(keyword.arg): self.answer(keyword.value) for keyword in keywords}
                return self._measured(name, options)
            case _:
                raise Undefined(f"{ast.unparse(node)[:40]!r} is not allowed.")

    def _of_attention(self, part: str) -> Any:
        match part:
            case "tokens":
                return self.session.tokens
            case "queries" | "keys" | "values":
                return getattr(self.engine.layer(self.session.scene.prompt), part).cpu()
            case "scores" | "position" | "probabilities" | "output":
                return _LazyRows(part, self.session, self.engine)

    def _measured(self, name: str, options: dict[str, Any]) -> Any:
        try:
            measures.measures()[name].options(**options)
        except ValueError as error:  # the option doesn't accept this value
            raise Undefined(f"{name}: {error}.") from None
        return measures.measure(name, self.session, self.engine, **options)

    def _single(self, node: ast.AST) -> Any:
        found = self.answer(node)
        return float(found) if isinstance(found, Tensor) and found.ndim == 0 else found

    def _number(self, node: ast.AST) -> float:
        found = self._single(node)
        if isinstance(found, bool) or not isinstance(found, int | float):
            raise Undefined(f"{ast.unparse(node)[:40]} is not a number.")
        return found

    @staticmethod
    def _computed(operation: Callable[[Any, Any], Any], one: float, other: float) -> float:
        try:
            found = float(operation(one, other))
        except (ZeroDivisionError, OverflowError):
            found = math.nan
        if not math.isfinite(found):
            raise Undefined("The result is not finite.")
        return found

    @staticmethod
    def _compared(op: ast.cmpop, one: Any, other: Any) -> bool:
        if not (is_value(one) and is_value(other)):
            raise Undefined("Only single values can be compared: name a field or a number.")
        try:
            return bool(COMPARISONS[type(op)](one, other))
        except (TypeError, RuntimeError, OverflowError):
            raise Undefined("Values of different kinds can't be compared.") from None

    def _item(self, value: ast.expr, at: Any) -> Any:
        if isinstance(value, ast.Name) and value.id in ("vectors", "angles"):
            return self._of_position(value.id, at)
        found = self.answer(value)
        spoken = ast.unparse(value)
        if isinstance(found, Mapping) and isinstance(at, str):
            return _field(found, at, spoken)
        is_index = isinstance(at, int) and not isinstance(at, bool)
        if not is_index or not isinstance(found, _LazyRows | Tensor | tuple | list | str):
            raise Undefined(f"{quote(spoken[:40])} has no item {at!r}.")
        if not -len(found) <= at < len(found):
            raise Undefined(f"{quote(spoken[:40])} has {format_count(len(found), 'item')}, not one at {at}.")
        return _plain(found[at])

    def _of_position(self, what: str, position: Any) -> Tensor:
        """Return p_m (d_model,) or the angles at m (pairs,) in the sequence; with patches, at token m's position."""
        encoding, model = self.session.encoding, self.session.model
        if isinstance(position, bool) or not isinstance(position, int | float) or not 0 <= position <= _FURTHEST:
            raise Undefined(f"A position is a number from 0 to {_FURTHEST:,}, not {position!r}.")
        at = self.session.scene.at(torch.tensor([float(position)], dtype=torch.float64))
        context = self.session.scene.context
        context = replace(context, length=max(context.length, int(at.max()) + 1))
        if what == "vectors" and isinstance(encoding, InputEncoding):
            return encoding.vectors(at, model.d_model, context)[0]
        if what == "angles" and isinstance(encoding, RotationEncoding):
            return encoding.angles(at, model.head_width, context)[0]
        raise Undefined(f"{quote(encoding.titled)} has no {what}.")


def _field(owner: Any, name: str, spoken: str) -> Any:
    """Return a declared field of a frozen model, a measurement or a mapping; never any other attribute."""
    if isinstance(owner, Mapping) and name in owner:
        return owner[name]
    if isinstance(owner, Frozen):
        declared: tuple[str, ...] = tuple(declared_fields.fields_of(owner))
        if isinstance(owner, Session):
            declared += OF_SESSION
        elif "name" not in declared and hasattr(type(owner), "door"):
            declared += ("name", "door", "title")  # an encoding
    elif hasattr(owner, "__dataclass_fields__"):
        declared = tuple(field.name for field in fields(owner))
    else:
        raise Undefined(f"{spoken[:40]} has no fields.")
    if isinstance(owner, Frozen) and name in owner.also_declared:
        return owner.also_declared[name][1]
    if name in declared or current_plot(name) in declared:
        return _plain(getattr(owner, name))
    if isinstance(owner, Measurement) and owner.value is None:
        raise Undefined(owner.reason)
    raise Undefined(f"{spoken[:40]}: {unknown_name('field', name, declared)}.")


def is_value(found: Any) -> bool:
    """Return True for a number, text, bool, None, or a list of these."""
    if isinstance(found, tuple | list):
        return all(map(is_value, found))
    return found is None or isinstance(found, float | int | str)


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, Tensor) and value.ndim == 0 else value


# --- Places in plots ------------------------------------------------------------------------------------------------


def place_of(text: str, session: Session, engine: Engine) -> Place:
    """Return a number's coordinates by the roles of their axes; empty if it is computed from several, or of an earlier session.

    Known are the numbers that subscripts name, and those whose measure knows their place.
    """
    node = syntax_tree(text)
    try:
        if isinstance(node, ast.Attribute):
            found = Evaluation(session, engine, None).answer(node.value)
            return found.place(node.attr) if isinstance(found, Measurement) else ()
        return _subscripted(node, Evaluation(session, engine, None))
    except (Undefined, TooLarge):
        return ()


def _subscripted(node: ast.AST, evaluation: Evaluation) -> Place:
    indices: list[int] = []
    while isinstance(node, ast.Subscript):
        indices.insert(0, evaluation.answer(node.slice))
        node = node.value
    match node:
        case ast.Name(id="vectors" | "angles") | ast.Attribute(value=ast.Name(id="attention" | "frequencies")):
            roles = _ROLES.get(node.id if isinstance(node, ast.Name) else node.attr, ())
        case ast.Attribute(value=ast.Name()):
            found = evaluation.answer(node.value)
            return found.place(node.attr, tuple(indices)) if isinstance(found, Measurement) else ()
        case _:
            return ()
    if len(indices) != len(roles):
        return ()
    place = dict(zip(roles, indices, strict=True))
    for role in (role for role, at in place.items() if at < 0):
        if role in ("query", "key"):
            place[role] += len(evaluation.session.tokens)
        elif len(roles) == 1:
            place[role] += len(evaluation.answer(node))
        else:
            return ()
    return tuple(place.items())
