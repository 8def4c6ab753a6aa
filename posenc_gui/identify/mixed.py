"""Two conventions on a sentence: what they change in scores, and which order of weights gives one the other's scores."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from threading import Lock

import torch
from cachetools import LRUCache, cached
from torch import Tensor

from posenc_gui.attention.forward import Attended, attend_at_once
from posenc_gui.attention.layer import Layer, context_of
from posenc_gui.attention.toy_model import Projection, ToyModel
from posenc_gui.encodings.base import Context, Encoding, RotationEncoding, ScoreEncoding
from posenc_gui.encodings.common.conventions import Seen
from posenc_gui.plots.base import require_tokens
from posenc_gui.plots.common.axes import window_around
from posenc_gui.session.session import Session

Placed = tuple[Encoding, int]  # an encoding, and the position of a sentence's first token under it
Order = tuple[int, ...]  # at place k then stands what was at order[k]

ROUNDING = 1e-9  # scores in float64 that differ by no more are the same
_POSITIONS = 14  # at which dimensions are compared
_KEPT, _LINES = 4, 512  # attention that is kept, and differences
_FEW = 4  # heads that stand for all of a large model
_OF_INPUTS: tuple[Projection, ...] = ("query", "key", "value")


@dataclass(frozen=True)
class Reordering:
    """An order in which weights made for one convention run in another one's code: `words` say from which to which."""

    words: str
    order: Order
    of_table: bool

    def __str__(self) -> str:
        return f"{self.words}: {' '.join(map(str, self.order))}"

    @property
    def line(self) -> str:
        """As a line of PyTorch: for W_q and W_k, (n_heads · d_head, d_model), and their biases, or for a table."""
        chosen, width = str([*self.order]), len(self.order)
        turned = 2 * (max(at for at, row in enumerate(self.order) if at != row) // 2 + 1)  # the rest stays
        for shape in (2, turned // 2), (turned // 2, 2):
            if turned <= width and self.order[:turned] == tuple(torch.arange(turned).view(shape).T.flatten().tolist()):
                rest = f" + list(range({turned}, {width}))" if turned < width else ""
                chosen = f"torch.arange({turned}).view{shape}.T.flatten().tolist(){rest}"
        of_heads = f"w = w.reshape(n_heads, {width}, -1)[:, {chosen}].reshape(w.shape)  # W_k: n_heads of the keys"
        return f"# {self.words}\n{f'table = table[:, {chosen}]' if self.of_table else of_heads}"


class AsHeld(ScoreEncoding):
    """An encoding's bias as one of its conventions holds it, such as +slope · key in place of −slope · distance."""

    own: ScoreEncoding
    words: str

    def bias(self, q_positions: Tensor, k_positions: Tensor, n_heads: int, context: Context | None = None) -> Tensor:
        """Return the convention's numbers where it has a row for each query, else the encoding's own: (n_heads, n_q, n_k)."""
        shape = n_heads, len(k_positions), len(k_positions)
        for convention in type(self.own).conventions(Seen("bias", shape, torch.full((n_heads,), torch.nan))):
            if convention.words == self.words:
                rows = (q_positions[:, None] == k_positions).int().argmax(-1)
                return convention.numbers(self.own, k_positions)[:, rows]
        return self.own.bias(q_positions, k_positions, n_heads, context)


def order_between(weights: Encoding, code: Encoding, width: int) -> Order:
    """Return the order in which weights made for one encoding give its scores in the code of another: of the d_head rows of W_q
    and W_k in each head or, at the input door, of the d_model columns of the code's table; empty if none is needed, or none
    helps. Raises Undefined."""
    theirs, own = ([*map(tuple, _columns(one, width))] for one in (weights, code))
    wanted, held = (theirs, own) if weights.door == "input" else (own, theirs)
    places = defaultdict[tuple[float, ...], list[int]](list)
    for at, column in reversed([*enumerate(held)]):
        places[column].append(at)
    found = tuple(places[column].pop() if places[column] else -1 for column in wanted)
    return () if -1 in found or found == tuple(range(width)) else found


def scores_off_by(session: Session, right: Placed, other: Placed, order: Order = ()) -> float:
    """Return by how much a score on the session's sentence differs at most between two conventions, in the toy model, with the
    other one's weights in an order: beside the score of the query's own key, since softmax doesn't see what all scores of a
    row share. Masked keys don't count. Raises Undefined."""
    return _off_by(*_shared(session), right, other, order)


@cached(LRUCache(_LINES), lock=Lock())
def _off_by(tokens: tuple[str, ...], model: ToyModel, right: Placed, other: Placed, order: Order) -> float:
    first, second = _attended(tokens, model, right, ()), _attended(tokens, model, other, order)
    apart = second.scores - first.scores  # (h, n_q, n_k)
    apart -= apart.diagonal(dim1=-2, dim2=-1)[..., None].clone()  # of each query's own key
    return float((apart * first.visible).abs().max())


def attended(session: Session, placed: Placed, order: Order = ()) -> Attended:
    """Return attention on the session's sentence in the toy model, in float64. Raises Undefined."""
    return _attended(*_shared(session), placed, order)


def tokens_seen(session: Session) -> range:
    """The indices of the tokens whose scores are compared: all, or, of a long text, those around the focus."""
    return window_around(session.focused or 0, session.n_tokens)


def model_seen(session: Session) -> ToyModel:
    """The toy model with one layer: the session's, or the default one in place of a model that has learned."""
    return (session.model if isinstance(session.model, ToyModel) else ToyModel()).one_layer


def _shared(session: Session) -> tuple[tuple[str, ...], ToyModel]:
    require_tokens(session.scene, "by how much scores differ")
    seen = tokens_seen(session)
    return session.tokens[seen.start : seen.stop], model_seen(session)


@cached(LRUCache(_KEPT), lock=Lock())
def _attended(tokens: tuple[str, ...], model: ToyModel, placed: Placed, order: Order) -> Attended:
    encoding, start = placed
    encoding.check_shape(model.d_model, model.n_heads, model.head_width)
    every, context = range(len(tokens)), context_of(start + len(tokens), model)
    positions = torch.arange(start, start + len(tokens), dtype=torch.float64)
    columns, rows = (list(order) if order and encoding.door == door else slice(None) for door in ("input", "rotation"))
    added = encoding.vectors(positions, model.d_model, context)[:, columns]  # (n, d_model)
    inputs = model.embed(tokens).double() * model.embedding_scale + added
    heads = range(min(model.n_heads, _FEW)) if model.is_large and encoding.content_free else None
    query, key, value = (model.projected(inputs, name, heads=heads) for name in _OF_INPUTS)
    projected = query[..., rows], key[..., rows], value
    layer = Layer.of_projected(inputs, projected, positions, model, encoding, context, heads=heads)
    return attend_at_once(layer, every, every)


def _columns(encoding: Encoding, width: int) -> list[list[float]]:
    """Return what tells each dimension of a vector from the others: what is added there, or how it turns."""
    positions = torch.arange(_POSITIONS, dtype=torch.float64)
    if isinstance(encoding, RotationEncoding):
        positions = 2**positions  # slow pairs turn far out
        encoding.require_pairs(width)
        found, (first, second) = torch.zeros(2 * _POSITIONS, width, dtype=torch.float64), encoding.pairs(width)
        cos, sin = encoding.waves(encoding.angles(positions, width)[:, : len(first)])
        found[:, first], found[:, second] = (
            torch.cat((cos, turn * sin)) * encoding.attention_factor for turn in (1, -1)
        )
    else:
        found = encoding.vectors(positions, width)  # (n, width)
    columns: list[list[float]] = (found / ROUNDING).round().T.tolist()
    return columns
