"""One query's row: the contribution of each key's value to the output of the query in focus."""

from __future__ import annotations

from typing import Literal

import numpy as np
from pydantic import Field

from posenc_gui.attention.engine import Engine
from posenc_gui.attention.forward import Attended
from posenc_gui.figure.caption_parts import SEEDED, compose_caption
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.headline import headline
from posenc_gui.figure.panels import Bars, BarSeries, Table
from posenc_gui.foundation.wording import format_distinct, join_words
from posenc_gui.plots.base import Plot, require_tokens, up_from_zero
from posenc_gui.plots.common.axes import describe_window, placed, token_axis, window_around, word
from posenc_gui.plots.common.heads import HeadOptions, in_head, of_head, require_head
from posenc_gui.scene.comparison import phrase, phrase_without
from posenc_gui.scene.scene import Scene


class RowOptions(HeadOptions):
    """The head, and whether weights are drawn or all numbers are written out."""

    show: Literal["bars", "numbers"] = Field(
        "bars",
        title="Show",
        description="Each key's weight as a bar, or a table of what it scores, weighs and gives to the output.",
    )


_DIMENSIONS = 6  # components of a head's output that are written out
_ALL_TOLD, _TOLD = 6, 12  # keys: of no more all bars have numbers; those of which the description tells
_KEYS = 512  # keys that are written out; more would be unreadable


def draw(scene: Scene, options: RowOptions, engine: Engine) -> Figure:
    """Draw each key's weight as a bar, without position and with it, in prompt order; or a table of what the keys give."""
    require_tokens(scene, "what one word reads of the others")
    require_head(scene, options.head)
    focus, head = scene.focused or 0, options.head
    every, heads = range(scene.n_tokens), scene.heads_of(head)
    plain, found = (
        engine.attended(one.prompt_of(heads), range(focus, focus + 1), every) for one in (scene.without_position, scene)
    )
    visible, weights = found.visible[0].tolist(), of_head(found.weights, head)[0].tolist()
    window = window_around(focus, scene.n_tokens)
    left_out = describe_window(scene, window)
    if options.show == "bars":
        panel: Bars | Table = _bars(scene, of_head(plain.weights, head)[0].tolist(), weights, window)
        how = f"weights of head {head} of {scene.model.n_heads}" if scene.model.n_heads > 1 else "weights"
    else:
        panel, how = _table(scene, head, plain, found, engine)
        left_out = f"the first {_KEYS} of {scene.n_tokens:,} keys" if scene.n_tokens > _KEYS else ""
    return Figure(
        panels=(panel,),
        headline=headline(
            (phrase(scene.encoding),),
            [{key: weights[key] for key in every if visible[key]}],
            "probabilities",
            scene.tokens,
            focus,
            in_head(scene, head),
        ),
        caption_parts=compose_caption(SEEDED, how, left_out),
        description=f"{word(scene, focus).text} gives {join_words(format_distinct(weights[:_TOLD]))}"
        f"{' …' * (len(weights) > _TOLD)} to the keys in order; {phrase_without(scene)} "
        f"{join_words(format_distinct(of_head(plain.weights, head)[0, :_TOLD].tolist()))}.",
    )


def _bars(scene: Scene, plain: list[float], weights: list[float], window: range) -> Bars:
    """Bars of the keys around the focus; those of the focus, its twins and the key in hand have numbers."""
    names = {phrase_without(scene): plain, phrase(scene.encoding): weights}
    shown = slice(window.start, window.stop)
    series = tuple(BarSeries(name, np.array(of[shown], dtype=np.float32)) for name, of in names.items())
    axis = token_axis(scene, "key", "key", window)
    some = {scene.focused or 0, scene.keyed or 0, *scene.sentence.twins}
    told = some if len(window) > _ALL_TOLD else set(window)
    return Bars(
        f"from {placed(scene, scene.focused or 0)}",
        "weight",
        axis,
        series,
        *up_from_zero(*(one.values for one in series)),
        frozenset(told),
    )


def _table(scene: Scene, head: int, plain: Attended, found: Attended, engine: Engine) -> tuple[Table, str]:
    """A row per key: score, weight, and weight · v, which sum to the query's output; and which numbers these are. Beside each
    score is the score without position: how similar query and key are by their content alone. The sum includes the keys that
    are not written out. Encodings that add a term to the values (Shaw) get a row for it."""
    focus, written = scene.focused or 0, min(scene.n_tokens, _KEYS)
    scores = [of_head(of.scores, head)[0] for of in (plain, found)]
    values = of_head(engine.layer(scene.prompt_of(scene.heads_of(head))).values, head)[:_KEYS].cpu()
    taken = of_head(found.weights, head)[0, :written, None] * values  # (keys written out, d_head)
    added, total = of_head(found.added, head)[0], of_head(found.heads, head)[0]
    visible, weights = found.visible[0].tolist(), of_head(found.weights, head)[0].tolist()
    dimensions = min(_DIMENSIONS, taken.shape[1])
    lines: list[tuple[str | float, ...]] = []
    for key in range(written):
        seen = [float(of[key]) if visible[key] else "masked" for of in scores]
        lines.append((placed(scene, key), *seen, weights[key], *taken[key, :dimensions].tolist()))
    if added.any():
        lines.append(("added by position", "", "", "", *added[:dimensions].tolist()))
    weight = 1.0  # the weights of a softmax over all keys sum to 1
    lines.append((f"output of {word(scene, focus).text}", "", "", weight, *total[:dimensions].tolist()))
    focus_row = scene.keyed if (scene.keyed or 0) < _KEYS else None
    table = Table(
        f"{placed(scene, focus)}, head {head}",
        _header(scene, dimensions),
        tuple(lines),
        frozenset({len(lines) - 1}),
        focus_row,
    )
    return table, f"{dimensions} of {taken.shape[1]} dimensions, before W_o"


def _header(scene: Scene, dimensions: int) -> tuple[str, ...]:
    terms = (f"weight · v(X)[{index}]" if index == 0 else f"[{index}]" for index in range(dimensions))
    return "X", f"score {phrase_without(scene)}", f"score with {scene.encoding.called}", "weight", *terms


PLOT = Plot(
    "One query's row",
    "What the query in focus takes from each key.",
    "What does one query take from each key?",
    RowOptions,
    draw,
    "Attention",
)
