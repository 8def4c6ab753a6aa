"""Reordering the tokens reorders the outputs alike, unless an encoding or a mask tells order."""

from __future__ import annotations

import pytest
import torch
from drawn import ABSOLUTE, fitting, models, sessions
from hypothesis import given, settings
from hypothesis import strategies as st

import posenc_gui as pe
from posenc_gui.attention.layer import context_of

plain = {"embedding_scale": 1.0, "scale": None, "projections": "seeded"}


@settings(max_examples=16)
@given(session=sessions(["none"], least=2, most=20, causal=False, scale=None, embedding_scale=1.0))
def test_without_encoding_and_mask_any_order_gives_the_same_outputs_in_one_layer_and_in_two(
    session: pe.Session,
) -> None:
    # about 1e-7 in float32.
    found = pe.measure("equivariance", session)
    assert found.value < 1e-5
    assert max(float(layer.max()) for layer in found.by_layer) < 1e-5
    assert found.is_equivariant
    assert found.most is None
    assert not found.inputs.any()


@settings(max_examples=16)
@given(seed=st.integers(0, 2**31 - 1), data=st.data())
def test_under_a_mask_alone_the_last_token_notices_the_order_of_the_others_only_in_the_second_layer(
    seed: int, data: st.DataObject
) -> None:
    # In one layer its output is a softmax over the set of all keys; in two these keys hold what each saw before it.
    count = data.draw(st.integers(3, 12))
    rest = data.draw(st.permutations(range(count - 1)).filter(lambda rest: rest != sorted(rest)))
    model = pe.ToyModel(d_model=16, n_heads=2, causal=True, seed=seed, n_layers=data.draw(st.integers(1, 2)))
    text = " ".join(f"w{index}" for index in range(count))
    session = pe.Session(text=text, encoding="none", model=model, order=(*rest, count - 1))
    found = pe.measure("equivariance", session)
    assert float(found.by_layer[0][-1]) < 1e-5
    assert float(found.by_layer[1][-1]) > 1e-4
    assert not found.is_equivariant  # another token sees others than before
    assert "the mask alone reveals the order" in found.reason


@settings(max_examples=16)
@given(data=st.data())
def test_an_input_encoding_with_distinct_vectors_breaks_it(data: st.DataObject) -> None:
    session = data.draw(sessions(ABSOLUTE, least=2, most=12, unique=True, d_model=16, n_heads=2, causal=False, **plain))
    found = pe.measure("equivariance", session)
    assert not found.is_equivariant
    # What the input door adds: a token that has moved from m to m' has changed by p_(m') − p_m.
    count = session.n_tokens
    vectors = session.encoding.vectors(torch.arange(count, dtype=torch.float64), 16, context_of(count, session.model))
    for place, token in enumerate(found.orders.order):
        expected = (vectors[place] - vectors[token]).abs().max()
        assert float(found.inputs[token]) == pytest.approx(float(expected), abs=1e-5)


@settings(max_examples=16)
@given(session=sessions(least=2, most=12, embedding_scale=1.0))
def test_it_is_what_attention_gives_for_both_orders(session: pe.Session) -> None:
    found = pe.measure("equivariance", session)
    if found.value is None:  # fewer dimensions than tokens
        return
    order = found.orders.order
    assert sorted(order) == list(range(session.n_tokens))
    assert found.orders.second == tuple(found.orders.first[index] for index in order)
    first = pe.attend(session.changed(order=())).output
    second = pe.attend(session.changed(order=order)).output
    by_place = (second - first[list(order)]).abs().amax(-1)
    assert found.value == pytest.approx(float(by_place.max()), rel=1e-5, abs=1e-6)
    judged = found.by_layer[session.model.n_layers - 1]
    torch.testing.assert_close(judged[list(order)], by_place, rtol=1e-5, atol=1e-6)
    assert found.value == float(judged.max())
    assert found.most is None or float(judged[found.most]) == found.value


@given(model=models(d_model=8, n_heads=2), count=st.integers(2, 9))
@settings(max_examples=8)
def test_tokens_that_stand_as_typed_are_compared_with_the_last_one_first(model: pe.ToyModel, count: int) -> None:
    session = fitting("none", model, text=" ".join("abcdefghi"[:count]))
    assert pe.measure("equivariance", session).orders.order == (count - 1, *range(count - 1))


def test_fewer_than_two_tokens_have_one_order() -> None:
    for text in ("", "alone"):
        found = pe.measure("equivariance", pe.Session(text=text))
        assert found.value is None
        assert "two words" in found.reason


def test_the_token_that_changed_most_is_named() -> None:
    found = pe.measure("equivariance", pe.Session(text="a b c d", order=(3, 1, 2, 0)))
    assert f"“{found.orders.first[found.most]}” ({found.most})" in found.reason


def test_far_tokens_moved_forward_and_an_order_written_out_keep_both_sides_true() -> None:
    words = [f"w{index}" for index in range(600)]
    order = (550, *(index for index in range(600) if index != 550))
    session = pe.Session(text=" ".join(words), order=order, encoding="none")
    orders = pe.measure("equivariance", session).orders
    assert orders.second == session.tokens[:512]
    assert orders.first == (*words[:511], "w550")
    same = pe.measure("equivariance", pe.Session(text="a b c", order=(0, 1, 2))).orders
    assert not same.reordered
    assert (same.first, same.second) == (("a", "b", "c"), ("c", "a", "b"))
