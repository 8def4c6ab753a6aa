"""Where cards stand, as data: in the first layout of each arrangement, and in that of a lab's step."""

from __future__ import annotations

from typing import Literal

from posenc_gui.areas import Area

Name = Literal["explore", "compare", "lab"]
Lower = Literal[
    "behind", "tabs", 2, 3, 4
]  # plots below the map: behind its tab, in tabs of their own, or so many beside

# The plots that tell of one cell of the map, the one that is brought first when a cell is clicked.
OF_A_CELL = ("why", "row")

_MAP = "plot.attention"
_LOWER = {
    "explore": ("plot.waves", "plot.dials", "plot.similarity", "plot.kernel"),
    "compare": ("plot.waves", "plot.frequencies", "plot.similarity", "plot.kernel"),
}
_COLUMN, _LAB, _NARROW_LAB = 304, 400, 320  # pixels


def lower_at(width: int, height: int) -> Lower:
    """How the plots below the map stand in a window of this size, in pixels of type as it was made."""
    if height < 620:
        return "behind"
    if width < 1100:
        return "tabs"
    return 2 if height < 1200 or width < 2400 else 3 if width < 3200 else 4


def first(name: Name, lower: Lower, width: int) -> Area:
    """The first layout of an arrangement, in a window of this width in pixels."""
    if name == "lab":
        return for_lab((), (), lower, width)
    forms = Area(share=76, tabs=("compare" if name == "compare" else "encoding",))
    column = Area(share=_COLUMN, down=(Area(share=24, tabs=("tokens",)), forms))
    return _beside(column, _first_plots(_LOWER[name], lower), width)


def for_lab(panels: tuple[str, ...], plots: tuple[str, ...], lower: Lower, width: int) -> Area:
    """A lab on the left, and below it the panels that its step wants; its plots on the right, or those of Explore."""
    share = _LAB if width > 1200 else _NARROW_LAB
    lab = Area(share=60, tabs=("lab",))
    column = Area(share=share, down=(lab, Area(share=40, tabs=panels))) if panels else Area(share=share, tabs=("lab",))
    if not plots:
        return _beside(column, _first_plots(_LOWER["explore"], lower), width)
    named = tuple(f"plot.{name}" for name in plots)
    if lower == "behind" or not named[1:]:
        return _beside(column, Area(tabs=named), width)
    return _beside(column, Area(down=(Area(share=55, tabs=named[:1]), Area(share=45, tabs=named[1:]))), width)


def _first_plots(below: tuple[str, ...], lower: Lower) -> Area:
    if lower == "behind":
        return Area(tabs=(_MAP, *below[:2]))
    row = Area(share=38, tabs=below[:2])
    if lower != "tabs":
        row = Area(share=38, across=tuple(Area(tabs=(name,)) for name in below[:lower]))
    return Area(down=(Area(share=62, tabs=(_MAP,)), row))


def _beside(column: Area, plots: Area, width: int) -> Area:
    return Area(across=(column, Area(share=max(1, width - column.share), down=plots.down, tabs=plots.tabs)))
