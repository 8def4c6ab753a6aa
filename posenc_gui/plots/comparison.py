"""All encodings: a table of each encoding's six requirements, sortable by any of them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Literal

from pydantic import Field

from posenc_gui.attention.engine import Engine
from posenc_gui.encodings.base import Encoding
from posenc_gui.figure.caption_parts import compose_caption
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panels import Judged, Table
from posenc_gui.figure.runs import Run, number_run, sentence
from posenc_gui.figure.view import View
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.foundation.errors import Undefined
from posenc_gui.foundation.wording import format_count, format_number
from posenc_gui.measures.requirements import SIGNS, WORDS, Requirement, Requirements, definitions
from posenc_gui.plots.base import Plot, measured
from posenc_gui.scene.comparison import every_encoding
from posenc_gui.scene.scene import Scene

Sorting = Literal[
    "door", "number met", "unique", "bounded", "deterministic", "generalizable", "smooth", "relative_aware"
]


class ComparisonOptions(Frozen):
    """The contents of the cells and the order of the rows."""

    show: Literal["verdicts and numbers", "verdicts", "numbers"] = Field(
        "verdicts and numbers",
        title="Show",
        description="The contents of the cells; numbers alone have all their digits.",
    )
    sort: Sorting = Field(
        "door", title="Sort by", description="The door, how many requirements are met, or one of them, the best first."
    )


def draw(scene: Scene, options: ComparisonOptions, _view: View, engine: Engine) -> Figure:
    """Draw one row per encoding, one column per requirement; the scene's encodings keep their parameters, others use defaults.

    A relative encoding gets a second row if a causal mask, under which no key is after its query, changes a verdict.
    """
    compared, found, undefined = _every(scene, engine)
    order = sorted(found, key=lambda title: _key(options.sort, found[title]))
    rows: tuple[tuple[str | float, ...], ...] = tuple(
        (
            title,
            compared[title].door,
            format_count(found[title].judged, compared[title].along) if found[title].judged else "",
            _met(found[title]),
            *(_cell(row, options.show) for row in found[title].values()),
        )
        for title in order
    )
    header = ("encoding", "door", "judged", "met", *(one.title for one in definitions().values()))
    missing = (f"missing: {title}, {why}" for title, why in undefined.items())
    own = order.index(next(title for title, encoding in compared.items() if encoding == scene.encoding))
    return Figure(
        name="comparison",
        title="All encodings",
        panels=(Table("the six requirements", header, rows, focus=own),),
        headline=_headline(order[own], found),
        caption_parts=compose_caption(
            f"judged with d_model {scene.model.d_model}, d_head {scene.model.head_width}"
            f"{', causal' if scene.model.causal else ''}",
            *_LEGEND,
            *missing,
        ),
        description=" ".join(found[title].reason for title in order),
    )


_LEGEND = (
    *(f"{sign} {WORDS[verdict]}" for verdict, sign in SIGNS.items()),
    "the number is explained under Requirements",
)


def _every(scene: Scene, engine: Engine) -> tuple[dict[str, Encoding], dict[str, Requirements], dict[str, str]]:
    """Return the encodings by row title, their measured requirements, and why other encodings don't fit the model."""
    model, compared, found, undefined = scene.model, {}, {}, {}
    masked = model.model_copy(update={"causal": not model.causal})
    for title, encoding in every_encoding(scene).items():
        try:
            encoding.check_shape(model.d_model, model.n_heads, model.head_width)
        except Undefined as why:
            undefined[title] = str(why).rstrip(".")
            continue
        judged = scene.with_encoding(encoding)
        compared[title], found[title] = encoding, measured("requirements", judged, engine)
        if encoding.along == "offset":
            other = measured("requirements", judged.model_copy(update={"model": masked}), engine)
            if [row.verdict for row in other.values()] != [row.verdict for row in found[title].values()]:
                second = f"{title}, {'causal mask' if masked.causal else 'no mask'}"
                compared[second], found[second] = encoding, other
    return compared, found, undefined


def _met(found: Requirements) -> str | float:
    return (found.value or 0.0) if found.judged else WORDS["n/a"]


def _key(sort: Sorting, found: Requirements) -> tuple[float, ...]:
    if sort == "door":
        return ()
    if sort == "number met":
        return (-(found.value or 0.0) if found.judged else 1.0,)
    row = found[sort]
    return list(SIGNS).index(
        row.verdict
    ), math.inf if row.value is None else -row.value if sort == "unique" else row.value


def _cell(row: Requirement, show: str) -> str | float:
    if show == "numbers":
        return "" if row.value is None else row.value
    if show == "verdicts":
        return Judged(row.told, row.verdict)
    if row.verdict == "n/a":
        return Judged(row.told, row.verdict)
    value = "undefined" if row.value is None else format_number(row.value)
    return Judged(f"{SIGNS[row.verdict]} {value}", row.verdict)


def _headline(own: str, found: Mapping[str, Requirements]) -> tuple[Run, ...]:
    """“ALiBi meets 3 of 6 requirements; the most that another meets is 5.”"""
    met = {title: round(of.value or 0.0) for title, of in found.items() if of.judged}
    most = max(met.values())
    if own not in met:
        return sentence("Without an encoding there is nothing to judge; the most that another meets is ", most, ".")
    begun = (f"{own} meets ", number_run(f"{met[own]} of {len(found[own])}"), " requirements; ")
    if met[own] == most:
        return sentence(*begun, "no other meets more.")
    return sentence(*begun, "the most that another meets is ", most, ".")


PLOT = Plot(
    "All encodings",
    "The six requirements of every encoding, sorted by any of them.",
    "Which encoding meets what?",
    ComparisonOptions,
    draw,
    "Requirements",
    shows="all",
)
