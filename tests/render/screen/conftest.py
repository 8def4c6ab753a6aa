"""A view of panels, as the tests of this room show it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from eyes import picture
from patience import PatientBot

from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panels import Panel
from posenc_gui.foundation.theme import LIGHT, Roles
from posenc_gui.render.screen import FigureView


@pytest.fixture
def show(qtbot: PatientBot, request: pytest.FixtureRequest) -> Callable[..., FigureView]:
    """Show panels in a view, unless told otherwise of the test module's `SIZE`."""
    usual = getattr(request.module, "SIZE", (900, 420))

    def make(*panels: Panel, colours: Roles = LIGHT, size: tuple[int, int] = usual) -> FigureView:
        view = FigureView(colours)
        qtbot.addWidget(view)
        view.resize(*size)
        view.show_figure(Figure("test", "Test", panels))
        view.show()
        picture(view)
        return view

    return make
