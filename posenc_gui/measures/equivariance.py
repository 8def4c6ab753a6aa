"""Equivariance: do the outputs of reordered tokens differ from the reordered outputs?"""

from __future__ import annotations

from dataclasses import dataclass, replace

import torch
from torch import Tensor

from posenc_gui.attention.engine import Engine
from posenc_gui.attention.layer import heads_alone
from posenc_gui.figure.figure import number
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.measures.base import (
    ROUNDING,
    Measure,
    Measurement,
    TwoOrders,
    counted,
    measured_in,
    named,
    output,
    tiny,
    two_orders,
    under,
)
from posenc_gui.scene.scene import Scene


@dataclass(frozen=True, eq=False)
class Equivariance(Measurement):
    """|f(Px) − P f(x)|, the largest of each token's numbers; `value` is the largest of all, in the scene's depth.

    P leads from `orders.first` to `orders.second`. `inputs` and `by_layer[0]`, `by_layer[1]` (the outputs of one layer and
    of two) are (n,), by the first order; `most` is the index there of the token that changed most, None where none did.
    """

    orders: TwoOrders
    inputs: Tensor
    by_layer: tuple[Tensor, Tensor]
    most: int | None

    @property
    def is_equivariant(self) -> bool:
        """Whether reordering the tokens reorders the outputs and changes nothing else, to rounding."""
        return self.most is None


def take(scene: Scene, _options: Frozen, engine: Engine) -> Equivariance:
    """One and two layers over both orders. Vaswani et al. 2017, section 3.5, is the claim; Lee et al. 2019 the name."""
    orders, heads = two_orders(scene), heads_alone(scene.model, scene.encoding)
    first, second = (
        engine.first_layer(replace(scene.prompt_of(heads), tokens=tokens)).inputs.cpu()
        for tokens in (orders.first, orders.second)
    )
    inputs = _by_token(second, first, orders)
    by_layer, size = [], 0.0
    for n_layers in (1, 2):
        first, second = (output(scene, engine, tokens, n_layers, heads) for tokens in (orders.first, orders.second))
        by_layer.append(_by_token(second, first, orders))
        if n_layers == scene.model.n_layers:
            size = float(first.abs().max())
    judged = by_layer[scene.model.n_layers - 1]
    value = float(judged.max())
    most = int(judged.argmax()) if value > ROUNDING * max(size, 1.0) else None
    if most is None:
        reason = (
            f"{under(scene.encoding)} reordering the tokens only reorders their outputs: no number changes by more than "
            f"{tiny(value)}."
        )
    else:
        change = f"that of {named(orders.first, most)} most, by up to {number(value)}"
        why = ": the mask alone tells order" if scene.encoding.door == "none" else ""
        same = int((judged <= ROUNDING * max(size, 1.0)).sum())
        kept = f"; {same} of {counted(len(judged), 'token')} keep theirs" if same else ""
        reason = f"{under(scene.encoding)} reordering the tokens changes their outputs, {change}{kept}{why}."
    return Equivariance(
        value, reason + measured_in(heads, scene, len(orders.first)), orders, inputs, (by_layer[0], by_layer[1]), most
    )


def _by_token(moved: Tensor, still: Tensor, orders: TwoOrders) -> Tensor:
    """The largest difference of each token between its place in the second order and its place in the first."""
    difference = torch.empty(len(still))
    difference[list(orders.order)] = (moved - still[list(orders.order)]).abs().amax(-1)
    return difference


MEASURE = Measure("Equivariance", "Does reordering the tokens change more than the order of the outputs?", Frozen, take)
