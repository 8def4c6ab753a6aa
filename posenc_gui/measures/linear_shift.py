"""One linear map per offset: can p_(m+k) be had from p_m by the same matrix at every position m?"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from pydantic import Field
from torch import Tensor

from posenc_gui.attention.engine import Engine
from posenc_gui.attention.layer import context_of
from posenc_gui.encodings.base import Door
from posenc_gui.figure.figure import number
from posenc_gui.foundation import random_streams as seeded
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.foundation.errors import Undefined
from posenc_gui.measures.base import (
    MOST_POSITIONS,
    Measure,
    Measurement,
    coordinates,
    n_judged,
    require_variety,
    signatures,
    under,
    within_reach,
)
from posenc_gui.scene.scene import Scene

FITS = 1e-3  # a residual below this is the fit's own rounding: slow waves are nearly constant over a short range
WIDEST_MAP = 256  # dimensions up to which the map itself is kept
_SPREAD = 65_536  # positions from which those that the map is fitted on are drawn: its slow waves turn there too
_CONSTANT = 1e-9  # of its size: what varies by less is the same everywhere but for rounding
_CUT_OFF = 1e-9  # singular values below this part of the largest carry only rounding
_SEEN, _JUDGED = slice(0, None, 2), slice(1, None, 2)  # positions that a map is fitted on, and those it is judged at
_EVERY = slice(None)


SHIFTED: dict[Door, str] = {
    "none": "anything",
    "input": "p_(m+k)",
    "rotation": "the cosines and sines at m + k",
    "score": "what is added at the offset m + k",
}


UNFIT = "one matrix per offset fails where it was not fitted: the error is"


class LinearShiftOptions(Frozen):
    """Which map is kept."""

    offset: int = Field(
        1, ge=0, le=1024, title="Offset k", description="The map from each position to the one k further."
    )


@dataclass(frozen=True, eq=False)
class LinearShift(Measurement):
    """How well one matrix for each offset k predicts p_(m+k) from p_m.

    `offsets` (n,) are k = 1, 2, 4, …, but for those at which p_(m+k) is the same for all m that are judged; `residuals`
    (n,) the error at positions that the fit did not see, in standard deviations of what is predicted: 0 is exact, 1 no
    better than the mean. `sine_alone` and `cosine_alone` are those of half the encoding, sin or cos of its angles, None
    where it has none. `matrix` (width, width) is M_k of the offset asked for, row vectors p_(m+k) = p_m M_k; None where it
    would be too large or no position is so far off. `value` is the largest residual.
    """

    offsets: Tensor
    residuals: Tensor
    sine_alone: Tensor | None
    cosine_alone: Tensor | None
    matrix: Tensor | None


def take(scene: Scene, options: LinearShiftOptions, engine: Engine) -> LinearShift:
    """Least squares at every second position, judged at those between; nothing is fitted where nothing is left to judge.

    Vaswani et al. 2017, section 3.5: PE_(pos+k) is a linear function of PE_pos, a rotation of each pair of waves.
    """
    at = coordinates(scene, n_judged(scene))
    if scene.encoding.along == "offset":
        at = at[at >= 0]
    marks = signatures(scene, at, engine)
    require_variety(marks, scene.encoding.along)
    offsets = _offsets(marks)
    residuals = _residuals(marks, offsets, engine)
    phases = scene.encoding.phases(at, scene.model.d_model, context_of(len(at), scene.model))
    sine, cosine = (
        (None, None) if phases is None else (_residuals(wave, offsets, engine) for wave in (phases.sin(), phases.cos()))
    )
    what = SHIFTED[scene.encoding.door]
    value = float(residuals.max())
    worst = int(offsets[int(residuals.argmax())])
    if value <= FITS:
        reason = f"{under(scene.encoding)} one matrix per offset predicts {what}: the largest error is {number(value)}"
    else:
        worse = ", worse than the mean" if value > 1 else ""
        reason = f"{under(scene.encoding)} {UNFIT} {number(value)} at k = {worst}{worse}"
    if sine is not None and cosine is not None:
        reason += f"; with sines alone {number(float(sine.max()))}, with cosines alone {number(float(cosine.max()))}"
    matrix = _matrix(scene, options.offset, engine) if marks.shape[1] <= WIDEST_MAP else None
    reason += ", in standard deviations"
    if still := sorted(set(_powers(len(marks))) - set(offsets.tolist())):
        reason += f"; at k = {', '.join(map(str, still))} that is the same for all m that are judged"
    return LinearShift(value, f"{reason}.", offsets, residuals, sine, cosine, matrix)


@dataclass(frozen=True)
class Maps:
    """How well maps of a matrix and a constant predict p_(m+k) from p_m: the largest error of all offsets, as above.

    `alone` and `elsewhere` at positions that the fit did not see, of the matrix alone and with the constant; `longer` there
    in a sequence twice as long, `known` at those that it saw, which are all that the encoding has: infinite where they
    don't end, or are too many to take them all.
    """

    alone: float
    elsewhere: float
    longer: float
    known: float


def maps(scene: Scene, engine: Engine) -> Maps:
    """The errors of affine maps. Raises Undefined as `take` does."""
    at = coordinates(scene, n_judged(scene))
    marks, longer = (signatures(scene, at, engine, times * len(at)) for times in (1, 2))
    require_variety(marks, scene.encoding.along)
    offsets = _offsets(marks)
    alone = float(_residuals(marks, offsets, engine).max())
    elsewhere, beyond = (float(_residuals(marks, offsets, engine, other, 1.0).max()) for other in (marks, longer))
    known, limit = math.inf, scene.encoding.length_limit(scene.model.d_model)
    if limit is not None and limit <= MOST_POSITIONS and elsewhere > FITS:
        every = signatures(scene, coordinates(scene, limit), engine)
        known = float(_residuals(every, offsets, engine, every, 1.0, _EVERY, _EVERY).max())
    return Maps(alone, elsewhere, beyond, known)


def _powers(count: int) -> list[int]:
    """k = 1, 2, 4, … for so many positions, up to a quarter of them."""
    return [2**power for power in range(11) if 2**power <= count // 4]


def _offsets(marks: Tensor) -> Tensor:
    """Those k at which what is to be predicted isn't the same for all m that are judged."""
    powers = _powers(len(marks))
    if not powers:
        raise Undefined("There are too few positions to fit a map on some and judge it on others.")
    count = len(marks) - powers[-1]
    targets = {offset: marks[offset : offset + count][_JUDGED] for offset in powers}
    found = [k for k, wanted in targets.items() if float(_spread(wanted)) > _CONSTANT * float(wanted.abs().max())]
    if not found:
        raise Undefined("At every offset k what is to be predicted is the same for all m that are judged.")
    return torch.tensor(found)


