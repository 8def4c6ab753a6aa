"""All encodings: which of the six requirements each one meets, as dots or as numbers, sortable by any of them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Literal, cast, get_args

from pydantic import Field

from posenc_gui.attention.engine import Engine
from posenc_gui.encodings.base import Door, Encoding
from posenc_gui.figure.axis import NOWHERE, Pointer
from posenc_gui.figure.caption_parts import compose_caption
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panels import Dotted, Judged, Table, table_text
from posenc_gui.figure.runs import Run, number_run, sentence
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.foundation.errors import Remedy, Undefined
from posenc_gui.foundation.wording import format_count, inflect, join_words, spell_count
from posenc_gui.measures.requirements import SIGNS, WORDS, Requirement, Requirements, definitions
from posenc_gui.plots.base import Plot, measured
from posenc_gui.plots.requirements import number_of
from posenc_gui.scene.comparison import every_encoding, in_a_sentence
from posenc_gui.scene.scene import Scene

_MODELS = 20  # letters of models' names
Sorting = Literal[
    "door", "number met", "unique", "bounded", "deterministic", "generalizable", "smooth", "relative_aware"
]

_BY_HEADING: dict[str, Sorting] = {
    "door": "door",
    "met": "number met",
    **{one.title: cast(Sorting, name) for name, one in definitions().items()},
}


class ComparisonOptions(Frozen):
    """The contents of the cells and the order of the rows."""

    show: Literal["verdicts and numbers", "verdicts", "numbers"] = Field(
        "verdicts and numbers",
        title="Show",
        description="Dots, whose numbers are read at the pointer, or a table; numbers alone have all their digits.",
        json_schema_extra={"names": {"verdicts and numbers": "dots", "verdicts": "signs and numbers"}},
    )
    sort: Sorting = Field(
        "door",
        title="Sort by",
        description="The door, how many requirements are met, or one of them, the best first.",
        json_schema_extra={"names": {"generalizable": "no new values"}},
    )


def draw(scene: Scene, options: ComparisonOptions, engine: Engine) -> Figure:
    """Draw one row per encoding, one column per requirement; the scene's encodings keep their parameters, others use
    defaults. In a table of numbers a relative encoding gets a second row if a causal mask, under which no key is after its
    query, changes a verdict."""
    dotted = options.show == "verdicts and numbers"
    compared, found, undefined = _every(scene, engine, under_both_masks=not dotted)
    by_door = sorted(found, key=lambda title: get_args(Door).index(compared[title].door))
    order = sorted(by_door, key=lambda title: _key(options.sort, found[title]))
    own = order.index(next(title for title, encoding in compared.items() if encoding == scene.encoding))
    panel = (_dots if dotted else partial(_table, show=options.show))(compared, found, order)
    sorts = [_sort(heading, options) for heading in panel.header]
    by = next(
        (at for at, heading in enumerate(panel.header) if _BY_HEADING.get(heading) == options.sort != "door"), None
    )
    every = list(every_encoding(scene))
    pressed = tuple(Pointer((("encoding", every.index(title)),)) if title in every else NOWHERE for title in order)
    judged = sum(bool(one.judged) for one in found.values())
    missing = (f"missing: {title}, {why}" for title, why in undefined.items())
    return Figure(
        panels=(replace(panel, focus=own, pressed=pressed, sorts=tuple(sorts), sorted_by=by),),
        headline=_headline(scene, order[own], found),
        caption_parts=compose_caption(
            *(["filled: met · half: partly · ring: not"] if dotted else _LEGEND),
            f"{judged} judged with d_model {scene.model.d_model}, d_head {scene.model.head_width}"
            f"{', causal' if scene.model.causal else ''}",
            *missing,
        ),
        description=" ".join(found[title].reason for title in order),
    )


def _sort(heading: str, options: ComparisonOptions) -> Remedy | None:
    """Return the order that a press on a heading asks for: by its column, or by door again; None if there is none by it."""
    if (by := _BY_HEADING.get(heading)) is None:
        return None
    back = by in (options.sort, "door")
    return Remedy("Sort by door" if back else f"Sort by {heading}", options={"sort": "door" if back else by})


def _dots(compared: Mapping[str, Encoding], found: Mapping[str, Requirements], order: Sequence[str]) -> Table:
    """A dot for each requirement, by door as long as doors stand together; how many meet it, and which models use it."""
    rows = tuple(
        (
            compared[title].door,
            title,
            str(compared[title].source.year),
            *(Dotted(_judged(name, row), row.verdict) for name, row in found[title].items()),
            _models(compared[title]),
        )
        for title in order
    )
    header = ("door", "encoding", "year", *(one.title for one in definitions().values()), "models")
    judged = [one for one in found.values() if one.judged]
    met = (sum(one[name].verdict == "met" for one in judged) for name in definitions())
    counts = "", "", "", *(f"met by {count}" for count in met), ""
    doors = [compared[title].door for title in order]
    return Table(
        "the six requirements",
        header,
        rows,
        grouped=doors == sorted(doors, key=doors.index),
        counts=counts,
        spare=(len(header) - 1, 2, 0),
    )


def _models(encoding: Encoding) -> str:
    """The first models that use an encoding, as far as they are read at a glance."""
    names = [name.partition(" (")[0] for name in encoding.models]
    few = [name for at, name in enumerate(names) if at == 0 or len(", ".join(names[: at + 1])) <= _MODELS]
    return ", ".join(few)


def _table(
    compared: Mapping[str, Encoding], found: Mapping[str, Requirements], order: Sequence[str], show: str
) -> Table:
    rows = tuple(
        (
            title,
            compared[title].door,
            *_counts(compared[title], found[title]),
            *(_cell(name, row, show) for name, row in found[title].items()),
        )
        for title in order
    )
    header = ("encoding", "door", "judged", "met", *(one.title for one in definitions().values()))
    return Table("the six requirements", header, rows)


_LEGEND = (
    *(f"{sign} {WORDS[verdict]}" for verdict, sign in SIGNS.items()),
    "the number is explained under Requirements",
)


def _every(
    scene: Scene, engine: Engine, *, under_both_masks: bool
) -> tuple[dict[str, Encoding], dict[str, Requirements], dict[str, str]]:
    """Return the encodings by row title, their measured requirements, and why other encodings don't fit the model."""
    model, compared, found, undefined = scene.model, {}, {}, {}
    masked = model.model_copy(update={"causal": not model.causal})
    for title, encoding in every_encoding(scene).items():
        if encoding.door == "none" and encoding not in (scene.encoding, scene.other):
            continue  # nothing of it can be judged
        try:
            encoding.check_shape(model.d_model, model.n_heads, model.head_width)
        except Undefined as why:
            undefined[title] = str(why).rstrip(".")
            continue
        judged = scene.with_encoding(encoding)
        compared[title], found[title] = encoding, measured("requirements", judged, engine)
        if under_both_masks and encoding.along == "offset":
            other = measured("requirements", judged.with_fields(model=masked), engine)
            if [row.verdict for row in other.values()] != [row.verdict for row in found[title].values()]:
                second = f"{title}, {'causal mask' if masked.causal else 'no mask'}"
                compared[second], found[second] = encoding, other
    return compared, found, undefined


