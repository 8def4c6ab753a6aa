"""The words around a figure: title, headline and caption above it on paper; on a slide one sentence above, one line below."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain, takewhile

from posenc_gui.figure.caption_parts import CaptionPart, compose_caption, fit_caption, join_caption, order_parts
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.runs import Run
from posenc_gui.render.layout.text_fit import split_signs, wrapped, wrapped_runs
from posenc_gui.render.paper.fonts import measured
from posenc_gui.render.paper.format import LINE, SMALL, Format

_TITLE = 1.08  # the size of a sheet's title, in sizes of its headline
_SMALLER = (1.0, 0.86, 0.72)  # sizes of a headline that is longer than two lines, in sizes of a short one
_FEW, _MOST_LINES = 2, 5
_BADGE = 0.6  # of the type: how much broader a slide's badge is, with its spaces, than the letter and the colon it stands for
_MOST_CAPTION = 3  # lines
_NEEDED = ("settings", "subject", "absent", "seeded")  # parts of a slide's caption that are never left out


@dataclass(frozen=True)
class Line:
    """One line of text: its runs and their size; `muted`: its plain runs are less prominent than those of changes."""

    runs: Sequence[Run]
    size: float
    muted: bool = False


def height_of(lines: Sequence[Line]) -> float:
    """The height of lines below each other."""
    return sum(line.size for line in lines) * LINE


def name_of(figure: Figure) -> str:
    """The plot and the encoding."""
    return " · ".join(filter(None, (figure.title, figure.subject)))


def _name_runs(figure: Figure) -> Sequence[Run]:
    """The same as runs, the plot bold."""
    return (Run(figure.title, "number"), *([Run(f" · {figure.subject}")] if figure.subject else []))


def paper_heading(figure: Figure, form: Format) -> list[Line]:
    """The title, the headline and the caption."""
    size = _TITLE * form.headline
    lines = [
        *(Line(runs, size) for runs in _broken(_name_runs(figure), form.inner, size, 2)),
        *headline_lines(figure.headline, form),
    ]
    most = min(_MOST_CAPTION, max(1, _MOST_LINES - len(lines)))
    shown = fit_caption(
        figure.caption_parts, most, lambda text: len(wrapped(text, form.inner, most + 1, measured(SMALL)))
    )
    words = wrapped(shown, form.inner, most, measured(SMALL))
    return [*lines, *(Line([Run(line)], SMALL, muted=True) for line in words)]


def named_once(figure: Figure, title: str = "") -> Figure:
    """The figure, whose only panel needs no title where the sentence above it begins with that panel's sign."""
    if title or len(figure.panels) != 1 or not figure.headline:
        return figure
    (panel,) = figure.panels
    is_told = figure.headline[0].text == f"{panel.title.partition(':')[0]}: "
    return replace(figure, panels=(replace(panel, title=""),)) if is_told else figure


def slide_headings(figures: Sequence[Figure], form: Format, title: str = "") -> list[list[Line]]:
    """The heading of each figure's slide: all headlines in one size."""
    own = [slide_heading(figure, form, title) for figure in figures]
    size = min((lines[0].size for lines in own if lines), default=math.inf)
    return [slide_heading(figure, form, title, size) for figure in figures]


def slide_heading(figure: Figure, form: Format, title: str = "", largest: float = math.inf) -> list[Line]:
    """The chosen title, or the headline, or the plot and the encoding. Names of what is compared that neither it nor the
    panels' titles say follow in a line of their own, or after their signs in the headline if that is no higher."""
    runs = _headline(figure, title)
    lines = headline_lines(runs, form, largest)
    missing = missing_names(figure, title)
    if not missing:
        return lines
    below = [*lines, *_names_below(figure, form)]
    signs = {run.text.strip() for run in runs}
    if not all(name.partition(" ")[0] in signs for name in missing):
        return below
    return min(headline_lines(_with_names(runs, missing), form, largest), below, key=height_of)


def _headline(figure: Figure, title: str) -> Sequence[Run]:
    return (Run(title),) if title else figure.headline or _name_runs(figure)


def missing_names(figure: Figure, title: str) -> list[str]:
    """The names of what is compared, “A: RoPE”, that stand neither in a slide's headline nor in a panel's title."""
    if not is_compared(figure):
        return []
    told = ["".join(run.text for run in _headline(figure, title)), *(panel.title for panel in figure.panels)]
    return [name for name in figure.subject.split(", ") if not any(name in text for text in told)]


def _with_names(runs: Sequence[Run], names: Sequence[str]) -> list[Run]:
    """A headline in which a side's name follows its sign, unless its sentence says it: “A: RoPE: By position 31, …”"""
    found, signs = list[Run](), dict(name.split(" ", 1) for name in names)
    for at, run in enumerate(runs):
        name = signs.get(run.text.strip(), "")
        sentence = takewhile(lambda one: one.text.strip() not in signs, runs[at + 1 :])
        is_told = name in "".join(one.text for one in sentence)
        found.append(run if is_told else replace(run, text=f"{run.text}{name}: "))
    return found


