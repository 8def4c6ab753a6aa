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

MAP, _WAVES = "plot.attention", "plot.waves"
# Plots of many parts: while one has all the room, the others are tabs of it.
LARGE = ("plot.flow", "plot.sweep", "plot.requirements")


ARRANGEMENTS: dict[ArrangementName, str] = {"explore": "Explore", "compare": "Compare", "lab": "Lab"}


class Fit(NamedTuple):
    """What a default layout is made for: the room below the map, what the plots there are about, and which of them is the
    encoding's own picture."""

    lower: Lower
    subject: Subject = "toy"
    picture: str = "clocks"


class _Below(NamedTuple):
    """The plots below the map: their share of the height, and each one's share of the width."""

    share: int
    plots: dict[str, int]


_SURGERY = {"plot.surgery": 5}
_TRAINED: dict[Subject, _Below] = {
    "table": _Below(38, _SURGERY | {"plot.table": 3, "plot.heads": 4, "plot.loss": 4}),
    "rotation": _Below(38, _SURGERY | {"plot.frequencies": 4, "plot.heads": 4, "plot.loss": 4}),
    "bias": _Below(38, _SURGERY | {"plot.kernel": 4, "plot.heads": 4, "plot.loss": 4}),
    "nothing": _Below(38, {"plot.heads": 5, "plot.loss": 4, "plot.meaning": 4, "plot.twins": 4}),
}
# Three maps side by side are no higher than a third of the width, and curves in lanes below each other need height.
_CURVES = _Below(47, {_WAVES: 8, "plot.frequencies": 5, "plot.similarity": 5, "plot.kernel": 5})
_COMPARE: dict[Subject, _Below] = {subject: _Below(47, below.plots) for subject, below in _TRAINED.items()} | {
    "toy": _CURVES,
    "rotation": _CURVES,
}
_HALF = 48  # percent, in a window so high that the map's cells have their largest size
_BESIDE_MAP = 27  # percent of the width, of the waves beside the map
_COLUMN, _WIDE_COLUMN, _LAB, _NARROW_LAB = 316, 380, 360, 344  # pixels
_WIDE = 2200  # pixels: in a window as wide, the column is wider


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
    if width < 1200:
        return "tabs"
    return 2 if height < 1200 or width < 2400 else 3 if width < 3200 else 4


def plots_about(fit: Fit) -> frozenset[str]:
    """Return the plots beside and below the map in Explore, in a window with room for all of them."""
    return frozenset(name for tabs in _explored(fit._replace(lower=4)).places() for name in tabs) - {MAP}


def first(name: ArrangementName, fit: Fit, width: int) -> Area:
    """Return the default layout of an arrangement for a window of this width, in unscaled pixels."""
    if name == "lab":
        return Area(tabs=("lab",))  # the list of labs has the window to itself
    if name == "compare":
        return _beside(_forms("compare", 22), _first_plots(_COMPARE[fit.subject], fit.lower), width)
    return _beside(_forms("encoding", 24), _explored(fit), width)


def former(fit: Fit, width: int) -> Area:
    """Return Explore's default layout of earlier versions, which had nothing beside the map."""
    below = _Below(38, {_WAVES: 1, "plot.clocks": 1, "plot.similarity": 1, "plot.kernel": 1})
    return _beside(_forms("encoding", 24), _first_plots(below, fit.lower), width)


def _explored(fit: Fit) -> Area:
    """Return Explore's plots. Of the toy model the waves are beside the map, and the encoding's own picture is below both."""
    if fit.subject != "toy":
        return _first_plots(_TRAINED[fit.subject], fit.lower)
    picture = f"plot.{fit.picture}"
    if fit.lower == "behind" or fit.lower == "tabs":
        return _first_plots(_Below(40, {picture: 1, _WAVES: 1}), fit.lower)
    plots = _first_plots(_Below(40, {picture: 2, "plot.similarity": 1, "plot.kernel": 1}), fit.lower - 1)
    of_map, below = plots.down
    waves = Area(share=_BESIDE_MAP, tabs=(_WAVES,))
    return Area(down=(Area(share=of_map.share, across=(Area(share=100 - _BESIDE_MAP, tabs=(MAP,)), waves)), below))


def _forms(form: str, sentence: int) -> Area:
    """Return the column of the sentence, with this share of the height, and the form below it."""
    parts = Area(share=sentence, tabs=("tokens",)), Area(share=100 - sentence, tabs=(form,))
    return Area(share=_COLUMN, down=parts)


