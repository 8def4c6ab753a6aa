"""Clocks: one for each pair of dimensions, with a hand for every word."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from posenc_gui.figure.axis import NOWHERE, Pointer
from posenc_gui.figure.ranges import require_finite

Of = Literal["focus", "twin", "other"]  # whose hand it is: the word in focus, one that is there twice, another
Angles = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Hand:
    """One word's hand on every clock: its `name` is written at its end, `at` is the token's index, `position` where it stands."""

    name: str
    at: int
    position: float
    of: Of = "other"


@dataclass(frozen=True, eq=False)
class Clocks:
    """Clocks side by side, each with the same hands.

    `labels` and `readings` are the texts above and below each clock; `angles`, (clocks, hands), are radians, counter-clockwise
    from three o'clock, not reduced to a turn. All hands have one `length`: at 1 they reach the rim. `trail`, (clocks, dots), has
    earlier angles of the hand in focus, oldest first. `pairs` holds the index of each clock's pair. `marked`: the indices of
    clocks that are framed because a text speaks of them.
    """

    title: str
    labels: tuple[str, ...]
    readings: tuple[str, ...]
    hands: tuple[Hand, ...]
    angles: Angles
    pairs: tuple[int, ...]
    length: float = 1.0
    trail: Angles | None = None
    marked: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        count = len(self.labels)
        if not count or len(self.readings) != count or len(self.pairs) != count:
            raise ValueError(
                f"clocks {self.title!r} have {count} labels, {len(self.readings)} readings and {len(self.pairs)} pairs"
            )
        if self.angles.shape != (count, len(self.hands)) or (self.trail is not None and len(self.trail) != count):
            raise ValueError(f"clocks {self.title!r} have angles {self.angles.shape} for {len(self.hands)} hands")
        for angles in (self.angles, self.trail if self.trail is not None else self.angles):
            require_finite(angles.astype(np.float32), f"clocks {self.title!r}")

    def pointer(self, x: float, y: float) -> Pointer:
        """Return a pointer to the clock with index x; y is ignored, since only the renderer arranges clocks in rows."""
        at = round(x)
        return Pointer((("pair", self.pairs[at]),)) if 0 <= at < len(self.labels) else NOWHERE

    def read(self, x: float, y: float) -> str:
        """Describe the clock with index x, and where the hand in focus stands on it; empty if it doesn't exist."""
        clock = round(x)
        if not 0 <= clock < len(self.labels):
            return ""
        told = (
            f"{hand.name} at {round(math.degrees(self.angles[clock, at])) % 360}°"
            for at, hand in enumerate(self.hands)
            if hand.of == "focus" and self.length
        )
        return " · ".join((self.labels[clock], self.readings[clock], *told))
