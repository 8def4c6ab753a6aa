"""A layer of a model that has learned, as the forward pass of attention reads it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Self

import torch
from torch import Tensor
from torch.nn.functional import linear

from posenc_gui.attention.forward import Attended
from posenc_gui.attention.layer import Indices, Layer, Positions, Prompt, Sight, as_indices, as_slice, context_of
from posenc_gui.attention.patch_positions import PatchPlaces
from posenc_gui.attention.trained_model import TrainedModel
from posenc_gui.checkpoints.records import (
    AS_TRAINED,
    LayerWeights,
    Losses,
    Passed,
    Projection,
    Recorded,
    Replacement,
    VisibleKeys,
)
from posenc_gui.encodings.base import Context, Encoding, RotationEncoding, Terms
from posenc_gui.foundation.errors import Undefined
from posenc_gui.foundation.memory import size_of
from posenc_gui.text import tokenization

_OF_VECTORS = ("scores", "heads", "added", "log_denominators")  # what follows from queries, keys and values
_MASKS = ("[MASK]", "<mask>")  # as tokenizers call the token that hides another one
_NO_TOKEN = "\0"  # no vocabulary has it: its number is that of unknown tokens
MOST_HIDDEN = 128  # tokens of a text, each of which is read in a pass of its own
_NEVER = 1e-30  # a weight of 0 has no logarithm: the least that float32 tells from it


@dataclass(frozen=True, eq=False)
class TrainedLayer(Layer):
    """The chosen layer of one whole pass, whose other layers have read the text under the same encoding.

    Its scale, mask, bias (h or 1, n, n), cap and sinks are the model's own. Of a model that shows its weights alone,
    queries, keys and values are of width 0, and the bias is the logarithm of the weights.
    """

    own_scale: float = 1.0
    seen: VisibleKeys | None = None
    own_bias: Tensor | None = None
    own_cap: float | None = None
    own_sinks: Tensor | None = None
    output: Projection | None = None

    @classmethod
    def over(cls, prompt: Prompt, device: str = "cpu", check_stop: Callable[[], None] = lambda: None) -> Self:
        """Run the whole model over a prompt, and return its chosen layer, on the device.

        Raises Undefined if the model isn't here, or has no position for a token; TooLarge if it doesn't fit.
        """
        layer = _trained(prompt).layer
        return cls.of(prompt, run(prompt, [layer], check_stop), layer, device)

    @classmethod
    def of(cls, prompt: Prompt, passed: Passed, index: int, device: str = "cpu") -> Self:
        """Return a recorded layer of a pass over a prompt, on the device."""
        model, record = _trained(prompt).at_layer(index), passed.layers[index]
        context = context_of(len(prompt.tokens), model)
        positions = as_indices(_range(prompt.positions, len(prompt.tokens))).double()
        rest = model, prompt.encoding, context, positions, device
        return cls._of_weights(record, *rest) if isinstance(record, LayerWeights) else cls._of_record(record, *rest)

    @classmethod
    def _of_record(
        cls, record: Recorded, model: TrainedModel, encoding: Encoding, context: Context, positions: Tensor, device: str
    ) -> Self:
        return cls(
            model,
            encoding,
            context,
            positions,
            record.inputs.to(device),
            record.queries.to(device),
            record.keys.to(device),
            record.values.to(device),
            record.turned_queries.to(device),
            record.turned_keys.to(device),
            None,
            model.layer,
            own_scale=record.scale,
            seen=VisibleKeys(record.sight.first.to(device), record.sight.last.to(device)),
            own_bias=None if record.bias is None else record.bias.to(device),
            own_cap=record.cap,
            own_sinks=None if record.sinks is None else record.sinks.to(device),
            output=record.output,
        )

    @classmethod
    def _of_weights(
        cls,
        record: LayerWeights,
        model: TrainedModel,
        encoding: Encoding,
        context: Context,
        positions: Tensor,
        device: str,
    ) -> Self:
        weights = record.weights.to(device)
        nothing = weights.new_zeros(*weights.shape[:2], 0)  # (h, n, 0)
        last = torch.arange(weights.shape[1], device=weights.device)
        return cls(
            model,
            encoding,
            context,
            positions,
            record.inputs.to(device),
            nothing,
            nothing,
            nothing,
            nothing,
            nothing,
            prepared=None,
            index=model.layer,
            seen=VisibleKeys(torch.zeros_like(last), last if model.causal else torch.full_like(last, len(last) - 1)),
            own_bias=weights.clamp(min=_NEVER).log(),
        )

    @property
    def nbytes(self) -> int:
        """Memory held, in bytes."""
        return super().nbytes + size_of((self.seen, self.output))

    @property
    def scale(self) -> float:
        """The factor of q · k in this layer."""
        return self.own_scale

    @property
    def has_bias(self) -> bool:
        """True if the model adds something to these scores."""
        return self.own_bias is not None

    @property
    def cap(self) -> float | None:
        """The bound of the scores."""
        return self.own_cap

    @property
    def sinks(self) -> Tensor | None:
        """The score of a key without a value in each head, (h,)."""
        return self.own_sinks

    def seen_keys(self, rows: Tensor) -> tuple[Tensor, Tensor]:
        """Return the first key that each of these queries sees, and the last one, (n_q,) each."""
        assert self.seen is not None
        return self.seen.first[rows], self.seen.last[rows]

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
        assert self.own_bias is not None
        some: Tensor = self.own_bias[:, as_slice(rows)][..., as_slice(columns)]
        return some.expand(self.n_heads, -1, -1)

    def require_vectors(self) -> None:
        """Raise Undefined if the model's code tells its weights alone."""
        if not self.values.shape[-1]:
            raise Undefined(
                f"The code of {_name(self)} tells its attention weights alone: no queries, keys, values or scores."
            )

    def require_outputs(self) -> None:
        """Raise Undefined if the model's code tells its weights alone, or applies W_o to more than the heads."""
        self.require_vectors()
        if self.output is None:
            raise Undefined(
                f"The code of {_name(self)} has no W_o that is applied to the heads alone: no outputs are known."
            )

    def joined(self, several: bool, check_stop: Callable[[], None] = lambda: None) -> Callable[[Tensor], Tensor]:
        """Return the layer's W_o; where the model applies none to the heads alone, its result has no columns."""
        if self.output is None:
            return lambda heads: heads[:, :0]
        matrix, added = self.output.matrix.to(self.inputs), self.output.added
        return lambda heads: linear(heads, matrix.T, None if added is None else added.to(heads))

    def above(self, output: Tensor, check_stop: Callable[[], None] = lambda: None) -> Self:
        """Raise Undefined: what stands between two layers is the model's own."""
        raise Undefined(f"Between two layers of {_name(self)} stands more than attention.")

    def fed(self, inputs: Tensor, check_stop: Callable[[], None] = lambda: None) -> Self:
        """Raise Undefined: a layer of a whole model has the inputs that the layers below give it."""
        raise Undefined(f"What a layer of {_name(self)} reads comes from the layers below it.")

    def terms(self, rows: Indices, columns: Indices) -> Terms:
        """Return the input of the encoding's hooks; vectors can't be projected, since that is the model's own affair."""

        def refuse(_vectors: Tensor) -> Tensor:
            raise Undefined(f"The projections of {_name(self)} aren't shown.")

        at_rows, at_columns = as_slice(rows), as_slice(columns)
        rows, columns = (as_indices(one, self.inputs.device) for one in (rows, columns))
        return Terms(
            queries=self.queries[:, at_rows],
            keys=self.keys[:, at_columns],
            q_inputs=self.inputs[at_rows],
            k_inputs=self.inputs[at_columns],
            q_positions=self.positions[at_rows],
            k_positions=self.positions[at_columns],
            q_indices=rows,
            k_indices=columns,
            q_prepared=None,
            k_prepared=None,
            visible=self.visible(rows, columns),
            scale=self.scale,
            project_query=refuse,
            project_key=refuse,
            context=self.context,
        )


