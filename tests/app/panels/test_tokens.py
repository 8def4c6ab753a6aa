"""The sentence's card: what can be chosen in its menus, what it tells, and the way to one of many tokens."""

from __future__ import annotations

import pytest
from hands import action, session_of, words_seen
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QFont
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QToolButton, QWidget

from posenc_gui.app.panels.text_edit import MOST_EDITED
from posenc_gui.app.panels.token_chips import ChipsView
from posenc_gui.foundation.theme import LIGHT
from posenc_gui.text.tokenization import MAX_TOKENS, find_token

pytestmark = pytest.mark.one_window


def named(window, name: str) -> QWidget:
    """What those who hear the window find under a name."""
    tokens = window.workbench.tokens
    return next(one for one in tokens.findChildren(QWidget) if one.accessibleName().startswith(name))


@pytest.mark.slow
def test_the_button_tells_how_many_of_what_there_are(window, user) -> None:
    for choice, text, words in (
        ("Words", "one", "1 word"),
        ("Words", "a b c", "3 words"),
        ("Characters", "ab", "2 characters"),
        ("Bytes", "é", "2 bytes"),
    ):
        window.workbench.tokens.choices()[choice].trigger()
        user.pastes(window, text)
        button = named(window, "Split into")
        assert (button.text(), button.accessibleName()) == (words, f"Split into: {words}")


@pytest.mark.slow
def test_what_of_a_text_is_not_read_is_told(window, user, qtbot) -> None:
    window.workbench.store.propose(text="a " * (MAX_TOKENS + 5))  # as from a file: nobody waits for all its maps
    cut_off = f"Only the first {MAX_TOKENS:,} words are used"
    qtbot.waitUntil(lambda: any(cut_off in one for one in words_seen(window.workbench.tokens)))
    window.workbench.stop()
    edit = window.workbench.tokens.text_edit
    assert any("The field shows the beginning" in one for one in words_seen(window.workbench.tokens))
    assert edit.isReadOnly()
    assert edit.toPlainText().startswith("a a a ")
    assert len(edit.toPlainText()) < MOST_EDITED < len(session_of(window).text)
    QTest.keyClicks(edit, "x")
    QTest.keyClick(edit, Qt.Key.Key_Return)
    assert session_of(window).text == "a " * (MAX_TOKENS + 5)
    window.workbench.store.undo()
    assert not edit.isReadOnly()
    user.pastes(window, "a b")
    assert words_seen(window.workbench.tokens) == ["Starts at"]


@pytest.mark.slow
def test_the_order_tells_when_it_is_not_as_typed(window, settle) -> None:
    button, choices = named(window, "Order"), window.workbench.tokens.choices()
    assert (button.text(), button.accessibleName()) == ("Order", "Order: as typed")
    choices["Reverse"].trigger()
    assert (button.text(), button.accessibleName()) == ("Reordered", "Order: not as typed")
    choices["As typed"].trigger()
    assert button.text() == "Order"
    choices["Swap"].trigger()
    assert button.text() == "Swap with …"
    choices["Swap"].trigger()
    assert button.text() == "Order"
    settle(window)


def test_menus_are_opened_by_the_keyboard_and_say_what_each_entry_does(window, qtbot) -> None:
    with qtbot.waitActive(window):
        window.activateWindow()
    for name in ("Split into", "Order"):
        button = named(window, name)
        assert button.focusPolicy() & Qt.FocusPolicy.TabFocus
        assert button.menu().toolTipsVisible()
        for entry in button.menu().actions():
            assert entry.isSeparator() or entry.toolTip()


def test_a_button_is_at_rest_again_when_its_menu_has_closed(window) -> None:
    buttons = [*window.workbench.tokens.findChildren(QToolButton), *window.findChildren(QToolButton, "copy")]
    with_menu = [button for button in buttons if button.menu()]
    assert len(with_menu) > 3
    for button in with_menu:
        button.setAttribute(Qt.WidgetAttribute.WA_UnderMouse)  # where the pointer was when the menu opened
        button.setDown(True)
        button.menu().aboutToHide.emit()
        assert not button.isDown()
        assert not button.underMouse()


@pytest.mark.slow
def test_the_text_grows_with_its_lines_up_to_some(window, user) -> None:
    edit = window.workbench.tokens.text_edit
    heights = []
    for text in ("one", "a line that is too long for the narrow column of the window", "words and words " * 100):
        user.pastes(window, text)
        heights.append(edit.height())
    assert heights[0] < heights[1] < heights[2] < 8 * heights[0]


# --- The way to one of many tokens ------------------------------------------------------------------------------------


def go_to(window, wanted: str) -> None:
    field = named(window, "Go to")
    field.clear()
    QTest.keyClicks(field, wanted)
    QTest.keyClick(field, Qt.Key.Key_Return)


@pytest.mark.slow
def test_a_token_is_reached_by_its_number_or_its_letters(window, user, settle, qtbot) -> None:
    assert not named(window, "Go to").isVisible()
    user.pastes(window, " ".join(f"word{at}" for at in range(150)))
    qtbot.waitUntil(named(window, "Go to").isVisible)  # there are more chips than can be seen
    for wanted, at in (("120", 120), ("WORD77", 77), ("word1", 78 + 22), ("word1", 101)):
        go_to(window, wanted)
        assert session_of(window).focus == at
    go_to(window, "nowhere")
    assert session_of(window).focus == 101
    assert "No position and no word matches “nowhere”. Positions are 0 to 149." in words_seen(window.workbench.tokens)
    go_to(window, "3")
    assert not window.workbench.tokens.refusal()
    settle(window)
    user.pastes(window, "a b")
    assert not named(window, "Go to").isVisible()
    user.chooses(window, "Edit", "Go to position …")
    QTest.keyClick(named(window, "Go to"), Qt.Key.Key_Escape)
    assert not named(window, "Go to").isVisible()


