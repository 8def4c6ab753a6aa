"""The toy model: attention layers with seeded, untrained weights."""

from __future__ import annotations

import math
from threading import Lock
from typing import Annotated, Literal, Self

import numpy as np
import torch
from cachetools import LRUCache, cached
from cachetools.keys import hashkey
from pydantic import AfterValidator, Field, ValidationInfo, field_validator
from torch import Tensor

from posenc_gui.foundation import random_streams
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.foundation.stopped import CheckStop, go_on
from posenc_gui.foundation.unicode_text import shorten_middle
from posenc_gui.foundation.wording import format_count, join_words, quote
from posenc_gui.text.token_sequence import entry_of
from posenc_gui.text.tokenization import replace_surrogates

# Typed vectors are bounded: scores are products of them, and float32 overflows at 3e38.
_Number = Annotated[float, Field(ge=-1e6, le=1e6)]
Vectors = tuple[
    tuple[Annotated[str, AfterValidator(replace_surrogates)], Annotated[tuple[_Number, ...], Field(fail_fast=True)]],
    ...,
]

MOST_TYPED = 250_000  # numbers of all typed vectors: they fit into a session's file, however long each is as text
MOST_LETTERS = 200_000  # of all tokens with typed vectors: as many as a text's

MEMORY = 2 * 2**20  # bytes of cached token vectors, 1,600 of 64 numbers: drawing one takes 30 µs
_BESIDE = 1024  # bytes that each cached vector takes besides its numbers: tensor object, key, cache entry
PROJECTIONS = 320 * 2**20  # bytes of cached projections: a little more than four of 4096 · 4096
_LEAST = PROJECTIONS // 128  # bytes that each counts at least: others than those of the latest models are drawn again
_WORK = 2**32  # multiply-adds between two calls of check_stop: about a tenth of a second on one core

Projection = Literal["query", "key", "value", "output"]
Heads = range | None  # a selection of heads; None: all


