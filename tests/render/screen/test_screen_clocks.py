"""Clocks and tables on the screen: what is drawn, pointed at, read with the keyboard and copied."""

from __future__ import annotations

import csv
import io
import math
from dataclasses import replace

import numpy as np
import pytest
from eyes import Written, graphics_of, picture, press, room_of, told, writing
from panels import HOSTILE, clocks, figure_of
from PySide6.QtCore import QEvent, QItemSelectionModel, QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication, QHelpEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton, QTableView, QToolTip, QVBoxLayout, QWidget

from posenc_gui.figure.axis import NOWHERE, Pointer
from posenc_gui.figure.panels import Clocks, Note, Table
from posenc_gui.foundation.theme import DARK, LIGHT, Roles
from posenc_gui.render.drawings.clocks import clock_grid
from posenc_gui.render.screen import FigureView

SIZE = 600, 400
SIZES = [(400, 250), (600, 400), (1000, 600), (60, 40)]


def cells(count: int = 6, focus: int | None = 2) -> Table:
    """A token's attention, row by row, and its sum."""
    header = ("key X", "q(sat) · k(X)", "weight", "weight · v(X)[0]", "[1]", "[2]")
    rows = tuple((f"word{n}", n - 2.5, 1 / count, 0.25 * n, -0.125 * n, 1e-9) for n in range(count))
    return Table("What sat takes", header, (*rows, ("sum", "", 1.0, 2.0, -3.0, 0.0)), frozenset({count}), focus)


@pytest.fixture(autouse=True)
def _fusion(qapp) -> None:
    if qapp.style().name() != "fusion":
        qapp.setStyle("Fusion")


def labels_of(view: FigureView) -> dict[str, Written]:
    """The texts above clocks that begin with their labels, by their words."""
    return {one.text: one for one in writing(view) if one.text.startswith("pair ")}


def place(view: FigureView, index: int) -> QPoint:
    """A place inside the clock that stands below its label."""
    label = labels_of(view)[f"pair {index}"].box
    return graphics_of(view).mapFromScene(QPointF(label.center().x(), label.bottom() + 40))


def grid_of(view: FigureView) -> QTableView:
    return view.findChild(QTableView)


# --- Clocks ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("count", [1, 2, 3, 8, 20, 64])
def test_any_number_of_clocks_is_drawn_in_any_room(show, count, size, theme) -> None:
    view = show(clocks(count), size=size, colours=theme)
    assert picture(view).pixelColor(1, 1).name() == theme.card


@pytest.mark.parametrize("text", HOSTILE)
def test_words_on_clocks_are_data(show, text: str) -> None:
    picture(show(clocks(2, title=text, labels=(text, text), readings=(text, text * 2), words=(text, "sat"))))


@pytest.mark.parametrize("angle", [0.0, -1.0, 1e30, -1e30, math.tau, 1e-30])
def test_any_angle_can_be_drawn(show, angle: float) -> None:
    picture(show(clocks(1, angles=np.array([[angle, -angle]]), trail=np.array([[angle]]))))


def test_a_hand_s_length_is_its_share_of_the_radius(show) -> None:
    def blue(length: float) -> int:
        seen = picture(show(clocks(1, words=("sat",), trail=None, length=length)))
        return sum(seen.pixelColor(x, y).name() == LIGHT.focus for x in range(0, 600, 2) for y in range(0, 400, 2))

    assert blue(1.0) > 1.5 * blue(0.5) > 2 * blue(0.0)


def test_words_stand_at_the_ends_of_hands_that_are_apart_and_on_nothing_else(show) -> None:
    panel = clocks(8, words=("the", "cat", "sat", "on", "an", "overlong" * 9, "mat"))
    view = show(panel, size=(1100, 260))
    texts = writing(view)
    assert {"the", "cat", "sat"} <= {one.text for one in texts}
    assert sum(one.text == "cat" for one in texts) < 4  # where pairs are slow, hands lie on each other
    boxes = [one.box.adjusted(0, 0.5, 0, -0.5) for one in texts if one.text]
    assert not any(one.intersects(other) for at, one in enumerate(boxes) for other in boxes[:at])


def test_the_number_of_clocks_may_change(show) -> None:
    view = show(clocks(8))
    for count in (1, 64, 3):
        view.show_figure(figure_of(clocks(count)))
        picture(view)
        said = told(view)
        for _ in range(count + 1):
            QTest.keyClick(view, Qt.Key.Key_Right)
        QTest.keyClick(view, Qt.Key.Key_Escape)
        assert [words.split(" ·")[0] for words in said] == [*(f"pair {n}" for n in (*range(count), count - 1)), ""]


