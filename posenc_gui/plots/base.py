"""Helpers shared by all plots: the `Plot` declaration, the parts of captions, and conversions of numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import torch
from torch import Tensor

from posenc_gui import measures
from posenc_gui.attention.engine import Engine
from posenc_gui.attention.layer import heads_to_compute
from posenc_gui.figure.caption_parts import SEEDED, CaptionPart, compose_caption
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panels import Series
from posenc_gui.figure.ranges import Values
from posenc_gui.figure.view import View
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.foundation.errors import Undefined
from posenc_gui.foundation.wording import format_count, format_number
from posenc_gui.measures.base import Unmeasured, few_of
from posenc_gui.scene.remedies import SENTENCE
from posenc_gui.scene.scene import Scene

WINDOW = 512  # tokens along a side of a map, at most

Group = Literal[
    "Attention", "Encoding", "Order lost and found", "Requirements", "Near and far", "What positions are worth"
]


@dataclass(frozen=True)
class Plot:
    """The declaration of a plot: its title, a one-sentence summary, the question that it answers, its options, its drawing
    function, and its group.

    `draw` gets the scene, the scene's options for this plot, and the engine to compute with. It returns a figure, or yields
    figures from coarse to final. It raises Undefined if there is nothing to draw. `draw_part` also gets the requested view;
    a plot of small pictures, which are always whole, has none.

    `shows` says which encodings one picture shows: one (two compared encodings then get a picture each, side by side),
    both compared encodings, all encodings, or those that its options name. A plot that `leads` is the first of its group.
    compared: options in pictures side by side, whatever is chosen for one alone.
    """

    title: str
    summary: str
    question: str
    options: type[Frozen]
    draw: Callable[[Scene, Any, Engine], Figure | Iterator[Figure]]
    group: Group
    shows: Literal["one", "both", "all", "chosen"] = "one"
    leads: bool = False
    draw_part: Callable[[Scene, Any, View, Engine], Iterator[Figure]] | None = None
    compared: Mapping[str, Any] = field(default_factory=dict, hash=False)


def of_group(plots: Mapping[str, Plot], group: Group) -> list[str]:
    """Return the names of a group's plots in the order in which they are offered."""
    return sorted((name for name, plot in plots.items() if plot.group == group), key=lambda name: not plots[name].leads)


def describe_first_tokens(shown: int, scene: Scene) -> str:
    """Return a caption text such as “the first 512 of 600 tokens”; empty if all are shown."""
    return f"the first {shown:,} of {format_count(scene.n_tokens, scene.unit)}" if shown < scene.n_tokens else ""


def toy_parts(scene: Scene) -> tuple[CaptionPart, ...]:
    """Return caption parts: that the weights are seeded, and which heads are measured if not all are."""
    heads = heads_to_compute(scene.model, scene.encoding)
    return compose_caption(SEEDED, "" if heads is None else few_of(heads, scene.model.n_heads))


def measured(name: str, scene: Scene, engine: Engine, **options: Any) -> Any:
    """Compute a measure. Raises Undefined, with the reason, if it doesn't apply to the scene, and TooLarge."""
    found = measures.taken(name, scene, engine, **options)
    if found.value is None:
        raise Undefined(found.reason, found.remedy if isinstance(found, Unmeasured) else None)
    return found


def require_tokens(scene: Scene, shown: str) -> None:
    """Raise Undefined if the scene has no tokens; `shown` is what the plot would show of them."""
    if not scene.tokens:
        raise Undefined(f"Type a sentence to see {shown}.", SENTENCE)


def as_values(tensor: Tensor) -> Values:
    """Convert a tensor to a figure's float32 array."""
    return tensor.detach().cpu().to(torch.float32).numpy()


def describe_range(values: Values) -> str:
    """Return the smallest and the largest value as text: “from −1 to 1”."""
    return f"from {format_number(values.min())} to {format_number(values.max())}"


def up_from_zero(*arrays: Values) -> tuple[float, float]:
    """Return a range for bars, from 0 (or the smallest value, if negative) to the largest value; never empty."""
    low, high = min(0.0, *(float(one.min()) for one in arrays)), max(0.0, *(float(one.max()) for one in arrays))
    return (low, high) if low < high else (0.0, 1.0)


def describe_selection(shown: int, total: int, kind: str) -> str:
    """Return a caption text: “8 of 32 pairs”, “all 8 pairs” or “the only pair”."""
    if shown < total:
        return f"{shown} of {total} {kind}s"
    return f"all {format_count(total, kind)}" if total > 1 else f"the only {kind}"


def padded_range(series: tuple[Series, ...]) -> tuple[float, float]:
    """Return a range that contains all curves, with a little padding; never empty."""
    low, high = min(float(one.y.min()) for one in series), max(float(one.y.max()) for one in series)
    air = 0.06 * (high - low) or max(1.0, 1e-6 * abs(high))
    return low - air, high + air


def logarithmic_range(series: tuple[Series, ...], air: float, least: float = 0.0) -> tuple[float, float]:
    """Return a range of logarithms that contains all curves and ends at `least` or above, with air as a factor around it."""
    low, high = min(float(one.y.min()) for one in series), max(float(one.y.max()) for one in series)
    return low / air, max(high, least) * air
