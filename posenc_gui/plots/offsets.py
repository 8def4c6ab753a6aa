"""Offset vectors: the vector of each step around the query in focus, and what the query makes of it."""

from __future__ import annotations

import torch

from posenc_gui.attention.engine import Engine
from posenc_gui.attention.forward import added_at
from posenc_gui.figure.axis import Axis
from posenc_gui.figure.caption_parts import SEEDED, compose_caption
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.headline import twins_told
from posenc_gui.figure.panels import Bars, BarSeries, Heatmap
from posenc_gui.figure.ranges import Values, symmetric_range
from posenc_gui.figure.runs import Run, number_runs, quote_runs, sentence, told_numbers
from posenc_gui.foundation.errors import Remedy, Undefined
from posenc_gui.foundation.wording import format_count, format_distinct, quote, spell_count
from posenc_gui.plots.base import Plot, as_values, describe_range, require_tokens, up_from_zero
from posenc_gui.plots.common.axes import focus_word, word
from posenc_gui.plots.common.curves import ReachOptions, profile, told_sharing
from posenc_gui.plots.common.heads import HeadOptions, describe_head, in_head, require_head
from posenc_gui.plots.common.own_picture import own_picture
from posenc_gui.scene.scene import Scene
from posenc_gui.text.tokenization import format_token

_LEAST_REACH, _MOST_REACH = 3, 64  # steps to either side, by default
_SHAW = Remedy("Choose Relative (Shaw)", {"encoding": "shaw"})


class OffsetOptions(HeadOptions, ReachOptions):
    """How far the vectors reach, and whose query meets them."""


def draw(scene: Scene, options: OffsetOptions, engine: Engine) -> Figure:
    """Draw a row a step, with the word that stands there, and beside it a bar: the query's part of the score."""
    encoding, head = scene.encoding, options.head
    if own_picture(scene) != "offsets":
        raise Undefined(f"{quote(encoding.titled)} has no vectors of offsets.", _SHAW)
    require_tokens(scene, "the vectors of its words' offsets")
    require_head(scene, head)
    focus, steps = scene.focused or 0, options.steps(scene, _LEAST_REACH, _MOST_REACH)
    if options.reach is None and scene.n_tokens > 1:  # a row for each word alone
        steps = range(max(steps.start, -focus), min(steps.stop, scene.n_tokens - focus))
    (vectors, made), (full_vectors, full_made) = (
        _found(one, steps, head, engine) for one in (scene, scene.at_full_strength)
    )
    row = {focus + step: float(made[at]) for at, step in enumerate(steps) if 0 <= focus + step < scene.n_tokens}
    twins = twins_told([row], scene.tokens, focus)
    labels = tuple(_label(scene, step) for step in steps)
    rows = Axis("distance", "step", steps[0], labels, 0, frozenset(key - focus for key in twins))
    told, columns = _told(scene, row, twins, head), Axis("dimension", "dimension")
    low, high = symmetric_range(full_vectors)  # which stays, so that numbers are seen to shrink
    vectors_of = Heatmap("vector of each step", "component", vectors, rows, columns, low, high, "diverging")
    title = f"what the query of {focus_word(scene).text} scores with it"
    nameless = "" if len(row) == len(steps) else "a number for a name: a step at which no word stands"
    bars = Bars(title, "part of the score", rows, (BarSeries("", made),), *up_from_zero(full_made))
    return Figure(
        panels=(vectors_of, bars),
        across=2,  # a bar beside its row
        headline=told,
        caption_parts=compose_caption(
            SEEDED, "columns: dimensions", describe_head(scene, head), nameless, scene.remark(scene.n_tokens)
        ),
        description=f"{quote_runs(told)} {encoding.titled}: {len(steps)} steps, {format_count(vectors.shape[1], 'dimension')} "
        f"{describe_range(vectors)}; what the query makes of them {describe_range(made)}.",
    )


def _found(scene: Scene, steps: range, head: int, engine: Engine) -> tuple[Values, Values]:
    """Return the vector of each step, (n, dimensions), and the query's part of the scores, (n,)."""
    places = torch.tensor(steps, dtype=torch.float64)
    made = added_at(engine.layer(scene.prompt), scene.focused or 0, places)[head]  # (n,)
    return as_values(profile(scene, -places, engine).values), as_values(made)


def _label(scene: Scene, step: int) -> str:
    """Return the word that stands at a step, or the step where none does."""
    at = (scene.focused or 0) + step
    return format_token(scene.tokens[at]) if 0 <= at < scene.n_tokens else f"{step:+d}".replace("-", "−")


def _told(scene: Scene, row: dict[int, float], twins: tuple[int, ...], head: int) -> tuple[Run, ...]:
    """“The query of sat scores 0.36 and −0.17 with the vectors at the two the. From 16 steps on all distances are alike.”"""
    most = twins or (max(row, key=lambda key: abs(row[key])),)
    numbers = number_runs(format_distinct(told_numbers([row[key] for key in most])), len(most))
    which = f"the {spell_count(len(most))} " if len(most) > 1 else ""
    shown = " shown" if 1 < len(most) < scene.tokens.count(scene.tokens[most[0]]) else ""
    begun = in_head(scene, head, "The query of ")
    at = f" with the vector{'s' * (len(most) > 1)} at {which}", word(scene, most[0], "twin" if twins else "plain")
    return *sentence(begun, focus_word(scene), " scores ", *numbers, *at, f"{shown}."), *told_sharing(scene.encoding)


PLOT = Plot(
    "Offset vectors",
    "The vector of each step around the query in focus, and what the query makes of it.",
    "What does each offset bring?",
    OffsetOptions,
    draw,
    "Encoding",
)
