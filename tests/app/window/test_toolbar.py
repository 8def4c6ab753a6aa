"""The bar, the search, the gallery of plots and the headline: by the keyboard alone, and named for those who hear them."""

from __future__ import annotations

from collections.abc import Callable
from itertools import groupby

import pytest
from hands import LEFT, action, banner, choose_arrangement, figure_of
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSlider,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QLabel,
    QLineEdit,
    QMenu,
    QPlainTextEdit,
    QPushButton,
    QScrollBar,
    QTabBar,
    QToolButton,
    QWidget,
)

import posenc_gui as pe
from posenc_gui.app.panels.token_chips import ChipsView
from posenc_gui.app.state.fuzzy_search import SearchEntry, search
from posenc_gui.app.widgets.focus_order import ONE_STOP
from posenc_gui.app.widgets.headline_label import Headline
from posenc_gui.app.window.command_palette import CommandPalette, FindButton
from posenc_gui.app.window.menus import ChoiceButtons, Toolbar
from posenc_gui.app.window.plot_gallery import Gallery
from posenc_gui.figure.runs import Run, quote_runs, sentence
from posenc_gui.foundation.resources import folder
from posenc_gui.labs.definition import lab_library
from posenc_gui.models.presets import models
from posenc_gui.plots import plots

pytestmark = pytest.mark.one_window

CONTROL = Qt.KeyboardModifier.ControlModifier
ARRANGEMENTS = ("Explore", "Compare", "Lab")


# --- The bar --------------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_arrow_keys_go_through_the_arrangements_and_space_chooses(window, settle) -> None:
    explore, compare, *_ = window.findChild(ChoiceButtons).findChildren(QPushButton)
    explore.setFocus()
    QTest.keyClick(explore, Qt.Key.Key_Right)
    assert compare.hasFocus()
    QTest.keyClick(compare, Qt.Key.Key_Space)
    settle(window)
    assert window.workbench.store.session.other is not None
    QTest.keyClick(window, Qt.Key.Key_1, CONTROL)
    settle(window)
    assert window.workbench.store.session.other is None


def test_the_menus_are_behind_one_button_by_f10_and_alt_until_the_menu_bar_is_wanted(window, user, qtbot) -> None:
    assert not window.menuBar().isVisible()
    for key in (Qt.Key.Key_F10, Qt.Key.Key_Alt):
        QTest.keyClick(window.windowHandle(), key)
        qtbot.waitUntil(lambda: isinstance(QApplication.activePopupWidget(), QMenu))
        titles = [one.text() for one in QApplication.activePopupWidget().actions()]
        assert titles == [one.text() for one in window.menuBar().actions()]
        QTest.keyClick(QApplication.activePopupWidget(), Qt.Key.Key_Escape)
    user.chooses(window, "View", "Menu bar")
    assert window.menuBar().isVisible()
    user.chooses(window, "View", "Menu bar")
    assert not window.menuBar().isVisible()


@pytest.mark.own_window
@pytest.mark.slow
def test_with_large_type_a_narrow_window_leaves_out_buttons_that_are_in_the_menus_and_nothing_else(
    window, qtbot
) -> None:
    def seen() -> list[str]:
        buttons = [one for one in window.findChild(Toolbar).findChildren(QToolButton) if one.isVisible()]
        return [
            one.defaultAction().objectName()
            for one in buttons
            if one.defaultAction() and one.defaultAction().objectName()
        ]

    window.resize(1280, 800)
    assert seen() == ["open", "save", "undo", "redo"]
    for _ in range(5):
        action(window, "Larger").trigger()
    window.resize(700, 620)  # or as narrow as may be
    choices = window.findChild(ChoiceButtons)
    qtbot.waitUntil(lambda: len(seen()) < 4 and choices.width() >= choices.sizeHint().width())


@pytest.mark.slow
def test_what_the_bar_undoes_is_what_the_menu_undoes(window, user) -> None:
    undo = next(one for one in window.findChildren(QToolButton) if one.defaultAction() is action(window, "Undo"))
    assert not undo.isEnabled()
    user.chooses_encoding(window, "rope")
    QTest.mouseClick(undo, LEFT)
    assert window.workbench.store.session.encoding.name == "sinusoidal"


# --- The search -----------------------------------------------------------------------------------------------------------


