"""The outline of a lab file: its headings, with the text and the fenced block below each."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from markdown_it import MarkdownIt

NO_TITLE = "a lab begins with its title: # Title"
_FIELD = re.compile(r"\s*\[?([a-z]+)")  # a field at the beginning of a block's line

Refuse = Callable[[int, str], None]  # called with a problem's line and its description


@dataclass(frozen=True)
class Block:
    """A fenced block: its kind, its TOML, and the line on which the TOML begins."""

    kind: str
    toml: str
    line: int

    def line_of(self, place: Sequence[int | str]) -> int:
        """Return the line of a field, or of its nearest enclosing field that is found; else the block's first line."""
        lines = self.toml.split("\n")
        found = 0
        for name in (part for part in place if isinstance(part, str)):
            key = re.compile(rf'(^\s*\[?|[.{{,]\s*)"?{re.escape(name)}"?\s*(=(?!=)|[.\]])')
            found = next((number for number in range(found, len(lines)) if key.search(lines[number])), found)
        return self.line + found

    def field_at(self, line: int) -> str:
        """Return the field that a line belongs to, the last one begun on it or above it; empty outside the block."""
        lines = self.toml.split("\n")[: max(0, line - self.line + 1)]
        names = [found[1] for one in lines if (found := _FIELD.match(one))]
        return names[-1] if names and line < self.line + self.toml.count("\n") else ""


@dataclass
class Section:
    """A heading's level, title and line, with the text and the block below it."""

    level: int
    title: str
    line: int
    words: list[str] = field(default_factory=list)
    block: Block | None = None

    @property
    def markdown(self) -> str:
        return "\n".join(self.words).strip()


def read_outline(lines: Sequence[str], refuse: Refuse) -> Iterator[Section]:
    """Yield the headings down to level 3, each with the text and the block below it, in the order of the file."""
    tokens = MarkdownIt("zero").enable(["heading", "fence"]).parse("\n".join(lines))
    part: Section | None = None
    begun = False
    for index, token in enumerate(tokens):
        if token.map is None or token.level:
            continue
        first, last = token.map
        if token.type == "heading_open" and len(token.markup) <= 3:
            if part:
                yield part
            part = Section(len(token.markup), tokens[index + 1].content.strip(), first + 1)
        elif token.type == "fence" and token.info.strip() in ("lab", "step"):
            if part is None or part.block:
                refuse(first + 1, f"this ```{token.info.strip()} block needs a heading of its own")
            else:
                part.block = Block(token.info.strip(), token.content, first + 2)
        elif part is None:
            if not begun:
                refuse(first + 1, NO_TITLE)
            begun = True
        else:
            part.words += ["", *lines[first:last]]
    if part:
        yield part
