"""The scene that every picture shows: sentence, order, encoding, model, the query in focus and the selected key."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, Self

from pydantic import BeforeValidator, Field, PlainSerializer, WrapValidator, field_validator, model_validator
from torch import Tensor

from posenc_gui import encodings
from posenc_gui.attention.layer import AttentionModel, Prompt, context_of, heads_to_compute, scale_of, toy
from posenc_gui.attention.patch_positions import PatchPlaces
from posenc_gui.attention.toy_model import Heads, ToyModel
from posenc_gui.attention.trained_model import TrainedModel
from posenc_gui.encodings.base import Context, Door, Encoding
from posenc_gui.encodings.common.any_encoding import AnyEncoding
from posenc_gui.encodings.common.strength import at_strength
from posenc_gui.encodings.common.trained import KINDS
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.foundation.errors import Undefined, unknown_name
from posenc_gui.foundation.wording import format_count, format_number, join_words
from posenc_gui.scene.image_patches import Patches
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


# What the strength multiplies: angles that grow with the position are then those of a share of each position.
_SHARES: dict[Door, str] = {
    "input": "what is added to the inputs",
    "rotation": "all angles (position interpolation)",
    "score": "what is added to the scores",
}

# Text, tokenizer, keep_case, whether special tokens are added, fill, fill_to, patches.
Splitting = tuple[str, str, bool, bool, Fill, int, Patches | None]

if TYPE_CHECKING:
    AnyModel = AttentionModel
else:
    AnyModel = Annotated[ToyModel, WrapValidator(_to_model), PlainSerializer(lambda model: model.model_dump())]


@dataclass(frozen=True)
class Split:
    """The typed tokens, and of what they were made; if the tokenizer failed there are none, and `why` gives the reason.

    own: where the text's own tokens stand among them; a model's tokenizer puts others around.
    """

    of: Splitting
    tokens: tuple[str, ...] = ()
    own: range = range(0)
    why: str = ""


class Scene(Frozen):
    """A sentence, its tokens' order, one or two encodings, a model, the query in focus and the selected key."""

    text: Text = Field("The cat sat on the mat", max_length=tokenization.MAX_CHARACTERS, title="Text")
    tokenizer: Text = Field(
        "words", title="Split into", description="Words, characters, bytes, or the path of a local tokenizer.json."
    )
    keep_case: bool = Field(False, title="Keep case", description='Keep "The" and "the" as different tokens.')
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
        title="Tokens of the longer text",
        description="Number of tokens of the longer text; a text that has more stays as it is.",
    )
    patches: Patches | None = Field(
        None,
        title="Patches",
        description="A grid of image patches among the text's tokens. Encodings whose positions have several axes give each "
        "its row and column; for others, patches have consecutive positions in reading order.",
    )
    order: tuple[int, ...] = Field(
        (),
        fail_fast=True,
        title="Order",
        description="The typed tokens' indices in their current order; empty: as typed. Patches are not included: they stay in "
        "place.",
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
            raise ValueError(
                unknown_name("tokenizer", tokenizer, (*tokenization.TOKENIZERS, "the path of a tokenizer.json"))
            )
        if why := tokenization.path_refusal(tokenizer):
            raise ValueError(why)
        return tokenizer

    @model_validator(mode="after")
    def _order_must_be_of_these_tokens(self) -> Self:
        if self.order:
            split = self.split_at_once()  # validating a session never runs a tokenizer file
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
            raise ValueError(f"{encoding.called} belongs to a model that has learned: open one with pe.open_model")

    @model_validator(mode="after")
    def _a_trained_model_reads_text(self) -> Self:
        if isinstance(self.model, TrainedModel):
            if self.patches is not None:
                raise ValueError(f"{self.model.name} has learned from text alone: it has no place for image patches")
            if self.fill == "random":
                raise ValueError(f"{self.model.name} knows no made-up words: repeat the text instead")
        return self

    @property
    def toy(self) -> ToyModel:
        """The toy model. Raises Undefined if the model has learned: its vectors and layers are its own."""
        return toy(self.model)

    @property
    def splitting(self) -> Splitting:
        """The text and all that makes tokens of it: scenes that agree in these have the same typed tokens."""
        to = 0 if self.fill == "none" else self.fill_to
        if isinstance(self.model, TrainedModel):
            return self.text, self.model.tokenizer, True, True, self.fill, to, self.patches
        return self.text, self.tokenizer, self.keep_case, False, self.fill, to, self.patches

    def whole(self, words: tuple[str, ...]) -> tuple[str, ...]:
        """Extend a text's tokens by the filling and the patches."""
        own = None if self.fill == "none" else self._own(words)
        filled = tokenization.extend_tokens(words, self.fill, self.fill_to, own)
        return self.patches.among(filled) if self.patches else filled

    def n_words(self, count: int) -> int:
        """Return how many of `count` tokens belong to the text rather than to patches."""
        return count - self.patches.count if self.patches else count

    @property
    def filling(self) -> str:
        """Describe how the text was made longer; empty if it wasn't. Raises Undefined as `tokens` does."""
        if self.fill == "none":
            return ""
        typed, now = len(self._words()), self.n_words(len(self.typed_tokens))
        if typed >= now:
            return ""
        if self.fill == "repeat":
            return f"the text repeated to {now:,} tokens"
        return f"the text, then {format_count(now - typed, 'seeded random word')}"

    @property
    def patched(self) -> str:
        """Describe the patches and their positions; empty if there are none."""
        if self.patches is None:
            return ""
        encodings = [one for one in (self.encoding, self.other) if one is not None]
        with_axes = [encoding.axes > 1 for encoding in encodings]
        where = "each at its row and column" if any(with_axes) else "in reading order"
        of = "" if len(set(with_axes)) == 1 else f" for {encodings[with_axes.index(True)].called} alone"
        return f"{self.patches.in_words}, {where}{of}"

    def split_at_once(self) -> Split | None:
        """Return the typed tokens; None if that may be slow: for a long text or a tokenizer file."""
        takes_long = len(self.text) > tokenization.AT_ONCE or (
            self.fill != "none" and self.fill_to > tokenization.AT_ONCE
        )
        return None if takes_long or self.splitting[1] not in tokenization.TOKENIZERS else self.split()

    def split(self, check_stop: Callable[[], None] = lambda: None) -> Split:
        """Return the typed tokens. Blocks; meanwhile `check_stop` is called and may raise."""
        try:
            words = self._words(check_stop)
            own = self._own(words, check_stop)
            tokens = self.whole(words)
        except Undefined as why:
            return Split(self.splitting, why=str(why))
        return Split(self.splitting, tokens, range(own.start, own.stop + len(tokens) - len(words)))

    @property
    def typed_tokens(self) -> tuple[str, ...]:
        """All tokens in typed order, with filling and patches: at most `tokenization.MAX_TOKENS`.

        Raises Undefined if the tokenizer file fails.
        """
        return self.whole(self._words())

    def _words(self, check_stop: Callable[[], None] = lambda: None) -> tuple[str, ...]:
        if isinstance(self.model, TrainedModel):
            self.model.require_folder()
        return tokenization.tokenize(*self.splitting[:4], check_stop)

    def _own(self, words: tuple[str, ...], check_stop: Callable[[], None] = lambda: None) -> range:
        """Return where the text's own tokens stand among those that a model's tokenizer puts around them."""
        if not isinstance(self.model, TrainedModel):
            return range(len(words))
        own = tokenization.tokenize(self.text, self.model.tokenizer, True, False, check_stop)
        starts = range(len(words) - len(own) + 1)
        start = next((at for at in starts if words[at : at + len(own)] == own), None)
        return range(len(words)) if start is None else range(start, start + len(own))

    @property
    def tokens(self) -> tuple[str, ...]:
        """The sentence's tokens in their current order. Raises Undefined as `typed_tokens` does."""
        return self.standing(self.typed_tokens)

    @property
    def n_tokens(self) -> int:
        """The number of tokens; 0 if the tokenizer file fails."""
        return len(self.split().tokens)

    @property
    def standing_order(self) -> tuple[int, ...]:
        """The current order as indices, even if it is the typed order. Raises Undefined as `typed_tokens` does."""
        return self.order_of(len(self.typed_tokens))

    def order_of(self, count: int) -> tuple[int, ...]:
        """Return the current order of `count` typed tokens.

        It is the typed order if a changed tokenizer file gives another number of tokens.
        """
        if not self.order or len(self.order) != self.n_words(count):
            return tuple(range(count))
        return self.patches.order_with(self.order) if self.patches else self.order

    def standing(self, typed: tuple[str, ...]) -> tuple[str, ...]:
        """Return these typed tokens in the current order."""
        is_reordered = self.order and len(self.order) == self.n_words(len(typed))
        return tokenization.reorder_tokens(typed, self.order_of(len(typed))) if is_reordered else typed

    @property
    def twins(self) -> frozenset[int]:
        """The indices of tokens that occur more than once."""
        return tokenization.twins(self.tokens)

    @property
    def focused(self) -> int | None:
        """The index of the query in focus; None without tokens. Raises Undefined as `tokens` does."""
        return self.focus_of(len(self.typed_tokens))

    def focus_of(self, count: int) -> int | None:
        """Return the index of the query in focus among `count` tokens; None if there are none."""
        return min(self.focus, count - 1) if count else None

    @property
    def keyed(self) -> int | None:
        """The index of the selected key; None without tokens. Raises Undefined as `tokens` does."""
        return self.key_of(len(self.typed_tokens))

    def key_of(self, count: int) -> int | None:
        """Return the index of the selected key among `count` tokens; None if there are none."""
        return self.focus_of(count) if self.key is None or not count else min(self.key, count - 1)

    @property
    def prompt(self) -> Prompt:
        """The input of attention. Raises Undefined as `tokens` does."""
        return Prompt(self.tokens, self.model, at_strength(self.encoding, self.strength), self.places)

    @property
    def places(self) -> PatchPlaces | None:
        """The tokens' positions if the encoding gives patches rows and columns; None if they are 0, 1, 2, …

        Raises Undefined as `tokens` does.
        """
        if self.patches is None or self.encoding.axes == 1:
            return None
        first = self.patches.first(self.n_words(len(self.typed_tokens)))
        return PatchPlaces(first, self.patches.rows, self.patches.columns)

    def at(self, indices: Tensor) -> Tensor:
        """Return the encoding's positions of tokens by index: (n,), or (n, axes) if patches have rows and columns.

        Indices past the last token count as text. Raises Undefined as `tokens` does.
        """
        places = self.places
        return indices if places is None else places.at(indices, self.encoding.axes)

    @property
    def context(self) -> Context:
        """The encoding's context for the sentence; patches take fewer positions than tokens."""
        count, places = self.n_tokens, self.places
        if places is None:
            return context_of(count, self.model)
        return context_of(places.reach(count), self.model, places.extents(count, self.encoding.axes))

    def prompt_of(self, heads: Heads) -> Prompt:
        """Return the input of attention for these heads. Raises Undefined as `tokens` does."""
        return replace(self.prompt, heads=heads)

    def heads_of(self, head: int | None) -> Heads:
        """Return the heads to compute in order to display one head, or the mean of all if `head` is None; None means
        all heads.

        A second layer needs the outputs of all heads of the first. Both sides of a comparison use the same heads.
        """
        encodings = (self.encoding,) if self.other is None else (self.encoding, self.other)
        found = [heads_to_compute(self.model, encoding, head) for encoding in encodings]
        return None if None in found or self.model.n_layers > 1 else found[0]

    @property
    def can_lose_position(self) -> bool:
        """False if the model has learned, and its code adds positions that can't be taken away."""
        return not isinstance(self.model, TrainedModel) or self.model.separable

    @property
    def without_position(self) -> Self:
        """The same scene without an encoding, but with the same factor of q · k, so that only position is removed."""
        none = encodings.encoding("none")
        scale = scale_of(self.model, self.encoding)
        model = self.model if scale == scale_of(self.model, none) else self.model.model_copy(update={"scale": scale})
        return self.model_copy(update={"encoding": none, "other": None, "model": model})

    @property
    def has_degrees(self) -> bool:
        """True if an encoding of the scene can be brought in by degrees."""
        return self.encoding.by_degrees or (self.other is not None and self.other.by_degrees)

    @property
    def shared_in(self) -> str:
        """Describe the strength for a caption: "strength 0.5: what is added to the scores times 0.5"; empty if everything is
        brought in.
        """
        sides = {"": self.encoding} if self.other is None else {" of A alone": self.encoding, " of B alone": self.other}
        found = {whose: encoding for whose, encoding in sides.items() if encoding.by_degrees}
        if self.strength == 1 or not found:
            return ""
        whose = "" if len(found) == len(sides) else next(iter(found))
        doors = dict.fromkeys(_SHARES[encoding.door] for encoding in found.values())
        return (
            f"strength {format_number(self.strength)}{whose}: {join_words(doors)} times {format_number(self.strength)}"
        )

    @property
    def acting(self) -> Self:
        """The same scene with its encodings at its strength, as plots and measures read them."""
        encoding = at_strength(self.encoding, self.strength)
        other = None if self.other is None else at_strength(self.other, self.strength)
        if encoding is self.encoding and other is self.other:
            return self
        return self.model_copy(update={"encoding": encoding, "other": other})

    @property
    def at_full_strength(self) -> Self:
        """The same scene at strength 1, as its encodings are judged."""
        return self if self.strength == 1 else self.model_copy(update={"strength": 1.0}).acting

    @property
    def sides(self) -> tuple[Self, Self]:
        """The two scenes of a comparison: A and B if two encodings are compared, otherwise without and with the
        encoding; of a model that has learned, with what was done to its positions, and as trained.
        """
        if self.other is None:
            if isinstance(self.model, TrainedModel):
                own = self.with_encoding(self.model.encoding).model_copy(update={"strength": 1.0})
                return self.with_encoding(self.surgery), own
            return self.without_position, self
        return self.with_encoding(self.encoding), self.with_encoding(self.other)

    @property
    def surgery(self) -> Encoding:
        """What stands in a model that has learned in place of its own positions, such as these at a lower strength; none while
        it is seen as trained.
        """
        own, acting = self.model.encoding if isinstance(self.model, TrainedModel) else None, self.acting
        given = (one for one in (acting.encoding, acting.other) if one not in (None, own))
        return next(given, None) or encodings.encoding("none")

    def with_encoding(self, encoding: Encoding) -> Self:
        """Return the same scene with this encoding only, even if it doesn't fit the model's shape."""
        return self.model_copy(update={"encoding": encoding, "other": None})

    def swapped(self) -> Self:
        """The same scene with A and B swapped. Raises ValueError if there is no second encoding."""
        if self.other is None:
            raise ValueError("there is no other encoding to swap with: give one, such as other='rope'")
        return self.model_copy(update={"encoding": self.other, "other": self.encoding})

    def changed(self, **fields: Any) -> Self:
        """Return a validated copy with these fields changed; a new text is in typed order unless `order` is given.

        Raises ValueError with a message of one sentence.
        """
        if fields.keys() & {"text", "tokenizer", "keep_case", "fill", "fill_to"}:
            fields.setdefault("order", ())
        model = fields.get("model")
        if isinstance(model, TrainedModel) and (
            not isinstance(self.model, TrainedModel) or model.name != self.model.name
        ):
            fields = {"encoding": model.encoding, "other": None, "order": ()} | fields
        return type(self)(**{**dict(self), **fields})

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
        )

    def with_patches(self, patches: Patches | None, count: int) -> Self:
        """Return the same text, currently of `count` tokens, with other patches or none.

        The query in focus and the selected key stay on their tokens. Raises ValueError with a message of one sentence.
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
        """Return the same tokens in another order, given for all tokens including patches, which stay in place.

        The query in focus and the selected key stay on their tokens. Raises ValueError with a message of one sentence.
        """
        count = len(order)
        words = self.patches.order_without(order) if self.patches else order
        standing = self.patches.order_with(words) if self.patches else order
        old, new = self.order_of(count), {token: index for index, token in enumerate(standing)}
        looked_at = {"focus": self.focus_of(count), "key": None if self.key is None else self.key_of(count)}
        follow = {name: new.get(old[at], at) for name, at in looked_at.items() if at is not None}
        changed = self.changed(order=words, **follow)
        return changed.model_copy(update={"order": ()}) if words == tuple(range(len(words))) else changed
