"""Figures of one plot beside each other: A and B, Before and Now, or one for each value of what is swept.

`panel_pairs` combines the panels of two figures, `compared_headline` their headlines.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from posenc_gui.figure.caption_parts import CaptionPart, compose_caption, order_parts
from posenc_gui.figure.compared_headline import headline_of_sides, headline_over_time
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panel_pairs import Laid, Names, Ranged, difference_title, equal, lay_out, measured_in, signs_of
from posenc_gui.figure.panels import Bars, Dials, Flow, Heatmap, Lines, Links, Panel, Slopes, Table
from posenc_gui.foundation.wording import join_words

CHANGED = "what has changed"  # the title of a map of changes
_CURVES_ACROSS = 2  # panels of curves side by side
_ROUNDING = 1e-5  # of a range


@dataclass(frozen=True)
class _Arranged:
    """What of a `Figure` is arranged, and what its caption says first."""

    panels: tuple[Panel, ...]
    across: int | None = None
    bands: Names = ()
    said: tuple[str, ...] = ()


def compare(figures: Sequence[Figure], names: Names, *, called: str = "", over_time: bool = False) -> Figure:
    """Combine figures of one plot into one figure, on one scale and with panels that are equal in all of them only once.

    names: one for each figure; its short form is the text before its colon: "A: base 10,000".
    Two figures stand side by side, with their difference where that has a meaning. More are small multiples, and the frames of
    a film; `called` is what their names are values of.
    over_time: the second figure is what has become of the first. Several maps, dials, Flow, and tables of their own stand in two
    bands, without slopes. The second stands alone if it shows all of the first, or if either has nothing to show.
    """
    first, second, *others = scaled = on_one_scale(figures)
    if others:
        frames = tuple(replace(one, value=f"{called} {name}") for one, name in zip(scaled, names, strict=True))
        names = (f"{called} {names[0]}", *names[1:])
        base = replace(first, headline=(), value="", frames=frames)
        return _of_all(base, scaled, names, _in_rows([*map(_without_companions, scaled)], names))
    if over_time:
        if first.is_note or second.is_note or _shows_all(second, first):
            return figures[1]
        base = replace(second, headline=headline_over_time(first.headline, second.headline, names))
        return _of_all(base, scaled, names, _over_time(first, second, names))
    if first.is_note and equal(first.panels, second.panels):
        return first
    base = replace(first, headline=headline_of_sides(first.headline, second.headline, names))
    return _of_all(base, scaled, names, _in_pairs(first, second, names))


def on_one_scale(figures: Sequence[Figure]) -> tuple[Figure, ...]:
    """Give panels with the same index, kind and quantity the same range in all figures, so that they can be compared."""
    ranges: dict[tuple[int, object], tuple[float, float]] = {}
    for figure in figures:
        for index, panel in enumerate(figure.panels):
            if isinstance(panel, Ranged) and not _fits_any_range(panel):
                place = index, measured_in(panel)
                least, most = ranges.get(place, (panel.low, panel.high))
                ranges[place] = min(panel.low, least), max(panel.high, most)

    flows = [panel for figure in figures for panel in figure.panels if isinstance(panel, Flow)]

    def scaled(index: int, panel: Panel) -> Panel:
        if isinstance(panel, Flow):
            return panel.on_scale_of(flows)
        if not isinstance(panel, Ranged):
            return panel
        own = ranges.get((index, measured_in(panel)))
        alike = {one for (_, measure), one in ranges.items() if measure == measured_in(panel)}
        if not own and len(alike) != 1:
            return panel
        low, high = own or alike.pop()
        return replace(panel, high=high) if isinstance(panel, Links) else replace(panel, low=low, high=high)

    return tuple(
        replace(figure, panels=tuple(scaled(index, panel) for index, panel in enumerate(figure.panels)))
        for figure in figures
    )


def explain(panels: Sequence[Panel]) -> tuple[CaptionPart, ...]:
    """Explain the bars at names of equal rows and columns, and the two colours of a map of differences, where there are any."""
    maps = [panel for panel in panels if isinstance(panel, Heatmap)]
    marks = "names with a bar are equal here" if any(panel.equal for panel in maps) else ""
    ends = (f"in {one.title}, teal: {one.ends[1]}, rust: {one.ends[0]}" for one in maps if one.ends)
    return compose_caption(CaptionPart(marks, "marks"), CaptionPart(next(ends, ""), "colours"))


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


def fits_in_bands(figure: Figure) -> bool:
    """True if a figure's bands can stand below each other: not tables, not Flow, whose columns need all the height, and not maps
    of other sizes, whose cells would differ."""
    if any(isinstance(panel, Table | Flow) for panel in figure.panels):
        return False
    shapes = [panel.values.shape if isinstance(panel, Heatmap) else None for panel in figure.panels]
    across = figure.across or len(shapes)
    return all(shapes[at] == shapes[at % across] for at in range(len(shapes)))


def band_of(figure: Figure, band: int) -> Figure:
    """Return one band of a figure, with the titles that it shares with the other."""
    across = figure.across or len(figure.panels)
    row = figure.panels[band * across : (band + 1) * across]
    titled = (replace(one, title=one.title or above.title) for above, one in zip(figure.panels, row, strict=False))
    return replace(figure, panels=tuple(titled), bands=(figure.bands[band],))


def changes_alone(figure: Figure) -> Figure:
    """Return a figure's bands with nothing but what has changed in each; the same figure if it has no maps of that."""
    across = figure.across or len(figure.panels)
    if not figure.bands or figure.panels[across - 1].title != CHANGED:
        return figure
    return replace(figure, panels=figure.panels[across - 1 :: across], across=1)


