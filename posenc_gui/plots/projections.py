"""Queries, keys and values of one head, as maps."""

from __future__ import annotations

from pydantic import Field
from torch import Tensor

from posenc_gui.attention.engine import Engine
from posenc_gui.figure.axis import Axis, Role
from posenc_gui.figure.caption_parts import SEEDED, compose_caption
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panels import Heatmap
from posenc_gui.figure.ranges import symmetric_range
from posenc_gui.figure.runs import Run, sentence
from posenc_gui.foundation.wording import format_count
from posenc_gui.plots.base import Plot, as_values, require_tokens
from posenc_gui.plots.common.axes import focus_word, placed, token_axis, window_around
from posenc_gui.plots.common.heads import HeadOptions, in_head, of_head, require_head
from posenc_gui.scene.scene import Scene


class ProjectionOptions(HeadOptions):
    """The head, and the stage: before or after the rotation."""

    turned: bool = Field(True, title="After rotation", description="Queries and keys as they meet, or before rotation.")


def draw(scene: Scene, options: ProjectionOptions, engine: Engine) -> Figure:
    """Draw three maps on one scale, with one row per token and one column per dimension of the head."""
    require_tokens(scene, "queries, keys and values of its words")
    require_head(scene, options.head)
    layer = engine.layer(scene.prompt_of(scene.heads_of(options.head)))
    layer.require_vectors()
    window = window_around(scene.focused or 0, scene.n_tokens)
    rows = slice(window.start, window.stop)
    queries, keys = (layer.turned_queries, layer.turned_keys) if options.turned else (layer.queries, layer.keys)
    maps: tuple[tuple[str, Role, Tensor], ...] = (
        ("queries", "query", of_head(queries, options.head)),
        ("keys", "key", of_head(keys, options.head)),
        ("values", "key", of_head(layer.values, options.head)),
    )
    arrays = [as_values(vectors[rows]) for _, _, vectors in maps]
    low, high = symmetric_range(*arrays)
    dimensions = Axis("dimension", "dimension of the head")
    panels = tuple(
        Heatmap(
            title,
            "component",
            values,
            token_axis(scene, role, role, window),
            dimensions,
            low,
            high,
            "diverging",
            focus_alone=True,
        )
        for (title, role, _), values in zip(maps, arrays, strict=True)
    )
    turning = scene.encoding.door == "rotation"
    stage = f"queries and keys {'after' if options.turned else 'before'} rotation" if turning else ""
    return Figure(
        panels=panels,
        headline=_headline(scene, maps[0][2][rows], maps[1][2][rows], options.head, window.start),
        caption_parts=compose_caption(SEEDED, f"head {options.head} of {scene.model.n_heads}", stage, "one scale"),
        description=f"Queries and keys of {format_count(len(window), scene.unit)} in "
        f"{format_count(arrays[0].shape[1], 'dimension')}, values in {scene.model.head_width}.",
    )


def _headline(scene: Scene, queries: Tensor, keys: Tensor, head: int, first: int) -> tuple[Run, ...]:
    """“In head 0, what sat asks fits the key of cat (1) best, q · k = 7.2, and that of on (3) least, −3.1.”"""
    at = scene.focused or 0
    fits = keys @ queries[at - first]
    shown = "" if len(keys) == scene.n_tokens else " of those shown"
    told = in_head(scene, head, "What "), focus_word(scene), " asks fits the key of "
    best, least = int(fits.argmax()), int(fits.argmin())
    highest, lowest = (placed(scene, first + one) for one in (best, least))
    if best == least:
        return sentence(*told, f"{highest} by q · k = ", float(fits[best]), ".")
    most = f"{highest} best{shown}, q · k = ", float(fits[best])
    return sentence(*told, *most, f", and that of {lowest} least, ", float(fits[least]), ".")


PLOT = Plot(
    "Q, K, V",
    "What each word asks, offers and gives, in one head.",
    "What does a word ask, offer and give?",
    ProjectionOptions,
    draw,
    "Attention",
)
