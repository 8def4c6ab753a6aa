"""A layer of a model that has learned, as the forward pass of attention reads it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, Self, TypeVar

import torch
from torch import Tensor
from torch.nn.functional import linear

from posenc_gui.attention.forward import Attended
from posenc_gui.attention.layer import Indices, Layer, Positions, Prompt, Sight, as_indices, as_slice, context_of
from posenc_gui.attention.patch_positions import PatchPlaces
from posenc_gui.attention.trained_model import TrainedModel
from posenc_gui.checkpoints.model_process import CodeFailed, LoadedModel
from posenc_gui.checkpoints.records import (
    AS_TRAINED,
    LayerWeights,
    Losses,
    Passed,
    Recorded,
    Replacement,
    Traits,
    VisibleKeys,
    Waves,
)
from posenc_gui.encodings.base import Context, Encoding, RotationEncoding
from posenc_gui.foundation.errors import Undefined
from posenc_gui.foundation.memory import size_of
from posenc_gui.foundation.stopped import CheckStop, go_on
from posenc_gui.text import tokenization

Result = TypeVar("Result")

_OF_VECTORS = ("scores", "heads", "added", "log_denominators")  # what follows from queries, keys and values
_MASKS = ("[MASK]", "<mask>")  # as tokenizers call the token that hides another one
_NO_TOKEN = "\0"  # no vocabulary has it: its number is that of unknown tokens
_BEGINNING = 5  # positions by which a rotation is known
MOST_HIDDEN = 128  # tokens of a text, each of which is read in a pass of its own
_NEVER = 1e-30  # a weight of 0 has no logarithm: the least that float32 tells from it


@dataclass(frozen=True, eq=False)
class TrainedLayer(Layer):
    """The chosen layer of one whole pass, whose other layers have read the text under the same encoding.

    Its scale, mask, bias (h or 1, n, n), cap and sinks are the model's own, as `record` has them. Of a model that shows its
    weights alone, queries, keys and values are of width 0, and the bias is the logarithm of the weights.
    """

    record: Recorded = field(kw_only=True)

    @classmethod
    def over(cls, prompt: Prompt, device: str = "cpu", check_stop: CheckStop = go_on) -> Self:
        """Return the chosen layer of a whole pass. Raises Undefined if no model is here, or for a token's position; TooLarge."""
        layer = _trained(prompt).layer
        return cls.of(prompt, run(prompt, [layer], check_stop), layer, device)

    @classmethod
    def of(cls, prompt: Prompt, passed: Passed, index: int, device: str = "cpu") -> Self:
        """Return a recorded layer of a pass over a prompt, on the device."""
        model, told = _trained(prompt).at_layer(index), passed.layers[index]
        record = _on(device, _recorded(told, model.causal) if isinstance(told, LayerWeights) else told)
        return cls(
            model,
            prompt.encoding,
            context_of(len(prompt.tokens), model),
            as_indices(_range(prompt.positions, len(prompt.tokens))).double(),
            record.inputs,
            record.queries,
            record.keys,
            record.values,
            record.turned_queries,
            record.turned_keys,
            None,
            model.layer,
            record=record,
        )

    @property
    def nbytes(self) -> int:
        """Memory held, in bytes."""
        return size_of((self.positions, self.record))

    @property
    def scale(self) -> float:
        """The factor of q · k in this layer."""
        return self.record.scale

    @property
    def has_bias(self) -> bool:
        """True if the model adds something to these scores."""
        return self.record.bias is not None

    @property
    def cap(self) -> float | None:
        """The bound of the scores."""
        return self.record.cap

    @property
    def sinks(self) -> Tensor | None:
        """The score of a key without a value in each head, (h,)."""
        return self.record.sinks

    def seen_keys(self, rows: Tensor) -> tuple[Tensor, Tensor]:
        """Return the first key that each of these queries sees, and the last one, (n_q,) each."""
        return self.record.sight.first[rows], self.record.sight.last[rows]

    def visible(self, rows: Tensor, columns: Tensor) -> Tensor:
        """Return the mask of these queries and keys, (n_q, n_k), True where visible."""
        first, last = self.seen_keys(rows)
        return (columns >= first[:, None]) & (columns <= last[:, None])

    def sight(self, rows: range, columns: range) -> Sight:
        """Return whether these queries see all, some or none of these keys."""
        first, last = self.seen_keys(as_indices(rows, self.inputs.device))
        if not len(rows) or bool((first <= columns[0]).all() and (last >= columns[-1]).all()):
            return "all"
        return "some" if bool(((first <= columns[-1]) & (last >= columns[0])).any()) else "none"

    def bias(self, rows: Indices, columns: Indices) -> Tensor:
        """Return what the model adds to the scores of these queries and keys, (h, n_q, n_k)."""
        assert self.record.bias is not None
        some: Tensor = self.record.bias[:, as_slice(rows)][..., as_slice(columns)]
        return some.expand(self.n_heads, -1, -1)

    @property
    def biases_by_offset(self) -> None:
        """None: what a model adds is known for queries and keys."""

    def require_vectors(self) -> None:
        """Raise Undefined if the model's code tells its weights alone."""
        if not self.values.shape[-1]:
            alone = "tells its attention weights alone: no queries, keys, values or scores"
            raise Undefined(f"The code of {_name(self)} {alone}.")

    def require_outputs(self) -> None:
        """Raise Undefined if the model's code tells its weights alone, or applies W_o to more than the heads."""
        self.require_vectors()
        if self.record.output is None:
            lacking = "has no W_o that is applied to the heads alone: no outputs are known"
            raise Undefined(f"The code of {_name(self)} {lacking}.")

    def joined(self, several: bool, check_stop: CheckStop = go_on) -> Callable[[Tensor], Tensor]:
        """Return the layer's W_o; where the model applies none to the heads alone, its result has no columns."""
        if (output := self.record.output) is None:
            return lambda heads: heads[:, :0]
        matrix, added = output.matrix.to(self.inputs), output.added
        return lambda heads: linear(heads, matrix.T, None if added is None else added.to(heads))

    def above(self, output: Tensor, check_stop: CheckStop = go_on) -> Self:
        """Raise Undefined: what stands between two layers is the model's own."""
        raise Undefined(f"Between two layers of {_name(self)} stands more than attention.")

    def fed(self, inputs: Tensor, check_stop: CheckStop = go_on) -> Self:
        """Raise Undefined: a layer of a whole model has the inputs that the layers below give it."""
        raise Undefined(f"What a layer of {_name(self)} reads comes from the layers below it.")


