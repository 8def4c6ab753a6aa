"""The arrangement of cards in the window: the first one, a lab's, and the user's own, which is kept from start to start."""

from __future__ import annotations

from itertools import pairwise

from PySide6.QtCore import QByteArray, QSize, Qt, QTimer
from PySide6.QtWidgets import QMainWindow, QTabBar

from posenc_gui.app.card import Card
from posenc_gui.app.layout import FIRST, Layout, for_lab
from posenc_gui.app.settings import Arrangement, Memory
from posenc_gui.areas import Area

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
        self._apply_layout(FIRST)

    def reset(self) -> None:
        """The first arrangement."""
        self._window.resize(_SIZE)
        self._apply_layout(FIRST)

    def restore(self) -> None:
        """The arrangement in which the window was closed, if there is one."""
        arrangement = self._memory.take_arrangement(VERSION)
        if arrangement is None:
            return
        geometry, state = arrangement.qt_bytes()
        self._window.restoreGeometry(QByteArray(geometry))
        self._window.restoreState(QByteArray(state), VERSION)
        QTimer.singleShot(0, self._window, self._hide_left_bars)
        # It was taken out of its folder; once the window has stood a while with it, it goes back.
        QTimer.singleShot(_STOOD, self._window, lambda: self._memory.keep_arrangement(arrangement))

    def keep(self) -> None:
        """Remember the user's arrangement for the next start."""
        self._memory.keep_arrangement(self._own or self._current())

    def set_for_lab(self, panels: tuple[str, ...], plots: tuple[str, ...]) -> None:
        """What a lab's step wants to be seen."""
        if self._own is None:
            self._own = self._current()
        self._apply_layout(for_lab(panels, plots))
        QTimer.singleShot(0, self._window, self._show_tab_bars)

    @property
    def area(self) -> Area:
        """Where cards stand, for a file: floating ones behind the tabs of the largest place."""
        places = self._places()
        floating = [card for card in self._cards.values() if card.isFloating() and not card.isHidden()]
        if not places:
            return Area(tabs=tuple(card.objectName() for card in floating))
        max(places, key=lambda cards: cards[0].width() * cards[0].height()).extend(floating)
        return self._area(places)

    @property
    def is_own(self) -> bool:
        """Whether cards stand as the user put them, not as a file or a lab did."""
        return self._own is None

    def show(self, area: Area) -> tuple[str, ...]:
        """Where a file says that cards stand; the user's own arrangement comes back on demand. Gives the unknown cards."""
        if self._own is None:
            self._own = self._current()
        known = area.only(self._cards)
        plots = [tabs[0] for tabs in known.places() if tabs[0].startswith("plot.")]
        self._apply(known, plots[0] if plots else "")
        QTimer.singleShot(0, self._window, self._show_tab_bars)
        return tuple(name for tabs in area.places() for name in tabs if name not in self._cards)

    def give_back(self) -> None:
        """The arrangement that the user had before the lab, and the lab's card beside it."""
        self.go_back()
        self._cards["lab"].bring()

    def go_back(self) -> None:
        """The arrangement that the user had before a lab's or a file's."""
        if self._own is not None:
            _geometry, state = self._own.qt_bytes()
            self._apply_layout(FIRST)
            self._window.restoreState(QByteArray(state), VERSION)
            # Once more when the cards have let go of the room that they had: else it is shared out anew.
            QTimer.singleShot(0, self._window, lambda: self._window.restoreState(QByteArray(state), VERSION))
            self._own = None

    def _current(self) -> Arrangement:
        geometry, state = self._window.saveGeometry(), self._window.saveState(VERSION)
        return Arrangement.of(VERSION, bytes(geometry.data()), bytes(state.data()))

    def _places(self) -> list[list[Card]]:
        """The cards that are open and docked, by place, the one in front of each first."""
        found: dict[frozenset[Card], list[Card]] = {}
        for card in self._cards.values():
            if not card.isHidden() and not card.isFloating():
                beside = [other for other in self._window.tabifiedDockWidgets(card) if not other.isHidden()]
                place = [one for one in (card, *beside) if isinstance(one, Card)]
                found.setdefault(frozenset(place), sorted(place, key=lambda one: not one.in_view))
        return list(found.values())

    def _apply_layout(self, layout: Layout) -> None:
        self._apply(layout.area(self._window.width()), layout.opening)

    def _apply(self, area: Area, opening: str = "") -> None:
        """Put cards in these places; plots that have none open as tabs beside the card that is `opening`."""
        for card in self._cards.values():
            card.setFloating(False)
            self._window.removeDockWidget(card)  # docks that move while they are tabbed leave their tab bars behind
        named = [[self._cards[name] for name in tabs] for tabs in area.places()]
        if named:
            self._window.addDockWidget(Qt.DockWidgetArea.LeftDockWidgetArea, named[0][0])
        self._split(area)
        shown = {card for cards in named for card in cards}
        others = [card for name, card in self._cards.items() if name.startswith("plot.") and card not in shown]
        for front, *behind in [*named, [self._cards[opening], *others]] if opening else named:
            for card in behind:
                self._window.tabifyDockWidget(front, card)
        for card in self._cards.values():
            card.setVisible(card in shown)
        for front, *_ in named:
            front.raise_()
        self._share_room(area, self._window.width(), self._window.height() - _AROUND)

    def _split(self, area: Area) -> None:
        for before, after in pairwise(self._heads(area)):
            self._window.splitDockWidget(before, after, _ACROSS if area.across else _DOWN)
        for part in area.parts:
            self._split(part)

    def _share_room(self, area: Area, width: int, height: int) -> None:
        if area.parts:
            room, whole = width if area.across else height, sum(part.share for part in area.parts)
            wanted = [max(1, room * part.share // whole) for part in area.parts]  # a share of little may be none
            self._window.resizeDocks(self._heads(area), wanted, _ACROSS if area.across else _DOWN)
            for part, own in zip(area.parts, wanted, strict=True):
                self._share_room(part, own if area.across else width, height if area.across else own)

    def _heads(self, area: Area) -> list[Card]:
        return [self._cards[next(part.places())[0]] for part in area.parts]

    def _area(self, places: list[list[Card]], share: int = 1) -> Area:
        """What these places, the card in front of each first, look like."""
        for across in (True, False):
            bands = _bands(places, across)
            if len(bands) > 1:
                parts = tuple(self._area(band, max(1, end - start)) for band, start, end in bands)
                return Area(share=share, across=parts) if across else Area(share=share, down=parts)
        return Area(share=share, tabs=tuple(card.objectName() for cards in places for card in cards))

    def _show_tab_bars(self) -> None:
        """Qt takes a bar that it hid before, and may leave it hidden; those that it no longer uses stay hidden."""
        for own in self._bars().values():
            if not any(bar.isVisible() for bar in own):
                own[-1].show()

    def _hide_left_bars(self) -> None:
        """Of the arrangement that was there before, Qt may leave a bar in sight."""
        used = [bar for own in self._bars().values() for bar in own]
        for bar in self._all_bars():
            if bar not in used:
                bar.hide()

    def _bars(self) -> dict[frozenset[str], list[QTabBar]]:
        """The tab bars of the places in which several cards stand, by their titles."""
        found: dict[frozenset[str], list[QTabBar]] = {}
        for card in self._cards.values():
            behind = self._window.tabifiedDockWidgets(card)
            if card.in_view and behind:
                titles = frozenset((card.windowTitle(), *(other.windowTitle() for other in behind)))
                own = [bar for bar in self._all_bars() if {bar.tabText(tab) for tab in range(bar.count())} == titles]
                if own:
                    found[titles] = own
        return found

    def _all_bars(self) -> list[QTabBar]:
        return self._window.findChildren(QTabBar, options=Qt.FindChildOption.FindDirectChildrenOnly)


def _bands(places: list[list[Card]], across: bool) -> list[tuple[list[list[Card]], int, int]]:
    """The places in bands that don't overlap, from left to right or from top to bottom, and where each begins and ends."""
    found: list[tuple[list[list[Card]], int, int]] = []
    for cards in sorted(places, key=lambda cards: cards[0].x() if across else cards[0].y()):
        card = cards[0]
        start, size = (card.x(), card.width()) if across else (card.y(), card.height())
        if found and start < found[-1][2]:
            band, first, end = found.pop()
            found.append(([*band, cards], first, max(end, start + size)))
        else:
            found.append(([cards], start, start + size))
    return found
