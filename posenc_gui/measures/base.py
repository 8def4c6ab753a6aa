"""Shared by all measures: their declaration and results, signatures of positions, and a pass through attention.

A signature is the vector of numbers that an encoding assigns to one position or offset, so that two positions can be
compared. `SIGNATURE` describes it for each door. An encoding defines its own signature in `profile`, and `along` says
whether that belongs to positions or to offsets.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import torch
from pydantic import Field
from torch import Tensor

from posenc_gui.attention import memory_cost
from posenc_gui.attention.engine import Engine
from posenc_gui.attention.forward import outputs
from posenc_gui.attention.layer import Prompt, context_of, heads_to_compute
from posenc_gui.attention.moving_key import Contents, MovingKey
from posenc_gui.attention.toy_model import Heads
from posenc_gui.encodings.base import Encoding, Profile
from posenc_gui.foundation import random_streams
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.foundation.errors import Remedy, Undefined
from posenc_gui.foundation.memory import Sized
from posenc_gui.foundation.wording import inflect, join_words
from posenc_gui.scene.permutations import change_among
from posenc_gui.scene.remedies import SENTENCE, SINUSOIDAL
from posenc_gui.scene.scene import Scene

MOST_TOKENS = 512  # only this many tokens of a sentence are measured, because every pair of them is compared
LEAST_POSITIONS = 128  # an encoding is judged over at least this many positions: some faults appear only late
MOST_POSITIONS = 1024
ROUNDING = 1e-5  # relative tolerance: float32 has seven digits, and sums over a sentence lose one or two of them

SMALLEST = torch.finfo(torch.float32).tiny  # for a model smaller numbers are 0

PROBES = 4  # pairs of seeded tokens whose scores are sampled if an encoding's terms depend on the tokens

SIGNATURE = (
    "Compared are signatures: what an encoding gives to one position. At the input door that is the vector p_m added to the "
    "token at position m; at the rotation door cosine and sine of each pair's angle at position m, times a key's factor if it "
    "has one; at the score door what is added to the score at the offset m − n, one number a head; where that depends on the "
    f"tokens, one number a head for each of {PROBES} seeded pairs of tokens. So at the first two doors a verdict holds for "
    "positions, at the score door for offsets. Without an encoding there are no signatures."
)

_CHUNK = 2**21  # values of an encoding computed at a time


Place = tuple[tuple[str, int], ...]  # coordinates by the role of their axis: (("query", 5), ("key", 4))


@dataclass(frozen=True, eq=False)
class Measurement(Sized):
    """The result of a measure: its value, or None if the measure doesn't apply, and a sentence that explains it."""

    value: float | None
    reason: str

    def place(self, _field: str, _at: tuple[int, ...] = ()) -> Place:
        """Return where the number in this field, or the one `at` these indices of it, was found; an empty place if unknown."""
        return ()

    def __str__(self) -> str:
        return self.reason

    def _repr_mimebundle_(self, **_asked: object) -> dict[str, str]:
        """Return the text that a notebook displays: the value and its explanation."""
        told = "" if self.value is None else f"{self.value:g} · "
        return {"text/plain": f"{type(self).__name__}: {told}{self.reason}"}


@dataclass(frozen=True, eq=False)
class Unmeasured(Measurement):
    """No value: the measure doesn't apply, or needs more memory than is free. `remedy`: a change that gives one."""

    remedy: Remedy | None = None


def is_rounding(difference: float) -> bool:
    """Return True if a difference is only rounding error, so that it reads as 0."""
    return abs(difference) <= ROUNDING


def of_sentence(scene: Scene) -> tuple[Hashable, ...]:
    """Return the parts of a scene that determine a measurement of the whole sentence."""
    try:
        tokens: Hashable = (scene.sentence.typed, scene.sentence.order, scene.places)
    except Undefined as why:  # a tokenizer file that fails now may fail otherwise later, or not at all
        tokens = str(why)
    return scene.encoding, scene.model, scene.setup.tokenizer, scene.setup.keep_case, tokens


