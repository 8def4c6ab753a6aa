"""A library that warns while it paints: where warnings are errors that is said, and the process goes on.

This file is also the program of such a process.
"""

from __future__ import annotations

import os
import subprocess
import sys
import warnings
from pathlib import Path

import pyqtgraph as pg
import pytest
from panels import clocks
from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QApplication

from posenc_gui.figure.figure import Figure
from posenc_gui.foundation.theme import LIGHT
from posenc_gui.render.screen import FigureView

INK = "#123456"


class Outdated(pg.GraphicsObject):
    """A view whose paint warns, as after a deprecation in a library that it draws with."""

    def boundingRect(self) -> QRectF:
        return QRectF(0, 0, 50, 50)

    def paint(self, painter: QPainter, *_: object) -> None:
        warnings.warn("an old way to paint", DeprecationWarning, stacklevel=1)
        painter.fillRect(self.boundingRect(), INK)


def outdated_view() -> FigureView:
    """A view in which several items warn in every paint."""
    view = FigureView(LIGHT)
    view.resize(400, 300)
    view.show_figure(Figure("test", "Test", (clocks(1),)))
    for _ in range(3):
        view.panel_views()[0].vb.addItem(Outdated())
    return view


def is_painted(view: FigureView) -> bool:
    picture = view.grab().toImage()
    places = ((x, y) for x in range(picture.width()) for y in range(picture.height()))
    return any(picture.pixelColor(x, y).name() == INK for x, y in places)


@pytest.mark.slow
def test_a_warning_in_a_paint_ends_no_process_that_makes_warnings_errors() -> None:
    found = os.pathsep.join(sys.path)  # what tests share is among it
    ran = subprocess.run(
        [sys.executable, __file__], env={**os.environ, "PYTHONWARNINGS": "error", "PYTHONPATH": found},
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert (ran.returncode, ran.stdout) == (0, "painted\n"), ran.stderr
    assert "DeprecationWarning: an old way to paint" in ran.stderr
    assert Path(__file__).name in ran.stderr  # where it was warned of


def test_a_test_that_paints_fails_by_such_a_warning(qtbot) -> None:
    view = outdated_view()
    qtbot.addWidget(view)
    with qtbot.capture_exceptions() as caught:
        assert is_painted(view)
    assert {(kind, str(error)) for kind, error, _ in caught} == {(DeprecationWarning, "an old way to paint")}


@pytest.mark.filterwarnings("ignore:an old way")
def test_a_warning_that_is_ignored_is_ignored_in_paints_too(qtbot) -> None:
    view = outdated_view()
    qtbot.addWidget(view)
    assert is_painted(view)  # pytest-qt would fail by what is raised


def test_a_warning_that_is_no_error_is_told_as_any_other(qtbot) -> None:
    view = outdated_view()
    qtbot.addWidget(view)
    with pytest.warns(DeprecationWarning, match="an old way to paint"):
        assert is_painted(view)


def main() -> None:
    app = QApplication([])
    view = outdated_view()
    view.show()
    app.processEvents()
    print("painted" if is_painted(view) else "blank")


if __name__ == "__main__":
    main()
