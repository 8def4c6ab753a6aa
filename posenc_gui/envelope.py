"""What every file of the explorer begins with: what it is, in which format, and who wrote it.

    {"format": "posenc-gui session", "version": 2, "written_by": "0.1.0", "session": {…}}

A format's version is raised only where an explorer that knows the one before would take the file for something that it is
not. What is merely new stands under a name of its own, and an older explorer leaves it out or refuses it by that name.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from packaging.version import InvalidVersion, Version
from pydantic import ValidationError
from pydantic_core import from_json

from posenc_gui import __version__, files
from posenc_gui.errors import sentence
from posenc_gui.frozen import Frozen

T = TypeVar("T")
FrozenModel = TypeVar("FrozenModel", bound=Frozen)

LARGEST_FILE = 50_000_000  # bytes that are read before a file is refused

_HEAD = ("format", "version", "written_by")
_MOST_NAMED = 10
_LONGEST_NAME = 40  # characters


@dataclass(frozen=True)
class Opened(Generic[T]):
    """What a file holds, and a sentence for whatever of it was left out."""

    content: T
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True)
class Letter:
    """What stands in a file, not judged yet, and what of it was left out."""

    kind: str
    content: Any
    remarks: tuple[str, ...]
    written_by: str

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

    name: what sentences call it. part: where in the file its content stands. or_else: which other files are opened as one.
    """

    name: str
    format: str
    version: int
    part: str
    or_else: Callable[[], str] | None = None

    def text(self, part: Any) -> str:
        """The text of a file that holds this."""
        head = {"format": self.format, "version": self.version, "written_by": __version__}
        return json.dumps({**head, self.part: part}, ensure_ascii=False, indent=2)

    def opened(self, data: str | bytes) -> Letter:
        """What stands in the text of a file. Raises ValueError in one sentence."""
        try:
            content = from_json(data, allow_inf_nan=False)
        except ValueError:
            other = f" and no {self.or_else()}" if self.or_else else ""
            raise ValueError(
                f"this is no {self.name}{other}: it is damaged, cut short, or another kind of file."
            ) from None
        if not isinstance(content, dict) or content.get("format") != self.format:
            raise ValueError(f"this is no {self.name} of the explorer, but another kind of file.")
        version = content.get("version")
        if type(version) is not int or version < 1:
            raise ValueError(f"this {self.name} has no version that is known: {str(version)[:40]!r}.")
        if version > self.version:
            raise ValueError(
                f"this {self.name} was saved by a newer explorer (format {version}; this one reads {self.version})."
            )
        unknown = [name for name in content if name not in (*_HEAD, self.part)]
        remarks = (f"left out {named(unknown)}, which this explorer doesn't know in a {self.name}.",) if unknown else ()
        return Letter(self.name, content.get(self.part), remarks, str(content.get("written_by"))[:_LONGEST_NAME])

    def opened_at(self, path: Path, read: Callable[[bytes], Opened[T]]) -> Opened[T]:
        """What `read` finds in a file; its sentences name the file. Raises ValueError; OSError where it can't be read."""
        data = files.content(path, LARGEST_FILE, self.name)
        try:
            found = read(data)
        except ValueError as error:
            raise ValueError(f"{path.name}: {sentence(error)}") from None
        return Opened(found.content, tuple(" ".join(f"{path.name}: {remark}".split()) for remark in found.remarks))


def named(names: Iterable[str]) -> str:
    """Names in a sentence, the first ones where they are many."""
    names = list(names)
    told = [repr(name[:_LONGEST_NAME]) for name in names[:_MOST_NAMED]]
    if len(names) > _MOST_NAMED:
        told.append(f"{len(names) - _MOST_NAMED} more")
    return " and ".join(filter(None, (", ".join(told[:-1]), told[-1])))


def _is_newer(written_by: str) -> bool:
    try:
        return Version(written_by) > Version(__version__)
    except InvalidVersion:
        return False
