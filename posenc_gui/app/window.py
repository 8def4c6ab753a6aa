"""The window: its start, which paints before anything heavy is imported, what it joins, and its end."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QCloseEvent, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QApplication, QMessageBox, QTabWidget

from posenc_gui.app import commands
from posenc_gui.app.arrangement import Arranger
from posenc_gui.app.card import Card
from posenc_gui.app.commands import Loaded
from posenc_gui.app.dialogs import Dialogs
from posenc_gui.app.drops import DropWindow
from posenc_gui.app.earlier import Earlier
from posenc_gui.app.habits import Habits
from posenc_gui.app.help import Help
from posenc_gui.app.loading import load
from posenc_gui.app.menus import Menus
from posenc_gui.app.messages import Messages
from posenc_gui.app.places import Place
from posenc_gui.app.recent import Recent
from posenc_gui.app.settings import Memory
from posenc_gui.app.status import Status
from posenc_gui.app.worker import Worker
from posenc_gui.app.writer import Writer
from posenc_gui.discovery import modules
from posenc_gui.errors import explain, unforeseen
from posenc_gui.look import Roles

if TYPE_CHECKING:
    from posenc_gui.app.documents import Documents
    from posenc_gui.app.keeper import Keeper
    from posenc_gui.app.labs.labs import Labs
    from posenc_gui.app.present import Presenter
    from posenc_gui.app.workbench import Workbench
    from posenc_gui.bookmarks import Document

_PANELS = {
    "tokens": "Sentence",
    "encoding": "Encoding",
    "compare": "Compare",
    "model": "Toy model",
    "code": "Code",
    "lab": "Labs",
}


class MainWindow(DropWindow):
    """The explorer's window."""

    ready = Signal()  # everything is imported and the first picture is on its way

    def __init__(self, memory: Memory, asked: Path | str | None = None) -> None:
        super().__init__()
        self._memory, self._asked_for = memory, asked
        self._loaded: Loaded | None = None
        self._keeper: Keeper | None = None
        self._place: Place | None = None
        self._painted = False
        self._ended: bool | None = None  # whether what ran has ended, once the window was closed
        self._worker, self._writer = Worker(self), Writer(self)
        self._habits = Habits(memory, _app(), self)
        self._dialogs, self._recent, self._earlier = Dialogs(self._habits), Recent(self._habits), Earlier()
        self.setObjectName("window")
        self.setWindowTitle("Positional encodings")
        self.setDockNestingEnabled(True)
        self.setTabPosition(Qt.DockWidgetArea.AllDockWidgetAreas, QTabWidget.TabPosition.North)
        titles = _PANELS | {f"plot.{name}": name.capitalize() for name in modules("posenc_gui.plots")}
        self.cards = {name: Card(name, title, self._habits.theme, self) for name, title in titles.items()}
        self._arranger = Arranger(self, self.cards, memory)
        self.messages = Messages(self, self.cards["lab"])
        self._status = Status(self.statusBar())
        self._menus = Menus(self.menuBar(), self._habits.theme)
        self._menus.add(commands.of_session(lambda: self._loaded, self._recent, self._earlier))
        self._menus.add(commands.of_window(self.cards, self._habits, self._arranger, self._arrange, self.close))
        self._menus.add(commands.of_talks(lambda: self._loaded, self._present))
        self._menus.add(commands.of_help(Help(self, lambda: self._menus.actions), lambda: self._loaded, self._diagnose))
        self._arranger.restore()
        self._habits.theme_changed.connect(self._set_theme)

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

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        """After the first paint, load what is heavy."""
        super().paintEvent(event)
        if not self._painted:
            self._painted = True
            self._worker.finished.connect(self._on_loaded)
            self._worker.failed.connect(self._on_load_failed)
            QTimer.singleShot(0, lambda: self._worker.submit(load))

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Messages stay in their place."""
        super().resizeEvent(event)
        self.messages.place()

    def closeEvent(self, event: QCloseEvent) -> None:  # noqa: N802
        """Remember the arrangement and the session, and wait for what runs to end; ask first, where nothing can be kept."""
        if self._ended is None and not self._may_end():
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

    def end(self) -> bool:
        """Keep everything and end what runs; whether that has ended."""
        if self._ended is None:
            if self._loaded:
                self._loaded.presenter.end()
            self._arranger.keep()
            self.hide()  # what runs may take a second to end
            self.keep()
            self._ended = self._worker.close()
            if self._loaded:
                self._ended = self._loaded.presenter.close_worker() and self._ended
                self._loaded.labs.close()
                self._loaded.workbench.exporter.close()
            if self._place:
                self._place.lock.release()
        return self._ended

    def _on_loaded(self) -> None:
        self._worker.finished.disconnect(self._on_loaded)
        self._worker.failed.disconnect(self._on_load_failed)
        place = self._place = self._memory.place(new=bool(self._asked_for))
        self._loaded = loaded = self._join(place)
        self._menus.add(loaded.labs.actions())
        self._menus.add(commands.of_plots(self.cards))
        self._add_devices(loaded.workbench)
        self._begin(loaded, place)
        self._earlier.fill(self._memory.others())
        loaded.store.changed.connect(self._menus.refresh)
        self._menus.refresh()
        self.dropped.connect(loaded.documents.open)
        self.left_out.connect(self.messages.say)
        self.setAcceptDrops(True)
        loaded.workbench.tokens.text_edit().setFocus()
        self.ready.emit()

    def _begin(self, loaded: Loaded, place: Place) -> None:
        """Take up what was kept; what fails before the window has stood with it for a while is given up."""
        from posenc_gui.app.beginning import Beginning
        from posenc_gui.app.keeper import Keeper

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
        if self._status.is_kept or self._loaded is None or self._loaded.documents.is_safe:
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

    def _arrange(self, move: Callable[[], None]) -> None:
        """Let cards be moved, and messages stay over them."""
        move()
        self.messages.place()

    def _diagnose(self) -> None:
        """What is wrong here, also where nothing could be loaded."""
        from posenc_gui.app.diagnostics import DiagnosticsWindow

        def session() -> str | None:
            return self._loaded.store.session.to_json() if self._loaded else None

        DiagnosticsWindow(self._memory, self._habits.settings, self._dialogs, session, self).show()

    def _on_load_failed(self, error: Exception) -> None:
        self._status.show_state("")
        logging.getLogger(__name__).error("what computes could not be loaded", exc_info=error)
        self.messages.say(f"The explorer can't compute: {error}. Check the installation (`pip install posenc-gui`).")

    def _join(self, place: Place) -> Loaded:
        """Fill the cards; what their parts say goes to the window."""
        from posenc_gui.app.bookmarks import Bookmarks, Shelf
        from posenc_gui.app.documents import Documents
        from posenc_gui.app.history import HistoryWindow
        from posenc_gui.app.labs.labs import Labs
        from posenc_gui.app.labs.memory import LabMemory
        from posenc_gui.app.present import Presenter
        from posenc_gui.app.progress import Progress
        from posenc_gui.app.workbench import Workbench

        arranger, theme = self._arranger, self._habits.theme
        workbench = Workbench(self.cards, theme, self._worker, self._dialogs, self)
        self._status.add_progress(Progress(self._worker, workbench))
        workbench.status.connect(self._status.show_state)
        workbench.hovered.connect(self._status.show_read)
        bookmarks = Bookmarks(self)
        documents = Documents(
            workbench.store, bookmarks, self._dialogs, self._recent, arranger, lambda: workbench.refused, self
        )
        workbench.tokens.shared.connect(documents.paste_share)
        documents.titled.connect(self.setWindowTitle)
        documents.asked.connect(lambda told, offers: self.messages.say(told, *offers))
        self._writer.failing.connect(lambda error: self._say_unkept(error, documents))
        self._status.save_wanted.connect(documents.ask_and_save)
        memory = LabMemory(self._memory.labs, place.underway, self._writer)
        labs = Labs(workbench, memory, self.cards, arranger.set_for_lab, arranger.give_back, theme, self)
        documents.lab_opened.connect(labs.desk.open)
        documents.leaving.connect(labs.desk.make_way)
        labs.desk.entering.connect(documents.leave)
        labs.desk.opened.connect(self._recent.add)
        for part in (workbench, documents, labs):
            part.said.connect(self.messages.say)
            part.done.connect(self.messages.tell)
        store = workbench.store
        shelf = Shelf(bookmarks, store, lambda: workbench.in_front, self._bring_plot, self, self.menuBar().height)
        shelf.said.connect(self.messages.say)
        presenter = Presenter(store, bookmarks, lambda: workbench.in_front, lambda: workbench.device, theme, self)
        shelf.list.presented.connect(self._present)
        return Loaded(workbench, documents, labs, HistoryWindow(store, self), bookmarks, shelf, presenter)

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

    def _bring_plot(self, name: str) -> None:
        self.cards[f"plot.{name}"].bring()

    def _say_unkept(self, error: Exception | None, documents: Documents) -> None:
        """Say that nothing will be there at the next start, as long as that is so, and offer to save it elsewhere."""
        told = ""
        if error:
            told = f"Nothing is kept for the next start, neither the session nor what is done in labs: {explain(error)}"
            self.messages.say(told, ("Save the session as …", documents.ask_and_save))
        self._status.say_unkept(told)

    def _add_devices(self, workbench: Workbench) -> None:
        devices = workbench.devices()

        def choose(device: str) -> None:
            self._habits.keep(device=device)
            workbench.set_device(device)

        self._menus.add(commands.of_devices(devices, self._habits, choose))
        if (device := self._habits.device_of(devices)) != "cpu":
            workbench.set_device(device)

    def _set_theme(self, theme: Roles) -> None:
        self._menus.set_theme(theme)
        for card in self.cards.values():
            card.set_theme(theme)
        if self._loaded:
            self._loaded.workbench.set_theme(theme)
            self._loaded.labs.set_theme(theme)
            self._loaded.presenter.set_theme(theme)


def _app() -> QApplication:
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    return app
