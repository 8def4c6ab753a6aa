"""Restore the last session and lab at the start, or fall back to the first session."""

from __future__ import annotations

import logging
from contextlib import suppress
from pathlib import Path

from posenc_gui.app.documents.autosave import Autosave
from posenc_gui.app.state.window_slots import WindowSlot, WindowState
from posenc_gui.app.window.services import Frame, Services
from posenc_gui.foundation.errors import describe_file_error, describe_internal_error
from posenc_gui.foundation.files.atomic import Stamp, read_bytes
from posenc_gui.foundation.files.header import LARGEST_FILE
from posenc_gui.session.bookmarks import Document
from posenc_gui.session.first_session import first_session
from posenc_gui.session.session import Session

_MOST_STARTS = 2  # failed starts after which a session is no longer restored
_RECOVERED = (
    "posenc-gui did not shut down properly. Restored the session saved at {time}; changes made within a second of "
    "the end may be missing."
)

_log = logging.getLogger(__name__)


class SessionRestore:
    """Restores the session and the lab of a window slot; a session that fails is moved aside.

    Its methods return what the user should be told, or an empty text.
    """

    def __init__(self, loaded: Services, place: WindowSlot, keeper: Autosave) -> None:
        self._loaded, self._place, self._keeper = loaded, place, keeper
        self.aside: Path | None = None  # the session that was moved aside, if any

    def take_up(self) -> str:
        """Restore the session and resume the lab; without a session show the first one."""
        found = self._place.found
        if found is None:
            self._show(Document(first_session()), None)
            return ""
        if found.starts >= _MOST_STARTS:
            return self.give_up(f"{_MOST_STARTS} starts in a row ended before everything was drawn")
        self._keeper.begin(found)
        try:
            remarks = self._take_up(found)
        except (OSError, ValueError) as error:
            return self.give_up(describe_file_error(error))
        except Exception as error:  # no session may keep the window from starting
            _log.exception("the last session could not be shown")
            return self.give_up(describe_internal_error(error))
        recovered = "" if found.closed else _RECOVERED.format(time=self._place.time)
        return " ".join(filter(None, (recovered, *remarks, self._resume())))

    def fail(self, why: str) -> str:
        """Give up the restored session if it fails while it is still current and the start is not yet confirmed."""
        is_current = self._place.found is not None and self._loaded.store.session == self._shown
        return self.give_up(why) if is_current and not self._keeper.stood else ""

    def give_up(self, why: str) -> str:
        """Start with the first session, and move the failed one aside."""
        with suppress(OSError):
            self.aside = self._place.put_aside()
        self._show(Document(first_session()), None)
        where = f" It was moved to {self.aside}." if self.aside else ""
        return f"The last session could not be restored: {why.rstrip('.')}.{where}"

    def _take_up(self, found: WindowState) -> tuple[str, ...]:
        opened = Document.of(Session.read(read_bytes(self._place.session, LARGEST_FILE, "session")))
        self._show(opened.content, Path(found.file) if found.file else None, found.stamp, found.title)
        return tuple(f"The last session: {remark}" for remark in opened.remarks)

    def _show(self, document: Document, file: Path | None, stamp: Stamp | None = None, title: str = "") -> None:
        self._shown = document.session
        self._loaded.bookmarks.begin(document.bookmarks)
        self._loaded.workbench.begin(document.session)
        self._loaded.documents.begin(file, stamp, title)

    def _resume(self) -> str:
        try:
            self._loaded.labs.desk.resume()
        except Exception as error:
            _log.exception("the lab could not go on")
            return f"The lab could not be resumed: {describe_internal_error(error)}"
        return ""


def restore_session(frame: Frame, loaded: Services, place: WindowSlot, keeper: Autosave) -> None:
    """Restore the saved session; one that fails before it has been shown for a while is given up."""
    restoring = SessionRestore(loaded, place, keeper)

    def say(told: str) -> None:
        aside = restoring.aside
        offers = (("Open it", lambda: loaded.documents.open_earlier(aside)),) if aside else ()
        if told:
            frame.messages.say(told, *offers)

    def leave(document: Document) -> None:
        frame.earlier.add(keeper.leave(document), document.session)
        frame.status.tell("Your previous session is in File ▸ Earlier sessions.")

    loaded.documents.left.connect(leave)
    loaded.workbench.status.connect(keeper.came_up)
    frame.worker.failed.connect(lambda error: say(restoring.fail(describe_internal_error(error))))
    say(restoring.take_up())