def of_focus(scene: Scene) -> tuple[Hashable, ...]:
    """Return what of a scene determines a measurement of the sentence, the query in focus and the selected key."""
    return *of_sentence(scene), scene.setup.focus, scene.key


class OneHead(Frozen):
    """The measured head of a large model; None: a few that represent all. In other models all heads are measured."""

    head: int | None = Field(
        None, ge=0, le=127, title="Head", description="One head of a large model; none: a few that stand for all."
    )

    def heads(self, scene: Scene) -> Heads:
        """Return the heads to measure; None means all. Raises Undefined if the model has no head of this index."""
        if self.head is not None and self.head >= scene.model.n_heads:
            raise Undefined(f"There is no head {self.head}: heads are 0 to {scene.model.n_heads - 1}.")
        return heads_to_compute(scene.model, scene.encoding, self.head)


@dataclass(frozen=True)
class Measure:
    """The declaration of a measure: its title, the question it answers, its options, and the function that computes it.

    `take` computes the measurement; it raises Undefined if the scene contains nothing to measure. `basis` returns the
    parts of a scene on which the result depends; they are the cache key. are_differences: its numbers say how far apart
    things are, so those up to `ROUNDING` are rounding errors. over_heads: what fields are of the numbers of
    several heads, by name, as “largest over heads”.
    """

    title: str
    summary: str
    options: type[Frozen]
    take: Callable[[Scene, Any, Engine], Measurement]
    basis: Callable[[Scene], tuple[Hashable, ...]] = of_sentence
    are_differences: bool = False
    over_heads: Mapping[str, str] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, eq=False)
class LastLayer(Sized):
    """The intermediate results of the last attention layer for some tokens, on the CPU.

    inputs (n, d_model); queries (h, n, d_head) after rotation; scores (h, n, n) before the mask; visible (n, n) is the
    mask; weights (h, n, n); output (n, d_model). products: the largest |q| · |k| times its factor, by whose size scores round.
    """

    inputs: Tensor
    queries: Tensor
    scores: Tensor
    visible: Tensor
    weights: Tensor
    output: Tensor
    products: float


def passed(
    scene: Scene,
    engine: Engine,
    tokens: tuple[str, ...],
    *,
    start: int = 0,
    n_layers: int | None = None,
    heads: Heads = None,
) -> LastLayer:
    """Run these tokens, at positions from `start` on, through the scene's model. `n_layers` replaces the model's number of
    layers if given. If `heads` is given, only these heads are computed, in every layer."""
    every = range(len(tokens))
    prompt = _prompt(scene, tokens, n_layers, start, heads)

    def compute() -> LastLayer:
        engine.check_stop()
        found, layer = engine.attended(prompt, every, every), engine.layer(prompt)
        inputs, queries = layer.inputs.cpu(), layer.turned_queries.cpu()
        longest = (float(one.norm(dim=-1).max()) for one in (layer.turned_queries, layer.turned_keys))
        products = math.prod(longest) * layer.scale
        return LastLayer(inputs, queries, found.scores, found.visible, found.weights, found.output, products)

    return engine.remembered(("pass", prompt), compute)


def output(
    scene: Scene, engine: Engine, tokens: tuple[str, ...], n_layers: int | None = None, heads: Heads = None
) -> Tensor:
    """Return the outputs of these tokens, (n, d_model), on the CPU: as in `passed`, but without storing attention maps."""
    prompt = _prompt(scene, tokens, n_layers, 0, heads)
    return engine.remembered(
        ("output", prompt), lambda: outputs(engine.layer(prompt), engine.check_stop, engine.threads).cpu()
    )


