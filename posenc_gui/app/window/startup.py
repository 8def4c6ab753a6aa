"""Starting up: after the first paint the window's parts are made in steps, then filled with what the worker imports."""

from __future__ import annotations

import importlib
import logging
import os
import sys
from collections.abc import Callable, Generator, Iterator
from contextlib import suppress
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6 import QtCore, QtGui, QtWidgets
from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtWidgets import QTabWidget

from posenc_gui.app.state.settings import Memory, Preferences, SavedLayouts
from posenc_gui.app.state.worker import BackgroundWriter, TurnRunner, Worker
from posenc_gui.app.window.when_loaded import UnusedPresses, WhenLoaded
from posenc_gui.foundation.importing import importing

if TYPE_CHECKING:  # heavy: imported only after the first paint
    from posenc_gui.app.docks.arranger import Arranger
    from posenc_gui.app.docks.card import Card
    from posenc_gui.app.documents.file_dialogs import FileDialogs
    from posenc_gui.app.documents.listed_files import EarlierSessions, ModelsHere, RecentFiles
    from posenc_gui.app.state.kept_figures import KeptSight
    from posenc_gui.app.state.window_slots import WindowSlot
    from posenc_gui.app.widgets.headline_label import Headline
    from posenc_gui.app.widgets.questions import Questions
    from posenc_gui.app.window.command_palette import CommandPalette
    from posenc_gui.app.window.filling import Filling
    from posenc_gui.app.window.kept_pictures import InSight, KeptPictures
    from posenc_gui.app.window.main_window import MainWindow
    from posenc_gui.app.window.menus import ChoiceButtons, Menus, Toolbar
    from posenc_gui.app.window.navigation import Navigation
    from posenc_gui.app.window.notifications import Messages, StatusBar
    from posenc_gui.app.window.services import Services

