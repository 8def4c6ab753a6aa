"""The header of every file of the explorer: format, version and writer.

    {"format": "posenc-gui session", "version": 2, "written_by": "0.1.0", "session": {…}}

A format's version is raised only where an older explorer would misread the file. Additions have names of their own, which
an older explorer ignores with a remark or refuses by name.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Generic, TypeVar

from packaging.version import InvalidVersion, Version
from pydantic import ValidationError
from pydantic_core import from_json

from posenc_gui import __version__
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.foundation.errors import describe_error
from posenc_gui.foundation.files import atomic, json_text
from posenc_gui.foundation.wording import format_bytes, join_words

T = TypeVar("T")
FrozenModel = TypeVar("FrozenModel", bound=Frozen)

LARGEST_FILE = 50_000_000  # bytes that are read before a file is refused

_HEAD = ("format", "version", "written_by")
_MOST_NAMED = 10
_LONGEST_NAME = 40  # characters


@dataclass(frozen=True)
class Opened(Generic[T]):
    """A file's validated content, a sentence for each part that was left out, and the other parts, not yet validated."""

    content: T
    remarks: tuple[str, ...] = ()
    beside: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class ParsedFile:
    """A file's content and other parts, not yet validated, and remarks on what was ignored."""

    kind: str
    content: Any
    remarks: tuple[str, ...]
    written_by: str
    beside: Mapping[str, Any]

    def made(self, model: type[FrozenModel], content: object) -> FrozenModel:
        """Validate the content as a model. Raises ValueError, a sentence that says if a newer explorer wrote it."""
        try:
            return model.model_validate(content)
        except ValidationError as error:
            newer = f"; a newer explorer wrote it, posenc-gui {self.written_by}" if _is_newer(self.written_by) else ""
            raise ValueError(f"this {self.kind} can't be used: {describe_error(error)}{newer}") from None


@dataclass(frozen=True)
class FileKind:
    """A kind of file.

    name: its name in messages. part: the key of its content. beside: the keys of other parts that it may have. or_else: names
    other kinds of file that can be opened instead. largest: the most bytes of its text, which is parsed at once.
    """

    name: str
    format: str
    version: int
    part: str
    beside: tuple[str, ...] = ()
    or_else: Callable[[], str] | None = None
    largest: int = LARGEST_FILE

    def text(self, part: Any, beside: Mapping[str, Any] | None = None, *, short: bool = False) -> str:
        """Format a file's text with this content and other parts; in one line without spaces if `short`."""
        head = {"format": self.format, "version": self.version, "written_by": __version__}
        whole = {**head, self.part: part, **(beside or {})}
        indent, separators = (None, (",", ":")) if short else (2, None)
        return json.dumps(whole, ensure_ascii=False, indent=indent, separators=separators)

    def opened(self, data: str | bytes) -> ParsedFile:
        """Parse a file's text. Raises ValueError with a message of one sentence."""
        if isinstance(data, str):
            data = data.encode("utf-8", "replace")  # lone surrogates can't be encoded
        if len(data) > self.largest:
            raise ValueError(f"this {self.name} is larger than the limit of {format_bytes(self.largest)}.")
        try:
            json_text.check_count(data)
            twice = _repeated_name(data)  # before the content is in memory, too
            content = from_json(data, allow_inf_nan=False)
        except json_text.TooMany as error:
            raise ValueError(f"this {self.name} {error}, more than any has.") from None
        except ValueError as error:
            raise ValueError(self._no_json(data, error)) from None
        if not isinstance(content, dict) or content.get("format") != self.format:
            raise ValueError(f"this is not a {self.name} of the explorer but another kind of file.")
        version = content.get("version")
        if type(version) is not int or version < 1:
            raise ValueError(f"this {self.name} has an unknown version: {str(version)[:40]!r}.")
        if version > self.version:
            newer = f"a newer explorer (format {version}; this one reads {self.version})"
            raise ValueError(f"this {self.name} was saved by {newer}.")
        if twice:
            raise ValueError(f"this {self.name} gives {list_names([twice])} twice in one object: keep one of them.")
        unknown = [name for name in content if name not in (*_HEAD, self.part, *self.beside)]
        remark = f"left out {list_names(unknown)}, which this explorer doesn't know in a {self.name}."
        beside = {name: content[name] for name in self.beside if name in content}
        written_by = str(content.get("written_by"))[:_LONGEST_NAME]
        return ParsedFile(self.name, content.get(self.part), (remark,) if unknown else (), written_by, beside)

    def opened_at(self, path: Path, read: Callable[[bytes], Opened[T]]) -> Opened[T]:
        """Read a file by `read`; remarks and errors name the file. Raises ValueError; OSError if it is unreadable."""
        data = atomic.read_bytes(path, LARGEST_FILE, self.name)
        try:
            found = read(data)
        except ValueError as error:
            raise ValueError(f"{path.name}: {describe_error(error)}") from None
        return replace(found, remarks=tuple(" ".join(f"{path.name}: {remark}".split()) for remark in found.remarks))

    def _no_json(self, data: bytes, error: ValueError) -> str:
        """Return the error message for a text that isn't JSON; if it was meant to be, with the line of the error."""
        what, at_line, where = str(error).partition(" at line ")
        if data.lstrip().startswith(b"{") and at_line:
            return f"this is not a valid {self.name}: its JSON is damaged or cut short at line {where} ({what})."
        other = f" or {self.or_else()}" if self.or_else else ""
        return f"this is not a {self.name}{other}: it is damaged, cut short, or another kind of file."


def list_names(names: Iterable[str]) -> str:
    """List names in a sentence; only the first where there are many."""
    names = list(names)
    listed = [repr(name[:_LONGEST_NAME]) for name in names[:_MOST_NAMED]]
    if len(names) > _MOST_NAMED:
        listed.append(f"{len(names) - _MOST_NAMED} more")
    return join_words(listed)


def _repeated_name(data: bytes) -> str:
    """Return the first name that occurs twice in one object of a JSON text; empty if none does, or in a damaged text."""
    found: list[str] = []

    def seen(pairs: list[tuple[str, object]]) -> None:
        if not found and len(pairs) > len(names := dict.fromkeys(name for name, _ in pairs)):
            found.extend(name for name in names if sum(name == other for other, _ in pairs) > 1)

    with suppress(ValueError, RecursionError):
        json.loads(data, object_pairs_hook=seen, parse_int=len, parse_float=len)
    return found[0] if found else ""


def _is_newer(written_by: str) -> bool:
    try:
        return Version(written_by) > Version(__version__)
    except InvalidVersion:
        return False
