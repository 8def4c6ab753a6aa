"""A formula as one line of plain text, for table cells and screen readers, where it can't be typeset."""

from __future__ import annotations

from collections.abc import Sequence
from html import unescape
from xml.etree.ElementTree import Element

_TIGHT = frozenset("()[]{}|‖⟨⟩/!′")  # signs without spaces around them
_PUNCTUATION = frozenset(",;")


def in_line(latex: str) -> str:
    """Return a formula as people type it: "b^(2/4) = √b" for `b^{2/4} = \\sqrt{b}`. A formula that can't be parsed
    is returned unchanged."""
    from latex2mathml.converter import convert_to_element  # imported only when there is a formula

    try:
        read = convert_to_element(latex)
    except Exception:  # its errors have no common base class, and it also raises Python's own, even StopIteration
        return latex
    return " ".join(_read(read).split())


def _read(node: Element) -> str:
    inner = list(node)
    match node.tag, inner:
        case "msub" | "munder", [base, below]:
            return f"{_read(base)}_{_group(below)}"
        case "msup" | "mover", [base, above]:
            return f"{_read(base)}{_raised(above)}"
        case "msubsup" | "munderover", [base, below, above]:
            return f"{_read(base)}_{_group(below)}{_raised(above)}"
        case "mfrac", [above, below]:
            return f"{_group(above)}/{_group(below)}"
        case "msqrt", _:
            return f"√{_group(*inner)}"
        case "mroot", [base, degree]:
            return f"{_group(base)}^(1/{_group(degree)})"
        case "mtable", _:
            return "; ".join(map(_read, inner))
        case "mtr", _:
            return ", ".join(map(_read, inner))
        case "mspace", _:
            return " "
        case _:
            return _row(inner) if inner else unescape(node.text or "")


def _raised(node: Element) -> str:
    sign = _group(node)
    return sign if node.tag == "mo" or sign in _TIGHT else f"^{sign}"


def _group(*nodes: Element) -> str:
    """Return an operand, in brackets if it is more than a name or a number."""
    words = _row(nodes).replace(" ", "")
    return words if words.isalnum() or len(words) == 1 else f"({words})"


def _row(nodes: Sequence[Element]) -> str:
    """Return neighbours as one line, with spaces around operators and relations and between names, but none after a
    leading sign."""
    line, before = "", None
    for node in nodes:
        sign, operates = _read(node), node.tag == "mo"
        if sign in _PUNCTUATION:
            line += f"{sign} "
        elif operates and sign not in _TIGHT and line and line[-1] not in " (":
            line += f" {sign} "
        else:
            line += f"{' ' if _are_apart(before, node) else ''}{sign}"
        before = node
    return line


def _are_apart(before: Element | None, after: Element) -> bool:
    """Return True if a space belongs between two neighbours: both are names, not letters of one word or a number
    and its factor."""
    if before is None or "mo" in (before.tag, after.tag) or before.tag == "mn":
        return False
    return not before.get("mathvariant") == after.get("mathvariant") == "normal"
