"""Measure how figures fill their rooms: `python -m tools.rooms`, with `--all` every case instead of a sample.

A case is a plot on a target, of so many tokens, alone, compared or swept. The composer is asked, and on sheets the words are
laid out, but no pixel is drawn. Each case that breaks a rule is printed when it is found, and at the end the worst and the median
of each target. In cards and in Present, tables beside the panels and the labels of curves are not looked at.
"""

from __future__ import annotations

import argparse
import itertools
import os
import random
import re
import statistics
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import posenc_gui as pe
from posenc_gui.figure.compare import on_one_scale
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panels import Bars, Clocks, Heatmap, Lines, Panel, Slopes, Table
from posenc_gui.render.composer import compose
from posenc_gui.render.drawings.clocks import clock_grid
from posenc_gui.render.drawings.parts import Arc, Area, Box, Cells, Clipped, Curve, Dot, Moved, Part, Stroke, Text
from posenc_gui.render.drawings.slopes import stands_beside_maps
from posenc_gui.render.export_options import ExportOptions, Preset
from posenc_gui.render.layout import lanes
from posenc_gui.render.layout.composition import Composition, Placed, PlacedMap, is_title_cut, title_of
from posenc_gui.render.layout.rect import Rect
from posenc_gui.render.layout.type_sizes import Style
from posenc_gui.render.paper.fonts import measured
from posenc_gui.render.paper.format import Format, size_of
from posenc_gui.render.paper.layout import Plan, plan_frames, plan_slides
from posenc_gui.render.paper.sheet import Sheet
from posenc_gui.render.paper.signs import with_badges
from posenc_gui.session.sweeps import moving_field, small_multiples

# The rooms of the first card of a window of each size, as it opens, and of Present's page.
CARDS = {
    "card 960": (591, 307), "card 1000": (630, 277), "card 1366": (994, 326), "card 1920": (1548, 520),
    "card 2560": (2184, 613), "present": (744, 307),
}  # fmt: skip
SHEETS: dict[str, Preset] = {"slide": "slide", "slide 4:3": "slide_4_3", "paper": "paper", "handout": "handout"}
TARGETS = (*CARDS, *SHEETS, "film")
TOKENS = 6, 20, 64, 512
KINDS = "one", "compared", "sweep"

FILLED = 0.85  # the least share of the breadth or of the height that is filled
IN_BODY = 0.6  # the least share of a slide's body inside the figure's bounding box
SMALL_CELL = 8.0  # pixels or points
SLACK = 1.0  # by which equal panels may differ

_FRAME = 16.0, 12.0  # pixels around the panels of a card
_SAMPLE = 300
_SENTENCE = """The cat sat on the mat while another dog ran quickly over the old green hills and then slept under a tree because
nobody remembered where the lecturer had put her notes about positional encodings"""
_ENCODINGS = "rope", "sinusoidal", "alibi", "t5", "learned"
_OF_LAYOUT = re.compile(r"\b(to fit|(doesn't|don't) fit|no room|left out|not shown|too many|next slide)\b")
_SWEPT = {"rope": "base", "sinusoidal": "base"}
_BASES = 10.0, 100.0, 1_000.0, 10_000.0, 100_000.0, 1_000_000.0


class Case(NamedTuple):
    """A plot on a target, of so many tokens; kind: alone, compared or swept."""

    target: str
    plot: str
    tokens: int
    kind: str


