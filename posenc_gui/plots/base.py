"""What plots share: their declaration, their axes, and an encoding's profile along positions or offsets."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal

import numpy as np
import torch
from pydantic import Field
from torch import Tensor

from posenc_gui import measures
from posenc_gui.attention.engine import Engine
from posenc_gui.attention.layer import heads_alone
from posenc_gui.encodings.base import Profile
from posenc_gui.figure.figure import SEEDED, Axis, Figure, Role, Series, Values, VerticalMark, number
from posenc_gui.figure.view import View
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.foundation.errors import Undefined
from posenc_gui.measures.base import few_of, in_chunks
from posenc_gui.scene.scene import Scene
from posenc_gui.text.tokenization import shown

WINDOW = 512  # tokens on a side of a map that is drawn
_BETWEEN = 8  # points of a smooth curve from one position to the next
_SMOOTH = 512  # positions up to which curves are smooth; more are less than two pixels apart
_POINTS = 8192  # points of one curve that are drawn
_MARKED_TWINS = 8  # tokens up to which each twin gets a line
_DOTTED = 32  # tokens up to which each gets a dot on the curves

# A dimension, pair or head; no model has more. Bounded, as Python writes no integer of more than 4,300 digits.
Item = Annotated[int, Field(ge=0, le=4095)]


Group = Literal["Attention", "Encoding", "Order lost and found", "Requirements", "Near and far"]


@dataclass(frozen=True)
class Plot:
    """A plot as it is declared: its title, what it shows in one sentence, the question that it answers, its options, how it
    is drawn, and its group.

    `draw` gets the scene, the scene's options for this plot, the view that is asked for, and the engine to compute with.
    It returns a figure, or yields figures, coarse to whole; the last one is the answer. It raises Undefined where there
    is nothing to draw.

    `shows` is what one picture of it shows: one encoding, so that of two that are compared each has its own, laid beside
    the other; both, which it draws itself; all there are; or what its options say, whichever are compared.
    """

    title: str
    summary: str
    question: str
    options: type[Frozen]
    draw: Callable[[Scene, Any, View, Engine], Figure | Iterator[Figure]]
    group: Group
    shows: Literal["one", "both", "all", "chosen"] = "one"


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
    """Which head."""

    head: int = Field(0, ge=0, le=127, title="Head", description="Whose.", json_schema_extra={"below": "n_heads"})


class PositionOptions(Frozen):
    """Which positions a plot along positions shows."""

    first: int = Field(0, ge=0, le=1_000_000, title="From", description="The first position shown.")
    count: int | None = Field(
        None,
        ge=1,
        le=131_072,
        title="Positions",
        description="How many positions are shown; automatic is twice the sentence, 32 to 256, as far as there are any.",
    )

    def span(self, scene: Scene) -> range:
        """The positions shown beside a scene's sentence."""
        count = self.count or min(max(32, 2 * len(scene.tokens)), 256)
        limit = scene.encoding.length_limit(scene.model.d_model)
        if self.count is None and limit is not None and self.first < limit:
            count = min(count, limit - self.first)
        return range(self.first, self.first + count)


class CurveOptions(PositionOptions):
    """Which positions, and which dimensions, pairs or heads, a plot of curves shows."""

    curves: tuple[Item, ...] = Field(
        (),
        max_length=64,
        title="Curves",
        description="Which dimensions, pairs or heads, such as 0, 2, 6-8; automatic is a few of each speed.",
    )


def cut_words(shown: int, scene: Scene) -> str:
    """For a caption: of how many tokens only the first are shown; nothing where all are."""
    return f" · the first {shown} of {scene.n_tokens:,} tokens" if shown < scene.n_tokens else ""


def around_words(scene: Scene, window: range) -> str:
    """For a caption: of how many tokens only those around the focus are shown; nothing where all are."""
    if len(window) == scene.n_tokens:
        return ""
    return f" · tokens {window.start} to {window.stop - 1} of {scene.n_tokens:,}, around the focus"


def head_words(scene: Scene, head: int | None) -> str:
    """Which head a caption tells of, or of how many the mean is shown."""
    heads = scene.model.n_heads
    if heads == 1:
        return "one head"
    if head is not None:
        return f"head {head} of {heads}"
    some = scene.heads_of(None)
    return f"mean of {heads} heads" if some is None else f"mean of {few_of(some, heads)}"


