"""Identify in the window: numbers come by paste, drop and hand; nothing else changes until the verdict is used."""

from __future__ import annotations

import json
import math
import pickle
from pathlib import Path

import numpy as np
import pytest
import torch
from hands import action, banner, choose_arrangement, drop, session_of
from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QLabel, QPlainTextEdit, QPushButton, QTableView, QWidget

import posenc_gui as pe
from posenc_gui.app.documents.file_content import reads_as_numbers
from posenc_gui.app.state.worker import Worker
from posenc_gui.app.widgets.headline_label import FittedSentence
from posenc_gui.app.window.identify_page import IdentifyPage
from posenc_gui.app.window.main_window import MainWindow
from posenc_gui.render.screen import FigureView

pytestmark = pytest.mark.one_window

COSINES = [[math.cos(m * 100 ** (-2 * (i % 4) / 8)) for i in range(8)] for m in range(1, 6)]  # RoPE's, of base 100


def page_of(window: MainWindow) -> IdentifyPage:
    """The page, once it was asked for."""
    return window.findChild(IdentifyPage)


def paste(window: MainWindow, text: str) -> None:
    """Press Ctrl+V where no text field has the keyboard."""
    QGuiApplication.clipboard().setText(text)
    window.workbench.plots["attention"].view.setFocus()
    QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)


def verdict(window: MainWindow, qtbot) -> str:
    """What the page says once it has compared."""
    qtbot.waitUntil(lambda: page_of(window) is not None and not page_of(window).findChild(Worker).busy)
    return page_of(window).findChild(FittedSentence).accessibleName()


def of_page(window: MainWindow, kind: type[QWidget], says: str) -> QWidget:
    """A control of the page by its accessible name, or by what stands on it."""
    return next(
        one for one in page_of(window).findChildren(kind) if says in (one.accessibleName(), one.property("text"))
    )


def in_sight(window: MainWindow) -> list[tuple[str, tuple[int, ...]]]:
    """The cards in view, and where they stand."""
    return sorted((name, card.geometry().getRect()) for name, card in window.cards.items() if card.in_view)


@pytest.fixture(autouse=True)
def _leave(window):
    """The window is as it was after each test."""
    yield
    if page_of(window):
        page_of(window).leave()


def test_pasted_numbers_get_a_verdict_and_escape_gives_back_the_window(window, qtbot) -> None:
    before, cards = session_of(window), in_sight(window)
    paste(window, json.dumps(COSINES))
    keyboard = window.workbench.plots["attention"].view
    told = verdict(window, qtbot)
    assert page_of(window).isVisible()
    assert "RoPE" in told
    assert "100" in told
    assert "from position 1" in told
    assert of_page(window, QComboBox, "They are").currentText() == "cosines (found)"
    QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Escape)
    assert not page_of(window).isVisible()
    assert (session_of(window), in_sight(window), QApplication.focusWidget()) == (before, cards, keyboard)
    action(window, "Identify numbers").trigger()
    assert verdict(window, qtbot) == told  # it was kept


def test_text_that_is_no_numbers_is_left_to_the_sentence(window) -> None:
    paste(window, "the 3 cats sat on 2 mats")
    assert page_of(window) is None or not page_of(window).isVisible()
    assert [*map(reads_as_numbers, ("tensor([[1., 2., 3.]])", "1,2\n3,4", "three blind mice", "3 blind mice"))] == [
        1,
        1,
        0,
        0,
    ]


def test_use_this_encoding_is_one_step_of_undo(window, qtbot, settle) -> None:
    before = session_of(window)
    paste(window, json.dumps(COSINES))
    verdict(window, qtbot)
    QTest.mouseClick(of_page(window, QPushButton, "Use this encoding"), Qt.MouseButton.LeftButton)
    settle(window)
    now = session_of(window)
    assert (now.encoding.name, round(now.encoding.base, 6), now.start) == ("rope", 100, 1)
    assert not page_of(window).isVisible()
    assert "RoPE" in banner(window)
    window.workbench.store.undo()
    settle(window)
    assert session_of(window) == before


def test_what_is_read_can_be_corrected(window, qtbot) -> None:
    paste(window, json.dumps(COSINES))
    verdict(window, qtbot)
    kinds = of_page(window, QComboBox, "They are")
    kinds.setCurrentIndex(kinds.findData("table"))
    kinds.activated.emit(kinds.currentIndex())
    told = verdict(window, qtbot)
    assert "position 1" not in told
    assert kinds.currentText() == "a table of positions"
    kinds.setCurrentIndex(kinds.findData("rotated"))
    kinds.activated.emit(kinds.currentIndex())
    assert "before" in verdict(window, qtbot)
    assert QApplication.focusWidget() is of_page(window, QPlainTextEdit, "The query before")
    rope, q = pe.encoding("rope", pairing="half"), torch.randn(5, 8, dtype=torch.float64)
    paste(window, f"{rope.rotate(q, torch.arange(5)).tolist()} {q.tolist()}")
    verdict(window, qtbot)
    kinds.setCurrentIndex(kinds.findData("rotated"))
    kinds.activated.emit(kinds.currentIndex())
    assert "RoPE, half-split" in verdict(window, qtbot)


