"""Bookmarks: named sessions with a note, which a file holds beside its session, so that undo and caches don't see them."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import BeforeValidator, Field, field_validator

from posenc_gui import plots
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.foundation.errors import sentence
from posenc_gui.foundation.files.header import Opened, named
from posenc_gui.scene.scene import Text
from posenc_gui.session import card_layout as areas
from posenc_gui.session.session import BOOKMARKS, FILE, Session
from posenc_gui.text import tokenization as text

MOST = 100  # bookmarks of a file
LONGEST_NAME, LONGEST_NOTE = 200, 2000  # characters
LARGEST = 3_000_000  # bytes of all in a file: what they leave is more than its session can take

_MOST_TOLD = 3  # that are told of one by one
_SHARED = 2000  # letters of a share string, of which a chat makes no file


def _in_a_line(value: object) -> object:
    return " ".join(text.clean(value).split()) if isinstance(value, str) else value


class Bookmark(Frozen):
    """A session by a name, with a note for whoever presents it."""

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
        return plot


@dataclass(frozen=True)
class Document:
    """What a file holds of somebody's work: a session, and bookmarks."""

    session: Session
    bookmarks: tuple[Bookmark, ...] = ()

    def to_json(self, cards: areas.Area | None = None) -> str:
        """The text of its file, with where cards stand, if that is to be kept with it."""
        return self.session.to_json(self._beside(cards))

    def save(self, path: str | Path) -> Path:
        """Write it to a file, whole or not at all. Raises OSError."""
        return self.session.save(path, self._beside(None))

    def share(self) -> str:
        """The session as a share string, with its bookmarks where they leave it short enough to be shared."""
        whole = self.session.share(self._beside(None))
        return whole if len(whole) <= _SHARED else self.session.share()

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """What a session's file holds; warns of what had to be left out. Raises as `Session.load` does."""
        opened = cls.open(path)
        for remark in opened.remarks:
            warnings.warn(remark, UserWarning, stacklevel=2)
        return opened.content

    @classmethod
    def open(cls, path: str | Path) -> Opened[Self]:
        """What `load` gives, with a sentence for what had to be left out instead of a warning."""
        return FILE.opened_at(Path(path), lambda data: cls.of(Session.found(data)))

    @classmethod
    def of(cls, opened: Opened[Session]) -> Opened[Self]:
        """An opened session with the bookmarks beside it, and a sentence for what of them had to be left out."""
        bookmarks, remarks = _read(opened.beside.get(BOOKMARKS, []))
        return Opened(cls(opened.content, bookmarks), (*opened.remarks, *remarks), opened.beside)

    def _beside(self, cards: areas.Area | None) -> dict[str, Any]:
        held = {BOOKMARKS: [_content(bookmark) for bookmark in self.bookmarks]} if self.bookmarks else {}
        return held | (cards.beside if cards else {})


def refusal(bookmarks: Iterable[Bookmark]) -> str:
    """Why a file can't hold all of these, in a sentence; empty where it can."""
    bookmarks = tuple(bookmarks)
    if len(bookmarks) > MOST:
        return f"a file holds at most {MOST} bookmarks."
    if sum(map(_size, bookmarks)) > LARGEST:
        return f"a file's bookmarks take at most {LARGEST // 10**6} MB, and their texts are longer than that."
    return ""


def _content(bookmark: Bookmark) -> dict[str, Any]:
    """What a file holds of one."""
    own = bookmark.model_dump(exclude={"session"}, exclude_defaults=True)
    return {**own, "session": Session.file_defaults.shortened(bookmark.session)}


def _size(bookmark: Bookmark) -> int:
    """The bytes that it takes in a file."""
    return len(json.dumps({BOOKMARKS: [_content(bookmark)]}, ensure_ascii=False, indent=2).encode())


def _read(part: object) -> tuple[tuple[Bookmark, ...], tuple[str, ...]]:
    """The bookmarks in a part of a file, and a sentence for what had to be left out."""
    if not isinstance(part, list):
        return (), ("left out the bookmarks, which are no list.",)
    found: list[Bookmark] = []
    remarks, damaged, size = [], [], 0
    for number, content in enumerate(part[:MOST], 1):
        try:
            bookmark, told = _of_content(content)
        except ValueError as error:
            damaged.append(f"{number} ({sentence(error)})")
            continue
        size += _size(bookmark)
        if size > LARGEST:
            remarks.append(f"left out the bookmarks from {number} on: all take at most {LARGEST // 10**6} MB.")
            break
        found.append(bookmark)
        remarks += told
    if len(part) > MOST:
        remarks.append(f"left out {len(part) - MOST:,} bookmarks, since a file holds at most {MOST}.")
    if damaged:
        which = "a bookmark" if len(damaged) == 1 else f"{len(damaged)} bookmarks"
        more = f"; and {len(damaged) - _MOST_TOLD} more" if len(damaged) > _MOST_TOLD else ""
        remarks.append(f"left out {which} that can't be used: {'; '.join(damaged[:_MOST_TOLD])}{more}.")
    return tuple(found), tuple(dict.fromkeys(remarks))


def _of_content(content: object) -> tuple[Bookmark, tuple[str, ...]]:
    """One bookmark as it stands in a file, and what of it was left out. Raises ValueError."""
    if not isinstance(content, Mapping) or "session" not in content:
        raise ValueError("a bookmark is an object with a session")
    session, remarks = Session.of_content(content["session"])
    own = {**content, "session": session}
    if isinstance(plot := own.get("plot"), str) and plot and plot not in plots.names():
        del own["plot"]
        remarks = (*remarks, f"left out the plot {named([plot])} of a bookmark, since this explorer has no such plot.")
    return Bookmark.model_validate(own), remarks