def run(prompt: Prompt, layers: list[int] | None, check_stop: Callable[[], None] = lambda: None) -> Passed:
    """Return one whole pass over a prompt, with these layers recorded; None: all. Raises as `TrainedLayer.over`."""
    checkpoint = _trained(prompt).checkpoint(check_stop)
    ids, change = _read(prompt, check_stop)
    return checkpoint.run(ids, change, layers, check_stop)


def losses(prompt: Prompt, words: range, check_stop: Callable[[], None] = lambda: None) -> Losses:
    """Return the losses of a prompt's tokens, of a model that predicts hidden tokens those of `words` alone.

    Raises Undefined where the model's folder has no head, or as `TrainedLayer.over`.
    """
    model = _trained(prompt)
    checkpoint = model.checkpoint(check_stop)
    ids, change = _read(prompt, check_stop)
    if checkpoint.head is None:
        raise Undefined(f"{model.name} is opened without a head that predicts tokens, so none has a loss.")
    if checkpoint.head.predicts == "next":
        if len(ids) < 2:
            raise Undefined("The first token is read from nothing: type a longer sentence.")
        return checkpoint.next_losses(ids, change, check_stop)
    if not 0 < len(words) <= MOST_HIDDEN:
        raise Undefined(
            f"{model.name} reads the text anew for each token that is hidden from it: type 1 to {MOST_HIDDEN} tokens."
        )
    mask = _mask_of(model, check_stop)
    return checkpoint.hidden_losses(ids, words, mask, change, check_stop)


