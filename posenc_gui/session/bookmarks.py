"""Bookmarks: named sessions with a note. A file holds them beside its session, so that undo and caches don't see them."""

from __future__ import annotations

import html
import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import BeforeValidator, Field, field_validator

from posenc_gui import plots
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.foundation.errors import describe_error, path_of
from posenc_gui.foundation.files.header import Opened, list_names
from posenc_gui.foundation.former_names import current_plot
from posenc_gui.foundation.wording import format_bytes, format_count, inflect
from posenc_gui.scene.setup import Text
from posenc_gui.session import card_layout
from posenc_gui.session.session import BOOKMARKS, FILE, Session, with_warnings
from posenc_gui.text import tokenization

MOST = 100  # bookmarks of a file
LONGEST_NAME, LONGEST_NOTE = 200, 2000  # characters
LARGEST = 3_000_000  # bytes of all in a file; its session always fits beside them

_MOST_LISTED = 3  # damaged bookmarks that are described one by one
_SHARED = 2000  # letters of a share string that chats send as text, not as a file


def _in_a_line(value: object) -> object:
    return " ".join(tokenization.replace_surrogates(value).split()) if isinstance(value, str) else value


class Bookmark(Frozen):
    """A session with a name and a note for whoever presents it."""

    name: Annotated[str, BeforeValidator(_in_a_line)] = Field(
        "", max_length=LONGEST_NAME, title="Name", description="One line that tells it from others."
    )
    note: Text = Field("", max_length=LONGEST_NOTE, title="Note", description="What is said about it.")
    plot: str = Field("", title="Plot", description="Which plot is presented; empty: the one in front.")
    session: Session

    @field_validator("plot")
    @classmethod
    def _must_be_known(cls, plot: str) -> str:
        if plot:
            plots.find(plot)
        return current_plot(plot)


@dataclass(frozen=True)
class Document:
    """The content of a session's file: the session and its bookmarks."""

    session: Session
    bookmarks: tuple[Bookmark, ...] = ()

    def _repr_mimebundle_(self, **asked: object) -> dict[str, str]:
        """Return the document for a notebook: its session as a picture, and the names of its bookmarks."""
        names = (html.escape(one.name or one.plot or one.session.text) for one in self.bookmarks)
        listed = "".join(f"<li>{name}</li>" for name in names)
        shown = self.session._repr_mimebundle_(**asked)["text/html"]
        return {"text/html": f"{shown}<ol>{listed}</ol>" if listed else shown, "text/plain": repr(self)}

    @property
    def for_others(self) -> Self:
        """The document as it leaves this computer: without paths of models' folders."""
        kept = tuple(one.model_copy(update={"session": one.session.for_others}) for one in self.bookmarks)
        return replace(self, session=self.session.for_others, bookmarks=kept)

    def to_json(self, cards: card_layout.Area | None = None) -> str:
        """Return the text of its file; `cards` is the layout to save with it, if any."""
        return self.session.to_json(self._beside(cards))

    def save(self, path: str | Path) -> Path:
        """Write the document to a file, whole or not at all. Raises OSError."""
        return self.session.save(path, self._beside(None))

    def share(self) -> str:
        """Return the session as a share string, with its bookmarks if it stays short. Raises as `Session.share` does."""
        alone = self.session.share()
        with suppress(ValueError):  # too much with its bookmarks
            whole = self.session.share(self.for_others._beside(None))
            return whole if len(whole) <= _SHARED else alone
        return alone

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read a session's file; warns of what had to be left out. Raises as `Session.load` does."""
        return with_warnings(cls.open(path))

    @classmethod
    def open(cls, path: str | Path) -> Opened[Self]:
        """Read a session's file, with remarks in place of warnings."""
        return FILE.opened_at(path_of(path), lambda data: cls.of(Session.found(data)))

    @classmethod
    def of(cls, opened: Opened[Session]) -> Opened[Self]:
        """Return an opened session with the bookmarks beside it, and a remark for each that had to be left out."""
        bookmarks, remarks = _read(opened.beside.get(BOOKMARKS, []))
        return Opened(cls(opened.content, bookmarks), (*opened.remarks, *remarks), opened.beside)

    def _beside(self, cards: card_layout.Area | None) -> dict[str, Any]:
        held = {BOOKMARKS: [_content(bookmark) for bookmark in self.bookmarks]} if self.bookmarks else {}
        return held | (cards.beside if cards else {})


def refusal(bookmarks: Iterable[Bookmark]) -> str:
    """Return the reason why a file can't hold all of these bookmarks, in a sentence; empty if it can."""
    bookmarks = tuple(bookmarks)
    if len(bookmarks) > MOST:
        return f"a file holds at most {MOST} bookmarks."
    if sum(map(_size, bookmarks)) > LARGEST:
        return f"a file's bookmarks take at most {format_bytes(LARGEST)}; shorten their texts."
    return ""


def _content(bookmark: Bookmark) -> dict[str, Any]:
    """Return a bookmark in the form that a file holds."""
    own = bookmark.model_dump(exclude={"session"}, exclude_defaults=True)
    return {**own, "session": Session.file_defaults.shortened(bookmark.session)}


def _size(bookmark: Bookmark) -> int:
    """Return the number of bytes that a bookmark takes in a file."""
    return len(json.dumps({BOOKMARKS: [_content(bookmark)]}, ensure_ascii=False, indent=2).encode())


def _read(part: object) -> tuple[tuple[Bookmark, ...], tuple[str, ...]]:
    """The bookmarks in a part of a file, and remarks on what had to be left out."""
    if not isinstance(part, list):
        return (), ("left out the bookmarks: they are not a list.",)
    found: list[Bookmark] = []
    remarks, damaged, size = [], [], 0
    for number, content in enumerate(part[:MOST], 1):
        try:
            bookmark, told = _of_content(content)
        except ValueError as error:
            damaged.append(f"{number} ({describe_error(error)})")
            continue
        size += _size(bookmark)
        if size > LARGEST:
            remarks.append(f"left out the bookmarks from {number} on: all take at most {format_bytes(LARGEST)}.")
            break
        found.append(bookmark)
        remarks += told
    if len(part) > MOST:
        remarks.append(f"left out {format_count(len(part) - MOST, 'bookmark')}, since a file holds at most {MOST}.")
    if damaged:
        which = inflect(len(damaged), "a bookmark", f"{len(damaged)} bookmarks")
        more = f"; and {len(damaged) - _MOST_LISTED} more" if len(damaged) > _MOST_LISTED else ""
        remarks.append(f"left out {which} that can't be used: {'; '.join(damaged[:_MOST_LISTED])}{more}.")
    return tuple(found), tuple(dict.fromkeys(remarks))


def _of_content(content: object) -> tuple[Bookmark, tuple[str, ...]]:
    """One bookmark of a file, and remarks on what of it was left out. Raises ValueError."""
    if not isinstance(content, Mapping) or "session" not in content:
        raise ValueError("a bookmark is an object with a session")
    session, remarks = Session.of_content(content["session"])
    own = {**content, "session": session}
    if isinstance(plot := own.get("plot"), str) and plot and current_plot(plot) not in plots.names():
        del own["plot"]
        remarks = (
            *remarks,
            f"left out the plot {list_names([plot])} of a bookmark, since this explorer has no such plot.",
        )
    return Bookmark.model_validate(own), remarks
