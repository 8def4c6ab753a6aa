"""Before and Now: an earlier figure and the current one of the same plot, combined into one.

Where both have several maps, dials, Flow, or tables of their own, they are two bands of equal panels, Before above Now. A single
map stands in one row with what has changed; curves and bars share panels, as in a comparison of two encodings.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from posenc_gui.figure.caption_parts import compose_caption
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panel_pairs import Names, difference_title, equal, kinds_of, lay_out, signs_of
from posenc_gui.figure.panels import Bars, Dials, Flow, Heatmap, Lines, Panel, Slopes, Table
from posenc_gui.figure.runs import Run, quote_runs
from posenc_gui.figure.side_by_side import (
    beside,
    captions_of_both,
    explain,
    headline_of_sides,
    on_one_scale,
    scale_of_both,
)

CHANGED = "what has changed"  # the title of a map of changes
_NUMBER = re.compile(r"([−-]?\d[\d.,]*?%?)([.,;:)]*)")  # and the punctuation after it
_TO = ("to", "and")  # between two numbers that change, an arrow each would be misread


def before_and_now(first: Figure, second: Figure, names: Names = ("Before", "Now")) -> Figure:
    """Combine an earlier figure and the current one into one figure on one scale, labelled with these names.

    If the current one shows all of the earlier one, as attention does after “no encoding”, it stands alone. Slopes are left
    out, since maps need their space. Where either has nothing to show, the current one stands alone, too.
    """
    if first.is_note or second.is_note:
        return second
    before, now = on_one_scale((first, second))
    if _shows_all(now, before):
        return second
    if not _have_bands(before, now):
        both = beside(first, second, names)
        panels = second.panels if _look_alike(before, now) else _with_changes_named(both.panels, names)
        return _worded(
            replace(second, panels=panels, across=both.across, caption_parts=both.caption_parts), first, names
        )
    old, new = ([one for one in figure.panels if not isinstance(one, Slopes)] for figure in (before, now))
    apart = [at for at, pair in enumerate(zip(old, new, strict=True)) if not equal(*pair)]
    if len(apart) == 1 and len(new) > 1:
        panels = _in_one_row(old, new, apart[0], names)
        return _of_both(first, second, names, panels, across=len(panels))
    bands, panels = _banded(old, new, names)
    return replace(_of_both(first, second, names, panels, across=len(new)), bands=bands)


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


def _have_bands(before: Figure, now: Figure) -> bool:
    kinds = kinds_of(before.panels)
    arranged = len(kinds) > 1 and (before.across or now.across)
    if kinds != kinds_of(now.panels) or arranged or _look_alike(before, now):
        return False
    tabulated = Table in kinds and all(map(_is_crowded_with_another, before.panels))
    return kinds.count(Heatmap) > 1 or Dials in kinds or Flow in kinds or tabulated


def _look_alike(before: Figure, now: Figure) -> bool:
    """True if figures differ in nothing but the rows that they highlight."""
    return equal(*(tuple(map(_without_focus, figure.panels)) for figure in (before, now)))


def _without_focus(panel: Panel) -> Panel:
    match panel:
        case Table():
            return replace(panel, focus=None)
        case Heatmap():
            rows, columns = (replace(axis, focus=None) for axis in (panel.rows, panel.columns))
            return replace(panel, rows=rows, columns=columns)
        case Bars():
            return replace(panel, categories=replace(panel.categories, focus=None))
    return panel


def _is_crowded_with_another(panel: Panel) -> bool:
    """True if a panel can't share its place with another of its kind: columns, and groups of several bars, would double."""
    return isinstance(panel, Table) or (isinstance(panel, Bars) and len(panel.series) > 1)


