"""Requirements: the six verdicts on the encoding, each with its number, what was found, and where to look at it."""

from __future__ import annotations

from posenc_gui import plots
from posenc_gui.attention.engine import Engine
from posenc_gui.figure import Figure, Judged, Run, Table
from posenc_gui.frozen import Frozen
from posenc_gui.measures.base import n_judged
from posenc_gui.measures.requirements import WORDS, Requirements
from posenc_gui.plots.base import Plot, measured
from posenc_gui.scene import Scene
from posenc_gui.view import View

# The plot in which each requirement is to be seen.
SHOWN_BY = {
    "unique": "similarity",
    "bounded": "waves",
    "deterministic": "waves",
    "generalizable": "length",
    "smooth": "similarity",
    "relative_aware": "linear_shift",
}


def draw(scene: Scene, _options: Frozen, _view: View, engine: Engine) -> Figure:
    """One row a requirement."""
    found: Requirements = measured("requirements", scene, engine)
    rows = tuple(
        (
            row.title,
            Judged(row.told, row.verdict),
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
        panels=(Table(scene.encoding.title, header, rows),),
        headline=(Run(found.reason),),
        caption=f"all verdicts hold for {scene.encoding.along}s · judged over {n_judged(scene):,} of them with d_model "
        f"{scene.model.d_model}, d_head {scene.model.head_width} · what isn't defined isn't met",
        description=" ".join(f"{row.title}: {WORDS[row.verdict]}. {row.reason}" for row in found.values()),
    )


PLOT = Plot(
    "Requirements",
    "Which of the six requirements the encoding meets, by measurement.",
    "What does a good encoding need?",
    Frozen,
    draw,
    "Requirements",
)
