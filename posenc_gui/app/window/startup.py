"""Starting up: after the first paint the window's parts are made in steps, then filled with what the worker imports."""

from __future__ import annotations

import logging
import sys
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QTabWidget

from posenc_gui.app.state.background_writer import BackgroundWriter
from posenc_gui.app.state.incremental import TurnRunner
from posenc_gui.app.state.preferences import Preferences
from posenc_gui.app.state.settings import Arrangement, Memory
from posenc_gui.app.state.worker import Worker

if TYPE_CHECKING:  # heavy: imported only after the first paint
    from posenc_gui.app.docks.arranger import Arranger
    from posenc_gui.app.docks.card import Card
    from posenc_gui.app.documents.autosave import Autosave
    from posenc_gui.app.documents.drop_target import DropWindow
    from posenc_gui.app.documents.earlier_sessions import EarlierSessions
    from posenc_gui.app.documents.file_dialogs import FileDialogs
    from posenc_gui.app.documents.models_here import ModelsHere
    from posenc_gui.app.documents.recent_files import RecentFiles
    from posenc_gui.app.panels.workbench import Workbench
    from posenc_gui.app.state.fuzzy_search import SearchEntry
    from posenc_gui.app.state.window_slots import WindowSlot
    from posenc_gui.app.widgets.headline_label import Headline
    from posenc_gui.app.widgets.questions import Questions
    from posenc_gui.app.window.command_palette import CommandPalette
    from posenc_gui.app.window.composition import Services
    from posenc_gui.app.window.menus import Menus
    from posenc_gui.app.window.navigation import Navigation
    from posenc_gui.app.window.notifications import Messages
    from posenc_gui.app.window.plot_gallery import Gallery
    from posenc_gui.app.window.status_bar import StatusBar
    from posenc_gui.app.window.toolbar import ChoiceButtons, Toolbar
    from posenc_gui.session.bookmarks import Document

_PANELS = {
    "tokens": "Sentence",
    "encoding": "Encoding",
    "compare": "Compare",
    "model": "Toy model",
    "code": "Code",
    "lab": "Labs",
}
_WHOLE, _SCROLLED = ("tokens",), ("encoding", "compare")  # others scroll by themselves, or draw smaller
_ENTRIES = {"explore": "go.explore", "compare": "go.compare", "lab": "go.lab", "present": "present"}
_AT_ONCE = 5  # cards that are made in one turn of the event loop

_log = logging.getLogger(__name__)


