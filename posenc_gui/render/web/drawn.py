"""A figure's frames drawn for a page: SVG for broad and for narrow windows, and what is read where."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from html import escape
from typing import Any

from posenc_gui.figure.figure import Figure
from posenc_gui.foundation.theme import Roles
from posenc_gui.render.drawings.regions import describe
from posenc_gui.render.export_options import Sheet as Size
from posenc_gui.render.layout.rect import Rect
from posenc_gui.render.layout.text_fit import visible
from posenc_gui.render.paper.format import Format
from posenc_gui.render.paper.layout import Plan, plan_frames
from posenc_gui.render.paper.sheet import Sheet
from posenc_gui.render.web.svg import Names, PageWriter, merged

# In pixels, if the window is just as broad: of a lecture hall's, all is larger; 700 pixels are where figure.css parts them.
_LAYOUTS = {"wide": Size(960, None, 12, 14, 20, 0), "narrow": Size(370, None, 12, 13, 16, 0)}
_EDGE = 4.0  # units around a drawing, which frames of cells reach into
# These stand beside the drawing, and tables are tables of the page.
_WORDLESS: dict[str, Any] = {"title": "", "subject": "", "headline": (), "caption_parts": ()}

Data = dict[str, object]
_Told = list[tuple[int, int]]


class Readings:
    """What is read where, each place and each word once."""

    def __init__(self) -> None:
        self.words: dict[str, int] = {}
        self._places: dict[tuple[float, ...], int] = {}
        self._told: dict[tuple[tuple[int, ...], ...], int] = {}

    def add(self, rects: Sequence[Rect], sentences: Sequence[str]) -> tuple[int, int]:
        """The numbers of the places and of the sentences of a panel."""
        places = tuple(round(float(one), 1) for rect in rects for one in (rect.left, rect.top, rect.width, rect.height))
        told = tuple(
            tuple(self.words.setdefault(words, len(self.words)) for words in sentence.split(" · "))
            for sentence in sentences
        )
        return self._places.setdefault(places, len(self._places)), self._told.setdefault(told, len(self._told))

    def tables(self) -> Data:
        """All words, places and sentences in the order of their numbers."""
        return {"words": [*self.words], "places": [*self._places], "told": [*self._told]}


class Drawer:
    """Draws frames in all themes at once; no region in which something is read has a side below `least` units."""

    def __init__(self, themes: Mapping[str, Roles], least: float) -> None:
        self._themes, self._least = themes, least
        self.names, self.readings = Names(), Readings()
        self.heights: dict[str, float] = {}  # of each layout

    def draw(self, figures: Sequence[Figure], shown: Callable[[int], None]) -> tuple[str, list[dict[str, Any]]]:
        """The SVG of all layouts, and for each frame and layout the places and sentences of its panels, and the height."""
        pictures = [replace(figure, panels=figure.pictures, **_WORDLESS) for figure in figures]
        if not any(figure.panels for figure in pictures):
            return "", [{} for _ in figures]
        forms = {layout: Format.of(size) for layout, size in _LAYOUTS.items()}
        frames, told = {layout: list[list[str]]() for layout in forms}, list[dict[str, Any]]()
        plans = [plan_frames(pictures, form) for form in forms.values()]
        for number, of_layouts in enumerate(zip(*plans, strict=True), 1):
            told.append({"high": {}})
            for (layout, form), plan in zip(forms.items(), of_layouts, strict=True):
                elements, told[-1][layout] = self._frame(plan, form)
                frames[layout].append(elements)
                high = round(plan.pictures[0].bounds.bottom + 2 * _EDGE, 1) if plan.pictures else 0.0
                told[-1]["high"][layout] = high
                self.heights[layout] = max(self.heights.get(layout, 0.0), high)
            shown(number)
        drawn = [f'<svg class="defined" aria-hidden="true"><defs>{self.names.definitions()}</defs></svg>']
        for layout, form in forms.items():
            room = Rect.down_from(-_EDGE, -_EDGE, form.width + 2 * _EDGE, told[0]["high"][layout])
            drawn.append(_svg(layout, room, merged(frames[layout]), figures[0].description or figures[0].title))
        return "".join(drawn), told

    def _frame(self, plan: Plan, form: Format) -> tuple[list[str], _Told]:
        """The elements of a frame, and the places and sentences of its panels."""
        down = (plan.pictures[1].top if plan.pictures else 0) - plan.height
        sheets = [Sheet(plan, form, roles) for roles in self._themes.values()]
        writer = PageWriter(form.style, self._themes, self.names)
        elements = [*writer.write([sheet.pictures() for sheet in sheets], y=down)]
        return elements, [self.readings.add(*panel) for panel in _read(sheets[0], down, self._least)]


def _svg(layout: str, room: Rect, elements: str, description: str) -> str:
    sides = " ".join(f"{one:.1f}" for one in (room.left, room.top, room.width, room.height))
    return (
        f'<svg class="drawn {layout}" data-layout="{layout}" viewBox="{sides}" preserveAspectRatio="xMinYMin meet" '
        f'role="img" aria-roledescription="figure" aria-label="{escape(visible(description))}"><g aria-hidden="true">{elements}'
        '<rect class="here" display="none"/></g></svg>'
    )


def _read(sheet: Sheet, down: float, least: float) -> Iterator[tuple[list[Rect], list[str]]]:
    """Yield the places of each panel, and what is read there."""
    drawn = [*sheet.panels()]
    panels = [one.drawing.panel for one in drawn]
    for one in drawn:
        found = [
            (region.rect.shifted(one.x, one.y + down), describe(one.drawing.panel, panels, region.x, region.y))
            for region in one.drawing.regions(least)
        ]
        yield [rect for rect, _ in found], [words for _, words in found]
