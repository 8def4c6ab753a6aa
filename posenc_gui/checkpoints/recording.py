"""Records a pass of a model that has learned: one attention function, and hooks on its rotation and its table."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Self

import torch
from torch import Tensor, nn
from torch.nn.functional import scaled_dot_product_attention

from posenc_gui.checkpoints.records import Projection, Recorded, Replacement, VisibleKeys, Waves
from posenc_gui.foundation.errors import Undefined
from posenc_gui.foundation.stopped import CheckStop, go_on

NAME = "posenc_gui"  # of the attention function, as transformers knows it

_AT_ONCE = 2**24  # scores at a time
_ALIKE = 1e-4  # of cosines and sines: float32 loses no more at the first positions
_HIDDEN = -1e30  # a mask's number for what isn't seen is far below, any bias far above
BIASES = ("alibi", "position_bias")  # arguments in which a model's code hands its bias to a layer
# Ends of the names of classes that give cosines and sines; RoFormer's is called a table of positions.
_ROTARY = ("RotaryEmbedding", "RoFormerSinusoidalPositionalEmbedding")


@dataclass
class Call:
    """One call of the attention function: module, arguments; `causal`: no mask was given, yet no query sees what comes later."""

    module: nn.Module
    query: Tensor
    key: Tensor
    value: Tensor
    mask: Tensor | None
    causal: bool
    bias: Tensor | None
    scale: float
    cap: float | None
    sinks: Tensor | None
    joined: Tensor  # the heads' outputs, (b, n, h · d)


@dataclass
class Recorder:
    """What the attention function tells of a pass: calls in order, as far as their index is `wanted`; None: all.

    `bias`, if given, takes the place of the model's own; `still`: True to leave that out; `unmasked`: True to let every query
    see all keys.
    """

    wanted: Collection[int] | None = None
    bias: Tensor | None = None
    still: bool = False
    check_stop: CheckStop = go_on
    unmasked: bool = False
    count: int = 0
    calls: dict[int, Call] = field(default_factory=dict)


@dataclass(frozen=True)
class Layout:
    """Where a rotary module has a pair's cosine: at i and i + r/2, at 2i and 2i + 1, or at i; and whether sines are first."""

    places: Literal["halves", "neighbours", "once"] = "halves"
    sines_first: bool = False

    @classmethod
    def of(cls, given: Waves) -> Self:
        """Return the layout of what a module gives, (n, width) each, to positions from 0 on."""
        first, second = given
        sines_first = not bool(first[0].any())
        wave = second if sines_first else first
        half, odd = divmod(wave.shape[-1], 2)
        if not odd and torch.equal(wave[:, :half], wave[:, half:]):
            return cls("halves", sines_first)
        return cls("neighbours" if not odd and torch.equal(wave[:, ::2], wave[:, 1::2]) else "once", sines_first)

    def waves(self, given: Waves) -> Waves:
        """Return the cosine and the sine of each pair, (n, pairs) each, in what a module gives, (n, width) each."""
        step = 2 if self.places == "neighbours" else 1
        end = given[0].shape[-1] // (2 if self.places == "halves" else 1)
        first, second = (wave[:, :end:step] for wave in given)  # (n, pairs)
        return (second, first) if self.sines_first else (first, second)

    def give(self, cos: Tensor, sin: Tensor) -> Waves:
        """Return what the module would give, (n, width) each, for cosines and sines, (n, pairs) each."""
        cos, sin = (self._spread(wave) for wave in (cos, sin))
        return (sin, cos) if self.sines_first else (cos, sin)

    def _spread(self, wave: Tensor) -> Tensor:
        if self.places == "halves":
            return torch.cat((wave, wave), -1)  # (n, 2 · pairs)
        return wave.repeat_interleave(2, -1) if self.places == "neighbours" else wave


_recorder: ContextVar[Recorder | None] = ContextVar("recorder", default=None)


@contextmanager
def recording(recorder: Recorder) -> Iterator[Recorder]:
    """Let the attention function record into `recorder`."""
    token = _recorder.set(recorder)
    try:
        yield recorder
    finally:
        _recorder.reset(token)


