"""The words around a figure: title, headline and caption above it on paper; on a slide one sentence above, one line below."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from posenc_gui.figure.caption_parts import CaptionPart, compose_caption, join_caption
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.runs import Run
from posenc_gui.render.layout.text_fit import wrapped, wrapped_runs
from posenc_gui.render.paper.fonts import measured
from posenc_gui.render.paper.format import LINE, SMALL, Format

_TITLE = 1.08  # the size of a sheet's title, in sizes of its headline
_SMALLER = (1.0, 0.86, 0.72)  # sizes of a headline that is longer than two lines, in sizes of a short one
_FEW, _MOST_LINES = 2, 5
_MOST_CAPTION = 3  # lines
_NEEDED = ("settings", "subject", "seeded")  # parts of a slide's caption that are never left out


@dataclass(frozen=True)
class Line:
    """One line of text: its runs and their size; `muted`: its plain runs are less prominent."""

    runs: Sequence[Run]
    size: float
    muted: bool = False


def height_of(lines: Sequence[Line]) -> float:
    """The height of lines below each other."""
    return sum(line.size for line in lines) * LINE


def name_of(figure: Figure) -> str:
    """The plot and the encoding."""
    return " · ".join(filter(None, (figure.title, figure.subject)))


def paper_heading(figure: Figure, form: Format) -> list[Line]:
    """The title, the headline and the caption."""
    title = (Run(figure.title, "number"), *([Run(f" · {figure.subject}")] if figure.subject else []))
    lines = [
        *(Line(runs, _TITLE * form.headline) for runs in _broken(title, form.inner, _TITLE * form.headline, 2)),
        *headline_lines(figure.headline, form),
    ]
    most = min(_MOST_CAPTION, max(1, _MOST_LINES - len(lines)))
    words = wrapped(figure.caption, form.inner, most, measured(SMALL))
    if words and words[-1].endswith("…"):  # required parts come first, where nothing is cut
        words = wrapped(join_caption(figure.caption_parts, seeded_first=True), form.inner, most, measured(SMALL))
    return [*lines, *(Line([Run(line)], SMALL, muted=True) for line in words)]


def slide_heading(figure: Figure, form: Format, title: str = "") -> list[Line]:
    """The chosen title, or the headline, or the plot and the encoding."""
    named = (Run(figure.title, "number"), *([Run(f" · {figure.subject}")] if figure.subject else []))
    return headline_lines((Run(title),) if title else figure.headline or named, form)


def slide_caption(figure: Figure, form: Format, title: str = "") -> list[Line]:
    """One line: what the headline leaves out, the plot and the encoding, then the caption's parts that fit whole.

    Only what must be said, or what was asked for, takes more lines.
    """
    named = [] if title or not figure.headline else [CaptionPart(name_of(figure), "subject")]
    parts = compose_caption(*named, *figure.caption_parts)
    kept = {part for part in parts if part.kind in _NEEDED}
    for part in parts:
        tried = [one for one in parts if one in kept or one is part]
        if measured(SMALL)(join_caption(tried)) <= form.inner:
            kept.add(part)
    words = join_caption(part for part in parts if part in kept)
    return [Line([Run(line)], SMALL, muted=True) for line in wrapped(words, form.inner, _MOST_CAPTION, measured(SMALL))]


def headline_lines(runs: Sequence[Run], form: Format) -> list[Line]:
    """A sentence on at most two lines; in smaller type if that is too little, and then on as many as it needs."""
    for factor in _SMALLER:
        size = factor * form.headline
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
        lines[0] += [replace(run, text=run.text[:left])] if left else []
        lines[1] += [replace(run, text=run.text[left:])] if left < len(run.text) else []
        left = max(0, left - len(run.text))
    apart = ends and ". " not in ends and len(_broken(runs, room, size, _FEW)) > 1
    return lines if apart and all(len(_broken(line, room, size, _FEW)) == 1 for line in lines) else []


def _broken(runs: Sequence[Run], room: float, size: float, most_lines: int) -> list[list[Run]]:
    normal, bold = measured(size), measured(size, bold=True)
    wider = sum(bold(run.text) - normal(run.text) for run in runs if run.kind != "plain")
    return wrapped_runs(runs, room - wider, most_lines, normal)
