"""Questions that a lab file asks of a session: comparisons over named measures and session fields, never code.

The text is read by Python's own parser and then answered here, node by node; what is not listed below is refused:

    session.FIELD                fields of the session, with `tokens`, `n_tokens`, `focused`, `keyed`
    MEASURE.FIELD                fields of a measure, as in `equivariance.value`; MEASURE(option=1).FIELD sets its options
    attention.FIELD[h][m][n]     scores, position, probabilities, output … of the last layer
    before.…                     any of these as it was when the step began: before.shift.value
    vectors[m][i], angles[m][i]  what the encoding adds to position m, or by what angle (radians) it turns each pair there
    numbers, "words", True, False, None, (lists,), + - * /, abs(), len(), and one comparison: == != < <= > >= in, not in
"""

from __future__ import annotations

import ast
import copy
import math
import operator
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from functools import cache, lru_cache
from typing import Any, Literal

import torch
from torch import Tensor

from posenc_gui import measures
from posenc_gui.attention.engine import Engine
from posenc_gui.attention.forward import Attended
from posenc_gui.attention.layer import context_of
from posenc_gui.encodings.base import InputEncoding, RotationEncoding
from posenc_gui.figure.figure import number
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.foundation.errors import TooLarge, Undefined, unknown
from posenc_gui.measures.base import Measurement
from posenc_gui.session.evaluate import Attention
from posenc_gui.session.session import Session

Value = float | int | str | bool | None | tuple[Any, ...]

LONGEST_ANSWER = 200  # characters of an answer in words
LONGEST = 300  # characters of one question
DEEPEST = 30  # brackets and operators within each other
_SMALL = 2**20  # scores over all heads up to which a map is computed whole
_FURTHEST = 1_000_000  # the last position that can be asked for

_OPERATIONS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
}  # fmt: skip
_COMPARISONS: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt,
    ast.GtE: operator.ge, ast.In: lambda one, among: one in among, ast.NotIn: lambda one, among: one not in among,
}  # fmt: skip
_FUNCTIONS: dict[str, Callable[[Any], Any]] = {"abs": abs, "len": len}
_BEFORE = "before"
_OF_SESSION = ("tokens", "n_tokens", "focused", "keyed")  # beside its fields


@dataclass(frozen=True)
class Question:
    """One question by its text, which `parse` has found to be allowed."""

    text: str

    @property
    def is_condition(self) -> bool:
        """Whether the answer is yes or no."""
        return isinstance(_tree(self.text), ast.Compare)

    def answer(self, session: Session, engine: Engine, before: Session | None = None) -> Value:
        """The value for a session, and for the one `before` it where it asks for that: a number, words, yes or no, or several.

        Raises Undefined, which says why there is none.
        """
        try:
            found = _Answering(session, engine, before).answer(_tree(self.text))
        except TooLarge as why:
            raise Undefined(str(why)) from None
        if not _is_value(found):
            raise Undefined(f"“{self.text}” is no single value: name one of its fields or numbers.")
        return found  # type: ignore[no-any-return]

    def holds(self, session: Session, engine: Engine, before: Session | None = None) -> bool:
        """Whether a condition is true of a session, and the one before it; what has no value is not."""
        try:
            return self.answer(session, engine, before) is True
        except Undefined:
            return False


def parse(text: str) -> Question:
    """A question from a lab file. Raises ValueError that says what is allowed."""
    if len(text) > LONGEST:
        raise ValueError(f"a question has at most {LONGEST} characters, not {len(text):,}")
    tree = _tree(text)
    if _depth(tree) > DEEPEST:
        raise ValueError(f"{text[:40]!r} … is nested too deeply")
    _check(_Unrooted().visit(copy.deepcopy(tree)) if _BEFORE in text else tree)
    return Question(text)


def condition(text: str) -> Question:
    """A question whose answer is yes or no. Raises ValueError for any other."""
    question = parse(text)
    if not question.is_condition:
        raise ValueError(f"{text!r} compares nothing: write a comparison, such as equivariance.value < 1e-5")
    return question


def in_words(value: Value) -> str:
    """An answer as it is read aloud; of a very long one its beginning."""
    words = _in_words(value)
    return words if len(words) <= LONGEST_ANSWER else f"{words[:LONGEST_ANSWER]}…"


