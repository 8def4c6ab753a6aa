"""Absolute or relative: the scores of the sentence at its positions, of the shifted sentence, and their difference."""

from __future__ import annotations

import numpy as np

from posenc_gui.attention.engine import Engine
from posenc_gui.figure.caption_parts import SEEDED, compose_caption
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panels import Heatmap
from posenc_gui.figure.ranges import end_of_colours
from posenc_gui.figure.runs import Run, quote_runs
from posenc_gui.foundation.wording import format_brief, format_count, inflect
from posenc_gui.measures.shift import Shift, ShiftOptions, changes
from posenc_gui.plots.base import Plot, as_values, describe_first_tokens, measured
from posenc_gui.plots.common.axes import token_axis
from posenc_gui.plots.common.heads import HeadOptions, head_alone, of_head, require_head
from posenc_gui.scene.scene import Scene


class ShiftPlotOptions(HeadOptions, ShiftOptions):
    """The distance by which the sentence is moved, and the head shown."""


def draw(scene: Scene, options: ShiftPlotOptions, engine: Engine) -> Figure:
    """Draw three maps of one head on one scale: scores before, after, and their difference."""
    require_head(scene, options.head)
    found: Shift = measured("shift", scene, engine, offset=options.offset, head=head_alone(scene, options.head))
    scores, moved = (of_head(one, options.head) for one in (found.before, found.after))
    largest, _, changed = changes(scores, moved, found.products)
    before, after = as_values(scores), as_values(moved)
    window = range(len(before))
    change = after - before if changed else np.zeros_like(before)  # suppress mere rounding error
    headline = _headline(scene, options.head, found.offset, round(changed * before.size), before.size, largest)
    high = end_of_colours(before.shape, before, after, change) or 1.0
    axes = token_axis(scene, "query", "query", window), token_axis(scene, "key", "key", window)
    titles = ("from position 0", f"from position {found.offset}", "what has changed")
    panels = tuple(
        Heatmap(title, "score", values, *axes, -high, high, "diverging")
        for title, values in zip(titles, (before, after, change), strict=True)
    )
    return Figure(
        panels=panels,
        headline=headline,
        caption_parts=compose_caption(
            SEEDED,
            f"scores before the mask, head {options.head} of {scene.model.n_heads}",
            "one scale",
            describe_first_tokens(len(window), scene),
        ),
        description=quote_runs(headline),
    )


def _headline(scene: Scene, head: int, offset: int, changed: int, count: int, largest: float) -> tuple[Run, ...]:
    """“Moved by 100 positions: with RoPE no score of head 0 changes.”"""
    under = "without an encoding" if scene.encoding.door == "none" else f"with {scene.encoding.called}"
    of = f" of head {head}" if scene.model.n_heads > 1 else ""
    told = Run(f"Moved by {format_count(offset, 'position')}: {under} ")
    if not changed:
        return told, Run("no", "number"), Run(f" score{of} changes.")
    by = (Run(format_brief(largest), "number"), Run("."))
    if count == 1:
        return told, Run(f"the only score{of} changes, by "), *by
    which = f"all {count:,}" if changed == count else f"{changed:,} of {count:,}"
    return told, Run(which, "number"), Run(f" scores{of} {inflect(changed, 'changes', 'change')}, by up to "), *by


PLOT = Plot(
    "Absolute or relative",
    "What changes in the scores when the whole sentence is moved.",
    "What if the whole text moves?",
    ShiftPlotOptions,
    draw,
    "Near and far",
)
