"""Recurrence: how a recurrent network holds position without an encoding, and what it pays for that."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import torch
from torch import Tensor

from posenc_gui.attention import memory_cost as costs
from posenc_gui.attention.engine import Engine
from posenc_gui.attention.forward import outputs
from posenc_gui.attention.layer import Layer
from posenc_gui.figure.figure import number
from posenc_gui.foundation import random_streams as seeded
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.foundation.errors import Undefined
from posenc_gui.measures.base import Measure, Measurement, TwoOrders, counted, measured_in, two_orders
from posenc_gui.scene.scene import Scene

HIDDEN = 32  # units of the network
_TOGETHER = 64  # tokens that the network reads between two questions whether to stop
_DIRECTIONS = 8  # in which the first token is nudged
_STEP = 1e-5  # of a nudge: float64 keeps ten digits of the difference


@dataclass(frozen=True, eq=False)
class Recurrence(Measurement):
    """A seeded torch.nn.RNN (Elman 1990, tanh) over the tokens' vectors, beside attention.

    hidden, other_hidden: (n, HIDDEN), its states over both orders. `order_difference` is how far its last states for the
    two orders are apart, in lengths of one. `steps` must follow one another in the network, `attention_steps` in
    attention. `fading`, `attention`, `attention_without`: (n,), the influence of the first token on the state, or output,
    of each token: the size of the derivative by its vector, a root mean square over directions; None where the encoding
    is not defined. `value` is the influence on the last state over that on the first.
    """

    orders: TwoOrders
    hidden: Tensor
    other_hidden: Tensor
    order_difference: float
    steps: int
    attention_steps: int
    fading: Tensor
    attention: Tensor | None
    attention_without: Tensor | None


def take(scene: Scene, _options: Frozen, engine: Engine) -> Recurrence:
    """Weights as torch initializes them, from the model's seed. Fading: Bengio, Simard, Frasconi 1994."""
    orders = two_orders(scene)
    model = scene.model
    network = _network(model.d_model, model.seed)
    vectors = {
        tokens: model.embed(tokens, engine.check_stop) * model.embedding_scale
        for tokens in (orders.first, orders.second)
    }
    hidden, other = (_states(network, vectors[tokens].double(), engine) for tokens in (orders.first, orders.second))
    difference = float((hidden[-1] - other[-1]).norm() / hidden[-1].norm().clamp(min=1e-30))
    fading = _fading(network, hidden, engine)
    attention, without = (_influence_in_attention(one, orders.first, engine) for one in (scene, scene.without_position))
    value = float(fading[-1] / fading[0].clamp(min=1e-30))
    steps = len(orders.first)
    reason = (
        f"{counted(steps, 'step')} must follow one another in the network, {model.n_layers} in attention; at the end the first "
        f"token's influence on its state is {number(value)} of what it was, and its last states for the two orders are "
        f"{number(difference)} of their length apart."
        f"{measured_in(None, scene, steps)}"
    )
    return Recurrence(
        value, reason, orders, hidden, other, difference, steps, model.n_layers, fading, attention, without
    )


def _network(d_model: int, seed: int) -> torch.nn.RNN:
    """Uniform weights up to 1 / √HIDDEN, as torch's own are, from a stream of their own."""
    with torch.random.fork_rng(devices=[]):  # torch draws weights that are not used
        network = torch.nn.RNN(d_model, HIDDEN).double()
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for weights in network.parameters():
            weights.uniform_(-1, 1, generator=generator).div_(math.sqrt(HIDDEN))
    return network.requires_grad_(False)


def _attending(scene: Scene, tokens: tuple[str, ...], engine: Engine) -> Callable[[Tensor], Tensor]:
    """Attention as a function of the tokens' vectors, (n, d_model), to outputs, through all layers."""
    replace(engine, device="cpu").require(partial(costs.of_layer, size=8), len(tokens), scene.model)
    layer = Layer.over(replace(scene.prompt, tokens=tokens), check_stop=engine.check_stop)
    position = scene.encoding.vectors(layer.positions, scene.model.d_model, layer.context)

    def attend(x: Tensor) -> Tensor:
        now = layer.fed(x + position, engine.check_stop)
        while now.index + 1 < scene.model.n_layers:
            now = now.above(outputs(now, engine.check_stop), engine.check_stop)
        return outputs(now, engine.check_stop)

    return attend


def _states(network: torch.nn.RNN, vectors: Tensor, engine: Engine) -> Tensor:
    """The network's state at each token, (n, HIDDEN)."""
    states, last = [], None
    for some in torch.split(vectors, _TOGETHER):
        engine.check_stop()
        state, last = network(some, last)
        states.append(state)
    return torch.cat(states)


def _fading(network: torch.nn.RNN, hidden: Tensor, engine: Engine) -> Tensor:
    """The size of ∂h_t / ∂x_0 at each step, (n,): by the chain rule, since h_t = tanh(W x_t + U h_(t−1) + b)."""
    sizes, moved = [], network.weight_ih_l0
    for state in hidden:
        engine.check_stop()
        moved = (1 - state**2)[:, None] * moved
        largest = moved.abs().max().clamp(min=1e-300)  # squares of what is left after hundreds of steps are 0
        sizes.append((moved / largest).norm() * largest / math.sqrt(moved.shape[1]))
        moved = network.weight_hh_l0 @ moved
    return torch.stack(sizes)


def _influence_in_attention(scene: Scene, tokens: tuple[str, ...], engine: Engine) -> Tensor | None:
    """None where the encoding isn't defined for so many tokens: the network needs none."""
    try:
        function = _attending(scene, tokens, engine)
    except Undefined:
        return None
    return _influence(function, scene.model.embed(tokens).double() * scene.model.embedding_scale, engine)


def _influence(function: Callable[[Tensor], Tensor], vectors: Tensor, engine: Engine) -> Tensor:
    """How much each row of the result moves when the first row is nudged: (n,), by central differences in float64.

    Nudged are a few seeded directions, orthogonal to each other, whose mean square stands for that of all.
    """
    count = min(_DIRECTIONS, vectors.shape[1])
    directions = torch.linalg.qr(seeded.normal(0, "nudge", shape=(vectors.shape[1], count)).double()).Q.T
    squares = torch.zeros(len(vectors), dtype=torch.float64)
    for direction in directions:
        engine.check_stop()
        nudge = torch.zeros(vectors.shape, dtype=torch.float64)
        nudge[0] = _STEP * direction
        moved = (function(vectors + nudge) - function(vectors - nudge)) / (2 * _STEP)
        squares += moved.pow(2).sum(-1)
    return (squares / count).sqrt()


MEASURE = Measure("Recurrence", "How does a recurrent network know the order, and what does it pay?", Frozen, take)
