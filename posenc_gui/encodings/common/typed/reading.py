"""From what people type, or copy from a paper, to a Program: every fault with its place and one sentence."""

from __future__ import annotations

import ast
import re
from functools import lru_cache

from posenc_gui.encodings.common.typed.program import INDICES, Definition, Fault, Line, Number, Program, Side

LONGEST = 2_000  # characters
_LEFT = re.compile(
    r"\s*(p|PE|angle|bias)\s*[\[(]\s*(?:m|pos)\s*,\s*(?:n\s*,\s*h|(i|2i|2i\s*\+\s*1|i\s*\+\s*d/2))\s*[\])]\s*$"
)
_RANGE = re.compile(r"#\s*(\S+)\s+to\s+(\S+)")


@lru_cache(maxsize=64)
def read(text: str) -> Program:
    """Read a formula. Raises Fault."""
    lines: list[Line] = []
    definitions: dict[str, Definition] = {}
    numbers: dict[str, Number] = {}
    side: Side | None = None
    start = 0
    if len(text) > LONGEST:
        raise Fault(f"A formula has at most {LONGEST:,} characters, not {len(text):,}.", LONGEST, len(text))
    for line in text.split("\n"):
        said, _, comment = line.partition("#")
        if said.strip():
            left, equals, right = said.partition("=")
            if not equals:
                raise Fault("Write what it is: p[m, i] = …", start, start + len(said))
            at = start + len(left) + 1
            if found := _LEFT.match(left):
                side = {"PE": "p"}.get(found[1], found[1])  # type: ignore[assignment]
                columns = re.sub(r"\s", "", found[2] or "i")
                lines.append(Line(columns, _tree(right, at)))  # type: ignore[arg-type]
            elif found := re.match(r"\s*(\w+)\s*(?:\[([\w, ]+)\])?\s*$", left):
                name, inner = found[1], found[2]
                try:
                    value = float(right)
                except ValueError:
                    indices = tuple(one.strip() for one in inner.split(",")) if inner else ()
                    definitions[name] = Definition(name, indices, _tree(right, at))
                else:
                    begin = at + len(right) - len(right.lstrip())
                    given = _RANGE.match("#" + comment)
                    low, high = (float(given[1]), float(given[2])) if given else (value / 10, value * 10 or 1.0)
                    numbers[name] = Number(name, value, low, high, begin, begin + len(right.strip()), not given)
            else:
                raise Fault(f"{left.strip()} is no left side.", start, start + len(left))
        start += len(line) + 1
    if side is None:
        raise Fault("Begin with p[m, i] = …, angle[m, i] = … or bias[m, n, h] = …", 0, len(text))
    assert INDICES[side]
    return Program(text, side, tuple(lines), definitions, numbers)


def _tree(text: str, at: int) -> ast.expr:
    for written, meant in (("^", "**"), (" mod ", " % ")):
        text = text.replace(written, meant)
    text = re.sub(r"(?<![\w.])(\d+(?:\.\d+)?)(?=[A-Za-z(])", r"\1*", text)
    try:
        return ast.parse(text.strip(), mode="eval").body
    except SyntaxError:
        raise Fault("This can't be read.", at, at + len(text)) from None
