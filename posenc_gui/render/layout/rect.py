"""Rectangles of every output: on a screen and on a slide y runs downwards, on a sheet of paper upwards."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Rect:
    """A rectangle by its sides. `top` is above `bottom` for those who look at it, whichever way y runs."""

    left: float
    top: float
    right: float
    bottom: float

    @classmethod
    def down_from(cls, left: float, top: float, width: float, height: float) -> Rect:
        """A rectangle from its upper left corner, where y runs downwards."""
        return cls(left, top, left + width, top + height)

    @classmethod
    def up_from(cls, left: float, bottom: float, width: float, height: float) -> Rect:
        """A rectangle from its lower left corner, where y runs upwards."""
        return cls(left, bottom + height, left + width, bottom)

    @property
    def width(self) -> float:
        return self.right - self.left

    @property
    def height(self) -> float:
        return abs(self.bottom - self.top)

    @property
    def middle(self) -> tuple[float, float]:
        return (self.left + self.right) / 2, (self.top + self.bottom) / 2

    def holds(self, x: float, y: float) -> bool:
        """True if a point lies in the rectangle, where y runs downwards."""
        return self.left <= x <= self.right and self.top <= y <= self.bottom

    def onto(self, other: Rect, x: float, y: float) -> tuple[float, float]:
        """A point at the same place of another rectangle as of this one; y may run the other way there."""
        across, down = (x - self.left) / (self.right - self.left), (y - self.top) / (self.bottom - self.top)
        return other.left + across * (other.right - other.left), other.top + down * (other.bottom - other.top)

    def grown(self, out: float) -> Rect:
        """The rectangle with all its sides moved outwards, where y runs downwards."""
        return Rect(self.left - out, self.top - out, self.right + out, self.bottom + out)

    def shifted(self, along: float = 0.0, up: float = 0.0) -> Rect:
        """The rectangle moved by these lengths, each in the direction of its coordinate."""
        return replace(
            self, left=self.left + along, right=self.right + along, top=self.top + up, bottom=self.bottom + up
        )
