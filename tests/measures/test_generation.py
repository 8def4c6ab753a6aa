"""One query over the same keys in two orders: the sum is over a set, unless an encoding tells order."""

from __future__ import annotations

import pytest
import torch
from drawn import sessions
from hypothesis import given, settings
from hypothesis import strategies as st

import posenc_gui as pe

DEFAULTS = {"embedding_scale": 1.0, "scale": None}


@pytest.mark.parametrize("causal", [False, True])
def test_c_takes_the_same_from_a_b_c_and_b_a_c_without_an_encoding(causal: bool) -> None:
    session = pe.Session(text="A B C", encoding="none", model=pe.ToyModel(causal=causal))
    found = pe.measure("generation", session)
    assert found.first.tokens == ("a", "b", "c")
    assert found.second.tokens == ("b", "a", "c")
    assert found.order == (1, 0, 2)
    assert found.value < 1e-6
    # Term by term they are the same two terms in another order.
    torch.testing.assert_close(found.second.terms, found.first.terms[:, [1, 0, 2]])
    assert pe.measure("generation", session.changed(encoding="sinusoidal")).value > 0.01


@settings(max_examples=16)
@given(session=sessions(["none"], least=3, most=20, n_layers=1, **DEFAULTS))
def test_without_an_encoding_one_layer_gives_the_same_to_any_order_of_the_rest_with_a_mask_and_without(
    session: pe.Session,
) -> None:
    found = pe.measure("generation", session)
    if len(set(found.first.tokens[:-1] if found.value is not None else session.tokens[:-1])) == 1:
        assert found.value is None
        assert "all the same" in found.reason
        return
    assert found.value < 1e-5


@settings(max_examples=8)
@given(data=st.data())
def test_under_a_mask_the_second_layer_notices_the_order_of_the_rest(data: st.DataObject) -> None:
    shape = {"n_layers": 2, "causal": True, "d_model": 16, "n_heads": 2, "projections": "seeded"}
    session = data.draw(sessions(["none"], least=4, most=9, unique=True, **shape, **DEFAULTS))
    assert pe.measure("generation", session).value > 1e-4


@settings(max_examples=24)
@given(session=sessions(least=3, most=12, **DEFAULTS))
def test_the_terms_add_up_to_what_attention_takes_away(session: pe.Session) -> None:
    found = pe.measure("generation", session)
    if found.value is None:  # fewer dimensions than tokens
        return
    model = session.model
    for one, order in ((found.first, None), (found.second, found.order)):
        torch.testing.assert_close(one.weights.sum(-1), torch.ones(model.n_heads))
        assert one.terms.shape == (model.n_heads, session.n_tokens, model.head_width)
        added = one.total - one.terms.sum(1)
        if session.encoding.name != "shaw":  # which adds to the values
            torch.testing.assert_close(added, torch.zeros_like(added), rtol=0, atol=2e-5)
        standing = session.scene.sentence.order
        other = session if order is None else session.changed(order=tuple(standing[index] for index in order))
        attended = pe.attend(other)
        assert attended.tokens == one.tokens
        torch.testing.assert_close(attended.probabilities[:, -1], one.weights, rtol=1e-4, atol=1e-5)
        weight = model.projection("output", model.n_layers - 1)
        torch.testing.assert_close(attended.output[-1], one.total.flatten() @ weight, rtol=1e-4, atol=1e-4)
    torch.testing.assert_close(found.difference, found.second.total - found.first.total)
    assert found.value == float(found.difference.abs().max())


@settings(max_examples=16)
@given(session=sessions(least=3, most=12, unique=True, d_model=16, n_heads=2))
def test_the_last_token_stays_last_and_another_changes_its_place(session: pe.Session) -> None:
    found = pe.measure("generation", session)
    *rest, last = found.order
    assert last == session.n_tokens - 1
    assert sorted(rest) == list(range(last))
    assert rest != sorted(rest)
    assert found.first.tokens == session.tokens
    assert found.second.tokens == tuple(session.tokens[index] for index in found.order)


@given(count=st.integers(0, 2))
def test_two_tokens_must_stand_before_the_last(count: int) -> None:
    found = pe.measure("generation", pe.Session(text=" ".join("ab"[:count])))
    assert found.value is None
    assert "type a" in found.reason.lower()


def test_of_a_long_text_the_first_tokens_are_taken() -> None:
    text = " ".join(f"w{at}" for at in range(600))
    session = pe.Session(text=text, encoding="alibi", model={"d_model": 16, "n_heads": 2})
    found = pe.measure("generation", session)
    assert found.first.tokens == session.tokens[:512]
    assert "the first 512 of 600 words" in pe.plot("generation", session).caption
