"""Attention maps: without any encoding, and beside it with the one that is chosen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np
import torch
from pydantic import Field
from torch import Tensor

from posenc_gui.attention.engine import Engine
from posenc_gui.attention.law import Attended
from posenc_gui.attention.layer import context_of, scale_of
from posenc_gui.beside import maps as maps_beside
from posenc_gui.figure import Figure, Heatmap, Mask, Panel, Scale, Values, number, said, shares, symmetric_range
from posenc_gui.frozen import Frozen
from posenc_gui.headline import Quantity, Row, headline
from posenc_gui.letters import isolated
from posenc_gui.plots.base import (
    HeadOrMean,
    Plot,
    around_words,
    as_values,
    head_words,
    of_head,
    require_items,
    require_tokens,
    token_axis,
    window_around,
)
from posenc_gui.plots.slopes import Colours, row_in_focus, some_words
from posenc_gui.scene import Scene
from posenc_gui.sides import names, phrases
from posenc_gui.text import shown, twin_groups
from posenc_gui.view import View

_ROUNDING = 1e-6
_MARKED_UP_TO = 16  # tokens
_ALIKE = 0.03  # of the colours' range: maps that differ by no more look the same
_DECADES = 1e-4  # from the largest number to where logarithmic colours end, if no smaller one is there

_SHOWN = {"all": slice(3), "sides": slice(2), "difference": slice(2, 3)}  # of A, B and B − A
_NAMES: dict[Quantity, str] = {"probabilities": "probability", "scores": "score", "position": "added by position"}


class AttentionOptions(Frozen):
    """What the attention maps show."""

    quantity: Quantity = Field(
        "probabilities",
        title="Show",
        description="Attention weights, the scores before mask and softmax, or what position adds to the scores.",
        json_schema_extra={
            "names": {"probabilities": "Probabilities", "scores": "Scores", "position": "Added by position"}
        },
    )
    queries: Literal["all", "one"] = Field(
        "all", title="Queries", description="All, as in training, or only the one in focus, as in generation."
    )
    head: HeadOrMean = None
    row: bool = Field(
        False,
        title="Row in focus",
        description="Beside maps without position and with it: the row of the query in focus, from the one to the other.",
        json_schema_extra={"shown": "alone"},
    )
    maps: Literal["all", "sides", "difference"] = Field(
        "all",
        title="Maps",
        description="Of two encodings that are compared: A, B and B − A; A and B alone; or B − A alone. Where there is "
        "little room, B − A gives way to A and B.",
        json_schema_extra={
            "names": {"all": "A, B, B − A", "sides": "A, B", "difference": "B − A"},
            "shown": "compared",
        },
    )
    colours: Literal["linear", "logarithmic"] = Field(
        "linear",
        title="Colours",
        description="By the number, or by its logarithm, which tells small weights apart beside a large one; scores have "
        "signs, so theirs are linear.",
    )
    highest: float | None = Field(
        None,
        ge=1e-6,
        le=1e6,
        title="Colours end at",
        description="The number that has the last colour, and larger ones with it, so that one large cell doesn't darken "
        "all others; automatic is the largest. Of signed numbers its negative has the first colour.",
    )


def draw(scene: Scene, options: AttentionOptions, _view: View, engine: Engine) -> Figure:
    """Queries down, keys across; both maps on one scale. Long sentences show a window around the focus."""
    require_tokens(scene)
    if options.head is not None:
        require_items((options.head,), scene.model.n_heads, "head")
    focus = scene.focused or 0
    window = window_around(focus, len(scene.tokens))
    compared = _compared(scene, options.quantity)
    queries = window if options.queries == "all" else range(focus, focus + 1)
    rows = slice(queries.start - window.start, queries.stop - window.start)
    values = [as_values(of_head(_map(one, options.quantity, window, engine), options.head))[rows] for one in compared]
    mask = _mask(scene, queries, window, engine) if scene.model.causal else None
    colours = _colours(values, mask, options)
    maps = tuple(
        _panel(one, options, (queries, window), numbers, mask, colours)
        for one, numbers in zip(compared, values, strict=True)
    )
    panels: tuple[Panel, ...] = maps
    if scene.other is not None:
        compared_maps = maps_beside(maps[0], maps[1], names(scene))
        panels, maps = compared_maps[_SHOWN[options.maps]], compared_maps[:2]
    parts = [_caption(scene, options, window, maps)]
    if options.row and len(maps) > 1 and scene.other is None:
        at = focus - queries.start
        seen = np.ones(len(window), dtype=bool) if mask is None else ~mask[at]
        ends = np.stack([one[at] for one in values], axis=1)
        slopes = row_in_focus(scene, _NAMES[options.quantity], window, ends, seen, colours)
        panels = (*maps, slopes)
        parts.append(some_words(slopes))
    rows_told = [_row(one, options, engine) for one in compared]
    sentence = headline(phrases(scene)[-len(maps) :], rows_told, options.quantity, scene.tokens, focus)
    remark = scene.encoding.remark(context_of(len(scene.tokens), scene.model)) if scene.other is None else ""
    return Figure(
        name="attention",
        title="Attention",
        panels=panels,
        headline=sentence,
        caption="".join(parts) + (f". {remark}" if remark else ""),
        description=" ".join(
            (said(sentence), *(_describe(panel, scene, row) for panel, row in zip(maps, rows_told, strict=True)))
        ),
    )


def _compared(scene: Scene, quantity: Quantity) -> list[Scene]:
    alone = scene.encoding.door == "none" or quantity == "position"
    return [scene] if alone and scene.other is None else list(scene.sides)


def _mask(scene: Scene, queries: range, keys: range, engine: Engine) -> Mask:
    """Which keys each query may not see, (n_q, n_k)."""
    asking, asked = (torch.tensor(some, device=engine.device) for some in (queries, keys))
    hidden: Mask = (~engine.layer(scene.prompt).visible(asking, asked)).cpu().numpy()
    return hidden


def _map(scene: Scene, quantity: Quantity, window: range, engine: Engine) -> Tensor:
    """The quantity of each head, (h, w, w)."""
    return _quantity(scene, quantity, lambda one: engine.maps(one.prompt, window))


def _row(scene: Scene, options: AttentionOptions, engine: Engine) -> Row:
    """The query in focus with every key that it sees, drawn or not."""
    focus = scene.focused or 0
    query, every = range(focus, focus + 1), range(scene.n_tokens)
    heads = _quantity(scene, options.quantity, lambda one: engine.attended(one.prompt, query, every))
    values = as_values(of_head(heads, options.head))[0]
    return {key: float(values[key]) for key in np.flatnonzero(~_mask(scene, query, every, engine)[0]).tolist()}


def _quantity(scene: Scene, quantity: Quantity, attended: Callable[[Scene], Attended]) -> Tensor:
    """The quantity of each head, (h, n_q, n_k). What position adds is compared with the same layer at the same scale."""
    found = attended(scene)
    if quantity == "position":
        return found.scores - attended(scene.without_position).scores
    return found.weights if quantity == "probabilities" else found.scores


def _scale(quantity: Quantity) -> Scale:
    return "sequential" if quantity == "probabilities" else "diverging"


def _colours(values: list[Values], mask: Mask | None, options: AttentionOptions) -> Colours:
    """The range of the colours that all maps share."""
    seen = values if mask is None else [one[~mask] for one in values]
    if _scale(options.quantity) == "diverging":
        low, high = symmetric_range(*seen)
        return Colours(low, high) if options.highest is None else Colours(-options.highest, options.highest)
    high = options.highest or max(float(one.max()) for one in seen)
    if options.colours == "linear":
        return Colours(0.0, high)
    return Colours(min(0.1 * high, max(_DECADES * high, min(float(one.min()) for one in seen))), high, log=True)


def _panel(
    scene: Scene,
    options: AttentionOptions,
    spans: tuple[range, range],
    values: Values,
    mask: Mask | None,
    colours: Colours,
) -> Heatmap:
    queries, keys = spans
    return Heatmap(
        title=scene.encoding.title,
        quantity=_NAMES[options.quantity],
        values=values if mask is None else values * ~mask,
        rows=token_axis(scene, "query", "query", queries),
        columns=token_axis(scene, "key", "key", keys),
        low=colours.low,
        high=colours.high,
        scale=_scale(options.quantity),
        mask=mask,
        equal=_equal(values, mask, scene) if scene.encoding.door == "none" and queries == keys else frozenset(),
        log=colours.log,
    )


def _equal(values: Values, mask: Mask | None, scene: Scene) -> frozenset[int]:
    """The twins whose rows and columns are equal to another twin's, to rounding; in small maps, where that can be seen."""
    if len(values) > _MARKED_UP_TO or mask is not None:
        return frozenset()
    return frozenset(
        one
        for group in twin_groups(scene.tokens)
        for one in group
        for other in group
        if one != other
        and np.allclose(values[one], values[other], rtol=0, atol=_ROUNDING)
        and np.allclose(values[:, one], values[:, other], rtol=0, atol=_ROUNDING)
    )


