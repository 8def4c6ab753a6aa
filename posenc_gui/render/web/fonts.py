"""The fonts that a page carries: of DejaVu, in which its texts are measured, only the letters that they have."""

from __future__ import annotations

import io
from collections.abc import Iterable

from fontTools import subset
from fontTools.ttLib import TTFont

from posenc_gui.render.paper.fonts import file_of

_STYLES = {
    "font-weight:normal;font-style:normal": (False, False),
    "font-weight:bold;font-style:normal": (True, False),
    "font-weight:normal;font-style:italic": (False, True),
}  # bold and italic of each, by its CSS
_UNUSED = ["FFTM", "DSIG"]  # a font editor's dates, a signature


def carried(texts: Iterable[str], *, italic: bool) -> dict[str, bytes]:
    """WOFF files with the letters of all texts, by their CSS properties; the italic one only if it is used."""
    letters = "".join(sorted(set().union(*texts)))
    return {
        css: _subset(letters, bold=bold, italic=is_italic)
        for css, (bold, is_italic) in _STYLES.items()
        if italic or not is_italic
    }


def _subset(letters: str, *, bold: bool, italic: bool) -> bytes:
    font = TTFont(file_of(bold=bold, italic=italic), recalcTimestamp=False)
    cut = subset.Subsetter(subset.Options(hinting=False, drop_tables=_UNUSED, notdef_outline=True))
    cut.populate(text=letters)
    cut.subset(font)
    font.flavor = "woff"
    file = io.BytesIO()
    font.save(file)
    return file.getvalue()