_PANELS = {
    "tokens": "Sentence",
    "encoding": "Encoding",
    "compare": "Compare",
    "model": "Toy model",
    "code": "Code",
    "lab": "Labs",
}
_QUESTIONS = {  # that a first start asks next, by what answers it
    "flow": "How does it know?",
    "requirements": "Is it a good encoding?",
    "compare": "Which is better?",
    "labs": "Would you rather guess first?",
}
_WHOLE, _SCROLLED = ("tokens",), ("encoding", "compare")  # others scroll by themselves, or draw smaller
_LATER = "This is done as soon as the window is ready."
_CARDS_AT_ONCE = 5  # made in one turn of the event loop
_TYPES_AT_ONCE = 20  # of Qt, likewise
_SETTLED, _LONGEST_COVERED = 250, 2000  # milliseconds after which what panels hold has its place; pictures over them go

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
    headline: Headline
    questions: Questions
    dialogs: FileDialogs
    recent: RecentFiles
    earlier: EarlierSessions
    here: ModelsHere
    menus: Menus
    _choices: ChoiceButtons
    finder: CommandPalette
    _bar: Toolbar

    def __init__(
        self,
        window: MainWindow,
        memory: Memory,
        preferences: Preferences,
        worker: Worker,
        writer: BackgroundWriter,
        arrangement: SavedLayouts | None,
        asked_for: Path | str | None,
        *,
        first_start: bool,
    ) -> None:
        super().__init__(window)
        self.window, self.memory, self.preferences = window, memory, preferences
        self.worker, self.writer = worker, writer
        self._asked_for, self._is_first = asked_for, first_start
        self._begun = False
        self._when_loaded = WhenLoaded(lambda: self.loaded, self)
        UnusedPresses(window, self._when_loaded, lambda point: self.kept is not None and self.kept.shows_at(point))
        self._turns = TurnRunner(self)
        self._turns.failed.connect(self._on_failed)
        self.arrangement = arrangement  # the last window's; None without one, or after a failure
        self.cards: dict[str, Card] = {}
        self.is_made = False
        self.place: WindowSlot | None = None
        self.kept: KeptPictures | None = None
        self.filling: Filling | None = None

    @property
    def loaded(self) -> Services | None:
        """The services; None until everything is imported."""
        return self.filling.loaded if self.filling else None

    @property
    def sight(self) -> InSight | None:
        """What is in sight, if it can be kept for the next start; nothing of a lab."""
        if self.loaded is None or self.kept is None or self.arranger.at == "lab":
            return None
        return self.kept.sight_of(self.loaded.workbench)

    def begin(self) -> None:
        """Start making parts, once."""
        if not self._begun:
            self._begun = True
            self._turns.add(self._make())

    def bring_plot(self, name: str) -> None:
        """Show a plot's card in front; the keyboard stays."""
        self.arranger.open(f"plot.{name}")

    def stop(self) -> None:
        """Stop making parts."""
        self._turns.stop()

    def _make(self) -> Iterator[None]:
        """Make the parts in steps, then let the worker import what fills them."""
        from posenc_gui.app.widgets.headline_label import DEMONSTRATED, Headline
        from posenc_gui.app.window.notifications import Messages

        self.headline = Headline()
        self.headline.quiet_play(self.preferences.settings.moved_word)
        if not self.preferences.settings.moved_word:
            self.headline.keep_lines(DEMONSTRATED)  # before the cards take the room that they had
        if self.arrangement:
            self.headline.expect(self.arrangement.headline)
        self.messages = Messages(self.window)
        yield
        yield from self._make_cards()
        from posenc_gui.app.docks.arranger import Arranger

        self.arranger = Arranger(self.window, self.cards, self.memory)
        yield
        yield from self._make_bar()
        yield from self._add_actions()
        yield from self._show_parts()
        yield
        kept = yield from self._claim_place()
        wanted = self._asked_for is None and self.arranger.at != "lab"
        yield from kept.paint(wanted=wanted)
        yield from _make_types()
        # Not sooner: two threads that import keep each other waiting.
        self.worker.brought.connect(self._on_brought)
        self.worker.finished.connect(self._on_loaded)
        self.worker.failed.connect(self._on_load_failed)
        self.worker.submit(partial(_load, partial(kept.take, wanted=wanted)))

    def _make_cards(self) -> Iterator[None]:
        from posenc_gui.app.docks.card import Card
        from posenc_gui.foundation.registry import module_names

        yield
        titles = _PANELS | {f"plot.{name}": name.capitalize() for name in module_names("posenc_gui.plots")}
        for count, (name, title) in enumerate(titles.items(), 1):
            scrolls, whole = name in _SCROLLED, name in _WHOLE
            self.cards[name] = Card(name, title, self.window, scrolls=scrolls, whole=whole, bare=name == "lab")
            if count % _CARDS_AT_ONCE == 0:
                yield
        yield
        from posenc_gui.app.widgets.questions import Questions

        self.questions = Questions(_QUESTIONS)
        self.questions.setVisible(self._is_first)
        self.cards["encoding"].add_at_bottom(self.questions)
        yield

    def _make_bar(self) -> Iterator[None]:
        """Make the menus, without actions yet, and the bar that shows them."""
        from posenc_gui.app.docks.layouts import ARRANGEMENTS
        from posenc_gui.app.window.command_palette import CommandPalette
        from posenc_gui.app.window.menus import ChoiceButtons, Menus, Toolbar

        self.menus = Menus(self.window)
        self._choices = ChoiceButtons("Arrangement", ARRANGEMENTS | {"present": "Present"})
        self.finder = CommandPalette(self.window)
        self._bar = Toolbar(self.menus.all, self._choices, self.finder.button)
        yield
        from posenc_gui.app.window.navigation import Navigation

        self.navigation = Navigation(self.window, self.cards, self.arranger, self.headline, self.messages, self._bar)
        yield

    def _add_actions(self) -> Iterator[None]:
        """Add the actions that need nothing heavy."""
        from posenc_gui.app.documents.file_dialogs import FileDialogs
        from posenc_gui.app.documents.listed_files import EarlierSessions, ModelsHere, RecentFiles

        self.here = ModelsHere(self)
        self.dialogs, self.recent = FileDialogs(self.preferences), RecentFiles(self.preferences)
        self.earlier = EarlierSessions()
        yield
        from posenc_gui.app.window.commands import all_plots, edit_menu, file_menu, help_menu, to_come, view_menu
        from posenc_gui.app.window.help import Help

        loaded, head, window = self._when_loaded, self.headline, self.window
        loaded.keep(window.dropped, window.left_out)
        loaded.keep(head.play.clicked, head.questions.clicked, head.plots.clicked, self.questions.chosen)
        loaded.keep(head.remedied, until=lambda: self.loaded is None or self.loaded.workbench.has_told)
        self.menus.add(file_menu(loaded, self.recent, self.earlier, self.here, self.window.close))
        self.menus.add(edit_menu(loaded, self.finder.begin, self.navigation.identify))
        self.menus.add((all_plots(loaded, self.navigation.show_all_plots), *to_come(loaded)))
        yield
        self.menus.add(
            view_menu(loaded, self.cards, self.arranger, self.navigation, self.preferences, self.menus.show_bar)
        )
        self.menus.add(help_menu(loaded, Help(self.window, lambda: self.menus.actions), self._diagnose))
        yield

    def _show_parts(self) -> Iterator[None]:
        """Replace the skeleton by the parts."""
        from posenc_gui.app.window.menus import AltKey
        from posenc_gui.app.window.notifications import StatusBar

        window = self.window
        window.setUpdatesEnabled(False)
        window.setDockNestingEnabled(True)
        window.setTabPosition(Qt.DockWidgetArea.AllDockWidgetAreas, QTabWidget.TabPosition.North)
        self.status = StatusBar(window.statusBar())
        self.messages.took.connect(self.status.leave)
        self._when_loaded.kept.connect(lambda: self.status.tell(_LATER))
        self._when_loaded.ended.connect(lambda: self.status.take_back(_LATER))
        self._when_loaded.ended.connect(lambda: self._choices.show_chosen(self.arranger.at))
        for changed in (self._when_loaded.kept, self._when_loaded.ended):
            changed.connect(self.menus.refresh)  # what is kept can be undone
        self._fill_bar()
        window.setCentralWidget(self.headline)
        self.menus.show_bar(self.preferences.settings.menu_bar)
        yield  # docks get their size once those around them have theirs
        self.arranger.begin(self.arrangement)
        window.setUpdatesEnabled(True)
        self._choices.show_chosen(self.arranger.at)
        self.preferences.restyled.connect(self.navigation.fit)
        self.navigation.fit()
        self.navigation.watch_focus()
        self.arranger.told.connect(self.status.tell)
        self.arranger.has_plots.connect(self.headline.stand_beside_plots)
        if sys.platform != "darwin":
            alt = AltKey(window.windowHandle())
            alt.pressed.connect(self.navigation.open_menus)
        window.setAcceptDrops(True)
        self.is_made = True

    def _claim_place(self) -> Generator[None, None, KeptPictures]:
        """Claim the window's slot, and make what shows the pictures that are kept in it."""
        from posenc_gui.app.window.kept_pictures import KeptPictures

        yield
        self.place = self.memory.claim_slot(self.preferences.settings, new=bool(self._asked_for))
        self.kept = KeptPictures(self.place, self.writer, self.cards, self.headline, self.status, self._when_loaded)
        yield
        return self.kept

    def _on_brought(self, sight: KeptSight) -> None:
        if self.kept:
            self._turns.add(self.kept.show(sight))

    def _fill_bar(self) -> None:
        self.window.addToolBar(Qt.ToolBarArea.TopToolBarArea, self._bar)
        self._bar.add([self.menus.entry("open"), self.menus.entry("save")])
        self._bar.add([self.menus.entry("undo"), self.menus.entry("redo")])
        for name in self._choices.names:
            self._entry(name).triggered.connect(lambda _=False, name=name: self._mark(name))
        self._choices.chosen.connect(self._on_chosen)
        self.arranger.moved.connect(self._choices.show_chosen)
        self.arranger.changed.connect(self._choices.show_changed)

    def _on_chosen(self, name: str) -> None:
        """Go to an arrangement or Present."""
        self._entry(name).trigger()
        self._mark(name)

    def _entry(self, name: str) -> QtGui.QAction:
        return self.menus.entry(name if name == "present" else f"go.{name}")

    def _mark(self, chosen: str) -> None:
        """Mark the arrangement in which the window is now, or that for which it must still be loaded."""
        self._choices.show_chosen(chosen if self._when_loaded.has_kept else self.arranger.at)

    def _on_loaded(self) -> None:
        self.worker.brought.disconnect(self._on_brought)
        self.worker.finished.disconnect(self._on_loaded)
        self.worker.failed.disconnect(self._on_load_failed)
        self._turns.add(self._fill())

    def _fill(self) -> Iterator[None]:
        """Fill the window with what the worker imported."""
        from posenc_gui.app.window.filling import Filling

        looks_as_before = self.kept is not None and self.kept.hand_over()
        self.filling = Filling(self, self._asked_for, first_start=self._is_first)
        loaded = yield from self.filling.fill()
        self.ready.emit()
        if self.kept:
            QTimer.singleShot(_LONGEST_COVERED if looks_as_before else _SETTLED, self.kept, self.kept.uncover)
            for changed in (loaded.store.changed, self.arranger.moved):
                changed.connect(self.kept.uncover)
            self.worker.busy_changed.connect(self._uncover_at_rest)
        loaded.workbench.split_shown.connect(self._do_what_was_chosen)
        self.worker.busy_changed.connect(self._do_what_was_chosen)
        self._do_what_was_chosen()

    def _uncover_at_rest(self) -> None:
        """Uncover the panels once they show formula and verdicts again."""
        if self.kept and not self.window.busy:
            self.worker.busy_changed.disconnect(self._uncover_at_rest)
            QTimer.singleShot(_SETTLED, self.kept, self.kept.uncover)

    def _do_what_was_chosen(self) -> None:
        """Do what was chosen meanwhile, once the tokens are there that may have been pressed, or won't come."""
        if self.loaded and (self.loaded.workbench.has_split or not self.worker.busy):
            self.loaded.workbench.split_shown.disconnect(self._do_what_was_chosen)
            self.worker.busy_changed.disconnect(self._do_what_was_chosen)
            self._hear_presses(self.loaded)
            self._when_loaded.begin()

    def _hear_presses(self, loaded: Services) -> None:
        """Let buttons that were kept until now do at once what is pressed."""
        head, workbench, first_start, window = self.headline, loaded.workbench, loaded.first_start, self.window
        head.plots.clicked.connect(self.navigation.show_all_plots)
        head.play.clicked.connect(first_start.play)
        head.questions.clicked.connect(first_start.ask_again)
        head.remedied.connect(workbench.take_remedy)
        self.questions.chosen.connect(first_start.choose)
        workbench.clicked.connect(workbench.go_to)
        workbench.door_pressed.connect(workbench.encoding.list_door)
        window.dropped.connect(loaded.documents.open)
        window.left_out.connect(self.messages.add)
        window.pasted.connect(self.navigation.paste_numbers)
        loaded.documents.numbers_opened.connect(self.navigation.identify)
        for changed in (workbench.drawn, workbench.status, self.worker.busy_changed):
            changed.connect(self._when_loaded.go_on)  # a remedy is there once its picture is

    def _diagnose(self) -> None:
        """Show the diagnostics, even if loading failed."""
        from posenc_gui.app.window.help import DiagnosticsWindow

        def session() -> str | None:
            return self.loaded.store.session.for_others.to_json() if self.loaded else None

        DiagnosticsWindow(self.memory, self.preferences.settings, self.dialogs, session, self.window).show()

    def _on_failed(self, error: Exception) -> None:
        """Say that the window can't be filled, or, where its parts would stand, that it can't come up; then the next
        start has the default arrangement.
        """
        from posenc_gui.foundation.errors import describe_error

        _log.error("the window could not be made", exc_info=error)
        failed = "has started only in part" if self.is_made else "can't start"
        told = (
            f"posenc-gui {failed} because of a bug ({type(error).__name__}: {describe_error(error)}). "
            f"{self.memory.folder_path / 'log.txt'} has the details."
        )
        if sys.stderr:  # Windows may have none
            print(told, file=sys.stderr)
        if self.is_made:
            if self.kept:
                self.kept.uncover()
            self.status.show_state("")
            self.messages.say(told)
        else:
            from posenc_gui.app.widgets.controls import plain_label

            self.arrangement = None
            label = plain_label(told)
            label.setAlignment(Qt.AlignmentFlag.AlignCenter)
            self.window.setCentralWidget(label)
            self.window.setUpdatesEnabled(True)

    def _on_load_failed(self, error: Exception) -> None:
        self.status.show_state("")
        if self.kept:
            self.kept.uncover()
        self._when_loaded.give_up()
        self.window.setAcceptDrops(False)
        self.finder.load(tuple, lambda _typed: ())
        self.menus.refresh()
        _log.error("what computes could not be loaded", exc_info=error)
        self.messages.say(f"Loading torch and the plots failed: {error}. Install posenc-gui again.")


