"""Labels along an axis: which of them fit, and round numbers where there are no words."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from matplotlib.ticker import MaxNLocator

from posenc_gui.figure import Axis
from posenc_gui.render.paper.page import ACCENT, INK, TWIN
from posenc_gui.render.paper.words import elided, longest, width_of

_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True)
class LabelStyle:
    """How labels are written: their size, the longest that one may get, and whether they end with their coordinate."""

    size: float
    room: float
    numbered: bool

    @property
    def pitch(self) -> float:
        """From one line of labels to the next."""
        return self.size * 1.25


def widest_label(axis: Axis, count: int, style: LabelStyle) -> float:
    shown = range(axis.first, axis.first + count) if axis.labels else (axis.first, axis.first + count - 1)
    return longest((_label(axis, coordinate, style) for coordinate in shown), style.size)


def _label(axis: Axis, coordinate: int, style: LabelStyle) -> str:
    if not axis.labels:
        return str(coordinate).replace("-", "−")
    label = axis.labels[coordinate - axis.first]
    number = f" ({coordinate})" if style.numbered and label != str(coordinate) else ""
    return elided(label, style.room - width_of(number, style.size), style.size) + number


def thinned(axis: Axis, count: int, pitch: float, style: LabelStyle, need: float) -> tuple[tuple[int, str], ...]:
    """As many labels as have the room they need, at round coordinates; the one in focus always stays."""
    step = next(step for step in _round_steps() if step * pitch >= need)
    coordinates = range(axis.first, axis.first + count)
    shown = [coordinate for coordinate in coordinates if coordinate % step == 0]
    focus = axis.focus
    if focus is not None and focus in coordinates and focus not in shown:
        shown = sorted([focus, *(other for other in shown if abs(other - focus) * pitch >= need)])
    return tuple((coordinate, _label(axis, coordinate, style)) for coordinate in shown)


def _round_steps() -> Iterable[int]:
    return (factor * 10**power for power in range(30) for factor in (1, 2, 5))


def label_colour(axis: Axis, coordinate: int) -> str:
    if coordinate == axis.focus:
        return ACCENT
    return TWIN if coordinate in axis.twins else INK


def round_ticks(low: float, high: float, most: int, whole: bool = False) -> list[float]:
    ticks = MaxNLocator(most, steps=[1, 2, 2.5, 5, 10], integer=whole).tick_values(low, high)
    slack = (high - low) * 1e-9
    return [float(tick) for tick in ticks if low - slack <= tick <= high + slack]


def tick_texts(ticks: Sequence[float]) -> list[str]:
    """The ticks in as few digits as tell them apart."""
    if all(tick == round(tick) and abs(tick) < 1e7 for tick in ticks):
        return [f"{tick:z.0f}".replace("-", "−") for tick in ticks]
    tried = ([f"{tick:.{digits}g}".replace("-", "−") for tick in ticks] for digits in range(2, 18))
    return next((texts for texts in tried if len(set(texts)) == len(ticks)), [str(tick) for tick in ticks])


def log_ticks(low: float, high: float, most: int) -> list[float]:
    """Powers of ten, every second or fifth where they are more than `most`; with 2 and 5 where those have room."""
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    factors = (1, 2, 5) if 3 * (math.log10(high) - math.log10(low)) <= most else (1,)
    step = next(step for step in _round_steps() if step * most > last - first)
    powers = [power for power in range(first, last + 1) if power % step == 0]
    # Read from text, since a power of 0.1 wouldn't be the number that is meant.
    ticks = [float(f"{factor}e{power}") for power in powers for factor in factors]
    return [tick for tick in ticks if low * (1 - 1e-9) <= tick <= high * (1 + 1e-9)]


def log_tick_texts(ticks: Sequence[float]) -> list[str]:
    """The ticks as plain numbers where all of them are short, else as powers of ten."""
    if ticks[0] >= 1e-3 and ticks[-1] < 1e5:
        return [f"{tick:.9g}" for tick in ticks]
    return [_power(*f"{tick:.0e}".split("e")) for tick in ticks]


def _power(factor: str, exponent: str) -> str:
    power = f"10{str(int(exponent)).translate(_RAISED)}"
    return power if factor == "1" else f"{factor}·{power}"