def register() -> None:
    """Make the attention function known to transformers, with masks of True where visible, and none where a flag says it."""
    from transformers import AttentionInterface
    from transformers.masking_utils import AttentionMaskInterface, sdpa_mask

    def mask(*given: Any, **named: Any) -> Tensor | None:
        found: Tensor | None = sdpa_mask(*given, **named)
        recorder = _recorder.get()
        return found if found is None or recorder is None or not recorder.unmasked else torch.ones_like(found)

    AttentionInterface.register(NAME, _attention)
    AttentionMaskInterface.register(NAME, mask)


def _attention(
    module: nn.Module,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | None,
    scaling: float | None = None,
    dropout: float = 0.0,
    softcap: float | None = None,
    s_aux: Tensor | None = None,
    position_bias: Tensor | None = None,
    sinks: Tensor | None = None,
    is_causal: bool | None = None,
    **_others: Any,
) -> tuple[Tensor, None]:
    """Attention as transformers' eager functions write it, (b, n, h, d); recorded if a recorder asks for it."""
    if sinks is not None:
        raise NotImplementedError("sinks that differ from query to query")
    groups = query.shape[1] // key.shape[1]
    key, value = (one.repeat_interleave(groups, dim=1) if groups > 1 else one for one in (key, value))  # (b, h, n, d)
    scale = query.shape[-1] ** -0.5 if scaling is None else float(scaling)
    causal = attention_mask is None and bool(getattr(module, "is_causal", False) if is_causal is None else is_causal)
    recorder = _recorder.get()
    if recorder is not None:
        recorder.check_stop()
        if recorder.bias is not None:
            position_bias = recorder.bias[None]  # (1, h, n, n)
        elif recorder.still:
            position_bias = None
        if recorder.unmasked:
            attention_mask, causal = _bias_in(attention_mask), False
    call = Call(module, query, key, value, attention_mask, causal, position_bias, scale, softcap, s_aux, query)
    check_stop = go_on if recorder is None else recorder.check_stop
    output = _taken(call, check_stop).transpose(1, 2).contiguous()  # (b, n, h, d)
    if recorder is not None:
        if recorder.wanted is None or recorder.count in recorder.wanted:
            recorder.calls[recorder.count] = replace(call, joined=output.flatten(2))
        recorder.count += 1
    return output, None


def _taken(call: Call, check_stop: CheckStop) -> Tensor:
    """Return the heads' outputs, (b, h, n, d); where scores are needed, some queries at a time."""
    if call.cap is None and call.sinks is None and call.bias is None:
        return scaled_dot_product_attention(
            call.query, call.key, call.value, attn_mask=call.mask, is_causal=call.causal, scale=call.scale
        )
    parts = []
    for rows in _blocks(call):
        check_stop()
        parts.append(_weights(call, rows) @ call.value)
    return torch.cat(parts, -2)


def _weights(call: Call, rows: range) -> Tensor:
    """Return the weights that these queries give to the keys, (b, h, n_q, n_k)."""
    scores = call.query[..., rows.start : rows.stop, :] @ call.key.mT * call.scale  # (b, h, n_q, n_k)
    if call.cap is not None:
        scores = (scores / call.cap).tanh() * call.cap
    if (of_mask := _of_mask(call, rows)) is not None:
        scores = scores + of_mask
    if call.bias is not None:
        scores = scores + call.bias[..., rows.start : rows.stop, :]
    if call.sinks is not None:
        sink = call.sinks.reshape(1, -1, 1, 1).expand(*scores.shape[:-1], 1)
        scores = torch.cat((scores, sink), dim=-1)  # (b, h, n_q, n_k + 1)
    return scores.softmax(-1)[..., : call.key.shape[-2]]  # (b, h, n_q, n_k)


