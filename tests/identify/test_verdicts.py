"""Verdicts on numbers whose encoding is known, and on numbers that are no encoding's."""

from __future__ import annotations

import re

import pytest
import torch
from torch import Tensor

import posenc_gui as pe
from posenc_gui.identify.verdict import Identified


def angles(base: float = 10_000.0, width: int = 16, rows: int = 6, start: int = 0) -> Tensor:
    """As transformers computes them, in float32, (rows, width / 2)."""
    inv_freq = 1.0 / base ** (torch.arange(0, width, 2).float() / width)
    return torch.arange(start, start + rows).float()[:, None] * inv_freq


def halves(of: Tensor) -> Tensor:
    return torch.cat((of, of), dim=-1)


def test_a_cache_of_cosines_is_named_with_base_pairing_and_start() -> None:
    found = pe.identify(halves(angles(500_000.0, start=1)).cos())
    assert found.sentence == "This is RoPE, half-split, base 500,000, from position 1: off by 8·10⁻⁸."
    assert (found.kind, found.encoding, found.start) == ("cosines", pe.encoding("rope", base=500_000.0), 1)
    assert found.axes == ("positions", "dimensions")
    words = {one.words: one for one in found.others}
    assert {"interleaved", "base 10,000", "from position 0"} <= set(words)
    assert words["interleaved"].off_by > 1 > words["from position 0"].off_by > 0.9
    assert [one.off_by for one in found.others] == sorted(one.off_by for one in found.others)
    assert words["interleaved"].numbers.shape == found.numbers.values.shape


@pytest.mark.parametrize(("start", "base"), [(0, 31_234.0), (2, 10_000.0), (4096, 10_000.0)])
def test_start_and_base_are_found(start: int, base: float) -> None:
    found = pe.identify(angles(base, 64, start=start).repeat_interleave(2, -1).sin())
    assert found.encoding == pe.encoding("rope", base=base, pairing="interleaved")
    assert found.start == start


def same(found: Identified, name: str, **parameters: object) -> None:
    assert found.encoding == pe.encoding(name, **parameters), found.sentence


def test_precision_and_printing_explain_what_is_off() -> None:
    cosines = halves(angles(width=64, rows=32)).cos()
    same(pe.identify(cosines.bfloat16()), "rope")
    same(pe.identify(cosines.half()), "rope")
    same(pe.identify(cosines.double()), "rope")  # written as float64


def test_axes_may_stand_in_any_order() -> None:
    cosines = halves(angles()).cos()
    assert pe.identify(cosines.T).axes == ("dimensions", "positions")
    assert pe.identify(cosines.expand(2, 3, -1, -1)).axes == ("batch", "heads", "positions", "dimensions")


def test_rotated_queries_are_set_against_those_before() -> None:
    before = torch.randn(2, 3, 6, 16, generator=torch.manual_seed(0))
    for pairing in ("half", "interleaved"):
        rope = pe.encoding("rope", pairing=pairing)
        same(pe.identify(rope.rotate(before, torch.arange(6)), before=before), "rope", pairing=pairing)


def test_what_frequencies_cant_tell_comes_with_a_line_that_does() -> None:
    found = pe.identify(1.0 / 10_000.0 ** (torch.arange(0, 64, 2).float() / 64))
    same(found, "rope")
    assert any("pairing" in one and "print(" in one for one in found.undecided)


@pytest.mark.parametrize("layout", ["interleaved", "concatenated", "cosine_first"])
@pytest.mark.parametrize("spacing", ["paper", "tensor2tensor"])
def test_tables_of_sines(layout: str, spacing: str) -> None:
    table = pe.encoding("sinusoidal", layout=layout, spacing=spacing).vectors(torch.arange(9), 32).float()
    same(pe.identify(table), "sinusoidal", layout=layout, spacing=spacing)


def test_slopes_and_biases() -> None:
    slopes = pe.encoding("alibi").slopes(12)
    keys = torch.arange(9.0)
    same(pe.identify(slopes.float()), "alibi")
    bloom = pe.identify((slopes[:, None] * keys).float().repeat(2, 1)[:, None])  # of two texts
    same(bloom, "alibi")
    assert "BLOOM" in bloom.convention
    distances = -(keys[:, None] - keys).abs()
    assert "distance" in pe.identify((slopes[:, None, None] * distances).float()).convention


