"""Which arrangement of cards is shown, and whose layout it has; a step from one to the next is a new value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from posenc_gui.app.docks import layouts
from posenc_gui.app.state.settings import ArrangementName
from posenc_gui.session.card_layout import Area


class Fit(NamedTuple):
    """What a default layout is made for: the room below the map, and what the plots there are about."""

    lower: layouts.Lower
    subject: layouts.Subject = "toy"


@dataclass(frozen=True)
class Left:
    """The layout of an arrangement as the user left it, as Qt saved it; if it was a default one, what that was made for."""

    state: bytes
    default_for: Fit | None = None


@dataclass(frozen=True)
class Arranged:
    """The arrangement that is shown, `at`, in the user's own layout or in a `lent` one: of a lab, a file or a first start.

    own: the user's layouts that were left. reset: the user's layouts before they were reset, as Qt saved them.
    """

    fit: Fit
    at: ArrangementName = "explore"
    lent: Area | None = None
    own: Mapping[ArrangementName, Left] = field(default_factory=dict)
    reset: Mapping[ArrangementName, bytes] = field(default_factory=dict)

    @property
    def is_own(self) -> bool:
        """True if the layout is the user's own."""
        return self.lent is None

    def default(self, width: int) -> Area:
        """Return the default layout of the arrangement in a window of this width, in unscaled pixels."""
        return layouts.first(self.at, self.fit.lower, width, self.fit.subject)

    @property
    def is_as_left(self) -> bool:
        """True if the layout is one that the user left, unless that was the default one for another fit."""
        left = self.own.get(self.at)
        return self.is_own and left is not None and left.default_for in (None, self.fit)

    def keeping(self, state: bytes, *, is_default: bool) -> Arranged:
        """Keep the user's layout, before another is shown; a lent one is not kept."""
        if not self.is_own:
            return self
        return replace(self, own={**self.own, self.at: Left(state, self.fit if is_default else None)})

    def to(self, name: ArrangementName) -> Arranged:
        """Show an arrangement in the user's own layout."""
        return replace(self, at=name, lent=None)

    def to_lent(self, name: ArrangementName, area: Area) -> Arranged:
        """Show an arrangement in a layout that is not the user's own."""
        return replace(self, at=name, lent=area)

    def fitting(self, fit: Fit) -> Arranged:
        """Make default layouts for this fit from now on."""
        return replace(self, fit=fit)

    def without(self, name: ArrangementName) -> Arranged:
        """Forget the user's layout of an arrangement, so that its default one is shown."""
        return replace(self, own={other: left for other, left in self.own.items() if other != name})

    def after_reset(self, state: bytes) -> Arranged:
        """Keep the user's layout from before a reset, which can then be taken back."""
        return replace(self, reset={**self.reset, self.at: state})

    def taken_back(self, name: ArrangementName) -> Arranged:
        """Take an arrangement's reset back."""
        kept = {other: state for other, state in self.reset.items() if other != name}
        return replace(self, own={**self.own, name: Left(self.reset[name])}, reset=kept)