def _of_all(figure: Figure, figures: Sequence[Figure], names: Names, arranged: _Arranged) -> Figure:
    """Return one of the figures with the panels and the words of all."""
    described = _whose([one.description for one in figures], names)
    settings = " · ".join(
        f"{whose}: {one}" for one, whose in _whose([one.settings for one in figures], signs_of(names))
    )
    return replace(
        figure,
        panels=arranged.panels,
        across=arranged.across,
        bands=arranged.bands,
        caption_parts=compose_caption(*arranged.said, *explain(arranged.panels), *_captions(figures, names)),
        description=" ".join(f"{whose}. {one}" for one, whose in described),
        subject=figure.subject if len({one.subject for one in figures}) == 1 else "",
        settings=settings if len({one.settings for one in figures}) > 1 else figure.settings,
    )


def _whose(texts: Sequence[str], names: Names) -> Iterator[tuple[str, str]]:
    """Yield each text once, with the names of the figures that it is of."""
    for text in dict.fromkeys(filter(None, texts)):
        yield text, join_words([name for name, one in zip(names, texts, strict=True) if one == text])


def _captions(figures: Sequence[Figure], names: Names) -> tuple[CaptionPart, ...]:
    """Return the caption parts that all figures share, and the toy model's, once; of two, then the parts of only one."""
    sides = [
        order_parts(part for part in one.caption_parts if part.kind not in ("marks", "colours")) for one in figures
    ]
    once = [part for part in chain(*sides) if part.kind == "seeded" or all(part in side for side in sides)]
    own = (", ".join(part.text for part in side if part not in once) for side in sides)
    told = (f"{sign}: {words}" for sign, words in zip(signs_of(names), own, strict=True) if words and len(names) == 2)
    return compose_caption(*once, *told)


def _scale(figures: Sequence[Figure]) -> str:
    """Say that all panels with the same index have one scale, which `on_one_scale` gave them if they are measured alike."""
    places = zip(*(figure.panels for figure in figures), strict=False)
    scaled = ([panel for panel in place if isinstance(panel, Ranged | Flow)] for place in places)
    compared = [place for place in scaled if len(place) > 1]
    if not compared or any(len({*map(measured_in, place)}) > 1 for place in compared):
        return ""
    return "one colour scale" if len(figures) > 2 and isinstance(compared[0][0], Heatmap) else "one scale"


def _in_rows(figures: Sequence[Figure], names: Names) -> _Arranged:
    """Give each figure a row, titled by its name, without what is equal in all; if everything is, it is shown once."""
    rows = [one.panels for one in figures]
    alike = len({tuple(map(type, row)) for row in rows}) == 1
    same = [alike and all(equal(row[at], panel) for row in rows) for at, panel in enumerate(rows[0])]
    each = same.count(False)
    if not each:
        return _Arranged(rows[0], said=(f"the same for all {len(rows)}",))
    panels = list[Panel]()
    for name, row in zip(names, rows, strict=True):
        own = [panel for at, panel in enumerate(row) if not (alike and same[at])]
        panels += [replace(panel, title=name if len(own) == 1 else f"{name} · {panel.title}") for panel in own]
    return _Arranged(tuple(panels), each if each > 1 else None, said=(_scale(figures),))


def _without_companions(figure: Figure) -> Figure:
    """Return the figure without its tables and slopes, unless it has nothing else: many would take too much space."""
    drawn = tuple(panel for panel in figure.panels if not isinstance(panel, Table | Slopes))
    return replace(figure, panels=drawn or figure.panels)


def _in_pairs(first: Figure, second: Figure, names: Names) -> _Arranged:
    signs = signs_of(names)
    if equal(first.panels, second.panels):
        return _Arranged(first.panels, first.across, said=(f"the same for {join_words(signs)}",))
    laid = lay_out(first.panels, second.panels, names)
    panels = tuple(chain.from_iterable(one.panels for one in laid))
    broad = any(map(_has_broad, panels)) and not any(map(_has_broad, (*first.panels, *second.panels)))
    drawn = f"{signs[0]} broad, {signs[1]} fine" if broad else ""
    said = drawn, *_untold(names, panels), _scale((first, second)), *(one.why for one in laid)
    return _Arranged(panels, _across((first, second), laid), said=said)


