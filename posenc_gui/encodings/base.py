"""The three doors through which a position can enter attention, and what every encoding tells about itself.

An encoding acts at one door and is one formula in one file: a subclass of `InputEncoding`, `RotationEncoding` or
`ScoreEncoding`. Each hook has a neutral default here, so attention walks through all doors without asking which is used.

Positions are 0-based, whole or fractional, of shape (n,) or, where they have several coordinates, (n, axes). What
depends on positions alone is computed in float64 on their device, what depends on tokens as these are.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal, Self

import torch
from torch import Tensor

from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.foundation.errors import Undefined

Door = Literal["none", "input", "rotation", "score"]
Side = Literal["query", "key"]
Precision = Literal["float64", "float32", "bfloat16", "float16"]
Tag = Literal["none", "absolute", "relative", "both"]


@dataclass(frozen=True)
class Context:
    """What an encoding may know beside positions: the sequence's length, the mask, the model's shape and its seed."""

    length: int
    causal: bool = False
    n_heads: int = 1
    d_head: int = 64
    seed: int = 0

    @classmethod
    def of(cls, positions: Tensor) -> Self:
        """The context that is assumed where none is given: as long as the largest position asks for, no mask, seed 0."""
        return cls(length=int(positions.max()) + 1 if positions.numel() else 0)


@dataclass(frozen=True)
class Formula:
    r"""How queries, keys and values come about, in LaTeX; `where` defines what the first three use.

    What depends on position stands in \pos{…} and is marked when it is typeset.
    """

    query: str
    key: str
    value: str
    where: tuple[str, ...] = ()

    def defining(self, *where: str) -> Formula:
        """The same three functions with what they use defined."""
        return replace(self, where=where)


@dataclass(frozen=True)
class Source:
    """Where an encoding was published."""

    authors: str
    year: int
    title: str


@dataclass(frozen=True)
class Profile:
    """What an encoding has to show along one coordinate.

    values: (n, columns), a label for each column; `each` columns belong to one dimension, pair or head.
    """

    values: Tensor
    labels: tuple[str, ...]
    quantity: str
    each: int = 1


@dataclass(frozen=True, eq=False)
class Terms:
    """What exists when scores are made, for some queries and some keys: a tile of the map, or all of it.

    queries (heads, n_q, d_head) and keys (heads, n_k, d_head) are before rotation, q_inputs (n_q, d_model) and k_inputs
    (n_k, d_model) what they were projected from; positions are (n,) or (n, axes), indices (n,) count the sentence's tokens
    from 0. q_prepared and k_prepared are their rows of `prepare`, None where nothing is prepared. visible (n_q, n_k) says
    which keys each query may see, scale is what q · k is multiplied by. project_query and project_key make queries and
    keys, (heads, n, d_head), of any vectors (n, d_model).
    """

    queries: Tensor
    keys: Tensor
    q_inputs: Tensor
    k_inputs: Tensor
    q_positions: Tensor
    k_positions: Tensor
    q_indices: Tensor
    k_indices: Tensor
    q_prepared: Tensor | None
    k_prepared: Tensor | None
    visible: Tensor
    scale: float
    project_query: Callable[[Tensor], Tensor]
    project_key: Callable[[Tensor], Tensor]
    context: Context


class Encoding(Frozen):
    """An encoding with its parameters. Without a door: queries, keys and scores stay as they are."""

    name: ClassVar[str]
    title: ClassVar[str]
    summary: ClassVar[str]
    door: ClassVar[Door] = "none"
    tag: ClassVar[Tag] = "none"
    formula: ClassVar[Formula]
    source: ClassVar[Source]
    also: ClassVar[tuple[str, ...]] = ()  # other names by which it is looked for
    models: ClassVar[tuple[str, ...]] = ()
    along: ClassVar[Literal["position", "offset"]] = "position"
    across: ClassVar[Literal["dimension", "pair", "head"]] = "dimension"
    fractional: ClassVar[bool] = True  # whether positions between the whole ones have a meaning
    axes: ClassVar[int] = 1  # coordinates of a position: a place in a picture has more than one
    tiled: ClassVar[bool] = True  # whether what is added to a score needs no keys but its own
    of_offset: ClassVar[bool] = False  # whether the bias depends on key minus query alone, which spares most of them
    random_table: ClassVar[bool] = False  # whether chance fills a table that training would: neighbours are strangers
    most_tokens: ClassVar[int] = 4096  # the longest sentence for an encoding that is not tiled

    def check_shape(self, d_model: int, n_heads: int, d_head: int) -> None:
        """Raise Undefined, naming the allowed values, where the encoding can't act on a model of this shape."""

    @property
    def called(self) -> str:
        """The name in words by which sentences and titles tell it from others: what has a name of its own says so."""
        return self.title

    @property
    def sources(self) -> tuple[Source, ...]:
        """Where it was published, and what has a name of its own in it."""
        return (self.source,)

    @property
    def own_formula(self) -> Formula:
        """The formula as it is with these parameters."""
        return self.formula

    @property
    def content_free(self) -> bool:
        """Whether what is added to scores depends on positions alone: the bias is all of it."""
        own = type(self)
        return own.content is Encoding.content and own.extra is Encoding.extra

    @property
    def of_pairs(self) -> bool:
        """Whether a score depends on its own query and key alone, not on the tokens before and between them."""
        return self.tiled and type(self).prepare is Encoding.prepare

    def length_limit(self, d_model: int) -> int | None:
        """How many positions the encoding has, from 0 on; None where they never end."""
        return None

    def n_parameters(self, d_model: int, n_heads: int, d_head: int) -> int:
        """How many numbers a model would have to learn for this encoding."""
        return 0

    def remark(self, context: Context) -> str:
        """What a user must know about the encoding in this context, in one sentence; empty where there is nothing."""
        return ""

    def vectors(self, positions: Tensor, d_model: int, context: Context | None = None) -> Tensor:
        """Input door: p_m for each position, (n, d_model); zero unless the encoding uses this door."""
        return torch.zeros(len(positions), d_model, dtype=torch.float64, device=positions.device)

    def rotate(self, x: Tensor, positions: Tensor, side: Side = "query", context: Context | None = None) -> Tensor:
        """Rotation door: queries or keys (…, n, d_head), turned; unchanged unless the encoding uses this door."""
        return x

    def bias(self, q_positions: Tensor, k_positions: Tensor, n_heads: int, context: Context | None = None) -> Tensor:
        """Score door: what is added to the scaled scores, (n_heads, n_q, n_k); zero unless the encoding uses this door."""
        zero = torch.zeros((), dtype=torch.float64, device=q_positions.device)
        return zero.expand(n_heads, len(q_positions), len(k_positions))

    def prepare(self, inputs: Tensor, context: Context) -> Tensor | None:
        """Score door: what is computed once for the whole sentence from the layer's inputs (n, d_model), a row a token.

        `content`, `extra` and `values` get the rows of their queries and of their keys. None where there is nothing.
        """
        return None

    def content(self, terms: Terms) -> Tensor:
        """Score door: what depends on queries and keys and is added before scaling, (heads, n_q, n_k); zero by default."""
        return terms.queries.new_zeros(())

    def extra(self, terms: Terms) -> Tensor:
        """Score door: what depends on queries and keys and is added after scaling, (heads, n_q, n_k); zero by default."""
        return terms.queries.new_zeros(())

    def values(self, probabilities: Tensor, terms: Terms) -> Tensor:
        """Score door: what is added to each head's output, (heads, n_q, d_head); zero by default.

        It must be linear in the probabilities, (heads, n_q, n_k): it may be asked for some of the keys at a time, with
        weights that are yet to be divided by their sum; what it gives for all of them is summed and divided likewise.
        """
        return probabilities.new_zeros(())

    def scale(self, d_head: int) -> float:
        """What q · k is multiplied by: 1/√d_head."""
        return 1 / math.sqrt(d_head)

    def profile(self, coordinates: Tensor, d_model: int, context: Context) -> Profile | None:
        """What the encoding gives at each coordinate (`along` positions or offsets); None where it gives nothing."""
        return None

    def phases(self, positions: Tensor, d_model: int, context: Context) -> Tensor | None:
        """The angle of each pair of dimensions at each position, (n, pairs), radians, not reduced; None without angles."""
        return None

    def code(self, d_model: int, n_heads: int, d_head: int, causal: bool = False) -> str:
        """The encoding as 10 to 30 lines of plain PyTorch for a model of this shape, its parameters filled in.

        What the lines define is fixed by the door, whose class says it. Without a door: `attention(q, k, v)`, q, k and v
        (n_heads, n, d_head), to what each head takes away, (n_heads, n, d_head). What a model learns is an nn.Embedding
        or an nn.Parameter. The lines import math and torch alone and are at most 88 characters long, as ruff formats
        them. Raises Undefined where the encoding can't act on this shape.
        """
        raise NotImplementedError

    def snippet(self, *blocks: str) -> str:
        """Blocks of code, two empty lines apart, under a comment that says what and whose they are."""
        title = f"# {self.called}: {', '.join(f'{source.authors} {source.year}' for source in self.sources)}"
        first, *rest = (textwrap.dedent(block).strip() for block in blocks)
        return "\n\n\n".join((f"{title}\n{first}", *rest)) + "\n"


