"""What measures share: their declaration, what they find, signatures of positions, and one pass through attention.

A signature is what an encoding gives to one position or offset, as numbers that can be compared; `SIGNATURE` says what it
is at each door. An encoding says its own in `profile`, and in `along` whether it belongs to positions or to offsets.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from typing import Any

import torch
from pydantic import Field
from torch import Tensor

from posenc_gui.attention import memory_cost as costs
from posenc_gui.attention.engine import Engine
from posenc_gui.attention.forward import outputs
from posenc_gui.attention.layer import Prompt, context_of, heads_alone
from posenc_gui.attention.moving_key import MovingKey
from posenc_gui.attention.toy_model import Heads
from posenc_gui.encodings.base import Encoding, Profile
from posenc_gui.figure.figure import number
from posenc_gui.foundation import random_streams as seeded
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.foundation.errors import Undefined
from posenc_gui.foundation.memory_size import size_of
from posenc_gui.foundation.unicode_text import quoted
from posenc_gui.scene.scene import Scene
from posenc_gui.text.tokenization import shown

MOST_TOKENS = 512  # a sentence is measured by its first tokens: every pair of them is compared
LEAST_POSITIONS = 128  # an encoding is judged over more than a short sentence: some faults show late
MOST_POSITIONS = 1024
ROUNDING = 1e-5  # of what is compared: float32 keeps seven digits, of which sums over a sentence lose one or two

PROBES = 4  # pairs of seeded tokens whose scores stand for all where an encoding depends on the tokens

SIGNATURE = (
    "Compared are signatures: what an encoding gives to one position. At the input door that is the vector p_m added to the "
    "token at position m; at the rotation door cosine and sine of each pair's angle at position m; at the score door what is "
    "added to the score at the offset m − n, one number a head; where that depends on the tokens, one number a head for each of "
    f"{PROBES} seeded pairs of tokens. So at the first two doors a verdict holds for positions, at the score door for "
    "offsets. Without an encoding there are no signatures."
)

_CHUNK = 2**21  # values of an encoding computed at a time


@dataclass(frozen=True, eq=False)
class Measurement:
    """What a measure found: the number behind it, None where the measure doesn't apply, and in words what it says."""

    value: float | None
    reason: str

    @property
    def nbytes(self) -> int:
        """Memory held, about."""
        return size_of(self)

    def __str__(self) -> str:
        return self.reason

    def _repr_mimebundle_(self, **_asked: object) -> dict[str, str]:
        """What a notebook shows: the number and what it means; all that was found is in its fields."""
        told = "" if self.value is None else f"{self.value:g} · "
        return {"text/plain": f"{type(self).__name__}: {told}{self.reason}"}


def of_sentence(scene: Scene) -> tuple[Hashable, ...]:
    """What a measurement of the whole sentence depends on."""
    try:
        tokens = (scene.typed_tokens, scene.standing_order, scene.places)
    except Undefined:  # a tokenizer's file that can't be read may be there again
        tokens = None
    return scene.encoding, scene.model, scene.tokenizer, scene.keep_case, tokens


def of_focus(scene: Scene) -> tuple[Hashable, ...]:
    """What a measurement depends on in which the tokens in focus count."""
    return *of_sentence(scene), scene.focus, scene.key


class OneHead(Frozen):
    """Which head of a large model is measured; None: a few that stand for all. Of other models all are."""

    head: int | None = Field(
        None, ge=0, le=127, title="Head", description="Which head of a large model is measured; none: a few for all."
    )

    def heads(self, scene: Scene) -> Heads:
        """The heads that are measured; None: all."""
        if self.head is not None and self.head >= scene.model.n_heads:
            raise Undefined(f"There is no head {self.head}: heads are 0 to {scene.model.n_heads - 1}.")
        return heads_alone(scene.model, scene.encoding, self.head)


@dataclass(frozen=True)
class Measure:
    """A measure as it is declared: its title, the question it answers, its options, and how it is taken.

    `take` raises Undefined where the scene has nothing to be measured. `basis` says what of a scene the measurement depends
    on, and so when it can be remembered.
    """

    title: str
    summary: str
    options: type[Frozen]
    take: Callable[[Scene, Any, Engine], Measurement]
    basis: Callable[[Scene], tuple[Hashable, ...]] = of_sentence


@dataclass(frozen=True, eq=False)
class Pass:
    """One pass of some tokens through the last layer, on the CPU.

    inputs (n, d_model); queries (h, n, d_head) as they meet the keys, after rotation; scores (h, n, n) before the mask;
    visible (n, n) is the mask; weights (h, n, n); output (n, d_model).
    """

    inputs: Tensor
    queries: Tensor
    scores: Tensor
    visible: Tensor
    weights: Tensor
    output: Tensor

    @property
    def nbytes(self) -> int:
        """Memory held, about."""
        return size_of(self)


