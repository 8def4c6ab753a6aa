"""The headline of the query in focus: what it attends to and, where the sentence starts later, what that changes."""

from __future__ import annotations

from collections.abc import Callable

import torch

from posenc_gui.attention.engine import Engine
from posenc_gui.figure.headline import Quantity, Row, headline, headline_from
from posenc_gui.figure.runs import Run
from posenc_gui.plots.base import WINDOW
from posenc_gui.plots.common.heads import in_head
from posenc_gui.scene.comparison import phrases
from posenc_gui.scene.scene import Scene

_SAME = 1e-5  # of scores that don't depend on where the sentence starts, relative to the largest if that is above 1
_CHANGED = {  # by door: where scores change with the start
    "input": "other vectors are added",
    "rotation": "angles between hands change",
    "score": "other numbers are added to scores",
}


def headline_of_row(
    scene: Scene,
    rows: list[Row],
    quantity: Quantity,
    head: int | None,
    engine: Engine,
    row_of: Callable[[Scene], Row] | None = None,
) -> tuple[Run, ...]:
    """Say what the query in focus attends to in `rows`, of each map, and by `row_of`, of one encoding, what a later start
    changes."""
    rows = rows[:1] if scene.encoding == scene.other else rows
    told, start, where = (quantity, scene.tokens, scene.focused or 0), scene.start, in_head(scene, head)
    *plain, encoded = phrases(scene)[-len(rows) :]
    if not start or (scene.other is None and scene.encoding.door == "none"):
        return headline((*plain, encoded), rows, *told, where)
    begun = in_head(scene, head, f"Counted from {start:,}")
    if scene.other is not None:
        return headline((*plain, encoded), rows, *told, f"{begun}, ", start)
    if row_of is None or scene.n_tokens > WINDOW:
        return headline((*plain, f"{encoded}, counted from {start:,}"), rows, *told, where, start)
    return headline_from(begun, _changed(scene, head, engine), (rows[-1], row_of(scene.from_zero)), *told, start)


def _changed(scene: Scene, head: int | None, engine: Engine) -> tuple[str, bool]:
    """Say what another start changes, in the words of the encoding's door, and whether all scores stay as they are."""
    prompts = (one.prompt_of(scene.heads_of(head)) for one in (scene, scene.from_zero))
    found = [engine.maps(prompt, range(scene.n_tokens)) for prompt in prompts]
    here, from_zero = (one.scores[:, one.visible] for one in found)  # (h, seen)
    if float((here - from_zero).abs().max()) > _SAME * max(1.0, float(here.abs().max())):
        return _CHANGED.get(scene.encoding.door, "scores change"), False
    if scene.encoding.door == "score":
        return "no distance between words changes", True
    first = scene.at(torch.tensor([scene.start], dtype=torch.float64))
    turned = scene.encoding.phases(first, scene.model.d_model, scene.context)
    if scene.encoding.door != "rotation" or turned is None or not turned.any():
        return "no score changes", True
    return f"{'all ' * bool(turned.all())}hands turn, and no angle between two changes", True
