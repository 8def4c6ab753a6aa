"""The numbers beside the frames around what a text speaks of."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from posenc_gui.render.layout.beside_frames import beside_frames
from posenc_gui.render.layout.rect import Rect
from posenc_gui.render.paper.fonts import measured
from posenc_gui.render.paper.format import LINE, SMALL
from posenc_gui.render.paper.page import Page

_BOLD = 1.15  # as broad as plain type, at most


def draw_values(
    page: Page, values: Sequence[tuple[Rect, str]], room: Rect, crossed: Callable[[Rect], bool] = lambda _: False
) -> None:
    """Write each value near its frame, where there is room; `crossed` says whether a curve goes through a place."""
    measure = measured(SMALL)
    for place, text in beside_frames(values, lambda text: (_BOLD * measure(text), LINE * SMALL), room, crossed):
        page.text(place.left, (place.top + place.bottom) / 2, text, SMALL, bold=True)
