"""Where the sentence is typed: any text, of any length, stays what was typed, and is laid out piece by piece."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QTextCursor
from PySide6.QtTest import QTest

from posenc_gui.app.panels.text_edit import MOST_EDITED, SentenceEdit

CONTROL = Qt.KeyboardModifier.ControlModifier
MOST_LAID_OUT = 3000  # characters of one block
LONG = {
    "letters": "abcdefghij" * (MOST_EDITED // 10),
    "marks": "e" + "\u0301" * (MOST_EDITED - 1),
    "emoji": "\U0001f469\u200d" * (MOST_EDITED // 2),
    "prose": "the cat sat on the mat. " * (MOST_EDITED // 24),
    "lines": "line\n" * (MOST_EDITED // 5),
}


@pytest.fixture(scope="module")
def edit(qapp) -> SentenceEdit:
    return SentenceEdit()


def paste(edit: SentenceEdit, text: str) -> None:
    QGuiApplication.clipboard().setText(text)
    edit.paste()


def longest_block(edit: SentenceEdit) -> int:
    blocks, block = [], edit.document().begin()
    while block.isValid():
        blocks.append(block.length())
        block = block.next()
    return max(blocks)


@pytest.mark.parametrize("name", LONG)
def test_a_text_of_any_length_is_laid_out_in_pieces_and_read_as_it_was_typed(edit: SentenceEdit, name: str) -> None:
    text = LONG[name]
    edit.setPlainText(text)
    assert edit.toPlainText() == text
    assert longest_block(edit) < MOST_LAID_OUT
    edit.selectAll()
    edit.copy()
    assert QGuiApplication.clipboard().text() == text
    edit.setPlainText("before after")
    for _ in range(len("before")):
        QTest.keyClick(edit, Qt.Key.Key_Right)
    paste(edit, text)
    assert edit.toPlainText() == f"before{text} after"
    assert longest_block(edit) < MOST_LAID_OUT


ACTS = st.one_of(
    st.tuples(
        st.just("paste"), st.integers(0, 3000), st.sampled_from(["x", "y " * 40, "z" * 1500, "one\ntwo", "\n" * 3])
    ),
    st.tuples(st.just("remove"), st.integers(0, 3000), st.integers(0, 2500)),
    st.tuples(st.sampled_from(["back", "delete", "enter"]), st.integers(0, 3000), st.just(0)),
)


@given(st.lists(ACTS, max_size=8), st.sampled_from(["a" * 2500, "b " * 1200, "c" * 1000 + "\n" + "d" * 1000, ""]))
@settings(max_examples=16, deadline=None)
def test_edits_anywhere_do_what_they_do_to_the_text(qapp, acts: list[tuple], text: str) -> None:
    edit = SentenceEdit()
    edit.setPlainText(text)
    for what, at, how in acts:
        cursor = edit.textCursor()
        cursor.setPosition(min(at, edit.document().characterCount() - 1))
        edit.setTextCursor(cursor)
        place = len(_before(edit))
        match what:
            case "paste":
                paste(edit, how)
                text = text[:place] + how + text[place:]
            case "remove":
                cursor.setPosition(
                    min(cursor.position() + how, edit.document().characterCount() - 1), QTextCursor.MoveMode.KeepAnchor
                )
                edit.setTextCursor(cursor)
                edit.copy()
                gone = QGuiApplication.clipboard().text() if cursor.hasSelection() else ""
                assert text[place : place + len(gone)] == gone
                edit.cut()
                text = text[:place] + text[place + len(gone) :]
            case "back":
                QTest.keyClick(edit, Qt.Key.Key_Backspace)
                text = text[: max(0, place - 1)] + text[place:]
            case "delete":
                QTest.keyClick(edit, Qt.Key.Key_Delete)
                text = text[:place] + text[place + 1 :]
            case _:
                QTest.keyClick(edit, Qt.Key.Key_Return)  # leaves the sentence as it is
                QTest.keyClick(edit, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
                text = text[:place] + "\n" + text[place:]
        assert edit.toPlainText() == text
    QGuiApplication.clipboard().setText("")  # what is left there Qt deletes after Python has ended


def _before(edit: SentenceEdit) -> str:
    """The text before the cursor, as it would be copied."""
    cursor = QTextCursor(edit.document())
    cursor.setPosition(edit.textCursor().position(), QTextCursor.MoveMode.KeepAnchor)
    other = edit.textCursor()
    edit.setTextCursor(cursor)
    text = edit.createMimeDataFromSelection().text()
    edit.setTextCursor(other)
    return text
