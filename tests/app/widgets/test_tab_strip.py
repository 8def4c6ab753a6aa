"""Tabs in one line, and the menu with those that have no room in it."""

from __future__ import annotations

import pytest
from hands import LEFT
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QTabBar, QToolButton

from posenc_gui.app.widgets.tab_strip import TabStrip, fit_tabs

TITLES = {name: name.capitalize() for name in ("attention", "waves", "clocks", "angles", "kernel", "similarity")}


@pytest.mark.parametrize(
    ("room", "front", "fitting"),
    [
        (400, 0, (0, 1, 2, 3)),
        (399, 0, (0, 1, 2)),
        (399, 3, (0, 1, 3)),
        (250, 2, (0, 2)),
        (149, 3, (3,)),
        (20, 1, (1,)),
    ],
)
def test_the_first_tabs_that_fit_are_shown_and_the_front_one_always(room: int, front: int, fitting) -> None:
    assert fit_tabs([100] * 4, front, room, more=40) == fitting


@pytest.fixture
def strip(qtbot) -> TabStrip:
    strip = TabStrip()
    qtbot.addWidget(strip)
    strip.show_tabs(TITLES, "clocks")
    strip.resize(2000, 28)
    strip.show()
    return strip


def shown(strip: TabStrip) -> list[str]:
    bar = strip.findChild(QTabBar)
    return [bar.accessibleTabName(index) for index in range(bar.count()) if bar.isTabVisible(index)]


def others(strip: TabStrip) -> list[str]:
    button = strip.findChild(QToolButton)
    button.menu().aboutToShow.emit()
    return [action.text() for action in button.menu().actions()] if button.isVisible() else []


def test_what_has_no_room_stands_in_a_menu_that_says_how_many_and_which(strip, qtbot) -> None:
    assert (shown(strip), others(strip)) == ([*TITLES.values()], [])
    strip.resize(strip.sizeHint().width() - 1, 28)
    assert (shown(strip), others(strip)) == ([*TITLES.values()][:5], ["Similarity"])
    strip.resize(strip.minimumSizeHint().width(), 28)
    assert shown(strip) == ["Clocks"]
    assert len(others(strip)) == 5
    button = strip.findChild(QToolButton)
    assert button.text() == "+5"
    assert button.accessibleName() == "5 more: Attention, Waves, Angles, Kernel and Similarity"
    assert button.geometry().right() < strip.width()
    with qtbot.waitSignal(strip.chosen) as chosen:
        button.menu().actions()[-1].trigger()
    assert chosen.args == ["similarity"]


def test_arrow_keys_and_clicks_ask_for_another_and_the_front_one_is_a_handle(strip, qtbot) -> None:
    asked: list[str] = []
    strip.chosen.connect(asked.append)
    bar = strip.findChild(QTabBar)
    strip.resize(strip.minimumSizeHint().width(), 28)
    QTest.keyClick(bar, Qt.Key.Key_Left)
    QTest.keyClick(bar, Qt.Key.Key_Right)  # it has no room, and is reached
    strip.resize(2000, 28)
    for index in range(bar.count()):
        QTest.mouseClick(bar, LEFT, pos=bar.tabRect(index).center())
    assert asked == ["waves", "angles", "attention", "waves", "angles", "kernel", "similarity"]


def test_a_tab_that_is_dragged_is_pulled_out_and_not_chosen(strip, qtbot) -> None:
    bar = strip.findChild(QTabBar)
    asked: list[str] = []
    strip.chosen.connect(asked.append)
    start = bar.tabRect(0).center()
    with qtbot.waitSignal(strip.pulled) as pulled:
        QTest.mousePress(bar, LEFT, pos=start)
        QTest.mouseMove(bar, start + QPoint(0, 40))
        QTest.mouseRelease(bar, LEFT, pos=start + QPoint(0, 40))
    assert pulled.args[0] == "attention"
    assert asked == []


def test_a_title_that_is_cut_ends_in_three_dots_and_is_told_whole(strip) -> None:
    strip.show_tabs({"adding": "Adding or appending"}, "adding")
    bar = strip.findChild(QTabBar)
    strip.resize(strip.sizeHint().width(), 28)
    assert (bar.tabText(0), bar.tabToolTip(0)) == ("Adding or appending", "")
    strip.resize(strip.sizeHint().width() - 20, 28)
    assert bar.tabText(0).startswith("Adding")
    assert bar.tabText(0).endswith("…")
    assert bar.tabToolTip(0) == bar.accessibleTabName(0) == "Adding or appending"
