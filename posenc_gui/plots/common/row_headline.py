"""The headline of the query in focus: what it attends to and, where the sentence starts later, what that changes."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from posenc_gui.attention.engine import Engine
from posenc_gui.attention.toy_model import Heads
from posenc_gui.figure.headline import Quantity, Row, headline, headline_from
from posenc_gui.figure.runs import Run
from posenc_gui.plots.base import WINDOW
from posenc_gui.plots.common.heads import in_head
from posenc_gui.scene.comparison import phrases
from posenc_gui.scene.scene import Scene

_SAME = 1e-5  # of scores that don't depend on where the sentence starts, relative to the largest if that is above 1


def headline_of_row(
    scene: Scene, rows: list[Row], row_of: Callable[[Scene], Row], quantity: Quantity, head: int | None, engine: Engine
) -> tuple[Run, ...]:
    """Say what the query in focus attends to in `rows`, one for each map; from a later position on, what becomes of that.

    `row_of` gives the row of another scene, `head` is the one shown, or None for their mean. Two compared encodings and a long
    text are only said to start later.
    """
    rows = rows[:1] if scene.encoding == scene.other else rows
    told, at = (phrases(scene)[-len(rows) :], rows, quantity, scene.tokens), scene.focused or 0
    where = in_head(scene, head)
    if not scene.start or (scene.other is None and scene.encoding.door == "none"):
        return headline(*told, at, where)
    if scene.other is not None or scene.n_tokens > WINDOW:
        begun = f"rom position {scene.start:,} on, "
        return headline(*told, at, f"{where}f{begun}" if where else f"F{begun}", scene.start)
    held = _held(scene, scene.heads_of(head), engine)
    return headline_from(scene.start, held, (rows[-1], row_of(scene.from_zero)), quantity, scene.tokens, at, where)


def _held(scene: Scene, heads: Heads, engine: Engine) -> str:
    """Say that no score depends on where the sentence starts, in the words of the encoding's door; empty if one does."""
    found = [engine.maps(one.prompt_of(heads), range(scene.n_tokens)) for one in (scene, scene.from_zero)]
    here, from_zero = (one.scores[:, one.visible] for one in found)  # (h, seen)
    if float((here - from_zero).abs().max()) > _SAME * max(1.0, float(here.abs().max())):
        return ""
    if scene.encoding.door == "score":
        return "all words stand elsewhere, at the same distances"
    turned = _turned(scene)
    if not turned.any():
        return "no score changes"
    return f"{'all' if turned.all() else 'the turning'} hands stand elsewhere, no wedge does"


def _turned(scene: Scene) -> Tensor:
    """Return for each pair of dimensions whether a later start turns its hands further, (pairs,)."""
    turns: list[Tensor] = []
    for one in (scene, scene.from_zero) if scene.encoding.door == "rotation" else ():
        first = one.at(torch.tensor([one.start], dtype=torch.float64))
        if (phases := one.encoding.phases(first, one.model.d_model, one.context)) is not None:
            turns.append(phases[0])
    return turns[0] != turns[1] if turns else torch.zeros(1, dtype=torch.bool)
