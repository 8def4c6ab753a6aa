"""Themes: everything that is read stands out from what it is read on."""

from __future__ import annotations

from collections import Counter

from PySide6.QtWidgets import QLabel, QToolButton, QWidget

from tests.test_look import contrast


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