def _in_one_row(old: Sequence[Panel], new: Sequence[Panel], at: int, names: Names) -> tuple[Panel, ...]:
    """Return the panels that are equal in both figures, then the only pair that isn't and what has changed in it."""
    titles = [
        name if ":" in name else f"{name}: {panel.title}" for name, panel in zip(names, (old[at], new[at]), strict=True)
    ]
    (pair,) = lay_out((old[at],), (new[at],), (titles[0], titles[1]))
    alike = (panel for index, panel in enumerate(new) if index != at)
    return (*alike, *_with_changes_named(pair.panels, names))


def _banded(old: Sequence[Panel], new: Sequence[Panel], names: Names) -> tuple[Names, tuple[Panel, ...]]:
    """Return the bands' names and panels: columns are titled in the first band, a changed panel in its band's name."""
    if len(new) > 1 or old[0].title == new[0].title:
        return names, (*old, *map(_titled_once, old, new))
    before, now = (f"{sign}: {panel.title}" for sign, panel in zip(signs_of(names), (old[0], new[0]), strict=True))
    return (before, now), (_called(old[0], before), _called(new[0], now))


def _called(panel: Panel, band: str) -> Panel:
    """Return the only panel of a band, which is named at the band's head; a table has none."""
    return replace(panel, title=band if isinstance(panel, Table) else "")


def _titled_once(above: Panel, panel: Panel) -> Panel:
    """Return a panel without the title that stands above it already; a table has no band's head."""
    return replace(panel, title="") if panel.title == above.title and not isinstance(panel, Table) else panel


def _with_changes_named(panels: Sequence[Panel], names: Names) -> tuple[Panel, ...]:
    """Return the panels with maps of differences called what has changed."""
    maps = [panel for panel in panels if isinstance(panel, Heatmap) and panel.difference]
    called = {
        panel: CHANGED if len(maps) == 1 else panel.title.replace(difference_title(names), CHANGED) for panel in maps
    }
    return tuple(replace(panel, title=called[panel]) if panel in called else panel for panel in panels)


def _of_both(first: Figure, second: Figure, names: Names, panels: tuple[Panel, ...], across: int) -> Figure:
    """Return these panels as a figure with the words of both."""
    captions = compose_caption(
        scale_of_both(first, second), *explain(panels), *captions_of_both(first, second, signs_of(names))
    )
    return _worded(replace(second, panels=panels, across=across, caption_parts=captions), first, names)


def _worded(both: Figure, first: Figure, names: Names) -> Figure:
    """Return a figure of both, which has the current one's words and session, with those of the earlier one too."""
    return replace(
        both,
        headline=headline_of_both(first.headline, both.headline, signs_of(names)),
        description=f"{names[0]}. {first.description} {names[1]}. {both.description}",
        subject=both.subject if first.subject == both.subject else "",
        settings=both.settings if first.settings == both.settings else _apart(names, first.settings, both.settings),
    )


def _apart(names: Names, first: str, second: str) -> str:
    return " · ".join(f"{sign}: {words}" for sign, words in zip(signs_of(names), (first, second), strict=True))


def _shows_all(now: Figure, before: Figure) -> bool:
    """True if the current figure has more panels or curves, among them all of the earlier one."""
    old, new = ([one for one in figure.panels if not isinstance(one, Table)] for figure in (before, now))
    more = _n_parts(new) > _n_parts(old)
    return more and all(any(_shows(panel, one) for panel in new) for one in old)


def _n_parts(panels: Sequence[Panel]) -> int:
    return sum(len(one.series) if isinstance(one, Lines | Bars) else 1 for one in panels)


def _shows(panel: Panel, old: Panel) -> bool:
    if not (isinstance(panel, Bars) and isinstance(old, Bars)):
        return equal(panel, old)
    same = panel.categories.labels == old.categories.labels
    return same and all(any(equal(bars, one) for bars in panel.series) for one in old.series)


