"""Brackets below maps: a leg under each column that a claim is of, a level line, and the claim."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from posenc_gui.figure.panels import Bracket
from posenc_gui.render.layout.text_fit import Measure

LEG = 0.55  # lines of the words: from the cells' end to the level line
_BELOW = 0.8  # lines: from the level line to the middle of words below it
_AIR, _LEAST_AIR = 6.0, 3.0  # units beside the words, and between two legs without a level line
_LEAST_LEVEL = 10.0  # units of the level line on each side of words that have shorter ones


@dataclass(frozen=True)
class BracketLines:
    """A bracket's legs, the pieces of its level line, and its words with their place: the x of their middle, and their distance
    from the level line in lines."""

    legs: tuple[float, ...]
    level: tuple[tuple[float, float], ...]
    words: str
    middle: float
    below: float


def bracket_height(bracket: Bracket) -> float:
    """The height that a bracket takes, in lines of its words: those about more than two columns stand below the level line."""
    return LEG + 0.55 + _BELOW * (len(bracket.columns) > 2)


def bracket_lines(
    bracket: Bracket, centres: Sequence[float], left: float, right: float, measure: Measure
) -> BracketLines | None:
    """Lay out a bracket over columns with these centres, below a map from left to right, with the words that have room; None
    where none have.

    About two columns they stand in the level line where they fit, else after it or before it, within the map.
    """
    beside = (bracket.words, _AIR + _LEAST_LEVEL), (bracket.brief, _LEAST_AIR)
    tried = (_with(words, measure(words), least, centres, left, right) for words, least in beside)
    return next(filter(None, tried), None)


def _with(
    words: str, width: float, least: float, centres: Sequence[float], left: float, right: float
) -> BracketLines | None:
    legs = tuple(sorted(centres))
    first, last = legs[0], legs[-1]
    whole = ((first, last),)
    if width > right - left:
        return None
    if len(legs) > 2:
        middle = min(max((first + last) / 2, left + width / 2), right - width / 2)
        return BracketLines(legs, whole, words, middle, _BELOW)
    if width + 2 * least <= last - first:
        middle, half = (first + last) / 2, min(width / 2 + _AIR, (last - first) / 2)
        return BracketLines(legs, ((first, middle - half), (middle + half, last)), words, middle, 0.0)
    if last + _AIR + width <= right:
        return BracketLines(legs, whole, words, last + _AIR + width / 2, 0.0)
    if first - _AIR - width >= left:
        return BracketLines(legs, whole, words, first - _AIR - width / 2, 0.0)
    return None
