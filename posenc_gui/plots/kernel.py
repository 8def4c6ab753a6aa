"""Distance kernel: the score as a function of the offset, for the tokens in focus and on average; for RoPE, also its bound."""

from __future__ import annotations

import math

from torch import Tensor

from posenc_gui.attention.engine import Engine
from posenc_gui.figure.axis import Axis
from posenc_gui.figure.caption_parts import SEEDED, compose_caption
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panels import Lines, Series
from posenc_gui.figure.runs import Run, quote_runs, sentence
from posenc_gui.foundation.wording import format_number, quote
from posenc_gui.measures.base import under
from posenc_gui.measures.kernel import CONTENTS, Kernel
from posenc_gui.plots.base import Plot, as_values, measured, padded_range
from posenc_gui.plots.common.axes import OFFSET
from posenc_gui.plots.common.heads import HeadOptions, head_alone, in_head, of_head, require_head
from posenc_gui.scene.scene import Scene
from posenc_gui.text.tokenization import format_token

_ALIKE = 0.02  # of a score: less is no change that counts


def draw(scene: Scene, options: HeadOptions, engine: Engine) -> Figure:
    """Draw scores over the offset m − n, query minus key, so keys in the past have positive offsets."""
    require_head(scene, options.head)
    found: Kernel = measured("kernel", scene, engine, head=head_alone(scene, options.head))
    query, key = (quote(format_token(scene.tokens[at or 0])) for at in (scene.focused, scene.keyed))
    curves = ((f"{query} to {key}", found.seeded), ("random tokens", found.random), ("to itself", found.same))
    series = tuple(_curve(label, found.offsets, of_head(scores, options.head)) for label, scores in curves)
    offsets = Axis("offset", OFFSET)
    panels = [Lines(f"score, head {options.head}", "score", series, offsets, *padded_range(series))]
    if found.bound is not None:
        bound = (_curve("", found.offsets, found.bound),)
        panels.append(Lines("RoFormer's bound on rotated scores", "mean |S_j|", bound, offsets, *padded_range(bound)))
    is_relative = scene.encoding.built_in and scene.encoding.door != "input"
    absolute = "" if is_relative else f"the query stands at position {found.query}"
    headline, random = _headline(scene, found, options.head), of_head(found.random, options.head)
    return Figure(
        panels=tuple(panels),
        headline=headline,
        caption_parts=compose_caption(
            SEEDED,
            f"random tokens: the mean over {CONTENTS} pairs; to itself: the mean over {CONTENTS} tokens with W_k = W_q",
            absolute,
        ),
        description=f"{quote_runs(headline)} With keys of random other vectors the means lie between "
        f"{format_number(float(random.min()))} and {format_number(float(random.max()))}.",
    )


def _headline(scene: Scene, found: Kernel, head: int) -> tuple[Run, ...]:
    """“With RoPE, distance weakens the score of a key that matches: on average 4.13 at offset 0, 1.2 at 127.”"""
    same, furthest = of_head(found.same, head), found.farthest_offset
    near, far = (float(same[found.offsets == offset]) for offset in (0, furthest))
    does = "leaves" if math.isclose(near, far, rel_tol=_ALIKE) else "weakens" if far < near else "strengthens"
    kept = " as it is" if does == "leaves" else ""
    begun = (
        f"{under(scene.encoding)} {in_head(scene, head).lower()}distance {does} the score of a key that matches{kept}: "
    )
    return sentence(begun, "on average ", near, " at offset 0, ", far, f" at {format_number(furthest)}.")


def _curve(label: str, offsets: Tensor, scores: Tensor) -> Series:
    return Series(label, as_values(offsets.flip(0)), as_values(scores.flip(0)))


PLOT = Plot(
    "Distance kernel",
    "How the score depends on the distance, whatever the words.",
    "Does distance weaken a score?",
    HeadOptions,
    draw,
    "Near and far",
)
