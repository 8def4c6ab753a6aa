"""The answer in Find: it comes while one types, Enter shows it as one step of undo, and nothing typed before is answered."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from posenc_gui.app.window.answer_block import AnswerBlock
from posenc_gui.app.window.command_palette import CommandPalette

pytestmark = pytest.mark.one_window


def asked(window, words: str) -> tuple[CommandPalette, AnswerBlock]:
    """Type a question into Find."""
    (finder,) = window.findChildren(CommandPalette)
    finder.begin()
    QTest.keyClicks(finder, words)
    return finder, finder.answer


def test_enter_shows_what_the_answer_speaks_of_and_one_undo_takes_it_back(window, settle, qtbot) -> None:
    store = window.workbench.store
    before, steps = store.session, store.at
    finder, block = asked(window, "does RoPE tell the two the apart?")
    QTest.keyClick(finder, Qt.Key.Key_Return)  # sooner than the answer: it runs no row in its place
    assert finder.isVisible()
    qtbot.waitUntil(lambda: block.spoken.startswith("Yes."))
    assert "with RoPE, “sat” gives the two “the”" in block.spoken
    assert store.session == before  # a question replaces nothing
    qtbot.waitUntil(lambda: len(block.others) == 3)
    assert finder.rows.found[0].words.startswith("Which encodings")
    QTest.keyClick(finder, Qt.Key.Key_Return)
    settle(window)
    assert not finder.isVisible()
    assert (store.session.encoding.name, store.at) == ("rope", steps + 1)
    assert window.workbench.in_front[0] == "attention"
    store.undo()
    assert store.session == before
    settle(window)


def test_what_was_typed_before_is_never_answered(window, qtbot) -> None:
    finder, block = asked(window, "does alibi tell the two the apart?")
    finder.clear()
    QTest.keyClicks(finder, "does rope tell the two the apart?")
    qtbot.waitUntil(lambda: not block.isHidden() and "RoPE" in block.spoken)
    assert "ALiBi" not in block.spoken
    QTest.keyClicks(finder, " gif")
    qtbot.waitUntil(block.isHidden)
    QTest.keyClick(finder, Qt.Key.Key_Escape)
    assert not finder.isVisible()


def test_a_refusal_says_what_to_do_and_another_way_is_shown_by_its_row(window, settle, qtbot) -> None:
    store = window.workbench.store
    finder, block = asked(window, "where do they part?")
    qtbot.waitUntil(lambda: any(one.does == "Two orders" for one in block.others))
    row = next(one for one in finder.rows.found if one.does == "Two orders")
    QTest.keyClick(finder, Qt.Key.Key_Escape)
    row.run()
    settle(window)
    assert window.workbench.in_front[0] == "equivariance"
    store.propose(text="hello")
    settle(window)
    finder, block = asked(window, "do equal words part?")
    qtbot.waitUntil(lambda: block.spoken.endswith("Take “The cat sat on the mat”"))
    QTest.mouseClick(block._button, Qt.MouseButton.LeftButton)
    settle(window)
    assert store.session.text == "The cat sat on the mat"