def for_lab(panels: tuple[str, ...], plots: tuple[str, ...], fit: Fit, width: int, reads: bool) -> Area:
    """Return a lab's layout: the lab at the left, its step's panels below it, and at the right its plots or Explore's."""
    share = _LAB if width > 1200 else _NARROW_LAB
    below = 25 if reads else 30 if panels == ("tokens",) and fit.lower != "behind" else 40
    lab = Area(share=100 - below, tabs=("lab",))
    column = (
        Area(share=share, down=(lab, Area(share=below, tabs=panels))) if panels else Area(share=share, tabs=("lab",))
    )
    if not plots:
        return _beside(column, _explored(fit._replace(subject="toy")), width)
    named = tuple(f"plot.{name}" for name in plots)
    if fit.lower == "behind" or not named[1:]:
        return _beside(column, Area(tabs=named), width)
    return _beside(column, Area(down=(Area(share=55, tabs=named[:1]), Area(share=45, tabs=named[1:]))), width)


def _first_plots(below: _Below, lower: Lower | int) -> Area:
    """Return the map with these plots below it, of side by side ones the first so many."""
    names = tuple(below.plots)
    if lower == "behind":
        return Area(tabs=(MAP, *names[:2]))
    share = below.share if lower in ("tabs", 1, 2) else _HALF
    row = Area(share=share, tabs=names[: 1 if lower == 1 else 2])
    if isinstance(lower, int) and lower > 1:
        row = Area(share=share, across=tuple(Area(share=below.plots[name], tabs=(name,)) for name in names[:lower]))
    return Area(down=(Area(share=100 - share, tabs=(MAP,)), row))


def _beside(column: Area, plots: Area, width: int) -> Area:
    wide = _WIDE_COLUMN if column.share == _COLUMN and width >= _WIDE else column.share
    share = min(wide, width * 2 // 5)  # large type in a small window leaves room for plots
    column = Area(share=share, across=column.across, down=column.down, tabs=column.tabs)
    return Area(across=(column, Area(share=max(1, width - share), down=plots.down, tabs=plots.tabs)))


@dataclass(frozen=True)
class Left:
    """The layout of an arrangement as the user left it, as Qt saved it, and what fitted then; None if that was in another
    window."""

    state: bytes
    fit: Fit | None = None
    is_default: bool = False


@dataclass(frozen=True)
class Arranged:
    """The arrangement that is shown, `at`, in the user's own layout or in a `lent` one: of a lab or a file. own: the user's
    layouts that were left. reset: the user's layouts before they were reset."""

    fit: Fit
    at: ArrangementName = "explore"
    lent: Area | None = None
    own: Mapping[ArrangementName, Left] = field(default_factory=dict)
    reset: Mapping[ArrangementName, Left] = field(default_factory=dict)

    @property
    def is_own(self) -> bool:
        """True if the layout is the user's own."""
        return self.lent is None

    def default(self, width: int) -> Area:
        """Return the default layout of the arrangement in a window of this width, in unscaled pixels."""
        return first(self.at, self.fit, width)

    @property
    def is_as_left(self) -> bool:
        """True if the layout is one that the user left, unless that was the default one for another fit."""
        left = self.own.get(self.at)
        return self.is_own and left is not None and not (left.is_default and left.fit != self.fit)

    def keeping(self, state: bytes, *, is_default: bool) -> Arranged:
        """Keep the user's layout, before another is shown."""
        return replace(self, own={**self.own, self.at: Left(state, self.fit, is_default)})

    def to(self, name: ArrangementName, lent: Area | None = None) -> Arranged:
        """Show an arrangement in a lent layout, or in the user's own."""
        return replace(self, at=name, lent=lent)

    def without(self, name: ArrangementName) -> Arranged:
        """Forget the user's layout of an arrangement, so that its default one is shown."""
        return replace(self, own={other: left for other, left in self.own.items() if other != name})

    def after_reset(self, state: bytes) -> Arranged:
        """Keep the user's layout from before a reset, which can then be taken back."""
        return replace(self, reset={**self.reset, self.at: Left(state, self.fit)})

    def taken_back(self, name: ArrangementName) -> Arranged:
        """Take an arrangement's reset back."""
        kept = {other: state for other, state in self.reset.items() if other != name}
        return replace(self, own={**self.own, name: self.reset[name]}, reset=kept)
