"""Place several figures of one plot side by side, with shared scales and axis ranges.

Panels that are equal in both figures are shown once; `panel_pairs` combines those that differ.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain, takewhile

from posenc_gui.figure.caption_parts import CaptionPart, compose_caption, order_parts
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panel_pairs import Laid, Names, Ranged, equal, kinds_of, lay_out, measured_in, signs_of
from posenc_gui.figure.panels import Bars, Dials, Flow, Heatmap, Lines, Links, Panel, Slopes, Table
from posenc_gui.figure.runs import Run
from posenc_gui.foundation.wording import join_words

_CURVES_ACROSS = 2  # panels of curves side by side
_ROUNDING = 1e-5  # of a range
_NAME = "\0"  # stands for the encoding's name where two sentences are compared
# What a second sentence need not repeat: whole clauses, or the words that introduce one, such as “In head 0, with RoPE, ”.
_CLAUSES = re.compile(r".*[:;.] |(?:(?:in|at|by|with) [^,]*, )*", re.IGNORECASE | re.DOTALL)


def beside(first: Figure, second: Figure, names: Names) -> Figure:
    """Combine two figures of one plot into one; the short form of a name is the text before its colon: "A: base 10,000"."""
    signs = signs_of(names)
    first, second = on_one_scale((first, second))
    if equal(first.panels, second.panels):
        if first.is_note:
            return first
        return replace(
            first,
            caption_parts=compose_caption(
                f"the same for {join_words(signs)}", *explain(first.panels), *captions_of_both(first, second, signs)
            ),
        )
    laid = lay_out(first.panels, second.panels, names)
    panels = tuple(chain.from_iterable(one.panels for one in laid))
    broad = any(map(_has_broad, panels)) and not any(map(_has_broad, (*first.panels, *second.panels)))
    drawn = f"{signs[0]} broad, {signs[1]} fine" if broad else ""
    whys = (one.why for one in laid)
    return replace(
        first,
        panels=panels,
        across=_across((first, second), laid),
        headline=_headline(first, second, names),
        caption_parts=compose_caption(
            drawn,
            *_untold(names, panels),
            scale_of_both(first, second),
            *whys,
            *explain(panels),
            *captions_of_both(first, second, signs),
        ),
        description=f"{names[0]}. {first.description} {names[1]}. {second.description}",
    )


def on_one_scale(figures: Sequence[Figure]) -> tuple[Figure, ...]:
    """Give panels with the same index, kind and quantity the same range in all figures, so that they can be compared."""
    ranges: dict[tuple[int, object], tuple[float, float]] = {}
    for figure in figures:
        for index, panel in enumerate(figure.panels):
            if isinstance(panel, Ranged) and not _fits_any_range(panel):
                place, (low, high) = (index, measured_in(panel)), _range(panel)
                least, most = ranges.get(place, (low, high))
                ranges[place] = min(low, least), max(high, most)

    flows = [panel for figure in figures for panel in figure.panels if isinstance(panel, Flow)]

    def scaled(index: int, panel: Panel) -> Panel:
        if isinstance(panel, Flow):
            return panel.on_scale_of(flows)
        if not isinstance(panel, Ranged):
            return panel
        alike = {one for (_, measure), one in ranges.items() if measure == measured_in(panel)}
        if (index, measured_in(panel)) not in ranges and len(alike) != 1:
            return panel
        low, high = ranges.get((index, measured_in(panel))) or alike.pop()
        return replace(panel, high=high) if isinstance(panel, Links) else replace(panel, low=low, high=high)

    return tuple(
        replace(figure, panels=tuple(scaled(index, panel) for index, panel in enumerate(figure.panels)))
        for figure in figures
    )


def multiples(figures: Sequence[Figure], called: str, values: Sequence[str]) -> Figure:
    """Combine figures of one plot into small multiples on one scale, without panels that are equal in all of them.

    Each is titled by its value, the first with what is `called` so before it. If all panels are equal, they are shown once.
    The figures themselves are the frames of a film.
    """
    names = [f"{called} {values[0]}", *values[1:]]
    frames = [replace(one, value=f"{called} {value}") for one, value in zip(on_one_scale(figures), values, strict=True)]
    figures = [_without_companions(one) for one in frames]
    first = figures[0]
    alike = len({kinds_of(one.panels) for one in figures}) == 1
    same = {
        index
        for index, panel in enumerate(first.panels)
        if alike and all(equal(one.panels[index], panel) for one in figures)
    }
    each = len(first.panels) - len(same)
    panels = [] if each else list(first.panels)
    for name, figure in zip(names, figures, strict=True):
        own = [panel for index, panel in enumerate(figure.panels) if index not in same]
        panels += [replace(panel, title=name if len(own) == 1 else f"{name} · {panel.title}") for panel in own]
    return replace(
        first,
        panels=tuple(panels),
        across=each if each > 1 else None,
        headline=(),
        value="",
        frames=tuple(frames),
        caption_parts=compose_caption(
            ("one colour scale" if any(isinstance(panel, Heatmap) for panel in panels) else "one scale")
            if each
            else f"the same for all {len(figures)}",
            *explain(panels),
            *(part for part in unexplained(first.caption_parts) if all(part in one.caption_parts for one in figures)),
        ),
        description=" ".join(f"{name}. {one.description}" for name, one in zip(names, figures, strict=True)),
    )


def _without_companions(figure: Figure) -> Figure:
    """Return the figure without its tables and slopes, unless it has nothing else: many would take too much space."""
    drawn = tuple(panel for panel in figure.panels if not isinstance(panel, Table | Slopes))
    return replace(figure, panels=drawn or figure.panels)


def headline_of_sides(first: tuple[Run, ...], second: tuple[Run, ...], signs: Names) -> tuple[Run, ...]:
    """Return both headlines, each after its figure's name; only one if they are equal."""
    if first == second:
        return first
    told = [(Run(f"{sign}: "), *headline) for sign, headline in zip(signs, (first, second), strict=True) if headline]
    return tuple(chain.from_iterable((Run(" "), *runs) if at else runs for at, runs in enumerate(told)))


