"""All encodings in the window: a matrix of dots whose rows are chosen and compared, and which says its numbers."""

from __future__ import annotations

import pytest
from hands import bring_forward
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QTableView

import posenc_gui as pe
from posenc_gui.figure.panels import Dotted

pytestmark = pytest.mark.slow


def test_a_row_is_chosen_by_a_press_and_compared_with_shift(window, settle) -> None:
    bring_forward(window, "comparison")
    settle(window)
    grid = window.workbench.plots["comparison"].view.findChild(QTableView)
    table = window.workbench.plots["comparison"].view.figure().panels[0]
    names = [row[1] for row in table.rows]

    def press(title: str, held: Qt.KeyboardModifier) -> None:
        index = grid.model().index(names.index(title), 1)
        grid.scrollTo(index)
        QTest.mouseClick(grid.viewport(), Qt.MouseButton.LeftButton, held, grid.visualRect(index).center())
        settle(window)

    press("xPos", Qt.KeyboardModifier.NoModifier)
    assert window.workbench.store.session.encoding == pe.encoding("xpos")
    press("ALiBi", Qt.KeyboardModifier.ShiftModifier)
    assert window.workbench.store.session.encoding == pe.encoding("xpos")
    assert window.workbench.store.session.other == pe.encoding("alibi")


def test_a_dot_says_its_number_at_the_pointer(window, settle, qtbot) -> None:
    bring_forward(window, "comparison")
    settle(window)
    grid = window.workbench.plots["comparison"].view.findChild(QTableView)
    (table,) = window.workbench.plots["comparison"].view.figure().panels
    row, column = table.focus, table.header.index("Unique")
    assert isinstance(table.rows[row][column], Dotted)
    assert grid.model().index(row, column).data() == "●"
    with qtbot.waitSignal(window.workbench.hovered) as hovered:
        grid.entered.emit(grid.model().index(row, column))
    assert hovered.args == [f"{table.rows[row][0]} · {table.rows[row][1]} · Unique: {table.rows[row][column]!s}"]


@pytest.mark.parametrize(
    ("encoding", "told"),
    [
        ("rope", "No encoding meets all six. Six meet five, RoPE among them: all but No new values."),
        (
            "alibi",
            "No encoding meets all six. Six meet five; ALiBi meets three: it lacks Unique, Bounded and No new values.",
        ),
        ("none", "No encoding meets all six. Six meet five: all but No new values."),
    ],
)
def test_the_headline_compares(encoding: str, told: str) -> None:
    figure = pe.plot("comparison", pe.Session(encoding=encoding))
    assert "".join(run.text for run in figure.headline) == told
    (table,) = figure.panels
    meet = [sum(cell.verdict == "met" for cell in row if isinstance(cell, Dotted)) for row in table.rows]
    assert meet.count(max(meet)) == 6
    assert max(meet) == 5
    unique = [row[table.header.index("Unique")].verdict for row in table.rows]
    assert table.counts[table.header.index("Unique")] == f"met by {unique.count('met')}"


def test_a_press_on_a_heading_sorts_by_it_and_a_second_by_door_again(window, settle) -> None:
    bring_forward(window, "comparison")
    settle(window)
    panel = window.workbench.plots["comparison"]
    head = panel.view.findChild(QTableView).horizontalHeader()
    (table,) = panel.view.figure().panels
    column = table.header.index("Unique")

    def press() -> str:
        at = QPoint(head.sectionViewportPosition(column) + head.sectionSize(column) // 2, head.height() // 2)
        QTest.mouseClick(head.viewport(), Qt.MouseButton.LeftButton, pos=at)
        settle(window)
        return window.workbench.store.session.options_of("comparison").sort

    assert press() == "unique"
    (table,) = panel.view.figure().panels
    met = [row[column].verdict == "met" for row in table.rows]
    assert met == sorted(met, reverse=True)
    assert head.model().headerData(column, Qt.Orientation.Horizontal).startswith("Unique")
    assert "↓" in table.heading(column)
    assert press() == "door"
