"""Comparisons in words: what “… vs …” means."""

from __future__ import annotations

import pytest

import posenc_gui as pe
from posenc_gui.models.comparison_search import MOST, pairs


@pytest.mark.parametrize(
    ("typed", "titles"),
    [
        ("rope 10000 vs 500000", ["RoPE: base 10,000 vs 500,000"]),
        ("RoPE base=1e4 versus rope base 500,000", ["RoPE: base 10,000 vs 500,000"]),
        ("rope vs rope 500000", ["RoPE: as it is vs base 500,000"]),
        ("rope fraction 0.5 vs 1", ["RoPE: rotated fraction 0.5 vs 1"]),
        ("yarn 4 vs. 8", ["YaRN: scaling factor 4 vs 8"]),
        ("t5 vs alibi", ["T5 relative bias vs ALiBi"]),
        ("rope vs yarn", ["RoPE vs YaRN"]),
        ("gpt-2 vs gpt-j", ["GPT-2 vs GPT-J 6B"]),
        ("llama 3.1 vs alibi", ["Llama 3.1 8B vs ALiBi"]),  # not a scaling Llama 3 by 1
        ("rope vs rope", []),
        ("rope vs", []),
        ("vs", []),
        ("man vs dog", []),
        ("rope", []),
    ],
)
def test_words_name_two_to_compare(typed, titles) -> None:
    assert [pair.title for pair in pairs(typed)] == titles


def test_families_are_those_models_the_newest_first() -> None:
    found = pairs("llama vs qwen")
    assert 1 < len(found) <= MOST
    newest = max(pair.first.year for pair in found)
    assert (found[0].first.year, found[0].title[:5]) == (newest, "Llama")
    assert "Qwen" in found[0].second.title


def test_both_have_the_shape_of_the_model_and_the_sentence_stays() -> None:
    (pair,) = pairs("alibi vs llama 3.1")
    session = pair.chosen(pe.Session(text="a b a"))
    model = pe.preset("llama-3.1-8b")
    assert (session.encoding, session.other, session.model) == (pe.encoding("alibi"), model.encoding, model.model)
    assert session.text == "a b a"


def test_the_rest_of_an_encoding_is_as_it_stands_or_at_its_defaults() -> None:
    (pair,) = pairs("rope 100 vs 1000")
    session = pair.chosen(pe.Session(encoding=pe.encoding("rope", pairing="interleaved")))
    assert session.encoding == pe.encoding("rope", base=100.0, pairing="interleaved")
    assert pair.chosen(pe.Session(encoding=pe.encoding("alibi"))).encoding == pe.encoding("rope", base=100.0)
