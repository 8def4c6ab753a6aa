"""The binary encoding against Python's own binary numbers."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import posenc_gui as pe
from posenc_gui.encodings.base import Context
from posenc_gui.foundation.errors import Undefined


@given(st.integers(0, 1_000_000), st.integers(20, 80), st.booleans(), st.booleans())
def test_bits_are_those_that_python_writes(position: int, d_model: int, fast_first: bool, signs: bool) -> None:
    encoding = pe.encoding(
        "binary", order="fast_first" if fast_first else "slow_first", digits="signs" if signs else "zero_one"
    )
    written = [int(bit) for bit in f"{position:0{d_model}b}"]  # the largest first
    expected = written[::-1] if fast_first else written
    found = encoding.vectors(torch.tensor([position]), d_model)[0].tolist()
    assert found == ([2 * bit - 1 for bit in expected] if signs else expected)


@given(st.integers(1, 53), st.data())
def test_every_number_of_so_many_bits_has_a_code_of_its_own(d_model: int, data: st.DataObject) -> None:
    position = data.draw(st.integers(0, 2**d_model - 1))
    bits = pe.encoding("binary").vectors(torch.tensor([position]), d_model)[0]
    assert sum(int(bit) << place for place, bit in enumerate(bits.tolist())) == position


@pytest.mark.parametrize(("d_model", "most"), [(1, 1), (3, 7), (20, 2**20 - 1)])
def test_a_position_with_more_bits_is_refused(d_model: int, most: int) -> None:
    pe.encoding("binary").vectors(torch.tensor([most]), d_model)
    with pytest.raises(Undefined, match=f"{d_model} bits don't reach position .*0 to {most}"):
        pe.encoding("binary").vectors(torch.tensor([most + 1]), d_model)


def test_between_positions_there_is_nothing() -> None:
    with pytest.raises(Undefined, match=r"position 1\.5"):
        pe.encoding("binary").vectors(torch.tensor([1.5]), 8)


def test_neighbours_can_differ_in_every_bit_which_it_says() -> None:
    seven, eight = pe.encoding("binary").vectors(torch.tensor([7, 8]), 4)
    assert (seven != eight).all()
    assert "From 7 to 8 " in pe.encoding("binary").remark(Context(16))
    assert "From 3 to 4 " in pe.encoding("binary").remark(Context(6))
