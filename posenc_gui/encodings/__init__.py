"""Encodings: one file per encoding, found automatically in this folder.

A file `name.py` defines one subclass of a door's class, with the file's name as its `name`. No other file lists it.
"""

from __future__ import annotations

import importlib
import inspect
from functools import cache
from typing import Any, get_args

from posenc_gui.encodings.base import Encoding
from posenc_gui.encodings.common import trained
from posenc_gui.encodings.common.rope_scalings import AnyScaling
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.foundation.errors import unknown_name
from posenc_gui.foundation.registry import list_when_called, module_names

_SCALINGS = {scaling.model_fields["rope_type"].default for scaling in get_args(AnyScaling)}
_DOORS = ("none", "input", "rotation", "score")


@cache
def listed() -> dict[str, type[Encoding]]:
    """Return the class of every encoding that can be chosen by name: built-in ones in the order of the window's list, by door,
    year and title, and last what users write themselves."""
    found = [_only_encoding(name) for name in module_names(__name__)]
    found.sort(key=lambda cls: (not cls.built_in, _DOORS.index(cls.door), cls.source.year, cls.title))
    return {cls.name: cls for cls in found}


@cache
def classes() -> dict[str, type[Encoding]]:
    """Return the class of every built-in encoding by name: all that "all encodings" means."""
    return {name: cls for name, cls in listed().items() if cls.built_in}


def names() -> list[str]:
    """Return the names of all encodings that can be chosen, in the order of `listed`."""
    return list(listed())


def printed() -> list[type[Frozen]]:
    """Return the classes of all encodings, of those that trained models have, and of scalings."""
    return [*trained.KINDS.values(), *listed().values(), *get_args(AnyScaling)]


def encoding(name: str, **parameters: Any) -> Encoding:
    """Return the encoding of that name, also a trained model's own, with these parameters, the others at their defaults.
    Raises ValueError, which says what is allowed, for an unknown name or parameter, or a value out of range."""
    known = trained.KINDS | listed()
    if not isinstance(name, str) or name not in known:
        if (scaling := str(name).lower()) in _SCALINGS:
            raise ValueError(f"{scaling} is a scaling: write encoding('rope', scaling={{'rope_type': {scaling!r}}})")
        raise ValueError(unknown_name("encoding", name, names()))
    cls = known[name]
    for parameter in parameters if cls.built_in else ():  # what users write has parameters of its own
        if parameter not in cls.model_fields:
            raise ValueError(f"{name}: {unknown_name('parameter', parameter, cls.model_fields)}")
    try:
        return cls(**parameters)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None


def every(own: Encoding) -> list[Encoding]:
    """Return all encodings in this order, this one with its parameters; one in no list, of a learned model, comes first."""
    found = [own if name == own.name else cls() for name, cls in classes().items()]
    return found if own in found else [own, *found]


def _only_encoding(module_name: str) -> type[Encoding]:
    module = importlib.import_module(f"{__name__}.{module_name}")
    found = [
        cls
        for cls in vars(module).values()
        if inspect.isclass(cls) and issubclass(cls, Encoding) and cls.__module__ == module.__name__
        if not cls.__name__.startswith("_")
    ]
    if len(found) != 1 or found[0].name != module_name:
        raise TypeError(f"{module.__name__} must define exactly one encoding, named {module_name!r}")
    return found[0]


list_when_called(__name__)
