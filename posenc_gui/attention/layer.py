"""One attention layer for one sentence, up to its queries, keys and values: the input of `forward`."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal, Self

import torch
from torch import Tensor

from posenc_gui.attention.patch_positions import PatchPlaces
from posenc_gui.attention.toy_model import Heads, Projection, ToyModel, times
from posenc_gui.attention.trained_model import TrainedModel
from posenc_gui.encodings.base import Context, Encoding, Side, Terms, convert_like
from posenc_gui.foundation.derived_once import derived
from posenc_gui.foundation.errors import Remedy, Undefined
from posenc_gui.foundation.memory import size_of
from posenc_gui.foundation.stopped import CheckStop, go_on

_OF_INPUTS: tuple[Projection, ...] = ("query", "key", "value")
_BIASES = 2**18  # float64 numbers of biases computed at a time: few enough for the processor's cache
_AT_ONCE = 2**24  # numbers to which the input door is applied between two calls of check_stop
_TURNED_AT_ONCE = 2**20  # numbers of queries or keys to which the rotation door is applied at once

_FEW = 4  # heads that represent all heads of a large model

AttentionModel = ToyModel | TrainedModel
# What a scene with a model that has learned gives way to, where only the toy model can show something.
TAKE_THE_TOY = Remedy(
    "Take the toy model", {"model": ToyModel(), "encoding": "sinusoidal", "other": None, "order": (), "strength": 1.0}
)
OPEN_A_MODEL = Remedy("Open a model …", command="open_model")

Indices = range | Tensor  # of tokens, (n,)
Sight = Literal["all", "some", "none"]

# Tokens' positions: 0, 1, 2, …, those around a grid of patches, or coordinates (n, axes).
Positions = range | PatchPlaces | tuple[float, ...] | tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class Prompt:
    """Tokens, a model and an encoding: the input of attention. Positions are 0, 1, 2, … unless given; `heads`: those
    computed."""

    tokens: tuple[str, ...]
    model: AttentionModel
    encoding: Encoding
    positions: Positions | None = None
    heads: Heads = None


@dataclass(frozen=True, eq=False)
class Layer:
    """A sentence's inputs, queries, keys and values under one encoding, for h heads and n tokens.

    inputs (n, d_model) are token vectors with what the input door adds, plus the outputs of the layers below. queries,
    keys, values (h, n, d_head) are before rotation; turned_queries and turned_keys (h, n, width) are after it, with the
    width that the encoding's rotation returns. `prepared` is what the encoding computed once for the sentence, one row
    per token, or None; `tables` what it computed for any. All have the inputs' dtype and device. `positions`, (n,) or (n,
    axes), are float64, on the same device or, if that has no float64, on the CPU. If `tied`, keys are projected by W_q. If
    only some `heads` are computed, h is their number.
    """

    model: AttentionModel
    encoding: Encoding
    context: Context
    positions: Tensor
    inputs: Tensor
    queries: Tensor
    keys: Tensor
    values: Tensor
    turned_queries: Tensor
    turned_keys: Tensor
    prepared: Tensor | None
    index: int = 0  # the layer's index, 0 for the first
    tied: bool = False
    heads: Heads = None
    tables: tuple[Tensor, ...] = ()

    @classmethod
    def over(cls, prompt: Prompt, device: str = "cpu", check_stop: CheckStop = go_on) -> Self:
        """Create the first layer, input and rotation doors applied. Raises Undefined if the encoding is not defined."""
        tokens, model, encoding = prompt.tokens, toy(prompt.model), prompt.encoding
        where, context = _placed(prompt, device)
        inputs = model.embed(tokens, check_stop).mul_(model.embedding_scale).to(device)
        for some in torch.split(torch.arange(len(tokens), device=where.device), max(1, _AT_ONCE // model.d_model)):
            check_stop()
            inputs[some.to(device)] += convert_like(encoding.vectors(where[some], model.d_model, context), inputs)
        return cls.of_inputs(inputs, where, model, encoding, context, check_stop=check_stop, heads=prompt.heads)

    def under(self, prompt: Prompt, device: str = "cpu", check_stop: CheckStop = go_on) -> Self:
        """Return the first layer of the same tokens under an encoding that adds nothing to their vectors, which are shared."""
        where, context = _placed(prompt, device)
        projected, model, encoding = (self.queries, self.keys, self.values), toy(prompt.model), prompt.encoding
        tables = tables_of(model, encoding, context, self.inputs, check_stop=check_stop)
        return self.of_projected(
            self.inputs, projected, where, model, encoding, context, heads=prompt.heads, tables=tables
        )

    @classmethod
    def of_inputs(
        cls,
        inputs: Tensor,
        positions: Tensor,
        model: ToyModel,
        encoding: Encoding,
        context: Context,
        index: int = 0,
        check_stop: CheckStop = go_on,
        heads: Heads = None,
    ) -> Self:
        """Create the layer from its inputs, (n, d_model), to which the input door has been applied."""
        query, key, value = (model.projected(inputs, name, index, check_stop, heads) for name in _OF_INPUTS)
        tables = tables_of(model, encoding, context, inputs, index, check_stop=check_stop)
        return cls.of_projected(
            inputs, (query, key, value), positions, model, encoding, context, index, heads=heads, tables=tables
        )

    @classmethod
    def of_projected(
        cls,
        inputs: Tensor,
        projected: tuple[Tensor, Tensor, Tensor],
        positions: Tensor,
        model: ToyModel,
        encoding: Encoding,
        context: Context,
        index: int = 0,
        tied: bool = False,
        heads: Heads = None,
        tables: tuple[Tensor, ...] | None = None,
    ) -> Self:
        """Create the layer from queries, keys and values, (h, n, d_head) each, and the encoding's tables if known. Raises
        Undefined if the encoding needs all keys of a long sentence at once, or if rotation overflows."""
        if not encoding.tiled and len(inputs) > encoding.most_tokens:
            raise Undefined(
                f"{encoding.titled} needs all keys at once for each query: at most {encoding.most_tokens:,} tokens, not "
                f"{len(inputs):,}."
            )
        queries, keys, values = projected
        turned = (
            _turned(queries, positions, "query", encoding, context),
            _turned(keys, positions, "key", encoding, context),
        )
        if not all(map(_is_finite, turned)):
            raise Undefined(f"At these positions {encoding.called} gives numbers too large to compute with.")
        prepared = encoding.prepare(inputs, context)
        if tables is None:
            tables = tables_of(model, encoding, context, inputs, index, tied)
        whole = model, encoding, context, positions, inputs
        return cls(*whole, queries, keys, values, *turned, prepared, index, tied, heads, tables)

    def above(self, output: Tensor, check_stop: CheckStop = go_on) -> Self:
        """Return the next layer, whose inputs are this layer's plus its attention's output, (n, d_model)."""
        return replace(self, index=self.index + 1).fed(self.inputs + output.to(self.inputs), check_stop)

    def fed(self, inputs: Tensor, check_stop: CheckStop = go_on) -> Self:
        """Return the same layer with other inputs, (n, d_model), at the same positions."""
        return self.of_inputs(
            inputs, self.positions, toy(self.model), self.encoding, self.context, self.index, check_stop, self.heads
        )

    @property
    def n_tokens(self) -> int:
        """The number of tokens."""
        return len(self.inputs)

    @property
    def n_heads(self) -> int:
        """The number of heads computed."""
        return len(self.queries)

    @property
    def nbytes(self) -> int:
        """Memory held, in bytes."""
        return size_of(tuple(held for held in vars(self).values() if isinstance(held, Tensor | tuple)))

    @property
    def scale(self) -> float:
        """The factor by which q · k is multiplied."""
        return scale_of(self.model, self.encoding)

    def visible(self, rows: Tensor, columns: Tensor) -> Tensor:
        """Return the mask of queries and keys by token index, (n_q,) and (n_k,): (n_q, n_k), True where visible."""
        if self.model.causal:
            return columns <= rows[:, None]
        return torch.ones((), dtype=torch.bool, device=rows.device).expand(len(rows), len(columns))

    def seen_keys(self, rows: Tensor) -> tuple[Tensor, Tensor]:
        """Return the first key that each of these queries sees, and the last one, (n_q,) each; it sees all in between."""
        return torch.zeros_like(rows), rows if self.model.causal else torch.full_like(rows, self.n_tokens - 1)

    def sight(self, rows: range, columns: range) -> Sight:
        """Return whether these queries see all, some or none of these keys, without building a mask."""
        if not self.model.causal or columns[-1] <= rows[0]:
            return "all"
        return "some" if columns[0] <= rows[-1] else "none"

    @property
    def has_bias(self) -> bool:
        """True if something is added to the scores."""
        return self.encoding.door == "score"

    @property
    def cap(self) -> float | None:
        """The bound of the scores, which are its multiples of their tanh; None without one."""
        return None

    @property
    def sinks(self) -> Tensor | None:
        """The score of a key without a value in each head, (h,); None without such keys."""
        return None

    def require_vectors(self) -> None:
        """Raise Undefined if queries, keys, values and scores aren't known, but weights alone."""

    def require_outputs(self) -> None:
        """Raise Undefined if the outputs aren't known."""

    def joined(self, several: bool, check_stop: CheckStop = go_on) -> Callable[[Tensor], Tensor]:
        """Return W_o: joined outputs (n, h · d_head) to (n, d_model). several: it is applied several times, so it is computed
        once."""
        if not several:
            times_it = toy(self.model).times
            return partial(times_it, name="output", layer=self.index, check_stop=check_stop, heads=self.heads)
        w_o = toy(self.model).projection("output", self.index, check_stop, self.heads).to(self.inputs)
        return partial(times, matrix=w_o, check_stop=check_stop)

    def bias(self, rows: Indices, columns: Indices) -> Tensor:
        """Return the encoding's bias, from positions alone, (h, n_q, n_k); a single zero if it adds other terms alone."""
        if type(self.encoding).bias is Encoding.bias and not self.encoding.content_free:
            return self.queries.new_zeros(())
        line = self._bias_of_offsets
        if line is not None:
            return self._out_of(line, rows, columns)
        places = self.positions.device
        queries, keys = (self.positions[_on(places, as_slice(some))] for some in (rows, columns))
        at_once = max(1, _BIASES // max(1, self.model.n_heads * len(keys)))
        parts = (
            self.encoding.bias(some, keys, self.model.n_heads, self.context) for some in torch.split(queries, at_once)
        )
        if len(queries) <= at_once:
            return self._of_heads(next(parts))
        found = self.queries.new_empty(self.n_heads, len(queries), len(keys))
        for whole, part in zip(torch.split(found, at_once, dim=1), parts, strict=True):
            whole.copy_(self._of_heads(part))
        return found

    @property
    def biases_by_offset(self) -> Tensor | None:
        """What the offsets 1 − n to n − 1, key minus query, add to scores, (h, 2 n − 1); None if nothing, or if more counts."""
        return self._bias_of_offsets if self.has_bias and self.encoding.content_free else None

    def has_dots_of(self, other: Layer) -> bool:
        """Return True if the scaled dot products of this layer are those of another one."""
        sides = ((self.turned_queries, other.turned_queries), (self.turned_keys, other.turned_keys))
        same = (self.scale, self.cap, self.queries.dtype) == (other.scale, other.cap, other.queries.dtype)
        return same and all(mine is its or torch.equal(mine, its) for mine, its in sides)

    def _of_heads(self, bias: Tensor) -> Tensor:
        """Select the layer's heads from a tensor for all heads, (h, …)."""
        return convert_like(bias if self.heads is None else bias[as_slice(self.heads)], self.queries)

    def _out_of(self, line: Tensor, rows: Indices, columns: Indices) -> Tensor:
        """Select the bias of queries and keys, (h, n_q, n_k), from that of offsets; a view if queries are reversed."""
        if isinstance(rows, range) and rows.step == -1 and isinstance(columns, range):
            # Queries are in reverse order: each row is the one below it, shifted by one.
            first = columns[0] - rows[0] + self.n_tokens - 1
            return line[:, first : first + len(rows) + len(columns) - 1].unfold(-1, len(columns), 1)
        at_rows, at_columns = as_slice(rows), as_slice(columns)
        if isinstance(at_rows, slice) and isinstance(at_columns, slice):
            upwards = range(at_rows.stop - 1, at_rows.start - 1, -1)
            turned = self._out_of(line, upwards, range(at_columns.start, at_columns.stop))
            return turned.index_select(1, torch.arange(len(upwards) - 1, -1, -1, device=line.device))
        rows, columns = (as_indices(one, line.device) for one in (rows, columns))
        return line[:, columns - rows[:, None] + self.n_tokens - 1]

    @derived
    def _bias_of_offsets(self) -> Tensor | None:
        """The bias of offsets 1 − n to n − 1, key minus query, (h, 2 n − 1), of the last position's query; None if it depends
        on more, or if positions aren't consecutive."""
        if not (self.encoding.of_offset and _in_a_row(self.positions)):
            return None
        keys = self.positions[0] + torch.arange(2 * self.n_tokens - 1).to(self.positions)
        line = self.encoding.bias(self.positions[-1:], keys, self.model.n_heads, self.context)
        return self._of_heads(line[:, 0])

    def terms(self, rows: Indices, columns: Indices) -> Terms:
        """Return the input of the encoding's hooks for these queries and keys, by token indices."""
        at_rows, at_columns = as_slice(rows), as_slice(columns)
        rows, columns = (as_indices(one, self.inputs.device) for one in (rows, columns))
        places = self.positions.device
        return Terms(
            queries=self.queries[:, at_rows],
            keys=self.keys[:, at_columns],
            q_inputs=self.inputs[at_rows],
            k_inputs=self.inputs[at_columns],
            q_positions=self.positions[_on(places, at_rows)],
            k_positions=self.positions[_on(places, at_columns)],
            q_indices=rows,
            k_indices=columns,
            q_prepared=None if self.prepared is None else self.prepared[at_rows],
            k_prepared=None if self.prepared is None else self.prepared[at_columns],
            visible=self.visible(rows, columns),
            scale=self.scale,
            tables=self.tables,
            context=self.context,
        )


def tables_of(
    model: ToyModel,
    encoding: Encoding,
    context: Context,
    like: Tensor,
    index: int = 0,
    tied: bool = False,
    check_stop: CheckStop = go_on,
) -> tuple[Tensor, ...]:
    """Return an encoding's tables in a layer, in the dtype and on the device of `like`; if `tied`, keys are projected by W_q."""

    def project(vectors: Tensor, side: Side) -> Tensor:
        return model.projected(vectors.to(like), "query" if tied else side, index, check_stop)

    tables = encoding.tables(model.d_model, context, project)
    return tuple(convert_like(table, like) for table in tables)


def _placed(prompt: Prompt, device: str) -> tuple[Tensor, Context]:
    """Return the positions of a prompt's tokens, (n,) or (n, axes), and the encoding's context."""
    model, encoding, length = toy(prompt.model), prompt.encoding, len(prompt.tokens)
    precise = "cpu" if device == "mps" else device  # Apple's GPUs have no float64
    positions = range(length) if prompt.positions is None else prompt.positions
    extents: tuple[int, ...] = ()
    if isinstance(positions, PatchPlaces):
        where = positions.coordinates(length, encoding.axes).to(precise)
        extents, length = positions.extents(length, encoding.axes), 0
    elif isinstance(positions, range):
        where = as_indices(positions, precise).double()
    else:
        where = torch.tensor(positions, dtype=torch.float64, device=precise)
    encoding.check_shape(model.d_model, model.n_heads, model.head_width)
    last = int(where.max()) + 1 if where.numel() else 0
    return where, context_of(max(length, last), model, extents)


def _turned(vectors: Tensor, positions: Tensor, side: Side, encoding: Encoding, context: Context) -> Tensor:
    """Apply the rotation door, to some tokens at a time: angles, cosines and sines take several times their memory."""
    n_tokens, at_once = vectors.shape[1], max(1, _TURNED_AT_ONCE // max(1, vectors[:, :1].numel()))
    if encoding.door != "rotation" or n_tokens <= at_once:
        return encoding.rotate(vectors, positions, side, context)
    found: Tensor | None = None
    for start in range(0, n_tokens, at_once):
        some = slice(start, start + at_once)
        part = encoding.rotate(vectors[:, some], positions[some], side, context)
        found = part.new_empty(len(part), n_tokens, part.shape[-1]) if found is None else found
        found[:, some] = part
    assert found is not None
    return found


def as_indices(indices: Indices, device: torch.device | str | None = None) -> Tensor:
    """Convert indices to a tensor, (n,). A range torch would read number by number while holding Python's lock."""
    if isinstance(indices, range):
        return torch.arange(indices.start, indices.stop, indices.step, device=device)
    return indices.to(device)


def as_slice(indices: Indices) -> slice | Tensor:
    """Convert indices to a slice, which makes views instead of copies; to a tensor if they descend or have gaps."""
    if isinstance(indices, range):
        if indices.step < 0:  # torch has no slices with a negative step
            return as_indices(indices)
        return slice(indices.start, indices.stop, indices.step)
    return slice(int(indices[0]), int(indices[-1]) + 1) if _in_a_row(indices) else indices


def _is_finite(numbers: Tensor) -> bool:
    """Return True if all numbers are finite, without allocating a temporary array of their size."""
    return not numbers.numel() or all(math.isfinite(end) for end in torch.aminmax(numbers))


def _in_a_row(numbers: Tensor) -> bool:
    return numbers.ndim == 1 and len(numbers) > 0 and bool((numbers.diff() == 1).all())


def _on(device: torch.device, indices: slice | Tensor) -> slice | Tensor:
    return indices if isinstance(indices, slice) else indices.to(device)


def toy(model: AttentionModel) -> ToyModel:
    """Return a toy model as such. Raises Undefined for one that has learned, whose vectors and layers are its own."""
    if isinstance(model, ToyModel):
        return model
    raise Undefined(
        f"This is computed with seeded vectors of the toy model, which {model.name} doesn't have: it has learned its own.",
        TAKE_THE_TOY,
    )


def learned(model: AttentionModel) -> TrainedModel:
    """Return a model that has learned as such. Raises Undefined for a toy model."""
    if isinstance(model, TrainedModel):
        return model
    raise Undefined("This is seen in a model that has learned: open one from its folder.", OPEN_A_MODEL)


def scale_of(model: AttentionModel, encoding: Encoding) -> float:
    """Return the factor of q · k: the model's own if set, else the encoding's; 1 for a trained model, whose layers have their
    own."""
    if isinstance(model, TrainedModel):
        return 1.0
    return encoding.scale(model.head_width) if model.scale is None else model.scale


def context_of(length: int, model: AttentionModel, extents: tuple[int, ...] = ()) -> Context:
    """Return the encoding's context for a sentence of this length, and of these extents along each axis, in this model."""
    learned = model if isinstance(model, TrainedModel) else None
    return Context(length, model.causal, model.n_heads, model.head_width, model.seed, extents, learned)


def heads_to_compute(model: AttentionModel, encoding: Encoding, head: int | None = None) -> Heads:
    """Return the heads to compute in order to display one head, or the mean of all if `head` is None. None means all heads.
    In a large model only the displayed head is computed, or for the mean a few evenly spread heads. An encoding whose score
    terms read queries and keys needs all heads, since its hooks take every head."""
    if not model.is_large or not (encoding.door != "score" or encoding.content_free):
        return None
    if head is not None:
        return range(head, head + 1)
    step = max(1, model.n_heads // _FEW)
    return range(0, min(model.n_heads, step * _FEW), step)
