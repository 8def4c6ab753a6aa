"""Labels along axes and lines: round numbers, labels thinned out, moved apart or on several lines, the names at curves' ends."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Sequence

from posenc_gui.foundation.wording import typeset_number
from posenc_gui.render.layout.text_fit import Measure, longest, wrapped

Ticks = list[tuple[float, str]]  # value and text of each tick

UNSAID = "value"  # the quantity of numbers that no axis or colour bar is named after, since it says nothing

_SLACK = 1e-9  # relative tolerance: rounding may put a tick slightly beyond an end of the range
_FEW_DECADES = 3  # with fewer decades, powers of ten alone give too few ticks
_BETWEEN = (1, 2, 5), (1, 3)  # multiples within a decade, as many as have room
_CLOSER = 1.25  # factor by which they fit more densely than powers of ten
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_ROUNDING = 1e-6  # tolerance, relative to the space a label needs, for rounding errors
_OF_CURVES, _OF_A_WORD = 0.34, 0.5  # of the breadth of curves with their names: the names, and a long word of them
_MOST_NAME_LINES = 2


def ticks(low: float, high: float, most: int, log: bool = False, whole: bool = False) -> Ticks:
    """About `most` round numbers from `low` to `high`; `log`: powers of ten, if there are at least two."""
    if log:
        powers = log_ticks(low, high, most)
        if len(powers) > 1:
            return list(zip(powers, log_tick_texts(powers), strict=True))
    found = round_ticks(low, high, most, whole)
    return list(zip(found, tick_texts(found), strict=True))


def ticks_that_fit(
    low: float, high: float, most: int, room: float, air: float, measure: Measure, whole: bool = False
) -> Ticks:
    """As many round numbers as have room side by side, `air` apart; one if no two have."""
    for fewer in range(most, 0, -1):
        found = ticks(low, high, fewer, whole=whole)
        width = longest((text for _, text in found), measure) + air
        if all((after - at) / (high - low) * room >= width for (at, _), (after, _) in itertools.pairwise(found)):
            return found
    return found[:1]


def round_ticks(low: float, high: float, most: int, whole: bool = False) -> list[float]:
    """At most `most` + 1 evenly spaced round numbers from `low` to `high`, but at least two; `whole`: only integers."""
    whole = whole and math.floor(high) > math.ceil(low)
    found: list[float] = []
    for step in _steps_from((high - low) / most, whole):
        first, last = math.ceil(low / step - _SLACK), math.floor(high / step + _SLACK)
        found = [index * step for index in range(first, last + 1)]
        if len(found) > 1:
            break
    return found


def _steps_from(least: float, whole: bool) -> list[float]:
    """The smallest round step of at least `least`, then smaller ones for ranges with fewer than two ticks of it."""
    power = math.floor(math.log10(max(least, 1.0) if whole else least))
    # Parsed from text, since powers of 0.1 accumulate rounding.
    steps = [float(f"{factor}e{power + more}") for more in (-1, 0, 1) for factor in (1, 2, 2.5, 5)]
    steps = [step for step in steps if step.is_integer() or not whole]
    enough = next(at for at, step in enumerate(steps) if step >= least * (1 - _SLACK))
    return steps[enough::-1]


def round_steps() -> Iterator[int]:
    """1, 2, 5, 10, 20, 50 and so on."""
    return (factor * 10**power for power in range(30) for factor in (1, 2, 5))


def log_ticks(low: float, high: float, most: int) -> list[float]:
    """At most `most` powers of ten, every second or fifth if there are more; if few, their multiples by 2 and 5, or by 3."""
    decades = math.log10(high) - math.log10(low)
    for factors in _BETWEEN:
        if decades < _FEW_DECADES and len(factors) * decades <= _CLOSER * most:
            return _multiples(factors, 1, low, high)
    every = (_multiples((1,), step, low, high) for step in round_steps())
    return next(powers for powers in every if len(powers) <= most)


def _multiples(factors: Sequence[int], step: int, low: float, high: float) -> list[float]:
    """Multiples, by these factors, of every `step`-th power of ten from `low` to `high`."""
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    powers = [power for power in range(first, last + 1) if power % step == 0]
    found = [float(f"{factor}e{power}") for power in powers for factor in factors]
    return [tick for tick in found if low * (1 - _SLACK) <= tick <= high * (1 + _SLACK)]


def tick_texts(ticks: Sequence[float]) -> list[str]:
    """The ticks with as few digits as state them exactly."""
    if all(tick == round(tick) and abs(tick) < 1e7 for tick in ticks):
        return [typeset_number(f"{tick:z,.0f}") for tick in ticks]
    slack = 1e-3 * min((after - at for at, after in itertools.pairwise(ticks)), default=abs(ticks[0]))
    tried = ([f"{tick:.{digits}g}" for tick in ticks] for digits in range(2, 18))
    exact = (
        texts
        for texts in tried
        if all(abs(float(text) - tick) <= slack for text, tick in zip(texts, ticks, strict=True))
    )
    return list(map(typeset_number, next(exact, map(str, ticks))))


def log_tick_texts(ticks: Sequence[float]) -> list[str]:
    """The ticks as plain numbers if all of them are short, else as powers of ten."""
    if ticks[0] >= 1e-3 and ticks[-1] < 1e5:
        return [f"{tick:,.9g}" for tick in ticks]
    return [_power(*f"{tick:.0e}".split("e")) for tick in ticks]


def _power(factor: str, exponent: str) -> str:
    power = f"10{str(int(exponent)).translate(_RAISED)}"
    return power if factor == "1" else f"{factor}·{power}"


def thinned(
    coordinates: range,
    pitch: float,
    need: float,
    first: Iterable[int] = (),
    place: Callable[[int], float] | None = None,
) -> list[int]:
    """The coordinates, `pitch` apart, whose labels have the room that they `need`.

    Where labels are thinned, round coordinates stay; those in `first` take precedence. `place` gives the middle of a label
    that isn't at its coordinate, such as one kept from reaching over an end.
    """
    step = next(step for step in round_steps() if step * pitch >= need * (1 - _ROUNDING))
    begun = coordinates.start + -coordinates.start % step
    at = place or (lambda coordinate: coordinate * pitch)
    shown: dict[int, float] = {}

    def has_room(here: float, others: Iterable[float]) -> bool:
        return all(abs(here - other) >= need * (1 - _ROUNDING) for other in others)

    for coordinate in first:
        if coordinate in coordinates and has_room(at(coordinate), shown.values()):
            shown[coordinate] = at(coordinate)
    others, before = tuple(shown.values()), -math.inf
    for coordinate in range(begun, coordinates.stop, step):  # in order, so the previous label is the nearest
        here = at(coordinate)
        if has_room(here, (before, *others)):
            shown[coordinate] = before = here
    return sorted(shown)


def apart(wanted: Sequence[float], pitch: float, low: float, high: float) -> list[float]:
    """Return positions at least `pitch` apart between `low` and `high`, as near to the wanted ones as possible (least
    squares). If they don't all fit, the last ones are beyond `high`."""
    order = sorted(range(len(wanted)), key=wanted.__getitem__)
    # Isotonic regression: with the pitches subtracted, positions only have to rise; falling ones are replaced by their mean.
    blocks: list[tuple[float, int]] = []
    for rank, index in enumerate(order):
        mean, count = wanted[index] - rank * pitch, 1
        while blocks and blocks[-1][0] >= mean:
            before, more = blocks.pop()
            mean, count = (before * more + mean * count) / (more + count), more + count
        blocks.append((mean, count))
    highest = max(low, high - (len(wanted) - 1) * pitch)
    levels = (min(max(mean, low), highest) for mean, count in blocks for _ in range(count))
    places = [0.0] * len(wanted)
    for rank, (index, level) in enumerate(zip(order, levels, strict=True)):
        places[index] = level + rank * pitch
    return places


def every(count: int, pitch: float, room: float) -> range:
    """Return the indices of the labels, each `pitch` high, that fit: all, or every second, third and so on."""
    return range(0, count, max(1, math.ceil(count / max(1, int(room / pitch)))))


def beside_line(x: float, width: float, end: float, air: float) -> tuple[float, float]:
    """Return the span of a label at the right of an upright line, or at its left where it would reach over the `end`."""
    start = x + air if x + air + width <= end else x - air - width
    return start, start + width


def levels(spans: Sequence[tuple[float, float]], most: int, gap: float) -> list[int | None]:
    """Assign each span, (start, end) from left to right, to the first of `most` text lines on which it fits, or None."""
    ends, found = [-math.inf] * most, list[int | None]()
    for start, end in spans:
        level = next((level for level, taken in enumerate(ends) if taken + gap <= start), None)
        if level is not None:
            ends[level] = end
        found.append(level)
    return found


def name_lines(name: str, breadth: float, measure: Measure) -> list[str]:
    """A curve's name on one line, or on two where it would take more than its share of the breadth."""
    room = max(_OF_CURVES * breadth, min(longest(name.split(), measure), _OF_A_WORD * breadth))
    return wrapped(name, room, _MOST_NAME_LINES, measure)
