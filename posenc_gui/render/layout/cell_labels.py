"""The texts of maps: numbers in cells, and the labels along rows and columns: words or numbers, their size, and the angle at
which all of them have room."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NamedTuple

import numpy as np

from posenc_gui.figure.axis import BLOCK_ROLES, TOKEN_ROLES, Axis
from posenc_gui.figure.panels import Heatmap
from posenc_gui.figure.ranges import Values
from posenc_gui.foundation.wording import format_distinct
from posenc_gui.render.layout.label_placement import thinned
from posenc_gui.render.layout.text_fit import Measure, elided, longest, visible
from posenc_gui.render.layout.type_sizes import Face, Style

_INSIDE, _LEAST_INSIDE = 4.0, 2.5  # units at each side of a cell's number, and of one in the short form
_LINES = 0.9  # the height of a cell, in lines of its number
_MOST_NUMBERS = 1024  # cells of a map with numbers
_KEPT = 16  # maps whose texts are kept
_MOST_DECIMALS = 5  # of the number in a framed cell; what is smaller is mostly rounding
_LONG_TEXTS = 3  # of a map that are measured: those with the most characters
Angle = Literal["level", "slanted", "upright"]

_AIR = 6.0  # between labels side by side
ABOVE = 4.0  # between the cells and the labels above them
BESIDE = 12.0  # at both sides of labels beside cells, together
_CLOSE = 0.8  # lines of text: the least pitch of names that nothing else can stand for
_REMEMBERED = 64  # labels
SLANT = math.sqrt(0.5)  # the height of a label at 45°, as a share of its length
_LEAST_TURNED = 2.5  # lines of text: the least height for turned labels that are cut
_TURNED: tuple[tuple[Angle, float], ...] = (
    ("slanted", math.sqrt(2)),
    ("upright", 1.0),
)  # least pitch, in lines of text


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
    room = across - 2 * (_LEAST_INSIDE if style.brief else _INSIDE)

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
    """All numbers of a map, row by row, with equally many decimals: two if the largest is about one. Framed cells, of which a
    text speaks, have as many as their numbers need to differ from 0 and from each other, up to a limit."""
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


@dataclass(frozen=True)
class Labels:
    """The labels along one side of a map: their texts by coordinate, their type, their angle, and the room they take.

    `room` is the height of labels above columns, or the width of labels beside rows; `over` is the length by which slanted
    labels reach over the middle of the last column, to its right. `name` is what numbers count, in a line of small type at the
    far side of that room; words speak for themselves.
    """

    texts: tuple[tuple[int, str], ...]
    face: Face
    angle: Angle
    room: float
    over: float = 0.0
    name: str = ""


class CellLabels:
    """Finds the labels of maps in one style; what was found once, as for maps with equal axes, is remembered."""

    def __init__(self, style: Style) -> None:
        self._style = style
        self.above = lru_cache(_REMEMBERED)(self._above)
        self.beside = lru_cache(_REMEMBERED)(self._beside)
        self._of = lru_cache(_REMEMBERED)(self._cut)
        self._width = lru_cache(_REMEMBERED)(self._longest)

    def _above(self, axis: Axis, count: int, pitch: float, most: float) -> Labels:
        """The labels above columns that are `pitch` apart, at most `most` high.

        Words stay level while all have room in the smaller type; then they are at 45°, then upright; where not even upright
        words have room there are tokens' coordinates, or some of the words. A word no longer than a line is high never
        turns: on its side, 🇩🇪 reads as another flag.
        """
        style = self._style
        for face in (style.label, style.small) if self._may_have_words(axis, pitch) else ():
            if self._width(axis, face) + _AIR <= pitch:
                return Labels(self._of(axis, face), face, "level", face.line + ABOVE)
        face = style.small
        for angle, lines in _TURNED if self._may_have_words(axis, pitch) else ():
            if lines * face.line <= pitch and self._width(axis, face) > face.line:
                turned = self._turned(axis, angle, pitch, most)
                if turned.texts == self._of(axis, face) or most >= _LEAST_TURNED * face.line:
                    return turned
        need = self._widest_left(axis, count, face) + 2 * _AIR
        name = self._name(axis)
        room = face.line + ABOVE + face.line * bool(name)
        return Labels(self._thinned(axis, count, pitch, need), face, "level", room, name=name)

    def _beside(self, axis: Axis, count: int, pitch: float, largest: Face) -> Labels:
        """The labels beside rows that are `pitch` apart: words where all have a line, else coordinates or some words; names,
        for which no coordinate can stand, may be closer. Their type is no larger than `largest`."""
        style = self._style
        for face in dict.fromkeys((largest, style.small)) if axis.marks else ():
            if face.line <= pitch or (face is style.small and _is_named(axis) and _CLOSE * face.line <= pitch):
                return Labels(self._of(axis, face), face, "level", self._width(axis, face) + BESIDE)
        texts, name = self._thinned(axis, count, pitch, 2 * style.small.line), self._name(axis)
        room = longest((text for _, text in texts), style.small.measure) + BESIDE + style.small.line * bool(name)
        return Labels(texts, style.small, "level", room, name=name)

    def _name(self, axis: Axis) -> str:
        return axis.title if self._style.is_paper else ""

    def _may_have_words(self, axis: Axis, pitch: float) -> bool:
        return bool(axis.marks) and min(self._style.small.line, _AIR + 1) <= pitch

    def _turned(self, axis: Axis, angle: Angle, pitch: float, most: float) -> Labels:
        face, room = self._style.small, most - 2 * ABOVE
        length = 1 + (room if angle == "upright" else room / SLANT - face.line)
        shown = tuple((at, elided(word, length, face.measure)) for at, word in self._of(axis, face))
        length = longest((word for _, word in shown), face.measure)
        if angle == "upright":
            return Labels(shown, face, angle, length + 2 * ABOVE)
        last = shown[-1][0]
        over = max(SLANT * (face.measure(word) + face.line) - (last - at) * pitch for at, word in shown)
        return Labels(shown, face, angle, SLANT * (length + face.line) + 2 * ABOVE, over=over)

    def _widest_left(self, axis: Axis, count: int, face: Face) -> float:
        """The length of the longest text that stands where not all labels have room."""
        if _is_named(axis):
            return self._width(axis, face)
        first = axis.first + axis.ahead
        return longest((_number(at) for at in (first, first + count - 1)), face.measure)

    def _thinned(self, axis: Axis, count: int, pitch: float, need: float) -> tuple[tuple[int, str], ...]:
        """As many as have room, at round coordinates, the one in focus always among them; of tokens the positions."""
        focus, first = () if axis.focus is None else (axis.focus + axis.ahead,), axis.first + axis.ahead
        shown = thinned(range(first, first + count), pitch, need, focus) or [first]
        if _is_named(axis):
            words = dict(self._of(axis, self._style.small))
            return tuple((at, words[at]) for at in shown)
        return tuple((at - axis.ahead, _number(at)) for at in shown)

    def _cut(self, axis: Axis, face: Face) -> tuple[tuple[int, str], ...]:
        shown = (elided(visible(word), self._style.longest, face.measure) for word in axis.marks)
        return tuple(enumerate(shown, axis.first))

    def _longest(self, axis: Axis, face: Face) -> float:
        return longest((word for _, word in self._of(axis, face)), face.measure)


def _is_named(axis: Axis) -> bool:
    """Whether the axis has names, such as encodings', and not tokens, which their coordinates can stand for."""
    return bool(axis.marks) and axis.role not in TOKEN_ROLES


def _number(coordinate: int) -> str:
    return str(coordinate).replace("-", "−")
