"""Records a pass of a model that has learned: one attention function, and hooks on its rotation and its table."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import scaled_dot_product_attention
from torch.utils.hooks import RemovableHandle

from posenc_gui.checkpoints.records import Change, Projection, Recorded, Sight, Waves
from posenc_gui.foundation.errors import Undefined

NAME = "posenc_gui"  # of the attention function, as transformers knows it

_HIDDEN = -1e30  # a mask's number for what isn't seen is far below, any bias far above
_ZEROED = ("alibi", "position_bias")  # arguments in which a model's code hands its bias to a layer


@dataclass
class Call:
    """One call of the attention function: its module, and what it was given, (b, h, n, d) and (b, h or 1, n, n)."""

    module: nn.Module
    query: Tensor
    key: Tensor
    value: Tensor
    mask: Tensor | None
    bias: Tensor | None
    scale: float
    cap: float | None
    sinks: Tensor | None
    joined: Tensor  # the heads' outputs, (b, n, h · d)


@dataclass
class Recorder:
    """What the attention function tells of a pass: calls in order, as far as their index is `wanted`; None: all.

    `bias`, if given, takes the place of the model's own; `still`: True to leave that out.
    """

    wanted: Collection[int] | None = None
    bias: Tensor | None = None
    still: bool = False
    check_stop: Callable[[], None] = lambda: None
    count: int = 0
    calls: dict[int, Call] = field(default_factory=dict)


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
    """Make the attention function known to transformers, with masks that are added to the scores."""
    from transformers import AttentionInterface
    from transformers.masking_utils import AttentionMaskInterface, eager_mask

    AttentionInterface.register(NAME, _attention)
    AttentionMaskInterface.register(NAME, eager_mask)


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
    **_others: Any,
) -> tuple[Tensor, None]:
    """Attention as transformers' eager functions write it, (b, n, h, d); recorded if a recorder asks for it."""
    groups = query.shape[1] // key.shape[1]
    key, value = (one.repeat_interleave(groups, dim=1) if groups > 1 else one for one in (key, value))  # (b, h, n, d)
    scale = query.shape[-1] ** -0.5 if scaling is None else float(scaling)
    recorder = _recorder.get()
    if recorder is not None:
        recorder.check_stop()
        if recorder.bias is not None:
            position_bias = recorder.bias[None]  # (1, h, n, n)
        elif recorder.still:
            position_bias = None
    taken = _taken(query, key, value, attention_mask, position_bias, scale, softcap, s_aux)  # (b, h, n, d)
    output = taken.transpose(1, 2).contiguous()  # (b, n, h, d)
    if recorder is not None:
        if recorder.wanted is None or recorder.count in recorder.wanted:
            recorder.calls[recorder.count] = Call(
                module, query, key, value, attention_mask, position_bias, scale, softcap, s_aux, output.flatten(2)
            )
        recorder.count += 1
    return output, None


def _taken(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor | None,
    bias: Tensor | None,
    scale: float,
    cap: float | None,
    sinks: Tensor | None,
) -> Tensor:
    """Return the heads' outputs, (b, h, n, d)."""
    added = mask if bias is None else bias if mask is None else mask + bias
    if cap is None and sinks is None:
        return scaled_dot_product_attention(query, key, value, attn_mask=added, scale=scale)
    scores = query @ key.mT * scale  # (b, h, n, n)
    if cap is not None:
        scores = (scores / cap).tanh() * cap
    if added is not None:
        scores = scores + added
    if sinks is not None:
        sink = sinks.reshape(1, -1, 1, 1).expand(*scores.shape[:-1], 1)
        scores = torch.cat((scores, sink), dim=-1)  # (b, h, n, n + 1)
    return scores.softmax(-1)[..., : key.shape[-2]] @ value


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
        None if call.sinks is None else call.sinks.flatten(),
        output,
    )


