"""Expressions of a lab file: values of a session and comparisons of them, by the grammar in `expression_grammar`."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Any

from posenc_gui import measures
from posenc_gui.attention.engine import Engine
from posenc_gui.foundation.errors import TooLarge, Undefined
from posenc_gui.foundation.wording import format_told, quote
from posenc_gui.labs.definition.expression_grammar import check, root_of, syntax_tree, without_before
from posenc_gui.labs.definition.expression_values import Evaluation, is_value
from posenc_gui.measures.base import is_rounding
from posenc_gui.session.session import Session

Value = float | int | str | bool | None | tuple[Any, ...]

LONGEST_ANSWER = 200  # characters of an answer as text


@dataclass(frozen=True)
class Expression:
    """An expression of a lab file. A text that a user wrote goes through `parse`, which checks it.

    called: how a learner is told of the condition, with `{{questions}}`; empty if its measure says it.
    """

    text: str
    called: str = ""

    @property
    def is_condition(self) -> bool:
        """True for a comparison, whose value is True or False."""
        return isinstance(syntax_tree(self.text), ast.Compare | ast.BoolOp)

    @property
    def parts(self) -> tuple[Expression, ...]:
        """The conditions that `and` joins; the condition itself if it has a name of its own, or is one."""
        tree = syntax_tree(self.text)
        if self.called or not isinstance(tree, ast.BoolOp):
            return (self,)
        return tuple(Expression(ast.unparse(part)) for part in tree.values)

    def answer(self, session: Session, engine: Engine, before: Session | None = None) -> Value:
        """Evaluate on a session, and on the one `before` it if the expression refers to that.

        Raises Undefined, which says why there is no value.
        """
        try:
            found = Evaluation(session, engine, before).answer(syntax_tree(self.text))
        except TooLarge as why:
            raise Undefined(str(why)) from None
        if not is_value(found):
            raise Undefined(f"{quote(self.text)} is not a single value: name one of its fields or items.")
        return found  # type: ignore[no-any-return]

    def told(self, value: Value) -> str:
        """Format a value of this expression for a text; a difference that is only rounding is 0."""
        measure = measures.measures().get(root_of(without_before(syntax_tree(self.text))))
        is_difference = measure is not None and measure.are_differences
        return format_answer(0 if is_difference and isinstance(value, float) and is_rounding(value) else value)

    def holds(self, session: Session, engine: Engine, before: Session | None = None) -> bool:
        """Return True if the condition holds; a condition without a value doesn't."""
        try:
            return self.answer(session, engine, before) is True
        except Undefined:
            return False


def parse(text: str) -> Expression:
    """Check an expression of a lab file and return it. Raises ValueError that says what is allowed."""
    check(text)
    return Expression(text)


def condition(text: str) -> Expression:
    """Return an expression that must be a comparison. Raises ValueError for any other."""
    question = parse(text)
    if not question.is_condition:
        raise ValueError(f"{text!r} is not a comparison: write one, such as equivariance.value < 1e-5")
    return question


def format_answer(value: Value) -> str:
    """Format a value for a sentence: True as “yes”, None as “none”; a very long one is cut."""
    words = _in_words(value)
    return words if len(words) <= LONGEST_ANSWER else f"{words[:LONGEST_ANSWER]}…"


def _in_words(value: Value) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return format_told(value)
    if isinstance(value, tuple):
        return ", ".join(map(_in_words, value[:LONGEST_ANSWER]))
    return "none" if value is None else str(value)
