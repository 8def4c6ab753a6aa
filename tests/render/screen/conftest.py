"""A view of panels, as the tests of this room show it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from eyes import picture
from garbage import garbage_timer  # noqa: F401  (of all tests here)
from panels import figure_of
from patience import PatientBot

from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panels import Panel
from posenc_gui.foundation.theme import LIGHT, Roles
from posenc_gui.render.screen import FigureView


@pytest.fixture
def show(qtbot: PatientBot, request: pytest.FixtureRequest) -> Callable[..., FigureView]:
    """Show panels, or a figure, in a view, unless told otherwise of the test module's `SIZE`."""
    usual, kept = getattr(request.module, "SIZE", (900, 420)), []  # pytest-qt doesn't keep them

    def make(*shown: Panel | Figure, colours: Roles = LIGHT, size: tuple[int, int] = usual, **how: bool) -> FigureView:
        view = FigureView(colours, **how)
        qtbot.addWidget(view)
        kept.append(view)
        view.resize(*size)
        with qtbot.waitExposed(view):
            view.show()
        view.show_figure(shown[0] if isinstance(shown[0], Figure) else figure_of(*shown))
        picture(view)
        return view

    return make
