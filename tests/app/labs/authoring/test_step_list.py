"""The list in which a lab's steps are moved and removed."""

from __future__ import annotations

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QWidget

from posenc_gui.app.labs.authoring.step_parts import StepList
from posenc_gui.labs.definition import lab_library


def test_a_step_that_is_dropped_on_another_one_does_not_replace_it(qtbot) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)
    rows = StepList(lab_library.lab("waves"), parent).rows
    rows.resize(400, 300)
    rows.setDragDropMode(rows.DragDropMode.DragDrop)  # so that a drop without a hand's drag before it is taken
    steps = set(rows.order)
    dropped = rows.model().mimeData([rows.model().index(0, 0)])
    place = QPointF(rows.visualItemRect(rows.item(3)).center())
    held = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    rows.dropEvent(QDropEvent(place, Qt.DropAction.MoveAction, dropped, *held))
    assert rows.count() == len(steps) + 1  # a drag then takes the row away that was dragged
    assert set(rows.order) == steps
