"""Sweep: small multiples of one plot for several values of one number, or for several encodings, all on one scale."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from posenc_gui import plots
from posenc_gui.attention.engine import Engine
from posenc_gui.encodings.common.any_encoding import SeveralEncodings
from posenc_gui.figure.caption_parts import CaptionPart
from posenc_gui.figure.compare import compare
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.headline import headline
from posenc_gui.figure.runs import Run
from posenc_gui.figure.view import EVERYTHING, View
from posenc_gui.foundation.declared_model import Frozen, format_value
from posenc_gui.foundation.errors import Remedy, Undefined, describe_error, meant
from posenc_gui.foundation.registry import module_names
from posenc_gui.foundation.unicode_text import shorten_middle
from posenc_gui.foundation.wording import format_count, inflect, inner_case, join_words, quote, spell_count
from posenc_gui.plots.attention import AttentionOptions, row_of
from posenc_gui.plots.base import Plot
from posenc_gui.plots.common.heads import in_head
from posenc_gui.scene import sweepable_fields
from posenc_gui.scene.caption import describe_encodings, describe_settings
from posenc_gui.scene.comparison import in_a_sentence, phrase_of, title
from posenc_gui.scene.remedies import first_published
from posenc_gui.scene.scene import Scene
from posenc_gui.scene.sweepable_fields import FEWEST, FEWEST_ENCODINGS, MOST, SweepableNumber

if TYPE_CHECKING:
    PlotName = str
else:
    PlotName = Literal[tuple(name for name in module_names(plots.__name__) if name != "sweep")]

_OF_ONE_ROW = ("attention", "row", "slopes", "flow")  # whose headline tells the weights of the query in focus
_MOST_TOLD = 4  # encodings
_LONGEST_WRITTEN = 40  # characters of a formula in the name of its figure


class SweepOptions(Frozen):
    """The number that is swept and its values, or the encodings, and the plot."""

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
    encodings: SeveralEncodings = Field(
        (),
        max_length=MOST,
        title="Encodings",
        description=f"{FEWEST_ENCODINGS} to {MOST} encodings in place of a number, such as sinusoidal, rope(base=500), alibi; "
        "automatic sweeps the number.",
        json_schema_extra={"none": "none: a number", "evident": True},
    )


def draw(scene: Scene, options: SweepOptions, engine: Engine) -> Iterator[Figure]:
    """Draw the plot once per value; equal panels appear once. A plot drawn in steps is coarse until all are whole."""
    return draw_part(scene, options, EVERYTHING, engine)


def draw_part(scene: Scene, options: SweepOptions, view: View, engine: Engine) -> Iterator[Figure]:
    """Draw this part of the plot for each value, or for each encoding."""
    if options.encodings:
        yield from _each_encoding(scene, options, view, engine)
        return
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
    yield from _in_steps(coming, partial(_multiples, scene, options, number, names=names), engine)


def _in_steps(
    coming: Sequence[Iterator[Figure]], together: Callable[[Sequence[Figure]], Figure], engine: Engine
) -> Iterator[Figure]:
    """Yield the figures together, first as coarse as each begins, then whole."""
    first = []
    for steps in coming:
        engine.check_stop()
        first.append(next(steps))
    coarse = together(first)
    yield coarse
    whole: list[Figure] = []
    for steps, figure in zip(coming, first, strict=True):
        whole += deque(steps, maxlen=1) or (figure,)
        if coarse.done < 1 and len(whole) < len(first):
            yield replace(coarse, done=len(whole) / len(first))
    if any(last is not figure for last, figure in zip(whole, first, strict=True)):
        yield together(whole)


def _each_encoding(scene: Scene, options: SweepOptions, view: View, engine: Engine) -> Iterator[Figure]:
    """Draw the plot once per encoding, on the scene's own model; one that the model refuses has that in its place."""
    scenes = [scene.with_encoding(encoding) for encoding in dict.fromkeys(options.encodings)]
    if len(scenes) < FEWEST_ENCODINGS:
        raise Undefined(f"Small multiples show {FEWEST_ENCODINGS} to {MOST} encodings: one is given.")
    coming = [_steps(options.plot, one, view, engine) for one in scenes]
    shown = CaptionPart(plots.find(options.plot).title, "subject")
    together = partial(multiples_of_encodings, options.plot, scenes, engine=engine)
    yield from _in_steps(coming, lambda figures: together(figures).captioned(shown), engine)


def multiples_of_encodings(plot: str, scenes: Sequence[Scene], figures: Sequence[Figure], engine: Engine) -> Figure:
    """Combine the figures of one plot for several encodings, each without the map that all have without position."""
    own = [_of_encoding(figure, one) for figure, one in zip(figures, scenes, strict=True)]
    found = _done(compare(own, tuple(map(name_of, scenes)), several=True), figures)
    called = [*dict.fromkeys(map(name_of, scenes))]
    firsts = dict.fromkeys(one.encoding.called for one in scenes if _has_first_slope(one))
    told = _weights_told(scenes, figures, engine) if plot in _OF_ONE_ROW else ()
    fair = tuple(to.fields["encoding"] if (to := first_published(one)) else one.encoding for one in scenes)
    is_fair = not told or fair == tuple(one.encoding for one in scenes)
    return replace(
        found,
        headline=told or found.headline,
        subject=join_words(called) if len(called) <= _MOST_TOLD else format_count(len(scenes), "encoding"),
        remedy=None if is_fair else Remedy("First slope of eight", options={"encodings": fair}),
    ).captioned(
        CaptionPart("differs: encoding", "differs"),
        *(
            CaptionPart(f"{one} at slope ½ (the first of eight heads), since one head alone would have 1/256")
            for one in firsts
        ),
    )


