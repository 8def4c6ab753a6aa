"""Plots: one file per plot; every file in this package is discovered automatically.

A file `name.py` defines `PLOT`: its title, its options, and the pure function from a scene to a figure. It needs no
registration elsewhere.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any

from pydantic import create_model, model_validator

from posenc_gui.attention.engine import Engine
from posenc_gui.attention.trained_model import TrainedModel
from posenc_gui.figure.axis import Axis
from posenc_gui.figure.caption_parts import SEEDED, TRAINED, CaptionPart
from posenc_gui.figure.compare import compare
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panels import Note
from posenc_gui.figure.told_marks import with_told_twins
from posenc_gui.figure.view import EVERYTHING, View
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.foundation.errors import Remedy, Undefined, unknown_name
from posenc_gui.foundation.former_names import by_current_plots, current_plot
from posenc_gui.foundation.registry import list_when_called, module_names
from posenc_gui.plots.base import Group, Plot
from posenc_gui.plots.common.own_picture import own_picture as own_picture
from posenc_gui.scene.comparison import held_and_different
from posenc_gui.scene.comparison import names as names_of_sides
from posenc_gui.scene.remedies import for_several_axes, possible, within_the_table
from posenc_gui.scene.scene import Scene

_OF_THE_SENTENCE: tuple[Group, ...] = ("Attention", "Encoding")  # whose positions count from the scene's start
_OWN_PICTURES = {
    "hands": "hands", "clocks": "clocks", "encoding": "table", "rulers": "rulers", "offsets": "vectors",
}  # fmt: skip


@cache
def plots() -> dict[str, Plot]:
    """Return every plot by its name."""
    return {name: importlib.import_module(f"{__name__}.{name}").PLOT for name in module_names(__name__)}


def names() -> list[str]:
    """Return the names of all plots."""
    return list(plots())


class _ByName(Frozen):
    """Options of plots, which may also be given and asked for by what plots were called before."""

    @model_validator(mode="before")
    @classmethod
    def _by_current_names(cls, given: Any) -> Any:
        return by_current_plots(given) if isinstance(given, dict) else given

    def __getattr__(self, name: str) -> Any:
        if (current := current_plot(name)) != name:
            return getattr(self, current)
        return super().__getattr__(name)  # type: ignore[misc]  # pydantic's, which mypy isn't told of


@cache
def options_model(module: str) -> type[Frozen]:
    """Return the model of all plots' options, a field each; `module` must hold it as PlotOptions, for other processes."""
    fields: dict[str, Any] = {name: (plot.options, plot.options()) for name, plot in plots().items()}
    return create_model("PlotOptions", __base__=_ByName, __module__=module, **fields)


def find(name: str) -> Plot:
    """Return the plot with that name, of today or before. Raises ValueError for an unknown name."""
    if not isinstance(name, str) or current_plot(name) not in plots():
        raise ValueError(unknown_name("plot", name, plots()))
    return plots()[current_plot(name)]


def draw(name: str, scene: Scene, options: Frozen, view: View, engine: Engine) -> Iterator[Figure]:
    """Yield the figures of a plot with these options, from coarse to final; usually there is only one.

    If the plot is undefined for the scene, yield a note that says why; it replaces coarser figures that were yielded
    before. Two compared encodings are drawn side by side. Raises ValueError for an unknown name, and TooLarge if the plot
    needs more memory than is free.
    """
    plot, name = find(name), current_plot(name)
    told = scene.judged_at if plot.group == "Requirements" else ""
    scene = scene.at_full_strength if plot.group == "Requirements" else scene.acting
    scene = scene if plot.group in _OF_THE_SENTENCE else scene.from_zero
    try:
        # A tokenizer file may have changed, and with it the tokens of the same setup.
        what = ("figure", name, scene.setup, options, view, scene.tokens)
    except Undefined as why:
        yield note(name, why)
        return
    for figure in engine.remembered_steps(what, lambda: _steps(name, plot, scene, options, view, engine)):
        yield figure if figure.is_note or not told else figure.captioned(CaptionPart(told, "text"))


def _steps(name: str, plot: Plot, scene: Scene, options: Frozen, view: View, engine: Engine) -> Iterator[Figure]:
    if scene.other is not None and plot.shows == "one":
        yield _compared(name, scene, options, view, engine)
        return
    try:
        if plot.draw_part and view != EVERYTHING:
            drawn: Figure | Iterator[Figure] = plot.draw_part(scene, options, view, engine)
        else:
            drawn = plot.draw(scene, options, engine)
        if isinstance(drawn, Figure):
            yield _finished(drawn, name, plot, scene)
            return
        for figure in drawn:
            yield _finished(figure, name, plot, scene)
            engine.check_stop()
    except Undefined as why:
        # The plot may still be defined for one side.
        yield note(name, why, scene) if scene.other is None else _compared(name, scene, options, view, engine)


