"""Themes: everything that is read stands out from what it is read on."""

from __future__ import annotations

from collections import Counter

import pytest
from PySide6.QtWidgets import QLabel, QToolButton, QWidget

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


def drawn_contrast(widget: QWidget) -> float:
    """Between what a widget is drawn on, its most frequent colour, and what stands out most from it."""
    picture = widget.grab().toImage()
    places = ((x, y) for x in range(picture.width()) for y in range(picture.height()))
    colours = Counter(picture.pixelColor(x, y).name() for x, y in places)
    ground = colours.most_common(1)[0][0]
    return max(contrast(ground, colour) for colour in colours)


def test_everything_written_in_the_window_can_be_read_in_every_theme(window, user) -> None:
    grounds = set()
    for choice in ("Light", "Dark"):
        user.chooses(window, "Theme", choice)
        window.messages.say("Something went wrong.")
        written = [one for kind in (QLabel, QToolButton) for one in window.findChildren(kind) if one.text().strip()]
        seen = [one for one in written if one.isVisible()]
        assert len(seen) > 50
        assert {one.text(): drawn_contrast(one) for one in seen if drawn_contrast(one) < 4.5} == {}
        grounds.add(window.palette().window().color().name())
    assert len(grounds) == 2
    user.chooses(window, "Theme", "Light")


def test_a_plot_that_stood_behind_another_has_the_new_theme_when_it_comes(window, user, qtbot) -> None:
    behind, before = window.cards["plot.angles"], window.cards["plot.dials"]
    for card in (behind, before):
        card.bring()
        qtbot.waitUntil(lambda card=card: card.in_view and not window.busy)
    user.chooses(window, "Theme", "Dark")
    behind.bring()
    qtbot.waitUntil(lambda: behind.in_view)
    picture = window.workbench.plots["angles"].view().grab().toImage()
    assert picture.pixelColor(3, 3).name() == themes.DARK.base
    user.chooses(window, "Theme", "Light")
