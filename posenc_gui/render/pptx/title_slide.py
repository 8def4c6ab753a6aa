"""The first slide of a deck, on request: its title, what it shows, of which sentence, and what made it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from pptx.enum.text import PP_ALIGN

from posenc_gui import __version__
from posenc_gui.figure.figure import Figure
from posenc_gui.foundation.theme import Roles
from posenc_gui.render.layout.rect import Rect
from posenc_gui.render.layout.text_fit import visible, wrapped
from posenc_gui.render.paper.fonts import measured
from posenc_gui.render.pptx.shapes import (
    MARGIN,
    SMALL,
    TYPE,
    add_run,
    add_signed_run,
    add_text,
    in_points,
    strip_margins,
)

_TITLE = 40.0  # points
_LINE = 1.25
_UNNAMED = "Positional encodings"
_HIGH = 0.4  # where the title ends, as a share of the height
_MOST_LINES = 3


def fill_title_slide(page: Any, title: str, figures: Sequence[Figure], roles: Roles, size: tuple[float, float]) -> None:
    """Write the title, below it what all figures share of their encodings and their settings, and the version at the foot."""
    width, height = size[0] - 2 * MARGIN, size[1]
    subject, settings = (
        _shared(texts) for texts in zip(*((one.subject, one.settings) for one in figures), strict=True)
    )
    # The settings repeat the encoding between the sentence and the model.
    settings = " · ".join(part for part in settings.split(" · ") if part != subject)
    titles = {figure.title for figure in figures}
    name = title or (titles.pop() if len(titles) == 1 else _UNNAMED)
    lines = wrapped(visible(name), width, _MOST_LINES, measured(_TITLE, bold=True))
    box = Rect.down_from(MARGIN, 0, width, max(_LINE * _TITLE * len(lines), _HIGH * height))
    shape = page.shapes.title
    shape.left, shape.top, shape.width, shape.height = in_points(
        replace(box, top=box.bottom - _LINE * _TITLE * len(lines))
    )
    strip_margins(shape.text_frame)
    paragraph = shape.text_frame.paragraphs[0]
    paragraph.alignment = PP_ALIGN.LEFT
    add_run(paragraph, name, _TITLE, roles.ink, bold=True)
    top = box.bottom + TYPE
    for text, signed in ((subject, True), (settings, False)):
        lines = wrapped(text, width, _MOST_LINES, measured(TYPE))
        if not lines:
            continue
        frame = add_text(page, Rect.down_from(MARGIN, top, width, _LINE * TYPE * len(lines)), "", TYPE, roles.ink)
        if signed:
            add_signed_run(frame.paragraphs[0], text, TYPE, roles)
        else:
            add_run(frame.paragraphs[0], text, TYPE, roles.muted)
        top += _LINE * TYPE * len(lines) + SMALL
    foot = Rect.down_from(MARGIN, height - MARGIN - _LINE * SMALL, width, _LINE * SMALL)
    add_text(page, foot, f"posenc-gui {__version__}", SMALL, roles.muted)


def _shared(texts: Sequence[str]) -> str:
    """The text that all figures have; empty where they differ, leaving out those of all encodings, which have none."""
    found = {text for text in texts if text}
    return found.pop() if len(found) == 1 else ""
