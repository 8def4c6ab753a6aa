"""A planned sheet as parts, from its upper left corner: words above and below, pictures, and tables."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from posenc_gui.figure.panels import Heatmap, Panel
from posenc_gui.foundation.theme import Roles
from posenc_gui.render.drawings.around_panels import draw_band, draw_colour_bar
from posenc_gui.render.drawings.drawing import Drawing, Stage
from posenc_gui.render.drawings.kinds import drawing, stages
from posenc_gui.render.drawings.parts import Moved, Part, Text
from posenc_gui.render.layout.colour_bars import colour_bars
from posenc_gui.render.layout.composition import Composition, Placed, PlacedMap, title_of
from posenc_gui.render.layout.rect import Rect
from posenc_gui.render.layout.type_sizes import MIDDLE, Face
from posenc_gui.render.paper.fonts import advance
from posenc_gui.render.paper.format import LINE, Format, face, size_of
from posenc_gui.render.paper.heading import Line, height_of
from posenc_gui.render.paper.layout import BELOW_CAPTION, Plan
from posenc_gui.render.paper.signs import length_with_badges


@dataclass(frozen=True)
class DrawnPanel:
    """A panel's drawing, and where its stage begins on the sheet."""

    drawing: Drawing[Panel]
    x: float
    y: float


@dataclass(frozen=True)
class Sheet:
    """A planned sheet in a format and colours."""

    plan: Plan
    form: Format
    roles: Roles

    def parts(self) -> Iterator[Part]:
        """Yield all parts in order."""
        yield from self._words()
        yield from self.pictures()

    def pictures(self) -> Iterator[Part]:
        """Yield the parts of pictures and tables, without the words above and below."""
        if self.plan.pictures:
            composed, box = self.plan.pictures
            yield Moved(box.left, self.plan.height - box.top, tuple(self._composed(composed, box)))
        for one in self._tables():
            yield Moved(one.x, one.y, one.drawing.parts)

    def panels(self) -> Iterator[DrawnPanel]:
        """Yield the drawn panels, with their places on the sheet."""
        if self.plan.pictures:
            composed, box = self.plan.pictures
            for one in self._drawn(composed):
                yield replace(one, x=box.left + one.x, y=self.plan.height - box.top + one.y)
        yield from self._tables()

    def _tables(self) -> Iterator[DrawnPanel]:
        for table, box in self.plan.tables:
            stage = Stage(box.width, box.height, self.form.style, self.roles, set_table=table)
            yield DrawnPanel(drawing(table.panel, stage), box.left, self.plan.height - box.top)

    def _words(self) -> Iterator[Part]:
        y = self.form.margin
        for line in self.plan.heading:
            yield from self._runs(line, y)
            y += line.size * LINE
        y = self.plan.height - BELOW_CAPTION / self.form.zoom - height_of(self.plan.caption)
        for line in self.plan.caption:
            yield from self._runs(line, y)
            y += line.size * LINE

    def _runs(self, line: Line, top: float) -> Iterator[Part]:
        """Write a line as the window does: tokens bold and in their colour, numbers bold, signs of what is compared as badges."""
        colours, x, y = {"focus": self.roles.focus, "twin": self.roles.twin}, self.form.margin, top + MIDDLE * line.size
        for run in line.runs:
            bold = run.kind != "plain"
            plain = self.roles.muted if line.muted and not bold else self.roles.ink
            signed, colour = not (bold or line.muted), colours.get(run.kind, plain)
            yield Text(x, y, run.text, colour, face(line.size), bold=bold, signed=signed)
            x += (length_with_badges if signed else advance)(run.text, line.size, bold=bold)

    def _composed(self, composed: Composition, box: Rect) -> Iterator[Part]:
        """Yield the parts of a composition from its own corner, in its box on the sheet."""
        for band in composed.bands:
            left = self.form.margin - box.left
            wide = replace(band, ground=replace(band.ground, left=left, right=left + self.form.inner))
            yield from draw_band(wide, self.form.style, self.roles, reference=band is not composed.bands[-1])
        for placed, one in zip(composed.panels, self._drawn(composed), strict=True):
            yield from self._title(replace(placed, panel=self.plan.own(placed.panel)), composed.title)
            yield Moved(one.x, one.y, one.drawing.parts)
        own_bars = colour_bars([self.plan.own(one.panel) for one in composed.panels])
        for last, bar in composed.bars.items():
            assert isinstance(last, Heatmap)
            own = self.plan.own(last)
            shown = replace(bar, bar=own_bars.get(own, bar.bar))
            yield from draw_colour_bar(shown, own.scale, self.form.style, self.roles)

    def _drawn(self, composed: Composition) -> Iterator[DrawnPanel]:
        staged = stages(composed, self.form.style, self.roles)
        for placed in composed.panels:
            found = drawing(self.plan.own(placed.panel), staged[placed.panel], placed.panel)
            yield DrawnPanel(found, *placed.corner)

    def _title(self, placed: Placed, type_: Face) -> Iterator[Part]:
        """Write a panel's title from its left end and its top."""
        left = placed.plot.left if isinstance(placed, PlacedMap) else placed.room.left
        for number, line in enumerate(title_of(placed, type_)):
            y = placed.room.top + number * type_.line + MIDDLE * size_of(type_)
            yield Text(left, y, line, self.roles.ink, type_, bold=True, signed=True)
