"""What two conventions differ by in scores, and the order of weights that makes up for it."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

import posenc_gui as pe
from posenc_gui import encodings
from posenc_gui.encodings import encoding
from posenc_gui.encodings.base import Encoding
from posenc_gui.encodings.common.conventions import Seen
from posenc_gui.foundation.errors import Undefined
from posenc_gui.identify.figures import reorderings
from posenc_gui.identify.mixed import ROUNDING, AsHeld, Reordering, order_between, scores_off_by
from posenc_gui.session.evaluate import attend
from posenc_gui.session.session import Session
from tests.identify.identified import HALF, INTERLEAVED

CAT = Session(text="The cat sat on the mat")
CAUSAL = CAT.changed(model=CAT.model.model_copy(update={"causal": True}))


def test_another_start_changes_no_score_of_a_rotation_and_another_pairing_does() -> None:
    assert scores_off_by(CAT, (HALF, 1), (HALF, 0)) < ROUNDING
    assert scores_off_by(CAT, (HALF, 1), (INTERLEAVED, 1)) == pytest.approx(2.1332, abs=1e-4)


def test_scores_are_those_of_attention() -> None:
    """A rotation turns a query and its own key alike: the difference is that of pe.attend's scores."""
    first, second = (attend(CAT.changed(encoding=one)).scores for one in (HALF, INTERLEAVED))
    largest = float((second - first).abs().max())
    assert scores_off_by(CAT, (HALF, 0), (INTERLEAVED, 0)) == pytest.approx(largest, abs=1e-5)


@pytest.mark.parametrize(("fraction", "width"), [(1.0, 16), (1.0, 2), (0.25, 32), (0.5, 6)])
@pytest.mark.parametrize("swapped", [False, True])
def test_the_order_of_rows_mends_the_other_pairing(fraction: float, width: int, swapped: bool) -> None:
    pairings = ("interleaved", "half") if swapped else ("half", "interleaved")
    right, other = (encoding("rope", pairing=one, fraction=fraction) for one in pairings)
    order = order_between(right, other, width)
    model = CAT.model.model_copy(update={"d_head": width})
    session = CAT.changed(model=model)
    apart = scores_off_by(session, (right, 3), (other, 3))
    if not order:
        assert apart < ROUNDING  # a single pair
        return
    assert sorted(order) == list(range(width))
    assert apart > 0.01
    assert scores_off_by(session, (right, 3), (other, 3), order) < 1e-12
    n_heads, w = 3, torch.arange(3.0 * width * 5).view(3 * width, 5)
    expected = torch.cat([head[list(order)] for head in w.split(width)])
    for one, wanted in ((w, expected), (w[:, 0], expected[:, 0])):  # a weight, and a bias
        names = {"w": one, "n_heads": n_heads, "torch": torch}
        exec(Reordering("", order, of_table=False).line, names)
        assert torch.equal(names["w"], wanted)


def test_the_orders_that_threads_ask_for() -> None:
    assert order_between(HALF, INTERLEAVED, 8) == (0, 4, 1, 5, 2, 6, 3, 7)
    assert order_between(INTERLEAVED, HALF, 8) == (0, 2, 4, 6, 1, 3, 5, 7)
    assert not order_between(HALF, HALF, 8)
    assert not order_between(HALF, INTERLEAVED.model_copy(update={"base": 1e4}), 8)
    with pytest.raises(Undefined):
        order_between(HALF, INTERLEAVED, 7)


@pytest.mark.parametrize("layout", ["concatenated", "cosine_first"])
def test_the_order_of_a_tables_columns_mends_another_layout(layout: str) -> None:
    right, other = encoding("sinusoidal"), encoding("sinusoidal", layout=layout)
    order = order_between(right, other, CAT.model.d_model)
    assert scores_off_by(CAT, (right, 0), (other, 0)) > 0.1
    assert scores_off_by(CAT, (right, 0), (other, 0), order) < 1e-12
    positions = torch.arange(9.0)
    names = {"table": other.vectors(positions, CAT.model.d_model), "torch": torch}
    exec(Reordering("", order, of_table=True).line, names)
    assert torch.equal(names["table"], right.vectors(positions, CAT.model.d_model))


def test_a_constant_of_a_row_and_masked_keys_dont_count() -> None:
    """BLOOM adds slope · key: under the mask, and without one for keys before the query, that is ALiBi's score."""
    alibi = encoding("alibi")
    words = [one.words for one in type(alibi).conventions(_seen(4, 6))]
    causal = [scores_off_by(CAUSAL, (alibi, 0), (AsHeld(own=alibi, words=one), 0)) for one in words]
    assert max(causal) < ROUNDING
    without = [scores_off_by(CAT, (alibi, 0), (AsHeld(own=alibi, words=one), 0)) for one in words]
    assert max(without) > 0.1
    assert min(without) < ROUNDING


