"""Flow: one query's way through attention, column by column, with the three doors in it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt

from posenc_gui.figure.axis import NO_KEY, NOWHERE, Pointer, Role
from posenc_gui.figure.ranges import Mask, Values, require_finite
from posenc_gui.figure.runs import format_as_told
from posenc_gui.foundation.wording import format_count, format_distinct, format_number, isolate

_MOST_DECIMALS = 4  # of the numbers in a sum
_UNIT = 1e-9  # less than any decimal that is written
_LONGEST_WEIGHT = 5  # characters: 0.136
_LARGE = 9.0  # scores from which on the largest is subtracted before e, as softmax does; e^9 has four digits

Column = Literal["token", "x", "input", "projections", "rotation", "products", "score", "weight", "output"]
COLUMNS: tuple[Column, ...] = get_args(Column)
COLUMN_NAMES: dict[Column, str] = {
    "token": "token", "x": "vector", "input": "input", "projections": "projections", "rotation": "rotation",
    "products": "dot product", "score": "score", "weight": "weight", "output": "output",
}  # fmt: skip
HEADINGS = -2  # the row of the headings
_VECTORS: dict[Column, tuple[str, ...]] = {
    "x": ("x",), "input": ("p",), "projections": ("q", "k", "v"), "rotation": ("angle",),
    "output": ("output", "output by position"),
}  # fmt: skip


@dataclass(frozen=True)
class Heading:
    """The two lines above a column; `door` is set for the three places where position can come in."""

    name: str
    note: str = ""
    door: Literal["open", "closed"] | None = None


@dataclass(frozen=True, eq=False)
class Strand:
    """One token, by its index, on its way to the scores; every vector holds its first numbers, (shown,).

    `word` is the token's vector, and `position` what the input door adds to it. `projected` are the projections by their
    names: q of the query, k and v of a key. `angles` are those of the dials by which q or k is turned, in radians, not
    reduced. `position` and `angles` are None where the door is closed. `parted` holds the columns in which the strand of
    scores differs from that of an equal token, and `value_parted` those in which v does.
    """

    at: int
    label: str
    word: Values
    projected: tuple[tuple[str, Values], ...]
    position: Values | None = None
    angles: npt.NDArray[np.floating[Any]] | None = None
    parted: frozenset[Column] = frozenset()
    value_parted: frozenset[Column] = frozenset()
    start: int = 0  # the position of the sentence's first token

    @property
    def place(self) -> str:
        """The token's position, in words."""
        return f"{self.start + self.at:,}"


@dataclass(frozen=True, eq=False)
class Scoring:
    """The numbers from the dot products to the weights, for each key that is shown, (keys,) each.

    `dots` are q · k before rotation and `turned` after it; `products` are `turned` times the scale, `added` what the score
    door adds to them, and `scores` the sum. `largest` is the largest score of all visible keys, and `total` the sum of
    e^(score − largest) over them, so weights are e^(score − largest) / total.
    """

    dots: Values
    turned: Values
    products: Values
    added: Values
    scores: Values
    weights: Values
    largest: float
    total: float

    def of(self, keys: Sequence[int]) -> Scoring:
        """The numbers of some of the keys."""
        some: dict[str, Any] = {name: part[keys] for name, part in vars(self).items() if isinstance(part, np.ndarray)}
        return replace(self, **some)


@dataclass(frozen=True)
class Sum:
    """One part of the sum for a key: the text below a column, and the same without position. What stands in ^{…} is raised.
    `of_position`: position makes it, so it is drawn as the open door is."""

    column: Column
    text: str
    plain: str = ""
    of_position: bool = False


class _Told(NamedTuple):
    """A sum's numbers as written, with at least `decimals` of them; `less` follows a large score in the exponent."""

    decimals: int
    dot: str
    turned: str
    product: str
    added: str
    score: str
    less: str
    total: str
    weight: str

    @property
    def exponent(self) -> str:
        return f"{self.score}{self.less}"

    @property
    def comes_out(self) -> bool:
        """True if who computes with the written numbers finds the written score and weight."""
        less = _number(self.less.replace(" ", "").replace("+", "")) if self.less else 0.0
        weight = math.exp(_number(self.score) + less) / _number(self.total)
        decimals = len(self.weight.partition(".")[2])
        return (
            f"{weight:.{decimals}f}" == f"{_number(self.weight):.{decimals}f}"
            and abs(_number(self.product) + _number(self.added) - _number(self.score)) < _UNIT
        )


