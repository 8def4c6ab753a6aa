"""A sheet: what belongs to the sessions of one document beside them. Undo that leads to another document's session brings it."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from posenc_gui.foundation.files.atomic import Stamp
from posenc_gui.session.bookmarks import Bookmark, Document

Held = tuple[Bookmark, ...]


@dataclass
class SheetFile:
    """A document's file.

    path: None if it has none. stamp: the file's, as this window read or wrote it. title: of a document without a file, as of
    the model or lab that was opened. saved: what the file holds, or what a document without one began with; None if that is
    unknown. is_elsewhere: True if that can be opened again: from a file or a share string, or as a new session. holds_cards:
    True if the file holds a card layout, and so keeps one.
    """

    path: Path | None = None
    stamp: Stamp | None = None
    title: str = ""
    saved: Document | None = None
    is_elsewhere: bool = True
    holds_cards: bool = False


@dataclass
class Marks:
    """A document's bookmarks, and what they were before each change, which an undo of their own restores."""

    all: Held = ()
    before: list[Held] = field(default_factory=list)


@dataclass(eq=False)
class Sheet:
    """A document's file and bookmarks; two sheets may share either."""

    file: SheetFile = field(default_factory=SheetFile)
    marks: Marks = field(default_factory=Marks)