def _seen(call: Call) -> tuple[Sight, Tensor | None]:
    """Return which keys each query sees, and what the mask adds to the scores of those, (h or 1, n, n), or None.

    Raises Undefined for a mask under which a query sees keys with gaps, or heads see different keys.
    """
    n_queries, n_keys = call.query.shape[-2], call.key.shape[-2]
    if call.mask is None:
        first = torch.zeros(n_queries, dtype=torch.long)
        return Sight(first, torch.full_like(first, n_keys - 1)), None
    mask = call.mask[0, ..., :n_keys]  # (h or 1, n, n)
    seen = mask[0] > _HIDDEN  # (n, n)
    first, last = seen.int().argmax(-1), n_keys - 1 - seen.flip(-1).int().argmax(-1)
    in_a_row = bool((seen.sum(-1) == last - first + 1).all())
    if not in_a_row or not bool(((mask > _HIDDEN) == seen).all()):
        raise Undefined(
            "This model lets a query see keys with gaps between them, or each head others: that can't be drawn."
        )
    added = mask.masked_fill(~seen, 0)
    return Sight(first, last), added if bool(added.any()) else None


# --- Hooks ----------------------------------------------------------------------------------------------------------


def is_rotary(module: nn.Module) -> bool:
    """Return True for a module that gives cosines and sines, as transformers names it."""
    return type(module).__name__.endswith("RotaryEmbedding")


def replace_waves(module: nn.Module, waves: Waves, is_interleaved: bool) -> RemovableHandle:
    """Let a rotary module give these cosines and sines, (n, pairs) each, in its own layout."""

    def spread(wave: Tensor) -> Tensor:
        return wave.repeat_interleave(2, dim=-1) if is_interleaved else torch.cat((wave, wave), dim=-1)  # (n, rotated)

    def give(_module: nn.Module, _given: Any, found: Any) -> Any:
        if isinstance(found, Tensor):  # one complex number a pair
            return torch.complex(*waves).to(found.dtype).expand_as(found)
        return tuple(spread(wave).to(own.dtype).expand_as(own) for wave, own in zip(waves, found, strict=True))

    return module.register_forward_hook(give)


def hold_still(module: nn.Module) -> RemovableHandle:
    """Let a rotary module turn every token as the first one, which it doesn't turn."""

    def give(_module: nn.Module, _given: Any, found: Any) -> Any:
        if isinstance(found, Tensor):
            return found[..., :1, :].expand_as(found)
        return tuple(own[..., :1, :].expand_as(own) for own in found)

    return module.register_forward_hook(give)


def replace_rows(module: nn.Module, vectors: Tensor) -> RemovableHandle:
    """Let a table's module give these vectors, (n, width)."""

    def give(_module: nn.Module, _given: Any, found: Tensor) -> Tensor:
        return vectors.to(found.dtype).expand_as(found)

    return module.register_forward_hook(give)


def without_bias(model: nn.Module) -> ExitStack:
    """Let every layer of a model get a bias of 0 in place of the one that its code makes; until the stack is closed."""

    def give(_module: nn.Module, given: tuple[Any, ...], named: dict[str, Any]) -> Any:
        zeroed = {name: torch.zeros_like(named[name]) for name in _ZEROED if isinstance(named.get(name), Tensor)}
        return given, named | zeroed

    stack = ExitStack()
    for module in model.modules():
        stack.callback(module.register_forward_pre_hook(give, with_kwargs=True).remove)
    return stack


def hooked(model: nn.Module, change: Change, table: nn.Module | None, is_interleaved: bool) -> ExitStack:
    """Let a change act in every layer of a model, until the stack is closed."""
    stack = ExitStack()
    if change.vectors is not None and table is not None:
        stack.callback(replace_rows(table, change.vectors).remove)
    for module in filter(is_rotary, model.modules()):
        if change.waves is not None:
            stack.callback(replace_waves(module, change.waves, is_interleaved).remove)
        elif change.still:
            stack.callback(hold_still(module).remove)
    return stack