@dataclass(frozen=True)
class Rest:
    """The visible keys that are not shown: how many there are, and their weight together."""

    count: int
    weight: float


@dataclass(frozen=True, eq=False)
class Flow:
    """The way of one query, a strand for each key shown, from the tokens on the left to the output on the right.

    `numbers` are those with the encoding, and `plain` those without it, or None if there is no encoding. `visible`, (keys,),
    is the mask. `output` is the head's output before W_o, its first numbers, of which `output_added` is the encoding's
    part, or None. `vector_high`, `score_high` and `weight_high` are the largest magnitudes of the three colour scales.
    `scale` is the factor of q · k as text, "÷ √16". `pinned` is the index of the key whose sum is written out; it is `held`
    if it was selected, and not found by its weight. `twins` are the indices, among the shown keys, of tokens that occur more
    than once. `ranks` are the indices of all keys, from the one that is shown first where room is short; as in the sentence
    if it is empty. `reached` is the last column that is drawn, and `marked` one that is framed because a text speaks of it.

    Coordinates: x is the index of a column of `COLUMNS`, y that of a key, −1 for the query, −2 for the headings; after the
    keys come all others, then the sum of the pinned key. Fractions point into the vectors that stand there: x from −0.5 to
    0.5 across their columns, y across the vectors from the first to the last, of two rows each.
    """

    title: str
    headings: tuple[Heading, ...]
    query: Strand
    keys: tuple[Strand, ...]
    visible: Mask
    numbers: Scoring
    plain: Scoring | None
    output: Values
    vector_high: float
    score_high: float
    weight_high: float
    scale: str
    pinned: int
    output_added: Values | None = None
    rest: Rest | None = None
    twins: frozenset[int] = frozenset()
    ranks: tuple[int, ...] = ()
    held: bool = False
    reached: Column = "output"
    marked: Column | None = None

    def __post_init__(self) -> None:
        if len(self.headings) != len(COLUMNS):
            raise ValueError(f"flow {self.title!r} has {len(self.headings)} headings for {len(COLUMNS)} columns")
        if not self.keys or self.visible.shape != (len(self.keys),) or not 0 <= self.pinned < len(self.keys):
            raise ValueError(f"flow {self.title!r} needs keys, a mask over them, and one of them pinned")
        for scoring in filter(None, (self.numbers, self.plain)):
            for name, values in vars(scoring).items():
                if isinstance(values, np.ndarray):
                    if values.shape != (len(self.keys),):
                        raise ValueError(f"{name} of flow {self.title!r} has shape {values.shape}")
                    require_finite(values, f"{name} of flow {self.title!r}")
        for strand in (self.query, *self.keys):
            for name, vector in self.vectors_of(strand):
                require_finite(vector, f"the vector {name} of flow {self.title!r}")

    @property
    def open_door(self) -> Column | None:
        """The column of the open door; None if position comes in nowhere."""
        return next((one for one, head in zip(COLUMNS, self.headings, strict=True) if head.door == "open"), None)

    @property
    def pauses(self) -> bool:
        """True if a walk through the columns pauses here: at the open door, and at the end."""
        return self.reached in (self.open_door, COLUMNS[-1])

    def shows(self, column: Column) -> bool:
        """True if the way has come as far as this column."""
        return COLUMNS.index(column) <= COLUMNS.index(self.reached)

    def with_keys(self, count: int) -> Flow:
        """The flow with the first `count` keys of `ranks`; the others join those that are not shown."""
        ranks = self.ranks or tuple(range(len(self.keys)))
        kept = sorted(ranks[:count])
        gone = [row for row in ranks[count:] if self.visible[row]]
        rest = self.rest or Rest(0, 0.0)
        rest = Rest(rest.count + len(gone), rest.weight + float(self.numbers.weights[gone].sum()))
        return replace(
            self,
            keys=tuple(self.keys[row] for row in kept),
            visible=self.visible[kept],
            numbers=self.numbers.of(kept),
            plain=self.plain and self.plain.of(kept),
            pinned=kept.index(self.pinned),
            rest=rest if rest.count else None,
            twins=frozenset(at for at, row in enumerate(kept) if row in self.twins),
            ranks=tuple(kept.index(row) for row in ranks[:count]),
        )

    def on_scale_of(self, flows: Sequence[Flow]) -> Flow:
        """The flow on the largest of these flows' scales, so that they can be compared."""
        return replace(
            self,
            vector_high=max(flow.vector_high for flow in flows),
            score_high=max(flow.score_high for flow in flows),
            weight_high=max(flow.weight_high for flow in flows),
        )

    def vectors_of(self, strand: Strand) -> Iterator[tuple[str, npt.NDArray[np.floating[Any]]]]:
        """Yield the vectors of the query or of a key with their names, from left to right; the output belongs to the query."""
        yield "x", strand.word
        if strand.position is not None:
            yield "p", strand.position
        yield from strand.projected
        if strand.angles is not None:
            yield "angle", strand.angles
        if strand is self.query:
            yield "output", self.output
            if self.output_added is not None:
                yield "output by position", self.output_added

    def quantities(self) -> Iterator[tuple[str, Values]]:
        """Yield the numbers of all keys, (keys,) each, with their names: with the encoding, then without position."""
        for scoring, under in ((self.numbers, ""), (self.plain, " without position")):
            if scoring is not None:
                yield f"dot product{under}", scoring.dots
                yield f"dot product turned{under}", scoring.turned
                yield f"product{under}", scoring.products
                yield f"added{under}", scoring.added
                yield f"score{under}", scoring.scores
                yield f"weight{under}", scoring.weights

    def pointer(self, x: float, y: float) -> Pointer:
        """Return a pointer to the key of row y, counted from 0, and to the query; row −1 is the query's."""
        query: tuple[Role, int] = "query", self.query.at
        row = round(y)
        if row == -1:
            return Pointer((query,))
        return Pointer((query, ("key", self.keys[row].at))) if 0 <= row < len(self.keys) else NOWHERE

    def pressed(self, x: float, y: float) -> Pointer:
        """Return a pointer to what a press selects: a key, or none if it is selected already; its token becomes the query."""
        row = round(y)
        if round(x) == 0 and 0 <= row < len(self.keys):
            return Pointer((("query", self.keys[row].at),))
        if self.held and row == self.pinned:
            return Pointer((("query", self.query.at), ("key", NO_KEY)))
        return self.pointer(x, y)

    def door(self, x: float, y: float) -> str:
        """Return the name of the door that a press at a point opens: at its heading, and anywhere in a closed one."""
        column, row = round(x), round(y)
        heading = self.headings[column] if 0 <= column < len(COLUMNS) else Heading("")
        return heading.name if heading.door == "closed" or (heading.door and row == HEADINGS) else ""

    def offer(self, x: float, y: float) -> str:
        """What a press at a point does, in words; empty where it selects what is seen there."""
        if self.door(x, y):
            return "press for its encodings"
        is_key = round(x) == COLUMNS.index("token") and 0 <= round(y) < len(self.keys)
        return "press to make it the query" if is_key else ""

    def read(self, x: float, y: float) -> str:
        """Describe what stands at a point; empty where nothing does."""
        column, row = round(x), round(y)
        if not (0 <= column < len(COLUMNS) and self.shows(COLUMNS[column])):
            return ""
        if row == HEADINGS:
            return self._of_heading(column)
        if row == len(self.keys) and self.rest:
            others = format_count(self.rest.count, "other key")
            together = " together" if self.rest.count > 1 else ""
            return f"{others} · weight{together} {format_number(self.rest.weight)}"
        if row == len(self.keys) + 1:
            return self._without_position()
        if not -1 <= row < len(self.keys):
            return ""
        strand = self.query if row == -1 else self.keys[row]
        told = self._of_query(COLUMNS[column]) if row == -1 else self._of_key(COLUMNS[column], row)
        if self.headings[column].door == "closed":
            told = f"{self.headings[column].name}: closed"
        cell = _read_cell(self.vectors_in(COLUMNS[column], strand), x - column, y - row)
        named = f"{'query' if row == -1 else 'key'} {isolate(strand.label)} ({strand.place})"
        return " · ".join(filter(None, (named, cell or told)))

    def vectors(self) -> Iterator[Values]:
        """Yield all vectors that are drawn as cells."""
        for strand in (self.query, *self.keys):
            yield from (vector for name, vector in self.vectors_of(strand) if name != "angle")

    def vectors_in(self, column: Column, strand: Strand) -> list[tuple[str, npt.NDArray[np.floating[Any]]]]:
        """Return the vectors that stand in a column of the query or of a key, with their names, from top to bottom."""
        names = _VECTORS.get(column, ())
        return [(name, vector) for name, vector in self.vectors_of(strand) if name in names] if names else []

    def _without_position(self) -> str:
        """The sum of the pinned key without position."""
        if self.plain is None:
            return ""
        names = {"projections": "dot product", "products": "score", "weight": "weight"}
        told = (
            f"{names[one.column]} {one.plain}" for one in self.sums(self.pinned) if one.column in names and one.plain
        )
        return " · ".join((f"{isolate(self.keys[self.pinned].label)} without position", *told))

    def _of_heading(self, column: int) -> str:
        heading = self.headings[column]
        door = {"open": "open door", "closed": "closed door", None: ""}[heading.door]
        note = "" if heading.note == "closed" else heading.note
        return " · ".join(filter(None, (heading.name or "token", note, door)))

    def sums(self, key: int) -> tuple[Sum, ...]:
        """Return the sum for the key with this index: dot product, scale, what the score door adds, weight, output."""
        plain, told = self.plain, self._told(key)
        plain_dot = "" if plain is None else _short(plain.dots[key], told.decimals)
        plain_product = "" if plain is None else _short(plain.products[key], told.decimals)
        plain_weight = "" if plain is None or not self.visible[key] else _short(plain.weights[key])
        found = [Sum("products", f"{self.scale} = {told.product}", plain_product)]
        found.insert(0, Sum("projections", f"q · k = {told.dot}", plain_dot))
        if self.open_door == "input" and self.query.position is not None:
            found.insert(0, Sum("input", "x + p", of_position=True))
        if self.open_door == "rotation":
            found.insert(-1, Sum("rotation", f"after rotation: {told.turned}", of_position=True))
        sign = f"− {told.added[1:]}" if told.added.startswith("−") else f"+ {told.added}"
        found.append(Sum("score", sign, of_position=True) if self.open_door == "score" else Sum("score", "+ 0"))
        if not self.visible[key]:
            return (*found, Sum("weight", "masked: 0"))
        output = Sum("output", f"{told.weight} · v", f"{plain_weight} · v" if plain_weight else "")
        return (*found, Sum("weight", f"e^{{{told.exponent}}} ÷ {told.total} = {told.weight}", plain_weight), output)

    @cached_property
    def weight_texts(self) -> Sequence[str]:
        """Each key's weight as text: those of equal tokens as a sentence tells them, if that takes few decimals."""
        weights = self.numbers.weights.tolist()
        found = [*map(_short, weights)]
        rows_of: dict[str, list[int]] = {}
        for row, key in enumerate(self.keys):
            if self.visible[row]:
                rows_of.setdefault(key.label, []).append(row)
        for rows in rows_of.values():
            texts = format_as_told([weights[row] for row in rows])
            if max(map(len, texts)) <= _LONGEST_WEIGHT:
                for row, text in zip(rows, texts, strict=True):
                    found[row] = text
        return found

    def _told(self, key: int) -> _Told:
        """Return the numbers of a key's sum with as many decimals as it takes to come out as written."""
        for decimals in range(2, _MOST_DECIMALS + 1):
            told = self._told_with(key, decimals)
            if told.comes_out:
                break
        return told

    def _told_with(self, key: int, decimals: int) -> _Told:
        numbers, large = self.numbers, abs(self.numbers.largest) > _LARGE
        total = numbers.total if large else numbers.total * math.exp(numbers.largest)
        dot, turned, product, added, score, largest = (
            _short(part, decimals)
            for part in (
                numbers.dots[key], numbers.turned[key], numbers.products[key], numbers.added[key], numbers.scores[key],
                numbers.largest,
            )
        )  # fmt: skip
        divisor = _short(total, decimals + max(0, -math.floor(math.log10(total))))
        less = (f" + {largest[1:]}" if largest.startswith("−") else f" − {largest}") if large else ""
        return _Told(decimals, dot, turned, product, added, score, less, divisor, self.weight_texts[key])

    def describe(self) -> str:
        """Tell the way in words, for those who can't see it: the door, then each key's sum and weight."""
        door = f"position comes in at the {self.open_door}" if self.open_door else "position comes in nowhere"
        told = [f"The query {isolate(self.query.label)} ({self.query.place}): {door}."]
        for row, key in enumerate(self.keys):
            parts = [part for part in self.sums(row) if part.column != "output"]
            steps = ", ".join(part.text.replace("^{", "^(").replace("}", ")") for part in parts)
            parted = next((one for one in COLUMNS if one in key.parted), None)
            apart = f"; differs from an equal token from the {COLUMN_NAMES[parted]} on" if parted else ""
            told.append(f"Key {isolate(key.label)} ({key.place}): {steps}{apart}.")
        if self.rest:
            others = format_count(self.rest.count, "other key")
            told.append(f"{others}: weight {_short(self.rest.weight)}{' together' if self.rest.count > 1 else ''}.")
        return " ".join(told)

    def _of_query(self, column: Column) -> str:
        if column == "output":
            return " · ".join(f"{name} {_vector(vector)}" for name, vector in self.vectors_in(column, self.query))
        return _of_strand(self.query, column)

    def _of_key(self, column: Column, key: int) -> str:
        numbers = self.numbers
        match column:
            case "products":
                return (
                    f"q · k {format_number(numbers.turned[key])}, {self.scale}: {format_number(numbers.products[key])}"
                )
            case "score":
                added = f"{format_number(numbers.added[key])} added, " if self.open_door == "score" else ""
                return f"{added}score {format_number(numbers.scores[key])}"
            case "weight" | "output":
                return f"weight {format_number(numbers.weights[key])}" if self.visible[key] else "masked"
            case _:
                return _of_strand(self.keys[key], column)


