"""Put cards into their places in a window, read where they stand, and give one place of plots the room of all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import chain, pairwise, takewhile

from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QMainWindow, QTabBar

from posenc_gui.app.docks.card import Card
from posenc_gui.app.docks.layouts import LARGE, is_plot
from posenc_gui.app.widgets.focus_order import keyboard_of
from posenc_gui.foundation.wording import join_words
from posenc_gui.session.card_layout import Area

_AROUND = 140  # pixels of the window's height that cards don't get
_ACROSS, _DOWN = Qt.Orientation.Horizontal, Qt.Orientation.Vertical
_FORMS = ("tokens", "encoding", "compare", "model", "lab")
_COLUMN, _PLOTS = Qt.DockWidgetArea.LeftDockWidgetArea, Qt.DockWidgetArea.BottomDockWidgetArea

Place = list[Card]  # cards that stand behind each other, the one in front first


class Placer:
    """The places of a window's cards: forms in the column at its left, plots below the headline."""

    def __init__(self, window: QMainWindow, cards: dict[str, Card]) -> None:
        self._window, self._cards = window, cards
        for corner in (Qt.Corner.TopLeftCorner, Qt.Corner.BottomLeftCorner):
            window.setCorner(corner, _COLUMN)

    def places(self) -> list[Place]:
        """Return the open and docked cards by place."""
        found: list[Place] = []
        left = [card for card in self._cards.values() if not card.isHidden() and not card.isFloating()]
        while left:
            place = [left[0], *self._behind(left[0])]
            found.append(sorted(place, key=lambda one: not one.in_view))
            left = [card for card in left if card not in place]
        return found

    @property
    def area(self) -> Area:
        """The places as nested areas."""
        return self.area_of(self.places())

    def in_tab_order(self, place: Place) -> Place:
        """Return the cards of a place in the order of their tabs, which Qt's own tab bar knows."""
        titles = [card.windowTitle() for card in place]
        bars = [[bar.tabText(tab) for tab in range(bar.count())] for bar in self._bars()]
        order = next((texts for texts in reversed(bars) if sorted(texts) == sorted(titles)), titles)
        return sorted(place, key=lambda card: order.index(card.windowTitle()))

    def hide_bars(self) -> None:
        """Hide Qt's tab bars from the keyboard and from those who hear the window: headers have tabs of their own."""
        for bar in self._bars():
            bar.setFocusPolicy(Qt.FocusPolicy.NoFocus)
            bar.hide()

    def area_of(self, places: list[Place], share: int = 1) -> Area:
        """Describe these places as nested areas; the first card of each place is in front."""
        for across in (True, False):
            bands = _bands(places, across)
            if len(bands) > 1:
                parts = tuple(self.area_of(band, max(1, end - start)) for band, start, end in bands)
                return Area(share=share, across=parts) if across else Area(share=share, down=parts)
        return Area(share=share, tabs=tuple(card.objectName() for cards in places for card in cards))

    @contextmanager
    def keyboard_kept(self) -> Iterator[None]:
        """Keep the keyboard focus, which cards lose when they are taken out and put in again."""
        keyboard = keyboard_of(self._window)
        yield
        if keyboard is not None and keyboard.isVisible():
            keyboard.setFocus()

    def place(self, area: Area) -> None:
        """Put the cards in these places and close the others; the keyboard focus stays."""
        with self.keyboard_kept():
            self._place(area)

    def share_all(self, area: Area) -> None:
        """Share the window's room out among places that are there already."""
        margins = self._window.contentsMargins()
        width = self._window.width() - margins.left() - margins.right()
        self.share_room(area, width, self._window.height() - _AROUND)

    def share_room(self, area: Area, width: int, height: int) -> None:
        """Share out so many pixels among places that are there already."""
        if area.parts:
            room, whole = width if area.across else height, sum(part.share for part in area.parts)
            wanted = [max(1, room * part.share // whole) for part in area.parts]  # a share of little may be none
            self._resize(area, wanted)
            for part, own in zip(area.parts, wanted, strict=True):
                self.share_room(part, own if area.across else width, height if area.across else own)

    def give_back_sizes(self, area: Area) -> None:
        """Give places that `area_of` has described the sizes that they had then, in pixels."""
        if area.parts:
            self._resize(area, [part.share for part in area.parts])
            for part in area.parts:
                self.give_back_sizes(part)

    def _resize(self, area: Area, wanted: list[int]) -> None:
        self._window.resizeDocks(self._heads(area), wanted, _ACROSS if area.across else _DOWN)

    def add_tab(self, front: Card, card: Card) -> None:
        """Put a closed card behind another, as a tab of its place."""
        self._window.removeDockWidget(card)  # docks that move while they are tabbed leave their tab bars behind
        self._window.tabifyDockWidget(front, card)

    def _behind(self, card: Card) -> Place:
        """Return the other open cards that share its place."""
        tabbed = self._window.tabifiedDockWidgets(card)
        return [one for one in tabbed if isinstance(one, Card) and not one.isHidden()]

    def _bars(self) -> list[QTabBar]:
        """Return Qt's tab bars, found as by screen readers: of what `findChildren` finds, PySide keeps also what is gone."""
        heard = QAccessible.queryAccessibleInterface(self._window)
        children = [heard.child(index).object() for index in range(heard.childCount())]
        return [child for child in children if isinstance(child, QTabBar)]

    def _place(self, area: Area) -> None:
        for card in self._cards.values():
            if card.isFloating():
                card.setFloating(False)
            self._window.removeDockWidget(card)  # docks that move while they are tabbed leave their tab bars behind
        column, plots = halves(area)
        for part, where in ((column, _COLUMN), (plots, _PLOTS)):
            if names := next(part.places(), ()):
                self._window.addDockWidget(where, self._cards[names[0]])
                self._split(part)
        named = [[self._cards[name] for name in tabs] for tabs in area.places()]
        shown = {card for cards in named for card in cards}
        for front, *behind in named:
            front.grow_with(behind)
            for card in behind:
                card.grow_with([front])
                self._window.tabifyDockWidget(front, card)
        self._place_closed([card for card in self._cards.values() if card not in shown], column, plots)
        for card in self._cards.values():
            card.setVisible(card in shown)
        for front, *_ in named:
            front.raise_()
        self.share_all(area)

    def _place_closed(self, closed: Iterable[Card], column: Area, plots: Area) -> None:
        """Choose where closed cards open: forms at the column's end, others as tabs of the last plot."""
        ends = {
            end: self._cards[tabs[-1][0]] for end, tabs in ((0, [*column.places()]), (1, [*plots.places()])) if tabs
        }
        lab_shares_its_place = any("lab" in tabs and len(tabs) > 1 for tabs in (*column.places(), *plots.places()))
        for card in closed:
            end = 0 if card.objectName() in _FORMS else 1
            if end not in ends:
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

    def _heads(self, area: Area) -> list[Card]:
        return [self._cards[next(part.places())[0]] for part in area.parts]


class Maximiser:
    """Hides the other plots while one place has their room. Forms and floating cards stay as they are."""

    def __init__(self, cards: dict[str, Card], placer: Placer) -> None:
        self._cards, self._placer = cards, placer
        self.forget()

    def forget(self) -> None:
        """Leave the cards as they are, since all of them get new places."""
        self.card: Card | None = None  # the one that is maximised, in front of its place
        self._hidden: list[Place] = []  # meanwhile
        self._plots = Area()  # as all stood before
        self._tabs: Place = []  # of a plot of many pictures: all cards, which are then tabs of one place
        self._beside: Place = []  # those of them that shared its own place
        self.given_back: set[Card] = set()  # who were hidden until just now, and opened by nobody: they take no room

    @property
    def hidden(self) -> Place:
        """The cards that it hides."""
        return [card for place in self._hidden for card in place]

    @property
    def way_back(self) -> str:
        """The words that lead back; empty if no card is maximised."""
        return "Back to all cards" if self.card else ""

    @property
    def told(self) -> str:
        """A sentence about what is hidden and how it comes back; empty where tabs show that."""
        if self.card is None or self._tabs:
            return ""
        titles = [place[0].windowTitle() for place in self._hidden]
        return f"Hidden: {join_words(titles)}. Escape goes back."

    def can_maximise(self, card: Card) -> bool:
        """True if this is a plot that would get more room."""
        return card in self.may_grow(self._placer.places())

    def may_grow(self, places: list[Place]) -> list[Card]:
        """Return the plots in these places that would get more room."""
        plots = [[card for card in place if is_plot(card.objectName())] for place in places]
        return list(chain(*plots)) if self.card is None and sum(map(bool, plots)) > 1 else []

    def maximise(self, card: Card) -> None:
        """Give a docked card all the room of plots, if that is more than it has."""
        card.raise_()
        if not self.can_maximise(card):
            return
        self.card, self._hidden = card, self._others(card)
        _, self._plots = halves(self._placer.area)
        if card.objectName() in LARGE:
            own = next(place for place in self._placer.places() if card in place)
            self._tabs = [one for place in (own, *self._hidden) for one in self._placer.in_tab_order(place)]
            self._beside = [one for one in own if one is not card]
        for place in self._hidden:
            _hide(place)

    def restore(self) -> None:
        """Show the hidden cards again, all in the sizes that they had."""
        if self.card is None:
            return
        hidden, plots, room = self._hidden, self._plots, self.card.size()
        self.forget()
        self.given_back = {card for place in hidden for card in place}
        with self._placer.keyboard_kept():
            for front, *behind in hidden:
                for one in (front, *behind):
                    one.show()
                front.raise_()
            shown = {name for name, one in self._cards.items() if not one.isHidden() and not one.isFloating()}
            self._placer.share_room(plots.only(shown), room.width(), room.height())

    def turn_to(self, card: Card) -> None:
        """Give the room to a hidden card if it is a tab; else show all cards again."""
        if not self._tabs or card in self._beside:
            self.restore()
            return
        left = next(place for place in self._placer.places() if self.card in place)
        taken = next(place for place in self._hidden if card in place)
        self._hidden[self._hidden.index(taken)] = left
        self.card = card
        for one in taken:
            one.show()
        _hide(left)

    def follow(self) -> None:
        """End once the card is closed or floats, or one of the hidden cards is opened; another tab gets the room instead."""
        if self.card is None:
            return
        place = next((place for place in self._placer.places() if self.card in place), None)
        if place is None or not all(one.isHidden() for one in self.hidden):
            self.restore()
        elif place[0].in_view and place[0] is not self.card:
            if place[0] in self._beside:
                self.restore()
            else:
                self.card = place[0]

    def tabs_of(self, place: Place) -> Place:
        """Return the tabs of a place: its cards, and those whose room a plot of many pictures has taken."""
        now = self._placer.in_tab_order(place)
        if self.card not in place:
            return now
        stood = [card for card in self._tabs if card in now or card in self.hidden]
        return stood + [card for card in now if card not in stood]

    def unfolded(self, area: Area) -> Area:
        """Return how the cards stand in this area once nothing is maximised."""
        if self.card is None:
            return area
        column, _ = halves(area)
        return Area(across=(*column.across, *self._plots.across))

    def _others(self, card: Card) -> list[Place]:
        """Return the other places with plots as they are read."""
        places = [place for place in self._placer.places() if any(is_plot(one.objectName()) for one in place)]
        others = [place for place in places if card not in place]
        return sorted(others, key=lambda place: (place[0].y(), place[0].x()))


def _hide(place: Place) -> None:
    front, *behind = place
    for one in (*behind, front):  # or each of those behind would come to the front for a moment
        one.hide()


def halves(area: Area) -> tuple[Area, Area]:
    """Return the columns at the left that have no plot, and the rest; without any plot all of it is the rest."""
    if not _has_plots(area):
        return Area(), area
    parts = area.across or (area,)
    column = tuple(takewhile(lambda part: not _has_plots(part), parts))
    return Area(across=column), Area(across=parts[len(column) :])


def shape(area: Area) -> object:
    """Return the arrangement of cards regardless of their sizes, comparable."""
    return tuple(map(shape, area.across)), tuple(map(shape, area.down)), frozenset(area.tabs)


def _has_plots(area: Area) -> bool:
    return any(is_plot(name) for tabs in area.places() for name in tabs)


def _bands(places: list[Place], across: bool) -> list[tuple[list[Place], int, int]]:
    """Return the places in bands that don't overlap, left to right or top to bottom, each with its ends in pixels."""
    found: list[tuple[list[Place], int, int]] = []
    for cards in sorted(places, key=lambda cards: cards[0].x() if across else cards[0].y()):
        card = cards[0]
        start, size = (card.x(), card.width()) if across else (card.y(), card.height())
        if found and start < found[-1][2]:
            band, first, end = found.pop()
            found.append(([*band, cards], first, max(end, start + size)))
        else:
            found.append(([cards], start, start + size))
    return found
