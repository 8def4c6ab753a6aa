"""Recurrence: how a recurrent network represents order without an encoding, and the cost of doing so."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import torch
from torch import Tensor

from posenc_gui.attention import memory_cost
from posenc_gui.attention.engine import Engine
from posenc_gui.attention.forward import outputs
from posenc_gui.attention.layer import Layer
from posenc_gui.foundation import random_streams
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.foundation.errors import Undefined
from posenc_gui.foundation.wording import format_count, format_number
from posenc_gui.measures.base import Measure, Measurement, Place, TwoOrders, measured_in, two_orders
from posenc_gui.scene.scene import Scene

HIDDEN = 32  # hidden units of the network
_TOGETHER = 64  # tokens that the network reads between two calls of check_stop
_WHOLE = 16  # dimensions up to which the first token's vector is perturbed in each
_DIRECTIONS = 8  # directions in which a wider one is perturbed
_STEP = 1e-5  # size of the perturbation: float64 leaves ten digits of the difference


@dataclass(frozen=True, eq=False)
class Recurrence(Measurement):
    """A seeded torch.nn.RNN (Elman 1990, tanh) over the token vectors, compared with attention.

    `hidden` and `other_hidden` (n, HIDDEN) are its states for two orders of the tokens. `apart` (n,) are the distances
    between the two states at each step, relative to the norm of one, `order_difference` is the last of them. `steps` and
    `attention_steps` count the sequential steps of each. `fading`, `attention` and `attention_without` (n,) are the
    influence of the first token on each token's state or output: the root mean square, over directions, of the derivative
    with respect to the first token's vector. `attention` is None if the encoding isn't defined. `value` is the influence
    on the last state divided by that on the first, `attention_share` the same of attention without an encoding.
    """

    orders: TwoOrders
    hidden: Tensor
    other_hidden: Tensor
    apart: Tensor
    order_difference: float
    steps: int
    attention_steps: int
    fading: Tensor
    attention: Tensor | None
    attention_without: Tensor | None
    attention_share: float | None

    def place(self, field: str, _at: tuple[int, ...] = ()) -> Place:
        """Return the last step, and of the difference of the orders the rows of both last states, whose distance it is."""
        last = len(self.hidden) - 1
        match field:
            case "order_difference":
                return ("position", last), ("other position", last), ("step", last + 1)
            case "value" | "attention_share":
                return (("step", last),)
        return ()


def take(scene: Scene, _options: Frozen, engine: Engine) -> Recurrence:
    """Compare a network with torch's initial weights, drawn from the model's seed, with attention.

    Source for fading: Bengio, Simard, Frasconi 1994.
    """
    orders, model = two_orders(scene), scene.toy
    network = _network(model.d_model, model.seed)
    vectors = {
        tokens: model.embed(tokens, engine.check_stop) * model.embedding_scale
        for tokens in (orders.first, orders.second)
    }
    hidden, other = (_states(network, vectors[tokens].double(), engine) for tokens in (orders.first, orders.second))
    apart = (hidden - other).norm(dim=1) / hidden.norm(dim=1).clamp(min=1e-30)
    difference = float(apart[-1])
    fading = _fading(network, hidden, engine)
    attention, without = (_influence_in_attention(one, orders.first, engine) for one in (scene, scene.without_position))
    value = float(share_of_first(fading)[-1])
    steps = len(orders.first)
    reason = (
        f"The network takes {format_count(steps, 'step')} one after another, attention {model.n_layers}; at the end the first "
        f"token's influence on its state is {format_number(value)} of what it was at first, and its last states for the two "
        f"orders are {format_number(difference)} of their length apart."
        f"{measured_in(None, scene, steps)}"
    )
    share = None if without is None else float(share_of_first(without)[-1])
    depth = model.n_layers
    return Recurrence(
        value, reason, orders, hidden, other, apart, difference, steps, depth, fading, attention, without, share
    )


def share_of_first(influence: Tensor) -> Tensor:
    """Return an influence (n,) in parts of that on the first state or output."""
    return influence / influence[0].clamp(min=1e-30)


def _network(d_model: int, seed: int) -> torch.nn.RNN:
    """Create a network with uniform weights up to 1 / √HIDDEN, torch's default, from a random stream of its own."""
    with torch.random.fork_rng(devices=[]):  # torch draws weights that are replaced below
        network = torch.nn.RNN(d_model, HIDDEN).double()
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for weights in network.parameters():
            weights.uniform_(-1, 1, generator=generator).div_(math.sqrt(HIDDEN))
    return network.requires_grad_(False)