def passed(
    scene: Scene,
    engine: Engine,
    tokens: tuple[str, ...],
    *,
    start: int = 0,
    n_layers: int | None = None,
    heads: Heads = None,
) -> Pass:
    """These tokens, from position `start` on, through the scene's model; in another depth where it is given.

    Of some `heads` alone where these are given, in both layers.
    """
    every = range(len(tokens))
    prompt = _prompt(scene, tokens, n_layers, start, heads)

    def compute() -> Pass:
        engine.check_stop()
        found, layer = engine.attended(prompt, every, every), engine.layer(prompt)
        inputs, queries = layer.inputs.cpu(), layer.turned_queries.cpu()
        return Pass(inputs, queries, found.scores, found.visible, found.weights, found.output)

    return engine.remembered(("pass", prompt), compute)


def output(
    scene: Scene, engine: Engine, tokens: tuple[str, ...], n_layers: int | None = None, heads: Heads = None
) -> Tensor:
    """What these tokens take away, (n, d_model), on the CPU, as in `passed` but without keeping maps."""
    prompt = _prompt(scene, tokens, n_layers, 0, heads)
    return engine.remembered(("output", prompt), lambda: outputs(engine.layer(prompt), engine.check_stop).cpu())


def _prompt(scene: Scene, tokens: tuple[str, ...], n_layers: int | None, start: int, heads: Heads) -> Prompt:
    model = scene.model if n_layers is None else scene.model.model_copy(update={"n_layers": n_layers})
    places = scene.places
    positions = range(start, start + len(tokens)) if places is None else replace(places, start=start)
    return Prompt(tokens, model, scene.encoding, positions, heads)


def measured_tokens(scene: Scene) -> tuple[str, ...]:
    """The sentence's first tokens as they stand. Raises Undefined where there are none."""
    if not scene.tokens:
        raise Undefined("There are no tokens yet: type a sentence.")
    return scene.tokens[:MOST_TOKENS]


@dataclass(frozen=True)
class TwoOrders:
    """The same tokens in two orders: `second[i]` is `first[order[i]]`.

    Where they are `reordered`, the first is as they were typed and the second as they stand; else the first is as they
    stand and the second has the last token first.
    """

    first: tuple[str, ...]
    second: tuple[str, ...]
    order: tuple[int, ...]
    reordered: bool

    @property
    def titles(self) -> tuple[str, str]:
        """What each order is."""
        return ("as typed", "as it stands") if self.reordered else ("as it stands", "the last token first")


def two_orders(scene: Scene) -> TwoOrders:
    """The sentence's first tokens in two orders. Raises Undefined for fewer than two."""
    standing = scene.standing_order[:MOST_TOKENS]
    if len(standing) < 2:
        raise Undefined("Fewer than two tokens have only one order: type a longer sentence.")
    typed = sorted(standing)
    place = {index: at for at, index in enumerate(typed)}
    first = tuple(scene.typed_tokens[index] for index in typed)
    order = tuple(place[index] for index in standing)
    reordered = order != tuple(range(len(order)))
    if not reordered:
        order = (order[-1], *order[:-1])
    return TwoOrders(first, tuple(first[index] for index in order), order, reordered)


def n_judged(scene: Scene) -> int:
    """Over how many positions the encoding is judged: those of the sentence, 128 at least and 1,024 at most."""
    return judged_over(scene.n_tokens)


def judged_over(n_tokens: int) -> int:
    """Over how many positions an encoding is judged with so many tokens."""
    return min(max(n_tokens, LEAST_POSITIONS), MOST_POSITIONS)


def coordinates(scene: Scene, count: int) -> Tensor:
    """The first positions, as far as the encoding has any; or the offsets, of both signs where there is no mask."""
    encoding, model = scene.encoding, scene.model
    count = within_reach(encoding, count)
    if encoding.along == "offset":
        return torch.arange(0 if model.causal else 1 - count, count, dtype=torch.float64)
    limit = encoding.length_limit(model.d_model)
    return torch.arange(count if limit is None else min(count, limit), dtype=torch.float64)


