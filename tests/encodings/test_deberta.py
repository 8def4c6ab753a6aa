"""DeBERTa against transformers' DeBERTa-v2: its buckets entry for entry, and a whole layer's scores."""

from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from layers import layer_over, scores_of
from torch.testing import assert_close

import posenc_gui as pe
from tools.later import Later

transformers = Later("transformers")
deberta_v2 = Later("transformers.models.deberta_v2.modeling_deberta_v2")

OFFSETS = torch.cat((torch.arange(-3000, 3001), torch.tensor([-1_000_000, -100_000, 100_000, 1_000_000])))


@settings(max_examples=16)
@given(st.integers(2, 1024).map(lambda half: 2 * half), st.integers(4, 1_000_000))
def test_buckets_are_transformers_entry_for_entry(span: int, max_position: int) -> None:
    max_position = max(max_position, span // 2 + 2)
    found = pe.encoding("deberta", span=span, max_position=max_position).bucket(OFFSETS.double())
    assert torch.equal(found, deberta_v2.make_log_bucket_position(OFFSETS, span, max_position).long())


def test_the_published_buckets() -> None:
    encoding = pe.encoding("deberta")
    assert encoding.bucket(torch.tensor([0, 128, -128, 511, 600]).double()).tolist() == [0, 128, -128, 255, 270]
    assert encoding.rows(torch.tensor([600.0]), torch.tensor([0.0])).tolist() == [[511]]  # the last one saves it
    first = pe.encoding("deberta", log_buckets=False, span=512)
    assert first.rows(torch.tensor([600.0, 0.0]), torch.tensor([0.0])).tolist() == [[1023], [512]]


@settings(max_examples=8)
@given(
    n=st.integers(1, 30), n_heads=st.integers(1, 3), width=st.integers(1, 6), seed=st.integers(0, 10_000),
    span=st.sampled_from([4, 8, 16]), log_buckets=st.booleans(), terms=st.sampled_from(["both", "c2p", "p2c"]),
)  # fmt: skip
def test_scores_are_a_deberta_v2_layers(
    n: int, n_heads: int, width: int, seed: int, span: int, log_buckets: bool, terms: str
) -> None:
    d_model = n_heads * width
    encoding = pe.encoding("deberta", span=span, max_position=20, log_buckets=log_buckets, terms=terms)
    parts = ["c2p", "p2c"] if terms == "both" else [terms]
    layer = layer_over(encoding, n, d_model=d_model, n_heads=n_heads, seed=seed)
    config = transformers.DebertaV2Config(
        hidden_size=d_model, num_attention_heads=n_heads, relative_attention=True, share_att_key=True,
        position_buckets=span if log_buckets else -1, max_relative_positions=20 if log_buckets else span,
        pos_att_type=parts, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0,
    )  # fmt: skip
    theirs = deberta_v2.DisentangledSelfAttention(config).double().eval()
    with torch.no_grad():
        for name, of in (("query", theirs.query_proj), ("key", theirs.key_proj)):
            of.weight.copy_(layer.model.projection(name).T)
            of.bias.zero_()
        table = encoding.table(d_model, layer.context).double()
        factor = 1 + len(parts)
        added = theirs.disentangled_attention_bias(layer.queries, layer.keys, None, table, factor)
    expected = layer.queries @ layer.keys.mT / math.sqrt(factor * width) + added
    assert_close(scores_of(layer), expected, atol=1e-5, rtol=1e-5)


def test_a_furthest_that_no_shared_row_reaches_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 130, not 129"):
        pe.encoding("deberta", max_position=129)
    pe.encoding("deberta", max_position=130)
    pe.encoding("deberta", max_position=4, log_buckets=False)
