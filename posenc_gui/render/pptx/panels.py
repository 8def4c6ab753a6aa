"""The figure of a slide: a native chart and native tables where they show all that the drawing shows, else the drawing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panels import Bars, Lines, Panel
from posenc_gui.foundation.theme import Roles
from posenc_gui.render.export_options import ExportOptions
from posenc_gui.render.layout.rect import Rect
from posenc_gui.render.paper.format import Format
from posenc_gui.render.paper.layout import Plan
from posenc_gui.render.pptx import charts, tables
from posenc_gui.render.pptx.pictures import add_picture
from posenc_gui.render.pptx.shapes import set_alt_text


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
            add_picture(page, figure, replace(plan, tables=()), whole, form, choices)
    for grid, place in plan.tables:
        if choices.charts == "drawn":
            add_picture(page, figure, replace(plan, pictures=None, tables=((grid, place),)), place, form, choices)
            continue
        shape = tables.add_table(grid, page, _on_slide(place, page, form), choices.roles, form.zoom)
        set_alt_text(shape, grid.panel.title or figure.title, figure.description)


def _on_slide(place: Rect, page: Any, form: Format) -> Rect:
    """A place in units from the lower left corner, as a box in points from the upper left one."""
    height = page.part.package.presentation_part.presentation.slide_height.pt
    left, top, width, high = (one * form.zoom for one in (place.left, place.top, place.width, place.height))
    return Rect.down_from(left, height - top, width, high)


class _Chart(NamedTuple):
    """One kind of panel as a native chart: if it can be one, and how it is added to a slide."""

    fits: Callable[[Any], bool]
    add: Callable[[Any, Any, Rect, Roles, bool], Any]


_CHARTS: dict[type[Panel], _Chart] = {
    Lines: _Chart(charts.lines_fit, charts.add_lines),
    Bars: _Chart(charts.bars_fit, charts.add_bars),
}
