"""The session: everything that a picture depends on, frozen, and its file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Self

from pydantic import BeforeValidator, Field, PlainSerializer, ValidationError, field_validator, model_validator
from pydantic_core import from_json

from posenc_gui import encodings, plots, provenance, text
from posenc_gui.attention.toy import ToyModel
from posenc_gui.encodings.base import Encoding
from posenc_gui.errors import Undefined, sentence, unknown
from posenc_gui.files import replacing
from posenc_gui.frozen import Frozen

if TYPE_CHECKING:
    PlotOptions = Frozen  # made at run time: one field a plot
else:
    PlotOptions = plots.options_model()

FORMAT = "posenc-gui session"
VERSION = 1
_LARGEST_INDEX = 2**31 - 1
LARGEST_FILE = 50_000_000  # bytes that are read before a file is refused


def _to_encoding(value: object) -> object:
    if isinstance(value, str):
        return encodings.encoding(value)
    if isinstance(value, dict):
        parameters = {str(name): parameter for name, parameter in value.items()}
        return encodings.encoding(str(parameters.pop("name", "")), **parameters)
    return value


def _from_encoding(value: Encoding) -> dict[str, Any]:
    return {"name": value.name, **value.model_dump()}


AnyEncoding = Annotated[Encoding, BeforeValidator(_to_encoding), PlainSerializer(_from_encoding)]
Text = Annotated[str, BeforeValidator(lambda value: text.clean(value) if isinstance(value, str) else value)]


class Session(Frozen):
    """A sentence, an encoding, a toy model, the token in focus, and each plot's options.

    Two equal sessions give equal pictures. Never part of it: theme, device, zoom, or how the window is arranged.
    """

    text: Text = Field("The cat sat on the mat", max_length=text.MAX_CHARACTERS, title="Text")
    tokenizer: Text = Field(
        "words", title="Split into", description="Words, characters, bytes, or the path of a local tokenizer.json."
    )
    keep_case: bool = Field(False, title="Keep case", description='Leave "The" and "the" apart.')
    order: tuple[int, ...] = Field(
        (), title="Order", description="The typed tokens' indices in the order in which they stand; empty: as typed."
    )
    encoding: AnyEncoding = Field(default_factory=lambda: encodings.encoding("sinusoidal"))
    model: ToyModel = ToyModel()
    focus: int = Field(
        2, ge=0, le=_LARGEST_INDEX, description="The token in focus; the last one where the sentence is shorter."
    )
    key: int | None = Field(
        None, ge=0, le=_LARGEST_INDEX, description="The key that is looked at with the query in focus; none: the focus."
    )
    plots: PlotOptions = PlotOptions()

    @field_validator("tokenizer")
    @classmethod
    def _tokenizer_must_be_known(cls, tokenizer: str) -> str:
        if tokenizer not in text.TOKENIZERS and not tokenizer.endswith(".json"):
            raise ValueError(unknown("tokenizer", tokenizer, (*text.TOKENIZERS, "the path of a tokenizer.json")))
        return tokenizer

    @model_validator(mode="after")
    def _order_must_be_of_these_tokens(self) -> Self:
        try:
            count = len(self.typed_tokens) if self.order else 0
        except Undefined:
            return self  # a tokenizer that is gone says so where the tokens would stand; the session is kept
        if sorted(self.order) != list(range(count)):
            raise ValueError(f"order must hold each of 0 to {count - 1} once, as there are tokens")
        return self

    @model_validator(mode="after")
    def _encoding_must_fit_the_model(self) -> Self:
        self.encoding.check_shape(self.model.d_model, self.model.n_heads, self.model.head_width)
        return self

    @property
    def typed_tokens(self) -> tuple[str, ...]:
        """The text's tokens in the order in which they were typed, at most `text.MAX_TOKENS`.

        Raises Undefined where the tokenizer's file can't be read.
        """
        return text.tokenize(self.text, self.tokenizer, self.keep_case)

    @property
    def tokens(self) -> tuple[str, ...]:
        """The sentence's tokens in the order in which they stand. Raises Undefined as `typed_tokens` does."""
        typed = self.typed_tokens
        return tuple(typed[index] for index in self.standing_order)

    @property
    def n_tokens(self) -> int:
        """How many tokens there are; 0 where the tokenizer's file can't be read."""
        try:
            return len(self.typed_tokens)
        except Undefined:
            return 0

    @property
    def standing_order(self) -> tuple[int, ...]:
        """The order, also where it is the typed one: it is, too, where a tokenizer's file gives other tokens than it did."""
        count = len(self.typed_tokens)
        return self.order if len(self.order) == count else tuple(range(count))

    @property
    def twins(self) -> frozenset[int]:
        """The indices of tokens that occur more than once."""
        return text.twins(self.tokens)

    @property
    def focused(self) -> int | None:
        """The index of the token in focus; None without tokens."""
        return min(self.focus, len(self.tokens) - 1) if self.tokens else None

    @property
    def keyed(self) -> int | None:
        """The index of the key that is looked at with the focus; None without tokens."""
        if self.key is None or not self.tokens:
            return self.focused
        return min(self.key, len(self.tokens) - 1)

    def changed(self, **fields: Any) -> Self:
        """A session with these fields changed, validated; other tokens stand as typed.

        Raises pydantic's ValidationError, a ValueError.
        """
        if fields.keys() & {"text", "tokenizer", "keep_case"}:
            fields.setdefault("order", ())
        return type(self)(**{**dict(self), **fields})

    def reordered(self, order: tuple[int, ...]) -> Self:
        """The same tokens in another order; what was in focus stays in focus."""
        old = self.standing_order
        new = {token: index for index, token in enumerate(order)}
        follow = {
            name: new.get(old[at], at) for name, at in (("focus", self.focused), ("key", self.keyed)) if at is not None
        }
        if self.key is None:
            follow.pop("key", None)
        return self.changed(order=() if order == tuple(range(len(old))) else order, **follow)

    def to_json(self) -> str:
        """The session as the text of its file."""
        return json.dumps(
            {"format": FORMAT, "version": VERSION, "session": self.model_dump(mode="json")},
            ensure_ascii=False,
            indent=2,
        )

    def save(self, path: str | Path) -> Path:
        """Write the session to a file, whole or not at all. Raises OSError."""
        path = Path(path)
        with replacing(path) as unfinished:
            unfinished.write_text(self.to_json(), encoding="utf-8")
        return path

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read a session file, or the session that an exported figure carries.

        Raises ValueError, in one sentence, for a file that is damaged, foreign or newer than this version; OSError where
        it can't be read.
        """
        path = Path(path)
        with path.open("rb") as file:
            data = file.read(LARGEST_FILE + 1)
        if len(data) > LARGEST_FILE:
            raise ValueError(f"{path.name} is larger than {LARGEST_FILE // 10**6} MB: that is no session.")
        # A session's own text may hold what looks like another session's mark.
        carried = None if data.lstrip().startswith(b"{") else provenance.find(data)
        try:
            return cls.from_json(data if carried is None else carried)
        except ValueError as error:
            raise ValueError(f"{path.name}: {sentence(error)}") from None

    @classmethod
    def from_json(cls, data: str | bytes) -> Self:
        """The session in the text of its file. Raises ValueError in one sentence."""
        try:
            content = from_json(data, allow_inf_nan=False)
        except ValueError:
            raise ValueError(
                "this is no session and no exported SVG, PDF, PNG or NPZ: it is damaged, cut short, or another kind of file."
            ) from None
        if not isinstance(content, dict) or content.get("format") != FORMAT:
            raise ValueError("this is no session of the explorer, but another kind of file.")
        version = content.get("version")
        if type(version) is not int or version < 1:
            raise ValueError(f"this session has no version that is known: {str(version)[:40]!r}.")
        if version > VERSION:
            raise ValueError(
                f"this session was saved by a newer explorer (format {version}; this one reads {VERSION})."
            )
        try:
            return cls.model_validate(content.get("session"))
        except ValidationError as error:
            raise ValueError(f"this session can't be used: {sentence(error)}") from None
