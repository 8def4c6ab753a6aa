"""Figures as slides: PowerPoint, made with python-pptx.

What its readers can edit stays so: lines and bars are its own charts, maps whose numbers can be read in their cells and short
tables its own tables. All else is a drawing of the paper renderer, with a picture of it for readers that have no drawings.
"""

from __future__ import annotations

import io
import math
import re
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import singledispatch
from typing import Any

import numpy as np
from lxml import etree
from pptx import Presentation
from pptx.chart.data import CategoryChartData, XyChartData
from pptx.dml.color import RGBColor
from pptx.enum.chart import XL_CHART_TYPE, XL_LABEL_POSITION, XL_LEGEND_POSITION, XL_TICK_LABEL_POSITION
from pptx.enum.shapes import MSO_SHAPE_TYPE, PP_PLACEHOLDER
from pptx.enum.text import MSO_ANCHOR, PP_ALIGN
from pptx.opc.constants import RELATIONSHIP_TYPE
from pptx.opc.package import Part
from pptx.opc.packuri import PackURI
from pptx.util import Pt

from posenc_gui.figure.figure import (
    Bars,
    Figure,
    Heatmap,
    Judged,
    Lines,
    Note,
    Panel,
    Slopes,
    Table,
    number,
    said,
    seeded,
    shares,
)
from posenc_gui.foundation.contrast import ink_on, parts_of
from posenc_gui.foundation.files import embedded_session as provenance
from posenc_gui.foundation.theme import Roles
from posenc_gui.foundation.unicode_text import cut
from posenc_gui.render import paper
from posenc_gui.render.csv_table import harmless
from posenc_gui.render.export_options import DEFAULT, Choices, Sheet
from posenc_gui.render.layout.colour_scales import curve_colours, series_colours, shades
from posenc_gui.render.layout.heatmap_cells import cell_texts
from posenc_gui.render.layout.lanes import is_lane
from posenc_gui.render.layout.text_fit import visible
from posenc_gui.render.layout.ticks import round_ticks
from posenc_gui.render.paper import tables
from posenc_gui.render.paper.fonts import measured, unmentioned
from posenc_gui.render.paper.layout import OF_TABLES, rows_of, told_left_out
from posenc_gui.render.paper.page import EDGE, SMALL

SUFFIXES = (".pptx",)
CARRIES_SESSION = True

_TYPE, _LONG, _READ_FIRST, _TITLE = 18.0, 20.0, 24.0, 28.0  # points; a headline of more than two lines is smaller
_MARGIN, _GAP, _LINE = 36.0, 12.0, 1.25
_MOST_CURVES, _MOST_POINTS, _MOST_BARS, _MOST_CELLS = 12, 2048, 60, 12  # of what can still be edited by hand
_ACROSS, _UP = 130.0, 60.0  # points of a chart for a number along its axes
_EDGE = EDGE * _TYPE / SMALL  # around what is drawn
_ROW, _LOW_ROW = 30.0, 24.0  # of a table, the least, and of a map's
_LONGEST_WORDS = 4000  # letters of alternative text
_THIN, _BROAD = 2.5, 7.0
_SHEET = Sheet(960, 540, 18)
_SLACK = 1e-9  # of a step
_ALL = 400  # decimals: so many has no number
_MOST_DECIMALS, _LARGEST_NUMBER = 4, 1e7  # of numbers along an axis that are written without a power of ten
_LARGEST_DECK = 500_000_000  # bytes of what a deck holds, unpacked
_SVG = "http://schemas.microsoft.com/office/drawing/2016/SVG/main"
_SVG_USE = "{96DAC541-7B7A-43D3-8B79-37D633B846F1}"  # by which Office knows that a picture has a drawing beside it
_OTHERS = "/customXml"  # the folder of parts that other programs put into a deck
_DATED = (1980, 1, 1, 0, 0, 0)
_DATES = re.compile(rb'(<dcterms:\w+ xsi:type="dcterms:W3CDTF">)[^<]*')
_FORBIDDEN = (
    "this is no PowerPoint file that slides can be added to: it is damaged, protected, or another kind of file."
)


@dataclass(frozen=True)
class Slide:
    """A figure, and what is said about it."""

    figure: Figure
    note: str = ""


