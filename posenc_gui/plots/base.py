"""Helpers shared by all plots: the `Plot` declaration, axes, and an encoding's profile over positions or offsets."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal

import numpy as np
import torch
from pydantic import Field
from torch import Tensor

from posenc_gui import measures
from posenc_gui.attention.engine import Engine
from posenc_gui.attention.layer import heads_to_compute
from posenc_gui.attention.trained_model import TrainedModel
from posenc_gui.encodings.base import Profile
from posenc_gui.figure.axis import Axis, Role
from posenc_gui.figure.caption_parts import SEEDED, CaptionPart, compose_caption
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panels import Series, VerticalMark
from posenc_gui.figure.ranges import Values
from posenc_gui.figure.runs import Run, sentence
from posenc_gui.figure.view import View
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.foundation.errors import Remedy, Undefined
from posenc_gui.foundation.wording import format_count, format_number
from posenc_gui.measures.base import Unmeasured, few_of, in_chunks
from posenc_gui.scene.remedies import SENTENCE, SINUSOIDAL
from posenc_gui.scene.scene import Scene
from posenc_gui.text.tokenization import format_token

WINDOW = 512  # tokens along a side of a map, at most
_BETWEEN = 8  # points of a smooth curve from one position to the next
_SMOOTH = 512  # curves are smooth up to this many positions; with more, positions are less than two pixels apart
_POINTS = 8192  # points per drawn curve, at most
_MARKED_TWINS = 8  # each twin gets a vertical line in sentences with up to this many twins
_DOTTED = 32  # each token gets a dot on the curves in sentences up to this length

# The index of a dimension, pair or head. Bounded, since Python prints no integer of more than 4,300 digits.
Item = Annotated[int, Field(ge=0, le=4095)]


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


def of_group(plots: Mapping[str, Plot], group: Group) -> list[str]:
    """Return the names of a group's plots in the order in which they are offered."""
    return sorted((name for name, plot in plots.items() if plot.group == group), key=lambda name: not plots[name].leads)


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


class PositionOptions(Frozen):
    """The option for the range of positions shown."""

    first: int = Field(0, ge=0, le=1_000_000, title="From", description="The first position shown.")
    count: int | None = Field(
        None,
        ge=1,
        le=131_072,
        title="Positions",
        description="How many positions are shown; automatic is twice the sentence, 32 to 256, as far as there are any.",
    )

    def span(self, scene: Scene) -> range:
        """Return the range of positions shown for a scene."""
        count = self.count or min(max(32, 2 * len(scene.tokens)), 256)
        limit = scene.encoding.length_limit(scene.model.d_model)
        if self.count is None and limit is not None and self.first < limit:
            count = min(count, limit - self.first)
        return range(self.first, self.first + count)


class CurveOptions(PositionOptions):
    """The positions, and the dimensions, pairs or heads, that a plot of curves shows."""

    curves: tuple[Item, ...] = Field(
        (),
        max_length=64,
        title="Curves",
        description="Which dimensions, pairs or heads, such as 0, 2, 6-8; automatic is a few of each speed.",
    )


def describe_first_tokens(shown: int, scene: Scene) -> str:
    """Return a caption text such as “the first 512 of 600 tokens”; empty if all are shown."""
    return f"the first {shown:,} of {scene.n_tokens:,} tokens" if shown < scene.n_tokens else ""


def describe_window(scene: Scene, window: range) -> str:
    """Return a caption text that says which tokens around the focus are shown, and of how many; empty if all are."""
    if len(window) == scene.n_tokens:
        return ""
    return f"tokens {window.start:,} to {window.stop - 1:,} of {scene.n_tokens:,}, around the focus"


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


def in_head(scene: Scene, head: int | None) -> str:
    """Return the start of a sentence about one of several heads, “In head 2, ”, or about their mean; empty for a single head."""
    if scene.model.n_heads == 1:
        return ""
    return "On average over heads, " if head is None else f"In head {head}, "


def of_head(heads: Tensor, head: int | None) -> Tensor:
    """Return one head of a (h, …) tensor, or the mean over heads if `head` is None; the tensor may hold only that head."""
    return heads.mean(0) if head is None or len(heads) == 1 else heads[head]


def head_alone(scene: Scene, head: int) -> int | None:
    """Return the head to compute a measure for: only this one in a large model, else None, for all heads."""
    return None if heads_to_compute(scene.model, scene.encoding, head) is None else head


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


def token_axis(scene: Scene, role: Role, title: str, window: range) -> Axis:
    """Return the axis of a range of positions; the sentence's positions are labelled with its tokens."""
    labels = tuple(format_token(token) for token in scene.tokens[window.start : window.stop])
    twins = scene.sentence.twins
    return Axis(role, title, window.start, labels, scene.focused, frozenset(at for at in window if at in twins))


def along(scene: Scene) -> str:
    """Return the name of a profile's coordinates: “position”, “offset”, or “token” if patches have several coordinates each."""
    return scene.encoding.along if scene.places is None else "token"