def search_for(window, words: str) -> CommandPalette:
    QTest.keyClick(window, Qt.Key.Key_K, CONTROL)
    finder = window.findChild(CommandPalette)
    assert finder.hasFocus()
    QTest.keyClicks(finder, words)
    return finder


def rows(finder: CommandPalette) -> list[str]:
    return [one.words for one in finder.rows.found]


@pytest.mark.slow
def test_an_encoding_is_found_and_chosen_by_the_keyboard_which_then_is_where_it_was(window, settle) -> None:
    text = window.workbench.tokens.text_edit
    text.setFocus()
    finder = search_for(window, "rope")
    assert rows(finder)[0] == "RoPE"
    assert len(rows(finder)) <= 10
    QTest.keyClick(finder, Qt.Key.Key_Return)
    settle(window)
    assert window.workbench.store.session.encoding.name == "rope"
    assert text.hasFocus()
    assert not finder.isVisible()


def test_arrow_keys_choose_a_row_and_escape_goes_back(window) -> None:
    window.workbench.tokens.text_edit.setFocus()
    finder = search_for(window, "a")
    QTest.keyClick(finder, Qt.Key.Key_Down)
    assert finder.at == 1
    QTest.keyClick(finder, Qt.Key.Key_Up)
    QTest.keyClick(finder, Qt.Key.Key_Up)
    assert finder.at == 0
    QTest.keyClick(finder, Qt.Key.Key_Escape)
    assert not finder.isVisible()
    assert window.workbench.tokens.text_edit.hasFocus()


@pytest.mark.slow
def test_each_kind_of_thing_is_found(window, settle) -> None:
    lab = lab_library.labs()[1]
    for words, first in (
        ("undo", "Undo"),
        ("angles", "Angles"),
        ("sinusodal", "Sinusoidal"),  # mistyped
        (lab.title, lab.title),
        (lab.steps[2].title, lab.steps[2].title),
        ("man bites dog", "man bites dog"),
        (models()[0].title, models()[0].title),
        ("theme dark", "Theme: Dark"),
    ):
        window.workbench.store.propose(focus=1 if window.workbench.store.session.focus != 1 else 2)  # to be undone
        finder = search_for(window, words)
        assert rows(finder)[0].startswith(first), (words, rows(finder))
        QTest.keyClick(finder, Qt.Key.Key_Escape)
    settle(window)


def test_what_is_called_nothing_says_so_and_does_nothing(window) -> None:
    session = window.workbench.store.session
    finder = search_for(window, "qqqqxxxzz")
    assert rows(finder) == []
    assert finder.told.text().startswith("Nothing found. There are parameters")
    QTest.keyClick(finder, Qt.Key.Key_Return)
    assert window.workbench.store.session is session


def test_the_nearest_name_comes_first_and_keys_stand_beside_what_they_do(window) -> None:
    things = [SearchEntry("Same words", "Plots", print, about="words"), SearchEntry("Words", "Plots", print)]
    assert [one.words for one in search("words", things)] == ["Words", "Same words"]
    for plot in plots().values():
        finder = search_for(window, plot.title)
        assert rows(finder)[0] == plot.title  # a field may be called so, too
        assert next(one.words for one in finder.rows.found if one.kind == "Plots") == plot.title
        QTest.keyClick(finder, Qt.Key.Key_Escape)
    assert rows(search_for(window, "wavelength"))[0] == "Frequencies"
    assert rows(search_for(window, "t5"))[0] == "T5 relative bias"  # before the models that are called after it
    models = rows(search_for(window, "llama 3.1"))
    assert models[0] == "Llama 3.1 8B"
    assert not any("Phi" in words for words in models)  # which is only like it
    assert search_for(window, "find anything").rows.found[0].does == "Ctrl+K"


