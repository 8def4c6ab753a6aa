"""Tabs in one line of a header: those that have no room stand in a menu behind them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QEvent, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QKeyEvent, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QApplication, QSizePolicy, QTabBar, QWidget

from posenc_gui.app.widgets.controls import escape_mnemonics
from posenc_gui.app.widgets.menu_button import MenuButton
from posenc_gui.app.widgets.style_sheet import TAB_MARGIN, font_like, scaled
from posenc_gui.foundation.theme import QUIET
from posenc_gui.foundation.wording import join_words

_LEAST = 96  # pixels of the front tab; a longer title is cut before the strip gets narrower


class TabStrip(QWidget):
    """The titles of things that stand behind each other, the front one among them. The front tab takes no clicks: it is a
    part of the header that it stands in, and a handle like that."""

    chosen = Signal(str)  # the name of another than the front one
    pulled = Signal(str, QPoint)  # the name of another that is being dragged away, and where the mouse is on the screen

    def __init__(self) -> None:
        super().__init__()
        self._tabs: dict[str, str] = {}
        self._front = ""
        self._behind: dict[str, str] = {}  # those that have no room
        self._bar = _Bar(self)
        self._bar.chosen.connect(lambda index: self.chosen.emit([*self._tabs][index]))
        self._bar.pulled.connect(lambda index, at: self.pulled.emit([*self._tabs][index], at))
        self._more = MenuButton("")
        self._more.setParent(self)
        self._more.menu().aboutToShow.connect(self._fill_menu)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)

    def show_tabs(self, tabs: Mapping[str, str], front: str) -> None:
        """Show these titles by name; `front` is the name of the one that is seen."""
        if (tabs, front) == (self._tabs, self._front) and [*tabs] == [*self._tabs]:
            return
        self._tabs, self._front = dict(tabs), front
        self._bar.show_tabs([*tabs.values()], [*tabs].index(front))
        self._fit()
        self.updateGeometry()

    def take_keyboard(self) -> None:
        """Focus the tabs, of which arrow keys choose another."""
        self._bar.setFocus(Qt.FocusReason.TabFocusReason)

    @property
    def has_keyboard(self) -> bool:
        """True while the tabs have the focus."""
        return self._bar.hasFocus()

    def sizeHint(self) -> QSize:
        """Return room for all tabs."""
        return QSize(sum(self._bar.breadths) - TAB_MARGIN, scaled(QUIET))

    def minimumSizeHint(self) -> QSize:
        """Return room for the front tab, shortened, and the menu."""
        if not self._tabs:
            return QSize(0, scaled(QUIET))
        front = self._bar.breadths[[*self._tabs].index(self._front)] - TAB_MARGIN
        more = self._more.sizeHint().width() if len(self._tabs) > 1 else 0
        return QSize(min(front, scaled(_LEAST)) + more, scaled(QUIET))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show as many tabs as now fit."""
        super().resizeEvent(event)
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        """Fit the tabs to another size of type."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self.updateGeometry()
            self._fit()

    def _fit(self) -> None:
        if not self._tabs:
            return
        breadths, front = self._bar.breadths, [*self._tabs].index(self._front)
        self._more.setText(f"+{len(self._tabs)}")  # the widest number
        room = self.width() + TAB_MARGIN
        fitting = fit_tabs(breadths, front, room, self._more.sizeHint().width())
        behind = {name: title for index, (name, title) in enumerate(self._tabs.items()) if index not in fitting}
        self._more.setText(f"+{len(behind)}")
        more = self._more.sizeHint().width() if behind else 0
        self._bar.show_only(fitting, room - more)
        breadth = min(sum(breadths[index] for index in fitting), room - more)
        self._bar.setGeometry(-TAB_MARGIN, 0, breadth, self.height())  # the first title begins where the strip does
        self._more.setGeometry(QRect(breadth - TAB_MARGIN, 0, more, self.height()))
        self._more.setVisible(bool(behind))
        if behind != self._behind:
            self._behind, titles = behind, join_words(behind.values())
            self._more.setAccessibleName(f"{len(behind)} more: {titles}")
            self._more.setToolTip(titles)

    def _fill_menu(self) -> None:
        menu = self._more.menu()
        menu.clear()
        for name, title in self._behind.items():
            menu.addAction(escape_mnemonics(title)).triggered.connect(lambda _=False, name=name: self.chosen.emit(name))


class _Bar(QTabBar):
    """The tabs that have room. Which one is in front is decided elsewhere: the bar only tells what was asked for."""

    chosen = Signal(int)
    pulled = Signal(int, QPoint)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, expanding=False, drawBase=False)
        self.setObjectName("tabs")  # the style sheet lets it cut titles
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAccessibleName("Tabs of this card")
        self.setElideMode(Qt.TextElideMode.ElideNone)  # Qt cuts as if the front title weren't bold
        self._titles: list[str] = []  # of all, also those without room
        self.breadths: list[int] = []  # theirs, in pixels
        self._front = 0  # the index of a title
        self._shown: list[int] = []  # those of the tabs, in order
        self._pressed: tuple[int, QPoint] | None = None

    def show_tabs(self, titles: Sequence[str], front: int) -> None:
        self._titles, self._front = [*titles], front
        self._measure()

    def show_only(self, shown: Sequence[int], most: int) -> None:
        self._shown = [*shown]
        while self.count() > len(shown):
            self.removeTab(len(shown))
        while self.count() < len(shown):
            self.addTab("")
        for at, index in enumerate(shown):
            title = self._titles[index]
            cut = self._bold().elidedText(title, Qt.TextElideMode.ElideRight, most - 2 * TAB_MARGIN)
            self.setTabData(at, min(self.breadths[index], most))
            self.setTabText(at, escape_mnemonics(cut))  # measure it again
            self.setTabToolTip(at, title if cut != title else "")
            self.setAccessibleTabName(at, title)
        self.setCurrentIndex(self._shown.index(self._front))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._measure()

    def _measure(self) -> None:
        measure = self._bold().horizontalAdvance
        self.breadths = [measure(title) + 2 * TAB_MARGIN for title in self._titles]

    def _bold(self) -> QFontMetrics:
        """The metrics of the front tab, so that none moves when another comes to the front."""
        return QFontMetrics(font_like(self.font(), bold=True))

    def tabSizeHint(self, index: int) -> QSize:
        return QSize(self.tabData(index) or 0, scaled(QUIET))  # none while it is being added

    def minimumTabSizeHint(self, index: int) -> QSize:
        return self.tabSizeHint(index)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Left and right choose the neighbour, also one that has no room."""
        steps = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
        wanted = self._front + steps.get(Qt.Key(event.key()), 0)
        if event.key() not in steps:
            event.ignore()
        elif 0 <= wanted < len(self._titles):
            self.chosen.emit(wanted)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        index = self.tabAt(event.position().toPoint())
        self._pressed = None
        if event.button() == Qt.MouseButton.LeftButton and index not in (-1, self.currentIndex()):
            self._pressed = index, event.position().toPoint()
        event.setAccepted(self._pressed is not None)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._pressed is None:
            event.ignore()
            return
        index, start = self._pressed
        if (event.position().toPoint() - start).manhattanLength() >= QApplication.startDragDistance():
            self._pressed = None
            self.pulled.emit(self._shown[index], event.globalPosition().toPoint())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._pressed is None:
            event.ignore()
            return
        index, _ = self._pressed
        self._pressed = None
        if self.tabAt(event.position().toPoint()) == index:
            self.chosen.emit(self._shown[index])

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        event.ignore()  # it is one on the header


def fit_tabs(breadths: Sequence[int], front: int, room: int, more: int) -> tuple[int, ...]:
    """Return the indices of the tabs that fit beside each other: the first ones, and always the front one."""
    if sum(breadths) <= room:
        return tuple(range(len(breadths)))
    left, shown = room - more - breadths[front], [front]
    for index, breadth in enumerate(breadths):
        if index == front:
            continue
        left -= breadth
        if left < 0:
            break
        shown.append(index)
    return tuple(sorted(shown))
