"""What the window begins with: the session and the lab of its place, or, where they can't be had, the first session."""

from __future__ import annotations

import logging
from contextlib import suppress
from pathlib import Path

from posenc_gui.app.documents.autosave import Keeper
from posenc_gui.app.state.window_slots import Place, State
from posenc_gui.app.window.composition import Loaded
from posenc_gui.foundation.errors import explain, unforeseen
from posenc_gui.foundation.files.atomic import Stamp, content
from posenc_gui.foundation.files.header import LARGEST_FILE
from posenc_gui.session.bookmarks import Document
from posenc_gui.session.first_session import first_session
from posenc_gui.session.session import Session

_MOST_STARTS = 2  # that a session may fail before the window begins without it
_RECOVERED = (
    "The window was not closed the last time. This is its session as it was kept at {time}; what came in the second before "
    "the end may be missing."
)

_log = logging.getLogger(__name__)


class Beginning:
    """Takes up what a place holds; what fails by it is put aside. What the user is to know of that is returned."""

    def __init__(self, loaded: Loaded, place: Place, keeper: Keeper) -> None:
        self._loaded, self._place, self._keeper = loaded, place, keeper
        self.aside: Path | None = None  # the session that was put aside, if one was

    def take_up(self) -> str:
        """Show the session that was kept, and go on with the lab."""
        found = self._place.found
        if found is None:
            self._show(Document(first_session()), None)
            return ""
        if found.starts >= _MOST_STARTS:
            return self.give_up(f"{_MOST_STARTS} times the window ended before all of it was drawn")
        self._keeper.begin(found)
        try:
            remarks = self._take_up(found)
        except (OSError, ValueError) as error:
            return self.give_up(explain(error))
        except Exception as error:  # nothing that a session holds may keep the window from coming up
            _log.exception("the last session could not be shown")
            return self.give_up(unforeseen(error))
        recovered = "" if found.closed else _RECOVERED.format(time=self._place.time)
        return " ".join(filter(None, (recovered, *remarks, self._resume())))

    def fail(self, why: str) -> str:
        """Give up the session that was taken up, where it is still the one at hand and the window has not stood with it yet."""
        is_at_hand = self._place.found is not None and self._loaded.store.session == self._shown
        return self.give_up(why) if is_at_hand and not self._keeper.stood else ""

    def give_up(self, why: str) -> str:
        """Begin with the first session; the one at hand is put aside for whoever wants to look at it."""
        with suppress(OSError):
            self.aside = self._place.put_aside()
        self._show(Document(first_session()), None)
        where = f" It was put aside: {self.aside}" if self.aside else ""
        return f"The last session could not be reopened: {why.rstrip('.')}.{where}"

    def _take_up(self, found: State) -> tuple[str, ...]:
        opened = Document.of(Session.read(content(self._place.session, LARGEST_FILE, "session")))
        self._show(opened.content, Path(found.file) if found.file else None, found.stamp)
        return tuple(f"The last session: {remark}" for remark in opened.remarks)

    def _show(self, document: Document, file: Path | None, stamp: Stamp | None = None) -> None:
        self._shown = document.session
        self._loaded.bookmarks.begin(document.bookmarks)
        self._loaded.workbench.begin(document.session)
        self._loaded.documents.begin(file, stamp)

    def _resume(self) -> str:
        try:
            self._loaded.labs.desk.resume()
        except Exception as error:
            _log.exception("the lab could not go on")
            return f"The lab can't go on: {unforeseen(error)}"
        return ""
