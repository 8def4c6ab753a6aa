"""The header of a safetensors file: names, types and shapes of its tensors, read without reading any of them.

A file is eight bytes that say how long the header is, the header in JSON, and the tensors' bytes one after another, without
gaps. Source: huggingface/safetensors, README "Format".
"""

from __future__ import annotations

import hashlib
import json
import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, NamedTuple, NoReturn

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from posenc_gui.foundation.errors import Invalid
from posenc_gui.foundation.files import atomic, json_text
from posenc_gui.foundation.wording import format_bytes, quote
from posenc_gui.text.tokenization import format_path

LARGEST = 25_000_000  # bytes of all headers of a model: more than 91,991 tensors of DeepSeek-V3 take

FLOATS = frozenset(("F16", "BF16", "F32", "F64"))
PACKED = frozenset(  # numbers that are factors of a scale, which other tensors or the model's code hold
    ("F4", "F6_E2M3", "F6_E3M2", "F8_E4M3", "F8_E4M3FNUZ", "F8_E5M2", "F8_E5M2FNUZ", "F8_E8M0")
)
_BITS = {
    **dict.fromkeys(PACKED, 8), "F4": 4, "F6_E2M3": 6, "F6_E3M2": 6, "BOOL": 8, "U8": 8, "I8": 8, "U16": 16, "I16": 16,
    "F16": 16, "BF16": 16, "U32": 32, "I32": 32, "F32": 32, "U64": 64, "I64": 64, "F64": 64, "C64": 64,
}  # fmt: skip

_PREFIX = 8  # bytes that say how long the header is
_METADATA = "__metadata__"
_MOST_NAMES = 100_000  # fields; each tensor has four
_POINTER = b"version https://git-lfs"


class Tensor(NamedTuple):
    """What a header says of a tensor."""

    dtype: str
    shape: tuple[int, ...]

    @property
    def numel(self) -> int:
        """How many numbers it has."""
        return math.prod(self.shape)

    @property
    def loaded(self) -> int:
        """Bytes that it takes in memory, floats as float32."""
        return 4 * self.numel if self.dtype in FLOATS else self.numel * _BITS[self.dtype] // 8


@dataclass(frozen=True)
class Header:
    """A file's size and tensors. length: bytes of the header; sha256: of the eight bytes before it and the header itself."""

    size: int
    length: int
    sha256: str
    tensors: Mapping[str, Tensor]


class _Entry(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")

    dtype: str
    # As many dimensions as any model has; products of these sizes are quickly computed.
    shape: Annotated[list[Annotated[int, Field(ge=0, lt=2**53)]], Field(max_length=16)]
    data_offsets: Annotated[list[Annotated[int, Field(ge=0, lt=2**63)]], Field(min_length=2, max_length=2)]


def read_header(path: Path, name: str, most: int = LARGEST) -> Header:
    """Read a header from a file of at most `most` bytes, `name` in messages. Raises Invalid unless it is sound; OSError."""
    start, size = atomic.read_beginning(path, len(_POINTER))
    if start == _POINTER:
        raise Invalid(f"{name} is a note that Git LFS left in place of the weights: git lfs pull brings them.")
    length = int.from_bytes(start[:_PREFIX], "little")
    if len(start) <= _PREFIX or start[_PREFIX] != ord("{"):
        raise Invalid(f"{name} is no safetensors file, or only a part of one: no header begins it.")
    if length > most:
        raise Invalid(f"{name} has a header of {format_bytes(length)}: that is no model's.")
    if _PREFIX + length > size:
        raise Invalid(
            f"{name} is incomplete: its header has {format_bytes(length)}, and the file {format_bytes(size)}."
        )
    head, _ = atomic.read_beginning(path, _PREFIX + length)
    tensors, end = _checked(_parsed(head[_PREFIX:], name), name)
    held = size - _PREFIX - length
    if held < end:
        here, named = _told_apart(held, end)
        raise Invalid(f"{name} is incomplete: it holds {here} of the {named} of weights that its header names.")
    if held > end:
        raise Invalid(f"{name} is damaged: behind its weights it holds {format_bytes(held - end)} of something else.")
    return Header(size, length, hashlib.sha256(head).hexdigest(), tensors)


def _told_apart(fewer: int, more: int) -> tuple[str, str]:
    """Format two amounts, in bytes where they would read alike."""
    short = format_bytes(fewer), format_bytes(more)
    return short if short[0] != short[1] else (f"{fewer:,}", f"{more:,} bytes")


def _parsed(text: bytes, name: str) -> dict[str, Any]:
    try:
        json_text.check_count(text, _MOST_NAMES)
        found = json.loads(text.decode("utf-8"), object_pairs_hook=_unique, parse_constant=_refuse)
    except json_text.TooMany as error:
        raise Invalid(f"{name} has a header that {error}: that is no model's.") from None
    except _Twice as error:
        raise Invalid(f"{name} is damaged: its header names {_shown(str(error))} twice.") from None
    except (ValueError, RecursionError):
        raise Invalid(f"{name} is damaged: its header can't be read.") from None
    assert isinstance(found, dict)  # it begins with a brace
    return found


class _Twice(ValueError):
    """A name that an object of JSON has twice."""


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise _Twice(Counter(name for name, _ in pairs).most_common(1)[0][0])
    return found


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)  # NaN and infinity


def _checked(found: dict[str, Any], name: str) -> tuple[dict[str, Tensor], int]:
    """Return the tensors that a header describes, and where the last one ends."""
    metadata = found.pop(_METADATA, None) or {}
    if not isinstance(metadata, dict) or not all(isinstance(value, str) for value in metadata.values()):
        raise Invalid(f"{name} is damaged: the {_METADATA} of its header should be texts.")
    tensors, places = {}, []
    for tensor, said in found.items():
        try:
            entry = _Entry.model_validate(said)
        except ValidationError:
            raise Invalid(
                f"{name} is damaged: its header should give {_shown(tensor)} a dtype, a shape and two data_offsets."
            ) from None
        if entry.dtype not in _BITS:
            raise Invalid(f"{name} holds {_shown(tensor)} as {_shown(entry.dtype)}, which is no type of safetensors.")
        tensors[tensor] = Tensor(entry.dtype, tuple(entry.shape))
        begin, end = entry.data_offsets
        if 8 * (end - begin) != tensors[tensor].numel * _BITS[entry.dtype]:
            raise Invalid(f"{name} is damaged: {_shown(tensor)} doesn't have as many bytes as its shape needs.")
        places.append((begin, end, tensor))
    places.sort()
    for (_, end, before), (begin, _, tensor) in pairwise([(0, 0, ""), *places]):
        if begin != end:
            fault = "overlap" if begin < end else "leave a gap"
            first = _shown(before) if before else "its header"
            raise Invalid(f"{name} is damaged: the bytes of {first} and {_shown(tensor)} {fault}.")
    return tensors, places[-1][1] if places else 0


def _shown(name: str) -> str:
    return quote(format_path(name))
