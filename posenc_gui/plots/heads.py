"""Heads: how far the attention of each head of a trained model moves under a surgery on positions, and what it looks at."""

from __future__ import annotations

from posenc_gui.attention.engine import Engine
from posenc_gui.attention.layer import learned
from posenc_gui.figure.axis import Axis, Pointer
from posenc_gui.figure.caption_parts import SEEDED, compose_caption
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.headline import headline_of_head
from posenc_gui.figure.panels import Heatmap, Table
from posenc_gui.figure.runs import Run, sentence
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.measures.heads import MOST_TOKENS, Heads, Look
from posenc_gui.plots.base import Plot, as_values, describe_first_tokens, measured
from posenc_gui.plots.common.heads import HeadOrMean, require_head
from posenc_gui.scene import surgeries
from posenc_gui.scene.scene import Scene

_NAMED = 24  # heads in the table


class HeadsOptions(Frozen):
    """The head in focus, of the layer that is seen."""

    head: HeadOrMean = None


def draw(scene: Scene, options: HeadsOptions, engine: Engine) -> Figure:
    """Draw a map of all layers and heads, and a table of the heads that have a name, most telling first."""
    found: Heads = measured("heads", scene, engine)
    require_head(scene, options.head)
    model = learned(scene.model)
    layer, changed = model.layer, surgeries.phrase(model, scene.surgery)
    layers, heads = Axis("layer", "layer", focus=layer), Axis("head", "head", focus=options.head)
    panels: tuple[Heatmap | Table, ...] = (
        Heatmap(f"moved {changed}", "moved", as_values(found.moved), layers, heads, 0.0, 1.0),
    )
    if found.looks:
        panels += (_table(found.looks, (layer, options.head), surgeries.done(model, scene.surgery)),)
    return Figure(
        panels=panels,
        headline=_headline(found, changed),
        caption_parts=compose_caption(
            SEEDED,
            f"moved: the share of a query's weight that goes elsewhere {changed}, mean over queries",
            "a head is named by what it gives more than half, mean over the queries that have such a token",
            describe_first_tokens(min(MOST_TOKENS, scene.n_tokens), scene),
        ),
        description=found.reason,
    )


def _headline(found: Heads, changed: str) -> tuple[Run, ...]:
    """“On average head 2 of layer 0 gives the token before 0.19 with the table zeroed. As trained, 1.00.”"""
    apart = sorted(found.looks, key=lambda look: look.without - look.weight)
    if not apart:
        return sentence(
            f"No head gives more than half to a place looked for here; {changed} up to ", found.value or 0.0, " moves."
        )
    look = apart[0]
    head = f"head {look.head} of layer {look.layer}"
    return headline_of_head(head, look.words, (look.without, look.weight), (changed, "as trained"))


def _table(looks: tuple[Look, ...], seen: tuple[int, int | None], done: str) -> Table:
    told = sorted(looks, key=lambda look: look.without - look.weight)[:_NAMED]
    rows = tuple((f"layer {one.layer}, head {one.head}", one.words, one.weight, one.without) for one in told)
    pointers = tuple(Pointer((("layer", one.layer), ("head", one.head))) for one in told)
    focus = next((at for at, one in enumerate(told) if (one.layer, one.head) == seen), None)
    return Table(
        "heads by what they look at", ("head", "looks at", "as trained", done), rows, focus=focus, pressed=pointers
    )


PLOT = Plot(
    "Heads",
    "How far the attention of each head of a trained model moves when positions are changed, and what each looks at.",
    "Which heads live on position?",
    HeadsOptions,
    draw,
    "What positions are worth",
    shows="chosen",
    leads=True,
)