def _prompt(scene: Scene, tokens: tuple[str, ...], n_layers: int | None, start: int, heads: Heads) -> Prompt:
    model = scene.model
    if n_layers not in (None, model.n_layers):
        model = scene.toy.model_copy(update={"n_layers": n_layers})
    places = scene.places
    positions = range(start, start + len(tokens)) if places is None else replace(places, start=start)
    return Prompt(tokens, model, scene.encoding, positions, heads)


def measured_tokens(scene: Scene) -> tuple[str, ...]:
    """Return the sentence's first `MOST_TOKENS` tokens in their current order. Raises Undefined if there are none."""
    if not scene.tokens:
        raise Undefined("Type a sentence to see what position does in it.", SENTENCE)
    return scene.tokens[:MOST_TOKENS]


@dataclass(frozen=True)
class TwoOrders:
    """The same tokens in two orders: `second[i]` is `first[order[i]]`.

    If the user has `reordered` the sentence, the first order is the typed one and the second the current one. Otherwise
    the first is the current order and the second begins with the last token; those that a model's tokenizer puts around the
    text stay.
    """

    first: tuple[str, ...]
    second: tuple[str, ...]
    order: tuple[int, ...]
    reordered: bool

    @property
    def titles(self) -> tuple[str, str]:
        """Return a title for each order."""
        last = "the last token first" if self.order[0] == len(self.order) - 1 else "the text's last token first"
        return "as typed", "reordered" if self.reordered else last


def two_orders(scene: Scene) -> TwoOrders:
    """Return the sentence's first `MOST_TOKENS` tokens in two orders. Raises Undefined for fewer than two tokens."""
    standing, own = scene.sentence.order[:MOST_TOKENS], scene.sentence.split().own
    if len(own) < 2:
        raise Undefined("Fewer than two words have only one order: type a longer sentence.", SENTENCE)
    typed = sorted(standing)
    place = {index: at for at, index in enumerate(typed)}
    first = tuple(scene.sentence.typed[index] for index in typed)
    order = tuple(place[index] for index in standing)
    reordered = order != tuple(range(len(order)))
    if not reordered:
        order = change_among(order, own, lambda now: (now[-1], *now[:-1]))
    return TwoOrders(first, tuple(first[index] for index in order), order, reordered)


def n_judged(scene: Scene) -> int:
    """Return over how many positions the encoding is judged: the sentence's length, but between 128 and 1,024."""
    return judged_over(scene.n_tokens)


def judged_over(n_tokens: int) -> int:
    """Return the number of positions over which an encoding is judged for a sentence of `n_tokens` tokens."""
    return min(max(n_tokens, LEAST_POSITIONS), MOST_POSITIONS)


def coordinates(scene: Scene, count: int) -> Tensor:
    """Return the first `count` positions, (n,), float64, or all; of a score encoding offsets, without a mask of either sign."""
    encoding, model = scene.encoding, scene.model
    count = within_reach(encoding, count)
    if encoding.along == "offset":
        return torch.arange(0 if model.causal else 1 - count, count, dtype=torch.float64)
    limit = encoding.length_limit(model.d_model)
    return torch.arange(count if limit is None else min(count, limit), dtype=torch.float64)


