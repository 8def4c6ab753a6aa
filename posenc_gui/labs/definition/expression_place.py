"""The place in a plot of the number that an expression names."""

from __future__ import annotations

import ast

from posenc_gui.attention.engine import Engine
from posenc_gui.foundation.errors import TooLarge, Undefined
from posenc_gui.labs.definition.expression_grammar import syntax_tree
from posenc_gui.labs.definition.expression_values import Evaluation
from posenc_gui.measures.base import Measurement, Place
from posenc_gui.session.session import Session

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
