"""The three doors through which position can enter attention, and the interface of every encoding.

An encoding acts at one door and is one formula in one file: a subclass of `InputEncoding`, `RotationEncoding` or
`ScoreEncoding`. Each hook has a neutral default here, so attention calls all of them without asking which door is used.

Positions are 0-based, whole or fractional, of shape (n,) or, where they have several coordinates, (n, axes). Values that
depend on positions alone are computed in float64 on the positions' device; values that depend on tokens keep the tokens'
dtype and device.
"""

from __future__ import annotations

import inspect
import math
import operator
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import wraps
from itertools import product
from typing import Any, ClassVar, Literal, ParamSpec, Protocol, Self, cast, get_args, get_origin

import torch
from torch import Tensor

from posenc_gui.encodings.common import turned
from posenc_gui.encodings.common.conventions import Convention, Seen
from posenc_gui.encodings.common.rotary import bases_of
from posenc_gui.foundation.declared_fields import option_title
from posenc_gui.foundation.declared_model import Frozen, parameter_table
from posenc_gui.foundation.errors import Undefined, quote_value
from posenc_gui.foundation.wording import format_count

Door = Literal["none", "input", "rotation", "score"]
Side = Literal["query", "key"]
Precision = Literal["float64", "float32", "bfloat16", "float16"]
Tag = Literal["none", "absolute", "relative", "both"]
Given = ParamSpec("Given")
Project = Callable[[Tensor, Side], Tensor]  # vectors (rows, d_model) by W_q or W_k: (heads, rows, d_head)

_DOORS: dict[Door, str] = {
    "none": "No position comes in.",
    "input": "Position comes in at the input door: a vector is added to each token.",
    "rotation": "Position comes in at the rotation door: queries and keys are turned.",
    "score": "Position comes in at the score door: the scores get a term of their own.",
}
_PUBLIC_HOOKS = ("vectors", "angles", "rotate", "bias")  # called by anyone, with anything
_POSITIONS = "torch.arange(n)"  # of the tokens, in the code of an encoding
_LARGEST_SIZE = 2**20  # of d_model, d_head and n_heads


class LearnedModel(Protocol):
    """A model that has learned, as far as encodings ask it."""

    @property
    def order_left(self) -> str:
        """What of a text's order is left without an encoding, in a sentence; empty if it is the mask alone."""

    def positions(self) -> Tensor:
        """Return the numbers that it learned for its positions: (rows, d_model) of a table, (buckets, heads) of a bias."""


@dataclass(frozen=True)
class Context:
    """What an encoding may need besides positions: the sequence's length, the mask, the model's shape and the seed.

    length: one more than the largest position. extents: the same along each axis; empty if it is `length` along every axis.
    learned: the model whose own numbers are meant; None: those that the seed draws.
    """

    length: int
    causal: bool = False
    n_heads: int = 1
    d_head: int = 64
    seed: int = 0
    extents: tuple[int, ...] = ()
    learned: LearnedModel | None = None

    @classmethod
    def of(cls, positions: Tensor) -> Self:
        """Return the default context: just long enough for the largest position, no mask, seed 0."""
        if not positions.numel():
            return cls(length=0)
        extents = tuple(int(largest) + 1 for largest in positions.amax(0).tolist()) if positions.ndim > 1 else ()
        return cls(length=int(positions.max()) + 1, extents=extents)


@dataclass(frozen=True)
class Formula:
    r"""The LaTeX formulas of queries, keys and values; `where` defines their symbols.

    Everything that depends on position is inside \pos{…}, which is highlighted when typeset. What an encoding doesn't change
    is as without one.
    """

    query: str = r"f_q(x_m, m) = W_q x_m"
    key: str = r"f_k(x_n, n) = W_k x_n"
    value: str = r"f_v(x_n, n) = W_v x_n"
    where: tuple[str, ...] = ()

    def defining(self, *where: str) -> Formula:
        """Return the same formulas with these definitions of symbols."""
        return replace(self, where=where)


@dataclass(frozen=True)
class Source:
    """The publication of an encoding."""

    authors: str
    year: int
    title: str