def test_a_refusal_ends_when_the_dialog_for_another_tokenizer_is_cancelled(window, answer) -> None:
    tokens, before = window.workbench.tokens, session_of(window)
    answer("")
    go_to(window, "nowhere")
    assert "nowhere" in tokens.refusal()
    tokens.choices()["tokenizer.json …"].trigger()
    assert tokens.refusal() == ""
    assert session_of(window) == before


def test_of_very_many_tokens_those_around_the_focus_have_chips(qapp, qtbot) -> None:
    chips = ChipsView(lambda _source, target, _held: target)
    qtbot.addWidget(chips)
    chosen: list[int] = []
    chips.chosen.connect(chosen.append)
    tokens = tuple(f"w{at}" for at in range(100_000))

    def shown_around(focus: int) -> tuple[str, int]:
        chips.show_tokens(tokens, frozenset(), focus)
        return chips.currentIndex().data(), chips.model().rowCount()

    assert shown_around(0) == ("w0", chips.model().rowCount())
    assert chips.model().rowCount() < 20_000
    for focus in (16_000, 16_300, 50_000, 99_999):
        assert shown_around(focus)[0] == f"w{focus}"
        assert f"positions {chips.model().index(0).data()[1:]}" in chips.said_of_part.replace(",", "")
    chips.setCurrentIndex(chips.model().index(chips.model().rowCount() - 2))  # as a click does
    assert chosen == [99_998]
    chips.show_tokens(tokens[:6], frozenset(), 2)
    assert (chips.model().rowCount(), chips.said_of_part) == (6, "")


@pytest.mark.parametrize(
    ("wanted", "after", "at"),
    [
        ("1", 0, 1),
        ("9", 0, 3),
        ("the", 0, 4),
        ("the", 4, 0),
        ("A", 0, 2),
        ("zz", 0, None),
        ("", 5, 0),
        ("99999999999", 0, None),
    ],
)
def test_a_token_is_found_by_position_first_then_by_letters_going_round(
    wanted: str, after: int, at: int | None
) -> None:
    assert find_token(("the", "dog", "sat", "on9", "the", "mat"), wanted, after) == at


@pytest.mark.slow
def test_a_text_is_made_longer_in_the_menu_and_says_so_and_undo_takes_it_back(window, user) -> None:
    user.chooses(window, "Longer text", "Repeated to 512 words")
    session = session_of(window)
    assert (session.fill, session.fill_to, session.n_tokens) == ("repeat", 512, 512)
    assert session.text == "The cat sat on the mat"
    assert "Longer than typed: the text repeated to 512 tokens." in words_seen(window.workbench.tokens)
    user.chooses(window, "Longer text", "As typed")
    assert session_of(window).n_tokens == 6
    action(window, "Undo").trigger()
    user.settle(window)
    assert session_of(window) == session


@pytest.mark.own_window
@pytest.mark.slow
def test_among_very_many_tokens_the_one_in_focus_is_in_view_however_it_came_there(window, user, qtbot) -> None:
    words = [f"w{at}" for at in range(20_000)]
    words[7_777] = "needle"
    tokens, store = window.workbench.tokens, window.workbench.store
    chips = tokens.chips

    def sees(at: int) -> bool:
        row = chips.currentIndex()
        return row.data() == words[at] and chips.viewport().rect().contains(chips.visualRect(row).center())

    store.propose(text=" ".join(words))
    qtbot.waitUntil(lambda: chips.model().rowCount() > 1000)
    window.workbench.stop()  # nobody waits for its maps
    go = named(window, "Go to")
    for typed, at in (("12345", 12_345), ("needle", 7_777), ("9999", 9_999)):
        tokens.ask_to_go()
        user.types(go, typed)
        QTest.keyClick(go, Qt.Key.Key_Return)
        qtbot.waitUntil(lambda at=at: sees(at))
    store.undo()
    before = session_of(window).focus or 0
    assert before != 9_999
    qtbot.waitUntil(lambda: sees(before))
    store.propose(focus=19_999)  # as by a click on the map
    qtbot.waitUntil(lambda: sees(19_999))


def test_the_ring_of_the_focus_is_drawn_over_the_chips_and_moves_none(window, settle) -> None:
    chips = window.workbench.tokens.chips
    first = chips.visualRect(chips.model().index(0, 0)).center()
    QTest.mouseClick(
        chips.viewport(), Qt.MouseButton.LeftButton, pos=chips.visualRect(chips.model().index(2, 0)).center()
    )
    settle(window)
    assert chips.hasFocus()
    assert chips.visualRect(chips.model().index(0, 0)).center() == first
    ring = chips.viewport().grab().toImage().pixelColor(0, first.y())  # the first chip begins at the same edge
    assert ring.name() == LIGHT.focus.lower()


def test_chips_are_higher_where_another_font_with_higher_lines_stands_in(qtbot) -> None:
    chips = ChipsView(lambda *_: None)
    qtbot.addWidget(chips)
    chips.setFont(QFont("DejaVu Math TeX Gyre"))  # without these signs
    heights = []
    for tokens in ("ab", "cd"), ("ab", "⠿ⴰ"):
        chips.show_tokens(tokens, frozenset(), 0)
        heights.append(chips.sizeHintForRow(0))
    lines = [chips.fontMetrics().boundingRect(QRect(), 0, text).height() for text in ("ab", "⠿ⴰ")]
    assert heights[1] - heights[0] == lines[1] - lines[0] >= 0
