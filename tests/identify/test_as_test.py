"""A verdict as a test file, and as a paragraph."""

from __future__ import annotations

import io
from types import ModuleType

import numpy as np
import pytest
import torch

import posenc_gui as pe
from posenc_gui import __version__
from posenc_gui.encodings import encoding
from posenc_gui.foundation.errors import Undefined
from posenc_gui.identify.as_test import as_npz, as_pytest, verdict_text
from tests.identify.identified import HALF, INTERLEAVED, cosines, identified, of_rope


def run(text: str) -> ModuleType:
    """The written file, as a module that Python has read."""
    module = ModuleType("written")
    exec(compile(text, "written", "exec"), module.__dict__)
    return module


@pytest.mark.parametrize("rows", [6, 300])
def test_the_file_passes_for_the_pasted_numbers_and_fails_for_the_other_pairing(rows: int) -> None:
    found = of_rope(rows)
    module = run(as_pytest(found))
    with pytest.raises(NotImplementedError, match="cosines"):
        module.test_mine()
    module.mine = lambda: found.numbers.values.float()
    module.test_mine()
    module.mine = lambda: found.numbers.values.tolist()
    module.test_mine()
    module.mine = lambda: cosines(INTERLEAVED, 1, rows)
    with pytest.raises(AssertionError):
        module.test_mine()
    module.mine = lambda: found.numbers.values[1:]
    with pytest.raises(AssertionError):
        module.test_mine()


def test_the_file_has_the_formula_and_the_source() -> None:
    text = as_pytest(of_rope())
    assert "transformers' Llama" in text
    x = torch.randn(2, 6, 16)
    turned = run(text).rotate(x, torch.arange(6))
    assert torch.allclose(turned, of_rope().encoding.rotate(x, torch.arange(6)), atol=1e-6)


def test_the_code_counts_from_where_the_numbers_begin() -> None:
    assert "# positions = torch.arange(1, 1 + n)" in as_pytest(of_rope())
    assert "# positions = torch.arange(n)" in as_pytest(pe.identify(cosines(HALF, 0).float()))


def test_the_tolerance_says_why() -> None:
    printed = str([[round(one, 4) for one in row] for row in cosines(HALF, 1).tolist()])
    whole = encoding("t5").rows_of(torch.arange(200)[:, None] - torch.arange(200))
    for numbers, reason in (
        (printed, "printed to 4 decimals"),
        (cosines(HALF, 1).float(), "what float32 can't tell"),
        (whole, "they are whole numbers"),
    ):
        found = pe.identify(numbers)
        text = as_pytest(found)
        assert f"  # {reason}\n" in text
        module = run(text)
        module.mine = lambda found=found: found.numbers.values
        module.test_mine()
        module.mine = lambda found=found, module=module: found.numbers.values + 2 * module.TOLERANCE
        with pytest.raises(AssertionError):
            module.test_mine()


def test_a_pairing_that_frequencies_dont_tell_is_said() -> None:
    assert "The pairing can't be seen in inverse frequencies" in as_pytest(
        pe.identify(HALF.angles(torch.ones(1), 16)[0].float())
    )


def test_what_stands_in_front_alike_may_be_left_out() -> None:
    table = encoding("sinusoidal").vectors(torch.arange(6), 16).float()
    module = run(as_pytest(pe.identify(table[None])))
    for mine in (table, table[None], table.expand(3, 1, 6, 16)):
        module.mine = lambda mine=mine: mine
        module.test_mine()
    for mine in (table[:5], table[None, :0], torch.stack((table, table + 1))):
        module.mine = lambda mine=mine: mine
        with pytest.raises(AssertionError):
            module.test_mine()
    alibi = encoding("alibi").bias(torch.arange(5), torch.arange(5), 8).float()
    text = as_pytest(pe.identify(alibi[None]))
    assert "(8, 5, 5)  # heads × queries × keys" in text
    assert "# heads, from 1 on" in text
    assert "* h / 8)" in text


def test_arrays_hold_the_same() -> None:
    found = of_rope()
    with np.load(io.BytesIO(as_npz(found)), allow_pickle=False) as file:
        assert np.abs(file["values"] - file["expected"]).max() <= file["tolerance"] < 1e-5
        assert str(file["sentence"]) == found.sentence


def test_the_verdict_fits_into_an_issue() -> None:
    text = verdict_text(of_rope())
    assert "\n" not in text
    assert text.startswith("This is RoPE, half-split.")
    assert "interleaved (off by 1.99)" in text
    assert "M-RoPE" in text
    assert __version__ in text


def test_numbers_of_no_convention_have_no_test() -> None:
    found = of_rope()
    unknown = identified(found.numbers.values, "cosines", found.others[0], is_known=False)
    with pytest.raises(Undefined, match="No convention"):
        as_pytest(unknown)
    with pytest.raises(Undefined, match="No convention"):
        as_npz(unknown)
    assert verdict_text(unknown)
