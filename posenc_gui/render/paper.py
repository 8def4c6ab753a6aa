"""Figures on paper: a slide of 13.33 × 7.5 inches as SVG, PDF or PNG, drawn with matplotlib.

Everything is laid out in points on the slide, from its lower left corner, and every text is measured before it is
placed, so that nothing overlaps or is cut. The figure's words are data: they are never read as formulas or markup.
"""

from __future__ import annotations

import logging
import math
import re
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache, lru_cache, singledispatch
from pathlib import Path
from typing import Any, TypeVar

import matplotlib
import matplotlib.style
import numpy as np
import numpy.typing as npt
from matplotlib import font_manager
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg, RendererAgg
from matplotlib.figure import Figure as Paper
from matplotlib.font_manager import FontProperties
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle
from matplotlib.ticker import MaxNLocator
from matplotlib.transforms import Affine2D

from posenc_gui import provenance
from posenc_gui.figure import Axis, Figure, Heatmap, Lines, Note, Panel, Scale, VerticalMark

SUFFIXES = (".svg", ".pdf", ".png")

_WIDTH, _HEIGHT, _MORE_HEIGHT, _MARGIN = 960.0, 540.0, 215.0, 36.0
_DOTS_PER_INCH = 200

_INK, _MUTED, _RULE, _MASKED = "#1b1d21", "#5b616b", "#dfe2e7", "#e4e6ea"
_ACCENT, _TWIN = "#1f5fdb", "#b26a00"
_COLOUR_MAPS: dict[Scale, str] = {"sequential": "viridis", "diverging": "RdBu_r"}

# Okabe and Ito's colours without yellow; the names of the light ones are darker, to be read on white.
_CURVES = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000000")
_CURVE_NAMES = ("#0072b2", "#b34f00", "#007a59", "#a34b7c", "#2a7aa8", "#8f6300", "#000000")
_DASHES = ("-", "--", ":")

_TITLE, _CAPTION, _PANEL, _SENTENCE, _SMALL, _LEAST = 22.0, 13.0, 14.0, 16.0, 11.0, 9.0
_LINE = 1.35  # from one line of text to the next, in sizes
_GAP = 28.0  # between panels
_AXIS_TITLE = 20.0  # what an axis title takes
_LABEL_ROOM = 110.0  # the longest a label gets
_LARGEST_CELL, _SMALLEST_MAP = 160.0, 24.0
_BAR, _BAR_GAP = 13.0, 18.0

_MOST_CELLS = 1024  # a side; more is pooled
_CRISP = 512  # pixels a side that a small map is spread over, since many viewers smooth what they enlarge

# Beside DejaVu, in this order, whichever are installed. Fonts of coloured pictures are not drawable here.
_MORE_FONTS = (
    *("Noto Sans CJK SC", "Noto Sans CJK JP", "Source Han Sans SC", "Microsoft YaHei", "PingFang SC", "Hiragino Sans"),
    *("Yu Gothic", "Malgun Gothic", "Apple SD Gothic Neo", "WenQuanYi Micro Hei", "WenQuanYi Zen Hei"),
    *("Noto Sans Arabic", "Geeza Pro", "Segoe UI", "Noto Sans Hebrew", "Noto Sans Devanagari", "Nirmala UI"),
    *("Noto Sans Thai", "Noto Sans Symbols", "Noto Sans Symbols2", "Noto Emoji", "Segoe UI Symbol", "Segoe UI Emoji"),
    *("Symbola", "Apple Symbols", "Arial Unicode MS"),
)

Colours = npt.NDArray[np.uint8]
_Number = TypeVar("_Number", float, npt.NDArray[np.float64])


def write(figure: Figure, path: Path) -> None:
    """Draw the figure into the file at `path`, as its suffix asks. The same figure gives the same bytes."""
    suffix = path.suffix.lower()
    with matplotlib.style.context(["default", _settings()]), _fonts_unmentioned():
        rows = _rows_of(figure.panels)
        # A slide holds two rows of panels that can be read; more of them make it taller.
        page = _Page(_HEIGHT + _MORE_HEIGHT * max(0, len(rows) - 2))
        _draw_figure(page, figure, rows)
        matplotlib.rcParams["pdf.fonttype"] = _pdf_font_type(page.paper)
        page.paper.savefig(path, format=suffix.removeprefix("."), metadata=_metadata(figure, suffix))


@contextmanager
def _fonts_unmentioned() -> Iterator[None]:
    """Without matplotlib's remarks about fonts: a character that none has is drawn as a box, which says enough."""
    log = logging.getLogger("matplotlib.font_manager")
    level = log.level
    log.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="Glyph .* missing from font")
            yield
    finally:
        log.setLevel(level)