class InputEncoding(Encoding):
    """Adds a vector to each token before the projections. A subclass writes `vectors`."""

    door: ClassVar[Door] = "input"
    tag: ClassVar[Tag] = "absolute"
    formula: ClassVar[Formula] = Formula(
        query=r"f_q(x_m, m) = W_q\left(x_m + \pos{p_m}\right)",
        key=r"f_k(x_n, n) = W_k\left(x_n + \pos{p_n}\right)",
        value=r"f_v(x_n, n) = W_v\left(x_n + \pos{p_n}\right)",
    )

    def vectors(self, positions: Tensor, d_model: int, context: Context | None = None) -> Tensor:
        """p_m for each position, (n, d_model), float64."""
        raise NotImplementedError

    def profile(self, coordinates: Tensor, d_model: int, context: Context) -> Profile:
        """The vectors themselves, one column a dimension."""
        labels = tuple(f"dim {i}" for i in range(d_model))
        return Profile(self.vectors(coordinates, d_model, context), labels, "value")

    def code(self, d_model: int, n_heads: int, d_head: int, causal: bool = False) -> str:
        """Defines `position_vectors(positions)`: (n,) to (n, d_model), float32, to be added to the token vectors.

        The largest position is taken for the sentence's last where the length counts.
        """
        raise NotImplementedError

    def snippet(self, *blocks: str) -> str:
        """The blocks, and the line that adds the vectors."""
        added = """
            # Before the projections, x (n, d_model) being the token vectors:
            # x = x + position_vectors(torch.arange(n))
        """
        return super().snippet(*blocks, added)


