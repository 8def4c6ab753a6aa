"""What is pasted to be identified, how it is to be taken, and the worker's job on it; without widgets."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from posenc_gui.encodings.common.conventions import Kind
from posenc_gui.figure.axis import Axis
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panels import Heatmap
from posenc_gui.foundation.errors import describe_file_error
from posenc_gui.foundation.wording import format_brief, format_count, join_words
from posenc_gui.identify.numbers import Numbers
from posenc_gui.identify.verdict import Candidate, Identified
from posenc_gui.session.session import Session

if TYPE_CHECKING:
    from posenc_gui.identify.mixed import Permutation

_MOST_DRAWN = 64  # rows and columns of the small map


@dataclass(frozen=True)
class Asked:
    """What was pasted, a text or a file, and how the user says that it is to be taken; None where that is to be found.

    array: the name of one of several in a file. rows: what its rows are. before: the queries before they were rotated.
    """

    source: str | Path = ""
    array: str | None = None
    kind: Kind | None = None
    rows: str | None = None
    before: str = ""


@dataclass(frozen=True, eq=False)
class Read:
    """The numbers that were read, in a map and in words, and the names of all arrays of their file."""

    asked: Asked
    figure: Figure
    words: str
    arrays: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Found:
    """The verdict with its figures, or why there is none."""

    asked: Asked
    identified: Identified | None = None
    figures: tuple[Figure, ...] = ()
    order: Permutation | None = None  # of weights, that makes up for the other convention
    why: str = ""


class Identifying:
    """Identifies what is asked for. What was read and found last is kept, so that only what differs is computed again."""

    def __init__(self) -> None:
        self._read: dict[Any, tuple[Numbers, ...]] = {}
        self._found: dict[Asked, Identified] = {}

    def work(
        self, asked: Asked, session: Session, beside: Candidate | None, check_stop: Callable[[], None]
    ) -> Iterator[Read | Found]:
        """Read, compare, and draw it beside another convention. Runs on the worker's thread."""
        from posenc_gui.identify import figures, matching, reading  # not needed before

        try:
            if asked.source not in self._read:
                self._read = {asked.source: tuple(reading.read(asked.source, check_stop))}
            arrays = {one.name: one for one in self._read[asked.source]}
            numbers = arrays.get(asked.array or "", self._read[asked.source][0])
            yield Read(asked, _drawn(numbers), _told(numbers), tuple(arrays))
            if asked not in self._found:
                before = reading.read(asked.before, check_stop)[0] if asked.before else None
                self._found = {asked: matching.identify(numbers, asked.kind, before)}
            check_stop()
            shown = self._found[asked], session, beside
            yield Found(asked, shown[0], figures.figures(*shown), figures.order_of(*shown))
        except (ValueError, OSError) as error:
            yield Found(asked, why=describe_file_error(error))


def example() -> str:
    """The cosines that transformers computes for Llama 3, of 16 dimensions, as Python prints them."""
    angles = [[m * 500_000 ** (-2 * (i % 8) / 16) for i in range(16)] for m in range(6)]
    rows = [[struct.unpack("f", struct.pack("f", math.cos(angle)))[0] for angle in row] for row in angles]
    return str(rows).replace("], ", "],\n ")


def used(it: Identified, session: Session) -> tuple[Session, str]:
    """The session with the encoding and the first position that were found, and what that changes, in a sentence. Raises
    ValueError in one if the session can't hold them."""
    assert it.encoding
    start = session.start if it.start is None else it.start
    told = f"The encoding is now {it.encoding.called}, from position {start}. Undo returns to the former one."
    return session.changed(encoding=it.encoding, start=start), told


def _drawn(numbers: Numbers) -> Figure:
    """A small map of the numbers, or of the first of many."""
    values = numbers.values.reshape(-1, numbers.values.shape[-1])[:_MOST_DRAWN, :_MOST_DRAWN].float()
    high = float(values.abs().max()) or 1.0
    axes = Axis("row", ""), Axis("column", "")
    drawn = Heatmap("", "number", values.numpy(), *axes, -high, high, "diverging")
    return Figure("identified", "The numbers", (drawn,), description=_told(numbers))


def _told(numbers: Numbers) -> str:
    """Such as "6 rows of 16 numbers, −1 to 1, float32"."""
    *outer, width = numbers.values.shape
    rows = f"{format_count(outer.pop(), 'row')} of " if outer else ""
    of = f"{format_count(math.prod(outer), 'time')} " if outer else ""
    low, high = (format_brief(float(end)) for end in (numbers.values.min(), numbers.values.max()))
    return f"{of}{rows}{format_count(width, 'number')}, {low} to {high}, {numbers.precision}"
