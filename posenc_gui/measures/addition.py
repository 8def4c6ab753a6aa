"""Adding or appending: adding position vectors against concatenating them: what it costs, and what can be read back."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from posenc_gui.attention.engine import Engine
from posenc_gui.attention.layer import heads_alone
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.foundation.errors import Undefined
from posenc_gui.measures.base import (
    LEAST_POSITIONS,
    Measure,
    Measurement,
    coordinates,
    counted,
    measured_in,
    percent,
    signatures,
    tiny,
)
from posenc_gui.scene.scene import Scene

VOCABULARY = 64  # tokens among which one is read back: the sentence's, filled up with others


@dataclass(frozen=True, eq=False)
class Addition(Measurement):
    """Tokens and positions after the sum x + p, beside what concatenating [x; p] would give.

    tokens, positions: the share that the nearest vector gives back from the sum, over every pair of `n_tokens` tokens and
    `n_positions` positions; concatenated, each stands in dimensions of its own: `concatenated_tokens` and
    `concatenated_positions`, and both of `concatenated_pairs`. `width` and `parameters` (of W_q, W_k and W_v) are for the sum
    and for the concatenation. `linear` is the largest |W_q (x + p) − (W_q x + W_q p)| of one token at every position.
    `value` is the share of pairs of which both come back.
    """

    value: float
    tokens: float
    positions: float
    concatenated_tokens: float
    concatenated_positions: float
    concatenated_pairs: float
    n_tokens: int
    n_positions: int
    width: tuple[int, int]
    parameters: tuple[int, int]
    linear: float


def take(scene: Scene, _options: Frozen, engine: Engine) -> Addition:
    """A token is read back as the one whose vector, with the mean position added, is nearest to the sum; positions alike."""
    encoding, model = scene.encoding, scene.model
    if encoding.door != "input":
        where = "nowhere" if encoding.door == "none" else f"at the {encoding.door} door, inside attention"
        raise Undefined(f"“{encoding.called}” adds nothing to the tokens' vectors: it acts {where}.")
    words = tuple(dict.fromkeys(scene.tokens))[:VOCABULARY]
    words += tuple(f"other token {index}" for index in range(VOCABULARY - len(words)))
    tokens = model.embed(words).double() * model.embedding_scale
    positions = signatures(scene, coordinates(scene, LEAST_POSITIONS), engine, LEAST_POSITIONS)
    token_back, position_back = [], []
    for index, token in enumerate(tokens):
        engine.check_stop()
        sums = token + positions
        token_back.append(_nearest(sums, tokens + positions.mean(0)) == index)
        position_back.append(_nearest(sums, positions + tokens.mean(0)) == torch.arange(len(positions)))
    both = _share(torch.stack(token_back) & torch.stack(position_back))
    heads = heads_alone(model, encoding)
    sums, token, alone = (
        model.projected(vectors, "query", 0, engine.check_stop, heads)
        for vectors in (tokens[0] + positions, tokens[:1], positions)
    )
    linear = float((sums - token - alone).abs().max())
    token_share, position_share = _share(torch.stack(token_back)), _share(torch.stack(position_back))
    own_token, own_position = (_share(_nearest(one, one) == torch.arange(len(one))) for one in (tokens, positions))
    columns = 3 * model.n_heads * model.head_width
    reason = (
        f"By the nearest vector {percent(token_share)} of the tokens and {percent(position_share)} of the positions can be "
        f"read back from the sum, in {counted(model.d_model, 'dimension')}; concatenated {percent(own_token)} and "
        f"{percent(own_position)}, in {2 * model.d_model}, with {columns * model.d_model:,} more weights. W (x + p) = W x + "
        f"W p: the difference is {tiny(linear)}.{measured_in(heads, scene)}"
    )
    return Addition(
        both,
        reason,
        token_share,
        position_share,
        own_token,
        own_position,
        own_token * own_position,  # neither hides the other
        len(tokens),
        len(positions),
        (model.d_model, 2 * model.d_model),
        (columns * model.d_model, 2 * columns * model.d_model),
        linear,
    )


def _share(right: Tensor) -> float:
    return float(right.double().mean())


def _nearest(vectors: Tensor, candidates: Tensor) -> Tensor:
    """The index of the candidate, (n, width), nearest to each vector, (…, width)."""
    lengths = candidates.pow(2).sum(-1)
    return (lengths - 2 * vectors @ candidates.T).argmin(-1)


MEASURE = Measure("Adding or appending", "What does adding cost, and what can be read back after it?", Frozen, take)