class RotationEncoding(Encoding):
    """Turns pairs of dimensions of queries and keys. A subclass writes `angles`."""

    door: ClassVar[Door] = "rotation"
    tag: ClassVar[Tag] = "both"
    across: ClassVar[Literal["dimension", "pair", "head"]] = "pair"
    formula: ClassVar[Formula] = Formula(
        query=r"f_q(x_m, m) = \pos{R_m}\, W_q x_m",
        key=r"f_k(x_n, n) = \pos{R_n}\, W_k x_n",
        value=r"f_v(x_n, n) = W_v x_n",
    )

    def angles(self, positions: Tensor, d_head: int, context: Context | None = None) -> Tensor:
        """The angle of each pair at each position: (n, pairs), radians, float64, not reduced; unrotated pairs last, at 0."""
        raise NotImplementedError

    def waves(self, angles: Tensor) -> tuple[Tensor, Tensor]:
        """Cosine and sine of angles, before any attention factor: as they are, float64."""
        return angles.cos(), angles.sin()

    def at_precision(self, precision: Precision) -> Self | None:
        """The same with angles in other numbers; None where there is no such choice."""
        return None

    def rotated(self, d_head: int) -> int:
        """How many of the first dimensions are rotated."""
        return d_head

    def pairs(self, d_head: int) -> tuple[Tensor, Tensor]:
        """The two dimensions of each rotated pair, as two index tensors: (i, i + r/2) over the first r dimensions."""
        half = self.rotated(d_head) // 2
        first = torch.arange(half)
        return first, first + half

    @property
    def attention_factor(self) -> float:
        """What cosines and sines are multiplied by; scores are multiplied by its square."""
        return 1.0

    @property
    def unextended(self) -> Self:
        """The same before it was made to reach further; itself where nothing was done."""
        return self

    @property
    def extension(self) -> float:
        """How many times further than it was trained it shall reach."""
        return 1.0

    @property
    def extended_by(self) -> str:
        """What it is that makes it reach further."""
        return self.title

    @property
    def trained_length(self) -> int | None:
        """How many positions the model was trained on, where the encoding says so."""
        return None

    def extensions(self, factor: float, trained: int) -> dict[str, Self]:
        """The same made to reach so many times further in every way there is, by name; its own way is as it is."""
        return {self.extended_by: self}

    def check_shape(self, d_model: int, n_heads: int, d_head: int) -> None:
        """Pairs need an even d_head."""
        heads = f"{n_heads} head{'' if n_heads == 1 else 's'}"
        self.require_pairs(d_head, f": d_model {d_model} / {heads}" if n_heads * d_head == d_model else "")

    def require_pairs(self, d_head: int, whence: str = "") -> None:
        """Raise Undefined where d_head can't be split into pairs, saying whence it is."""
        if d_head % 2:
            raise Undefined(f"{self.title} turns pairs of dimensions: d_head must be even, not {d_head}{whence}.")

    def rotate(self, x: Tensor, positions: Tensor, side: Side = "query", context: Context | None = None) -> Tensor:
        """x (…, n, d_head) with each pair (a, b) turned to (a cos − b sin, a sin + b cos); same shape and dtype."""
        d_head = x.shape[-1]
        first, second = (index.to(x.device) for index in self.pairs(d_head))
        angles = self.angles(positions, d_head, context)[:, : len(first)]  # (n, rotated pairs)
        cos, sin = (like(wave * self.attention_factor, x) for wave in self.waves(angles))
        a, b = x[..., first], x[..., second]
        turned = x.clone()
        turned[..., first] = a * cos - b * sin
        turned[..., second] = a * sin + b * cos
        return turned

    def profile(self, coordinates: Tensor, d_model: int, context: Context) -> Profile:
        """Cosine and sine of each pair's angle, side by side."""
        angles = self.angles(coordinates, context.d_head, context)
        values = torch.stack((angles.cos(), angles.sin()), dim=-1).flatten(-2)  # (n, 2 · pairs)
        labels = tuple(f"{wave} {pair}" for pair in range(angles.shape[-1]) for wave in ("cos", "sin"))
        return Profile(values, labels, "value", each=2)

    def phases(self, positions: Tensor, d_model: int, context: Context) -> Tensor:
        """The rotation's angles."""
        return self.angles(positions, context.d_head, context)

    def code(self, d_model: int, n_heads: int, d_head: int, causal: bool = False) -> str:
        """Defines `rotate(x, positions, side)`: x (…, n, d_head), positions (n,), to x turned; side "query" or "key"."""
        raise NotImplementedError

    def snippet(self, *blocks: str) -> str:
        """The blocks, and the lines that turn queries and keys."""
        turned = """
            # In each head after the projections; queries and keys, never values:
            # positions = torch.arange(n)
            # q, k = rotate(q, positions, "query"), rotate(k, positions, "key")
        """
        return super().snippet(*blocks, turned)