@dataclass(frozen=True)
class _Box:
    """A rectangle on a slide, in points from its upper left corner."""

    left: float
    top: float
    width: float
    height: float

    @property
    def place(self) -> tuple[Any, Any, Any, Any]:
        return Pt(self.left), Pt(self.top), Pt(self.width), Pt(self.height)


def content(figure: Figure, _suffix: str, choices: Choices = DEFAULT) -> bytes:
    """A deck of one slide."""
    return deck([Slide(figure)], choices)


def deck(slides: Sequence[Slide], choices: Choices = DEFAULT, document: str = "", onto: bytes = b"") -> bytes:
    """A deck of these slides, or the deck in `onto` with them at its end, as what its file holds.

    document: the JSON that the deck carries; empty: the last figure's session. Raises ValueError where `onto` is no deck.
    """
    presentation = _opened(onto) if onto else _begun(choices)
    with unmentioned():
        for slide in slides:
            _add(presentation, slide, choices, own=not onto)
    carried = document or next((slide.figure.session for slide in reversed(slides) if slide.figure.session), "")
    if carried:
        _carry(presentation, carried)
    file = io.BytesIO()
    presentation.save(file)
    return _packed(file.getvalue())


def told_editable(deck: bytes) -> str:
    """What of a deck's first slide PowerPoint's users can edit, in a sentence."""
    shapes = Presentation(io.BytesIO(deck)).slides[0].shapes
    charts, tables = any(one.has_chart for one in shapes), any(one.has_table for one in shapes)
    if not charts and not tables:
        return "This plot becomes a picture; its words can be edited in PowerPoint."
    own = "Charts and tables" if charts and tables else "Charts" if charts else "Tables"
    drawn = any(one.shape_type == MSO_SHAPE_TYPE.PICTURE for one in shapes)
    return f"{own} can be edited in PowerPoint{'; the rest becomes a picture' if drawn else ''}."


def _opened(deck: bytes) -> Any:
    try:
        with zipfile.ZipFile(io.BytesIO(deck)) as whole:
            if sum(member.file_size for member in whole.infolist()) > _LARGEST_DECK:
                raise ValueError(_FORBIDDEN)
        return Presentation(io.BytesIO(deck))
    except Exception as error:  # of many kinds, for what is no deck
        raise ValueError(_FORBIDDEN) from error


def _begun(choices: Choices) -> Any:
    """An empty deck as wide as was chosen: python-pptx's own has 4:3, and its layouts go along."""
    presentation = Presentation()
    before = presentation.slide_width
    sheet = choices.sheet if choices.sheet.height else _SHEET
    presentation.slide_width, presentation.slide_height = Pt(sheet.width), Pt(sheet.height or _SHEET.width)
    master = presentation.slide_master
    for shape in (shape for part in (master, *master.slide_layouts) for shape in part.placeholders):
        if shape.element.spPr.xfrm is not None:
            shape.left, shape.width = (
                round(one * presentation.slide_width / before) for one in (shape.left, shape.width)
            )
    return presentation


def _add(presentation: Any, slide: Slide, choices: Choices, *, own: bool) -> None:
    """Add one slide; where the deck is our own, on our own ground."""
    figure, roles = slide.figure, choices.roles
    page = presentation.slides.add_slide(_layout(presentation))
    width, height = presentation.slide_width.pt, presentation.slide_height.pt
    if own and not choices.transparent:
        page.background.fill.solid()
        page.background.fill.fore_color.rgb = _rgb(roles.card)
    top = _title(page, figure, roles if own else None, width)
    room = width - 2 * _MARGIN
    if figure.headline:
        size = _READ_FIRST if _lines(said(figure.headline), room, _READ_FIRST) <= 2 else _LONG
        box = _Box(_MARGIN, top, room, _lines(said(figure.headline), room, size) * size * _LINE)
        frame = _words(page, box, "", size, roles.ink)
        for run in figure.headline:
            colour = {"focus": roles.focus, "twin": roles.twin}.get(run.kind, roles.ink)
            _run(frame.paragraphs[0], run.text, size, colour, bold=run.kind != "plain")
        top += box.height + _GAP
    every = figure.panels
    figure = _without_long_tables(figure, room, height - top - _MARGIN)
    figure = _without_slopes(figure, _Box(_MARGIN, top, room, height - top - 2 * _MARGIN - 2 * _TYPE * _LINE))
    left_out = told_left_out(every, figure.panels)
    figure = replace(figure, caption=" · ".join(filter(None, (left_out, figure.caption))))
    bottom = height - _MARGIN / 2
    long = _lines(figure.caption, room, _TYPE) > 2
    told = " · ".join(filter(None, (left_out, seeded(figure)))) if long else figure.caption
    if told:
        high = _lines(told, room, _TYPE) * _TYPE * _LINE
        bottom -= high
        _words(page, _Box(_MARGIN, bottom, room, high), told, _TYPE, roles.muted)
        bottom -= _GAP
    _draw(page, figure, choices, _Box(_MARGIN, top, room, bottom - top))
    headline = said(figure.headline)
    headline = "" if headline in figure.description else headline
    noted = filter(None, (slide.note, figure.settings, figure.caption, headline, figure.description))
    page.notes_slide.notes_text_frame.text = "\n\n".join(_visible_lines(part) for part in noted)


