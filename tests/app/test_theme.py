"""Themes: everything that is read stands out from what it is read on."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor

from posenc_gui.app import theme as themes

READ_ON = {
    "ink": ("window", "base", "field", "button"),
    "muted": ("window", "base", "field"),
    "accent": ("base",),
    "on_accent": ("accent",),
    "twin": ("base",),
    "warning": ("window", "base"),
}


def luminance(colour: str) -> float:
    """Relative luminance, WCAG 2.2."""
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("theme", [themes.LIGHT, themes.DARK], ids=["light", "dark"])
@pytest.mark.parametrize(("text", "ground"), [(text, ground) for text in READ_ON for ground in READ_ON[text]])
def test_text_has_a_contrast_of_four_and_a_half(theme: themes.Theme, text: str, ground: str) -> None:
    assert contrast(getattr(theme, text), getattr(theme, ground)) >= 4.5


@pytest.mark.parametrize("theme", [themes.LIGHT, themes.DARK], ids=["light", "dark"])
def test_curves_stand_out_from_the_paper(theme: themes.Theme) -> None:
    assert all(contrast(curve, theme.base) >= 3 for curve in theme.curves)
    assert len(set(theme.curves)) == len(theme.curves)


def test_the_system_s_theme_is_light_where_the_desktop_does_not_say(qapp) -> None:
    dark = qapp.styleHints().colorScheme() == Qt.ColorScheme.Dark
    assert themes.theme_for("system", qapp) == (themes.DARK if dark else themes.LIGHT)
    assert themes.theme_for("light", qapp) == themes.LIGHT
    assert themes.theme_for("dark", qapp) == themes.DARK


def test_the_palette_of_a_theme_reaches_every_widget(qapp) -> None:
    try:
        themes.apply(themes.DARK, qapp)
        assert qapp.palette().window().color() == QColor(themes.DARK.window)
        assert qapp.palette().windowText().color() == QColor(themes.DARK.ink)
    finally:
        themes.apply(themes.LIGHT, qapp)