def test_an_empty_clipboard_and_numbers_while_a_figure_has_the_keyboard_leave_the_page(window, qtbot) -> None:
    paste(window, json.dumps(COSINES))
    told = verdict(window, qtbot)
    QGuiApplication.clipboard().clear()
    page_of(window).paste()
    assert "no text" in verdict(window, qtbot)
    paste(window, json.dumps(COSINES))
    assert verdict(window, qtbot) == told
    page_of(window).findChild(QTableView).setFocus()
    page_of(window).take(json.dumps([[2.0, 1.0], [1.0, 2.0]]))
    assert verdict(window, qtbot) != told
    assert page_of(window).isVisible()


def test_what_the_numbers_cannot_tell_stands_below_the_verdict(window, qtbot) -> None:
    paste(window, json.dumps([10000.0 ** (-i / 8) for i in range(8)]))
    verdict(window, qtbot)
    told = next(one for one in page_of(window).findChildren(QLabel) if "pairing" in one.accessibleName())
    assert told.isVisible()
    assert "print(" in told.text()
    told.linkActivated.emit("0")  # its Copy
    assert QGuiApplication.clipboard().text().startswith("print(")


def test_numbers_of_no_convention_are_not_said_to_be_found(window, qtbot) -> None:
    paste(window, json.dumps(np.random.default_rng(0).normal(size=(8, 16)).tolist()))
    assert verdict(window, qtbot).startswith("No convention that is known here.")
    assert not any("found)" in of_page(window, QComboBox, says).currentText() for says in ("They are", "Rows are"))


@pytest.mark.parametrize("name", ["q.npy", "q.csv", "q.txt"])
def test_a_file_of_numbers_may_be_dropped(name: str, window, qtbot, tmp_path) -> None:
    path = tmp_path / name
    np.save(path, COSINES) if name == "q.npy" else np.savetxt(path, COSINES, delimiter=",")
    drop(window, path)
    assert "RoPE" in verdict(window, qtbot)
    choose_arrangement(window, "Explore")
    assert not page_of(window).isVisible()


class Evil:
    """A pickle that writes a file when it is opened."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return (Path.touch, (self.path,))


def test_a_pickle_with_code_is_refused_and_not_executed(window, qtbot, tmp_path) -> None:
    path, touched = tmp_path / "q.pt", tmp_path / "touched"
    path.write_bytes(pickle.dumps(Evil(touched)))
    drop(window, path)
    assert "q.pt" in verdict(window, qtbot)
    assert not touched.exists()


@pytest.mark.parametrize("text", ["[[1, 2, 3], [4, 5]]", "[1, 2, 3, …, 9]", "[[nan, nan, nan]]", "[1, 2, 3"])
def test_rubbish_gets_a_sentence_and_stays_in_the_field(text: str, window, qtbot) -> None:
    paste(window, text)
    told = verdict(window, qtbot)
    assert told.endswith(".")
    assert "RoPE" not in told
    assert of_page(window, QPlainTextEdit, "Numbers").toPlainText() == text


@pytest.mark.slow
@pytest.mark.parametrize(("count", "least"), [(700_000, 10), (1_000_000, 1)])  # read in a process, and refused at once
def test_a_million_rows_leave_the_window_quick(count: int, least: int, window, qtbot) -> None:
    turns: list[None] = []
    clock = QTimer(window, interval=0)
    clock.timeout.connect(lambda: turns.append(None))
    text = "[" + ",\n".join(["[0.25, 0.5, 0.125, 0.75]"] * count) + "]"
    paste(window, text)
    clock.start()
    assert verdict(window, qtbot).endswith(".")
    clock.stop()
    assert len(turns) >= least
    assert len(of_page(window, QPlainTextEdit, "Numbers").toPlainText()) < 30_000


def test_a_pressed_convention_is_set_against_the_verdict(window, qtbot) -> None:
    paste(window, json.dumps(COSINES))
    verdict(window, qtbot)
    table = page_of(window).findChild(QTableView)
    row = table.model().index(2, 0)
    QTest.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=table.visualRect(row).center())
    verdict(window, qtbot)
    titles = [panel.title for view in page_of(window).findChildren(FigureView) for panel in view.figure().panels]
    assert any(title.casefold().startswith(row.data().casefold()) for title in titles[-3:])  # its attention
