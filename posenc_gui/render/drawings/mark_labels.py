"""Where the labels of upright lines over curves stand: above them, or beside their lines where there is no room."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from posenc_gui.figure.panels import VerticalMark
from posenc_gui.render.layout.label_placement import beside_line, levels
from posenc_gui.render.layout.text_fit import elided, visible
from posenc_gui.render.layout.type_sizes import Style

_APART = 6.0  # units between labels side by side
MOST_LEVELS = 3


class MarkLabel(NamedTuple):
    """A label with its left end, relative to the curves', and its text line, counted from the curves' upper edge."""

    mark: VerticalMark
    text: str
    left: float
    level: int


def above_and_inside(
    marks: Sequence[VerticalMark], start: float, end: float, width: float, most: int, style: Style
) -> tuple[list[MarkLabel], list[MarkLabel]]:
    """The labels on at most `most` lines above the curves from `start` to `end`, and those over the curves.

    A label stands over its line; that of the sentence's end begins there, beside those of its last tokens.
    """
    seen = sorted((one for one in marks if one.label and start <= one.x <= end), key=lambda one: one.x)
    texts = {one: elided(visible(one.label), style.longest, style.small.measure) for one in seen}

    def place(one: VerticalMark) -> float:
        return (one.x - start) / (end - start) * width

    def over(one: VerticalMark) -> tuple[float, float]:
        length = style.small.measure(texts[one])
        left = max(0.0, min(place(one) - (0.0 if one.kind == "end" else length / 2), width - length))
        return left, left + length

    ordered = sorted(seen, key=over)
    spans = map(over, ordered)
    above = [MarkLabel(one, texts[one], *it) for one, it in _placed(ordered, list(spans), most)]
    rest = [one for one in seen if one not in [it.mark for it in above]]
    beside = [beside_line(place(one), style.small.measure(texts[one]), width, _APART) for one in rest]
    inside = [MarkLabel(one, texts[one], *it) for one, it in _placed(rest, beside, MOST_LEVELS) if it[0] >= 0]
    return above, inside


def _placed(
    marks: Sequence[VerticalMark], spans: Sequence[tuple[float, float]], most: int
) -> list[tuple[VerticalMark, tuple[float, int]]]:
    """Each label that has room with its left end and its line."""
    found = zip(marks, spans, levels(spans, most, gap=_APART), strict=True)
    return [(mark, (left, level)) for mark, (left, _), level in found if level is not None]
