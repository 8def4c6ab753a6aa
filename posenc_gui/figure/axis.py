"""Axes of panels, and the pointer on them: an axis's role decides the crosshair, tick labels and what a click does."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from posenc_gui.foundation.wording import isolate

Role = Literal[
    "position", "query", "key", "dimension", "pair", "offset", "distance", "head", "layer", "encoding", "step",
    "stage",  # a stage of attention: input, query, key, …
    "surgery",  # what was done to a trained model's positions
    "part",  # a part of an input vector: the token's or the position's
    "answer",  # an answer to a question
    "row", "column",  # a row or column of a picture
    "queries", "keys",  # blocks of neighbouring queries or keys
    "other position", "other query", "other key",  # tokens in an order that isn't the session's
]  # fmt: skip
TOKEN_ROLES = frozenset[Role](("position", "query", "key", "other position", "other query", "other key"))
BLOCK_ROLES = frozenset[Role](("queries", "keys"))  # coordinates count blocks; labels name their tokens
_POSITIONS: dict[Role, Role] = {
    "query": "position", "key": "position", "other query": "other position", "other key": "other position",
}  # fmt: skip
_QUERIES: dict[Role, Role] = {"position": "query", "other position": "other query"}


@dataclass(frozen=True)
class Axis:
    """The horizontal or vertical axis of a panel.

    `first` is the coordinate of the first cell, so that a window of a long sequence keeps its true positions. `labels`,
    when given, has one text per cell: tokens, or the names of columns; on curves they may name only the first cells.
    `focus` and `twins` are coordinates that the renderer marks: the token in focus, and of those that occur more than once
    the ones that the headline names.

    `start` is the position of the sentence's first token. An axis of positions counts from it, one of queries or keys counts
    tokens from 0; pointers name tokens, so they mean the same on both (`pointed`, `shown`).
    """

    role: Role
    title: str
    first: int = 0
    labels: tuple[str, ...] = ()
    focus: int | None = None
    twins: frozenset[int] = frozenset()
    start: int = 0

    @property
    def first_token(self) -> int:
        """The coordinate of the sentence's first token."""
        return self.start if self.role in _QUERIES else 0

    @property
    def ahead(self) -> int:
        """By how much positions are ahead of coordinates."""
        return self.start - self.first_token

    def pointed(self, coordinate: float) -> tuple[Role, int]:
        """Return what a pointer at a coordinate holds: on an axis of tokens, the token's index."""
        return self.role, round(coordinate) - self.first_token

    def shown(self, pointer: Pointer) -> int | None:
        """Return the coordinate at which a pointer is seen on this axis; None if it doesn't follow from the pointer's own."""
        at = pointer.along(self.role)
        return None if at is None else at + self.first_token

    @cached_property
    def marks(self) -> tuple[str, ...]:
        """The tick label of each cell; for a block, only its first token's index, since the full range would be too long."""
        if self.role not in BLOCK_ROLES:
            return self.labels
        return tuple(label.partition("–")[0] for label in self.labels)

    def name(self, coordinate: int) -> str:
        """Describe the cell at a coordinate: "key the (4)", with its position, if the axis has labels, else "position 4"."""
        index, position = coordinate - self.first, coordinate + self.ahead
        if 0 <= index < len(self.labels) and self.labels[index] != str(coordinate):
            label = self.labels[index]
            if self.role in BLOCK_ROLES:
                return f"{self.role} {label}"
            return f"{self.role} {isolate(label)} ({position})" if self.role in TOKEN_ROLES else label
        return f"{self.role} {position if self.role in TOKEN_ROLES else coordinate}"


@dataclass(frozen=True)
class Pointer:
    """The pointer's coordinates by role, those of tokens as indices; missing ones are derived from the given ones.

    A query or a key is a token at a position, and a position names both; an offset is query minus key, a distance the other way.
    An `Axis` says where on it a pointer is.
    """

    at: tuple[tuple[Role, int], ...] = ()

    def along(self, role: Role) -> int | None:
        """Return the coordinate on an axis of this role; None if it doesn't follow from the pointer's coordinates."""
        known = dict(self.at)
        if role in known:
            return known[role]
        if role in ("offset", "distance") and "query" in known and "key" in known:
            return (known["query"] - known["key"]) * (1 if role == "offset" else -1)
        if role in ("position", "other position"):
            return known.get(_QUERIES[role])
        return known.get(_POSITIONS[role]) if role in _POSITIONS else None


NOWHERE = Pointer()
NO_KEY = -1  # a key's coordinate with which a press releases the selected key
