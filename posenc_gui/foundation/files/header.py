"""What every file of the explorer begins with: what it is, in which format, and who wrote it.

    {"format": "posenc-gui session", "version": 2, "written_by": "0.1.0", "session": {…}}

A format's version is raised only where an explorer that knows the one before would take the file for something that it is
not. What is merely new stands under a name of its own, and an older explorer leaves it out or refuses it by that name.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Generic, TypeVar

from packaging.version import InvalidVersion, Version
from pydantic import ValidationError
from pydantic_core import from_json

from posenc_gui import __version__
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.foundation.errors import sentence
from posenc_gui.foundation.files import atomic as files

T = TypeVar("T")
FrozenModel = TypeVar("FrozenModel", bound=Frozen)

LARGEST_FILE = 50_000_000  # bytes that are read before a file is refused

_HEAD = ("format", "version", "written_by")
_MOST_NAMED = 10
_LONGEST_NAME = 40  # characters


@dataclass(frozen=True)
class Opened(Generic[T]):
    """What a file holds, a sentence for whatever of it was left out, and what stands beside it, not judged yet."""

    content: T
    remarks: tuple[str, ...] = ()
    beside: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Letter:
    """What stands in a file, not judged yet, what stands beside that, and what of it was left out."""

    kind: str
    content: Any
    remarks: tuple[str, ...]
    written_by: str
    beside: Mapping[str, Any]

    def made(self, model: type[FrozenModel], content: object) -> FrozenModel:
        """What a model makes of the content. Raises ValueError in one sentence, which says where a newer explorer wrote it."""
        try:
            return model.model_validate(content)
        except ValidationError as error:
            newer = f"; a newer explorer wrote it, posenc-gui {self.written_by}" if _is_newer(self.written_by) else ""
            raise ValueError(f"this {self.kind} can't be used: {sentence(error)}{newer}") from None


@dataclass(frozen=True)
class Kind:
    """A kind of file.

    name: what sentences call it. part: where in the file its content stands. beside: which other parts it may have.
    or_else: which other files are opened as one. largest: bytes that its text may have, which is read at once.
    """

    name: str
    format: str
    version: int
    part: str
    beside: tuple[str, ...] = ()
    or_else: Callable[[], str] | None = None
    largest: int = LARGEST_FILE

    def text(self, part: Any, beside: Mapping[str, Any] | None = None, *, short: bool = False) -> str:
        """The text of a file that holds this, and other parts beside it; a short one is in one line without spaces."""
        head = {"format": self.format, "version": self.version, "written_by": __version__}
        whole = {**head, self.part: part, **(beside or {})}
        indent, separators = (None, (",", ":")) if short else (2, None)
        return json.dumps(whole, ensure_ascii=False, indent=indent, separators=separators)

    def opened(self, data: str | bytes) -> Letter:
        """What stands in the text of a file. Raises ValueError in one sentence."""
        if isinstance(data, str):
            data = data.encode("utf-8", "replace")  # half a surrogate pair is no text
        if len(data) > self.largest:
            raise ValueError(f"this {self.name} is larger than {self.largest // 10**6} MB, which none is.")
        try:
            content = from_json(data, allow_inf_nan=False)
        except ValueError as error:
            raise ValueError(self._no_json(data, error)) from None
        if not isinstance(content, dict) or content.get("format") != self.format:
            raise ValueError(f"this is no {self.name} of the explorer, but another kind of file.")
        version = content.get("version")
        if type(version) is not int or version < 1:
            raise ValueError(f"this {self.name} has no version that is known: {str(version)[:40]!r}.")
        if version > self.version:
            raise ValueError(
                f"this {self.name} was saved by a newer explorer (format {version}; this one reads {self.version})."
            )
        if twice := _said_twice(data):
            raise ValueError(f"this {self.name} says {named([twice])} twice in one place: which is meant?")
        unknown = [name for name in content if name not in (*_HEAD, self.part, *self.beside)]
        remarks = (f"left out {named(unknown)}, which this explorer doesn't know in a {self.name}.",) if unknown else ()
        beside = {name: content[name] for name in self.beside if name in content}
        written_by = str(content.get("written_by"))[:_LONGEST_NAME]
        return Letter(self.name, content.get(self.part), remarks, written_by, beside)

    def opened_at(self, path: Path, read: Callable[[bytes], Opened[T]]) -> Opened[T]:
        """What `read` finds in a file; its sentences name the file. Raises ValueError; OSError where it can't be read."""
        data = files.content(path, LARGEST_FILE, self.name)
        try:
            found = read(data)
        except ValueError as error:
            raise ValueError(f"{path.name}: {sentence(error)}") from None
        return replace(found, remarks=tuple(" ".join(f"{path.name}: {remark}".split()) for remark in found.remarks))

    def _no_json(self, data: bytes, error: ValueError) -> str:
        """Why this can't be read: where its mistake is, where it was meant to be JSON."""
        what, at_line, where = str(error).partition(" at line ")
        if data.lstrip().startswith(b"{") and at_line:
            return f"this is no {self.name}: its JSON is damaged or cut short at line {where} ({what})."
        other = f" and no {self.or_else()}" if self.or_else else ""
        return f"this is no {self.name}{other}: it is damaged, cut short, or another kind of file."


def named(names: Iterable[str]) -> str:
    """Names in a sentence, the first ones where they are many."""
    names = list(names)
    told = [repr(name[:_LONGEST_NAME]) for name in names[:_MOST_NAMED]]
    if len(names) > _MOST_NAMED:
        told.append(f"{len(names) - _MOST_NAMED} more")
    return " and ".join(filter(None, (", ".join(told[:-1]), told[-1])))


def _said_twice(data: bytes) -> str:
    """The first name that stands twice in one object of a text that is JSON; empty where none does."""
    found: list[str] = []

    def seen(pairs: list[tuple[str, object]]) -> None:
        if not found and len(pairs) > len(names := dict.fromkeys(name for name, _ in pairs)):
            found.extend(name for name in names if sum(name == other for other, _ in pairs) > 1)

    json.loads(data, object_pairs_hook=seen, parse_int=len, parse_float=len)
    return found[0] if found else ""


def _is_newer(written_by: str) -> bool:
    try:
        return Version(written_by) > Version(__version__)
    except InvalidVersion:
        return False
