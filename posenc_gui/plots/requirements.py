"""Requirements: the six verdicts on the encoding, each with its number, what was found, and where to look at it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from posenc_gui import plots
from posenc_gui.attention.engine import Engine
from posenc_gui.figure import Figure, Table
from posenc_gui.frozen import Frozen
from posenc_gui.measures.base import n_judged
from posenc_gui.measures.requirements import SIGNS, Requirements
from posenc_gui.plots.base import Plot, measured

if TYPE_CHECKING:
    from posenc_gui.session import Session


# The plot in which each requirement is to be seen.
SHOWN_BY = {
    "unique": "similarity",
    "bounded": "waves",
    "deterministic": "waves",
    "generalizable": "length",
    "smooth": "similarity",
    "relative_aware": "linear_shift",
}


def draw(session: Session, _options: Frozen, engine: Engine) -> Figure:
    """One row a requirement."""
    found: Requirements = measured("requirements", session, engine)
    rows = tuple(
        (
            row.title,
            f"{SIGNS[row.verdict]} {row.verdict}",
            "" if row.value is None else row.value,
            plots.plots()[SHOWN_BY[name]].title,
            row.reason,
            row.definition,
        )
        for name, row in found.items()
    )
    header = ("requirement", "verdict", "number", "to be seen in", "what was found", "what is measured")
    return Figure(
        name="requirements",
        title="Requirements",
        panels=(Table(session.encoding.title, header, rows),),
        headline=found.reason,
        caption=f"all verdicts hold for {session.encoding.along}s · judged over {n_judged(session):,} of them with d_model "
        f"{session.model.d_model}, d_head {session.model.head_width} · what isn't defined isn't met",
        description=" ".join(f"{row.title}: {row.verdict}. {row.reason}" for row in found.values()),
    )


PLOT = Plot(
    "Requirements", "Which of the six requirements the encoding meets, by measurement.", Frozen, draw, "Requirements"
)
