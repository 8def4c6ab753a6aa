"""Two styles of the layout in which all letters are equally broad: a card's and a slide's."""

from __future__ import annotations

from posenc_gui.render.layout.type_sizes import Face, Style


def face(size: float) -> Face:
    """Letters of this size."""
    return Face(1.3 * size, lambda text: 0.58 * size * len(text))


CARD = Style(face(14), face(14), face(14), face(14), face(12), across=20, down=16, bar=12, tick=8, axis=24, longest=110)
SLIDE = Style(
    face(18), face(12), face(18), face(12), face(12), across=21, down=12, bar=12, tick=6, axis=30, longest=140
)
