"""Sweep: small multiples of one plot for several values of one number, all on one scale."""

from __future__ import annotations

import difflib
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from posenc_gui import plots
from posenc_gui.attention.engine import Engine
from posenc_gui.figure.caption_parts import CaptionPart
from posenc_gui.figure.compare import compare
from posenc_gui.figure.compared_headline import headline_of_sides, headline_since
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.runs import Run
from posenc_gui.figure.view import EVERYTHING, View
from posenc_gui.foundation.declared_model import Frozen, format_value
from posenc_gui.foundation.errors import Remedy, Undefined, describe_error
from posenc_gui.foundation.registry import module_names
from posenc_gui.foundation.wording import inflect, inner_case, quote
from posenc_gui.plots.base import Plot
from posenc_gui.scene import sweepable_fields
from posenc_gui.scene.caption import describe_encodings, describe_settings
from posenc_gui.scene.scene import Scene
from posenc_gui.scene.sweepable_fields import FEWEST, MOST, SweepableNumber

if TYPE_CHECKING:
    PlotName = str
else:
    PlotName = Literal[tuple(name for name in module_names(plots.__name__) if name != "sweep")]


class SweepOptions(Frozen):
    """The number that is swept, its values, and the plot."""

    plot: PlotName = Field(
        "attention", title="Plot", description="The plot drawn for each value, with its default options."
    )
    number: str = Field(
        "",
        max_length=100,
        title="Number",
        description="The number to sweep: base or another parameter of the encoding, other.base of B, model.d_model of the toy "
        "model; automatic is the encoding's first.",
    )
    values: tuple[float, ...] = Field(
        (),
        max_length=MOST,
        title="Values",
        description=f"{FEWEST} to {MOST} of them, such as 100, 1e4, 1e6; automatic is six around the current one.",
    )


def draw(scene: Scene, options: SweepOptions, engine: Engine) -> Iterator[Figure]:
    """Draw the plot once per value; equal panels appear once. A plot drawn in steps is coarse until all are whole."""
    return draw_part(scene, options, EVERYTHING, engine)


def draw_part(scene: Scene, options: SweepOptions, view: View, engine: Engine) -> Iterator[Figure]:
    """Draw this part of the plot for each value."""
    number = _number(scene, options.number)
    values = tuple(dict.fromkeys(options.values)) or sweepable_fields.propose_values(scene.setup, number)
    if len(values) < FEWEST:
        given = (
            f"{len(values)} {inflect(len(values), 'is', 'are')} given" if options.values else "it can't take so many"
        )
        raise Undefined(f"Small multiples show {FEWEST} to {MOST} values of {number.title}: {given}.")
    names, coming = [], []
    for value in values:
        try:
            one = sweepable_fields.with_number(scene.setup, number, value)
        except ValueError as why:
            raise Undefined(f"{number.title} can't be {format_value(value)}: {describe_error(why)}.") from None
        names.append(format_value(sweepable_fields.sweepable_numbers(one)[number.name].value))
        coming.append(_steps(options.plot, _alone(Scene(one, scene.sentence), number), view, engine))
    first = []
    for steps in coming:
        engine.check_stop()
        first.append(next(steps))
    coarse = _multiples(scene, options, number, values, first, names)
    yield coarse
    whole: list[Figure] = []
    for steps, figure in zip(coming, first, strict=True):
        whole += deque(steps, maxlen=1) or (figure,)
        if coarse.done < 1 and len(whole) < len(values):
            yield replace(coarse, done=len(whole) / len(values))
    if any(last is not figure for last, figure in zip(whole, first, strict=True)):
        yield _multiples(scene, options, number, values, whole, names)


def _steps(plot: str, scene: Scene, view: View, engine: Engine) -> Iterator[Figure]:
    """Draw the plot of one value."""
    subject, settings = describe_encodings(scene), describe_settings(scene)
    for figure in plots.draw(plot, scene, plots.find(plot).options(), view, engine):
        yield replace(figure, subject=subject, settings=settings)


def _multiples(
    scene: Scene,
    options: SweepOptions,
    number: SweepableNumber,
    values: tuple[float, ...],
    figures: Sequence[Figure],
    names: Sequence[str],
) -> Figure:
    title = plots.find(options.plot).title
    alone = _alone(scene, number)
    swept = alone.at_full_strength if number.name == "strength" else alone
    of, called = swept.encoding.called, inner_case(number.title)
    found = replace(
        compare(figures, tuple(names), called=called),
        done=sum(figure.done for figure in figures) / len(figures),
        subject="",
        settings="",
        headline=_headline(called, (names[0], names[-1]), figures[0], figures[-1]),
    )
    return found.captioned(CaptionPart(f"{title} of {of}", "subject"), CaptionPart(f"differs: {called}", "differs"))


def _headline(called: str, ends: Sequence[str], first: Figure, last: Figure) -> tuple[Run, ...]:
    """“base 100 → 1,000,000: With Sinusoidal, sat gives the two the 0.51 → 0.39 and 0.10 → 0.18.”"""
    told = headline_since(first, last)
    if told == last.headline != first.headline and first.headline:  # it differs in more than numbers
        return headline_of_sides(first.headline, last.headline, (f"{called} {ends[0]}: ", f"{ends[1]}: "))
    return (Run(f"{called} {ends[0]} → {ends[1]}: "), *told) if told else (Run(f"{called} {ends[0]} to {ends[1]}."),)


def _number(scene: Scene, name: str) -> SweepableNumber:
    known = sweepable_fields.sweepable_numbers(scene.setup)
    if name in known:
        return known[name]
    first = next(iter(known.values()))
    if name:
        raise Undefined(_describe_unknown(scene, name, known), _sweep_of(first))
    if first.part != "encoding":
        raise Undefined(
            f"{quote(scene.encoding.called)} has no number to sweep; the toy model's have names such as model.d_model.",
            _sweep_of(first),
        )
    return first


def _describe_unknown(scene: Scene, name: str, known: Mapping[str, SweepableNumber]) -> str:
    """Say whose number this would be, and the name that may have been meant."""
    prefix, _, inner = name.rpartition(".")
    if prefix == "other" and scene.other is None:
        return f"There is no second encoding whose {inner} could be swept."
    encoding = scene.other if prefix == "other" else scene.encoding
    owner = "The toy model" if prefix == "model" or encoding is None else quote(encoding.called)
    close = difflib.get_close_matches(name, known, 1)
    meant = f" Did you mean {close[0]}?" if close else ""
    return f"{owner} has no number called {inner}.{meant}"


def _sweep_of(number: SweepableNumber) -> Remedy:
    return Remedy(f"Sweep {inner_case(number.title)}", options={"number": number.name, "values": ()})


def _alone(scene: Scene, number: SweepableNumber) -> Scene:
    """Return the scene with only the encoding that the swept number belongs to, without the compared one."""
    return scene.with_encoding(scene.other if number.part == "other" and scene.other is not None else scene.encoding)


PLOT = Plot(
    "Sweep",
    "One number at several values, one picture for each, all on one scale.",
    "What does one number change?",
    SweepOptions,
    draw,
    "Encoding",
    shows="chosen",
    draw_part=draw_part,
)
