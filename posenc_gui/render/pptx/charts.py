"""Lines and bars as native PowerPoint charts, whose numbers can be edited."""

from __future__ import annotations

import math
from typing import Any

from lxml import etree
from pptx.chart.data import CategoryChartData, XyChartData
from pptx.enum.chart import XL_CHART_TYPE, XL_LABEL_POSITION, XL_LEGEND_POSITION, XL_TICK_LABEL_POSITION
from pptx.util import Pt

from posenc_gui.figure.panels import Bars, Lines
from posenc_gui.foundation.theme import Roles
from posenc_gui.render.csv_table import escape_formula
from posenc_gui.render.layout.colour_scales import curve_colours, series_colours
from posenc_gui.render.layout.text_fit import visible
from posenc_gui.render.layout.ticks import round_ticks
from posenc_gui.render.pptx.package import undated_workbook
from posenc_gui.render.pptx.shapes import SMALL, TYPE, Box, add_run, pptx_colour

_MOST_CURVES, _MOST_POINTS, _MOST_BARS = 4, 2048, 60  # the most that can reasonably be edited by hand
_MOST_BAR_LABELS = 12
_ACROSS, _UP = 130.0, 60.0  # points per tick label along the axes
_THIN, _BROAD = 2.5, 7.0  # points
_SLACK = 1e-9  # relative tolerance for rounding, in steps
_ALL = 400  # decimals: more than any number has
_MOST_DECIMALS, _LARGEST_NUMBER = 4, 1e7  # limits of tick numbers that are written without a power of ten


def lines_fit(panel: Lines) -> bool:
    """True where the curves are few and short enough to be edited, and nothing is drawn that a chart lacks."""
    few = len(panel.series) <= _MOST_CURVES and all(len(one.x) <= _MOST_POINTS for one in panel.series)
    drawn = panel.filled or panel.has_words or panel.marks or any(one.dots for one in panel.series)
    return few and not drawn


def bars_fit(panel: Bars) -> bool:
    """True where the bars are few enough to be edited."""
    return len(panel.categories.labels) * len(panel.series) <= _MOST_BARS


def add_lines(panel: Lines, page: Any, box: Box, roles: Roles, titled: bool) -> Any:
    """Add curves as an XY chart; return its shape."""
    data = XyChartData()
    for series in panel.series:
        curve = data.add_series(escape_formula(visible(series.label)))
        for x, y in zip(series.x.tolist(), series.y.tolist(), strict=True):
            curve.add_data_point(x, y)
    shape = page.shapes.add_chart(XL_CHART_TYPE.XY_SCATTER_LINES_NO_MARKERS, *box.place, data)
    chart = _style_chart(shape.chart, panel.title if titled else "", len(panel.series), roles)
    for series, drawn, colour in zip(
        panel.series, chart.plots[0].series, series_colours(roles, panel.series), strict=True
    ):
        drawn.smooth = False
        drawn.format.line.width = Pt(_BROAD if series.before else _THIN)
        drawn.format.line.color.rgb = pptx_colour(colour)
    across, up = chart.category_axis, chart.value_axis
    _style_axis(across, panel.x.title, roles)
    _style_axis(up, panel.quantity, roles)
    start, end = min(float(one.x.min()) for one in panel.series), max(float(one.x.max()) for one in panel.series)
    _scale(across, start, end, int(box.width / _ACROSS))
    across.has_major_gridlines = False
    across.tick_label_position = up.tick_label_position = XL_TICK_LABEL_POSITION.LOW
    (_log_scale if panel.log else _scale)(up, panel.low, panel.high, int(box.height / _UP))
    return shape


def add_bars(panel: Bars, page: Any, box: Box, roles: Roles, titled: bool) -> Any:
    """Add bars as a chart of horizontal bars; return its shape."""
    data = CategoryChartData()
    data.categories = [escape_formula(visible(label)) or " " for label in panel.categories.labels]
    for series in panel.series:
        data.add_series(escape_formula(visible(series.label)), series.values.tolist())
    shape = page.shapes.add_chart(XL_CHART_TYPE.BAR_CLUSTERED, *box.place, data)
    chart = _style_chart(shape.chart, panel.title if titled else "", len(panel.series), roles)
    plot = chart.plots[0]
    plot.gap_width, plot.overlap, plot.vary_by_categories = 30, 0, False
    for series, colour in zip(plot.series, curve_colours(roles, len(panel.series)), strict=True):
        series.format.fill.solid()
        series.format.fill.fore_color.rgb = pptx_colour(colour)
        series.invert_if_negative = False
    if len(panel.categories.labels) * len(panel.series) <= _MOST_BAR_LABELS:
        plot.has_data_labels = True
        labels = plot.data_labels
        labels.number_format, labels.number_format_is_linked = "0.###", False
        labels.position = XL_LABEL_POSITION.OUTSIDE_END
        labels.font.size, labels.font.color.rgb = Pt(SMALL), pptx_colour(roles.muted)
    _style_axis(chart.category_axis, panel.categories.title, roles)
    _style_axis(chart.value_axis, panel.quantity, roles)
    chart.category_axis.reverse_order = True  # the first at the top
    chart.category_axis.has_major_gridlines = False
    chart.category_axis.tick_label_position = XL_TICK_LABEL_POSITION.LOW
    chart.value_axis.tick_label_position = XL_TICK_LABEL_POSITION.HIGH  # the bottom, since the categories are reversed
    _scale(chart.value_axis, panel.low, panel.high, int(box.width / _ACROSS))
    return shape


def _style_chart(chart: Any, title: str, count: int, roles: Roles) -> Any:
    book = chart.part.chart_workbook
    book.update_from_xlsx_blob(undated_workbook(book.xlsx_part.blob))
    chart.font.size, chart.font.color.rgb = Pt(SMALL), pptx_colour(roles.muted)
    chart.has_title = bool(title)
    if title:
        frame = chart.chart_title.text_frame
        add_run(frame.paragraphs[0], title, TYPE, roles.ink, bold=True)
    chart.has_legend = count > 1
    if chart.has_legend:
        beside = chart.chart_type != XL_CHART_TYPE.BAR_CLUSTERED
        chart.legend.position = XL_LEGEND_POSITION.RIGHT if beside else XL_LEGEND_POSITION.TOP
        chart.legend.include_in_layout = False
        chart.legend.font.size, chart.legend.font.color.rgb = Pt(SMALL), pptx_colour(roles.ink)
    return chart


def _style_axis(axis: Any, title: str, roles: Roles) -> None:
    axis.has_title = bool(title)
    if title:
        add_run(axis.axis_title.text_frame.paragraphs[0], title, SMALL, roles.muted)
    axis.tick_labels.font.size, axis.tick_labels.font.color.rgb = Pt(SMALL), pptx_colour(roles.muted)
    axis.format.line.color.rgb = pptx_colour(roles.muted)
    axis.has_major_gridlines = True
    axis.major_gridlines.format.line.color.rgb = pptx_colour(roles.grid)


def _scale(axis: Any, low: float, high: float, most: int) -> None:
    """Start and end the axis at whole steps, since programs count ticks from the first number and print unround ones in full."""
    found = round_ticks(low, high, max(2, most)) if low < high else [low - 1, low]
    step = found[1] - found[0]
    first, last = math.floor(low / step + _SLACK), math.ceil(high / step - _SLACK)
    decimals = next((n for n in range(18) if math.isclose(round(step, n), step, rel_tol=_SLACK)), _ALL)
    axis.minimum_scale, axis.maximum_scale = (round(one * step, decimals) for one in (first, max(last, first + 1)))
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
