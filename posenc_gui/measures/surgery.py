"""Surgery: what a trained model's vector of a text makes of its order, with its positions as trained, changed or taken away."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import get_args

from pydantic import Field
from torch import Tensor
from torch.nn.functional import cosine_similarity

from posenc_gui import encodings
from posenc_gui.attention.engine import Engine
from posenc_gui.attention.layer import Prompt, learned
from posenc_gui.attention.trained_model import TrainedModel
from posenc_gui.encodings.base import Encoding, RotationEncoding
from posenc_gui.encodings.common import trained
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.foundation.errors import Undefined
from posenc_gui.foundation.wording import format_number
from posenc_gui.measures.base import Measure, Measurement
from posenc_gui.scene import surgeries
from posenc_gui.scene.remedies import SENTENCE
from posenc_gui.scene.scene import Scene
from posenc_gui.text.tokenization import format_first_tokens, tokenize

_SHOWN = 12  # tokens of a quoted order
_LONGER = 4.0  # factor by which a rotation is extended


class SurgeryOptions(Frozen):
    """The sentence of another topic."""

    control: str = Field(
        "",
        max_length=1000,
        title="Another topic",
        description="A sentence that should stay apart: where it doesn't, the model is broken, not just without order. Automatic "
        "is one about stocks.",
    )

    @property
    def topic(self) -> str:
        """The sentence of another topic."""
        return self.control if self.control.strip() else "Stocks rose sharply on Monday"


@dataclass(frozen=True)
class SurgeryResult:
    """One way of changing positions: similarities of the text's vector with that of its words in another order, of the
    sentence of another topic, and of the text as trained."""

    words: str
    reordered: float
    control: float
    as_trained: float


@dataclass(frozen=True, eq=False)
class Surgery(Measurement):
    """The outcomes, as trained first; `value` is the similarity of both orders as trained. A vector is the mean of the last
    hidden states; similarity is the cosine. `first` and `second` are both orders of the text's own tokens."""

    first: tuple[str, ...]
    second: tuple[str, ...]
    outcomes: tuple[SurgeryResult, ...]


def take(scene: Scene, options: SurgeryOptions, engine: Engine) -> Surgery:
    """Run the whole model over both orders and the control sentence, under each change of its positions."""
    model = learned(scene.model)
    first = scene.sentence.typed
    second = _other_order(scene)
    control = tokenize(options.topic, model.tokenizer, True, True, engine.check_stop)
    own = _vector(Prompt(first, model, model.encoding), engine)
    outcomes = []
    for words, encoding in changes_in(scene).items():
        engine.check_stop()
        try:
            text, other, topic = (
                _vector(Prompt(tokens, model, encoding), engine) for tokens in (first, second, control)
            )
        except Undefined:
            if encoding == model.encoding:
                raise
            continue  # such as a shifted table without rows for all of the text
        outcomes.append(SurgeryResult(words, _alike(text, other), _alike(text, topic), _alike(text, own)))
    first, second = _own_words(scene, first, second)
    quoted = f"“{format_first_tokens(first, _SHOWN)}” and “{format_first_tokens(second, _SHOWN)}”"
    told = "; ".join(f"{format_number(one.reordered)} {surgeries.in_a_sentence(one.words)}" for one in outcomes)
    reason = f"{quoted} have a similarity of {told}."
    return Surgery(outcomes[0].reordered, reason, first, second, tuple(outcomes))


def changes(model: TrainedModel) -> dict[str, Encoding]:
    """Return what can be done to a model's positions, in words, as trained first."""
    own, none = model.encoding, encodings.encoding("none")
    found: dict[str, Encoding] = {"as trained": own}
    if isinstance(own, trained.TrainedTable):
        for surgery in get_args(trained.Surgery)[1:]:
            changed = own.model_copy(update={"surgery": surgery})
            found[changed.done] = changed
        return found | ({"without positions": none} if model.beside and model.separable else {})
    if isinstance(own, RotationEncoding) and model.shows == "all" and model.max_length:
        extended = own.extensions(_LONGER, model.max_length)
        where = surgeries.alike(model)
        found |= {f"with {way} × {_LONGER:g}{where}": one for way, one in extended.items() if one != own}
    if own.door != "none":
        what = {"input": "positions", "rotation": "rotation"}.get(own.door, "bias")
        found[f"without the {what}"] = none
    return {words: one for words, one in found.items() if not model.refusal(one)}


def changes_in(scene: Scene) -> dict[str, Encoding]:
    """Return what can be done to the model's positions, in words, as trained first, and what the scene does to them."""
    model = learned(scene.model)
    found = changes(model)
    for chosen in filter(None, (scene.encoding, scene.other)):
        if _named(model, found, chosen) is None:
            found[surgeries.phrase(model, chosen)] = chosen
    return found


def change_of(scene: Scene) -> str | None:
    """Return what the scene does to the model's positions, in the words of `changes_in`: “as trained” if nothing."""
    model = learned(scene.model)
    given = next((one for one in (scene.encoding, scene.other) if one not in (None, model.encoding)), None)
    return _named(model, changes_in(scene), given or model.encoding)


def _named(model: TrainedModel, found: Mapping[str, Encoding], encoding: Encoding) -> str | None:
    """Return the words of what does the same as an encoding: a table at strength 0 is one that is zeroed."""
    done = surgeries.done(model, encoding)
    return next((words for words, one in found.items() if surgeries.done(model, one) == done), None)


def _other_order(scene: Scene) -> tuple[str, ...]:
    """Return the scene's tokens in its order or, as typed, with the text's own tokens reversed."""
    if scene.tokens != scene.sentence.typed:
        return scene.tokens
    typed, words = scene.sentence.typed, scene.sentence.split().own
    if len(words) < 2:
        raise Undefined("Fewer than two words have only one order: type a longer sentence.", SENTENCE)
    return (*typed[: words.start], *typed[words.start : words.stop][::-1], *typed[words.stop :])


def _own_words(scene: Scene, *orders: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Return orders without the tokens around the text, if those stand where they stood."""
    typed, words = scene.sentence.typed, scene.sentence.split().own
    around = typed[: words.start], typed[words.stop :]
    if any((one[: words.start], one[words.stop :]) != around for one in orders):
        return list(orders)
    return [one[words.start : words.stop] for one in orders]


def _vector(prompt: Prompt, engine: Engine) -> Tensor:
    """Return the mean of the last hidden states, (d_model,)."""
    return engine.whole_pass(prompt).hidden.mean(0)


def _alike(one: Tensor, other: Tensor) -> float:
    return float(cosine_similarity(one.double(), other.double(), dim=0))


MEASURE = Measure(
    "Surgery", "What does order change in a trained model's vector of a text, with its positions and without?",
    SurgeryOptions, take,
)  # fmt: skip
