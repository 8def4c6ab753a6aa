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
_SAME = 1e-4  # of weights
_ROUNDING = 2**-20  # of the tokens' vectors: what this changes is more than what rounding in all layers does
_MOST = 1e-2  # of weights: where rounding alone changes more, nothing is shown
_ALIKE = 1e-8  # of weights: less than what tells two tokens apart


def loses_order(checkpoint: Checkpoint, check_stop: CheckStop = go_on) -> bool:
    """Return True if weights without positions are those of the text in reverse, and yet tell its tokens apart.

    Where the mask can be dropped, or there is none, they are compared in every layer. Otherwise only the last query sees all
    tokens, and only the first layer's inputs are of one token each: these weights alone are compared. In a deep model they may
    differ by what rounding makes of them, which a third pass shows.
    """
    table = checkpoint.table
    ids = _distinct(checkpoint, _TOKENS if table is None else min(_TOKENS, len(table.rows)))
    is_whole = checkpoint.is_open or not checkpoint.causal
    count = len(ids) if is_whole else len(ids) - 1  # tokens that change places
    order = torch.cat((torch.arange(count).flip(0), torch.arange(count, len(ids))))
    first, second = (checkpoint.weights_without_positions(some, check_stop) for some in (ids, ids[order]))
    if not is_whole:
        first, second = ([weights[0][:, -1:]] for weights in (first, second))
    second = [weights[:, order if is_whole else slice(None)][..., order] for weights in second]
    if any(
        one.shape != other.shape or _off(one, one[..., :1]) < _ALIKE for one, other in zip(first, second, strict=True)
    ):
        return False
    off = [_off(*pair) for pair in zip(first, second, strict=True)]
    is_same = all(one < _SAME for one in off)
    if is_same or not is_whole:
        return is_same
    shaken = checkpoint.weights_without_positions(ids, check_stop, _ROUNDING)
    allowed = (min(max(_off(*pair), _SAME), _MOST) for pair in zip(first, shaken, strict=True))
    return all(one < most for one, most in zip(off, allowed, strict=True))


def _off(weights: Tensor, others: Tensor) -> float:
    """Return by how much weights differ at most."""
    return float((weights - others).abs().max())


def _distinct(checkpoint: Checkpoint, count: int) -> Tensor:
    """Return this many different tokens, fewer of a small vocabulary, (n,): from its middle, where no special tokens stand."""
    config: Any = checkpoint.model.config
    size = int(config.vocab_size)
    step = max(1, size // (2 * count))
    tokens = (token for token in range(size // 4, size, step) if token != getattr(config, "pad_token_id", None))
    return torch.tensor(list(islice(tokens, count)))
