"""All encodings: the six requirements of each, sorted by any of them."""

from __future__ import annotations

import math
from typing import Literal

from pydantic import Field

from posenc_gui.attention.engine import Engine
from posenc_gui.encodings import classes, every
from posenc_gui.errors import Undefined
from posenc_gui.figure import Figure, Table, number
from posenc_gui.frozen import Frozen
from posenc_gui.measures.base import n_judged
from posenc_gui.measures.requirements import SIGNS, Requirement, Requirements, definitions
from posenc_gui.plots.base import Plot, measured
from posenc_gui.scene import Scene
from posenc_gui.view import View

Sorting = Literal[
    "door", "number met", "unique", "bounded", "deterministic", "generalizable", "smooth", "relative_aware"
]


class ComparisonOptions(Frozen):
    """What is shown of the encodings, and by what they are sorted."""

    show: Literal["verdicts and numbers", "verdicts", "numbers"] = Field(
        "verdicts and numbers",
        title="Show",
        description="What stands in the cells; numbers alone have all their digits.",
    )
    sort: Sorting = Field(
        "door", title="Sort by", description="The door, how many requirements are met, or one of them, the best first."
    )


def draw(scene: Scene, options: ComparisonOptions, _view: View, engine: Engine) -> Figure:
    """One row an encoding, one column a requirement; the scene's encoding with its parameters, the others at defaults."""
    found, undefined = _every(scene, engine)
    order = sorted(found, key=lambda name: _key(options.sort, found[name]))
    titles = {name: cls.title for name, cls in classes().items()}
    rows: tuple[tuple[str | float, ...], ...] = tuple(
        (
            titles[name],
            classes()[name].door,
            f"{next(iter(found[name].values())).about}s",
            found[name].value or 0.0,
            *(_cell(row, options.show) for row in found[name].values()),
        )
        for name in order
    )
    header = ("encoding", "door", "judged", "met", *(one.title for one in definitions().values()))
    missing = "".join(f" · missing: {titles[name]}, {why}" for name, why in undefined.items())
    return Figure(
        name="comparison",
        title="All encodings",
        panels=(Table("the six requirements", header, rows, focus=order.index(scene.encoding.name)),),
        caption=f"judged over {n_judged(scene):,} positions or offsets with d_model {scene.model.d_model}, d_head "
        f"{scene.model.head_width}{', causal' if scene.model.causal else ''} · {' · '.join(_LEGEND)}{missing}",
        description=" ".join(found[name].reason for name in order),
    )


_LEGEND = (*(f"{sign} {verdict}" for verdict, sign in SIGNS.items()), "the number is explained under Requirements")


def _every(scene: Scene, engine: Engine) -> tuple[dict[str, Requirements], dict[str, str]]:
    """What is measured of each encoding, and why others can't go with the scene's model."""
    model, found, undefined = scene.model, {}, {}
    for encoding in every(scene.encoding):
        try:
            encoding.check_shape(model.d_model, model.n_heads, model.head_width)
        except Undefined as why:
            undefined[encoding.name] = str(why).rstrip(".")
            continue
        found[encoding.name] = measured("requirements", scene.with_encoding(encoding), engine)
    return found, undefined


def _key(sort: Sorting, found: Requirements) -> tuple[float, ...]:
    if sort == "door":
        return ()
    if sort == "number met":
        return (-(found.value or 0.0),)
    row = found[sort]
    return list(SIGNS).index(
        row.verdict
    ), math.inf if row.value is None else -row.value if sort == "unique" else row.value


def _cell(row: Requirement, show: str) -> str | float:
    if show == "numbers":
        return "" if row.value is None else row.value
    if show == "verdicts":
        return f"{SIGNS[row.verdict]} {row.verdict}"
    return f"{SIGNS[row.verdict]} {'undefined' if row.value is None else number(row.value)}"


PLOT = Plot(
    "All encodings",
    "The six requirements of every encoding, sorted by any of them.",
    "Which encoding meets what?",
    ComparisonOptions,
    draw,
    "Requirements",
)
