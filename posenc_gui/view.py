"""The view: which part of a picture is asked for, and how finely."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class View:
    """The part of a request that panning and zooming change; None is everything, so that small plots need not look.

    rows, columns: the indices along a picture's two sides. pixels: the width and height in which it will be seen.
    """

    rows: range | None = None
    columns: range | None = None
    pixels: tuple[int, int] | None = None


EVERYTHING = View()