def _visible_lines(text: str) -> str:
    """The text in its lines, with signs for what no file may hold."""
    return "\n".join(visible(line) for line in text.splitlines())


def _layout(presentation: Any) -> Any:
    """The layout that has a title and the least beside it."""
    titles = (PP_PLACEHOLDER.TITLE, PP_PLACEHOLDER.CENTER_TITLE)
    furniture = (PP_PLACEHOLDER.DATE, PP_PLACEHOLDER.FOOTER, PP_PLACEHOLDER.SLIDE_NUMBER)

    def rank(layout: Any) -> tuple[bool, int]:
        kinds = [one.placeholder_format.type for one in layout.placeholders]
        return not any(kind in titles for kind in kinds), sum(kind not in (*titles, *furniture) for kind in kinds)

    return min(presentation.slide_layouts, key=rank)


def _title(page: Any, figure: Figure, roles: Roles | None, width: float) -> float:
    """Write the title, in the deck's own manner where it is somebody's; return where the room below it begins."""
    text = " · ".join(filter(None, (figure.title, figure.subject)))
    shape = page.shapes.title
    if shape is None:
        return _MARGIN
    if roles is None:
        shape.text_frame.text = visible(text)
        return float((shape.top + shape.height) / Pt(1)) + _GAP if shape.height else _MARGIN + 80
    lines = _lines(text, width - 2 * _MARGIN, _TITLE)
    box = _Box(_MARGIN, _MARGIN / 2, width - 2 * _MARGIN, lines * _TITLE * _LINE)
    shape.left, shape.top, shape.width, shape.height = box.place
    frame = shape.text_frame
    _bare(frame)
    _run(frame.paragraphs[0], figure.title, _TITLE, roles.ink, bold=True)
    if figure.subject:
        _run(frame.paragraphs[0], f" · {figure.subject}", _TITLE, roles.ink)
    frame.paragraphs[0].alignment = PP_ALIGN.LEFT
    return box.top + box.height + _GAP / 2


def _without_long_tables(figure: Figure, width: float, room: float) -> Figure:
    """The figure without tables that would leave too little of this height to its pictures."""
    below = [panel for panel in figure.panels if isinstance(panel, Table)]
    if len(below) == len(figure.panels) or sum(_asked(table, width) for table in below) <= OF_TABLES * room:
        return figure
    return replace(figure, panels=tuple(panel for panel in figure.panels if panel not in below))


def _without_slopes(figure: Figure, box: _Box) -> Figure:
    """The figure without the slopes beside maps that can't be edited in the room that slopes leave them."""
    maps = tuple(panel for panel in figure.panels if isinstance(panel, Heatmap))
    if all(map(_is_native, maps, _places(figure.panels, box))):
        return figure
    return replace(figure, panels=tuple(panel for panel in figure.panels if not isinstance(panel, Slopes)))


# --- What is drawn --------------------------------------------------------------------------------------------------


