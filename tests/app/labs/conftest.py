"""Learners: one window for all of a module's tests, which each of them finds as it is at first."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from example import LAB
from hands import User, action, banner, close_banner
from lab_hands import Learner
from one_window import let_go
from patience import PatientBot
from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QAbstractButton, QApplication

from posenc_gui.app.labs import played_lab
from posenc_gui.app.state.settings import Memory
from posenc_gui.app.state.worker import Worker
from posenc_gui.app.widgets import style_sheet
from posenc_gui.app.widgets.questions import Questions
from posenc_gui.app.window.main_window import MainWindow
from posenc_gui.foundation.theme import LIGHT

SIZE = 1280, 800


@pytest.fixture(autouse=True)
def _notice_at_once(request, monkeypatch) -> None:
    """Whole labs need not wait until it is sure that a hand has finished."""
    if "patient" not in request.keywords:
        monkeypatch.setattr(played_lab, "NOTICED", 0)
        monkeypatch.setattr(played_lab, "TYPED", 0)


@pytest.fixture(scope="module")
def memory(tmp_path_factory) -> Path:
    """The folder of a module's window."""
    return tmp_path_factory.mktemp("labs") / "memory"


@pytest.fixture(scope="module")
def shared(qapp: QApplication, request, memory: Path) -> Iterator[MainWindow]:
    """A module's window."""
    window = MainWindow(Memory(memory))
    with PatientBot(request).waitSignal(window.ready):
        window.show()
    yield window
    window.end()
    let_go([window])


@pytest.fixture
def learner(qapp: QApplication, shared: MainWindow, memory: Path, user: User, settle, qtbot) -> Learner:
    """Who has done no lab yet, in the module's window as it is at first."""
    style_sheet.apply(LIGHT, shared)
    if shared.findChild(Questions, "questions").isVisible():  # the window's first learner
        shared.findChild(QAbstractButton, "unfold").click()
    shared.labs.desk.leave()
    if writer := shared.labs.writer:
        writer.close()
        shared.labs.drop_step()
        writer.another_wanted.emit()
        writer.findChild(Worker).close()
        shared.labs.writer = None  # the next one is made anew
        writer.deleteLater()
        qapp.sendPostedEvents(writer, QEvent.Type.DeferredDelete)
    for record in (memory / "labs").glob("*.json"):
        record.unlink()
    shared.labs.panel.home.filter.clear()
    shared.documents.new()
    shared.resize(*SIZE)
    action(shared, "Reset layout").trigger()
    shared.activateWindow()
    if banner(shared):
        close_banner(shared)
    settle(shared)
    return Learner(shared, user, qtbot)


@pytest.fixture
def again(open_window, user, qtbot) -> Callable[[Learner], Learner]:
    """Close the window and open it once more on the same folder."""

    def closed_and_opened(before: Learner) -> Learner:
        before.window.close()
        return Learner(open_window(), user, qtbot)

    return closed_and_opened


@pytest.fixture
def own_lab(tmp_path: Path) -> Path:
    """A lab's file, with one step."""
    path = tmp_path / "own.md"
    path.write_text(LAB[: LAB.index("## How many tokens?")], encoding="utf-8")
    return path