@cache
def _settings() -> dict[str, Any]:
    installed = {font.name for font in font_manager.fontManager.ttflist}
    return {
        "font.family": ["DejaVu Sans", *(font for font in _MORE_FONTS if font in installed)],
        "svg.fonttype": "path",
        "svg.hashsalt": "posenc-gui",
    }


def _pdf_font_type(paper: Paper) -> int:
    """42, whose text stays editable, where DejaVu has all characters; else 3, since 42 loses the shapes of CJK fonts."""
    font = font_manager.get_font(font_manager.findfont(FontProperties(family="DejaVu Sans", weight="bold")))
    characters = font.get_charmap()
    return 42 if all(ord(character) in characters for text in paper.texts for character in text.get_text()) else 3


def _metadata(figure: Figure, suffix: str) -> dict[str, Any]:
    title, description = _visible(figure.title), _visible(figure.description)
    session = provenance.mark(figure.session) if figure.session else ""
    match suffix:
        case ".svg":
            return {"Title": title, "Description": description, "Keywords": [session], "Date": None}
        case ".pdf":
            return {"Title": title, "Subject": description, "Keywords": session, "CreationDate": None}
        case _:
            return {"Title": title, "Description": description, "Comment": session}


# --- The page -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Box:
    """A rectangle on the page, in points."""

    left: float
    bottom: float
    width: float
    height: float

    @property
    def right(self) -> float:
        return self.left + self.width

    @property
    def top(self) -> float:
        return self.bottom + self.height