@dataclass(frozen=True)
class Profile:
    """An encoding's values as a function of one coordinate, a position or an offset. values: (n, columns), with one label per
    column; `each` neighbouring columns belong to one dimension, pair or head."""

    values: Tensor
    labels: tuple[str, ...]
    quantity: str
    each: int = 1


@dataclass(frozen=True, eq=False)
class Terms:
    """The inputs of the score door for some queries and some keys: one tile of the attention map, or all of it.

    queries (heads, n_q, d_head) and keys (heads, n_k, d_head) are before rotation; q_inputs (n_q, d_model) and k_inputs
    (n_k, d_model) are the vectors from which they were projected. Positions are (n,) or (n, axes); indices (n,) are
    token indices, from 0. q_prepared and k_prepared are the rows of `prepare` for these tokens, or None. visible (n_q,
    n_k) is the mask: True if the query may see the key. scale is the factor of q · k. tables are those of the hook of this
    name, in the dtype and on the device of the queries.
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
    tables: tuple[Tensor, ...]
    context: Context


def _checked(hook: Callable[Given, Tensor]) -> Callable[Given, Tensor]:
    """Let a hook take lists of positions, too, and raise ValueError for any argument that is none of its kind."""
    signature = inspect.signature(hook)

    @wraps(hook)
    def checked(*given: Given.args, **named: Given.kwargs) -> Tensor:
        bound = signature.bind(*given, **named)
        arguments = bound.arguments
        for name, value in arguments.items():
            match name:
                case "positions" | "q_positions" | "k_positions" if not isinstance(value, Tensor):
                    arguments[name] = as_positions(value, arguments["self"].axes)
                case "d_model" | "d_head" | "n_heads":
                    _require_size(name, value)
                case "x":
                    _require_vectors(value)
                case "side" if value not in get_args(Side):
                    raise ValueError(f"side must be query or key, not {quote_value(value)}")
                case "context" if not isinstance(value, Context | None):
                    raise ValueError(f"context must be a Context, not {quote_value(value)}")
        if "x" in arguments and arguments["positions"].ndim:
            count, rows = len(arguments["positions"]), arguments["x"].shape[-2]
            if count not in (1, rows):
                raise ValueError(f"x must have a row for each position: {count} positions, but {rows} rows")
        return hook(*bound.args, **bound.kwargs)

    return checked


def _require_size(name: str, size: object) -> None:
    try:
        fits = not isinstance(size, bool) and 1 <= operator.index(size) <= _LARGEST_SIZE  # type: ignore[arg-type]
    except TypeError:
        fits = False
    if not fits:
        raise ValueError(f"{name} must be a whole number from 1 to {_LARGEST_SIZE:,}, not {quote_value(size)}")


def _require_vectors(x: object) -> None:
    if not (isinstance(x, Tensor) and x.is_floating_point() and x.ndim >= 2):
        given = f"a tensor of {x.dtype} and shape {tuple(x.shape)}" if isinstance(x, Tensor) else quote_value(x)
        raise ValueError(f"x must be a tensor of floating-point numbers with shape (…, n, d_head), not {given}")


class Encoding(Frozen):
    """An encoding with its parameters. Without a door, queries, keys and scores stay as they are."""

    name: ClassVar[str]
    title: ClassVar[str]
    summary: ClassVar[str]
    door: ClassVar[Door] = "none"
    tag: ClassVar[Tag] = "none"
    equations: ClassVar[Formula]
    source: ClassVar[Source]
    also: ClassVar[tuple[str, ...]] = ()  # other names, for search
    models: ClassVar[tuple[str, ...]] = ()
    along: ClassVar[Literal["position", "offset"]] = "position"
    across: ClassVar[Literal["dimension", "pair", "head"]] = "dimension"
    fractional: ClassVar[bool] = True  # True if fractional positions have a meaning
    axes: ClassVar[int] = 1  # number of coordinates of a position: 1 in a text, more in a picture
    tiled: ClassVar[bool] = True  # True if a key's term in the scores can be computed without the other keys
    of_offset: ClassVar[bool] = False  # True if the bias depends on key minus query alone: few biases are computed then
    # True for a table that is random here and learned in training, so that neighbouring positions are unrelated.
    random_table: ClassVar[bool] = False
    published_heads: ClassVar[int] = 0  # heads of a published example, if a rule gives each its own number
    drawn: ClassVar[bool] = False  # True if its numbers are drawn from the seed, and kept in training
    built_in: ClassVar[bool] = True  # False for one that is written by the user
    known: ClassVar[bool] = True  # False if a trained model's own code alone knows what it brings in
    untyped: ClassVar[str] = ""  # why no typed formula says it, a sentence
    by_degrees: ClassVar[bool] = True  # False if there is nothing to bring in, or if it comes in whole or not at all
    most_tokens: ClassVar[int] = 4096  # the longest sentence for an encoding that is not tiled

    def __init_subclass__(cls, **settings: Any) -> None:
        """Let the hooks that anyone may call refuse what they can't take, with the same sentences in every encoding."""
        super().__init_subclass__(**settings)
        for name in _PUBLIC_HOOKS:
            if name in vars(cls):
                setattr(cls, name, _checked(vars(cls)[name]))

    def check_shape(self, d_model: int, n_heads: int, d_head: int) -> None:
        """Raise Undefined, naming the allowed values, if the encoding can't act on a model of this shape."""

    @property
    def called(self) -> str:
        """The encoding's name in sentences, including a variant such as a scaling."""
        return self.title

    @property
    def titled(self) -> str:
        """The same in titles, and where a sentence begins."""
        return self.called

    @property
    def written(self) -> str:
        """What its user wrote, on one line; empty for a built-in one."""
        return ""

    @property
    def strength(self) -> float:
        """The share of its vectors, angles and biases that is brought in: 1, or less as `common.strength.at_strength` sets it."""
        return 1.0

    @property
    def share(self) -> str:
        """The strength as a factor in `code`, such as "0.5 * "; empty at full strength."""
        return "" if self.strength == 1 else f"{self.strength} * "

    @property
    def brought_in(self) -> tuple[str, ...]:
        """All that the strength multiplies, in words; empty where there is nothing to bring in by degrees."""
        return ()

    @property
    def sources(self) -> tuple[Source, ...]:
        """The encoding's publication, and that of a named variant if one is used."""
        return (self.source,)

    @property
    def own_equations(self) -> Formula:
        """The formula with these parameters."""
        return self.equations

    @property
    def content_free(self) -> bool:
        """True if the terms added to the scores depend on positions alone, so that only `bias` is used."""
        own = type(self)
        return own.content is Encoding.content and own.extra is Encoding.extra

    @property
    def of_pairs(self) -> bool:
        """True if a score depends only on its own query and key, not on other tokens."""
        return self.tiled and type(self).prepare is Encoding.prepare

    def length_limit(self, d_model: int) -> int | None:
        """Return the number of positions that the encoding has, from 0 on; None if there is no limit."""
        return None

    def n_parameters(self, d_model: int, n_heads: int, d_head: int) -> int:
        """Return the number of learned parameters."""
        return 0

    def remark(self, context: Context) -> str:
        """Return a caveat for users in this context, in whole sentences; empty if there is none."""
        return ""

    @_checked
    def vectors(self, positions: Tensor, d_model: int, context: Context | None = None) -> Tensor:
        """Input door: return p_m for each position, (n, d_model); zero unless the encoding uses this door."""
        count = len(as_positions(positions, self.axes))
        return torch.zeros(count, d_model, dtype=torch.float64, device=positions.device)

    @_checked
    def rotate(self, x: Tensor, positions: Tensor, side: Side = "query", context: Context | None = None) -> Tensor:
        """Rotation door: return queries or keys (…, n, d_head), rotated; unchanged unless the encoding uses this door."""
        as_positions(positions, self.axes)
        return x

    @_checked
    def bias(self, q_positions: Tensor, k_positions: Tensor, n_heads: int, context: Context | None = None) -> Tensor:
        """Score door: return the bias added to the scaled scores, (n_heads, n_q, n_k); zero unless the door is used."""
        for positions in (q_positions, k_positions):
            as_positions(positions, self.axes)
        zero = torch.zeros((), dtype=torch.float64, device=q_positions.device)
        return zero.expand(n_heads, len(q_positions), len(k_positions))

    def tables(self, d_model: int, context: Context, project: Project) -> tuple[Tensor, ...]:
        """Score door: return what neither tokens nor positions change, such as learned tables and their projections by the
        layer's W_q and W_k: computed once for a layer, or several, so independent of the context's length."""
        return ()

    def prepare(self, inputs: Tensor, context: Context) -> Tensor | None:
        """Score door: return values computed once for the sentence from the layer's inputs (n, d_model), a row per token,
        which `content`, `extra` and `values` get for their queries and keys; None if nothing is needed."""
        return None

    def content(self, terms: Terms) -> Tensor:
        """Score door: return a term of queries and keys, added before scaling, (heads, n_q, n_k); zero by default."""
        return terms.queries.new_zeros(())

    def extra(self, terms: Terms) -> Tensor:
        """Score door: return a term of queries and keys, added after scaling, (heads, n_q, n_k); zero by default."""
        return terms.queries.new_zeros(())

    def values(self, probabilities: Tensor, terms: Terms) -> Tensor:
        """Score door: return a term added to each head's output, (heads, n_q, d_head); zero by default.

        It must be linear in `probabilities`, (heads, n_q, n_k): it may be called for some of the keys at a time, with
        weights not yet divided by their sum. The results are then summed and divided in the same way as the weights.
        """
        return probabilities.new_zeros(())

    def scale(self, d_head: int) -> float:
        """Return the factor of q · k, by default 1/√d_head."""
        return 1 / math.sqrt(d_head)

    def profile(self, coordinates: Tensor, d_model: int, context: Context) -> Profile | None:
        """Return the values at each coordinate (position or offset, see `along`); None if there are no such values."""
        return None

    def phases(self, positions: Tensor, d_model: int, context: Context) -> Tensor | None:
        """Return each pair's angle at each position, (n, pairs), in radians, unreduced; None without angles."""
        return None

    def axis_names(self, pairs: int) -> tuple[str, ...]:
        """Return the name of the coordinate by which each of so many pairs turns; empty if all turn by the same one."""
        return ()

    def rows_of(self, offsets: Tensor) -> Tensor | None:
        """Return the row of the encoding's table that each offset m − n takes, (n,); None without a table of offsets."""
        return None

    @classmethod
    def conventions(cls, seen: Seen) -> Iterable[Convention]:
        """Yield how public code holds this encoding's numbers of the seen kind and shape, the usual way first; nothing where
        they are learned, or drawn at random. `numbers` may raise Undefined, as where there is no such position."""
        return ()

    def mistakes(self, seen: Seen) -> Iterable[tuple[str, Callable[[Tensor], Tensor]]]:
        """Yield mistakes that are met in code of this encoding, in words, and what they make of positions, (n,): numbers of
        the seen shape."""
        return ()

    def mistaken_for(self, width: int) -> tuple[str, ...]:
        """Return what else would explain numbers of this encoding, `width` dimensions wide, a sentence each: another exponent,
        where its base is an unusual one."""
        return ()

    def with_first_published(self) -> Self | None:
        """Return this encoding with the number of the first published head for a single one; None if it has that, or no rule."""
        return None

    def at_door(self, door: Door) -> Encoding:
        """Return this encoding or, of those that users write, one that acts at this door."""
        return self

    def typed(self) -> str:
        """Return this encoding as a formula that a user can go on with: "p[m, i] = m". Raises Undefined, which says why it can't
        be said, for one that is no formula of positions, or whose parameters the formula has no words for."""
        raise Undefined(self.untyped or f"{self.titled} is not written as a formula here.")

    def code(self, d_model: int, n_heads: int, d_head: int, causal: bool = False) -> str:
        """Return the encoding as 10 to 30 lines of plain PyTorch for a model of this shape, with its parameters filled
        in; what it brings in is multiplied by `share`.

        The subclasses for each door say which function the code defines. An encoding without a door defines
        `attention(q, k, v)`, from q, k and v (n_heads, n, d_head) to each head's output, (n_heads, n, d_head). Learned
        parameters are an nn.Embedding or an nn.Parameter. The code imports only math and torch and is formatted by ruff
        with at most 88 characters per line. Raises Undefined if the encoding can't act on this shape.
        """
        raise NotImplementedError

    def _repr_mimebundle_(self, **_asked: object) -> dict[str, str]:
        """Return the encoding for a notebook: what it does, formulas with what depends on position in blue, and parameters."""
        formula = self.own_equations
        lines = (formula.query, formula.key, formula.value, *formula.where)
        typeset = "\n\n".join(f"${line}$" for line in lines).replace(r"\pos{", r"\color{blue}{")
        told = f"**{self.titled}**: {self.summary} {_DOORS[self.door]}"
        return {"text/markdown": f"{told}\n\n{typeset}\n\n{parameter_table(self)}", "text/plain": repr(self)}

    def snippet(self, *blocks: str) -> str:
        """Join blocks of code, separated by two empty lines, below a comment with the encoding's name and sources."""
        sources = ", ".join(f"{source.authors} {source.year}" for source in self.sources)
        title = f"# {self.titled}: {sources}" if self.built_in else f"# {self.titled}"
        first, *rest = (textwrap.dedent(block).strip() for block in blocks)
        return "\n\n\n".join((f"{title}\n{first}", *rest)) + "\n"


