"""A model that has learned: what a session says of it, without its weights."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Literal, Self

import torch
from pydantic import Field, field_serializer, field_validator, model_validator
from torch import Tensor

from posenc_gui.attention.toy_model import Heads
from posenc_gui.checkpoints import opening
from posenc_gui.checkpoints.folder import CONFIG, MOST_FILES, MOST_SHARDS, SHA256, TOKENIZER, WeightFile
from posenc_gui.checkpoints.identity import FileMark, Identity
from posenc_gui.checkpoints.model_process import LoadedModel
from posenc_gui.checkpoints.opening import Result
from posenc_gui.checkpoints.records import Door, Traits, Waves
from posenc_gui.encodings.base import Context, Encoding, RotationEncoding
from posenc_gui.encodings.common.any_encoding import AnyEncoding
from posenc_gui.encodings.common.trained import KINDS, TrainedTable
from posenc_gui.foundation.declared_fields import FACT, is_fact
from posenc_gui.foundation.declared_model import Frozen, format_value
from posenc_gui.foundation.errors import Invalid, TooLarge, Undefined
from posenc_gui.foundation.files import atomic
from posenc_gui.foundation.stopped import CheckStop, go_on
from posenc_gui.foundation.wording import inner_case
from posenc_gui.text.tokenization import path_refusal

_SHOWN = 16  # digits of a SHA-256
_SAME = 1e-4  # of cosines and sines: float32 loses no more at the first positions
DOORS: dict[str, str] = {  # what comes in there
    "none": "no positions",
    "input": "a table of positions",
    "rotation": "a rotation",
    "score": "a bias on the scores",
}


class SeenLayer(Frozen):
    """One layer with attention: its heads, the model's own encoding there, and its number among all layers of the model.
    is_turned: False for a layer that turns no queries and keys in a model that does; its encoding is then the others'."""

    n_heads: int = Field(ge=1, le=100_000)
    d_head: int = Field(ge=0, le=2**20)
    encoding: AnyEncoding
    is_turned: bool = True
    number: int = Field(ge=0, le=100_000)