def test_a_theme_change_redraws_clocks_and_tables(show) -> None:
    view = show(clocks(), cells(1))
    view.set_colours(DARK)
    drawn = picture(view)
    assert drawn.pixelColor(1, 1).name() == drawn.pixelColor(598, 398).name() == DARK.card
    assert len(view.findChildren(QTableView, options=Qt.FindChildOption.FindChildrenRecursively)) >= 1


@pytest.mark.parametrize("index", [0, 5])
def test_the_mouse_reads_and_clicks_the_clock_below_it(show, qtbot, index: int) -> None:
    view = show(clocks())
    said = told(view)
    viewport, spot = graphics_of(view).viewport(), place(view, index)
    QTest.mouseMove(viewport, spot)
    assert said[-1].startswith(f"pair {index} ·")
    with qtbot.waitSignal(view.clicked) as clicked:
        QTest.mouseClick(viewport, Qt.MouseButton.LeftButton, pos=spot)
    assert clicked.args[0].along("pair") == index


def test_beside_the_clocks_nothing_is_read(show) -> None:
    view = show(clocks(3))
    said = told(view)
    beside = graphics_of(view).mapFromScene(room_of(view).bottomLeft() + QPointF(1, -1))
    QTest.mouseMove(graphics_of(view).viewport(), beside)
    assert said == [""]


def test_arrow_keys_go_from_clock_to_clock(show) -> None:
    view = show(clocks(8))
    labels = labels_of(view)
    columns = sum(label.box.top() == labels["pair 0"].box.top() for label in labels.values())
    said = told(view)
    press(view, "Right Right Down Up Left Left")
    below = 1 + columns
    assert below < 8
    assert [words.split(" ·")[0] for words in said] == [f"pair {n}" for n in (0, 1, below, 1, 0, 0)]
    assert said[0] == "pair 0 · 6.3 words a turn · the at 115°"


def test_a_pointer_from_elsewhere_marks_its_pair(show) -> None:
    panel = clocks(3)
    view = show(replace(panel, pairs=(0, 7, 31)))
    plain = picture(view)
    view.show_pointer(Pointer((("pair", 31),)))
    assert picture(view) != plain
    inks = {text: one.ink for text, one in labels_of(view).items()}
    assert inks == {"pair 0": LIGHT.ink, "pair 1": LIGHT.ink, "pair 2": LIGHT.ink}
    view.show_pointer(NOWHERE)
    assert picture(view) == plain


def test_clocks_point_at_their_pairs() -> None:
    panel = clocks(2, pairs=(4, 9))
    assert panel.pointer(1, 0).along("pair") == 9
    assert panel.pointer(2, 0) == panel.pointer(-1, 0) == NOWHERE
    assert panel.read(2, 0) == panel.read(-1, 0) == ""
    with pytest.raises(ValueError, match="2 labels, 2 readings and 1 pairs"):
        clocks(2, pairs=(1,))


@pytest.mark.parametrize("count", range(1, 65))
@pytest.mark.parametrize("room", [(400.0, 220.0), (1000.0, 570.0), (200.0, 500.0)])
def test_clocks_lie_apart_and_inside(count: int, room: tuple[float, float]) -> None:
    grid = clock_grid(clocks(count), *room, 14, lambda text: 6 * len(text))
    radius = grid.diameter / 2
    centres = [grid.centre(index) for index in range(count)]
    assert all(radius <= x <= room[0] - radius and radius <= y <= room[1] - radius for x, y in centres)
    assert all(math.dist(a, b) > grid.diameter for n, a in enumerate(centres) for b in centres[:n])
    assert [grid.at(x, y) for x, y in centres] == list(range(count))


def test_words_give_way_as_the_room_shrinks() -> None:
    def words(width: float, height: float) -> str:
        return clock_grid(clocks(16), width, height, 14, lambda text: 6 * len(text)).words

    assert [words(900, 500), words(900, 220), words(420, 170), words(280, 140), words(80, 80)] == [
        *("all", "read", "label", "some", "none")
    ]


# --- Tables ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("count", [1, 600])
def test_a_table_stands_alone(show, count: int, size: tuple[int, int], theme: Roles) -> None:
    view = show(cells(count), size=size, colours=theme)
    picture(view)
    assert grid_of(view).isVisible()
    assert not graphics_of(view).isVisible()
    assert not view.panel_views()
    assert grid_of(view).accessibleName() == "What sat takes"


def test_a_table_stands_below_the_graphics(show) -> None:
    view = show(clocks(), cells(600))
    assert graphics_of(view).isVisible()
    top = grid_of(view).mapTo(view, QPoint()).y()
    assert top >= graphics_of(view).geometry().bottom()
    assert graphics_of(view).height() > 100