def _in_words(value: Value) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return number(value)
    if isinstance(value, tuple):
        return ", ".join(map(_in_words, value[:LONGEST_ANSWER]))
    return "none" if value is None else str(value)


# --- What is allowed ------------------------------------------------------------------------------------------------


@lru_cache(maxsize=1024)
def _tree(text: str) -> ast.expr:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of an unknown escape: whoever types a question has no console
            return ast.parse(text.strip(), mode="eval").body
    except SyntaxError as error:
        raise ValueError(f"{text!r} can't be read: {error.msg}") from None
    except (RecursionError, MemoryError):
        raise ValueError(f"{text[:40]!r} … is nested too deeply") from None
    except ValueError:  # half of a sign, or none
        raise ValueError(f"{text!r} can't be read: it holds what is no text") from None


class _Unrooted(ast.NodeTransformer):
    """What is asked of the session before, as it would be asked of the one at hand."""

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        """`before.shift` as `shift`."""
        if isinstance(node.value, ast.Name) and node.value.id == _BEFORE:
            return ast.Name(node.attr)
        self.generic_visit(node)
        return node


def _is_of_before(node: ast.AST) -> bool:
    """Whether a chain of fields and items begins at the session before."""
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Call):
        node = node.func if isinstance(node, ast.Call) else node.value
    return isinstance(node, ast.Name) and node.id == _BEFORE


def _depth(tree: ast.AST) -> int:
    """How many nodes stand within each other; counted layer by layer, however many."""
    depth, layer = 0, [tree]
    while layer:
        layer = [inner for node in layer for inner in ast.iter_child_nodes(node)]
        depth += 1
    return depth


def _roots() -> tuple[str, ...]:
    return ("session", "attention", "vectors", "angles", *measures.names())


def _check(node: ast.AST) -> None:
    """Walk the whole tree once, so that what is not allowed is refused before anything is computed."""
    match node:
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _COMPARISONS:
            _check(left)
            _check(right)
        case ast.Compare(ops=[_, _, *_]):
            raise ValueError("one comparison at a time: write two questions instead of a < b < c")
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATIONS:
            _check(left)
            _check(right)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            _check(operand)
        case ast.Constant(value=None | bool() | int() | float() | str()):
            if isinstance(node.value, int | float) and not abs(node.value) <= 1e300:
                raise ValueError("a number is too large")
        case ast.Tuple(elts=elements) | ast.List(elts=elements):
            for element in elements:
                _check(element)
        case ast.Subscript(value=value, slice=at):
            if not _is_of_positions(value):
                _check(value)
            _check(at)
        case ast.Attribute():
            _check_field(node)
        case ast.Name(id=name):
            if name not in _roots():
                raise ValueError(unknown("measure or field", name, _roots()))
            if _is_of_positions(node):
                raise ValueError(f"{name} are of one position: write {name}[3]")
        case ast.Call(func=ast.Name(id=name), args=[argument], keywords=[]) if name in _FUNCTIONS:
            _check(argument)
        case ast.Call(func=ast.Name(id=name), args=[], keywords=keywords) if name in measures.names():
            _check_options(name, keywords)
        case ast.Call():
            raise ValueError(f"only {', '.join(_FUNCTIONS)} and measures with named options can be called")
        case _:
            raise ValueError(f"{ast.unparse(node)[:40]!r} is not allowed: compare measures and session fields")


