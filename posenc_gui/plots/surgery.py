"""Surgery: a trained model's vectors of two orders of the same words, with its positions as trained, changed or taken away."""

from __future__ import annotations

import numpy as np

from posenc_gui.attention.engine import Engine
from posenc_gui.figure.axis import Axis, Pointer
from posenc_gui.figure.caption_parts import SEEDED, compose_caption
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panels import Bars, BarSeries, Table
from posenc_gui.figure.runs import Run, number_run, sentence
from posenc_gui.foundation.wording import format_distinct, isolate, quote
from posenc_gui.measures.surgery import Surgery, SurgeryOptions, SurgeryResult, change_of
from posenc_gui.plots.base import Plot, measured, up_from_zero
from posenc_gui.scene import surgeries
from posenc_gui.scene.scene import Scene
from posenc_gui.text.tokenization import format_first_tokens

_QUOTED = 8  # tokens of an order in the headline
_BROKEN = 0.99  # where even another topic is as similar as this, nothing is told apart


def draw(scene: Scene, options: SurgeryOptions, engine: Engine) -> Figure:
    """Draw bars of both similarities for each change of positions, and a table that adds that with the text as trained."""
    found: Surgery = measured("surgery", scene, engine, control=options.control)
    words = tuple(one.words for one in found.outcomes)
    chosen = change_of(scene)
    done = Axis("surgery", "positions", 0, words, words.index(chosen) if chosen in words else None)
    reordered, control = (
        np.array([getattr(one, name) for one in found.outcomes], np.float32) for name in ("reordered", "control")
    )
    series = (BarSeries("other order", reordered), BarSeries("another topic", control))
    rows = tuple((one.words, one.reordered, one.control, one.as_trained) for one in found.outcomes)
    pointers = tuple(Pointer((("surgery", at),)) for at in range(len(rows)))
    header = ("positions", "other order", "another topic", "as trained")
    return Figure(
        panels=(
            Bars("similarity with the text's vector", "similarity", done, series, *up_from_zero(reordered, control)),
            Table("similarities", header, rows, focus=done.focus, pressed=pointers),
        ),
        headline=_headline(found, chosen),
        caption_parts=compose_caption(
            SEEDED,
            "vectors are means of the last hidden states, similarities their cosines",
            f"another topic: {quote(isolate(options.topic))}",
        ),
        description=found.reason,
    )


def _headline(found: Surgery, chosen: str | None) -> tuple[Run, ...]:
    """“With the table zeroed, “dog bites man” and “man bites dog” have a similarity of 1.00, as trained 0.91.”"""
    own, *others = found.outcomes
    changed = next((one for one in others if one.words == chosen), None) or _telling(others)
    orders = " and ".join(quote(isolate(format_first_tokens(one, _QUOTED))) for one in (found.first, found.second))
    if changed is None:
        return sentence(f"As trained, {orders} have a similarity of ", own.reordered, ".")
    now, before = map(number_run, format_distinct((changed.reordered, own.reordered)))
    begun = surgeries.in_a_sentence(changed.words)
    return sentence(
        f"{begun[:1].upper()}{begun[1:]}, {orders} have a similarity of ", now, "; as trained ", before, "."
    )


def _telling(changed: list[SurgeryResult]) -> SurgeryResult | None:
    """Return the change under which both orders are most alike while another topic stays apart; None without one."""
    apart = [one for one in changed if one.control < _BROKEN]
    return max(apart, key=lambda one: one.reordered, default=None)


PLOT = Plot(
    "Surgery",
    "How alike a trained model finds the same words in another order, with its positions as trained, changed and taken away.",
    "What is position worth to a model?",
    SurgeryOptions,
    draw,
    "What positions are worth",
    shows="chosen",
)
