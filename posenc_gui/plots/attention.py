"""Attention maps: without any encoding, and beside it with the one that is chosen."""

from __future__ import annotations

from typing import Literal

import numpy as np
import torch
from pydantic import Field
from torch import Tensor

from posenc_gui.attention.engine import Engine
from posenc_gui.attention.law import Attended
from posenc_gui.attention.layer import context_of, scale_of
from posenc_gui.beside import maps
from posenc_gui.figure import Figure, Heatmap, Mask, Scale, Values, number, symmetric_range
from posenc_gui.frozen import Frozen
from posenc_gui.letters import isolated, quoted
from posenc_gui.plots.base import Plot, as_values, require_items, require_tokens, token_axis, window_around
from posenc_gui.scene import Scene
from posenc_gui.sides import names, phrases
from posenc_gui.text import shown, twin_groups
from posenc_gui.view import View

_ROUNDING = 1e-6
_MARKED_UP_TO = 16  # tokens

Quantity = Literal["probabilities", "scores", "position"]

_NAMES: dict[Quantity, str] = {"probabilities": "probability", "scores": "score", "position": "added by position"}


class AttentionOptions(Frozen):
    """What the attention maps show."""

    quantity: Quantity = Field(
        "probabilities",
        title="Show",
        description="Attention weights, the scores before mask and softmax, or what position adds to the scores.",
    )
    queries: Literal["all", "one"] = Field(
        "all", title="Queries", description="All, as in training, or only the one in focus, as in generation."
    )
    head: int | None = Field(
        None,
        ge=0,
        le=127,
        title="Head",
        description="One head, or the mean of all.",
        json_schema_extra={"none": "mean", "below": "n_heads"},
    )


def draw(scene: Scene, options: AttentionOptions, _view: View, engine: Engine) -> Figure:
    """Queries down, keys across; both maps on one scale. Long sentences show a window around the focus."""
    require_tokens(scene)
    if options.head is not None:
        require_items((options.head,), scene.model.n_heads, "head")
    window = window_around(scene.focused or 0, len(scene.tokens))
    compared = _compared(scene, options.quantity)
    queries = window if options.queries == "all" else range(scene.focused or 0, (scene.focused or 0) + 1)
    rows = slice(queries.start - window.start, queries.stop - window.start)
    found = [_map(one, options.quantity, window, engine) for one in compared]
    values = [as_values(_of_head(one, options.head))[rows] for one in found]
    mask = _mask(scene, window, engine)[rows] if scene.model.causal else None
    low, high, scale = _range(values, mask, options.quantity)
    panels = tuple(
        _panel(one, options, (queries, window), numbers, mask, (low, high, scale))
        for one, numbers in zip(compared, values, strict=True)
    )
    shown_maps = panels if scene.other is None else maps(panels[0], panels[1], names(scene))
    return Figure(
        name="attention",
        title="Attention",
        panels=shown_maps,
        headline=_headline(scene, panels) if options.quantity == "probabilities" else "",
        caption=_caption(scene, options, window, panels),
        description=" ".join(_describe(panel, scene) for panel in shown_maps[: len(panels)]),
    )


def _compared(scene: Scene, quantity: Quantity) -> list[Scene]:
    alone = scene.encoding.door == "none" or quantity == "position"
    return [scene] if alone and scene.other is None else list(scene.sides)


def _attended(scene: Scene, window: range, engine: Engine) -> Attended:
    return engine.maps(scene.prompt, window)


def _mask(scene: Scene, window: range, engine: Engine) -> Mask:
    """Which keys each query of the window may not see, (w, w)."""
    every = torch.tensor(window, device=engine.device)
    hidden: Mask = (~engine.layer(scene.prompt).visible(every, every)).cpu().numpy()
    return hidden


def _map(scene: Scene, quantity: Quantity, window: range, engine: Engine) -> Tensor:
    """The quantity of each head, (h, w, w). What position adds is compared with the same layer at the same scale."""
    found = _attended(scene, window, engine)
    if quantity == "position":
        return found.scores - _attended(scene.without_position, window, engine).scores
    return found.weights if quantity == "probabilities" else found.scores


def _of_head(heads: Tensor, head: int | None) -> Tensor:
    return heads.mean(0) if head is None else heads[head]