def _compared(name: str, scene: Scene, options: Frozen, view: View, engine: Engine) -> Figure:
    """Draw the encodings A and B separately, and place both figures side by side."""
    options = options.model_copy(update=find(name).compared)
    (*_, first), (*_, second) = (draw(name, side, options, view, engine) for side in scene.sides)
    both = compare((first, _with_remedies_of_other(second)), names_of_sides(scene))
    return both if both.is_note else both.captioned(*_of_comparison(scene))


def _with_remedies_of_other(figure: Figure) -> Figure:
    """Return B's figure with remedies that change B: drawn alone, it was the only encoding."""
    panels = []
    for panel in figure.panels:
        if isinstance(panel, Note) and panel.remedy:
            fields = {{"encoding": "other"}.get(name, name): value for name, value in panel.remedy.fields.items()}
            panel = replace(panel, remedy=replace(panel.remedy, fields=fields))
        panels.append(panel)
    return replace(figure, panels=tuple(panels))


def _finished(figure: Figure, name: str, plot: Plot, scene: Scene) -> Figure:
    """Give a figure its plot's name and title; say in its caption what is compared, how positions count, and what was added."""
    figure = replace(with_told_twins(figure), name=name, title=plot.title)
    if figure.is_note:
        return figure
    of_layer = ""
    if plot.group in _OF_THE_SENTENCE and figure.remedy is None:  # others judge positions, which count along all axes
        figure = replace(figure, remedy=for_several_axes(scene))
    if isinstance(scene.model, TrainedModel):
        of_layer = scene.model.of_layer
        trained = CaptionPart(f"{scene.model.name}, {TRAINED}", SEEDED.kind)
        told = tuple(trained if part == SEEDED else part for part in figure.caption_parts)
        figure = replace(figure, caption_parts=told)
    axes = _axes(figure) if scene.encoding.axes > 1 else ""
    patches = scene.patches.in_words if scene.patches and plot.shows == "all" else scene.patched
    text = (
        CaptionPart(words, "text")
        for words in (of_layer, "" if figure.frames else scene.shared_in, axes, patches, scene.sentence.split().filling)
    )
    is_told = plot.shows == "chosen" or any(part.kind == "start" for part in figure.caption_parts)
    start = CaptionPart("" if is_told else scene.starts, "start")
    return figure.captioned(start, *(() if plot.shows == "chosen" else _of_comparison(scene)), *text)


def _of_comparison(scene: Scene) -> tuple[CaptionPart, ...]:
    """Return the caption parts of a comparison: how the two encodings differ, and which settings are equal."""
    if scene.other is None:
        return ()
    held, different = held_and_different(scene)
    return CaptionPart(different, "differs"), CaptionPart(held, "held")


def _axes(figure: Figure) -> str:
    """Say how an encoding of several axes counts positions, in a figure with an unlabelled axis of these; else empty."""
    drawn = (axis for panel in figure.panels for axis in vars(panel).values() if isinstance(axis, Axis))
    counts = any(axis.title.startswith(("position", "offset")) and not axis.labels for axis in drawn)
    return "a position counts along all axes alike, as for words" if counts else ""


def note(name: str, why: object, scene: Scene | None = None) -> Figure:
    """Return a figure with a sentence in place of a plot's picture, and a remedy that the scene can take."""
    remedy = why.remedy if isinstance(why, Undefined) else None
    if scene and remedy and "encoding" in remedy.fields:
        remedy = _to_own_picture(name, scene) or remedy
    remedy = remedy or (within_the_table(scene) if scene else None)
    remedy = possible(scene, remedy) if scene and remedy else remedy
    return Figure(current_plot(name), find(name).title, (Note(str(why), remedy=remedy),), description=str(why))


def _to_own_picture(name: str, scene: Scene) -> Remedy | None:
    """Lead from an encoding's own picture that this one doesn't have to the one that it has."""
    own = own_picture(scene)
    if scene.encoding.door == "none" or own == name or not {own, name} <= _OWN_PICTURES.keys():
        return None
    return Remedy(f"See its {_OWN_PICTURES[own]}", command=f"plot.{own}")


list_when_called(__name__)
