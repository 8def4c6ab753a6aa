"""Print how large each room is beside its size at the last release, and whether the budget holds: `python -m tools.size`.

Exits with 1 if it doesn't. `--record` keeps the present sizes in last_release.json instead, which is part of a release.
"""

from __future__ import annotations

import ast
import io
import json
import sys
import tokenize
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
LAST_RELEASE = Path(__file__).with_name("last_release.json")
TREES = ("posenc_gui", "tests", "tools")
MOST_LINES = {"posenc_gui": 86_650, "tests": 57_800}
MOST_FILES = {"posenc_gui": 508}

_LONG_CLASS, _LONG_FUNCTION = 300, 60  # lines
_NO_CODE = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}


class Size(NamedTuple):
    """Files, lines, lines of code (without blank ones, comments and docstrings), and classes and functions that are long."""

    files: int = 0
    lines: int = 0
    code: int = 0
    classes: int = 0
    functions: int = 0


def size_of(source: str) -> Size:
    """The size of one file."""
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    code = {line for one in tokens if one.type not in _NO_CODE for line in range(one.start[0], one.end[0] + 1)}
    nodes = list(ast.walk(ast.parse(source)))
    for node in nodes:
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            code -= set(_lines(node))
    classes = sum(len(_lines(node)) > _LONG_CLASS for node in nodes if isinstance(node, ast.ClassDef))
    functions = (node for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    return Size(
        1, len(source.splitlines()), len(code), classes, sum(len(_lines(one)) > _LONG_FUNCTION for one in functions)
    )


def _lines(node: ast.stmt) -> range:
    return range(node.lineno, (node.end_lineno or node.lineno) + 1)


def rooms(root: Path) -> dict[str, Size]:
    """The size of each room, by its folder: of the package with floors, of tests and tools without."""
    found = dict[str, Size]()
    for tree in TREES:
        for path in sorted((root / tree).rglob("*.py")):
            folder = path.relative_to(root).parent
            room = "/".join(folder.parts[: 3 if tree == "posenc_gui" else 2])
            found[room] = together((found.get(room, Size()), size_of(path.read_text("utf-8"))))
    return found


def together(sizes: Iterable[Size]) -> Size:
    """The size of several rooms."""
    return Size(*map(sum, zip(Size(), *sizes, strict=True)))


def of_tree(found: Mapping[str, Size], tree: str) -> Size:
    """The size of all rooms of a tree."""
    return together(size for room, size in found.items() if room.split("/")[0] == tree)


def table(now: Mapping[str, Size], before: Mapping[str, Size]) -> Iterator[str]:
    """The sizes line by line, each number with what it was in brackets where that differs."""
    yield f"{'':30}{'files':>16}{'lines':>18}{'code':>18}{'classes > 300':>16}{'functions > 60':>16}"
    for tree in TREES:
        own = sorted(room for room in now.keys() | before.keys() if room.split("/")[0] == tree)
        for room in own:
            yield _row(room, now.get(room, Size()), before.get(room, Size()))
        if len(own) > 1:
            yield _row(f"{tree}, all", of_tree(now, tree), of_tree(before, tree))


def _row(name: str, now: Size, before: Size) -> str:
    cells = (f"{one:,}" if one == other else f"{one:,} ({other:,})" for one, other in zip(now, before, strict=True))
    return f"{name:30}" + "".join(f"{cell:>{width}}" for cell, width in zip(cells, (16, 18, 18, 16, 16), strict=True))


def over_budget(found: Mapping[str, Size]) -> list[str]:
    """What is larger than it may be, in sentences."""
    limits = [(tree, of_tree(found, tree).lines, most, "lines") for tree, most in MOST_LINES.items()]
    limits += [(tree, of_tree(found, tree).files, most, "files") for tree, most in MOST_FILES.items()]
    return [
        f"{tree} has {count:,} {what}, at most {most:,} are allowed."
        for tree, count, most, what in limits
        if count > most
    ]


def main(arguments: Sequence[str]) -> int:
    """Print the table, or record the sizes; 1 if the budget doesn't hold."""
    found = rooms(ROOT)
    if "--record" in arguments:
        LAST_RELEASE.write_text(json.dumps(found, indent=1).replace("\n  ", " ").replace("\n ]", "]") + "\n", "utf-8")
        return 0
    before = {room: Size(*size) for room, size in json.loads(LAST_RELEASE.read_text("utf-8")).items()}
    over = over_budget(found)
    print("\n".join([*table(found, before), *over]))
    return 1 if over else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
