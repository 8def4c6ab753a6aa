"""One query and two keys that change places: what each encoding makes of it. A new encoding is covered without a line."""

from __future__ import annotations

import pytest
from torch import Tensor
from torch.testing import assert_close

import posenc_gui as pe

# Encodings that take a sentence for its mirror image, and why. All others must tell them apart.
MIRROR_BLIND = {
    "none": "it knows no position",
    "alibi": "without a mask its penalty is |m − n|",
    "kerple": "its penalty is of |m − n|",
    "sandwich": "its cosines are of |m − n|",
    "fire": "its network is given |m − n|",
    "cope": "without a mask it counts both ways",
    "pope": "a product of two lengths counts with the cosine of m − n, as long as no shift is learned",
}
every_encoding = pytest.mark.parametrize("name", pe.encodings())
seeds = pytest.mark.parametrize("seed", [0, 1, 2])


def output_of_c(text: str, name: str, seed: int, causal: bool = False) -> Tensor:
    """What the token C takes away, (d_model,)."""
    session = pe.Session(text=text, encoding=name, model=pe.ToyModel(seed=seed, causal=causal))
    return pe.attend(session).output[text.split().index("C")]


@every_encoding
@seeds
@pytest.mark.parametrize("causal", [False, True])
def test_the_order_of_what_comes_before_changes_c_unless_there_is_no_encoding(
    name: str, seed: int, causal: bool
) -> None:
    one, other = (output_of_c(text, name, seed, causal) for text in ("A B C", "B A C"))
    if name == "none":
        assert_close(one, other, atol=1e-6, rtol=1e-5)
    else:
        assert float((one - other).abs().max()) > 1e-2


@every_encoding
@seeds
def test_neighbours_changing_sides_change_c_unless_the_encoding_is_blind_to_mirrors(name: str, seed: int) -> None:
    one, other = (output_of_c(text, name, seed) for text in ("A C B", "B C A"))
    if name in MIRROR_BLIND:
        assert_close(one, other, atol=1e-6, rtol=1e-5)
    else:
        assert float((one - other).abs().max()) > 1e-2
