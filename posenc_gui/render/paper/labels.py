"""Labels: along an axis their style and those that have room, and the numbers beside frames around what a text speaks of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from posenc_gui.figure.axis import TOKEN_ROLES, Axis
from posenc_gui.render.layout.beside_frames import beside_frames
from posenc_gui.render.layout.label_placement import thinned
from posenc_gui.render.layout.rect import Rect
from posenc_gui.render.layout.text_fit import Measure, elided, longest
from posenc_gui.render.paper.fonts import measured
from posenc_gui.render.paper.format import LINE, SMALL
from posenc_gui.render.paper.page import Page

_LOOSE, _CLOSE = 1.25, 1.0  # from line to line, in type sizes; close in the smallest type
_BOLD_BREADTH = 1.15  # as broad as plain type, at most


@dataclass(frozen=True)
class LabelStyle:
    """The style of labels: type size, greatest length, and `numbered`: tokens are followed by their coordinate."""

    size: float
    room: float
    numbered: bool

    @property
    def pitch(self) -> float:
        """The distance from one line of labels to the next."""
        return self.size * (_LOOSE if self.size > SMALL else _CLOSE)

    @property
    def measure(self) -> Measure:
        """The measure of a label's length."""
        return measured(self.size)


def widest_label(axis: Axis, count: int, style: LabelStyle) -> float:
    shown = range(axis.first, axis.first + count) if axis.labels else (axis.first, axis.first + count - 1)
    return longest((_label(axis, coordinate, style) for coordinate in shown), style.measure)


def _label(axis: Axis, coordinate: int, style: LabelStyle) -> str:
    if not axis.labels:
        return str(coordinate).replace("-", "−")
    label = axis.marks[coordinate - axis.first]
    is_numbered = style.numbered and label != str(coordinate) and axis.role in TOKEN_ROLES
    number = f" ({coordinate})" if is_numbered else ""
    return elided(label, style.room - style.measure(number), style.measure) + number


def labels_with_room(
    axis: Axis, count: int, pitch: float, style: LabelStyle, need: float
) -> tuple[tuple[int, str], ...]:
    """As many labels as have room, at round coordinates; the one in focus always stays."""
    focus = () if axis.focus is None else (axis.focus,)
    shown = thinned(range(axis.first, axis.first + count), pitch, need, focus)
    return tuple((coordinate, _label(axis, coordinate, style)) for coordinate in shown)


def draw_values(
    page: Page, values: Sequence[tuple[Rect, str]], room: Rect, crossed: Callable[[Rect], bool] = lambda _: False
) -> None:
    """Write each value near its frame, where there is room; `crossed` says whether a curve goes through a place."""
    measure = measured(SMALL)
    for place, text in beside_frames(values, lambda text: (_BOLD_BREADTH * measure(text), LINE * SMALL), room, crossed):
        page.text(place.left, (place.top + place.bottom) / 2, text, SMALL, bold=True)
