"""Where attention is computed, and what of it is remembered between plots."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from cachetools import LRUCache

from posenc_gui.attention import memory_cost as costs
from posenc_gui.attention.forward import Attended, attended, outputs
from posenc_gui.attention.layer import Layer, Prompt
from posenc_gui.attention.toy_model import ToyModel
from posenc_gui.foundation import devices as machine


class _Sized(Protocol):
    @property
    def nbytes(self) -> int: ...


Result = TypeVar("Result", bound=_Sized)

MEMORY = 512 * 2**20  # bytes of intermediate results kept between evaluations: two layers over 131,072 tokens, and more


def _new_memory() -> LRUCache[Hashable, Any]:
    return LRUCache(MEMORY, getsizeof=lambda result: result.nbytes)


@dataclass(frozen=True, eq=False)
class Engine:
    """A device, a way to be stopped, what memory is free, and a memory of results bounded in bytes.

    `check_stop` is called between chunks of work and stops it by raising what is no Exception, so that nothing on the way
    takes it for an error. `free` says how many bytes a device has to give now: what takes more is refused before it
    begins. Several plots of one session share one pass.
    """

    device: str = "cpu"
    check_stop: Callable[[], None] = lambda: None
    free: Callable[[str], int] = machine.free
    memory: LRUCache[Hashable, Any] = field(default_factory=_new_memory, repr=False)

    def layer(self, prompt: Prompt) -> Layer:
        """The last layer over a prompt. Raises Undefined where the encoding isn't defined, TooLarge for want of memory."""
        if prompt.model.n_layers == 1:
            return self.first_layer(prompt)

        def compute() -> Layer:
            self.require(costs.of_layer, len(prompt.tokens), prompt.model.of_heads(prompt.heads))
            layer = self.first_layer(prompt)
            while layer.index + 1 < prompt.model.n_layers:
                layer = layer.above(outputs(layer, self.check_stop), self.check_stop)
            return layer

        return self.remembered(("layer", prompt), compute)

    def first_layer(self, prompt: Prompt) -> Layer:
        """The first layer over a prompt, where the input door is. Raises as `layer` does."""

        def compute() -> Layer:
            self.require(
                costs.of_layer,
                len(prompt.tokens),
                prompt.model.of_heads(prompt.heads).model_copy(update={"n_layers": 1}),
            )
            return Layer.over(prompt, self.device, self.check_stop)

        return self.remembered(("first layer", prompt), compute)

    def maps(self, prompt: Prompt, window: range) -> Attended:
        """The attention of a window of a prompt's tokens among themselves, on the CPU; weights and outputs are over all keys.

        Raises Undefined and TooLarge as `layer` does.
        """
        return self.remembered(("maps", prompt, window), lambda: self.attended(prompt, window, window))

    def attended(self, prompt: Prompt, queries: range, keys: range = range(0)) -> Attended:
        """What these queries of a prompt take from all keys, with scores and weights of some; as `maps`, not remembered."""

        def cost(count: int, model: ToyModel) -> int:
            return costs.of_attention(count, model, min(count, len(queries)), min(count, len(keys)))

        self.require(cost, len(prompt.tokens), prompt.model.of_heads(prompt.heads))
        return attended(self.layer(prompt), queries, keys, self.check_stop)

    def require(self, cost: costs.Cost, n_tokens: int, model: ToyModel) -> None:
        """Raise TooLarge where so many tokens in a model cost more memory than is free on the device."""
        costs.require(cost, n_tokens, model, lambda: self.free(self.device))

    def remembered(self, what: Hashable, compute: Callable[[], Result]) -> Result:
        """What was computed before under this name on this device, or what `compute` gives now."""
        (result,) = self.remembered_steps(what, lambda: (compute(),))
        return result

    def remembered_steps(self, what: Hashable, compute: Callable[[], Iterable[Result]]) -> Iterator[Result]:
        """The last of the steps that were computed before under this name on this device, or each that `compute` gives now.

        Only the last is remembered: the others were shown while it was on its way. Where it never came, nothing is.
        """
        key = (self.device, what)
        if key in self.memory:
            yield self.memory[key]
            return
        result = None
        for result in compute():
            yield result
        if result is not None and result.nbytes <= self.memory.maxsize:
            self.memory[key] = result
