"""Encodings as they are typed: names, parameters in brackets, lists of them; what is refused."""

from __future__ import annotations

import re

import pytest
from any_session import encodings_with_parameters
from hypothesis import given
from hypothesis import strategies as st

import posenc_gui as pe
from posenc_gui.encodings.base import Encoding
from posenc_gui.encodings.common.any_encoding import read_encodings, write_encoding


@given(st.lists(encodings_with_parameters, max_size=3))
def test_what_is_written_of_encodings_reads_as_the_same(held: list[Encoding]) -> None:
    assert read_encodings(", ".join(map(write_encoding, held))) == tuple(held)


def test_parameters_stand_in_brackets_also_those_of_groups() -> None:
    typed = "none, rope(base = 500, pairing=interleaved), rope(scaling.rope_type=yarn, scaling.factor=8),"
    none, interleaved, scaled = read_encodings(typed)
    assert none == pe.encoding("none")
    assert interleaved == pe.encoding("rope", base=500, pairing="interleaved")
    assert scaled == pe.encoding("rope", scaling={"rope_type": "yarn", "factor": 8})
    assert pe.Session(encoding="rope(base=500)").encoding == pe.encoding("rope", base=500)


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("sinusoidal, rop", "there is no encoding 'rop' (did you mean 'rope'?)"),
        ("sinusoidal,, rope", "there is no encoding ''"),
        ("rope(bass=5)", "rope: there is no field 'bass' (did you mean 'base'?)"),
        ("rope(base=0)", "rope: base: should be at least 1, not 0"),
        ("rope(base)", "rope: base: should be a number, not ''"),
        ("rope(base=5", "a closing bracket is missing in 'rope(base=5'"),
    ],
)
def test_what_is_no_encoding_is_refused_in_a_sentence(typed: str, said: str) -> None:
    with pytest.raises(ValueError, match=re.escape(said)) as refused:
        read_encodings(typed)
    assert "\n" not in str(refused.value)