class InputEncoding(Encoding):
    """Adds a vector to each token before the projections. A subclass writes `vectors`."""

    door: ClassVar[Door] = "input"
    tag: ClassVar[Tag] = "absolute"
    equations: ClassVar[Formula] = Formula(
        query=r"f_q(x_m, m) = W_q\left(x_m + \pos{p_m}\right)",
        key=r"f_k(x_n, n) = W_k\left(x_n + \pos{p_n}\right)",
        value=r"f_v(x_n, n) = W_v\left(x_n + \pos{p_n}\right)",
    )

    @property
    def brought_in(self) -> tuple[str, ...]:
        """The vectors."""
        return ("what is added to the inputs",)

    def vectors(self, positions: Tensor, d_model: int, context: Context | None = None) -> Tensor:
        """Return p_m for each position, (n, d_model), float64."""
        raise NotImplementedError

    def profile(self, coordinates: Tensor, d_model: int, context: Context) -> Profile:
        """Return the vectors themselves, one column per dimension."""
        labels = tuple(f"dim {i}" for i in range(d_model))
        return Profile(self.vectors(coordinates, d_model, context), labels, "value")

    @classmethod
    def conventions(cls, seen: Seen) -> Iterable[Convention]:
        """Yield the table of vectors with every choice of the fields that have choices."""
        named = {name: field for name, field in cls.model_fields.items() if get_origin(field.annotation) is Literal}
        if seen.kind == "table" and len(seen.shape) == 2 and not (cls.random_table or cls.drawn):
            context = Context(seen.rows or seen.shape[0])
            for values in product(*(get_args(field.annotation) for field in named.values())):
                chosen = dict(zip(named, values, strict=True))
                told = [f"{field.title} {option_title(field, chosen[name])}".lower() for name, field in named.items()]
                yield Convention(cls(**chosen), ", ".join(told), lambda one, m: one.vectors(m, seen.shape[1], context))

    def code(self, d_model: int, n_heads: int, d_head: int, causal: bool = False) -> str:
        """Return code that defines `position_vectors(positions)`: (n,) to (n, d_model), float32, to be added to the token
        vectors; where length counts, the largest position is the last one."""
        raise NotImplementedError

    def snippet(self, *blocks: str) -> str:
        """Append the line that adds the vectors."""
        added = """
            # Before the projections, x (n, d_model) being the token vectors:
            # x = x + position_vectors(torch.arange(n)).to(x)
        """
        return super().snippet(*blocks, added)


