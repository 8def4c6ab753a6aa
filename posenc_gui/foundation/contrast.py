"""Colour arithmetic: text colour on a background, blending, RGB components; without numpy, which delays the first paint."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from posenc_gui.foundation.theme import BLACK, WHITE

_WEIGHTS = 0.2126, 0.7152, 0.0722  # weights of red, green and blue in a colour's luminance


@lru_cache(maxsize=1024)  # a map has few colours but many cells
def ink_on(red: float, green: float, blue: float) -> str:
    """Return black or white, whichever contrasts more with a colour of components from 0 to 255 (WCAG luminance)."""
    linear = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in (red / 255, green / 255, blue / 255)
    )
    luminance = sum(weight * part for weight, part in zip(_WEIGHTS, linear, strict=True))
    return BLACK if luminance > 0.179 else WHITE


@lru_cache(maxsize=1024)  # many dots fade by the same steps
def mixed(colour: str, ground: str, share: float) -> str:
    """Blend a colour over a background: `share` 0 gives the background, 1 the colour."""
    parts = zip(parts_of(colour), parts_of(ground), strict=True)
    return colour_of(round(over * share + under * (1 - share)) for over, under in parts)


def parts_of(colour: str) -> tuple[int, ...]:
    """Return red, green and blue of "#rrggbb", from 0 to 255 each."""
    return tuple(bytes.fromhex(colour[1:]))


def colour_of(parts: Iterable[int]) -> str:
    """Return "#rrggbb" of red, green and blue, from 0 to 255 each."""
    return "#" + bytes(parts).hex()
