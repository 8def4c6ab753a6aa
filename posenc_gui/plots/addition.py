"""Adding or appending: how well token and position can be recovered from their sum, and what each alternative costs."""

from __future__ import annotations

from typing import Literal

import numpy as np
from pydantic import Field

from posenc_gui.attention.engine import Engine
from posenc_gui.figure.axis import Axis
from posenc_gui.figure.caption_parts import compose_caption
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panels import Bars, BarSeries, Table, Told
from posenc_gui.figure.runs import Run, number_run, sentence
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.foundation.wording import format_percent
from posenc_gui.measures.addition import NOISE, Addition
from posenc_gui.plots.base import Plot, measured, toy_parts
from posenc_gui.scene.scene import Scene

Shown = Literal["all", "shares", "costs"]


class AdditionOptions(Frozen):
    """The parts of the comparison to show."""

    show: Shown = Field(
        "all", title="Show", description="The shares read back, or what each way costs in width and weights, or both."
    )


_READERS = ("x + p, read separately", "x + p, read as a pair", "[x; p]")


def draw(scene: Scene, options: AdditionOptions, engine: Engine) -> Figure:
    """Draw bars for the share of tokens and positions recovered, and a table of vector widths and weight counts."""
    found: Addition = measured("addition", scene, engine)
    back = {
        "tokens": (found.tokens, found.paired_tokens, found.concatenated_tokens),
        "positions": (found.positions, found.paired_positions, found.concatenated_positions),
        "both": (found.value, found.paired, found.concatenated_pairs),
    }
    series = tuple(
        BarSeries(label, np.array(shares, dtype=np.float32))
        for label, shares in zip(_READERS, zip(*back.values(), strict=True), strict=True)
    )
    costs = ("width of an input", found.width), ("weights of W_q, W_k, W_v", found.parameters)
    rows: list[tuple[str | float, ...]] = [
        *((what, float(added), float(added), float(appended)) for what, (added, appended) in costs),
        *((f"{what} read back", *shares) for what, shares in back.items()),
        ("|W (x + p) − (W x + W p)|, but for rounding", Told(found.linear), Told(found.linear), ""),
    ]
    bars = Bars("read back by the nearest vector", "share", Axis("part", "what", 0, tuple(back)), series, 0.0, 1.0)
    table = Table("what it costs", ("what", *_READERS), tuple(rows))
    return Figure(
        panels=(*((bars,) if options.show != "costs" else ()), *((table,) if options.show != "shares" else ())),
        headline=_price(found) if options.show == "costs" else _headline(found),
        caption_parts=compose_caption(
            *toy_parts(scene),
            f"{found.n_tokens} tokens at {found.n_positions} positions, each sum compared with every token and every position, "
            f"or, with noise of {NOISE:g} in each number, with the sums of all pairs",
            "Word weight, in the toy model, changes the balance",
        ),
        description=found.reason,
    )


def _price(found: Addition) -> tuple[Run, ...]:
    """“Appended, queries, keys and values are made by 24,576 weights instead of 12,288.”"""
    added, appended = (number_run(f"{count:,}") for count in found.parameters)
    return sentence("Appended, queries, keys and values are made by ", appended, " weights instead of ", added, ".")


def _headline(found: Addition) -> tuple[Run, ...]:
    """“Read separately, 100% of the tokens and 73% of the positions come back from the sum; read as a pair, both from 100%.”"""
    shares = (found.tokens, found.positions, found.paired)
    tokens, positions, paired = (number_run(format_percent(share)) for share in shares)
    told = ("Read separately, ", tokens, " of the tokens and ", positions, " of the positions come back from the sum; ")
    return sentence(*told, "read as a pair, both from ", paired, ".")


PLOT = Plot(
    "Adding or appending",
    "What adding costs, and what can be read back after it.",
    "What does adding cost?",
    AdditionOptions,
    draw,
    "Near and far",
)
