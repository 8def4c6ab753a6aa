"""The arrangement of cards in the window: the first one, a lab's, and the user's own, which is kept from start to start."""

from __future__ import annotations

from itertools import pairwise

from PySide6.QtCore import QByteArray, QSize, Qt, QTimer
from PySide6.QtWidgets import QMainWindow, QTabBar

from posenc_gui.app.card import Card
from posenc_gui.app.layout import FIRST, Column, Layout, Row, for_lab
from posenc_gui.app.settings import Arrangement, Memory

VERSION = 4  # raised when cards are renamed, so that older arrangements are not applied
_SIZE = QSize(1280, 800)
_AROUND = 60  # pixels of the window's height that are no card's
_STOOD = 1000  # milliseconds after which an arrangement has proved not to crash the window

_ACROSS, _DOWN = Qt.Orientation.Horizontal, Qt.Orientation.Vertical


class Arranger:
    """Puts the cards where they belong."""

    def __init__(self, window: QMainWindow, cards: dict[str, Card], memory: Memory) -> None:
        self._window, self._cards, self._memory = window, cards, memory
        self._own: Arrangement | None = None  # the user's, while a lab has its own
        window.resize(_SIZE)
        self._apply(FIRST)

    def reset(self) -> None:
        """The first arrangement."""
        self._window.resize(_SIZE)
        self._apply(FIRST)

    def restore(self) -> None:
        """The arrangement in which the window was closed, if there is one."""
        arrangement = self._memory.take_arrangement(VERSION)
        if arrangement is None:
            return
        geometry, state = arrangement.qt_bytes()
        self._window.restoreGeometry(QByteArray(geometry))
        self._window.restoreState(QByteArray(state), VERSION)
        # It was taken out of its folder; once the window has stood a while with it, it goes back.
        QTimer.singleShot(_STOOD, self._window, lambda: self._memory.keep_arrangement(arrangement))

    def keep(self) -> None:
        """Remember the user's arrangement for the next start."""
        self._memory.keep_arrangement(self._own or self._current())

    def set_for_lab(self, panels: tuple[str, ...], plots: tuple[str, ...]) -> None:
        """What a lab's step wants to be seen."""
        if self._own is None:
            self._own = self._current()
        self._apply(for_lab(panels, plots))
        QTimer.singleShot(0, self._window, self._show_tab_bars)

    def give_back(self) -> None:
        """The arrangement that the user had before the lab, and the lab's card beside it."""
        if self._own is not None:
            _geometry, state = self._own.qt_bytes()
            self._apply(FIRST)
            self._window.restoreState(QByteArray(state), VERSION)
            # Once more when the cards have let go of the room that they had: else it is shared out anew.
            QTimer.singleShot(0, self._window, lambda: self._window.restoreState(QByteArray(state), VERSION))
            self._own = None
        self._cards["lab"].bring()

    def _current(self) -> Arrangement:
        geometry, state = self._window.saveGeometry(), self._window.saveState(VERSION)
        return Arrangement.of(VERSION, bytes(geometry.data()), bytes(state.data()))

    def _apply(self, layout: Layout) -> None:
        for card in self._cards.values():
            card.setFloating(False)
            self._window.removeDockWidget(card)  # docks that move while they are tabbed leave their tab bars behind
        self._place(layout)
        self._share_room(layout)

    def _place(self, layout: Layout) -> None:
        heads = [self._head(column) for column in layout.columns]
        self._window.addDockWidget(Qt.DockWidgetArea.LeftDockWidgetArea, heads[0])
        self._split(heads, _ACROSS)
        rows = [row for column in layout.columns for row in column.rows]
        for column in layout.columns:
            self._split([self._fronts(row)[0] for row in column.rows], _DOWN)
        for row in rows:
            self._split(self._fronts(row), _ACROSS)
        named = [[self._cards[name] for name in tabs] for row in rows for tabs in row.places]
        shown = {card for cards in named for card in cards}
        opening = [card for name, card in self._cards.items() if name.startswith("plot.") and card not in shown]
        tabs = [*named, [self._cards[layout.opening], *opening]] if layout.opening else named
        for front, *behind in tabs:
            for card in behind:
                self._window.tabifyDockWidget(front, card)
        for card in self._cards.values():
            card.setVisible(card in shown)
        for front, *_ in tabs:
            front.raise_()

    def _share_room(self, layout: Layout) -> None:
        width, height = self._window.width(), self._window.height() - _AROUND
        widths = [max(column.least, int(column.share * width)) for column in layout.columns]
        rest = width - sum(widths)
        wanted = [own or rest for own in widths]
        self._window.resizeDocks([self._head(column) for column in layout.columns], wanted, _ACROSS)
        for column, across in zip(layout.columns, wanted, strict=True):
            for row in column.rows:
                fronts = self._fronts(row)
                self._window.resizeDocks(fronts, [across // len(fronts)] * len(fronts), _ACROSS)
            fronts = [self._fronts(row)[0] for row in column.rows]
            whole = sum(row.height for row in column.rows)
            self._window.resizeDocks(fronts, [height * row.height // whole for row in column.rows], _DOWN)

    def _split(self, cards: list[Card], direction: Qt.Orientation) -> None:
        for before, after in pairwise(cards):
            self._window.splitDockWidget(before, after, direction)

    def _fronts(self, row: Row) -> list[Card]:
        return [self._cards[tabs[0]] for tabs in row.places]

    def _head(self, column: Column) -> Card:
        return self._fronts(column.rows[0])[0]

    def _show_tab_bars(self) -> None:
        """Qt takes a bar that it hid before, and may leave it hidden; those that it no longer uses stay hidden."""
        bars = self._window.findChildren(QTabBar, options=Qt.FindChildOption.FindDirectChildrenOnly)
        for card in self._cards.values():
            behind = self._window.tabifiedDockWidgets(card)
            if not (card.in_view and behind):
                continue
            titles = {card.windowTitle(), *(other.windowTitle() for other in behind)}
            own = [bar for bar in bars if {bar.tabText(tab) for tab in range(bar.count())} == titles]
            if own and not any(bar.isVisible() for bar in own):
                own[-1].show()
