"""Plots: one file a plot, found by being here.

A file `name.py` holds `PLOT`: its title, its options, and the pure function from a scene to a figure. Nothing else has
to be told about it.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any

from pydantic import create_model

from posenc_gui.attention.engine import Engine
from posenc_gui.figure.figure import SEEDED, Axis, Figure, Note
from posenc_gui.figure.side_by_side import beside
from posenc_gui.figure.view import View
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.foundation.errors import Undefined, unknown
from posenc_gui.foundation.registry import list_when_called, modules
from posenc_gui.plots.base import Plot
from posenc_gui.scene import comparison as sides
from posenc_gui.scene.scene import Scene


@cache
def plots() -> dict[str, Plot]:
    """Every plot by its name."""
    return {name: importlib.import_module(f"{__name__}.{name}").PLOT for name in modules(__name__)}


def names() -> list[str]:
    """The names of all plots."""
    return list(plots())


@cache
def options_model() -> type[Frozen]:
    """The model of all plots' options: one field a plot, each at its defaults."""
    fields: dict[str, Any] = {name: (plot.options, plot.options()) for name, plot in plots().items()}
    return create_model("PlotOptions", __base__=Frozen, **fields)


def find(name: str) -> Plot:
    """The plot of that name. Raises ValueError for a name that is no plot."""
    if not isinstance(name, str) or name not in plots():
        raise ValueError(unknown("plot", name, plots()))
    return plots()[name]


def draw(name: str, scene: Scene, options: Frozen, view: View, engine: Engine) -> Iterator[Figure]:
    """The figures of a plot with these options, coarse to whole, of which the last is the answer; mostly there is one.

    What is not defined for the scene becomes a note that says why. A note also takes the place of coarser figures: what
    was drawn of something that turns out to be undefined must not stand as its picture. Two encodings that are compared
    stand beside each other. Raises ValueError for a name that is no plot, and TooLarge where it takes more memory than
    is free.
    """
    plot = find(name)
    try:
        # A tokenizer's file that was gone may be back, with other tokens: it is asked each time.
        what = ("figure", name, scene, options, view, scene.tokens)
    except Undefined as why:
        yield note(name, why)
        return
    yield from engine.remembered_steps(what, lambda: _steps(name, plot, scene, options, view, engine))


def _steps(name: str, plot: Plot, scene: Scene, options: Frozen, view: View, engine: Engine) -> Iterator[Figure]:
    if scene.other is not None and plot.shows == "one":
        yield _compared(name, scene, options, view, engine)
        return
    try:
        drawn = plot.draw(scene, options, view, engine)
        if isinstance(drawn, Figure):
            yield _captioned(drawn, plot, scene)
            return
        for figure in drawn:
            yield _captioned(figure, plot, scene)
            engine.check_stop()
    except Undefined as why:
        # Of one side alone it may be defined.
        yield note(name, why) if scene.other is None else _compared(name, scene, options, view, engine)


def _compared(name: str, scene: Scene, options: Frozen, view: View, engine: Engine) -> Figure:
    """A and B, each drawn as it is alone, beside each other."""
    (*_, first), (*_, second) = (draw(name, side, options, view, engine) for side in scene.sides)
    return _told(beside(_unseeded(first), _unseeded(second), sides.names(scene)), scene)


def _captioned(figure: Figure, plot: Plot, scene: Scene) -> Figure:
    return _said_of_text(figure if plot.shows == "chosen" else _told(figure, scene), scene, plot)


def _told(figure: Figure, scene: Scene) -> Figure:
    """The figure, its caption in the order of what matters: at its end may be cut what holds for all pictures.

    Where encodings are compared, it says first what differs and last what is held equal.
    """
    if figure.is_note:
        return figure
    if scene.other is None:
        return replace(figure, caption=" · ".join(sorted(figure.caption.split(" · "), key=SEEDED.__eq__)))
    held, different = sides.held_and_different(scene)
    return replace(figure, caption=" · ".join(filter(None, (different, _unseeded(figure).caption, held))))


def _said_of_text(figure: Figure, scene: Scene, plot: Plot) -> Figure:
    """The figure; its caption ends with what stands beside the text as typed, and with which positions are meant."""
    if figure.is_note:
        return figure
    axes = _axes(figure) if scene.encoding.axes > 1 else ""
    patches = scene.patches.in_words if scene.patches and plot.shows == "all" else scene.patched
    added = [words for words in (axes, patches, scene.filling) if words not in figure.caption]
    return replace(figure, caption=" · ".join(filter(None, (figure.caption, *added))))


def _axes(figure: Figure) -> str:
    """What is said of a figure that counts positions, not tokens, where an encoding has several coordinates for each."""
    drawn = (axis for panel in figure.panels for axis in vars(panel).values() if isinstance(axis, Axis))
    counts = any(axis.title.startswith(("position", "offset")) and not axis.labels for axis in drawn)
    return "a position counts along all axes alike, as for words" if counts else ""


def _unseeded(figure: Figure) -> Figure:
    """Without the words that stand among what is held equal."""
    return replace(figure, caption=" · ".join(part for part in figure.caption.split(" · ") if part != SEEDED))


def note(name: str, why: object) -> Figure:
    """A sentence in the place of a plot's picture."""
    return Figure(name, plots()[name].title, (Note(str(why)),), description=str(why))


list_when_called(__name__)
