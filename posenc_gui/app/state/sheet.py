"""A sheet: what belongs to the sessions of one document beside them. Undo that leads to another document's session brings it."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from posenc_gui.foundation.files.atomic import Stamp
from posenc_gui.session.bookmarks import Bookmark, Document

Held = tuple[Bookmark, ...]


@dataclass
class SheetFile:
    """A document's file; path, stamp: None without one. title: of a document without a file. saved: what the file holds, or a
    document without one began with; None if that is unknown.

    is_elsewhere: True if `saved` can be opened again. holds_cards: True if the file has a card layout, and so keeps one.
    """

    path: Path | None = None
    stamp: Stamp | None = None
    title: str = ""
    saved: Document | None = None
    is_elsewhere: bool = True
    holds_cards: bool = False


@dataclass
class Marks:
    """A document's bookmarks, and what they were before each change."""

    all: Held = ()
    before: list[Held] = field(default_factory=list)


@dataclass(eq=False)
class Sheet:
    """A document's file and bookmarks; sheets may share either."""

    file: SheetFile = field(default_factory=SheetFile)
    marks: Marks = field(default_factory=Marks)
