"""Give one place of plots the room of all, and give it back."""

from __future__ import annotations

from dataclasses import dataclass, replace

from posenc_gui.app.docks import layouts
from posenc_gui.app.docks.card import Card
from posenc_gui.app.docks.placer import Place, Placer, halves
from posenc_gui.foundation.wording import format_count, join_words
from posenc_gui.session.card_layout import Area


@dataclass(frozen=True)
class _Maximised:
    """The card in front of the large place, the places that are hidden meanwhile, and how all plots stood before."""

    card: Card
    hidden: tuple[Place, ...]
    plots: Area


class Maximiser:
    """Hides the other plots while one place has their room. Forms and floating cards stay as they are."""

    def __init__(self, cards: dict[str, Card], placer: Placer) -> None:
        self._cards, self._placer = cards, placer
        self._now: _Maximised | None = None

    @property
    def card(self) -> Card | None:
        """The card that is maximised."""
        return self._now.card if self._now else None

    @property
    def hidden(self) -> Place:
        """The cards that it hides."""
        return [card for place in self._now.hidden for card in place] if self._now else []

    @property
    def way_back(self) -> str:
        """The words that lead back; empty if no card is maximised."""
        return f"Back to {format_count(1 + len(self._now.hidden), 'card')}" if self._now else ""

    @property
    def told(self) -> str:
        """A sentence about what is hidden and how it comes back; empty where tabs show that."""
        if self._now is None or self._has_others_as_tabs:
            return ""
        titles = [place[0].windowTitle() for place in self._now.hidden]
        return f"Hidden: {join_words(titles)}. Escape goes back."

    def can_maximise(self, card: Card) -> bool:
        """True if this is a plot that would get more room."""
        return self._now is None and layouts.is_plot(card.objectName()) and bool(self._others(card))

    def maximise(self, card: Card) -> None:
        """Give a docked card all the room of plots, if that is more than it has."""
        card.raise_()
        if not self.can_maximise(card):
            return
        _, plots = halves(self._placer.area_of(self._placer.places()))
        self._now = _Maximised(card, tuple(self._others(card)), plots)
        for front, *behind in self._now.hidden:
            for one in (*behind, front):  # or each of those behind would come to the front for a moment
                one.hide()

    def restore(self) -> None:
        """Show the hidden cards again, all in the sizes that they had."""
        if self._now is None:
            return
        hidden, plots, room, self._now = self._now.hidden, self._now.plots, self._now.card.size(), None
        with self._placer.keyboard_kept():
            for front, *behind in hidden:
                for one in (front, *behind):
                    one.show()
                front.raise_()
            shown = {name for name, one in self._cards.items() if not one.isHidden() and not one.isFloating()}
            self._placer.share_room(plots.only(shown), room.width(), room.height())

    def leave(self) -> None:
        """Restore; a plot of many pictures, which now has little room, goes behind what shares its place."""
        left = self.card if self._has_others_as_tabs else None
        self.restore()
        place = next((place for place in self._placer.places() if left in place), [])
        if beside := [card for card in self._placer.in_tab_order(place) if card is not left]:
            beside[0].raise_()

    def forget(self) -> None:
        """Leave the cards as they are, since all of them get new places."""
        self._now = None

    def follow(self) -> None:
        """End once the card is closed or floats, or one of the hidden cards is opened; another tab gets the room instead."""
        if self._now is None:
            return
        place = next((place for place in self._placer.places() if self._now.card in place), None)
        if place is None or not all(one.isHidden() for one in self.hidden):
            self.restore()
        elif place[0].in_view and place[0] is not self._now.card:
            if self._has_others_as_tabs:
                self.restore()
            else:
                self._now = replace(self._now, card=place[0])

    def tabs_beside(self, place: Place) -> Place:
        """Return the hidden cards that stand as tabs in a place: those whose room a plot of many pictures has taken."""
        if self._now is None or self._now.card not in place or not self._has_others_as_tabs:
            return []
        return [card for hidden in self._now.hidden for card in self._placer.in_tab_order(hidden)]

    def unfolded(self, area: Area) -> Area:
        """Return how the cards stand in this area once nothing is maximised."""
        if self._now is None:
            return area
        column, _ = halves(area)
        return Area(across=(*column.across, *self._now.plots.across))

    @property
    def _has_others_as_tabs(self) -> bool:
        return self._now is not None and self._now.card.objectName() in layouts.LARGE

    def _others(self, card: Card) -> list[Place]:
        """Return the other places with plots as they are read, or none if the card has no place."""
        places = [place for place in self._placer.places() if any(layouts.is_plot(one.objectName()) for one in place)]
        others = [place for place in places if card not in place]
        return sorted(others, key=lambda place: (place[0].y(), place[0].x())) if len(others) < len(places) else []
