"""Heads: how far the attention of each head of a trained model moves without positions, and what it looks at."""

from __future__ import annotations

from posenc_gui.attention.engine import Engine
from posenc_gui.attention.layer import learned
from posenc_gui.figure.axis import Axis
from posenc_gui.figure.caption_parts import SEEDED, compose_caption
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panels import Heatmap, Table
from posenc_gui.figure.runs import Run, number_run, sentence
from posenc_gui.figure.view import View
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.measures.heads import MOST_TOKENS, Heads, Look
from posenc_gui.plots.base import Plot, as_values, describe_first_tokens, measured
from posenc_gui.scene.scene import Scene

_NAMED = 24  # heads in the table


def draw(scene: Scene, _options: Frozen, _view: View, engine: Engine) -> Figure:
    """Draw a map of all layers and heads, and a table of the heads that have a name, most telling first."""
    found: Heads = measured("heads", scene, engine)
    layer = learned(scene.model).layer
    layers, heads = Axis("layer", "layer", focus=layer), Axis("head", "head")
    panels: tuple[Heatmap | Table, ...] = (
        Heatmap("moved without positions", "moved", as_values(found.moved), layers, heads, 0.0, 1.0),
    )
    if found.looks:
        panels += (_table(found.looks, layer),)
    return Figure(
        name="heads",
        title="Heads",
        panels=panels,
        headline=_headline(found),
        caption_parts=compose_caption(
            SEEDED,
            "moved: the share of a query's weight that goes elsewhere without positions, mean over queries",
            "a head is named by what it gives more than half on average",
            describe_first_tokens(min(MOST_TOKENS, scene.n_tokens), scene),
        ),
        description=found.reason,
    )


def _headline(found: Heads) -> tuple[Run, ...]:
    """“Layer 0, head 2 gives the token before 1.00, and without positions 0.19.”"""
    apart = sorted(found.looks, key=lambda look: look.without - look.weight)
    if not apart:
        return sentence(
            "No head gives one place more than half; without positions up to ", found.value or 0.0, " moves."
        )
    look = apart[0]
    now, without = (number_run(f"{weight:.2f}") for weight in (look.weight, look.without))
    told = f"Layer {look.layer}, head {look.head} gives {look.words} "
    return sentence(told, now, ", and without positions ", without, ".")


def _table(looks: tuple[Look, ...], layer: int) -> Table:
    told = sorted(looks, key=lambda look: look.without - look.weight)[:_NAMED]
    rows = tuple((f"layer {one.layer}, head {one.head}", one.words, one.weight, one.without) for one in told)
    focus = next((at for at, one in enumerate(told) if one.layer == layer), None)
    return Table(
        "heads by what they look at", ("head", "looks at", "as trained", "without positions"), rows, focus=focus
    )


PLOT = Plot(
    "Heads",
    "How far the attention of each head of a trained model moves without positions, and what each looks at.",
    "Which heads live on position?",
    Frozen,
    draw,
    "What positions are worth",
    shows="chosen",
    leads=True,
)