class TrainedModel(Frozen):
    """A model that has learned, and the layer that is seen; it stands where a toy model stands.

    The folder's path is this computer's own affair: `for_others` leaves it out. `encoding` is the model's own, `beside` where
    more position comes in. shows: "weights" if the model's code tells nothing else of its attention. separable: True if
    without its positions the order of a text was seen to change nothing but the order of its weights.
    by_layer: what each layer has, where not all have the same; `layers` counts those with attention.
    sha256: of the weights that a file says it was saved with; what is written says it as soon as it is known. files: what
    it was read from; empty in files of older versions.
    """

    kind: Literal["trained"] = Field("trained", json_schema_extra=FACT)
    name: str = Field(min_length=1, max_length=255, title="Model", json_schema_extra=FACT)
    path: str = Field("", max_length=4096, title="Folder", json_schema_extra=FACT)
    layer: int = Field(0, ge=0, le=100_000, title="Layer", description="The layer that is seen.")
    layers: int = Field(ge=1, le=100_000, title="Layers", json_schema_extra=FACT)
    n_heads: int = Field(ge=1, le=100_000, title="Heads", json_schema_extra=FACT)
    d_model: int = Field(ge=1, le=2**20, title="d_model", json_schema_extra=FACT)
    d_head: int = Field(ge=0, le=2**20, title="d_head", json_schema_extra=FACT)
    causal: bool = Field(title="Causal mask", json_schema_extra=FACT)
    max_length: int | None = Field(None, ge=1, title="Longest text", json_schema_extra=FACT)
    model_type: str = Field(max_length=1000, title="Kind", json_schema_extra=FACT)
    encoding: AnyEncoding = Field(title="Its own positions", json_schema_extra=FACT)
    beside: tuple[Door, ...] = Field((), json_schema_extra=FACT)
    shows: Literal["all", "weights"] = Field("all", json_schema_extra=FACT)
    separable: bool = Field(True, json_schema_extra=FACT)
    by_layer: tuple[SeenLayer, ...] = Field((), max_length=100_000, json_schema_extra=FACT)
    weights: tuple[WeightFile, ...] = Field(min_length=1, max_length=MOST_SHARDS, json_schema_extra=FACT)
    files: tuple[FileMark, ...] = Field((), max_length=MOST_FILES, json_schema_extra=FACT)
    sha256: str = Field("", pattern=f"^({SHA256})?$", json_schema_extra=FACT)

    @field_serializer("sha256")
    def _fingerprint_as_written(self, _said: str) -> str:
        return self.fingerprint

    @field_validator("path")
    @classmethod
    def _path_must_be_local(cls, path: str) -> str:
        if why := path_refusal(path, "a model's folder", "folder"):
            raise ValueError(why)
        return path

    @model_validator(mode="after")
    def _layer_must_exist(self) -> Self:
        if self.layer >= self.layers:
            raise ValueError(f"{self.name} has no layer {self.layer}: its layers are 0 to {self.layers - 1}")
        if self.by_layer and len(self.by_layer) != self.layers:
            raise ValueError(f"by_layer tells of {len(self.by_layer)} layers, and {self.name} has {self.layers}")
        return self

    def __repr_name__(self) -> str:
        return "open_model"

    def __repr_args__(self) -> Iterator[tuple[str | None, Any]]:
        """Yield what `open_model` needs to open it again."""
        yield None, self.path or self.name
        if self.layer:
            yield "layer", self.layer

    @property
    def called(self) -> str:
        """The name of what was opened, in sentences."""
        return self.name

    @property
    def marked(self) -> str:
        """The name with the beginning of its weights' SHA-256, once that is known."""
        return f"{self.name} (SHA-256 {self.fingerprint[:_SHOWN]}…)" if self.fingerprint else self.name

    @property
    def identity(self) -> Identity:
        """Which model it is, by its files."""
        return Identity(self.weights, self.files)

    @property
    def fingerprint(self) -> str:
        """The SHA-256 of its weights as they are here, else as it was said; empty while none is known."""
        return opening.known_sha256(self.identity) or self.sha256

    @property
    def stamps(self) -> tuple[atomic.StrictStamp | None, ...]:
        """The stamps that its files have now, of which one changes when one is written; none if it isn't here."""
        folder = self._folder
        return () if folder is None else tuple(atomic.strict_stamp(folder / one.name) for one in self.files)

    @property
    def heads(self) -> int:
        """The number of heads of a layer."""
        return self.n_heads

    @property
    def head_width(self) -> int:
        """The width of a head."""
        return self.d_head

    @property
    def n_layers(self) -> int:
        """One: attention is seen in one layer, which reads what those below have made of the text."""
        return 1

    @property
    def seed(self) -> int:
        """0: nothing is drawn."""
        return 0

    @property
    def is_large(self) -> bool:
        """False: all heads of a layer come from one pass."""
        return False

    @property
    def tokenizer(self) -> str:
        """The path of the model's own tokenizer; empty if the model isn't here."""
        folder = self._folder
        return "" if folder is None else str(folder / TOKENIZER)

    @property
    def folder(self) -> Path:
        """The model's folder. Raises Undefined if it isn't known on this computer."""
        folder = self._folder
        if folder is None:
            raise Undefined(f"{self.name} isn't open on this computer: open its folder to see it.")
        return folder

    def require_folder(self) -> None:
        """Raise Undefined if its folder isn't known, isn't there, or holds another model."""
        if not os.path.isdir(self.folder):  # noqa: PTH112 (Path.is_dir raises where a folder may not be read)
            raise Undefined(f"{self.name} is no longer where it was: open its folder again.")  # figures say no path
        try:
            opening.require(self.folder, self.identity)
        except TooLarge:  # as is said where it is loaded
            pass
        except Invalid as why:
            raise Undefined(str(why)) from None

    @property
    def _folder(self) -> Path | None:
        return Path(self.path) if self.path else opening.opened_path(self.identity)

    @property
    def here(self) -> Self:
        """The same with the folder's path, if it is open on this computer, for another process of it."""
        folder = self._folder
        return self if folder is None else self.model_copy(update={"path": str(folder)})

    @property
    def for_others(self) -> Self:
        """The same without the folder's path, as it leaves this computer."""
        return self.model_copy(update={"path": "", "sha256": self.fingerprint})

    @property
    def one_layer(self) -> Self:
        """The model itself: one layer of it is seen."""
        return self

    def of_heads(self, _heads: Heads) -> Self:
        """Return the model itself: all its heads are computed at once."""
        return self

    def at_layer(self, layer: int) -> Self:
        """Return the same model seen in another layer. Raises ValueError if it has no such layer."""
        if not 0 <= layer < len(self.by_layer):
            return self.with_fields(layer=layer)
        seen = self.by_layer[layer]
        return self.with_fields(layer=layer, encoding=seen.encoding, n_heads=seen.n_heads, d_head=seen.d_head)

    @property
    def alike(self) -> int:
        """The first layer that has the encoding of the one that is seen."""
        return next((at for at, one in enumerate(self.by_layer) if one.encoding == self.encoding), 0)

    @property
    def turns_by_layer(self) -> bool:
        """True if some layers have another encoding, which stays where another takes the place of this one's."""
        return any(one.encoding != self.encoding for one in self.by_layer)

    @property
    def is_turned(self) -> bool:
        """False if the layer that is seen turns no queries and keys, in a model that does."""
        return not self.by_layer or self.by_layer[self.layer].is_turned

    @property
    def of_layer(self) -> str:
        """What is to be known of the layer that is seen, in words for a caption; empty of most."""
        if not self.by_layer:
            return ""
        seen, here, told = self.by_layer[self.layer], f"layer {self.layer}", list[str]()
        kinds = [one.encoding for one in self.by_layer if one.is_turned]
        if seen.number != self.layer:
            told += [f"{here} is the model's layer {seen.number}: those without attention aren't counted here"]
        if not seen.is_turned:
            told += [f"{here} has no encoding: it turns no queries and keys"]
        elif len(set(kinds)) > 1:
            has, alike = _told_apart(seen.encoding, kinds), kinds.count(seen.encoding)
            told += [f"{here} has {has}, as {alike} of {self.layers} layers do"]
        return "; ".join(told)

    def ask(self, question: Callable[[LoadedModel], Result], check_stop: CheckStop = go_on) -> Result:
        """Return what is asked of the model in its process, loading it if it isn't there; `check_stop` may raise meanwhile.
        Raises Undefined if the model is gone or another; TooLarge; and what the question raises."""

        def asked(loaded: LoadedModel) -> Result:
            if not self.files and not self._still_turns(loaded.traits):
                raise Undefined(opening.changed(self.name, f"another {CONFIG}"))
            return question(loaded)

        try:
            return opening.ask(self.folder, self.identity, asked, check_stop)
        except Invalid as why:
            raise Undefined(str(why)) from None

    def traits(self, check_stop: CheckStop = go_on) -> Traits:
        """Return what was found in it when it was loaded. Raises as `ask` does."""
        return self.ask(lambda loaded: loaded.traits, check_stop)

    def _still_turns(self, found: Traits) -> bool:
        """Return True unless its own rotation, of a session that doesn't know the config, is none of the model in memory."""
        own = self.encoding
        if not isinstance(own, RotationEncoding) or own.name in KINDS:
            return True
        layers = zip(found.waves, found.d_heads, strict=True)
        known = [(waves, d_head) for waves, d_head in layers if waves is not None]
        return not known or any(gives(own, *one) for one in known)

    def positions(self) -> Tensor:
        """Return its table of positions, (rows, width), or its bias, (buckets, heads). Raises Undefined without one; as `ask`
        does."""
        traits = self.traits()
        found = traits.bias if traits.table is None else traits.table
        if found is None:
            raise Undefined(f"{self.name} has no table of positions.")
        return found

    def refusal(self, encoding: Encoding) -> str:
        """Return why an encoding can't stand in this model, as part of a sentence; empty if it can."""
        own = self.encoding
        if encoding == own:
            return ""
        if encoding.door == "none":
            return "" if self.separable else self._inseparable
        or_none = ", or none" * self.separable
        if encoding.name == own.name and (facts := _facts(own)) != _facts(encoding):
            return f"{own.called} of {self.name} has {', '.join(f'{name} {value}' for name, value in facts.items())}"
        if encoding.door != own.door:
            return (
                f"{self.name} takes position by {DOORS[own.door]}, which {encoding.called} isn't: take its own, "
                f"{own.called}{', another of that kind' * self.takes_others}{or_none}"
            )
        if not self.takes_others:
            return f"the code of {self.name} takes no other positions than its own, {own.called}{or_none}"
        if not _is_replaceable(encoding) or not self._turns_the_same(encoding):
            return f"{encoding.titled} is more than {DOORS[own.door]} of this shape, so it can't take the place of {own.called}"
        return ""

    @property
    def takes_others(self) -> bool:
        """True if other numbers can take the place of its own positions."""
        own = self.encoding
        return own.by_degrees and (isinstance(own, TrainedTable) or (self.shows == "all" and own.door != "input"))

    @property
    def has_degrees(self) -> bool:
        """True if a share of all its positions can be brought in."""
        return self.takes_others and not self.beside

    @property
    def order_left(self) -> str:
        """What of a text's order is left without an encoding, in a sentence; empty if it is seen to be the mask alone."""
        if not self.separable:
            return "Its attention is given no position, but other parts of the model read the text in order."
        if self.shows == "weights" and self.causal:
            return "Only layer 0 shows what is left of the order, and there it is the mask; in other layers that is untested."
        return ""

    @property
    def _inseparable(self) -> str:
        own = self.encoding
        rest = "it is seen as trained"
        if isinstance(own, TrainedTable):
            rest = "its table can be zeroed, and the rest stays"
        elif self.has_degrees:
            rest = f"{own.called} is off at strength 0, and the rest stays"
        return (
            f"{self.name} can't be read without positions, since it gives a text in reverse other weights even without those "
            f"that can be taken away: {rest}"
        )

    def _turns_the_same(self, encoding: Encoding) -> bool:
        """Return True unless a rotation pairs other dimensions than the model's own does."""
        if not (isinstance(encoding, RotationEncoding) and isinstance(self.encoding, RotationEncoding)):
            return True
        pairs = zip(encoding.pairs(self.d_head), self.encoding.pairs(self.d_head), strict=True)
        return all(torch.equal(one, own) for one, own in pairs)


