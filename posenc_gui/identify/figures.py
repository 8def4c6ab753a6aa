"""What some numbers are, in three figures: the conventions, what is left beside them, and attention if two are mixed up."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from typing import get_args

import torch
from torch import Tensor

from posenc_gui.encodings.base import ScoreEncoding
from posenc_gui.figure.axis import Axis, Pointer
from posenc_gui.figure.caption_parts import SEEDED, compose_caption
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panels import Heatmap, Note, OnScale, Table, Told
from posenc_gui.figure.ranges import end_of_colours
from posenc_gui.figure.runs import Run, number_run, quote_runs, sentence
from posenc_gui.foundation.errors import Undefined
from posenc_gui.foundation.wording import format_count, format_difference, format_number
from posenc_gui.identify import mixed
from posenc_gui.identify.verdict import Candidate, Identified, say_change, say_title
from posenc_gui.plots.base import as_values
from posenc_gui.plots.common.axes import describe_window, token_axis
from posenc_gui.session.session import Session

_LEAST = 1e-16  # where a scale begins at least
_DRAWN = 64, 96  # rows and columns of a map of differences at most; of more, a cell is the largest of several
_DEPTH = 1e-8  # of a logarithmic scale of differences, where the first is none
_MIXED = "If they are mixed up"


def figures(identified: Identified, session: Session, chosen: Candidate | None = None) -> tuple[Figure, ...]:
    """Return the three figures, with `chosen` in the places for another convention: without the last one where there is no
    convention or no other one, and none where none is near."""
    if identified.nearest is None:
        return ()
    mixed = mixed_up(identified, session, chosen)
    return conventions(identified, session), left(identified, chosen), *([mixed] if mixed else [])


def conventions(identified: Identified, session: Session) -> Figure:
    """A line for each convention: by how much its numbers are off, on a logarithmic scale, and a score on the sentence."""
    found, title = candidates(identified), "Conventions"
    exact = [one.off_by / one.unseen for one in found if one.off_by and one.unseen] or [_LEAST]
    shaded = max([min(exact), *(one.off_by for one in found if one.unseen <= 1)])
    ends = [max(_LEAST, end) for end in (*exact, *(one.off_by for one in found if one.off_by), 1.0)]
    low, high = math.floor(math.log10(min(ends))), math.ceil(math.log10(max(ends)))

    def share(value: float) -> float:
        return (math.log10(max(value, 10.0**low)) - low) / (high - low)

    def row(one: Candidate) -> tuple[str | float, ...]:
        told = "no more" if one.unseen <= 1 else f"{format_number(one.unseen)} times as much"
        dot = OnScale(told, share(one.off_by), share(shaded))
        return one.words, dot, Told(one.off_by, format_difference(one.off_by)), _scores(identified, session, one)

    header = "", "numbers can’t tell", "off by", "scores off by"
    columns = 4 if identified.encoding else 3  # no scores of what isn't known
    table = Table(
        title,
        header[:columns],
        tuple(row(one)[:columns] for one in found),
        focus=None if identified.encoding is None else 0,
        pressed=tuple(Pointer((("answer", at),)) for at in range(len(found))),
        counts=("", f"{format_difference(10.0**low)} to {format_difference(10.0**high)}", "", "")[:columns],
        spare=(1,),
    )
    own, heads = (
        dict(zip(identified.axes, identified.numbers.values.shape, strict=False)).get("heads"),
        mixed.model_seen(session).n_heads,
    )
    is_other = identified.kind in ("bias", "slopes") and own != heads
    scores = (SEEDED, f"scores of {format_count(heads, 'head')}" * is_other) if identified.encoding else ()
    caption = compose_caption(f"{identified.tried:,} tried", "largest differences", *scores)
    told = " ".join((identified.sentence, *identified.further))
    return Figure("conventions", title, (table,), caption, told, spoken(identified))


def left(identified: Identified, chosen: Candidate | None = None) -> Figure:
    """Each number's difference, on one scale: from the nearest, and from the next and the last other, or the chosen one."""
    shown, title = candidates(identified), "What is left"
    shown = shown[:2] + shown[2:][-1:]
    if chosen is not None and chosen is not shown[0]:
        shown = [shown[0], chosen]
    found = [_residual(identified, one) for one in shown]
    least, high = float(found[0].max()) / 10, max(_LEAST, *(float(one.max()) for one in found))
    low = max(_LEAST / 10, min(least or _DEPTH * high, high / 10))
    axes = Axis("row", "row"), Axis("column", "column")
    titles = [one.words[:1].upper() + one.words[1:] for one in shown]
    panels = (
        Heatmap(words, "difference", as_values(one), *axes, low, high, log=True)
        for words, one in zip(titles, found, strict=True)
    )
    is_folded = "each cell: the largest of several" * (identified.numbers.values.numel() > found[0].numel())
    parts = compose_caption("pasted − convention, each number", "one scale, logarithmic", is_folded)
    told = (
        f"{words}: at most {format_difference(float(one.max()))}." for words, one in zip(titles, found, strict=True)
    )
    return Figure("left", title, tuple(panels), parts, " ".join(told), across=1)


