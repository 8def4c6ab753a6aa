"""The sentence over attention: what it says is what the maps hold, in every case that its words tell apart."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import posenc_gui as pe
from posenc_gui.figure.runs import Run, format_as_told, quote_runs
from posenc_gui.foundation.wording import format_distinct

NUMBER = re.compile(r"[-−]?\d+\.\d+")
TWINS = "The cat sat on the mat"


def told(text: str = TWINS, focus: int = 2, *, encoding: str = "rope", causal: bool = False, **options: object) -> str:
    model = pe.ToyModel(d_model=16, n_heads=1, causal=causal)
    session = pe.Session(text=text, focus=focus, encoding=encoding, model=model, plots={"attention": options})
    return quote_runs(pe.plot("attention", session).headline)


@pytest.mark.parametrize(
    ("sentence", "pattern"),
    [
        (told(), "Without position, “sat” gives both “the” N. With RoPE, N and N."),
        (told(quantity="scores"), "Without position, “sat” scores both “the” N. With RoPE, N and N."),
        (told(quantity="position"), "With RoPE, position adds N and N to the scores of “sat” with the two “the”."),
        (told(encoding="none"), "Without position, “sat” gives both “the” N."),
        (told(encoding="none", quantity="position"), "Without position, nothing is added to the scores of “sat”."),
        (told("hello", 0), "“hello” sees itself alone: its weight is 1, without position and with RoPE."),
        (told("a b a a c", 4), "Without position, “c” gives each “a” N. With RoPE, N, N and N."),
        (told("a b a a a c", 5), "Without position, “c” gives each “a” N. With RoPE, N to N."),
        (told("a a b a", 2, causal=True), "Without position, “b” gives each of the two “a” in sight N. With RoPE, N and N."),
    ],
)  # fmt: skip
def test_it_names_what_the_query_sees(sentence: str, pattern: str) -> None:
    assert NUMBER.sub("N", sentence) == pattern


def test_it_keeps_to_the_first_twins_that_are_seen_to_part_while_a_number_is_dragged() -> None:
    session = pe.Session(text="the man saw the man with the dog saw it", focus=9)
    told = [
        pe.plot("attention", session.changed(encoding=pe.encoding("rope", base=base))).headline
        for base in (2.0, 5.0, 10.0, 100.0, 1e3, 1e4)
    ]
    assert {run.text for runs in told for run in runs if run.kind == "twin"} == {"the"}


def test_two_encodings_are_told_under_what_sets_them_apart() -> None:
    compared = pe.Session(encoding=pe.encoding("rope"), other=pe.encoding("rope", base=500_000.0))
    sentence = NUMBER.sub("N", quote_runs(pe.plot("attention", compared).headline))
    assert (
        sentence
        == "On average over heads, with base 10,000, “sat” gives the two “the” N and N. With base 500,000, N and N."
    )


@settings(max_examples=10, deadline=None)
@given(
    words=st.lists(st.sampled_from("abcde"), min_size=1, max_size=9),
    focus=st.integers(0, 8),
    causal=st.booleans(),
    quantity=st.sampled_from(["probabilities", "scores"]),
)
def test_its_numbers_are_those_of_the_row(words: list[str], focus: int, causal: bool, quantity: str) -> None:
    model = pe.ToyModel(d_model=16, n_heads=2, causal=causal)
    session = pe.Session(
        text=" ".join(words),
        focus=focus,
        encoding="sinusoidal",
        model=model,
        plots={"attention": {"quantity": quantity}},
    )
    figure = pe.plot("attention", session)
    row = session.focused
    assert row is not None
    held = np.concatenate([panel.values[row] for panel in figure.panels])
    numbers = [float(run.text.replace("−", "-")) for run in figure.headline if run.kind == "number"]
    assert numbers
    assert all(np.abs(held - number).min() <= 0.005 + 1e-6 for number in numbers)
    assert all(run.text in session.tokens for run in figure.headline if run.kind in ("focus", "twin"))


def test_tokens_are_quoted_where_no_colour_sets_them_apart() -> None:
    runs = (
        Run("With RoPE, "),
        Run("sat", "focus"),
        Run(" gives "),
        Run("the", "twin"),
        Run(" 0.2", "number"),
        Run("."),
    )
    assert quote_runs(runs) == "With RoPE, “sat” gives “the” 0.2."
    assert quote_runs(()) == ""


@pytest.mark.parametrize(
    ("values", "texts"),
    [
        ([0.23, 0.43], ["0.23", "0.43"]),
        ([0.9995], ["0.9995"]),
        ([0.437, 0.99996], ["0.44", "1.00"]),
        ([0.004, 0.3], ["0.004", "0.300"]),
        ([0.2291, 0.2312], ["0.229", "0.231"]),
        ([0.225 - 1e-9, 0.225 + 1e-9], ["0.22", "0.22"]),
        ([1.0, 0.0, -2.5], ["1.00", "0.00", "−2.50"]),
        ([2.14e-6, 4.06e-7, 4.08e-7], ["2.14e−6", "4.06e−7", "4.08e−7"]),
        ([7.63e-6, 7.63e-6], ["7.6e−6", "7.6e−6"]),
        ([3e-8], ["0.00"]),
    ],
)
def test_numbers_that_differ_read_differently_and_none_as_a_whole_that_it_is_not(
    values: list[float], texts: list[str]
) -> None:
    assert format_distinct(values) == texts


def test_a_tiny_number_has_as_many_decimals_as_are_asked_for() -> None:
    assert format_distinct([1.5e-7], 9) == ["0.000000150"]
    (panel,) = pe.plot(
        "flow",
        pe.Session(
            text="ran", encoding=pe.encoding("t5", bidirectional=False), strength=0.5, model=pe.ToyModel(n_heads=2)
        ),
    ).panels
    assert panel.describe()


@given(st.lists(st.floats(-100, 100).map(lambda value: round(value, 5)), min_size=1, max_size=6))
def test_so_do_any_numbers(values: list[float]) -> None:
    texts = format_distinct(values)
    for value, text in zip(values, texts, strict=True):
        assert float(text.replace("−", "-")) == pytest.approx(value, abs=0.005 + 1e-6)
    for one, its in zip(values, texts, strict=True):
        assert all((its == text) == (abs(one - value) <= 1e-6) for value, text in zip(values, texts, strict=True))


def test_a_sentence_of_one_head_of_several_says_which() -> None:
    session = pe.Session(encoding="rope")
    told = [quote_runs(pe.plot(name, session).headline) for name in ("attention", "row", "why")]
    assert [one.startswith("In head 0, with") for one in told] == [False, True, True]
    session = session.changed(model=session.model.model_copy(update={"n_heads": 1, "d_head": None}))
    assert quote_runs(pe.plot("row", session).headline).startswith("With RoPE, ")


def test_all_of_many_numbers_read_as_those_that_are_told() -> None:
    assert format_as_told([0.16, 0.1674, 0.1721, 0.1849]) == ["0.16", "0.17", "0.17", "0.18"]
    assert format_as_told([-0.001, 0.2, 0.3, 0.5]) == ["−0.001", "0.200", "0.300", "0.500"]
    assert len(set(format_as_told([0.0, 0.1649999, 0.1650001, 0.5])[1:3])) == 1  # equal up to rounding
