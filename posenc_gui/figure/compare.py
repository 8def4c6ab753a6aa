"""Figures of one plot beside each other: A and B, Before and Now, or one for each value of what is swept.

`panel_pairs` combines the panels of two figures, `compared_headline` their headlines.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain

from posenc_gui.figure.caption_parts import CaptionPart, compose_caption, order_parts
from posenc_gui.figure.compared_headline import headline_of_multiples, headline_of_sides, headline_over_time
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panel_pairs import Laid, Names, difference_title, equal, lay_out, measured_in, signs_of
from posenc_gui.figure.panels import Bars, Clocks, Flow, Hands, Heatmap, Lines, Links, Panel, Ranged, Slopes, Table
from posenc_gui.foundation.wording import join_words

CHANGED = "what has changed"  # the title of a map of changes
_CURVES_ACROSS = 2  # panels of curves side by side
_ROUNDING = 1e-5  # of a range
_PEAK = 0.125  # of what figures between two others are wider: how much wider still a peak between them may be


def compare(
    figures: Sequence[Figure], names: Names, *, called: str = "", over_time: bool = False, several: bool = False
) -> Figure:
    """Combine figures of one plot into one figure, on one scale and with panels that are equal in all of them only once.

    names: one for each figure; its short form is the text before its colon: "A: base 10,000".
    Two figures stand side by side, with their difference where that has a meaning. More, or those of `several`, are small
    multiples, and the frames of a film; `called` is what their names are values of, if they are.
    over_time: the second figure is what has become of the first. Several maps, clocks, hands, Flow, and tables of their own stand
    in two bands, without slopes. The second stands alone if it shows all of the first, or if either has nothing to show.
    """
    first, second, *others = scaled = on_one_scale(figures)
    if others or several:
        frames = tuple(replace(one, value=f"{called} {name}".strip()) for one, name in zip(scaled, names, strict=True))
        headline = headline_of_multiples(figures, names, called)
        names = (f"{called} {names[0]}".strip(), *names[1:])
        whole = replace(first, headline=headline, value="", frames=frames)
        return replace(_of_all(whole, scaled, names, _in_rows(scaled, names)), subject=_shared_subject(figures))
    if over_time:
        if first.is_note or second.is_note or _shows_all(second, first):
            return figures[1]
        headline = headline_over_time(first.headline, second.headline, names)
        return _of_all(replace(second, headline=headline), scaled, names, _over_time(first, second, names))
    if first.is_note and equal(first.panels, second.panels):
        return first
    headline = headline_of_sides(first.headline, second.headline, names)
    return _of_all(replace(first, headline=headline), scaled, names, _in_pairs(first, second, names))


def on_one_scale(figures: Sequence[Figure]) -> tuple[Figure, ...]:
    """Give panels with the same index, kind and quantity the same range in all figures, so that they can be compared."""
    ranges: dict[tuple[int, object], tuple[float, float]] = {}
    for figure in figures:
        for index, panel in enumerate(figure.panels):
            if isinstance(panel, Ranged) and not _fits_any_range(panel):
                place = index, measured_in(panel)
                least, most = ranges.get(place, (panel.low, panel.high))
                ranges[place] = min(panel.low, least), max(panel.high, most)

    whole = [panel for figure in figures for panel in figure.panels if isinstance(panel, Flow | Hands)]

    def scaled(index: int, panel: Panel) -> Panel:
        if isinstance(panel, Flow):
            return panel.on_scale_of([one for one in whole if isinstance(one, Flow)])
        if isinstance(panel, Hands):
            return panel.on_scale_of([one for one in whole if isinstance(one, Hands)])
        if not isinstance(panel, Ranged):
            return panel
        own = ranges.get((index, measured_in(panel)))
        alike = {one for (_, measure), one in ranges.items() if measure == measured_in(panel)}
        if not own and len(alike) != 1:
            return panel
        low, high = own or alike.pop()
        return replace(panel, low=low, high=high)

    return tuple(
        replace(figure, panels=tuple(scaled(index, panel) for index, panel in enumerate(figure.panels)))
        for figure in figures
    )


def on_scale_of_way(figures: Sequence[Figure]) -> Figure:
    """Return the first of these figures on a scale that holds all of them, and those on the way from each to the next: where one
    between the ends is the widest, what lies between may be wider still."""
    (first, *_), (ends, *_) = on_one_scale(figures), on_one_scale((figures[0], figures[-1]))

    def with_peak(panel: Panel, at_ends: Panel) -> Panel:
        if not isinstance(panel, Ranged) or type(at_ends) is not type(panel):
            return panel
        low, high = _PEAK * (panel.low - at_ends.low), _PEAK * (panel.high - at_ends.high)
        return replace(panel, low=panel.low + low, high=panel.high + high) if low or high else panel

    return replace(first, panels=tuple(map(with_peak, first.panels, ends.panels)))


def with_panels_of(figure: Figure, other: Figure) -> Figure:
    """Return the figure with the very panels of another that are equal to its own in the same places; with all, if all are."""
    pairs = zip(figure.panels, other.panels, strict=False)
    same = [theirs if equal(own, theirs) else own for own, theirs in pairs]
    are_same = [one is theirs for one, theirs in zip(same, other.panels, strict=False)]
    if not any(are_same):
        return figure
    is_all = all(are_same) and len(figure.panels) == len(other.panels)
    return replace(figure, panels=other.panels if is_all else (*same, *figure.panels[len(same) :]))


def explain(panels: Sequence[Panel]) -> tuple[CaptionPart, ...]:
    """Explain the bars at names of equal rows and columns, and the two colours of a map of differences, where there are any."""
    maps = [panel for panel in panels if isinstance(panel, Heatmap)]
    marks = "names with a bar are equal here" if any(panel.equal for panel in maps) else ""
    ends = (f"in {one.title}, teal: {one.ends[1]}, rust: {one.ends[0]}" for one in maps if one.ends)
    return compose_caption(CaptionPart(marks, "marks"), CaptionPart(next(ends, ""), "colours"))


def sides_apart(figure: Figure) -> list[Figure]:
    """A figure of two flows, with a sentence for each, as one figure a side; any other figure as it is."""
    signs = signs_of(tuple(panel.title for panel in figure.panels if isinstance(panel, Flow)))
    starts = [at for at, run in enumerate(figure.headline) if run.text in [f"{sign}: " for sign in signs]]
    if not len(signs) == len(starts) == len(figure.panels) == 2:
        return [figure]
    told = figure.headline[: starts[1] - 1], figure.headline[starts[1] :]
    subjects = (
        ", ".join(name for name in figure.subject.split(", ") if not name.startswith(f"{other}: "))
        for other in reversed(signs)
    )
    return [
        replace(figure, panels=(panel,), headline=headline, subject=subject)
        for panel, headline, subject in zip(figure.panels, told, subjects, strict=True)
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


def _of_all(figure: Figure, figures: Sequence[Figure], names: Names, arranged: Figure) -> Figure:
    """Return one of the figures with the panels of `arranged` and the words of all."""
    described = _whose([one.description for one in figures], names)
    settings = [*_whose([one.settings for one in figures], signs_of(names))]
    said = *arranged.caption_parts, *explain(arranged.panels), *_captions(figures, names)
    return replace(
        figure,
        panels=arranged.panels,
        across=arranged.across,
        bands=arranged.bands,
        caption_parts=compose_caption(*said),
        description=" ".join(f"{whose}. {text}" for text, whose in described),
        subject=figure.subject if len({one.subject for one in figures}) == 1 else "",
        settings=" · ".join(f"{whose}: {text}" if len(settings) > 1 else text for text, whose in settings),
    )


def _shared_subject(figures: Sequence[Figure]) -> str:
    """“RoPE, scaling YaRN” of figures of “RoPE, base 100, scaling YaRN” and of other bases; empty of different encodings."""
    first, *others = (figure.subject.split(", ") for figure in figures)
    return ", ".join(part for part in first if all(part in other for other in others))


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


def _scale(figures: Sequence[Sequence[Panel]]) -> str:
    """Say that all panels with the same index have one scale, which `on_one_scale` gave them if they are measured alike."""
    scaled = (
        [panel for panel in place if isinstance(panel, Ranged | Flow | Hands)] for place in zip(*figures, strict=False)
    )
    compared = [place for place in scaled if len(place) > 1]
    if not compared or any(len({*map(measured_in, place)}) > 1 for place in compared):
        return ""
    return "one colour scale" if len(figures) > 2 and isinstance(compared[0][0], Heatmap) else "one scale"


def _in_rows(figures: Sequence[Figure], names: Names) -> Figure:
    """Give each figure a row, titled by its name, without what is equal in all; if everything is, it is shown once. Tables and
    slopes take too much space where there is anything else; notes, which fill no row of several panels, stand below."""
    drawn = (tuple(panel for panel in one.panels if not isinstance(panel, Table | Slopes)) for one in figures)
    rows = [some or one.panels for some, one in zip(drawn, figures, strict=True)]
    alike = len({tuple(map(type, row)) for row in rows}) == 1
    same = [alike and all(equal(row[at], panel) for row in rows) for at, panel in enumerate(rows[0])]
    each = max(map(len, rows)) - sum(same)
    if not each:
        return Figure(panels=rows[0], caption_parts=compose_caption(f"the same for all {len(rows)}"))
    panels = list[Panel]()
    named = [*zip(names, rows, figures, strict=True)]
    for name, row, _ in named if each == 1 else sorted(named, key=lambda one: one[2].is_note):
        own = [panel for at, panel in enumerate(row) if not (alike and same[at])]
        panels += [replace(panel, title=name if len(own) == 1 else f"{name} · {panel.title}") for panel in own]
    are_even = len({len(row) for _, row, one in named if not one.is_note}) == 1
    across = each if each > 1 and are_even else None
    return Figure(panels=tuple(panels), across=across, caption_parts=compose_caption(_scale(rows)))


def _in_pairs(first: Figure, second: Figure, names: Names) -> Figure:
    signs = signs_of(names)
    if equal(first.panels, second.panels, "remedy"):
        laid = lay_out(first.panels, second.panels, names)
        same = first.panels if first.is_note else tuple(chain.from_iterable(one.panels for one in laid))
        return replace(first, panels=same, caption_parts=compose_caption(f"the same for {join_words(signs)}"))
    laid = lay_out(first.panels, second.panels, names)
    panels = tuple(chain.from_iterable(one.panels for one in laid))
    broad = _has_broad(panels) and not _has_broad((*first.panels, *second.panels))
    drawn = f"{signs[0]} broad, {signs[1]} fine" if broad else ""
    said = drawn, *_untold(names, panels), _scale((first.panels, second.panels)), *(one.why for one in laid)
    return Figure(panels=panels, across=_across((first, second), laid), caption_parts=compose_caption(*said))


def _has_broad(panels: Sequence[Panel]) -> bool:
    return any(series.before for panel in panels if isinstance(panel, Lines) for series in panel.series)


def _untold(names: Names, panels: tuple[Panel, ...]) -> Names:
    """Return the names, or () if every name is already a panel's title or a curve's label, or says no more than its sign."""
    told = {panel.title for panel in panels}
    told |= {one.label for panel in panels if isinstance(panel, Lines | Bars) for one in panel.series}
    return () if names == signs_of(names) or told.issuperset(names) else names


def _across(figures: Sequence[Figure], laid: Sequence[Laid]) -> int | None:
    """Return the number of panels per row; None for as many as fit. That is one figure's for links, one for clocks, hands,
    flows and lanes, two for curves, and for more than three other panels those of the longest pair: three maps, or two
    without a difference."""
    drawn = [panel for one in laid for panel in one.panels if not isinstance(panel, Table)]
    kinds = {*map(type, drawn)}
    if Links in kinds:
        return max(len(figure.panels) for figure in figures)
    if (kinds and kinds <= {Clocks, Flow, Hands}) or any(
        isinstance(panel, Lines) and panel.shares_x for panel in drawn
    ):
        return 1
    if len(drawn) > 1 and kinds == {Lines}:
        return _CURVES_ACROSS
    return max(len(one.panels) for one in laid) if len(drawn) > 3 else None


def _over_time(before: Figure, now: Figure, names: Names) -> Figure:
    if equal(before.panels, now.panels, but="focus"):
        return replace(_in_pairs(before, now, names), panels=now.panels, across=now.across)
    found = (_in_bands if _have_bands(before, now) else _in_pairs)(before, now, names)
    apart = difference_title(names)
    panels = (
        replace(one, title=one.title.replace(apart, CHANGED)) if isinstance(one, Heatmap) and one.difference else one
        for one in found.panels
    )
    return replace(found, panels=tuple(panels))


def _have_bands(before: Figure, now: Figure) -> bool:
    kinds, others = ([*map(type, figure.panels)] for figure in (before, now))
    if kinds != others or (len(kinds) > 1 and (before.across or now.across)):
        return False
    # Columns, and groups of several bars, would double if they shared their place with others of their kind.
    crowded = (isinstance(one, Table) or (isinstance(one, Bars) and len(one.series) > 1) for one in before.panels)
    return kinds.count(Heatmap) > 1 or not {Clocks, Flow, Hands}.isdisjoint(kinds) or (Table in kinds and all(crowded))


def _in_bands(before: Figure, now: Figure, names: Names) -> Figure:
    """Place the present panels below the earlier ones, without slopes; if only one of several differs, all in one row.
    Columns are titled in the first band, a changed panel in its band's name; tables have no band's head, so they keep titles.
    In a row, panels that are equal in both stand first, before the pair that differs."""
    old, new = (tuple(one for one in figure.panels if not isinstance(one, Slopes)) for figure in (before, now))
    panels: tuple[Panel, ...] = (*old, *new)
    scale = _scale((old, new))
    at, *others = [at for at, pair in enumerate(zip(old, new, strict=True)) if not equal(*pair)] or [0]
    heads = [f"{sign}: {row[at].title}" for sign, row in zip(signs_of(names), (old, new), strict=True)]
    if len(new) > 1 and not others:
        titles = tuple(name if ":" in name else head for name, head in zip(names, heads, strict=True))
        (pair,) = lay_out(old[at : at + 1], new[at : at + 1], titles)
        panels = (*new[:at], *new[at + 1 :], *pair.panels)
        return Figure(panels=panels, across=len(panels), caption_parts=compose_caption(scale, pair.why))
    if len(new) == 1 and old[0].title != new[0].title:
        names, panels = tuple(heads), tuple(replace(one, title=head) for one, head in zip(panels, heads, strict=True))
    else:
        heads = ["" for _ in old] + [one.title for one in old]
    titled = (
        replace(one, title="") if one.title == head and not isinstance(one, Table) else one
        for one, head in zip(panels, heads, strict=True)
    )
    return Figure(panels=tuple(titled), across=len(new), bands=names, caption_parts=compose_caption(scale))


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
