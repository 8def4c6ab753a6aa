"""While something slides, is dragged or plays, scales hold, and what didn't change isn't drawn otherwise."""

from __future__ import annotations

import random
from itertools import pairwise
from operator import ne

import pytest
from hands import LEFT
from PySide6.QtCore import QPoint, QRectF
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton, QSlider

import posenc_gui as pe
from posenc_gui.app.window.main_window import MainWindow
from posenc_gui.session import demonstration

pytestmark = pytest.mark.one_window

Seen = tuple[pe.Session, tuple[float, float], QImage]  # the session, the colour bar's ends, the first map's pixels


def some_session(seed: int) -> pe.Session:
    """A sentence with an encoding that can be brought in by degrees."""
    drawn = random.Random(seed)
    words = drawn.choices(["the", "cat", "sat", "on", "a", "mat", "dog", "ran", "by", "hill"], k=drawn.randint(3, 32))
    d_head, n_heads = drawn.choice([(16, 1), (16, 4), (8, 2), (32, 2)])
    model = pe.ToyModel(
        d_model=d_head * n_heads, n_heads=n_heads, seed=drawn.randint(0, 9), scale=drawn.choice([None, 1.0])
    )
    names = [name for name in pe.encodings() if pe.Session(encoding=name).has_degrees]
    text, focus = " ".join(words), drawn.randrange(len(words))
    session = pe.Session(text=text, encoding=drawn.choice(names), model=model, focus=focus)
    return session if len(pe.plot("attention", session).panels) == 2 else some_session(seed + 100)


def seen_now(window: MainWindow) -> Seen:
    """What stands in the card of attention."""
    view = window.workbench.plots["attention"].view
    graphics, shown = view.panel_views()[0].scene().views()[0], view.panel_views()[0]
    shown.prepare()
    bar = view.colour_bars()[0].placed.bar
    plot = shown.drawing().plot  # the names around it have the colours of what the headline claims
    cells = QRectF(plot.left, plot.top, plot.width, plot.height)
    place = graphics.mapFromScene(shown.mapRectToScene(cells)).boundingRect()
    return pe.Session.read(view.figure().session).content, (bar.low, bar.high), graphics.grab(place).toImage()


class Film:
    """What is seen in the card of attention whenever it is drawn."""

    def __init__(self, window: MainWindow) -> None:
        self.frames: list[Seen] = []
        self._window = window
        window.workbench.drawn.connect(self._see)

    def _see(self, name: str) -> None:
        if name == "attention":
            self.frames.append(seen_now(self._window))

    def end(self) -> None:
        self._window.workbench.drawn.disconnect(self._see)


def slide(window: MainWindow, slider: QSlider, settle) -> None:
    """Drag a slider's handle from its right end to its left one; it stays in the hand."""
    y, left, right = slider.height() // 2, 8, slider.width() - 8
    QTest.mousePress(slider, LEFT, pos=QPoint(right, y))
    for step in range(1, 9):
        QTest.mouseMove(slider, QPoint(right + (left - right) * step // 8, y))
        settle(window)


@pytest.fixture
def at_once(monkeypatch) -> None:
    for pause in ("_AT_REST", "_DEGREE"):
        monkeypatch.setattr(demonstration, pause, 0.03)


@pytest.mark.most(5)
@pytest.mark.parametrize("seed", range(30))
def test_while_strength_slides_and_while_it_plays_one_scale_holds_and_no_encoding_is_not_drawn_otherwise(
    at_once, window, settle, qtbot, seed
) -> None:
    session = some_session(seed)
    window.resize(1440, 900)
    window.workbench.store.replace(session)
    settle(window)
    window.workbench.finish_motion()
    before = seen_now(window)
    slid = Film(window)
    slide(window, window.workbench.encoding.strength.findChild(QSlider), settle)
    slid.end()
    assert window.workbench.moves.underway
    QTest.mouseRelease(window.workbench.encoding.strength.findChild(QSlider), LEFT)
    qtbot.waitUntil(lambda: not window.workbench.moves.underway)
    own = pe.plot("attention", window.workbench.store.session).panels[0]
    assert seen_now(window)[1] == (own.low, own.high)
    window.workbench.store.replace(session)
    settle(window)
    assert seen_now(window)[1] == before[1]
    played = Film(window)
    QTest.mouseClick(window.findChild(QPushButton, "demonstrate"), LEFT)
    qtbot.waitUntil(lambda: window.workbench.store.session == session and not window.workbench.moves.underway)
    played.end()
    assert seen_now(window)[1] == before[1]
    for film in (slid.frames, played.frames):
        assert film
        assert len({ends for _, ends, _ in film}) == 1
        maps = [map_seen for one, _, map_seen in film if one.order == session.order]
        sizes = [one.size() for one in maps]
        assert sum(map(ne, sizes, sizes[1:])) <= 1  # once, where the words of a claim need another line
        assert all(one == other for one, other in pairwise(maps) if one.size() == other.size())
