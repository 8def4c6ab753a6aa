"""What a user does with a window, by real events, and what a user sees of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pyqtgraph as pg
from PySide6.QtCore import QEventLoop, QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QAction, QDragEnterEvent, QDropEvent, QGuiApplication, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QApplication,
    QCheckBox,
    QComboBox,
    QLabel,
    QLineEdit,
    QMenu,
    QPushButton,
    QTabBar,
    QToolButton,
    QWidget,
)

import posenc_gui as pe
from posenc_gui.app.panels.encoding_chooser import EncodingChoice
from posenc_gui.app.panels.token_chips import ChipsView
from posenc_gui.app.widgets.dialogs import QuestionDialog
from posenc_gui.app.widgets.forms.editors import Editor
from posenc_gui.app.window.main_window import MainWindow
from posenc_gui.figure.figure import Figure

LEFT = Qt.MouseButton.LeftButton
NO_KEY = Qt.KeyboardModifier.NoModifier


def session_of(window: MainWindow) -> pe.Session:
    """The session at hand."""
    return window.workbench.store.session


def figure_of(window: MainWindow, plot: str = "attention") -> Figure:
    """What a plot shows."""
    return window.workbench.plots[plot].view.figure()


def chips_of(window: MainWindow) -> ChipsView:
    """The row of tokens."""
    return window.workbench.tokens.chips


def labels_of(window: MainWindow) -> list[str]:
    """What stands on the chips."""
    return chips_of(window).model().stringList()


def place_of(window: MainWindow, chip: int) -> QPoint:
    """The middle of a chip, on the viewport of all."""
    return chips_of(window).visualRect(chips_of(window).model().index(chip)).center()


def words_seen(widget: QWidget) -> list[str]:
    """What the labels in a widget say that can be seen."""
    return [label.text() for label in widget.findChildren(QLabel) if label.isVisible() and label.text()]


def tabs_of(card: QWidget) -> list[str]:
    """The titles of the cards behind each other in a card's header, those that have no room there last."""
    bar = card.findChild(QTabBar, "tabs")
    return [*_tabs_with_room(bar), *_tabs_without_room(bar)] if bar and bar.isVisibleTo(card) else []


def choose_tab(card: QWidget, title: str) -> None:
    """Click a tab in a card's header, or choose it in the menu behind the tabs."""
    bar = card.findChild(QTabBar, "tabs")
    if title in (titles := _tabs_with_room(bar)):
        QTest.mouseClick(bar, LEFT, pos=bar.tabRect(titles.index(title)).center())
    else:
        _tabs_without_room(bar)[title].trigger()


def _tabs_with_room(bar: QTabBar) -> list[str]:
    return [bar.accessibleTabName(index) for index in range(bar.count())]


def _tabs_without_room(bar: QTabBar) -> dict[str, QAction]:
    more = bar.parentWidget().findChild(QToolButton, "unfolding")
    more.menu().aboutToShow.emit()
    return {action.text(): action for action in more.menu().actions()}


def arrows_to(box: QComboBox, wanted: int) -> int:
    """How often an arrow key is pressed to come to an entry of an open list: it passes over headings."""
    first, last = sorted((wanted, box.currentIndex()))
    return sum(bool(box.model().index(at, 0).flags() & Qt.ItemFlag.ItemIsEnabled) for at in range(first, last))


