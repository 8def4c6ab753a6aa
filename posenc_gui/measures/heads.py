"""Heads: what each head of a trained model looks at on a text, and how far its attention moves when its positions are changed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor

from posenc_gui.attention.engine import Engine
from posenc_gui.attention.forward import attend_at_once
from posenc_gui.attention.layer import Prompt, learned
from posenc_gui.attention.trained_layer import TrainedLayer
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.foundation.errors import Undefined
from posenc_gui.foundation.wording import format_number
from posenc_gui.measures.base import Measure, Measurement, measured_in
from posenc_gui.scene import surgeries
from posenc_gui.scene.remedies import SENTENCE
from posenc_gui.scene.scene import Scene

MOST_TOKENS = 256  # every head's weights of every two of them are compared
LEAST_TOKENS = 3
_MOSTLY = 0.5  # a head is named by what it gives more than this, on average
_SAME = "the same token elsewhere"
_FARTHEST = 8  # offset by which a head is named


@dataclass(frozen=True)
class Look:
    """What a head looks at, in words, and the mean weight that it gives there, as trained and under the surgery."""

    layer: int
    head: int
    words: str
    weight: float
    without: float


@dataclass(frozen=True, eq=False)
class Heads(Measurement):
    """How far the attention of each head moves under the scene's surgery, (layers, heads), and the heads with a name.

    `moved` is the total variation between a query's weights as trained and under the surgery, averaged over queries: 0
    if nothing moves, 1 if all goes elsewhere. `value` is the largest.
    """

    moved: Tensor
    looks: tuple[Look, ...]


def take(scene: Scene, _options: Frozen, engine: Engine) -> Heads:
    """Compare two whole passes over the first tokens, as trained and under the scene's surgery, head by head."""
    model = learned(scene.model)
    tokens = scene.tokens[:MOST_TOKENS]
    if len(tokens) < LEAST_TOKENS:
        raise Undefined("Too few words to say what a head looks at: type a longer sentence.", SENTENCE)
    prompts = [Prompt(tokens, model, encoding) for encoding in (model.encoding, scene.surgery)]
    moved: list[Tensor] = []
    looks: list[Look] = []
    for layer, (own, without) in enumerate(zip(*(_weights(prompt, engine) for prompt in prompts), strict=True)):
        engine.check_stop()
        moved.append((own - without).abs().sum(-1).mean(-1) / 2)  # (h,)
        looks += _looks(layer, own, without, tokens)
    if len({len(heads) for heads in moved}) > 1:
        raise Undefined(f"The layers of {model.name} have different numbers of heads: they make no one map.")
    map_of_all = torch.stack(moved)  # (layers, heads)
    value, at = float(map_of_all.max()), int(map_of_all.argmax())
    layer, head = divmod(at, map_of_all.shape[1])
    told = next((look for look in looks if (look.layer, look.head) == (layer, head)), None)
    changed = surgeries.phrase(model, scene.surgery)
    named = ""
    if told:
        named = (
            f" It gives {told.words} {format_number(told.weight)} as trained, {format_number(told.without)} {changed}."
        )
    reason = (
        f"{changed[:1].upper()}{changed[1:]} attention moves most in layer {layer}, head {head}: {format_number(value)} of a "
        f"query's weight goes elsewhere.{named}{measured_in(None, scene, len(tokens))}"
    )
    return Heads(value, reason, map_of_all, tuple(looks))


def _weights(prompt: Prompt, engine: Engine) -> Iterator[Tensor]:
    """Yield the weights of each layer, (h, n, n)."""
    passed, every = engine.whole_pass(prompt, every_layer=True), range(len(prompt.tokens))
    for layer in range(learned(prompt.model).layers):
        yield attend_at_once(TrainedLayer.of(prompt, passed, layer), every, every, engine.check_stop).weights


@dataclass(frozen=True, eq=False)
class KeyGroup:
    """What a head may look at, in words, and which keys that are for each query, (n, n)."""

    words: str
    keys: Tensor

    def mean(self, weights: Tensor) -> Tensor:
        """Return what heads (h, n, n) give to it, averaged over the queries that have any: (h,)."""
        return (weights * self.keys).sum(-1)[:, self.keys.any(-1)].mean(-1)


def looks_at(weights: Tensor, tokens: tuple[str, ...]) -> KeyGroup | None:
    """Return the offset, or the first or last token, to which a head's weights, (n, n), give more than half on average."""
    if len(tokens) < LEAST_TOKENS:
        return None
    places = [place for place in _places(tokens) if place.words != _SAME]
    means = torch.stack([place.mean(weights[None])[0] for place in places])
    best = int(means.argmax())
    return places[best] if float(means[best]) > _MOSTLY else None


def _looks(layer: int, own: Tensor, without: Tensor, tokens: tuple[str, ...]) -> Iterator[Look]:
    """Yield the heads of a layer that have a name, by that to which they give most."""
    places = _places(tokens)
    means = torch.stack([place.mean(own) for place in places])  # (places, h)
    for head in range(len(own)):
        best = int(means[:, head].argmax())
        if (weight := float(means[best, head])) > _MOSTLY:
            without_them = float(places[best].mean(without[head : head + 1])[0])
            yield Look(layer, head, places[best].words, weight, without_them)


def _places(tokens: tuple[str, ...]) -> list[KeyGroup]:
    """Return what a head may look at: what half of the queries have."""
    count = len(tokens)
    at = torch.arange(count)
    offsets = at[:, None] - at
    same = torch.tensor([[one == other for other in tokens] for one in tokens]) & (offsets != 0)
    found = {
        "the token before": offsets == 1,
        "the token after": offsets == -1,
        "its own token": offsets == 0,
        "the first token": ((at == 0) & (at[:, None] > 1)),
        "the last token": ((at == count - 1) & (at[:, None] < count - 2)),
        _SAME: same,
    }
    for offset in range(2, min(_FARTHEST, count - 1) + 1):
        found[f"the token {offset} before"] = offsets == offset
        found[f"the token {offset} after"] = offsets == -offset
    return [KeyGroup(words, keys) for words, keys in found.items() if 2 * int(keys.any(-1).sum()) >= count]


MEASURE = Measure(
    "Heads", "What does each head look at, and how far does it move when positions are changed?", Frozen, take
)