def test_what_is_found_stands_in_a_panel_under_the_headings_of_its_kinds(window) -> None:
    finder = search_for(window, "rope")
    assert [one.heading for one in finder.rows.found][:: len(finder.rows.found) - 1] == ["Encodings", "Labs"]
    for width in (1440, 1000, 480):
        window.resize(width, 700)
        panel = finder.parentWidget()
        assert window.rect().contains(panel.geometry())
        assert panel.width() >= min(640, width - 40)
    head = finder.rows.visualItemRect(finder.rows.item(0)).center()
    QTest.mouseClick(finder.rows.viewport(), LEFT, pos=head)
    assert finder.isVisible()  # a heading is no entry
    QTest.mouseClick(finder.over, LEFT, pos=QPoint(5, 5))
    assert not finder.isVisible()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("typed", "found", "sides"),
    [
        ("rope 10000 vs 500000", "RoPE: base 10,000 vs 500,000", (pe.encoding("rope"), pe.encoding("rope", base=5e5))),
        ("rope vs alibi", "RoPE vs ALiBi", (pe.encoding("rope"), pe.encoding("alibi"))),
        (
            "t5 small vs whisper",
            "T5 small (encoder) vs Whisper tiny (encoder)",
            (pe.preset("t5-small").encoding, pe.preset("whisper-tiny").encoding),
        ),
    ],
)
def test_two_are_compared_by_their_names(typed, found, sides, window, settle) -> None:
    finder = search_for(window, typed)
    assert (rows(finder)[0], {one.kind for one in finder.rows.found}) == (found, {"Compare"})
    QTest.keyClick(finder, Qt.Key.Key_Return)
    settle(window)
    session = window.workbench.store.session
    assert (session.encoding, session.other) == sides
    assert window.cards["compare"].in_view
    assert window.workbench.store.undo_name == f"Compare {found}"


def test_a_comparison_that_can_t_be_made_says_why(window, qtbot) -> None:
    QTest.keyClick(search_for(window, "rope 0 vs 5"), Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: "Not compared: base: should be at least 1" in banner(window))


# --- The gallery ----------------------------------------------------------------------------------------------------------


def test_a_plot_is_opened_from_the_gallery_by_the_keyboard(window, settle, qtbot) -> None:
    QTest.keyClick(window, Qt.Key.Key_P, CONTROL)
    gallery = window.findChild(Gallery)
    assert gallery.isVisible()
    assert gallery.tiles["attention"].accessibleName().startswith("Attention, open · ")
    assert "open" not in gallery.tiles["angles"].accessibleName()
    places = [tile.geometry() for tile in gallery.tiles.values()]
    names = gallery.tiles["attention"].parentWidget().findChildren(QLabel)
    assert not any(place.intersects(name.geometry()) for name in names for place in places)
    before = QApplication.focusWidget()
    QTest.keyClick(before, Qt.Key.Key_Right)
    QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Down)
    chosen = QApplication.focusWidget()
    assert chosen is not before
    (name,) = (name for name, tile in gallery.tiles.items() if tile is chosen)
    QTest.keyClick(chosen, Qt.Key.Key_Return)
    settle(window)
    assert not gallery.isVisible()
    assert window.cards[f"plot.{name}"].in_view
    assert window.cards[f"plot.{name}"].isAncestorOf(QApplication.focusWidget())


def test_escape_and_a_click_elsewhere_put_the_gallery_away(window) -> None:
    text = window.workbench.tokens.text_edit
    text.setFocus()
    (button,) = (one for one in window.findChildren(QPushButton) if one.text() == "Plots")
    QTest.mouseClick(button, LEFT)
    gallery = window.findChild(Gallery)
    assert button.isChecked()
    QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Escape)
    assert not gallery.isVisible()
    assert not button.isChecked()
    QTest.mouseClick(button, LEFT)
    text.setFocus()
    assert not gallery.isVisible()
    QTest.mouseClick(button, LEFT)
    choose_arrangement(window, "Lab")
    assert not gallery.isVisible()


def test_every_plot_has_a_small_picture() -> None:
    """`python -m tools.thumbnails` draws them."""
    assert {path.stem for path in (folder() / "plots").glob("*.svg")} == set(plots())


# --- Headline and messages ------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_headline_is_that_of_the_plot_at_hand_and_never_html(window, user, settle, qtbot) -> None:
    headline = window.findChild(Headline)
    for size in ((1000, 600), (1280, 800), (1600, 1000)):  # cards are arranged anew
        window.resize(*size)
        settle(window)
        assert headline.sentence == quote_runs(figure_of(window).headline)
    user.pastes(window, "> b > </b>")
    window.workbench.store.propose(focus=1)
    settle(window)
    assert "“<”" in headline.sentence
    user.chooses(window, "Near and far", "Similarity")
    window.workbench.plots["similarity"].view.setFocus()
    settle(window)
    figure = figure_of(window, "similarity")
    qtbot.waitUntil(lambda: headline.sentence == quote_runs(figure.headline))


@pytest.fixture
def shown(qtbot) -> Callable[[int], Headline]:
    """A headline of this width."""

    def show(width: int) -> Headline:
        headline = Headline()
        qtbot.addWidget(headline)
        headline.resize(width, 44)
        headline.show()
        return headline

    return show