def _seen(heads: int, count: int) -> Seen:
    return Seen("bias", (heads, count, count), torch.full((heads,), torch.nan))


@given(st.sampled_from(encodings.names()), st.integers(0, 3))
def test_no_encoding_is_off_by_itself(name: str, start: int) -> None:
    try:
        assert scores_off_by(CAT, (encoding(name), start), (encoding(name), start)) == 0
        assert not order_between(encoding(name), encoding(name), 16)
    except Undefined:
        pass


def test_one_word_none_and_a_model_that_has_no_pairs() -> None:
    assert scores_off_by(CAT.changed(text="cat"), (HALF, 0), (INTERLEAVED, 0)) == 0
    with pytest.raises(Undefined, match="Type a sentence"):
        scores_off_by(CAT.changed(text=""), (HALF, 0), (INTERLEAVED, 0))
    odd = CAT.changed(model=CAT.model.model_copy(update={"d_head": 7}))
    with pytest.raises(Undefined, match="even"):
        scores_off_by(odd, (HALF, 0), (INTERLEAVED, 0))


def _scores(x: Tensor, weights: Sequence[Tensor], code: Encoding, n_heads: int) -> Tensor:
    """The scores of a small attention layer, (n_heads, n, n), whose rotation is written out here."""
    q_rows, k_rows, q_bias, k_bias = weights
    turned = list[Tensor]()
    for rows, bias in ((q_rows, q_bias), (k_rows, k_bias)):
        each = (x @ rows.T + bias).view(len(x), n_heads, -1).transpose(0, 1)  # (n_heads, n, d_head)
        width = int(each.shape[-1] * code.fraction)
        part, rest = each[..., :width], each[..., width:]
        angles = torch.arange(len(x))[:, None] * code.base ** (-torch.arange(0, width, 2) / width)
        wave = torch.polar(torch.ones_like(angles), angles)
        if code.pairing == "interleaved":
            part = torch.view_as_real(torch.view_as_complex(part.unflatten(-1, (-1, 2)).contiguous()) * wave).flatten(
                -2
            )
        else:
            both = torch.complex(*part.chunk(2, -1)) * wave
            part = torch.cat((both.real, both.imag), -1)
        turned.append(torch.cat((part, rest), -1))
    return turned[0] @ turned[1].mT


@pytest.mark.parametrize("fraction", [1.0, 0.5])
@pytest.mark.parametrize(("yours", "theirs"), [("interleaved", "half"), ("half", "interleaved")])
def test_weights_for_the_others_code_run_in_the_code_whose_numbers_were_pasted(
    yours: str, theirs: str, fraction: float
) -> None:
    n_heads, width = 3, 16
    code, other = (encoding("rope", pairing=one, fraction=fraction) for one in (yours, theirs))
    queries = torch.randn(8, width, generator=torch.Generator().manual_seed(0)).double()
    rotated = code.rotate(queries, torch.arange(8))
    found = pe.identify(rotated, "rotated", before=queries)
    assert found.encoding == code
    beside = next(one for one in found.others if one.encoding == other)
    first, reverse = reorderings(found, beside)
    words = {"half": "half-split", "interleaved": "interleaved"}
    assert first.words.startswith(f"Weights for {words[theirs]} → your code, {words[yours]};")
    assert reverse.words.startswith(f"Weights for {words[yours]} → code, {words[theirs]};")
    x, rows = torch.randn(6, 10), n_heads * width
    weights = torch.randn(rows, 10), torch.randn(rows, 10), torch.randn(rows), torch.randn(rows)
    for one, made_for, run_in in ((first, other, code), (reverse, code, other)):
        right = _scores(x, weights, made_for, n_heads)
        assert float((_scores(x, weights, run_in, n_heads) - right).abs().max()) > 1
        moved = [_run(one.line, w=w, n_heads=n_heads)["w"] for w in weights]
        listed = [w.unflatten(0, (n_heads, width))[:, list(one.order)].flatten(0, 1) for w in weights]
        for ordered in (moved, listed):
            assert torch.allclose(_scores(x, ordered, run_in, n_heads), right, atol=1e-3)


def test_the_columns_of_ones_own_table_are_put_in_the_order_of_the_weights() -> None:
    own, other = encoding("sinusoidal"), encoding("sinusoidal", layout="concatenated")
    tables = [one.vectors(torch.arange(12), 16).float() for one in (own, other)]
    found = pe.identify(tables[0])
    first, reverse = reorderings(found, next(one for one in found.others if one.encoding == other))
    assert first.words.startswith("Weights for sines, then cosines")
    assert "your table, sine and cosine by turns" in first.words
    assert torch.allclose(_run(first.line, table=tables[0])["table"], tables[1], atol=1e-6)
    assert torch.allclose(_run(reverse.line, table=tables[1])["table"], tables[0], atol=1e-6)


def _run(line: str, **names: object) -> dict[str, Tensor]:
    names["torch"] = torch
    exec(line, names)
    return names