class ToyModel(Frozen):
    """The shape and the weights of the attention layers.

    Token vectors depend only on the token and the seed: standard normal, so each has a norm of about √d_model. Projections
    are normal with variance 1 / fan-in, which keeps queries, keys and values as large as the inputs.
    """

    d_model: int = Field(64, ge=1, le=16_384, title="d_model", description="Dimensions of a word's vector.")
    d_head: int | None = Field(
        None, ge=1, le=512, title="d_head", description="Dimensions of a head; automatic is d_model / heads."
    )
    n_heads: int = Field(4, ge=1, le=128, title="Heads", description="Attention heads; each sees d_head dimensions.")
    causal: bool = Field(False, title="Causal mask", description="Each word sees only itself and those before it.")
    scale: float | None = Field(
        None,
        ge=0,
        le=100,
        title="Scale",
        description="Factor of q · k; automatic is the encoding's own, mostly 1/√d_head.",
    )
    embedding_scale: float = Field(
        1.0,
        ge=0,
        le=100,
        title="Word weight",
        description="Factor of the word vectors; 0 leaves only position.",
        json_schema_extra={"step": 0.1},
    )
    projections: Literal["seeded", "identity"] = Field(
        "seeded", title="Projections", description="W_q, W_k, W_v and W_o: seeded random, or the identity."
    )
    n_layers: int = Field(1, ge=1, le=2, title="Layers", description="Number of attention layers, stacked.")
    vectors: Vectors = Field(
        (),
        max_length=256,
        fail_fast=True,
        title="Typed vectors",
        description="Words with vectors typed in instead of seeded.",
        json_schema_extra={"editor": "its own"},
    )
    seed: int = Field(
        0, ge=0, le=2**31 - 1, title="Seed", description="Each seed gives other word vectors and weights."
    )

    @field_validator("n_heads")
    @classmethod
    def _heads_must_fit(cls, n_heads: int, info: ValidationInfo) -> int:
        d_model, d_head = info.data.get("d_model"), info.data.get("d_head")
        if d_head is None and d_model and n_heads and d_model % n_heads:
            fitting = [str(heads) for heads in range(1, 129) if d_model % heads == 0]
            allowed = join_words([*fitting, "any number with d_head set"], "or")
            raise ValueError(f"d_model {d_model} can't be divided among {n_heads} heads: Heads may be {allowed}")
        return n_heads

    @field_validator("projections")
    @classmethod
    def _identity_keeps_the_width(cls, projections: str, info: ValidationInfo) -> str:
        d_model, n_heads, d_head = (info.data.get(name) for name in ("d_model", "n_heads", "d_head"))
        if projections == "identity" and d_model and n_heads and d_head and n_heads * d_head != d_model:
            raise ValueError(
                f"the identity needs heads · d_head = d_model, not {n_heads} · {d_head} = {n_heads * d_head} "
                f"with d_model {d_model}; leave d_head automatic or take seeded projections"
            )
        return projections

    @field_validator("vectors")
    @classmethod
    def _vectors_must_have_the_width(cls, vectors: Vectors, info: ValidationInfo) -> Vectors:
        d_model = info.data.get("d_model")
        for token, vector in vectors:
            if d_model and len(vector) != d_model:
                given = f"the vector typed for {quote(shorten_middle(token))} has {format_count(len(vector), 'number')}"
                raise ValueError(f"{given}, but d_model is {d_model}; remove the typed vectors first")
        if (n_numbers := sum(len(vector) for _, vector in vectors)) > MOST_TYPED:
            raise ValueError(f"typed vectors have at most {MOST_TYPED:,} numbers together, not {n_numbers:,}")
        if (n_letters := sum(len(token) for token, _ in vectors)) > MOST_LETTERS:
            raise ValueError(f"tokens with typed vectors have at most {MOST_LETTERS:,} characters, not {n_letters:,}")
        return vectors

    @property
    def called(self) -> str:
        """What it is, in sentences."""
        return "toy model"

    @property
    def head_width(self) -> int:
        """The width of a head: `d_head` if set, otherwise d_model / n_heads."""
        return self.d_head or self.d_model // self.n_heads

    @property
    def one_layer(self) -> Self:
        """The same model with its first layer alone."""
        return self.model_copy(update={"n_layers": 1})

    def of_heads(self, heads: Heads) -> Self:
        """Return a model with only as many heads as these, to estimate their cost."""
        if heads is None:
            return self
        return self.model_copy(update={"n_heads": len(heads), "d_head": self.head_width})

    def embed(self, tokens: tuple[str, ...], check_stop: CheckStop = go_on) -> Tensor:
        """Return token vectors, (n, d_model), float32 on the CPU, before `embedding_scale`."""
        typed = {token: torch.tensor(vector) for token, vector in self.vectors}
        rows = {token: row for row, token in enumerate(dict.fromkeys(tokens))}
        different = torch.empty(len(rows), self.d_model)
        for token, row in rows.items():
            check_stop()
            vector = typed.get(entry_of(token), typed.get(token))
            different[row] = _token_vector(entry_of(token), self.seed, self.d_model) if vector is None else vector
        places = np.fromiter(map(rows.__getitem__, tokens), np.int64, len(tokens))
        return different[torch.from_numpy(places)]

    def heads(self, projected: Tensor) -> Tensor:
        """Split projected vectors, (…, n, heads · d_head), into heads: (heads, …, n, d_head)."""
        count = projected.shape[-1] // self.head_width
        return projected.view(*projected.shape[:-1], count, self.head_width).movedim(-2, 0)

    def projected(
        self, vectors: Tensor, name: Projection, layer: int = 0, check_stop: CheckStop = go_on, heads: Heads = None
    ) -> Tensor:
        """Project vectors (n, d_model) by a layer's W_q, W_k or W_v and split them into heads: (heads, n, d_head)."""
        return self.heads(self.times(vectors, name, layer, check_stop, heads))

    def times(
        self, vectors: Tensor, name: Projection, layer: int = 0, check_stop: CheckStop = go_on, heads: Heads = None
    ) -> Tensor:
        """Return vectors (n, rows) · a projection (rows, columns), in the vectors' dtype and on their device: (n, columns).
        For a selection of heads only their columns of W_q, W_k and W_v, or their rows of W_o, are used. In a large model each
        head's part is drawn, used and freed, so a projection is never in memory as a whole."""
        if self.projections == "identity" and heads is None:
            return vectors
        if not self.is_large:
            return times(vectors, self.projection(name, layer, check_stop, heads), check_stop)
        parts = (self._of_head(name, layer, head, check_stop) for head in self._all(heads))
        if name != "output":
            return torch.cat([times(vectors, part, check_stop) for part in parts], dim=-1)
        found = vectors.new_zeros(len(vectors), self.d_model)
        for taken, part in zip(torch.split(vectors, self.head_width, dim=-1), parts, strict=True):
            found += times(taken, part, check_stop)
        return found

    @property
    def is_large(self) -> bool:
        """True if a layer's four projections are too large for the cache, so that each head's part is drawn separately."""
        return self.projections == "seeded" and 4 * 4 * self.d_model * self.n_heads * self.head_width > PROJECTIONS

    def projection(
        self, name: Projection, layer: int = 0, check_stop: CheckStop = go_on, heads: Heads = None
    ) -> Tensor:
        """Return W_q, W_k, W_v, (d_model, heads · d_head), or W_o, (heads · d_head, d_model): float32 on the CPU."""
        width = self.n_heads * self.head_width
        rows, columns = (width, self.d_model) if name == "output" else (self.d_model, width)
        along = 0 if name == "output" else 1
        if self.is_large:
            return torch.cat([self._of_head(name, layer, head, check_stop) for head in self._all(heads)], dim=along)
        if self.projections == "identity":
            whole = torch.eye(rows, columns)
        else:
            whole = _projection(check_stop, self.seed, name, layer, rows, columns)
        if heads is None:
            return whole
        parts = torch.split(whole, self.head_width, dim=along)
        return torch.cat([parts[head] for head in heads], dim=along)

    def _all(self, heads: Heads) -> range:
        return range(self.n_heads) if heads is None else heads

    def _of_head(self, name: Projection, layer: int, head: int, check_stop: CheckStop) -> Tensor:
        """Return a head's columns of a large W_q, W_k, W_v, (d_model, d_head), or rows of W_o, (d_head, d_model)."""
        width = self.head_width
        shape, summed = ((self.d_model, width), self.d_model)
        if name == "output":
            shape, summed = ((width, self.d_model), self.n_heads * width)
        names = (*_names(name, layer), f"head {head}")
        return random_streams.normal(self.seed, *names, shape=shape, check_stop=check_stop).div_(math.sqrt(summed))


