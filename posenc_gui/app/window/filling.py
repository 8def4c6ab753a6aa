"""Fill the window once everything is imported: its services, menus and gallery, the last session, and what the search finds."""

from __future__ import annotations

import logging
from collections.abc import Generator
from contextlib import suppress
from pathlib import Path

from posenc_gui import plots
from posenc_gui.app.documents.autosave import Autosave
from posenc_gui.app.panels.workbench import Workbench
from posenc_gui.app.state.lab_progress import LabMemory
from posenc_gui.app.state.window_slots import WindowSlot, WindowState
from posenc_gui.app.window.commands import device_menu, model_actions, plots_menu
from posenc_gui.app.window.findables import Findables
from posenc_gui.app.window.plot_gallery import Gallery
from posenc_gui.app.window.services import Services, build_services
from posenc_gui.app.window.startup import Startup
from posenc_gui.foundation.devices import devices
from posenc_gui.foundation.errors import describe_file_error, describe_internal_error
from posenc_gui.foundation.files.atomic import Stamp, read_bytes
from posenc_gui.foundation.files.header import LARGEST_FILE
from posenc_gui.foundation.wording import format_count
from posenc_gui.session.bookmarks import Document
from posenc_gui.session.first_session import first_session
from posenc_gui.session.session import Session

_MOST_STARTS = 2  # failed starts after which a session is no longer restored
_RECOVERED = (
    "posenc-gui did not shut down properly. Restored the session saved at {time}; changes made within a second of "
    "the end may be missing."
)

_log = logging.getLogger(__name__)


class Filling:
    """Fills the window's parts, a few in each turn of the event loop."""

    def __init__(self, parts: Startup, asked_for: Path | str | None, *, first_start: bool) -> None:
        self._parts, self._asked_for, self._is_first = parts, asked_for, first_start
        assert parts.place
        self.place = parts.place
        self.loaded: Services | None = None  # until the cards are filled
        self.keeper: Autosave | None = None  # likewise

    def fill(self) -> Generator[None, None, Services]:
        """Fill the cards and the menus, restore the session, and return the services."""
        parts = self._parts
        memory = LabMemory(parts.memory.labs, self.place, parts.writer)
        yield
        loaded = yield from build_services(parts, memory)
        yield
        parts.menus.add(loaded.labs.actions())
        parts.menus.add(plots_menu(parts.cards, parts.navigation.open_plot))
        parts.menus.add(model_actions(loaded.documents.choose_model))
        yield
        gallery = Gallery(plots.plots(), lambda plot: not parts.cards[f"plot.{plot}"].isHidden(), parts.window)
        yield
        self.loaded = loaded
        self._add_devices(loaded.workbench)
        self.keeper = Autosave(self.place, parts.writer, loaded.store, loaded.documents)
        self._restore(loaded, self.keeper)
        parts.navigation.load(loaded, gallery)
        yield
        if self._asked_for:
            loaded.documents.open(self._asked_for)
        elif self._is_first:
            loaded.first_start.begin()
        self._tell_left_aside()
        parts.earlier.fill(parts.memory.others())
        parts.here.look()
        self._follow(loaded)
        parts.navigation.fit()
        parts.menus.refresh()
        findables = Findables(parts.menus, loaded, parts.navigation, parts.arranger, parts.cards)
        parts.finder.load(findables.all, findables.comparisons)
        self._let_ask(loaded)
        if parts.window.focusWidget() is None:  # a user may have chosen where the keyboard is
            loaded.workbench.tokens.text_edit.setFocus()
        return loaded

    def _restore(self, loaded: Services, keeper: Autosave) -> None:
        """Restore the saved session; one that fails before it has been shown for a while is given up."""
        parts, restoring = self._parts, SessionRestore(loaded, self.place, keeper)

        def say(told: str) -> None:
            aside = restoring.aside
            offers = (("Open it", lambda: loaded.documents.open_earlier(aside)),) if aside else ()
            parts.messages.add(told, *offers)

        def leave(document: Document) -> None:
            parts.earlier.add(keeper.leave(document), document.session)
            parts.status.tell("Your previous session is in File ▸ Earlier sessions.")

        loaded.documents.left.connect(leave)
        loaded.labs.desk.gave_back.connect(lambda _: keeper.keep())  # before the lab is no longer underway
        loaded.workbench.status.connect(keeper.came_up)
        parts.worker.failed.connect(lambda error: say(restoring.fail(describe_internal_error(error))))
        say(" ".join(filter(None, (restoring.take_up(), loaded.labs.kept_step()))))

    def _let_ask(self, loaded: Services) -> None:
        """Let Find answer questions about the session, and show what an answer speaks of."""

        def show(session: Session, plot: str) -> None:
            loaded.store.replace(session)
            self._parts.navigation.open_plot(plot)

        self._parts.finder.answer.load(lambda: loaded.store.session, lambda: loaded.workbench.device, show)

    def _follow(self, loaded: Services) -> None:
        """Let the menus and messages follow what is done."""
        parts = self._parts
        for changed in (loaded.store.changed, loaded.store.held):
            changed.connect(parts.menus.refresh)
        for going_on in (loaded.store.began, loaded.bookmarks.changed, loaded.documents.opening):
            going_on.connect(parts.messages.go_on)
        parts.arranger.moved.connect(parts.messages.move_on)
        loaded.store.turned.connect(parts.messages.turn_over)

    def _add_devices(self, workbench: Workbench) -> None:
        """Add the Device menu, and compute on the selected device."""
        found, preferences = devices(), self._parts.preferences

        def choose(name: str) -> None:
            preferences.keep(device=name)
            workbench.set_device(name)

        self._parts.menus.add(device_menu(found, preferences, choose))
        if (name := preferences.device_of(found)) != "cpu":
            workbench.set_device(name)
        if (selected := preferences.settings.device) not in found:
            self._parts.messages.say(f"The selected device ({selected}) is unavailable; using the CPU.")

    def _tell_left_aside(self) -> None:
        """Say what of the window's own folder was not used."""
        self._parts.messages.add(self._parts.preferences.left_aside)
        if self.place.passed_over:
            self._parts.messages.add(f"Left aside: {format_count(self.place.passed_over, 'older kept session')}.")


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
