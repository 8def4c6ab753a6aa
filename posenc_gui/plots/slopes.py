"""Slopes: the weights of the query in focus as lines from their value without position to that with it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from posenc_gui.attention.engine import Engine
from posenc_gui.figure.axis import Pointer
from posenc_gui.figure.caption_parts import SEEDED, compose_caption
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panels import Slopes
from posenc_gui.figure.ranges import Mask, Values
from posenc_gui.figure.runs import quote_runs
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.foundation.errors import Undefined
from posenc_gui.foundation.wording import format_distinct, isolate
from posenc_gui.plots.base import Plot, as_values, require_tokens
from posenc_gui.plots.common.axes import describe_window, token_axis, window_around
from posenc_gui.plots.common.heads import HeadOrMean, describe_head, of_head, require_head
from posenc_gui.plots.common.row_headline import headline_of_row
from posenc_gui.scene.comparison import headings
from posenc_gui.scene.remedies import SINUSOIDAL
from posenc_gui.scene.scene import Scene
from posenc_gui.text.tokenization import format_token

_FEW = 12  # up to this many lines, all are drawn
_MOST = 8  # of more keys, only this many, half of them those that position changes most


class SlopesOptions(Frozen):
    """The head whose row is shown."""

    head: HeadOrMean = None


class Colours(NamedTuple):
    """The range of a colour bar, and whether its scale is logarithmic."""

    low: float
    high: float
    log: bool = False


def draw(scene: Scene, options: SlopesOptions, engine: Engine) -> Figure:
    """Draw one line per key, from its weight without position to that with it; of many keys, only the main ones."""
    require_tokens(scene, "what position changes in one row of weights")
    first, second = scene.sides
    if scene.other is None and first.encoding == second.encoding:
        raise Undefined("No encoding is chosen: with it and without it are the same.", SINUSOIDAL)
    require_head(scene, options.head)
    query = scene.focused or 0
    keys = window_around(query, scene.n_tokens)
    heads, every = scene.heads_of(options.head), range(scene.n_tokens)
    found = [engine.attended(one.prompt_of(heads), range(query, query + 1), every) for one in (first, second)]
    ends = np.stack([as_values(of_head(one.weights, options.head))[0] for one in found], axis=1)
    seen = found[0].visible[0].numpy()
    shown_keys = slice(keys.start, keys.stop)
    colours = Colours(0.0, float(ends[shown_keys].max()))
    panel = row_in_focus(scene, "weight", keys, ends[shown_keys], seen[shown_keys], colours)
    rows = [{key: float(row[key]) for key in np.flatnonzero(seen).tolist()} for row in ends.T]
    sentence = headline_of_row(scene, rows, "probabilities", options.head, engine)
    most = max(rows[0], key=lambda key: abs(rows[1][key] - rows[0][key]))
    before, after = format_distinct([row[most] for row in rows])
    return Figure(
        panels=(panel,),
        headline=sentence,
        caption_parts=compose_caption(
            SEEDED, describe_head(scene, options.head), lines_shown(panel), describe_window(scene, keys)
        ),
        description=f"{quote_runs(sentence)} {panel.title}: the largest change is at {panel.cells.name(most)}, from {before} to "
        f"{after}.",
    )


def row_in_focus(scene: Scene, quantity: str, keys: range, ends: Values, seen: Mask, colours: Colours) -> Slopes:
    """Return a slope chart of the query in focus over `keys`; `ends`, (keys, 2), holds values without position and with it.
    For two compared encodings the columns are A and B. `seen` is True for unmasked keys. The scale is that of the colours:
    lines beyond it end at its tip."""
    query = scene.focused or 0
    lines = _largest(ends, seen)
    return Slopes(
        title=f"The row of {isolate(format_token(scene.tokens[query]))}",
        quantity=quantity,
        columns=headings(scene),
        cells=token_axis(scene, "key", "key", keys),
        lines=tuple(keys.start + line for line in lines),
        values=ends[lines],
        low=colours.low,
        high=colours.high,
        log=colours.log,
        others=int(seen.sum()) - len(lines),
        of=Pointer((("query", query),)),
    )


def lines_shown(panel: Slopes) -> str:
    """Return a caption text that says how many of the keys have a line; empty if all have."""
    if not panel.others:
        return ""
    lines = len(panel.lines)
    return (
        f"the row: {lines} of {lines + panel.others:,} keys, those that change most and those with the largest numbers"
    )


def _largest(ends: Values, seen: Mask) -> list[int]:
    """Return all unmasked keys if they are few; else half by the largest change and half by the largest value."""
    few = np.flatnonzero(seen)
    if len(few) <= _FEW:
        return few.tolist()
    by_change = few[np.argsort(-np.abs(np.diff(ends[few], axis=1)[:, 0]), kind="stable")][: _MOST // 2]
    others = few[~np.isin(few, by_change)]
    by_number = others[np.argsort(-ends[others].max(axis=1), kind="stable")][: _MOST - len(by_change)]
    return sorted([*by_change.tolist(), *by_number.tolist()])


PLOT = Plot(
    "Slopes",
    "The row of the query in focus, from its weights without position to those with it.",
    "What does position change in one row?",
    SlopesOptions,
    draw,
    "Attention",
    shows="both",
)
