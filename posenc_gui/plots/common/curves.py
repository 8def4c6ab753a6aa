"""Curves of an encoding's values: the options, the profile over positions or offsets, and the drawn series."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
import torch
from pydantic import Field
from torch import Tensor

from posenc_gui.attention.engine import Engine
from posenc_gui.encodings.base import Encoding, Profile
from posenc_gui.figure.axis import Axis
from posenc_gui.figure.panels import Series
from posenc_gui.figure.ranges import Values
from posenc_gui.figure.runs import Run
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.foundation.errors import Remedy, Undefined
from posenc_gui.foundation.wording import inflect
from posenc_gui.measures.base import in_chunks
from posenc_gui.plots.base import WINDOW, as_values
from posenc_gui.scene.remedies import SINUSOIDAL
from posenc_gui.scene.scene import Scene

_BETWEEN = 8  # points of a smooth curve from one position to the next
_SMOOTH = 512  # curves are smooth up to this many positions; with more, positions are less than two pixels apart
_POINTS = 8192  # points per drawn curve, at most
_FAR = 2**20  # steps beyond which no table of offsets has a row of its own
_DOTTED = 32  # each token gets a dot on the curves in sentences up to this length


# The index of a dimension, pair or head. Bounded, since Python prints no integer of more than 4,300 digits.
Item = Annotated[int, Field(ge=0, le=4095)]


def which(title: str, items: str, automatic: str) -> Any:
    """Declare an option that lists the indices of what is shown, of type `tuple[Item, ...]`."""
    described = f"Which {items}, such as 0, 2, 6-8; automatic is {automatic}."
    return Field((), max_length=64, title=title, description=described)


class ReachOptions(Frozen):
    """How far a plot reaches around the query in focus."""

    reach: int | None = Field(
        None,
        ge=1,
        le=512,
        title="Reach",
        description="Steps to either side; automatic is as far as the sentence.",
        json_schema_extra={"unit": "steps"},
    )

    def steps(self, scene: Scene, least: int, most: int) -> range:
        """Return the steps from the focus to keys that it may see, automatically `least` to `most` to either side."""
        focus, is_causal = scene.focused or 0, scene.model.causal
        furthest = max(focus, 0 if is_causal else scene.n_tokens - 1 - focus)
        reach = self.reach or max(least, min(furthest, most))
        return range(-reach, 1 if is_causal else reach + 1)


class PositionOptions(Frozen):
    """The option for the range of positions shown."""

    first: int = Field(
        0, ge=0, le=1_000_000, title="From", description="The first position shown; 0: where the sentence starts."
    )
    count: int | None = Field(
        None,
        ge=1,
        le=131_072,
        title="Positions",
        description="How many positions are shown; automatic suits the sentence, as far as there are any.",
    )

    def span(self, scene: Scene) -> range:
        """Return the range of positions shown for a scene: from where it starts or, of a long text, around the focus."""
        first, count = self.first or scene.start, self.count or min(max(32, 2 * len(scene.tokens)), 256)
        if self.count is not None:
            return range(first, first + count)
        limit = scene.encoding.length_limit(scene.model.d_model)
        if limit is not None and first < limit:
            count = min(count, limit - first)
        focus = scene.start + (scene.focused or 0)
        if not self.first and focus >= first + count:
            last = min(focus + count // 2, scene.positions.stop, limit or focus + count)
            first = max(first, last - count)
        return range(first, first + count)

    def past_the_end(self, scene: Scene, span: range) -> range:
        """Return the sentence's positions for which the encoding has no vector (past a table's last row), as many as fit."""
        limit = scene.encoding.length_limit(scene.model.d_model)
        if limit is None or self.count is not None or span.stop != limit:
            return range(0)
        return range(limit, max(limit, min(scene.positions.stop, span.start + WINDOW)))


class CurveOptions(PositionOptions):
    """The positions, and the dimensions, pairs or heads, that a plot of curves shows."""

    curves: tuple[Item, ...] = which("Curves", "dimensions, pairs or heads", "a few of each speed")


def none_there(ended: range) -> tuple[Run, ...]:
    """“Positions 8 to 11 have no vector.”, with a space before it; empty if there are none."""
    positions, have = inflect(len(ended), "Position"), inflect(len(ended), "has", "have")
    which = f"{ended[0]:,} to {ended[-1]:,}" if len(ended) > 1 else f"{ended.start:,}"
    return (Run(f" {positions} {which} {have} no vector."),) if ended else ()


def told_sharing(encoding: Encoding) -> tuple[Run, ...]:
    """“From 8 steps on it no longer tells every distance apart, from 91 on none.”, after a space; else empty."""
    rows = encoding.rows_of(torch.arange(_FAR, dtype=torch.float64))
    if rows is None:
        return ()
    own = rows.diff() != 0
    first, last = int((~own).nonzero()[0]), int(own.nonzero().max()) + 1 if bool(own.any()) else 0
    if first == last:
        return (Run(f" From {first:,} steps on all distances are alike."),)
    return (Run(f" From {first:,} steps on it no longer tells every distance apart, from {last:,} on none."),)


def samples(span: range, smooth: bool) -> Tensor:
    """Return the coordinates at which a curve is computed, float64; if `smooth`, also some between the integers."""
    between = _BETWEEN if smooth and len(span) <= _SMOOTH else 1
    return span.start + torch.arange((len(span) - 1) * between + 1, dtype=torch.float64) / between


def profile(scene: Scene, coordinates: Tensor, engine: Engine, items: tuple[int, ...] | None = None) -> Profile:
    """Return the encoding's profile at these coordinates, only for `items` (dimensions, pairs or heads) if given. Where
    patches have rows and columns, `coordinates` count tokens, from the scene's start. Raises Undefined if the encoding has no
    profile, no such item, or values too large for floats."""
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


def told_query(scene: Scene, span: range) -> str:
    """Return a caption text that says at which position the query stands, where a bias depends on more than the offset."""
    encoding = scene.encoding
    if encoding.door != "score" or encoding.of_offset or not encoding.content_free:
        return ""
    return f"of a query at position {max(map(abs, (span.start, span.stop - 1))):,}"


def n_items(scene: Scene) -> int:
    """Return the number of dimensions, pairs or heads in the encoding's profile."""
    probe = _profile_of(scene, torch.full((1,), scene.start, dtype=torch.float64))
    return len(probe.labels) // probe.each