def _spread(wanted: Tensor) -> Tensor:
    """The standard deviation over rows, (n, width), root of the sum over columns."""
    return (wanted - wanted.mean(0)).pow(2).sum(-1).mean(-1).sqrt()


def _residuals(
    marks: Tensor,
    offsets: Tensor,
    engine: Engine,
    others: Tensor | None = None,
    constant: float = 0.0,
    seen: slice = _SEEN,
    judged: slice = _JUDGED,
) -> Tensor:
    """One error for each offset; all maps start from the same positions, so that they are fitted at once.

    They are fitted to `marks` and judged at `others`, the same if none are given, with a constant where it isn't 0.
    """
    engine.check_stop()
    others = marks if others is None else others
    count = len(marks) - _powers(len(marks))[-1]
    start, where = (torch.nn.functional.pad(one[:count], (0, 1), value=constant) for one in (marks, others))
    # p_m M with M = (seen p)⁺ (seen p_(m+k)): the first two factors are the same for every k.
    weights = where[judged] @ _inverse(start[seen])
    found = []
    for offset in offsets.tolist():
        engine.check_stop()
        fitted, wanted = marks[offset : offset + count][seen], others[offset : offset + count][judged]
        error = (weights @ fitted - wanted).pow(2).sum(-1).mean(-1).sqrt()
        found.append(error / _spread(wanted))
    return torch.stack(found)


def _inverse(matrix: Tensor) -> Tensor:
    """The pseudoinverse; that of a wide matrix by the square factor of Aᵀ = Q R, whose singular values are the same."""
    if len(matrix) >= matrix.shape[1]:
        return torch.linalg.pinv(matrix, rtol=_CUT_OFF)  # type: ignore[no-any-return]
    q, r = torch.linalg.qr(matrix.T)
    inverse: Tensor = q @ torch.linalg.pinv(r.T, rtol=_CUT_OFF)
    return inverse


def _matrix(scene: Scene, offset: int, engine: Engine) -> Tensor | None:
    """M_k, fitted on positions spread so wide that also slow waves turn between them; on the first ones without room."""
    encoding, model = scene.encoding, scene.model
    limit = encoding.length_limit(model.d_model)
    reach = within_reach(encoding, _SPREAD if limit is None else limit) - offset
    if reach < 1:
        return None
    count = min(reach, 4 * max(model.d_model, model.head_width))
    at = torch.linspace(0, reach - 1, count, dtype=torch.float64)
    if reach > count:  # then nudged: no wave meets a random step twice
        at = at + seeded.normal(0, "positions", shape=(count,)) * reach / count
    at = at.round().clamp(0, reach - 1)
    length = int(at.max()) + offset + 1
    before, after = (signatures(scene, places, engine, length) for places in (at, at + offset))
    sizes = before.abs().amax(1, keepdim=True).clamp(min=1.0)  # (n, 1): far out xPos's would outweigh all others
    return _inverse(before / sizes) @ (after / sizes)


MEASURE = Measure(
    "One map per offset", "Does one matrix for each offset shift every position?", LinearShiftOptions, take
)
