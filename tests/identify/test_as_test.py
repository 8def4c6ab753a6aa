"""A verdict as a test file, as arrays and as a paragraph."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
import torch

from posenc_gui import __version__
from posenc_gui.foundation.errors import Undefined
from posenc_gui.identify.as_test import as_npz, as_pytest, verdict_text
from tests.identify.identified import INTERLEAVED, cosines, identified, of_rope


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


def test_arrays_hold_the_same(tmp_path: Path) -> None:
    found = of_rope()
    with np.load(as_npz(found, tmp_path / "same.npz")) as file:
        assert np.abs(file["values"] - file["expected"]).max() <= file["tolerance"] < 1e-5
        assert str(file["sentence"]) == found.sentence


def test_the_verdict_fits_into_an_issue() -> None:
    text = verdict_text(of_rope())
    assert "\n" not in text
    assert text.startswith("This is RoPE, half-split.")
    assert "interleaved (off by 1.99)" in text
    assert "M-RoPE" in text
    assert __version__ in text


def test_numbers_of_no_convention_have_no_test(tmp_path: Path) -> None:
    found = of_rope()
    unknown = identified(found.numbers.values, "cosines", found.others[0], is_known=False)
    for write in (as_pytest, lambda one: as_npz(one, tmp_path / "none.npz")):
        with pytest.raises(Undefined, match="No convention"):
            write(unknown)
    assert verdict_text(unknown)
