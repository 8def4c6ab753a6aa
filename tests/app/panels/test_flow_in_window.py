"""Flow in the real window: hovered, pressed, walked by keys, and played from door to door."""

from __future__ import annotations

import pytest
from eyes import graphics_of
from hands import LEFT, bring_forward
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from posenc_gui import encodings
from posenc_gui.figure.axis import NOWHERE, Pointer
from posenc_gui.figure.panels.flow import COLUMNS, Column
from posenc_gui.render.screen import FigureView
from posenc_gui.render.screen.panel_view import PanelView

pytestmark = pytest.mark.one_window

KEY = Qt.Key


@pytest.fixture
def flow(window, settle) -> FigureView:
    """The view of Flow, alone, with RoPE."""
    for name in window.workbench.plots:
        window.cards[f"plot.{name}"].close()
    bring_forward(window, "flow")
    window.workbench.store.propose(encoding="rope")
    settle(window)
    return window.workbench.plots["flow"].view


def panel_view(view: FigureView) -> PanelView:
    (found,) = view.panel_views()
    return found


def place(view: FigureView, column: Column, row: int | None) -> QPoint:
    """Where a column meets a row, or its heading, on the graphics."""
    sheet, box = panel_view(view).drawing().sheet, panel_view(view).vb
    x, y = sheet.columns.outer(column).middle, sheet.rows.name if row is None else sheet.middle(row)
    return graphics_of(view).mapFromScene(box.mapToScene(QPointF(x, y)))


def hover(view: FigureView, place: QPoint) -> None:
    QTest.mouseMove(graphics_of(view).viewport(), place + QPoint(2, 2))
    QTest.mouseMove(graphics_of(view).viewport(), place)
    QApplication.processEvents()


def press(view: FigureView, column: Column, row: int | None) -> None:
    QTest.mouseClick(graphics_of(view).viewport(), LEFT, pos=place(view, column, row))


def test_an_opened_flow_takes_the_room_of_the_other_plots(window, settle, qtbot) -> None:
    settle(window)
    assert window.cards["plot.attention"].in_view
    bring_forward(window, "flow")
    qtbot.waitUntil(lambda: not any(window.cards[f"plot.{name}"].in_view for name in ("attention", "waves")))
    assert window.cards["plot.flow"].in_view


def test_a_hovered_key_stands_out_here_and_from_other_plots(flow) -> None:
    drawing = panel_view(flow).drawing
    pinned = drawing().sheet.panel.pinned
    other = 1 if pinned != 1 else 0
    hover(flow, place(flow, "weight", other))
    assert drawing().sheet.marked == other
    flow.show_pointer(NOWHERE)
    assert drawing().sheet.marked == pinned
    flow.show_pointer(Pointer((("query", 5), ("key", 3))))
    assert drawing().sheet.marked == 3


def test_a_cell_reads_its_number_in_the_status_line(window, flow) -> None:
    sheet = panel_view(flow).drawing().sheet
    rect = sheet.vector_rects("projections", 3)[1]
    point = QPointF(rect.left + 1.5 * sheet.columns.cell, rect.top + 0.5 * sheet.columns.cell)
    read: list[str] = []
    window.workbench.hovered.connect(read.append)
    hover(flow, graphics_of(flow).mapFromScene(panel_view(flow).vb.mapToScene(point)))
    assert read[-1].startswith("key on (3) · v, dimension 1: ")


def test_a_press_pins_a_key_and_another_releases_it(window, flow, settle) -> None:
    store = window.workbench.store
    assert store.session.key is None
    press(flow, "weight", 1)
    settle(window)
    assert (store.session.focus, store.session.key) == (2, 1)
    assert panel_view(flow).drawing().sheet.marked == 1
    press(flow, "weight", 1)
    settle(window)
    assert (store.session.focus, store.session.key) == (2, None)
    assert window.cards["plot.flow"].in_view  # no other plot of the cell came before it


def test_a_pressed_token_becomes_the_query(window, flow, settle) -> None:
    press(flow, "token", 4)
    settle(window)
    assert window.workbench.store.session.focus == 4
    assert panel_view(flow).drawing().sheet.panel.query.at == 4


def test_a_pressed_door_opens_the_list_at_its_encodings(window, flow) -> None:
    found = window.workbench.encoding.choice.list
    for column, row in (("input", 2), ("rotation", None), ("score", None)):
        press(flow, column, row)
        assert found.isVisible()
        door = next(cls.door for cls in encodings.classes().values() if cls.title == found.marked)
        assert door == column
        found.close()


def test_arrow_keys_walk_keys_and_columns_and_say_what_stands_there(window, flow, settle) -> None:
    said: list[str] = []
    flow.pointed.connect(lambda _pointer, words: said.append(words))
    flow.setFocus()
    columns = [*panel_view(flow).drawing().sheet.columns.contents]
    for key in (KEY.Key_Down, *[KEY.Key_Right] * columns.index("weight")):
        QTest.keyClick(flow, key)
    row = panel_view(flow).drawing().sheet.marked
    assert "weight 0." in said[-1]
    QTest.keyClick(flow, KEY.Key_Return)
    settle(window)
    assert window.workbench.store.session.key == row
    for _ in range(row + 2):
        QTest.keyClick(flow, KEY.Key_Up)
    assert said[-1].startswith("weight · softmax")
    QTest.keyClick(flow, KEY.Key_Left)
    assert said[-1] == "score · closed door · press for its encodings"


def test_play_walks_to_the_open_door_and_a_second_press_to_the_end(window, flow, qtbot, settle) -> None:
    (player,) = window.workbench.plots["flow"].players
    player.speed.setCurrentIndex(player.speed.count() - 1)
    steps: list[int | None] = []
    window.workbench.store.changed.connect(lambda session: steps.append(session.plots.flow.step))
    for stop, walked in ((COLUMNS.index("rotation") + 1, [1, 2, 3, 4, 5]), (None, [6, 7, 8, None])):
        steps.clear()
        QTest.mouseClick(player, LEFT)
        qtbot.waitUntil(lambda: not player.playing)
        settle(window)
        assert window.workbench.store.session.plots.flow.step == stop
        assert steps == walked


def test_two_encodings_stand_one_below_the_other_in_the_same_columns(window, flow, settle) -> None:
    window.workbench.store.propose(encoding="rope", other="alibi")
    bring_forward(window, "flow")  # Compare has an arrangement of its own
    settle(window)
    upper, lower = (view.drawing().sheet for view in flow.panel_views())
    for name, place in upper.columns.contents.items():  # of an odd height one of them has a pixel more
        assert lower.columns.contents[name].middle == pytest.approx(place.middle, abs=1)
    assert (upper.panel.open_door, lower.panel.open_door) == ("rotation", "score")
    assert [key.at for key in upper.panel.keys] == [key.at for key in lower.panel.keys]