def times(vectors: Tensor, matrix: Tensor, check_stop: CheckStop = go_on) -> Tensor:
    """Return vectors (n, rows) · matrix (rows, columns), in the vectors' dtype and device, some columns at a time."""
    n_columns = matrix.shape[1]
    at_once = max(1, _WORK // max(1, vectors.numel()))
    if at_once >= n_columns:
        return vectors @ matrix.to(vectors)
    found = vectors.new_empty(len(vectors), n_columns)
    for start in range(0, n_columns, at_once):
        check_stop()
        some = slice(start, start + at_once)
        found[:, some] = vectors @ matrix[:, some].to(vectors)
    return found


@cached(
    LRUCache(PROJECTIONS, getsizeof=lambda matrix: max(_LEAST, matrix.nbytes)),
    key=lambda _check_stop, *of: hashkey(*of),
    lock=Lock(),
)
def _projection(check_stop: CheckStop, seed: int, name: str, layer: int, rows: int, columns: int) -> Tensor:
    return random_streams.normal(seed, *_names(name, layer), shape=(rows, columns), check_stop=check_stop).div_(
        math.sqrt(rows)
    )


def _names(name: str, layer: int) -> tuple[str, ...]:
    return ("projection", name, *["again"] * layer)


@cached(LRUCache(MEMORY, getsizeof=lambda vector: _BESIDE + vector.nbytes), lock=Lock())
def _token_vector(token: str, seed: int, d_model: int) -> Tensor:
    return random_streams.normal(seed, "token", token, shape=(d_model,))
