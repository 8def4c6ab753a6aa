"""Frequencies: each pair's wavelength compared with the context length, and the number of turns within it."""

from __future__ import annotations

import math

import numpy as np

from posenc_gui.attention.engine import Engine
from posenc_gui.figure.axis import Axis
from posenc_gui.figure.caption_parts import compose_caption
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panels import Lines, Series, Table
from posenc_gui.figure.runs import Run, number_run, sentence
from posenc_gui.foundation.errors import Undefined
from posenc_gui.foundation.wording import format_count, format_number, inflect, quote
from posenc_gui.measures.frequencies import Frequencies, FrequencyOptions
from posenc_gui.plots.base import Plot, as_values, logarithmic_range, measured
from posenc_gui.plots.common.speeds import unturned
from posenc_gui.scene.scene import Scene


def draw(scene: Scene, options: FrequencyOptions, engine: Engine) -> Figure:
    """Draw wavelengths on a logarithmic scale, with a line at the context length, beyond which no turn finishes; and a table."""
    found: Frequencies = measured("frequencies", scene, engine, context=options.context)
    turning = found.wavelengths.isfinite().nonzero().flatten()
    if not len(turning):
        raise Undefined(f"No pair of {quote(scene.encoding.titled)} turns.")
    pairs, waves = as_values(turning), as_values(found.wavelengths[turning])
    ends = np.array([0, len(found.turns) - 1], dtype=np.float32)
    series: tuple[Series, ...] = (Series("wavelength", pairs, waves),)
    if steps := found.context - 1:  # with a single position, no pair turns
        label = "the context" if options.context else "the sentence"
        series += (Series(label, ends, np.full(2, steps, dtype=np.float32), level=True),)
    title, quantity, seen = "wavelength of each pair", "wavelength in positions", logarithmic_range(series, 1.5)
    lines = Lines(title, quantity, series, Axis("pair", "pair"), *seen, log=True)
    return Figure(
        panels=(lines, _table(found)),
        headline=_headline(found),
        caption_parts=compose_caption("a pair above the level line never finishes one turn there", unturned(scene)),
        description=found.reason,
    )


def _table(found: Frequencies) -> Table:
    rows = tuple(
        (f"pair {pair}", frequency, wavelength if math.isfinite(wavelength) else "it doesn't turn", turns)
        for pair, (frequency, wavelength, turns) in enumerate(
            zip(found.frequencies.tolist(), found.wavelengths.tolist(), found.turns.tolist(), strict=True)
        )
    )
    header = ("pair", "radians a position", "wavelength", f"turns from 0 to {found.context - 1:,}")
    return Table("pairs", header, rows)


def _headline(found: Frequencies) -> tuple[Run, ...]:
    """“8 of 8 pairs never finish one turn in 6 positions; the slowest would need 19,869.2.”"""
    waves = found.wavelengths[found.wavelengths.isfinite()]
    slow, count = int(found.value or 0), len(found.turns)
    slowest, turns = float(waves.max()), "" if len(waves) == len(found.turns) else " that turns"
    needs = "would need" if slowest > found.context - 1 else "needs"
    told = (
        f" {inflect(count, 'pair')} never {inflect(slow, 'finishes', 'finish')} one turn in "
        f"{format_count(found.context, 'position')}; the slowest{turns} {needs} "
    )
    return sentence(number_run(f"{slow} of {count}"), told, number_run(format_number(slowest)), ".")


PLOT = Plot(
    "Frequencies",
    "Each pair's wavelength, and which pairs never finish one turn.",
    "Which pairs never finish a turn?",
    FrequencyOptions,
    draw,
    "Near and far",
)
