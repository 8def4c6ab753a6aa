"""How fast each column of some numbers turns, and from which position on, measured without knowing whose numbers they are."""

from __future__ import annotations

import math

import torch
from torch import Tensor

_FARTHEST = 2**17  # the last position from which rows may begin
_COLUMNS = 12  # by which a beginning is sought
_LEFT = 0.02  # of a wave's size: what differs from it by more is none
_ENOUGH_ROWS = 6  # to tell a wave, of three unknowns
WAVES = ("table", "cosines", "sines", "waves")  # kinds whose columns are
_NEARER = 1e-4  # by which a start counts less that has ten times the distance
_SURE = 4.0  # times what rounding explains: less is not told


def wave_rates(columns: Tensor, noise: float) -> tuple[Tensor, Tensor]:
    """Return each column's angle a position, and what it is off by at most, both (c,), of sines or cosines (n, c) in any order:
    c(m + k) + c(m − k) = 2 cos(k ω) c(m). noise: what a number is off by. NaN where too slow for it, or not a wave."""

    def cosines(lag: int) -> tuple[Tensor, Tensor]:
        middle, ends = columns[lag:-lag], columns[2 * lag :] + columns[: -2 * lag]
        power = middle.square().sum(0).clamp(min=1e-30)
        cosine = (ends * middle).sum(0) / (2 * power)
        left = (ends - 2 * cosine * middle).square().sum(0) / power
        waves = left.sqrt() < _LEFT + 4 * noise * (len(middle) / power).sqrt()
        return torch.where(waves, cosine, math.nan), noise / power.sqrt() + noise**2 * len(middle) / power

    return _by_lags(lambda lag: cosines(lag), len(columns), columns.shape[1], (1, 2))


def turn_rates(turns: Tensor, noise: float) -> tuple[Tensor, Tensor]:
    """Return the same of complex numbers (n, c), each of which turns: z(m + k) = z(m) e^(i k ω)."""

    def cosines(lag: int) -> tuple[Tensor, Tensor]:
        turned = (turns[lag:] * turns[:-lag].conj()).sum(0)
        power = turns.abs().square().sum(0).clamp(min=1e-30)
        return (turned / turned.abs().clamp(min=1e-30)).real, noise / power.sqrt()

    return _by_lags(cosines, len(turns), turns.shape[1], (1, 1))


def _by_lags(cosines, rows: int, count: int, span: tuple[int, int]) -> tuple[Tensor, Tensor]:  # type: ignore[no-untyped-def]
    """Return rates and errors by longer and longer lags: each tells slower columns, and faster ones more exactly."""
    rates, errors = torch.full((2, count), math.nan, dtype=torch.float64)
    lag = 1
    while rows > span[1] * lag:
        cosine, error = cosines(lag)
        angle = cosine.clamp(-1, 1).acos()
        told = (1 - cosine.abs() > _SURE * error) & (cosine.abs() <= 1 + error)
        near = torch.where(rates.isnan(), 0.0, rates * lag)
        turns = ((near - angle) / (2 * math.pi)).round(), ((near + angle) / (2 * math.pi)).round()
        up, down = 2 * math.pi * turns[0] + angle, 2 * math.pi * turns[1] - angle
        unwrapped = torch.where((up - near).abs() <= (down - near).abs(), up, down) / lag
        off = error / (angle.sin().clamp(min=1e-9) * lag)
        better = told & torch.where(rates.isnan(), True, (errors * lag < 0.3) & (off < errors))
        better &= (rates.isnan() & (lag == 1)) | (rates.isnan() & (angle < 1.6)) | ~rates.isnan()
        rates, errors = torch.where(better, unwrapped.abs(), rates), torch.where(better, off, errors)
        lag *= 2
    return rates, errors


def turning(columns: Tensor, steps: Tensor, rates: Tensor) -> Tensor:
    """Return the share of columns (n, c) that are waves of these rates, of enough rows to tell that: those of which little is
    left beside a cosine and a sine."""
    angles = steps[:, None] * rates.repeat_interleave(columns.shape[1] // len(rates)).nan_to_num()  # (n, c)
    waves = torch.stack((angles.cos(), angles.sin()), -1).movedim(1, 0)  # (c, n, 2)
    left = columns.T[..., None] - waves @ torch.linalg.pinv(waves) @ columns.T[..., None]
    is_wave = left.square().sum((1, 2)) < _LEFT**2 * columns.square().sum(0)
    share: Tensor = (is_wave & (len(columns) >= _ENOUGH_ROWS)).double().mean()
    return share


def likely_starts(columns: Tensor, rates: Tensor, errors: Tensor, count: int = 4) -> list[int]:
    """Return the positions from which sines or cosines (n, c) most likely begin, by the phases of their first two rows; complex
    numbers as two columns for each rate."""
    each = columns.shape[1] // len(rates)
    rates, errors = rates.repeat_interleave(each), errors.repeat_interleave(each)
    if len(columns) < 2 or not (known := rates.isfinite() & (errors < 0.01)).any():
        return []
    chosen = known.nonzero()[:, 0][errors[known].argsort()[:_COLUMNS]]
    rate, first, second = rates[chosen], columns[0, chosen], columns[1, chosen]
    phase = torch.atan2((first * rate.cos() - second) / rate.sin(), first)
    starts = torch.arange(min(_FARTHEST, int(0.5 / float(errors[chosen].min())) + 2), dtype=torch.float64)
    gap = phase - starts[:, None] * rate  # (starts, columns)
    alike = torch.maximum(gap.cos(), -gap.sin())  # a cosine's, or a sine's
    weight = (starts[:, None] * errors[chosen] < 0.5).double()
    likely = (alike * weight).sum(1) / weight.sum(1).clamp(min=1) - _NEARER * (1 + starts).log10()
    return [int(start) for start in likely.topk(min(count, len(starts)))[1]]
