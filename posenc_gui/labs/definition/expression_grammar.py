"""The language of a lab's expressions: what may be written, checked on Python's own syntax tree, never run as code.

Python's own parser reads the text, and `expression_values` evaluates it node by node. What is not listed here is refused:

    session.FIELD                fields of the session, with `tokens`, `n_tokens`, `focused`, `keyed`
    MEASURE.FIELD                fields of a measure, as in `equivariance.value`; MEASURE(option=1).FIELD sets its options
    attention.FIELD[h][m][n]     scores, position, probabilities, output … of the last layer
    before.…                     any of these as it was when the step began: before.shift.value
    vectors[m][i], angles[m][i]  what the encoding adds to position m, or by what angle (radians) it turns each pair there
    numbers, "words", True, False, None, (lists,), + - * /, abs(), len(), percent(), and one
                                 comparison: == != < <= > >= in, not in; or several, joined by `and`
"""

from __future__ import annotations

import ast
import copy
import operator
import warnings
from collections.abc import Callable
from dataclasses import fields
from functools import cache, lru_cache
from typing import Any

from posenc_gui import measures
from posenc_gui.foundation.errors import unknown_name
from posenc_gui.foundation.wording import format_percent, join_words
from posenc_gui.measures.requirements import definitions
from posenc_gui.session.evaluate import Attention
from posenc_gui.session.session import Session

LONGEST = 300  # characters of one expression
_DEEPEST = 30  # nesting of brackets and operators

OPERATIONS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
}  # fmt: skip
COMPARISONS: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt,
    ast.GtE: operator.ge, ast.In: lambda one, among: one in among, ast.NotIn: lambda one, among: one not in among,
}  # fmt: skip
FUNCTIONS: dict[str, Callable[[Any], Any]] = {"abs": abs, "len": len, "percent": format_percent}
OF_SESSION = ("tokens", "n_tokens", "focused", "keyed")  # names besides the session's own fields
_BEFORE = "before"


@lru_cache(maxsize=1024)
def syntax_tree(text: str) -> ast.expr:
    """Parse an expression with Python's own parser; nothing in it is run. Raises ValueError."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about unknown escapes, which would be printed to a console
            return ast.parse(text.strip(), mode="eval").body
    except SyntaxError as error:
        raise ValueError(f"{text!r} can't be read: {error.msg}") from None
    except (RecursionError, MemoryError):
        raise ValueError(f"{text[:40]!r} … is nested too deeply") from None
    except ValueError:  # an unpaired surrogate, or a null character
        raise ValueError(f"{text!r} can't be read: it contains characters that are not text") from None


class _WithoutBefore(ast.NodeTransformer):
    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        """Replace `before.shift` by `shift`."""
        if isinstance(node.value, ast.Name) and node.value.id == _BEFORE:
            return ast.Name(node.attr)
        self.generic_visit(node)
        return node


def without_before(tree: ast.AST) -> ast.AST:
    """Return a copy of a tree that reads the current session instead of the one `before`."""
    return _WithoutBefore().visit(copy.deepcopy(tree))  # type: ignore[no-any-return]


def root_of(node: ast.AST) -> str:
    """Return the name with which a chain of fields, items and calls begins; empty if it begins with none."""
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Call):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""


def is_of_before(node: ast.AST) -> bool:
    """Return True if a chain of fields, items and calls begins with `before`."""
    return root_of(node) == _BEFORE


def _depth(tree: ast.AST) -> int:
    """Return the depth of a tree, counted level by level: recursion would overflow on a hostile one."""
    depth, layer = 0, [tree]
    while layer:
        layer = [inner for node in layer for inner in ast.iter_child_nodes(node)]
        depth += 1
    return depth


def _roots() -> tuple[str, ...]:
    return ("session", "attention", "vectors", "angles", *measures.names())


def check(text: str) -> None:
    """Check, before anything is computed, that an expression keeps to the grammar. Raises ValueError for the fault."""
    if len(text) > LONGEST:
        raise ValueError(f"an expression has at most {LONGEST} characters, not {len(text):,}")
    tree = syntax_tree(text)
    if _depth(tree) > _DEEPEST:
        raise ValueError(f"{text[:40]!r} … is nested too deeply")
    _check_node(without_before(tree) if _BEFORE in text else tree)


def _check_node(node: ast.AST) -> None:
    match node:
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in COMPARISONS:
            _check_node(left)
            _check_node(right)
        case ast.Compare(ops=[_, _, *_]):
            raise ValueError("one comparison at a time: write a < b and b < c instead of a < b < c")
        case ast.BoolOp(op=ast.And(), values=parts) if all(isinstance(one, ast.Compare) for one in parts):
            for part in parts:
                _check_node(part)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in OPERATIONS:
            _check_node(left)
            _check_node(right)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            _check_node(operand)
        case ast.Constant(value=None | bool() | int() | float() | str()):
            if isinstance(node.value, int | float) and not abs(node.value) <= 1e300:
                raise ValueError("a number is too large")
        case ast.Tuple(elts=elements) | ast.List(elts=elements):
            for element in elements:
                _check_node(element)
        case ast.Subscript(value=value, slice=at):
            if not _is_of_positions(value):
                _check_node(value)
            _check_node(at)
        case ast.Attribute():
            _check_field(node)
        case ast.Name(id=name):
            if name not in _roots():
                raise ValueError(unknown_name("measure or field", name, _roots()))
            if _is_of_positions(node):
                raise ValueError(f"{name} are of one position: write {name}[3]")
        case ast.Call(func=ast.Name(id=name), args=[argument], keywords=[]) if name in FUNCTIONS:
            _check_node(argument)
        case ast.Call(func=ast.Name(id=name), args=[], keywords=keywords) if name in measures.names():
            _check_options(name, keywords)
        case ast.Call():
            raise ValueError(f"only {join_words([*FUNCTIONS, 'measures with named options'])} can be called")
        case _:
            raise ValueError(f"{ast.unparse(node)[:40]!r} is not allowed: compare measures and session fields")


def _is_of_positions(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and node.id in ("vectors", "angles")


def _check_options(name: str, keywords: list[ast.keyword]) -> None:
    options = measures.measures()[name].options.model_fields
    for keyword in keywords:
        if keyword.arg not in options:
            raise ValueError(f"{name}: {unknown_name('option', keyword.arg, options)}")
        if not isinstance(keyword.value, ast.Constant):
            raise ValueError(f"{name}: the option {keyword.arg} takes a number or words")
        _check_node(keyword.value)


def _check_field(node: ast.Attribute) -> None:
    _check_node(node.value)
    match node.value:  # nested fields are checked when the value is known
        case ast.Name(id=name) | ast.Call(func=ast.Name(id=name)) if name in fields_by_root():
            allowed = fields_by_root()[name]
            if node.attr not in allowed:
                raise ValueError(f"{ast.unparse(node.value)}: {unknown_name('field', node.attr, allowed)}")


@cache
def fields_by_root() -> dict[str, tuple[str, ...]]:
    """Return the declared fields of the session, of attention and of each measure."""
    return {root: _fields_of(root) for root in ("session", "attention", *measures.names())}


def _fields_of(root: str) -> tuple[str, ...]:
    if root == "session":
        return (*Session.model_fields, *OF_SESSION)
    if root == "attention":
        return tuple(field.name for field in fields(Attention))
    take = measures.measures()[root].take
    # Only the return annotation is resolved: the others may name types imported for type checkers alone.
    own = tuple(field.name for field in fields(take.__globals__[take.__annotations__["return"]]))
    return (*own, *definitions()) if root == "requirements" else own
