"""Encoding map: the encoding's values, positions or offsets by dimensions, pairs or heads."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from posenc_gui.attention.engine import Engine
from posenc_gui.attention.toy_model import ToyModel
from posenc_gui.figure.axis import Axis
from posenc_gui.figure.caption_parts import compose_caption
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.headline import twins_to_tell
from posenc_gui.figure.panels import Heatmap
from posenc_gui.figure.ranges import symmetric_range
from posenc_gui.figure.runs import Run, quote_runs, sentence
from posenc_gui.foundation.wording import format_count, spell_count
from posenc_gui.plots.base import WINDOW, Plot, as_values, describe_range
from posenc_gui.plots.common.axes import (
    along,
    encoding_axis,
    encoding_span,
    fully_labelled,
    told_range,
    window_around,
    word,
)
from posenc_gui.plots.common.curves import PositionOptions, none_there, profile, samples, told_query
from posenc_gui.plots.common.speeds import speeds_of
from posenc_gui.scene.scene import Scene
from posenc_gui.text.tokenization import twin_groups

_COMPONENTS = {"dimension": "component", "pair": "cosine or sine"}  # of values that have no other name
_SAME = 1e-6  # apart by rounding alone


class EncodingOptions(PositionOptions):
    """The rows of the map."""

    def span(self, scene: Scene) -> range:
        """Return the range of positions shown for a scene: what is added to words is shown for them, around the focus."""
        if self.count or self.first or scene.encoding.door != "input" or not scene.tokens:
            return super().span(scene)
        shown = window_around(scene.focused or 0, scene.n_tokens)
        span, limit = scene.positions[shown.start : shown.stop], scene.encoding.length_limit(scene.model.d_model)
        return span if limit is None or limit <= span.start else range(span.start, min(span.stop, limit))


def draw(scene: Scene, options: EncodingOptions, engine: Engine) -> Figure:
    """Draw one row per position or offset, and one column per dimension, per cosine or sine of a pair, or per head."""
    encoding = scene.encoding
    wanted = encoding_span(scene, options.span(scene))
    span = wanted[:WINDOW] if encoding.along == "position" else _middle(wanted)
    shown = profile(scene, samples(span, smooth=False), engine)
    values = as_values(shown.values)
    full = scene.at_full_strength  # whose colours stay, so that numbers are seen to shrink
    at_full = shown if full is scene else profile(full, samples(span, smooth=False), engine)
    low, high = symmetric_range(as_values(at_full.values))
    ended = options.past_the_end(scene, span)
    whole = range(span.start, span.stop + len(ended))
    rows = fully_labelled(encoding_axis(scene, whole), whole)
    drawn = np.pad(values, ((0, len(ended)), (0, 0)))
    mask = np.arange(len(whole))[:, None] >= np.full(drawn.shape, len(span)) if ended else None
    columns = Axis(encoding.across, encoding.across, labels=shown.labels if shown.each > 1 else ())
    title = f"{encoding.titled}: a row a {along(scene)}, {'two columns' if shown.each == 2 else 'a column'} a {encoding.across}"
    quantity = _COMPONENTS.get(encoding.across, "value") if shown.quantity == "value" else shown.quantity
    cut = f"{len(span)} of {len(wanted)} {along(scene)}s" if len(span) < len(wanted) else ""
    across = format_count(values.shape[1], "column")
    told = _headline(scene, span, shown.labels, shown.values, ended)
    return Figure(
        panels=(Heatmap(title, quantity, drawn, rows, columns, low, high, "diverging", mask, absent="none"),),
        headline=told,
        caption_parts=compose_caption(
            *((f"{format_count(len(span), along(scene))} × {across}", cut) if cut else ()), told_query(scene, span)
        ),
        description=f"{quote_runs(told)} {title}. {format_count(len(span), 'row')}, {across}, values {describe_range(values)}.",
    )


def _headline(scene: Scene, span: range, labels: Sequence[str], values: Tensor, ended: range) -> tuple[Run, ...]:
    """Tell of the rows of equal words, or of all rows where none is added to the word in focus; then which have no numbers."""
    focus = scene.focused
    if scene.encoding.door == "input" and focus is not None and scene.positions[focus] in span:
        told = _of_rows(scene, span, values, focus)
    elif scene.encoding.across == "pair":
        speeds = speeds_of(scene)
        told = speeds.sentence(((pair, f"pair {pair}") for pair in range(len(speeds))), "repeats")
    else:
        told = told_range(scene, span, values, labels)
    return *told, *none_there(ended)


def _of_rows(scene: Scene, span: range, values: Tensor, focus: int) -> tuple[Run, ...]:
    """“The rows of the two the are 5.65 apart; a word's own vector is 3.87 long.”"""
    rows = {at: values[position - span.start] for at, position in enumerate(scene.positions) if position in span}

    def apart(twins: Sequence[int]) -> float:
        own = torch.stack([rows[at] for at in twins])
        return float(torch.cdist(own, own, compute_mode="donot_use_mm_for_euclid_dist").max())

    groups = (tuple(at for at in group if at in rows) for group in twin_groups(scene.tokens))
    twins = twins_to_tell((one for one in groups if len(one) > 1), apart, scene.n_tokens)
    at = twins[0] if twins else focus
    named = word(scene, at, "twin" if twins else "focus")
    own: tuple[str | float, ...] = ()
    if isinstance(scene.model, ToyModel):
        vector = scene.model.embed((scene.tokens[at],)) * scene.model.embedding_scale
        own = "; the word's own vector is ", float(vector.norm()), " long"
    if not twins:
        return sentence("The row added to ", named, " is ", float(rows[at].norm()), " long", *own, ".")
    the = f"the {spell_count(len(twins))} "
    if (distance := apart(twins)) < _SAME:
        return sentence(the.capitalize(), named, " get the same row.")
    return sentence(f"The rows of {the}", named, f" are {'up to ' * (len(twins) > 2)}", distance, " apart", *own, ".")


def _middle(offsets: range) -> range:
    """Return at most `WINDOW` offsets around 0, or from 0 on if none are negative."""
    if offsets.start == 0:
        return offsets[:WINDOW]
    return range(max(offsets.start, 1 - WINDOW // 2), min(offsets.stop, WINDOW // 2))


PLOT = Plot(
    "Encoding map",
    "What the encoding gives: a row a position or an offset, a column a dimension, a pair's wave or a head.",
    "What is given to every position?",
    EncodingOptions,
    draw,
    "Encoding",
)
