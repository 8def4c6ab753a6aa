"""One linear map per offset k: does the same matrix turn p_m into p_(m+k) at every position m?"""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import dataclass

import torch
from pydantic import Field
from torch import Tensor

from posenc_gui.attention.engine import Engine
from posenc_gui.attention.layer import context_of
from posenc_gui.encodings.base import Door, Encoding
from posenc_gui.foundation import random_streams
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.foundation.errors import Undefined
from posenc_gui.foundation.wording import format_number, join_words
from posenc_gui.measures.base import (
    MOST_POSITIONS,
    Measure,
    Measurement,
    Place,
    coordinates,
    is_rounding,
    n_judged,
    require_variety,
    signatures,
    under,
    within_reach,
)
from posenc_gui.scene.scene import Scene

FITS = 1e-3  # a map predicts up to this error: over a short range slow waves are nearly constant, which costs digits
WIDEST_MAP = 256  # the largest number of dimensions for which the matrix itself is kept
_SPREAD = 65_536  # fitting positions are drawn from this many positions, so that slow waves turn as well
_CONSTANT = 1e-9  # relative tolerance: values that vary by less are constant up to rounding
_CUT_OFF = 1e-9  # singular values below this fraction of the largest contain only rounding errors
_FAR_APART = 1e6  # times as large: columns are fitted at one size from here on
_SEEN, _JUDGED = slice(0, None, 2), slice(1, None, 2)  # positions for fitting, and for judging the fit
_EVERY = slice(None)


_SHIFTED: dict[Door, str] = {
    "none": "anything",
    "input": "the vector at m + k",
    "rotation": "the cosines and sines at m + k",
    "score": "what is added at the offset m + k",
}


class LinearShiftOptions(Frozen):
    """The offset whose map is kept."""

    offset: int = Field(
        1, ge=0, le=1024, title="Offset k", description="The map from each position to the one k further."
    )


@dataclass(frozen=True, eq=False)
class LinearShift(Measurement):
    """The errors of predicting p_(m+k) from p_m by one matrix for each offset k.

    `offsets` (n,) are k = 1, 2, 4, …, except those for which p_(m+k) is the same for all judged m. `residuals` (n,) are
    the errors at positions that the fit did not use, in standard deviations of the predicted vectors: 0 is exact, 1 is
    no better than the mean. `sine_alone` and `cosine_alone` are the errors if only the sines or only the cosines are
    used, or None without angles. `matrix` (width, width) is M_k for the requested offset, with row vectors p_(m+k) =
    p_m M_k; it is None if it would be too large or if no position has that offset. `value` is the largest residual.
    """

    offsets: Tensor
    residuals: Tensor
    sine_alone: Tensor | None
    cosine_alone: Tensor | None
    matrix: Tensor | None

    def place(self, field: str, at: tuple[int, ...] = ()) -> Place:
        """Return the offset of one error; of the largest one, too."""
        match field, at:
            case (("residuals" | "sine_alone" | "cosine_alone"), (index,)):
                return (("offset", int(self.offsets[index])),)
            case "value", ():
                return (("offset", int(self.offsets[int(self.residuals.argmax())])),)
        return ()


def verdict_on(encoding: Encoding, error: float) -> str:
    """Return whether one matrix per offset predicts, given its largest error, as the beginning of a sentence."""
    predicts = f"predicts {_SHIFTED[encoding.door]}"
    return f"{under(encoding)} one matrix per offset {predicts if error <= FITS else 'fails where it was not fitted'}"