def _has_broad(panel: Panel) -> bool:
    return isinstance(panel, Lines) and any(series.before for series in panel.series)


def _untold(names: Names, panels: tuple[Panel, ...]) -> Names:
    """Return the names, or () if every name is already a panel's title or a curve's label, or says no more than its sign."""
    told = {panel.title for panel in panels}
    told |= {one.label for panel in panels if isinstance(panel, Lines | Bars) for one in panel.series}
    return () if names == signs_of(names) or told.issuperset(names) else names


def _across(figures: Sequence[Figure], laid: Sequence[Laid]) -> int | None:
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


def _over_time(before: Figure, now: Figure, names: Names) -> _Arranged:
    if equal(before.panels, now.panels, but="focus"):
        return replace(_in_pairs(before, now, names), panels=now.panels, across=now.across)
    if not _have_bands(before, now):
        found = _in_pairs(before, now, names)
        return replace(found, panels=_with_changes_named(found.panels, names))
    old, new = (tuple(one for one in figure.panels if not isinstance(one, Slopes)) for figure in (before, now))
    apart = [at for at, pair in enumerate(zip(old, new, strict=True)) if not equal(*pair)]
    if len(apart) == 1 and len(new) > 1:
        (at,) = apart
        titles = (
            name if ":" in name else f"{name}: {row[at].title}" for name, row in zip(names, (old, new), strict=True)
        )
        (pair,) = lay_out(old[at : at + 1], new[at : at + 1], tuple(titles))
        panels = (*new[:at], *new[at + 1 :], *_with_changes_named(pair.panels, names))
        return _Arranged(panels, len(panels), said=(_scale((before, now)), pair.why))
    return _in_bands(old, new, names, _scale((before, now)))


def _in_bands(old: tuple[Panel, ...], new: tuple[Panel, ...], names: Names, scale: str) -> _Arranged:
    """Place the new panels below the old ones: columns are titled in the first band, a changed panel in its band's name.

    Tables have no band's head, so they keep their titles.
    """
    panels, heads = (*old, *new), ["" for _ in old] + [one.title for one in old]
    if len(new) == 1 and old[0].title != new[0].title:
        heads = [f"{sign}: {one.title}" for sign, one in zip(signs_of(names), panels, strict=True)]
        names, panels = tuple(heads), tuple(replace(one, title=head) for one, head in zip(panels, heads, strict=True))
    titled = (
        replace(one, title="") if one.title == head and not isinstance(one, Table) else one
        for one, head in zip(panels, heads, strict=True)
    )
    return _Arranged(tuple(titled), len(new), names, (scale,))


def _have_bands(before: Figure, now: Figure) -> bool:
    kinds, others = ([*map(type, figure.panels)] for figure in (before, now))
    if kinds != others or (len(kinds) > 1 and (before.across or now.across)):
        return False
    tabulated = Table in kinds and all(map(_is_crowded_with_another, before.panels))
    return kinds.count(Heatmap) > 1 or Dials in kinds or Flow in kinds or tabulated


def _is_crowded_with_another(panel: Panel) -> bool:
    """True if a panel can't share its place with another of its kind: columns, and groups of several bars, would double."""
    return isinstance(panel, Table) or (isinstance(panel, Bars) and len(panel.series) > 1)


def _with_changes_named(panels: Sequence[Panel], names: Names) -> tuple[Panel, ...]:
    """Return the panels with maps of differences called what has changed."""
    apart = difference_title(names)
    return tuple(
        replace(panel, title=panel.title.replace(apart, CHANGED))
        if isinstance(panel, Heatmap) and panel.difference
        else panel
        for panel in panels
    )


def _shows_all(now: Figure, before: Figure) -> bool:
    """True if the current figure has more panels or groups of bars, among them all of the earlier one."""
    new, old = map(_parts, (now, before))
    return len(new) > len(old) and all(any(equal(part, one) for part in new) for one in old)


def _parts(figure: Figure) -> list[object]:
    """The panels without tables, of bars each series with the names of its categories."""
    drawn = [panel for panel in figure.panels if not isinstance(panel, Table)]
    bars = [(panel.categories.labels, one) for panel in drawn if isinstance(panel, Bars) for one in panel.series]
    return [*bars, *(panel for panel in drawn if not isinstance(panel, Bars))]


def _fits_any_range(panel: Ranged) -> bool:
    """Return True for a diverging map of zeros, and for links of nothing but rounding errors: they fit any range."""
    if isinstance(panel, Links):
        return bool(panel.values.max() <= _ROUNDING * panel.high)
    return isinstance(panel, Heatmap) and panel.scale == "diverging" and not panel.values.any()
