"""The window: what is typed, clicked, pointed at and chosen, and what comes of it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import torch
from hands import (
    LEFT,
    at,
    banner,
    bring_forward,
    chips_of,
    double_click,
    drop,
    figure_of,
    labels_of,
    session_of,
    turn_wheel,
    viewport_of,
)
from PySide6.QtCore import QMimeData, QPoint, Qt
from PySide6.QtGui import QInputMethodEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractSpinBox, QApplication, QLabel, QListWidget, QMenu

import posenc_gui as pe
from posenc_gui.app.state.settings import Memory, Settings
from posenc_gui.app.window.help import Pages
from posenc_gui.app.window.main_window import MainWindow
from posenc_gui.figure.panels import Heatmap
from posenc_gui.foundation.glossary import GLOSSARY
from posenc_gui.foundation.wording import format_number
from posenc_gui.render.screen.panel_view import MapView
from posenc_gui.text.tokenization import MAX_CHARACTERS, format_token

pytestmark = pytest.mark.one_window


def edit_of(window):
    return window.workbench.tokens.text_edit


def crosshair(window, plot: str, panel: int = 0) -> tuple[int | None, int | None]:
    """Which place of a plot is brought out; None along an axis without one."""
    shown = window.workbench.plots[plot].view.panel_views()[panel]
    return shown.marked if isinstance(shown, MapView) else (shown.marked, None)


def readout(window) -> str:
    """What the status bar says about the place under the pointer."""
    return window.statusBar().findChildren(QLabel)[0].text()


# --- Typing ---------------------------------------------------------------------------------------------------------


def test_what_is_typed_becomes_chips_and_pictures(window, settle, user) -> None:
    user.types(edit_of(window), "dogs bite dogs")
    settle(window)
    assert labels_of(window) == ["dogs", "bite", "dogs"]
    for panel in figure_of(window).panels:
        assert panel.rows.labels == panel.columns.labels == ("dogs", "bite", "dogs")
        assert panel.rows.twins == {0, 2}


def test_one_letter_typed_in_the_middle_keeps_the_cursor_where_it_is(window, settle) -> None:
    edit = edit_of(window)
    edit.setFocus()
    QTest.keyClick(edit, Qt.Key.Key_Home)
    for letter in "my ":
        QTest.keyClicks(edit, letter)
        settle(window)
    assert edit.toPlainText() == "my The cat sat on the mat"
    assert edit.textCursor().position() == 3
    assert labels_of(window)[0] == "my"


HOSTILE = {
    "nothing": "",
    "white space": " \t\n\u2003 ",
    "one token": "word",
    "one long token": "x" * 5000,
    "right to left": "שלום עולם, مرحبا بالعالم",
    "combining characters": "e\u0301 n\u0303 \u0301 Z\u0351\u036b\u0343\u036a\u0302\u036b\u033d\u034f\u0334\u0319\u0324",
    "emoji": "👨‍👩‍👧‍👦 👍🏽 🇩🇪 ☃️",
    "NUL": "a\x00b",
    "control characters": "a\x01\x07\x08\x1b[31mb\x7f\x85c",
    "turned around": "abc \u202edcba\u202c \u2066x\u2069",
    "invisible": "\u200b\u200d\ufeff",
    "markup": "<b>x</b>",
    "end of sequence": "<s> <|endoftext|> </s>",
    "entity": "&amp; &lt;b&gt;",
    "template": "{0} %s $x \\n %n",
    "an image": '<img src="file:///etc/passwd">',
}


@pytest.mark.slow
def test_hostile_text_gives_a_picture_or_one_sentence_and_stays_in_the_edit(window, user) -> None:
    for kind, text in HOSTILE.items():
        user.pastes(window, text)
        session = session_of(window)
        assert labels_of(window) == [format_token(token) for token in session.tokens], kind
        assert session == pe.Session(text=edit_of(window).toPlainText()), kind
        (*panels,) = figure_of(window).panels
        if session.tokens:
            assert all(isinstance(panel, Heatmap) for panel in panels), kind
            assert panels[0].rows.labels == tuple(labels_of(window)), kind
        else:
            assert [panel.text for panel in panels] == ["Type a sentence to see which word looks at which."], kind
        assert "".join(edit_of(window).toPlainText().split()) == "".join(text.split()), kind
        assert not window.grab().isNull(), kind
        assert banner(window) == "", kind


def test_lone_surrogates_do_no_harm(window, settle) -> None:
    for text in ("\ud83d", "a \ud83d b", "\ude00\ud83d"):
        committed = QInputMethodEvent()
        committed.setCommitString(text)
        edit_of(window).selectAll()
        QApplication.sendEvent(edit_of(window), committed)
        settle(window)
        assert session_of(window).text.encode("utf-8").decode("utf-8") == edit_of(window).toPlainText()


def test_every_label_is_plain_text(window) -> None:
    for label in window.findChildren(QLabel):
        assert label.textFormat() == Qt.TextFormat.PlainText or "<" not in label.text(), label.text()
    for label in window.workbench.tokens.findChildren(QLabel) + window.statusBar().findChildren(QLabel):
        assert label.textFormat() == Qt.TextFormat.PlainText


@pytest.mark.slow
def test_too_long_a_text_is_refused_in_a_sentence_and_stays_through_other_changes(window, user, settle) -> None:
    long = "y " * (MAX_CHARACTERS // 2 + 1)
    user.pastes(window, long)
    tokens = window.workbench.tokens
    assert str(MAX_CHARACTERS) in tokens.refusal().replace(",", "")
    assert session_of(window).text == ""  # what stood there before the paste
    tokens.choices()["Keep case"].trigger()
    user.chooses_encoding(window, "rope")
    assert session_of(window).keep_case
    assert edit_of(window).toPlainText() == long
    assert tokens.refusal()
    user.pastes(window, "short again")
    assert tokens.refusal() == ""
    assert session_of(window).text == "short again"


def test_keeping_the_case_sets_capitals_apart(window, settle) -> None:
    assert labels_of(window)[0] == "the"
    window.workbench.tokens.choices()["Keep case"].trigger()
    settle(window)
    assert labels_of(window)[0] == "The"
    assert figure_of(window).panels[0].rows.twins == set()


# --- The token in focus -------------------------------------------------------------------------------------------------


def test_a_click_on_a_chip_puts_it_in_focus_in_every_plot(window, settle) -> None:
    chips = chips_of(window)
    QTest.mouseClick(chips.viewport(), LEFT, pos=chips.visualRect(chips.model().index(4)).center())
    settle(window)
    assert session_of(window).focus == 4
    for panel in figure_of(window).panels:
        assert panel.rows.focus == panel.columns.focus == 4
    (lines,) = figure_of(window, "waves").panels
    assert [mark.x for mark in lines.marks if mark.kind == "focus"] == [4]


def test_arrow_keys_in_the_chips_move_the_focus_one_token_a_key(window, settle) -> None:
    chips = chips_of(window)
    chips.setFocus()
    for _ in range(3):  # also before the first picture of the new focus is there
        QTest.keyClick(chips, Qt.Key.Key_Right)
    settle(window)
    assert session_of(window).focus == 5
    QTest.keyClick(chips, Qt.Key.Key_Left)
    settle(window)
    QTest.keyClick(chips, Qt.Key.Key_Left)
    settle(window)
    assert session_of(window).focus == 3
    assert chips.currentIndex().row() == 3


def test_keys_lead_from_one_arrangement_to_the_next_and_the_keyboard_comes_along(window, settle) -> None:
    control = Qt.KeyboardModifier.ControlModifier
    encoding = window.workbench.encoding.choice
    ways = [
        (Qt.Key.Key_2, lambda: window.workbench.compare.choices["encoding"]),
        (Qt.Key.Key_1, lambda: encoding),
        (Qt.Key.Key_3, window.focusWidget),  # a lab's row
        (Qt.Key.Key_1, lambda: encoding),
    ]
    for key, expected in ways:
        QTest.keyClick(window.focusWidget(), key, control)
        settle(window)
        assert window.focusWidget() is not None
        assert window.focusWidget() is expected()
        assert window.focusWidget().isVisible()


def test_a_click_on_a_curve_puts_its_position_in_focus_and_past_the_sentence_nothing(window, user) -> None:
    user.clicks(window, "waves", x=3, y=0)
    assert session_of(window).focus == 3
    user.clicks(window, "waves", x=20, y=0)
    assert session_of(window).focus == 3


def test_a_shorter_text_puts_its_last_token_in_focus(window, user) -> None:
    user.clicks(window, "attention", x=1, y=5)
    user.pastes(window, "two words")
    assert figure_of(window).panels[0].rows.focus == 1
    assert chips_of(window).currentIndex().row() == 1


# --- The crosshair ------------------------------------------------------------------------------------------------------


def test_pointing_at_a_plot_shows_the_crosshair_in_the_others_and_reads_the_cell(window, user, settle) -> None:
    bring_forward(window, "angles")
    settle(window)
    user.points(window, "attention", x=4, y=1)
    assert crosshair(window, "attention", 0) == crosshair(window, "attention", 1) == (4, 1)
    assert crosshair(window, "waves") == (1, None)
    assert crosshair(window, "angles") == (1, None)
    assert "query cat (1)" in readout(window)
    assert "key the (4)" in readout(window)
    assert readout(window).endswith(" Sinusoidal")  # both maps are read
    assert " No encoding · 0." in readout(window)


def test_pointing_at_a_curve_shows_its_position_as_query_and_key(window, user) -> None:
    user.points(window, "waves", x=3, y=0)
    assert crosshair(window, "attention", 0) == crosshair(window, "attention", 1) == (3, 3)
    assert "position on (3)" in readout(window)
    assert "pair " in readout(window)


def test_a_later_start_is_seen_on_chips_and_curves_and_the_crosshair_stays_on_its_token(window, settle, user) -> None:
    field = window.workbench.tokens.start_form.editor("start").findChild(QAbstractSpinBox)
    turn_wheel(field, field.rect().center(), 120)
    assert session_of(window).start == 0, "the wheel turns the column"
    field.selectAll()
    user.types(field, "100")
    settle(window)
    assert (session_of(window).start, figure_of(window, "waves").panels[0].x.first) == (100, 100)
    user.points(window, "waves", x=103, y=0)
    assert crosshair(window, "attention", 0) == crosshair(window, "attention", 1) == (3, 3)
    assert "position on (103)" in readout(window)
    user.points(window, "attention", x=4, y=1)
    assert crosshair(window, "waves") == (101, None)
    assert "key the (104)" in readout(window)
    user.clicks(window, "waves", x=104, y=0)
    assert session_of(window).focus == 4
    window.workbench.store.undo()
    window.workbench.store.undo()
    assert session_of(window).start == 0


def test_leaving_a_plot_takes_the_crosshair_away(window, user) -> None:
    user.points(window, "attention", x=4, y=1)
    QTest.mouseMove(viewport_of(window, "attention"), QPoint(2, 2))
    assert crosshair(window, "attention") == crosshair(window, "waves") == (None, None)
    assert "query" not in readout(window)


@pytest.mark.own_window  # in whose plots no arrow key has been
@pytest.mark.slow
def test_arrow_keys_move_the_crosshair_enter_chooses_and_escape_ends(window, settle) -> None:
    view = window.workbench.plots["attention"].view
    view.setFocus()
    QTest.keyClick(view, Qt.Key.Key_Right)
    assert crosshair(window, "attention") == (0, 2)  # at the token in focus
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Down, Qt.Key.Key_Down):
        QTest.keyClick(view, key)
    assert crosshair(window, "attention") == (1, 4)
    assert crosshair(window, "waves") == (4, None)
    assert "query the (4)" in readout(window)
    QTest.keyClick(view, Qt.Key.Key_Return)
    settle(window)
    assert session_of(window).focus == 4
    QTest.keyClick(view, Qt.Key.Key_Escape)
    assert crosshair(window, "attention") == (None, None)


@pytest.mark.own_window  # in whose plots no arrow key has been
def test_arrow_keys_go_over_the_edge_of_one_map_into_the_other_and_back(window) -> None:
    view = window.workbench.plots["attention"].view
    without = pe.attend(session_of(window).changed(encoding="none")).probabilities.mean(0)
    with_it = pe.attend(session_of(window)).probabilities.mean(0)
    for _ in range(7):  # onto the first cell, over the five others, and into the other map
        QTest.keyClick(view, Qt.Key.Key_Right)
    both = (format_number(float(found[2, 0])) for found in (without, with_it))
    read = " · {} No encoding · {} Sinusoidal".format(*both)  # the two maps' cells, in whichever the pointer is
    assert readout(window).endswith(read)
    QTest.keyClick(view, Qt.Key.Key_Left)
    assert readout(window).endswith(read)


@pytest.mark.own_window  # in whose plots no arrow key has been
def test_arrow_keys_stop_at_the_edge_and_start_anew_where_the_sentence_has_shrunk(window, user) -> None:
    view = window.workbench.plots["attention"].view
    for _ in range(9):
        QTest.keyClick(view, Qt.Key.Key_Down)
    assert crosshair(window, "attention") == (0, 5)
    user.pastes(window, "a b")
    QTest.keyClick(view, Qt.Key.Key_Down)
    assert "query b (1)" in readout(window)


@pytest.mark.own_window  # in whose plots no arrow key has been
def test_arrow_keys_on_curves_go_along_positions_and_from_curve_to_curve(window) -> None:
    view = window.workbench.plots["waves"].view
    view.setFocus()
    QTest.keyClick(view, Qt.Key.Key_Right)
    first = readout(window)
    assert "(0)" in first
    QTest.keyClick(view, Qt.Key.Key_Right)
    assert crosshair(window, "attention") == (1, 1)
    seen = {readout(window)}
    for _ in range(3):
        QTest.keyClick(view, Qt.Key.Key_Up)
        seen.add(readout(window))
    assert len(seen) == 4


def test_the_wheel_zooms_and_a_double_click_shows_everything_again(window, user, qtbot) -> None:
    box = window.workbench.plots["attention"].view.panel_views()[0].vb
    whole = box.viewRect()
    turn_wheel(viewport_of(window, "attention"), at(window, "attention", 3, 3), 480)
    assert box.viewRect().width() < whole.width()
    double_click(window, "attention", 3, 3)
    qtbot.waitUntil(lambda: box.viewRect() == whole)


def test_a_long_token_under_the_pointer_leaves_the_window_s_size_alone(window, user) -> None:
    user.pastes(window, "x" * 5000)
    size = window.size()
    user.points(window, "attention", x=0, y=0)
    assert "xxx" in readout(window)
    assert window.minimumSizeHint().width() <= size.width()
    assert window.size() == size


# --- Themes, devices, files, help ------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_menu_of_devices_has_the_cpu(window, user) -> None:
    menu = next(menu for menu in window.findChildren(QMenu) if menu.title() == "&Device")
    assert menu.isEnabled()
    cpu = next(entry for entry in menu.actions() if entry.isVisible())
    assert cpu.text() == "CPU"
    assert cpu.isChecked()
    user.chooses(window, "Device", "CPU")
    assert any(re.fullmatch(r"cpu · \d+ ms", label.text()) for label in window.statusBar().findChildren(QLabel))


@pytest.mark.own_window
@pytest.mark.slow
@pytest.mark.skipif(torch.cuda.is_available(), reason="CUDA works here")
def test_a_device_that_fails_gives_way_to_the_cpu_in_a_sentence(window, user, qtbot) -> None:
    window.workbench.set_device("cuda")
    qtbot.waitUntil(lambda: "computed on the CPU" in banner(window))
    assert figure_of(window).session == session_of(window).to_json()


@pytest.mark.slow
def test_a_chosen_device_that_is_gone_is_told_and_stays_chosen_for_when_it_is_back(open_window, tmp_path, user) -> None:
    memory = Memory(tmp_path / "memory")
    memory.keep_settings(Settings(device="quantum"))
    window = open_window()
    assert banner(window) == "The selected device (quantum) is unavailable; using the CPU."
    assert figure_of(window).session == session_of(window).to_json()
    user.chooses(window, "Theme", "Light")
    assert memory.settings().device == "quantum"


def test_nothing_is_taken_that_is_dropped_before_everything_is_loaded(qtbot, tmp_path: Path) -> None:
    window = MainWindow(Memory(tmp_path))
    qtbot.addWidget(window)
    assert not drop(window, pe.Session().save(tmp_path / "dropped.json"))
    window.close()


def test_what_is_no_file_can_not_be_dropped(window) -> None:
    data = QMimeData()
    data.setText("words")
    assert not drop(window, data)


@pytest.mark.slow
def test_a_message_is_as_high_as_its_words(window) -> None:
    line = window.fontMetrics().lineSpacing()
    for words, lines, least in (("Not opened.", 1, 0), ("many words " * 40, 4, window.width() // 2)):
        window.messages.say(words)
        assert lines * line < window.messages.height() < (2 * lines + 3) * line
        assert least < window.messages.width() <= window.width()


@pytest.mark.slow
def test_the_glossary_explains_a_word_beside_the_work(window, user, qtbot) -> None:
    user.chooses(window, "Help", "Glossary")
    (pages,) = window.findChildren(Pages)
    qtbot.waitUntil(pages.isVisible)
    assert not pages.isModal()
    words = pages.findChild(QListWidget)
    words.setFocus()
    while words.currentItem().text() != "Door":
        QTest.keyClick(words, Qt.Key.Key_Down)
    assert any(label.text() == GLOSSARY["Door"] for label in pages.findChildren(QLabel))
    assert words.accessibleDescription() == GLOSSARY["Door"]
    QTest.keyClick(pages, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: not window.findChildren(Pages))


# --- Names for those who hear the window -----------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_plot_is_described_in_words(window) -> None:
    view = window.workbench.plots["attention"].view
    assert view.accessibleName() == "Attention"
    assert "the largest weight of sat (2)" in view.accessibleDescription()
