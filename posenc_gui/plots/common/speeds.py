"""How fast pairs of dimensions turn, which of them are shown, and how that is said."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import torch
from torch import Tensor

from posenc_gui.figure.runs import Run, number_run, sentence
from posenc_gui.foundation.errors import Undefined
from posenc_gui.foundation.wording import format_rough, quote
from posenc_gui.measures.frequencies import TRIED, turn_unevenly, why_no_pairs
from posenc_gui.plots.common.curves import spread
from posenc_gui.scene.remedies import ROPE
from posenc_gui.scene.scene import Scene

_VISIBLE = 8  # an eighth of a turn is still seen as a wave
_USUAL_BASE = 10_000


@dataclass(frozen=True)
class Speeds:
    """The radians by which each pair turns from position to position, and what a position is called for each."""

    radians: tuple[float, ...]
    units: tuple[str, ...]
    uneven: tuple[bool, ...] = ()  # True for a pair that turns faster here than there: then this is its fastest

    def __len__(self) -> int:
        return len(self.radians)

    def period(self, pair: int) -> float:
        """The positions in which a pair turns once; infinite for one that stands still."""
        return math.tau / self.radians[pair] if self.radians[pair] else math.inf

    def told(self, pair: int) -> str:
        """“6.3 words”, or “1 word”."""
        length = format_rough(self.period(pair))
        return f"{length} {self.units[pair]}{'' if length == '1' else 's'}"

    def sentence(self, named: Iterable[tuple[int, str]], verb: str) -> tuple[Run, ...]:
        """“Pair 0 repeats every 6.3 words, pair 3 every 200.”: of these pairs and their names the fastest and the slowest."""
        if any(self.uneven):
            return sentence("Not all pairs turn evenly: angles grow by other amounts from position to position.")
        turning = sorted((self.period(pair), name, pair) for pair, name in named if self.radians[pair])
        if not turning:
            return sentence("No pair shown turns: each is the same at every position.")
        (_, fast, first), (_, slow, last) = turning[0], turning[-1]
        every, other = self.every(first, last)
        then = () if self.told(first) == self.told(last) else (f", {slow} every ", other)
        return sentence(f"{fast[0].upper()}{fast[1:]} {verb} every ", every, *then, ".")

    def every(self, fast: int, slow: int) -> tuple[Run, Run]:
        """“6.3 words” and “200”: the positions in which two pairs turn once, both in words if they count different ones."""
        told = self.told(slow)
        rest = told.split()[0] if self.units[fast] == self.units[slow] else told
        return number_run(self.told(fast)), number_run(rest)

    def reading(self, pair: int) -> str:
        """“6.3 words a turn”, or that the pair stands still."""
        if not self.radians[pair]:
            return "stands still"
        return "turns unevenly" if any(self.uneven[pair : pair + 1]) else f"{self.told(pair)} a turn"

    @property
    def order(self) -> list[int]:
        """The pairs, fastest to slowest."""
        return sorted(range(len(self)), key=lambda pair: -self.radians[pair])

    def some(self, most: int) -> tuple[int, ...]:
        """Return at most `most` pairs, evenly from the fastest to the slowest; those that stand still come last."""
        turning = sum(map(bool, self.radians))
        return tuple(self.order[rank] for rank in spread(min(len(self), max(most, turning)), most))

    def seen_within(self, positions: int, most: int) -> tuple[int, ...]:
        """Return at most `most` pairs, evenly from the fastest to the slowest of those that turn visibly within so many
        positions, were the base the usual one: so encodings of different bases show the same pairs. Where pairs aren't in the
        order of their speeds, return some of all."""
        if self.order != [*range(len(self))]:
            return self.some(most)
        last = int(len(self) * math.log(max(1.0, _VISIBLE * positions / math.tau)) / math.log(_USUAL_BASE))
        return spread(min(max(last + 1, most), len(self)), most)


def phases_of(scene: Scene, positions: Tensor) -> Tensor:
    """Return each pair's angle at the positions of tokens, (n, pairs), unreduced. Raises Undefined without angles."""
    return _phases(scene, scene.at(positions))


def speeds_of(scene: Scene) -> Speeds:
    """Return how fast pairs turn from position to position, each along its own axis. Raises Undefined without angles."""
    uneven = turn_unevenly(scene.encoding, scene.model.d_model, scene.context)
    phases = _phases(scene, torch.arange(TRIED if any(uneven) else 2, dtype=torch.float64))
    steps = phases.diff(dim=0).abs().amax(0)  # (pairs,)
    unit = "position" if scene.patches else scene.setup.unit
    names = scene.encoding.axis_names(len(steps)) if scene.places is not None else (unit,) * len(steps)
    units = ("time step" if name == "time" else name for name in names)
    return Speeds(tuple(steps.tolist()), tuple(units), uneven)


def unturned(scene: Scene) -> str:
    """“pairs 32 to 95 aren’t turned”, where a rotation leaves some as they are; else empty."""
    pairs = [pair for pair, speed in enumerate(speeds_of(scene.at_full_strength).radians) if not speed]
    if scene.encoding.door != "rotation" or not pairs:
        return ""
    if len(pairs) == 1:
        return f"pair {pairs[0]} isn’t turned"
    which = f"pairs {pairs[0]} to {pairs[-1]}" if len(pairs) == pairs[-1] - pairs[0] + 1 else f"{len(pairs)} pairs"
    return f"{which} aren’t turned"


def _phases(scene: Scene, coordinates: Tensor) -> Tensor:
    phases = scene.encoding.phases(coordinates, scene.model.d_model, scene.context)
    if phases is None:
        why = why_no_pairs(scene.encoding)
        raise Undefined(f"{quote(scene.encoding.titled)} has no angles and no hands: {why}.", ROPE)
    return phases
