"""The arrangements of cards in the window: the default ones, a lab's, and the user's own, which outlive the window."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QByteArray, QObject, QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QPixmap
from PySide6.QtWidgets import QMainWindow

from posenc_gui.app.docks import layouts
from posenc_gui.app.docks.card import Card
from posenc_gui.app.docks.layouts import Arranged, Fit, Left
from posenc_gui.app.docks.placer import Maximiser, Place, Placer, shape
from posenc_gui.app.state.settings import VERSION, ArrangementName, Memory, SavedLayouts
from posenc_gui.app.widgets.style_sheet import scaled
from posenc_gui.session.card_layout import Area

_LEAST_CELL = 28  # pixels of a cell's smaller side, before its plot gets the room of all
_SLIGHT = 4  # pixels by which a corner may differ although no card was moved
_STOOD = 1000  # milliseconds after which a layout counts as safe to restore


class Arranger(QObject):
    """Puts the cards where they belong: forms in the column at the window's left, plots below the headline."""

    leaving = Signal()  # another layout is about to be applied
    fitted = Signal()  # another default layout fits the window now
    moved = Signal(str)  # the arrangement that is there now
    opened = Signal()  # a card was brought to the front
    hung = Signal(
        str, QPoint, QPixmap
    )  # the encoding's own picture, where it stands, and how the former one looked there
    changed = Signal(bool)  # true if its layout differs from the default
    restored = Signal(str)  # the arrangement that was reset; `take_back` returns the user's layout
    has_plots = Signal(bool)  # false where the list of labs has the room of plots
    told = Signal(str)  # which cards a maximised one hides and how they come back; empty once they are there

    def __init__(self, window: QMainWindow, cards: dict[str, Card], memory: Memory) -> None:
        super().__init__(window)
        self._window, self._cards, self._memory = window, cards, memory
        self._placer = Placer(window, cards)
        self._maximiser = Maximiser(cards, self._placer)
        self._told = ""
        self._over: Card | None = None  # what is shown for a while over another one:
        self._below: Card | None = None
        self._now = Arranged(Fit(self._lower_now))
        self._before_lab: tuple[ArrangementName, str] | None = None  # the arrangement and its maximised card
        self._with_all_docked: Area | None = None  # the layout before a card was floated
        self._again = QTimer(self, singleShot=True, interval=0)
        self._again.timeout.connect(self._restore_state)
        self._moving = QTimer(self, singleShot=True, interval=0)
        self._moving.timeout.connect(self._on_cards_moved)
        for card in cards.values():
            moves = card.visibilityChanged, card.topLevelChanged, card.dockLocationChanged, card.windowTitleChanged
            for moved in moves:
                moved.connect(self._moving.start)
            card.leaving.connect(self._remember_sizes)
            card.topLevelChanged.connect(partial(self._on_floating, card))
            card.tab_chosen.connect(partial(self._on_tab_chosen, card))
            card.tab_pulled.connect(self._on_tab_pulled)
            card.room_wanted.connect(partial(self.maximise_or_restore, card))

    @property
    def at(self) -> ArrangementName:
        """The name of the current arrangement."""
        return self._now.at

    @property
    def is_own(self) -> bool:
        """True if the layout is the user's own, not a file's or a lab's."""
        return self._now.is_own

    def go(self, name: ArrangementName) -> None:
        """Switch to an arrangement as the user left it, or reset it if it is the current one."""
        if name == self.at:
            self.reset()
        else:
            self._draw(self._with_own_kept().to(name))

    def card_of(self, plot: str) -> Card:
        """Return a plot's card."""
        return self._cards[f"plot.{plot}"]

    def open(self, name: str) -> None:
        """Bring a card to the front where it stands; a closed plot becomes a tab of the largest place of plots."""
        card = self._cards[name]
        if card.isHidden() and layouts.is_plot(name) and not card.isFloating():
            if card in self._maximiser.hidden:
                self._maximiser.turn_to(card)
            else:
                self._maximiser.restore()
                if front := self._largest:
                    self._placer.add_tab(front, card)
                elif self.at == "lab" and self.is_own:
                    self._apply(self._for_lab((), (name.removeprefix("plot."),), reads=False))
        self._maximiser.given_back.discard(card)
        card.bring()
        self._show_tabs()
        self.opened.emit()

    def open_over(self, plot: str, below: str) -> None:
        """Show a closed plot over another one until `close_over`; the keyboard stays."""
        over, card = self.card_of(plot), self.card_of(below)
        if self.at == "explore" and card.in_view and over.isHidden():
            self.close_over()
            self._over, self._below = over, card
            self._placer.add_tab(card, over)
            over.bring()

    def close_over(self) -> bool:
        """Close the plot that was shown over another one; return False if there is none."""
        over, self._over = self._over, None
        if over is None or self._below is None or over.isHidden():
            return False
        if over.in_view:
            self._below.raise_()
        over.hide()
        return True

    def open_large(self, name: str) -> None:
        """Bring a plot to the front with all the room of plots; the keyboard stays."""
        self.open(name)
        self._maximiser.restore()
        self._maximiser.maximise(self._cards[name])
        self._show_tabs()

    @property
    def maximised(self) -> Card | None:
        """The plot that has all the room of plots."""
        return self._maximiser.card

    def can_maximise(self, card: Card) -> bool:
        """True if this is a plot that would get more room."""
        return self._maximiser.can_maximise(card)

    def maximise_or_restore(self, card: Card) -> None:
        """Give a plot all the room of plots and the keyboard, or take the room back."""
        if self.maximised:
            self.restore()
        else:
            self._maximiser.maximise(card)
            self._show_tabs()
            card.take_keyboard()

    def give_room(self, card: Card) -> None:
        """Give a plot all the room of plots, but not in a lab, which says what is seen."""
        if self.at != "lab" and card not in self._maximiser.given_back:
            self._maximiser.maximise(card)
            self._show_tabs()

    def restore(self) -> None:
        """Show the cards again that a maximised one hides."""
        self._maximiser.restore()
        self._show_tabs()

    def reset(self) -> None:
        """Reset the current arrangement to its default layout, or to the lab's or file's while that is shown."""
        self._maximiser.restore()
        if self._now.lent is not None:
            self._apply(self._now.lent)
            return
        name, state, places = self.at, self._state, self._corners
        self._draw(self._now.without(name))

        def tell() -> None:
            if self.at == name and _differ(places, self._corners):
                self._now = self._now.after_reset(state)
                self.restored.emit(name)

        QTimer.singleShot(0, self, tell)  # once the cards have their places

    def take_back(self, name: ArrangementName) -> None:
        """Undo the reset of an arrangement."""
        self._now = self._now.taken_back(name)
        if self.at == name:
            self._draw(self._now.to(name))

    def begin(self, arrangement: SavedLayouts | None) -> None:
        """Restore the arrangement in which the window was closed, or apply the default layout."""
        if arrangement is None:
            self._apply(self._default)
            return
        own = {name: Left(state) for name, state in arrangement.qt_states.items()}
        self._draw(replace(self._now, at=arrangement.at, own=own))
        self.when_there(self._leave_former_default)
        if arrangement.at == "lab" and arrangement.before != "lab":
            self._before_lab = arrangement.before, arrangement.maximised
        else:
            self._maximise_when_there(arrangement.maximised)
        # It was taken out of its folder; once the window has stood a while with it, it goes back.
        QTimer.singleShot(_STOOD, self, lambda: self._memory.keep_arrangement(arrangement))

    def _maximise_when_there(self, name: str) -> None:
        if card := self._cards.get(name):
            maximise = partial(self._maximiser.maximise, card)
            self.when_there(lambda: QTimer.singleShot(0, self, maximise))  # once all have their places

    def _leave_former_default(self) -> None:
        """Apply the default layout where that of an earlier version was left as it was."""
        if self.at == "explore" and shape(self._placer.area) == shape(layouts.former(self._now.fit, self._width)):
            self._draw(self._now.without("explore"))

    def keep(self) -> None:
        """Save the user's layouts for the next start."""
        maximised = self.maximised.objectName() if self.maximised and self.is_own else ""
        before, maximised = self._before_lab or ("lab", maximised)
        self._now = self._with_own_kept()
        geometry = bytes(self._window.saveGeometry().data())
        states = {name: left.state for name, left in self._now.own.items()}
        headline = beside.height() if (beside := self._window.centralWidget()) else 0
        self._memory.keep_arrangement(SavedLayouts.of(VERSION, geometry, self.at, states, maximised, headline, before))

    def fit(self) -> None:
        """After a resize, apply the default layout for the new size if the layout was not changed."""
        self._follow(self._now.fit._replace(lower=self._lower_now))

    def show_plots_of(self, subject: layouts.Subject, picture: str) -> None:
        """Apply the default layout for what is looked at now; in a changed one only exchange the plots that differ. Where only
        the encoding's own `picture` is another plot, it stands where the former one did."""
        before, former = self._now.fit, self._default
        fit = before._replace(subject=subject, picture=picture)
        if subject != before.subject:
            self._follow(fit)
            self._exchange(former)
            left, now = layouts.plots_about(before), layouts.plots_about(fit)
            self._uncover(left - now, now)
        elif fit != before:
            self._now = replace(self._now, fit=fit)
            self._hang(before.picture)
            self._moving.start()  # the default is another one now

    def _hang(self, former: str) -> None:
        """Let the encoding's own picture have the place of the former one; a card that was put there instead stays."""
        old, new = self.card_of(former), self.card_of(self._now.fit.picture)
        maximised = self.maximised
        is_free = self.at == "explore" and old is not new and not new.isFloating() and not old.isFloating()
        if not is_free or [new] in self._placer.places() or (old.isHidden() and old not in self._maximiser.hidden):
            return
        self._maximiser.restore()
        left = (old.pos(), old.grab()) if old.in_view else None
        with self._placer.keyboard_kept():
            self._placer.add_tab(old, new)
            new.show()
            if left:
                new.raise_()
            old.hide()
        if left:
            self.hung.emit(self._now.fit.picture, *left)
        if maximised:
            self._maximiser.maximise(new if maximised is old else maximised)

    def _follow(self, fit: Fit) -> None:
        if fit == self._now.fit:
            return
        is_new = not self._window.isVisible() and self.at not in self._now.own  # cards have no places yet
        is_default = self.is_own and (is_new or self._is_default)
        self._now = replace(self._now, fit=fit)
        if is_default:
            maximised = self.maximised
            self._apply(self._default)
            if maximised:
                QTimer.singleShot(0, self, partial(self._maximiser.maximise, maximised))  # once it has its place
        self.fitted.emit()

    def _exchange(self, former: Area) -> None:
        """Put plots of the default layout in the places of those of a former one, if all of these stand there."""
        before, now = ([name for tabs in area.places() for name in tabs] for area in (former, self._default))
        old, new = [one for one in before if one not in now], [one for one in now if one not in before]
        area = self._placer.area
        there = {name for tabs in area.places() for name in tabs}
        is_simple = self.is_own and not self.maximised and not any(card.isFloating() for card in self._cards.values())
        if old and is_simple and there.issuperset(old) and there.isdisjoint(new):
            self._apply(area.renamed(dict(zip(old, new, strict=True))))

    def _uncover(self, left: frozenset[str], now: frozenset[str]) -> None:
        """Bring a plot of what is looked at now before one in front of it that was only of what is left, in the user's layout."""
        if not self.is_own:
            return
        for front, *behind in self._placer.area.places():
            if front in left and (name := next((one for one in behind if one in now), "")):
                self._cards[name].raise_()

    def set_for_lab(self, panels: tuple[str, ...], plots: tuple[str, ...], reads: bool) -> None:
        """Show the cards of a lab's step; while the learner `reads` the result, the page gets more room."""
        if self._before_lab is None:
            self._before_lab = self.at, self.maximised.objectName() if self.maximised else ""
        self._maximiser.restore()
        now, area = self._now, self._for_lab(panels, plots, reads)
        if now.at == "lab" and now.lent and shape(now.lent) == shape(area):  # cards stay, and with them a cursor
            self._now = now.to("lab", area)
            self._placer.share_all(area)
        else:
            self._draw(self._with_own_kept().to("lab", area))

    def _for_lab(self, panels: tuple[str, ...], plots: tuple[str, ...], reads: bool) -> Area:
        return layouts.for_lab(panels, plots, self._now.fit, self._width, reads)

    @property
    def in_order(self) -> list[Card]:
        """The docked cards in view as they are read."""
        return [self._cards[front] for front, *_ in self._placer.area.places()]

    @property
    def area(self) -> Area:
        """The cards' layout for a file; floating cards join the tabs of the largest area."""
        places = self._placer.places()
        floating = [card for card in self._cards.values() if card.isFloating() and not card.isHidden()]
        if not places:
            return Area(tabs=tuple(card.objectName() for card in floating))
        max(places, key=_size).extend(floating)
        return self._maximiser.unfolded(self._placer.area_of(places))

    def show(self, area: Area) -> tuple[str, ...]:
        """Apply a file's layout; the user's own can be restored. Return the unknown cards."""
        self._draw(self._with_own_kept().to(self.at, area.only(self._cards)))
        return tuple(name for tabs in area.places() for name in tabs if name not in self._cards)

    def enter_lab(self) -> None:
        """Switch to Lab, and bring the Labs card to the front."""
        if self.at != "lab":
            self.go("lab")
        self._cards["lab"].bring()

    def give_back(self) -> None:
        """Show what was there before a lab's steps, as the user left it: mostly the list of labs."""
        (at, maximised), self._before_lab = self._before_lab or ("lab", ""), None
        self._draw(self._now.to(at))
        if at == "lab":
            self._cards["lab"].bring()
        self._maximise_when_there(maximised)

    def go_back(self) -> None:
        """Return to the user's layout from a lab's or a file's."""
        if not self.is_own:
            self._draw(self._now.to(self.at))

    def when_there(self, act: Callable[[], object]) -> None:
        """Call this once the user's layout, if it is being restored, is there."""
        if self._again.isActive():
            self._again.timeout.connect(act, Qt.ConnectionType.SingleShotConnection)
        else:
            act()

    @property
    def _lower_now(self) -> layouts.Lower:
        return layouts.lower_at(self._width, _unscaled(self._window.height()))

    @property
    def _width(self) -> int:
        return _unscaled(self._window.width())

    @property
    def _default(self) -> Area:
        return self._now.default(self._width)

    def _with_own_kept(self) -> Arranged:
        """Return what is shown, with the user's layout kept as it is now."""
        self._maximiser.restore()
        self.close_over()
        return self._now.keeping(self._state, is_default=self._is_default) if self.is_own else self._now

    def _draw(self, now: Arranged) -> None:
        """Show the cards as they are arranged now."""
        self.leaving.emit()
        self._now = now
        self._apply(self._default if now.lent is None else now.lent)
        if now.is_as_left:
            self._restore_state()
            self._again.start()  # once the cards have given up their sizes: else Qt shares the room out anew
        self.moved.emit(now.at)

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
        with self._placer.keyboard_kept():
            self._window.restoreState(QByteArray(self._now.own[self.at].state), VERSION)
        if fit := self._now.own[self.at].fit:
            self._hang(fit.picture)  # it was left with another encoding
        for card in self._cards.values():
            card.take_frame_soon()
        self._moving.start()  # once all have their places, also where none was shown or hidden

    @property
    def _largest(self) -> Card | None:
        """The card in front of the largest place of plots."""
        places = [place for place in self._placer.places() if layouts.is_plot(place[0].objectName())]
        return max(places, key=_size)[0] if places else None

    @property
    def _is_default(self) -> bool:
        """True if the cards have the default arrangement, whatever their sizes."""
        floating = any(card.isFloating() and not card.isHidden() for card in self._cards.values())
        lasting = {name for name, card in self._cards.items() if card is not self._over}
        return not floating and shape(self._maximiser.unfolded(self._placer.area).only(lasting)) == shape(self._default)

    def _apply(self, area: Area) -> None:
        """Put the cards in these places and close the others; the keyboard focus stays."""
        self._again.stop()
        self._maximiser.forget()
        self._placer.place(area)

    def _remember_sizes(self) -> None:
        self._with_all_docked = self._placer.area

    def _on_floating(self, card: Card, floating: bool) -> None:
        if not floating:
            QTimer.singleShot(0, self, partial(self._give_back_size, card))  # once Qt has shared out the room

    def _give_back_size(self, card: Card) -> None:
        """Give a card that is docked where it stood the size that it had there, in front of those behind it."""
        area = self._with_all_docked
        if not card.isFloating() and area and shape(area) == shape(self._placer.area):
            self._placer.give_back_sizes(area)
            card.raise_()

    def _on_cards_moved(self) -> None:
        self._maximiser.follow()
        self._show_tabs()
        self.has_plots.emit(self.at != "lab" or self._largest is not None)
        self.changed.emit(self.is_own and not self._is_default)

    def _show_tabs(self) -> None:
        """Show in each header which cards share its place, and whether it is maximised or could be."""
        self._placer.hide_bars()
        alone = set(self._cards.values())
        places = self._placer.places()
        may_grow = self._maximiser.may_grow(places)
        for place in places:
            titles = {card.objectName(): card.windowTitle() for card in self._maximiser.tabs_of(place)}
            way_back = self._maximiser.way_back if self.maximised in place else ""
            for card in place:
                card.show_place(titles, can_grow=card in may_grow, way_back=way_back)
            alone -= set(place)
        for card in alone:
            card.show_place({}, can_grow=False, way_back="")
        if self._told != self._maximiser.told:
            self._told = self._maximiser.told
            self.told.emit(self._told)

    def _on_tab_chosen(self, card: Card, name: str) -> None:
        had_keyboard = card.has_keyboard_on_tabs
        self.open(name)
        if had_keyboard:
            self._cards[name].take_keyboard_on_tabs()

    def _on_tab_pulled(self, name: str, at: QPoint) -> None:
        self.open(name)
        self._cards[name].take_in_hand(at)


