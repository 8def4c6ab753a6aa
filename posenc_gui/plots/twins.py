"""Twins: how far apart repeated tokens are at each stage of attention, without an encoding and with it."""

from __future__ import annotations

from posenc_gui.attention.engine import Engine
from posenc_gui.figure.figure import Axis, Bars, BarSeries, Figure, Run, Table, told_apart
from posenc_gui.figure.headline import figures, sentence
from posenc_gui.figure.view import View
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.measures.base import named
from posenc_gui.measures.twins import MOST_PAIRS, STAGES, Twins
from posenc_gui.plots.base import Plot, as_values, cut_words, measured, toy_words, up_from_zero
from posenc_gui.scene.scene import Scene


def draw(scene: Scene, _options: Frozen, _view: View, engine: Engine) -> Figure:
    """Bars for the pair in focus, or the first one; a table of distances and cosines of every pair, before and after."""
    found: Twins = measured("twins", scene, engine)
    pair = found.pair
    one, other = (named(found.tokens, index) for index in found.pairs[pair])
    stages = Axis("stage", "stage", 0, STAGES, found.first)
    series = [BarSeries("without", as_values(found.without.distances[pair]))]
    if scene.encoding.door != "none":
        series.append(BarSeries(f"with {scene.encoding.called}", as_values(found.with_encoding.distances[pair])))
    bars = Bars(f"{one} and {other}", "distance", stages, tuple(series), *up_from_zero(*(one.values for one in series)))
    more = f" · the first {MOST_PAIRS} pairs" if len(found.pairs) == MOST_PAIRS else ""
    return Figure(
        name="twins",
        title="Twins",
        panels=(bars, _table(found, pair)),
        headline=_headline(scene, found),
        caption=f"{toy_words(scene)} · query: as it meets the keys; scores: before the mask; both head by head · the "
        f"first stage at which the encoding makes a difference is marked{more}{cut_words(len(found.tokens), scene)}",
        description=found.reason,
    )


def _headline(scene: Scene, found: Twins) -> tuple[Run, ...]:
    """“Without an encoding, the outputs of “the” (0) and “the” (4) are 0.00 apart; with RoPE 0.42, from the query on.”"""
    before, now = map(figures, told_apart(found.apart))
    one, other = (named(found.tokens, index) for index in found.pairs[found.pair])
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
    measurements = (
        found.without.distances,
        found.with_encoding.distances,
        found.without.cosines,
        found.with_encoding.cosines,
    )
    rows: tuple[tuple[str | float, ...], ...] = tuple(
        (
            f"{named(found.tokens, one)}, {named(found.tokens, other)}",
            stage,
            *(float(table[index, column]) for table in measurements),
        )
        for index, (one, other) in enumerate(found.pairs)
        for column, stage in enumerate(STAGES)
    )
    return Table("every pair", header, rows, focus=None if found.first is None else focus * len(STAGES) + found.first)


PLOT = Plot(
    "Twins",
    "How far apart repeated tokens are, stage by stage.",
    "Where do equal words part?",
    Frozen,
    draw,
    "Order lost and found",
)
