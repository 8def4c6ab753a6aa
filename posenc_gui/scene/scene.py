"""The scene: what every picture is of. A sentence and its order, an encoding, a toy model, and what is looked at."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Annotated, Any, Self

from pydantic import BeforeValidator, Field, PlainSerializer, field_validator, model_validator
from torch import Tensor

from posenc_gui import encodings
from posenc_gui.attention.layer import Prompt, context_of, heads_alone, scale_of
from posenc_gui.attention.patch_positions import Places
from posenc_gui.attention.toy_model import Heads, ToyModel
from posenc_gui.encodings.base import Context, Encoding
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.foundation.errors import Undefined, short, unknown
from posenc_gui.scene.image_patches import Patches
from posenc_gui.text import tokenization as text
from posenc_gui.text.tokenization import MAX_TOKENS, Fill

_LARGEST_INDEX = 2**31 - 1


def _to_encoding(value: object) -> object:
    if isinstance(value, str):
        return encodings.encoding(value)
    if isinstance(value, dict):
        parameters = {str(name): parameter for name, parameter in value.items()}
        return encodings.encoding(str(parameters.pop("name", "")), **parameters)
    if not isinstance(value, Encoding):
        raise ValueError(f"should be an encoding or the name of one, such as 'rope', not {short(value)!r}")
    return value


def _from_encoding(value: Encoding) -> dict[str, Any]:
    return {"name": value.name, **value.model_dump()}


AnyEncoding = Annotated[Encoding, BeforeValidator(_to_encoding), PlainSerializer(_from_encoding)]
Text = Annotated[str, BeforeValidator(lambda value: text.clean(value) if isinstance(value, str) else value)]


# A text, by what it is split, whether case is kept, how it is filled, and what patches stand in it.
Splitting = tuple[str, str, bool, Fill, int, Patches | None]


@dataclass(frozen=True)
class Split:
    """A text's tokens as they were typed, and of what they are; why there are none, where the tokenizer can't be had."""

    of: Splitting
    tokens: tuple[str, ...] = ()
    why: str = ""


class Scene(Frozen):
    """A sentence, its tokens' order, an encoding or two, a toy model, the token in focus and the key that is looked at."""

    text: Text = Field("The cat sat on the mat", max_length=text.MAX_CHARACTERS, title="Text")
    tokenizer: Text = Field(
        "words", title="Split into", description="Words, characters, bytes, or the path of a local tokenizer.json."
    )
    keep_case: bool = Field(False, title="Keep case", description='Leave "The" and "the" apart.')
    fill: Fill = Field(
        "none",
        title="Longer text",
        description="What stands behind the text to make it longer: nothing, the same again and again, or made-up words, drawn "
        "at random by a seed that is always the same.",
        json_schema_extra={"names": {"none": "As typed", "repeat": "Repeated", "random": "Then random words"}},
    )
    fill_to: int = Field(
        1024,
        ge=1,
        le=MAX_TOKENS,
        title="Tokens of the longer text",
        description="How many tokens the longer text has; a text that has more stays as it is.",
    )
    patches: Patches | None = Field(
        None,
        title="Patches",
        description="A grid of image patches among the text's tokens. Encodings whose positions have several axes give each "
        "its row and column; for others they stand in a row, in reading order.",
    )
    order: tuple[int, ...] = Field(
        (),
        title="Order",
        description="The typed tokens' indices in the order in which they stand; empty: as typed. Patches have none: they "
        "stay where they are.",
    )
    encoding: AnyEncoding = Field(default_factory=lambda: encodings.encoding("sinusoidal"))
    other: AnyEncoding | None = Field(
        None, description="Where two encodings are compared, the second one, B; `encoding` is A then."
    )
    model: ToyModel = ToyModel()
    trained_length: int | None = Field(
        None,
        ge=1,
        le=10_000_000,
        title="Trained length",
        description="How many positions a model was trained on; nothing is known of those beyond. None: not said.",
        json_schema_extra={"unit": "positions", "none": "not said"},
    )
    focus: int = Field(
        2, ge=0, le=_LARGEST_INDEX, description="The token in focus; the last one where the sentence is shorter."
    )
    key: int | None = Field(
        None, ge=0, le=_LARGEST_INDEX, description="The key that is looked at with the query in focus; none: the focus."
    )

    @field_validator("tokenizer")
    @classmethod
    def _tokenizer_must_be_known(cls, tokenizer: str) -> str:
        if tokenizer not in text.TOKENIZERS and not tokenizer.endswith(".json"):
            raise ValueError(unknown("tokenizer", tokenizer, (*text.TOKENIZERS, "the path of a tokenizer.json")))
        if why := text.why_no_path(tokenizer):
            raise ValueError(why)
        return tokenizer

    @model_validator(mode="after")
    def _order_must_be_of_these_tokens(self) -> Self:
        if self.order:
            split = self.split_at_once()  # a tokenizer's file is never asked to know whether a session is one
            count = self.n_words(len(split.tokens)) if split else len(self.order)
            if sorted(self.order) != list(range(count)):
                beside = " beside the patches" if self.patches else ""
                raise ValueError(f"order must hold each of 0 to {count - 1} once, as there are tokens{beside}")
        return self

    @model_validator(mode="after")
    def _encodings_must_fit_the_model(self) -> Self:
        shape = (self.model.d_model, self.model.n_heads, self.model.head_width)
        if self.other is None:
            self.encoding.check_shape(*shape)
            return self
        for side, encoding in (("A", self.encoding), ("B", self.other)):
            try:
                encoding.check_shape(*shape)
            except ValueError as why:
                raise ValueError(f"{side}: {why}") from None
        return self

    @property
    def splitting(self) -> Splitting:
        """What is split, and how: scenes that have the same have the same typed tokens."""
        to = 0 if self.fill == "none" else self.fill_to
        return self.text, self.tokenizer, self.keep_case, self.fill, to, self.patches

    def whole(self, words: tuple[str, ...]) -> tuple[str, ...]:
        """A text's tokens with all that stands there besides: what makes it longer, and patches."""
        filled = text.filled(words, self.fill, self.fill_to)
        return self.patches.among(filled) if self.patches else filled

    def n_words(self, count: int) -> int:
        """How many of so many tokens are the text's."""
        return count - self.patches.count if self.patches else count

    @property
    def filling(self) -> str:
        """What was done to make the text longer, in words; empty where nothing was. Raises Undefined as `tokens` does."""
        if self.fill == "none":
            return ""
        typed, now = len(text.tokenize(*self.splitting[:3])), self.n_words(len(self.typed_tokens))
        if typed >= now:
            return ""
        if self.fill == "repeat":
            return f"the text repeated to {now:,} tokens"
        return f"the text, then {now - typed:,} seeded random words"

    @property
    def patched(self) -> str:
        """Which patches stand in the text, and where for the encoding, in words; empty where there are none."""
        if self.patches is None:
            return ""
        encodings = [one for one in (self.encoding, self.other) if one is not None]
        with_axes = [encoding.axes > 1 for encoding in encodings]
        where = "each at its row and column" if any(with_axes) else "in reading order"
        of = "" if len(set(with_axes)) == 1 else f" for {encodings[with_axes.index(True)].called} alone"
        return f"{self.patches.in_words}, {where}{of}"

    def split_at_once(self) -> Split | None:
        """The typed tokens; None where that may take long: of a long text, and where a tokenizer's file would be asked."""
        takes_long = len(self.text) > text.AT_ONCE or (self.fill != "none" and self.fill_to > text.AT_ONCE)
        return None if takes_long or self.tokenizer not in text.TOKENIZERS else Split(self.splitting, self.typed_tokens)

    def split(self, check_stop: Callable[[], None] = lambda: None) -> Split:
        """The typed tokens, waited for; meanwhile `check_stop` is called, and what it raises goes through."""
        try:
            return Split(self.splitting, self.whole(text.tokenize(*self.splitting[:3], check_stop)))
        except Undefined as why:
            return Split(self.splitting, (), str(why))

    @property
    def typed_tokens(self) -> tuple[str, ...]:
        """The text's tokens in the order in which they were typed, what fills it, and patches: at most `text.MAX_TOKENS`.

        Raises Undefined where the tokenizer's file can't be had.
        """
        return self.whole(text.tokenize(*self.splitting[:3]))

    @property
    def tokens(self) -> tuple[str, ...]:
        """The sentence's tokens in the order in which they stand. Raises Undefined as `typed_tokens` does."""
        return self.standing(self.typed_tokens)

    @property
    def n_tokens(self) -> int:
        """How many tokens there are; 0 where the tokenizer's file can't be had."""
        return len(self.split().tokens)

    @property
    def standing_order(self) -> tuple[int, ...]:
        """The order, also where it is the typed one. Raises Undefined as `typed_tokens` does."""
        return self.order_of(len(self.typed_tokens))

    def order_of(self, count: int) -> tuple[int, ...]:
        """The order of so many typed tokens: the typed one, too, where a tokenizer's file gives more or fewer than it did."""
        if not self.order or len(self.order) != self.n_words(count):
            return tuple(range(count))
        return self.patches.order_with(self.order) if self.patches else self.order

    def standing(self, typed: tuple[str, ...]) -> tuple[str, ...]:
        """These typed tokens in the order in which they stand."""
        is_reordered = self.order and len(self.order) == self.n_words(len(typed))
        return text.standing(typed, self.order_of(len(typed))) if is_reordered else typed

    @property
    def twins(self) -> frozenset[int]:
        """The indices of tokens that occur more than once."""
        return text.twins(self.tokens)

    @property
    def focused(self) -> int | None:
        """The index of the token in focus; None without tokens. Raises Undefined as `tokens` does."""
        return self.focus_of(len(self.typed_tokens))

    def focus_of(self, count: int) -> int | None:
        """The index of the token in focus of so many; None without any."""
        return min(self.focus, count - 1) if count else None

    @property
    def keyed(self) -> int | None:
        """The index of the key that is looked at with the focus; None without tokens. Raises Undefined as `tokens` does."""
        return self.key_of(len(self.typed_tokens))

    def key_of(self, count: int) -> int | None:
        """The index of the key that is looked at of so many tokens; None without any."""
        return self.focus_of(count) if self.key is None or not count else min(self.key, count - 1)

    @property
    def prompt(self) -> Prompt:
        """What goes through attention. Raises Undefined as `tokens` does."""
        return Prompt(self.tokens, self.model, self.encoding, self.places)

    @property
    def places(self) -> Places | None:
        """Where tokens stand, for an encoding that gives patches rows and columns; None where they stand at 0, 1, 2, …

        Raises Undefined as `tokens` does.
        """
        if self.patches is None or self.encoding.axes == 1:
            return None
        first = self.patches.first(self.n_words(len(self.typed_tokens)))
        return Places(first, self.patches.rows, self.patches.columns)

    def at(self, indices: Tensor) -> Tensor:
        """Where tokens of these indices stand, for the encoding: (n,), or (n, axes) where patches have rows and columns.

        Past the last token words go on. Raises Undefined as `tokens` does.
        """
        places = self.places
        return indices if places is None else places.at(indices, self.encoding.axes)

    @property
    def context(self) -> Context:
        """What the encoding may know about the sentence: patches take fewer positions than they are."""
        count = self.n_tokens
        return context_of(count if self.places is None else self.places.reach(count), self.model)

    def prompt_of(self, heads: Heads) -> Prompt:
        """What goes through attention, of these heads alone. Raises Undefined as `tokens` does."""
        return replace(self.prompt, heads=heads)

    def heads_of(self, head: int | None) -> Heads:
        """The heads that are computed where this one is looked at, or the mean of all: of a large model these alone.

        None for all. Of two layers the upper one needs what all heads of the lower take, and sides have the same heads.
        """
        encodings = (self.encoding,) if self.other is None else (self.encoding, self.other)
        found = [heads_alone(self.model, encoding, head) for encoding in encodings]
        return None if None in found or self.model.n_layers > 1 else found[0]

    @property
    def without_position(self) -> Self:
        """The same without an encoding; q · k is still multiplied by the same number, so that only position is gone."""
        none = encodings.encoding("none")
        scale = scale_of(self.model, self.encoding)
        model = self.model if scale == scale_of(self.model, none) else self.model.model_copy(update={"scale": scale})
        return self.model_copy(update={"encoding": none, "other": None, "model": model})

    @property
    def sides(self) -> tuple[Self, Self]:
        """What stands beside each other: A and B, each alone, where two encodings are compared.

        Else the same without an encoding, and with it.
        """
        if self.other is None:
            return self.without_position, self
        return self.with_encoding(self.encoding), self.with_encoding(self.other)

    def with_encoding(self, encoding: Encoding) -> Self:
        """The same with another encoding alone, whether or not its model's shape can take it."""
        return self.model_copy(update={"encoding": encoding, "other": None})

    def swapped(self) -> Self:
        """The same with A and B in each other's place. Raises ValueError where nothing is compared."""
        if self.other is None:
            raise ValueError("there is no other encoding to swap with: give one, such as other='rope'")
        return self.model_copy(update={"encoding": self.other, "other": self.encoding})

    def changed(self, **fields: Any) -> Self:
        """The same with these fields changed, validated; other tokens stand as typed.

        Raises ValueError in one sentence.
        """
        if fields.keys() & {"text", "tokenizer", "keep_case", "fill", "fill_to"}:
            fields.setdefault("order", ())
        return type(self)(**{**dict(self), **fields})

    def with_patches(self, patches: Patches | None, count: int) -> Self:
        """The same text, which has so many tokens now, with other patches or none; what is in focus stays in focus.

        Raises ValueError in one sentence.
        """
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
        """The same tokens, as many as the order has, in another order; what was in focus stays in focus, and patches where
        they are.

        Raises ValueError in one sentence.
        """
        count = len(order)
        words = self.patches.order_without(order) if self.patches else order
        standing = self.patches.order_with(words) if self.patches else order
        old, new = self.order_of(count), {token: index for index, token in enumerate(standing)}
        looked_at = {"focus": self.focus_of(count), "key": None if self.key is None else self.key_of(count)}
        follow = {name: new.get(old[at], at) for name, at in looked_at.items() if at is not None}
        changed = self.changed(order=words, **follow)
        return changed.model_copy(update={"order": ()}) if words == tuple(range(len(words))) else changed
