"""The view: the requested part of a picture, and its resolution."""

from __future__ import annotations

from dataclasses import dataclass

from posenc_gui.foundation.errors import quote_value


@dataclass(frozen=True)
class View:
    """The part of a picture that panning and zooming select; None means everything, so small plots can ignore the view.

    rows, columns: contiguous indices along the picture's two sides; indices outside the picture are ignored. pixels: its
    displayed width and height, at least 1. Raises ValueError for anything else.
    """

    rows: range | None = None
    columns: range | None = None
    pixels: tuple[int, int] | None = None

    def __post_init__(self) -> None:
        for name, part in (("rows", self.rows), ("columns", self.columns)):
            if part is not None and not (isinstance(part, range) and part.step == 1):
                raise ValueError(
                    f"{name}: should be a range without gaps, such as range(0, 512), not {quote_value(part)}"
                )
        if self.pixels is not None and not _is_a_size(self.pixels):
            raise ValueError(
                f"pixels: should be a width and a height of at least 1, such as (1024, 1024), not {quote_value(self.pixels)}"
            )


def _is_a_size(given: object) -> bool:
    return isinstance(given, tuple) and len(given) == 2 and all(isinstance(side, int) and side > 0 for side in given)


EVERYTHING = View()