def in_head(scene: Scene, head: int | None) -> str:
    """What begins a sentence that tells of one head of several; empty where it tells of all."""
    return f"In head {head}, " if head is not None and scene.model.n_heads > 1 else ""


def of_head(heads: Tensor, head: int | None) -> Tensor:
    """One head of (h, …), which may be the only one that was computed, or the mean of all."""
    return heads.mean(0) if head is None or len(heads) == 1 else heads[head]


def head_alone(scene: Scene, head: int) -> int | None:
    """The head that a measure is asked for: this one in a large model, None where it is of all anyway."""
    return None if heads_alone(scene.model, scene.encoding, head) is None else head


def toy_words(scene: Scene) -> str:
    """For a caption: that weights are seeded, and which heads are measured where not all are."""
    heads = heads_alone(scene.model, scene.encoding)
    return SEEDED if heads is None else f"{SEEDED} · {few_of(heads, scene.model.n_heads)}"


def measured(name: str, scene: Scene, engine: Engine, **options: Any) -> Any:
    """What a measure finds. Raises Undefined, with its reason, where it doesn't apply to the scene, and TooLarge."""
    found = measures.taken(name, scene, engine, **options)
    if found.value is None:
        raise Undefined(found.reason)
    return found


def token_axis(scene: Scene, role: Role, title: str, window: range) -> Axis:
    """The axis of a range of positions; those that belong to the sentence are named by its tokens."""
    labels = tuple(shown(token) for token in scene.tokens[window.start : window.stop])
    twins = scene.twins
    return Axis(role, title, window.start, labels, scene.focused, frozenset(at for at in window if at in twins))


def along(scene: Scene) -> str:
    """What an encoding's profile runs along, in a word: positions, or tokens where patches have several coordinates each."""
    return scene.encoding.along if scene.places is None else "token"


def position_axis(scene: Scene, role: Role, title: str, span: range) -> Axis:
    """The axis of a range of positions, each of which its token names; none does where patches share positions."""
    return token_axis(scene, role, title, span) if scene.places is None else Axis(role, title, span.start)


