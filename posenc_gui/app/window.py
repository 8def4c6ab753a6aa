"""The window: cards and their arrangement, menus, and the start, which paints before anything heavy is imported."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from PySide6.QtCore import QByteArray, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QAction,
    QActionGroup,
    QCloseEvent,
    QDragEnterEvent,
    QDropEvent,
    QKeySequence,
    QPaintEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QHBoxLayout,
    QLabel,
    QMainWindow,
    QMenu,
    QMessageBox,
    QTabBar,
    QTabWidget,
    QToolButton,
)

from posenc_gui import __version__
from posenc_gui.app import theme as themes
from posenc_gui.app.card import Card
from posenc_gui.app.icons import icon
from posenc_gui.app.loading import load
from posenc_gui.app.settings import Arrangement, Memory
from posenc_gui.app.worker import Worker
from posenc_gui.discovery import modules

if TYPE_CHECKING:
    from posenc_gui.app.documents import Documents
    from posenc_gui.app.labs import Labs
    from posenc_gui.app.workbench import Workbench
    from posenc_gui.session import Session

ARRANGEMENT = 4  # raised when cards are renamed, so that older arrangements are not applied
_WIDEST_MESSAGE = 720  # pixels
_PASSES_AFTER = 6000  # milliseconds until a message of success goes
_LEFT = 320  # pixels of the left column
_LAB = 310  # pixels of the lab's column, at least

# Under the attention maps: the tabs on the left and on the right. Any other plot opens as a tab beside the maps.
_BELOW = (("waves", "encoding", "combined"), ("dials", "row", "why", "projections", "angles"))


class MainWindow(QMainWindow):
    """The explorer's window."""

    ready = Signal()  # everything is imported and the first picture is on its way

    def __init__(self, memory: Memory, path: Path | None = None) -> None:
        super().__init__()
        self._memory, self._asked_for = memory, path
        self._settings = memory.settings()
        self._theme = themes.theme_for(self._settings.theme, _app())
        themes.apply(self._theme, _app())
        self._worker = Worker(self)
        self.workbench: Workbench | None = None
        self.documents: Documents | None = None
        self.labs: Labs | None = None
        self._own_arrangement: Arrangement | None = None  # the user's, while a lab has its own
        self._painted = False
        self.setObjectName("window")
        self.setWindowTitle("Positional encodings")
        self.resize(QSize(1280, 800))
        self.setAcceptDrops(True)
        self.setDockNestingEnabled(True)
        self.setTabPosition(Qt.DockWidgetArea.AllDockWidgetAreas, QTabWidget.TabPosition.North)
        self.cards = self._make_cards()
        self._arrange()
        self._banner, self._banner_text = self._make_banner()
        self._passing = QTimer(self, singleShot=True, interval=_PASSES_AFTER)
        self._passing.timeout.connect(self._banner.hide)
        self._hover = _plain_label()
        self._status = _plain_label("Loading torch …")
        self.statusBar().addWidget(self._hover, 1)
        self.statusBar().addPermanentWidget(self._status)
        self._make_menus()
        self._restore()
        _app().styleHints().colorSchemeChanged.connect(self._on_scheme)

    @property
    def busy(self) -> bool:
        """Whether the worker is computing, or about to."""
        return self._worker.busy or bool(self.workbench and not self.workbench.at_rest)

    # --- start and end

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        """After the first paint, load what is heavy."""
        super().paintEvent(event)
        if not self._painted:
            self._painted = True
            self._worker.finished.connect(self._on_loaded)
            self._worker.failed.connect(self._on_load_failed)
            QTimer.singleShot(0, lambda: self._worker.submit(load))

    def closeEvent(self, event: QCloseEvent) -> None:  # noqa: N802
        """Remember the arrangement and the session, and let running work end."""
        self._keep_arrangement()
        if self.labs:
            self.labs.close()
        if self.documents:
            self.documents.keep()
            self._keep_settings(file=str(self.documents.path or ""))
        self._worker.close()
        self.hide()  # a running export may take a second to end
        if self.workbench:
            self.workbench.exporter.close()
        super().closeEvent(event)

    def _on_loaded(self) -> None:
        self._worker.finished.disconnect(self._on_loaded)
        self._worker.failed.disconnect(self._on_load_failed)
        from posenc_gui.app.documents import Documents
        from posenc_gui.app.labs import Labs
        from posenc_gui.app.workbench import Workbench

        session, path, why = self._first_session()
        self.workbench = Workbench(self.cards, session, self._theme, self._worker, self)
        self.workbench.status.connect(self._status.setText)
        self.workbench.hovered.connect(self._hover.setText)
        self.workbench.said.connect(self.say)
        self.workbench.done.connect(self.tell)
        self.documents = Documents(self.workbench.store, self._memory, path, self)
        self.documents.said.connect(self.say)
        self.documents.done.connect(self.tell)
        self.documents.titled.connect(self.setWindowTitle)
        self.documents.say_title()
        self.labs = Labs(
            self.workbench,
            self._memory,
            self.cards,
            self._arrange_for_lab,
            self._give_back_arrangement,
            self._labs_menu,
            self._theme,
            self,
        )
        self.labs.said.connect(self.say)
        self.labs.done.connect(self.tell)
        self.documents.lab_opened.connect(self.labs.desk.open)
        self._add_devices()
        self._add_plots()
        if why:
            self.say(why)
        self.labs.desk.resume()
        if self._asked_for:
            self.documents.open(self._asked_for)
        for action in self._needs_session:
            action.setEnabled(True)
        self.workbench.store.changed.connect(self._name_steps)
        self._name_steps()
        self.workbench.tokens.text_edit().setFocus()
        self.ready.emit()

    def _on_load_failed(self, error: Exception) -> None:
        self._status.setText("")
        self.say(f"The explorer can't compute: {error}. Check the installation (`pip install posenc-gui`).")

    def _first_session(self) -> tuple[Session, Path | None, str]:
        """The last session or the default one, its file, and why the last one can't be had."""
        from posenc_gui.app.documents import explain
        from posenc_gui.session import Session
        from posenc_gui.ways_in import first_session

        if not self._memory.last_session.exists():
            return first_session(), None, ""
        try:
            opened = Session.open(self._memory.last_session)
        except (OSError, ValueError) as error:
            self._memory.put_aside_last_session()
            return first_session(), None, f"The last session could not be reopened: {explain(error)}"
        path = Path(self._settings.file) if self._settings.file else None
        return opened.content, path, " ".join(opened.remarks)

    # --- what the user is told

    def say(self, sentence: str) -> None:
        """Tell the user what went wrong, in a line that stays until it is closed or replaced."""
        self._show_message(sentence, "problem")
        self._passing.stop()

    def tell(self, sentence: str) -> None:
        """Tell the user what was done, in a line that passes by itself."""
        self._show_message(sentence, "done")
        self._passing.start()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Messages stay at the top, in the middle."""
        super().resizeEvent(event)
        self._place_banner()

    def _show_message(self, sentence: str, kind: str) -> None:
        self._banner_text.setText(sentence)
        self._banner.setProperty("kind", kind)
        self._banner.style().polish(self._banner)
        self._banner.show()
        self._place_banner()

    def _place_banner(self) -> None:
        """Over the cards rather than between them, so that nothing moves away from under the mouse; never over a lab."""
        lab = self.cards["lab"]
        room = lab.x() if lab.in_view and not lab.isFloating() and lab.x() > self.width() // 2 else self.width()
        self._banner.setFixedWidth(min(_WIDEST_MESSAGE, room - 40))
        self._banner.adjustSize()
        self._banner.move((room - self._banner.width()) // 2, self.menuBar().height() + 6)
        self._banner.raise_()

    def _make_banner(self) -> tuple[QFrame, QLabel]:
        banner = QFrame(self)
        banner.setObjectName("banner")
        text = _plain_label()
        text.setWordWrap(True)
        close = QToolButton()
        close.setText("Close")
        close.setAccessibleName("Close this message")
        close.clicked.connect(banner.hide)
        line = QHBoxLayout(banner)
        line.addWidget(text, 1)
        line.addWidget(close)
        banner.hide()
        return banner, text

    # --- cards

    def _make_cards(self) -> dict[str, Card]:
        names = {"tokens": "Tokens", "encoding": "Encoding", "model": "Toy model", "code": "Code", "lab": "Labs"}
        names |= {f"plot.{name}": name.capitalize() for name in modules("posenc_gui.plots")}
        return {name: Card(name, title, self._theme, self) for name, title in names.items()}

    def _arrange(self) -> None:
        """The default arrangement: what is chosen on the left, attention large, the other plots in tabs below it."""
        cards = self.cards
        area = Qt.DockWidgetArea.LeftDockWidgetArea
        self._take_all_out()
        attention = cards["plot.attention"]
        below = [[cards[f"plot.{name}"] for name in names] for names in _BELOW]
        placed = {card for tabs in below for card in tabs} | {attention}
        others = [card for name, card in cards.items() if name.startswith("plot.") and card not in placed]
        left, right = below[0][0], below[1][0]
        self.addDockWidget(area, cards["tokens"])
        self.splitDockWidget(cards["tokens"], attention, Qt.Orientation.Horizontal)
        self.splitDockWidget(attention, cards["lab"], Qt.Orientation.Horizontal)
        self.splitDockWidget(cards["tokens"], cards["encoding"], Qt.Orientation.Vertical)
        self.splitDockWidget(attention, left, Qt.Orientation.Vertical)
        self.splitDockWidget(left, right, Qt.Orientation.Horizontal)
        for first, *behind in ([cards["encoding"], cards["model"], cards["code"]], *below, [attention, *others]):
            for card in behind:
                self.tabifyDockWidget(first, card)
        for card in cards.values():
            card.setVisible(card not in others)
        for card in (cards["encoding"], attention, left, right):
            card.raise_()
        width, height = self.width() - _LEFT - self._lab_width(), self.height() - 60
        across, down = Qt.Orientation.Horizontal, Qt.Orientation.Vertical
        self.resizeDocks([cards["tokens"], attention, cards["lab"]], [_LEFT, width, self._lab_width()], across)
        self.resizeDocks([left, right], [width // 2, width // 2], across)
        self.resizeDocks([attention, left], [int(height * 0.58), int(height * 0.42)], down)
        self.resizeDocks([cards["tokens"], cards["encoding"]], [int(height * 0.4), int(height * 0.6)], down)

    def _arrange_for_lab(self, panels: tuple[str, ...], plots: tuple[str, ...]) -> None:
        """What a lab's step wants: its panels on the left, its plots in the middle, the lab on the right."""
        if self._own_arrangement is None:
            self._own_arrangement = self._current_arrangement()
        self._take_all_out()
        area, across, down = Qt.DockWidgetArea.LeftDockWidgetArea, Qt.Orientation.Horizontal, Qt.Orientation.Vertical
        left, middle = [self.cards[name] for name in panels], [self.cards[f"plot.{name}"] for name in plots]
        lab = self.cards["lab"]
        columns = [column for column in (left, middle, [lab]) if column]
        self.addDockWidget(area, columns[0][0])
        for before, after in pairwise(columns):
            self.splitDockWidget(before[0], after[0], across)
        for column in columns:
            for above, below in pairwise(column[:2]):
                self.splitDockWidget(above, below, down)
            for card in column[2:]:
                self.tabifyDockWidget(column[1], card)
        for card in (*left, *middle, lab):
            card.show()
        for column in columns:
            column[min(1, len(column) - 1)].raise_()
        beside = self._lab_width()
        wanted = [*([_LEFT] if left else []), *([self.width() - _LEFT - beside] if middle else []), beside]
        self.resizeDocks([column[0] for column in columns], wanted, across)
        if len(middle) > 1:
            self.resizeDocks(middle[:2], [55, 45], down)
        if len(left) > 1:
            self.resizeDocks(left[:2], [40, 60], down)
        QTimer.singleShot(0, self, self._show_tab_bars)

    def _show_tab_bars(self) -> None:
        """Qt takes a bar that it hid before, and may leave it hidden; those that it no longer uses stay hidden."""
        bars = self.findChildren(QTabBar, options=Qt.FindChildOption.FindDirectChildrenOnly)
        for card in self.cards.values():
            behind = self.tabifiedDockWidgets(card)
            if not (card.in_view and behind):
                continue
            titles = {card.windowTitle(), *(other.windowTitle() for other in behind)}
            own = [bar for bar in bars if {bar.tabText(tab) for tab in range(bar.count())} == titles]
            if own and not any(bar.isVisible() for bar in own):
                own[-1].show()

    def _give_back_arrangement(self) -> None:
        """The arrangement that the user had before the lab, and the lab's card beside it."""
        if self._own_arrangement is not None:
            _geometry, state = self._own_arrangement.qt_bytes()
            self._take_all_out()
            self._arrange()
            self.restoreState(QByteArray(state), ARRANGEMENT)
            # Once more when the cards have let go of the room that they had: else it is shared out anew.
            QTimer.singleShot(0, self, lambda: self.restoreState(QByteArray(state), ARRANGEMENT))
            self._own_arrangement = None
        self.cards["lab"].bring()

    def _lab_width(self) -> int:
        return max(_LAB, self.width() // 5)

    def _take_all_out(self) -> None:
        for card in self.cards.values():
            card.setFloating(False)
            self.removeDockWidget(card)  # docks that move while they are tabbed leave their tab bars behind

    def _restore(self) -> None:
        arrangement = self._memory.take_arrangement(ARRANGEMENT)
        if arrangement is None:
            return
        geometry, state = arrangement.qt_bytes()
        self.restoreGeometry(QByteArray(geometry))
        self.restoreState(QByteArray(state), ARRANGEMENT)
        # It was taken out of its folder; once the window has stood a second with it, it goes back.
        QTimer.singleShot(1000, self, lambda: self._memory.keep_arrangement(arrangement))

    def _keep_arrangement(self) -> None:
        self._memory.keep_arrangement(self._own_arrangement or self._current_arrangement())

    def _current_arrangement(self) -> Arrangement:
        return Arrangement.of(ARRANGEMENT, self.saveGeometry().data(), self.saveState(ARRANGEMENT).data())

    def _reset_arrangement(self) -> None:
        self.resize(QSize(1280, 800))
        self._arrange()

    # --- menus

    def _make_menus(self) -> None:
        self._needs_session: list[QAction] = []
        documents = self._documents_do
        file = self.menuBar().addMenu("&File")
        self._add(file, "&New session", lambda: documents("new"), QKeySequence.StandardKey.New)
        open_ = self._add(file, "&Open …", lambda: documents("ask_and_open"), QKeySequence.StandardKey.Open)
        save = self._add(file, "&Save", lambda: documents("save"), QKeySequence.StandardKey.Save)
        self._pictured = {"open": open_, "save": save}
        self._draw_icons()
        self._add(file, "Save &as …", lambda: documents("ask_and_save"), QKeySequence("Ctrl+Shift+S"))
        file.addSeparator()
        quit_action = file.addAction("&Quit", self.close)
        quit_action.setShortcut(QKeySequence.StandardKey.Quit)

        edit = self.menuBar().addMenu("&Edit")
        self._undo = self._add(edit, "&Undo", lambda: self._store_do("undo"), QKeySequence.StandardKey.Undo)
        self._redo = self._add(edit, "&Redo", lambda: self._store_do("redo"), QKeySequence.StandardKey.Redo)
        edit.addSeparator()
        self._add(
            edit, "&Back to the session as it was opened", lambda: documents("revert"), QKeySequence("Ctrl+Shift+R")
        )

        self._plots_menu = self.menuBar().addMenu("&Plots")
        self._plots_menu.setEnabled(False)
        view = self.menuBar().addMenu("&View")
        panels = view.addMenu("&Panels")
        for name, card in self.cards.items():
            if not name.startswith("plot."):
                panels.addAction(card.toggleViewAction())
        self._add_choices(
            view.addMenu("&Theme"),
            {"system": "Follow the system", "light": "Light", "dark": "Dark"},
            self._settings.theme,
            self._choose_theme,
        )
        view.addSeparator()
        view.addAction("&Reset the arrangement", self._reset_arrangement)

        self._labs_menu = self.menuBar().addMenu("&Labs")
        self._labs_menu.setEnabled(False)
        self._device_menu = self.menuBar().addMenu("&Device")
        self._device_menu.setEnabled(False)
        help_menu = self.menuBar().addMenu("&Help")
        help_menu.addAction("&Keys and mouse", self._show_keys)
        self._add(help_menu, "&Measures and requirements", self._show_measures, QKeySequence())
        help_menu.addAction("&About", self._show_about)
        for action in self._needs_session:
            action.setEnabled(False)

    def _add(
        self, menu: QMenu, text: str, run: Callable[[], None], keys: QKeySequence | QKeySequence.StandardKey
    ) -> QAction:
        action = menu.addAction(text, run)
        action.setShortcut(keys)
        self._needs_session.append(action)
        return action

    def _add_choices(
        self, menu: QMenu, choices: dict[str, str], chosen: str, choose: Callable[[str], None]
    ) -> QActionGroup:
        group = QActionGroup(menu)
        for value, text in choices.items():
            action = menu.addAction(text, lambda value=value: choose(value))
            action.setCheckable(True)
            action.setChecked(value == chosen)
            group.addAction(action)
        return group

    def _documents_do(self, what: str) -> None:
        if self.documents:
            getattr(self.documents, what)()

    def _store_do(self, what: str) -> None:
        if self.workbench:
            getattr(self.workbench.store, what)()

    def _name_steps(self) -> None:
        """Undo and redo say what they would do."""
        assert self.workbench
        store = self.workbench.store
        for action, verb, step in ((self._undo, "&Undo", store.undo_name), (self._redo, "&Redo", store.redo_name)):
            action.setText(f"{verb}: {step.replace('&', '&&')}" if step else verb)
            action.setEnabled(bool(step))

    def _add_plots(self) -> None:
        """The plots in their groups, which are known only now."""
        from posenc_gui.plots import plots
        from posenc_gui.plots.base import Group

        groups: dict[str, QMenu] = {}
        for name, plot in plots().items():
            if plot.group not in groups:
                groups[plot.group] = QMenu(plot.group, self._plots_menu)
                groups[plot.group].setToolTipsVisible(True)
            action = self.cards[f"plot.{name}"].toggleViewAction()
            action.setToolTip(plot.summary)
            groups[plot.group].addAction(action)
        for group in get_args(Group):
            self._plots_menu.addMenu(groups[group])
        self._plots_menu.setEnabled(True)

    def _add_devices(self) -> None:
        assert self.workbench
        devices = self.workbench.devices()
        device = self._settings.device if self._settings.device in devices else "cpu"
        self._add_choices(self._device_menu, devices, device, self._choose_device)
        self._device_menu.setEnabled(True)
        if device != "cpu":
            self.workbench.set_device(device)

    def _choose_device(self, device: str) -> None:
        self._keep_settings(device=device)
        if self.workbench:
            self.workbench.set_device(device)

    def _choose_theme(self, choice: themes.Choice) -> None:
        self._keep_settings(theme=choice)
        self._set_theme(themes.theme_for(choice, _app()))

    def _on_scheme(self) -> None:
        if self._settings.theme == "system":
            self._set_theme(themes.theme_for("system", _app()))

    def _set_theme(self, theme: themes.Theme) -> None:
        self._theme = theme
        themes.apply(theme, _app())
        self._draw_icons()
        for card in self.cards.values():
            card.set_theme(theme)
        if self.workbench:
            self.workbench.set_theme(theme)
        if self.labs:
            self.labs.set_theme(theme)

    def _draw_icons(self) -> None:
        for name, action in self._pictured.items():
            action.setIcon(icon(name, self._theme.ink))

    def _keep_settings(self, **changes: str) -> None:
        self._settings = self._settings.model_copy(update=changes)
        self._memory.keep_settings(self._settings)

    # --- files dropped on the window

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:  # noqa: N802
        """Files can be dropped."""
        if self.documents and any(url.isLocalFile() for url in event.mimeData().urls()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:  # noqa: N802
        """Open the first file that was dropped."""
        path = next((url.toLocalFile() for url in event.mimeData().urls() if url.isLocalFile()), "")
        if path and self.documents:
            self.documents.open(Path(path))

    # --- help

    def _show_keys(self) -> None:
        _inform(
            self,
            "Keys and mouse",
            "Tab goes from control to control; in the tokens, arrow keys choose one.\n"
            "In a plot, arrow keys move the crosshair, Enter puts the token under it in focus, Escape takes it away.\n"
            "Drag moves a plot, the wheel zooms, a double click shows everything again.\n"
            "A click on a map or a curve puts that token in focus everywhere.\n"
            "Drag a card by its title to move or float it; Plots and View ▸ Panels bring closed cards back.",
        )

    def _show_measures(self) -> None:
        from posenc_gui.measures import measures
        from posenc_gui.measures.base import SIGNATURE
        from posenc_gui.measures.requirements import definitions

        asked = "\n".join(f"{one.title}: {one.summary}" for one in measures().values())
        required = "\n\n".join(f"{one.title}. {one.definition}" for one in definitions().values())
        text = f"MEASURES\n{asked}\n\nTHE SIX REQUIREMENTS\n{SIGNATURE}\n\n{required}\n\nWhat isn't defined isn't met."
        _inform(self, "Measures and requirements", text)

    def _show_about(self) -> None:
        _inform(
            self,
            "About",
            f"Positional encodings, an explorer. Version {__version__}.\n\n"
            "Every number is computed here, by a toy model with seeded weights: it shows what an encoding does, "
            "not what a trained model has learned.\n\n"
            "Made with Qt for Python (LGPL 3), pyqtgraph, PyTorch and Matplotlib.",
        )


def _app() -> QApplication:
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    return app


def _plain_label(text: str = "") -> QLabel:
    label = QLabel(text)
    label.setTextFormat(Qt.TextFormat.PlainText)
    return label


def _inform(parent: QMainWindow, title: str, text: str) -> None:
    box = QMessageBox(QMessageBox.Icon.NoIcon, title, text, QMessageBox.StandardButton.Close, parent)
    box.setTextFormat(Qt.TextFormat.PlainText)
    box.open()
