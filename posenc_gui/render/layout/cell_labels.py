"""The labels along a map's rows and columns: words or numbers, their size, and the angle at which all of them have room."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from posenc_gui.figure.axis import TOKEN_ROLES, Axis
from posenc_gui.render.layout.label_placement import thinned
from posenc_gui.render.layout.text_fit import elided, longest, visible
from posenc_gui.render.layout.type_sizes import Face, Style

Angle = Literal["level", "slanted", "upright"]

_AIR = 6.0  # between labels side by side
ABOVE = 4.0  # between the cells and the labels above them
BESIDE = 12.0  # at both sides of labels beside cells, together
_CLOSE = 0.8  # lines of text: the least pitch of names that nothing else can stand for
_REMEMBERED = 64  # labels
_SLANT = math.sqrt(0.5)  # the height of a label at 45°, as a share of its length
_LEAST_TURNED = 2.5  # lines of text: the least height for turned labels that are cut
_TURNED: tuple[tuple[Angle, float], ...] = (
    ("slanted", math.sqrt(2)),
    ("upright", 1.0),
)  # least pitch, in lines of text


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
        self._words: dict[tuple[Axis, Face], tuple[tuple[int, str], ...]] = {}
        self._widest: dict[tuple[Axis, Face], float] = {}
        self.above = lru_cache(_REMEMBERED)(self._above)
        self.beside = lru_cache(_REMEMBERED)(self._beside)

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
        """The labels beside rows that are `pitch` apart: words where all have a line, else coordinates or some words; names, for
        which no coordinate can stand, may be closer.

        Their type is no larger than `largest`.
        """
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
        length = 1 + (room if angle == "upright" else room / _SLANT - face.line)
        shown = tuple((at, elided(word, length, face.measure)) for at, word in self._of(axis, face))
        length = longest((word for _, word in shown), face.measure)
        if angle == "upright":
            return Labels(shown, face, angle, length + 2 * ABOVE)
        last = shown[-1][0]
        over = max(_SLANT * (face.measure(word) + face.line) - (last - at) * pitch for at, word in shown)
        return Labels(shown, face, angle, _SLANT * (length + face.line) + 2 * ABOVE, over=over)

    def _widest_left(self, axis: Axis, count: int, face: Face) -> float:
        """The length of the longest text that stands where not all labels have room."""
        if _is_named(axis):
            return self._width(axis, face)
        return longest((_number(at) for at in (axis.first, axis.first + count - 1)), face.measure)

    def _thinned(self, axis: Axis, count: int, pitch: float, need: float) -> tuple[tuple[int, str], ...]:
        """As many as have room, at round coordinates, the one in focus always among them; of tokens the coordinates."""
        focus = () if axis.focus is None else (axis.focus,)
        shown = thinned(range(axis.first, axis.first + count), pitch, need, focus) or [axis.first]
        if _is_named(axis):
            words = dict(self._of(axis, self._style.small))
            return tuple((at, words[at]) for at in shown)
        return tuple((at, _number(at)) for at in shown)

    def _of(self, axis: Axis, face: Face) -> tuple[tuple[int, str], ...]:
        if (axis, face) not in self._words:
            shown = (elided(visible(word), self._style.longest, face.measure) for word in axis.marks)
            self._words[axis, face] = tuple(enumerate(shown, axis.first))
        return self._words[axis, face]

    def _width(self, axis: Axis, face: Face) -> float:
        if (axis, face) not in self._widest:
            self._widest[axis, face] = longest((word for _, word in self._of(axis, face)), face.measure)
        return self._widest[axis, face]


def _is_named(axis: Axis) -> bool:
    """Whether the axis has names, such as encodings', and not tokens, which their coordinates can stand for."""
    return bool(axis.marks) and axis.role not in TOKEN_ROLES


def _number(coordinate: int) -> str:
    return str(coordinate).replace("-", "−")
