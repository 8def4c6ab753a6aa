"""All encodings: a table of each encoding's six requirements, sortable by any of them."""

from __future__ import annotations

import math
from typing import Literal

from pydantic import Field

from posenc_gui.attention.engine import Engine
from posenc_gui.encodings.base import Encoding
from posenc_gui.figure.caption_parts import compose_caption
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panels import Judged, Table, table_text
from posenc_gui.figure.runs import Run, sentence
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.foundation.errors import Undefined
from posenc_gui.foundation.wording import format_count
from posenc_gui.measures.requirements import SIGNS, WORDS, Requirement, Requirements, definitions
from posenc_gui.plots.base import Plot, measured
from posenc_gui.plots.requirements import number_of
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
        "door",
        title="Sort by",
        description="The door, how many requirements are met, or one of them, the best first.",
        json_schema_extra={"names": {"generalizable": "no new values"}},
    )


def draw(scene: Scene, options: ComparisonOptions, engine: Engine) -> Figure:
    """Draw one row per encoding, one column per requirement; the scene's encodings keep their parameters, others use defaults.

    A relative encoding gets a second row if a causal mask, under which no key is after its query, changes a verdict.
    """
    compared, found, undefined = _every(scene, engine)
    order = sorted(found, key=lambda title: _key(options.sort, found[title]))
    is_brief = options.show == "verdicts"  # so that all verdicts are in sight
    rows: tuple[tuple[str | float, ...], ...] = tuple(
        (
            title,
            *(() if is_brief else (compared[title].door, *_counts(compared[title], found[title]))),
            *(_cell(name, row, options.show) for name, row in found[title].items()),
        )
        for title in order
    )
    further = () if is_brief else ("door", "judged", "met")
    header = ("encoding", *further, *(one.title for one in definitions().values()))
    missing = (f"missing: {title}, {why}" for title, why in undefined.items())
    own = order.index(next(title for title, encoding in compared.items() if encoding == scene.encoding))
    return Figure(
        panels=(Table("the six requirements", header, rows, focus=own),),
        headline=_headline(scene, order[own], found[order[own]]),
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
    if show == "numbers":
        return number_of(name, row)
    if show == "verdicts":
        return Judged(SIGNS["n/a"] if row.verdict == "n/a" else row.told, row.verdict)
    if row.verdict == "n/a":
        return Judged(row.told, row.verdict)
    value = "undefined" if row.value is None else table_text(number_of(name, row))
    return Judged(f"{SIGNS[row.verdict]} {value}", row.verdict)


def _headline(scene: Scene, own: str, found: Requirements) -> tuple[Run, ...]:
    """“ALiBi is deterministic, smooth and relative-aware; not unique or bounded.”"""
    if not found.judged and scene.encoding.door != "none":
        return sentence(found.reason)
    if not found.judged:
        return sentence("Without an encoding there is nothing to judge.")
    return sentence(f"{own} is {found.told}.")


PLOT = Plot(
    "All encodings",
    "The six requirements of every encoding, sorted by any of them.",
    "Which encoding meets what?",
    ComparisonOptions,
    draw,
    "Requirements",
    shows="all",
)
