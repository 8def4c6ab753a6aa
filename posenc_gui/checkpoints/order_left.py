"""Whether a model without its positions still tells the order of a text: measured, since its code may know it elsewhere too.

More than one part of a model may: a table beside a bias (MPNet), a rotation beside recurrence or convolution (Qwen 3.5,
LFM2), queries scaled by their position (Llama 4).
"""

from __future__ import annotations

from itertools import islice
from typing import Any

import torch
from torch import Tensor

from posenc_gui.checkpoints.checkpoint import Checkpoint
from posenc_gui.foundation.stopped import CheckStop, go_on

_TOKENS = 16
_SAME = 1e-4  # of weights: more than rounding leaves between places that nothing tells apart
_ALIKE = 1e-8  # of weights: less than what tells two tokens apart


def loses_order(checkpoint: Checkpoint, check_stop: CheckStop = go_on) -> bool:
    """Return True if weights without positions are those of the text in reverse, and yet tell its tokens apart.

    Where the mask can be dropped, or there is none, they are compared in every layer. Otherwise only the last query sees all
    tokens, and only the first layer's inputs are of one token each: these weights alone are compared.
    """
    table = checkpoint.table
    ids = _distinct(checkpoint, _TOKENS if table is None else min(_TOKENS, len(table.rows)))
    is_whole = checkpoint.is_open or not checkpoint.causal
    count = len(ids) if is_whole else len(ids) - 1  # tokens that change places
    order = torch.cat((torch.arange(count).flip(0), torch.arange(count, len(ids))))
    first, second = (checkpoint.weights_without_positions(some, check_stop) for some in (ids, ids[order]))
    if not is_whole:
        first, second = ([weights[0][:, -1:]] for weights in (first, second))
    return all(
        one.shape == other.shape and _is_same(one, other[:, order if is_whole else slice(None)][..., order])
        for one, other in zip(first, second, strict=True)
    )


def _is_same(weights: Tensor, others: Tensor) -> bool:
    """Return True if these weights, (h, n_q, n_k) each, are the same, and not the same for all keys."""
    is_alive = bool((weights - weights[..., :1]).abs().max() > _ALIKE)
    return is_alive and bool((weights - others).abs().max() < _SAME)


def _distinct(checkpoint: Checkpoint, count: int) -> Tensor:
    """Return this many different tokens, fewer of a small vocabulary, (n,): from its middle, where no special tokens stand."""
    config: Any = checkpoint.model.config
    size = int(config.vocab_size)
    step = max(1, size // (2 * count))
    tokens = (token for token in range(size // 4, size, step) if token != getattr(config, "pad_token_id", None))
    return torch.tensor(list(islice(tokens, count)))