def _attending(scene: Scene, tokens: tuple[str, ...], engine: Engine) -> Callable[[Tensor], Tensor]:
    """Return attention as a function from token vectors (n, d_model) to outputs, through all layers."""
    replace(engine, device="cpu").require(partial(memory_cost.layer_bytes, size=8), len(tokens), scene.model)
    layer = Layer.over(replace(scene.prompt, tokens=tokens), check_stop=engine.check_stop)
    position = scene.encoding.vectors(layer.positions, scene.model.d_model, layer.context)

    def attend(x: Tensor) -> Tensor:
        now = layer.fed(x + position, engine.check_stop)
        while now.index + 1 < scene.model.n_layers:
            now = now.above(outputs(now, engine.check_stop), engine.check_stop)
        return outputs(now, engine.check_stop)

    return attend


def _states(network: torch.nn.RNN, vectors: Tensor, engine: Engine) -> Tensor:
    """Return the network's state at each token, (n, HIDDEN)."""
    states, last = [], None
    for some in torch.split(vectors, _TOGETHER):
        engine.check_stop()
        state, last = network(some, last)
        states.append(state)
    return torch.cat(states)


def _fading(network: torch.nn.RNN, hidden: Tensor, engine: Engine) -> Tensor:
    """Return the size of ∂h_t / ∂x_0 at each step, (n,), by the chain rule for h_t = tanh(W x_t + U h_(t−1) + b)."""
    sizes, moved = [], network.weight_ih_l0
    for state in hidden:
        engine.check_stop()
        moved = (1 - state**2)[:, None] * moved
        largest = moved.abs().max().clamp(min=1e-300)  # after hundreds of steps the squares would underflow to 0
        sizes.append((moved / largest).norm() * largest / math.sqrt(moved.shape[1]))
        moved = network.weight_hh_l0 @ moved
    return torch.stack(sizes)


def _influence_in_attention(scene: Scene, tokens: tuple[str, ...], engine: Engine) -> Tensor | None:
    """Return the influence in attention, (n,); None if the encoding, which the network lacks, has not so many positions."""
    try:
        function = _attending(scene, tokens, engine)
    except Undefined:
        return None
    return _influence(function, scene.toy.embed(tokens).double() * scene.toy.embedding_scale, engine)


def _influence(function: Callable[[Tensor], Tensor], vectors: Tensor, engine: Engine) -> Tensor:
    """Return the change of each row of the result when the first row is perturbed: (n,), by central differences in float64.
    The first row is perturbed in seeded, orthogonal directions. Up to _WHOLE dimensions their mean square is that over all
    directions; of a wider row a few are tried, which estimates it."""
    count = vectors.shape[1] if vectors.shape[1] <= _WHOLE else _DIRECTIONS
    directions = torch.linalg.qr(random_streams.normal(0, "nudge", shape=(vectors.shape[1], count)).double()).Q.T
    squares = torch.zeros(len(vectors), dtype=torch.float64)
    for direction in directions:
        engine.check_stop()
        nudge = torch.zeros(vectors.shape, dtype=torch.float64)
        nudge[0] = _STEP * direction
        moved = (function(vectors + nudge) - function(vectors - nudge)) / (2 * _STEP)
        squares += moved.pow(2).sum(-1)
    return (squares / count).sqrt()


MEASURE = Measure("Recurrence", "How does a recurrent network know the order, and what does it pay?", Frozen, take)