def _read_cell(vectors: Sequence[tuple[str, npt.NDArray[np.floating[Any]]]], x: float, y: float) -> str:
    """Describe one number of these vectors, at fractions as in `Flow`; empty without fractions or beyond a vector's end."""
    if not (vectors and y):
        return ""
    at = (y + 0.5) * len(vectors)
    name, vector = vectors[min(len(vectors) - 1, int(at))]
    if name == "angle":
        dial = min(len(vector) - 1, int((x + 0.5) * len(vector)))
        return f"dial {dial + 1} of {len(vector)}: turned by {format_number(vector[dial])} rad"
    across = (len(vector) + 1) // 2
    index = min(across - 1, int((x + 0.5) * across)) + across * int(at % 1 >= 0.5)
    return f"{name}, dimension {index}: {format_number(vector[index])}" if index < len(vector) else ""


def _of_strand(strand: Strand, column: Column) -> str:
    match column:
        case "x":
            return f"x {_vector(strand.word)}"
        case "input" if strand.position is not None:
            return f"p {_vector(strand.position)}"
        case "projections":
            return " · ".join(f"{name} {_vector(vector)}" for name, vector in strand.projected)
        case "rotation" if strand.angles is not None:
            return f"turned by {', '.join(format_number(angle) for angle in strand.angles)} rad"
    return ""


def _vector(numbers: Values) -> str:
    return f"[{', '.join(format_number(one) for one in numbers[:4])}{', …' if len(numbers) > 4 else ''}]"


def _short(number: float, decimals: int = 2) -> str:
    return format_distinct([float(number)], decimals)[0] if number else "0"


def _number(text: str) -> float:
    """The number in a text of `_short`, which may have a power of ten."""
    return float(text.replace("−", "-"))
