"""A figure at a glance: its own drawing on a small stage, without words; tables and notes have a stroke for each.

It is SVG in the colours of both themes: where these differ, an attribute holds that of each with a bar between them, in the
order of `THEMES`. Whoever shows the picture leaves that of its theme.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from posenc_gui.figure.figure import Figure
from posenc_gui.foundation.theme import THEMES
from posenc_gui.render.composer import compose
from posenc_gui.render.drawings.drawing import Stage
from posenc_gui.render.drawings.kinds import drawing, stages
from posenc_gui.render.drawings.parts import Box, Moved, Part, Side, Text
from posenc_gui.render.layout.colour_scales import Colours
from posenc_gui.render.layout.rect import Rect
from posenc_gui.render.layout.type_sizes import Face, Style, TableType
from posenc_gui.render.svg import SvgWriter, data_of, is_sharp, place

WIDTH, HEIGHT = 120, 66

_WIDE, _HIGH = 1.75 * WIDTH, 1.75 * HEIGHT  # units: lines are little more than half as broad as in a card
_BARE = Face(3.5, lambda _text: 0.0)  # of words that have no stroke
_SAID = Face(7.0, lambda text: 2.6 * min(len(text), 20))  # of words that have one
_PICTURES = Style(
    _BARE, _BARE, _BARE, _BARE, _BARE, across=7.0, down=7.0, bar=0.0, tick=0.0, axis=_BARE.line, longest=0.0
)
_WORDS = replace(
    _PICTURES, label=_SAID, tables=(TableType(_SAID, _SAID, air=9.0, between=7.0, widest=52.0, readable=52.0),)
)
_STROKE = 3.5  # units: the breadth of the stroke in place of a text
_BEFORE: dict[Side, float] = {"left": 0.0, "center": 0.5, "right": 1.0}


def draw_thumbnail(figure: Figure) -> str:
    """Return the small picture of a figure, as SVG: of its pictures, or else of its first table or note."""
    pictures = figure.pictured.pictures
    if figure.is_note or not pictures:
        in_themes = (Stage(_WIDE, _HIGH, _WORDS, roles) for roles in THEMES.values())
        return _Greeked(_WORDS).svg(_WIDE, _HIGH, [drawing(figure.panels[0], stage).parts for stage in in_themes])
    found, drawn = compose(pictures, figure.across, _WIDE, _HIGH, _PICTURES, bands=figure.bands), []
    for roles in THEMES.values():
        staged = stages(found, _PICTURES, roles)
        drawn.append([Moved(*one.corner, drawing(one.panel, staged[one.panel]).parts) for one in found.panels])
    return _Greeked(_PICTURES).svg(_WIDE, _HIGH, drawn)


class _Greeked(SvgWriter):
    """Writes parts in the colours of both themes, with cells where they are; nothing is clipped, which Qt can't do. A stroke
    stands in place of each text that has a length in a style."""

    def __init__(self, style: Style) -> None:
        self._style = style

    def svg(self, width: float, height: float, themes: Sequence[Iterable[Part]]) -> str:
        """A picture of this size of the parts in each theme."""
        body = "".join(self.write(themes))
        return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}">{body}</svg>\n'

    def colour(self, of_themes: tuple[str, ...]) -> str:
        return "|".join(of_themes)

    def cells(self, rect: Rect, of_themes: Sequence[Colours]) -> str:
        how = "optimizeSpeed" if is_sharp(rect, of_themes[0]) else "optimizeQuality"
        data = self.colour(tuple(map(data_of, of_themes)))
        return f'<image{place(rect)} preserveAspectRatio="none" image-rendering="{how}" href="{data}"/>'

    def clipped(self, rect: Rect, drawn: str) -> str:
        return drawn

    def texts(self, same: Sequence[Text], x: float, y: float) -> Iterator[str]:
        text = same[0]
        if length := self._style.face(text.size).measure(text.text):
            left, top = text.x - _BEFORE[text.side] * length, text.y - _STROKE / 2
            rect = Rect(left, top, left + length, top + _STROKE)
            yield from self.write([[Box(rect, one.colour)] for one in same], x, y)
