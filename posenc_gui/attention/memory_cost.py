"""Estimates of attention's peak memory before anything is computed, and refusals of what is too large.

The estimates add up what `forward` and the layers hold at the same time, rounded up; `benchmarks/costs.py` measures it.
"""

from __future__ import annotations

from collections.abc import Callable

from posenc_gui.attention.forward import CHUNK, KEYS
from posenc_gui.attention.layer import AttentionModel
from posenc_gui.attention.toy_model import PROJECTIONS, ToyModel
from posenc_gui.attention.trained_model import TrainedModel
from posenc_gui.foundation.errors import TooLarge
from posenc_gui.foundation.random_streams import PART
from posenc_gui.foundation.wording import format_bytes, format_count, inflect, join_words

Cost = Callable[[int, AttentionModel], int]  # bytes for a number of tokens in a model

LITTLE = 256 * 2**20  # bytes that pass without a look at what is free: the caches may hold more
_FLOAT, _DOUBLE = 4, 8
_SURELY = 160 * 2**20  # bytes that any computation needs, such as buffers of each core
_OF_A_SCORE = 64  # bytes per score of a chunk: all arrays in use at once
_OF_A_QUERY = 8  # vectors as wide as all heads, per token, while a layer is made: q, k, v, rotated q and k, temporaries
_OF_A_LAYER = 5  # of these vectors, the number that a layer keeps
_OF_AN_INPUT = 6  # vectors of d_model numbers per token
_OF_A_PROBE = 9  # vectors as wide as all heads per position of a probe


def layer_bytes(n_tokens: int, model: AttentionModel, size: int = _FLOAT) -> int:
    """Estimate the last layer's bytes, `size` a number: projections, vectors, and one chunk of the layers below."""
    width = model.n_heads * model.head_width
    vectors = _OF_A_QUERY + (model.n_layers - 1) * _OF_A_LAYER
    numbers = n_tokens * (vectors * width + _OF_AN_INPUT * model.d_model)
    return (
        _SURELY
        + _of_projections(model, size)
        + size * numbers
        + _of_chunk(n_tokens, model) * (model.n_layers > 1)
        + _of_weights_alone(n_tokens, model)
    )


def pass_bytes(n_tokens: int, model: AttentionModel, layers: int) -> int:
    """Estimate the bytes of a pass of which so many layers are recorded."""
    weights_alone = _of_weights_alone(n_tokens, model)  # of all layers in any case
    return layers * (layer_bytes(n_tokens, model) - weights_alone) + weights_alone


def attention_bytes(n_tokens: int, model: AttentionModel, n_queries: int, n_keys: int) -> int:
    """Estimate the bytes of a layer and the attention of `n_queries` queries; scores and weights are of `n_keys`."""
    width = model.n_heads * model.head_width
    maps = 2 * model.n_heads * n_queries * n_keys
    in_bands = model.n_heads * min(n_tokens, KEYS) * n_queries > CHUNK
    maps += model.d_model * width if in_bands and model.is_large else 0  # the whole of W_o, however large
    taken = n_queries * (2 * width + model.d_model)
    return layer_bytes(n_tokens, model) + _FLOAT * (maps + taken) + _of_chunk(n_tokens, model)


def full_maps_bytes(n_tokens: int, model: AttentionModel) -> int:
    """Estimate the bytes of full maps of scores, weights and what position adds, with a second layer without the encoding."""
    width = model.n_heads * model.head_width
    other = n_tokens * (_OF_A_LAYER * width + model.d_model) + model.n_heads * n_tokens**2
    return attention_bytes(n_tokens, model, n_tokens, n_tokens) + _FLOAT * other


def moving_key_bytes(n_places: int, model: AttentionModel) -> int:
    """Estimate the bytes of a moving key at `n_places` positions, in float64."""
    width = model.n_heads * model.head_width
    numbers = n_places * (_OF_A_PROBE * width + _OF_AN_INPUT * model.d_model)
    return _SURELY + _of_projections(model) + _DOUBLE * numbers


def require(cost: Cost, n_tokens: int, model: AttentionModel, ask_free: Callable[[], int]) -> None:
    """Raise TooLarge, naming what would fit, if so many tokens need more than `ask_free` returns; it isn't asked for little."""
    needed = cost(n_tokens, model)
    if needed > LITTLE and needed > (free := ask_free()):
        heads = f"{format_count(model.n_heads, 'head')} of {model.head_width}"
        raise TooLarge(
            f"{format_count(n_tokens, 'token')} with d_model {model.d_model:,} and {heads} {inflect(n_tokens, 'needs', 'need')} "
            f"about {format_bytes(needed)} of memory, and {format_bytes(free)} are free: "
            f"{_allowed(cost, n_tokens, model, free)}."
        )


def largest_affordable(cost: Callable[[int], int], below: int, free: int) -> int:
    """Return the largest count below `below` whose cost fits into free memory, or 0."""
    low, high = 0, below
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if cost(middle) <= free else (low, middle)
    return low


def _allowed(cost: Cost, n_tokens: int, model: AttentionModel, free: int) -> str:
    tokens = largest_affordable(lambda count: cost(count, model), n_tokens, free)
    found = [format_count(tokens, "token")] if tokens else []
    if isinstance(model, ToyModel):  # whose width can be chosen
        step = 1 if model.d_head else model.n_heads  # d_model must stay divisible by the heads
        width = step * largest_affordable(
            lambda count: cost(n_tokens, model.model_copy(update={"d_model": count * step})),
            model.d_model // step,
            free,
        )
        found += [f"d_model {width:,}"] if width else []
    return f"at most {join_words(found, 'or')}" if found else "fewer or narrower heads need less"


def _of_projections(model: AttentionModel, size: int = _FLOAT) -> int:
    """Estimate the bytes of the cached projections, and of the one in use with its copy in another dtype."""
    if model.is_large:
        return 4 * _FLOAT * PART
    one = _FLOAT * model.d_model * model.n_heads * model.head_width
    kept = min(4 * model.n_layers * one, PROJECTIONS)
    return kept + one + (size * one // _FLOAT if size != _FLOAT else 0)


def _of_weights_alone(n_tokens: int, model: AttentionModel) -> int:
    """Estimate the bytes of the weights of all layers, which come together from code that tells nothing else."""
    if not isinstance(model, TrainedModel) or model.shows == "all":
        return 0
    return _FLOAT * model.layers * model.n_heads * n_tokens**2


def _of_chunk(n_tokens: int, model: AttentionModel) -> int:
    """Estimate the bytes of one chunk of queries and keys."""
    keys = min(n_tokens, KEYS)
    queries = min(n_tokens, max(1, CHUNK // max(1, model.n_heads * keys)))
    width = model.n_heads * model.head_width
    return _OF_A_SCORE * model.n_heads * keys * queries + _FLOAT * 4 * (keys + queries) * width