class ScoreEncoding(Encoding):
    """Adds to the scores. A subclass writes `bias`, or `content` or `extra` where it depends on queries and keys."""

    door: ClassVar[Door] = "score"
    tag: ClassVar[Tag] = "relative"
    along: ClassVar[Literal["position", "offset"]] = "offset"
    across: ClassVar[Literal["dimension", "pair", "head"]] = "head"
    fractional: ClassVar[bool] = False

    def profile(self, coordinates: Tensor, d_model: int, context: Context) -> Profile | None:
        """The bias of each head at each offset m − n; None where what is added depends on the tokens."""
        if not self.content_free:
            return None
        query = coordinates.abs().max()[None]  # far enough in for every key position to be 0 or more
        bias = self.bias(query, query - coordinates, context.n_heads, context)[:, 0]  # (n_heads, n)
        labels = tuple(f"head {head}" for head in range(context.n_heads))
        return Profile(bias.T, labels, "bias")

    def code(self, d_model: int, n_heads: int, d_head: int, causal: bool = False) -> str:
        """Defines `scores(q, k, q_positions, k_positions)`, the whole law before the mask, with the encoding's own scale.

        q (n_heads, n_q, d_head) and k (n_heads, n_k, d_head) to (n_heads, n_q, n_k). An encoding that adds to the output
        also defines `values(probabilities, q_positions, k_positions)`: (n_heads, n_q, n_k) to (n_heads, n_q, d_head). One that
        needs what queries and keys were made of defines `prepare(x)`, the layer's inputs (n, d_model) to a row a token, and
        `scores` takes the queries' and the keys' rows, too. Parameters w_q and w_k are the layer's own projections.
        """
        raise NotImplementedError

    def use_of_scores(self, causal: bool, output: str = "weights @ v", prepared: bool = False) -> str:
        """The lines of a snippet that turn its scores into the output."""
        scores = f"scores(q, k, positions, positions{', prepared, prepared' * prepared})"
        return f"""
            # positions{", prepared" * prepared} = torch.arange(n){", prepare(x)" * prepared}
            # weights = softmax({f"causal_mask({scores})" if causal else scores})
            # output = {output}
        """