def _draw(page: Any, figure: Figure, choices: Choices, box: _Box) -> None:
    """The panels in rows: each as what can be edited, or a whole row as one drawing where one of them can't be."""
    rows = rows_of(figure)
    if not rows:
        return
    rooms = _rooms(rows, box)
    height = min(room.height for room in rooms)
    width = max((box.width - _GAP * (len(row) - 1)) / len(row) for row in rows)
    read_together = any(isinstance(panel, Heatmap) or is_lane(panel) for panel in figure.panels)
    # Maps share their scale and lanes their axis: they are all to be edited, or one drawing.
    beside = _Box(0, 0, width, height)
    if read_together and not all(_stands_alone(panel, beside) for row in rows for panel in row):
        _picture(page, figure, choices, box)
        return
    for row, room in zip(rows, rooms, strict=True):
        places = _places(row, room)
        if all(map(_stands_alone, row, places)):
            for panel, place in zip(row, places, strict=True):
                if isinstance(panel, Slopes):
                    _picture(page, replace(figure, panels=(panel,)), choices, place)
                    continue
                titled = len(figure.panels) > 1 or not figure.headline
                shape = _native(panel, page, place, choices, titled)
                _describe(shape, panel.title or figure.title, figure.description)
        else:
            _picture(page, replace(figure, panels=tuple(row)), choices, room)


def _rooms(rows: list[tuple[Panel, ...]], box: _Box) -> list[_Box]:
    """Where rows stand, one below the other: tables as high as they ask below pictures, which share what is left."""
    asked = [_asked(panel, box.width) if isinstance(panel := row[0], Table) else None for row in rows]
    pictures = asked.count(None)
    free = box.height - _GAP * (len(rows) - 1)
    if not pictures:
        asked = [free / len(rows)] * len(rows)
    shared = (free - sum(one for one in asked if one is not None)) / max(1, pictures)
    found, top = [], box.top
    for one in asked:
        found.append(_Box(box.left, top, box.width, shared if one is None else one))
        top += found[-1].height + _GAP
    return found


def _places(row: Sequence[Panel], room: _Box) -> list[_Box]:
    """Where panels stand side by side."""
    share = (room.width - _GAP * (len(row) - 1)) / len(row)
    return [_Box(room.left + at * (share + _GAP), room.top, share, room.height) for at in range(len(row))]


def _asked(panel: Table, width: float) -> float:
    """How high a table asks to be: as PowerPoint's own, or drawn, where it is too wide for that."""
    if sum(_table_widths(panel)) <= width:
        return _height(panel)
    zoom = _TYPE / SMALL
    return (tables.height(panel, width / zoom) + 2 * EDGE) * zoom


def _height(panel: Table) -> float:
    return (len(panel.rows) + 2) * _ROW


def _picture(page: Any, figure: Figure, choices: Choices, box: _Box) -> None:
    """What the paper renderer draws, sharp at any size where the reader can."""
    bare = replace(figure, title="", subject="", caption="", headline=(), session="")
    box = _Box(box.left - _EDGE, box.top, box.width + 2 * _EDGE, box.height)
    sheet = Sheet(box.width, box.height, _TYPE, has_margin=False)
    look = choices.model_copy(update={"transparent": True, "size": "2x"})
    png, svg = (paper.content(bare, suffix, look, sheet) for suffix in (".png", ".svg"))
    shape = page.shapes.add_picture(io.BytesIO(png), *box.place)
    package = page.part.package
    name = PackURI(f"/ppt/media/drawing{page.part.partname.idx}_{shape.shape_id}.svg")
    related = page.part.relate_to(Part(name, "image/svg+xml", package, svg), RELATIONSHIP_TYPE.IMAGE)
    blip = shape._element.blipFill.find("{*}blip")
    list_of = etree.SubElement(blip, "{http://schemas.openxmlformats.org/drawingml/2006/main}extLst")
    use = etree.SubElement(list_of, "{http://schemas.openxmlformats.org/drawingml/2006/main}ext", uri=_SVG_USE)
    drawing = etree.SubElement(use, f"{{{_SVG}}}svgBlip", nsmap={"asvg": _SVG})
    drawing.set("{http://schemas.openxmlformats.org/officeDocument/2006/relationships}embed", related)
    _describe(shape, " · ".join(filter(None, (panel.title for panel in figure.panels))), figure.description)


def _describe(shape: Any, name: str, description: str) -> None:
    """What those who can't see it are told."""
    own = shape._element.xpath(".//p:cNvPr")[0]
    own.set("descr", cut(visible(description), _LONGEST_WORDS))
    own.set("title", cut(visible(name), 200))