def _blocks(call: Call) -> Iterator[range]:
    """Yield ranges of queries with so few scores that these take little memory."""
    n_queries, n_keys = call.query.shape[-2], call.key.shape[-2]
    step = max(1, _AT_ONCE // (n_keys * call.query.shape[1]))
    return (range(start, min(start + step, n_queries)) for start in range(0, n_queries, step))


def _bias_in(mask: Tensor | None) -> Tensor | None:
    """Return what a mask adds to the scores of keys that are seen, as if all were; None for nothing."""
    return None if mask is None or mask.dtype == torch.bool else mask.masked_fill(mask <= _HIDDEN, 0)


def _visible(call: Call, rows: range) -> Tensor | None:
    """Return which keys these queries see, (h or 1, n_q, n_k); None for all."""
    n_keys = call.key.shape[-2]
    if call.mask is None:
        return (torch.arange(n_keys) <= torch.tensor(rows)[:, None])[None] if call.causal else None
    mask = call.mask[0, ..., rows.start : rows.stop, :n_keys]
    return mask if mask.dtype == torch.bool else mask > _HIDDEN


def _of_mask(call: Call, rows: range) -> Tensor | None:
    """Return what the mask adds to the scores of these queries, (h or 1, n_q, n_k); None for nothing."""
    if call.mask is not None and call.mask.dtype != torch.bool:
        return call.mask[0, ..., rows.start : rows.stop, : call.key.shape[-2]]
    visible = _visible(call, rows)
    return None if visible is None else torch.zeros(visible.shape).masked_fill(~visible, -math.inf)


# --- What a call tells ----------------------------------------------------------------------------------------------


def told(call: Call, inputs: Tensor, plain: tuple[Tensor, Tensor], output: Projection | None) -> Recorded:
    """Return a call as a record: `inputs` (n, d_model), `plain` queries and keys before rotation, (h, n, d) each."""
    sight, of_mask = _seen(call)
    bias = None if call.bias is None else call.bias[0]
    if of_mask is not None:
        bias = of_mask if bias is None else bias + of_mask
    return Recorded(
        inputs,
        *plain,
        call.query[0],
        call.key[0],
        call.value[0],
        call.scale,
        sight,
        bias,
        call.cap,
        None if call.sinks is None else call.sinks.detach().flatten(),
        output,
    )


def _seen(call: Call) -> tuple[VisibleKeys, Tensor | None]:
    """Return which keys each query sees, and what the mask adds to their scores, (h or 1, n, n), or None. Raises Undefined
    where a query sees keys with gaps, or heads see different keys."""
    n_queries, n_keys = call.query.shape[-2], call.key.shape[-2]
    first = torch.zeros(n_queries, dtype=torch.long)
    if call.mask is None:
        return VisibleKeys(first, torch.arange(n_queries) if call.causal else torch.full_like(first, n_keys - 1)), None
    last = torch.zeros_like(first)
    for rows in _blocks(call):
        some = slice(rows.start, rows.stop)
        visible = _visible(call, rows)
        assert visible is not None
        seen = visible[0]  # (n_q, n_k)
        first[some], last[some] = seen.int().argmax(-1), n_keys - 1 - seen.flip(-1).int().argmax(-1)
        in_a_row = bool((seen.sum(-1) == last[some] - first[some] + 1).all())
        if not in_a_row or not bool((visible == seen).all()):
            told = "This model lets a query see keys with gaps between them, or each head others"
            raise Undefined(f"{told}: that can't be drawn.")
    added = _bias_in(call.mask[0, ..., :n_keys])  # (h or 1, n, n)
    return VisibleKeys(first, last), added if added is not None and bool(added.any()) else None


def weights(call: Call) -> Tensor:
    """Return the weights of a call's queries, (h, n, n)."""
    return _weights(call, range(call.query.shape[-2]))[0].detach()


# --- Hooks ----------------------------------------------------------------------------------------------------------


def hooked(model: nn.Module, change: Replacement, table: nn.Module | None, layout: Layout) -> ExitStack:
    """Let a change act in every layer of a model, until the stack is closed."""
    stack = ExitStack()

    def let(module: nn.Module, give: Callable[[Any], Any]) -> None:
        stack.callback(module.register_forward_hook(lambda _module, _given, found: give(found)).remove)

    vectors = change.vectors
    if vectors is not None and table is not None:
        let(table, lambda found: _in_place_of(found, vectors))
    turns_otherwise = change.waves is not None or change.still
    for module in filter(is_rotary, model.modules() if turns_otherwise else ()):
        if change.waves is not None:
            let(module, lambda found: _changed(found, change, layout))
        else:
            let(module, _unturned)
    return stack


def is_rotary(module: nn.Module) -> bool:
    """Return True for a module that gives cosines and sines, by the name that transformers gives its class."""
    return type(module).__name__.endswith(_ROTARY)


def first_of(found: Any) -> Any:
    """Return what a module gives, without what I-BERT's give beside it."""
    return found[0] if isinstance(found, tuple) and found else found


def _in_place_of(found: Any, vectors: Tensor) -> Any:
    """Return vectors (n, width) as a table would give them, where it has `found` others."""
    rows = first_of(found)
    given = vectors.to(rows.dtype).expand_as(rows)
    return (given, *found[1:]) if isinstance(found, tuple) else given


def _changed(found: Any, change: Replacement, layout: Layout) -> Any:
    """Return what a change puts in the place of a rotary module's cosines and sines, in the module's own layout."""
    waves = change.waves
    assert waves is not None
    if change.beginning is not None:
        own = _own_waves(found, layout)
        if not begins_as(own, change.beginning):
            if change.strength == 1:
                return found
            waves = _weakened(own, change.strength)
    if isinstance(found, Tensor):  # one complex number a pair
        return torch.complex(*waves).to(found.dtype).expand_as(found)
    given = layout.give(*waves)
    if given[0].shape[-1] != found[0].shape[-1]:
        told = "Some layers of this model turn more dimensions than others"
        raise Undefined(f"{told}: one rotation can't take the place of all.")
    return tuple(wave.to(own.dtype).expand_as(own) for wave, own in zip(given, found, strict=True))


def _own_waves(found: Any, layout: Layout) -> Waves:
    """Return the cosine and the sine of each pair, (n, pairs) each, in what a rotary module gives."""
    if isinstance(found, Tensor):
        return found.real.flatten(0, -2), found.imag.flatten(0, -2)
    first, second = (wave.flatten(0, -2) for wave in found)  # (n, width) each
    return layout.waves((first, second))


def begins_as(own: Waves, beginning: Waves) -> bool:
    """Return True if cosines and sines of positions from 0 on are these, as far as both go."""
    return all(
        one.shape[-1] == other.shape[-1] and torch.allclose(one[: len(other)], other[: len(one)], atol=_ALIKE)
        for one, other in zip(own, beginning, strict=True)
    )


def _weakened(own: Waves, strength: float) -> Waves:
    """Return the cosine and sine, (n, pairs) each, of this share of each angle, and of how far the attention factor is from
    1."""
    cos, sin = (wave[1 if len(wave) > 1 else 0].double() for wave in own)  # (pairs,) of position 1
    angles = torch.arange(len(own[0]))[:, None] * strength * torch.atan2(sin, cos)  # (n, pairs)
    factor = 1 + (torch.hypot(cos, sin) - 1) * strength
    return (angles.cos() * factor).float(), (angles.sin() * factor).float()


def _unturned(found: Any) -> Any:
    """Return what a rotary module gives to the first token, which it doesn't turn, for every token, in the size of 1. An
    attention factor goes with the rotation: transformers multiplies cosines and sines by it, so that dimensions, and layers,
    that aren't turned don't have it."""
    first = [one[..., :1, :].expand_as(one) for one in ((found,) if isinstance(found, Tensor) else found)]
    if not isinstance(found, Tensor):
        return tuple(wave / torch.hypot(*first) for wave in first)
    return first[0].sgn() if found.is_complex() else first[0]


def without_bias(model: nn.Module) -> ExitStack:
    """Let every layer of a model get a bias of 0 in place of the one that its code makes; until the stack is closed."""

    def give(_module: nn.Module, given: tuple[Any, ...], named: dict[str, Any]) -> Any:
        zeroed = {name: torch.zeros_like(named[name]) for name in BIASES if isinstance(named.get(name), Tensor)}
        return given, named | zeroed

    stack = ExitStack()
    for module in model.modules():
        stack.callback(module.register_forward_pre_hook(give, with_kwargs=True).remove)
    return stack


@contextmanager
def answering(module: nn.Module, output: Any) -> Iterator[None]:
    """Let a module give this output without running, until the context ends."""
    module.forward = lambda *_given, **_named: output
    try:
        yield
    finally:
        del module.forward