@pytest.mark.parametrize(
    "numbers",
    [torch.zeros(6, 8), torch.ones(16), torch.tensor([1.0, 0.01]), torch.tensor([[0.0, 1.0] * 8]), torch.zeros(1, 1)],
)
def test_numbers_that_say_too_little_have_no_name(numbers: Tensor) -> None:
    found = pe.identify(numbers)
    assert found.encoding is None
    assert found.sentence


def test_random_numbers_have_no_name() -> None:
    generator = torch.manual_seed(1)
    for numbers in (
        torch.rand(6, 4, generator=generator).bfloat16(),
        torch.randint(0, 3, (4, 4), generator=generator),
        torch.rand(12, generator=generator).cumsum(-1),
        1e-3 * torch.randn(4, 4, generator=generator).half(),
    ):
        assert pe.identify(numbers).encoding is None


def test_mistakes_are_explained() -> None:
    found = pe.identify(halves(angles(rows=32) * torch.pi / 180).cos())
    assert found.encoding is None
    assert "degrees for radians" in found.explained
    assert "degrees for radians" in found.sentence


def t5(offsets: Tensor, **choices: object) -> Tensor:
    return pe.encoding("t5", **choices).rows_of(offsets)


OFFSETS = torch.arange(24)[:, None] - torch.arange(24)  # query − key
SAID: dict[str, tuple[Tensor, str]] = {
    "a learned table": (0.02 * torch.randn(64, 32, generator=torch.manual_seed(2)), "here\\. They look like no formula"),
    "an array that isn't filled": (torch.zeros(6, 8), "All numbers here are 0"),
    "T5 with the other sign": (t5(-OFFSETS), "T5.*sign is reversed explain them exactly"),
    "T5 in one direction with it": (t5(-OFFSETS, bidirectional=False), "T5.*keys before.*sign is reversed"),
    "ALiBi from head 0": (2.0 ** -torch.arange(8.0), "base 256.*also.*ALiBi.*from 0 explain them exactly"),
    "degrees": (halves(angles(rows=12) * 180 / torch.pi).cos(), "half-split, base 10,000.*radians for degrees"),
    "ALiBi of 12 heads": (2.0 ** (-8 * torch.arange(1, 13) / 12), "ALiBi.*powers of two"),
}  # fmt: skip


@pytest.mark.parametrize("case", SAID)
def test_what_is_wrong_is_said(case: str) -> None:
    numbers, said = SAID[case]
    assert re.search(said, pe.identify(numbers).sentence), pe.identify(numbers).sentence


def test_others_differ() -> None:
    for numbers in (t5(OFFSETS), 2.0 ** -torch.arange(8.0)):
        assert all(one.unseen > 1 for one in pe.identify(numbers).others)


def test_the_same_numbers_have_the_same_verdict() -> None:
    numbers = halves(angles(rows=40, width=32)).cos()
    assert str(pe.identify(numbers)) == str(pe.identify(numbers))


def test_what_else_may_be_meant_is_said() -> None:
    from_0 = pe.identify(2.0 ** -torch.arange(8.0))  # of ALiBi's 8 heads, or inv_freq with base 256
    assert "ALiBi" in from_0.sentence
    swapped = pe.identify(halves(angles()).cos(), kind="sines")
    assert "sines and cosines swapped" in swapped.explained
    cache = pe.identify(torch.cat((angles().sin(), angles().cos()), 1))
    same(cache, "sinusoidal", layout="concatenated")
    assert any("RoPE" in one and "cosines and sines" in one for one in cache.undecided)
    coarse = pe.identify(halves(angles(500_000.0, 128)).cos().bfloat16())
    assert "Llama 3" in coarse.sentence
    assert "part at row" in coarse.sentence


def test_one_slope_is_of_no_series() -> None:
    keys = torch.arange(8.0)
    assert pe.identify(-0.37 * (keys[:, None] - keys).abs()).encoding is None


def test_rotated_queries_need_those_before() -> None:
    for before in (None, torch.ones(3, 4)):
        with pytest.raises(ValueError, match="before"):
            pe.identify(torch.ones(6, 4), kind="rotated", before=before)


@pytest.mark.parametrize("digits", [3, 5])
def test_lists_are_as_exact_as_their_digits(digits: int) -> None:
    table = pe.encoding("sinusoidal").vectors(torch.arange(6), 8)
    rounded = [[round(value, digits) for value in row] for row in table.tolist()]
    found = pe.identify(rounded)
    assert (found.encoding, found.start) == (pe.encoding("sinusoidal"), 0)
