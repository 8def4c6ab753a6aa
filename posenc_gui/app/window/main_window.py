"""The window: its start, which paints before anything heavy is imported, what it joins, and its end."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, QRect, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QCloseEvent, QGuiApplication, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QApplication, QMessageBox, QTabWidget, QWidget

from posenc_gui.app.documents.drop_target import DropWindow
from posenc_gui.app.state.background_writer import Writer
from posenc_gui.app.state.incremental import Turns
from posenc_gui.app.state.preferences import Habits
from posenc_gui.app.state.settings import Memory
from posenc_gui.app.state.worker import Worker
from posenc_gui.app.window.skeleton import Skeleton
from posenc_gui.foundation.theme import GAP, PADDING, Roles

if TYPE_CHECKING:  # there only once the window has painted
    from posenc_gui.app.docks.card import Card
    from posenc_gui.app.docks.layouts import Name
    from posenc_gui.app.documents.autosave import Keeper
    from posenc_gui.app.documents.document import Documents
    from posenc_gui.app.labs.controller import Labs
    from posenc_gui.app.panels.workbench import Workbench
    from posenc_gui.app.state.fuzzy_search import Findable
    from posenc_gui.app.state.window_slots import Place
    from posenc_gui.app.talk.presenter import Presenter
    from posenc_gui.app.widgets.focus_order import Part
    from posenc_gui.app.window.composition import Loaded
    from posenc_gui.app.window.plot_gallery import Gallery
    from posenc_gui.session.bookmarks import Document

_SIZE = QSize(1280, 800)
_FRAME = QSize(20, 60)  # pixels that the desktop takes around a window, or a little more
_PANELS = {
    "tokens": "Sentence",
    "encoding": "Encoding",
    "compare": "Compare",
    "model": "Toy model",
    "code": "Code",
    "lab": "Labs",
}


_WHOLE, _SCROLLED = ("tokens",), ("encoding", "compare")  # others scroll what they hold themselves, or draw it smaller
_ENTRIES = {"explore": "go.explore", "compare": "go.compare", "lab": "go.lab", "present": "present"}
_AT_ONCE = 5  # cards that are made in one turn of the event loop


class MainWindow(DropWindow):
    """The explorer's window.

    At first it paints where things will stand. Then its parts are made, a few in each turn of the event loop; then the
    worker imports what computes and draws, and the cards are filled.
    """

    ready = Signal()  # everything is imported and the first picture is on its way

    def __init__(self, memory: Memory, asked: Path | str | None = None) -> None:
        super().__init__()
        self._memory, self._asked_for = memory, asked
        self.cards: dict[str, Card] = {}
        self._loaded: Loaded | None = None
        self._keeper: Keeper | None = None
        self._place: Place | None = None
        self._gallery: Gallery | None = None
        self._painted = False
        self._is_made = False  # whether its parts are there
        self._ended = False
        self._turns = Turns(self)
        self._turns.failed.connect(self._on_unmade)
        self._worker, self._writer = Worker(self), Writer(self)
        self._habits = Habits(memory, _app(), self)
        self.setObjectName("window")
        self.setWindowTitle("Positional encodings")
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.NoContextMenu)  # Qt's own would hide the bar
        self.setContentsMargins(PADDING, 0, PADDING, 0)
        self._arrangement = memory.take_arrangement()
        self.setCentralWidget(Skeleton(self._arrangement.at if self._arrangement else "explore"))
        self.resize(_SIZE.boundedTo(QGuiApplication.primaryScreen().availableSize() - _FRAME))
        if self._arrangement:
            self.restoreGeometry(QByteArray(self._arrangement.qt_geometry))

    def _make(self) -> Iterator[None]:
        """Make the window's parts, and let the worker import what they will show."""
        from posenc_gui.app.widgets.headline_label import Headline
        from posenc_gui.app.window.notifications import Messages

        self._headline = Headline()
        self.messages = Messages(self, self._headline)
        yield
        from posenc_gui.app.docks.card import Card
        from posenc_gui.foundation.registry import modules

        yield
        titles = _PANELS | {f"plot.{name}": name.capitalize() for name in modules("posenc_gui.plots")}
        for count, (name, title) in enumerate(titles.items(), 1):
            theme, scrolls, whole = self._habits.theme, name in _SCROLLED, name in _WHOLE
            self.cards[name] = Card(name, title, theme, self, scrolls=scrolls, whole=whole)
            if count % _AT_ONCE == 0:
                yield
        yield
        from posenc_gui.app.docks.arranger import Arranger

        self._arranger = Arranger(self, self.cards, self._memory)
        yield
        yield from self._make_menus()
        from posenc_gui.app.window import commands
        from posenc_gui.app.window.command_palette import Finder
        from posenc_gui.app.window.toolbar import Bar, Choices

        self._choices = Choices("Arrangement", commands.ARRANGEMENTS | {"present": "Present"})
        self._finder = Finder(self._findables, self)
        self._bar = Bar(self._menus.all, self._choices, self._finder)
        yield
        yield from self._show_parts()
        yield
        from posenc_gui.app.window.heavy_imports import load

        # Not sooner: two threads that import keep each other waiting, and crash where both make types of Qt.
        self._worker.finished.connect(self._on_loaded)
        self._worker.failed.connect(self._on_load_failed)
        self._worker.submit(load)

    def _make_menus(self) -> Iterator[None]:
        from posenc_gui.app.documents.earlier_sessions import Earlier
        from posenc_gui.app.documents.file_dialogs import Dialogs
        from posenc_gui.app.documents.recent_files import Recent
        from posenc_gui.app.window import commands

        yield
        from posenc_gui.app.widgets.focus_order import Rounds
        from posenc_gui.app.window.help import Help
        from posenc_gui.app.window.menus import Menus

        self._dialogs, self._recent, self._earlier = Dialogs(self._habits), Recent(self._habits), Earlier()
        self._menus = Menus(self, self._habits.theme)
        self._menus.add(commands.of_session(lambda: self._loaded, self._recent, self._earlier))
        yield
        self._menus.add(commands.of_arrangements(lambda: self._loaded, self._arranger, self._go))
        self._menus.add(
            commands.of_window(self.cards, self._habits, self._arranger, self._arrange, self._show_menu_bar, self.close)
        )
        self._menus.add(commands.of_talks(lambda: self._loaded, self._present))
        self._menus.add(commands.of_help(Help(self, lambda: self._menus.actions), lambda: self._loaded, self._diagnose))
        self._rounds = Rounds(self._parts)
        self._menus.add(commands.of_keyboard(lambda: self._finder.begin(), self._open_menus, self._step_part))
        yield

    def _show_parts(self) -> Iterator[None]:
        """Put the parts in the place of what was painted of them."""
        from posenc_gui.app.window.status_bar import Status
        from posenc_gui.app.window.toolbar import AltKey

        self.setUpdatesEnabled(False)
        self.setDockNestingEnabled(True)
        self.setTabPosition(Qt.DockWidgetArea.AllDockWidgetAreas, QTabWidget.TabPosition.North)
        self._status = Status(self.statusBar())
        self._fill_bar()
        self.setCentralWidget(self._headline)
        self._show_menu_bar(self._habits.settings.menu_bar)
        yield  # cards get their room once those around them have theirs
        self._arranger.begin(self._arrangement)
        self.setUpdatesEnabled(True)
        self._choices.show_chosen(self._arranger.at)
        self._habits.theme_changed.connect(self._set_theme)
        self._set_theme(self._habits.theme)
        _app().focusChanged.connect(self._on_focus)
        if sys.platform != "darwin":
            self._alt = AltKey(self.windowHandle())
            self._alt.pressed.connect(self._open_menus)
        self._is_made = True

    @property
    def workbench(self) -> Workbench | None:
        """Where the session goes round; None until everything is loaded."""
        return self._loaded.workbench if self._loaded else None

    @property
    def documents(self) -> Documents | None:
        """The session's file; None until everything is loaded."""
        return self._loaded.documents if self._loaded else None

    @property
    def presenter(self) -> Presenter | None:
        """What shows one figure on the whole screen; None until everything is loaded."""
        return self._loaded.presenter if self._loaded else None

    @property
    def labs(self) -> Labs | None:
        """The labs; None until everything is loaded."""
        return self._loaded.labs if self._loaded else None

    @property
    def busy(self) -> bool:
        """Whether the worker is computing, or about to."""
        return self._worker.busy or bool(self.workbench and not self.workbench.at_rest)

    def say(self, sentence: str) -> None:
        """Tell the user what went wrong, as soon as there is a place for it."""
        if self._is_made:
            self.messages.say(sentence)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        """After the first paint, make everything."""
        super().paintEvent(event)
        if not self._painted:
            self._painted = True
            self._turns.add(self._make())

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Cards fit the window's size, and messages stay in their place."""
        super().resizeEvent(event)
        if self._is_made:
            self._fit()

    def focusNextPrevChild(self, forward: bool) -> bool:  # noqa: N802
        """Tab goes as the window is read; one that begins or ends needs no keyboard."""
        if self._ended or not self._is_made:
            return False
        from posenc_gui.app.widgets.focus_order import step

        return step(self._parts(), self.focusWidget(), forward) or super().focusNextPrevChild(forward)

    def closeEvent(self, event: QCloseEvent) -> None:  # noqa: N802
        """Remember the arrangement and the session, and wait for what runs to end; ask first, where nothing can be kept."""
        if not self._ended and not self._may_end():
            event.ignore()
            return
        self.end()
        super().closeEvent(event)

    def keep(self) -> None:
        """Keep everything as of a window that ends as it should: the desktop's session may end, and take the window along."""
        if self._loaded and self._keeper:
            self._loaded.labs.keep()
            self._keeper.keep(closed=True)
            self._writer.finish()

    def end(self) -> None:
        """Keep everything and end what runs."""
        if self._ended:
            return
        self._ended = True
        self._turns.stop()
        if self._loaded:
            self._loaded.presenter.end()
        if self._is_made:
            _app().focusChanged.disconnect(self._on_focus)
            self._arranger.keep()
        elif self._arrangement:
            self._memory.keep_arrangement(self._arrangement)
        for one in (self, *(card for card in self.cards.values() if card.isFloating())):
            one.hide()  # what runs may take a second to end
        self.keep()
        self._worker.close()
        if self._loaded:
            self._loaded.presenter.close_worker()
            self._loaded.labs.close()
            self._loaded.workbench.exporter.close()
        if self._place:
            self._place.lock.release()

    def _on_loaded(self) -> None:
        self._worker.finished.disconnect(self._on_loaded)
        self._worker.failed.disconnect(self._on_load_failed)
        self._turns.add(self._fill())

    def _fill(self) -> Iterator[None]:
        """Fill the cards with what the worker brought in, and take up what was kept."""
        from posenc_gui.app.window import commands

        place = self._place = self._memory.place(new=bool(self._asked_for))
        loaded = yield from self._join(place)
        yield
        self._menus.add(loaded.labs.actions())
        self._menus.add(commands.of_plots(self.cards, self._show_all_plots))
        self._menus.add(commands.of_models(loaded.documents.choose_model))
        yield
        self._gallery = self._make_gallery()
        yield
        self._loaded = loaded
        self._add_devices(loaded.workbench)
        self._begin(loaded, place)
        self._fit()
        self._earlier.fill(self._memory.others())
        loaded.store.changed.connect(self._menus.refresh)
        loaded.store.held.connect(self._menus.refresh)
        loaded.store.changed.connect(self._follow)
        loaded.store.began.connect(self.messages.go_on)
        self._follow()
        self._menus.refresh()
        loaded.documents.opening.connect(self.messages.go_on)
        self.dropped.connect(loaded.documents.open)
        self.left_out.connect(self.messages.add)
        self.setAcceptDrops(True)
        loaded.workbench.tokens.text_edit().setFocus()
        self.ready.emit()

    def _join(self, place: Place) -> Generator[None, None, Loaded]:
        from posenc_gui.app.state.lab_progress import LabMemory
        from posenc_gui.app.window.composition import Frame, join

        yield
        frame = Frame(
            window=self,
            cards=self.cards,
            arranger=self._arranger,
            headline=self._headline,
            messages=self.messages,
            status=self._status,
            worker=self._worker,
            writer=self._writer,
            dialogs=self._dialogs,
            recent=self._recent,
            go_to_labs=lambda: self._go("lab"),
            open_plot=self._open_plot,
            present=self._present,
        )
        memory = LabMemory(self._memory.labs, place.underway, self._writer)
        return (yield from join(frame, memory, self._habits.theme))

    def _begin(self, loaded: Loaded, place: Place) -> None:
        """Take up what was kept; what fails before the window has stood with it for a while is given up."""
        from posenc_gui.app.documents.autosave import Keeper
        from posenc_gui.app.window.restore import Beginning
        from posenc_gui.foundation.errors import unforeseen

        keeper = self._keeper = Keeper(place, self._writer, loaded.store, loaded.documents)
        beginning = Beginning(loaded, place, keeper)

        def say(told: str) -> None:
            aside = beginning.aside
            offers = (("Open it", lambda: loaded.documents.open_earlier(aside)),) if aside else ()
            if told:
                self.messages.say(told, *offers)

        def leave(document: Document) -> None:
            self._earlier.add(keeper.leave(document), document.session)
            self._status.tell("What you had before stands in File ▸ Earlier sessions.")

        loaded.documents.left.connect(leave)
        loaded.workbench.status.connect(keeper.came_up)
        self._worker.failed.connect(lambda error: say(beginning.fail(unforeseen(error))))
        say(beginning.take_up())
        if self._asked_for:
            loaded.documents.open(self._asked_for)

    def _may_end(self) -> bool:
        """Whether the session is kept or in a file, or else may go."""
        if self._loaded is None or self._status.is_kept or self._loaded.documents.is_safe:
            return True
        buttons = QMessageBox.StandardButton
        asked = QMessageBox.warning(
            self,
            "Nothing is kept",
            "The session can't be kept for the next start. Save it elsewhere before the window closes?",
            buttons.Save | buttons.Discard | buttons.Cancel,
            buttons.Save,
        )
        return self._loaded.documents.ask_and_save() if asked == buttons.Save else asked == buttons.Discard

    def _fill_bar(self) -> None:
        self.addToolBar(Qt.ToolBarArea.TopToolBarArea, self._bar)
        self._bar.add([self._menus.entry("open"), self._menus.entry("save")])
        self._bar.add([self._menus.entry("undo"), self._menus.entry("redo")])
        self._choices.chosen.connect(self._on_chosen)
        self._arranger.moved.connect(self._choices.show_chosen)
        self._arranger.changed.connect(self._choices.show_changed)
        self._arranger.changed.connect(self._cover)
        self._arranger.restored.connect(self._on_restored)
        self._headline.plots.clicked.connect(self._show_all_plots)

    def _on_chosen(self, name: str) -> None:
        """An arrangement's name was pressed: where that can't be, or is none, the one that is there stays marked."""
        self._menus.entry(_ENTRIES[name]).trigger()
        self._choices.show_chosen(self._arranger.at)

    def _go(self, name: Name) -> None:
        """To another arrangement: one encoding in Explore, two in Compare. A lab waits where it is left, and goes on there."""
        if self._loaded is None:
            return
        desk, was = self._loaded.labs.desk, self._arranger.at
        if name == "lab" and desk.play and desk.play.free:
            desk.come_back()
            return
        if name != "lab":
            desk.roam()
            if why := self._loaded.comparing.turn(name == "compare"):
                self.messages.say(f"Not compared: {why}")
                return
        if self._arranger.at == was:
            self._arrange(lambda: self._arranger.go(name))
        if name == "compare":
            self._loaded.workbench.compare.choice("encoding").setFocus()  # where comparing begins
        elif name == "lab":
            from posenc_gui.app.widgets.focus_order import step

            step([(self.cards["lab"].widget(),)], None, True)  # where a lab begins, or goes on

    def _on_restored(self, name: Name) -> None:
        """The user's own arrangement went: it can be had back."""
        from posenc_gui.app.window import commands

        told = f"{commands.ARRANGEMENTS[name]} stands as at first."
        self.messages.tell(told, ("Undo", lambda: self._arrange(lambda: self._arranger.take_back(name))))

    def _follow(self) -> None:
        """Compare is there while two encodings are compared, Explore while one is; in Lab both may be."""
        if self._loaded and self._arranger.at != "lab":
            name: Name = "compare" if self._loaded.comparing.is_on else "explore"
            if self._arranger.at != name:
                self._arrange(lambda: self._arranger.go(name))

    def _step_part(self, forward: bool) -> None:
        self._rounds.step_part(self.focusWidget(), forward)

    def _parts(self) -> Iterator[Part]:
        """What the keyboard goes through: the bar, the column of forms, the plots, what is told, and the status."""
        column: list[Part] = []
        others: list[Part] = []
        for card, tabs in self._arranger.in_order:
            in_column = self.dockWidgetArea(card) == Qt.DockWidgetArea.LeftDockWidgetArea
            lines = (tabs, card.titleBarWidget()) if tabs else (card.titleBarWidget(),)
            (column if in_column else others).append((*lines, card.widget()))
        yield (self._bar,)
        yield from column
        yield (self._headline,)
        yield from [(self._gallery,)] if self._gallery and self._gallery.isVisible() else others
        yield (self.messages,)
        yield (self.statusBar(),)

    def _open_menus(self) -> None:
        """Let the keyboard into the menus."""
        bar = self.menuBar()
        if bar.isVisible():
            bar.setActiveAction(bar.actions()[0])
        else:
            self._bar.open_menus()

    def _show_menu_bar(self, shown: bool) -> None:
        if shown != self._habits.settings.menu_bar:
            self._habits.keep(menu_bar=shown)
        self.menuBar().setVisible(shown or sys.platform == "darwin")

    def _findables(self) -> list[Findable]:
        if self._loaded is None:
            return []
        from posenc_gui.app.window.palette_entries import findables

        return [*findables(self._menus, self._loaded, self._open_plot)]

    def _make_gallery(self) -> Gallery:
        from posenc_gui.app.window.plot_gallery import Gallery
        from posenc_gui.plots import plots

        def is_open(name: str) -> bool:
            return not self.cards[f"plot.{name}"].isHidden()

        gallery = Gallery(plots(), is_open, self._habits.theme, self)
        gallery.chosen.connect(self._open_plot)
        gallery.closed.connect(lambda: self._headline.plots.setChecked(False))
        return gallery

    @property
    def _room_of_plots(self) -> QRect:
        head, foot = self._headline.geometry(), self.statusBar().geometry()
        return QRect(head.left(), head.bottom() + GAP, head.width(), foot.top() - head.bottom() - GAP)

    def _show_all_plots(self) -> None:
        """Show the gallery, or put it away."""
        if self._gallery is None:
            return
        if self._gallery.isVisible():
            self._gallery.close_again()
        else:
            self._headline.plots.setChecked(True)
            self._gallery.open(self._room_of_plots)

    def _open_plot(self, name: str) -> None:
        """Bring a plot into view, with the keyboard on it."""
        self.cards[f"plot.{name}"].bring()
        if self._loaded:
            self._loaded.workbench.plots[name].view().setFocus(Qt.FocusReason.OtherFocusReason)

    def _on_focus(self, _before: QWidget | None, now: QWidget | None) -> None:
        """The card that the keyboard is in shows it; a plot in which it comes to rest gives the window its headline."""
        if self._gallery:
            self._gallery.follow(now)
        for card in self.cards.values():
            card.set_keyboard(now is not None and card.isAncestorOf(now))
        QTimer.singleShot(0, self, self._take_in_hand)  # it goes through many while cards are put in place

    def _take_in_hand(self) -> None:
        now = QApplication.focusWidget()
        for name, card in self.cards.items():
            if now is not None and card.isAncestorOf(now) and name.startswith("plot.") and self._loaded:
                self._loaded.workbench.take_in_hand(name.removeprefix("plot."))

    def _arrange(self, move: Callable[[], None]) -> None:
        """Let cards be moved, and what stands over them stay there."""
        move()
        self._cover()

    def _fit(self) -> None:
        """Let cards stand as the window's size, and that of type, asks for."""
        self._arrange(self._arranger.fit)
        if self._loaded:
            self._loaded.workbench.tokens.give_room(self.height())

    def _cover(self) -> None:
        """Put what stands over cards there again: what moves, as their tabs do, comes to lie over it."""
        self.messages.place()
        if self._gallery and self._gallery.isVisible():
            self._gallery.place(self._room_of_plots)

    def _diagnose(self) -> None:
        """What is wrong here, also where nothing could be loaded."""
        from posenc_gui.app.window.diagnostics import DiagnosticsWindow

        def session() -> str | None:
            return self._loaded.store.session.to_json() if self._loaded else None

        DiagnosticsWindow(self._memory, self._habits.settings, self._dialogs, session, self).show()

    def _on_unmade(self, error: Exception) -> None:
        """Say that the window can't come up, where its parts would stand; the next start has the first arrangement."""
        from posenc_gui.foundation.errors import sentence

        logging.getLogger(__name__).error("the window could not be made", exc_info=error)
        self._arrangement = None
        told = (
            f"The window can't come up: this is an error of the explorer ({type(error).__name__}: {sentence(error)}). "
            f"{self._memory.folder_path / 'log.txt'} has the details."
        )
        if sys.stderr:  # Windows may have none
            print(told, file=sys.stderr)
        if self._is_made:
            self._status.show_state("")
            self.messages.say(told)
        else:
            from posenc_gui.app.widgets.controls import plain

            label = plain(told)
            label.setAlignment(Qt.AlignmentFlag.AlignCenter)
            self.setCentralWidget(label)
            self.setUpdatesEnabled(True)

    def _on_load_failed(self, error: Exception) -> None:
        self._status.show_state("")
        logging.getLogger(__name__).error("what computes could not be loaded", exc_info=error)
        self.messages.say(f"The explorer can't compute: {error}. Check the installation (`pip install posenc-gui`).")

    def _present(self, at: int | None = None) -> None:
        """Show a figure on the whole screen, but not what a lab's step asks for."""
        if self._loaded is None:
            return
        play = self._loaded.labs.desk.play
        if play and not play.free:
            self.messages.say(
                "Nothing is presented in a lab's step, whose answer it could show: choose Free play first."
            )
        else:
            self._loaded.presenter.begin(at)

    def _add_devices(self, workbench: Workbench) -> None:
        from posenc_gui.app.window import commands
        from posenc_gui.foundation.devices import devices

        found = devices()

        def choose(device: str) -> None:
            self._habits.keep(device=device)
            workbench.set_device(device)

        self._menus.add(commands.of_devices(found, self._habits, choose))
        if (device := self._habits.device_of(found)) != "cpu":
            workbench.set_device(device)
        if (chosen := self._habits.settings.device) not in found:
            self.messages.say(f"The device that was chosen, {chosen}, isn't there: computed on the CPU instead.")

    def _set_theme(self, theme: Roles) -> None:
        self._menus.set_theme(theme)
        self._set_bar_theme(theme)
        if self._gallery:
            self._gallery.set_theme(theme)
        for card in self.cards.values():
            card.set_theme(theme)
        if self._loaded:
            self._loaded.workbench.set_theme(theme)
            self._loaded.labs.set_theme(theme)
            self._loaded.presenter.set_theme(theme)
        self._fit()  # type may have another size

    def _set_bar_theme(self, theme: Roles) -> None:
        self._bar.set_theme(theme)
        self._finder.set_theme(theme)
        self._headline.set_theme(theme)


def _app() -> QApplication:
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    return app
