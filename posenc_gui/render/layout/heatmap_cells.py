"""Heatmaps for every output: square cells, and the text of numbers in cells."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from posenc_gui.figure.axis import BLOCK_ROLES, TOKEN_ROLES
from posenc_gui.figure.panels import Heatmap
from posenc_gui.figure.ranges import Values
from posenc_gui.foundation.wording import format_distinct
from posenc_gui.render.layout.text_fit import Measure, longest
from posenc_gui.render.layout.type_sizes import Face

_AIR, _LEAST_AIR = 4.0, 2.5  # units at each side of a cell's number, and of one in the short form
_LINES = 0.9  # the height of a cell, in lines of its number
_MOST_NUMBERS = 1024  # cells of a map with numbers
_KEPT = 16  # maps whose texts are kept
_MOST_DECIMALS = 5  # of the number in a framed cell; what is smaller is mostly rounding
_LONG_TEXTS = 3  # of a map that are measured: those with the most characters


def is_square(panel: Heatmap) -> bool:
    """Return True if rows and columns count the same thing, so that the diagonal has a meaning and cells must be square."""
    return panel.rows.role == panel.columns.role or {panel.rows.role, panel.columns.role} <= TOKEN_ROLES | BLOCK_ROLES


def shape_in_cells(panel: Heatmap) -> tuple[float, float]:
    """The rows and columns of a map, or of the larger map that it is a part of, counted in displayed cells."""
    part, (rows, columns) = panel.part, panel.values.shape
    return (rows, columns) if part is None else (len(part.every_row) / part.height, len(part.every_column) / part.width)


class CellText(NamedTuple):
    """A number in a map's cell, in full and in the short form: without the 0 before the point, and with one decimal less
    where it has more than two or a power of ten."""

    whole: str
    brief: str


@dataclass(frozen=True)
class NumberStyle:
    """The style of the numbers in all cells of a figure: their type, in full or in the short form."""

    face: Face
    brief: bool

    def of(self, text: CellText) -> str:
        """The text in this style."""
        return text.brief if self.brief else text.whole


def numbers_that_fit(
    panels: Sequence[Heatmap], across: float, down: float, faces: Sequence[Face]
) -> NumberStyle | None:
    """The style of numbers in cells of this breadth and height: in full in the first type that fits, else in the short form."""
    styles = (NumberStyle(face, brief) for brief in (False, True) for face in faces)
    return next((style for style in styles if numbers_fit(panels, across, down, style)), None)


def numbers_fit(panels: Sequence[Heatmap], across: float, down: float, style: NumberStyle) -> bool:
    """True if all numbers of these maps have room in cells of this breadth and height."""
    if down < _LINES * style.face.line or any(panel.values.size > _MOST_NUMBERS for panel in panels):
        return False
    room = across - 2 * (_LEAST_AIR if style.brief else _AIR)

    def fit(texts: Iterable[CellText]) -> bool:
        return longest(map(style.of, texts), style.face.measure) <= room

    # The ends are few, and mostly among the longest.
    return all(fit(_ends(panel)) for panel in panels) and all(fit(_longest_texts(panel)) for panel in panels)


def longest_number(panel: Heatmap, measure: Measure) -> float:
    """The length of the longest number in a map's cells, or in one of too many cells for numbers, of those at its ends."""
    texts = _ends(panel) if panel.values.size > _MOST_NUMBERS else [*_ends(panel), *_longest_texts(panel)]
    return longest((text.whole for text in texts), measure)


def _ends(panel: Heatmap) -> list[CellText]:
    return number_texts(np.array([[panel.values.max(), panel.values.min()]]))[0]


@lru_cache(_KEPT)
def _longest_texts(panel: Heatmap) -> list[CellText]:
    """The texts of a map with the most characters in full and in the short form; digits are equally broad."""
    texts = {text for row in cell_texts(panel) for text in row}
    forms = (lambda text: len(text.whole)), (lambda text: len(text.brief))
    return [text for form in forms for text in sorted(texts, key=form)[-_LONG_TEXTS:]]


@lru_cache(_KEPT)
def cell_texts(panel: Heatmap) -> list[list[CellText]]:
    """All numbers of a map, row by row, with equally many decimals: two if the largest is about one.

    Framed cells, of which a text speaks, have as many as their numbers need to differ from 0 and from each other, up to a limit.
    """
    texts = number_texts(panel.values)
    framed = [
        (row - panel.rows.first, column - panel.columns.first)
        for row, column in panel.marked
        if row is not None and column is not None
    ]
    values = [float(panel.values[at]) for at in framed]
    told = _told_apart(values, [texts[row][column] for row, column in framed])
    for (row, column), text in zip(framed, told, strict=True):
        texts[row][column] = text
    return texts


def _told_apart(values: Sequence[float], texts: Sequence[CellText]) -> list[CellText]:
    """The texts of framed cells, with more decimals if two of their numbers would read alike but aren't."""
    told = [_told_text(value, text) for value, text in zip(values, texts, strict=True)]
    apart = format_distinct(values)
    if len({text.whole for text in told}) >= len(set(apart)) or any("e" in text for text in apart):
        return told
    decimals = min(len(apart[0].partition(".")[2]), _MOST_DECIMALS)
    return [cell_text(value, decimals) for value in values]


def _told_text(value: float, text: CellText) -> CellText:
    """The text of a cell; with two digits of its number if that would read as 0 but isn't."""
    if not value or text.whole.strip("−0."):
        return text
    decimals = 1 - math.floor(math.log10(abs(value)))
    return cell_text(value, decimals) if decimals <= _MOST_DECIMALS else text


def number_texts(values: Values) -> list[list[CellText]]:
    """All numbers of a table, row by row, with equally many decimals: two if the largest is about one."""
    largest = float(np.abs(values).max())
    power = math.floor(math.log10(largest)) if largest else 0
    if not -4 <= power <= 4:
        return [[CellText(_power(value, 1), _power(value, 0)) for value in row] for row in values.tolist()]
    decimals = min(max(0, 2 - max(power, 0), 1 - power), 9)
    texts = [[cell_text(value, decimals) for value in row] for row in values.tolist()]
    if decimals <= 2:
        return texts
    briefly = [[cell_text(value, decimals - 1).brief for value in row] for row in values.tolist()]
    return [
        [text._replace(brief=brief) for text, brief in zip(row, briefs, strict=True)]
        for row, briefs in zip(texts, briefly, strict=True)
    ]


def _power(value: float, decimals: int) -> str:
    """A number in scientific notation: 1.2e−7."""
    digits, power = f"{value:z.{decimals}e}".split("e")
    return f"{digits}e{int(power)}".replace("-", "−")


def cell_text(value: float, decimals: int = 2) -> CellText:
    """A number in a cell: 0.12 or, in the short form, .12."""
    text = f"{value:z.{decimals}f}".replace("-", "−")
    return CellText(text, _brief(value, text))


def _brief(value: float, text: str) -> str:
    """A number without the 0 before its point; without zero decimals, marked ≈ if it is only nearly whole."""
    whole, _, decimals = text.partition(".")
    if not decimals:
        return text
    if whole in ("0", "−0") and value:
        return f"{whole.removesuffix('0')}.{decimals}"
    if decimals.strip("0"):
        return text
    return whole if math.isclose(value, float(text.replace("−", "-")), rel_tol=1e-6, abs_tol=1e-6) else f"≈{whole}"