class User:
    """Keys and clicks, each followed by waiting until the window shows what came of them."""

    def __init__(self, settle: Callable[[MainWindow], None]) -> None:
        self.settle = settle

    def pastes(self, window: MainWindow, text: str) -> None:
        """Replace the sentence by a pasted one."""
        edit = window.workbench.tokens.text_edit
        QGuiApplication.clipboard().setText(text)
        QTest.keyClick(edit, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
        QTest.keyClick(edit, Qt.Key.Key_Delete)
        QTest.keyClick(edit, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
        self.settle(window)

    def types(self, widget: QWidget, text: str) -> None:
        """Replace what stands in a line, a spin box or an edit; in a form's field, and press Enter."""
        widget.setFocus()
        QTest.keyClick(widget, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
        QTest.keyClick(widget, Qt.Key.Key_Delete)
        QTest.keyClicks(widget, text)
        if isinstance(widget.parentWidget(), Editor):
            QTest.keyClick(widget, Qt.Key.Key_Return)

    def chooses(self, window: MainWindow, menu: str, action: str) -> None:
        """Choose an action of a menu by their texts."""
        menus = {found.title().replace("&", ""): found for found in window.findChildren(QMenu)}
        by_text = {found.text().replace("&", ""): found for found in menus[menu].actions()}
        by_text[action].trigger()
        self.settle(window)

    def chooses_encoding(self, window: MainWindow, name: str) -> None:
        """Choose an encoding in the combo box, by the keyboard."""
        self.picks(window.workbench.encoding.choice, name)
        self.settle(window)

    def picks(self, box: QComboBox, data: object) -> None:
        """Open the list, go to an entry with the arrow keys, or by its name where it can be searched, and choose it."""
        wanted = box.findData(data)
        assert wanted >= 0, f"{data!r} is no entry"
        if isinstance(box, EncodingChoice):
            box.showPopup()
            QTest.keyClicks(box.list.field, box.itemText(wanted))
            QTest.keyClick(box.list.field, Qt.Key.Key_Return)
            return
        box.showPopup()
        entries = box.view()
        key = Qt.Key.Key_Down if wanted > box.currentIndex() else Qt.Key.Key_Up
        for _ in range(arrows_to(box, wanted)):
            QTest.keyClick(entries, key)
        QTest.keyClick(entries, Qt.Key.Key_Return)

    def edits(self, editor: QWidget) -> None:
        """Change a form's field to some other valid value, through the widget that it is."""
        box = editor.focusProxy()
        match box:
            case QCheckBox():
                QTest.keyClick(box, Qt.Key.Key_Space)
            case QComboBox():
                last = box.currentIndex() == box.count() - 1
                QTest.keyClick(box, Qt.Key.Key_Up if last else Qt.Key.Key_Down)
            case QAbstractSpinBox():
                before = box.text()
                for _ in range(2):  # from "automatic" over a least value that may draw nothing
                    QTest.keyClick(box, Qt.Key.Key_Up)
                if box.text() == before:
                    QTest.keyClick(box, Qt.Key.Key_Down)
            case QLineEdit():
                first, *others = box.text().split(", ")
                self.types(box, ", ".join(["1" if first != "1" else "0", *others]))
            case _:
                raise AssertionError(f"{box} is an editor that no test knows how to use")

    def points(self, window: MainWindow, plot: str, x: float, y: float, panel: int = 0) -> QPoint:
        """Move the mouse to a point of a plot, in the plot's own coordinates; gives the place in its viewport."""
        place = at(window, plot, x, y, panel)
        viewport = viewport_of(window, plot)
        QTest.mouseMove(viewport, place + QPoint(2, 2))
        QTest.mouseMove(viewport, place)
        return place

    def clicks(self, window: MainWindow, plot: str, x: float, y: float, panel: int = 0) -> None:
        """Click a point of a plot, in the plot's own coordinates."""
        place = self.points(window, plot, x, y, panel)
        QTest.mouseClick(viewport_of(window, plot), LEFT, pos=place)
        self.settle(window)


def open_file(window: MainWindow, source: Path | str) -> None:
    """Open a file or a share string as a drop does, and wait until it is read."""
    window.documents.open(source)
    read(window)


def read(window: MainWindow) -> None:
    """Wait until the file that is being opened is read."""
    while window.documents.is_reading:
        QApplication.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)


def bring_forward(window: MainWindow, plot: str) -> None:
    """Show a plot that may stand behind the tab of another."""
    window.cards[f"plot.{plot}"].show()
    window.cards[f"plot.{plot}"].raise_()


def graphics_of(window: MainWindow, plot: str) -> pg.GraphicsLayoutWidget:
    """The graphics view in a plot's card."""
    return window.workbench.plots[plot].view.findChild(pg.GraphicsLayoutWidget)


def viewport_of(window: MainWindow, plot: str) -> QWidget:
    """The widget of a plot that takes the mouse."""
    return graphics_of(window, plot).viewport()


def at(window: MainWindow, plot: str, x: float, y: float, panel: int = 0) -> QPoint:
    """Where a point of a plot lies on its viewport."""
    shown = window.workbench.plots[plot].view.panel_views()[panel]
    shown.prepare()  # puts the box where the values are
    return graphics_of(window, plot).mapFromScene(shown.vb.mapViewToScene(QPointF(x, y)))


def action(window: MainWindow, begins: str) -> QAction:
    """The action of a menu whose text begins so."""
    return next(one for one in window.findChildren(QAction) if one.text().replace("&", "").startswith(begins))


def _closer(window: MainWindow) -> QToolButton:
    return next(one for one in window.findChildren(QToolButton) if one.accessibleName() == "Close this message")


def banner(window: MainWindow) -> str:
    """The sentence beside the button that closes it; empty where it is not shown."""
    button = _closer(window)
    label = button.parentWidget().findChild(QLabel)
    return label.text() if button.isVisible() else ""


def close_banner(window: MainWindow) -> None:
    """Click its button."""
    QTest.mouseClick(_closer(window), LEFT)


def answers(window: MainWindow, answer: str) -> str:
    """Press a button of the question that must be answered, or Escape for no answer; gives what was asked."""
    (question,) = (one for one in window.findChildren(QuestionDialog) if one.isVisible())
    asked = question.findChild(QLabel).text()
    if answer:
        (button,) = (one for one in question.findChildren(QPushButton) if one.text() == answer)
        QTest.mouseClick(button, LEFT)
    else:
        QTest.keyClick(question, Qt.Key.Key_Escape)
    return asked


def turn_wheel(widget: QWidget, place: QPoint, turns: int) -> None:
    """Turn the wheel over a point of a widget: a step away from the user is 120."""
    where, there, phase = QPointF(place), QPointF(widget.mapToGlobal(place)), Qt.ScrollPhase.NoScrollPhase
    event = QWheelEvent(where, there, QPoint(), QPoint(0, turns), Qt.MouseButton.NoButton, NO_KEY, phase, False)
    QApplication.sendEvent(widget, event)


def files(*places: Path | str) -> QMimeData:
    """What a file manager gives for files and addresses, and the same as text."""
    data = QMimeData()
    data.setUrls([QUrl(str(one)) if "://" in str(one) else QUrl.fromLocalFile(str(one)) for one in places])
    data.setText("\n".join(map(str, places)))
    return data


def drop(window: MainWindow, what: Path | QMimeData, on: QWidget | None = None) -> bool:
    """Drag a file, or what else there is, over a part of the window and let it fall there if it may: whether it may."""
    widget, data = on or window, files(what) if isinstance(what, Path) else what
    place, copy = widget.rect().center(), Qt.DropAction.CopyAction
    entering = QDragEnterEvent(place, copy, data, LEFT, NO_KEY)
    entering.ignore()
    QApplication.sendEvent(widget, entering)
    if entering.isAccepted():
        QApplication.sendEvent(widget, QDropEvent(QPointF(place), copy, data, LEFT, NO_KEY))
        read(window)
    return entering.isAccepted()


def choose_arrangement(window: MainWindow, title: str) -> None:
    """Press an arrangement's name in the bar."""
    (button,) = (one for one in window.findChildren(QPushButton, "choice") if one.text() == title)
    QTest.mouseClick(button, LEFT)


def double_click(window: MainWindow, plot: str, x: float, y: float) -> None:
    """All that a mouse sends for two clicks."""
    place, viewport = at(window, plot, x, y), viewport_of(window, plot)
    QTest.mouseClick(viewport, LEFT, pos=place)
    QTest.mouseDClick(viewport, LEFT, pos=place)
    QTest.mouseRelease(viewport, LEFT, pos=place)