def _counts(encoding: Encoding, found: Requirements) -> tuple[str, str | float]:
    """Return how many positions or offsets were judged, and how many requirements are met."""
    if not found.judged:
        return "", WORDS["n/a"]
    return format_count(found.judged, encoding.along), found.value or 0.0


def _key(sort: Sorting, found: Requirements) -> tuple[float, ...]:
    if sort == "door":
        return ()
    if sort == "number met":
        return (-(found.value or 0.0) if found.judged else 1.0,)
    row = found[sort]
    return list(SIGNS).index(
        row.verdict
    ), math.inf if row.value is None else -row.value if sort == "unique" else row.value


def _cell(name: str, row: Requirement, show: str) -> str | float:
    return number_of(name, row) if show == "numbers" else Judged(_judged(name, row), row.verdict)


def _judged(name: str, row: Requirement) -> str:
    """Return a verdict's sign and its number: “● 1.015”."""
    if row.verdict == "n/a":
        return row.told
    value = "undefined" if row.value is None else table_text(number_of(name, row))
    return f"{SIGNS[row.verdict]} {value}"


def _headline(scene: Scene, own: str, found: Mapping[str, Requirements]) -> tuple[Run, ...]:
    """“No encoding meets all six. Six meet five, RoPE among them: all but No new values.”"""
    if not found[own].judged and scene.encoding.door != "none":
        return sentence(found[own].reason)
    judged = {title: one for title, one in found.items() if one.judged and title in every_encoding(scene)}
    most = max((one.value or 0 for one in judged.values()), default=0)
    if not judged:
        return sentence("Without an encoding there is nothing to judge.")
    best = {title: one for title, one in judged.items() if one.value == most}
    whole = len(definitions())
    begun = "" if most == whole else "No encoding meets all six. "
    meet = f"{begun}{spell_count(len(best)).capitalize()} {inflect(len(best), 'meets', 'meet')} "
    reach = "all six" if most == whole else spell_count(int(most))
    lacks = {_lacks(one) for one in best.values()}
    shared = f": all but {next(iter(lacks))}" if len(lacks) == 1 and most < whole else ""
    if own in best and len(best) == 1:
        return sentence(begun, number_run(own), f" meets {reach}, more than any other{shared}.")
    if own in best:
        alone = shared or f"; it lacks {_lacks(found[own])}" * (most < whole)
        return sentence(f"{meet}{reach}, ", number_run(in_a_sentence(scene, own)), f" among them{alone}.")
    if not found[own].judged:
        return sentence(f"{meet}{reach}{shared}.")
    if found[own].undefined:
        return sentence(f"{meet}{reach}{shared}. {found[own].reason}")
    return sentence(
        f"{meet}{reach}; ",
        number_run(in_a_sentence(scene, own)),
        f" meets {spell_count(int(found[own].value or 0))}: it lacks {_lacks(found[own])}.",
    )


def _lacks(found: Requirements) -> str:
    return join_words(row.title for row in found.values() if row.verdict != "met")


PLOT = Plot(
    "All encodings",
    "The six requirements of every encoding, sorted by any of them.",
    "Which encoding meets what?",
    ComparisonOptions,
    draw,
    "Requirements",
    shows="all",
)