def mixed_up(identified: Identified, session: Session, chosen: Candidate | None = None) -> Figure | None:
    """Attention under the convention, in another one's code with the same weights, and with these in that code's order;
    None without another one."""
    try:
        other = chosen if chosen is not identified.nearest and chosen else usual(identified, session)
        if identified.encoding is None or other is None:
            return None
        return replace(_mixed_up(identified, session, other), name="mixed", title=_MIXED)
    except Undefined as why:
        return Figure("mixed", _MIXED, (Note(str(why), remedy=why.remedy),))


def _mixed_up(identified: Identified, session: Session, other: Candidate) -> Figure:
    right, wrong, model = placed(identified), placed(identified, other), mixed.model_seen(session)
    of_table, tokens = right[0].door == "input", mixed.tokens_seen(session)
    own, width = model.d_model if of_table else model.head_width, width_of(identified)
    order = mixed.order_between(right[0], wrong[0], own)
    orders = [(), order] if order else [()]
    offs = [mixed.scores_off_by(session, right, wrong, one) for one in orders]
    is_off, told = offs[0] > mixed.ROUNDING, [*map(format_difference, offs)]
    parts = "columns" if of_table else "rows"
    is_said = other in identified.others
    own_words = (identified.convention if is_said else other.convention) or "right"
    own_name, name = (words[:1].upper() + words[1:] for words in (own_words, other.words))
    titles = [f"{own_name}: {'as the numbers say' if is_said else 'these numbers can’t tell'}"]
    titles += [f"{name}: scores off by {f'up to {told[0]}' if is_off else 0}"]
    titles += [f"{name}, {parts} permuted: scores off by {told[1]}"] if order else []
    mended = (
        ("; with ", parts, " in that code’s order, by ", number_run(told[-1])) if order else ("; no order mends it",)
    )
    moved = ("moves scores by up to ", number_run(told[0]), *mended) if is_off else ("changes no score",)
    said = sentence(f"With the same weights, {other.words} ", *moved, ".")
    if right == wrong:
        said = sentence(name, ": the same encoding, held in another way. Converted, it changes no score.")
    seen = [mixed.attended(session, right), *(mixed.attended(session, wrong, one) for one in orders)]
    caption = compose_caption(
        SEEDED,
        f"the same weights in each{f', made for {own_words}' if order else ''}, one scale",
        describe_window(session.scene, tokens),
        f"mean of {len(seen[0].weights)} heads" if len(seen[0].weights) > 1 else "",
        "" if width in (None, own) else f"toy vectors of {own} numbers, not {width}",
    )
    maps, hidden = [as_values(one.weights.mean(0)) for one in seen], (~seen[0].visible).numpy()
    rows, columns = (token_axis(session.scene, role, role, tokens) for role in ("query", "key"))
    high, mask = end_of_colours(maps[0].shape, *maps) or 1.0, hidden if hidden.any() else None
    named = zip(titles, maps, strict=True)
    panels = tuple(Heatmap(title, "weight", one, rows, columns, 0.0, high, mask=mask) for title, one in named)
    written = (f"{one}." for one in reorderings(identified, other))
    description = " ".join((quote_runs(said), *(f"{title}." for title in titles), *written))
    return Figure("", "", panels, caption, description, said)