def within_reach(encoding: Encoding, count: int) -> int:
    """So many positions, or as many as fit on each side of a query where the encoding needs all tokens at once."""
    return count if encoding.tiled else min(count, encoding.most_tokens // 2)


def in_chunks(coordinates: Tensor, width: int, engine: Engine, compute: Callable[[Tensor], Tensor]) -> Tensor:
    """What `compute` gives for all coordinates, (n, …), a part at a time where all of `width` would take much memory."""
    parts = []
    for part in torch.split(coordinates, max(1, _CHUNK // max(1, width))):
        engine.check_stop()
        parts.append(compute(part))
    return torch.cat(parts)


def at_once(scene: Scene, count: int) -> int:
    """How many of so many coordinates' signatures are made at a time, where they aren't all needed together.

    As many as are compared elsewhere, for memory is asked for no more. What counts tokens needs all for each.
    """
    return max(n_judged(scene), _CHUNK // scene.model.d_model) if scene.encoding.of_pairs else count


def signatures(scene: Scene, at: Tensor, engine: Engine, length: int | None = None) -> Tensor:
    """The signature at each coordinate, (n, width), float64, in a sequence as long as they need or of this length.

    Raises Undefined without an encoding and where it has no such position.
    """
    length = int(at.abs().max()) + 1 if length is None else length
    encoding, model = scene.encoding, scene.model
    encoding.check_shape(model.d_model, model.n_heads, model.head_width)
    if encoding.door == "score" and not encoding.content_free:
        return _added_to_scores(scene, at, engine, length)
    width = model.d_model
    return in_chunks(at, width, engine, lambda part: _profile(scene, part, length).values.double())


def _profile(scene: Scene, at: Tensor, length: int) -> Profile:
    found = scene.encoding.profile(at, scene.model.d_model, context_of(length, scene.model))
    if found is None:
        raise Undefined("No encoding is chosen: no position has a signature.")
    return found


def _added_to_scores(scene: Scene, at: Tensor, engine: Engine, length: int) -> Tensor:
    """What a score encoding adds to the scores of seeded tokens at each offset m − n: (n, PROBES · heads).

    At its own scale: what a user multiplies q · k by is no property of the encoding.
    """
    model = scene.model.model_copy(update={"scale": None})
    query = at.abs().max()  # far enough in for every key position to be 0 or more
    queries, others = (
        seeded.normal(model.seed, "probe", name, shape=(PROBES, model.d_model)).double() for name in ("query", "key")
    )
    keys = query - at
    replace(engine, device="cpu").require(costs.of_probe, len(keys), model)
    length = max(length, int(keys.max()) + 1)
    probe = MovingKey.over(model, scene.encoding, int(query), keys, length, check_stop=engine.check_stop)
    found = [tile.added[:, 0] for tile in probe.tiles(queries, others, engine.check_stop)]  # (h, n) each
    return torch.cat(found).T  # (n, PROBES · h)


def under(encoding: Encoding) -> str:
    """With which encoding, in words that begin a sentence."""
    return "Without an encoding," if encoding.door == "none" else f"With {encoding.called},"


def tiny(value: float) -> str:
    """What is left by rounding, in words: of its digits only the first says anything."""
    return f"{number(float(f'{value:.0e}'))}, which is rounding" if value else "0"


def require_variety(marks: Tensor, kind: str) -> None:
    """Raise Undefined where all signatures, (n, width), are the same."""
    if float((marks - marks[:1]).abs().max()) <= 1e-12 * float(marks.abs().max()):
        raise Undefined(f"All {kind}s have the same signature.")


def percent(share: float, decimals: int = 0) -> str:
    """A share as a reader takes it: never 0% or 100% for what is nearly, but not, nothing or all."""
    for more in range(decimals, 5):
        text = f"{share:.{more}%}"
        if float(text[:-1]) not in (0, 100) or abs(float(text[:-1]) - 100 * share) <= 100 * ROUNDING:
            break
    return text


def few_of(heads: range, n_heads: int) -> str:
    """Which heads of how many: heads 0, 24, 48 and 72 of 96, since the model is large."""
    *most, last = map(str, heads)
    listed = f"heads {', '.join(most)} and {last}" if most else f"head {last}"
    return f"{listed} of {n_heads}, since the model is large"


def measured_in(heads: Heads, scene: Scene, n_tokens: int | None = None) -> str:
    """A sentence that says of which heads a measurement is, and of how many tokens where the sentence has more.

    With a space before it; empty where it is of all.
    """
    of = [] if heads is None else [f"in {few_of(heads, scene.model.n_heads)}"]
    if n_tokens is not None and n_tokens < scene.n_tokens:
        of.append(f"on the first {n_tokens:,} of {scene.n_tokens:,} tokens")
    return f" Measured {', '.join(of)}." if of else ""


def counted(count: int, noun: str, nouns: str = "") -> str:
    """How many, in words: 1 position, 1,024 positions; of a noun with another plural it is given."""
    return f"{count:,} {noun if count == 1 else nouns or f'{noun}s'}"


def named(tokens: tuple[str, ...], index: int) -> str:
    """A token with its index, as it is read aloud."""
    return f"{quoted(shown(tokens[index]))} ({index})"
