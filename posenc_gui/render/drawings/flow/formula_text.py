"""Short formulas in running text: letters that stand for something are italic, parts are raised or lowered."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from posenc_gui.render.drawings.parts import Part, Side, Text
from posenc_gui.render.layout.type_sizes import Face, Size, Style

_PIECES = re.compile(r"\^\{([^}]*)\}|_(\w)|(?<![\w’])([A-Za-df-zθ])(?!\w)|([A-Z])(?=_)")  # e is a number
_BOLD = 1.14  # how many times as broad as regular type bold type is, in whose size nothing measures it
_UP, _DOWN = 0.3, 0.2  # of a line: how far a part is raised or lowered


class Piece(NamedTuple):
    """A part of a formula; `raised` is 1 for an exponent and −1 for an index."""

    text: str
    italic: bool = False
    raised: int = 0


@lru_cache(maxsize=256)  # headings stay while numbers change
def pieces(text: str) -> tuple[Piece, ...]:
    """Split "e^{2.24} · W_q" into its parts."""
    return tuple(_split(text))


def _split(text: str) -> Iterator[Piece]:
    end = 0
    for found in _PIECES.finditer(text):
        if found.start() > end:
            yield Piece(text[end : found.start()])
        exponent, index, letter, indexed = found.groups()
        if exponent is not None:
            yield Piece(exponent, raised=1)
        elif index is not None:
            yield Piece(index, italic=index.isalpha(), raised=-1)
        else:
            yield Piece(letter or indexed, italic=True)
        end = found.end()
    if end < len(text):
        yield Piece(text[end:])


@lru_cache(maxsize=1024)
def _advance(text: str, face: Face) -> float:
    """The length of a text with spaces at its ends, which some measures leave out."""
    return face.measure(f"|{text}|") - face.measure("||")


class FormulaText(NamedTuple):
    """A text with formulas in a size of type, of a certain length."""

    text: str
    style: Style
    size: Size = "label"
    bold: bool = False

    @property
    def length(self) -> float:
        """The drawn length."""
        return sum(self._length(piece) for piece in pieces(self.text))

    def _length(self, piece: Piece) -> float:
        face = self.style.small if piece.raised or self.size == "small" else self.style.label
        if self.bold and face is self.style.label:
            return _advance(piece.text, self.style.title)
        return _advance(piece.text, face) * (_BOLD if self.bold else 1.0)

    def drawn(self, x: float, y: float, colour: str, side: Side = "left") -> Iterator[Part]:
        """The text's parts, with its `side` at x and its middle at y."""
        whole = pieces(self.text)
        if len(whole) == 1:
            yield Text(x, y, whole[0].text, colour, self.size, side, self.bold, whole[0].italic)
            return
        x -= {"left": 0.0, "center": 0.5, "right": 1.0}[side] * self.length
        line = (self.style.small if self.size == "small" else self.style.label).line
        for piece in whole:
            size: Size = "small" if piece.raised else self.size
            up = line * {1: _UP, 0: 0.0, -1: -_DOWN}[piece.raised]
            yield Text(x, y - up, piece.text, colour, size, bold=self.bold, italic=piece.italic)
            x += self._length(piece)
