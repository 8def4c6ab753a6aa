"""A device that isn't there: it computes on the CPU, but its tensors are its own, and what a real one refuses raises.

Tensors of two devices that meet are refused as torch refuses them, float64 where the device is "mps". What waits for the
device, as reading a number from it does, is counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves, tree_map_only

_aten = torch.ops.aten
_BELOW = torch.device("meta")  # what torch's own code takes the device for: it has no driver that could be asked for
_MOVES = _aten._to_copy, _aten.copy_
_BY_INDEX = _aten.index, _aten.index_put, _aten.index_put_, _aten._index_put_impl_
_WAITS = _aten._local_scalar_dense, _aten.nonzero


class _There(Tensor):
    """A tensor on the device; `held` has its numbers."""

    held: Tensor
    __torch_function__ = torch._C._disabled_torch_function_impl

    @staticmethod
    def __new__(cls, held: Tensor) -> _There:
        like = {"strides": held.stride(), "storage_offset": held.storage_offset(), "dtype": held.dtype}
        there: _There = Tensor._make_wrapper_subclass(cls, held.shape, device=_BELOW, **like)
        there.held = held
        return there

    @classmethod
    def __torch_dispatch__(cls, func: object, *_: object) -> object:
        raise RuntimeError(f"{func} of a pretended device that is over")


class Pretended(TorchDispatchMode):
    """Computes what is on the device."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name
        self.waits = 0  # how often something waited for the device

    def __torch_dispatch__(self, func: Any, types: object, args: tuple[Any, ...] = (), kwargs: Any = None) -> Any:
        """One operation, on the device where one of its tensors is or where it is asked for."""
        kwargs, what = dict(kwargs or {}), func.overloadpacket
        tensors = [one for one in tree_leaves((args, kwargs)) if isinstance(one, Tensor)]
        there = [one for one in tensors if isinstance(one, _There)]
        self._refuse(what, args, tensors, there)
        at = kwargs.get("device")
        if at is not None:
            onto, kwargs["device"] = at == _BELOW, "cpu"
        else:
            onto = isinstance(args[0], _There) if what is _aten.copy_ else bool(there)
        off = what is _aten._to_copy and there and not onto
        masks = what in _BY_INDEX and any(one.dtype == torch.bool for one in there[1:])
        self.waits += bool(there) and (what in _WAITS or off or masks)
        held, named = tree_map_only(_There, lambda one: one.held, (args, kwargs))
        found = func(*held, **named)
        if isinstance(found, Tensor) and held and found is held[0]:
            return args[0]  # done in place
        return tree_map_only(Tensor, self._on_device, found) if onto else found

    def _refuse(self, what: object, args: tuple[Any, ...], tensors: list[Tensor], there: list[_There]) -> None:
        if not there or what in _MOVES:
            return
        assert not any(one.device == _BELOW for one in tensors if not isinstance(one, _There)), "made past the device"
        here = [one for one in tensors if not isinstance(one, _There) and one.ndim]  # a single number goes anywhere
        if what in _BY_INDEX and isinstance(args[0], _There):
            here = [one for one in here if one.is_floating_point()]  # and so do indices
        if here:
            shapes = ", ".join(f"{tuple(one.shape)} on {one.device}" for one in here)
            raise RuntimeError(f"Expected all tensors to be on the same device, {self.name}: {what} of {shapes}")

    def _on_device(self, held: Tensor) -> _There:
        if self.name == "mps" and held.dtype == torch.float64:
            raise TypeError(
                "Cannot convert a MPS Tensor to float64 dtype as the MPS framework doesn't support float64."
            )
        return _There(held)


class _Named(TorchFunctionMode):
    """Lets the device go by its name."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self._device = torch.device(name)

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: object,
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        """What torch is asked for by that name is of the device below."""
        named = dict(kwargs or {})
        if "device" in named:
            named["device"] = self._below(named["device"])
        if func is Tensor.to:
            args = tuple(map(self._below, args))
        if func == Tensor.device.__get__ and isinstance(args[0], _There):  # type: ignore[attr-defined]
            return self._device
        if func is Tensor.tolist and isinstance(args[0], _There):
            return args[0].cpu().tolist()
        if func is Tensor.__getitem__ and isinstance(args[1], list):
            return func(args[0], torch.tensor(args[1]))
        if func in (torch.tensor, torch.as_tensor) and named.get("device") == _BELOW:
            return func(*args, **{**named, "device": "cpu"}).to(_BELOW)
        return func(*args, **named)

    def _below(self, one: object) -> object:
        return _BELOW if isinstance(one, str | torch.device) and one in (self._device, self._device.type) else one


@contextmanager
def pretended(name: str) -> Iterator[Pretended]:
    """A machine that has this device, "cuda" or "mps"."""
    with _Named(name), Pretended(name) as device:
        yield device