def _mask_of(model: TrainedModel, check_stop: Callable[[], None]) -> int:
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


def _read(prompt: Prompt, check_stop: Callable[[], None]) -> tuple[Tensor, Replacement]:
    """Return a prompt's tokens as numbers, (n,), and what its encoding changes. Raises as `TrainedLayer.over`."""
    model = _trained(prompt)
    if model.max_length is not None and len(prompt.tokens) > model.max_length and model.encoding.door == "input":
        raise Undefined(
            f"{model.name} has {model.max_length:,} positions, and this text has {len(prompt.tokens):,} tokens."
        )
    if not prompt.tokens:
        raise Undefined("Without a token there is nothing to read: type a sentence.")
    ids = torch.tensor(tokenization.token_numbers(prompt.tokens, model.tokenizer, check_stop))
    return ids, _change(model, prompt.encoding, _range(prompt.positions, len(ids)))


def _change(model: TrainedModel, encoding: Encoding, positions: range) -> Replacement:
    """Return what takes the place of the model's own positions, so that they are an encoding's at these positions."""
    if why := model.refusal(encoding):
        raise Undefined(f"{why[0].upper()}{why[1:]}.")
    own = model.encoding
    if encoding == own and (positions.start == 0 or own.door == "score"):
        return AS_TRAINED
    at = torch.tensor(positions, dtype=torch.float64)
    context = context_of(max(positions.stop, 1), model)
    if encoding.door == "none":
        return _without(model, len(at))
    if not encoding.by_degrees or model.shows == "weights":
        raise Undefined(f"{model.name} can't be read from another position on.")
    match encoding.door:
        case "input":
            return Replacement(vectors=encoding.vectors(at, model.d_model, context).float())
        case "rotation":
            assert isinstance(encoding, RotationEncoding)
            angles = encoding.angles(at, model.d_head, context)[:, : encoding.rotated(model.d_head) // 2]  # (n, pairs)
            cos, sin = (wave.mul(encoding.attention_factor).float() for wave in encoding.waves(angles))
            return Replacement(waves=(cos, sin))
        case _:
            return Replacement(bias=encoding.bias(at, at, model.n_heads, context).float())


def _without(model: TrainedModel, n_tokens: int) -> Replacement:
    """Return what takes a model's positions away in every layer: rows of 0, no turn, no bias."""
    if model.encoding.door == "input":
        width = model.positions().shape[1]
        return Replacement(vectors=torch.zeros(n_tokens, width))
    return Replacement(still=True)


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
