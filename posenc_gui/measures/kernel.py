"""Distance kernel: the score as a function of the offset, for the selected tokens and averaged over random ones."""

from __future__ import annotations

from dataclasses import dataclass, replace

import torch
from torch import Tensor

from posenc_gui.attention import memory_cost
from posenc_gui.attention.engine import Engine
from posenc_gui.attention.layer import context_of
from posenc_gui.attention.moving_key import Contents, MovingKey
from posenc_gui.attention.toy_model import Heads
from posenc_gui.encodings.base import Encoding, RotationEncoding
from posenc_gui.foundation import random_streams
from posenc_gui.foundation.errors import Undefined
from posenc_gui.foundation.wording import format_number
from posenc_gui.measures.base import (
    Measure,
    Measurement,
    OneHead,
    Place,
    measured_in,
    measured_tokens,
    n_judged,
    of_focus,
    under,
)
from posenc_gui.measures.frequencies import turn_unevenly
from posenc_gui.scene.scene import Scene

CONTENTS = 64  # number of random tokens in an average
MOST_OFFSETS = 512  # on each side


@dataclass(frozen=True, eq=False)
class Kernel(Measurement):
    """Scores before the mask of one query at a fixed position and one moving key: (h, n) over `offsets` (n,), m − n.

    `seeded`: the query is the token in focus, the key the selected one. `random`: the mean over random queries and
    keys. `same`: the mean over random tokens, with the query's own vector as the key and W_q in place of W_k. `bound`
    (n,) is RoFormer's relative bound on the scores of a rotation, the mean |S_j| over the pairs (Su et al. 2021,
    section 3.4.3, equation 37), or None if there is no such bound. `at_zero` and `farthest` are the means of `same`
    over heads at offset 0 and at `farthest_offset`. `value` is the decrease from the first to the second, divided by
    the larger absolute value: 0 means that distance makes no difference.
    """

    offsets: Tensor
    query: int
    seeded: Tensor
    random: Tensor
    same: Tensor
    bound: Tensor | None
    at_zero: float
    farthest: float
    farthest_offset: int

    def place(self, field: str, at: tuple[int, ...] = ()) -> Place:
        """Return the head and the offset of one score, and the offset of the means over heads."""
        match field, at:
            case (("seeded" | "random" | "same"), (head, index)):
                return ("head", head), ("offset", int(self.offsets[index]))
            case "at_zero", ():
                return (("offset", 0),)
            case "farthest", ():
                return (("offset", self.farthest_offset),)
        return ()


def take(scene: Scene, options: OneHead, engine: Engine) -> Kernel:
    """Compute the scores of a query in the middle of the keys' positions, or with a causal mask at the last of them."""
    measured_tokens(scene)
    model, encoding = scene.toy, scene.encoding
    encoding.check_shape(model.d_model, model.n_heads, model.head_width)
    keys = _key_positions(scene)
    query = keys[-1:] if model.causal else keys[len(keys) // 2 :][:1]
    focus, key = scene.focused or 0, scene.keyed or 0
    chosen = model.embed((scene.tokens[focus], scene.tokens[key])).double() * model.embedding_scale
    random_query, random_key = (
        random_streams.normal(model.seed, "content", name, shape=(CONTENTS, model.d_model)).double()
        * model.embedding_scale
        for name in ("query", "key")
    )
    heads = options.heads(scene)
    shown = _scores(scene, engine, chosen[:1], chosen[1:], query, keys, heads)
    mean = _scores(scene, engine, random_query, random_key, query, keys, heads)
    same = _scores(scene, engine, random_query, random_query, query, keys, heads, tied=True)
    offsets = query - keys
    at_zero, far = same[:, offsets == 0].mean(), same[:, int(offsets.abs().argmax())].mean()
    value = float((at_zero - far) / torch.maximum(at_zero.abs(), far.abs()).clamp(min=1e-30))
    furthest = int(offsets[int(offsets.abs().argmax())])
    means = f"{format_number(float(at_zero))} at offset 0 and {format_number(float(far))} at {format_number(furthest)}"
    means += ", on average over heads" if len(same) > 1 else ""
    reason = (
        f"{under(encoding)} the mean score of a query with a key made by the same matrix is {means}; with keys of random "
        f"other vectors the means lie between {format_number(float(mean.min()))} and {format_number(float(mean.max()))}."
        f"{measured_in(heads, scene)}"
    )
    bound = relative_bound(encoding, scene, offsets)
    return Kernel(value, reason, offsets, int(query), shown, mean, same, bound, float(at_zero), float(far), furthest)


def relative_bound(encoding: Encoding, scene: Scene, offsets: Tensor) -> Tensor | None:
    """Return (1/pairs) Σ_j |S_j|, S_j = Σ_(i<j) exp(√−1 (m − n) θ_i), at each offset; None without a pure rotation."""
    if encoding.door != "rotation" or type(encoding).rotate is not RotationEncoding.rotate:
        return None  # the bound assumes a pure rotation; here the lengths change, too
    context = context_of(int(offsets.abs().max()) + 1, scene.model)
    if any(turn_unevenly(encoding, scene.model.d_model, context)):
        return None  # the angle between two positions is no function of their offset
    phases, at_zero = (encoding.phases(at, scene.model.d_model, context) for at in (offsets, torch.zeros_like(offsets)))
    if phases is None or at_zero is None:
        return None
    turned = phases - at_zero
    partial = torch.polar(torch.ones_like(turned), turned).cumsum(-1)
    return partial.abs().mean(-1)


def _key_positions(scene: Scene) -> Tensor:
    encoding, model = scene.encoding, scene.model
    count = min(n_judged(scene), MOST_OFFSETS) * (1 if model.causal else 2)
    limit = encoding.length_limit(model.d_model)
    if limit is not None:
        count = min(count, limit)
    if count < 2:
        raise Undefined("There is only one position: there are no offsets.")
    return torch.arange(count, dtype=torch.float64)


def _scores(
    scene: Scene,
    engine: Engine,
    query_vectors: Tensor,
    key_vectors: Tensor,
    query: Tensor,
    keys: Tensor,
    heads: Heads,
    tied: bool = False,
) -> Tensor:
    """Return the mean score, over contents (c, d_model), of each query with its own key, by W_q if `tied`, at every position:
    (h, n)."""
    replace(engine, device="cpu").require(memory_cost.moving_key_bytes, len(keys), scene.model.of_heads(heads))
    contents = Contents.of(
        scene.toy, scene.encoding, query_vectors, key_vectors, tied=tied, heads=heads, check_stop=engine.check_stop
    )
    probe = MovingKey.over(contents, int(query), keys, len(keys), check_stop=engine.check_stop)
    total = torch.zeros(scene.model.of_heads(heads).n_heads, len(keys), dtype=torch.float64)
    for tile in probe.tiles(engine.check_stop):
        total += tile.scores[:, 0]
    return total / len(query_vectors)


MEASURE = Measure(
    "Distance kernel",
    "How does the score depend on the distance, whatever the tokens?",
    OneHead,
    take,
    of_focus,
    over_heads={"value": "of means over heads", "at_zero": "mean over heads", "farthest": "mean over heads"},
)