def literal(number: float) -> str:
    """A number as it stands in code: 10_000.0."""
    return f"{number:_}"


def require_rows(positions: Tensor, count: int, why: str) -> None:
    """Raise Undefined where a position is not one of 0 to count − 1; `why` leads up to naming it."""
    outside = positions[(positions < 0) | (positions >= count) | (positions != positions.round())]
    if outside.numel():
        raise Undefined(f"{why} position {float(outside[0]):g}: there are the positions 0 to {count - 1}.")


def like(values: Tensor, other: Tensor) -> Tensor:
    """Values in another tensor's dtype and then on its device: some devices have no float64."""
    return values.to(other.dtype).to(other.device)


def as_positions(positions: Tensor | Sequence[float] | Sequence[Sequence[float]], axes: int = 1) -> Tensor:
    """Positions as a float64 tensor: (n,) of one axis, (n, axes) of several, over which a single one is repeated.

    Raises ValueError for any other shape and for what is not finite.
    """
    tensor = torch.as_tensor(positions).to(torch.float64)
    if not bool(torch.isfinite(tensor).all()):
        raise ValueError("positions must be finite numbers")
    if tensor.ndim == 1:
        return tensor if axes == 1 else tensor[:, None].expand(-1, axes)  # (n, axes)
    if tensor.ndim != 2 or tensor.shape[1] != axes or axes == 1:
        allowed = "(n,)" if axes == 1 else f"(n,) or (n, {axes})"
        raise ValueError(f"positions must have shape {allowed}, not {tuple(tensor.shape)}")
    return tensor