def _caption(scene: Scene, options: AttentionOptions, window: range, maps: tuple[Heatmap, ...]) -> str:
    parts = ["toy model, seeded weights", "rows: queries, columns: keys", head_words(scene, options.head)]
    if len(maps) > 1:
        parts.append("one range of colours")
        if scene.other is None and scene.without_position.model != scene.model:
            parts.append(f"q · k times {number(scale_of(scene.model, scene.encoding))} in both")
        parts += _alike(*maps)
    if maps[0].log:
        parts.append("colours by logarithm")
    if beyond := sum(int((np.abs(one.values) > one.high).sum()) for one in maps):
        parts.append(f"{beyond:,} of the cells are beyond the last colour, {number(maps[0].high)}")
    if maps[0].equal:
        parts.append("dashed: equal rows and columns")
    return " · ".join(parts) + around_words(scene, window)


def _alike(plain: Heatmap, encoded: Heatmap) -> list[str]:
    """That two maps look the same because they nearly are, in words; nothing where they can be told apart."""
    ends = [shares(one.values, one.low, one.high, one.log) for one in (plain, encoded)]
    if np.abs(ends[1] - ends[0]).max() > _ALIKE:
        return []
    change = float(np.abs(encoded.values - plain.values).max())
    return [f"both look alike: the largest change is {number(change)}" if change > _ROUNDING else "both are equal"]


def _describe(panel: Heatmap, scene: Scene, row: Row) -> str:
    focus, best = scene.focused or 0, max(row, key=row.__getitem__)
    token = isolated(shown(scene.tokens[focus]))
    return (
        f"{panel.title}: the largest {panel.quantity} of {token} ({focus}) is {number(row[best])}, "
        f"at {panel.columns.name(best)}."
    )


PLOT = Plot(
    "Attention",
    "Which tokens attend to which, without an encoding and with it.",
    "Which token looks at which?",
    AttentionOptions,
    draw,
    "Attention",
    shows="both",
)