def sides_apart(figure: Figure) -> list[Figure]:
    """A figure of two flows, with a sentence for each, as one figure a side; any other figure as it is."""
    starts = [f"{panel.title.partition(':')[0]}: " for panel in figure.panels if isinstance(panel, Flow)]
    found = [at for at, run in enumerate(figure.headline) if run.text in starts]
    if not len(starts) == len(found) == len(figure.panels) == 2:
        return [figure]
    first, second = figure.headline[: found[1] - 1], figure.headline[found[1] :]
    names = figure.subject.split(", ")
    return [
        replace(
            figure,
            panels=(panel,),
            headline=told,
            subject=", ".join(name for name in names if not name.startswith(other)),
        )
        for panel, told, other in zip(figure.panels, (first, second), reversed(starts), strict=True)
    ]


def _headline(first: Figure, second: Figure, names: Names) -> tuple[Run, ...]:
    signs = signs_of(names)
    if first.headline == second.headline or not (first.headline and second.headline):
        return headline_of_sides(first.headline, second.headline, signs)
    short = _numbers_of_second(first.headline, second.headline, names)
    if short is None:
        short = _clauses_of_second(first.headline, second.headline, names)
    return (Run(f"{signs[0]}: "), *first.headline, Run(f" {signs[1]}: "), *short)


def _numbers_of_second(first: Sequence[Run], second: Sequence[Run], names: Names) -> Sequence[Run] | None:
    """The numbers of a sentence, “1.56 and 0.49.”, that says the same as the first but for these; None for another sentence."""

    def without(runs: Sequence[Run], name: str) -> list[tuple[str, str]]:
        return [(run.kind, run.text * (run.kind != "number")) for run in _unnamed(runs, name)]

    numbers = [run for run in second if run.kind == "number"]
    if not any(letter.isdigit() for run in numbers for letter in run.text) or without(first, names[0]) != without(
        second, names[1]
    ):
        return None
    between = [", "] * (len(numbers) - 2) + [" and "] * (len(numbers) > 1) + ["."]
    return [part for run, after in zip(numbers, between, strict=True) for part in (run, Run(after))]


def _clauses_of_second(first: Sequence[Run], second: Sequence[Run], names: Names) -> list[Run]:
    """A sentence from the first clause on that isn't the first sentence's: “with RoPE 1.84.” after “…; with ALiBi 0.24.”"""
    signs = ([(sign, run.kind) for run in _unnamed(runs, name) for sign in run.text]
             for runs, name in zip((first, second), names, strict=True))  # fmt: skip
    alike = "".join(one for (one, _), _ in takewhile(lambda pair: pair[0] == pair[1], zip(*signs, strict=False)))
    said = _CLAUSES.match(alike)
    left, told = said.end() if said else 0, list[Run]()
    for run in _unnamed(second, names[1]):
        told += [replace(run, text=run.text[left:])] if left < len(run.text) else []
        left = max(0, left - len(run.text))
    return [replace(run, text=run.text.replace(_NAME, names[1].partition(": ")[2])) for run in told]


