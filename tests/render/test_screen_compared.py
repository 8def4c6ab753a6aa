"""Two encodings on the screen: figures in rows, a sentence where a side is not defined, and one view for all of them."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication

import posenc_gui as pe
from posenc_gui.look import LIGHT
from posenc_gui.render.screen import FigureView

MODEL = pe.ToyModel(d_model=16, n_heads=1)
BASES = pe.Session(encoding="rope", other=pe.encoding("rope", base=500_000.0), model=MODEL)


@pytest.fixture
def view(qtbot) -> FigureView:
    shown = FigureView(LIGHT)
    qtbot.addWidget(shown)
    shown.resize(640, 330)
    with qtbot.waitExposed(shown):
        shown.show()
    return shown


def centres(view: FigureView) -> list[tuple[float, float]]:
    view.grab()
    boxes = [panel.plot.vb.sceneBoundingRect() for panel in view.panel_views()]
    return [(box.center().x(), box.center().y()) for box in boxes]


def test_maps_of_one_place_stand_in_a_row_and_those_of_one_side_in_a_column(view: FigureView) -> None:
    view.show_figure(pe.plot("shift", BASES))
    places = centres(view)
    assert len(places) == 9
    for row in range(3):
        assert len({round(y) for _, y in places[3 * row : 3 * row + 3]}) == 1
        assert places[3 * row][0] < places[3 * row + 1][0] < places[3 * row + 2][0] < view.width()
    for column in range(3):
        assert len({round(x) for x, _ in places[column::3]}) == 1


def test_of_curves_below_each_other_the_last_names_the_positions(view: FigureView) -> None:
    view.show_figure(pe.plot("waves", BASES))
    named = [panel.plot.getAxis("bottom").isVisible() for panel in view.panel_views()]
    assert named == [False] * 4 + [True]


def test_a_side_that_is_not_defined_has_its_sentence_beside_the_other(view: FigureView) -> None:
    view.show_figure(pe.plot("waves", BASES.changed(encoding="none", other="rope")))
    note, lines = view.panel_views()
    assert "No encoding is chosen" in note.panel.text
    assert note.title.text() == "A: No encoding"
    assert lines.title.text() == "B: RoPE"
    assert note.panel.read(0, 0) == ""


def test_figures_of_all_shapes_follow_each_other_in_one_view(view: FigureView) -> None:
    """Items whose room follows that of others must never be left behind."""
    for plot in ("projections", "shift", "similarity", "angles", "waves", "equivariance", "attention", "dials"):
        view.show_figure(pe.plot(plot, BASES))
        view.grab()
        QApplication.processEvents()  # painted by the event loop, too
        assert view.panel_views()