def _names_below(figure: Figure, form: Format) -> list[Line]:
    """A line with the names of what is compared."""
    size = form.title if measured(form.title)(figure.subject) <= form.inner else SMALL
    return [Line([Run(text)], size) for text in wrapped(figure.subject, form.inner, _FEW, measured(size))]


def is_compared(figure: Figure) -> bool:
    """True if a figure's subject is two encodings."""
    return any(is_sign for _, is_sign in split_signs(figure.subject))


def slide_caption(figure: Figure, form: Format, title: str = "") -> list[Line]:
    """One line: what the headline leaves out, the plot and the encoding, then the caption's parts that fit whole."""
    (caption,) = slide_captions([figure], form, title)
    return caption


def slide_captions(figures: Sequence[Figure], form: Format, title: str = "") -> list[list[Line]]:
    """The caption of each figure's slide; a part that doesn't fit one of them is left out of all."""
    parts = [_caption_parts(figure, title) for figure in figures]
    left_out = set(chain.from_iterable(_without_room(own, form) for own in parts))
    captions = (join_caption(part for part in own if part not in left_out) for own in parts)
    runs = (_with_changes_marked(words, figure) for words, figure in zip(captions, figures, strict=True))
    broken = (_broken(own, form.inner, SMALL, _MOST_CAPTION) for own in runs)
    return [[Line(line, SMALL, muted=True) for line in caption] for caption in broken]


def _changes(figure: Figure) -> str:
    """What of the encoding isn't at its defaults, as "base 100"; what is compared is named above the figure, or its panels."""
    name, _, changed = figure.subject.partition(", ")
    is_one = all(one.subject.partition(", ")[0] == name for one in figure.frames)  # of several encodings names follow
    return changed if is_one and not is_compared(figure) else ""


def _with_changes_marked(words: str, figure: Figure) -> list[Run]:
    before, changed, after = words.partition(_changes(figure) or "\n")
    return [Run(before), Run(changed, "number"), Run(after)] if changed else [Run(words)]


def _caption_parts(figure: Figure, title: str) -> tuple[CaptionPart, ...]:
    own = figure.title if is_compared(figure) else name_of(figure)
    named = [CaptionPart(own, "subject")] if figure.headline and (not title or _changes(figure)) else []
    names = figure.subject.split(", ") if is_compared(figure) else []  # they stand above the figure
    return compose_caption(*named, *(part for part in figure.caption_parts if part.text not in names))


def _without_room(parts: Sequence[CaptionPart], form: Format) -> list[CaptionPart]:
    """The parts that have no room in one line beside those before them and those that must be said."""
    kept = {part for part in parts if part.kind in _NEEDED}
    for part in order_parts(parts):
        tried = [one for one in parts if one in kept or one is part]
        if measured(SMALL)(join_caption(tried)) <= form.inner:
            kept.add(part)
    return [part for part in parts if part not in kept]


def headline_lines(runs: Sequence[Run], form: Format, largest: float = math.inf) -> list[Line]:
    """A sentence on at most two lines; in smaller type if that is too little, and then on as many as it needs."""
    for factor in _SMALLER:
        size = factor * form.headline
        if size > largest:
            continue
        if len(found := _sentences(runs, form.inner, size)) == _FEW:
            break
        found = _broken(runs, form.inner, size, _FEW if factor != _SMALLER[-1] else _MOST_LINES)
        if not found or not found[-1][-1].text.endswith("…"):
            break
    return [Line(pieces, size) for pieces in found]


def _sentences(runs: Sequence[Run], room: float, size: float) -> list[list[Run]]:
    """Two sentences on a line each; empty where they aren't two, share a line, or one has no room."""
    ends = ". ".join("".join(run.text for run in runs).split(". ")[:-1])
    lines: list[list[Run]] = [[], []]
    left = len(ends) + len(". ") if ends else 0
    for run in runs:
        # A space at the end of a full line is broken again by some programs.
        lines[0] += [replace(run, text=run.text[:left].rstrip() if left <= len(run.text) else run.text)] if left else []
        lines[1] += [replace(run, text=run.text[left:])] if left < len(run.text) else []
        left = max(0, left - len(run.text))
    apart = ends and ". " not in ends and len(_broken(runs, room, size, _FEW)) > 1
    return lines if apart and all(len(_broken(line, room, size, _FEW)) == 1 for line in lines) else []


def _broken(runs: Sequence[Run], room: float, size: float, most_lines: int) -> list[list[Run]]:
    normal, bold = measured(size), measured(size, bold=True)
    wider = sum(bold(run.text) - normal(run.text) for run in runs if run.kind != "plain")
    badges = sum(is_sign for run in runs for _, is_sign in split_signs(run.text))
    return wrapped_runs(runs, room - wider - badges * _BADGE * size, most_lines, normal)