def name_of(scene: Scene) -> str:
    """Name an encoding with what differs from its defaults, “RoPE (base 500)”, or with the slope that this gives its head."""
    called, _, changed = describe_encodings(scene).partition(", ")
    written = shorten_middle(scene.encoding.written, _LONGEST_WRITTEN)
    changed = "slope ½" if _has_first_slope(scene) else written or changed
    return f"{called} ({changed})" if changed else called


def _has_first_slope(scene: Scene) -> bool:
    """True if a single head has the first slope of eight, in place of the flattest."""
    encoding = scene.encoding
    return scene.model.n_heads == 1 and encoding == type(encoding)().with_first_published()


def _of_encoding(figure: Figure, scene: Scene) -> Figure:
    """Return a figure of maps, one for each of the scene's sides, with the encoding's own alone."""
    sides = {title(side) for side in scene.acting.sides}
    own = tuple(panel for panel in figure.panels if panel.title == title(scene.acting))
    return replace(figure, panels=own) if own and {panel.title for panel in figure.panels} <= sides else figure


def _weights_told(scenes: Sequence[Scene], figures: Sequence[Figure], engine: Engine) -> tuple[Run, ...]:
    """“With RoPE, sat gives the two the 0.27 and 0.17. With ALiBi, 0.23 each.”; of many encodings the two that differ most."""
    drawn = [one.acting for one, figure in zip(scenes, figures, strict=True) if not figure.is_note]
    if len(drawn) < FEWEST_ENCODINGS:
        return ()
    rows = [row_of(one, AttentionOptions(), one.heads_of(None), engine) for one in drawn]
    under = [phrase_of(one, in_a_sentence(one, name_of(one))) for one in drawn]
    where, told = in_head(drawn[0], None), [*zip(under, rows, strict=True)]
    if len(told) > _MOST_TOLD:
        pairs = combinations(told, 2)
        told = [*max(pairs, key=lambda two: max(abs(two[0][1][key] - two[1][1][key]) for key in rows[0]))]
        where = f"Of {spell_count(len(drawn))} encodings these two differ most: {inner_case(where)}"
    under, rows = [one for one, _ in told], [row for _, row in told]
    return headline(under, rows, "probabilities", drawn[0].tokens, drawn[0].focused or 0, where, drawn[0].start)


def _steps(plot: str, scene: Scene, view: View, engine: Engine) -> Iterator[Figure]:
    """Draw the plot of one value or encoding; what the model refuses is a note."""
    subject, settings = describe_encodings(scene), describe_settings(scene)
    try:
        scene.setup.with_fields()
    except ValueError as why:
        yield plots.note(plot, f"{describe_error(why)}.")
        return
    for figure in plots.draw(plot, scene, plots.find(plot).options(), view, engine):
        yield replace(figure, subject=subject, settings=settings)


def _multiples(
    scene: Scene, options: SweepOptions, number: SweepableNumber, figures: Sequence[Figure], names: Sequence[str]
) -> Figure:
    called = inner_case(number.title)
    found = _done(compare(figures, tuple(names), called=called), figures)
    of = CaptionPart(f"{plots.find(options.plot).title} of {in_a_sentence(scene, found.subject)}", "subject")
    return found.captioned(of, CaptionPart(f"differs: {called}", "differs"))


def _done(whole: Figure, figures: Sequence[Figure]) -> Figure:
    return replace(whole, done=sum(figure.done for figure in figures) / len(figures))


def _number(scene: Scene, name: str) -> SweepableNumber:
    known = sweepable_fields.sweepable_numbers(scene.setup)
    if name in known:
        return known[name]
    first = next(iter(known.values()))
    if name:
        raise Undefined(_describe_unknown(scene, name, known), _sweep_of(first))
    if first.part != "encoding":
        raise Undefined(
            f"{quote(scene.encoding.titled)} has no number to sweep; the toy model's have names such as model.d_model.",
            _sweep_of(first),
        )
    return first


def _describe_unknown(scene: Scene, name: str, known: Mapping[str, SweepableNumber]) -> str:
    """Say whose number this would be, and the name that may have been meant."""
    prefix, _, inner = name.rpartition(".")
    if prefix == "other" and scene.other is None:
        return f"There is no second encoding whose {inner} could be swept."
    encoding = scene.other if prefix == "other" else scene.encoding
    owner = "The toy model" if prefix == "model" or encoding is None else quote(encoding.titled)
    return f"{owner} has no number called {inner}{meant(name, known)}."


def _sweep_of(number: SweepableNumber) -> Remedy:
    return Remedy(f"Sweep {inner_case(number.title)}", options={"number": number.name, "values": (), "encodings": ()})


def _alone(scene: Scene, number: SweepableNumber) -> Scene:
    """Return the scene with only the encoding that the swept number belongs to, without the compared one."""
    return scene.with_encoding(scene.other if number.part == "other" and scene.other is not None else scene.encoding)


PLOT = Plot(
    "Sweep",
    "One number at several values, or several encodings: one picture for each, all on one scale.",
    "What does one number change, or another encoding?",
    SweepOptions,
    draw,
    "Encoding",
    shows="chosen",
    draw_part=draw_part,
)
