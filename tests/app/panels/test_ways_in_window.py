"""Ways in from the window: sentences, models, tokenizers, a click on the attention map, and code to take along."""

from __future__ import annotations

import json

import pytest
from hands import LEFT, bring_forward, figure_of, labels_of, open_file, session_of, words_seen
from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPlainTextEdit, QToolButton
from word_tokenizer import save_tokenizer

import posenc_gui as pe
from posenc_gui.app.widgets.headline_label import Headline
from posenc_gui.figure.runs import quote_runs
from posenc_gui.foundation.wording import format_distinct
from posenc_gui.models.presets import models, presets_shown_by
from posenc_gui.scene.example_sentences import sentences
from posenc_gui.session.first_session import first_session
from posenc_gui.text.tokenization import LARGEST_TOKENIZER

pytestmark = pytest.mark.one_window


def panels_of(window, plot: str = "attention"):
    return figure_of(window, plot).panels


def examples_of(window) -> list[QAction]:
    """The sentences that can be chosen, in the order in which they stand in their groups."""
    (found,) = (one for one in window.cards["tokens"].findChildren(QToolButton) if one.text() == "Examples")
    return [leaf for entry in found.menu().actions() for leaf in entry.menu().actions()]


def told_of(window) -> str:
    """What the examples' button says of the sentence that is shown, to those who see it and to those who hear it."""
    (found,) = (one for one in window.cards["tokens"].findChildren(QToolButton) if one.text() == "Examples")
    assert found.toolTip().endswith(found.accessibleDescription())
    return found.accessibleDescription()


# --- Sentences and models


@pytest.mark.slow
def test_each_sentence_of_the_menu_comes_with_its_note_and_can_be_undone(window, settle) -> None:
    chosen = [sentence for group in sentences() for sentence in group.sentences]
    actions = examples_of(window)
    assert [action.text() for action in actions] == [sentence.title for sentence in chosen]
    for action, sentence in zip(actions, chosen, strict=True):
        before = session_of(window)
        action.trigger()
        session = session_of(window)
        assert session.text == window.workbench.tokens.text_edit.toPlainText() == sentence.session["text"]
        assert sentence.note == told_of(window)
        assert action.toolTip() == sentence.note
        window.workbench.store.undo()
        assert session_of(window) == before
        window.workbench.store.redo()
        assert session_of(window) == session
    settle(window)
    assert panels_of(window)[0].rows.labels == ("b", "a", "c")


def test_the_note_goes_when_the_sentence_is_typed_over(window, user, settle) -> None:
    note = sentences()[3].sentences[0].note
    assert note == told_of(window)  # the default sentence is one of them
    user.pastes(window, "The cat sat on the rug")
    assert told_of(window) == ""
    user.pastes(window, "The cat sat on the mat")
    assert note == told_of(window)


def test_the_course_s_table_stands_in_the_window_as_it_was_typed(window, settle) -> None:
    (table,) = (one for one in examples_of(window) if "three dimensions" in one.text())
    bring_forward(window, "combined")
    window.cards["model"].raise_()
    table.trigger()
    settle(window)
    token, position, _ = panels_of(window, "combined")
    assert token.values.tolist() == [pytest.approx(row) for row in ([0.2, 0.8, 0.1], [0.8, 0.3, 0.7], [0.4, 0.6, 0.5])]
    assert position.values[1:, 2].tolist() == pytest.approx([0.0022, 0.0043], abs=5e-5)
    cells = window.workbench.model.vectors.table
    assert [cells.item(1, column).text() for column in range(3)] == ["0.8", "0.3", "0.7"]


@pytest.mark.slow
def test_each_model_of_the_menu_sets_encoding_shape_and_mask_in_one_step(window, settle) -> None:
    choice = window.workbench.encoding.choice
    assert [choice.itemText(choice.count() - len(models()) + at) for at in range(len(models()))] == [
        model.description for model in models()
    ]
    for model in models():
        if model.name not in ("bert-base", "t5-small", "modernbert-base", "whisper-tiny", "opt-125m"):
            continue  # the others differ in their numbers, and take their time
        before = session_of(window)
        choice.setCurrentIndex(choice.findText(model.description))
        session = session_of(window)
        assert session.encoding == model.encoding
        assert session == model.chosen(before)
        assert model in presets_shown_by(session)
        assert window.workbench.encoding.choice.currentData() == model.encoding.name
        window.workbench.store.undo()
        assert session_of(window) == before
        window.workbench.store.redo()
    settle(window)
    assert all(panel.mask is None for panel in panels_of(window)), "the last one has no mask"


