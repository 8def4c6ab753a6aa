"""Where attention is computed, and what of it is remembered between plots."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from cachetools import LRUCache

from posenc_gui.attention.law import Attended, attended, outputs
from posenc_gui.attention.layer import Layer, Prompt


class _Sized(Protocol):
    @property
    def nbytes(self) -> int: ...


Result = TypeVar("Result", bound=_Sized)

MEMORY = 256 * 2**20  # bytes of intermediate results kept between evaluations


def _new_memory() -> LRUCache[Hashable, Any]:
    return LRUCache(MEMORY, getsizeof=lambda result: result.nbytes)


@dataclass(frozen=True, eq=False)
class Engine:
    """A device, a way to be stopped, and a memory of results bounded in bytes.

    `check_stop` is called between chunks of work and stops it by raising what is no Exception, so that nothing on the way
    takes it for an error. Several plots of one session share one pass.
    """

    device: str = "cpu"
    check_stop: Callable[[], None] = lambda: None
    memory: LRUCache[Hashable, Any] = field(default_factory=_new_memory, repr=False)

    def layer(self, prompt: Prompt) -> Layer:
        """The last layer over a prompt. Raises Undefined where the encoding isn't defined."""

        def compute() -> Layer:
            layer = self.first_layer(prompt)
            while layer.index + 1 < prompt.model.n_layers:
                layer = layer.above(outputs(layer, self.check_stop))
            return layer

        return self.remembered(("layer", prompt), compute)

    def first_layer(self, prompt: Prompt) -> Layer:
        """The first layer over a prompt, where the input door is. Raises Undefined as `layer` does."""
        return self.remembered(("first layer", prompt), lambda: Layer.over(prompt, self.device))

    def maps(self, prompt: Prompt, window: range) -> Attended:
        """The attention of a window of a prompt's tokens among themselves, on the CPU; weights and outputs are over all keys.

        Raises Undefined as `layer` does.
        """
        return self.remembered(
            ("maps", prompt, window), lambda: attended(self.layer(prompt), window, window, self.check_stop)
        )

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