@dataclass(frozen=True)
class Reading:
    """What was measured of a case. Lengths are pixels or points; shares are of the room that the figure has."""

    case: Case
    cell: float | None  # the smaller side of a map's cell
    width: float
    height: float
    cut: Sequence[str]  # names that are cut
    turned: int  # maps whose labels aren't level, or that have numbers in place of few words
    unequal: Sequence[str]  # equal panels whose plots differ
    overlaps: Sequence[str]
    said: Sequence[str]  # what a caption says of the layout
    left_out: int

    @property
    def faults(self) -> list[str]:
        """The rules that don't hold, in words."""
        found = []
        on_slide = self.case.target.startswith("slide") or self.case.target == "film"
        if max(self.width, self.height) < FILLED:
            found.append(f"fills {self.width:.0%} of the breadth, {self.height:.0%} of the height")
        if on_slide and self.width * self.height < IN_BODY:
            found.append(f"takes {self.width * self.height:.0%} of the body")
        if self.cell is not None and self.cell < SMALL_CELL and self.width * self.height < IN_BODY:
            found.append(f"cells of {self.cell:.1f} beside empty room")
        if self.cut and (on_slide or self.width * self.height < FILLED):
            found.append(f"cuts {self.cut[0]!r}" + (f" and {len(self.cut) - 1} more" if len(self.cut) > 1 else ""))
        if self.overlaps:
            found.append(f"{len(self.overlaps)} overlap: {self.overlaps[0]}")
        found += [f"unequal: {what}" for what in self.unequal]
        found += [f"says {what!r}" for what in self.said]
        return found


def all_cases() -> list[Case]:
    """Every case."""
    return [Case(*one) for one in itertools.product(TARGETS, pe.plots(), TOKENS, KINDS)]


def sampled(seed: int, count: int) -> list[Case]:
    """So many cases, evenly of all targets."""
    draw = random.Random(seed)
    by_target = {target: [case for case in all_cases() if case.target == target] for target in TARGETS}
    turns = itertools.zip_longest(*(draw.sample(cases, len(cases)) for cases in by_target.values()))
    return list(itertools.islice(itertools.chain.from_iterable(turns), count))


def read(case: Case) -> Reading | None:
    """Measure a case; None if its plot says in words why there is no picture, or has tables alone."""
    figures = _film(case) if case.target == "film" else [figure_of(case.plot, case.tokens, case.kind)]
    figures = [figure if case.target in CARDS else figure.pictured for figure in figures if figure is not None]
    if not figures or any(one.is_note or not _drawn(one) for one in figures):
        return None
    if case.target in CARDS:
        return _read_card(case, figures[0])
    return _read_sheet(case, figures)


def _drawn(figure: Figure) -> list[Panel]:
    return [panel for panel in figure.panels if not isinstance(panel, Table)]


@cache
def session_of(tokens: int, encoding: str, kind: str) -> pe.Session:
    """The session of a case."""
    text = " ".join(itertools.islice(itertools.cycle(_SENTENCE.split()), tokens))
    other = {"rope": pe.encoding("rope", base=500_000.0), "sinusoidal": pe.encoding("sinusoidal", base=100.0)}
    return pe.Session(
        text=text, focus=2, encoding=pe.encoding(encoding),
        other=other.get(encoding, pe.encoding("rope")) if kind == "compared" else None,
    )  # fmt: skip


@cache
def figure_of(plot: str, tokens: int, kind: str) -> Figure | None:
    """The figure of a case, with the first encoding of which the plot has a picture."""
    for encoding in _ENCODINGS:
        session = session_of(tokens, encoding, kind)
        try:
            if kind == "sweep":
                field, values = (_SWEPT[encoding], _BASES) if encoding in _SWEPT else ("model.seed", range(6))
                figure = small_multiples(plot, session, field, values)
            else:
                figure = pe.plot(plot, session)
        except ValueError:
            continue
        if not figure.is_note:
            return figure
    return None


