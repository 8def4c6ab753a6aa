"""What a picture depends on, as it is typed and chosen: sentence, order, encodings, model, focus and key."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Annotated, Any, Self

from pydantic import BeforeValidator, Field, PlainSerializer, WrapValidator, field_validator, model_validator

from posenc_gui import encodings
from posenc_gui.attention.layer import AttentionModel
from posenc_gui.attention.toy_model import ToyModel
from posenc_gui.attention.trained_model import TrainedModel
from posenc_gui.encodings.base import Encoding
from posenc_gui.encodings.common.any_encoding import AnyEncoding
from posenc_gui.encodings.common.strength import at_strength
from posenc_gui.encodings.common.trained import KINDS
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.foundation.errors import unknown_name
from posenc_gui.foundation.wording import join_words
from posenc_gui.scene.image_patches import Patches
from posenc_gui.scene.splitting import Split, Splitting
from posenc_gui.text import tokenization
from posenc_gui.text.tokenization import MAX_TOKENS, Fill

_LARGEST_INDEX = 2**31 - 1


def _to_model(value: object, to_toy: Callable[[object], ToyModel]) -> AttentionModel:
    """Return a toy model, or one that has learned, which a file tells by its kind."""
    if isinstance(value, dict) and value.get("kind") == "trained":
        return TrainedModel(**value)
    return value if isinstance(value, TrainedModel) else to_toy(value)


Text = Annotated[
    str, BeforeValidator(lambda value: tokenization.replace_surrogates(value) if isinstance(value, str) else value)
]


if TYPE_CHECKING:
    AnyModel = AttentionModel
else:
    AnyModel = Annotated[ToyModel, WrapValidator(_to_model), PlainSerializer(lambda model: model.model_dump())]


class Setup(Frozen):
    """A sentence, its tokens' order, one or two encodings, a model, the query in focus and the selected key."""

    text: Text = Field("The cat sat on the mat", max_length=tokenization.MAX_CHARACTERS, title="Text")
    tokenizer: Text = Field(
        "words", title="Split into", description="Words, characters, bytes, or the path of a local tokenizer.json."
    )
    keep_case: bool = Field(False, title="Keep case", description='Keep "The" and "the" as different words.')
    fill: Fill = Field(
        "none",
        title="Longer text",
        description="Makes the text longer: not at all, by repeating it, or by made-up words, drawn at random with a fixed seed.",
        json_schema_extra={"names": {"none": "As typed", "repeat": "Repeated", "random": "Then random words"}},
    )
    fill_to: int = Field(
        1024,
        ge=1,
        le=MAX_TOKENS,
        title="Length of the longer text",
        description="The length to which the text is made longer; a text that is as long stays as it is.",
    )
    patches: Patches | None = Field(
        None,
        title="Patches",
        description="A grid of image patches among the text's words. Encodings whose positions have several axes give each "
        "its row and column; for others, patches have consecutive positions in reading order.",
    )
    order: tuple[int, ...] = Field(
        (),
        fail_fast=True,
        title="Order",
        description="The typed tokens' indices in their current order; empty: as typed. Patches are not included: they stay in "
        "place.",
    )
    start: int = Field(
        0,
        ge=0,
        le=1000,
        title="Starts at",
        description="The position at which the sentence starts. What is of the sentence counts from it, such as "
        "attention and waves; what judges the encoding counts from 0.",
        json_schema_extra={"scale": "linear"},
    )
    encoding: AnyEncoding = Field(default_factory=lambda: encodings.encoding("sinusoidal"))
    other: AnyEncoding | None = Field(
        None, description="In a comparison, the second encoding, B; `encoding` is then A."
    )
    strength: float = Field(
        1.0,
        ge=0,
        le=1,
        title="Strength",
        description="The share of the encoding's vectors, angles or biases that is brought in: 1 is the encoding, 0 brings in "
        "nothing. Requirements are judged at 1.",
        json_schema_extra={"scale": "linear", "step": 0.01},
    )
    model: AnyModel = ToyModel()
    trained_length: int | None = Field(
        None,
        ge=1,
        le=20_000_000,
        title="Trained length",
        description="Number of positions a model was trained on; its behaviour beyond them is unknown. None: not specified.",
        json_schema_extra={"unit": "positions", "none": "not said"},
    )
    focus: int = Field(
        2,
        ge=0,
        le=_LARGEST_INDEX,
        description="Index of the query in focus; the last token where the sentence is shorter.",
    )
    key: int | None = Field(
        None, ge=0, le=_LARGEST_INDEX, description="Index of the selected key; none: the same token as the query."
    )

    @model_validator(mode="before")
    @classmethod
    def _a_trained_model_brings_its_own_encoding(cls, given: Any) -> Any:
        if isinstance(given, dict) and "encoding" not in given:
            model = given.get("model")
            own = model.encoding if isinstance(model, TrainedModel) else None
            return given if own is None else given | {"encoding": own}
        return given

    @field_validator("tokenizer")
    @classmethod
    def _tokenizer_must_be_known(cls, tokenizer: str) -> str:
        if tokenizer not in tokenization.TOKENIZERS and not tokenizer.endswith(".json"):
            known = (*tokenization.TOKENIZERS, "the path of a tokenizer.json")
            raise ValueError(unknown_name("tokenizer", tokenizer, known))
        if why := tokenization.path_refusal(tokenizer):
            raise ValueError(why)
        return tokenizer

    @model_validator(mode="after")
    def _order_must_be_of_these_tokens(self) -> Self:
        if self.order:
            split = self.split_at_once  # validating a session never runs a tokenizer file
            count = self.n_words(len(split.tokens)) if split else len(self.order)
            if sorted(self.order) != list(range(count)):
                beside = " beside the patches" if self.patches else ""
                raise ValueError(f"order must hold each of 0 to {count - 1} once, as there are tokens{beside}")
        return self

    @model_validator(mode="after")
    def _encodings_must_fit_the_model(self) -> Self:
        if self.other is None:
            self._require_fit(self.encoding)
            return self
        for side, encoding in (("A", self.encoding), ("B", self.other)):
            try:
                self._require_fit(encoding)
            except ValueError as why:
                raise ValueError(f"{side}: {why}") from None
        return self

    def _require_fit(self, encoding: Encoding) -> None:
        encoding.check_shape(self.model.d_model, self.model.n_heads, self.model.head_width)
        if isinstance(self.model, TrainedModel):
            if why := self.model.refusal(encoding):
                raise ValueError(why)
        elif encoding.name in KINDS:
            raise ValueError(f"{encoding.titled} belongs to a model that has learned: open one with pe.open_model")

    @model_validator(mode="after")
    def _a_trained_model_reads_text(self) -> Self:
        if isinstance(self.model, TrainedModel):
            if self.patches is not None:
                raise ValueError(f"{self.model.name} has learned from text alone: it has no place for image patches")
            if self.fill == "random":
                raise ValueError(f"{self.model.name} knows no made-up words: repeat the text instead")
            if self.start:
                raise ValueError(f"{self.why_no_start}: leave the start there")
        return self

    @property
    def splitting(self) -> Splitting:
        """The text and all that makes tokens of it."""
        to = 0 if self.fill == "none" else self.fill_to
        if isinstance(self.model, TrainedModel):
            return Splitting(self.text, self.model.tokenizer, True, True, self.fill, to, self.patches)
        return Splitting(self.text, self.tokenizer, self.keep_case, False, self.fill, to, self.patches)

    @property
    def split_at_once(self) -> Split | None:
        """The typed tokens; None if splitting may be slow."""
        return None if self.splitting.takes_long else self.splitting.split()

    @property
    def unit(self) -> str:
        """What one of the text's tokens is called: word, character, byte or token."""
        is_named = isinstance(self.model, ToyModel) and self.tokenizer in tokenization.TOKENIZERS
        return self.tokenizer.removesuffix("s") if is_named else "token"

    def n_words(self, count: int) -> int:
        """Return how many of `count` tokens belong to the text rather than to patches."""
        return count - self.patches.count if self.patches else count

    def order_of(self, count: int) -> tuple[int, ...]:
        """Return the order of `count` tokens; as typed if a changed tokenizer file gives another number of them."""
        if not self.order or len(self.order) != self.n_words(count):
            return _typed_order(count)
        return self.patches.order_with(self.order) if self.patches else self.order

    def standing(self, typed: tuple[str, ...]) -> tuple[str, ...]:
        """Return these typed tokens in the current order."""
        is_reordered = self.order and len(self.order) == self.n_words(len(typed))
        return tokenization.reorder_tokens(typed, self.order_of(len(typed))) if is_reordered else typed

    def focus_of(self, count: int) -> int | None:
        """Return the index of the query in focus among `count` tokens; None if there are none."""
        return min(self.focus, count - 1) if count else None

    def key_of(self, count: int) -> int | None:
        """Return the index of the selected key among `count` tokens; None if there are none."""
        return self.focus_of(count) if self.key is None or not count else min(self.key, count - 1)

    @property
    def has_degrees(self) -> bool:
        """True if one of its encodings can be brought in by degrees."""
        return not self.why_no_degrees

    @property
    def why_no_degrees(self) -> str:
        """Why the strength does nothing, as a part of a sentence; empty if it acts on one of the encodings."""
        whys = [self.why_whole(one) for one in (self.encoding, self.other) if one is not None]
        return "" if "" in whys else join_words(dict.fromkeys(whys))

    @property
    def why_no_start(self) -> str:
        """Why the sentence starts at position 0 alone, as a sentence without its stop; empty if it can start elsewhere."""
        if isinstance(self.model, TrainedModel):
            return f"{self.model.name} has learned to start at 0"
        return ""

    def at_its_strength(self, encoding: Encoding) -> Encoding:
        """Return an encoding at the strength, or as it is where no share of it is brought in."""
        return encoding if self.why_whole(encoding) else at_strength(encoding, self.strength)

    def why_whole(self, encoding: Encoding) -> str:
        """Return why no share of an encoding is brought in, as a part of a sentence; empty if one is."""
        if encoding.door == "none":
            return "without an encoding there is nothing to bring in"
        if not encoding.by_degrees:
            return f"{encoding.titled} comes in whole or not at all"
        if isinstance(self.model, TrainedModel) and not self.model.has_degrees:
            return f"the code of {self.model.name} brings its positions in whole or not at all"
        return ""

    def with_encoding(self, encoding: Encoding) -> Self:
        """Return the same setup with this encoding only, even if it doesn't fit the model's shape."""
        return self.model_copy(update={"encoding": encoding, "other": None})

    def swapped(self) -> Self:
        """The same setup with A and B swapped. Raises ValueError if there is no second encoding."""
        if self.other is None:
            raise ValueError("there is no other encoding to swap with: give one, such as other='rope'")
        return self.model_copy(update={"encoding": self.other, "other": self.encoding})

    def changed(self, **fields: Any) -> Self:
        """Return a validated copy with these fields; a new text is in typed order unless `order` is given. Raises ValueError."""
        if fields.keys() & {"text", "tokenizer", "keep_case", "fill", "fill_to"}:
            fields.setdefault("order", ())
        model, own = fields.get("model"), self.model
        if isinstance(model, TrainedModel):
            brought: dict[str, Any] = {"encoding": model.encoding, "other": None, "order": ()}
            if (
                isinstance(own, TrainedModel) and own.identity == model.identity
            ):  # a layer whose encoding may be another
                brought = {side: model.encoding for side in ("encoding", "other") if dict(self)[side] == own.encoding}
            fields = brought | fields
        return self.with_fields(**fields)

    def with_trained(self, model: TrainedModel) -> Self:
        """Return the same text read by a model that has learned, with its own positions; what only a toy takes is left out."""
        fill = "none" if self.fill == "random" else self.fill
        return self.changed(
            model=model,
            encoding=model.encoding,
            other=None,
            order=(),
            strength=1.0,
            trained_length=None,
            patches=None,
            fill=fill,
            start=0,
        )

    def with_patches(self, patches: Patches | None, count: int) -> Self:
        """Return the same text, of `count` tokens, with other patches or none; focus and key stay on theirs. Raises
        ValueError."""
        words, old = self.n_words(count), self.patches.indices(count) if self.patches else range(0)
        total = words + (patches.count if patches else 0)

        def followed(at: int | None) -> int | None:
            if at is None or not count:
                return at
            if at in old and self.patches and patches:
                same = patches.index_of(at - old.start, total, self.patches)
                return patches.first(words) if same is None else same
            word = min(at, old.start) if at < old.stop else at - len(old)
            return word if patches is None or word < patches.first(words) else word + patches.count

        focus, key = followed(self.focus_of(count)), None if self.key is None else followed(self.key_of(count))
        return self.changed(patches=patches, focus=self.focus if focus is None else focus, key=key)

    def reordered(self, order: tuple[int, ...]) -> Self:
        """Return the tokens in another order, of all of them; patches stay in place, focus and key on theirs. Raises
        ValueError."""
        count = len(order)
        words = self.patches.order_without(order) if self.patches else order
        standing = self.patches.order_with(words) if self.patches else order
        old, new = self.order_of(count), {token: index for index, token in enumerate(standing)}
        looked_at = {"focus": self.focus_of(count), "key": None if self.key is None else self.key_of(count)}
        follow = {name: new.get(old[at], at) for name, at in looked_at.items() if at is not None}
        changed = self.changed(order=words, **follow)
        return changed.model_copy(update={"order": ()}) if words == tuple(range(len(words))) else changed


@lru_cache(maxsize=2)  # that of a long text takes megabytes
def _typed_order(count: int) -> tuple[int, ...]:
    return tuple(range(count))
