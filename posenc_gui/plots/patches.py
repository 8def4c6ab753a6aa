"""Patches: the attention weights of the query in focus on the image patches, arranged like the image."""

from __future__ import annotations

from posenc_gui.attention.engine import Engine
from posenc_gui.attention.trained_model import TrainedModel
from posenc_gui.figure.axis import Axis
from posenc_gui.figure.caption_parts import SEEDED, compose_caption
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panels import Heatmap
from posenc_gui.figure.runs import Run, sentence
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.foundation.errors import Remedy, Undefined
from posenc_gui.plots.base import Plot, as_values
from posenc_gui.plots.common.axes import focus_word
from posenc_gui.plots.common.heads import HeadOrMean, describe_head, of_head, require_head
from posenc_gui.scene.comparison import phrases
from posenc_gui.scene.remedies import PATCHES
from posenc_gui.scene.scene import Scene


class PatchesOptions(Frozen):
    """The head whose attention is shown."""

    head: HeadOrMean = None


def draw(scene: Scene, options: PatchesOptions, engine: Engine) -> Figure:
    """Draw one map per encoding, with one row per row of patches; weights of all tokens sum to 1, so a map may sum to less."""
    patches = scene.patches
    if patches is None and isinstance(scene.model, TrainedModel):
        raise Undefined(f"{scene.model.name} has learned from text: it reads no image patches.")
    if patches is None:
        raise Undefined("There are no image patches among the words.", PATCHES)
    require_head(scene, options.head)
    query, keys = scene.focused or 0, patches.indices(scene.n_tokens)
    compared = [scene] if scene.encoding.door == "none" and scene.other is None else list(scene.sides)
    heads = scene.heads_of(options.head)
    found = [engine.attended(one.prompt_of(heads), range(query, query + 1), keys) for one in compared]
    shape = patches.rows, patches.columns
    values = [as_values(of_head(one.weights, options.head))[0].reshape(shape) for one in found]
    hidden = ~found[0].visible[0].numpy().reshape(shape)
    if hidden.all():
        last = Remedy("Focus on the last patch", {"focus": keys[-1]})
        raise Undefined("The query in focus stands before all patches, and the mask hides them from it.", last)
    row, column = divmod(query - keys[0], patches.columns) if query in keys else (None, None)
    rows, columns = Axis("row", "row", focus=row), Axis("column", "column", focus=column)
    high = max(float(one.max()) for one in values) or 1.0
    maps = tuple(
        Heatmap(side.encoding.titled, "weight", one, rows, columns, 0.0, high, mask=hidden if hidden.any() else None)
        for side, one in zip(compared, values, strict=True)
    )
    told = [f"{one[:1].upper()}{one[1:]}, " for one in phrases(scene)[-len(compared) :]]
    shares = [float(one.sum()) for one in values]
    parts: list[str | float | Run] = [
        told[0],
        focus_word(scene),
        " gives the patches ",
        shares[0],
        " of its attention.",
    ]
    for under, share in zip(told[1:], shares[1:], strict=True):
        parts += [f" {under}", share, "."]
    return Figure(
        panels=maps,
        headline=sentence(*parts),
        caption_parts=compose_caption(
            SEEDED, describe_head(scene, options.head), "one colour scale" if len(maps) > 1 else ""
        ),
        description=" ".join(f"{panel.title}: {_most(panel)}." for panel in maps),
    )


def _most(panel: Heatmap) -> str:
    row, column = divmod(int(panel.values.argmax()), panel.values.shape[1])
    return f"the largest weight is {panel.value(column, row)}, at {panel.place(column, row)}"


PLOT = Plot(
    "Attention over the patches",
    "What the query in focus takes from each patch, laid out as the picture is.",
    "Where in the picture does a word look?",
    PatchesOptions,
    draw,
    "Attention",
    shows="both",
)
