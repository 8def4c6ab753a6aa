"""What goes to a model's process and comes from it: the records, as JSON and arrays, so that nothing of it can run code."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any

import torch
from torch import Tensor

from posenc_gui.checkpoints import records

_KIND = "\0kind"  # the key of the name of a record's class
_KINDS = {
    kind.__name__: kind
    for kind in (
        records.LayerWeights,
        records.Losses,
        records.Passed,
        records.Projection,
        records.Recorded,
        records.Replacement,
        records.Traits,
        records.VisibleKeys,
    )
}


def sent(value: Any) -> Any:
    """Return a record, or what one holds, as a message can hold it."""
    if isinstance(value, Tensor):
        return value.detach().cpu().numpy()
    if isinstance(value, tuple | list):
        return [sent(one) for one in value]
    if is_dataclass(value):
        return {_KIND: type(value).__name__} | {one.name: sent(getattr(value, one.name)) for one in fields(value)}
    return value


def received(value: Any) -> Any:
    """Return what was sent; a list is a tuple. Raises KeyError and TypeError for what `sent` doesn't make."""
    if isinstance(value, list):
        return tuple(map(received, value))
    if isinstance(value, dict):
        parts = {name: received(part) for name, part in value.items()}
        return _KINDS[parts.pop(_KIND)](**parts)
    return value if value is None or isinstance(value, bool | int | float | str) else torch.from_numpy(value)
