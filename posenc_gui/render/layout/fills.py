"""The areas between a reference curve and the curve compared with it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from posenc_gui.figure.panels import Lines
from posenc_gui.foundation.contrast import mixed
from posenc_gui.foundation.theme import Roles

Numbers = npt.NDArray[np.float64]

_THIN = 0.45  # opacity of the colour over the background


@dataclass(frozen=True, eq=False)
class Fill:
    """A filled area: along `x` from `start`, the reference curve, to `end`, both in the panel's values."""

    x: Numbers
    start: Numbers
    end: Numbers
    colour: str


def fills(panel: Lines, roles: Roles) -> tuple[Fill, ...]:
    """The areas where a curve is above and below its reference, in the colours of a diverging scale; none unless `filled`."""
    if not panel.filled:
        return ()
    (before,) = (one for one in panel.series if one.before)
    (now,) = (one for one in panel.series if not one.before)
    x = np.union1d(before.x, now.x).astype(np.float64)
    start, end = (np.interp(x, one.x, one.y) for one in (before, now))
    shared = (x >= max(before.x[0], now.x[0])) & (x <= min(before.x[-1], now.x[-1]))
    x, start, end = x[shared], start[shared], end[shared]
    _, less, _, more, _ = (mixed(colour, roles.card, _THIN) for colour in roles.diverging)
    return (Fill(x, start, np.maximum(start, end), more), Fill(x, start, np.minimum(start, end), less))
