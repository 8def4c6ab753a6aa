"""Generation: one query over the same keys in two orders, summed term by term."""

from __future__ import annotations

from dataclasses import dataclass, replace

from torch import Tensor

from posenc_gui.attention.engine import Engine
from posenc_gui.attention.toy_model import Heads
from posenc_gui.figure.figure import number
from posenc_gui.foundation.errors import Undefined
from posenc_gui.measures.base import (
    ROUNDING,
    Measure,
    Measurement,
    OneHead,
    measured_in,
    measured_tokens,
    named,
    tiny,
    under,
)
from posenc_gui.scene.scene import Scene


@dataclass(frozen=True, eq=False)
class OneSum:
    """One query's output as a sum over the keys: scores and weights (h, n), terms weight · v (h, n, d_head), their sum.

    Keys stand in the prompt's own order; `tokens` are they. `total` (h, d_head) holds also what the encoding adds.
    """

    tokens: tuple[str, ...]
    scores: Tensor
    weights: Tensor
    terms: Tensor
    total: Tensor


@dataclass(frozen=True, eq=False)
class Generation(Measurement):
    """The last token as the only query, over two orders of the tokens before it; `value` is the largest difference, which
    `changes` the output where it is more than rounding. Of a long sentence the first tokens are measured.

    `second.tokens[i]` is `first.tokens[order[i]]`; the last token stays last, since outputs of two different last tokens
    can't be compared.
    """

    first: OneSum
    second: OneSum
    order: tuple[int, ...]
    difference: Tensor
    changes: bool


def take(scene: Scene, options: OneHead, engine: Engine) -> Generation:
    """[A, B, C] and [B, A, C] with C as the query: the softmax is over the set of keys, and so is the sum."""
    tokens = measured_tokens(scene)
    if len(tokens) < 3:
        raise Undefined("There must be two tokens before the last one to change their order: type a longer sentence.")
    order = _other_order(scene, tokens)
    heads = scene.heads_of(None) and options.heads(scene)  # of two layers the upper one needs all of the lower
    one = _sum(scene, engine, tokens, heads)
    other = _sum(scene, engine, tuple(tokens[index] for index in order), heads)
    difference = other.total - one.total
    value, query = float(difference.abs().max()), named(tokens, len(tokens) - 1)
    changes = value > ROUNDING * max(1.0, float(one.total.abs().max()))
    if not changes:
        told = f"doesn't change with the order of those before it: the difference is {tiny(value)}"
    else:
        why = ": the mask alone tells order" if scene.encoding.door == "none" else ""
        told = f"changes with the order of those before it, by up to {number(value)}{why}"
    reason = f"{under(scene.encoding)} what the query {query} takes from the tokens {told}."
    reason += measured_in(heads, scene, len(tokens))
    return Generation(value, reason, one, other, order, difference, changes)


def _other_order(scene: Scene, tokens: tuple[str, ...]) -> tuple[int, ...]:
    """Those before the last token as typed, or, where that is how they stand, reversed, or the last of them first.

    Raises Undefined where every order of them reads the same.
    """
    standing = scene.standing_order[: len(tokens)]
    *rest, last = range(len(tokens))
    for order in (sorted(rest, key=standing.__getitem__), rest[::-1], rest[-1:] + rest[:-1]):
        if [tokens[index] for index in order] != list(tokens[:-1]):
            return (*order, last)
    raise Undefined("The tokens before the last one are all the same: every order of them reads alike.")


def _sum(scene: Scene, engine: Engine, tokens: tuple[str, ...], heads: Heads) -> OneSum:
    prompt = replace(scene.prompt_of(heads), tokens=tokens)
    found = engine.attended(prompt, range(len(tokens) - 1, len(tokens)), range(len(tokens)))
    terms = found.weights[:, 0, :, None] * engine.layer(prompt).values.cpu()  # (h, n, d_head)
    return OneSum(tokens, found.scores[:, 0], found.weights[:, 0], terms, found.heads[:, 0])


MEASURE = Measure(
    "Generation", "Does the last token, as the only query, notice the order of those before it?", OneHead, take
)
