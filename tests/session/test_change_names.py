"""Names of changes between two sessions, as undo and redo show them."""

from __future__ import annotations

from typing import Any

import pytest

import posenc_gui as pe
from posenc_gui.session.change_names import between


def named(before: pe.Session, **fields: Any) -> str:
    return between(before, before.changed(**fields)).name


def test_equal_sessions_have_no_change() -> None:
    change = between(pe.Session(), pe.Session())
    assert (change.paths, change.name) == (frozenset(), "")


@pytest.mark.parametrize(
    ("fields", "name"),
    [
        ({"text": "dog bites man"}, "Typed “dog bites man”"),
        ({"text": "The dog sat on the mat"}, "Typed “dog”"),
        ({"text": "The cat sat on the mat, happily"}, "Typed “mat, happily”"),
        ({"text": "The cat sat"}, "Deleted “on the mat”"),
        ({"text": ""}, "Deleted “The cat sat on the mat”"),
        ({"text": "The cat sat on the mat "}, "Typed a space"),
        ({"text": "one two three four five six seven eight"}, "Typed “one two three … seven eight”"),
        ({"focus": 1}, "Focus on “cat”"),
        ({"focus": 4}, "Focus on “the” at 4"),
        ({"focus": 90}, "Focus on “mat”"),  # the last one
        ({"key": 4}, "Key “the” at 4"),
        ({"keep_case": True}, "Keep case off → on"),
        ({"tokenizer": "bytes"}, "Split into words → bytes"),
        ({"encoding": "rope"}, "Encoding Sinusoidal → RoPE"),
        ({"encoding": "none"}, "Sinusoidal → No encoding"),
        ({"encoding": pe.encoding("sinusoidal", base=500_000.0)}, "Base 10,000 → 500,000"),
        ({"encoding": pe.encoding("sinusoidal", base=1.25)}, "Base 10,000 → 1.25"),
        ({"model": pe.ToyModel(n_heads=8)}, "Heads 4 → 8"),
        ({"model": pe.ToyModel(d_head=8)}, "d_head automatic → 8"),
        ({"model": pe.ToyModel(causal=True)}, "Causal mask off → on"),
        ({"plots": {"dials": {"position": 2.5}}}, "Position automatic → 2.5"),
        ({"plots": {"dials": {"pairs": (0, 2)}}}, "Pairs automatic → 0, 2"),
        ({"order": (1, 0, 2, 3, 4, 5)}, "Order: “cat the sat on the mat”"),
    ],
)
def test_a_change_is_named_by_its_field_and_both_values(fields: dict[str, Any], name: str) -> None:
    assert named(pe.Session(), **fields) == name


COMPARED = pe.Session(encoding="rope", other=pe.encoding("rope", base=500_000.0))


@pytest.mark.parametrize(
    ("before", "fields", "name"),
    [
        (pe.Session(), {"other": "rope"}, "Compared with RoPE"),
        (COMPARED, {"other": None}, "No longer compared with RoPE"),
        (COMPARED, {"other": "rope"}, "B: base 500,000 → 10,000"),
        (COMPARED, {"encoding": pe.encoding("rope", base=100.0)}, "A: base 10,000 → 100"),
        (COMPARED, {"other": "alibi"}, "B: RoPE → ALiBi"),
        (COMPARED, {"encoding": COMPARED.other, "other": COMPARED.encoding}, "A and B swapped"),
        (COMPARED, {"focus": 5}, "Focus on “mat”"),
    ],
)
def test_of_two_encodings_the_name_says_which_has_changed(
    before: pe.Session, fields: dict[str, Any], name: str
) -> None:
    assert named(before, **fields) == name


def test_typed_vectors_are_named_without_their_numbers() -> None:
    small = pe.Session(model=pe.ToyModel(d_model=2, n_heads=1))
    typed = pe.ToyModel(d_model=2, n_heads=1, vectors=(("the", (0.1, 0.2)),))
    assert named(small, model=typed) == "Typed vectors"


def test_an_order_that_takes_the_focus_along_is_an_order() -> None:
    session = pe.Session(key=1)
    change = between(session, session.reordered((5, 4, 3, 2, 1, 0)))
    assert change.name == "Order: “mat the on sat cat the”"
    assert change.paths == {("order",)}


def test_typing_that_drops_an_order_and_a_focus_is_typing() -> None:
    session = pe.Session().reordered((5, 4, 3, 2, 1, 0))
    change = between(session, session.changed(text="dog bites man", focus=0))
    assert change.name == "Typed “dog bites man”"
    assert change.paths == {("text",)}


def test_two_changes_are_both_named_and_more_are_hinted_at() -> None:
    assert named(pe.Session(), encoding="rope", model=pe.ToyModel(causal=True)) == (
        "Encoding Sinusoidal → RoPE, Causal mask off → on"
    )
    assert named(pe.Session(), text="a", encoding="rope", model=pe.ToyModel(causal=True)) == (
        "Typed “a”, Encoding Sinusoidal → RoPE …"
    )


def test_a_long_value_is_cut() -> None:
    assert named(pe.Session(), tokenizer="somewhere/with/quite/a/long/path/tokenizer.json") == (
        "Split into words → somewhere/with/quite/a/…"
    )