def test_a_note_beside_a_table_hides_nothing(show) -> None:
    assert grid_of(show(Note("why"), cells())).isVisible()


def test_figures_of_other_kinds_follow_each_other(show) -> None:
    view = show(cells())
    for panels in ((clocks(),), (Note("why"),), (cells(), cells(1)), (clocks(), cells()), (cells(),)):
        view.show_figure(figure_of(*panels))
        picture(view)
        visible = [one for one in view.findChildren(QTableView) if one.isVisible()]
        assert len(visible) == sum(isinstance(panel, Table) for panel in panels)
        assert graphics_of(view).isVisible() == any(isinstance(panel, Clocks) for panel in panels)


def test_numbers_stand_right_and_words_left(show) -> None:
    model = grid_of(show(cells())).model()
    role = Qt.ItemDataRole
    assert model.index(0, 1).data() == "−2.50"
    assert model.index(0, 0).data(role.TextAlignmentRole) & Qt.AlignmentFlag.AlignLeft
    assert model.index(0, 1).data(role.TextAlignmentRole) & Qt.AlignmentFlag.AlignRight
    assert model.headerData(1, Qt.Orientation.Horizontal, role.TextAlignmentRole) & Qt.AlignmentFlag.AlignRight
    assert [model.font(row).bold() for row in (0, 6)] == [False, True]
    assert model.index(0, 1).data(role.AccessibleTextRole) == f"{model.index(0, 0).data()} · q(sat) · k(X): −2.50"
    assert not model.flags(model.index(0, 0)) & Qt.ItemFlag.ItemIsEditable


def test_columns_are_as_wide_as_their_texts(show) -> None:
    table = grid_of(show(Table("", ("a", "b"), (("x", "y" * 5000), ("x", "y")))))
    assert table.columnWidth(0) < 60
    assert 100 < table.columnWidth(1) < 400


@pytest.mark.parametrize("text", HOSTILE)
def test_words_in_tables_are_data(show, text: str) -> None:
    view = show(Table(text, (text, text), ((text, 1.0), (text, -1.0)), frozenset({1}), 0))
    picture(view)
    assert "\n" not in grid_of(view).model().index(0, 0).data()


def test_the_row_in_focus_and_the_sum_are_seen(show) -> None:
    plain = show(cells(focus=None))
    marked, unsummed = show(cells(focus=1)), show(Table("What sat takes", cells().header, cells().rows))
    assert picture(plain) != picture(marked)
    assert picture(plain) != picture(unsummed)


