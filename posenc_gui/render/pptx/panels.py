"""The panels of a slide: the position of each, and whether it becomes a native chart, a native table or a picture."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from pptx.enum.text import MSO_ANCHOR, PP_ALIGN

from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panels import Bars, Heatmap, Lines, Note, Panel, Slopes, Table
from posenc_gui.foundation.theme import Roles
from posenc_gui.render.export_options import ExportOptions
from posenc_gui.render.layout.lanes import is_lane
from posenc_gui.render.paper.layout import OF_TABLES, rows_of
from posenc_gui.render.pptx import charts, tables
from posenc_gui.render.pptx.pictures import add_picture, drawn_table_height
from posenc_gui.render.pptx.shapes import GAP, HEADLINE, Box, add_text, set_alt_text


def without_long_tables(figure: Figure, width: float, room: float) -> Figure:
    """The figure without tables that would leave too little of this height to its pictures."""
    below = [panel for panel in figure.panels if isinstance(panel, Table)]
    if len(below) == len(figure.panels) or sum(_wanted_height(table, width) for table in below) <= OF_TABLES * room:
        return figure
    return replace(figure, panels=tuple(panel for panel in figure.panels if panel not in below))


def without_slopes(figure: Figure, box: Box) -> Figure:
    """The figure without its slopes, if they leave the maps beside them too little room to stay editable."""
    maps = tuple(panel for panel in figure.panels if isinstance(panel, Heatmap))
    if all(map(_is_editable, maps, _columns(figure.panels, box))):
        return figure
    return replace(figure, panels=tuple(panel for panel in figure.panels if not isinstance(panel, Slopes)))


def draw_panels(page: Any, figure: Figure, choices: ExportOptions, box: Box) -> None:
    """Draw the panels in rows: each editable, or the whole row as one picture if any panel of it can't be; slopes as pictures."""
    rows = rows_of(figure)
    if not rows:
        return
    rooms = _rooms(rows, box)
    height = min(room.height for room in rooms)
    width = max((box.width - GAP * (len(row) - 1)) / len(row) for row in rows)
    read_together = any(isinstance(panel, Heatmap) or is_lane(panel) for panel in figure.panels)
    # Maps share their scale and lanes their axis: either all of them are editable, or all are one picture.
    narrowest = Box(0, 0, width, height)
    if read_together and not all(_stands_alone(panel, narrowest) for row in rows for panel in row):
        add_picture(page, figure, choices, box)
        return
    for row, room in zip(rows, rooms, strict=True):
        places = _columns(row, room)
        if not all(map(_stands_alone, row, places)):
            add_picture(page, replace(figure, panels=tuple(row)), choices, room)
            continue
        for panel, place in zip(row, places, strict=True):
            if isinstance(panel, Slopes):
                add_picture(page, replace(figure, panels=(panel,)), choices, place)
                continue
            titled = len(figure.panels) > 1 or not figure.headline
            shape = _EDITABLE[type(panel)].add(panel, page, place, choices.roles, titled)
            set_alt_text(shape, panel.title or figure.title, figure.description)


def _rooms(rows: list[tuple[Panel, ...]], box: Box) -> list[Box]:
    """A box for each row, from top to bottom: tables get the height they want, pictures share the rest."""
    wanted = [_wanted_height(panel, box.width) if isinstance(panel := row[0], Table) else None for row in rows]
    pictures = wanted.count(None)
    free = box.height - GAP * (len(rows) - 1)
    if not pictures:
        wanted = [free / len(rows)] * len(rows)
    shared = (free - sum(one for one in wanted if one is not None)) / max(1, pictures)
    found, top = [], box.top
    for one in wanted:
        found.append(Box(box.left, top, box.width, shared if one is None else one))
        top += found[-1].height + GAP
    return found


def _columns(row: Sequence[Panel], room: Box) -> list[Box]:
    """A box for each panel of a row, of equal widths."""
    share = (room.width - GAP * (len(row) - 1)) / len(row)
    return [Box(room.left + at * (share + GAP), room.top, share, room.height) for at in range(len(row))]


def _wanted_height(panel: Table, width: float) -> float:
    """The height of a table: of a native one, or of a drawn one where it is too wide for that."""
    if tables.native_width(panel) <= width:
        return tables.native_height(panel)
    return drawn_table_height(panel, width)


def _stands_alone(panel: Panel, room: Box) -> bool:
    """True where a panel gets a box of its own: it is editable, or slopes, which have their own axis."""
    return isinstance(panel, Slopes) or _is_editable(panel, room)


def _is_editable(panel: Panel, room: Box) -> bool:
    """True where a panel becomes a chart, a table or text that can be edited in PowerPoint."""
    kind = _EDITABLE.get(type(panel))
    return kind is not None and kind.fits(panel, room)


def _note_fits(_panel: Note, _room: Box) -> bool:
    return True


def _add_note(panel: Note, page: Any, box: Box, roles: Roles, _titled: bool) -> Any:
    frame = add_text(page, box, panel.text, HEADLINE, roles.muted)
    frame.vertical_anchor = MSO_ANCHOR.MIDDLE
    frame.paragraphs[0].alignment = PP_ALIGN.CENTER
    return frame._parent


class _Editable(NamedTuple):
    """One kind of panel as a native shape: if it can be one in a box, and how it is added to a slide."""

    fits: Callable[[Any, Box], bool]
    add: Callable[[Any, Any, Box, Roles, bool], Any]


_EDITABLE: dict[type[Panel], _Editable] = {
    Lines: _Editable(charts.lines_fit, charts.add_lines),
    Bars: _Editable(charts.bars_fit, charts.add_bars),
    Heatmap: _Editable(tables.heatmap_fits, tables.add_heatmap),
    Table: _Editable(tables.table_fits, tables.add_table),
    Note: _Editable(_note_fits, _add_note),
}