def _is_of_positions(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and node.id in ("vectors", "angles")


def _check_options(name: str, keywords: list[ast.keyword]) -> None:
    options = measures.measures()[name].options.model_fields
    for keyword in keywords:
        if keyword.arg not in options:
            raise ValueError(f"{name}: {unknown('option', keyword.arg, options)}")
        if not isinstance(keyword.value, ast.Constant):
            raise ValueError(f"{name}: the option {keyword.arg} takes a number or words")
        _check(keyword.value)


def _check_field(node: ast.Attribute) -> None:
    _check(node.value)
    match node.value:
        case ast.Name(id=name) | ast.Call(func=ast.Name(id=name)) if name in (
            "session",
            "attention",
            *measures.names(),
        ):
            allowed = _fields_of(name)
        case _:
            return  # fields of fields are known when they are there
    if node.attr not in allowed:
        raise ValueError(f"{ast.unparse(node.value)}: {unknown('field', node.attr, allowed)}")


def fields_by_root() -> dict[str, tuple[str, ...]]:
    """The declared fields of the session, of attention and of each measure."""
    return {root: _fields_of(root) for root in ("session", "attention", *measures.names())}


@cache
def _fields_of(root: str) -> tuple[str, ...]:
    if root == "session":
        return (*Session.model_fields, *_OF_SESSION)
    if root == "attention":
        return tuple(field.name for field in fields(Attention))
    take = measures.measures()[root].take
    # Only what is returned is looked up: other annotations name what is there for type checkers alone.
    own = tuple(field.name for field in fields(take.__globals__[take.__annotations__["return"]]))
    if root == "requirements":
        from posenc_gui.measures.requirements import definitions

        return (*own, *definitions())
    return own


# --- Answers --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Rows:
    """A part of a session's attention, of which only the rows that a question reads are computed where it isn't small.

    Of what each head has, (h, n, …), a head is chosen first; of the output, (n, d_model), none.
    """

    part: Literal["scores", "position", "probabilities", "output"]
    session: Session
    engine: Engine
    head: int | None = None

    def __len__(self) -> int:
        return self.session.model.n_heads if self._of_heads else len(self.session.tokens)

    def __getitem__(self, at: int) -> _Rows | Tensor:
        at = range(len(self))[at]
        return replace(self, head=at) if self._of_heads else self._row(at)

    @property
    def _of_heads(self) -> bool:
        return self.head is None and self.part != "output"

    def _row(self, query: int) -> Tensor:
        found, row = self._attended(self.session, query)
        match self.part:
            case "output":
                return found.output[row]
            case "scores":
                return found.scores[self.head, row]
            case "probabilities":
                return found.weights[self.head, row]
            case "position":
                plain, _ = self._attended(self.session.without_position, query)
                return found.scores[self.head, row] - plain.scores[self.head, row]

    def _attended(self, session: Session, query: int) -> tuple[Attended, int]:
        """What holds the query, and in which row: the very map that plots show, or a row of its own."""
        engine, prompt = self.engine, session.prompt
        one, every = range(query, query + 1), range(len(prompt.tokens))
        if prompt.model.n_heads * len(every) ** 2 <= _SMALL:
            return engine.maps(prompt, every), query
        return engine.remembered(("row", prompt, query), lambda: engine.attended(prompt, one, every)), 0


@dataclass
class _Answering:
    """One session being asked, and the one before it."""

    session: Session
    engine: Engine
    before: Session | None

    def answer(self, node: ast.AST) -> Any:
        """The value of a node. Raises Undefined where it has none."""
        if _is_of_before(node):
            if self.before is None:
                raise Undefined("There is no session before this one.")
            return _Answering(self.before, self.engine, None).answer(_Unrooted().visit(copy.deepcopy(node)))
        match node:
            case ast.Compare(left=left, ops=[op], comparators=[right]):
                return self._compared(op, self._single(left), self._single(right))
            case ast.BinOp(left=left, op=op, right=right):
                return self._computed(_OPERATIONS[type(op)], self._number(left), self._number(right))
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
                raise Undefined("“attention” is no single value: name one of its fields.")
            case ast.Name(id=name):
                return self._measured(name, {})
            case ast.Call(func=ast.Name(id=name), args=[argument]):
                found = self.answer(argument) if name == "len" else self._number(argument)
                try:
                    return _FUNCTIONS[name](found)
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
            case "queries":
                return self.engine.layer(self.session.prompt).queries.cpu()
            case "keys":
                return self.engine.layer(self.session.prompt).keys.cpu()
            case "values":
                return self.engine.layer(self.session.prompt).values.cpu()
            case "scores" | "position" | "probabilities" | "output":
                return _Rows(part, self.session, self.engine)

    def _measured(self, name: str, options: dict[str, Any]) -> Any:
        try:
            measures.measures()[name].options(**options)
        except ValueError as error:  # a value that the option can't have
            raise Undefined(f"{name}: {error}.") from None
        return measures.measure(name, self.session, self.engine, **options)

    def _single(self, node: ast.AST) -> Any:
        found = self.answer(node)
        return float(found) if isinstance(found, Tensor) and found.ndim == 0 else found

    def _number(self, node: ast.AST) -> float:
        found = self._single(node)
        if isinstance(found, bool) or not isinstance(found, int | float):
            raise Undefined(f"{ast.unparse(node)[:40]} is no number.")
        return found

    @staticmethod
    def _computed(operation: Callable[[Any, Any], Any], one: float, other: float) -> float:
        try:
            found = float(operation(one, other))
        except (ZeroDivisionError, OverflowError):
            found = math.nan
        if not math.isfinite(found):
            raise Undefined("The result is no finite number.")
        return found

    @staticmethod
    def _compared(op: ast.cmpop, one: Any, other: Any) -> bool:
        if not (_is_value(one) and _is_value(other)):
            raise Undefined("Only single values can be compared: name a field or a number.")
        try:
            return bool(_COMPARISONS[type(op)](one, other))
        except (TypeError, RuntimeError, OverflowError):
            raise Undefined("Two different kinds of value can't be compared.") from None

    def _item(self, value: ast.expr, at: Any) -> Any:
        if isinstance(value, ast.Name) and value.id in ("vectors", "angles"):
            return self._of_position(value.id, at)
        found = self.answer(value)
        if isinstance(found, Mapping) and isinstance(at, str):
            return _field(found, at, ast.unparse(value))
        if (
            isinstance(at, bool)
            or not isinstance(at, int)
            or not isinstance(found, _Rows | Tensor | tuple | list | str)
        ):
            raise Undefined(f"{ast.unparse(value)[:40]} has no item {at!r}.")
        if not -len(found) <= at < len(found):
            raise Undefined(f"{ast.unparse(value)[:40]} has {len(found)} items, not one at {at}.")
        return _plain(found[at])

    def _of_position(self, what: str, position: Any) -> Tensor:
        """p_m (d_model,) or the angles at m (pairs,), in the session's sequence; among patches at the place of token m."""
        encoding, model = self.session.encoding, self.session.model
        if isinstance(position, bool) or not isinstance(position, int | float) or not 0 <= position <= _FURTHEST:
            raise Undefined(f"A position is a number from 0 to {_FURTHEST:,}, not {position!r}.")
        at = self.session.at(torch.tensor([float(position)], dtype=torch.float64))
        context = context_of(max(self.session.context.length, int(at.max()) + 1), model)
        if what == "vectors" and isinstance(encoding, InputEncoding):
            return encoding.vectors(at, model.d_model, context)[0]
        if what == "angles" and isinstance(encoding, RotationEncoding):
            return encoding.angles(at, model.head_width, context)[0]
        raise Undefined(f"“{encoding.called}” has no {what}.")


def _field(owner: Any, name: str, spoken: str) -> Any:
    """A declared field: of a frozen model, of a measurement, of a mapping; never any other attribute."""
    if isinstance(owner, Mapping) and name in owner:
        return owner[name]
    if isinstance(owner, Frozen):
        declared: tuple[str, ...] = tuple(type(owner).model_fields)
        if isinstance(owner, Session):
            declared += _OF_SESSION
        elif "name" not in declared and hasattr(type(owner), "door"):
            declared += ("name", "door", "title")  # an encoding
    elif hasattr(owner, "__dataclass_fields__"):
        declared = tuple(field.name for field in fields(owner))
    else:
        raise Undefined(f"{spoken[:40]} has no fields.")
    if name in declared:
        return _plain(getattr(owner, name))
    if isinstance(owner, Measurement) and owner.value is None:
        raise Undefined(owner.reason)
    raise Undefined(f"{spoken[:40]}: {unknown('field', name, declared)}.")


def _is_value(found: Any) -> bool:
    """Whether something can be an answer: a number, words, yes or no, nothing, or several of these."""
    if isinstance(found, tuple | list):
        return all(map(_is_value, found))
    return found is None or isinstance(found, float | int | str)


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, Tensor) and value.ndim == 0 else value
