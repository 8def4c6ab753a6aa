"""Text with the signs of compared encodings as badges, as parts that an output without badges of its own draws."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from posenc_gui.foundation.theme import Roles
from posenc_gui.render.drawings.parts import Box, Part, Text
from posenc_gui.render.layout.rect import Rect
from posenc_gui.render.layout.text_fit import split_signs
from posenc_gui.render.paper.fonts import advance
from posenc_gui.render.paper.format import face

# Lengths of a badge, in type sizes: a badge and the gap beside it are about as long as the letter and its colon.
_BADGE, _SIGN, _CORNER, _BEFORE_BADGE, _AFTER_BADGE = 1.15, 0.8, 0.12, 0.5, 0.35


def with_badges(text: Text, size: float, roles: Roles) -> Iterator[Part]:
    """Yield the parts of a signed text, which begins at its x."""
    for x, words, is_sign in _placed(text.text, size, text.bold):
        if is_sign:
            yield from _badge(text.x + x, text.y, words, size, roles)
        elif words:
            yield replace(text, x=text.x + x, text=words, signed=False)


def length_with_badges(text: str, size: float, *, bold: bool = False) -> float:
    """The distance from the start of a signed text to the start of what follows."""
    *_, (end, _, _) = _placed(text, size, bold)
    return end


def _placed(text: str, size: float, bold: bool) -> Iterator[tuple[float, str, bool]]:
    """Yield the pieces of a text, each with its distance from the start and whether it is a sign; at last its end."""
    x = 0.0
    for number, (words, is_sign) in enumerate(split_signs(text)):
        x += _BEFORE_BADGE * size if is_sign and number else 0.0
        yield x, words, is_sign
        x += (_BADGE + _AFTER_BADGE) * size if is_sign else advance(words, size, bold=bold)
    yield x, "", False


def _badge(x: float, y: float, sign: str, size: float, roles: Roles) -> Iterator[Part]:
    ground, ink = (roles.ref, roles.ink) if sign == "A" else (roles.ink, roles.card)
    side = _BADGE * size
    yield Box(Rect.down_from(x, y - side / 2, side, side), ground, corner=_CORNER * size)
    yield Text(x + side / 2, y, sign, ink, face(_SIGN * size, bold=True), "center", bold=True)
