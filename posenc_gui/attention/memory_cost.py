"""What attention takes of the memory at its peak, said before anything is computed, and the refusal of what is too much.

The estimates are what the walk in `forward` and the layers hold at once, rounded up; `benchmarks/costs.py` measures it.
"""

from __future__ import annotations

from collections.abc import Callable

from posenc_gui.attention.forward import CHUNK, KEYS
from posenc_gui.attention.toy_model import PROJECTIONS, ToyModel
from posenc_gui.foundation.errors import TooLarge
from posenc_gui.foundation.random_streams import PART

Cost = Callable[[int, ToyModel], int]  # bytes for so many tokens in a model

LITTLE = 256 * 2**20  # bytes, about what is remembered anyway
_FLOAT, _DOUBLE = 4, 8
_SURELY = 160 * 2**20  # bytes that whatever computes takes, such as the buffers of each core
_OF_A_SCORE = 64  # bytes that one of the scores worked on takes: the arrays of a chunk that are alive at once
_OF_A_QUERY = (
    8  # vectors as wide as all heads for each token while a layer is made: q, k, v, what is turned, and while turning
)
_OF_A_LAYER = 5  # of them that a layer keeps
_OF_AN_INPUT = 6  # vectors of d_model numbers for each token
_OF_A_PROBE = 9  # vectors as wide as all heads for each place of a probe


def of_layer(n_tokens: int, model: ToyModel, size: int = _FLOAT) -> int:
    """The last layer over so many tokens: projections, vectors, and of the layers below what is worked on at a time.

    size: bytes of a number.
    """
    width = model.n_heads * model.head_width
    vectors = _OF_A_QUERY + (model.n_layers - 1) * _OF_A_LAYER
    numbers = n_tokens * (vectors * width + _OF_AN_INPUT * model.d_model)
    return _SURELY + _of_projections(model, size) + size * numbers + _of_chunk(n_tokens, model) * (model.n_layers > 1)


def of_attention(n_tokens: int, model: ToyModel, n_queries: int, n_keys: int) -> int:
    """The layer, and what so many queries take from all keys; scores and weights are kept of `n_keys` keys."""
    width = model.n_heads * model.head_width
    maps = 2 * model.n_heads * n_queries * n_keys
    in_bands = model.n_heads * min(n_tokens, KEYS) * n_queries > CHUNK  # then W_o is there as a whole, however large
    maps += model.d_model * width if in_bands and model.is_large else 0
    taken = n_queries * (2 * width + model.d_model)
    return of_layer(n_tokens, model) + _FLOAT * (maps + taken) + _of_chunk(n_tokens, model)


def of_attend(n_tokens: int, model: ToyModel) -> int:
    """Every query and every key, and the layer without the encoding beside it, with a third map: what position adds."""
    width = model.n_heads * model.head_width
    other = n_tokens * (_OF_A_LAYER * width + model.d_model) + model.n_heads * n_tokens**2
    return of_attention(n_tokens, model, n_tokens, n_tokens) + _FLOAT * other


def of_probe(n_places: int, model: ToyModel) -> int:
    """A moving key at so many places, in float64."""
    width = model.n_heads * model.head_width
    numbers = n_places * (_OF_A_PROBE * width + _OF_AN_INPUT * model.d_model)
    return _SURELY + _of_projections(model) + _DOUBLE * numbers


def in_words(n_bytes: int) -> str:
    """An amount of memory as it is read aloud: 3.4 GB, 120 MB."""
    return f"{n_bytes / 1e9:.1f} GB" if n_bytes >= 1e9 else f"{n_bytes / 1e6:.0f} MB"


def require(cost: Cost, n_tokens: int, model: ToyModel, ask_free: Callable[[], int]) -> None:
    """Raise TooLarge, with what is allowed, where so many tokens in this model take more than is free.

    For what takes little, the machine isn't asked.
    """
    needed = cost(n_tokens, model)
    if needed > LITTLE and needed > (free := ask_free()):
        raise TooLarge(
            f"{n_tokens:,} tokens with d_model {model.d_model:,} and {model.n_heads} heads of {model.head_width} need about "
            f"{in_words(needed)} of memory, and {in_words(free)} are free: {_allowed(cost, n_tokens, model, free)}."
        )


def most(cost: Callable[[int], int], below: int, free: int) -> int:
    """The largest count below this one that costs no more than is free; 0 where none does."""
    low, high = 0, below
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if cost(middle) <= free else (low, middle)
    return low


def _allowed(cost: Cost, n_tokens: int, model: ToyModel, free: int) -> str:
    tokens = most(lambda count: cost(count, model), n_tokens, free)
    step = 1 if model.d_head else model.n_heads  # heads share d_model alike
    width = step * most(
        lambda count: cost(n_tokens, model.model_copy(update={"d_model": count * step})), model.d_model // step, free
    )
    found = [f"{tokens:,} tokens"] if tokens else []
    found += [f"d_model {width:,}"] if width else []
    return f"at most {' or '.join(found)}" if found else "fewer or narrower heads need less"


def _of_projections(model: ToyModel, size: int = _FLOAT) -> int:
    """Those that are remembered, and the one that is worked with, as it is and in another dtype."""
    if model.is_large:
        return 4 * _FLOAT * PART
    one = _FLOAT * model.d_model * model.n_heads * model.head_width
    kept = min(4 * model.n_layers * one, PROJECTIONS)
    return kept + one + (size * one // _FLOAT if size != _FLOAT else 0)


def _of_chunk(n_tokens: int, model: ToyModel) -> int:
    """What is worked on at a time: some queries and some keys."""
    keys = min(n_tokens, KEYS)
    queries = min(n_tokens, max(1, CHUNK // max(1, model.n_heads * keys)))
    width = model.n_heads * model.head_width
    return _OF_A_SCORE * model.n_heads * keys * queries + _FLOAT * 4 * (keys + queries) * width
