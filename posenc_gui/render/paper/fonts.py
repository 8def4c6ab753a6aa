"""Fonts on paper: the font families used, and the measured length of text."""

from __future__ import annotations

import logging
import unicodedata
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import cache, lru_cache

from matplotlib import font_manager
from matplotlib.backends.backend_agg import RendererAgg
from matplotlib.font_manager import FontProperties

from posenc_gui.render.layout.text_fit import Measure, visible

FIRST = ["DejaVu Sans"]  # comes with matplotlib
# Fallbacks in this order, as far as they are installed. matplotlib can't draw fonts of coloured glyphs.
_MORE_FONTS = (
    *("Noto Sans CJK SC", "Noto Sans CJK JP", "Source Han Sans SC", "Microsoft YaHei", "PingFang SC", "Hiragino Sans"),
    *("Yu Gothic", "Malgun Gothic", "Apple SD Gothic Neo", "WenQuanYi Micro Hei", "WenQuanYi Zen Hei"),
    *("Noto Sans Arabic", "Geeza Pro", "Segoe UI", "Noto Sans Hebrew", "Noto Sans Devanagari", "Nirmala UI"),
    *("Noto Sans Thai", "Noto Sans Symbols", "Noto Sans Symbols2", "Noto Emoji", "Segoe UI Symbol", "Segoe UI Emoji"),
    *("Symbola", "Apple Symbols", "Arial Unicode MS"),
)


_UNSEEN = ("Cc", "Cf", "Mn", "Me")  # Unicode categories of control, format and combining characters


def families_of(text: str) -> list[str]:
    """Return the font families for a text, in order; only the first if it suffices, since finding others takes long."""
    return FIRST if not _unknown(text) else families()


@cache
def families() -> list[str]:
    """All installed font families that are used, in order."""
    _learn_new_fonts()
    installed = {font.name for font in font_manager.fontManager.ttflist}
    return [*FIRST, *(font for font in _MORE_FONTS if font in installed)]


def _unknown(text: str) -> set[str]:
    """The characters that the first font, normal or bold, doesn't have."""
    return {character for character in set(text) if ord(character) not in _characters()}


@cache
def _characters() -> frozenset[int]:
    """The characters of the first font, normal and bold."""
    weights = (FontProperties(family=FIRST, weight=weight) for weight in ("normal", "bold"))
    charmaps = (font_manager.get_font(font_manager.findfont(weight)).get_charmap() for weight in weights)
    return frozenset.intersection(*map(frozenset, charmaps))


def _learn_new_fonts() -> None:
    """Add fonts installed since matplotlib cached its list."""
    known = {font.fname for font in font_manager.fontManager.ttflist}
    for path in set(font_manager.findSystemFonts()) - known:
        with suppress(Exception):  # matplotlib raises many kinds for fonts that it can't draw, and skips them itself
            font_manager.fontManager.addfont(path)


def file_of(*, bold: bool = False, italic: bool = False) -> str:
    """The path of the first font's file in a style."""
    weight = "bold" if bold else "normal"
    return str(
        font_manager.findfont(FontProperties(family=FIRST, weight=weight, style="italic" if italic else "normal"))
    )


@cache
def measured(size: float, bold: bool = False) -> Measure:
    """Return a function that measures the drawn length of a text at this size, in points."""
    weight = "bold" if bold else "normal"
    return lambda text: size * _width(text, weight)


def advance(text: str, size: float, *, bold: bool = False) -> float:
    """The distance from the start of a text to the start of what follows, including spaces at its ends."""
    measure = measured(size, bold)
    return measure(f"|{text}|") - measure("||")


@lru_cache(maxsize=8192)
def _width(text: str, weight: str) -> float:
    """The length of a text in type sizes: type is not hinted, so it grows with its size."""
    size = 1000  # measured large, so that the rounding to pixels is small
    text = visible(text)
    font = FontProperties(family=families_of(text), size=size, weight=weight)
    return float(_ruler(72).get_text_width_height_descent(text, font, ismath=False)[0]) / size


@cache
def _ruler(dots_per_inch: int) -> RendererAgg:
    return RendererAgg(1, 1, dots_per_inch)


def pdf_font_type(texts: Iterable[str], printed: bool) -> int:
    """The font type in a PDF: 42, which journals require, in print if DejaVu has all characters; else 3. 42 loses the glyphs
    of CJK fonts, and subsetting its tables takes longer than everything else."""
    if not printed:
        return 3
    return 3 if any(map(_unknown, texts)) else 42


def missing(texts: Iterable[str]) -> str:
    """The characters that no installed font has, each once; they are drawn as boxes."""
    wanted = {character for character in _unknown("".join(texts)) if not character.isspace()}
    for family in families() if wanted else ():
        known = font_manager.get_font(font_manager.findfont(FontProperties(family=family))).get_charmap()
        wanted = {character for character in wanted if ord(character) not in known}
    return "".join(sorted(one for one in wanted if unicodedata.category(one) not in _UNSEEN))


@contextmanager
def without_font_warnings() -> Iterator[None]:
    """Silence matplotlib's font warnings: a character that no font has is drawn as a box, and the sheet says so."""
    log = logging.getLogger("matplotlib.font_manager")
    level = log.level
    log.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="Glyph .* missing from font")
            yield
    finally:
        log.setLevel(level)
