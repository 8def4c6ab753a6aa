"""What is opened and closed leaves nothing behind, however often."""

from __future__ import annotations

import pytest
from hands import action
from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication, QWidget

from posenc_gui.app.window.main_window import MainWindow

OPENING = (
    *("Keys and mouse", "Glossary", "Measures and requirements", "Diagnostics", "About", "Plan of the lesson"),
    *("History", "Bookmarks", "Make this state a step"),
    *("Export …", "Export all plots in view", "Export animation"),
)


def shown() -> set[QWidget]:
    """All windows on the screen."""
    return {one for one in QApplication.topLevelWidgets() if one.isVisible()}


def open_and_close_all(qtbot, window: MainWindow) -> int:
    """Open each of the window's dialogs and close it; gives the number of widgets that are left."""
    before = shown()
    for title in OPENING:
        action(window, title).trigger()
        opened = shown() - before
        assert opened, title
        for one in opened:
            one.close()
    qtbot.wait(0)
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    return len(QApplication.allWidgets())


@pytest.mark.slow
def test_dialogs_leave_no_widgets_behind(window, qtbot) -> None:
    after_the_first_time = open_and_close_all(qtbot, window)
    assert [open_and_close_all(qtbot, window) for _ in range(3)] == 3 * [after_the_first_time]
