"""Adding or appending: what can be read back after adding, and what adding and concatenating cost."""

from __future__ import annotations

import numpy as np

from posenc_gui.attention.engine import Engine
from posenc_gui.figure import Axis, Bars, BarSeries, Figure, Run, Table
from posenc_gui.frozen import Frozen
from posenc_gui.headline import figures, sentence
from posenc_gui.measures.addition import Addition
from posenc_gui.measures.base import percent
from posenc_gui.plots.base import Plot, measured, toy_words
from posenc_gui.scene import Scene
from posenc_gui.view import View


def draw(scene: Scene, _options: Frozen, _view: View, engine: Engine) -> Figure:
    """Bars for what comes back; a table of widths and weights."""
    found: Addition = measured("addition", scene, engine)
    series = (
        BarSeries("added", np.array([found.tokens, found.positions], dtype=np.float32)),
        BarSeries(
            "concatenated", np.array([found.concatenated_tokens, found.concatenated_positions], dtype=np.float32)
        ),
    )
    categories = Axis("part", "what", 0, ("tokens", "positions"))
    rows: tuple[tuple[str | float, ...], ...] = (
        ("width of an input", *map(float, found.width)),
        ("weights of W_q, W_k, W_v", *map(float, found.parameters)),
        ("tokens read back", found.tokens, found.concatenated_tokens),
        ("positions read back", found.positions, found.concatenated_positions),
        ("largest |W (x + p) − (W x + W p)|", found.linear, ""),
    )
    return Figure(
        name="addition",
        title="Adding or appending",
        panels=(
            Bars("read back by the nearest vector", "share", categories, series, 0.0, 1.0),
            Table("what it costs", ("what", "added: x + p", "concatenated: [x; p]"), rows),
        ),
        headline=_headline(found),
        caption=f"{toy_words(scene)} · {found.n_tokens} tokens at {found.n_positions} positions, each sum compared with "
        "every token and every position · Token weight, in the toy model, changes the balance",
        description=found.reason,
    )


def _headline(found: Addition) -> tuple[Run, ...]:
    """“Sums give back 100% of the tokens and 73% of the positions; appended, 100% and 100%.”"""
    shares = (found.tokens, found.positions, found.concatenated_tokens, found.concatenated_positions)
    tokens, positions, apart, places = (figures(percent(share)) for share in shares)
    told = ("Sums give back ", tokens, " of the tokens and ", positions, " of the positions; appended, ")
    return sentence(*told, apart, " and ", places, ".")


PLOT = Plot(
    "Adding or appending",
    "What adding costs, and what can be read back after it.",
    "What does adding cost?",
    Frozen,
    draw,
    "Near and far",
)
