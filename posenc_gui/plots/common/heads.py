"""One head or the mean of several: the options, what is said of them, and the part of a tensor that is theirs."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field
from torch import Tensor

from posenc_gui.attention.layer import heads_to_compute
from posenc_gui.attention.trained_model import TrainedModel
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.foundation.errors import Remedy, Undefined
from posenc_gui.measures.base import few_of
from posenc_gui.scene.scene import Scene

HeadOrMean = Annotated[
    int | None,
    Field(
        ge=0,
        le=127,
        title="Head",
        description="One head, or the mean of all.",
        json_schema_extra={"none": "mean", "below": "n_heads"},
    ),
]


class HeadOptions(Frozen):
    """The attention head shown."""

    head: int = Field(
        0, ge=0, le=127, title="Head", description="The head that is shown.", json_schema_extra={"below": "n_heads"}
    )


def describe_head(scene: Scene, head: int | None) -> str:
    """Name the head shown, or say over how many heads the plot averages; of a model that has learned also the layer."""
    heads, model = scene.model.n_heads, scene.model
    layer = f"layer {model.layer}, " if isinstance(model, TrainedModel) else ""
    if heads == 1:
        return f"{layer}one head"
    if head is not None:
        return f"{layer}head {head} of {heads}"
    some = scene.heads_of(None)
    return f"{layer}mean of {heads} heads" if some is None else f"{layer}mean of {few_of(some, heads)}"


def in_head(scene: Scene, head: int | None, begun: str = "") -> str:
    """Begin a sentence about one of several heads, “In head 2, what ”, or about their mean; about a single head by itself."""
    if scene.model.n_heads == 1:
        return begun
    where = "On average over heads, " if head is None else f"In head {head}, "
    return f"{where}{begun[:1].lower()}{begun[1:]}"


def of_head(heads: Tensor, head: int | None) -> Tensor:
    """Return one head of a (h, …) tensor, or the mean over heads if `head` is None; the tensor may hold only that head."""
    return heads.mean(0) if head is None or len(heads) == 1 else heads[head]


def head_alone(scene: Scene, head: int) -> int | None:
    """Return the head to compute a measure for: only this one in a large model, else None, for all heads."""
    return None if heads_to_compute(scene.model, scene.encoding, head) is None else head


def require_head(scene: Scene, head: int | None) -> None:
    """Raise Undefined if the model has no such head; None stands for all."""
    if head is not None and not 0 <= head < scene.model.n_heads:
        heads = f"heads are 0 to {scene.model.n_heads - 1}"
        raise Undefined(f"There is no head {head}: {heads}.", Remedy("Show head 0", options={"head": 0}))