class RotationEncoding(Encoding):
    """Turns pairs of dimensions of queries and keys. A subclass writes `angles`."""

    door: ClassVar[Door] = "rotation"
    tag: ClassVar[Tag] = "both"
    across: ClassVar[Literal["dimension", "pair", "head"]] = "pair"
    sides: ClassVar[tuple[Side, ...]] = ("query",)  # both where keys are not turned as queries are
    signature: ClassVar[str] = "cosines and sines of all pairs' angles"  # of a position, in words
    equations: ClassVar[Formula] = Formula(
        query=r"f_q(x_m, m) = \pos{R_m}\, W_q x_m", key=r"f_k(x_n, n) = \pos{R_n}\, W_k x_n"
    )

    @property
    def brought_in(self) -> tuple[str, ...]:
        """The angles, and by how much an attention factor isn't 1."""
        factor = () if self.attention_factor == 1 else ("the attention factor's distance from 1",)
        return "all angles (position interpolation)", *factor

    def angles(self, positions: Tensor, d_head: int, context: Context | None = None) -> Tensor:
        """Return each pair's angle at each position, (n, pairs), in radians, float64, unreduced; unrotated pairs last, with
        0."""
        raise NotImplementedError

    def waves(self, angles: Tensor) -> tuple[Tensor, Tensor]:
        """Return the cosine and the sine of the angles, float64, before any attention factor."""
        return angles.cos(), angles.sin()

    def at_precision(self, precision: Precision) -> Self | None:
        """Return the same encoding with angles in another precision; None if the encoding has no such parameter."""
        return None

    def rotated(self, d_head: int) -> int:
        """Return the number of rotated dimensions; they are the first ones."""
        return d_head

    def pairs(self, d_head: int) -> tuple[Tensor, Tensor]:
        """Return each rotated pair's two dimensions as two index tensors: (i, i + r/2) of the first r dimensions."""
        half = self.rotated(d_head) // 2
        first = torch.arange(half)
        return first, first + half

    @property
    def attention_factor(self) -> float:
        """The factor of cosines and sines; scores are multiplied by its square."""
        return 1.0

    @property
    def unextended(self) -> Self:
        """The same encoding without context extension; the encoding itself if it has none."""
        return self

    @property
    def extension(self) -> float:
        """The factor of the context extension: the new length divided by the trained one."""
        return 1.0

    @property
    def extended_by(self) -> str:
        """The name of the context extension."""
        return self.title

    @property
    def trained_length(self) -> int | None:
        """The length in training, if the encoding declares it."""
        return None

    @property
    def trained_length_may_be_after(self) -> bool:
        """True if the trained length may as well be the one that the context extension reaches."""
        return False

    def length_before(self, trained: int) -> int:
        """Return the length before the context extension, of what is called the trained length."""
        return trained

    def extensions(self, factor: float, trained: int) -> dict[str, Self]:
        """Return this encoding extended by this factor by every method, by name; one that is in use stays."""
        return {self.extended_by: self}

    def check_shape(self, d_model: int, n_heads: int, d_head: int) -> None:
        """Raise Undefined if d_head is odd, since its dimensions are rotated in pairs."""
        heads = format_count(n_heads, "head")
        self.require_pairs(d_head, f": d_model {d_model} / {heads}" if n_heads * d_head == d_model else "")

    def require_pairs(self, d_head: int, whence: str = "") -> None:
        """Raise Undefined if d_head can't be split into pairs; `whence` says in the message where d_head comes from."""
        if d_head % 2:
            raise Undefined(f"{self.title} turns pairs of dimensions: d_head must be even, not {d_head}{whence}.")

    def rotate(self, x: Tensor, positions: Tensor, side: Side = "query", context: Context | None = None) -> Tensor:
        """Return x (…, n, d_head), each pair (a, b) rotated to (a cos − b sin, a sin + b cos); shape and dtype stay."""
        d_head = x.shape[-1]
        first, second = (index.to(x.device) for index in self.pairs(d_head))
        angles = self.angles(positions, d_head, context)[:, : len(first)]  # (n, rotated pairs)
        cos, sin = (convert_like(wave * self.attention_factor, x) for wave in self.waves(angles))
        a, b = x[..., first], x[..., second]
        turned = x.clone()
        turned[..., first] = a * cos - b * sin
        turned[..., second] = a * sin + b * cos
        return turned

    def profile(self, coordinates: Tensor, d_model: int, context: Context) -> Profile:
        """Return the cosine and the sine of each pair's angle, side by side."""
        angles = self.angles(coordinates, context.d_head, context)
        values = torch.stack((angles.cos(), angles.sin()), dim=-1).flatten(-2)  # (n, 2 · pairs)
        labels = tuple(f"{wave} {pair}" for pair in range(angles.shape[-1]) for wave in ("cos", "sin"))
        return Profile(values, labels, "value", each=2)

    def phases(self, positions: Tensor, d_model: int, context: Context) -> Tensor:
        """Return the rotation's angles."""
        return self.angles(positions, context.d_head, context)

    @classmethod
    def proposed(cls, seen: Seen, pairing: Mapping[str, Any], rates: Tensor) -> Iterable[Self]:
        """Yield encodings with this pairing, if any is seen, whose pairs may turn at these rates, (pairs,), and usual ones."""
        return (cls.model_validate({"base": base, **pairing}) for base in bases_of(rates, len(rates)))

    @classmethod
    def conventions(cls, seen: Seen) -> Iterable[Convention]:
        """Yield tables of cosines, sines and angles, caches, frequencies, and turned vectors."""
        return turned.conventions(cls, seen)

    def code(self, d_model: int, n_heads: int, d_head: int, causal: bool = False) -> str:
        """Return code that defines `rotate(x, positions, side)`: x (…, n, d_head), positions (n,), "query" or "key"."""
        raise NotImplementedError

    @property
    def share_lines(self) -> list[str]:
        """The line of code by which all angles are turned by a share alone; none at full strength."""
        return [f"angles = {self.share}angles  # a share of each"] if self.share else []

    def snippet(self, *blocks: str) -> str:
        """Append the lines that rotate queries and keys."""
        turned = """
            # In each head after the projections; queries and keys, never values:
            # positions = torch.arange(n)
            # q, k = rotate(q, positions, "query"), rotate(k, positions, "key")
        """
        return super().snippet(*blocks, turned)


