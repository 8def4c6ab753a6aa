"""Same words, different meaning: how well each encoding distinguishes two sentences of the same words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

import torch
from pydantic import Field
from torch import Tensor

from posenc_gui.attention.engine import Engine
from posenc_gui.attention.layer import heads_to_compute, toy
from posenc_gui.encodings.base import Encoding
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.foundation.errors import Undefined
from posenc_gui.foundation.unicode_text import shorten_middle
from posenc_gui.foundation.wording import format_number, join_words, quote
from posenc_gui.measures.base import (
    MOST_TOKENS,
    ROUNDING,
    Measure,
    Measurement,
    measured_in,
    measured_tokens,
    of_sentence,
    output,
)
from posenc_gui.scene import example_sentences
from posenc_gui.scene.comparison import every_encoding, in_a_sentence
from posenc_gui.scene.remedies import SENTENCE
from posenc_gui.scene.scene import Scene
from posenc_gui.text import tokenization

_WORDS = 12  # words of a sentence that are listed in a message


class MeaningOptions(Frozen):
    """The sentence to compare with the scene's."""

    other: str = Field(
        "",
        max_length=2000,
        title="Compare with",
        description="Another order of the same words; automatic is the course's, or the sentence as typed or reversed.",
    )


@dataclass(frozen=True, eq=False)
class Distance:
    """Distances of two sentences' outputs, relative to their mean norm: of each token, (n,), and of the means."""

    by_token: Tensor
    pooled: float

    @property
    def is_none(self) -> bool:
        """True if no token's output differs between the sentences, up to rounding."""
        return float(self.by_token.max()) <= ROUNDING


@dataclass(frozen=True, eq=False)
class Comparison:
    """A comparison of the scene's sentence with another one of the same words. It has the other sentence's meaning, whether
    that sentence is the mirror image, and the distance under each encoding, by title."""

    tokens: tuple[str, ...]
    meaning: str
    is_mirror_image: bool
    distances: Mapping[str, Distance]

    @property
    def same(self) -> tuple[str, ...]:
        """The titles of the encodings under which the two sentences give the same outputs."""
        return tuple(title for title, distance in self.distances.items() if distance.is_none)


@dataclass(frozen=True, eq=False)
class Meaning(Measurement):
    """The scene's sentence compared with others of the same words.

    `value` is the largest difference of a token's output, under the scene's encoding, from the nearest of these
    sentences. `undefined` gives, by title, the reason why an encoding is missing.
    """

    tokens: tuple[str, ...]
    meaning: str
    comparisons: tuple[Comparison, ...]
    undefined: Mapping[str, str]


def take(scene: Scene, options: MeaningOptions, engine: Engine) -> Meaning:
    """Compare with the requested sentence; by default with the course's sentences of the same words, or with the typed or
    reversed order. The scene's encodings keep their parameters; all others have their defaults."""
    tokens = measured_tokens(scene)
    toy(scene.model)  # one that has learned takes no other encoding of the list
    known = _known(scene, tokens)
    others = [other for other in known if other != tokens] or [_own_other(scene, tokens)]
    if options.other.strip():
        others = [_asked_for(scene, tokens, options.other)]
    distances: list[dict[str, Distance]] = [{} for _ in others]
    undefined: dict[str, str] = {}
    compared, heads = every_encoding(scene), heads_to_compute(scene.model, scene.without_position.encoding)
    for title, encoding in compared.items():
        encoded = scene.with_encoding(encoding)
        try:
            if scene.model.is_large and heads_to_compute(scene.model, encoding) != heads:
                raise Undefined("it reads queries and keys of all heads, for which this model is too large.")
            here = output(encoded, engine, tokens, heads=heads)
            for found, other in zip(distances, others, strict=True):
                found[title] = _distance(tokens, here, other, output(encoded, engine, other, heads=heads))
        except Undefined as why:
            undefined[title] = str(why)
    comparisons = tuple(
        Comparison(other, known.get(other, ""), other == tokens[::-1], found)
        for other, found in zip(others, distances, strict=True)
    )
    (own_title,) = (title for title, encoding in compared.items() if encoding == scene.encoding)
    if own_title in undefined:
        raise Undefined(undefined[own_title])
    nearest = min(comparisons, key=lambda one: float(one.distances[own_title].by_token.max()))
    value = float(nearest.distances[own_title].by_token.max())
    reason = (
        f"{_told(scene, own_title, nearest, len(comparisons), value)} {_who(scene, compared, comparisons, undefined)}"
    )
    return Meaning(
        value, reason + measured_in(heads, scene, len(tokens)), tokens, known.get(tokens, ""), comparisons, undefined
    )


