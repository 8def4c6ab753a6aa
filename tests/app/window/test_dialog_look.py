"""All dialogs have one look: one filled button, last in the foot; none is higher than a small screen; Escape closes each.

What is opened and closed leaves nothing behind.
"""

from __future__ import annotations

import pytest
from hands import LEFT, action
from PySide6.QtCore import QEvent, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton, QWidget

from posenc_gui.app.widgets.dialogs import HIGHEST, Dialog

pytestmark = pytest.mark.one_window

READ = ("Keys and mouse", "Glossary", "Measures and requirements", "About", "History")  # nothing is done in them
FILLED = {
    "Diagnostics": "Copy",
    "Plan of the lesson": "Begin the lesson",
    "Bookmarks": "Present",
    "Make this state a step": "Go on to Do",
    "Export …": "Save as …",
    "Export all plots in view": "Save as …",
    "Export animation": "Save as …",
}


def opened(window, title: str) -> Dialog:
    action(window, title).trigger()
    (dialog,) = (one for one in window.findChildren(Dialog) if one.isVisible())
    return dialog


def filled(dialog: QWidget) -> list[QPushButton]:
    return [one for one in dialog.findChildren(QPushButton) if one.isVisible() and one.property("accent")]


@pytest.mark.slow
@pytest.mark.parametrize("title", [*READ, *FILLED])
def test_a_dialog_fits_a_small_screen_has_one_filled_button_at_its_end_and_ends_by_escape(window, qtbot, title) -> None:
    dialog = opened(window, title)
    assert dialog.height() <= HIGHEST
    assert not dialog.isModal() or title not in READ
    margins = dialog.body.contentsMargins()
    assert {margins.left(), margins.top(), margins.right(), margins.bottom()} == {16}
    buttons = [one for one in dialog.findChildren(QPushButton) if one.isVisible()]
    words = [one.text().replace("&", "") for one in filled(dialog)]
    assert words == ([FILLED[title]] if title in FILLED else [])
    for button in filled(dialog):
        end = button.mapTo(dialog, button.rect().bottomRight())
        ends = [one.mapTo(dialog, one.rect().bottomRight()) for one in buttons]
        assert (end.x(), end.y()) == (max(one.x() for one in ends), max(one.y() for one in ends))
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: not any(one.isVisible() for one in window.findChildren(Dialog)))


@pytest.mark.own_window  # whose number of widgets is counted
@pytest.mark.slow
def test_dialogs_leave_no_widgets_behind_however_often_they_are_opened(window, qtbot) -> None:
    def left() -> int:
        for title in (*READ, *FILLED):
            opened(window, title).close()
        qtbot.wait(0)
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        return len(QApplication.allWidgets())

    after_the_first_time = left()
    assert [left() for _ in range(2)] == 2 * [after_the_first_time]


@pytest.mark.slow
def test_the_plan_begins_the_lesson(window, settle) -> None:
    (begin,) = filled(opened(window, "Plan of the lesson"))
    QTest.mouseClick(begin, LEFT)
    settle(window)
    assert window.cards["lab"].in_view
    assert window.labs.desk.play.lab.name == "lesson"