class ScoreEncoding(Encoding):
    """Adds a term to the scores. A subclass writes `bias`, or `content` or `extra` where it depends on queries and keys."""

    door: ClassVar[Door] = "score"
    tag: ClassVar[Tag] = "relative"
    along: ClassVar[Literal["position", "offset"]] = "offset"
    across: ClassVar[Literal["dimension", "pair", "head"]] = "head"
    fractional: ClassVar[bool] = False

    @classmethod
    def bucketed(cls, seen: Seen) -> Iterable[tuple[str, Self]]:
        """Yield encodings whose `rows_of` may give the seen rows, and what tells each from others, the usual one first."""
        return ()

    @classmethod
    def conventions(cls, seen: Seen) -> Iterable[Convention]:
        """Yield the row of its table that queries and keys take, (n_q, n_k), or offsets, from 0 or from −(n − 1) / 2 on: as it
        is, and where that of offset 0 isn't the first also counted from there."""
        ways: dict[str, Callable[[Tensor], Tensor]] = {
            "query − key": lambda m: m,
            "key − query": lambda m: -m,
            "key − query, 0 in the middle": lambda m: (len(m) - 1) // 2 - m,
        }
        if len(seen.shape) == 2:
            ways = {"": lambda m: m[-seen.shape[0] :, None] - m}
        for (kind, found), (words, of) in product(cls.bucketed(seen) if seen.kind == "buckets" else (), ways.items()):
            middle = cast(Tensor, found.rows_of(torch.zeros(1)))
            for first, counted in ((0 * middle, ""), (middle, "0 at offset 0"))[: 1 + bool(middle)]:
                told = ", ".join(filter(None, (kind, words, counted)))
                read = lambda one, m, of=of, first=first: (one.rows_of(of(m)) - first).double()  # noqa: E731
                yield Convention(found, told, read)

    def mistakes(self, seen: Seen) -> Iterable[tuple[str, Callable[[Tensor], Tensor]]]:
        """Yield rows that are read at query − key for key − query, or the reverse."""
        if seen.kind == "buckets" and len(seen.shape) == 2:
            read = lambda m: cast(Tensor, self.rows_of(m - m[-seen.shape[0] :, None])).double()  # noqa: E731
            yield "offsets whose sign is reversed", read

    @property
    def brought_in(self) -> tuple[str, ...]:
        """The terms of the scores."""
        return ("what is added to the scores",)

    def profile(self, coordinates: Tensor, d_model: int, context: Context) -> Profile | None:
        """Return the bias of each head at each offset m − n; None if the term depends on the tokens."""
        if not self.content_free:
            return None
        query = coordinates.abs().max()[None]  # so large that every key position is at least 0
        bias = self.bias(query, query - coordinates, context.n_heads, context)[:, 0]  # (n_heads, n)
        labels = tuple(f"head {head}" for head in range(context.n_heads))
        return Profile(bias.T, labels, "bias")

    def code(self, d_model: int, n_heads: int, d_head: int, causal: bool = False) -> str:
        """Return code that defines `scores(q, k, q_positions, k_positions)`: all scores before the mask, at the
        encoding's own scale.

        It maps q (n_heads, n_q, d_head) and k (n_heads, n_k, d_head) to (n_heads, n_q, n_k), of q's dtype. An encoding
        that adds to the output also defines `values(probabilities, q_positions, k_positions)`: (n_heads, n_q, n_k) to
        (n_heads, n_q, d_head). One that needs the layer's inputs defines `prepare(x)`, from (n, d_model) to one row per
        token, and `scores` also takes the rows of the queries and of the keys. Parameters w_q and w_k are the layer's
        own projections.
        """
        raise NotImplementedError

    def use_of_scores(self, causal: bool, output: str = "weights @ v", prepared: bool = False) -> str:
        """Return the lines of a snippet that compute the output from the scores."""
        scores = f"scores(q, k, positions, positions{', prepared, prepared' * prepared})"
        return f"""
            # positions{", prepared" * prepared} = torch.arange(n){", prepare(x)" * prepared}
            # weights = softmax({f"causal_mask({scores})" if causal else scores})
            # output = {output}
        """