class RoomForCells(QObject):
    """Gives a plot of many pictures, or a long table, the room of all plots where its parts would be too small or out of
    sight. It gives room once each time that the plot comes into view: whoever takes the room back then keeps it."""

    def __init__(self, card: Card, arranger: Arranger, smallest_cell: Callable[[], float]) -> None:
        super().__init__(card)
        self._card, self._arranger, self._smallest_cell = card, arranger, smallest_cell
        self._has_given = False
        self._looking = QTimer(self, singleShot=True, interval=0)  # once the card has its size
        self._looking.timeout.connect(self._look)
        card.room_changed.connect(self._looking.start)
        card.came_into_view.connect(self._begin)

    def look_soon(self) -> None:
        """Look again at the picture, which is another one now."""
        self._looking.start()

    def _begin(self) -> None:
        self._has_given = False
        self._looking.start()

    def _look(self) -> None:
        if not self._card.in_view or self._has_given:
            return
        if self._arranger.maximised is not self._card and self._smallest_cell() < scaled(_LEAST_CELL):
            self._arranger.give_room(self._card)
        self._has_given = self._arranger.maximised is self._card


def _size(place: Place) -> int:
    return place[0].width() * place[0].height()


def _unscaled(length: int) -> int:
    """Convert a length to unscaled pixels."""
    return length * 100 // scaled(100)


def _differ(places: dict[str, tuple[QPoint, QPoint]], others: dict[str, tuple[QPoint, QPoint]]) -> bool:
    """Return True if cards were opened, closed, or moved by more than Qt's rounding."""
    return places.keys() != others.keys() or any(
        (one - other).manhattanLength() > _SLIGHT
        for name, corners in places.items()
        for one, other in zip(corners, others[name], strict=True)
    )
