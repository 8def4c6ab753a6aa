"""The arrangements of cards in the window: the default ones, a lab's, and the user's own, which outlive the window."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise, takewhile

from PySide6.QtCore import QByteArray, QObject, QPoint, Qt, QTimer, Signal
from PySide6.QtWidgets import QApplication, QMainWindow, QTabBar, QToolButton

from posenc_gui.app.docks import layouts
from posenc_gui.app.docks.card import Card
from posenc_gui.app.state.settings import VERSION, Arrangement, ArrangementName, Memory
from posenc_gui.app.widgets.style_sheet import scaled
from posenc_gui.session.card_layout import Area

_AROUND = 140  # pixels of the window's height that cards don't get
_SLIGHT = 4  # pixels by which a corner may differ although no card was moved
_STOOD = 1000  # milliseconds after which a layout counts as safe to restore

_ACROSS, _DOWN = Qt.Orientation.Horizontal, Qt.Orientation.Vertical
_FORMS = ("tokens", "encoding", "compare", "model", "lab")
_COLUMN, _PLOTS = Qt.DockWidgetArea.LeftDockWidgetArea, Qt.DockWidgetArea.BottomDockWidgetArea


class Arranger(QObject):
    """Puts the cards where they belong: forms in the column at the window's left, plots below the headline."""

    moved = Signal(str)  # the arrangement that is there now
    changed = Signal(bool)  # true if its layout differs from the default
    restored = Signal(str)  # the arrangement that was reset; `take_back` returns the user's layout

    def __init__(self, window: QMainWindow, cards: dict[str, Card], memory: Memory) -> None:
        super().__init__(window)
        self._window, self._cards, self._memory = window, cards, memory
        self._at: ArrangementName = "explore"
        self._lent: Area | None = None  # the layout of a lab or a file while it is shown
        self._own: dict[ArrangementName, bytes] = {}  # the user's layouts, as Qt saved them when they were left
        # Of these, the default ones, each with the lower plots that it was made for.
        self._untouched: dict[ArrangementName, layouts.Lower] = {}
        self._given_up: dict[ArrangementName, bytes] = {}  # the user's layouts before a reset
        self._again = QTimer(self, singleShot=True, interval=0)
        for corner in (Qt.Corner.TopLeftCorner, Qt.Corner.BottomLeftCorner):
            window.setCorner(corner, _COLUMN)
        self._again.timeout.connect(self._restore_state)
        self._moving = QTimer(self, singleShot=True, interval=0)
        self._moving.timeout.connect(self._on_cards_moved)
        for card in cards.values():
            for moved in (card.visibilityChanged, card.topLevelChanged, card.dockLocationChanged):
                moved.connect(self._moving.start)
        self._lower = self._lower_now

    @property
    def at(self) -> ArrangementName:
        """The name of the current arrangement."""
        return self._at

    @property
    def is_own(self) -> bool:
        """True if the layout is the user's own, not a file's or a lab's."""
        return self._lent is None

    def go(self, name: ArrangementName) -> None:
        """Switch to an arrangement as the user left it, or reset it if it is the current one."""
        if name == self._at:
            self.reset()
        else:
            self._leave()
            self._enter(name)

    def reset(self) -> None:
        """Reset the current arrangement to its default layout, or to the lab's or file's while that is shown."""
        if self._lent is not None:
            self._apply(self._lent)
            return
        name, state, places = self._at, self._state, self._corners
        self._own.pop(name, None)
        self._enter(name)

        def tell() -> None:
            if self._at == name and _differ(places, self._corners):
                self._given_up[name] = state
                self.restored.emit(name)

        QTimer.singleShot(0, self, tell)  # once the cards have their places

    def take_back(self, name: ArrangementName) -> None:
        """Undo the reset of an arrangement."""
        self._own[name] = self._given_up.pop(name)
        self._untouched.pop(name, None)
        if self._at == name:
            self._enter(name)

    def begin(self, arrangement: Arrangement | None) -> None:
        """Restore the arrangement in which the window was closed, or apply the default layout."""
        if arrangement is None:
            self._apply(self._first)
            return
        self._own = arrangement.qt_states
        self._enter(arrangement.at)
        # It was taken out of its folder; once the window has stood a while with it, it goes back.
        QTimer.singleShot(_STOOD, self, lambda: self._memory.keep_arrangement(arrangement))

    def keep(self) -> None:
        """Save the user's layouts for the next start."""
        self._leave()
        geometry = bytes(self._window.saveGeometry().data())
        self._memory.keep_arrangement(Arrangement.of(VERSION, geometry, self._at, self._own))

    def fit(self) -> None:
        """After a resize, apply the default layout for the new size if the layout was not changed."""
        if self._lower != self._lower_now:
            is_new = not self._window.isVisible() and self._at not in self._own  # cards have no places yet
            is_untouched = self.is_own and (is_new or self._stands_first)
            self._lower = self._lower_now
            if is_untouched:
                self._apply(self._first)

    def set_for_lab(self, panels: tuple[str, ...], plots: tuple[str, ...], reads: bool) -> None:
        """Show the cards of a lab's step; while the learner `reads` the result, the page gets more room."""
        area = layouts.for_lab(panels, plots, self._lower, _unscaled(self._window.width()), reads)
        if (
            self._at == "lab" and self._lent and _shape(self._lent) == _shape(area)
        ):  # cards stay, and with them a cursor
            self._lent = area
            self._share_all(area)
        else:
            self._borrow("lab", area)

    @property
    def in_order(self) -> list[tuple[Card, QTabBar | None]]:
        """The docked cards in view as they are read, each with the tab bar that it shares with others."""
        bars = self._bars()
        fronts = [self._cards[front] for front, *_ in self._area(self._places()).places()]
        return [(card, bars[card][-1] if card in bars else None) for card in fronts]

    @property
    def area(self) -> Area:
        """The cards' layout for a file; floating cards join the tabs of the largest area."""
        places = self._places()
        floating = [card for card in self._cards.values() if card.isFloating() and not card.isHidden()]
        if not places:
            return Area(tabs=tuple(card.objectName() for card in floating))
        max(places, key=lambda cards: cards[0].width() * cards[0].height()).extend(floating)
        return self._area(places)

    def show(self, area: Area) -> tuple[str, ...]:
        """Apply a file's layout; the user's own can be restored. Return the unknown cards."""
        self._borrow(self._at, area.only(self._cards))
        return tuple(name for tabs in area.places() for name in tabs if name not in self._cards)

    def enter_lab(self) -> None:
        """Switch to Lab, and bring the Labs card to the front."""
        if self._at != "lab":
            self.go("lab")
        self._cards["lab"].bring()

    def give_back(self) -> None:
        """Show Lab without a step, as the user left it."""
        self._enter("lab")
        self._cards["lab"].bring()

    def go_back(self) -> None:
        """Return to the user's layout from a lab's or a file's."""
        if not self.is_own:
            self._enter(self._at)

    @property
    def _lower_now(self) -> layouts.Lower:
        return layouts.lower_at(_unscaled(self._window.width()), _unscaled(self._window.height()))

    @property
    def _first(self) -> Area:
        return layouts.first(self._at, self._lower, _unscaled(self._window.width()))

    def _leave(self) -> None:
        """Remember the user's layout of the current arrangement."""
        if not self.is_own:
            return
        self._own[self._at] = self._state
        self._untouched.pop(self._at, None)
        if self._stands_first:
            self._untouched[self._at] = self._lower

    def _enter(self, name: ArrangementName) -> None:
        """Show an arrangement as the user left it, or else its default layout."""
        self._at, self._lent = name, None
        self._apply(self._first)
        if name in self._own and self._untouched.get(name, self._lower) == self._lower:
            self._restore_state()
            self._again.start()  # once the cards have given up their sizes: else Qt shares the room out anew
        self.moved.emit(name)

    @property
    def _corners(self) -> dict[str, tuple[QPoint, QPoint]]:
        """The corners of visible cards; Qt's own state also differs by what is hidden."""
        placed = {name: card.geometry() for name, card in self._cards.items() if card.in_view}
        return {name: (place.topLeft(), place.bottomRight()) for name, place in placed.items()}

    @property
    def _state(self) -> bytes:
        """The layout as Qt saves it."""
        return bytes(self._window.saveState(VERSION).data())

    def _restore_state(self) -> None:
        with _keyboard_kept():
            self._window.restoreState(QByteArray(self._own[self._at]), VERSION)

    def _borrow(self, name: ArrangementName, area: Area) -> None:
        """Apply an arrangement that is not the user's own."""
        self._leave()
        self._at, self._lent = name, area
        self._apply(area)
        self.moved.emit(name)

    def _places(self) -> list[list[Card]]:
        """Return the open and docked cards by place, the one in front first."""
        found: dict[frozenset[Card], list[Card]] = {}
        for card in self._cards.values():
            if not card.isHidden() and not card.isFloating():
                place = [card, *self._behind(card)]
                found.setdefault(frozenset(place), sorted(place, key=lambda one: not one.in_view))
        return list(found.values())

    def _behind(self, card: Card) -> list[Card]:
        """Return the other open cards that share its place, and so its tab bar."""
        tabbed = self._window.tabifiedDockWidgets(card)
        return [one for one in tabbed if isinstance(one, Card) and not one.isHidden()]

    @property
    def _stands_first(self) -> bool:
        """True if the cards have the default arrangement, whatever their sizes."""
        floating = any(card.isFloating() and not card.isHidden() for card in self._cards.values())
        return not floating and _shape(self._area(self._places())) == _shape(self._first)

    def _apply(self, area: Area) -> None:
        """Put the cards in these places and close the others; the keyboard focus stays."""
        self._again.stop()
        with _keyboard_kept():
            self._place(area)

    def _place(self, area: Area) -> None:
        for card in self._cards.values():
            if card.isFloating():
                card.setFloating(False)
            self._window.removeDockWidget(card)  # docks that move while they are tabbed leave their tab bars behind
        column, plots = _halves(area)
        for part, where in ((column, _COLUMN), (plots, _PLOTS)):
            if names := next(part.places(), ()):
                self._window.addDockWidget(where, self._cards[names[0]])
                self._split(part)
        named = [[self._cards[name] for name in tabs] for tabs in area.places()]
        shown = {card for cards in named for card in cards}
        for front, *behind in named:
            for card in behind:
                self._window.tabifyDockWidget(front, card)
        self._place_closed([card for card in self._cards.values() if card not in shown], column, plots)
        for card in self._cards.values():
            card.setVisible(card in shown)
        for front, *_ in named:
            front.raise_()
        self._share_all(area)

    def _place_closed(self, closed: list[Card], column: Area, plots: Area) -> None:
        """Choose where closed cards open: forms at the column's end, others as tabs of the last plot, or of the map."""
        ends = {
            end: self._cards[tabs[-1][0]] for end, tabs in ((0, [*column.places()]), (1, [*plots.places()])) if tabs
        }
        lab_shares_its_place = any("lab" in tabs and len(tabs) > 1 for tabs in (*column.places(), *plots.places()))
        for card in closed:
            end = 0 if card.objectName() in _FORMS else 1
            if card.objectName() in layouts.LARGE and self._cards[layouts.MAP] not in closed:
                self._window.tabifyDockWidget(self._cards[layouts.MAP], card)
            elif end not in ends:
                self._window.addDockWidget(_PLOTS if end else _COLUMN, card)
                ends[end] = card
            elif ends[end] is self._cards["lab"] and not lab_shares_its_place:
                self._window.splitDockWidget(ends[end], card, _DOWN)
                ends[end] = card
            else:
                self._window.tabifyDockWidget(ends[end], card)

    def _split(self, area: Area) -> None:
        for before, after in pairwise(self._heads(area)):
            self._window.splitDockWidget(before, after, _ACROSS if area.across else _DOWN)
        for part in area.parts:
            self._split(part)

    def _share_all(self, area: Area) -> None:
        margins = self._window.contentsMargins()
        width = self._window.width() - margins.left() - margins.right()
        self._share_room(area, width, self._window.height() - _AROUND)

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
        """Describe these places as nested areas; the first card of each place is in front."""
        for across in (True, False):
            bands = _bands(places, across)
            if len(bands) > 1:
                parts = tuple(self._area(band, max(1, end - start)) for band, start, end in bands)
                return Area(share=share, across=parts) if across else Area(share=share, down=parts)
        return Area(share=share, tabs=tuple(card.objectName() for cards in places for card in cards))

    def _on_cards_moved(self) -> None:
        self._mend_tab_bars()
        for card in self._cards.values():
            card.show_title(not self._behind(card))
        self.changed.emit(self.is_own and not self._stands_first)

    def _mend_tab_bars(self) -> None:
        """Show the tab bars in use and hide the others: Qt may leave a reused one hidden, and an old one in sight."""
        used = self._bars().values()
        for own in used:
            if not any(bar.isVisible() for bar in own):
                own[-1].show()
        for bar in self._all_bars():
            is_used = any(bar in own for own in used)
            bar.setFocusPolicy(Qt.FocusPolicy.TabFocus if is_used else Qt.FocusPolicy.NoFocus)
            for scrolling in bar.findChildren(QToolButton):
                scrolling.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # arrow keys go through the tabs
            if not is_used:
                bar.hide()

    def _bars(self) -> dict[Card, list[QTabBar]]:
        """Return the tab bars of places with several cards, by the card in front; Qt may have several for one place."""
        found: dict[Card, list[QTabBar]] = {}
        for card in self._cards.values():
            behind = self._behind(card)
            if card.in_view and behind:
                titles = frozenset((card.windowTitle(), *(other.windowTitle() for other in behind)))
                own = [bar for bar in self._all_bars() if {bar.tabText(tab) for tab in range(bar.count())} == titles]
                if own:
                    found[card] = own
        return found

    def _all_bars(self) -> list[QTabBar]:
        return self._window.findChildren(QTabBar, options=Qt.FindChildOption.FindDirectChildrenOnly)


