"""The course's sentences, and what a first start shows."""

from __future__ import annotations

from random import Random

import pytest
import torch
from sampled import dealt

import posenc_gui as pe
from posenc_gui.attention.engine import Engine
from posenc_gui.figure.panels import Heatmap, Slopes
from posenc_gui.figure.runs import quote_runs
from posenc_gui.foundation.errors import Undefined
from posenc_gui.foundation.errors import describe_error as sentence_of
from posenc_gui.scene.example_sentences import sentence_note, sentences
from posenc_gui.session.evaluate import evaluate
from posenc_gui.session.first_session import first_session

SENTENCES = [sentence for group in sentences() for sentence in group.sentences]
TABLE = next(sentence for sentence in SENTENCES if "three dimensions" in sentence.title)
every_sentence = pytest.mark.parametrize("sentence", SENTENCES, ids=lambda sentence: sentence.title)


def refusal(encoding: str, model: pe.ToyModel) -> str:
    """Why an encoding can't act on a model of this shape; empty where it can."""
    try:
        pe.encoding(encoding).check_shape(model.d_model, model.n_heads, model.head_width)
    except Undefined as why:
        return str(why)
    return ""


def without_position(session: pe.Session) -> pe.Session:
    return session.changed(encoding="none")


@every_sentence
def test_a_sentence_sets_its_fields_and_says_its_note(sentence) -> None:
    session = sentence.chosen(pe.Session(text="before", focus=9, order=(0,)))
    assert session.text == sentence.session["text"]
    assert session.focus == sentence.session.get("focus", 9)
    assert session.order == ()
    assert session.encoding.name == "sinusoidal"
    assert sentence_note(session) == sentence.note


def test_a_sentence_leaves_the_encoding_and_the_model() -> None:
    before = pe.Session(encoding=pe.encoding("rope", base=500.0), model=pe.ToyModel(d_model=32, seed=4))
    after = SENTENCES[0].chosen(before)
    assert (after.encoding, after.model) == (before.encoding, before.model)


def test_a_note_stands_for_the_sentence_as_it_is_shown_and_for_no_other() -> None:
    session = SENTENCES[0].chosen(pe.Session())
    assert sentence_note(session.reordered((2, 1, 0))) == ""
    assert sentence_note(session.changed(text="dog bites men")) == ""
    assert sentence_note(session.changed(encoding="rope")) == SENTENCES[0].note


def test_the_table_s_note_leaves_with_its_vectors() -> None:
    table = TABLE.chosen(first_session())
    assert sentence_note(table) == TABLE.note
    seeded = table.changed(model=pe.ToyModel(d_model=3, n_heads=1))
    assert sentence_note(seeded) == "Without position it is the same set as “Sat cat the”."


@every_sentence
def test_any_sentence_can_follow_the_table(sentence) -> None:
    session = sentence.chosen(TABLE.chosen(first_session()))
    assert bool(session.model.vectors) == (sentence is TABLE)
    assert sentence_note(session) == sentence.note


@pytest.mark.slow
@pytest.mark.parametrize(
    ("sentence", "encoding"),
    [
        pytest.param(sentence, name, id=f"{sentence.title}-{name}")
        for sentence, names in dealt(SENTENCES, pe.encodings(), 2)
        for name in names
    ],
)
def test_every_sentence_goes_with_every_encoding_or_is_refused_in_one_line(sentence, encoding: str) -> None:
    session = sentence.chosen(first_session())
    if why := refusal(encoding, session.model):  # pairs need an even d_head
        with pytest.raises(ValueError, match="must be even") as refused:
            session.changed(encoding=encoding)
        assert sentence_of(refused.value).startswith(why.removesuffix("."))
        return
    session = session.changed(encoding=encoding)
    drawn = {"attention", *Random(f"{sentence.title} {encoding}").sample(sorted(pe.plots()), 5)}
    figures = {one.name: one.figure for one in evaluate(session, drawn, Engine())}
    assert set(figures) == drawn
    assert all(figure.panels for figure in figures.values())
    assert all(isinstance(panel, Heatmap | Slopes) for panel in figures["attention"].panels)


# --- The course's numbers


def test_the_course_s_table_is_the_token_the_formula_s_position_and_their_sum() -> None:
    token, position, combined = pe.plot("combined", TABLE.chosen(first_session())).panels
    assert token.values.tolist() == [pytest.approx(row) for row in ([0.2, 0.8, 0.1], [0.8, 0.3, 0.7], [0.4, 0.6, 0.5])]
    assert token.rows.labels == ("the", "cat", "sat")
    sine, cosine = [0, 0.8415, 0.9093], [1, 0.5403, -0.4161]
    slow = [0, 0.0022, 0.0043]  # not 0.84 and 0.91
    assert position.values[:, 0].tolist() == pytest.approx(sine, abs=5e-5)
    assert position.values[:, 1].tolist() == pytest.approx(cosine, abs=5e-5)
    assert position.values[:, 2].tolist() == pytest.approx(slow, abs=5e-5)
    assert combined.values.tolist() == [pytest.approx(row) for row in (token.values + position.values).tolist()]


def test_the_first_session_tells_the_two_the_apart_by_at_least_a_tenth() -> None:
    session = first_session()
    assert (session.tokens[0], session.tokens[4], session.tokens[2]) == ("the", "the", "sat")
    row = pe.attend(session).probabilities[:, 2].mean(0)
    assert abs(row[0] - row[4]) >= 0.10
    row = pe.attend(without_position(session)).probabilities[:, 2].mean(0)
    torch.testing.assert_close(row[0], row[4], rtol=0, atol=1e-6)


def test_the_first_session_s_headline_says_both_rows_numbers() -> None:
    figure = pe.plot("attention", first_session())
    plain, encoded = (panel.values[2] for panel in figure.panels[:2])
    told = f"With Sinusoidal, {encoded[0]:.2f} and {encoded[4]:.2f}."
    assert quote_runs(figure.headline) == f"Without position, “sat” gives both “the” {plain[0]:.2f}. {told}"


def test_equal_rows_and_columns_are_marked_without_position_alone() -> None:
    plain, encoded, _row = pe.plot("attention", first_session()).panels
    assert plain.equal == {0, 4}
    torch.testing.assert_close(torch.tensor(plain.values[0]), torch.tensor(plain.values[4]), rtol=0, atol=1e-6)
    torch.testing.assert_close(torch.tensor(plain.values[:, 0]), torch.tensor(plain.values[:, 4]), rtol=0, atol=1e-6)
    assert encoded.equal == frozenset()
    assert abs(encoded.values[0] - encoded.values[4]).max() > 0.01
