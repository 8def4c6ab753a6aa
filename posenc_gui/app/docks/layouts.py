"""Layouts as data: a default one for each arrangement, and for a lab's step; and whose layout is shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple

from posenc_gui.app.state.settings import ArrangementName
from posenc_gui.session.card_layout import Area

# Plots below the map: behind its tab, in tabs of their own, or so many side by side.
Lower = Literal["behind", "tabs", 2, 3, 4]

# What the plots below the map are about: the toy model, or one that has learned, by how it takes position.
Subject = Literal["toy", "table", "rotation", "bias", "nothing"]

# The plots that explain one cell of the map; if none is in view, a click on a cell brings the first to the front.
OF_A_CELL = ("why", "row", "flow")

MAP = "plot.attention"
# Plots of many parts: while one has all the room, the others are tabs of it.
LARGE = ("plot.flow", "plot.sweep", "plot.requirements")


ARRANGEMENTS: dict[ArrangementName, str] = {"explore": "Explore", "compare": "Compare", "lab": "Lab"}


class _Below(NamedTuple):
    """The plots below the map: their share of the height, and each one's share of the width."""

    share: int
    plots: dict[str, int]


_SURGERY = {"plot.surgery": 5}
_EXPLORE: dict[Subject, _Below] = {
    "toy": _Below(38, {"plot.waves": 1, "plot.clocks": 1, "plot.similarity": 1, "plot.kernel": 1}),
    "table": _Below(38, _SURGERY | {"plot.table": 3, "plot.heads": 4, "plot.loss": 4}),
    "rotation": _Below(38, _SURGERY | {"plot.frequencies": 4, "plot.heads": 4, "plot.loss": 4}),
    "bias": _Below(38, _SURGERY | {"plot.kernel": 4, "plot.heads": 4, "plot.loss": 4}),
    "nothing": _Below(38, {"plot.heads": 5, "plot.loss": 4, "plot.meaning": 4, "plot.twins": 4}),
}
# Three maps side by side are no higher than a third of the width, and curves in lanes below each other need height.
_COMPARE: dict[Subject, _Below] = dict.fromkeys(
    _EXPLORE, _Below(47, {"plot.waves": 8, "plot.frequencies": 5, "plot.similarity": 5, "plot.kernel": 5})
) | {subject: _Below(47, _EXPLORE[subject].plots) for subject in ("table", "bias", "nothing")}
_HALF = 48  # percent, in a window so high that the map's cells have their largest size
_COLUMN, _LAB, _NARROW_LAB = 304, 360, 344  # pixels


def plots_about(subject: Subject) -> frozenset[str]:
    """Return the plots that are below the map for a subject, in a window with room for all of them."""
    return frozenset(_EXPLORE[subject].plots)


def is_plot(card: str) -> bool:
    """Return True if a card of this name holds a plot."""
    return card.startswith("plot.")


def shortcut_of(name: ArrangementName) -> str:
    """Return the shortcut of an arrangement, as “Ctrl+1”."""
    return f"Ctrl+{list(ARRANGEMENTS).index(name) + 1}"


def lower_at(width: int, height: int) -> Lower:
    """Return how plots stand below the map in a window of this size, in unscaled pixels."""
    if height < 620:
        return "behind"
    if width < 1100:
        return "tabs"
    return 2 if height < 1200 or width < 2400 else 3 if width < 3200 else 4


def first(name: ArrangementName, lower: Lower, width: int, subject: Subject = "toy") -> Area:
    """Return the default layout of an arrangement for a window of this width, in unscaled pixels."""
    if name == "lab":
        return Area(tabs=("lab",))  # the list of labs has the window to itself
    if name == "compare":
        return _beside(_forms("compare", 22), _first_plots(_COMPARE[subject], lower), width)
    return _beside(_forms("encoding", 24), _first_plots(_EXPLORE[subject], lower), width)


def one_plot(width: int) -> Area:
    """Return the layout of a first start for a window of this width, in unscaled pixels: Explore's forms beside the map."""
    return _beside(_forms("encoding", 24), Area(tabs=(MAP,)), width)


def _forms(form: str, sentence: int) -> Area:
    """Return the column of the sentence, with this share of the height, and the form below it."""
    parts = Area(share=sentence, tabs=("tokens",)), Area(share=100 - sentence, tabs=(form,))
    return Area(share=_COLUMN, down=parts)


def for_lab(panels: tuple[str, ...], plots: tuple[str, ...], lower: Lower, width: int, reads: bool) -> Area:
    """Return a lab's layout: the lab at the left, its step's panels below it, and at the right its plots or Explore's.

    While the learner `reads` the result of the step, panels are as low as is usable.
    """
    share = _LAB if width > 1200 else _NARROW_LAB
    below = 25 if reads else 30 if panels == ("tokens",) and lower != "behind" else 40
    lab = Area(share=100 - below, tabs=("lab",))
    column = (
        Area(share=share, down=(lab, Area(share=below, tabs=panels))) if panels else Area(share=share, tabs=("lab",))
    )
    if not plots:
        return _beside(column, _first_plots(_EXPLORE["toy"], lower), width)
    named = tuple(f"plot.{name}" for name in plots)
    if lower == "behind" or not named[1:]:
        return _beside(column, Area(tabs=named), width)
    return _beside(column, Area(down=(Area(share=55, tabs=named[:1]), Area(share=45, tabs=named[1:]))), width)


def _first_plots(below: _Below, lower: Lower) -> Area:
    names = tuple(below.plots)
    if lower == "behind":
        return Area(tabs=(MAP, *names[:2]))
    share = below.share if lower in ("tabs", 2) else _HALF
    row = Area(share=share, tabs=names[:2])
    if lower != "tabs":
        row = Area(share=share, across=tuple(Area(share=below.plots[name], tabs=(name,)) for name in names[:lower]))
    return Area(down=(Area(share=100 - share, tabs=(MAP,)), row))


def _beside(column: Area, plots: Area, width: int) -> Area:
    share = min(column.share, width * 2 // 5)  # large type in a small window leaves room for plots
    column = Area(share=share, across=column.across, down=column.down, tabs=column.tabs)
    return Area(across=(column, Area(share=max(1, width - share), down=plots.down, tabs=plots.tabs)))


class Fit(NamedTuple):
    """What a default layout is made for: the room below the map, and what the plots there are about."""

    lower: Lower
    subject: Subject = "toy"


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
        return first(self.at, self.fit.lower, width, self.fit.subject)

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

    def to(self, name: ArrangementName, lent: Area | None = None) -> Arranged:
        """Show an arrangement in a lent layout, or in the user's own."""
        return replace(self, at=name, lent=lent)

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
