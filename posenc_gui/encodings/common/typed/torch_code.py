"""A typed formula as PyTorch code, for what `code` of an encoding offers."""

from __future__ import annotations

import ast

from posenc_gui.encodings.common.typed.program import Program


def torch_expression(program: Program, tree: ast.expr) -> str:
    """Return an expression of torch with the same values: names as in the formula, all tensors in float64."""
    return ast.unparse(tree)
