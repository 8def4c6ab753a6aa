"""The figure of a slide: a native chart and native tables where they show all that the drawing shows, else the drawing.

A drawing is a picture that the paper renderer makes as SVG, with a PNG for programs that show no SVG.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

from lxml import etree
from pptx.opc.constants import RELATIONSHIP_TYPE
from pptx.opc.package import Part
from pptx.opc.packuri import PackURI

from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panels import Bars, Lines, Panel
from posenc_gui.foundation.theme import Roles
from posenc_gui.render import paper
from posenc_gui.render.export_options import ExportOptions
from posenc_gui.render.layout.rect import Rect
from posenc_gui.render.paper.format import SMALL, Format
from posenc_gui.render.paper.layout import Plan
from posenc_gui.render.pptx import charts, tables
from posenc_gui.render.pptx.shapes import in_points, set_alt_text

_SVG = "http://schemas.microsoft.com/office/drawing/2016/SVG/main"
_SVG_USE = "{96DAC541-7B7A-43D3-8B79-37D633B846F1}"  # the extension by which Office finds the SVG of a picture
_DRAWING = "http://schemas.openxmlformats.org/drawingml/2006/main"
_RELATIONSHIPS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_OVERHANG = SMALL / 2  # of a label at the end of an axis or of a colour bar


class _Chart(NamedTuple):
    """One kind of panel as a native chart: if it can be one, and how it is added to a slide."""

    fits: Callable[[Any], bool]
    add: Callable[[Any, Any, Rect, Roles, bool], Any]


_CHARTS: dict[type[Panel], _Chart] = {
    Lines: _Chart(charts.lines_fit, charts.add_lines),
    Bars: _Chart(charts.bars_fit, charts.add_bars),
}


def draw_panels(page: Any, figure: Figure, plan: Plan, body: Rect, form: Format, choices: ExportOptions) -> None:
    """Draw a figure as planned for the body of a slide."""
    if plan.pictures:
        composed, _ = plan.pictures
        whole = Rect.up_from(body.left, body.top - plan.free, body.width, plan.free)
        chart = composed.panels[0].panel if len(composed.panels) == 1 else None
        kind = None if chart is None else _CHARTS.get(type(chart))
        if chart is not None and kind is not None and choices.charts == "editable" and kind.fits(chart):
            shape = kind.add(chart, page, _on_slide(whole, page, form), choices.roles, bool(chart.title))
            set_alt_text(shape, chart.title or figure.title, figure.description)
        else:
            _add_picture(page, figure, replace(plan, tables=()), whole, form, choices)
    for grid, place in plan.tables:
        if choices.charts == "drawn":
            _add_picture(page, figure, replace(plan, pictures=None, tables=((grid, place),)), place, form, choices)
            continue
        shape = tables.add_table(grid, page, _on_slide(place, page, form), choices.roles, form.zoom)
        set_alt_text(shape, grid.panel.title or figure.title, figure.description)


def _on_slide(place: Rect, page: Any, form: Format) -> Rect:
    """A place in units from the lower left corner, as a box in points from the upper left one."""
    height = page.part.package.presentation_part.presentation.slide_height.pt
    left, top, width, high = (one * form.zoom for one in (place.left, place.top, place.width, place.height))
    return Rect.down_from(left, height - top, width, high)


def _add_picture(page: Any, figure: Figure, plan: Plan, place: Rect, form: Format, choices: ExportOptions) -> None:
    """Add what is planned for a place on the slide as one picture: PNG, and SVG for programs that show it.

    It is as broad as the slide and higher than the place by a label's height, so that nothing at the figure's sides is cut.
    """
    place = replace(place, top=place.top + _OVERHANG, bottom=place.bottom - _OVERHANG)
    look = choices.model_copy(update={"transparent": True, "size": "2x"})
    png, svg = (paper.part(plan, place, form, suffix, look) for suffix in (".png", ".svg"))
    slide = page.part.package.presentation_part.presentation
    top = slide.slide_height.pt - place.top * form.zoom
    box = Rect.down_from(0, top, slide.slide_width.pt, place.height * form.zoom)
    shape = page.shapes.add_picture(io.BytesIO(png), *in_points(box))
    _attach_svg(page, shape, svg)
    names = " · ".join(filter(None, (panel.title for panel in figure.titled_panels)))
    set_alt_text(shape, names or figure.title, figure.description)


def _attach_svg(page: Any, shape: Any, svg: bytes) -> None:
    """Store the SVG in the deck and refer to it from the picture; python-pptx has no call for that."""
    name = PackURI(f"/ppt/media/drawing{page.part.partname.idx}_{shape.shape_id}.svg")
    related = page.part.relate_to(Part(name, "image/svg+xml", page.part.package, svg), RELATIONSHIP_TYPE.IMAGE)
    blip = shape._element.blipFill.find("{*}blip")
    extensions = etree.SubElement(blip, f"{{{_DRAWING}}}extLst")
    use = etree.SubElement(extensions, f"{{{_DRAWING}}}ext", uri=_SVG_USE)
    drawing = etree.SubElement(use, f"{{{_SVG}}}svgBlip", nsmap={"asvg": _SVG})
    drawing.set(f"{{{_RELATIONSHIPS}}}embed", related)
