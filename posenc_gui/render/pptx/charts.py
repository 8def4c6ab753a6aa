"""Lines and bars as native PowerPoint charts, whose numbers can be edited."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from typing import Any

import numpy as np
from lxml import etree
from pptx.chart.data import CategoryChartData, XyChartData
from pptx.enum.chart import XL_CHART_TYPE, XL_LABEL_POSITION, XL_LEGEND_POSITION, XL_TICK_LABEL_POSITION
from pptx.enum.dml import MSO_LINE
from pptx.oxml.ns import qn
from pptx.util import Pt

from posenc_gui.figure.panels import Bars, Lines, Panel
from posenc_gui.figure.ranges import shares
from posenc_gui.foundation.theme import Roles
from posenc_gui.render.csv_table import escape_formula
from posenc_gui.render.layout.colour_scales import curve_colours, series_colours
from posenc_gui.render.layout.label_placement import UNSAID, round_ticks
from posenc_gui.render.layout.rect import Rect
from posenc_gui.render.layout.text_fit import longest, visible
from posenc_gui.render.paper.fonts import measured
from posenc_gui.render.pptx.package import undated_workbook
from posenc_gui.render.pptx.shapes import SMALL, TYPE, add_run, add_title, in_points, pptx_colour

_MOST_CURVES, _MOST_POINTS, _MOST_BARS = 4, 2048, 60  # the most that can reasonably be edited by hand
_MOST_BAR_LABELS = 12
_DIGITS = 4  # of the largest number at a bar's end
_ACROSS, _UP = 130.0, 60.0  # points per tick label along the axes
_THIN, _BROAD = 2.5, 7.0  # points
_FINER = 20  # parts of a step at which an axis may end
_TITLE = 1.7  # the height of a title, in type sizes
_OF_PITCH = 0.45  # the type of categories, as a share of their pitch
_ENDS_APART = 0.06  # of the height: names of curves below each other
_AFTER_NAMES = 16.0  # points
_AXIS_TITLE = 1.6 * SMALL  # points: an axis title's height and the gap to its axis
_SLACK = 1e-9  # relative tolerance for rounding, in steps
_ALL = 400  # decimals: more than any number has
_MOST_DECIMALS, _LARGEST_NUMBER = 4, 1e7  # limits of tick numbers that are written without a power of ten


def add_chart(panel: Panel, page: Any, box: Rect, roles: Roles) -> Any | None:
    """Add a panel as a chart that can be edited, if one shows all that its drawing shows; return the chart's shape, or None."""
    match panel:
        case Lines() if _lines_fit(panel):
            return _add_lines(panel, page, box, roles)
        case Bars() if len(panel.categories.labels) * len(panel.series) <= _MOST_BARS:
            return _add_bars(panel, page, box, roles)
        case _:
            return None


def _lines_fit(panel: Lines) -> bool:
    """True where the curves are few and short enough to be edited, and nothing is drawn that a chart lacks: names stay beside
    the ends of their curves, so these must lie apart."""
    few = len(panel.series) <= _MOST_CURVES and all(len(one.x) <= _MOST_POINTS for one in panel.series)
    drawn = panel.filled or panel.has_words or panel.marks or any(one.dots for one in panel.series)
    ends = sorted(float(shares(np.float64(one.y[-1]), panel.low, panel.high, panel.log)) for one in panel.series)
    apart = all(after - before >= _ENDS_APART for before, after in itertools.pairwise(ends))
    return few and not drawn and apart


