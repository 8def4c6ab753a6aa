"""Loss: how well a trained model predicts each token, with its positions as trained, changed and taken away."""

from __future__ import annotations

import numpy as np
import torch

from posenc_gui.attention.engine import Engine
from posenc_gui.figure.axis import Axis
from posenc_gui.figure.caption_parts import SEEDED, compose_caption
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panels import Heatmap, Lines, Series, Table, VerticalMark
from posenc_gui.figure.runs import Run, number_run, sentence
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.foundation.wording import format_count, format_distinct
from posenc_gui.measures.loss import Loss, Lost
from posenc_gui.measures.surgery import change_of
from posenc_gui.plots.base import Plot, as_values, measured, up_from_zero
from posenc_gui.plots.common.axes import token_axis
from posenc_gui.scene import surgeries
from posenc_gui.scene.scene import Scene

_CELLS = 40  # tokens that get a cell each; more are a curve
_POINTS, _LEAST = 64, 4  # points of a curve, each the mean of as many tokens as that takes, of a few at least


def draw(scene: Scene, _options: Frozen, engine: Engine) -> Figure:
    """Draw the loss of each token for each change of positions: cells of a short text, curves of a long one, and means."""
    found: Loss = measured("loss", scene, engine)
    count = len(found.outcomes[0].values)
    stretch = 1 if count <= _CELLS else max(_LEAST, -(-count // _POINTS))
    panel = _cells(scene, found) if count <= _CELLS else _curves(found, stretch)
    return Figure(
        panels=(panel, _table(found)),
        headline=_headline(found, change_of(scene)),
        caption_parts=compose_caption(
            SEEDED,
            "loss: −ln of the probability of the token, in nats",
            "read from the tokens before it" if found.first else "read from all others, the token itself being hidden",
            f"means of {format_count(stretch, 'token')}" if stretch > 1 else "",
        ),
        description=found.reason,
    )


def _cells(scene: Scene, found: Loss) -> Heatmap:
    values = as_values(torch.stack([one.values for one in found.outcomes]))  # (changes, n)
    span = range(found.first, found.first + values.shape[1])
    done = Axis("surgery", "positions", 0, tuple(one.words for one in found.outcomes))
    return Heatmap(
        "loss of each token", "loss", values, done, token_axis(scene, "position", "token", span), *up_from_zero(values)
    )


def _curves(found: Loss, stretch: int) -> Lines:
    series = tuple(_curve(found.first, one, stretch) for one in found.outcomes)
    ends = () if found.trained is None else (VerticalMark(found.trained - 0.5, _trained_length(found), "end"),)
    low, high = up_from_zero(*(one.y for one in series))
    return Lines("loss by position", "loss", series, Axis("position", "position"), low, high, ends)


def _curve(first: int, one: Lost, stretch: int) -> Series:
    """Return the mean losses of stretches of tokens, each at its middle."""
    means = as_values(torch.stack([part.mean() for part in torch.split(one.values, stretch)]))
    ends = np.minimum(np.arange(1, len(means) + 1) * stretch, len(one.values))
    middles = first + (np.arange(len(means)) * stretch + ends - 1) / 2
    return Series(one.words, middles.astype(means.dtype), means)


def _table(found: Loss) -> Table:
    past = () if found.trained is None else (f"past the {_trained_length(found)}",)
    rows = tuple((one.words, one.mean, *(() if one.past is None else (one.past,))) for one in found.outcomes)
    return Table("mean loss", ("positions", "all tokens", *past), rows)


def _trained_length(found: Loss) -> str:
    """“trained length”, with a question mark where it may be the one that a scaling reaches."""
    return f"trained length{'?' if found.may_be_after else ''}"


def _headline(found: Loss, chosen: str | None) -> tuple[Run, ...]:
    """“Past 32 positions the loss of 96 tokens is 4.90 as trained, 2.10 with YaRN × 4.” or “The mean loss is …”"""
    own, *others = found.outcomes
    if not others:
        return sentence("The mean loss is ", own.mean, " as trained.")
    seen = next((one for one in others if one.words == chosen), None)
    if own.past is not None:
        best = seen or min(others, key=lambda one: one.past or 0.0)
        first, second = own.past, best.past or 0.0
        trained = found.trained or 0
        beyond = format_count(len(own.values) - max(0, trained - found.first), "token")
        start = f"Past {format_count(trained, 'position')} the loss of {beyond} is "
    else:
        best = seen or (others[-1] if others[-1].words.startswith("without") else others[0])
        first, second, start = own.mean, best.mean, "The mean loss is "
    before, now = map(number_run, format_distinct((first, second)))
    return sentence(start, before, " as trained, ", now, f" {surgeries.in_a_sentence(best.words)}.")


PLOT = Plot(
    "Loss",
    "How well a trained model predicts each token, with its positions as trained, changed and taken away.",
    "What does prediction lose without it?",
    Frozen,
    draw,
    "What positions are worth",
    shows="chosen",
)
