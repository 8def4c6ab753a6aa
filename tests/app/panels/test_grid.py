"""The grid of patches in the window: put there and taken away in the sentence's card, changed in its form, moved by its chips."""

from __future__ import annotations

import pytest
from hands import LEFT, NO_KEY, figure_of, session_of
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractSpinBox, QLabel, QToolButton

import posenc_gui as pe
from posenc_gui.text.tokenization import MAX_TOKENS

pytestmark = pytest.mark.one_window

ALT = Qt.KeyboardModifier.AltModifier


def tokens_of(window):
    return window.workbench.tokens


def with_patches(window, settle, **fields: int) -> None:
    window.workbench.store.propose(patches=pe.Patches(**fields), encoding=pe.encoding("mrope"))
    settle(window)


def columns_of_map(window) -> list[str]:
    return list(figure_of(window).panels[-1].columns.labels)


def box(window, name: str) -> QAbstractSpinBox:
    return tokens_of(window).patches_form.editor(name).focusProxy()


def centre(chips, index: int) -> QPoint:
    return chips.visualRect(chips.model().index(index)).center()


@pytest.mark.slow
def test_the_menu_puts_a_grid_among_the_words_and_the_form_changes_it(window, user, settle) -> None:
    form, choice = tokens_of(window).patches_form, tokens_of(window).choices()["Image patches"]
    window.workbench.store.propose(encoding=pe.encoding("mrope"), focus=4)
    assert not form.isVisible()
    choice.trigger()
    settle(window)
    assert form.isVisible()
    assert session_of(window).patches == pe.Patches()
    assert session_of(window).tokens[session_of(window).focused] == "the"  # which it was before
    user.types(box(window, "rows"), "1")
    user.types(box(window, "columns"), "2")
    user.types(box(window, "before"), "0")
    settle(window)
    expected = ["▦0,0", "▦0,1", "the", "cat", "sat", "on", "the", "mat"]
    assert columns_of_map(window) == tokens_of(window).chips.model().stringList() == expected
    assert tokens_of(window).text_edit.toPlainText() == session_of(window).text == "The cat sat on the mat"
    assert any(
        one.startswith("Image patches") and entry.isChecked() for one, entry in tokens_of(window).choices().items()
    )
    user.types(box(window, "rows"), "65")
    assert "from 1 to 64" in form.refusal()
    window.workbench.store.undo()
    assert not form.refusal()
    choice.trigger()
    settle(window)
    assert not form.isVisible()
    assert (session_of(window).patches, columns_of_map(window)[0]) == (None, "the")
    while session_of(window).patches != pe.Patches():
        window.workbench.store.undo()
    settle(window)
    assert form.isVisible()
    assert len(columns_of_map(window)) == 18


@pytest.mark.slow
def test_the_card_counts_words_and_patches_apart(window, user, settle) -> None:
    with_patches(window, settle, rows=1, columns=1)
    told = next(one for one in tokens_of(window).findChildren(QToolButton) if "word" in one.text())
    assert told.text() == "6 words, 1 patch"
    user.pastes(window, "")
    assert (told.text(), session_of(window).tokens) == ("0 words, 1 patch", ("▦0,0",))
    user.pastes(window, "a b")
    assert told.text() == "2 words, 1 patch"


@pytest.mark.slow
def test_what_is_cut_off_a_text_is_told_of_the_text(window, qtbot) -> None:
    window.workbench.store.propose(text="a " * (MAX_TOKENS + 5), patches=pe.Patches())
    cut_off = f"Only the first {MAX_TOKENS - 12:,} words are used"
    labels = tokens_of(window).findChildren(QLabel)
    qtbot.waitUntil(lambda: any(cut_off in one.text() for one in labels))
    window.workbench.stop()


@pytest.mark.slow
@pytest.mark.parametrize(("key", "before"), [(Qt.Key.Key_Right, 4), (Qt.Key.Key_Left, 2)])
def test_a_patch_takes_the_whole_grid_along(window, settle, key: Qt.Key, before: int) -> None:
    with_patches(window, settle, rows=2, columns=2)
    chips = tokens_of(window).chips
    QTest.mouseClick(chips.viewport(), LEFT, NO_KEY, centre(chips, 5))
    QTest.keyClick(chips, key, ALT)
    settle(window)
    session = session_of(window)
    assert (session.patches.before, session.order) == (before, ())
    assert session.tokens[session.focused] == "▦1,0"


@pytest.mark.slow
def test_a_word_passes_the_grid_as_one_token(window, settle) -> None:
    with_patches(window, settle, rows=2, columns=2)
    chips = tokens_of(window).chips
    QTest.mouseClick(chips.viewport(), LEFT, NO_KEY, centre(chips, 2))
    QTest.keyClick(chips, Qt.Key.Key_Right, ALT)
    settle(window)
    assert columns_of_map(window) == ["the", "cat", "▦0,0", "▦0,1", "▦1,0", "▦1,1", "sat", "on", "the", "mat"]
    assert session_of(window).focused == chips.currentIndex().row() == 6
    QTest.keyClick(chips, Qt.Key.Key_Right, ALT)
    QTest.keyClick(chips, Qt.Key.Key_Left, ALT)
    QTest.keyClick(chips, Qt.Key.Key_Left, ALT)
    settle(window)
    assert (session_of(window).patches.before, session_of(window).order, session_of(window).focused) == (3, (), 2)


@pytest.mark.slow
def test_a_word_dragged_over_the_grid_ends_among_the_words(window, settle) -> None:
    with_patches(window, settle, rows=1, columns=3, before=2)
    chips = tokens_of(window).chips
    QTest.mousePress(chips.viewport(), LEFT, NO_KEY, centre(chips, 0))
    for target in (1, 3, 4, 5):
        QTest.mouseMove(chips.viewport(), centre(chips, target))
    QTest.mouseRelease(chips.viewport(), LEFT, NO_KEY, centre(chips, 5))
    settle(window)
    session = session_of(window)
    assert session.patches == pe.Patches(rows=1, columns=3, before=2)
    assert session.tokens == ("cat", "sat", "▦0,0", "▦0,1", "▦0,2", "the", "on", "the", "mat")
    assert session.tokens[session.focused] == "▦0,0"  # as before


@pytest.mark.slow
def test_the_order_is_of_the_words(window, settle) -> None:
    with_patches(window, settle, rows=1, columns=2, before=1)
    choices, chips = tokens_of(window).choices(), tokens_of(window).chips
    orders = []
    for name in ("Reverse", "Shuffle", "Shuffle", "As typed"):
        choices[name].trigger()
        assert session_of(window).tokens[1:3] == ("▦0,0", "▦0,1")
        orders.append(session_of(window).order)
    assert orders[0] == (5, 4, 3, 2, 1, 0)
    assert len({*orders}) == 4
    assert orders[-1] == ()
    choices["Swap"].trigger()
    QTest.mouseClick(chips.viewport(), LEFT, NO_KEY, centre(chips, 1))
    assert "Image patches keep their order" in tokens_of(window).refusal()
    assert session_of(window).order == ()