def _recorded(told: LayerWeights, causal: bool) -> Recorded:
    """Return a layer of which only the weights are known: vectors of width 0, and as its bias the weights' logarithm."""
    nothing = told.weights.new_zeros(*told.weights.shape[:2], 0)  # (h, n, 0)
    last = torch.arange(told.weights.shape[1])
    sight = VisibleKeys(torch.zeros_like(last), last if causal else torch.full_like(last, len(last) - 1))
    bias = told.weights.clamp(min=_NEVER).log()
    return Recorded(told.inputs, nothing, nothing, nothing, nothing, nothing, 1.0, sight, bias, None, None, None)


def _on(device: str, record: Recorded) -> Recorded:
    """Return a record on a device; what it says of W_o is moved where it is applied."""
    moved: dict[str, Any] = {name: part.to(device) for name, part in vars(record).items() if isinstance(part, Tensor)}
    sight = VisibleKeys(record.sight.first.to(device), record.sight.last.to(device))
    return replace(record, **moved, sight=sight)


def run(prompt: Prompt, layers: list[int] | None, check_stop: CheckStop = go_on) -> Passed:
    """Return one whole pass over a prompt, with these layers recorded; None: all. Raises as `TrainedLayer.over`."""

    def ask(loaded: LoadedModel, ids: Tensor, change: Replacement) -> Passed:
        return loaded.run(ids, change, layers, check_stop)

    return _asked(prompt, ask, check_stop)


def _asked(prompt: Prompt, ask: Callable[[LoadedModel, Tensor, Replacement], Result], check_stop: CheckStop) -> Result:
    """Return what a prompt's model answers on its tokens (n,) under a change."""
    model = _trained(prompt)
    ids, change = _read(prompt, model.traits(check_stop), check_stop)
    try:
        return model.ask(lambda loaded: ask(loaded, ids, change), check_stop)
    except CodeFailed as why:  # such as code that looks its rotation up in a table
        _require_positions(model, len(ids))
        raise Undefined(f"The code of {model.name} can't read this text: {why}.") from None


def losses(prompt: Prompt, words: range, check_stop: CheckStop = go_on) -> Losses:
    """Return the losses of a prompt's tokens, or of `words` if hidden. Raises Undefined without a head, or as
    `TrainedLayer.over`."""
    model = _trained(prompt)

    def ask(loaded: LoadedModel, ids: Tensor, change: Replacement) -> Losses:
        predicts = loaded.traits.predicts
        if predicts is None:
            raise Undefined(f"{model.name} is opened without a head that predicts tokens, so none has a loss.")
        if predicts == "next":
            if len(ids) < 2:
                raise Undefined("The first token is read from nothing: type a longer sentence.")
            return loaded.next_losses(ids, change, check_stop)
        if not 0 < len(words) <= MOST_HIDDEN:
            raise Undefined(
                f"{model.name} reads the text anew for each token that is hidden from it: type 1 to {MOST_HIDDEN} tokens."
            )
        return loaded.hidden_losses(ids, words, _mask_of(model, check_stop), change, check_stop)

    return _asked(prompt, ask, check_stop)


