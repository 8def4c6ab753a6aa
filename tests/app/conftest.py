"""Windows for tests: shown, loaded, and settled, which means that they show the session they hold."""

from __future__ import annotations

import math
import os
import shutil
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pyqtgraph as pg
import pytest
from garbage import garbage_timer  # noqa: F401  (of all tests here)
from hands import User
from one_window import OneWindow, default_memory, let_go
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QAbstractButton, QApplication, QFileDialog, QWidget

from posenc_gui.app.state import store
from posenc_gui.app.state.settings import Memory
from posenc_gui.app.state.worker import Worker
from posenc_gui.app.widgets import style_sheet
from posenc_gui.app.widgets.questions import Questions
from posenc_gui.app.window.main_window import MainWindow
from posenc_gui.foundation.theme import LIGHT
from posenc_gui.render.drawings import motion

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    import ziamath  # noqa: F401  (finds its fonts in an old way)


@pytest.fixture(scope="session", autouse=True)
def _as_run_does(qapp: QApplication) -> None:
    """The style of the real window."""
    qapp.setStyle("Fusion")
    pg.setConfigOption("mouseRateLimit", -1)  # pyqtgraph drops moves that come faster than a hand's


@pytest.fixture(autouse=True)
def _as_at_first() -> Iterator[None]:
    """Each test begins in the light theme."""
    yield
    style_sheet.apply(LIGHT, QWidget())


@pytest.fixture(autouse=True)
def _at_rest(monkeypatch) -> None:
    """Changes are seen for no time, so that pictures are those of the session as soon as they are drawn."""
    for lasts in ("MOVES", "FULL", "FADES"):
        monkeypatch.setattr(motion, lasts, 1e-9)


@pytest.fixture
def hurried(monkeypatch) -> None:
    """Changes of the same fields that follow each other are one step of undo, however slow the machine."""
    monkeypatch.setattr(store, "ONE_STEP", math.inf)


@pytest.fixture
def typing() -> Iterator[None]:
    """Letters that follow each other in a list are one word, however slow the machine."""
    usual = QApplication.keyboardInputInterval()
    QApplication.setKeyboardInputInterval(2**20)
    yield
    QApplication.setKeyboardInputInterval(usual)


@pytest.fixture
def unhurried(monkeypatch) -> None:
    """Each change is a step of undo, however quick the machine."""
    monkeypatch.setattr(store, "ONE_STEP", 0.0)


def settled(window: MainWindow) -> bool:
    """Whether a window reads nothing, is idle, and every visible plot shows the session that the store holds."""
    if (
        window.workbench is None
        or window.documents.is_reading
        or window.findChild(Worker).busy
        or window.workbench.drawing
    ):
        return False
    wanted = window.workbench.store.session.for_others.to_json()  # as figures carry it
    figures = [
        panel.view.figure() for name, panel in window.workbench.plots.items() if window.cards[f"plot.{name}"].in_view
    ]
    return all(figure is not None and figure.session == wanted for figure in figures)


@pytest.fixture
def settle(qtbot) -> Callable[[MainWindow], None]:
    """Wait until a window is settled."""

    def wait(window: MainWindow) -> None:
        qtbot.waitUntil(lambda: settled(window))

    return wait


@pytest.fixture(scope="module")
def _one_window(tmp_path_factory) -> Iterator[OneWindow]:
    """The window that tests of a module share."""
    one = OneWindow(tmp_path_factory.mktemp("one_window"))
    yield one
    one.end()


@pytest.fixture
def _come_up(qtbot, settle) -> Callable[[MainWindow], MainWindow]:
    """Show a window and wait for its pictures."""

    def wait(window: MainWindow) -> MainWindow:
        with qtbot.waitSignal(window.ready):
            window.show()
        settle(window)
        return window

    return wait


@pytest.fixture
def open_window(qtbot, settle, tmp_path, _one_window, _come_up) -> Iterator[Callable[..., MainWindow]]:
    """Open a window on a folder of its own (or a given one) and wait for its pictures; closed at the end.

    A first start has the usual column instead of the questions, unless those are wanted.
    """
    _one_window.end()  # it would take the pointer and the keyboard
    opened: list[MainWindow] = []

    def open_one(path: Path | None = None, folder: Path | None = None, *, first_start: bool = False) -> MainWindow:
        window = MainWindow(Memory(folder or tmp_path / "memory"), path)
        opened.append(window)
        qtbot.addWidget(window, before_close_func=MainWindow.end)  # which asks nothing about a step left unwritten
        _come_up(window)
        if not first_start and window.findChild(Questions, "questions").isVisible():
            window.findChild(QAbstractButton, "unfold").click()
            settle(window)
        return window

    yield open_one
    let_go(opened)


@pytest.fixture
def killed(tmp_path) -> Callable[[Path], Path]:
    """What a kill leaves of a window's memory now: its very files, which a later write replaces, and locks of nobody.

    The window itself goes on with its own memory: without one, it asks at its end whether the session may be lost.
    """

    def left(memory: Path) -> Path:
        after = tmp_path / f"{memory.name} after a kill"
        return shutil.copytree(
            memory, after, copy_function=os.link, ignore=shutil.ignore_patterns("lock", "*.unfinished")
        )

    return left


@pytest.fixture
def window(request, tmp_path) -> MainWindow:
    """A window on the default session: the module's, as at first, where that is marked `one_window`, and else its own."""
    marked = request.node.get_closest_marker
    if marked("one_window") and not marked("own_window") and "open_window" not in request.fixturenames:
        return request.getfixturevalue("shared_window")
    default_memory(tmp_path / "memory")
    return request.getfixturevalue("open_window")()


@pytest.fixture
def shared_window(settle, _one_window, _come_up) -> Iterator[MainWindow]:
    """The window of the module; a test that leaves something of itself in it fails."""
    yield _one_window.take(lambda folder: _come_up(MainWindow(Memory(folder))))
    if left := _one_window.give_back(settle):
        pytest.fail(f"The window isn't as at first. {left}")


@pytest.fixture
def announced(monkeypatch) -> list[str]:
    """What screen readers are told to say from now on."""
    words: list[str] = []
    tell = staticmethod(lambda event: words.append(event.message()))
    monkeypatch.setattr(QAccessible, "updateAccessibility", tell)
    return words


@pytest.fixture
def answer(monkeypatch) -> Callable[..., list[str]]:
    """What the user chooses in file dialogs from now on, "" for Cancel, and as which kind; gives where each begins."""

    def give(path: Path | str, kind: str = "") -> list[str]:
        began: list[str] = []
        chosen = (str(path), kind)
        for name, answered in (
            ("getOpenFileName", chosen),
            ("getSaveFileName", chosen),
            ("getExistingDirectory", str(path)),
        ):
            monkeypatch.setattr(QFileDialog, name, lambda *asked, said=answered: began.append(asked[2]) or said)
        return began

    return give


@pytest.fixture
def begun_processes() -> Callable[[], list[psutil.Process]]:
    """List the processes that were begun during the test and are there."""
    before = set(psutil.Process().children())
    return lambda: [process for process in psutil.Process().children() if process not in before]


@pytest.fixture
def user(settle) -> User:
    """Who uses the window."""
    return User(settle)
