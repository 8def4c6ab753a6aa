"""Two orders: the same tokens in two orders, joined by lines, to show whether attention is permutation-equivariant."""

from __future__ import annotations

from typing import Literal

import torch
from pydantic import Field
from torch import Tensor

from posenc_gui.attention.engine import Engine
from posenc_gui.attention.toy_model import ToyModel
from posenc_gui.figure.axis import Axis, Role
from posenc_gui.figure.caption_parts import compose_caption
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panels import Bars, BarSeries, Heatmap, Links
from posenc_gui.figure.ranges import end_of_colours, symmetric_range
from posenc_gui.figure.runs import Run, number_run, quote_runs, sentence
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.foundation.wording import format_count, isolate, join_words
from posenc_gui.measures.base import ROUNDING, LastLayer, TwoOrders, passed, under
from posenc_gui.measures.equivariance import Equivariance
from posenc_gui.plots.base import Plot, as_values, describe_first_tokens, measured, toy_parts, up_from_zero
from posenc_gui.scene.scene import Scene
from posenc_gui.text.tokenization import format_token, name_token, twins

Shown = Literal["maps", "inputs", "outputs", "by layer"]


class EquivarianceOptions(Frozen):
    """The panels beside the two orders."""

    show: Shown = Field(
        "maps",
        title="Show",
        description="Attention maps, what enters attention, what comes out, or each token's change after one and two layers.",
    )


def draw(scene: Scene, options: EquivarianceOptions, engine: Engine) -> Figure:
    """Draw both orders with a line per token; the thicker the line, the more the token's output changes with the order."""
    found: Equivariance = measured("equivariance", scene, engine)
    left, right = _axes(scene, found.orders, "position")
    changes = found.inputs if options.show == "inputs" else found.by_layer[scene.model.n_layers - 1]
    links = _links(found, changes, left, right)
    if options.show == "by layer":
        layers = ("one layer", "two layers") if len(found.by_layer) > 1 else ("output",)
        stages = ((found.inputs, "input"), *zip(found.by_layer, layers, strict=True))
        series = tuple(
            BarSeries(label, as_values(torch.where(values > ROUNDING, values, 0.0))) for values, label in stages
        )
        panels: tuple[Links | Bars | Heatmap, ...] = (
            links,
            Bars(
                "largest change of each token", "change", left, series, *up_from_zero(*(one.values for one in series))
            ),
        )
    else:
        first, second = (passed(scene, engine, tokens) for tokens in (found.orders.first, found.orders.second))
        panels = _beside(scene, options.show, found.orders, first, second, links)
    orders = join_words(isolate(" ".join(map(format_token, one))) for one in (found.orders.first, found.orders.second))
    model = scene.model
    depth = (
        format_count(model.n_layers, "layer")
        if isinstance(model, ToyModel)
        else f"layer {model.layer} of {model.layers}"
    )
    mask = "with a causal mask" if scene.model.causal else "without a mask"
    what = "what enters attention" if options.show == "inputs" else "their outputs"
    headline = _headline(scene, found, changes, what)
    return Figure(
        panels=panels,
        headline=headline,
        caption_parts=compose_caption(
            *toy_parts(scene),
            f"{depth}, {mask}",
            f"lines: the largest |f(Px) − P f(x)| of each {scene.unit}",
            describe_first_tokens(len(found.orders.first), scene),
        ),
        description=f"{orders}. {quote_runs(headline) if options.show == 'inputs' else found.reason}",
    )


def _headline(scene: Scene, found: Equivariance, changes: Tensor, what: str) -> tuple[Run, ...]:
    """“With RoPE, reordering the words changes their outputs: that of “the” (0) most, by up to 0.61.”"""
    begun = f"{under(scene.encoding)} reordering the {scene.unit}s "
    if found.is_equivariant or not changes.any():
        return sentence(f"{begun}only reorders {what}: ", number_run("no"), " number changes.")
    why = ": the mask alone reveals the order." if scene.encoding.door == "none" else "."
    most = name_token(found.orders.first, int(changes.argmax()))
    return sentence(f"{begun}changes {what}: that of {most} most, by up to ", float(changes.max()), why)


def _axes(scene: Scene, orders: TwoOrders, role: Literal["position", "query", "key"]) -> tuple[Axis, Axis]:
    """Return the axes of both orders. The scene's own order gets the plain role, so that linked crosshairs match it."""
    other: Role = _OTHERS[role]
    roles: tuple[Role, Role] = (other, role) if orders.reordered else (role, other)
    focus = scene.focused if scene.focused is not None and scene.focused < len(orders.order) else None
    places = (focus, focus)
    if focus is not None:
        places = (orders.order[focus], focus) if orders.reordered else (focus, orders.order.index(focus))
    first, second = (
        Axis(of, role, 0, tuple(map(format_token, tokens)), place, twins(tokens))
        for of, tokens, place in zip(roles, (orders.first, orders.second), places, strict=True)
    )
    return first, second


_OTHERS: dict[Literal["position", "query", "key"], Role] = {
    "position": "other position", "query": "other query", "key": "other key",
}  # fmt: skip


def _links(found: Equivariance, changes: Tensor, left: Axis, right: Axis) -> Links:
    values = as_values(changes[list(found.orders.order)])
    high = 1.0 if found.is_equivariant else max(float(values.max()), 1e-6)
    ends = tuple((typed, place) for place, typed in enumerate(found.orders.order))
    return Links("which is which", "change", left, right, ends, values, high)


def _beside(
    scene: Scene, show: Shown, orders: TwoOrders, first: LastLayer, second: LastLayer, links: Links
) -> tuple[Heatmap, Links, Heatmap]:
    titles = orders.titles
    if show == "maps":
        values = [as_values(one.weights.mean(0)) for one in (first, second)]
        mask = ~first.visible.numpy() if scene.model.causal else None
        axes = zip(_axes(scene, orders, "query"), _axes(scene, orders, "key"), strict=True)
        seen = values if mask is None else [weights[~mask] for weights in values]
        high = end_of_colours(values[0].shape, *seen)
        one, other = (
            Heatmap(title, "weight", weights, rows, columns, 0.0, high, mask=mask)
            for title, weights, (rows, columns) in zip(titles, values, axes, strict=True)
        )
        return one, links, other
    values = [as_values(one.inputs if show == "inputs" else one.output) for one in (first, second)]
    low, high = symmetric_range(*values)
    dimensions = Axis("dimension", "dimension")
    one, other = (
        Heatmap(title, "value", vectors, rows, dimensions, low, high, "diverging")
        for title, vectors, rows in zip(titles, values, _axes(scene, orders, "position"), strict=True)
    )
    return one, links, other


PLOT = Plot(
    "Two orders",
    "The sentence in two orders, and what changes beside the order.",
    "What does another order change?",
    EquivarianceOptions,
    draw,
    "Order lost and found",
)
