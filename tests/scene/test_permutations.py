"""Orders of a sentence's tokens, and what attention makes of them."""

from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

import posenc_gui as pe
from posenc_gui.scene.permutations import Order, move_token, shuffle_order, swap_tokens

SENTENCE = ("the", "cat", "sat", "on", "the", "mat", "dog", "bites")
layers = pytest.mark.parametrize("n_layers", [1, 2])


@st.composite
def orders(draw: st.DrawFn, least: int = 1) -> Order:
    return tuple(draw(st.permutations(range(draw(st.integers(least, 12))))))


@given(orders(), st.data())
def test_a_moved_token_stands_at_its_target_and_the_others_keep_their_order(order: Order, data: st.DataObject) -> None:
    source, target = (data.draw(st.integers(0, len(order) - 1)) for _ in range(2))
    after = move_token(order, source, target)
    assert after[target] == order[source]
    assert [token for token in after if token != order[source]] == [token for token in order if token != order[source]]
    assert move_token(after, target, source) == order


@given(orders(), st.data())
def test_swapping_changes_two_places_and_swapping_again_takes_it_back(order: Order, data: st.DataObject) -> None:
    first, second = (data.draw(st.integers(0, len(order) - 1)) for _ in range(2))
    after = swap_tokens(order, first, second)
    assert (after[first], after[second]) == (order[second], order[first])
    assert all(after[at] == order[at] for at in range(len(order)) if at not in (first, second))
    assert swap_tokens(after, first, second) == order


@given(orders(least=2))
def test_a_shuffle_is_another_order_and_the_same_one_each_time(order: Order) -> None:
    after = shuffle_order(order)
    assert sorted(after) == sorted(order)
    assert after != order
    assert shuffle_order(order) == after


@pytest.mark.parametrize("order", [(), (0,)])
def test_what_has_one_order_alone_is_shuffled_to_itself(order: Order) -> None:
    assert shuffle_order(order) == order


# --- In a session


@given(st.permutations(range(6)).map(tuple), st.data())
def test_focus_and_key_stay_on_their_tokens(order: Order, data: st.DataObject) -> None:
    focus, key = data.draw(st.integers(0, 5)), data.draw(st.none() | st.integers(0, 5))
    session = pe.Session(focus=focus, key=key)
    after = session.reordered(order)
    assert after.tokens == tuple(session.tokens[at] for at in order)
    assert order[after.focused] == focus
    assert order[after.keyed] == (focus if key is None else key)
    assert (after.key is None) == (key is None)
    assert after.reordered(tuple(range(6))) == session


@pytest.mark.parametrize(
    "fields",
    [{"text": "dog bites man"}, {"tokenizer": "characters"}, {"keep_case": True}, {"fill": "repeat", "fill_to": 9}],
)
def test_other_tokens_stand_as_they_were_typed(fields: dict[str, object]) -> None:
    session = pe.Session().reordered((5, 4, 3, 2, 1, 0)).changed(**fields)
    assert session.order == ()
    assert session.tokens == session.scene.sentence.typed


def test_a_change_of_the_model_leaves_the_order() -> None:
    session = pe.Session().reordered((5, 4, 3, 2, 1, 0))
    assert session.changed(model=pe.ToyModel(causal=True)).order == (5, 4, 3, 2, 1, 0)


@pytest.mark.parametrize("order", [(0, 1), tuple(range(7)), (0, 0, 1, 2, 3, 4), (1, 2, 3, 4, 5, 6)])
def test_an_order_of_other_tokens_is_refused_in_one_sentence(order: Order) -> None:
    with pytest.raises(ValueError, match="order must hold each of 0 to 5 once") as refusal:
        pe.Session().changed(order=order)
    with pytest.raises(ValueError, match="once, as there are tokens") as unreadable:
        pe.Session.from_json(pe.Session().to_json().replace('"session": {}', f'"session": {{"order": {list(order)}}}'))
    assert "order" in str(refusal.value)
    assert "\n" not in str(unreadable.value)


# --- In attention


def law(x: Tensor, model: pe.ToyModel) -> Tensor:
    """The output of the last layer by the public formula, without encoding and mask: (n, d_model), float64."""
    heads, width = model.n_heads, model.head_width
    for layer in range(model.n_layers):
        q, k, v = (
            (x @ model.projection(name, layer).double()).view(len(x), heads, width).transpose(0, 1)
            for name in ("query", "key", "value")
        )
        weights = torch.softmax(q @ k.transpose(1, 2) / math.sqrt(width), dim=-1)
        taken = (weights @ v).transpose(0, 1).reshape(len(x), heads * width)
        output = taken @ model.projection("output", layer).double()
        x = x + output
    return output


def close(one: Tensor, other: Tensor) -> bool:
    """Equal to 1e-5 of the largest magnitude."""
    return bool((one.double() - other.double()).abs().max() <= 1e-5 * other.abs().max())


@layers
@settings(max_examples=10)
@given(order=st.permutations(range(8)).map(tuple), seed=st.integers(0, 50))
def test_without_encoding_and_mask_outputs_move_with_their_tokens(n_layers: int, order: Order, seed: int) -> None:
    model = pe.ToyModel(d_model=16, n_heads=2, n_layers=n_layers, seed=seed)
    session = pe.Session(text=" ".join(SENTENCE), encoding="none", model=model)
    assert session.tokens == SENTENCE
    straight, permuted = pe.attend(session).output, pe.attend(session.reordered(order)).output
    assert close(permuted, straight[list(order)])
    assert close(straight, law(model.embed(SENTENCE).double(), model))
    assert close(permuted, law(model.embed(tuple(SENTENCE[at] for at in order)).double(), model))


@layers
@pytest.mark.parametrize("with_position", [{"encoding": "sinusoidal"}, {"encoding": "rope"}, {"causal": True}])
def test_an_encoding_or_a_mask_breaks_that(n_layers: int, with_position: dict[str, object]) -> None:
    causal = bool(with_position.get("causal"))
    model = pe.ToyModel(d_model=16, n_heads=2, n_layers=n_layers, causal=causal)
    session = pe.Session(encoding=with_position.get("encoding", "none"), model=model)
    order = (5, 4, 3, 2, 1, 0)
    assert not close(pe.attend(session.reordered(order)).output, pe.attend(session).output[list(order)])


def test_a_second_layer_is_another_output() -> None:
    one, two = (pe.attend(pe.Session(encoding="none", model=pe.ToyModel(n_layers=layers))).output for layers in (1, 2))
    assert not close(one, two)