def some_of(count: int, most: int) -> tuple[int, ...]:
    """Return the indices of all `count` items, or of at most `most`: 0, 1, 2, 4, 8, … (high frequencies first)."""
    if count <= most:
        return tuple(range(count))
    powers = (0, *(2**power for power in range(count.bit_length())))
    return tuple(item for item in powers if item < count)[:most]


def spread(count: int, most: int) -> tuple[int, ...]:
    """Return at most `most` of `count` indices, evenly from the first to the last."""
    most = min(most, count)
    return tuple(round(at * (count - 1) / max(1, most - 1)) for at in range(most))


def require_items(items: tuple[int, ...], count: int, kind: str, option: str = "curves") -> None:
    """Raise Undefined if one of these dimensions, pairs or heads, which an option of the plot lists, doesn't exist."""
    usual = Remedy(f"Show the usual {kind}s", options={option: ()})
    for item in items:
        if not 0 <= item < count:
            allowed = f"{kind}s are 0 to {count - 1}" if count else f"there are no {kind}s"
            raise Undefined(f"There is no {kind} {item}: {allowed}.", usual)


def curves(scene: Scene, axis: Axis, span: range, x: Tensor, y: Tensor, labels: tuple[str, ...]) -> tuple[Series, ...]:
    """Return one series per column of y, (n, columns), with a dot at each token's position if there are few tokens."""
    is_dotted, positions = axis.role == "position" and scene.n_tokens <= _DOTTED, scene.positions
    tokens = range(max(span.start, positions.start), min(span.stop, positions.stop)) if is_dotted else ()
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


def _profile_of(scene: Scene, coordinates: Tensor) -> Profile:
    at = scene.at(coordinates)
    found = scene.encoding.profile(at, scene.model.d_model, scene.context)
    if found is None and scene.encoding.door == "none":
        width = scene.model.d_model  # of what no encoding adds to the inputs: nothing
        nothing = torch.zeros(len(coordinates), width, dtype=torch.float64)
        return Profile(nothing, tuple(f"dim {at}" for at in range(width)), "value")
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