def _known(scene: Scene, tokens: tuple[str, ...]) -> dict[tuple[str, ...], str]:
    """Return the course's sentences of the same lower-case words, with their meanings; none if tokens are other words."""
    if scene.setup.tokenizer != "words":
        return {}
    if not scene.setup.keep_case:
        return example_sentences.meanings(tokens)
    lower = example_sentences.meanings(tuple(token.lower() for token in tokens))
    return lower if tokens in lower else {}


def _asked_for(scene: Scene, tokens: tuple[str, ...], other: str) -> tuple[str, ...]:
    found = scene.setup.splitting.whole(tokenization.tokenize(other, scene.setup.tokenizer, scene.setup.keep_case))
    if sorted(found) != sorted(tokens):
        odd = next(iter((Counter(found) - Counter(tokens)) or (Counter(tokens) - Counter(found))))
        raise Undefined(
            f"{quote(shorten_middle(other))} doesn't hold the same words: {quote(tokenization.format_token(odd))} "
            "stands in one sentence alone."
        )
    return found


def _own_other(scene: Scene, tokens: tuple[str, ...]) -> tuple[str, ...]:
    typed = scene.sentence.typed[: len(tokens)] if len(scene.sentence.typed) <= MOST_TOKENS else tokens
    other = typed if typed != tokens else tokens[::-1]
    if other == tokens:
        raise Undefined("This sentence reads the same in the other direction: type another one.", SENTENCE)
    return other


def _distance(tokens: tuple[str, ...], here: Tensor, other: tuple[str, ...], there: Tensor) -> Distance:
    """Return two sentences' distance, matching repeated tokens in the same or reverse order, whichever is nearer."""
    size = torch.cat([here, there]).norm(dim=-1).mean().clamp(min=1e-30)
    by_token = torch.zeros(len(tokens))
    for token in dict.fromkeys(tokens):
        mine = [index for index, one in enumerate(tokens) if one == token]
        theirs = [index for index, one in enumerate(other) if one == token]
        apart = [(here[mine] - there[match]).norm(dim=-1) for match in (theirs, theirs[::-1])]
        by_token[mine] = min(apart, key=lambda distances: float(distances.sum()))
    return Distance(by_token / size, float((here.mean(0) - there.mean(0)).norm() / size))


def _told(scene: Scene, title: str, nearest: Comparison, count: int, value: float) -> str:
    """Say how far the scene's encoding separates its sentence from the nearest of the others."""
    under = "Without an encoding," if scene.encoding.door == "none" else f"With {in_a_sentence(scene, title)},"
    sentence = f"{_named(nearest)}{f', the nearest of {count}' if count > 1 else ''}"
    if value <= ROUNDING:
        return f"{under} the sentence can't be told from {sentence}."
    apart = f"{format_number(value)} of a mean output's length"
    return f"{under} a {scene.unit}'s output differs by up to {apart} from that in {sentence}."


def _who(
    scene: Scene, compared: Mapping[str, Encoding], comparisons: Sequence[Comparison], undefined: Mapping[str, str]
) -> str:
    """Name, for each of the other sentences, the encodings that can't tell it from the scene's, or say that all can."""
    told = []
    for comparison in comparisons:
        mirror = "the mirror image " if comparison.is_mirror_image else ""
        sentence = f"{mirror}{_named(comparison)}"
        if comparison.same:
            told.append(
                f"No difference from {sentence} under {join_words(in_a_sentence(scene, one) for one in comparison.same)}."
            )
            continue
        count = sum(compared[title].door != "none" for title in comparison.distances)
        which = f"All {count} encodings{' that are defined here' if undefined else ''}"
        told.append(f"{which} tell it from {sentence}, and so does the mask alone.")
    return " ".join(told)


def _named(one: Comparison) -> str:
    return quote(tokenization.format_first_tokens(one.tokens, _WORDS))


def _basis(scene: Scene) -> tuple[Hashable, ...]:
    return *of_sentence(scene), scene.other


MEASURE = Measure(
    "Same words",
    "Which encodings tell sentences of the same words apart?",
    MeaningOptions,
    take,
    _basis,
    are_differences=True,
)
