"""A recurrent network tells order by itself, and forgets; the derivatives are autograd's."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
import torch
from drawn import sessions
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

import posenc_gui as pe
from posenc_gui.measures.recurrence import HIDDEN


def elman(d_model: int, seed: int) -> Callable[[Tensor], Tensor]:
    """h_t = tanh(W x_t + b + U h_(t−1) + c), written out, with weights in the range in which torch's begin."""
    generator = torch.Generator().manual_seed(seed)
    w, u, b, c = (
        torch.empty(shape, dtype=torch.float64).uniform_(-1, 1, generator=generator) / math.sqrt(HIDDEN)
        for shape in ((HIDDEN, d_model), (HIDDEN, HIDDEN), (HIDDEN,), (HIDDEN,))
    )

    def states(x: Tensor) -> Tensor:
        h, found = torch.zeros(HIDDEN, dtype=torch.float64), []
        for row in x:
            h = torch.tanh(w @ row + b + u @ h + c)
            found.append(h)
        return torch.stack(found)

    return states


def influence(function: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    """Of the first row on each: the root of the mean square over all directions, from the whole Jacobian."""
    jacobian = torch.autograd.functional.jacobian(function, x)[:, :, 0]  # (n, width, d_model)
    return jacobian.pow(2).sum((1, 2)).sqrt() / math.sqrt(x.shape[1])


# With so few dimensions every direction is tried, and the mean over orthogonal ones is the Jacobian's own.
all_directions = {"d_model": 16, "n_heads": 2}


@settings(max_examples=6)
@given(session=sessions(least=2, most=5, words=("a", "b", "c"), **all_directions))
def test_states_and_fading_are_those_of_a_loop_written_out(session: pe.Session) -> None:
    found, model = pe.measure("recurrence", session), session.model
    states = elman(model.d_model, model.seed)
    first, second = (
        model.embed(tokens).double() * model.embedding_scale for tokens in (found.orders.first, found.orders.second)
    )
    torch.testing.assert_close(found.hidden, states(first), rtol=0, atol=1e-10)
    torch.testing.assert_close(found.other_hidden, states(second), rtol=0, atol=1e-10)
    fading = influence(states, first)
    torch.testing.assert_close(found.fading, fading, rtol=1e-6, atol=1e-12)
    assert found.value == pytest.approx(float(fading[-1] / fading[0]), rel=1e-6)
    apart = (states(first) - states(second)).norm(dim=1) / states(first).norm(dim=1)
    torch.testing.assert_close(found.apart, apart, rtol=1e-6, atol=1e-9)
    assert found.order_difference == float(found.apart[-1])


@settings(max_examples=6)
@given(session=sessions(least=2, most=5, words=("a", "b", "c"), n_layers=1, embedding_scale=1.0, **all_directions))
def test_attentions_influence_is_that_of_softmax_written_out(session: pe.Session) -> None:
    found, model = pe.measure("recurrence", session), session.model
    w_q, w_k, w_v = (model.projection(name).double() for name in ("query", "key", "value"))
    own = session.encoding.scale(8)  # T5 doesn't divide, and neither does what it is compared with
    w_o, scale = model.projection("output").double(), own if model.scale is None else model.scale

    def attend(x: Tensor) -> Tensor:
        q, k, v = ((x @ w).view(-1, 2, 8).movedim(1, 0) for w in (w_q, w_k, w_v))
        scores = q @ k.mT * scale
        if model.causal:
            scores = scores.masked_fill(torch.ones(len(x), len(x), dtype=torch.bool).triu(1), -torch.inf)
        return (scores.softmax(-1) @ v).movedim(0, 1).flatten(1) @ w_o

    expected = influence(attend, model.embed(found.orders.first).double())
    torch.testing.assert_close(found.attention_without, expected, rtol=1e-3, atol=1e-4)


@settings(max_examples=6)
@given(session=sessions(["none"], least=2, most=7))
def test_without_an_encoding_both_of_attentions_are_the_same(session: pe.Session) -> None:
    found = pe.measure("recurrence", session)
    assert torch.equal(found.attention, found.attention_without)


@pytest.mark.parametrize("d_model", [16, 64])
def test_in_more_dimensions_fading_is_still_the_whole_jacobians(d_model: int) -> None:
    model = pe.ToyModel(d_model=d_model)
    found = pe.measure("recurrence", pe.Session(model=model))
    expected = influence(elman(d_model, 0), model.embed(found.orders.first).double())
    torch.testing.assert_close(found.fading, expected, rtol=1e-6, atol=1e-12)


@settings(max_examples=6)
@given(count=st.integers(2, 12), seed=st.integers(0, 2**31 - 1), n_layers=st.integers(1, 2), data=st.data())
def test_it_tells_orders_apart_in_as_many_steps_as_there_are_tokens(
    count: int, seed: int, n_layers: int, data: st.DataObject
) -> None:
    order = tuple(data.draw(st.permutations(range(count))))
    model = pe.ToyModel(d_model=16, n_heads=2, seed=seed, n_layers=n_layers)
    session = pe.Session(text=" ".join(f"w{i}" for i in range(count)), model=model, order=order, encoding="none")
    found = pe.measure("recurrence", session)
    assert found.hidden.shape == found.other_hidden.shape == (count, HIDDEN)
    assert found.hidden.abs().max() <= 1  # tanh
    assert (found.steps, found.attention_steps) == (count, n_layers)
    # What it read last weighs most; an order that only changes what was read long ago has faded too.
    assert found.order_difference > 1e-9
    assert not torch.equal(found.hidden[-1], found.other_hidden[-1])


@settings(max_examples=6)
@given(seed=st.integers(0, 2**31 - 1))
def test_the_first_token_fades_by_the_step_and_in_attention_only_an_encoding_lets_it(seed: int) -> None:
    # torch draws U from ±1/√32: |U v| is about |v|/√3, so each step keeps about 0.58 or less, and 23 of them under 1e-3.
    model = pe.ToyModel(d_model=16, n_heads=4, seed=seed)
    text = " ".join(["first", *["same"] * 23])
    found = pe.measure("recurrence", pe.Session(text=text, model=model, encoding="none"))
    assert found.value < 1e-3
    # All the same tokens are moved alike, near or far.
    torch.testing.assert_close(
        found.attention_without[1:], found.attention_without[1:2].expand(23), rtol=1e-4, atol=1e-7
    )
    alibi = pe.measure("recurrence", pe.Session(text=text, model=model, encoding=pe.encoding("alibi", bias_max=0.5)))
    assert float(alibi.attention[-1]) < 0.01 * float(alibi.attention_without[-1])


def test_one_token_has_one_order() -> None:
    assert pe.measure("recurrence", pe.Session(text="one")).value is None
