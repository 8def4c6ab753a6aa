"""What is pasted to be identified, how it is to be taken, and the worker's job on it; without widgets."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from posenc_gui.encodings.common.conventions import Kind
from posenc_gui.figure.axis import Axis
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panels import Heatmap
from posenc_gui.foundation.errors import Undefined, describe_file_error
from posenc_gui.identify import figures, matching, mixed, reading
from posenc_gui.identify.numbers import NotNumbers, Numbers
from posenc_gui.identify.verdict import Candidate, Identified
from posenc_gui.session.session import Session

_LACKS_BEFORE = "Paste the queries before rotation under Before: rotated queries tell nothing without them."
_MOST_DRAWN = 64  # rows and columns of the small map


@dataclass(frozen=True)
class Asked:
    """What was pasted, a text or a file, and how the user says that it is to be taken; None where that is to be found.

    array: the name of one of several. rows: what its rows are. before: the queries before they were rotated.
    """

    source: str | Path = ""
    array: str | None = None
    kind: Kind | None = None
    rows: str | None = None
    before: str = ""


@dataclass(frozen=True, eq=False)
class Found:
    """What has come out so far: the names of all arrays, the numbers as a map and in words; the verdict, as many of its figures
    as have something to show, and the orders of weights between it and the other convention; or why there is none."""

    asked: Asked
    arrays: tuple[str, ...] = ()
    drawn: Figure | None = None
    words: str = ""
    identified: Identified | None = None
    figures: tuple[Figure, ...] = ()
    orders: tuple[mixed.Reordering, ...] = ()
    why: str = ""


class Identifying:
    """Identifies what is asked for. What was found last is kept, so that only what differs is computed again."""

    def __init__(self) -> None:
        self._source: str | Path = ""
        self._arrays: dict[str, Numbers] = {}  # of it, by name; the first one also as ""
        self._names: tuple[str, ...] = ()  # of all its arrays
        self._found: dict[Asked, Identified] = {}

    def work(
        self, asked: Asked, session: Session, beside: Candidate | None, check_stop: Callable[[], None]
    ) -> Iterator[Found]:
        """Read, compare, and draw it beside another convention. Runs on the worker's thread."""
        found = Found(asked)
        try:
            numbers = self._read(asked.source, asked.array or "", check_stop)
            found = Found(asked, self._names, _drawn(numbers), reading.described(numbers))
            if asked not in self._found:
                yield found
                before = self._before(asked, numbers, check_stop) if asked.kind == "rotated" else None
                self._found = {asked: matching.identify(numbers, asked.kind, before, check_stop, asked.rows)}
            check_stop()
            it, orders = self._found[asked], None
            with suppress(Undefined):  # on a sentence without words
                other = beside or figures.usual(it, session)
                orders = other and figures.reorderings(it, other)
            yield replace(found, identified=it, figures=figures.figures(it, session, beside), orders=orders or ())
        except (ValueError, OSError) as why:
            yield replace(found, arrays=self._names, why=describe_file_error(why))

    def _before(self, asked: Asked, rotated: Numbers, check_stop: Callable[[], None]) -> Numbers:
        """The queries before rotation: pasted by themselves, or an array of the same shape beside the rotated ones."""
        if asked.before:
            return reading.read_text(asked.before, check_stop)[0]
        for one in self._arrays.values():
            if one is not rotated and one.values.shape == rotated.values.shape:
                return one
        raise NotNumbers(_LACKS_BEFORE)

    def _read(self, source: str | Path, name: str, check_stop: Callable[[], None]) -> Numbers:
        if source != self._source:
            self._source, self._arrays, self._names = source, {}, ()
        if name not in self._arrays:
            try:
                if isinstance(source, str):
                    read = reading.read_text(source, check_stop)
                else:
                    read = reading.read_file(source, name, check_stop)
            except NotNumbers as why:
                self._names = self._names or why.names
                raise
            self._names = self._names or tuple(one.name for one in read)
            self._arrays |= {one.name: one for one in reversed(read)} | {name: read[0]}
        return self._arrays[name]


def example() -> str:
    """The cosines that transformers computes for Llama 3, of 16 dimensions, as Python prints them."""
    angles = [[m * 500_000 ** (-2 * (i % 8) / 16) for i in range(16)] for m in range(6)]
    rows = [[struct.unpack("f", struct.pack("f", math.cos(angle)))[0] for angle in row] for row in angles]
    return str(rows).replace("], ", "],\n ")


def _drawn(numbers: Numbers) -> Figure:
    """A small map of the numbers, or of the first of many."""
    values = numbers.values.reshape(-1, numbers.values.shape[-1])[:_MOST_DRAWN, :_MOST_DRAWN].float()
    high = float(values.abs().max()) or 1.0
    small = Heatmap(
        "", "number", values.numpy(), Axis("row", ""), Axis("column", ""), -high, high, "diverging", focus_alone=True
    )
    return Figure("identified", "The numbers", (small,))