def reorderings(identified: Identified, other: Candidate) -> tuple[mixed.Reordering, ...]:
    """Return the order in which weights made for another convention run in the code that has these numbers, then that for the
    opposite case, for vectors as wide as these say; none where none helps, or where they don't say it."""
    right, width, found = identified.encoding, width_of(identified), list[mixed.Reordering]()
    if not (right and width):
        return ()
    of_table, is_said = right.door == "input", other in identified.others
    what, runs = ("table", "its columns") if of_table else ("code", "rows of W_q and W_k, each head")
    yours = right, identified.convention if is_said else other.convention, f"{'your ' * is_said}{what}"
    theirs = other.encoding, other.words, what
    with suppress(Undefined):
        for (weights, made_for, _), (code, held, whose) in ((theirs, yours), (yours, theirs)):
            if order := mixed.order_between(weights, code, width):
                found.append(mixed.Reordering(f"Weights for {made_for} → {whose}, {held}; {runs}", order, of_table))
    return tuple(found)


def usual(identified: Identified, session: Session) -> Candidate | None:
    """The other convention that differs in an order alone, be it one that the numbers can't tell, else the one that changes
    scores most. Raises Undefined."""
    if identified.encoding is None:
        return None
    by = {one: mixed.scores_off_by(session, placed(identified), placed(identified, one)) for one in identified.others}
    ordered = (one for one in (*by, *_untold(identified)) if reorderings(identified, one))
    return max(ordered, key=lambda one: by.get(one, 0), default=max(by, key=by.__getitem__, default=None))


def _untold(identified: Identified) -> Iterator[Candidate]:
    """Yield the encoding with each other choice of a field that reads as a word: it may have the same numbers."""
    right, nearest = identified.encoding, identified.nearest
    for name, field in type(right).model_fields.items() if right and nearest else ():
        for choice in get_args(field.annotation):
            if isinstance(choice, str) and nearest and right and choice != getattr(right, name):
                other = right.model_copy(update={name: choice})
                own, words = (f"{say_title(right, name)} {say_change(one, name)}" for one in (right, other))
                yield replace(nearest, encoding=other, convention=own, words=words, off_by=0.0)


def spoken(identified: Identified) -> tuple[Run, ...]:
    """The verdict's sentence, with the nearest convention and its difference emphasized."""
    nearest = identified.nearest
    strong = (nearest.words, f"off by {format_difference(nearest.off_by)}") if nearest else ()
    parts = re.split(f"({'|'.join(map(re.escape, strong))})", identified.sentence) if strong else [identified.sentence]
    return tuple(Run(part, "number" if part in strong else "plain") for part in parts if part)


def width_of(identified: Identified) -> int | None:
    """The width of a head or, at the input door, of a vector: the columns, or twice as many where a pair has one. None where
    nothing tells it."""
    at = next((at for at, name in enumerate(identified.axes) if name in ("dimensions", "pairs")), None)
    if at is None:
        return None
    columns = identified.numbers.values.movedim(at, 0)
    each = columns.reshape(len(columns), -1)[:, : _DRAWN[0]].tolist()  # each column's first numbers
    is_alone = identified.kind in ("cosines", "sines", "angles") and 2 * len({*map(tuple, each)}) > len(each)
    return len(each) * (2 if is_alone or identified.numbers.complex or identified.kind == "frequencies" else 1)


def candidates(identified: Identified) -> list[Candidate]:
    """The nearest convention and the others."""
    return [one for one in (identified.nearest, *identified.others) if one is not None]


def placed(identified: Identified, candidate: Candidate | None = None) -> mixed.Placed:
    """A convention, by default the verdict, as scores are computed with it."""
    found = candidate or identified
    encoding, start = found.encoding, found.start or 0
    assert encoding is not None
    if identified.kind == "bias" and isinstance(encoding, ScoreEncoding):
        encoding = mixed.AsHeld(own=encoding, words=found.convention)
    return encoding, start


def _scores(identified: Identified, session: Session, candidate: Candidate) -> str | float:
    if identified.encoding is None:
        return ""
    try:
        by = mixed.scores_off_by(session, placed(identified), placed(identified, candidate))
    except Undefined:
        return "not defined"
    is_seen = by > mixed.ROUNDING
    return Told(by, format_difference(by * is_seen), "not" if is_seen else "met")


def _residual(identified: Identified, candidate: Candidate) -> Tensor:
    """The size of each difference, (rows, columns): the largest of all arrays in front, and of many neighbours."""
    apart = (identified.numbers.values - candidate.numbers).abs()
    apart = apart.amax(-1) if identified.numbers.complex else apart
    apart = apart.reshape(-1, *apart.shape[-2:]).amax(0) if apart.ndim > 1 else apart[None]
    size = [min(had, most) for had, most in zip(apart.shape, _DRAWN, strict=True)]
    return torch.nn.functional.adaptive_max_pool2d(apart[None], size)[0]