def headline_of_both(first: Sequence[Run], second: Sequence[Run], signs: Names) -> tuple[Run, ...]:
    """Say what was before and what is now, in one sentence where that is possible.

    “Moved by 100 positions: with RoPE no score changes, with Sinusoidal all 36 …” has one topic; “2 → 4 of 8 pairs …” differs
    in nothing but numbers. If the current headline begins with the earlier one, it says both already.
    """
    told, now = tuple(first), tuple(second)
    if not told or not now or quote_runs(now).startswith(quote_runs(told).removesuffix(".")):
        return now
    topic, colon, rest = now[0].text.partition(": ")
    if colon and topic == told[0].text.partition(": ")[0]:
        ended = (*told[:-1], replace(told[-1], text=told[-1].text.removesuffix(".")))
        return (*ended, replace(now[0], text=f", {rest}"), *now[1:])
    return _with_arrows(told, now, signs) or headline_of_sides(told, _without_clause_of(told, now), signs)


def _without_clause_of(first: tuple[Run, ...], second: tuple[Run, ...]) -> tuple[Run, ...]:
    """Return the second headline without the clauses with which both begin, as “Without an encoding, ”."""
    *clauses, last = second[0].text.split(", ")
    known = first[0].text.split(", ")[:-1]
    same = sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], zip(clauses, known, strict=False)))
    if not same:
        return second
    rest = ", ".join([*clauses, last][same:])
    return (replace(second[0], text=rest[:1].upper() + rest[1:]), *second[1:])


def _with_arrows(first: Sequence[Run], second: Sequence[Run], signs: Names) -> tuple[Run, ...]:
    """Write both values of every number that differs; empty if anything else does."""
    words, others = list(_words(first)), list(_words(second))
    if len(words) != len(others):
        return ()
    merged = [_merged(one, other) for one, other in zip(words, others, strict=True)]
    found = [one for one in merged if one is not None]
    changes = [one != other for one, other in zip(words, others, strict=True)]
    joined = any(
        before and after and between.text.strip() in _TO
        for before, between, after in zip(changes, words[2:], changes[4:], strict=False)
    )
    if len(found) < len(merged) or joined:
        return ()
    begun = Run(f"{signs[0]} → {signs[1].lower()}: ")
    return tuple(
        Run("".join(word.text for word in same), kind)
        for kind, same in itertools.groupby((begun, *found), key=lambda run: run.kind)
    )


def _merged(one: Run, other: Run) -> Run | None:
    """Return a word as it is in both, or both numbers; None if words differ."""
    if one == other:
        return one
    numbers = [_NUMBER.fullmatch(run.text) for run in (one, other)]
    if numbers[0] is None or numbers[1] is None or (one.kind, numbers[0][2]) != (other.kind, numbers[1][2]):
        return None
    return Run(f"{numbers[0][1]} → {numbers[1][1]}{numbers[0][2]}", one.kind)


def _words(runs: Sequence[Run]) -> Iterator[Run]:
    """Yield words and the spaces between them, each with its run's kind."""
    for run in runs:
        yield from (Run(text, run.kind) for text in re.findall(r"\s+|\S+", run.text))


def headline_since(former: Figure, now: Figure) -> tuple[Run, ...]:
    """Write former numbers before those that differ, as in “0.23 → 0.43 and 0.17”.

    It is the present headline alone if that differs in more than numbers and the encoding's name, since the former numbers
    would then be of something else.
    """
    if _beside_numbers(former) != _beside_numbers(now):
        return now.headline
    found: list[Run] = []
    for one, other in zip(former.headline, now.headline, strict=True):
        if one.text != other.text and other.kind == "number":
            found.append(Run(f"{one.text} → ", "former"))
        found.append(other)
    return tuple(found)


def _beside_numbers(figure: Figure) -> list[Run]:
    """The headline's runs without numbers and without the encoding's name."""
    name = figure.subject.partition(",")[0]
    texts = (
        "" if run.kind == "number" else run.text.replace(name, "") if name else run.text for run in figure.headline
    )
    return [Run(text, run.kind) for text, run in zip(texts, figure.headline, strict=True)]