class Startup(QObject):
    """Makes the window's parts, a few in each turn of the event loop; then the worker imports what computes and draws,
    and the cards are filled.

    The parts exist once they are made (`is_made`), `loaded` once everything is imported.
    """

    ready = Signal()  # everything is imported and the first figure is being computed

    messages: Messages
    arranger: Arranger
    navigation: Navigation
    status: StatusBar
    _headline: Headline
    _questions: Questions
    _dialogs: FileDialogs
    _recent: RecentFiles
    _earlier: EarlierSessions
    _here: ModelsHere
    _menus: Menus
    _choices: ChoiceButtons
    _finder: CommandPalette
    _bar: Toolbar

    def __init__(
        self,
        window: DropWindow,
        memory: Memory,
        preferences: Preferences,
        worker: Worker,
        writer: BackgroundWriter,
        arrangement: Arrangement | None,
        asked_for: Path | str | None,
        *,
        first_start: bool,
    ) -> None:
        super().__init__(window)
        self._window, self._memory, self._preferences = window, memory, preferences
        self._worker, self._writer = worker, writer
        self._asked_for, self._is_first = asked_for, first_start
        self._begun = False
        self._gallery: Gallery | None = None
        self._turns = TurnRunner(self)
        self._turns.failed.connect(self._on_failed)
        self.arrangement = arrangement  # the last window's; None without one, or after a failure
        self.cards: dict[str, Card] = {}
        self.is_made = False
        self.loaded: Services | None = None
        self.keeper: Autosave | None = None
        self.place: WindowSlot | None = None

    def begin(self) -> None:
        """Start making parts, once."""
        if not self._begun:
            self._begun = True
            self._turns.add(self._make())

    def stop(self) -> None:
        """Stop making parts."""
        self._turns.stop()

    def _make(self) -> Iterator[None]:
        """Make the parts in steps, then let the worker import what fills them."""
        from posenc_gui.app.widgets.headline_label import DEMONSTRATED, Headline
        from posenc_gui.app.window.notifications import Messages

        self._headline = Headline()
        if not self._preferences.settings.moved_word:
            self._headline.keep_lines(DEMONSTRATED)  # before the cards take the room that they had
        self.messages = Messages(self._window, self._headline)
        yield
        yield from self._make_cards()
        from posenc_gui.app.docks.arranger import Arranger

        self.arranger = Arranger(self._window, self.cards, self._memory)
        yield
        yield from self._make_bar()
        yield from self._add_actions()
        yield from self._show_parts()
        yield
        from posenc_gui.app.window.heavy_imports import load, make_types

        yield from make_types()
        # Not sooner: two threads that import keep each other waiting.
        self._worker.finished.connect(self._on_loaded)
        self._worker.failed.connect(self._on_load_failed)
        self._worker.submit(load)

    def _make_cards(self) -> Iterator[None]:
        from posenc_gui.app.docks.card import Card
        from posenc_gui.foundation.registry import module_names

        yield
        titles = _PANELS | {f"plot.{name}": name.capitalize() for name in module_names("posenc_gui.plots")}
        for count, (name, title) in enumerate(titles.items(), 1):
            scrolls, whole = name in _SCROLLED, name in _WHOLE
            self.cards[name] = Card(name, title, self._window, scrolls=scrolls, whole=whole, bare=name == "lab")
            if count % _AT_ONCE == 0:
                yield
        yield
        from posenc_gui.app.docks.layouts import MAP
        from posenc_gui.app.widgets.questions import Questions
        from posenc_gui.app.window.next_questions import QUESTIONS

        self._questions = Questions(QUESTIONS)
        self.cards[MAP].add_below(self._questions)
        yield

    def _make_bar(self) -> Iterator[None]:
        """Make the menus, without actions yet, and the bar that shows them."""
        from posenc_gui.app.docks.layouts import ARRANGEMENTS
        from posenc_gui.app.window.command_palette import CommandPalette
        from posenc_gui.app.window.menus import Menus
        from posenc_gui.app.window.toolbar import ChoiceButtons, Toolbar

        self._menus = Menus(self._window)
        self._choices = ChoiceButtons("Arrangement", ARRANGEMENTS | {"present": "Present"})
        self._finder = CommandPalette(self._findables, self._comparisons, self._window)
        self._bar = Toolbar(self._menus.all, self._choices, self._finder)
        yield
        from posenc_gui.app.window.navigation import Navigation

        self.navigation = Navigation(self._window, self.cards, self.arranger, self._headline, self.messages, self._bar)
        yield

    def _add_actions(self) -> Iterator[None]:
        """Add the actions that need nothing heavy."""
        from posenc_gui.app.documents.earlier_sessions import EarlierSessions
        from posenc_gui.app.documents.file_dialogs import FileDialogs
        from posenc_gui.app.documents.models_here import ModelsHere
        from posenc_gui.app.documents.recent_files import RecentFiles

        self._here = ModelsHere(self)
        self._dialogs, self._recent, self._earlier = (
            FileDialogs(self._preferences),
            RecentFiles(self._preferences),
            EarlierSessions(),
        )
        yield
        from posenc_gui.app.window.commands import WhenLoaded, edit, file, help, view
        from posenc_gui.app.window.help import Help

        loaded = WhenLoaded(lambda: self.loaded)
        self._menus.add(file.actions(loaded, self._recent, self._earlier, self._here, self._window.close))
        self._menus.add(edit.actions(loaded, self._finder.begin))
        yield
        self._menus.add(
            view.actions(loaded, self.cards, self.arranger, self.navigation, self._preferences, self._menus.show_bar)
        )
        self._menus.add(help.actions(loaded, Help(self._window, lambda: self._menus.actions), self._diagnose))
        yield

    def _show_parts(self) -> Iterator[None]:
        """Replace the skeleton by the parts."""
        from posenc_gui.app.window.status_bar import StatusBar
        from posenc_gui.app.window.toolbar import AltKey

        window = self._window
        window.setUpdatesEnabled(False)
        window.setDockNestingEnabled(True)
        window.setTabPosition(Qt.DockWidgetArea.AllDockWidgetAreas, QTabWidget.TabPosition.North)
        self.status = StatusBar(window.statusBar())
        self._fill_bar()
        window.setCentralWidget(self._headline)
        self._menus.show_bar(self._preferences.settings.menu_bar)
        yield  # docks get their size once those around them have theirs
        self.arranger.begin(self.arrangement, first_start=self._is_first)
        self._questions.setVisible(self.arranger.shows_one_plot)
        window.setUpdatesEnabled(True)
        self._choices.show_chosen(self.arranger.at)
        self._preferences.restyled.connect(self.navigation.fit)
        self.navigation.fit()
        self.navigation.watch_focus()
        self.arranger.told.connect(self.status.tell)
        self.arranger.has_plots.connect(self._headline.stand_beside_plots)
        if sys.platform != "darwin":
            alt = AltKey(window.windowHandle())
            alt.pressed.connect(self.navigation.open_menus)
        self.is_made = True

    def _fill_bar(self) -> None:
        self._window.addToolBar(Qt.ToolBarArea.TopToolBarArea, self._bar)
        self._bar.add([self._menus.entry("open"), self._menus.entry("save")])
        self._bar.add([self._menus.entry("undo"), self._menus.entry("redo")])
        self._choices.chosen.connect(self._on_chosen)
        self.arranger.moved.connect(self._choices.show_chosen)
        self.arranger.changed.connect(self._choices.show_changed)

    def _on_chosen(self, name: str) -> None:
        """Go to an arrangement or Present, then mark the arrangement in which the window is now."""
        self._menus.entry(_ENTRIES[name]).trigger()
        self._choices.show_chosen(self.arranger.at)

    def _on_loaded(self) -> None:
        self._worker.finished.disconnect(self._on_loaded)
        self._worker.failed.disconnect(self._on_load_failed)
        self._turns.add(self._fill())

    def _fill(self) -> Iterator[None]:
        """Fill the cards with what the worker imported, and restore the session."""
        from posenc_gui.app.window.commands import file, plots

        place = self.place = self._memory.claim_slot(self._preferences.settings, new=bool(self._asked_for))
        loaded = yield from self._join(place)
        yield
        self._menus.add(loaded.labs.actions())
        self._menus.add(plots.actions(self.cards, self.navigation.show_all_plots, self.navigation.open_plot))
        self._menus.add(file.model_actions(loaded.documents.choose_model))
        yield
        self._gallery = self._make_gallery()
        yield
        self.loaded = loaded
        self._add_devices(loaded.workbench)
        self._restore(loaded, place)
        self._tell_left_aside(place)
        self._earlier.fill(self._memory.others())
        self._here.look()
        loaded.store.changed.connect(self._menus.refresh)
        loaded.store.held.connect(self._menus.refresh)
        self.navigation.load(loaded, self._gallery)
        self.navigation.fit()
        for going_on in (loaded.store.began, loaded.bookmarks.changed):
            going_on.connect(self.messages.go_on)
        self.arranger.moved.connect(self.messages.move_on)
        self._menus.refresh()
        loaded.documents.opening.connect(self.messages.go_on)
        self._window.dropped.connect(loaded.documents.open)
        self._window.left_out.connect(self.messages.add)
        self._window.setAcceptDrops(True)
        loaded.workbench.tokens.text_edit().setFocus()
        self.ready.emit()

    def _join(self, place: WindowSlot) -> Generator[None, None, Services]:
        from posenc_gui.app.state.lab_progress import LabMemory
        from posenc_gui.app.window.composition import Frame, build_services

        yield
        frame = Frame(
            window=self._window,
            cards=self.cards,
            arranger=self.arranger,
            headline=self._headline,
            messages=self.messages,
            status=self.status,
            worker=self._worker,
            writer=self._writer,
            dialogs=self._dialogs,
            recent=self._recent,
            preferences=self._preferences,
            questions=self._questions,
            go=self.navigation.go,
            open_plot=self.navigation.open_plot,
            answer=self.navigation.answer,
            present=self.navigation.present,
        )
        memory = LabMemory(self._memory.labs, place.underway, self._writer)
        return (yield from build_services(frame, memory, self._memory.folder_path))

    def _make_gallery(self) -> Gallery:
        from posenc_gui.app.window.plot_gallery import Gallery
        from posenc_gui.plots import plots

        def is_open(name: str) -> bool:
            return not self.cards[f"plot.{name}"].isHidden()

        return Gallery(plots(), is_open, self._window)

    def _add_devices(self, workbench: Workbench) -> None:
        """Add the Device menu, and compute on the selected device."""
        from posenc_gui.app.window.commands import device
        from posenc_gui.foundation.devices import devices

        found = devices()

        def choose(name: str) -> None:
            self._preferences.keep(device=name)
            workbench.set_device(name)

        self._menus.add(device.actions(found, self._preferences, choose))
        if (name := self._preferences.device_of(found)) != "cpu":
            workbench.set_device(name)
        if (selected := self._preferences.settings.device) not in found:
            self.messages.say(f"The selected device ({selected}) is unavailable; using the CPU.")

    def _restore(self, loaded: Services, place: WindowSlot) -> None:
        """Restore the saved session; one that fails before it has been shown for a while is given up."""
        from posenc_gui.app.documents.autosave import Autosave
        from posenc_gui.app.window.restore import SessionRestore
        from posenc_gui.foundation.errors import describe_internal_error

        keeper = self.keeper = Autosave(place, self._writer, loaded.store, loaded.documents)
        beginning = SessionRestore(loaded, place, keeper)

        def say(told: str) -> None:
            aside = beginning.aside
            offers = (("Open it", lambda: loaded.documents.open_earlier(aside)),) if aside else ()
            if told:
                self.messages.say(told, *offers)

        def leave(document: Document) -> None:
            self._earlier.add(keeper.leave(document), document.session)
            self.status.tell("Your previous session is in File ▸ Earlier sessions.")

        loaded.documents.left.connect(leave)
        loaded.workbench.status.connect(keeper.came_up)
        self._worker.failed.connect(lambda error: say(beginning.fail(describe_internal_error(error))))
        say(beginning.take_up())
        if self._asked_for:
            loaded.documents.open(self._asked_for)
        elif self._is_first:
            loaded.first_start.begin()

    def _tell_left_aside(self, place: WindowSlot) -> None:
        """Say what of the window's own folder was not used."""
        from posenc_gui.foundation.wording import format_count

        if self._preferences.left_aside:
            self.messages.add(self._preferences.left_aside)
        if place.passed_over:
            self.messages.add(f"Left aside: {format_count(place.passed_over, 'older kept session')}.")

    def _findables(self) -> list[SearchEntry]:
        if self.loaded is None:
            return []
        from posenc_gui.app.window.palette_entries import list_entries

        return [*list_entries(self._menus, self.loaded, self.navigation.open_plot)]

    def _comparisons(self, typed: str) -> list[SearchEntry]:
        if self.loaded is None:
            return []
        from posenc_gui.app.window.palette_entries import list_comparisons

        return [*list_comparisons(typed, self.loaded)]

    def _diagnose(self) -> None:
        """Show the diagnostics, even if loading failed."""
        from posenc_gui.app.window.diagnostics import DiagnosticsWindow

        def session() -> str | None:
            return self.loaded.store.session.for_others.to_json() if self.loaded else None

        DiagnosticsWindow(self._memory, self._preferences.settings, self._dialogs, session, self._window).show()

    def _on_failed(self, error: Exception) -> None:
        """Say that the window can't be filled, or, where its parts would stand, that it can't come up; then the next
        start has the default arrangement.
        """
        from posenc_gui.foundation.errors import describe_error

        _log.error("the window could not be made", exc_info=error)
        failed = "has started only in part" if self.is_made else "can't start"
        told = (
            f"posenc-gui {failed} because of a bug ({type(error).__name__}: {describe_error(error)}). "
            f"{self._memory.folder_path / 'log.txt'} has the details."
        )
        if sys.stderr:  # Windows may have none
            print(told, file=sys.stderr)
        if self.is_made:
            self.status.show_state("")
            self.messages.say(told)
        else:
            from posenc_gui.app.widgets.controls import plain_label

            self.arrangement = None
            label = plain_label(told)
            label.setAlignment(Qt.AlignmentFlag.AlignCenter)
            self._window.setCentralWidget(label)
            self._window.setUpdatesEnabled(True)

    def _on_load_failed(self, error: Exception) -> None:
        self.status.show_state("")
        _log.error("what computes could not be loaded", exc_info=error)
        self.messages.say(f"Loading torch and the plots failed: {error}. Install posenc-gui again.")
