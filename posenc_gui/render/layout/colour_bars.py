"""Colour bars for every output: the scales that maps share, and the labels along a bar.

A bar ends in a tip where maps hold numbers beyond its colours; the largest of them stands at the tip.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from posenc_gui.figure.panels import Heatmap, Panel, Scale
from posenc_gui.figure.ranges import Values, end_before_largest, shares
from posenc_gui.foundation.wording import format_number
from posenc_gui.render.layout.label_placement import UNSAID, Ticks, ticks
from posenc_gui.render.layout.text_fit import elided, longest, on_two_lines, visible
from posenc_gui.render.layout.type_sizes import Face, Style

TIP = 0.7  # the length of a tip, in breadths of the bar
_LEAST_APART = 0.6  # share of the tick spacing: no tick is nearer than this to the bar's end
_MOST_DIGITS = 4  # that tell the end of the colours and the number beyond it apart
_MOST_TICKS = 6  # numbers beside an upright bar

# Lengths in lines of text.
_UPRIGHT_APART, _LEVEL_APART = 2.5, 5.0  # from number to number
_AIR, _NAME_AIR = 0.4, 0.75  # between numbers side by side, and beside the name
_BESIDE_TIP = 0.5  # from the colours' end to the number at a level tip
_ABOVE_TIP = 1.2  # the room of the number at an upright tip
_LEAST_WITH_ENDS = 7.0  # the height of an upright bar with words at both ends
_MOST_TIPS = 0.4  # of the bar's length


@dataclass(frozen=True)
class Bar:
    """A colour bar: its name and its range from `low` to `high`.

    `below` and `above` are the least and the largest number of its maps where they lie beyond its ends, whose colour they
    have; `ends` is what numbers at its lower and upper end mean, which then replaces its name. `may_end_before`: its maps are so
    large that numbers beyond it may come.
    """

    name: str
    low: float
    high: float
    log: bool
    below: float | None = None
    above: float | None = None
    ends: tuple[str, str] | None = None
    may_end_before: bool = False

    def ticks(self, most: int) -> Ticks:
        """About `most` round numbers, and the ends beyond which maps hold numbers."""
        found = ticks(self.low, self.high, most, self.log)
        for end, beyond in ((self.low, self.below), (self.high, self.above)):
            if beyond is not None:
                found = [
                    (at, text) for at, text in found if abs(self.share(at) - self.share(end)) > _LEAST_APART / most
                ]
                found.append((end, _told_apart(end, beyond)[0]))
        return sorted(found)

    @property
    def beyond(self) -> tuple[str, str]:
        """The texts at the lower and the upper tip, as "to 0.98"; empty without a tip."""
        both = ((self.low, self.below), (self.high, self.above))
        low, high = ("" if beyond is None else f"to {_told_apart(end, beyond)[1]}" for end, beyond in both)
        return low, high

    def share(self, number: float) -> float:
        """The place of a number along the colours, from 0 to 1."""
        return float(shares(number, self.low, self.high, self.log))


def _told_apart(end: float, beyond: float) -> tuple[str, str]:
    """The end of the colours and the number beyond it, in as few digits as tell them apart, at least two."""
    tried = (
        tuple(format_number(float(f"{number:.{digits}g}")) for number in (end, beyond))
        for digits in range(2, _MOST_DIGITS + 1)
    )
    one, other = next((texts for texts in tried if texts[0] != texts[1]), (format_number(end), format_number(beyond)))
    return one, other


def maps_of(panels: Iterable[Panel]) -> list[Heatmap]:
    """The maps among panels."""
    return [panel for panel in panels if isinstance(panel, Heatmap)]


def colour_bars(panels: Sequence[Panel]) -> dict[Heatmap, Bar]:
    """Return colour bars by the map at their left: the last map of each shared scale and range."""
    maps: dict[tuple[Scale, float, float, bool], list[Heatmap]] = {}
    for panel in maps_of(panels):
        maps.setdefault((panel.scale, panel.low, panel.high, panel.log), []).append(panel)
    return {same[-1]: _bar(same) for same in maps.values()}


def _bar(maps: Sequence[Heatmap]) -> Bar:
    last = maps[-1]
    name = " · ".join(dict.fromkeys(panel.quantity for panel in maps if panel.quantity != UNSAID))
    slack = 1e-6 * (last.high - last.low)
    least = min(float(_seen(panel).min(initial=last.high)) for panel in maps)
    largest = max(float(_seen(panel).max(initial=last.low)) for panel in maps)
    return Bar(
        ", ".join(filter(None, (name, "log" if last.log else ""))),
        last.low,
        last.high,
        last.log,
        least if least < last.low - slack else None,
        largest if largest > last.high + slack else None,
        last.ends if len({panel.ends for panel in maps}) == 1 else None,
        any(end_before_largest(panel.values.shape) for panel in maps),
    )


def _seen(panel: Heatmap) -> Values:
    return panel.values if panel.mask is None else panel.values[~panel.mask]


def tips(bar: Bar, length: float, breadth: float, face: Face, *, upright: bool) -> tuple[float, float]:
    """The room for the tips and their numbers before and after the colours of a bar of this length, in all."""
    if upright:
        found = [_ABOVE_TIP * face.line * bool(text) for text in bar.beyond]
    elif bar.ends:
        found = [breadth * bool(text) for text in bar.beyond]
    else:
        found = [_BESIDE_TIP * face.line + face.measure(text) if text else 0.0 for text in bar.beyond]
    less = min(1.0, _MOST_TIPS * length / (sum(found) or 1.0))
    return less * found[0], less * found[1]


def name_lines(bar: Bar, style: Style) -> list[str]:
    """The name above an upright bar: on one line where that is no broader than its labels, else on the narrowest two. None
    above a bar whose ends have words."""
    measure, name = style.small.measure, "" if bar.ends else visible(bar.name)
    lines = [name] if measure(name) <= _breadth_of_labels(bar, style) else on_two_lines(name, measure)
    return [elided(line, style.longest, measure) for line in lines if line]


def upright_breadth(bar: Bar, style: Style) -> float:
    """The breadth of an upright bar with its labels and its name."""
    return max(_breadth_of_labels(bar, style), longest(name_lines(bar, style), style.small.measure))


def _breadth_of_labels(bar: Bar, style: Style) -> float:
    measure = style.small.measure
    words = [line for end in bar.ends or () for line in on_two_lines(end, measure)]
    texts = [text for _, text in bar.ticks(_MOST_TICKS)]
    if bar.may_end_before:  # as many digits as may tell a tip apart
        texts.append(f"to {format_number(float(f'{bar.high:.{_MOST_DIGITS}g}'))}".ljust(len("to 0.0000"), "0"))
    return style.bar + style.tick + longest([*texts, *bar.beyond, *words], measure)


def level_height(style: Style) -> float:
    """The height of a level bar with its labels, among which its name stands."""
    return style.bar + style.tick + style.small.line


@dataclass(frozen=True)
class BarLabel:
    """A text beside a bar: its middle along the colours, from their lower end, and the place of its tick, if it has one."""

    text: str
    at: float
    tick: float | None = None
    kind: Literal["number", "name", "low", "high"] = "number"


def upright_labels(bar: Bar, length: float, face: Face) -> list[BarLabel]:
    """The numbers at the right of an upright bar, and the words at its ends where they have room."""
    line = face.line
    found = [BarLabel(text, at) for text, at in zip(bar.beyond, (-line, length + line), strict=True) if text]
    words = list(_words_beside(bar, length, face)) if length >= _LEAST_WITH_ENDS * line else []
    for number, text in bar.ticks(min(_MOST_TICKS, max(1, int(length / line / _UPRIGHT_APART)))):
        at = bar.share(number) * length
        if all(abs(word.at - at) >= line for word in words):
            found.append(BarLabel(text, at, at))
    return [*found, *words]


def _words_beside(bar: Bar, length: float, face: Face) -> Iterator[BarLabel]:
    if bar.ends is None:
        return
    for number, text in enumerate(reversed(on_two_lines(bar.ends[0], face.measure))):
        yield BarLabel(text, (number + 0.5) * face.line, kind="low")
    for number, text in enumerate(on_two_lines(bar.ends[1], face.measure)):
        yield BarLabel(text, length - (number + 0.5) * face.line, kind="high")


def level_labels(bar: Bar, length: float, room: tuple[float, float], face: Face) -> list[BarLabel]:
    """The numbers below a level bar within its colours; between them its name, or at its ends what these mean."""
    words = _words_below(bar, length, room, face)
    named = any(word.kind != "number" for word in words)
    found = list[BarLabel]()
    for most in range(max(1, int(length / face.line / _LEVEL_APART)), 0, -1):
        found = [
            label for label in _numbers(bar, most, length, face) if not any(_touch(label, word, face) for word in words)
        ]
        if named:
            break
        if name := _name(bar, found, length, face):
            return [*words, *found, name]
    return [*words, *found]


def _words_below(bar: Bar, length: float, room: tuple[float, float], face: Face) -> list[BarLabel]:
    """What the ends mean, where it leaves room for a number between, else the numbers beyond them."""
    measure, air = face.measure, _BESIDE_TIP * face.line
    if bar.ends:
        low, high = map(measure, bar.ends)
        if low + high + measure("0") + 2 * _AIR * face.line > sum(room) + length:
            return []
        return [
            BarLabel(bar.ends[0], low / 2 - room[0], kind="low"),
            BarLabel(bar.ends[1], length + room[1] - high / 2, kind="high"),
        ]
    places = (-air - measure(bar.beyond[0]) / 2, length + air + measure(bar.beyond[1]) / 2)
    return [BarLabel(text, at) for text, at in zip(bar.beyond, places, strict=True) if text]


def _numbers(bar: Bar, most: int, length: float, face: Face) -> Iterator[BarLabel]:
    """About `most` numbers, each within the bar's length; none touches the last one."""
    found = list[BarLabel]()
    for number, text in bar.ticks(most):
        at, half = bar.share(number) * length, face.measure(text) / 2
        found.append(BarLabel(text, min(max(at, half), length - half), at))
    yield from (label for label in found if label is found[-1] or not _touch(label, found[-1], face))


def _name(bar: Bar, numbers: Sequence[BarLabel], length: float, face: Face) -> BarLabel | None:
    """The bar's name in the broadest gap between its numbers; None where none has room."""
    spans = [_span(label, face) for label in numbers]
    starts, ends = [*(start for start, _ in spans), length], [0.0, *(end for _, end in spans)]
    gap, start = max((start - end, end) for start, end in zip(starts, ends, strict=True))
    fits = gap >= face.measure(bar.name) + 2 * _NAME_AIR * face.line
    return BarLabel(bar.name, start + gap / 2, kind="name") if fits else None


def _span(label: BarLabel, face: Face) -> tuple[float, float]:
    half = face.measure(label.text) / 2
    return label.at - half, label.at + half


def _touch(one: BarLabel, other: BarLabel, face: Face) -> bool:
    return abs(one.at - other.at) < (face.measure(one.text) + face.measure(other.text)) / 2 + _AIR * face.line