def test_a_model_s_config_is_opened_over_the_sentence_and_goes_back_out(window, settle, tmp_path) -> None:
    path = tmp_path / "config.json"
    scaling = {"rope_type": "linear", "factor": 4.0}
    config = {"model_type": "llama", "hidden_size": 64, "num_attention_heads": 4, "max_position_embeddings": 2048}
    path.write_text(json.dumps(config | {"num_key_value_heads": 2, "rope_theta": 5e5, "rope_scaling": scaling}))
    documents, before = window.documents, session_of(window)
    open_file(window, path)
    session = session_of(window)
    assert session.encoding == pe.encoding("rope", base=5e5, scaling=scaling | {"trained_length_is": "unsaid"})
    assert (session.model.d_model, session.model.causal, session.trained_length) == (64, True, 2048)
    assert session.text == before.text
    assert documents.file.path is None, "it is no file to save the session to"
    assert window.windowTitle().startswith("config.json ")
    window.findChild(QAction, "copy_rotation").trigger()
    block = json.loads(QGuiApplication.clipboard().text())
    assert pe.from_config({**config, **block}).encoding == session.encoding
    window.workbench.store.undo()
    assert session_of(window) == before
    path.write_text(json.dumps(config | {"rope_scaling": {"type": "odd"}}))
    open_file(window, path)
    assert session_of(window) == before


@pytest.mark.slow
def test_the_panel_says_whose_shape_it_is_and_what_is_not_modelled(window, settle) -> None:
    window.findChild(QAction, "model.modernbert-base").trigger()
    told = window.workbench.model.published.text()
    assert "ModernBERT base" in told
    assert "sliding window" in told
    assert "transformers 5.24, ModernBertConfig" in told
    assert session_of(window).other == pe.encoding("rope")
    assert session_of(window).trained_length == 8192
    window.workbench.store.propose(encoding="sinusoidal")
    assert not window.workbench.model.published.text()


def test_a_first_start_shows_the_twins_apart_and_marks_them_equal_without_position(open_window) -> None:
    window = open_window()
    assert session_of(window) == first_session()
    plain, encoded, _row = panels_of(window)
    assert plain.equal == {0, 4}
    assert abs(encoded.values[2, 0] - encoded.values[2, 4]) >= 0.10
    headline = quote_runs(figure_of(window).headline)
    assert headline.startswith("Without position, “sat” gives both “the” ")
    assert headline == window.findChild(Headline).sentence


# --- A cell of the attention map


@pytest.mark.slow
def test_a_click_on_a_cell_looks_at_its_query_and_key_in_why_and_row(window, user, settle) -> None:
    for plot in ("why", "row"):
        bring_forward(window, plot)
        user.clicks(window, "attention", 4, 1, panel=1)
        session = session_of(window)
        assert (session.focus, session.key) == (1, 4)
        (panel,) = panels_of(window, plot)
        weight = float(pe.attend(session).probabilities[0, 1, 4])
        if plot == "row":
            assert panel.title == "from cat (1)"
            assert panel.series[1].values[4] == pytest.approx(weight, rel=1e-3)
        else:
            assert panel.title == "query cat (1), key the (4), head 0"
            assert panel.rows[panel.focus][-1] == pytest.approx(weight, rel=1e-3)
            plain = session.changed(encoding="none")
            alone = float(pe.attend(plain).probabilities[0, 1, 4])  # what the other map has in this cell
            told = quote_runs(figure_of(window, "why").headline)
            assert told.endswith(f"without position it is {format_distinct([weight, alone])[1]}.")
        user.clicks(window, "attention", 0, 5)
        assert (session_of(window).focus, session_of(window).key) == (5, 0)
        assert "mat (5)" in panels_of(window, plot)[0].title


# --- Tokenizers


def choose(window, settle, words: str) -> None:
    """Choose in the menus of the sentence's card."""
    window.workbench.tokens.choices()[words].trigger()
    settle(window)


