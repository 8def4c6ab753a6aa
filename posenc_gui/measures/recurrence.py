"""Recurrence: how a recurrent network holds position without an encoding, and what it pays for that."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from posenc_gui import seeded
from posenc_gui.attention.engine import Engine
from posenc_gui.attention.layer import Layer, context_of
from posenc_gui.encodings import encoding as encoding_of
from posenc_gui.encodings.base import Encoding
from posenc_gui.figure import number
from posenc_gui.frozen import Frozen
from posenc_gui.measures.base import Measure, Measurement, TwoOrders, two_orders

if TYPE_CHECKING:
    from posenc_gui.session import Session

HIDDEN = 32  # units of the network
_DIRECTIONS = 16  # seeded directions in which the first token is nudged: their mean stands for all


@dataclass(frozen=True, eq=False)
class Recurrence(Measurement):
    """A seeded torch.nn.RNN (Elman 1990, tanh) over the tokens' vectors, beside attention.

    hidden, other_hidden: (n, HIDDEN), its states over both orders. `order_difference` is how far its last states for the
    two orders are apart, in lengths of one. `steps` must follow one another in the network, `attention_steps` in
    attention. `fading`, `attention`, `attention_without`: (n,), the influence of the first token on the state, or output,
    of each token: the size of the derivative. `value` is the influence on the last state over that on the first.
    """

    orders: TwoOrders
    hidden: Tensor
    other_hidden: Tensor
    order_difference: float
    steps: int
    attention_steps: int
    fading: Tensor
    attention: Tensor
    attention_without: Tensor


def take(session: Session, _options: Frozen, engine: Engine) -> Recurrence:
    """Weights as torch initializes them, from the model's seed. Fading: Bengio, Simard, Frasconi 1994."""
    orders = two_orders(session)
    model = session.model
    network = _network(model.d_model, model.seed)
    vectors = {tokens: model.embed(tokens) * model.embedding_scale for tokens in (orders.first, orders.second)}
    with torch.no_grad():
        hidden, other = (network(vectors[tokens].double())[0] for tokens in (orders.first, orders.second))
    difference = float((hidden[-1] - other[-1]).norm() / hidden[-1].norm().clamp(min=1e-30))
    fading = _influence(lambda x: network(x)[0], vectors[orders.first].double(), engine)
    attention, without = (
        _influence(_attending(session, encoding, orders.first), vectors[orders.first], engine)
        for encoding in (session.encoding, encoding_of("none"))
    )
    value = float(fading[-1] / fading[0].clamp(min=1e-30))
    steps = len(orders.first)
    reason = (
        f"After {steps} steps, one after the other, the first token's influence on the network's state is {number(value)} "
        f"of what it was; its last states for the two orders are {number(difference)} of their length apart."
    )
    return Recurrence(
        value, reason, orders, hidden, other, difference, steps, model.n_layers, fading, attention, without
    )


def _network(d_model: int, seed: int) -> torch.nn.RNN:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return torch.nn.RNN(d_model, HIDDEN).double().requires_grad_(False)


def _attending(session: Session, encoding: Encoding, tokens: tuple[str, ...]) -> Callable[[Tensor], Tensor]:
    """Attention as a function of the tokens' vectors, (n, d_model), to outputs, through all layers."""
    model = session.model
    encoding.check_shape(model.d_model, model.n_heads, model.head_width)
    layer = Layer.over(tokens, model, encoding)
    position = encoding.vectors(layer.positions, model.d_model, context_of(len(tokens), model)).float()
    rows = slice(0, len(tokens))

    def attend(x: Tensor) -> Tensor:
        now = layer.fed(x + position)
        output = now.output(now.probabilities(now.scores(rows), rows), rows)
        for _ in range(1, model.n_layers):
            now = now.above(output)
            output = now.output(now.probabilities(now.scores(rows), rows), rows)
        return output

    return attend


def _influence(function: Callable[[Tensor], Tensor], vectors: Tensor, engine: Engine) -> Tensor:
    """How much each row of the result moves when the first row is nudged: (n,), the mean over seeded directions."""
    count = min(_DIRECTIONS, vectors.shape[1])
    directions = seeded.normal(0, "nudge", shape=(vectors.shape[1], count)).to(vectors)
    directions = torch.linalg.qr(directions).Q.T  # orthogonal, of length 1
    squares = torch.zeros(len(vectors), dtype=torch.float64)
    for direction in directions:
        engine.check_stop()
        nudge = torch.zeros_like(vectors)
        nudge[0] = direction
        with torch.no_grad():
            moved: Tensor = torch.func.jvp(function, (vectors,), (nudge,))[1]
        squares += moved.double().pow(2).sum(-1)
    return (squares / count).sqrt()


MEASURE = Measure("Recurrence", "How does a recurrent network know the order, and what does it pay?", Frozen, take)
