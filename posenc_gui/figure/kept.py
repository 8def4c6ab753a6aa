"""Figures as bytes, and back without torch: their words as JSON in the first line, then their numbers as they are in memory.

Bytes are read as what they should be, by declared types alone: nothing in them is executed, unpacked or found by its name
elsewhere, so what is read is never much larger than they are.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

import numpy as np
import numpy.typing as npt

from posenc_gui.figure.panels import Dotted, Judged, Told
from posenc_gui.foundation.errors import Remedy
from posenc_gui.foundation.theme import Verdict

LARGEST_WORDS = 2**19  # bytes: what JSON holds takes up to 24 times as many in memory
_ALIGNED = 8  # bytes
_LARGEST_INT = 2**53
_LONGEST = 2**23  # of a range or a side of an array
_MOST_AXES = 4
_ARRAYS = {"f4": np.float32, "f8": np.float64, "c16": np.complex128, "b1": np.bool_}

T = TypeVar("T")


def to_bytes(value: Any) -> bytes:
    """Return a dataclass of figures as bytes, without frames and remedies. Raises TypeError for other types, ValueError for
    size."""
    arrays = bytearray()
    words = json.dumps(_told(value, arrays), allow_nan=False).encode()
    if len(words) > LARGEST_WORDS:
        raise ValueError(f"{len(words):,} bytes of words are too many to be kept")
    return words + b"\n" + arrays


def from_bytes(kind: type[T], content: bytes) -> T:
    """Return what `to_bytes` was given. Raises ValueError if the bytes hold no value of this kind."""
    try:
        end = content.index(b"\n", 0, LARGEST_WORDS + 1)
        told = json.loads(content[:end], parse_constant=_refuse)
        found: T = _read(kind, told, content[end + 1 :])
    except Exception as error:  # whatever: a dataclass may fail in its own way on values that it never gets
        raise ValueError(f"no {kind.__name__} is kept here: {type(error).__name__}: {error}") from error
    return found


def _told(value: Any, arrays: bytearray) -> Any:
    """Return a value as JSON holds it; its numbers are appended to `arrays`."""
    if value is None or type(value) in (str, int, float, bool):
        return value
    if isinstance(value, np.ndarray):
        arrays.extend(bytes(-len(arrays) % _ALIGNED))
        at, kind = len(arrays), value.dtype.str[1:]
        arrays.extend(np.ascontiguousarray(value, value.dtype.newbyteorder("<")).tobytes())
        return [kind, list(value.shape), at]
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, range):
        return [value.start, value.stop, value.step]
    if isinstance(value, tuple | frozenset):
        return [_told(one, arrays) for one in value]
    if isinstance(value, Judged):
        kind = "dotted" if isinstance(value, Dotted) else "judged"
        return {kind: value.verdict, "words": str(value)} | ({"pale": True} if value.pale else {})
    if isinstance(value, Told):
        return {"told": float(value), "text": value.text}
    if isinstance(value, Remedy):
        return None
    if not is_dataclass(value):
        raise TypeError(f"{type(value).__name__} can't be kept")
    held = {one.name: getattr(value, one.name) for one in fields(value) if one.name != "frames"}
    return {"": type(value).__name__} | {name: _told(one, arrays) for name, one in held.items()}


def _read(kind: Any, told: Any, arrays: bytes) -> Any:
    """Return what was told, as a value of this declared kind. Raises an error of some kind if it is none."""
    if kind in (str, bool, NoneType) and type(told) is kind:
        return told
    if kind is int and type(told) is int and abs(told) < _LARGEST_INT:
        return told
    if kind is float and type(told) in (int, float) and math.isfinite(told):
        return told
    if kind is range:
        return _read_range(told, arrays)
    if is_dataclass(kind):
        return _read_dataclass(kind, told, arrays)
    return _READERS[get_origin(kind)](get_args(kind), told, arrays)


def _read_range(told: list[Any], arrays: bytes) -> range:
    found = range(*(_read(int, one, arrays) for one in told))
    if len(found) > _LONGEST:
        raise ValueError(f"{found} is too long")
    return found


def _read_dataclass(kind: Any, told: Mapping[str, Any], arrays: bytes) -> Any:
    declared = _declared(kind)
    if told[""] != kind.__name__ or kind is Remedy:
        raise TypeError(f"{told['']!r} is no {kind.__name__}")
    return kind(**{name: _read(declared[name], one, arrays) for name, one in told.items() if name})


def _read_tuple(kinds: tuple[Any, ...], told: list[Any], arrays: bytes) -> tuple[Any, ...]:
    if type(told) is not list:
        raise TypeError(f"{type(told).__name__} is no list")
    if kinds[1:] == (...,):
        if kinds[0] is str and set(map(type, told)) <= {str}:  # a long text's labels
            return tuple(told)
        return tuple(_read(kinds[0], one, arrays) for one in told)
    return tuple(_read(kind, one, arrays) for kind, one in zip(kinds, told, strict=True))


def _read_set(kinds: tuple[Any, ...], told: list[Any], arrays: bytes) -> frozenset[Any]:
    return frozenset(_read_tuple((*kinds, ...), told, arrays))


def _read_one_of(kinds: tuple[Any, ...], told: Any, arrays: bytes) -> Any:
    """Read a value of one of several kinds; a cell of a table may be a text or number of its own kind."""
    match told:
        case {"judged": verdict, "words": str(words)} if str in kinds:
            return Judged(words, _read(Verdict, verdict, arrays), pale="pale" in told)
        case {"dotted": verdict, "words": str(words)} if str in kinds:
            return Dotted(words, _read(Verdict, verdict, arrays))
        case {"told": number, "text": str(text)} if float in kinds:
            return Told(_read(float, number, arrays), text)
        case {"": name}:
            kind = next(one for one in kinds if getattr(one, "__name__", "") == name)
        case _:
            kind = next(one for one in kinds if _is_like(one, told))
    return _read(kind, told, arrays)


def _is_like(kind: Any, told: object) -> bool:
    """True if a plain value is one of this kind, judged by its outermost type."""
    if get_origin(kind) is Literal:
        return told in get_args(kind)
    if get_origin(kind):
        return isinstance(told, list)
    return type(told) is kind or (kind is float and type(told) is int) or (kind is range and type(told) is list)


def _read_literal(values: tuple[Any, ...], told: Any, _arrays: bytes) -> Any:
    return values[values.index(told)]


def _read_array(kinds: tuple[Any, ...], told: list[Any], arrays: bytes) -> Any:
    """Read an array's numbers where they are, without a copy."""
    kind, shape, at = told
    held = get_args(kinds[-1])[0] if get_origin(kinds[-1]) is np.dtype else kinds[-1]
    if not issubclass(_ARRAYS[kind], get_origin(held) or held):
        raise TypeError(f"an array of {kind} stands where {held} are needed")
    if len(shape) > _MOST_AXES:
        raise ValueError(f"an array of {len(shape)} axes")
    shape = [_read(int, one, arrays) for one in shape]
    if not all(0 <= side <= _LONGEST for side in shape) or at % _ALIGNED:
        raise ValueError(f"an array of shape {shape} at {at}")
    count = math.prod(shape)
    found = np.frombuffer(arrays, f"<{kind}", count, at) if count else np.zeros(0, f"<{kind}")
    if kind == "b1" and count and found.view(np.uint8).max() > 1:
        raise ValueError("neither true nor false")
    return found.reshape(shape)


_READERS = {
    tuple: _read_tuple,
    frozenset: _read_set,
    Union: _read_one_of,
    UnionType: _read_one_of,
    Literal: _read_literal,
    get_origin(npt.NDArray[Any]): _read_array,  # NumPy's class, or from 2.5 on its name for that
}


@cache
def _declared(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is no number")