def _unnamed(runs: Sequence[Run], name: str) -> list[Run]:
    """A sentence with a mark in place of the encoding's name."""
    called = name.partition(": ")[2]
    return [
        replace(run, text=run.text.replace(called, _NAME)) if called and run.kind == "plain" else run for run in runs
    ]


def captions_of_both(first: Figure, second: Figure, signs: Names) -> tuple[CaptionPart, ...]:
    """Return the caption parts that both figures share, and the toy model's, once; then the parts of only one side."""
    sides = [order_parts(unexplained(one.caption_parts)) for one in (first, second)]
    once = [part for part in chain(*sides) if part.kind == "seeded" or all(part in side for side in sides)]
    own = (", ".join(part.text for part in side if part not in once) for side in sides)
    return compose_caption(*once, *(f"{sign}: {words}" for sign, words in zip(signs, own, strict=True) if words))


def _has_broad(panel: Panel) -> bool:
    return isinstance(panel, Lines) and any(series.before for series in panel.series)


def _untold(names: Names, panels: tuple[Panel, ...]) -> Names | tuple[()]:
    """Return the names, or () if every name is already a panel's title or a curve's label, or says no more than its sign."""
    if names == signs_of(names):
        return ()
    told = [panel.title for panel in panels]
    told += [one.label for panel in panels if isinstance(panel, Lines | Bars) for one in panel.series]
    return () if all(name in told for name in names) else names


def scale_of_both(first: Figure, second: Figure) -> str:
    """Return “one scale” if all panels with the same index are measured alike, since `on_one_scale` gave them one range."""
    panels = zip(first.panels, second.panels, strict=False)
    ranged = [(one, other) for one, other in panels if isinstance(one, Ranged) and isinstance(other, Ranged)]
    return "one scale" if ranged and all(measured_in(one) == measured_in(other) for one, other in ranged) else ""


def _range(panel: Ranged) -> tuple[float, float]:
    return (0.0, panel.high) if isinstance(panel, Links) else (panel.low, panel.high)


def _fits_any_range(panel: Ranged) -> bool:
    """Return True for a diverging map of zeros, and for links of nothing but rounding errors: they fit any range."""
    if isinstance(panel, Links):
        return bool(panel.values.max() <= _ROUNDING * panel.high)
    return isinstance(panel, Heatmap) and panel.scale == "diverging" and not panel.values.any()


def _across(figures: tuple[Figure, Figure], laid: Sequence[Laid]) -> int | None:
    """Return the number of panels per row; None for as many as fit.

    That is one figure's for links, one for dials, flows and lanes, two for curves, and for more than three other panels those of
    the longest pair: three maps, or two without a difference.
    """
    panels = tuple(chain.from_iterable(one.panels for one in laid))
    drawn = [panel for panel in panels if not isinstance(panel, Table)]
    if any(isinstance(panel, Lines) and panel.shares_x for panel in panels):
        return 1
    if any(isinstance(panel, Links) for panel in panels):
        return max(len(figure.panels) for figure in figures)
    if drawn and all(isinstance(panel, Dials | Flow) for panel in drawn):
        return 1
    if len(drawn) > 1 and all(isinstance(panel, Lines) for panel in drawn):
        return _CURVES_ACROSS
    return max(len(one.panels) for one in laid) if len(drawn) > 3 else None


def explain(panels: Sequence[Panel]) -> tuple[CaptionPart, ...]:
    """Explain the bars at names of equal rows and columns, and the two colours of a map of differences, where there are any."""
    maps = [panel for panel in panels if isinstance(panel, Heatmap)]
    marks = "names with a bar are equal here" if any(panel.equal for panel in maps) else ""
    ends = (f"in {one.title}, teal: {one.ends[1]}, rust: {one.ends[0]}" for one in maps if one.ends)
    return compose_caption(CaptionPart(marks, "marks"), CaptionPart(next(ends, ""), "colours"))


def unexplained(parts: Sequence[CaptionPart]) -> tuple[CaptionPart, ...]:
    """Return the parts without those that explain marks and colours, for a figure of other panels."""
    return tuple(part for part in parts if part.kind not in ("marks", "colours"))
