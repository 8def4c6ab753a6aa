"""Questions in words: what is understood, that numbers told are those computed, and what is left to Find's rows."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import posenc_gui as pe
from posenc_gui import encodings
from posenc_gui.attention.engine import Engine
from posenc_gui.figure.runs import quote_runs
from posenc_gui.models.answer_topics import Answer
from posenc_gui.models.answers import answer, answers
from posenc_gui.session.first_session import first_session
from posenc_gui.session.session import Session

ENGINE = Engine()
START = first_session().changed(encoding="rope")


def told(typed: str, session: Session = START) -> str:
    """Return the answer as text; empty if there is none."""
    found = answer(typed, session, ENGINE)
    return quote_runs(found.runs) if found else ""


def answered(typed: str, session: Session = START) -> Answer:
    """Return an answer that there must be."""
    found = answer(typed, session, ENGINE)
    assert found is not None, typed
    return found


def test_the_start_sessions_answer_is_the_headlines_numbers_and_what_else_may_be_asked_comes_answered() -> None:
    first, *others = answers("does RoPE tell the two “the” apart?", START, ENGINE)
    assert quote_runs(first.runs) == (
        "Yes. With RoPE, “sat” gives the two “the” 0.27 and 0.17. Without position, 0.23 each."
    )
    assert [run.text for run in first.runs if run.kind == "focus"] == ["sat"]
    assert "pair 0" in first.basis
    assert first.plot == "attention"
    said = {one.question: quote_runs(one.runs) for one in others}
    assert said["Where do they part?"].startswith("The two “the” part most in pair 0: 0.44 against −0.28")
    assert re.fullmatch(r"18 of \d+ do; .*", said["Which encodings tell the two the apart?"])


@pytest.mark.parametrize(
    ("typed", "says", "plot"),
    [
        ("can it tell the first the from the second?", "Yes. With RoPE", "attention"),
        ("does rotery embedding tell both the apart", "Yes. With RoPE", "attention"),
        ("are the two the the same under sinusodial?", "No. With Sinusoidal", "attention"),
        ("does word order matter with no encoding?", "No. Without an encoding", "equivariance"),
        ("does ALiBi notice if I reverse the sentence", "No. With ALiBi", "equivariance"),
        ("what if I swap cat and mat", "With RoPE, reordering", "equivariance"),
        ("what does sat look at", "With RoPE, “sat” attends most to “cat”: 0.28.", "attention"),
        ("what happens if the sentence starts later?", "Counted from 100", "attention"),
        ("does attention from mat to cat depend only on distance?", "Yes. Moved by 100", "shift"),
        ("is sinusoidal relative?", "No. Moved by 100", "shift"),
        ("which encodings are relative?", "16 of ", "comparison"),
        ("does attention fall off with distance", "Yes. With RoPE, distance weakens", "kernel"),
        ("which pairs never finish a turn?", "8 of 8 pairs", "frequencies"),
        ("how far apart are cat and mat", "“cat” (1) and “mat” (5) stand 4 words apart.", "attention"),
        ("how much does alibi penalize cat from mat?", "With ALiBi, position adds −0.02 to the score of “mat”", "attention"),
        ("does it tell equal words apart?", "Yes. With RoPE", "attention"),
    ],
)  # fmt: skip
def test_a_question_is_understood(typed: str, says: str, plot: str) -> None:
    found = answered(typed)
    assert quote_runs(found.runs).startswith(says)
    assert found.plot == plot
    found.session.picture(plot, ENGINE)  # Show has something to show


@pytest.mark.parametrize(
    "typed",
    ["rope vs alibi", "long context", "which encoding does llama use?", "how do I change the order?", "does dog look at cat?",
     "what is attention?", "does RoPE not tell the two the apart?", "", "??", "does it tell the two cats apart?"],
)  # fmt: skip
def test_what_is_no_question_about_the_sentence_is_left_to_the_rows(typed: str) -> None:
    assert not told(typed)


def test_what_the_session_lacks_is_said_with_what_to_do() -> None:
    hello = START.changed(text="hello")
    for typed in ("does it tell the two the apart?", "which encodings tell equal words apart?"):
        found = answered(typed, hello)
        assert "twice" in quote_runs(found.runs)
        assert found.session.text == "The cat sat on the mat"
        assert found.show != "Show"
    assert "at most 512 words" in told(
        "which encodings tell the two the apart?", START.changed(fill="random", fill_to=600)
    )
    masked = START.changed(model=START.model.with_fields(causal=True))
    assert told("does sat look at mat?", masked) == "No. The mask hides “mat” (5) from “sat”."
    both = told("does it tell the two the apart?", START.changed(other="alibi"))
    assert both.startswith("Yes. With RoPE")
    assert "Partly. With ALiBi" in both


@settings(max_examples=25)
@given(
    st.sampled_from([name for name in encodings.names() if name != "none"]),
    st.lists(st.sampled_from(["cat", "dog", "sun", "tree", "bird"]), min_size=2, max_size=6, unique=True),
    st.data(),
)
def test_each_number_told_is_that_of_attend(name: str, words: list[str], data: st.DataObject) -> None:
    session = Session(text=" ".join(words), encoding=encodings.encoding(name), model=START.model)
    query, key = data.draw(st.sampled_from(words)), data.draw(st.sampled_from(words))
    weights = pe.attend(session).probabilities.mean(0)
    found = told(f"how much does {query} attend to {key}?", session)
    weight = float(weights[words.index(query), words.index(key)])
    number = re.findall(r" ([\d.]+\d)", found)[0]
    assert float(number) == pytest.approx(weight, abs=0.0051), found