def _facts(encoding: Encoding) -> dict[str, Any]:
    """Return what an encoding says of a model, and nobody sets."""
    declared = type(encoding).model_fields.items()
    return {name: getattr(encoding, name) for name, field in declared if is_fact(field)}


def _is_replaceable(encoding: Encoding) -> bool:
    """Return True for an encoding that is all in its vectors, its angles or its bias."""
    kind = type(encoding)
    if isinstance(encoding, RotationEncoding):  # of several axes, a text's token has one position on all
        return kind.rotate is RotationEncoding.rotate
    return encoding.axes == 1 and encoding.content_free and kind.values is Encoding.values


def _told_apart(encoding: Encoding, others: Iterable[Encoding]) -> str:
    """“RoPE, base 10,000”: an encoding with the parameters in which others of its kind differ."""
    alike = [dict(one) for one in others if type(one) is type(encoding)]
    apart = [name for name, value in encoding if any(one[name] != value for one in alike)]
    titles = {name: inner_case(field.title or name) for name, field in type(encoding).model_fields.items()}
    return ", ".join((encoding.title, *(f"{titles[name]} {format_value(dict(encoding)[name])}" for name in apart)))


def gives(encoding: RotationEncoding, waves: Waves, d_head: int) -> bool:
    """Return True if an encoding gives these cosines and sines, (n, pairs) each, at the first positions."""
    count, pairs = waves[0].shape
    if len(encoding.pairs(d_head)[0]) != pairs:
        return False
    at = torch.arange(count, dtype=torch.float64)
    angles = encoding.angles(at, d_head, Context(count, d_head=d_head))[:, :pairs]
    mine = (wave * encoding.attention_factor for wave in encoding.waves(angles))
    return all(torch.allclose(own.double(), other, atol=_SAME) for own, other in zip(waves, mine, strict=True))
