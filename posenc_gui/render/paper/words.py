"""Texts for the page: measured, shortened, broken into lines, and made safe to draw."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache, lru_cache

from matplotlib.backends.backend_agg import RendererAgg
from matplotlib.font_manager import FontProperties

from posenc_gui.render.base import shared_widths


def visible(text: str) -> str:
    """The text in one line, with a sign for each character that can't be drawn or would break a file."""
    return re.sub(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufffe\uffff]", _sign, text)


def _sign(character: re.Match[str]) -> str:
    code = ord(character.group())
    return chr(0x2400 + code) if code < 0x20 else "\ufffd"


@lru_cache(maxsize=4096)
def width_of(text: str, size: float, weight: str = "normal") -> float:
    """How long the text is when drawn, in points."""
    scale = 10  # measured large, so that the rounding to pixels is small
    font = FontProperties(size=size, weight=weight)
    return float(_ruler(72 * scale).get_text_width_height_descent(visible(text), font, ismath=False)[0]) / scale


@cache
def _ruler(dots_per_inch: int) -> RendererAgg:
    return RendererAgg(1, 1, dots_per_inch)


def longest(texts: Iterable[str], size: float) -> float:
    return max((width_of(text, size) for text in texts), default=0.0)


def elided(text: str, room: float, size: float, weight: str = "normal") -> str:
    """The text, without its middle where it is too long for the room."""
    kept = min(len(text), 200)
    shorter = text if kept == len(text) else _without_middle(text, kept)
    while kept > 1 and (width := width_of(shorter, size, weight)) > room:
        kept = max(1, min(kept - 1, int(kept * room / width)))
        shorter = _without_middle(text, kept)
    return shorter


def side_by_side(texts: Iterable[str], room: float, size: float) -> list[str]:
    """The texts as they are where they fit the room together, else the longest of them shortened."""
    texts = list(texts)
    wanted = [width_of(text, size) for text in texts]
    if sum(wanted) <= room:
        return texts
    shares = shared_widths(wanted, room, room / len(texts))
    return [elided(text, share, size) for text, share in zip(texts, shares, strict=True)]


def _without_middle(text: str, kept: int) -> str:
    tail = kept // 2
    return text[: kept - tail] + "…" + text[len(text) - tail :]


def wrapped(text: str, room: float, size: float, most_lines: int, weight: str = "normal") -> list[str]:
    """The text in lines that fit the room; one that is too long for them ends in an ellipsis."""
    lines = [""]
    for piece in _pieces(text, room, size, weight):
        longer = lines[-1] + piece
        if not lines[-1] or width_of(longer.rstrip(), size, weight) <= room:
            lines[-1] = longer
        elif len(lines) < most_lines:
            lines.append(piece.lstrip())
        else:
            lines[-1] = lines[-1].rstrip() + "…"
            break
    return [line.rstrip() for line in lines if line.strip()]


def _pieces(text: str, room: float, size: float, weight: str) -> Iterable[str]:
    """Where the text may break: behind each word, and anywhere in a word that is longer than a line."""
    for word in text[:4000].split():
        if len(word) > 200 or width_of(word, size, weight) > room:
            yield from word
            yield " "
        else:
            yield word + " "