def _stands_alone(panel: Panel, room: _Box) -> bool:
    """Whether a panel has a place of its own on the slide: as what can be edited, or as slopes, which have their own axis."""
    return isinstance(panel, Slopes) or _is_native(panel, room)


@singledispatch
def _is_native(_panel: Panel, _room: _Box) -> bool:
    """Whether a panel becomes what PowerPoint's users can edit."""
    return False


@_is_native.register
def _(panel: Lines, _room: _Box) -> bool:
    few = len(panel.series) <= _MOST_CURVES and all(len(one.x) <= _MOST_POINTS for one in panel.series)
    return few and not panel.filled and not panel.has_words


@_is_native.register
def _(panel: Bars, _room: _Box) -> bool:
    return len(panel.categories.labels) * len(panel.series) <= _MOST_BARS


@_is_native.register
def _(panel: Heatmap, room: _Box) -> bool:
    rows, columns = panel.values.shape
    if max(rows, columns) > _MOST_CELLS:
        return False
    return bool(_map_width(panel, brief=True) <= room.width and 2 * _ROW + rows * _LOW_ROW <= room.height)


def _map_width(panel: Heatmap, *, brief: bool) -> float:
    """The width that a map's names and numbers ask for."""
    names, heads = _names(panel)
    numbers = (one.brief if brief else one.whole for row in cell_texts(panel) for one in row)
    widest = max(map(measured(_TYPE), (*heads, *numbers)))
    return max(map(measured(_TYPE), names)) + 12 + len(heads) * (widest + 8)


@_is_native.register
def _(panel: Table, room: _Box) -> bool:
    return sum(_table_widths(panel)) <= room.width and _height(panel) <= room.height


@_is_native.register
def _(_panel: Note, _room: _Box) -> bool:
    return True


@singledispatch
def _native(panel: Panel, _page: Any, _box: _Box, _choices: Choices, _titled: bool) -> Any:
    raise NotImplementedError(f"nothing to edit is known for {type(panel).__name__}")


@_native.register
def _(panel: Note, page: Any, box: _Box, choices: Choices, _titled: bool) -> Any:
    frame = _words(page, box, panel.text, _READ_FIRST, choices.roles.muted)
    frame.vertical_anchor = MSO_ANCHOR.MIDDLE
    frame.paragraphs[0].alignment = PP_ALIGN.CENTER
    return frame._parent


@_native.register
def _(panel: Lines, page: Any, box: _Box, choices: Choices, titled: bool) -> Any:
    data = XyChartData()
    for series in panel.series:
        curve = data.add_series(harmless(visible(series.label)))
        for x, y in zip(series.x.tolist(), series.y.tolist(), strict=True):
            curve.add_data_point(x, y)
    shape = page.shapes.add_chart(XL_CHART_TYPE.XY_SCATTER_LINES_NO_MARKERS, *box.place, data)
    chart = _chart(shape.chart, panel.title if titled else "", len(panel.series), choices.roles)
    for series, drawn, colour in zip(
        panel.series, chart.plots[0].series, series_colours(choices.roles, panel.series), strict=True
    ):
        drawn.smooth = False
        drawn.format.line.width = Pt(_BROAD if series.before else _THIN)
        drawn.format.line.color.rgb = _rgb(colour)
    across, up = chart.category_axis, chart.value_axis
    _axis(across, panel.x.title, choices.roles)
    _axis(up, panel.quantity, choices.roles)
    start, end = min(float(one.x.min()) for one in panel.series), max(float(one.x.max()) for one in panel.series)
    _scale(across, start, end, int(box.width / _ACROSS))
    across.has_major_gridlines = False
    across.tick_label_position = up.tick_label_position = XL_TICK_LABEL_POSITION.LOW
    (_log_scale if panel.log else _scale)(up, panel.low, panel.high, int(box.height / _UP))
    return shape