def take(scene: Scene, options: LinearShiftOptions, engine: Engine) -> LinearShift:
    """Fit by least squares at every second position and judge at those between; skip offsets that leave nothing to
    judge.

    Source: Vaswani et al. 2017, section 3.5: PE_(pos+k) is a linear function of PE_pos, a rotation of each pair of
    waves.
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
    value = float(residuals.max())
    worst = int(offsets[int(residuals.argmax())])
    worse = ", worse than the mean" if value > 1 else ""
    error = (
        "no error but rounding" if is_rounding(value) else f"an error of {format_number(value)} at k = {worst}{worse}"
    )
    reason = f"{verdict_on(scene.encoding, value)}: {error}"
    if sine is not None and cosine is not None:
        reason += (
            f"; with sines alone {format_number(float(sine.max()))}, with cosines alone "
            f"{format_number(float(cosine.max()))}"
        )
    matrix = None
    with suppress(Undefined):  # it is fitted farther out, where a typed formula may have no value
        matrix = _matrix(scene, options.offset, engine) if marks.shape[1] <= WIDEST_MAP else None
    reason += ", in standard deviations"
    if still := sorted(set(_powers(len(marks))) - set(offsets.tolist())):
        reason += f"; at k = {join_words(map(str, still))} that is the same for all m that are judged"
    return LinearShift(value, f"{reason}.", offsets, residuals, sine, cosine, matrix)


@dataclass(frozen=True)
class Maps:
    """The errors of affine maps that predict p_(m+k) from p_m, each the largest over all offsets.

    `alone` and `elsewhere` are at positions that the fit did not use: without and with a constant. `longer` is the
    error there in a sequence twice as long. `known` is the error of maps fitted on all positions
    of a limited encoding; it is infinite if there is no limit, if there are too many, or if `elsewhere` is as small as `FITS`.
    """

    alone: float
    elsewhere: float
    longer: float
    known: float


def maps(scene: Scene, engine: Engine) -> Maps:
    """Compute the errors of affine maps. Raises Undefined as `take` does."""
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
    """Return the offsets k = 1, 2, 4, … up to a quarter of `count` positions."""
    return [2**power for power in range(11) if 2**power <= count // 4]


def _offsets(marks: Tensor) -> Tensor:
    """Return the offsets k for which the predicted vectors aren't the same at all judged m. Raises Undefined if none."""
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
    """Return the standard deviation over rows, (n, width), as the root of the columns' summed variances."""
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
    """Return one error per offset. All maps are fitted at once, since they start from the same positions. They are fitted to
    `marks` and judged on `others` (by default the same), with a constant column unless `constant` is 0."""
    engine.check_stop()
    others = marks if others is None else others
    count = len(marks) - _powers(len(marks))[-1]
    sizes = _sizes(marks[:count])
    start, where = (torch.nn.functional.pad(one[:count] / sizes, (0, 1), value=constant) for one in (marks, others))
    # p_m M with M = (seen p)⁺ (seen p_(m+k)): the first two factors are the same for every k.
    weights = where[judged] @ _inverse(start[seen])
    found = []
    for offset in offsets.tolist():
        engine.check_stop()
        fitted, wanted = marks[offset : offset + count][seen], others[offset : offset + count][judged]
        error = (weights @ fitted - wanted).pow(2).sum(-1).mean(-1).sqrt()
        found.append(error / _spread(wanted))
    return torch.stack(found)


def _sizes(marks: Tensor) -> Tensor:
    """Return what columns are divided by before a fit, (width,): 1, or their largest values where these, or a constant, differ
    so much that the smallest would be cut off with the rounding errors."""
    largest = marks.abs().amax(0)
    sizes = torch.where(largest == 0, 1.0, largest)
    is_far = max(1.0, float(sizes.max())) > _FAR_APART * min(1.0, float(sizes.min()))
    return sizes if is_far else torch.ones_like(sizes)


def _inverse(matrix: Tensor) -> Tensor:
    """Return the pseudoinverse, of a wide matrix from the square factor of Aᵀ = Q R: singular values are the same."""
    if len(matrix) >= matrix.shape[1]:
        return torch.linalg.pinv(matrix, rtol=_CUT_OFF)  # type: ignore[no-any-return]
    q, r = torch.linalg.qr(matrix.T)
    inverse: Tensor = q @ torch.linalg.pinv(r.T, rtol=_CUT_OFF)
    return inverse


def _matrix(scene: Scene, offset: int, engine: Engine) -> Tensor | None:
    """Return M_k, fitted on positions so far apart that slow waves turn between them, or of a few on the first."""
    encoding, model = scene.encoding, scene.model
    limit = encoding.length_limit(model.d_model)
    reach = within_reach(encoding, _SPREAD if limit is None else limit) - offset
    if reach < 1:
        return None
    count = min(reach, 4 * max(model.d_model, model.head_width))
    at = torch.linspace(0, reach - 1, count, dtype=torch.float64)
    if reach > count:  # positions are jittered so that no wave has the same phase at every step
        at = at + random_streams.normal(0, "positions", shape=(count,)) * reach / count
    at = at.round().clamp(0, reach - 1)
    length = int(at.max()) + offset + 1
    before, after = (signatures(scene, places, engine, length) for places in (at, at + offset))
    sizes = before.abs().amax(1, keepdim=True).clamp(min=1.0)  # (n, 1): so xPos's largest don't dominate
    return _inverse(before / sizes) @ (after / sizes)


MEASURE = Measure(
    "One map per offset",
    "Does one matrix for each offset shift every position?",
    LinearShiftOptions,
    take,
    are_differences=True,
)
