"""Twins: the distance between two occurrences of a token at each stage of attention, without an encoding and with it."""

from __future__ import annotations

from posenc_gui.attention.engine import Engine
from posenc_gui.figure.axis import Axis
from posenc_gui.figure.caption_parts import compose_caption
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panels import Bars, BarSeries, Table, Told
from posenc_gui.figure.runs import Run, number_run, sentence
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.foundation.wording import format_distinct
from posenc_gui.measures.base import is_rounding
from posenc_gui.measures.twins import MOST_PAIRS, STAGES, Twins
from posenc_gui.plots.base import Plot, as_values, describe_first_tokens, measured, toy_parts, up_from_zero
from posenc_gui.scene.scene import Scene
from posenc_gui.text.tokenization import name_token


def draw(scene: Scene, _options: Frozen, engine: Engine) -> Figure:
    """Draw bars for the pair of twins in focus, or the first pair, and a table of all pairs' distances and cosines."""
    found: Twins = measured("twins", scene, engine)
    pair = found.pair
    one, other = (name_token(found.tokens, index) for index in found.pairs[pair])
    stages = Axis("stage", "stage", 0, STAGES, found.first)
    series = [BarSeries("without", as_values(found.without.distances[pair]))]
    if scene.encoding.door != "none":
        series.append(BarSeries(f"with {scene.encoding.called}", as_values(found.with_encoding.distances[pair])))
    bars = Bars(f"{one} and {other}", "distance", stages, tuple(series), *up_from_zero(*(one.values for one in series)))
    more = f"the first {MOST_PAIRS} pairs" if len(found.pairs) == MOST_PAIRS else ""
    return Figure(
        panels=(bars, _table(found, pair)),
        headline=_headline(scene, found),
        caption_parts=compose_caption(
            *toy_parts(scene),
            "query: as it meets the keys; scores: before the mask; both head by head",
            "the first stage at which the encoding makes a difference is marked",
            more,
            describe_first_tokens(len(found.tokens), scene),
        ),
        description=found.reason,
    )


def _headline(scene: Scene, found: Twins) -> tuple[Run, ...]:
    """“Without an encoding, the outputs of “the” (0) and “the” (4) are 0.00 apart; with RoPE 0.42, from the query on.”"""
    before, now = map(number_run, format_distinct(found.apart))
    one, other = (name_token(found.tokens, index) for index in found.pairs[found.pair])
    told = (f"Without an encoding, the outputs of {one} and {other} are ", before, " apart")
    if scene.encoding.door == "none":
        return sentence(*told, ".")
    since = ""
    if found.first is not None:
        stage = STAGES[found.first]
        since = f", from the {stage} on" if found.apart[1] else f", though they differ in the {stage}"
    return sentence(*told, f"; with {scene.encoding.called} ", now, f"{since}.")


def _table(found: Twins, focus: int) -> Table:
    header = ("tokens", "stage", "distance without", "distance with", "cosine without", "cosine with")
    both = found.without, found.with_encoding
    measurements = [*(one.distances for one in both), *(one.cosines for one in both)]
    rows: tuple[tuple[str | float, ...], ...] = tuple(
        (
            f"{name_token(found.tokens, one)}, {name_token(found.tokens, other)}",
            stage,
            *(
                Told(one) if is_rounding(one) else Told(one, "1.00") if is_rounding(one - 1) else one
                for one in (float(table[index, column]) for table in measurements)
            ),
        )
        for index, (one, other) in enumerate(found.pairs)
        for column, stage in enumerate(STAGES)
    )
    return Table("every pair", header, rows, focus=None if found.first is None else focus * len(STAGES) + found.first)


PLOT = Plot(
    "Twins",
    "How far apart equal words are, stage by stage.",
    "Where do equal words part?",
    Frozen,
    draw,
    "Order lost and found",
)
