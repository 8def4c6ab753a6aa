"""Generation: one query over the same keys in two orders, with the attention sum split into its terms."""

from __future__ import annotations

from dataclasses import dataclass, replace

from torch import Tensor

from posenc_gui.attention.engine import Engine
from posenc_gui.attention.toy_model import Heads
from posenc_gui.foundation.errors import Undefined
from posenc_gui.foundation.wording import format_number
from posenc_gui.measures.base import ROUNDING, Measure, Measurement, OneHead, measured_in, measured_tokens, under
from posenc_gui.scene.remedies import SENTENCE
from posenc_gui.scene.scene import Scene
from posenc_gui.text.tokenization import name_token


@dataclass(frozen=True, eq=False)
class OneSum:
    """One query's output as a sum over keys: scores and weights (h, n), and terms weight · v (h, n, d_head). Keys are in the
    order of `tokens`. `total` (h, d_head) is the sum of the terms plus whatever the encoding adds to the output."""

    tokens: tuple[str, ...]
    scores: Tensor
    weights: Tensor
    terms: Tensor
    total: Tensor


@dataclass(frozen=True, eq=False)
class Generation(Measurement):
    """The output of the last token, the only query, over two orders of the tokens before it.

    `second.tokens[i]` is `first.tokens[order[i]]`. The last token stays last, since outputs of different queries can't
    be compared. `difference` (h, d_head) is the second output minus the first, before W_o; `value` is its largest size,
    and `changes` is True if that exceeds rounding. Only the first tokens of a long sentence are measured.
    """

    first: OneSum
    second: OneSum
    order: tuple[int, ...]
    difference: Tensor
    changes: bool


def take(scene: Scene, options: OneHead, engine: Engine) -> Generation:
    """Compare [A, B, C] with [B, A, C] for the query C: softmax and sum run over a set of keys, whatever its order."""
    tokens = measured_tokens(scene)
    if len(tokens) < 3:
        raise Undefined(
            "There must be two words before the last one to change their order: type a longer sentence.", SENTENCE
        )
    order = _other_order(scene, tokens)
    heads = scene.heads_of(None) and options.heads(scene)  # layer 2 needs every head of layer 1
    one = _sum(scene, engine, tokens, heads)
    other = _sum(scene, engine, tuple(tokens[index] for index in order), heads)
    difference = other.total - one.total
    value, query = float(difference.abs().max()), name_token(tokens, len(tokens) - 1)
    changes = value > ROUNDING * max(1.0, float(one.total.abs().max()))
    if not changes:
        told = "doesn't change with the order of those before it, but for rounding"
    else:
        why = ": the mask alone reveals the order" if scene.encoding.door == "none" else ""
        told = f"changes with the order of those before it, by up to {format_number(value)}{why}"
    reason = f"{under(scene.encoding)} what the query {query} takes from the {scene.unit}s {told}."
    reason += measured_in(heads, scene, len(tokens))
    return Generation(value, reason, one, other, order, difference, changes)


def _other_order(scene: Scene, tokens: tuple[str, ...]) -> tuple[int, ...]:
    """Return the typed order of the tokens before the last one; if that is the current order, the reversed order, or the
    order that begins with the last of them. Raises Undefined if every order gives the same tokens."""
    standing = scene.sentence.order[: len(tokens)]
    *rest, last = range(len(tokens))
    for order in (sorted(rest, key=standing.__getitem__), rest[::-1], rest[-1:] + rest[:-1]):
        if [tokens[index] for index in order] != list(tokens[:-1]):
            return (*order, last)
    raise Undefined("The words before the last one are all the same: every order of them reads alike.", SENTENCE)


def _sum(scene: Scene, engine: Engine, tokens: tuple[str, ...], heads: Heads) -> OneSum:
    prompt = replace(scene.prompt_of(heads), tokens=tokens)
    found = engine.attended(prompt, range(len(tokens) - 1, len(tokens)), range(len(tokens)))
    terms = found.weights[:, 0, :, None] * engine.layer(prompt).values.cpu()  # (h, n, d_head)
    return OneSum(tokens, found.scores[:, 0], found.weights[:, 0], terms, found.heads[:, 0])


MEASURE = Measure(
    "Generation",
    "Does the last word, as the only query, notice the order of those before it?",
    OneHead,
    take,
    are_differences=True,
    over_heads={"value": "largest over heads"},
)
