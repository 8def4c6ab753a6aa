"""Ranges of numbers, and the quantization of numbers to colour steps."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

Values = npt.NDArray[np.float32]
Mask = npt.NDArray[np.bool_]

_MANY = 32  # rows and columns from which on colours end before the largest number
_PERCENTILE = 0.995
_LEAST_END = 0.01  # share of the largest number


def shares(
    values: float | npt.NDArray[np.floating[Any]], low: float, high: float, log: bool = False
) -> npt.NDArray[np.floating[Any]]:
    """Scale values from 0 at `low` to 1 at `high`, logarithmically if `log`; values outside are clipped."""
    if log:
        values, low, high = np.log(np.maximum(values, low)), math.log(low), math.log(high)
    return np.asarray(np.clip((values - low) / (high - low), 0, 1))


def steps(found: npt.NDArray[np.floating[Any]]) -> npt.NDArray[np.uint8]:
    """Quantize shares to 256 colour steps: 0 at `low`, 255 at `high`."""
    nearest: npt.NDArray[np.uint8] = np.rint(found * 255).astype(np.uint8)
    return nearest


def symmetric_range(*arrays: Values) -> tuple[float, float]:
    """Return the smallest range centred on zero that contains every value; (−1, 1) if all are zero."""
    largest = max((float(np.abs(array).max()) for array in arrays if array.size), default=0.0)
    return (-largest, largest) if largest > 0 else (-1.0, 1.0)


def end_of_colours(shape: tuple[int, ...], *arrays: Values) -> float:
    """Return where the colours of maps of this shape, (rows, columns), end: their largest number, or, from 32 rows and
    columns on, the 99.5th percentile of their absolute values, so that a few large numbers don't make all others pale.
    `arrays` hold the numbers that count. Percentiles below a hundredth of the largest number would only show rounding."""
    sizes = np.concatenate([np.abs(array).ravel() for array in arrays] or [np.zeros(0, np.float32)])
    largest = float(sizes.max(initial=0.0))
    if not end_before_largest(shape) or not sizes.size:
        return largest
    return max(float(np.quantile(sizes, _PERCENTILE, method="higher")), _LEAST_END * largest)


def end_before_largest(shape: tuple[int, ...]) -> bool:
    """True if the colours of maps of this shape, (rows, columns), end before their largest number."""
    return min(shape) >= _MANY


def require_finite(values: npt.NDArray[np.floating[Any]], what: str) -> None:
    if not np.isfinite(values).all():
        raise ValueError(f"{what} holds a value that is not finite")


def require_range(low: float, high: float, what: str, log: bool = False) -> None:
    if not (np.isfinite(low) and np.isfinite(high) and low < high):
        raise ValueError(f"{what} needs a finite range with low < high, not {low} to {high}")
    if log and low <= 0:
        raise ValueError(f"{what} needs a range above 0 for its logarithmic scale, not {low} to {high}")
