"""Two encodings on the screen: figures in rows, a sentence where a side is not defined, and one view for all of them."""

from __future__ import annotations

import itertools

import pytest
from eyes import side_of, turn_wheel, writing
from PySide6.QtCore import QPointF, Qt
from PySide6.QtWidgets import QApplication, QScrollArea

import posenc_gui as pe
from posenc_gui.foundation.theme import LIGHT
from posenc_gui.foundation.wording import format_number
from posenc_gui.render.screen import FigureView
from posenc_gui.render.screen.tables import TableView
from posenc_gui.render.screen.tooltip import Hint
from posenc_gui.session.sweeps import small_multiples

MODEL = pe.ToyModel(d_model=16, n_heads=1)
BASES = pe.Session(encoding="rope", other=pe.encoding("rope", base=500_000.0), model=MODEL)
DOORS = pe.Session(encoding="rope", other="sinusoidal", model=MODEL)


@pytest.fixture
def view(qtbot) -> FigureView:
    shown = FigureView(LIGHT)
    qtbot.addWidget(shown)
    shown.resize(640, 330)
    with qtbot.waitExposed(shown):
        shown.show()
    return shown


def settled(view: FigureView) -> None:
    """Let what waits for its room be drawn."""
    view.grab()
    QApplication.processEvents()


def centres(view: FigureView) -> list[tuple[float, float]]:
    view.grab()
    boxes = [panel.vb.sceneBoundingRect() for panel in view.panel_views()]
    return [(box.center().x(), box.center().y()) for box in boxes]


def test_maps_of_one_place_stand_in_a_row_and_those_of_one_side_in_a_column(view: FigureView) -> None:
    view.resize(1400, 800)
    view.show_figure(pe.plot("shift", DOORS))
    places = centres(view)
    assert len(places) == 9
    for row in range(3):
        assert len({round(y) for _, y in places[3 * row : 3 * row + 3]}) == 1
        assert places[3 * row][0] < places[3 * row + 1][0] < places[3 * row + 2][0] < view.width()
    for column in range(3):
        assert len({round(x) for x, _ in places[column::3]}) == 1


def test_of_curves_below_each_other_the_last_names_the_positions(view: FigureView) -> None:
    view.show_figure(pe.plot("waves", BASES))
    settled(view)
    named = ["position" in [one.text for one in writing(view, side_of(view, "bottom", at))] for at in range(4)]
    assert named == [False] * 3 + [True]


def test_small_multiples_below_each_other_keep_an_axis_each_and_are_seen_whole(view: FigureView) -> None:
    view.resize(900, 600)
    view.show_figure(small_multiples("waves", BASES.with_encoding(BASES.encoding), "base", [100, 1e3, 1e4, 1e5, 1e6]))
    settled(view)
    for number, panel in enumerate(view.panel_views()):
        assert "10" in [one.text for one in writing(view, side_of(view, "bottom", number))]
        (low, high), _ = panel.vb.viewRange()
        assert low <= 0
        assert 31 <= high < 33


@pytest.mark.parametrize("size", [(640, 240), (900, 600)])
def test_above_the_first_of_curves_below_each_other_marks_are_named(view: FigureView, size: tuple[int, int]) -> None:
    view.resize(*size)
    view.show_figure(pe.plot("waves", BASES))
    settled(view)
    words = [one for one in writing(view) if one.text in ("sat", "sentence ends")]
    first = view.panel_views()[0].vb.sceneBoundingRect()
    assert sorted(one.text for one in words) == ["sat", "sentence ends"]
    assert all(one.box.bottom() <= first.top() + 4 for one in words)


def test_at_the_pointer_all_maps_of_the_same_cells_are_read(view: FigureView) -> None:
    view.show_figure(pe.plot("attention", BASES))
    settled(view)
    box = view.panel_views()[1].vb
    box.scene().sigMouseMoved.emit(box.mapViewToScene(QPointF(0, 2)))
    a, b = (pe.attend(one).probabilities[0, 2, 0].item() for one in (BASES, BASES.swapped()))
    values = (
        f"{format_number(a)} A: base 10,000",
        f"{format_number(b)} B: base 500,000",
        f"{format_number(b - a)} B − A",
    )
    assert view.findChild(Hint).lines() == ["query sat (2)", "key the (0)", *values]


