"""The window's actions: menu entries and keys, one file for each menu."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from posenc_gui.app.docks.card import Card
from posenc_gui.app.state.action import Action

if TYPE_CHECKING:  # heavy: imported only after the first paint
    from posenc_gui.app.window.composition import Services


class WhenLoaded:
    """Gives actions the services, which exist only once everything is loaded."""

    def __init__(self, found: Callable[[], Services | None]) -> None:
        self.found = found

    def is_there(self) -> bool:
        """True once everything is loaded."""
        return self.found() is not None

    def run(self, run: Callable[[Services], object]) -> Callable[[], object]:
        """Return a function that calls `run` with the services, and does nothing before they exist."""
        return lambda: run(loaded) if (loaded := self.found()) else None


def show_card(card: Card, menu: tuple[str, ...], bring: Callable[[], object], summary: str = "") -> Action:
    """Return an action that brings a card to the front by calling `bring`; it is checked while the card is open."""
    is_open = card.toggleViewAction().isChecked
    return Action(f"card.{card.objectName()}", card.windowTitle(), menu, bring, checked=is_open, summary=summary)