def _range(values: list[Values], mask: Mask | None, quantity: Quantity) -> tuple[float, float, Scale]:
    seen = values if mask is None else [one[~mask] for one in values]
    if quantity == "probabilities":
        return 0.0, max(float(one.max()) for one in seen), "sequential"
    return *symmetric_range(*seen), "diverging"


def _panel(
    scene: Scene,
    options: AttentionOptions,
    spans: tuple[range, range],
    values: Values,
    mask: Mask | None,
    colours: tuple[float, float, Scale],
) -> Heatmap:
    queries, keys = spans
    low, high, scale = colours
    return Heatmap(
        title=scene.encoding.title,
        quantity=_NAMES[options.quantity],
        values=values if mask is None else values * ~mask,
        rows=token_axis(scene, "query", "query", queries),
        columns=token_axis(scene, "key", "key", keys),
        low=low,
        high=high,
        scale=scale,
        mask=mask,
        equal=_equal(values, mask, scene) if scene.encoding.door == "none" and queries == keys else frozenset(),
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


def _headline(scene: Scene, panels: tuple[Heatmap, ...]) -> str:
    """What the query in focus does, without position and with it: to the first twins that it sees, or to its first choice."""
    query, tokens = scene.focused or 0, scene.tokens
    name = quoted(shown(tokens[query]))
    rows = [panel.values[query - panel.rows.first] for panel in panels]
    titles = phrases(scene)[: len(panels)]
    seen = [
        [
            key
            for key in group
            if key in _window_of(panels[0])
            and not panels[0].is_masked(query - panels[0].rows.first, key - panels[0].columns.first)
        ]
        for group in twin_groups(tokens)
        if tokens[group[0]].isalnum()
    ]
    twins = next((group for group in seen if len(group) > 1 and query not in group), None)
    first = panels[0].columns.first
    if twins:
        token = quoted(shown(tokens[twins[0]]))
        numbers = [[_weight(row[key - first]) for key in twins[:3]] for row in rows]
        parts = [
            f"{title}, {name} gives {'both' if len(twins) == 2 else 'each'} {token} {values[0]}"
            if len(set(values)) == 1
            else f"{title}, {' and '.join(values)}"
            for title, values in zip(titles, numbers, strict=True)
        ]
    else:
        best = [int(row.argmax()) for row in rows]
        parts = [
            f"{title}, {name} attends most to {quoted(shown(tokens[first + key]))}: {_weight(row[key])}"
            for title, key, row in zip(titles, best, rows, strict=True)
        ]
    sentence = "; ".join(parts) + "."
    return sentence[0].upper() + sentence[1:]


def _weight(value: float) -> str:
    """A weight with two decimals, and small ones with two digits that tell them apart."""
    return f"{value:.2f}" if value >= 0.1 else f"{value:.2g}"


def _window_of(panel: Heatmap) -> range:
    return range(panel.columns.first, panel.columns.first + panel.values.shape[1])


def _caption(scene: Scene, options: AttentionOptions, window: range, panels: tuple[Heatmap, ...]) -> str:
    heads = scene.model.n_heads
    head = "one head" if heads == 1 else f"head {options.head} of {heads}"
    head = f"mean of {heads} heads" if options.head is None and heads > 1 else head
    parts = ["toy model, seeded weights", "rows: queries, columns: keys", head]
    if len(panels) > 1:
        parts.append("one scale")
        if scene.other is None and scene.without_position.model != scene.model:
            parts.append(f"in both q · k times {number(scale_of(scene.model, scene.encoding))}")
    if panels[0].equal:
        parts.append("dashed: equal rows and columns")
    if len(window) < len(scene.tokens):
        parts.append(f"tokens {window.start} to {window.stop - 1} of {len(scene.tokens)}, around the focus")
    remark = scene.encoding.remark(context_of(len(scene.tokens), scene.model)) if scene.other is None else ""
    return " · ".join(parts) + (f". {remark}" if remark else "")


def _describe(panel: Heatmap, scene: Scene) -> str:
    focus = scene.focused or 0
    row = panel.values[focus - panel.rows.first]
    best = int(row.argmax()) + panel.columns.first
    token = isolated(shown(scene.tokens[focus]))
    return (
        f"{panel.title}: the largest {panel.quantity} of {token} ({focus}) is {number(row.max())}, "
        f"at {panel.columns.name(best)}."
    )


PLOT = Plot(
    "Attention",
    "Which tokens attend to which, without an encoding and with it.",
    AttentionOptions,
    draw,
    "Attention",
    shows="both",
)