def place_told(scene: Scene, span: range) -> int:
    """Return the coordinate of which a headline tells: the focus where it is seen, else the last one."""
    focus = scene.focused
    return focus if scene.encoding.along == "position" and focus is not None and focus in span else span.stop - 1


def sentence_at(scene: Scene, at: int, names: Sequence[str], values: Tensor, among: str = "") -> tuple[Run, ...]:
    """“At position 2, dim 2 is highest, 1, and 63 of 64 are lowest, 0.” `among`: of which, if these aren't all."""
    place = f"At {along(scene)} {format_number(at)}, {f'{among}, ' if among else ''}"
    low, high = int(values.argmin()), int(values.argmax())
    lowest, highest = float(values[low]), float(values[high])
    if len(names) == 1:
        return sentence(f"{place}{names[0]} is ", highest, ".")
    if format_number(lowest) == format_number(highest):
        return sentence(f"{place}{'both' if len(names) == 2 else f'all {len(names)}'} are ", highest, ".")
    most, least = (_those_with(names, values, index) for index in (high, low))
    return sentence(f"{place}{most} highest, ", highest, f", and {least} lowest, ", lowest, ".")


def _those_with(names: Sequence[str], values: Tensor, index: int) -> str:
    """“dim 2 is” or, if others have its value up to rounding, “63 of 64 are”."""
    count = int(torch.isclose(values, values[index], rtol=1e-6, atol=1e-9).sum())
    return f"{names[index]} is" if count == 1 else f"{count} of {len(names)} are"


def position_axis(scene: Scene, role: Role, title: str, span: range) -> Axis:
    """Return the axis of a range of positions, labelled with tokens; without labels if several patches share a position."""
    return token_axis(scene, role, title, span) if scene.places is None else Axis(role, title, span.start)