def _make_types() -> Iterator[None]:
    """Make all types of Qt on the window's thread, some in each step.

    PySide makes a type when it is first used, and crashes if two threads do so at once; importing pyqtgraph uses all.
    """
    for module in (QtCore, QtGui, QtWidgets):
        for count, name in enumerate(dir(module), 1):
            getattr(module, name)
            if count % _TYPES_AT_ONCE == 0:
                yield
    yield


def _load(take_kept: Callable[[], KeptSight | None], check_stop: Callable[[], None]) -> Iterator[KeptSight]:
    """Import everything heavy, and leave one core to the window when torch computes.

    What is kept is yielded as soon as what draws is imported.
    """
    from posenc_gui.foundation import memory  # not needed for the first paint

    with importing():  # collections would pause the window
        memory.give_back_large_blocks()
        for module in ("numpy", "pyqtgraph", "posenc_gui.render.screen"):
            check_stop()
            importlib.import_module(module)
        if sight := take_kept():
            yield sight
        _open_libraries()  # once the window needs no other one: the linker opens one at a time
        modules = (
            "torch",
            "posenc_gui.session.evaluate",
            "posenc_gui.app.panels.workbench",
            "posenc_gui.app.labs.controller",
        )
        for module in modules:
            check_stop()
            importlib.import_module(module)
        sys.modules["posenc_gui.labs.definition.lab_library"].labs()  # read once, here
        sys.modules["posenc_gui.foundation.devices"].devices()  # found once, likewise: a driver takes its time
        sys.modules["torch"].set_num_threads(max(1, (os.cpu_count() or 2) - 1))


def _open_libraries() -> None:
    """Open torch's largest library without holding Python's lock; importing it would freeze the window for 0.2 s."""
    if os.name != "posix":
        return
    import ctypes  # not needed for the first paint

    spec = find_spec("torch")
    folders = spec.submodule_search_locations if spec else None
    for folder in folders or ():
        for library in (Path(folder) / "lib").glob("libtorch_cpu.*"):
            with suppress(AttributeError, OSError):
                opened = ctypes.CDLL(None).dlopen
                opened.restype = ctypes.c_void_p
                opened(os.fsencode(library), ctypes.c_int(os.RTLD_NOW | os.RTLD_GLOBAL))