@_native.register
def _(panel: Bars, page: Any, box: _Box, choices: Choices, titled: bool) -> Any:
    data = CategoryChartData()
    data.categories = [harmless(visible(label)) or " " for label in panel.categories.labels]
    for series in panel.series:
        data.add_series(harmless(visible(series.label)), series.values.tolist())
    shape = page.shapes.add_chart(XL_CHART_TYPE.BAR_CLUSTERED, *box.place, data)
    chart = _chart(shape.chart, panel.title if titled else "", len(panel.series), choices.roles)
    plot = chart.plots[0]
    plot.gap_width, plot.overlap, plot.vary_by_categories = 30, 0, False
    for series, colour in zip(plot.series, curve_colours(choices.roles, len(panel.series)), strict=True):
        series.format.fill.solid()
        series.format.fill.fore_color.rgb = _rgb(colour)
        series.invert_if_negative = False
    if len(panel.categories.labels) * len(panel.series) <= _MOST_CELLS:
        plot.has_data_labels = True
        labels = plot.data_labels
        labels.number_format, labels.number_format_is_linked = "0.###", False
        labels.position = XL_LABEL_POSITION.OUTSIDE_END
        labels.font.size, labels.font.color.rgb = Pt(_TYPE), _rgb(choices.roles.muted)
    _axis(chart.category_axis, panel.categories.title, choices.roles)
    _axis(chart.value_axis, panel.quantity, choices.roles)
    chart.category_axis.reverse_order = True  # the first at the top
    chart.category_axis.has_major_gridlines = False
    chart.category_axis.tick_label_position = XL_TICK_LABEL_POSITION.LOW
    chart.value_axis.tick_label_position = XL_TICK_LABEL_POSITION.HIGH  # which is below, since categories go down
    _scale(chart.value_axis, panel.low, panel.high, int(box.width / _ACROSS))
    return shape


@_native.register
def _(panel: Heatmap, page: Any, box: _Box, choices: Choices, titled: bool) -> Any:
    rows, columns = panel.values.shape
    names, heads = _names(panel)
    left = max(map(measured(_TYPE), names)) + 12
    side = min((box.width - left) / columns, 110.0)
    high = min((box.height - _ROW * (2 if titled else 1)) / rows, side)
    top = box.top
    if titled:
        _words(
            page, _Box(box.left + left, top, box.width - left, _ROW), panel.title, _TYPE, choices.roles.ink, bold=True
        )
        top += _ROW
    place = _Box(box.left, top, left + side * columns, _ROW + high * rows)
    shape = page.shapes.add_table(rows + 1, columns + 1, *place.place)
    table = _plain_table(shape, [left, *[side] * columns], [_ROW, *[max(high, _LOW_ROW)] * rows])
    found = shares(panel.values, panel.low, panel.high, panel.log)
    colours, texts = shades(panel.scale, found, choices.roles), cell_texts(panel)
    brief = _map_width(panel, brief=False) > box.width
    for axis, words, at in ((panel.columns, heads, "across"), (panel.rows, names, "down")):
        for index, word in enumerate(words):
            cell = table.cell(0, index + 1) if at == "across" else table.cell(index + 1, 0)
            coordinate = index + axis.first
            colour = choices.roles.focus if coordinate == axis.focus else choices.roles.ink
            colour = choices.roles.twin if coordinate in axis.twins and coordinate != axis.focus else colour
            _cell(cell, word, colour, PP_ALIGN.CENTER if at == "across" else PP_ALIGN.RIGHT)
    for row, column in np.ndindex(rows, columns):
        cell, masked = table.cell(row + 1, column + 1), panel.is_masked(row, column)
        colour = choices.roles.sunk if masked else "#" + bytes(colours[row, column].tolist()).hex()
        text = texts[row][column].brief if brief else texts[row][column].whole
        _cell(cell, "" if masked else text, ink_on(*parts_of(colour)), PP_ALIGN.CENTER, colour)
    return shape


@_native.register
def _(panel: Table, page: Any, box: _Box, choices: Choices, titled: bool) -> Any:
    roles, top = choices.roles, box.top
    if titled and panel.title:
        _words(page, _Box(box.left, top, box.width, _ROW), panel.title, _TYPE, roles.ink, bold=True)
        top += _ROW
    widths, count = _table_widths(panel), len(panel.rows)
    place = _Box(box.left, top, sum(widths), _ROW * (count + 1))
    shape = page.shapes.add_table(count + 1, len(panel.header), *place.place)
    table = _plain_table(shape, widths, [_ROW] * (count + 1))
    for row, cells in enumerate([panel.header, *panel.rows]):
        for column, cell in enumerate(cells):
            colour = roles.of_verdict(cell.verdict) if isinstance(cell, Judged) else roles.ink
            colour = roles.muted if row == 0 else roles.focus if row - 1 == panel.focus else colour
            numeric = not any(isinstance(one[column], str) for one in panel.rows)
            side = PP_ALIGN.RIGHT if numeric else PP_ALIGN.LEFT
            _cell(table.cell(row, column), _text(cell), colour, side, bold=row - 1 in panel.sums)
    return shape


