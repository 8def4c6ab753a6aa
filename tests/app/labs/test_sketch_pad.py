"""The sketching pad: drawn on by mouse and by keyboard, in light and dark."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest

from posenc_gui.app.labs.sketch_pad import SketchPad
from posenc_gui.app.widgets.theme import THEME
from posenc_gui.figure.axis import Axis
from posenc_gui.figure.panels import Lines, Series, VerticalMark
from posenc_gui.foundation.theme import DARK, LIGHT
from posenc_gui.labs.play.sketch import COLUMNS

LEFT = Qt.MouseButton.LeftButton
WORDS = ("the", "cat", "sat", "猫", "قطة", "mat")


def lines(labels: tuple[str, ...] = WORDS, n: int = 6, log: bool = False) -> Lines:
    x = np.arange(n, dtype=np.float32)
    marks = (VerticalMark(2, "sat", "focus"), VerticalMark(n - 1, "end", "end"), VerticalMark(3, "猫", "twin"))
    series = (Series("", x, np.geomspace(1, 100, n, dtype=np.float32)),)
    return Lines("a curve", "value", series, Axis("position", "position", labels=labels, focus=2), 1, 101, marks, log)


@pytest.fixture(params=[LIGHT, DARK], ids=["light", "dark"])
def pad(request, qtbot) -> SketchPad:
    THEME.use(request.param)
    pad = SketchPad(lines())
    qtbot.addWidget(pad)
    pad.resize(420, 280)
    with qtbot.waitExposed(pad):
        pad.show()
    return pad


def at(pad: SketchPad, across: float, up: float) -> QPoint:
    return pad.place(across, up).toPoint()


def draws(pad: SketchPad, *places: tuple[float, float]) -> None:
    """Press at the first place, move over the others, let go at the last."""
    pixels = [at(pad, *place) for place in places]
    QTest.mousePress(pad, LEFT, pos=pixels[0])
    for pixel in pixels[1:]:
        QTest.mouseMove(pad, pixel)
    QTest.mouseRelease(pad, LEFT, pos=pixels[-1])


def presses(pad: SketchPad, key: Qt.Key, times: int = 1) -> None:
    for _ in range(times):
        QTest.keyClick(pad, key)


def test_a_curve_is_drawn_from_left_to_right_and_back(pad, qtbot) -> None:
    with qtbot.waitSignal(pad.changed):
        draws(pad, (0, 0), (0.5, 1), (1, 0))
    points = pad.points()
    assert len(points) == COLUMNS
    assert points[0] == (0, pytest.approx(1, abs=1))
    assert points[32] == (2.5, pytest.approx(101, abs=2))
    draws(pad, (1, 0.5), (0, 0.5))
    assert [y for _, y in pad.points()] == pytest.approx([51] * COLUMNS, abs=1)


def test_too_little_of_a_curve_is_none(pad) -> None:
    draws(pad, (0, 0.5), (0.7, 0.5))
    assert pad.points() == ()
    assert pad.covered == pytest.approx(0.7, abs=0.02)
    draws(pad, (0.7, 0.5), (0.9, 0.5))
    assert len(pad.points()) == COLUMNS


def test_the_mouse_may_leave_the_axes_while_it_draws(pad) -> None:
    draws(pad, (0.2, 0.5), (-0.2, 1.5), (0.5, 1.5), (1.2, 1.5))
    assert pad.covered == 1
    assert max(y for _, y in pad.points()) == 101


def test_a_mouse_that_only_passes_draws_nothing(pad) -> None:
    QTest.mouseMove(pad, at(pad, 0.2, 0.5))
    QTest.mouseMove(pad, at(pad, 0.8, 0.5))
    QTest.mouseClick(pad, Qt.MouseButton.RightButton, pos=at(pad, 0.5, 0.5))
    assert pad.covered == 0


def test_the_keyboard_draws_lines_from_place_to_place(pad) -> None:
    presses(pad, Qt.Key.Key_Up)
    presses(pad, Qt.Key.Key_End)
    presses(pad, Qt.Key.Key_Down, 21)
    points = pad.points()
    assert points[0][1] == pytest.approx(1 + 0.525 * 100)
    assert points[-1][1] == pytest.approx(1)
    assert points[32][1] == pytest.approx((points[0][1] + points[-1][1]) / 2)
    presses(pad, Qt.Key.Key_Left)
    presses(pad, Qt.Key.Key_Up)
    assert pad.points()[-2][1] > points[-2][1]
    assert pad.points()[-1] == points[-1]


def test_the_keyboard_stays_within_the_axes(pad) -> None:
    presses(pad, Qt.Key.Key_Left, 2)
    presses(pad, Qt.Key.Key_Up, 25)
    presses(pad, Qt.Key.Key_End)
    presses(pad, Qt.Key.Key_Right, 2)
    presses(pad, Qt.Key.Key_Down, 50)
    assert [pad.points()[0][1], pad.points()[-1][1]] == [101, 1]


def test_a_screen_reader_hears_the_place_and_what_is_drawn_there(pad) -> None:
    assert pad.accessibleName() == "Sketch: a curve"
    presses(pad, Qt.Key.Key_End)
    assert pad.accessibleDescription().startswith("position 5: nothing drawn.")
    presses(pad, Qt.Key.Key_Up)
    assert pad.accessibleDescription().startswith("position 5: value 53.5.")


def test_delete_clears(pad, qtbot) -> None:
    draws(pad, (0, 0), (1, 1))
    with qtbot.waitSignal(pad.changed):
        presses(pad, Qt.Key.Key_Delete)
    assert pad.covered == 0


def test_a_curve_that_was_drawn_before_is_shown_and_not_said_to_be_new(pad, qtbot) -> None:
    points = tuple((5 * i / 64, 1 + i) for i in range(65))
    with qtbot.assertNotEmitted(pad.changed):
        pad.show_points(points)
    assert np.allclose(pad.points(), points)


def test_what_is_drawn_is_seen_in_the_ink_of_its_theme(pad) -> None:
    empty = pad.grab().toImage()
    draws(pad, (0, 0.75), (1, 0.75))
    for theme in (DARK, LIGHT):
        THEME.use(theme)
        image = pad.grab().toImage()
        assert image != empty
        assert image.pixelColor(at(pad, 0.3, 0.75)) == QColor(theme.ink)
        assert image.pixelColor(at(pad, 0.3, 0.85)) == QColor(theme.card)


def test_places_are_numbers_as_on_the_plot(qtbot) -> None:
    """A token such as "three", at position 2, would be read as its position."""
    named, unnamed = SketchPad(lines()), SketchPad(lines(labels=()))
    for pad in (named, unnamed):
        qtbot.addWidget(pad)
        pad.resize(420, 280)
    assert named.grab().toImage() == unnamed.grab().toImage()


@pytest.mark.parametrize(
    "panel",
    [
        lines(labels=(), n=1),
        lines(labels=(), n=4000),
        lines(labels=WORDS[:2], n=300),
        lines(labels=("a\nb" * 40, *WORDS), n=7),
        lines(labels=(), n=32, log=True),
    ],
    ids=["one place", "many", "few words", "long words", "logarithmic"],
)
@pytest.mark.parametrize("size", [(1, 1), (160, 120), (280, 200), (1500, 900)])
def test_pads_of_any_axes_and_size_are_painted(qtbot, panel: Lines, size: tuple[int, int]) -> None:
    pad = SketchPad(panel)
    qtbot.addWidget(pad)
    pad.resize(*size)
    pad.grab()
    draws(pad, (0, 0), (1, 1))
    presses(pad, Qt.Key.Key_Up)
    pad.grab()