def window_around(focus: int, length: int) -> range:
    """Return the indices of at most `WINDOW` tokens around a token."""
    start = max(0, min(focus - WINDOW // 2, length - WINDOW))
    return range(start, min(length, start + WINDOW))


def fully_labelled(axis: Axis, span: range) -> Axis:
    """Label the positions past the sentence's end with their numbers, since a map's axis labels all cells or none."""
    numbers = tuple(str(position) for position in span[len(axis.labels) :])
    return replace(axis, labels=(*axis.labels, *numbers)) if axis.labels else axis


def encoding_span(scene: Scene, positions: range) -> range:
    """Return the coordinates of the encoding's profile: the positions, or, for a relative encoding, a range of offsets."""
    if scene.encoding.along == "position":
        return positions
    return range(0 if scene.model.causal else 1 - len(positions), len(positions))


def encoding_axis(scene: Scene, span: range) -> Axis:
    """Return the axis of `encoding_span`. Offsets are m − n, query minus key, so keys in the past have positive offsets."""
    if scene.encoding.along == "position":
        return token_axis(scene, "position", along(scene), span)
    return Axis("offset", "offset m − n, query minus key", span.start)


def sentence_marks(scene: Scene, axis: Axis, span: range) -> tuple[VerticalMark, ...]:
    """Return vertical lines for the end of the sentence, a few twins and the token in focus, as far as they are shown."""
    if axis.role != "position":
        return ()
    length, focus = len(scene.tokens), scene.focused
    marks = []
    if length and span.start < length < span.stop:
        marks.append(VerticalMark(length - 0.5, "sentence ends", "end"))
    if len(scene.sentence.twins) <= _MARKED_TWINS:
        marks += [VerticalMark(at, "", "twin") for at in sorted(scene.sentence.twins) if at in span and at != focus]
    if focus is not None and focus in span:
        marks.append(VerticalMark(focus, format_token(scene.tokens[focus]), "focus"))
    return tuple(marks)


def samples(span: range, smooth: bool) -> Tensor:
    """Return the coordinates at which a curve is computed, float64; if `smooth`, also some between the integers."""
    between = _BETWEEN if smooth and len(span) <= _SMOOTH else 1
    return span.start + torch.arange((len(span) - 1) * between + 1, dtype=torch.float64) / between


def profile(scene: Scene, coordinates: Tensor, engine: Engine, items: tuple[int, ...] | None = None) -> Profile:
    """Return the encoding's profile at these coordinates, only for `items` (dimensions, pairs or heads) if given.

    Where patches have rows and columns, `coordinates` are token indices. Raises Undefined if the encoding has no profile,
    no such item, or values too large for floats.
    """
    probe = _profile_of(scene, coordinates[:1])
    columns = list(range(len(probe.labels)))
    if items is not None:
        require_items(items, len(columns) // probe.each, scene.encoding.across)
        columns = [item * probe.each + part for item in items for part in range(probe.each)]
    values = in_chunks(coordinates, len(probe.labels), engine, lambda part: _profile_of(scene, part).values[:, columns])
    if not values.isfinite().all():
        raise Undefined(f"At these positions {scene.encoding.called} gives numbers too large to compute with.")
    labels = tuple(probe.labels[column] for column in columns)
    return Profile(values, labels, probe.quantity, probe.each)


def n_items(scene: Scene) -> int:
    """Return the number of dimensions, pairs or heads in the encoding's profile."""
    probe = _profile_of(scene, torch.zeros(1, dtype=torch.float64))
    return len(probe.labels) // probe.each


def some_of(count: int, most: int) -> tuple[int, ...]:
    """Return the indices of all `count` items, or of at most `most`: 0, 1, 2, 4, 8, … (high frequencies first)."""
    if count <= most:
        return tuple(range(count))
    powers = (0, *(2**power for power in range(count.bit_length())))
    return tuple(item for item in powers if item < count)[:most]


def require_tokens(scene: Scene, shown: str) -> None:
    """Raise Undefined if the scene has no tokens; `shown` is what the plot would show of them."""
    if not scene.tokens:
        raise Undefined(f"Type a sentence to see {shown}.", SENTENCE)


def require_items(items: tuple[int, ...], count: int, kind: str, option: str = "curves") -> None:
    """Raise Undefined if one of these dimensions, pairs or heads, which an option of the plot lists, doesn't exist."""
    usual = Remedy(f"Show the usual {kind}s", options={option: ()})
    for item in items:
        if not 0 <= item < count:
            allowed = f"{kind}s are 0 to {count - 1}" if count else f"there are no {kind}s"
            raise Undefined(f"There is no {kind} {item}: {allowed}.", usual)


def require_head(scene: Scene, head: int | None) -> None:
    """Raise Undefined if the model has no such head; None stands for all."""
    if head is not None and not 0 <= head < scene.model.n_heads:
        heads = f"heads are 0 to {scene.model.n_heads - 1}"
        raise Undefined(f"There is no head {head}: {heads}.", Remedy("Show head 0", options={"head": 0}))


def curves(scene: Scene, axis: Axis, span: range, x: Tensor, y: Tensor, labels: tuple[str, ...]) -> tuple[Series, ...]:
    """Return one series per column of y, (n, columns), with a dot at each token's position if there are few tokens."""
    length = len(scene.tokens)
    tokens = range(max(span.start, 0), min(span.stop, length)) if axis.role == "position" and length <= _DOTTED else ()
    at = {float(position): row for row, position in enumerate(x.tolist())} if tokens else {}
    xs, ys = as_values(x), as_values(y)
    return tuple(
        Series(
            label,
            *_thinned(xs, ys[:, column]),
            dots=tuple((float(token), float(ys[at[token], column])) for token in tokens),
        )
        for column, label in enumerate(labels)
    )


def as_values(tensor: Tensor) -> Values:
    """Convert a tensor to a figure's float32 array."""
    return tensor.detach().cpu().to(torch.float32).numpy()


def describe_selection(shown: int, total: int, kind: str) -> str:
    """Return a caption text: “8 of 32 pairs”, “all 8 pairs” or “the only pair”."""
    if shown < total:
        return f"{shown} of {total} {kind}s"
    return f"all {format_count(total, kind)}" if total > 1 else f"the only {kind}"


def describe_range(values: Values) -> str:
    """Return the smallest and the largest value as text: “from −1 to 1”."""
    return f"from {format_number(values.min())} to {format_number(values.max())}"


def up_from_zero(*arrays: Values) -> tuple[float, float]:
    """Return a range for bars, from 0 (or the smallest value, if negative) to the largest value; never empty."""
    low, high = min(0.0, *(float(one.min()) for one in arrays)), max(0.0, *(float(one.max()) for one in arrays))
    return (low, high) if low < high else (0.0, 1.0)


def padded_range(series: tuple[Series, ...]) -> tuple[float, float]:
    """Return a range that contains all curves, with a little padding; never empty."""
    low, high = min(float(one.y.min()) for one in series), max(float(one.y.max()) for one in series)
    air = 0.06 * (high - low) or 1.0
    return low - air, high + air


def _profile_of(scene: Scene, coordinates: Tensor) -> Profile:
    at = scene.at(coordinates)
    found = scene.encoding.profile(at, scene.model.d_model, scene.context)
    if found is None and scene.encoding.door == "none":
        raise Undefined("No encoding is chosen: tokens carry no position, so there is nothing to draw.", SINUSOIDAL)
    if found is None:
        raise Undefined(
            f"What {scene.encoding.called} adds depends on the tokens: it has no values of its own to draw.", SINUSOIDAL
        )
    return found


def _thinned(x: Values, y: Values) -> tuple[Values, Values]:
    """Reduce a curve with too many points to its envelope: its ends, and the extremes of each stretch of points."""
    if len(x) <= _POINTS:
        return x, y
    stretch = -(-len(x) // (_POINTS // 2 - 1))
    # Pad the last stretch with the last value: argmin and argmax return the first extreme, so never the padding.
    groups = np.pad(y, (0, -len(y) % stretch), mode="edge").reshape(-1, stretch)
    starts = np.arange(0, len(y), stretch)
    ends = [0, len(y) - 1]
    kept = np.unique(np.concatenate((ends, starts + groups.argmin(axis=1), starts + groups.argmax(axis=1))))
    return x[kept], y[kept]
