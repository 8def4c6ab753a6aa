"""How fast pairs of dimensions turn, which of them are shown, and how that is said."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from posenc_gui.foundation.errors import Undefined
from posenc_gui.foundation.wording import format_rough, quote
from posenc_gui.scene.remedies import ROPE
from posenc_gui.scene.scene import Scene

_VISIBLE = 8  # an eighth of a turn is still seen as a wave
_USUAL_BASE = 10_000
_AXES = ("time step", "row", "column")  # of patches; an encoding with two axes has no time


@dataclass(frozen=True)
class Speeds:
    """The radians by which each pair turns from position to position, and what a position is called for each."""

    radians: tuple[float, ...]
    units: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.radians)

    def period(self, pair: int) -> float:
        """The positions in which a pair turns once; infinite for one that stands still."""
        return math.tau / self.radians[pair] if self.radians[pair] else math.inf

    def told(self, pair: int) -> str:
        """“6.3 words”, or “1 word”."""
        length = format_rough(self.period(pair))
        return f"{length} {self.units[pair]}{'' if length == '1' else 's'}"

    def reading(self, pair: int) -> str:
        """“6.3 words a turn”, or that the pair stands still."""
        return f"{self.told(pair)} a turn" if self.radians[pair] else "stands still"

    @property
    def order(self) -> list[int]:
        """The pairs, fastest to slowest."""
        return sorted(range(len(self)), key=lambda pair: -self.radians[pair])

    def some(self, most: int) -> tuple[int, ...]:
        """Return at most `most` pairs, fastest to slowest, spread evenly by wavelength; those that stand still come last."""
        turning = [pair for pair in self.order if self.radians[pair]]
        if len(turning) <= most:
            return tuple(self.order[:most])
        return evenly(turning, [math.log(self.period(pair)) for pair in turning], most)

    def seen_within(self, positions: int, most: int) -> tuple[int, ...]:
        """Return at most `most` pairs, fastest to slowest, spread evenly by wavelength over those that turn visibly within so
        many positions, were the base the usual one: so encodings of different bases show the same pairs. Where pairs aren't in
        the order of their speeds, they are spread over all."""
        if self.order != [*range(len(self))]:
            return self.some(most)
        last = int(len(self) * math.log(max(1.0, _VISIBLE * positions / math.tau)) / math.log(_USUAL_BASE))
        last = min(max(last, most - 1), len(self) - 1)
        ranks = dict.fromkeys(round(at * last / max(1, most - 1)) for at in range(most))
        return tuple(self.order[rank] for rank in ranks)


def evenly(items: Sequence[int], levels: Sequence[float], most: int) -> tuple[int, ...]:
    """Return the first, the last and others in order, `most` in all, whose rising levels are spread as evenly as can be."""
    low, high = levels[0], levels[-1]
    chosen, first = list[int](), 0
    for at in range(most):
        last = len(items) - (most - at)  # so that enough are left
        aim = low + at / max(1, most - 1) * (high - low)
        near = min(range(first, last + 1), key=lambda index: abs(levels[index] - aim))
        chosen.append(items[near])
        first = near + 1
    return tuple(chosen)


def phases_of(scene: Scene, positions: Tensor) -> Tensor:
    """Return each pair's angle at the positions of tokens, (n, pairs), unreduced. Raises Undefined without angles."""
    phases = scene.encoding.phases(scene.at(positions), scene.model.d_model, scene.context)
    if phases is None:
        raise Undefined(
            f"{quote(scene.encoding.called)} has no angles and no hands: it turns no pairs of dimensions and adds no waves.",
            ROPE,
        )
    return phases


def speeds_of(scene: Scene) -> Speeds:
    """Return how fast pairs turn from position to position, each along its own axis. Raises Undefined without angles."""
    axes = scene.encoding.axes
    steps = torch.cat((torch.zeros(1, axes), torch.eye(axes))).double()
    if axes == 1:
        steps = steps[:, 0]
    phases = scene.encoding.phases(steps, scene.model.d_model, scene.context)
    if phases is None:
        phases = phases_of(scene, torch.zeros(1))  # which says why
    radians, along = (phases[1:] - phases[:1]).abs().max(dim=0)  # (pairs,)
    unit = "position" if scene.patches else scene.setup.unit
    names = _AXES[-axes:] if scene.places is not None else (unit,) * axes
    return Speeds(tuple(radians.tolist()), tuple(names[axis] for axis in along.tolist()))
