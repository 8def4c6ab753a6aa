"""Sweep: one plot as small multiples, one number at several values, all on one scale."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from posenc_gui import plots
from posenc_gui.attention.engine import Engine
from posenc_gui.figure.figure import Figure, Run
from posenc_gui.figure.side_by_side import multiples
from posenc_gui.figure.view import View
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.foundation.errors import Undefined, sentence, unknown
from posenc_gui.foundation.registry import modules
from posenc_gui.plots.base import Plot
from posenc_gui.scene import sweepable_fields as sweepable
from posenc_gui.scene.diff import in_a_sentence, worded
from posenc_gui.scene.scene import Scene
from posenc_gui.scene.sweepable_fields import FEWEST, MOST, Number

if TYPE_CHECKING:
    PlotName = str
else:
    PlotName = Literal[tuple(name for name in modules(plots.__name__) if name != "sweep")]


class SweepOptions(Frozen):
    """What is swept, and in which plot."""

    plot: PlotName = Field(
        "attention", title="Plot", description="What is drawn of each value, with its first options."
    )
    number: str = Field(
        "",
        max_length=100,
        title="Number",
        description="Which one: base or another parameter of the encoding, other.base of B, model.d_model of the toy "
        "model; automatic is the encoding's first.",
    )
    values: tuple[float, ...] = Field(
        (),
        max_length=MOST,
        title="Values",
        description=f"{FEWEST} to {MOST} of them, such as 100, 1e4, 1e6; automatic is five around the one at hand.",
    )


def draw(scene: Scene, options: SweepOptions, view: View, engine: Engine) -> Iterator[Figure]:
    """The plot once a value; what is the same in all of them stands once. Where it comes in steps, all coarse, then all whole."""
    number = _number(scene, options.number)
    values = tuple(dict.fromkeys(options.values)) or sweepable.proposed(scene, number)
    if len(values) < FEWEST:
        given = (
            f"{len(values)} {'is' if len(values) == 1 else 'are'} given" if options.values else "it can't take so many"
        )
        raise Undefined(f"Small multiples show {FEWEST} to {MOST} values of {number.title}: {given}.")
    names, coming = [], []
    for value in values:
        try:
            one = sweepable.changed(scene, number, value)
        except ValueError as why:
            raise Undefined(f"{number.title} can't be {worded(value)}: {sentence(why)}.") from None
        names.append(f"{in_a_sentence(number.title)} {worded(sweepable.numbers(one)[number.name].value)}")
        coming.append(plots.draw(options.plot, _alone(one, number), plots.find(options.plot).options(), view, engine))
    first = []
    for steps in coming:
        engine.check_stop()
        first.append(next(steps))
    yield _multiples(scene, options, number, values, first, names)
    last = [deque(steps, maxlen=1) for steps in coming]
    if any(last):
        whole = [one[0] if one else coarse for one, coarse in zip(last, first, strict=True)]
        yield _multiples(scene, options, number, values, whole, names)


def _multiples(
    scene: Scene,
    options: SweepOptions,
    number: Number,
    values: tuple[float, ...],
    figures: Sequence[Figure],
    names: Sequence[str],
) -> Figure:
    title = plots.find(options.plot).title
    whole = multiples(figures, names)
    of, called = _alone(scene, number).encoding.called, in_a_sentence(number.title)
    return replace(
        whole,
        name="sweep",
        title="Sweep",
        headline=(
            Run(f"{title} of {of} at {len(values)} values of {called}, from "),
            Run(worded(min(values)), "number"),
            Run(" to "),
            Run(worded(max(values)), "number"),
            Run("."),
        ),
        caption=" · ".join(filter(None, (f"{title} of {of}", f"differs: {called}", whole.caption))),
    )


def _number(scene: Scene, name: str) -> Number:
    known = sweepable.numbers(scene)
    if name in known:
        return known[name]
    if name:
        raise Undefined(f"{unknown('number', name, known)}.")
    first = next(iter(known.values()))
    if first.part != "encoding":
        raise Undefined(
            f"“{scene.encoding.called}” has no number to sweep; the toy model's have names such as model.d_model."
        )
    return first


def _alone(scene: Scene, number: Number) -> Scene:
    """The side that a number belongs to, without the one it is compared with."""
    return scene.with_encoding(scene.other if number.part == "other" and scene.other is not None else scene.encoding)


PLOT = Plot(
    "Sweep",
    "One number at several values, one picture for each, all on one scale.",
    "What does one number change?",
    SweepOptions,
    draw,
    "Encoding",
    shows="chosen",
)
