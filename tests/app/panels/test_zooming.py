"""A map of a text that is too long to be drawn token by token: whole in blocks, and closer by wheel, keys and clicks."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from hands import LEFT, action, at, banner, double_click, figure_of, turn_wheel, viewport_of
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton, QToolButton

import posenc_gui as pe
from posenc_gui.app.export.export_dialog import ExportDialog
from posenc_gui.app.window.main_window import MainWindow
from posenc_gui.figure.panels import Heatmap, MapPart

pytestmark = pytest.mark.one_window

N_TOKENS = 600
SHIFT = Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def window(shared_window, settle) -> MainWindow:
    text = " ".join(f"w{index % 50}" for index in range(N_TOKENS))
    session = pe.Session(text=text, encoding="rope", model=pe.ToyModel(d_model=16, n_heads=2))
    shared_window.workbench.store.replace(session)
    settle(shared_window)
    return shared_window


def map_of(window: MainWindow) -> Heatmap:
    """The map with the encoding, as it is shown."""
    return figure_of(window).panels[1]


def part_of(window: MainWindow) -> MapPart:
    part = map_of(window).part
    assert part is not None
    return part


@pytest.fixture
def shows(window, settle, qtbot):
    """Wait until what is shown is whole and of what this says."""

    def wait(says) -> None:
        def is_shown() -> bool:
            figure = figure_of(window)
            return "on its way" not in figure.caption and says(part_of(window))

        qtbot.waitUntil(is_shown)
        settle(window)

    return wait


def is_whole(part: MapPart) -> bool:
    return part.rows == part.columns == range(N_TOKENS)


def is_exact(part: MapPart) -> bool:
    return part.height == part.width == 1 and len(part.rows) < N_TOKENS


def press(window: MainWindow, *keys: Qt.Key, held: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    view = window.workbench.plots["attention"].view
    view.setFocus()
    for key in keys:
        QTest.keyClick(view, key, held)


@pytest.mark.slow
def test_all_of_it_is_seen_first_and_the_wheel_leads_to_its_tokens_and_back(window, shows) -> None:
    shows(is_whole)
    assert "a block of" in figure_of(window).caption
    before = window.workbench.store.session
    turn_wheel(viewport_of(window, "attention"), at(window, "attention", 40, 40), 1800)
    shows(is_exact)
    assert map_of(window).rows.labels == before.tokens[part_of(window).rows.start : part_of(window).rows.stop]
    views = window.workbench.plots["attention"].view.panel_views()[:2]
    first, second = (view.vb.viewRect() for view in views)
    assert (first.left(), first.width()) == pytest.approx((second.left(), second.width()))
    assert window.workbench.store.session == before
    double_click(window, "attention", first.center().x(), first.center().y())
    shows(is_whole)


@pytest.mark.slow
def test_keys_zoom_to_the_token_in_focus_and_move_on(window, user, shows) -> None:
    shows(is_whole)
    window.workbench.store.propose(focus=200)
    user.settle(window)
    press(window, *[Qt.Key.Key_Plus] * 4)
    shows(is_exact)
    seen = part_of(window).rows
    assert 200 in seen
    press(window, Qt.Key.Key_Down, Qt.Key.Key_Right, held=SHIFT)
    shows(lambda part: part.rows.start > seen.start and part.columns.start > seen.start)
    press(window, *[Qt.Key.Key_Minus] * 2)
    shows(lambda part: len(part.rows) > len(seen))
    press(window, Qt.Key.Key_0)
    shows(is_whole)


@pytest.mark.slow
def test_a_block_that_is_pressed_is_opened_and_a_token_that_comes_into_focus_comes_into_view(
    window, user, shows
) -> None:
    shows(is_whole)
    block = part_of(window).height
    user.clicks(window, "attention", 100, 30, panel=1)
    shows(is_exact)
    assert 100 * block in part_of(window).columns
    assert 30 * block in part_of(window).rows
    window.workbench.store.propose(focus=590)
    shows(lambda part: 590 in part.rows and 590 in part.columns)
    assert map_of(window).rows.focus == 590


@pytest.mark.slow
def test_undo_and_other_changes_leave_what_is_in_view_alone_and_another_text_is_seen_whole(window, shows, user) -> None:
    shows(is_whole)
    window.workbench.plots["attention"].view.viewport.approach_token(300)
    shows(is_exact)
    seen, told = part_of(window), figure_of(window).headline
    user.chooses_encoding(window, "alibi")
    shows(lambda part: part == seen)
    assert figure_of(window).headline != told
    action(window, "Undo").trigger()
    shows(lambda part: part == seen)
    assert window.workbench.store.session.encoding.name == "rope"
    window.workbench.store.propose(text=" ".join(["a b"] * 300 + ["c"]))
    shows(lambda part: part.rows == range(601))
    window.workbench.store.propose(text="a b c")
    user.settle(window)
    assert map_of(window).part is None


@pytest.mark.slow
def test_what_a_block_shows_can_be_chosen_where_there_are_blocks(window, user, shows) -> None:
    shows(is_whole)
    assert "block" in window.workbench.plots["attention"].form.names()
    window.workbench.store.propose(text="a b c")
    user.settle(window)
    assert "block" not in window.workbench.plots["attention"].form.names()


@pytest.mark.slow
def test_what_is_in_view_is_exported(window, shows, qtbot, tmp_path, answer) -> None:
    path: Path = tmp_path / "near.csv"
    answer(path, "CSV (*.csv)")
    shows(is_whole)
    window.workbench.plots["attention"].view.viewport.approach_token(300)
    shows(is_exact)
    QTest.mouseClick(window.cards["plot.attention"].findChild(QToolButton, "export"), LEFT)
    (dialog,) = [one for one in window.findChildren(ExportDialog) if one.isVisible()]
    QTest.mouseClick(dialog.findChild(QPushButton, "save"), LEFT)
    qtbot.waitUntil(lambda: banner(window) != "")
    header, *rows = csv.reader(path.read_text(encoding="utf-8-sig").splitlines())
    queries = {int(row[header.index("query")]) for row in rows if row[header.index("query")]}
    assert queries == set(part_of(window).rows)


@pytest.mark.slow
def test_from_where_a_mask_hides_everything_there_is_a_way_back(window, user, shows) -> None:
    model = window.workbench.store.session.model.model_copy(update={"causal": True})
    window.workbench.store.propose(model=model)
    user.settle(window)
    shows(is_whole)
    user.clicks(window, "attention", 100, 10, panel=1)
    shows(is_exact)
    assert map_of(window).mask.all()
    press(window, Qt.Key.Key_0)
    shows(is_whole)