def test_a_long_headline_takes_smaller_type_and_never_more_room_than_three_lines(shown) -> None:
    headline = shown(600)
    heights = []
    headline.show_sentence((Run("Short. "), Run("0.5", "number")))
    assert headline.seen == "Short. 0.5"
    for words in ("Short.", "many words " * 11, "many words " * 18, "many words " * 60):
        assert not headline.seen.endswith("…")
        headline.show_sentence((Run(words), Run("👩‍👩‍👧", "focus"), Run("0.5", "number")))
        heights.append(headline.height())
    assert headline.seen.endswith((" many …", " words …"))
    assert heights[0] < heights[2] <= heights[3] <= heights[1]


def test_a_headline_of_two_lines_begins_the_second_sentence_in_the_second(shown) -> None:
    headline = shown(4000)

    def bounds(*runs: str) -> tuple[int, int]:
        headline.show_sentence(tuple(Run(text) for text in runs))
        inked = [
            (x, y)
            for image in [headline.grab().toImage()]
            for x in range(0, headline.plots.x(), 2)
            for y in range(image.height())
            if image.pixelColor(x, y).lightness() < 100
        ]
        return max(x for x, _ in inked), headline.height()

    first, second = "One sentence of several words. ", "And another sentence of several "
    whole, low = bounds(first + second, "words.")
    alone, _ = bounds(second, "words.")
    headline.resize(headline.width() - headline.plots.x() + whole - 20, 44)
    broken, high = bounds(first + second, "words.")
    assert high > low
    assert broken == pytest.approx(alone, abs=3)


@pytest.mark.slow
def test_a_message_covers_neither_the_text_nor_the_headline(window) -> None:
    for size in ((1280, 800), (960, 540)):
        window.resize(*size)
        window.messages.say("Something went wrong. " * 10)
        for other in (window.workbench.tokens.text_edit, window.findChild(Headline)):
            place = other.mapTo(window, QPoint())
            assert not window.messages.geometry().intersects(other.rect().translated(place))
    assert banner(window)


@pytest.mark.own_window
@pytest.mark.slow
def test_a_line_of_one_sentence_is_as_high_as_that(window) -> None:
    window.messages.tell("Shown.")
    one = window.messages.height()
    pictures = [plot.view for plot in window.workbench.plots.values() if plot.view.isVisible()]
    assert pictures
    for view in pictures:
        place = view.rect().translated(view.mapTo(window, QPoint()))
        assert not window.messages.geometry().intersects(place)
    window.messages.tell("Shown again, and again. " * 12)
    assert one <= 3 * window.fontMetrics().height() < window.messages.height()


# --- Everything by keyboard, everything named -------------------------------------------------------------------------------


def takes_keyboard(window) -> list[QWidget]:
    """What can have the keyboard now, but for parts that Qt made itself; of choices, arrow keys reach the others."""
    made_by_qt = (QScrollBar, QMenu)
    whole = (QAbstractSpinBox, QComboBox, QAbstractItemView)
    found = []
    for widget in window.findChildren(QWidget):
        above, inside = widget.parentWidget(), False
        while above is not None:
            inside = inside or isinstance(above, whole)
            above = above.parentWidget()
        can = widget.isVisible() and widget.isEnabled() and widget.focusPolicy() & Qt.FocusPolicy.TabFocus
        is_other = widget.objectName() == "choice" and isinstance(widget, QPushButton) and not widget.isChecked()
        if (beside := widget.parentWidget()) and beside.property(ONE_STOP):
            is_other = any(one.isVisible() and one.x() < widget.x() for one in beside.findChildren(QToolButton))
        if can and not inside and not is_other and not isinstance(widget, made_by_qt) and not widget.focusProxy():
            found.append(widget)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("title", ARRANGEMENTS)
def test_everything_that_takes_the_keyboard_is_named_and_reached_by_tab(window, settle, title) -> None:
    if title != "Explore":
        choose_arrangement(window, title)
        settle(window)
    wanted = takes_keyboard(window)
    spoken = {one: QAccessible.queryAccessibleInterface(one).text(QAccessible.Text.Name) for one in wanted}
    assert [one for one, name in spoken.items() if not name and not isinstance(one, QTabBar)] == []
    window.workbench.tokens.text_edit.setFocus()
    reached = set()
    for _ in range(3 * len(wanted)):
        at = QApplication.focusWidget()
        reached.add(at)
        writes_tabs = isinstance(at, QPlainTextEdit) and not at.tabChangesFocus()
        QTest.keyClick(at, Qt.Key.Key_Tab, CONTROL if writes_tabs else Qt.KeyboardModifier.NoModifier)
    assert [spoken[one] for one in wanted if one not in reached and not isinstance(one, QTabBar)] == []