def _names(panel: Heatmap) -> tuple[list[str], list[str]]:
    """What stands before the rows and above the columns."""
    found = []
    for axis, count in zip((panel.rows, panel.columns), panel.values.shape, strict=True):
        numbers = (str(coordinate).replace("-", "−") for coordinate in range(axis.first, axis.first + count))
        found.append([visible(word) for word in (axis.labels or numbers)])
    return found[0], found[1]


def _table_widths(panel: Table) -> list[float]:
    columns = zip(*([panel.header, *panel.rows]), strict=True)
    return [max(measured(_TYPE, bold=True)(visible(_text(cell))[:200]) for cell in column) + 20 for column in columns]


def _text(cell: str | float) -> str:
    return cell if isinstance(cell, str) else number(cell)


# --- PowerPoint's own -----------------------------------------------------------------------------------------------


def _chart(chart: Any, title: str, count: int, roles: Roles) -> Any:
    book = chart.part.chart_workbook
    book.update_from_xlsx_blob(_undated(book.xlsx_part.blob))
    chart.font.size, chart.font.color.rgb = Pt(_TYPE), _rgb(roles.muted)
    chart.has_title = bool(title)
    if title:
        frame = chart.chart_title.text_frame
        _run(frame.paragraphs[0], title, _TYPE, roles.ink, bold=True)
    chart.has_legend = count > 1
    if chart.has_legend:
        beside = chart.chart_type != XL_CHART_TYPE.BAR_CLUSTERED
        chart.legend.position = XL_LEGEND_POSITION.RIGHT if beside else XL_LEGEND_POSITION.TOP
        chart.legend.include_in_layout = False
        chart.legend.font.size, chart.legend.font.color.rgb = Pt(_TYPE), _rgb(roles.ink)
    return chart


def _axis(axis: Any, title: str, roles: Roles) -> None:
    axis.has_title = bool(title)
    if title:
        _run(axis.axis_title.text_frame.paragraphs[0], title, _TYPE, roles.muted)
    axis.tick_labels.font.size, axis.tick_labels.font.color.rgb = Pt(_TYPE), _rgb(roles.muted)
    axis.format.line.color.rgb = _rgb(roles.muted)
    axis.has_major_gridlines = True
    axis.major_gridlines.format.line.color.rgb = _rgb(roles.grid)


def _scale(axis: Any, low: float, high: float, most: int) -> None:
    """Ends at whole steps: readers begin to count at the first number, and write all digits of one that isn't round."""
    found = round_ticks(low, high, max(2, most)) if low < high else [low - 1, low]
    step = found[1] - found[0]
    first, last = math.floor(low / step + _SLACK), math.ceil(high / step - _SLACK)
    decimals = next((n for n in range(18) if math.isclose(round(step, n), step, rel_tol=_SLACK)), _ALL)
    axis.minimum_scale, axis.maximum_scale = (round(one * step, decimals) for one in (first, max(last, first + 1)))
    axis.major_unit = round(step, decimals)
    plain = decimals <= _MOST_DECIMALS and max(abs(low), abs(high)) < _LARGEST_NUMBER
    _write_numbers(axis, f"#,##0{'.' if decimals else ''}{'0' * decimals}" if plain else "0.0E+0")


def _log_scale(axis: Any, low: float, high: float, most: int) -> None:
    """Powers of ten, of which as many are written as have room."""
    first, last = math.floor(math.log10(low) + _SLACK), math.ceil(math.log10(high) - _SLACK)
    step = max(1, math.ceil((last - first) / max(2, most)))
    axis.minimum_scale, axis.maximum_scale = (float(f"1e{power}") for power in (first, max(last, first + 1)))
    scaling = axis._element.find("{*}scaling")
    scaling.insert(0, etree.SubElement(scaling, f"{{{etree.QName(scaling).namespace}}}logBase", val="10"))
    axis.major_unit = float(f"1e{step}")
    plain = first >= -_MOST_DECIMALS and last <= math.log10(_LARGEST_NUMBER)
    _write_numbers(axis, f"#,##0.{'#' * -first}" if plain and first < 0 else "#,##0" if plain else "0E+0")


