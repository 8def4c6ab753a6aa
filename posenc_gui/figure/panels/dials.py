"""Clocks: one hand, or a query's and a key's, for each pair of dimensions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from posenc_gui.figure.axis import NOWHERE, Pointer
from posenc_gui.figure.ranges import require_finite


@dataclass(frozen=True)
class Dial:
    """One clock face, with its hand at `angle` radians, counter-clockwise from three o'clock, not reduced modulo 2π.

    `trail` holds earlier angles of the hand, oldest first; `reading` is the value as text. `key` is the angle of a second
    hand: then the first hand is the query's and the second the key's, and an arc marks the angle between them.
    """

    label: str
    angle: float
    reading: str
    trail: tuple[float, ...] = ()
    key: float | None = None


@dataclass(frozen=True, eq=False)
class Dials:
    """Clocks side by side, one for each pair of dimensions.

    `coordinates` names the x and y coordinates of the hand's tip, cosine and sine, if the encoding uses them; the renderer
    then draws both as lines from the tip to the axes. `hands` names the query's and the key's hand if dials have two.
    `pairs` holds the index of each dial's pair, if the dials don't show the first pairs in order. `marked`: the indices of
    dials that are framed because a text speaks of them.
    """

    title: str
    quantity: str
    dials: tuple[Dial, ...]
    coordinates: tuple[str, str] | None = None
    pairs: tuple[int, ...] = ()
    hands: tuple[str, str] | None = None
    marked: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if not self.dials:
            raise ValueError(f"dials {self.title!r} need at least one dial")
        if len(self.pairs) not in (0, len(self.dials)):
            raise ValueError(f"dials {self.title!r} name {len(self.pairs)} pairs for {len(self.dials)} dials")
        if any((dial.key is None) == (self.hands is not None) for dial in self.dials):
            raise ValueError(f"dials {self.title!r} have two hands without names, or names for hands that aren't there")
        for dial in self.dials:
            angles = [dial.angle, dial.angle if dial.key is None else dial.key, *dial.trail]
            require_finite(np.array(angles, dtype=np.float32), f"dial {dial.label!r}")

    @property
    def legend(self) -> tuple[str, str] | None:
        """The legend's names of the two kinds of line in every dial."""
        return self.hands or self.coordinates

    @property
    def shown_pairs(self) -> tuple[int, ...]:
        """The index of each dial's pair."""
        return self.pairs or tuple(range(len(self.dials)))

    def pointer(self, x: float, y: float) -> Pointer:
        """Return a pointer to the dial with index x; y is ignored, since only the renderer arranges dials in rows."""
        at = round(x)
        return Pointer((("pair", self.shown_pairs[at]),)) if 0 <= at < len(self.dials) else NOWHERE

    def read(self, x: float, y: float) -> str:
        """Describe the dial with index x; empty if it doesn't exist."""
        if not 0 <= round(x) < len(self.dials):
            return ""
        dial = self.dials[round(x)]
        between = "" if dial.key is None else " between"
        return f"{dial.label} · {self.quantity}{between} {dial.reading}"
