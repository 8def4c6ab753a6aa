"""The engine: device, cancellation, and a cache of attention results shared by plots."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Protocol, TypeVar

from cachetools import LRUCache

from posenc_gui import encodings
from posenc_gui.attention import memory_cost
from posenc_gui.attention.forward import Attended, attend_at_once, outputs
from posenc_gui.attention.layer import AttentionModel, Layer, Prompt, learned, toy
from posenc_gui.attention.trained_layer import TrainedLayer, Untold, losses, run
from posenc_gui.attention.trained_model import TrainedModel
from posenc_gui.checkpoints.records import Losses, Passed
from posenc_gui.foundation import devices
from posenc_gui.foundation.stopped import CheckStop, go_on
from posenc_gui.foundation.threads import AS_TORCH, Threads


class _Sized(Protocol):
    @property
    def nbytes(self) -> int: ...


Result = TypeVar("Result", bound=_Sized)

MEMORY = 512 * 2**20  # bytes of cached intermediate results: enough for two layers of 131,072 tokens
_LEAST = MEMORY // 1024  # bytes that each counts at least: a thousand are kept, those of some hundred edits


def _new_memory() -> LRUCache[Hashable, Any]:
    return LRUCache(MEMORY, getsizeof=lambda result: max(_LEAST, result.nbytes))


@dataclass(frozen=True, eq=False)
class Engine:
    """A device, a stop check, threads, a pause, a free-memory check, and a cache of results with a limit in bytes.

    `check_stop` is called between chunks of work, on several threads. To stop, it raises a BaseException that is not an
    Exception, so that no error handler catches it. `free` returns a device's free bytes: work that needs more is refused
    before it begins. `pause` is the time between two steps of a picture at least, in seconds: each takes time to draw.
    All plots of a session share the cached results.
    """

    device: str = "cpu"
    check_stop: CheckStop = go_on
    threads: Threads = AS_TORCH
    pause: float = 0.15
    free: Callable[[str], int] = devices.free_memory
    memory: LRUCache[Hashable, Any] = field(default_factory=_new_memory, repr=False)

    def layer(self, prompt: Prompt) -> Layer:
        """Return the last layer for a prompt. Raises Undefined if there is none, TooLarge if memory is short."""
        if prompt.model.n_layers == 1:
            return self.first_layer(prompt)

        def compute() -> Layer:
            self.require(memory_cost.layer_bytes, len(prompt.tokens), prompt.model.of_heads(prompt.heads))
            layer = self.first_layer(prompt)
            while layer.index + 1 < prompt.model.n_layers:
                layer = layer.above(outputs(layer, self.check_stop, self.threads), self.check_stop)
            return layer

        return self.remembered(("layer", prompt), compute)

    def first_layer(self, prompt: Prompt) -> Layer:
        """Return the first layer for a prompt, to whose inputs the input door is applied. Raises as `layer` does."""

        def compute() -> Layer:
            self.require(memory_cost.layer_bytes, len(prompt.tokens), prompt.model.of_heads(prompt.heads).one_layer)
            if isinstance(prompt.model, TrainedModel):
                return TrainedLayer.over(prompt, self.device, self.check_stop)
            plain = _without_position(prompt)
            if plain == prompt or prompt.encoding.door == "input":
                return Layer.over(prompt, self.device, self.check_stop)
            return self.first_layer(plain).under(prompt, self.device, self.check_stop)

        return self.remembered(("first layer", prompt), compute)

    def whole_pass(self, prompt: Prompt, every_layer: bool = False) -> Passed:
        """Return a learned model's last hidden states, and every layer if asked for. Raises Undefined, and as
        `TrainedLayer.over`."""

        def compute() -> Passed:
            layers = learned(prompt.model).layers if every_layer else 1
            self.require(partial(memory_cost.pass_bytes, layers=layers), len(prompt.tokens), prompt.model)
            return run(prompt, None if every_layer else [], self.check_stop)

        return self.remembered(("pass", _seen_anywhere(prompt), every_layer), compute)

    def losses(self, prompt: Prompt, words: range) -> Losses:
        """Return the losses of a prompt's tokens in a model that has learned; see `trained_layer.losses`."""

        def compute() -> Losses:
            self.require(memory_cost.layer_bytes, len(prompt.tokens), prompt.model)
            return losses(prompt, words, self.check_stop)

        return self.remembered(("losses", _seen_anywhere(prompt), words), compute)

    def maps(self, prompt: Prompt, window: range) -> Attended:
        """Return attention within a window of tokens, on the CPU; softmax and outputs include all keys. Raises as `layer`
        does."""
        return self.remembered(("maps", prompt, window), lambda: self.attended(prompt, window, window))

    def attended(self, prompt: Prompt, queries: range, keys: range = range(0)) -> Attended:
        """Return attention of these queries over all keys, scores and weights for `keys`. As `maps`, but not cached."""

        def cost(count: int, model: AttentionModel) -> int:
            return memory_cost.attention_bytes(count, model, min(count, len(queries)), min(count, len(keys)))

        self.require(cost, len(prompt.tokens), prompt.model.of_heads(prompt.heads))
        layer = self.layer(prompt)
        return Untold.of(layer, attend_at_once(layer, queries, keys, self.check_stop, self.threads))

    def require(self, cost: memory_cost.Cost, n_tokens: int, model: AttentionModel) -> None:
        """Raise TooLarge if `n_tokens` tokens in this model need more memory than the device has free."""
        memory_cost.require(cost, n_tokens, model, lambda: self.free(self.device))

    def remembered(self, what: Hashable, compute: Callable[[], Result]) -> Result:
        """Return the result cached under this key for this device, or compute and cache it."""
        (result,) = self.remembered_steps(what, lambda: (compute(),))
        return result

    def remembered_steps(self, what: Hashable, compute: Callable[[], Iterable[Result]]) -> Iterator[Result]:
        """Yield the result kept under this key for this device, or each step of `compute`; only the last step, if reached, is
        kept."""
        key = (self.device, what)
        if key in self.memory:
            yield self.memory[key]
            return
        result = None
        for result in compute():
            yield result
        if result is not None and self.memory.getsizeof(result) <= self.memory.maxsize:
            self.memory[key] = result


def _without_position(prompt: Prompt) -> Prompt:
    """Return the prompt of vectors alone: without what is done to them, or what makes scores of them."""
    model = toy(prompt.model).model_copy(update={"scale": None, "causal": False, "n_layers": 1})
    return replace(prompt, model=model, encoding=encodings.encoding("none"), positions=None)


def _seen_anywhere(prompt: Prompt) -> Prompt:
    """Return the prompt of what doesn't depend on the layer seen but, unless as trained, on which layers turn as that one
    does."""
    model = learned(prompt.model)
    if prompt.encoding != model.encoding:
        return replace(prompt, model=model.at_layer(model.alike))
    first = model.at_layer(0)
    return replace(prompt, model=first, encoding=first.encoding)