def test_the_selection_is_copied_with_all_digits(show) -> None:
    view = show(Table("", ("word", "value"), (("=1+1", 1 / 3), ("cat", -2.0), ("sat", 3.0))))
    table = grid_of(view)
    for row, column in ((0, 0), (0, 1), (1, 1)):
        table.selectionModel().select(table.model().index(row, column), QItemSelectionModel.SelectionFlag.Select)
    QTest.keyClick(table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == f"'=1+1\t{1 / 3!r}\n\t-2.0\n"


def test_where_nothing_is_selected_the_whole_table_is_copied(show) -> None:
    table = grid_of(show(Table("", HOSTILE, (HOSTILE,) * 2)))
    QTest.keyClick(table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    pasted = list(csv.reader(io.StringIO(QGuiApplication.clipboard().text(), newline=""), delimiter="\t"))
    assert len(pasted) == 3
    assert pasted[0][2] == "<b>"


def test_a_selection_outlives_new_numbers(show) -> None:
    view = show(cells())
    table = grid_of(view)
    table.selectRow(2)
    view.show_figure(figure_of(cells(focus=4)))
    assert grid_of(view) is table
    assert {index.row() for index in table.selectedIndexes()} == {2}


SENTENCES = Table(
    "What is measured",
    ("name", "number", "sentence", "longer"),
    (("unique", 1.5, "two words " * 10, "two words " * 25), ("bounded", 2.0, "short", "two words " * 12)),
)


@pytest.mark.parametrize("width", [800, 1100, 1500])
def test_sentences_are_broken_into_lines_and_share_the_room(show, width: int) -> None:
    view = show(SENTENCES, size=(width, 400))
    picture(view)
    table = grid_of(view)
    assert table.horizontalHeader().length() <= table.viewport().width()
    assert table.columnWidth(0) < 100
    assert 120 <= table.columnWidth(2) < table.columnWidth(3)
    assert table.rowHeight(0) > table.rowHeight(1) >= table.verticalHeader().defaultSectionSize()


def test_sentences_stay_readable_in_a_narrow_table(show) -> None:
    view = show(SENTENCES, size=(300, 400))
    picture(view)
    assert [grid_of(view).columnWidth(column) for column in (2, 3)] == [120, 120]


def is_beside(view: FigureView) -> bool:
    return grid_of(view).mapTo(view, QPoint()).x() >= graphics_of(view).geometry().right()


def columns_seen(view: FigureView) -> bool:
    table = grid_of(view)
    return table.horizontalHeader().length() <= table.viewport().width()


@pytest.mark.parametrize("rows", [3, 40])
@pytest.mark.parametrize("width", [500, 650, 800, 1200])
def test_a_table_stands_beside_the_graphics_only_where_all_its_columns_are_seen(show, width: int, rows: int) -> None:
    view = show(clocks(), cells(rows), size=(width, 260))
    picture(view)
    assert is_beside(view) == (width >= 650)
    assert columns_seen(view) or not grid_of(view).isVisible()
    view.resize(1300, 260)
    view.show_figure(figure_of(clocks(), Table("", ("a heading",) * 30, (("some words", *range(29)),))))
    QApplication.processEvents()
    assert not is_beside(view)


def test_a_table_below_is_no_higher_than_its_rows(show) -> None:
    view = show(clocks(), cells(2), size=(700, 700))
    picture(view)
    table = grid_of(view)
    assert not is_beside(view)
    assert {table.rowHeight(row) for row in range(3)} == {table.verticalHeader().defaultSectionSize()}
    assert table.height() <= table.whole_height() < 200 < graphics_of(view).height()


def test_a_table_below_of_which_hardly_a_row_would_be_seen_leaves_its_room_to_the_graphics(show) -> None:
    view = show(clocks(), cells(20), size=(430, 330))
    assert not grid_of(view).isVisible()
    view.resize(430, 600)
    picture(view)
    assert grid_of(view).isVisible()
    assert grid_of(view).viewport().height() > 3 * grid_of(view).rowHeight(0)


def test_headings_take_two_lines_where_they_are_wider_than_their_cells(show) -> None:
    table = grid_of(show(Table("", ("distance without", "with", "the tokens"), ((1.0, 2.0, "a long cell of words"),))))
    role, level = Qt.ItemDataRole, Qt.Orientation.Horizontal
    said = [table.model().headerData(column, level, role.DisplayRole) for column in range(3)]
    assert said == ["distance\nwithout", "with", "the tokens"]
    assert table.model().headerData(0, level, role.AccessibleTextRole) == "distance without"


@pytest.mark.parametrize("panels", [(clocks(), cells()), (cells(),), (cells(), cells()), (clocks(), cells(), cells())])
def test_tab_leads_through_a_view_in_the_order_in_which_it_is_seen(qtbot, panels) -> None:
    window, views = QWidget(), [FigureView(LIGHT) for _ in range(2)]
    first, last = QPushButton("first"), QPushButton("last")
    column = QVBoxLayout(window)
    for widget in (first, *views, last):
        column.addWidget(widget)
    window.resize(1200, 1000)
    qtbot.addWidget(window)
    with qtbot.waitActive(window):
        window.show()
        window.activateWindow()
    for view in (views[1], views[0]):
        view.show_figure(figure_of(*panels))
    first.setFocus()
    met = []
    while QApplication.focusWidget() is not last and len(met) < 12:
        QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
        met.append(QApplication.focusWidget())
    tables = [table for view in views for table in view.findChildren(QTableView)]
    assert [widget for widget in met if widget in tables] == tables
    assert met[-1] is last


def test_rows_are_of_one_line_again_where_sentences_leave(show) -> None:
    view = show(SENTENCES)
    view.show_figure(figure_of(Table("", SENTENCES.header, (("a", 1.0, "b", "c"),) * 2)))
    table = grid_of(view)
    assert {table.rowHeight(row) for row in (0, 1)} == {table.verticalHeader().defaultSectionSize()}


@pytest.mark.parametrize(("text", "told"), [("<b>y</b>" * 500, True), ("two words " * 30, False), ("word", False)])
def test_only_a_cell_that_is_cut_tells_its_whole_text(show, text: str, told: bool, monkeypatch) -> None:
    view = show(Table("", ("a",), ((text,),)))
    picture(view)
    table, said = grid_of(view), []
    monkeypatch.setattr(QToolTip, "showText", lambda _place, words, *_: said.append(words))
    place = table.visualRect(table.model().index(0, 0)).center()
    event = QHelpEvent(QEvent.Type.ToolTip, place, table.viewport().mapToGlobal(place))
    QApplication.sendEvent(table.viewport(), event)
    assert bool(said) == told
    assert not any("<b>" in words for words in said)