@pytest.mark.parametrize("size", [(460, 190), (640, 330)])
def test_numbers_beside_low_curves_keep_apart_and_both_curves_are_named(
    view: FigureView, size: tuple[int, int]
) -> None:
    view.resize(*size)
    view.show_figure(pe.plot("waves", BASES))
    settled(view)
    for panel in range(len(view.panel_views())):
        numbers = [one.box for one in writing(view, side_of(view, "left", panel).adjusted(0, -10, 0, 10))]
        assert all(not one.adjusted(0, 3, 0, -3).intersects(other) for one, other in itertools.combinations(numbers, 2))
    told = " ".join(one.text for one in writing(view))
    assert {"A", "B"} <= set(told.replace(",", "").replace(":", "").split())


def test_a_view_too_low_for_curves_and_their_table_shows_the_curves_alone(view: FigureView) -> None:
    view.show_figure(pe.plot("frequencies", BASES))
    (table,) = view.findChildren(TableView)
    for height, seen in ((170, False), (500, True), (170, False)):
        view.resize(460, height)
        settled(view)
        assert table.isVisible() is seen
    names = {one.text for one in writing(view)}
    assert {"wavelength, A", "wavelength, B"} <= names


def test_small_multiples_stand_in_as_many_columns_as_make_them_largest(view: FigureView) -> None:
    maps = small_multiples("attention", BASES.changed(other=None), "base", range(100, 1000, 100))
    columns = []
    for size in ((900, 300), (500, 500), (250, 900)):
        view.resize(*size)
        view.show_figure(maps)
        settled(view)
        columns.append(len({round(x) for x, _ in centres(view)}))
    assert columns == sorted(columns, reverse=True)
    assert columns[0] > columns[-1]


def test_what_stands_alone_in_the_last_row_is_as_wide_as_all_before(view: FigureView) -> None:
    view.resize(900, 400)
    view.show_figure(pe.plot("similarity", BASES))
    view.grab()
    *maps, curves = [panel.sceneBoundingRect() for panel in view.panel_views()]
    assert len(maps) == 3
    assert curves.right() >= maps[-1].right()


def test_a_side_that_is_not_defined_has_its_sentence_beside_the_other(view: FigureView) -> None:
    view.show_figure(pe.plot("hands", BASES.changed(encoding="none", other="rope")))
    note, _ = view.panel_views()
    assert "turns no queries" in note.shown.text
    assert {"A: No encoding", "B: RoPE"} <= {one.text for one in writing(view)}
    assert note.shown.read(0, 0) == ""


# --- In less room than panels can be read in ----------------------------------------------------------------------------


@pytest.fixture
def low(view: FigureView) -> FigureView:
    view.resize(340, 230)
    view.show_figure(pe.plot("shift", DOORS))
    settled(view)
    return view


def hidden_above(view: FigureView) -> int:
    return view.findChild(QScrollArea).verticalScrollBar().value()


def test_in_a_low_card_maps_keep_cells_that_can_be_seen_and_stand_below_each_other(low: FigureView) -> None:
    assert len(low.panel_views()) == 6  # what A and B differ by gives way
    for panel in low.panel_views():
        box = panel.vb.sceneBoundingRect()
        assert min(box.width(), box.height()) >= 6 * 10
        assert box.right() <= low.width()


def test_the_wheel_scrolls_what_is_out_of_sight_and_zooms_with_ctrl(low: FigureView) -> None:
    whole = low.panel_views()[0].vb.viewRect()
    turn_wheel(low, -120)
    assert hidden_above(low) > 0
    assert low.panel_views()[0].vb.viewRect() == whole
    before = hidden_above(low)
    turn_wheel(low, -120, Qt.KeyboardModifier.ControlModifier)
    assert hidden_above(low) == before


def test_the_keyboard_reaches_every_panel_and_brings_it_in_sight(low: FigureView, qtbot) -> None:
    qtbot.keyClick(low, Qt.Key.Key_PageDown)
    assert hidden_above(low) > 0
    qtbot.keyClick(low, Qt.Key.Key_Right)
    assert hidden_above(low) == 0  # the first cell of the first panel
    for _ in range(6 * 6):
        qtbot.keyClick(low, Qt.Key.Key_Right)
    last = low.panel_views()[-1].sceneBoundingRect()
    assert hidden_above(low) <= last.top()
    assert last.bottom() <= hidden_above(low) + low.height() + 1


def test_where_all_can_be_read_nothing_scrolls(view: FigureView) -> None:
    view.resize(900, 700)
    view.show_figure(pe.plot("shift", DOORS))
    settled(view)
    assert len(view.panel_views()) == 9
    assert view.findChild(QScrollArea).verticalScrollBar().maximum() == 0
