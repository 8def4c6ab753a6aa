"""Tables on the screen in cards that are low, and verdicts in their colours."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path

import pytest
from panels import figure_of
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication, QTableView, QVBoxLayout, QWidget

import posenc_gui as pe
from posenc_gui.figure.panels import Judged, Table
from posenc_gui.foundation.theme import DARK, LIGHT, Roles
from posenc_gui.render.screen import FigureView

WORDS = "a sentence of some words that is longer than a line of a narrow column"
JUDGED = (
    Judged("● met", "met"),
    Judged("◐ partly", "partly"),
    Judged("○ not met", "not"),
    Judged("– does not apply", "n/a"),
)
VERDICTS = Table("verdicts", ("verdict",), tuple((one,) for one in JUDGED))


@pytest.fixture
def shown(show, qtbot) -> Callable[..., QTableView]:
    """Show a table in the view of a card; return its grid."""

    def make(table: Table, *size: int, colours: Roles = LIGHT) -> QTableView:
        grid = show(table, size=size, colours=colours, headed=True).findChild(QTableView)
        qtbot.waitUntil(grid.isVisible)
        return grid

    return make


@pytest.mark.parametrize("height", range(100, 260, 23))
def test_in_a_low_card_rows_are_one_line_and_none_is_cut(shown, qtbot, height: int) -> None:
    grid = shown(Table("steps", ("step", "how", "why"), ((1.0, WORDS, WORDS),) * 12), 460, height)

    def is_whole() -> bool:
        room = grid.viewport().height()
        return {grid.rowHeight(row) for row in range(12)} == {grid.rowHeight(0)} and not room % grid.rowHeight(0)

    qtbot.waitUntil(is_whole)
    assert grid.viewport().height() >= grid.rowHeight(0)


def test_a_row_without_a_sentence_is_as_high_as_a_line(shown, qtbot) -> None:
    grid = shown(Table("steps", ("step", "why"), (("a", WORDS), ("b", ""), ("c", ""))), 300, 200)
    qtbot.waitUntil(lambda: grid.rowHeight(0) > grid.rowHeight(1))
    assert grid.rowHeight(1) == grid.rowHeight(2) > grid.fontMetrics().height()


def test_where_not_all_sentences_have_room_the_first_ones_have(shown) -> None:
    grid = shown(Table("steps", ("step", "why"), ((1.0, f"{WORDS} {WORDS}"),) * 6), 460, 260)

    def heights_at(height: int) -> list[int]:
        grid.window().resize(460, height)
        QApplication.processEvents()
        return [grid.rowHeight(row) for row in range(6)]

    found = [heights_at(height) for height in range(260, 160, -10)]
    assert all(heights == sorted(heights, reverse=True) for heights in found)
    assert any(heights[0] > heights[-1] for heights in found)


def test_a_table_may_follow_one_of_more_columns(show) -> None:
    view = show(Table("steps", ("step", "how", "why"), ((1.0, WORDS, WORDS),) * 12), size=(460, 150), headed=True)
    view.show_figure(figure_of(Table("one", ("step",), ((1.0,),) * 30)))
    assert view.findChild(QTableView).model().columnCount() == 1


def test_a_table_may_follow_a_map_while_the_view_gets_another_size(qtbot) -> None:
    page = QWidget()
    qtbot.addWidget(page)
    column, view = QVBoxLayout(page), FigureView(LIGHT)
    column.addWidget(view)
    page.resize(900, 500)
    with qtbot.waitExposed(page):
        page.show()
    view.show_figure(pe.plot("attention", pe.Session(encoding="rope")))
    page.resize(800, 600)
    view.show_figure(figure_of(VERDICTS))  # an exception on the way would end the process
    assert view.findChild(QTableView).isVisible()
    page.resize(900, 500)
    view.show_figure(pe.plot("attention", pe.Session(encoding="rope")))
    assert view.panel_views()


@pytest.mark.parametrize("roles", [LIGHT, DARK])
def test_verdicts_stand_in_their_colours(shown, qtbot, roles: Roles) -> None:
    grid = shown(VERDICTS, 300, 200, colours=roles)
    qtbot.waitUntil(lambda: grid.viewport().height() >= len(JUDGED) * grid.rowHeight(0))
    image = grid.viewport().grab().toImage()
    for row, one in enumerate(JUDGED):
        cell = grid.visualRect(grid.model().index(row, 0))
        seen = [
            image.pixelColor(x, y)
            for x in range(cell.left(), cell.left() + 60)
            for y in range(cell.top(), cell.bottom())
        ]
        if one.verdict == "n/a":
            assert max(max(pixel.getRgb()[:3]) - min(pixel.getRgb()[:3]) for pixel in seen) < 40, "grey"
            continue
        strongest = max(seen, key=QColor.hslSaturation)
        assert abs(strongest.hslHue() - QColor(roles.of_verdict(one.verdict)).hslHue()) < 10


def test_verdicts_have_their_colours_on_paper(tmp_path: Path) -> None:
    figure_of(VERDICTS).save(tmp_path / "figure.svg")
    written = (tmp_path / "figure.svg").read_text()
    for one in JUDGED:
        first = written.index(f"<!-- {one} -->")
        assert f"fill: {LIGHT.of_verdict(one.verdict)}" in written[first : first + 200]


def test_a_verdict_stays_one_where_a_figure_is_copied() -> None:
    copied = pickle.loads(pickle.dumps(JUDGED[1]))
    assert (copied, copied.verdict) == ("◐ partly", "partly")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["requirements", "comparison"])
def test_plots_of_requirements_hold_verdicts(name: str) -> None:
    compared = pe.Session(encoding="rope", other="alibi" if name == "requirements" else None)
    (table,) = pe.plot(name, compared).panels
    assert {cell.verdict for row in table.rows for cell in row if isinstance(cell, Judged)} >= {"met", "partly"}


@pytest.mark.parametrize(("rows", "is_whole"), [(9, True), (40, False)])
def test_a_table_below_a_picture_is_whole_where_it_needs_half_of_the_height(
    show, qtbot, rows: int, is_whole: bool
) -> None:
    bars = next(panel for panel in pe.plot("generation", pe.Session()).panels if not isinstance(panel, Table))
    view = show(bars, Table("sums", ("term", "weight"), (("a", 0.5),) * rows), size=(900, 600), headed=True)
    grid = view.findChild(QTableView)
    qtbot.waitUntil(grid.isVisible)
    qtbot.waitUntil(lambda: (grid.verticalScrollBar().maximum() == 0) == is_whole)
    assert grid.height() <= 0.56 * view.height()
