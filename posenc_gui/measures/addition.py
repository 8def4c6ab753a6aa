"""Adding or concatenating: what each way of combining tokens and positions costs, and what can be recovered from it."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from posenc_gui.attention.engine import Engine
from posenc_gui.attention.layer import heads_to_compute
from posenc_gui.foundation import random_streams
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.foundation.errors import Undefined
from posenc_gui.foundation.wording import format_count, format_percent, quote
from posenc_gui.measures.base import LEAST_POSITIONS, Measure, Measurement, coordinates, measured_in, signatures
from posenc_gui.scene.remedies import SINUSOIDAL
from posenc_gui.scene.scene import Scene

NOISE = 0.05  # standard deviation of what disturbs each number before a sum is read as a pair; toy numbers are about 1
VOCABULARY = 64  # size of the vocabulary from which a token is recovered: the sentence's tokens, padded with others


@dataclass(frozen=True, eq=False)
class Addition(Measurement):
    """How well tokens and positions can be recovered from the sum x + p, compared with the concatenation [x; p].

    A nearest-vector search recovers the token and the position from each sum. `tokens` and `positions` are the shares
    of correct results over all pairs of `n_tokens` tokens and `n_positions` positions, each sought separately.
    `paired_tokens`, `paired_positions` and `paired` (both correct) are the shares of a reader that compares each sum,
    with noise of NOISE in each number, with the sums of all pairs. `concatenated_tokens`,
    `concatenated_positions` and `concatenated_pairs` (both correct) are the same shares for the concatenation, in which
    token and position have separate dimensions. `width` and `parameters` (of W_q, W_k and W_v) are given for the sum
    and for the concatenation. `linear` is the largest |W_q (x + p) − (W_q x + W_q p)| of one token over all positions.
    `value` is the share of sums from which both the token and the position are recovered separately.
    """

    value: float
    tokens: float
    positions: float
    paired_tokens: float
    paired_positions: float
    paired: float
    concatenated_tokens: float
    concatenated_positions: float
    concatenated_pairs: float
    n_tokens: int
    n_positions: int
    width: tuple[int, int]
    parameters: tuple[int, int]
    linear: float


def take(scene: Scene, _options: Frozen, engine: Engine) -> Addition:
    """Recover from each sum the token whose vector plus the mean position vector is nearest; positions likewise."""
    encoding, model = scene.encoding, scene.toy
    if encoding.door != "input":
        where = "nowhere" if encoding.door == "none" else f"at the {encoding.door} door, inside attention"
        raise Undefined(f"{quote(encoding.titled)} adds nothing to the words' vectors: it acts {where}.", SINUSOIDAL)
    words = tuple(dict.fromkeys(scene.tokens))[:VOCABULARY]
    words += tuple(f"other token {index}" for index in range(VOCABULARY - len(words)))
    tokens = model.embed(words).double() * model.embedding_scale
    positions = signatures(scene, coordinates(scene, LEAST_POSITIONS), engine, LEAST_POSITIONS)
    token_back, position_back = _read_back(tokens, positions, engine)
    both = _share(token_back & position_back)
    paired_tokens, paired_positions = _read_as_pairs(tokens, positions, engine)
    paired = _share(paired_tokens & paired_positions)
    heads = heads_to_compute(model, encoding)
    sums, token, alone = (
        model.projected(vectors, "query", 0, engine.check_stop, heads)
        for vectors in (tokens[0] + positions, tokens[:1], positions)
    )
    linear = float((sums - token - alone).abs().max())
    token_share, position_share = _share(token_back), _share(position_back)
    own_token, own_position = (_share(_nearest(one, one) == torch.arange(len(one))) for one in (tokens, positions))
    columns = 3 * model.n_heads * model.head_width
    reason = (
        f"By the nearest vector, {format_percent(token_share)} of the tokens and {format_percent(position_share)} of the "
        f"positions can be read back separately from the sum, in {format_count(model.d_model, 'dimension')}; read as a pair, "
        f"with noise of {NOISE:g} in each number, {format_percent(paired)} of the pairs; concatenated, "
        f"{format_percent(own_token)} and {format_percent(own_position)}, in {2 * model.d_model}, with "
        f"{columns * model.d_model:,} more weights. "
        f"W (x + p) = W x + W p, but for rounding.{measured_in(heads, scene)}"
    )
    return Addition(
        both,
        reason,
        token_share,
        position_share,
        _share(paired_tokens),
        _share(paired_positions),
        paired,
        own_token,
        own_position,
        own_token * own_position,  # with separate dimensions, token and position don't disturb each other
        len(tokens),
        len(positions),
        (model.d_model, 2 * model.d_model),
        (columns * model.d_model, 2 * columns * model.d_model),
        linear,
    )


def _read_back(tokens: Tensor, positions: Tensor, engine: Engine) -> tuple[Tensor, Tensor]:
    """Tell which sums have the right token, and which the right position, nearest to them: (tokens, positions) each."""
    token_back, position_back = [], []
    for index, token in enumerate(tokens):
        engine.check_stop()
        sums = token + positions
        token_back.append(_nearest(sums, tokens + positions.mean(0)) == index)
        position_back.append(_nearest(sums, positions + tokens.mean(0)) == torch.arange(len(positions)))
    return torch.stack(token_back), torch.stack(position_back)


def _read_as_pairs(tokens: Tensor, positions: Tensor, engine: Engine) -> tuple[Tensor, Tensor]:
    """Tell the same for a reader that seeks the nearest of all sums to each sum with noise: (tokens, positions) each."""
    n_positions = len(positions)
    lengths = (tokens.pow(2).sum(-1)[:, None] + positions.pow(2).sum(-1) + 2 * tokens @ positions.T)[None]
    token_back, position_back = [], []
    for index, token in enumerate(tokens):
        engine.check_stop()
        noise = random_streams.normal(0, "noise", str(index), shape=tuple(positions.shape)).double()
        sums = token + positions + NOISE * noise
        distances = lengths - (sums @ (2 * tokens).T)[:, :, None]  # squared, but for |sum|², which all have in common
        distances -= (sums @ (2 * positions).T)[:, None, :]  # in place: there are n_tokens · n_positions² of them
        nearest = distances.flatten(1).argmin(-1)
        token_back.append(nearest // n_positions == index)
        position_back.append(nearest % n_positions == torch.arange(n_positions))
    return torch.stack(token_back), torch.stack(position_back)


def _share(right: Tensor) -> float:
    return float(right.double().mean())


def _nearest(vectors: Tensor, candidates: Tensor) -> Tensor:
    """Return the index of the candidate (n, width) that is nearest to each vector (…, width)."""
    lengths = candidates.pow(2).sum(-1)
    return (lengths - 2 * vectors @ candidates.T).argmin(-1)


MEASURE = Measure("Adding or appending", "What does adding cost, and what can be read back after it?", Frozen, take)