def within_reach(encoding: Encoding, count: int) -> int:
    """Return `count`, or, if an encoding needs all tokens at once, at most what fits on each side of a query."""
    return count if encoding.tiled else min(count, encoding.most_tokens // 2)


def in_chunks(coordinates: Tensor, width: int, engine: Engine, compute: Callable[[Tensor], Tensor]) -> Tensor:
    """Compute on coordinates (n, …) in parts, so that each result of `width` columns stays small, and concatenate."""
    parts = []
    for part in torch.split(coordinates, max(1, _CHUNK // max(1, width))):
        engine.check_stop()
        parts.append(compute(part))
    return torch.cat(parts)


def at_once(scene: Scene, count: int) -> int:
    """Return how many of `count` coordinates get their signatures in one call, if they aren't all needed together. This keeps
    memory within what other comparisons use. An encoding whose scores depend on the tokens in between needs all coordinates
    in every call."""
    return max(n_judged(scene), _CHUNK // scene.model.d_model) if scene.encoding.of_pairs else count


def signatures(scene: Scene, at: Tensor, engine: Engine, length: int | None = None) -> Tensor:
    """Return the signature at each coordinate, (n, width), float64. `length` is the sequence's length; by default it is as
    long as the coordinates require. Raises Undefined if the scene has no encoding, or if the encoding isn't defined at one of
    the coordinates."""
    length = int(at.abs().max()) + 1 if length is None else length
    encoding, model = scene.encoding, scene.model
    encoding.check_shape(model.d_model, model.n_heads, model.head_width)
    if encoding.door == "score" and not encoding.content_free:
        return _added_to_scores(scene, at, engine, length)
    found = in_chunks(at, model.d_model, engine, lambda part: _profile(scene, part, length).values.double())
    return torch.where(found.abs() < SMALLEST, 0.0, found)


def _profile(scene: Scene, at: Tensor, length: int) -> Profile:
    found = scene.encoding.profile(at, scene.model.d_model, context_of(length, scene.model))
    if found is None:
        raise Undefined("No encoding is chosen: no position has a signature.", SINUSOIDAL)
    return found


def _added_to_scores(scene: Scene, at: Tensor, engine: Engine, length: int) -> Tensor:
    """Return the terms that a score encoding adds to the scores of seeded tokens at each offset m − n: (n, PROBES · heads).
    They are at the encoding's own scale: a factor of q · k that the user has set is not a property of the encoding."""
    model = scene.toy.model_copy(update={"scale": None})
    unmasked = model.model_copy(update={"causal": False})  # tables and projections are the same under both masks

    def compute() -> Contents:
        queries, others = (
            random_streams.normal(model.seed, "probe", name, shape=(PROBES, model.d_model)).double()
            for name in ("query", "key")
        )
        return Contents.of(unmasked, scene.encoding, queries, others, check_stop=engine.check_stop)

    query = at.abs().max()  # so large that every key position is at least 0
    keys = query - at
    replace(engine, device="cpu").require(memory_cost.moving_key_bytes, len(keys), model)
    length = max(length, int(keys.max()) + 1)
    contents = engine.remembered(("contents", unmasked, scene.encoding), compute)
    probe = MovingKey.over(replace(contents, model=model), int(query), keys, length, check_stop=engine.check_stop)
    found = [tile.added[:, 0] for tile in probe.tiles(engine.check_stop)]  # (h, n) each
    return torch.cat(found).T  # (n, PROBES · h)


def under(encoding: Encoding) -> str:
    """Return the beginning of a sentence: “With RoPE,” or “Without an encoding,”."""
    return "Without an encoding," if encoding.door == "none" else f"With {encoding.called},"


def require_variety(marks: Tensor, kind: str) -> None:
    """Raise Undefined if all signatures, (n, width), are the same."""
    if float((marks - marks[:1]).abs().max()) <= 1e-12 * float(marks.abs().max()):
        raise Undefined(f"All {kind}s have the same signature.")


def few_of(heads: range, n_heads: int) -> str:
    """Name the measured heads: “heads 0, 24, 48 and 72 of 96, since the model is large”."""
    return f"{inflect(len(heads), 'head')} {join_words(map(str, heads))} of {n_heads}, since the model is large"


def measured_in(heads: Heads, scene: Scene, n_tokens: int | None = None) -> str:
    """Return a sentence, after a space, of the heads measured, and of how many tokens if not all; empty if all were."""
    of = [] if heads is None else [f"in {few_of(heads, scene.model.n_heads)}"]
    if n_tokens is not None and n_tokens < scene.n_tokens:
        of.append(f"on the first {n_tokens:,} of {scene.n_tokens:,} tokens")
    return f" Measured {', '.join(of)}." if of else ""
