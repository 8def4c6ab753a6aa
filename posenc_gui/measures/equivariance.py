"""Equivariance: do the outputs of reordered tokens differ from the reordered outputs?"""

from __future__ import annotations

from dataclasses import dataclass, replace

import torch
from torch import Tensor

from posenc_gui.attention.engine import Engine
from posenc_gui.attention.layer import heads_to_compute
from posenc_gui.attention.toy_model import ToyModel
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.foundation.wording import format_count, format_number
from posenc_gui.measures.base import (
    ROUNDING,
    Measure,
    Measurement,
    Place,
    TwoOrders,
    measured_in,
    output,
    two_orders,
    under,
)
from posenc_gui.scene.scene import Scene
from posenc_gui.text.tokenization import name_token


@dataclass(frozen=True, eq=False)
class Equivariance(Measurement):
    """The differences |f(Px) − P f(x)|: for each token the largest over its components.

    The permutation P turns `orders.first` into `orders.second`. `inputs` (n,) are the differences of the inputs, and
    `by_layer[0]` and `by_layer[1]` (n,) those of the outputs of one and of two layers, all in the first order; of a model
    that has learned, `by_layer[0]` are those of its layer. `most` is the index, in the first order, of the token that
    changed most, or None if none changed by more than rounding.
    `value` is the largest difference for the scene's number of layers.
    """

    orders: TwoOrders
    inputs: Tensor
    by_layer: tuple[Tensor, ...]
    most: int | None

    @property
    def is_equivariant(self) -> bool:
        """True if reordering the tokens reorders the outputs and changes nothing else, up to rounding."""
        return self.most is None

    def place(self, field: str, _at: tuple[int, ...] = ()) -> Place:
        """Return the row of the token that changes most, in both orders; none if nothing but rounding changes."""
        if field != "value" or self.most is None:
            return ()
        places = self.most, self.orders.order.index(self.most)
        first, second = ("other position", "position") if self.orders.reordered else ("position", "other position")
        return (first, places[0]), (second, places[1])


def take(scene: Scene, _options: Frozen, engine: Engine) -> Equivariance:
    """Run one and two layers over both orders.

    Source: the claim is in Vaswani et al. 2017, section 3.5; the name in Lee et al. 2019.
    """
    orders, heads = two_orders(scene), heads_to_compute(scene.model, scene.encoding)
    first, second = (
        engine.first_layer(replace(scene.prompt_of(heads), tokens=tokens)).inputs.cpu()
        for tokens in (orders.first, orders.second)
    )
    inputs = _by_token(second, first, orders)
    by_layer, size = [], 0.0
    depths = (1, 2) if isinstance(scene.model, ToyModel) else (1,)
    for n_layers in depths:
        first, second = (output(scene, engine, tokens, n_layers, heads) for tokens in (orders.first, orders.second))
        by_layer.append(_by_token(second, first, orders))
        if n_layers == scene.model.n_layers:
            size = float(first.abs().max())
    judged = by_layer[scene.model.n_layers - 1]
    value = float(judged.max())
    most = int(judged.argmax()) if value > ROUNDING * max(size, 1.0) else None
    if most is None:
        reason = (
            f"{under(scene.encoding)} reordering the {scene.unit}s only reorders their outputs: no number changes, but for "
            "rounding."
        )
    else:
        change = f"that of {name_token(orders.first, most)} most, by up to {format_number(value)}"
        why = ": the mask alone reveals the order" if scene.encoding.door == "none" else ""
        same = int((judged <= ROUNDING * max(size, 1.0)).sum())
        kept = f"; {same} of {format_count(len(judged), scene.unit)} keep theirs" if same else ""
        reason = f"{under(scene.encoding)} reordering the {scene.unit}s changes their outputs, {change}{kept}{why}."
    reason += measured_in(heads, scene, len(orders.first))
    return Equivariance(value, reason, orders, inputs, tuple(by_layer), most)


def _by_token(moved: Tensor, still: Tensor, orders: TwoOrders) -> Tensor:
    """Return for each token the largest difference between its row in the second order and its row in the first."""
    difference = torch.empty(len(still))
    difference[list(orders.order)] = (moved - still[list(orders.order)]).abs().amax(-1)
    return difference


MEASURE = Measure(
    "Equivariance",
    "Does reordering the words change more than the order of the outputs?",
    Frozen,
    take,
    are_differences=True,
)