def _film(case: Case) -> list[Figure | None]:
    """The first, the middle and the last frame of what is played."""
    whole = figure_of(case.plot, case.tokens, "one")
    if whole is None or case.kind == "compared":
        return [figure_of(case.plot, case.tokens, "compared")]
    encoding = next(name for name in _ENCODINGS if not pe.plot(case.plot, session_of(case.tokens, name, "one")).is_note)
    session = session_of(case.tokens, encoding, "one")
    if case.kind == "sweep" and encoding in _SWEPT:
        field, values = _SWEPT[encoding], _BASES
    else:
        field, values = moving_field(case.plot, session)
    return list(pe.sweep(case.plot, session, field, [values[0], values[len(values) // 2], values[-1]]))


# Cards


def _read_card(case: Case, figure: Figure) -> Reading:
    from posenc_gui.render.screen.fonts import screen_style

    width, height = (side - around for side, around in zip(CARDS[case.target], _FRAME, strict=True))
    style, panels = screen_style(), _drawn(figure)
    in_present = case.target == "present"
    if in_present:
        panels = [panel for panel in panels if not stands_beside_maps(panel, panels)]
    headed = None if in_present else figure.alone
    found = compose(panels, figure.across, width, height, style, headed=headed, grows=not in_present)
    bounds = _bounds(found, style)
    return Reading(
        case, _smallest_cell(found), min(1.0, bounds.width / width), min(1.0, bounds.height / found.height),
        [*_cut_labels(found), *_cut_titles(found, headed)], _turned(found), _unequal([found]), (), (),
        len(found.left_out),
    )  # fmt: skip


def _cut_titles(found: Composition, headed: Panel | None) -> Iterator[str]:
    for placed in found.panels:
        if placed.panel is not headed and is_title_cut(placed, found.title):
            yield " ".join(title_of(placed, found.title))


# Sheets


def _read_sheet(case: Case, figures: Sequence[Figure]) -> Reading:
    preset = SHEETS.get(case.target, "slide")
    form = Format.of(ExportOptions(preset=preset).sheet)
    planned = [(plan, figure) for plan, figure in _plans(case, figures, form) if plan.pictures]
    sheets = [_Words(ExportOptions(preset=preset), form, plan) for plan, _ in planned]
    known = [" ".join(_texts_of(figure)) for _, figure in planned]
    # A film begins with little where it draws a way step by step: it is judged when it has drawn most.
    judged = max if case.target == "film" else min
    least = judged(
        sheets, key=lambda sheet: (sheet.ink.width / sheet.body.width) * (sheet.ink.height / sheet.body.height)
    )
    compositions = [plan.pictures[0] for plan, _ in planned if plan.pictures]
    cells = [cell for one in compositions if (cell := _smallest_cell(one)) is not None]
    captions = (part.text for figure in figures for part in figure.caption_parts)
    return Reading(
        case, min(cells) * form.zoom if cells else None, min(1.0, least.ink.width / least.body.width),
        min(1.0, least.ink.height / least.body.height),
        sorted({text for sheet, told in zip(sheets, known, strict=True) for text in sheet.cut(told)}),
        _turned(compositions[0]), _unequal(compositions) if case.target == "film" else _unequal(compositions[:1]),
        [pair for sheet in sheets for pair in sheet.overlaps()],
        sorted({text for text in captions if _OF_LAYOUT.search(text)}), len(compositions[0].left_out),
    )  # fmt: skip


def _plans(case: Case, figures: Sequence[Figure], form: Format) -> list[tuple[Plan, Figure]]:
    """The slides of a deck, a sheet of paper, or the frames of a film, each with its figure."""
    if case.target.startswith("slide"):
        return [(plan, figure) for figure in figures for plan in plan_slides(figure, form)]
    return list(zip(plan_frames(on_one_scale(figures), form), figures, strict=True))


def _texts_of(figure: Figure) -> Iterator[str]:
    """All that a figure says, in which an … isn't a cut."""
    yield from (run.text for run in figure.headline)
    yield figure.caption
    for panel in figure.panels:
        yield panel.title
        if isinstance(panel, Slopes):
            yield from (panel.label(line) for line in panel.lines)
        if isinstance(panel, Lines | Bars):
            yield from (series.label for series in panel.series)
        if isinstance(panel, Table):
            yield from map(str, itertools.chain(panel.header, *panel.rows))


class _Words:
    """The texts of a sheet's figure, and how far it reaches, in units from the upper left corner."""

    def __init__(self, choices: ExportOptions, form: Format, plan: Plan) -> None:
        self._form, self._roles = form, choices.roles
        self.texts: list[tuple[str, Rect, int]] = []
        self._reached: list[tuple[float, float]] = []
        self._read(Sheet(plan, form, choices.roles).pictures())
        xs, ys = zip(*self._reached, strict=True)
        self.ink = Rect(min(xs), min(ys), max(xs), max(ys))
        top, bottom = self.ink.top, self.ink.bottom
        if plan.pictures and form.height:
            boxes = [plan.pictures[1], *(box for _, box in plan.tables)]
            top = plan.height - max(box.top for box in boxes)
            bottom = plan.height - min(box.bottom for box in boxes)
        self.body = Rect(form.margin, top, form.width - form.margin, bottom)

    def cut(self, known: str) -> Iterator[str]:
        """The texts that are cut."""
        for text, _, _ in self.texts:
            if "…" in text and not text.startswith("… ") and text not in known:
                yield text

    def overlaps(self) -> Iterator[str]:
        """Pairs of level texts that stand on each other."""
        level = [(text, place) for text, place, angle in self.texts if not angle and text.strip()]
        for (text, one), (second, other) in itertools.combinations(level, 2):
            aside = min(one.right, other.right) - max(one.left, other.left)
            above = min(one.bottom, other.bottom) - max(one.top, other.top)
            if aside > 1 and above > 0.25 * min(one.height, other.height):
                yield f"{text!r} and {second!r}"

    def _read(self, parts: Iterable[Part], x: float = 0.0, y: float = 0.0) -> None:
        for part in parts:
            match part:
                case Moved():
                    self._read(part.parts, x + part.x, y + part.y)
                case Clipped():
                    self._reach(part.rect.shifted(x, y))
                case Text(signed=True):
                    self._read(with_badges(part, size_of(self._form.style.face(part.size)), self._roles), x, y)
                case Text():
                    self._write(part, x, y)
                case Box(rect=rect) | Cells(rect=rect):
                    self._reach(rect.shifted(x, y))
                case Curve(points=points) | Area(corners=points):
                    (left, top), (right, bottom) = points.min(0), points.max(0)
                    self._reach(Rect(left, top, right, bottom).shifted(x, y))
                case Dot(radius=radius) | Arc(radius=radius):
                    self._reach(Rect.down_from(x + part.x - radius, y + part.y - radius, 2 * radius, 2 * radius))
                case Stroke(path=path):
                    self._reached += [(x + across, y + down) for *_, (across, down) in path]

    def _write(self, part: Text, x: float, y: float) -> None:
        height = size_of(self._form.style.face(part.size))
        width = measured(height, part.bold)(part.text)
        left = x + part.x - {"left": 0.0, "center": 0.5, "right": 1.0}[part.side] * width
        place = Rect.down_from(left, y + part.y - height / 2, width, height)
        if part.angle == 90:
            top = y + part.y - (width / 2 if part.side == "center" else width)
            place = Rect.down_from(x + part.x - height / 2, top, height, width)
        self.texts.append((part.text, place, part.angle))
        if part.text:
            self._reach(place)

    def _reach(self, place: Rect) -> None:
        self._reached += [(place.left, place.top), (place.right, place.bottom)]


# Compositions


def _bounds(found: Composition, style: Style) -> Rect:
    """The rectangle around what is seen: of clocks, the clocks."""
    rects = [*(_seen(placed, style) for placed in found.panels), *(bar.room for bar in found.bars.values())]
    return Rect(
        min(one.left for one in rects), min(one.top for one in rects), max(one.right for one in rects),
        max(one.bottom for one in rects),
    )  # fmt: skip


def _seen(placed: Placed, style: Style) -> Rect:
    if not isinstance(placed.panel, Clocks):
        return placed.room
    plot, grid = placed.plot, clock_grid(placed.panel, placed.plot.width, placed.plot.height, style.small.line,
                                        style.small.measure)  # fmt: skip
    rows = -(-grid.count // grid.columns)
    return Rect(plot.left + grid.left, placed.room.top if placed.title else plot.top + grid.top,
                plot.right - grid.left, plot.top + grid.top + grid.down * rows)  # fmt: skip


def _smallest_cell(found: Composition) -> float | None:
    return min((min(one.cell) for one in found.maps), default=None)


def _cut_labels(found: Composition) -> Iterator[str]:
    for placed in found.maps:
        sides = [(placed.columns, placed.panel.columns), *([(placed.rows, placed.panel.rows)] if placed.rows else [])]
        for labels, axis in sides:
            yield from (text for _, text in labels.texts if "…" in text and text not in axis.marks)


def _turned(found: Composition) -> int:
    return sum(placed.columns.angle != "level" or _has_numbers(placed) for placed in found.maps)


def _has_numbers(placed: PlacedMap) -> bool:
    return len(placed.columns.texts) < len(placed.panel.columns.marks) < 32


def _unequal(compositions: Sequence[Composition]) -> list[str]:
    """Panels of one kind whose plots differ in breadth or height, or maps of one scale that differ in range."""
    groups: dict[tuple[object, ...], list[Placed]] = {}
    for found in compositions:
        for row, lane in zip(found.rows, lanes.rows([[one.panel for one in row] for row in found.rows]), strict=True):
            for placed in () if lane.is_lane else row:
                groups.setdefault(_kind(placed.panel), []).append(placed)
    differ = []
    for (name, *_), same in groups.items():
        for side in ("width", "height"):
            sizes = [getattr(one.plot, side) for one in same]
            if max(sizes) - min(sizes) > SLACK:
                differ.append(f"{name}'s {side} {min(sizes):.0f} and {max(sizes):.0f}")
    frames = {tuple((round(one.plot.left), round(one.plot.top)) for one in found.panels) for found in compositions}
    if len(frames) > 1:
        differ.append("frames of a film stand at other places")
    return differ


def _kind(panel: Panel) -> tuple[object, ...]:
    """What equal panels have in common; lanes, whose plots are equal inside unequal places, are left out."""
    if isinstance(panel, Heatmap):
        return "maps", panel.values.shape
    if isinstance(panel, Lines):
        return "curves", panel.quantity, panel.low, panel.high, panel.x.title
    return type(panel).__name__, panel.title if isinstance(panel, Clocks) else ""


# The table


def main() -> None:
    """Print the cases that break a rule as they are found, then the worst and the median of each target."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--all", action="store_true", help="every case instead of a sample")
    parser.add_argument("--seed", type=int, default=0, help="of the sample")
    parser.add_argument("--target", action="append", choices=TARGETS, help="only on this target; may be repeated")
    parser.add_argument("--plot", action="append", choices=pe.plots(), help="only this plot; may be repeated")
    options = parser.parse_args()
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from PySide6.QtWidgets import QApplication

    app = QApplication.instance() or QApplication([])
    cases = all_cases() if options.all else sampled(options.seed, _SAMPLE)
    cases = [
        case
        for case in cases
        if case.target in (options.target or TARGETS) and case.plot in (options.plot or pe.plots())
    ]
    cases.sort(key=lambda case: (case.plot, case.tokens, case.kind))
    readings = list[Reading]()
    for case in cases:
        if (reading := read(case)) is None:
            continue
        readings.append(reading)
        if reading.faults:
            target, plot, tokens, kind = case
            print(f"{target:10} {plot:13} {tokens:4} {kind:9} {'; '.join(reading.faults)}", flush=True)
    print(
        f"\n{len(readings)} pictures of {len(cases)} cases; {sum(bool(one.faults) for one in readings)} break a rule\n"
    )
    heads = "cell", "breadth", "height", "area"
    print(
        f"{'target':10} {' '.join(f'{head:>12}' for head in heads)} {'cut':>6} {'turned':>6} {'unequal':>7} {'faults':>6}"
    )
    for target in TARGETS:
        if some := [one for one in readings if one.case.target == target]:
            print(_summary(target, some))
    del app


def _summary(target: str, readings: Sequence[Reading]) -> str:
    def worst_and_median(values: Callable[[Reading], float | None], form: str) -> str:
        known = [value for one in readings if (value := values(one)) is not None]
        return f"{min(known):{form}} {statistics.median(known):{form}}" if known else "–"

    cell = worst_and_median(lambda one: one.cell, "5.1f")
    width, height = worst_and_median(lambda one: one.width, "4.0%"), worst_and_median(lambda one: one.height, "4.0%")
    area = worst_and_median(lambda one: one.width * one.height, "4.0%")
    cut, turned, unequal = (
        sum(map(bool, (getattr(one, name) for one in readings))) for name in ("cut", "turned", "unequal")
    )
    faults = sum(bool(one.faults) for one in readings)
    return f"{target:10} {cell:>12} {width:>12} {height:>12} {area:>12} {cut:6} {turned:6} {unequal:7} {faults:3}/{len(readings)}"


if __name__ == "__main__":
    main()
