"""Figures as web pages: one file each, which asks no network for anything.

A page is a sheet as `paper` lays it out, drawn by the browser in the reader's choice of colours, for broad windows and for
narrow ones. What the window's pointer says, it says, too, at the pointer and at the arrow keys. Several figures are the frames
of a film, with a slider.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from posenc_gui.figure.figure import Figure
from posenc_gui.foundation.files import embedded_session
from posenc_gui.foundation.theme import THEMES
from posenc_gui.foundation.wording import format_bytes
from posenc_gui.render.export_options import ExportOptions, seconds_per_frame
from posenc_gui.render.paper.fonts import without_font_warnings
from posenc_gui.render.web.drawn import Drawer
from posenc_gui.render.web.fonts import carried
from posenc_gui.render.web.page import document

SUFFIXES = (".html",)
CARRIES_SESSION = True

_LARGEST = 5_000_000  # bytes
_LEAST = 3.0, 8.0, 20.0  # units: sides of the smallest region that is read, in the order in which they are tried
_ASCII = "".join(map(chr, range(32, 127)))


def _unseen(_count: int) -> None:
    pass


def film(figures: Sequence[Figure], _suffix: str, choices: ExportOptions, shown: Callable[[int], None]) -> bytes:
    """A page of one figure, or of several on one scale as frames. Equal figures give equal bytes.

    shown: called after each frame with the number drawn so far; its exceptions pass through. Raises ValueError if the page
    would have more than five million bytes, however little of it can be pointed at.
    """
    frames = [figure.pictured for figure in figures]
    for least in _LEAST:
        page = _page(frames, choices, least, shown).encode()
        if len(page) <= _LARGEST:
            return page
        shown = _unseen
    instead = "fewer frames, or .gif" if len(frames) > 1 else ".svg or .png"
    sizes = f"{format_bytes(len(page))}, and {format_bytes(_LARGEST)} are allowed"
    raise ValueError(f"the page would take {sizes}: choose {instead}")


def _page(frames: list[Figure], choices: ExportOptions, least: float, shown: Callable[[int], None]) -> str:
    drawer = Drawer(THEMES, least)
    with without_font_warnings():
        drawings, told = drawer.draw(frames, shown)
    data = {
        **drawer.readings.tables(),
        "frames": [{"value": value, **regions} for value, regions in zip(_named(frames), told, strict=True)],
        "pace": round(1000 * seconds_per_frame(len(frames) if all(frame.value for frame in frames) else 1)),
    }
    words = [*(run.text for frame in frames for run in frame.headline), *(frame.caption for frame in frames)]
    fonts = carried([_ASCII, drawings, *drawer.readings.words, *words], italic='font-style="italic"' in drawings)
    session = next((embedded_session.session_marker(frame.session) for frame in frames if frame.session), "")
    heights = "".join(f"--{layout}:{height:.0f}px;" for layout, height in drawer.heights.items())
    rules = {theme: heights + drawer.names.rules(number) for number, theme in enumerate(THEMES)}
    is_dark = choices.theme == "dark"
    return document(frames, drawings, data, rules, fonts, session=session, is_dark=is_dark)


def _named(frames: Sequence[Figure]) -> list[str]:
    """What each frame is called at the slider: what tells all of them apart, or its number."""
    for names in ([one.value for one in frames], [one.subject for one in frames], [one.title for one in frames]):
        if all(names) and len(set(names)) == len(frames):
            return names
    return [f"{number} of {len(frames)}" for number in range(1, len(frames) + 1)]