def _mask_of(model: TrainedModel, check_stop: CheckStop) -> int:
    """Return the number of the token that hides another one. Raises Undefined if the tokenizer names none."""

    def number(token: str) -> int | None:
        with suppress(Undefined):
            return tokenization.token_numbers((token,), model.tokenizer, check_stop)[0]
        return None

    unknown = number(_NO_TOKEN)
    for mask in map(number, _MASKS):
        if mask is not None and mask != unknown:
            return mask
    raise Undefined(f"The tokenizer of {model.name} has no token that hides another one, so no token has a loss.")


def _read(prompt: Prompt, traits: Traits, check_stop: CheckStop) -> tuple[Tensor, Replacement]:
    """Return a prompt's tokens as numbers, (n,), and what its encoding changes. Raises as `TrainedLayer.over`."""
    model = _trained(prompt)
    if model.encoding.door == "input":
        _require_positions(model, len(prompt.tokens))
    if not prompt.tokens:
        raise Undefined("Without a token there is nothing to read: type a sentence.")
    ids = torch.tensor(tokenization.token_numbers(prompt.tokens, model.tokenizer, check_stop))
    if (most := int(ids.max())) >= traits.n_tokens:
        raise Undefined(
            f"The tokenizer of {model.name} gives a token the number {most:,}, and its weights know {traits.n_tokens:,} tokens."
        )
    return ids, _change(model, traits, prompt.encoding, _range(prompt.positions, len(ids)))


def _require_positions(model: TrainedModel, count: int) -> None:
    """Raise Undefined if a text has more tokens than the model has positions."""
    if model.max_length is not None and count > model.max_length:
        raise Undefined(f"{model.name} has {model.max_length:,} positions, and this text has {count:,} tokens.")


def _change(model: TrainedModel, traits: Traits, encoding: Encoding, positions: range) -> Replacement:
    """Return what takes the place of the model's own positions, so that they are an encoding's at these positions."""
    model = model.with_fields(separable=traits.separable)  # which files of older versions didn't measure
    if why := model.refusal(encoding):
        raise Undefined(f"{why[0].upper()}{why[1:]}.")
    own = model.encoding
    if encoding == own and (positions.start == 0 or own.door == "score"):
        return AS_TRAINED
    at = torch.tensor(positions, dtype=torch.float64)
    context = context_of(max(positions.stop, 1), model)
    if encoding.door == "none":
        return traits.without_positions
    if not model.takes_others:
        raise Undefined(f"{model.name} can't be read from another position on.")
    match encoding.door:
        case "input":
            if traits.table is None:
                raise Undefined(f"{model.name} has no table of positions.")
            return Replacement(vectors=encoding.vectors(at, model.d_model, context).float())
        case "rotation":
            assert isinstance(encoding, RotationEncoding)
            waves = _waves(encoding, at, context)
            if not traits.turns_by_layer:
                return Replacement(waves=waves)
            assert isinstance(own, RotationEncoding)
            beginning = _waves(own, torch.arange(min(len(at), _BEGINNING)).double(), context)
            return Replacement(waves=waves, beginning=beginning, strength=encoding.strength)
        case _:
            return Replacement(bias=encoding.bias(at, at, model.n_heads, context).float())


def _waves(encoding: RotationEncoding, at: Tensor, context: Context) -> Waves:
    """Return the cosine and the sine of each pair, (n, pairs) each, at these positions."""
    angles = encoding.angles(at, context.d_head, context)[:, : encoding.rotated(context.d_head) // 2]  # (n, pairs)
    cos, sin = (wave.mul(encoding.attention_factor).float() for wave in encoding.waves(angles))
    return cos, sin


def _trained(prompt: Prompt) -> TrainedModel:
    assert isinstance(prompt.model, TrainedModel)
    return prompt.model


def _range(positions: Positions | None, count: int) -> range:
    """Return the tokens' positions. Raises Undefined for those of image patches."""
    if positions is None:
        return range(count)
    if isinstance(positions, PatchPlaces) or not isinstance(positions, range):
        raise Undefined("A model that has learned from text alone has no place for image patches.")
    return positions


def _name(layer: Layer) -> str:
    assert isinstance(layer.model, TrainedModel)
    return layer.model.name


class Untold(Attended):
    """Attention of a layer of which not everything is known: asking for the rest raises Undefined."""

    def __getattribute__(self, name: str) -> Any:
        if name in _OF_VECTORS:
            vars(self)["layer"].require_vectors()
        if name == "output":
            vars(self)["layer"].require_outputs()
        return super().__getattribute__(name)

    @classmethod
    def of(cls, layer: Layer, found: Attended) -> Attended:
        """Return what was found in a layer, as far as it is known."""
        try:
            layer.require_outputs()
        except Undefined:
            known = cls(**vars(found))
            vars(known)["layer"] = layer
            return known
        return found

    @property
    def nbytes(self) -> int:
        """Memory held."""
        return size_of(tuple(part for part in vars(self).values() if isinstance(part, Tensor)))