def _add_lines(panel: Lines, page: Any, box: Rect, roles: Roles) -> Any:
    """Add curves as an XY chart, named at their ends; return its shape."""
    data = XyChartData()
    for series in panel.series:
        curve = data.add_series(escape_formula(visible(series.label)))
        for x, y in zip(series.x.tolist(), series.y.tolist(), strict=True):
            curve.add_data_point(x, y)
    box = _below_title(page, box, panel.title, roles)
    shape = page.shapes.add_chart(XL_CHART_TYPE.XY_SCATTER_LINES_NO_MARKERS, *in_points(box), data)
    chart = _style_chart(shape.chart, roles)
    chart.has_legend = False
    colours = series_colours(roles, panel.series)
    for series, drawn, colour in zip(panel.series, chart.plots[0].series, colours, strict=True):
        drawn.smooth = False
        drawn.format.line.width = Pt(_BROAD if series.before else _THIN)
        drawn.format.line.color.rgb = pptx_colour(colour)
        if series.level:
            drawn.format.line.dash_style = MSO_LINE.DASH
        if series.label:
            label = drawn.points[len(series.x) - 1].data_label
            label.position = XL_LABEL_POSITION.RIGHT
            label.text_frame.word_wrap = False  # else names break within words
            add_run(label.text_frame.paragraphs[0], series.label, SMALL, roles.ink)
    across, up = chart.category_axis, chart.value_axis
    _style_axis(across, panel.x.title, roles)
    _style_axis(up, "" if panel.quantity == UNSAID else panel.quantity, roles)
    start, end = min(float(one.x.min()) for one in panel.series), max(float(one.x.max()) for one in panel.series)
    _scale(across, start, end, int(box.width / _ACROSS), whole=True)
    across.has_major_gridlines = False
    across.tick_label_position = up.tick_label_position = XL_TICK_LABEL_POSITION.LOW
    (_log_scale if panel.log else _scale)(up, panel.low, panel.high, int(box.height / _UP))
    names = longest((series.label for series in panel.series), measured(SMALL))
    _place_plot(chart, box, right=names + _AFTER_NAMES)
    return shape


def _add_bars(panel: Bars, page: Any, box: Rect, roles: Roles) -> Any:
    """Add bars as a chart of horizontal bars; return its shape."""
    data = CategoryChartData()
    data.categories = [escape_formula(visible(label)) or " " for label in panel.categories.labels]
    for series in panel.series:
        data.add_series(escape_formula(visible(series.label)), series.values.tolist())
    box = _below_title(page, box, panel.title, roles)
    shape = page.shapes.add_chart(XL_CHART_TYPE.BAR_CLUSTERED, *in_points(box), data)
    chart = _style_chart(shape.chart, roles)
    chart.has_legend = len(panel.series) > 1
    if chart.has_legend:
        chart.legend.position = XL_LEGEND_POSITION.TOP
        chart.legend.include_in_layout = False
        chart.legend.font.size, chart.legend.font.color.rgb = Pt(SMALL), pptx_colour(roles.ink)
    plot = chart.plots[0]
    plot.gap_width, plot.overlap, plot.vary_by_categories = 30, 0, False
    for series, colour in zip(plot.series, curve_colours(roles, len(panel.series)), strict=True):
        series.format.fill.solid()
        series.format.fill.fore_color.rgb = pptx_colour(colour)
        series.invert_if_negative = False
    if len(panel.categories.labels) * len(panel.series) <= _MOST_BAR_LABELS:
        plot.has_data_labels = True
        labels = plot.data_labels
        labels.number_format, labels.number_format_is_linked = _format_of(panel), False
        labels.position = XL_LABEL_POSITION.OUTSIDE_END
        labels.font.size, labels.font.color.rgb = Pt(SMALL), pptx_colour(roles.muted)
    _style_axis(chart.category_axis, panel.categories.title, roles)
    _style_axis(chart.value_axis, panel.quantity, roles)
    chart.category_axis.reverse_order = True  # the first at the top
    chart.category_axis.has_major_gridlines = False
    chart.category_axis.tick_label_position = XL_TICK_LABEL_POSITION.LOW
    chart.value_axis.tick_label_position = XL_TICK_LABEL_POSITION.HIGH  # the bottom, since the categories are reversed
    chart.value_axis.format.line.fill.background()  # it lies at the top, its numbers at the bottom
    pitch = box.height / len(panel.categories.labels)
    chart.category_axis.tick_labels.font.size = Pt(min(TYPE, max(SMALL, _OF_PITCH * pitch)))
    chart.category_axis.tick_labels.font.color.rgb = pptx_colour(roles.ink)
    _scale(chart.value_axis, panel.low, panel.high, int(box.width / _ACROSS))
    return shape


def _format_of(panel: Bars) -> str:
    """The format of the numbers at bars' ends: one number of decimals, by which the largest has four digits."""
    values = np.concatenate([series.values for series in panel.series])
    if np.array_equal(values, np.round(values)):
        return "0"
    decimals = max(0, _DIGITS - 1 - math.floor(math.log10(float(np.abs(values).max()))))
    return f"0.{'0' * decimals}".rstrip(".") if decimals < 2 * _DIGITS else "0.00E+0"


