"""The scene that every picture shows: a setup resolved into tokens, positions and sides, each derived once."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from itertools import chain
from typing import Any

from torch import Tensor

from posenc_gui import encodings
from posenc_gui.attention.layer import Prompt, context_of, heads_to_compute, scale_of, toy
from posenc_gui.attention.patch_positions import PatchPlaces
from posenc_gui.attention.toy_model import Heads, ToyModel
from posenc_gui.attention.trained_model import TrainedModel
from posenc_gui.encodings.base import Context, Encoding
from posenc_gui.encodings.common.strength import at_strength
from posenc_gui.foundation.derived_once import derived, for_latest
from posenc_gui.foundation.errors import Undefined
from posenc_gui.foundation.stopped import CheckStop, go_on
from posenc_gui.foundation.wording import format_number, join_words
from posenc_gui.scene.setup import Setup
from posenc_gui.scene.splitting import Split
from posenc_gui.text import tokenization

_LATEST = 16  # setups whose scenes are kept: those shown last, and those that labs and sweeps compare


class Sentence:
    """A setup's tokens in their order, shared by scenes that differ in encodings and model; Undefined if the tokenizer file
    fails."""

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        self._split: Split | None = None

    def split(self, check_stop: CheckStop = go_on) -> Split:
        """Return the typed tokens. Blocks; `check_stop` may raise meanwhile. A tokenizer that failed is asked again."""
        if self._split is None:
            model, splitting = self._setup.model, self._setup.splitting
            try:
                if isinstance(model, TrainedModel):
                    model.require_folder()
                self._split = splitting.split(check_stop)
            except Undefined as why:
                return Split(splitting, why=str(why))
        return self._split

    @derived
    def typed(self) -> tuple[str, ...]:
        """All tokens in typed order, with filling and patches: at most `tokenization.MAX_TOKENS`."""
        split = self.split()
        if split.why:
            raise Undefined(split.why)
        return split.tokens

    @derived
    def order(self) -> tuple[int, ...]:
        """The current order as indices, even if it is the typed order."""
        return self._setup.order_of(len(self.typed))

    @derived
    def tokens(self) -> tuple[str, ...]:
        """The tokens in their current order."""
        return self._setup.standing(self.typed)

    @derived
    def twins(self) -> frozenset[int]:
        """The indices of tokens that occur more than once."""
        return tokenization.twins(self.tokens)


class Scene:
    """What every picture shows: a setup, and what follows from it, each fact derived once.

    Scenes of equal setups are equal. What depends on the tokens raises Undefined if the tokenizer file fails. A scene asks no
    tokenizer before its tokens are asked for: the window makes its own to compare encodings, since `scene_of` looks at the
    tokenizer's file.
    """

    def __init__(self, setup: Setup, sentence: Sentence | None = None) -> None:
        self.setup, self.sentence = setup, sentence or Sentence(setup)
        self.encoding, self.other, self.model = setup.encoding, setup.other, setup.model
        self.patches, self.key, self.start = setup.patches, setup.key, setup.start

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Scene) and self.setup == other.setup

    def __hash__(self) -> int:
        return hash(self.setup)

    @derived
    def toy(self) -> ToyModel:
        """The toy model. Raises Undefined if the model has learned: its vectors and layers are its own."""
        return toy(self.model)

    @derived
    def tokens(self) -> tuple[str, ...]:
        """The sentence's tokens in their current order."""
        return self.sentence.tokens

    @derived
    def unit(self) -> str:
        """What one of its tokens is called: as the text is split, “word”; among image patches “token”."""
        return "token" if self.patches else self.setup.unit

    @property
    def n_tokens(self) -> int:
        """The number of tokens; 0 if the tokenizer file fails."""
        with suppress(Undefined):
            return len(self.tokens)
        return 0

    @derived
    def focused(self) -> int | None:
        """The index of the query in focus; None without tokens."""
        return self.setup.focus_of(len(self.sentence.typed))

    @derived
    def keyed(self) -> int | None:
        """The index of the selected key; None without tokens."""
        return self.setup.key_of(len(self.sentence.typed))

    @derived
    def patched(self) -> str:
        """Describe the patches and their positions; empty if there are none."""
        if self.patches is None:
            return ""
        encodings = [one for one in (self.encoding, self.other) if one is not None]
        with_axes = [encoding.axes > 1 for encoding in encodings]
        where = "each at its row and column" if any(with_axes) else "in reading order"
        of = "" if len(set(with_axes)) == 1 else f" for {encodings[with_axes.index(True)].called} alone"
        return f"{self.patches.in_words}, {where}{of}"

    @derived
    def prompt(self) -> Prompt:
        """The input of attention: the same wherever the sentence starts if the encoding reads no positions, or only offsets."""
        reads_none = self.encoding.door == "none" or self.encoding.of_offset
        counted = self.positions if self.start and not reads_none else None
        return Prompt(self.tokens, self.model, self.setup.at_its_strength(self.encoding), self.places or counted)

    def prompt_of(self, heads: Heads) -> Prompt:
        """Return the input of attention for these heads."""
        return replace(self.prompt, heads=heads)

    @derived
    def positions(self) -> range:
        """The tokens' positions, counted from `start`: those of `focused` and `keyed` are `positions[index]`."""
        return range(self.start, self.start + len(self.tokens))

    @derived
    def places(self) -> PatchPlaces | None:
        """The tokens' positions if the encoding gives patches rows and columns; None if they are `positions`."""
        if self.patches is None or self.encoding.axes == 1:
            return None
        first = self.patches.first(self.setup.n_words(len(self.sentence.typed)))
        return PatchPlaces(first, self.patches.rows, self.patches.columns, self.start)

    def at(self, positions: Tensor) -> Tensor:
        """Return what the encoding is given for these `positions`, which may be between or past those of tokens: themselves,
        (n,), or coordinates, (n, axes), if patches have rows and columns. Those past the last token count as text."""
        places = self.places
        return positions if places is None else places.at(positions - self.start, self.encoding.axes)

    @property
    def context(self) -> Context:
        """The encoding's context for the sentence, whose patches take fewer positions; for no tokens while the tokenizer file
        fails."""
        try:
            return self._context
        except Undefined:
            return context_of(self.start, self.model)

    @derived
    def _context(self) -> Context:
        count, places = len(self.tokens), self.places
        if places is None:
            return context_of(self.start + count, self.model)
        return context_of(places.reach(count), self.model, places.extents(count, self.encoding.axes))

    def remark(self, n_tokens: int) -> str:
        """Return the encoding's remark on `n_tokens` tokens: on their positions or, of biases by distance, on distances."""
        encoding = self.encoding
        by_distance = encoding.door == "score" and (encoding.of_offset or not encoding.content_free)
        return encoding.remark(context_of(n_tokens if by_distance else self.start + n_tokens, self.model))

    def heads_of(self, head: int | None) -> Heads:
        """Return the heads to compute in order to display one head, or the mean of all if `head` is None; None means all
        heads. A second layer needs the outputs of all heads of the first. Both sides of a comparison use the same heads."""
        encodings = (self.encoding,) if self.other is None else (self.encoding, self.other)
        found = [heads_to_compute(self.model, encoding, head) for encoding in encodings]
        return None if None in found or self.model.n_layers > 1 else found[0]

    @property
    def can_lose_position(self) -> bool:
        """False if the model has learned, and its code adds positions that can't be taken away."""
        return not isinstance(self.model, TrainedModel) or self.model.separable

    @derived
    def shared_in(self) -> str:
        """Say in a caption what the strength multiplies, or that it does nothing; empty if everything is brought in."""
        sides = (
            {"": self.encoding} if self.other is None else {", in A alone,": self.encoding, ", in B alone,": self.other}
        )
        found = {whose: encoding for whose, encoding in sides.items() if not self.setup.why_whole(encoding)}
        strength = self.setup.strength
        if strength == 1:
            return ""
        if why := self.setup.why_no_degrees:
            return f"strength {format_number(strength)} does nothing: {why}"
        whose = "" if len(found) == len(sides) else next(iter(found))
        whole = (at_strength(encoding, 1) for encoding in found.values())  # at 0 no attention factor is left to name
        shared = join_words(dict.fromkeys(chain.from_iterable(encoding.brought_in for encoding in whole)))
        return f"strength {format_number(strength)}{whose} multiplies {shared}"

    @property
    def judged_at(self) -> str:
        """Say for a caption that an encoding is judged as it is, whatever its strength; empty at full strength."""
        strength = self.setup.strength
        return "" if strength == 1 else f"judged at full strength, not at {format_number(strength)}"

    @derived
    def starts(self) -> str:
        """Say for a caption at which position the sentence starts: “from position 100”; empty at 0."""
        return f"from position {self.start:,}" if self.start else ""

    @derived
    def acting(self) -> Scene:
        """The same scene with its encodings at its strength, as plots and measures read them."""
        encoding = self.setup.at_its_strength(self.encoding)
        other = None if self.other is None else self.setup.at_its_strength(self.other)
        if encoding is self.encoding and other is self.other:
            return self
        return self.with_fields(encoding=encoding, other=other)

    @derived
    def at_full_strength(self) -> Scene:
        """The same scene at strength 1, as its encodings are judged."""
        return self if self.setup.strength == 1 else self.with_fields(strength=1.0).acting

    @derived
    def from_zero(self) -> Scene:
        """The same scene with its first token at position 0, as encodings are judged."""
        return self if self.start == 0 else self.with_fields(start=0)

    @derived
    def without_position(self) -> Scene:
        """The same scene without an encoding, but with the same factor of q · k, so that only position is removed. A model
        that can't be read without positions keeps what isn't its encoding's: its encoding is then at strength 0."""
        if isinstance(self.model, TrainedModel) and self.model.has_degrees and not self.model.separable:
            return self.with_fields(encoding=self.model.encoding, other=None, strength=0.0).acting
        none = encodings.encoding("none")
        scale = scale_of(self.model, self.encoding)
        model = self.model if scale == scale_of(self.model, none) else self.model.model_copy(update={"scale": scale})
        return self.with_fields(encoding=none, other=None, model=model)

    @derived
    def sides(self) -> tuple[Scene, Scene]:
        """The scenes that are compared: A and B, else without the encoding and with it; of a learned model changed, and as
        trained."""
        if self.other is None:
            if isinstance(self.model, TrainedModel):
                own = self.with_fields(encoding=self.model.encoding, other=None, strength=1.0)
                changed = self.surgery
                return self.with_fields(encoding=changed, other=None, strength=changed.strength), own
            return self.without_position, self
        return self.with_encoding(self.encoding), self.with_encoding(self.other)

    @derived
    def surgery(self) -> Encoding:
        """What stands in a learned model in place of its own positions; while it is as trained, what is left without them."""
        own, acting = self.model.encoding if isinstance(self.model, TrainedModel) else None, self.acting
        given = (one for one in (acting.encoding, acting.other) if one not in (None, own))
        return next(given, None) or self.without_position.encoding

    def with_encoding(self, encoding: Encoding) -> Scene:
        """Return the same scene with this encoding only, even if it doesn't fit the model's shape."""
        return self.with_fields(encoding=encoding, other=None)

    def with_fields(self, **fields: Any) -> Scene:
        """Return the same sentence with other encodings, another toy model, strength or start, which aren't checked."""
        return Scene(self.setup.model_copy(update=fields), self.sentence)

    def changed(self, **fields: Any) -> Scene:
        """Return the scene of the setup with these fields changed. Raises ValueError with a message of one sentence."""
        return Scene(self.setup.changed(**fields))


def _files_of(setup: Setup) -> object:
    return setup.splitting.file, setup.model.stamps if isinstance(setup.model, TrainedModel) else ()


@for_latest(_LATEST, _files_of)
def scene_of(setup: Setup) -> Scene:
    """Return the scene of a setup, or of a session without its plots' options."""
    return Scene(Setup.model_construct(**{name: getattr(setup, name) for name in Setup.model_fields}))