def split_into(window) -> str:
    """The entry that is checked."""
    (checked,) = (one for one in window.workbench.tokens.choices().values() if one.isChecked())
    return checked.text()


@pytest.mark.slow
def test_text_is_split_into_characters_and_bytes(window, user, settle) -> None:
    user.pastes(window, "Né b")
    for tokenizer, tokens in (("characters", ["n", "é", "␣", "b"]), ("bytes", ["6E", "C3", "A9", "20", "62"])):
        choose(window, settle, tokenizer.capitalize())
        assert session_of(window).tokenizer == tokenizer
        assert labels_of(window) == tokens
        assert panels_of(window)[0].rows.labels == tuple(tokens)


@pytest.mark.slow
def test_a_file_of_the_tokenizers_library_splits_the_text_and_stays_in_the_list(
    window, user, settle, answer, unhurried, tmp_path
) -> None:
    answer(save_tokenizer(tmp_path / "mine.json", "The", "cat"))
    choose(window, settle, "tokenizer.json …")
    assert labels_of(window) == ["The", "cat", "?", "?", "?", "?"]
    assert panels_of(window)[0].rows.labels == ("The", "cat", "?", "?", "?", "?")
    assert split_into(window) == "mine.json"
    choose(window, settle, "Words")
    assert labels_of(window) == ["the", "cat", "sat", "on", "the", "mat"]
    assert "mine.json" in window.workbench.tokens.choices()
    window.workbench.store.undo()
    settle(window)
    assert split_into(window) == "mine.json"


def test_a_file_of_another_kind_is_refused_with_those_that_are(window, user, settle, answer, tmp_path) -> None:
    answer(tmp_path / "words.txt")
    choose(window, settle, "tokenizer.json …")
    assert session_of(window) == pe.Session()
    assert split_into(window) == "Words"
    assert "there is no tokenizer" in window.workbench.tokens.refusal()


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["missing", "folder", "huge", "other"])
def test_a_file_that_is_none_is_one_sentence_and_the_session_stays_saves_and_loads(
    window, user, settle, answer, tmp_path, kind: str
) -> None:
    path = tmp_path / "none.json"
    if kind == "folder":
        path.mkdir()
    elif kind == "huge":
        with path.open("wb") as file:
            file.truncate(LARGEST_TOKENIZER + 1)
    elif kind == "other":
        path.write_text('{"a": 1}', encoding="utf-8")
    answer(path)
    choose(window, settle, "tokenizer.json …")
    session = session_of(window)
    assert session == pe.Session(tokenizer=str(path))
    assert labels_of(window) == []
    (said,) = (words for words in words_seen(window.workbench.tokens) if "none.json" in words)
    assert said.endswith(".")
    assert "\n" not in said
    (note,) = panels_of(window)
    assert note.text == said
    assert pe.Session.load(session.save(tmp_path / "session.json")) == session
    choose(window, settle, "Words")
    assert session_of(window) == pe.Session()
    assert labels_of(window) == ["the", "cat", "sat", "on", "the", "mat"]


# --- Code


@pytest.mark.slow
def test_the_code_is_that_of_encoding_and_model_and_copies_whole_and_can_not_be_typed_over(window, settle) -> None:
    window.cards["code"].bring()
    text = window.workbench.code.findChild(QPlainTextEdit)
    (copy,) = (one for one in window.cards["code"].findChildren(QToolButton) if one.text() == "Copy")
    small = pe.ToyModel(d_model=12, n_heads=2)
    for change in (
        *({"encoding": pe.encoding(name)} for name in pe.encodings()),
        {"encoding": pe.encoding("alibi"), "model": small},
        {"model": small.model_copy(update={"causal": True})},
        {"encoding": pe.encoding("rope", base=1234.0)},
    ):
        window.workbench.store.propose(**change)
        encoding, model = session_of(window).encoding, session_of(window).model
        code = encoding.code(model.d_model, model.n_heads, model.head_width, model.causal)
        assert text.toPlainText() == code
        QTest.mouseClick(copy, LEFT)
        assert QGuiApplication.clipboard().text() == code
    assert "1_234.0" in code
    QTest.keyClicks(text, "import os")
    assert text.toPlainText() == code
    settle(window)
