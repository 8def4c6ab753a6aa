"""The layout of the window's cards, by name, as a session's file may hold it: on foreign bytes of its own Qt can crash."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from annotated_types import Interval, MaxLen

from posenc_gui.foundation.former_names import PLOTS

PART = "arrangement"  # its name in the file

_MOST = 100  # areas or cards in one area
_LARGEST = 100_000  # bytes of it in a file: a thousand cards


@dataclass(frozen=True)
class Area:
    """A part of the window: areas beside or below each other, or a stack of tabs, one at most; none if no card is open."""

    # pydantic checks what a file holds; it is imported then, not before the window's first layout is painted.
    __pydantic_config__: ClassVar = {"extra": "forbid", "use_attribute_docstrings": True}

    share: Annotated[int, Interval(ge=1, le=100_000)] = 1
    """Of the room, in proportion to the areas beside it."""
    across: Annotated[tuple[Area, ...], MaxLen(_MOST)] = ()
    """Areas from left to right."""
    down: Annotated[tuple[Area, ...], MaxLen(_MOST)] = ()
    """Areas from top to bottom."""
    tabs: Annotated[tuple[str, ...], MaxLen(_MOST)] = ()
    """Cards, such as plot.waves; the one in front first."""

    def __post_init__(self) -> None:
        if len([kind for kind in (self.across, self.down, self.tabs) if kind]) > 1:
            raise ValueError("an area has only one of across, down and tabs")

    @classmethod
    def read(cls, content: object) -> Area:
        """Return the area in a part of a file. Raises ValueError: pydantic's ValidationError, or for too large a part."""
        from pydantic import TypeAdapter
        from pydantic_core import to_json

        if len(to_json(content)) > _LARGEST:
            raise ValueError("it is larger than any layout of cards")
        area = TypeAdapter(cls).validate_python(content)
        return area.renamed({f"plot.{former}": f"plot.{name}" for former, name in PLOTS.items()})

    @property
    def parts(self) -> tuple[Area, ...]:
        """The areas in it, beside or below each other."""
        return self.across or self.down

    def places(self) -> Iterator[tuple[str, ...]]:
        """Yield the cards of each place in the window; cards stacked behind tabs share a place."""
        if self.tabs:
            yield self.tabs
        for part in self.parts:
            yield from part.places()

    def renamed(self, names: Mapping[str, str]) -> Area:
        """Return the layout with other cards in the places of some."""
        across, down = (tuple(part.renamed(names) for part in parts) for parts in (self.across, self.down))
        return Area(share=self.share, across=across, down=down, tabs=tuple(names.get(one, one) for one in self.tabs))

    @property
    def beside(self) -> dict[str, Any]:
        """The layout as a part of a file."""
        from pydantic import TypeAdapter

        return {PART: TypeAdapter(Area).dump_python(self, mode="json", exclude_defaults=True)}

    def only(self, known: Container[str], seen: set[str] | None = None) -> Area:
        """Return the layout with each known card once, without unknown cards, and without areas that this empties."""
        seen = set() if seen is None else seen
        tabs = tuple(name for name in dict.fromkeys(self.tabs) if name in known and name not in seen)
        seen |= set(tabs)
        across, down = (
            tuple(part for part in (part.only(known, seen) for part in parts) if any(part.places()))
            for parts in (self.across, self.down)
        )
        return Area(share=self.share, across=across, down=down, tabs=tabs)
