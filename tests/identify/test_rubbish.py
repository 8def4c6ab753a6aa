"""What isn't numbers of an encoding: an answer, or one sentence why there is none, and never another error."""

from __future__ import annotations

import contextlib
import math
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import posenc_gui as pe

SPARSE = torch.eye(4).to_sparse()
RUBBISH: dict[str, Any] = {
    "nothing": None,
    "an empty list": [],
    "empty rows": [[], []],
    "an empty text": "",
    "a text": "The cat sat on the mat",
    "a text with a number": "RoPE with base 10000",
    "half a list": "[[0.1, 0.2], [0.3",
    "one number": 3.5,
    "one number in a list": [[0.5]],
    "whole numbers beyond float64": [10**400, 1],
    "ragged rows": [[1.0, 2.0], [3.0]],
    "NaN": [[math.nan, 1.0], [0.0, 1.0]],
    "infinity": torch.tensor([[1.0, math.inf], [0.0, 1.0]]),
    "strings": [["a", "b"], ["c", "d"]],
    "an object": object(),
    "a class's object": pe.ToyModel(),
    "a list of objects": [object(), object()],
    "an array of objects": np.array([[1, None], [2, "x"]], dtype=object),
    "an array of strings": np.array(["1.0", "x"]),
    "dates": np.array(["2020-01-01"], dtype="datetime64[D]"),
    "a set": {1.0, 2.0},
    "a dictionary": {"a": [1.0]},
    "sparse": SPARSE,
    "sparse rows": lambda: torch.eye(4).to_sparse_csr(),
    "quantized": lambda: torch.quantize_per_tensor(torch.eye(4), 0.1, 0, torch.quint8),
    "on no device": torch.empty(4, 4, device="meta"),
    "bool": torch.eye(5, dtype=torch.bool),
    "complex": torch.polar(torch.ones(6, 4), torch.rand(6, 4)),
    "that needs a gradient": torch.rand(5, 4, requires_grad=True),
    "eight-bit floats": torch.rand(5, 4).to(torch.float8_e4m3fn),
    "eight axes": torch.zeros(1, 1, 1, 1, 1, 1, 2, 2),
    "no rows": torch.zeros(0, 8),
    "a tuple": (1.0, 0.1, 0.01),
    "huge numbers": torch.full((4, 4), 1e308, dtype=torch.float64) * torch.arange(4),
    "tiny numbers": torch.full((4, 4), 5e-324, dtype=torch.float64),
    "zeros": torch.zeros(4, 8),
    "a million rows": torch.zeros(1_000_000, 2),
    "wide": torch.randn(3, 500),
    "many axes of one": torch.ones(1, 1, 1, 1),
    "of itself": (lambda one: one.append(one) or one)([]),
    "bytes": b"\x93NUMPY",
}


def identify(given: Any, **more: Any) -> str:
    """What is said of it, or why it is refused."""
    try:
        said = pe.identify(given, **more).sentence
    except ValueError as refused:
        said = str(refused)
    assert 0 < len(said) < 500, said
    assert "\n" not in said, said
    assert said.endswith((".", "?", "!")) or said[0].islower(), said
    return said


@pytest.mark.filterwarnings("ignore::UserWarning", "ignore::DeprecationWarning")
@pytest.mark.most(60)
@pytest.mark.parametrize("what", RUBBISH)
def test_rubbish_is_refused_in_a_sentence_or_answered(what: str) -> None:
    given = RUBBISH[what]
    identify(given() if callable(given) else given)


@pytest.mark.parametrize(
    "kind", ["table", "cosines", "waves", "angles", "frequencies", "rotated", "bias", "slopes", "buckets"]
)
def test_any_kind_may_be_told_of_any_shape(kind: str) -> None:
    for shape in ((3,), (4, 6), (4, 5), (2, 4, 4), (2, 3, 4, 6)):
        identify(torch.rand(shape), kind=kind)


@pytest.mark.parametrize(
    "before", [None, "text", [1.0], torch.zeros(4, 5), torch.zeros(4, 6), torch.full((4, 6), math.nan)]
)
def test_queries_before_may_be_anything(before: Any) -> None:
    identify(torch.rand(4, 6), kind="rotated", before=before)


def test_an_unknown_kind_is_refused_with_those_there_are() -> None:
    with pytest.raises(ValueError, match="cosines"):
        pe.identify(torch.eye(3), kind="colours")


@given(st.text(alphabet="[]()0123456789.,-+e \n…tensornaif='", max_size=60))
def test_any_text_is_refused_or_answered(text: str) -> None:
    with contextlib.suppress(ValueError):
        assert pe.identify(text).sentence