def _unscaled(length: int) -> int:
    """Convert a length to unscaled pixels."""
    return length * 100 // scaled(100)


@contextmanager
def _keyboard_kept() -> Iterator[None]:
    """Keep the keyboard focus, which cards lose when they are taken out and put in again."""
    keyboard = QApplication.focusWidget()
    yield
    if keyboard is not None and keyboard.isVisible():
        keyboard.setFocus()


def _halves(area: Area) -> tuple[Area, Area]:
    """Return the columns at the left that have no plot, and the rest."""
    parts = area.across or (area,)
    column = tuple(takewhile(lambda part: not _has_plots(part), parts))
    return Area(across=column), Area(across=parts[len(column) :])


def _has_plots(area: Area) -> bool:
    return any(name.startswith("plot.") for tabs in area.places() for name in tabs)


def _differ(places: dict[str, tuple[QPoint, QPoint]], others: dict[str, tuple[QPoint, QPoint]]) -> bool:
    """Return True if cards were opened, closed, or moved by more than Qt's rounding."""
    return places.keys() != others.keys() or any(
        (one - other).manhattanLength() > _SLIGHT
        for name, corners in places.items()
        for one, other in zip(corners, others[name], strict=True)
    )


def _shape(area: Area) -> object:
    """Return the arrangement of cards regardless of their sizes, comparable."""
    return tuple(map(_shape, area.across)), tuple(map(_shape, area.down)), frozenset(area.tabs)


def _bands(places: list[list[Card]], across: bool) -> list[tuple[list[list[Card]], int, int]]:
    """Return the places in bands that don't overlap, left to right or top to bottom, each with its ends in pixels."""
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