class _Page:
    """A slide that takes texts, lines and axes at places in points."""

    def __init__(self, height: float) -> None:
        self.height = height
        self.paper = Paper(figsize=(_WIDTH / 72, height / 72), dpi=_DOTS_PER_INCH)
        FigureCanvasAgg(self.paper)
        self._points = Affine2D().scale(1 / 72) + self.paper.dpi_scale_trans

    def text(self, x: float, y: float, text: str, size: float, **style: Any) -> None:
        style = {"color": _INK, "va": "center_baseline", **style}
        self.paper.text(x, y, _visible(text), size=size, transform=self._points, parse_math=False, **style)

    def line(self, xs: Sequence[float], ys: Sequence[float], **style: Any) -> None:
        self.paper.add_artist(Line2D(xs, ys, transform=self._points, **style))

    def outline(self, box: _Box, colour: str, width: float) -> None:
        style: dict[str, Any] = {"fill": False, "edgecolor": colour, "linewidth": width, "joinstyle": "miter"}
        corner = (box.left, box.bottom)
        self.paper.add_artist(Rectangle(corner, box.width, box.height, transform=self._points, **style))

    def axes(self, box: _Box) -> Axes:
        place = (box.left / _WIDTH, box.bottom / self.height, box.width / _WIDTH, box.height / self.height)
        axes = self.paper.add_axes(place)
        axes.set(xticks=[], yticks=[])
        axes.spines[:].set_visible(False)
        return axes

    def image(self, box: _Box, colours: Colours) -> None:
        axes = self.axes(box)
        rows, columns = colours.shape[:2]
        larger = colours.repeat(max(1, _CRISP // rows), axis=0).repeat(max(1, _CRISP // columns), axis=1)
        axes.imshow(larger, interpolation="none", aspect="auto")


# --- Words ----------------------------------------------------------------------------------------------------------


def _visible(text: str) -> str:
    """The text in one line, with a sign for each character that can't be drawn or would break a file."""
    return re.sub(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufffe\uffff]", _sign, text)


def _sign(character: re.Match[str]) -> str:
    code = ord(character.group())
    return chr(0x2400 + code) if code < 0x20 else "\ufffd"


@lru_cache(maxsize=4096)
def _width_of(text: str, size: float, weight: str = "normal") -> float:
    """How long the text is when drawn, in points."""
    scale = 10  # measured large, so that the rounding to pixels is small
    font = FontProperties(size=size, weight=weight)
    return float(_ruler(72 * scale).get_text_width_height_descent(_visible(text), font, ismath=False)[0]) / scale


@cache
def _ruler(dots_per_inch: int) -> RendererAgg:
    return RendererAgg(1, 1, dots_per_inch)


def _longest(texts: Iterable[str], size: float) -> float:
    return max((_width_of(text, size) for text in texts), default=0.0)


def _elided(text: str, room: float, size: float, weight: str = "normal") -> str:
    """The text, without its middle where it is too long for the room."""
    kept = min(len(text), 200)
    shorter = text if kept == len(text) else _without_middle(text, kept)
    while kept > 1 and (width := _width_of(shorter, size, weight)) > room:
        kept = max(1, min(kept - 1, int(kept * room / width)))
        shorter = _without_middle(text, kept)
    return shorter


def _without_middle(text: str, kept: int) -> str:
    tail = kept // 2
    return text[: kept - tail] + "…" + text[len(text) - tail :]


def _wrapped(text: str, room: float, size: float, most_lines: int, weight: str = "normal") -> list[str]:
    """The text in lines that fit the room; one that is too long for them ends in an ellipsis."""
    lines = [""]
    for piece in _pieces(text, room, size, weight):
        longer = lines[-1] + piece
        if not lines[-1] or _width_of(longer.rstrip(), size, weight) <= room:
            lines[-1] = longer
        elif len(lines) < most_lines:
            lines.append(piece.lstrip())
        else:
            lines[-1] = lines[-1].rstrip() + "…"
            break
    return [line.rstrip() for line in lines if line.strip()]


def _pieces(text: str, room: float, size: float, weight: str) -> Iterable[str]:
    """Where the text may break: behind each word, and anywhere in a word that is longer than a line."""
    for word in text[:4000].split():
        if len(word) > 200 or _width_of(word, size, weight) > room:
            yield from word
            yield " "
        else:
            yield word + " "


# --- The figure -----------------------------------------------------------------------------------------------------


def _draw_figure(page: _Page, figure: Figure, rows: list[tuple[Panel, ...]]) -> None:
    top = _draw_heading(page, figure)
    height = (top - _MARGIN - _GAP * (len(rows) - 1)) / max(1, len(rows))
    bars = _colour_bars(figure.panels)
    # Every row keeps the room of the longest row's bars, so that the maps of a grid stand in columns.
    bar_room = max((sum(_bar_room(panel) for panel in row if panel in bars) for row in rows), default=0.0)
    for number, row in enumerate(rows):
        box = _Box(_MARGIN, top - height - number * (height + _GAP), _WIDTH - 2 * _MARGIN, height)
        _draw_row(page, row, box, bars, bar_room)


def _draw_heading(page: _Page, figure: Figure) -> float:
    """Draw the title and, below it, the caption; return where the panels' room begins."""
    y = page.height - _MARGIN
    room = _WIDTH - 2 * _MARGIN
    for line in _wrapped(figure.title, room, _TITLE, 2, "bold"):
        page.text(_MARGIN, y, line, _TITLE, weight="bold", va="top")
        y -= _TITLE * _LINE
    for line in _wrapped(figure.caption, room, _CAPTION, 4):
        page.text(_MARGIN, y, line, _CAPTION, color=_MUTED, va="top")
        y -= _CAPTION * _LINE
    return y - _CAPTION


def _rows_of(panels: tuple[Panel, ...]) -> list[tuple[Panel, ...]]:
    """The panels side by side, up to four; more of them in rows of nearly the same length."""
    count = math.ceil(len(panels) / 4)
    length = math.ceil(len(panels) / max(1, count))
    return [panels[start : start + length] for start in range(0, len(panels), max(1, length))]


def _colour_bars(panels: tuple[Panel, ...]) -> dict[Heatmap, str]:
    """Which maps have a colour bar at their right, and what stands on it: the last map of each common scale."""
    maps: dict[tuple[Scale, float, float], list[Heatmap]] = {}
    for panel in panels:
        if isinstance(panel, Heatmap):
            maps.setdefault((panel.scale, panel.low, panel.high), []).append(panel)
    return {same[-1]: " · ".join(dict.fromkeys(panel.quantity for panel in same)) for same in maps.values()}


def _draw_row(page: _Page, panels: tuple[Panel, ...], box: _Box, bars: dict[Heatmap, str], bar_room: float) -> None:
    """Draw panels side by side: maps as large as their cells allow, the others in what is left."""
    titles = _PANEL * 1.7 if any(panel.title for panel in panels) else 0.0
    between = _GAP * (len(panels) - 1)
    slot = (box.width - bar_room - between) / len(panels)
    fits = _fitted([panel for panel in panels if isinstance(panel, Heatmap)], slot, box.height - titles)

    others = len(panels) - len(fits)
    free = box.width - sum(fit.width for fit in fits.values()) - bar_room - between
    height = box.height if others else titles + max(fit.height for fit in fits.values())
    x, bottom = box.left if others else box.left + free / 2, box.bottom + (box.height - height) / 2
    for panel in panels:
        if isinstance(panel, Heatmap):
            fit, bar = fits[panel], bars.get(panel)
            _draw_map(page, panel, fit, _Box(x, bottom, fit.width, height), titles, bar)
            x += fit.width + (_bar_room(panel) if bar is not None else 0.0) + _GAP
        else:
            _draw(panel, page, _Box(x, bottom, free / others, height), titles)
            x += free / others + _GAP


def _draw_panel_title(page: _Page, title: str, left: float, top: float, room: float) -> None:
    page.text(left, top, _elided(title, room, _PANEL, "bold"), _PANEL, weight="bold", va="top")


# --- Maps -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Style:
    """How labels are written: their size, the longest that one may get, and whether they end with their coordinate."""

    size: float
    room: float
    numbered: bool

    @property
    def pitch(self) -> float:
        """From one line of labels to the next."""
        return self.size * 1.25


@dataclass(frozen=True)
class _Ticks:
    """The labels along one side of a map: their coordinates and texts, and whether they stand level."""

    labels: tuple[tuple[int, str], ...]
    level: bool = True


@dataclass(frozen=True)
class _Fit:
    """How a map fits its room: its own size, and what its labels take at its left and above it."""

    map_width: float
    map_height: float
    left: float
    above: float
    style: _Style

    @property
    def width(self) -> float:
        return self.left + self.map_width

    @property
    def height(self) -> float:
        return self.above + self.map_height


def _fitted(maps: list[Heatmap], width: float, height: float) -> dict[Heatmap, _Fit]:
    """Sizes for maps that stand side by side, so that they begin at the same height and are labelled in one way."""
    if not maps:
        return {}
    style = _style(maps, width, height)
    lefts = {panel: _AXIS_TITLE + _widest_label(panel.rows, panel.values.shape[0], style) + 8 for panel in maps}
    above = max(_room_above(panel, width - lefts[panel], height, style) for panel in maps)
    return {
        panel: _Fit(*_map_size(panel, width - lefts[panel], height - above), lefts[panel], above, style)
        for panel in maps
    }


def _style(maps: list[Heatmap], width: float, height: float) -> _Style:
    """Labels as large as the cells allow; numbered where some are left out and a word alone doesn't say where it is."""
    pitch = min(_pitch(panel, width * 0.85, height * 0.85) for panel in maps)
    style = _Style(min(max(_LEAST, pitch * 0.4), _PANEL), min(_LABEL_ROOM, width / 3, height / 3), numbered=False)
    return replace(style, numbered=any(_is_thinned(panel, width * 0.85, height * 0.85, style) for panel in maps))


def _is_thinned(panel: Heatmap, width: float, height: float, style: _Style) -> bool:
    """Whether the words along a map of this room would stand too close."""
    lengths = zip(_map_size(panel, width, height), panel.values.shape[::-1], (panel.columns, panel.rows), strict=True)
    return any(axis.labels and length / count < style.pitch for length, count, axis in lengths)


def _pitch(panel: Heatmap, width: float, height: float) -> float:
    map_width, map_height = _map_size(panel, width, height)
    rows, columns = panel.values.shape
    return float(min(map_width / columns, map_height / rows))


def _map_size(panel: Heatmap, width: float, height: float) -> tuple[float, float]:
    """Square cells as far as the map's shape stays readable."""
    rows, columns = panel.values.shape
    ratio = min(max(columns / rows, 0.75), 2.2)
    width = max(_SMALLEST_MAP, min(width, height * ratio, columns * _LARGEST_CELL))
    return width, min(width / ratio, rows * _LARGEST_CELL)


def _room_above(panel: Heatmap, width: float, height: float, style: _Style) -> float:
    columns = panel.values.shape[1]
    level = _AXIS_TITLE + style.size * _LINE + 4
    pitch = _map_size(panel, width, height - level)[0] / columns
    if _column_ticks(panel.columns, columns, pitch, style).level:
        return level
    return _AXIS_TITLE + _widest_label(panel.columns, columns, style) + 8


def _widest_label(axis: Axis, count: int, style: _Style) -> float:
    shown = range(axis.first, axis.first + count) if axis.labels else (axis.first, axis.first + count - 1)
    return _longest((_label(axis, coordinate, style) for coordinate in shown), style.size)


def _label(axis: Axis, coordinate: int, style: _Style) -> str:
    if not axis.labels:
        return str(coordinate).replace("-", "−")
    label = axis.labels[coordinate - axis.first]
    number = f" ({coordinate})" if style.numbered and label != str(coordinate) else ""
    return _elided(label, style.room - _width_of(number, style.size), style.size) + number


def _column_ticks(axis: Axis, count: int, pitch: float, style: _Style) -> _Ticks:
    """Level labels where they fit, else upright ones; numbers never turn, there are only fewer of them."""
    level = _thinned(axis, count, pitch, style, _widest_label(axis, count, style) + style.size * 0.6)
    if not axis.labels or len(level) == count:
        return _Ticks(level)
    return _Ticks(_thinned(axis, count, pitch, style, style.pitch), level=False)


def _row_ticks(axis: Axis, count: int, pitch: float, style: _Style) -> _Ticks:
    return _Ticks(_thinned(axis, count, pitch, style, style.pitch if axis.labels else 2 * style.pitch))


def _thinned(axis: Axis, count: int, pitch: float, style: _Style, need: float) -> tuple[tuple[int, str], ...]:
    """As many labels as have the room they need, at round coordinates; the one in focus always stays."""
    step = next(step for step in _round_steps() if step * pitch >= need)
    coordinates = range(axis.first, axis.first + count)
    shown = [coordinate for coordinate in coordinates if coordinate % step == 0]
    focus = axis.focus
    if focus is not None and focus in coordinates and focus not in shown:
        shown = sorted([focus, *(other for other in shown if abs(other - focus) * pitch >= need)])
    return tuple((coordinate, _label(axis, coordinate, style)) for coordinate in shown)


def _round_steps() -> Iterable[int]:
    return (factor * 10**power for power in range(30) for factor in (1, 2, 5))


def _label_colour(axis: Axis, coordinate: int) -> str:
    if coordinate == axis.focus:
        return _ACCENT
    return _TWIN if coordinate in axis.twins else _INK


def _draw_map(page: _Page, panel: Heatmap, fit: _Fit, box: _Box, titles: float, bar: str | None) -> None:
    top = box.top - titles - fit.above
    place = _Box(box.left + fit.left, top - fit.map_height, fit.map_width, fit.map_height)
    _draw_panel_title(page, panel.title, place.left, box.top, fit.map_width)
    pooled = _pooled(panel)
    colours = _colours(panel, pooled)
    page.image(place, colours)
    if pooled.shape != panel.values.shape:
        page.text(place.left, place.bottom - 4, "cells averaged to fit", _LEAST, color=_MUTED, va="top")
    _draw_map_labels(page, panel, fit, place)
    _draw_values(page, panel, colours, place)
    _draw_focus(page, panel, place)
    if bar is not None:
        _draw_bar(page, panel, place, bar)


def _pooled(panel: Heatmap) -> npt.NDArray[np.float64]:
    """The values to be drawn, NaN where masked: the mean of a block of cells where there are too many of them."""
    rows, columns = (np.arange(0, count, math.ceil(count / _MOST_CELLS)) for count in panel.values.shape)
    shown = np.ones(panel.values.shape) if panel.mask is None else (~panel.mask).astype(np.float64)
    counts = _block_sums(shown, rows, columns)
    sums = _block_sums(panel.values * shown, rows, columns)
    means: npt.NDArray[np.float64] = np.divide(sums, counts, out=np.full(sums.shape, np.nan), where=counts > 0)
    return means


def _block_sums(
    values: npt.NDArray[np.float64], rows: npt.NDArray[np.int64], columns: npt.NDArray[np.int64]
) -> npt.NDArray[np.float64]:
    sums: npt.NDArray[np.float64] = np.add.reduceat(np.add.reduceat(values, rows, axis=0), columns, axis=1)
    return sums


def _colours(panel: Heatmap, values: npt.NDArray[np.float64]) -> Colours:
    colour_map = matplotlib.colormaps[_COLOUR_MAPS[panel.scale]].with_extremes(bad=_MASKED)
    shares = np.clip((values - panel.low) / (panel.high - panel.low), 0, 1)
    return np.asarray(colour_map(np.ma.masked_invalid(shares), bytes=True), dtype=np.uint8)


def _draw_map_labels(page: _Page, panel: Heatmap, fit: _Fit, place: _Box) -> None:
    rows, columns = panel.values.shape
    across, down = place.width / columns, place.height / rows
    ticks = _column_ticks(panel.columns, columns, across, fit.style)
    style: dict[str, Any] = {"ha": "center", "va": "bottom"} if ticks.level else {**_UPRIGHT, "ha": "left"}
    for coordinate, label in ticks.labels:
        x = place.left + (coordinate - panel.columns.first + 0.5) * across
        page.text(x, place.top + 5, label, fit.style.size, color=_label_colour(panel.columns, coordinate), **style)
    for coordinate, label in _row_ticks(panel.rows, rows, down, fit.style).labels:
        y = place.top - (coordinate - panel.rows.first + 0.5) * down
        page.text(place.left - 6, y, label, fit.style.size, color=_label_colour(panel.rows, coordinate), ha="right")
    _draw_axis_titles(page, panel, fit, place)


# Read from below, beginning at its place.
_UPRIGHT: dict[str, Any] = {"rotation": 90, "rotation_mode": "anchor"}


def _draw_axis_titles(page: _Page, panel: Heatmap, fit: _Fit, place: _Box) -> None:
    style: dict[str, Any] = {"color": _MUTED, "ha": "center"}
    columns, rows = _elided(panel.columns.title, place.width, _SMALL), _elided(panel.rows.title, place.height, _SMALL)
    page.text(place.left + place.width / 2, place.top + fit.above - _SMALL / 2, columns, _SMALL, **style)
    page.text(place.left - fit.left + _SMALL / 2, place.top - place.height / 2, rows, _SMALL, **_UPRIGHT, **style)


def _draw_values(page: _Page, panel: Heatmap, colours: Colours, place: _Box) -> None:
    """Print the numbers into the cells of a small map, where they are large enough to be read."""
    rows, columns = panel.values.shape
    across, down = place.width / columns, place.height / rows
    if columns > 12 or down < _LEAST * 1.4:
        return
    texts = _cell_texts(panel)
    widest = max(_width_of(text, _LEAST) for line in texts for text in line)
    size = min(_PANEL, down / 1.4, _LEAST * (across - 4) / widest)
    if size < _LEAST:
        return
    for row, column in np.ndindex(rows, columns):
        if not panel.is_masked(row, column):
            x, y = place.left + (column + 0.5) * across, place.top - (row + 0.5) * down
            page.text(x, y, texts[row][column], size, color=_ink_on(colours[row, column]), ha="center")


def _cell_texts(panel: Heatmap) -> list[list[str]]:
    """All numbers of a map with the same decimals: two where the largest is about one."""
    largest = float(np.abs(panel.values).max())
    power = math.floor(math.log10(largest)) if largest else 0
    style = f"z.{min(max(0, 2 - max(power, 0), 1 - power), 9)}f" if -4 <= power <= 4 else "z.1e"
    return [[format(value, style).replace("-", "−") for value in row] for row in panel.values.tolist()]


def _ink_on(colour: Colours) -> str:
    """Black or white, whichever has the stronger contrast (WCAG's relative luminance)."""
    shares = colour[:3] / 255
    linear = np.where(shares <= 0.04045, shares / 12.92, ((shares + 0.055) / 1.055) ** 2.4)
    return "black" if float(linear @ (0.2126, 0.7152, 0.0722)) > 0.179 else "white"


def _draw_focus(page: _Page, panel: Heatmap, place: _Box) -> None:
    """Outline the row in focus; of a thin one the line goes around, not over it."""
    rows = panel.values.shape[0]
    row = -1 if panel.rows.focus is None else panel.rows.focus - panel.rows.first
    if not 0 <= row < rows:
        return
    pitch = place.height / rows
    width = min(max(0.75, pitch / 12), 2.25)
    half = width / 2
    around = _Box(place.left - half, place.top - (row + 1) * pitch - half, place.width + width, pitch + width)
    page.outline(around, _ACCENT, width)


def _bar_room(panel: Heatmap) -> float:
    ticks = _tick_texts(_round_ticks(panel.low, panel.high, 5))
    return _BAR_GAP + _BAR + 8 + _longest(ticks, _SMALL) + _AXIS_TITLE


def _draw_bar(page: _Page, panel: Heatmap, place: _Box, quantity: str) -> None:
    bar = _Box(place.right + _BAR_GAP, place.bottom, _BAR, place.height)
    page.image(bar, _colours(panel, np.linspace(panel.high, panel.low, 256)[:, np.newaxis]))
    ticks = _round_ticks(panel.low, panel.high, min(5, max(1, int(bar.height / 20))))
    texts = _tick_texts(ticks)
    for tick, text in zip(ticks, texts, strict=True):
        y = bar.bottom + (tick - panel.low) / (panel.high - panel.low) * bar.height
        page.line((bar.right, bar.right + 3), (y, y), color=_MUTED, linewidth=0.8)
        page.text(bar.right + 6, y, text, _SMALL, color=_MUTED)
    x = bar.right + 8 + _longest(texts, _SMALL) + _AXIS_TITLE - _SMALL / 2
    name = _elided(quantity, bar.height, _SMALL)
    page.text(x, bar.bottom + bar.height / 2, name, _SMALL, color=_MUTED, ha="center", **_UPRIGHT)


def _round_ticks(low: float, high: float, most: int, whole: bool = False) -> list[float]:
    ticks = MaxNLocator(most, steps=[1, 2, 2.5, 5, 10], integer=whole).tick_values(low, high)
    slack = (high - low) * 1e-9
    return [float(tick) for tick in ticks if low - slack <= tick <= high + slack]


def _tick_texts(ticks: Sequence[float]) -> list[str]:
    """The ticks in as few digits as tell them apart."""
    if all(tick == round(tick) and abs(tick) < 1e7 for tick in ticks):
        return [f"{tick:z.0f}".replace("-", "−") for tick in ticks]
    tried = ([f"{tick:.{digits}g}".replace("-", "−") for tick in ticks] for digits in range(2, 18))
    return next((texts for texts in tried if len(set(texts)) == len(ticks)), [str(tick) for tick in ticks])


# --- Other panels ---------------------------------------------------------------------------------------------------


@singledispatch
def _draw(panel: Panel, page: _Page, box: _Box, titles: float) -> None:
    """Draw a panel that takes all the room it gets; `titles` is kept for panel titles at its top."""
    raise NotImplementedError(f"no picture is known for {type(panel).__name__}")


@_draw.register
def _(panel: Note, page: _Page, box: _Box, titles: float) -> None:
    lines = _wrapped(panel.text, min(box.width, 560), _SENTENCE, 12)
    pitch = _SENTENCE * _LINE
    y = box.bottom + (box.height - titles) / 2 + pitch * (len(lines) - 1) / 2
    for number, line in enumerate(lines):
        page.text(box.left + box.width / 2, y - number * pitch, line, _SENTENCE, color=_MUTED, ha="center")
    _draw_panel_title(page, panel.title, box.left, box.top, box.width)


@dataclass(frozen=True)
class _Plot:
    """Where curves are drawn: the box on the page, the range of numbers along its sides, the names beside it."""

    box: _Box
    start: float
    end: float
    low: float
    high: float
    names: tuple[str, ...]

    def x(self, value: _Number) -> _Number:
        return self.box.left + (value - self.start) / (self.end - self.start) * self.box.width

    def y(self, value: _Number) -> _Number:
        return self.box.bottom + (value - self.low) / (self.high - self.low) * self.box.height

    def shows(self, dot: tuple[float, float]) -> bool:
        return self.start <= dot[0] <= self.end and self.low <= dot[1] <= self.high


@_draw.register
def _(panel: Lines, page: _Page, box: _Box, titles: float) -> None:
    plot = _plot(panel, box, titles)
    _draw_panel_title(page, panel.title, plot.box.left, box.top, plot.box.width)
    _draw_grid(page, panel, plot, box)
    _draw_marks(page, panel, plot)
    _draw_curves(page, panel, plot)
    _draw_curve_names(page, panel, plot)


def _plot(panel: Lines, box: _Box, titles: float) -> _Plot:
    start = min(float(series.x.min()) for series in panel.series)
    end = max(float(series.x.max()) for series in panel.series)
    if start == end:
        around = max(0.5, abs(start) * 1e-6)
        start, end = start - around, end + around
    slack = (panel.high - panel.low) * 0.03
    left = _AXIS_TITLE + _longest(_tick_texts(_round_ticks(panel.low, panel.high, 6)), _SMALL) + 8
    names = tuple(_elided(series.label, min(_LABEL_ROOM, box.width / 4), _SMALL) for series in panel.series)
    right = _longest(names, _SMALL) + 24
    below = _AXIS_TITLE + _SMALL * _LINE + 6
    room = _Box(box.left + left, box.bottom + below, box.width - left - right, box.height - below - titles)
    plot = _Plot(room, start, end, panel.low - slack, panel.high + slack, names)
    levels = max((level + 1 for _, _, level in _mark_names(panel, plot)), default=0)
    return replace(plot, box=replace(room, height=room.height - levels * _SMALL * _LINE))


def _draw_grid(page: _Page, panel: Lines, plot: _Plot, box: _Box) -> None:
    room = plot.box
    ticks = _round_ticks(panel.low, panel.high, 6)
    for tick, text in zip(ticks, _tick_texts(ticks), strict=True):
        y = plot.y(tick)
        page.line((room.left, room.right), (y, y), color=_RULE, linewidth=0.8, zorder=-1)
        page.text(room.left - 6, y, text, _SMALL, color=_MUTED, ha="right")
    for x, text, colour in _x_labels(panel, plot):
        page.line((x, x), (room.bottom, room.bottom - 4), color=_MUTED, linewidth=0.8)
        page.text(x, room.bottom - 7, text, _SMALL, color=colour, ha="center", va="top")
    page.line((room.left, room.left, room.right), (room.top, room.bottom, room.bottom), color=_MUTED, linewidth=0.8)
    style: dict[str, Any] = {"color": _MUTED, "ha": "center"}
    name, quantity = _elided(panel.x.title, room.width, _SMALL), _elided(panel.quantity, room.height, _SMALL)
    page.text(room.left + room.width / 2, box.bottom + _SMALL / 2, name, _SMALL, **style)
    page.text(box.left + _SMALL / 2, room.bottom + room.height / 2, quantity, _SMALL, **_UPRIGHT, **style)


def _x_labels(panel: Lines, plot: _Plot) -> list[tuple[float, str, str]]:
    """Places, texts and colours along the x axis: its labels where they name all of it, numbers where not."""
    axis, count = panel.x, len(panel.x.labels)
    if count and axis.first <= plot.start and plot.end <= axis.first + count - 1:
        labels = _word_labels(axis, plot.box.width / (plot.end - plot.start))
        return [(plot.x(at), text, _label_colour(axis, at)) for at, text in labels if plot.start <= at <= plot.end]
    ticks = _round_ticks(plot.start, plot.end, min(8, max(1, int(plot.box.width / 60))), whole=True)
    return [(plot.x(tick), text, _MUTED) for tick, text in zip(ticks, _tick_texts(ticks), strict=True)]


def _word_labels(axis: Axis, pitch: float) -> tuple[tuple[int, str], ...]:
    """An axis's words where there is room for all of them, else some, with their coordinates."""
    count, style = len(axis.labels), _Style(_SMALL, _LABEL_ROOM, numbered=False)
    if _widest_label(axis, count, style) + 8 > pitch:
        style = replace(style, numbered=True)
    return _thinned(axis, count, pitch, style, _widest_label(axis, count, style) + 8)


def _draw_curves(page: _Page, panel: Lines, plot: _Plot) -> None:
    axes = page.axes(plot.box)
    axes.patch.set_visible(False)
    # The axes only clip; they take points, so that no range is too small or too large for them.
    axes.set(xlim=(plot.box.left, plot.box.right), ylim=(plot.box.bottom, plot.box.top))
    for number, series in enumerate(panel.series):
        colour, dashes = _curve_style(number)
        xs, ys = plot.x(series.x.astype(np.float64)), plot.y(series.y.astype(np.float64))
        axes.plot(xs, ys, color=colour, linestyle=dashes, linewidth=1.6)
        for x, y in filter(plot.shows, series.dots):
            axes.plot(plot.x(x), plot.y(y), "o", color=colour, markersize=6.5, mec="white", clip_on=False)


def _curve_style(number: int) -> tuple[str, str]:
    return _CURVES[number % len(_CURVES)], _DASHES[number // len(_CURVES) % len(_DASHES)]


def _draw_curve_names(page: _Page, panel: Lines, plot: _Plot) -> None:
    """Name each curve where it ends; of more curves than there are lines of text, every second or third."""
    pitch, left = _SMALL * _LINE, plot.box.right + 20
    step = math.ceil(len(panel.series) / max(1, int(plot.box.height / pitch)))
    named = [(number, series) for number, series in enumerate(panel.series) if number % step == 0 and series.label]
    ends = [min(max(plot.y(float(series.y[-1])), plot.box.bottom), plot.box.top) for _, series in named]
    heights = _apart(ends, pitch, plot.box.bottom + pitch / 2, plot.box.top - pitch / 2)
    for (number, series), end, y in zip(named, ends, heights, strict=True):
        page.line((plot.x(float(series.x[-1])) + 4, left - 4), (end, y), color=_curve_style(number)[0], linewidth=0.8)
        page.text(left, y, plot.names[number], _SMALL, color=_CURVE_NAMES[number % len(_CURVE_NAMES)])


def _apart(wanted: list[float], pitch: float, low: float, high: float) -> list[float]:
    """Heights at least one pitch apart, together as near to the wanted ones as can be, between low and high."""
    order = sorted(range(len(wanted)), key=wanted.__getitem__)
    # Without the pitches in between, the heights only have to rise: what falls is levelled to its mean.
    blocks: list[list[float]] = []
    for rank, index in enumerate(order):
        blocks.append([wanted[index] - rank * pitch])
        while len(blocks) > 1 and np.mean(blocks[-2]) >= np.mean(blocks[-1]):
            last = blocks.pop()
            blocks[-1] += last
    levels = [float(np.mean(block)) for block in blocks for _ in block]
    highest = max(low, high - (len(wanted) - 1) * pitch)
    placed = dict(zip(order, levels, strict=True))
    return [min(max(placed[index], low), highest) + order.index(index) * pitch for index in range(len(wanted))]


_MARK_COLOURS = {"end": _MUTED, "focus": _ACCENT, "twin": _TWIN}
_MARK_DASHES = {"end": "-", "focus": "-", "twin": "--"}
_MARK_LEVELS = 3


def _draw_marks(page: _Page, panel: Lines, plot: _Plot) -> None:
    for mark in _marks_in_sight(panel, plot):
        x, style = plot.x(mark.x), {"color": _MARK_COLOURS[mark.kind], "linestyle": _MARK_DASHES[mark.kind]}
        page.line((x, x), (plot.box.bottom, plot.box.top), linewidth=1.0, zorder=-1, **style)
    for mark, left, level in _mark_names(panel, plot):
        y = plot.box.top + 4 + level * _SMALL * _LINE
        page.text(left, y, _mark_name(mark), _SMALL, color=_MARK_COLOURS[mark.kind], va="bottom")


def _marks_in_sight(panel: Lines, plot: _Plot) -> list[VerticalMark]:
    return sorted((mark for mark in panel.marks if plot.start <= mark.x <= plot.end), key=lambda mark: mark.x)


def _mark_name(mark: VerticalMark) -> str:
    return _elided(mark.label, _LABEL_ROOM, _SMALL)


def _mark_names(panel: Lines, plot: _Plot) -> list[tuple[VerticalMark, float, int]]:
    """Each mark with its word's left end and level above the plot; what finds no free place goes without its word."""
    places, ends = [], [-math.inf] * _MARK_LEVELS
    for mark in _marks_in_sight(panel, plot):
        width = _width_of(_mark_name(mark), _SMALL)
        left = min(max(plot.x(mark.x) - width / 2, plot.box.left), plot.box.right - width)
        level = next((level for level, end in enumerate(ends) if end + 6 <= left), None)
        if level is not None and mark.label:
            places.append((mark, left, level))
            ends[level] = left + width
    return places
