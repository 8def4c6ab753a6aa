"""Film the first minute in the real window: `python tools/first_minute.py`.

Play is pressed; then a word is dragged to another place and back, and RoPE is chosen. Written is docs/first-minute.gif.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PIL import Image
from PySide6.QtCore import QEventLoop, QPoint, QSize, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton

from posenc_gui.app.window.main_window import MainWindow
from posenc_gui.foundation.contrast import mixed, parts_of
from posenc_gui.foundation.theme import LIGHT
from tools.screenshots import open_window

FILM = Path(__file__).parents[1] / "docs" / "first-minute.gif"
_SIZE, _WIDTH = QSize(1366, 768), 960  # of the window, and of the film
_BEAT = 120  # milliseconds
_READ = 2500  # milliseconds for which a picture stands that is to be read
_COLOURS = 112
_NAMED = (
    *(LIGHT.window, LIGHT.card, LIGHT.ink, LIGHT.muted, LIGHT.line, LIGHT.focus, LIGHT.twin, LIGHT.met, LIGHT.partly),
    *(mixed(colour, LIGHT.card, share) for colour in (LIGHT.focus, LIGHT.twin) for share in (0.3, 0.6)),
)
_EVERY = 12  # of the frames, one is looked at for its colours
_LEFT = Qt.MouseButton.LeftButton


def main() -> None:
    """Play, and save the film."""
    app = QApplication([])
    app.setStyle("Fusion")
    with tempfile.TemporaryDirectory() as folder:
        window = open_window(Path(folder), "light", first_start=True, size=_SIZE)
        frames = list(_filmed(window))
        window.close()
    palette = _palette([frame for frame, _ in frames[::_EVERY]])
    first, *rest = (frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame, _ in frames)
    first.save(FILM, save_all=True, append_images=rest, duration=[lasts for _, lasts in frames], loop=0, optimize=True)
    print(f"{FILM}: {len(frames)} frames, {FILM.stat().st_size / 1e6:.1f} MB")


def _palette(frames: list[Image.Image]) -> Image.Image:
    """The colours of a film, and those of the theme, of which the amber of equal tokens covers little of any frame."""
    width, height = frames[0].size
    strip = Image.new("RGB", (width, height * len(frames)))
    for number, frame in enumerate(frames):
        strip.paste(frame, (0, number * height))
    found = strip.quantize(_COLOURS).getpalette() or []
    palette = Image.new("P", (1, 1))
    palette.putpalette([*found[: 3 * _COLOURS], *(part for colour in _NAMED for part in parts_of(colour))])
    return palette


def _filmed(window: MainWindow) -> Iterator[tuple[Image.Image, int]]:
    """Frames, and for how many milliseconds each stands; equal ones are one."""
    last: tuple[Image.Image, int] | None = None
    for frame, lasts in _acted(window):
        if last and last[0].tobytes() == frame.tobytes():
            last = last[0], last[1] + lasts
        else:
            if last:
                yield last
            last = frame, lasts
    if last:
        yield last


def _acted(window: MainWindow) -> Iterator[tuple[Image.Image, int]]:
    assert window.workbench
    store, chips = window.workbench.store, window.workbench.tokens.chips
    yield _grabbed(window), _READ
    QTest.mouseClick(window.findChild(QPushButton, "demonstrate"), _LEFT)
    yield from _while_moving(window, 5000)
    yield _grabbed(window), _READ

    def place(index: int) -> QPoint:
        return chips.visualRect(chips.model().index(index)).center()

    QTest.mousePress(chips.viewport(), _LEFT, Qt.KeyboardModifier.NoModifier, place(1))
    for index in (2, 3, 4, 5):
        QTest.mouseMove(chips.viewport(), place(index))
        yield from _while_moving(window, 600)
    QTest.mouseRelease(chips.viewport(), _LEFT, Qt.KeyboardModifier.NoModifier, place(5))
    yield from _while_moving(window, 1800)
    yield _grabbed(window), _READ
    store.undo()
    yield from _while_moving(window, 1800)
    store.propose(encoding="rope")
    yield from _while_moving(window, 1800)
    yield _grabbed(window), _READ


def _while_moving(window: MainWindow, lasts: int) -> Iterator[tuple[Image.Image, int]]:
    for _ in range(lasts // _BEAT):
        _wait(_BEAT)
        yield _grabbed(window), _BEAT


def _wait(milliseconds: int) -> None:
    loop = QEventLoop()
    quit_loop: Callable[[], None] = loop.quit
    QTimer.singleShot(milliseconds, quit_loop)
    loop.exec()


def _grabbed(window: MainWindow) -> Image.Image:
    seen = window.grab().toImage()
    whole = Image.frombytes("RGBA", (seen.width(), seen.height()), bytes(seen.constBits()), "raw", "BGRA").convert(
        "RGB"
    )
    return whole.resize((_WIDTH, round(whole.height * _WIDTH / whole.width)), Image.Resampling.LANCZOS)


if __name__ == "__main__":
    main()