def code_literal(number: float) -> str:
    """Format a number as Python code: 10_000.0."""
    return f"{number:_}"


def require_rows(positions: Tensor, count: int, why: str) -> None:
    """Raise Undefined, beginning with `why`, with the first position that is no whole number from 0 to count − 1."""
    outside = positions[(positions < 0) | (positions >= count) | (positions != positions.round())]
    if outside.numel():
        raise Undefined(f"{why} position {float(outside[0]):g}: positions go from 0 to {count - 1}.")


def counted_from(start: int, code: str) -> str:
    """Return an encoding's code for tokens at positions from `start` on."""
    return code.replace(_POSITIONS, f"torch.arange({start}, {start} + n)") if start else code


def convert_like(values: Tensor, other: Tensor) -> Tensor:
    """Convert values to another tensor's dtype and then its device, in this order: some devices have no float64."""
    return values.to(other.dtype).to(other.device)


def as_numbers(given: object, called: str = "positions") -> Tensor:
    """Convert numbers, of any shape, to float64. Raises ValueError for anything but finite real ones."""
    if not isinstance(given, Tensor):
        try:
            given = torch.as_tensor(given)
        except (TypeError, ValueError, RuntimeError, OverflowError):
            raise ValueError(f"{called} must be a list of numbers, not {quote_value(given)}") from None
    if given.is_complex():
        raise ValueError(f"{called} must be real numbers")
    tensor = given.to(torch.float64)
    if not bool(torch.isfinite(tensor).all()):
        raise ValueError(f"{called} must be finite numbers")
    return tensor


def as_positions(positions: Tensor | Sequence[float] | Sequence[Sequence[float]], axes: int = 1) -> Tensor:
    """Convert positions to float64: (n,) for one axis, (n, axes) for several; a single coordinate is repeated on every axis.
    Raises ValueError for any other shape, and for anything but finite real numbers."""
    tensor = as_numbers(positions)
    if tensor.ndim == 1:
        return tensor if axes == 1 else tensor[:, None].expand(-1, axes)  # (n, axes)
    if tensor.ndim != 2 or tensor.shape[1] != axes or axes == 1:
        allowed = "(n,)" if axes == 1 else f"(n,) or (n, {axes})"
        raise ValueError(f"positions must have shape {allowed}, not {tuple(tensor.shape)}")
    return tensor
