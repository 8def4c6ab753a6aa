"""The colours in which figures are drawn on the screen."""

from __future__ import annotations

from posenc_gui.app.theme import Theme
from posenc_gui.render.screen import ScreenColours


def screen_colours(theme: Theme) -> ScreenColours:
    """The colours in which the screen draws in a theme."""
    return ScreenColours(
        paper=theme.base,
        ink=theme.ink,
        muted=theme.muted,
        grid=theme.line,
        focus=theme.accent,
        twin=theme.twin,
        masked=theme.masked,
        curves=theme.curves,
    )