def window_around(focus: int, length: int) -> range:
    """At most `WINDOW` tokens around a token, as a range of indices."""
    start = max(0, min(focus - WINDOW // 2, length - WINDOW))
    return range(start, min(length, start + WINDOW))


def fully_labelled(axis: Axis, span: range) -> Axis:
    """The sentence's tokens, then the numbers of the positions past its end: a map's axis names all cells or none."""
    numbers = tuple(str(position) for position in span[len(axis.labels) :])
    return replace(axis, labels=(*axis.labels, *numbers)) if axis.labels else axis


def encoding_span(scene: Scene, positions: range) -> range:
    """What the encoding's profile runs along: these positions, or, for an encoding of offsets, as many offsets."""
    if scene.encoding.along == "position":
        return positions
    return range(0 if scene.model.causal else 1 - len(positions), len(positions))


def encoding_axis(scene: Scene, span: range) -> Axis:
    """The axis of `encoding_span`. Offsets are m − n, query minus key: the past is positive."""
    if scene.encoding.along == "position":
        return token_axis(scene, "position", along(scene), span)
    return Axis("offset", "offset m − n, query minus key", span.start)


def sentence_marks(scene: Scene, axis: Axis, span: range) -> tuple[VerticalMark, ...]:
    """The end of the sentence and the token in focus, where they lie among the positions shown."""
    if axis.role != "position":
        return ()
    length, focus = len(scene.tokens), scene.focused
    marks = []
    if length and span.start < length < span.stop:
        marks.append(VerticalMark(length - 0.5, "sentence ends", "end"))
    if len(scene.twins) <= _MARKED_TWINS:
        marks += [VerticalMark(at, "", "twin") for at in sorted(scene.twins) if at in span and at != focus]
    if focus is not None and focus in span:
        marks.append(VerticalMark(focus, shown(scene.tokens[focus]), "focus"))
    return tuple(marks)


def samples(span: range, smooth: bool) -> Tensor:
    """The coordinates at which a curve is computed, float64: also between the whole ones where that is `smooth`."""
    between = _BETWEEN if smooth and len(span) <= _SMOOTH else 1
    return span.start + torch.arange((len(span) - 1) * between + 1, dtype=torch.float64) / between


def profile(scene: Scene, coordinates: Tensor, engine: Engine, items: tuple[int, ...] | None = None) -> Profile:
    """The encoding's profile at these coordinates; of `items` alone (dimensions, pairs or heads) where they are given.

    Tokens among patches stand at their places. Raises Undefined where the encoding has no profile or no such item.
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
    """How many dimensions, pairs or heads the encoding's profile has."""
    probe = _profile_of(scene, torch.zeros(1, dtype=torch.float64))
    return len(probe.labels) // probe.each


def some_of(count: int, most: int) -> tuple[int, ...]:
    """All of `count` items where they are few; else some, fast ones first: 0, 1, 2, 4, 8, …"""
    if count <= most:
        return tuple(range(count))
    powers = (0, *(2**power for power in range(count.bit_length())))
    return tuple(item for item in powers if item < count)[:most]


def require_tokens(scene: Scene) -> None:
    """Raise Undefined where there are no tokens."""
    if not scene.tokens:
        raise Undefined("There are no tokens yet: type a sentence.")


def require_items(items: tuple[int, ...], count: int, kind: str) -> None:
    """Raise Undefined where one of these dimensions, pairs or heads doesn't exist."""
    for item in items:
        if not 0 <= item < count:
            allowed = f"{kind}s are 0 to {count - 1}" if count else f"there are no {kind}s"
            raise Undefined(f"There is no {kind} {item}: {allowed}.")


def curves(scene: Scene, axis: Axis, span: range, x: Tensor, y: Tensor, labels: tuple[str, ...]) -> tuple[Series, ...]:
    """One series a column of y, (n, columns), with a dot at each token's position where there are few."""
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
    """A tensor as float32 numbers of a figure."""
    return tensor.detach().cpu().to(torch.float32).numpy()


def some_words(shown: int, total: int, kind: str) -> str:
    """How many of the dimensions, pairs or heads are shown."""
    if shown < total:
        return f"{shown} of {total} {kind}s"
    return f"all {total} {kind}s" if total > 1 else f"the only {kind}"


def words_for_range(values: Values) -> str:
    """The least and the largest value in words."""
    return f"from {number(values.min())} to {number(values.max())}"


def up_from_zero(*arrays: Values) -> tuple[float, float]:
    """A range for bars: from 0, or the least value where that is less, to the largest; never empty."""
    low, high = min(0.0, *(float(one.min()) for one in arrays)), max(0.0, *(float(one.max()) for one in arrays))
    return (low, high) if low < high else (0.0, 1.0)


def padded_range(series: tuple[Series, ...]) -> tuple[float, float]:
    """A range that holds all curves with a little air; never empty."""
    low, high = min(float(one.y.min()) for one in series), max(float(one.y.max()) for one in series)
    air = 0.06 * (high - low) or 1.0
    return low - air, high + air


def _profile_of(scene: Scene, coordinates: Tensor) -> Profile:
    at = scene.at(coordinates)
    found = scene.encoding.profile(at, scene.model.d_model, scene.context)
    if found is None and scene.encoding.door == "none":
        raise Undefined("No encoding is chosen: tokens carry no position, so there is nothing to draw.")
    if found is None:
        raise Undefined(
            f"What {scene.encoding.called} adds depends on the tokens: it has no values of its own to draw."
        )
    return found


def _thinned(x: Values, y: Values) -> tuple[Values, Values]:
    """The curve's envelope where it has more points than are drawn: its ends, and the extremes of each stretch."""
    if len(x) <= _POINTS:
        return x, y
    stretch = -(-len(x) // (_POINTS // 2 - 1))
    # The last value again fills up the last stretch: an extreme is the first of its size, so never one of these.
    groups = np.pad(y, (0, -len(y) % stretch), mode="edge").reshape(-1, stretch)
    starts = np.arange(0, len(y), stretch)
    ends = [0, len(y) - 1]
    kept = np.unique(np.concatenate((ends, starts + groups.argmin(axis=1), starts + groups.argmax(axis=1))))
    return x[kept], y[kept]
