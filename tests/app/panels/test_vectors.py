"""The table of token vectors: typed over by the keyboard, refused in a sentence, and seeded again."""

from __future__ import annotations

import pytest
import torch
from hands import LEFT, figure_of, session_of
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QTableWidget, QToolButton

import posenc_gui as pe

pytestmark = pytest.mark.one_window


@pytest.fixture
def small(window, settle):
    """The window with a model whose vectors can be typed, and the table before the other panels."""
    window.cards["model"].bring()
    window.workbench.store.propose(encoding="none", model=pe.ToyModel(d_model=4, n_heads=1))
    settle(window)
    return window


def table_of(window) -> QTableWidget:
    return window.workbench.model.vectors.table


def help_of(window) -> str:
    return next(one for one in window.workbench.model.vectors.findChildren(QLabel) if one.objectName()).text()


def seeded(window) -> QToolButton:
    return window.workbench.model.vectors.findChild(QToolButton, options=Qt.FindChildOption.FindDirectChildrenOnly)


def types(window, row: int, column: int, text: str, end: Qt.Key = Qt.Key.Key_Return) -> None:
    """Go to a cell and type over what stands there."""
    table = table_of(window)
    table.setFocus()
    table.setCurrentCell(row, column)
    QTest.keyClick(table, Qt.Key.Key_F2)
    editor = table.findChildren(QLineEdit)[-1]  # earlier ones may wait for their deletion
    QTest.keyClick(editor, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClick(editor, Qt.Key.Key_Delete)
    QGuiApplication.clipboard().setText(text)  # QTest has no key for a real minus sign
    QTest.keyClick(editor, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClick(editor, end)
    QApplication.processEvents()  # Qt commits what was typed a moment later


def shown(window) -> list[list[str]]:
    table = table_of(window)
    return [
        [table.item(row, column).text() for column in range(table.columnCount())] for row in range(table.rowCount())
    ]


def test_the_table_has_each_token_once_with_its_vector(small) -> None:
    table = table_of(small)
    tokens = ["the", "cat", "sat", "on", "mat"]
    assert [table.verticalHeaderItem(row).text() for row in range(table.rowCount())] == tokens
    expected = session_of(small).model.embed(tuple(tokens))
    numbers = torch.tensor([[float(cell.replace("−", "-")) for cell in row] for row in shown(small)])
    torch.testing.assert_close(numbers, expected, rtol=1e-3, atol=1e-4)
    assert table.isVisible()


def test_a_number_typed_into_a_cell_changes_the_vector_and_the_attention(small, settle) -> None:
    before = session_of(small)
    seeds = before.model.embed(("cat",))[0]
    old = figure_of(small).panels[0].values
    types(small, 1, 2, "−2,5")
    model = session_of(small).model
    ((token, vector),) = model.vectors
    assert token == "cat"
    assert vector == pytest.approx([*seeds[:2].tolist(), -2.5, float(seeds[3])], abs=1e-6)
    assert shown(small)[1][2] == "−2.5"
    settle(small)
    figure = figure_of(small)
    assert (figure.panels[0].values != old).any()
    attention = pe.attend(before.changed(model=model)).probabilities.mean(0).numpy()
    assert figure.panels[0].values == pytest.approx(attention)
    assert small.workbench.store.undo_name == "Typed vectors"


def test_several_numbers_add_up_to_a_vector_and_leave_the_other_tokens(small) -> None:
    sat = session_of(small).model.embed(("sat",))
    for column, text in enumerate(("1", "0.5", "-1e-1", "0")):
        types(small, 0, column, text)
    types(small, 4, 0, "3")
    vectors = dict(session_of(small).model.vectors)
    assert set(vectors) == {"the", "mat"}
    assert vectors["the"] == (1.0, 0.5, -0.1, 0.0)
    torch.testing.assert_close(session_of(small).model.embed(("sat",)), sat)


@pytest.mark.slow
def test_what_is_no_number_is_refused_in_a_sentence_and_nothing_changes(small, settle) -> None:
    for number, text in enumerate(("nonsense", "", "1 2", "nan", "inf", "1e39", "-1e7", "<b>1</b>")):
        before, cells = session_of(small), shown(small)
        types(small, 1, 2, text)
        assert session_of(small) == before, text
        assert shown(small) == cells, text
        assert help_of(small).startswith(f"“{text}” ")
        assert help_of(small).endswith("; the vector was not changed."), text
        types(small, 1, 2, f"{number}")
        settle(small)
        assert help_of(small).startswith("Type over a number"), text


def test_escape_leaves_the_cell_as_it_was(small) -> None:
    before, cells = session_of(small), shown(small)
    types(small, 1, 2, "7", end=Qt.Key.Key_Escape)
    assert (session_of(small), shown(small)) == (before, cells)


def test_seeded_again_takes_the_typed_vectors_back(small, settle) -> None:
    before, cells = session_of(small), shown(small)
    assert not seeded(small).isVisible()
    types(small, 1, 2, "7")
    types(small, 0, 0, "7")
    assert seeded(small).isVisible()
    QTest.mouseClick(seeded(small), LEFT)
    assert session_of(small) == before
    assert shown(small) == cells
    assert not seeded(small).isVisible()
    settle(small)


def test_undo_shows_the_vector_that_stood_there(small, settle) -> None:
    cells = shown(small)
    types(small, 1, 2, "7")
    small.workbench.store.undo()
    assert shown(small) == cells
    settle(small)


@pytest.mark.slow
def test_a_shape_that_typed_vectors_do_not_fit_is_refused_and_the_form_says_so(small) -> None:
    types(small, 1, 2, "7")
    before = session_of(small)
    form = small.workbench.model.form
    QTest.keyClick(form.editor("d_model").focusProxy(), Qt.Key.Key_Up)
    assert session_of(small) == before
    assert "remove the typed vectors first" in form.refusal()


@pytest.mark.slow
def test_the_table_goes_where_it_can_not_be_read(small, user) -> None:
    user.pastes(small, " ".join(f"word{number}" for number in range(13)))
    assert not table_of(small).isVisible()
    assert help_of(small) == "Word vectors can be edited with at most 8 dimensions and 12 different words."
    user.pastes(small, "dog dog dog bites man")
    assert table_of(small).isVisible()
    assert len(shown(small)) == 3
    small.workbench.store.propose(model=pe.ToyModel(d_model=16, n_heads=1))
    assert not table_of(small).isVisible()
