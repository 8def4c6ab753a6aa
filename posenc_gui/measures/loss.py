"""Loss: how well a trained model predicts each token of a text, with its positions as trained, changed or taken away."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor

from posenc_gui.attention.engine import Engine
from posenc_gui.attention.layer import Prompt, learned
from posenc_gui.encodings.base import RotationEncoding
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.foundation.errors import Undefined
from posenc_gui.foundation.wording import format_number
from posenc_gui.measures.base import Measure, Measurement
from posenc_gui.measures.surgery import changes_in
from posenc_gui.scene import surgeries
from posenc_gui.scene.scene import Scene


@dataclass(frozen=True, eq=False)
class Lost:
    """The losses under one change of positions, (n,) in nats; their mean, and that of tokens past the trained length."""

    words: str
    values: Tensor
    mean: float
    past: float | None


@dataclass(frozen=True, eq=False)
class Loss(Measurement):
    """The losses of the tokens from `first` on, as trained first; `value` is their mean as trained.

    A loss is −ln of the probability that the model gives to the token, read from the tokens before it; by a model that
    predicts hidden tokens it is read from all others, the token itself being hidden (Salazar et al. 2020, “Masked
    Language Model Scoring”). `trained` is the trained length, None if the text is no longer; where it `may_be_after`, it may
    as well be the one that the scaling reaches.
    """

    first: int
    trained: int | None
    may_be_after: bool
    outcomes: tuple[Lost, ...]


def take(scene: Scene, _options: Frozen, engine: Engine) -> Loss:
    """Read the text once, or once for each hidden token, under each change of the model's positions."""
    model = learned(scene.model)
    words, first = scene.sentence.split().own, 0
    trained = model.max_length if model.max_length and scene.n_tokens > model.max_length else None
    may_be_after = isinstance(model.encoding, RotationEncoding) and model.encoding.trained_length_may_be_after
    outcomes = []
    for name, encoding in changes_in(scene).items():
        engine.check_stop()
        try:
            found = engine.losses(Prompt(scene.tokens, model, encoding), words)
        except Undefined:
            if encoding == model.encoding:
                raise
            continue  # such as a shifted table without rows for all of the text
        first, values = found.first, found.values.double()
        past = values[max(0, trained - first) :] if trained else values[:0]
        outcomes.append(Lost(name, values, float(values.mean()), float(past.mean()) if len(past) else None))
    means = "; ".join(f"{format_number(one.mean)} {surgeries.in_a_sentence(one.words)}" for one in outcomes)
    reason = f"The mean loss of {len(outcomes[0].values):,} tokens, in nats, is {means}."
    if trained:
        beyond = "; ".join(
            f"{format_number(one.past)} {surgeries.in_a_sentence(one.words)}"
            for one in outcomes
            if one.past is not None
        )
        which = "the length before or after its scaling" if may_be_after else "the trained length"
        reason += f" Past {which}, {trained:,} positions, it is {beyond}."
    return Loss(outcomes[0].mean, reason, first, trained, may_be_after, tuple(outcomes))


MEASURE = Measure(
    "Loss", "How well does a trained model predict each token, with its positions and without?", Frozen, take
)