def _write_numbers(axis: Any, form: str) -> None:
    axis.tick_labels.number_format, axis.tick_labels.number_format_is_linked = form, False


def _plain_table(shape: Any, widths: Sequence[float], heights: Sequence[float]) -> Any:
    """The table without a style of PowerPoint's: no bands, no first row."""
    table = shape.table
    table.first_row = table.horz_banding = False
    for column, width in zip(table.columns, widths, strict=True):
        column.width = Pt(width)
    for row, height in zip(table.rows, heights, strict=True):
        row.height = Pt(height)
    return table


def _cell(cell: Any, text: str, colour: str, side: PP_ALIGN, ground: str = "", bold: bool = False) -> None:
    cell.margin_left = cell.margin_right = Pt(4)
    cell.margin_top = cell.margin_bottom = Pt(0)
    cell.vertical_anchor = MSO_ANCHOR.MIDDLE
    if ground:
        cell.fill.solid()
        cell.fill.fore_color.rgb = _rgb(ground)
    else:
        cell.fill.background()
    paragraph = cell.text_frame.paragraphs[0]
    paragraph.alignment = side
    _run(paragraph, text, _TYPE, colour, bold)


def _words(page: Any, box: _Box, text: str, size: float, colour: str, bold: bool = False) -> Any:
    frame = page.shapes.add_textbox(*box.place).text_frame
    _bare(frame)
    if text:
        _run(frame.paragraphs[0], text, size, colour, bold)
    return frame


def _bare(frame: Any) -> None:
    frame.word_wrap = True
    frame.margin_left = frame.margin_right = frame.margin_top = frame.margin_bottom = 0
    frame.vertical_anchor = MSO_ANCHOR.TOP


def _run(paragraph: Any, text: str, size: float, colour: str, bold: bool = False) -> None:
    run = paragraph.add_run()
    run.text = visible(text)
    run.font.size, run.font.bold, run.font.color.rgb = Pt(size), bold, _rgb(colour)


def _lines(text: str, room: float, size: float) -> int:
    """About how many lines a text takes: which font the reader has, nobody knows."""
    return max(1, -int(-measured(size, bold=True)(text[:400]) // room))


def _rgb(colour: str) -> RGBColor:
    return RGBColor(*parts_of(colour))


def _carry(presentation: Any, document: str) -> None:
    """Put what opens the deck again into a part of the kind that Office keeps for other programs; the last one counts."""
    root, package = presentation.part, presentation.part.package
    words = f'<session xmlns="urn:posenc-gui">{provenance.mark(document)}</session>'.encode()
    for part in package.iter_parts():
        if part.partname.startswith(_OTHERS) and provenance.find(part.blob):
            part.blob = words
            return
    name = package.next_partname(f"{_OTHERS}/item%d.xml")
    root.relate_to(Part(name, "application/xml", package, words), RELATIONSHIP_TYPE.CUSTOM_XML)


def _undated(book: bytes) -> bytes:
    """A chart's numbers as they would be had they been written at another time."""
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(book)) as before, zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as after:
        for member in before.infolist():
            dated = _DATES.sub(rb"\g<1>1980-01-01T00:00:00Z", before.read(member))
            after.writestr(zipfile.ZipInfo(member.filename, _DATED), dated, zipfile.ZIP_DEFLATED)
    return made.getvalue()


def _packed(deck: bytes) -> bytes:
    """The same file, always of the same time, with what opens it not compressed, so that it is found in its bytes."""
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(deck)) as before, zipfile.ZipFile(made, "w") as after:
        for member in before.infolist():
            kept = zipfile.ZipInfo(member.filename, _DATED)
            of_others = f"/{member.filename}".startswith(_OTHERS)
            kept.compress_type = zipfile.ZIP_STORED if of_others else zipfile.ZIP_DEFLATED
            after.writestr(kept, before.read(member))
    return made.getvalue()