def _below_title(page: Any, box: Rect, title: str, roles: Roles) -> Rect:
    """Write a chart's title; return the room below."""
    if not title:
        return box
    high = _TITLE * TYPE
    add_title(page, Rect.down_from(box.left, box.top, box.width, high), title, TYPE, roles)
    return replace(box, top=box.top + high)


def _style_chart(chart: Any, roles: Roles) -> Any:
    book = chart.part.chart_workbook
    book.update_from_xlsx_blob(undated_workbook(book.xlsx_part.blob))
    chart.font.size, chart.font.color.rgb = Pt(SMALL), pptx_colour(roles.muted)
    chart.has_title = False
    return chart


def _place_plot(chart: Any, box: Rect, right: float) -> None:
    """Leave room around the plot, in points: programs leave none for the names of curves, nor for axis titles once a plot has
    a place of its own."""
    area = chart._chartSpace.chart.plotArea
    for layout in area.findall(qn("c:layout")):
        area.remove(layout)
    area.insert(0, layout := etree.Element(qn("c:layout")))
    manual = etree.SubElement(layout, qn("c:manualLayout"))
    left = _AXIS_TITLE * chart.value_axis.has_title / box.width
    width, height = 1 - left - right / box.width, 1 - _AXIS_TITLE * chart.category_axis.has_title / box.height
    for name, value in (("xMode", "edge"), ("yMode", "edge"), ("x", left), ("y", 0), ("w", width), ("h", height)):
        etree.SubElement(manual, qn(f"c:{name}"), val=str(value))


def _style_axis(axis: Any, title: str, roles: Roles) -> None:
    axis.has_title = bool(title)
    if title:
        add_run(axis.axis_title.text_frame.paragraphs[0], title, SMALL, roles.muted)
    axis.tick_labels.font.size, axis.tick_labels.font.color.rgb = Pt(SMALL), pptx_colour(roles.muted)
    axis.format.line.color.rgb = pptx_colour(roles.muted)
    axis.has_major_gridlines = True
    axis.major_gridlines.format.line.color.rgb = pptx_colour(roles.grid)


def _scale(axis: Any, low: float, high: float, most: int, *, whole: bool = False) -> None:
    """Start the axis at a whole step, since programs count ticks from the first number, and end it where the data does.
    whole: label integers alone, where it holds two."""
    found = round_ticks(low, high, max(2, most), whole) if low < high else [low - 1, low]
    step = found[1] - found[0]
    first, last = math.floor(low / step + _SLACK), math.ceil(_FINER * high / step - _SLACK) / _FINER
    decimals = next((n for n in range(18) if math.isclose(round(step, n), step, rel_tol=_SLACK)), _ALL)
    start, end = first * step, max(last, first + 1) * step
    axis.minimum_scale, axis.maximum_scale = round(start, decimals), float(f"{end:.6g}")
    axis.major_unit = round(step, decimals)
    plain = decimals <= _MOST_DECIMALS and max(abs(low), abs(high)) < _LARGEST_NUMBER
    _set_number_format(axis, f"#,##0{'.' if decimals else ''}{'0' * decimals}" if plain else "0.0E+0")


def _log_scale(axis: Any, low: float, high: float, most: int) -> None:
    """Label as many powers of ten as fit."""
    first, last = math.floor(math.log10(low) + _SLACK), math.ceil(math.log10(high) - _SLACK)
    step = max(1, math.ceil((last - first) / max(2, most)))
    axis.minimum_scale, axis.maximum_scale = (float(f"1e{power}") for power in (first, max(last, first + 1)))
    scaling = axis._element.find("{*}scaling")
    scaling.insert(0, etree.SubElement(scaling, f"{{{etree.QName(scaling).namespace}}}logBase", val="10"))
    axis.major_unit = float(f"1e{step}")
    plain = first >= -_MOST_DECIMALS and last <= math.log10(_LARGEST_NUMBER)
    _set_number_format(axis, f"#,##0.{'#' * -first}" if plain and first < 0 else "#,##0" if plain else "0E+0")


def _set_number_format(axis: Any, form: str) -> None:
    axis.tick_labels.number_format, axis.tick_labels.number_format_is_linked = form, False