@pytest.mark.own_window
@pytest.mark.slow
@pytest.mark.parametrize("title", ARRANGEMENTS)
def test_tab_goes_as_the_window_is_read_and_back_the_same_way(window, settle, qtbot, title) -> None:
    choose_arrangement(window, title)
    settle(window)
    qtbot.waitUntil(lambda: window.findChild(Headline).plots.isVisible() == (title != "Lab"))

    def places(key: Qt.Key) -> list[QWidget]:
        menus = window.findChild(QToolButton, "menus")
        menus.setFocus()
        found = [menus]
        while (at := pressed(found[-1], key)) is not menus:
            found.append(at)
        return found

    def pressed(at: QWidget, key: Qt.Key) -> QWidget:
        QTest.keyClick(at, key)
        return QApplication.focusWidget()

    forth = places(Qt.Key.Key_Tab)
    assert [forth[0], *reversed(forth[1:])] == places(Qt.Key.Key_Backtab)
    cards = [next((name for name, card in window.cards.items() if card.isAncestorOf(one)), "") for one in forth]
    column = {"Explore": ("tokens", "encoding"), "Compare": ("tokens", "compare"), "Lab": ("lab",)}[title]
    visited = [name for name, _ in groupby(cards)]
    beyond = [] if title == "Lab" else ["", "plot.attention"]  # the button of all plots; a list of labs stands alone
    assert visited[: len(column) + 3] == ["", *column, *beyond]
    assert len(set(visited)) == len(visited) - bool(beyond)
    assert isinstance(forth[cards.index(column[0]) - 1], FindButton)


@pytest.mark.own_window
def test_f6_goes_from_part_to_part_and_comes_back_to_where_it_was(window, settle) -> None:
    chips = window.workbench.tokens.findChild(ChipsView)
    chips.setFocus()

    def part() -> str:
        now = QApplication.focusWidget()
        return next((name for name, card in window.cards.items() if card.isAncestorOf(now)), "")

    found = []
    for _ in range(7):
        found.append(part())
        QTest.keyClick(window, Qt.Key.Key_F6)
    assert found[0] == part() == "tokens"
    assert found[1:3] == ["encoding", ""]
    assert QApplication.focusWidget() is chips
    QTest.keyClick(window, Qt.Key.Key_F6, Qt.KeyboardModifier.ShiftModifier)
    assert part() == ""


def test_few_controls_are_seen_at_first_start(open_window) -> None:
    """Sixty-eight were, before cards kept theirs until they are pointed at."""
    window = open_window()
    window.resize(1280, 800)
    QApplication.focusWidget().clearFocus()
    kinds = (QAbstractButton, QLineEdit, QPlainTextEdit, QComboBox, QAbstractSpinBox, QAbstractSlider, QTabBar)
    faint = ("float", "maximise", "close", "copy", "export")
    seen = [
        one
        for one in window.findChildren(QWidget)
        if isinstance(one, kinds)
        and one.isVisible()
        and not one.visibleRegion().isEmpty()
        and one.objectName() not in faint
        and not isinstance(one, QScrollBar)
        and not isinstance(one.parentWidget(), QLineEdit | QAbstractSpinBox | QComboBox)
    ]
    assert not [one for one in seen if isinstance(one, QTabBar)]
    assert len(seen) <= 36


def test_a_headline_that_would_be_cut_gives_way_to_the_shorter_one_where_it_is_narrow(shown, qtbot) -> None:
    headline = shown(900)
    both, now = sentence("Before: ", *["all is as it was "] * 12, "Now: ", 2.42), sentence("Now it is ", 2.42)
    headline.show_sentence(both, False, now)
    qtbot.waitUntil(lambda: "Before" in headline.seen)
    headline.resize(300, 100)
    qtbot.waitUntil(lambda: headline.seen == "Now it is 2.42")
    headline.resize(900, 100)
    qtbot.waitUntil(lambda: "Before" in headline.seen)
